/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_DEVICES_H
#define SWAPTRACE_REPLAY_WORLD_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/world/slot_numbers.h"

/* Which swap devices are on, and what readahead and the bypass ask of them. */

struct swap_device {
	bool on;	/* swapped on at this moment */
	uint64_t pages; /* slots with the header slot, 0: unknown */
	uint32_t flags; /* enum device_flag */
	bool have_flags;
};

struct swap_devices {
	struct swap_device dev[SLOT_DEVICES];
	unsigned int rotational; /* rotational devices that are on: nr_rotate_swap */
};

/** geometry_believes - whether a kernel can have pages of this size: a power of two, 1 KiB to 1 MiB
 */
static inline bool geometry_believes(uint64_t page_size)
{
	return page_size >= 1024 && page_size <= 1u << 20 && !(page_size & (page_size - 1));
}

/**
 * swap_device_on - a device of the header or a SWAPON event
 * @type: from SLOT_DEVICES on it is ignored
 * @pages: 0: not told; @flags: where @have_flags
 */
void swap_device_on(struct swap_devices *d, uint64_t type, uint64_t pages, bool have_flags,
		    uint32_t flags);

/** swap_device_off - its swapoff has ended; from SLOT_DEVICES on it is ignored */
void swap_device_off(struct swap_devices *d, uint64_t type);

#endif
