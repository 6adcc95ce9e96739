/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_QUANTITY_H
#define SWAPTRACE_IMPORT_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as people paste them: durations in the spellings of time(1), bash, perf and people,
 * counts with K/M/G, amounts and rates with units, percentages. The locale plays no part.
 *
 *   14.2  1.5e-3  1,234.5  1.234,5  3,08        plain
 *   14.2s  850ms  12us  0m11.84s  1h2m3s  1:02.50  1:02:03   time, in seconds
 *   1200M  9.0K                                  a count rounded by whoever wrote it; K = 1000
 *   150MB  64kB  1.5GiB  154MB/s  61000ops/s     amount (kB = 1000, KiB = 1024), rate
 *   18.7%  -18.7%                                percentage
 *
 * A comma is a decimal comma only where it can not separate thousands ("3,08", "0,123"); what could
 * be either ("12,345") is refused. Two or more of one mark, each before three digits, separate
 * thousands.
 */

enum quantity_kind {
	QUANTITY_PLAIN,
	QUANTITY_TIME,	  /* base unit: second */
	QUANTITY_AMOUNT,  /* byte */
	QUANTITY_RATE,	  /* byte/s, or whatever stands before "/s" */
	QUANTITY_PERCENT, /* percent */
};

struct quantity {
	enum quantity_kind kind;
	double number;	/* as written: 850 for "850ms"; 62.5 for "1:02.50" */
	double scale;	/* number * scale is in the base unit */
	char unit[16];	/* "ms", "MB/s", "%"; "" for plain numbers */
	uint64_t count; /* exact value of a plain whole number; COUNT_UNKNOWN (render/format.h) */
	bool rounded;	/* K/M/G: not exact */
	bool sign;	/* written with a sign */
	int decimals;	/* digits behind the decimal mark */
};

enum quantity_answer {
	QUANTITY_NONE,	    /* no number: a word */
	QUANTITY_OK,	    /* *q is filled */
	QUANTITY_AMBIGUOUS, /* a comma or point that could mean two things */
	QUANTITY_RANGE,	    /* beyond 1e30 in size */
};

/* What a comma between digits is, where the text around a number has told. */
enum decimal_mark {
	DECIMAL_UNKNOWN, /* each number by itself; what could be either is refused */
	DECIMAL_POINT,	 /* commas separate thousands */
	DECIMAL_COMMA,	 /* points separate thousands */
};

/** quantity_parse - read all @len bytes at @s as one quantity */
enum quantity_answer quantity_parse(const char *s, size_t len, struct quantity *q);

/** quantity_parse_marked - the same in a text whose decimal mark is known */
enum quantity_answer quantity_parse_marked(const char *s, size_t len, enum decimal_mark mark,
					   struct quantity *q);

/**
 * quantity_undefined - whether the word is what programs print where there is no number
 * nan and inf (also infinity), in any case, with or without a sign and a percent sign.
 */
bool quantity_undefined(const char *s, size_t len);

/**
 * quantity_attach_unit - take a unit that stands as a word of its own ("22.09 s", "154 MB/s")
 * @q: a plain number so far. Returns false, and leaves @q alone, when the word is no unit; single
 * letters except s are none, as they mean too many things.
 */
bool quantity_attach_unit(struct quantity *q, const char *s, size_t len);

#endif
