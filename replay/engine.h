/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ENGINE_H
#define SWAPTRACE_REPLAY_ENGINE_H

#include "replay/cost.h"
#include "replay/policy.h"
#include "replay/result.h"
#include "traces/trace.h"

/* The engine: feeds a trace's stimuli to any number of policies in one pass. */

#define REPLAY_POLICIES 64

struct replay_options {
	const struct policy *policies; /* npolicies of them; each gives one result */
	unsigned int npolicies;	       /* 1 .. REPLAY_POLICIES */
	const struct kernel *recorded; /* the recorded kernel; NULL: that of policies[0] */
	bool verify;	     /* compare with the recorded decisions; goes into results[0] */
	bool have_init_hits; /* --init-hits: the global hit counter at the start */
	uint32_t init_hits;
	const struct cost_model *cost; /* NULL: no estimate */
	/*
	 * The policies of readahead act, and their counts begin, with the first event at or after
	 * this time, with the state that the recorded kernel had come to. 0: from the first event.
	 */
	uint64_t from_ns;
	bool check;	     /* check the allocators' invariants after every event; slow */
	unsigned int slices; /* points of the time line, 0: none */
};

/**
 * replay_trace - replay a whole trace
 * Allocators and per-CPU batches know no @o->from_ns: their counts are of the whole trace, which
 * a note in the results says.
 * @r: at its first event; it is read twice and left at its end
 * @results: array of @o->npolicies, filled; free each with replay_result_free(), also after an
 * error Returns 0; -EINVAL when --verify cannot be done because the trace is filtered,
 * -ERANGE when @o->from_ns lies behind the last event,
 * -EPROTONOSUPPORT when no part of the kernel that the trace tells of has an exact model for the
 * recorded release, with the reason in @e; other negative errno.
 */
int replay_trace(struct trace_reader *r, const struct replay_options *o,
		 struct replay_result *results, struct error *e);

/** replay_recorded - the recorded kernel that @o is about */
const struct kernel *replay_recorded(const struct replay_options *o);

/**
 * replay_can_verify - whether the trace allows --verify
 * Returns 0, or -EINVAL and why not: the trace is filtered. Whether the release has a model for
 * what the trace holds, only its events tell: see replay_trace().
 */
int replay_can_verify(const struct trace_header *h, struct error *e);

/** start_state_name - "unknown", "boot", "given", "snapshot" */
const char *start_state_name(enum start_state s);

#endif
