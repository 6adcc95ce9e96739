// SPDX-License-Identifier: GPL-2.0
/*
 * Several devices, priorities, round robin, swapoff, and the slots cache in front. Expected
 * numbers are worked out in the comments.
 */
#include "alloc_tools.h"

static const char *const with_cache[] = { "scan-6.1", "mthp-empty-only", "nonfull-v1",
					  "cluster-6.12" };

/* Device of an order-0 request, which must succeed. */
static int device_of_next(struct swap_alloc *sa)
{
	struct swap_entry e;

	assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
	assert_sane(sa);
	return e.type;
}

static struct swap_alloc *two_equal(const char *generation, bool slots_cache)
{
	struct swap_alloc *sa = new_alloc(generation, 512, slots_cache);

	add_device(sa, 0, 4096, 5, DISK);
	add_device(sa, 1, 4096, 5, DISK);
	return sa;
}

/* With the slots cache the turn is 64 slots, the size of a refill; without, each slot. */
static void test_round_robin(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(with_cache); i++) {
		struct swap_alloc *sa = two_equal(with_cache[i], true);

		for (int n = 0; n < 192; n++)
			assert_int_equal(device_of_next(sa), n / 64 % 2);
		swap_alloc_destroy(sa);

		sa = two_equal(with_cache[i], false);
		for (int n = 0; n < 6; n++)
			assert_int_equal(device_of_next(sa), n % 2);
		swap_alloc_destroy(sa);
	}
}

/*
 * 6.18 changes device with the cluster. The first one is cluster 0, with 511 slots on either
 * device; then both have none on nonfull[0] and give a free cluster of 512.
 */
static void test_round_robin_by_cluster(void **state)
{
	struct swap_alloc *sa = two_equal("cluster-6.18", true);

	(void)state;
	for (int n = 0; n < 511; n++)
		assert_int_equal(device_of_next(sa), 0);
	for (int n = 0; n < 511; n++)
		assert_int_equal(device_of_next(sa), 1);
	for (int n = 0; n < 512; n++)
		assert_int_equal(device_of_next(sa), 0);
	assert_int_equal(device_of_next(sa), 1);
	swap_alloc_destroy(sa);
}

/*
 * Two devices swapped on without a priority (docs/kernel-facts.md#devices): up to 6.18 the first is
 * filled before the second is touched; from 6.19 on they are equal and take turns, a cluster at a
 * time.
 */
static void test_default_priorities(void **state)
{
	static const struct {
		const char *generation;
		struct swap_entry first_of[4]; /* of each of the first four clusters */
	} v[] = {
		{ "cluster-6.18", { { 0, 1 }, { 0, 512 }, { 0, 1024 }, { 0, 1536 } } },
		{ "cluster-6.19", { { 0, 1 }, { 1, 1 }, { 0, 512 }, { 1, 512 } } },
		{ "cluster-7.1", { { 0, 1 }, { 1, 1 }, { 0, 512 }, { 1, 512 } } },
	};
	/* On 6.18 the second cluster begins after 511 requests; on 6.19 the third after 1022. */
	static const int sizes[][4] = { { 511, 512, 512, 512 }, { 511, 511, 512, 512 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct swap_alloc *sa = new_alloc(v[i].generation, 512, false);

		add_device(sa, 0, 16384, SWAP_PRIO_DEFAULT, DISK);
		add_device(sa, 1, 16384, SWAP_PRIO_DEFAULT, DISK);
		for (int c = 0; c < 4; c++)
			for (int n = 0; n < sizes[i > 0][c]; n++) {
				struct swap_entry e;

				assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
				assert_int_equal(e.type, v[i].first_of[c].type);
				assert_int_equal(e.off, v[i].first_of[c].off + n);
			}
		assert_sane(sa);
		swap_alloc_destroy(sa);
	}
}

/*
 * A device that ends inside a cluster (docs/kernel-facts.md#allocator-618): 1500 slots, the last
 * cluster holds 1024 to 1499. From 7.1 on a request that finds the end of the device there moves
 * the cluster to the frag list, so that the slot freed next is used later than those of the other
 * clusters.
 */
static void test_tail_cluster(void **state)
{
	static const struct {
		const char *generation;
		uint32_t later[6];
	} v[] = {
		{ "cluster-6.18", { 5, 1100, 1200, 512, 513, 514 } },
		{ "cluster-6.19", { 5, 1100, 1200, 512, 513, 514 } },
		{ "cluster-7.1", { 5, 512, 513, 514, 515, 516 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct swap_alloc *sa = new_alloc(v[i].generation, 512, false);
		struct swap_entry e;

		add_device(sa, 0, 1500, 5, DISK);
		for (uint32_t n = 0; n < 986; n++) {
			assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
			assert_int_equal(e.off, n < 511 ? 1 + n : 1024 + n - 511);
		}
		assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 1100, 1), 0);
		assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 5, 1), 0);
		assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
		assert_int_equal(e.off, 1499);
		assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 1200, 1), 0);
		for (int n = 0; n < 6; n++) {
			assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
			assert_int_equal(e.off, v[i].later[n]);
		}
		assert_sane(sa);
		swap_alloc_destroy(sa);
	}
}

/*
 * 99 slots at priority 10 before 4095 at priority 5. A batch is served by one device: 64, then
 * the 35 that are left, then 64 of the other.
 */
static void test_priority(void **state)
{
	struct swap_alloc *sa = new_alloc("cluster-6.12", 512, false);
	static const struct {
		int got, type;
	} v[] = { { 64, 1 }, { 35, 1 }, { 64, 0 } };
	struct swap_entry e[SWAP_BATCH];

	(void)state;
	add_device(sa, 0, 4096, 5, DISK);
	add_device(sa, 1, 100, 10, DISK);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		assert_int_equal(swap_alloc_get_pages(sa, 0, 0, SWAP_BATCH, e), v[i].got);
		assert_int_equal(e[0].type, v[i].type);
		assert_int_equal(e[v[i].got - 1].type, v[i].type);
		assert_sane(sa);
	}
	/* A slot comes free on the better device: it is first again. */
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 1, 7, 1), 0);
	assert_int_equal(swap_alloc_get_pages(sa, 0, 0, 1, e), 1);
	assert_int_equal(e[0].type, 1);
	assert_int_equal(e[0].off, 7);
	swap_alloc_destroy(sa);
}

/* 6.18 goes on to the next device for order 0 as well. */
static void test_spill_over(void **state)
{
	struct swap_alloc *sa = new_alloc("cluster-6.18", 512, false);

	(void)state;
	add_device(sa, 0, 4096, 5, DISK);
	add_device(sa, 1, 100, 10, DISK);
	for (int n = 0; n < 99; n++)
		assert_int_equal(device_of_next(sa), 1);
	assert_int_equal(device_of_next(sa), 0);
	swap_alloc_destroy(sa);
}

/* A large request asks one device, the one whose turn it is, even if that can never serve it. */
static void test_large_asks_one_device(void **state)
{
	static const char *const generations[] = { "mthp-empty-only", "nonfull-v1", "cluster-6.12",
						   "cluster-6.18" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(generations); i++) {
		struct swap_alloc *sa = new_alloc(generations[i], 512, true);

		/* 0 is a swap file. */
		add_device(sa, 0, 4096, 5, SWAP_DEV_SSD);
		add_device(sa, 1, 4096, 5, DISK);
		assert_int_equal(get(sa, 4), -1);
		assert_int_equal(sa->last_fail, SWAP_FAIL_CONFIG);
		assert_true(get(sa, 4) > 0);
		/* 6.18 goes on in the CPU's cluster and takes no turn. */
		assert_int_equal(get(sa, 4) > 0, !strcmp(generations[i], "cluster-6.18"));
		swap_alloc_destroy(sa);
	}
}

/* Default priorities count down from -2 and stay dense; devices on the node share the load. */
static void test_default_priority(void **state)
{
	struct swap_alloc_swapon near = {
		.pages = 4096, .prio = SWAP_PRIO_DEFAULT, .flags = DISK, .local_node = true
	};
	struct swap_alloc *sa = new_alloc("cluster-6.12", 512, false);

	(void)state;
	for (int type = 0; type < 3; type++)
		add_device(sa, type, 4096, SWAP_PRIO_DEFAULT, DISK);
	assert_int_equal(sa->dev[0].prio, -2);
	assert_int_equal(sa->dev[2].prio, -4);
	for (int n = 0; n < 3; n++)
		assert_int_equal(device_of_next(sa), 0);
	assert_int_equal(swap_alloc_swapoff_begin(sa, 0), 0);
	assert_sane(sa);
	assert_int_equal(device_of_next(sa), 1);
	assert_int_equal(sa->dev[1].prio, -2);
	assert_int_equal(sa->dev[2].prio, -3);
	assert_int_equal(swap_alloc_swapoff_end(sa, 0), 0);
	assert_sane(sa);
	assert_int_equal(swap_alloc_swapon(sa, 0, &near), 0);
	assert_int_equal(sa->dev[0].prio, -4);
	/* On the allocating CPU's node: before the others. */
	assert_int_equal(device_of_next(sa), 0);
	assert_int_equal(device_of_next(sa), 0);
	assert_int_equal(swap_alloc_swapon(sa, 3, &near), 0);
	/* Two of them take turns, although their priorities differ. */
	assert_int_equal(device_of_next(sa), 0);
	assert_int_equal(device_of_next(sa), 3);
	assert_int_equal(device_of_next(sa), 0);
	swap_alloc_destroy(sa);
}

/* A swapoff that is killed leaves the device as it was, with what had not come back. */
static void test_swapoff_abort(void **state)
{
	struct swap_alloc *sa = one_disk("cluster-6.18", 1024);
	struct swap_entry e;

	(void)state;
	expect_run(sa, 0, 1, 10, 1);
	assert_int_equal(swap_alloc_swapoff_begin(sa, 0), 0);
	assert_int_equal(swap_alloc_swapoff_begin(sa, 0), -ENODEV);
	assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), -ENOSPC);
	assert_int_equal(sa->last_fail, SWAP_FAIL_SPACE);
	zap(sa, 1, 4);
	assert_int_equal(swap_alloc_swapoff_abort(sa, 0), 0);
	assert_sane(sa);
	assert_int_equal(sa->nr_swap_pages, 1023 - 6);
	/* The CPU's place is still good. */
	assert_int_equal(get(sa, 0), 11);
	swap_alloc_destroy(sa);

	/* A full one takes no turn: each large request is served by the other device. */
	sa = new_alloc("cluster-6.12", 512, false);
	add_device(sa, 0, 100, 5, DISK);
	for (int n = 0; n < 99; n++)
		assert_int_equal(device_of_next(sa), 0);
	assert_int_equal(swap_alloc_swapoff_begin(sa, 0), 0);
	assert_int_equal(swap_alloc_swapoff_abort(sa, 0), 0);
	add_device(sa, 1, 4096, 5, DISK);
	expect_run(sa, 4, 512, 560, 16);
	zap(sa, 50, 1);
	assert_int_equal(device_of_next(sa), 1);
	assert_int_equal(device_of_next(sa), 0);
	swap_alloc_destroy(sa);
}

/*
 * 1023 slots, one CPU: the cache is on from above 5 * 64 free slots to below 2 * 64. Slots in it
 * are used ones.
 */
static void test_slots_cache(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(with_cache); i++) {
		struct swap_alloc *sa = new_alloc(with_cache[i], 512, true);
		struct swap_entry e[65];

		add_device(sa, 0, 1024, 0, DISK);
		for (int n = 0; n < 65; n++) {
			assert_int_equal(swap_alloc_folio(sa, 0, 0, &e[n]), 0);
			assert_int_equal(sa->dev[0].inuse, n < 64 ? 64 : 128);
		}
		/* The 65th free flushes the 64 before it. */
		for (int n = 0; n < 65; n++) {
			assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_SWAPIN, 0, e[n].off, 1),
					 0);
			assert_int_equal(sa->dev[0].inuse, n < 64 ? 128 : 64);
			assert_sane(sa);
		}
		assert_int_equal(sa->cache[0].n_ret, 1);
		/* Swapoff empties both sides: 63 to be handed out, 1 handed back. */
		assert_int_equal(swap_alloc_swapoff_begin(sa, 0), 0);
		assert_int_equal(sa->dev[0].inuse, 0);
		assert_sane(sa);
		swap_alloc_destroy(sa);
	}
}

/*
 * Request 833 takes the first slot of the 14th run of 64: 896 of 1023 slots are used. 127 free
 * ones are too few, so request 834 gives the other 63 back and is served alone.
 */
static void test_slots_cache_thresholds(void **state)
{
	struct swap_alloc *sa = new_alloc("cluster-6.12", 512, true);

	(void)state;
	add_device(sa, 0, 1024, 0, DISK);
	for (int n = 1; n <= 833; n++)
		assert_int_equal(device_of_next(sa), 0);
	assert_true(sa->cache_active);
	assert_int_equal(sa->dev[0].inuse, 896);
	device_of_next(sa);
	assert_false(sa->cache_active);
	assert_int_equal(sa->dev[0].inuse, 834);
	swap_alloc_destroy(sa);

	/* 321 slots and a header: more than 320 are free. One less, and there is no cache. */
	for (uint32_t free = 320; free <= 321; free++) {
		sa = new_alloc("cluster-6.12", 512, true);
		add_device(sa, 0, free + 1, 0, DISK);
		device_of_next(sa);
		assert_int_equal(sa->dev[0].inuse, free == 321 ? 64 : 1);
		swap_alloc_destroy(sa);
	}
}

/* Rotational disks: no clusters, no large entries before 6.14; one place for all CPUs in 6.18. */
static void test_rotational(void **state)
{
	struct swap_alloc_config cfg = { .generation = "cluster-6.18",
					 .nr_cpus = 2,
					 .cluster_slots = 512 };
	struct swap_alloc *sa;
	struct swap_entry e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(with_cache); i++) {
		sa = new_alloc(with_cache[i], 512, false);
		add_device(sa, 0, 4096, 0, SWAP_DEV_BLKDEV);
		assert_null(sa->dev[0].cluster);
		assert_int_equal(get(sa, 9), -1);
		assert_int_equal(sa->last_fail, SWAP_FAIL_CONFIG);
		/* The first 512-slot run that is free begins right behind the header. */
		expect_run(sa, 0, 1, 20, 1);
		zap(sa, 5, 1);
		expect_run(sa, 0, 21, 21, 1);
		swap_alloc_destroy(sa);
	}
	assert_int_equal(swap_alloc_create(&sa, &cfg), 0);
	add_device(sa, 0, 4096, 0, SWAP_DEV_BLKDEV);
	for (uint32_t n = 0; n < 8; n++) {
		assert_int_equal(swap_alloc_folio(sa, n % 2, 0, &e), 0);
		assert_int_equal(e.off, 1 + n);
	}
	assert_int_equal(sa->dev[0].global_next[0], 9);
	/* Large entries are fine: cluster 1 is free. */
	assert_int_equal(get(sa, 9), 512);
	swap_alloc_destroy(sa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_robin),
		cmocka_unit_test(test_round_robin_by_cluster),
		cmocka_unit_test(test_default_priorities),
		cmocka_unit_test(test_tail_cluster),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_spill_over),
		cmocka_unit_test(test_large_asks_one_device),
		cmocka_unit_test(test_default_priority),
		cmocka_unit_test(test_swapoff_abort),
		cmocka_unit_test(test_slots_cache),
		cmocka_unit_test(test_slots_cache_thresholds),
		cmocka_unit_test(test_rotational),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
