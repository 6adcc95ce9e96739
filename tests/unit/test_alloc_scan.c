// SPDX-License-Identifier: GPL-2.0
/*
 * scan-6.1, mthp-empty-only and nonfull-v1: what the recorded rows of real kernel code do not
 * reach, and the worked examples of the rules. Expected offsets follow from the rules at the top
 * of each model file; the steps are beside the numbers. Clusters have 512 slots unless a test says
 * otherwise; cluster 0 holds the header and a short last cluster is part-used, so neither is free.
 */
#include "alloc_tools.h"

#include "replay/model/alloc_scan_map.h"

#define ROTATING SWAP_DEV_BLKDEV
#define NOTHING (-1)

static const char *const generations[] = { "scan-6.1", "mthp-empty-only", "nonfull-v1" };

#define FOR_EACH_GENERATION(g) for (size_t g = 0; g < ARRAY_SIZE(generations); g++)

static struct swap_alloc *new_alloc_env(const char *generation, unsigned int cpus, bool slots_cache,
					struct swap_alloc_env env)
{
	const struct swap_alloc_config cfg = {
		.generation = generation,
		.nr_cpus = cpus,
		.cluster_slots = 512,
		.slots_cache = slots_cache,
		.env = env,
	};
	struct swap_alloc *sa;

	assert_int_equal(swap_alloc_create(&sa, &cfg), 0);
	return sa;
}

/* One disk of PAGES slots for several CPUs. */
static struct swap_alloc *disk_for_cpus(const char *generation, unsigned int cpus, uint32_t pages)
{
	struct swap_alloc *sa =
		new_alloc_env(generation, cpus, false, (struct swap_alloc_env){ 0 });

	add_device(sa, 0, pages, SWAP_PRIO_DEFAULT, DISK);
	return sa;
}

/* 512-slot clusters, one CPU, no slots cache, one device. */
static struct swap_alloc *one_device(const char *generation, uint32_t pages, uint32_t flags)
{
	struct swap_alloc *sa = new_alloc(generation, 512, false);

	add_device(sa, 0, pages, SWAP_PRIO_DEFAULT, flags);
	return sa;
}

/* Offset of a new entry of ORDER, or NOTHING. */
static int64_t take(struct swap_alloc *sa, unsigned int cpu, unsigned int order)
{
	struct swap_entry e;
	int ret = swap_alloc_folio(sa, cpu, order, &e);

	assert_sane(sa);
	assert_true(ret == 0 || ret == -ENOSPC);
	return ret ? NOTHING : (int64_t)e.off;
}

/* The next N entries of ORDER on CPU 0 are FIRST, FIRST + STEP, ... */
static void takes(struct swap_alloc *sa, unsigned int order, unsigned int n, int64_t first,
		  int64_t step)
{
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(take(sa, 0, order), first + i * step);
}

/* Single slots until the device is full: N of them. */
static void fill(struct swap_alloc *sa, unsigned int n)
{
	while (n--)
		assert_true(take(sa, 0, 0) > 0);
	assert_int_equal(take(sa, 0, 0), NOTHING);
}

/* 6.10: the hole of a dropped entry is on no list; only order 0 gets there, by its scan. */
static void test_empty_only_hole_is_for_order_0(void **state)
{
	struct swap_alloc *sa = one_disk("mthp-empty-only", 1024);

	(void)state;
	takes(sa, 4, 32, 512, 16);
	zap(sa, 528, 16);
	/* The scan begins behind its start, which is slot 1 here, and then behind 519. */
	takes(sa, 0, 1, 2, 0);
	assert_int_equal(swap_alloc_set_scan_next(sa, 0, 0, 519), 0);
	takes(sa, 0, 1, 528, 0);
	assert_int_equal(take(sa, 0, 4), NOTHING);
	/* All of cluster 1 free: a free cluster again. */
	zap(sa, 512, 17);
	zap(sa, 544, 479);
	assert_int_equal(take(sa, 0, 4), NOTHING);
	zap(sa, 1023, 1);
	takes(sa, 4, 32, 512, 16);
	swap_alloc_destroy(sa);
}

/* v1: a cluster that does not fit is off every list until the next free inside it. */
static void test_v1_drops_unfitting_cluster(void **state)
{
	struct swap_alloc *sa = one_disk("nonfull-v1", 1024);

	(void)state;
	takes(sa, 4, 32, 512, 16);
	zap(sa, 530, 1);
	assert_int_equal(sa->dev[0].cluster[1].list, SWAP_LIST_NONFULL);
	assert_int_equal(take(sa, 0, 4), NOTHING);
	assert_int_equal(sa->dev[0].cluster[1].list, SWAP_LIST_NONE);
	zap(sa, 528, 2);
	zap(sa, 531, 13);
	assert_int_equal(sa->dev[0].cluster[1].list, SWAP_LIST_NONFULL);
	takes(sa, 4, 1, 528, 0);
	swap_alloc_destroy(sa);
}

/*
 * v1: a cluster of order 2 in which of 8 slots the first is used. On nonfull[2] order 2 finds the
 * slots 4 to 7; order 3 finds no list of its own.
 */
static void test_v1_finds_holes_of_its_order(void **state)
{
	struct swap_alloc *sa = one_disk("nonfull-v1", 1024);

	(void)state;
	takes(sa, 2, 128, 512, 4);
	for (uint32_t off = 512; off < 1024; off += 8)
		zap(sa, off + 1, 7);
	assert_int_equal(take(sa, 0, 3), NOTHING);
	takes(sa, 2, 64, 516, 8);
	assert_int_equal(take(sa, 0, 2), NOTHING);
	swap_alloc_destroy(sa);
}

/* 6.1 knows order 0 and the PMD order, which takes whole free clusters. */
static void test_6_1_orders(void **state)
{
	struct swap_alloc *sa = one_disk("scan-6.1", 2048);

	(void)state;
	takes(sa, 9, 1, 512, 0);
	assert_int_equal(sa->dev[0].cluster[1].order, 9);
	for (unsigned int order = 1; order < 9; order++) {
		assert_int_equal(take(sa, 0, order), NOTHING);
		assert_int_equal(sa->last_fail, SWAP_FAIL_CONFIG);
	}
	takes(sa, 0, 2, 1024, 1);
	takes(sa, 9, 1, 1536, 0);
	assert_int_equal(take(sa, 0, 9), NOTHING);
	/* 2047 - 512 - 2 - 512 slots are free, but in no free cluster. */
	assert_int_equal(sa->last_fail, SWAP_FAIL_SEARCH);
	/* One slot of the huge entry comes back: a hole, not a cluster. */
	zap(sa, 600, 1);
	assert_int_equal(sa->dev[0].free.len, 0);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_CACHE, 0, 1536, 512), 0);
	takes(sa, 9, 1, 1536, 0);
	swap_alloc_destroy(sa);
}

/*
 * 6.1 keeps the CPU's place even when its cluster was freed below it. The cluster then is the last
 * of the free list, so the place is dropped and the head taken.
 */
static void test_6_1_cluster_freed_under_the_cpu(void **state)
{
	struct swap_alloc *sa = one_disk("scan-6.1", 2048);

	(void)state;
	takes(sa, 0, 3, 512, 1);
	zap(sa, 512, 3);
	takes(sa, 0, 1, 1024, 0);
	swap_alloc_destroy(sa);
}

/* v1, two CPUs: a free puts CPU 0's current cluster on nonfull, where CPU 1 finds it. */
static void test_v1_cpus_share(void **state)
{
	(void)state;
	for (size_t g = 1; g < 3; g++) {
		struct swap_alloc *sa = disk_for_cpus(generations[g], 2, 1024);

		takes(sa, 4, 2, 512, 16);
		assert_int_equal(take(sa, 1, 4), NOTHING);
		zap(sa, 512, 16);
		assert_int_equal(take(sa, 1, 4), g == 2 ? 512 : NOTHING);
		takes(sa, 4, 1, 544, 0);
		/* 528 and 544 are taken. */
		assert_int_equal(take(sa, 1, 4), g == 2 ? 560 : NOTHING);
		swap_alloc_destroy(sa);
	}
}

/*
 * v1: an emptied cluster keeps its order, unless it was given back in one step, and a place
 * remembered in it is good as long as it heads the free list: then it is used without being given
 * the order of the request.
 */
static void test_v1_stale_order(void **state)
{
	struct swap_alloc *sa = disk_for_cpus("nonfull-v1", 2, 1024);
	struct swap_cluster *c;

	(void)state;
	c = &sa->dev[0].cluster[1];
	takes(sa, 4, 1, 512, 0);
	zap(sa, 512, 16);
	assert_int_equal(c->order, 4);
	/* CPU 1 takes the cluster for order 9 and gives it back, slot by slot. */
	assert_int_equal(take(sa, 1, 9), 512);
	zap(sa, 512, 512);
	assert_int_equal(c->order, 9);
	/* CPU 0 still remembers 528. */
	takes(sa, 4, 1, 528, 0);
	assert_int_equal(c->order, 9);
	zap(sa, 528, 15);
	assert_int_equal(sa->dev[0].nonfull[9].head, 1);
	assert_int_equal(sa->dev[0].nonfull[4].len, 0);
	zap(sa, 543, 1);

	assert_int_equal(take(sa, 1, 9), 512);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_CACHE, 0, 512, 512), 0);
	assert_sane(sa);
	assert_int_equal(c->order, 0);
	swap_alloc_destroy(sa);
}

/*
 * Slot 0 is the header. Small devices have no free cluster: single slots only, each once. Scans
 * start at slot 1 here, give 2, 4, 6, ..., then 1, then 3, 5, 7, ...
 */
static void test_small_devices(void **state)
{
	static const uint32_t pages[] = { 3, 10, 100, 511, 512, 513, 1025 };

	(void)state;
	FOR_EACH_GENERATION(g)
	{
		for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
			struct swap_alloc *sa = one_disk(generations[g], pages[i]);
			uint8_t seen[1025] = { 0 };

			/* 1025 slots: cluster 1 is whole, cluster 2 has one slot. */
			assert_int_equal(take(sa, 0, 9), pages[i] == 1025 ? 512 : NOTHING);
			if (pages[i] == 1025)
				zap(sa, 512, 512);
			for (uint32_t n = 1; n < pages[i]; n++) {
				int64_t off = take(sa, 0, 0);

				assert_in_range(off, 1, pages[i] - 1);
				assert_int_equal(seen[off]++, 0);
			}
			assert_int_equal(take(sa, 0, 0), NOTHING);
			assert_int_equal(sa->nr_swap_pages, 0);
			zap(sa, 1, 1);
			takes(sa, 0, 1, 1, 0);
			swap_alloc_destroy(sa);
		}
	}
}

/*
 * The scan begins after its start and ends before it: the start itself is never looked at. With one
 * slot only, which then is the start, nothing can be had.
 */
static void test_scan_skips_its_start(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct swap_alloc *sa = one_disk(generations[g], 2);

		assert_int_equal(take(sa, 0, 0), NOTHING);
		assert_int_equal(sa->last_fail, SWAP_FAIL_SEARCH);
		assert_int_equal(swap_alloc_set_scan_next(sa, 0, 0, 2), 0);
		takes(sa, 0, 1, 1, 0);
		swap_alloc_destroy(sa);
	}
}

/*
 * 64K pages: clusters of 8192 slots, orders up to 13. The free list goes in columns: 16384 / 8192
 * are 2, but a cache line of 64 bytes holds 8 cluster records of 8 bytes and (rounded up) 3 of 24
 * bytes, and the larger number counts. 20 clusters, the last one short.
 */
static void test_free_list_columns(void **state)
{
	static const uint32_t order_8[] = { 8, 16, 1, 9, 17, 2, 10, 18, 3, 11 };
	static const uint32_t order_3[] = { 3, 6, 9, 12, 15, 18, 1, 4, 7, 10 };

	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct swap_alloc *sa = new_alloc(generations[g], 8192, false);
		const uint32_t *expect = g == 2 ? order_3 : order_8;

		add_device(sa, 0, 19 * 8192 + 100, SWAP_PRIO_DEFAULT, DISK);
		for (size_t i = 0; i < 10; i++)
			takes(sa, 13, 1, expect[i] * 8192, 0);
		assert_int_equal(sa->dev[0].free.len, 8);
		if (g)
			takes(sa, 4, 2, (g == 2 ? 13 : 4) * 8192, 16);
		swap_alloc_destroy(sa);
	}
}

struct draws {
	unsigned int n;
	uint32_t low[8], high[8];
	uint32_t answer;
};

static uint32_t draw(void *ctx, uint32_t low, uint32_t high)
{
	struct draws *d = ctx;

	assert_true(d->n < 8);
	d->low[d->n] = low;
	d->high[d->n] = high;
	d->n++;
	return d->answer;
}

/*
 * Draws at swapon, one per CPU: 6.1 from 0 .. pages - 1 and adds 1, the later ones from
 * 1 .. pages. 64 clusters; the first slot is in cluster 32, at 16384, another trunk of 16384 slots
 * than the start position 71 (70 in the later ones), so a third draw follows: a place
 * between the scan bounds, 1 and 32767, then rounded down to its trunk, but not below 1.
 */
static void test_random_start(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct draws d = { .answer = 70 };
		const struct swap_alloc_env env = { .ctx = &d, .rnd = draw };
		struct swap_alloc *sa = new_alloc_env(generations[g], 2, false, env);
		const uint32_t low = g ? 1 : 0;

		add_device(sa, 0, 32768, SWAP_PRIO_DEFAULT, DISK);
		assert_int_equal(d.n, 2);
		assert_int_equal(sa->dev[0].percpu[1].scan_next, g ? 70 : 71);
		takes(sa, 0, 1, 16384, 0);
		assert_int_equal(d.n, 3);
		for (unsigned int i = 0; i < 3; i++) {
			assert_int_equal(d.low[i], low);
			assert_int_equal(d.high[i], low + 32766);
		}
		assert_int_equal(sa->dev[0].percpu[0].scan_next, 1);
		d.answer = 20000;
		takes(sa, 0, 1, 16385, 0);
		assert_int_equal(sa->dev[0].percpu[0].scan_next, 16384);
		/* Same trunk now: no draw. */
		takes(sa, 0, 1, 16386, 0);
		assert_int_equal(d.n, 4);
		assert_int_equal(sa->dev[0].percpu[0].scan_next, 16387);
		swap_alloc_destroy(sa);
	}
}

/*
 * A rotating disk: slots follow each other; after 512 of them the next free run of 512 is
 * sought from the lowest free slot, aligned or not.
 */
static void test_rotational_runs(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct swap_alloc *sa = one_device(generations[g], 2048, ROTATING);

		assert_null(sa->dev[0].cluster);
		assert_int_equal(take(sa, 0, 9), NOTHING);
		assert_int_equal(sa->last_fail, SWAP_FAIL_CONFIG);
		takes(sa, 0, 1024, 1, 1);
		/* Both runs are used up. Room for one at 3 .. 600. */
		zap(sa, 3, 598);
		takes(sa, 0, 512, 3, 1);
		/* 515 .. 600 are too few; the next run is 1025 .. 1536. */
		takes(sa, 0, 512, 1025, 1);
		/*
		 * 511 + 86 are left, more than a run has; there is none from 515 on but behind
		 * 1536 are only 511: so the lowest free slot.
		 */
		takes(sa, 0, 86, 515, 1);
		/* The scan goes on behind the used slots, and everything is given out. */
		takes(sa, 0, 511, 1537, 1);
		assert_int_equal(take(sa, 0, 0), NOTHING);
		swap_alloc_destroy(sa);
	}
}

/*
 * A rotating disk with every second slot free. All 2047 slots were taken one by one, in runs of
 * 512, 512, 512 and, with fewer than a run left, the remaining 511; so one more slot of that run
 * is due at 2048, behind the upper bound 2047: begin at the lowest free slot, 1.
 */
static void test_rotational_without_runs(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct swap_alloc *sa = one_device(generations[g], 2048, ROTATING);
		struct swap_entry e[3];

		takes(sa, 0, 2047, 1, 1);
		for (uint32_t off = 1; off < 2048; off += 2)
			zap(sa, off, 1);
		takes(sa, 0, 3, 1, 2);
		/* One call for three: 6 is used, the scan finds 7, a walk ahead 9 and 11. */
		assert_int_equal(swap_alloc_get_pages(sa, 0, 0, 3, e), 3);
		for (unsigned int i = 0; i < 3; i++)
			assert_int_equal(e[i].off, 7 + 2 * i);
		takes(sa, 0, 1, 13, 0);
		/* Nothing above: the scan starts over from the lowest free slot. */
		zap(sa, 1, 1);
		for (int64_t off = 15; off < 2048; off += 2)
			takes(sa, 0, 1, off, 0);
		takes(sa, 0, 1, 1, 0);
		assert_int_equal(take(sa, 0, 0), NOTHING);
		swap_alloc_destroy(sa);
	}
}

/*
 * Requests for 64 slots on a rotating disk. The search for a run of 512 passes 511 slots: a break
 * with the 257th, then 254 more, which leaves a patience of 2, so it ends with 3 slots. The next 7
 * get 64 each, 451 so far. The one after has 61 left in the run and walks on for 3. Then a new run.
 */
static void test_rotational_batches(void **state)
{
	static const int sizes[] = { 3, 64, 64, 64, 64, 64, 64, 64, 64, 3, 64 };

	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct swap_alloc *sa = one_device(generations[g], 2048, ROTATING);
		struct swap_entry e[SWAP_BATCH];
		uint32_t off = 1;

		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			assert_int_equal(swap_alloc_get_pages(sa, 0, 0, SWAP_BATCH, e), sizes[i]);
			assert_sane(sa);
			for (int n = 0; n < sizes[i]; n++)
				assert_int_equal(e[n].off, off++);
		}
		swap_alloc_destroy(sa);
	}
}

/* A run may end with the last slot: 513 .. 1024 is one, slot 3 is not. */
static void test_rotational_last_run(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct swap_alloc *sa = one_device(generations[g], 1025, ROTATING);

		takes(sa, 0, 512, 1, 1);
		zap(sa, 3, 1);
		takes(sa, 0, 1, 513, 0);
		swap_alloc_destroy(sa);
	}
}

struct folio {
	uint32_t off, size;
	int nr;		    /* answer of the swap cache; 0: the folio is gone */
	unsigned int asked; /* how often */
};

static int give_up(void *ctx, unsigned int cpu, int type, uint32_t off)
{
	struct folio *f = ctx;
	int nr = f->nr;

	(void)cpu;
	(void)type;
	assert_in_range(off, f->off, f->off + f->size - 1);
	f->asked++;
	if (nr > 0)
		f->nr = 0;
	return nr;
}

/*
 * A rotating disk whose next place, 2 as in the test without runs, is held by the swap cache only:
 * asked for while more than half of swap is used, else passed over.
 */
static void test_rotational_cache_only(void **state)
{
	(void)state;
	for (unsigned int full = 0; full < 2; full++) {
		struct folio f = { .off = 2, .size = 1, .nr = 1 };
		const struct swap_alloc_env env = { .ctx = &f, .reclaim = give_up };
		struct swap_alloc *sa = new_alloc_env("scan-6.1", 1, false, env);

		add_device(sa, 0, 2048, SWAP_PRIO_DEFAULT, ROTATING);
		takes(sa, 0, 2047, 1, 1);
		for (uint32_t off = 1; off < 2048; off += 2)
			zap(sa, off, 1);
		takes(sa, 0, 1, 1, 0);
		assert_int_equal(swap_alloc_cache_only(sa, 0, 2, 1, false), 0);
		if (!full)
			add_device(sa, 1, 4096, SWAP_PRIO_DEFAULT, ROTATING);
		takes(sa, 0, 1, full ? 2 : 3, 0);
		assert_int_equal(f.asked, full);
		swap_alloc_destroy(sa);
	}
}

/* Discard: an emptied cluster waits, its slots marked bad, until the worker or a search in need. */
static void test_discard(void **state)
{
	(void)state;
	for (size_t g = 0; g < 2; g++) {
		struct swap_alloc *sa = one_device(generations[g], 1536, DISK | SWAP_DEV_DISCARD);
		struct swap_dev *dev = &sa->dev[0];

		takes(sa, 9, 1, 512, 0);
		zap(sa, 512, 512);
		assert_int_equal(dev->inuse, 0);
		assert_int_equal(dev->discard.head, 1);
		assert_int_equal(dev->map[700], SWAP_MAP_BAD);
		assert_int_equal(swap_alloc_discard_work(sa, 0), 0);
		assert_sane(sa);
		assert_int_equal(dev->map[700], SWAP_MAP_FREE);
		assert_int_equal(dev->free.len, 2);
		/* Cluster 2 first, as cluster 1 is now behind it. */
		takes(sa, 9, 1, 1024, 0);
		takes(sa, 9, 1, 512, 0);
		zap(sa, 512, 512);
		/* 6.1 does not wait for the discard of a PMD entry; a search for slots does it. */
		if (g == 0)
			assert_int_equal(take(sa, 0, 9), NOTHING);
		takes(sa, 0, 1, 512, 0);
		/* No discard any more once swapoff has begun. */
		assert_int_equal(swap_alloc_swapoff_begin(sa, 0), 0);
		zap(sa, 512, 1);
		assert_int_equal(dev->discard.len, 0);
		assert_int_equal(dev->free.head, 1);
		swap_alloc_destroy(sa);
	}
}

static struct swap_alloc *full_with_folio(const char *generation, struct folio *f)
{
	const struct swap_alloc_env env = { .ctx = f, .reclaim = give_up };
	struct swap_alloc *sa = new_alloc_env(generation, 1, false, env);

	add_device(sa, 0, 1024, SWAP_PRIO_DEFAULT, DISK);
	takes(sa, 9, 1, 512, 0);
	fill(sa, 511);
	/* In no generation a cluster that order 0 gets from a list. */
	zap(sa, 1020, 1);
	assert_int_equal(swap_alloc_cache_only(sa, 0, f->off, 16, false), 0);
	assert_int_equal(swap_alloc_set_scan_next(sa, 0, 0, 600), 0);
	return sa;
}

/*
 * More than half of swap is used and the scan, which starts at 601, meets a slot that only the swap
 * cache holds, at 640: the folio is asked for and its first slot taken. A folio that can't be had
 * costs a question per slot and the scan goes on to the free slot at 1020.
 */
static void test_scan_takes_cache_only_slots(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct folio f = { .off = 640, .size = 16, .nr = 16 };
		struct swap_alloc *sa = full_with_folio(generations[g], &f);

		takes(sa, 0, 1, 640, 0);
		assert_int_equal(f.asked, 1);
		assert_int_equal(sa->dev[0].inuse, 1022 - 15);
		swap_alloc_destroy(sa);

		f = (struct folio){ .off = 640, .size = 16, .nr = -16 };
		sa = full_with_folio(generations[g], &f);
		takes(sa, 0, 1, 1020, 0);
		assert_int_equal(f.asked, 16);
		swap_alloc_destroy(sa);
	}
}

/* With more than half of swap free a cache-only slot is passed over. */
static void test_scan_leaves_cache_only_slots(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		struct folio f = { .off = 640, .size = 16, .nr = 16 };
		struct swap_alloc *sa = full_with_folio(generations[g], &f);

		add_device(sa, 1, 2048, SWAP_PRIO_DEFAULT, DISK);
		takes(sa, 0, 1, 1020, 0);
		assert_int_equal(f.asked, 0);
		swap_alloc_destroy(sa);
	}
}

/*
 * The searches in the map go eight slots at a time: whatever lies at whatever distance, they agree
 * with a walk slot by slot. 24 slots, used but for the ones at I and J.
 */
static void test_map_searches(void **state)
{
	uint8_t map[24];

	(void)state;
	for (uint32_t i = 0; i < 24; i++) {
		for (uint32_t j = 0; j < 24; j++) {
			uint32_t from = (i + j) % 24, free = from, any = from;

			memset(map, SWAP_MAP_USED, sizeof(map));
			map[j] = SWAP_HAS_CACHE;
			map[i] = SWAP_MAP_FREE;
			while (free < 23 && free != i)
				free++;
			while (any < 23 && any != i && any != j)
				any++;
			assert_int_equal(swap_map_find_free(map, from, 23, false), free);
			assert_int_equal(swap_map_find_free(map, from, 23, true), any);

			memset(map, SWAP_MAP_FREE, sizeof(map));
			map[i] = map[j] = SWAP_MAP_USED;
			if (from < 20)
				assert_int_equal(swap_map_range_empty(map, from, 20 - from),
						 !(i >= from && i < 20) && !(j >= from && j < 20));
		}
	}
	/* Aligned runs of 4 in 0 .. 22: the last that fits is at 16. */
	memset(map, SWAP_MAP_FREE, sizeof(map));
	map[3] = map[4] = map[8] = map[15] = SWAP_MAP_USED;
	assert_int_equal(swap_map_find_run(map, 0, 23, 2), 16);
	map[19] = SWAP_MAP_USED;
	assert_int_equal(swap_map_find_run(map, 0, 23, 2), 23);
	assert_int_equal(swap_map_find_run(map, 0, 24, 2), 20);
}

/* xorshift32; good enough to wander through the states. */
static uint32_t any(uint32_t *seed, uint32_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed % below;
}

struct live {
	uint32_t off, n;
};

/*
 * Entries and frees at random, every state checked. OWNER is the test's own map: no slot is
 * given out twice, entries are aligned. At the end all of it comes back.
 */
static void churn(const char *generation, uint32_t flags, bool slots_cache, uint32_t seed)
{
	struct swap_alloc *sa =
		new_alloc_env(generation, 3, slots_cache, (struct swap_alloc_env){ 0 });
	static uint8_t owner[3000];
	struct live live[3000];
	unsigned int nr_live = 0;

	memset(owner, 0, sizeof(owner));
	add_device(sa, 0, sizeof(owner), SWAP_PRIO_DEFAULT, flags);
	for (unsigned int step = 0; step < 4000; step++) {
		unsigned int cpu = any(&seed, 3), order = any(&seed, 3) ? 0 : any(&seed, 10);
		struct swap_entry e;

		if (any(&seed, 100) < (step / 1000 % 2 ? 40 : 75)) {
			if (swap_alloc_folio(sa, cpu, order, &e))
				continue;
			assert_int_equal(e.off % (1u << order), 0);
			for (uint32_t i = 0; i < 1u << order; i++)
				assert_int_equal(owner[e.off + i]++, 0);
			live[nr_live++] = (struct live){ e.off, 1u << order };
		} else if (nr_live) {
			struct live *l = &live[any(&seed, nr_live)];
			uint32_t n = any(&seed, 2) ? l->n : 1 + any(&seed, l->n);

			assert_int_equal(swap_alloc_free(sa, cpu, any(&seed, 2), 0, l->off, n), 0);
			memset(owner + l->off, 0, n);
			l->off += n;
			l->n -= n;
			if (!l->n)
				*l = live[--nr_live];
		}
		assert_sane(sa);
	}
	while (nr_live--)
		zap(sa, live[nr_live].off, live[nr_live].n);
	assert_int_equal(swap_alloc_swapoff_begin(sa, 0), 0);
	assert_sane(sa);
	assert_int_equal(sa->dev[0].inuse, 0);
	assert_int_equal(swap_alloc_swapoff_end(sa, 0), 0);
	assert_int_equal(sa->nr_swap_pages, 0);
	swap_alloc_destroy(sa);
}

static void test_random_runs(void **state)
{
	(void)state;
	FOR_EACH_GENERATION(g)
	{
		for (uint32_t seed = 1; seed <= 4; seed++) {
			churn(generations[g], DISK, seed & 1, seed * 7919);
			churn(generations[g], ROTATING, seed & 1, seed * 104729);
		}
		if (g < 2)
			churn(generations[g], DISK | SWAP_DEV_DISCARD, true, 31);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_only_hole_is_for_order_0),
		cmocka_unit_test(test_v1_drops_unfitting_cluster),
		cmocka_unit_test(test_v1_finds_holes_of_its_order),
		cmocka_unit_test(test_6_1_orders),
		cmocka_unit_test(test_6_1_cluster_freed_under_the_cpu),
		cmocka_unit_test(test_v1_cpus_share),
		cmocka_unit_test(test_v1_stale_order),
		cmocka_unit_test(test_small_devices),
		cmocka_unit_test(test_scan_skips_its_start),
		cmocka_unit_test(test_free_list_columns),
		cmocka_unit_test(test_random_start),
		cmocka_unit_test(test_rotational_runs),
		cmocka_unit_test(test_rotational_without_runs),
		cmocka_unit_test(test_rotational_batches),
		cmocka_unit_test(test_rotational_last_run),
		cmocka_unit_test(test_rotational_cache_only),
		cmocka_unit_test(test_discard),
		cmocka_unit_test(test_scan_takes_cache_only_slots),
		cmocka_unit_test(test_scan_leaves_cache_only_slots),
		cmocka_unit_test(test_map_searches),
		cmocka_unit_test(test_random_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
