/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_REPLAY_LRU_H
#define SWAPTRACE_CLI_REPLAY_LRU_H

#include "replay/result.h"

/**
 * print_lru - drains, releases and flushes of @n policies side by side, and drains by call site
 * Prints to standard output, nothing where no result has any. Returns 0 or -ENOMEM.
 */
int print_lru(const struct replay_result *results, unsigned int n);

/** print_lru_verify - lines below those of --verify, nothing where no decision was checked */
void print_lru_verify(const struct lru_checked *c);

#endif
