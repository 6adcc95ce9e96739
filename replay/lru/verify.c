// SPDX-License-Identifier: GPL-2.0
#include "replay/lru/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/world/survey.h"

#define BIT(k) (1u << (k))
#define ALL_OPS (BIT(PV_OPS) - 1)

/* Flushes that an insertion must have caused, of which no event was seen yet. */
struct lru_due {
	uint64_t count;	    /* batches */
	uint64_t first;	    /* folios of the next one */
	uint64_t rest;	    /* of each of the others */
	uint64_t last_n;    /* folios of the last insertion */
	bool first_unknown; /* it takes along what waited since before the trace */
};

/* Whether the events of the trace were concluded from those that are to be verified. */
static bool adds_are_derived(const struct trace_header *h)
{
	const char *derived = trace_header_get(h, "derived"), *name = event_table[EV_LRUADD].name;
	size_t len = strlen(name);

	for (const char *p = derived; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, name, len) && (!p[len] || p[len] == ','))
			return true;
	}
	return false;
}

/*
 * Runs of the recorder's programs that the kernel left out, of events of the batches: an interrupt
 * that meets a program under way on its CPU does not start it again. They are events that are not
 * there.
 */
static uint64_t missed_runs(const struct trace_header *h)
{
	static const enum event_type types[] = { EV_LRUADD, EV_FLUSH, EV_DRAIN, EV_RELEASE };
	uint64_t sum = 0, missed;
	const char *line;
	char event[64];
	size_t from = 0;

	while ((line = trace_header_next_directive(h, "probe", &from))) {
		if (!trace_line_get(line, "event", event, sizeof(event)) ||
		    !trace_line_u64(line, "missed", &missed))
			continue;
		for (unsigned int i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			if (!strcmp(event, event_table[types[i]].name))
				sum += missed;
	}
	return sum;
}

int lru_verify_init(struct lru_verify *v, struct lru_feed *feed, const struct survey *survey,
		    struct verify_result *out)
{
	struct pv_cpu *cpus = calloc(LRU_CPUS, sizeof(*cpus));

	memset(v, 0, sizeof(*v));
	v->feed = feed;
	v->survey = survey;
	v->out = out;
	v->derived = adds_are_derived(trace_get_header(feed->reader));
	v->missed = missed_runs(trace_get_header(feed->reader));
	v->model.cpus = cpus;
	v->known = calloc(LRU_CPUS, sizeof(*v->known));
	v->used = calloc(LRU_CPUS, sizeof(*v->used));
	v->due = calloc((size_t)LRU_CPUS * PV_OPS, sizeof(*v->due));
	if (!cpus || !v->known || !v->used || !v->due)
		return -ENOMEM;
	return pv_init(&v->model, &feed->recorded->batches, cpus, LRU_CPUS, NULL, 0);
}

void lru_verify_free(struct lru_verify *v)
{
	free(v->model.cpus);
	free(v->known);
	free(v->used);
	free(v->due);
	map_free(&v->lives);
	map_free(&v->releases);
	memset(v, 0, sizeof(*v));
}

/* --- comparisons --------------------------------------------------------------------------- */

static void agrees(struct lru_verify *v, uint64_t *checked, uint64_t *agreed)
{
	v->out->checked++;
	v->out->agreed++;
	++*checked;
	++*agreed;
}

/* One decision that differs; returns where to describe it, NULL when enough are described. */
static struct divergence *differs(struct lru_verify *v, const struct moment *at, const char *event,
				  uint64_t *checked, const char *why)
{
	struct verify_result *r = v->out;
	struct divergence *d;

	r->checked++;
	++*checked;
	r->explained += v->lost || v->missed;
	if (r->nfirst == DIVERGENCES_KEPT)
		return NULL;
	d = &r->first[r->nfirst++];
	*d = (struct divergence){ .t_ns = at->t_ns, .event = event };
	if (v->lost)
		snprintf(d->why, sizeof(d->why), "%" PRIu64 " events were lost before", v->lost);
	else if (v->missed)
		snprintf(d->why, sizeof(d->why),
			 "%" PRIu64 " runs of the recorder's programs were missed", v->missed);
	else
		snprintf(d->why, sizeof(d->why), "%s", why);
	return d;
}

static const char *op_name(enum pv_op op)
{
	return event_key(EV_FLUSH, FLUSH_OP)->names[op];
}

static struct lru_due *due_of(struct lru_verify *v, unsigned int cpu, enum pv_op op)
{
	return &v->due[(size_t)cpu * PV_OPS + op];
}

/* The content of a batch is known from now on. */
static void know(struct lru_verify *v, const struct moment *at, unsigned int cpu, enum pv_op op)
{
	struct lru_checked *c = &v->out->lru;

	if (v->used[cpu] & ~v->known[cpu] & BIT(op))
		c->in_step_ns = at->t_ns;
	v->known[cpu] |= (uint8_t)BIT(op);
}

static void forget(struct lru_verify *v, unsigned int cpu, enum pv_op op)
{
	v->known[cpu] &= (uint8_t)~BIT(op);
	v->model.cpus[cpu].pending[op] = 0;
}

/* Flushes that did not come before the next event of the batch. */
static void check_due(struct lru_verify *v, const struct moment *at, unsigned int cpu,
		      enum pv_op op)
{
	struct lru_due *due = due_of(v, cpu, op);
	struct divergence *d;

	if (!due->count)
		return;
	d = differs(v, at, "FLUSH", &v->out->lru.flushes_checked,
		    "the batch was not full, or an insertion is of another CPU");
	if (d) {
		snprintf(d->recorded, sizeof(d->recorded), "no flush of %s on CPU %u", op_name(op),
			 cpu);
		snprintf(d->predicted, sizeof(d->predicted), "%" PRIu64 " of %" PRIu64 " folios",
			 due->count, due->first);
	}
	due->count = 0;
	forget(v, cpu, op);
}

/* --- insertions and flushes ------------------------------------------------------------------ */

void lru_verify_add(struct lru_verify *v, const struct moment *at, unsigned int cpu, enum pv_op op,
		    bool large, uint64_t n)
{
	struct lru_due *due = due_of(v, cpu, op);
	unsigned int waiting = pv_pending(&v->model, cpu, op);
	uint64_t flushes = v->model.stats.flushes[op];
	bool known;

	if (v->derived || !n || !(v->model.rules.ops & BIT(op)))
		return;
	check_due(v, at, cpu, op);
	known = v->known[cpu] & BIT(op);
	v->used[cpu] |= (uint8_t)BIT(op);
	due->last_n = n;
	if (!known && !large) {
		v->out->lru.unchecked += n;
		return;
	}
	pv_insert(&v->model, cpu, op, large, n);
	know(v, at, cpu, op);
	if (!v->survey->events[EV_FLUSH])
		return;
	due->count = v->model.stats.flushes[op] - flushes;
	due->first_unknown = !known;
	due->first = large ? waiting + 1 : v->model.rules.capacity;
	due->rest = large ? 1 : v->model.rules.capacity;
}

static void compare_flush(struct lru_verify *v, const struct moment *at, unsigned int cpu,
			  enum pv_op op, uint64_t n)
{
	struct lru_checked *c = &v->out->lru;
	struct lru_due *due = due_of(v, cpu, op);
	unsigned int waiting = pv_pending(&v->model, cpu, op);
	struct divergence *d;

	if (due->count && (due->first_unknown || n == LRU_UNKNOWN || n == due->first)) {
		agrees(v, &c->flushes_checked, &c->flushes_agreed);
		return;
	}
	d = differs(v, at, "FLUSH", &c->flushes_checked,
		    "an insertion was not recorded, or the batch size is another");
	if (d) {
		snprintf(d->recorded, sizeof(d->recorded), "%" PRIu64 " folios of %s on CPU %u", n,
			 op_name(op), cpu);
		if (due->count)
			snprintf(d->predicted, sizeof(d->predicted), "%" PRIu64 " folios",
				 due->first);
		else
			snprintf(d->predicted, sizeof(d->predicted), "no flush, %u of %u waiting",
				 waiting, v->model.rules.capacity);
	}
	if (due->last_n > 1)
		forget(v, cpu, op); /* how many of them came after the flush is not known */
	else
		v->model.cpus[cpu].pending[op] = 0;
}

void lru_verify_flush(struct lru_verify *v, const struct moment *at, unsigned int cpu,
		      enum pv_op op, uint64_t n)
{
	struct lru_due *due = due_of(v, cpu, op);

	if (v->derived || !(v->survey->lru_ops & BIT(op)) || !(v->model.rules.ops & BIT(op)))
		return;
	if (v->known[cpu] & BIT(op))
		compare_flush(v, at, cpu, op, n);
	else if (due->last_n == 1)
		know(v, at, cpu, op);
	if (due->count) {
		due->count--;
		due->first = due->rest;
		due->first_unknown = false;
	}
}

/* --- callers' batches ------------------------------------------------------------------------- */

/* What a task released before did not drain after all: its next event of a batch is here. */
static void close_release(struct lru_verify *v, const struct moment *at)
{
	struct lru_checked *c = &v->out->lru;
	uint64_t *expected = map_get(&v->releases, at->task, at->by_cpu);
	struct divergence *d;

	if (!expected)
		return;
	if (!*expected) {
		agrees(v, &c->releases_checked, &c->releases_agreed);
	} else {
		v->expected_open--;
		d = differs(v, at, "RELEASE", &c->releases_checked,
			    "the life of the batch began unseen, or the kernel has another rule");
		if (d) {
			snprintf(d->recorded, sizeof(d->recorded), "no drain since the release");
			snprintf(d->predicted, sizeof(d->predicted), "the release drains");
		}
	}
	map_remove(&v->releases, at->task, at->by_cpu);
}

int lru_verify_init_batch(struct lru_verify *v, const struct moment *at, uint64_t batch)
{
	close_release(v, at);
	return map_set(&v->lives, batch, 0, 0);
}

void lru_verify_put(struct lru_verify *v, const struct moment *at)
{
	close_release(v, at);
}

int lru_verify_release(struct lru_verify *v, const struct moment *at, uint64_t batch, uint64_t n,
		       int drained)
{
	const uint64_t *life = map_get(&v->lives, batch, 0);
	bool always = v->model.rules.policy == PV_DRAIN_ALWAYS;
	bool marked = life && *life;
	int ret;

	close_release(v, at);
	if (!n || !v->survey->events[EV_DRAIN])
		return 0;
	if (drained >= 0)
		marked = drained;
	if (v->lives.count >= LRU_BATCHES)
		map_free(&v->lives);
	ret = map_set(&v->lives, batch, 0, 1);
	if (ret)
		return ret;
	v->expected_open += always || !marked;
	return map_set(&v->releases, at->task, at->by_cpu, always || !marked);
}

/* --- drains --------------------------------------------------------------------------------- */

static void compare_release(struct lru_verify *v, const struct moment *at)
{
	struct lru_checked *c = &v->out->lru;
	const uint64_t *expected = map_get(&v->releases, at->task, at->by_cpu);
	struct divergence *d;

	if (!expected)
		return;
	if (*expected) {
		v->expected_open--;
		agrees(v, &c->releases_checked, &c->releases_agreed);
	} else {
		d = differs(v, at, "RELEASE", &c->releases_checked,
			    "the kernel drains always, or its flag was cleared unseen");
		if (d) {
			snprintf(d->recorded, sizeof(d->recorded), "the release drains");
			snprintf(d->predicted, sizeof(d->predicted),
				 "no drain: the batch already had");
		}
	}
	map_remove(&v->releases, at->task, at->by_cpu);
}

static void append(char *out, size_t size, const char *op, uint64_t n)
{
	size_t len = strlen(out);

	snprintf(out + len, size - len, "%s%s=%" PRIu64, len ? " " : "", op, n);
}

static void describe(struct divergence *d, const struct lru_verify *v, unsigned int cpu,
		     const struct lru_drained *drained, uint32_t wrong)
{
	snprintf(d->recorded, sizeof(d->recorded), "site=%.40s cpu=%u",
		 v->feed->sites[drained->site], cpu);
	for (int op = 0; op < PV_OPS; op++) {
		if (!(wrong & BIT(op)))
			continue;
		append(d->recorded, sizeof(d->recorded), op_name((enum pv_op)op),
		       drained->moved[op]);
		append(d->predicted, sizeof(d->predicted), op_name((enum pv_op)op),
		       pv_pending(&v->model, cpu, (enum pv_op)op));
	}
}

static void compare_sizes(struct lru_verify *v, const struct moment *at, unsigned int cpu,
			  const struct lru_drained *drained)
{
	struct lru_checked *c = &v->out->lru;
	uint32_t comparable =
		drained->have & v->known[cpu] & v->survey->lru_ops & v->model.rules.ops;
	uint32_t wrong = 0;
	struct divergence *d;

	if (!comparable || v->derived)
		return;
	for (int op = 0; op < PV_OPS; op++)
		if (comparable & BIT(op) &&
		    drained->moved[op] != pv_pending(&v->model, cpu, (enum pv_op)op))
			wrong |= BIT(op);
	if (!wrong) {
		agrees(v, &c->drains_checked, &c->drains_agreed);
		return;
	}
	d = differs(v, at, "DRAIN", &c->drains_checked,
		    "an insertion or a flush was not recorded, or in another order");
	if (d)
		describe(d, v, cpu, drained, wrong);
}

void lru_verify_drain(struct lru_verify *v, const struct moment *at, unsigned int cpu,
		      const struct lru_drained *d)
{
	if (d->by_release)
		compare_release(v, at);
	else
		close_release(v, at);
	for (int op = 0; op < PV_OPS; op++)
		check_due(v, at, cpu, (enum pv_op)op);
	compare_sizes(v, at, cpu, d);
	for (int op = 0; op < PV_OPS; op++) {
		know(v, at, cpu, (enum pv_op)op);
		v->model.cpus[cpu].pending[op] = 0;
	}
}

/* --- the end --------------------------------------------------------------------------------- */

void lru_verify_finish(struct lru_verify *v)
{
	const struct survey *s = v->survey;
	struct lru_checked *c = &v->out->lru;
	uint64_t quiet = v->releases.count - v->expected_open;

	/* A release that expects a drain may just have been cut off from it. */
	v->out->checked += quiet;
	v->out->agreed += quiet;
	c->releases_checked += quiet;
	c->releases_agreed += quiet;
	c->in_step = true;
	for (unsigned int cpu = 0; cpu < LRU_CPUS; cpu++)
		if (v->used[cpu] & ~v->known[cpu])
			c->in_step = false;
	if (v->derived)
		verify_result_missing(v->out,
				      "batch sizes and flushes (LRUADD is derived from them)");
	else if (!s->events[EV_LRUADD])
		verify_result_missing(v->out, "batch sizes (no LRUADD events)");
	else if (!s->events[EV_FLUSH])
		verify_result_missing(v->out, "flushes (no FLUSH events)");
	if (!s->events[EV_DRAIN])
		verify_result_missing(v->out, "drains (no DRAIN events)");
	else if (v->model.rules.mlock)
		verify_result_missing(v->out, "mlock's batch (no model)");
}
