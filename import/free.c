// SPDX-License-Identifier: GPL-2.0
/* free, in its layouts of procps 3 and 4, once or with -s. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/readers.h"

#define COLUMNS_MAX 8

static bool is_title(const struct text_line *l)
{
	return l->n >= 3 && word_is(&l->w[0], "total") && word_is(&l->w[1], "used") &&
	       word_is(&l->w[2], "free");
}

static bool is_row(const struct text_line *l)
{
	static const char *const names[] = { "Mem:",  "Swap:", "Total:", "Low:",
					     "High:", "Comm:", "-/+" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (l->n && word_is(&l->w[0], names[i]))
			return true;
	return false;
}

static int counts(const struct text_line *l)
{
	return is_title(l) || is_row(l);
}

int free_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_title(&l))
			return 50 + text_share(t, counts, 2) / 2;
	return 0;
}

/* "5.9Gi" and "558Mi" of -h; the "5.9G" of older releases means 1024 as well. */
static bool read_amount(const struct pasted *t, const struct word *w, struct quantity *q)
{
	static const char letters[] = "BKMGTP";
	const char *at = w->len > 1 ? strchr(letters, w->s[w->len - 1]) : NULL;
	struct word digits = { w->s, w->len - 1 };
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double scale = 1;

	if (word_number(t, w, q)) {
		*q = quantity_of_kb(q);
		return true;
	}
	if (quantity_parse_marked(w->s, w->len, t->mark, q) == QUANTITY_OK &&
	    q->kind == QUANTITY_AMOUNT)
		return true;
	if (!at || !*at || !word_number(t, &digits, q))
		return false;
	for (const char *p = letters; p < at; p++)
		scale *= 1024;
	*q = quantity_of(q, QUANTITY_AMOUNT, scale, units[at - letters]);
	return true;
}

static int take_row(const struct pasted *t, const struct text_line *l, char titles[COLUMNS_MAX][16],
		    unsigned int ntitles, struct readings *r, struct error *e)
{
	bool cache_line = word_is(&l->w[0], "-/+");
	unsigned int first = cache_line ? 2 : 1, skip = cache_line ? 1 : 0;
	unsigned int n = l->n > first ? l->n - first : 0;
	/* What stands under the first three titles only, or under two of them. */
	unsigned int expected = cache_line ? 2 : word_is(&l->w[0], "Mem:") ? ntitles : 3;

	if (n != expected)
		return text_bad(t, l, e, "free, row '%.*s': %u columns expected, %u found",
				(int)(l->w[0].len < 10 ? l->w[0].len : 10), l->w[0].s, expected, n);
	for (unsigned int i = 0; i < n; i++) {
		char row[32], name[64];
		struct quantity q;

		if (!read_amount(t, &l->w[first + i], &q))
			return text_bad(t, l, e, "free, column %s: '%.*s' is not an amount",
					titles[i + skip],
					(int)(l->w[first + i].len < 40 ? l->w[first + i].len : 40),
					l->w[first + i].s);
		line_title(l, 0, first, row, sizeof(row));
		if (row[0] && row[strlen(row) - 1] == ':')
			row[strlen(row) - 1] = '\0';
		snprintf(name, sizeof(name), "%s/%s", row, titles[i + skip]);
		readings_add(r, 0, name, READING_GAUGE, &q, l->number);
	}
	return 0;
}

int free_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
	      struct error *e)
{
	char titles[COLUMNS_MAX][16];
	unsigned int ntitles = 0;
	struct text_line l = { 0 };
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	while (!ret && text_next(t, &l)) {
		if (!l.n)
			continue;
		if (is_title(&l)) {
			ntitles = l.n < COLUMNS_MAX ? l.n : COLUMNS_MAX;
			for (unsigned int i = 0; i < ntitles; i++)
				line_title(&l, i, i + 1, titles[i], sizeof(titles[0]));
		} else if (ntitles && is_row(&l)) {
			ret = take_row(t, &l, titles, ntitles, r, e);
		} else {
			readings_leave_out(r, &l);
		}
	}
	for (unsigned int i = 0; i < r->c[0].n; i++)
		if (!strcmp(r->c[0].v[i].v[0].unit, "kB"))
			readings_note(r,
				      "numbers without a unit are kB, as free prints them without "
				      "-b, -m or -g");
	return ret;
}
