/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the tests of the slot allocator: one device, requests that give an offset or -1, and the
 * invariants checked after every step. Include after cmocka.h.
 */
#ifndef TESTS_UNIT_ALLOC_FIXTURE_H
#define TESTS_UNIT_ALLOC_FIXTURE_H

#include <string.h>

#include "replay/model/alloc.h"

#define SSD (SWAP_DEV_SSD | SWAP_DEV_BLKDEV)
#define HDD SWAP_DEV_BLKDEV
#define NOTHING (-1)

/* Fails the test with the reason if the state of the allocator is not sound. */
static inline void sound(const struct swap_alloc *sa)
{
	char why[256] = "";

	if (swap_alloc_check(sa, why, sizeof(why)))
		fail_msg("%s: %s", sa->generation, why);
}

static inline struct swap_alloc *allocator(const char *generation, unsigned int cpus,
					   unsigned int cluster_slots, bool slots_cache)
{
	const struct swap_alloc_config cfg = {
		.generation = generation,
		.nr_cpus = cpus,
		.cluster_slots = cluster_slots,
		.slots_cache = slots_cache,
	};
	struct swap_alloc *sa = NULL;

	assert_int_equal(swap_alloc_create(&sa, &cfg), 0);
	return sa;
}

static inline void device(struct swap_alloc *sa, int type, uint32_t pages, uint32_t flags, int prio)
{
	const struct swap_alloc_swapon p = { .pages = pages, .prio = prio, .flags = flags };

	assert_int_equal(swap_alloc_swapon(sa, type, &p), 0);
	sound(sa);
}

/* One CPU, clusters of 512, no slots cache, device 0 of PAGES slots. Random draws give low. */
static inline struct swap_alloc *one_device(const char *generation, uint32_t pages, uint32_t flags)
{
	struct swap_alloc *sa = allocator(generation, 1, 512, false);

	device(sa, 0, pages, flags, SWAP_PRIO_DEFAULT);
	return sa;
}

/* Offset of a new entry of ORDER, or NOTHING. */
static inline int64_t take(struct swap_alloc *sa, unsigned int cpu, unsigned int order)
{
	struct swap_entry e;
	int ret = swap_alloc_folio(sa, cpu, order, &e);

	sound(sa);
	assert_true(ret == 0 || ret == -ENOSPC);
	return ret ? NOTHING : (int64_t)e.off;
}

/* The next N entries of ORDER on CPU 0 are FIRST, FIRST + STEP, ... */
static inline void takes(struct swap_alloc *sa, unsigned int order, unsigned int n, int64_t first,
			 int64_t step)
{
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(take(sa, 0, order), first + i * step);
}

static inline void drop(struct swap_alloc *sa, uint32_t off, uint32_t n)
{
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, off, n), 0);
	sound(sa);
}

#endif
