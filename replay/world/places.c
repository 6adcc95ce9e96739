// SPDX-License-Identifier: GPL-2.0
#include "replay/world/places.h"

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

int places_init(struct places *p, uint64_t recorded)
{
	p->model = calloc(recorded + 1, sizeof(*p->model));
	p->recorded = calloc(slot_space_total(&p->space) + 1ul, sizeof(*p->recorded));
	return p->model && p->recorded ? 0 : -ENOMEM;
}

void places_free(struct places *p)
{
	free(p->model);
	free(p->recorded);
	memset(p, 0, sizeof(*p));
}

void places_slot(const struct places *p, uint32_t x, unsigned int *type, uint64_t *off)
{
	unsigned int part = slot_space_part(&p->space, x);

	*type = part % SLOT_DEVICES;
	*off = x - p->space.base[part];
	if (part >= SLOT_DEVICES && p->reserved_from[*type])
		*off += p->reserved_from[*type] - p->reserved_first;
}

uint32_t places_at(const struct places *p, unsigned int type, uint64_t off)
{
	if (p->reserved_from[type] && off >= p->reserved_from[type])
		return slot_space_number(&p->space, SLOT_DEVICES + type,
					 off - p->reserved_from[type] + p->reserved_first);
	return slot_space_number(&p->space, type, off);
}
