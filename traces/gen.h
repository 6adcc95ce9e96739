/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_GEN_H
#define SWAPTRACE_TRACES_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "traces/event.h"

/*
 * Synthetic traces: seeded stimuli where no capture exists. Nothing here knows a model, so what is
 * generated cannot depend on the policy that it is replayed under, and nothing in such a trace was
 * answered by a kernel: its header says that it was generated, and how.
 *
 * Streams of lookups (GEN_SEQUENTIAL to GEN_MIXED) hold LOOKUP events and nothing else.
 *
 * Streams of swap-outs (GEN_MTHP, GEN_TSAT) need names for what is in swap, or the drops could not
 * say what they drop. Slots are such names, but which slot a folio gets is the policy's answer. So
 * there are two devices: type 0 is the one that policies allocate from; type 1 carries the flag
 * `imaginary`, no policy allocates from it, and its slot N + 1 is the name of page N of the
 * workload's memory. SWAPOUT asks for slots, the ALLOC behind it tells the name under which its
 * data will be dropped (as the map from recorded to model slots needs it), UNREF drops.
 */

#define GEN_PAGE_BYTES 4096
#define GEN_ORDERS 10		   /* 4 kB .. 2 MB with pages of 4 kB */
#define GEN_PAGES_MAX (1ull << 26) /* of a workload's memory and of a device: 256 GiB */

enum gen_pattern {
	GEN_SEQUENTIAL,
	GEN_REVERSE,
	GEN_STRIDE,
	GEN_RANDOM, /* each slot of the range once, in random order */
	GEN_MIXED,  /* runs of 1 to 64 slots, each sequential, reverse, with a stride or random */
	GEN_MTHP,   /* a growing memory under a limit: the workload of thread T2 */
	GEN_TSAT,   /* the steps of the kernel's thp_swap_allocator_test */
};

/* Sizes are in pages of 4096 bytes. */
struct gen_options {
	enum gen_pattern pattern;
	uint64_t seed;
	unsigned int cpus; /* 1 .. 512; each step runs on a random one */

	/* lookups */
	uint64_t stride;	 /* GEN_STRIDE, GEN_MIXED: slots from one lookup to the next */
	uint64_t start;		 /* lowest slot, at least 1 */
	uint64_t lookups;	 /* how many */
	enum lookup_cause cause; /* who looks up: a fault or swapoff */

	/* swap-outs */
	uint64_t device; /* slots of the device that policies allocate from, header slot included */
	uint64_t memory; /* pages that are written */
	uint64_t limit;	 /* pages that may be in memory at one time */
	double folios[GEN_ORDERS]; /* weights of the orders, by number of folios */
	uint64_t touches; /* older pages that are accessed at random, per 100 pages written */
	uint64_t block; /* that are accessed together: an aligned block, a power of two up to 512 */
	bool second_chance; /* a folio that was accessed goes round once more before it goes out */
	uint64_t rewrite; /* percent of the memory that is written again at the end, oldest first */

	/* GEN_TSAT, as the options of the kernel's test */
	bool aligned; /* -a: swap-in by whole folios of 64 kB instead of single pages */
	bool small;   /* -s: another 4 MiB of small pages */
	unsigned int iterations;
};

/** gen_defaults - what a pattern does if nothing else is asked for; for GEN_MTHP the set-up of T2
 */
void gen_defaults(struct gen_options *o, enum gen_pattern pattern);

/**
 * gen_pattern_parse - "sequential", "reverse", "stride:N", "random", "mixed", "mthp", "tsat"
 * Sets @o to the pattern's defaults. Returns 0 or -EINVAL with what is possible.
 */
int gen_pattern_parse(struct gen_options *o, const char *name, struct error *e);

/**
 * gen_orders_parse - weights of the folios' orders: "0:100,4:50"
 * Orders that are not named get none. Returns 0 or -EINVAL.
 */
int gen_orders_parse(struct gen_options *o, const char *list, struct error *e);

/** gen_pattern_name - "stride", "mthp" */
const char *gen_pattern_name(enum gen_pattern pattern);

/** gen_check - whether the options make sense together; 0 or -EINVAL with the reason */
int gen_check(const struct gen_options *o, struct error *e);

/**
 * gen_write - generate into a trace file
 * The same options give the same bytes on every machine. Returns 0 or negative errno; -EINVAL for
 * options that gen_check() refuses. An existing @path is replaced only by a whole trace.
 */
int gen_write(const struct gen_options *o, const char *path, struct error *e);

#endif
