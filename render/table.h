/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_RENDER_TABLE_H
#define SWAPTRACE_RENDER_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A table of typed cells, rendered as aligned text, CSV or HTML. Cells are added from left to
 * right, row by row. Text and HTML group thousands and show "n/a" for what is unknown; CSV writes
 * plain numbers and leaves such cells empty.
 *
 * Memory running out while cells are added is remembered and returned by the render functions, so
 * that a table can be built without checking every cell.
 */

struct table;

enum table_align { ALIGN_LEFT, ALIGN_RIGHT };

/**
 * table_new - a table without columns; freed with table_free(), NULL when memory is out
 * @name: short word for file names ("windows"); @title: one line above it, may be ""
 * Strings given to a table are copied, and must be harmless text (see escape_text()).
 */
struct table *table_new(const char *name, const char *title);
void table_free(struct table *t);

/** table_column - add a column; all columns come before the first cell */
void table_column(struct table *t, const char *header, enum table_align align);

/** table_word - a cell of text */
void table_word(struct table *t, const char *s);
/** table_count - a count; COUNT_UNKNOWN is shown as n/a */
void table_count(struct table *t, uint64_t n);
/** table_percent - a percentage ("12.30 %"); NaN is shown as n/a */
void table_percent(struct table *t, double percent);
/** table_change - a change in percent with its sign; NaN is shown as n/a */
void table_change(struct table *t, double percent);
/** table_number - a number with @decimals digits behind the point; NaN is shown as n/a */
void table_number(struct table *t, double v, int decimals);

/** table_name, table_title - as given to table_new() */
const char *table_name(const struct table *t);
const char *table_title(const struct table *t);

/* Render. Return 0 or -ENOMEM; errors of @f are left in @f. */
int table_text(const struct table *t, FILE *f);
int table_csv(const struct table *t, FILE *f);
int table_html(const struct table *t, FILE *f);

#endif
