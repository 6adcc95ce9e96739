// SPDX-License-Identifier: GPL-2.0
/* argdist's table written and read: cases 1, 14, 68, and thread T1's published histograms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/distribution.h"
#include "import/argdist.h"

static char *written(const struct histogram *h, const char *label, const time_t *when)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(argdist_write(f, h, label, when), 0);
	fclose(f);
	return text;
}

static int read_text(const char *text, struct histogram *h, struct argdist_notes *notes,
		     struct error *e)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	int ret;

	assert_non_null(f);
	memset(h, 0, sizeof(*h));
	ret = argdist_read(f, "pasted", h, notes, e);
	fclose(f);
	return ret;
}

/*
 * T1's vanilla histogram. The format is argdist's: label, a tab and "%-10s %s" for the header, a
 * tab and the same for each row, ascending by count.
 */
static void the_published_table(void **state)
{
	struct histogram h = { 0 };
	time_t when = 37331; /* 10:22:11 UTC */
	char *text;

	(void)state;
	histogram_add(&h, 1, 49290);
	histogram_add(&h, 2, 527771);
	histogram_add(&h, 4, 44151);
	histogram_add(&h, 8, 36948);
	setenv("TZ", "UTC", 1);
	text = written(&h, ARGDIST_PROBE, &when);
	assert_string_equal(text, "[10:22:11]\n"
				  "r::swapin_nr_pages(unsigned long offset):unsigned long:$retval\n"
				  "\tCOUNT      EVENT\n"
				  "\t36948      $retval = 8\n"
				  "\t44151      $retval = 4\n"
				  "\t49290      $retval = 1\n"
				  "\t527771     $retval = 2\n");
	free(text);
	histogram_free(&h);
}

static void equal_counts_ascend_by_value(void **state)
{
	struct histogram h = { 0 };
	char *text;

	(void)state;
	histogram_add(&h, 8, 5);
	histogram_add(&h, 1, 5);
	histogram_add(&h, 2, 12345678901);
	text = written(&h, "label", NULL);
	assert_string_equal(text, "label\n\tCOUNT      EVENT\n\t5          $retval = 1\n"
				  "\t5          $retval = 8\n\t12345678901 $retval = 2\n");
	free(text);
	histogram_free(&h);
}

static void nothing_is_a_header(void **state)
{
	struct histogram h = { 0 };
	char *text = written(&h, "label", NULL);

	(void)state;
	assert_string_equal(text, "label\n\tCOUNT      EVENT\n");
	free(text);
}

static void case_1_is_read(void **state)
{
	struct argdist_notes notes;
	struct histogram h;
	struct error e;

	(void)state;
	assert_int_equal(
		read_text("[10:02:11]\n"
			  "r::swapin_nr_pages(unsigned long offset):unsigned long:$retval\n"
			  "    COUNT      EVENT\n"
			  "    21044      $retval = 8\n"
			  "    25310      $retval = 4\n"
			  "    31877      $retval = 1\n"
			  "    301769     $retval = 2\n",
			  &h, &notes, &e),
		0);
	assert_int_equal(h.n, 4);
	assert_int_equal(distribution_count(&h, 8), 21044);
	assert_int_equal(distribution_count(&h, 4), 25310);
	assert_int_equal(distribution_count(&h, 1), 31877);
	assert_int_equal(distribution_count(&h, 2), 301769);
	assert_int_equal(notes.tables, 1);
	assert_false(notes.rounded);
	assert_int_equal(notes.ignored, 0);
	histogram_free(&h);
}

static void other_spellings_are_read(void **state)
{
	struct argdist_notes notes;
	struct histogram h;
	struct error e;

	(void)state;
	/* Windows line ends, no indent, the default expression, a remark and a prompt. */
	assert_int_equal(
		read_text("$ argdist -C ...\r\n12,345 $retval = 2\r\n7 retval = 1\r\nthanks\r\n",
			  &h, &notes, &e),
		0);
	assert_int_equal(distribution_count(&h, 2), 12345);
	assert_int_equal(distribution_count(&h, 1), 7);
	assert_int_equal(notes.ignored, 2);
	assert_int_equal(notes.first_ignored, 1);
	histogram_free(&h);
}

static void case_14_suffixes_are_rounded(void **state)
{
	struct argdist_notes notes;
	struct histogram h;
	struct error e;

	(void)state;
	assert_int_equal(read_text("1200M $retval = 1\n9.0K $retval = 2\n2G $retval = 4\n", &h,
				   &notes, &e),
			 0);
	assert_int_equal(distribution_count(&h, 1), 1200000000);
	assert_int_equal(distribution_count(&h, 2), 9000);
	assert_int_equal(distribution_count(&h, 4), 2000000000);
	assert_true(notes.rounded);
	histogram_free(&h);
}

static void refuse(const char *text, const char *names)
{
	struct argdist_notes notes;
	struct histogram h;
	struct error e;

	assert_int_equal(read_text(text, &h, &notes, &e), -EBADMSG);
	assert_non_null(strstr(e.text, names));
	assert_int_equal(h.n, 0);
}

static void what_is_not_clear_is_refused_by_line(void **state)
{
	(void)state;
	refuse("5 $retval = 1\n1,23 $retval = 2\n", "line 2");
	refuse("1.234,5 $retval = 2\n", "line 1");
	refuse("1234,567 $retval = 2\n", "line 1");
	refuse("1,,234 $retval = 2\n", "line 1");
	refuse("12.345 $retval = 2\n", "line 1");
	refuse("12 $retval = two\n", "line 1");
	refuse("12 $retval = 2 3\n", "line 1");
	refuse("12\n", "line 1");
	refuse("18446744073709551616 $retval = 1\n", "64 bits");
	refuse("18446744073709551615 $retval = 1\n1 $retval = 1\n", "64 bits");
	refuse("1 $retval = 18446744073709551616\n", "64 bits");
	refuse("COUNT EVENT\n", "no argdist row");
	refuse("nothing here\n", "pasted");
}

static void several_tables_are_told_apart(void **state)
{
	struct argdist_notes notes;
	struct histogram h;
	struct error e;

	(void)state;
	/* Interval tables: 8 has fewer calls in the second one, so they add up. */
	assert_int_equal(read_text("COUNT EVENT\n5 $retval = 8\n6 $retval = 1\n"
				   "COUNT EVENT\n4 $retval = 8\n9 $retval = 1\n",
				   &h, &notes, &e),
			 0);
	assert_int_equal(notes.tables, 2);
	assert_false(notes.cumulative);
	assert_int_equal(distribution_count(&h, 8), 9);
	assert_int_equal(distribution_count(&h, 1), 15);
	histogram_free(&h);
	/* Running totals (argdist -c): the last one counts. */
	assert_int_equal(
		read_text("COUNT EVENT\n5 $retval = 8\nCOUNT EVENT\n6 $retval = 8\n2 $retval = 1\n",
			  &h, &notes, &e),
		0);
	assert_true(notes.cumulative);
	assert_int_equal(distribution_count(&h, 8), 6);
	assert_int_equal(distribution_count(&h, 1), 2);
	histogram_free(&h);
}

static void what_is_written_is_read_back(void **state)
{
	struct histogram h = { 0 }, back;
	struct argdist_notes notes;
	struct error e;
	char *text;

	(void)state;
	for (uint64_t i = 0; i < 20; i++)
		histogram_add(&h, 1ull << i, 9007199254740993 / (i + 1));
	text = written(&h, ARGDIST_PROBE, NULL);
	assert_true(argdist_recognise(text, strlen(text)));
	assert_int_equal(read_text(text, &back, &notes, &e), 0);
	assert_int_equal(back.n, h.n);
	assert_memory_equal(back.bins, h.bins, h.n * sizeof(*h.bins));
	free(text);
	histogram_free(&h);
	histogram_free(&back);
}

static void other_files_are_not_taken_for_it(void **state)
{
	static const char trace[] = "# swaptrace text 1\n0 0 1 x RA ret=8\n";

	(void)state;
	assert_false(argdist_recognise(trace, sizeof(trace) - 1));
	assert_false(argdist_recognise("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_table),
		cmocka_unit_test(equal_counts_ascend_by_value),
		cmocka_unit_test(nothing_is_a_header),
		cmocka_unit_test(case_1_is_read),
		cmocka_unit_test(other_spellings_are_read),
		cmocka_unit_test(case_14_suffixes_are_rounded),
		cmocka_unit_test(what_is_not_clear_is_refused_by_line),
		cmocka_unit_test(several_tables_are_told_apart),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(other_files_are_not_taken_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
