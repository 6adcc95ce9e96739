// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/comparison.h"
#include "render/format.h"

#define GROUPS_SHOWN 40 /* memory cgroups in the table */

const struct alloc_result *source_alloc(const struct source *v)
{
	if (v->result.alloc.known)
		return &v->result.alloc;
	return v->summary && v->summary->alloc.known ? &v->summary->alloc : NULL;
}

uint64_t common_page_size(const struct sources *s)
{
	uint64_t size = COUNT_UNKNOWN;

	for (unsigned int i = 0; i < s->n; i++) {
		uint64_t own = s->v[i].facts.page_size;

		if (!source_alloc(&s->v[i]) || own == COUNT_UNKNOWN)
			continue;
		if (size != COUNT_UNKNOWN && own != size)
			return COUNT_UNKNOWN;
		size = own;
	}
	return size;
}

struct text order_name(unsigned int order, uint64_t page_size)
{
	struct text t;
	uint64_t kib;

	if (page_size == COUNT_UNKNOWN || !page_size || page_size > 1ull << 40) {
		snprintf(t.s, sizeof(t.s), "%u", order);
		return t;
	}
	kib = (page_size << order) / 1024;
	snprintf(t.s, sizeof(t.s), "%u (%" PRIu64 " %s)", order, kib >= 1024 ? kib / 1024 : kib,
		 kib >= 1024 ? "MB" : "kB");
	return t;
}

static bool has_requests(const struct alloc_order *o)
{
	return o->swpout || o->fallback;
}

static uint64_t labelled(const struct alloc_order *o)
{
	uint64_t n = 0;

	for (int i = 0; i < FALLBACK_REASONS; i++)
		n += o->reasons[i];
	return n;
}

static void source_cell(struct table *t, const struct sources *s, unsigned int i)
{
	const struct source *v = &s->v[i];
	char text[192];

	snprintf(text, sizeof(text), "%s%s%s%s", s->n > 1 ? source_letter(i).s : "",
		 s->n > 1 ? " " : "", v->name, v->result.what_if ? " (what-if)" : "");
	table_word(t, text);
}

/* A table whose rows belong to sources; NULL when memory is out. */
static struct table *source_table(struct report *r, const char *name, const char *title)
{
	struct table *t = table_new(name, title);

	if (!t)
		r->doc.failed = -ENOMEM;
	return t;
}

static void right_columns(struct table *t, const char *const *headers)
{
	for (; *headers; headers++)
		table_column(t, *headers, ALIGN_RIGHT);
}

/* A kernel's ALLOCFAIL says that there was no space, and not whether a hole was there. */
static void reason_cells(struct table *t, const struct alloc_order *o)
{
	bool unknown = labelled(o) < o->fallback;

	for (int i = 0; i < FALLBACK_REASONS; i++)
		table_count(t, unknown && !o->reasons[i] && i <= FALLBACK_HOLE_NOT_FOUND
				       ? COUNT_UNKNOWN
				       : o->reasons[i]);
}

static void count_cells(struct table *t, const struct alloc_order *o)
{
	uint64_t n = o->swpout + o->fallback;
	char remark[64] = "";

	table_count(t, o->swpout);
	table_count(t, o->fallback);
	table_percent(t, percent_of(o->fallback, n));
	reason_cells(t, o);
	if (n && n < MTHP_FEW)
		snprintf(remark, sizeof(remark), "few samples (n=%" PRIu64 ")", n);
	table_word(t, remark);
}

/* What the recorded kernel answered, once for all what-ifs of its trace. */
static bool shows_recorded(const struct sources *s, unsigned int i)
{
	const struct alloc_result *a = &s->v[i].result.alloc;

	if (!a->known || !a->recorded_known || !s->v[i].result.what_if)
		return false;
	for (unsigned int k = 0; k < s->n; k++) {
		const struct alloc_result *b = source_alloc(&s->v[k]);

		if (!b || k == i || strcmp(s->v[k].facts.name, s->v[i].facts.name))
			continue;
		if (!s->v[k].result.what_if ||
		    (k < i && !memcmp(a->recorded, b->recorded, sizeof(a->recorded))))
			return false;
	}
	return true;
}

static void order_rows(struct table *t, const struct sources *s, const char *name,
		       struct alloc_order (*get)(const struct alloc_order *, unsigned int),
		       unsigned int order)
{
	for (unsigned int i = 0; i < s->n; i++) {
		const struct alloc_result *a = source_alloc(&s->v[i]);
		struct alloc_order o;

		if (!a)
			continue;
		o = get(a->orders, order);
		table_word(t, name);
		source_cell(t, s, i);
		count_cells(t, &o);
		if (!shows_recorded(s, i))
			continue;
		o = get(a->recorded, order);
		table_word(t, name);
		table_word(t, "as the kernel answered");
		count_cells(t, &o);
	}
}

static struct alloc_order one_order(const struct alloc_order *orders, unsigned int order)
{
	return orders[order];
}

static struct alloc_order large_orders(const struct alloc_order *orders, unsigned int order)
{
	(void)order;
	return alloc_large_total(orders);
}

static bool order_is_used(const struct sources *s, unsigned int order)
{
	for (unsigned int i = 0; i < s->n; i++) {
		const struct alloc_result *a = source_alloc(&s->v[i]);

		if (a && (has_requests(&a->orders[order]) || has_requests(&a->recorded[order])))
			return true;
	}
	return false;
}

static void orders_table(struct report *r, const struct sources *s)
{
	static const char *const counts[] = { "swpout", "fallback", "share", NULL };
	struct table *t = source_table(
		r, "alloc", "requests for swap slots: swpout got them, fallback did not");

	if (!t)
		return;
	table_column(t, "order", ALIGN_LEFT);
	table_column(t, "source", ALIGN_LEFT);
	right_columns(t, counts);
	for (int i = 0; i < FALLBACK_REASONS; i++)
		table_column(t, fallback_reason_name((enum fallback_reason)i), ALIGN_RIGHT);
	table_column(t, "remark", ALIGN_LEFT);
	for (unsigned int o = 0; o < ALLOC_ORDERS; o++)
		if (order_is_used(s, o))
			order_rows(t, s, order_name(o, common_page_size(s)).s, one_order, o);
	order_rows(t, s, "total above 0", large_orders, 0);
	document_table(&r->doc, t);
}

static void first_row(struct table *t, const struct sources *s, unsigned int i)
{
	const struct alloc_first *f = &source_alloc(&s->v[i])->first;
	struct alloc_order large = alloc_large_total(source_alloc(&s->v[i])->orders);
	bool modelled = s->v[i].result.alloc.known;

	source_cell(t, s, i);
	table_count(t, f->known ? f->n : COUNT_UNKNOWN);
	table_word(t, f->known ? order_name(f->order, s->v[i].facts.page_size).s
		      : large.fallback > large.reasons[FALLBACK_LIMIT] ? "n/a"
								       : "none");
	table_word(t, !f->known ? "-" : modelled ? fallback_reason_name(f->reason) : "n/a");
	table_percent(t, f->known && modelled ? f->free_pct : NAN);
	table_count(t, f->known && modelled ? f->free_clusters : COUNT_UNKNOWN);
	table_count(t, f->known && modelled ? f->holes[f->order] : COUNT_UNKNOWN);
}

static void first_table(struct report *r, const struct sources *s)
{
	static const char *const headers[] = { "free slots", "wholly free clusters",
					       "aligned holes of it", NULL };
	struct table *t = source_table(r, "first-fallback",
				       "first fallback of a large folio, and the state then");

	if (!t)
		return;
	table_column(t, "source", ALIGN_LEFT);
	table_column(t, "request", ALIGN_RIGHT);
	table_column(t, "order", ALIGN_LEFT);
	table_column(t, "reason", ALIGN_LEFT);
	right_columns(t, headers);
	for (unsigned int i = 0; i < s->n; i++)
		if (source_alloc(&s->v[i]))
			first_row(t, s, i);
	document_table(&r->doc, t);
}

static unsigned int hole_orders(const struct sources *s)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->n; i++) {
		const struct alloc_first *f = &s->v[i].result.alloc.first;

		if (s->v[i].result.alloc.known && f->known && f->norders > n)
			n = f->norders;
	}
	return n < ALLOC_ORDERS ? n : ALLOC_ORDERS;
}

static void source_columns(struct table *t, const struct sources *s, const char *single)
{
	for (unsigned int i = 0; i < s->n; i++) {
		char header[64];

		if (!s->v[i].result.alloc.known)
			continue;
		snprintf(header, sizeof(header), "%s%s", s->n > 1 ? source_label(s, i).s : single,
			 s->v[i].result.what_if ? " (what-if)" : "");
		table_column(t, header, ALIGN_RIGHT);
	}
}

static void holes_table(struct report *r, const struct sources *s)
{
	unsigned int norders = hole_orders(s);
	struct table *t =
		norders ? source_table(r, "holes",
				       "aligned free ranges when the first fallback came, "
				       "also inside larger ones")
			: NULL;

	if (!t)
		return;
	table_column(t, "order", ALIGN_LEFT);
	source_columns(t, s, "holes");
	for (unsigned int o = 0; o < norders; o++) {
		table_word(t, order_name(o, common_page_size(s)).s);
		for (unsigned int i = 0; i < s->n; i++) {
			const struct alloc_result *a = &s->v[i].result.alloc;

			if (a->known)
				table_count(t, a->first.known && o < a->first.norders
						       ? a->first.holes[o]
						       : COUNT_UNKNOWN);
		}
	}
	document_table(&r->doc, t);
}

static void clusters_table(struct report *r, const struct sources *s)
{
	static const char *const headers[] = { "requests",	    "vanished", "new",
					       "unplaced",	    "clusters", "touched",
					       "still wholly free", NULL };
	struct table *t = source_table(r, "allocators", "");

	if (!t)
		return;
	table_column(t, "source", ALIGN_LEFT);
	table_column(t, "allocator", ALIGN_LEFT);
	table_column(t, "slots cache", ALIGN_LEFT);
	right_columns(t, headers);
	for (unsigned int i = 0; i < s->n; i++) {
		const struct alloc_result *a = &s->v[i].result.alloc;
		char name[4 * sizeof(a->allocator) + 1];

		if (!a->known)
			continue;
		escape_text(a->allocator, strlen(a->allocator), name, sizeof(name));
		source_cell(t, s, i);
		table_word(t, name);
		table_word(t, a->slots_cache ? "yes" : "no");
		table_count(t, a->requests);
		table_count(t, a->absorbed);
		table_count(t, a->invented);
		table_count(t, a->unplaced);
		table_count(t, a->clusters ? a->clusters : COUNT_UNKNOWN);
		table_count(t, a->clusters ? a->clusters_touched : COUNT_UNKNOWN);
		table_count(t, a->clusters ? a->clusters_free : COUNT_UNKNOWN);
	}
	document_table(&r->doc, t);
}

static double mebibytes(uint64_t pages, uint64_t page_size)
{
	return page_size == COUNT_UNKNOWN ? NAN : (double)pages * (double)page_size / 1048576.0;
}

static bool has_devices(const struct alloc_result *a)
{
	for (unsigned int k = 0; k < ALLOC_DEVICES; k++)
		if (a->devices[k].seen)
			return true;
	return false;
}

static void device_rows(struct table *t, const struct sources *s, unsigned int i)
{
	const struct alloc_result *a = &s->v[i].result.alloc;
	uint64_t given = 0, page_size = s->v[i].facts.page_size;

	for (unsigned int k = 0; k < ALLOC_DEVICES; k++)
		given += a->devices[k].given;
	for (unsigned int k = 0; k < ALLOC_DEVICES; k++) {
		const struct alloc_device *d = &a->devices[k];
		char prio[16];

		if (!d->seen)
			continue;
		source_cell(t, s, i);
		table_count(t, k);
		snprintf(prio, sizeof(prio), "%d", d->prio);
		table_word(t, prio);
		table_number(t, mebibytes(d->pages, page_size), 3);
		table_count(t, d->pages);
		table_count(t, d->given);
		table_percent(t, percent_of(d->given, given));
		table_count(t, d->used);
		table_percent(t, d->pages ? percent_of(d->used, d->pages - 1) : NAN);
		table_count(t, d->peak);
		table_number(t, mebibytes(d->written, page_size), 3);
	}
}

static void devices_table(struct report *r, const struct sources *s)
{
	static const char *const headers[] = { "device", "prio",	  "size (MiB)",	 "slots",
					       "given",	 "share",	  "used at end", "full",
					       "peak",	 "touched (MiB)", NULL };
	struct table *t = NULL;
	bool any = false;

	for (unsigned int i = 0; i < s->n; i++)
		any |= has_devices(&s->v[i].result.alloc);
	if (any)
		t = source_table(r, "devices",
				 "swap devices: slots handed out, in use, and bytes ever in use");
	if (!t)
		return;
	table_column(t, "source", ALIGN_LEFT);
	right_columns(t, headers);
	for (unsigned int i = 0; i < s->n; i++)
		if (s->v[i].result.alloc.known)
			device_rows(t, s, i);
	document_table(&r->doc, t);
}

static void groups_table(struct report *r, const struct sources *s)
{
	uint64_t left_out = 0, rows = 0;
	struct table *t = NULL;

	for (unsigned int i = 0; i < s->n; i++) {
		const struct alloc_result *a = &s->v[i].result.alloc;

		for (unsigned int k = 0; k < a->ngroups; k++) {
			if (!t) {
				t = source_table(r, "memcgs", "slots by memory cgroup and device");
				if (!t)
					return;
				table_column(t, "source", ALIGN_LEFT);
				table_column(t, "memcg", ALIGN_RIGHT);
				table_column(t, "device", ALIGN_RIGHT);
				table_column(t, "slots", ALIGN_RIGHT);
			}
			if (rows++ >= GROUPS_SHOWN) {
				left_out++;
				continue;
			}
			source_cell(t, s, i);
			table_count(t, a->groups[k].memcg);
			table_count(t, a->groups[k].type);
			table_count(t, a->groups[k].slots);
		}
	}
	if (t)
		document_table(&r->doc, t);
	if (left_out)
		document_sentence(&r->doc, "%s more rows of memory cgroups are not shown",
				  format_count(left_out).s);
}

/* The length of a run of bin @i: 2^i to 2^(i+1) - 1 slots. */
static void runs_table(struct report *r, const struct sources *s)
{
	uint64_t any[ALLOC_RUN_BINS] = { 0 };
	struct table *t = NULL;

	for (unsigned int i = 0; i < s->n; i++)
		for (unsigned int b = 0; b < ALLOC_RUN_BINS; b++)
			any[b] |= s->v[i].result.alloc.free_runs[b];
	for (unsigned int b = 0; b < ALLOC_RUN_BINS; b++) {
		if (!any[b])
			continue;
		if (!t) {
			t = source_table(r, "free-runs", "free runs of slots at the end");
			if (!t)
				return;
			table_column(t, "slots from", ALIGN_RIGHT);
			table_column(t, "to", ALIGN_RIGHT);
			source_columns(t, s, "runs");
		}
		table_count(t, 1ull << b);
		table_count(t, (2ull << b) - 1);
		for (unsigned int i = 0; i < s->n; i++)
			if (s->v[i].result.alloc.known)
				table_count(t, s->v[i].result.alloc.free_runs[b]);
	}
	if (t)
		document_table(&r->doc, t);
}

static void explain_alloc(struct report *r, const struct sources *s, bool modelled)
{
	bool recorded = false;

	for (unsigned int i = 0; i < s->n; i++)
		recorded |= source_alloc(&s->v[i]) && !s->v[i].result.alloc.known;
	document_sentence(&r->doc,
			  "Share is fallback of swpout and fallback together. Reasons: full: fewer "
			  "free slots than needed; no-aligned-hole: enough, but no aligned free "
			  "range of that size; hole-not-found: there was one, and the allocator "
			  "did not look there; config: never given by this kernel or device; "
			  "limit: of the memory cgroup, as recorded.");
	if (recorded)
		document_sentence(&r->doc,
				  "Recorded events alone tell neither the reason of a fallback nor "
				  "the free space: 'swaptrace replay -o R' finds them, and this "
				  "report shows them for R.");
	if (modelled)
		document_sentence(&r->doc,
				  "Vanished: recorded order-0 requests whose folio here went out "
				  "whole; new: those of folios that only here fell back.");
}

void report_alloc(struct report *r, const struct sources *s)
{
	bool any = false, modelled = false;

	for (unsigned int i = 0; i < s->n; i++) {
		any |= source_alloc(&s->v[i]) != NULL;
		modelled |= s->v[i].result.alloc.known;
	}
	if (!any)
		return;
	document_heading(&r->doc, "Swap slots");
	orders_table(r, s);
	explain_alloc(r, s, modelled);
	first_table(r, s);
	holes_table(r, s);
	if (modelled) {
		clusters_table(r, s);
		devices_table(r, s);
	}
	groups_table(r, s);
	runs_table(r, s);
	report_alloc_plots(r, s);
}
