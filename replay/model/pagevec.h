/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pagevecs: the per-CPU batches in front of the LRU lists, and the callers' own batches whose
 * release drains them.
 *
 * A folio that joins, leaves or moves on an LRU list first waits in a small batch of this CPU, one
 * batch per operation. A batch is moved ("flushed") when it is full, when a large folio joins it,
 * or when somebody drains the CPU. Releasing a caller's batch (truncation and invalidation do it in
 * a loop) drains too: at every release up to 4.14, once per life of the batch since 4.15.
 *
 * The model counts folios, it does not know which they are: the moves of a batch keep the order of
 * insertion, and folios that a flush passes over because they are off the LRU still leave the
 * batch. Not modelled: the batch of mlock (5.18 and later), which lru_add_drain() moves after
 * these; its folios are on their lists or join none of these batches.
 *
 * No I/O and no allocation: the caller owns all memory and keeps it until it stops using the model.
 * Sources: Linux mm/swap.c and include/linux/pagevec.h, 4.14 to 6.18. Checked against
 * tests/golden/pagevec.
 */
#ifndef REPLAY_MODEL_PAGEVEC_H
#define REPLAY_MODEL_PAGEVEC_H

#include <stdbool.h>
#include <stdint.h>

/* Operations that have a batch, in the order in which a drain moves them in every generation. */
enum pv_op {
	PV_ADD,
	PV_ROTATE, /* its batch is called lru_move_tail from 6.12 on */
	PV_DEACTIVATE_FILE,
	PV_DEACTIVATE, /* not in 4.14 */
	PV_LAZYFREE,
	PV_ACTIVATE,
	PV_OPS
};

/* What the release of a caller's batch does. */
enum pv_drain_policy {
	PV_DRAIN_ALWAYS, /* drains at each release of a batch that is not empty */
	PV_DRAIN_ONCE,	 /* only at the first one since the batch was initialised */
};

/* Largest capacity the model takes; kernels use 14, 15 and 31. */
#define PV_CAPACITY_MAX 255

/* The rules of one kernel generation; which release has which: replay/kernels.c. */
struct pv_rules {
	unsigned int capacity;	     /* folios in a full batch, 1 .. PV_CAPACITY_MAX */
	enum pv_drain_policy policy; /* of pv_release() */
	unsigned int ops;	     /* bit per pv_op that has a batch */
	bool all_drains_self;	     /* pv_drain_all() first drains the caller's CPU (6.18) */
	bool mlock;		     /* there is a batch of mlock, too: see above */
};

/* Batches of one CPU: folios waiting, per operation. Starts zeroed. */
struct pv_cpu {
	uint8_t pending[PV_OPS];
};

/* One place that drains, by the caller's own numbering. Starts zeroed, @off as wanted. */
struct pv_site {
	uint64_t drains;     /* drains from here */
	uint64_t moved;	     /* folios these moved */
	uint64_t suppressed; /* drains that did not happen because of @off */
	bool off;	     /* what-if: this place no longer drains */
};

/* For drains that belong to no site. */
#define PV_SITE_NONE UINT32_MAX

struct pv_stats {
	uint64_t drains;	   /* drains of one CPU, empty ones included */
	uint64_t drains_empty;	   /* of these, with nothing to move */
	uint64_t drains_saved;	   /* releases that did not drain thanks to PV_DRAIN_ONCE */
	uint64_t releases;	   /* of batches that were not empty */
	uint64_t drained[PV_OPS];  /* folios moved by drains */
	uint64_t flushes[PV_OPS];  /* batches moved by an insertion: full, large folio, disabled */
	uint64_t flushed[PV_OPS];  /* folios moved by these */
	uint64_t inserted[PV_OPS]; /* folios inserted */
	uint64_t unqueued;	   /* folios for an operation the generation has no batch for */
};

/* Folios moved by a drain. */
struct pv_moved {
	unsigned int op[PV_OPS]; /* at most the capacity per CPU drained */
	unsigned int total;
};

/* The model: set up by pv_init(), read only @stats. */
struct pv_model {
	struct pv_rules rules;
	struct pv_cpu *cpus;
	unsigned int nr_cpus;
	struct pv_site *sites;
	unsigned int nr_sites;
	unsigned int disabled; /* depth of pv_cache_disable() */
	struct pv_stats stats;
};

/* A batch of a caller. */
struct pv_batch {
	unsigned int nr; /* folios in it */
	bool drained;	 /* released since it was initialised; survives the release */
};

/*
 * Sets up @p with empty batches on the memory of the caller.
 * @cpus: @nr_cpus entries, at least one; zeroed here
 * @sites: @nr_sites entries, may be NULL if 0; used as they are
 * Returns 0, or -EINVAL if there is no CPU or the rules make no sense.
 */
int pv_init(struct pv_model *p, const struct pv_rules *rules, struct pv_cpu *cpus,
	    unsigned int nr_cpus, struct pv_site *sites, unsigned int nr_sites);

/*
 * @n folios join the batch of @op on @cpu (< nr_cpus), one after the other.
 * A full batch is moved with the folio that filled it; a large folio, or any while the cache is
 * disabled, moves the batch at once, and with it whatever waited there.
 * Returns the folios moved; the number of batches moved is the change of stats.flushes[op].
 */
uint64_t pv_insert(struct pv_model *p, unsigned int cpu, enum pv_op op, bool large, uint64_t n);

/*
 * Drains @cpu (< nr_cpus): all its batches, in the order of enum pv_op.
 * @site: < nr_sites, or PV_SITE_NONE
 * @moved: what was moved, zeros if nothing; may be NULL
 * Returns false if the site is switched off (nothing happened).
 */
bool pv_drain(struct pv_model *p, unsigned int cpu, uint32_t site, struct pv_moved *moved);

/*
 * Drains every CPU that has something waiting, as lru_add_drain_all() called on @cpu does; empty
 * ones are left alone (but see all_drains_self). @site and @moved (the sum) as for pv_drain().
 * Returns the number of CPUs drained.
 */
unsigned int pv_drain_all(struct pv_model *p, unsigned int cpu, uint32_t site,
			  struct pv_moved *moved);

/*
 * LRU caching off (kernels from 5.13 on, during memory hot-unplug and some migrations) and on
 * again; nests. Disabling drains every CPU, empty ones too. Returns the number of CPUs drained.
 */
unsigned int pv_cache_disable(struct pv_model *p, uint32_t site, struct pv_moved *moved);
void pv_cache_enable(struct pv_model *p);

/* Folios waiting on @cpu for @op, or for all operations. */
unsigned int pv_pending(const struct pv_model *p, unsigned int cpu, enum pv_op op);
unsigned int pv_pending_all(const struct pv_model *p, unsigned int cpu);

/* A new life of a caller's batch: empty, and not yet drained for. */
void pv_batch_init(struct pv_batch *b);

/* @n folios are stored in a caller's batch. How many it can hold is the caller's concern. */
void pv_batch_put(struct pv_batch *b, unsigned int n);

/*
 * A caller's batch is released on @cpu: drains first if the policy says so, then the batch is
 * empty. An empty batch is not released at all. With the site switched off the batch keeps its mark
 * as it was, so that its release at another site still drains.
 * @site, @moved as for pv_drain(). Returns true if it drained.
 */
bool pv_release(struct pv_model *p, unsigned int cpu, uint32_t site, struct pv_batch *b,
		struct pv_moved *moved);

#endif /* REPLAY_MODEL_PAGEVEC_H */
