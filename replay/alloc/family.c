// SPDX-License-Identifier: GPL-2.0
/* What the world tells, and the state of the recorded allocator, on their way to the models. */
#include "replay/alloc/family.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- runs ------------------------------------------------------------------------------------ */

unsigned int alloc_all_runs(const struct alloc_state *a)
{
	return a->nruns + a->verifying;
}

struct alloc_run *alloc_run_at(struct alloc_state *a, unsigned int i)
{
	return i < a->nruns ? &a->runs[i] : &a->verify.run;
}

/* Does a reclaim worker of the recorded kernel's own allocator wait for its turn? */
static bool own_worker_due(const struct alloc_state *a)
{
	for (unsigned int i = 0; i < a->nruns; i++)
		if (a->runs[i].cfg.own && a->runs[i].worker_due)
			return true;
	return a->verifying && a->verify.run.worker_due;
}

static bool any_worker_due(struct alloc_state *a)
{
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		if (alloc_run_at(a, i)->worker_due)
			return true;
	return false;
}

/* --- drops ------------------------------------------------------------------------------------ */

static bool defer(struct alloc_state *a, unsigned int cpu, const struct late_drop *d)
{
	struct late_drops *late = cpu < a->cpus ? &a->late[cpu] : NULL;

	if (!late)
		return false;
	if (late->n == late->room) {
		unsigned int room = late->room ? late->room * 2 : 16;
		struct late_drop *bigger = realloc(late->v, room * sizeof(*bigger));

		if (!bigger)
			return false;
		late->v = bigger;
		late->room = room;
	}
	late->v[late->n++] = *d;
	a->nlate++;
	return true;
}

static void drop(struct alloc_state *a, unsigned int cpu, const struct late_drop *d)
{
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		alloc_run_drop(alloc_run_at(a, i), cpu, d->how, d->r, d->n);
}

static void settle_late(struct alloc_state *a, unsigned int cpu)
{
	struct late_drops *late = cpu < a->cpus ? &a->late[cpu] : NULL;

	for (unsigned int i = 0; late && i < late->n; i++)
		drop(a, cpu, &late->v[i]);
	if (late) {
		a->nlate -= late->n;
		late->n = 0;
	}
}

void alloc_settle_late_all(struct alloc_state *a)
{
	for (unsigned int cpu = 0; cpu < a->cpus; cpu++)
		settle_late(a, cpu);
}

/* Those of the CPU where recorded slot @r waits. */
static void settle_late_slot(struct alloc_state *a, uint32_t r)
{
	for (unsigned int cpu = 0; cpu < a->cpus && a->nlate; cpu++) {
		const struct late_drops *late = &a->late[cpu];
		unsigned int i = 0;

		while (i < late->n && (r < late->v[i].r || r - late->v[i].r >= late->v[i].n))
			i++;
		if (i < late->n)
			settle_late(a, cpu);
	}
}

/* --- folios that the recorded allocator took back --------------------------------------------- */

static int take_folio(struct alloc_state *a, uint32_t task, uint32_t r, uint32_t n)
{
	struct alloc_recorded *w = &a->world;

	if (w->ntaken == w->taken_room) {
		unsigned int room = w->taken_room ? w->taken_room * 2 : 64;
		struct taken_folio *bigger = realloc(w->taken, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		w->taken = bigger;
		w->taken_room = room;
	}
	w->taken[w->ntaken++] = (struct taken_folio){ r, n, task };
	return 0;
}

/*
 * That is over: what a model left of the folios goes now.
 * @task: that took them; @except, @n: recorded slots that were given out again meanwhile
 */
static void settle_taken(struct alloc_state *a, unsigned int cpu, uint32_t task, uint32_t except,
			 uint32_t n)
{
	struct taken_folio *taken = a->world.taken;
	unsigned int ntaken = a->world.ntaken;

	a->world.ntaken = 0;
	for (unsigned int i = 0; i < ntaken; i++) {
		uint32_t from = taken[i].r, end = from + taken[i].n;

		if (taken[i].task != task) {
			taken[a->world.ntaken++] = taken[i];
			continue;
		}
		/* Slots that were given out again at once hold new data. */
		while (from < end) {
			uint32_t to = from;
			bool skip = from >= except && from - except < n;

			while (to < end && (to >= except && to - except < n) == skip)
				to++;
			if (!skip)
				drop(a, cpu,
				     &(struct late_drop){ SWAP_FREE_CACHE, from, to - from });
			from = to;
		}
	}
}

void alloc_run_all_workers(struct alloc_state *a, unsigned int cpu)
{
	if (!any_worker_due(a))
		return;
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		alloc_run_workers(alloc_run_at(a, i), cpu);
	settle_taken(a, cpu, TAKEN_BY_WORKER, 0, 0);
}

/* --- what the world tells ------------------------------------------------------------------------
 */

static int on_data(void *family, const struct data_change *c)
{
	struct alloc_state *a = family;
	const struct late_drop d = { c->how, c->r, c->n };

	if (!c->gone) {
		for (unsigned int i = 0; i < alloc_all_runs(a); i++)
			alloc_run_cache_only(alloc_run_at(a, i), c->r, c->n);
		return 0;
	}
	/* A task that asked for slots, and a worker that was woken, take folios back on their own.
	 */
	if (c->inside)
		return take_folio(a, c->task, c->r, c->n);
	if (c->reclaim && own_worker_due(a))
		return take_folio(a, TAKEN_BY_WORKER, c->r, c->n);
	if (!c->announced || !a->x->world->requests.ordered || !defer(a, c->cpu, &d))
		drop(a, c->cpu, &d);
	return 0;
}

static void count_recorded(struct alloc_state *a, const struct slot_request *req, uint64_t answered,
			   uint64_t refused, enum fallback_reason reason)
{
	struct alloc_order *o = &a->recorded[req->order];

	o->swpout += answered;
	o->fallback += refused;
	o->reasons[reason] += refused;
}

static int answer_granted(struct alloc_state *a, const struct slot_answer *h)
{
	const struct slot_request *req = &h->req;
	int ret = 0;

	a->untold += h->r == SLOT_NOWHERE;
	for (unsigned int i = 0; i < a->nruns && !ret; i++)
		if (!alloc_run_absorb(&a->runs[i], req, h->r))
			ret = alloc_run_granted(&a->runs[i], req, h->r, h->n);
	if (!ret && a->verifying && h->refill)
		ret = alloc_verify_refill(&a->verify, req, h->slots, h->nslots, h->cut);
	else if (!ret && a->verifying)
		ret = alloc_verify_granted(&a->verify, req, h->r, h->n);
	settle_taken(a, req->cpu, h->task, h->r, h->r == SLOT_NOWHERE ? 0 : h->n);
	count_recorded(a, req, req->order ? 1 : h->n, 0, 0);
	return ret;
}

static int answer_refused(struct alloc_state *a, const struct slot_answer *h)
{
	const struct slot_request *req = &h->req;
	bool limited = h->reason == REASON_LIMIT;
	int ret = 0;

	for (unsigned int i = 0; i < a->nruns && !ret; i++)
		if (!alloc_run_absorb(&a->runs[i], req, SLOT_NOWHERE))
			ret = alloc_run_refused(&a->runs[i], req, limited);
	if (!ret && a->verifying)
		ret = alloc_verify_refused(&a->verify, req, limited);
	settle_taken(a, req->cpu, h->task, 0, 0);
	count_recorded(a, req, 0, 1,
		       limited			    ? FALLBACK_LIMIT
		       : h->reason == REASON_CONFIG ? FALLBACK_CONFIG
						    : FALLBACK_FULL);
	return ret;
}

/* The rest of a filling. Where policies are concerned, it came all at once. */
static int answer_rest(struct alloc_state *a, const struct slot_answer *h)
{
	if (a->verifying)
		alloc_verify_refill_rest(&a->verify, &h->req, h->slots, h->nslots, h->cut);
	settle_taken(a, h->req.cpu, h->task, 0, 0);
	return 0;
}

static int on_answer(void *family, const struct slot_answer *h)
{
	struct alloc_state *a = family;
	const struct requests *q = &a->x->world->requests;

	if (a->verifying)
		alloc_verify_moment(&a->verify, h->req.t_ns, h->req.cpu);
	a->verify.beside = h->beside;
	a->verify.waiting = q->ordered ? q->waiting : NULL;
	a->verify.start_unknown = a->verifying && a->x->survey->in_use && alloc_start_unknown(a);
	if (h->refused)
		return answer_refused(a, h);
	return h->more ? answer_rest(a, h) : answer_granted(a, h);
}

static void on_taken_back(void *family, const struct slot_request *req)
{
	struct alloc_state *a = family;

	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		alloc_run_uncount(alloc_run_at(a, i), req);
	a->recorded[req->order].swpout--;
}

static void on_swapoff(void *family, unsigned int type, bool end, int64_t ret)
{
	struct alloc_state *a = family;

	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		if (!alloc_run_at(a, i)->cfg.policy->devices)
			alloc_run_swapoff(alloc_run_at(a, i), type, end, ret);
}

static void next_slice(struct alloc_state *a, uint64_t t_ns)
{
	unsigned int last = a->x->o->slices - 1;

	if (!a->x->slice_ns)
		return;
	while (t_ns >= a->next_slice_ns && a->slice < last) {
		for (unsigned int i = 0; i < a->nruns; i++) {
			alloc_run_end_slice(&a->runs[i]);
			a->runs[i].slice++;
		}
		a->slice++;
		a->next_slice_ns += a->x->slice_ns;
	}
}

/* Drops that wait on this CPU or that of the task's event before, or that of the freed slots. */
static void settle_before(struct alloc_state *a, const struct replay_event *ev,
			  const struct slot_place *at)
{
	uint64_t off, n;
	struct slot_run run;

	settle_late(a, at->cpu);
	if (at->cpu_before != at->cpu)
		settle_late(a, at->cpu_before);
	if (ev->type == EV_SWAPON || ev->type == EV_SWAPOFF)
		alloc_settle_late_all(a);
	if (ev->type != EV_FREE || !a->nlate)
		return;
	off = ev_value(ev, FREE_OFF);
	n = ev_get(ev, FREE_N, 1);
	world_runs_begin(a->x->world, ev_get(ev, FREE_TYPE, 0), off, &n);
	while (slot_runs_next(a->x->world->slots.numbers, ev_get(ev, FREE_TYPE, 0), &off, &n, &run))
		for (uint32_t r = run.r; r < run.r + run.n; r++)
			settle_late_slot(a, r);
}

static void on_before(void *family, const struct replay_event *ev, const struct slot_place *at)
{
	struct alloc_state *a = family;

	next_slice(a, ev->t_ns);
	if (a->x->world->requests.ordered)
		settle_before(a, ev, at);
	/* The frees of a worker belong to it; anything else comes after. */
	if (ev->type != EV_UNCACHE && ev->type != EV_FREE && ev->type != EV_RNG)
		alloc_run_all_workers(a, at->cpu);
}

void alloc_listen(struct alloc_state *a)
{
	a->x->world->listener = (struct world_listener){
		.ctx = a,
		.before = on_before,
		.answer = on_answer,
		.taken_back = on_taken_back,
		.data = on_data,
		.swapoff = on_swapoff,
	};
}

/* --- events: devices and the recorded allocator's state ------------------------------------------
 */

int alloc_swapon_all(struct alloc_state *a, const struct alloc_swapon *on)
{
	int ret = 0;

	for (unsigned int i = 0; i < alloc_all_runs(a) && !ret; i++)
		if (!alloc_run_at(a, i)->cfg.policy->devices)
			ret = alloc_run_swapon(alloc_run_at(a, i), on);
	return ret;
}

static int on_swapon(void *family, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, SWAPON_TYPE, ALLOC_DEVICES), pages = ev_value(ev, SWAPON_PAGES);
	struct alloc_swapon on = {
		.type = (unsigned int)(type < ALLOC_DEVICES ? type : ALLOC_DEVICES),
		.pages = (uint32_t)(pages < SLOT_NOWHERE ? pages : 0),
		.prio = ev_has(ev, SWAPON_PRIO) ? (int)(int64_t)ev_value(ev, SWAPON_PRIO)
						: SWAP_PRIO_DEFAULT,
		.flags = (uint32_t)ev_get(ev, SWAPON_FLAGS, DEVICE_SSD | DEVICE_BLKDEV),
		.have_flags = ev_has(ev, SWAPON_FLAGS),
	};

	if (on.type >= ALLOC_DEVICES || on.pages < 2 || on.flags & DEVICE_IMAGINARY)
		return 0;
	return alloc_swapon_all(family, &on);
}

/* A large folio that came in whole: what another allocator split would not have. */
static int on_lookup(void *family, const struct replay_event *ev)
{
	struct alloc_state *a = family;

	a->whole += ev_get(ev, LOOKUP_BYPASS, 0) && ev_value(ev, LOOKUP_ORDER);
	return 0;
}

static unsigned int cpu_of(const struct replay_event *ev)
{
	int64_t cpu = ev_has(ev, KEY_CPU) ? (int64_t)ev_value(ev, KEY_CPU) : ev_cpu(ev);

	return cpu < 0 || cpu >= SWAP_MAX_CPUS ? 0 : (unsigned int)cpu;
}

/* Lists and places are those of the recorded generation; another one has no use for them. */
static bool takes_state(const struct alloc_run *run)
{
	return run->cfg.own && !run->cfg.policy->devices;
}

static int on_cluster(void *family, const struct replay_event *ev)
{
	struct alloc_state *a = family;

	a->told_lists = true;
	for (unsigned int k = 0; k < alloc_all_runs(a); k++)
		if (takes_state(alloc_run_at(a, k)))
			swap_alloc_set_cluster(
				alloc_run_at(a, k)->pool[0], (int)ev_get(ev, CLUSTER_TYPE, 0),
				(uint32_t)ev_value(ev, CLUSTER_INDEX),
				(enum swap_cluster_list_id)ev_value(ev, CLUSTER_LIST),
				(unsigned int)ev_value(ev, CLUSTER_ORDER));
	return 0;
}

static void set_place(struct alloc_run *run, const struct replay_event *ev)
{
	unsigned int cpu = cpu_of(ev) % run->cfg.nr_cpus;
	int type = (int)ev_get(ev, PCPU_TYPE, 0);

	if (ev_has(ev, PCPU_ORDER))
		swap_alloc_set_next(run->pool[0], cpu, type, (unsigned int)ev_value(ev, PCPU_ORDER),
				    (uint32_t)ev_value(ev, PCPU_NEXT));
	else
		swap_alloc_set_scan_next(run->pool[0], cpu, type,
					 (uint32_t)ev_value(ev, PCPU_NEXT));
}

static void park(struct alloc_state *a, const struct replay_event *ev)
{
	bool returned = ev_get(ev, PCPU_SIDE, SIDE_ALLOC) == SIDE_FREE;
	struct slot_run run;

	if (!world_run(a->x->world, ev_get(ev, PCPU_TYPE, 0), ev_value(ev, PCPU_OFF), 1, &run))
		return;
	for (unsigned int k = 0; k < alloc_all_runs(a); k++)
		alloc_run_park(alloc_run_at(a, k), cpu_of(ev), returned, run.r);
}

static int on_pcpu(void *family, const struct replay_event *ev)
{
	struct alloc_state *a = family;
	bool active = ev_has(ev, PCPU_ACTIVE);

	if (ev_has(ev, PCPU_OFF)) {
		park(a, ev);
		return 0;
	}
	a->told_caches |= active;
	a->told_places |= !active;
	for (unsigned int k = 0; k < alloc_all_runs(a); k++) {
		struct alloc_run *run = alloc_run_at(a, k);

		if (!takes_state(run))
			continue;
		if (active)
			run->pool[0]->cache_active = ev_value(ev, PCPU_ACTIVE) != 0;
		else
			set_place(run, ev);
	}
	return 0;
}

static int on_rng(void *family, const struct replay_event *ev)
{
	struct alloc_state *a = family;
	const struct alloc_draw d = {
		.value = (uint32_t)ev_value(ev, RNG_VALUE),
		.low = (uint32_t)ev_value(ev, RNG_LOW),
		.high = (uint32_t)ev_value(ev, RNG_HIGH),
		.have_range = ev_has(ev, RNG_LOW) && ev_has(ev, RNG_HIGH),
	};

	for (unsigned int k = 0; k < alloc_all_runs(a); k++)
		alloc_run_draw(alloc_run_at(a, k), &d);
	return 0;
}

static int on_lost(void *family, const struct replay_event *ev)
{
	struct alloc_state *a = family;

	a->verify.lost += ev_get(ev, LOST_N, 0);
	return 0;
}

/* --- the family
 * ------------------------------------------------------------------------------------ */

static int check(void *family)
{
	struct alloc_state *a = family;
	char why[256];

	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		if (alloc_run_check(alloc_run_at(a, i), why, sizeof(why)))
			return error_set(a->x->error, -EUCLEAN, "an invariant is broken: %s", why);
	return 0;
}

/* Requests, answers and drops come through the world, which reads their events. */
static const struct family_handler handlers[EV_NR] = {
	[EV_LOOKUP] = { on_lookup, BIT(LOOKUP_BYPASS) | BIT(LOOKUP_ORDER) },
	[EV_SWAPON] = { on_swapon, BIT(SWAPON_TYPE) | BIT(SWAPON_PAGES) | BIT(SWAPON_PRIO) |
					   BIT(SWAPON_FLAGS) },
	[EV_CLUSTER] = { on_cluster, BIT(CLUSTER_TYPE) | BIT(CLUSTER_INDEX) | BIT(CLUSTER_LIST) |
					     BIT(CLUSTER_ORDER) },
	[EV_PCPU] = { on_pcpu, BIT(PCPU_TYPE) | BIT(PCPU_ORDER) | BIT(PCPU_NEXT) | BIT(PCPU_OFF) |
				       BIT(PCPU_SIDE) | BIT(PCPU_ACTIVE) | BIT(KEY_CPU) },
	[EV_RNG] = { on_rng, BIT(RNG_VALUE) | BIT(RNG_LOW) | BIT(RNG_HIGH) },
	[EV_LOST] = { on_lost, BIT(LOST_N) },
};

const struct replay_family alloc_family = {
	.name = "alloc",
	.part = KERNEL_ALLOCATOR,
	.settings = alloc_settings,
	.handlers = handlers,
	.prepare = alloc_prepare,
	.told = alloc_told,
	.check = check,
	.finish = alloc_finish,
	.free = alloc_free,
};
