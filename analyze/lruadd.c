// SPDX-License-Identifier: GPL-2.0
#include "analyze/lruadd.h"

#include <math.h>

#include "render/format.h"

#define PAGE_BYTES 4096.0 /* of the published rates: x86 */

double lruadd_published_page_ns(int kernel)
{
	return lru_cost_page_ns(published_lruadd[kernel].mbs, PAGE_BYTES);
}

/*
 * ns for reading a page twice here, as if this kernel added pages the way 5.6 did: what the
 * patches would have had to save from. NaN when reads were not measured.
 */
static double own_page_ns(const struct calibration *c)
{
	struct kernel_release r;
	double own;

	if (!c->have_read || !kernel_release_parse(&r, c->release))
		return NAN;
	own = calibration_extra(c, kernel_find(&r)->lruadd);
	return c->read_first.median + c->read_again.median - own +
	       calibration_extra(c, LRUADD_OUTLINE_MB);
}

static double published_gain(int from, int to)
{
	return percent_change(published_lruadd[from].mbs, published_lruadd[to].mbs);
}

void lruadd_predict(const struct calibration *c, struct lruadd_patch p[LRUADD_PATCHES])
{
	p[0] = (struct lruadd_patch){ .name = "patch 1/2: inline, no call",
				      .saved = c->call,
				      .published = published_gain(LRUADD_MAINLINE, LRUADD_INLINE) };
	p[1] = (struct lruadd_patch){ .name = "patch 2/2: no full barrier",
				      .saved = c->barrier,
				      .published = published_gain(LRUADD_INLINE, LRUADD_BOTH) };
	p[2] = (struct lruadd_patch){ .name = "both patches",
				      .saved = c->both,
				      .published = published_gain(LRUADD_MAINLINE, LRUADD_BOTH) };
	for (int i = 0; i < LRUADD_PATCHES; i++) {
		p[i].at_published_rate =
			lru_cost_gain(lruadd_published_page_ns(LRUADD_MAINLINE), p[i].saved.median);
		p[i].holes_read_twice = lru_cost_gain(own_page_ns(c), p[i].saved.median);
	}
}

void lruadd_published_runs(struct sample_summary s[2], struct welch *w)
{
	for (int i = 0; i < 2; i++)
		s[i] = (struct sample_summary){ .n = published_lruadd_runs[i].n,
						.mean = published_lruadd_runs[i].mean,
						.stddev = published_lruadd_runs[i].stddev };
	welch_test(&s[0], &s[1], w);
}
