// SPDX-License-Identifier: GPL-2.0
/*
 * mthp-empty-only: Linux 6.10 and 6.11 (845982eb264b).
 *
 * Each CPU remembers a place per order. When that is used up, a new cluster comes from the free
 * list and from nowhere else: a request above order 0 then either finds a wholly free cluster or
 * fails. Order 0 falls back to the scan of the whole device (alloc_scan_map.c) and so takes holes
 * in clusters of every order. Partly used clusters are on no list.
 */
#include "alloc_scan_map.h"

/* The head of the free list, which stays there until a slot of it is taken. */
static uint32_t pick_cluster(struct swap_scan *s)
{
	if (s->dev->free.head == SWAP_CLUSTER_NONE)
		swap_scan_discard_work(s->sa, s->dev);
	return s->dev->free.head;
}

static bool try_ssd_cluster(struct swap_scan *s)
{
	return swap_scan_try_next(s, pick_cluster);
}

static const struct swap_scan_ssd empty_only_ssd = {
	.try_cluster = try_ssd_cluster,
	.drop_cluster = swap_scan_drop_next,
	.order_on_take = true,
	.random_slot = swap_rnd,
};

static void empty_only_swapon(struct swap_alloc *sa, struct swap_dev *dev)
{
	swap_scan_swapon(sa, dev, swap_rnd);
}

static int empty_only_alloc(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			    unsigned int order, unsigned int n, uint32_t *offs)
{
	return swap_scan_alloc_order(sa, dev, cpu, &empty_only_ssd, order, n, offs);
}

const struct swap_alloc_ops swap_mthp_empty_only_ops = {
	.name = "mthp-empty-only",
	.traits = SWAP_GEN_SLOTS_CACHE | SWAP_GEN_SCAN_BOUNDS | SWAP_GEN_DISCARD | SWAP_GEN_RESERVE,
	.info_bytes = 8,
	.swapon = empty_only_swapon,
	.alloc = empty_only_alloc,
	.free_whole = swap_scan_free_whole,
	.free_range = swap_scan_free_range,
	.reclaimed = swap_scan_reclaimed,
	.discard_work = swap_scan_discard_work,
	.check = swap_scan_check,
};
