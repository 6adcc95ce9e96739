/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_GRID_H
#define SWAPTRACE_REPLAY_GRID_H

#include "common/error.h"

/*
 * A grid of policies: "page-cluster=0..5,readahead=cluster|vma" is every combination of the values.
 * Keys are those of a policy SPEC; values of one key are separated by |, A..B is a range of whole
 * numbers. A colon separates, too, where what it stands in is no value of the key:
 * readahead=cluster:vma, but readahead=fixed:8.
 */

#define GRID_POINTS 1024 /* combinations at the most */
#define GRID_SPEC 200	 /* bytes of one combination, as in struct policy */

struct grid {
	char (*specs)[GRID_SPEC]; /* owned; n of them, the first key varies fastest */
	unsigned int n;
	unsigned int keys; /* keys in the grid */
};

/**
 * grid_parse - expand a grid
 * Returns 0, -EINVAL with a sentence that says what is wrong, or -ENOMEM. Free with grid_free().
 */
int grid_parse(struct grid *g, const char *text, struct error *e);
void grid_free(struct grid *g);

#endif
