// SPDX-License-Identifier: GPL-2.0
/*
 * What the probe of swapoff predicts, for 4,096 pages in order with consecutive slots, page-cluster
 * 3 and the state after a boot. The numbers were worked out by an independent walk and, where the
 * comment says so, seen on a kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "doctor/probe.h"

#define PAGES 4096u

static uint64_t slots[PAGES];
static uint8_t cached[PAGES];

static struct swapoff_walk sequential(bool vma, uint64_t first)
{
	for (unsigned int i = 0; i < PAGES; i++)
		slots[i] = first + i;
	return (struct swapoff_walk){ .n = PAGES,
				      .slots = slots,
				      .address = UINT64_C(0x7f0000000000),
				      .device_slots = 16384,
				      .page_shift = 12,
				      .page_cluster = 3,
				      .vma = vma };
}

static void predicts(const struct swapoff_walk *w, enum swapoff_policy policy, uint64_t calls,
		     uint64_t swap_ra, uint64_t swap_ra_hit)
{
	struct swapoff_counts c;

	assert_int_equal(swapoff_predict(w, policy, &c), 0);
	assert_int_equal(c.calls, calls);
	assert_int_equal(c.swap_ra, swap_ra);
	assert_int_equal(c.swap_ra_hit, swap_ra_hit);
	/* Each page is read exactly once by all of them. */
	assert_int_equal(c.pages_read, PAGES);
}

static void test_vma(void **state)
{
	struct swapoff_walk w = sequential(true, 1);

	(void)state;
	predicts(&w, SWAPOFF_VANILLA, 4096, 4088, 0);
	predicts(&w, SWAPOFF_LOOKUP_FIRST, 514, 3582, 3582);
	/* 6.18.44 counted 1368 and 0. */
	predicts(&w, SWAPOFF_LOOKUP_ONLY, 2728, 1368, 0);
}

static void test_cluster(void **state)
{
	struct swapoff_walk w = sequential(false, 512);

	(void)state;
	predicts(&w, SWAPOFF_VANILLA, 4096, 2051, 0);
	predicts(&w, SWAPOFF_LOOKUP_FIRST, 512, 3584, 3584);
	predicts(&w, SWAPOFF_LOOKUP_ONLY, 3065, 1031, 0);
	w = sequential(false, 1);
	predicts(&w, SWAPOFF_VANILLA, 4096, 2050, 0);
	predicts(&w, SWAPOFF_LOOKUP_FIRST, 513, 3583, 3583);
	predicts(&w, SWAPOFF_LOOKUP_ONLY, 3066, 1030, 0);
}

static void test_windows(void **state)
{
	struct swapoff_walk w = sequential(true, 1);
	struct swapoff_counts c;

	(void)state;
	assert_int_equal(swapoff_predict(&w, SWAPOFF_LOOKUP_ONLY, &c), 0);
	assert_int_equal(c.windows[0], 1361);
	assert_int_equal(c.windows[1], 1365);
	assert_int_equal(c.windows[2], 1);
	assert_int_equal(c.windows[3], 1);
}

static void test_cached(void **state)
{
	struct swapoff_walk w = sequential(true, 1);
	struct swapoff_counts c;

	(void)state;
	/* All in the swap cache without the mark of readahead: nothing is read, nothing is a hit.
	 */
	for (unsigned int i = 0; i < PAGES; i++)
		cached[i] = 1;
	w.cached = cached;
	for (int g = 0; g < SWAPOFF_GENERATIONS; g++) {
		assert_int_equal(swapoff_predict(&w, swapoff_generations[g].policy, &c), 0);
		assert_int_equal(c.pages_read, 0);
		assert_int_equal(c.swap_ra, 0);
		assert_int_equal(c.swap_ra_hit, 0);
	}
}

static void test_elsewhere(void **state)
{
	struct swapoff_walk w = sequential(true, 1);
	struct swapoff_counts c;

	(void)state;
	/* Pages that are not on the device are not visited and not read. */
	for (unsigned int i = 0; i < PAGES; i += 2)
		slots[i] = 0;
	assert_int_equal(swapoff_predict(&w, SWAPOFF_LOOKUP_FIRST, &c), 0);
	assert_int_equal(c.pages_read, PAGES / 2);
	slots[1] = 16384;
	assert_int_equal(swapoff_predict(&w, SWAPOFF_LOOKUP_FIRST, &c), -EINVAL);
	slots[1] = slots[3];
	assert_int_equal(swapoff_predict(&w, SWAPOFF_LOOKUP_FIRST, &c), -EINVAL);
}

static void predict_all(const struct swapoff_walk *w, struct swapoff_counts *c)
{
	for (int g = 0; g < SWAPOFF_GENERATIONS; g++)
		assert_int_equal(swapoff_predict(w, swapoff_generations[g].policy, &c[g]), 0);
}

static void test_recognise(void **state)
{
	struct swapoff_counts c[SWAPOFF_GENERATIONS];
	struct swapoff_walk w = sequential(true, 1);

	(void)state;
	predict_all(&w, c);
	/* Measured on 6.18.44. */
	assert_int_equal(swapoff_recognise(c, 1368, 0, PAGES), 2);
	assert_int_equal(swapoff_recognise(c, 1370, 0, PAGES), 2);
	assert_int_equal(swapoff_recognise(c, 3582, 3584, PAGES), 1);
	assert_int_equal(swapoff_recognise(c, 4090, 1, PAGES), 0);
	assert_int_equal(swapoff_recognise(c, 3582, 0, PAGES), -1);
	assert_int_equal(swapoff_recognise(c, 2500, 0, PAGES), -1);
	w = sequential(false, 1);
	predict_all(&w, c);
	assert_int_equal(swapoff_recognise(c, 1024, 0, PAGES), 2);
	assert_int_equal(swapoff_recognise(c, 3584, 3581, PAGES), 1);
	/* With page-cluster 0 the three are the same. */
	w.page_cluster = 0;
	predict_all(&w, c);
	assert_int_equal(swapoff_recognise(c, 0, 0, PAGES), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vma),	  cmocka_unit_test(test_cluster),
		cmocka_unit_test(test_windows),	  cmocka_unit_test(test_cached),
		cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_recognise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
