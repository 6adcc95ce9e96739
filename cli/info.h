/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_INFO_H
#define SWAPTRACE_CLI_INFO_H

#include "traces/trace.h"

/* What `swaptrace info` finds out about a trace; collected in info_collect.c, printed elsewhere. */

enum probe_state {
	PROBE_RIGHT,	   /* hits = delivered + lost + filtered */
	PROBE_WRONG,	   /* not so */
	PROBE_NOT_CHECKED, /* the trace does not give all four numbers */
};

struct info_probe {
	char event[64], symbol[128], kind[32], cpu[16]; /* "" unknown */
	bool have_hits, have_delivered, have_lost, have_filtered, have_missed;
	uint64_t hits, delivered, lost, filtered, missed;
	enum probe_state state;
};

/* Windows that the kernel's own function returned, and those of them that were derived as well. */
struct info_windows {
	uint64_t probed, derived, equal;
};

struct info {
	const char *path;
	const struct trace_header *header;
	const struct trace_stats *stats;
	uint64_t bytes;
	bool have_span;
	uint64_t first_ns, last_ns;
	uint64_t counts[EV_NR];
	uint64_t stored[EV_NR +
			1]; /* bytes of each type's columns; EV_NR: of what all events have */
	uint64_t offsets, offsets_zero, offsets_outside; /* of events with type and off */
	struct info_windows windows[2];			 /* by enum ra_mode */
	uint64_t device_pages[HEADER_DEVICES_MAX];	 /* by type, 0 unknown */
	uint64_t broken_blocks; /* --verify: checksum right, columns not decodable */
	struct info_probe *probes;
	size_t nprobes, probes_wrong, probes_not_checked;
};

/**
 * info_collect - read the whole trace
 * @verify: decode every column instead of only looking at the blocks
 * Returns 0 or a negative errno; free with info_free() in any case.
 */
int info_collect(struct info *in, struct trace_reader *r, const char *path, bool verify,
		 struct error *e);
void info_free(struct info *in);

/** info_print_json - one JSON document, schema version 1; 0 or -errno */
int info_print_json(FILE *f, const struct info *in, bool verify);

/** info_finding - whether --verify fails */
bool info_finding(const struct info *in);

#endif
