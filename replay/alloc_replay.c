// SPDX-License-Identifier: GPL-2.0
#include "replay/alloc_replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/alloc_verify.h"

#define BIT(k) (1u << (k))

/* What one task is in the middle of. */
struct alloc_task {
	bool pending; /* it asked for slots, the answer is to follow */
	struct alloc_request req;
	bool answered;	 /* its last request was, with last_r: nothing came since */
	bool last_known; /* that answer can still be taken back: not in the swap cache yet */
	uint32_t last_r, last_n;
	struct alloc_request last;
};

/* Slots that a recorded slots cache holds; used where no CACHE event tells which one was given. */
struct recorded_cache {
	uint32_t r[SWAP_BATCH];
	unsigned int head, n;
};

/*
 * An answer whose request has not been put to the models yet: a slots cache is being filled (its
 * slots come as one event each), or random draws may follow that belong to it.
 */
struct held_answer {
	bool valid, refill, refused, limited;
	uint32_t task; /* index */
	struct alloc_request req;
	uint32_t r, n;
	uint32_t slots[SWAP_BATCH]; /* of a refill */
	unsigned int nslots;
};

struct alloc_replay {
	const struct replay_options *o;
	const struct survey *survey;
	struct replay_result *results;
	struct alloc_world world;
	struct alloc_run runs[REPLAY_POLICIES];
	unsigned int nruns;
	unsigned int
		run_of[REPLAY_POLICIES]; /* [policy]: policies that ask for the same share one */
	struct alloc_verify verify;
	bool verifying;
	bool from_above; /* SWAPOUT events are the requests */
	bool drops;	 /* UNREF or UNCACHE events are the drops */
	bool hold_draws; /* the trace has RNG events */
	unsigned int cpus;
	struct map tasks;
	struct alloc_task *task;
	uint32_t ntasks, task_room;
	struct recorded_cache *caches; /* [CPU] */
	struct held_answer held;
	struct alloc_order recorded[ALLOC_ORDERS];
	int swapoff_type; /* of the swapoff under way, -1: none or not known yet */
	bool swapoff_open;
	uint64_t untold; /* requests whose slots the trace does not tell */
	uint64_t slice_ns, next_slice_ns;
	unsigned int slice;
	char release[64]; /* of the trace, "": unknown */
	bool exact;	  /* the recorded allocator has a model of its own */
	char why[256];
};

/* --- runs ------------------------------------------------------------------------------------ */

static unsigned int all_runs(const struct alloc_replay *a)
{
	return a->nruns + a->verifying;
}

static struct alloc_run *run_at(struct alloc_replay *a, unsigned int i)
{
	return i < a->nruns ? &a->runs[i] : &a->verify.run;
}

/* Does a reclaim worker of the recorded kernel's own allocator wait for its turn? */
static bool own_worker_due(const struct alloc_replay *a)
{
	for (unsigned int i = 0; i < a->nruns; i++)
		if (a->runs[i].cfg.own && a->runs[i].worker_due)
			return true;
	return a->verifying && a->verify.run.worker_due;
}

static bool any_worker_due(struct alloc_replay *a)
{
	for (unsigned int i = 0; i < all_runs(a); i++)
		if (run_at(a, i)->worker_due)
			return true;
	return false;
}

static void drop(struct alloc_replay *a, unsigned int cpu, enum swap_free_how how, uint32_t r,
		 uint32_t n)
{
	for (unsigned int i = 0; i < all_runs(a); i++)
		alloc_run_drop(run_at(a, i), cpu, how, r, n);
}

/* --- references and swap cache -----------------------------------------------------------------
 */

/* What a change of a recorded slot's state means for its data. */
enum slot_change { CHANGE_NONE, CHANGE_CACHE_ONLY, CHANGE_GONE };

static enum slot_change settle(uint8_t *state)
{
	if (!(*state & WORLD_LIVE) || (*state & WORLD_REFS))
		return CHANGE_NONE;
	if (*state & WORLD_CACHED)
		return CHANGE_CACHE_ONLY;
	*state = 0;
	return CHANGE_GONE;
}

static void apply(struct alloc_replay *a, unsigned int cpu, enum slot_change change,
		  enum swap_free_how how, uint32_t r, uint32_t n)
{
	if (change == CHANGE_GONE)
		drop(a, cpu, how, r, n);
	for (unsigned int i = 0; change == CHANGE_CACHE_ONLY && i < all_runs(a); i++)
		alloc_run_cache_only(run_at(a, i), r, n);
}

/* A new state for each slot; runs of slots that change alike are dropped in one go, as they were.
 */
static void change_slots(struct alloc_replay *a, unsigned int cpu, enum swap_free_how how,
			 uint32_t r, uint32_t n, uint8_t (*next)(uint8_t state, uint64_t arg),
			 uint64_t arg)
{
	enum slot_change last = CHANGE_NONE;
	uint32_t from = r;

	for (uint32_t i = r; i < r + n; i++) {
		enum slot_change change = CHANGE_NONE;

		if (a->world.state[i] & WORLD_LIVE) {
			a->world.state[i] = next(a->world.state[i], arg);
			change = settle(&a->world.state[i]);
		}
		if (change == last)
			continue;
		apply(a, cpu, last, how, from, i - from);
		last = change;
		from = i;
	}
	apply(a, cpu, last, how, from, r + n - from);
}

static uint8_t one_less(uint8_t state, uint64_t arg)
{
	(void)arg;
	return state & WORLD_REFS ? state - 1 : state;
}

static uint8_t set_refs(uint8_t state, uint64_t refs)
{
	return (uint8_t)((state & ~WORLD_REFS) | (refs > WORLD_REFS ? WORLD_REFS : refs));
}

static uint8_t uncached(uint8_t state, uint64_t arg)
{
	(void)arg;
	return (uint8_t)(state & ~WORLD_CACHED);
}

static uint8_t nothing_left(uint8_t state, uint64_t arg)
{
	(void)arg;
	return state & WORLD_LIVE;
}

/* Folios that the recorded allocator took back; what a model left of them goes now. */
static void settle_taken(struct alloc_replay *a, unsigned int cpu, uint32_t except, uint32_t n)
{
	unsigned int ntaken = a->world.ntaken;

	a->world.ntaken = 0;
	for (unsigned int i = 0; i < ntaken; i++) {
		uint32_t from = a->world.taken[i].r, end = from + a->world.taken[i].n;

		/* Slots that were given out again at once hold new data. */
		while (from < end) {
			uint32_t to = from;
			bool skip = from >= except && from - except < n;

			while (to < end && (to >= except && to - except < n) == skip)
				to++;
			if (!skip)
				change_slots(a, cpu, SWAP_FREE_CACHE, from, to - from, uncached, 0);
			from = to;
		}
	}
}

static int take_folio(struct alloc_replay *a, uint32_t r, uint32_t n)
{
	struct alloc_world *w = &a->world;

	if (w->ntaken == w->taken_room) {
		unsigned int room = w->taken_room ? w->taken_room * 2 : 64;
		struct taken_folio *bigger = realloc(w->taken, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		w->taken = bigger;
		w->taken_room = room;
	}
	w->taken[w->ntaken++] = (struct taken_folio){ r, n };
	return 0;
}

static bool was_taken(const struct alloc_world *w, uint32_t r)
{
	for (unsigned int i = 0; i < w->ntaken; i++)
		if (r >= w->taken[i].r && r - w->taken[i].r < w->taken[i].n)
			return true;
	return false;
}

/* --- answers --------------------------------------------------------------------------------- */

static void count_recorded(struct alloc_replay *a, const struct alloc_request *req, bool answered,
			   enum fallback_reason reason)
{
	struct alloc_order *o =
		&a->recorded[req->order < ALLOC_ORDERS ? req->order : ALLOC_ORDERS - 1];

	o->swpout += answered;
	o->fallback += !answered;
	if (!answered)
		o->reasons[reason]++;
}

/* Slots that are given although nobody saw them dropped: they were, unnoticed. */
static void drop_unseen(struct alloc_replay *a, unsigned int cpu, uint32_t r, uint32_t n)
{
	for (uint32_t i = r; i < r + n; i++)
		if ((a->world.state[i] & WORLD_LIVE) && !was_taken(&a->world, i))
			change_slots(a, cpu, SWAP_FREE_ZAP, i, 1, nothing_left, 0);
}

static int answer_granted(struct alloc_replay *a, const struct held_answer *h)
{
	const struct alloc_request *req = &h->req;
	int ret = 0;

	if (h->r != SLOT_NOWHERE)
		drop_unseen(a, req->cpu, h->r, h->n);
	else
		a->untold++;
	for (unsigned int i = 0; i < a->nruns && !ret; i++)
		if (!alloc_run_absorb(&a->runs[i], req, h->r))
			ret = alloc_run_granted(&a->runs[i], req, h->r, h->n);
	if (!ret && a->verifying)
		ret = alloc_verify_granted(&a->verify, req, h->r, h->n);
	if (!ret && a->verifying && h->refill)
		alloc_verify_refill(&a->verify, req, h->slots, h->nslots);
	settle_taken(a, req->cpu, h->r, h->r == SLOT_NOWHERE ? 0 : h->n);
	for (uint32_t i = 0; h->r != SLOT_NOWHERE && i < h->n; i++)
		a->world.state[h->r + i] = WORLD_LIVE | 1;
	for (uint32_t i = 0; i < (req->order ? 1 : h->n); i++)
		count_recorded(a, req, true, 0);
	return ret;
}

static int answer_refused(struct alloc_replay *a, const struct held_answer *h)
{
	const struct alloc_request *req = &h->req;
	int ret = 0;

	for (unsigned int i = 0; i < a->nruns && !ret; i++)
		if (!alloc_run_absorb(&a->runs[i], req, SLOT_NOWHERE))
			ret = alloc_run_refused(&a->runs[i], req, h->limited);
	if (!ret && a->verifying)
		ret = alloc_verify_refused(&a->verify, req, h->limited);
	settle_taken(a, req->cpu, 0, 0);
	return ret;
}

static int answer_held(struct alloc_replay *a)
{
	struct held_answer *h = &a->held;
	struct alloc_task *t;

	if (!h->valid)
		return 0;
	h->valid = false;
	if (a->verifying)
		alloc_verify_moment(&a->verify, h->req.t_ns, h->req.cpu);
	if (h->refused)
		return answer_refused(a, h);
	t = &a->task[h->task];
	t->last_known = t->answered = h->r != SLOT_NOWHERE;
	t->last = h->req;
	t->last_r = h->r;
	t->last_n = h->n;
	return answer_granted(a, h);
}

/* Put the answer to the models now, or once what belongs to it is complete. */
static int hold(struct alloc_replay *a, const struct held_answer *h)
{
	int ret = answer_held(a);

	if (ret)
		return ret;
	a->held = *h;
	a->held.valid = true;
	return h->refill || a->hold_draws ? 0 : answer_held(a);
}

/* --- events: requests ------------------------------------------------------------------------ */

/* Where and when, of one event. */
struct place {
	uint64_t t_ns;
	unsigned int cpu;
	uint32_t task; /* index */
};

static int find_task(struct alloc_replay *a, uint64_t id, uint64_t kind, uint32_t *index)
{
	uint64_t *known = map_get(&a->tasks, id, kind);

	if (known) {
		*index = (uint32_t)*known;
		return 0;
	}
	if (a->ntasks == a->task_room) {
		uint32_t room = a->task_room ? a->task_room * 2 : 64;
		struct alloc_task *bigger = realloc(a->task, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		a->task = bigger;
		a->task_room = room;
	}
	memset(&a->task[a->ntasks], 0, sizeof(*a->task));
	*index = a->ntasks++;
	return map_set(&a->tasks, id, kind, *index);
}

static int place_of(struct alloc_replay *a, const struct block_view *v, uint32_t k,
		    const struct columns *c, uint32_t i, struct place *p)
{
	int64_t cpu = column_has(c, i, KEY_CPU) ? (int64_t)c->v[KEY_CPU][i] : v->cpus[k];

	p->t_ns = v->times[k];
	p->cpu = cpu < 0 || cpu >= SWAP_MAX_CPUS ? 0 : (unsigned int)cpu;
	if (column_has(c, i, KEY_TID))
		return find_task(a, c->v[KEY_TID][i], 0, &p->task);
	if (v->tgids[k] >= 0)
		return find_task(a, (uint64_t)v->tgids[k], 0, &p->task);
	return find_task(a, p->cpu, 1, &p->task);
}

/* The slots of an event among the recorded ones; false when there are none on a known device. */
static bool slots_of(const struct alloc_replay *a, uint64_t type, uint64_t off, uint64_t n,
		     uint32_t *r, uint32_t *len)
{
	const struct slot_space *s = &a->world.space;
	uint32_t left;

	if (type >= ALLOC_DEVICES || !off || !n)
		return false;
	*r = slot_space_number(s, (unsigned int)type, off);
	if (*r == SLOT_NOWHERE)
		return false;
	left = s->base[type + 1] - *r;
	*len = n < left ? (uint32_t)n : left;
	return true;
}

static bool cached_slot(struct alloc_replay *a, unsigned int cpu, uint32_t *r)
{
	struct recorded_cache *c = cpu < a->cpus ? &a->caches[cpu] : NULL;

	if (!c || !c->n)
		return false;
	*r = c->r[c->head];
	c->head = (c->head + 1) % SWAP_BATCH;
	c->n--;
	return true;
}

static void fill_cache(struct alloc_replay *a, const struct held_answer *h)
{
	struct recorded_cache *c = h->req.cpu < a->cpus ? &a->caches[h->req.cpu] : NULL;

	if (!c)
		return;
	c->head = 0;
	c->n = 0;
	for (unsigned int i = 1; i < h->nslots; i++)
		c->r[c->n++] = h->slots[i];
}

/* The trace does not tell how the request was answered: out of the recorded slots cache, if at all.
 */
static int answer_untold(struct alloc_replay *a, uint32_t task)
{
	struct alloc_task *t = &a->task[task];
	struct held_answer h = {
		.task = task, .req = t->req, .r = SLOT_NOWHERE, .n = 1u << t->req.order
	};

	t->pending = false;
	if (!t->req.order)
		cached_slot(a, t->req.cpu, &h.r);
	return hold(a, &h);
}

static int on_swapout(struct alloc_replay *a, const struct place *p, const struct columns *c,
		      uint32_t i)
{
	const uint64_t *answers = a->survey->events;
	struct alloc_task *t;
	bool told;

	if (a->task[p->task].pending) {
		int ret = answer_untold(a, p->task);

		if (ret)
			return ret;
	}
	t = &a->task[p->task];
	t->pending = true;
	t->last_known = t->answered = false;
	t->req = (struct alloc_request){
		.t_ns = p->t_ns,
		.cpu = p->cpu,
		.order = (unsigned int)(c->v[SWAPOUT_ORDER][i] < ALLOC_ORDERS
						? c->v[SWAPOUT_ORDER][i]
						: ALLOC_ORDERS - 1),
		.have_memcg = column_has(c, i, SWAPOUT_MEMCG),
		.memcg = c->v[SWAPOUT_MEMCG][i],
		.have_folio = column_has(c, i, SWAPOUT_FOLIO),
		.folio = c->v[SWAPOUT_FOLIO][i],
		.have_split = column_has(c, i, SWAPOUT_SPLIT_OF),
		.split_of = c->v[SWAPOUT_SPLIT_OF][i],
	};
	/* Nothing will tell, or only the recorded cache can: then this is the moment. */
	told = answers[EV_ALLOC] || answers[EV_ALLOCFAIL] || answers[EV_CACHE];
	if (told &&
	    (answers[EV_CACHE] || t->req.order || p->cpu >= a->cpus || !a->caches[p->cpu].n))
		return 0;
	return answer_untold(a, p->task);
}

/* The request that an ALLOC or ALLOCFAIL answers: the task's own, or else the event stands for it.
 */
static struct alloc_request request_of(struct alloc_replay *a, const struct place *p,
				       const struct columns *c, uint32_t i)
{
	struct alloc_task *t = &a->task[p->task];
	bool same = !column_has(c, i, ALLOC_FOLIO) || !t->req.have_folio ||
		    c->v[ALLOC_FOLIO][i] == t->req.folio;
	struct alloc_request req;

	if (t->pending && same) {
		t->pending = false;
		req = t->req;
		req.t_ns = p->t_ns;
		req.cpu = p->cpu;
		return req;
	}
	return (struct alloc_request){
		.t_ns = p->t_ns,
		.cpu = p->cpu,
		.order = (unsigned int)(column_get(c, i, ALLOC_ORDER, 0) < ALLOC_ORDERS
						? column_get(c, i, ALLOC_ORDER, 0)
						: ALLOC_ORDERS - 1),
		.have_memcg = column_has(c, i, ALLOC_MEMCG),
		.memcg = c->v[ALLOC_MEMCG][i],
		.have_folio = column_has(c, i, ALLOC_FOLIO),
		.folio = c->v[ALLOC_FOLIO][i],
	};
}

/* A slot drawn by a slots cache: the first of a row answers the request that made it draw. */
static int on_refill(struct alloc_replay *a, const struct place *p, uint32_t r)
{
	struct held_answer *h = &a->held, begin;
	int ret;

	if (h->valid && h->refill && h->task == p->task && h->nslots < SWAP_BATCH) {
		h->slots[h->nslots++] = r;
		fill_cache(a, h);
		return 0;
	}
	/* Requests of this cache were not recorded: nothing to follow. */
	if (!a->task[p->task].pending)
		return answer_held(a);
	a->task[p->task].pending = false;
	begin = (struct held_answer){ .refill = true,
				      .task = p->task,
				      .req = a->task[p->task].req,
				      .r = r,
				      .n = 1,
				      .slots = { r },
				      .nslots = 1 };
	ret = hold(a, &begin);
	if (!ret)
		fill_cache(a, &a->held);
	return ret;
}

static int on_alloc(struct alloc_replay *a, const struct place *p, const struct columns *c,
		    uint32_t i)
{
	uint64_t order = column_get(c, i, ALLOC_ORDER, 0), n;
	bool cache = column_get(c, i, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE;
	struct held_answer h = { .task = p->task };
	uint32_t r, len;
	int ret = 0;

	if (order >= ALLOC_ORDERS)
		return 0;
	n = column_get(c, i, ALLOC_N, 1ull << order);
	if (!column_has(c, i, ALLOC_OFF) ||
	    !slots_of(a, column_get(c, i, ALLOC_TYPE, 0), c->v[ALLOC_OFF][i], n, &r, &len))
		return 0;
	if (a->from_above && cache && !column_has(c, i, ALLOC_FOLIO)) {
		for (uint32_t k = 0; k < len && !ret; k++)
			ret = on_refill(a, p, r + k);
		return ret;
	}
	/* From 6.15 on the folio is in the swap cache before the call returns: that was told. */
	if (a->from_above && !a->task[p->task].pending && a->task[p->task].answered &&
	    a->task[p->task].last_r == r) {
		a->task[p->task].answered = false;
		return 0;
	}
	h.req = request_of(a, p, c, i);
	h.n = h.req.order ? 1u << h.req.order : len;
	for (h.r = r; h.r + h.n <= r + len && !ret; h.r += h.n)
		ret = hold(a, &h);
	return ret;
}

/* The charge of the memory cgroup failed after the slots had been given: they went back. */
static bool take_back(struct alloc_replay *a, const struct place *p,
		      const struct alloc_request *req)
{
	struct alloc_task *t = &a->task[p->task];

	if (!t->last_known || !req->have_folio || !t->last.have_folio ||
	    t->last.folio != req->folio || t->last.order != req->order)
		return false;
	change_slots(a, p->cpu, SWAP_FREE_CACHE, t->last_r, t->last_n, nothing_left, 0);
	for (unsigned int i = 0; i < all_runs(a); i++)
		alloc_run_uncount(run_at(a, i), req);
	a->recorded[req->order].swpout--;
	t->last_known = false;
	return true;
}

static int on_allocfail(struct alloc_replay *a, const struct place *p, const struct columns *c,
			uint32_t i)
{
	uint64_t reason = column_get(c, i, ALLOC_REASON, REASON_SPACE);
	struct held_answer h = { .task = p->task,
				 .refused = true,
				 .limited = reason == REASON_LIMIT };

	h.req = request_of(a, p, c, i);
	if (h.limited)
		take_back(a, p, &h.req);
	count_recorded(a, &h.req, false,
		       reason == REASON_LIMIT	 ? FALLBACK_LIMIT
		       : reason == REASON_CONFIG ? FALLBACK_CONFIG
						 : FALLBACK_FULL);
	return hold(a, &h);
}

/* --- events: drops and the swap cache --------------------------------------------------------- */

static int on_cache(struct alloc_replay *a, const struct place *p, const struct columns *c,
		    uint32_t i)
{
	bool swapout = column_get(c, i, CACHE_BY, BY_SWAPIN) == BY_SWAPOUT;
	uint32_t r, n;
	int ret = 0;

	if (!slots_of(a, column_get(c, i, CACHE_TYPE, 0), c->v[CACHE_OFF][i],
		      column_get(c, i, CACHE_N, 1), &r, &n))
		return 0;
	if (swapout && a->task[p->task].pending) {
		struct held_answer h = {
			.task = p->task, .req = a->task[p->task].req, .r = r, .n = n
		};

		a->task[p->task].pending = false;
		h.req.t_ns = p->t_ns;
		h.req.cpu = p->cpu;
		ret = hold(a, &h);
		if (!ret)
			ret = answer_held(a);
	}
	if (swapout)
		a->task[p->task].last_known = false;
	for (uint32_t k = r; k < r + n; k++)
		if (a->world.state[k] & WORLD_LIVE)
			a->world.state[k] |= WORLD_CACHED;
	return ret;
}

static int on_uncache(struct alloc_replay *a, const struct place *p, const struct columns *c,
		      uint32_t i)
{
	bool reclaim = column_get(c, i, CACHE_BY, BY_SWAPIN) == BY_RECLAIM;
	const struct held_answer *h = &a->held;
	uint32_t r, n;

	if (!slots_of(a, column_get(c, i, CACHE_TYPE, 0), c->v[CACHE_OFF][i],
		      column_get(c, i, CACHE_N, 1), &r, &n))
		return 0;
	/* A task that asked for slots, and a worker that was woken, take folios back on their own.
	 */
	if (a->task[p->task].pending || (h->valid && h->refill && h->task == p->task) ||
	    (reclaim && own_worker_due(a)))
		return take_folio(a, r, n);
	change_slots(a, p->cpu, SWAP_FREE_CACHE, r, n, uncached, 0);
	return 0;
}

static void on_unref(struct alloc_replay *a, const struct place *p, const struct columns *c,
		     uint32_t i)
{
	static const enum swap_free_how hows[] = { SWAP_FREE_ZAP, SWAP_FREE_SWAPIN,
						   SWAP_FREE_CACHE };
	uint64_t how = column_get(c, i, UNREF_HOW, UNREF_ZAP);
	uint32_t r, n;

	if (how > UNREF_CACHE || !slots_of(a, column_get(c, i, UNREF_TYPE, 0), c->v[UNREF_OFF][i],
					   column_get(c, i, UNREF_N, 1), &r, &n))
		return;
	if (how == UNREF_CACHE)
		change_slots(a, p->cpu, hows[how], r, n, uncached, 0);
	else if (column_has(c, i, UNREF_LEFT))
		change_slots(a, p->cpu, hows[how], r, n, set_refs, c->v[UNREF_LEFT][i]);
	else
		change_slots(a, p->cpu, hows[how], r, n, one_less, 0);
}

/*
 * Without UNREF and UNCACHE it is the drop. With them it is a decision; but a slot that was freed
 * although it seems to be in use was not mapped after all: its swap-out was given up.
 */
static void on_free(struct alloc_replay *a, const struct place *p, const struct columns *c,
		    uint32_t i)
{
	uint32_t r, n;

	if (!slots_of(a, column_get(c, i, FREE_TYPE, 0), c->v[FREE_OFF][i],
		      column_get(c, i, FREE_N, 1), &r, &n))
		return;
	if (!a->drops) {
		change_slots(a, p->cpu, SWAP_FREE_ZAP, r, n, nothing_left, 0);
		return;
	}
	for (uint32_t k = r; k < r + n; k++)
		if (!was_taken(&a->world, k))
			change_slots(a, p->cpu, SWAP_FREE_CACHE, k, 1, nothing_left, 0);
}

static void on_slots(struct alloc_replay *a, const struct columns *c, uint32_t i)
{
	uint64_t count = column_get(c, i, SLOTS_COUNT, 1);
	uint32_t r, n;

	if (!slots_of(a, column_get(c, i, SLOTS_TYPE, 0), c->v[SLOTS_OFF][i],
		      column_get(c, i, SLOTS_N, 1), &r, &n))
		return;
	/* What the snapshot saw is newer than what was concluded from earlier events. */
	for (uint32_t k = r; k < r + n && count; k++)
		if (a->world.state[k] & WORLD_LIVE)
			a->world.state[k] = set_refs(a->world.state[k], count);
}

/* --- events: devices and recorded state ------------------------------------------------------- */

static int swapon(struct alloc_replay *a, const struct alloc_swapon *on)
{
	int ret = 0;

	for (unsigned int i = 0; i < all_runs(a) && !ret; i++)
		if (!run_at(a, i)->cfg.policy->devices)
			ret = alloc_run_swapon(run_at(a, i), on);
	return ret;
}

static int on_swapon(struct alloc_replay *a, const struct columns *c, uint32_t i)
{
	struct alloc_swapon on = {
		.type = (unsigned int)column_get(c, i, SWAPON_TYPE, ALLOC_DEVICES),
		.pages = (uint32_t)c->v[SWAPON_PAGES][i],
		.prio = column_has(c, i, SWAPON_PRIO) ? (int)(int64_t)c->v[SWAPON_PRIO][i]
						      : SWAP_PRIO_DEFAULT,
		.flags = (uint32_t)column_get(c, i, SWAPON_FLAGS, DEVICE_SSD | DEVICE_BLKDEV),
	};

	if (on.type >= ALLOC_DEVICES || on.pages < 2 || c->v[SWAPON_PAGES][i] >= SLOT_NOWHERE)
		return 0;
	return swapon(a, &on);
}

static void swapoff(struct alloc_replay *a, unsigned int type, bool end, int64_t ret)
{
	const struct slot_space *s = &a->world.space;

	/* Whatever the recorded device still held is not in swap any more, wherever it is here. */
	if (end && !ret)
		change_slots(a, 0, SWAP_FREE_SWAPIN, s->base[type],
			     s->base[type + 1] - s->base[type], nothing_left, 0);
	for (unsigned int i = 0; i < all_runs(a); i++)
		if (!run_at(a, i)->cfg.policy->devices)
			alloc_run_swapoff(run_at(a, i), type, end, ret);
}

static void on_swapoff(struct alloc_replay *a, const struct columns *c, uint32_t i)
{
	bool end = column_get(c, i, SWAPOFF_OP, SWAPOFF_BEGIN) == SWAPOFF_END;
	int64_t ret = (int64_t)c->v[SWAPOFF_RET][i];

	if (column_has(c, i, SWAPOFF_TYPE) && c->v[SWAPOFF_TYPE][i] < ALLOC_DEVICES)
		a->swapoff_type = (int)c->v[SWAPOFF_TYPE][i];
	else if (!end)
		a->swapoff_type = -1;
	a->swapoff_open = !end;
	if (a->swapoff_type >= 0)
		swapoff(a, (unsigned int)a->swapoff_type, end, ret);
	if (end)
		a->swapoff_type = -1;
}

/* The first entry that a swapoff visits tells which device it is about. */
static void on_lookup(struct alloc_replay *a, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, LOOKUP_TYPE, ALLOC_DEVICES);

	if (!a->swapoff_open || a->swapoff_type >= 0 || type >= ALLOC_DEVICES ||
	    column_get(c, i, LOOKUP_CAUSE, LOOKUP_FAULT) == LOOKUP_FAULT)
		return;
	a->swapoff_type = (int)type;
	swapoff(a, (unsigned int)type, false, 0);
}

/* Lists and places are those of the recorded generation; another one has no use for them. */
static void on_state(struct alloc_replay *a, enum event_type type, const struct place *p,
		     const struct columns *c, uint32_t i)
{
	for (unsigned int k = 0; k < all_runs(a); k++) {
		struct alloc_run *run = run_at(a, k);

		if (!run->cfg.own || run->cfg.policy->devices)
			continue;
		if (type == EV_CLUSTER)
			swap_alloc_set_cluster(run->pool[0], (int)column_get(c, i, CLUSTER_TYPE, 0),
					       (uint32_t)c->v[CLUSTER_INDEX][i],
					       (enum swap_cluster_list_id)c->v[CLUSTER_LIST][i],
					       (unsigned int)c->v[CLUSTER_ORDER][i]);
		else if (column_has(c, i, PCPU_ORDER))
			swap_alloc_set_next(run->pool[0], p->cpu % run->cfg.nr_cpus,
					    (int)column_get(c, i, PCPU_TYPE, 0),
					    (unsigned int)c->v[PCPU_ORDER][i],
					    (uint32_t)c->v[PCPU_NEXT][i]);
		else
			swap_alloc_set_scan_next(run->pool[0], p->cpu % run->cfg.nr_cpus,
						 (int)column_get(c, i, PCPU_TYPE, 0),
						 (uint32_t)c->v[PCPU_NEXT][i]);
	}
}

static void on_rng(struct alloc_replay *a, const struct columns *c, uint32_t i)
{
	struct alloc_draw d = {
		.value = (uint32_t)c->v[RNG_VALUE][i],
		.low = (uint32_t)c->v[RNG_LOW][i],
		.high = (uint32_t)c->v[RNG_HIGH][i],
		.have_range = column_has(c, i, RNG_LOW) && column_has(c, i, RNG_HIGH),
	};

	for (unsigned int k = 0; k < all_runs(a); k++)
		alloc_run_draw(run_at(a, k), &d);
}

/* --- the stream ---------------------------------------------------------------------------------
 */

static void next_slice(struct alloc_replay *a, uint64_t t_ns)
{
	unsigned int last = a->o->slices - 1;

	if (!a->slice_ns)
		return;
	while (t_ns >= a->next_slice_ns && a->slice < last) {
		for (unsigned int i = 0; i < a->nruns; i++) {
			alloc_run_end_slice(&a->runs[i]);
			a->runs[i].slice++;
		}
		a->slice++;
		a->next_slice_ns += a->slice_ns;
	}
}

static void run_workers(struct alloc_replay *a, unsigned int cpu)
{
	if (!any_worker_due(a))
		return;
	for (unsigned int i = 0; i < all_runs(a); i++)
		alloc_run_workers(run_at(a, i), cpu);
	settle_taken(a, cpu, 0, 0);
}

/* What must be done before this event: answers that are complete, workers whose turn it is. */
static int before_event(struct alloc_replay *a, enum event_type type, const struct place *p,
			const struct columns *c, uint32_t i)
{
	const struct held_answer *h = &a->held;
	bool inside = type == EV_UNCACHE || type == EV_FREE || type == EV_RNG;
	int ret = 0;

	if (h->valid && h->refill && h->task == p->task)
		inside |= type == EV_ALLOC && column_get(c, i, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE;
	else if (h->valid && type != EV_RNG)
		inside = false;
	if (!inside)
		ret = answer_held(a);
	/* The frees of a worker belong to it; anything else comes after. */
	if (!ret && type != EV_UNCACHE && type != EV_FREE && type != EV_RNG)
		run_workers(a, p->cpu);
	return ret;
}

static int dispatch(struct alloc_replay *a, enum event_type type, const struct place *p,
		    const struct columns *c, uint32_t i)
{
	switch (type) {
	case EV_SWAPOUT:
		return on_swapout(a, p, c, i);
	case EV_ALLOC:
		return on_alloc(a, p, c, i);
	case EV_ALLOCFAIL:
		return on_allocfail(a, p, c, i);
	case EV_CACHE:
		return on_cache(a, p, c, i);
	case EV_UNCACHE:
		return on_uncache(a, p, c, i);
	case EV_UNREF:
		on_unref(a, p, c, i);
		return 0;
	case EV_FREE:
		on_free(a, p, c, i);
		return 0;
	case EV_SLOTS:
		on_slots(a, c, i);
		return 0;
	case EV_SWAPON:
		return on_swapon(a, c, i);
	case EV_SWAPOFF:
		on_swapoff(a, c, i);
		return 0;
	case EV_CLUSTER:
	case EV_PCPU:
		on_state(a, type, p, c, i);
		return 0;
	case EV_RNG:
		on_rng(a, c, i);
		return 0;
	case EV_LOST:
		a->verify.lost += column_get(c, i, LOST_N, 0);
		return 0;
	default:
		return 0;
	}
}

static int check(struct alloc_replay *a)
{
	for (unsigned int i = 0; i < all_runs(a); i++)
		if (alloc_run_check(run_at(a, i), a->why, sizeof(a->why)))
			return -EUCLEAN;
	return 0;
}

int alloc_replay_event(struct alloc_replay *a, const struct block_view *v, uint32_t k,
		       enum event_type type, const struct columns *c, uint32_t i)
{
	struct place p;
	int ret;

	if (type == EV_LOOKUP) {
		on_lookup(a, c, i);
		return 0;
	}
	next_slice(a, v->times[k]);
	ret = place_of(a, v, k, c, i, &p);
	if (!ret)
		ret = before_event(a, type, &p, c, i);
	if (!ret)
		ret = dispatch(a, type, &p, c, i);
	return !ret && a->o->check ? check(a) : ret;
}

const char *alloc_replay_why(const struct alloc_replay *a)
{
	return a->why;
}

void alloc_replay_keys(struct view_wanted *w)
{
	uint32_t alloc = BIT(ALLOC_ORDER) | BIT(ALLOC_TYPE) | BIT(ALLOC_OFF) | BIT(ALLOC_N) |
			 BIT(ALLOC_FOLIO) | BIT(ALLOC_MEMCG) | BIT(ALLOC_VIA) | BIT(ALLOC_REASON);
	const uint32_t keys[EV_NR] = {
		[EV_SWAPOUT] = BIT(SWAPOUT_ORDER) | BIT(SWAPOUT_FOLIO) | BIT(SWAPOUT_SPLIT_OF) |
			       BIT(SWAPOUT_MEMCG),
		[EV_ALLOC] = alloc,
		[EV_ALLOCFAIL] = alloc,
		[EV_CACHE] = BIT(CACHE_TYPE),
		[EV_UNCACHE] = BIT(CACHE_TYPE),
		[EV_UNREF] = BIT(UNREF_TYPE),
		[EV_FREE] = BIT(FREE_TYPE),
		[EV_SLOTS] = BIT(SLOTS_TYPE),
		[EV_CLUSTER] = BIT(CLUSTER_TYPE) | BIT(CLUSTER_INDEX) | BIT(CLUSTER_LIST) |
			       BIT(CLUSTER_ORDER),
		[EV_PCPU] = BIT(PCPU_TYPE) | BIT(PCPU_ORDER) | BIT(PCPU_NEXT),
		[EV_RNG] = BIT(RNG_VALUE) | BIT(RNG_LOW) | BIT(RNG_HIGH),
		[EV_SWAPON] = BIT(SWAPON_TYPE) | BIT(SWAPON_PRIO),
		[EV_SWAPOFF] = BIT(SWAPOFF_TYPE),
		[EV_LOST] = BIT(LOST_N),
	};

	for (int t = 0; t < EV_NR; t++)
		if (keys[t])
			w->keys[t] |= keys[t] | BIT(KEY_CPU) | BIT(KEY_TID);
}

/* --- set-up ---------------------------------------------------------------------------------- */

bool alloc_replay_wanted(const struct replay_options *o, const struct survey *s)
{
	const uint64_t *n = s->events;

	for (unsigned int i = 0; i < o->npolicies; i++)
		if (alloc_policy_set(&o->policies[i].alloc))
			return n[EV_SWAPOUT] || n[EV_ALLOC] || n[EV_ALLOCFAIL];
	/* Readahead recordings hold ALLOC too, to tell which slots are in use. */
	return n[EV_SWAPOUT] || n[EV_ALLOCFAIL] || (n[EV_ALLOC] && !n[EV_LOOKUP]);
}

static const char *recorded_allocator(const struct trace_header *h, bool *exact)
{
	const char *named = trace_header_get(h, "allocator");

	for (unsigned int i = 0; named && swap_alloc_generation(i); i++)
		if (!strcmp(named, swap_alloc_generation(i))) {
			*exact = true;
			return swap_alloc_generation(i);
		}
	return allocator_of_release(trace_header_get(h, "release"), exact);
}

bool alloc_replay_can_verify(const struct trace_header *h)
{
	bool exact;

	recorded_allocator(h, &exact);
	return exact;
}

static const char *allocator_of(const struct policy *p, const struct policy *recorded,
				const char *recorded_allocator)
{
	if (p->alloc.allocator[0])
		return p->alloc.allocator;
	return p->generation == recorded->generation ? recorded_allocator
						     : p->generation->allocator;
}

/* SWAPFILE_CLUSTER: the slots of a PMD where large folios are swapped out whole, else 256. */
static unsigned int cluster_slots(const struct trace_header *h)
{
	uint64_t value;

	if (trace_header_u64(h, "thp_swap", &value) && !value)
		return 256;
	if (trace_header_u64(h, "cluster_slots", &value))
		return value <= SWAP_MAX_CLUSTER ? (unsigned int)value : 0;
	/* A page of page-table entries of 8 bytes maps that many pages. */
	if (trace_header_u64(h, "page_size", &value) && value <= 65536 && value >= 4096)
		return (unsigned int)value / 8;
	return 512;
}

static unsigned int recorded_cpus(const struct trace_header *h, const struct survey *s)
{
	uint64_t cpus;

	if (trace_header_u64(h, "cpus", &cpus) && cpus && cpus <= SWAP_MAX_CPUS)
		return (unsigned int)cpus;
	return s->max_cpu < SWAP_MAX_CPUS ? s->max_cpu + 1 : SWAP_MAX_CPUS;
}

static bool keeps_groups_apart(const struct alloc_policy *p)
{
	for (unsigned int t = 0; p->devices && t < POLICY_DEVICES; t++)
		if (p->device[t].nmemcgs)
			return true;
	return false;
}

static void configure(const struct alloc_replay *a, const struct trace_header *h,
		      const struct policy *p, struct alloc_run_config *cfg)
{
	const char *recorded;
	bool exact;

	recorded = recorded_allocator(h, &exact);
	*cfg = (struct alloc_run_config){
		.allocator = allocator_of(p, &a->o->policies[0], recorded),
		.policy = &p->alloc,
		.nr_cpus = p->cpus && p->cpus <= SWAP_MAX_CPUS ? p->cpus : a->cpus,
		.cluster_slots = cluster_slots(h),
		.slots_cache = a->from_above && !keeps_groups_apart(&p->alloc),
		.world = &a->world,
	};
	cfg->own = !strcmp(cfg->allocator, recorded) && !p->cpus && !p->alloc.devices &&
		   !p->alloc.reserve;
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		cfg->pages[t] = a->survey->dev[t].max_pages ? a->survey->dev[t].max_pages
							    : a->survey->dev[t].size;
}

static int init_runs(struct alloc_replay *a, const struct trace_header *h, struct error *err)
{
	const struct policy *p = a->o->policies;
	struct alloc_run_config cfg;
	int ret = 0;

	for (unsigned int i = 0; i < a->o->npolicies && !ret; i++) {
		unsigned int same = 0;

		while (same < i &&
		       !(alloc_policy_same(&p[i].alloc, &p[same].alloc) &&
			 p[i].cpus == p[same].cpus && p[i].generation == p[same].generation))
			same++;
		if (same < i) {
			a->run_of[i] = a->run_of[same];
			continue;
		}
		a->run_of[i] = a->nruns;
		configure(a, h, &p[i], &cfg);
		ret = alloc_run_init(&a->runs[a->nruns++], &cfg, &a->results[i].alloc, err);
	}
	if (ret || !a->verifying)
		return ret;
	configure(a, h, &p[0], &cfg);
	return alloc_verify_init(&a->verify, &cfg, &a->results[0].verify, !a->survey->in_use, err);
}

static int init_slices(struct alloc_replay *a)
{
	for (unsigned int i = 0; a->slice_ns && i < a->nruns; i++) {
		struct alloc_result *res = a->runs[i].result;

		res->slices = calloc(a->o->slices, sizeof(*res->slices));
		if (!res->slices)
			return -ENOMEM;
		res->nslices = a->o->slices;
		for (unsigned int k = 0; k < res->nslices; k++)
			res->slices[k].t_ns = a->survey->first_ns + k * a->slice_ns;
		a->runs[i].slice = res->slices;
	}
	a->next_slice_ns = a->survey->first_ns + a->slice_ns;
	return 0;
}

/* Devices that were on at the start: those of the header, and those only slots are known of. */
static int first_devices(struct alloc_replay *a, const struct trace_header *h)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	int ret = 0;

	for (unsigned int i = 0; i < n && !ret; i++) {
		struct alloc_swapon on = {
			.type = d[i].type,
			.pages = d[i].have_pages && d[i].pages < SLOT_NOWHERE
					 ? (uint32_t)d[i].pages
					 : (uint32_t)a->survey->dev[d[i].type % ALLOC_DEVICES].size,
			.prio = d[i].have_prio ? d[i].prio : SWAP_PRIO_DEFAULT,
			.flags = d[i].have_flags ? d[i].flags : DEVICE_SSD | DEVICE_BLKDEV,
		};

		if (on.type < ALLOC_DEVICES && on.pages >= 2)
			ret = swapon(a, &on);
	}
	for (unsigned int t = 0; t < ALLOC_DEVICES && !ret; t++) {
		struct alloc_swapon on = { t, (uint32_t)a->survey->dev[t].size, SWAP_PRIO_DEFAULT,
					   DEVICE_SSD | DEVICE_BLKDEV };

		if (on.pages >= 2 && !a->survey->dev[t].max_pages)
			ret = swapon(a, &on);
	}
	return ret;
}

static int policy_devices(struct alloc_replay *a)
{
	int ret = 0;

	for (unsigned int i = 0; i < a->nruns; i++) {
		const struct alloc_policy *p = a->runs[i].cfg.policy;

		for (unsigned int t = 0; p->devices && t < POLICY_DEVICES && !ret; t++) {
			struct alloc_swapon on = { t, p->device[t].pages, p->device[t].prio,
						   p->device[t].flags };

			if (p->device[t].present)
				ret = alloc_run_swapon(&a->runs[i], &on);
		}
	}
	return ret;
}

static uint8_t start_state_of(const struct survey_device *d, uint64_t off)
{
	uint8_t state = WORLD_LIVE;

	if (!(d->start[off] & START_IN_USE))
		return 0;
	if (d->start[off] & START_CACHED)
		state |= WORLD_CACHED;
	else if (!d->refs[off])
		state |= 1;
	return set_refs(state, (state & WORLD_REFS) + d->refs[off]);
}

/* The slots that were in use before the first event. */
static void place_start(struct alloc_replay *a)
{
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct survey_device *d = &a->survey->dev[t];
		uint32_t base = a->world.space.base[t];
		uint64_t off = 1;

		while (off < d->size) {
			uint8_t state = start_state_of(d, off);
			uint64_t end = off + 1;

			while (end < d->size && start_state_of(d, end) == state)
				end++;
			if (state) {
				memset(a->world.state + base + off, state, end - off);
				for (unsigned int i = 0; i < all_runs(a); i++)
					alloc_run_place(run_at(a, i), t, (uint32_t)off,
							(uint32_t)(end - off));
			}
			if (state == (WORLD_LIVE | WORLD_CACHED))
				apply(a, 0, CHANGE_CACHE_ONLY, 0, base + (uint32_t)off,
				      (uint32_t)(end - off));
			off = end;
		}
	}
}

static int init_world(struct alloc_replay *a)
{
	const uint64_t *n = a->survey->events;
	uint64_t sizes[ALLOC_DEVICES];
	int ret;

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct survey_device *d = &a->survey->dev[t];

		sizes[t] = d->max_pages > d->size ? d->max_pages : d->size;
	}
	ret = slot_space_init(&a->world.space, sizes, ALLOC_DEVICES);
	if (ret)
		return ret;
	a->world.state = calloc(slot_space_total(&a->world.space) + 1ul, 1);
	a->caches = calloc(a->cpus, sizeof(*a->caches));
	a->from_above = n[EV_SWAPOUT];
	a->drops = n[EV_UNREF] || n[EV_UNCACHE];
	a->hold_draws = n[EV_RNG];
	a->world.reclaim_known = n[EV_UNCACHE];
	return a->world.state && a->caches ? 0 : -ENOMEM;
}

int alloc_replay_new(struct alloc_replay **out, const struct trace_header *h,
		     const struct replay_options *o, const struct survey *survey, uint64_t slice_ns,
		     struct replay_result *results, struct error *err)
{
	struct alloc_replay *a = calloc(1, sizeof(*a));
	int ret;

	*out = a;
	if (!a)
		return error_set(err, -ENOMEM, "out of memory");
	a->o = o;
	a->survey = survey;
	a->results = results;
	a->slice_ns = survey->total ? slice_ns : 0;
	a->swapoff_type = -1;
	a->cpus = recorded_cpus(h, survey);
	a->exact = alloc_replay_can_verify(h);
	a->verifying = o->verify && a->exact;
	if (trace_header_get(h, "release"))
		snprintf(a->release, sizeof(a->release), "%s", trace_header_get(h, "release"));
	ret = init_world(a);
	if (ret)
		return error_errno(err, ret, "cannot set up the slot allocators");
	ret = init_runs(a, h, err);
	if (ret)
		return ret;
	a->verify.draws_known = a->hold_draws || survey->events[EV_PCPU];
	ret = init_slices(a);
	if (!ret)
		ret = first_devices(a, h);
	if (!ret)
		ret = policy_devices(a);
	if (ret)
		return error_errno(err, ret, "cannot set up the slot allocators");
	place_start(a);
	return 0;
}

void alloc_replay_free(struct alloc_replay *a)
{
	if (!a)
		return;
	for (unsigned int i = 0; i < a->nruns; i++)
		alloc_run_free(&a->runs[i]);
	alloc_verify_free(&a->verify);
	free(a->world.state);
	free(a->world.taken);
	free(a->caches);
	free(a->task);
	map_free(&a->tasks);
	free(a);
}

/* --- the end ---------------------------------------------------------------------------------- */

static int close_requests(struct alloc_replay *a)
{
	int ret = answer_held(a);

	for (uint32_t t = 0; t < a->ntasks && !ret; t++)
		if (a->task[t].pending)
			ret = answer_untold(a, t);
	return ret ? ret : answer_held(a);
}

static void small_devices(struct alloc_replay *a, struct replay_result *res)
{
	const struct alloc_run *run = &a->runs[a->run_of[res - a->results]];

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct alloc_device *d = &res->alloc.devices[t];

		if (d->seen && res->alloc.norders > 1 && d->pages < run->cfg.cluster_slots)
			replay_result_note(
				res,
				"device %u has %" PRIu64
				" slots and is smaller than one cluster (%u slots): the PMD "
				"order can never succeed",
				t, d->pages, run->cfg.cluster_slots);
	}
}

static void unknown_devices(struct alloc_replay *a, struct replay_result *res)
{
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (res->alloc.devices[t].seen && !a->survey->dev[t].max_pages &&
		    !a->o->policies[res - a->results].alloc.devices)
			replay_result_note(res,
					   "the size of device %u is not in the trace: %" PRIu64
					   " slots were taken, as far as its offsets reach",
					   t, res->alloc.devices[t].pages);
}

/* The recorded kernel, or the one that a policy names, may have no model of its own. */
static void nearest_allocator(struct alloc_replay *a, struct replay_result *res)
{
	const struct policy *p = &a->o->policies[res - a->results];
	const char *release = p->generation->name;
	bool exact = a->exact;

	if (p->alloc.allocator[0])
		return;
	if (p->generation == a->o->policies[0].generation)
		release = a->release;
	else
		allocator_of_release(release + 1, &exact);
	if (*release && !exact)
		replay_result_note(
			res,
			"no exact model of the slot allocator of kernel %s: the nearest, %s, "
			"was taken",
			release, res->alloc.allocator);
}

/* Requests are there, but there is no model that they could be compared with. */
static void say_unchecked(struct verify_result *v)
{
	size_t len = strlen(v->missing);

	snprintf(v->missing + len, sizeof(v->missing) - len,
		 "%sslots (no exact model of this kernel's allocator)", len ? ", " : "");
}

static void add_notes(struct alloc_replay *a, struct replay_result *res)
{
	nearest_allocator(a, res);
	small_devices(a, res);
	unknown_devices(a, res);
	if (res->alloc.norders == 1)
		replay_result_note(res, "large swap-out not possible in this config: no THP_SWAP, "
					"clusters of 256 slots");
	if (a->untold)
		replay_result_note(res,
				   "the slots of %" PRIu64 " requests are not in the trace: what "
				   "becomes of their data cannot be followed",
				   a->untold);
	if (res->alloc.unplaced)
		replay_result_note(res, "%" PRIu64 " pages found no slot under this policy",
				   res->alloc.unplaced);
}

/* The readahead replay says where it started from; without one the slots are all there is. */
static enum start_state start_state(const struct alloc_replay *a)
{
	if (!a->survey->in_use)
		return START_BOOT;
	return a->survey->events[EV_SLOTS] ? START_SNAPSHOT : START_UNKNOWN;
}

static int finish_policy(struct alloc_replay *a, unsigned int p)
{
	struct alloc_run *run = &a->runs[a->run_of[p]];
	struct replay_result *res = &a->results[p];

	if (run->result != &res->alloc) {
		int ret = alloc_result_copy(&res->alloc, run->result);

		if (ret)
			return ret;
	}
	if (!a->survey->events[EV_LOOKUP] && !a->survey->events[EV_RA])
		res->start_state = start_state(a);
	add_notes(a, res);
	return 0;
}

int alloc_replay_finish(struct alloc_replay *a)
{
	int ret = close_requests(a);

	run_workers(a, 0);
	for (unsigned int i = 0; i < a->nruns && !ret; i++) {
		struct alloc_result *res = a->runs[i].result;

		ret = alloc_run_finish(&a->runs[i]);
		res->recorded_known =
			a->survey->events[EV_ALLOC] || a->survey->events[EV_ALLOCFAIL];
		memcpy(res->recorded, a->recorded, sizeof(res->recorded));
	}
	for (unsigned int p = 0; p < a->o->npolicies && !ret; p++)
		ret = finish_policy(a, p);
	if (!ret && a->verifying)
		alloc_verify_finish(&a->verify);
	if (!ret && a->o->verify && !a->verifying)
		say_unchecked(&a->results[0].verify);
	return ret;
}
