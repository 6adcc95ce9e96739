// SPDX-License-Identifier: GPL-2.0
#include "replay/alloc/holes.h"

#include <string.h>

void alloc_holes_init(struct alloc_holes *h, struct swap_alloc *const *pool)
{
	memset(h, 0, sizeof(*h));
	h->pool = pool;
}

void alloc_holes_forget(struct alloc_holes *h)
{
	alloc_holes_init(h, h->pool);
}

static bool block_free(const struct swap_dev *dev, uint32_t off, unsigned int order)
{
	uint32_t n = 1u << order;

	if (off >= dev->max || n > dev->max - off || dev->map[off])
		return false;
	/* All bytes equal to their neighbour, the first of them 0. */
	return n == 1 || !memcmp(dev->map + off, dev->map + off + 1, n - 1);
}

static bool usable(const struct swap_dev *dev, unsigned int order, uint32_t allowed)
{
	if (!dev->present || !dev->writeok || !(allowed >> dev->type & 1))
		return false;
	return !order || ((dev->flags & SWAP_DEV_BLKDEV) && dev->cluster);
}

/* First free block of the device from @from on; dev->max when there is none. */
static uint32_t find_block(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t from,
			   unsigned int order)
{
	uint32_t n = 1u << order, mask = sa->cluster_slots - 1;
	uint64_t off = from & ~(n - 1);

	while (off + n <= dev->max) {
		const struct swap_cluster *c =
			dev->cluster ? &dev->cluster[off >> sa->cluster_shift] : NULL;

		if (c && c->count + n > sa->cluster_slots)
			off = (off | mask) + 1;
		else if (block_free(dev, (uint32_t)off, order))
			return (uint32_t)off;
		else
			off += n;
	}
	return dev->max;
}

static bool look(struct alloc_holes *h, unsigned int order, uint32_t allowed, unsigned int pool,
		 int type, uint32_t from)
{
	const struct swap_alloc *sa = h->pool[pool];
	const struct swap_dev *dev;
	uint32_t off;

	if (!sa || !usable(&sa->dev[type], order, allowed))
		return false;
	dev = &sa->dev[type];
	off = find_block(sa, dev, from, order);
	if (off == dev->max)
		return false;
	h->order[order].pool = pool;
	h->order[order].type = type;
	h->order[order].off = off;
	return true;
}

/* From the place of the last one on, then everywhere. */
static bool find_hole(struct alloc_holes *h, unsigned int order, uint32_t allowed)
{
	if (h->order[order].state == HOLE_NONE)
		return false;
	if (look(h, order, allowed, h->order[order].pool, h->order[order].type,
		 h->order[order].off))
		return true;
	for (unsigned int pool = 0; pool < ALLOC_POOLS; pool++)
		for (int type = 0; type < SWAP_MAX_TYPES; type++)
			if (look(h, order, allowed, pool, type, 0))
				return true;
	/* Devices that this request may not use could still have one. */
	if (allowed == UINT32_MAX) {
		h->order[order].state = HOLE_NONE;
		h->none |= 1u << order;
	}
	return false;
}

void alloc_holes_freed(struct alloc_holes *h, unsigned int pool, int type, uint32_t off, uint32_t n)
{
	const struct swap_dev *dev = &h->pool[pool]->dev[type];

	for (unsigned int order = 0; h->none >> order && order < SWAP_MAX_ORDERS; order++) {
		uint32_t size = 1u << order;
		bool found = false;

		for (uint64_t b = off & ~(size - 1); b < (uint64_t)off + n && !found; b += size)
			if (block_free(dev, (uint32_t)b, order)) {
				found = true;
				h->order[order].pool = pool;
				h->order[order].type = type;
				h->order[order].off = (uint32_t)b;
			}
		/* No free block of this size, so no larger one. */
		if (!found)
			return;
		h->order[order].state = HOLE_UNKNOWN;
		h->none &= ~(1u << order);
	}
}

enum fallback_reason alloc_holes_reason(struct alloc_holes *h, unsigned int order, uint32_t allowed)
{
	uint64_t free_slots = 0, pages = 0;
	bool possible = false;

	if (!swap_alloc_has_order(h->pool[0], order))
		return FALLBACK_CONFIG;
	for (unsigned int pool = 0; pool < ALLOC_POOLS; pool++)
		for (int type = 0; h->pool[pool] && type < SWAP_MAX_TYPES; type++) {
			const struct swap_dev *dev = &h->pool[pool]->dev[type];

			pages += dev->present && dev->writeok ? dev->pages : 0;
			if (!usable(dev, order, allowed))
				continue;
			possible = true;
			free_slots += dev->pages - dev->inuse -
				      (uint64_t)dev->discard.len * h->pool[pool]->cluster_slots;
		}
	if (!possible)
		return pages ? FALLBACK_CONFIG : FALLBACK_FULL;
	if (free_slots < 1ull << order)
		return FALLBACK_FULL;
	return find_hole(h, order, allowed) ? FALLBACK_HOLE_NOT_FOUND : FALLBACK_NO_ALIGNED_HOLE;
}
