// SPDX-License-Identifier: GPL-2.0
/* Golden vectors: files, lines, headers, numbers, and how a difference is described. */
#include "golden_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "golden.h"

struct text {
	char *data; /* always one byte longer than @room, for the NUL */
	size_t len, room;
};

static const char NO_MEMORY[] = "no memory";
static const char TOO_LARGE[] = "too large for a vector";

/* Makes room for @n more bytes. Returns NULL, or what is wrong. */
static const char *grow(struct text *t, size_t n)
{
	size_t room = t->room ? t->room : 1 << 16;
	char *data;

	if (n > GOLDEN_MAX_TEXT - t->len)
		return TOO_LARGE;
	while (room < t->len + n)
		room *= 2;
	if (room == t->room)
		return NULL;
	data = realloc(t->data, room + 1);
	if (!data)
		return NO_MEMORY;
	t->data = data;
	t->room = room;
	return NULL;
}

static const char *read_all(FILE *f, struct text *t)
{
	const char *err;

	do {
		err = grow(t, 1 << 16);
		if (err)
			return err;
		t->len += fread(t->data + t->len, 1, t->room - t->len, f);
	} while (!feof(f) && !ferror(f));
	return ferror(f) ? strerror(errno) : NULL;
}

/* Decompresses one frame, from in->pos on, to the end of @t. */
static const char *one_frame(ZSTD_DCtx *ctx, ZSTD_inBuffer *in, struct text *t)
{
	unsigned long long size =
		ZSTD_getFrameContentSize((const char *)in->src + in->pos, in->size - in->pos);
	size_t start = t->len, more, before;
	const char *err;

	if (size == ZSTD_CONTENTSIZE_ERROR)
		return "damaged: no Zstandard frame where one should start";
	do {
		err = grow(t, ZSTD_DStreamOutSize());
		if (err)
			return err;
		ZSTD_outBuffer out = { t->data, t->room, t->len };

		before = in->pos;
		more = ZSTD_decompressStream(ctx, &out, in);
		if (ZSTD_isError(more))
			return ZSTD_getErrorName(more);
		if (more && out.pos == t->len && in->pos == before)
			return "cut short: the compressed data ends early";
		t->len = out.pos;
	} while (more);
	if (size != ZSTD_CONTENTSIZE_UNKNOWN && size != t->len - start)
		return "damaged: the size differs from the one its frame announces";
	return NULL;
}

static const char *decompress(const struct text *packed, struct text *t)
{
	ZSTD_inBuffer in = { packed->data, packed->len, 0 };
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	const char *err = ctx ? NULL : NO_MEMORY;

	while (!err && in.pos < in.size)
		err = one_frame(ctx, &in, t);
	ZSTD_freeDCtx(ctx);
	return err;
}

char *golden_read_file(const char *path, size_t *len, char *why, size_t why_size)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	struct text raw = { 0 }, plain = { 0 };
	FILE *f = fopen(path, "rb");
	const char *err;

	if (!f) {
		snprintf(why, why_size, "%s", strerror(errno));
		return NULL;
	}
	err = read_all(f, &raw);
	fclose(f);
	if (!err && raw.len >= sizeof(magic) && !memcmp(raw.data, magic, sizeof(magic))) {
		err = decompress(&raw, &plain);
		free(raw.data);
		raw = plain;
	}
	if (!err && memchr(raw.data, 0, raw.len))
		err = "not a text file: it holds a NUL byte";
	if (err) {
		snprintf(why, why_size, "%s", err);
		free(raw.data);
		return NULL;
	}
	raw.data[raw.len] = 0;
	*len = raw.len;
	return raw.data;
}

bool golden_header(const char *text, const char *name, char *buf, size_t size)
{
	size_t n = strlen(name);

	while (*text == '#') {
		const char *end = strchrnul(text, '\n');
		const char *s = text + 1;

		s += strspn(s, " \t");
		if (!strncmp(s, name, n) && (s[n] == ' ' || s[n] == '\t')) {
			s += n;
			s += strspn(s, " \t");
			snprintf(buf, size, "%.*s", (int)(end > s ? end - s : 0), s);
			return true;
		}
		text = *end ? end + 1 : end;
	}
	return false;
}

bool golden_header_u64(const char *text, const char *name, uint64_t min, uint64_t max,
		       uint64_t *value)
{
	char buf[32];
	uint64_t v;

	if (!golden_header(text, name, buf, sizeof(buf)) || !golden_u64(buf, &v))
		return false;
	if (v < min || v > max)
		return false;
	*value = v;
	return true;
}

/* Cuts off the next line; NULL at the end. */
static char *next_line(struct golden_cursor *c)
{
	char *line = c->next;
	char *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = 0;
	c->next = end ? end + 1 : NULL;
	c->line++;
	return line;
}

int golden_next_row(struct golden_cursor *c, char **cols, int max)
{
	char *line;
	int n = 0;

	do {
		line = next_line(c);
		if (!line)
			return -1;
	} while (*line == '#' || !*line);
	snprintf(c->row, sizeof(c->row), "%s", line);
	while (line) {
		char *tab = strchr(line, '\t');

		if (tab)
			*tab = 0;
		if (n < max)
			cols[n] = line;
		n++;
		line = tab ? tab + 1 : NULL;
	}
	return n;
}

bool golden_u64(const char *s, uint64_t *value)
{
	char *end;

	/* strtoull() would take a sign and leading blanks. */
	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*value = strtoull(s, &end, 10);
	return !errno && !*end;
}

bool golden_i64(const char *s, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)s[0]) && (s[0] != '-' || !isdigit((unsigned char)s[1])))
		return false;
	errno = 0;
	*value = strtoll(s, &end, 10);
	return !errno && !*end;
}

static void note_row(struct golden_result *r, const struct golden_cursor *c)
{
	r->failed = true;
	r->line = c ? c->line : 0;
	snprintf(r->row, sizeof(r->row), "%s", c ? c->row : "");
}

int golden_differs(struct golden_result *r, const struct golden_cursor *c, const char *expected,
		   const char *fmt, ...)
{
	va_list ap;

	note_row(r, c);
	snprintf(r->expected, sizeof(r->expected), "%s", expected);
	va_start(ap, fmt);
	vsnprintf(r->got, sizeof(r->got), fmt, ap);
	va_end(ap);
	return 1;
}

int golden_broken(struct golden_result *r, const struct golden_cursor *c, const char *fmt, ...)
{
	va_list ap;

	note_row(r, c);
	r->expected[0] = 0;
	va_start(ap, fmt);
	vsnprintf(r->got, sizeof(r->got), fmt, ap);
	va_end(ap);
	return 1;
}
