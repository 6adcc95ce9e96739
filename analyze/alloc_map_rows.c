// SPDX-License-Identifier: GPL-2.0
#include "analyze/alloc_map_rows.h"

#include <errno.h>
#include <string.h>

#define CLUSTER_SHIFT_MAX 16   /* 64K pages: 13 */
#define PAGES_MAX (1ull << 40) /* of a device: the kernel's swap entries end below that */

static uint64_t clusters_of(uint64_t pages, unsigned int shift)
{
	return (pages + (1ull << shift) - 1) >> shift;
}

static uint64_t all_clusters(const struct alloc_result *a, unsigned int shift)
{
	uint64_t n = 0;

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (a->devices[t].seen)
			n += clusters_of(a->devices[t].pages, shift);
	return n;
}

/* First slot of cluster @n of all devices in a row. */
static uint64_t cluster_start(const struct alloc_result *a, unsigned int shift, uint64_t n)
{
	uint64_t base = 0;

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		uint64_t clusters = clusters_of(a->devices[t].pages, shift);

		if (!a->devices[t].seen)
			continue;
		if (n < clusters)
			return base + (n << shift);
		n -= clusters;
		base += a->devices[t].pages;
	}
	return base;
}

static uint64_t headers_within(const struct alloc_result *a, uint64_t from, uint64_t to)
{
	uint64_t base = 0, n = 0;

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		if (!a->devices[t].seen)
			continue;
		n += base >= from && base < to;
		base += a->devices[t].pages;
	}
	return n;
}

int alloc_map_rows(const struct alloc_result *a, struct map_rows *rows)
{
	uint64_t total = 0, n = a->clusters;
	unsigned int shift = 1;

	memset(rows, 0, sizeof(*rows));
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		if (a->devices[t].seen && (!a->devices[t].pages || a->devices[t].pages > PAGES_MAX))
			return -ENODATA;
		total += a->devices[t].seen ? a->devices[t].pages : 0;
	}
	if (!n || !total || n > total)
		return -ENODATA;
	while (shift < CLUSTER_SHIFT_MAX && all_clusters(a, shift) > n)
		shift++;
	rows->exact = all_clusters(a, shift) == n;
	for (unsigned int r = 0; r <= ALLOC_ROWS; r++) {
		uint64_t first = (r * n + ALLOC_ROWS - 1) / ALLOC_ROWS;

		rows->start[r] =
			rows->exact ? cluster_start(a, shift, first) : total * r / ALLOC_ROWS;
		if (!r || rows->start[r] == rows->start[r - 1])
			continue;
		rows->slots[r - 1] = rows->start[r] - rows->start[r - 1] -
				     headers_within(a, rows->start[r - 1], rows->start[r]);
	}
	return 0;
}
