// SPDX-License-Identifier: GPL-2.0
/*
 * scan-6.1: Linux 5.15 to 6.6 as in 6.1.
 *
 * Order 0: the CPU's cluster, which is the head of the free list when it has none; without free
 * clusters a scan of the whole device (alloc_scan_map.c). The PMD order takes a whole cluster off
 * the free list. There are no other orders. A cluster comes back to the free list when its last
 * slot is free; nothing else is remembered about partly used ones.
 */
#include "alloc_scan_map.h"

/*
 * The head of the free list becomes the CPU's cluster but stays where it is until a slot is
 * taken. Until then another CPU may pick it too; then both share it.
 */
static bool pick_cluster(struct swap_scan *s)
{
	struct swap_percpu *pcp = &s->dev->percpu[s->cpu];

	if (s->dev->free.head == SWAP_CLUSTER_NONE)
		swap_scan_discard_work(s->sa, s->dev);
	pcp->index = s->dev->free.head;
	if (pcp->index == SWAP_CLUSTER_NONE)
		return false;
	pcp->next[0] = swap_cluster_start(s->sa, pcp->index);
	return true;
}

static bool try_ssd_cluster(struct swap_scan *s)
{
	struct swap_dev *dev = s->dev;
	struct swap_percpu *pcp = &dev->percpu[s->cpu];
	uint32_t end, off;

	for (;;) {
		if (pcp->index == SWAP_CLUSTER_NONE && !pick_cluster(s))
			return false;
		end = swap_cluster_start(s->sa, pcp->index) + s->sa->cluster_slots;
		if (end > dev->max)
			end = dev->max;
		off = swap_map_find_free(dev->map, pcp->next[0], end, false);
		if (off < end) {
			/* May lie behind the cluster; the next request finds out. */
			pcp->next[0] = off + 1;
			s->base = off;
			s->offset = off;
			return true;
		}
		pcp->index = SWAP_CLUSTER_NONE;
	}
}

static void drop_cluster(struct swap_scan *s)
{
	s->dev->percpu[s->cpu].index = SWAP_CLUSTER_NONE;
}

/* This generation draws below the size of the range and adds the lower end itself. */
static uint32_t random_slot(const struct swap_alloc *sa, uint32_t low, uint32_t high)
{
	return low + swap_rnd(sa, 0, high - low);
}

static const struct swap_scan_ssd scan_ssd = {
	.try_cluster = try_ssd_cluster,
	.drop_cluster = drop_cluster,
	.order_on_take = true,
	.random_slot = random_slot,
};

static void scan_6_1_swapon(struct swap_alloc *sa, struct swap_dev *dev)
{
	swap_scan_swapon(sa, dev, random_slot);
}

/* A whole cluster, which is what a PMD-sized folio needs; pending discards are not waited for. */
static int swap_alloc_cluster(struct swap_alloc *sa, struct swap_dev *dev, uint32_t *off)
{
	uint32_t ci = dev->free.head;

	if (ci == SWAP_CLUSTER_NONE)
		return 0;
	*off = swap_cluster_start(sa, ci);
	swap_scan_take(sa, dev, *off, sa->cluster_shift, true);
	return 1;
}

static int scan_6_1_alloc(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			  unsigned int order, unsigned int n, uint32_t *offs)
{
	/* The only other order is that of a cluster (SWAP_GEN_PMD_ONLY). */
	return order ? swap_alloc_cluster(sa, dev, offs)
		     : swap_scan_map_slots(sa, dev, cpu, &scan_ssd, n, offs);
}

const struct swap_alloc_ops swap_scan_6_1_ops = {
	.name = "scan-6.1",
	.traits = SWAP_GEN_SLOTS_CACHE | SWAP_GEN_SCAN_BOUNDS | SWAP_GEN_PMD_ONLY |
		  SWAP_GEN_DISCARD | SWAP_GEN_RESERVE,
	.info_bytes = 8,
	.swapon = scan_6_1_swapon,
	.alloc = scan_6_1_alloc,
	.free_whole = swap_scan_free_whole,
	.free_range = swap_scan_free_range,
	.reclaimed = swap_scan_reclaimed,
	.discard_work = swap_scan_discard_work,
	.check = swap_scan_check,
};
