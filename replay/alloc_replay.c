// SPDX-License-Identifier: GPL-2.0
/* Events of the allocator: requests and their answers, drops, devices. */
#include "replay/alloc_replay_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BIT(k) (1u << (k))

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
		if ((a->world.state[i] & WORLD_LIVE) && !alloc_was_taken(&a->world, i))
			alloc_change_slots(a, cpu, SWAP_FREE_ZAP, i, 1, alloc_nothing_left, 0);
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
	if (!ret && a->verifying && h->refill)
		ret = alloc_verify_refill(&a->verify, req, h->slots, h->nslots, h->cut);
	else if (!ret && a->verifying)
		ret = alloc_verify_granted(&a->verify, req, h->r, h->n);
	alloc_settle_taken(a, req->cpu, h->task, h->r, h->r == SLOT_NOWHERE ? 0 : h->n);
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
	alloc_settle_taken(a, req->cpu, h->task, 0, 0);
	return ret;
}

/* The rest of a filling. Where policies are concerned, it came all at once. */
static int put_rest(struct alloc_replay *a, const struct held_answer *h)
{
	if (a->verifying)
		alloc_verify_refill_rest(&a->verify, &h->req, h->slots, h->nslots, h->cut);
	alloc_settle_taken(a, h->req.cpu, h->task, 0, 0);
	return 0;
}

static int put_answer(struct alloc_replay *a, const struct held_answer *h)
{
	struct alloc_task *t = &a->task[h->task];

	if (a->verifying)
		alloc_verify_moment(&a->verify, h->req.t_ns, h->req.cpu);
	a->verify.beside = a->inside - t->inside_at - t->own;
	a->verify.waiting = a->ordered ? a->waiting : NULL;
	a->verify.start_unknown = a->verifying && a->survey->in_use && alloc_start_unknown(a);
	if (h->refused)
		return answer_refused(a, h);
	t->cut = h->cut;
	if (h->more)
		return put_rest(a, h);
	t->last_known = t->answered = h->r != SLOT_NOWHERE;
	t->last = h->req;
	t->last_r = h->r;
	t->last_n = h->n;
	return answer_granted(a, h);
}

int alloc_answer_held(struct alloc_replay *a)
{
	if (!a->held.valid)
		return 0;
	a->held.valid = false;
	return put_answer(a, &a->held);
}

static void begin_request(struct alloc_replay *a, struct alloc_task *t)
{
	t->pending = true;
	t->inside_at = a->inside;
	t->own = 0;
	a->waiting[t->req.order > 0] += 1ull << t->req.order;
}

static void end_request(struct alloc_replay *a, struct alloc_task *t)
{
	t->pending = false;
	a->waiting[t->req.order > 0] -= 1ull << t->req.order;
}

/* Put the answer to the models now, or once what belongs to it is complete. */
static int hold(struct alloc_replay *a, const struct held_answer *h)
{
	int ret = alloc_answer_held(a);

	if (ret)
		return ret;
	a->held = *h;
	a->held.valid = true;
	a->held.cpu = a->task[h->task].cpu;
	return h->refill || a->hold_draws ? 0 : alloc_answer_held(a);
}

/*
 * An answer that took no lock of the allocator, as it came out of a slots cache or is none: where
 * events are told in the order of that lock, another CPU may be inside it at this moment.
 */
static int put_unlocked(struct alloc_replay *a, const struct held_answer *h)
{
	return a->ordered ? put_answer(a, h) : hold(a, h);
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

static void fill_cache(struct alloc_replay *a, unsigned int cpu, uint32_t r)
{
	struct recorded_cache *c = cpu < a->cpus ? &a->caches[cpu] : NULL;

	if (c && c->n < SWAP_BATCH)
		c->r[(c->head + c->n++) % SWAP_BATCH] = r;
}

/* The trace does not tell how the request was answered: out of the recorded slots cache, if at all.
 */
int alloc_answer_untold(struct alloc_replay *a, uint32_t task)
{
	struct alloc_task *t = &a->task[task];
	struct held_answer h = {
		.task = task, .req = t->req, .r = SLOT_NOWHERE, .n = 1u << t->req.order
	};

	end_request(a, t);
	if (!t->req.order)
		cached_slot(a, t->req.cpu, &h.r);
	return put_unlocked(a, &h);
}

static int on_swapout(struct alloc_replay *a, const struct place *p, const struct columns *c,
		      uint32_t i)
{
	const uint64_t *answers = a->survey->events;
	struct alloc_task *t;
	bool told;

	if (a->task[p->task].pending) {
		int ret = alloc_answer_untold(a, p->task);

		if (ret)
			return ret;
	}
	t = &a->task[p->task];
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
	begin_request(a, t);
	/* Nothing will tell, or only the recorded cache can: then this is the moment. */
	told = answers[EV_ALLOC] || answers[EV_ALLOCFAIL] || answers[EV_CACHE];
	if (told &&
	    (answers[EV_CACHE] || t->req.order || p->cpu >= a->cpus || !a->caches[p->cpu].n))
		return 0;
	return alloc_answer_untold(a, p->task);
}

/*
 * The request that an ALLOC or ALLOCFAIL answers: the task's own, or else the event stands for it.
 * @cache: the answer came out of a slots cache, that of the CPU where the request was made
 */
static struct alloc_request request_of(struct alloc_replay *a, const struct place *p,
				       const struct columns *c, uint32_t i, bool cache)
{
	struct alloc_task *t = &a->task[p->task];
	bool same = !column_has(c, i, ALLOC_FOLIO) || !t->req.have_folio ||
		    c->v[ALLOC_FOLIO][i] == t->req.folio;
	struct alloc_request req;

	if (t->pending && same) {
		end_request(a, t);
		req = t->req;
		req.t_ns = p->t_ns;
		if (!cache)
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
	struct alloc_task *t = &a->task[p->task];

	if (h->valid && h->refill && h->task == p->task && h->nslots < SWAP_BATCH) {
		h->slots[h->nslots++] = r;
		fill_cache(a, h->req.cpu, r);
		return 0;
	}
	/* Not what a request of this task could have caused, so its own was not recorded. */
	if (!t->cut && (!t->pending || t->req.order))
		return alloc_answer_held(a);
	begin = (struct held_answer){ .refill = true,
				      .more = t->cut,
				      .task = p->task,
				      .req = t->req,
				      .r = r,
				      .n = 1,
				      .slots = { r },
				      .nslots = 1 };
	if (t->pending)
		end_request(a, t);
	if (t->cut)
		fill_cache(a, t->req.cpu, r);
	else if (t->req.cpu < a->cpus)
		a->caches[t->req.cpu].n = 0;
	return hold(a, &begin);
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
	h.req = request_of(a, p, c, i, cache);
	h.n = h.req.order ? 1u << h.req.order : len;
	for (h.r = r; h.r + h.n <= r + len && !ret; h.r += h.n)
		ret = cache ? put_unlocked(a, &h) : hold(a, &h);
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
	alloc_change_slots(a, p->cpu, SWAP_FREE_CACHE, t->last_r, t->last_n, alloc_nothing_left, 0);
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		alloc_run_uncount(alloc_run_at(a, i), req);
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

	h.req = request_of(a, p, c, i, false);
	if (h.limited)
		take_back(a, p, &h.req);
	count_recorded(a, &h.req, false,
		       reason == REASON_LIMIT	 ? FALLBACK_LIMIT
		       : reason == REASON_CONFIG ? FALLBACK_CONFIG
						 : FALLBACK_FULL);
	return put_unlocked(a, &h);
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
	if (swapout && a->task[p->task].pending && n == 1u << a->task[p->task].req.order) {
		struct held_answer h = {
			.task = p->task, .req = a->task[p->task].req, .r = r, .n = n
		};

		end_request(a, &a->task[p->task]);
		h.req.t_ns = p->t_ns;
		ret = a->ordered ? put_answer(a, &h) : hold(a, &h);
		if (!ret && !a->ordered)
			ret = alloc_answer_held(a);
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
	const struct alloc_task *t = &a->task[p->task];
	bool inside = t->pending || t->cut || (h->valid && h->refill && h->task == p->task);
	uint32_t r, n;

	if (!slots_of(a, column_get(c, i, CACHE_TYPE, 0), c->v[CACHE_OFF][i],
		      column_get(c, i, CACHE_N, 1), &r, &n))
		return 0;
	/* A task that asked for slots, and a worker that was woken, take folios back on their own.
	 */
	if (inside || (reclaim && alloc_own_worker_due(a)))
		return alloc_take_folio(a, inside ? p->task : TAKEN_BY_WORKER, r, n);
	a->deferring = a->ordered;
	alloc_change_slots(a, p->cpu, SWAP_FREE_CACHE, r, n, alloc_uncached, 0);
	a->deferring = false;
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
	a->deferring = a->ordered;
	if (how == UNREF_CACHE)
		alloc_change_slots(a, p->cpu, hows[how], r, n, alloc_uncached, 0);
	else if (column_has(c, i, UNREF_LEFT))
		alloc_change_slots(a, p->cpu, hows[how], r, n, alloc_set_refs, c->v[UNREF_LEFT][i]);
	else
		alloc_change_slots(a, p->cpu, hows[how], r, n, alloc_one_less, 0);
	a->deferring = false;
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
		alloc_change_slots(a, p->cpu, SWAP_FREE_ZAP, r, n, alloc_nothing_left, 0);
		return;
	}
	for (uint32_t k = r; k < r + n; k++)
		if (!alloc_was_taken(&a->world, k))
			alloc_change_slots(a, p->cpu, SWAP_FREE_CACHE, k, 1, alloc_nothing_left, 0);
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
			a->world.state[k] = alloc_set_refs(a->world.state[k], count);
}

/* --- events: devices and recorded state ------------------------------------------------------- */

int alloc_swapon_all(struct alloc_replay *a, const struct alloc_swapon *on)
{
	int ret = 0;

	for (unsigned int i = 0; i < alloc_all_runs(a) && !ret; i++)
		if (!alloc_run_at(a, i)->cfg.policy->devices)
			ret = alloc_run_swapon(alloc_run_at(a, i), on);
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

	if (on.type >= ALLOC_DEVICES || on.pages < 2 || c->v[SWAPON_PAGES][i] >= SLOT_NOWHERE ||
	    on.flags & DEVICE_IMAGINARY)
		return 0;
	return alloc_swapon_all(a, &on);
}

static void swapoff(struct alloc_replay *a, unsigned int type, bool end, int64_t ret)
{
	const struct slot_space *s = &a->world.space;

	/* Whatever the recorded device still held is not in swap any more, wherever it is here. */
	if (end && !ret)
		alloc_change_slots(a, 0, SWAP_FREE_SWAPIN, s->base[type],
				   s->base[type + 1] - s->base[type], alloc_nothing_left, 0);
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		if (!alloc_run_at(a, i)->cfg.policy->devices)
			alloc_run_swapoff(alloc_run_at(a, i), type, end, ret);
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

	a->whole += column_get(c, i, LOOKUP_BYPASS, 0) && c->v[LOOKUP_ORDER][i];
	if (!a->swapoff_open || a->swapoff_type >= 0 || type >= ALLOC_DEVICES ||
	    column_get(c, i, LOOKUP_CAUSE, LOOKUP_FAULT) == LOOKUP_FAULT)
		return;
	a->swapoff_type = (int)type;
	swapoff(a, (unsigned int)type, false, 0);
}

/*
 * A slot that waits in a slots cache is nobody's data, whatever the snapshot made of it: other
 * models have it free. The recorded allocator's own has it wait there, too.
 */
static void on_parked(struct alloc_replay *a, const struct place *p, const struct columns *c,
		      uint32_t i)
{
	bool returned = column_get(c, i, PCPU_SIDE, SIDE_ALLOC) == SIDE_FREE;
	uint32_t r, n;

	if (!slots_of(a, column_get(c, i, PCPU_TYPE, 0), c->v[PCPU_OFF][i], 1, &r, &n))
		return;
	for (unsigned int k = 0; k < alloc_all_runs(a); k++)
		alloc_run_park(alloc_run_at(a, k), p->cpu, returned, r);
	a->world.state[r] = 0;
	if (!returned)
		fill_cache(a, p->cpu, r);
}

/* Lists and places are those of the recorded generation; another one has no use for them. */
static void on_state(struct alloc_replay *a, enum event_type type, const struct place *p,
		     const struct columns *c, uint32_t i)
{
	a->told_lists |= type == EV_CLUSTER;
	a->told_caches |= type == EV_PCPU && column_has(c, i, PCPU_ACTIVE);
	a->told_places |= type == EV_PCPU && !column_has(c, i, PCPU_ACTIVE);
	for (unsigned int k = 0; k < alloc_all_runs(a); k++) {
		struct alloc_run *run = alloc_run_at(a, k);

		if (!run->cfg.own || run->cfg.policy->devices)
			continue;
		if (type == EV_PCPU && column_has(c, i, PCPU_ACTIVE))
			run->pool[0]->cache_active = c->v[PCPU_ACTIVE][i] != 0;
		else if (type == EV_CLUSTER)
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

	for (unsigned int k = 0; k < alloc_all_runs(a); k++)
		alloc_run_draw(alloc_run_at(a, k), &d);
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

void alloc_run_all_workers(struct alloc_replay *a, unsigned int cpu)
{
	if (!alloc_any_worker_due(a))
		return;
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		alloc_run_workers(alloc_run_at(a, i), cpu);
	alloc_settle_taken(a, cpu, TAKEN_BY_WORKER, 0, 0);
}

static bool is_refill(enum event_type type, const struct columns *c, uint32_t i)
{
	return type == EV_ALLOC && !column_has(c, i, ALLOC_FOLIO) &&
	       column_get(c, i, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE;
}

/*
 * Another task's event while an answer is held. What the allocator does inside its lock comes
 * after, so the answer is complete, and so it is when a slot comes out of the slots cache that is
 * being filled. Anything else goes on beside it, also on the same CPU: a long search lets others
 * run.
 */
static bool goes_on_beside(const struct alloc_replay *a, enum event_type type,
			   const struct place *p, const struct columns *c, uint32_t i)
{
	bool elsewhere = p->cpu != a->held.cpu;

	if (!a->ordered)
		return false;
	switch (type) {
	case EV_ALLOC:
		return elsewhere && column_has(c, i, ALLOC_FOLIO) &&
		       column_get(c, i, ALLOC_VIA, VIA_DIRECT) == VIA_CACHE;
	case EV_CACHE:
		return elsewhere || !a->task[p->task].pending;
	case EV_ALLOCFAIL:
		return elsewhere;
	default:
		return type == EV_SWAPOUT || type == EV_UNCACHE || type == EV_UNREF;
	}
}

static bool keeps_hold(const struct alloc_replay *a, enum event_type type, const struct place *p,
		       const struct columns *c, uint32_t i)
{
	const struct held_answer *h = &a->held;

	if (h->task != p->task)
		return goes_on_beside(a, type, p, c, i) || (type == EV_RNG && !a->ordered);
	if (type == EV_RNG)
		return true;
	return h->refill && (type == EV_UNCACHE || type == EV_FREE || is_refill(type, c, i));
}

/* Drops that wait on this CPU or that of the task's event before, or that of the freed slots. */
static void settle_late(struct alloc_replay *a, enum event_type type, const struct place *p,
			const struct columns *c, uint32_t i)
{
	struct alloc_task *t = &a->task[p->task];
	uint32_t r, n;

	alloc_settle_late(a, p->cpu);
	if (t->cpu != p->cpu)
		alloc_settle_late(a, t->cpu);
	if (type == EV_SWAPON || type == EV_SWAPOFF)
		alloc_settle_late_all(a);
	if (type == EV_FREE && slots_of(a, column_get(c, i, FREE_TYPE, 0), c->v[FREE_OFF][i],
					column_get(c, i, FREE_N, 1), &r, &n))
		for (uint32_t k = r; k < r + n; k++)
			alloc_settle_late_slot(a, k);
}

/* What the event says of where its task is. */
static void note_place(struct alloc_replay *a, enum event_type type, const struct place *p,
		       const struct columns *c, uint32_t i)
{
	struct alloc_task *t = &a->task[p->task];
	bool refill = is_refill(type, c, i);

	t->cpu = p->cpu;
	if (type != EV_UNCACHE && type != EV_FREE && !refill)
		t->cut = false;
	if (type == EV_FREE || refill ||
	    (type == EV_ALLOC && column_get(c, i, ALLOC_VIA, VIA_DIRECT) == VIA_DIRECT)) {
		a->inside++;
		t->own++;
	}
}

/* What must be done before this event: answers that are complete, workers whose turn it is. */
static int before_event(struct alloc_replay *a, enum event_type type, const struct place *p,
			const struct columns *c, uint32_t i)
{
	struct held_answer *h = &a->held;
	int ret = 0;

	if (type == EV_SWAPOUT)
		a->ordered |= column_has(c, i, KEY_SEQ);
	if (h->valid && !keeps_hold(a, type, p, c, i)) {
		h->cut = h->refill && h->task != p->task && h->nslots < SWAP_BATCH && a->ordered;
		ret = alloc_answer_held(a);
	}
	if (a->ordered)
		settle_late(a, type, p, c, i);
	note_place(a, type, p, c, i);
	/* The frees of a worker belong to it; anything else comes after. */
	if (!ret && type != EV_UNCACHE && type != EV_FREE && type != EV_RNG)
		alloc_run_all_workers(a, p->cpu);
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
	case EV_PCPU:
		if (column_has(c, i, PCPU_OFF)) {
			on_parked(a, p, c, i);
			return 0;
		}
		on_state(a, type, p, c, i);
		return 0;
	case EV_CLUSTER:
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
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		if (alloc_run_check(alloc_run_at(a, i), a->why, sizeof(a->why)))
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
	/* Readahead, writes and the per-CPU batches are another matter: they interrupt nothing. */
	if (type == EV_RA || type == EV_READ || type == EV_WRITE ||
	    (type >= EV_DRAIN && type <= EV_FLUSH) || type == EV_CONFIG || type == EV_CLOCK)
		return 0;
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
		[EV_LOOKUP] = BIT(LOOKUP_BYPASS) | BIT(LOOKUP_ORDER),
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
		[EV_PCPU] = BIT(PCPU_TYPE) | BIT(PCPU_ORDER) | BIT(PCPU_NEXT) | BIT(PCPU_OFF) |
			    BIT(PCPU_SIDE) | BIT(PCPU_ACTIVE),
		[EV_RNG] = BIT(RNG_VALUE) | BIT(RNG_LOW) | BIT(RNG_HIGH),
		[EV_SWAPON] = BIT(SWAPON_TYPE) | BIT(SWAPON_PRIO),
		[EV_SWAPOFF] = BIT(SWAPOFF_TYPE),
		[EV_LOST] = BIT(LOST_N),
	};

	for (int t = 0; t < EV_NR; t++)
		if (keys[t])
			w->keys[t] |= keys[t] | BIT(KEY_CPU) | BIT(KEY_TID);
	w->keys[EV_SWAPOUT] |= BIT(KEY_SEQ);
}
