/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_LINES_H
#define SWAPTRACE_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "import/quantity.h"

/* Pasted text, a line and its words at a time. */

struct word {
	const char *s; /* into the text, no NUL behind it */
	size_t len;
};

/* A whole text in memory. */
struct pasted {
	const char *name; /* what to call it in messages */
	const char *s;
	size_t len;
	enum decimal_mark mark; /* text_decimal_mark() of it */
};

#define LINE_WORDS_MAX 512

/* All zero before the first line. */
struct text_line {
	const char *s; /* without its line end */
	size_t len;
	uint64_t number; /* from 1 */
	size_t next;	 /* where the next one begins in the text */
	struct word w[LINE_WORDS_MAX];
	unsigned int n; /* words, at most LINE_WORDS_MAX: what is behind is left away */
};

#define TEXT_BYTES_MAX (64u << 20)

/**
 * text_load - all of @in into memory
 * @text, @len: owned by the caller, also after a failure
 * Returns 0; -EBADMSG above TEXT_BYTES_MAX; -ENOMEM or what reading gave.
 */
int text_load(FILE *in, const char *name, char **text, size_t *len, struct error *e);

/** text_next - the next line of @t with its words (separated by blanks); false at the end */
bool text_next(const struct pasted *t, struct text_line *l);

/** text_rewind - begin again with the first line */
void text_rewind(struct text_line *l);

/**
 * text_decimal_mark - what a comma between digits is, decided for a whole text
 * "93,811,916" and "15,780.29" tell thousands, "3,08" and "1.234,5" a decimal comma. In text with
 * words "772.53" tells that no comma is decimal. Contradictions and silence give DECIMAL_UNKNOWN.
 */
enum decimal_mark text_decimal_mark(const char *s, size_t len);

/** word_is, word_begins, word_ends - compare with a string */
bool word_is(const struct word *w, const char *text);
bool word_begins(const struct word *w, const char *text);
bool word_ends(const struct word *w, const char *text);

/** line_has - the index of the first word that is @text, -1: none */
int line_has(const struct text_line *l, const char *text);

/** line_begins - whether the line begins with @text behind its blanks */
bool line_begins(const struct text_line *l, const char *text);

/**
 * line_is_round - whether a line only begins another run: "round 3", "*** Executing run #2 ***"
 * Words of a title with one of round, run, iteration, iter, pass, trial, loop before a number, and
 * nothing behind it but signs.
 */
bool line_is_round(const struct text_line *l);

/** line_title - the words @first .. @end - 1 with one blank between them, harmless, into @out */
void line_title(const struct text_line *l, unsigned int first, unsigned int end, char *out,
		size_t size);

/** word_count - a whole unsigned number of 64 bits, nothing else */
bool word_count(const struct word *w, uint64_t *v);

/** word_number - any plain number, with the marks of the text; false for units and words */
bool word_number(const struct pasted *t, const struct word *w, struct quantity *q);

/** text_bad - an error at a line: "NAME: line N: FORMAT, ..."; returns -EBADMSG */
int text_bad(const struct pasted *t, const struct text_line *l, struct error *e, const char *fmt,
	     ...) __attribute__((format(printf, 4, 5)));

/**
 * text_share - how surely a text is of a format, from its lines
 * @counts: judges one line: 1 of the format, 0 foreign, -1 does not count (blank, comment)
 * @least: lines that have to be of it
 * Returns the share of lines of the format in percent, 0 with fewer than @least of them.
 */
int text_share(const struct pasted *t, int (*counts)(const struct text_line *l),
	       unsigned int least);

#endif
