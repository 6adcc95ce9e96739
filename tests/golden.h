/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Golden vectors: what the runner (tests/golden.c) and the per-kind checkers share.
 *
 * A vector file is tab-separated text. Lines that start with '#' are headers ("# name<blank>value")
 * or comments; every other line is one row: an operation and what the real kernel code answered.
 * The runner reads and decompresses a file, tells its kind from the headers, and gives the whole
 * text to the checker of that kind, which runs the model row by row.
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Long enough for the answer of a batch row: 64 slot numbers of up to 10 digits and commas. */
#define GOLDEN_TEXT 1024

/*
 * Outcome of one file. The runner zeroes it before it calls a checker.
 * A checker counts every row in @rows and stops at the first one that differs, which it describes
 * with golden_differs(); a file that can't be checked (bad header, bad row) is described with
 * golden_broken(). Both make the file a failure.
 */
struct golden_result {
	uint64_t rows;	  /* rows run so far, comment lines not counted; the failing row counts */
	uint64_t checked; /* rows whose recorded answer was compared with the model's */
	uint64_t line;	  /* line of the first failure in the file, from 1; 0 = none */
	bool failed;	  /* set by golden_differs() and golden_broken() */
	char row[GOLDEN_TEXT];	    /* the failing row as it is in the file, shortened if need be */
	char expected[GOLDEN_TEXT]; /* recorded answer ("" for a broken file) */
	char got[GOLDEN_TEXT];	    /* the model's answer, or what is wrong with a broken file */
};

/* Walks the lines of a text; start with { .next = text }. */
struct golden_cursor {
	char *next;	       /* start of the next line, NULL at the end */
	uint64_t line;	       /* number of the line last returned, from 1 */
	char row[GOLDEN_TEXT]; /* copy of the row last returned, before it was cut into columns */
};

/*
 * Value of header @name ("# name value", separated by blanks or a tab) into @buf.
 * Only the comment lines above the first row are looked at, so call it before golden_next_row().
 * Returns true if the header is there; a value longer than @size - 1 is cut.
 */
bool golden_header(const char *text, const char *name, char *buf, size_t size);

/* Header @name as a whole number >= @min and <= @max; false if absent or anything else. */
bool golden_header_u64(const char *text, const char *name, uint64_t min, uint64_t max,
		       uint64_t *value);

/*
 * Next row, cut at the tabs in place: cols[0..] point into the text. Comment and empty lines are
 * passed over. Returns the number of columns (columns beyond @max are counted, not stored),
 * or -1 at the end of the text.
 */
int golden_next_row(struct golden_cursor *c, char **cols, int max);

/*
 * @s as a whole decimal number: digits only (golden_i64(): or '-' and digits), and within the type.
 * Return false, and leave *value undefined, for anything else.
 */
bool golden_u64(const char *s, uint64_t *value);
bool golden_i64(const char *s, int64_t *value);

/* Records that the row last returned by @c differs. Returns 1, to be returned by the checker. */
int golden_differs(struct golden_result *r, const struct golden_cursor *c, const char *expected,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Records that the file can't be checked; @c may be NULL (no row concerned). Returns 1. */
int golden_broken(struct golden_result *r, const struct golden_cursor *c, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The checkers. @path is for messages only, @text is the decompressed file, writable, with a NUL
 * at text[len]; the runner owns and frees it, and has made sure that it holds no other NUL.
 * Return 0 if every row agrees, 1 if the file failed (@r says where), -ENOMEM if a model could not
 * be set up.
 */
int golden_readahead_run(const char *path, char *text, size_t len, struct golden_result *r);
int golden_pagevec_run(const char *path, char *text, size_t len, struct golden_result *r);
int golden_alloc_run(const char *path, char *text, size_t len, struct golden_result *r);

/* Which of the readahead kinds a text is ("nr_pages_fn", ...); NULL if it is none of them. */
const char *golden_readahead_kind(const char *text);

#endif /* TESTS_GOLDEN_H */
