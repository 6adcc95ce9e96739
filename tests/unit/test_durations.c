// SPDX-License-Identifier: GPL-2.0
/* Spellings of numbers. Values are what the text says; cases 13, 14 and 68 are marked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/quantity.h"
#include "render/format.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void is(const char *text, enum quantity_kind kind, double value, const char *unit)
{
	struct quantity q;
	enum quantity_answer a = quantity_parse(text, strlen(text), &q);

	if (a != QUANTITY_OK || q.kind != kind || strcmp(q.unit, unit) ||
	    !(fabs(q.number * q.scale - value) <= 1e-12 * fabs(value)))
		fail_msg("'%s': answer %d, kind %d, %.17g '%s'", text, a, q.kind,
			 q.number * q.scale, q.unit);
}

static void answers(const char *text, enum quantity_answer want)
{
	struct quantity q;

	if (quantity_parse(text, strlen(text), &q) != want)
		fail_msg("'%s' is not answered with %d", text, want);
}

static void test_plain(void **state)
{
	(void)state;
	is("0", QUANTITY_PLAIN, 0, "");
	is("14.25", QUANTITY_PLAIN, 14.25, "");
	is("-3", QUANTITY_PLAIN, -3, "");
	is("+3.5", QUANTITY_PLAIN, 3.5, "");
	is(".5", QUANTITY_PLAIN, 0.5, "");
	is("1.5e-3", QUANTITY_PLAIN, 0.0015, "");
	is("2E+6", QUANTITY_PLAIN, 2e6, "");
	is("1,400,000", QUANTITY_PLAIN, 1400000, "");
	is("1.400.000", QUANTITY_PLAIN, 1400000, "");
	is("1,234.5", QUANTITY_PLAIN, 1234.5, "");
}

/* Case 68, and its neighbours on both sides of the line. */
static void test_decimal_comma(void **state)
{
	(void)state;
	is("3,08", QUANTITY_PLAIN, 3.08, "");
	is("1.234,5", QUANTITY_PLAIN, 1234.5, "");
	is("0,123", QUANTITY_PLAIN, 0.123, "");
	is("1234,567", QUANTITY_PLAIN, 1234.567, "");
	is("0m11,84s", QUANTITY_TIME, 11.84, "s");
	answers("12,345", QUANTITY_AMBIGUOUS);
	answers("1,234", QUANTITY_AMBIGUOUS);
	answers("12,345s", QUANTITY_AMBIGUOUS);
	answers("1,23.4", QUANTITY_AMBIGUOUS);
	answers("56.9,57.3", QUANTITY_AMBIGUOUS);
}

/* Case 13: 39:42.90 is 39 * 60 + 42.9 = 2382.90 s. */
static void test_times(void **state)
{
	(void)state;
	is("39:42.90", QUANTITY_TIME, 2382.90, "s");
	is("1:02.50", QUANTITY_TIME, 62.5, "s");
	is("1:02:03", QUANTITY_TIME, 3723, "s");
	is("1m2.5s", QUANTITY_TIME, 62.5, "s");
	is("0m11.84s", QUANTITY_TIME, 11.84, "s");
	is("1h2m3s", QUANTITY_TIME, 3723, "s");
	is("14.2s", QUANTITY_TIME, 14.2, "s");
	is("850ms", QUANTITY_TIME, 0.85, "ms");
	is("12us", QUANTITY_TIME, 12e-6, "us");
	is("12\xc2\xb5s", QUANTITY_TIME, 12e-6, "us");
	is("12\xce\xbcs", QUANTITY_TIME, 12e-6, "us");
	is("1500ns", QUANTITY_TIME, 1.5e-6, "ns");
	is("2min", QUANTITY_TIME, 120, "min");
}

/* Case 14: K, M and G are thousands, and whoever wrote them has rounded. */
static void test_counts(void **state)
{
	struct quantity q;

	(void)state;
	is("1200M", QUANTITY_PLAIN, 1.2e9, "");
	is("9.0K", QUANTITY_PLAIN, 9000, "");
	is("3k", QUANTITY_PLAIN, 3000, "");
	quantity_parse("1200M", 5, &q);
	assert_true(q.rounded && q.count == COUNT_UNKNOWN);
	quantity_parse("9007199254740993", 16, &q);
	assert_true(!q.rounded && q.count == 9007199254740993u);
	quantity_parse("18446744073709551616", 20, &q);
	assert_true(q.count == COUNT_UNKNOWN);
	quantity_parse("1,400,000", 9, &q);
	assert_true(q.count == 1400000);
	quantity_parse("-5", 2, &q);
	assert_true(q.count == COUNT_UNKNOWN && q.sign);
}

static void test_units(void **state)
{
	struct quantity q;

	(void)state;
	is("150MB", QUANTITY_AMOUNT, 150e6, "MB");
	is("64kB", QUANTITY_AMOUNT, 64e3, "kB");
	is("1.5GiB", QUANTITY_AMOUNT, 1.5 * 1024 * 1024 * 1024, "GiB");
	is("154MB/s", QUANTITY_RATE, 154e6, "MB/s");
	is("61000ops/sec", QUANTITY_RATE, 61000, "ops/s");
	is("-18.7%", QUANTITY_PERCENT, -18.7, "%");
	quantity_parse("22.09", 5, &q);
	assert_true(quantity_attach_unit(&q, "s", 1) && q.kind == QUANTITY_TIME);
	assert_false(quantity_attach_unit(&q, "s", 1)); /* it has one */
	quantity_parse("5", 1, &q);
	assert_false(quantity_attach_unit(&q, "m", 1));
	assert_false(quantity_attach_unit(&q, "runs", 4));
	assert_true(q.kind == QUANTITY_PLAIN && q.count == 5);
	assert_true(quantity_attach_unit(&q, "MB/s", 4) && q.kind == QUANTITY_RATE);
}

static void test_words(void **state)
{
	static const char *const words[] = {
		"",	  "-",	"real", "6.12.117", "1st-qrtle",  "nan",	"inf",
		"0x10",	  "5.", ",5",	"1:2",	    "1:75",	  "1:02:03:04", "1s2m",
		"5sm",	  "s",	"--3",	"1.5:20",   "12q",	  "MB/s",	"3/s",
		"1200MM", "%",	"1m2",	"5m/s",	    "2019-10-18",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		answers(words[i], QUANTITY_NONE);
	answers("1e31", QUANTITY_RANGE);
	answers("1e9999", QUANTITY_RANGE);
}

/* No byte beyond the length is looked at, whatever the text: a sanitizer watches the exact copy. */
static void test_any_bytes(void **state)
{
	static const char alphabet[] = "0123459.,:-+eEsmhKMGkB%/i \xc2\xb5";
	uint32_t x = 7;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		size_t len = (size_t)round % 9;
		char *exact = malloc(len + !len);
		struct quantity q;

		for (size_t i = 0; i < len; i++) {
			x = x * 1664525 + 1013904223;
			exact[i] = alphabet[(x >> 16) % (sizeof(alphabet) - 1)];
		}
		if (quantity_parse(exact, len, &q) == QUANTITY_OK)
			assert_true(isfinite(q.number * q.scale));
		free(exact);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	  cmocka_unit_test(test_decimal_comma),
		cmocka_unit_test(test_times),	  cmocka_unit_test(test_counts),
		cmocka_unit_test(test_units),	  cmocka_unit_test(test_words),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
