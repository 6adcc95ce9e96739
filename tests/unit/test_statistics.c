// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics. Expected values: closed forms of Student's distribution for 1 and 2 degrees of
 * freedom; integrals of its density taken with 40 digits by mpmath, a program that shares nothing
 * with this one (the expression stands beside the table); samples simple enough for mental
 * arithmetic; real-world case 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/statistics.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("got %.17g, want %.17g", got, want);
}

/* One degree of freedom is Cauchy's distribution, two have an algebraic one. */
static void test_closed_forms(void **state)
{
	(void)state;
	for (double t = 1e-3; t < 1e6; t *= 1.7) {
		near(student_p(t, 1), 2 / acos(-1) * atan(1 / t), 1e-12);
		/* 1 - t / sqrt(t^2 + 2), without the subtraction that cancels */
		near(student_p(t, 2), 2 / (sqrt(t * t + 2) * (sqrt(t * t + 2) + t)), 1e-12);
		near(student_p(-t, 2), student_p(t, 2), 1e-15);
	}
	for (double p = 0.9; p > 1e-6; p *= 0.6) {
		near(student_quantile(p, 1), 1 / tan(p * acos(-1) / 2), 1e-12);
		near(student_quantile(p, 2), (1 - p) * sqrt(2 / (p * (2 - p))), 1e-12);
	}
	near(student_p(0, 7.3), 1, 1e-15);
	assert_true(student_p(INFINITY, 7.3) == 0);
	assert_true(isnan(student_p(1, 0)) && isnan(student_p(NAN, 3)));
	assert_true(isnan(student_quantile(0, 3)) && isnan(student_quantile(1, 3)));
}

/* mpmath, mp.dps = 40: betainc(df/2, 1/2, 0, df/(df + t^2), regularized=True), each confirmed by
 * integrating the density from t to infinity. */
static void test_student(void **state)
{
	static const struct {
		double t, df, p;
	} v[] = {
		{ 2.228138851964939, 10, 0.050000000001808631 },
		{ 2.5, 10.6, 0.030234723400791419 },
		{ 0.001, 3.7, 0.99925367705908632 },
		{ 5, 30.25, 2.2820081184578368e-5 },
		{ 10, 4.5, 0.00030528057568339576 },
		{ 1.96, 100000, 0.049998563194301634 },
		{ 40, 8, 1.6785718879145792e-10 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		near(student_p(v[i].t, v[i].df), v[i].p, 1e-9);
	near(student_quantile(0.05, 10.6), 2.2111610596106174, 1e-12);
	near(student_quantile(0.01, 30), 2.7499956535672253, 1e-12);
	near(student_quantile(0.05, 199998), 1.9599758460853847, 1e-9);
}

static void test_beta(void **state)
{
	(void)state;
	/* For whole numbers a binomial sum: P(at least 2 of 4 at 0.4) = 0.5248. */
	near(incomplete_beta(2, 3, 0.4, 0.6), 0.5248, 1e-13);
	/* The arcsine distribution: 2/pi * asin(sqrt(1/4)) = 1/3. */
	near(incomplete_beta(0.5, 0.5, 0.25, 0.75), 1.0 / 3, 1e-13);
	near(incomplete_beta(50000, 0.5, 0.9999, 0.0001), 0.0015650197621725589, 1e-9); /* mpmath */
	for (double x = 0.03; x < 1; x += 0.07) {
		near(incomplete_beta(3.3, 0.7, x, 1 - x) + incomplete_beta(0.7, 3.3, 1 - x, x), 1,
		     1e-12);
		near(incomplete_beta(5, 1, x, 1 - x), pow(x, 5), 1e-12);
	}
	assert_true(incomplete_beta(3, 4, 0, 1) == 0);
	assert_true(incomplete_beta(3, 4, 1, 0) == 1);
}

static void test_summaries(void **state)
{
	static const double v[] = { 4, 1, 3, 2 }, same[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	struct sample_summary s;

	(void)state;
	assert_int_equal(sample_summarise(v, 4, &s), 0);
	near(s.mean, 2.5, 1e-15);
	near(s.stddev, sqrt(5.0 / 3), 1e-15); /* (2.25 + 0.25 + 0.25 + 2.25) / 3 */
	assert_true(s.n == 4 && s.min == 1 && s.max == 4 && s.median == 2.5);
	sample_summarise(same, 6, &s);
	assert_true(s.mean == 0.1 && s.stddev == 0);
	sample_summarise(v, 1, &s);
	assert_true(s.mean == 4 && isnan(s.stddev) && s.median == 4);
	sample_summarise(v, 0, &s);
	assert_true(s.n == 0 && isnan(s.mean) && isnan(s.min) && isnan(s.median));
}

/* Deviations of 1 about a mean of 10^9 (variance 2/3 * 3/2 = 1) must survive. */
static void test_small_spread(void **state)
{
	static const double v[] = { 1e9 - 1, 1e9, 1e9 + 1 };
	double many[100000];
	struct sample_summary s;

	(void)state;
	sample_summarise(v, 3, &s);
	near(s.stddev, 1, 1e-15);
	/* 0 .. 99999: mean (n-1)/2, variance n(n+1)/12 */
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (double)(i * 7919 % ARRAY_SIZE(many));
	sample_summarise(many, ARRAY_SIZE(many), &s);
	near(s.mean, 49999.5, 1e-15);
	near(s.stddev, sqrt(100000.0 * 100001 / 12), 1e-14);
	near(s.median, 49999.5, 1e-15);
}

static void test_quantiles(void **state)
{
	static const double v[] = { 10, 20, 30, 40, 50 };

	(void)state;
	near(sample_quantile(v, 5, 0.25), 20, 1e-15);
	near(sample_quantile(v, 5, 0.9), 46, 1e-15); /* rank 3.6: 40 + 0.6 * 10 */
	near(sample_quantile(v, 5, 0), 10, 1e-15);
	near(sample_quantile(v, 5, 1), 50, 1e-15);
	near(sample_quantile(v, 1, 0.5), 10, 1e-15);
	assert_true(isnan(sample_quantile(v, 0, 0.5)));
}

/* Case 4; the digits beyond those of the case are mpmath's with its formulas. */
static void test_case_4(void **state)
{
	static const double without[] = {
		56.9, 57.3, 55.8, 56.1, 57.0, 56.5, 55.9, 57.6, 56.2, 56.7
	};
	static const double with[] = { 56.0, 56.3, 55.9, 56.2, 56.1, 55.8, 56.4, 56.0, 56.2, 56.1 };
	struct sample_summary a, b;
	struct welch w;

	(void)state;
	sample_summarise(without, 10, &a);
	sample_summarise(with, 10, &b);
	near(a.mean, 56.6, 1e-14);
	near(b.mean, 56.1, 1e-14);
	near(a.stddev, 0.60553007081949833, 1e-13);
	near(b.stddev, 0.18257418583505537, 1e-13);
	welch_test(&a, &b, &w);
	assert_int_equal(w.refused, TEST_DONE);
	near(w.t, 2.5, 1e-12);
	near(w.df, 10.622950819672131, 1e-12);
	near(w.p, 0.0301913154337878, 1e-11);
	near(w.low, -0.942110817668263, 1e-11);
	near(w.high, -0.0578891823317368, 1e-11);
}

static void test_welch_properties(void **state)
{
	struct sample_summary a = { 5, 10, 2, 8, 12, 10 }, b = { 5, 13, 2, 11, 15, 13 };
	struct sample_summary tiny_a = a, tiny_b = b;
	struct welch ab, ba, tiny;

	(void)state;
	welch_test(&a, &b, &ab);
	welch_test(&b, &a, &ba);
	/* Equal n and spread: df = 2n - 2; t = -3 / sqrt(2 * 4/5) */
	near(ab.df, 8, 1e-14);
	near(ab.t, -3 / sqrt(1.6), 1e-14);
	near(ba.t, -ab.t, 1e-15);
	near(ba.p, ab.p, 1e-15);
	near(ba.low, -ab.high, 1e-15);
	/* The 95 % interval ends at zero exactly where p is 5 %. */
	near((ab.high - ab.low) / 2, student_quantile(0.05, 8) * sqrt(1.6), 1e-14);
	/* Units do not matter. */
	tiny_a.mean *= 1e-90;
	tiny_a.stddev *= 1e-90;
	tiny_b.mean *= 1e-90;
	tiny_b.stddev *= 1e-90;
	welch_test(&tiny_a, &tiny_b, &tiny);
	near(tiny.t, ab.t, 1e-12);
	near(tiny.df, ab.df, 1e-12);
	/* All spread on one side: df is that side's n - 1. */
	a.stddev = 0;
	a.n = 50;
	welch_test(&a, &b, &ab);
	near(ab.df, 4, 1e-14);
}

static void test_refusals(void **state)
{
	struct sample_summary one = { 1, 10, NAN, 10, 10, 10 }, many = { 9, 9, 1, 8, 11, 9 };
	struct sample_summary flat = { 9, 9, 0, 9, 9, 9 };
	struct welch w;

	(void)state;
	welch_test(&one, &many, &w);
	assert_int_equal(w.refused, TEST_ONE_VALUE);
	assert_true(isnan(w.t) && isnan(w.p) && isnan(w.df) && isnan(w.low));
	welch_test(&many, &one, &w);
	assert_int_equal(w.refused, TEST_ONE_VALUE);
	welch_test(&flat, &flat, &w);
	assert_int_equal(w.refused, TEST_NO_SPREAD);
	assert_true(isnan(w.p));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_student),
		cmocka_unit_test(test_beta),	     cmocka_unit_test(test_summaries),
		cmocka_unit_test(test_small_spread), cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_case_4),	     cmocka_unit_test(test_welch_properties),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
