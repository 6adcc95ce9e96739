// SPDX-License-Identifier: GPL-2.0
#include "traces/header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "traces/header_lines.h"
#include "traces/number.h"
#include "traces/trace.h"

/* Facts are wrapped at this width when they are written. */
#define LINE_WIDTH 96
/* More than any recording has; keeps hostile headers from costing quadratic time. */
#define FACTS_MAX 4096
#define DIRECTIVES_MAX 65536

struct fact {
	char *key;
	char *value; /* unescaped */
};

/* What is derived from the header; kept apart so that reading functions may fill it. */
struct views {
	char **lines;
	size_t nlines;
	bool fresh;
};

struct trace_header {
	struct fact *facts;
	size_t nfacts, facts_room;
	char **directives; /* whole lines: "device type=0 ..." */
	size_t ndirectives, directives_room;
	struct trace_device devices[HEADER_DEVICES_MAX];
	unsigned int ndevices;
	struct views *views;
};

static const char *const directive_words[] = {
	"device", "probe", "clock", "loss", "filter", "note"
};

static void drop_lines(struct views *v)
{
	for (size_t i = 0; i < v->nlines; i++)
		free(v->lines[i]);
	free(v->lines);
	*v = (struct views){ 0 };
}

struct trace_header *trace_header_new(void)
{
	struct trace_header *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->views = calloc(1, sizeof(*h->views));
	if (!h->views) {
		free(h);
		return NULL;
	}
	return h;
}

void trace_header_free(struct trace_header *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nfacts; i++) {
		free(h->facts[i].key);
		free(h->facts[i].value);
	}
	for (size_t i = 0; i < h->ndirectives; i++)
		free(h->directives[i]);
	drop_lines(h->views);
	free(h->views);
	free(h->facts);
	free(h->directives);
	free(h);
}

struct trace_header *trace_header_clone(const struct trace_header *h)
{
	struct trace_header *copy = trace_header_new();

	if (copy && trace_header_merge(copy, h)) {
		trace_header_free(copy);
		return NULL;
	}
	return copy;
}

int trace_header_merge(struct trace_header *h, const struct trace_header *from)
{
	for (size_t i = 0; i < from->nfacts; i++)
		if (trace_header_set(h, from->facts[i].key, from->facts[i].value))
			return -ENOMEM;
	for (size_t i = 0; i < from->ndirectives; i++) {
		int ret = trace_header_add_line(h, from->directives[i], NULL);

		if (ret)
			return ret;
	}
	return 0;
}

static struct fact *find_fact(const struct trace_header *h, const char *key)
{
	for (size_t i = 0; i < h->nfacts; i++)
		if (!strcmp(h->facts[i].key, key))
			return &h->facts[i];
	return NULL;
}

static int append_fact(struct trace_header *h, const char *key, char *value)
{
	struct fact *f;

	if (h->nfacts == FACTS_MAX)
		return -EINVAL;
	if (h->nfacts == h->facts_room) {
		size_t room = h->facts_room ? h->facts_room * 2 : 16;

		f = realloc(h->facts, room * sizeof(*f));
		if (!f)
			return -ENOMEM;
		h->facts = f;
		h->facts_room = room;
	}
	f = &h->facts[h->nfacts];
	f->key = strdup(key);
	if (!f->key)
		return -ENOMEM;
	f->value = value;
	h->nfacts++;
	return 0;
}

#define KEY_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

int trace_header_set(struct trace_header *h, const char *key, const char *value)
{
	struct fact *f = find_fact(h, key);
	char *copy;
	int ret = 0;

	if (!*key || key[strspn(key, KEY_BYTES)])
		return -EINVAL;
	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	h->views->fresh = false;
	if (f) {
		free(f->value);
		f->value = copy;
	} else {
		ret = append_fact(h, key, copy);
		if (ret)
			free(copy);
	}
	return ret;
}

int trace_header_set_u64(struct trace_header *h, const char *key, uint64_t value)
{
	char text[24];

	text[number_put_u64(text, value)] = '\0';
	return trace_header_set(h, key, text);
}

const char *trace_header_get(const struct trace_header *h, const char *key)
{
	const struct fact *f = find_fact(h, key);

	return f ? f->value : NULL;
}

bool trace_header_u64(const struct trace_header *h, const char *key, uint64_t *value)
{
	const char *text = trace_header_get(h, key);

	return text && number_u64(text, strlen(text), value);
}

const struct trace_device *trace_header_devices(const struct trace_header *h, unsigned int *n)
{
	*n = h->ndevices;
	return h->devices;
}

bool trace_header_imaginary(const struct trace_header *h, uint64_t type)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);

	for (unsigned int i = 0; i < n; i++)
		if (d[i].type == type)
			return d[i].have_flags && d[i].flags & DEVICE_IMAGINARY;
	return false;
}

const char *trace_header_unknown(const struct trace_header *h, size_t i)
{
	for (size_t f = 0; f < h->nfacts; f++)
		if (!header_key_known(h->facts[f].key) && !i--)
			return h->facts[f].key;
	return NULL;
}

static bool word_is(const char *line, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(line, word, len) && (!line[len] || line[len] == ' ' || line[len] == '\t');
}

static bool is_directive(const char *line)
{
	for (size_t i = 0; i < sizeof(directive_words) / sizeof(directive_words[0]); i++)
		if (word_is(line, directive_words[i]))
			return true;
	return false;
}

/* The number of a `device` line that can be indexed, false for every other line. */
static bool device_type(const char *line, uint32_t *type)
{
	uint64_t v;

	if (!word_is(line, "device") || !trace_line_u64(line, "type", &v) || v > UINT32_MAX)
		return false;
	*type = (uint32_t)v;
	return true;
}

static int place_directive(struct trace_header *h, size_t at, char *line)
{
	if (at < h->ndirectives) {
		free(h->directives[at]);
		h->directives[at] = line;
		return 0;
	}
	if (h->ndirectives == h->directives_room) {
		size_t room = h->directives_room ? h->directives_room * 2 : 16;
		char **bigger = realloc(h->directives, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		h->directives = bigger;
		h->directives_room = room;
	}
	h->directives[h->ndirectives++] = line;
	return 0;
}

static void index_device(struct trace_header *h, const char *line, uint32_t type)
{
	struct trace_device *d = h->devices;

	while (d < h->devices + h->ndevices && d->type != type)
		d++;
	if (d == h->devices + HEADER_DEVICES_MAX)
		return;
	if (d == h->devices + h->ndevices)
		h->ndevices++;
	header_parse_device(line, type, d);
}

static int add_directive(struct trace_header *h, const char *line, struct error *e)
{
	size_t at = h->ndirectives;
	char *copy;
	uint32_t type = 0, other;
	bool device = device_type(line, &type);

	for (size_t i = 0; device && i < h->ndirectives; i++)
		if (device_type(h->directives[i], &other) && other == type)
			at = i;
	if (at == DIRECTIVES_MAX)
		return error_set(e, -EINVAL, "more than %d header lines", DIRECTIVES_MAX);
	copy = header_clean_line(line);
	if (!copy)
		return error_errno(e, -ENOMEM, "header line");
	if (place_directive(h, at, copy)) {
		free(copy);
		return error_errno(e, -ENOMEM, "header line");
	}
	if (device)
		index_device(h, copy, type);
	h->views->fresh = false;
	return 0;
}

/* Whether every word is key=value with a key of letters, digits, '_', '.' and '-'. */
static bool is_fact_line(const char *line)
{
	const char *p = line;
	size_t words = 0;

	for (;;) {
		size_t key = 0;

		p += strspn(p, " \t");
		if (!*p)
			return words;
		key = strspn(p, KEY_BYTES);
		if (!key || p[key] != '=')
			return false;
		p += strcspn(p, " \t");
		words++;
	}
}

bool trace_header_is_fact(const char *line)
{
	line += strspn(line, " \t");
	return !is_directive(line) && is_fact_line(line);
}

const char *trace_header_misspelt(const char *line)
{
	const char *first = line + strspn(line, " \t");
	size_t len = strcspn(first, " \t");
	const char *second = first + len + strspn(first + len, " \t");
	size_t key = strspn(second, KEY_BYTES);
	struct nearest n = { NULL, 0 };
	char word[32];

	if (is_directive(line) || len >= sizeof(word) || !key || second[key] != '=')
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)len, first);
	for (size_t i = 0; i < sizeof(directive_words) / sizeof(directive_words[0]); i++)
		nearest_try(&n, word, directive_words[i]);
	return n.word;
}

static int add_fact_word(struct trace_header *h, const char *word, size_t len)
{
	const char *eq = memchr(word, '=', len);
	size_t klen = (size_t)(eq - word), vlen = len - klen - 1;
	char *key = strndup(word, klen);
	char *value = malloc(vlen + 1);
	int ret = -ENOMEM;

	if (key && value) {
		/* A malformed escape is kept as it stands rather than lost. */
		if (unescape_bytes(eq + 1, vlen, value, vlen + 1) == (size_t)-1) {
			memcpy(value, eq + 1, vlen);
			value[vlen] = '\0';
		}
		ret = trace_header_set(h, key, value);
	}
	free(key);
	free(value);
	return ret;
}

int trace_header_add_line(struct trace_header *h, const char *line, struct error *e)
{
	line += strspn(line, " \t");
	if (is_directive(line))
		return add_directive(h, line, e);
	if (!is_fact_line(line))
		return error_set(e, -EINVAL, "neither key=value facts nor a directive: %.80s",
				 line);
	for (;;) {
		size_t len;
		int ret;

		line += strspn(line, " \t");
		len = strcspn(line, " \t");
		if (!len)
			return 0;
		ret = add_fact_word(h, line, len);
		if (ret)
			return error_errno(e, ret, "header line");
		line += len;
	}
}

int trace_header_add_device(struct trace_header *h, const struct trace_device *d)
{
	char line[2048];

	header_format_device(line, sizeof(line), d);
	return trace_header_add_line(h, line, NULL);
}

const char *trace_header_next_directive(const struct trace_header *h, const char *directive,
					size_t *from)
{
	while (*from < h->ndirectives) {
		const char *line = h->directives[(*from)++];

		if (word_is(line, directive)) {
			line += strlen(directive);
			return line + strspn(line, " \t");
		}
	}
	return NULL;
}

static bool push_line(struct views *v, char *line)
{
	char **bigger = line ? realloc(v->lines, (v->nlines + 1) * sizeof(*bigger)) : NULL;

	if (!bigger) {
		free(line);
		return false;
	}
	v->lines = bigger;
	v->lines[v->nlines++] = line;
	return true;
}

/* "key=value" as it is written; NULL when memory is out. */
static char *fact_text(const struct fact *f)
{
	size_t klen = strlen(f->key), vlen = strlen(f->value);
	char *text = malloc(klen + 1 + 4 * vlen + 5);

	if (!text)
		return NULL;
	memcpy(text, f->key, klen);
	text[klen] = '=';
	escape_bytes(f->value, vlen, text + klen + 1, 4 * vlen + 5);
	return text;
}

static bool wrap_facts(const struct trace_header *h, struct views *v)
{
	char *line = NULL;

	for (size_t i = 0; i < h->nfacts; i++) {
		char *word = fact_text(&h->facts[i]), *joined = NULL;

		if (!word) {
			free(line);
			return false;
		}
		if (line && strlen(line) + 1 + strlen(word) > LINE_WIDTH) {
			if (!push_line(v, line)) {
				free(word);
				return false;
			}
			line = NULL;
		}
		if (!line) {
			line = word;
			continue;
		}
		if (asprintf(&joined, "%s %s", line, word) < 0)
			joined = NULL;
		free(line);
		free(word);
		line = joined;
		if (!line)
			return false;
	}
	return !line || push_line(v, line);
}

size_t trace_header_lines(const struct trace_header *h)
{
	struct views *v = h->views;
	bool ok;

	if (v->fresh)
		return v->nlines;
	drop_lines(v);
	ok = wrap_facts(h, v);
	for (size_t i = 0; ok && i < h->ndirectives; i++)
		ok = push_line(v, strdup(h->directives[i]));
	v->fresh = ok;
	return v->nlines;
}

const char *trace_header_line(const struct trace_header *h, size_t i)
{
	return i < trace_header_lines(h) ? h->views->lines[i] : NULL;
}
