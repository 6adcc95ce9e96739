/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_READAHEAD_RUN_H
#define SWAPTRACE_REPLAY_READAHEAD_RUN_H

#include "replay/model/readahead.h"
#include "replay/policy.h"
#include "replay/result.h"
#include "replay/world/world.h"

/*
 * One policy on its way through a trace: its swap cache, its readahead state and its counts. The
 * stimuli (needs of swap entries) and the given events come from the engine in recorded order.
 */

/* Swap-cache state of the data in one recorded slot under one policy. */
enum cache_bits {
	SLOT_CACHED = 1 << 0,	/* in the swap cache */
	SLOT_MARKED = 1 << 1,	/* carries the readahead mark (PG_readahead) */
	SLOT_UNUSED = 1 << 2,	/* read ahead, or in a large folio, and not needed since */
	SLOT_WRITEOUT = 1 << 3, /* in the cache since it was swapped out, not by a read */
	SLOT_MAPPED = 1 << 4,	/* a larger swap-in than the recorded one has brought it back */
};

#define SMALL_WINDOWS 65 /* windows counted in an array; larger ones are rare */

/* The swap cache of all policies: slot by slot, the policies next to each other. */
struct cache_map {
	unsigned int policies;
	uint8_t *bits; /* [slot * policies + policy]; enum cache_bits */
};

/* One need of a swap entry: a LOOKUP event with defaults filled in. */
struct need {
	uint32_t r; /* recorded slot: names the data */
	/* Where the data is: there, or under a policy that places it where that says. */
	unsigned int type;
	uint64_t off;
	unsigned int cause; /* enum lookup_cause */
	unsigned int order;
	int count;    /* references, -1 unknown */
	uint32_t vma; /* index, 0: unknown */
	bool have_addr;
	uint64_t addr, vma_start, vma_end;
	int cpu;
	/*
	 * The recorded lookup found the mark. On a page that is being written out this is no
	 * readahead mark: PG_reclaim and PG_readahead are one bit, and the kernel counts a hit.
	 * No policy has a say in it, so it is taken as given.
	 */
	bool marked;
};

/* WAY_NONE is a call with a window of one page that touches no state. */
enum ra_way { WAY_NONE, WAY_CLUSTER, WAY_VMA, WAY_FIXED };

struct ra_run {
	struct policy policy;
	unsigned int index; /* its place in the cache map */
	struct cache_map *cache;
	const struct world *world;
	const struct places *places; /* NULL: data is where it was recorded */
	struct ra_global *global;    /* [1], [SLOT_DEVICES] or [CPUs], as the policy's prev says */
	unsigned int nglobal;
	bool global_started;		  /* its start state was taken over, or is given */
	uint64_t *vma_word;		  /* [VMA index] */
	uint8_t *vma_started;		  /* [VMA index]: its start state was taken over */
	uint64_t small[2][SMALL_WINDOWS]; /* [0] cluster, [1] VMA: calls by window */
	struct histogram before[2];	  /* [0] cluster, [1] VMA: counted when the phase began */
	struct replay_result *result;
	struct time_slice *slice;	/* now; NULL: there is no time line */
	struct time_slice before_slice; /* counts when it began */
	uint64_t window_pages;		/* of all calls */
	uint64_t misplaced; /* needs of data whose place under the policy is not known */
	uint64_t large;	    /* needs of several pages that do not lie side by side here */
};

/* The pages of one window, in the order the kernel asks for them. */
struct window_walk {
	enum ra_way way;
	struct ra_window w;
	bool neighbours; /* there is readahead: more than the target is asked for */
};

static inline uint8_t *run_bits(const struct ra_run *run, uint32_t r)
{
	return &run->cache->bits[(size_t)r * run->cache->policies + run->index];
}

/** run_devices - the swap devices as the policy has them */
static inline const struct swap_devices *run_devices(const struct ra_run *run)
{
	return run->places ? &run->places->devices : &run->world->devices;
}

/**
 * run_init - prepare a run
 * @w: must outlive the run
 * @index: of the policy in the cache map
 * @places: where the policy has data, NULL: where it was recorded
 * Returns 0 or -ENOMEM; free with run_free() in any case.
 */
int run_init(struct ra_run *run, const struct policy *p, const struct world *w, struct cache_map *c,
	     unsigned int index, const struct places *places, struct replay_result *result);
void run_free(struct ra_run *run);

/**
 * run_take_over - begin with the state of another run of the same trace
 * @from: a run with prev=global. Its pages in the cache and its marks are taken over, too; none of
 * them counts as unused later.
 * Returns how many marks were taken over: pages that are hits of @run when they are found.
 */
uint64_t run_take_over(struct ra_run *run, const struct ra_run *from);

/** run_set_global - the global readahead state is known to be this now (snapshot, --init-hits) */
void run_set_global(struct ra_run *run, uint32_t hits, uint64_t prev, uint32_t last);

/** run_page_cluster - vm.page-cluster under the policy at this moment */
unsigned int run_page_cluster(const struct ra_run *run);

/**
 * run_reads_alone - a miss on a synchronous device that brings in its folio through the swap cache,
 * without readahead (docs/kernel-facts.md#bypass)
 */
bool run_reads_alone(const struct ra_run *run, const struct need *n);

/** run_bypasses - the need is served around swap cache and readahead (docs/kernel-facts.md#bypass)
 */
bool run_bypasses(const struct ra_run *run, const struct need *n);

/**
 * run_vma_new - the VMA had seen no readahead when its first recorded need was met
 * What its first recorded call says is then the work of the recorded policy alone.
 */
bool run_vma_new(const struct first_call *f);

/**
 * run_account - a lookup found the page in the cache: consume its mark and count the hit
 * Returns whether the mark was there.
 */
bool run_account(struct ra_run *run, const struct need *n);

/** run_needed - the page is needed, whichever way it is found: it is not unused any more */
void run_needed(struct ra_run *run, const struct need *n);

/**
 * run_window - a readahead call: decide the window, update the sizing state, count the call
 * Returns the window in pages, also in walk->w.pages.
 */
unsigned int run_window(struct ra_run *run, const struct need *n, struct window_walk *walk);

/** run_way - which readahead would run for the need now */
enum ra_way run_way(const struct ra_run *run, const struct need *n);

/**
 * run_take_start_state - before a state is used for the first time: what the first recorded call
 * says of it, where nothing better is known. run_window() does it itself.
 */
void run_take_start_state(struct ra_run *run, const struct need *n, enum ra_way way);

/** run_state - the global readahead state that a call for @n uses */
struct ra_global *run_state(struct ra_run *run, const struct need *n);

/* A page of a window: asked for, and the policy's cache does not have it. */
typedef void (*page_read_fn)(void *ctx, uint32_t r, bool target);

/**
 * run_walk - call @read for every page of the window that would be read
 * Returns the number of pages whose slot is unknown (VMA windows).
 */
unsigned int run_walk(struct ra_run *run, const struct need *n, const struct window_walk *walk,
		      page_read_fn read, void *ctx);

/** run_read - a page was read: it is cached, and marked unless it is the target */
void run_read(struct ra_run *run, uint32_t r, bool target);

/** run_step - the whole answer of the first @nruns policies from @runs on to one need */
void run_step(struct ra_run *runs, unsigned int nruns, const struct need *n);

/** run_end_slice - give the slice of the time line what was counted since it began */
void run_end_slice(struct ra_run *run);

/** run_finish - move the counts of the hot loop into the histograms by mode; 0 or -ENOMEM */
int run_finish(struct ra_run *run);

#endif
