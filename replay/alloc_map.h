/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_MAP_H
#define SWAPTRACE_REPLAY_ALLOC_MAP_H

#include <stdint.h>

/*
 * Where the data of a recorded slot is under a policy: page by page, so that partial drops and
 * split folios follow the data. Slots of all devices are numbered in a row; 4 bytes a slot and
 * direction, which the kernel hands out as zero pages until a slot is used.
 */

#define SPACE_PARTS 64 /* devices, and their reserved parts behind them */
#define SLOT_NOWHERE UINT32_MAX

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

struct alloc_map {
	uint32_t *model;    /* [recorded slot]: model slot plus one, 0: nowhere */
	uint32_t *recorded; /* [model slot]: recorded slot plus one, 0: none */
};

/** alloc_map_init - nothing is anywhere; 0 or -ENOMEM */
int alloc_map_init(struct alloc_map *m, uint32_t recorded, uint32_t model);
void alloc_map_free(struct alloc_map *m);

static inline uint32_t alloc_map_model(const struct alloc_map *m, uint32_t r)
{
	return m->model[r] - 1;
}

static inline uint32_t alloc_map_recorded(const struct alloc_map *m, uint32_t x)
{
	return m->recorded[x] - 1;
}

/** alloc_map_link - the data of recorded slot @r is in model slot @x; neither may be linked */
static inline void alloc_map_link(struct alloc_map *m, uint32_t r, uint32_t x)
{
	m->model[r] = x + 1;
	m->recorded[x] = r + 1;
}

/** alloc_map_unlink - the data of recorded slot @r is gone; no-op where it is nowhere */
static inline void alloc_map_unlink(struct alloc_map *m, uint32_t r)
{
	if (!m->model[r])
		return;
	m->recorded[m->model[r] - 1] = 0;
	m->model[r] = 0;
}

#endif
