/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_STATISTICS_H
#define SWAPTRACE_ANALYZE_STATISTICS_H

#include <stddef.h>

/*
 * What can be said about samples of a measurement, and about the difference of two of them.
 * Everything is pure arithmetic on finite doubles below 1e100 in size, so that squares do not
 * overflow; what can not be known is NaN.
 */

struct sample_summary {
	size_t n;
	double mean;   /* arithmetic; NaN for n = 0, like all that follow */
	double stddev; /* of the sample (n - 1); NaN for n < 2; exactly 0 when all values are equal
			*/
	double min, max;
	double median; /* middle value, or the mean of the two in the middle */
};

/** sample_summarise - fill @s from @v[0..n-1], which stays as it is; 0 or -ENOMEM */
int sample_summarise(const double *v, size_t n, struct sample_summary *s);

/**
 * sample_quantile - quantile @p (0..1) of @sorted, which ascends
 * Linear between neighbours: rank p * (n - 1), counted from 0 (the usual default of statistics
 * packages, "type 7"). NaN for n = 0.
 */
double sample_quantile(const double *sorted, size_t n, double p);

/**
 * incomplete_beta - the regularised incomplete beta function I_x(a, b), @a, @b > 0
 * @x: 0..1; @y: 1 - x, given apart because it may be known better than the subtraction tells
 * By its continued fraction (modified Lentz), on whichever side of the mean it converges quickly;
 * relative error some 1e-13, growing to 1e-10 for a or b of 1e5.
 */
double incomplete_beta(double a, double b, double x, double y);

/** student_p - probability that |T| >= |t| for Student's T with @df > 0 degrees of freedom (any
 * real number): two-sided */
double student_p(double t, double df);

/** student_quantile - the t >= 0 that |T| exceeds with probability @p, 0 < p < 1 */
double student_quantile(double p, double df);

enum test_refusal {
	TEST_DONE,
	TEST_ONE_VALUE, /* a side has fewer than two values */
	TEST_NO_SPREAD, /* all values of both sides are equal to each other */
};

/* Welch's test of two means whose variances may differ. */
struct welch {
	enum test_refusal refused; /* unless TEST_DONE, all that follows is NaN */
	double t;  /* (mean of base - mean of new) / standard error: positive when new is less */
	double df; /* Welch-Satterthwaite, not rounded */
	double p;  /* two-sided */
	double low, high; /* 95 % confidence interval of mean of new - mean of base */
};

/** welch_test - fills @w; see struct welch for what is refused */
/** welch_test - the test of @new against @base; sides without enough values are refused */
void welch_test(const struct sample_summary *base, const struct sample_summary *new,
		struct welch *w);

#endif
