/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_FAMILY_H
#define SWAPTRACE_REPLAY_FAMILY_H

#include "replay/engine.h"
#include "replay/world/world.h"

/*
 * A family of models: readahead, the slot allocator, the per-CPU batches of the LRU. The engine
 * knows them by this structure only. Families do not know each other: what one decides and another
 * depends on goes through the world (struct places, struct swapins).
 */

/* What a replay is about, for all families. */
struct replay_context {
	const struct replay_options *o;
	struct trace_reader *reader;
	const struct trace_header *header;
	const struct kernel *recorded; /* the recorded kernel, or the nearest */
	unsigned int verified;	       /* enum kernel_part: what --verify compares */
	struct survey *survey;
	struct world *world;
	struct replay_result *results; /* of each policy; verify goes into the first */
	uint64_t begin_ns, slice_ns;   /* of the time line; 0: there is none */
	struct error *error;	       /* set by whoever fails with more to say than an errno */
};

/* What a family does with one type of event, and the keys that it reads for it. */
struct family_handler {
	int (*take)(void *family, const struct replay_event *ev);
	uint32_t keys;
};

struct replay_family {
	const char *name;
	enum kernel_part part;		       /* of the kernel, that it has models of */
	const struct policy_setting *settings; /* keys of a SPEC that are its own */
	const struct family_handler *handlers; /* [EV_NR] */

	/** told - whether the trace tells of that part of the kernel */
	bool (*told)(const struct replay_context *x);
	/** prepare - 0 with *@family set, NULL: the trace holds nothing for it; negative errno */
	int (*prepare)(struct replay_context *x, void **family);
	/** wants - add keys that only this replay reads, beyond those of the handlers; may be NULL
	 */
	void (*wants)(const void *family, struct view_wanted *w);
	/**
	 * wake - the time is @t_ns: called before the first event, and before the first one at or
	 * after *@next, which it sets. May be NULL. 0 or -ENOMEM
	 */
	int (*wake)(void *family, uint64_t t_ns, uint64_t *next);
	/**
	 * passes - may pass() be called for the block that comes? NULL: never
	 */
	bool (*passes)(const void *family);
	/**
	 * pass - take events from *@at on up to @end, together with what the world does about them
	 * @alone: bit per type of event of which no other family takes events
	 * *@at moves on to the first event that is left to world_event() and the families. 0 or
	 * -ENOMEM
	 */
	int (*pass)(void *family, struct block_view *v, uint32_t *at, uint32_t end, uint32_t alone);
	/** check - an event is over: does the state hold together? Slow; may be NULL. 0 or -EUCLEAN
	 */
	int (*check)(void *family);
	/** finish - the trace has ended: complete the results; 0 or negative errno */
	int (*finish)(void *family);
	void (*free)(void *family);
};

/* In the order in which they take an event: who places data comes before who looks for it. */
extern const struct replay_family *const replay_families[];
#define REPLAY_FAMILIES 3

#endif
