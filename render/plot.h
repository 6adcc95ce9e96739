/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_RENDER_PLOT_H
#define SWAPTRACE_RENDER_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/error.h"

/*
 * Pictures: a plot is data with titles, drawn by gnuplot from a .gp script and a .dat file that
 * are always kept, and with characters where there is no gnuplot. Scripts hold foreign text only
 * as single-quoted strings, state finite ranges for every axis and never depend on the locale or a
 * display.
 */

#define PLOT_PANELS 4
#define PLOT_SERIES 16 /* in one panel; more are not told apart by eye */

struct plot_point {
	double x, y; /* y NaN: no value there */
};

struct plot_series {
	char title[256];	   /* harmless text */
	struct plot_point *points; /* lines: ascending x; bars: one per category, x unused; owned */
	unsigned int n;
	const char *colour; /* "#rrggbb", static; NULL: by its place */
};

/* A rectangle of a map, in units of the axes. */
struct plot_cell {
	double x0, x1, y0, y1;
	double value; /* percent */
};

struct plot_panel {
	char title[160]; /* of this panel, harmless text; "" none */
	char ylabel[80]; /* with its unit */
	bool percent;	 /* y runs from 0 to 100 */
	bool steps;	 /* each value holds until the next */
	bool marks;	 /* lines: a mark at each value, for values that stand alone */
	struct plot_series series[PLOT_SERIES];
	unsigned int nseries;
	struct plot_cell *cells; /* map; owned */
	unsigned int ncells;
	char event[80]; /* lines and maps: what happened at x = event_x, with that place, harmless
			   text; "" none */
	double event_x;
};

struct plot {
	const char *name; /* of the files, letters and dashes; static */
	char title[200];  /* harmless text */
	char subtitle[200];
	char xlabel[80];
	bool bars;		/* clustered bars over categories instead of lines over x */
	bool stacked;		/* with bars: the series of a category on top of each other */
	bool map;		/* cells in shades of their value instead of lines */
	char key[80];		/* map: what the shades mean, with its unit */
	char (*categories)[32]; /* bars; owned */
	char (*tops)[32];	/* stacked: what stands above each category, or NULL; owned */
	unsigned int ncategories;
	unsigned int group; /* stacked: categories that stand close together, 0 or 1: none do */
	char (*groups)[32]; /* stacked: names of these groups; owned */
	struct plot_panel panels[PLOT_PANELS]; /* above each other, with one x axis; bars: one */
	unsigned int npanels;
};

/** plot_add_series - another line or set of bars with room for @n points; NULL: no memory or too
 * many */
struct plot_series *plot_add_series(struct plot_panel *p, const char *title, unsigned int n);

/** plot_is_empty, plot_panel_is_empty - whether there is no value to draw at all */
bool plot_is_empty(const struct plot *p);
bool plot_panel_is_empty(const struct plot_panel *p);

/** plot_free - free what the plot owns and zero it */
void plot_free(struct plot *p);

struct plot_range {
	double low, high;
};

/** plot_x_range, plot_y_range - finite and not empty, whatever the data; bars: x counts categories
 */
struct plot_range plot_x_range(const struct plot *p);
struct plot_range plot_y_range(const struct plot_panel *p);

/** plot_height - pixels of the picture; it is 900 wide */
unsigned int plot_height(const struct plot *p);

/** plot_write_data - NAME.dat */
void plot_write_data(const struct plot *p, FILE *f);

/**
 * plot_write_script - NAME.gp, which draws NAME.dat
 * Run by hand as "gnuplot NAME.gp" it makes NAME.svg; a caller who sets the gnuplot variable
 * output_file and a terminal before chooses another picture.
 */
void plot_write_script(const struct plot *p, FILE *f);

/** plot_text - the plot drawn with characters, free() it; NULL when memory is out */
char *plot_text(const struct plot *p);

/* Which pictures the installed gnuplot can draw. */
struct gnuplot {
	unsigned int patience_s; /* in: seconds that a call may take */
	bool silent;		 /* a call took longer and was ended */
	bool found;		 /* there is a program of that name in PATH */
	bool svg;
	char bitmap[16]; /* "pngcairo" or "png", "" for none */
	bool dumb;	 /* draws with characters */
};

/**
 * gnuplot_probe - ask gnuplot for its terminals
 * @g: all zero but for patience_s
 * Returns 0, also when there is no gnuplot; -errno with a sentence when it could not be run.
 */
int gnuplot_probe(struct gnuplot *g, struct error *e);

enum picture { PICTURE_SVG, PICTURE_BITMAP, PICTURE_DUMB };

/**
 * gnuplot_draw - draw a plot whose files are in a directory
 * @dirfd: that directory, which may have any name: gnuplot runs in it and sees plain file names
 * Makes NAME.svg, NAME.png or NAME.txt. Returns 0; -ENODATA when gnuplot wrote no file or an empty
 * one; -EIO when it failed, with the last line it said; -ETIMEDOUT
 * when it took too long, and @g->silent is set.
 */
int gnuplot_draw(struct gnuplot *g, const struct plot *p, int dirfd, enum picture picture,
		 struct error *e);

#endif
