// SPDX-License-Identifier: GPL-2.0
#include "common/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ENTRIES 256

/* The finaliser of a multiply-xorshift hash: pages and ids are nearly sequential. */
static size_t hash(uint64_t a, uint64_t b)
{
	uint64_t h = a * 0x9e3779b97f4a7c15ull + b;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ull;
	h ^= h >> 32;
	return (size_t)h;
}

/* The entry that holds the key, or the unused one where it belongs. */
static struct map_entry *find(const struct map *m, uint64_t a, uint64_t b)
{
	size_t i = hash(a, b) & m->mask;

	while (m->entries[i].used && (m->entries[i].a != a || m->entries[i].b != b))
		i = (i + 1) & m->mask;
	return &m->entries[i];
}

uint64_t *map_get(const struct map *m, uint64_t a, uint64_t b)
{
	struct map_entry *e;

	if (!m->entries)
		return NULL;
	e = find(m, a, b);
	return e->used ? &e->value : NULL;
}

static int grow(struct map *m)
{
	size_t n = m->entries ? (m->mask + 1) * 2 : FIRST_ENTRIES;
	struct map bigger = { .entries = calloc(n, sizeof(*bigger.entries)), .mask = n - 1 };

	if (!bigger.entries)
		return -ENOMEM;
	for (size_t i = 0; m->entries && i <= m->mask; i++)
		if (m->entries[i].used)
			*find(&bigger, m->entries[i].a, m->entries[i].b) = m->entries[i];
	bigger.count = m->count;
	free(m->entries);
	*m = bigger;
	return 0;
}

int map_set(struct map *m, uint64_t a, uint64_t b, uint64_t value)
{
	struct map_entry *e;

	if (!m->entries || m->count >= m->mask / 2) {
		int ret = grow(m);

		if (ret)
			return ret;
	}
	e = find(m, a, b);
	if (!e->used)
		m->count++;
	*e = (struct map_entry){ .a = a, .b = b, .value = value, .used = true };
	return 0;
}

void map_remove(struct map *m, uint64_t a, uint64_t b)
{
	struct map_entry *hole;
	size_t i;

	if (!m->entries)
		return;
	hole = find(m, a, b);
	if (!hole->used)
		return;
	hole->used = false;
	m->count--;
	/* Move later entries of the run back, so that no search stops at the hole. */
	for (i = ((size_t)(hole - m->entries) + 1) & m->mask; m->entries[i].used;
	     i = (i + 1) & m->mask) {
		struct map_entry moved = m->entries[i];

		m->entries[i].used = false;
		*find(m, moved.a, moved.b) = moved;
	}
}

void map_free(struct map *m)
{
	free(m->entries);
	memset(m, 0, sizeof(*m));
}
