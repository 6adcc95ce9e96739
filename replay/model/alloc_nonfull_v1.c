// SPDX-License-Identifier: GPL-2.0
/*
 * nonfull-v1: 6.10 with the two patches of 24 May 2024 ("mTHP swap allocator base on swap cluster
 * order", version 1).
 *
 * As mthp-empty-only, but a cluster has the order of the request that took it off the free list,
 * and one that got a slot back is kept on nonfull[order]. A new cluster comes from the free list,
 * else from nonfull of the same order; there it is gone for good if it has no room, until the next
 * free in it. Order 0 then scans the whole device; orders never take from each other's lists.
 *
 * Discard is not modelled: the patches would deadlock on themselves there.
 */
#include "alloc_scan_map.h"

#include <string.h>

/* The cluster leaves its list at once, so that no other CPU picks it too. */
static uint32_t pick_cluster(struct swap_scan *s)
{
	struct swap_dev *dev = s->dev;
	uint32_t ci = dev->free.head;

	if (ci != SWAP_CLUSTER_NONE) {
		swap_cluster_unlink(dev, ci);
		dev->cluster[ci].order = (uint8_t)s->order;
		return ci;
	}
	ci = dev->nonfull[s->order].head;
	if (ci != SWAP_CLUSTER_NONE)
		swap_cluster_unlink(dev, ci);
	return ci;
}

static bool try_ssd_cluster(struct swap_scan *s)
{
	return swap_scan_try_next(s, pick_cluster);
}

static const struct swap_scan_ssd v1_ssd = {
	.try_cluster = try_ssd_cluster,
	.drop_cluster = swap_scan_drop_next,
	.order_on_take = false,
	.random_slot = swap_rnd,
};

static void v1_swapon(struct swap_alloc *sa, struct swap_dev *dev)
{
	swap_scan_swapon(sa, dev, swap_rnd);
}

static int v1_alloc(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
		    unsigned int order, unsigned int n, uint32_t *offs)
{
	return swap_scan_alloc_order(sa, dev, cpu, &v1_ssd, order, n, offs);
}

/*
 * An empty cluster goes to the free list and keeps its order unless it was given back whole; any
 * other goes to nonfull of its order, unless it is there.
 */
static void v1_free_range(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n)
{
	memset(dev->map + off, SWAP_MAP_FREE, n);
	if (dev->cluster) {
		uint32_t ci = swap_cluster_of(sa, off);
		struct swap_cluster *c = &dev->cluster[ci];

		c->count = (uint16_t)(c->count - n);
		if (c->count == 0) {
			swap_cluster_move_tail(dev, ci, SWAP_LIST_FREE, 0);
			if (n == sa->cluster_slots)
				c->order = 0;
		} else if (c->list != SWAP_LIST_NONFULL) {
			swap_cluster_move_tail(dev, ci, SWAP_LIST_NONFULL, c->order);
		}
	}
	swap_range_free(sa, dev, off, n);
}

const struct swap_alloc_ops swap_nonfull_v1_ops = {
	.name = "nonfull-v1",
	.traits = SWAP_GEN_SLOTS_CACHE | SWAP_GEN_SCAN_BOUNDS | SWAP_GEN_RESERVE,
	.info_bytes = 24,
	.swapon = v1_swapon,
	.alloc = v1_alloc,
	.free_whole = swap_scan_free_whole,
	.free_range = v1_free_range,
	.reclaimed = swap_scan_reclaimed,
	.check = swap_scan_check,
};
