// SPDX-License-Identifier: GPL-2.0
#include "render/plot_parts.h"

#include <math.h>
#include <string.h>

#include "render/format.h"

/* Bars whose series stand on top of each other, in groups: parts of a whole, before and after. */

#define PIXELS 747    /* between the margins */
#define TOP_PIXELS 58 /* that a word above a bar needs */
#define WIDTH 50      /* of a bar of characters */

static unsigned int group_of(const struct plot *p)
{
	return p->group ? p->group : 1;
}

double plot_bar_width(const struct plot *p)
{
	return 0.8 / group_of(p);
}

double plot_bar_x(const struct plot *p, unsigned int c)
{
	unsigned int n = group_of(p);

	return c / n + (c % n - (n - 1) / 2.0) * plot_bar_width(p);
}

/* Where series @k begins and ends in bar @c: they are added up from the first one. */
static void bar_part(const struct plot *p, unsigned int c, unsigned int k, double *low,
		     double *high)
{
	const struct plot_panel *panel = &p->panels[0];

	*low = 0;
	for (unsigned int i = 0; i < k; i++)
		if (c < panel->series[i].n && isfinite(panel->series[i].points[c].y))
			*low += panel->series[i].points[c].y;
	*high = c < panel->series[k].n ? *low + panel->series[k].points[c].y : NAN;
}

void plot_stacked_data(const struct plot *p, FILE *f)
{
	const struct plot_panel *panel = &p->panels[0];

	fputs("# bar, its middle, upper end of:", f);
	for (unsigned int k = 0; k < panel->nseries; k++)
		fprintf(f, "%s %s", k ? ";" : "", panel->series[k].title);
	fputc('\n', f);
	for (unsigned int c = 0; c < p->ncategories; c++) {
		unsigned int g = c / group_of(p);

		fprintf(f, "\"%s%s%s\" %.10g", p->groups ? p->groups[g] : "",
			p->groups && p->categories[c][0] ? " " : "", p->categories[c],
			plot_bar_x(p, c));
		for (unsigned int k = 0; k < panel->nseries; k++) {
			double low, high;

			bar_part(p, c, k, &low, &high);
			if (isfinite(high))
				fprintf(f, " %.10g", high);
			else
				fputs(" NaN", f);
		}
		fputc('\n', f);
	}
}

static void write_tics(const struct plot *p, FILE *f)
{
	fputs("set xtics (", f);
	for (unsigned int c = 0; c < p->ncategories; c++) {
		fputs(c ? ", " : "", f);
		print_gnuplot(f, p->categories[c]);
		fprintf(f, " %.6g", plot_bar_x(p, c));
	}
	fputs(") scale 0 font ',11'\n", f);
}

/* Above each bar, or upright in it where the bars are too narrow. */
static void write_tops(const struct plot *p, unsigned int label, FILE *f)
{
	struct plot_range x = plot_x_range(p);
	bool above = plot_bar_width(p) / (x.high - x.low) * PIXELS >= TOP_PIXELS;
	char place[128];

	for (unsigned int c = 0; p->tops && c < p->ncategories; c++) {
		double low, high;

		bar_part(p, c, p->panels[0].nseries - 1, &low, &high);
		if (!p->tops[c][0] || !isfinite(high))
			continue;
		if (above)
			snprintf(place, sizeof(place),
				 "label %u at first %.6g,%.6g center offset character 0,0.5 font "
				 "',9'",
				 label++, plot_bar_x(p, c), high);
		else
			snprintf(place, sizeof(place),
				 "label %u at first %.6g,graph 0.02 left rotate by 90 front font "
				 "',9'",
				 label++, plot_bar_x(p, c));
		plot_write_label(f, place, p->tops[c]);
	}
}

/* Names below the groups. */
static void write_names(const struct plot *p, FILE *f)
{
	unsigned int label = 10, groups = p->ncategories / group_of(p);
	char place[128];

	for (unsigned int g = 0; p->groups && g < groups; g++) {
		snprintf(place, sizeof(place),
			 "label %u at first %u,graph 0 center offset character 0,-2.2 font ',10'",
			 label++, g);
		plot_write_label(f, place, p->groups[g]);
	}
	write_tops(p, label, f);
}

void plot_stacked_script(const struct plot *p, FILE *f)
{
	const struct plot_panel *panel = &p->panels[0];

	write_tics(p, f);
	write_names(p, f);
	fprintf(f,
		"set style fill solid 1 border linecolor rgb '#ffffff'\nset boxwidth %.6g "
		"absolute\nplot \\\n",
		plot_bar_width(p) * 0.92);
	/* From the highest to the lowest, so that each covers what is not its own. */
	for (unsigned int k = panel->nseries; k-- > 0;) {
		fprintf(f, "\t'%s.dat' using 2:%u with boxes linecolor rgb '%s' title ", p->name,
			k + 3, plot_colour(panel, k));
		print_gnuplot(f, panel->series[k].title);
		fputs(k ? ", \\\n" : "\n", f);
	}
}

static void text_bar(const struct plot *p, unsigned int c, const char *marks, FILE *f)
{
	const struct plot_panel *panel = &p->panels[0];
	double whole = panel->percent ? 100 : plot_y_range(panel).high;
	int at = 0;

	fprintf(f, "  %10s |", p->categories[c]);
	for (unsigned int k = 0; k < panel->nseries; k++) {
		double low, high;

		bar_part(p, c, k, &low, &high);
		for (int end = isfinite(high) ? (int)lround(high / whole * WIDTH) : at; at < end;
		     at++)
			fputc(marks[k], f);
	}
	fprintf(f, "%*s| %s\n", WIDTH - at, "", p->tops ? p->tops[c] : "");
}

void plot_stacked_text(const struct plot *p, FILE *f)
{
	static const char marks[] = ".#ox+*%@&=~^vsdwz";
	const struct plot_panel *panel = &p->panels[0];

	for (unsigned int c = 0; c < p->ncategories; c++) {
		if (p->groups && c % group_of(p) == 0)
			fprintf(f, "%s\n", p->groups[c / group_of(p)]);
		text_bar(p, c, marks, f);
	}
	for (unsigned int k = 0; k < panel->nseries; k++)
		fprintf(f, "%14s%c %s\n", "", marks[k], panel->series[k].title);
}
