/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_REPRODUCE_JSON_H
#define SWAPTRACE_ANALYZE_REPRODUCE_JSON_H

#include <jansson.h>

#include "analyze/drain_times.h"
#include "replay/calibration.h"

/*
 * "reproduce" in a results document (docs/schema/results.schema.json): what a mailing-list thread
 * published, and beside it what is ours and no result of a replay. Each function returns a new
 * object for results_write_more(), NULL when memory is out.
 */

/** reproduce_swapoff_json - thread T1: windows and times */
json_t *reproduce_swapoff_json(void);

/** reproduce_mthp_json - thread T2: counters by size of folio, throughput */
json_t *reproduce_mthp_json(void);

/** reproduce_drain_json - thread T3: the table; @ours may be NULL: no times of our own */
json_t *reproduce_drain_json(const struct drain_times *ours);

/** reproduce_lruadd_json - thread T4: rates, runs; the estimates by @c */
json_t *reproduce_lruadd_json(const struct calibration *c);

#endif
