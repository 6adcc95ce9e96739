// SPDX-License-Identifier: GPL-2.0
#include "replay/engine_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "traces/missing_returns.h"

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
	m->cpus = trace_header_u64(h, "cpus", &value) && value && value <= 8192
			  ? (unsigned int)value
			  : 64;
	m->geometry.page_shift = 12;
	if (trace_header_u64(h, "page_size", &value) && geometry_believes(value))
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

/*
 * Who owns which slot matters to VMA readahead alone, and most traces never change over to it. One
 * that does, by its settings or because the last rotational device goes, is walked once more.
 */
static int survey_needs(struct engine *g, struct error *e)
{
	bool owners = wants_owners(g);
	int ret = survey_trace(&g->survey, g->r, owners, e);

	if (ret || owners || !g->survey.vma_needs)
		return ret;
	survey_free(&g->survey);
	return survey_trace(&g->survey, g->r, true, e);
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

static const struct generation *recorded_generation(const struct engine *g)
{
	return g->o->recorded ? g->o->recorded : g->o->policies[0].generation;
}

/* A page-cluster that the kernel had all the time is no what-if. */
static bool as_recorded(const struct engine *g, const struct policy *p)
{
	struct policy same = *p;

	if (p->page_cluster < 0 || !g->page_cluster_known || g->survey.page_cluster_changes ||
	    p->page_cluster != g->machine.page_cluster)
		return false;
	same.page_cluster = -1;
	return !policy_differs(&same, recorded_generation(g));
}

/* The time from which on is counted. */
static uint64_t counts_begin(const struct engine *g)
{
	return g->o->from_ns > g->survey.first_ns ? g->o->from_ns : g->survey.first_ns;
}

static int prepare_run(struct engine *g, unsigned int i)
{
	struct replay_result *res = &g->results[i];
	int ret = run_init(&g->runs[i], &g->o->policies[i], &g->machine, &g->cache, i, &g->survey,
			   res);

	/* Names of sites and files in it are the user's words. */
	escape_text(g->o->policies[i].spec, strlen(g->o->policies[i].spec), res->policy,
		    sizeof(res->policy));
	strncpy(res->model, g->o->policies[i].generation->name, sizeof(res->model) - 1);
	res->what_if = g->o->policies[i].what_if && !as_recorded(g, &g->o->policies[i]);
	if (ret)
		return ret;
	res->start_state = set_start_state(g, &g->runs[i]);
	res->from_ns = g->o->from_ns;
	if (!g->o->slices || g->survey.total == 0)
		return 0;
	res->slices = calloc(g->o->slices, sizeof(*res->slices));
	if (!res->slices)
		return -ENOMEM;
	res->nslices = g->o->slices;
	for (unsigned int k = 0; k < res->nslices; k++)
		res->slices[k].t_ns = counts_begin(g) + k * g->slice_ns;
	g->runs[i].slice = res->slices;
	return 0;
}

static int prepare_lru(struct engine *g)
{
	const struct replay_options *o = g->o;
	int ret = lru_feed_init(&g->feed, g->r, recorded_generation(g), o->policies, o->npolicies,
				g->results);

	g->feed.flag_used = g->survey.flag_used;
	if (!ret && o->verify)
		ret = lru_verify_init(&g->lru_verify, &g->feed, &g->survey, &g->results[0].verify);
	return ret;
}

static int prepare_alloc(struct engine *g, struct error *e)
{
	int ret;

	if (!alloc_replay_wanted(g->o, &g->survey)) {
		for (unsigned int i = 0; i < g->o->npolicies; i++)
			if (alloc_policy_set(&g->o->policies[i].alloc))
				replay_result_note(
					&g->results[i],
					"no requests for slots (SWAPOUT, ALLOC, ALLOCFAIL) "
					"in the trace: nothing for another allocator to do");
		return 0;
	}
	ret = alloc_replay_new(&g->alloc, trace_get_header(g->r), g->o, &g->survey, g->slice_ns,
			       g->results, e);
	if (ret != -E2BIG)
		return ret;
	/* The rest of the trace can be replayed all the same. */
	alloc_replay_free(g->alloc);
	g->alloc = NULL;
	for (unsigned int i = 0; i < g->o->npolicies; i++)
		replay_result_note(&g->results[i],
				   "the devices are too large for the model of the slot allocator "
				   "(2^32 slots): its part is left out; name their sizes in the "
				   "header if they are smaller");
	return 0;
}

static int prepare(struct engine *g, struct error *e)
{
	const struct replay_options *o = g->o;
	int ret;

	read_header(g, trace_get_header(g->r));
	ret = survey_needs(g, e);
	if (ret)
		return ret;
	for (int t = EV_DRAIN; t <= EV_FLUSH; t++)
		g->lru |= g->survey.events[t] != 0;
	if (o->verify) {
		ret = check_generation(g, e);
		if (ret)
			return ret;
	}
	if (o->from_ns > g->survey.last_ns)
		return error_set(e, -ERANGE, "no event at or after %" PRIu64 " ns", o->from_ns);
	g->waiting = o->from_ns > g->survey.first_ns;
	guess_mode(g);
	g->verifying = o->verify || g->waiting;
	g->cache.policies = o->npolicies + g->verifying;
	if (o->slices) {
		g->slice_ns = (g->survey.last_ns - counts_begin(g)) / o->slices + 1;
		g->next_slice_ns = counts_begin(g) + g->slice_ns;
	}
	ret = allocate_slots(g);
	g->runs = calloc(o->npolicies, sizeof(*g->runs));
	if (!ret && !g->runs)
		ret = -ENOMEM;
	for (unsigned int i = 0; i < o->npolicies && !ret; i++)
		ret = prepare_run(g, i);
	if (!ret && g->verifying) {
		struct policy recorded;

		policy_recorded(&recorded, recorded_generation(g));
		ret = verify_init(&g->verify, &recorded, &g->machine, &g->cache, o->npolicies,
				  &g->survey, o->verify ? &g->results[0].verify : &g->unasked);
		if (!ret)
			set_start_state(g, &g->verify.run);
	}
	if (!ret && g->lru)
		ret = prepare_lru(g);
	return ret ? error_errno(e, ret, "cannot prepare the replay") : prepare_alloc(g, e);
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
		int ret = 0;

		if (g->waiting && v->times[k] >= g->o->from_ns)
			ret = engine_begin(g);
		if (ret)
			return ret;
		if (!c->have)
			continue;
		if (g->slice_ns && v->times[k] >= g->next_slice_ns)
			next_slice(g, v->times[k]);
		i = c->next++;
		ret = engine_event(g, v, k, (enum event_type)type, c, i);
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

	if (trace_get_stats(g->r)->recovered)
		replay_result_note(res, "the trace was recovered from a damaged or cut one: events "
					"are missing");
	if (g->o->from_ns && (g->lru || g->alloc))
		replay_result_note(res,
				   "slot allocators and per-CPU batches are counted from the "
				   "beginning of the trace, only readahead from the time given");
	while (trace_next_missing(h, &from, missing, sizeof(missing)))
		replay_result_note(res, "%s", missing);
	if (!g->page_cluster_known && !s->events[EV_CONFIG] && s->events[EV_LOOKUP])
		replay_result_note(res,
				   "page_cluster is not in the trace: 3, the kernel's default, "
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
		replay_result_note(res,
				   "%" PRIu64 " events name slots outside their device and were "
				   "ignored",
				   outside);
}

/*
 * Without needs nothing can be replayed, but what the recorded kernel decided is there: its windows
 * are those of the recorded policy. What they do not tell stays unknown.
 */
static int take_recorded_windows(const struct engine *g, struct replay_result *res)
{
	struct readahead_result *ra = &res->readahead;
	int ret;

	if (g->survey.events[EV_LOOKUP] || !g->survey.with_ret || res->what_if)
		return 0;
	ret = histogram_merge(&ra->cluster_windows, &g->survey.windows[0]);
	if (!ret)
		ret = histogram_merge(&ra->vma_windows, &g->survey.windows[1]);
	ra->known = true;
	ra->calls = histogram_total(&ra->cluster_windows) + histogram_total(&ra->vma_windows);
	ra->drains = ra->calls;
	for (unsigned int mode = 0; mode < 2; mode++)
		for (unsigned int i = 0; i < g->survey.windows[mode].n; i++)
			if (g->survey.windows[mode].bins[i].pages <= 1)
				ra->drains -= g->survey.windows[mode].bins[i].count;
	ra->batches = ra->pages_read = ra->ra_pages = ra->hits = ra->writeout_hits = UINT64_MAX;
	ra->unused = ra->lookups = ra->cache_hits = ra->bypassed = UINT64_MAX;
	ra->unknown_neighbours = UINT64_MAX;
	replay_result_note(res,
			   "without LOOKUP events there is nothing to replay; 'swaptrace report' "
			   "shows what was recorded, and the windows here are the recorded ones");
	return ret;
}

static int finish(struct engine *g, struct error *e)
{
	const struct trace_stats *stats = trace_get_stats(g->r);
	uint64_t page_size = 1ull << g->machine.geometry.page_shift;
	int ret = 0;

	for (unsigned int p = 0; p < g->o->npolicies && !ret; p++) {
		struct replay_result *res = &g->results[p];

		res->readahead.known = g->survey.events[EV_LOOKUP] > 0;
		ret = engine_end_phase(&g->runs[p]);
		if (!ret)
			ret = take_recorded_windows(g, res);
		if (!ret)
			ret = histogram_merge(&res->readahead.windows,
					      &res->readahead.cluster_windows);
		if (!ret)
			ret = histogram_merge(&res->readahead.windows, &res->readahead.vma_windows);
		res->readahead.assumed_slots = g->survey.assumed;
		res->lost = trace_lost(stats);
		if (g->o->cost && g->survey.events[EV_LOOKUP])
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
		ret = engine_add_phase(&results[p], &g.machine, g.survey.first_ns);
	while (!ret && (ret = trace_next_block(r, &b, e)) > 0) {
		ret = view_load(&view, b, engine_wanted(&g, &w));
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
