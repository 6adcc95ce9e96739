// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/file.h"
#include "traces/header_lines.h"
#include "traces/lines.h"
#include "traces/number.h"
#include "traces/stats.h"
#include "traces/trace.h"

#define MAGIC "# swaptrace text "

struct text_import {
	struct lines in;
	const char *name;
	struct import_sink *sink;
	struct trace_sorter *sorter; /* NULL: lines are in order and go straight to the writer */
	struct trace_header *header, *closing;
	struct trace_stats *stats;
	uint64_t last_ns;
};

struct word {
	const char *s;
	size_t len;
};

bool import_sniff_text(const void *head, size_t len)
{
	return len > strlen(MAGIC) && !memcmp(head, MAGIC, strlen(MAGIC));
}

static void bad_line(struct text_import *t, const char *why)
{
	stats_bad_line(t->stats, t->in.number, why);
}

/* Too long lines are skipped before anybody sees them. */
static void count_long_lines(struct text_import *t)
{
	const struct lines *l = &t->in;

	if (l->too_long && (!t->stats->bad_lines || l->first_too_long < t->stats->bad_line)) {
		t->stats->bad_line = l->first_too_long;
		snprintf(t->stats->bad_line_why, sizeof(t->stats->bad_line_why),
			 "longer than 64 KiB");
	}
	t->stats->bad_lines += l->too_long;
}

static bool next_word(const char **p, const char *end, struct word *w)
{
	while (*p < end && (**p == ' ' || **p == '\t'))
		(*p)++;
	w->s = *p;
	while (*p < end && **p != ' ' && **p != '\t')
		(*p)++;
	w->len = (size_t)(*p - w->s);
	return w->len;
}

static bool is_dash(const struct word *w)
{
	return w->len == 1 && w->s[0] == '-';
}

static bool read_id(const struct word *w, int32_t *id)
{
	uint64_t v;

	*id = -1;
	if (is_dash(w))
		return true;
	if (!number_decimal(w->s, w->len, &v) || v > INT32_MAX)
		return false;
	*id = (int32_t)v;
	return true;
}

/* An escaped string into the writer's pool. 1: done; 0: malformed; -ENOMEM. */
static int read_string(struct text_import *t, const struct word *w, uint64_t *id)
{
	char bytes[LINES_LINE_MAX + 1];
	size_t len = unescape_bytes(w->s, w->len, bytes, sizeof(bytes));

	if (len == (size_t)-1)
		return 0;
	*id = trace_write_string(t->sink->w, bytes, len);
	return *id ? 1 : -ENOMEM;
}

static bool read_enum(const struct key_desc *k, const struct word *w, uint64_t *v)
{
	for (*v = 0; k->names[*v]; (*v)++)
		if (!strncmp(k->names[*v], w->s, w->len) && !k->names[*v][w->len])
			return true;
	return false;
}

/* 1: *@v is the value; 0: it is none for this key; -ENOMEM. */
static int read_value(struct text_import *t, const struct key_desc *k, const struct word *w,
		      uint64_t *v)
{
	int64_t number;

	switch (k->kind) {
	case KEY_SIGNED:
		if (!number_i64(w->s, w->len, &number))
			return 0;
		*v = (uint64_t)number;
		return 1;
	case KEY_HEX:
		return number_hex(w->s, w->len, v);
	case KEY_ENUM:
		return read_enum(k, w, v);
	case KEY_FLAGS:
		return device_flags_parse(w->s, w->len, k->names, v);
	case KEY_STRING:
		return read_string(t, w, v);
	default:
		return number_u64(w->s, w->len, v);
	}
}

static void unknown_key(struct text_import *t, const struct word *w, size_t name_len)
{
	t->stats->unknown_keys++;
	stats_name_unknown(t->stats, w->s, name_len);
}

/* One key=value. What is not understood is counted and named, the rest of the line counts. */
static int read_key(struct text_import *t, const struct word *w, struct event *ev)
{
	const char *eq = memchr(w->s, '=', w->len);
	size_t name_len = eq ? (size_t)(eq - w->s) : w->len;
	int key = eq ? event_key_by_name(ev->type, w->s, name_len) : -1;
	struct word value;
	uint64_t v;
	int ret;

	if (key < 0) {
		unknown_key(t, w, name_len);
		return 0;
	}
	value = (struct word){ eq + 1, w->len - name_len - 1 };
	ret = read_value(t, event_key(ev->type, (unsigned int)key), &value, &v);
	if (ret > 0)
		event_set(ev, (unsigned int)key, v);
	else if (!ret)
		unknown_key(t, w, w->len);
	return ret < 0 ? ret : 0;
}

static int put_event(struct text_import *t, const struct event *ev, struct error *e)
{
	if (ev->t_ns < t->last_ns)
		t->stats->unsorted = true;
	else
		t->last_ns = ev->t_ns;
	return t->sorter ? trace_sorter_add(t->sorter, ev, e) : trace_write(t->sink->w, ev, e);
}

/* The five columns before the keys; false (and counted) when the line is no event. */
static int read_columns(struct text_import *t, const char **p, const char *end, struct event *ev)
{
	struct word time, cpu, tgid, comm, name;
	uint64_t t_ns, id = 0;
	int32_t cpu_id, tgid_id;
	int type, ret = 1;

	next_word(p, end, &time);
	next_word(p, end, &cpu);
	next_word(p, end, &tgid);
	next_word(p, end, &comm);
	if (!next_word(p, end, &name)) {
		bad_line(t, "fewer than five columns");
		return 0;
	}
	if (!number_decimal(time.s, time.len, &t_ns)) {
		bad_line(t, "the time is not a number of ns");
		return 0;
	}
	if (!read_id(&cpu, &cpu_id) || !read_id(&tgid, &tgid_id)) {
		bad_line(t, "the cpu or the tgid is neither a number nor '-'");
		return 0;
	}
	if (!is_dash(&comm))
		ret = read_string(t, &comm, &id);
	if (!ret)
		bad_line(t, "the comm has a malformed escape");
	if (ret <= 0)
		return ret;
	type = event_type_by_name(name.s, name.len);
	if (type < 0) {
		t->stats->unknown_events++;
		stats_name_unknown(t->stats, name.s, name.len);
		return 0;
	}
	event_init(ev, (enum event_type)type, t_ns);
	ev->cpu = cpu_id;
	ev->tgid = tgid_id;
	ev->comm = (uint32_t)id;
	return 1;
}

static int read_event(struct text_import *t, struct error *e)
{
	const char *p = t->in.line, *end = p + t->in.len;
	struct event ev;
	struct word w;
	int ret;

	if (memchr(p, '\0', t->in.len)) {
		bad_line(t, "it holds a NUL byte");
		return 0;
	}
	ret = read_columns(t, &p, end, &ev);
	while (ret > 0 && next_word(&p, end, &w)) {
		int bad = read_key(t, &w, &ev);

		if (bad)
			ret = bad;
	}
	if (ret < 0)
		return error_errno(e, ret, "%s, line %llu", t->name,
				   (unsigned long long)t->in.number);
	return ret ? put_event(t, &ev, e) : 0;
}

static bool blank(const char *s)
{
	return !s[strspn(s, " \t")];
}

static int read_magic(struct text_import *t, struct error *e)
{
	uint64_t version;
	const char *p;
	int ret = lines_next(&t->in);

	if (ret < 0)
		return error_errno(e, ret, "cannot read %s", t->name);
	if (!ret || !import_sniff_text(t->in.line, t->in.len))
		return error_set(
			e, -EBADMSG,
			"%s is not text notation: its first line is not '# swaptrace text 1'",
			t->name);
	p = t->in.line + strlen(MAGIC);
	if (!number_decimal(p, strspn(p, "0123456789"), &version))
		return error_set(e, -EBADMSG, "%s: no version in the first line", t->name);
	if (version > 1)
		return error_set(e, -EBADMSG,
				 "%s was written by a newer version (%llu) of swaptrace; this one "
				 "reads version 1: update swaptrace",
				 t->name, (unsigned long long)version);
	return 0;
}

static void name_misspelt(struct trace_stats *stats, const char *word, size_t len,
			  const char *nearest)
{
	char *names = stats->unknown_fact_names, text[128];

	if (len > 40)
		len = 40;
	stats->unknown_facts++;
	if (nearest)
		snprintf(text, sizeof(text), "%.*s (%s?)", (int)len, word, nearest);
	else
		snprintf(text, sizeof(text), "%.*s", (int)len, word);
	if (strlen(names) + strlen(text) + 3 >= sizeof(stats->unknown_fact_names))
		return;
	if (names[0])
		strcat(names, ", ");
	strcat(names, text);
}

/* A '#' line: taken over when it is header, forgotten when it is a comment. */
static int read_hash_line(struct text_import *t, struct trace_header *h, bool facts,
			  struct error *e)
{
	const char *text = t->in.line + 1 + strspn(t->in.line + 1, " \t");
	const char *meant = trace_header_misspelt(text);
	int ret;

	if (meant)
		name_misspelt(t->stats, text, strcspn(text, " \t"), meant);
	if (!facts && trace_header_is_fact(text))
		return 0;
	ret = trace_header_add_line(h, text, NULL);
	return ret == -ENOMEM ? error_errno(e, ret, "%s", t->name) : 0;
}

/* Lines up to the first event. 1: an event is the current line; 0: there is none. */
static int read_header(struct text_import *t, struct error *e)
{
	for (;;) {
		int ret = lines_next(&t->in);

		if (ret < 0)
			return error_errno(e, ret, "cannot read %s", t->name);
		if (!ret)
			return 0;
		if (blank(t->in.line))
			continue;
		if (t->in.line[0] != '#')
			return 1;
		ret = read_hash_line(t, t->header, true, e);
		if (ret)
			return ret;
	}
}

static int read_events(struct text_import *t, struct error *e)
{
	int ret;

	do {
		ret = 0;
		if (t->in.line[0] == '#')
			ret = read_hash_line(t, t->closing, false, e);
		else if (!blank(t->in.line))
			ret = read_event(t, e);
		if (ret)
			return ret;
		ret = lines_next(&t->in);
	} while (ret > 0);
	return ret ? error_errno(e, ret, "cannot read %s", t->name) : 0;
}

/*
 * Look ahead whether the times of the rest of the file ascend, from the current line on. Such a
 * file needs no sorting, whatever its length. What can't be looked at twice (a pipe) may need it.
 */
static int look_ahead(struct text_import *t, bool *ascending, struct error *e)
{
	uint64_t last = 0, v, place, number = t->in.number;
	uint64_t too_long = t->in.too_long;
	int ret = 1;

	*ascending = lines_mark(&t->in, &place);
	if (!*ascending)
		return 0;
	while (ret > 0 && *ascending) {
		const char *p = t->in.line;
		struct word w;

		if (next_word(&p, t->in.line + t->in.len, &w) && number_decimal(w.s, w.len, &v)) {
			*ascending = v >= last;
			last = v;
		}
		ret = lines_next(&t->in);
	}
	if (ret >= 0 && lines_back(&t->in, place, number)) {
		t->in.too_long = too_long; /* those behind are met again */
		ret = lines_next(&t->in);
	}
	return ret < 0 ? error_errno(e, ret, "cannot read %s", t->name) : 0;
}

/* Facts that nobody knows are most often misspelt: name them with what was probably meant. */
static void name_unknown_facts(struct text_import *t)
{
	const char *key;

	for (size_t i = 0; (key = trace_header_unknown(t->header, i)); i++)
		name_misspelt(t->stats, key, strlen(key), header_key_nearest(key));
}

static int read_body(struct text_import *t, bool events, struct error *e)
{
	int ret = t->sink->create(t->sink, t->header, e);
	bool ascending;

	if (ret || !events)
		return ret;
	ret = look_ahead(t, &ascending, e);
	if (ret)
		return ret;
	if (!ascending) {
		ret = sorter_new_plain(&t->sorter, t->sink->w, e);
		if (ret)
			return ret;
	}
	ret = read_events(t, e);
	if (t->sorter) {
		int end = trace_sorter_end(t->sorter, NULL, ret ? NULL : e);

		ret = ret ? ret : end;
	}
	return ret;
}

int import_text(FILE *in, const char *name, struct import_sink *sink, struct trace_header *closing,
		struct trace_stats *stats, struct error *e)
{
	struct text_import *t = malloc(sizeof(*t));
	int ret;

	if (!t)
		return error_errno(e, -ENOMEM, "%s", name);
	memset(t, 0, sizeof(*t));
	t->name = name;
	t->sink = sink;
	t->closing = closing;
	t->stats = stats;
	lines_open(&t->in, in);
	t->header = trace_header_new();
	ret = t->header ? read_magic(t, e) : error_errno(e, -ENOMEM, "%s", name);
	if (!ret)
		ret = read_header(t, e);
	if (ret >= 0) {
		name_unknown_facts(t);
		ret = read_body(t, ret > 0, e);
	}
	count_long_lines(t);
	trace_header_free(t->header);
	free(t);
	return ret;
}

static int create_replacing(struct import_sink *s, const struct trace_header *h, struct error *e)
{
	return trace_create(&s->w, s->path, h, e);
}

int trace_import_text(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		      struct error *e)
{
	struct import_sink sink = { .create = create_replacing, .path = out_path };
	struct trace_header *closing = trace_header_new();
	int ret;

	memset(stats, 0, sizeof(*stats));
	if (!closing)
		return error_errno(e, -ENOMEM, "%s", name);
	ret = import_text(in, name, &sink, closing, stats, e);
	if (ret)
		trace_abandon(sink.w);
	else
		ret = trace_finish_counted(sink.w, closing, &stats->events, e);
	trace_header_free(closing);
	return ret;
}
