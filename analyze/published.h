/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_PUBLISHED_H
#define SWAPTRACE_ANALYZE_PUBLISHED_H

#include <stdint.h>

/*
 * Figures that were published in mailing-list threads, as reference data: `swaptrace reproduce`
 * prints them beside its own. Nothing here is used to compute anything of ours.
 */

/* One row of the argdist tables of thread T1. */
struct published_window {
	uint64_t pages;
	uint64_t vanilla, patched; /* calls */
};

/* Times of swapoff in seconds, thread T1. */
struct published_time {
	const char *readahead; /* "cluster", "VMA" */
	double vanilla, patched;
};

#define PUBLISHED_SWAPOFF_SOURCE                                                                   \
	"Andrea Righi, \"mm: swap: properly update readahead statistics in unuse_pte_range()\", "  \
	"v4, 18 Apr 2020, kernel 5.6"

#define PUBLISHED_SWAPOFF_SETUP                                                                    \
	"8 GB guest, virtio block, 16 GB swap file on ext4, 85 % of memory allocated, "            \
	"hibernated, "                                                                             \
	"resumed"

extern const struct published_window published_swapoff_windows[4];
extern const struct published_time published_swapoff_times[2];

#define PUBLISHED_MTHP_SOURCE                                                                      \
	"Chris Li, \"mm: swap: mTHP swap allocator base on swap cluster order\", v1, 24 May "      \
	"2024; "                                                                                   \
	"test by Kairui Song"

#define PUBLISHED_MTHP_SETUP                                                                       \
	"10 GB ram disk as swap, 8 GB limit, memcached 16 GB with 32 threads, memtier: "           \
	"18,000,000 "                                                                              \
	"keys of 1 KiB, sets only, all mTHP orders on"

/* Counters of one size of folios in thread T2. */
struct published_fallback {
	unsigned int order; /* with pages of 4 kB */
	struct {
		uint64_t swpout, fallback;
	} before, after;
};
#define PUBLISHED_MTHP_ROWS 8
extern const struct published_fallback published_mthp[PUBLISHED_MTHP_ROWS];

/* Its throughput: totals of memtier. Latencies in ms. */
struct published_memtier {
	double ops, average, p50, p99, p999;
};
extern const struct published_memtier published_mthp_memtier[2]; /* before, after */

/* One row of the mmtests table of thread T3; @change as printed, from unrounded values. */
struct published_row {
	const char *name;
	double before, after, change;
};

#define PUBLISHED_DRAIN_SOURCE                                                                     \
	"Mel Gorman, \"mm: only drain per-cpu pagevecs once per pagevec usage\", 18 Oct 2017, "    \
	"kernel 4.14-rc4"

#define PUBLISHED_DRAIN_SETUP "sparsetruncate (tiny), microseconds per truncation"
#define PUBLISHED_DRAIN_ROWS 17

extern const struct published_row published_drain[PUBLISHED_DRAIN_ROWS];

#define PUBLISHED_LRUADD_SOURCE                                                                    \
	"Yang Shi, \"mm: make page_evictable() inline\" and \"mm: use smp_mb__after_atomic() in "  \
	"__pagevec_lru_add_fn()\", v2, 13 to 16 Mar 2020, kernel 5.6-rc4; tests by Shakeel Butt"

#define PUBLISHED_LRUADD_SETUP "vm-scalability lru-file-readtwice"

/* Rates of thread T4 in MB/s (10^6 bytes). */
struct published_rate {
	const char *kernel;
	double mbs;
};
extern const struct published_rate published_lruadd[3]; /* mainline, patch 1, both */

/* Run times of thread T4: `dd if=file-100GiB of=/dev/null bs=4k` in seconds. */
struct published_runs {
	const char *kernel;
	unsigned int n;
	double mean, stddev;
};
extern const struct published_runs published_lruadd_runs[2]; /* without, with both patches */

#endif
