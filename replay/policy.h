/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_POLICY_H
#define SWAPTRACE_REPLAY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "replay/alloc_policy.h"
#include "replay/cost.h"
#include "replay/kernels.h"
#include "replay/lru_policy.h"

/*
 * A policy is what a replay answers the recorded needs with. It starts as what the recorded kernel
 * does and changes by settings: "readahead=cluster,page-cluster=5".
 */

enum readahead_policy {
	READAHEAD_KERNEL, /* VMA or cluster, as vma_ra and rotational devices say */
	READAHEAD_CLUSTER,
	READAHEAD_VMA,
	READAHEAD_NONE,
	READAHEAD_FIXED, /* aligned windows of a fixed number of slots */
};

#define SWAPIN_ORDER_MAX 13 /* 64K pages: clusters of 2^13 */

/* How many pages of a large folio that went out come back for one need. */
enum swapin_policy {
	SWAPIN_RECORDED, /* as recorded */
	SWAPIN_CAP,	 /* all of them, up to an order */
};

enum prev_scope { PREV_GLOBAL, PREV_PER_DEVICE, PREV_PER_CPU };

struct policy {
	char spec[200]; /* as the user wrote it; "recorded" for the recorded kernel's own */
	const struct kernel *kernel; /* the recorded one, or that of model= */
	bool what_if; /* differs from what the recorded kernel did; lru apart, see lru_run.h */
	enum readahead_policy readahead;
	unsigned int fixed; /* READAHEAD_FIXED: slots, a power of two */
	int page_cluster;   /* -1: as recorded */
	enum swapoff_policy swapoff;
	unsigned int swapoff_fixed; /* SWAPOFF_FIXED: slots */
	enum prev_scope prev;
	/*
	 * No swap-in goes around the swap cache: a fault on a synchronous device brings in its one
	 * folio through it, without readahead and without a call of it, as in kernels from 7.0 on.
	 */
	bool no_bypass;
	enum swapin_policy swapin;
	unsigned int swapin_cap; /* SWAPIN_CAP: largest order; 0: page by page */
	unsigned int cpus;	 /* recorded CPU c acts as c mod cpus; 0: as recorded */
	bool have_device;	 /* its times are estimated for a device of its own */
	struct cost_model device;
	struct alloc_policy alloc;
	struct lru_policy lru;
};

/** policy_recorded - the policy of the recorded kernel: @k and nothing else; @k must outlive @p */
void policy_recorded(struct policy *p, const struct kernel *k);

/* One key of a SPEC. Each family has a table of its own, ended by a row without key. */
struct policy_setting {
	const char *key;
	const char *values; /* what may stand behind it, for help texts */
	/* Take the value; 0 or -EINVAL with a sentence that names the setting and what is possible
	 */
	int (*set)(struct policy *p, const char *value, struct error *e);
	bool repeatable;     /* several of them add up */
	const char *meaning; /* one line for help texts */
};

extern const struct policy_setting readahead_settings[], alloc_settings[], lru_settings[];
extern const struct policy_setting common_settings[]; /* that concern several families */

/** policy_setting_at - number @i of all settings, NULL behind the last */
const struct policy_setting *policy_setting_at(unsigned int i);

/**
 * policy_parse - settings on top of policy_recorded()
 * @spec: "key=value,key=value"; keys: readahead page-cluster swapoff prev bypass swapin-order
 *	  cpus model device allocator reserve devices drain drain-off lruadd; each once, but for
 *drain-off Returns 0 or -EINVAL with a sentence that names the setting and what is possible; a file
 *of devices that cannot be read gives its errno.
 */
int policy_parse(struct policy *p, const struct kernel *recorded, const char *spec,
		 struct error *e);

/** policy_differs - whether the settings differ from what the kernel @recorded does */
bool policy_differs(const struct policy *p, const struct kernel *recorded);

/** policy_reads_differ - whether it may read other pages than the kernel @recorded */
bool policy_reads_differ(const struct policy *p, const struct kernel *recorded);

#endif
