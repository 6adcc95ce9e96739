// SPDX-License-Identifier: GPL-2.0
#include "analyze/result_json.h"
#include "render/json_document.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/alloc_json.h"
#include "analyze/distribution.h"
#include "render/format.h"
#include "replay/engine.h"

#define FIELD(member)                                                                              \
	{                                                                                          \
#member, offsetof(struct readahead_result, member)                                 \
	}

const struct count_field readahead_counts[] = {
	FIELD(calls),	      FIELD(batches),	    FIELD(pages_read), FIELD(ra_pages),
	FIELD(hits),	      FIELD(writeout_hits), FIELD(unused),     FIELD(drains),
	FIELD(lookups),	      FIELD(cache_hits),    FIELD(bypassed),   FIELD(unknown_neighbours),
	FIELD(assumed_slots), FIELD(read_alone),    FIELD(spared),     { NULL, 0 },
};

#define LRU_FIELD(member)                                                                          \
	{                                                                                          \
#member, offsetof(struct lru_result, member)                                       \
	}

const struct count_field lru_counts[] = {
	LRU_FIELD(drains),     LRU_FIELD(drains_empty), LRU_FIELD(drains_saved),
	LRU_FIELD(suppressed), LRU_FIELD(moved),	LRU_FIELD(releases),
	LRU_FIELD(flushes),    LRU_FIELD(flushed),	LRU_FIELD(added),
	{ NULL, 0 },
};

uint64_t readahead_count(const struct readahead_result *ra, const struct count_field *c)
{
	uint64_t v;

	memcpy(&v, (const char *)ra + c->offset, sizeof(v));
	return v;
}

/* A document being written; the first failure is kept and makes the rest do nothing. */
struct writing {
	int failed;
};

static void put(struct writing *w, json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, value) && !w->failed)
		w->failed = -ENOMEM;
}

static json_t *count_json(struct writing *w, uint64_t n)
{
	if (n == COUNT_UNKNOWN)
		return json_null();
	if (n > INT64_MAX && !w->failed)
		w->failed = -ERANGE;
	return json_integer((json_int_t)n);
}

static void put_count(struct writing *w, json_t *o, const char *key, uint64_t n)
{
	put(w, o, key, count_json(w, n));
}

/* -1 stands for unknown in small signed fields. */
static void put_setting(struct writing *w, json_t *o, const char *key, int v)
{
	put(w, o, key, v < 0 ? json_null() : json_integer(v));
}

static void put_real(struct writing *w, json_t *o, const char *key, double v)
{
	put(w, o, key, isfinite(v) ? json_real(v) : json_null());
}

static json_t *text_json(const char *s)
{
	char clean[4 * 512 + 1];

	escape_text(s, strnlen(s, 512), clean, sizeof(clean));
	return json_string(clean);
}

static void put_text(struct writing *w, json_t *o, const char *key, const char *s)
{
	put(w, o, key, s ? text_json(s) : json_null());
}

static void append(struct writing *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) && !w->failed)
		w->failed = -ENOMEM;
}

static json_t *histogram_json(struct writing *w, const struct histogram *h)
{
	json_t *o = json_object();
	char pages[24];

	for (unsigned int i = 0; i < h->n; i++) {
		snprintf(pages, sizeof(pages), "%" PRIu64, h->bins[i].pages);
		put_count(w, o, pages, h->bins[i].count);
	}
	return o;
}

static json_t *readahead_json(struct writing *w, const struct readahead_result *ra)
{
	bool windows = ra->known && ra->calls != COUNT_UNKNOWN;
	json_t *o = json_object();
	double mean = distribution_of(&ra->windows).mean;

	for (const struct count_field *c = readahead_counts; c->name; c++) {
		uint64_t v = readahead_count(ra, c);

		/* A replay that had nothing to work with leaves zeros, which are no counts. */
		put_count(w, o, c->name, ra->known || v ? v : COUNT_UNKNOWN);
		if (c->offset != offsetof(struct readahead_result, calls))
			continue;
		put(w, o, "windows", windows ? histogram_json(w, &ra->windows) : json_null());
		put(w, o, "cluster_windows",
		    windows ? histogram_json(w, &ra->cluster_windows) : json_null());
		put(w, o, "vma_windows",
		    windows ? histogram_json(w, &ra->vma_windows) : json_null());
		put_real(w, o, "mean_window", windows ? mean : NAN);
	}
	put_real(w, o, "hit_percent", ra->known ? percent_of(ra->hits, ra->ra_pages) : NAN);
	return o;
}

static json_t *lru_sites_json(struct writing *w, const struct lru_result *r, bool moved)
{
	json_t *o = json_object();
	char name[4 * LRU_SITE_NAME + 1];

	for (unsigned int i = 0; i < r->nsites; i++) {
		const struct lru_site *s = &r->sites[i];

		escape_text(s->name, strlen(s->name), name, sizeof(name));
		put_count(w, o, name, moved ? s->moved : s->drains);
	}
	return o;
}

static json_t *lru_cost_json(struct writing *w, const struct lru_result *r)
{
	json_t *o;

	if (!r->cost_known)
		return json_null();
	o = json_object();
	put_real(w, o, "page_ns", r->page_ns);
	put_real(w, o, "seconds", r->cost_seconds);
	return o;
}

/* LRU_UNKNOWN and COUNT_UNKNOWN are the same number. */
static json_t *lru_json(struct writing *w, const struct lru_result *r)
{
	json_t *o;

	if (!r->known)
		return json_null();
	o = json_object();
	for (const struct count_field *c = lru_counts; c->name; c++) {
		uint64_t v;

		memcpy(&v, (const char *)r + c->offset, sizeof(v));
		put_count(w, o, c->name, v);
	}
	put(w, o, "sites", lru_sites_json(w, r, false));
	put(w, o, "moved_by_site", lru_sites_json(w, r, true));
	put_count(w, o, "batch_size", r->batch_size);
	put_text(w, o, "drain", r->drains_always ? "always" : "once");
	put_text(w, o, "lruadd", lruadd_name(r->lruadd));
	put(w, o, "cost", lru_cost_json(w, r));
	return o;
}

static void put_lru_checked(struct writing *w, json_t *o, const struct lru_checked *c)
{
	put_count(w, o, "releases_checked", c->releases_checked);
	put_count(w, o, "releases_agreed", c->releases_agreed);
	put_count(w, o, "drains_checked", c->drains_checked);
	put_count(w, o, "drains_agreed", c->drains_agreed);
	put_count(w, o, "flushes_checked", c->flushes_checked);
	put_count(w, o, "flushes_agreed", c->flushes_agreed);
	put_count(w, o, "lru_unchecked", c->unchecked);
	put_count(w, o, "lru_in_step_ns", c->in_step ? c->in_step_ns : COUNT_UNKNOWN);
}

static json_t *divergence_json(struct writing *w, const struct divergence *d)
{
	json_t *o = json_object();

	put_count(w, o, "t_ns", d->t_ns);
	put_text(w, o, "event", d->event);
	put_text(w, o, "recorded", d->recorded);
	put_text(w, o, "predicted", d->predicted);
	put_text(w, o, "why", d->why);
	return o;
}

static json_t *verify_json(struct writing *w, const struct verify_result *v)
{
	json_t *o = json_object(), *first = json_array();

	put_count(w, o, "checked", v->checked);
	put_count(w, o, "agreed", v->agreed);
	put_count(w, o, "windows_checked", v->windows_checked);
	put_count(w, o, "windows_agreed", v->windows_agreed);
	put_count(w, o, "derived_checked", v->derived_checked);
	put_count(w, o, "derived_agreed", v->derived_agreed);
	put_count(w, o, "lookups_checked", v->lookups_checked);
	put_count(w, o, "lookups_agreed", v->lookups_agreed);
	put_count(w, o, "reads_checked", v->reads_checked);
	put_count(w, o, "reads_agreed", v->reads_agreed);
	put_count(w, o, "reads_unknown", v->reads_unknown);
	put_count(w, o, "allocs_checked", v->allocs_checked);
	put_count(w, o, "allocs_agreed", v->allocs_agreed);
	put_count(w, o, "allocs_settling", v->allocs_settling);
	put_count(w, o, "alloc_in_step", v->alloc_in_step ? v->alloc_in_step : COUNT_UNKNOWN);
	put_count(w, o, "alloc_in_step_ns", v->alloc_in_step ? v->alloc_in_step_ns : COUNT_UNKNOWN);
	put_text(w, o, "alloc_unknown", v->alloc_unknown[0] ? v->alloc_unknown : NULL);
	put_lru_checked(w, o, &v->lru);
	put_count(w, o, "explained", v->explained);
	put_text(w, o, "missing", v->missing[0] ? v->missing : NULL);
	for (unsigned int i = 0; i < v->nfirst && i < DIVERGENCES_KEPT; i++)
		append(w, first, divergence_json(w, &v->first[i]));
	put(w, o, "first_divergences", first);
	return o;
}

static json_t *phases_json(struct writing *w, const struct replay_result *r)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < r->nphases; i++) {
		json_t *o = json_object();

		put_count(w, o, "t_ns", r->phases[i].t_ns);
		put_setting(w, o, "page_cluster", r->phases[i].page_cluster);
		put_setting(w, o, "vma_ra", r->phases[i].vma_ra);
		put(w, o, "cluster_windows", histogram_json(w, &r->phases[i].cluster_windows));
		put(w, o, "vma_windows", histogram_json(w, &r->phases[i].vma_windows));
		append(w, a, o);
	}
	return a;
}

static json_t *swapoffs_json(struct writing *w, const struct replay_result *r)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < r->nswapoffs; i++) {
		const struct swapoff_result *s = &r->swapoffs[i];
		bool ended = s->complete || s->killed;
		json_t *o = json_object();

		put_setting(w, o, "type", s->type);
		put_count(w, o, "begin_ns", s->begin_ns);
		put_count(w, o, "end_ns", ended ? s->end_ns : COUNT_UNKNOWN);
		put_count(w, o, "last_progress_ns", s->last_progress_ns);
		put(w, o, "complete", json_boolean(s->complete));
		put(w, o, "ret", ended ? json_integer(s->ret) : json_null());
		put_count(w, o, "pages", s->pages);
		put_count(w, o, "shmem_pages", s->shmem_pages);
		put_count(w, o, "alloc_elsewhere", s->alloc_elsewhere);
		append(w, a, o);
	}
	return a;
}

static json_t *slices_json(struct writing *w, const struct replay_result *r)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < r->nslices; i++) {
		const struct time_slice *s = &r->slices[i];
		json_t *o = json_object();

		put_count(w, o, "t_ns", s->t_ns);
		put_count(w, o, "calls", s->calls);
		put_count(w, o, "window_pages", s->window_pages);
		put_count(w, o, "lookups", s->lookups);
		put_count(w, o, "cache_hits", s->cache_hits);
		put_count(w, o, "pages_read", s->pages_read);
		put_count(w, o, "ra_pages", s->ra_pages);
		put_count(w, o, "hits", s->hits);
		append(w, a, o);
	}
	return a;
}

static json_t *estimate_json(struct writing *w, const struct estimate_result *e)
{
	json_t *o;

	if (!e->known)
		return json_null();
	o = json_object();
	put_real(w, o, "seconds", e->seconds);
	put_text(w, o, "assumptions", e->assumptions);
	return o;
}

static json_t *devices_json(struct writing *w, const struct trace_facts *f)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < f->ndevices; i++) {
		const struct trace_device *d = &f->devices[i];
		json_t *o = json_object();

		put_count(w, o, "type", d->type);
		put_count(w, o, "pages", d->have_pages ? d->pages : COUNT_UNKNOWN);
		put(w, o, "prio", d->have_prio ? json_integer(d->prio) : json_null());
		put_count(w, o, "flags", d->have_flags ? d->flags : COUNT_UNKNOWN);
		put_text(w, o, "name", d->name[0] ? d->name : NULL);
		append(w, a, o);
	}
	return a;
}

static json_t *facts_json(struct writing *w, const struct trace_facts *f)
{
	json_t *o;

	if (!f)
		return json_null();
	o = json_object();
	put_text(w, o, "name", f->name);
	put_text(w, o, "release", f->release[0] ? f->release : NULL);
	put_text(w, o, "arch", f->arch[0] ? f->arch : NULL);
	put_count(w, o, "page_size", f->page_size);
	put_count(w, o, "page_cluster", f->page_cluster);
	put_count(w, o, "vma_ra", f->vma_ra);
	put_count(w, o, "thp_swap", f->thp_swap);
	put_count(w, o, "cluster_slots", f->cluster_slots);
	put_count(w, o, "cpus", f->cpus);
	put_count(w, o, "events", f->events);
	put_count(w, o, "lost", f->lost);
	put_count(w, o, "damaged_blocks", f->damaged_blocks);
	put_count(w, o, "damaged_events", f->damaged_events);
	put(w, o, "truncated", json_boolean(f->truncated));
	put(w, o, "recovered", json_boolean(f->recovered));
	put(w, o, "devices", devices_json(w, f));
	return o;
}

static json_t *notes_json(struct writing *w, const struct replay_result *r)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < r->nnotes; i++)
		append(w, a, text_json(r->notes[i]));
	return a;
}

static json_t *processes_json(struct writing *w, const struct trace_summary *s)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < s->nprocesses; i++) {
		json_t *o = json_object();

		put_text(w, o, "comm", s->processes[i].comm);
		put_count(w, o, "lookups", s->processes[i].lookups);
		append(w, a, o);
	}
	return a;
}

static json_t *device_use_json(struct writing *w, const struct device_use_result *u)
{
	json_t *o, *a;

	if (!u->known)
		return json_null();
	o = json_object();
	a = json_array();
	for (unsigned int i = 0; i < u->n; i++) {
		const struct device_use *d = &u->device[i];
		json_t *e = json_object();

		put_count(w, e, "type", d->type);
		put_count(w, e, "slots", d->slots);
		put_count(w, e, "used", d->used);
		put_count(w, e, "peak", d->peak);
		put_count(w, e, "given", d->given);
		put_count(w, e, "swapins", d->swapins);
		put_count(w, e, "aged", d->aged);
		put_count(w, e, "age_ms", d->age_ms);
		append(w, a, e);
	}
	put(w, o, "devices", a);
	put_count(w, o, "swapins", u->tiers ? u->swapins : COUNT_UNKNOWN);
	put_count(w, o, "slower", u->tiers ? u->slower : COUNT_UNKNOWN);
	put_count(w, o, "swapins_full", u->tiers ? u->swapins_full : COUNT_UNKNOWN);
	put_count(w, o, "slower_full", u->tiers ? u->slower_full : COUNT_UNKNOWN);
	put_count(w, o, "full_from_ns", u->full_from_ns);
	return o;
}

static json_t *item_json(struct writing *w, const struct result_item *item, bool with_facts)
{
	const struct replay_result *r = item->result;
	json_t *o = json_object();

	put_text(w, o, "name", item->name ? item->name : r->policy);
	put_text(w, o, "source", item->source ? item->source : "replay");
	put_text(w, o, "policy", r->policy);
	put_text(w, o, "model", r->model[0] ? r->model : NULL);
	put(w, o, "what_if", json_boolean(r->what_if));
	put_text(w, o, "start_state", start_state_name(r->start_state));
	put_count(w, o, "from_ns", r->from_ns ? r->from_ns : COUNT_UNKNOWN);
	put_count(w, o, "lost", r->lost);
	put_real(w, o, "seconds", item->seconds);
	if (with_facts)
		put(w, o, "trace", facts_json(w, item->facts));
	put(w, o, "readahead", readahead_json(w, &r->readahead));
	put(w, o, "alloc", alloc_json(&r->alloc, &w->failed));
	put(w, o, "lru", lru_json(w, &r->lru));
	if (r->verify.done)
		put(w, o, "verify", verify_json(w, &r->verify));
	put(w, o, "estimate", estimate_json(w, &r->estimate));
	put(w, o, "phases", phases_json(w, r));
	put(w, o, "swapoffs", swapoffs_json(w, r));
	put(w, o, "slices", slices_json(w, r));
	put(w, o, "notes", notes_json(w, r));
	if (item->summary) {
		put(w, o, "processes", processes_json(w, item->summary));
		put(w, o, "device_use", device_use_json(w, &item->summary->devices));
	}
	return o;
}

static json_t *document_json(struct writing *w, const struct result_item *items, unsigned int n)
{
	json_t *o = json_object(), *head = json_object(), *results = json_array();
	bool same = n > 0;

	for (unsigned int i = 1; i < n; i++)
		same &= items[i].facts == items[0].facts;
	put(w, head, "schema", json_integer(RESULTS_SCHEMA));
	put_text(w, head, "version", SWAPTRACE_VERSION);
	put_text(w, head, "kind", "results");
	put(w, o, "swaptrace", head);
	put(w, o, "trace", same ? facts_json(w, items[0].facts) : json_null());
	for (unsigned int i = 0; i < n; i++)
		append(w, results, item_json(w, &items[i], !same));
	put(w, o, "results", results);
	return o;
}

int results_write_items(FILE *f, const struct result_item *items, unsigned int n, struct error *e)
{
	struct writing w = { 0 };
	json_t *o = document_json(&w, items, n);

	return json_document_write(o, w.failed, "results", f, e);
}

int results_write_more(FILE *f, const struct result_item *items, unsigned int n, const char *key,
		       json_t *value, struct error *e)
{
	struct writing w = { 0 };
	json_t *o = document_json(&w, items, n);

	put(&w, o, key, value);
	return json_document_write(o, w.failed, "results", f, e);
}

int results_write(FILE *f, const struct trace_facts *facts, const struct replay_result *results,
		  unsigned int n, struct error *e)
{
	struct result_item *items = calloc(n + 1, sizeof(*items));
	int ret;

	if (!items)
		return error_set(e, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < n; i++) {
		items[i].result = &results[i];
		items[i].facts = facts;
		items[i].seconds = NAN;
	}
	ret = results_write_items(f, items, n, e);
	free(items);
	return ret;
}
