// SPDX-License-Identifier: GPL-2.0
/* Calibrations: what is measured, the file, and what follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "doctor/calibrate.h"
#include "replay/lru_cost.h"
#include "tests/unit/trace_tools.h"

#define GOOD                                                                                       \
	"# swaptrace calibration 1\n"                                                              \
	"# a remark\n"                                                                             \
	"cpu=A CPU\nrelease=5.6.4\nemulated=1\nrounds=51\n"                                        \
	"outline-mb=30 29 31\ninline-mb=28 27 29\ninline-relaxed=20.5 20 21\nno-barrier=20 19 "    \
	"21\n"                                                                                     \
	"call=2 1 3\nbarrier=7.5 -1 8\nboth=9.5 9 10\n"

static int read_text(const char *text, struct calibration *c, struct error *e)
{
	const char *path = test_path("calibration");
	int ret;

	put_file(path, text, strlen(text));
	ret = calibration_read(path, c, e);
	unlink(path);
	return ret;
}

static void a_file_is_read(void **state)
{
	struct calibration c;
	struct error e;

	(void)state;
	assert_int_equal(read_text(GOOD, &c, &e), 0);
	assert_string_equal(c.cpu, "A CPU");
	assert_string_equal(c.release, "5.6.4");
	assert_int_equal(c.emulated, 1);
	assert_int_equal(c.rounds, 51);
	assert_true(c.way[LRUADD_OUTLINE_MB].median == 30);
	assert_true(c.barrier.low == -1);
	assert_false(c.have_read);
	assert_true(calibration_extra(&c, LRUADD_OUTLINE_MB) == 10);
	assert_true(calibration_extra(&c, LRUADD_INLINE_RELAXED) == 0.5);
	assert_true(calibration_extra(&c, LRUADD_NO_BARRIER) == 0);
	assert_int_equal(read_text(GOOD "read-first=400 390 410\nread-again=200 190 210\n", &c, &e),
			 0);
	assert_true(c.have_read);
	assert_int_equal(read_text(GOOD "read-first=400 390 410\n", &c, &e), 0);
	assert_false(c.have_read);
}

static void impossible_files_are_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "no calibration" },
		{ "# swaptrace text 1\ncpu=a\n", "no calibration" },
		{ "# swaptrace calibration 1\ncall=2 1 3\n", "holds no 'outline-mb'" },
		{ GOOD "call=2 1 3\n", "line 14 is not a line" }, /* a second time */
		{ GOOD "what\n", "line 14 is not a line" },
		{ GOOD "read-first=0 0 0\n", "line 14 is not a line" },
		{ GOOD "read-first=4 5 6\n",
		  "line 14 is not a line" }, /* the median below a quartile */
		{ GOOD "read-first=5 4\n", "line 14 is not a line" },
		{ GOOD "read-first=5 4 6 7\n", "line 14 is not a line" },
		{ GOOD "read-first=nan nan nan\n", "line 14 is not a line" },
		{ GOOD "read-first=5 4 inf\n", "line 14 is not a line" },
		{ GOOD "read-first=5 4 1e9\n", "line 14 is not a line" },
		{ GOOD "rounds=-1\n", "line 14 is not a line" },
		{ GOOD "rounds=10002\n", "line 14 is not a line" },
		{ GOOD "emulated=2\n", "line 14 is not a line" },
	};
	struct calibration c;
	struct error e;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_text(rows[i].text, &c, &e), -EBADMSG);
		if (!strstr(e.text, rows[i].says))
			fail_msg("row %zu: %s", i, e.text);
	}
	assert_int_equal(calibration_read("/nonexistent/file", &c, &e), -ENOENT);
}

/* What can not be printed on a terminal is not kept. */
static void names_are_harmless(void **state)
{
	struct calibration c;
	struct error e;

	(void)state;
	assert_int_equal(read_text(GOOD "cpu=a\033[31mb\377\n", &c, &e), 0);
	assert_string_equal(c.cpu, "a?[31mb?");
}

static void a_measurement_survives_the_file(void **state)
{
	const char *path = test_path("calibration");
	struct calibration c, back;
	struct error e;
	FILE *f;

	(void)state;
	assert_int_equal(calibrate(&c, 11, ".", &e), 0);
	assert_int_equal(c.rounds, 11);
	for (int way = LRUADD_OUTLINE_MB; way <= LRUADD_NO_BARRIER; way++) {
		assert_true(c.way[way].low > 0);
		assert_true(c.way[way].low <= c.way[way].median);
		assert_true(c.way[way].median <= c.way[way].high);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	calibration_write(f, &c);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(calibration_read(path, &back, &e), 0);
	unlink(path);
	assert_string_equal(back.cpu, c.cpu);
	assert_string_equal(back.release, c.release);
	assert_int_equal(back.rounds, c.rounds);
	assert_int_equal(back.emulated, c.emulated);
	assert_int_equal(back.have_read, c.have_read);
	/* Four digits are kept. */
	assert_true(fabs(back.call.median - c.call.median) < 1e-4);
	assert_true(fabs(back.both.low - c.both.low) < 1e-4);
	assert_true(fabs(back.way[LRUADD_INLINE_MB].high - c.way[LRUADD_INLINE_MB].high) < 1e-4);
	assert_int_equal(calibrate(&c, 2, NULL, &e), -EINVAL);
	assert_int_equal(calibrate(&c, CALIBRATE_ROUNDS_MAX + 1, NULL, &e), -EINVAL);
}

/* 4096 bytes at 150 MB/s: 27.31 us. From 100 ns to 80 ns a page the rate grows by a quarter. */
static void gains_follow_from_times(void **state)
{
	(void)state;
	assert_true(fabs(lru_cost_page_ns(150, 4096) - 27306.6667) < 1e-3);
	assert_true(fabs(lru_cost_gain(100, 20) - 25) < 1e-9);
	assert_true(lru_cost_gain(100, 0) == 0);
	/* What the published rates differ by gives back the published gain of 2.67 %. */
	assert_true(fabs(lru_cost_gain(lru_cost_page_ns(150, 4096),
				       lru_cost_page_ns(150, 4096) - lru_cost_page_ns(154, 4096)) -
			 100 * (154 - 150) / 150.0) < 1e-9);
	assert_true(isnan(lru_cost_gain(100, 100)));
	assert_true(isnan(lru_cost_gain(NAN, 1)));
}

/* 1000 pages at 10 ns more than without barrier and call. */
static void pages_of_a_replay_cost(void **state)
{
	struct lru_result r = { .known = true, .added = 1000, .lruadd = LRUADD_OUTLINE_MB };
	struct calibration c;
	struct error e;

	(void)state;
	assert_int_equal(read_text(GOOD, &c, &e), 0);
	lru_cost_estimate(&c, &r);
	assert_true(r.cost_known);
	assert_true(fabs(r.cost_seconds - 1e-5) < 1e-15);
	r = (struct lru_result){ .known = true, .added = LRU_UNKNOWN, .lruadd = LRUADD_INLINE_MB };
	lru_cost_estimate(&c, &r);
	assert_false(r.cost_known);
	r = (struct lru_result){ .added = 5, .lruadd = LRUADD_INLINE_MB };
	lru_cost_estimate(&c, &r);
	assert_false(r.cost_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(impossible_files_are_refused),
		cmocka_unit_test(names_are_harmless),
		cmocka_unit_test(a_measurement_survives_the_file),
		cmocka_unit_test(gains_follow_from_times),
		cmocka_unit_test(pages_of_a_replay_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
