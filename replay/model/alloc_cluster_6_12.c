/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cluster-6.12: clusters belong to an order and stay reachable while they are partly used.
 *
 * Where a request looks, in this order (cluster_alloc_swap_entry()):
 *   1. the place this CPU remembers for the order
 *   2. the head of the free list
 *   3. nonfull[order], each cluster looked at moving to the tail of frag[order]
 *   4. frag[order], once round
 *   5. clusters waiting for a discard, after discarding them
 *   6. order 0 only, stealing: for o = 1, 2, ...: frag[o], then nonfull[o]
 * A cluster takes the order of its first allocation and keeps it until it is free again: a
 * stolen slot does not change it.
 */
#include <string.h>

#include "alloc_cluster.h"

/* Whose request it is; what the steps of one search share. */
struct search {
	struct swap_alloc *sa;
	struct swap_dev *dev;
	unsigned int cpu;
	unsigned int order;
	uint32_t found; /* offset, 0 = nothing yet */
	uint32_t next;	/* where the last scan says to go on, 0 = its cluster is done */
};

/* Are the slots free, or can they be made so? */
static bool cluster_scan_range(struct search *s, uint32_t off, uint32_t nr)
{
	bool need_reclaim;

	if (!swap_cluster_scan_range(s->sa, s->dev, off, nr, &need_reclaim))
		return false;
	return !need_reclaim || swap_cluster_reclaim_range(s->sa, s->dev, s->cpu, off, nr);
}

static void cluster_alloc_range(struct search *s, uint32_t ci, uint32_t off, uint32_t nr)
{
	struct swap_cluster *c = &s->dev->cluster[ci];

	if (c->list == SWAP_LIST_FREE) {
		if (nr < s->sa->cluster_slots)
			swap_cluster_move_tail(s->dev, ci, SWAP_LIST_NONFULL, s->order);
		c->order = s->order;
	}
	memset(s->dev->map + off, SWAP_HAS_CACHE, nr);
	swap_range_alloc(s->sa, s->dev, off, nr);
	c->count += nr;
	if (c->count == s->sa->cluster_slots)
		swap_cluster_move_tail(s->dev, ci, SWAP_LIST_FULL, 0);
}

/* Looks through one cluster from OFF on; sets s->found and s->next. */
static bool alloc_swap_scan_cluster(struct search *s, uint32_t off)
{
	uint32_t ci = swap_cluster_of(s->sa, off), nr = 1u << s->order;
	struct swap_cluster *c = &s->dev->cluster[ci];
	uint32_t end = swap_cluster_end(s->sa, s->dev, swap_cluster_start(s->sa, ci));

	s->next = 0;
	if (end < nr || c->count + nr > s->sa->cluster_slots)
		return false;
	for (end -= nr; off <= end; off += nr) {
		if (!cluster_scan_range(s, off, nr))
			continue;
		cluster_alloc_range(s, ci, off, nr);
		s->found = off;
		if (c->count < s->sa->cluster_slots && off + nr <= end)
			s->next = off + nr;
		return true;
	}
	return false;
}

static bool scan_whole_cluster(struct search *s, uint32_t ci)
{
	return alloc_swap_scan_cluster(s, swap_cluster_start(s->sa, ci));
}

/* Full clusters are searched for cache-only slots from the head on and go to the tail. */
static void swap_reclaim_full_clusters(struct swap_alloc *sa, struct swap_dev *dev,
				       unsigned int cpu, bool force)
{
	int64_t to_scan = swap_clusters_to_scan(sa, dev, force);

	while (dev->full.len) {
		uint32_t ci = dev->full.head;

		swap_cluster_move_tail(dev, ci, SWAP_LIST_FULL, 0);
		swap_cluster_reclaim(sa, dev, cpu, ci);
		if (--to_scan <= 0)
			break;
	}
}

/* Steps 3 and 4. The two loops together look at each cluster once, so frag is not overscanned. */
static bool scan_same_order(struct search *s)
{
	struct swap_cluster_list *nonfull = &s->dev->nonfull[s->order];
	struct swap_cluster_list *frag = &s->dev->frag[s->order];
	uint32_t looked = 0;

	while (nonfull->len) {
		uint32_t ci = nonfull->head;

		swap_cluster_move_tail(s->dev, ci, SWAP_LIST_FRAG, s->order);
		looked++;
		if (scan_whole_cluster(s, ci))
			return true;
	}
	while (looked < frag->len) {
		uint32_t ci = frag->head;

		swap_cluster_move_tail(s->dev, ci, SWAP_LIST_FRAG, s->order);
		looked++;
		if (scan_whole_cluster(s, ci))
			return true;
	}
	return false;
}

/*
 * Step 6. A cluster on these lists has a free slot, so its scan succeeds; it stays where it is
 * on its list.
 */
static bool steal_from_higher_orders(struct search *s)
{
	for (unsigned int o = 1; o < s->sa->nr_orders; o++) {
		if (s->dev->frag[o].len && scan_whole_cluster(s, s->dev->frag[o].head))
			return true;
		if (s->dev->nonfull[o].len && scan_whole_cluster(s, s->dev->nonfull[o].head))
			return true;
	}
	return false;
}

/* Steps 2 to 6. */
static void search_lists(struct search *s)
{
	for (;;) {
		if (s->dev->free.len && scan_whole_cluster(s, s->dev->free.head))
			return;
		if (swap_alloc_full(s->sa))
			swap_reclaim_full_clusters(s->sa, s->dev, s->cpu, false);
		if (swap_order_has_partial(s->sa, s->order) && scan_same_order(s))
			return;
		if (!s->dev->discard.len)
			break;
		swap_do_scheduled_discard(s->sa, s->dev);
	}
	if (!s->order)
		steal_from_higher_orders(s);
}

static uint32_t cluster_alloc_swap_entry(struct swap_alloc *sa, struct swap_dev *dev,
					 unsigned int cpu, unsigned int order)
{
	struct search s = { .sa = sa, .dev = dev, .cpu = cpu, .order = order };
	uint32_t *remembered = &dev->percpu[cpu].next[order];

	/* Nobody asks whether that cluster still belongs to this order. */
	if (!*remembered || !alloc_swap_scan_cluster(&s, *remembered))
		search_lists(&s);
	*remembered = s.next;
	return s.found;
}

static int alloc_slots(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
		       unsigned int order, unsigned int n, uint32_t *offs)
{
	unsigned int got = 0;

	if (!dev->cluster)
		return swap_scan_map_hdd(sa, dev, cpu, n, offs);
	while (got < n) {
		offs[got] = cluster_alloc_swap_entry(sa, dev, cpu, order);
		if (!offs[got])
			break;
		got++;
	}
	return got;
}

/* Swap-ins always go slot by slot; other ranges do if they cross into another cluster. */
static bool frees_whole(const struct swap_alloc *sa, const struct swap_dev *dev,
			enum swap_free_how how, uint32_t off, uint32_t n)
{
	(void)dev;
	return how != SWAP_FREE_SWAPIN &&
	       swap_cluster_of(sa, off) == swap_cluster_of(sa, off + n - 1);
}

static void reclaim_work(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu)
{
	swap_reclaim_full_clusters(sa, dev, cpu, true);
}

/* The start of the old fallback scan is still drawn for each CPU, and never used. */
static void swapon(struct swap_alloc *sa, struct swap_dev *dev)
{
	if (!(dev->flags & SWAP_DEV_SSD))
		return;
	for (unsigned int cpu = 0; cpu < sa->nr_cpus; cpu++)
		dev->percpu[cpu].scan_next = swap_rnd(sa, 1, dev->highest_bit);
}

const struct swap_alloc_ops swap_cluster_6_12_ops = {
	.name = "cluster-6.12",
	.traits = SWAP_GEN_SLOTS_CACHE | SWAP_GEN_SCAN_BOUNDS | SWAP_GEN_RECLAIM_WORK |
		  SWAP_GEN_PART_NONFULL | SWAP_GEN_DISCARD | SWAP_GEN_RESERVE,
	.info_bytes = 24,
	.swapon = swapon,
	.alloc = alloc_slots,
	.free_whole = frees_whole,
	.free_range = swap_cluster_free_range,
	.reclaimed = swap_cluster_reclaimed,
	.reclaim_work = reclaim_work,
	.discard_work = swap_do_scheduled_discard,
};
