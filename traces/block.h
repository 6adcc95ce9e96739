/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_BLOCK_H
#define SWAPTRACE_TRACES_BLOCK_H

#include "common/strpool.h"
#include "traces/column.h"
#include "traces/trace.h"
#include "traces/wire.h"

/* Behind struct trace_block: the payload of one block and what has been decoded of it. */

/** block_new - @strings: pool of the reader, into which the block's strings go; NULL: no memory */
struct trace_block *block_new(struct strpool *strings);
void block_free(struct trace_block *b);

/** block_buffer - room for a payload of @len bytes, to be read into before block_load(); NULL: no
 * memory */
uint8_t *block_buffer(struct trace_block *b, size_t len);

/**
 * block_load - take apart the payload that is in the buffer; types are decoded, all else waits
 * Returns 0, -EBADMSG for a broken structure, -ENOMEM.
 */
int block_load(struct trace_block *b, const struct section *s);

/* CPUs from here on are counted as the last one. */
#define BLOCK_CPUS_MAX 65536u

/**
 * block_next_loss - walk the block's loss table
 * @c: all zeros to begin with
 * Returns false after the last CPU.
 */
bool block_next_loss(const struct trace_block *b, struct cursor *c, uint32_t *cpu, uint64_t *n);

/** block_event - event @i of the block; false when a column is broken. In order: i = 0, 1, 2, ...
 */
bool block_event(struct trace_block *b, uint32_t i, struct event *ev);

/** block_decode_all - decode every column; false when one is broken */
bool block_decode_all(struct trace_block *b);

#endif
