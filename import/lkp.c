// SPDX-License-Identifier: GPL-2.0
/* The comparisons of kernel test robots (LKP): a column a commit, changes against the first. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "import/readers.h"

#define COMMITS_MAX 32
#define PLUS_MINUS "\xc2\xb1"

/* "---------------- ---------------------------": a group of dashes above each column. */
static unsigned int rule_groups(const struct text_line *l)
{
	for (unsigned int i = 0; i < l->n; i++) {
		if (l->w[i].len < 9)
			return 0;
		for (size_t k = 0; k < l->w[i].len; k++)
			if (l->w[i].s[k] != '-')
				return 0;
	}
	return l->n <= COMMITS_MAX ? l->n : 0;
}

/* "%stddev %change %stddev", and the strokes below it. */
static bool is_heading(const struct text_line *l)
{
	static const char *const words[] = { "%stddev", "%change", "\\", "|", "metric" };

	for (unsigned int i = 0; i < l->n; i++) {
		bool known = false;

		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			known |= word_is(&l->w[i], words[k]);
		if (!known)
			return false;
	}
	return l->n > 0;
}

int lkp_probe(const struct pasted *t)
{
	struct text_line l = { 0 };
	bool rule = false;

	while (text_next(t, &l)) {
		/* A table of failures may stand in between. */
		if (rule && is_heading(&l) && line_has(&l, "%stddev") >= 0)
			return 100;
		rule |= rule_groups(&l) > 1;
	}
	return 0;
}

struct cell {
	bool known;
	struct quantity value;
	double spread; /* NaN: none */
	bool changed;  /* a change stands before it */
	struct quantity change;
	bool points;
};

static bool is_absent(const struct word *w)
{
	return word_is(w, "n/a");
}

/* "+- 5%", "+-5%": words behind a value. Returns the words it takes, 0: none, -1: not readable. */
static int take_spread(const struct pasted *t, const struct text_line *l, unsigned int i,
		       double *spread)
{
	struct quantity q;
	struct word w;
	int taken = 1;

	*spread = NAN;
	if (i >= l->n || !word_begins(&l->w[i], PLUS_MINUS))
		return 0;
	w = (struct word){ l->w[i].s + 2, l->w[i].len - 2 };
	if (!w.len) {
		if (++i >= l->n)
			return -1;
		w = l->w[i];
		taken = 2;
	}
	if (quantity_parse_marked(w.s, w.len, t->mark, &q) != QUANTITY_OK ||
	    q.kind != QUANTITY_PERCENT)
		return -1;
	*spread = q.number;
	return taken;
}

/* "-33.0%", or "+6.4" for a metric that is a percentage itself. */
static bool take_change(const struct pasted *t, const struct word *w, struct cell *c)
{
	struct quantity q;

	c->changed = false;
	/* From 0.00, which is rounded, to anything the change may be of any size. */
	if (is_absent(w) || (word_ends(w, "%") && strchr("+-", w->s[0]) &&
			     quantity_parse_marked(w->s, w->len, t->mark, &q) == QUANTITY_RANGE))
		return true;
	if (quantity_parse_marked(w->s, w->len, t->mark, &q) != QUANTITY_OK || !q.sign ||
	    (q.kind != QUANTITY_PERCENT && q.kind != QUANTITY_PLAIN))
		return false;
	c->changed = true;
	c->points = q.kind == QUANTITY_PLAIN;
	c->change = q;
	return true;
}

/*
 * All cells of a row. Returns the index of the first word of the metric's name; 0 when the words
 * are no such row.
 */
static unsigned int take_cells(const struct pasted *t, const struct text_line *l,
			       struct cell *cells, unsigned int n)
{
	unsigned int i = 0;

	for (unsigned int k = 0; k < n; k++) {
		struct cell *c = &cells[k];
		int spread;

		memset(c, 0, sizeof(*c));
		if (k && (i >= l->n || !take_change(t, &l->w[i++], c)))
			return 0;
		if (i >= l->n)
			return 0;
		c->known = !is_absent(&l->w[i]);
		if (c->known && !word_number(t, &l->w[i], &c->value))
			return 0;
		i++;
		spread = take_spread(t, l, i, &c->spread);
		if (spread < 0)
			return 0;
		i += (unsigned int)spread;
	}
	/* A name has neither a change nor a deviation in it: that would be two rows, or more
	 * columns. */
	for (unsigned int k = i; k < l->n; k++) {
		struct cell none;

		if (word_begins(&l->w[k], PLUS_MINUS) ||
		    (strchr("+-", l->w[k].s[0]) && take_change(t, &l->w[k], &none)))
			return 0;
	}
	return i < l->n ? i : 0;
}

/* "time (s)" of our own tables: the unit is cut off and put into the cells. */
static void take_unit(char *name, struct cell *cells, unsigned int n)
{
	char *open = strrchr(name, '('), *end = open ? strchr(open, ')') : NULL;
	bool percent = name[0] && name[strlen(name) - 1] == '%';

	for (unsigned int k = 1; k < n; k++)
		percent |= cells[k].changed && cells[k].points;
	if (open > name + 1 && end && (!end[1] || end[1] == ',') && open[-1] == ' ') {
		bool all = true;

		for (unsigned int k = 0; k < n; k++)
			if (cells[k].known)
				all &= quantity_attach_unit(&cells[k].value, open + 1,
							    (size_t)(end - open - 1));
		if (all)
			open[-1] = '\0';
		percent = false;
	}
	for (unsigned int k = 0; percent && k < n; k++)
		cells[k].value = quantity_of(&cells[k].value, QUANTITY_PERCENT, 1, "%");
}

static void add_row(const struct text_line *l, unsigned int first, struct cell *cells,
		    unsigned int n, struct readings *r)
{
	char name[160];

	line_title(l, first, l->n, name, sizeof(name));
	take_unit(name, cells, n);
	for (unsigned int k = 0; k < n; k++) {
		struct readings_declared d = { .line = l->number };
		struct reading *m;

		if (!cells[k].known)
			continue;
		m = readings_add(r, k, name, READING_VALUE, &cells[k].value, l->number);
		if (m)
			m->spread = cells[k].spread;
		if (!cells[k].changed || !cells[0].known)
			continue;
		snprintf(d.label, sizeof(d.label), "%s", name);
		d.before = cells[0].value;
		d.after = cells[k].value;
		d.declared = cells[k].change;
		d.points = cells[k].points;
		readings_declare(r, &d);
	}
}

/* The names above the rule: as many words as columns, or what stands above each group. */
static void take_names(const struct text_line *names, const struct text_line *rule,
		       struct readings *r)
{
	char name[128];

	for (unsigned int k = 0; k < rule->n; k++) {
		size_t at = (size_t)(rule->w[k].s - rule->s), end = names->len;

		if (k + 1 < rule->n)
			end = (size_t)(rule->w[k + 1].s - rule->s);
		if (names->n == rule->n) {
			line_title(names, k, k + 1, name, sizeof(name));
		} else if (at < names->len) {
			end = end < names->len ? end : names->len;
			while (end > at && names->s[end - 1] == ' ')
				end--;
			escape_text(names->s + at, end - at, name, sizeof(name));
		} else {
			snprintf(name, sizeof(name), "%c", 'A' + (int)k);
		}
		readings_new_column(r, name);
	}
}

static bool begins_with_number(const struct pasted *t, const struct text_line *l)
{
	struct quantity q;

	return word_number(t, &l->w[0], &q) || is_absent(&l->w[0]);
}

int lkp_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
	     struct error *e)
{
	struct text_line l = { 0 }, before = { 0 };
	struct cell cells[COMMITS_MAX];
	char name[160];

	(void)o;
	r->table = true;
	for (; text_next(t, &l); before = l) {
		unsigned int first;

		if (!l.n)
			continue;
		if (rule_groups(&l) > 1) {
			if (r->n)
				return text_bad(t, &l, e,
						"LKP table: a second table begins; put each into a "
						"file of its own");
			/* The line of names has been counted as foreign. */
			if (before.n)
				r->left_out--;
			take_names(&before, &l, r);
			continue;
		}
		if (r->n && is_heading(&l))
			continue;
		if (!r->n || !begins_with_number(t, &l)) {
			readings_leave_out(r, &l);
			continue;
		}
		first = take_cells(t, &l, cells, r->n);
		if (!first)
			return text_bad(t, &l, e,
					"LKP table of %u commits: value, then change and value for "
					"each further commit, then the name are expected",
					r->n);
		line_title(&l, first, l.n, name, sizeof(name));
		if (readings_find(r, 0, name))
			return text_bad(t, &l, e, "LKP table: '%s' comes twice", name);
		add_row(&l, first, cells, r->n, r);
	}
	return 0;
}
