/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_REPLAY_H
#define SWAPTRACE_REPLAY_ALLOC_REPLAY_H

#include "replay/columns.h"
#include "replay/engine.h"
#include "replay/survey.h"

/*
 * The slot allocator's side of a replay: reads its events, keeps what is the same under every
 * policy (references, swap cache, requests under way), and feeds the policies' runs.
 *
 * Where the trace has SWAPOUT events they are the requests, which come from above the slots cache;
 * ALLOC, ALLOCFAIL or the insertion into the swap cache tell how each was answered, and are the
 * moment at which the models answer, too. Otherwise ALLOC and ALLOCFAIL stand for requests at the
 * allocator itself. UNREF and UNCACHE are the drops; in a trace without them FREE is.
 */

struct alloc_replay;

/** alloc_replay_wanted - whether a policy or the events of the trace call for allocators */
bool alloc_replay_wanted(const struct replay_options *o, const struct survey *s);

/**
 * alloc_replay_new - set up the runs with the devices and slots of the start
 * @survey: must outlive it; @results: of @o's policies, for which alloc is filled
 * @slice_ns: length of a time slice, 0: no time line
 * Returns 0 with *@a set; -EINVAL, -E2BIG, -ENOMEM with the reason in @err. Free with
 * alloc_replay_free() in any case.
 */
int alloc_replay_new(struct alloc_replay **a, const struct trace_header *h,
		     const struct replay_options *o, const struct survey *survey, uint64_t slice_ns,
		     struct replay_result *results, struct error *err);
void alloc_replay_free(struct alloc_replay *a);

/** alloc_replay_keys - add the keys that the allocators need to those wanted of a block */
void alloc_replay_keys(struct view_wanted *w);

/**
 * alloc_replay_event - take one event of a type that concerns allocators; others are ignored
 * Returns 0, -ENOMEM, or -EUCLEAN (SWAPTRACE_CHECK: an invariant is broken, alloc_replay_why()).
 */
int alloc_replay_event(struct alloc_replay *a, const struct block_view *v, uint32_t k,
		       enum event_type type, const struct columns *c, uint32_t i);

/** alloc_replay_why - which invariant is broken, "" when none is */
const char *alloc_replay_why(const struct alloc_replay *a);

/** alloc_replay_finish - the end of the trace: what is open is closed, the results are complete */
int alloc_replay_finish(struct alloc_replay *a);

#endif
