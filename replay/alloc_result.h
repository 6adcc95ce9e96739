/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_RESULT_H
#define SWAPTRACE_REPLAY_ALLOC_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What one slot allocator did with the requests of one trace. Counts only, so that results of
 * several traces can be added up; shares are computed where they are shown.
 */

#define ALLOC_ORDERS 14	 /* 64K pages: orders 0 .. 13 */
#define ALLOC_DEVICES 32 /* types */
#define ALLOC_RUN_BINS 33
#define ALLOC_ROWS 32 /* rows of the occupancy map */

/* Why a request got nothing. */
enum fallback_reason {
	FALLBACK_FULL,		  /* fewer free slots than needed */
	FALLBACK_NO_ALIGNED_HOLE, /* enough, but no aligned free range that large */
	FALLBACK_HOLE_NOT_FOUND,  /* there is one, the allocator did not look there */
	FALLBACK_CONFIG,	  /* the kernel or its devices never give that order */
	FALLBACK_LIMIT,		  /* limit of the memory cgroup, as recorded */
	FALLBACK_REASONS
};

struct alloc_order {
	uint64_t swpout;   /* requests that got their slots */
	uint64_t fallback; /* requests that got nothing; for order 0: the page stays in memory */
	uint64_t reasons[FALLBACK_REASONS]; /* of them */
};

/* The state when the first request above order 0 got nothing (a recorded limit does not count). */
struct alloc_first {
	bool known;
	uint64_t n; /* which allocation request it was, from 1 */
	uint64_t t_ns;
	unsigned int order;
	enum fallback_reason reason;
	double free_pct;	/* free slots in percent of the usable ones */
	uint64_t free_clusters; /* wholly free */
	unsigned int norders;
	uint64_t holes[ALLOC_ORDERS]; /* aligned free ranges per order, also inside larger ones */
};

struct alloc_device {
	bool seen;
	uint64_t pages; /* slots, header included */
	int prio;
	uint64_t given;	  /* slots handed out, all in all */
	uint64_t used;	  /* in use at the end, those in slots caches not counted */
	uint64_t peak;	  /* most in use at one time */
	uint64_t written; /* slots that were ever handed out */
};

/* Swap-cache address spaces: SWAP_ADDRESS_SPACE_PAGES slots each. */
struct alloc_chunk {
	unsigned int type;
	uint64_t chunk;	   /* offset / SWAP_ADDRESS_SPACE_PAGES */
	uint64_t slots;	   /* handed out there */
	unsigned int cpus; /* distinct CPUs that got them */
};

/* One memory cgroup on one device. */
struct alloc_group {
	uint64_t memcg;
	unsigned int type;
	uint64_t slots; /* handed out */
};

/* One point of the time line. */
struct alloc_slice {
	uint64_t t_ns; /* start */
	struct alloc_count {
		uint64_t swpout, fallback;
	} orders[ALLOC_ORDERS];
	/* At its end: used slots of each of ALLOC_ROWS equal parts of all devices in a row. */
	uint64_t used[ALLOC_ROWS];
};

struct alloc_result {
	bool known;	    /* false: the trace has no request for slots, or nobody asked */
	char allocator[20]; /* "cluster-6.12" */
	bool slots_cache;   /* a slots cache stood before it */
	unsigned int norders;
	struct alloc_order orders[ALLOC_ORDERS];
	bool recorded_known; /* what the recorded kernel answered: recorded[] */
	struct alloc_order recorded[ALLOC_ORDERS];
	struct alloc_first first;
	uint64_t requests;	   /* asked of the allocator */
	uint64_t clusters;	   /* of all devices that were on at one time, short ones too */
	uint64_t clusters_touched; /* a slot of them was handed out */
	uint64_t clusters_free;	   /* wholly free at the end */
	uint64_t free_runs[ALLOC_RUN_BINS]; /* maximal free runs of 2^i to 2^(i+1) - 1 slots at the
					       end */
	uint64_t absorbed; /* recorded order-0 requests that vanish: their folio went out whole */
	uint64_t invented; /* order-0 requests for pages whose folio only here got nothing */
	uint64_t unplaced; /* pages that found no slot here but did when it was recorded */
	struct alloc_device devices[ALLOC_DEVICES];
	struct alloc_chunk *chunks; /* owned; in order */
	unsigned int nchunks;
	struct alloc_group *groups; /* owned; in order of first request */
	unsigned int ngroups;
	struct alloc_slice *slices; /* owned */
	unsigned int nslices;
};

/** fallback_reason_name - "full", "no-aligned-hole", "hole-not-found", "config", "limit" */
const char *fallback_reason_name(enum fallback_reason r);

/** alloc_result_free - free what the result owns and zero it */
void alloc_result_free(struct alloc_result *r);

/** alloc_result_copy - a deep copy; 0 or -ENOMEM (then @to owns nothing) */
int alloc_result_copy(struct alloc_result *to, const struct alloc_result *from);

/** alloc_large_total - the orders above 0 added up, as a total row shows them */
struct alloc_order alloc_large_total(const struct alloc_order orders[ALLOC_ORDERS]);

#endif
