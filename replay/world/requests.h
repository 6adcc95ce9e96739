/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_REQUESTS_H
#define SWAPTRACE_REPLAY_WORLD_REQUESTS_H

#include "common/map.h"
#include "replay/columns.h"
#include "replay/model/alloc.h"

/*
 * Which data is in which recorded slot: requests for slots and their answers, put together from
 * the events that tell of them.
 *
 * Where the trace has SWAPOUT events they are the requests, which come from above the slots cache;
 * ALLOC, ALLOCFAIL or the insertion into the swap cache tell how each was answered. Otherwise ALLOC
 * and ALLOCFAIL stand for requests at the allocator itself.
 */

struct world;

/* A request for slots as the trace tells it. */
struct slot_request {
	uint64_t t_ns;
	unsigned int cpu; /* recorded */
	unsigned int order;
	bool have_memcg;
	uint64_t memcg;
	bool have_folio;
	uint64_t folio;
	bool have_split;
	uint64_t split_of;
};

/* What the recorded kernel answered. */
struct slot_answer {
	bool refused;
	enum alloc_reason reason; /* where it was */
	bool refill;   /* the request filled its CPU's slots cache and got the first slot */
	bool more;     /* refill: the rest of one that was cut; answers nothing */
	bool cut;      /* refill: another CPU came in between, there may be a rest */
	uint32_t task; /* index of who asked */
	struct slot_request req;
	/* Slots given, by number; SLOT_NOWHERE: the trace does not tell. Of order 0 it may be a
	 * batch of @n. */
	uint32_t r, n;
	uint32_t slots[SWAP_BATCH]; /* of a refill */
	unsigned int nslots;
	/* Slots were given or freed so often by others while the request was under way. */
	uint64_t beside;
};

/* Where and when an event of the allocator was. */
struct slot_place {
	uint64_t t_ns;
	unsigned int cpu;
	unsigned int cpu_before; /* of the task's event before */
	uint32_t task;		 /* index */
};

/* What one task is in the middle of. */
struct slot_task {
	bool pending; /* it asked for slots, the answer is to follow */
	struct slot_request req;
	bool answered;	 /* its last request was, with last_r: nothing came since */
	bool last_known; /* that answer can still be taken back: not in the swap cache yet */
	uint32_t last_r, last_n;
	struct slot_request last;
	unsigned int cpu; /* of its last event */
	/* It fills a slots cache, but let another CPU in: what it draws next belongs to that. */
	bool cut;
	uint64_t inside_at, own; /* events from inside the lock: when it asked, and its own since */
};

/* Slots that a recorded slots cache holds; used where no CACHE event tells which one was given. */
struct recorded_cache {
	uint32_t r[SWAP_BATCH];
	unsigned int head, n;
};

struct requests {
	bool wanted;	 /* somebody listens */
	bool from_above; /* SWAPOUT events are the requests */
	bool drops; /* UNREF or UNCACHE events are the drops; in a trace without them FREE is */
	bool hold_draws; /* the trace has RNG events */
	bool ordered;	 /* events carry seq: they come in the order that the kernel's lock made */
	unsigned int cpus;
	struct map tasks;
	struct slot_task *task;
	uint32_t ntasks, task_room;
	struct recorded_cache *caches; /* [CPU] */
	/*
	 * An answer that nobody has been told of yet: a slots cache is being filled (its slots come
	 * as one event each), or random draws may follow that belong to it.
	 */
	bool holds;
	unsigned int held_cpu; /* where it runs, which may not be that of the slots cache */
	struct slot_answer held;
	uint64_t waiting[2]; /* slots that requests not yet answered want: order 0, above */
	uint64_t inside;     /* events from inside the allocator's lock: slots given or freed */
};

/** requests_init - @cpus: of the recorded machine; 0 or -ENOMEM */
int requests_init(struct world *w, unsigned int cpus);
void requests_free(struct requests *q);

/**
 * requests_before - what must be done before an event: answers that are complete
 * Tells the listener, and fills @at. 0 or -ENOMEM.
 */
int requests_before(struct world *w, const struct replay_event *ev, struct slot_place *at);

/* One event each; 0 or -ENOMEM. */
int requests_swapout(struct world *w, const struct slot_place *at, const struct replay_event *ev);
int requests_alloc(struct world *w, const struct slot_place *at, const struct replay_event *ev);
int requests_allocfail(struct world *w, const struct slot_place *at, const struct replay_event *ev);
/** requests_cached - a folio's @n slots from number @r on joined the swap cache as it goes out */
int requests_cached(struct world *w, const struct slot_place *at, uint32_t r, uint32_t n);
/** requests_parked - slot number @r waits in the slots cache of a CPU, to be given */
void requests_parked(struct world *w, unsigned int cpu, uint32_t r);

/** requests_inside - does the task ask for slots, so that it may take folios back? */
bool requests_inside(const struct requests *q, uint32_t task);

/** requests_close - the end of the trace: what is open is answered; 0 or -ENOMEM */
int requests_close(struct world *w);

#endif
