/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_HEADER_LINES_H
#define SWAPTRACE_TRACES_HEADER_LINES_H

#include "traces/header.h"

/* One fact that a header may state; the table is also the list in swaptrace.data(5). */
struct header_key {
	const char *name;
	const char *meaning;
};

/** header_keys - the vocabulary, ended by a NULL name; thp_SIZEkB stands for one key per size */
extern const struct header_key header_keys[];

/**
 * header_key_nearest - the known key that a misspelt one most likely means
 * Returns NULL when none is near, see nearest_try().
 */
const char *header_key_nearest(const char *key);

/** trace_header_merge - add all facts and directives of @from to @h; -ENOMEM, -EINVAL: too many */
int trace_header_merge(struct trace_header *h, const struct trace_header *from);

/** trace_header_is_fact - whether a line (without its "# ") is key=value facts, not a directive */
bool trace_header_is_fact(const char *line);

/**
 * trace_header_misspelt - the directive that a comment (without its "# ") most likely means
 * Returns NULL unless its first word is near one and the second is key=value: prose is no
 * directive.
 */
const char *trace_header_misspelt(const char *line);

/** header_clean_line - a copy without trailing blanks, control and 8-bit bytes as \xHH; NULL: no
 * memory */
char *header_clean_line(const char *line);

/** header_parse_device - what a `device` line says; what it does not say stays unknown */
void header_parse_device(const char *line, uint32_t type, struct trace_device *d);

/** header_format_device - a `device` line */
void header_format_device(char *out, size_t size, const struct trace_device *d);

/** device_flags_put - the names of @flags joined by commas, "none" for 0; bits without a name in
 * hex */
size_t device_flags_put(char *out, size_t size, uint64_t flags, const char *const *names);

/** device_flags_parse - the reverse; false when a name is unknown */
bool device_flags_parse(const char *s, size_t len, const char *const *names, uint64_t *flags);

#endif
