/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the generations before 6.12 share: the search of scan_swap_map_slots(), which looks for
 * single slots over the whole map when no cluster is left, and the bookkeeping of a cluster that
 * loses or gets back slots. How a CPU finds its current cluster differs and stays with each
 * generation (struct swap_scan_ssd).
 */
#ifndef REPLAY_MODEL_ALLOC_SCAN_MAP_H
#define REPLAY_MODEL_ALLOC_SCAN_MAP_H

#include "alloc_priv.h"

struct swap_scan_ssd;

/* One request while it runs. */
struct swap_scan {
	struct swap_alloc *sa;
	struct swap_dev *dev;
	const struct swap_scan_ssd *ssd; /* NULL: a device without clusters */
	unsigned int cpu;
	unsigned int order;
	uint32_t *offs;	    /* results */
	unsigned int want;  /* entries asked for */
	unsigned int n_ret; /* entries found so far */
	uint32_t base;	    /* scan_base: where a wrapped scan ends */
	uint32_t offset;    /* slot under consideration */
	int latency;	    /* slots until the scan would let others run */
	bool scanned_many;  /* it did: no more walking on for further slots */
};

/* The part of the search that a generation with clusters brings along. */
struct swap_scan_ssd {
	/*
	 * scan_swap_map_try_ssd_cluster(): a free place for 2^order slots in the cluster the CPU
	 * remembers, or else in a new one. True: base and offset are that place. False: no
	 * cluster to be had.
	 */
	bool (*try_cluster)(struct swap_scan *s);
	/* The CPU forgets the cluster it remembers for this order. */
	void (*drop_cluster)(struct swap_scan *s);
	/*
	 * A cluster takes the order of the request that takes it off the free list. nonfull-v1
	 * says no: there try_cluster alone gives orders, and a cluster that the scan takes
	 * keeps a stale one.
	 */
	bool order_on_take;
	/* A random slot in [low, high], drawn the way the generation draws. */
	uint32_t (*random_slot)(const struct swap_alloc *sa, uint32_t low, uint32_t high);
};

/*
 * First slot in [from, to) that is free, or, with CACHED, held by nothing but the swap cache;
 * TO if there is none.
 */
uint32_t swap_map_find_free(const uint8_t *map, uint32_t from, uint32_t to, bool cached);

/* Are all N slots from OFF free? The range must lie inside the map. */
bool swap_map_range_empty(const uint8_t *map, uint32_t off, uint32_t n);

/* First slot of the first free, naturally aligned 2^order run in [from, to); TO if none. */
uint32_t swap_map_find_run(const uint8_t *map, uint32_t from, uint32_t to, unsigned int order);

/*
 * scan_swap_map_slots() for order 0. Contract of ops->alloc; SSD is not used on a device without
 * clusters and may be NULL there.
 */
int swap_scan_map_slots(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			const struct swap_scan_ssd *ssd, unsigned int n, uint32_t *offs);

/*
 * For generations with a place per CPU and order (6.10, v1): try_cluster, with PICK_CLUSTER as
 * the source of a new cluster (its index, or SWAP_CLUSTER_NONE); drop_cluster; and ops->alloc.
 * A request above order 0 gets one entry from the CPU's cluster or a new one, never from
 * anywhere else.
 */
bool swap_scan_try_next(struct swap_scan *s, uint32_t (*pick_cluster)(struct swap_scan *s));
void swap_scan_drop_next(struct swap_scan *s);
int swap_scan_alloc_order(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			  const struct swap_scan_ssd *ssd, unsigned int order, unsigned int n,
			  uint32_t *offs);

/*
 * Marks 2^order slots from OFF as taken and accounts them. A cluster on the free list leaves it
 * and gets the order, if ORDER_ON_TAKE.
 */
void swap_scan_take(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, unsigned int order,
		    bool order_on_take);

/*
 * ops->free_range: N slots of one cluster become free. A cluster that is empty then goes to the
 * tail of the free list, or waits for its discard; any other stays where it is.
 */
void swap_scan_free_range(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n);

/*
 * ops->free_whole: only a PMD-sized folio that leaves the swap cache gives its cluster back in
 * one step. Everything else goes slot by slot.
 */
bool swap_scan_free_whole(const struct swap_alloc *sa, const struct swap_dev *dev,
			  enum swap_free_how how, uint32_t off, uint32_t n);

/* ops->reclaimed: a folio that left the swap cache hands its slots back. */
void swap_scan_reclaimed(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			 uint32_t off, uint32_t n);

/*
 * ops->discard_work, and what a search does that finds no free cluster: clusters that wait for
 * their discard become free, oldest first.
 */
void swap_scan_discard_work(struct swap_alloc *sa, struct swap_dev *dev);

/*
 * ops->swapon: no CPU has a cluster, each starts its scans at a random slot. RANDOM_SLOT as in
 * struct swap_scan_ssd.
 */
void swap_scan_swapon(struct swap_alloc *sa, struct swap_dev *dev,
		      uint32_t (*random_slot)(const struct swap_alloc *sa, uint32_t low,
					      uint32_t high));

/* ops->check: what holds for every generation of this family. */
int swap_scan_check(const struct swap_alloc *sa, const struct swap_dev *dev, char *why, size_t len);

#endif
