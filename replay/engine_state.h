/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ENGINE_STATE_H
#define SWAPTRACE_REPLAY_ENGINE_STATE_H

#include "replay/alloc_replay.h"
#include "replay/columns.h"
#include "replay/engine.h"
#include "replay/lru_verify.h"
#include "replay/readahead_run.h"
#include "replay/survey.h"
#include "replay/verify.h"

/*
 * What the parts of the engine share: engine.c prepares, walks the trace and finishes;
 * engine_events.c takes the events of swap, engine_lru.c those of the per-CPU batches.
 */
struct engine {
	const struct replay_options *o;
	struct trace_reader *r;
	struct replay_result *results;
	struct survey survey;
	struct machine machine;
	struct cache_map cache;
	struct ra_run *runs;
	struct verify verify;
	bool lru; /* the trace has events of the per-CPU batches */
	struct lru_feed feed;
	struct lru_verify lru_verify;
	struct alloc_replay *alloc; /* NULL: nothing calls for allocators */
	bool page_cluster_known, vma_ra_known;
	bool waiting;	       /* the policies do not act yet: the time of from_ns has not come */
	unsigned int verified; /* enum kernel_part: what --verify compares */
	bool verifying; /* verify follows the trace: it was asked for, or its state is, for later */
	struct verify_result unasked;
	bool calls_seen; /* a recorded readahead call went by */
	uint32_t births;
	uint64_t next_slice_ns, slice_ns;
	unsigned int slice;
	struct swapoff_result *swapoff; /* the one that is going on, in results[0] */
};

/**
 * engine_event - one event to everything that replays it
 * @k: its index in the block; @i: its index among the events of its type, in @c
 * Returns 0 or -ENOMEM.
 */
int engine_event(struct engine *g, const struct block_view *v, uint32_t k, enum event_type type,
		 const struct columns *c, uint32_t i);

/**
 * engine_begin - the time has come from which on the policies act and are counted
 * Returns 0 or -ENOMEM.
 */
int engine_begin(struct engine *g);

/** engine_lru_event - the same for the events of the per-CPU batches */
int engine_lru_event(struct engine *g, const struct block_view *v, uint32_t k, enum event_type type,
		     const struct columns *c, uint32_t i);

/** engine_wanted - the columns that a replay of @g reads, in @w; returns @w */
const struct view_wanted *engine_wanted(const struct engine *g, struct view_wanted *w);

/** engine_moment - when and by whom event @k of the block was; @c and @i as in engine_event() */
static inline struct moment engine_moment(const struct block_view *v, uint32_t k,
					  const struct columns *c, uint32_t i)
{
	struct moment at = { .t_ns = v->times[k], .cpu = v->cpus[k] };

	if (column_has(c, i, KEY_TID))
		at.task = c->v[KEY_TID][i];
	else if (v->tgids[k] >= 0)
		at.task = (uint64_t)v->tgids[k];
	else
		at = (struct moment){ v->times[k], (uint64_t)(uint32_t)v->cpus[k], true,
				      v->cpus[k] };
	return at;
}

/** engine_add_phase - a new phase of result @res with the settings of @m; 0 or -ENOMEM */
int engine_add_phase(struct replay_result *res, const struct machine *m, uint64_t t_ns);

/** engine_end_phase - give the phase that is going on what was counted since it began; 0 or -ENOMEM
 */
int engine_end_phase(struct ra_run *run);

#endif
