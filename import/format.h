/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_FORMAT_H
#define SWAPTRACE_IMPORT_FORMAT_H

#include <stdio.h>

#include "import/readings.h"
#include "traces/trace.h"

/*
 * One table of everything that is recognised by its content: what becomes a trace (import), and
 * what holds measurements (compare). Help, docs/formats.md and the tests are made from it.
 */

enum orientation {
	ORIENT_AUTO,	/* a title line, or failing that the labels decide */
	ORIENT_ROWS,	/* each row is an input, its values are runs */
	ORIENT_COLUMNS, /* each column is an input, each row a metric */
};

/* What readers of measurements are told besides the text. */
struct reading_options {
	bool alone; /* it is the only input, so its rows or columns are compared */
	enum orientation orientation;
};

/* How an own document is read: by analyze, which knows the results of replays. */
enum format_own { FORMAT_FOREIGN, FORMAT_TRACE, FORMAT_RESULTS, FORMAT_ARGDIST };

struct format {
	const char *name;    /* as in --format */
	const char *summary; /* what it is, one line */
	const char *tells;   /* what compare makes of it; NULL: import only */
	const char *example; /* a small text of it; NULL for binary formats */
	enum format_own own;
	/* How surely a text, or its beginning, is of the format: 0 not at all .. 100 certainly */
	int (*probe)(const struct pasted *t);
	/*
	 * All of @t as measurements, into @r which is empty; 0, or -EBADMSG with a text that names
	 * the line. NULL: holds no measurements.
	 */
	int (*read)(const struct pasted *t, const struct reading_options *o, struct readings *r,
		    struct error *e);
	/* Into a trace, as trace_import_text(); NULL: can't become one */
	int (*run)(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		   struct error *e);
	/* The same as @probe for the first bytes of what becomes a trace */
	int (*probe_head)(const void *head, size_t len);
};

/** formats - all of them, ended by a NULL name */
extern const struct format formats[];

/** format_by_name - NULL when there is none of that name */
const struct format *format_by_name(const char *name);

/** format_of_trace - the format surest of these first bytes that can become a trace; NULL: none */
const struct format *format_of_trace(const void *head, size_t len);

/** format_of_text - the format surest of a whole text among those with measurements, else plain */
const struct format *format_of_text(const struct pasted *t);

/**
 * format_read - all measurements of a text
 * @f: its format
 * Returns 0 and fills @r (free with readings_free()); -EBADMSG, with a text that names file, line
 * and format, when it can not be read or holds no value; -ENOMEM.
 */
int format_read(const struct format *f, const struct pasted *t, const struct reading_options *o,
		struct readings *r, struct error *e);

/** format_names - the names of formats with measurements (@traces: that become traces) */
void format_names(bool traces, char *out, size_t size);

/** format_nearest - "nearest to it is vmstat; ...": which formats a text resembles, and what to do
 */
void format_nearest(const struct pasted *t, char *out, size_t size);

/** format_help - those that compare reads, with an example each, as help and man page have them */
void format_help(FILE *f);

/** format_list - all formats with an example each, as the page docs/formats.md has them */
void format_list(FILE *f);

#endif
