// SPDX-License-Identifier: GPL-2.0
#include "replay/lru_policy.h"

#include <errno.h>
#include <string.h>

bool lru_policy_differs(const struct lru_policy *p, const struct kernel *k)
{
	if (p->noff || (p->lruadd != LRUADD_RECORDED && p->lruadd != k->lruadd))
		return true;
	if (p->drain == LRU_DRAIN_RECORDED)
		return false;
	return (p->drain == LRU_DRAIN_ALWAYS) != (k->batches.policy == PV_DRAIN_ALWAYS);
}

int lru_policy_drain(struct lru_policy *p, const char *value, struct error *e)
{
	if (!strcmp(value, "always"))
		p->drain = LRU_DRAIN_ALWAYS;
	else if (!strcmp(value, "once"))
		p->drain = LRU_DRAIN_ONCE;
	else
		return error_set(e, -EINVAL, "policy: drain=%s is not one of always, once", value);
	return 0;
}

int lru_policy_drain_off(struct lru_policy *p, const char *value, struct error *e)
{
	if (!*value || strlen(value) >= LRU_SITE_NAME)
		return error_set(
			e, -EINVAL,
			"policy: drain-off=%s is not the name of a function (1 to %d bytes)", value,
			LRU_SITE_NAME - 1);
	if (p->noff == LRU_SITES_OFF)
		return error_set(e, -EINVAL, "policy: more than %d drain-off settings",
				 LRU_SITES_OFF);
	strcpy(p->off[p->noff++], value);
	return 0;
}

int lru_policy_lruadd(struct lru_policy *p, const char *value, struct error *e)
{
	for (int i = LRUADD_OUTLINE_MB; i <= LRUADD_INLINE_RELAXED; i++)
		if (!strcmp(value, lruadd_name((enum lruadd)i))) {
			p->lruadd = (enum lruadd)i;
			return 0;
		}
	return error_set(e, -EINVAL,
			 "policy: lruadd=%s is not one of outline-mb, inline-mb, inline-relaxed",
			 value);
}
