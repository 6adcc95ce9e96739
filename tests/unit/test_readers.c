// SPDX-License-Identifier: GPL-2.0
/*
 * The table of recognisers: each example is of its own format, and what a reader gives of a damaged
 * one are numbers that stand in it under that name, or a refusal or a count of lines left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/format.h"

#define MUTATIONS 200
#define TEXT_MAX 8192

static uint64_t state;

static unsigned int random_below(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state % n);
}

static int read_as(const struct format *f, const char *s, size_t len, struct readings *r,
		   struct error *e)
{
	const struct pasted t = { "text", s, len, text_decimal_mark(s, len) };
	const struct reading_options o = { .alone = true };

	return format_read(f, &t, &o, r, e);
}

static void test_examples(void **unused)
{
	(void)unused;
	for (const struct format *f = formats; f->name; f++) {
		struct pasted t = { .name = f->name, .s = f->example };
		struct readings r;
		struct error e;

		assert_non_null(f->summary);
		assert_true(f->read || f->run || f->own);
		if (!f->example)
			continue;
		t.len = strlen(f->example);
		if (f->run) {
			const struct format *found = format_of_trace(t.s, t.len);

			assert_string_equal(found ? found->name : "none", f->name);
		}
		if (f->read) {
			const struct format *found = format_of_text(&t);

			assert_string_equal(found ? found->name : "none", f->name);
			assert_non_null(f->tells);
			if (read_as(f, t.s, t.len, &r, &e))
				fail_msg("%s: %s", f->name, e.text);
			if (r.left_out)
				fail_msg("%s: line %d of its example is left out: %s", f->name,
					 (int)r.left_out_line, r.left_out_text);
			readings_free(&r);
		}
	}
}

/* ---- mutations ---- */

struct place {
	size_t at, len;
};

static unsigned int find_lines(const char *s, size_t len, struct place *out, unsigned int most)
{
	unsigned int n = 0;

	for (size_t at = 0; at < len && n < most;) {
		const char *end = memchr(s + at, '\n', len - at);
		size_t size = end ? (size_t)(end - s) - at + 1 : len - at;

		out[n++] = (struct place){ at, size };
		at += size;
	}
	return n;
}

static unsigned int find_words(const char *s, size_t len, struct place *out, unsigned int most)
{
	unsigned int n = 0;

	for (size_t at = 0; at < len && n < most;) {
		size_t size = 0;

		while (at < len && strchr(" \t\n", s[at]))
			at++;
		while (at + size < len && !strchr(" \t\n", s[at + size]))
			size++;
		if (size)
			out[n++] = (struct place){ at, size };
		at += size;
	}
	return n;
}

enum mutation {
	CARRIAGE_RETURNS,
	FOREIGN_LINE,
	WORD_GONE,
	DIGIT_GARBLED,
	LINE_TWICE,
	LINE_GONE,
	WORD_MORE,
	END_GONE,
	LINES_JOINED,
	BLANKS_BEHIND,
	MUTATION_NR
};

/* A copy of @s with one of them, into @out. */
static size_t mutate(const char *s, size_t len, enum mutation what, char *out)
{
	struct place lines[256], words[1024];
	unsigned int nlines = find_lines(s, len, lines, 256);
	unsigned int nwords = find_words(s, len, words, 1024);
	struct place l = lines[random_below(nlines)], w = words[random_below(nwords)];
	size_t n = 0, k = 0;

	switch (what) {
	case CARRIAGE_RETURNS:
	case BLANKS_BEHIND:
		for (size_t i = 0; i < len; i++) {
			if (s[i] == '\n')
				out[n++] = what == BLANKS_BEHIND ? '\t' : '\r';
			out[n++] = s[i];
		}
		return n;
	case FOREIGN_LINE:
		return (size_t)snprintf(out, TEXT_MAX, "%.*s-- as I said above, here it is\n%s",
					(int)l.at, s, s + l.at);
	case WORD_GONE:
		return (size_t)snprintf(out, TEXT_MAX, "%.*s%s", (int)w.at, s, s + w.at + w.len);
	case DIGIT_GARBLED:
		memcpy(out, s, len);
		for (k = random_below((unsigned int)len); s[k] < '0' || s[k] > '9';)
			k = (k + 1) % len;
		out[k] = 'x';
		return len;
	case LINE_TWICE:
		return (size_t)snprintf(out, TEXT_MAX, "%.*s%s", (int)(l.at + l.len), s, s + l.at);
	case LINE_GONE:
		return (size_t)snprintf(out, TEXT_MAX, "%.*s%s", (int)l.at, s, s + l.at + l.len);
	case WORD_MORE:
		return (size_t)snprintf(out, TEXT_MAX, "%.*s 17%s", (int)(w.at + w.len), s,
					s + w.at + w.len);
	case END_GONE:
		return (size_t)snprintf(out, TEXT_MAX, "%.*s", (int)l.at, s);
	default:
		memcpy(out, s, len);
		if (l.at)
			out[l.at - 1] = ' ';
		return len;
	}
}

static bool same_value(const struct quantity *a, const struct quantity *b)
{
	return a->number * a->scale == b->number * b->scale && a->kind == b->kind;
}

/* All values of @got come in that order among those of @want, each at most twice. */
static bool values_within(const struct reading *got, const struct reading *want, bool twice)
{
	unsigned int k = 0;
	bool used = false;

	if (got->kind != want->kind)
		return false;
	for (unsigned int i = 0; i < got->n; i++) {
		if (twice && used && k && same_value(&got->v[i], &want->v[k - 1])) {
			used = false;
			continue;
		}
		while (k < want->n && !same_value(&got->v[i], &want->v[k]))
			k++;
		if (k++ == want->n)
			return false;
		used = true;
	}
	return true;
}

static bool known_reading(const struct readings *want, const struct reading *got, bool twice)
{
	bool named = false;

	for (unsigned int c = 0; c < want->n; c++) {
		const struct reading *same = readings_find(want, c, got->name);

		named |= same != NULL;
		if (same && values_within(got, same, twice))
			return true;
	}
	/* A garbled name with its own values is what the text says. */
	for (unsigned int c = 0; c < want->n && !named; c++)
		for (unsigned int i = 0; i < want->c[c].n; i++)
			if (values_within(got, &want->c[c].v[i], twice))
				return true;
	return false;
}

/* A line that is there twice may be data the second time only: vmstat's first row. */
static bool stands_twice(const struct reading *got, const char *s, size_t len)
{
	for (unsigned int i = 0; i < got->n; i++) {
		char word[40];
		const char *at;

		snprintf(word, sizeof(word), "%.*f", got->v[i].decimals, got->v[i].number);
		at = memmem(s, len, word, strlen(word));
		if (!at)
			return false;
	}
	return true;
}

static bool same_hist(const struct text_hist *a, const struct text_hist *b)
{
	for (unsigned int i = 0; i < a->n; i++)
		if (hist_text_count(b, a->b[i].low) != a->b[i].count)
			return false;
	return true;
}

static bool known_hist(const struct readings *want, const struct text_hist *got)
{
	for (unsigned int c = 0; c < want->n; c++)
		for (unsigned int i = 0; i < want->c[c].hists.n; i++)
			if (same_hist(got, &want->c[c].hists.v[i]))
				return true;
	return false;
}

/* Whether the reader said that something is not as it should be. */
static bool said(const struct readings *want, const struct readings *got)
{
	for (unsigned int i = 0; i < got->nnotes; i++) {
		bool known = false;

		for (unsigned int k = 0; k < want->nnotes; k++)
			known |= !strcmp(got->notes[i], want->notes[k]);
		if (!known)
			return true;
	}
	return got->left_out > want->left_out || (got->guessed && !want->guessed);
}

static void judge(const struct format *f, const struct readings *want, const char *s, size_t len,
		  enum mutation what)
{
	struct readings got;
	struct error e = { 0 };

	if (read_as(f, s, len, &got, &e)) {
		if (strncmp(e.text, "text: ", 6) || !e.text[8])
			fail_msg("%s: a refusal without a reason: '%s'", f->name, e.text);
		return;
	}
	for (unsigned int c = 0; c < got.n && !said(want, &got); c++) {
		for (unsigned int i = 0; i < got.c[c].n; i++)
			if (!known_reading(want, &got.c[c].v[i], what == LINE_TWICE) &&
			    !(what == LINE_TWICE && stands_twice(&got.c[c].v[i], s, len)))
				fail_msg("%s, mutation %d: another number for %s without a word; "
					 "the text is:\n%.*s",
					 f->name, what, got.c[c].v[i].name, (int)len, s);
		for (unsigned int i = 0; i < got.c[c].hists.n; i++)
			if (!known_hist(want, &got.c[c].hists.v[i]))
				fail_msg(
					"%s, mutation %d: another histogram %s; the text is:\n%.*s",
					f->name, what, got.c[c].hists.v[i].name, (int)len, s);
	}
	if (what == CARRIAGE_RETURNS || what == BLANKS_BEHIND)
		assert_int_equal(readings_values(&got), readings_values(want));
	readings_free(&got);
}

static void test_mutations(void **unused)
{
	(void)unused;
	for (const struct format *f = formats; f->name; f++) {
		static char text[TEXT_MAX];
		struct readings want;
		struct error e;

		if (!f->read)
			continue;
		state = 88172645463325252u; /* the same for each format */
		assert_int_equal(read_as(f, f->example, strlen(f->example), &want, &e), 0);
		for (int i = 0; i < MUTATIONS; i++) {
			enum mutation what = (enum mutation)(i % MUTATION_NR);
			size_t n = mutate(f->example, strlen(f->example), what, text);

			judge(f, &want, text, n, what);
		}
		readings_free(&want);
	}
}

static void mark_is(const char *text, enum decimal_mark mark)
{
	assert_int_equal(text_decimal_mark(text, strlen(text)), mark);
}

static void test_decimal_mark(void **unused)
{
	(void)unused;
	mark_is("zswpin 5,470 93,811,916\n", DECIMAL_POINT);
	mark_is("user 15,780.29\n", DECIMAL_POINT);
	mark_is("real 772.53\nfallback 5,470\n", DECIMAL_POINT);
	mark_is("sys 3,08\n", DECIMAL_COMMA);
	mark_is("x 1.234,5\n", DECIMAL_COMMA);
	mark_is("x 0,123\n", DECIMAL_COMMA);
	mark_is("56.9\n12,345\n", DECIMAL_UNKNOWN); /* a list may have been put together */
	mark_is("x 12,345\n", DECIMAL_UNKNOWN);
	mark_is("x 3,08 772.53\n", DECIMAL_UNKNOWN); /* a contradiction */
	mark_is("release 6.12.0 5\n", DECIMAL_UNKNOWN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_decimal_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
