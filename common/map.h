/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_MAP_H
#define SWAPTRACE_COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash map from a pair of 64-bit numbers to a 64-bit value: (VMA, page) -> slot, (task, 0) ->
 * index, and the like. Open addressing with linear probing; removal leaves no tombstones.
 */
struct map_entry {
	uint64_t a, b, value;
	bool used;
};

struct map {
	struct map_entry *entries;
	size_t mask; /* number of entries - 1; entries is NULL before the first map_set() */
	size_t count;
};

/** map_get - the value of (@a, @b), NULL when there is none; valid until the map is changed */
uint64_t *map_get(const struct map *m, uint64_t a, uint64_t b);

/** map_set - insert or replace; 0 or -ENOMEM */
int map_set(struct map *m, uint64_t a, uint64_t b, uint64_t value);

/** map_remove - forget (@a, @b) if it is there */
void map_remove(struct map *m, uint64_t a, uint64_t b);

/** map_free - free the memory; the map is empty and usable afterwards */
void map_free(struct map *m);

#endif
