// SPDX-License-Identifier: GPL-2.0
#include "traces/column.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "traces/wire.h"

struct column_decoder {
	ZSTD_DCtx *zstd;
	uint8_t plane[WIRE_BLOCK_EVENTS];
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

/* The @n bytes of a plane, decompressed if need be; NULL when it does not hold exactly that many. */
static const uint8_t *plane_bytes(struct column_decoder *d, const struct column_plane *p, size_t n)
{
	if (p->mode == PLANE_RAW)
		return p->len == n ? p->at : NULL;
	if (p->mode == PLANE_SAME) {
		memset(d->plane, p->byte, n);
		return d->plane;
	}
	/* The room is ours, so a frame that claims more is an error and not an overflow. */
	return ZSTD_decompressDCtx(d->zstd, d->plane, n, p->at, p->len) == n ? d->plane : NULL;
}

static void fill(uint64_t *out, uint32_t n, uint64_t v)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = v;
}

/* Put the planes together again. */
static int join_planes(struct column_decoder *d, const struct column_entry *e, uint64_t *out,
		       uint32_t n)
{
	uint64_t same = 0;
	bool first = true;

	for (unsigned int b = 0; b < e->nplanes; b++)
		if (e->planes[b].mode == PLANE_SAME)
			same |= (uint64_t)e->planes[b].byte << (8 * b);
	for (unsigned int b = 0; b < e->nplanes; b++) {
		const struct column_plane *p = &e->planes[b];
		const uint8_t *bytes;

		if (p->mode == PLANE_SAME)
			continue;
		bytes = plane_bytes(d, p, n);
		if (!bytes)
			return -EBADMSG;
		if (first) {
			for (uint32_t i = 0; i < n; i++)
				out[i] = same | (uint64_t)bytes[i] << (8 * b);
		} else {
			for (uint32_t i = 0; i < n; i++)
				out[i] |= (uint64_t)bytes[i] << (8 * b);
		}
		first = false;
	}
	if (first)
		fill(out, n, same);
	return 0;
}

static int decode_bits(struct column_decoder *d, const struct column_entry *e, uint64_t *out,
		       uint32_t n)
{
	const uint8_t *p = plane_bytes(d, &e->planes[0], (n + 7) / 8);

	if (!p)
		return -EBADMSG;
	for (uint32_t i = 0; i < n; i++)
		out[i] = e->base + (p[i / 8] >> (i % 8) & 1);
	return 0;
}

static int decode_dict(struct column_decoder *d, const struct column_entry *e, uint64_t *out,
		       uint32_t n)
{
	struct cursor c = { .p = e->dict, .len = e->dict_len };
	uint64_t table[COLUMN_DICT_MAX] = { 0 };
	const uint8_t *p = plane_bytes(d, &e->planes[0], n);

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

static void sum_up(uint64_t *out, uint32_t n, uint64_t v)
{
	for (uint32_t i = 0; i < n; i++) {
		v += out[i];
		out[i] = v;
	}
}

static void sum_zigzag(uint64_t *out, uint32_t n, uint64_t v)
{
	for (uint32_t i = 0; i < n; i++) {
		v += unzigzag(out[i]);
		out[i] = v;
	}
}

int column_decode(struct column_decoder *d, const struct column_entry *e, uint64_t *out,
		  uint32_t n)
{
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
	if (join_planes(d, e, out, n))
		return -EBADMSG;
	if (e->encoding == ENC_UP)
		sum_up(out, n, e->base);
	else if (e->encoding == ENC_DELTA)
		sum_zigzag(out, n, e->base);
	else if (e->base)
		for (uint32_t i = 0; i < n; i++)
			out[i] += e->base;
	return 0;
}
