/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Swap readahead: how large a window is, and where it lies.
 *
 * Pure arithmetic on the caller's state: no I/O, no allocation, no locks, no failure. The functions
 * say what the kernel asks for; whether a slot or page of the window is read at all (in use,
 * cached, owned by a page table) is the caller's business.
 *
 * Units: offsets are swap slots, addresses are bytes, windows are counted in pages. Windows are
 * half-open, [start, end).
 *
 * Sources: Linux mm/swap_state.c, arithmetic unchanged from 4.14 to 6.18 except where a field says
 * so. Checked against tests/golden/readahead.
 */
#ifndef REPLAY_MODEL_READAHEAD_H
#define REPLAY_MODEL_READAHEAD_H

#include <stdbool.h>
#include <stdint.h>

/* VMA readahead stops at windows of 2^5 pages, whatever page-cluster says (64-bit kernels). */
#define RA_VMA_ORDER_CEILING 5

/* page-cluster is an int sysctl that newer kernels limit to 31; more is taken as 31 here. */
#define RA_PAGE_CLUSTER_MAX 31

/*
 * State of cluster (physical) readahead. The kernel has one for the whole machine: it knows nothing
 * of devices, processes and CPUs, which interleave in it. A policy may of course keep several.
 */
struct ra_global {
	unsigned int hits;	 /* hits counted since a call last consumed them */
	uint64_t prev_offset;	 /* offset of the last call that found no hits */
	unsigned int last_pages; /* what the last call returned, 0 before the first */
};

/* State of a kernel that has just booted. */
#define RA_GLOBAL_BOOT ((struct ra_global){ .hits = 4, .prev_offset = 0, .last_pages = 0 })

/* Where readahead reads. */
struct ra_window {
	uint64_t start;	    /* first slot, or address of the first page */
	uint64_t end;	    /* first slot or address behind the window */
	unsigned int pages; /* size as decided, before any clamp; end - start may be less */
};

/* Geometry of the recorded machine, for VMA readahead. */
struct ra_vma_geometry {
	unsigned int page_shift; /* log2 of the page size in bytes: 12, 14 or 16 */
	uint64_t pmd_size; /* bytes mapped by one page of PTEs, a power of two (2 MiB on x86-64) */
	bool clamp_zero;   /* kernel >= 6.11: a left edge below address 0 becomes 0; older: it wraps
			    */
};

/* What the packed word of a VMA holds. */
struct ra_vma_state {
	uint64_t addr;	   /* page address of the last fault or swap-cache hit in the VMA */
	unsigned int win;  /* window of the last fault, pages */
	unsigned int hits; /* hits since that fault, saturating at ra_vma_hits_max() */
};

/*
 * The sizing function: window for a miss at @offset, in pages, at least 1 if @max_pages is.
 * @prev_offset: offset of an earlier miss (page numbers instead of slots in VMA mode)
 * @hits: readahead hits since then
 * @max_pages: upper limit, >= 1
 * @prev_win: the window before; half of it is a lower limit and may exceed @max_pages
 * Neighbourhood is tested modulo 2^64: 0 and UINT64_MAX are neighbours.
 * Source: __swapin_nr_pages(), all versions; kernel takes hits, max_pages and prev_win as int.
 */
static inline unsigned int ra_swapin_nr_pages_fn(uint64_t prev_offset, uint64_t offset,
						 unsigned int hits, unsigned int max_pages,
						 unsigned int prev_win)
{
	bool apart = (offset - prev_offset != 1) & (prev_offset - offset != 1);
	uint64_t pages;

	/*
	 * Next power of two from hits + 2 on: 2 without hits, 4 for a single one. Without hits a
	 * miss that is no neighbour of the last gets one page less. No branches: hits are
	 * unpredictable.
	 */
	pages = (uint64_t)2 << (63 - __builtin_clzll((uint64_t)hits + 1));
	pages -= !hits & apart;

	/* The lower limit comes last: once page-cluster was lowered the window halves per call. */
	if (pages > max_pages)
		pages = max_pages;
	return pages > prev_win / 2 ? (unsigned int)pages : prev_win / 2;
}

/*
 * Window of cluster readahead for a miss at slot @offset, in pages, >= 1; updates @g.
 * @page_cluster: log2 of the largest window. 0 switches readahead off: returns 1 and leaves @g
 * alone, hits included. prev_offset stays as it is when there were hits.
 * Source: swapin_nr_pages(), all versions.
 */
static inline unsigned int ra_swapin_nr_pages(struct ra_global *g, unsigned int page_cluster,
					      uint64_t offset)
{
	unsigned int hits = g->hits;
	unsigned int pages;

	if (!page_cluster)
		return 1;
	if (page_cluster > RA_PAGE_CLUSTER_MAX)
		page_cluster = RA_PAGE_CLUSTER_MAX;

	pages = ra_swapin_nr_pages_fn(g->prev_offset, offset, hits, 1u << page_cluster,
				      g->last_pages);
	if (!hits)
		g->prev_offset = offset;
	g->hits = 0;
	g->last_pages = pages;
	return pages;
}

/*
 * Slots that cluster readahead asks for when the window at slot @offset is @pages large. The window
 * is aligned to its size, not centred, never holds slot 0 (the header) and ends with the device.
 * @pages: from ra_swapin_nr_pages(); for a size that is no power of two the kernel's bit masks are
 * applied as they are
 * @device_max: slots of the device, header included (si->max); 0 = unknown, no clamp at the end.
 * Kernel 4.14 never clamps there: pass 0.
 * Returns true if there is readahead: the kernel walks the window (target included), then drains
 * this CPU's LRU batches, then looks the target up once more. Returns false for a window of 1:
 * *w is then the target alone, which is read without walk or drain.
 * An @offset outside the device gives an empty window.
 * Source: swap_cluster_readahead() (4.14: swapin_readahead()).
 */
static inline bool ra_cluster_window(unsigned int pages, uint64_t offset, uint64_t device_max,
				     struct ra_window *w)
{
	uint64_t mask = pages ? pages - 1 : 0;
	uint64_t last = offset | mask;

	w->pages = pages;
	w->start = offset & ~mask;
	if (!w->start && mask)
		w->start = 1;
	if (device_max && last >= device_max && mask)
		last = device_max - 1;
	w->end = last == UINT64_MAX ? last : last + 1;
	if (w->end < w->start)
		w->end = w->start;
	return mask != 0;
}

/* Largest number of hits the packed word can hold: 63 with 4 KiB pages. */
static inline unsigned int ra_vma_hits_max(unsigned int page_shift)
{
	return (1u << (page_shift / 2)) - 1;
}

/*
 * Unpacks a VMA's word (vma->swap_readahead_info): hits in the lowest page_shift / 2 bits, window
 * in the bits from there to the page size, the page address above. A word of 0 is a VMA without
 * history and is read as 4 hits.
 */
static inline struct ra_vma_state ra_vma_unpack(uint64_t word, unsigned int page_shift)
{
	unsigned int win_shift = page_shift / 2;
	uint64_t in_page = ((uint64_t)1 << page_shift) - 1;
	uint64_t raw = word ? word : 4;

	return (struct ra_vma_state){
		.addr = raw & ~in_page,
		.win = (unsigned int)((raw & in_page) >> win_shift),
		.hits = (unsigned int)raw & ra_vma_hits_max(page_shift),
	};
}

/* Packs @s; bits that do not fit their field are lost, as in the kernel. */
static inline uint64_t ra_vma_pack(const struct ra_vma_state *s, unsigned int page_shift)
{
	uint64_t in_page = ((uint64_t)1 << page_shift) - 1;

	return (s->addr & ~in_page) | (((uint64_t)s->win << (page_shift / 2)) & in_page) |
	       (s->hits & ra_vma_hits_max(page_shift));
}

/*
 * Accounts a swap-cache hit at address @addr in the VMA's word.
 * @ra_mark: the page carried the readahead mark (which this lookup consumed): one hit more.
 * Without the mark only the stored address moves; it moves at every hit.
 * Source: lookup_swap_cache(), later swap_cache_get_folio() and swap_update_readahead().
 */
static inline void ra_vma_hit(uint64_t *word, uint64_t addr, bool ra_mark, unsigned int page_shift)
{
	struct ra_vma_state s = ra_vma_unpack(*word, page_shift);

	s.addr = addr;
	s.hits += ra_mark & (s.hits < ra_vma_hits_max(page_shift));
	*word = ra_vma_pack(&s, page_shift);
}

/*
 * Window of VMA readahead for a miss at byte address @addr in the VMA [@vm_start, @vm_end).
 * Updates the VMA's packed word *word and fills @w with page addresses, clamped to the VMA and to
 * the PMD-sized region of @addr. Returns the window before the clamp (also in w->pages), >= 1.
 * @page_cluster: as for cluster readahead, with a ceiling of RA_VMA_ORDER_CEILING. 0: returns 1 and
 * leaves the word alone.
 * A return of 1 means no readahead: no walk and no drain; *w is the target's page alone.
 * With geo->clamp_zero false the window may start below address 0: then w->start > w->end, and the
 * pages are counted modulo 2^64, (end - start) >> page_shift.
 * Source: swap_ra_info() up to 6.10, swap_vma_ra_win() from 6.11 on.
 */
unsigned int ra_vma_window(uint64_t *word, uint64_t addr, uint64_t vm_start, uint64_t vm_end,
			   unsigned int page_cluster, const struct ra_vma_geometry *geo,
			   struct ra_window *w);

#endif /* REPLAY_MODEL_READAHEAD_H */
