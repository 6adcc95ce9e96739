/* SPDX-License-Identifier: GPL-2.0 */
/* What cluster-6.12 and cluster-6.18 have in common: everything but the search and its lists. */
#ifndef REPLAY_MODEL_ALLOC_CLUSTER_H
#define REPLAY_MODEL_ALLOC_CLUSTER_H

#include "alloc_priv.h"

/* First slot past the cluster that begins at START: its boundary or the end of the device. */
uint32_t swap_cluster_end(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t start);

/*
 * Could NR slots from OFF be taken: all free, but for cache-only ones while swap is full? Those
 * set *NEED_RECLAIM.
 */
bool swap_cluster_scan_range(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t off,
			     uint32_t nr, bool *need_reclaim);

/*
 * Takes back the cache-only slots of the range, one folio after the other; the first refusal ends
 * it. Returns whether all of the range is free now.
 */
bool swap_cluster_reclaim_range(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
				uint32_t off, uint32_t nr);

/* Asks for every cache-only slot of cluster CI. */
void swap_cluster_reclaim(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			  uint32_t ci);

/* How many full clusters one reclaim looks at: one, or (FORCE) as many as would hold what is used.
 */
int64_t swap_clusters_to_scan(const struct swap_alloc *sa, const struct swap_dev *dev, bool force);

/* An empty cluster goes to the tail of the free list and serves any order again. */
void swap_cluster_free(struct swap_dev *dev, uint32_t ci);

/* Is a cluster of ORDER ever partly used? One of the largest order is full with its only entry. */
bool swap_order_has_partial(const struct swap_alloc *sa, unsigned int order);

/* ops->free_range: to nonfull[its order], or free (after a discard, where the device wants it). */
void swap_cluster_free_range(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n);

/* ops->reclaimed: in one step, past the slots cache. */
void swap_cluster_reclaimed(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			    uint32_t off, uint32_t n);

/* ops->discard_work */
void swap_do_scheduled_discard(struct swap_alloc *sa, struct swap_dev *dev);

#endif
