/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_COLUMNS_H
#define SWAPTRACE_REPLAY_COLUMNS_H

#include "traces/trace.h"

/*
 * A block as a replay walks it: per event type the columns that were asked for and a cursor, so
 * that the hot loop does no call and no look-up per event.
 */
struct columns {
	const uint32_t *have;	       /* known keys of the i-th event of the type */
	const uint64_t *v[EVENT_KEYS]; /* value of the i-th event; NULL: key not asked for */
	uint32_t next;		       /* cursor: index of the next event of the type */
};

struct block_view {
	uint32_t events;
	const uint8_t *types;
	const uint64_t *times;
	const int32_t *cpus;  /* NULL unless asked for */
	const int32_t *tgids; /* likewise */
	struct columns of[EV_NR];
};

/* Which keys of which event types a walk needs: bit k of keys[type]; 0 = skip the type. */
struct view_wanted {
	uint32_t keys[EV_NR];
	bool tasks; /* cpus and tgids */
};

/**
 * view_load - decode what @wanted names of @b
 * Returns 0 or -ENOMEM (also when a column is damaged in a way the checksum did not show).
 */
int view_load(struct block_view *view, const struct trace_block *b,
	      const struct view_wanted *wanted);

static inline bool column_has(const struct columns *c, uint32_t i, unsigned int key)
{
	return c->have[i] >> key & 1;
}

static inline uint64_t column_get(const struct columns *c, uint32_t i, unsigned int key,
				  uint64_t otherwise)
{
	return column_has(c, i, key) ? c->v[key][i] : otherwise;
}

/*
 * Slots that the i-th ALLOC event gave: n slots of a batch call, else those of one allocation of
 * its order (an order nobody can mean counts as 1 slot).
 */
static inline uint64_t column_alloc_slots(const struct columns *c, uint32_t i)
{
	if (!column_has(c, i, ALLOC_N) && column_has(c, i, ALLOC_ORDER) &&
	    c->v[ALLOC_ORDER][i] < 20)
		return 1ull << c->v[ALLOC_ORDER][i];
	return column_get(c, i, ALLOC_N, 1);
}

#endif
