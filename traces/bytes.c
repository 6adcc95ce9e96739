// SPDX-License-Identifier: GPL-2.0
#include "traces/bytes.h"

#include <stdlib.h>
#include <string.h>

bool bytes_reserve(struct bytes *b, size_t n)
{
	size_t room = b->room ? b->room : 256;
	uint8_t *p;

	if (b->failed || n > SIZE_MAX / 2 - b->len) {
		b->failed = true;
		return false;
	}
	if (b->room - b->len >= n)
		return true;
	while (room - b->len < n)
		room *= 2;
	p = realloc(b->p, room);
	if (!p) {
		b->failed = true;
		return false;
	}
	b->p = p;
	b->room = room;
	return true;
}

void bytes_put(struct bytes *b, const void *p, size_t n)
{
	if (!n || !bytes_reserve(b, n))
		return;
	memcpy(b->p + b->len, p, n);
	b->len += n;
}

static void put_le(struct bytes *b, uint64_t v, unsigned int width)
{
	if (!bytes_reserve(b, width))
		return;
	for (unsigned int i = 0; i < width; i++)
		b->p[b->len++] = (uint8_t)(v >> (8 * i));
}

void bytes_u8(struct bytes *b, uint8_t v)
{
	put_le(b, v, 1);
}

void bytes_u16(struct bytes *b, uint16_t v)
{
	put_le(b, v, 2);
}

void bytes_u32(struct bytes *b, uint32_t v)
{
	put_le(b, v, 4);
}

void bytes_u64(struct bytes *b, uint64_t v)
{
	put_le(b, v, 8);
}

void bytes_varint(struct bytes *b, uint64_t v)
{
	if (!bytes_reserve(b, 10))
		return;
	while (v >= 0x80) {
		b->p[b->len++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	b->p[b->len++] = (uint8_t)v;
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){ 0 };
}

static uint64_t load_le(const uint8_t *p, unsigned int width)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < width; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

uint16_t load_u16(const uint8_t *p)
{
	return (uint16_t)load_le(p, 2);
}

uint32_t load_u32(const uint8_t *p)
{
	return (uint32_t)load_le(p, 4);
}

uint64_t load_u64(const uint8_t *p)
{
	return load_le(p, 8);
}

void store_u64(uint8_t *p, uint64_t v)
{
	for (unsigned int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

const uint8_t *cursor_skip(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p + c->at;

	if (c->failed || n > c->len - c->at) {
		c->failed = true;
		return NULL;
	}
	c->at += (size_t)n;
	return p;
}

uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_skip(c, 1);

	return p ? *p : 0;
}

uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_skip(c, 4);

	return p ? load_u32(p) : 0;
}

uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_skip(c, 8);

	return p ? load_u64(p) : 0;
}

uint64_t cursor_varint(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cursor_u8(c);

		/* The tenth byte has room for one bit only. */
		if (c->failed || (shift == 63 && byte > 1))
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	c->failed = true;
	return 0;
}
