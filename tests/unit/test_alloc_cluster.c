// SPDX-License-Identifier: GPL-2.0
/*
 * Which slots each generation hands out: small sequences that can be followed by hand. They were
 * worked out from the description of each kernel's search; the vectors of the real code are in
 * tests/golden.
 */
#include "alloc_tools.h"

/*
 * Four clusters, all CPU 0, order 4: cluster 0 holds the header, so cluster 1 is first. After 33
 * requests cluster 1 is full and the CPU stands at 1040; then the entry at 528 comes free.
 */
static struct swap_alloc *four_clusters(const char *generation)
{
	struct swap_alloc *sa = one_disk(generation, 4 * 512);

	expect_run(sa, 4, 512, 1024, 16);
	return sa;
}

/* The rest of cluster 2. */
static void rest_of_cluster_2(struct swap_alloc *sa)
{
	expect_run(sa, 4, 1040, 1520, 16);
}

static void test_hole_empty_only(void **state)
{
	struct swap_alloc *sa = four_clusters("mthp-empty-only");

	(void)state;
	zap(sa, 528, 16);
	rest_of_cluster_2(sa);
	expect_run(sa, 4, 1536, 2032, 16);
	/* A cluster counts again when all of it is free, not before. */
	assert_int_equal(get(sa, 4), -1);
	assert_int_equal(swap_alloc_explain(sa, 4), SWAP_LABEL_HOLE_NOT_FOUND);
	swap_alloc_destroy(sa);
}

/* v1 and 6.12 take free clusters first, then partly used ones of their order. */
static void test_hole_free_first(void **state)
{
	static const char *const generations[] = { "nonfull-v1", "cluster-6.12" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(generations); i++) {
		struct swap_alloc *sa = four_clusters(generations[i]);

		zap(sa, 528, 16);
		rest_of_cluster_2(sa);
		expect_run(sa, 4, 1536, 2032, 16);
		assert_int_equal(get(sa, 4), 528);
		assert_int_equal(get(sa, 4), -1);
		swap_alloc_destroy(sa);
	}
}

/* 6.18 keeps free clusters for later. */
static void test_hole_free_last(void **state)
{
	struct swap_alloc *sa = four_clusters("cluster-6.18");

	(void)state;
	zap(sa, 528, 16);
	rest_of_cluster_2(sa);
	assert_int_equal(get(sa, 4), 528);
	expect_run(sa, 4, 1536, 2032, 16);
	assert_int_equal(get(sa, 4), -1);
	swap_alloc_destroy(sa);
}

/* One slot of an entry comes free: no place for order 4, but the cluster is partly used now. */
static void test_hole_too_small(void **state)
{
	static const struct {
		const char *generation;
		enum swap_cluster_list_id before, after;
	} v[] = {
		/* v1 loses a cluster that did not fit until something in it is freed. */
		{ "nonfull-v1", SWAP_LIST_NONFULL, SWAP_LIST_NONE },
		{ "cluster-6.12", SWAP_LIST_NONFULL, SWAP_LIST_FRAG },
		{ "cluster-6.18", SWAP_LIST_NONFULL, SWAP_LIST_FRAG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct swap_alloc *sa = four_clusters(v[i].generation);
		const struct swap_cluster *c = &sa->dev[0].cluster[1];

		zap(sa, 528, 1);
		assert_int_equal(c->list, v[i].before);
		assert_int_equal(c->order, 4);
		rest_of_cluster_2(sa);
		expect_run(sa, 4, 1536, 2032, 16);
		assert_int_equal(get(sa, 4), -1);
		assert_int_equal(c->list, v[i].after);
		/* Cluster 0 has 31 holes at 16, 32, ... 496, and is not for order 4. */
		assert_int_equal(swap_alloc_explain(sa, 4), SWAP_LABEL_HOLE_NOT_FOUND);
		swap_alloc_destroy(sa);
	}
}

static void test_first_offset(void **state)
{
	static const struct {
		const char *generation;
		uint32_t pages, first;
	} v[] = {
		/* 512 clusters in 32 columns: 0 (in use: header), 32, 64, ... */
		{ "cluster-6.12", 262144, 32 * 512 },
		/* 32 clusters: each column has one. */
		{ "cluster-6.12", 16384, 512 },
		/* Partly used clusters, like the header's, come before free ones. */
		{ "cluster-6.18", 262144, 1 },
		{ "cluster-6.18", 16384, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct swap_alloc *sa = one_disk(v[i].generation, v[i].pages);

		expect_run(sa, 0, v[i].first, v[i].first + 2, 1);
		swap_alloc_destroy(sa);
	}
}

/* Cluster 1 belongs to order 4; order 0 steals in it only when its own places are used up. */
static void test_steal(void **state)
{
	static const struct {
		const char *generation;
		enum swap_cluster_list_id after;
	} v[] = {
		{ "cluster-6.12", SWAP_LIST_NONFULL },
		{ "cluster-6.18", SWAP_LIST_FRAG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct swap_alloc *sa = one_disk(v[i].generation, 1024);
		const struct swap_cluster *c = &sa->dev[0].cluster[1];

		expect_run(sa, 4, 512, 1008, 16);
		zap(sa, 512, 16);
		expect_run(sa, 0, 1, 511, 1);
		assert_int_equal(get(sa, 0), 512);
		assert_int_equal(c->order, 4);
		assert_int_equal(c->list, v[i].after);
		assert_int_equal(
			sa->percpu ? sa->percpu[0].next[0].off : sa->dev[0].percpu[0].next[0], 513);
		swap_alloc_destroy(sa);
	}
}

/*
 * One free cluster: 33 requests of order 4, of which 32 fit. Half of them come free again: a
 * policy that wants wholly free clusters finds nothing for 16 more, one that reuses partly used
 * clusters finds room for all.
 */
static void test_reuse_of_partly_used(void **state)
{
	static const struct {
		const char *generation;
		unsigned int again;
		uint32_t used;
	} v[] = {
		{ "mthp-empty-only", 0, 256 },
		{ "nonfull-v1", 16, 512 },
		{ "cluster-6.12", 16, 512 },
		{ "cluster-6.18", 16, 512 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct swap_alloc *sa = one_disk(v[i].generation, 1024);
		unsigned int again = 0;

		expect_run(sa, 4, 512, 1008, 16);
		assert_int_equal(get(sa, 4), -1);
		for (uint32_t off = 512; off < 768; off += 16)
			zap(sa, off, 16);
		for (int n = 0; n < 16; n++)
			again += get(sa, 4) >= 0;
		assert_int_equal(again, v[i].again);
		assert_int_equal(sa->dev[0].inuse, v[i].used);
		swap_alloc_destroy(sa);
	}
}

/*
 * 1024 slots in 2 clusters, every 8th used (slot 0, the header, is one of them). Cluster 1 was
 * filled by order ORDER before and is its own.
 */
static struct swap_alloc *every_eighth(unsigned int order)
{
	struct swap_alloc *sa = one_disk("cluster-6.12", 1024);

	expect_run(sa, order, 512, 1024 - (1u << order), 1u << order);
	expect_run(sa, 0, 1, 511, 1);
	for (uint32_t off = 1; off < 1024; off++)
		if (off % 8)
			zap(sa, off, 1);
	return sa;
}

static void test_labels(void **state)
{
	struct swap_alloc *sa = every_eighth(2);
	struct swap_alloc_space space;

	(void)state;
	assert_int_equal(swap_alloc_space(sa, 0, &space), 0);
	assert_int_equal(space.slots, 1023);
	assert_int_equal(space.free, 896); /* 1024 - 1024 / 8 */
	assert_int_equal(space.free_clusters, 0);
	/* In each group of 8: 1, 2-3, 4-7; so one pair and one quad with its two pairs. */
	assert_int_equal(space.holes[0], 7 * 128);
	assert_int_equal(space.holes[1], 3 * 128);
	assert_int_equal(space.holes[2], 128);
	assert_int_equal(space.holes[3], 0);

	assert_int_equal(get(sa, 3), -1);
	assert_int_equal(swap_alloc_explain(sa, 3), SWAP_LABEL_NO_ALIGNED_HOLE);
	/* Slots 4-7 of the first group in the cluster of order 2. */
	assert_int_equal(get(sa, 2), 516);
	/* Pairs there are, but no cluster of order 1. */
	assert_int_equal(get(sa, 1), -1);
	assert_int_equal(swap_alloc_explain(sa, 1), SWAP_LABEL_HOLE_NOT_FOUND);
	swap_alloc_destroy(sa);

	sa = every_eighth(1);
	assert_int_equal(get(sa, 1), 514);
	for (int n = 0; n < 896 - 2; n++)
		assert_true(get(sa, 0) > 0);
	assert_int_equal(get(sa, 0), -1);
	assert_int_equal(sa->last_fail, SWAP_FAIL_SPACE);
	assert_int_equal(swap_alloc_explain(sa, 0), SWAP_LABEL_FULL);
	assert_string_equal(swap_alloc_label_name(SWAP_LABEL_FULL), "full");
	swap_alloc_destroy(sa);
}

/* 64K pages: clusters of 8192 slots, the largest order is 13. */
static void test_64k_pages(void **state)
{
	static const char *const generations[] = { "scan-6.1", "mthp-empty-only", "nonfull-v1",
						   "cluster-6.12", "cluster-6.18" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(generations); i++) {
		struct swap_alloc *sa = new_alloc(generations[i], 8192, false);
		struct swap_entry e;

		add_device(sa, 0, 3 * 8192, SWAP_PRIO_DEFAULT, DISK);
		assert_int_equal(get(sa, 13), 8192);
		assert_int_equal(get(sa, 13), 16384);
		/* 8191 slots are left. */
		assert_int_equal(get(sa, 13), -1);
		assert_int_equal(swap_alloc_explain(sa, 13), SWAP_LABEL_FULL);
		assert_int_equal(swap_alloc_folio(sa, 0, 14, &e), -EINVAL);
		swap_alloc_destroy(sa);
	}
}

/* Orders nobody gives: without THP_SWAP, between 0 and the largest in 6.1, on a swap file. */
static void test_config(void **state)
{
	struct swap_alloc *sa = new_alloc("cluster-6.12", 256, false);

	(void)state;
	add_device(sa, 0, 1024, SWAP_PRIO_DEFAULT, DISK);
	assert_int_equal(get(sa, 1), -1);
	assert_int_equal(sa->last_fail, SWAP_FAIL_CONFIG);
	assert_int_equal(swap_alloc_explain(sa, 1), SWAP_LABEL_CONFIG);
	swap_alloc_destroy(sa);

	sa = one_disk("scan-6.1", 2048);
	assert_int_equal(get(sa, 4), -1);
	assert_int_equal(swap_alloc_explain(sa, 4), SWAP_LABEL_CONFIG);
	assert_int_equal(get(sa, 9), 512);
	swap_alloc_destroy(sa);

	sa = new_alloc("cluster-6.18", 512, false);
	add_device(sa, 0, 2048, SWAP_PRIO_DEFAULT, SWAP_DEV_SSD);
	assert_int_equal(get(sa, 4), -1);
	assert_int_equal(sa->last_fail, SWAP_FAIL_CONFIG);
	assert_int_equal(swap_alloc_explain(sa, 4), SWAP_LABEL_CONFIG);
	assert_int_equal(get(sa, 0), 1);
	swap_alloc_destroy(sa);
}

/* Device of three clusters, each freed cluster to be discarded before it is used again. */
static struct swap_alloc *discarding(const char *generation)
{
	struct swap_alloc *sa = new_alloc(generation, 512, false);

	add_device(sa, 0, 3 * 512, SWAP_PRIO_DEFAULT, DISK | SWAP_DEV_DISCARD);
	assert_int_equal(get(sa, 9), 512);
	zap(sa, 512, 512);
	assert_int_equal(sa->dev[0].cluster[1].list, SWAP_LIST_DISCARD);
	assert_int_equal(get(sa, 9), 1024);
	return sa;
}

static void test_discard(void **state)
{
	struct swap_alloc_swapon p = { .pages = 2048, .flags = DISK | SWAP_DEV_DISCARD };
	struct swap_alloc *sa = discarding("cluster-6.12");

	(void)state;
	/* No free cluster: the allocator discards what waits and looks again. */
	assert_int_equal(get(sa, 9), 512);
	swap_alloc_destroy(sa);

	/* 6.18 does that for order 0 only; here the worker comes to help. */
	sa = discarding("cluster-6.18");
	assert_int_equal(get(sa, 9), -1);
	assert_int_equal(swap_alloc_discard_work(sa, 0), 0);
	assert_int_equal(get(sa, 9), 512);
	zap(sa, 512, 512);
	expect_run(sa, 0, 1, 512, 1);
	swap_alloc_destroy(sa);

	/* v1 would deadlock there, so it is refused. */
	sa = new_alloc("nonfull-v1", 512, false);
	assert_int_equal(swap_alloc_swapon(sa, 0, &p), -EOPNOTSUPP);
	swap_alloc_destroy(sa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hole_empty_only),
		cmocka_unit_test(test_hole_free_first),
		cmocka_unit_test(test_hole_free_last),
		cmocka_unit_test(test_hole_too_small),
		cmocka_unit_test(test_first_offset),
		cmocka_unit_test(test_steal),
		cmocka_unit_test(test_reuse_of_partly_used),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_64k_pages),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_discard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
