/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_SUMMARY_SWAPOUT_H
#define SWAPTRACE_ANALYZE_SUMMARY_SWAPOUT_H

#include "analyze/summary.h"

/*
 * Requests for swap slots and drains of the per-CPU batches as they were recorded; used by
 * summary.c only.
 *
 * A request is a SWAPOUT, and it got slots unless an ALLOCFAIL says otherwise. In a trace without
 * SWAPOUT each ALLOC and ALLOCFAIL is one, except that an ALLOC of order 0 is as many as it has
 * slots, and those that fill a slots cache are none.
 */

struct swapout_gathering;

/** swapout_new - NULL when memory is out; swapout_free() takes NULL, too */
struct swapout_gathering *swapout_new(void);
void swapout_free(struct swapout_gathering *g);

/** swapout_event - SWAPOUT, ALLOC, ALLOCFAIL, DRAIN, RELEASE, FLUSH; other events are ignored */
void swapout_event(struct swapout_gathering *g, const struct event *ev);

/**
 * swapout_finish - fill @alloc and @lru (analyze/summary.h), known where there was an event
 * @r: for the names of call sites
 * Returns 0 or -ENOMEM.
 */
int swapout_finish(struct swapout_gathering *g, const struct trace_reader *r,
		   struct alloc_result *alloc, struct lru_result *lru);

#endif
