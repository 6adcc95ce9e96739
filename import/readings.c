// SPDX-License-Identifier: GPL-2.0
#include "import/readings.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/count.h"
#include "common/text.h"

unsigned int readings_new_column(struct readings *r, const char *name)
{
	struct readings_column *bigger;

	if (r->n == READINGS_COLUMNS_MAX) {
		r->failed = r->failed ? r->failed : -E2BIG;
		return r->n - 1;
	}
	bigger = realloc(r->c, (r->n + 1) * sizeof(*bigger));
	if (!bigger) {
		r->failed = -ENOMEM;
		return 0;
	}
	r->c = bigger;
	memset(&r->c[r->n], 0, sizeof(r->c[0]));
	snprintf(r->c[r->n].name, sizeof(r->c[0].name), "%s", name);
	r->c[r->n].seconds = NAN;
	return r->n++;
}

unsigned int readings_column(struct readings *r, const char *name)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (!strcmp(r->c[i].name, name))
			return i;
	return readings_new_column(r, name);
}

struct reading *readings_find(const struct readings *r, unsigned int column, const char *name)
{
	for (unsigned int i = 0; column < r->n && i < r->c[column].n; i++)
		if (!strcmp(r->c[column].v[i].name, name))
			return &r->c[column].v[i];
	return NULL;
}

static struct reading *new_reading(struct readings *r, struct readings_column *c, const char *name,
				   enum reading_kind kind)
{
	struct reading *new;

	if (c->n == READINGS_NAMES_MAX) {
		r->failed = r->failed ? r->failed : -E2BIG;
		return NULL;
	}
	if (c->n == c->room) {
		unsigned int room = c->room ? c->room * 2 : 16;
		struct reading *bigger = realloc(c->v, room * sizeof(*bigger));

		if (!bigger) {
			r->failed = -ENOMEM;
			return NULL;
		}
		c->v = bigger;
		c->room = room;
	}
	new = c->v + c->n++;
	*new = (struct reading){ .kind = kind, .spread = NAN };
	strncat(new->name, name, sizeof(new->name) - 1);
	return new;
}

static int grow(struct reading *m)
{
	unsigned int room = m->room ? m->room * 2 : 2;
	struct quantity *v;
	uint64_t *lines;

	if (m->n < m->room)
		return 0;
	v = realloc(m->v, room * sizeof(*v));
	if (!v)
		return -ENOMEM;
	m->v = v;
	lines = realloc(m->lines, room * sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	m->lines = lines;
	m->room = room;
	return 0;
}

struct reading *readings_add(struct readings *r, unsigned int column, const char *name,
			     enum reading_kind kind, const struct quantity *q, uint64_t line)
{
	struct reading *m;

	if (r->failed || column >= r->n)
		return NULL;
	m = readings_find(r, column, name);
	if (!m)
		m = new_reading(r, &r->c[column], name, kind);
	if (!m)
		return NULL;
	if (grow(m)) {
		r->failed = -ENOMEM;
		return NULL;
	}
	m->v[m->n] = *q;
	m->lines[m->n++] = line;
	return m;
}

void readings_declare(struct readings *r, const struct readings_declared *d)
{
	struct readings_declared *bigger =
		realloc(r->declared, (r->ndeclared + 1) * sizeof(*bigger));

	if (!bigger) {
		r->failed = -ENOMEM;
		return;
	}
	r->declared = bigger;
	bigger[r->ndeclared++] = *d;
}

void readings_leave_out(struct readings *r, const struct text_line *l)
{
	size_t at = l->n ? (size_t)(l->w[0].s - l->s) : 0, len = l->len - at;

	if (r->left_out++)
		return;
	r->left_out_line = l->number;
	escape_text(l->s + at, len < 40 ? len : 40, r->left_out_text, sizeof(r->left_out_text));
}

void readings_note(struct readings *r, const char *fmt, ...)
{
	char text[sizeof(r->notes[0])];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (unsigned int i = 0; i < r->nnotes; i++)
		if (!strcmp(r->notes[i], text))
			return;
	if (r->nnotes < READINGS_NOTES_MAX)
		memcpy(r->notes[r->nnotes++], text, sizeof(text));
}

uint64_t readings_values(const struct readings *r)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < r->n; i++) {
		n += r->c[i].hists.n;
		for (unsigned int k = 0; k < r->c[i].n; k++)
			n += r->c[i].v[k].n;
	}
	return n;
}

void readings_free(struct readings *r)
{
	for (unsigned int i = 0; i < r->n; i++) {
		for (unsigned int k = 0; k < r->c[i].n; k++) {
			free(r->c[i].v[k].v);
			free(r->c[i].v[k].lines);
		}
		free(r->c[i].v);
		hist_text_free(&r->c[i].hists);
	}
	free(r->c);
	free(r->declared);
	memset(r, 0, sizeof(*r));
}

struct quantity quantity_of_count(uint64_t n)
{
	return (struct quantity){ .number = (double)n, .scale = 1, .count = n };
}

struct quantity quantity_of(const struct quantity *plain, enum quantity_kind kind, double scale,
			    const char *unit)
{
	struct quantity q = *plain;

	q.kind = kind;
	q.scale = scale;
	snprintf(q.unit, sizeof(q.unit), "%s", unit);
	return q;
}

struct quantity quantity_of_kb(const struct quantity *kb)
{
	return quantity_of(kb, QUANTITY_AMOUNT, 1024, "kB");
}
