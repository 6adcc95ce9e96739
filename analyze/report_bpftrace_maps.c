// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_bpftrace_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

static int by_count(const void *a, const void *b)
{
	const struct map_row *x = *(const struct map_row *const *)a;
	const struct map_row *y = *(const struct map_row *const *)b;
	int key;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	key = strcmp(x->key, y->key);
	return key ? key : (x->pid > y->pid) - (x->pid < y->pid);
}

/* The rows of a map, largest count first; NULL: no memory. */
static const struct map_row **sorted(const struct count_map *map)
{
	const struct map_row **rows = malloc((map->n + 1) * sizeof(*rows));

	if (!rows)
		return NULL;
	for (unsigned int i = 0; i < map->n; i++)
		rows[i] = &map->v[i];
	qsort(rows, map->n, sizeof(*rows), by_count);
	return rows;
}

static bool has_pids(const struct count_map *map)
{
	for (unsigned int i = 0; i < map->n; i++)
		if (map->v[i].pid == COUNT_UNKNOWN)
			return false;
	return true;
}

static struct table *table_of(const struct map_dump *d, const char *what, unsigned int *number)
{
	char name[32], title[256];

	snprintf(name, sizeof(name), "map-%u", ++*number);
	snprintf(title, sizeof(title), "%s of %s", what, d->name);
	return table_new(name, title);
}

/* A pid is a name, not a quantity: no thousands are separated. */
static void add_rows(struct table *t, const struct map_row **rows, const struct count_map *map)
{
	bool pids = has_pids(map);

	table_column(t, pids ? "comm" : "key", ALIGN_LEFT);
	if (pids)
		table_column(t, "pid", ALIGN_RIGHT);
	table_column(t, "count", ALIGN_RIGHT);
	table_column(t, "share", ALIGN_RIGHT);
	for (unsigned int i = 0; i < map->n; i++) {
		const struct map_row *row = rows[i];
		char pid[24] = "", key[1100];

		if (row->pid != COUNT_UNKNOWN)
			snprintf(pid, sizeof(pid), "%" PRIu64, row->pid);
		snprintf(key, sizeof(key), "%s%s%s", row->key, !pids && *pid ? ", " : "",
			 pids ? "" : pid);
		table_word(t, key[0] ? key : "<empty>");
		if (pids)
			table_word(t, pid);
		table_count(t, row->count);
		table_percent(t, percent_of(row->count, map->total));
	}
}

static void add_map(struct report *r, const struct map_dump *d, const struct count_map *map,
		    unsigned int *number)
{
	const struct map_row **rows = sorted(map);
	struct table *t = rows ? table_of(d, map->name, number) : NULL;

	document_sentence(&r->doc, "%s: %u row%s, total %s", map->name, map->n,
			  map->n == 1 ? "" : "s", format_count(map->total).s);
	if (map->printed > 1)
		document_warning(&r->doc,
				 map->cleared
					 ? "%s was printed %u times and cleared in between; the "
					   "sum is shown"
					 : "%s was printed %u times and never fell; the last one "
					   "is shown",
				 map->name, map->printed);
	if (t)
		add_rows(t, rows, map);
	free(rows);
	document_table(&r->doc, t);
}

static void add_hist(struct report *r, const struct map_dump *d, const struct text_hist *h,
		     unsigned int *number)
{
	struct table *t = table_of(d, h->name, number);
	struct hist_bucket *axis = NULL;
	int n = t ? hist_text_axis(&h, 1, &axis) : -ENOMEM;

	document_sentence(&r->doc, "%s: %s samples", h->name, format_count(h->total).s);
	if (t) {
		table_column(t, "bucket", ALIGN_LEFT);
		table_column(t, "count", ALIGN_RIGHT);
		table_column(t, "share", ALIGN_RIGHT);
	}
	for (int i = 0; i < n; i++) {
		uint64_t count = hist_text_count(h, axis[i].low);

		table_word(t, hist_bucket_label(&axis[i]).s);
		table_count(t, count);
		table_percent(t, percent_of(count, h->total));
	}
	free(axis);
	if (n < 0)
		r->doc.failed = -ENOMEM;
	document_table(&r->doc, t);
}

static void add_dump(struct report *r, const struct map_dump *d, unsigned int *number)
{
	if (d->lost && d->lost != COUNT_UNKNOWN) {
		r->lost = true;
		document_warning(&r->doc, "%s: %s events were lost while recording", d->name,
				 format_count(d->lost).s);
	}
	r->partial |= d->skipped.n > 0;
	if (d->skipped.n)
		document_warning(&r->doc,
				 "%s: %" PRIu64 " maps or lines hold no counts and are left out; "
				 "the first is in line %" PRIu64,
				 d->name, d->skipped.n, d->skipped.first);
	for (unsigned int i = 0; i < d->n; i++)
		add_map(r, d, &d->v[i], number);
	for (unsigned int i = 0; i < d->hists.n; i++)
		add_hist(r, d, &d->hists.v[i], number);
}

/* ---- JSON ---- */

static json_t *count_json(uint64_t n)
{
	return n <= INT64_MAX ? json_integer((json_int_t)n) : json_null();
}

static json_t *map_json(const struct count_map *map)
{
	const struct map_row **rows = sorted(map);
	json_t *list = json_array();

	for (unsigned int i = 0; rows && i < map->n; i++) {
		double share = percent_of(rows[i]->count, map->total);

		json_array_append_new(list,
				      json_pack("{s:s, s:o, s:o, s:o}", "key", rows[i]->key, "pid",
						count_json(rows[i]->pid), "count",
						count_json(rows[i]->count), "share_pct",
						isnan(share) ? json_null() : json_real(share)));
	}
	if (!rows || json_array_size(list) != map->n) {
		json_decref(list);
		list = NULL;
	}
	free(rows);
	return json_pack("{s:s, s:o, s:i, s:s, s:o}", "name", map->name, "total",
			 count_json(map->total), "printed", (int)map->printed, "shown",
			 map->printed < 2 ? "only"
			 : map->cleared	  ? "sum"
					  : "last",
			 "rows", list);
}

static json_t *bound_json(int64_t v)
{
	return v == INT64_MIN || v == INT64_MAX ? json_null() : json_integer(v);
}

static json_t *histogram_json(const struct text_hist *h)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < h->n; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:o}", "low", bound_json(h->b[i].low),
						"high", bound_json(h->b[i].high), "count",
						count_json(h->b[i].count)));
	return json_pack("{s:s, s:o, s:o}", "name", h->name, "samples", count_json(h->total),
			 "buckets", list);
}

static json_t *dump_json(const struct map_dump *d)
{
	json_t *maps = json_array(), *hists = json_array();
	bool whole = true;

	for (unsigned int i = 0; i < d->n; i++)
		whole &= !json_array_append_new(maps, map_json(&d->v[i]));
	for (unsigned int i = 0; i < d->hists.n; i++)
		whole &= !json_array_append_new(hists, histogram_json(&d->hists.v[i]));
	if (whole)
		return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", d->name, "lost",
				 count_json(d->lost), "left_out", count_json(d->skipped.n), "maps",
				 maps, "histograms", hists);
	json_decref(maps);
	json_decref(hists);
	return NULL;
}

static int maps_json(const struct report *r, FILE *f)
{
	const struct map_dump *dumps = r->about;
	json_t *files = json_array(), *o;
	int ret = 0;

	for (unsigned int i = 0; i < r->nabout && !ret; i++)
		ret = json_array_append_new(files, dump_json(&dumps[i])) ? -ENOMEM : 0;
	o = json_pack("{s:s, s:i, s:o}", "swaptrace", "maps", "version", 1, "files", files);
	if (!o)
		ret = -ENOMEM;
	else if (!ret && (json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ||
			  fputc('\n', f) == EOF))
		ret = -EIO;
	json_decref(o);
	return ret;
}

int maps_report(struct report *r, const struct map_dump *dumps, unsigned int n)
{
	unsigned int number = 0;

	memset(r, 0, sizeof(*r));
	r->json = maps_json;
	r->about = dumps;
	r->nabout = n;
	document_heading(&r->doc, "Maps of bpftrace");
	for (unsigned int i = 0; i < n; i++)
		add_dump(r, &dumps[i], &number);
	return r->doc.failed;
}
