// SPDX-License-Identifier: GPL-2.0
#include "replay/world/requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/world/world.h"

int requests_init(struct world *w, unsigned int cpus)
{
	struct requests *q = &w->requests;
	const uint64_t *n = w->survey->events;

	q->wanted = true;
	q->cpus = cpus;
	q->from_above = n[EV_SWAPOUT];
	q->drops = n[EV_UNREF] || n[EV_UNCACHE];
	q->hold_draws = n[EV_RNG];
	q->caches = calloc(cpus, sizeof(*q->caches));
	return q->caches ? 0 : -ENOMEM;
}

void requests_free(struct requests *q)
{
	free(q->caches);
	free(q->task);
	map_free(&q->tasks);
	memset(q, 0, sizeof(*q));
}

/* --- who and where ------------------------------------------------------------------------------
 */

static int find_task(struct requests *q, uint64_t id, uint64_t kind, uint32_t *index)
{
	uint64_t *known = map_get(&q->tasks, id, kind);

	if (known) {
		*index = (uint32_t)*known;
		return 0;
	}
	if (q->ntasks == q->task_room) {
		uint32_t room = q->task_room ? q->task_room * 2 : 64;
		struct slot_task *bigger = realloc(q->task, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		q->task = bigger;
		q->task_room = room;
	}
	memset(&q->task[q->ntasks], 0, sizeof(*q->task));
	*index = q->ntasks++;
	return map_set(&q->tasks, id, kind, *index);
}

static int place_of(struct requests *q, const struct replay_event *ev, struct slot_place *at)
{
	int64_t cpu = ev_has(ev, KEY_CPU) ? (int64_t)ev_value(ev, KEY_CPU) : ev_cpu(ev);

	at->cpu = cpu < 0 || cpu >= SWAP_MAX_CPUS ? 0 : (unsigned int)cpu;
	if (ev_has(ev, KEY_TID))
		return find_task(q, ev_value(ev, KEY_TID), 0, &at->task);
	if (ev_tgid(ev) >= 0)
		return find_task(q, (uint64_t)ev_tgid(ev), 0, &at->task);
	return find_task(q, at->cpu, 1, &at->task);
}

bool requests_inside(const struct requests *q, uint32_t task)
{
	const struct slot_task *t = q->wanted ? &q->task[task] : NULL;

	return t && (t->pending || t->cut || (q->holds && q->held.refill && q->held.task == task));
}

/* --- recorded slots caches -----------------------------------------------------------------------
 */

static bool cached_slot(struct requests *q, unsigned int cpu, uint32_t *r)
{
	struct recorded_cache *c = cpu < q->cpus ? &q->caches[cpu] : NULL;

	if (!c || !c->n)
		return false;
	*r = c->r[c->head];
	c->head = (c->head + 1) % SWAP_BATCH;
	c->n--;
	return true;
}

static void fill_cache(struct requests *q, unsigned int cpu, uint32_t r)
{
	struct recorded_cache *c = cpu < q->cpus ? &q->caches[cpu] : NULL;

	if (c && c->n < SWAP_BATCH)
		c->r[(c->head + c->n++) % SWAP_BATCH] = r;
}

void requests_parked(struct world *w, unsigned int cpu, uint32_t r)
{
	if (w->requests.wanted)
		fill_cache(&w->requests, cpu, r);
}

/* --- answers --------------------------------------------------------------------------------- */

static int put_answer(struct world *w, struct slot_answer *a)
{
	struct requests *q = &w->requests;
	struct slot_task *t = &q->task[a->task];

	a->beside = q->inside - t->inside_at - t->own;
	if (!a->refused)
		t->cut = a->cut;
	if (!a->refused && !a->more) {
		t->last_known = t->answered = a->r != SLOT_NOWHERE;
		t->last = a->req;
		t->last_r = a->r;
		t->last_n = a->n;
	}
	return world_tell_answer(w, a);
}

static int answer_held(struct world *w)
{
	if (!w->requests.holds)
		return 0;
	w->requests.holds = false;
	return put_answer(w, &w->requests.held);
}

static void begin_request(struct requests *q, struct slot_task *t)
{
	t->pending = true;
	t->inside_at = q->inside;
	t->own = 0;
	q->waiting[t->req.order > 0] += 1ull << t->req.order;
}

static void end_request(struct requests *q, struct slot_task *t)
{
	t->pending = false;
	q->waiting[t->req.order > 0] -= 1ull << t->req.order;
}

/* Tell the answer now, or once what belongs to it is complete. */
static int hold(struct world *w, const struct slot_answer *a)
{
	struct requests *q = &w->requests;
	int ret = answer_held(w);

	if (ret)
		return ret;
	q->held = *a;
	q->holds = true;
	q->held_cpu = q->task[a->task].cpu;
	return a->refill || q->hold_draws ? 0 : answer_held(w);
}

/*
 * An answer that took no lock of the allocator, as it came out of a slots cache or is none: where
 * events are told in the order of that lock, another CPU may be inside it at this moment.
 */
static int put_unlocked(struct world *w, struct slot_answer *a)
{
	return w->requests.ordered ? put_answer(w, a) : hold(w, a);
}

/* The trace does not tell how the request was answered: out of the recorded slots cache, if at all.
 */
static int answer_untold(struct world *w, uint32_t task)
{
	struct requests *q = &w->requests;
	struct slot_task *t = &q->task[task];
	struct slot_answer a = {
		.task = task, .req = t->req, .r = SLOT_NOWHERE, .n = 1u << t->req.order
	};

	end_request(q, t);
	if (!t->req.order)
		cached_slot(q, t->req.cpu, &a.r);
	return put_unlocked(w, &a);
}

/* --- events: requests ------------------------------------------------------------------------ */

static unsigned int order_of(uint64_t order)
{
	return order < SWAP_MAX_ORDERS ? (unsigned int)order : SWAP_MAX_ORDERS - 1;
}

int requests_swapout(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	const uint64_t *answers = w->survey->events;
	struct requests *q = &w->requests;
	struct slot_task *t;
	bool told;

	if (q->task[at->task].pending) {
		int ret = answer_untold(w, at->task);

		if (ret)
			return ret;
	}
	t = &q->task[at->task];
	t->last_known = t->answered = false;
	t->req = (struct slot_request){
		.t_ns = at->t_ns,
		.cpu = at->cpu,
		.order = order_of(ev_value(ev, SWAPOUT_ORDER)),
		.have_memcg = ev_has(ev, SWAPOUT_MEMCG),
		.memcg = ev_value(ev, SWAPOUT_MEMCG),
		.have_folio = ev_has(ev, SWAPOUT_FOLIO),
		.folio = ev_value(ev, SWAPOUT_FOLIO),
		.have_split = ev_has(ev, SWAPOUT_SPLIT_OF),
		.split_of = ev_value(ev, SWAPOUT_SPLIT_OF),
	};
	begin_request(q, t);
	/* Nothing will tell, or only the recorded cache can: then this is the moment. */
	told = answers[EV_ALLOC] || answers[EV_ALLOCFAIL] || answers[EV_CACHE];
	if (told &&
	    (answers[EV_CACHE] || t->req.order || at->cpu >= q->cpus || !q->caches[at->cpu].n))
		return 0;
	return answer_untold(w, at->task);
}

/*
 * The request that an ALLOC or ALLOCFAIL answers: the task's own, or else the event stands for it.
 * @cache: the answer came out of a slots cache, that of the CPU where the request was made
 */
static struct slot_request request_of(struct requests *q, const struct slot_place *at,
				      const struct replay_event *ev, bool cache)
{
	struct slot_task *t = &q->task[at->task];
	bool same = !ev_has(ev, ALLOC_FOLIO) || !t->req.have_folio ||
		    ev_value(ev, ALLOC_FOLIO) == t->req.folio;
	struct slot_request req;

	if (t->pending && same) {
		end_request(q, t);
		req = t->req;
		req.t_ns = at->t_ns;
		if (!cache)
			req.cpu = at->cpu;
		return req;
	}
	return (struct slot_request){
		.t_ns = at->t_ns,
		.cpu = at->cpu,
		.order = order_of(ev_get(ev, ALLOC_ORDER, 0)),
		.have_memcg = ev_has(ev, ALLOC_MEMCG),
		.memcg = ev_value(ev, ALLOC_MEMCG),
		.have_folio = ev_has(ev, ALLOC_FOLIO),
		.folio = ev_value(ev, ALLOC_FOLIO),
	};
}

/* A slot drawn by a slots cache: the first of a row answers the request that made it draw. */
static int on_refill(struct world *w, const struct slot_place *at, uint32_t r)
{
	struct requests *q = &w->requests;
	struct slot_answer *a = &q->held, begin;
	struct slot_task *t = &q->task[at->task];

	if (q->holds && a->refill && a->task == at->task && a->nslots < SWAP_BATCH) {
		a->slots[a->nslots++] = r;
		fill_cache(q, a->req.cpu, r);
		return 0;
	}
	/* Not what a request of this task could have caused, so its own was not recorded. */
	if (!t->cut && (!t->pending || t->req.order))
		return answer_held(w);
	begin = (struct slot_answer){ .refill = true,
				      .more = t->cut,
				      .task = at->task,
				      .req = t->req,
				      .r = r,
				      .n = 1,
				      .slots = { r },
				      .nslots = 1 };
	if (t->pending)
		end_request(q, t);
	if (t->cut)
		fill_cache(q, t->req.cpu, r);
	else if (t->req.cpu < q->cpus)
		q->caches[t->req.cpu].n = 0;
	return hold(w, &begin);
}

int requests_alloc(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	uint64_t order = ev_get(ev, ALLOC_ORDER, 0);
	bool cache = ev_get(ev, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE;
	struct requests *q = &w->requests;
	struct slot_answer a = { .task = at->task };
	struct slot_run run;
	int ret = 0;

	if (order >= SWAP_MAX_ORDERS ||
	    !world_run(w, ev_get(ev, ALLOC_TYPE, 0), ev_value(ev, ALLOC_OFF),
		       ev_get(ev, ALLOC_N, 1ull << order), &run))
		return 0;
	if (q->from_above && cache && !ev_has(ev, ALLOC_FOLIO)) {
		for (uint32_t k = 0; k < run.n && !ret; k++)
			ret = on_refill(w, at, run.r + k);
		return ret;
	}
	/* From 6.15 on the folio is in the swap cache before the call returns: that was told. */
	if (q->from_above && !q->task[at->task].pending && q->task[at->task].answered &&
	    q->task[at->task].last_r == run.r) {
		q->task[at->task].answered = false;
		return 0;
	}
	a.req = request_of(q, at, ev, cache);
	a.n = a.req.order ? 1u << a.req.order : run.n;
	for (a.r = run.r; a.r + a.n <= run.r + run.n && !ret; a.r += a.n)
		ret = cache ? put_unlocked(w, &a) : hold(w, &a);
	return ret;
}

/* The charge of the memory cgroup failed after the slots had been given: they went back. */
static int take_back(struct world *w, const struct slot_place *at, const struct slot_request *req)
{
	struct slot_task *t = &w->requests.task[at->task];

	if (!t->last_known || !req->have_folio || !t->last.have_folio ||
	    t->last.folio != req->folio || t->last.order != req->order)
		return 0;
	t->last_known = false;
	return world_take_back(w, at->cpu, req, t->last_r, t->last_n);
}

int requests_allocfail(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	struct slot_answer a = {
		.task = at->task,
		.refused = true,
		.reason = (enum alloc_reason)ev_get(ev, ALLOC_REASON, REASON_SPACE),
		.r = SLOT_NOWHERE,
	};
	int ret = 0;

	a.req = request_of(&w->requests, at, ev, false);
	if (a.reason == REASON_LIMIT)
		ret = take_back(w, at, &a.req);
	return ret ? ret : put_unlocked(w, &a);
}

int requests_cached(struct world *w, const struct slot_place *at, uint32_t r, uint32_t n)
{
	struct requests *q = &w->requests;
	struct slot_task *t;
	int ret = 0;

	if (!q->wanted)
		return 0;
	t = &q->task[at->task];
	if (t->pending && n == 1u << t->req.order) {
		struct slot_answer a = { .task = at->task, .req = t->req, .r = r, .n = n };

		end_request(q, t);
		a.req.t_ns = at->t_ns;
		ret = q->ordered ? put_answer(w, &a) : hold(w, &a);
		if (!ret && !q->ordered)
			ret = answer_held(w);
	}
	q->task[at->task].last_known = false;
	return ret;
}

/* --- order
 * ---------------------------------------------------------------------------------------- */

static bool is_refill(const struct replay_event *ev)
{
	return ev->type == EV_ALLOC && !ev_has(ev, ALLOC_FOLIO) &&
	       ev_get(ev, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE;
}

/*
 * Another task's event while an answer is held. What the allocator does inside its lock comes
 * after, so the answer is complete, and so it is when a slot comes out of the slots cache that is
 * being filled. Anything else goes on beside it, also on the same CPU: a long search lets others
 * run.
 */
static bool goes_on_beside(const struct requests *q, const struct slot_place *at,
			   const struct replay_event *ev)
{
	bool elsewhere = at->cpu != q->held_cpu;

	if (!q->ordered)
		return false;
	switch (ev->type) {
	case EV_ALLOC:
		return elsewhere && ev_has(ev, ALLOC_FOLIO) &&
		       ev_get(ev, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE;
	case EV_CACHE:
		return elsewhere || !q->task[at->task].pending;
	case EV_ALLOCFAIL:
		return elsewhere;
	default:
		return ev->type == EV_SWAPOUT || ev->type == EV_UNCACHE || ev->type == EV_UNREF;
	}
}

static bool keeps_hold(const struct requests *q, const struct slot_place *at,
		       const struct replay_event *ev)
{
	if (q->held.task != at->task)
		return goes_on_beside(q, at, ev) || (ev->type == EV_RNG && !q->ordered);
	if (ev->type == EV_RNG)
		return true;
	return q->held.refill && (ev->type == EV_UNCACHE || ev->type == EV_FREE || is_refill(ev));
}

/* What the event says of where its task is. */
static void note_place(struct requests *q, struct slot_place *at, const struct replay_event *ev)
{
	struct slot_task *t = &q->task[at->task];
	bool refill = is_refill(ev);

	at->cpu_before = t->cpu;
	t->cpu = at->cpu;
	if (ev->type != EV_UNCACHE && ev->type != EV_FREE && !refill)
		t->cut = false;
	if (ev->type == EV_FREE || refill ||
	    (ev->type == EV_ALLOC && ev_get(ev, ALLOC_VIA, VIA_DIRECT) == VIA_DIRECT)) {
		q->inside++;
		t->own++;
	}
}

int requests_before(struct world *w, const struct replay_event *ev, struct slot_place *at)
{
	struct requests *q = &w->requests;
	struct slot_answer *a = &q->held;
	int ret = place_of(q, ev, at);

	if (ret)
		return ret;
	if (ev->type == EV_SWAPOUT)
		q->ordered |= ev_has(ev, KEY_SEQ);
	if (q->holds && !keeps_hold(q, at, ev)) {
		a->cut = a->refill && a->task != at->task && a->nslots < SWAP_BATCH && q->ordered;
		ret = answer_held(w);
	}
	note_place(q, at, ev);
	return ret;
}

int requests_close(struct world *w)
{
	struct requests *q = &w->requests;
	int ret = answer_held(w);

	for (uint32_t t = 0; t < q->ntasks && !ret; t++)
		if (q->task[t].pending)
			ret = answer_untold(w, t);
	return ret ? ret : answer_held(w);
}
