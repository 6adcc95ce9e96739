/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_PLACES_H
#define SWAPTRACE_REPLAY_WORLD_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/world/devices.h"
#include "replay/world/slot_numbers.h"

/*
 * Where the data of recorded slots is under a policy that places it, page by page, so that partial
 * drops and split folios follow the data. The family of the allocators keeps it; later needs,
 * neighbours and devices are looked up here by the others.
 *
 * The policy's own slots ("model slots") are numbered part by part: the devices, and behind them
 * the reserved part of each. 4 bytes a slot and direction, which the kernel hands out as zero pages
 * until a slot is used.
 */

#define SPACE_PARTS (2 * SLOT_DEVICES)

/* A numbering of the slots of some parts. */
struct slot_space {
	unsigned int parts;
	uint32_t base[SPACE_PARTS + 1]; /* number of the part's slot 0; the last one is the total */
};

/** slot_space_init - number parts of @sizes[0 .. n-1] slots; 0, or -E2BIG for 2^32 slots or more */
int slot_space_init(struct slot_space *s, const uint64_t *sizes, unsigned int n);

static inline uint32_t slot_space_total(const struct slot_space *s)
{
	return s->base[s->parts];
}

/** slot_space_number - the number of a slot, SLOT_NOWHERE when it lies outside its part */
static inline uint32_t slot_space_number(const struct slot_space *s, unsigned int part,
					 uint64_t off)
{
	if (part >= s->parts || off >= s->base[part + 1] - s->base[part])
		return SLOT_NOWHERE;
	return s->base[part] + (uint32_t)off;
}

/** slot_space_part - the part that slot number @i (below the total) lies in */
unsigned int slot_space_part(const struct slot_space *s, uint32_t i);

struct places {
	struct slot_space space;
	/* [recorded slot]: model slot plus one, 0: nowhere; or PLACE_IN_MEMORY */
	uint32_t *model;
	/* [model slot]: recorded slot plus one, 0: none; or PLACE_UNNAMED */
	uint32_t *recorded;
	struct swap_devices devices;
	/* First offset of the reserved part of a device, 0: it has none; and where that part's own
	 * numbering begins, as what stands for its header is not a slot. */
	uint32_t reserved_from[SLOT_DEVICES];
	uint32_t reserved_first;
};

/**
 * places_init - nothing is anywhere
 * @recorded: recorded slot numbers are below; @space: is set
 * Returns 0 or -ENOMEM; free with places_free() in any case.
 */
int places_init(struct places *p, uint64_t recorded);
void places_free(struct places *p);

/* Instead of a number: the data found no slot here and stays in memory. */
#define PLACE_IN_MEMORY UINT32_MAX
/* Data that stayed in memory when it was recorded, so that no recorded slot names it. */
#define PLACE_UNNAMED UINT32_MAX

/** places_model - model slot of recorded slot @r, SLOT_NOWHERE */
static inline uint32_t places_model(const struct places *p, uint32_t r)
{
	return p->model[r] == PLACE_IN_MEMORY ? SLOT_NOWHERE : p->model[r] - 1;
}

/** places_in_memory - does the data of recorded slot @r stay in memory here? */
static inline bool places_in_memory(const struct places *p, uint32_t r)
{
	return p->model[r] == PLACE_IN_MEMORY;
}

/** places_recorded - recorded slot whose data is in model slot @x; SLOT_NOWHERE: none names it */
static inline uint32_t places_recorded(const struct places *p, uint32_t x)
{
	return p->recorded[x] == PLACE_UNNAMED ? SLOT_NOWHERE : p->recorded[x] - 1;
}

/** places_unnamed - does model slot @x hold data that no recorded slot names? */
static inline bool places_unnamed(const struct places *p, uint32_t x)
{
	return p->recorded[x] == PLACE_UNNAMED;
}

/** places_link - the data of recorded slot @r is in model slot @x; neither may be linked */
static inline void places_link(struct places *p, uint32_t r, uint32_t x)
{
	p->model[r] = x + 1;
	p->recorded[x] = r + 1;
}

/** places_keep - the data of recorded slot @r, which is nowhere, stays in memory */
static inline void places_keep(struct places *p, uint32_t r)
{
	p->model[r] = PLACE_IN_MEMORY;
}

/** places_unlink - the data of recorded slot @r is gone; no-op where it is nowhere */
static inline void places_unlink(struct places *p, uint32_t r)
{
	if (p->model[r] && p->model[r] != PLACE_IN_MEMORY)
		p->recorded[p->model[r] - 1] = 0;
	p->model[r] = 0;
}

/** places_claim - @n model slots from @x on hold data that no recorded slot names, or no longer */
static inline void places_claim(struct places *p, uint32_t x, uint32_t n, bool claim)
{
	for (uint32_t i = x; i < x + n; i++)
		p->recorded[i] = claim ? PLACE_UNNAMED : 0;
}

/** places_slot - device and offset of model slot @x, as a device without reserve has them */
void places_slot(const struct places *p, uint32_t x, unsigned int *type, uint64_t *off);

/** places_at - the reverse: the model slot there, SLOT_NOWHERE: the device does not reach so far */
uint32_t places_at(const struct places *p, unsigned int type, uint64_t off);

#endif
