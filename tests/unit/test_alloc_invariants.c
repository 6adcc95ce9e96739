// SPDX-License-Identifier: GPL-2.0
/*
 * What must hold whatever happens: no slot twice, large entries aligned and inside one cluster,
 * nothing but the device's slots, counts that add up. Random operations on all generations against
 * a shadow map of our own, devices of awkward sizes, and a check that the checker can fail.
 */
#include "alloc_tools.h"

#include <stdlib.h>

#define CPUS 3
#define TYPES 3
#define MAX_PAGES 4096
#define MAX_LIVE 8192

/* Who has a slot, as the caller knows it. */
enum shadow {
	NOBODY,
	LIVE,
	CACHED,	  /* the swap cache alone; the allocator may take it back */
	RELEASED, /* given back, not yet reported free */
};

struct entry {
	int type;
	uint32_t off, n;
	bool cached;
};

struct world {
	struct swap_alloc *sa;
	uint64_t seed;
	uint8_t shadow[TYPES][MAX_PAGES];
	struct entry live[MAX_LIVE];
	unsigned int nr_live;
	uint64_t taken_back, freed;
};

static uint32_t rnd(struct world *w, uint32_t below)
{
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	return (w->seed >> 33) % below;
}

static uint32_t env_rnd(void *ctx, uint32_t low, uint32_t high)
{
	assert_true(low <= high);
	return low + rnd(ctx, high - low + 1);
}

static void forget(struct world *w, unsigned int i)
{
	w->live[i] = w->live[--w->nr_live];
}

/* Two folios of three let go when asked. */
static int env_reclaim(void *ctx, unsigned int cpu, int type, uint32_t off)
{
	struct world *w = ctx;

	assert_true(cpu < CPUS);
	for (unsigned int i = 0; i < w->nr_live; i++) {
		struct entry e = w->live[i];

		if (e.type != type || !e.cached || off < e.off || off >= e.off + e.n)
			continue;
		if (e.off % 3 == 0)
			return -(int)e.n;
		memset(w->shadow[type] + e.off, RELEASED, e.n);
		forget(w, i);
		w->taken_back++;
		return e.n;
	}
	return 0;
}

static void env_freed(void *ctx, int type, uint32_t off, uint32_t n)
{
	struct world *w = ctx;

	for (uint32_t i = 0; i < n; i++) {
		/* NOBODY: it was parked in a slots cache and never handed out. */
		assert_true(w->shadow[type][off + i] == RELEASED ||
			    w->shadow[type][off + i] == NOBODY);
		w->shadow[type][off + i] = NOBODY;
	}
	w->freed += n;
}

static void got(struct world *w, const struct swap_entry *e, uint32_t n)
{
	uint32_t slots = w->sa->cluster_slots;

	assert_true(e->type >= 0 && e->type < TYPES);
	assert_true(w->sa->dev[e->type].writeok);
	assert_true(e->off >= 1 && e->off + n <= w->sa->dev[e->type].max);
	assert_int_equal(e->off % n, 0);
	assert_int_equal(e->off / slots, (e->off + n - 1) / slots);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(w->shadow[e->type][e->off + i], NOBODY);
		w->shadow[e->type][e->off + i] = LIVE;
	}
	assert_true(w->nr_live < MAX_LIVE);
	w->live[w->nr_live++] = (struct entry){ e->type, e->off, n, false };
}

static void random_alloc(struct world *w)
{
	unsigned int order = rnd(w, 3) ? 0 : rnd(w, 10);
	struct swap_entry e[SWAP_BATCH];
	int n = 0;

	if (rnd(w, 8)) {
		n = swap_alloc_folio(w->sa, rnd(w, CPUS), order, e) == 0;
	} else {
		order = 0;
		n = swap_alloc_get_pages(w->sa, rnd(w, CPUS), 0, 1 + rnd(w, SWAP_BATCH), e);
	}
	assert_true(n >= 0);
	assert_int_equal(n == 0, w->sa->last_fail != SWAP_FAIL_NONE);
	for (int i = 0; i < n; i++)
		got(w, &e[i], 1u << order);
}

/* Gives back a live entry, or the first part of it. */
static void release(struct world *w, unsigned int i, uint32_t n, enum swap_free_how how)
{
	struct entry *e = &w->live[i];
	uint32_t off = e->off;
	int type = e->type;

	if (n == e->n) {
		forget(w, i);
	} else {
		e->off += n;
		e->n -= n;
	}
	memset(w->shadow[type] + off, RELEASED, n);
	assert_int_equal(swap_alloc_free(w->sa, rnd(w, CPUS), how, type, off, n), 0);
}

static void random_free(struct world *w)
{
	static const enum swap_free_how how[] = { SWAP_FREE_ZAP, SWAP_FREE_SWAPIN,
						  SWAP_FREE_CACHE };
	unsigned int i;

	if (!w->nr_live)
		return;
	i = rnd(w, w->nr_live);
	if (w->live[i].cached)
		release(w, i, w->live[i].n, SWAP_FREE_CACHE);
	else if (rnd(w, 4))
		release(w, i, w->live[i].n, how[rnd(w, 3)]);
	else
		release(w, i, 1 + rnd(w, w->live[i].n), how[rnd(w, 2)]);
}

/* A folio that has all of its slots, and is aligned, loses its other users. */
static void random_cache_only(struct world *w)
{
	struct entry *e;

	if (!w->nr_live)
		return;
	e = &w->live[rnd(w, w->nr_live)];
	if (e->cached || (e->n & (e->n - 1)) || e->off % e->n)
		return;
	e->cached = true;
	memset(w->shadow[e->type] + e->off, CACHED, e->n);
	assert_int_equal(swap_alloc_cache_only(w->sa, e->type, e->off, e->n, false), 0);
}

static void release_all(struct world *w, int type)
{
	for (unsigned int i = w->nr_live; i-- > 0;)
		if (w->live[i].type == type)
			release(w, i, w->live[i].n, SWAP_FREE_CACHE);
}

static void switch_on(struct world *w, int type)
{
	static const struct swap_alloc_swapon v[TYPES] = {
		{ .pages = 3000, .prio = 5, .flags = DISK },
		{ .pages = 1537, .prio = 5, .flags = DISK },
		{ .pages = 700, .prio = 1, .flags = SWAP_DEV_BLKDEV },
	};

	assert_int_equal(swap_alloc_swapon(w->sa, type, &v[type]), 0);
}

/* Off and on again, with everything or nothing given back in between. */
static void cycle_device(struct world *w, int type)
{
	assert_int_equal(swap_alloc_swapoff_begin(w->sa, type), 0);
	assert_sane(w->sa);
	if (!rnd(w, 2)) {
		assert_int_equal(swap_alloc_swapoff_abort(w->sa, type), 0);
		return;
	}
	release_all(w, type);
	assert_int_equal(w->sa->dev[type].inuse, 0);
	assert_int_equal(swap_alloc_swapoff_end(w->sa, type), 0);
	assert_sane(w->sa);
	switch_on(w, type);
}

static void run_workers(struct world *w)
{
	for (int type = 0; type < TYPES; type++)
		if (w->sa->dev[type].reclaim_queued)
			assert_int_equal(swap_alloc_reclaim_work(w->sa, rnd(w, CPUS), type), 0);
}

static void random_step(struct world *w, unsigned int fill)
{
	unsigned int what = rnd(w, 100);

	if (what < fill)
		random_alloc(w);
	else if (what < 90)
		random_free(w);
	else if (what < 99)
		random_cache_only(w);
	else if (!rnd(w, 5))
		cycle_device(w, rnd(w, TYPES));
	run_workers(w);
}

/* Everything given back: every slot is free again. */
static void empty_world(struct world *w)
{
	for (int type = 0; type < TYPES; type++) {
		assert_int_equal(swap_alloc_swapoff_begin(w->sa, type), 0);
		release_all(w, type);
		assert_int_equal(w->sa->dev[type].inuse, 0);
		assert_sane(w->sa);
		for (uint32_t off = 0; off < MAX_PAGES; off++)
			assert_int_equal(w->shadow[type][off], NOBODY);
		assert_int_equal(swap_alloc_swapoff_end(w->sa, type), 0);
	}
	assert_int_equal(w->sa->nr_swap_pages, 0);
}

static void churn(const char *generation, unsigned int seed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct swap_alloc_config cfg = {
		.generation = generation,
		.nr_cpus = CPUS,
		.cluster_slots = 512,
		.slots_cache = seed % 2,
		.env = { w, env_rnd, env_reclaim, env_freed },
	};

	assert_non_null(w);
	w->seed = seed;
	assert_int_equal(swap_alloc_create(&w->sa, &cfg), 0);
	for (int type = 0; type < TYPES; type++)
		switch_on(w, type);
	for (unsigned int step = 0; step < 6000; step++) {
		/* From half empty to full and back, several times. */
		random_step(w, step / 500 % 2 ? 30 : 75);
		if (step % 8 == 0)
			assert_sane(w->sa);
	}
	assert_true(w->freed > 1000);
	assert_true(w->taken_back > 0);
	empty_world(w);
	swap_alloc_destroy(w->sa);
	free(w);
}

static void test_churn(void **state)
{
	(void)state;
	for (unsigned int g = 0; swap_alloc_generation(g); g++)
		for (unsigned int seed = 1; seed <= 4; seed++)
			churn(swap_alloc_generation(g), seed);
}

/*
 * Devices smaller than a cluster, with a short last one, with none: filled to the last slot, each
 * given out once, never the header.
 */
static void fill(const char *generation, uint32_t pages, uint32_t flags)
{
	struct swap_alloc *sa = new_alloc(generation, 512, false);
	uint8_t *seen = calloc(pages, 1);
	struct swap_entry e;

	assert_non_null(seen);
	add_device(sa, 0, pages, 0, flags);
	for (uint32_t n = 1; n < pages; n++) {
		assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
		assert_true(e.off > 0 && e.off < pages);
		assert_int_equal(seen[e.off], 0);
		seen[e.off] = 1;
		if (n % 64 == 0)
			assert_sane(sa);
	}
	assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), -ENOSPC);
	assert_int_equal(sa->last_fail, SWAP_FAIL_SPACE);
	assert_int_equal(sa->nr_avail, 0);
	assert_sane(sa);
	/* One slot back, and it is the next one. */
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, pages / 2, 1), 0);
	assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
	assert_int_equal(e.off, pages / 2);
	free(seen);
	swap_alloc_destroy(sa);
}

static void test_sizes(void **state)
{
	static const uint32_t pages[] = { 10, 256, 511, 512, 513, 1024, 1025, 1537 };

	(void)state;
	for (unsigned int g = 0; swap_alloc_generation(g); g++) {
		for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
			fill(swap_alloc_generation(g), pages[i], DISK);
			fill(swap_alloc_generation(g), pages[i], SWAP_DEV_BLKDEV);
		}
	}
	/* One slot only; the older ones' scan begins behind its start and never gets there. */
	fill("cluster-6.12", 2, DISK);
	fill("cluster-6.18", 2, DISK);
}

static void test_bad_arguments(void **state)
{
	struct swap_alloc_config cfg = { .generation = "cluster-6.13",
					 .nr_cpus = 1,
					 .cluster_slots = 512 };
	struct swap_alloc_swapon p = { .pages = 1, .flags = DISK };
	struct swap_entry e[2];
	struct swap_alloc *sa;

	(void)state;
	assert_int_equal(swap_alloc_create(&sa, &cfg), -ENOENT);
	cfg.generation = "cluster-6.12";
	cfg.cluster_slots = 500;
	assert_int_equal(swap_alloc_create(&sa, &cfg), -EINVAL);
	cfg.cluster_slots = 512;
	cfg.nr_cpus = 0;
	assert_int_equal(swap_alloc_create(&sa, &cfg), -EINVAL);

	sa = new_alloc("cluster-6.12", 512, false);
	assert_int_equal(swap_alloc_swapon(sa, 0, &p), -EINVAL);
	p.pages = 1024;
	assert_int_equal(swap_alloc_swapon(sa, SWAP_MAX_TYPES, &p), -EINVAL);
	assert_int_equal(swap_alloc_swapon(sa, 0, &p), 0);
	assert_int_equal(swap_alloc_swapon(sa, 0, &p), -EBUSY);
	assert_int_equal(swap_alloc_folio(sa, 1, 0, e), -EINVAL);
	assert_int_equal(swap_alloc_get_pages(sa, 0, 0, 0, e), -EINVAL);
	assert_int_equal(swap_alloc_get_pages(sa, 0, 1, 2, e), -EINVAL);
	/* Slot 0, past the end, not in use, twice. */
	assert_int_equal(get(sa, 4), 512);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 0, 1), -EINVAL);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 1023, 2), -EINVAL);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 512, UINT32_MAX), -EINVAL);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 1, 512, 1), -EINVAL);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 512, 17), -ENOENT);
	assert_int_equal(sa->dev[0].inuse, 16);
	zap(sa, 512, 16);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 512, 16), -ENOENT);
	assert_int_equal(swap_alloc_swapoff_end(sa, 0), -ENODEV);
	assert_int_equal(swap_alloc_swapoff_begin(sa, 1), -ENODEV);
	swap_alloc_destroy(sa);
}

/* A folio that isn't one: the answer of a broken environment takes nothing away. */
static int bad_reclaim(void *ctx, unsigned int cpu, int type, uint32_t off)
{
	(void)cpu;
	(void)type;
	(void)off;
	return *(int *)ctx;
}

static void test_bad_reclaim(void **state)
{
	static const int answers[] = { 3, 2, 1 << 20, 512 };
	int answer;
	struct swap_alloc_config cfg = { .generation = "cluster-6.12",
					 .nr_cpus = 1,
					 .cluster_slots = 512,
					 .env = { .ctx = &answer, .reclaim = bad_reclaim } };
	struct swap_alloc *sa;

	(void)state;
	assert_int_equal(swap_alloc_create(&sa, &cfg), 0);
	add_device(sa, 0, 1024, 0, DISK);
	for (int n = 0; n < 1023; n++)
		assert_true(get(sa, 0) > 0);
	/* 600 alone is cached: no folio of more than one slot can be there. */
	assert_int_equal(swap_alloc_cache_only(sa, 0, 600, 1, false), 0);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		answer = answers[i];
		assert_int_equal(swap_alloc_reclaim_work(sa, 0, 0), 0);
		assert_int_equal(sa->dev[0].inuse, 1023);
		assert_sane(sa);
	}
	answer = 1;
	assert_int_equal(swap_alloc_reclaim_work(sa, 0, 0), 0);
	assert_int_equal(sa->dev[0].inuse, 1022);
	assert_int_equal(get(sa, 0), 600);
	swap_alloc_destroy(sa);
}

/* Each kind of damage is noticed. */
static void test_check_can_fail(void **state)
{
	struct swap_alloc *sa = new_alloc("cluster-6.12", 512, true);
	struct swap_dev *dev = &sa->dev[0];
	struct swap_entry e;
	char why[100];

	(void)state;
	add_device(sa, 0, 4096, 0, DISK);
	for (int n = 0; n < 70; n++)
		assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 512, 1), 0);
	assert_sane(sa);

#define BREAKS(damage, repair)                                                                     \
	do {                                                                                       \
		damage;                                                                            \
		assert_int_equal(swap_alloc_check(sa, why, sizeof(why)), -EUCLEAN);                \
		assert_true(strlen(why) > 0);                                                      \
		repair;                                                                            \
		assert_sane(sa);                                                                   \
	} while (0)

	BREAKS(dev->map[2000] = SWAP_MAP_USED, dev->map[2000] = SWAP_MAP_FREE);
	BREAKS(dev->map[513] = SWAP_MAP_FREE, dev->map[513] = SWAP_MAP_USED);
	BREAKS(dev->cluster[1].count++, dev->cluster[1].count--);
	BREAKS(dev->inuse++, dev->inuse--);
	BREAKS(sa->nr_swap_pages--, sa->nr_swap_pages++);
	BREAKS(dev->free.len++, dev->free.len--);
	BREAKS(dev->cluster[3].list = SWAP_LIST_NONE, dev->cluster[3].list = SWAP_LIST_FREE);
	BREAKS(dev->cluster[1].order = 1, dev->cluster[1].order = 0);
	BREAKS(dev->highest_bit = 2000, dev->highest_bit = 4095);
	BREAKS(sa->nr_avail = 0, sa->nr_avail = 1);
	/* The slot handed back last is also to be handed out. */
	BREAKS(sa->cache[0].slots_ret[0].off = 513, sa->cache[0].slots_ret[0].off = 512);
	e = sa->cache[0].slots[sa->cache[0].cur];
	BREAKS(sa->cache[0].slots[sa->cache[0].cur].off = 512,
	       sa->cache[0].slots[sa->cache[0].cur] = e);
#undef BREAKS
	swap_alloc_destroy(sa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_churn),	       cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_bad_arguments),  cmocka_unit_test(test_bad_reclaim),
		cmocka_unit_test(test_check_can_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
