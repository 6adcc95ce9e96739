/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_RENDER_FORMAT_H
#define SWAPTRACE_RENDER_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#include "common/count.h"
#include "common/text.h"

/*
 * Numbers as people read them. Everything here is independent of the locale as
 * long as nobody calls setlocale(), and nobody does.
 *
 * Missing, bypassed and zero are three things: a count that is not known is COUNT_UNKNOWN, a ratio
 * that is not known (0/0, or part of it unknown) is NaN, and both are shown as "n/a".
 */

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

/** print_html - write @s with & < > " ' as entities; @s as escape_text() made it */
void print_html(FILE *f, const char *s);

/** print_gnuplot - write @s as a single-quoted gnuplot string, in which gnuplot expands nothing */
void print_gnuplot(FILE *f, const char *s);

#endif
