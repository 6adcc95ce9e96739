/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_LRU_RESULT_H
#define SWAPTRACE_REPLAY_LRU_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/lru_policy.h"

/*
 * What the per-CPU batches of the LRU did in one trace under one policy. Counts only. A count that
 * the trace cannot give (moves without LRUADD events) is LRU_UNKNOWN, not 0.
 */

#define LRU_UNKNOWN UINT64_MAX

/* One place that drains: a function of the kernel. */
struct lru_site {
	char name[LRU_SITE_NAME]; /* "(unknown)": DRAIN events without a site */
	uint64_t drains;
	uint64_t moved;	     /* folios these moved, LRU_UNKNOWN */
	uint64_t suppressed; /* drains that drain-off= took away */
};

struct lru_result {
	bool known;	       /* false: the trace has no event of the per-CPU batches */
	uint64_t drains;       /* of one CPU each, empty ones included */
	uint64_t drains_empty; /* of them, with nothing to move; LRU_UNKNOWN */
	uint64_t drains_saved; /* releases that did not drain because their batch already had */
	uint64_t suppressed;   /* drains that drain-off= took away */
	uint64_t moved;	       /* folios moved by drains, LRU_UNKNOWN */
	uint64_t releases;     /* of callers' batches that were not empty */
	uint64_t flushes;      /* batches moved as full or for a large folio, LRU_UNKNOWN */
	uint64_t flushed;      /* folios these moved, LRU_UNKNOWN */
	uint64_t added;	       /* folios that joined an add batch, LRU_UNKNOWN */
	unsigned int batch_size;
	bool drains_always;	/* the policy of releases */
	enum lruadd lruadd;	/* how a page is added, for lru_cost.h */
	struct lru_site *sites; /* owned; most drains first */
	unsigned int nsites;
	bool cost_known;     /* with a calibration */
	double page_ns;	     /* estimate: of one page through the add function, beyond what no
				barrier and an inline test cost */
	double cost_seconds; /* estimate: for all pages added */
};

/* How far the recorded kernel's drains, flushes and batch sizes are those of the model. */
struct lru_checked {
	uint64_t releases_checked, releases_agreed; /* whether a release drained */
	uint64_t drains_checked, drains_agreed;	    /* what a drain moved, all batches together */
	uint64_t flushes_checked, flushes_agreed;   /* when a batch was moved, and its size */
	uint64_t unchecked;  /* folios that joined a batch whose content was not known yet */
	bool in_step;	     /* every batch that was used became known */
	uint64_t in_step_ns; /* since when, t_ns; 0: no batch was used */
};

/** lru_result_free - free what the result owns and zero it */
void lru_result_free(struct lru_result *r);

#endif
