// SPDX-License-Identifier: GPL-2.0
/* Maps of bpftrace, as text or JSON, and thp_swap_allocator_test, as measurements. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/count.h"
#include "import/bpftrace_maps.h"
#include "import/readers.h"
#include "import/swap_allocator_test.h"

int bpftrace_probe(const struct pasted *t)
{
	size_t head = t->len < 65536 ? t->len : 65536;

	if (memchr(t->s, '\0', head))
		return 0;
	return maps_recognise(t->s, t->len) || hist_text_recognise(t->s, t->len) ? 70 : 0;
}

/* A key goes by its comm: pids are others in each run. */
static void add_map(const struct count_map *map, bool only, struct readings *r)
{
	for (unsigned int i = 0; i < map->n; i++) {
		char name[160];
		struct reading *m;
		struct quantity q = quantity_of_count(map->v[i].count);

		if (!map->v[i].key[0])
			snprintf(name, sizeof(name), "%s", map->name);
		else if (only)
			snprintf(name, sizeof(name), "%.150s", map->v[i].key);
		else
			snprintf(name, sizeof(name), "%.60s[%.90s]", map->name, map->v[i].key);
		m = readings_find(r, 0, name);
		if (m && m->v[0].count < UINT64_MAX / 2 && q.count < UINT64_MAX / 2)
			m->v[0] = quantity_of_count(m->v[0].count + q.count);
		else
			readings_add(r, 0, name, READING_COUNTS, &q, map->last_line);
	}
}

/* The lines of other text that a map or histogram may stand among. */
static bool is_known_line(const struct text_line *l)
{
	return l->w[0].s[0] == '@' || l->w[0].s[0] == '[' || l->w[0].s[0] == '(' ||
	       l->w[0].s[0] == '{' || line_begins(l, "Attaching") || line_begins(l, "^C") ||
	       line_begins(l, "Lost ") || line_begins(l, "Detaching") ||
	       line_begins(l, "Tracing") || (l->n == 1 && memchr(l->s, ':', l->len));
}

static void note_dump(const struct pasted *t, const struct map_dump *d, struct readings *r)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (l.n && !is_known_line(&l))
			readings_leave_out(r, &l);
	for (unsigned int i = 0; i < d->n; i++) {
		const struct count_map *map = &d->v[i];

		if (map->printed > 1)
			readings_note(r, "%.60s was printed %u times and %s", map->name,
				      map->printed,
				      map->cleared ? "cleared in between: its counts are added up"
						   : "never fell: the last one counts");
		readings_note(r, "%.60s: %u keys, total %" PRIu64, map->name, map->n, map->total);
	}
	if (d->skipped.n)
		readings_note(r,
			      "%" PRIu64 " maps or lines hold no counts and are left out; the "
			      "first is in line %" PRIu64,
			      d->skipped.n, d->skipped.first);
	if (d->lost && d->lost != COUNT_UNKNOWN)
		r->lost = d->lost;
}

int bpftrace_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		  struct error *e)
{
	FILE *in = t->len ? fmemopen((void *)(uintptr_t)t->s, t->len, "r") : NULL;
	struct map_dump d;
	int ret;

	(void)o;
	if (!in)
		return error_set(e, -ENOMEM, "%s: out of memory", t->name);
	ret = maps_read(in, t->name, &d, e);
	fclose(in);
	if (ret)
		return ret;
	readings_new_column(r, "");
	r->alone = true;
	for (unsigned int i = 0; i < d.n && !r->failed; i++)
		add_map(&d.v[i], d.n == 1 && !d.hists.n, r);
	if (!r->failed) {
		r->c[0].hists = d.hists;
		memset(&d.hists, 0, sizeof(d.hists));
		note_dump(t, &d, r);
	}
	maps_free(&d);
	return 0;
}

/* ---- thp_swap_allocator_test ---- */

int tsat_table_probe(const struct pasted *t)
{
	return tsat_recognise(t->s, t->len) ? 95 : 0;
}

int tsat_table_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		    struct error *e)
{
	FILE *in = fmemopen((void *)(uintptr_t)t->s, t->len, "r");
	struct quantity q;
	struct tsat test;
	int ret;

	(void)o;
	if (!in)
		return error_set(e, -ENOMEM, "%s: out of memory", t->name);
	ret = tsat_read(in, t->name, &test, e);
	fclose(in);
	if (ret)
		return ret;
	readings_new_column(r, "");
	r->alone = true;
	for (unsigned int i = 0; i < test.n; i++) {
		q = quantity_of_count(test.v[i].swpout);
		readings_add(r, 0, "swpout", READING_COUNTS, &q, test.v[i].number);
		q = quantity_of_count(test.v[i].fallback);
		readings_add(r, 0, "fallback", READING_COUNTS, &q, test.v[i].number);
	}
	readings_note(r, "%u iterations, added up", test.n);
	if (test.ignored) {
		r->left_out = test.ignored;
		r->left_out_line = test.first_ignored;
	}
	if (test.wrong)
		readings_note(r, "%u lines state a share that does not follow from their counts",
			      test.wrong);
	tsat_free(&test);
	return 0;
}
