// SPDX-License-Identifier: GPL-2.0
/* The text of Prometheus' exporters, node_exporter above all. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "import/readers.h"

#define TYPES_MAX 4096
#define TIMESTAMP_MIN 100000000000u /* milliseconds: of 1973, so that no value passes for one */

/* "# TYPE node_vmstat_pswpin untyped" */
struct metric_type {
	char name[120];
	char type[12];
};

struct types {
	struct metric_type *v;
	unsigned int n;
};

static bool is_comment(const struct text_line *l)
{
	return l->n > 2 && word_is(&l->w[0], "#") &&
	       (word_is(&l->w[1], "TYPE") || word_is(&l->w[1], "HELP"));
}

static size_t name_length(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == ':'))
		n++;
	return len && (isalpha((unsigned char)s[0]) || s[0] == '_' || s[0] == ':') ? n : 0;
}

/* A sample: NAME{LABELS} VALUE [TIME]. The lengths of name and series; 0: it is none. */
static size_t series_length(const struct text_line *l, size_t *name)
{
	bool quoted = false;
	size_t i;

	*name = name_length(l->s, l->len);
	if (!*name)
		return 0;
	if (*name == l->len || l->s[*name] != '{')
		return *name < l->len && l->s[*name] == ' ' ? *name : 0;
	for (i = *name + 1; i < l->len; i++) {
		if (l->s[i] == '"' && l->s[i - 1] != '\\')
			quoted = !quoted;
		if (l->s[i] == '}' && !quoted)
			return i + 1 < l->len && l->s[i + 1] == ' ' ? i + 1 : 0;
	}
	return 0;
}

static int counts(const struct text_line *l)
{
	size_t name;

	return l->w[0].s[0] == '#' ? -1 : series_length(l, &name) > 0 && memchr(l->s, '_', name);
}

int prometheus_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l)) {
		size_t name;
		size_t n = l.n ? series_length(&l, &name) : 0;

		if (is_comment(&l) && word_is(&l.w[1], "TYPE"))
			return 98;
		if (n && name > 5 && !memcmp(l.s, "node_", 5))
			return text_share(t, counts, 1);
	}
	return 0;
}

static void take_type(struct types *types, const struct text_line *l)
{
	struct metric_type *bigger;

	if (l->n != 4 || !word_is(&l->w[1], "TYPE") || types->n == TYPES_MAX)
		return;
	bigger = realloc(types->v, (types->n + 1) * sizeof(*bigger));
	if (!bigger)
		return;
	types->v = bigger;
	line_title(l, 2, 3, types->v[types->n].name, sizeof(types->v[0].name));
	line_title(l, 3, 4, types->v[types->n].type, sizeof(types->v[0].type));
	types->n++;
}

static bool ends_in(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(s + len - n, end, n);
}

/* As its TYPE says; node_exporter calls what it copies from /proc/vmstat untyped. */
static enum reading_kind kind_of(const struct types *types, const char *s, size_t len)
{
	for (unsigned int i = 0; i < types->n; i++) {
		if (strlen(types->v[i].name) != len || memcmp(types->v[i].name, s, len))
			continue;
		if (!strcmp(types->v[i].type, "counter"))
			return READING_COUNTER;
		if (!strcmp(types->v[i].type, "gauge"))
			return READING_GAUGE;
	}
	if (len > 12 && !memcmp(s, "node_vmstat_", 12) &&
	    counter_name_kind(s + 12, len - 12) == READING_COUNTER)
		return READING_COUNTER;
	if (ends_in(s, len, "_total") || ends_in(s, len, "_count") || ends_in(s, len, "_sum") ||
	    ends_in(s, len, "_bucket"))
		return READING_COUNTER;
	return READING_GAUGE;
}

/* A whole number above 2^53 and below 2^64 stands there as a float: it is as exact as it can be. */
static bool take_value(const struct word *w, struct quantity *q)
{
	uint64_t v;

	if (quantity_undefined(w->s, w->len))
		return true; /* q->number stays NaN */
	if (word_count(w, &v)) {
		*q = quantity_of_count(v);
		return true;
	}
	if (quantity_parse_marked(w->s, w->len, DECIMAL_POINT, q) != QUANTITY_OK ||
	    q->kind != QUANTITY_PLAIN || q->rounded || memchr(w->s, ',', w->len))
		return false;
	/* "1.088044e+06" is the whole number 1088044. */
	if (q->number >= 0 && q->number < 9e15 && q->number == floor(q->number)) {
		q->count = (uint64_t)q->number;
		q->decimals = 0;
	}
	return true;
}

int prometheus_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		    struct error *e)
{
	struct types types = { 0 };
	struct text_line l = { 0 };
	unsigned int undefined = 0;
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	while (!ret && text_next(t, &l)) {
		struct quantity q = { .number = NAN, .scale = 1 };
		size_t name, n = l.n ? series_length(&l, &name) : 0;
		struct text_line rest = { 0 };
		char series[160];
		uint64_t ms;

		if (!l.n)
			continue;
		if (is_comment(&l)) {
			take_type(&types, &l);
			continue;
		}
		if (!n) {
			readings_leave_out(r, &l);
			continue;
		}
		text_next(&(struct pasted){ t->name, l.s + n, l.len - n, DECIMAL_POINT }, &rest);
		if (rest.n < 1 || rest.n > 2 || !take_value(&rest.w[0], &q) ||
		    (rest.n == 2 && (!word_count(&rest.w[1], &ms) || ms < TIMESTAMP_MIN))) {
			ret = text_bad(
				t, &l, e,
				"Prometheus text: 'NAME{LABELS} VALUE [TIMESTAMP]' expected");
			continue;
		}
		escape_text(l.s, n, series, sizeof(series));
		if (isnan(q.number)) {
			undefined++;
			continue;
		}
		if (readings_find(r, 0, series))
			ret = text_bad(t, &l, e,
				       "Prometheus text: '%.80s' comes twice in one scrape",
				       series);
		readings_add(r, 0, series, kind_of(&types, l.s, name), &q, l.number);
		if (rest.n == 2)
			r->c[0].seconds = (double)ms / 1000;
		else if (!strcmp(series, "node_time_seconds") && isnan(r->c[0].seconds))
			r->c[0].seconds = q.number;
	}
	free(types.v);
	if (undefined)
		readings_note(r, "%u series are NaN or infinite and left out", undefined);
	return ret;
}
