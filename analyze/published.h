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

#define PUBLISHED_SWAPOFF_SOURCE                                                                    \
	"Andrea Righi, \"mm: swap: properly update readahead statistics in unuse_pte_range()\", "   \
	"v4, 18 Apr 2020, kernel 5.6"

#define PUBLISHED_SWAPOFF_SETUP                                                                     \
	"8 GB guest, virtio block, 16 GB swap file on ext4, 85 % of memory allocated, hibernated, " \
	"resumed"

extern const struct published_window published_swapoff_windows[4];
extern const struct published_time published_swapoff_times[2];

#endif
