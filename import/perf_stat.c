// SPDX-License-Identifier: GPL-2.0
/* The whole output of perf stat, with or without -r; several of them are repeated runs. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/readers.h"

static bool is_begin(const struct text_line *l)
{
	return l->n > 3 && word_is(&l->w[0], "Performance") && word_is(&l->w[1], "counter") &&
	       word_is(&l->w[2], "stats");
}

int perf_stat_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_begin(&l))
			return 100;
	return 0;
}

/* "(10 runs)" or "(10 runs):" at the end of the first line; 0: none. */
static uint64_t runs_of(const struct text_line *l)
{
	uint64_t v;

	for (unsigned int i = 1; i < l->n; i++) {
		struct word n = { l->w[i - 1].s + 1, l->w[i - 1].len - 1 };

		if (word_begins(&l->w[i], "runs)") && l->w[i - 1].s[0] == '(' && word_count(&n, &v))
			return v;
	}
	return 0;
}

/* "( +-  0.25% )" */
static double spread_of(const struct pasted *t, const struct text_line *l)
{
	int at = -1;
	struct quantity q;

	for (unsigned int i = 1; i < l->n; i++)
		if (word_is(&l->w[i], "+-") && word_is(&l->w[i - 1], "("))
			at = (int)i;
	if (at < 0 || (unsigned int)at + 1 >= l->n ||
	    quantity_parse_marked(l->w[at + 1].s, l->w[at + 1].len, t->mark, &q) != QUANTITY_OK ||
	    q.kind != QUANTITY_PERCENT)
		return NAN;
	return q.number;
}

/* Words before the remark: "# ..." or "( +- ...". */
static unsigned int words_of(const struct text_line *l)
{
	unsigned int n = 0;

	while (n < l->n && l->w[n].s[0] != '#' && l->w[n].s[0] != '(')
		n++;
	return n;
}

/* perf groups thousands by the locale: a comma that is not decimal in the whole text separates. */
static bool number_of(const struct pasted *t, const struct word *w, struct quantity *q)
{
	enum decimal_mark mark = t->mark == DECIMAL_UNKNOWN ? DECIMAL_POINT : t->mark;

	return quantity_parse_marked(w->s, w->len, mark, q) == QUANTITY_OK &&
	       q->kind == QUANTITY_PLAIN && !q->rounded;
}

static bool is_uncounted(const struct word *w)
{
	return w->s[0] == '<';
}

/* What perf prints in msec or seconds only. */
static bool is_time(const char *name)
{
	static const char *const names[] = { "task-clock", "cpu-clock", "time elapsed", "user",
					     "sys" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static int take_row(const struct pasted *t, const struct text_line *l, uint64_t runs,
		    struct readings *r, struct error *e)
{
	unsigned int n = words_of(l), first = 1;
	struct quantity q;
	struct reading *m;
	char name[160];

	/* "1.2371 +- 0.0041 seconds time elapsed" */
	if (n > 3 && word_is(&l->w[1], "+-")) {
		if (!number_of(t, &l->w[2], &q))
			return text_bad(t, l, e, "perf stat: no number behind '+-'");
		first = 3;
	}
	if (n < 2 || !number_of(t, &l->w[0], &q))
		return text_bad(t, l, e,
				"perf stat: 'COUNT EVENT' or 'SECONDS seconds ...' expected");
	if (first < n && (quantity_attach_unit(&q, l->w[first].s, l->w[first].len) ||
			  word_is(&l->w[first], "Joules")))
		first++;
	if (first >= n || isdigit((unsigned char)l->w[first].s[0]))
		return text_bad(t, l, e, "perf stat: no event behind the count");
	line_title(l, first, n, name, sizeof(name));
	if (q.kind != QUANTITY_TIME && is_time(name))
		return text_bad(t, l, e, "perf stat: '%s' has no unit", name);
	m = readings_add(r, 0, name, READING_VALUE, &q, l->number);
	if (m) {
		m->spread = spread_of(t, l);
		m->runs = runs;
	}
	return 0;
}

int perf_stat_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		   struct error *e)
{
	struct text_line l = { 0 };
	unsigned int blocks = 0, uncounted = 0;
	uint64_t runs = 0;
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	while (!ret && text_next(t, &l)) {
		if (!l.n)
			continue;
		if (is_begin(&l)) {
			runs = runs_of(&l);
			blocks++;
		} else if (blocks && is_uncounted(&l.w[0])) {
			uncounted++;
		} else if (blocks && isdigit((unsigned char)l.w[0].s[0])) {
			ret = take_row(t, &l, runs, r, e);
		} else {
			readings_leave_out(r, &l);
		}
	}
	if (uncounted)
		readings_note(r, "%u events were not counted or not supported there", uncounted);
	if (runs)
		readings_note(r, "means of %llu runs; +- is the standard error of the mean",
			      (unsigned long long)runs);
	if (blocks > 1 && !runs)
		readings_note(r, "%u outputs of perf stat are %u runs", blocks, blocks);
	return ret;
}
