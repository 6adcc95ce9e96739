/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_SLOTS_H
#define SWAPTRACE_REPLAY_WORLD_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/map.h"
#include "replay/world/slot_numbers.h"

/*
 * What the recorded kernel's slots hold at this moment, by slot number. It is the same under every
 * policy: data are named by the slot in which they were recorded.
 */

/*
 * What is believed: no folio has more pages than the first (a kernel's have up to 8,192), so no
 * event but SLOTS names more slots at a time; and where the size of a device is unknown, a snapshot
 * names each slot once, of at most as many as the second (1 TiB of 4 KiB pages). Otherwise each
 * line of a text could cost as much work as the largest device.
 */
#define SLOT_RUN_LIMIT (1ull << 16)
#define SLOT_UNKNOWN_LIMIT (1ull << 28)

enum slot_flag {
	SLOT_LIVE = 1 << 0,	/* holds data: given to a folio and not dropped since */
	SLOT_IN_CACHE = 1 << 1, /* in the recorded kernel's swap cache */
};

/* Where a slot's content belongs: VMA index (0: unknown) and page number of the address. */
struct slot_owner {
	uint32_t vma;
	uint64_t page;
};

/* The page that a slot holds, as part of the folio that went out. */
struct slot_folio {
	uint16_t index; /* which page of it */
	uint8_t order;	/* of the folio */
};

struct slots {
	const struct slot_numbers *numbers;
	uint8_t *refs;	/* [slot]: references of page tables, saturating; 0: readahead passes it */
	uint8_t *flags; /* [slot]: enum slot_flag */
	struct slot_folio *folio; /* [slot]; NULL unless asked for */
	struct slot_owner *owner; /* [slot]: of the data; NULL without owners */
	struct map by_owner;	  /* (VMA index, page) -> slot number */
};

/** slots_limit - first offset that cannot be on a device of @pages (0: unknown) */
static inline uint64_t slots_limit(uint64_t pages)
{
	uint64_t limit = pages ? pages : SLOT_UNKNOWN_LIMIT;

	return limit < SLOT_OFFSET_LIMIT ? limit : SLOT_OFFSET_LIMIT;
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

/**
 * slots_init - nothing is in any slot
 * @numbers: of the slots; must outlive it
 * @owners, @folios: track these as well
 * Returns 0 or -ENOMEM; free with slots_free() in any case.
 */
int slots_init(struct slots *s, const struct slot_numbers *numbers, bool owners, bool folios);
void slots_free(struct slots *s);

/** slots_refs - a number of references as it is kept */
static inline uint8_t slots_refs(uint64_t n)
{
	return n > 255 ? 255 : (uint8_t)n;
}

/** slots_set_folio - slots @r .. @r + 2^@order - 1 hold a folio of that order; no-op without folios
 */
static inline void slots_set_folio(struct slots *s, uint32_t r, unsigned int order)
{
	for (uint32_t i = 0; s->folio && i < 1u << order; i++)
		s->folio[r + i] = (struct slot_folio){ (uint16_t)i, (uint8_t)order };
}

/** slots_set_owner - @o now owns the slot (index 0: nobody); 0 or -ENOMEM. No-op without owners. */
int slots_set_owner(struct slots *s, uint32_t r, struct slot_owner o);

/** slots_find_owner - the slot that holds a page of a VMA; SLOT_NOWHERE: the trace does not tell */
uint32_t slots_find_owner(const struct slots *s, struct slot_owner o);

#endif
