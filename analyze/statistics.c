// SPDX-License-Identifier: GPL-2.0
#include "analyze/statistics.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Neumaier's sum: what each addition rounds away is kept and added at the end. */
static double careful_sum(const double *v, size_t n, double subtract, int power)
{
	double sum = 0, lost = 0;

	for (size_t i = 0; i < n; i++) {
		double x = power == 2 ? (v[i] - subtract) * (v[i] - subtract) : v[i] - subtract;
		double next = sum + x;

		lost += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
		sum = next;
	}
	return sum + lost;
}

double sample_quantile(const double *sorted, size_t n, double p)
{
	double rank, below;
	size_t i;

	if (!n)
		return NAN;
	rank = p * (double)(n - 1);
	below = floor(rank);
	i = (size_t)below;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (rank - below) * (sorted[i + 1] - sorted[i]);
}

int sample_summarise(const double *v, size_t n, struct sample_summary *s)
{
	double *sorted, deviation;

	*s = (struct sample_summary){ n, NAN, NAN, NAN, NAN, NAN };
	if (!n)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, v, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	s->min = sorted[0];
	s->max = sorted[n - 1];
	s->median = sample_quantile(sorted, n, 0.5);
	free(sorted);
	if (s->min == s->max) {
		/* A rounded mean would make up a spread that is not there. */
		s->mean = s->min;
		s->stddev = n > 1 ? 0 : NAN;
		return 0;
	}
	s->mean = careful_sum(v, n, 0, 1) / (double)n;
	/* The mean is rounded: the squares are taken about it, then corrected for the difference.
	 */
	deviation = careful_sum(v, n, s->mean, 1);
	s->stddev = sqrt((careful_sum(v, n, s->mean, 2) - deviation * deviation / (double)n) /
			 (double)(n - 1));
	return 0;
}

/* Continued fraction of the incomplete beta function, for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = DBL_MIN / DBL_EPSILON;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	/* Needs some sqrt(max(a, b)) rounds; the limit only guards against a loop without end. */
	for (int m = 1; m < 100000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 4 * DBL_EPSILON)
			break;
	}
	return h;
}

double incomplete_beta(double a, double b, double x, double y)
{
	double front;
	int sign;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) +
		    b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double student_p(double t, double df)
{
	double square = t * t;

	if (isnan(t) || isnan(df) || df <= 0)
		return NAN;
	if (isinf(square))
		return 0;
	return incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square));
}

double student_quantile(double p, double df)
{
	double low = 0, high = 1;

	if (!(p > 0 && p < 1) || !(df > 0))
		return NAN;
	while (student_p(high, df) > p && high < 1e300)
		high *= 2;
	/* Halving ends when the bounds are neighbours: some 60 rounds. */
	for (;;) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return high;
		if (student_p(middle, df) > p)
			low = middle;
		else
			high = middle;
	}
}

void welch_test(const struct sample_summary *base, const struct sample_summary *new,
		struct welch *w)
{
	double difference = new->mean - base->mean, var_base, var_new, larger, error, margin;

	*w = (struct welch){ TEST_DONE, NAN, NAN, NAN, NAN, NAN };
	if (base->n < 2 || new->n < 2) {
		w->refused = TEST_ONE_VALUE;
		return;
	}
	var_base = base->stddev * base->stddev / (double)base->n;
	var_new = new->stddev *new->stddev / (double)new->n;
	larger = fmax(var_base, var_new);
	if (!(larger > 0)) {
		w->refused = TEST_NO_SPREAD;
		return;
	}
	error = sqrt(var_base + var_new);
	w->t = (base->mean - new->mean) / error;
	/* Divided by the larger one first: fourth powers of small deviations would vanish. */
	var_base /= larger;
	var_new /= larger;
	w->df = (var_base + var_new) * (var_base + var_new) /
		(var_base * var_base / (double)(base->n - 1) +
		 var_new * var_new / (double)(new->n - 1));
	w->p = student_p(w->t, w->df);
	margin = student_quantile(1 - CONFIDENCE, w->df) * error;
	w->low = difference - margin;
	w->high = difference + margin;
}
