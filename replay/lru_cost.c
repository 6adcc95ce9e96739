// SPDX-License-Identifier: GPL-2.0
#include "replay/lru_cost.h"

#include <math.h>

void lru_cost_estimate(const struct calibration *c, struct lru_result *r)
{
	if (!r->known || r->added == LRU_UNKNOWN)
		return;
	r->cost_known = true;
	r->page_ns = calibration_extra(c, r->lruadd);
	r->cost_seconds = r->page_ns * (double)r->added / 1e9;
}

double lru_cost_gain(double page_ns, double saved_ns)
{
	return page_ns > saved_ns ? 100 * saved_ns / (page_ns - saved_ns) : NAN;
}

double lru_cost_page_ns(double mbs, double page_size)
{
	return page_size / mbs * 1e3;
}
