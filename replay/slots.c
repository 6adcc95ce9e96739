// SPDX-License-Identifier: GPL-2.0
#include "replay/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void slots_free(struct slots *s)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++) {
		free(s->dev[t].refs);
		free(s->dev[t].owner);
	}
	map_free(&s->by_owner);
	memset(s, 0, sizeof(*s));
}

static void set_on(struct slots *s, struct slot_device *d, bool on)
{
	bool rotational = d->have_flags && d->flags & DEVICE_ROTATIONAL;

	if (rotational && on && !d->on)
		s->rotational++;
	if (rotational && !on && d->on)
		s->rotational--;
	d->on = on;
}

void slots_device_add(struct slots *s, unsigned int type, uint64_t pages, bool have_flags,
		      uint32_t flags, bool on)
{
	struct slot_device *d;

	if (type >= SLOT_DEVICES)
		return;
	d = &s->dev[type];
	set_on(s, d, false);
	d->seen = true;
	if (pages)
		d->pages = pages;
	if (have_flags) {
		d->have_flags = true;
		d->flags = flags;
	}
	set_on(s, d, on);
}

void slots_device_off(struct slots *s, unsigned int type)
{
	struct slot_device *d;

	if (type >= SLOT_DEVICES)
		return;
	d = &s->dev[type];
	set_on(s, d, false);
	if (d->refs)
		memset(d->refs, 0, d->size);
}

int slots_allocate(struct slots *s, bool owners)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++) {
		struct slot_device *d = &s->dev[t];

		if (!d->size)
			continue;
		/* Fresh zero pages cost nothing until a slot in them is used. */
		d->refs = calloc(d->size, sizeof(*d->refs));
		if (owners)
			d->owner = calloc(d->size, sizeof(*d->owner));
		if (!d->refs || (owners && !d->owner))
			return -ENOMEM;
	}
	return 0;
}

int slots_set_owner(struct slots *s, unsigned int type, uint64_t off, struct slot_owner o)
{
	struct slot_owner *now;

	if (!s->dev[type].owner)
		return 0;
	now = &s->dev[type].owner[off];
	if (now->vma) {
		uint64_t *slot = map_get(&s->by_owner, now->vma, now->page);

		/* The page may have moved on to another slot meanwhile. */
		if (slot && *slot == slot_pack(type, off))
			map_remove(&s->by_owner, now->vma, now->page);
	}
	*now = o;
	return o.vma ? map_set(&s->by_owner, o.vma, o.page, slot_pack(type, off)) : 0;
}

bool slots_find_owner(const struct slots *s, struct slot_owner o, unsigned int *type, uint64_t *off)
{
	const uint64_t *slot = map_get(&s->by_owner, o.vma, o.page);

	if (!slot)
		return false;
	*type = (unsigned int)(*slot >> 56);
	*off = *slot & ((1ull << 56) - 1);
	return true;
}
