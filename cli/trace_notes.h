/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_TRACE_NOTES_H
#define SWAPTRACE_CLI_TRACE_NOTES_H

#include "traces/trace.h"

/**
 * trace_warn - say on stderr, a line each, what went wrong while @name was read: damage, a missing
 * end, loss, lines and keys not understood. Call it after the last event.
 * Returns true when there was damage or loss: with --strict that is EXIT_FINDING.
 */
bool trace_warn(const char *name, const struct trace_stats *s);

#endif
