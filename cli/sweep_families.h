/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_SWEEP_FAMILIES_H
#define SWAPTRACE_CLI_SWEEP_FAMILIES_H

#include <stdbool.h>

#include "replay/result.h"

/*
 * The slot allocator and the LRU batches in sweep: a table of their own for each, and what the rows
 * say about the settings. A family is shown where the trace tells of it and the rows differ in it.
 */

/** sweep_alloc_differs, sweep_lru_differs - whether the @n rows differ in what the family did */
bool sweep_alloc_differs(const struct replay_result *rows, unsigned int n);
bool sweep_lru_differs(const struct replay_result *rows, unsigned int n);

/**
 * sweep_print_alloc - requests, fallback and clusters of each row, then the row that falls back
 * least. To standard output. Returns 0 or -ENOMEM.
 */
int sweep_print_alloc(const struct replay_result *rows, unsigned int n);

/** sweep_print_lru - drains and what they move of each row, then the row with the fewest drains */
int sweep_print_lru(const struct replay_result *rows, unsigned int n);

/** sweep_label - "page-cluster=5 (what-if)", in @out of @size bytes */
void sweep_label(const struct replay_result *r, char *out, unsigned int size);

#endif
