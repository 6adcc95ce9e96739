// SPDX-License-Identifier: GPL-2.0
#include "render/document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

void document_free(struct document *d)
{
	for (unsigned int i = 0; i < d->n; i++) {
		free(d->blocks[i].text);
		free(d->blocks[i].name);
		free(d->blocks[i].text_plot);
		table_free(d->blocks[i].table);
	}
	free(d->blocks);
	memset(d, 0, sizeof(*d));
}

static struct block *add_block(struct document *d, enum block_kind kind)
{
	struct block *b;

	if (d->n == d->room) {
		unsigned int room = d->room ? d->room * 2 : 32;
		struct block *bigger = realloc(d->blocks, room * sizeof(*bigger));

		if (!bigger) {
			d->failed = -ENOMEM;
			return NULL;
		}
		d->blocks = bigger;
		d->room = room;
	}
	b = &d->blocks[d->n++];
	memset(b, 0, sizeof(*b));
	b->kind = kind;
	return b;
}

static void add_text(struct document *d, enum block_kind kind, const char *fmt, va_list ap)
{
	struct block *b = add_block(d, kind);

	if (b && vasprintf(&b->text, fmt, ap) < 0) {
		b->text = NULL;
		d->failed = -ENOMEM;
	}
}

void document_heading(struct document *d, const char *text)
{
	struct block *b = add_block(d, BLOCK_HEADING);

	if (b && !(b->text = strdup(text)))
		d->failed = -ENOMEM;
}

void document_sentence(struct document *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(d, BLOCK_SENTENCE, fmt, ap);
	va_end(ap);
}

void document_warning(struct document *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(d, BLOCK_WARNING, fmt, ap);
	va_end(ap);
}

void document_table(struct document *d, struct table *t)
{
	struct block *b = t ? add_block(d, BLOCK_TABLE) : NULL;

	if (b) {
		b->table = t;
		return;
	}
	d->failed = -ENOMEM;
	table_free(t);
}

void document_picture(struct document *d, const char *name, const char *caption, char *text_plot)
{
	struct block *b = add_block(d, BLOCK_PICTURE);

	if (!b) {
		free(text_plot);
		return;
	}
	b->name = strdup(name);
	b->text = strdup(caption);
	b->text_plot = text_plot;
	if (!b->name || !b->text)
		d->failed = -ENOMEM;
}

static void underline(FILE *f, const char *s)
{
	for (size_t n = text_width(s); n; n--)
		fputc('-', f);
	fputc('\n', f);
}

/* Sentences of one run stand line below line; everything else is set apart by an empty line. */
static bool starts_paragraph(const struct document *d, unsigned int i)
{
	enum block_kind before;

	if (!i)
		return false;
	before = d->blocks[i - 1].kind;
	if (before == BLOCK_HEADING)
		return false;
	return d->blocks[i].kind >= BLOCK_TABLE || d->blocks[i].kind == BLOCK_HEADING ||
	       before >= BLOCK_TABLE;
}

int document_text(const struct document *d, FILE *f)
{
	int ret = d->failed;

	for (unsigned int i = 0; i < d->n && !ret; i++) {
		const struct block *b = &d->blocks[i];

		if (b->kind == BLOCK_PICTURE && !b->text_plot)
			continue;
		if (starts_paragraph(d, i))
			fputc('\n', f);
		switch (b->kind) {
		case BLOCK_HEADING:
			fprintf(f, "%s\n", b->text);
			underline(f, b->text);
			break;
		case BLOCK_SENTENCE:
			fprintf(f, "%s\n", b->text);
			break;
		case BLOCK_WARNING:
			fprintf(f, "warning: %s\n", b->text);
			break;
		case BLOCK_TABLE:
			ret = table_text(b->table, f);
			break;
		case BLOCK_PICTURE:
			fprintf(f, "%s\n%s", b->text, b->text_plot);
			break;
		}
	}
	return ret;
}

int document_csv(const struct document *d, FILE *f)
{
	int ret = d->failed;
	bool first = true;

	for (unsigned int i = 0; i < d->n && !ret; i++) {
		const struct table *t = d->blocks[i].table;

		if (!t)
			continue;
		fprintf(f, "%s# %s%s%s\n", first ? "" : "\n", table_name(t),
			*table_title(t) ? ": " : "", table_title(t));
		first = false;
		ret = table_csv(t, f);
	}
	return ret;
}
