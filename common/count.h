/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_COUNT_H
#define SWAPTRACE_COMMON_COUNT_H

#include <stdint.h>

/* Counts, of which one stands for "not known", and what is calculated from them. */

#define COUNT_UNKNOWN UINT64_MAX

/** percent_of - 100 * part / whole; NaN when whole is 0 or either is COUNT_UNKNOWN */
double percent_of(uint64_t part, uint64_t whole);

/** percent_change - from @before to @after in percent of @before; NaN when that is 0 or either is
 * NaN */
double percent_change(double before, double after);

/** count_value - a count as a double for percent_change(); NaN for COUNT_UNKNOWN */
double count_value(uint64_t n);

#endif
