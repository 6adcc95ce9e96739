// SPDX-License-Identifier: GPL-2.0
#include "render/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "render/plot_parts.h"

/* Plots drawn with characters, for terminals and machines without gnuplot. */

#define WIDTH 60
#define HEIGHT 10

static void text_bars(const struct plot *p, FILE *f)
{
	const struct plot_panel *panel = &p->panels[0];
	struct plot_range y = plot_y_range(panel);

	for (unsigned int k = 0; k < panel->nseries; k++) {
		fprintf(f, "%s\n", panel->series[k].title);
		for (unsigned int c = 0; c < p->ncategories && c < panel->series[k].n; c++) {
			double v = panel->series[k].points[c].y;
			int n = isfinite(v) ? (int)lround(v / y.high * WIDTH) : 0;

			/* What is there but small must not look like nothing. */
			if (!n && v > 0)
				n = 1;
			fprintf(f, "  %8s |", p->categories[c]);
			for (int i = 0; i < n; i++)
				fputc('#', f);
			fprintf(f, " %s\n",
				panel->percent ? format_percent(v).s
					       : format_number(v, v == floor(v) ? 0 : 2).s);
		}
	}
}

static void draw_series(const struct plot_series *s, struct plot_range x, struct plot_range y,
			char mark, char grid[HEIGHT][WIDTH + 1])
{
	for (unsigned int n = 0; n < s->n; n++) {
		const struct plot_point *q = &s->points[n];
		int column, row;

		if (!isfinite(q->y))
			continue;
		column = (int)((q->x - x.low) / (x.high - x.low) * (WIDTH - 1) + 0.5);
		row = HEIGHT - 1 - (int)((q->y - y.low) / (y.high - y.low) * (HEIGHT - 1) + 0.5);
		if (column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT)
			grid[row][column] = mark;
	}
}

static void text_lines(const struct plot *p, unsigned int panel, FILE *f)
{
	static const char marks[] = "*+ox#@%&=~^vsdwz";
	const struct plot_panel *d = &p->panels[panel];
	struct plot_range x = plot_x_range(p), y = plot_y_range(d);
	char grid[HEIGHT][WIDTH + 1];

	memset(grid, ' ', sizeof(grid));
	for (unsigned int k = 0; k < d->nseries; k++)
		draw_series(&d->series[k], x, y, marks[k], grid);
	fprintf(f, "%s%s%s\n", d->title, d->title[0] ? "; " : "", d->ylabel);
	for (int row = 0; row < HEIGHT; row++) {
		int end = WIDTH;

		while (end && grid[row][end - 1] == ' ')
			end--;
		if (row == 0 || row == HEIGHT - 1)
			fprintf(f, "%12s |", format_number(row ? y.low : y.high, 1).s);
		else
			fprintf(f, "%12s |", "");
		fprintf(f, "%.*s\n", end, grid[row]);
	}
	fprintf(f, "%12s +%.*s\n%14s%-*s%s\n", "", WIDTH,
		"------------------------------------------------------------", "", WIDTH - 12,
		format_number(x.low, 1).s, format_number(x.high, 1).s);
	for (unsigned int k = 0; k < d->nseries; k++)
		fprintf(f, "%14s%c %s\n", "", marks[k], d->series[k].title);
}

char *plot_text(const struct plot *p)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (p->stacked)
		plot_stacked_text(p, f);
	else if (p->bars)
		text_bars(p, f);
	for (unsigned int i = 0; i < p->npanels && !p->bars; i++) {
		if (p->map)
			plot_map_text(p, i, f);
		else
			text_lines(p, i, f);
	}
	if (!p->bars && p->xlabel[0])
		fprintf(f, "%14s(%s)\n", "", p->xlabel);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
