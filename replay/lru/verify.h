/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_LRU_VERIFY_H
#define SWAPTRACE_REPLAY_LRU_VERIFY_H

#include "replay/lru/run.h"

/*
 * Does the model of the recorded kernel arrive at its drains, flushes and batch sizes? Three kinds
 * of decisions are compared: whether a release drained; when an insertion moved a batch, and how
 * many folios; what a drain found in the batches of its CPU. Where model and recording differ, the
 * recording is taken over, so that one difference is counted once.
 *
 * What waits in a CPU's batches when the trace begins is not known: a batch is compared from its
 * first recorded flush or drain on.
 *
 * Where the header says that LRUADD was derived (imports), from what left the batches, batches and
 * flushes would be compared with themselves: then only releases are.
 */

struct lru_verify {
	struct pv_model model;
	struct lru_feed *feed;
	const struct survey *survey;
	struct verify_result *out;
	uint8_t *known;		/* [CPU] bit per enum pv_op: the batch's content is known */
	uint8_t *used;		/* [CPU] bit per enum pv_op: something joined it */
	struct lru_due *due;	/* [CPU * PV_OPS + op]: flushes that must come now */
	struct map lives;	/* (batch, 0) -> whether it drained since its beginning */
	struct map releases;	/* (task, kind) -> whether the model expects a drain */
	uint64_t expected_open; /* entries of releases that expect one */
	uint64_t lost;		/* lost events so far */
	uint64_t missed;	/* runs of programs that the kernel left out, in the whole trace */
	bool derived;		/* LRUADD are, so batch sizes are not compared */
	int error;
};

/** lru_verify_init - 0 or -ENOMEM; @feed and @survey must outlive it. lru_verify_free() always */
int lru_verify_init(struct lru_verify *v, struct lru_feed *feed, const struct survey *survey,
		    struct verify_result *out);
void lru_verify_free(struct lru_verify *v);

/* One event each, before the feed gets it. @cpu: below LRU_CPUS. Return 0 or -ENOMEM. */
void lru_verify_add(struct lru_verify *v, const struct moment *at, unsigned int cpu, enum pv_op op,
		    bool large, uint64_t n);
void lru_verify_flush(struct lru_verify *v, const struct moment *at, unsigned int cpu,
		      enum pv_op op, uint64_t n);
int lru_verify_init_batch(struct lru_verify *v, const struct moment *at, uint64_t batch);
void lru_verify_put(struct lru_verify *v, const struct moment *at);
int lru_verify_release(struct lru_verify *v, const struct moment *at, uint64_t batch, uint64_t n,
		       int drained);
/* After the feed, which finds out what caused the drain. */
void lru_verify_drain(struct lru_verify *v, const struct moment *at, unsigned int cpu,
		      const struct lru_drained *d);

/** lru_verify_finish - say since when it is in step; adds to out->missing what was not checked */
void lru_verify_finish(struct lru_verify *v);

#endif
