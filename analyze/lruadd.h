/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_LRUADD_H
#define SWAPTRACE_ANALYZE_LRUADD_H

#include "analyze/published.h"
#include "analyze/statistics.h"
#include "replay/lru_cost.h"

/*
 * What the two patches of thread T4 would gain on a machine by its calibration, beside what was
 * published. Estimates: one CPU, and nothing changes but a call and a barrier.
 */

enum { LRUADD_MAINLINE, LRUADD_INLINE, LRUADD_BOTH, LRUADD_KERNELS }; /* of published_lruadd[] */

#define LRUADD_PATCHES 3 /* patch 1, patch 2, both */

struct lruadd_patch {
	const char *name;
	struct spread saved;	  /* ns a page */
	double published;	  /* gain in percent */
	double at_published_rate; /* estimated gain at mainline's published rate */
	double holes_read_twice;  /* at the rate at which this machine reads holes, NaN unknown */
};

/** lruadd_published_page_ns - ns a page at the published rate of @kernel, pages of 4 kB */
double lruadd_published_page_ns(int kernel);

/** lruadd_predict - fill @p[0 .. LRUADD_PATCHES-1] */
void lruadd_predict(const struct calibration *c, struct lruadd_patch p[LRUADD_PATCHES]);

/** lruadd_published_runs - the ten published run times of each kernel and their test */
void lruadd_published_runs(struct sample_summary s[2], struct welch *w);

#endif
