// SPDX-License-Identifier: GPL-2.0
#include "render/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

struct cell {
	char *text;  /* as people read it */
	char *plain; /* for CSV, NULL: the same as text */
};

struct column {
	char *header;
	enum table_align align;
};

struct table {
	char *name, *title;
	struct column *columns;
	unsigned int ncolumns;
	struct cell *cells;
	size_t ncells, room;
	bool out_of_memory;
};

struct table *table_new(const char *name, const char *title)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->name = strdup(name);
	t->title = strdup(title);
	if (!t->name || !t->title) {
		table_free(t);
		return NULL;
	}
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; i < t->ncolumns; i++)
		free(t->columns[i].header);
	for (size_t i = 0; i < t->ncells; i++) {
		free(t->cells[i].text);
		free(t->cells[i].plain);
	}
	free(t->columns);
	free(t->cells);
	free(t->name);
	free(t->title);
	free(t);
}

void table_column(struct table *t, const char *header, enum table_align align)
{
	struct column *bigger = realloc(t->columns, (t->ncolumns + 1) * sizeof(*bigger));
	char *copy = strdup(header);

	if (bigger)
		t->columns = bigger;
	if (!bigger || !copy) {
		free(copy);
		t->out_of_memory = true;
		return;
	}
	bigger[t->ncolumns].header = copy;
	bigger[t->ncolumns++].align = align;
}

static void add_cell(struct table *t, const char *text, const char *plain)
{
	struct cell c = { strdup(text), plain ? strdup(plain) : NULL };

	if (t->ncells == t->room) {
		size_t room = t->room ? t->room * 2 : 32;
		struct cell *bigger = realloc(t->cells, room * sizeof(*bigger));

		if (bigger) {
			t->cells = bigger;
			t->room = room;
		}
	}
	if (!c.text || (plain && !c.plain) || t->ncells == t->room) {
		free(c.text);
		free(c.plain);
		t->out_of_memory = true;
		return;
	}
	t->cells[t->ncells++] = c;
}

void table_word(struct table *t, const char *s)
{
	add_cell(t, s, NULL);
}

void table_count(struct table *t, uint64_t n)
{
	char plain[32] = "";

	if (n != COUNT_UNKNOWN)
		snprintf(plain, sizeof(plain), "%" PRIu64, n);
	add_cell(t, format_count(n).s, plain);
}

static void add_number(struct table *t, const char *text, double v, int decimals)
{
	char plain[64] = "";

	if (isfinite(v) && fabs(v) < 1e24)
		snprintf(plain, sizeof(plain), "%.*f", decimals, v);
	add_cell(t, text, plain);
}

void table_percent(struct table *t, double percent)
{
	add_number(t, format_percent(percent).s, percent, 4);
}

void table_change(struct table *t, double percent)
{
	add_number(t, format_change(percent).s, percent, 4);
}

void table_number(struct table *t, double v, int decimals)
{
	add_number(t, format_number(v, decimals).s, v, decimals);
}

const char *table_name(const struct table *t)
{
	return t->name;
}

const char *table_title(const struct table *t)
{
	return t->title;
}

static size_t *column_widths(const struct table *t)
{
	size_t *w = calloc(t->ncolumns + 1, sizeof(*w));

	if (!w)
		return NULL;
	for (unsigned int i = 0; i < t->ncolumns; i++)
		w[i] = text_width(t->columns[i].header);
	for (size_t i = 0; i < t->ncells; i++) {
		size_t width = text_width(t->cells[i].text);

		if (w[i % t->ncolumns] < width)
			w[i % t->ncolumns] = width;
	}
	return w;
}

static void text_cell(FILE *f, const char *s, enum table_align align, size_t width, bool last)
{
	int pad = (int)(width - text_width(s));

	if (align == ALIGN_RIGHT)
		fprintf(f, "%*s%s", pad, "", s);
	else
		fprintf(f, "%s%*s", s, last ? 0 : pad, "");
	fputs(last ? "\n" : "  ", f);
}

int table_text(const struct table *t, FILE *f)
{
	size_t *w = column_widths(t);

	if (!w || t->out_of_memory) {
		free(w);
		return -ENOMEM;
	}
	if (*t->title)
		fprintf(f, "%s\n", t->title);
	for (unsigned int i = 0; i < t->ncolumns; i++)
		text_cell(f, t->columns[i].header, t->columns[i].align, w[i], i + 1 == t->ncolumns);
	for (size_t i = 0; i < t->ncells; i++) {
		unsigned int c = (unsigned int)(i % t->ncolumns);

		text_cell(f, t->cells[i].text, t->columns[c].align, w[c], c + 1 == t->ncolumns);
	}
	free(w);
	return 0;
}

/* RFC 4180: quotes around what holds a separator, quotes inside doubled. */
static void csv_cell(FILE *f, const char *s, bool last)
{
	if (s[strcspn(s, ",\"\r\n")]) {
		fputc('"', f);
		for (; *s; s++) {
			if (*s == '"')
				fputc('"', f);
			fputc(*s, f);
		}
		fputc('"', f);
	} else {
		fputs(s, f);
	}
	fputc(last ? '\n' : ',', f);
}

int table_csv(const struct table *t, FILE *f)
{
	if (t->out_of_memory)
		return -ENOMEM;
	for (unsigned int i = 0; i < t->ncolumns; i++)
		csv_cell(f, t->columns[i].header, i + 1 == t->ncolumns);
	for (size_t i = 0; i < t->ncells; i++) {
		const struct cell *c = &t->cells[i];

		csv_cell(f, c->plain ? c->plain : c->text, (i + 1) % t->ncolumns == 0);
	}
	return 0;
}

static void html_cell(FILE *f, const char *tag, const char *s, enum table_align align)
{
	fprintf(f, "<%s%s>", tag, align == ALIGN_RIGHT ? " class=\"n\"" : "");
	print_html(f, s);
	fprintf(f, "</%s>", tag);
}

int table_html(const struct table *t, FILE *f)
{
	if (t->out_of_memory)
		return -ENOMEM;
	fputs("<div class=\"scroll\"><table>\n", f);
	if (*t->title) {
		fputs("<caption>", f);
		print_html(f, t->title);
		fputs("</caption>\n", f);
	}
	fputs("<thead><tr>", f);
	for (unsigned int i = 0; i < t->ncolumns; i++)
		html_cell(f, "th", t->columns[i].header, t->columns[i].align);
	fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t i = 0; i < t->ncells; i++) {
		unsigned int c = (unsigned int)(i % t->ncolumns);

		fputs(c ? "" : "<tr>", f);
		html_cell(f, "td", t->cells[i].text, t->columns[c].align);
		fputs(c + 1 == t->ncolumns ? "</tr>\n" : "", f);
	}
	fputs("</tbody></table></div>\n", f);
	return 0;
}
