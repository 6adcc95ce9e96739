/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_FOREIGN_LRU_H
#define SWAPTRACE_IMPORT_FOREIGN_LRU_H

#include "import/foreign.h"
#include "traces/event.h"

/*
 * The per-CPU batches of the LRU as probes of ftrace and perf tell of them. Which probes there are,
 * with the arguments they must have:
 *
 *   pagemap:mm_lru_insertion, mm_lru_activate      one folio goes to its list
 *   lru_add_drain          caller=SYMBOL           who asks for the next drain
 *   lru_add_drain_cpu      [cpu=]                  a drain begins
 *   lru_add_drain_cpu, its return                  it ends
 *   folio_batch_move_lru, pagevec_lru_move_fn
 *                          n= fn=SYMBOL            a batch of n folios is moved, as full or drained
 *
 * None of them tells when a folio joined its batch, which is what LRUADD is. It is derived from
 * what leaves: as late as can be, before the drain or the flush that moved it, or the release that
 * made the drain, so that a replay finds in the batches what was in them. The tracepoints stand for
 * it only where there is no probe of moves.
 *
 * A drain waits until its end has been seen, because only then it is known what it moved.
 */

#define FOREIGN_LRU_OPS (LRU_ACTIVATE + 1)
#define FOREIGN_LRU_MOVES 8   /* batches of one drain; there are six kinds */
#define FOREIGN_SITE_MAX 64   /* bytes of a site's name, with its NUL; longer ones are cut */
#define FOREIGN_BATCH_MAX 255 /* folios of a batch: the count is a byte */

enum lru_probe {
	LRU_PROBE_NONE,
	LRU_PROBE_INSERT,
	LRU_PROBE_ACTIVATE,
	LRU_PROBE_SITE,
	LRU_PROBE_DRAIN,
	LRU_PROBE_DRAIN_END,
	LRU_PROBE_MOVE,
};

struct foreign_lru_move {
	uint64_t t_ns;
	enum lru_op op;
	uint64_t n;
};

/* A CPU: the drain that has begun and not ended. */
struct foreign_lru_cpu {
	bool open;
	int32_t tid;
	struct event drain;
	uint64_t joined_ns; /* latest time at which what it moves can have joined */
	unsigned int nmoves;
	struct foreign_lru_move moves[FOREIGN_LRU_MOVES];
	char site[FOREIGN_SITE_MAX]; /* of the drain; "" unknown */
	/* Of the next one of that thread. */
	char next_site[FOREIGN_SITE_MAX];
	int32_t next_tid;
	/* The last release of a batch that has not drained so far. */
	bool released;
	int32_t released_tid;
	uint64_t released_ns;
};

/* Zeroed to begin with. */
struct foreign_lru {
	struct foreign_lru_cpu *cpus; /* [0] is the unknown one, [1 + cpu] the others */
	size_t ncpus;
	bool insertions; /* LRUADD of tracepoints were made */
	bool moves;	 /* a probe of moves has been met */
	bool adds;	 /* one of a batch of additions */
	bool adds_apart; /* the probe does not see batches of additions on that kernel */
	bool derived;	 /* LRUADD were made */
	uint64_t full;	 /* most folios in a batch so far */
};

/* Events to be written, in this order; some are older than the last burst's. */
struct foreign_burst {
	unsigned int n;
	/* A drain with its moves, and a flush in three events. */
	struct event events[1 + FOREIGN_LRU_MOVES + 3];
	char site[FOREIGN_SITE_MAX]; /* of the DRAIN among them; "" unknown */
};

/** foreign_lru_probe - which of the probes an event is of */
enum lru_probe foreign_lru_probe(const struct foreign_event *f);

/**
 * foreign_lru_take - take such an event
 * @who: an event with the time, cpu, tgid, comm and tid of @f
 * @out: must be empty; what is to be written now
 * @why: set when @f can't be read
 * Returns 0 or -ENOMEM.
 */
int foreign_lru_take(struct foreign_lru *l, const struct foreign_event *f, enum lru_probe probe,
		     const struct event *who, struct foreign_burst *out, const char **why);

/**
 * foreign_lru_released - a batch is released; the next drain may be its doing
 * @f: the event of it
 * Returns 0 or -ENOMEM.
 */
int foreign_lru_released(struct foreign_lru *l, const struct foreign_event *f);

/**
 * foreign_lru_close - the drain that is open on @cpu has no end; appended to @out
 * What it moved is then not known, and what was moved since counts as joined then.
 */
void foreign_lru_close(struct foreign_lru *l, int32_t cpu, struct foreign_burst *out);

/** foreign_lru_free - free what it owns */
void foreign_lru_free(struct foreign_lru *l);

#endif
