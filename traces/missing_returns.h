/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_MISSING_RETURNS_H
#define SWAPTRACE_TRACES_MISSING_RETURNS_H

#include <stddef.h>
#include <stdint.h>

#include "traces/header.h"

/*
 * Return probes can miss calls without a word (a kretprobe that finds no free instance). The
 * recorder counts entries as well, so that the loss shows and travels with the trace.
 */

/**
 * returns_missing - whether return probes have missed calls, in words
 * @entries, @returns: runs of the programs at entry and at exit of one function
 * @known: misses that the kernel itself admits to
 * @out: "38 of 10,000 return values missing (0.38 %)", and whether the kernel accounts for them
 * Returns how many are missing; 0 leaves an empty text.
 */
uint64_t returns_missing(uint64_t entries, uint64_t returns, uint64_t known, char *out,
			 size_t size);

/**
 * trace_next_missing - walk the probe lines of a header that tell of missing returns
 * @from: 0 to begin, then what the call before left there
 * @out: "SYMBOL: 38 of 10,000 return values missing (0.38 %)"
 * As many calls as there are CPUs may have been under way at the end and do not count as missing.
 * Returns how many are missing, 0 after the last such line.
 */
uint64_t trace_next_missing(const struct trace_header *h, size_t *from, char *out, size_t size);

#endif
