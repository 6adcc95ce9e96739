/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_REPORT_ALLOCATOR_TEST_H
#define SWAPTRACE_ANALYZE_REPORT_ALLOCATOR_TEST_H

#include "analyze/report.h"
#include "import/swap_allocator_test.h"

/**
 * tsat_report - a report of @n runs: tables, the first iteration above @threshold percent, a plot
 * @runs: must live as long as @r
 * Its JSON is one object: swaptrace "iterations", version 1, threshold, runs[] of name,
 * first_above (null: none) and iterations[] of iteration, swpout, fallback, fallback_pct (null: no
 * data)
 * Returns 0 or -ENOMEM; free with report_free() either way.
 */
int tsat_report(struct report *r, const struct tsat *runs, unsigned int n, double threshold);

#endif
