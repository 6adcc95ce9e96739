/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_READAHEAD_VERIFY_H
#define SWAPTRACE_REPLAY_READAHEAD_VERIFY_H

#include "replay/readahead/run.h"
#include "replay/world/moment.h"

/*
 * Does the model of the recorded kernel arrive at the recorded decisions? The model runs on its own
 * state; each recorded window, lookup and read is compared with what it predicts, and where they
 * differ the recorded one is taken over, so that one difference is counted once.
 */

/* A page that the model expects the current call of a task to read. */
struct expected_read {
	uint32_t r; /* slot; SLOT_NOWHERE: settled */
	bool target;
	bool begun;	/* the call has put the page into the swap cache: it will be read */
	uint32_t waits; /* 1 + index of the call that waited for the slot before; 0: none */
};

/* What one task is in the middle of. */
struct task_call {
	bool pending;  /* a need that missed; its readahead call is to follow */
	bool open;     /* the call was seen, reads are expected */
	bool bypass;   /* the read goes around the cache */
	bool over;     /* the task went on with the page that it needed */
	uint64_t t_ns; /* when the need or the call was */
	int cpu;
	struct need need;
	struct window_walk walk;
	unsigned int unknown;		/* pages of the window whose slot is not known */
	struct expected_read *expected; /* in the order of the call's walk; owned */
	unsigned int nexpected, room;
	unsigned int passed; /* pages whose turn is over: a later one has been read */
};

/* Global readahead state before an event changed it, to explain differences by order. */
struct past_state {
	struct ra_global state;
	int cpu;
	uint64_t t_ns;
};
#define PAST_STATES 8

/* Who changed a slot last: references, cache or allocation. */
struct slot_change {
	uint64_t t_ns;
	int cpu;	/* -1: nobody */
	uint32_t waits; /* 1 + index of the last call that expects to read it; 0: none */
};

/* What a change makes of a slot for calls under way. */
enum slot_becomes {
	SLOT_OTHER,
	SLOT_BECOMES_CACHED, /* whoever asks for it now finds it */
	SLOT_BECOMES_UNUSED, /* nobody reads it any more */
};

struct verify {
	struct ra_run run; /* its result is scratch */
	struct replay_result scratch;
	struct verify_result *out;
	struct map tasks; /* (task, kind) -> index */
	struct task_call *calls;
	unsigned int ncalls, room;
	struct past_state past[PAST_STATES];
	unsigned int npast;
	struct slot_change *changes; /* [slot]; NULL: memory was short, nothing explained */
	uint64_t late;		     /* reads of pages that came to swap during the call */
	uint64_t lost;		     /* lost events so far */
	int error;		     /* -ENOMEM met in a callback */
};

/* A recorded LOOKUP with what the kernel answered; -1: not recorded. */
struct recorded_lookup {
	struct need need;
	int hit, ra, bypass;
};

struct recorded_call {
	struct need need; /* as far as the RA event tells */
	int mode;	  /* enum ra_mode, -1 unknown */
	bool have_ret, have_state;
	uint64_t ret, hits, prev, last;
};

/** verify_init - 0 or -ENOMEM; @index is its place in the cache map */
int verify_init(struct verify *v, const struct policy *p, const struct world *w,
		struct cache_map *c, unsigned int index, struct verify_result *out);
void verify_free(struct verify *v);

/* Each takes one event and returns 0 or -ENOMEM. */
int verify_lookup(struct verify *v, const struct moment *at, const struct recorded_lookup *l);
int verify_call(struct verify *v, const struct moment *at, const struct recorded_call *c);
/** @pages: with consecutive slot numbers; @cause: enum read_cause, -1 unknown */
int verify_read(struct verify *v, const struct moment *at, struct slot_run pages, int cause);

/**
 * verify_change - slots changed: references, cache or allocation; explains differences by order
 * A readahead call that sleeps (for memory) before it has come to a slot does not read what another
 * task has put into the cache or freed meanwhile: it is expected no more.
 */
void verify_change(struct verify *v, const struct moment *at, struct slot_run run,
		   enum slot_becomes becomes);

/**
 * verify_mapped - a task dropped references to slots: its call for one of them is over
 * What changes from then on is too late, but for the order of several CPUs' events.
 */
void verify_mapped(struct verify *v, const struct moment *at, struct slot_run run);

/** verify_finish - close all open calls and say what could not be checked */
int verify_finish(struct verify *v);

#endif
