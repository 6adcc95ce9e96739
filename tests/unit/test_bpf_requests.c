// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the groups alloc and lru into events; names of call sites; the counters of large
 * folios. Addresses are made up: a struct page of 64 bytes, so that a folio of order 4 covers 1,024
 * bytes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/call_sites.h"
#include "bpf/machine.h"
#include "tests/unit/decode_tools.h"

#define PAGE_STRUCT 64
#define FOLIO 0xffffea0000100000ull

static const char *site(void *arg, uint64_t address, size_t *len)
{
	static const char name[] = "some_caller.part.0";

	(void)arg;
	*len = 11;
	return address == 0x1234 ? name : NULL;
}

static int setup_site(void **state)
{
	if (setup(state))
		return -1;
	d.site = site;
	return 0;
}

static struct record ordered(enum record_kind kind, enum probe_id probe)
{
	struct record r = head(kind, probe);

	r.seq = 5;
	return r;
}

static struct record_swapout asks(uint64_t folio, uint64_t id, uint32_t order, uint64_t reclaim)
{
	return (struct record_swapout){ .head = ordered(RECORD_SWAPOUT, PROBE_SWAPOUT),
					.folio = folio,
					.id = id,
					.memcg = 77,
					.reclaim = reclaim,
					.order = order,
					.page_struct = PAGE_STRUCT };
}

static struct record_answer gets(struct record_swapout asked, uint64_t entry,
				 enum answer_reason reason)
{
	asked.head = ordered(RECORD_ANSWER, PROBE_ANSWER);
	return (struct record_answer){ .asked = asked, .entry = entry, .reason = (__u8)reason };
}

/* ---- requests ---- */

static void test_swapout(void **state)
{
	struct record_swapout r = asks(FOLIO, 3, 4, 9);

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_SWAPOUT);
	assert_int_equal(sink.probe, PROBE_SWAPOUT);
	KNOWS(SWAPOUT_ORDER, 4);
	KNOWS(SWAPOUT_FOLIO, 3); /* never the address */
	KNOWS(SWAPOUT_MEMCG, 77);
	KNOWS(KEY_SEQ, 5);
	UNKNOWN(SWAPOUT_SPLIT_OF);
	r.memcg = 0;
	r.head.seq = 0;
	FEED(r);
	UNKNOWN(SWAPOUT_MEMCG);
	UNKNOWN(KEY_SEQ);
}

static void test_answers(void **state)
{
	struct record_answer r = gets(asks(FOLIO, 3, 0, 9), ENTRY(1, 600), ANSWER_SPACE);

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_ALLOC);
	KNOWS(ALLOC_TYPE, 1);
	KNOWS(ALLOC_OFF, 600);
	KNOWS(ALLOC_N, 1);
	KNOWS(ALLOC_FOLIO, 3);
	KNOWS(ALLOC_VIA, VIA_CACHE);
	UNKNOWN(ALLOC_REASON);
	for (unsigned int reason = ANSWER_SPACE; reason <= ANSWER_CONFIG; reason++) {
		r = gets(asks(FOLIO, 4, 4, 9), 0, (enum answer_reason)reason);
		FEED(r);
		assert_int_equal(sink.ev.type, EV_ALLOCFAIL);
		KNOWS(ALLOC_ORDER, 4);
		KNOWS(ALLOC_FOLIO, 4);
		KNOWS(ALLOC_REASON, reason);
		UNKNOWN(ALLOC_OFF);
	}
}

static void splits(uint64_t folio, uint32_t order, uint64_t reclaim, uint64_t want)
{
	struct record_swapout r = asks(folio, 1000, order, reclaim);

	FEED(r);
	if (want)
		KNOWS(SWAPOUT_SPLIT_OF, want);
	else
		UNKNOWN(SWAPOUT_SPLIT_OF);
}

static void test_split_of(void **state)
{
	struct record_answer r = gets(asks(FOLIO, 20, 4, 9), 0, ANSWER_SPACE);

	(void)state;
	FEED(r);
	splits(FOLIO, 0, 9, 20);		    /* the head page asks at once */
	splits(FOLIO + 15 * PAGE_STRUCT, 0, 9, 20); /* the last of the 16 */
	splits(FOLIO + 16 * PAGE_STRUCT, 0, 9, 0);  /* behind it */
	splits(FOLIO - PAGE_STRUCT, 0, 9, 0);
	splits(FOLIO, 0, 10, 0); /* another call of reclaim */
	splits(FOLIO, 0, 0, 0);	 /* outside of reclaim */
	splits(FOLIO, 4, 9, 0);	 /* not one of its pages */
	/* The newer of two that failed at the same address. */
	r = gets(asks(FOLIO, 30, 2, 9), 0, ANSWER_SPACE);
	FEED(r);
	splits(FOLIO + 3 * PAGE_STRUCT, 0, 9, 30);
	splits(FOLIO + 4 * PAGE_STRUCT, 0, 9, 20);
	/* A folio that got its slots is not split. */
	r = gets(asks(FOLIO + 0x100000, 40, 4, 9), ENTRY(0, 512), ANSWER_SPACE);
	FEED(r);
	splits(FOLIO + 0x100000, 0, 9, 0);
}

/* Only so many failures are remembered: the oldest go first. */
static void test_many_splits(void **state)
{
	(void)state;
	for (uint64_t i = 0; i <= SPLITS_KEPT; i++) {
		struct record_answer r =
			gets(asks(FOLIO + i * 0x10000, i + 1, 4, 9), 0, ANSWER_SPACE);

		FEED(r);
	}
	splits(FOLIO, 0, 9, 0);
	splits(FOLIO + 0x10000, 0, 9, 2);
	splits(FOLIO + SPLITS_KEPT * 0x10000ull, 0, 9, SPLITS_KEPT + 1);
}

static void test_grants_and_writes(void **state)
{
	struct record_range r = { .head = ordered(RECORD_RANGE, PROBE_ALLOC),
				  .entry = ENTRY(0, 512),
				  .folio = 8,
				  .memcg = 77,
				  .n = 16,
				  .left = UNKNOWN_U32,
				  .what = VIA_DIRECT,
				  .order = 4 };

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_ALLOC);
	KNOWS(ALLOC_FOLIO, 8);
	KNOWS(ALLOC_MEMCG, 77);
	KNOWS(KEY_SEQ, 5);
	r.folio = r.memcg = 0; /* drawn for a slots cache */
	FEED(r);
	UNKNOWN(ALLOC_FOLIO);
	UNKNOWN(ALLOC_MEMCG);
	for (unsigned int zero = 0; zero < 2; zero++) {
		r.head.probe = zero ? PROBE_WRITE_ZERO : PROBE_WRITE;
		r.what = (__u8)zero;
		FEED(r);
		assert_int_equal(sink.ev.type, EV_WRITE);
		assert_int_equal(sink.probe, r.head.probe);
		KNOWS(WRITE_ORDER, 4);
		KNOWS(WRITE_TYPE, 0);
		KNOWS(WRITE_OFF, 512);
		KNOWS(WRITE_ZERO, zero);
	}
	r.head.probe = PROBE_DRAIN;
	FEED(r);
	assert_int_equal(d.bad_records, 1);
}

/* Only the device that has just come begins somewhere; the others have been used since. */
static void test_places(void **state)
{
	struct record_device dev = {
		.head = ordered(RECORD_DEVICE, PROBE_NONE), .type = 2, .max = 1000, .prio = -2
	};
	struct record on = ordered(RECORD_SWAPON, PROBE_SWAPON);
	struct record_place r = {
		.head = ordered(RECORD_PLACE, PROBE_NONE), .type = 2, .cpu = 3, .next = 641
	};

	(void)state;
	FEED(dev);
	FEED(on);
	FEED(r);
	assert_int_equal(sink.ev.type, EV_PCPU);
	KNOWS(PCPU_TYPE, 2);
	KNOWS(PCPU_NEXT, 641);
	KNOWS(KEY_CPU, 3);
	UNKNOWN(PCPU_ORDER);
	sink.n = 0;
	r.type = 1;
	FEED(r);
	assert_int_equal(sink.n, 0);
}

static void test_draw(void **state)
{
	struct record_draw r = {
		.head = ordered(RECORD_DRAW, PROBE_NONE), .value = 16383, .low = 0, .high = 131070
	};

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_RNG);
	KNOWS(RNG_VALUE, 16383);
	KNOWS(RNG_LOW, 0);
	KNOWS(RNG_HIGH, 131070);
	KNOWS(KEY_SEQ, 5);
}

/* ---- per-CPU batches ---- */

static void test_drain(void **state)
{
	struct record_lru r = { .head = ordered(RECORD_LRU, PROBE_DRAIN),
				.place = 0x1234,
				.moved = { 1, 2, 3, 4, 5, 6 },
				.known = 0x2f, /* all but lazyfree */
				.cpu = 1 };

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_DRAIN);
	assert_string_equal(sink.text, "some_caller");
	KNOWS(DRAIN_SITE, 7);
	KNOWS(DRAIN_ADD, 1);
	KNOWS(DRAIN_ROTATE, 2);
	KNOWS(DRAIN_DEACTIVATE_FILE, 3);
	KNOWS(DRAIN_DEACTIVATE, 4);
	UNKNOWN(DRAIN_LAZYFREE);
	KNOWS(DRAIN_ACTIVATE, 6);
	UNKNOWN(KEY_CPU); /* its own */
	r.cpu = 0;
	r.place = 0x4321;
	FEED(r);
	UNKNOWN(DRAIN_SITE);
	KNOWS(KEY_CPU, 0);
}

static void test_release_flush_add(void **state)
{
	struct record_lru r = { .head = ordered(RECORD_LRU, PROBE_RELEASE),
				.place = 99,
				.op = LRU_ACTIVATE,
				.n = 15,
				.large = 1,
				.drained = 1 };

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_RELEASE);
	KNOWS(BATCH_BATCH, 99);
	KNOWS(BATCH_N, 15);
	KNOWS(BATCH_DRAINED, 1);
	r.head.probe = PROBE_FLUSH;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_FLUSH);
	KNOWS(FLUSH_OP, LRU_ACTIVATE);
	KNOWS(FLUSH_N, 15);
	for (unsigned int probe = PROBE_LRUADD; probe <= PROBE_LRU_ACTIVATE; probe++) {
		r.head.probe = (__u8)probe;
		FEED(r);
		assert_int_equal(sink.ev.type, EV_LRUADD);
		assert_int_equal(sink.probe, probe);
		KNOWS(LRUADD_OP, LRU_ACTIVATE);
		KNOWS(LRUADD_LARGE, 1);
	}
}

/* ---- call sites ---- */

static const char listing[] = "ffffffff81000100 T first\n"
			      "ffffffff81000180 t second.isra.0\n"
			      "ffffffff81000140 D not_a_function\n"
			      "0000000000000000 t hidden\n"
			      "no symbol at all\n"
			      "ffffffffc0000000 t in_module\t[swap_mod]\n"
			      "ffffffff81000150 W weak\n";

static void test_sites(void **state)
{
	char path[] = "/tmp/swaptrace-sites-XXXXXX";
	int fd = mkstemp(path);
	struct site_table t;
	size_t len = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, listing, strlen(listing)), strlen(listing));
	close(fd);
	assert_int_equal(sites_read(&t, path), 0);
	unlink(path);
	assert_int_equal(t.n, 4);
	assert_null(sites_name(&t, 0xffffffff810000ff, &len));
	assert_string_equal(sites_name(&t, 0xffffffff81000100, &len), "first");
	assert_string_equal(sites_name(&t, 0xffffffff8100014f, &len), "first");
	assert_string_equal(sites_name(&t, 0xffffffff81000150, &len), "weak");
	assert_string_equal(sites_name(&t, 0xffffffff81000fff, &len), "second.isra.0");
	assert_int_equal(len, strlen("second"));
	assert_string_equal(sites_name(&t, 0xffffffffc0000010, &len), "in_module");
	assert_int_equal(sites_end(&t, 0xffffffff81000100), 0xffffffff81000150);
	assert_int_equal(sites_end(&t, 0xffffffffc0000000), 0);
	sites_free(&t);
	assert_int_equal(sites_read(&t, "/nonexistent/kallsyms"), -2); /* ENOENT */
	sites_free(&t);
}

/* ---- counters ---- */

static void write_file(const char *root, const char *path, const char *text)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(name, 0700);
		*p = '/';
	}
	f = fopen(name, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Of /proc/vmstat what swap is about, in the kernel's order; kernels before 6.12 count no
 * zero-filled pages. */
static void test_swap_counters(void **state)
{
	char root[] = "/tmp/swaptrace-vmstat-XXXXXX", command[64];
	struct trace_header *h = trace_header_new();
	size_t at = 0;

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(machine_swap_counters(h, root, "begin"), 0);
	assert_null(trace_header_next_directive(h, "note", &at));
	write_file(root, "proc/vmstat",
		   "nr_free_pages 12\npswpin 7\npswpout 18446744073709551615\nswap_ra 3\n"
		   "swap_ra_hit 0\npgfault 99\n");
	assert_int_equal(machine_swap_counters(h, root, "end"), 0);
	at = 0;
	assert_string_equal(trace_header_next_directive(h, "note", &at),
			    "vmstat=end pswpin=7 pswpout=18446744073709551615 swap_ra=3 "
			    "swap_ra_hit=0");
	snprintf(command, sizeof(command), "rm -rf %s", root);
	assert_int_equal(system(command), 0);
	trace_header_free(h);
}

static void test_thp_counters(void **state)
{
	char root[] = "/tmp/swaptrace-thp-XXXXXX", command[64];
	struct trace_header *h = trace_header_new();
	size_t at = 0;

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(machine_thp_counters(h, root, "begin"), 0);
	assert_null(trace_header_next_directive(h, "note", &at));
#define STATS "sys/kernel/mm/transparent_hugepage/hugepages-"
	write_file(root, STATS "64kB/stats/swpout", "17\n");
	write_file(root, STATS "64kB/stats/swpout_fallback", "0\n");
	write_file(root, STATS "2048kB/stats/swpout", "3\n");
	assert_int_equal(machine_thp_counters(h, root, "end"), 0);
	at = 0;
	assert_string_equal(trace_header_next_directive(h, "note", &at),
			    "counters=end thp_64kB_swpout=17 thp_64kB_swpout_fallback=0 "
			    "thp_2048kB_swpout=3");
	snprintf(command, sizeof(command), "rm -rf %s", root);
	assert_int_equal(system(command), 0);
	trace_header_free(h);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_site, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_swapout),
		TEST(test_answers),
		TEST(test_split_of),
		TEST(test_many_splits),
		TEST(test_grants_and_writes),
		TEST(test_places),
		TEST(test_draw),
		TEST(test_drain),
		TEST(test_release_flush_add),
		cmocka_unit_test(test_sites),
		cmocka_unit_test(test_swap_counters),
		cmocka_unit_test(test_thp_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
