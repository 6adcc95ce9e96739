// SPDX-License-Identifier: GPL-2.0
/* Events on their way to the policies' readahead. */
#include "replay/readahead/family.h"

#include <inttypes.h>
#include <string.h>

/* --- the swap caches of the policies
 * -------------------------------------------------------------- */

/* The slots of an event, and for all policies what is known of them. */
static void set_bits(struct readahead_state *f, struct slot_run run, uint8_t bits)
{
	memset(run_bits(&f->runs[0], run.r), bits, (size_t)run.n * f->cache.policies);
}

struct event_slots {
	uint64_t type, off, n;
};

static struct event_slots slots_of(const struct readahead_state *f, uint64_t type, uint64_t off,
				   uint64_t n)
{
	struct event_slots s = { type, off, n };

	world_runs_begin(f->x->world, type, off, &s.n);
	return s;
}

static bool next_run(const struct readahead_state *f, struct event_slots *s, struct slot_run *run)
{
	return slot_runs_next(f->x->world->slots.numbers, s->type, &s->off, &s->n, run);
}

/* What an event made of slots, for the calls that are under way. */
static void note_change(struct readahead_state *f, const struct replay_event *ev,
			struct slot_run run, enum slot_becomes becomes)
{
	struct moment at;

	if (!f->verifying)
		return;
	at = moment_of(ev);
	verify_change(&f->verify, &at, run, becomes);
}

static int on_cache(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct event_slots s = slots_of(f, ev_get(ev, CACHE_TYPE, 0), ev_value(ev, CACHE_OFF),
					ev_get(ev, CACHE_N, 1));
	uint64_t by = ev_get(ev, CACHE_BY, BY_SWAPIN);
	struct slot_run run;

	while (next_run(f, &s, &run)) {
		note_change(f, ev, run, SLOT_BECOMES_CACHED);
		if (by == BY_SWAPOUT)
			set_bits(f, run, SLOT_CACHED | SLOT_WRITEOUT);
		else if (f->verifying && by == BY_SWAPIN)
			for (uint32_t r = run.r; r < run.r + run.n; r++)
				*run_bits(&f->verify.run, r) |= SLOT_CACHED;
	}
	return 0;
}

static int on_uncache(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct event_slots s = slots_of(f, ev_get(ev, CACHE_TYPE, 0), ev_value(ev, CACHE_OFF),
					ev_get(ev, CACHE_N, 1));
	struct slot_run run;

	while (next_run(f, &s, &run)) {
		note_change(f, ev, run, SLOT_OTHER);
		set_bits(f, run, 0);
	}
	return 0;
}

static int on_alloc(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct event_slots s =
		slots_of(f, ev_get(ev, ALLOC_TYPE, 0), ev_value(ev, ALLOC_OFF), ev_alloc_slots(ev));
	struct slot_run run;

	while (next_run(f, &s, &run)) {
		note_change(f, ev, run, SLOT_OTHER);
		/* New data, also where no event tells that it joins the swap cache. */
		for (unsigned int p = 0; f->swapins && p < f->x->o->npolicies; p++)
			for (uint32_t r = run.r; r < run.r + run.n; r++)
				*run_bits(&f->runs[p], r) &= (uint8_t)~SLOT_MAPPED;
	}
	return 0;
}

static int on_unref(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct event_slots s = slots_of(f, ev_get(ev, UNREF_TYPE, 0), ev_value(ev, UNREF_OFF),
					ev_get(ev, UNREF_N, 1));
	bool cache_ref = ev_get(ev, UNREF_HOW, UNREF_SWAPIN) == UNREF_CACHE;
	struct moment at;
	struct slot_run run;

	if (!f->verifying)
		return 0;
	at = moment_of(ev);
	while (next_run(f, &s, &run)) {
		/* All slots of one event have as many references. */
		verify_change(&f->verify, &at, run,
			      cache_ref || f->x->world->slots.refs[run.r] ? SLOT_OTHER
									  : SLOT_BECOMES_UNUSED);
		verify_mapped(&f->verify, &at, run);
	}
	return 0;
}

static int on_free(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct event_slots s = slots_of(f, ev_get(ev, FREE_TYPE, 0), ev_value(ev, FREE_OFF),
					ev_get(ev, FREE_N, 1));
	struct slot_run run;

	while (next_run(f, &s, &run)) {
		note_change(f, ev, run, SLOT_BECOMES_UNUSED);
		set_bits(f, run, 0);
	}
	return 0;
}

static int on_swapoff(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	const struct world *w = f->x->world;
	struct slot_run run;
	uint32_t index = 0;
	uint64_t type = ev_get(ev, SWAPOFF_TYPE, SLOT_DEVICES);

	if (ev_get(ev, SWAPOFF_OP, SWAPOFF_BEGIN) == SWAPOFF_BEGIN || ev_value(ev, SWAPOFF_RET))
		return 0;
	/* The type may be known from the begin, or from the first entry that was visited. */
	if (w->nswapoffs && w->swapoffs[w->nswapoffs - 1].end_ns == ev->t_ns &&
	    w->swapoffs[w->nswapoffs - 1].type >= 0)
		type = (uint64_t)w->swapoffs[w->nswapoffs - 1].type;
	while (type < SLOT_DEVICES &&
	       slot_device_next(w->slots.numbers, (unsigned int)type, &index, &run))
		set_bits(f, run, 0);
	return 0;
}

/* --- needs
 * ------------------------------------------------------------------------------------------ */

/* survey_vma(), which an event in a row after another of the VMA need not call. */
static uint32_t find_vma(struct readahead_state *f, bool have_vma, uint64_t vma, int32_t tgid)
{
	uint64_t name = have_vma ? vma : (uint64_t)(uint32_t)tgid;

	if (!f->last_index || f->last_vma != name || f->last_have_vma != have_vma) {
		f->last_vma = name;
		f->last_have_vma = have_vma;
		f->last_index = survey_vma(f->x->survey, have_vma, vma, tgid);
	}
	return f->last_index;
}

void readahead_address(struct readahead_state *f, const struct columns *c, uint32_t i, int32_t tgid,
		       struct need *n)
{
	uint32_t have = c->have[i];

	if (!(have >> LOOKUP_ADDR & 1))
		return;
	n->have_addr = true;
	n->addr = c->v[LOOKUP_ADDR][i];
	n->vma = find_vma(f, have >> LOOKUP_VMA & 1, c->v[LOOKUP_VMA][i], tgid);
	n->vma_start = c->v[LOOKUP_VMA_START][i];
	n->vma_end = have >> LOOKUP_VMA_END & 1 ? c->v[LOOKUP_VMA_END][i] : UINT64_MAX;
	/* Bounds that do not hold the address are none. */
	if (n->addr < n->vma_start || n->addr >= n->vma_end) {
		n->vma_start = 0;
		n->vma_end = UINT64_MAX;
	}
}

static void fill_need(struct readahead_state *f, const struct replay_event *ev, struct need *n)
{
	n->cause = (unsigned int)ev_value(ev, LOOKUP_CAUSE);
	n->order = (unsigned int)ev_value(ev, LOOKUP_ORDER);
	n->count = ev_has(ev, LOOKUP_COUNT) ? (int)(ev_value(ev, LOOKUP_COUNT) & 0xffff) : -1;
	n->cpu = f->cpus ? ev_cpu(ev) : -1;
	n->marked = ev_value(ev, LOOKUP_RA) != 0;
	n->vma = 0;
	n->have_addr = false;
	if (f->x->survey->owners)
		readahead_address(f, ev->c, ev->i, ev_tgid(ev), n);
}

static int on_lookup(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct recorded_lookup l;
	struct moment at;

	l.need.r = f->x->world->needed;
	if (l.need.r == SLOT_NOWHERE)
		return 0;
	l.need.type = (unsigned int)ev_value(ev, LOOKUP_TYPE);
	l.need.off = ev_value(ev, LOOKUP_OFF);
	fill_need(f, ev, &l.need);
	if (!f->waiting)
		run_step(f->runs, f->x->o->npolicies, &l.need);
	if (!f->verifying)
		return 0;
	l.hit = ev_has(ev, LOOKUP_HIT) ? ev_value(ev, LOOKUP_HIT) != 0 : -1;
	l.ra = ev_has(ev, LOOKUP_RA) ? ev_value(ev, LOOKUP_RA) != 0 : -1;
	l.bypass = ev_has(ev, LOOKUP_BYPASS) ? ev_value(ev, LOOKUP_BYPASS) != 0 : -1;
	at = moment_of(ev);
	return verify_lookup(&f->verify, &at, &l);
}

static int on_ra(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct moment at;
	struct recorded_call call;

	f->calls_seen = true;
	if (!f->verifying)
		return 0;
	call = (struct recorded_call){
		.need = { .type = (unsigned int)ev_get(ev, RA_TYPE, 0),
			  .off = ev_value(ev, RA_OFF),
			  .count = -1,
			  .have_addr = ev_has(ev, RA_ADDR),
			  .addr = ev_value(ev, RA_ADDR),
			  .vma_end = UINT64_MAX,
			  .cpu = ev_cpu(ev) },
		.mode = ev_has(ev, RA_MODE) ? (int)ev_value(ev, RA_MODE) : -1,
		.have_ret = ev_has(ev, RA_RET),
		.ret = ev_value(ev, RA_RET),
		.have_state = ev_has(ev, RA_HITS) && ev_has(ev, RA_PREV) && ev_has(ev, RA_LAST),
		.hits = ev_value(ev, RA_HITS),
		.prev = ev_value(ev, RA_PREV),
		.last = ev_value(ev, RA_LAST),
	};
	if (ev_has(ev, RA_DERIVED) && call.have_ret) {
		f->verify.out->derived_checked++;
		f->verify.out->derived_agreed += ev_value(ev, RA_DERIVED) == call.ret;
	}
	call.need.r = world_slot(f->x->world, ev_get(ev, RA_TYPE, 0), call.need.off);
	if (call.need.r == SLOT_NOWHERE)
		return 0;
	call.need.vma =
		survey_vma(f->x->survey, ev_has(ev, RA_VMA), ev_value(ev, RA_VMA), ev_tgid(ev));
	if (!call.need.vma)
		call.need.have_addr = false;
	at = moment_of(ev);
	return verify_call(&f->verify, &at, &call);
}

static int on_read(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	struct event_slots s;
	struct slot_run run;
	struct moment at;

	if (!f->verifying)
		return 0;
	s = slots_of(f, ev_get(ev, READ_TYPE, 0), ev_value(ev, READ_OFF), ev_get(ev, READ_N, 1));
	if (!next_run(f, &s, &run))
		return 0;
	at = moment_of(ev);
	return verify_read(&f->verify, &at, run,
			   ev_has(ev, READ_CAUSE) ? (int)ev_value(ev, READ_CAUSE) : -1);
}

static int on_lost(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;

	f->verify.lost += ev_get(ev, LOST_N, 0);
	return 0;
}

/* --- time
 * --------------------------------------------------------------------------------------------- */

static int change_phase(struct readahead_state *f, uint64_t t_ns)
{
	int ret = 0;

	f->page_cluster = f->x->world->page_cluster;
	f->vma_ra = f->x->world->vma_ra;
	for (unsigned int p = 0; p < f->x->o->npolicies && !ret; p++) {
		ret = readahead_end_phase(&f->runs[p]);
		if (!ret)
			ret = readahead_add_phase(f, &f->x->results[p], t_ns);
	}
	return ret;
}

static int on_config(void *family, const struct replay_event *ev)
{
	struct readahead_state *f = family;
	uint32_t hits = (uint32_t)ev_value(ev, CONFIG_HITS);
	uint32_t last = (uint32_t)ev_value(ev, CONFIG_LAST);

	/* The snapshot of the counters is valid at its own moment, before the first call. */
	if (ev_has(ev, CONFIG_HITS) && !f->x->o->have_init_hits && !f->calls_seen) {
		for (unsigned int p = 0; p < f->x->o->npolicies; p++)
			run_set_global(&f->runs[p], hits, ev_value(ev, CONFIG_PREV), last);
		if (f->verifying)
			run_set_global(&f->verify.run, hits, ev_value(ev, CONFIG_PREV), last);
	}
	if (f->page_cluster == f->x->world->page_cluster && f->vma_ra == f->x->world->vma_ra)
		return 0;
	return change_phase(f, ev->t_ns);
}

static int begin_run(struct readahead_state *f, unsigned int p)
{
	struct replay_result *res = &f->x->results[p];
	uint64_t marked = run_take_over(&f->runs[p], &f->verify.run);

	if (marked)
		replay_result_note(res,
				   "pages read ahead before the time given and not found until "
				   "then: %" PRIu64 "; found later they are hits, but not among "
				   "the pages read ahead",
				   marked);
	for (unsigned int i = 0; i < res->nphases; i++) {
		histogram_free(&res->phases[i].cluster_windows);
		histogram_free(&res->phases[i].vma_windows);
	}
	res->nphases = 0;
	return readahead_add_phase(f, res, f->x->o->from_ns);
}

/* The time has come from which on the policies act and are counted. */
static int begin(struct readahead_state *f)
{
	int ret = 0;

	f->waiting = false;
	f->verifying = f->x->verified & KERNEL_READAHEAD;
	for (unsigned int p = 0; p < f->x->o->npolicies && !ret; p++)
		ret = begin_run(f, p);
	return ret;
}

static void next_slice(struct readahead_state *f, uint64_t t_ns)
{
	for (unsigned int p = 0; p < f->x->o->npolicies; p++)
		run_end_slice(&f->runs[p]);
	while (t_ns >= f->next_slice_ns && f->slice + 1 < f->x->o->slices) {
		f->slice++;
		f->next_slice_ns += f->x->slice_ns;
	}
	for (unsigned int p = 0; p < f->x->o->npolicies; p++)
		f->runs[p].slice = &f->x->results[p].slices[f->slice];
}

static int wake(void *family, uint64_t t_ns, uint64_t *next)
{
	struct readahead_state *f = family;
	int ret = 0;

	if (f->waiting && t_ns >= f->x->o->from_ns)
		ret = begin(f);
	if (f->x->slice_ns && t_ns >= f->next_slice_ns)
		next_slice(f, t_ns);
	*next = UINT64_MAX;
	if (f->x->slice_ns && f->slice + 1 < f->x->o->slices)
		*next = f->next_slice_ns;
	if (f->waiting && f->x->o->from_ns < *next)
		*next = f->x->o->from_ns;
	return ret;
}

/* --- the family
 * --------------------------------------------------------------------------------------- */

static const struct family_handler handlers[EV_NR] = {
	[EV_LOOKUP] = { on_lookup, BIT(LOOKUP_TYPE) | BIT(LOOKUP_OFF) | BIT(LOOKUP_CAUSE) |
					   BIT(LOOKUP_ORDER) | BIT(LOOKUP_COUNT) | BIT(LOOKUP_RA) },
	[EV_RA] = { on_ra, BIT(RA_MODE) },
	[EV_READ] = { on_read, 0 },
	[EV_CACHE] = { on_cache, BIT(CACHE_TYPE) | BIT(CACHE_OFF) | BIT(CACHE_N) | BIT(CACHE_BY) },
	[EV_UNCACHE] = { on_uncache, BIT(CACHE_TYPE) | BIT(CACHE_OFF) | BIT(CACHE_N) },
	[EV_ALLOC] = { on_alloc,
		       BIT(ALLOC_TYPE) | BIT(ALLOC_OFF) | BIT(ALLOC_N) | BIT(ALLOC_ORDER) },
	[EV_UNREF] = { on_unref, BIT(UNREF_TYPE) | BIT(UNREF_OFF) | BIT(UNREF_N) | BIT(UNREF_HOW) },
	[EV_FREE] = { on_free, BIT(FREE_TYPE) | BIT(FREE_OFF) | BIT(FREE_N) },
	[EV_CONFIG] = { on_config, BIT(CONFIG_HITS) | BIT(CONFIG_PREV) | BIT(CONFIG_LAST) },
	[EV_SWAPOFF] = { on_swapoff, BIT(SWAPOFF_OP) | BIT(SWAPOFF_TYPE) | BIT(SWAPOFF_RET) },
	[EV_LOST] = { on_lost, BIT(LOST_N) },
};

static void wants(const void *family, struct view_wanted *w)
{
	const struct readahead_state *f = family;

	w->times |= f->verifying;
	w->cpus |= f->cpus;
	w->tgids |= f->x->survey->owners || f->verifying;
	if (f->x->survey->owners)
		w->keys[EV_LOOKUP] |= BIT(LOOKUP_VMA) | BIT(LOOKUP_ADDR) | BIT(LOOKUP_VMA_START) |
				      BIT(LOOKUP_VMA_END);
	if (!f->verifying)
		return;
	w->keys[EV_LOOKUP] |= BIT(LOOKUP_HIT) | BIT(LOOKUP_BYPASS) | BIT(KEY_TID);
	w->keys[EV_RA] |= BIT(RA_TYPE) | BIT(RA_OFF) | BIT(RA_ADDR) | BIT(RA_RET) | BIT(RA_HITS) |
			  BIT(RA_PREV) | BIT(RA_LAST) | BIT(RA_VMA) | BIT(RA_DERIVED) |
			  BIT(KEY_TID);
	w->keys[EV_READ] |=
		BIT(READ_TYPE) | BIT(READ_OFF) | BIT(READ_N) | BIT(READ_CAUSE) | BIT(KEY_TID);
	/* Who changed a slot while others wait for it. */
	w->keys[EV_CACHE] |= BIT(KEY_TID);
	w->keys[EV_UNCACHE] |= BIT(KEY_TID);
	w->keys[EV_ALLOC] |= BIT(KEY_TID);
	w->keys[EV_UNREF] |= BIT(KEY_TID);
	w->keys[EV_FREE] |= BIT(KEY_TID);
}

const struct replay_family readahead_family = {
	.name = "readahead",
	.part = KERNEL_READAHEAD,
	.settings = readahead_settings,
	.handlers = handlers,
	.prepare = readahead_prepare,
	.wants = wants,
	.told = readahead_told,
	.wake = wake,
	.passes = readahead_passes,
	.pass = readahead_pass,
	.finish = readahead_finish,
	.free = readahead_free,
};
