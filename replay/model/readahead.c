// SPDX-License-Identifier: GPL-2.0
#include "readahead.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Left edge before the clamps: a scan that moves up is read ahead of itself, one that moves down
 * behind itself, and anything else around the fault, one page less on the left.
 */
static uint64_t left_edge(uint64_t addr, uint64_t prev_addr, uint64_t win, unsigned int page_shift)
{
	uint64_t page_size = (uint64_t)1 << page_shift;

	if (addr == prev_addr + page_size)
		return addr;
	if (prev_addr == addr + page_size)
		return addr - ((win - 1) << page_shift);
	return addr - (((win - 1) / 2) << page_shift);
}

unsigned int ra_vma_window(uint64_t *word, uint64_t addr, uint64_t vm_start, uint64_t vm_end,
			   unsigned int page_cluster, const struct ra_vma_geometry *geo,
			   struct ra_window *w)
{
	unsigned int shift = geo->page_shift;
	unsigned int order =
		page_cluster < RA_VMA_ORDER_CEILING ? page_cluster : RA_VMA_ORDER_CEILING;
	struct ra_vma_state s;
	uint64_t left, right, region, prev;

	addr = addr >> shift << shift;
	*w = (struct ra_window){ .start = addr, .end = addr + ((uint64_t)1 << shift), .pages = 1 };
	if (!order)
		return 1;

	s = ra_vma_unpack(*word, shift);
	prev = s.addr;
	s.win = ra_swapin_nr_pages_fn(prev >> shift, addr >> shift, s.hits, 1u << order, s.win);
	s.addr = addr;
	s.hits = 0;
	*word = ra_vma_pack(&s, shift);
	if (s.win == 1)
		return 1;

	left = left_edge(addr, prev, s.win, shift);
	right = left + ((uint64_t)s.win << shift);
	if (geo->clamp_zero && (int64_t)left < 0)
		left = 0;
	region = addr & ~(geo->pmd_size - 1);
	w->start = max_u64(left, max_u64(vm_start, region));
	w->end = min_u64(right, min_u64(vm_end, region + geo->pmd_size));
	w->pages = s.win;
	return s.win;
}
