// SPDX-License-Identifier: GPL-2.0
#include "analyze/summary_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WIDTH_NS 1000000 /* a guest run of seconds then ends with some hundred slices */

static void add_slice(struct time_slice *to, const struct time_slice *from)
{
	to->calls += from->calls;
	to->window_pages += from->window_pages;
	to->lookups += from->lookups;
	to->cache_hits += from->cache_hits;
	to->pages_read += from->pages_read;
	to->ra_pages += from->ra_pages;
	to->hits += from->hits;
}

static void join_pairs(struct timeline *t)
{
	for (unsigned int i = 0; i < SLICES_MAX / 2; i++) {
		struct time_slice pair = t->slices[2 * i];

		add_slice(&pair, &t->slices[2 * i + 1]);
		t->slices[i] = pair;
	}
	memset(t->slices + SLICES_MAX / 2, 0, sizeof(t->slices) / 2);
	t->n = (t->n + 1) / 2;
	t->width_ns *= 2;
}

struct time_slice *timeline_at(struct timeline *t, uint64_t t_ns)
{
	uint64_t i;

	if (!t->width_ns) {
		t->start_ns = t_ns;
		t->width_ns = FIRST_WIDTH_NS;
	}
	if (t_ns < t->start_ns)
		t_ns = t->start_ns;
	while ((i = (t_ns - t->start_ns) / t->width_ns) >= SLICES_MAX)
		join_pairs(t);
	if (t->n <= i)
		t->n = (unsigned int)i + 1;
	return &t->slices[i];
}

int timeline_store(const struct timeline *t, struct replay_result *r)
{
	if (!t->n)
		return 0;
	r->slices = malloc(t->n * sizeof(*r->slices));
	if (!r->slices)
		return -ENOMEM;
	memcpy(r->slices, t->slices, t->n * sizeof(*r->slices));
	for (unsigned int i = 0; i < t->n; i++)
		r->slices[i].t_ns = t->start_ns + i * t->width_ns;
	r->nslices = t->n;
	return 0;
}

void series_add(struct swapoff_series *s, uint64_t t_ns)
{
	uint64_t i;

	if (t_ns < s->start_ns)
		t_ns = s->start_ns;
	while ((i = (t_ns - s->start_ns) / s->width_ns) >= SLICES_MAX) {
		for (unsigned int k = 0; k < SLICES_MAX / 2; k++)
			s->pages[k] = s->pages[2 * k] + s->pages[2 * k + 1];
		memset(s->pages + SLICES_MAX / 2, 0, sizeof(s->pages) / 2);
		s->n = (s->n + 1) / 2;
		s->width_ns *= 2;
	}
	if (s->n <= i)
		s->n = (unsigned int)i + 1;
	s->pages[i]++;
}

static bool phase_is_empty(const struct phase_result *p)
{
	return !p->cluster_windows.n && !p->vma_windows.n;
}

int phase_begin(struct replay_result *r, uint64_t t_ns, int page_cluster, int vma_ra)
{
	struct phase_result *p = r->nphases ? &r->phases[r->nphases - 1] : NULL;

	if (p && p->page_cluster == page_cluster && p->vma_ra == vma_ra)
		return 0;
	if (!p || !phase_is_empty(p)) {
		if (r->nphases == PHASES_MAX)
			return 0;
		p = realloc(r->phases, (r->nphases + 1) * sizeof(*p));
		if (!p)
			return -ENOMEM;
		r->phases = p;
		p += r->nphases++;
	}
	memset(p, 0, sizeof(*p));
	p->t_ns = t_ns;
	p->page_cluster = page_cluster;
	p->vma_ra = vma_ra;
	return 0;
}

void phases_finish(struct replay_result *r)
{
	if (r->nphases && phase_is_empty(&r->phases[r->nphases - 1]))
		r->nphases--;
}

bool phases_differ(const struct replay_result *r)
{
	for (unsigned int i = 1; i < r->nphases; i++)
		if (r->phases[i].page_cluster != r->phases[0].page_cluster ||
		    r->phases[i].vma_ra != r->phases[0].vma_ra)
			return true;
	return false;
}

static bool is_running(const struct swapoff_result *o)
{
	return !o->complete && !o->killed;
}

static struct swapoff_result *swapoff_new(struct trace_summary *s, int type, uint64_t t_ns)
{
	struct replay_result *r = &s->result;
	struct swapoff_result *o = realloc(r->swapoffs, (r->nswapoffs + 1) * sizeof(*o));
	struct swapoff_series *series;

	if (!o)
		return NULL;
	r->swapoffs = o;
	series = realloc(s->series, (r->nswapoffs + 1) * sizeof(*series));
	if (!series)
		return NULL;
	s->series = series;
	o += r->nswapoffs;
	series += r->nswapoffs++;
	memset(o, 0, sizeof(*o));
	memset(series, 0, sizeof(*series));
	o->type = type;
	o->begin_ns = o->last_progress_ns = series->start_ns = t_ns;
	series->width_ns = FIRST_WIDTH_NS;
	return o;
}

/* The running swapoff of a device; one whose device is not known yet may be it. */
static struct swapoff_result *find_running(struct trace_summary *s, int type)
{
	struct swapoff_result *unknown = NULL;

	for (unsigned int i = 0; i < s->result.nswapoffs; i++) {
		struct swapoff_result *o = &s->result.swapoffs[i];

		if (!is_running(o))
			continue;
		if (type < 0 || o->type == type)
			return o;
		if (o->type < 0 && !unknown)
			unknown = o;
	}
	return unknown;
}

static int known_type(const struct event *ev, unsigned int key)
{
	return event_has(ev, key) && ev->v[key] < 0x7fffffff ? (int)ev->v[key] : -1;
}

int swapoff_event(struct trace_summary *s, const struct event *ev)
{
	int type = known_type(ev, SWAPOFF_TYPE);
	struct swapoff_result *o;

	if (!event_has(ev, SWAPOFF_OP))
		return 0;
	if (ev->v[SWAPOFF_OP] == SWAPOFF_BEGIN) {
		s->swapoffs_seen++;
		if (s->result.nswapoffs == SWAPOFFS_MAX)
			return 0;
		return swapoff_new(s, type, ev->t_ns) ? 0 : -ENOMEM;
	}
	o = find_running(s, type);
	if (!o)
		return 0;
	if (type >= 0)
		o->type = type;
	o->end_ns = ev->t_ns;
	/* Without ret= the end alone was seen; a swapoff that ends normally is the usual case. */
	o->ret = (int64_t)event_get(ev, SWAPOFF_RET, 0);
	o->complete = !o->ret;
	o->killed = !!o->ret;
	return 0;
}

int swapoff_lookup(struct trace_summary *s, const struct event *ev)
{
	int type = known_type(ev, LOOKUP_TYPE);
	bool shmem = ev->v[LOOKUP_CAUSE] == LOOKUP_SHMEM;
	struct swapoff_result *o = find_running(s, type);

	if (!o) {
		/* A shmem page may be faulted in at any time; only swapoff's own needs prove one.
		 */
		if (shmem || s->result.nswapoffs == SWAPOFFS_MAX)
			return 0;
		s->swapoffs_seen++;
		o = swapoff_new(s, type, ev->t_ns);
		if (!o)
			return -ENOMEM;
	}
	if (o->type < 0)
		o->type = type;
	o->pages++;
	o->shmem_pages += shmem;
	o->last_progress_ns = ev->t_ns;
	series_add(&s->series[o - s->result.swapoffs], ev->t_ns);
	return 0;
}

void swapoff_alloc(struct trace_summary *s, uint64_t type, uint64_t n)
{
	for (unsigned int i = 0; i < s->result.nswapoffs; i++) {
		struct swapoff_result *o = &s->result.swapoffs[i];

		if (is_running(o) && o->type >= 0 && (uint64_t)o->type != type)
			o->alloc_elsewhere += n;
	}
}
