/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_FORMAT_H
#define SWAPTRACE_ANALYZE_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Numbers and foreign strings as people read them. Everything here is independent of the locale as
 * long as nobody calls setlocale(), and nobody does.
 *
 * Missing, bypassed and zero are three things: a count that is not known is COUNT_UNKNOWN, a ratio
 * that is not known (0/0, or part of it unknown) is NaN, and both are shown as "n/a".
 */

#define COUNT_UNKNOWN UINT64_MAX

/* Returned by value so that `printf("%s", format_count(n).s)` needs no buffer. */
struct text {
	char s[48];
};

/** format_count - "9,307,312,974"; "n/a" for COUNT_UNKNOWN */
struct text format_count(uint64_t n);

/** format_number - @v with @decimals (0..9) digits behind the point, thousands separated; "n/a" for
 * NaN or infinity */
struct text format_number(double v, int decimals);

/** format_percent - "53.85 %" from a percentage; "n/a" for NaN */
struct text format_percent(double percent);

/** format_change - the same with its sign always shown: "-76.32 %", "+0.00 %" */
struct text format_change(double percent);

/** format_seconds - "7.4 s" from nanoseconds: seconds with at least one and at most three decimals
 */
struct text format_seconds(uint64_t ns);

/** percent_of - 100 * part / whole; NaN when whole is 0 or either is COUNT_UNKNOWN */
double percent_of(uint64_t part, uint64_t whole);

/** percent_change - from @before to @after in percent of @before; NaN when that is 0 or either is
 * NaN */
double percent_change(double before, double after);

/** count_value - a count as a double for percent_change(); NaN for COUNT_UNKNOWN */
double count_value(uint64_t n);

/**
 * escape_text - foreign bytes made harmless and valid UTF-8
 * @s, @len: any bytes, NUL included
 * @out, @size: 4 * len + 1 bytes always suffice; what does not fit is cut at a whole character
 * Control characters (C0, DEL, C1), bidirectional controls and bytes that are not UTF-8 become
 * \xHH, one per byte; all else is kept as it is, backslashes included. Returns the length.
 */
size_t escape_text(const char *s, size_t len, char *out, size_t size);

/** print_html - write @s with & < > " ' as entities; @s as escape_text() made it */
void print_html(FILE *f, const char *s);

/** print_gnuplot - write @s as a single-quoted gnuplot string, in which gnuplot expands nothing */
void print_gnuplot(FILE *f, const char *s);

/** text_width - columns a string takes: its UTF-8 characters */
size_t text_width(const char *s);

#endif
