// SPDX-License-Identifier: GPL-2.0
#include "cli/info.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

/* Exact, or null: JSON readers take no integers above 2^63 - 1. */
static json_t *number(uint64_t v)
{
	return v <= INT64_MAX ? json_integer((json_int_t)v) : json_null();
}

static json_t *maybe(bool have, uint64_t v)
{
	return have ? number(v) : json_null();
}

/* Foreign bytes as valid UTF-8. */
static json_t *escaped(const char *s)
{
	size_t len = strlen(s);
	char *text = malloc(4 * len + 5);
	json_t *j;

	if (!text)
		return NULL;
	escape_text(s, len, text, 4 * len + 5);
	j = json_string(text);
	free(text);
	return j;
}

static json_t *word(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static json_t *header_lines(const struct trace_header *h)
{
	json_t *a = json_array();
	size_t n = trace_header_lines(h);

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, json_string(trace_header_line(h, i)));
	return a;
}

static json_t *devices(const struct trace_header *h)
{
	json_t *a = json_array();
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);

	for (unsigned int i = 0; i < n; i++, d++)
		json_array_append_new(
			a, json_pack("{s:o, s:o, s:o, s:o}", "type", number(d->type), "pages",
				     maybe(d->have_pages, d->pages), "prio",
				     d->have_prio ? json_integer(d->prio) : json_null(), "name",
				     d->name[0] ? escaped(d->name) : json_null()));
	return a;
}

static json_t *events(const struct info *in)
{
	json_t *o = json_object();

	for (unsigned int t = 0; t < EV_NR; t++)
		if (in->counts[t])
			json_object_set_new(o, event_table[t].name,
					    json_pack("{s:o, s:o}", "count", number(in->counts[t]),
						      "stored_bytes", number(in->stored[t])));
	return o;
}

static json_t *probes(const struct info *in)
{
	static const char *const states[] = { "right", "wrong", "not checked" };
	json_t *a = json_array();

	for (size_t i = 0; i < in->nprobes; i++) {
		const struct info_probe *p = &in->probes[i];

		json_array_append_new(
			a,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "event",
				  word(p->event), "symbol", word(p->symbol), "kind", word(p->kind),
				  "cpu", word(p->cpu), "hits", maybe(p->have_hits, p->hits),
				  "delivered", maybe(p->have_delivered, p->delivered), "lost",
				  maybe(p->have_lost, p->lost), "filtered",
				  maybe(p->have_filtered, p->filtered), "missed",
				  maybe(p->have_missed, p->missed), "state", states[p->state]));
	}
	return a;
}

/* Null for a readahead of which no window was probed. */
static json_t *windows(const struct info_windows *w)
{
	if (!w->probed)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "probed", number(w->probed), "derived",
			 number(w->derived), "equal", number(w->equal));
}

static json_t *damage(const struct info *in)
{
	const struct trace_stats *s = in->stats;

	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:b}", "blocks",
			 number(s->damaged_blocks + in->broken_blocks), "events",
			 number(s->damaged_events), "bytes", number(s->damaged_bytes), "lines",
			 number(s->bad_lines), "truncated", s->truncated, "header",
			 s->header_damaged);
}

int info_print_json(FILE *f, const struct info *in, bool verify)
{
	const struct trace_stats *s = in->stats;
	json_t *o = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "swaptrace", "info",
			      "version", 1, "file", escaped(in->path), "bytes", number(in->bytes),
			      "blocks", number(s->blocks), "events", number(s->events), "lost",
			      maybe(s->loss_known, s->lost), "first_ns",
			      maybe(in->have_span, in->first_ns));
	int ret = 0;

	if (!o)
		return -ENOMEM;
	json_object_set_new(o, "last_ns", maybe(in->have_span, in->last_ns));
	json_object_set_new(o, "header", header_lines(in->header));
	json_object_set_new(o, "devices", devices(in->header));
	json_object_set_new(o, "by_event", events(in));
	json_object_set_new(o, "common_bytes", number(in->stored[EV_NR]));
	json_object_set_new(o, "damage", damage(in));
	json_object_set_new(o, "offsets",
			    json_pack("{s:o, s:o, s:o}", "checked", number(in->offsets), "outside",
				      number(in->offsets_outside), "zero",
				      number(in->offsets_zero)));
	json_object_set_new(o, "windows",
			    json_pack("{s:o, s:o}", "cluster", windows(&in->windows[RA_CLUSTER]),
				      "vma", windows(&in->windows[RA_VMA_MODE])));
	json_object_set_new(o, "probes", probes(in));
	json_object_set_new(o, "verify",
			    verify ? json_string(info_finding(in) ? "failed" : "passed")
				   : json_null());
	if (json_dumpf(o, f, JSON_INDENT(2)) || fputc('\n', f) == EOF)
		ret = -EIO;
	json_decref(o);
	return ret;
}
