/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_IMPORT_LINES_H
#define SWAPTRACE_TRACES_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "traces/header.h"
#include "traces/trace.h"

/*
 * What importers of other tools' text have in common: lines "WHO [CPU] TIME: EVENT: ARGUMENTS",
 * which events of theirs are events of ours, and losses.
 */

/** import_name_unknown - name an unknown thing once in @stats; a full list ends with "..." */
void import_name_unknown(struct trace_stats *stats, const char *name, size_t len);

/** import_bad_line - count a line that was not understood; the first is kept with the reason */
void import_bad_line(struct trace_stats *stats, uint64_t number, const char *why);

/* One line of an event; the pointers are into the line. */
struct foreign_event {
	uint64_t t_ns;
	int32_t cpu;	  /* -1: not shown */
	int32_t tgid;	  /* -1: not shown */
	int32_t tid;	  /* -1: not shown */
	const char *comm; /* NULL: not known */
	size_t comm_len;
	const char *name; /* without the group and the colons */
	size_t name_len;
	const char *args; /* up to the end of the line */
	size_t args_len;
	size_t who_len; /* bytes of the line before the time, without the blanks at their end */
};

/**
 * foreign_split - find the last "TIME: EVENT: ARGUMENTS" of a line
 * The time is in seconds with 1 to 9 decimals. Commands are foreign bytes and may look like
 * anything, so a line is read from its right end. Fills all but cpu, tgid, tid and comm, which are
 * set to not known. Returns false when the line is no such line.
 */
bool foreign_split(const char *line, size_t len, struct foreign_event *f);

/** foreign_take_cpu - take "[CPU]" off the end of the @len bytes at @s; false: there is none */
bool foreign_take_cpu(const char *s, size_t *len, int32_t *cpu);

/** foreign_last_word - where the last word of the @len bytes at @s begins */
size_t foreign_last_word(const char *s, size_t len);

/** foreign_id - a whole word as a process or thread; false when it is no number below 2^31 */
bool foreign_id(const char *s, size_t len, int32_t *id);

struct foreign_import;

/* What one tool's text is like. */
struct foreign_format {
	const char *name; /* becomes backend= of the trace */
	/* A line of an event; false: it is none */
	bool (*event)(const char *line, size_t len, struct foreign_event *f);
	/* Any other line: 1 dealt with, 0 not understood, -ENOMEM */
	int (*other)(struct foreign_import *in, const char *line, size_t len);
	const char *expected; /* what a line should look like, for a message */
};

/**
 * foreign_lost - events were lost between the last line of @cpu and its next one
 * @cpu: -1 when the text does not say
 * @n: 0 when the text does not say how many: counted as 1, and a note of the trace says so
 * Returns 1, or 0 when the numbers can not be (see above: not understood), or -ENOMEM.
 */
int foreign_lost(struct foreign_import *in, int64_t cpu, uint64_t n);

/** foreign_header_line - add a header line ("note ..."); 1 or -ENOMEM */
int foreign_header_line(struct foreign_import *in, const char *text);

/**
 * foreign_import - the whole import, as trace_import_text()
 * -EBADMSG when no line at all is one of the format.
 */
int foreign_import(const struct foreign_format *format, FILE *in, const char *name,
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
