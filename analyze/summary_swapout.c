// SPDX-License-Identifier: GPL-2.0
#include "analyze/summary_swapout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

#define FIRST_WIDTH_NS 1000000 /* of a slice, as summary_time.c */
#define SITES_MAX 256	       /* call sites told apart, beside one for all others */
#define OTHER_SITES UINT32_MAX
#define FOLIOS_MAX (1ull << 32) /* moved by one event; more is damage */

/* Outcomes of one slice of time, by both ways to count. */
struct request_slice {
	struct {
		uint64_t asked, given, failed;
	} orders[ALLOC_ORDERS];
};

struct drain_site {
	uint32_t id; /* string; 0: the event does not say */
	uint64_t drains, moved;
};

struct swapout_gathering {
	struct request_slice slices[SLICES_MAX];
	uint64_t start_ns, width_ns;
	unsigned int n;
	uint64_t asked, given, failed; /* SWAPOUT, ALLOC, ALLOCFAIL */
	uint64_t answers;	       /* ALLOC and ALLOCFAIL events of any kind */
	uint64_t reasons[ALLOC_ORDERS][FALLBACK_REASONS];
	struct alloc_first first; /* n: SWAPOUT events so far */
	uint64_t first_given;	  /* the same counted by ALLOC and ALLOCFAIL */
	struct drain_site sites[SITES_MAX + 1];
	unsigned int nsites;
	uint64_t drains, empty, uncounted; /* DRAIN; with nothing to move; without counts */
	uint64_t moved;
	uint64_t released, releases; /* RELEASE events, and those of a batch with folios */
	uint64_t flushes, flushed;
};

struct swapout_gathering *swapout_new(void)
{
	return calloc(1, sizeof(struct swapout_gathering));
}

void swapout_free(struct swapout_gathering *g)
{
	free(g);
}

static void join_pairs(struct swapout_gathering *g)
{
	for (unsigned int i = 0; i < SLICES_MAX / 2; i++) {
		struct request_slice pair = g->slices[2 * i];

		for (unsigned int o = 0; o < ALLOC_ORDERS; o++) {
			pair.orders[o].asked += g->slices[2 * i + 1].orders[o].asked;
			pair.orders[o].given += g->slices[2 * i + 1].orders[o].given;
			pair.orders[o].failed += g->slices[2 * i + 1].orders[o].failed;
		}
		g->slices[i] = pair;
	}
	memset(g->slices + SLICES_MAX / 2, 0, sizeof(g->slices) / 2);
	g->n = (g->n + 1) / 2;
	g->width_ns *= 2;
}

static struct request_slice *slice_at(struct swapout_gathering *g, uint64_t t_ns)
{
	uint64_t i;

	if (!g->width_ns) {
		g->start_ns = t_ns;
		g->width_ns = FIRST_WIDTH_NS;
	}
	if (t_ns < g->start_ns)
		t_ns = g->start_ns;
	while ((i = (t_ns - g->start_ns) / g->width_ns) >= SLICES_MAX)
		join_pairs(g);
	if (g->n <= i)
		g->n = (unsigned int)i + 1;
	return &g->slices[i];
}

static void take_fail(struct swapout_gathering *g, const struct event *ev, unsigned int order)
{
	uint64_t reason = event_get(ev, ALLOC_REASON, REASON_SPACE);

	g->failed++;
	slice_at(g, ev->t_ns)->orders[order].failed++;
	g->reasons[order][FALLBACK_LIMIT] += reason == REASON_LIMIT;
	g->reasons[order][FALLBACK_CONFIG] += reason == REASON_CONFIG;
	if (!order || reason == REASON_LIMIT || g->first.known)
		return;
	g->first.known = true;
	g->first.n = g->asked;
	g->first_given = g->given + g->failed;
	g->first.t_ns = ev->t_ns;
	g->first.order = order;
}

static void take_alloc(struct swapout_gathering *g, const struct event *ev, unsigned int order)
{
	uint64_t n = order ? 1 : event_get(ev, ALLOC_N, 1);

	if (event_get(ev, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE || n > FOLIOS_MAX)
		return;
	g->given += n;
	slice_at(g, ev->t_ns)->orders[order].given += n;
}

static struct drain_site *site_of(struct swapout_gathering *g, uint32_t id)
{
	unsigned int i = 0;

	while (i < g->nsites && g->sites[i].id != id)
		i++;
	if (i < g->nsites)
		return &g->sites[i];
	/* The last place is for the others alone. */
	if (g->nsites >= SITES_MAX && id != OTHER_SITES)
		return site_of(g, OTHER_SITES);
	g->sites[i].id = id;
	g->nsites++;
	return &g->sites[i];
}

static void take_drain(struct swapout_gathering *g, const struct event *ev)
{
	struct drain_site *site = site_of(g, (uint32_t)event_get(ev, DRAIN_SITE, 0));
	uint64_t moved = 0;
	bool known = false;

	for (unsigned int k = DRAIN_ADD; k < DRAIN_KEYS; k++) {
		uint64_t n = event_get(ev, k, 0);

		known |= event_has(ev, k);
		moved += n < FOLIOS_MAX ? n : 0;
	}
	g->drains++;
	g->empty += known && !moved;
	g->uncounted += !known;
	g->moved += moved;
	site->drains++;
	site->moved += moved;
}

void swapout_event(struct swapout_gathering *g, const struct event *ev)
{
	uint64_t n;

	switch (ev->type) {
	case EV_SWAPOUT:
		n = event_get(ev, SWAPOUT_ORDER, 0);
		if (n < ALLOC_ORDERS) {
			g->asked++;
			slice_at(g, ev->t_ns)->orders[n].asked++;
		}
		break;
	case EV_ALLOC:
	case EV_ALLOCFAIL:
		n = event_get(ev, ALLOC_ORDER, 0);
		g->answers++;
		if (n < ALLOC_ORDERS && ev->type == EV_ALLOC)
			take_alloc(g, ev, (unsigned int)n);
		else if (n < ALLOC_ORDERS)
			take_fail(g, ev, (unsigned int)n);
		break;
	case EV_DRAIN:
		take_drain(g, ev);
		break;
	case EV_RELEASE:
		g->released++;
		g->releases += event_get(ev, BATCH_N, 1) > 0;
		break;
	case EV_FLUSH:
		n = event_get(ev, FLUSH_N, 0);
		g->flushes++;
		g->flushed += n < FOLIOS_MAX ? n : 0;
		break;
	default:
		break;
	}
}

/* A request whose answer came in another slice, or never, leaves more failures than requests. */
static uint64_t granted(uint64_t asked, uint64_t failed)
{
	return asked > failed ? asked - failed : 0;
}

static int finish_alloc(const struct swapout_gathering *g, struct alloc_result *alloc)
{
	uint64_t asked[ALLOC_ORDERS] = { 0 };

	/* Requests without any answer tell nothing about answers. */
	if (!g->answers || !g->n)
		return 0;
	alloc->slices = calloc(g->n, sizeof(*alloc->slices));
	if (!alloc->slices)
		return -ENOMEM;
	alloc->known = true;
	alloc->nslices = g->n;
	for (unsigned int i = 0; i < g->n; i++) {
		alloc->slices[i].t_ns = g->start_ns + i * g->width_ns;
		for (unsigned int o = 0; o < ALLOC_ORDERS; o++) {
			uint64_t failed = g->slices[i].orders[o].failed;
			uint64_t all = g->asked ? g->slices[i].orders[o].asked
						: g->slices[i].orders[o].given + failed;

			asked[o] += all;
			alloc->slices[i].orders[o].swpout = granted(all, failed);
			alloc->slices[i].orders[o].fallback = failed;
			alloc->orders[o].fallback += failed;
		}
	}
	for (unsigned int o = 0; o < ALLOC_ORDERS; o++) {
		alloc->orders[o].swpout = granted(asked[o], alloc->orders[o].fallback);
		memcpy(alloc->orders[o].reasons, g->reasons[o], sizeof(g->reasons[o]));
	}
	alloc->first = g->first;
	if (!g->asked)
		alloc->first.n = g->first_given;
	return 0;
}

static int more_drains_first(const void *a, const void *b)
{
	const struct lru_site *x = a, *y = b;

	if (x->drains != y->drains)
		return x->drains < y->drains ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int finish_lru(const struct swapout_gathering *g, const struct trace_reader *r,
		      struct lru_result *lru)
{
	if (!g->drains && !g->released && !g->flushes)
		return 0;
	lru->sites = calloc(g->nsites + 1ul, sizeof(*lru->sites));
	if (!lru->sites)
		return -ENOMEM;
	lru->known = true;
	lru->nsites = g->nsites;
	for (unsigned int i = 0; i < g->nsites; i++) {
		const struct drain_site *from = &g->sites[i];
		struct lru_site *to = &lru->sites[i];
		const char *name = from->id && from->id != OTHER_SITES
					   ? trace_string(r, from->id, NULL)
					   : NULL;

		snprintf(to->name, sizeof(to->name), "%s",
			 name			   ? name
			 : from->id == OTHER_SITES ? "(others)"
						   : "(unknown)");
		to->drains = from->drains;
		to->moved = g->uncounted ? LRU_UNKNOWN : from->moved;
	}
	qsort(lru->sites, lru->nsites, sizeof(*lru->sites), more_drains_first);
	lru->drains = g->drains ? g->drains : LRU_UNKNOWN;
	lru->drains_empty = g->drains && !g->uncounted ? g->empty : LRU_UNKNOWN;
	lru->moved = g->drains && !g->uncounted ? g->moved : LRU_UNKNOWN;
	lru->releases = g->released ? g->releases : LRU_UNKNOWN;
	lru->flushes = g->flushes ? g->flushes : LRU_UNKNOWN;
	lru->flushed = g->flushes ? g->flushed : LRU_UNKNOWN;
	/* Only a policy saves drains or has them switched off. */
	lru->drains_saved = lru->suppressed = lru->added = LRU_UNKNOWN;
	return 0;
}

int swapout_finish(struct swapout_gathering *g, const struct trace_reader *r,
		   struct alloc_result *alloc, struct lru_result *lru)
{
	int ret = finish_alloc(g, alloc);

	return ret ? ret : finish_lru(g, r, lru);
}
