/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_LRU_POLICY_H
#define SWAPTRACE_REPLAY_LRU_POLICY_H

#include <stdbool.h>

#include "common/error.h"
#include "replay/model/pagevec.h"

/* What a policy says about the per-CPU batches of the LRU: drain=, drain-off= and lruadd=. */

#define LRU_SITE_NAME 64 /* bytes of a call site's name, with its NUL; longer ones are cut */
#define LRU_SITES_OFF 8	 /* drain-off= settings in one policy */

enum lru_drain {
	LRU_DRAIN_RECORDED, /* as the recorded kernel */
	LRU_DRAIN_ALWAYS,   /* each release of a caller's batch drains: before 4.15 */
	LRU_DRAIN_ONCE,	    /* once in the life of the batch: 4.15 on */
};

/* How the function that adds a page to an LRU list asks whether the page is evictable (T4). */
enum lruadd {
	LRUADD_RECORDED,
	LRUADD_OUTLINE_MB,     /* full barrier, out-of-line call: 4.17 to 5.6 */
	LRUADD_INLINE_MB,      /* full barrier, inline test: the thread's patch 1/2 alone */
	LRUADD_INLINE_RELAXED, /* barrier only where the atomic is none, inline: 5.7 to 5.17 */
	LRUADD_NO_BARRIER,     /* ordered by the LRU lock: before 4.17 and from 5.18 on */
};

struct lru_policy {
	enum lru_drain drain;
	enum lruadd lruadd;
	unsigned int noff;
	char off[LRU_SITES_OFF][LRU_SITE_NAME]; /* sites that no longer drain */
};

/** lruadd_name - "outline-mb", "inline-mb", "inline-relaxed", "no-barrier"; "recorded" */
const char *lruadd_name(enum lruadd l);

/**
 * lruadd_of_kernel - what kernel @major.@minor does, never LRUADD_RECORDED
 * Source: kernel-facts 4.6 (9c4e6b1a7027 in 4.17, the series of T4 in 5.7, the mlock rework of
 * 5.18).
 */
enum lruadd lruadd_of_kernel(unsigned int major, unsigned int minor);

/** lru_policy_differs - whether anything differs from a kernel with @rules that does @kernel_adds
 */
bool lru_policy_differs(const struct lru_policy *p, const struct pv_rules *rules,
			enum lruadd kernel_adds);

/*
 * The settings' values: always|once, the name of a site, outline-mb|inline-mb|inline-relaxed. Each
 * returns 0 or -EINVAL with a sentence that names the setting and what is possible.
 */
int lru_policy_drain(struct lru_policy *p, const char *value, struct error *e);
int lru_policy_drain_off(struct lru_policy *p, const char *value, struct error *e);
int lru_policy_lruadd(struct lru_policy *p, const char *value, struct error *e);

#endif
