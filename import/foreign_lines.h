/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_FOREIGN_LINES_H
#define SWAPTRACE_IMPORT_FOREIGN_LINES_H

#include "import/foreign.h"

/* What importers of other tools' text have in common: lines "WHO [CPU] TIME: EVENT: ARGUMENTS". */

/**
 * foreign_split - find the last "TIME: EVENT: ARGUMENTS" of a line
 * The time is in seconds with 1 to 9 decimals. Commands are foreign bytes and may look like
 * anything, so a line is read from its right end. Fills all but cpu, tgid, tid and comm, which are
 * set to not known. Returns false when the line is no such line.
 */
bool foreign_split(const char *line, size_t len, struct foreign_event *f);

/**
 * foreign_take_name - take "EVENT: ARGUMENTS" or "PERIOD EVENT: ARGUMENTS" at @i of the line
 * Fills name and args; false when it is neither.
 */
bool foreign_take_name(const char *line, size_t len, size_t i, struct foreign_event *f);

/** foreign_take_cpu - take "[CPU]" off the end of the @len bytes at @s; false: there is none */
bool foreign_take_cpu(const char *s, size_t *len, int32_t *cpu);

/** foreign_last_word - where the last word of the @len bytes at @s begins */
size_t foreign_last_word(const char *s, size_t len);

/** foreign_id - a whole word as a process or thread; false when it is not a number below 2^31 */
bool foreign_id(const char *s, size_t len, int32_t *id);

/* What one tool's text is like. */
struct foreign_format {
	const char *name; /* becomes backend= of the trace */
	/* A line of an event, its pointers into the line; false: it is none */
	bool (*event)(const char *line, size_t len, struct foreign_event *f);
	/* Any other line: 1 dealt with, 0 not understood, -ENOMEM */
	int (*other)(struct foreign_import *in, const char *line, size_t len);
	const char *expected; /* what a line should look like, for a message */
};

/** foreign_import_lines - the whole import of a text, as trace_import_text() */
int foreign_import_lines(const struct foreign_format *format, FILE *in, const char *name,
			 const char *out_path, struct trace_stats *stats, struct error *e);

/** foreign_probe - for struct importer: how many of the first lines are events of the format */
int foreign_probe(const struct foreign_format *format, const void *head, size_t len);

/** import_perf, import_probe_perf - output of perf script; see struct importer */
int import_perf(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		struct error *e);
int import_probe_perf(const void *head, size_t len);

/**
 * import_tracecmd, import_probe_tracecmd - output of trace-cmd report, or ftrace's own trace file;
 * see struct importer
 */
int import_tracecmd(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		    struct error *e);
int import_probe_tracecmd(const void *head, size_t len);

#endif
