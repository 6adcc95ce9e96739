/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_RESULT_H
#define SWAPTRACE_REPLAY_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/histogram.h"
#include "replay/alloc_result.h"
#include "replay/lru_result.h"

/*
 * What one replay of one trace under one policy found. Counts only, never shares, so that results
 * of several traces can be added up.
 */

enum start_state { START_UNKNOWN, START_BOOT, START_GIVEN, START_SNAPSHOT };

/* A count of UINT64_MAX is not known, where known is true and the trace tells only a part. */
struct readahead_result {
	bool known;	/* false: the trace has no event a readahead replay could use */
	uint64_t calls; /* readahead calls (windows computed) */
	struct histogram windows, cluster_windows, vma_windows; /* all, and by mode */
	uint64_t batches;    /* calls that read at least one page */
	uint64_t pages_read; /* pages read from swap: demand + readahead + bypass */
	uint64_t ra_pages;   /* newly read by readahead, without the page that was needed */
	uint64_t hits;	     /* of them: first lookup that found the readahead mark (accounted) */
	uint64_t
		writeout_hits; /* hits the kernel counted on pages being written out (PG_reclaim) */
	uint64_t unused;       /* of ra_pages: not needed by the end of the trace */
	uint64_t drains;       /* calls with a window above one page: lru_add_drain() */
	uint64_t lookups;      /* needs of a swap entry */
	uint64_t cache_hits;   /* needs that were found in the swap cache */
	uint64_t bypassed;     /* needs served around swap cache and readahead */
	uint64_t read_alone;   /* served by a read through the cache without a call of readahead */
	uint64_t spared; /* recorded needs that do not occur: the data is in memory under the policy
			  */
	uint64_t unknown_neighbours; /* pages of VMA windows whose slot the trace does not tell */
	uint64_t assumed_slots; /* slots taken as in use from the start because they were needed */
};

struct divergence {
	uint64_t t_ns;
	const char *event; /* "RA", "LOOKUP", "READ", "RELEASE", "DRAIN", "FLUSH"; static string */
	char recorded[96], predicted[96];
	char why[160];
};

#define DIVERGENCES_KEPT 10

struct verify_result {
	bool done;		  /* --verify was asked for */
	uint64_t checked, agreed; /* decisions */
	uint64_t windows_checked, windows_agreed;
	/* Recorded twice, as returned and as derived (RA derived=); no decisions of the model. */
	uint64_t derived_checked, derived_agreed;
	uint64_t lookups_checked, lookups_agreed;
	uint64_t reads_checked, reads_agreed;
	uint64_t reads_unknown; /* of pages whose owner the trace does not tell: not compared */
	uint64_t allocs_checked, allocs_agreed; /* slots given, and requests that got none */
	uint64_t allocs_settling;  /* not counted: from before the allocator was in step */
	uint64_t alloc_in_step;	   /* first allocation decision counted, from 1; 0: none */
	uint64_t alloc_in_step_ns; /* its time; 0 where no slot was in use at the start */
	char alloc_unknown[128];   /* of the allocator's state at the start; "" = nothing */
	struct lru_checked lru;
	uint64_t explained; /* disagreements with a stated reason (order of events, loss) */
	unsigned int nfirst;
	struct divergence first[DIVERGENCES_KEPT];
	char missing[200]; /* what the trace does not hold and so was not checked; "" = nothing */
};

/* A window over time, for plots: one point per slice of the trace. */
struct time_slice {
	uint64_t t_ns;	       /* start of the slice */
	uint64_t calls;	       /* readahead calls in it */
	uint64_t window_pages; /* sum of their windows */
	uint64_t lookups, cache_hits, pages_read, ra_pages;
	uint64_t hits; /* lookups in it that found the readahead mark */
};

struct phase_result {		  /* between two changes of page_cluster or vma_ra */
	uint64_t t_ns;		  /* begin */
	int page_cluster, vma_ra; /* -1 unknown */
	struct histogram cluster_windows, vma_windows;
};

struct swapoff_result { /* one swapoff call seen in the trace */
	int type;	/* device, -1 unknown */
	uint64_t begin_ns, end_ns, last_progress_ns;
	bool complete; /* an end event with ret 0 was seen */
	bool killed;   /* ended with an error */
	int64_t ret;
	uint64_t pages; /* entries visited (LOOKUP cause=swapoff, shmem while it ran) */
	uint64_t shmem_pages;
	uint64_t alloc_elsewhere; /* slots allocated on other devices meanwhile */
};

struct estimate_result {
	bool known;
	double seconds;
	char assumptions[256];
};

struct replay_result {
	char policy[200]; /* SPEC as given, or "recorded" */
	char model[16];	  /* "v6.12" */
	bool what_if;
	enum start_state start_state;
	uint64_t from_ns; /* readahead is counted from this time on, 0: of the whole trace */
	uint64_t lost;	  /* events the recorder lost (LOST_UNKNOWN): that far it is uncertain */
	struct readahead_result readahead;
	struct lru_result lru;
	struct alloc_result alloc;
	struct verify_result verify;
	struct estimate_result estimate;
	struct time_slice *slices; /* owned; nslices of them */
	unsigned int nslices;
	struct phase_result *phases; /* owned */
	unsigned int nphases;
	struct swapoff_result *swapoffs; /* owned */
	unsigned int nswapoffs;
	char notes[8][200]; /* sentences the user must read with the numbers */
	unsigned int nnotes;
};

/** replay_result_free - free what the result owns and zero it */
void replay_result_free(struct replay_result *r);

/** verify_result_missing - say that @what was not checked, and why */
void verify_result_missing(struct verify_result *v, const char *what);

/** replay_result_note - add a sentence (printf); dropped when there are eight */
void replay_result_note(struct replay_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
