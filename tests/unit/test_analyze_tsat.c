// SPDX-License-Identifier: GPL-2.0
/* Output of thp_swap_allocator_test: case 5, and lines that can't be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/swap_allocator_test.h"

#define LINE(n, out, back, share)                                                                  \
	"Iteration " n ": swpout inc: " out ", swpout fallback inc: " back                         \
	", Fallback percentage: " share "%\n"

static int read_text(const char *text, struct tsat *t, struct error *e)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	int ret;

	assert_non_null(f);
	ret = tsat_read(f, "pasted", t, e);
	fclose(f);
	return ret;
}

static void shares_are_those_of_the_counts(void **state)
{
	/* 100 * 2 / 960 = 0.2083; 349 / 960 = 36.354; 858 / 960 = 89.375 */
	static const double share[] = { 0, 0.208333, 36.354167, 89.375, 100 };
	static const char text[] = "other output\r\n" LINE("1", "960", "0", "0.00")
		LINE("2", "958", "2", "0.21") LINE("3", "611", "349", "36.35")
			LINE("4", "102", "858", "89.38") LINE("5", "0", "960", "100.00")
				LINE("6", "0", "0", "-nan") LINE("7", "0", "0", "nan");
	struct tsat t;
	struct error e;

	(void)state;
	assert_true(tsat_recognise(text, strlen(text)));
	assert_int_equal(read_text(text, &t, &e), 0);
	assert_int_equal(t.n, 7);
	for (unsigned int i = 0; i < 5; i++)
		assert_true(fabs(tsat_share(&t.v[i]) - share[i]) < 1e-6);
	assert_true(isnan(tsat_share(&t.v[5])) && isnan(tsat_share(&t.v[6])));
	assert_int_equal(t.wrong, 0);
	assert_int_equal(t.ignored, 1);
	assert_int_equal(t.first_ignored, 1);
	assert_int_equal(tsat_first_above(&t, 50)->number, 4);
	/* Above is more than: 89.375 is not above itself. */
	assert_int_equal(tsat_first_above(&t, 89.375)->number, 5);
	assert_null(tsat_first_above(&t, 100));
	tsat_free(&t);
}

static void percentages_that_are_not_those_of_the_counts(void **state)
{
	static const char text[] = LINE("1", "0", "0", "0.00") LINE("2", "1", "1", "nan")
		LINE("3", "1", "1", "50.01") LINE("4", "1", "1", "50.00");
	struct tsat t;
	struct error e;

	(void)state;
	assert_int_equal(read_text(text, &t, &e), 0);
	assert_int_equal(t.wrong, 3);
	tsat_free(&t);
}

static void lines_that_can_not_be(void **state)
{
	static const char *const texts[] = {
		"nothing\n",
		"Iteration 1: swpout inc: 1\n",
		LINE("1", "-1", "0", "0.00"),
		LINE("1", "1", "18446744073709551616", "0.00"),
		/* 2^62 and more could make the sum wrap around */
		LINE("1", "4611686018427387904", "0", "0.00"),
		LINE("1", "1", "1", "half"),
		LINE("1", "1", "1", "50") LINE("1", "1", "1", "50"),
	};
	struct tsat t;
	struct error e;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(read_text(texts[i], &t, &e), -EBADMSG);
	assert_false(tsat_recognise("", 0));
	assert_false(tsat_recognise("Iteration 1: swp", 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_those_of_the_counts),
		cmocka_unit_test(percentages_that_are_not_those_of_the_counts),
		cmocka_unit_test(lines_that_can_not_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
