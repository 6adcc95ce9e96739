// SPDX-License-Identifier: GPL-2.0
/* ChromeOS' vmlog: a row every two seconds with what was counted since the row before. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/readers.h"

#define COLUMNS_MAX 64

static bool is_title(const struct text_line *l)
{
	return l->n > 3 && word_is(&l->w[0], "time") && line_has(l, "pswpin") > 0 &&
	       line_has(l, "pswpout") > 0;
}

/* "[1027/151447]" */
static bool is_stamp(const struct word *w)
{
	return w->len > 4 && w->s[0] == '[' && w->s[w->len - 1] == ']' && memchr(w->s, '/', w->len);
}

static int counts(const struct text_line *l)
{
	return is_title(l) || is_stamp(&l->w[0]);
}

int vmlog_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_title(&l))
			return 50 + text_share(t, counts, 2) / 2;
	return 0;
}

static int take_row(const struct pasted *t, const struct text_line *l, char titles[COLUMNS_MAX][32],
		    unsigned int n, struct readings *r, struct error *e)
{
	if (l->n != n + 1)
		return text_bad(t, l, e, "vmlog table, %u columns expected, %u found", n + 1, l->n);
	for (unsigned int i = 0; i < n; i++) {
		bool events = !strncmp(titles[i], "pg", 2) || !strncmp(titles[i], "pswp", 4) ||
			      !strncmp(titles[i], "zsw", 3);
		struct quantity q;

		if (!word_number(t, &l->w[i + 1], &q) || q.sign)
			return text_bad(t, l, e, "vmlog table, column %s: '%.*s' is not a number",
					titles[i],
					(int)(l->w[i + 1].len < 40 ? l->w[i + 1].len : 40),
					l->w[i + 1].s);
		if (!strncmp(titles[i], "cpufreq", 7))
			q = quantity_of(&q, QUANTITY_PLAIN, 1, "kHz");
		readings_add(r, 0, titles[i], events ? READING_COUNTS : READING_GAUGE, &q,
			     l->number);
	}
	return 0;
}

int vmlog_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
	       struct error *e)
{
	char titles[COLUMNS_MAX][32];
	struct text_line l = { 0 };
	unsigned int n = 0;
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	r->alone = true;
	while (!ret && text_next(t, &l)) {
		if (!l.n)
			continue;
		if (is_title(&l)) {
			if (l.n > COLUMNS_MAX)
				return text_bad(t, &l, e, "vmlog table of more than %d columns",
						COLUMNS_MAX);
			n = l.n - 1;
			for (unsigned int i = 0; i < n; i++)
				line_title(&l, i + 1, i + 2, titles[i], sizeof(titles[0]));
		} else if (n && is_stamp(&l.w[0])) {
			ret = take_row(t, &l, titles, n, r, e);
		} else {
			readings_leave_out(r, &l);
		}
	}
	readings_note(r, "counts are those of each row's interval, and are added up");
	return ret;
}
