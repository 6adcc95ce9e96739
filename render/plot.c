// SPDX-License-Identifier: GPL-2.0
#include "render/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "render/plot_parts.h"

/*
 * Okabe and Ito's palette, in an order that stays apart for all common kinds of colour blindness
 * and in print; yellow comes last because it is weak on white.
 */
static const char *const colours[] = { "#0072B2", "#E69F00", "#009E73", "#D55E00",
				       "#CC79A7", "#56B4E9", "#000000", "#F0E442" };
#define COLOURS (sizeof(colours) / sizeof(colours[0]))

const char *plot_colour(const struct plot_panel *p, unsigned int k)
{
	return p->series[k].colour ? p->series[k].colour : colours[k % COLOURS];
}

struct plot_series *plot_add_series(struct plot_panel *p, const char *title, unsigned int n)
{
	struct plot_series *s;

	if (p->nseries == PLOT_SERIES)
		return NULL;
	s = &p->series[p->nseries];
	s->points = calloc(n + 1, sizeof(*s->points));
	if (!s->points)
		return NULL;
	snprintf(s->title, sizeof(s->title), "%s", title);
	s->n = n;
	p->nseries++;
	return s;
}

bool plot_panel_is_empty(const struct plot_panel *p)
{
	for (unsigned int k = 0; k < p->nseries; k++)
		for (unsigned int n = 0; n < p->series[k].n; n++)
			if (isfinite(p->series[k].points[n].y))
				return false;
	return !p->ncells;
}

bool plot_is_empty(const struct plot *p)
{
	for (unsigned int i = 0; i < p->npanels; i++)
		if (!plot_panel_is_empty(&p->panels[i]))
			return false;
	return true;
}

void plot_free(struct plot *p)
{
	for (unsigned int i = 0; i < PLOT_PANELS; i++) {
		for (unsigned int k = 0; k < p->panels[i].nseries; k++)
			free(p->panels[i].series[k].points);
		free(p->panels[i].cells);
	}
	free(p->categories);
	free(p->tops);
	free(p->groups);
	memset(p, 0, sizeof(*p));
}

static void stretch(struct plot_range *r, double v)
{
	if (!isfinite(v))
		return;
	if (!isfinite(r->low) || v < r->low)
		r->low = v;
	if (!isfinite(r->high) || v > r->high)
		r->high = v;
}

struct plot_range plot_x_range(const struct plot *p)
{
	struct plot_range r = { NAN, NAN };

	if (p->bars) {
		/* A bar as wide as the picture would look like an area. */
		unsigned int n = p->group > 1 ? p->ncategories / p->group : p->ncategories;
		double spare = p->group > 1 ? (n < 2 ? 0.5 : 0) : n < 4 ? (4 - n) / 2.0 : 0;

		r.low = -0.6 - spare;
		r.high = (double)n - 0.4 + spare;
		return r;
	}
	for (unsigned int i = 0; i < p->npanels; i++) {
		const struct plot_panel *panel = &p->panels[i];

		for (unsigned int k = 0; k < panel->nseries; k++)
			for (unsigned int n = 0; n < panel->series[k].n; n++)
				stretch(&r, panel->series[k].points[n].x);
		for (unsigned int n = 0; n < panel->ncells; n++) {
			stretch(&r, panel->cells[n].x0);
			stretch(&r, panel->cells[n].x1);
		}
	}
	if (!isfinite(r.low))
		r.low = r.high = 0;
	if (r.high - r.low < 1e-9) {
		r.low -= 0.5;
		r.high += 0.5;
	}
	return r;
}

struct plot_range plot_y_range(const struct plot_panel *p)
{
	struct plot_range r = { 0, 0 };

	if (p->percent) {
		r.high = 105;
		return r;
	}
	for (unsigned int k = 0; k < p->nseries; k++)
		for (unsigned int n = 0; n < p->series[k].n; n++)
			stretch(&r, p->series[k].points[n].y);
	for (unsigned int n = 0; n < p->ncells; n++)
		stretch(&r, p->cells[n].y1);
	if (p->ncells && r.high > 0)
		return r;
	r.high = r.high > 0 ? r.high * 1.08 : 1;
	return r;
}

static void print_value(FILE *f, double v)
{
	if (isfinite(v))
		fprintf(f, " %.10g", v);
	else
		fputs(" NaN", f);
}

static void write_bar_data(const struct plot *p, FILE *f)
{
	const struct plot_panel *panel = &p->panels[0];

	for (unsigned int c = 0; c < p->ncategories; c++) {
		fprintf(f, "\"%s\"", p->categories[c]);
		for (unsigned int k = 0; k < panel->nseries; k++)
			print_value(f, c < panel->series[k].n ? panel->series[k].points[c].y : NAN);
		fputc('\n', f);
	}
}

static void write_line_data(const struct plot *p, FILE *f)
{
	for (unsigned int i = 0; i < p->npanels; i++) {
		for (unsigned int k = 0; k < p->panels[i].nseries; k++) {
			const struct plot_series *s = &p->panels[i].series[k];

			fprintf(f, "# panel %u, series %u: %s\n", i + 1, k + 1, s->title);
			for (unsigned int n = 0; n < s->n; n++) {
				fprintf(f, "%.10g", s->points[n].x);
				print_value(f, s->points[n].y);
				fputc('\n', f);
			}
			fputs("\n\n", f);
		}
	}
}

void plot_write_data(const struct plot *p, FILE *f)
{
	fprintf(f, "# %s\n", p->title);
	if (p->stacked)
		plot_stacked_data(p, f);
	else if (p->bars)
		write_bar_data(p, f);
	else if (p->map)
		plot_map_data(p, f);
	else
		write_line_data(p, f);
}

unsigned int plot_height(const struct plot *p)
{
	return p->npanels > 1 ? 280 + 180 * p->npanels : 480;
}

/* Left edge of the panels: numbers of six digits and the name of the axis stand beside it. */
#define LEFT "0.14"

static void write_preamble(const struct plot *p, FILE *f)
{
	fprintf(f,
		"# gnuplot %s.gp   draws %s.svg from %s.dat\n"
		"if (!exists(\"output_file\")) {\n"
		"\tset terminal svg size 900,%u font 'sans-serif,14' background '#ffffff'\n"
		"\toutput_file = '%s.svg'\n"
		"}\n"
		"set output output_file\n"
		"set encoding utf8\n"
		"set border 3 linewidth 1 linecolor rgb '#444444'\n"
		"set tics nomirror out textcolor rgb '#222222'\n"
		"set grid ytics linetype 1 linewidth 0.6 linecolor rgb '#dddddd'\n"
		"set lmargin at screen " LEFT "\nset rmargin at screen 0.97\n",
		p->name, p->name, p->name, plot_height(p), p->name);
}

static void write_range(FILE *f, const char *axis, struct plot_range r)
{
	fprintf(f, "set %srange [%.10g:%.10g]\n", axis, r.low, r.high);
}

void plot_write_label(FILE *f, const char *what, const char *text)
{
	bool at = strchr(what, ' ') != NULL;
	int word = (int)strcspn(what, " ");

	/* "label 1 at ..." takes its text between its number and its place. */
	if (at)
		word += 1 + (int)strcspn(what + word + 1, " ");
	fprintf(f, "set %.*s ", word, what);
	print_gnuplot(f, text);
	fprintf(f, "%s noenhanced\n", what + word);
}

/* Title, then the key line by line, then the first panel: each below the one before. */
static unsigned int key_rows(const struct plot *p)
{
	unsigned int n = p->panels[0].nseries;

	if (p->map)
		return 1;
	return n > 4 ? (n + 1) / 2 : n;
}

double plot_from_top(const struct plot *p, unsigned int pixels)
{
	return 1 - (double)pixels / plot_height(p);
}

static void write_title(const struct plot *p, FILE *f)
{
	char place[96];

	snprintf(place, sizeof(place), "label 1 at screen 0.5,%.4f center front font ',15'",
		 plot_from_top(p, 22));
	plot_write_label(f, place, p->title);
	if (p->subtitle[0])
		plot_write_label(f,
				 "label 2 at screen 0.985,0.02 right front textcolor rgb '#666666' "
				 "font ',10'",
				 p->subtitle);
	fprintf(f,
		"set key at screen 0.03,%.4f left top vertical maxrows %u Left reverse noenhanced "
		"samplen 2\n",
		plot_from_top(p, 38), key_rows(p) ? key_rows(p) : 1);
}

/* Names below the middle of each group; xtic() would put them below its first bar. */
static void write_category_tics(const struct plot *p, FILE *f)
{
	fputs("set xtics (", f);
	for (unsigned int c = 0; c < p->ncategories; c++) {
		fputs(c ? ", " : "", f);
		print_gnuplot(f, p->categories[c]);
		fprintf(f, " %u", c);
	}
	fputs(")\n", f);
}

/* Bars: the share each category has, with the number on top while there is room for it. */
static void write_bars(const struct plot *p, FILE *f)
{
	const struct plot_panel *panel = &p->panels[0];
	double width = 0.8 / (panel->nseries ? panel->nseries : 1);
	bool numbers = panel->nseries * p->ncategories <= (panel->percent ? 16 : 24);

	write_category_tics(p, f);
	fprintf(f, "set style fill solid 0.9 noborder\nset boxwidth %.6g absolute\nplot \\\n",
		width);
	for (unsigned int k = 0; k < panel->nseries; k++) {
		double shift = ((double)k - (panel->nseries - 1) / 2.0) * width;

		fprintf(f, "\t'%s.dat' using ($0+(%.6g)):%u with boxes linecolor rgb '%s' title ",
			p->name, shift, k + 2, plot_colour(panel, k));
		print_gnuplot(f, panel->series[k].title);
		if (numbers)
			fprintf(f,
				", \\\n\t'' using ($0+(%.6g)):%u:(sprintf('%s', column(%u))) "
				"with "
				"labels offset 0,0.6 font ',10' notitle",
				shift, k + 2, panel->percent ? "%.2f" : "%.6g", k + 2);
		fputs(k + 1 < panel->nseries ? ", \\\n" : "\n", f);
	}
}

static unsigned int first_index(const struct plot *p, unsigned int panel)
{
	unsigned int index = 0;

	for (unsigned int i = 0; i < panel; i++)
		index += p->panels[i].nseries;
	return index;
}

static const char *line_style(const struct plot_panel *d, unsigned int k)
{
	/* A line through one point is invisible. */
	if (d->series[k].n < 2)
		return "points pointtype 7";
	if (d->marks)
		return "linespoints linewidth 1.5 pointsize 0.5";
	return d->steps ? "steps linewidth 2" : "lines linewidth 2";
}

static void write_lines(const struct plot *p, unsigned int panel, FILE *f)
{
	/* Marks tell lines apart as dashes do, and stay clear where a value stands alone. */
	static const unsigned int marks[] = { 7, 5, 9, 11, 13 };
	const struct plot_panel *d = &p->panels[panel];
	unsigned int index = first_index(p, panel);

	fputs("plot \\\n", f);
	for (unsigned int k = 0; k < d->nseries; k++) {
		bool plain = d->series[k].n < 2 || d->marks;

		fprintf(f, "\t'%s.dat' index %u using 1:2 with %s", p->name, index + k,
			line_style(d, k));
		if (d->marks && d->series[k].n >= 2)
			fprintf(f, " pointtype %u", marks[k % 5]);
		fprintf(f, " dashtype %u linecolor rgb '%s' title ", plain ? 1 : k % 5 + 1,
			plot_colour(d, k));
		print_gnuplot(f, d->series[k].title);
		fputs(k + 1 < d->nseries ? ", \\\n" : "\n", f);
	}
}

/* What a panel is called, and when something happened in it. */
static void write_marks(const struct plot_panel *d, FILE *f)
{
	fputs("unset label 3\nunset label 4\nunset arrow 1\n", f);
	if (d->title[0])
		plot_write_label(f,
				 "label 3 at graph 0,1 left offset character 0,0.6 front "
				 "font ',11'",
				 d->title);
	if (!d->event[0] || !isfinite(d->event_x))
		return;
	fprintf(f,
		"set arrow 1 from first %.10g,graph 0 to first %.10g,graph 1 nohead front "
		"dashtype 2 linewidth 1.5 linecolor rgb '#D55E00'\n",
		d->event_x, d->event_x);
	plot_write_label(f,
			 "label 4 at graph 1,1 right offset character 0,0.6 front font ',10' "
			 "textcolor rgb '#D55E00'",
			 d->event);
}

static void write_panel(const struct plot *p, unsigned int i, FILE *f)
{
	write_range(f, "y", plot_y_range(&p->panels[i]));
	plot_write_label(f, "ylabel", p->panels[i].ylabel);
	write_marks(&p->panels[i], f);
	if (p->stacked)
		plot_stacked_script(p, f);
	else if (p->bars)
		write_bars(p, f);
	else if (p->map)
		plot_map_panel(p, i, f);
	else if (p->panels[i].nseries)
		write_lines(p, i, f);
	else /* nothing to draw still has its frame and its name */
		fputs("plot NaN notitle\n", f);
}

static double first_top(const struct plot *p)
{
	/* A panel's own name takes a line more. */
	return plot_from_top(p, 50 + 24 * key_rows(p) + (p->panels[0].title[0] ? 20 : 0));
}

static bool same_titles(const struct plot_panel *a, const struct plot_panel *b)
{
	if (a->nseries != b->nseries)
		return false;
	for (unsigned int k = 0; k < a->nseries; k++)
		if (strcmp(a->series[k].title, b->series[k].title))
			return false;
	return true;
}

/* Panels of one height, with room for the key of the later ones where they have their own. */
static void write_panels(const struct plot *p, FILE *f)
{
	double top = first_top(p), bottom = 83.0 / plot_height(p), gap = 32.0 / plot_height(p);
	double height = (top - bottom - gap * (p->npanels - 1)) / p->npanels;

	fputs("set multiplot\n", f);
	for (unsigned int i = 0; i < p->npanels; i++) {
		double upper = top - i * (height + gap);
		bool last = i + 1 == p->npanels;

		fprintf(f, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", upper,
			upper - height);
		plot_write_label(f, "xlabel", last ? p->xlabel : "");
		fputs(last ? "set format x '%g'\n" : "set format x ''\n", f);
		if (i)
			fputs(same_titles(&p->panels[0], &p->panels[i])
				      ? "unset key\n"
				      : "set key inside right top\n",
			      f);
		write_panel(p, i, f);
		fputs("unset label 1\nunset label 2\n", f);
	}
	fputs("unset multiplot\n", f);
}

void plot_write_script(const struct plot *p, FILE *f)
{
	write_preamble(p, f);
	write_title(p, f);
	if (p->map)
		plot_map_key(p, f);
	write_range(f, "x", plot_x_range(p));
	if (p->npanels > 1) {
		write_panels(p, f);
	} else {
		fprintf(f, "set tmargin at screen %.4f\nset bmargin at screen 0.16\n",
			first_top(p));
		plot_write_label(f, "xlabel", p->xlabel);
		write_panel(p, 0, f);
	}
	fputs("set output\n", f);
}
