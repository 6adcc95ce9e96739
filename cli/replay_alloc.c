// SPDX-License-Identifier: GPL-2.0
#include "cli/replay_alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "render/format.h"
#include "render/table.h"

/* "64 kB" of an order, as the kernel's counters are called. */
static struct text order_size(unsigned int order, uint64_t page_size)
{
	uint64_t kib = (page_size << order) / 1024;
	struct text t;

	if (kib >= 1024)
		snprintf(t.s, sizeof(t.s), "%" PRIu64 " MB", kib / 1024);
	else
		snprintf(t.s, sizeof(t.s), "%" PRIu64 " kB", kib);
	return t;
}

static struct text mebibytes(uint64_t pages, uint64_t page_size)
{
	struct text t;

	snprintf(t.s, sizeof(t.s), "%.40s MiB",
		 format_number((double)pages * (double)page_size / 1048576.0, 3).s);
	return t;
}

static void add_order(struct table *t, const char *name, const struct alloc_order *o)
{
	table_word(t, name);
	table_count(t, o->swpout);
	table_count(t, o->fallback);
	table_percent(t, percent_of(o->fallback, o->swpout + o->fallback));
	for (int r = 0; r < FALLBACK_REASONS; r++)
		table_count(t, o->reasons[r]);
}

static int print_orders(const struct alloc_result *r, uint64_t page_size)
{
	struct table *t = table_new("alloc", "");
	struct alloc_order total = alloc_large_total(r->orders);
	char name[64];
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "order", ALIGN_LEFT);
	table_column(t, "swpout", ALIGN_RIGHT);
	table_column(t, "fallback", ALIGN_RIGHT);
	table_column(t, "share", ALIGN_RIGHT);
	for (int i = 0; i < FALLBACK_REASONS; i++)
		table_column(t, fallback_reason_name((enum fallback_reason)i), ALIGN_RIGHT);
	for (unsigned int o = 0; o < ALLOC_ORDERS; o++) {
		if (!r->orders[o].swpout && !r->orders[o].fallback)
			continue;
		snprintf(name, sizeof(name), "%u (%s)", o, order_size(o, page_size).s);
		add_order(t, name, &r->orders[o]);
	}
	add_order(t, "total above 0", &total);
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

static void print_first(const struct alloc_result *r, uint64_t page_size)
{
	const struct alloc_first *f = &r->first;

	if (!f->known) {
		printf("first fallback: none\n");
		return;
	}
	printf("first fallback: request %s, order %u (%s), %s; %s of the slots free, %s clusters wholly free\n  aligned holes then:",
	       format_count(f->n).s, f->order, order_size(f->order, page_size).s,
	       fallback_reason_name(f->reason), format_percent(f->free_pct).s,
	       format_count(f->free_clusters).s);
	for (unsigned int o = 0; o < f->norders && o < ALLOC_ORDERS; o++)
		printf("%s order %u: %s", o ? "," : "", o, format_count(f->holes[o]).s);
	printf("\n");
}

static int print_devices(const struct alloc_result *r, uint64_t page_size)
{
	struct table *t = table_new("devices", "");
	uint64_t given = 0;
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "device", ALIGN_LEFT);
	table_column(t, "prio", ALIGN_RIGHT);
	table_column(t, "size", ALIGN_RIGHT);
	table_column(t, "slots", ALIGN_RIGHT);
	table_column(t, "given", ALIGN_RIGHT);
	table_column(t, "share", ALIGN_RIGHT);
	table_column(t, "used", ALIGN_RIGHT);
	table_column(t, "peak", ALIGN_RIGHT);
	table_column(t, "full", ALIGN_RIGHT);
	for (unsigned int i = 0; i < ALLOC_DEVICES; i++)
		given += r->devices[i].given;
	for (unsigned int i = 0; i < ALLOC_DEVICES; i++) {
		const struct alloc_device *d = &r->devices[i];
		char text[24];

		if (!d->seen)
			continue;
		snprintf(text, sizeof(text), "%u", i);
		table_word(t, text);
		snprintf(text, sizeof(text), "%d", d->prio);
		table_word(t, text);
		table_word(t, mebibytes(d->pages, page_size).s);
		table_count(t, d->pages);
		table_count(t, d->given);
		table_percent(t, percent_of(d->given, given));
		table_count(t, d->used);
		table_count(t, d->peak);
		table_percent(t, percent_of(d->used, d->pages - 1));
	}
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

static void print_groups(const struct alloc_result *r)
{
	for (unsigned int i = 0; i < r->ngroups; i++)
		printf("memcg %" PRIu64 " on device %u: %s slots\n", r->groups[i].memcg,
		       r->groups[i].type, format_count(r->groups[i].slots).s);
}

/* Chunks that several CPUs share contend for the lock of one swap-cache tree. */
static void print_chunks(const struct alloc_result *r)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < r->nchunks; i++)
		if (r->chunks[i].cpus > most)
			most = r->chunks[i].cpus;
	if (most < 2)
		return;
	printf("swap-cache chunks of 16,384 slots: %u, of which shared by CPUs:", r->nchunks);
	for (unsigned int i = 0, shown = 0; i < r->nchunks && shown < 8; i++) {
		const struct alloc_chunk *c = &r->chunks[i];

		if (c->cpus < 2)
			continue;
		printf("%s device %u chunk %" PRIu64 ": %u CPUs, %s slots", shown ? ";" : "",
		       c->type, c->chunk, c->cpus, format_count(c->slots).s);
		shown++;
	}
	printf("\n");
}

static int print_one(const struct replay_result *res, uint64_t page_size)
{
	const struct alloc_result *r = &res->alloc;
	int ret;

	printf("slots of %s%s: %s%s\n", res->policy, res->what_if ? " (what-if)" : "", r->allocator,
	       r->slots_cache ? " behind its slots cache" : "");
	ret = print_orders(r, page_size);
	if (ret)
		return ret;
	print_first(r, page_size);
	if (r->absorbed || r->invented)
		printf("%s recorded order-0 requests vanish (their folio went out whole), %s are new\n",
		       format_count(r->absorbed).s, format_count(r->invented).s);
	printf("clusters: %s touched of %s, %s wholly free at the end\n",
	       format_count(r->clusters_touched).s, format_count(r->clusters).s,
	       format_count(r->clusters_free).s);
	ret = print_devices(r, page_size);
	if (ret)
		return ret;
	print_groups(r);
	print_chunks(r);
	return 0;
}

int print_alloc(const struct replay_result *results, unsigned int n, uint64_t page_size)
{
	for (unsigned int i = 0; i < n; i++) {
		int ret;

		if (!results[i].alloc.known)
			continue;
		printf("\n");
		ret = print_one(&results[i], page_size);
		if (ret)
			return ret;
	}
	return 0;
}

void print_alloc_verify(const struct verify_result *v)
{
	if (!v->allocs_checked && !v->allocs_settling)
		return;
	printf("  allocations and failures %s of %s", format_count(v->allocs_agreed).s,
	       format_count(v->allocs_checked).s);
	if (v->alloc_in_step_ns && !v->allocs_settling)
		printf("; in step from the first one on, with slots in use at the start");
	else if (v->alloc_in_step_ns)
		printf("; in step from decision %s (%" PRIu64
		       " ns) on, the %s before are not counted",
		       format_count(v->alloc_in_step).s, v->alloc_in_step_ns,
		       format_count(v->allocs_settling).s);
	else if (!v->alloc_in_step)
		printf("; never in step");
	printf("\n");
	if (v->alloc_unknown[0])
		printf("  slots were in use at the start, and the trace does not tell: %s\n",
		       v->alloc_unknown);
}
