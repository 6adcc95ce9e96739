/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_REPORT_PARTS_H
#define SWAPTRACE_ANALYZE_REPORT_PARTS_H

#include "analyze/report.h"

/* The chapters of a report; each adds what it has to say, or nothing. Used by report.c only. */

/* Name of a source where room is short: its own name, or a letter that the list of sources
 * explains. */
struct label {
	char s[24];
};
struct label source_label(const struct sources *s, unsigned int i);

/** report_windows - calls and the distribution of their windows */
void report_windows(struct report *r, const struct sources *s);
/** report_time - windows and accuracy over time */
void report_time(struct report *r, const struct sources *s);
/** report_swapoffs - progress and rate of each swapoff */
void report_swapoffs(struct report *r, const struct sources *s);

/** report_add_plot - keep @p, which then belongs to the report, and show it; an empty one is freed
 */
void report_add_plot(struct report *r, struct plot *p, const char *caption);

/** report_prefix - "NAME: " where there are several sources, "" for a single one */
const char *report_prefix(const struct sources *s, unsigned int i, char *buf, size_t size);

#endif
