// SPDX-License-Identifier: GPL-2.0
#include "replay/world/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int slots_init(struct slots *s, const struct slot_numbers *numbers, bool owners, bool folios)
{
	size_t n = slot_numbers_total(numbers) + 1;

	memset(s, 0, sizeof(*s));
	s->numbers = numbers;
	s->refs = calloc(n, sizeof(*s->refs));
	s->flags = calloc(n, sizeof(*s->flags));
	if (folios)
		s->folio = calloc(n, sizeof(*s->folio));
	if (owners)
		s->owner = calloc(n, sizeof(*s->owner));
	return s->refs && s->flags && (s->folio || !folios) && (s->owner || !owners) ? 0 : -ENOMEM;
}

void slots_free(struct slots *s)
{
	free(s->refs);
	free(s->flags);
	free(s->folio);
	free(s->owner);
	map_free(&s->by_owner);
	memset(s, 0, sizeof(*s));
}

int slots_set_owner(struct slots *s, uint32_t r, struct slot_owner o)
{
	struct slot_owner *now;

	if (!s->owner)
		return 0;
	now = &s->owner[r];
	if (now->vma) {
		uint64_t *slot = map_get(&s->by_owner, now->vma, now->page);

		/* The page may have moved on to another slot meanwhile. */
		if (slot && *slot == r)
			map_remove(&s->by_owner, now->vma, now->page);
	}
	*now = o;
	return o.vma ? map_set(&s->by_owner, o.vma, o.page, r) : 0;
}

uint32_t slots_find_owner(const struct slots *s, struct slot_owner o)
{
	const uint64_t *slot = map_get(&s->by_owner, o.vma, o.page);

	return slot ? (uint32_t)*slot : SLOT_NOWHERE;
}
