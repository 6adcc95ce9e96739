// SPDX-License-Identifier: GPL-2.0
#include "replay/lru/family.h"

#include <errno.h>
#include <stdlib.h>

#include "replay/lru/verify.h"

struct lru_state {
	struct replay_context *x;
	struct lru_feed feed;
	struct lru_verify verify;
};

static bool verifying(const struct lru_state *f)
{
	return f->x->verified & KERNEL_BATCHES;
}

/* The CPU that an event acts on; false: it is to be ignored. */
static bool cpu_of(struct lru_state *f, const struct replay_event *ev, unsigned int *cpu)
{
	return lru_feed_cpu(&f->feed,
			    ev_has(ev, KEY_CPU) ? (int64_t)ev_value(ev, KEY_CPU) : ev_cpu(ev), cpu);
}

/* LRUADD and FLUSH without op= are what their name says; one we do not know is of no batch. */
static bool op_of(uint64_t value, enum pv_op *op)
{
	*op = value < PV_OPS ? (enum pv_op)value : PV_OPS;
	return *op != PV_OPS;
}

static int on_drain(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;
	struct lru_drained d = { .have = 0 };
	struct moment at = moment_of(ev);
	unsigned int cpu;
	int ret;

	if (!cpu_of(f, ev, &cpu))
		return 0;
	for (unsigned int op = 0; op < PV_OPS; op++) {
		d.have |= (uint32_t)ev_has(ev, DRAIN_ADD + op) << op;
		d.moved[op] = ev_value(ev, DRAIN_ADD + op);
	}
	ret = lru_feed_site(&f->feed, (uint32_t)ev_value(ev, DRAIN_SITE), &d.site);
	lru_feed_drain(&f->feed, &at, cpu, &d);
	if (verifying(f))
		lru_verify_drain(&f->verify, &at, cpu, &d);
	return ret;
}

static int on_init(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;
	struct moment at = moment_of(ev);
	unsigned int cpu;
	int ret;

	if (!cpu_of(f, ev, &cpu))
		return 0;
	ret = lru_feed_init_batch(&f->feed, &at, ev_value(ev, BATCH_BATCH));
	return ret || !verifying(f)
		       ? ret
		       : lru_verify_init_batch(&f->verify, &at, ev_value(ev, BATCH_BATCH));
}

static int on_put(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;
	struct moment at = moment_of(ev);
	unsigned int cpu;

	if (!cpu_of(f, ev, &cpu))
		return 0;
	if (verifying(f))
		lru_verify_put(&f->verify, &at);
	return lru_feed_put(&f->feed, &at, ev_value(ev, BATCH_BATCH), ev_get(ev, BATCH_N, 1));
}

static int on_release(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;
	uint64_t batch = ev_value(ev, BATCH_BATCH), n = ev_get(ev, BATCH_N, LRU_UNKNOWN);
	int drained = ev_has(ev, BATCH_DRAINED) ? ev_value(ev, BATCH_DRAINED) != 0 : -1;
	struct moment at = moment_of(ev);
	unsigned int cpu;
	int ret;

	if (!cpu_of(f, ev, &cpu))
		return 0;
	ret = lru_feed_release(&f->feed, &at, cpu, batch, n, drained);
	if (!ret && verifying(f))
		ret = lru_verify_release(&f->verify, &at, batch, n, drained);
	return ret;
}

static int on_lruadd(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;
	uint64_t n = ev_get(ev, LRUADD_N, 1);
	bool large = ev_value(ev, LRUADD_LARGE) != 0;
	struct moment at = moment_of(ev);
	unsigned int cpu;
	enum pv_op op;

	if (!op_of(ev_value(ev, LRUADD_OP), &op) || !cpu_of(f, ev, &cpu) ||
	    !lru_feed_believes(&f->feed, n))
		return 0;
	if (verifying(f))
		lru_verify_add(&f->verify, &at, cpu, op, large, n);
	lru_feed_add(&f->feed, &at, cpu, op, large, n);
	return 0;
}

static int on_flush(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;
	struct moment at = moment_of(ev);
	unsigned int cpu;
	enum pv_op op;

	if (op_of(ev_value(ev, FLUSH_OP), &op) && cpu_of(f, ev, &cpu) && verifying(f))
		lru_verify_flush(&f->verify, &at, cpu, op, ev_get(ev, FLUSH_N, LRU_UNKNOWN));
	return 0;
}

static int on_read(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;
	struct moment at = moment_of(ev);

	if (ev_cpu(ev) >= 0 && ev_cpu(ev) < LRU_CPUS)
		lru_feed_read(&f->feed, &at, (unsigned int)ev_cpu(ev));
	return 0;
}

static int on_lost(void *family, const struct replay_event *ev)
{
	struct lru_state *f = family;

	f->verify.lost += ev_get(ev, LOST_N, 0);
	return 0;
}

static void on_swapin(void *family, unsigned int policy, const struct swapin *s)
{
	struct lru_state *f = family;

	if (policy < f->feed.nruns && s->cpu < LRU_CPUS)
		lru_feed_swapin(&f->feed, policy, s->cpu < 0 ? 0 : (unsigned int)s->cpu, s);
}

/* --- begin and end
 * ----------------------------------------------------------------------------------- */

static bool has_events(const struct survey *s)
{
	bool any = false;

	for (int t = EV_DRAIN; t <= EV_FLUSH; t++)
		any |= s->events[t] != 0;
	return any;
}

static bool told(const struct replay_context *x)
{
	return has_events(x->survey);
}

static int couple(struct lru_state *f)
{
	struct replay_context *x = f->x;
	int ret = 0;

	for (unsigned int p = 0; p < x->o->npolicies && !ret; p++)
		if (x->survey->events[EV_LOOKUP] &&
		    (x->world->places[p] || policy_reads_differ(&x->o->policies[p], x->recorded)))
			ret = lru_feed_couple(&f->feed, p);
	x->world->swapins.read = f->feed.any_coupled ? on_swapin : NULL;
	x->world->swapins.read_ctx = f;
	return ret;
}

static int prepare(struct replay_context *x, void **family)
{
	struct lru_state *f;
	int ret;

	if (!has_events(x->survey))
		return 0;
	f = calloc(1, sizeof(*f));
	*family = f;
	if (!f)
		return -ENOMEM;
	f->x = x;
	ret = lru_feed_init(&f->feed, x->reader, x->recorded, x->o->policies, x->o->npolicies,
			    x->results);
	f->feed.flag_used = x->survey->flag_used;
	if (!ret && verifying(f))
		ret = lru_verify_init(&f->verify, &f->feed, x->survey, &x->results[0].verify);
	return ret ? ret : couple(f);
}

static int finish(void *family)
{
	struct lru_state *f = family;
	int ret = lru_feed_finish(&f->feed, f->x->results);

	if (!ret && verifying(f))
		lru_verify_finish(&f->verify);
	else if (f->x->o->verify)
		verify_result_missing(&f->x->results[0].verify,
				      "releases, drains and flushes (no exact model of this "
				      "kernel's batches)");
	return ret;
}

static void free_state(void *family)
{
	struct lru_state *f = family;

	lru_verify_free(&f->verify);
	lru_feed_free(&f->feed);
	free(f);
}

#define WHO (BIT(KEY_CPU) | BIT(KEY_TID))
#define BATCH (BIT(BATCH_BATCH) | BIT(BATCH_N) | BIT(BATCH_DRAINED) | WHO)

static const struct family_handler handlers[EV_NR] = {
	[EV_DRAIN] = { on_drain, (BIT(DRAIN_KEYS) - 1) | WHO },
	[EV_INIT] = { on_init, BATCH },
	[EV_PUT] = { on_put, BATCH },
	[EV_RELEASE] = { on_release, BATCH },
	[EV_LRUADD] = { on_lruadd, BIT(LRUADD_OP) | BIT(LRUADD_LARGE) | BIT(LRUADD_N) | WHO },
	[EV_FLUSH] = { on_flush, BIT(FLUSH_OP) | BIT(FLUSH_N) | WHO },
	[EV_READ] = { on_read, 0 },
	[EV_LOST] = { on_lost, BIT(LOST_N) },
};

/* Which additions are pages of swap-ins matters to policies that have their own. */
static void wants(const void *family, struct view_wanted *w)
{
	w->times = w->cpus = w->tgids = true;
	if (((const struct lru_state *)family)->feed.any_coupled)
		w->keys[EV_READ] |= BIT(KEY_TID);
}

const struct replay_family lru_family = {
	.name = "lru",
	.part = KERNEL_BATCHES,
	.settings = lru_settings,
	.handlers = handlers,
	.prepare = prepare,
	.wants = wants,
	.told = told,
	.finish = finish,
	.free = free_state,
};
