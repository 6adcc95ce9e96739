/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_QUICK_H
#define SWAPTRACE_REPLAY_WORLD_QUICK_H

#include "replay/world/world.h"

/*
 * What the world does about events that name one slot, right from the columns of a block: for a
 * family that takes many events at once while nobody listens to the world. Then references are all
 * that anybody reads of a slot; what is in the recorded swap cache is not followed.
 *
 * An event may be taken here or by world_event(), each in its turn.
 */

/** quick_wanted - does nobody listen to the world, so that events may be taken here? */
static inline bool quick_wanted(const struct world *w)
{
	const struct world_listener *l = &w->listener;

	return !w->requests.wanted && !l->before && !l->answer && !l->data && !l->swapoff &&
	       !w->slots.folio;
}

/** quick_one - does event @i name one slot? @n: its key for the number of them */
static inline bool quick_one(const struct columns *c, uint32_t i, unsigned int n)
{
	return !(c->have[i] >> n & 1) || c->v[n][i] == 1;
}

/** quick_alloc_one - the same for ALLOC */
static inline bool quick_alloc_one(const struct columns *c, uint32_t i)
{
	if (c->have[i] >> ALLOC_N & 1)
		return c->v[ALLOC_N][i] == 1;
	return !c->v[ALLOC_ORDER][i];
}

/** quick_slot - number of a slot that is on its device; SLOT_NOWHERE */
static inline uint32_t quick_slot(const struct world *w, uint64_t type, uint64_t off)
{
	if (type >= SLOT_DEVICES || off >= w->limit[type])
		return SLOT_NOWHERE;
	return world_slot(w, type, off);
}

/** quick_cache_swapout - the slot's page joins the swap cache as it goes out; 0 or -ENOMEM */
static inline int quick_cache_swapout(struct world *w, uint32_t r)
{
	w->slots.refs[r] = 1;
	return w->survey->owners ? world_take_birth(w, r) : 0;
}

/** quick_uncache - the slot's page leaves the swap cache; @by: enum cache_by */
static inline void quick_uncache(struct world *w, uint32_t r, uint64_t by)
{
	/* See on_uncache(): it may have kept its slot. */
	if (by == BY_RECLAIM)
		w->slots.refs[r] += !w->slots.refs[r];
}

/** quick_alloc - the slot was given; 0 or -ENOMEM */
static inline int quick_alloc(struct world *w, uint32_t r)
{
	w->slots.refs[r] = !w->survey->events[EV_CACHE];
	return w->survey->owners ? world_take_birth(w, r) : 0;
}

/** quick_unref - references to the slot of event @i were dropped */
static inline void quick_unref(struct world *w, uint32_t r, const struct columns *c, uint32_t i)
{
	uint64_t how = c->have[i] >> UNREF_HOW & 1 ? c->v[UNREF_HOW][i] : UNREF_SWAPIN;
	uint8_t *refs = &w->slots.refs[r];

	if (how >= UNREF_CACHE)
		return;
	if (c->have[i] >> UNREF_LEFT & 1)
		*refs = slots_refs(c->v[UNREF_LEFT][i]);
	else
		*refs -= *refs > 0;
}

/** quick_free - the slot is free; 0 or -ENOMEM */
static inline int quick_free(struct world *w, uint32_t r)
{
	w->slots.refs[r] = 0;
	return w->survey->owners ? slots_set_owner(&w->slots, r, (struct slot_owner){ 0, 0 }) : 0;
}

#endif
