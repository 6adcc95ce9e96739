// SPDX-License-Identifier: GPL-2.0
#include "traces/wire.h"

#include <string.h>
#include <xxhash.h>

#include "traces/bytes.h"

static void store_u32(uint8_t *p, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

void section_encode(uint8_t head[WIRE_HEAD], struct section *s, const void *payload)
{
	s->version = WIRE_VERSION;
	s->head_len = WIRE_HEAD;
	s->payload_hash = XXH64(payload, s->payload_len, 0);
	memcpy(head, WIRE_MAGIC, WIRE_MAGIC_LEN);
	store_u32(head + 8, (uint32_t)s->version | (uint32_t)s->kind << 16);
	store_u32(head + 12, s->head_len);
	store_u64(head + 16, s->payload_len);
	store_u64(head + 24, s->payload_hash);
	store_u64(head + 32, s->number);
	store_u64(head + 40, s->first_event);
	store_u64(head + 48, s->first_ns);
	store_u64(head + 56, s->last_ns);
	store_u32(head + 64, s->events);
	store_u32(head + 68, 0);
	store_u64(head + 72, XXH64(head, 72, 0));
}

static bool lengths_ok(const struct section *s)
{
	uint64_t most = s->kind == SECTION_HEADER ? WIRE_HEADER_TEXT_MAX : WIRE_PAYLOAD_MAX;

	return s->head_len == WIRE_HEAD && s->payload_len <= most &&
	       s->events <= WIRE_BLOCK_EVENTS && s->kind >= SECTION_HEADER &&
	       s->kind <= SECTION_FOOTER && s->first_ns <= s->last_ns;
}

bool section_decode(const uint8_t *p, size_t avail, struct section *s)
{
	if (avail < WIRE_HEAD || memcmp(p, WIRE_MAGIC, WIRE_MAGIC_LEN))
		return false;
	s->version = load_u16(p + 8);
	s->kind = load_u16(p + 10);
	s->head_len = load_u32(p + 12);
	if (s->head_len < WIRE_HEAD || s->head_len > WIRE_HEAD_MAX || s->head_len > avail)
		return false;
	if (XXH64(p, s->head_len - 8, 0) != load_u64(p + s->head_len - 8))
		return false;
	s->payload_len = load_u64(p + 16);
	s->payload_hash = load_u64(p + 24);
	s->number = load_u64(p + 32);
	s->first_event = load_u64(p + 40);
	s->first_ns = load_u64(p + 48);
	s->last_ns = load_u64(p + 56);
	s->events = load_u32(p + 64);
	return s->version > WIRE_VERSION || (s->version == WIRE_VERSION && lengths_ok(s));
}

bool section_payload_ok(const struct section *s, const void *payload)
{
	return XXH64(payload, s->payload_len, 0) == s->payload_hash;
}

void trailer_encode(uint8_t out[WIRE_TRAILER], uint64_t footer_offset)
{
	store_u64(out, footer_offset);
	store_u64(out + 8, WIRE_VERSION);
	store_u64(out + 16, XXH64(out, 16, 0));
	memcpy(out + 24, WIRE_TRAILER_MAGIC, 8);
}

bool trailer_decode(const uint8_t p[WIRE_TRAILER], uint64_t *footer_offset)
{
	if (memcmp(p + 24, WIRE_TRAILER_MAGIC, 8) || XXH64(p, 16, 0) != load_u64(p + 16))
		return false;
	*footer_offset = load_u64(p);
	return true;
}
