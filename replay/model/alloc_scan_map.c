// SPDX-License-Identifier: GPL-2.0
/*
 * scan_swap_map_slots(), the search of the generations before 6.12, and what else they share.
 *
 * A request for single slots goes through these steps; each is a function below:
 *
 *	start -> check -> take -> more -> check ...
 *		   \-> scan -> check	(no cluster, or the place is not free after all)
 *
 * "start" and "more" propose a slot: with clusters the next one of the CPU's cluster, on rotating
 * disks the next one of a long free run. "check" decides whether it can be had. "scan" looks at
 * every slot of the device and knows nothing of clusters: this is how order 0 takes from anything,
 * clusters used for large orders included.
 */
#include "alloc_scan_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LATENCY_LIMIT 256

enum scan_step {
	STEP_CHECK,
	STEP_TAKE,
	STEP_MORE,
	STEP_SCAN,
	STEP_DONE,    /* remember where to go on */
	STEP_NO_PAGE, /* leave without remembering */
};

/* The top bit of each byte of the result is set where a byte of W is zero, exactly. */
static uint64_t zero_bytes(uint64_t w)
{
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7fu;

	return ~(((w & low7) + low7) | w | low7);
}

uint32_t swap_map_find_free(const uint8_t *map, uint32_t from, uint32_t to, bool cached)
{
	const uint8_t mask = cached ? (uint8_t)~SWAP_HAS_CACHE : 0xff;
	const uint64_t mask8 = mask * 0x0101010101010101u;
	uint32_t off = from;

	/* Full devices make this the hot loop of a replay: pass over eight used slots at a time. */
	while (off < to) {
		uint64_t w;

		if (to - off >= sizeof(w)) {
			memcpy(&w, map + off, sizeof(w));
			if (!zero_bytes(w & mask8)) {
				off += sizeof(w);
				continue;
			}
		}
		if (!(map[off] & mask))
			return off;
		off++;
	}
	return to;
}

/* First slot in [from, to) that is not free; TO if there is none. */
static uint32_t find_used(const uint8_t *map, uint32_t from, uint32_t to)
{
	uint32_t off = from;

	while (off < to) {
		uint64_t w;

		if (to - off >= sizeof(w)) {
			memcpy(&w, map + off, sizeof(w));
			if (!w) {
				off += sizeof(w);
				continue;
			}
		}
		if (map[off])
			return off;
		off++;
	}
	return to;
}

bool swap_map_range_empty(const uint8_t *map, uint32_t off, uint32_t n)
{
	return find_used(map, off, off + n) == off + n;
}

uint32_t swap_map_find_run(const uint8_t *map, uint32_t from, uint32_t to, unsigned int order)
{
	const uint32_t nr = 1u << order;
	uint32_t off;

	if (order == 0)
		return swap_map_find_free(map, from, to, false);
	for (off = from; off < to && to - off >= nr; off += nr) {
		if (swap_map_range_empty(map, off, nr))
			return off;
	}
	return to;
}

static struct swap_percpu *scan_percpu(const struct swap_scan *s)
{
	return &s->dev->percpu[s->cpu];
}

/*
 * The scan looked at STEPS slots. Each counts down the latency; the one that takes it below zero
 * would have let other tasks run, and the count starts over. Returns whether that happened.
 */
static bool scan_spend(struct swap_scan *s, uint32_t steps)
{
	const uint32_t until_break = (uint32_t)s->latency + 1;

	if (steps < until_break) {
		s->latency -= (int)steps;
		return false;
	}
	s->latency = LATENCY_LIMIT - (int)((steps - until_break) % (LATENCY_LIMIT + 1));
	return true;
}

/* Is OFF in a free cluster that is not the next one to be used? */
static bool ssd_cluster_conflict(const struct swap_scan *s)
{
	const struct swap_dev *dev = s->dev;
	uint32_t ci = swap_cluster_of(s->sa, s->offset);

	return dev->cluster[ci].list == SWAP_LIST_FREE && ci != dev->free.head;
}

/*
 * A scan, or a remembered place, may lead into a free cluster in the middle of the free list.
 * Only its head may be used: forget the place and ask for a cluster until there is no conflict.
 * Returns false if no cluster is left.
 */
static bool resolve_conflicts(struct swap_scan *s)
{
	while (ssd_cluster_conflict(s)) {
		s->ssd->drop_cluster(s);
		if (!s->ssd->try_cluster(s))
			return false;
	}
	return true;
}

/*
 * A rotating disk at the end of its run: the first run of a cluster's length anywhere, aligned or
 * not, lowest first, so that what is swapped out lies close together.
 */
static enum scan_step scan_new_run(struct swap_scan *s)
{
	struct swap_dev *dev = s->dev;
	const uint32_t len = s->sa->cluster_slots;
	uint32_t from, start, end;

	dev->cluster_nr = len - 1;
	if (dev->pages - dev->inuse < len)
		return STEP_CHECK;

	from = dev->lowest_bit;
	s->base = from;
	start = from;
	while (start + len - 1 <= dev->highest_bit) {
		end = find_used(dev->map, start, start + len);
		if (end == start + len) {
			scan_spend(s, end - 1 - from);
			s->offset = start;
			return STEP_CHECK;
		}
		start = end + 1;
	}
	/* Nowhere: take what there is, from the lowest slot on. */
	scan_spend(s, start - from);
	s->offset = from;
	return STEP_CHECK;
}

static enum scan_step scan_start(struct swap_scan *s)
{
	s->base = s->ssd ? scan_percpu(s)->scan_next : s->dev->cluster_next;
	s->offset = s->base;

	if (s->ssd)
		return s->ssd->try_cluster(s) ? STEP_CHECK : STEP_SCAN;
	if (s->dev->cluster_nr == 0)
		return scan_new_run(s);
	s->dev->cluster_nr--;
	return STEP_CHECK;
}

static enum scan_step scan_check(struct swap_scan *s)
{
	struct swap_dev *dev = s->dev;

	if (s->ssd && ssd_cluster_conflict(s)) {
		/* Enough for now if there is something to return; the CPU starts anew next time. */
		if (s->n_ret) {
			s->ssd->drop_cluster(s);
			return STEP_DONE;
		}
		if (!resolve_conflicts(s))
			return STEP_SCAN;
	}
	if (!dev->writeok || !dev->highest_bit)
		return STEP_NO_PAGE;
	if (s->offset > dev->highest_bit) {
		s->base = dev->lowest_bit;
		s->offset = dev->lowest_bit;
	}
	if (dev->map[s->offset] == SWAP_HAS_CACHE && swap_alloc_full(s->sa)) {
		if (swap_try_reclaim(s->sa, dev, s->cpu, s->offset) > 0)
			return STEP_CHECK;
		return STEP_SCAN;
	}
	if (dev->map[s->offset] != SWAP_MAP_FREE)
		return s->n_ret ? STEP_DONE : STEP_SCAN;
	return STEP_TAKE;
}

void swap_scan_take(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, unsigned int order,
		    bool order_on_take)
{
	const uint32_t n = 1u << order;

	memset(dev->map + off, SWAP_HAS_CACHE, n);
	if (dev->cluster) {
		uint32_t ci = swap_cluster_of(sa, off);

		if (dev->cluster[ci].list == SWAP_LIST_FREE) {
			swap_cluster_unlink(dev, ci);
			if (order_on_take)
				dev->cluster[ci].order = (uint8_t)order;
		}
		dev->cluster[ci].count = (uint16_t)(dev->cluster[ci].count + n);
	}
	swap_range_alloc(sa, dev, off, n);
}

static enum scan_step scan_take(struct swap_scan *s)
{
	swap_scan_take(s->sa, s->dev, s->offset, 0, s->ssd && s->ssd->order_on_take);
	s->offs[s->n_ret++] = s->offset;
	/* The upper bound has already been lowered if this slot was it. */
	if (s->n_ret == s->want || s->offset >= s->dev->highest_bit)
		return STEP_DONE;
	return STEP_MORE;
}

/* One more slot is wanted: from the cluster or run, else a short walk ahead. */
static enum scan_step scan_more(struct swap_scan *s)
{
	struct swap_dev *dev = s->dev;
	uint32_t limit;

	if (--s->latency < 0)
		return STEP_DONE;

	if (s->ssd) {
		if (s->ssd->try_cluster(s))
			return STEP_CHECK;
	} else if (dev->cluster_nr) {
		/* The place moves on even if it is taken, and is where the next request starts. */
		s->offset++;
		if (dev->map[s->offset] == SWAP_MAP_FREE) {
			dev->cluster_nr--;
			return STEP_CHECK;
		}
	}
	if (s->scanned_many)
		return STEP_DONE;

	limit = s->offset < s->base ? s->base : dev->highest_bit;
	for (; s->offset <= limit && --s->latency > 0; s->offset++) {
		if (dev->map[s->offset] == SWAP_MAP_FREE)
			return STEP_CHECK;
	}
	return STEP_DONE;
}

/* Looks at [from, to); true with the offset set if there is a slot to check. */
static bool scan_part(struct swap_scan *s, uint32_t from, uint32_t to)
{
	bool full = swap_alloc_full(s->sa);
	uint32_t off;

	if (from >= to)
		return false;
	off = swap_map_find_free(s->dev->map, from, to, full);
	if (scan_spend(s, off < to ? off - from + 1 : to - from))
		s->scanned_many = true;
	s->offset = off;
	return off < to;
}

/* Every slot of the device, upwards from the present one and then from the lowest to the base. */
static enum scan_step scan_all(struct swap_scan *s)
{
	if (scan_part(s, s->offset + 1, s->dev->highest_bit + 1) ||
	    scan_part(s, s->dev->lowest_bit, s->base))
		return STEP_CHECK;
	return STEP_NO_PAGE;
}

/*
 * set_cluster_next(): the place after the last slot given out is where this CPU's next scan
 * starts. If that is in another 64 MB trunk (one swap-cache tree), a random trunk is taken
 * instead, so that CPUs spread over the trees.
 */
static void set_cluster_next(struct swap_scan *s, uint32_t next)
{
	struct swap_dev *dev = s->dev;
	struct swap_percpu *pcp;

	if (!s->ssd) {
		dev->cluster_next = next;
		return;
	}
	pcp = scan_percpu(s);
	if (pcp->scan_next / SWAP_ADDRESS_SPACE_PAGES != next / SWAP_ADDRESS_SPACE_PAGES) {
		if (dev->lowest_bit >= dev->highest_bit)
			return;
		next = s->ssd->random_slot(s->sa, dev->lowest_bit, dev->highest_bit);
		next -= next % SWAP_ADDRESS_SPACE_PAGES;
		if (next < dev->lowest_bit)
			next = dev->lowest_bit;
	}
	pcp->scan_next = next;
}

static int scan_run(struct swap_scan *s)
{
	enum scan_step step = scan_start(s);

	for (;;) {
		switch (step) {
		case STEP_CHECK:
			step = scan_check(s);
			break;
		case STEP_TAKE:
			step = scan_take(s);
			break;
		case STEP_MORE:
			step = scan_more(s);
			break;
		case STEP_SCAN:
			step = scan_all(s);
			break;
		case STEP_DONE:
			set_cluster_next(s, s->offset + 1);
			return (int)s->n_ret;
		case STEP_NO_PAGE:
			return (int)s->n_ret;
		}
	}
}

int swap_scan_map_slots(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			const struct swap_scan_ssd *ssd, unsigned int n, uint32_t *offs)
{
	struct swap_scan s = {
		.sa = sa,
		.dev = dev,
		.ssd = dev->cluster ? ssd : NULL,
		.cpu = cpu,
		.offs = offs,
		.want = n,
		.latency = LATENCY_LIMIT,
	};

	return scan_run(&s);
}

int swap_scan_map_hdd(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu, unsigned int n,
		      uint32_t *offs)
{
	return swap_scan_map_slots(sa, dev, cpu, NULL, n, offs);
}

bool swap_scan_try_next(struct swap_scan *s, uint32_t (*pick_cluster)(struct swap_scan *s))
{
	struct swap_dev *dev = s->dev;
	uint32_t *next = &scan_percpu(s)->next[s->order];
	const uint32_t nr = 1u << s->order;

	for (;;) {
		uint32_t from = *next, end, off;

		if (!from) {
			uint32_t ci = pick_cluster(s);

			if (ci == SWAP_CLUSTER_NONE)
				return false;
			from = swap_cluster_start(s->sa, ci);
		}
		end = swap_cluster_start(s->sa, swap_cluster_of(s->sa, from)) +
		      s->sa->cluster_slots;
		if (end > dev->max)
			end = dev->max;
		off = swap_map_find_run(dev->map, from, end, s->order);
		if (off < end) {
			*next = off + nr < end ? off + nr : 0;
			s->base = off;
			s->offset = off;
			return true;
		}
		*next = 0;
	}
}

void swap_scan_drop_next(struct swap_scan *s)
{
	scan_percpu(s)->next[s->order] = 0;
}

/* One large entry: the CPU's cluster or a new one, no scan, nothing remembered for scans. */
static int alloc_large(struct swap_scan *s)
{
	if (!s->ssd->try_cluster(s) || !resolve_conflicts(s))
		return 0;
	swap_scan_take(s->sa, s->dev, s->offset, s->order, s->ssd->order_on_take);
	s->offs[0] = s->offset;
	return 1;
}

int swap_scan_alloc_order(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			  const struct swap_scan_ssd *ssd, unsigned int order, unsigned int n,
			  uint32_t *offs)
{
	struct swap_scan s = {
		.sa = sa,
		.dev = dev,
		.ssd = ssd,
		.cpu = cpu,
		.order = order,
		.offs = offs,
		.want = 1,
	};

	return order ? alloc_large(&s) : swap_scan_map_slots(sa, dev, cpu, ssd, n, offs);
}

/* The cluster is empty: back to the free list, by way of a discard where the device has it. */
static void free_cluster(struct swap_alloc *sa, struct swap_dev *dev, uint32_t ci)
{
	const uint32_t start = swap_cluster_start(sa, ci);

	if ((dev->flags & SWAP_DEV_DISCARD) && dev->writeok) {
		memset(dev->map + start, SWAP_MAP_BAD, sa->cluster_slots);
		swap_cluster_move_tail(dev, ci, SWAP_LIST_DISCARD, 0);
		return;
	}
	swap_cluster_move_tail(dev, ci, SWAP_LIST_FREE, 0);
}

void swap_scan_free_range(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n)
{
	memset(dev->map + off, SWAP_MAP_FREE, n);
	if (dev->cluster) {
		uint32_t ci = swap_cluster_of(sa, off);

		dev->cluster[ci].count = (uint16_t)(dev->cluster[ci].count - n);
		if (dev->cluster[ci].count == 0)
			free_cluster(sa, dev, ci);
	}
	swap_range_free(sa, dev, off, n);
}

bool swap_scan_free_whole(const struct swap_alloc *sa, const struct swap_dev *dev,
			  enum swap_free_how how, uint32_t off, uint32_t n)
{
	return how == SWAP_FREE_CACHE && dev->cluster && n == sa->cluster_slots && off % n == 0;
}

void swap_scan_reclaimed(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			 uint32_t off, uint32_t n)
{
	uint32_t i;

	if (sa->ops->free_whole(sa, dev, SWAP_FREE_CACHE, off, n)) {
		sa->ops->free_range(sa, dev, off, n);
		return;
	}
	for (i = 0; i < n; i++)
		swap_free_slot(sa, dev, cpu, off + i);
}

void swap_scan_discard_work(struct swap_alloc *sa, struct swap_dev *dev)
{
	while (dev->discard.head != SWAP_CLUSTER_NONE) {
		uint32_t ci = dev->discard.head;

		memset(dev->map + swap_cluster_start(sa, ci), SWAP_MAP_FREE, sa->cluster_slots);
		swap_cluster_move_tail(dev, ci, SWAP_LIST_FREE, 0);
	}
}

void swap_scan_swapon(struct swap_alloc *sa, struct swap_dev *dev,
		      uint32_t (*random_slot)(const struct swap_alloc *sa, uint32_t low,
					      uint32_t high))
{
	unsigned int cpu, order;

	for (cpu = 0; cpu < sa->nr_cpus; cpu++) {
		struct swap_percpu *pcp = &dev->percpu[cpu];

		pcp->index = SWAP_CLUSTER_NONE;
		for (order = 0; order < SWAP_MAX_ORDERS; order++)
			pcp->next[order] = 0;
		pcp->scan_next = 0;
		if (dev->cluster)
			pcp->scan_next = random_slot(sa, 1, dev->highest_bit);
	}
}

/* The bounds of a full device say that there is nothing to scan, those of any other do not. */
static int check_full_bounds(const struct swap_dev *dev, char *why, size_t len)
{
	bool full = dev->inuse == dev->pages;

	if (full == (dev->highest_bit == 0) && (!full || dev->lowest_bit == dev->max))
		return 0;
	snprintf(why, len, "device %d: %u of %u slots in use, scan bounds %u..%u", dev->type,
		 dev->inuse, dev->pages, dev->lowest_bit, dev->highest_bit);
	return -EUCLEAN;
}

/* An empty cluster can be found again: it is free or waits for its discard. And no other is. */
static int check_empty_clusters(const struct swap_dev *dev, char *why, size_t len)
{
	uint32_t ci;

	for (ci = 0; ci < dev->nr_clusters; ci++) {
		const struct swap_cluster *c = &dev->cluster[ci];
		bool listed = c->list == SWAP_LIST_FREE || c->list == SWAP_LIST_DISCARD;

		if (listed == (c->count == 0))
			continue;
		snprintf(why, len, "device %d: cluster %u with %u used slots is on list %u",
			 dev->type, ci, c->count, c->list);
		return -EUCLEAN;
	}
	return 0;
}

int swap_scan_check(const struct swap_alloc *sa, const struct swap_dev *dev, char *why, size_t len)
{
	int ret = check_full_bounds(dev, why, len);

	(void)sa;
	if (!ret && dev->cluster)
		ret = check_empty_clusters(dev, why, len);
	return ret;
}
