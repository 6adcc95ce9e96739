// SPDX-License-Identifier: GPL-2.0
/* Numbers, foreign strings, times and distributions: cases 1, 11, 14, 59 and 68 of the list of
 * real-world cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/distribution.h"
#include "analyze/source.h"
#include "render/format.h"

static void counts_are_grouped_and_exact(void **state)
{
	(void)state;
	assert_string_equal(format_count(0).s, "0");
	assert_string_equal(format_count(999).s, "999");
	assert_string_equal(format_count(1000).s, "1,000");
	assert_string_equal(format_count(9307312974).s, "9,307,312,974");
	assert_string_equal(format_count(9007199254740993).s, "9,007,199,254,740,993");
	assert_string_equal(format_count(UINT64_MAX - 1).s, "18,446,744,073,709,551,614");
	assert_string_equal(format_count(COUNT_UNKNOWN).s, "n/a");
}

static void what_is_not_known_is_not_a_number(void **state)
{
	(void)state;
	assert_true(isnan(percent_of(0, 0)));
	assert_true(isnan(percent_of(COUNT_UNKNOWN, 5)));
	assert_true(isnan(percent_of(5, COUNT_UNKNOWN)));
	assert_true(isnan(percent_change(0, 5)));
	assert_true(isnan(percent_change(NAN, 5)));
	assert_string_equal(format_percent(NAN).s, "n/a");
	assert_string_equal(format_change(INFINITY).s, "n/a");
	assert_string_equal(format_number(-NAN, 3).s, "n/a");
	assert_string_equal(format_percent(percent_of(0, 5)).s, "0.00 %");
}

static void changes_carry_their_sign(void **state)
{
	(void)state;
	/* Cases 1 and 11: 14.2 s to 8.1 s, 11.84 s to 9.11 s, 380,000 to 90,000 calls. */
	assert_string_equal(format_change(percent_change(14.2, 8.1)).s, "-42.96 %");
	assert_string_equal(format_change(percent_change(11.84, 9.11)).s, "-23.06 %");
	assert_string_equal(format_change(percent_change(380000, 90000)).s, "-76.32 %");
	assert_string_equal(format_change(percent_change(1, 2)).s, "+100.00 %");
	assert_string_equal(format_change(0).s, "+0.00 %");
	assert_string_equal(format_number(-1234567.891, 1).s, "-1,234,567.9");
}

static void seconds_keep_what_matters(void **state)
{
	(void)state;
	assert_string_equal(format_seconds(7400000000).s, "7.4 s");
	assert_string_equal(format_seconds(9400000000).s, "9.4 s");
	assert_string_equal(format_seconds(0).s, "0.0 s");
	assert_string_equal(format_seconds(1234567890123).s, "1,234.568 s");
	assert_string_equal(format_seconds(1999999999).s, "2.0 s");
}

static void check_escape(const char *in, size_t len, const char *want)
{
	char out[128];

	assert_int_equal(escape_text(in, len, out, sizeof(out)), strlen(want));
	assert_string_equal(out, want);
}

static void foreign_bytes_become_harmless(void **state)
{
	char out[8];

	(void)state;
	/* The comms of case 59. */
	check_escape("\xe4"
		     "bc",
		     3, "\\xe4bc");
	check_escape("\x1b[31mx", 6, "\\x1b[31mx");
	check_escape("a\"\\b", 4, "a\"\\b");
	check_escape("a\nb", 3, "a\\x0ab");
	check_escape("\xf0\x9f\x90", 3, "\\xf0\\x9f\\x90");
	check_escape("", 0, "");
	check_escape("--help", 6, "--help");
	/* Whole characters stay; C1 controls, reordering marks, overlong forms and surrogates do
	 * not. */
	check_escape("\xc3\xa4\xf0\x9f\x90\x8d", 6, "\xc3\xa4\xf0\x9f\x90\x8d");
	check_escape("\xc2\x9b", 2, "\\xc2\\x9b");
	check_escape("\xe2\x80\xae", 3, "\\xe2\\x80\\xae");
	check_escape("\xc0\xaf", 2, "\\xc0\\xaf");
	check_escape("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
	check_escape("a\0b", 3, "a\\x00b");
	/* Cut at a whole character. */
	assert_int_equal(escape_text("abc\xc3\xa4", 5, out, 5), 3);
	assert_string_equal(out, "abc");
	assert_int_equal(escape_text("\x01\x02", 2, out, 8), 4);
	assert_string_equal(out, "\\x01");
}

static char *printed(void (*print)(FILE *, const char *), const char *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	print(f, s);
	fclose(f);
	return text;
}

static void markup_and_gnuplot_strings_are_quoted(void **state)
{
	char *html = printed(print_html, "<b a='1'>&\"");
	char *gnuplot = printed(print_gnuplot, "a'; system(\"id\") #`x`");

	(void)state;
	assert_string_equal(html, "&lt;b a=&#39;1&#39;&gt;&amp;&quot;");
	assert_string_equal(gnuplot, "'a''; system(\"id\") #`x`'");
	free(html);
	free(gnuplot);
}

static void check_time(const char *s, double want)
{
	double got = -1;

	assert_int_equal(parse_seconds(s, &got), 0);
	assert_true(fabs(got - want) < 1e-9);
}

static void times_are_read_in_any_locale(void **state)
{
	double v;

	(void)state;
	setlocale(LC_ALL, "de_DE.UTF-8");
	check_time("14.2s", 14.2);
	check_time("14.2", 14.2);
	check_time("3,08", 3.08);
	check_time("0m11.84s", 11.84);
	check_time("2m3.5s", 123.5);
	check_time("0m9,11s", 9.11);
	check_time("8", 8);
	check_time("1.234", 1.234);
	setlocale(LC_ALL, "C");
	/* Case 68: both marks, or a comma that may separate thousands, are not guessed. */
	assert_int_not_equal(parse_seconds("1.234,5", &v), 0);
	assert_int_not_equal(parse_seconds("1,234", &v), 0);
	assert_int_not_equal(parse_seconds("", &v), 0);
	assert_int_not_equal(parse_seconds("s", &v), 0);
	assert_int_not_equal(parse_seconds("m", &v), 0);
	assert_int_not_equal(parse_seconds("12 s", &v), 0);
	assert_int_not_equal(parse_seconds("-3", &v), 0);
	assert_int_not_equal(parse_seconds("1.2.3", &v), 0);
	assert_int_not_equal(parse_seconds("nan", &v), 0);
}

static void fill(struct histogram *h, const uint64_t (*rows)[2], unsigned int n)
{
	memset(h, 0, sizeof(*h));
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(histogram_add(h, rows[i][0], rows[i][1]), 0);
}

static void check_share(const struct histogram *h, uint64_t pages, const char *want)
{
	assert_string_equal(
		format_percent(percent_of(distribution_count(h, pages), distribution_of(h).total))
			.s,
		want);
}

static void case_1_both_tables(void **state)
{
	static const uint64_t a[][2] = { { 8, 21044 }, { 4, 25310 }, { 1, 31877 }, { 2, 301769 } };
	static const uint64_t b[][2] = { { 1, 905 }, { 2, 3118 }, { 4, 24402 }, { 8, 61575 } };
	struct distribution d;
	struct histogram h;

	(void)state;
	fill(&h, a, 4);
	d = distribution_of(&h);
	assert_int_equal(d.total, 380000);
	assert_int_equal(d.drains, 348123);
	assert_int_equal(d.largest, 8);
	assert_string_equal(format_number(d.mean, 3).s, "2.382");
	check_share(&h, 1, "8.39 %");
	check_share(&h, 2, "79.41 %");
	check_share(&h, 4, "6.66 %");
	check_share(&h, 8, "5.54 %");
	/* 31,877 and 333,646 of 380,000 calls: 8.39 % and 87.80 % have at most 1 and 2 pages. */
	assert_int_equal(distribution_cumulative(&h, 2), 333646);
	assert_int_equal(distribution_quantile(&h, 8), 1);
	assert_int_equal(distribution_quantile(&h, 50), 2);
	assert_int_equal(distribution_quantile(&h, 88), 4);
	assert_int_equal(distribution_quantile(&h, 100), 8);
	histogram_free(&h);
	fill(&h, b, 4);
	d = distribution_of(&h);
	assert_int_equal(d.total, 90000);
	assert_int_equal(d.drains, 89095);
	assert_string_equal(format_number(d.mean, 3).s, "6.637");
	check_share(&h, 4, "27.11 %");
	check_share(&h, 8, "68.42 %");
	histogram_free(&h);
}

static void case_14_counts_beyond_32_bits(void **state)
{
	static const uint64_t rows[][2] = { { 1, 5012345678 }, { 8, 4294967296 } };
	struct distribution d;
	struct histogram h;

	(void)state;
	fill(&h, rows, 2);
	d = distribution_of(&h);
	assert_int_equal(d.total, 9307312974);
	assert_int_equal(d.drains, 4294967296);
	assert_string_equal(format_number(d.mean, 3).s, "4.230");
	check_share(&h, 1, "53.85 %");
	check_share(&h, 8, "46.15 %");
	histogram_free(&h);
}

static void sums_beyond_64_bits_are_unknown(void **state)
{
	static const uint64_t rows[][2] = { { 1, UINT64_MAX - 1 }, { 2, UINT64_MAX - 1 } };
	struct histogram h;

	(void)state;
	fill(&h, rows, 2);
	assert_true(distribution_of(&h).total == COUNT_UNKNOWN);
	/* Equal counts of 1 and 2: the mean is exact however large they are. */
	assert_string_equal(format_number(distribution_of(&h).mean, 3).s, "1.500");
	assert_int_equal(distribution_quantile(&h, 50), 1);
	histogram_free(&h);
}

static void nothing_has_no_mean(void **state)
{
	struct histogram h = { 0 };

	(void)state;
	assert_int_equal(distribution_of(&h).total, 0);
	assert_true(isnan(distribution_of(&h).mean));
	assert_int_equal(distribution_quantile(&h, 50), 0);
}

static void values_of_several_are_merged(void **state)
{
	static const uint64_t a[][2] = { { 2, 1 }, { 8, 1 } }, b[][2] = { { 1, 1 }, { 8, 1 } };
	struct histogram x, y;
	const struct histogram *both[] = { &x, &y };
	uint64_t *v;

	(void)state;
	fill(&x, a, 2);
	fill(&y, b, 2);
	assert_int_equal(distribution_values(both, 2, &v), 3);
	assert_true(v[0] == 1 && v[1] == 2 && v[2] == 8);
	free(v);
	histogram_free(&x);
	histogram_free(&y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_grouped_and_exact),
		cmocka_unit_test(what_is_not_known_is_not_a_number),
		cmocka_unit_test(changes_carry_their_sign),
		cmocka_unit_test(seconds_keep_what_matters),
		cmocka_unit_test(foreign_bytes_become_harmless),
		cmocka_unit_test(markup_and_gnuplot_strings_are_quoted),
		cmocka_unit_test(times_are_read_in_any_locale),
		cmocka_unit_test(case_1_both_tables),
		cmocka_unit_test(case_14_counts_beyond_32_bits),
		cmocka_unit_test(sums_beyond_64_bits_are_unknown),
		cmocka_unit_test(nothing_has_no_mean),
		cmocka_unit_test(values_of_several_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
