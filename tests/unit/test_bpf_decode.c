// SPDX-License-Identifier: GPL-2.0
/*
 * Raw records into events. Windows and words are worked out beside each test from
 * docs/kernel-facts.md#cluster-windows (aligned block, slot 0 left out, device end) and
 * #vma-windows (the word, placement, clamps).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bpf/read_times.h"
#include "tests/unit/decode_tools.h"

/* ---- windows ---- */

static void cluster(uint32_t pages, uint64_t off, uint64_t max, uint64_t start, uint64_t end)
{
	uint64_t s, e;

	decode_cluster_window(pages, off, max, &s, &e);
	assert_int_equal(s, start);
	assert_int_equal(e, end);
}

static void test_cluster_window(void **state)
{
	(void)state;
	cluster(8, 100, 1000, 96, 104);	  /* 100 & ~7 = 96 */
	cluster(8, 5, 1000, 1, 8);	  /* 0 .. 7 without the header */
	cluster(8, 998, 1000, 992, 1000); /* 992 .. 999 is the last slot */
	cluster(8, 998, 999, 992, 999);
	cluster(1, 40, 1000, 40, 41);
	cluster(16, 31, 0, 16, 32); /* size of the device unknown: not cut */
}

/* case 47: slots 8 to 15 without 10 were read, but all of them were asked for. */
static void test_burst(void **state)
{
	(void)state;
	assert_int_equal(decode_burst(12, 9, 8, 15, 1000), 8);
	/* A single call for slot 40: 1, or larger with all neighbours absent. */
	assert_int_equal(decode_burst(40, 1, 40, 0, 1000), 1);
	/* Both ends cut: 1 .. 7 is a window of 8 around 5; the device ends at 1000. */
	assert_int_equal(decode_burst(5, 8, 1, 7, 1000), 8);
	assert_int_equal(decode_burst(998, 9, 992, 999, 1000), 8);
	/* Nothing aligned: not a window. */
	assert_int_equal(decode_burst(12, 4, 11, 13, 1000), 0);
}

static void vma(uint32_t pages, uint64_t addr, uint64_t before, uint64_t start, uint64_t end)
{
	uint64_t s, e;

	decode_vma_window(pages, addr, before, 0x100000, 0x7f0000000000, 4096, &s, &e);
	assert_int_equal(s, start);
	assert_int_equal(e, end);
}

static void test_vma_window(void **state)
{
	(void)state;
	/* Forward [f, f + win), backward [f - win + 1, f + 1), else left = (win - 1) / 2. */
	vma(8, 0x40000000 + 0x5000, 0x40000000 + 0x4000, 0x40005000, 0x4000d000);
	vma(8, 0x40000000 + 0x9000, 0x40000000 + 0xa000, 0x40002000, 0x4000a000);
	vma(8, 0x40000000 + 0x9000, 0x50000000, 0x40006000, 0x4000e000);
	vma(4, 0x40000000 + 0x9000, 0x50000000, 0x40008000, 0x4000c000);
	vma(2, 0x40000000 + 0x9000, 0x50000000, 0x40009000, 0x4000b000);
	vma(1, 0x40000000 + 0x9000, 0x50000000, 0x40009000, 0x4000a000);
	/* Inside the 2 MiB of one page table: [0x40000000, 0x40200000). */
	vma(8, 0x40000000, 0x50000000, 0x40000000, 0x40005000);
	vma(8, 0x401ff000, 0x50000000, 0x401fc000, 0x40200000);
	/* The VMA begins at 0x100000. */
	vma(8, 0x101000, 0x50000000, 0x100000, 0x106000);
	/* Left of address 0 nothing is read. */
	vma(16, 0x101000, 0x102000, 0x100000, 0x102000);
}

/* ---- RA ---- */

static struct record_ra cluster_ra(void)
{
	return (struct record_ra){
		.head = head(RECORD_RA, PROBE_RA_CLUSTER),
		.entry = ENTRY(1, 100),
		.hits = 3,
		.prev = 90,
		.last = 4,
		.win = 8,
		.page_cluster = 3,
		.device_max = 1000,
		.have = RA_HAVE_HITS | RA_HAVE_PREV | RA_HAVE_LAST | RA_HAVE_WIN | RA_HAVE_CLUSTER,
	};
}

static void test_ra_state(void **state)
{
	struct record_ra r = cluster_ra();

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_RA);
	KNOWS(RA_MODE, RA_CLUSTER);
	KNOWS(RA_TYPE, 1);
	KNOWS(RA_OFF, 100);
	KNOWS(RA_RET, 8);
	KNOWS(RA_HOW, RA_STATE);
	KNOWS(RA_HITS, 3);
	KNOWS(RA_PREV, 90);
	KNOWS(RA_LAST, 4);
	KNOWS(RA_START, 96);
	KNOWS(RA_END, 104);
	UNKNOWN(RA_VMA);
	UNKNOWN(RA_ADDR);
	KNOWS(KEY_TID, 41);
	assert_int_equal(sink.ev.tgid, 40);
	assert_int_equal(sink.ev.cpu, 1);
	assert_string_equal(sink.text, "task");
	assert_int_equal(sink.probe, PROBE_RA_CLUSTER);
}

/* page-cluster 0 returns 1 and leaves the variable as it was
 * (docs/kernel-facts.md#cluster-windows): 8 is old news. */
static void test_ra_switched_off(void **state)
{
	struct record_ra r = cluster_ra();

	(void)state;
	r.page_cluster = 0;
	FEED(r);
	KNOWS(RA_RET, 1);
	KNOWS(RA_START, 100);
	KNOWS(RA_END, 101);
}

static void test_ra_probed(void **state)
{
	struct record_ra r = cluster_ra();

	(void)state;
	r.have |= RA_HAVE_PROBE;
	r.probed = 4;
	FEED(r);
	KNOWS(RA_RET, 4);
	KNOWS(RA_HOW, RA_PROBED);
	KNOWS(RA_DERIVED, 8);
	KNOWS(RA_START, 100);
	KNOWS(RA_END, 104);
	r.have &= ~RA_HAVE_WIN;
	FEED(r);
	KNOWS(RA_RET, 4);
	UNKNOWN(RA_DERIVED);
}

static void test_ra_burst(void **state)
{
	struct record_ra r = cluster_ra();

	(void)state;
	r.have = 0;
	r.final = 1;
	r.burst = 9;
	r.burst_first = 96;
	r.burst_last = 103;
	FEED(r);
	KNOWS(RA_RET, 8);
	KNOWS(RA_HOW, RA_BURST);
	UNKNOWN(RA_HITS);
	UNKNOWN(RA_PREV);
	UNKNOWN(RA_LAST);
}

/* Nothing tells the window: unknown, not 0. */
static void test_ra_unknown(void **state)
{
	struct record_ra r = cluster_ra();

	(void)state;
	r.have = 0;
	FEED(r);
	UNKNOWN(RA_RET);
	UNKNOWN(RA_HOW);
	UNKNOWN(RA_START);
}

/* Words: address | window << 6 | hits. */
static struct record_ra vma_ra(uint64_t before, uint64_t after)
{
	return (struct record_ra){
		.head = head(RECORD_RA, PROBE_RA_VMA),
		.vma = { .vma = 0xffff888000001000,
			 .mm = 0xffff888000002000,
			 .start = 0x40000000,
			 .end = 0x50000000,
			 .word = before },
		.entry = ENTRY(0, 5),
		.addr = 0x40005000,
		.word_after = after,
		.page_cluster = 3,
		.have = RA_HAVE_WIN | RA_HAVE_CLUSTER,
		.vma_mode = 1,
		.have_addr = 1,
	};
}

static void test_ra_vma(void **state)
{
	struct record_ra r = vma_ra(0x40004000 | 4 << 6 | 7, 0x40005000 | 8 << 6);

	(void)state;
	FEED(r);
	KNOWS(RA_MODE, RA_VMA_MODE);
	KNOWS(RA_RET, 8);
	KNOWS(RA_HOW, RA_STATE);
	KNOWS(RA_HITS, 7);
	KNOWS(RA_LAST, 4);
	KNOWS(RA_PREV, 0x40004);
	KNOWS(RA_START, 0x40005000); /* forward */
	KNOWS(RA_END, 0x4000d000);
	KNOWS(RA_VMA, 1);
	KNOWS(RA_ADDR, 0x40005000);
}

/* A word of 0 is read as 4 hits; window and address 0. */
static void test_ra_vma_fresh(void **state)
{
	struct record_ra r = vma_ra(0, 0x40005000 | 8 << 6);

	(void)state;
	FEED(r);
	KNOWS(RA_HITS, 4);
	KNOWS(RA_LAST, 0);
	KNOWS(RA_PREV, 0);
	KNOWS(RA_RET, 8);
}

/* The word afterwards is for another address: another thread's. Its window is not this one's. */
static void test_ra_vma_raced(void **state)
{
	struct record_ra r = vma_ra(0x40004000 | 4 << 6, 0x40009000 | 16 << 6);

	(void)state;
	FEED(r);
	UNKNOWN(RA_RET);
	UNKNOWN(RA_HOW);
	KNOWS(RA_LAST, 4);
	r = vma_ra(0x40004000 | 4 << 6, 0x40004000 | 4 << 6);
	r.page_cluster = 0;
	FEED(r);
	KNOWS(RA_RET, 1);
}

/* The function's own answer, and beside it what the word says, unless another thread wrote that. */
static void test_ra_vma_probed(void **state)
{
	struct record_ra r = vma_ra(0x40004000 | 4 << 6 | 7, 0x40005000 | 8 << 6);

	(void)state;
	r.have |= RA_HAVE_PROBE;
	r.probed = 8;
	FEED(r);
	KNOWS(RA_RET, 8);
	KNOWS(RA_HOW, RA_PROBED);
	KNOWS(RA_DERIVED, 8);
	KNOWS(RA_END, 0x4000d000);
	r.word_after = 0x40009000 | 16 << 6;
	FEED(r);
	KNOWS(RA_RET, 8);
	UNKNOWN(RA_DERIVED);
}

/* ---- LOOKUP ---- */

static struct record_lookup lookup(void)
{
	return (struct record_lookup){
		.head = head(RECORD_LOOKUP, PROBE_LOOKUP),
		.vma = { .vma = 0xffff888000001000,
			 .mm = 0xffff888000002000,
			 .start = 0x40000000,
			 .end = 0x50000000 },
		.entry = ENTRY(2, 77),
		.addr = 0x40007000,
		.have_addr = 1,
		.count = 2,
		.cause = CAUSE_FAULT,
		.write = 1,
		.hit = 1,
		.ra = 1,
	};
}

static void test_lookup(void **state)
{
	struct record_lookup r = lookup();

	(void)state;
	d.self = 40;
	r.head.flags = RECORD_FILTERED;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_LOOKUP);
	KNOWS(LOOKUP_TYPE, 2);
	KNOWS(LOOKUP_OFF, 77);
	KNOWS(LOOKUP_CAUSE, LOOKUP_FAULT);
	KNOWS(LOOKUP_COUNT, 2);
	KNOWS(LOOKUP_WRITE, 1);
	KNOWS(LOOKUP_HIT, 1);
	KNOWS(LOOKUP_RA, 1);
	UNKNOWN(LOOKUP_BYPASS);
	KNOWS(LOOKUP_ORDER, 0);
	KNOWS(LOOKUP_VMA_START, 0x40000000);
	KNOWS(LOOKUP_VMA_END, 0x50000000);
	KNOWS(KEY_SELF, 1);
	KNOWS(KEY_FILTERED, 1);
}

static void test_lookup_of_shmem(void **state)
{
	struct record_lookup r = lookup();

	(void)state;
	r.vma = (struct record_vma){ .vma = 0 };
	r.have_addr = 0;
	r.cause = CAUSE_SHMEM;
	r.count = UNKNOWN_U32;
	r.write = UNKNOWN_U8;
	r.ra = UNKNOWN_U8;
	FEED(r);
	KNOWS(LOOKUP_CAUSE, LOOKUP_SHMEM);
	UNKNOWN(LOOKUP_VMA);
	UNKNOWN(LOOKUP_ADDR);
	UNKNOWN(LOOKUP_COUNT);
	UNKNOWN(LOOKUP_WRITE);
	UNKNOWN(LOOKUP_RA);
}

/* ---- VMA numbers ---- */

static uint64_t number(uint64_t vma_at, uint64_t mm, uint64_t start, uint64_t word)
{
	return vma_table_id(d.vmas, vma_at, mm, start, word);
}

static void test_vma_numbers(void **state)
{
	(void)state;
	assert_int_equal(number(0x1000, 0xa000, 0x400000, 0), 1);
	assert_int_equal(number(0x1000, 0xa000, 0x400000, 0x401200), 1);
	assert_int_equal(number(0x2000, 0xa000, 0x600000, 0), 2);
	/* Another start or address space: another VMA at the same place. */
	assert_int_equal(number(0x1000, 0xa000, 0x300000, 0x401200), 3);
	assert_int_equal(number(0x1000, 0xb000, 0x300000, 0x401200), 4);
	/* A word that was set never goes back to 0. */
	assert_int_equal(number(0x1000, 0xb000, 0x300000, 0), 5);
	/* The address space has ended, and its address is used again. */
	vma_table_mm_gone(d.vmas, 0xa000);
	assert_int_equal(number(0x2000, 0xa000, 0x600000, 0), 6);
	assert_int_equal(number(0x1000, 0xb000, 0x300000, 0), 5);
}

static void test_many_vmas(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 5000; i++)
		assert_int_equal(number(0xffff888000000000 + i * 184, 1, i << 12, 0), i);
	for (uint64_t i = 1; i <= 5000; i++)
		assert_int_equal(number(0xffff888000000000 + i * 184, 1, i << 12, 0), i);
}

/* ---- ranges, devices ---- */

static void test_ranges(void **state)
{
	struct record_range r = { .head = head(RECORD_RANGE, PROBE_UNREF_ZAP),
				  .entry = ENTRY(0, 33),
				  .n = 16,
				  .left = 1,
				  .what = 0 };

	(void)state;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_UNREF);
	KNOWS(UNREF_OFF, 33);
	KNOWS(UNREF_N, 16);
	KNOWS(UNREF_HOW, UNREF_ZAP);
	KNOWS(UNREF_LEFT, 1);
	r.head.probe = PROBE_ALLOC;
	r.order = 4;
	r.what = VIA_CACHE;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_ALLOC);
	KNOWS(ALLOC_ORDER, 4);
	KNOWS(ALLOC_OFF, 33);
	KNOWS(ALLOC_N, 16);
	KNOWS(ALLOC_VIA, VIA_CACHE);
	r.head.probe = PROBE_READ;
	r.what = UNKNOWN_U8;
	FEED(r);
	assert_int_equal(sink.ev.type, EV_READ);
	UNKNOWN(READ_CAUSE);
}

/* case 56: a slot beyond the device is not believed, and counted. */
static void test_odd_offsets(void **state)
{
	struct record_device dev = { .head = head(RECORD_DEVICE, PROBE_NONE), .max = 100 };
	struct record_range r = { .head = head(RECORD_RANGE, PROBE_FREE),
				  .entry = ENTRY(0, 100),
				  .n = 1,
				  .left = UNKNOWN_U32 };

	(void)state;
	FEED(dev);
	assert_int_equal(sink.n, 0);
	FEED(r);
	UNKNOWN(FREE_OFF);
	assert_int_equal(d.odd_offsets, 1);
	r.entry = ENTRY(0, 99);
	FEED(r);
	KNOWS(FREE_OFF, 99);
	assert_int_equal(d.odd_offsets, 1);
	assert_int_equal(d.offsets, 2);
}

static void test_swapon(void **state)
{
	struct record_device dev = { .head = head(RECORD_DEVICE, PROBE_NONE),
				     .type = 1,
				     .max = 131072,
				     .prio = -2,
				     .flags = SWP_USED | SWP_WRITEOK | SWP_BLKDEV };
	struct record r = head(RECORD_SWAPON, PROBE_SWAPON);

	(void)state;
	FEED(dev);
	FEED(r);
	assert_int_equal(sink.ev.type, EV_SWAPON);
	KNOWS(SWAPON_TYPE, 1);
	KNOWS(SWAPON_PAGES, 131072);
	KNOWS(SWAPON_FLAGS, DEVICE_ROTATIONAL | DEVICE_BLKDEV);
	assert_int_equal((int64_t)sink.ev.v[SWAPON_PRIO], -2);
}

static void test_device_flags(void **state)
{
	(void)state;
	assert_int_equal(decode_device_flags(SWP_SOLIDSTATE | SWP_BLKDEV | SWP_SYNCHRONOUS_IO),
			 DEVICE_SSD | DEVICE_BLKDEV | DEVICE_SYNC_IO);
	assert_int_equal(decode_device_flags(SWP_FS_OPS | SWP_DISCARDABLE),
			 DEVICE_ROTATIONAL | DEVICE_FILE | DEVICE_DISCARD);
}

static void test_swapoff(void **state)
{
	struct record_swapoff r = { .head = head(RECORD_SWAPOFF, PROBE_SWAPOFF_END),
				    .end = 1,
				    .type = UNKNOWN_U32,
				    .ret = -4 };

	(void)state;
	FEED(r);
	KNOWS(SWAPOFF_OP, SWAPOFF_END);
	UNKNOWN(SWAPOFF_TYPE);
	assert_int_equal((int64_t)sink.ev.v[SWAPOFF_RET], -4);
}

/* An empty device shows its number nowhere: it is the one that was on before. */
static void test_swapoff_of_an_empty_device(void **state)
{
	struct record_device dev = { .head = head(RECORD_DEVICE, PROBE_NONE), .max = 100 };
	struct record_swapoff r = { .head = head(RECORD_SWAPOFF, PROBE_SWAPOFF_END),
				    .end = 1,
				    .type = UNKNOWN_U32,
				    .on = 1 << 0 | 1 << 5 };

	(void)state;
	FEED(dev);
	dev.type = 3;
	FEED(dev);
	FEED(r);
	KNOWS(SWAPOFF_TYPE, 3);
	/* It is not on any more, so the next one says nothing about it. */
	FEED(r);
	UNKNOWN(SWAPOFF_TYPE);
}

/* ---- SLOTS ---- */

struct runs {
	unsigned int n;
	uint64_t off[8], len[8];
	uint32_t count[8];
	bool cached[8];
};

static int take_run(void *arg, uint64_t off, uint64_t n, uint32_t count, bool cached)
{
	struct runs *r = arg;

	r->off[r->n] = off;
	r->len[r->n] = n;
	r->count[r->n] = count;
	r->cached[r->n++] = cached;
	return 0;
}

static void test_slots(void **state)
{
	/* Header (bad), 2 x one reference, free, shared and cached, cached only, shmem. */
	static const uint8_t map[] = { 0x3f, 1, 1, 0, 0x42, 0x40, 0xbf };
	struct runs r = { 0 };

	(void)state;
	assert_int_equal(decode_slots(map, sizeof(map), 0, take_run, &r), 0);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.off[0], 1);
	assert_int_equal(r.len[0], 2);
	assert_int_equal(r.count[0], 1);
	assert_false(r.cached[0]);
	assert_int_equal(r.off[1], 4);
	assert_int_equal(r.count[1], 2);
	assert_true(r.cached[1]);
	assert_int_equal(r.count[2], 0);
	assert_true(r.cached[2]);
	assert_int_equal(r.off[3], 6);
	assert_int_equal(r.count[3], 1);
	assert_false(r.cached[3]);
}

/* ---- nothing is believed unchecked ---- */

static void test_bad_records(void **state)
{
	struct record_range r = { .head = head(RECORD_RANGE, PROBE_FREE) };

	(void)state;
	assert_int_equal(decoder_record(&d, &r, sizeof(r.head) - 1), 0);
	assert_int_equal(decoder_record(&d, &r, sizeof(r) - 1), 0);
	r.head.kind = 200;
	FEED(r);
	r.head.kind = 0;
	FEED(r);
	r.head.kind = RECORD_RANGE;
	r.head.probe = PROBE_LOOKUP;
	FEED(r);
	r.head.probe = PROBE_FREE;
	r.head.cpu = CPUS_MAX;
	FEED(r);
	assert_int_equal(d.bad_records, 6);
	assert_int_equal(sink.n, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* ---- how long reads take ---- */

static uint64_t ended_off;

static void read_end(void *arg, uint64_t type, uint64_t off, const struct record *r)
{
	assert_ptr_equal(arg, &sink);
	assert_int_equal(type, 3);
	assert_int_equal(r->probe, PROBE_READ_END);
	assert_int_equal(r->t_ns, 1000);
	ended_off = off;
}

static void test_read_end(void **state)
{
	struct record_read_end r = { .head = head(RECORD_READ_END, PROBE_READ_END),
				     .entry = ENTRY(3, 96) };

	(void)state;
	FEED(r);
	d.read_end = read_end;
	FEED(r);
	assert_int_equal(ended_off, 96);
	assert_int_equal(sink.n, 0); /* no event of its own */
}

static void ended(struct read_table *t, uint64_t type, uint64_t off, uint64_t event_ns,
		  uint64_t want)
{
	uint64_t ns;

	assert_true(read_table_take(t, type, off, event_ns, &ns));
	assert_int_equal(ns, want);
}

static void test_read_times(void **state)
{
	struct read_table *t = read_table_new();
	uint64_t ns;

	(void)state;
	assert_non_null(t);
	/* Three devices, one slot; the event of the last was late and carries another time. */
	read_table_begin(t, 0, 7, 100, 100);
	read_table_begin(t, 1, 7, 200, 200);
	read_table_begin(t, 2, 7, 300, 350);
	read_table_end(t, 1, 7, 290);
	read_table_end(t, 0, 7, 300);
	read_table_end(t, 2, 7, 310);
	ended(t, 0, 7, 100, 200);
	ended(t, 1, 7, 200, 90);
	ended(t, 2, 7, 350, 10);
	assert_false(read_table_take(t, 0, 7, 100, &ns)); /* its event has been written */
	read_table_free(t);
}

/* A slot is read, given to another page and read again before the first event is written. */
static void test_read_again(void **state)
{
	struct read_table *t = read_table_new();
	uint64_t ns;

	(void)state;
	assert_non_null(t);
	read_table_begin(t, 0, 9, 100, 100);
	read_table_begin(t, 0, 9, 500, 500);
	read_table_end(t, 0, 9, 400); /* before the second began: of neither for certain */
	read_table_end(t, 0, 9, 530);
	read_table_end(t, 0, 9, 560); /* the reader returns as well: nothing new */
	assert_false(read_table_take(t, 0, 9, 100, &ns));
	ended(t, 0, 9, 500, 30);
	read_table_end(t, 0, 9, 600); /* nobody waits */
	read_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cluster_window),  TEST(test_burst),
		TEST(test_vma_window),	    TEST(test_ra_state),
		TEST(test_ra_switched_off), TEST(test_ra_probed),
		TEST(test_ra_burst),	    TEST(test_ra_unknown),
		TEST(test_ra_vma),	    TEST(test_ra_vma_fresh),
		TEST(test_ra_vma_raced),    TEST(test_ra_vma_probed),
		TEST(test_lookup),	    TEST(test_lookup_of_shmem),
		TEST(test_vma_numbers),	    TEST(test_many_vmas),
		TEST(test_ranges),	    TEST(test_odd_offsets),
		TEST(test_swapon),	    TEST(test_device_flags),
		TEST(test_swapoff),	    TEST(test_swapoff_of_an_empty_device),
		TEST(test_slots),	    TEST(test_bad_records),
		TEST(test_read_end),	    TEST(test_read_times),
		TEST(test_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
