// SPDX-License-Identifier: GPL-2.0
/*
 * The mmtests table: formulas against values worked out beside each test and against the
 * percentages published in thread T3 (Gorman, 18 Oct 2017). The layout of whole tables is compared
 * with what mmtests itself printed in tests/cases/compare.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/mmtests.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	MIN,
	Q1,
	Q2,
	Q3,
	MAX90,
	MAX95,
	MAX99,
	MAX,
	MEAN,
	STDDEV,
	COEFF,
	B99,
	B95,
	B90,
	B75,
	B50,
	B25
};

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("got %.17g, want %.17g", got, want);
}

/* Whole microseconds were published, so these percentages follow exactly from what stands there. */
static void test_published_whole(void **state)
{
	static const struct {
		double before, after, percent;
	} t3[] = {
		{ 141, 141, 0 },    { 142, 142, 0 },	{ 143, 143, 0 },     { 144, 144, 0 },
		{ 146, 145, 0.68 }, { 198, 194, 2.02 }, { 254, 208, 18.11 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t3); i++)
		near(round(mmtests_percent(t3[i].after, t3[i].before, false) * 100),
		     round(t3[i].percent * 100));
}

/* The rest was computed from unrounded values: some pair that rounds to what stands there gives it.
 */
static void test_published_rounded(void **state)
{
	static const struct {
		double before, after, percent;
	} t3[] = {
		{ 145.12, 144.30, 0.56 }, { 12.74, 9.62, 24.49 },   { 8.78, 6.67, 24.06 },
		{ 144.29, 143.82, 0.32 }, { 142.68, 142.31, 0.26 }, { 142.52, 142.19, 0.24 },
		{ 142.26, 141.98, 0.20 }, { 141.90, 141.71, 0.13 }, { 141.80, 141.43, 0.26 },
	};
	const double half = 0.005;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t3); i++) {
		double low = mmtests_percent(t3[i].after + half, t3[i].before - half, false);
		double high = mmtests_percent(t3[i].after - half, t3[i].before + half, false);

		assert_true(low - half <= t3[i].percent && t3[i].percent <= high + half);
	}
}

static void test_percent(void **state)
{
	(void)state;
	near(mmtests_percent(150, 200, false), 25);
	near(mmtests_percent(150, 200, true), -25);
	assert_true(mmtests_percent(0, 0, false) == 0 && mmtests_percent(0, 0, true) == 0);
	assert_true(mmtests_percent(0, 5, false) == 100 && mmtests_percent(0, 5, true) == 0);
	assert_true(mmtests_percent(5, 0, false) == -99 && mmtests_percent(5, 0, true) == 100);
	assert_true(isnan(mmtests_percent(5, NAN, false)) && mmtests_percent(5, NAN, true) == 100);
}

/* Ten values: indices int(9p + 0.5) are 2, 5, 7, 8, 9, 9; best means take 0..9, 0..9, 0..9, 0..7,
 * 0..5 and 0..2, as int(10 * P / 100) is 9, 9, 9, 7, 5, 2. */
static void test_ten_values(void **state)
{
	static const double v[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	static const double rows[] = { 1, 3, 6,	  8,   9,   10,	 10,  10, 5.5,
				       0, 0, 5.5, 5.5, 5.5, 4.5, 3.5, 2 };
	double r[MMTESTS_ROWS];

	(void)state;
	assert_int_equal(mmtests_summary(v, 10, false, r), 0);
	for (int i = 0; i < MMTESTS_ROWS; i++)
		if (i != STDDEV && i != COEFF)
			near(r[i], rows[i]);
	near(r[STDDEV], sqrt(82.5 / 9)); /* 2 * (4.5^2 + 3.5^2 + 2.5^2 + 1.5^2 + 0.5^2) = 82.5 */
	near(r[COEFF], 100 * sqrt(82.5 / 9) / 5.5);
}

/* Higher is better: 4 / (1 + 1/2 + 1/4 + 1/4) = 2; from index 3 on: 4; from 2: 4; from 1: 3 / 1. */
static void test_harmonic(void **state)
{
	static const double v[] = { 4, 1, 2, 4 }, with_zero[] = { 4, 0, 2, 4 };
	double r[MMTESTS_ROWS];

	(void)state;
	mmtests_summary(v, 4, true, r);
	near(r[MEAN], 2);
	near(r[B99], 4);
	near(r[B75], 4);
	near(r[B50], 4);
	near(r[B25], 3);
	mmtests_summary(with_zero, 4, true, r);
	near(r[MEAN], -1);
	near(r[B25], 3); /* the zero is not among the best three: 3 / (1/2 + 1/4 + 1/4) */
}

static void test_one_value_zeros_ties(void **state)
{
	static const double one[] = { 42 }, zeros[4], ties[] = { 7, 7, 7, 7, 7 };
	double r[MMTESTS_ROWS];

	(void)state;
	mmtests_summary(one, 1, false, r);
	for (int i = 0; i < MMTESTS_ROWS; i++)
		if (i != STDDEV && i != COEFF)
			near(r[i], 42);
	assert_true(isnan(r[STDDEV]) && r[COEFF] == 0);
	mmtests_summary(zeros, 4, false, r);
	for (int i = 0; i < MMTESTS_ROWS; i++)
		assert_true(r[i] == 0);
	mmtests_summary(ties, 5, false, r);
	for (int i = 0; i < MMTESTS_ROWS; i++)
		near(r[i], i == STDDEV || i == COEFF ? 0 : 7);
}

/* 0 .. 99999 in any order: the quantile p is int(99999 p + 0.5), the mean of 0..k is k / 2. */
static void test_many_values(void **state)
{
	enum { N = 100000 };
	static const double p[] = { 0.25, 0.5, 0.75, 0.9, 0.95, 0.99 };
	static const double part[] = { 99, 95, 90, 75, 50, 25 };
	double *v = malloc(N * sizeof(*v)), r[MMTESTS_ROWS];

	(void)state;
	for (size_t i = 0; i < N; i++)
		v[i] = (double)(i * 7919 % N);
	mmtests_summary(v, N, false, r);
	for (int i = 0; i < 6; i++) {
		near(r[Q1 + i], floor(99999 * p[i] + 0.5));
		near(r[B99 + i], N * part[i] / 100 / 2);
	}
	assert_true(r[MIN] == 0 && r[MAX] == N - 1);
	near(r[MEAN], 49999.5);
	free(v);
}

/* Whatever the values: quantiles ascend, best means descend, and order and scale do not matter. */
static void test_random_samples(void **state)
{
	uint32_t x = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		double v[200], back[200], a[MMTESTS_ROWS], b[MMTESTS_ROWS];
		size_t n = 2 + (size_t)round % 199;

		for (size_t i = 0; i < n; i++) {
			x = x * 1664525 + 1013904223;
			v[i] = 1 + (x >> 20) % (round % 2 ? 5 : 4096);
			back[n - 1 - i] = v[i] * 4;
		}
		mmtests_summary(v, n, false, a);
		mmtests_summary(back, n, false, b);
		for (int i = 0; i < MMTESTS_ROWS; i++)
			near(b[i], i == COEFF ? a[i] : 4 * a[i]);
		for (int i = MIN; i < MAX; i++)
			assert_true(a[i] <= a[i + 1]);
		for (int i = B99; i < B25; i++)
			assert_true(n * 25 / 100 == 0 || a[i] >= a[i + 1] - 1e-9);
		assert_true(a[B99] <= a[MEAN] * (1 + 1e-12));
	}
}

static void first_lines(const char *a, const char *b, char *out, size_t size)
{
	static const double v[] = { 1, 2 };
	struct mmtests_column c[] = { { a, v, 2 }, { b, v, 2 } };
	struct error e;
	char *text, *end;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(mmtests_write(f, c, 2, "Time", false, &e), 0);
	fclose(f);
	end = strchr(strchr(text, '\n') + 1, '\n');
	*end = '\0';
	snprintf(out, size, "%s", text);
	free(text);
}

/* Two titles of 23 columns behind 17; the splits are described in the header. */
static void test_titles(void **state)
{
	char lines[256];

	(void)state;
	first_lines("4.14.0-rc4-vanilla", "4.14.0-rc4-pcp-v1", lines, sizeof(lines));
	assert_string_equal(lines,
			    "                              4.14.0-rc4             4.14.0-rc4\n"
			    "                                 vanilla                 pcp-v1");
	first_lines("a-b", "whole", lines, sizeof(lines));
	assert_string_equal(lines,
			    "                                       a                   whol\n"
			    "                                       b                  whole");
}

static void test_empty_column(void **state)
{
	static const double v[] = { 1 };
	struct mmtests_column c[] = { { "full", v, 1 }, { "hollow", v, 0 } };
	struct error e;
	FILE *f = fopen("/dev/null", "w");

	(void)state;
	assert_int_equal(mmtests_write(f, c, 2, "Time", false, &e), -EINVAL);
	assert_non_null(strstr(e.text, "hollow"));
	fclose(f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_whole), cmocka_unit_test(test_published_rounded),
		cmocka_unit_test(test_percent),		cmocka_unit_test(test_ten_values),
		cmocka_unit_test(test_harmonic),	cmocka_unit_test(test_one_value_zeros_ties),
		cmocka_unit_test(test_many_values),	cmocka_unit_test(test_random_samples),
		cmocka_unit_test(test_titles),		cmocka_unit_test(test_empty_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
