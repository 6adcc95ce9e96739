/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_ALLOC_MAP_ROWS_H
#define SWAPTRACE_ANALYZE_ALLOC_MAP_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/alloc_result.h"

/* Which slots the rows of an occupancy map (struct alloc_slice, used[]) stand for. */
struct map_rows {
	uint64_t start[ALLOC_ROWS + 1]; /* first slot, all devices in a row by type */
	uint64_t slots[ALLOC_ROWS];	/* that data can be in; 0: no cluster falls into this row */
	bool exact; /* false: the devices do not explain the clusters, rows taken as equal */
};

/**
 * alloc_map_rows - the rows of a result's map
 * A result says how many clusters and slots there are but not how long a cluster is: that is the
 * power of two with which the devices have as many clusters. Cluster n of N is in row n *
 * ALLOC_ROWS / N; the header slot of a device holds no data. Returns 0 or -ENODATA when there is no
 * device, or one beyond any real size.
 */
int alloc_map_rows(const struct alloc_result *a, struct map_rows *rows);

#endif
