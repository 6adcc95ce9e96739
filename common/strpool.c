// SPDX-License-Identifier: GPL-2.0
#include "common/strpool.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct entry {
	char *bytes;
	size_t len;
};

struct strpool {
	struct entry *entries; /* [id - 1] */
	uint32_t count, room;
	uint32_t *buckets; /* ids; 0 = empty; linear probing */
	uint32_t mask;
};

#define FIRST_BUCKETS 64

struct strpool *strpool_new(void)
{
	struct strpool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->buckets = calloc(FIRST_BUCKETS, sizeof(*p->buckets));
	if (!p->buckets) {
		free(p);
		return NULL;
	}
	p->mask = FIRST_BUCKETS - 1;
	return p;
}

void strpool_free(struct strpool *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		free(p->entries[i].bytes);
	free(p->entries);
	free(p->buckets);
	free(p);
}

/* The bucket that holds the string, or the empty one where it belongs. */
static uint32_t find_bucket(const struct strpool *p, const char *s, size_t len)
{
	uint32_t b = (uint32_t)XXH3_64bits(s, len) & p->mask;

	while (p->buckets[b]) {
		const struct entry *e = &p->entries[p->buckets[b] - 1];

		if (e->len == len && !memcmp(e->bytes, s, len))
			break;
		b = (b + 1) & p->mask;
	}
	return b;
}

static int grow_buckets(struct strpool *p)
{
	uint32_t n = (p->mask + 1) * 2;
	uint32_t *bigger = calloc(n, sizeof(*bigger));

	if (!bigger)
		return -1;
	free(p->buckets);
	p->buckets = bigger;
	p->mask = n - 1;
	for (uint32_t id = 1; id <= p->count; id++) {
		const struct entry *e = &p->entries[id - 1];

		p->buckets[find_bucket(p, e->bytes, e->len)] = id;
	}
	return 0;
}

static int grow_entries(struct strpool *p)
{
	uint32_t n = p->room ? p->room * 2 : 32;
	struct entry *bigger = realloc(p->entries, n * sizeof(*bigger));

	if (!bigger)
		return -1;
	p->entries = bigger;
	p->room = n;
	return 0;
}

uint32_t strpool_intern(struct strpool *p, const char *s, size_t len)
{
	uint32_t b = find_bucket(p, s, len);
	char *copy;

	if (p->buckets[b])
		return p->buckets[b];
	if (p->count == p->room && grow_entries(p))
		return 0;
	copy = malloc(len + 1);
	if (!copy)
		return 0;
	memcpy(copy, s, len);
	copy[len] = '\0';
	p->entries[p->count].bytes = copy;
	p->entries[p->count].len = len;
	p->buckets[b] = ++p->count;
	if (p->count > p->mask / 2 && grow_buckets(p)) {
		/* Still correct with a fuller table; only a completely full one would not be. */
		if (p->count == p->mask)
			return 0;
	}
	return p->count;
}

const char *strpool_get(const struct strpool *p, uint32_t id, size_t *len)
{
	if (!id || id > p->count)
		return NULL;
	if (len)
		*len = p->entries[id - 1].len;
	return p->entries[id - 1].bytes;
}

uint32_t strpool_count(const struct strpool *p)
{
	return p->count;
}
