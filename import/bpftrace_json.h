/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_BPFTRACE_JSON_H
#define SWAPTRACE_IMPORT_BPFTRACE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/*
 * bpftrace -f json writes a JSON object a line, among lines of other text. Maps, histograms and
 * losses become what bpftrace prints without the option, so that one reader does for both.
 */

/* Lines that were left out. */
struct skipped_lines {
	uint64_t n;
	uint64_t first; /* number of the first of them */
};

/** bpftrace_json_recognise - whether the beginning of a file has a line of it */
bool bpftrace_json_recognise(const char *head, size_t len);

/**
 * bpftrace_json_text - all of @in as text
 * @text, @len: owned by the caller, also when nothing was in it
 * @skipped: objects that are no JSON, and maps whose values are no counts
 * Counts are exact up to 64 bits, as numbers and as strings. Returns 0, -ENOMEM or -EIO.
 */
int bpftrace_json_text(FILE *in, const char *name, char **text, size_t *len,
		       struct skipped_lines *skipped, struct error *e);

#endif
