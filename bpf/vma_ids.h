/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_VMA_IDS_H
#define SWAPTRACE_BPF_VMA_IDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Small numbers for VMAs. A VMA is known by its address in the kernel, which is used again after
 * the VMA is gone; so a number holds only as long as address space and start are the same, the
 * address space has not ended, and the readahead word has not gone back to 0.
 */
struct vma_table;

/** vma_table_new - NULL when memory is out; freed with vma_table_free() */
struct vma_table *vma_table_new(void);
void vma_table_free(struct vma_table *t);

/**
 * vma_table_id - number of a VMA, counted from 1; a new one where it is not the VMA known before
 * @vma, @mm: kernel addresses; never leave the recorder
 * @start: first address of the VMA
 * @word: its swap_readahead_info, which is never 0 again once it was set
 * Returns 0 when memory is out.
 */
uint64_t vma_table_id(struct vma_table *t, uint64_t vma, uint64_t mm, uint64_t start,
		      uint64_t word);

/** vma_table_word - note what the word is now */
void vma_table_word(struct vma_table *t, uint64_t vma, uint64_t word);

/** vma_table_mm_gone - an address space has ended: its VMAs are new ones when they come again */
void vma_table_mm_gone(struct vma_table *t, uint64_t mm);

#endif
