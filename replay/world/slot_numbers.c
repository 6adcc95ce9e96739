// SPDX-License-Identifier: GPL-2.0
#include "replay/world/slot_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The last place would hold SLOT_NOWHERE. */
#define STRETCHES_MAX ((1u << (32 - SLOT_STRETCH_SHIFT)) - 1)

static int reach_index(struct slot_numbers *s, unsigned int type, uint32_t index)
{
	uint32_t room = s->room[type] ? s->room[type] : 16;
	uint32_t *bigger;

	while (room <= index)
		room *= 2;
	if (room == s->room[type])
		return 0;
	bigger = realloc(s->number[type], room * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + s->room[type], 0, (room - s->room[type]) * sizeof(*bigger));
	s->number[type] = bigger;
	s->room[type] = room;
	return 0;
}

int slot_numbers_add(struct slot_numbers *s, unsigned int type, uint64_t off)
{
	uint32_t index = (uint32_t)(off >> SLOT_STRETCH_SHIFT);

	if (slot_number(s, type, off) != SLOT_NOWHERE)
		return 0;
	if (s->n == STRETCHES_MAX || reach_index(s, type, index))
		return -ENOMEM;
	if (s->n == s->stretch_room) {
		uint32_t room = s->stretch_room ? s->stretch_room * 2 : 16;
		struct slot_stretch *bigger = realloc(s->stretch, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		s->stretch = bigger;
		s->stretch_room = room;
	}
	s->stretch[s->n] = (struct slot_stretch){ type, index };
	s->number[type][index] = ++s->n;
	return 0;
}

void slot_numbers_free(struct slot_numbers *s)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		free(s->number[t]);
	free(s->stretch);
	memset(s, 0, sizeof(*s));
}

void slot_numbers_sort(struct slot_numbers *s, uint32_t *from)
{
	uint32_t place = 0;

	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		for (uint32_t i = 0; i < s->room[t]; i++) {
			if (!s->number[t][i])
				continue;
			from[place] = s->number[t][i] - 1;
			s->stretch[place] = (struct slot_stretch){ t, i };
			s->number[t][i] = ++place;
		}
}

/* Slots from @off on that lie in its stretch; at most @n. */
static uint64_t in_stretch(uint64_t off, uint64_t n)
{
	uint64_t len = SLOT_STRETCH - (off & (SLOT_STRETCH - 1));

	return len < n ? len : n;
}

bool slot_runs_next_slow(const struct slot_numbers *s, uint64_t type, uint64_t *off, uint64_t *n,
			 struct slot_run *run)
{
	run->n = 0;
	while (*n && type < SLOT_DEVICES && *off >> SLOT_STRETCH_SHIFT < s->room[type]) {
		uint32_t r = slot_number(s, type, *off);
		uint64_t len = in_stretch(*off, *n);

		if (run->n && r != run->r + run->n)
			return true;
		if (r != SLOT_NOWHERE) {
			run->r = r - run->n;
			run->n += (uint32_t)len;
		}
		*off += len;
		*n -= len;
	}
	if (!run->n)
		*n = 0;
	return run->n != 0;
}

bool slot_device_next(const struct slot_numbers *s, unsigned int type, uint32_t *index,
		      struct slot_run *run)
{
	while (*index < s->room[type]) {
		uint32_t place = s->number[type][(*index)++];

		if (!place)
			continue;
		*run = (struct slot_run){ (place - 1) << SLOT_STRETCH_SHIFT, SLOT_STRETCH };
		return true;
	}
	return false;
}
