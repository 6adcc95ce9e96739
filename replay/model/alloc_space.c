/* SPDX-License-Identifier: GPL-2.0 */
/* Where the allocator's free space is, and what that says about a request that failed. */
#include <errno.h>
#include <string.h>

#include "alloc_priv.h"

/* Is the aligned block of 2^ORDER slots at OFF free? Counts it and the free blocks inside. */
static bool count_block(const struct swap_dev *dev, uint32_t off, unsigned int order,
			uint64_t *holes)
{
	bool left, right;

	if (off >= dev->max)
		return false;
	if (!order) {
		left = dev->map[off] == SWAP_MAP_FREE;
		holes[0] += left;
		return left;
	}
	left = count_block(dev, off, order - 1, holes);
	right = count_block(dev, off + (1u << (order - 1)), order - 1, holes);
	holes[order] += left && right;
	return left && right;
}

bool swap_alloc_untouched(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t off)
{
	const struct swap_cluster *c;

	if (!dev->cluster || off & (sa->cluster_slots - 1) || off >= dev->max)
		return false;
	c = &dev->cluster[swap_cluster_of(sa, off)];
	/* Slots that wait for a discard look taken; the header and the device's end are counted. */
	return !c->count && c->list == SWAP_LIST_FREE;
}

/* What count_block() finds in a cluster that is free. */
static void count_free(const struct swap_alloc *sa, uint64_t *holes)
{
	for (unsigned int o = 0; o <= sa->cluster_shift && o < SWAP_MAX_ORDERS; o++)
		holes[o] += sa->cluster_slots >> o;
}

static void add_dev(const struct swap_alloc *sa, const struct swap_dev *dev,
		    struct swap_alloc_space *space)
{
	uint64_t holes[SWAP_MAX_ORDERS] = { 0 };

	for (uint64_t off = 0; off < dev->max; off += sa->cluster_slots)
		if (swap_alloc_untouched(sa, dev, (uint32_t)off))
			count_free(sa, holes);
		else
			count_block(dev, off, sa->cluster_shift, holes);
	space->slots += dev->pages;
	space->free += holes[0];
	space->free_clusters += holes[sa->cluster_shift];
	for (unsigned int o = 0; o < sa->nr_orders; o++)
		space->holes[o] += holes[o];
}

int swap_alloc_space(const struct swap_alloc *sa, int type, struct swap_alloc_space *space)
{
	memset(space, 0, sizeof(*space));
	if (type < -1 || type >= SWAP_MAX_TYPES || (type >= 0 && !sa->dev[type].present))
		return -ENODEV;
	if (type >= 0) {
		add_dev(sa, &sa->dev[type], space);
		return 0;
	}
	for (int i = 0; i < SWAP_MAX_TYPES; i++)
		if (sa->dev[i].present && sa->dev[i].writeok)
			add_dev(sa, &sa->dev[i], space);
	return 0;
}

enum swap_alloc_label swap_alloc_explain(const struct swap_alloc *sa, unsigned int order)
{
	struct swap_alloc_space space = { 0 };
	bool allowed = false;

	if (!swap_alloc_has_order(sa, order))
		return SWAP_LABEL_CONFIG;
	for (int i = 0; i < SWAP_MAX_TYPES; i++) {
		const struct swap_dev *dev = &sa->dev[i];

		if (!dev->present || !dev->writeok || !swap_order_allowed(dev, order))
			continue;
		allowed = true;
		add_dev(sa, dev, &space);
	}
	/* Devices that are there but can't: that is not a lack of space. */
	if (!allowed)
		return sa->total_swap_pages ? SWAP_LABEL_CONFIG : SWAP_LABEL_FULL;
	if (space.free < (uint64_t)1 << order)
		return SWAP_LABEL_FULL;
	return space.holes[order] ? SWAP_LABEL_HOLE_NOT_FOUND : SWAP_LABEL_NO_ALIGNED_HOLE;
}

const char *swap_alloc_label_name(enum swap_alloc_label label)
{
	switch (label) {
	case SWAP_LABEL_FULL:
		return "full";
	case SWAP_LABEL_NO_ALIGNED_HOLE:
		return "no-aligned-hole";
	case SWAP_LABEL_HOLE_NOT_FOUND:
		return "hole-not-found";
	default:
		return "config";
	}
}
