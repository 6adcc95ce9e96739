/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_VERIFY_H
#define SWAPTRACE_REPLAY_ALLOC_VERIFY_H

#include "replay/alloc_run.h"
#include "replay/result.h"

/*
 * Does the model of the recorded allocator arrive at the recorded slots and failures? Its slots are
 * the recorded ones: where an answer differs, the recorded slots are taken over, so that one
 * difference is counted once as far as the state allows.
 *
 * Of a trace that began with slots in use, lists and places are not known. Answers are then counted
 * only from the moment on at which ALLOC_IN_STEP of them in a row agreed.
 */

#define ALLOC_IN_STEP 64

struct alloc_verify {
	struct alloc_run run;
	struct alloc_result scratch;
	struct verify_result *out;
	bool in_step;
	bool draws_known;   /* the trace has the random draws, or the model makes none */
	uint64_t decisions; /* compared so far */
	uint64_t checked, agreed, row, row_from, row_from_ns; /* before it is in step */
	struct divergence first[DIVERGENCES_KEPT];	      /* likewise */
	unsigned int nfirst;
	uint64_t lost; /* lost events so far */
	struct {
		uint64_t t_ns;
		unsigned int cpu;
	} last, other; /* last event here, and last one on another CPU than that */
};

/** alloc_verify_init - as alloc_run_init(); @known: the state at the start is known in full */
int alloc_verify_init(struct alloc_verify *v, const struct alloc_run_config *cfg,
		      struct verify_result *out, bool known, struct error *e);
void alloc_verify_free(struct alloc_verify *v);

/** alloc_verify_moment - an event of the allocator on @cpu, to explain differences by order */
void alloc_verify_moment(struct alloc_verify *v, uint64_t t_ns, unsigned int cpu);

/** alloc_verify_granted - recorded: @n slots from @type:@off on, number @r among the recorded ones
 */
int alloc_verify_granted(struct alloc_verify *v, const struct alloc_request *req, uint32_t r,
			 uint32_t n);

/** alloc_verify_refused - recorded: nothing; @limited by a memory cgroup, which is no decision */
int alloc_verify_refused(struct alloc_verify *v, const struct alloc_request *req, bool limited);

/**
 * alloc_verify_refill - recorded: the CPU's slots cache was filled with @slots[0 .. n-1]
 * To be called after alloc_verify_granted() for the request that caused it, which got the first.
 */
void alloc_verify_refill(struct alloc_verify *v, const struct alloc_request *req,
			 const uint32_t *slots, unsigned int n);

/** alloc_verify_finish - settle what was compared before it was in step */
void alloc_verify_finish(struct alloc_verify *v);

#endif
