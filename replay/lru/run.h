/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_LRU_RUN_H
#define SWAPTRACE_REPLAY_LRU_RUN_H

#include "common/map.h"
#include "replay/lru_result.h"
#include "replay/model/pagevec.h"
#include "replay/policy.h"
#include "replay/world/world.h"
#include "replay/world/moment.h"
#include "traces/trace.h"

/*
 * Drain policies on their way through a trace.
 *
 * LRUADD, INIT, PUT and RELEASE are stimuli. A policy decides which releases drain. DRAIN events
 * are of two kinds: one that a release caused is the recorded kernel's decision, and every policy
 * takes its own; all others (reclaim, readahead, a system call) are stimuli and happen under every
 * policy, unless drain-off= names their site. A DRAIN is caused by a release when the same task
 * released a batch last and the site is the function that releases, or is not told.
 *
 * Per-CPU batches count as empty at the start of the trace: at most a batch of each kind and CPU is
 * thereby missing from what was moved.
 *
 * Where a policy may read other pages than were recorded it is coupled: the pages that its own
 * readahead reads join the batches, and its own calls drain them. Drains of the recorded readahead,
 * and additions that a READ of the same task follows, are not its.
 *
 * Memory: a few kilobytes a policy, and the callers' batches, of which there are at most
 * LRU_BATCHES at a time (they live on stacks; when there are more, all are forgotten once).
 */

#define LRU_CPUS 8192
#define LRU_SITES 512 /* call sites kept apart; the last one stands for all others */
#define LRU_BATCHES (1u << 20)
#define LRU_INSERT_MAX (1u << 24) /* folios of one LRUADD event; more are not believed */

/* Places of the first sites. */
enum { LRU_SITE_UNKNOWN, LRU_SITE_RELEASE, LRU_SITE_FIRST };

/* One batch of a caller, as all policies see it. */
struct lru_batch {
	uint32_t nr;	  /* folios in it */
	uint64_t drained; /* bit per policy: released since it was initialised */
};

/* One policy. */
struct lru_run {
	struct pv_model model;
	const struct policy *policy;
	struct lru_result *result;
	bool coupled; /* its swap-ins are its own */
};

/* A folio that joined a batch, and whose READ may follow. */
struct lru_pending {
	bool valid;
	uint64_t task;
	bool by_cpu, large;
	uint64_t n;
};

struct lru_feed {
	struct lru_run *runs; /* [nruns] */
	unsigned int nruns;
	struct trace_reader *reader;
	const struct kernel *recorded;
	bool any_coupled;
	struct lru_pending *pending;  /* [CPU]; NULL where no policy is coupled */
	bool by_readahead[LRU_SITES]; /* [site]: a readahead call drained */
	struct map site_ids;	      /* (string id, 0) -> site */
	char (*sites)[LRU_SITE_NAME];
	unsigned int nsites;
	struct map batch_ids; /* (batch, 0) -> index */
	struct lru_batch *batches;
	uint32_t nbatches, room;
	struct map released; /* (task, kind): it released a batch and did not drain since */
	uint64_t adds, releases, drains; /* events */
	uint64_t lives;			 /* events that tell where a batch's life begins */
	bool flag_used;	      /* the recorded kernel sets its flag: one is 1, maybe later on */
	uint64_t orphans;     /* drains of the releasing function whose release was not recorded */
	uint64_t unknown_cpu; /* events whose CPU is unknown: taken as CPU 0 */
	uint64_t outside;     /* events of CPUs from LRU_CPUS on: ignored */
	uint64_t implausible; /* LRUADD events of more than LRU_INSERT_MAX folios: ignored */
};

/* A DRAIN event. */
struct lru_drained {
	uint32_t site; /* index */
	bool by_release;
	uint32_t have;		/* bit per enum pv_op */
	uint64_t moved[PV_OPS]; /* folios, where have tells */
};

/**
 * lru_feed_init - prepare @n policies for the trace of @r
 * @recorded: the recorded kernel; must outlive @f
 * @results: of each policy; lru is filled by lru_feed_finish(), what_if set where the policy's
 *	     drains or adds are not the recorded kernel's
 * Returns 0 or -ENOMEM; free with lru_feed_free() in any case.
 */
int lru_feed_init(struct lru_feed *f, struct trace_reader *r, const struct kernel *recorded,
		  const struct policy *policies, unsigned int n, struct replay_result *results);
void lru_feed_free(struct lru_feed *f);

/**
 * lru_feed_cpu - the CPU an event acts on, below LRU_CPUS
 * @cpu: as recorded, -1 unknown. Returns false for one to be ignored (counted).
 */
bool lru_feed_cpu(struct lru_feed *f, int64_t cpu, unsigned int *out);

/** lru_feed_believes - whether an LRUADD event can be of @n folios; else it is to be ignored */
bool lru_feed_believes(struct lru_feed *f, uint64_t n);

/** lru_feed_site - index of a site by its string id, 0 when the event has none */
int lru_feed_site(struct lru_feed *f, uint32_t string, uint32_t *site);

/** lru_feed_couple - policy @i reads by itself from now on; 0 or -ENOMEM */
int lru_feed_couple(struct lru_feed *f, unsigned int i);

/** lru_feed_swapin - a swap-in of the coupled policy @i; @cpu: below LRU_CPUS */
void lru_feed_swapin(struct lru_feed *f, unsigned int i, unsigned int cpu, const struct swapin *s);

/** lru_feed_read - a READ was recorded: what joined a batch right before was what it reads */
void lru_feed_read(struct lru_feed *f, const struct moment *at, unsigned int cpu);

/* One event each, for every policy. Those with a result return 0 or -ENOMEM. */
void lru_feed_add(struct lru_feed *f, const struct moment *at, unsigned int cpu, enum pv_op op,
		  bool large, uint64_t n);
int lru_feed_init_batch(struct lru_feed *f, const struct moment *at, uint64_t batch);
int lru_feed_put(struct lru_feed *f, const struct moment *at, uint64_t batch, uint64_t n);

/**
 * lru_feed_release - a caller's batch is released
 * @n: folios in it; LRU_UNKNOWN: those that were put in, or some (an empty one is not released)
 * @drained: the flag on entry, -1 unknown. 0 is also the sign of a new life of the batch, 1 that a
 *	     batch met for the first time has already drained.
 */
int lru_feed_release(struct lru_feed *f, const struct moment *at, unsigned int cpu, uint64_t batch,
		     uint64_t n, int drained);

/** lru_feed_drain - a drain was recorded; fills @d->by_release */
void lru_feed_drain(struct lru_feed *f, const struct moment *at, unsigned int cpu,
		    struct lru_drained *d);

/** lru_feed_finish - fill the results and say what had to be assumed; 0 or -ENOMEM */
int lru_feed_finish(struct lru_feed *f, struct replay_result *results);

#endif
