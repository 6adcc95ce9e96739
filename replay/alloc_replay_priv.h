/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the allocator's side of a replay share; its users include alloc_replay.h. */
#ifndef SWAPTRACE_REPLAY_ALLOC_REPLAY_PRIV_H
#define SWAPTRACE_REPLAY_ALLOC_REPLAY_PRIV_H

#include "replay/alloc_replay.h"
#include "replay/alloc_verify.h"

/* What one task is in the middle of. */
struct alloc_task {
	bool pending; /* it asked for slots, the answer is to follow */
	struct alloc_request req;
	bool answered;	 /* its last request was, with last_r: nothing came since */
	bool last_known; /* that answer can still be taken back: not in the swap cache yet */
	uint32_t last_r, last_n;
	struct alloc_request last;
	unsigned int cpu; /* of its last event */
	/* It fills a slots cache, but let another CPU in: what it draws next belongs to that. */
	bool cut;
	uint64_t inside_at,
		own; /* the replay's inside when it asked, and events of its own since */
};

/* Slots that a recorded slots cache holds; used where no CACHE event tells which one was given. */
struct recorded_cache {
	uint32_t r[SWAP_BATCH];
	unsigned int head, n;
};

/*
 * An answer whose request has not been put to the models yet: a slots cache is being filled (its
 * slots come as one event each), or random draws may follow that belong to it.
 */
struct held_answer {
	bool valid, refill, refused, limited;
	bool more;	  /* refill: the rest of one that was cut; answers nothing */
	bool cut;	  /* refill: another CPU came in between, there may be a rest */
	uint32_t task;	  /* index */
	unsigned int cpu; /* where it runs, which may not be that of the slots cache */
	struct alloc_request req;
	uint32_t r, n;
	uint32_t slots[SWAP_BATCH]; /* of a refill */
	unsigned int nslots;
};

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

struct alloc_replay {
	const struct replay_options *o;
	const struct survey *survey;
	struct replay_result *results;
	struct alloc_world world;
	struct alloc_run runs[REPLAY_POLICIES];
	unsigned int nruns;
	unsigned int
		run_of[REPLAY_POLICIES]; /* [policy]: policies that ask for the same share one */
	struct alloc_verify verify;
	bool verifying;
	bool from_above; /* SWAPOUT events are the requests */
	bool drops;	 /* UNREF or UNCACHE events are the drops */
	bool hold_draws; /* the trace has RNG events */
	/* The trace told of the start: lists of clusters, places of the CPUs, slots caches. */
	bool told_lists, told_places, told_caches;
	bool ordered;	/* events carry seq: they come in the order that the kernel's lock made */
	bool generated; /* its answers are names of data, not a kernel's */
	unsigned int cpus;
	struct map tasks;
	struct alloc_task *task;
	uint32_t ntasks, task_room;
	struct recorded_cache *caches; /* [CPU] */
	struct late_drops *late;       /* [CPU] */
	uint64_t nlate;		       /* of all of them */
	bool deferring;		       /* what alloc_change_slots() finds gone waits there */
	struct held_answer held;
	struct alloc_order recorded[ALLOC_ORDERS];
	int swapoff_type; /* of the swapoff under way, -1: none or not known yet */
	bool swapoff_open;
	uint64_t waiting[2]; /* slots that requests not yet answered want: order 0, above */
	uint64_t inside;     /* events from inside the allocator's lock: slots given or freed */
	uint64_t whole;	     /* large folios that were swapped in in one piece */
	uint64_t untold;     /* requests whose slots the trace does not tell */
	uint64_t slice_ns, next_slice_ns;
	unsigned int slice;
	char release[64]; /* of the trace, "": unknown */
	char why[256];
};

/* alloc_world.c: what is the same under every policy. */

/* What a change of a recorded slot's state means for its data. */
enum slot_change { CHANGE_NONE, CHANGE_CACHE_ONLY, CHANGE_GONE };

/** alloc_all_runs - runs of policies, and that of verify behind them */
unsigned int alloc_all_runs(const struct alloc_replay *a);
/** alloc_run_at - run number @i of them */
struct alloc_run *alloc_run_at(struct alloc_replay *a, unsigned int i);
/** alloc_own_worker_due - does a reclaim worker of the recorded allocator wait for its turn? */
bool alloc_own_worker_due(const struct alloc_replay *a);
/** alloc_any_worker_due - does any? */
bool alloc_any_worker_due(struct alloc_replay *a);

/** alloc_apply_change - all runs follow what happened to the data of @n recorded slots */
void alloc_apply_change(struct alloc_replay *a, unsigned int cpu, enum slot_change change,
			enum swap_free_how how, uint32_t r, uint32_t n);
/**
 * alloc_change_slots - a new state for each of @n recorded slots that are live: next(state, arg)
 * Runs of slots that change alike are dropped in one go, as they were recorded.
 */
void alloc_change_slots(struct alloc_replay *a, unsigned int cpu, enum swap_free_how how,
			uint32_t r, uint32_t n, uint8_t (*next)(uint8_t state, uint64_t arg),
			uint64_t arg);
/* Such states: a reference less, @refs references, out of the swap cache, nothing at all. */
uint8_t alloc_one_less(uint8_t state, uint64_t arg);
uint8_t alloc_set_refs(uint8_t state, uint64_t refs);
uint8_t alloc_uncached(uint8_t state, uint64_t arg);
uint8_t alloc_nothing_left(uint8_t state, uint64_t arg);

/** alloc_settle_late - the models hear of all that waits on @cpu, if anything does */
void alloc_settle_late(struct alloc_replay *a, unsigned int cpu);
/** alloc_settle_late_all - the same for all CPUs */
void alloc_settle_late_all(struct alloc_replay *a);
/** alloc_settle_late_slot - the same for the CPU where recorded slot @r waits */
void alloc_settle_late_slot(struct alloc_replay *a, uint32_t r);

/** alloc_take_folio - the recorded allocator takes back a folio during what @task is doing */
int alloc_take_folio(struct alloc_replay *a, uint32_t task, uint32_t r, uint32_t n);
/** alloc_was_taken - is the recorded slot in such a folio? */
bool alloc_was_taken(const struct alloc_world *w, uint32_t r);
/**
 * alloc_settle_taken - that is over: what a model left of the folios goes now
 * @task: that took them; @except, @n: recorded slots that were given out again meanwhile
 */
void alloc_settle_taken(struct alloc_replay *a, unsigned int cpu, uint32_t task, uint32_t except,
			uint32_t n);

/* alloc_replay.c */

/** alloc_swapon_all - a device comes, for all runs that do not bring their own; 0 or -ENOMEM */
int alloc_swapon_all(struct alloc_replay *a, const struct alloc_swapon *on);
/** alloc_answer_held - the answer that is held goes to the models; 0 or -ENOMEM */
int alloc_answer_held(struct alloc_replay *a);
/* Parts of the allocator's state at the start. */
enum { START_LISTS = 1 << 0, START_PLACES = 1 << 1, START_CACHES = 1 << 2 };
/** alloc_start_unknown - those that the trace has not told of, where the recorded allocator has
 * them
 */
unsigned int alloc_start_unknown(const struct alloc_replay *a);
/** alloc_answer_untold - the pending request of a task is answered, though nothing tells how */
int alloc_answer_untold(struct alloc_replay *a, uint32_t task);
/** alloc_run_all_workers - reclaim workers that were woken run now */
void alloc_run_all_workers(struct alloc_replay *a, unsigned int cpu);

#endif
