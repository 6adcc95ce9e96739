/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_POLICY_H
#define SWAPTRACE_REPLAY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "replay/alloc_policy.h"
#include "replay/lru_policy.h"

/*
 * A policy is what a replay answers the recorded needs with. It starts as what the recorded kernel
 * does (a generation) and changes by settings: "readahead=cluster,page-cluster=5".
 */

/* What swapoff does for each page table entry it visits (kernel-facts: T1 and the 6.18 change). */
enum swapoff_policy {
	SWAPOFF_VANILLA,      /* readahead always, the cache is not asked first: before 5.8 */
	SWAPOFF_LOOKUP_FIRST, /* accounted lookup, readahead on a miss: 5.8 to 6.17 */
	SWAPOFF_LOOKUP_ONLY,  /* lookup without accounting, readahead on a miss: 6.18 */
	SWAPOFF_FIXED,	      /* lookup, windows of a fixed size on a miss */
};

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

/* A kernel generation with a model of its own. */
struct generation {
	const char *name; /* "v6.12" */
	unsigned int major, minor;
	enum swapoff_policy swapoff;
	bool shmem_bypass; /* shmem swap-in goes around the cache on synchronous devices (6.14+) */
	bool vma_left_clamp;   /* a VMA window's left edge stops at address 0 (6.11+) */
	const char *allocator; /* its slot allocator; v5.6: the nearest there is */
};

struct policy {
	char spec[200]; /* as the user wrote it; "recorded" for the recorded kernel's own */
	const struct generation *generation;
	bool what_if; /* differs from what the recorded kernel did; lru apart, see lru_run.h */
	enum readahead_policy readahead;
	unsigned int fixed; /* READAHEAD_FIXED: slots, a power of two */
	int page_cluster;   /* -1: as recorded */
	enum swapoff_policy swapoff;
	unsigned int swapoff_fixed; /* SWAPOFF_FIXED: slots */
	enum prev_scope prev;
	/*
	 * No swap-in goes around the swap cache: a fault on a synchronous device brings in its one
	 * folio through it, without readahead, as in kernels after 6.18.
	 */
	bool no_bypass;
	enum swapin_policy swapin;
	unsigned int swapin_cap; /* SWAPIN_CAP: largest order; 0: page by page */
	unsigned int cpus; /* recorded CPU c acts as c mod cpus; 0: as recorded */
	struct alloc_policy alloc;
	struct lru_policy lru;
};

/** generation_by_name - "v5.6", "v6.1", "v6.12", "v6.18"; NULL */
const struct generation *generation_by_name(const char *name);

/**
 * generation_of_release - the generation for a kernel release
 * @release: "6.12.117+deb12-cloud-amd64"; NULL or unreadable: v6.12
 * @exact: set to whether a model of exactly this series exists (else the nearest in behaviour)
 */
const struct generation *generation_of_release(const char *release, bool *exact);

/**
 * generation_switched - a kernel that is not quite what its release says
 * @own: becomes @g with the swapoff policy @swapoff, the value of a trace's header key; NULL: @g
 * Returns 0, or -EINVAL where @swapoff is none.
 */
int generation_switched(struct generation *own, const struct generation *g, const char *swapoff,
			struct error *e);

/** generation_at - number @i of the table in order of age, NULL behind the last */
const struct generation *generation_at(unsigned int i);

/** policy_recorded - the policy of the recorded kernel: @g and nothing else */
void policy_recorded(struct policy *p, const struct generation *g);

/**
 * policy_parse - settings on top of policy_recorded()
 * @spec: "key=value,key=value"; keys: readahead page-cluster swapoff prev bypass swapin-order
 *	  cpus model
 *	  allocator reserve devices drain drain-off lruadd
 * Returns 0 or -EINVAL with a sentence that names the setting and what is possible; a file of
 * devices that cannot be read gives its errno.
 */
int policy_parse(struct policy *p, const struct generation *recorded, const char *spec,
		 struct error *e);

/** policy_differs - whether the settings differ from what a kernel of generation @recorded does */
bool policy_differs(const struct policy *p, const struct generation *recorded);

/** policy_reads_differ - whether it may read other pages than a kernel of generation @recorded */
bool policy_reads_differ(const struct policy *p, const struct generation *recorded);

/** swapoff_policy_name - "vanilla", "lookup-first", "lookup-only", "fixed" */
const char *swapoff_policy_name(enum swapoff_policy s);

#endif
