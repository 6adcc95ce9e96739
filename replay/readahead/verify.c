// SPDX-License-Identifier: GPL-2.0
#include "replay/readahead/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/event.h"

/* Events of other CPUs that are older than this cannot have overlapped (10 ms: a slow guest). */
#define OVERLAP_NS 10000000ull

int verify_init(struct verify *v, const struct policy *p, const struct world *w,
		struct cache_map *c, unsigned int index, struct verify_result *out)
{
	memset(v, 0, sizeof(*v));
	v->out = out;
	out->done = true;
	/* Without memory for it nothing is explained by order, and that is all. */
	v->changes = calloc(slot_numbers_total(w->slots.numbers) + 1, sizeof(*v->changes));
	return run_init(&v->run, p, w, c, index, NULL, &v->scratch);
}

void verify_free(struct verify *v)
{
	for (unsigned int i = 0; i < v->ncalls; i++)
		free(v->calls[i].expected);
	free(v->calls);
	free(v->changes);
	map_free(&v->tasks);
	run_free(&v->run);
	replay_result_free(&v->scratch);
	memset(v, 0, sizeof(*v));
}

static const struct survey *survey_of(const struct verify *v)
{
	return v->run.world->survey;
}

static struct task_call *find_call(struct verify *v, const struct moment *at)
{
	uint64_t *index = map_get(&v->tasks, at->task, at->by_cpu);

	if (index)
		return &v->calls[*index];
	if (v->ncalls == v->room) {
		unsigned int room = v->room ? v->room * 2 : 64;
		struct task_call *bigger = realloc(v->calls, room * sizeof(*bigger));

		if (!bigger)
			return NULL;
		v->calls = bigger;
		v->room = room;
	}
	if (map_set(&v->tasks, at->task, at->by_cpu, v->ncalls))
		return NULL;
	memset(&v->calls[v->ncalls], 0, sizeof(*v->calls));
	return &v->calls[v->ncalls++];
}

struct difference {
	const char *event;
	char recorded[96], predicted[96], why[160];
};

static void format(char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void format(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out, size, fmt, ap);
	va_end(ap);
}

/* Count one comparison; d is NULL where both agree. */
static void compared(struct verify *v, uint64_t t_ns, uint64_t *checked, uint64_t *agreed,
		     const struct difference *d, bool explained)
{
	struct verify_result *r = v->out;
	struct divergence *first;

	r->checked++;
	++*checked;
	if (!d) {
		r->agreed++;
		++*agreed;
		return;
	}
	r->explained += explained;
	if (r->nfirst == DIVERGENCES_KEPT)
		return;
	first = &r->first[r->nfirst++];
	first->t_ns = t_ns;
	first->event = d->event;
	memcpy(first->recorded, d->recorded, sizeof(first->recorded));
	memcpy(first->predicted, d->predicted, sizeof(first->predicted));
	memcpy(first->why, d->why, sizeof(first->why));
}

/* A slot as an event names it. */
static void say_slot(const struct verify *v, char *out, size_t size, uint32_t r, const char *cause)
{
	const struct slot_numbers *numbers = v->run.world->slots.numbers;

	format(out, size, "type=%u off=%" PRIu64 " cause=%s", slot_number_type(numbers, r),
	       slot_number_off(numbers, r), cause);
}

static bool explain_loss(const struct verify *v, struct difference *d)
{
	if (!v->lost)
		return false;
	format(d->why, sizeof(d->why), "%" PRIu64 " events were lost before", v->lost);
	return true;
}

/*
 * Another CPU changed the slot while the call of this one went on: the trace's order of the two
 * need not be the kernel's.
 */
static bool explain_change(const struct verify *v, const struct task_call *call, uint32_t r,
			   struct difference *d)
{
	const struct slot_change *c;
	uint64_t apart;

	if (r == SLOT_NOWHERE || !v->changes)
		return explain_loss(v, d);
	c = &v->changes[r];
	apart = c->t_ns > call->t_ns ? c->t_ns - call->t_ns : call->t_ns - c->t_ns;
	if (!c->t_ns || c->cpu < 0 || call->cpu < 0 || c->cpu == call->cpu || apart > OVERLAP_NS)
		return explain_loss(v, d);
	format(d->why, sizeof(d->why), "order of events: CPU %d changed the slot at %" PRIu64 " ns",
	       c->cpu, c->t_ns);
	return true;
}

static void unread(struct verify *v, const struct task_call *call, const struct expected_read *x,
		   uint64_t t_ns)
{
	struct difference d = { .event = "READ",
				.recorded = "not read",
				.why = "freed meanwhile, or no memory for the page" };

	say_slot(v, d.predicted, sizeof(d.predicted), x->r, x->target ? "demand" : "ra");
	compared(v, t_ns, &v->out->reads_checked, &v->out->reads_agreed, &d,
		 explain_change(v, call, x->r, &d));
}

/* The call of a task is over: what it was expected to read and did not is a difference. */
static void close_call(struct verify *v, struct task_call *call, uint64_t t_ns)
{
	for (unsigned int i = 0; survey_of(v)->events[EV_READ] && call->open && i < call->nexpected;
	     i++) {
		const struct expected_read *x = &call->expected[i];

		if (x->r != SLOT_NOWHERE)
			unread(v, call, x, t_ns);
	}
	call->open = call->pending = call->bypass = call->over = false;
	call->nexpected = 0;
	call->passed = 0;
}

/* The call's page that waits for a slot, unless its turn is over; NULL: none does. */
static struct expected_read *waiting(const struct task_call *call, uint32_t r)
{
	for (unsigned int i = call->passed; call->open && !call->over && i < call->nexpected; i++)
		if (call->expected[i].r == r)
			return &call->expected[i];
	return NULL;
}

/* Calls of one slot are chained; what is left there of calls that are over may make a ring. */
#define CHAIN_MAX 16

static void settle_waiting(struct verify *v, struct slot_change *c, const struct moment *at,
			   uint32_t r)
{
	const struct task_call *own = find_call(v, at);
	uint32_t index = c->waits;

	for (unsigned int steps = 0; index && steps < CHAIN_MAX; steps++) {
		struct task_call *call = &v->calls[index - 1];
		struct expected_read *x = waiting(call, r);

		index = x ? x->waits : 0;
		if (x && call == own)
			x->begun = true;
		else if (x && !x->begun)
			x->r = SLOT_NOWHERE;
	}
	c->waits = 0;
}

void verify_change(struct verify *v, const struct moment *at, struct slot_run run,
		   enum slot_becomes becomes)
{
	for (uint32_t r = run.r; v->changes && r < run.r + run.n; r++) {
		struct slot_change *c = &v->changes[r];

		c->t_ns = at->t_ns;
		c->cpu = at->cpu;
		if (becomes != SLOT_OTHER && c->waits)
			settle_waiting(v, c, at, r);
	}
}

void verify_mapped(struct verify *v, const struct moment *at, struct slot_run run)
{
	struct task_call *call = find_call(v, at);

	if (call && call->open && call->need.r - run.r < run.n)
		call->over = true;
}

static void remember_state(struct verify *v, const struct moment *at, const struct need *n)
{
	struct past_state *p = &v->past[v->npast++ % PAST_STATES];

	*p = (struct past_state){ *run_state(&v->run, n), at->cpu, at->t_ns };
}

/* From now on the call waits for the slot; returns who did before. */
static uint32_t wait_for(struct verify *v, const struct task_call *call, uint32_t r)
{
	uint32_t before, own = (uint32_t)(call - v->calls) + 1;

	if (!v->changes)
		return 0;
	before = v->changes[r].waits;
	v->changes[r].waits = own;
	return before == own ? 0 : before;
}

struct expect {
	struct verify *v;
	struct task_call *call;
};

static void expect_read(void *ctx, uint32_t r, bool target)
{
	struct expect *x = ctx;
	struct task_call *call = x->call;

	if (call->nexpected == call->room) {
		unsigned int room = call->room ? call->room * 2 : 16;
		struct expected_read *bigger = realloc(call->expected, room * sizeof(*bigger));

		if (!bigger) {
			x->v->error = -ENOMEM;
			return;
		}
		call->expected = bigger;
		call->room = room;
	}
	call->expected[call->nexpected++] = (struct expected_read){
		.r = r, .target = target, .waits = wait_for(x->v, call, r)
	};
}

/*
 * On several CPUs the trace's order of two calls need not be the order in which the kernel updated
 * the global state. If the state before other CPUs' latest events gives the recorded window, the
 * order explains the difference.
 */
static bool explain_order(const struct verify *v, const struct moment *at,
			  const struct recorded_call *c, struct difference *d)
{
	unsigned int newest = v->npast;

	/* The newest entry is this call's own. */
	for (unsigned int i = 2; i <= PAST_STATES && i <= newest; i++) {
		const struct past_state *p = &v->past[(newest - i) % PAST_STATES];
		struct ra_global g = p->state;

		if (p->cpu == at->cpu || at->t_ns - p->t_ns > OVERLAP_NS)
			return false;
		if (ra_swapin_nr_pages(&g, run_page_cluster(&v->run), c->need.off) != c->ret)
			continue;
		format(d->why, sizeof(d->why),
		       "order of events: agrees with the state before CPU %d's event at %" PRIu64
		       " ns",
		       p->cpu, p->t_ns);
		return true;
	}
	return false;
}

static void describe_state(const struct ra_global *g, const struct recorded_call *c,
			   struct difference *d)
{
	if (!c->have_state)
		format(d->why, sizeof(d->why), "the trace does not hold hits, prev and last");
	else if (g->hits != c->hits)
		format(d->why, sizeof(d->why), "the kernel consumed hits=%" PRIu64 ", the model %u",
		       c->hits, g->hits);
	else if (g->prev_offset != c->prev || g->last_pages != c->last)
		format(d->why, sizeof(d->why),
		       "the kernel had prev=%" PRIu64 " last=%" PRIu64 ", the model prev=%" PRIu64
		       " last=%u",
		       c->prev, c->last, g->prev_offset, g->last_pages);
	else
		format(d->why, sizeof(d->why), "same state, other setting (page_cluster?)");
}

static const char *way_name(enum ra_way way)
{
	return way == WAY_VMA ? "vma" : "cluster";
}

/* Take over the recorded answer, so that the next call starts where the kernel was. */
static void resync(struct verify *v, const struct need *n, const struct recorded_call *c,
		   enum ra_way way)
{
	struct ra_global *g = run_state(&v->run, n);
	unsigned int shift = v->run.world->geometry.page_shift;

	if (way == WAY_VMA) {
		v->run.vma_word[n->vma] = ra_vma_pack(
			&(struct ra_vma_state){ n->addr, (unsigned int)c->ret, 0 }, shift);
		return;
	}
	if (c->have_state)
		g->prev_offset = c->hits ? c->prev : c->need.off;
	g->hits = 0;
	g->last_pages = (unsigned int)c->ret;
}

/* State a call starts from, in the terms of an RA event. */
static struct ra_global state_before(struct verify *v, const struct need *n, enum ra_way way)
{
	unsigned int shift = v->run.world->geometry.page_shift;
	struct ra_vma_state s;

	if (way != WAY_VMA)
		return *run_state(&v->run, n);
	s = ra_vma_unpack(v->run.vma_word[n->vma], shift);
	return (struct ra_global){ s.hits, s.addr >> shift, s.win };
}

static void compare_window(struct verify *v, const struct moment *at, const struct need *n,
			   const struct recorded_call *c, const struct ra_global *before,
			   const struct window_walk *walk)
{
	bool vma = walk->way == WAY_VMA, explained;
	bool same_mode = c->mode < 0 || (c->mode == RA_VMA_MODE) == vma;
	struct difference d = { .event = "RA" };

	if (same_mode && walk->w.pages == c->ret) {
		compared(v, at->t_ns, &v->out->windows_checked, &v->out->windows_agreed, NULL,
			 false);
		return;
	}
	format(d.recorded, sizeof(d.recorded), "mode=%s off=%" PRIu64 " ret=%" PRIu64,
	       c->mode == RA_VMA_MODE ? "vma" : "cluster", n->off, c->ret);
	format(d.predicted, sizeof(d.predicted), "mode=%s ret=%u", way_name(walk->way),
	       walk->w.pages);
	explained = same_mode && !vma && explain_order(v, at, c, &d);
	if (!explained)
		explained = explain_loss(v, &d);
	if (!explained)
		describe_state(before, c, &d);
	compared(v, at->t_ns, &v->out->windows_checked, &v->out->windows_agreed, &d, explained);
	resync(v, n, c, walk->way);
}

static int make_call(struct verify *v, const struct moment *at, struct task_call *call,
		     const struct recorded_call *c)
{
	struct expect x = { v, call };
	struct need n = call->need;
	struct window_walk walk;
	enum ra_way way = run_way(&v->run, &n);
	struct ra_global before;

	run_take_start_state(&v->run, &n, way);
	before = state_before(v, &n, way);
	if (way == WAY_CLUSTER)
		remember_state(v, at, &n);
	run_window(&v->run, &n, &walk);
	if (c && c->have_ret)
		compare_window(v, at, &n, c, &before, &walk);
	call->walk = walk;
	call->pending = false;
	call->open = true;
	call->over = false;
	call->nexpected = 0;
	call->passed = 0;
	call->unknown = run_walk(&v->run, &n, &walk, expect_read, &x);
	return v->error;
}

static bool same_target(const struct need *a, const struct need *b)
{
	return a->r == b->r;
}

int verify_call(struct verify *v, const struct moment *at, const struct recorded_call *c)
{
	struct task_call *call = find_call(v, at);

	if (!call)
		return -ENOMEM;
	if (!call->pending || !same_target(&call->need, &c->need)) {
		/* The need was not seen (lost, or hidden by a filter): the call itself tells. */
		close_call(v, call, at->t_ns);
		call->need = c->need;
	}
	call->t_ns = at->t_ns;
	call->cpu = at->cpu;
	return make_call(v, at, call, c);
}

/* Compare a lookup's answer; returns whether it counts as a hit from here on. */
static bool compare_lookup(struct verify *v, const struct moment *at, const struct task_call *call,
			   const struct recorded_lookup *l)
{
	uint8_t *bits = run_bits(&v->run, l->need.r);
	/* A lookup without accounting leaves the mark where it is. */
	bool silent =
		l->need.cause == LOOKUP_SWAPOFF && v->run.policy.swapoff == SWAPOFF_LOOKUP_ONLY;
	bool cached = *bits & SLOT_CACHED, marked = !silent && *bits & SLOT_MARKED;
	bool given = *bits & SLOT_WRITEOUT && l->ra > 0; /* see struct need */
	bool same = l->hit == cached && (!l->hit || l->ra < 0 || l->ra == marked || given);
	struct difference d = { .event = "LOOKUP" };
	bool explained = false;

	if (l->hit < 0)
		return cached;
	if (!same) {
		format(d.recorded, sizeof(d.recorded), "off=%" PRIu64 " hit=%d ra=%d", l->need.off,
		       l->hit, l->ra > 0);
		format(d.predicted, sizeof(d.predicted), "hit=%d ra=%d", cached, marked);
		explained = explain_change(v, call, l->need.r, &d);
		if (!explained)
			format(d.why, sizeof(d.why), "%s",
			       l->hit && !cached ? "an insertion in the swap cache was not seen"
			       : !l->hit	 ? "a removal from the swap cache was not seen"
						 : "the readahead mark was set or lost unseen");
	}
	compared(v, at->t_ns, &v->out->lookups_checked, &v->out->lookups_agreed, same ? NULL : &d,
		 !same && explained);
	if (!same && l->hit)
		*bits = (uint8_t)(SLOT_CACHED | (l->ra > 0 ? SLOT_MARKED : 0));
	if (!same && !l->hit)
		*bits = 0;
	return l->hit;
}

static void compare_bypass(struct verify *v, const struct moment *at,
			   const struct recorded_lookup *l, struct task_call *call)
{
	bool cached = *run_bits(&v->run, l->need.r) & SLOT_CACHED;
	bool same = !cached && run_bypasses(&v->run, &l->need);
	struct difference d = { .event = "LOOKUP", .why = "device flags or references differ" };

	if (!same) {
		format(d.recorded, sizeof(d.recorded), "off=%" PRIu64 " bypass=1", l->need.off);
		format(d.predicted, sizeof(d.predicted), "%s", cached ? "hit=1" : "bypass=0");
	}
	compared(v, at->t_ns, &v->out->lookups_checked, &v->out->lookups_agreed, same ? NULL : &d,
		 !same && explain_loss(v, &d));
	call->bypass = true;
	call->open = true;
}

int verify_lookup(struct verify *v, const struct moment *at, const struct recorded_lookup *l)
{
	const struct need *n = &l->need;
	bool swapoff = n->cause == LOOKUP_SWAPOFF;
	struct task_call *call = find_call(v, at);

	if (!call)
		return -ENOMEM;
	close_call(v, call, at->t_ns);
	call->need = *n;
	call->t_ns = at->t_ns;
	call->cpu = at->cpu;
	run_needed(&v->run, n);
	if (l->bypass > 0) {
		compare_bypass(v, at, l, call);
		return 0;
	}
	if (!(swapoff && v->run.policy.swapoff == SWAPOFF_VANILLA) &&
	    compare_lookup(v, at, call, l)) {
		if (!swapoff || v->run.policy.swapoff != SWAPOFF_LOOKUP_ONLY) {
			remember_state(v, at, n);
			run_account(&v->run, n);
		}
		return 0;
	}
	if (l->hit < 0 && l->bypass < 0 && run_bypasses(&v->run, n))
		return 0;
	call->pending = true;
	/* A trace without RA events still shows its reads. */
	return survey_of(v)->events[EV_RA] ? 0 : make_call(v, at, call, NULL);
}

static void adopt_read(struct verify *v, struct slot_run pages, int cause)
{
	if (cause == READ_BYPASS)
		return;
	for (uint32_t r = pages.r; r < pages.r + pages.n; r++)
		*run_bits(&v->run, r) =
			(uint8_t)(SLOT_CACHED | (cause == READ_RA ? SLOT_MARKED : 0));
}

/* Tick a page off the expected reads; false when the model did not expect it (as this cause). */
static bool tick_off(struct task_call *call, uint32_t r, int cause)
{
	for (unsigned int i = 0; i < call->nexpected; i++) {
		struct expected_read *x = &call->expected[i];

		if (x->r != r)
			continue;
		if (cause >= 0 && x->target != (cause == READ_DEMAND))
			return false;
		x->r = SLOT_NOWHERE;
		if (call->passed <= i)
			call->passed = i + 1;
		return true;
	}
	return false;
}

/* Does the window of the call span the page in slot @r? */
static bool in_window(const struct verify *v, const struct task_call *call, uint32_t r)
{
	const struct slots *s = &v->run.world->slots;
	const struct ra_window *w = &call->walk.w;
	uint64_t at = slot_number_off(s->numbers, r);

	if (call->walk.way != WAY_VMA)
		return slot_number_type(s->numbers, r) == call->need.type && at >= w->start &&
		       at < w->end;
	at = s->owner ? s->owner[r].page << v->run.world->geometry.page_shift : UINT64_MAX;
	return at >= w->start && at < w->end && s->owner[r].vma;
}

/*
 * A call that slept for memory comes to a slot later than it began: a page of its window that went
 * to swap meanwhile is read all the same.
 */
static bool came_meanwhile(const struct verify *v, const struct task_call *call, uint32_t r)
{
	return v->changes && v->changes[r].t_ns > call->t_ns && v->run.world->slots.refs[r] &&
	       in_window(v, call, r);
}

static void unexpected(struct verify *v, const struct moment *at, const struct task_call *call,
		       uint32_t r, int cause)
{
	struct difference d = { .event = "READ",
				.predicted = "not read",
				.why = "the slot was in use or out of the cache unseen" };

	say_slot(v, d.recorded, sizeof(d.recorded), r,
		 cause == READ_DEMAND	? "demand"
		 : cause == READ_BYPASS ? "bypass"
					: "ra");
	compared(v, at->t_ns, &v->out->reads_checked, &v->out->reads_agreed, &d,
		 explain_change(v, call, r, &d));
}

int verify_read(struct verify *v, const struct moment *at, struct slot_run pages, int cause)
{
	struct task_call *call = find_call(v, at);
	bool expected;

	if (!call)
		return -ENOMEM;
	adopt_read(v, pages, cause);
	if (!call->open)
		return 0; /* not a readahead call's: MADV_WILLNEED and the like read without a
			     window */
	expected =
		call->bypass ? cause < 0 || cause == READ_BYPASS : tick_off(call, pages.r, cause);
	if (!expected && cause == READ_RA && came_meanwhile(v, call, pages.r)) {
		expected = true;
		v->late++;
	}
	if (!expected && call->unknown && cause != READ_DEMAND) {
		call->unknown--;
		v->out->reads_unknown++;
		return 0;
	}
	if (expected)
		compared(v, at->t_ns, &v->out->reads_checked, &v->out->reads_agreed, NULL, false);
	else
		unexpected(v, at, call, pages.r, cause);
	return 0;
}

int verify_finish(struct verify *v)
{
	const struct survey *s = survey_of(v);
	struct verify_result *r = v->out;
	size_t used = 0;

	/* Calls still open at the end of the trace may just not have read yet: nothing to compare.
	 */
	r->missing[0] = '\0';
	if (!r->windows_checked)
		used = (size_t)snprintf(r->missing, sizeof(r->missing),
					"windows (no RA events with %s)",
					s->with_ret ? "off" : "ret");
	if (!s->with_hit)
		used += (size_t)snprintf(r->missing + used, sizeof(r->missing) - used,
					 "%slookups (no LOOKUP events with hit)", used ? ", " : "");
	if (!s->events[EV_READ])
		snprintf(r->missing + used, sizeof(r->missing) - used, "%sreads (no READ events)",
			 used ? ", " : "");
	return v->error;
}
