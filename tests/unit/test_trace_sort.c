// SPDX-License-Identifier: GPL-2.0
/* Sorting: stable, seq decides ties of recordings, bounded memory for any number of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/resource.h>

#include "tests/unit/trace_tools.h"

static struct error error;

static void add(struct trace_sorter *s, uint64_t t_ns, uint64_t ret, int seq)
{
	struct event ev;

	event_init(&ev, EV_RA, t_ns);
	event_set(&ev, RA_RET, ret);
	if (seq >= 0)
		event_set(&ev, KEY_SEQ, (uint64_t)seq);
	assert_int_equal(trace_sorter_add(s, &ev, &error), 0);
}

/* Finish and compare the RA_RET values in order. */
static void finish(struct trace_writer *w, const char *path, const uint64_t *want, size_t n)
{
	struct trace_reader *r;
	struct event ev;

	assert_int_equal(trace_finish(w, NULL, &error), 0);
	assert_int_equal(trace_open(&r, path, &error), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(trace_next(r, &ev, &error), 1);
		assert_int_equal(ev.v[RA_RET], want[i]);
	}
	assert_int_equal(trace_next(r, &ev, &error), 0);
	trace_close(r);
	unlink(path);
}

static void test_ties(void **state)
{
	const char *path = test_path("ties");
	struct trace_writer *w = create_trace(path);
	struct trace_sorter *s;
	bool unsorted;
	/*
	 * Time 10 holds 1 (seq 7), 2 (none), 3 (seq 3), 4 (none), 5 (seq 5): the places of 1, 3, 5
	 * are filled with 3, 5, 1, and 2 and 4 stay.
	 */
	static const uint64_t want[] = { 6, 3, 2, 5, 4, 1, 7 };

	(void)state;
	assert_int_equal(trace_sorter_new(&s, w, &error), 0);
	add(s, 10, 1, 7);
	add(s, 10, 2, -1);
	add(s, 10, 3, 3);
	add(s, 11, 7, 0);
	add(s, 10, 4, -1);
	add(s, 10, 5, 5);
	add(s, 9, 6, 99);
	assert_int_equal(trace_sorter_end(s, &unsorted, &error), 0);
	assert_true(unsorted);
	finish(w, path, want, 7);
}

static void test_advance(void **state)
{
	const char *path = test_path("advance");
	struct trace_writer *w = create_trace(path);
	struct trace_sorter *s;
	bool unsorted;
	uint64_t events;
	static const uint64_t want[] = { 1, 2, 3, 4, 5 };

	(void)state;
	assert_int_equal(trace_sorter_new(&s, w, &error), 0);
	assert_int_equal(trace_sorter_advance(s, 0, &error), 0);
	add(s, 10, 1, -1);
	add(s, 30, 4, -1);
	assert_int_equal(trace_sorter_advance(s, 20, &error), 0);
	assert_int_equal(trace_flush(w, &error), 0);
	trace_written(w, &events);
	assert_int_equal(events, 1); /* the event at 10 is out, that at 30 waits */
	add(s, 20, 2, -1);
	add(s, 29, 3, -1);
	assert_int_equal(trace_sorter_advance(s, 30, &error), 0);
	assert_int_equal(trace_flush(w, &error), 0);
	trace_written(w, &events);
	assert_int_equal(events, 3);
	add(s, 30, 5, -1);
	assert_int_equal(trace_sorter_end(s, &unsorted, &error), 0);
	assert_true(unsorted); /* 20 came after 30 */
	finish(w, path, want, 5);
}

/* An event from before what was already written is an error, not a broken trace. */
static void test_late_event(void **state)
{
	const char *path = test_path("late");
	struct trace_writer *w = create_trace(path);
	struct trace_sorter *s;
	static const uint64_t want[] = { 1 };

	(void)state;
	assert_int_equal(trace_sorter_new(&s, w, &error), 0);
	add(s, 10, 1, -1);
	assert_int_equal(trace_sorter_advance(s, 11, &error), 0);
	add(s, 5, 2, -1);
	assert_int_equal(trace_sorter_end(s, NULL, &error), -EINVAL);
	finish(w, path, want, 1);
}

/*
 * 2 million events in random order, many of them at one time: they come out by time, and within a
 * time in the order they were added. The memory stays below 200 MB, packed they take some 80 MB.
 */
static void times_ten(void *arg, struct event *ev)
{
	unsigned int *seen = arg;

	event_set(ev, RA_RET, ev->v[RA_RET] * 10 + (*seen)++);
}

/* What looks at each event last sees them in the order in which they are written. */
static void test_last_look(void **state)
{
	const char *path = test_path("last");
	struct trace_writer *w = create_trace(path);
	struct trace_sorter *s;
	static const uint64_t want[] = { 30, 21, 12 };
	unsigned int seen = 0;

	(void)state;
	assert_int_equal(trace_sorter_new(&s, w, &error), 0);
	trace_sorter_last(s, times_ten, &seen);
	add(s, 30, 1, -1);
	add(s, 20, 2, -1);
	add(s, 10, 3, -1);
	assert_int_equal(trace_sorter_advance(s, 15, &error), 0);
	assert_int_equal(trace_sorter_end(s, NULL, &error), 0);
	finish(w, path, want, 3);
}

static void test_spilling(void **state)
{
	const uint32_t n = 2000000, times = 50000;
	const char *path = test_path("spill");
	struct trace_writer *w = create_trace(path);
	struct trace_sorter *s;
	struct trace_reader *r;
	struct event ev;
	struct rusage usage;
	uint64_t random = 1, last_ns = 0, last_added = 0, sum = 0;

	(void)state;
	assert_int_equal(trace_sorter_new(&s, w, &error), 0);
	for (uint32_t i = 0; i < n; i++) {
		event_init(&ev, EV_READ, next_random(&random) % times);
		event_set(&ev, READ_OFF, i);
		event_set(&ev, READ_NS, next_random(&random));
		assert_int_equal(trace_sorter_add(s, &ev, &error), 0);
	}
	assert_int_equal(trace_sorter_end(s, NULL, &error), 0);
	assert_int_equal(trace_finish(w, NULL, &error), 0);
	assert_int_equal(trace_open(&r, path, &error), 0);
	for (uint32_t i = 0; i < n; i++) {
		if (trace_next(r, &ev, &error) != 1 || ev.t_ns < last_ns ||
		    (i && ev.t_ns == last_ns && ev.v[READ_OFF] <= last_added))
			fail_msg("event %u is out of order", i);
		last_ns = ev.t_ns;
		last_added = ev.v[READ_OFF];
		sum += last_added;
	}
	assert_int_equal(sum, (uint64_t)n * (n - 1) / 2); /* each of them once */
	assert_int_equal(trace_next(r, &ev, &error), 0);
	trace_close(r);
	unlink(path);
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
#ifndef __SANITIZE_ADDRESS__
	assert_true(usage.ru_maxrss < 200 << 10);
#endif
}

/* The same while the recorder says again and again how far time is over: what is older gets out. */
static void test_spilling_and_advance(void **state)
{
	const uint32_t n = 1200000, window = 700000;
	const char *path = test_path("window");
	struct trace_writer *w = create_trace(path);
	struct trace_sorter *s;
	struct trace_reader *r;
	struct event ev;
	uint64_t random = 1, last_ns = 0, events;

	(void)state;
	assert_int_equal(trace_sorter_new(&s, w, &error), 0);
	for (uint32_t i = 0; i < n; i++) {
		event_init(&ev, EV_READ, window + i - next_random(&random) % window);
		for (unsigned int k = 0; k < READ_KEYS; k++)
			event_set(&ev, k, UINT64_MAX); /* long when packed, so that runs are made */
		ev.v[READ_CAUSE] = READ_RA;
		assert_int_equal(trace_sorter_add(s, &ev, &error), 0);
		if (i % 400000 == 399999)
			assert_int_equal(trace_sorter_advance(s, i, &error), 0);
	}
	trace_written(w, &events);
	assert_true(events > 0);
	assert_int_equal(trace_sorter_end(s, NULL, &error), 0);
	assert_int_equal(trace_finish(w, NULL, &error), 0);
	assert_int_equal(trace_open(&r, path, &error), 0);
	for (uint32_t i = 0; i < n; i++) {
		if (trace_next(r, &ev, &error) != 1 || ev.t_ns < last_ns)
			fail_msg("event %u is out of order", i);
		last_ns = ev.t_ns;
	}
	assert_int_equal(trace_next(r, &ev, &error), 0);
	trace_close(r);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ties),	   cmocka_unit_test(test_advance),
		cmocka_unit_test(test_late_event), cmocka_unit_test(test_last_look),
		cmocka_unit_test(test_spilling),   cmocka_unit_test(test_spilling_and_advance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
