// SPDX-License-Identifier: GPL-2.0
#include "replay/engine_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BIT(k) (1u << (k))

static void clear_cached(struct engine *g, unsigned int type, uint64_t off)
{
	memset(&g->cache.bits[type][off * g->cache.policies], 0, g->cache.policies);
}

/* Clip a run of slots to what is tracked; 0 when nothing is left. */
static uint64_t clip(const struct engine *g, uint64_t type, uint64_t off, uint64_t n)
{
	uint64_t left;

	if (!slots_valid(&g->machine.slots, type, off) ||
	    (!g->machine.slots.dev[type].pages && n > SLOT_RUN_LIMIT))
		return 0;
	left = g->machine.slots.dev[type].size - off;
	return n < left ? n : left;
}

static void fill_need(const struct engine *g, const struct columns *c, uint32_t i, int32_t cpu,
		      int32_t tgid, struct need *n)
{
	n->type = (unsigned int)column_get(c, i, LOOKUP_TYPE, 0);
	n->off = c->v[LOOKUP_OFF][i];
	n->cause = (unsigned int)column_get(c, i, LOOKUP_CAUSE, LOOKUP_FAULT);
	n->order = (unsigned int)c->v[LOOKUP_ORDER][i];
	n->count = column_has(c, i, LOOKUP_COUNT) ? (int)(c->v[LOOKUP_COUNT][i] & 0xffff) : -1;
	n->cpu = cpu;
	n->marked = c->v[LOOKUP_RA][i] != 0;
	n->vma = 0;
	n->have_addr = false;
	if (!g->survey.owners || !column_has(c, i, LOOKUP_ADDR))
		return;
	n->have_addr = true;
	n->addr = c->v[LOOKUP_ADDR][i];
	n->vma = survey_vma(&g->survey, column_has(c, i, LOOKUP_VMA), c->v[LOOKUP_VMA][i], tgid);
	n->vma_start = c->v[LOOKUP_VMA_START][i];
	n->vma_end = column_get(c, i, LOOKUP_VMA_END, UINT64_MAX);
	/* Bounds that do not hold the address are none. */
	if (n->addr < n->vma_start || n->addr >= n->vma_end) {
		n->vma_start = 0;
		n->vma_end = UINT64_MAX;
	}
}

static void count_swapoff(struct engine *g, const struct need *n, uint64_t t_ns)
{
	if (!g->swapoff || n->cause == LOOKUP_FAULT)
		return;
	g->swapoff->pages++;
	g->swapoff->shmem_pages += n->cause == LOOKUP_SHMEM;
	g->swapoff->last_progress_ns = t_ns;
	if (g->swapoff->type < 0)
		g->swapoff->type = (int)n->type;
}

static int on_lookup(struct engine *g, const struct block_view *v, uint32_t k,
		     const struct columns *c, uint32_t i)
{
	struct recorded_lookup l;

	fill_need(g, c, i, v->cpus[k], v->tgids[k], &l.need);
	if (!slots_valid(&g->machine.slots, l.need.type, l.need.off))
		return 0;
	/* Forks add references that no event shows; the count at a lookup is the truth. */
	if (l.need.count > 0)
		g->machine.slots.dev[l.need.type].refs[l.need.off] =
			(uint8_t)(l.need.count > 255 ? 255 : l.need.count);
	count_swapoff(g, &l.need, v->times[k]);
	for (unsigned int p = 0; !g->waiting && p < g->o->npolicies; p++)
		run_step(&g->runs[p], &l.need);
	if (!g->verifying)
		return 0;
	l.hit = column_has(c, i, LOOKUP_HIT) ? c->v[LOOKUP_HIT][i] != 0 : -1;
	l.ra = column_has(c, i, LOOKUP_RA) ? c->v[LOOKUP_RA][i] != 0 : -1;
	l.bypass = column_has(c, i, LOOKUP_BYPASS) ? c->v[LOOKUP_BYPASS][i] != 0 : -1;
	struct moment at = engine_moment(v, k, c, i);

	return verify_lookup(&g->verify, &at, &l);
}

static int on_ra(struct engine *g, const struct block_view *v, uint32_t k, const struct columns *c,
		 uint32_t i)
{
	struct recorded_call call = {
		.need = { .type = (unsigned int)column_get(c, i, RA_TYPE, 0),
			  .off = c->v[RA_OFF][i],
			  .count = -1,
			  .have_addr = column_has(c, i, RA_ADDR),
			  .addr = c->v[RA_ADDR][i],
			  .vma_end = UINT64_MAX,
			  .cpu = v->cpus[k] },
		.mode = column_has(c, i, RA_MODE) ? (int)c->v[RA_MODE][i] : -1,
		.have_ret = column_has(c, i, RA_RET),
		.ret = c->v[RA_RET][i],
		.have_state = column_has(c, i, RA_HITS) && column_has(c, i, RA_PREV) &&
			      column_has(c, i, RA_LAST),
		.hits = c->v[RA_HITS][i],
		.prev = c->v[RA_PREV][i],
		.last = c->v[RA_LAST][i],
	};
	struct moment at = engine_moment(v, k, c, i);

	if (column_has(c, i, RA_DERIVED) && call.have_ret) {
		g->verify.out->derived_checked++;
		g->verify.out->derived_agreed += c->v[RA_DERIVED][i] == call.ret;
	}
	if (!slots_valid(&g->machine.slots, call.need.type, call.need.off))
		return 0;
	call.need.vma =
		survey_vma(&g->survey, column_has(c, i, RA_VMA), c->v[RA_VMA][i], v->tgids[k]);
	if (!call.need.vma)
		call.need.have_addr = false;
	return verify_call(&g->verify, &at, &call);
}

static int on_read(struct engine *g, const struct block_view *v, uint32_t k,
		   const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, READ_TYPE, 0), off = c->v[READ_OFF][i];
	uint64_t n = clip(g, type, off, column_get(c, i, READ_N, 1));
	struct moment at = engine_moment(v, k, c, i);

	if (!n)
		return 0;
	return verify_read(&g->verify, &at, (unsigned int)type, off, n,
			   column_has(c, i, READ_CAUSE) ? (int)c->v[READ_CAUSE][i] : -1);
}

static int take_birth(struct engine *g, unsigned int type, uint64_t off, uint64_t n)
{
	const struct survey *s = &g->survey;

	for (uint64_t i = 0; s->owners && i < n; i++) {
		uint32_t instance = ++g->births;
		struct slot_owner o = { 0, 0 };
		int ret;

		if (instance < s->born_room)
			o = s->born[instance];
		ret = slots_set_owner(&g->machine.slots, type, off + i, o);
		if (ret)
			return ret;
	}
	return 0;
}

static int on_cache(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, CACHE_TYPE, 0), off = c->v[CACHE_OFF][i];
	uint64_t n = clip(g, type, off, column_get(c, i, CACHE_N, 1));
	uint64_t by = column_get(c, i, CACHE_BY, BY_SWAPIN);

	for (uint64_t k = off; k < off + n; k++) {
		if (by == BY_SWAPOUT) {
			memset(&g->cache.bits[type][k * g->cache.policies],
			       SLOT_CACHED | SLOT_WRITEOUT, g->cache.policies);
			g->machine.slots.dev[type].refs[k] = 1;
		} else if (g->verifying && by == BY_SWAPIN) {
			*run_bits(&g->verify.run, (unsigned int)type, k) |= SLOT_CACHED;
		}
	}
	return n && by == BY_SWAPOUT ? take_birth(g, (unsigned int)type, off, n) : 0;
}

static void on_uncache(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, CACHE_TYPE, 0), off = c->v[CACHE_OFF][i];
	uint64_t n = clip(g, type, off, column_get(c, i, CACHE_N, 1));
	bool reclaim = column_get(c, i, CACHE_BY, BY_FREE) == BY_RECLAIM;

	for (uint64_t k = off; k < off + n; k++) {
		clear_cached(g, (unsigned int)type, k);
		/*
		 * A page that came back may have kept its slot. Reclaim then gives the slot its
		 * references again without any event; one without any is freed right after.
		 */
		if (reclaim && !g->machine.slots.dev[type].refs[k])
			g->machine.slots.dev[type].refs[k] = 1;
	}
}

static int on_alloc(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, ALLOC_TYPE, 0), off = c->v[ALLOC_OFF][i];
	uint64_t n = clip(g, type, off, column_alloc_slots(c, i));

	if (!column_has(c, i, ALLOC_OFF))
		return 0;
	/*
	 * Slots may wait in a slots cache: nothing refers to them before their page joins the swap
	 * cache. Only a trace without such events leaves no better moment.
	 */
	for (uint64_t k = off; k < off + n; k++)
		g->machine.slots.dev[type].refs[k] = !g->survey.events[EV_CACHE];
	if (g->swapoff && n && (int)type != g->swapoff->type)
		g->swapoff->alloc_elsewhere += n;
	return n ? take_birth(g, (unsigned int)type, off, n) : 0;
}

static void on_unref(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, UNREF_TYPE, 0), off = c->v[UNREF_OFF][i];
	uint64_t n = clip(g, type, off, column_get(c, i, UNREF_N, 1));
	bool cache_ref = column_get(c, i, UNREF_HOW, UNREF_SWAPIN) == UNREF_CACHE;

	for (uint64_t k = off; k < off + n && !cache_ref; k++) {
		uint8_t *refs = &g->machine.slots.dev[type].refs[k];

		if (column_has(c, i, UNREF_LEFT))
			*refs = (uint8_t)(c->v[UNREF_LEFT][i] > 255 ? 255 : c->v[UNREF_LEFT][i]);
		else if (*refs)
			--*refs;
	}
}

static int on_free(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, FREE_TYPE, 0), off = c->v[FREE_OFF][i];
	uint64_t n = clip(g, type, off, column_get(c, i, FREE_N, 1));
	int ret = 0;

	for (uint64_t k = off; k < off + n && !ret; k++) {
		g->machine.slots.dev[type].refs[k] = 0;
		clear_cached(g, (unsigned int)type, k);
		if (g->survey.owners)
			ret = slots_set_owner(&g->machine.slots, (unsigned int)type, k,
					      (struct slot_owner){ 0, 0 });
	}
	return ret;
}

int engine_add_phase(struct replay_result *res, const struct machine *m, uint64_t t_ns)
{
	struct phase_result *bigger = realloc(res->phases, (res->nphases + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	res->phases = bigger;
	bigger[res->nphases++] = (struct phase_result){ .t_ns = t_ns,
							.page_cluster = m->page_cluster,
							.vma_ra = m->vma_ra };
	return 0;
}

/* End the phase: what was counted since the last change belongs to it. */
int engine_end_phase(struct ra_run *run)
{
	struct replay_result *res = run->result;
	struct phase_result *p = &res->phases[res->nphases - 1];
	int ret = run_finish(run);

	if (!ret)
		ret = histogram_difference(&p->cluster_windows, &res->readahead.cluster_windows,
					   &run->before[0]);
	if (!ret)
		ret = histogram_difference(&p->vma_windows, &res->readahead.vma_windows,
					   &run->before[1]);
	return ret;
}

static int begin_run(struct engine *g, unsigned int p)
{
	struct replay_result *res = &g->results[p];

	uint64_t marked = run_take_over(&g->runs[p], &g->verify.run);

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
	return engine_add_phase(res, &g->machine, g->o->from_ns);
}

int engine_begin(struct engine *g)
{
	int ret = 0;

	g->waiting = false;
	g->verifying = g->verified & KERNEL_READAHEAD;
	for (unsigned int p = 0; p < g->o->npolicies && !ret; p++)
		ret = begin_run(g, p);
	return ret;
}

static int change_phase(struct engine *g, uint64_t t_ns)
{
	int ret = 0;

	for (unsigned int p = 0; p < g->o->npolicies && !ret; p++) {
		ret = engine_end_phase(&g->runs[p]);
		if (!ret)
			ret = engine_add_phase(&g->results[p], &g->machine, t_ns);
	}
	return ret;
}

static int on_config(struct engine *g, const struct columns *c, uint32_t i, uint64_t t_ns)
{
	struct machine *m = &g->machine;
	int order = m->page_cluster, vma = m->vma_ra;

	if (column_has(c, i, CONFIG_PAGE_CLUSTER))
		m->page_cluster = c->v[CONFIG_PAGE_CLUSTER][i] > RA_PAGE_CLUSTER_MAX
					  ? RA_PAGE_CLUSTER_MAX
					  : (int)c->v[CONFIG_PAGE_CLUSTER][i];
	if (column_has(c, i, CONFIG_VMA_RA))
		m->vma_ra = c->v[CONFIG_VMA_RA][i] != 0;
	/* The snapshot of the counters is valid at its own moment, before the first call. */
	if (column_has(c, i, CONFIG_HITS) && !g->o->have_init_hits && !g->calls_seen) {
		for (unsigned int p = 0; p < g->o->npolicies; p++)
			run_set_global(&g->runs[p], (uint32_t)c->v[CONFIG_HITS][i],
				       c->v[CONFIG_PREV][i], (uint32_t)c->v[CONFIG_LAST][i]);
		if (g->verifying)
			run_set_global(&g->verify.run, (uint32_t)c->v[CONFIG_HITS][i],
				       c->v[CONFIG_PREV][i], (uint32_t)c->v[CONFIG_LAST][i]);
	}
	if (order == m->page_cluster && vma == m->vma_ra)
		return 0;
	return change_phase(g, t_ns);
}

static void on_swapon(struct engine *g, const struct columns *c, uint32_t i)
{
	slots_device_add(&g->machine.slots,
			 (unsigned int)column_get(c, i, SWAPON_TYPE, SLOT_DEVICES),
			 c->v[SWAPON_PAGES][i], column_has(c, i, SWAPON_FLAGS),
			 (uint32_t)c->v[SWAPON_FLAGS][i], true);
}

static int on_swapoff(struct engine *g, const struct columns *c, uint32_t i, uint64_t t_ns)
{
	struct replay_result *res = &g->results[0];
	bool have_type = column_has(c, i, SWAPOFF_TYPE);
	struct swapoff_result *bigger;

	if (column_get(c, i, SWAPOFF_OP, SWAPOFF_BEGIN) == SWAPOFF_BEGIN) {
		bigger = realloc(res->swapoffs, (res->nswapoffs + 1) * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		res->swapoffs = bigger;
		g->swapoff = &bigger[res->nswapoffs++];
		*g->swapoff = (struct swapoff_result){
			.type = have_type ? (int)c->v[SWAPOFF_TYPE][i] : -1,
			.begin_ns = t_ns,
			.last_progress_ns = t_ns,
		};
		return 0;
	}
	if (!g->swapoff)
		return 0;
	g->swapoff->end_ns = t_ns;
	g->swapoff->ret = (int64_t)c->v[SWAPOFF_RET][i];
	g->swapoff->complete = !g->swapoff->ret;
	g->swapoff->killed = g->swapoff->ret != 0;
	if (have_type && g->swapoff->type < 0)
		g->swapoff->type = (int)c->v[SWAPOFF_TYPE][i];
	if (g->swapoff->complete && g->swapoff->type >= 0) {
		unsigned int type = (unsigned int)g->swapoff->type;

		slots_device_off(&g->machine.slots, type);
		if (type < SLOT_DEVICES && g->cache.bits[type])
			memset(g->cache.bits[type], 0,
			       g->machine.slots.dev[type].size * g->cache.policies);
	}
	g->swapoff = NULL;
	return 0;
}

static void on_slots(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, SLOTS_TYPE, 0), off = c->v[SLOTS_OFF][i];
	uint64_t n = column_get(c, i, SLOTS_N, 1);
	uint64_t count = column_get(c, i, SLOTS_COUNT, 1);
	struct slot_device *d;

	if (!slots_valid(&g->machine.slots, type, off))
		return;
	d = &g->machine.slots.dev[type];
	if (n > d->size - off)
		n = d->size - off;
	/* What the snapshot saw of references is newer than what the survey inferred. */
	if (slots_name(d->pages, &d->named, n))
		memset(d->refs + off, count > 255 ? 255 : (int)count, n);
}

/* Before the event is applied. */
static enum slot_becomes becomes(const struct engine *g, enum event_type type,
				 const struct columns *c, uint32_t i, uint64_t slot_type,
				 uint64_t off)
{
	uint8_t refs;

	if (type == EV_CACHE)
		return SLOT_BECOMES_CACHED;
	if (type == EV_FREE)
		return SLOT_BECOMES_UNUSED;
	if (type != EV_UNREF || column_get(c, i, UNREF_HOW, UNREF_SWAPIN) == UNREF_CACHE)
		return SLOT_OTHER;
	/* All slots of one event have as many references. */
	refs = g->machine.slots.dev[slot_type].refs[off];
	return column_get(c, i, UNREF_LEFT, refs ? refs - 1u : 0) ? SLOT_OTHER
								  : SLOT_BECOMES_UNUSED;
}

/* Slots whose references, cache or allocation an event changes: type, off and n stand together. */
static void note_change(struct engine *g, const struct block_view *v, uint32_t k,
			enum event_type type, const struct columns *c, uint32_t i)
{
	unsigned int first = type == EV_ALLOC ? ALLOC_TYPE : CACHE_TYPE;
	struct moment at;
	uint64_t slot_type, off, n;

	if (type != EV_CACHE && type != EV_UNCACHE && type != EV_ALLOC && type != EV_UNREF &&
	    type != EV_FREE)
		return;
	at = engine_moment(v, k, c, i);
	slot_type = column_get(c, i, first, 0);
	off = c->v[first + 1][i];
	n = clip(g, slot_type, off, column_get(c, i, first + 2, 1));
	if (!n)
		return;
	verify_change(&g->verify, &at, slot_type, off, n, becomes(g, type, c, i, slot_type, off));
	if (type == EV_UNREF)
		verify_mapped(&g->verify, &at, slot_type, off, n);
}

int engine_event(struct engine *g, const struct block_view *v, uint32_t k, enum event_type type,
		 const struct columns *c, uint32_t i)
{
	if (g->verifying)
		note_change(g, v, k, type, c, i);
	switch (type) {
	case EV_LOOKUP:
		return on_lookup(g, v, k, c, i);
	case EV_RA:
		g->calls_seen = true;
		return g->verifying ? on_ra(g, v, k, c, i) : 0;
	case EV_READ:
		return g->verifying ? on_read(g, v, k, c, i) : 0;
	case EV_CACHE:
		return on_cache(g, c, i);
	case EV_UNCACHE:
		on_uncache(g, c, i);
		return 0;
	case EV_ALLOC:
		return on_alloc(g, c, i);
	case EV_UNREF:
		on_unref(g, c, i);
		return 0;
	case EV_FREE:
		return on_free(g, c, i);
	case EV_CONFIG:
		return on_config(g, c, i, v->times[k]);
	case EV_SWAPON:
		on_swapon(g, c, i);
		return 0;
	case EV_SWAPOFF:
		return on_swapoff(g, c, i, v->times[k]);
	case EV_SLOTS:
		on_slots(g, c, i);
		return 0;
	case EV_DRAIN:
	case EV_INIT:
	case EV_PUT:
	case EV_RELEASE:
	case EV_LRUADD:
	case EV_FLUSH:
		return engine_lru_event(g, v, k, type, c, i);
	case EV_LOST:
		g->verify.lost += column_get(c, i, LOST_N, 0);
		g->lru_verify.lost = g->verify.lost;
		return 0;
	default:
		return 0;
	}
}

static void want_lru(struct view_wanted *w)
{
	uint32_t who = BIT(KEY_CPU) | BIT(KEY_TID);
	uint32_t batch = BIT(BATCH_BATCH) | BIT(BATCH_N) | BIT(BATCH_DRAINED) | who;

	w->keys[EV_DRAIN] = (BIT(DRAIN_KEYS) - 1) | who;
	w->keys[EV_INIT] = batch;
	w->keys[EV_PUT] = batch;
	w->keys[EV_RELEASE] = batch;
	w->keys[EV_LRUADD] = BIT(LRUADD_OP) | BIT(LRUADD_LARGE) | BIT(LRUADD_N) | who;
	w->keys[EV_FLUSH] = BIT(FLUSH_OP) | BIT(FLUSH_N) | who;
}

static void want_verify(struct view_wanted *w)
{
	w->keys[EV_LOOKUP] |= BIT(LOOKUP_HIT) | BIT(LOOKUP_BYPASS) | BIT(KEY_TID);
	w->keys[EV_RA] |= BIT(RA_TYPE) | BIT(RA_OFF) | BIT(RA_ADDR) | BIT(RA_RET) | BIT(RA_HITS) |
			  BIT(RA_PREV) | BIT(RA_LAST) | BIT(RA_VMA) | BIT(RA_DERIVED) |
			  BIT(KEY_TID);
	w->keys[EV_READ] =
		BIT(READ_TYPE) | BIT(READ_OFF) | BIT(READ_N) | BIT(READ_CAUSE) | BIT(KEY_TID);
	/* Who changed a slot while others wait for it. */
	w->keys[EV_CACHE] |= BIT(KEY_TID);
	w->keys[EV_UNCACHE] |= BIT(KEY_TID);
	w->keys[EV_ALLOC] |= BIT(KEY_TID);
	w->keys[EV_UNREF] |= BIT(KEY_TID);
	w->keys[EV_FREE] |= BIT(KEY_TID);
}

static void want_alloc(struct view_wanted *w)
{
	alloc_replay_keys(w);
	/* The allocator asks every event where it happened, also those it has no use for. */
	for (int t = 0; t < EV_NR; t++)
		if (w->keys[t] && t != EV_LOOKUP)
			w->keys[t] |= BIT(KEY_CPU) | BIT(KEY_TID);
}

const struct view_wanted *engine_wanted(const struct engine *g, struct view_wanted *w)
{
	uint32_t cache = BIT(CACHE_TYPE) | BIT(CACHE_OFF) | BIT(CACHE_N) | BIT(CACHE_BY);

	*w = (struct view_wanted){
		.keys = {
			[EV_LOOKUP] = BIT(LOOKUP_TYPE) | BIT(LOOKUP_OFF) | BIT(LOOKUP_CAUSE) |
				      BIT(LOOKUP_ORDER) | BIT(LOOKUP_COUNT) | BIT(LOOKUP_RA),
			[EV_CACHE] = cache,
			[EV_UNCACHE] = cache,
			[EV_ALLOC] = BIT(ALLOC_TYPE) | BIT(ALLOC_OFF) | BIT(ALLOC_N) |
				     BIT(ALLOC_ORDER),
			[EV_UNREF] = BIT(UNREF_TYPE) | BIT(UNREF_OFF) | BIT(UNREF_N) |
				     BIT(UNREF_HOW) | BIT(UNREF_LEFT),
			[EV_FREE] = BIT(FREE_TYPE) | BIT(FREE_OFF) | BIT(FREE_N),
			[EV_SLOTS] = BIT(SLOTS_TYPE) | BIT(SLOTS_OFF) | BIT(SLOTS_N) |
				     BIT(SLOTS_COUNT),
			[EV_CONFIG] = BIT(CONFIG_PAGE_CLUSTER) | BIT(CONFIG_VMA_RA) |
				      BIT(CONFIG_HITS) | BIT(CONFIG_PREV) | BIT(CONFIG_LAST),
			[EV_SWAPON] = BIT(SWAPON_TYPE) | BIT(SWAPON_PAGES) | BIT(SWAPON_FLAGS),
			[EV_SWAPOFF] = BIT(SWAPOFF_OP) | BIT(SWAPOFF_TYPE) | BIT(SWAPOFF_RET),
			[EV_LOST] = BIT(LOST_N),
			[EV_RA] = BIT(RA_MODE),
		},
		.tasks = true,
	};
	if (g->survey.owners)
		w->keys[EV_LOOKUP] |= BIT(LOOKUP_VMA) | BIT(LOOKUP_ADDR) | BIT(LOOKUP_VMA_START) |
				      BIT(LOOKUP_VMA_END);
	if (g->lru)
		want_lru(w);
	if (g->verifying)
		want_verify(w);
	if (g->alloc)
		want_alloc(w);
	return w;
}
