/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_DRAIN_TIMES_H
#define SWAPTRACE_ANALYZE_DRAIN_TIMES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/mmtests.h"
#include "analyze/statistics.h"
#include "common/error.h"

/*
 * Times of single truncations under two rules of drains, thread T3: summarised as mmtests does and
 * tested. A file is a list of numbers; comments of key=value words state what is known of them:
 * unit=, release=, drain= (the rule), emulated=1 (the clock was none of hardware).
 */

struct drain_times_list {
	char name[128];			       /* the file's, without folders; harmless text */
	char unit[16], release[80], drain[16]; /* "" where the file does not say */
	int emulated;			       /* 1, 0; -1: the file does not say */
	double rows[MMTESTS_ROWS];
	struct sample_summary s;
};

struct drain_times {
	struct drain_times_list before, after;
	struct welch welch; /* of after against before */
};

/**
 * drain_times_read - read both files
 * Returns 0 and fills @t, which owns nothing; -errno when a file can't be opened; -EBADMSG for
 * something else than numbers, or none; -ENOMEM.
 */
int drain_times_read(const char *before, const char *after, struct drain_times *t, struct error *e);

/** drain_times_change - row @row (0 .. MMTESTS_ROWS-1) of after, in percent as mmtests has it */
double drain_times_change(const struct drain_times *t, unsigned int row);

#endif
