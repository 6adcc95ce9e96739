// SPDX-License-Identifier: GPL-2.0
#include "replay/world/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- data in slots ---------------------------------------------------------------------------- */

/* What a change of a recorded slot's state means for its data. */
enum outcome { OUTCOME_NONE, OUTCOME_CACHE_ONLY, OUTCOME_GONE };

/* A new state for a slot. */
typedef void (*slot_change_fn)(struct slots *s, uint32_t r, uint64_t arg);

static void one_less(struct slots *s, uint32_t r, uint64_t arg)
{
	(void)arg;
	s->refs[r] -= s->refs[r] > 0;
}

static void set_refs(struct slots *s, uint32_t r, uint64_t refs)
{
	s->refs[r] = slots_refs(refs);
}

static void uncached(struct slots *s, uint32_t r, uint64_t arg)
{
	(void)arg;
	s->flags[r] &= (uint8_t)~SLOT_IN_CACHE;
}

static void nothing_left(struct slots *s, uint32_t r, uint64_t arg)
{
	(void)arg;
	s->refs[r] = 0;
	s->flags[r] &= (uint8_t)~SLOT_IN_CACHE;
}

static enum outcome settle(struct slots *s, uint32_t r)
{
	if (!(s->flags[r] & SLOT_LIVE) || s->refs[r])
		return OUTCOME_NONE;
	if (s->flags[r] & SLOT_IN_CACHE)
		return OUTCOME_CACHE_ONLY;
	s->flags[r] &= (uint8_t)~SLOT_LIVE;
	return OUTCOME_GONE;
}

static int tell(struct world *w, const struct data_change *like, enum outcome o, uint32_t r,
		uint32_t n)
{
	struct data_change change = *like;

	if (o == OUTCOME_NONE || !w->listener.data)
		return 0;
	change.gone = o == OUTCOME_GONE;
	change.r = r;
	change.n = n;
	return w->listener.data(w->listener.ctx, &change);
}

/* Slots that change alike are told in one go, as they were recorded. */
static int change_slots(struct world *w, const struct data_change *like, struct slot_run run,
			slot_change_fn next, uint64_t arg)
{
	enum outcome last = OUTCOME_NONE;
	uint32_t from = run.r, end = run.r + run.n;
	int ret = 0;

	if (run.n == 1) {
		next(&w->slots, run.r, arg);
		return tell(w, like, settle(&w->slots, run.r), run.r, 1);
	}
	for (uint32_t r = run.r; r < end && !ret; r++) {
		enum outcome o;

		next(&w->slots, r, arg);
		o = settle(&w->slots, r);
		if (o == last)
			continue;
		ret = tell(w, like, last, from, r - from);
		last = o;
		from = r;
	}
	return ret ? ret : tell(w, like, last, from, end - from);
}

/* The slots of an event. */
static int change_range(struct world *w, const struct data_change *like, uint64_t type,
			uint64_t off, uint64_t n, slot_change_fn next, uint64_t arg)
{
	struct slot_run run;
	int ret = 0;

	world_runs_begin(w, type, off, &n);
	while (!ret && slot_runs_next(w->slots.numbers, type, &off, &n, &run))
		ret = change_slots(w, like, run, next, arg);
	return ret;
}

int world_take_birth(struct world *w, uint32_t r)
{
	const struct survey *s = w->survey;
	uint32_t instance = ++w->births;
	struct slot_owner o = { 0, 0 };

	if (instance < s->born_room)
		o = s->born[instance];
	return slots_set_owner(&w->slots, r, o);
}

static int take_births(struct world *w, struct slot_run run)
{
	int ret = 0;

	for (uint32_t i = 0; w->survey->owners && i < run.n && !ret; i++)
		ret = world_take_birth(w, run.r + i);
	return ret;
}

static int forget_owners(struct world *w, struct slot_run run)
{
	int ret = 0;

	for (uint32_t i = 0; w->survey->owners && i < run.n && !ret; i++)
		ret = slots_set_owner(&w->slots, run.r + i, (struct slot_owner){ 0, 0 });
	return ret;
}

static int clear_one_by_one(struct world *w, const struct data_change *like, struct slot_run run)
{
	int ret = 0;

	for (uint32_t i = 0; i < run.n && !ret; i++)
		ret = change_slots(w, like, (struct slot_run){ run.r + i, 1 }, nothing_left, 0);
	return ret;
}

static int give(struct world *w, const struct slot_answer *a)
{
	/* Where their pages are seen to join the swap cache, nobody refers to them before. */
	bool told_later = w->survey->events[EV_CACHE];

	for (uint32_t i = 0; i < a->n; i++) {
		w->slots.flags[a->r + i] = SLOT_LIVE;
		w->slots.refs[a->r + i] = !told_later;
	}
	for (uint32_t i = 0; i < a->n; i += 1u << a->req.order)
		slots_set_folio(&w->slots, a->r + i, a->req.order);
	return 0;
}

int world_tell_answer(struct world *w, const struct slot_answer *a)
{
	bool given = !a->refused && !a->more && a->r != SLOT_NOWHERE;
	/* Slots that are given although nobody saw them dropped: they were, unnoticed. */
	const struct data_change unseen = { .how = SWAP_FREE_ZAP,
					    .cpu = a->req.cpu,
					    .task = a->task };
	int ret = 0;

	if (given)
		ret = clear_one_by_one(w, &unseen, (struct slot_run){ a->r, a->n });
	if (!ret && w->listener.answer)
		ret = w->listener.answer(w->listener.ctx, a);
	return ret || !given ? ret : give(w, a);
}

int world_take_back(struct world *w, unsigned int cpu, const struct slot_request *req, uint32_t r,
		    uint32_t n)
{
	const struct data_change change = { .how = SWAP_FREE_CACHE, .cpu = cpu };
	int ret = change_slots(w, &change, (struct slot_run){ r, n }, nothing_left, 0);

	if (!ret && w->listener.taken_back)
		w->listener.taken_back(w->listener.ctx, req);
	return ret;
}

/* --- events: needs and the swap cache ----------------------------------------------------------
 */

static void tell_swapoff(struct world *w, const struct swapoff_result *s, bool end, int64_t ret)
{
	if (w->listener.swapoff && s->type >= 0 && s->type < SLOT_DEVICES)
		w->listener.swapoff(w->listener.ctx, (unsigned int)s->type, end, ret);
}

/* The first entry that a swapoff visits tells which device it is about. */
void world_count_swapoff(struct world *w, uint64_t t_ns, uint64_t type, uint64_t cause)
{
	struct swapoff_result *s = &w->swapoffs[w->nswapoffs - 1];

	s->pages++;
	s->shmem_pages += cause == LOOKUP_SHMEM;
	s->last_progress_ns = t_ns;
	if (s->type >= 0)
		return;
	s->type = (int)type;
	tell_swapoff(w, s, false, 0);
}

static int on_lookup(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	/* A type or cause that is not told is 0 and a fault, which are the values of unknown keys.
	 */
	uint64_t type = ev_value(ev, LOOKUP_TYPE), cause = ev_value(ev, LOOKUP_CAUSE);
	uint32_t r = world_slot(w, type, ev_value(ev, LOOKUP_OFF));
	uint64_t count = ev_value(ev, LOOKUP_COUNT) & 0xffff;

	(void)at;
	w->needed = r;
	if (r == SLOT_NOWHERE)
		return 0;
	/* Forks add references that no event shows; the count at a lookup is the truth. */
	if (count)
		w->slots.refs[r] = slots_refs(count);
	if (w->swapoff_open && cause != LOOKUP_FAULT)
		world_count_swapoff(w, ev->t_ns, type, cause);
	return 0;
}

static int on_cache(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, CACHE_TYPE, 0), off = ev_value(ev, CACHE_OFF);
	uint64_t n = ev_get(ev, CACHE_N, 1), left;
	bool swapout = ev_get(ev, CACHE_BY, BY_SWAPIN) == BY_SWAPOUT;
	struct slot_run run;
	int ret = 0;

	if (swapout && world_run(w, type, off, n, &run))
		ret = requests_cached(w, at, run.r, run.n);
	world_runs_begin(w, type, off, &n);
	left = n;
	while (!ret && slot_runs_next(w->slots.numbers, type, &off, &left, &run)) {
		for (uint32_t r = run.r; r < run.r + run.n; r++) {
			w->slots.flags[r] |= SLOT_IN_CACHE | (swapout ? SLOT_LIVE : 0);
			if (swapout)
				w->slots.refs[r] = 1;
		}
		if (!swapout)
			continue;
		if (!(run.n & (run.n - 1)))
			slots_set_folio(&w->slots, run.r, (unsigned int)__builtin_ctz(run.n));
		ret = take_births(w, run);
	}
	return ret;
}

static int on_uncache(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, CACHE_TYPE, 0), off = ev_value(ev, CACHE_OFF);
	uint64_t n = ev_get(ev, CACHE_N, 1);
	struct data_change change = {
		.how = SWAP_FREE_CACHE, .cpu = at->cpu, .task = at->task, .announced = true
	};
	struct slot_run run;
	int ret;

	change.reclaim = ev_get(ev, CACHE_BY, BY_SWAPIN) == BY_RECLAIM;
	change.inside = requests_inside(&w->requests, at->task);
	ret = change_range(w, &change, type, off, n, uncached, 0);
	if (ret || !change.reclaim)
		return ret;
	/*
	 * A page that came back may have kept its slot. Reclaim then gives the slot its references
	 * again without any event; one without any is freed right after.
	 */
	world_runs_begin(w, type, off, &n);
	while (slot_runs_next(w->slots.numbers, type, &off, &n, &run))
		for (uint32_t r = run.r; r < run.r + run.n; r++)
			w->slots.refs[r] += !w->slots.refs[r];
	return 0;
}

/* --- events: slots ------------------------------------------------------------------------------
 */

static int on_swapout(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	return requests_swapout(w, at, ev);
}

static int on_alloc(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, ALLOC_TYPE, 0), off = ev_value(ev, ALLOC_OFF);
	uint64_t n = ev_alloc_slots(ev);
	bool told_later = w->survey->events[EV_CACHE];
	struct swapoff_result *s = w->swapoff_open ? &w->swapoffs[w->nswapoffs - 1] : NULL;
	struct slot_run run;
	int ret = 0;

	if (!ev_has(ev, ALLOC_OFF))
		return 0;
	world_runs_begin(w, type, off, &n);
	if (s && n && (int)type != s->type)
		s->alloc_elsewhere += n;
	while (!ret && slot_runs_next(w->slots.numbers, type, &off, &n, &run)) {
		/*
		 * Slots may wait in a slots cache: nothing refers to them before their page joins
		 * the swap cache. Only a trace without such events leaves no better moment.
		 */
		for (uint32_t r = run.r; r < run.r + run.n; r++)
			w->slots.refs[r] = !told_later;
		ret = take_births(w, run);
	}
	return ret || !w->requests.wanted ? ret : requests_alloc(w, at, ev);
}

static int on_allocfail(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	return requests_allocfail(w, at, ev);
}

static int on_unref(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	static const enum swap_free_how hows[] = { SWAP_FREE_ZAP, SWAP_FREE_SWAPIN,
						   SWAP_FREE_CACHE };
	uint64_t type = ev_get(ev, UNREF_TYPE, 0), off = ev_value(ev, UNREF_OFF);
	uint64_t n = ev_get(ev, UNREF_N, 1), how = ev_get(ev, UNREF_HOW, UNREF_SWAPIN);
	struct data_change change = { .cpu = at->cpu, .task = at->task, .announced = true };

	if (how > UNREF_CACHE)
		return 0;
	change.how = hows[how];
	if (how == UNREF_CACHE)
		return change_range(w, &change, type, off, n, uncached, 0);
	if (ev_has(ev, UNREF_LEFT))
		return change_range(w, &change, type, off, n, set_refs, ev_value(ev, UNREF_LEFT));
	return change_range(w, &change, type, off, n, one_less, 0);
}

/*
 * Without UNREF and UNCACHE it is the drop. With them it is a decision; but a slot that was freed
 * although it seems to be in use was not mapped after all: its swap-out was given up.
 */
static int on_free(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, FREE_TYPE, 0), off = ev_value(ev, FREE_OFF);
	uint64_t n = ev_get(ev, FREE_N, 1);
	bool drops = w->requests.drops;
	const struct data_change change = { .how = drops ? SWAP_FREE_CACHE : SWAP_FREE_ZAP,
					    .cpu = at->cpu,
					    .task = at->task };
	struct slot_run run;
	int ret = 0;

	world_runs_begin(w, type, off, &n);
	while (!ret && slot_runs_next(w->slots.numbers, type, &off, &n, &run)) {
		ret = drops ? clear_one_by_one(w, &change, run)
			    : change_slots(w, &change, run, nothing_left, 0);
		if (!ret)
			ret = forget_owners(w, run);
	}
	return ret;
}

static int on_slots(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, SLOTS_TYPE, 0), off = ev_value(ev, SLOTS_OFF);
	uint64_t n = ev_get(ev, SLOTS_N, 1), count = ev_get(ev, SLOTS_COUNT, 1), pages;
	struct slot_run run;

	(void)at;
	if (world_slot(w, type, off) == SLOT_NOWHERE)
		return 0;
	pages = w->devices.dev[type].pages;
	if (n > slots_limit(pages) - off)
		n = slots_limit(pages) - off;
	/* What the snapshot saw of references is newer than what the survey inferred. */
	if (!slots_name(pages, &w->named[type], n))
		return 0;
	while (slot_runs_next(w->slots.numbers, type, &off, &n, &run))
		memset(w->slots.refs + run.r, slots_refs(count), run.n);
	return 0;
}

/*
 * A slot that waits in a slots cache is nobody's data, whatever the snapshot made of it: other
 * models have it free. The recorded allocator's own has it wait there, too.
 */
static int on_pcpu(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	struct slot_run run;

	if (!ev_has(ev, PCPU_OFF) ||
	    !world_run(w, ev_get(ev, PCPU_TYPE, 0), ev_value(ev, PCPU_OFF), 1, &run))
		return 0;
	w->slots.flags[run.r] = 0;
	if (ev_get(ev, PCPU_SIDE, SIDE_ALLOC) != SIDE_FREE)
		requests_parked(w, at->cpu, run.r);
	return 0;
}

/* --- events: devices and settings ---------------------------------------------------------------
 */

static int on_config(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	(void)at;
	if (ev_has(ev, CONFIG_PAGE_CLUSTER))
		w->page_cluster = ev_value(ev, CONFIG_PAGE_CLUSTER) > RA_PAGE_CLUSTER_MAX
					  ? RA_PAGE_CLUSTER_MAX
					  : (int)ev_value(ev, CONFIG_PAGE_CLUSTER);
	if (ev_has(ev, CONFIG_VMA_RA))
		w->vma_ra = ev_value(ev, CONFIG_VMA_RA) != 0;
	return 0;
}

static void note_limits(struct world *w)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		w->limit[t] = slots_limit(w->devices.dev[t].pages);
}

static int on_swapon(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	(void)at;
	swap_device_on(&w->devices, ev_get(ev, SWAPON_TYPE, SLOT_DEVICES),
		       ev_value(ev, SWAPON_PAGES), ev_has(ev, SWAPON_FLAGS),
		       (uint32_t)ev_value(ev, SWAPON_FLAGS));
	note_limits(w);
	return 0;
}

static int swapoff_begins(struct world *w, const struct replay_event *ev, int type)
{
	struct swapoff_result *bigger = realloc(w->swapoffs, (w->nswapoffs + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	w->swapoffs = bigger;
	bigger[w->nswapoffs++] = (struct swapoff_result){ .type = type,
							  .begin_ns = ev->t_ns,
							  .last_progress_ns = ev->t_ns };
	w->swapoff_open = true;
	tell_swapoff(w, &bigger[w->nswapoffs - 1], false, 0);
	return 0;
}

/* Whatever the device still held is not in swap any more. */
static int empty_device(struct world *w, unsigned int type)
{
	const struct data_change change = { .how = SWAP_FREE_SWAPIN };
	struct slot_run run;
	uint32_t index = 0;
	int ret = 0;

	while (!ret && slot_device_next(w->slots.numbers, type, &index, &run))
		ret = change_slots(w, &change, run, nothing_left, 0);
	swap_device_off(&w->devices, type);
	note_limits(w);
	return ret;
}

static int on_swapoff(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	int type = !ev_has(ev, SWAPOFF_TYPE)		       ? -1
		   : ev_value(ev, SWAPOFF_TYPE) < SLOT_DEVICES ? (int)ev_value(ev, SWAPOFF_TYPE)
							       : SLOT_DEVICES;
	/* The begin may not have been recorded. */
	struct swapoff_result unseen = { .type = type };
	struct swapoff_result *s = w->swapoff_open ? &w->swapoffs[w->nswapoffs - 1] : &unseen;
	int ret = 0;

	(void)at;
	if (ev_get(ev, SWAPOFF_OP, SWAPOFF_BEGIN) == SWAPOFF_BEGIN)
		return swapoff_begins(w, ev, type);
	w->swapoff_open = false;
	s->end_ns = ev->t_ns;
	s->ret = (int64_t)ev_value(ev, SWAPOFF_RET);
	s->complete = !s->ret;
	s->killed = s->ret != 0;
	if (type >= 0 && s->type < 0)
		s->type = type;
	if (s->complete && s->type >= 0 && s->type < SLOT_DEVICES)
		ret = empty_device(w, (unsigned int)s->type);
	tell_swapoff(w, s, true, s->ret);
	return ret;
}

static int on_lost(struct world *w, const struct slot_place *at, const struct replay_event *ev)
{
	(void)at;
	w->lost += ev_get(ev, LOST_N, 0);
	return 0;
}

/* --- the stream ----------------------------------------------------------------------------------
 */

#define WHO (BIT(KEY_CPU) | BIT(KEY_TID))
#define RANGE_KEYS(event) (BIT(event##_TYPE) | BIT(event##_OFF) | BIT(event##_N))

#define ANSWER_KEYS                                                                                \
	(RANGE_KEYS(ALLOC) | BIT(ALLOC_ORDER) | BIT(ALLOC_FOLIO) | BIT(ALLOC_MEMCG) |              \
	 BIT(ALLOC_VIA) | BIT(ALLOC_REASON))

/*
 * What an event does, and the keys that are read for it: always, and where somebody listens to
 * requests for slots. Those of the allocator are then put in order with the requests under way;
 * readahead, writes and the per-CPU batches interrupt nothing.
 */
static const struct {
	int (*take)(struct world *w, const struct slot_place *at, const struct replay_event *ev);
	uint32_t keys, request_keys;
} handlers[EV_NR] = {
	[EV_LOOKUP] = { on_lookup,
			BIT(LOOKUP_TYPE) | BIT(LOOKUP_OFF) | BIT(LOOKUP_CAUSE) | BIT(LOOKUP_COUNT),
			0 },
	[EV_CACHE] = { on_cache, RANGE_KEYS(CACHE) | BIT(CACHE_BY), WHO },
	[EV_UNCACHE] = { on_uncache, RANGE_KEYS(CACHE) | BIT(CACHE_BY), WHO },
	[EV_SWAPOUT] = { on_swapout, 0,
			 BIT(SWAPOUT_ORDER) | BIT(SWAPOUT_FOLIO) | BIT(SWAPOUT_SPLIT_OF) |
				 BIT(SWAPOUT_MEMCG) | BIT(KEY_SEQ) | WHO },
	[EV_ALLOC] = { on_alloc, RANGE_KEYS(ALLOC) | BIT(ALLOC_ORDER), ANSWER_KEYS | WHO },
	[EV_ALLOCFAIL] = { on_allocfail, 0, ANSWER_KEYS | WHO },
	[EV_UNREF] = { on_unref, RANGE_KEYS(UNREF) | BIT(UNREF_HOW) | BIT(UNREF_LEFT), WHO },
	[EV_FREE] = { on_free, RANGE_KEYS(FREE), WHO },
	[EV_SWAPON] = { on_swapon, BIT(SWAPON_TYPE) | BIT(SWAPON_PAGES) | BIT(SWAPON_FLAGS), WHO },
	[EV_SWAPOFF] = { on_swapoff, BIT(SWAPOFF_OP) | BIT(SWAPOFF_TYPE) | BIT(SWAPOFF_RET), WHO },
	[EV_SLOTS] = { on_slots, RANGE_KEYS(SLOTS) | BIT(SLOTS_COUNT), WHO },
	[EV_CLUSTER] = { NULL, 0, WHO },
	[EV_PCPU] = { on_pcpu, 0, BIT(PCPU_TYPE) | BIT(PCPU_OFF) | BIT(PCPU_SIDE) | WHO },
	[EV_RNG] = { NULL, 0, WHO },
	[EV_CONFIG] = { on_config, BIT(CONFIG_PAGE_CLUSTER) | BIT(CONFIG_VMA_RA), 0 },
	[EV_LOST] = { on_lost, BIT(LOST_N), WHO },
};

void world_wanted(const struct world *w, const struct trace_block *b, struct view_wanted *wanted)
{
	for (int t = 0; t < EV_NR; t++)
		wanted->keys[t] |=
			handlers[t].keys | (w->requests.wanted ? handlers[t].request_keys : 0);
	/* When a setting changed, and how a swapoff comes on. */
	wanted->times |= w->requests.wanted || w->swapoff_open || block_count(b, EV_SWAPOFF) ||
			 block_count(b, EV_CONFIG);
	wanted->cpus |= w->requests.wanted;
	wanted->tgids |= w->requests.wanted;
}

int world_event(struct world *w, const struct replay_event *ev)
{
	struct slot_place at = { .t_ns = ev->t_ns };
	int ret = 0;

	if (w->requests.wanted && handlers[ev->type].request_keys) {
		ret = requests_before(w, ev, &at);
		if (!ret && w->listener.before)
			w->listener.before(w->listener.ctx, ev, &at);
	}
	if (!ret && handlers[ev->type].take)
		ret = handlers[ev->type].take(w, &at, ev);
	return ret;
}

int world_finish(struct world *w)
{
	return w->requests.wanted ? requests_close(w) : 0;
}

/* --- the start
 * ------------------------------------------------------------------------------------ */

static void read_header(struct world *w, const struct trace_header *h)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	uint64_t value;

	w->page_cluster = 3;
	w->page_cluster_known = trace_header_u64(h, "page_cluster", &value);
	if (w->page_cluster_known)
		w->page_cluster = (int)(value > RA_PAGE_CLUSTER_MAX ? RA_PAGE_CLUSTER_MAX : value);
	w->vma_ra_known = trace_header_u64(h, "vma_ra", &value);
	w->vma_ra = w->vma_ra_known ? value != 0 : 1;
	w->cpus = trace_header_u64(h, "cpus", &value) && value && value <= 8192
			  ? (unsigned int)value
			  : 64;
	w->geometry.page_shift = w->survey->page_shift;
	/* A page of PTEs maps page_size / 8 pages. */
	w->geometry.pmd_size = 1ull << (2 * w->geometry.page_shift - 3);
	for (unsigned int i = 0; i < n; i++)
		swap_device_on(&w->devices, d[i].type, d[i].have_pages ? d[i].pages : 0,
			       d[i].have_flags, d[i].flags);
}

/* Whether some device's flags tell if it is rotational; SWAPON events may bring others later. */
static bool devices_known(const struct swap_devices *d)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		if (d->dev[t].have_flags)
			return true;
	return false;
}

/*
 * Without the facts that decide between VMA and cluster readahead: what the recorded calls show,
 * else what the lookups could tell.
 */
static void guess_mode(struct world *w)
{
	const struct survey *s = w->survey;

	if (s->vma_calls || (w->vma_ra_known && devices_known(&w->devices)))
		return;
	if (s->cluster_calls || (!w->vma_ra_known && !s->with_addr))
		w->vma_ra = 0;
}

/* The slots that were in use before the first event. */
static int place_start(struct world *w)
{
	const struct survey *s = w->survey;
	int ret = 0;

	for (uint32_t r = 0; r < slot_numbers_total(&s->numbers) && !ret; r++) {
		if (!(s->start[r] & START_IN_USE))
			continue;
		w->slots.refs[r] = s->refs[r];
		w->slots.flags[r] = SLOT_LIVE | (s->start[r] & START_CACHED ? SLOT_IN_CACHE : 0);
		if (s->owners && s->owner[r].vma)
			ret = slots_set_owner(&w->slots, r, s->owner[r]);
	}
	return ret;
}

int world_init(struct world *w, const struct trace_header *h, const struct survey *survey,
	       unsigned int policies, bool folios)
{
	int ret;

	memset(w, 0, sizeof(*w));
	w->survey = survey;
	read_header(w, h);
	guess_mode(w);
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		if (survey->dev[t].pages)
			w->devices.dev[t].pages = survey->dev[t].pages;
	note_limits(w);
	w->places = calloc(policies + 1ul, sizeof(struct places *));
	w->place_unknown = calloc(policies + 1ul, sizeof(bool));
	ret = slots_init(&w->slots, &survey->numbers, survey->owners, folios);
	if (!ret)
		ret = place_start(w);
	return ret || (w->places && w->place_unknown) ? ret : -ENOMEM;
}

void world_free(struct world *w)
{
	slots_free(&w->slots);
	requests_free(&w->requests);
	free(w->swapoffs);
	free(w->places);
	free(w->place_unknown);
	memset(w, 0, sizeof(*w));
}
