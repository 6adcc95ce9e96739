// SPDX-License-Identifier: GPL-2.0
#include "analyze/derived.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

#define PAGE_ASSUMED 4096 /* bytes; what nearly all machines have, and it is said */

/* ---- counters by whatever name the tools give them ---- */

struct alias {
	const char *name, *counter;
};

static const struct alias aliases[] = {
	{ "pages swapped in", "pswpin" }, { "pages swapped out", "pswpout" },
	{ "pswpin/s", "pswpin" },	  { "pswpout/s", "pswpout" },
	{ "majflt/s", "pgmajfault" },	  { "Ops Swap Ins", "pswpin" },
	{ "Ops Swap Outs", "pswpout" },
};

/* "proc-vmstat.swap_ra" and "node_vmstat_swap_ra" are swap_ra. */
static bool is_counter(const char *name, const char *counter)
{
	static const char *const prefixes[] = { "proc-vmstat.", "node_vmstat_", "vmstat." };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			name += strlen(prefixes[i]);
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(name, aliases[i].name))
			name = aliases[i].counter;
	return !strcmp(name, counter);
}

/* What input @i counted of a metric: over all its runs or intervals, since the input before. */
static double counted(const struct comparison *c, unsigned int i, const struct metric *m)
{
	double sum = 0;

	if (m->kind != QUANTITY_PLAIN)
		return NAN;
	if (m->reading == READING_COUNTER && i)
		return counter_difference(c, i, m->name);
	if (m->reading == READING_GAUGE)
		return NAN;
	for (size_t k = 0; k < m->n; k++)
		sum += m->v[k];
	return sum;
}

static double counter(const struct comparison *c, unsigned int i, const char *name)
{
	for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++)
		if (is_counter(c->inputs[i].metrics[k].name, name))
			return counted(c, i, &c->inputs[i].metrics[k]);
	return NAN;
}

static bool since_boot(const struct comparison *c)
{
	for (unsigned int k = 0; k < c->nnames; k++)
		if (c->names[k]->reading == READING_COUNTER)
			return true;
	return false;
}

/* Values of several runs or intervals are rates or sums of them: no bytes can be told of rates. */
static bool is_rate(const struct comparison *c, unsigned int i, const char *name)
{
	for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++)
		if (is_counter(c->inputs[i].metrics[k].name, name))
			return c->inputs[i].metrics[k].reading == READING_RATE ||
			       c->inputs[i].metrics[k].n > 1;
	return false;
}

/* ---- the list ---- */

__attribute__((format(printf, 2, 3))) static void say(struct derived_list *l, const char *fmt, ...)
{
	char **bigger = realloc(l->notes, (l->nnotes + 1) * sizeof(*bigger));
	va_list ap;
	char *text;

	if (!bigger) {
		l->failed = -ENOMEM;
		return;
	}
	l->notes = bigger;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		l->notes[l->nnotes++] = text;
	else
		l->failed = -ENOMEM;
	va_end(ap);
}

static struct derived *add(struct derived_list *l, const struct comparison *c, const char *name,
			   enum derived_unit unit)
{
	struct derived *bigger = realloc(l->v, (l->n + 1) * sizeof(*bigger)), *new;

	if (!bigger) {
		l->failed = -ENOMEM;
		return NULL;
	}
	l->v = bigger;
	new = &bigger[l->n];
	memset(new, 0, sizeof(*new));
	snprintf(new->name, sizeof(new->name), "%s", name);
	new->unit = unit;
	new->v = malloc(c->n * sizeof(*new->v));
	if (!new->v) {
		l->failed = -ENOMEM;
		return NULL;
	}
	for (unsigned int i = 0; i < c->n; i++)
		new->v[i] = NAN;
	l->n++;
	return new;
}

/* Without any value it is no answer; @said: but its contradiction is one. */
static void drop_if_empty(struct derived_list *l, const struct comparison *c, bool said)
{
	struct derived *last = &l->v[l->n - 1];

	for (unsigned int i = 0; i < c->n; i++)
		if (isfinite(last->v[i]))
			return;
	if (said)
		return;
	free(last->v);
	l->n--;
}

/* ---- readahead ---- */

static void readahead(const struct comparison *c, struct derived_list *l)
{
	struct derived *rate = add(l, c, "readahead hit rate", DERIVED_PERCENT), *unused;
	unsigned int notes = l->nnotes;

	if (!rate)
		return;
	for (unsigned int i = 0; i < c->n; i++) {
		double ra = counter(c, i, "swap_ra"), hit = counter(c, i, "swap_ra_hit");

		if (hit > ra)
			say(l,
			    "%s: %s hits of %s pages read ahead contradict each other: no hit rate",
			    c->inputs[i].name, format_number(hit, 0).s, format_number(ra, 0).s);
		else if (ra > 0)
			rate->v[i] = 100 * hit / ra;
	}
	drop_if_empty(l, c, l->nnotes > notes);
	unused = add(l, c, "readahead that was not used", DERIVED_PAGES);
	for (unsigned int i = 0; unused && i < c->n; i++) {
		double ra = counter(c, i, "swap_ra"), hit = counter(c, i, "swap_ra_hit");

		/* Of runs it would be the sum of all of them. */
		if (hit <= ra && !is_rate(c, i, "swap_ra"))
			unused->v[i] = ra - hit;
	}
	if (unused)
		drop_if_empty(l, c, false);
}

static void readahead_share(const struct comparison *c, struct derived_list *l)
{
	struct derived *share = add(l, c, "swap-ins that readahead brought", DERIVED_PERCENT);

	for (unsigned int i = 0; share && i < c->n; i++) {
		double ra = counter(c, i, "swap_ra"), in = counter(c, i, "pswpin");

		/* From 6.18 on readahead can be counted without swap-ins, and zswap's are none. */
		if (in > 0 && ra <= in)
			share->v[i] = 100 * ra / in;
	}
	if (share)
		drop_if_empty(l, c, false);
}

static void per_fault(const struct comparison *c, struct derived_list *l)
{
	struct derived *d = add(l, c, "pages swapped in per major fault", DERIVED_RATIO);

	for (unsigned int i = 0; d && i < c->n; i++) {
		double in = counter(c, i, "pswpin"), faults = counter(c, i, "pgmajfault");

		if (faults > 0)
			d->v[i] = in / faults;
	}
	if (d)
		drop_if_empty(l, c, false);
}

/* ---- large folios ---- */

static bool contains(const char *s, const char *what)
{
	size_t n = strlen(what);

	for (; *s; s++)
		if (!strncasecmp(s, what, n))
			return true;
	return false;
}

/* kB of "64kB/swpin", "64kB-swpin", "ZSWPIN-64kB"; 0: it is no such counter. */
static unsigned int swapin_size(const char *name, bool zswap)
{
	const char *kb = strstr(name, "kB"), *digits = kb;

	if (!kb || !contains(name, "swpin") || contains(name, "fallback") ||
	    contains(name, "zswpin") != zswap)
		return 0;
	while (digits > name && isdigit((unsigned char)digits[-1]))
		digits--;
	return digits < kb && kb - digits < 8 ? (unsigned int)strtoul(digits, NULL, 10) : 0;
}

static double page_kb(const struct comparison *c, unsigned int i, bool *told)
{
	const char *size = input_condition_get(&c->inputs[i], "page_size");

	*told = c->page_size || size;
	if (c->page_size)
		return (double)c->page_size / 1024;
	return size ? strtod(size, NULL) / 1024 : PAGE_ASSUMED / 1024.0;
}

static bool large_swapins(const struct comparison *c, struct derived_list *l, bool zswap)
{
	struct derived *d = add(l, c,
				zswap ? "pages from zswap that came in large folios"
				      : "pages swapped in that came in large folios",
				DERIVED_PERCENT);
	bool assumed = false;

	for (unsigned int i = 0; d && i < c->n; i++) {
		double all = counter(c, i, zswap ? "zswpin" : "pswpin"), pages = 0;
		bool any = false, told;
		double kb = page_kb(c, i, &told);

		for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++) {
			const struct metric *m = &c->inputs[i].metrics[k];
			unsigned int size = swapin_size(m->name, zswap);

			if (!size || size <= kb)
				continue;
			pages += counted(c, i, m) * size / kb;
			any = true;
		}
		if (!any || !(all > 0))
			continue;
		assumed |= !told;
		if (pages > all)
			say(l, "%s: more pages in large folios than pages in all: no share",
			    c->inputs[i].name);
		else
			d->v[i] = 100 * pages / all;
	}
	if (d)
		drop_if_empty(l, c, false);
	return assumed;
}

/* Counts of folios say little of memory: a failure of 512 kB is not one of 16 kB. */
static void fallback(const struct comparison *c, struct derived_list *l)
{
	struct mthp_row *rows;
	int n = comparison_mthp(c, &rows);
	struct derived *folios, *memory;

	if (n <= 0) {
		l->failed = n < 0 ? n : l->failed;
		free(n ? NULL : rows);
		return;
	}
	folios = add(l, c, "fallback, by folios", DERIVED_PERCENT);
	if (!folios || !(memory = add(l, c, "fallback, by memory", DERIVED_PERCENT))) {
		mthp_rows_free(rows, n);
		return;
	}
	folios = memory - 1; /* the list may have moved */
	for (unsigned int i = 0; i < c->n; i++) {
		double good = 0, bad = 0;

		for (int k = 0; k + 1 < n; k++) {
			if (rows[k].swpout[i] == COUNT_UNKNOWN ||
			    rows[k].fallback[i] == COUNT_UNKNOWN)
				continue;
			good += (double)rows[k].swpout[i] * rows[k].kb;
			bad += (double)rows[k].fallback[i] * rows[k].kb;
		}
		folios->v[i] =
			rows[n - 1].swpout[i] == COUNT_UNKNOWN ||
					rows[n - 1].fallback[i] == COUNT_UNKNOWN
				? NAN
				: percent_of(rows[n - 1].fallback[i],
					     rows[n - 1].fallback[i] + rows[n - 1].swpout[i]);
		if (good + bad > 0)
			memory->v[i] = 100 * bad / (good + bad);
	}
	mthp_rows_free(rows, n);
}

/* ---- bytes ---- */

static bool bytes_of(const struct comparison *c, struct derived_list *l, const char *name,
		     const char *title, bool rate)
{
	char text[80];
	struct derived *d;
	bool assumed = false;

	snprintf(text, sizeof(text), "%s%s", title, rate ? ", a second" : "");
	d = add(l, c, text, rate ? DERIVED_RATE : DERIVED_BYTES);
	for (unsigned int i = 0; d && i < c->n; i++) {
		double pages = counter(c, i, name);
		bool told;
		double kb = page_kb(c, i, &told);

		if (is_rate(c, i, name) || isnan(pages))
			continue;
		d->v[i] = pages * kb * 1024;
		if (rate)
			d->v[i] /= since_boot(c) ? comparison_seconds(c, i) : NAN;
		assumed |= !told && isfinite(d->v[i]);
	}
	if (d)
		drop_if_empty(l, c, false);
	return assumed;
}

void derived_answers(const struct comparison *c, struct derived_list *l)
{
	static const struct {
		const char *counter, *title;
	} traffic[] = {
		{ "pswpin", "read from swap" },
		{ "pswpout", "written to swap" },
		{ "zswpin", "read from zswap" },
		{ "zswpout", "written to zswap" },
	};
	bool assumed = false;

	memset(l, 0, sizeof(*l));
	for (unsigned int i = 0; i < c->n; i++)
		if (c->inputs[i].kind == INPUT_TRACE || c->inputs[i].kind == INPUT_RESULTS ||
		    c->inputs[i].kind == INPUT_ARGDIST)
			return; /* they tell more themselves */
	readahead(c, l);
	readahead_share(c, l);
	per_fault(c, l);
	assumed |= large_swapins(c, l, false);
	assumed |= large_swapins(c, l, true);
	fallback(c, l);
	for (size_t k = 0; k < sizeof(traffic) / sizeof(traffic[0]); k++) {
		assumed |= bytes_of(c, l, traffic[k].counter, traffic[k].title, false);
		assumed |= bytes_of(c, l, traffic[k].counter, traffic[k].title, true);
	}
	if (assumed)
		say(l, "at 4 KiB a page, which is assumed: --page-size tells");
	if (l->n && since_boot(c))
		say(l, c->n > 1 ? "derived of counters: the first column is since boot, the others "
				  "since the reading before"
				: "derived of counters since boot");
}

void derived_free(struct derived_list *l)
{
	for (unsigned int i = 0; i < l->n; i++)
		free(l->v[i].v);
	for (unsigned int i = 0; i < l->nnotes; i++)
		free(l->notes[i]);
	free(l->v);
	free(l->notes);
	memset(l, 0, sizeof(*l));
}

double derived_change(const struct comparison *c, const struct derived *d, unsigned int i)
{
	if (d->unit == DERIVED_PERCENT)
		return d->v[i] - d->v[0];
	return since_boot(c) ? NAN : percent_change(d->v[0], d->v[i]);
}

/* ---- the table ---- */

static void bytes_cell(struct table *t, double v, bool rate)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned int u = 0;
	char text[64] = "n/a";

	while (v >= 1024 && u < 4) {
		v /= 1024;
		u++;
	}
	if (isfinite(v))
		snprintf(text, sizeof(text), "%s %s%s", format_number(v, u ? 2 : 0).s, units[u],
			 rate ? "/s" : "");
	table_word(t, text);
}

static void value_cell(struct table *t, const struct derived *d, double v)
{
	switch (d->unit) {
	case DERIVED_PERCENT:
		table_percent(t, v);
		break;
	case DERIVED_BYTES:
	case DERIVED_RATE:
		bytes_cell(t, v, d->unit == DERIVED_RATE);
		break;
	default:
		table_number(t, v, d->unit == DERIVED_PAGES ? 0 : 2);
	}
}

static void change_cell(struct table *t, const struct comparison *c, const struct derived *d,
			unsigned int i)
{
	double change = derived_change(c, d, i);
	char text[48] = "n/a";

	if (d->unit != DERIVED_PERCENT) {
		table_change(t, change);
		return;
	}
	if (isfinite(change))
		snprintf(text, sizeof(text), "%+.2f points", change);
	table_word(t, text);
}

void derived_document(const struct comparison *c, struct document *d)
{
	struct derived_list l;
	struct table *t = NULL;

	derived_answers(c, &l);
	if (l.failed)
		d->failed = l.failed;
	if (l.n && !l.failed)
		t = table_new("derived", "derived from these");
	if (t) {
		table_column(t, "answer", ALIGN_LEFT);
		for (unsigned int i = 0; i < c->n; i++) {
			table_column(t, c->inputs[i].name, ALIGN_RIGHT);
			if (i)
				table_column(t, c->n > 2 ? "vs base" : "change", ALIGN_RIGHT);
		}
	}
	for (unsigned int k = 0; t && k < l.n; k++) {
		table_word(t, l.v[k].name);
		for (unsigned int i = 0; i < c->n; i++) {
			value_cell(t, &l.v[k], l.v[k].v[i]);
			if (i)
				change_cell(t, c, &l.v[k], i);
		}
	}
	if (t)
		document_table(d, t);
	for (unsigned int i = 0; t && i < l.nnotes; i++)
		document_sentence(d, "%s", l.notes[i]);
	derived_free(&l);
}
