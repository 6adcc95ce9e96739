/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_SLOTS_H
#define SWAPTRACE_REPLAY_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/map.h"
#include "traces/event.h"
#include "traces/header.h"

/*
 * The world that is the same under every policy: the swap devices, how many page table entries
 * refer to each slot, and (for VMA readahead) which address of which VMA a slot belongs to. It
 * follows the recorded events; the swap cache is the policies' own (replay/readahead.h).
 */

#define SLOT_DEVICES 32

/* Offsets at or above this are never tracked, whatever a trace claims (16 TiB of 4 KiB pages). */
#define SLOT_OFFSET_LIMIT (1ull << 32)

/*
 * What is believed where the size of a device is unknown: no folio has more pages than the first (a
 * kernel's have up to 8,192), so no event but SLOTS names more slots at a time; and a snapshot
 * names each slot once, of at most as many as the second (1 TiB of 4 KiB pages). Otherwise each
 * line of a text could cost as much work as the largest device.
 */
#define SLOT_RUN_LIMIT (1ull << 16)
#define SLOT_UNKNOWN_LIMIT (1ull << 28)

/* Where a slot's content belongs: VMA index (0: unknown) and page number of the address. */
struct slot_owner {
	uint32_t vma;
	uint64_t page;
};

struct slot_device {
	bool seen;	/* some event or header line names it */
	bool on;	/* swapped on at this moment */
	uint64_t pages; /* slots with the header slot, 0: unknown */
	uint64_t size;	/* slots tracked: arrays are this long */
	uint64_t named; /* slots of SLOTS events so far while the size is unknown */
	uint32_t flags; /* enum device_flag */
	bool have_flags;
	uint8_t *refs; /* references, saturating at 255; 0: free, or only in the swap cache */
	struct slot_owner
		*owner; /* of the instance in each slot now; NULL without owner tracking */
};

struct slots {
	struct slot_device dev[SLOT_DEVICES];
	struct map by_owner;	 /* (VMA index, page) -> slot_pack() */
	unsigned int rotational; /* rotational devices that are on: nr_rotate_swap */
};

/** geometry_believes - whether a kernel can have pages of this size: a power of two, 1 KiB to 1 MiB
 */
static inline bool geometry_believes(uint64_t page_size)
{
	return page_size >= 1024 && page_size <= 1u << 20 && !(page_size & (page_size - 1));
}

static inline uint64_t slot_pack(unsigned int type, uint64_t off)
{
	return (uint64_t)type << 56 | off;
}

/** slots_free - free the arrays */
void slots_free(struct slots *s);

/**
 * slots_device_add - a device of the header or a SWAPON event; flags and size may still be unknown
 * Counts rotational devices. @on: it is swapped on.
 */
void slots_device_add(struct slots *s, unsigned int type, uint64_t pages, bool have_flags,
		      uint32_t flags, bool on);

/** slots_device_off - swapoff has ended: every slot of the device is free */
void slots_device_off(struct slots *s, unsigned int type);

/**
 * slots_allocate - allocate the arrays once all sizes are known
 * @owners: track owners as well
 * Returns 0 or -ENOMEM.
 */
int slots_allocate(struct slots *s, bool owners);

/** slots_valid - whether a slot is tracked: a known device, 0 < off < size */
static inline bool slots_valid(const struct slots *s, uint64_t type, uint64_t off)
{
	return type < SLOT_DEVICES && off && off < s->dev[type].size;
}

/**
 * slots_name - count @n slots of a SLOTS event; @pages and @named belong to its device
 * Returns false when they are more than a snapshot of a device of unknown size can name.
 */
static inline bool slots_name(uint64_t pages, uint64_t *named, uint64_t n)
{
	if (pages)
		return true;
	if (n > SLOT_UNKNOWN_LIMIT - *named)
		return false;
	*named += n;
	return true;
}

/** slots_in_use - whether page table entries refer to the slot, so that readahead would read it */
static inline bool slots_in_use(const struct slots *s, unsigned int type, uint64_t off)
{
	return off < s->dev[type].size && s->dev[type].refs[off];
}

/** slots_set_owner - @o now owns the slot (index 0: nobody); 0 or -ENOMEM. No-op without owners. */
int slots_set_owner(struct slots *s, unsigned int type, uint64_t off, struct slot_owner o);

/**
 * slots_find_owner - the slot that holds a page of a VMA
 * Returns false when the trace does not tell.
 */
bool slots_find_owner(const struct slots *s, struct slot_owner o, unsigned int *type,
		      uint64_t *off);

#endif
