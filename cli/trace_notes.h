/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_TRACE_NOTES_H
#define SWAPTRACE_CLI_TRACE_NOTES_H

#include "cli/command.h"
#include "traces/trace.h"

/* What was wrong with a trace that could be read all the same. */
enum trace_wrong {
	TRACE_LOSS = 1,	     /* the recorder lost events */
	TRACE_DAMAGE = 2,    /* the file is damaged, or its end is missing */
	TRACE_RECOVERED = 4, /* it was saved from such a file: events are missing */
};

/**
 * trace_warn - say on stderr, a line each, what went wrong while @name was read: damage, a missing
 * end, loss, lines and keys not understood. Call it after the last event.
 * Returns enum trace_wrong, combined.
 */
unsigned int trace_warn(const char *name, const struct trace_stats *s);

/**
 * trace_finding - what the exit status is when a command has done its work on such a trace
 * @wrong: of trace_warn()
 * EXIT_FINDING for damage, and with --strict for all of it; else EXIT_DONE.
 */
int trace_finding(const struct arguments *args, unsigned int wrong);

#endif
