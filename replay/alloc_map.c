// SPDX-License-Identifier: GPL-2.0
#include "replay/alloc_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int slot_space_init(struct slot_space *s, const uint64_t *sizes, unsigned int n)
{
	uint64_t total = 0;

	memset(s, 0, sizeof(*s));
	s->parts = n;
	for (unsigned int i = 0; i < n; i++) {
		s->base[i] = (uint32_t)total;
		if (sizes[i] >= SLOT_NOWHERE || total + sizes[i] >= SLOT_NOWHERE)
			return -E2BIG;
		total += sizes[i];
	}
	s->base[n] = (uint32_t)total;
	return 0;
}

unsigned int slot_space_part(const struct slot_space *s, uint32_t i)
{
	unsigned int low = 0, high = s->parts;

	/* The last part that begins at or before it; empty parts share their beginning. */
	while (high - low > 1) {
		unsigned int middle = (low + high) / 2;

		if (s->base[middle] <= i)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int alloc_map_init(struct alloc_map *m, uint32_t recorded, uint32_t model)
{
	m->model = calloc((size_t)recorded + 1, sizeof(*m->model));
	m->recorded = calloc((size_t)model + 1, sizeof(*m->recorded));
	return m->model && m->recorded ? 0 : -ENOMEM;
}

void alloc_map_free(struct alloc_map *m)
{
	free(m->model);
	free(m->recorded);
	memset(m, 0, sizeof(*m));
}
