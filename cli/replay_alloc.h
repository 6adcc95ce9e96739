/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_REPLAY_ALLOC_H
#define SWAPTRACE_CLI_REPLAY_ALLOC_H

#include "replay/result.h"

/**
 * print_alloc - what the slot allocator of each of @n policies did: orders, first fallback, devices
 * @page_size: of the recorded machine, bytes
 * Prints to standard output, nothing where no result has any. Returns 0 or -ENOMEM.
 */
int print_alloc(const struct replay_result *results, unsigned int n, uint64_t page_size);

/** print_alloc_verify - lines below those of --verify, nothing where no decision was checked */
void print_alloc_verify(const struct verify_result *v);

#endif
