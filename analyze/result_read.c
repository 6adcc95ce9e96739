// SPDX-License-Identifier: GPL-2.0
#include "analyze/result_json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/alloc_json.h"
#include "render/format.h"
#include "replay/engine.h"

/* A document being read: what is wrong names the file and the key. */
struct input {
	const char *path;
	struct error *e;
	int failed; /* the first failure; the rest of the reading does nothing */
};

static void wrong(struct input *in, const char *key, const char *expected)
{
	if (!in->failed)
		in->failed =
			error_set(in->e, -EBADMSG, "%s: \"%s\" is not %s; is the file damaged?",
				  in->path, key, expected);
}

static void out_of_memory(struct input *in)
{
	if (!in->failed)
		in->failed = error_set(in->e, -ENOMEM, "%s: out of memory", in->path);
}

static json_t *member(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_null(v) ? NULL : v;
}

static uint64_t count_value_of(struct input *in, const char *key, const json_t *v)
{
	if (!v)
		return COUNT_UNKNOWN;
	if (!json_is_integer(v) || json_integer_value(v) < 0) {
		wrong(in, key, "a count");
		return COUNT_UNKNOWN;
	}
	return (uint64_t)json_integer_value(v);
}

static uint64_t get_count(struct input *in, const json_t *o, const char *key)
{
	return count_value_of(in, key, member(o, key));
}

/* Counts that are 0 rather than unknown when a document does not give them. */
static uint64_t get_count_or_0(struct input *in, const json_t *o, const char *key)
{
	uint64_t v = get_count(in, o, key);

	return v == COUNT_UNKNOWN ? 0 : v;
}

static int64_t get_signed(struct input *in, const json_t *o, const char *key, int64_t low,
			  int64_t high, int64_t otherwise)
{
	const json_t *v = member(o, key);

	if (!v)
		return otherwise;
	if (!json_is_integer(v) || json_integer_value(v) < low || json_integer_value(v) > high) {
		wrong(in, key, "a number in its range");
		return otherwise;
	}
	return json_integer_value(v);
}

static double get_real(struct input *in, const json_t *o, const char *key)
{
	const json_t *v = member(o, key);

	if (v && !json_is_number(v))
		wrong(in, key, "a number");
	return v && json_is_number(v) ? json_number_value(v) : NAN;
}

static bool get_bool(struct input *in, const json_t *o, const char *key)
{
	const json_t *v = member(o, key);

	if (v && !json_is_boolean(v))
		wrong(in, key, "true or false");
	return json_is_true(v);
}

/* A file need not be ours, so its strings are as foreign as any other. */
static void get_text(struct input *in, const json_t *o, const char *key, char *out, size_t size)
{
	const json_t *v = member(o, key);

	out[0] = '\0';
	if (v && !json_is_string(v))
		wrong(in, key, "a string");
	else if (v)
		escape_text(json_string_value(v), json_string_length(v), out, size);
}

static const json_t *get_object(struct input *in, const json_t *o, const char *key)
{
	const json_t *v = member(o, key);

	if (v && !json_is_object(v))
		wrong(in, key, "an object");
	return json_is_object(v) ? v : NULL;
}

static const json_t *get_array(struct input *in, const json_t *o, const char *key)
{
	const json_t *v = member(o, key);

	if (v && !json_is_array(v))
		wrong(in, key, "an array");
	return json_is_array(v) ? v : NULL;
}

static void get_histogram(struct input *in, const json_t *o, const char *key, struct histogram *h)
{
	const json_t *windows = get_object(in, o, key);
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)windows, name, v)
	{
		uint64_t pages, count;
		char *end;

		errno = 0;
		pages = strtoull(name, &end, 10);
		count = count_value_of(in, key, v);
		if (errno || *end || *name < '0' || *name > '9' || count == COUNT_UNKNOWN)
			wrong(in, key, "a histogram of counts by window size");
		if (in->failed)
			return;
		if (histogram_add(h, pages, count))
			out_of_memory(in);
	}
}

static void get_readahead(struct input *in, const json_t *o, struct readahead_result *ra)
{
	for (const struct count_field *c = readahead_counts; c->name; c++) {
		uint64_t v = get_count(in, o, c->name);

		memcpy((char *)ra + c->offset, &v, sizeof(v));
	}
	get_histogram(in, o, "windows", &ra->windows);
	get_histogram(in, o, "cluster_windows", &ra->cluster_windows);
	get_histogram(in, o, "vma_windows", &ra->vma_windows);
	ra->known = ra->calls != COUNT_UNKNOWN;
}

static void get_sites(struct input *in, const json_t *o, struct lru_result *r)
{
	const json_t *sites = get_object(in, o, "sites");
	const json_t *moved = get_object(in, o, "moved_by_site");
	const char *name;
	json_t *v;

	r->sites = calloc(json_object_size(sites) + 1, sizeof(*r->sites));
	if (!r->sites) {
		out_of_memory(in);
		return;
	}
	json_object_foreach((json_t *)sites, name, v)
	{
		struct lru_site *s = &r->sites[r->nsites++];

		escape_text(name, strlen(name), s->name, sizeof(s->name));
		s->drains = count_value_of(in, "sites", v);
		s->moved = get_count(in, moved, name);
	}
}

static enum lruadd get_lruadd(struct input *in, const json_t *o)
{
	char name[16];

	get_text(in, o, "lruadd", name, sizeof(name));
	for (int i = LRUADD_OUTLINE_MB; i <= LRUADD_NO_BARRIER; i++)
		if (!strcmp(name, lruadd_name((enum lruadd)i)))
			return (enum lruadd)i;
	return LRUADD_RECORDED;
}

static void get_lru(struct input *in, const json_t *o, struct lru_result *r)
{
	const json_t *cost;
	char drain[8];

	if (!o)
		return;
	r->known = true;
	for (const struct count_field *c = lru_counts; c->name; c++) {
		uint64_t v = get_count(in, o, c->name);

		memcpy((char *)r + c->offset, &v, sizeof(v));
	}
	get_sites(in, o, r);
	r->batch_size = (unsigned int)get_signed(in, o, "batch_size", 0, PV_CAPACITY_MAX, 0);
	get_text(in, o, "drain", drain, sizeof(drain));
	r->drains_always = !strcmp(drain, "always");
	r->lruadd = get_lruadd(in, o);
	cost = get_object(in, o, "cost");
	r->cost_known = cost != NULL;
	r->page_ns = get_real(in, cost, "page_ns");
	r->cost_seconds = get_real(in, cost, "seconds");
}

static void get_lru_checked(struct input *in, const json_t *o, struct lru_checked *c)
{
	uint64_t since = get_count(in, o, "lru_in_step_ns");

	c->releases_checked = get_count_or_0(in, o, "releases_checked");
	c->releases_agreed = get_count_or_0(in, o, "releases_agreed");
	c->drains_checked = get_count_or_0(in, o, "drains_checked");
	c->drains_agreed = get_count_or_0(in, o, "drains_agreed");
	c->flushes_checked = get_count_or_0(in, o, "flushes_checked");
	c->flushes_agreed = get_count_or_0(in, o, "flushes_agreed");
	c->unchecked = get_count_or_0(in, o, "lru_unchecked");
	c->in_step = since != COUNT_UNKNOWN;
	c->in_step_ns = c->in_step ? since : 0;
}

static void get_alloc(struct input *in, const json_t *o, struct alloc_result *r)
{
	const char *key;
	int ret = alloc_from_json(o, r, &key);

	if (ret == -ENOMEM)
		out_of_memory(in);
	else if (ret)
		wrong(in, key, "what it should be below \"alloc\"");
}

static void get_divergences(struct input *in, const json_t *o, struct verify_result *v)
{
	static const char *const events[] = { "RA",    "LOOKUP", "READ",  "RELEASE",
					      "DRAIN", "FLUSH",	 "ALLOC", "ALLOCFAIL" };
	const json_t *a = get_array(in, o, "first_divergences");
	size_t i;
	json_t *d;

	json_array_foreach(a, i, d)
	{
		struct divergence *to = &v->first[i];
		char event[16];

		if (i == DIVERGENCES_KEPT)
			break;
		to->t_ns = get_count_or_0(in, d, "t_ns");
		get_text(in, d, "event", event, sizeof(event));
		to->event = "other";
		for (size_t k = 0; k < sizeof(events) / sizeof(events[0]); k++)
			if (!strcmp(event, events[k]))
				to->event = events[k];
		get_text(in, d, "recorded", to->recorded, sizeof(to->recorded));
		get_text(in, d, "predicted", to->predicted, sizeof(to->predicted));
		get_text(in, d, "why", to->why, sizeof(to->why));
		v->nfirst = (unsigned int)i + 1;
	}
}

static void get_verify(struct input *in, const json_t *o, struct verify_result *v)
{
	if (!o)
		return;
	v->done = true;
	v->checked = get_count_or_0(in, o, "checked");
	v->agreed = get_count_or_0(in, o, "agreed");
	v->windows_checked = get_count_or_0(in, o, "windows_checked");
	v->windows_agreed = get_count_or_0(in, o, "windows_agreed");
	v->derived_checked = get_count_or_0(in, o, "derived_checked");
	v->derived_agreed = get_count_or_0(in, o, "derived_agreed");
	v->lookups_checked = get_count_or_0(in, o, "lookups_checked");
	v->lookups_agreed = get_count_or_0(in, o, "lookups_agreed");
	v->reads_checked = get_count_or_0(in, o, "reads_checked");
	v->reads_agreed = get_count_or_0(in, o, "reads_agreed");
	v->reads_unknown = get_count_or_0(in, o, "reads_unknown");
	v->allocs_checked = get_count_or_0(in, o, "allocs_checked");
	v->allocs_agreed = get_count_or_0(in, o, "allocs_agreed");
	v->allocs_settling = get_count_or_0(in, o, "allocs_settling");
	v->alloc_in_step = get_count_or_0(in, o, "alloc_in_step");
	v->alloc_in_step_ns = get_count_or_0(in, o, "alloc_in_step_ns");
	get_text(in, o, "alloc_unknown", v->alloc_unknown, sizeof(v->alloc_unknown));
	get_lru_checked(in, o, &v->lru);
	v->explained = get_count_or_0(in, o, "explained");
	get_text(in, o, "missing", v->missing, sizeof(v->missing));
	get_divergences(in, o, v);
}

/* Room for as many entries as the array has; the array itself bounds it. */
static void *room_for(struct input *in, const json_t *a, size_t size)
{
	void *p = json_array_size(a) ? calloc(json_array_size(a), size) : NULL;

	if (!p && json_array_size(a))
		out_of_memory(in);
	return p;
}

static void get_phases(struct input *in, const json_t *o, struct replay_result *r)
{
	const json_t *a = get_array(in, o, "phases");
	size_t i;
	json_t *p;

	r->phases = room_for(in, a, sizeof(*r->phases));
	json_array_foreach(a, i, p)
	{
		struct phase_result *to;

		if (in->failed)
			return;
		to = &r->phases[r->nphases++];
		to->t_ns = get_count_or_0(in, p, "t_ns");
		to->page_cluster = (int)get_signed(in, p, "page_cluster", 0, 63, -1);
		to->vma_ra = (int)get_signed(in, p, "vma_ra", 0, 1, -1);
		get_histogram(in, p, "cluster_windows", &to->cluster_windows);
		get_histogram(in, p, "vma_windows", &to->vma_windows);
	}
}

static void get_swapoffs(struct input *in, const json_t *o, struct replay_result *r)
{
	const json_t *a = get_array(in, o, "swapoffs");
	size_t i;
	json_t *p;

	r->swapoffs = room_for(in, a, sizeof(*r->swapoffs));
	json_array_foreach(a, i, p)
	{
		struct swapoff_result *to;

		if (in->failed)
			return;
		to = &r->swapoffs[r->nswapoffs++];
		to->type = (int)get_signed(in, p, "type", 0, INT32_MAX, -1);
		to->begin_ns = get_count_or_0(in, p, "begin_ns");
		to->end_ns = get_count_or_0(in, p, "end_ns");
		to->last_progress_ns = get_count_or_0(in, p, "last_progress_ns");
		to->complete = get_bool(in, p, "complete");
		to->ret = get_signed(in, p, "ret", INT64_MIN, INT64_MAX, 0);
		to->killed = to->ret != 0;
		to->pages = get_count_or_0(in, p, "pages");
		to->shmem_pages = get_count_or_0(in, p, "shmem_pages");
		to->alloc_elsewhere = get_count_or_0(in, p, "alloc_elsewhere");
	}
}

static void get_slices(struct input *in, const json_t *o, struct replay_result *r)
{
	const json_t *a = get_array(in, o, "slices");
	size_t i;
	json_t *p;

	r->slices = room_for(in, a, sizeof(*r->slices));
	json_array_foreach(a, i, p)
	{
		struct time_slice *to;

		if (in->failed)
			return;
		to = &r->slices[r->nslices++];
		to->t_ns = get_count_or_0(in, p, "t_ns");
		to->calls = get_count_or_0(in, p, "calls");
		to->window_pages = get_count_or_0(in, p, "window_pages");
		to->lookups = get_count_or_0(in, p, "lookups");
		to->cache_hits = get_count_or_0(in, p, "cache_hits");
		to->pages_read = get_count_or_0(in, p, "pages_read");
		to->ra_pages = get_count_or_0(in, p, "ra_pages");
		to->hits = get_count_or_0(in, p, "hits");
	}
}

static void get_notes(struct input *in, const json_t *o, struct replay_result *r)
{
	const json_t *a = get_array(in, o, "notes");
	char text[200];
	size_t i;
	json_t *p;

	json_array_foreach(a, i, p)
	{
		if (!json_is_string(p)) {
			wrong(in, "notes", "an array of strings");
			return;
		}
		escape_text(json_string_value(p), json_string_length(p), text, sizeof(text));
		replay_result_note(r, "%s", text);
	}
}

static void get_device(struct input *in, const json_t *o, struct trace_device *d)
{
	uint64_t pages = get_count(in, o, "pages"), flags = get_count(in, o, "flags");
	int64_t prio = get_signed(in, o, "prio", INT32_MIN, INT32_MAX, INT64_MAX);

	d->type = (uint32_t)get_signed(in, o, "type", 0, INT32_MAX, 0);
	d->have_pages = pages != COUNT_UNKNOWN;
	d->pages = d->have_pages ? pages : 0;
	d->have_flags = flags <= UINT32_MAX;
	d->flags = d->have_flags ? (uint32_t)flags : 0;
	d->have_prio = prio != INT64_MAX;
	d->prio = d->have_prio ? (int32_t)prio : 0;
	get_text(in, o, "name", d->name, sizeof(d->name));
}

static void get_facts(struct input *in, const json_t *o, struct trace_facts *f)
{
	const json_t *devices = get_array(in, o, "devices");
	size_t i;
	json_t *d;

	get_text(in, o, "name", f->name, sizeof(f->name));
	get_text(in, o, "release", f->release, sizeof(f->release));
	get_text(in, o, "arch", f->arch, sizeof(f->arch));
	f->page_size = get_count(in, o, "page_size");
	f->page_cluster = get_count(in, o, "page_cluster");
	f->vma_ra = get_count(in, o, "vma_ra");
	f->thp_swap = get_count(in, o, "thp_swap");
	f->cluster_slots = get_count(in, o, "cluster_slots");
	f->cpus = get_count(in, o, "cpus");
	f->events = get_count(in, o, "events");
	f->lost = get_count(in, o, "lost");
	f->damaged_blocks = get_count_or_0(in, o, "damaged_blocks");
	f->damaged_events = get_count_or_0(in, o, "damaged_events");
	f->truncated = get_bool(in, o, "truncated");
	f->recovered = get_bool(in, o, "recovered");
	json_array_foreach(devices, i, d) if (f->ndevices < HEADER_DEVICES_MAX)
		get_device(in, d, &f->devices[f->ndevices++]);
}

static enum start_state get_start_state(struct input *in, const json_t *o)
{
	char name[16];

	get_text(in, o, "start_state", name, sizeof(name));
	for (int i = START_UNKNOWN; i <= START_SNAPSHOT; i++)
		if (!strcmp(name, start_state_name((enum start_state)i)))
			return (enum start_state)i;
	return START_UNKNOWN;
}

static void get_result(struct input *in, const json_t *o, const json_t *facts,
		       struct stored_result *to)
{
	struct replay_result *r = &to->result;
	const json_t *estimate, *own = get_object(in, o, "trace");

	trace_facts_init(&to->facts);
	facts = own ? own : facts;
	to->have_facts = facts != NULL;
	if (facts)
		get_facts(in, facts, &to->facts);
	get_text(in, o, "name", to->name, sizeof(to->name));
	get_text(in, o, "source", to->source, sizeof(to->source));
	to->seconds = get_real(in, o, "seconds");
	get_text(in, o, "policy", r->policy, sizeof(r->policy));
	get_text(in, o, "model", r->model, sizeof(r->model));
	r->what_if = get_bool(in, o, "what_if");
	r->start_state = get_start_state(in, o);
	r->from_ns = get_count(in, o, "from_ns");
	r->from_ns = r->from_ns == COUNT_UNKNOWN ? 0 : r->from_ns;
	r->lost = get_count(in, o, "lost");
	get_readahead(in, get_object(in, o, "readahead"), &r->readahead);
	get_alloc(in, get_object(in, o, "alloc"), &r->alloc);
	get_lru(in, get_object(in, o, "lru"), &r->lru);
	get_verify(in, get_object(in, o, "verify"), &r->verify);
	estimate = get_object(in, o, "estimate");
	r->estimate.seconds = get_real(in, estimate, "seconds");
	r->estimate.known = !isnan(r->estimate.seconds);
	get_text(in, estimate, "assumptions", r->estimate.assumptions,
		 sizeof(r->estimate.assumptions));
	get_phases(in, o, r);
	get_swapoffs(in, o, r);
	get_slices(in, o, r);
	get_notes(in, o, r);
}

static void get_results(struct input *in, const json_t *doc, struct results_file *out)
{
	const json_t *a = get_array(in, doc, "results");
	const json_t *facts = get_object(in, doc, "trace");
	size_t i;
	json_t *o;

	if (!a)
		wrong(in, "results", "an array");
	out->entries = room_for(in, a, sizeof(*out->entries));
	json_array_foreach(a, i, o)
	{
		if (!json_is_object(o))
			wrong(in, "results", "an array of objects");
		if (in->failed)
			return;
		get_result(in, o, facts, &out->entries[out->n++]);
	}
}

static void check_version(struct input *in, const json_t *doc)
{
	const json_t *head = json_object_get(doc, "swaptrace");
	int64_t schema;

	if (!json_is_object(head)) {
		in->failed =
			error_set(in->e, -EBADMSG,
				  "%s: JSON, but no results of swaptrace (no \"swaptrace\" key)",
				  in->path);
		return;
	}
	schema = get_signed(in, head, "schema", 1, INT64_MAX, 0);
	if (!in->failed && !schema)
		wrong(in, "schema", "a number");
	if (!in->failed && schema > RESULTS_SCHEMA)
		in->failed = error_set(in->e, -EBADMSG,
				       "%s: written by a newer version (schema %" PRId64
				       ", this one reads %d)",
				       in->path, schema, RESULTS_SCHEMA);
}

static json_t *load(struct input *in)
{
	FILE *f = fopen(in->path, "re");
	json_error_t where;
	struct stat st;
	json_t *doc;

	if (!f) {
		in->failed = error_errno(in->e, -errno, "cannot open '%s'", in->path);
		return NULL;
	}
	if (!fstat(fileno(f), &st) && (uint64_t)st.st_size > RESULTS_BYTES_MAX) {
		fclose(f);
		in->failed = error_set(in->e, -EBADMSG, "%s: too large for a results document",
				       in->path);
		return NULL;
	}
	doc = json_loadf(f, JSON_REJECT_DUPLICATES, &where);
	fclose(f);
	if (!doc)
		in->failed = error_set(in->e, -EBADMSG, "%s: line %d: broken JSON: %s", in->path,
				       where.line, where.text);
	return doc;
}

/* What is compared with comes first: a stable partition, the document's order otherwise. */
static void recorded_first(struct results_file *out)
{
	unsigned int first = 0;

	for (unsigned int i = 0; i < out->n; i++) {
		struct stored_result entry = out->entries[i];

		if (entry.result.what_if)
			continue;
		memmove(&out->entries[first + 1], &out->entries[first],
			(i - first) * sizeof(*out->entries));
		out->entries[first++] = entry;
	}
}

int results_read(const char *path, struct results_file *out, struct error *e)
{
	struct input in = { .path = path, .e = e };
	json_t *doc;

	memset(out, 0, sizeof(*out));
	doc = load(&in);
	if (!in.failed)
		check_version(&in, doc);
	if (!in.failed)
		get_results(&in, doc, out);
	if (!in.failed)
		recorded_first(out);
	json_decref(doc);
	if (in.failed)
		results_file_free(out);
	return in.failed;
}

void results_file_free(struct results_file *out)
{
	for (unsigned int i = 0; i < out->n; i++)
		replay_result_free(&out->entries[i].result);
	free(out->entries);
	memset(out, 0, sizeof(*out));
}
