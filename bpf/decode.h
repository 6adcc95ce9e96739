/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_DECODE_H
#define SWAPTRACE_BPF_DECODE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/records.h"
#include "bpf/vma_ids.h"
#include "traces/event.h"

/*
 * Raw records of the programs in the kernel into events of the trace. Needs no libbpf, so the
 * arithmetic (windows, VMA words, bursts) is tested without a kernel.
 */

/* Large folios that got no slots: they are split, and their pages ask one by one. */
#define SPLITS_KEPT 256
struct split_folio {
	uint64_t from, to; /* addresses of its struct pages */
	uint64_t id;	   /* of its request */
	uint64_t reclaim;  /* the call of reclaim in which it happened */
};

struct decoder {
	/* What the decoder asks of its owner. */
	int (*event)(void *arg, const struct event *ev, unsigned int cpu, int probe);
	uint32_t (*string)(void *arg, const char *s, size_t len);
	void (*swapon)(void *arg, struct record_device *d, struct event *ev);
	const char *(*site)(void *arg, uint64_t address, size_t *len); /* NULL: unknown */
	/* A read of the slot has ended; NULL: nobody asks. */
	void (*read_end)(void *arg, uint64_t type, uint64_t off, const struct record *r);
	void *arg;

	uint32_t page_size;
	uint32_t self; /* tgid of the recorder, 0: nobody */
	struct vma_table *vmas;
	struct record_device devices[TYPES_MAX];
	bool known[TYPES_MAX];			/* devices that have been reported */
	bool present[TYPES_MAX];		/* devices that are on, as of the last records */
	uint32_t swapon_type;			/* of the last SWAPON, TYPES_MAX: none */
	struct split_folio splits[SPLITS_KEPT]; /* a ring */
	unsigned int nsplits;

	uint64_t bad_records; /* of an unknown kind or length */
	uint64_t odd_offsets; /* slots outside their device: ignored and counted */
	uint64_t offsets;     /* slots seen */
	uint64_t nonzero_offsets;
};

/** decoder_init - @vmas NULL when memory is out, then -ENOMEM; freed with decoder_free() */
int decoder_init(struct decoder *d, uint32_t page_size);
void decoder_free(struct decoder *d);

/**
 * decoder_record - one record as it came out of a ring buffer
 * Calls d->event() for each event that it means. Returns 0 or what d->event() returned.
 */
int decoder_record(struct decoder *d, const void *data, size_t len);

/**
 * decode_burst - the window of a cluster readahead call that nothing but its burst tells
 * @off: the slot that was needed
 * @n: entries that the call asked for, the last being @off once more
 * @first, @last: first and last slot of the others
 * @device_max: slots of the device, 0 unknown
 * Returns the window in pages; 1 when the call asked for @off alone (which a larger window whose
 * loop was skipped would look like, too); 0 when no aligned window fits.
 */
uint32_t decode_burst(uint64_t off, uint32_t n, uint64_t first, uint64_t last, uint64_t device_max);

/**
 * decode_cluster_window - slots of a window of @pages around @off: the aligned block without slot 0
 * and without what lies behind the device; *@end is exclusive
 */
void decode_cluster_window(uint32_t pages, uint64_t off, uint64_t device_max, uint64_t *start,
			   uint64_t *end);

/**
 * decode_vma_window - page addresses of a VMA window of @pages
 * @addr: the page that was needed, @before: page address of the last fault or hit
 * @vma_start, @vma_end: the VMA. The window is also kept inside the page table's reach of @addr.
 */
void decode_vma_window(uint32_t pages, uint64_t addr, uint64_t before, uint64_t vma_start,
		       uint64_t vma_end, uint32_t page_size, uint64_t *start, uint64_t *end);

/** decode_device_flags - enum device_flag bits of si->flags */
uint32_t decode_device_flags(uint64_t flags);

/**
 * decode_slots - runs of equal state in a piece of swap_map
 * @map, @len: the bytes, @from: slot of the first
 * @run: called for each run of used slots: first slot, length, references, whether cached
 */
int decode_slots(const uint8_t *map, size_t len, uint64_t from,
		 int (*run)(void *arg, uint64_t off, uint64_t n, uint32_t count, bool cached),
		 void *arg);

#endif
