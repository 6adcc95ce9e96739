// SPDX-License-Identifier: GPL-2.0
/* sar -W, -B, -S, -r, -q and whatever else has a time and columns with titles. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/readers.h"

#define COLUMNS_MAX 32

/* "11:05:01" */
static bool is_time(const struct word *w)
{
	static const char shape[] = "dd:dd:dd";

	if (w->len != 8)
		return false;
	for (size_t i = 0; i < 8; i++)
		if (shape[i] == 'd' ? !isdigit((unsigned char)w->s[i]) : w->s[i] != ':')
			return false;
	return true;
}

/* Words of the time at the start of a row, 0: none. */
static unsigned int time_words(const struct text_line *l)
{
	if (!l->n || !is_time(&l->w[0]))
		return 0;
	return l->n > 1 && (word_is(&l->w[1], "AM") || word_is(&l->w[1], "PM")) ? 2 : 1;
}

static bool is_number(const struct word *w)
{
	return isdigit((unsigned char)w->s[0]) || (w->s[0] == '-' && w->len > 1);
}

static bool is_title(const struct text_line *l)
{
	unsigned int at = time_words(l);

	if (!at || l->n < at + 2)
		return false;
	for (unsigned int i = at; i < l->n; i++)
		if (is_number(&l->w[i]))
			return false;
	for (unsigned int i = at; i < l->n; i++)
		if (word_ends(&l->w[i], "/s") || l->w[i].s[0] == '%' || word_begins(&l->w[i], "kb"))
			return true;
	return false;
}

/* "Average:" in whatever language: one word that ends in a colon, before numbers. */
static bool is_average(const struct text_line *l)
{
	return l->n > 1 && l->w[0].len > 3 && l->w[0].s[l->w[0].len - 1] == ':' &&
	       is_number(&l->w[l->n - 1]);
}

static int counts(const struct text_line *l)
{
	return time_words(l) > 0 || is_average(l) || word_is(&l->w[0], "Linux");
}

int sar_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_title(&l))
			return 50 + text_share(t, counts, 2) / 2;
	return 0;
}

struct sar_table {
	char title[COLUMNS_MAX][32];
	unsigned int n;
	bool named;	     /* the first column is a device, a CPU */
	bool averages_alone; /* there are no other rows */
};

static void take_title(struct sar_table *s, const struct text_line *l)
{
	static const char *const who[] = { "CPU", "DEV", "IFACE", "TTY", "INTR" };
	unsigned int at = time_words(l);

	s->named = false;
	for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++)
		s->named |= word_is(&l->w[at], who[i]);
	s->n = 0;
	for (unsigned int i = at + s->named; i < l->n && s->n < COLUMNS_MAX; i++)
		line_title(l, i, i + 1, s->title[s->n++], sizeof(s->title[0]));
}

static int take_row(const struct pasted *t, const struct text_line *l, const struct sar_table *s,
		    unsigned int at, struct readings *r, struct error *e)
{
	char who[64] = "";

	if (l->n - at != s->n + s->named)
		return text_bad(t, l, e, "sar table, %u columns expected, %u found",
				s->n + s->named, l->n - at);
	if (s->named)
		line_title(l, at, at + 1, who, sizeof(who));
	for (unsigned int i = 0; i < s->n; i++) {
		const struct word *w = &l->w[at + s->named + i];
		const char *title = s->title[i];
		enum reading_kind kind = strstr(title, "/s") ? READING_RATE : READING_GAUGE;
		struct quantity q;
		char name[100];

		/* All numbers of sar are of one shape, so a single comma is the decimal mark. */
		if (quantity_parse_marked(w->s, w->len,
					  t->mark == DECIMAL_UNKNOWN && memchr(w->s, ',', w->len)
						  ? DECIMAL_COMMA
						  : t->mark,
					  &q) != QUANTITY_OK ||
		    q.kind != QUANTITY_PLAIN)
			return text_bad(t, l, e, "sar table, column %s: '%.*s' is not a number",
					title, (int)(w->len < 40 ? w->len : 40), w->s);
		if (title[0] == '%')
			q = quantity_of(&q, QUANTITY_PERCENT, 1, "%");
		else if (!strncmp(title, "kb", 2))
			q = quantity_of_kb(&q);
		snprintf(name, sizeof(name), "%s%s%s", who, who[0] ? "/" : "", title);
		readings_add(r, 0, name, kind, &q, l->number);
	}
	return 0;
}

int sar_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
	     struct error *e)
{
	struct text_line l = { 0 };
	struct sar_table s = { 0 };
	unsigned int rows = 0;
	bool averages = false;
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	r->alone = true;
	while (text_next(t, &l))
		rows += time_words(&l) && !is_title(&l) && is_number(&l.w[l.n - 1]);
	text_rewind(&l);
	while (!ret && text_next(t, &l)) {
		unsigned int at = time_words(&l);

		if (!l.n || word_is(&l.w[0], "Linux"))
			continue;
		if (is_title(&l)) {
			take_title(&s, &l);
		} else if (at && s.n && l.n > at && !(l.n > at && line_has(&l, "RESTART") >= 0)) {
			ret = take_row(t, &l, &s, at, r, e);
		} else if (s.n && is_average(&l)) {
			averages = true;
			if (!rows)
				ret = take_row(t, &l, &s, 1, r, e);
		} else {
			readings_leave_out(r, &l);
		}
	}
	if (averages)
		readings_note(r, rows ? "the line of averages repeats the rows and is not counted"
				      : "only the line of averages is there");
	return ret;
}
