/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_KERNELS_H
#define SWAPTRACE_REPLAY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/release.h"
#include "replay/model/pagevec.h"
#include "traces/trace.h"

/*
 * What each kernel release does, as far as there are models of it: one table, in kernels.c. Nothing
 * else looks at a release or at the name of a model to find out how a kernel behaves.
 */

/* What swapoff does for each page table entry it visits. */
enum swapoff_policy {
	SWAPOFF_VANILLA,      /* readahead always, the cache is not asked first */
	SWAPOFF_LOOKUP_FIRST, /* accounted lookup, readahead on a miss */
	SWAPOFF_LOOKUP_ONLY,  /* lookup without accounting, readahead on a miss */
	SWAPOFF_FIXED,	      /* lookup, windows of a fixed size on a miss: no kernel, a policy */
};

/* How the function that adds a page to an LRU list asks whether the page is evictable (T4). */
enum lruadd {
	LRUADD_RECORDED,       /* no kernel: a policy that leaves it as it was */
	LRUADD_OUTLINE_MB,     /* full barrier, out-of-line call */
	LRUADD_INLINE_MB,      /* full barrier, inline test: the thread's patch 1/2 alone */
	LRUADD_INLINE_RELAXED, /* barrier only where the atomic is none, inline */
	LRUADD_NO_BARRIER,     /* ordered by the LRU lock */
};

/* Parts of a kernel, each with models of its own; to be combined. */
enum kernel_part {
	KERNEL_READAHEAD = 1, /* windows, swapoff, bypass */
	KERNEL_ALLOCATOR = 2, /* swap slots */
	KERNEL_BATCHES = 4,   /* per-CPU batches of the LRU */
};

struct kernel_readahead {
	enum swapoff_policy swapoff;
	bool vma_left_clamp;  /* a VMA window's left edge stops at address 0 */
	bool shmem_bypass;    /* shmem goes around the swap cache on synchronous devices */
	bool sync_cached;     /* or nobody does: one folio comes through it, without readahead */
	bool no_window_drain; /* the LRU batches are left alone after a window */
};

struct kernel {
	struct kernel_release since; /* holds from here to the next row's */
	const char *name;	     /* "v6.12": the model it goes by, model= in a policy */
	unsigned int exact; /* enum kernel_part: what is this kernel's and not only the nearest */
	struct kernel_readahead readahead;
	const char *allocator;	   /* name of a model, see swap_alloc_generation() */
	const char *batch_release; /* the function that releases callers' batches */
	enum lruadd lruadd;
	struct pv_rules batches;
};

/** kernel_find - the row that holds for release @r; never NULL */
const struct kernel *kernel_find(const struct kernel_release *r);

/** kernel_by_name - the row of the release that model @name ("v6.12") is named after; NULL: none */
const struct kernel *kernel_by_name(const char *name);

/** kernel_at - row @i of the table, in order of age; NULL behind the last */
const struct kernel *kernel_at(unsigned int i);

/** kernel_names - the models' names in order of age, "v5.6, v6.1, ...", in @out of @size bytes */
void kernel_names(char *out, size_t size);

/**
 * kernel_of_release - what is known of a kernel by its release
 * @release: as uname -r prints it. NULL, not told: v6.12, and its allocator is not taken to be
 *	     exact. Unreadable: v6.12, exact in nothing.
 */
void kernel_of_release(struct kernel *k, const char *release);

/**
 * kernel_recorded - what is known of the kernel that recorded a trace
 * That of its release, changed by the header's keys of a patched kernel: swapoff, allocator,
 * pagevec_size, pagevec_drain. Returns 0, or -EINVAL where swapoff is none.
 */
int kernel_recorded(struct kernel *k, const struct trace_header *h, struct error *e);

/** kernel_same - whether two kernels do the same in all parts, as far as the models tell */
bool kernel_same(const struct kernel *a, const struct kernel *b);

/** kernel_part_names - "readahead, slot allocator" for the @parts, in @out of @size bytes */
void kernel_part_names(unsigned int parts, char *out, size_t size);

/** swapoff_policy_name - "vanilla", "lookup-first", "lookup-only", "fixed" */
const char *swapoff_policy_name(enum swapoff_policy s);

/** swapoff_policy_by_name - a policy of some kernel: any but fixed; false where @name is none */
bool swapoff_policy_by_name(const char *name, enum swapoff_policy *s);

/** lruadd_name - "outline-mb", "inline-mb", "inline-relaxed", "no-barrier"; "recorded" */
const char *lruadd_name(enum lruadd l);

#endif
