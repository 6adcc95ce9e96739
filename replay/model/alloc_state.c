/* SPDX-License-Identifier: GPL-2.0 */
/* Setting an allocator's state to what a recording tells of, instead of arriving at it. */
#include <errno.h>
#include <string.h>

#include "alloc_priv.h"

static struct swap_dev *find_dev(struct swap_alloc *sa, int type)
{
	if (type < 0 || type >= SWAP_MAX_TYPES || !sa->dev[type].present)
		return NULL;
	return &sa->dev[type];
}

static bool in_device(const struct swap_dev *dev, uint32_t off, uint32_t n)
{
	return off && n && off < dev->max && n <= dev->max - off;
}

/* Slots of the run that lie in the cluster of OFF. */
static uint32_t part_of(const struct swap_alloc *sa, uint32_t off, uint32_t n)
{
	uint32_t room = sa->cluster_slots - (off & (sa->cluster_slots - 1));

	return n < room ? n : room;
}

/* The list of a cluster that just got used slots. Before 6.12 such clusters are on none. */
static void enlist_used(struct swap_alloc *sa, struct swap_dev *dev, uint32_t ci)
{
	struct swap_cluster *c = &dev->cluster[ci];

	if (!(sa->ops->traits & SWAP_GEN_PART_NONFULL))
		swap_cluster_unlink(dev, ci);
	else if (c->count == sa->cluster_slots)
		swap_cluster_move_tail(dev, ci, SWAP_LIST_FULL, 0);
	else if (c->list == SWAP_LIST_NONE)
		swap_cluster_move_tail(dev, ci, SWAP_LIST_NONFULL, c->order);
}

static void take_part(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n,
		      unsigned int order)
{
	bool queued = dev->reclaim_queued;

	memset(dev->map + off, SWAP_MAP_USED, n);
	if (dev->cluster) {
		uint32_t ci = swap_cluster_of(sa, off);
		struct swap_cluster *c = &dev->cluster[ci];

		if (c->list == SWAP_LIST_FREE) {
			swap_cluster_unlink(dev, ci);
			c->order = order;
		}
		c->count += n;
		enlist_used(sa, dev, ci);
	}
	if (sa->ops->traits & SWAP_GEN_RESERVE)
		sa->nr_swap_pages -= n;
	swap_range_alloc(sa, dev, off, n);
	/* Nobody asked for slots, so no worker was woken. */
	dev->reclaim_queued = queued;
}

int swap_alloc_take(struct swap_alloc *sa, int type, uint32_t off, uint32_t n, unsigned int order)
{
	struct swap_dev *dev = find_dev(sa, type);

	if (!dev || !in_device(dev, off, n) || order >= sa->nr_orders)
		return -EINVAL;
	for (uint32_t i = 0; i < n; i++)
		if (dev->map[off + i] != SWAP_MAP_FREE)
			return -EEXIST;
	while (n) {
		uint32_t part = part_of(sa, off, n);

		take_part(sa, dev, off, part, order);
		off += part;
		n -= part;
	}
	return 0;
}

int swap_alloc_give_back(struct swap_alloc *sa, int type, uint32_t off, uint32_t n)
{
	struct swap_dev *dev = find_dev(sa, type);

	if (!dev || !in_device(dev, off, n))
		return -EINVAL;
	for (uint32_t i = 0; i < n; i++)
		if (dev->map[off + i] != SWAP_MAP_USED && dev->map[off + i] != SWAP_HAS_CACHE)
			return -ENOENT;
	memset(dev->map + off, SWAP_HAS_CACHE, n);
	while (n) {
		uint32_t part = part_of(sa, off, n);

		sa->ops->free_range(sa, dev, off, part);
		off += part;
		n -= part;
	}
	return 0;
}

static bool unpark_from(struct swap_slots_cache *cache, int type, uint32_t off)
{
	for (uint32_t i = 0; i < cache->nr; i++) {
		struct swap_entry *e = &cache->slots[cache->cur + i];

		if (e->type != type || e->off != off)
			continue;
		/* Those before it move up, so that the next one handed out stays the same. */
		memmove(&cache->slots[cache->cur + 1], &cache->slots[cache->cur], i * sizeof(*e));
		cache->cur++;
		cache->nr--;
		return true;
	}
	for (uint32_t i = 0; i < cache->n_ret; i++) {
		struct swap_entry *e = &cache->slots_ret[i];

		if (e->type != type || e->off != off)
			continue;
		memmove(e, e + 1, (cache->n_ret - i - 1) * sizeof(*e));
		cache->n_ret--;
		return true;
	}
	return false;
}

int swap_alloc_unpark(struct swap_alloc *sa, int type, uint32_t off)
{
	struct swap_dev *dev = find_dev(sa, type);

	for (unsigned int cpu = 0; dev && sa->cache && cpu < sa->nr_cpus; cpu++) {
		if (!unpark_from(&sa->cache[cpu], type, off))
			continue;
		dev->map[off] = SWAP_MAP_USED;
		return 0;
	}
	return -ENOENT;
}

/* From 7.1 on the place that a CPU remembers may lie behind the device's end. */
static uint64_t slots_scanned(const struct swap_alloc *sa, const struct swap_dev *dev)
{
	return sa->ops->traits & SWAP_GEN_TAIL ? (uint64_t)dev->nr_clusters << sa->cluster_shift
					       : dev->max;
}

int swap_alloc_set_next(struct swap_alloc *sa, unsigned int cpu, int type, unsigned int order,
			uint32_t off)
{
	struct swap_dev *dev = find_dev(sa, type);

	if (!dev || cpu >= sa->nr_cpus || order >= sa->nr_orders || off >= slots_scanned(sa, dev) ||
	    (off & ((1u << order) - 1)))
		return -EINVAL;
	if (!sa->percpu) {
		dev->percpu[cpu].next[order] = off;
		/* scan-6.1 remembers the cluster beside the place in it. */
		dev->percpu[cpu].index = off ? swap_cluster_of(sa, off) : SWAP_CLUSTER_NONE;
	} else if (dev->flags & SWAP_DEV_SSD) {
		sa->percpu[cpu].next[order] = (struct swap_entry){ type, off };
	} else {
		dev->global_next[order] = off;
	}
	return 0;
}

int swap_alloc_set_cluster(struct swap_alloc *sa, int type, uint32_t ci,
			   enum swap_cluster_list_id list, unsigned int order)
{
	struct swap_dev *dev = find_dev(sa, type);
	struct swap_cluster *c;
	bool fits;

	if (!dev || ci >= dev->nr_clusters || order >= sa->nr_orders || list > SWAP_LIST_DISCARD)
		return -EINVAL;
	c = &dev->cluster[ci];
	if (list == SWAP_LIST_FREE || list == SWAP_LIST_DISCARD)
		fits = !c->count && c->list == list;
	else if (list == SWAP_LIST_FULL)
		fits = c->count == sa->cluster_slots;
	else
		fits = c->count != 0;
	if (!fits)
		return -EINVAL;
	swap_cluster_move_tail(dev, ci, list, order);
	c->order = order;
	return 0;
}
