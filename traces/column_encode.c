// SPDX-License-Identifier: GPL-2.0
#include "traces/column.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "traces/wire.h"

/* Higher levels gain nothing on byte planes: what repeats is found at once, the rest is noise. */
#define ZSTD_LEVEL 1
/* Below this a zstd frame's own bytes eat what it saves. */
#define ZSTD_WORTH 24
/* Columns shorter than this are judged by their raw size, longer ones by the bits they carry. */
#define FEW_VALUES 256
#define DICT_SLOTS 1024

struct column_encoder {
	ZSTD_CCtx *zstd;
	uint64_t small[WIRE_BLOCK_EVENTS]; /* values as encoded, before they are cut into planes */
	uint8_t index[WIRE_BLOCK_EVENTS];  /* of each value in dict[] */
	uint8_t plane[WIRE_BLOCK_EVENTS];
	uint64_t dict[COLUMN_DICT_MAX];
	uint32_t ndict;
	uint16_t slots[DICT_SLOTS]; /* hash table over dict[]: position + 1, 0 empty */
};

/* What there is to know about a column before an encoding is chosen. */
struct survey {
	uint64_t min, max;
	bool ascending;
	uint64_t plain_bits, delta_bits, dict_bits;
	uint64_t varint_bytes;
	unsigned int plain_width, delta_width; /* bytes */
};

struct column_encoder *column_encoder_new(void)
{
	struct column_encoder *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->zstd = ZSTD_createCCtx();
	if (!c->zstd) {
		free(c);
		return NULL;
	}
	return c;
}

void column_encoder_free(struct column_encoder *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->zstd);
	free(c);
}

static unsigned int bit_length(uint64_t v)
{
	return v ? 64 - (unsigned int)__builtin_clzll(v) : 0;
}

static unsigned int byte_width(uint64_t v)
{
	return (bit_length(v) + 7) / 8;
}

static void survey_range(struct survey *s, const uint64_t *v, uint32_t n)
{
	s->min = v[0];
	s->max = v[0];
	s->ascending = true;
	for (uint32_t i = 1; i < n; i++) {
		s->min = v[i] < s->min ? v[i] : s->min;
		s->max = v[i] > s->max ? v[i] : s->max;
		s->ascending &= v[i] >= v[i - 1];
	}
	s->plain_width = byte_width(s->max - s->min);
}

static uint64_t difference(const struct survey *s, const uint64_t *v, uint32_t i)
{
	uint64_t d = i ? v[i] - v[i - 1] : 0;

	return s->ascending ? d : zigzag(d);
}

static void survey_cost(struct survey *s, const uint64_t *v, uint32_t n)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t d = difference(s, v, i);

		all |= d;
		s->plain_bits += bit_length(v[i] - s->min);
		s->delta_bits += bit_length(d);
		s->varint_bytes += d ? (bit_length(zigzag(i ? v[i] - v[i - 1] : 0)) + 6) / 7 : 1;
	}
	s->delta_width = byte_width(all);
}

/* Position of @v in the table of distinct values, COLUMN_DICT_MAX when the table is full. */
static uint32_t dict_index(struct column_encoder *c, uint64_t v)
{
	uint32_t slot = (uint32_t)(v * 0x9e3779b97f4a7c15u >> 54);

	while (c->slots[slot]) {
		if (c->dict[c->slots[slot] - 1] == v)
			return c->slots[slot] - 1u;
		slot = (slot + 1) % DICT_SLOTS;
	}
	if (c->ndict == COLUMN_DICT_MAX)
		return COLUMN_DICT_MAX;
	c->dict[c->ndict++] = v;
	c->slots[slot] = (uint16_t)c->ndict;
	return c->ndict - 1;
}

/* Try a table of distinct values; it serves VMA borders, pids and masks. */
static bool survey_dict(struct column_encoder *c, struct survey *s, const uint64_t *v, uint32_t n)
{
	memset(c->slots, 0, sizeof(c->slots));
	c->ndict = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = dict_index(c, v[i]);

		if (at == COLUMN_DICT_MAX)
			return false;
		c->index[i] = (uint8_t)at;
		s->dict_bits += bit_length(at);
	}
	s->dict_bits += (uint64_t)c->ndict * 8 * (s->plain_width + 1);
	return true;
}

static enum column_encoding choose_few(const struct survey *s, uint32_t n)
{
	uint64_t plain = (uint64_t)s->plain_width * n;
	uint64_t delta = (uint64_t)s->delta_width * n;

	if (s->varint_bytes < plain && s->varint_bytes < delta)
		return ENC_VARINT;
	if (plain <= delta)
		return ENC_PLAIN;
	return s->ascending ? ENC_UP : ENC_DELTA;
}

static enum column_encoding choose(struct column_encoder *c, struct survey *s, const uint64_t *v,
				   uint32_t n)
{
	uint64_t best;

	survey_range(s, v, n);
	if (s->min == s->max)
		return ENC_CONST;
	if (s->max - s->min == 1)
		return ENC_BITS;
	survey_cost(s, v, n);
	if (n < FEW_VALUES)
		return choose_few(s, n);
	best = s->plain_bits < s->delta_bits ? s->plain_bits : s->delta_bits;
	/* One plane of indices decodes faster than several, so a draw goes to the table. */
	if (s->plain_width > 1 && survey_dict(c, s, v, n) && s->dict_bits <= best + best / 4)
		return ENC_DICT;
	if (s->plain_bits <= s->delta_bits)
		return ENC_PLAIN;
	return s->ascending ? ENC_UP : ENC_DELTA;
}

static bool all_same(const uint8_t *p, size_t n)
{
	return n < 2 || !memcmp(p, p + 1, n - 1);
}

static void put_plane(struct column_encoder *c, struct bytes *dir, struct bytes *data,
		      const uint8_t *p, size_t n)
{
	size_t bound = ZSTD_compressBound(n);
	size_t len = 0;

	if (all_same(p, n)) {
		bytes_u8(dir, PLANE_SAME);
		bytes_u8(dir, p[0]);
		return;
	}
	if (n >= ZSTD_WORTH && bytes_reserve(data, bound)) {
		len = ZSTD_compressCCtx(c->zstd, data->p + data->len, bound, p, n, ZSTD_LEVEL);
		/* A few per cent are not worth the time of decompressing. */
		if (ZSTD_isError(len) || len > n - n / 16)
			len = 0;
	}
	bytes_u8(dir, len ? PLANE_ZSTD : PLANE_RAW);
	bytes_varint(dir, len ? len : n);
	if (len)
		data->len += len;
	else
		bytes_put(data, p, n);
}

static void put_planes(struct column_encoder *c, struct bytes *dir, struct bytes *data, uint32_t n,
		       unsigned int width)
{
	for (unsigned int b = 0; b < width; b++) {
		for (uint32_t i = 0; i < n; i++)
			c->plane[i] = (uint8_t)(c->small[i] >> (8 * b));
		put_plane(c, dir, data, c->plane, n);
	}
}

static void put_bits(struct column_encoder *c, struct bytes *dir, struct bytes *data,
		     const struct survey *s, const uint64_t *v, uint32_t n)
{
	memset(c->plane, 0, (n + 7) / 8);
	for (uint32_t i = 0; i < n; i++)
		c->plane[i / 8] |= (uint8_t)((v[i] - s->min) << (i % 8));
	put_plane(c, dir, data, c->plane, (n + 7) / 8);
}

static void put_varints(struct bytes *dir, struct bytes *data, const uint64_t *v, uint32_t n)
{
	size_t before = data->len;

	for (uint32_t i = 0; i < n; i++)
		bytes_varint(data, zigzag(i ? v[i] - v[i - 1] : 0));
	bytes_u8(dir, PLANE_RAW);
	bytes_varint(dir, data->len - before);
}

static void put_entry(struct bytes *dir, uint8_t type, uint8_t key, enum column_encoding encoding,
		      unsigned int planes, uint64_t base)
{
	bytes_u8(dir, type);
	bytes_u8(dir, key);
	bytes_u8(dir, (uint8_t)encoding);
	bytes_u8(dir, (uint8_t)planes);
	bytes_varint(dir, base);
}

void column_encode(struct column_encoder *c, struct bytes *dir, struct bytes *data, uint8_t type,
		   uint8_t key, const uint64_t *v, uint32_t n)
{
	struct survey s = { 0 };
	enum column_encoding encoding = choose(c, &s, v, n);

	switch (encoding) {
	case ENC_CONST:
		put_entry(dir, type, key, encoding, 0, v[0]);
		break;
	case ENC_BITS:
		put_entry(dir, type, key, encoding, 1, s.min);
		put_bits(c, dir, data, &s, v, n);
		break;
	case ENC_PLAIN:
		for (uint32_t i = 0; i < n; i++)
			c->small[i] = v[i] - s.min;
		put_entry(dir, type, key, encoding, s.plain_width, s.min);
		put_planes(c, dir, data, n, s.plain_width);
		break;
	case ENC_DICT:
		put_entry(dir, type, key, encoding, 1, c->ndict);
		for (uint32_t i = 0; i < c->ndict; i++)
			bytes_varint(dir, c->dict[i]);
		put_plane(c, dir, data, c->index, n);
		break;
	case ENC_VARINT:
		put_entry(dir, type, key, encoding, 1, v[0]);
		put_varints(dir, data, v, n);
		break;
	default:
		for (uint32_t i = 0; i < n; i++)
			c->small[i] = difference(&s, v, i);
		put_entry(dir, type, key, encoding, s.delta_width, v[0]);
		put_planes(c, dir, data, n, s.delta_width);
		break;
	}
}
