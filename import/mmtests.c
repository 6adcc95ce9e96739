// SPDX-License-Identifier: GPL-2.0
/* Tables of mmtests: a statistic, a label, and for each kernel a value with its change. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "import/readers.h"

#define KERNELS_MAX 32

struct cell {
	struct quantity value;
	bool declared;
	struct quantity change;
	bool marked; /* "*": significant */
};

/* A row: the cells from the right, and how many words its label has. */
struct row {
	struct cell cells[KERNELS_MAX]; /* from left to right */
	unsigned int n;
	unsigned int label;
};

static bool parse_number(const struct pasted *t, const char *s, size_t len, struct quantity *q)
{
	return quantity_parse_marked(s, len, t->mark, q) == QUANTITY_OK;
}

/*
 * "( 0.68%)", "(0.68%)", "* 41.71%*": the change that ends at word @i. Returns the index of its
 * first word, -1 when there is none.
 */
static int take_change(const struct pasted *t, const struct text_line *l, int i, struct cell *c)
{
	const struct word *w = &l->w[i];
	struct word number = *w;
	char open;

	if (word_ends(w, "%)"))
		open = '(';
	else if (word_ends(w, "%*"))
		open = '*';
	else
		return -1;
	number.len--;
	if (number.s[0] == open) {
		number.s++;
		number.len--;
	} else {
		if (!i || l->w[i - 1].len != 1 || l->w[i - 1].s[0] != open)
			return -1;
		i--;
	}
	c->marked = open == '*';
	c->declared = parse_number(t, number.s, number.len, &c->change) &&
		      c->change.kind == QUANTITY_PERCENT;
	/* Where there is no number, the tool writes nan. */
	return c->declared || quantity_undefined(number.s, number.len - 1) ? i : -1;
}

/* "Amean 41 51.44 ( 0.00%) 29.99 * 41.71%*"; false: it is none. */
static bool take_row(const struct pasted *t, const struct text_line *l, struct row *row)
{
	struct cell back[KERNELS_MAX];
	int i = (int)l->n - 1;

	memset(row, 0, sizeof(*row));
	while (i > 1 && row->n < KERNELS_MAX) {
		struct cell *c = &back[row->n];
		int first;

		memset(c, 0, sizeof(*c));
		first = take_change(t, l, i, c);
		if (first < 2 ||
		    !parse_number(t, l->w[first - 1].s, l->w[first - 1].len, &c->value))
			break;
		row->n++;
		i = first - 2;
	}
	for (unsigned int k = 0; k < row->n; k++)
		row->cells[k] = back[row->n - 1 - k];
	row->label = (unsigned int)(i + 1);
	return row->n && row->label;
}

/* "Ops Swap Ins 1442665.00 1400209.00": as many values as there are kernels. */
static bool take_ops(const struct pasted *t, const struct text_line *l, unsigned int kernels,
		     struct row *row)
{
	memset(row, 0, sizeof(*row));
	if (!kernels || l->n < kernels + 2)
		return false;
	for (unsigned int k = 0; k < kernels; k++) {
		const struct word *w = &l->w[l->n - kernels + k];

		if (!word_number(t, w, &row->cells[k].value))
			return false;
	}
	row->n = kernels;
	row->label = l->n - kernels;
	return true;
}

static bool is_ops(const struct text_line *l)
{
	return l->n > 2 && (word_is(&l->w[0], "Ops") || word_is(&l->w[0], "Duration"));
}

static bool is_statistic(const struct word *w)
{
	static const char *const names[] = { "Min",   "Max",	    "Amean",   "Hmean",
					     "Gmean", "Stddev",	    "Coeff",   "CoeffVar",
					     "Mean",  "Percentage", "Duration" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (word_is(w, names[i]))
			return true;
	return word_ends(w, "-qrtle") || word_begins(w, "Max-") || word_begins(w, "Best") ||
	       word_begins(w, "BAmean") || word_begins(w, "BHmean");
}

int mmtests_probe(const struct pasted *t)
{
	struct text_line l = { 0 };
	struct row row;
	unsigned int rows = 0, others = 0;

	while (text_next(t, &l)) {
		bool of = l.n && ((is_statistic(&l.w[0]) && take_row(t, &l, &row)) || is_ops(&l));

		rows += of;
		others += l.n && !of;
	}
	if (!rows)
		return 0;
	/* Titles of two lines stand above even a single row. */
	return rows + 3 >= others ? 90 : 40;
}

/* The title lines that have been met since the last row. */
struct titles {
	struct text_line line[3]; /* the last ones, the latest is [0] */
	unsigned int n;
};

static void push_title(struct titles *t, const struct text_line *l)
{
	t->line[2] = t->line[1];
	t->line[1] = t->line[0];
	t->line[0] = *l;
	t->n = t->n < 3 ? t->n + 1 : 3;
}

/* Two lines are one name; a name without '-' stands in the first line without its last letter. */
static void join_name(const char *first, const char *second, char *out, size_t size)
{
	size_t len = strlen(first);

	if (!len || (strlen(second) == len + 1 && !memcmp(first, second, len)))
		snprintf(out, size, "%s", second);
	else
		snprintf(out, size, "%s-%s", first, second);
}

/*
 * The names of @n columns from the titles; letters when no line has as many words. @used: how many
 * of the title lines were.
 */
static void take_names(const struct titles *t, unsigned int n, char names[KERNELS_MAX][128],
		       unsigned int *used)
{
	bool one = t->n > 0 && t->line[0].n == n, two = one && t->n > 1 && t->line[1].n == n;

	*used = one + two;
	for (unsigned int k = 0; k < n; k++) {
		char first[64] = "", second[64] = "";

		if (two)
			line_title(&t->line[1], k, k + 1, first, sizeof(first));
		if (one)
			line_title(&t->line[0], k, k + 1, second, sizeof(second));
		if (one)
			join_name(first, second, names[k], sizeof(names[0]));
		else
			snprintf(names[k], sizeof(names[0]), "%c", 'A' + (int)k);
	}
}

static int begin_table(const struct pasted *t, const struct text_line *l, struct titles *titles,
		       unsigned int n, struct readings *r, struct error *e)
{
	char names[KERNELS_MAX][128];
	unsigned int used;

	take_names(titles, n, names, &used);
	/* The line above them is the name of the benchmark, and all before it is talk. */
	for (unsigned int i = titles->n; i-- > used;)
		readings_leave_out(r, &titles->line[i]);
	titles->n = 0;
	if (!r->n) {
		for (unsigned int k = 0; k < n; k++)
			readings_new_column(r, names[k]);
		if (!used)
			readings_note(r, "no title names the %u columns: they are A to %c", n,
				      'A' + (int)n - 1);
		return 0;
	}
	for (unsigned int k = 0; used && k < n; k++)
		if (n != r->n || strcmp(r->c[k].name, names[k]))
			return text_bad(t, l, e,
					"mmtests table: a table of other columns begins; put each "
					"into a file of its own");
	return 0;
}

/* The tool's sign says what is better: a positive change is a gain. */
static enum reading_better better_of(const struct row *row)
{
	for (unsigned int k = 1; k < row->n; k++) {
		double change = row->cells[k].change.number;
		double difference = row->cells[k].value.number - row->cells[0].value.number;

		if (row->cells[k].declared && change != 0 && difference != 0)
			return (change > 0) == (difference < 0) ? READING_LOWER : READING_HIGHER;
	}
	return READING_UNKNOWN;
}

static bool is_share(const char *label, const struct row *row)
{
	if (!label[0] || label[strlen(label) - 1] != '%')
		return false;
	/* "NUMA hint local faults %" is a count for all its name. */
	for (unsigned int k = 0; k < row->n; k++)
		if (row->cells[k].value.number < 0 || row->cells[k].value.number > 100)
			return false;
	return true;
}

static int add_row(const struct pasted *t, const struct text_line *l, struct row *row,
		   struct readings *r, struct error *e)
{
	enum reading_better better = better_of(row);
	char label[160];
	bool share;

	if (row->n != r->n)
		return text_bad(t, l, e, "mmtests table, %u columns expected, %u found", r->n,
				row->n);
	line_title(l, 0, row->label, label, sizeof(label));
	if (readings_find(r, 0, label))
		return text_bad(t, l, e, "mmtests table: '%s' comes twice", label);
	share = is_share(label, row);
	for (unsigned int k = 0; k < row->n; k++) {
		struct cell *c = &row->cells[k];
		struct readings_declared d = { .line = l->number, .in_parentheses = true };
		struct reading *m;

		if (share)
			c->value = quantity_of(&c->value, QUANTITY_PERCENT, 1, "%");
		m = readings_add(r, k, label, READING_VALUE, &c->value, l->number);
		if (m) {
			m->better = better;
			m->significant = c->marked;
		}
		/* A new value of 0 has a percentage of its own there. */
		if (!k || !c->declared || c->value.number == 0)
			continue;
		snprintf(d.label, sizeof(d.label), "%s", label);
		d.before = row->cells[0].value;
		d.after = c->value;
		d.declared = c->change;
		readings_declare(r, &d);
	}
	return 0;
}

int mmtests_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		 struct error *e)
{
	struct titles titles = { .n = 0 };
	struct text_line l = { 0 };
	unsigned int label = 0;
	struct row row;
	int ret = 0;

	(void)o;
	r->table = true;
	while (!ret && text_next(t, &l)) {
		bool is_row;

		if (!l.n)
			continue;
		is_row = take_row(t, &l, &row) ||
			 (is_ops(&l) && take_ops(t, &l, titles.n ? titles.line[0].n : r->n, &row));
		if (!is_row && (is_ops(&l) || (is_statistic(&l.w[0]) && l.n > 2)))
			return text_bad(
				t, &l, e,
				"mmtests table: '%.*s' has to be followed by a label and by "
				"'value (change%%)' for each column",
				(int)(l.w[0].len < 20 ? l.w[0].len : 20), l.w[0].s);
		if (!is_row) {
			if (titles.n == 3)
				readings_leave_out(r, &titles.line[2]);
			push_title(&titles, &l);
			continue;
		}
		if (titles.n || !r->n) {
			ret = begin_table(t, &l, &titles, row.n, r, e);
			label = row.label;
		}
		/* Where a value is missing its label, a number, would become the value. */
		if (!ret && !is_ops(&l) && row.label != label)
			return text_bad(t, &l, e,
					"mmtests table: %u words before the first value, %u in "
					"the rows above",
					row.label, label);
		if (!ret)
			ret = add_row(t, &l, &row, r, e);
	}
	for (unsigned int i = titles.n; i-- > 0;)
		readings_leave_out(r, &titles.line[i]);
	return ret;
}
