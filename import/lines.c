// SPDX-License-Identifier: GPL-2.0
#include "import/lines.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"
#include "traces/number.h"

#define BLANKS " \t\r\v\f"

static bool blank(char c)
{
	return c && strchr(BLANKS, c);
}

static void split(struct text_line *l)
{
	size_t i = 0;

	l->n = 0;
	while (l->n < LINE_WORDS_MAX) {
		size_t start;

		while (i < l->len && blank(l->s[i]))
			i++;
		if (i == l->len)
			return;
		start = i;
		while (i < l->len && !blank(l->s[i]))
			i++;
		l->w[l->n++] = (struct word){ l->s + start, i - start };
	}
}

int text_load(FILE *in, const char *name, char **text, size_t *len, struct error *e)
{
	size_t room = 0, n;

	*text = NULL;
	*len = 0;
	do {
		if (*len == room) {
			char *bigger;

			if (room > TEXT_BYTES_MAX)
				return error_set(e, -EBADMSG,
						 "%s: larger than %u MiB; no list of times is",
						 name, TEXT_BYTES_MAX >> 20);
			room = room ? room * 2 : 65536;
			bigger = realloc(*text, room);
			if (!bigger)
				return error_set(e, -ENOMEM, "%s: out of memory", name);
			*text = bigger;
		}
		n = fread(*text + *len, 1, room - *len, in);
		*len += n;
	} while (n);
	if (ferror(in))
		return error_errno(e, errno ? -errno : -EIO, "cannot read '%s'", name);
	return 0;
}

bool text_next(const struct pasted *t, struct text_line *l)
{
	const char *end;

	if (l->next >= t->len)
		return false;
	l->s = t->s + l->next;
	end = memchr(l->s, '\n', t->len - l->next);
	l->len = end ? (size_t)(end - l->s) : t->len - l->next;
	l->next += l->len + 1;
	l->number++;
	while (l->len && l->s[l->len - 1] == '\r')
		l->len--;
	split(l);
	return true;
}

void text_rewind(struct text_line *l)
{
	l->number = 0;
	l->next = 0;
	l->n = 0;
}

/* What one word tells of its marks. */
struct marks {
	bool point;	/* a decimal point */
	bool thousands; /* commas between thousands */
	bool comma;	/* a decimal comma */
};

/* Digits with marks at the start of @s, a sign before them left out: returns their end. */
static size_t number_end(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && (isdigit((unsigned char)s[n]) || s[n] == ',' || s[n] == '.'))
		n++;
	while (n && !isdigit((unsigned char)s[n - 1]))
		n--;
	return n;
}

static void judge(const char *s, size_t len, struct marks *m)
{
	size_t commas = 0, points = 0, behind = 0, before = 0;
	bool groups = true;

	for (size_t i = 0; i < len; i++) {
		bool mark = s[i] == ',' || s[i] == '.';

		commas += s[i] == ',';
		points += s[i] == '.';
		before += !mark && !commas && !points;
		if (mark && commas + points > 1 && behind != 3)
			groups = false;
		behind = mark ? 0 : behind + 1;
	}
	if (commas && points == 1 && s[len - behind - 1] == '.')
		m->thousands = m->point = true;
	else if (points && commas == 1 && s[len - behind - 1] == ',')
		m->comma = true;
	else if (commas > 1 && !points && groups && behind == 3 && before < 4)
		m->thousands = true;
	else if (commas == 1 && !points && (behind != 3 || before > 3 || s[0] == '0'))
		m->comma = true;
	else if (points == 1 && !commas && (behind != 3 || before > 3 || s[0] == '0'))
		m->point = true;
}

enum decimal_mark text_decimal_mark(const char *s, size_t len)
{
	struct marks m = { false, false, false };
	bool words = false;

	for (size_t i = 0; i < len;) {
		size_t n, start = i;

		while (i < len && !blank(s[i]) && s[i] != '\n')
			i++;
		start += start < i && strchr("+-(=:*", s[start]) ? 1 : 0;
		n = start < i ? number_end(s + start, i - start) : 0;
		if (n && isdigit((unsigned char)s[start])) {
			/* "1.2.3" or "6.12.0-rc1" is not a number, nor is a list "1,2,3". */
			if (start + n == i || !isdigit((unsigned char)s[start + n]))
				judge(s + start, n, &m);
		} else if (start < i && isalpha((unsigned char)s[start])) {
			words = true;
		}
		i++;
	}
	if (m.comma)
		return m.thousands || m.point ? DECIMAL_UNKNOWN : DECIMAL_COMMA;
	return m.thousands || (m.point && words) ? DECIMAL_POINT : DECIMAL_UNKNOWN;
}

bool word_is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->s, text, w->len);
}

bool word_begins(const struct word *w, const char *text)
{
	size_t len = strlen(text);

	return w->len >= len && !memcmp(w->s, text, len);
}

bool word_ends(const struct word *w, const char *text)
{
	size_t len = strlen(text);

	return w->len >= len && !memcmp(w->s + w->len - len, text, len);
}

int line_has(const struct text_line *l, const char *text)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (word_is(&l->w[i], text))
			return (int)i;
	return -1;
}

bool line_begins(const struct text_line *l, const char *text)
{
	size_t at = l->n ? (size_t)(l->w[0].s - l->s) : l->len, len = strlen(text);

	return l->len - at >= len && !memcmp(l->s + at, text, len);
}

/* Letters and digits of a word, without the signs around it. */
static struct word bare(const struct word *w)
{
	struct word b = *w;

	while (b.len && !isalnum((unsigned char)b.s[0])) {
		b.s++;
		b.len--;
	}
	while (b.len && !isalnum((unsigned char)b.s[b.len - 1]))
		b.len--;
	return b;
}

static bool is_round_word(const struct word *w)
{
	static const char *const names[] = { "round", "run",  "iteration", "iter",
					     "pass",  "loop", "trial",	   "attempt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == w->len && !strncasecmp(names[i], w->s, w->len))
			return true;
	return false;
}

bool line_is_round(const struct text_line *l)
{
	struct word before = { "", 0 };
	bool numbered = false;
	unsigned int words = 0;

	for (unsigned int i = 0; i < l->n; i++) {
		struct word w = bare(&l->w[i]);
		size_t digits = 0;

		if (!w.len)
			continue;
		/* Behind the number only a share of a whole may follow: "run 3 of 10", "run 3/10".
		 */
		if (numbered)
			return word_is(&w, "of") && i + 2 == l->n;
		while (digits < w.len && isdigit((unsigned char)w.s[digits]))
			digits++;
		if (digits && (digits == w.len || w.s[digits] == '/') && is_round_word(&before))
			numbered = true;
		else if (digits == w.len || ++words > 3)
			return false;
		before = w;
	}
	return numbered;
}

void line_title(const struct text_line *l, unsigned int first, unsigned int end, char *out,
		size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned int i = first; i < end && i < l->n && used + 2 < size; i++) {
		if (i > first)
			out[used++] = ' ';
		used += escape_text(l->w[i].s, l->w[i].len, out + used, size - used);
	}
}

bool word_count(const struct word *w, uint64_t *v)
{
	return number_decimal(w->s, w->len, v);
}

bool word_number(const struct pasted *t, const struct word *w, struct quantity *q)
{
	return quantity_parse_marked(w->s, w->len, t->mark, q) == QUANTITY_OK &&
	       q->kind == QUANTITY_PLAIN && !q->rounded;
}

int text_bad(const struct pasted *t, const struct text_line *l, struct error *e, const char *fmt,
	     ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(e, -EBADMSG, "%s: line %" PRIu64 ": %s", t->name, l->number, what);
}

int text_share(const struct pasted *t, int (*counts)(const struct text_line *l), unsigned int least)
{
	struct text_line l = { 0 };
	unsigned int of = 0, all = 0;

	while (text_next(t, &l)) {
		int judged = l.n ? counts(&l) : -1;

		of += judged > 0;
		all += judged >= 0;
	}
	return of < least || !all ? 0 : (int)(100 * (uint64_t)of / all);
}
