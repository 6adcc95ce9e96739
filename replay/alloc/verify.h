/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_VERIFY_H
#define SWAPTRACE_REPLAY_ALLOC_VERIFY_H

#include "replay/alloc/run.h"
#include "replay/result.h"

/*
 * Does the model of the recorded allocator arrive at the recorded slots and failures? Its slots are
 * the recorded ones: where an answer differs, the recorded slots are taken over, so that one
 * difference is counted once as far as the state allows.
 *
 * A trace that began with slots in use may not tell the lists and places of that moment. Answers
 * are then counted only from the moment on at which ALLOC_IN_STEP of them in a row agreed; and
 * where a part of that state is not told, a difference later on means that they were not in step
 * yet.
 */

#define ALLOC_IN_STEP 64

struct alloc_verify {
	struct alloc_run run;
	struct alloc_result scratch;
	struct verify_result *out;
	bool in_step;
	bool start_unknown; /* the trace does not tell all of the state at its start */
	bool draws_known;   /* the trace has the random draws, or the model makes none */
	uint64_t decisions; /* compared so far */
	uint64_t checked, agreed, row, row_from, row_from_ns; /* before it is in step */
	struct {
		uint64_t checked, agreed, explained;
	} since;				   /* it is in step */
	struct divergence first[DIVERGENCES_KEPT]; /* likewise, of before */
	unsigned int nfirst;
	uint64_t lost;	 /* lost events so far */
	uint64_t beside; /* slots were given or freed so often while the request was under way */
	/*
	 * Slots that other requests want which are under way, of order 0 and above; NULL: the trace
	 * does not tell. They are taken off the free ones before the kernel looks for them.
	 */
	const uint64_t *waiting;
	uint64_t beside_ns; /* when it last was: from then on the kernel's lists may differ */
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
int alloc_verify_granted(struct alloc_verify *v, const struct slot_request *req, uint32_t r,
			 uint32_t n);

/** alloc_verify_refused - recorded: nothing; @limited by a memory cgroup, which is no decision */
int alloc_verify_refused(struct alloc_verify *v, const struct slot_request *req, bool limited);

/**
 * alloc_verify_refill - recorded: the request filled the CPU's slots cache with @slots[0 .. n-1]
 * It got the first of them. @cut: another CPU was served before it may have been complete, so the
 * model is asked for as many and no more. 0 or -ENOMEM.
 */
int alloc_verify_refill(struct alloc_verify *v, const struct slot_request *req,
			const uint32_t *slots, unsigned int n, bool cut);

/** alloc_verify_refill_rest - what came of it later; @cut: again */
void alloc_verify_refill_rest(struct alloc_verify *v, const struct slot_request *req,
			      const uint32_t *slots, unsigned int n, bool cut);

/** alloc_verify_finish - settle what was compared before it was in step */
void alloc_verify_finish(struct alloc_verify *v);

#endif
