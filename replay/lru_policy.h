/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_LRU_POLICY_H
#define SWAPTRACE_REPLAY_LRU_POLICY_H

#include <stdbool.h>

#include "common/error.h"
#include "replay/kernels.h"

/* What a policy says about the per-CPU batches of the LRU: drain=, drain-off= and lruadd=. */

#define LRU_SITE_NAME 64 /* bytes of a call site's name, with its NUL; longer ones are cut */
#define LRU_SITES_OFF 8	 /* drain-off= settings in one policy */

enum lru_drain {
	LRU_DRAIN_RECORDED, /* as the recorded kernel */
	LRU_DRAIN_ALWAYS,   /* each release of a caller's batch drains: before 4.15 */
	LRU_DRAIN_ONCE,	    /* once in the life of the batch: 4.15 on */
};

struct lru_policy {
	enum lru_drain drain;
	enum lruadd lruadd;
	unsigned int noff;
	char off[LRU_SITES_OFF][LRU_SITE_NAME]; /* sites that no longer drain */
};

/** lru_policy_differs - whether anything differs from what kernel @k does */
bool lru_policy_differs(const struct lru_policy *p, const struct kernel *k);

/*
 * The settings' values: always|once, the name of a site, outline-mb|inline-mb|inline-relaxed. Each
 * returns 0 or -EINVAL with a sentence that names the setting and what is possible.
 */
int lru_policy_drain(struct lru_policy *p, const char *value, struct error *e);
int lru_policy_drain_off(struct lru_policy *p, const char *value, struct error *e);
int lru_policy_lruadd(struct lru_policy *p, const char *value, struct error *e);

#endif
