/* SPDX-License-Identifier: GPL-2.0 */
/* Allocators with devices of any kind, for tests of several generations and devices. */
#ifndef TESTS_UNIT_ALLOC_TOOLS_H
#define TESTS_UNIT_ALLOC_TOOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "replay/model/alloc.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DISK (SWAP_DEV_SSD | SWAP_DEV_BLKDEV)

static inline struct swap_alloc *new_alloc(const char *generation, unsigned int cluster_slots,
					   bool slots_cache)
{
	struct swap_alloc_config cfg = { .generation = generation,
					 .nr_cpus = 1,
					 .cluster_slots = cluster_slots,
					 .slots_cache = slots_cache };
	struct swap_alloc *sa;

	assert_int_equal(swap_alloc_create(&sa, &cfg), 0);
	return sa;
}

static inline void add_device(struct swap_alloc *sa, int type, uint32_t pages, int prio,
			      uint32_t flags)
{
	struct swap_alloc_swapon p = { .pages = pages, .prio = prio, .flags = flags };

	assert_int_equal(swap_alloc_swapon(sa, type, &p), 0);
}

/* 512-slot clusters, one CPU, no slots cache, one disk. */
static inline struct swap_alloc *one_disk(const char *generation, uint32_t pages)
{
	struct swap_alloc *sa = new_alloc(generation, 512, false);

	add_device(sa, 0, pages, SWAP_PRIO_DEFAULT, DISK);
	return sa;
}

static inline void assert_sane(const struct swap_alloc *sa)
{
	char why[200] = "";

	if (swap_alloc_check(sa, why, sizeof(why)))
		fail_msg("%s: %s", sa->generation, why);
}

/* Offset on the only device, -1 for a failure. */
static inline int64_t get(struct swap_alloc *sa, unsigned int order)
{
	struct swap_entry e;
	int ret = swap_alloc_folio(sa, 0, order, &e);

	assert_sane(sa);
	assert_true(ret == 0 || ret == -ENOSPC);
	return ret ? -1 : (int64_t)e.off;
}

/* Requests of ORDER must give FIRST, FIRST + STEP, ... LAST. */
static inline void expect_run(struct swap_alloc *sa, unsigned int order, uint32_t first,
			      uint32_t last, uint32_t step)
{
	for (uint32_t off = first; off <= last; off += step)
		assert_int_equal(get(sa, order), off);
}

static inline void zap(struct swap_alloc *sa, uint32_t off, uint32_t n)
{
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, off, n), 0);
	assert_sane(sa);
}

#endif
