/* SPDX-License-Identifier: GPL-2.0 */
/* Steps that cluster-6.12 and cluster-6.18 share. */
#include <string.h>

#include "alloc_cluster.h"

uint32_t swap_cluster_end(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t start)
{
	uint32_t room = dev->max - start;

	return room < sa->cluster_slots ? dev->max : start + sa->cluster_slots;
}

static bool range_is_free(const struct swap_dev *dev, uint32_t off, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (dev->map[off + i] != SWAP_MAP_FREE)
			return false;
	return true;
}

bool swap_cluster_scan_range(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t off,
			     uint32_t nr, bool *need_reclaim)
{
	*need_reclaim = false;
	for (uint32_t i = 0; i < nr; i++) {
		uint8_t byte = dev->map[off + i];

		if (byte == SWAP_MAP_FREE)
			continue;
		if (byte != SWAP_HAS_CACHE || !swap_alloc_full(sa))
			return false;
		*need_reclaim = true;
	}
	return true;
}

bool swap_cluster_reclaim_range(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
				uint32_t off, uint32_t nr)
{
	uint32_t start = off, end = off + nr;

	while (off < end) {
		int got;

		if (dev->map[off] == SWAP_MAP_FREE) {
			off++;
			continue;
		}
		if (dev->map[off] != SWAP_HAS_CACHE)
			break;
		got = swap_try_reclaim(sa, dev, cpu, off);
		if (got <= 0)
			break;
		off += got;
	}
	return range_is_free(dev, start, nr);
}

void swap_cluster_reclaim(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			  uint32_t ci)
{
	uint32_t off = swap_cluster_start(sa, ci);
	uint32_t end = swap_cluster_end(sa, dev, off);

	while (off < end) {
		int got = 0;

		if (dev->map[off] == SWAP_HAS_CACHE)
			got = swap_try_reclaim(sa, dev, cpu, off);
		/* A folio that stays is passed over as a whole, too. */
		off += got ? (uint32_t)(got < 0 ? -got : got) : 1;
	}
}

int64_t swap_clusters_to_scan(const struct swap_alloc *sa, const struct swap_dev *dev, bool force)
{
	return force ? dev->inuse >> sa->cluster_shift : 1;
}

void swap_cluster_free(struct swap_dev *dev, uint32_t ci)
{
	swap_cluster_move_tail(dev, ci, SWAP_LIST_FREE, 0);
	dev->cluster[ci].order = 0;
}

bool swap_order_has_partial(const struct swap_alloc *sa, unsigned int order)
{
	return !order || order + 1 < sa->nr_orders;
}

/* Until the discard is done the slots look taken, so that nobody uses them. */
static void schedule_discard(struct swap_alloc *sa, struct swap_dev *dev, uint32_t ci)
{
	memset(dev->map + swap_cluster_start(sa, ci), SWAP_MAP_BAD, sa->cluster_slots);
	swap_cluster_move_tail(dev, ci, SWAP_LIST_DISCARD, 0);
}

void swap_do_scheduled_discard(struct swap_alloc *sa, struct swap_dev *dev)
{
	while (dev->discard.len) {
		uint32_t ci = dev->discard.head;

		memset(dev->map + swap_cluster_start(sa, ci), SWAP_MAP_FREE, sa->cluster_slots);
		swap_cluster_free(dev, ci);
	}
}

static void uncount(struct swap_alloc *sa, struct swap_dev *dev, uint32_t ci, uint32_t n)
{
	struct swap_cluster *c = &dev->cluster[ci];

	c->count -= n;
	if (!c->count && dev->writeok && (dev->flags & SWAP_DEV_DISCARD))
		schedule_discard(sa, dev, ci);
	else if (!c->count)
		swap_cluster_free(dev, ci);
	else if (c->list != SWAP_LIST_NONFULL)
		swap_cluster_move_tail(dev, ci, SWAP_LIST_NONFULL, c->order);
}

void swap_cluster_free_range(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n)
{
	memset(dev->map + off, SWAP_MAP_FREE, n);
	/* 6.12 has no clusters on a rotational device. */
	if (dev->cluster)
		uncount(sa, dev, swap_cluster_of(sa, off), n);
	swap_range_free(sa, dev, off, n);
}

void swap_cluster_reclaimed(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			    uint32_t off, uint32_t n)
{
	(void)cpu;
	swap_cluster_free_range(sa, dev, off, n);
}
