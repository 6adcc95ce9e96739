// SPDX-License-Identifier: GPL-2.0
#include "replay/engine_state.h"

static bool verifying(const struct engine *g)
{
	return g->verified & KERNEL_BATCHES;
}

static int on_drain(struct engine *g, const struct moment *at, unsigned int cpu,
		    const struct columns *c, uint32_t i)
{
	struct lru_drained d = { .have = c->have[i] >> DRAIN_ADD & ((1u << PV_OPS) - 1) };
	int ret = lru_feed_site(&g->feed, (uint32_t)c->v[DRAIN_SITE][i], &d.site);

	for (int op = 0; op < PV_OPS; op++)
		d.moved[op] = c->v[DRAIN_ADD + op][i];
	lru_feed_drain(&g->feed, at, cpu, &d);
	if (verifying(g))
		lru_verify_drain(&g->lru_verify, at, cpu, &d);
	return ret;
}

static int on_release(struct engine *g, const struct moment *at, unsigned int cpu,
		      const struct columns *c, uint32_t i)
{
	uint64_t batch = c->v[BATCH_BATCH][i], n = column_get(c, i, BATCH_N, LRU_UNKNOWN);
	int drained = column_has(c, i, BATCH_DRAINED) ? c->v[BATCH_DRAINED][i] != 0 : -1;
	int ret = lru_feed_release(&g->feed, at, cpu, batch, n, drained);

	if (!ret && verifying(g))
		ret = lru_verify_release(&g->lru_verify, at, batch, n, drained);
	return ret;
}

static void on_lruadd(struct engine *g, const struct moment *at, unsigned int cpu, enum pv_op op,
		      const struct columns *c, uint32_t i)
{
	uint64_t n = column_get(c, i, LRUADD_N, 1);
	bool large = c->v[LRUADD_LARGE][i] != 0;

	if (!lru_feed_believes(&g->feed, n))
		return;
	if (verifying(g))
		lru_verify_add(&g->lru_verify, at, cpu, op, large, n);
	lru_feed_add(&g->feed, cpu, op, large, n);
}

int engine_lru_event(struct engine *g, const struct block_view *v, uint32_t k, enum event_type type,
		     const struct columns *c, uint32_t i)
{
	struct lru_verify *verify = verifying(g) ? &g->lru_verify : NULL;
	struct moment at = engine_moment(v, k, c, i);
	/* LRUADD without op= is what its name says; one we do not know is of no batch. */
	bool inserts = type == EV_LRUADD || type == EV_FLUSH;
	enum pv_op op =
		inserts && c->v[LRUADD_OP][i] < PV_OPS ? (enum pv_op)c->v[LRUADD_OP][i] : PV_OPS;
	unsigned int cpu;
	int ret = 0;

	if ((inserts && op == PV_OPS) ||
	    !lru_feed_cpu(&g->feed, column_has(c, i, KEY_CPU) ? (int64_t)c->v[KEY_CPU][i] : at.cpu,
			  &cpu))
		return 0;
	switch (type) {
	case EV_LRUADD:
		on_lruadd(g, &at, cpu, op, c, i);
		return 0;
	case EV_FLUSH:
		if (verify)
			lru_verify_flush(verify, &at, cpu, op,
					 column_get(c, i, FLUSH_N, LRU_UNKNOWN));
		return 0;
	case EV_INIT:
		ret = lru_feed_init_batch(&g->feed, &at, c->v[BATCH_BATCH][i]);
		return ret || !verify ? ret
				      : lru_verify_init_batch(verify, &at, c->v[BATCH_BATCH][i]);
	case EV_PUT:
		if (verify)
			lru_verify_put(verify, &at);
		return lru_feed_put(&g->feed, &at, c->v[BATCH_BATCH][i],
				    column_get(c, i, BATCH_N, 1));
	case EV_RELEASE:
		return on_release(g, &at, cpu, c, i);
	default:
		return on_drain(g, &at, cpu, c, i);
	}
}
