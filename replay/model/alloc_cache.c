/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slots cache in front of the allocator (up to 6.13): each CPU draws order-0 slots in runs of
 * SWAP_BATCH and gives freed ones back SWAP_BATCH at a time. Slots parked on either side count as
 * used and have the byte SWAP_HAS_CACHE with no folio behind.
 */

#include "alloc_priv.h"

#include <errno.h>

/* Per CPU, in batches: above 5 free slots appear in the caches, below 2 they are taken out. */
#define ACTIVATE_BATCHES 5
#define DEACTIVATE_BATCHES 2

/* The order in which a batch is freed: by device when there may be several. */
static void sort_by_device(struct swap_entry *entries, uint32_t n)
{
	/*
	 * The kernel compares the device alone and its heap sort keeps no order inside one;
	 * that order differs between releases, so entries of one device stay as queued here.
	 */
	for (uint32_t i = 1; i < n; i++) {
		struct swap_entry e = entries[i];
		uint32_t j = i;

		for (; j > 0 && entries[j - 1].type > e.type; j--)
			entries[j] = entries[j - 1];
		entries[j] = e;
	}
}

/* swapcache_free_entries() */
static void free_entries(struct swap_alloc *sa, struct swap_entry *entries, uint32_t n)
{
	if (sa->nr_swapfiles > 1)
		sort_by_device(entries, n);
	for (uint32_t i = 0; i < n; i++)
		sa->ops->free_range(sa, &sa->dev[entries[i].type], entries[i].off, 1);
}

static void drain_cpu(struct swap_alloc *sa, struct swap_slots_cache *cache)
{
	free_entries(sa, cache->slots + cache->cur, cache->nr);
	cache->cur = cache->nr = 0;
	free_entries(sa, cache->slots_ret, cache->n_ret);
	cache->n_ret = 0;
}

static void drain_all(struct swap_alloc *sa)
{
	for (unsigned int cpu = 0; sa->cache && cpu < sa->nr_cpus; cpu++)
		drain_cpu(sa, &sa->cache[cpu]);
}

void swap_cache_disable(struct swap_alloc *sa)
{
	sa->cache_enabled = false;
	drain_all(sa);
}

/* On with the first device; off for as long as a swapoff is under way, and with no device. */
void swap_cache_reenable(struct swap_alloc *sa)
{
	bool usable = false;

	for (int i = 0; i < SWAP_MAX_TYPES; i++) {
		if (sa->dev[i].present && !sa->dev[i].writeok) {
			sa->cache_enabled = false;
			return;
		}
		usable |= sa->dev[i].present;
	}
	sa->cache_enabled = usable && sa->cache_switch;
}

/* check_cache_active(): scarce slots must not be locked up in the caches of other CPUs. */
static bool check_cache_active(struct swap_alloc *sa)
{
	int64_t batch = (int64_t)sa->nr_cpus * SWAP_BATCH;

	if (!sa->cache_enabled)
		return false;
	if (!sa->cache_active) {
		sa->cache_active = sa->nr_swap_pages > batch * ACTIVATE_BATCHES;
	} else if (sa->nr_swap_pages < batch * DEACTIVATE_BATCHES) {
		sa->cache_active = false;
		drain_all(sa);
	}
	return sa->cache_active;
}

bool swap_cache_alloc(struct swap_alloc *sa, unsigned int cpu, struct swap_entry *entry)
{
	struct swap_slots_cache *cache;

	if (!check_cache_active(sa))
		return false;
	cache = &sa->cache[cpu];
	if (!cache->nr) {
		cache->cur = 0;
		cache->nr = swap_get_pages(sa, cpu, 0, sa->refill, cache->slots);
		if (!cache->nr)
			return false;
	}
	*entry = cache->slots[cache->cur++];
	cache->nr--;
	return true;
}

int swap_alloc_park(struct swap_alloc *sa, unsigned int cpu, bool returned, int type, uint32_t off)
{
	struct swap_slots_cache *cache;

	if (!sa->cache || cpu >= sa->nr_cpus)
		return -EINVAL;
	cache = &sa->cache[cpu];
	if (returned ? cache->n_ret == SWAP_BATCH : cache->cur + cache->nr == SWAP_BATCH)
		return -EINVAL;
	if (swap_alloc_cache_only(sa, type, off, 1, false))
		return -ENOENT;
	if (returned)
		cache->slots_ret[cache->n_ret++] = (struct swap_entry){ type, off };
	else
		cache->slots[cache->cur + cache->nr++] = (struct swap_entry){ type, off };
	return 0;
}

int swap_alloc_refill(struct swap_alloc *sa, unsigned int cpu, uint32_t n)
{
	struct swap_slots_cache *cache;
	uint32_t used;

	if (!sa->cache || cpu >= sa->nr_cpus)
		return -EINVAL;
	cache = &sa->cache[cpu];
	used = cache->cur + cache->nr;
	if (n > SWAP_BATCH - used)
		n = SWAP_BATCH - used;
	if (!n)
		return 0;
	n = (uint32_t)swap_get_pages(sa, cpu, 0, n, cache->slots + used);
	cache->nr += n;
	return (int)n;
}

void swap_free_slot(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu, uint32_t off)
{
	struct swap_slots_cache *cache;

	if (!sa->cache_enabled || !sa->cache_active) {
		sa->ops->free_range(sa, dev, off, 1);
		return;
	}
	cache = &sa->cache[cpu];
	/* A full side is flushed by the slot that finds it full, not by the one that fills it. */
	if (cache->n_ret == SWAP_BATCH) {
		free_entries(sa, cache->slots_ret, cache->n_ret);
		cache->n_ret = 0;
	}
	cache->slots_ret[cache->n_ret++] = (struct swap_entry){ dev->type, off };
}
