/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches of the lab kernel, built into it as mm/swaptrace.h (see lab/README.md). One file of
 * /sys/module/swaptrace/parameters each, and swaptrace.NAME=WORD on the command line.
 */
#ifndef MM_SWAPTRACE_H
#define MM_SWAPTRACE_H

#include <linux/swap.h>

#include "internal.h"

/* The first word of each list is what the kernel does by itself. */
enum swaptrace_swapoff { SWAPTRACE_LOOKUP_FIRST, SWAPTRACE_VANILLA, SWAPTRACE_LOOKUP_ONLY };
enum swaptrace_drain { SWAPTRACE_ONCE, SWAPTRACE_ALWAYS };
enum swaptrace_lruadd {
	SWAPTRACE_NO_BARRIER,
	SWAPTRACE_OUTLINE_MB,
	SWAPTRACE_INLINE_MB,
	SWAPTRACE_INLINE_RELAXED,
};
enum swaptrace_allocator { SWAPTRACE_CLUSTER, SWAPTRACE_NONFULL_V1, SWAPTRACE_EMPTY_ONLY };

extern int swaptrace_swapoff, swaptrace_drain, swaptrace_lruadd, swaptrace_allocator;

struct folio *swaptrace_swapoff_lookup(swp_entry_t entry, struct vm_area_struct *vma,
				       unsigned long addr);
struct folio *swaptrace_no_lookup(swp_entry_t entry, struct vm_area_struct *vma,
				  unsigned long addr);
struct folio *swaptrace_plain_lookup(swp_entry_t entry, struct vm_area_struct *vma,
				     unsigned long addr);
bool swaptrace_evictable_call(struct folio *folio);

/* T3: does a batch drain at this release although it has drained before? */
static inline bool swaptrace_drain_again(void)
{
	return READ_ONCE(swaptrace_drain) == SWAPTRACE_ALWAYS;
}

/* T4: the test of the add function, and what orders it after the stores before it. */
static __always_inline bool swaptrace_evictable(struct folio *folio)
{
	switch (READ_ONCE(swaptrace_lruadd)) {
	case SWAPTRACE_OUTLINE_MB:
		smp_mb();
		return swaptrace_evictable_call(folio);
	case SWAPTRACE_INLINE_MB:
		smp_mb();
		break;
	case SWAPTRACE_INLINE_RELAXED:
		smp_mb__after_atomic();
		break;
	}
	return folio_evictable(folio);
}

/* T2: a search of the time before 6.12? */
static inline bool swaptrace_old_search(void)
{
	return READ_ONCE(swaptrace_allocator) != SWAPTRACE_CLUSTER;
}

/* Those take no slot inside a cluster back from the swap cache. */
static inline bool swaptrace_may_reclaim(void)
{
	return !swaptrace_old_search() && vm_swap_full();
}

/* Up to so many slots are freed one by one, by way of the slots cache, even if all can go at once.
 */
static inline int swaptrace_singly(int old)
{
	return swaptrace_old_search() ? old : 1;
}

/* Off every list until a slot of it is freed. */
static inline void swaptrace_unlist(struct swap_cluster_info *ci)
{
	list_del_init(&ci->list);
	ci->flags = 0;
}

/* A cluster that has unusable slots at swapon: nonfull-v1 does not look there. */
static inline void swaptrace_partly_bad(struct swap_cluster_info *ci)
{
	if (READ_ONCE(swaptrace_allocator) == SWAPTRACE_NONFULL_V1)
		swaptrace_unlist(ci);
}

int swaptrace_alloc_swap(struct swap_info_struct *si, unsigned char usage, int nr,
			 swp_entry_t slots[], int order);

#endif
