// SPDX-License-Identifier: GPL-2.0
/* What rows and columns of pasted lists, "key: value" lines and tables are. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "import/measurements.h"
#include "import/readers.h"

#define COLUMNS_MAX 16
#define CELLS_MAX (COLUMNS_MAX + 2)

/* A piece of a title line. */
struct cell {
	size_t at, end;
};

/* The columns of one block. */
struct layout {
	unsigned int
		n;   /* values in a row, at most COLUMNS_MAX; 0: rows differ and no title tells */
	bool titled; /* the title names them */
	uint64_t title_line;
	char names[COLUMNS_MAX][128];
	char corner[128];	  /* what the title has above the labels, or the line above it */
	size_t ends[COLUMNS_MAX]; /* where the values of a whole row end; 0: they do not agree */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '|';
}

/* Cells are separated by @gap blanks or more, or by any tab or bar. */
static unsigned int split_title(const char *s, unsigned int gap, struct cell *cells)
{
	size_t i = 0, len = strlen(s);
	unsigned int n = 0;

	while (i < len) {
		size_t end, k;

		while (i < len && is_blank(s[i]))
			i++;
		if (i == len)
			break;
		for (end = k = i; k < len; k++) {
			if (!is_blank(s[k]))
				end = k + 1;
			else if (k + 1 - end >= gap || s[k] != ' ')
				break;
		}
		if (n == CELLS_MAX)
			return 0;
		cells[n++] = (struct cell){ i, end };
		i = end;
	}
	return n;
}

static bool row_declares(const struct measurement_row *row)
{
	for (unsigned int i = 0; i < row->n; i++)
		if (row->v[i].have_declared)
			return true;
	return false;
}

/* Whether a title line has a cell for each of @n columns; *@skip: cells before the first of them.
 */
static bool title_fits(const char *s, unsigned int n, bool declares, struct cell *cells,
		       unsigned int *count, unsigned int *skip)
{
	for (unsigned int gap = 1; gap < 3; gap++) {
		*count = split_title(s, gap, cells);
		/* A title over the declared changes is none of ours. */
		if (declares && *count == n + 2)
			--*count;
		if (*count != n && *count != n + 1)
			continue;
		*skip = *count - n;
		return true;
	}
	return false;
}

static size_t distance(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/* A second line of the title: each of its cells belongs to the column that it stands below. */
static void add_title_line(struct layout *l, const char *s, const struct cell *first,
			   unsigned int skip)
{
	struct cell more[CELLS_MAX];
	unsigned int n = split_title(s, 2, more);

	for (unsigned int i = 0; i < n; i++) {
		unsigned int best = 0;
		size_t least = SIZE_MAX, used;

		for (unsigned int k = 0; k < l->n; k++) {
			const struct cell *c = &first[skip + k];
			size_t right = distance(more[i].end, c->end);
			size_t left = distance(more[i].at, c->at);
			size_t d = left < right ? left : right;

			if (d < least) {
				least = d;
				best = k;
			}
		}
		used = strlen(l->names[best]);
		if (used + 2 < sizeof(l->names[0])) {
			l->names[best][used++] = ' ';
			escape_text(s + more[i].at, more[i].end - more[i].at, l->names[best] + used,
				    sizeof(l->names[0]) - used);
		}
	}
}

/* Whether the cells of a title are the columns that there are already. */
static bool names_again(const char *s, const struct cell *cells, const struct readings *r)
{
	for (unsigned int k = 0; k < r->n; k++) {
		char name[128];

		escape_text(s + cells[k].at, cells[k].end - cells[k].at, name, sizeof(name));
		if (strcmp(name, r->c[k].name))
			return false;
	}
	return true;
}

/* Which of the lines above the first row is the title; their number: none. */
static unsigned int find_title(const struct layout *l, const struct measured_block *b,
			       bool declares, const struct readings *r, struct cell *cells,
			       unsigned int *skip)
{
	unsigned int count;

	for (unsigned int at = 0; r && r->n == l->n && at < b->n; at++)
		if (title_fits(b->titles[at], l->n, declares, cells, &count, skip) &&
		    names_again(b->titles[at], cells + *skip, r))
			return at;
	for (unsigned int at = 0; at < b->n; at++)
		if (title_fits(b->titles[at], l->n, declares, cells, &count, skip))
			return at;
	return b->n;
}

static void name_columns(struct layout *l, const struct measured_block *b, bool declares,
			 const struct readings *r)
{
	struct cell cells[CELLS_MAX];
	unsigned int skip = 0, at = find_title(l, b, declares, r, cells, &skip);

	l->titled = at < b->n && l->n > 1;
	for (unsigned int k = 0; k < l->n; k++) {
		if (!l->titled)
			snprintf(l->names[k], sizeof(l->names[0]), "%c", 'A' + (int)k);
		else
			escape_text(b->titles[at] + cells[skip + k].at,
				    cells[skip + k].end - cells[skip + k].at, l->names[k],
				    sizeof(l->names[0]));
	}
	if (!l->titled)
		return;
	l->title_line = b->lines[at];
	if (skip)
		escape_text(b->titles[at] + cells[0].at, cells[0].end - cells[0].at, l->corner,
			    sizeof(l->corner));
	else if (at)
		escape_text(b->titles[at - 1], strlen(b->titles[at - 1]), l->corner,
			    sizeof(l->corner));
	for (unsigned int i = at + 1; i < b->n; i++)
		add_title_line(l, b->titles[i], cells, skip);
}

/* All rows of a block may have turned out to be talk. */
static bool has_rows(const struct measurements *m, unsigned int block)
{
	for (unsigned int i = 0; i < m->n; i++)
		if (m->rows[i].block == block)
			return true;
	return false;
}

/* Columns: as many as the widest row has. Their places: where all such rows agree. */
static void find_layout(const struct measurements *m, unsigned int block, const struct readings *r,
			struct layout *l)
{
	bool declares = false, seen = false;

	memset(l, 0, sizeof(*l));
	for (unsigned int i = 0; i < m->n; i++) {
		if (m->rows[i].block != block)
			continue;
		declares |= row_declares(&m->rows[i]);
		if (m->rows[i].n > l->n)
			l->n = m->rows[i].n;
	}
	if (l->n > COLUMNS_MAX) {
		l->n = 0;
		return;
	}
	for (unsigned int i = 0; i < m->n; i++) {
		const struct measurement_row *row = &m->rows[i];

		for (unsigned int k = 0; row->block == block && row->n == l->n && k < l->n; k++) {
			if (!seen)
				l->ends[k] = row->v[k].end;
			else if (l->ends[k] != row->v[k].end)
				l->ends[k] = 0;
		}
		seen |= row->block == block && row->n == l->n;
	}
	name_columns(l, &m->blocks[block], declares, r);
}

/*
 * The column of value @i of a row. In a row with empty cells it is the one whose values end at the
 * same place; -1: none does.
 */
static int column_of(const struct measurement_row *row, unsigned int i, const struct layout *l)
{
	if (row->n == l->n)
		return (int)i;
	for (unsigned int k = 0; k < l->n; k++)
		if (l->ends[k] && l->ends[k] == row->v[i].end)
			return (int)k;
	return -1;
}

static int bad_width(const struct pasted *t, const struct measurements *m,
		     const struct measurement_row *row, const struct layout *l, struct error *e)
{
	const struct measurement_row *full = row;

	for (unsigned int i = 0; i < m->n && full->n != l->n; i++)
		if (m->rows[i].block == row->block)
			full = &m->rows[i];
	return error_set(e, -EBADMSG,
			 "%s: line %" PRIu64 " has %u values, line %" PRIu64
			 " has %u; a table needs as many in each row, or empty cells below the "
			 "titles",
			 t->name, row->line, row->n, full->line, full->n);
}

/*
 * "sys (s)" of our own tables: the unit is taken off the label. "sys (s), lower is better/n" is a
 * row below such a heading and need not be in that unit.
 */
static void unit_of_label(char *label, struct quantity *q)
{
	char *open = strrchr(label, '('), *end = open ? strchr(open, ')') : NULL, *row;
	size_t len = end ? (size_t)(end - open - 1) : 0;

	if (!end || open < label + 2 || open[-1] != ' ' ||
	    (end[1] && end[1] != ',' && end[1] != '/'))
		return;
	row = strchr(end, '/');
	if (row)
		memmove(open - 1, row, strlen(row) + 1);
	else if (q->unit[0] ? !strncmp(q->unit, open + 1, len) && !q->unit[len]
			    : quantity_attach_unit(q, open + 1, len))
		open[-1] = '\0';
}

static void add(struct readings *r, unsigned int column, const char *label,
		const struct measurement_row *row, unsigned int i)
{
	struct quantity q = row->v[i].q;
	char name[160];

	if (isnan(q.number))
		return; /* an empty cell */
	snprintf(name, sizeof(name), "%s", label);
	unit_of_label(name, &q);
	readings_add(r, column, name, READING_VALUE, &q, row->line);
}

static void declare(struct readings *r, const struct measurement_row *row, unsigned int i)
{
	struct readings_declared d = { .line = row->line };

	if (!i || !row->v[i].have_declared || isnan(row->v[0].q.number) ||
	    isnan(row->v[i].q.number))
		return;
	snprintf(d.label, sizeof(d.label), "%s", row->label);
	d.before = row->v[0].q;
	d.after = row->v[i].q;
	d.declared = row->v[i].declared;
	d.in_parentheses = !row->v[i].declared_in_row;
	d.points = row->v[i].declared_points;
	readings_declare(r, &d);
}

/* ---- tables ---- */

/* Several tables below each other: rows go by the corner of their title. */
static void row_label(const struct layout *l, unsigned int blocks,
		      const struct measurement_row *row, char *out, size_t size)
{
	if (blocks > 1 && l->corner[0])
		snprintf(out, size, "%.70s/%.80s", l->corner, row->label);
	else
		snprintf(out, size, "%s", row->label);
}

/* What our own tables have between the inputs: it follows from them. */
static bool is_change(const struct layout *l, unsigned int k)
{
	static const char *const names[] = { "vs base", "vs previous", "change", "difference" };

	for (size_t i = 0; l->titled && k && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(l->names[k], names[i]))
			return true;
	return false;
}

/* The input that column @k of a table is. */
static unsigned int input_of(const struct layout *l, unsigned int k)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < k; i++)
		n += !is_change(l, i);
	return n;
}

static bool same_columns(const struct layout *a, const struct readings *r)
{
	if (input_of(a, a->n) != r->n)
		return false;
	for (unsigned int k = 0; k < a->n; k++)
		if (!is_change(a, k) && strcmp(a->names[k], r->c[input_of(a, k)].name))
			return false;
	return true;
}

static int add_block(const struct pasted *t, const struct measurements *m, unsigned int block,
		     const struct layout *l, struct readings *r, struct error *e)
{
	for (unsigned int i = 0; i < m->n; i++) {
		const struct measurement_row *row = &m->rows[i];
		char label[160];

		if (row->block != block)
			continue;
		row_label(l, m->nblocks, row, label, sizeof(label));
		for (unsigned int k = 0; k < row->n; k++) {
			int column = column_of(row, k, l);

			if (column < 0)
				return bad_width(t, m, row, l, e);
			if (is_change(l, (unsigned int)column))
				continue;
			column = (int)input_of(l, (unsigned int)column);
			if (readings_find(r, (unsigned int)column, label) && l->titled)
				return error_set(e, -EBADMSG,
						 "%s: line %" PRIu64 ": table of %u columns: the "
						 "row '%s' comes twice",
						 t->name, row->line, l->n, label);
			add(r, (unsigned int)column, label, row, k);
			if (row->n == l->n)
				declare(r, row, k);
		}
	}
	return 0;
}

static int read_table(const struct pasted *t, const struct measurements *m, struct readings *r,
		      struct error *e)
{
	struct layout l;
	int ret = 0;

	r->table = true;
	for (unsigned int b = 0; !ret && b < m->nblocks; b++) {
		if (!has_rows(m, b))
			continue;
		find_layout(m, b, r, &l);
		if (!l.n)
			return error_set(e, -EBADMSG, "%s: more than %d columns", t->name,
					 COLUMNS_MAX);
		if (!r->n) {
			for (unsigned int k = 0; k < l.n; k++)
				if (!is_change(&l, k))
					readings_new_column(r, l.names[k]);
			if (l.titled)
				snprintf(r->taken, sizeof(r->taken),
					 "columns are inputs, rows are metrics (title in line "
					 "%" PRIu64 ")",
					 l.title_line);
			else
				snprintf(r->taken, sizeof(r->taken),
					 "columns are inputs, rows are metrics");
			r->guessed = !l.titled;
		} else if (l.titled && !same_columns(&l, r)) {
			return error_set(e, -EBADMSG,
					 "%s: line %" PRIu64 ": a table of other columns begins; "
					 "put each into a file of its own",
					 t->name, l.title_line);
		}
		ret = add_block(t, m, b, &l, r, e);
	}
	return ret;
}

/* ---- rows as inputs ---- */

static int read_rows(const struct pasted *t, const struct measurements *m, struct readings *r,
		     struct error *e)
{
	for (unsigned int i = 0; i < m->n; i++) {
		const struct measurement_row *row = &m->rows[i];
		unsigned int column;

		if (!row->label[0])
			return error_set(e, -EBADMSG,
					 "%s: line %" PRIu64
					 ": a row without a name can't be an input "
					 "of its own",
					 t->name, row->line);
		column = readings_column(r, row->label);
		for (unsigned int k = 0; k < row->n; k++)
			add(r, column, "", row, k);
	}
	snprintf(r->taken, sizeof(r->taken), "rows are inputs, their values are runs");
	r->guessed = true;
	return 0;
}

/* What is measured has names like these, so that rows of them are no inputs. */
static bool names_metric(const char *label)
{
	static const char *const names[] = { "real", "user", "sys", "system", "elapsed", "time",
					     "mean", "min",  "max", "median", "total" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(label, names[i]))
			return true;
	return counter_name_kind(label, strlen(label)) >= 0 || strchr(label, '_') ||
	       strstr(label, "swpout") || strstr(label, "swpin") || strchr(label, '/');
}

/* "without: 56.9 57.3", "with: 50.0 50.4": lists with names. */
static bool are_lists(const struct measurements *m)
{
	for (unsigned int i = 0; i < m->n; i++) {
		const struct measurement_row *row = &m->rows[i];

		if (!row->colon || row->n < 2 || row_declares(row) || names_metric(row->label) ||
		    row->v[0].q.kind != m->rows[0].v[0].q.kind ||
		    strcmp(row->v[0].q.unit, m->rows[0].v[0].q.unit))
			return false;
		for (unsigned int k = 0; k < i; k++)
			if (!strcmp(m->rows[k].label, row->label))
				return false;
	}
	return m->n > 1;
}

/* ---- sections: the same rows below different headings ---- */

static bool has_label(const struct measurements *m, unsigned int block, const char *label)
{
	for (unsigned int i = 0; i < m->n; i++)
		if (m->rows[i].block == block && !strcmp(m->rows[i].label, label))
			return true;
	return false;
}

static bool are_sections(const struct measurements *m)
{
	for (unsigned int i = 0; i < m->n; i++)
		if (m->rows[i].n != 1 || !m->blocks[m->rows[i].block].n)
			return false;
	for (unsigned int b = 1; b < m->nblocks; b++) {
		bool shared = !has_rows(m, b);

		for (unsigned int i = 0; i < m->n && !shared; i++)
			shared = m->rows[i].block == b && has_label(m, 0, m->rows[i].label);
		if (!shared)
			return false;
	}
	return m->nblocks > 1;
}

static void read_sections(const struct measurements *m, struct readings *r)
{
	for (unsigned int b = 0; b < m->nblocks; b++) {
		const struct measured_block *block = &m->blocks[b];
		unsigned int column;
		char name[128];
		const char *s;
		size_t len;

		if (!has_rows(m, b))
			continue;
		s = block->titles[block->n - 1];
		s += strspn(s, " \t");
		len = strlen(s);
		while (len && strchr(" \t\r:", s[len - 1]))
			len--;
		escape_text(s, len, name, sizeof(name));
		column = readings_column(r, name);
		for (unsigned int i = 0; i < m->n; i++)
			if (m->rows[i].block == b)
				add(r, column, m->rows[i].label, &m->rows[i], 0);
	}
	snprintf(r->taken, sizeof(r->taken),
		 "headings are inputs, the rows below them are metrics");
}

/* ---- one input ---- */

/* Every value of a row is a run, and so is a label that comes again. */
static int read_runs(const struct pasted *t, const struct measurements *m, struct readings *r,
		     struct error *e)
{
	unsigned int column = readings_new_column(r, "");

	for (unsigned int i = 0; i < m->n; i++) {
		const struct measurement_row *row = &m->rows[i];

		if (row_declares(row))
			return error_set(
				e, -EBADMSG,
				"%s: line %" PRIu64
				" declares a change, so this is a table of its own; compare "
				"it alone",
				t->name, row->line);
		for (unsigned int k = 0; k < row->n; k++)
			add(r, column, row->label, row, k);
		/* A bare list is nothing but runs; behind a label they could be columns. */
		if (row->n > 1 && row->label[0]) {
			snprintf(r->taken, sizeof(r->taken), "values of a row are runs");
			r->guessed = true;
		}
	}
	return 0;
}

static bool is_titled_table(const struct measurements *m)
{
	struct layout l;

	for (unsigned int b = 0; b < m->nblocks; b++) {
		if (!has_rows(m, b))
			continue;
		find_layout(m, b, NULL, &l);
		if (!l.titled)
			return false;
	}
	return m->nblocks > 0;
}

/* The headings of what is no table and has no sections say nothing that is kept. */
static void leave_out_titles(const struct measurements *m, struct readings *r)
{
	for (unsigned int b = 0; b < m->nblocks; b++) {
		for (unsigned int i = 0; i < m->blocks[b].n; i++) {
			const struct pasted line = { "", m->blocks[b].titles[i],
						     strlen(m->blocks[b].titles[i]),
						     DECIMAL_UNKNOWN };
			struct text_line l = { 0 };

			if (!text_next(&line, &l))
				continue;
			l.number = m->blocks[b].lines[i];
			readings_leave_out(r, &l);
		}
	}
}

static int read_alone(const struct pasted *t, const struct measurements *m, struct readings *r,
		      struct error *e)
{
	bool list = !m->rows[0].label[0] && m->n > 1;

	if (are_lists(m) && !is_titled_table(m))
		return read_rows(t, m, r, e);
	if (are_sections(m)) {
		read_sections(m, r);
		return 0;
	}
	if (is_titled_table(m))
		return read_table(t, m, r, e);
	leave_out_titles(m, r);
	if (m->rows[0].n < 2 || list || (!m->rows[0].label[0] && m->rows[0].n > 2)) {
		r->single = true;
		return read_runs(t, m, r, e);
	}
	return read_table(t, m, r, e);
}

static int arrange(const struct pasted *t, const struct reading_options *o,
		   const struct measurements *m, struct readings *r, struct error *e)
{
	if (o->orientation == ORIENT_ROWS)
		return read_rows(t, m, r, e);
	if (o->orientation == ORIENT_COLUMNS)
		return read_table(t, m, r, e);
	if (o->alone)
		return read_alone(t, m, r, e);
	if (is_titled_table(m)) {
		int ret = read_table(t, m, r, e);

		snprintf(r->taken, sizeof(r->taken),
			 "a table: each cell is a metric 'row/column' of one run");
		return ret;
	}
	if (are_sections(m)) {
		read_sections(m, r);
		return 0;
	}
	leave_out_titles(m, r);
	return read_runs(t, m, r, e);
}

int plain_probe(const struct pasted *t)
{
	(void)t;
	return 1; /* what nothing else recognises */
}

int plain_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
	       struct error *e)
{
	struct measurements m;
	int ret = measurements_read(t, &m, e);

	if (ret)
		return ret;
	ret = arrange(t, o, &m, r, e);
	r->old_counter_names = m.old_counter_names;
	memcpy(r->facts, m.facts, sizeof(r->facts));
	r->nfacts = m.nfacts;
	if (m.rounds)
		readings_note(r, "%u lines begin another run", m.rounds);
	if (m.left_out && (!r->left_out || m.left_out_line < r->left_out_line)) {
		r->left_out_line = m.left_out_line;
		snprintf(r->left_out_text, sizeof(r->left_out_text), "%s", m.left_out_text);
	}
	r->left_out += m.left_out;
	measurements_free(&m);
	return ret;
}
