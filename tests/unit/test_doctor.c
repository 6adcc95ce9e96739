// SPDX-License-Identifier: GPL-2.0
/*
 * What doctor makes of /proc: cases 15, 16, 19, 21, 22, 23, 25 and 35 of the list of real-world
 * cases. Values are the cases' own, or computed beside the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

#define HEADER "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"

static int read_swaps(struct doctor_swaps *s, const char *text, struct error *e)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	int ret = doctor_swaps_read(s, f, "swaps", e);

	fclose(f);
	return ret;
}

static int read_counters(struct doctor_counters *c, const char *text)
{
	struct error e;
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	int ret = doctor_counters_read(c, f, "vmstat", &e);

	fclose(f);
	return ret;
}

/* Case 19. */
static void test_swaps(void **state)
{
	static const char text[] = HEADER
		"/swap\\040area/hib.img                   file\t\t16777212\t2048\t\t-2\n"
		"/dev/zram0                              partition\t4194300\t\t1024\t\t32767\n"
		"/old\\040(deleted)                       file\t\t1048572\t\t0\t\t-3\n"
		"/dev/dm-3                               partition\t6442450940\t0\t\t5\n";
	static const char *const order[] = { "/dev/zram0", "/dev/dm-3", "/swap area/hib.img",
					     "/old" };
	unsigned int filled[DOCTOR_DEVICES_MAX];
	struct doctor_swaps s;
	struct error e;

	(void)state;
	assert_int_equal(read_swaps(&s, text, &e), 0);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.bad_lines, 0);
	doctor_fill_order(&s, filled);
	for (int i = 0; i < 4; i++)
		assert_string_equal(s.devices[filled[i]].name, order[i]);
	assert_true(s.devices[2].deleted);
	assert_false(s.devices[0].deleted);
	assert_true(s.devices[0].file);
	assert_int_equal(s.devices[0].priority, -2);
	assert_true(doctor_swaps_size(&s) == UINT64_C(6464471024));
	assert_int_equal(doctor_swaps_used(&s), 3072);
	/* Unknown is neither yes nor no. */
	assert_int_equal(s.devices[0].rotational, -1);
}

static void test_swaps_odd(void **state)
{
	struct doctor_swaps s;
	struct error e;

	(void)state;
	assert_int_equal(read_swaps(&s, HEADER, &e), 0);
	assert_int_equal(s.n, 0);
	assert_int_equal(read_swaps(&s, HEADER "/a (deleted) file 8 0 -2\n", &e), 0);
	assert_int_equal(s.n, 1);
	assert_true(s.devices[0].deleted);
	assert_string_equal(s.devices[0].name, "/a");
	assert_int_equal(read_swaps(&s,
				    HEADER "/a file 8 0 x\n/b file 1\n/c file -8 0 1\n"
					   "/d file 99999999999999999999 0 1\n/e file 8 0 4\n",
				    &e),
			 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.bad_lines, 4);
	assert_int_equal(read_swaps(&s, "MemTotal: 8 kB\n", &e), -EBADMSG);
}

/* Devices of one priority are filled in turn; the list keeps the kernel's order. */
static void test_order_ties(void **state)
{
	unsigned int filled[DOCTOR_DEVICES_MAX];
	struct doctor_swaps s;
	struct error e;

	(void)state;
	assert_int_equal(read_swaps(&s,
				    HEADER "/a file 8 0 1\n/b file 8 0 7\n/c file 8 0 1\n"
					   "/d file 8 0 7\n",
				    &e),
			 0);
	doctor_fill_order(&s, filled);
	assert_int_equal(filled[0], 1);
	assert_int_equal(filled[1], 3);
	assert_int_equal(filled[2], 0);
	assert_int_equal(filled[3], 2);
}

/* Case 22 and 24: pgpgin is no swap traffic, and what is not there is not 0. */
static void test_counters(void **state)
{
	struct doctor_counters c, d;

	(void)state;
	assert_int_equal(read_counters(&c, "pgpgin 9450000\npswpin 0\npswpout 0\nswap_ra 31\n"), 0);
	assert_int_equal(c.pswpin, 0);
	assert_int_equal(c.pswpout, 0);
	assert_int_equal(c.swap_ra, 31);
	assert_true(c.swap_ra_hit == COUNT_UNKNOWN);
	assert_int_equal(read_counters(&c, "pswpin 18446744073709551614\nswap_ra_hit 12\n"), 0);
	assert_true(c.pswpin == UINT64_MAX - 1);
	assert_int_equal(c.swap_ra_hit, 12);
	assert_int_equal(read_counters(&c, "no counters here\n"), -EBADMSG);
	assert_int_equal(read_counters(&c, ""), -EBADMSG);
	/* Case 25: a counter that is none of swap's shows that the kernel counts at all. */
	assert_int_equal(read_counters(&c, "swap_ra 8800\nswap_ra_hit 7100\nnr_dirtied 5\n"), 0);
	assert_int_equal(read_counters(&d, "swap_ra 8800\nswap_ra_hit 7100\nnr_dirtied 5\n"), 0);
	assert_true(c.all == d.all);
	assert_int_equal(read_counters(&d, "swap_ra 8800\nswap_ra_hit 7100\nnr_dirtied 6\n"), 0);
	assert_true(c.all != d.all);
}

static void delta_is(struct delta d, enum delta_kind kind, const char *text)
{
	char out[128];

	assert_int_equal(d.kind, kind);
	assert_string_equal(doctor_delta_text(&d, out, sizeof(out)), text);
}

/* Case 23. */
static void test_deltas(void **state)
{
	(void)state;
	assert_true(doctor_arch_is_32bit("i686"));
	assert_true(doctor_arch_is_32bit("armv7l"));
	assert_false(doctor_arch_is_32bit("x86_64"));
	assert_false(doctor_arch_is_32bit("s390x"));
	delta_is(doctor_delta(4294967000, 1200, true, true), DELTA_WRAPPED,
		 "+1,496 (wrapped, mod 2^32)");
	delta_is(doctor_delta(880000, 1500, false, false), DELTA_RESET,
		 "counter reset (reboot), delta unknown, at least 1,500");
	delta_is(doctor_delta(500120, 500118, false, true), DELTA_STEP_BACK, "-2, treated as 0");
	assert_int_equal(doctor_delta(500120, 500118, false, true).value, 0);
	delta_is(doctor_delta(7, 7, false, true), DELTA_EXACT, "+0");
	delta_is(doctor_delta(COUNT_UNKNOWN, 7, false, true), DELTA_UNKNOWN, "unknown");
	/* No wrap with 64 bits: a large step back in one boot is nothing to compute with. */
	delta_is(doctor_delta(4294967000, 1200, false, true), DELTA_UNKNOWN, "unknown");
}

/* Case 15: 57,344 kB in 60 s; 14,680,064 kB at the start. */
static void test_drain(void **state)
{
	struct drain_rate r = doctor_drain_rate(3670016, 3612672, 60);

	(void)state;
	assert_true(fabs(r.kb_per_s - 955.73) < 0.01);
	assert_true(fabs(14680064 / r.kb_per_s - 15360) < 0.5);
	r = doctor_drain_rate(14680064, 14680064 - 57344, 60);
	assert_true(fabs(r.seconds_left / 3600 - 4.25) < 0.01);
	assert_true(isnan(doctor_drain_rate(100, 100, 60).seconds_left));
	assert_true(isnan(doctor_drain_rate(100, 200, 60).seconds_left));
	assert_true(isnan(doctor_drain_rate(200, 100, 0).seconds_left));
}

/* A machine with one device. */
static struct swapoff_bounds bounds_of(uint64_t used, uint64_t zram, uint64_t available)
{
	struct doctor_facts f = { .swaps = { .n = 1 } };
	struct swapoff_bounds b;

	f.memory = (struct doctor_memory){ COUNT_UNKNOWN, COUNT_UNKNOWN, available,
					   COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN,
					   COUNT_UNKNOWN, COUNT_UNKNOWN };
	f.zswap.pool_kb = f.zswap.stored_kb = COUNT_UNKNOWN;
	f.swaps.devices[0].size_kb = f.swaps.devices[0].used_kb = used;
	f.swaps.devices[0].memory_kb = zram;
	doctor_swapoff_bounds(&f, -1, &b);
	return b;
}

/* Case 16. */
static void test_swapoff(void **state)
{
	struct swapoff_bounds b = bounds_of(2726297, COUNT_UNKNOWN, 1153433);

	(void)state;
	assert_true(b.memory_known);
	assert_int_equal(b.answer, SWAPOFF_FITS_NOT);
	assert_int_equal(b.needed_low_kb - b.available_high_kb, 1572864);
	/* 2,000 kB in zram that take 700: 1,300 more are needed. */
	assert_int_equal(bounds_of(2000, 700, 1300).answer, SWAPOFF_FITS);
	b = bounds_of(2000, 700, 1299);
	assert_int_equal(b.answer, SWAPOFF_FITS_NOT);
	assert_int_equal(b.needed_low_kb - b.available_high_kb, 1);
	/* More than it holds can't come back. */
	assert_int_equal(bounds_of(10, 700, 0).returned_low_kb, 10);
	assert_false(bounds_of(10, COUNT_UNKNOWN, COUNT_UNKNOWN).memory_known);
	assert_int_equal(bounds_of(0, COUNT_UNKNOWN, 0).answer, SWAPOFF_FITS);
}

/* zswap with two devices of 1,000 kB in use each: 1,500 kB stored in a pool of 500. */
static void test_swapoff_zswap(void **state)
{
	struct doctor_facts f = { .swaps = { .n = 2 } };
	struct swapoff_bounds b;

	(void)state;
	f.memory.available_kb = 600;
	f.zswap.pool_kb = 500;
	f.zswap.stored_kb = 1500;
	for (int i = 0; i < 2; i++) {
		f.swaps.devices[i].size_kb = 1000;
		f.swaps.devices[i].used_kb = 1000;
		f.swaps.devices[i].memory_kb = COUNT_UNKNOWN;
	}
	/* All of it: the whole pool goes. */
	doctor_swapoff_bounds(&f, -1, &b);
	assert_int_equal(b.returned_low_kb, 500);
	assert_int_equal(b.answer, SWAPOFF_FITS_NOT);
	/* One: at least 500 kB of its pages are in the pool (a third of it), at most 1,000. */
	doctor_swapoff_bounds(&f, 0, &b);
	assert_int_equal(b.returned_low_kb, 167);
	assert_int_equal(b.returned_high_kb, 333);
	assert_int_equal(b.answer, SWAPOFF_FITS_NOT); /* 667 of 600 */
	f.memory.available_kb = 700;
	doctor_swapoff_bounds(&f, 0, &b);
	assert_int_equal(b.answer, SWAPOFF_DEPENDS);
	f.memory.available_kb = 833;
	doctor_swapoff_bounds(&f, 0, &b);
	assert_int_equal(b.answer, SWAPOFF_FITS);
}

/* Case 35: zram of 64 MiB with 64K pages is 1,024 slots, of which one is the header. */
static void test_clusters(void **state)
{
	uint64_t slots;

	(void)state;
	assert_true(doctor_below_cluster(65472, 65536, 8192, &slots));
	assert_int_equal(slots, 1024);
	assert_false(doctor_below_cluster(2044, 4096, 512, &slots));
	assert_int_equal(slots, 512);
	assert_true(doctor_below_cluster(2040, 4096, 512, &slots));
}

/* Cases 21 and 35. */
static void test_bytes(void **state)
{
	(void)state;
	assert_string_equal(doctor_bytes(598211 * 4096.0).s, "2.28 GiB");
	assert_string_equal(doctor_bytes(702304 * 4096.0).s, "2.68 GiB");
	assert_string_equal(doctor_bytes(1000 * 65536.0).s, "62.50 MiB");
	assert_string_equal(doctor_bytes(1023).s, "1023 B");
	assert_string_equal(doctor_bytes(0).s, "0 B");
}

static void mode_is(int page_cluster, int vma_ra, int rotational, enum readahead_kind kind)
{
	struct doctor_facts *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->page_cluster = page_cluster;
	f->vma_ra = vma_ra;
	f->swaps.n = 2;
	f->swaps.devices[1].rotational = rotational;
	f->swaps.devices[1].synchronous = 1;
	doctor_decide_readahead(f);
	assert_int_equal(f->readahead, kind);
	assert_int_equal(f->synchronous, 1);
	assert_non_null(f->why);
	free(f);
}

/* VMA readahead runs where it is enabled and no rotational device is on. */
static void test_modes(void **state)
{
	(void)state;
	mode_is(3, 1, 0, RA_KIND_VMA);
	mode_is(3, 1, 1, RA_KIND_CLUSTER);
	mode_is(3, 0, 0, RA_KIND_CLUSTER);
	mode_is(3, 0, -1, RA_KIND_CLUSTER);
	mode_is(0, 1, 0, RA_KIND_OFF);
	mode_is(3, 1, -1, RA_KIND_UNKNOWN);
	mode_is(3, -1, 0, RA_KIND_UNKNOWN);
	mode_is(-1, 1, 0, RA_KIND_VMA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_swaps),	   cmocka_unit_test(test_swaps_odd),
		cmocka_unit_test(test_order_ties), cmocka_unit_test(test_counters),
		cmocka_unit_test(test_deltas),	   cmocka_unit_test(test_drain),
		cmocka_unit_test(test_swapoff),	   cmocka_unit_test(test_swapoff_zswap),
		cmocka_unit_test(test_clusters),   cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
