/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_MMTESTS_H
#define SWAPTRACE_ANALYZE_MMTESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/error.h"

/*
 * The quartile table that mmtests prints for benchmarks of variable time, byte for byte as its code
 * of October 2017 (f6e906b3) does, because that is what tables in changelogs are compared with.
 * Its peculiarities are kept on purpose:
 *
 * - a quantile p is the value at index int((n - 1) * p + 0.5) of the sorted ones, not interpolated;
 * - BestP% is the mean of the values with index 0 .. int(n * P / 100), one more than P %, and of
 *   all when that index is 0; where higher is better the harmonic mean of those from that index on;
 * - the percentage is 100 - new * 100 / base (positive: better) where lower is better, new * 100 /
 *   base - 100 where higher is; 0 for equal values; lower: 100 for a new 0, -99 for a base of 0;
 *   higher: 0 for a new 0, 100 for a base of 0; both from unrounded values;
 * - a value of exactly -1 (and a harmonic mean of values that are not all positive) and what has
 *   no value (Stddev of one value) are printed as 0.00 with 0.00%;
 * - the title of a column is cut at its first '-', behind "-rcN" when the name has that; a name
 *   without '-' loses its last letter in the first line and stands whole in the second.
 */

struct mmtests_column {
	const char *name; /* harmless text */
	const double *values;
	size_t n; /* at least 1 */
};

/**
 * mmtests_write - print the table of @n columns, the first of which is the base
 * @operation: what was measured, "Time" in mmtests' own tables
 * @higher: higher is better: Hmean instead of Amean
 * Returns 0; -EINVAL for a column without values; -ENOMEM. Errors of @f are left in @f.
 */
int mmtests_write(FILE *f, const struct mmtests_column *columns, size_t n, const char *operation,
		  bool higher, struct error *e);

#define MMTESTS_ROWS 17

/**
 * mmtests_summary - the values of one column's rows, from Min to Best25%
 * NaN where the original has none. Returns 0 or -ENOMEM.
 */
int mmtests_summary(const double *v, size_t n, bool higher, double rows[MMTESTS_ROWS]);

/** mmtests_percent - the percentage of @now against @base as described above */
double mmtests_percent(double now, double base, bool higher);

#endif
