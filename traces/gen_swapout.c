// SPDX-License-Identifier: GPL-2.0
#include "traces/gen_priv.h"

#include <errno.h>
#include <stdlib.h>

#define TSAT_UNIT_ORDER 4 /* 64 kB */
#define TSAT_UNIT (1u << TSAT_UNIT_ORDER)
#define TSAT_LARGE 15360 /* pages of 60 MiB */
#define TSAT_SMALL 1024	 /* pages of 4 MiB */
#define TSAT_SWAPIN 4096 /* pages of 16 MiB */
#define TSAT_ROUNDS 256

uint64_t gen_memory_of(const struct gen_options *o)
{
	if (o->pattern == GEN_MTHP)
		return gen_memory_pages(o->memory);
	return o->pattern == GEN_TSAT ? gen_memory_pages(TSAT_LARGE + TSAT_SMALL) : 0;
}

/* --- mthp --------------------------------------------------------------------------------------
 */

/* A folio as it was written: head page and order. */
struct birth {
	uint32_t head;
	uint8_t order;
};

struct mthp {
	struct gen_memory memory;
	struct birth *births; /* oldest first */
	uint64_t nbirths, room;
	double sum;   /* of the weights */
	uint64_t due; /* hundredths of touches */
};

static unsigned int draw_order(struct mthp *g, struct gen_stream *s)
{
	/* Sums of weights are the same on every machine: additions of doubles, in order. */
	double at = (double)gen_random(s, 1u << 30) / (1u << 30) * g->sum;
	unsigned int order = GEN_ORDERS;

	while (order-- > 1) {
		if (at < s->o->folios[order])
			return order;
		at -= s->o->folios[order];
	}
	return 0;
}

static void new_step(struct gen_stream *s)
{
	s->cpu = (unsigned int)gen_random(s, s->o->cpus);
}

/* An access to older memory: what is in swap comes in, page by page. */
static int touch(struct mthp *g, struct gen_stream *s)
{
	uint64_t block = s->o->block;
	uint32_t page;
	int ret = 0;

	new_step(s);
	do
		page = (uint32_t)gen_random(s, g->memory.top);
	while (!(g->memory.state[page] & GEN_PAGE_WRITTEN));
	page &= ~(uint32_t)(block - 1);
	for (uint64_t i = 0; i < block && !ret; i++)
		if (g->memory.state[page + i] & GEN_PAGE_WRITTEN)
			ret = gen_memory_access(&g->memory, page + (uint32_t)i);
	return ret ? ret : gen_memory_shrink(&g->memory, s->o->limit);
}

/* @pages were written: the accesses that go with it. */
static int touches(struct mthp *g, struct gen_stream *s, uint64_t pages)
{
	uint64_t cost = 100 * s->o->block;
	int ret = 0;

	g->due += pages * s->o->touches;
	for (; g->due >= cost && !ret; g->due -= cost)
		ret = touch(g, s);
	return ret;
}

static int remember(struct mthp *g, uint32_t head, unsigned int order)
{
	if (g->nbirths == g->room) {
		uint64_t room = g->room ? g->room * 2 : 4096;
		struct birth *b = realloc(g->births, room * sizeof(*b));

		if (!b)
			return -ENOMEM;
		g->births = b;
		g->room = room;
	}
	g->births[g->nbirths++] = (struct birth){ head, (uint8_t)order };
	return 0;
}

static int fill(struct mthp *g, struct gen_stream *s)
{
	uint64_t written = 0;
	int ret = 0;

	while (written < s->o->memory && !ret) {
		unsigned int order = draw_order(g, s);
		uint32_t head = 0;

		while (1ull << order > s->o->memory - written)
			order--;
		new_step(s);
		ret = gen_memory_write(&g->memory, order, &head);
		if (!ret)
			ret = remember(g, head, order);
		if (!ret)
			ret = gen_memory_shrink(&g->memory, s->o->limit);
		if (!ret)
			ret = touches(g, s, 1ull << order);
		written += 1ull << order;
	}
	return ret;
}

/* A cache that is full gives its oldest memory to new items. */
static int rewrite(struct mthp *g, struct gen_stream *s)
{
	uint64_t left = s->o->memory * s->o->rewrite / 100, at = 0;
	int ret = 0;

	while (left && !ret) {
		const struct birth *b = &g->births[at];
		uint64_t n = 1ull << b->order;

		at = (at + 1) % g->nbirths;
		new_step(s);
		for (uint64_t i = 0; i < n && !ret; i++)
			ret = gen_memory_access(&g->memory, b->head + (uint32_t)i);
		if (!ret)
			ret = gen_memory_shrink(&g->memory, s->o->limit);
		if (!ret)
			ret = touches(g, s, n);
		left -= n < left ? n : left;
	}
	return ret;
}

int gen_mthp(struct gen_stream *s)
{
	struct mthp g = { .births = NULL };
	int ret = gen_memory_init(&g.memory, s, gen_memory_of(s->o), true);

	for (unsigned int i = 0; i < GEN_ORDERS; i++)
		g.sum += s->o->folios[i];
	if (!ret)
		ret = fill(&g, s);
	if (!ret)
		ret = rewrite(&g, s);
	gen_memory_free(&g.memory);
	free(g.births);
	return ret == -ENOMEM ? error_errno(s->e, ret, "cannot keep the memory's pages") : ret;
}

/* --- tsat --------------------------------------------------------------------------------------
 */

/* Heads of the large folios are TSAT_UNIT pages apart from page 0 on, small pages follow them. */
static int tsat_fill(struct gen_memory *m, const struct gen_options *o)
{
	uint32_t head;
	int ret = 0;

	for (unsigned int i = 0; i < TSAT_LARGE / TSAT_UNIT && !ret; i++)
		ret = gen_memory_write(m, TSAT_UNIT_ORDER, &head);
	for (unsigned int i = 0; o->small && i < TSAT_SMALL && !ret; i++)
		ret = gen_memory_write(m, 0, &head);
	return ret;
}

static int tsat_out(struct gen_memory *m, const struct gen_options *o)
{
	int ret = gen_memory_out(m, 0, TSAT_LARGE);

	return ret || !o->small ? ret : gen_memory_out(m, TSAT_LARGE, TSAT_SMALL);
}

static int tsat_swapin(struct gen_memory *m, struct gen_stream *s)
{
	uint32_t unit = s->o->aligned ? TSAT_UNIT : 1;
	int ret = 0;

	for (unsigned int i = 0; i < TSAT_SWAPIN / unit && !ret; i++) {
		uint32_t page = (uint32_t)gen_random(s, TSAT_LARGE / unit) * unit;

		new_step(s);
		for (uint32_t k = 0; k < unit && !ret; k++)
			ret = gen_memory_access(m, page + k);
	}
	return ret;
}

static int tsat_iteration(struct gen_memory *m, struct gen_stream *s)
{
	int ret = tsat_swapin(m, s);

	for (unsigned int i = 0; i < TSAT_ROUNDS && !ret; i++) {
		new_step(s);
		ret = gen_memory_discard(
			m, (uint32_t)gen_random(s, TSAT_LARGE / TSAT_UNIT) * TSAT_UNIT,
			TSAT_UNIT_ORDER);
	}
	for (unsigned int i = 0; s->o->small && i < TSAT_ROUNDS && !ret; i++) {
		new_step(s);
		ret = gen_memory_access(m, TSAT_LARGE + (uint32_t)gen_random(s, TSAT_SMALL));
	}
	return ret ? ret : tsat_out(m, s->o);
}

int gen_tsat(struct gen_stream *s)
{
	struct gen_memory m;
	int ret = gen_memory_init(&m, s, gen_memory_of(s->o), false);

	if (!ret)
		ret = tsat_fill(&m, s->o);
	if (!ret)
		ret = tsat_out(&m, s->o);
	for (unsigned int i = 0; i < s->o->iterations && !ret; i++)
		ret = tsat_iteration(&m, s);
	gen_memory_free(&m);
	return ret == -ENOMEM ? error_errno(s->e, ret, "cannot keep the memory's pages") : ret;
}
