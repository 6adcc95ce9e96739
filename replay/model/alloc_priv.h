/* SPDX-License-Identifier: GPL-2.0 */
/* What alloc.c and the generations share; users of the models include alloc.h instead. */
#ifndef REPLAY_MODEL_ALLOC_PRIV_H
#define REPLAY_MODEL_ALLOC_PRIV_H

#include "alloc.h"

/* Traits of a generation. */
#define SWAP_GEN_SLOTS_CACHE 0x01  /* a slots cache before the allocator */
#define SWAP_GEN_SCAN_BOUNDS 0x02  /* lowest_bit, highest_bit bound the searches */
#define SWAP_GEN_HDD_CLUSTERS 0x04 /* rotational devices have clusters too (6.14) */
#define SWAP_GEN_RECLAIM_WORK 0x08 /* a device that fills up queues the reclaim worker */
#define SWAP_GEN_ASCENDING 0x10	   /* free list at swapon in plain order (6.18) */
#define SWAP_GEN_PART_NONFULL 0x20 /* part-used clusters start on nonfull[0] (6.12) */
#define SWAP_GEN_PMD_ONLY 0x40	   /* above order 0 only the PMD order (scan-6.1) */
#define SWAP_GEN_FOLIO 0x80	   /* 6.15: ops->alloc_folio, no get_swap_pages() */
#define SWAP_GEN_DISCARD 0x100	   /* discard is modelled */
#define SWAP_GEN_RESERVE 0x200	   /* nr_swap_pages falls before the search */
#define SWAP_GEN_ONE_LIST 0x400	   /* one list of devices, default priorities are equal (6.19) */
#define SWAP_GEN_TAIL 0x800	   /* what lies behind the device's end is scanned, as bad (7.1) */

struct swap_alloc_ops {
	const char *name;
	unsigned int traits;
	unsigned int info_bytes; /* sizeof(struct swap_cluster_info): free-list columns */

	/*
	 * Last step of swapon: map, clusters, counts and lists are ready; the generation sets
	 * what CPUs remember, with its random draws. May be NULL.
	 */
	void (*swapon)(struct swap_alloc *sa, struct swap_dev *dev);

	/*
	 * scan_swap_map_slots(): up to N entries of ORDER from one device (N is 1 above order
	 * 0). Marks them SWAP_HAS_CACHE and accounts them; returns how many, offsets in OFFS.
	 */
	int (*alloc)(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
		     unsigned int order, unsigned int n, uint32_t *offs);

	/* 6.15 and later: the whole of folio_alloc_swap(). 0 or -ENOSPC. */
	int (*alloc_folio)(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
			   struct swap_entry *entry);

	/* Does such a free reach the allocator as one range, past the slots cache? (n > 1) */
	bool (*free_whole)(const struct swap_alloc *sa, const struct swap_dev *dev,
			   enum swap_free_how how, uint32_t off, uint32_t n);

	/* N slots inside one cluster become free in one step: map, counts, lists, totals. */
	void (*free_range)(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n);

	/* A folio of N slots left the swap cache because the allocator asked for it. */
	void (*reclaimed)(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			  uint32_t off, uint32_t n);

	/* May be NULL. */
	void (*reclaim_work)(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu);
	void (*discard_work)(struct swap_alloc *sa, struct swap_dev *dev);

	/* Invariants of this generation on top of the common ones. May be NULL. */
	int (*check)(const struct swap_alloc *sa, const struct swap_dev *dev, char *why,
		     size_t len);
};

extern const struct swap_alloc_ops swap_scan_6_1_ops;
extern const struct swap_alloc_ops swap_mthp_empty_only_ops;
extern const struct swap_alloc_ops swap_nonfull_v1_ops;
extern const struct swap_alloc_ops swap_cluster_6_12_ops;
extern const struct swap_alloc_ops swap_cluster_6_18_ops;
extern const struct swap_alloc_ops swap_cluster_6_19_ops;
extern const struct swap_alloc_ops swap_cluster_7_1_ops;

static inline uint32_t swap_cluster_of(const struct swap_alloc *sa, uint32_t off)
{
	return off >> sa->cluster_shift;
}

static inline uint32_t swap_cluster_start(const struct swap_alloc *sa, uint32_t ci)
{
	return ci << sa->cluster_shift;
}

static inline uint32_t swap_rnd(const struct swap_alloc *sa, uint32_t low, uint32_t high)
{
	return sa->env.rnd ? sa->env.rnd(sa->env.ctx, low, high) : low;
}

/* Can DEV give entries of ORDER? */
bool swap_order_allowed(const struct swap_dev *dev, unsigned int order);

/* The list cluster CI is on according to its list and order fields; NULL for none. */
struct swap_cluster_list *swap_cluster_list(struct swap_dev *dev, uint32_t ci);

/* Takes CI off its list, if any; list becomes SWAP_LIST_NONE. */
void swap_cluster_unlink(struct swap_dev *dev, uint32_t ci);

/*
 * Puts CI at the tail of list ID, taking it off its present list first. For nonfull and frag
 * the list is the one of ORDER, which becomes the cluster's order; other lists keep the order.
 */
void swap_cluster_move_tail(struct swap_dev *dev, uint32_t ci, enum swap_cluster_list_id id,
			    unsigned int order);

/*
 * swap_range_alloc() and swap_range_free(): totals, scan bounds and the list of available
 * devices for N slots from OFF; map bytes and clusters are the caller's. Alloc lowers
 * nr_swap_pages only in generations that do not reserve (SWAP_GEN_RESERVE) before the search.
 * Free raises it in all and reports env.freed.
 */
void swap_range_alloc(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n);
void swap_range_free(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n);

/*
 * __try_to_reclaim_swap(): asks the environment for the folio at cache-only slot OFF; its slots
 * are freed (ops->reclaimed) when it gives it up. Returns as env.reclaim.
 */
int swap_try_reclaim(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu, uint32_t off);

/* free_swap_slot(): one slot (byte is SWAP_HAS_CACHE) to CPU's return cache or free at once. */
void swap_free_slot(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu, uint32_t off);

/* get_swap_pages(): up to N (1 .. SWAP_BATCH) entries, bytes left at SWAP_HAS_CACHE. */
int swap_get_pages(struct swap_alloc *sa, unsigned int cpu, unsigned int order, unsigned int n,
		   struct swap_entry *entries);

/* One order-0 slot out of CPU's slots cache, refilled if need be; false: not from there. */
bool swap_cache_alloc(struct swap_alloc *sa, unsigned int cpu, struct swap_entry *entry);

/* Swapoff begins: all caches are emptied and stay off until swap_cache_reenable(). */
void swap_cache_disable(struct swap_alloc *sa);
void swap_cache_reenable(struct swap_alloc *sa);

/* The list of available devices; requeue: behind those of equal priority. */
void swap_avail_requeue(struct swap_alloc *sa, struct swap_dev *dev);
void swap_avail_add(struct swap_alloc *sa, struct swap_dev *dev);
void swap_avail_del(struct swap_alloc *sa, struct swap_dev *dev);

/*
 * scan_swap_map_slots() for a device without clusters (rotational, before 6.14), order 0 only;
 * in alloc_scan_map.c. Contract of ops->alloc.
 */
int swap_scan_map_hdd(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu, unsigned int n,
		      uint32_t *offs);

#endif
