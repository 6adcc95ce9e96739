// SPDX-License-Identifier: GPL-2.0
#include "analyze/alloc_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- writing ---------------------------------------------------------------------------------- */

static void put(json_t *o, const char *key, json_t *value, int *failed)
{
	if (json_object_set_new(o, key, value) && !*failed)
		*failed = -ENOMEM;
}

static void append(json_t *a, json_t *value, int *failed)
{
	if (json_array_append_new(a, value) && !*failed)
		*failed = -ENOMEM;
}

static json_t *count_json(uint64_t n, int *failed)
{
	if (n > INT64_MAX && !*failed)
		*failed = -ERANGE;
	return json_integer((json_int_t)n);
}

static void put_count(json_t *o, const char *key, uint64_t n, int *failed)
{
	put(o, key, count_json(n, failed), failed);
}

static json_t *order_json(const struct alloc_order *order, int *failed)
{
	json_t *o = json_object(), *reasons = json_object();

	put_count(o, "swpout", order->swpout, failed);
	put_count(o, "fallback", order->fallback, failed);
	for (int i = 0; i < FALLBACK_REASONS; i++)
		put_count(reasons, fallback_reason_name((enum fallback_reason)i), order->reasons[i],
			  failed);
	put(o, "reasons", reasons, failed);
	return o;
}

static json_t *orders_json(const struct alloc_order *orders, unsigned int n, int *failed)
{
	json_t *o = json_object();
	char name[12];

	for (unsigned int i = 0; i < ALLOC_ORDERS; i++) {
		/* An order that is none of the allocator's is there only if somebody asked for it.
		 */
		if (i >= n && !orders[i].swpout && !orders[i].fallback)
			continue;
		snprintf(name, sizeof(name), "%u", i);
		put(o, name, order_json(&orders[i], failed), failed);
	}
	return o;
}

static json_t *first_json(const struct alloc_first *first, int *failed)
{
	json_t *o, *holes;
	char name[12];

	if (!first->known)
		return json_null();
	o = json_object();
	holes = json_object();
	put_count(o, "n", first->n, failed);
	put_count(o, "t_ns", first->t_ns, failed);
	put_count(o, "order", first->order, failed);
	put(o, "reason", json_string(fallback_reason_name(first->reason)), failed);
	put(o, "free_pct", json_real(first->free_pct), failed);
	put_count(o, "free_clusters", first->free_clusters, failed);
	put_count(o, "aligned_holes", first->holes[first->order], failed);
	for (unsigned int i = 0; i < first->norders && i < ALLOC_ORDERS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		put_count(holes, name, first->holes[i], failed);
	}
	put(o, "holes", holes, failed);
	return o;
}

static json_t *runs_json(const struct alloc_result *r, int *failed)
{
	json_t *o = json_object();
	char name[24];

	for (unsigned int i = 0; i < ALLOC_RUN_BINS; i++) {
		if (!r->free_runs[i])
			continue;
		snprintf(name, sizeof(name), "%llu", 1ull << i);
		put_count(o, name, r->free_runs[i], failed);
	}
	return o;
}

static json_t *devices_json(const struct alloc_result *r, int *failed)
{
	json_t *a = json_array();

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct alloc_device *d = &r->devices[t];
		json_t *o;

		if (!d->seen)
			continue;
		o = json_object();
		put_count(o, "type", t, failed);
		put_count(o, "pages", d->pages, failed);
		put(o, "prio", json_integer(d->prio), failed);
		put_count(o, "given", d->given, failed);
		put_count(o, "used", d->used, failed);
		put_count(o, "peak", d->peak, failed);
		put_count(o, "written", d->written, failed);
		append(a, o, failed);
	}
	return a;
}

static json_t *chunks_json(const struct alloc_result *r, int *failed)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < r->nchunks; i++) {
		json_t *o = json_object();

		put_count(o, "type", r->chunks[i].type, failed);
		put_count(o, "chunk", r->chunks[i].chunk, failed);
		put_count(o, "slots", r->chunks[i].slots, failed);
		put_count(o, "cpus", r->chunks[i].cpus, failed);
		append(a, o, failed);
	}
	return a;
}

static json_t *groups_json(const struct alloc_result *r, int *failed)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < r->ngroups; i++) {
		json_t *o = json_object();

		/* An id is a number of the kernel's, not a count, but no larger. */
		put_count(o, "memcg", r->groups[i].memcg, failed);
		put_count(o, "type", r->groups[i].type, failed);
		put_count(o, "slots", r->groups[i].slots, failed);
		append(a, o, failed);
	}
	return a;
}

static json_t *slice_json(const struct alloc_slice *s, int *failed)
{
	json_t *o = json_object(), *orders = json_object(), *used = json_array();
	char name[12];

	put_count(o, "t_ns", s->t_ns, failed);
	for (unsigned int i = 0; i < ALLOC_ORDERS; i++) {
		json_t *pair;

		if (!s->orders[i].swpout && !s->orders[i].fallback)
			continue;
		snprintf(name, sizeof(name), "%u", i);
		pair = json_object();
		put_count(pair, "swpout", s->orders[i].swpout, failed);
		put_count(pair, "fallback", s->orders[i].fallback, failed);
		put(orders, name, pair, failed);
	}
	put(o, "orders", orders, failed);
	for (unsigned int i = 0; i < ALLOC_ROWS; i++)
		append(used, count_json(s->used[i], failed), failed);
	put(o, "used", used, failed);
	return o;
}

json_t *alloc_json(const struct alloc_result *r, int *failed)
{
	json_t *o, *slices;

	if (!r->known)
		return json_null();
	o = json_object();
	slices = json_array();
	put(o, "allocator", json_string(r->allocator), failed);
	put(o, "slots_cache", json_boolean(r->slots_cache), failed);
	put_count(o, "norders", r->norders, failed);
	put(o, "orders", orders_json(r->orders, r->norders, failed), failed);
	put(o, "recorded",
	    r->recorded_known ? orders_json(r->recorded, r->norders, failed) : json_null(), failed);
	put(o, "first_fallback", first_json(&r->first, failed), failed);
	put_count(o, "requests", r->requests, failed);
	put_count(o, "absorbed", r->absorbed, failed);
	put_count(o, "invented", r->invented, failed);
	put_count(o, "unplaced", r->unplaced, failed);
	put_count(o, "clusters", r->clusters, failed);
	put_count(o, "clusters_touched", r->clusters_touched, failed);
	put_count(o, "clusters_free", r->clusters_free, failed);
	put(o, "free_runs", runs_json(r, failed), failed);
	put(o, "devices", devices_json(r, failed), failed);
	put(o, "chunks", chunks_json(r, failed), failed);
	put(o, "memcgs", groups_json(r, failed), failed);
	for (unsigned int i = 0; i < r->nslices; i++)
		append(slices, slice_json(&r->slices[i], failed), failed);
	put(o, "slices", slices, failed);
	return o;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The first value of a wrong type; the rest of the reading goes on with zeros. */
struct reading {
	const char *wrong;
	bool no_memory;
};

static uint64_t get_count(struct reading *in, const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!v || json_is_null(v))
		return 0;
	if (json_is_integer(v) && json_integer_value(v) >= 0)
		return (uint64_t)json_integer_value(v);
	if (!in->wrong)
		in->wrong = key;
	return 0;
}

static const json_t *get_array(struct reading *in, const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (v && !json_is_array(v) && !json_is_null(v) && !in->wrong)
		in->wrong = key;
	return json_is_array(v) ? v : NULL;
}

static const json_t *get_object(struct reading *in, const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (v && !json_is_object(v) && !json_is_null(v) && !in->wrong)
		in->wrong = key;
	return json_is_object(v) ? v : NULL;
}

/* A decimal number below @limit as an object's key; false for anything else. */
static bool key_number(const char *key, uint64_t limit, uint64_t *n)
{
	char *end;

	if (*key < '0' || *key > '9')
		return false;
	errno = 0;
	*n = strtoull(key, &end, 10);
	return !errno && !*end && *n < limit;
}

static enum fallback_reason reason_by_name(struct reading *in, const json_t *v)
{
	for (int i = 0; json_is_string(v) && i < FALLBACK_REASONS; i++)
		if (!strcmp(json_string_value(v), fallback_reason_name((enum fallback_reason)i)))
			return (enum fallback_reason)i;
	if (!in->wrong)
		in->wrong = "reason";
	return FALLBACK_FULL;
}

static void get_orders(struct reading *in, const json_t *o, struct alloc_order *orders)
{
	const char *name;
	json_t *v;
	uint64_t order;

	json_object_foreach((json_t *)o, name, v)
	{
		const json_t *reasons;

		if (!key_number(name, ALLOC_ORDERS, &order) || !json_is_object(v)) {
			in->wrong = in->wrong ? in->wrong : "orders";
			return;
		}
		orders[order].swpout = get_count(in, v, "swpout");
		orders[order].fallback = get_count(in, v, "fallback");
		reasons = get_object(in, v, "reasons");
		for (int i = 0; i < FALLBACK_REASONS; i++)
			orders[order].reasons[i] = get_count(
				in, reasons, fallback_reason_name((enum fallback_reason)i));
	}
}

static void get_first(struct reading *in, const json_t *o, struct alloc_first *first)
{
	const json_t *holes = get_object(in, o, "holes");
	uint64_t order = get_count(in, o, "order");
	const char *name;
	json_t *v;
	uint64_t i;

	if (!o)
		return;
	first->known = true;
	first->n = get_count(in, o, "n");
	first->t_ns = get_count(in, o, "t_ns");
	if (order >= ALLOC_ORDERS)
		in->wrong = in->wrong ? in->wrong : "order";
	else
		first->order = (unsigned int)order;
	first->reason = reason_by_name(in, json_object_get(o, "reason"));
	first->free_pct = json_number_value(json_object_get(o, "free_pct"));
	first->free_clusters = get_count(in, o, "free_clusters");
	json_object_foreach((json_t *)holes, name, v)
	{
		if (!key_number(name, ALLOC_ORDERS, &i) || !json_is_integer(v) ||
		    json_integer_value(v) < 0) {
			in->wrong = in->wrong ? in->wrong : "holes";
			return;
		}
		first->holes[i] = (uint64_t)json_integer_value(v);
		if (i >= first->norders)
			first->norders = (unsigned int)i + 1;
	}
}

static void get_runs(struct reading *in, const json_t *o, struct alloc_result *r)
{
	const char *name;
	json_t *v;
	uint64_t n;

	json_object_foreach((json_t *)o, name, v)
	{
		if (!key_number(name, 1ull << ALLOC_RUN_BINS, &n) || !n || !json_is_integer(v)) {
			in->wrong = in->wrong ? in->wrong : "free_runs";
			return;
		}
		r->free_runs[63 - __builtin_clzll(n)] = get_count(in, o, name);
	}
}

static void get_devices(struct reading *in, const json_t *a, struct alloc_result *r)
{
	size_t i;
	json_t *o;

	json_array_foreach(a, i, o)
	{
		uint64_t type = get_count(in, o, "type");
		struct alloc_device *d;

		if (type >= ALLOC_DEVICES) {
			in->wrong = in->wrong ? in->wrong : "devices";
			return;
		}
		d = &r->devices[type];
		d->seen = true;
		d->pages = get_count(in, o, "pages");
		d->prio = (int)json_integer_value(json_object_get(o, "prio"));
		d->given = get_count(in, o, "given");
		d->used = get_count(in, o, "used");
		d->peak = get_count(in, o, "peak");
		d->written = get_count(in, o, "written");
	}
}

/* Room for as many entries as the array has; the array itself bounds it. */
static void *room_for(struct reading *in, const json_t *a, size_t size)
{
	void *p = json_array_size(a) ? calloc(json_array_size(a), size) : NULL;

	in->no_memory |= !p && json_array_size(a);
	return p;
}

static void get_chunks(struct reading *in, const json_t *a, struct alloc_result *r)
{
	size_t i;
	json_t *o;

	r->chunks = room_for(in, a, sizeof(*r->chunks));
	json_array_foreach(a, i, o) if (r->chunks) r->chunks[r->nchunks++] = (struct alloc_chunk){
		.type = (unsigned int)get_count(in, o, "type"),
		.chunk = get_count(in, o, "chunk"),
		.slots = get_count(in, o, "slots"),
		.cpus = (unsigned int)get_count(in, o, "cpus"),
	};
}

static void get_groups(struct reading *in, const json_t *a, struct alloc_result *r)
{
	size_t i;
	json_t *o;

	r->groups = room_for(in, a, sizeof(*r->groups));
	json_array_foreach(a, i, o) if (r->groups) r->groups[r->ngroups++] = (struct alloc_group){
		.memcg = get_count(in, o, "memcg"),
		.type = (unsigned int)get_count(in, o, "type"),
		.slots = get_count(in, o, "slots"),
	};
}

static void get_slice(struct reading *in, const json_t *o, struct alloc_slice *s)
{
	const json_t *orders = get_object(in, o, "orders"), *used = get_array(in, o, "used");
	const char *name;
	uint64_t order;
	size_t i;
	json_t *v;

	s->t_ns = get_count(in, o, "t_ns");
	json_object_foreach((json_t *)orders, name, v)
	{
		if (!key_number(name, ALLOC_ORDERS, &order)) {
			in->wrong = in->wrong ? in->wrong : "slices";
			return;
		}
		s->orders[order].swpout = get_count(in, v, "swpout");
		s->orders[order].fallback = get_count(in, v, "fallback");
	}
	json_array_foreach(used, i, v) if (i < ALLOC_ROWS) s->used[i] =
		(uint64_t)json_integer_value(v);
}

static void get_slices(struct reading *in, const json_t *a, struct alloc_result *r)
{
	size_t i;
	json_t *o;

	r->slices = room_for(in, a, sizeof(*r->slices));
	json_array_foreach(a, i, o) if (r->slices) get_slice(in, o, &r->slices[r->nslices++]);
}

static void get_counts(struct reading *in, const json_t *o, struct alloc_result *r)
{
	uint64_t norders = get_count(in, o, "norders");

	r->norders = norders <= ALLOC_ORDERS ? (unsigned int)norders : ALLOC_ORDERS;
	r->requests = get_count(in, o, "requests");
	r->absorbed = get_count(in, o, "absorbed");
	r->invented = get_count(in, o, "invented");
	r->unplaced = get_count(in, o, "unplaced");
	r->clusters = get_count(in, o, "clusters");
	r->clusters_touched = get_count(in, o, "clusters_touched");
	r->clusters_free = get_count(in, o, "clusters_free");
}

int alloc_from_json(const json_t *o, struct alloc_result *r, const char **key)
{
	struct reading in = { 0 };
	const char *name;

	if (!o || json_is_null(o))
		return 0;
	r->known = true;
	name = json_string_value(json_object_get(o, "allocator"));
	snprintf(r->allocator, sizeof(r->allocator), "%s", name ? name : "");
	r->slots_cache = json_is_true(json_object_get(o, "slots_cache"));
	get_counts(&in, o, r);
	get_orders(&in, get_object(&in, o, "orders"), r->orders);
	r->recorded_known = get_object(&in, o, "recorded") != NULL;
	get_orders(&in, get_object(&in, o, "recorded"), r->recorded);
	get_first(&in, get_object(&in, o, "first_fallback"), &r->first);
	get_runs(&in, get_object(&in, o, "free_runs"), r);
	get_devices(&in, get_array(&in, o, "devices"), r);
	get_chunks(&in, get_array(&in, o, "chunks"), r);
	get_groups(&in, get_array(&in, o, "memcgs"), r);
	get_slices(&in, get_array(&in, o, "slices"), r);
	*key = in.wrong;
	if (in.no_memory)
		return -ENOMEM;
	return in.wrong ? -EBADMSG : 0;
}
