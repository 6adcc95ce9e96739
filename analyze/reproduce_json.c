// SPDX-License-Identifier: GPL-2.0
#include "analyze/reproduce_json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analyze/lruadd.h"
#include "analyze/published.h"
#include "render/format.h"

/* What is not known is null. */
static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *word(const char *s)
{
	char clean[4 * 128 + 1];

	escape_text(s, strnlen(s, 128), clean, sizeof(clean));
	return *clean ? json_string(clean) : json_null();
}

static json_t *count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* Puts @value there and remembers in @ok when that was not possible. */
static void put(bool *ok, json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, value))
		*ok = false;
}

static void append(bool *ok, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		*ok = false;
}

/* The end of each of these: nothing, if a part is missing. */
static json_t *finish(bool ok, const char *thread, const char *source, const char *setup,
		      json_t *published, json_t *ours)
{
	json_t *o = json_object();

	put(&ok, o, "thread", json_string(thread));
	put(&ok, o, "source", json_string(source));
	put(&ok, o, "setup", json_string(setup));
	put(&ok, o, "published", published);
	put(&ok, o, "ours", ours);
	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *welch_json(const struct welch *w)
{
	if (w->refused != TEST_DONE)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "t", real(w->t), "df", real(w->df), "p",
			 real(w->p), "low", real(w->low), "high", real(w->high));
}

/* --- T1 -------------------------------------------------------------------------------------- */

json_t *reproduce_swapoff_json(void)
{
	json_t *published = json_object(), *windows = json_array(), *times = json_array();
	bool ok = true;

	for (unsigned int i = 0; i < 4; i++)
		append(&ok, windows,
		       json_pack("{s:o, s:o, s:o}", "pages",
				 count(published_swapoff_windows[i].pages), "vanilla",
				 count(published_swapoff_windows[i].vanilla), "patched",
				 count(published_swapoff_windows[i].patched)));
	for (unsigned int i = 0; i < 2; i++)
		append(&ok, times,
		       json_pack("{s:s, s:f, s:f}", "readahead",
				 published_swapoff_times[i].readahead, "vanilla",
				 published_swapoff_times[i].vanilla, "patched",
				 published_swapoff_times[i].patched));
	put(&ok, published, "windows", windows);
	put(&ok, published, "seconds", times);
	return finish(ok, "swapoff", PUBLISHED_SWAPOFF_SOURCE, PUBLISHED_SWAPOFF_SETUP, published,
		      json_null());
}

/* --- T2 -------------------------------------------------------------------------------------- */

json_t *reproduce_mthp_json(void)
{
	json_t *published = json_object(), *orders = json_array(), *memtier = json_array();
	bool ok = true;

	for (unsigned int i = 0; i < PUBLISHED_MTHP_ROWS; i++) {
		const struct published_fallback *p = &published_mthp[i];

		append(&ok, orders,
		       json_pack("{s:i, s:{s:o, s:o}, s:{s:o, s:o}}", "order", (int)p->order,
				 "before", "swpout", count(p->before.swpout), "fallback",
				 count(p->before.fallback), "after", "swpout",
				 count(p->after.swpout), "fallback", count(p->after.fallback)));
	}
	for (unsigned int i = 0; i < 2; i++) {
		const struct published_memtier *m = &published_mthp_memtier[i];

		append(&ok, memtier,
		       json_pack("{s:f, s:f, s:f, s:f, s:f}", "ops_per_second", m->ops,
				 "average_ms", m->average, "p50_ms", m->p50, "p99_ms", m->p99,
				 "p99.9_ms", m->p999));
	}
	put(&ok, published, "orders", orders);
	put(&ok, published, "memtier", memtier);
	return finish(ok, "mthp", PUBLISHED_MTHP_SOURCE, PUBLISHED_MTHP_SETUP, published,
		      json_null());
}

/* --- T3 -------------------------------------------------------------------------------------- */

static json_t *row_json(const char *name, double before, double after, double change)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "name", name, "before", real(before), "after",
			 real(after), "change", real(change));
}

static json_t *list_json(const struct drain_times_list *l)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file", l->name, "n",
			 count(l->s.n), "unit", word(l->unit), "release", word(l->release), "drain",
			 word(l->drain), "emulated",
			 l->emulated < 0 ? json_null() : json_boolean(l->emulated), "mean",
			 real(l->s.mean), "stddev", real(l->s.stddev));
}

static json_t *times_json(bool *ok, const struct drain_times *t)
{
	json_t *o = json_object(), *rows = json_array();

	for (unsigned int i = 0; i < PUBLISHED_DRAIN_ROWS; i++)
		append(ok, rows,
		       row_json(published_drain[i].name, t->before.rows[i], t->after.rows[i],
				drain_times_change(t, i)));
	put(ok, o, "before", list_json(&t->before));
	put(ok, o, "after", list_json(&t->after));
	put(ok, o, "rows", rows);
	put(ok, o, "welch", welch_json(&t->welch));
	return o;
}

json_t *reproduce_drain_json(const struct drain_times *ours)
{
	json_t *published = json_object(), *rows = json_array();
	bool ok = true;

	for (unsigned int i = 0; i < PUBLISHED_DRAIN_ROWS; i++)
		append(&ok, rows,
		       row_json(published_drain[i].name, published_drain[i].before,
				published_drain[i].after, published_drain[i].change));
	put(&ok, published, "rows", rows);
	return finish(ok, "drain", PUBLISHED_DRAIN_SOURCE, PUBLISHED_DRAIN_SETUP, published,
		      ours ? times_json(&ok, ours) : json_null());
}

/* --- T4 -------------------------------------------------------------------------------------- */

static json_t *published_lruadd_json(bool *ok)
{
	json_t *o = json_object(), *rates = json_array(), *runs = json_array();
	struct sample_summary s[2];
	struct welch w;

	for (unsigned int i = 0; i < LRUADD_KERNELS; i++)
		append(ok, rates,
		       json_pack("{s:s, s:f, s:o}", "kernel", published_lruadd[i].kernel, "mbs",
				 published_lruadd[i].mbs, "gain",
				 i ? real(percent_change(published_lruadd[0].mbs,
							 published_lruadd[i].mbs))
				   : json_null()));
	for (unsigned int i = 0; i < 2; i++)
		append(ok, runs,
		       json_pack("{s:s, s:i, s:f, s:f}", "kernel", published_lruadd_runs[i].kernel,
				 "n", (int)published_lruadd_runs[i].n, "mean",
				 published_lruadd_runs[i].mean, "stddev",
				 published_lruadd_runs[i].stddev));
	lruadd_published_runs(s, &w);
	put(ok, o, "rates", rates);
	put(ok, o, "runs", runs);
	put(ok, o, "welch", welch_json(&w));
	return o;
}

static json_t *spread_json(const struct spread *s)
{
	return json_pack("{s:o, s:o, s:o}", "median", real(s->median), "low", real(s->low), "high",
			 real(s->high));
}

static json_t *machine_json(bool *ok, const struct calibration *c)
{
	struct lruadd_patch p[LRUADD_PATCHES];
	json_t *patches = json_array(), *o = json_object();

	lruadd_predict(c, p);
	for (unsigned int i = 0; i < LRUADD_PATCHES; i++)
		append(ok, patches,
		       json_pack("{s:s, s:o, s:o, s:{s:o, s:o}}", "name", p[i].name, "saved_ns",
				 spread_json(&p[i].saved), "published_gain", real(p[i].published),
				 "estimate", "at_published_rate", real(p[i].at_published_rate),
				 "holes_read_twice", real(p[i].holes_read_twice)));
	put(ok, o, "cpu", word(c->cpu));
	put(ok, o, "release", word(c->release));
	put(ok, o, "emulated", json_boolean(c->emulated));
	put(ok, o, "rounds", count(c->rounds));
	put(ok, o, "patches", patches);
	return o;
}

json_t *reproduce_lruadd_json(const struct calibration *c)
{
	bool ok = true;
	json_t *published = published_lruadd_json(&ok), *ours = machine_json(&ok, c);

	return finish(ok, "lruadd", PUBLISHED_LRUADD_SOURCE, PUBLISHED_LRUADD_SETUP, published,
		      ours);
}
