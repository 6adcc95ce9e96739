/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_REPORT_BPFTRACE_MAPS_H
#define SWAPTRACE_ANALYZE_REPORT_BPFTRACE_MAPS_H

#include "analyze/report.h"
#include "import/bpftrace_maps.h"

/**
 * maps_report - a report of @n dumps: a table a map, largest counts first, losses as warnings
 * @dumps: must live as long as @r
 * Its JSON is one object: swaptrace "maps", version 1, files[] of name, lost (null: unknown),
 * left_out (maps or lines that hold no counts), maps[] of name, total and rows[] of key, pid (null:
 * none), count and share_pct (null: the total is 0), and histograms[] of name, samples and
 * buckets[] of low, high (null: open) and count. Counts above 2^63-1 are null. Returns 0 or
 * -ENOMEM; free with report_free() either way.
 */
int maps_report(struct report *r, const struct map_dump *dumps, unsigned int n);

#endif
