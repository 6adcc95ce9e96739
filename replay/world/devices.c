// SPDX-License-Identifier: GPL-2.0
#include "replay/world/devices.h"

#include "traces/event.h"

static void set_on(struct swap_devices *d, struct swap_device *dev, bool on)
{
	bool rotational = dev->have_flags && dev->flags & DEVICE_ROTATIONAL;

	if (rotational && on && !dev->on)
		d->rotational++;
	if (rotational && !on && dev->on)
		d->rotational--;
	dev->on = on;
}

void swap_device_on(struct swap_devices *d, uint64_t type, uint64_t pages, bool have_flags,
		    uint32_t flags)
{
	struct swap_device *dev;

	if (type >= SLOT_DEVICES)
		return;
	dev = &d->dev[type];
	set_on(d, dev, false);
	if (pages)
		dev->pages = pages;
	if (have_flags) {
		dev->have_flags = true;
		dev->flags = flags;
	}
	set_on(d, dev, true);
}

void swap_device_off(struct swap_devices *d, uint64_t type)
{
	if (type < SLOT_DEVICES)
		set_on(d, &d->dev[type], false);
}
