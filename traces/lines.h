/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_LINES_H
#define SWAPTRACE_TRACES_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Lines of a text file, in bounded memory whatever the file holds. For importers: text comes in
 * hundreds of megabytes.
 */

/* Longer lines are no events of anybody; also bounds the memory for a file without line ends. */
#define LINES_LINE_MAX (64u << 10)

struct lines {
	char *line;	   /* the current line, NUL-terminated, without its end (\n or \r\n) */
	size_t len;	   /* may differ from strlen(): a line may hold NULs */
	uint64_t number;   /* of the current line, from 1 */
	uint64_t too_long; /* lines longer than LINES_LINE_MAX that were skipped */
	uint64_t first_too_long;

	FILE *in;
	uint64_t offset;   /* in the file, of the first byte in the buffer */
	uint64_t begin;	   /* in the file, of the current line */
	size_t start, end; /* what of the buffer is not used up */
	char buffer[256 << 10];
};

/** lines_open - @in is not owned and is read from where it stands */
void lines_open(struct lines *l, FILE *in);

/** lines_next - the next line: 1, 0 at the end, -EIO */
int lines_next(struct lines *l);

/** lines_mark - the place of the current line, for lines_back(); false when the file can't seek */
bool lines_mark(const struct lines *l, uint64_t *place);

/** lines_back - make the line at @place, with number @number, the next one; false: could not */
bool lines_back(struct lines *l, uint64_t place, uint64_t number);

#endif
