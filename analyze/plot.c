// SPDX-License-Identifier: GPL-2.0
#include "analyze/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/format.h"

/*
 * Okabe and Ito's palette, in an order that stays apart for all common kinds of colour blindness
 * and in print; yellow comes last because it is weak on white.
 */
static const char *const colours[] = { "#0072B2", "#E69F00", "#009E73", "#D55E00",
				       "#CC79A7", "#56B4E9", "#000000", "#F0E442" };
#define COLOURS (sizeof(colours) / sizeof(colours[0]))

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
	return true;
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
	for (unsigned int i = 0; i < PLOT_PANELS; i++)
		for (unsigned int k = 0; k < p->panels[i].nseries; k++)
			free(p->panels[i].series[k].points);
	free(p->categories);
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
		double spare = p->ncategories < 4 ? (4 - p->ncategories) / 2.0 : 0;

		r.low = -0.6 - spare;
		r.high = (double)p->ncategories - 0.4 + spare;
		return r;
	}
	for (unsigned int i = 0; i < p->npanels; i++)
		for (unsigned int k = 0; k < p->panels[i].nseries; k++)
			for (unsigned int n = 0; n < p->panels[i].series[k].n; n++)
				stretch(&r, p->panels[i].series[k].points[n].x);
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
	if (p->bars)
		write_bar_data(p, f);
	else
		write_line_data(p, f);
}

unsigned int plot_height(const struct plot *p)
{
	return p->npanels > 1 ? 640 : 480;
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

static void write_label(FILE *f, const char *what, const char *text)
{
	bool at = strchr(what, ' ') != NULL;
	int word = (int)strcspn(what, " ");

	/* "label 1 at ..." takes its text between its number and its place. */
	if (at)
		word += 2;
	fprintf(f, "set %.*s ", word, what);
	print_gnuplot(f, text);
	fprintf(f, "%s noenhanced\n", what + word);
}

/* Title, then the key line by line, then the first panel: each below the one before. */
static unsigned int key_rows(const struct plot *p)
{
	unsigned int n = p->panels[0].nseries;

	return n > 4 ? (n + 1) / 2 : n;
}

static double from_top(const struct plot *p, unsigned int pixels)
{
	return 1 - (double)pixels / plot_height(p);
}

static void write_title(const struct plot *p, FILE *f)
{
	char place[96];

	snprintf(place, sizeof(place), "label 1 at screen 0.5,%.4f center front font ',15'",
		 from_top(p, 22));
	write_label(f, place, p->title);
	if (p->subtitle[0])
		write_label(f,
			    "label 2 at screen 0.985,0.02 right front textcolor rgb '#666666' "
			    "font ',10'",
			    p->subtitle);
	fprintf(f,
		"set key at screen 0.03,%.4f left top vertical maxrows %u Left reverse noenhanced "
		"samplen 2\n",
		from_top(p, 38), key_rows(p) ? key_rows(p) : 1);
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
	bool numbers = panel->nseries * p->ncategories <= 16;

	write_category_tics(p, f);
	fprintf(f, "set style fill solid 0.9 noborder\nset boxwidth %.6g absolute\nplot \\\n",
		width);
	for (unsigned int k = 0; k < panel->nseries; k++) {
		double shift = ((double)k - (panel->nseries - 1) / 2.0) * width;

		fprintf(f, "\t'%s.dat' using ($0+(%.6g)):%u with boxes linecolor rgb '%s' title ",
			p->name, shift, k + 2, colours[k % COLOURS]);
		print_gnuplot(f, panel->series[k].title);
		if (numbers)
			fprintf(f,
				", \\\n\t'' using ($0+(%.6g)):%u:(sprintf('%%.2f', column(%u))) "
				"with "
				"labels offset 0,0.6 font ',10' notitle",
				shift, k + 2, k + 2);
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

static void write_lines(const struct plot *p, unsigned int panel, FILE *f)
{
	const struct plot_panel *d = &p->panels[panel];
	unsigned int index = first_index(p, panel);

	fputs("plot \\\n", f);
	for (unsigned int k = 0; k < d->nseries; k++) {
		/* A line through one point is invisible. */
		const char *style = d->series[k].n < 2 ? "points pointtype 7"
				    : d->steps	       ? "steps linewidth 2"
						       : "lines linewidth 2";

		fprintf(f,
			"\t'%s.dat' index %u using 1:2 with %s dashtype %u linecolor rgb '%s' "
			"title ",
			p->name, index + k, style, d->series[k].n < 2 ? 1 : k % 5 + 1,
			colours[k % COLOURS]);
		print_gnuplot(f, d->series[k].title);
		fputs(k + 1 < d->nseries ? ", \\\n" : "\n", f);
	}
}

static double first_top(const struct plot *p)
{
	return from_top(p, 50 + 24 * key_rows(p));
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

/* Two panels of one height, with room for the second one's key where it has its own. */
static void write_panels(const struct plot *p, FILE *f)
{
	double top = first_top(p), bottom = 0.13, gap = 0.05;
	bool own_key = !same_titles(&p->panels[0], &p->panels[1]);
	double height = (top - bottom - gap) / 2;

	fputs("set multiplot\n", f);
	for (unsigned int i = 0; i < p->npanels; i++) {
		fprintf(f, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
			i ? bottom + height : top, i ? bottom : top - height);
		write_range(f, "y", plot_y_range(&p->panels[i]));
		write_label(f, "ylabel", p->panels[i].ylabel);
		write_label(f, "xlabel", i ? p->xlabel : "");
		fputs(i ? "set format x '%g'\n" : "set format x ''\n", f);
		if (i)
			fputs(own_key ? "set key inside right top\n" : "unset key\n", f);
		write_lines(p, i, f);
		fputs("unset label 1\nunset label 2\n", f);
	}
	fputs("unset multiplot\n", f);
}

void plot_write_script(const struct plot *p, FILE *f)
{
	write_preamble(p, f);
	write_title(p, f);
	write_range(f, "x", plot_x_range(p));
	if (p->npanels > 1) {
		write_panels(p, f);
	} else {
		fprintf(f, "set tmargin at screen %.4f\nset bmargin at screen 0.16\n",
			first_top(p));
		write_range(f, "y", plot_y_range(&p->panels[0]));
		write_label(f, "xlabel", p->xlabel);
		write_label(f, "ylabel", p->panels[0].ylabel);
		if (p->bars)
			write_bars(p, f);
		else
			write_lines(p, 0, f);
	}
	fputs("set output\n", f);
}
