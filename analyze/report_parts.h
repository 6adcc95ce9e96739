/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_REPORT_PARTS_H
#define SWAPTRACE_ANALYZE_REPORT_PARTS_H

#include "analyze/report.h"
#include "render/format.h"

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
/** report_alloc - the slot allocator: counts per order, first fallback, devices, pictures */
void report_alloc(struct report *r, const struct sources *s);
/** report_alloc_plots - its pictures */
void report_alloc_plots(struct report *r, const struct sources *s);
/** report_devices - which swap device served what, where there are several; how full they were */
void report_devices(struct report *r, const struct sources *s);
/** report_lru - drains of the per-CPU batches by policy and call site */
void report_lru(struct report *r, const struct sources *s);

/** source_letter - "A", "B", ... as the list of sources has it; "#27" after Z */
struct label source_letter(unsigned int i);

/** source_alloc - what a source tells about the slot allocator; NULL: nothing */
const struct alloc_result *source_alloc(const struct source *v);

/** common_page_size - of all sources that tell about swap slots; COUNT_UNKNOWN where they differ */
uint64_t common_page_size(const struct sources *s);

/** order_name - "4 (64 kB)"; @page_size COUNT_UNKNOWN: "4" */
struct text order_name(unsigned int order, uint64_t page_size);

/** report_add_plot - keep @p, which then belongs to the report, and show it; an empty one is freed
 */
void report_add_plot(struct report *r, struct plot *p, const char *caption);

/** report_prefix - "NAME: " where there are several sources, "" for a single one */
const char *report_prefix(const struct sources *s, unsigned int i, char *buf, size_t size);

#endif
