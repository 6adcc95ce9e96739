/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_FAMILY_H
#define SWAPTRACE_REPLAY_ALLOC_FAMILY_H

#include "replay/alloc/verify.h"
#include "replay/family.h"

/*
 * The family of the slot allocators: one run for each allocator that a policy asks for, and one
 * that is compared with the recorded slots. It listens to the world for requests, answers and
 * data that is gone, and keeps the places of data for the other families.
 */

extern const struct replay_family alloc_family;

/*
 * Recorded slots whose data went, but the models have not heard of it. On several CPUs the kernel
 * announces a drop (UNREF, UNCACHE) some time before it has the lock that makes slots free (FREE),
 * and another CPU may be served in between.
 */
struct late_drop {
	enum swap_free_how how;
	uint32_t r, n;
};

struct late_drops { /* of one CPU, oldest first */
	struct late_drop *v;
	unsigned int n, room;
};

struct alloc_state {
	struct replay_context *x;
	struct alloc_recorded world; /* what the runs read of the recorded allocator */
	struct alloc_run runs[REPLAY_POLICIES];
	unsigned int nruns;
	unsigned int run_of[REPLAY_POLICIES]; /* [policy]: those that ask for the same share one */
	struct alloc_verify verify;
	bool verifying;
	/* The trace told of the start: lists of clusters, places of the CPUs, slots caches. */
	bool told_lists, told_places, told_caches;
	bool generated; /* its answers are names of data, not a kernel's */
	unsigned int cpus;
	struct late_drops *late; /* [CPU] */
	uint64_t nlate;		 /* of all of them */
	struct alloc_order recorded[ALLOC_ORDERS];
	uint64_t whole;	 /* large folios that were swapped in in one piece */
	uint64_t untold; /* requests whose slots the trace does not tell */
	uint64_t next_slice_ns;
	unsigned int slice;
	char release[64]; /* of the trace, "": unknown */
};

/* Parts of the allocator's state at the start. */
enum { START_LISTS = 1 << 0, START_PLACES = 1 << 1, START_CACHES = 1 << 2 };

/* setup.c: members of struct replay_family */
int alloc_prepare(struct replay_context *x, void **family);
bool alloc_told(const struct replay_context *x);
int alloc_finish(void *family);
void alloc_free(void *family);
/** alloc_start_unknown - parts of the start that the trace has not told of, as bits, where the
 * recorded allocator has them */
unsigned int alloc_start_unknown(const struct alloc_state *a);

/* family.c */

/** alloc_all_runs - runs of policies, and that of verify behind them */
unsigned int alloc_all_runs(const struct alloc_state *a);
/** alloc_run_at - run number @i of them */
struct alloc_run *alloc_run_at(struct alloc_state *a, unsigned int i);
/** alloc_swapon_all - a device comes, for all runs that do not bring their own; 0 or -ENOMEM */
int alloc_swapon_all(struct alloc_state *a, const struct alloc_swapon *on);
/** alloc_listen - the world tells this family from now on */
void alloc_listen(struct alloc_state *a);
/** alloc_settle_late_all - the models hear of all drops that wait */
void alloc_settle_late_all(struct alloc_state *a);
/** alloc_run_all_workers - reclaim workers that were woken run now */
void alloc_run_all_workers(struct alloc_state *a, unsigned int cpu);

#endif
