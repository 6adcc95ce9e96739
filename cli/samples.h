/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_SAMPLES_H
#define SWAPTRACE_CLI_SAMPLES_H

#include <stddef.h>

/**
 * sample_path - where a shipped capture lies
 * @name: file name, "t1-cluster-6.12.swaptrace"
 * @out, @size: the path, or the bare name when it is found nowhere
 * Looks into $SWAPTRACE_SAMPLES, then beside the program (work tree), then where `make install`
 * puts the samples. Returns 0 or -ENOENT.
 */
int sample_path(const char *name, char *out, size_t size);

/**
 * sample_match - a shipped capture whose file name contains @word and ends in ".swaptrace"
 * The last in the order of versions ("6.12-..." is behind "6.1-...") of the first folder that has
 * one, in the order of sample_path(). Returns 0 or -ENOENT.
 */
int sample_match(const char *word, char *out, size_t size);

#endif
