// SPDX-License-Identifier: GPL-2.0
#include "replay/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/alloc_replay.h"
#include "replay/lru_verify.h"
#include "replay/readahead_run.h"
#include "replay/survey.h"
#include "replay/verify.h"
#include "replay/view.h"
#include "traces/returns.h"

#define BIT(k) (1u << (k))

struct engine {
	const struct replay_options *o;
	struct trace_reader *r;
	struct replay_result *results;
	struct survey survey;
	struct machine machine;
	struct cache_map cache;
	struct ra_run *runs;
	struct verify verify;
	bool lru; /* the trace has events of the per-CPU batches */
	struct lru_feed feed;
	struct lru_verify lru_verify;
	struct alloc_replay *alloc; /* NULL: nothing calls for allocators */
	bool page_cluster_known, vma_ra_known;
	bool calls_seen; /* a recorded readahead call went by */
	uint32_t births;
	uint64_t next_slice_ns, slice_ns;
	unsigned int slice;
	struct swapoff_result *swapoff; /* the one that is going on, in results[0] */
};

const char *start_state_name(enum start_state s)
{
	static const char *const names[] = { "unknown", "boot", "given", "snapshot" };

	return names[s];
}

int replay_can_verify(const struct trace_header *h, struct error *e)
{
	size_t from = 0;

	if (trace_header_next_directive(h, "filter", &from))
		return error_set(e, -EINVAL,
				 "the trace is filtered: events that change global state may be "
				 "missing, so it cannot be verified");
	return 0;
}

/* Whether there is anything for the readahead model. */
static bool swap_events(const struct engine *g)
{
	return g->survey.events[EV_LOOKUP] || g->survey.events[EV_RA] || g->survey.events[EV_READ];
}

static bool has_allocator(const struct engine *g)
{
	return alloc_replay_wanted(g->o, &g->survey) &&
	       alloc_replay_can_verify(trace_get_header(g->r));
}

/*
 * The models of readahead, of the per-CPU batches and of the allocator belong to different
 * releases, so it takes the survey to know which are needed.
 */
static int check_generation(const struct engine *g, struct error *e)
{
	const char *release = trace_header_get(trace_get_header(g->r), "release");
	bool exact;
	const struct generation *nearest = generation_of_release(release, &exact);

	if (!release || exact)
		return 0;
	if (!swap_events(g) && (!g->lru || lru_release_known(release)) &&
	    (g->lru || has_allocator(g)))
		return 0;
	return error_set(e, -EPROTONOSUPPORT,
			 "no model of kernel %s, so its decisions cannot be verified; the nearest "
			 "is %s (replay with --policy model=%s is a what-if)",
			 release, nearest->name, nearest->name);
}

/* --- set-up ------------------------------------------------------------------------------- */

static void read_header(struct engine *g, const struct trace_header *h)
{
	struct machine *m = &g->machine;
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	uint64_t value;

	m->page_cluster = 3;
	g->page_cluster_known = trace_header_u64(h, "page_cluster", &value);
	if (g->page_cluster_known)
		m->page_cluster = (int)(value > RA_PAGE_CLUSTER_MAX ? RA_PAGE_CLUSTER_MAX : value);
	g->vma_ra_known = trace_header_u64(h, "vma_ra", &value);
	m->vma_ra = g->vma_ra_known ? value != 0 : 1;
	m->cpus = trace_header_u64(h, "cpus", &value) && value && value <= 8192 ? (unsigned int)value :
										  64;
	m->geometry.page_shift = 12;
	if (trace_header_u64(h, "page_size", &value) && value >= 1024 && !(value & (value - 1)))
		m->geometry.page_shift = (unsigned int)__builtin_ctzll(value);
	/* A page of PTEs maps page_size / 8 pages. */
	m->geometry.pmd_size = 1ull << (2 * m->geometry.page_shift - 3);
	for (unsigned int i = 0; i < n; i++)
		slots_device_add(&m->slots, d[i].type, d[i].have_pages ? d[i].pages : 0,
				 d[i].have_flags, d[i].flags, true);
}

/* Whether some device's flags tell if it is rotational; SWAPON events may bring others later. */
static bool devices_known(const struct slots *s)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		if (s->dev[t].have_flags)
			return true;
	return false;
}

/*
 * Without the facts that decide between VMA and cluster readahead: what the recorded calls show,
 * else what the lookups could tell.
 */
static void guess_mode(struct engine *g)
{
	const struct survey *s = &g->survey;

	if (s->vma_calls || (g->vma_ra_known && devices_known(&g->machine.slots)))
		return;
	if (s->cluster_calls || (!g->vma_ra_known && !s->with_addr))
		g->machine.vma_ra = 0;
}

static bool wants_owners(const struct engine *g)
{
	for (unsigned int i = 0; i < g->o->npolicies; i++) {
		if (g->o->policies[i].readahead == READAHEAD_VMA)
			return true;
		if (g->o->policies[i].readahead == READAHEAD_KERNEL && g->machine.vma_ra &&
		    !g->machine.slots.rotational)
			return true;
	}
	return false;
}

static void apply_start_bits(struct engine *g, unsigned int type)
{
	const struct survey_device *d = &g->survey.dev[type];

	for (uint64_t off = 0; off < d->size; off++) {
		uint8_t bits = 0;

		if (d->start[off] & START_CACHED)
			bits |= SLOT_CACHED;
		if (d->start[off] & START_MARKED)
			bits |= SLOT_MARKED;
		if (bits)
			memset(&g->cache.bits[type][off * g->cache.policies], bits,
			       g->cache.policies);
	}
}

static int allocate_slots(struct engine *g)
{
	struct slots *s = &g->machine.slots;
	int ret;

	for (unsigned int t = 0; t < SLOT_DEVICES; t++) {
		s->dev[t].size = g->survey.dev[t].size;
		if (g->survey.dev[t].pages)
			s->dev[t].pages = g->survey.dev[t].pages;
	}
	ret = slots_allocate(s, g->survey.owners);
	for (unsigned int t = 0; t < SLOT_DEVICES && !ret; t++) {
		if (!s->dev[t].size)
			continue;
		g->cache.bits[t] = calloc(s->dev[t].size, g->cache.policies);
		if (!g->cache.bits[t])
			return -ENOMEM;
		apply_start_bits(g, t);
	}
	return ret ? ret : survey_start(&g->survey, s);
}

static enum start_state set_start_state(struct engine *g, struct ra_run *run)
{
	const struct survey *s = &g->survey;

	if (g->o->have_init_hits) {
		run_set_global(run, g->o->init_hits, s->snapshot ? s->prev : 0,
			       s->snapshot ? s->last : 0);
		return START_GIVEN;
	}
	if (s->snapshot) {
		run_set_global(run, s->hits, s->prev, s->last);
		/* A CONFIG event repeats it at its own moment, before the first call. */
		return START_SNAPSHOT;
	}
	if (s->first_cluster.known)
		return START_SNAPSHOT;
	for (uint32_t i = 1; i <= s->nvmas; i++)
		if (s->vma[i].known)
			return START_SNAPSHOT;
	return START_BOOT;
}

static int prepare_run(struct engine *g, unsigned int i)
{
	struct replay_result *res = &g->results[i];
	int ret = run_init(&g->runs[i], &g->o->policies[i], &g->machine, &g->cache, i, &g->survey,
			   res);

	memcpy(res->policy, g->o->policies[i].spec, sizeof(res->policy));
	strncpy(res->model, g->o->policies[i].generation->name, sizeof(res->model) - 1);
	res->what_if = g->o->policies[i].what_if;
	if (ret)
		return ret;
	res->start_state = set_start_state(g, &g->runs[i]);
	if (!g->o->slices || g->survey.total == 0)
		return 0;
	res->slices = calloc(g->o->slices, sizeof(*res->slices));
	if (!res->slices)
		return -ENOMEM;
	res->nslices = g->o->slices;
	for (unsigned int k = 0; k < res->nslices; k++)
		res->slices[k].t_ns = g->survey.first_ns + k * g->slice_ns;
	g->runs[i].slice = res->slices;
	return 0;
}

static int prepare_lru(struct engine *g)
{
	const struct replay_options *o = g->o;
	int ret = lru_feed_init(&g->feed, g->r, o->policies, o->npolicies, g->results);

	if (!ret && o->verify)
		ret = lru_verify_init(&g->lru_verify, &g->feed, &g->survey, &g->results[0].verify);
	return ret;
}

static int prepare_alloc(struct engine *g, struct error *e)
{
	if (!alloc_replay_wanted(g->o, &g->survey)) {
		for (unsigned int i = 0; i < g->o->npolicies; i++)
			if (alloc_policy_set(&g->o->policies[i].alloc))
				replay_result_note(&g->results[i],
						   "no requests for slots (SWAPOUT, ALLOC, ALLOCFAIL) "
						   "in the trace: nothing for another allocator to do");
		return 0;
	}
	return alloc_replay_new(&g->alloc, trace_get_header(g->r), g->o, &g->survey, g->slice_ns,
				g->results, e);
}

static int prepare(struct engine *g, struct error *e)
{
	const struct replay_options *o = g->o;
	int ret;

	read_header(g, trace_get_header(g->r));
	ret = survey_trace(&g->survey, g->r, wants_owners(g), e);
	if (ret)
		return ret;
	for (int t = EV_DRAIN; t <= EV_FLUSH; t++)
		g->lru |= g->survey.events[t] != 0;
	if (o->verify) {
		ret = check_generation(g, e);
		if (ret)
			return ret;
	}
	guess_mode(g);
	g->cache.policies = o->npolicies + o->verify;
	if (o->slices) {
		g->slice_ns = (g->survey.last_ns - g->survey.first_ns) / o->slices + 1;
		g->next_slice_ns = g->survey.first_ns + g->slice_ns;
	}
	ret = allocate_slots(g);
	g->runs = calloc(o->npolicies, sizeof(*g->runs));
	if (!ret && !g->runs)
		ret = -ENOMEM;
	for (unsigned int i = 0; i < o->npolicies && !ret; i++)
		ret = prepare_run(g, i);
	if (!ret && o->verify) {
		struct policy recorded;

		policy_recorded(&recorded, o->policies[0].generation);
		ret = verify_init(&g->verify, &recorded, &g->machine, &g->cache, o->npolicies,
				  &g->survey, &g->results[0].verify);
		if (!ret)
			set_start_state(g, &g->verify.run);
	}
	if (!ret && g->lru)
		ret = prepare_lru(g);
	return ret ? error_errno(e, ret, "cannot prepare the replay") : prepare_alloc(g, e);
}

/* --- events -------------------------------------------------------------------------------- */

static void clear_cached(struct engine *g, unsigned int type, uint64_t off)
{
	memset(&g->cache.bits[type][off * g->cache.policies], 0, g->cache.policies);
}

/* Clip a run of slots to what is tracked; 0 when nothing is left. */
static uint64_t clip(const struct engine *g, uint64_t type, uint64_t off, uint64_t n)
{
	uint64_t left;

	if (!slots_valid(&g->machine.slots, type, off))
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

static struct moment moment_of(const struct block_view *v, uint32_t k, const struct columns *c,
			       uint32_t i)
{
	struct moment at = { .t_ns = v->times[k], .cpu = v->cpus[k] };

	if (column_has(c, i, KEY_TID))
		at.task = c->v[KEY_TID][i];
	else if (v->tgids[k] >= 0)
		at.task = (uint64_t)v->tgids[k];
	else
		at = (struct moment){ v->times[k], (uint64_t)(uint32_t)v->cpus[k], true, v->cpus[k] };
	return at;
}

static int on_lookup(struct engine *g, const struct block_view *v, uint32_t k,
		     const struct columns *c, uint32_t i)
{
	struct recorded_lookup l;

	fill_need(g, c, i, v->cpus[k], v->tgids[k], &l.need);
	if (!slots_valid(&g->machine.slots, l.need.type, l.need.off))
		return 0;
	count_swapoff(g, &l.need, v->times[k]);
	for (unsigned int p = 0; p < g->o->npolicies; p++)
		run_step(&g->runs[p], &l.need);
	if (!g->o->verify)
		return 0;
	l.hit = column_has(c, i, LOOKUP_HIT) ? c->v[LOOKUP_HIT][i] != 0 : -1;
	l.ra = column_has(c, i, LOOKUP_RA) ? c->v[LOOKUP_RA][i] != 0 : -1;
	l.bypass = column_has(c, i, LOOKUP_BYPASS) ? c->v[LOOKUP_BYPASS][i] != 0 : -1;
	struct moment at = moment_of(v, k, c, i);

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
	struct moment at = moment_of(v, k, c, i);

	if (!slots_valid(&g->machine.slots, call.need.type, call.need.off))
		return 0;
	call.need.vma = survey_vma(&g->survey, column_has(c, i, RA_VMA), c->v[RA_VMA][i], v->tgids[k]);
	if (!call.need.vma)
		call.need.have_addr = false;
	return verify_call(&g->verify, &at, &call);
}

static int on_read(struct engine *g, const struct block_view *v, uint32_t k,
		   const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, READ_TYPE, 0), off = c->v[READ_OFF][i];
	struct moment at = moment_of(v, k, c, i);

	if (!slots_valid(&g->machine.slots, type, off))
		return 0;
	return verify_read(&g->verify, &at, (unsigned int)type, off, column_get(c, i, READ_N, 1),
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
			memset(&g->cache.bits[type][k * g->cache.policies], SLOT_CACHED | SLOT_WRITEOUT,
			       g->cache.policies);
			g->machine.slots.dev[type].refs[k] = 1;
		} else if (g->o->verify && by == BY_SWAPIN) {
			*run_bits(&g->verify.run, (unsigned int)type, k) |= SLOT_CACHED;
		}
	}
	return n && by == BY_SWAPOUT ? take_birth(g, (unsigned int)type, off, n) : 0;
}

static void on_uncache(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, CACHE_TYPE, 0), off = c->v[CACHE_OFF][i];
	uint64_t n = clip(g, type, off, column_get(c, i, CACHE_N, 1));

	for (uint64_t k = off; k < off + n; k++)
		clear_cached(g, (unsigned int)type, k);
}

static int on_alloc(struct engine *g, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, ALLOC_TYPE, 0), off = c->v[ALLOC_OFF][i];
	uint64_t n = column_get(c, i, ALLOC_N, 1);

	if (!column_has(c, i, ALLOC_OFF))
		return 0;
	if (!column_has(c, i, ALLOC_N) && column_has(c, i, ALLOC_ORDER) && c->v[ALLOC_ORDER][i] < 20)
		n = 1ull << c->v[ALLOC_ORDER][i];
	n = clip(g, type, off, n);
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

static int add_phase(struct replay_result *res, const struct machine *m, uint64_t t_ns)
{
	struct phase_result *bigger =
		realloc(res->phases, (res->nphases + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	res->phases = bigger;
	bigger[res->nphases++] = (struct phase_result){
		.t_ns = t_ns, .page_cluster = m->page_cluster, .vma_ra = m->vma_ra };
	return 0;
}

/* End the phase: what was counted since the last change belongs to it. */
static int end_phase(struct ra_run *run)
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

static int change_phase(struct engine *g, uint64_t t_ns)
{
	int ret = 0;

	for (unsigned int p = 0; p < g->o->npolicies && !ret; p++) {
		ret = end_phase(&g->runs[p]);
		if (!ret)
			ret = add_phase(&g->results[p], &g->machine, t_ns);
	}
	return ret;
}

static int on_config(struct engine *g, const struct columns *c, uint32_t i, uint64_t t_ns)
{
	struct machine *m = &g->machine;
	int order = m->page_cluster, vma = m->vma_ra;

	if (column_has(c, i, CONFIG_PAGE_CLUSTER))
		m->page_cluster = c->v[CONFIG_PAGE_CLUSTER][i] > RA_PAGE_CLUSTER_MAX ?
					  RA_PAGE_CLUSTER_MAX :
					  (int)c->v[CONFIG_PAGE_CLUSTER][i];
	if (column_has(c, i, CONFIG_VMA_RA))
		m->vma_ra = c->v[CONFIG_VMA_RA][i] != 0;
	/* The snapshot of the counters is valid at its own moment, before the first call. */
	if (column_has(c, i, CONFIG_HITS) && !g->o->have_init_hits && !g->calls_seen) {
		for (unsigned int p = 0; p < g->o->npolicies; p++)
			run_set_global(&g->runs[p], (uint32_t)c->v[CONFIG_HITS][i],
				       c->v[CONFIG_PREV][i], (uint32_t)c->v[CONFIG_LAST][i]);
		if (g->o->verify)
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
	uint64_t n = clip(g, type, off, column_get(c, i, SLOTS_N, 1));
	uint64_t count = column_get(c, i, SLOTS_COUNT, 1);

	/* What the snapshot saw of references is newer than what the survey inferred. */
	for (uint64_t k = off; k < off + n; k++)
		g->machine.slots.dev[type].refs[k] = (uint8_t)(count > 255 ? 255 : count);
}

static int on_drain(struct engine *g, const struct moment *at, unsigned int cpu,
		    const struct columns *c, uint32_t i)
{
	struct lru_drained d = { .have = c->have[i] >> DRAIN_ADD & (BIT(PV_OPS) - 1) };
	int ret = lru_feed_site(&g->feed, (uint32_t)c->v[DRAIN_SITE][i], &d.site);

	for (int op = 0; op < PV_OPS; op++)
		d.moved[op] = c->v[DRAIN_ADD + op][i];
	lru_feed_drain(&g->feed, at, cpu, &d);
	if (g->o->verify)
		lru_verify_drain(&g->lru_verify, at, cpu, &d);
	return ret;
}

static int on_release(struct engine *g, const struct moment *at, unsigned int cpu,
		      const struct columns *c, uint32_t i)
{
	uint64_t batch = c->v[BATCH_BATCH][i], n = column_get(c, i, BATCH_N, LRU_UNKNOWN);
	int drained = column_has(c, i, BATCH_DRAINED) ? c->v[BATCH_DRAINED][i] != 0 : -1;
	int ret = lru_feed_release(&g->feed, at, cpu, batch, n, drained);

	if (!ret && g->o->verify)
		ret = lru_verify_release(&g->lru_verify, at, batch, n, drained);
	return ret;
}

static void on_lruadd(struct engine *g, const struct moment *at, unsigned int cpu, enum pv_op op,
		      const struct columns *c, uint32_t i)
{
	uint64_t n = column_get(c, i, LRUADD_N, 1);
	bool large = c->v[LRUADD_LARGE][i] != 0;

	if (!lru_feed_believes(&g->feed, n))
		return;
	if (g->o->verify)
		lru_verify_add(&g->lru_verify, at, cpu, op, large, n);
	lru_feed_add(&g->feed, cpu, op, large, n);
}

static int on_lru(struct engine *g, const struct block_view *v, uint32_t k, enum event_type type,
		  const struct columns *c, uint32_t i)
{
	struct lru_verify *verify = g->o->verify ? &g->lru_verify : NULL;
	struct moment at = moment_of(v, k, c, i);
	/* LRUADD without op= is what its name says; one we do not know is of no batch. */
	bool inserts = type == EV_LRUADD || type == EV_FLUSH;
	enum pv_op op = inserts && c->v[LRUADD_OP][i] < PV_OPS ? (enum pv_op)c->v[LRUADD_OP][i] :
								 PV_OPS;
	unsigned int cpu;
	int ret = 0;

	if ((inserts && op == PV_OPS) || !lru_feed_cpu(&g->feed, column_has(c, i, KEY_CPU) ? (int64_t)c->v[KEY_CPU][i] : at.cpu,
			  &cpu))
		return 0;
	switch (type) {
	case EV_LRUADD:
		on_lruadd(g, &at, cpu, op, c, i);
		return 0;
	case EV_FLUSH:
		if (verify)
			lru_verify_flush(verify, &at, cpu, op, column_get(c, i, FLUSH_N, LRU_UNKNOWN));
		return 0;
	case EV_INIT:
		ret = lru_feed_init_batch(&g->feed, &at, c->v[BATCH_BATCH][i]);
		return ret || !verify ? ret :
					lru_verify_init_batch(verify, &at, c->v[BATCH_BATCH][i]);
	case EV_PUT:
		if (verify)
			lru_verify_put(verify, &at);
		return lru_feed_put(&g->feed, &at, c->v[BATCH_BATCH][i], column_get(c, i, BATCH_N, 1));
	case EV_RELEASE:
		return on_release(g, &at, cpu, c, i);
	default:
		return on_drain(g, &at, cpu, c, i);
	}
}

static int on_event(struct engine *g, const struct block_view *v, uint32_t k, enum event_type type,
		    const struct columns *c, uint32_t i)
{
	switch (type) {
	case EV_LOOKUP:
		return on_lookup(g, v, k, c, i);
	case EV_RA:
		g->calls_seen = true;
		return g->o->verify ? on_ra(g, v, k, c, i) : 0;
	case EV_READ:
		return g->o->verify ? on_read(g, v, k, c, i) : 0;
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
		return on_lru(g, v, k, type, c, i);
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

static const struct view_wanted *wanted(const struct engine *g, struct view_wanted *w)
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
	if (g->alloc)
		alloc_replay_keys(w);
	if (!g->o->verify)
		return w;
	w->keys[EV_LOOKUP] |= BIT(LOOKUP_HIT) | BIT(LOOKUP_BYPASS) | BIT(KEY_TID);
	w->keys[EV_RA] |= BIT(RA_TYPE) | BIT(RA_OFF) | BIT(RA_ADDR) | BIT(RA_RET) | BIT(RA_HITS) |
			  BIT(RA_PREV) | BIT(RA_LAST) | BIT(RA_VMA) | BIT(KEY_TID);
	w->keys[EV_READ] = BIT(READ_TYPE) | BIT(READ_OFF) | BIT(READ_N) | BIT(READ_CAUSE) |
			   BIT(KEY_TID);
	return w;
}

static void next_slice(struct engine *g, uint64_t t_ns)
{
	while (t_ns >= g->next_slice_ns && g->slice + 1 < g->o->slices) {
		g->slice++;
		g->next_slice_ns += g->slice_ns;
	}
	for (unsigned int p = 0; p < g->o->npolicies; p++)
		g->runs[p].slice = &g->results[p].slices[g->slice];
}

static int replay_block(struct engine *g, struct block_view *v)
{
	for (uint32_t k = 0; k < v->events; k++) {
		uint8_t type = v->types[k];
		struct columns *c = &v->of[type];
		uint32_t i;
		int ret;

		if (!c->have)
			continue;
		if (g->slice_ns && v->times[k] >= g->next_slice_ns)
			next_slice(g, v->times[k]);
		i = c->next++;
		ret = on_event(g, v, k, (enum event_type)type, c, i);
		if (!ret && g->alloc)
			ret = alloc_replay_event(g->alloc, v, k, (enum event_type)type, c, i);
		if (ret)
			return ret;
	}
	return 0;
}

/* --- results ------------------------------------------------------------------------------- */

static void add_notes(const struct engine *g, struct replay_result *res)
{
	const struct trace_header *h = trace_get_header(g->r);
	const struct survey *s = &g->survey;
	uint64_t outside = 0;
	char missing[200];
	size_t from = 0;

	while (trace_next_missing(h, &from, missing, sizeof(missing)))
		replay_result_note(res, "%s", missing);
	if (!g->page_cluster_known && !s->events[EV_CONFIG] && s->events[EV_LOOKUP])
		replay_result_note(res, "page_cluster is not in the trace: 3, the kernel's default, "
					"was taken");
	if (!trace_header_get(h, "release"))
		replay_result_note(res, "the kernel release is not in the trace: model v6.12 was "
					"taken");
	if (s->assumed)
		replay_result_note(res,
				   "%" PRIu64 " slots count as in use from the start because they "
				   "were needed before any allocation of them",
				   s->assumed);
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		outside += s->dev[t].outside;
	if (outside)
		replay_result_note(res, "%" PRIu64 " events name slots outside their device and were "
					"ignored",
				   outside);
}

static int finish(struct engine *g, struct error *e)
{
	const struct trace_stats *stats = trace_get_stats(g->r);
	uint64_t page_size = 1ull << g->machine.geometry.page_shift;
	int ret = 0;

	for (unsigned int p = 0; p < g->o->npolicies && !ret; p++) {
		struct replay_result *res = &g->results[p];

		ret = end_phase(&g->runs[p]);
		if (!ret)
			ret = histogram_merge(&res->readahead.windows, &res->readahead.cluster_windows);
		if (!ret)
			ret = histogram_merge(&res->readahead.windows, &res->readahead.vma_windows);
		res->readahead.known = g->survey.events[EV_LOOKUP] > 0;
		res->readahead.assumed_slots = g->survey.assumed;
		res->lost = stats->lost;
		if (g->o->cost && res->readahead.known)
			cost_estimate(g->o->cost, page_size, res);
		add_notes(g, res);
	}
	if (!ret && g->o->verify && (swap_events(g) || !g->lru))
		ret = verify_finish(&g->verify);
	if (!ret && g->lru)
		ret = lru_feed_finish(&g->feed, g->results);
	if (!ret && g->lru && g->o->verify)
		lru_verify_finish(&g->lru_verify);
	if (!ret && g->alloc)
		ret = alloc_replay_finish(g->alloc);
	return ret ? error_errno(e, ret, "cannot finish the replay") : 0;
}

static void engine_free(struct engine *g)
{
	for (unsigned int p = 0; g->runs && p < g->o->npolicies; p++)
		run_free(&g->runs[p]);
	free(g->runs);
	verify_free(&g->verify);
	alloc_replay_free(g->alloc);
	lru_verify_free(&g->lru_verify);
	lru_feed_free(&g->feed);
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		free(g->cache.bits[t]);
	slots_free(&g->machine.slots);
	survey_free(&g->survey);
}

int replay_trace(struct trace_reader *r, const struct replay_options *o,
		 struct replay_result *results, struct error *e)
{
	struct engine g = { .o = o, .r = r, .results = results };
	const struct trace_block *b;
	struct view_wanted w;
	struct block_view view;
	int ret = 0;

	memset(results, 0, o->npolicies * sizeof(*results));
	if (o->verify)
		ret = replay_can_verify(trace_get_header(r), e);
	if (!ret)
		ret = prepare(&g, e);
	for (unsigned int p = 0; p < o->npolicies && !ret; p++)
		ret = add_phase(&results[p], &g.machine, g.survey.first_ns);
	while (!ret && (ret = trace_next_block(r, &b, e)) > 0) {
		ret = view_load(&view, b, wanted(&g, &w));
		if (!ret)
			ret = replay_block(&g, &view);
		if (ret == -EUCLEAN)
			error_set(e, ret, "an invariant is broken: %s", alloc_replay_why(g.alloc));
		else if (ret)
			error_errno(e, ret, "cannot replay the trace");
	}
	if (!ret)
		ret = finish(&g, e);
	engine_free(&g);
	return ret;
}
