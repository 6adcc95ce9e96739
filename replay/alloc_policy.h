/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_POLICY_H
#define SWAPTRACE_REPLAY_ALLOC_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/* What a policy says about the slot allocator: allocator=, reserve= and devices=. */

#define POLICY_DEVICES 32 /* types 0 .. 31, one line each */
#define POLICY_MEMCGS 8	  /* memory cgroups named in one line */

/* A line of a devices file. */
struct policy_device {
	bool present;
	uint32_t pages; /* slots, header included */
	int prio;	/* as /proc/swaps shows it */
	uint32_t flags; /* enum device_flag */
	unsigned int nmemcgs;
	uint64_t memcgs[POLICY_MEMCGS]; /* only these use the device, and no other; none: all do */
};

struct alloc_policy {
	char allocator[20]; /* name of a model (swap_alloc_generation()); "": of the kernel */
	bool reserve;
	unsigned int reserve_order, reserve_percent; /* 1 .. 99 percent of each device's clusters */
	bool devices;				     /* device[] stands in for the recorded ones */
	struct policy_device device[POLICY_DEVICES]; /* [type] */
};

/** alloc_policy_same - whether two policies ask for the same allocator and devices */
bool alloc_policy_same(const struct alloc_policy *a, const struct alloc_policy *b);

/** alloc_policy_set - whether anything differs from what was recorded */
bool alloc_policy_set(const struct alloc_policy *p);

/*
 * The settings' values. Each returns 0 or -EINVAL with a sentence that names the setting and what
 * is possible; devices= also -errno of a file that can't be read.
 */
int alloc_policy_allocator(struct alloc_policy *p, const char *value, struct error *e);
int alloc_policy_reserve(struct alloc_policy *p, const char *value, struct error *e);
int alloc_policy_devices(struct alloc_policy *p, const char *path, struct error *e);

#endif
