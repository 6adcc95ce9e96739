/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_SUMMARY_TIME_H
#define SWAPTRACE_ANALYZE_SUMMARY_TIME_H

#include "analyze/summary.h"

/* The parts of a summary that depend on when something happened; used by summary.c only. */

/* A time line of at most SLICES_MAX slices. Slices are joined in pairs when time runs past the end.
 */
struct timeline {
	struct time_slice slices[SLICES_MAX];
	uint64_t start_ns, width_ns;
	unsigned int n;
};

/** timeline_at - the slice of @t_ns, made if needed; times before the first one go into slice 0 */
struct time_slice *timeline_at(struct timeline *t, uint64_t t_ns);

/** timeline_store - hand the slices to @r; 0 or -ENOMEM */
int timeline_store(const struct timeline *t, struct replay_result *r);

/** series_add - one page visited at @t_ns */
void series_add(struct swapoff_series *s, uint64_t t_ns);

/** phase_begin - settings from @t_ns on (-1 unknown); phases without calls are replaced. 0 or
 * -ENOMEM */
int phase_begin(struct replay_result *r, uint64_t t_ns, int page_cluster, int vma_ra);

/** phases_finish - drop a last phase in which nothing was called */
void phases_finish(struct replay_result *r);

/* SWAPOFF and the lookups it causes. Return 0 or -ENOMEM. */
int swapoff_event(struct trace_summary *s, const struct event *ev);
int swapoff_lookup(struct trace_summary *s, const struct event *ev);

/** swapoff_alloc - slots were allocated on @type: elsewhere, for a swapoff that is running */
void swapoff_alloc(struct trace_summary *s, uint64_t type, uint64_t n);

#endif
