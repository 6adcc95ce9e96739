/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cluster-6.18: partly used clusters first, free ones are kept for large orders. cluster-6.19 and
 * cluster-7.1 search in the same way and differ in the traits at the end of this file.
 *
 * Where a request looks, in this order (folio_alloc_swap()):
 *   1. the place this CPU remembers for the order, whatever device it is on
 *   2. device after device, each going behind its equals (cluster_alloc_swap_entry()):
 *      a. rotational: the place the device remembers for the order
 *      b. discarding device: one free cluster
 *      c. all of nonfull[order]
 *      d. any other device: one free cluster
 *      e. when swap is full, cache-only slots of one full cluster are taken back; then the head
 *         of frag[order], just that one
 *      f. order 0 only, stealing: for o = 1, 2, ...: all of frag[o], then all of nonfull[o]
 *   3. order 0 only: once clusters waiting for a discard have been discarded, again from 1
 * A cluster is on no list while it is looked at and goes to frag[its order] or full afterwards;
 * a free inside it brings it to nonfull[its order].
 */
#include <errno.h>
#include <string.h>

#include "alloc_cluster.h"

/* Whose request it is, and on which device the present step looks. */
struct search {
	struct swap_alloc *sa;
	struct swap_dev *dev;
	unsigned int cpu;
	unsigned int order;
	uint32_t found; /* offset, 0 = nothing yet */
};

/*
 * May a request of ORDER use this cluster outside of the lists' order? A free cluster has no
 * swap table, so only who takes it from the free list can.
 */
static bool cluster_is_usable(const struct swap_cluster *c, unsigned int order)
{
	if (c->list == SWAP_LIST_FULL || c->list == SWAP_LIST_DISCARD || c->list == SWAP_LIST_FREE)
		return false;
	return !order || c->order == order;
}

/* Back to the list that its filling calls for, after it was looked at. */
static void relocate_cluster(struct swap_alloc *sa, struct swap_dev *dev, uint32_t ci)
{
	struct swap_cluster *c = &dev->cluster[ci];

	if (c->list == SWAP_LIST_DISCARD)
		return;
	if (!c->count) {
		if (c->list != SWAP_LIST_FREE)
			swap_cluster_free(dev, ci);
	} else if (c->count < sa->cluster_slots) {
		if (c->list != SWAP_LIST_FRAG)
			swap_cluster_move_tail(dev, ci, SWAP_LIST_FRAG, c->order);
	} else if (c->list != SWAP_LIST_FULL) {
		swap_cluster_move_tail(dev, ci, SWAP_LIST_FULL, 0);
	}
}

static void cluster_alloc_range(struct search *s, struct swap_cluster *c, uint32_t off, uint32_t nr)
{
	/* The first entry makes the cluster its order's. */
	if (!c->count)
		c->order = s->order;
	memset(s->dev->map + off, SWAP_HAS_CACHE, nr);
	swap_range_alloc(s->sa, s->dev, off, nr);
	c->count += nr;
}

/* Where the next request of this order begins; 0: the cluster is done. */
static void remember(struct search *s, uint32_t next)
{
	if (!(s->dev->flags & SWAP_DEV_SSD))
		s->dev->global_next[s->order] = next;
	else
		s->sa->percpu[s->cpu].next[s->order] = (struct swap_entry){ s->dev->type, next };
}

/* The first place from OFF on in cluster CI that fits; takes it and returns true. */
static bool scan_and_take(struct search *s, uint32_t ci, uint32_t off, uint32_t last)
{
	struct swap_cluster *c = &s->dev->cluster[ci];
	uint32_t nr = 1u << s->order;
	bool need_reclaim;

	for (; off <= last; off += nr) {
		if (!swap_cluster_scan_range(s->sa, s->dev, off, nr, &need_reclaim))
			continue;
		if (need_reclaim) {
			bool ok = swap_cluster_reclaim_range(s->sa, s->dev, s->cpu, off, nr);

			/* It may have become free meanwhile, and with that anybody's. */
			if (!cluster_is_usable(c, s->order))
				return false;
			if (!ok)
				continue;
		}
		cluster_alloc_range(s, c, off, nr);
		s->found = off;
		return true;
	}
	return false;
}

/* Looks through one cluster from OFF on, puts it on its new list and sets what is remembered. */
static bool alloc_swap_scan_cluster(struct search *s, uint32_t off)
{
	uint32_t ci = swap_cluster_of(s->sa, off), nr = 1u << s->order;
	struct swap_cluster *c = &s->dev->cluster[ci];
	uint32_t start = swap_cluster_start(s->sa, ci), next = 0;
	uint32_t end = s->sa->ops->traits & SWAP_GEN_TAIL ? start + s->sa->cluster_slots
							  : swap_cluster_end(s->sa, s->dev, start);

	if (end >= nr && c->count + nr <= s->sa->cluster_slots &&
	    scan_and_take(s, ci, off, end - nr) && c->count < s->sa->cluster_slots &&
	    s->found + nr <= end - nr)
		next = s->found + nr;
	relocate_cluster(s->sa, s->dev, ci);
	remember(s, next);
	return s->found;
}

/* Heads of LIST, one or (ALL) each of them, are taken off it and looked through. */
static bool alloc_swap_scan_list(struct search *s, struct swap_cluster_list *list, bool all)
{
	while (list->len) {
		uint32_t ci = list->head;

		swap_cluster_unlink(s->dev, ci);
		if (alloc_swap_scan_cluster(s, swap_cluster_start(s->sa, ci)))
			return true;
		if (!all)
			break;
	}
	return false;
}

/* Full clusters are searched for cache-only slots from the head on. */
static void swap_reclaim_full_clusters(struct swap_alloc *sa, struct swap_dev *dev,
				       unsigned int cpu, bool force)
{
	int64_t to_scan = swap_clusters_to_scan(sa, dev, force);

	while (dev->full.len) {
		uint32_t ci = dev->full.head;

		swap_cluster_unlink(dev, ci);
		swap_cluster_reclaim(sa, dev, cpu, ci);
		/* A free has put it on its list; if there was none it is full as before. */
		if (dev->cluster[ci].list == SWAP_LIST_NONE)
			relocate_cluster(sa, dev, ci);
		if (--to_scan <= 0)
			break;
	}
}

/* Step f. */
static bool steal_from_higher_orders(struct search *s)
{
	for (unsigned int o = 1; o < s->sa->nr_orders; o++)
		if (alloc_swap_scan_list(s, &s->dev->frag[o], true) ||
		    alloc_swap_scan_list(s, &s->dev->nonfull[o], true))
			return true;
	return false;
}

/* Step 1, or a: go on where the last request of this order ended. */
static bool scan_remembered(struct search *s, uint32_t off)
{
	return off && cluster_is_usable(&s->dev->cluster[swap_cluster_of(s->sa, off)], s->order) &&
	       alloc_swap_scan_cluster(s, off);
}

/* Step 2 on one device. */
static bool cluster_alloc_swap_entry(struct search *s)
{
	struct swap_dev *dev = s->dev;
	bool discard = dev->flags & SWAP_DEV_DISCARD;
	bool partial = swap_order_has_partial(s->sa, s->order);

	if (!(dev->flags & SWAP_DEV_SSD) && scan_remembered(s, dev->global_next[s->order]))
		return true;
	if (discard && alloc_swap_scan_list(s, &dev->free, false))
		return true;
	if (partial && alloc_swap_scan_list(s, &dev->nonfull[s->order], true))
		return true;
	if (!discard && alloc_swap_scan_list(s, &dev->free, false))
		return true;
	if (swap_alloc_full(s->sa))
		swap_reclaim_full_clusters(s->sa, dev, s->cpu, false);
	if (partial && alloc_swap_scan_list(s, &dev->frag[s->order], false))
		return true;
	return !s->order && steal_from_higher_orders(s);
}

static bool swap_alloc_fast(struct search *s)
{
	struct swap_entry e = s->sa->percpu[s->cpu].next[s->order];

	if (!e.off || !s->sa->dev[e.type].writeok || !(s->sa->allowed >> e.type & 1))
		return false;
	s->dev = &s->sa->dev[e.type];
	return scan_remembered(s, e.off);
}

/* The walk over the devices: order 0 goes on to the next one, a large entry asks one only. */
static bool swap_alloc_slow(struct search *s)
{
	struct swap_alloc *sa = s->sa;
	uint32_t asked = ~sa->allowed;
	unsigned int i = 0;

	while (i < sa->nr_avail) {
		struct swap_dev *dev = &sa->dev[sa->avail[i]];

		if (asked & (1u << dev->type)) {
			i++;
			continue;
		}
		asked |= 1u << dev->type;
		swap_avail_requeue(sa, dev);
		if (s->order && !(dev->flags & SWAP_DEV_BLKDEV)) {
			sa->last_fail = SWAP_FAIL_CONFIG;
			return false;
		}
		s->dev = dev;
		if (cluster_alloc_swap_entry(s))
			return true;
		if (s->order)
			return false;
		/* Requeueing moved others forward: begin again with the best not asked. */
		i = 0;
	}
	return false;
}

/* 6.19 asks every device in use, also one that is full and so on no list of available ones. */
static bool swap_sync_discard_active(struct swap_alloc *sa)
{
	struct swap_dev *best = NULL;

	for (int i = 0; i < SWAP_MAX_TYPES; i++) {
		struct swap_dev *dev = &sa->dev[i];

		if (dev->present && dev->writeok && dev->discard.len &&
		    (!best || dev->prio > best->prio))
			best = dev;
	}
	if (best)
		swap_do_scheduled_discard(sa, best);
	return best;
}

/* Step 3: the first device that has discards to do; does it help to look again? */
static bool swap_sync_discard(struct swap_alloc *sa)
{
	if (sa->ops->traits & SWAP_GEN_ONE_LIST)
		return swap_sync_discard_active(sa);
	for (unsigned int i = 0; i < sa->nr_avail; i++) {
		struct swap_dev *dev = &sa->dev[sa->avail[i]];

		if (dev->discard.len) {
			swap_do_scheduled_discard(sa, dev);
			return true;
		}
	}
	return false;
}

static int alloc_folio(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
		       struct swap_entry *entry)
{
	struct search s = { .sa = sa, .cpu = cpu, .order = order };

	sa->last_fail = sa->nr_swap_pages < (int64_t)1 << order || !sa->nr_avail ? SWAP_FAIL_SPACE
										 : SWAP_FAIL_SEARCH;
	do {
		if (swap_alloc_fast(&s) || swap_alloc_slow(&s)) {
			*entry = (struct swap_entry){ s.dev->type, s.found };
			return 0;
		}
	} while (!order && swap_sync_discard(sa));
	return -ENOSPC;
}

/* There is no slots cache any more: every range comes back as it is. */
static bool frees_whole(const struct swap_alloc *sa, const struct swap_dev *dev,
			enum swap_free_how how, uint32_t off, uint32_t n)
{
	(void)sa;
	(void)dev;
	(void)how;
	(void)off;
	(void)n;
	return true;
}

static void reclaim_work(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu)
{
	swap_reclaim_full_clusters(sa, dev, cpu, true);
}

#define TRAITS                                                                                     \
	(SWAP_GEN_HDD_CLUSTERS | SWAP_GEN_RECLAIM_WORK | SWAP_GEN_ASCENDING |                      \
	 SWAP_GEN_PART_NONFULL | SWAP_GEN_FOLIO | SWAP_GEN_DISCARD)

#define OPERATIONS                                                                                 \
	.info_bytes = 24, .alloc_folio = alloc_folio, .free_whole = frees_whole,                   \
	.free_range = swap_cluster_free_range, .reclaimed = swap_cluster_reclaimed,                \
	.reclaim_work = reclaim_work, .discard_work = swap_do_scheduled_discard

const struct swap_alloc_ops swap_cluster_6_18_ops = {
	.name = "cluster-6.18",
	.traits = TRAITS,
	OPERATIONS,
};

/* The search is the same; devices are chosen from one list (docs/kernel-facts.md#devices). */
const struct swap_alloc_ops swap_cluster_6_19_ops = {
	.name = "cluster-6.19",
	.traits = TRAITS | SWAP_GEN_ONE_LIST,
	OPERATIONS,
};

/* The last cluster is scanned to its end, past the device's: docs/kernel-facts.md#allocator-618 */
const struct swap_alloc_ops swap_cluster_7_1_ops = {
	.name = "cluster-7.1",
	.traits = TRAITS | SWAP_GEN_ONE_LIST | SWAP_GEN_TAIL,
	OPERATIONS,
};
