/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_SUMMARY_DEVICES_H
#define SWAPTRACE_ANALYZE_SUMMARY_DEVICES_H

#include "analyze/summary.h"

/*
 * Which swap device serves what, as it was recorded; used by summary.c only.
 *
 * A device's use is followed from slot to slot: SLOTS and ALLOC take one, FREE gives it back, a
 * swapoff that ends gives back all. The device of the highest priority is taken for the fast one,
 * all others are slower. It is full from the moment at which its last slot is taken, until a tenth
 * of its slots is free again: a slot that a swap-in frees is taken by the next swap-out.
 */

struct device_gathering;

/** devices_new - NULL when memory is out; devices_free() takes NULL, too */
struct device_gathering *devices_new(void);
void devices_free(struct device_gathering *g);

/**
 * devices_event - SLOTS, ALLOC, FREE, SWAPOFF; other events are ignored
 * @facts: the devices known so far. Returns 0 or -ENOMEM.
 */
int devices_event(struct device_gathering *g, const struct trace_facts *facts,
		  const struct event *ev);

/** devices_swapin - a need that was not found in the swap cache */
void devices_swapin(struct device_gathering *g, const struct trace_facts *facts,
		    const struct event *ev);

/** devices_finish - fill @out, known where there is more than one device. 0 or -ENOMEM */
int devices_finish(const struct device_gathering *g, const struct trace_facts *facts,
		   struct device_use_result *out);

#endif
