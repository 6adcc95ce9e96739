// SPDX-License-Identifier: GPL-2.0
/*
 * Many events at once, for policies that nobody but themselves waits for: events that name one slot
 * are applied to the world and to the policies' swap caches right from the columns of their block.
 * Whatever is out of the ordinary is left to the common way, event by event.
 */
#include "replay/readahead/family.h"

#include <errno.h>
#include <string.h>

#include "replay/world/quick.h"

/* Of so many slots the state does not fit into the processor's caches. */
#define MANY_SLOTS (1u << 18)
#define LOOK_AHEAD 12 /* lookups */

struct pass {
	struct readahead_state *f;
	struct world *w;
	struct block_view *v;
	bool many;
	uint32_t lookups; /* of the block */
};

/* What one event came to; a negative errno instead: memory is out. */
enum { LEFT, TAKEN };

static inline void set_slot(const struct pass *p, uint32_t r, uint8_t bits)
{
	uint8_t *at = run_bits(&p->f->runs[0], r);

	if (p->f->cache.policies == 1)
		*at = bits;
	else
		memset(at, bits, p->f->cache.policies);
}

static inline void fetch(const struct pass *p, const struct columns *c, uint32_t i)
{
	uint32_t r;

	if (i >= p->lookups)
		return;
	r = slot_number(p->w->slots.numbers, c->v[LOOKUP_TYPE][i], c->v[LOOKUP_OFF][i]);
	if (r == SLOT_NOWHERE)
		return;
	__builtin_prefetch(&p->w->slots.refs[r]);
	__builtin_prefetch(run_bits(&p->f->runs[0], r));
}

static inline int take_lookup(const struct pass *p, const struct columns *c, uint32_t i, uint32_t k)
{
	uint64_t count = c->v[LOOKUP_COUNT][i] & 0xffff;
	struct need n;

	if (p->many)
		fetch(p, c, i + LOOK_AHEAD);
	n.type = (unsigned int)c->v[LOOKUP_TYPE][i];
	n.off = c->v[LOOKUP_OFF][i];
	n.r = world_slot(p->w, c->v[LOOKUP_TYPE][i], n.off);
	if (n.r == SLOT_NOWHERE)
		return TAKEN;
	n.cause = (unsigned int)c->v[LOOKUP_CAUSE][i];
	if (count)
		p->w->slots.refs[n.r] = slots_refs(count);
	if (p->w->swapoff_open && n.cause != LOOKUP_FAULT)
		world_count_swapoff(p->w, p->v->times[k], n.type, n.cause);
	n.order = (unsigned int)c->v[LOOKUP_ORDER][i];
	n.count = c->have[i] >> LOOKUP_COUNT & 1 ? (int)count : -1;
	n.marked = c->v[LOOKUP_RA][i] != 0;
	n.cpu = p->f->cpus ? p->v->cpus[k] : -1;
	n.vma = 0;
	n.have_addr = false;
	if (p->w->survey->owners)
		readahead_address(p->f, c, i, p->v->tgids[k], &n);
	run_step(p->f->runs, p->f->x->o->npolicies, &n);
	return TAKEN;
}

static inline int take_cache(const struct pass *p, const struct columns *c, uint32_t i)
{
	bool swapout = c->have[i] >> CACHE_BY & 1 && c->v[CACHE_BY][i] == BY_SWAPOUT;
	uint32_t r;

	if (!quick_one(c, i, CACHE_N))
		return LEFT;
	if (!swapout)
		return TAKEN;
	r = quick_slot(p->w, c->v[CACHE_TYPE][i], c->v[CACHE_OFF][i]);
	if (r == SLOT_NOWHERE)
		return TAKEN;
	set_slot(p, r, SLOT_CACHED | SLOT_WRITEOUT);
	return quick_cache_swapout(p->w, r) ? -ENOMEM : TAKEN;
}

static inline int take_uncache(const struct pass *p, const struct columns *c, uint32_t i)
{
	uint64_t by = c->have[i] >> CACHE_BY & 1 ? c->v[CACHE_BY][i] : BY_SWAPIN;
	uint32_t r;

	if (!quick_one(c, i, CACHE_N))
		return LEFT;
	r = quick_slot(p->w, c->v[CACHE_TYPE][i], c->v[CACHE_OFF][i]);
	if (r == SLOT_NOWHERE)
		return TAKEN;
	quick_uncache(p->w, r, by);
	set_slot(p, r, 0);
	return TAKEN;
}

static inline int take_alloc(const struct pass *p, const struct columns *c, uint32_t i)
{
	uint32_t r;

	/* During a swapoff it counts which device it was on. */
	if (!quick_alloc_one(c, i) || p->w->swapoff_open)
		return LEFT;
	r = quick_slot(p->w, c->v[ALLOC_TYPE][i], c->v[ALLOC_OFF][i]);
	return r != SLOT_NOWHERE && quick_alloc(p->w, r) ? -ENOMEM : TAKEN;
}

static inline int take_unref(const struct pass *p, const struct columns *c, uint32_t i)
{
	uint32_t r;

	if (!quick_one(c, i, UNREF_N))
		return LEFT;
	r = quick_slot(p->w, c->v[UNREF_TYPE][i], c->v[UNREF_OFF][i]);
	if (r != SLOT_NOWHERE)
		quick_unref(p->w, r, c, i);
	return TAKEN;
}

static inline int take_free(const struct pass *p, const struct columns *c, uint32_t i)
{
	uint32_t r;

	if (!quick_one(c, i, FREE_N))
		return LEFT;
	r = quick_slot(p->w, c->v[FREE_TYPE][i], c->v[FREE_OFF][i]);
	if (r == SLOT_NOWHERE)
		return TAKEN;
	set_slot(p, r, 0);
	return quick_free(p->w, r) ? -ENOMEM : TAKEN;
}

static inline int take_one(const struct pass *p, enum event_type t, const struct columns *c,
			   uint32_t k)
{
	switch (t) {
	case EV_LOOKUP:
		return take_lookup(p, c, c->next, k);
	case EV_CACHE:
		return take_cache(p, c, c->next);
	case EV_UNCACHE:
		return take_uncache(p, c, c->next);
	case EV_ALLOC:
		return take_alloc(p, c, c->next);
	case EV_UNREF:
		return take_unref(p, c, c->next);
	case EV_FREE:
		return take_free(p, c, c->next);
	case EV_RA:
		p->f->calls_seen = true;
		return TAKEN;
	default:
		return LEFT;
	}
}

bool readahead_passes(const void *family)
{
	const struct readahead_state *f = family;

	return !f->waiting && !f->verifying && !f->swapins && quick_wanted(f->x->world);
}

int readahead_pass(void *family, struct block_view *v, uint32_t *at, uint32_t end, uint32_t alone)
{
	struct readahead_state *f = family;
	const struct pass p = {
		.f = f,
		.w = f->x->world,
		.v = v,
		.many = slot_numbers_total(&f->x->survey->numbers) >= MANY_SLOTS,
		.lookups = block_count(v->block, EV_LOOKUP),
	};
	uint32_t k = *at;
	int ret = TAKEN;

	for (; k < end; k++) {
		enum event_type t = (enum event_type)v->types[k];
		struct columns *c = &v->of[t];

		/* Nobody has asked for it. */
		if (!c->have)
			continue;
		if (!(alone >> t & 1))
			break;
		ret = take_one(&p, t, c, k);
		if (ret <= LEFT)
			break;
		c->next++;
	}
	*at = k;
	return ret < 0 ? ret : 0;
}
