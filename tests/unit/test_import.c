// SPDX-License-Identifier: GPL-2.0
/* Lines of perf script and trace-cmd: how they are split, and lines that mean harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "import/foreign_lines.h"
#include "import/format.h"
#include "tests/unit/trace_tools.h"

#define RETURN "probe:swapin_nr_pages__return: (ffffffff81300000 <- ffffffff81300abc) arg1=0x8"

static bool split(const char *line, struct foreign_event *f)
{
	return foreign_split(line, strlen(line), f);
}

static void assert_name(const struct foreign_event *f, const char *name)
{
	assert_int_equal(f->name_len, strlen(name));
	assert_memory_equal(f->name, name, f->name_len);
}

static void lines_are_read_from_the_right(void **state)
{
	struct foreign_event f;

	(void)state;
	/* A command that looks like a line of its own. */
	assert_true(split("1.5: x:y: 7 [002] 951.25: probe:ev: a=1", &f));
	assert_int_equal(f.t_ns, 951250000000);
	assert_name(&f, "ev");
	assert_int_equal(f.who_len, strlen("1.5: x:y: 7 [002]"));
	assert_int_equal(f.args_len, strlen("a=1"));
	/* A period before the event, nine decimals, no arguments. */
	assert_true(split("c 1 0.123456789:  4000 ev:", &f));
	assert_int_equal(f.t_ns, 123456789);
	assert_name(&f, "ev");
	assert_int_equal(f.args_len, 0);
}

static void times_that_can_not_be(void **state)
{
	static const char *const lines[] = {
		"",
		":",
		"c 1 .5: ev:",
		"c 1 5.: ev:",
		"c 1 5: ev:",
		"c 1 1.5:",
		"c 1 1.5: ev",
		"c 1 1.5: :",
		"c 1 x1.5: ev:",
		"c 1 -1.5: ev:",
		"c 1 1.1234567890: ev:",
		/* 2^64 ns is 18446744073.709551616 s. */
		"c 1 18446744073.709551616: ev:",
		"c 1 99999999999999999999.0: ev:",
	};
	struct foreign_event f;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_false(split(lines[i], &f));
	assert_true(split("c 1 18446744073.709551615: ev:", &f));
	assert_true(f.t_ns == UINT64_MAX);
}

static void formats_are_told_apart(void **state)
{
	static const struct {
		const char *head, *format;
	} files[] = {
		{ "c 1/2 [0] 1.5: ev: a=1\n", "perf" },
		{ "kworker/u16:2-x 88 1.5: ev: a=1\n", "perf" },
		{ "c-1 [0] 1.5: ev: a=1\n", "trace-cmd" },
		{ "cpus=1\n  a b-1 [0] d..1. 1.5: ev: a=1\n", "trace-cmd" },
		{ "# swaptrace text 1\n", "text" },
		{ "five words that are nothing\n", NULL },
		{ "c 1/2 [0] 1.5: ev: a=1", NULL }, /* perhaps cut in the middle */
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const struct format *in = format_of_trace(files[i].head, strlen(files[i].head));

		if (files[i].format)
			assert_string_equal(in ? in->name : "none", files[i].format);
		else
			assert_null(in);
	}
}

static int import_text_as(const char *format, const char *text, size_t len,
			  struct trace_stats *stats)
{
	const char *path = test_path("foreign.data");
	FILE *in = fmemopen((char *)text, len, "r");
	struct error e;
	int ret;

	assert_non_null(in);
	ret = format_by_name(format)->run(in, "pasted", path, stats, &e);
	fclose(in);
	return ret;
}

/* Whatever happens to a line, it is an event, a loss, or counted; nothing is read out of bounds. */
static void damaged_lines(void **state)
{
	static const char text[] = "Web Content  4412/4470 [003]   951.220011:  " RETURN "\n"
				   "LOST 42 events!\n"
				   "x 5 [001] 951.5: PERF_RECORD_LOST lost 7\n"
				   "\tffffffff81300abc swap+0x2c ([kernel.kallsyms])\n"
				   "cpus=4\nCPU 3 is empty\nCPU:2 [LOST 118 EVENTS]\n"
				   "a-2210 (2210) [002] d..1. 952.1: mm_swap_read: type=1 off=2\n"
				   "a-2210 (-----) [002]  952.2: mm_lru_insertion: x\n"
				   "a-1 [0] 953.1: lru_add_drain: (1) caller=exit_mmap+0xc1\n"
				   "a-1 [0] 953.2: lru_add_drain_cpu: (1) cpu=0\n"
				   "a-1 [0] 953.3: folio_batch_move_lru: (1) n=2 fn=lru_add+0x0\n"
				   "a-1 [0] 953.4: lru_add_drain_cpu__return: (1 <- 2)\n"
				   "a-1 [0] 9535: folio_batch_move_lru: (1) n=9 fn=lru_add+0x0\n";
	uint64_t seed = 20240620;

	(void)state;
	for (unsigned int i = 0; i < 3000; i++) {
		char copy[sizeof(text)];
		size_t len = sizeof(text) - 1 - next_random(&seed) % 600;
		struct trace_stats stats;
		int ret;

		memcpy(copy, text, sizeof(text));
		for (unsigned int k = next_random(&seed) % 8; k; k--)
			copy[next_random(&seed) % len] =
				" :.-[]()/0159\n\r\t"[next_random(&seed) % 16];
		ret = import_text_as(i & 1 ? "perf" : "trace-cmd", copy, len, &stats);
		assert_true(!ret || ret == -EBADMSG);
		if (!ret)
			assert_true(stats.events + stats.bad_lines + stats.unknown_events > 0);
	}
}

static void losses_add_up(void **state)
{
	/* 118 + 2 on CPU 2, 1 for a gap without a number on CPU 0; the last has no line behind it
	 */
	static const char text[] = "CPU:2 [LOST 118 EVENTS]\nCPU:2 [2 EVENTS DROPPED]\n"
				   "a-1 [002] 5.0: mm_swap_read: type=0 off=1\n"
				   "CPU:0 [LOST EVENTS]\n";
	struct trace_reader *r;
	struct trace_stats stats;
	struct error e;
	struct event ev;
	unsigned int cpu = 0;

	(void)state;
	assert_int_equal(import_text_as("trace-cmd", text, strlen(text), &stats), 0);
	assert_int_equal(stats.lost, 121);
	assert_int_equal(stats.bad_lines, 0);
	assert_int_equal(trace_open(&r, test_path("foreign.data"), &e), 0);
	while (trace_next(r, &ev, &e) > 0)
		;
	assert_int_equal(trace_get_stats(r)->lost, 121);
	assert_int_equal(trace_get_lost(r, &cpu), 1);
	assert_int_equal(cpu, 0);
	cpu = 1;
	assert_int_equal(trace_get_lost(r, &cpu), 120);
	assert_int_equal(cpu, 2);
	trace_close(r);
}

static void nothing_of_the_format(void **state)
{
	static const char text[] = "nothing\nat all\n";
	struct trace_stats stats;

	(void)state;
	assert_int_equal(import_text_as("perf", text, strlen(text), &stats), -EBADMSG);
	assert_int_equal(import_text_as("trace-cmd", text, strlen(text), &stats), -EBADMSG);
	assert_int_equal(stats.bad_lines, 2);
}

static int remove_files(void **state)
{
	(void)state;
	unlink(test_path("foreign.data"));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read_from_the_right),
		cmocka_unit_test(times_that_can_not_be),
		cmocka_unit_test(formats_are_told_apart),
		cmocka_unit_test(damaged_lines),
		cmocka_unit_test(losses_add_up),
		cmocka_unit_test(nothing_of_the_format),
	};

	return cmocka_run_group_tests(tests, NULL, remove_files);
}
