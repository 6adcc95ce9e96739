/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_STATS_H
#define SWAPTRACE_TRACES_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "traces/trace.h"

/* What readers of text count of what they did not understand. */

/** stats_name_unknown - name an unknown thing once in @stats; a full list ends with "..." */
void stats_name_unknown(struct trace_stats *stats, const char *name, size_t len);

/** stats_bad_line - count a line that was not understood; the first is kept with the reason */
void stats_bad_line(struct trace_stats *stats, uint64_t number, const char *why);

#endif
