// SPDX-License-Identifier: GPL-2.0
/* Tools of bcc: histograms (funclatency, argdist -H, biolatency ...), funccount, stackcount. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "import/readers.h"

/* ---- histograms: "     usecs               : count     distribution" ---- */

#define TABLES_MAX 256

static bool is_title(const struct text_line *l)
{
	return l->n == 4 && word_is(&l->w[1], ":") && word_is(&l->w[2], "count") &&
	       word_is(&l->w[3], "distribution");
}

/* "4 -> 7 : 7011 |****|" */
static bool is_bucket(const struct text_line *l)
{
	return l->n > 2 && (word_is(&l->w[1], "->") || (l->n > 3 && word_is(&l->w[3], ":"))) &&
	       memchr(l->s, '|', l->len);
}

static int hist_counts(const struct text_line *l)
{
	return is_title(l) || is_bucket(l);
}

int bcc_hist_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_title(&l))
			return 50 + text_share(t, hist_counts, 1) / 2;
	return 0;
}

/* One name's tables: what they add up to, and the last of them. */
struct hist_series {
	struct text_hist sum, last, now;
	unsigned int tables;
	bool shrinks; /* a count fell from one table to the next, so they are no running totals */
};

static uint64_t count_at(const struct text_hist *h, int64_t low)
{
	return hist_text_count(h, low);
}

static int add_bucket(struct text_hist *h, const struct hist_bucket *b)
{
	unsigned int at = 0;

	while (at < h->n && h->b[at].low < b->low)
		at++;
	if (b->count > UINT64_MAX / 4 - (h->total < UINT64_MAX / 4 ? h->total : UINT64_MAX / 4))
		return -ERANGE;
	h->total += b->count;
	if (at < h->n && h->b[at].low == b->low) {
		h->b[at].count += b->count;
		return 0;
	}
	if (h->n == h->room) {
		unsigned int room = h->room ? h->room * 2 : 32;
		struct hist_bucket *bigger = realloc(h->b, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		h->b = bigger;
		h->room = room;
	}
	memmove(h->b + at + 1, h->b + at, (h->n - at) * sizeof(h->b[0]));
	h->b[at] = *b;
	h->n++;
	return 0;
}

/* The table that was read goes into the sum and becomes the last one. */
static int end_table(struct hist_series *s)
{
	int ret = 0;

	if (!s->now.n)
		return 0;
	for (unsigned int i = 0; i < s->last.n; i++)
		s->shrinks |= count_at(&s->now, s->last.b[i].low) < s->last.b[i].count;
	for (unsigned int i = 0; !ret && i < s->now.n; i++)
		ret = add_bucket(&s->sum, &s->now.b[i]);
	free(s->last.b);
	s->last = s->now;
	memset(&s->now, 0, sizeof(s->now));
	s->tables++;
	return ret;
}

struct hists {
	struct hist_series *v;
	unsigned int n;
	struct hist_series *open;
};

static struct hist_series *find_series(struct hists *h, const char *name)
{
	struct hist_series *bigger;

	for (unsigned int i = 0; i < h->n; i++)
		if (!strcmp(h->v[i].sum.name, name))
			return &h->v[i];
	if (h->n == TABLES_MAX)
		return NULL;
	bigger = realloc(h->v, (h->n + 1) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	h->v = bigger;
	memset(&h->v[h->n], 0, sizeof(h->v[0]));
	snprintf(h->v[h->n].sum.name, sizeof(h->v[0].sum.name), "%s", name);
	return &h->v[h->n++];
}

static int take_bucket(const struct pasted *t, const struct text_line *l, struct hists *h,
		       struct error *e)
{
	uint64_t low, high, count;
	struct hist_bucket b;
	int ret;

	if (!h->open)
		return text_bad(t, l, e, "histogram of bcc: a bucket without a title above it");
	if (l->n < 5 || !word_is(&l->w[1], "->") || !word_is(&l->w[3], ":") ||
	    l->w[5 < l->n ? 5 : 4].s[0] != '|' || !word_count(&l->w[0], &low) ||
	    !word_count(&l->w[2], &high) || !word_count(&l->w[4], &count) || high < low ||
	    high >= INT64_MAX / 2)
		return text_bad(t, l, e, "histogram of bcc: 'LOW -> HIGH : COUNT |...|' expected");
	b = (struct hist_bucket){ (int64_t)low, (int64_t)high + 1, count };
	if (h->open->now.n && h->open->now.b[h->open->now.n - 1].high > b.low)
		return text_bad(
			t, l, e,
			"histogram of bcc: a bucket that does not lie above the one before");
	ret = add_bucket(&h->open->now, &b);
	if (ret == -ERANGE)
		return text_bad(t, l, e,
				"histogram of bcc: the counts add up to more than 64 bits hold");
	return ret ? error_set(e, ret, "%s: out of memory", t->name) : 0;
}

static int give_hists(struct hists *h, struct readings *r)
{
	struct text_hists *out = &r->c[0].hists;

	out->v = calloc(h->n + 1, sizeof(*out->v));
	if (!out->v)
		return -ENOMEM;
	for (unsigned int i = 0; i < h->n; i++) {
		struct hist_series *s = &h->v[i];
		bool cumulative = s->tables > 1 && !s->shrinks;
		struct text_hist *from = cumulative ? &s->last : &s->sum;

		if (!s->tables)
			continue;
		if (cumulative)
			snprintf(s->last.name, sizeof(s->last.name), "%s", s->sum.name);
		out->v[out->n++] = *from;
		memset(from, 0, sizeof(*from));
		if (s->tables > 1)
			readings_note(r, "%.60s was printed %u times and %s",
				      out->v[out->n - 1].name, s->tables,
				      cumulative ? "never fell: the last one counts"
						 : "cleared in between: the counts are added up");
	}
	return 0;
}

static void free_hists(struct hists *h)
{
	for (unsigned int i = 0; i < h->n; i++) {
		free(h->v[i].sum.b);
		free(h->v[i].last.b);
		free(h->v[i].now.b);
	}
	free(h->v);
}

/* "avg = 6 usecs, total: 51234 usecs, count: 8302" */
static bool take_average(const struct text_line *l, uint64_t *count)
{
	struct word w = l->n ? l->w[l->n - 1] : (struct word){ "", 0 };

	return l->n > 8 && word_is(&l->w[0], "avg") && word_is(&l->w[l->n - 2], "count:") &&
	       word_count(&w, count);
}

/* "function = b'do_swap_page'", "pid = 7": the key of the table below. */
static bool take_key(const struct text_line *l, char *key, size_t size)
{
	if (l->n < 3 || !word_is(&l->w[1], "="))
		return false;
	line_title(l, 2, l->n, key, size);
	return true;
}

static int read_hist_line(const struct pasted *t, const struct text_line *l, struct hists *h,
			  char *key, struct readings *r, struct error *e)
{
	char title[64], name[96];
	uint64_t count;

	if (is_title(l)) {
		line_title(l, 0, 1, title, sizeof(title));
		snprintf(name, sizeof(name), "%.40s%s%.40s", title, key[0] ? " of " : "", key);
		h->open = find_series(h, name);
		if (!h->open)
			return text_bad(t, l, e, "histograms of bcc: more than %d of them",
					TABLES_MAX);
		if (end_table(h->open))
			return error_set(e, -ENOMEM, "%s: out of memory", t->name);
		return 0;
	}
	if (is_bucket(l))
		return take_bucket(t, l, h, e);
	if (take_average(l, &count)) {
		if (h->open && h->open->now.total != count)
			readings_note(r,
				      "line %" PRIu64 " says %" PRIu64 " calls, its histogram has "
				      "%" PRIu64,
				      l->number, count, h->open->now.total);
	} else if (take_key(l, key, 64)) {
		return 0;
	} else if (!line_begins(l, "Tracing") && !line_begins(l, "^C") &&
		   !line_begins(l, "Detaching") && l->s[0] != '[' &&
		   !(l->n == 1 && l->w[0].len == 8 && l->w[0].s[2] == ':')) {
		readings_leave_out(r, l);
	}
	return 0;
}

int bcc_hist_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		  struct error *e)
{
	struct text_line l = { 0 };
	struct hists h = { 0 };
	char key[64] = "";
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	r->alone = true;
	while (!ret && text_next(t, &l))
		if (l.n)
			ret = read_hist_line(t, &l, &h, key, r, e);
	for (unsigned int i = 0; !ret && i < h.n; i++)
		if (end_table(&h.v[i]))
			ret = error_set(e, -ENOMEM, "%s: out of memory", t->name);
	if (!ret && give_hists(&h, r))
		ret = error_set(e, -ENOMEM, "%s: out of memory", t->name);
	free_hists(&h);
	return ret;
}

/* ---- funccount ---- */

static bool is_func_title(const struct text_line *l)
{
	return l->n == 2 && (word_is(&l->w[0], "FUNC") || word_is(&l->w[0], "ADDR")) &&
	       word_is(&l->w[1], "COUNT");
}

int funccount_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_func_title(&l))
			return 95;
	return 0;
}

/* "b'swapin_readahead'" is swapin_readahead. */
static void function_name(const struct word *w, char *out, size_t size)
{
	struct word bare = *w;

	if (bare.len > 3 && !memcmp(bare.s, "b'", 2) && bare.s[bare.len - 1] == '\'') {
		bare.s += 2;
		bare.len -= 3;
	}
	escape_text(bare.s, bare.len, out, size);
}

static bool is_frame_text(const struct text_line *l)
{
	return line_begins(l, "Tracing") || line_begins(l, "^C") || line_begins(l, "Detaching");
}

int funccount_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		   struct error *e)
{
	struct text_line l = { 0 };
	unsigned int tables = 0;

	(void)o;
	readings_new_column(r, "");
	r->alone = true;
	while (text_next(t, &l)) {
		struct quantity q;
		char name[160];
		uint64_t v;

		if (!l.n || is_frame_text(&l))
			continue;
		if (is_func_title(&l)) {
			tables++;
			continue;
		}
		if (!tables || (l.n != 2 && l.w[0].s[0] != 'b')) {
			readings_leave_out(r, &l);
			continue;
		}
		if (l.n != 2 || !word_count(&l.w[1], &v))
			return text_bad(t, &l, e, "funccount: 'FUNCTION COUNT' expected");
		function_name(&l.w[0], name, sizeof(name));
		if (tables == 1 && readings_find(r, 0, name))
			return text_bad(t, &l, e, "funccount: '%s' comes twice", name);
		q = quantity_of_count(v);
		readings_add(r, 0, name, READING_COUNTS, &q, l.number);
	}
	if (tables > 1)
		readings_note(r, "%u tables: each counts its own interval", tables);
	return 0;
}

/* ---- kernel stacks: stackcount of bcc, and maps of bpftrace keyed by kstack ---- */

#define FRAMES_KEPT 2

struct stack {
	char frames[FRAMES_KEPT][72]; /* without offsets: the function, and who called it */
	unsigned int n;
	bool open; /* between "@[" and "]" */
	uint64_t line;
};

/* "exit_mmap+125", "exit_mmap", "b'exit_mmap'": a symbol, alone on its line. */
static bool is_symbol(const struct text_line *l)
{
	const struct word *w = &l->w[0];

	if (l->n != 1 || !(isalpha((unsigned char)w->s[0]) || w->s[0] == '_'))
		return false;
	for (size_t i = 0; i < w->len; i++)
		if (!isalnum((unsigned char)w->s[i]) && !strchr("_.+'", w->s[i]))
			return false;
	return true;
}

static void take_frame(struct stack *s, const struct word *w)
{
	struct word bare = *w;
	const char *plus = memchr(bare.s, '+', bare.len);

	if (plus)
		bare.len = (size_t)(plus - bare.s);
	if (s->n < FRAMES_KEPT)
		function_name(&bare, s->frames[s->n], sizeof(s->frames[0]));
	s->n++;
}

/* "@[", "@name[": a stack begins on the next line. */
static bool opens_stack(const struct text_line *l)
{
	return l->n == 1 && l->w[0].s[0] == '@' && l->w[0].s[l->w[0].len - 1] == '[';
}

/* "]: 72500", "], kswapd0]: 5", ", kswapd0]: 5" */
static bool closes_stack(const struct text_line *l)
{
	return l->n > 1 && word_ends(&l->w[l->n - 2], "]:") &&
	       (l->w[0].s[0] == ']' || l->w[0].s[0] == ',');
}

/* "b'cc1' [1234]": whose stack it is, with stackcount -P. */
static bool is_process(const struct text_line *l)
{
	return l->n > 1 && l->w[l->n - 1].s[0] == '[' && word_ends(&l->w[l->n - 1], "]") &&
	       l->s[0] == ' ';
}

static int stack_counts(const struct text_line *l)
{
	uint64_t v;

	if (is_frame_text(l) || line_begins(l, "Attaching"))
		return -1;
	return opens_stack(l) || closes_stack(l) || is_symbol(l) || is_process(l) ||
	       (l->n == 1 && l->s[0] == ' ' && word_count(&l->w[0], &v));
}

int stacks_probe(const struct pasted *t)
{
	struct text_line l = { 0 };
	bool opened = false, symbols = false, counted = false;

	uint64_t v;

	while (text_next(t, &l)) {
		opened |= opens_stack(&l);
		counted |= closes_stack(&l) ||
			   (symbols && l.n == 1 && l.s[0] == ' ' && word_count(&l.w[0], &v));
		/* A process may stand between a stack and its count. */
		symbols = l.n && (l.s[0] == ' ' || l.s[0] == '\t') &&
			  (is_symbol(&l) || (symbols && is_process(&l)));
	}
	if (!counted)
		return 0;
	return opened ? 50 + text_share(t, stack_counts, 1) / 2 : text_share(t, stack_counts, 3);
}

static void end_stack(struct readings *r, struct stack *s, uint64_t count, uint64_t line,
		      const char *leaf)
{
	struct quantity q = quantity_of_count(count);
	struct reading *before;
	char name[160];

	/* What all stacks have in common says nothing about any of them. */
	if (s->n > 1 && leaf[0])
		snprintf(name, sizeof(name), "%s", s->frames[1]);
	else if (s->n > 1)
		snprintf(name, sizeof(name), "%s <- %s", s->frames[0], s->frames[1]);
	else
		snprintf(name, sizeof(name), "%s", s->frames[0]);
	before = readings_find(r, 0, name);
	if (before && before->v[0].count < UINT64_MAX / 2 && count < UINT64_MAX / 2)
		before->v[0] = quantity_of_count(before->v[0].count + count);
	else
		readings_add(r, 0, name, READING_COUNTS, &q, line);
	memset(s, 0, sizeof(*s));
}

/* The function on top of all stacks, "" when they differ. */
static void common_leaf(const struct pasted *t, char *leaf, size_t size)
{
	struct text_line l = { 0 };
	struct stack s = { .n = 0 };
	bool first = true, any = false;

	leaf[0] = '\0';
	while (text_next(t, &l)) {
		if (l.n && is_symbol(&l) && (l.s[0] == ' ' || l.s[0] == '\t')) {
			if (first) {
				memset(&s, 0, sizeof(s));
				take_frame(&s, &l.w[0]);
				if (any && strcmp(leaf, s.frames[0])) {
					leaf[0] = '\0';
					return;
				}
				snprintf(leaf, size, "%s", s.frames[0]);
				any = true;
			}
			first = false;
		} else {
			first = true;
		}
	}
}

int stacks_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		struct error *e)
{
	struct stack s = { .n = 0 };
	struct text_line l = { 0 };
	unsigned int stacks = 0;
	char leaf[72];

	(void)o;
	readings_new_column(r, "");
	r->alone = true;
	common_leaf(t, leaf, sizeof(leaf));
	while (text_next(t, &l)) {
		bool close = closes_stack(&l);
		uint64_t v;

		if (!l.n || is_frame_text(&l) || line_begins(&l, "Attaching"))
			continue;
		if (opens_stack(&l)) {
			if (s.open || s.n)
				return text_bad(t, &l, e,
						"stacks: the stack before has no count behind it");
			s.open = true;
		} else if (close || (s.n && !s.open && l.n == 1 && word_count(&l.w[0], &v))) {
			if (!s.n || (close && !s.open) || !word_count(&l.w[l.n - 1], &v))
				return text_bad(t, &l, e, "stacks: no count behind a stack");
			end_stack(r, &s, v, l.number, leaf);
			stacks++;
		} else if (is_symbol(&l) && (l.s[0] == ' ' || l.s[0] == '\t')) {
			take_frame(&s, &l.w[0]);
		} else if (s.n && !s.open && is_process(&l)) {
			continue;
		} else if (s.open) {
			return text_bad(t, &l, e, "stacks: a function expected");
		} else {
			readings_leave_out(r, &l);
		}
	}
	if (s.n || s.open)
		return text_bad(t, &l, e, "stacks: the last stack has no count behind it");
	if (leaf[0])
		readings_note(r, "%u stacks of %s, by its caller", stacks, leaf);
	else
		readings_note(r, "%u stacks, by function and caller", stacks);
	return 0;
}
