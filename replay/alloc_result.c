// SPDX-License-Identifier: GPL-2.0
#include "replay/alloc_result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *fallback_reason_name(enum fallback_reason r)
{
	static const char *const names[FALLBACK_REASONS] = { "full", "no-aligned-hole",
							     "hole-not-found", "config", "limit" };

	return names[r];
}

void alloc_result_free(struct alloc_result *r)
{
	free(r->chunks);
	free(r->groups);
	free(r->slices);
	memset(r, 0, sizeof(*r));
}

static void *copy_array(const void *from, size_t n, size_t size, int *ret)
{
	void *to;

	if (!n)
		return NULL;
	to = malloc(n * size);
	if (to)
		memcpy(to, from, n * size);
	else
		*ret = -ENOMEM;
	return to;
}

int alloc_result_copy(struct alloc_result *to, const struct alloc_result *from)
{
	int ret = 0;

	*to = *from;
	to->chunks = copy_array(from->chunks, from->nchunks, sizeof(*to->chunks), &ret);
	to->groups = copy_array(from->groups, from->ngroups, sizeof(*to->groups), &ret);
	to->slices = copy_array(from->slices, from->nslices, sizeof(*to->slices), &ret);
	if (ret)
		alloc_result_free(to);
	return ret;
}

struct alloc_order alloc_large_total(const struct alloc_order orders[ALLOC_ORDERS])
{
	struct alloc_order total = { 0 };

	for (unsigned int o = 1; o < ALLOC_ORDERS; o++) {
		total.swpout += orders[o].swpout;
		total.fallback += orders[o].fallback;
		for (unsigned int r = 0; r < FALLBACK_REASONS; r++)
			total.reasons[r] += orders[o].reasons[r];
	}
	return total;
}
