/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_READER_H
#define SWAPTRACE_TRACES_READER_H

#include "common/strpool.h"
#include "traces/block.h"
#include "traces/file.h"
#include "traces/trace.h"
#include "traces/wire.h"

/* Inside of struct trace_reader, shared by opening (open.c) and reading on (reader.c). */

struct trace_footer {
	bool present;
	uint64_t blocks, events;
	uint32_t nindex, stride;
	uint8_t *index; /* nindex entries of INDEX_ENTRY bytes as they are in the file */
};

#define INDEX_ENTRY 24 /* offset, first event, first time: 64 bits each */

struct trace_reader {
	int fd;
	char *name;
	uint64_t size;	/* of the file */
	uint64_t first; /* where the blocks begin */
	uint64_t end;	/* where they end: at the footer, or with the file */
	struct trace_header *header;
	struct trace_footer footer;
	struct strpool *strings;
	struct trace_block *block;
	struct trace_stats opened; /* what opening found: stats begin with this */
	struct trace_stats stats;
	uint64_t line_lost; /* sum of the header's loss lines */
	uint64_t block_lost, event_lost;
	uint64_t *cpu_lost; /* block_lost by CPU */
	uint32_t ncpus;

	uint64_t pos;
	uint64_t next_number, next_event; /* what the next block should say of itself */
	uint64_t last_ns;
	uint32_t row, rows; /* of the current block, for trace_next() */
};

/**
 * reader_find_section - the next section with a right head at or after @from
 * @limit: where to stop looking
 * @newer: also accept sections of later versions
 * Returns its offset, or @limit when there is none; -errno as a negative number.
 */
int64_t reader_find_section(struct trace_reader *r, uint64_t from, uint64_t limit, bool newer,
			    struct section *s);

/** reader_head - the head of the section at @pos; false when there is no whole right one */
bool reader_head(struct trace_reader *r, uint64_t pos, struct section *s);

/** reader_check_gap - how many bytes of the gap at @pos are not zero */
uint64_t reader_check_gap(struct trace_reader *r, uint64_t pos);

/** reader_start - stats and position as after opening */
void reader_start(struct trace_reader *r);

#endif
