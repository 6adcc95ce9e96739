// SPDX-License-Identifier: GPL-2.0
#include "render/plot_parts.h"

#include <math.h>
#include <string.h>

#include "render/format.h"

/*
 * Maps: rectangles in shades of one colour. They are drawn as boxes and not as an image, which an
 * SVG could only hold as an embedded bitmap.
 */

#define COLUMNS 60
#define ROWS 16

void plot_map_data(const struct plot *p, FILE *f)
{
	for (unsigned int i = 0; i < p->npanels; i++) {
		const struct plot_panel *d = &p->panels[i];

		fprintf(f, "# panel %u: %s: from x, to x, from y, to y, value\n", i + 1, d->title);
		for (unsigned int n = 0; n < d->ncells; n++)
			fprintf(f, "%.10g %.10g %.10g %.10g %.4g\n", d->cells[n].x0, d->cells[n].x1,
				d->cells[n].y0, d->cells[n].y1, d->cells[n].value);
		/* gnuplot does not number a block without data. */
		if (d->ncells)
			fputs("\n\n", f);
	}
}

void plot_map_key(const struct plot *p, FILE *f)
{
	char place[96];

	/* What is empty must look different from what is hardly used. */
	fputs("set palette defined (0 '#f4f4f0', 0.9 '#f4f4f0', 1 '#d6e6f4', 50 '#4a93c8', "
	      "100 '#08306b')\nset cbrange [0:100]\n",
	      f);
	fprintf(f,
		"set colorbox horizontal user origin screen 0.72,%.4f size screen 0.22,%.4f\n"
		"set cbtics 0,50,100 offset 0,0.6 font ',10'\n",
		plot_from_top(p, 52), 10.0 / plot_height(p));
	snprintf(place, sizeof(place), "label 5 at screen 0.705,%.4f right front font ',11'",
		 plot_from_top(p, 46));
	plot_write_label(f, place, p->key);
}

static unsigned int data_index(const struct plot *p, unsigned int panel)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < panel; i++)
		n += p->panels[i].ncells > 0;
	return n;
}

void plot_map_panel(const struct plot *p, unsigned int panel, FILE *f)
{
	if (!p->panels[panel].ncells) {
		fputs("plot NaN notitle\n", f);
		return;
	}
	fprintf(f,
		"plot '%s.dat' index %u using (($1+$2)/2):(($3+$4)/2):1:2:3:4:5 with boxxyerror "
		"fillstyle solid 1 border linewidth 0.4 linecolor palette notitle\n",
		p->name, data_index(p, panel));
}

void plot_map_text(const struct plot *p, unsigned int panel, FILE *f)
{
	static const char shades[] = ".:-=+*#%@";
	const struct plot_panel *d = &p->panels[panel];
	struct plot_range x = plot_x_range(p), y = plot_y_range(d);
	char grid[ROWS][COLUMNS + 1];

	memset(grid, ' ', sizeof(grid));
	for (unsigned int n = 0; n < d->ncells; n++) {
		const struct plot_cell *c = &d->cells[n];
		int shade = (int)ceil(c->value / 100 * 8);

		for (int row = 0; row < ROWS; row++) {
			double at = y.high - (row + 0.5) * (y.high - y.low) / ROWS;

			for (int k = 0; at >= c->y0 && at < c->y1 && k < COLUMNS; k++) {
				double when = x.low + (k + 0.5) * (x.high - x.low) / COLUMNS;

				if (when >= c->x0 && when < c->x1)
					grid[row][k] = shades[shade < 0	  ? 0
							      : shade > 8 ? 8
									  : shade];
			}
		}
	}
	fprintf(f, "%s%s%s\n", d->title, d->title[0] ? "; " : "", d->ylabel);
	for (int row = 0; row < ROWS; row++)
		fprintf(f, "%12s |%.*s\n",
			row == 0	  ? format_number(y.high, 0).s
			: row == ROWS - 1 ? format_number(y.low, 0).s
					  : "",
			COLUMNS, grid[row]);
	fprintf(f, "%12s +%.*s\n%14s%-*s%s\n", "", COLUMNS,
		"------------------------------------------------------------", "", COLUMNS - 12,
		format_number(x.low, 1).s, format_number(x.high, 1).s);
	if (panel + 1 == p->npanels)
		fprintf(f, "%14s%s: '.' none, then in eighths ':-=+*#%%@'\n", "", p->key);
}
