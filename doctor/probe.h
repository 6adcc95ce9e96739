/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_DOCTOR_PROBE_H
#define SWAPTRACE_DOCTOR_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/error.h"
#include "replay/policy.h"

/*
 * `doctor --probe-swapoff`: a small swap device of its own, pages filled in order by a child in a
 * memory cgroup of its own, pushed out, and a swapoff of that device between two readings of
 * swap_ra and swap_ra_hit. The page tables are read before, so that the models walk the same pages
 * and slots.
 */

/* What swapoff will walk. */
struct swapoff_walk {
	unsigned int n;	       /* pages in order of their addresses */
	const uint64_t *slots; /* of each page; 0: it is not on the device */
	const uint8_t
		*cached;  /* of each page: whether it is in the swap cache already; may be NULL */
	uint64_t address; /* of the first page, bytes; the mapping holds these pages only */
	uint64_t device_slots; /* header included */
	unsigned int page_shift;
	unsigned int page_cluster;
	bool vma; /* VMA readahead; else cluster readahead in the state after a boot */
};

struct swapoff_counts {
	uint64_t calls;	  /* of the readahead function */
	uint64_t swap_ra; /* pages read ahead, in vmstat's words */
	uint64_t swap_ra_hit;
	uint64_t pages_read;
	uint64_t windows[64]; /* calls by the binary logarithm of their window */
};

/**
 * swapoff_predict - walk the pages as swapoff of one generation does
 * Slots are referred to by one page table each. Returns 0, -EINVAL for a slot outside the device or
 * used twice, -ENOMEM.
 * What it does is in docs/kernel-facts.md#swapoff; readahead by the models of
 * replay/model/readahead.h.
 */
int swapoff_predict(const struct swapoff_walk *w, enum swapoff_policy policy,
		    struct swapoff_counts *c);

/* One generation's prediction; what it is called in a report. */
#define SWAPOFF_GENERATIONS 3
struct swapoff_generation {
	enum swapoff_policy policy;
	const char *name, *kernels;
};
extern const struct swapoff_generation swapoff_generations[SWAPOFF_GENERATIONS];

/**
 * swapoff_recognise - which prediction the measured counters fit
 * @pages: that were walked
 * Counters of the whole machine hold a few pages of others: a prediction fits within 2 % of the
 * pages plus 16, in both counters. Returns its index; -1 when none fits or when several do.
 */
int swapoff_recognise(const struct swapoff_counts *predicted, uint64_t swap_ra,
		      uint64_t swap_ra_hit, uint64_t pages);

/* How memory was emptied. */
enum probe_reclaim { PROBE_MEMORY_RECLAIM, PROBE_MEMORY_HIGH, PROBE_FORCE_EMPTY, PROBE_PAGEOUT };

/** probe_reclaim_name - "memory.reclaim", ... */
const char *probe_reclaim_name(enum probe_reclaim r);

struct probe_options {
	const char *device; /* NULL: a loop device over a file in memory */
	uint64_t size_mb;   /* of that file */
};

struct probe_result {
	char device[128];
	enum probe_reclaim reclaim;
	unsigned int pages;   /* filled */
	unsigned int swapped; /* on the device when swapoff began */
	unsigned int cached;  /* of them still in the swap cache */
	unsigned int page_cluster;
	bool vma;
	uint64_t swap_ra, swap_ra_hit; /* what swapoff added */
	double seconds;		       /* of swapoff */
	struct swapoff_counts predicted[SWAPOFF_GENERATIONS];
	int recognised; /* index, -1 */
};

/**
 * probe_swapoff - run it
 * Needs root. Everything it made is gone when it returns, also after a signal and after an error;
 * what could not be undone is named in @e. Returns 0; -EPERM without the privilege, -EBUSY for a
 * device in use, -EINTR after a signal, other errors of the system calls, with a text.
 */
int probe_swapoff(struct probe_result *r, const struct probe_options *o, struct error *e);

/** probe_print - the text; probe_json - the document, 0 or a negative errno */
void probe_print(FILE *out, const struct probe_result *r);
int probe_json(FILE *out, const struct probe_result *r);

/* ---- the swap device of a probe (doctor_device.c) ---- */

struct probe_device {
	char path[128];
	uint64_t slots; /* header included */
	int loop;	/* open loop device, -1: none. It goes away with its last user */
	int file;	/* what it lies on */
	void *memory;	/* the file's pages, locked */
	uint64_t bytes;
};

/** probe_device_make - a loop device over a file in memory, with a swap header */
int probe_device_make(struct probe_device *d, uint64_t bytes, struct error *e);

/**
 * probe_device_take - use a device of the user's
 * Refused with -EBUSY when it is mounted, used as swap or held by another driver, with -EEXIST when
 * it holds anything but a swap signature or zeros. A blank one gets a swap header.
 */
int probe_device_take(struct probe_device *d, const char *path, struct error *e);

/** probe_device_close - let go; swap on it must be off */
void probe_device_close(struct probe_device *d);

/* ---- the cgroup of a probe (doctor_cgroup.c) ---- */

struct probe_cgroup {
	char path[256]; /* empty: none was to be had */
	enum probe_reclaim reclaim;
};

/** probe_cgroup_make - where a memory controller is; leaves reclaim at PROBE_PAGEOUT elsewhere */
void probe_cgroup_make(struct probe_cgroup *g);

/** probe_cgroup_enter - move a process into it; 0 or a negative errno */
int probe_cgroup_enter(const struct probe_cgroup *g, pid_t pid);

/** probe_cgroup_empty - push out what its processes hold, once; nothing with PROBE_PAGEOUT */
void probe_cgroup_empty(const struct probe_cgroup *g, uint64_t bytes);

/** probe_cgroup_remove - after its processes are gone; 0 or a negative errno */
int probe_cgroup_remove(struct probe_cgroup *g);

/* ---- the pages of a probe (doctor_pages.c): a child of the worker ---- */

#define PROBE_PAGES_MAX 4096u

/* Filled by the child, in memory that it shares with the worker. */
struct probe_pages {
	unsigned int n;
	uint64_t address;
	unsigned int resident; /* at the last look */
	unsigned int swapped;  /* of one swap device, the one that has most of them */
	unsigned int cached;   /* of them in the swap cache */
	uint64_t slots[PROBE_PAGES_MAX];
	uint8_t in_cache[PROBE_PAGES_MAX];
};

/* What the child is told, a byte each; it answers every one with the same byte, or with '!'. */
#define PROBE_FILL 'f'
#define PROBE_PUSH 'p' /* MADV_PAGEOUT, of what the last look found in the swap cache as well */
#define PROBE_LOOK 'l'

/**
 * probe_pages_child - obey bytes from @in until it ends; never returns
 * Fills @p->n pages that differ and are not zero, in order of their addresses.
 */
void probe_pages_child(struct probe_pages *p, int in, int out) __attribute__((noreturn));

#endif
