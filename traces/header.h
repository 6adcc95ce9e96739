/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_HEADER_H
#define SWAPTRACE_TRACES_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * What is known about a recording as a whole: the "# ..." lines of the text notation. The binary
 * format stores the same lines, so nothing of a header is lost by import or dump. Two kinds:
 *
 *   # key=value key=value ...        facts about the machine
 *   # DIRECTIVE key=value ...        device, probe, clock, loss, filter, note (a line each)
 *
 * A value is known or absent; absent is unknown, never 0.
 */

#define HEADER_DEVICES_MAX 32

struct trace_device {
	uint32_t type;
	bool have_pages, have_prio, have_flags;
	uint64_t pages; /* slots with the header slot (si->max) */
	int32_t prio;
	uint32_t flags; /* enum device_flag */
	char name[256]; /* unescaped, "" when unknown */
};

struct trace_header; /* opaque: the ordered lines and an index of them */

/** trace_header_new - an empty header, NULL when memory is out; freed with trace_header_free() */
struct trace_header *trace_header_new(void);

/** trace_header_clone - an independent copy, NULL when memory is out */
struct trace_header *trace_header_clone(const struct trace_header *h);

/** trace_header_free - NULL is allowed */
void trace_header_free(struct trace_header *h);

/**
 * trace_header_add_line - take over one line
 * @line: the line without its leading "# ", e.g. "release=6.12.117 arch=x86_64" or "device type=0"
 * A "key=value" line with a key that is already there replaces the value; a `device` line with the
 * same type= replaces the earlier one; other directives are appended. Unknown keys are kept and
 * can be listed with trace_header_unknown().
 * Returns 0, or -EINVAL when the line is neither of the two kinds (the caller may treat it as a
 * comment).
 */
int trace_header_add_line(struct trace_header *h, const char *line, struct error *e);

/**
 * trace_header_set - set one "key=value" fact; @value is unescaped and is escaped when written
 * Returns 0, -ENOMEM, or -EINVAL for a key with other bytes than letters, digits, '_', '.' and '-'.
 */
int trace_header_set(struct trace_header *h, const char *key, const char *value);

/** trace_header_set_u64 - the same for a number */
int trace_header_set_u64(struct trace_header *h, const char *key, uint64_t value);

/** trace_header_get - unescaped value of a fact, NULL when unknown; owned by the header */
const char *trace_header_get(const struct trace_header *h, const char *key);

/** trace_header_u64 - a numeric fact; false when it is unknown or not a number */
bool trace_header_u64(const struct trace_header *h, const char *key, uint64_t *value);

/**
 * trace_header_devices - the devices of the `device` lines, in order
 * @n: where their number goes, at most HEADER_DEVICES_MAX
 * The array is owned by the header and valid until it is changed or freed.
 */
const struct trace_device *trace_header_devices(const struct trace_header *h, unsigned int *n);

/**
 * trace_header_imaginary - whether slots of device @type are only names of data (traces/gen.h)
 * An ALLOC there is no answer of any kernel.
 */
bool trace_header_imaginary(const struct trace_header *h, uint64_t type);

/** trace_header_add_device - add or replace the device line of @d->type */
int trace_header_add_device(struct trace_header *h, const struct trace_device *d);

/** trace_header_lines - number of lines as they are written (facts wrapped to several per line
 * first) */
size_t trace_header_lines(const struct trace_header *h);

/** trace_header_line - line @i without its "# ", owned by the header */
const char *trace_header_line(const struct trace_header *h, size_t i);

/**
 * trace_header_next_directive - walk the lines of one directive
 * @directive: "probe", "loss", ...
 * @from: 0 to begin, then what the call before left there
 * Returns the text behind the directive word, NULL after the last one.
 */
const char *trace_header_next_directive(const struct trace_header *h, const char *directive,
					size_t *from);

/**
 * trace_line_get - value of @key in the text of a directive ("event=RA symbol=x hits=3")
 * @value, @size: buffer for the unescaped value
 * Returns true when the key is there.
 */
bool trace_line_get(const char *text, const char *key, char *value, size_t size);

/** trace_line_u64 - the same for a number; false when absent or not a number */
bool trace_line_u64(const char *text, const char *key, uint64_t *value);

/** trace_header_unknown - fact key number @i that is not in the vocabulary, NULL after the last one
 */
const char *trace_header_unknown(const struct trace_header *h, size_t i);

/** header_key_known - whether @key is a fact that the tool knows (docs: swaptrace.data(5)) */
bool header_key_known(const char *key);

#endif
