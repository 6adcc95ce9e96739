// SPDX-License-Identifier: GPL-2.0
/*
 * Needs of swap entries as requests to a cache, in libCacheSim's oracleGeneral format: records of
 * 24 bytes, little-endian: seconds (u32), object (u64), bytes (u32), number of the next request for
 * the object counted from 1, -1 for none (i64). That number lies in the future, so the needs are
 * kept until the end: 16 bytes each.
 */
#include "export/exporter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

struct need {
	uint64_t entry; /* type in the upper 16 bits */
	uint32_t seconds;
};

struct needs {
	struct need *list;
	size_t n, room;
};

#define TYPE_SHIFT 48

static int event(struct export *x, const struct event *ev)
{
	struct needs *s = x->state;

	if (ev->type != EV_LOOKUP || !event_has(ev, LOOKUP_OFF))
		return 0;
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 4096;
		struct need *more = reallocarray(s->list, room, sizeof(*more));

		if (!more)
			return error_set(x->error, -ENOMEM, "out of memory");
		s->list = more;
		s->room = room;
	}
	s->list[s->n].entry = event_get(ev, LOOKUP_TYPE, 0) << TYPE_SHIFT | ev->v[LOOKUP_OFF];
	s->list[s->n++].seconds = (uint32_t)((ev->t_ns - x->first_ns) / 1000000000);
	return 0;
}

static void put_little(unsigned char *p, uint64_t v, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

/* From the end, so that the next request for an entry is the one seen last. */
static int find_next(const struct needs *s, int64_t *next, struct map *seen)
{
	for (size_t i = s->n; i-- > 0;) {
		uint64_t *later = map_get(seen, s->list[i].entry, 0);

		next[i] = later ? (int64_t)*later : -1;
		if (map_set(seen, s->list[i].entry, 0, i + 1))
			return -ENOMEM;
	}
	return 0;
}

static int end(struct export *x)
{
	struct needs *s = x->state;
	int64_t *next = calloc(s->n + 1, sizeof(*next));
	struct map seen = { 0 };
	int ret = next ? find_next(s, next, &seen) : -ENOMEM;

	map_free(&seen);
	for (size_t i = 0; !ret && i < s->n; i++) {
		unsigned char record[24];

		put_little(record, s->list[i].seconds, 4);
		put_little(record + 4, s->list[i].entry, 8);
		put_little(record + 12, x->page_size, 4);
		put_little(record + 16, (uint64_t)next[i], 8);
		fwrite(record, 1, sizeof(record), x->out);
	}
	free(next);
	return ret ? error_set(x->error, ret, "out of memory") : 0;
}

static void free_needs(struct export *x)
{
	struct needs *s = x->state;

	free(s->list);
}

const struct exporter export_oracle_general = {
	.name = "oracleGeneral",
	.summary = "needs of swap entries as requests to a cache: libCacheSim",
	.state_size = sizeof(struct needs),
	.binary = true,
	.event = event,
	.end = end,
	.free = free_needs,
};
