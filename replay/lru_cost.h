/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_LRU_COST_H
#define SWAPTRACE_REPLAY_LRU_COST_H

#include "replay/calibration.h"
#include "replay/lru_result.h"

/*
 * From the cost of adding one page to seconds and rates (thread T4). A model of one CPU on which
 * nothing but these instructions changes; its output is an estimate and is labelled so.
 */

/**
 * lru_cost_estimate - the cost of all pages that a replay added, in the way of its policy
 * Nothing is known where the trace has no LRUADD events.
 */
void lru_cost_estimate(const struct calibration *c, struct lru_result *r);

/**
 * lru_cost_gain - gain of a rate in percent when each page takes @saved_ns less
 * @page_ns: time of one page before; gain = 100 * saved / (page - saved), as a rate is 1 / time.
 * NaN when nothing would be left of a page's time.
 */
double lru_cost_gain(double page_ns, double saved_ns);

/** lru_cost_page_ns - time of a page of @page_size bytes at @mbs MB/s (10^6 bytes), in ns */
double lru_cost_page_ns(double mbs, double page_size);

#endif
