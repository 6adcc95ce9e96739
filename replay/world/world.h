/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_WORLD_H
#define SWAPTRACE_REPLAY_WORLD_WORLD_H

#include "replay/model/readahead.h"
#include "replay/result.h"
#include "replay/world/devices.h"
#include "replay/world/places.h"
#include "replay/world/requests.h"
#include "replay/world/slots.h"
#include "replay/world/survey.h"

/*
 * What is the same under every policy, at each moment of a trace: the swap devices, what their
 * slots hold and who refers to it, the settings of the machine, requests for slots and their
 * answers. Events are applied to it here and nowhere else; the families of models read it, and keep
 * only what depends on the policy.
 *
 * The engine gives each event to the world first and to the families afterwards, so a family sees
 * the state that the event left.
 */

/* The data of some recorded slots changed its state. */
struct data_change {
	bool gone;		/* the data is gone; else nothing but the swap cache holds it now */
	enum swap_free_how how; /* it went */
	uint32_t r, n;		/* slot numbers, consecutive */
	unsigned int cpu;
	uint32_t task;	/* index of who did it, see struct slot_place */
	bool inside;	/* by a task that asks for slots: it took a folio back */
	bool reclaim;	/* by reclaim */
	bool announced; /* the kernel still has to take the lock that makes the slots free */
};

/* Who is told of what the world finds out; every member may be NULL. Those that return: 0 or
 * -ENOMEM.
 */
struct world_listener {
	void *ctx;
	/* Before an event that concerns slots is applied, but behind the answers it completes. */
	void (*before)(void *ctx, const struct replay_event *ev, const struct slot_place *at);
	int (*answer)(void *ctx, const struct slot_answer *a);
	/* The charge of the memory cgroup failed after the slots were given: they went back. */
	void (*taken_back)(void *ctx, const struct slot_request *req);
	int (*data)(void *ctx, const struct data_change *change);
	/* A swapoff begins or ends (@ret: of an end). */
	void (*swapoff)(void *ctx, unsigned int type, bool end, int64_t ret);
};

/* What a swap-in under a policy brought with it. */
struct swapin {
	int cpu;	 /* -1: unknown */
	uint64_t folios; /* that join the LRU */
	bool large;	 /* they have several pages */
	bool drained;	 /* the CPU's batches were drained behind them */
	bool vma;	 /* by VMA readahead */
};

/* Who follows it; each member may be NULL. */
struct swapin_listener {
	void (*read)(void *ctx, unsigned int policy, const struct swapin *s);
	void *read_ctx;
	/* @n slots from @r on were given up at once, as a large folio came in from them */
	void (*mapped)(void *ctx, unsigned int policy, int cpu, uint32_t r, uint32_t n);
	void *mapped_ctx;
};

struct world {
	const struct survey *survey;
	struct swap_devices devices;
	struct slots slots;
	int page_cluster;		       /* as recorded at this moment */
	int vma_ra;			       /* 0 or 1 */
	bool page_cluster_known, vma_ra_known; /* from the start */
	unsigned int cpus;
	struct ra_vma_geometry geometry;
	struct requests requests;
	struct world_listener listener;
	struct swapin_listener swapins;
	struct swapoff_result *swapoffs; /* owned */
	unsigned int nswapoffs;
	bool swapoff_open;	      /* the last of them goes on */
	uint64_t named[SLOT_DEVICES]; /* see slots_name() */
	uint64_t limit[SLOT_DEVICES]; /* slots_limit() of the devices at this moment */
	uint32_t births;	      /* of data, as the survey numbers them */
	uint32_t needed;	      /* slot of the last LOOKUP; SLOT_NOWHERE: on no device */
	uint64_t lost;		      /* lost events so far */
	/* [policy]: where data lies; NULL: where it was recorded, or nobody knows. Not owned. */
	const struct places **places;
	bool *place_unknown; /* [policy] */
};

/**
 * world_init - the state before the first event
 * @h: header of the trace; @survey: of it, must outlive the world
 * @policies: of the replay
 * @folios: which large folios the data were part of is to be followed
 * Returns 0 or -ENOMEM; free with world_free() in any case.
 */
int world_init(struct world *w, const struct trace_header *h, const struct survey *survey,
	       unsigned int policies, bool folios);
void world_free(struct world *w);

/** world_wanted - add what the world reads of @b to what is wanted of it */
void world_wanted(const struct world *w, const struct trace_block *b, struct view_wanted *wanted);

/** world_event - apply one event; 0 or -ENOMEM */
int world_event(struct world *w, const struct replay_event *ev);

/** world_finish - the end of the trace: requests under way are answered; 0 or -ENOMEM */
int world_finish(struct world *w);

/**
 * world_runs_begin - the slots of an event that are on a known device
 * @n: cut at the end of the device; what is not to be believed is 0. To be walked by
 * slot_runs_next().
 */
static inline void world_runs_begin(const struct world *w, uint64_t type, uint64_t off, uint64_t *n)
{
	uint64_t limit = type < SLOT_DEVICES ? w->limit[type] : 0;

	if (!off || off >= limit || *n > SLOT_RUN_LIMIT)
		*n = 0;
	else if (*n > limit - off)
		*n = limit - off;
}

/** world_run - the first run of them; false when there is none */
static inline bool world_run(const struct world *w, uint64_t type, uint64_t off, uint64_t n,
			     struct slot_run *run)
{
	world_runs_begin(w, type, off, &n);
	return slot_runs_next(w->slots.numbers, type, &off, &n, run);
}

/** world_slot - number of a slot that some event names, SLOT_NOWHERE; the header has none */
static inline uint32_t world_slot(const struct world *w, uint64_t type, uint64_t off)
{
	return off ? slot_number(w->slots.numbers, type, off) : SLOT_NOWHERE;
}

/* For quick.h. */

/** world_take_birth - the slot holds new data, whose owner the survey knows; 0 or -ENOMEM */
int world_take_birth(struct world *w, uint32_t r);
/** world_count_swapoff - a swapoff, which goes on, looked up a page of device @type */
void world_count_swapoff(struct world *w, uint64_t t_ns, uint64_t type, uint64_t cause);

/* For requests.c. */

/** world_tell_answer - the slots of an answer hold other data now, and the listener hears of it */
int world_tell_answer(struct world *w, const struct slot_answer *a);
/** world_take_back - @n slots from number @r on, just given, went back; 0 or -ENOMEM */
int world_take_back(struct world *w, unsigned int cpu, const struct slot_request *req, uint32_t r,
		    uint32_t n);

#endif
