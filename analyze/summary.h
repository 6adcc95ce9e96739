/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_SUMMARY_H
#define SWAPTRACE_ANALYZE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "replay/result.h"
#include "traces/trace.h"

/*
 * What the recorded events of a trace say by themselves, without any model: gathered in one pass,
 * in memory that does not depend on the length of the trace.
 *
 * Counts of the result that the trace does not tell are COUNT_UNKNOWN (render/format.h), so that
 * missing, bypassed and zero stay three different things.
 */

#define SLICES_MAX 256	      /* points of a time line */
#define PHASES_MAX 64	      /* settings kept apart; later ones are joined with the last */
#define SWAPOFFS_MAX 32	      /* swapoff calls kept apart; later ones are only counted */
#define WINDOW_SIZES_MAX 4096 /* different windows kept apart; no kernel has more than 64 */
#define PROCESSES_KEPT 10     /* of the processes that swapped in most */

/* What is known about the recording itself; numbers are COUNT_UNKNOWN where they are not. */
struct trace_facts {
	char name[256];	   /* of the file, harmless text */
	char release[128]; /* "" unknown */
	char arch[32];
	uint64_t page_size; /* bytes */
	uint64_t page_cluster, vma_ra;
	uint64_t thp_swap;	/* 1: large folios are swapped out whole */
	uint64_t cluster_slots; /* slots of a cluster of the slot allocator */
	uint64_t cpus;
	uint64_t events, lost;
	/* Of a trace that was recovered, what was wrong with the file that it was saved from, too.
	 */
	uint64_t damaged_blocks, damaged_events;
	bool truncated;					 /* the end is missing */
	bool recovered;					 /* saved from a damaged or cut trace */
	struct trace_device devices[HEADER_DEVICES_MAX]; /* names harmless */
	unsigned int ndevices;
};

/* Why a trace holds no readahead event. */
enum no_readahead {
	READAHEAD_SEEN,
	READAHEAD_BYPASSED,	/* all swap-ins went around it: a synchronous device */
	READAHEAD_ZERO,		/* it was watched, and nothing needed it */
	READAHEAD_NOT_RECORDED, /* the trace has probes, but none for it */
	READAHEAD_FAILED,	/* its probe ran, and no event arrived */
	READAHEAD_SILENT,	/* the trace does not tell */
};

/* Pages that one swapoff visited over time. */
struct swapoff_series {
	uint64_t start_ns, width_ns; /* of slice 0, of every slice */
	unsigned int n;
	uint64_t pages[SLICES_MAX];
};

#define DEVICE_AGES 32 /* bins by powers of two of a millisecond; the last one holds all above */

/* What one swap device was used for. */
struct device_use {
	uint32_t type;
	bool have_prio;
	int32_t prio;
	uint64_t slots;	     /* usable ones; COUNT_UNKNOWN */
	uint64_t used, peak; /* at the end, and the most; COUNT_UNKNOWN */
	uint64_t given;	     /* slots, by recorded allocations */
	uint64_t swapins;    /* needs not found in the swap cache, those of a swapoff left out */
	/*
	 * Of them: with a known age, which is the time since the slot was given; sum of the ages;
	 * ages[0] is below 1 ms, ages[i] from 2^(i-1) ms on.
	 */
	uint64_t aged, age_ms, ages[DEVICE_AGES];
};

struct device_slice {
	uint64_t t_ns;
	uint64_t swapins[HEADER_DEVICES_MAX]; /* in it, by type */
	uint64_t used[HEADER_DEVICES_MAX];    /* slots at its end */
};

/* Devices beside each other (analyze/summary_devices.h). */
struct device_use_result {
	bool known; /* the trace has more than one device */
	struct device_use device[HEADER_DEVICES_MAX];
	unsigned int n;
	bool freed; /* the trace tells when slots became free; else used only grows */
	bool tiers; /* devices of different priorities were on at a swap-in */
	/* Then: swap-ins, of them from a slower device; the same while the fast one was full. */
	uint64_t swapins, slower, swapins_full, slower_full;
	uint64_t full_from_ns;	     /* it was for the first time; COUNT_UNKNOWN: never seen full */
	uint64_t full_times;	     /* it became so */
	struct device_slice *slices; /* owned */
	unsigned int nslices;
};

struct process_count {
	char comm[80]; /* harmless text; "(unknown)" */
	uint64_t lookups;
};

struct trace_summary {
	struct trace_facts facts;
	struct trace_stats
		stats; /* at the end of the trace: damage, loss, what was not understood */
	struct replay_result result; /* policy "recorded" */
	enum no_readahead why;
	char left_out[512];   /* what its import left out, as the trace's note says; "" nothing */
	uint64_t seen[EV_NR]; /* events by type, those outside a filter left out */
	uint64_t filtered;    /* events outside -p or -G, not counted above */
	uint64_t self;	      /* events of the recorder itself, counted above */
	uint64_t first_ns, last_ns;
	uint64_t swapins;	/* needs that were not found in the swap cache */
	bool bypass_inferred;	/* from the device's flag, as the events do not say */
	uint64_t earlier_marks; /* lookups that found the mark of a page which no READ brought in */
	uint64_t demand_pages, bypass_pages; /* READ by cause; COUNT_UNKNOWN without READ events */
	uint64_t offsets, zero_offsets, bad_offsets; /* known, 0, outside their device */
	uint64_t
		odd_windows; /* calls left out because their windows had too many different sizes */
	uint64_t swapoffs_seen;
	struct swapoff_series *series;			/* of result.swapoffs[i]; owned */
	struct process_count processes[PROCESSES_KEPT]; /* descending */
	unsigned int nprocesses;
	/*
	 * Requests for slots and drains as they were recorded. Not part of the result: what a model
	 * finds beside (reasons, free space, policies) is not there, so that these are counts of
	 * their own kind. Of @alloc: orders, first (n, t_ns, order), slices without used[]. Of
	 * @lru: drains, releases, flushes, moved, flushed, sites.
	 */
	struct alloc_result alloc;
	struct lru_result lru;
	struct device_use_result devices;
};

/**
 * trace_summary - read @r from its current position to its end
 * @name: what to call the trace
 * Returns 0 and fills @s (free with trace_summary_free()), or what trace_next() returned.
 *
 * Definitions: a readahead page is a page newly read by readahead: neither the page that was needed
 * nor one that was already in the swap cache. It counts as a hit once, at the first lookup that
 * finds it. A window counts as a drain when it is larger than one page. A batch is a readahead call
 * during which its task read at least one page.
 */
int trace_summary(struct trace_reader *r, const char *name, struct trace_summary *s,
		  struct error *e);
void trace_summary_free(struct trace_summary *s);

/**
 * trace_facts_of - the facts alone, from the header and what @r met so far: events, loss and damage
 * are complete only at the end of the trace
 */
void trace_facts_of(const struct trace_reader *r, const char *name, struct trace_facts *f);

/** trace_facts_init - facts of which nothing is known */
void trace_facts_init(struct trace_facts *f);

/** phases_differ - whether calls were made under more than one setting of page_cluster or vma_ra */
bool phases_differ(const struct replay_result *r);

#endif
