// SPDX-License-Identifier: GPL-2.0
/* Pasted text and histograms as rows: what is read, and that what can not be read is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/bpftrace_hist.h"
#include "import/measurements.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int read_text(const char *text, size_t len, struct measurements *m, struct error *e)
{
	const struct pasted t = { "text", text, len, text_decimal_mark(text, len) };

	return measurements_read(&t, m, e);
}

/* Rows as "label=a,b;label=c" with numbers in base units. */
static void reads(const char *text, const char *want)
{
	struct measurements m;
	struct error e = { 0 };
	char got[512] = "";
	size_t n = 0;

	if (read_text(text, strlen(text), &m, &e))
		fail_msg("'%s': %s", text, e.text);
	for (unsigned int r = 0; r < m.n; r++) {
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s=", r ? ";" : "",
				      m.rows[r].label);
		for (unsigned int i = 0; i < m.rows[r].n; i++)
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%g", i ? "," : "",
					      m.rows[r].v[i].q.number * m.rows[r].v[i].q.scale);
	}
	measurements_free(&m);
	assert_string_equal(got, want);
}

/* @says: what the message has to hold, the line above all. */
static void refuses(const char *text, size_t len, const char *says)
{
	struct measurements m;
	struct error e = { 0 };

	assert_int_equal(read_text(text, len, &m, &e), -EBADMSG);
	if (!strstr(e.text, says))
		fail_msg("'%s' does not say '%s'", e.text, says);
}

static void test_rows(void **state)
{
	(void)state;
	reads("1 2\n3\n", "=1,2;=3");
	reads("1, 2; 3\r\n\r\n", "=1,2,3");
	reads("a b: 1 2 # not 3\n", "a b=1,2");
	reads("key = 5\n", "key=5");
	reads("x=14.2s", "x=14.2");
	reads("| 64 kB | 18234 | 13701 |\n|---|---|---|\n", "64 kB=18234,13701");
	reads("64kB 18234 13701\n", "64kB=18234,13701");
	reads("150MB 154MB\n", "=1.5e+08,1.54e+08");
	reads("22.09 s 12.19 s\n", "=22.09,12.19");
}

static void test_wrapped(void **state)
{
	(void)state;
	reads("64kB/swpout:\n1690000\n64kB/swpout_fallback:\n228000\n",
	      "64kB/swpout=1.69e+06;64kB/swpout_fallback=228000");
	reads("before after\nx 1 2\n", "x=1,2");
	refuses("x 1\nkey:\n", 9, "line 2: 'key:' has no value");
	reads("x 1\nkey:\ny 2\n", "x=1;y=2"); /* the title of another block */
}

static void test_tools(void **state)
{
	(void)state;
	reads("real\t1m2.5s\nuser\t0m1.0s\nsys\t0m0.5s\n", "real=62.5;user=1;sys=0.5");
	reads("114.44user 29.11system 39:42.90elapsed 6%CPU (0avgtext+0avgdata 1maxresident)k\n"
	      "0inputs+0outputs (0major+1minor)pagefaults 0swaps\n",
	      "user=114.44;system=29.11;elapsed=2382.9");
	reads("\tCommand being timed: \"dd bs=4k\"\n\tUser time (seconds): 1.5\n"
	      "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02.50\n"
	      "\tAverage total size (kbytes): 0\n\tExit status: 0\nafter: 7\n",
	      "User time (seconds)=1.5;elapsed=62.5;after=7");
	reads("25600+0 records in\n25600+0 records out\n"
	      "104857600 bytes (105 MB, 100 MiB) copied, 0.5 s, 210 MB/s\n",
	      "dd time=0.5;dd rate=2.1e+08");
	reads("  0.500861 seconds time elapsed\n", "time elapsed=0.500861");
	reads("Totals 48805.63 0.00 --- 5.26\n", "Totals=48805.6");
	reads("./hugepages-64kB/stats/anon_swpout:9120\n", "64kB/swpout=9120");
}

static void test_counter_labels(void **state)
{
	static const struct {
		const char *label, *want;
		bool old;
	} v[] = {
		{ "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/stats/swpout", "64kB/swpout",
		  false },
		{ "hugepages-1024kB/stats/anon_swpout_fallback", "1024kB/swpout_fallback", true },
		{ "64kB/anon_swpout", "64kB/swpout", true },
		{ "64kB/swpout", "64kB/swpout", false },
		{ "hugepages-kB/stats/swpout", "hugepages-kB/stats/swpout", false },
		{ "anon_swpout", "anon_swpout", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		char label[160];
		bool old = false;

		snprintf(label, sizeof(label), "%s", v[i].label);
		counter_label(label, &old);
		assert_string_equal(label, v[i].want);
		assert_int_equal(old, v[i].old);
	}
}

static void test_declared(void **state)
{
	static const char text[] = "a b\nx 5104 4641 -18.7%\ny 146.00 ( 0.00%) 145.00 (   0.68%)\n"
				   "z 11.89% 7.81%\n";
	struct measurements m;
	struct error e;

	(void)state;
	assert_int_equal(read_text(text, sizeof(text) - 1, &m, &e), 0);
	assert_int_equal(m.nblocks, 1);
	assert_string_equal(m.blocks[0].titles[0], "a b");
	assert_int_equal(m.rows[0].n, 2);
	assert_true(m.rows[0].v[1].have_declared && m.rows[0].v[1].declared_in_row);
	assert_true(m.rows[0].v[1].declared.number == -18.7 && m.rows[0].line == 2);
	assert_int_equal(m.rows[1].n, 2);
	assert_true(m.rows[1].v[0].have_declared && m.rows[1].v[1].have_declared);
	assert_true(m.rows[1].v[1].declared.number == 0.68);
	assert_false(m.rows[1].v[1].declared_in_row);
	/* Percentages that are the values themselves declare nothing. */
	assert_int_equal(m.rows[2].n, 2);
	assert_false(m.rows[2].v[1].have_declared);
	measurements_free(&m);
}

static void test_facts(void **state)
{
	static const char text[] = "# n=10 memcg=1G\n# a remark with n=11 in it\n#x=y\n1\n";
	struct measurements m;
	struct error e;

	(void)state;
	assert_int_equal(read_text(text, sizeof(text) - 1, &m, &e), 0);
	assert_int_equal(m.nfacts, 3);
	assert_string_equal(m.facts[0].key, "n");
	assert_string_equal(m.facts[0].value, "10");
	assert_string_equal(m.facts[1].value, "1G");
	assert_string_equal(m.facts[2].key, "x");
	measurements_free(&m);
}

static void test_refusals(void **state)
{
	(void)state;
	refuses("1\n2\nthree four\n", 15, "line 3");
	refuses("1 2 x\n", 6, "line 1: 'x'");
	refuses("1\n12,345\n", 9, "line 2: '12,345'");
	refuses("1e99\n", 5, "line 1: '1e99' is too large");
	refuses("a\0b\n", 4, "line 1: binary data");
	refuses("# nothing\n", 10, "holds no numbers");
	refuses("\x1b[31m 1 x\n", 10, "line 1: 'x'");
	refuses("1 \x1b[31m\n", 8, "'\\x1b[31m'"); /* and the message is harmless */
}

static struct text_hists hists_of(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct text_hists h;
	struct error e;

	if (hist_text_read(f, "text", &h, &e))
		fail_msg("%s", e.text);
	fclose(f);
	return h;
}

/* Case 30: ranks are 13075 - 6537, - 130, - 13, - 0. */
static void test_histogram(void **state)
{
	struct text_hists h = hists_of("@usecs[get_swap_pages]:\n"
				       "[8, 16)   1204 |@@@ |\n[16, 32)  9310 |@@@@|\n"
				       "[32, 64)  2207 |@   |\n[64, 128)  310 |    |\n"
				       "[128, 256)  41 |    |\n[1K, 2K)     3 |    |\n");
	const struct text_hist *one = &h.v[0];
	struct hist_bucket *axis;
	int n;

	(void)state;
	assert_int_equal(h.n, 1);
	assert_string_equal(one->name, "@usecs[get_swap_pages]");
	assert_int_equal(one->total, 13075);
	assert_int_equal(hist_text_quantile(one, 2)->low, 16);
	assert_int_equal(hist_text_quantile(one, 100)->low, 64);
	assert_int_equal(hist_text_quantile(one, 1000)->low, 128);
	assert_int_equal(hist_text_quantile(one, UINT64_MAX)->high, 2048);
	n = hist_text_axis(&one, 1, &axis);
	assert_int_equal(n, 8);
	assert_int_equal(axis[5].low, 256);
	assert_int_equal(axis[6].low, 512);
	assert_int_equal(hist_text_count(one, 512), 0);
	assert_string_equal(hist_bucket_label(&axis[6]).s, "[512, 1K)");
	free(axis);
	hist_text_free(&h);
}

static void test_histogram_kinds(void **state)
{
	struct text_hists h = hists_of("Attaching 2 probes...\n@a: \n(..., 0)  2 |@|\n[0]  1 |@|\n"
				       "[1]  4 |@|\n[4, 8)  1 |@|\n\n@n: 17\n"
				       "@b:\n[0, 10)  3 |@|\n[30, 40)  2 |@|\n[40, ...)  1 |@|\n");
	const struct text_hist *v[2] = { &h.v[1], NULL };
	struct hist_bucket *axis;

	(void)state;
	assert_int_equal(h.n, 2);
	assert_string_equal(h.v[0].name, "@a");
	assert_string_equal(h.v[1].name, "@b");
	assert_string_equal(hist_bucket_label(&h.v[0].b[0]).s, "(..., 0)");
	assert_string_equal(hist_bucket_label(&h.v[0].b[2]).s, "[1]");
	/* lhist(): the gap from 10 to 30 has the width of its neighbour. */
	assert_int_equal(hist_text_axis(v, 2, &axis), 5);
	assert_int_equal(axis[1].low, 10);
	assert_int_equal(axis[2].low, 20);
	assert_string_equal(hist_bucket_label(&axis[4]).s, "[40, ...)");
	free(axis);
	hist_text_free(&h);
}

static void refuses_histogram(const char *text, const char *says)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct text_hists h;
	struct error e = { 0 };

	assert_int_equal(hist_text_read(f, "text", &h, &e), -EBADMSG);
	fclose(f);
	if (!strstr(e.text, says))
		fail_msg("'%s' does not say '%s'", e.text, says);
}

static void test_histogram_refusals(void **state)
{
	(void)state;
	refuses_histogram("@a:\n[8, 16)  many |@|\n", "line 2");
	refuses_histogram("[8, 16)  1 |@|\n[4, 8)  1 |@|\n", "line 2");
	refuses_histogram("[8, 16)  18446744073709551614 |@|\n[16, 32)  1 |@|\n", "64 bits");
	refuses_histogram("nothing\n", "no histogram");
	assert_false(hist_text_recognise("[8, 16) 5\n", 10));
	assert_true(hist_text_recognise("x\n[8, 16) 5 |@|", 16));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_counter_labels),
		cmocka_unit_test(test_declared),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_histogram_kinds),
		cmocka_unit_test(test_histogram_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
