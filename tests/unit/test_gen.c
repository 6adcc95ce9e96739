// SPDX-License-Identifier: GPL-2.0
/* Generated traces: the same for the same seed, in themselves consistent, what their options say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/trace_tools.h"
#include "traces/gen_priv.h"

#define MIB 256ull /* pages */

static struct error error;

/* A small machine: 12 MiB of which 4 may be in memory. */
static void small_mthp(struct gen_options *o)
{
	gen_defaults(o, GEN_MTHP);
	o->memory = 12 * MIB;
	o->limit = 4 * MIB;
	o->device = 16 * MIB;
	o->cpus = 4;
}

static struct trace_reader *generate(const struct gen_options *o, const char *path)
{
	struct trace_reader *r;

	assert_int_equal(gen_write(o, path, &error), 0);
	assert_int_equal(trace_open(&r, path, &error), 0);
	return r;
}

static void test_random(void **state)
{
	struct gen_stream s = { .rng = 1234567 };

	(void)state;
	/* The first outputs of splitmix64 for this seed as its users publish them, modulo 2^63. */
	assert_true(gen_random(&s, 1ull << 63) == 6457827717110365317u);
	assert_true(gen_random(&s, 1ull << 63) == 3203168211198807973u);
	assert_true(gen_random(&s, 1ull << 63) == 9817491932198370423u - (1ull << 63));
}

static void test_same_seed(void **state)
{
	struct gen_options o;
	uint8_t *first, *again, *other;
	size_t n, m, k;

	(void)state;
	small_mthp(&o);
	assert_int_equal(gen_write(&o, test_path("a"), &error), 0);
	assert_int_equal(gen_write(&o, test_path("b"), &error), 0);
	o.seed = 2;
	assert_int_equal(gen_write(&o, test_path("c"), &error), 0);
	first = get_file(test_path("a"), &n);
	again = get_file(test_path("b"), &m);
	other = get_file(test_path("c"), &k);
	assert_int_equal(n, m);
	assert_memory_equal(first, again, n);
	assert_true(n != k || memcmp(first, other, n));
	free(first);
	free(again);
	free(other);
	unlink(test_path("a"));
	unlink(test_path("b"));
	unlink(test_path("c"));
}

/* --- streams of swap-outs ------------------------------------------------------------------------
 */

/* What a stream adds up to, checked on the way. */
struct sums {
	uint64_t asked[GEN_ORDERS]; /* SWAPOUT events */
	uint64_t pages_out, pages_in, zapped;
	uint64_t live; /* pages in swap at the end */
};

/* Names are given once at a time, aligned; only what was given is dropped. */
static void follow(struct trace_reader *r, unsigned int cpus, struct sums *sum)
{
	uint64_t room = 1 << 16, order = 0, n;
	uint8_t *live = calloc(room, 1);
	struct event ev;
	bool asked = false;

	assert_non_null(live);
	memset(sum, 0, sizeof(*sum));
	while (trace_next(r, &ev, &error) == 1) {
		assert_true(ev.cpu >= 0 && ev.cpu < (int)cpus);
		if (ev.type == EV_SWAPOUT) {
			assert_false(asked);
			asked = true;
			order = ev.v[SWAPOUT_ORDER];
			sum->asked[order]++;
			continue;
		}
		assert_int_equal(asked, ev.type == EV_ALLOC);
		asked = false;
		if (ev.type == EV_ALLOC) {
			assert_int_equal(ev.v[ALLOC_ORDER], order);
			assert_int_equal(ev.v[ALLOC_TYPE], GEN_IMAGINARY);
			n = 1ull << order;
			assert_int_equal((ev.v[ALLOC_OFF] - 1) % n, 0);
			assert_true(ev.v[ALLOC_OFF] + n < room);
			for (uint64_t i = 0; i < n; i++)
				assert_int_equal(live[ev.v[ALLOC_OFF] + i]++, 0);
			sum->pages_out += n;
			continue;
		}
		assert_int_equal(ev.type, EV_UNREF);
		assert_int_equal(ev.v[UNREF_TYPE], GEN_IMAGINARY);
		for (uint64_t i = 0; i < ev.v[UNREF_N]; i++)
			assert_int_equal(live[ev.v[UNREF_OFF] + i]--, 1);
		if (ev.v[UNREF_HOW] == UNREF_SWAPIN)
			sum->pages_in += ev.v[UNREF_N];
		else
			sum->zapped += ev.v[UNREF_N];
	}
	assert_false(asked);
	sum->live = sum->pages_out - sum->pages_in - sum->zapped;
	free(live);
}

static void test_mthp(void **state)
{
	const char *path = test_path("mthp");
	struct gen_options o;
	struct trace_reader *r;
	struct sums sum;

	(void)state;
	small_mthp(&o);
	r = generate(&o, path);
	follow(r, o.cpus, &sum);
	trace_close(r);
	/*
	 * 12 MiB written, at most 4 in memory: 8 MiB are in swap at the end, and the part of the
	 * last folio (2^9 pages at the most) that had to go to make room for less than a folio.
	 */
	assert_true(sum.live >= 8 * MIB && sum.live < 8 * MIB + 512);
	assert_true(sum.pages_in > 0 && sum.asked[0] > 0);
	assert_int_equal(sum.zapped, 0);
	unlink(path);
}

/* Nothing is accessed twice: each folio goes out at most once, as it was written. */
static void test_untouched(void **state)
{
	const char *path = test_path("untouched");
	struct gen_options o;
	struct trace_reader *r;
	struct sums sum;

	(void)state;
	small_mthp(&o);
	o.touches = 0;
	o.rewrite = 0;
	o.second_chance = false;
	assert_int_equal(gen_orders_parse(&o, "4:1", &error), 0);
	r = generate(&o, path);
	follow(r, o.cpus, &sum);
	trace_close(r);
	/* 8 MiB in folios of 64 kB. */
	assert_int_equal(sum.asked[4], 128);
	assert_int_equal(sum.pages_out, 8 * MIB);
	assert_int_equal(sum.pages_in, 0);
	unlink(path);
}

static void test_weights(void **state)
{
	const char *path = test_path("weights");
	struct gen_options o;
	struct trace_reader *r;
	struct sums sum;

	(void)state;
	small_mthp(&o);
	o.touches = 0;
	o.rewrite = 0;
	o.memory = 100 * MIB;
	o.second_chance = false;
	assert_int_equal(gen_orders_parse(&o, "2:3,3:1", &error), 0);
	r = generate(&o, path);
	follow(r, o.cpus, &sum);
	trace_close(r);
	/*
	 * 96 MiB = 24576 pages in folios of 4 and 8 pages, 3 to 1: 20 pages for four folios, so
	 * 4915 of which 3686 and 1229, with a standard deviation of sqrt(4915 * 3/16) = 30.
	 */
	assert_in_range(sum.asked[2], 3686 - 150, 3686 + 150);
	assert_in_range(sum.asked[3], 1229 - 150, 1229 + 150);
	assert_int_equal(sum.asked[2] * 4 + sum.asked[3] * 8, sum.pages_out);
	unlink(path);
}

/* Pages that are read back page by page come back as order 0, in blocks where they are accessed so.
 */
static void test_rewrite(void **state)
{
	const char *path = test_path("rewrite");
	struct gen_options o;
	struct trace_reader *r;
	struct sums sum;

	(void)state;
	small_mthp(&o);
	o.touches = 0;
	o.rewrite = 25;
	o.second_chance = false;
	assert_int_equal(gen_orders_parse(&o, "4:1", &error), 0);
	r = generate(&o, path);
	follow(r, o.cpus, &sum);
	trace_close(r);
	/*
	 * The oldest 3 MiB come in as 768 pages, for which 48 more folios go out (those of 8 to 11
	 * MiB, none of which has come in).
	 */
	assert_int_equal(sum.pages_in, 3 * MIB);
	assert_int_equal(sum.asked[4], 128 + 48);
	assert_int_equal(sum.asked[0], 0);
	unlink(path);
}

static void test_tsat(void **state)
{
	const char *path = test_path("tsat");
	struct gen_options o;
	struct trace_reader *r;
	struct event ev;
	struct sums sum;

	(void)state;
	gen_defaults(&o, GEN_TSAT);
	o.small = true;
	o.iterations = 6;
	r = generate(&o, path);
	/* 60 MiB are 960 folios of 64 kB, and 4 MiB 1024 small pages: all go out at first. */
	for (unsigned int i = 0; i < 2 * (960 + 1024); i++) {
		assert_int_equal(trace_next(r, &ev, &error), 1);
		assert_int_equal(ev.type, i % 2 ? EV_ALLOC : EV_SWAPOUT);
		assert_int_equal(ev.v[0], i / 2 < 960 ? 4 : 0); /* order is the first key of both */
	}
	assert_int_equal(trace_rewind(r, &error), 0);
	follow(r, 1, &sum);
	trace_close(r);
	/* All is out again at the end of a round. */
	assert_int_equal(sum.live, 15360 + 1024);
	/*
	 * 256 draws of 960 units hit 960 * (1 - (959/960)^256) = 224.8 different ones, which is how
	 * many whole folios each of the six rounds sends out; five standard deviations (about 5)
	 * away at the most.
	 */
	assert_in_range(sum.asked[4], 960 + 6 * 225 - 150, 960 + 6 * 225 + 150);
	assert_true(sum.zapped > 0);
	unlink(path);
}

/* --- lookups -------------------------------------------------------------------------------------
 */

static uint64_t read_slots(struct trace_reader *r, uint64_t *off, uint64_t room)
{
	struct event ev;
	uint64_t n = 0;

	while (trace_next(r, &ev, &error) == 1) {
		assert_int_equal(ev.type, EV_LOOKUP);
		assert_true(n < room);
		off[n++] = ev.v[LOOKUP_OFF];
	}
	trace_close(r);
	return n;
}

static void expect_slots(const char *pattern, const uint64_t *want, uint64_t n)
{
	const char *path = test_path("lookups");
	struct gen_options o;
	uint64_t off[8];

	assert_int_equal(gen_pattern_parse(&o, pattern, &error), 0);
	o.start = 10;
	o.lookups = n;
	assert_int_equal(read_slots(generate(&o, path), off, 8), n);
	assert_memory_equal(off, want, n * sizeof(*want));
	unlink(path);
}

static void test_lookups(void **state)
{
	static const uint64_t up[] = { 10, 11, 12, 13 }, down[] = { 13, 12, 11, 10 };
	static const uint64_t seven[] = { 10, 17, 24 };

	(void)state;
	expect_slots("sequential", up, 4);
	expect_slots("reverse", down, 4);
	expect_slots("stride:7", seven, 3);
}

static void test_random_lookups(void **state)
{
	const char *path = test_path("shuffled");
	struct gen_options o;
	uint64_t off[300], seen[300] = { 0 }, same = 0;

	(void)state;
	assert_int_equal(gen_pattern_parse(&o, "random", &error), 0);
	o.start = 5;
	o.lookups = 300;
	assert_int_equal(read_slots(generate(&o, path), off, 300), 300);
	for (unsigned int i = 0; i < 300; i++) {
		assert_in_range(off[i], 5, 304);
		assert_int_equal(seen[off[i] - 5]++, 0);
		same += off[i] == i + 5;
	}
	/* A permutation leaves one in place on average. */
	assert_true(same < 10);
	assert_int_equal(gen_pattern_parse(&o, "mixed", &error), 0);
	o.start = 5;
	o.lookups = 300;
	o.stride = 3;
	assert_int_equal(read_slots(generate(&o, path), off, 300), 300);
	for (unsigned int i = 0; i < 300; i++)
		assert_in_range(off[i], 5, 304);
	unlink(path);
}

/* --- options -------------------------------------------------------------------------------------
 */

static void test_refused(void **state)
{
	static const char *const patterns[] = { "",	    "seq",	 "sequential:2", "stride:",
						"stride:x", "stride:-1", "mthp:",	 NULL };
	static const char *const orders[] = { "",     "4",     "4:",   "10:1",	  "-1:1",
					      "4:-1", "4:nan", "4:1,", "4:1;5:1", NULL };
	struct gen_options o;

	(void)state;
	for (unsigned int i = 0; patterns[i]; i++)
		assert_int_equal(gen_pattern_parse(&o, patterns[i], &error), -EINVAL);
	for (unsigned int i = 0; orders[i]; i++)
		assert_int_equal(gen_orders_parse(&o, orders[i], &error), -EINVAL);
	small_mthp(&o);
	assert_int_equal(gen_check(&o, &error), 0);
	o.block = 3;
	assert_int_equal(gen_check(&o, &error), -EINVAL);
	small_mthp(&o);
	o.memory = GEN_PAGES_MAX + 1;
	assert_int_equal(gen_check(&o, &error), -EINVAL);
	small_mthp(&o);
	assert_int_equal(gen_orders_parse(&o, "4:0", &error), 0);
	assert_int_equal(gen_check(&o, &error), -EINVAL);
	gen_defaults(&o, GEN_SEQUENTIAL);
	o.start = 0;
	assert_int_equal(gen_check(&o, &error), -EINVAL);
	gen_defaults(&o, GEN_STRIDE);
	o.lookups = o.stride = GEN_PAGES_MAX;
	assert_int_equal(gen_check(&o, &error), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),	       cmocka_unit_test(test_same_seed),
		cmocka_unit_test(test_mthp),	       cmocka_unit_test(test_untouched),
		cmocka_unit_test(test_weights),	       cmocka_unit_test(test_rewrite),
		cmocka_unit_test(test_tsat),	       cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_random_lookups), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
