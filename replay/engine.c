// SPDX-License-Identifier: GPL-2.0
#include "replay/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/text.h"
#include "replay/alloc/family.h"
#include "replay/family.h"
#include "replay/lru/family.h"
#include "replay/readahead/family.h"
#include "traces/missing_returns.h"

const struct replay_family *const replay_families[REPLAY_FAMILIES] = {
	&alloc_family,
	&lru_family,
	&readahead_family,
};

struct engine {
	struct replay_context x;
	struct survey survey;
	struct world world;
	void *family[REPLAY_FAMILIES];	/* NULL: the trace holds nothing for it */
	uint64_t wake[REPLAY_FAMILIES]; /* when it wants to be called next */
	uint64_t wake_next;		/* the earliest of them */
	/* Who takes events of a type, in order. */
	struct taker {
		int (*take)(void *family, const struct replay_event *ev);
		void *family;
	} takers[EV_NR][REPLAY_FAMILIES + 1]; /* ended by one without take() */
	const struct replay_family *passer;   /* takes many events at once; NULL: none */
	void *passing;
	uint32_t alone; /* types of events that no other one takes */
};

const char *start_state_name(enum start_state s)
{
	static const char *const names[] = { "unknown", "boot", "given", "snapshot" };

	return names[s];
}

const struct kernel *replay_recorded(const struct replay_options *o)
{
	return o->recorded ? o->recorded : o->policies[0].kernel;
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

/* The parts of the kernel that the trace tells of; it takes the survey to know. */
static unsigned int parts_of_trace(const struct engine *g)
{
	unsigned int parts = 0;

	for (unsigned int i = 0; i < REPLAY_FAMILIES; i++)
		if (replay_families[i]->told(&g->x))
			parts |= replay_families[i]->part;
	return parts ? parts : KERNEL_READAHEAD;
}

/* What --verify compares: all parts that have an exact model. Others are named at the end. */
static int choose_verified(struct engine *g)
{
	const char *release = trace_header_get(g->x.header, "release");
	const struct kernel *k = g->x.recorded;
	unsigned int parts = parts_of_trace(g);
	char names[80];

	g->x.verified = k->exact;
	if (!release || k->exact & parts) {
		g->x.results[0].verify.done = true;
		return 0;
	}
	kernel_part_names(parts, names, sizeof(names));
	return error_set(g->x.error, -EPROTONOSUPPORT,
			 "no exact model of kernel %s for what the trace tells of (%s), so its "
			 "decisions cannot be verified; the nearest is %s (replay with --policy "
			 "model=%s is a what-if)",
			 release, names, k->name, k->name);
}

/* --- set-up ------------------------------------------------------------------------------- */

/* A page-cluster that the kernel had all the time is no what-if. */
static bool as_recorded(const struct engine *g, const struct policy *p)
{
	struct policy same = *p;

	if (p->page_cluster < 0 || !g->world.page_cluster_known || g->survey.page_cluster_changes ||
	    p->page_cluster != g->world.page_cluster)
		return false;
	same.page_cluster = -1;
	return !policy_differs(&same, g->x.recorded);
}

static void name_results(struct engine *g)
{
	for (unsigned int i = 0; i < g->x.o->npolicies; i++) {
		const struct policy *p = &g->x.o->policies[i];
		struct replay_result *res = &g->x.results[i];

		/* Names of sites and files in it are the user's words. */
		escape_text(p->spec, strlen(p->spec), res->policy, sizeof(res->policy));
		strncpy(res->model, p->kernel->name, sizeof(res->model) - 1);
		res->what_if = p->what_if && !as_recorded(g, p);
	}
}

static bool follows_folios(const struct replay_options *o)
{
	for (unsigned int i = 0; i < o->npolicies; i++)
		if (o->policies[i].swapin != SWAPIN_RECORDED)
			return true;
	return false;
}

/* The time line: of the time from which on is counted. */
static void set_slices(struct engine *g)
{
	const struct replay_options *o = g->x.o;

	g->x.begin_ns = o->from_ns > g->survey.first_ns ? o->from_ns : g->survey.first_ns;
	if (o->slices && g->survey.total)
		g->x.slice_ns = (g->survey.last_ns - g->x.begin_ns) / o->slices + 1;
}

static int prepare(struct engine *g)
{
	const struct replay_options *o = g->x.o;
	int ret = survey_trace(&g->survey, g->x.reader, readahead_owners(o), g->x.error);

	if (!ret && o->verify)
		ret = choose_verified(g);
	if (ret)
		return ret;
	if (o->from_ns > g->survey.last_ns)
		return error_set(g->x.error, -ERANGE, "no event at or after %" PRIu64 " ns",
				 o->from_ns);
	set_slices(g);
	ret = world_init(&g->world, g->x.header, &g->survey, o->npolicies, follows_folios(o));
	if (ret)
		return ret;
	name_results(g);
	for (unsigned int i = 0; i < REPLAY_FAMILIES && !ret; i++)
		ret = replay_families[i]->prepare(&g->x, &g->family[i]);
	return ret;
}

/* --- the walk -------------------------------------------------------------------------------- */

static const struct view_wanted *wanted(const struct engine *g, const struct trace_block *b,
					struct view_wanted *w)
{
	memset(w, 0, sizeof(*w));
	world_wanted(&g->world, b, w);
	/* Whoever wants to be called within the block. */
	w->times |= g->wake_next <= block_last_ns(b);
	for (unsigned int i = 0; i < REPLAY_FAMILIES; i++) {
		const struct replay_family *f = replay_families[i];

		for (int t = 0; t < EV_NR && g->family[i]; t++)
			w->keys[t] |= f->handlers[t].keys;
		if (g->family[i] && f->wants)
			f->wants(g->family[i], w);
	}
	return w;
}

static int wake(struct engine *g, uint64_t t_ns)
{
	int ret = 0;

	g->wake_next = UINT64_MAX;
	for (unsigned int i = 0; i < REPLAY_FAMILIES && !ret; i++) {
		if (!g->family[i] || !replay_families[i]->wake)
			continue;
		if (t_ns >= g->wake[i])
			ret = replay_families[i]->wake(g->family[i], t_ns, &g->wake[i]);
		if (g->wake[i] < g->wake_next)
			g->wake_next = g->wake[i];
	}
	return ret;
}

static int check(struct engine *g)
{
	int ret = 0;

	for (unsigned int i = 0; i < REPLAY_FAMILIES && !ret; i++)
		if (g->family[i] && replay_families[i]->check)
			ret = replay_families[i]->check(g->family[i]);
	return ret;
}

static void list_takers(struct engine *g)
{
	for (int t = 0; t < EV_NR; t++) {
		struct taker *last = g->takers[t];

		for (unsigned int i = 0; i < REPLAY_FAMILIES; i++)
			if (g->family[i] && replay_families[i]->handlers[t].take)
				*last++ = (struct taker){ replay_families[i]->handlers[t].take,
							  g->family[i] };
	}
}

/* Does some family take many events at once? Its own events and those that it shares with nobody.
 */
static void choose_passer(struct engine *g)
{
	for (unsigned int i = 0; i < REPLAY_FAMILIES && !g->x.o->check; i++)
		if (g->family[i] && replay_families[i]->passes) {
			g->passer = replay_families[i];
			g->passing = g->family[i];
		}
	for (int t = 0; t < EV_NR; t++) {
		const struct taker *first = g->takers[t];

		if (!first->take || (first->family == g->passing && !first[1].take))
			g->alone |= 1u << t;
	}
}

static int take(struct engine *g, const struct replay_event *ev)
{
	int ret = world_event(&g->world, ev);

	for (const struct taker *t = g->takers[ev->type]; t->take && !ret; t++)
		ret = t->take(t->family, ev);
	return !ret && g->x.o->check ? check(g) : ret;
}

/* The first event from @k on at or after the time of the next call of wake(). */
static uint32_t wake_at(const struct engine *g, const struct block_view *v, uint32_t k)
{
	uint32_t end = v->events;

	if (g->wake_next > block_last_ns(v->block))
		return end;
	while (k < end) {
		uint32_t middle = k + (end - k) / 2;

		if (v->times[middle] < g->wake_next)
			k = middle + 1;
		else
			end = middle;
	}
	return end;
}

static int replay_events(struct engine *g, struct block_view *v, uint32_t k, uint32_t end)
{
	bool passes = g->passer && g->passer->passes(g->passing);
	struct replay_event ev;
	int ret = 0;

	for (; k < end && !ret; k++) {
		if (passes) {
			ret = g->passer->pass(g->passing, v, &k, end, g->alone);
			if (ret || k == end)
				break;
		}
		if (view_event(v, k, &ev))
			ret = take(g, &ev);
	}
	return ret;
}

static int replay_block(struct engine *g, struct block_view *v)
{
	uint32_t k = 0;
	int ret = 0;

	while (k < v->events && !ret) {
		uint32_t end = wake_at(g, v, k);

		ret = replay_events(g, v, k, end);
		if (!ret && end < v->events)
			ret = wake(g, v->times[end]);
		k = end;
	}
	return ret;
}

static int walk(struct engine *g)
{
	const struct trace_block *b;
	struct view_wanted w;
	struct block_view view;
	int ret;

	list_takers(g);
	choose_passer(g);
	while ((ret = trace_next_block(g->x.reader, &b, g->x.error)) > 0) {
		ret = view_load(&view, b, wanted(g, b, &w));
		if (!ret)
			ret = replay_block(g, &view);
		if (ret)
			return ret;
	}
	return ret;
}

/* --- results ------------------------------------------------------------------------------- */

static void note_recording(const struct engine *g, struct replay_result *res)
{
	const struct trace_header *h = g->x.header;
	char missing[200];
	size_t from = 0;

	if (trace_get_stats(g->x.reader)->recovered)
		replay_result_note(res, "the trace was recovered from a damaged or cut one: events "
					"are missing");
	if (g->x.o->from_ns && (g->family[0] || g->family[1]))
		replay_result_note(res,
				   "slot allocators and per-CPU batches are counted from the "
				   "beginning of the trace, only readahead from the time given");
	while (trace_next_missing(h, &from, missing, sizeof(missing)))
		replay_result_note(res, "%s", missing);
	if (!g->world.page_cluster_known && !g->survey.events[EV_CONFIG] &&
	    g->survey.events[EV_LOOKUP])
		replay_result_note(res,
				   "page_cluster is not in the trace: 3, the kernel's default, "
				   "was taken");
	if (!trace_header_get(h, "release"))
		replay_result_note(res, "the kernel release is not in the trace: model v6.12 was "
					"taken");
}

static void note_slots(const struct engine *g, struct replay_result *res)
{
	uint64_t outside = 0;

	if (g->survey.assumed)
		replay_result_note(res,
				   "%" PRIu64 " slots count as in use from the start because they "
				   "were needed before any allocation of them",
				   g->survey.assumed);
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		outside += g->survey.dev[t].outside;
	if (outside)
		replay_result_note(res,
				   "%" PRIu64 " events name slots outside their device and were "
				   "ignored",
				   outside);
}

static int finish(struct engine *g)
{
	int ret = world_finish(&g->world);

	for (unsigned int p = 0; p < g->x.o->npolicies; p++) {
		g->x.results[p].lost = trace_lost(trace_get_stats(g->x.reader));
		note_recording(g, &g->x.results[p]);
		note_slots(g, &g->x.results[p]);
	}
	g->x.results[0].swapoffs = g->world.swapoffs;
	g->x.results[0].nswapoffs = g->world.nswapoffs;
	g->world.swapoffs = NULL;
	/* The last one goes by what the others have found. */
	for (unsigned int i = REPLAY_FAMILIES; i-- > 0 && !ret;)
		if (g->family[i])
			ret = replay_families[i]->finish(g->family[i]);
	return ret;
}

static void engine_free(struct engine *g)
{
	for (unsigned int i = 0; i < REPLAY_FAMILIES; i++)
		if (g->family[i])
			replay_families[i]->free(g->family[i]);
	world_free(&g->world);
	survey_free(&g->survey);
}

int replay_trace(struct trace_reader *r, const struct replay_options *o,
		 struct replay_result *results, struct error *e)
{
	struct error own;
	struct engine g = {
		.x = { .o = o,
		       .reader = r,
		       .header = trace_get_header(r),
		       .recorded = replay_recorded(o),
		       .survey = &g.survey,
		       .world = &g.world,
		       .results = results,
		       .error = e ? e : &own },
	};
	int ret = 0;

	memset(g.x.error, 0, sizeof(*g.x.error));
	memset(results, 0, o->npolicies * sizeof(*results));
	if (o->verify)
		ret = replay_can_verify(g.x.header, g.x.error);
	if (!ret)
		ret = prepare(&g);
	if (!ret)
		ret = walk(&g);
	if (!ret)
		ret = finish(&g);
	/* Who had more to say than an errno has said it. */
	if (ret && !g.x.error->code)
		error_errno(g.x.error, ret, "cannot replay the trace");
	engine_free(&g);
	return ret;
}
