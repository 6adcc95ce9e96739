/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_READ_TIMES_H
#define SWAPTRACE_BPF_READ_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How long reads took. A READ event is known when the read begins and has its place in the trace
 * then; how long it took is known later. This table keeps reads from their begin until their event
 * is written.
 */
struct read_table;

/** read_table_new - NULL when memory is out; freed with read_table_free() */
struct read_table *read_table_new(void);
void read_table_free(struct read_table *t);

/**
 * read_table_begin - a read of slot @off of device @type begins
 * @t_ns: when; @event_ns: the time that its event carries, which may be later
 * Without memory the read is forgotten, and its duration stays unknown.
 */
void read_table_begin(struct read_table *t, uint64_t type, uint64_t off, uint64_t t_ns,
		      uint64_t event_ns);

/**
 * read_table_end - the last read that began for the slot has ended at @t_ns
 * The first end counts: a function that returns after the device has finished tells nothing new.
 */
void read_table_end(struct read_table *t, uint64_t type, uint64_t off, uint64_t t_ns);

/**
 * read_table_take - the event of the read is written: forget it
 * Returns whether it has ended; *@ns is its duration then.
 */
bool read_table_take(struct read_table *t, uint64_t type, uint64_t off, uint64_t event_ns,
		     uint64_t *ns);

#endif
