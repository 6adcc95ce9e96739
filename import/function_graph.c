// SPDX-License-Identifier: GPL-2.0
/* ftrace's function_graph, from trace-cmd report or from the trace file: how long each call took.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "import/readers.h"

#define DEPTH_MAX 64
#define CPUS_MAX 1024
#define SLOW_US 1000

/* A line: "... [CPU] TIME: funcgraph_entry: DURATION us | NAME();", " CPU) DURATION us | NAME();"
 */
struct call {
	int cpu;
	bool timed;
	struct quantity us;
	char name[100];
	bool leaf, opens, closes;
	unsigned int marked; /* words between the columns that were not understood */
};

/* The bar between the duration and the function. */
static int bar_at(const struct text_line *l)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (word_is(&l->w[i], "|"))
			return (int)i;
	return -1;
}

/* "[020]" or "3)" */
static bool take_cpu(const struct word *w, int *cpu)
{
	struct word digits = { w->s + 1, w->len - 2 };
	uint64_t v;

	if (w->len > 2 && w->s[0] == '[' && w->s[w->len - 1] == ']') {
		while (digits.len > 1 && digits.s[0] == '0') {
			digits.s++;
			digits.len--;
		}
	} else if (w->len > 1 && w->s[w->len - 1] == ')') {
		digits = (struct word){ w->s, w->len - 1 };
	} else {
		return false;
	}
	if (!word_count(&digits, &v) || v >= CPUS_MAX)
		return false;
	*cpu = (int)v;
	return true;
}

/* Index of the first word behind what says who and when; -1: no line of the tracer. */
static int columns_at(const struct text_line *l, int *cpu)
{
	bool found = false;

	*cpu = -1;
	for (unsigned int i = 0; i < l->n; i++) {
		if (take_cpu(&l->w[i], cpu))
			found = true;
		if (found &&
		    (word_is(&l->w[i], "funcgraph_entry:") || word_is(&l->w[i], "funcgraph_exit:")))
			return (int)i + 1;
	}
	return l->n > 1 && take_cpu(&l->w[0], cpu) && bar_at(l) > 0 ? 1 : -1;
}

/* "9.802us", "9.802 us", "#9870.146 us", "! 123.4 us", or nothing. */
static bool take_duration(const struct pasted *t, const struct text_line *l, unsigned int i,
			  unsigned int bar, struct call *c)
{
	struct word w;

	c->timed = false;
	if (i < bar && l->w[i].len == 1 && strchr("+!#*@$", l->w[i].s[0]))
		i++;
	if (i == bar)
		return true;
	w = l->w[i];
	if (strchr("+!#*@$", w.s[0])) {
		w.s++;
		w.len--;
	}
	if (quantity_parse_marked(w.s, w.len, DECIMAL_POINT, &c->us) != QUANTITY_OK)
		return false;
	i++;
	if (c->us.kind == QUANTITY_PLAIN &&
	    (i >= bar || !quantity_attach_unit(&c->us, l->w[i].s, l->w[i].len)))
		return false;
	i += i < bar && c->us.kind == QUANTITY_TIME && word_is(&l->w[i], "us");
	c->timed = true;
	(void)t;
	return c->us.kind == QUANTITY_TIME && i == bar;
}

static void take_name(const struct text_line *l, unsigned int i, struct call *c)
{
	const struct word *w = i < l->n ? &l->w[i] : NULL;
	const char *open = w ? memchr(w->s, '(', w->len) : NULL;

	c->closes = w && w->s[0] == '}';
	c->leaf = open && word_ends(w, "();");
	c->opens = open && !c->leaf;
	if (open)
		escape_text(w->s, (size_t)(open - w->s), c->name, sizeof(c->name));
}

/* 1 a call, 0 a line of something else, -1 a line of the tracer that can't be read. */
static int parse_call(const struct pasted *t, const struct text_line *l, struct call *c)
{
	int at, bar = bar_at(l);

	memset(c, 0, sizeof(*c));
	at = columns_at(l, &c->cpu);
	if (at < 0)
		return 0;
	if (bar < at || !take_duration(t, l, (unsigned int)at, (unsigned int)bar, c))
		return -1;
	take_name(l, (unsigned int)bar + 1, c);
	if (c->leaf || c->closes)
		return c->timed ? 1 : -1;
	return c->opens ? 1 : -1;
}

int function_graph_probe(const struct pasted *t)
{
	struct text_line l = { 0 };
	unsigned int graph = 0, others = 0;
	int cpu;

	while (text_next(t, &l)) {
		bool is = l.n && columns_at(&l, &cpu) >= 0;

		graph += is;
		others += l.n && !is && l.w[0].s[0] != '#';
	}
	return graph && graph >= others ? 90 : 0;
}

/* Functions that are open on each CPU. */
struct stack {
	char names[DEPTH_MAX][100];
	unsigned int n;
};

static void add_call(struct readings *r, const char *name, const struct quantity *us, uint64_t line)
{
	struct quantity q = *us;
	struct reading *m = readings_add(r, 0, name, READING_VALUE, &q, line);

	if (m)
		m->better = READING_LOWER;
}

/* What a list of latencies is read for besides its mean. */
static void add_totals(struct readings *r)
{
	unsigned int n = r->c[0].n;

	for (unsigned int i = 0; i < n && !r->failed; i++) {
		double sum = 0;
		uint64_t slow = 0;
		struct quantity q = { .scale = 1e-6, .decimals = 3 };
		char name[160];

		for (unsigned int k = 0; k < r->c[0].v[i].n; k++) {
			double us = r->c[0].v[i].v[k].number * r->c[0].v[i].v[k].scale * 1e6;

			sum += us;
			slow += us > SLOW_US;
		}
		q.number = sum;
		q.count = UINT64_MAX;
		q = quantity_of(&q, QUANTITY_TIME, 1e-6, "us");
		snprintf(name, sizeof(name), "%.100s, sum", r->c[0].v[i].name);
		readings_add(r, 0, name, READING_VALUE, &q, r->c[0].v[i].lines[0]);
		snprintf(name, sizeof(name), "%.100s, calls over 1 ms", r->c[0].v[i].name);
		q = quantity_of_count(slow);
		readings_add(r, 0, name, READING_VALUE, &q, r->c[0].v[i].lines[0]);
	}
}

int function_graph_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
			struct error *e)
{
	struct stack *stacks = calloc(CPUS_MAX + 1, sizeof(*stacks));
	struct text_line l = { 0 };
	unsigned int lost = 0, calls = 0;
	int ret = stacks ? 0 : error_set(e, -ENOMEM, "%s: out of memory", t->name);

	(void)o;
	readings_new_column(r, "");
	r->alone = true;
	while (!ret && text_next(t, &l)) {
		struct stack *s;
		struct call c;
		int is = l.n ? parse_call(t, &l, &c) : 0;

		if (!l.n || l.w[0].s[0] == '#')
			continue;
		if (is < 0)
			ret = text_bad(t, &l, e,
				       "function_graph: 'DURATION us | FUNCTION();' expected");
		else if (!is)
			readings_leave_out(r, &l);
		if (is <= 0)
			continue;
		s = &stacks[c.cpu + 1];
		calls += c.leaf || c.closes;
		if (c.leaf)
			add_call(r, c.name, &c.us, l.number);
		else if (c.opens && s->n < DEPTH_MAX)
			memcpy(s->names[s->n++], c.name, sizeof(c.name));
		else if (c.opens)
			s->n = 0;
		else if (s->n)
			add_call(r, s->names[--s->n], &c.us, l.number);
		else
			lost++;
	}
	free(stacks);
	if (ret)
		return ret;
	if (lost)
		readings_note(r,
			      "%u calls have no beginning in the text: their function is not known",
			      lost);
	readings_note(r, "%u calls", calls);
	add_totals(r);
	return 0;
}
