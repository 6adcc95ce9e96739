/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_LKP_H
#define SWAPTRACE_ANALYZE_LKP_H

#include <stdio.h>

#include "analyze/comparison.h"

/**
 * lkp_write - the table in the style of the LKP test farm's reports
 * One line a metric: mean of the base with its standard deviation in percent of the mean, then for
 * every other input the change of the mean in percent of the base (in points where the metric is a
 * percentage) and its own mean, then the metric's name. A deviation is only shown for two values or
 * more; "n/a" where an input does not have the metric. Errors of @f are left in @f.
 */
void lkp_write(FILE *f, const struct comparison *c);

#endif
