/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_DISTRIBUTION_H
#define SWAPTRACE_ANALYZE_DISTRIBUTION_H

#include <stdint.h>

#include "replay/result.h"

/*
 * What a histogram of readahead windows says. Totals are exact 64-bit counts; a sum that does not
 * fit becomes COUNT_UNKNOWN (render/format.h), never a wrong number.
 *
 * The sum of the windows is deliberately not offered: a window is the size of the block that the
 * kernel looks at, and holes, the header slot and cached pages make fewer pages be read.
 */

struct distribution {
	uint64_t total;	  /* calls */
	uint64_t drains;  /* implied: calls with a window above one page end in lru_add_drain() */
	double mean;	  /* mean window in pages, NaN without calls */
	uint64_t largest; /* largest window, 0 without calls */
};

/** distribution_of - totals and mean of @h */
struct distribution distribution_of(const struct histogram *h);

/** distribution_count - calls whose window was exactly @pages, 0 when there were none */
uint64_t distribution_count(const struct histogram *h, uint64_t pages);

/** distribution_cumulative - calls with a window of at most @pages */
uint64_t distribution_cumulative(const struct histogram *h, uint64_t pages);

/**
 * distribution_quantile - the smallest window that at least @percent % of the calls did not exceed
 * @percent: 0..100 (the nearest-rank definition; 50 is the lower median)
 * Returns 0 when there are no calls.
 */
uint64_t distribution_quantile(const struct histogram *h, unsigned int percent);

/**
 * distribution_values - the window sizes that occur in any of @n histograms, ascending
 * Returns how many there are, *@values owned by the caller (free()); -ENOMEM.
 */
int distribution_values(const struct histogram *const *h, unsigned int n, uint64_t **values);

#endif
