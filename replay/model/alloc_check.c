/* SPDX-License-Identifier: GPL-2.0 */
/* Invariants of the allocator's state; for tests and debug runs, linear in the devices. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc_priv.h"

struct why {
	char *text;
	size_t len;
};

__attribute__((format(printf, 2, 3))) static int broken(const struct why *w, const char *fmt, ...)
{
	va_list ap;

	if (w->len) {
		va_start(ap, fmt);
		vsnprintf(w->text, w->len, fmt, ap);
		va_end(ap);
	}
	return -EUCLEAN;
}

static uint32_t used_between(const struct swap_dev *dev, uint32_t from, uint32_t to)
{
	uint32_t used = 0;

	for (uint32_t off = from; off < to; off++)
		used += dev->map[off] != SWAP_MAP_FREE;
	return used;
}

/* A cluster's count is what its part of the map holds, plus the slots past the device's end. */
static int check_count(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t ci,
		       const struct why *w)
{
	const struct swap_cluster *c = &dev->cluster[ci];
	uint32_t start = swap_cluster_start(sa, ci);
	uint32_t room = dev->max - start;
	uint32_t end = room < sa->cluster_slots ? dev->max : start + sa->cluster_slots;
	uint32_t used = used_between(dev, start, end) + (sa->cluster_slots - (end - start));

	/* Slots waiting for a discard are marked bad but no longer counted. */
	if (c->list == SWAP_LIST_DISCARD)
		used = 0;
	if (c->count != used)
		return broken(w, "device %d cluster %u: count %u, map says %u", dev->type, ci,
			      c->count, used);
	if (c->list == SWAP_LIST_FREE && c->count)
		return broken(w, "device %d cluster %u: on the free list with %u slots used",
			      dev->type, ci, c->count);
	if (c->list == SWAP_LIST_FULL && c->count != sa->cluster_slots)
		return broken(w, "device %d cluster %u: on the full list with %u slots used",
			      dev->type, ci, c->count);
	if (c->order >= sa->nr_orders || c->list > SWAP_LIST_DISCARD)
		return broken(w, "device %d cluster %u: order %u, list %u", dev->type, ci, c->order,
			      c->list);
	return 0;
}

/* Walks one list forward; every member says it is here, and the back links agree. */
static int check_list(const struct swap_dev *dev, const struct swap_cluster_list *list,
		      unsigned int id, int order, const struct why *w)
{
	uint32_t prev = SWAP_CLUSTER_NONE, n = 0;

	for (uint32_t ci = list->head; ci != SWAP_CLUSTER_NONE; ci = dev->cluster[ci].next) {
		const struct swap_cluster *c;

		if (ci >= dev->nr_clusters || ++n > dev->nr_clusters)
			return broken(w, "device %d list %u: runs off or in a circle", dev->type,
				      id);
		c = &dev->cluster[ci];
		if (c->list != id || (order >= 0 && c->order != order) || c->prev != prev)
			return broken(w, "device %d list %u order %d: cluster %u does not belong",
				      dev->type, id, order, ci);
		prev = ci;
	}
	if (list->tail != prev || list->len != n)
		return broken(w, "device %d list %u: length %u or tail wrong", dev->type, id,
			      list->len);
	return 0;
}

static int check_lists(const struct swap_alloc *sa, const struct swap_dev *dev, const struct why *w)
{
	uint64_t listed = (uint64_t)dev->free.len + dev->full.len + dev->discard.len;
	uint64_t flagged = 0;
	int ret;

	ret = check_list(dev, &dev->free, SWAP_LIST_FREE, -1, w);
	if (!ret)
		ret = check_list(dev, &dev->full, SWAP_LIST_FULL, -1, w);
	if (!ret)
		ret = check_list(dev, &dev->discard, SWAP_LIST_DISCARD, -1, w);
	for (unsigned int o = 0; !ret && o < sa->nr_orders; o++) {
		ret = check_list(dev, &dev->nonfull[o], SWAP_LIST_NONFULL, o, w);
		if (!ret)
			ret = check_list(dev, &dev->frag[o], SWAP_LIST_FRAG, o, w);
		listed += dev->nonfull[o].len + dev->frag[o].len;
	}
	if (ret)
		return ret;
	for (uint32_t ci = 0; ci < dev->nr_clusters; ci++)
		flagged += dev->cluster[ci].list != SWAP_LIST_NONE;
	if (flagged != listed)
		return broken(w, "device %d: %llu clusters say they are listed, %llu are",
			      dev->type, (unsigned long long)flagged, (unsigned long long)listed);
	return 0;
}

static int check_bounds(const struct swap_dev *dev, const struct why *w)
{
	for (uint32_t off = 1; off < dev->max; off++)
		if (dev->map[off] == SWAP_MAP_FREE &&
		    (off < dev->lowest_bit || off > dev->highest_bit))
			return broken(w, "device %d: free slot %u outside %u..%u", dev->type, off,
				      dev->lowest_bit, dev->highest_bit);
	return 0;
}

static int check_dev(const struct swap_alloc *sa, const struct swap_dev *dev, const struct why *w)
{
	uint64_t used = used_between(dev, 1, dev->max);
	int ret = 0;

	for (uint32_t ci = 0; ci < dev->nr_clusters; ci++) {
		const struct swap_cluster *c = &dev->cluster[ci];

		ret = check_count(sa, dev, ci, w);
		if (ret)
			return ret;
		if (c->list == SWAP_LIST_DISCARD)
			used -= sa->cluster_slots;
	}
	if (used != dev->inuse)
		return broken(w, "device %d: %u slots in use, map says %llu", dev->type, dev->inuse,
			      (unsigned long long)used);
	if (dev->cluster)
		ret = check_lists(sa, dev, w);
	if (!ret && (sa->ops->traits & SWAP_GEN_SCAN_BOUNDS))
		ret = check_bounds(dev, w);
	if (!ret && sa->ops->check)
		ret = sa->ops->check(sa, dev, w->text, w->len);
	return ret;
}

/* Each parked slot is in use, held by nothing else, and parked once (SEEN: a bit per slot). */
static int check_parked(const struct swap_alloc *sa, const struct swap_entry *e, uint32_t n,
			uint8_t **seen, const struct why *w)
{
	for (uint32_t i = 0; i < n; i++, e++) {
		const struct swap_dev *dev = &sa->dev[e->type];

		if (!dev->present || !e->off || e->off >= dev->max)
			return broken(w, "slots cache: %d:%u is not a slot", e->type, e->off);
		if (dev->map[e->off] != SWAP_HAS_CACHE)
			return broken(w, "slots cache: %d:%u has map byte %#x", e->type, e->off,
				      dev->map[e->off]);
		if (!seen[e->type])
			seen[e->type] = calloc(dev->max / 8 + 1, 1);
		if (!seen[e->type])
			return -ENOMEM;
		if (seen[e->type][e->off / 8] & (1 << e->off % 8))
			return broken(w, "slots cache: %d:%u is there twice", e->type, e->off);
		seen[e->type][e->off / 8] |= 1 << e->off % 8;
	}
	return 0;
}

static int check_caches(const struct swap_alloc *sa, const struct why *w)
{
	uint8_t *seen[SWAP_MAX_TYPES] = { NULL };
	int ret = 0;

	for (unsigned int cpu = 0; !ret && sa->cache && cpu < sa->nr_cpus; cpu++) {
		const struct swap_slots_cache *c = &sa->cache[cpu];

		if (c->nr && c->cur + c->nr > SWAP_BATCH)
			ret = broken(w, "slots cache of CPU %u: %u slots from %u", cpu, c->nr,
				     c->cur);
		if (!ret)
			ret = check_parked(sa, c->slots + c->cur, c->nr, seen, w);
		if (!ret)
			ret = check_parked(sa, c->slots_ret, c->n_ret, seen, w);
	}
	for (int i = 0; i < SWAP_MAX_TYPES; i++)
		free(seen[i]);
	return ret;
}

int swap_alloc_check(const struct swap_alloc *sa, char *text, size_t len)
{
	const struct why w = { text, len };
	int64_t pages = 0, inuse = 0;
	unsigned int avail = 0;
	int ret;

	for (int i = 0; i < SWAP_MAX_TYPES; i++) {
		const struct swap_dev *dev = &sa->dev[i];

		if (!dev->present)
			continue;
		ret = check_dev(sa, dev, &w);
		if (ret)
			return ret;
		pages += dev->writeok ? dev->pages : 0;
		inuse += dev->inuse;
		avail += dev->avail;
	}
	if (pages != sa->total_swap_pages || pages - inuse != sa->nr_swap_pages)
		return broken(&w, "%lld of %lld slots free, devices say %lld of %lld",
			      (long long)sa->nr_swap_pages, (long long)sa->total_swap_pages,
			      (long long)(pages - inuse), (long long)pages);
	if (avail != sa->nr_avail)
		return broken(&w, "%u devices available, list holds %u", avail, sa->nr_avail);
	return check_caches(sa, &w);
}
