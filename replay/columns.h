/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_COLUMNS_H
#define SWAPTRACE_REPLAY_COLUMNS_H

#include <assert.h>

#include "traces/trace.h"

#define BIT(k) (1u << (k)) /* of a key, in a mask */

/*
 * A block as a replay walks it: per event type the columns that were asked for and a cursor, so
 * that the hot loop does no call and no look-up per event.
 */
struct columns {
	const uint32_t *have;	       /* known keys of the i-th event of the type */
	const uint64_t *v[EVENT_KEYS]; /* value of the i-th event; NULL: key not asked for */
	uint32_t known;		       /* keys of which one may ask whether they are known */
	uint32_t decoded;	       /* keys that have their v */
	uint32_t next;		       /* cursor: index of the next event of the type */
};

struct block_view {
	const struct trace_block *block;
	uint32_t events;
	const uint8_t *types;
	/* NULL unless asked for */
	const uint64_t *times;
	const int32_t *cpus, *tgids;
	struct columns of[EV_NR];
};

/* Which keys of which event types a walk needs: bit k of keys[type]; 0 = skip the type. */
struct view_wanted {
	uint32_t keys[EV_NR];
	uint32_t known[EV_NR]; /* beside them: is the key there? Its value is not decoded. */
	bool times, cpus, tgids;
};

/**
 * view_load - decode what @wanted names of @b
 * Returns 0 or -ENOMEM (also when a column is damaged in a way the checksum did not show).
 */
int view_load(struct block_view *view, const struct trace_block *b,
	      const struct view_wanted *wanted);

/**
 * view_ask - decode more keys of the events of @type, which the block has: for what is rarely read
 * Returns 0 or -ENOMEM, as view_load().
 */
int view_ask(struct block_view *view, enum event_type type, uint32_t keys);

#define EV_NOT_ASKED INT32_MIN

/* One event on its way through a replay. */
struct replay_event {
	enum event_type type;
	uint64_t t_ns;			 /* 0 unless asked for */
	int32_t cpu_column, tgid_column; /* ev_cpu(), ev_tgid() */
	const struct columns *c;	 /* of its type */
	uint32_t i;			 /* which of them it is */
};

/**
 * view_event - event @k of the block, and move the cursor of its type on
 * To be called for each @k in turn. Returns false when nobody has asked for events of that type.
 */
static inline bool view_event(struct block_view *v, uint32_t k, struct replay_event *ev)
{
	struct columns *c = &v->of[v->types[k]];

	if (!c->have)
		return false;
	*ev = (struct replay_event){ (enum event_type)v->types[k],
				     v->times ? v->times[k] : 0,
				     v->cpus ? v->cpus[k] : EV_NOT_ASKED,
				     v->tgids ? v->tgids[k] : EV_NOT_ASKED,
				     c,
				     c->next++ };
	return true;
}

/** ev_cpu, ev_tgid - column 2 and 3 of the event, -1: unknown */
static inline int32_t ev_cpu(const struct replay_event *ev)
{
	assert(ev->cpu_column != EV_NOT_ASKED);
	return ev->cpu_column;
}

static inline int32_t ev_tgid(const struct replay_event *ev)
{
	assert(ev->tgid_column != EV_NOT_ASKED);
	return ev->tgid_column;
}

/* A key may only be read where it was asked for, whatever the trace holds: see struct view_wanted.
 */
static inline bool ev_has(const struct replay_event *ev, unsigned int key)
{
	assert(ev->c->known >> key & 1);
	return ev->c->have[ev->i] >> key & 1;
}

/** ev_value - the value of @key, 0 where it is not known */
static inline uint64_t ev_value(const struct replay_event *ev, unsigned int key)
{
	assert(ev->c->v[key]);
	return ev->c->v[key][ev->i];
}

/** ev_get - the value of @key, or @otherwise where it is not known */
static inline uint64_t ev_get(const struct replay_event *ev, unsigned int key, uint64_t otherwise)
{
	return ev_has(ev, key) ? ev_value(ev, key) : otherwise;
}

/*
 * Slots that an ALLOC event gave: n slots of a batch call, else those of one allocation of its
 * order (an order nobody can mean counts as 1 slot). Reads n and order.
 */
static inline uint64_t ev_alloc_slots(const struct replay_event *ev)
{
	if (!ev_has(ev, ALLOC_N) && ev_has(ev, ALLOC_ORDER) && ev_value(ev, ALLOC_ORDER) < 20)
		return 1ull << ev_value(ev, ALLOC_ORDER);
	return ev_get(ev, ALLOC_N, 1);
}

#endif
