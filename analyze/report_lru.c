// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/lru_table.h"
#include "analyze/result_json.h"
#include "render/format.h"

#define SITES_SHOWN 64

/* What a source tells about the per-CPU batches; NULL: nothing. */
static const struct lru_result *source_lru(const struct source *v)
{
	if (v->result.lru.known)
		return &v->result.lru;
	return v->summary && v->summary->lru.known ? &v->summary->lru : NULL;
}

static void policy_row(struct table *t, const struct source *v)
{
	const struct lru_result *l = source_lru(v);
	bool modelled = v->result.lru.known;
	char name[160];

	snprintf(name, sizeof(name), "%s%s", v->name, v->result.what_if ? " (what-if)" : "");
	table_word(t, name);
	table_word(t, !modelled ? "-" : l->drains_always ? "always" : "once");
	table_count(t, modelled ? l->batch_size : COUNT_UNKNOWN);
	lru_count_cells(t, l);
}

static void policies_table(struct report *r, const struct sources *s)
{
	struct table *t = table_new("drains", "");

	if (!t) {
		r->doc.failed = -ENOMEM;
		return;
	}
	table_column(t, "source", ALIGN_LEFT);
	table_column(t, "drain", ALIGN_LEFT);
	table_column(t, "batch", ALIGN_RIGHT);
	lru_count_columns(t);
	for (unsigned int i = 0; i < s->n; i++)
		if (source_lru(&s->v[i]))
			policy_row(t, &s->v[i]);
	document_table(&r->doc, t);
}

/* Whether a source before the @k-th has the site too, and so its row. */
static bool listed_before(const struct sources *s, unsigned int k, const char *name)
{
	for (unsigned int i = 0; i < k; i++)
		if (lru_has_site(source_lru(&s->v[i]), name))
			return true;
	return false;
}

static void site_row(struct table *t, const struct sources *s, const char *name)
{
	lru_site_name_cell(t, name);
	for (unsigned int i = 0; i < s->n; i++)
		if (source_lru(&s->v[i]))
			lru_site_cells(t, source_lru(&s->v[i]), name);
}

static void sites_table(struct report *r, const struct sources *s)
{
	struct table *t = table_new("drain-sites", "drains by call site, and folios they moved");
	unsigned int rows = 0, left_out = 0;

	if (!t) {
		r->doc.failed = -ENOMEM;
		return;
	}
	table_column(t, "call site", ALIGN_LEFT);
	for (unsigned int i = 0; i < s->n; i++) {
		char header[64];

		if (!source_lru(&s->v[i]))
			continue;
		snprintf(header, sizeof(header), "%s%s", s->n > 1 ? source_label(s, i).s : "drains",
			 s->v[i].result.what_if ? " (what-if)" : "");
		table_column(t, header, ALIGN_RIGHT);
		table_column(t, "moved", ALIGN_RIGHT);
	}
	for (unsigned int i = 0; i < s->n; i++) {
		const struct lru_result *l = source_lru(&s->v[i]);

		for (unsigned int k = 0; l && k < l->nsites; k++) {
			if (listed_before(s, i, l->sites[k].name))
				continue;
			if (rows++ < SITES_SHOWN)
				site_row(t, s, l->sites[k].name);
			else
				left_out++;
		}
	}
	document_table(&r->doc, t);
	if (left_out)
		document_sentence(&r->doc, "%u more call sites are not shown", left_out);
}

static void explain_cost(struct report *r, const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		const struct lru_result *l = &s->v[i].result.lru;
		char buf[160];

		if (l->known && l->cost_known)
			document_sentence(&r->doc,
					  "%sestimate, not measured: lruadd=%s costs %s ns a page "
					  "more than no barrier and no call, %s s for %s pages",
					  report_prefix(s, i, buf, sizeof(buf)),
					  lruadd_name(l->lruadd), format_number(l->page_ns, 2).s,
					  format_number(l->cost_seconds, 6).s,
					  format_count(l->added).s);
	}
}

void report_lru(struct report *r, const struct sources *s)
{
	bool any = false, sites = false;

	for (unsigned int i = 0; i < s->n; i++) {
		const struct lru_result *l = source_lru(&s->v[i]);

		any |= l != NULL;
		sites |= l && l->nsites;
	}
	if (!any)
		return;
	document_heading(&r->doc, "Per-CPU batches of the LRU");
	policies_table(r, s);
	document_sentence(
		&r->doc, "A drain empties the batches of one CPU; empty: it found nothing to move; "
			 "saved: releases that did not drain because their batch already had.");
	if (sites)
		sites_table(r, s);
	explain_cost(r, s);
}
