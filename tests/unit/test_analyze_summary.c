// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace says by itself: cases 8, 11, 17, 20, 56 and 67 of the list of real-world cases, and
 * that missing, bypassed and zero are three things.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/distribution.h"
#include "analyze/slotset.h"
#include "analyze/summary.h"
#include "render/format.h"

/* A trace being written as text. */
static char *text;
static size_t text_size;

static FILE *start(const char *header)
{
	FILE *f = open_memstream(&text, &text_size);

	assert_non_null(f);
	fprintf(f, "# swaptrace text 1\n%s", header);
	return f;
}

static struct trace_summary finish(FILE *f)
{
	char path[] = "/tmp/swaptrace-unit-XXXXXX";
	int fd = mkstemp(path);
	struct trace_reader *r;
	struct trace_summary s;
	struct error e = { 0 };

	assert_int_equal(fclose(f), 0);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, text_size), text_size);
	close(fd);
	free(text);
	if (trace_open(&r, path, &e))
		fail_msg("%s", e.text);
	assert_int_equal(trace_summary(r, "test", &s, &e), 0);
	trace_close(r);
	unlink(path);
	return s;
}

static void case_8_what_a_hit_is(void **state)
{
	static const int read[] = { 16, 18, 19, 22, 23 };
	static const int faults[] = { 16, 19, 16 };
	FILE *f = start("# release=6.12.0 page_cluster=3\n# device type=0 pages=1024\n");
	struct trace_summary s;
	struct readahead_result *ra = &s.result.readahead;

	(void)state;
	/* Window 8 at 16; 17 is cached, 20 and 21 are free; then faults on 16, 19 and 16 again. */
	fprintf(f, "10 0 1 a LOOKUP type=0 off=18 cause=fault hit=0\n"
		   "11 0 1 a RA mode=cluster type=0 off=18 ret=8\n");
	for (int i = 0; i < 5; i++)
		fprintf(f, "12 0 1 a READ type=0 off=%d n=1 cause=%s\n", read[i],
			read[i] == 18 ? "demand" : "ra");
	for (int i = 0; i < 3; i++)
		fprintf(f, "%d 0 1 a LOOKUP type=0 off=%d cause=fault hit=1 ra=%d\n", 20 + i,
			faults[i], i < 2);
	s = finish(f);
	assert_true(ra->known);
	assert_int_equal(ra->calls, 1);
	assert_int_equal(distribution_count(&ra->windows, 8), 1);
	assert_int_equal(ra->batches, 1);
	assert_int_equal(ra->pages_read, 5);
	assert_int_equal(ra->ra_pages, 4);
	assert_int_equal(ra->hits, 2);
	assert_int_equal(ra->unused, 2); /* 22 and 23 */
	assert_int_equal(ra->drains, 1);
	assert_int_equal(ra->lookups, 4);
	assert_int_equal(ra->cache_hits, 3);
	assert_int_equal(s.demand_pages, 1);
	trace_summary_free(&s);
}

static void hits_are_derived_where_the_mark_is_not_told(void **state)
{
	FILE *f = start("");
	struct trace_summary s;

	(void)state;
	fprintf(f, "1 0 1 a READ type=0 off=16 n=4 cause=ra\n"
		   "2 0 1 a LOOKUP type=0 off=17\n3 0 1 a LOOKUP type=0 off=17\n"
		   "4 0 1 a LOOKUP type=0 off=30\n");
	s = finish(f);
	assert_int_equal(s.result.readahead.ra_pages, 4);
	assert_int_equal(s.result.readahead.hits, 1); /* 17, once */
	assert_int_equal(s.result.readahead.unused, 3);
	trace_summary_free(&s);
}

static void marks_from_before_the_recording_are_no_hits(void **state)
{
	FILE *f = start("");
	struct trace_summary s;

	(void)state;
	fprintf(f,
		"1 0 1 a LOOKUP type=0 off=5 hit=1 ra=1\n2 0 1 a READ type=0 off=8 n=2 cause=ra\n"
		"3 0 1 a LOOKUP type=0 off=9 hit=1 ra=1\n");
	s = finish(f);
	assert_int_equal(s.result.readahead.ra_pages, 2);
	assert_int_equal(s.result.readahead.hits, 1);
	assert_int_equal(s.result.readahead.unused, 1);
	assert_int_equal(s.earlier_marks, 1);
	trace_summary_free(&s);
	/* Without READ events all marks count, as nothing tells them apart. */
	f = start("");
	fprintf(f,
		"1 0 1 a LOOKUP type=0 off=5 hit=1 ra=1\n3 0 1 a LOOKUP type=0 off=9 hit=1 ra=1\n");
	s = finish(f);
	assert_int_equal(s.result.readahead.hits, 2);
	assert_int_equal(s.earlier_marks, 0);
	trace_summary_free(&s);
}

static void case_11_bypassed_is_not_missing(void **state)
{
	FILE *f = start("# device type=0 pages=50000 flags=ssd,sync_io,blkdev\n");
	struct trace_summary s;

	(void)state;
	for (int i = 1; i <= 40000; i++)
		fprintf(f, "%d 0 1 a LOOKUP type=0 off=%d cause=fault\n", i, i);
	s = finish(f);
	assert_int_equal(s.why, READAHEAD_BYPASSED);
	assert_int_equal(s.result.readahead.bypassed, 40000);
	assert_int_equal(s.swapins, 40000);
	assert_true(s.bypass_inferred);
	assert_int_equal(s.result.readahead.calls, 0);
	assert_true(s.result.readahead.pages_read == COUNT_UNKNOWN);
	assert_true(s.result.readahead.cache_hits == COUNT_UNKNOWN);
	trace_summary_free(&s);
}

static void swapoff_is_never_bypassed(void **state)
{
	FILE *f = start("# device type=0 pages=50000 flags=ssd,sync_io\n");
	struct trace_summary s;

	(void)state;
	fprintf(f, "1 0 1 a LOOKUP type=0 off=5 cause=swapoff\n");
	s = finish(f);
	assert_int_equal(s.why, READAHEAD_SILENT);
	assert_true(s.result.readahead.bypassed == COUNT_UNKNOWN);
	trace_summary_free(&s);
}

static void check_why(const char *header, const char *events, enum no_readahead why)
{
	FILE *f = start(header);
	struct trace_summary s;

	fputs(events, f);
	s = finish(f);
	assert_int_equal(s.why, why);
	assert_true((s.result.readahead.calls == COUNT_UNKNOWN) ==
		    (why != READAHEAD_ZERO && why != READAHEAD_SEEN));
	trace_summary_free(&s);
}

static void why_there_is_no_readahead(void **state)
{
	(void)state;
	check_why("", "", READAHEAD_SILENT);
	check_why("", "1 0 1 a FREE type=0 off=3 n=1\n", READAHEAD_SILENT);
	check_why("# probe event=RA symbol=swap_cluster_readahead hits=0\n", "", READAHEAD_ZERO);
	check_why("# probe event=RA symbol=swap_cluster_readahead hits=7\n", "", READAHEAD_FAILED);
	check_why("# probe event=DRAIN symbol=lru_add_drain hits=7\n", "", READAHEAD_NOT_RECORDED);
	check_why("", "1 0 1 a RA ret=2\n", READAHEAD_SEEN);
}

static void case_17_swapoff_without_end(void **state)
{
	FILE *f = start("");
	struct trace_summary s;
	uint64_t visited = 0;

	(void)state;
	fprintf(f, "2000000000 0 7 swapoff SWAPOFF op=begin type=1\n");
	for (unsigned long long i = 1; i <= 300; i++)
		fprintf(f, "%llu 0 7 swapoff LOOKUP type=1 off=%llu cause=swapoff\n",
			2000000000 + i * 7400000000 / 300, i);
	fprintf(f, "30000000000 0 9 other FREE type=0 off=9 n=1\n");
	s = finish(f);
	assert_int_equal(s.result.nswapoffs, 1);
	assert_false(s.result.swapoffs[0].complete);
	assert_false(s.result.swapoffs[0].killed);
	assert_int_equal(s.result.swapoffs[0].type, 1);
	assert_int_equal(s.result.swapoffs[0].pages, 300);
	assert_int_equal(s.result.swapoffs[0].begin_ns, 2000000000);
	assert_int_equal(s.result.swapoffs[0].last_progress_ns, 9400000000);
	for (unsigned int i = 0; i < s.series[0].n; i++)
		visited += s.series[0].pages[i];
	assert_int_equal(visited, 300);
	assert_true(s.series[0].n * s.series[0].width_ns >= 7400000000);
	trace_summary_free(&s);
}

static void swapoffs_end_in_different_ways(void **state)
{
	FILE *f = start("");
	struct trace_summary s;

	(void)state;
	/* The device of the first is only known from what it visits; the second is killed. */
	fprintf(f,
		"1 0 7 swapoff SWAPOFF op=begin\n2 0 7 swapoff LOOKUP type=3 off=1 cause=swapoff\n"
		"3 0 7 swapoff LOOKUP type=3 off=2 cause=shmem\n3 0 8 x ALLOC type=2 off=5 n=4\n"
		"4 0 7 swapoff SWAPOFF op=end ret=0\n5 0 8 swapoff SWAPOFF op=begin type=2\n"
		"6 0 8 swapoff SWAPOFF op=end type=2 ret=-4\n"
		"7 0 9 swapoff LOOKUP type=1 off=2 cause=swapoff\n");
	s = finish(f);
	assert_int_equal(s.result.nswapoffs, 3);
	assert_true(s.result.swapoffs[0].complete);
	assert_int_equal(s.result.swapoffs[0].type, 3);
	assert_int_equal(s.result.swapoffs[0].pages, 2);
	assert_int_equal(s.result.swapoffs[0].shmem_pages, 1);
	assert_int_equal(s.result.swapoffs[0].alloc_elsewhere, 4);
	assert_int_equal(s.result.swapoffs[0].end_ns, 4);
	assert_true(s.result.swapoffs[1].killed);
	assert_int_equal(s.result.swapoffs[1].ret, -4);
	/* The third began before the recording did. */
	assert_int_equal(s.result.swapoffs[2].type, 1);
	assert_false(s.result.swapoffs[2].complete);
	trace_summary_free(&s);
}

static void case_20_settings_that_change(void **state)
{
	FILE *f = start("# release=6.12.0 page_cluster=3 vma_ra=1\n");
	struct trace_summary s;
	const struct phase_result *p;

	(void)state;
	for (unsigned long long i = 0; i < 40; i++)
		fprintf(f, "%llu 0 1 x RA mode=vma ret=8\n", i * 100000000);
	fprintf(f, "5000000000 - - - CONFIG page_cluster=8 vma_ra=0\n");
	for (unsigned long long i = 1; i <= 15; i++)
		fprintf(f, "%llu 0 1 x RA ret=%d\n", 5000000000 + i * 100000000,
			i <= 12 ? 256 : 128);
	fprintf(f, "9000000000 - - - CONFIG page_cluster=3 vma_ra=1\n");
	s = finish(f);
	p = s.result.phases;
	assert_int_equal(s.result.nphases, 2);
	assert_true(phases_differ(&s.result));
	assert_int_equal(p[0].page_cluster, 3);
	assert_int_equal(p[0].vma_windows.n, 1);
	assert_int_equal(distribution_count(&p[0].vma_windows, 8), 40);
	assert_int_equal(p[0].cluster_windows.n, 0);
	assert_int_equal(p[1].t_ns, 5000000000);
	assert_int_equal(p[1].page_cluster, 8);
	assert_int_equal(p[1].vma_ra, 0);
	assert_int_equal(p[1].cluster_windows.n, 2);
	assert_int_equal(distribution_count(&p[1].cluster_windows, 128), 3);
	assert_int_equal(distribution_count(&p[1].cluster_windows, 256), 12);
	assert_int_equal(s.result.readahead.calls, 55);
	trace_summary_free(&s);
}

static void case_56_offsets_that_can_not_be(void **state)
{
	FILE *f = start("# device type=0 pages=1024\n");
	struct trace_summary s;

	(void)state;
	for (int i = 0; i < 10; i++)
		fprintf(f, "%d 0 1 a RA type=0 off=0 ret=8\n", i);
	s = finish(f);
	assert_int_equal(s.offsets, 10);
	assert_int_equal(s.zero_offsets, 10);
	assert_false(s.result.readahead.known);
	assert_int_equal(s.result.readahead.windows.n, 0);
	trace_summary_free(&s);

	f = start("# device type=0 pages=1024\n");
	for (int i = 0; i < 400; i++)
		fprintf(f, "%d 0 1 a RA type=0 off=%d ret=8\n", i, i < 12 ? 1024 + i : 1023 - i);
	s = finish(f);
	assert_int_equal(s.offsets, 400);
	assert_int_equal(s.bad_offsets, 12);
	assert_int_equal(s.result.readahead.calls, 388);
	trace_summary_free(&s);
}

static void counts_of_a_file_are_not_believed(void **state)
{
	FILE *f = start("");
	struct trace_summary s;

	(void)state;
	fprintf(f,
		"1 0 1 a READ type=0 off=1 n=18446744073709551615 cause=ra\n"
		"2 0 1 a READ type=4294967295 off=18446744073709551000 n=100 cause=ra\n"
		"3 0 1 a LOOKUP type=18446744073709551615 off=18446744073709551615 cause=swapoff\n"
		"4 0 1 a RA ret=18446744073709551614\n5 0 1 a CONFIG page_cluster=99999999999\n");
	for (int i = 0; i < 5000; i++)
		fprintf(f, "6 0 1 a RA ret=%d\n", i + 1);
	fprintf(f, "18446744073709551614 0 1 a RA ret=1\n");
	s = finish(f);
	assert_int_equal(s.result.readahead.ra_pages, 100);
	assert_int_equal(s.bad_offsets, 1);
	assert_int_equal(s.result.readahead.windows.n, WINDOW_SIZES_MAX);
	/* 18446744073709551614 and 1..4095 fill the table; 905 of the 5,000 are left out. */
	assert_int_equal(s.odd_windows, 905);
	assert_true(s.result.nslices <= SLICES_MAX);
	trace_summary_free(&s);
}

static void a_long_trace_has_few_slices(void **state)
{
	FILE *f = start("");
	struct trace_summary s;
	uint64_t calls = 0, windows = 0;

	(void)state;
	/* One call a second for a bit more than an hour. */
	for (unsigned long long i = 0; i < 4000; i++)
		fprintf(f, "%llu 0 1 a RA ret=%d\n", 7000000000 + i * 1000000000, i % 2 ? 8 : 2);
	s = finish(f);
	assert_true(s.result.nslices > SLICES_MAX / 2 - 2 && s.result.nslices <= SLICES_MAX);
	for (unsigned int i = 0; i < s.result.nslices; i++) {
		calls += s.result.slices[i].calls;
		windows += s.result.slices[i].window_pages;
	}
	assert_int_equal(calls, 4000);
	assert_int_equal(windows, 2000 * 2 + 2000 * 8);
	assert_int_equal(s.result.slices[0].t_ns, 7000000000);
	assert_true(s.result.slices[1].t_ns > 7000000000);
	trace_summary_free(&s);
}

static void batches_are_calls_that_read(void **state)
{
	FILE *f = start("");
	struct trace_summary s;

	(void)state;
	/* Two tasks interleaved: task 1 reads in its call, task 2 finds everything cached. */
	fprintf(f,
		"1 0 1 a LOOKUP type=0 off=5 hit=0\n2 1 2 b LOOKUP type=0 off=9 hit=0\n"
		"3 0 1 a RA ret=2\n4 1 2 b RA ret=2\n5 0 1 a READ type=0 off=5 n=1 cause=demand\n"
		"6 0 1 a LOOKUP type=0 off=6 hit=1 ra=1\n"
		"7 1 2 b READ type=0 off=100 n=1 cause=bypass\n");
	s = finish(f);
	assert_int_equal(s.result.readahead.calls, 2);
	assert_int_equal(s.result.readahead.batches, 1);
	assert_int_equal(s.bypass_pages, 1);
	trace_summary_free(&s);
}

static void filtered_events_are_left_out(void **state)
{
	FILE *f = start("");
	struct trace_summary s;

	(void)state;
	fprintf(f,
		"1 0 1 a RA ret=2\n2 0 2 b RA ret=8 filtered=1\n3 0 3 swaptrace RA ret=4 self=1\n");
	s = finish(f);
	assert_int_equal(s.result.readahead.calls, 2);
	assert_int_equal(s.filtered, 1);
	assert_int_equal(s.self, 1);
	trace_summary_free(&s);
}

static void processes_in_order(void **state)
{
	FILE *f = start("");
	struct trace_summary s;

	(void)state;
	for (int i = 0; i < 30; i++)
		for (int k = 0; k <= i; k++)
			fprintf(f, "%d 0 1 p%d LOOKUP type=0 off=%d\n", i, i, k + 1);
	fprintf(f, "40 0 1 - LOOKUP type=0 off=1\n");
	s = finish(f);
	assert_int_equal(s.nprocesses, PROCESSES_KEPT);
	assert_string_equal(s.processes[0].comm, "p29");
	assert_int_equal(s.processes[0].lookups, 30);
	assert_string_equal(s.processes[9].comm, "p20");
	trace_summary_free(&s);
}

static void slots_are_kept_apart(void **state)
{
	struct slotset *s = slotset_new();

	(void)state;
	assert_true(slotset_add(s, 0, 65536));
	assert_false(slotset_add(s, 0, 65536));
	assert_false(slotset_remove(s, 1, 65536));
	assert_false(slotset_remove(s, 0, 0));
	assert_true(slotset_remove(s, 0, 65536));
	assert_false(slotset_remove(s, 0, 65536));
	/* More chunks than there may be: what does not fit is counted. */
	for (uint64_t i = 0; i < SLOTSET_CHUNKS + 10; i++)
		slotset_add(s, 7, i << 16);
	assert_int_equal(slotset_dropped(s), 11); /* one chunk was taken by device 0 */
	slotset_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_8_what_a_hit_is),
		cmocka_unit_test(hits_are_derived_where_the_mark_is_not_told),
		cmocka_unit_test(marks_from_before_the_recording_are_no_hits),
		cmocka_unit_test(case_11_bypassed_is_not_missing),
		cmocka_unit_test(swapoff_is_never_bypassed),
		cmocka_unit_test(why_there_is_no_readahead),
		cmocka_unit_test(case_17_swapoff_without_end),
		cmocka_unit_test(swapoffs_end_in_different_ways),
		cmocka_unit_test(case_20_settings_that_change),
		cmocka_unit_test(case_56_offsets_that_can_not_be),
		cmocka_unit_test(counts_of_a_file_are_not_believed),
		cmocka_unit_test(a_long_trace_has_few_slices),
		cmocka_unit_test(batches_are_calls_that_read),
		cmocka_unit_test(filtered_events_are_left_out),
		cmocka_unit_test(processes_in_order),
		cmocka_unit_test(slots_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
