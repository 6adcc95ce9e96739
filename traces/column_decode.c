// SPDX-License-Identifier: GPL-2.0
#include "traces/column.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "traces/wire.h"

struct column_decoder {
	ZSTD_DCtx *zstd;
	uint8_t planes[COLUMN_PLANES][WIRE_BLOCK_EVENTS];
};

/* The planes of a column that differ from value to value; the others are in @same. */
struct joined {
	uint64_t same;
	unsigned int n;
	const uint8_t *at[COLUMN_PLANES];
	unsigned int shift[COLUMN_PLANES];
};

struct column_decoder *column_decoder_new(void)
{
	struct column_decoder *d = malloc(sizeof(*d));

	if (!d)
		return NULL;
	d->zstd = ZSTD_createDCtx();
	if (!d->zstd) {
		free(d);
		return NULL;
	}
	return d;
}

void column_decoder_free(struct column_decoder *d)
{
	if (!d)
		return;
	ZSTD_freeDCtx(d->zstd);
	free(d);
}

static bool parse_plane(struct cursor *dir, struct cursor *data, struct column_plane *p)
{
	uint64_t len;

	p->mode = cursor_u8(dir);
	if (p->mode == PLANE_SAME) {
		p->byte = cursor_u8(dir);
		return !dir->failed;
	}
	len = cursor_varint(dir);
	if (p->mode >= PLANE_MODES || dir->failed)
		return false;
	p->at = cursor_skip(data, len);
	p->len = (uint32_t)len;
	return p->at;
}

static bool parse_dict(struct cursor *dir, struct column_entry *e)
{
	size_t before = dir->at;

	if (!e->base || e->base > COLUMN_DICT_MAX)
		return false;
	e->ndict = (uint32_t)e->base;
	e->dict = dir->p + dir->at;
	for (uint32_t i = 0; i < e->ndict; i++)
		cursor_varint(dir);
	e->dict_len = (uint32_t)(dir->at - before);
	return !dir->failed;
}

static bool plane_number_ok(const struct column_entry *e)
{
	switch (e->encoding) {
	case ENC_CONST:
		return e->nplanes == 0;
	case ENC_PLAIN:
	case ENC_UP:
	case ENC_DELTA:
		return e->nplanes <= COLUMN_PLANES;
	default:
		return e->nplanes == 1;
	}
}

bool column_parse(struct cursor *dir, struct cursor *data, struct column_entry *e)
{
	memset(e, 0, sizeof(*e));
	e->type = cursor_u8(dir);
	e->key = cursor_u8(dir);
	e->encoding = cursor_u8(dir);
	e->nplanes = cursor_u8(dir);
	e->base = cursor_varint(dir);
	if (dir->failed || e->encoding >= ENC_NR || !plane_number_ok(e))
		return false;
	if (e->encoding == ENC_DICT && !parse_dict(dir, e))
		return false;
	for (unsigned int i = 0; i < e->nplanes; i++)
		if (!parse_plane(dir, data, &e->planes[i]))
			return false;
	return true;
}

/* The @n bytes of plane @b, decompressed if need be; NULL when it does not hold exactly that many.
 */
static const uint8_t *plane_bytes(struct column_decoder *d, const struct column_entry *e,
				  unsigned int b, size_t n)
{
	const struct column_plane *p = &e->planes[b];
	uint8_t *room = d->planes[b];

	if (p->mode == PLANE_RAW)
		return p->len == n ? p->at : NULL;
	if (p->mode == PLANE_SAME)
		return memset(room, p->byte, n);
	/* The room is ours, so a frame that claims more is an error and not an overflow. */
	return ZSTD_decompressDCtx(d->zstd, room, n, p->at, p->len) == n ? room : NULL;
}

static void fill(uint64_t *out, uint32_t n, uint64_t v)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = v;
}

static bool join_planes(struct column_decoder *d, const struct column_entry *e, uint32_t n,
			struct joined *j)
{
	*j = (struct joined){ 0 };
	for (unsigned int b = 0; b < e->nplanes; b++) {
		if (e->planes[b].mode == PLANE_SAME) {
			j->same |= (uint64_t)e->planes[b].byte << (8 * b);
			continue;
		}
		j->at[j->n] = plane_bytes(d, e, b, n);
		j->shift[j->n] = 8 * b;
		if (!j->at[j->n++])
			return false;
	}
	return true;
}

/*
 * The inner loops of all reading. They are inlined with constants for @planes and @encoding, so
 * that each of the common combinations becomes a loop of its own without branches: up to three
 * planes, the lowest ones. ANY_PLANES stands for everything else.
 */
#define ANY_PLANES 0

static inline __attribute__((always_inline)) uint64_t take(const struct joined *j,
							   unsigned int planes, uint32_t i)
{
	uint64_t v = j->same;

	if (planes == ANY_PLANES) {
		for (unsigned int p = 0; p < j->n; p++)
			v |= (uint64_t)j->at[p][i] << j->shift[p];
		return v;
	}
	v |= j->at[0][i];
	if (planes > 1)
		v |= (uint64_t)j->at[1][i] << 8;
	if (planes > 2)
		v |= (uint64_t)j->at[2][i] << 16;
	return v;
}

static inline __attribute__((always_inline)) void
rebuild(const struct joined *shared, unsigned int planes, enum column_encoding encoding,
	uint64_t base, uint64_t *restrict out, uint32_t n)
{
	struct joined j = *shared; /* a copy that no store to @out can change */
	uint64_t v = base;

	for (uint32_t i = 0; i < n; i++) {
		if (encoding == ENC_PLAIN)
			out[i] = base + take(&j, planes, i);
		else if (encoding == ENC_UP)
			out[i] = v += take(&j, planes, i);
		else
			out[i] = v += unzigzag(take(&j, planes, i));
	}
}

static inline __attribute__((always_inline)) void rebuild_planes(const struct joined *j,
								 enum column_encoding encoding,
								 uint64_t base,
								 uint64_t *restrict out, uint32_t n)
{
	bool lowest = !j->n || j->shift[j->n - 1] == 8 * (j->n - 1);

	if (j->n == 1 && lowest)
		rebuild(j, 1, encoding, base, out, n);
	else if (j->n == 2 && lowest)
		rebuild(j, 2, encoding, base, out, n);
	else if (j->n == 3 && lowest)
		rebuild(j, 3, encoding, base, out, n);
	else
		rebuild(j, ANY_PLANES, encoding, base, out, n);
}

static int decode_bits(struct column_decoder *d, const struct column_entry *e,
		       uint64_t *restrict out, uint32_t n)
{
	const uint8_t *p = plane_bytes(d, e, 0, (n + 7) / 8);

	uint32_t i = 0;

	if (!p)
		return -EBADMSG;
	for (; i + 8 <= n; i += 8) {
		unsigned int byte = p[i / 8];

		out[i] = e->base + (byte & 1);
		out[i + 1] = e->base + (byte >> 1 & 1);
		out[i + 2] = e->base + (byte >> 2 & 1);
		out[i + 3] = e->base + (byte >> 3 & 1);
		out[i + 4] = e->base + (byte >> 4 & 1);
		out[i + 5] = e->base + (byte >> 5 & 1);
		out[i + 6] = e->base + (byte >> 6 & 1);
		out[i + 7] = e->base + (byte >> 7 & 1);
	}
	for (; i < n; i++)
		out[i] = e->base + (p[i / 8] >> (i % 8) & 1);
	return 0;
}

static int decode_dict(struct column_decoder *d, const struct column_entry *e, uint64_t *out,
		       uint32_t n)
{
	struct cursor c = { .p = e->dict, .len = e->dict_len };
	uint64_t table[COLUMN_DICT_MAX] = { 0 };
	const uint8_t *p = plane_bytes(d, e, 0, n);

	if (!p)
		return -EBADMSG;
	for (uint32_t i = 0; i < e->ndict; i++)
		table[i] = cursor_varint(&c);
	for (uint32_t i = 0; i < n; i++)
		out[i] = table[p[i]];
	return 0;
}

static int decode_varint(const struct column_entry *e, uint64_t *out, uint32_t n)
{
	const struct column_plane *p = &e->planes[0];
	struct cursor c = { .p = p->at, .len = p->len };
	uint64_t v = e->base;

	if (p->mode != PLANE_RAW)
		return -EBADMSG;
	for (uint32_t i = 0; i < n; i++) {
		v += unzigzag(cursor_varint(&c));
		out[i] = v;
	}
	return c.failed || c.at != c.len ? -EBADMSG : 0;
}

int column_decode(struct column_decoder *d, const struct column_entry *e, uint64_t *out, uint32_t n)
{
	struct joined j;

	switch (e->encoding) {
	case ENC_CONST:
		fill(out, n, e->base);
		return 0;
	case ENC_BITS:
		return decode_bits(d, e, out, n);
	case ENC_DICT:
		return decode_dict(d, e, out, n);
	case ENC_VARINT:
		return decode_varint(e, out, n);
	default:
		break;
	}
	if (!join_planes(d, e, n, &j))
		return -EBADMSG;
	if (e->encoding == ENC_PLAIN)
		rebuild_planes(&j, ENC_PLAIN, e->base, out, n);
	else if (e->encoding == ENC_UP)
		rebuild_planes(&j, ENC_UP, e->base, out, n);
	else
		rebuild_planes(&j, ENC_DELTA, e->base, out, n);
	return 0;
}

int column_decode_bytes(struct column_decoder *d, const struct column_entry *e, uint64_t *room,
			uint8_t *out, uint32_t n)
{
	const uint8_t *p;
	int ret;

	if (e->encoding == ENC_CONST) {
		memset(out, e->base <= UINT8_MAX ? (int)e->base : UINT8_MAX, n);
		return 0;
	}
	if (e->encoding == ENC_PLAIN && e->nplanes == 1 && e->base <= UINT8_MAX) {
		p = plane_bytes(d, e, 0, n);
		if (!p)
			return -EBADMSG;
		if (!e->base) {
			memcpy(out, p, n);
			return 0;
		}
		for (uint32_t i = 0; i < n; i++) {
			unsigned int v = p[i] + (unsigned int)e->base;

			out[i] = v > UINT8_MAX ? UINT8_MAX : (uint8_t)v;
		}
		return 0;
	}
	ret = column_decode(d, e, room, n);
	for (uint32_t i = 0; !ret && i < n; i++)
		out[i] = room[i] <= UINT8_MAX ? (uint8_t)room[i] : UINT8_MAX;
	return ret;
}
