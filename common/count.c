// SPDX-License-Identifier: GPL-2.0
#include "common/count.h"

#include <math.h>

double count_value(uint64_t n)
{
	return n == COUNT_UNKNOWN ? NAN : (double)n;
}

double percent_of(uint64_t part, uint64_t whole)
{
	if (!whole)
		return NAN;
	return 100.0 * count_value(part) / count_value(whole);
}

double percent_change(double before, double after)
{
	if (before == 0.0)
		return NAN;
	return 100.0 * (after - before) / before;
}
