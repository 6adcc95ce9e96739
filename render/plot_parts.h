/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_RENDER_PLOT_PARTS_H
#define SWAPTRACE_RENDER_PLOT_PARTS_H

#include "render/plot.h"

/* What the kinds of plots have in common; used by the plot_*.c files only. */

/** plot_colour - of series @k */
const char *plot_colour(const struct plot_panel *p, unsigned int k);

/** plot_write_label - "set WHAT 'text' REST": @what is "ylabel", or "label 1 at ..." */
void plot_write_label(FILE *f, const char *what, const char *text);

/** plot_from_top - @pixels below the upper edge, in screen coordinates of gnuplot */
double plot_from_top(const struct plot *p, unsigned int pixels);

/* Stacked bars. */
double plot_bar_width(const struct plot *p);
/** plot_bar_x - middle of bar @c on the x axis */
double plot_bar_x(const struct plot *p, unsigned int c);
void plot_stacked_data(const struct plot *p, FILE *f);
void plot_stacked_script(const struct plot *p, FILE *f);
void plot_stacked_text(const struct plot *p, FILE *f);

/* Maps. */
void plot_map_data(const struct plot *p, FILE *f);
/** plot_map_key - the scale of shades below the title */
void plot_map_key(const struct plot *p, FILE *f);
/** plot_map_panel - the plot command of one panel */
void plot_map_panel(const struct plot *p, unsigned int panel, FILE *f);
void plot_map_text(const struct plot *p, unsigned int panel, FILE *f);

#endif
