/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_LRU_FAMILY_H
#define SWAPTRACE_REPLAY_LRU_FAMILY_H

#include "replay/family.h"

/* The family of the per-CPU batches of the LRU: drains, flushes, and callers' batches. */
extern const struct replay_family lru_family;

#endif
