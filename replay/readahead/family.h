/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_READAHEAD_FAMILY_H
#define SWAPTRACE_REPLAY_READAHEAD_FAMILY_H

#include "replay/family.h"
#include "replay/readahead/verify.h"

/*
 * The family of readahead: a run for each policy, with its swap cache and its state, and one that
 * is compared with the recorded windows, look-ups and reads.
 */

extern const struct replay_family readahead_family;

struct readahead_state {
	struct replay_context *x;
	struct cache_map cache;
	struct ra_run *runs; /* [policy] */
	struct verify verify;
	struct verify_result unasked;
	bool waiting;	/* the policies do not act yet: the time of from_ns has not come */
	bool verifying; /* verify follows the trace: it was asked for, or its state is, for later */
	bool calls_seen;	  /* a recorded readahead call went by */
	bool cpus;		  /* where a need was matters to somebody */
	bool swapins;		  /* some policy lets large folios in as it likes */
	int page_cluster, vma_ra; /* of the phase that goes on */
	uint64_t next_slice_ns;
	unsigned int slice;
	/* The VMA of the need before: one task needs many pages of one in a row. */
	uint64_t last_vma;
	bool last_have_vma;
	uint32_t last_index; /* 0: there is none */
};

/** readahead_owners - where the policies of a replay need the owners of slots */
enum survey_owners readahead_owners(const struct replay_options *o);

/** readahead_address - fill in the address of LOOKUP event @i and the VMA it lies in; both may be
 * unknown, as they are in @n before */
void readahead_address(struct readahead_state *f, const struct columns *c, uint32_t i, int32_t tgid,
		       struct need *n);

/* blocks.c: members of struct replay_family */
bool readahead_passes(const void *family);
int readahead_pass(void *family, struct block_view *v, uint32_t *at, uint32_t end, uint32_t alone);

/* setup.c: members of struct replay_family */
int readahead_prepare(struct replay_context *x, void **family);
int readahead_finish(void *family);
void readahead_free(void *family);
bool readahead_told(const struct replay_context *x);
/** readahead_add_phase - a new phase of a result with the settings of now; 0 or -ENOMEM */
int readahead_add_phase(struct readahead_state *f, struct replay_result *res, uint64_t t_ns);
/** readahead_end_phase - give the phase that goes on what was counted since it began; 0 or -ENOMEM
 */
int readahead_end_phase(struct ra_run *run);
/** readahead_set_start - what is known of the state of the counters at the start */
enum start_state readahead_set_start(const struct readahead_state *f, struct ra_run *run);

#endif
