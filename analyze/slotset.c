// SPDX-License-Identifier: GPL-2.0
#include "analyze/slotset.h"

#include <stdlib.h>

#define CHUNK_SHIFT 16
#define CHUNK_WORDS ((1u << CHUNK_SHIFT) / 64)
#define TABLE_SIZE                                                                                 \
	(2 * SLOTSET_CHUNKS) /* a power of two, so that probing ends at an empty place             \
			      */

struct chunk {
	uint64_t key; /* type and the upper bits of the offset */
	uint64_t *bits;
};

struct slotset {
	struct chunk table[TABLE_SIZE];
	unsigned int chunks;
	uint64_t dropped;
};

struct slotset *slotset_new(void)
{
	return calloc(1, sizeof(struct slotset));
}

void slotset_free(struct slotset *s)
{
	for (unsigned int i = 0; s && i < TABLE_SIZE; i++)
		free(s->table[i].bits);
	free(s);
}

/* The place of @key: its chunk, or the empty place where it would go. */
static struct chunk *find_place(struct slotset *s, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	unsigned int i = (unsigned int)(hash >> 32) & (TABLE_SIZE - 1);

	while (s->table[i].bits && s->table[i].key != key)
		i = (i + 1) & (TABLE_SIZE - 1);
	return &s->table[i];
}

static uint64_t *find_word(struct slotset *s, uint32_t type, uint64_t off, bool make)
{
	/* Swap offsets have at most 58 bits, so the device number fits on top of a chunk's number.
	 */
	uint64_t key = (uint64_t)type << 48 ^ off >> CHUNK_SHIFT;
	struct chunk *c = find_place(s, key);

	if (!c->bits) {
		if (!make || s->chunks == SLOTSET_CHUNKS)
			return NULL;
		c->bits = calloc(CHUNK_WORDS, sizeof(*c->bits));
		if (!c->bits)
			return NULL;
		c->key = key;
		s->chunks++;
	}
	return &c->bits[(off & ((1u << CHUNK_SHIFT) - 1)) / 64];
}

bool slotset_add(struct slotset *s, uint32_t type, uint64_t off)
{
	uint64_t *word = find_word(s, type, off, true), bit = 1ull << (off & 63);

	if (!word) {
		s->dropped++;
		return false;
	}
	if (*word & bit)
		return false;
	*word |= bit;
	return true;
}

bool slotset_remove(struct slotset *s, uint32_t type, uint64_t off)
{
	uint64_t *word = find_word(s, type, off, false), bit = 1ull << (off & 63);

	if (!word || !(*word & bit))
		return false;
	*word &= ~bit;
	return true;
}

uint64_t slotset_dropped(const struct slotset *s)
{
	return s->dropped;
}
