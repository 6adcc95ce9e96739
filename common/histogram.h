/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_HISTOGRAM_H
#define SWAPTRACE_COMMON_HISTOGRAM_H

#include <stdint.h>

/* Window sizes are any number in VMA mode and with fixed:N, so the histogram is a sorted list. */
struct window_count {
	uint64_t pages; /* value of the window */
	uint64_t count; /* calls that returned it */
};

struct histogram {
	struct window_count *bins; /* ascending by pages; owned */
	unsigned int n, room;
};

/** histogram_add - count @count calls with a window of @pages; 0 or -ENOMEM */
int histogram_add(struct histogram *h, uint64_t pages, uint64_t count);
/** histogram_merge - add all bins of @from to @h; 0 or -ENOMEM */
int histogram_merge(struct histogram *h, const struct histogram *from);
/**
 * histogram_difference - @out = @now - @before, then *@before = *@now (deep copies)
 * @before must count no more than @now in every bin. 0 or -ENOMEM.
 */
int histogram_difference(struct histogram *out, const struct histogram *now,
			 struct histogram *before);
/** histogram_total - calls; histogram_sum - sum of the windows (not pages read) */
uint64_t histogram_total(const struct histogram *h);
uint64_t histogram_sum(const struct histogram *h);
/** histogram_free - free the bins and make it empty */
void histogram_free(struct histogram *h);

#endif
