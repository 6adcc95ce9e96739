/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_RUN_H
#define SWAPTRACE_REPLAY_ALLOC_RUN_H

#include "common/error.h"
#include "common/map.h"
#include "replay/alloc/holes.h"
#include "replay/world/places.h"
#include "replay/alloc_policy.h"
#include "replay/alloc_result.h"
#include "replay/world/requests.h"
#include "replay/world/slots.h"

/*
 * One allocator on its way through a trace. Requests, drops and devices come from
 * replay/alloc/family.c in recorded order; here they meet a model, whose slots need not be the
 * recorded ones.
 */

/* A swap-cache folio that the recorded allocator took back during a request under way. */
struct taken_folio {
	uint32_t r, n; /* recorded slots */
	uint32_t task; /* whose request; TAKEN_BY_WORKER */
};
#define TAKEN_BY_WORKER UINT32_MAX

/* What the runs of all policies read of the recorded kernel's allocator. */
struct alloc_recorded {
	const struct slots *slots;
	struct taken_folio *taken; /* owned */
	unsigned int ntaken, taken_room;
	bool reclaim_known; /* the trace shows which folios were taken back */
};

/* A random draw of the recorded kernel. */
struct alloc_draw {
	uint32_t value, low, high;
	bool have_range;
};
#define ALLOC_DRAWS 8192 /* kept: a swapon draws one per CPU */

/* A device as swapon sees it. */
struct alloc_swapon {
	unsigned int type;
	uint32_t pages;
	int prio;
	uint32_t flags;	 /* enum device_flag */
	bool have_flags; /* the trace, or the policy, tells them */
};

struct alloc_run_config {
	const char *allocator;
	bool own; /* the recorded kernel's allocator: draws, lists and places are its own */
	const struct alloc_policy *policy;
	unsigned int nr_cpus;
	unsigned int cluster_slots;
	bool slots_cache; /* requests come from above the slots cache */
	const struct alloc_recorded *recorded;
	uint64_t pages[ALLOC_DEVICES]; /* the largest that each recorded device ever is */
};

struct alloc_run;

struct alloc_pool_context {
	struct alloc_run *run;
	unsigned int pool;
};

/* A folio whose recorded request failed and that got slots here: its pages wait to be asked for. */
struct absorbed_folio {
	uint64_t folio;
	uint32_t x; /* model slot of its first page */
	unsigned int order;
	uint32_t next; /* pages asked for so far */
};

struct alloc_run {
	struct alloc_run_config cfg;
	struct alloc_result *result;
	struct swap_alloc *pool[ALLOC_POOLS];
	struct alloc_pool_context context[ALLOC_POOLS];
	struct places places; /* model slots: part = pool * ALLOC_DEVICES + type */
	struct alloc_holes holes;
	struct alloc_draw *draws; /* a ring of ALLOC_DRAWS */
	unsigned int draw_head, ndraws;
	uint64_t draws_missing; /* draws that the trace did not hold */
	uint64_t rng;		/* in their stead */
	struct map absorbed;	/* folio -> index into folios */
	struct absorbed_folio *folios;
	uint32_t nfolios, folio_room, folio_free; /* folio_free: head of the unused, plus one */
	uint8_t *written;			  /* [model slot]: a bit each, ever handed out */
	uint8_t *touched;			  /* [cluster]: likewise */
	uint32_t cluster_base[SPACE_PARTS];
	struct alloc_cpus *chunks; /* [chunk_base[type] + chunk] */
	uint32_t chunk_base[ALLOC_DEVICES + 1];
	struct map groups; /* (memcg, type) -> index into the result's groups */
	unsigned int group_room;
	struct alloc_slice *slice; /* now; NULL without a time line */
	bool worker_due;	   /* a reclaim worker was woken */
	bool bad;		   /* a callback or a call met what cannot be */
	uint32_t discards;	   /* bit per device whose freed clusters are discarded */
	bool misaligned;	   /* slots of a large folio were not aligned to its size */
};

/**
 * alloc_run_init - a model without devices
 * Returns 0, -ENOMEM, -E2BIG (devices too large to number) or -EINVAL (CPUs, cluster size) with the
 * reason in @e; free with alloc_run_free() in any case.
 */
int alloc_run_init(struct alloc_run *run, const struct alloc_run_config *cfg,
		   struct alloc_result *result, struct error *e);
void alloc_run_free(struct alloc_run *run);

/** alloc_run_swapon - a device comes; an unused one of that type is replaced. 0 or -ENOMEM. */
int alloc_run_swapon(struct alloc_run *run, const struct alloc_swapon *on);
/** alloc_run_swapoff - begin or end of a swapoff; @ret: of an end */
void alloc_run_swapoff(struct alloc_run *run, unsigned int type, bool end, int64_t ret);

/**
 * alloc_run_place - recorded slots that were in use before the first event: where they are here
 * Where they were, as far as the policy's devices have such slots; otherwise anywhere.
 */
void alloc_run_place(struct alloc_run *run, struct slot_run recorded);

/** alloc_run_draw - a random draw that the recorded kernel made */
void alloc_run_draw(struct alloc_run *run, const struct alloc_draw *draw);

/**
 * alloc_run_ask - one folio of @order wants slots
 * Returns the model slot of its first page, or SLOT_NOWHERE; counts nothing but the request.
 */
uint32_t alloc_run_ask(struct alloc_run *run, const struct slot_request *req, unsigned int order);

/**
 * alloc_run_granted - a request whose recorded answer was @n slots from recorded slot @r on
 * Above order 0 @n is 2^order; a batch of order 0 is one call for @n slots. Where the model gives
 * nothing to a large folio, each of its pages asks for itself. 0 or -ENOMEM.
 */
int alloc_run_granted(struct alloc_run *run, const struct slot_request *req, uint32_t r,
		      uint32_t n);

/**
 * alloc_run_refused - a request that was not answered when it was recorded
 * @limited: by the limit of a memory cgroup, which is taken as given. 0 or -ENOMEM.
 */
int alloc_run_refused(struct alloc_run *run, const struct slot_request *req, bool limited);

/**
 * alloc_run_absorb - whether the request is for a page of a folio that went out whole here
 * @r: recorded slot of its answer, SLOT_NOWHERE when it was refused
 */
bool alloc_run_absorb(struct alloc_run *run, const struct slot_request *req, uint32_t r);

/** alloc_run_count - a request of @order was answered, or was not because of @reason */
void alloc_run_count(struct alloc_run *run, const struct slot_request *req, unsigned int order,
		     bool answered, enum fallback_reason reason);

/** alloc_run_uncount - the answered request @req was taken back: it does not count */
void alloc_run_uncount(struct alloc_run *run, const struct slot_request *req);

/** alloc_run_give - @n model slots from @x on were handed out to @req: statistics */
int alloc_run_give(struct alloc_run *run, const struct slot_request *req, uint32_t x, uint32_t n);

/** alloc_run_drop - the data of @n recorded slots from @r on is gone, where it is somewhere */
void alloc_run_drop(struct alloc_run *run, unsigned int cpu, enum swap_free_how how, uint32_t r,
		    uint32_t n);

/**
 * alloc_run_park - recorded slot @r waits in the slots cache of @cpu: no data is in it
 * @returned: to be freed. Where the model has no such cache, the slot is free.
 */
void alloc_run_park(struct alloc_run *run, unsigned int cpu, bool returned, uint32_t r);

/** alloc_run_cache_only - nothing but the swap cache holds these recorded slots any more */
void alloc_run_cache_only(struct alloc_run *run, uint32_t r, uint32_t n);

/** alloc_run_workers - reclaim workers that were woken run now */
void alloc_run_workers(struct alloc_run *run, unsigned int cpu);

/** alloc_run_end_slice - the time slice is over: note the occupancy */
void alloc_run_end_slice(struct alloc_run *run);

/** alloc_run_finish - fill in what can be said only at the end; 0 or -ENOMEM */
int alloc_run_finish(struct alloc_run *run);

/**
 * alloc_run_check - all invariants, in time linear in the devices
 * The model's own, and: every linked slot is in use and holds one recorded slot's data, and large
 * folios got slots aligned to their size (so that none crosses a cluster). Returns 0,
 * or -EUCLEAN with the reason in @why.
 */
int alloc_run_check(const struct alloc_run *run, char *why, size_t len);

/* Of alloc_run_stats.c, for alloc_run.c. */
int alloc_stats_init(struct alloc_run *run);
void alloc_stats_free(struct alloc_run *run);
void alloc_stats_hold(struct alloc_run *run, uint32_t x, uint32_t n);
void alloc_stats_devices(struct alloc_run *run);
void alloc_stats_gone(struct alloc_run *run, uint32_t x, uint32_t n);
void alloc_stats_first(struct alloc_run *run, const struct slot_request *req, unsigned int order,
		       enum fallback_reason reason);

#endif
