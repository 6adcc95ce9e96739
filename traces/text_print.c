// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/header_lines.h"
#include "traces/number.h"
#include "traces/trace.h"
#include "traces/wire.h"

/* Longest line without its strings: 5 columns and EVENT_KEYS keys of some 40 bytes. */
#define LINE_ROOM 2048
/* A string, escaped. */
#define STRING_ROOM (4 * WIRE_STRING_MAX + 5)

int trace_print_header(FILE *f, const struct trace_header *h)
{
	size_t n = trace_header_lines(h);

	fputs("# swaptrace text 1\n", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "# %s\n", trace_header_line(h, i));
	return ferror(f) ? -EIO : 0;
}

static char *put_word(char *p, const char *word)
{
	size_t len = strlen(word);

	memcpy(p, word, len);
	return p + len;
}

static char *put_id(char *p, int32_t v)
{
	if (v < 0) {
		*p = '-';
		return p + 1;
	}
	return p + number_put_u64(p, (uint64_t)v);
}

static char *put_string(char *p, const struct trace_reader *r, uint32_t id)
{
	size_t len;
	const char *s = trace_string(r, id, &len);

	if (!s) {
		*p = '-';
		return p + 1;
	}
	return p + escape_bytes(s, len < WIRE_STRING_MAX ? len : WIRE_STRING_MAX, p, STRING_ROOM);
}

/* The name of an enum value, NULL for one that this version has no name for. */
static const char *enum_name(const struct key_desc *k, uint64_t v)
{
	for (uint64_t i = 0; k->names[i]; i++)
		if (i == v)
			return k->names[i];
	return NULL;
}

static char *put_signed(char *p, uint64_t v)
{
	if (v >> 63) {
		*p++ = '-';
		v = 0 - v;
	}
	return p + number_put_u64(p, v);
}

static char *put_value(char *p, const struct trace_reader *r, const struct event *ev,
		       const struct key_desc *k, uint64_t v)
{
	switch (k->kind) {
	case KEY_SIGNED:
		return put_signed(p, v);
	case KEY_HEX:
		return p + number_put_hex(p, v);
	case KEY_PLACE:
		if (event_get(ev, RA_MODE, RA_CLUSTER) == RA_VMA_MODE)
			return p + number_put_hex(p, v);
		return p + number_put_u64(p, v);
	case KEY_ENUM:
		return put_word(p, enum_name(k, v));
	case KEY_FLAGS:
		return p + device_flags_put(p, 256, v, k->names);
	case KEY_STRING:
		return put_string(p, r, (uint32_t)v);
	default:
		return p + number_put_u64(p, v);
	}
}

static char *put_keys(char *p, const struct trace_reader *r, const struct event *ev)
{
	for (uint32_t left = ev->have; left; left &= left - 1) {
		unsigned int key = (unsigned int)__builtin_ctz(left);
		const struct key_desc *k = event_key(ev->type, key);

		/* A value without a name can't be read back: it stays unknown in text. */
		if (!k || (k->kind == KEY_ENUM && !enum_name(k, ev->v[key])))
			continue;
		if (k->kind == KEY_STRING && !trace_string(r, (uint32_t)ev->v[key], NULL))
			continue;
		*p++ = ' ';
		p = put_word(p, k->name);
		*p++ = '=';
		p = put_value(p, r, ev, k, ev->v[key]);
	}
	return p;
}

int trace_print_event(FILE *f, const struct trace_reader *r, const struct event *ev)
{
	/* No event has more than one string besides its comm. */
	char line[LINE_ROOM + 2 * STRING_ROOM];
	char *p = line;

	p += number_put_u64(p, ev->t_ns);
	*p++ = ' ';
	p = put_id(p, ev->cpu);
	*p++ = ' ';
	p = put_id(p, ev->tgid);
	*p++ = ' ';
	p = put_string(p, r, ev->comm);
	*p++ = ' ';
	p = put_word(p, event_table[ev->type].name);
	p = put_keys(p, r, ev);
	*p++ = '\n';
	return fwrite(line, 1, (size_t)(p - line), f) == (size_t)(p - line) ? 0 : -EIO;
}
