/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_RENDER_DOCUMENT_H
#define SWAPTRACE_RENDER_DOCUMENT_H

#include <stdio.h>

#include "render/table.h"

/*
 * A report as a list of blocks, made once and rendered as text, HTML or a set of CSV files, so that
 * all of them say the same.
 */

enum block_kind {
	BLOCK_HEADING,
	BLOCK_SENTENCE,
	BLOCK_WARNING, /* the reader must not miss it: loss, mixed settings, what-if, estimates */
	BLOCK_TABLE,
	BLOCK_PICTURE,
};

struct block {
	enum block_kind kind;
	char *text;	 /* heading, sentence; PICTURE: its caption */
	char *name;	 /* PICTURE: name of the plot, "windows" */
	char *text_plot; /* PICTURE: the same data drawn with characters */
	struct table *table;
};

struct document {
	struct block *blocks;
	unsigned int n, room;
	int failed; /* -ENOMEM once memory was out */
};

/** document_free - release all blocks; @d itself is the caller's, and empty again */
void document_free(struct document *d);

/* Add a block; memory running out is remembered in d->failed. Text must be harmless
 * (escape_text()). */
void document_heading(struct document *d, const char *text);
void document_sentence(struct document *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void document_warning(struct document *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** document_table - add @t, which then belongs to the document; NULL counts as memory out */
void document_table(struct document *d, struct table *t);
/** document_picture - add the plot @name; @text_plot (may be NULL) becomes the document's */
void document_picture(struct document *d, const char *name, const char *caption, char *text_plot);

/** document_text - render as text; pictures are their text plots. 0 or -ENOMEM */
int document_text(const struct document *d, FILE *f);

/** document_csv - all tables, each under a "# name: title" line, blank lines between. 0 or -ENOMEM
 */
int document_csv(const struct document *d, FILE *f);

#endif
