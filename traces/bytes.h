/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_BYTES_H
#define SWAPTRACE_TRACES_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes as they lie in a file: a growing buffer to write into, a bounded cursor to read from.
 * Everything is little-endian whatever the machine is. Neither needs a check per call: a buffer
 * that ran out of memory and a cursor that ran out of bytes remember it in @failed.
 */
struct bytes {
	uint8_t *p;
	size_t len, room;
	bool failed; /* memory ran out: contents are incomplete */
};

struct cursor {
	const uint8_t *p;
	size_t len, at;
	bool failed; /* read past the end or met a malformed number */
};

/** bytes_reserve - make room for @n more bytes; false (and failed) when memory is out */
bool bytes_reserve(struct bytes *b, size_t n);

/** bytes_put - append @n bytes */
void bytes_put(struct bytes *b, const void *p, size_t n);

/** bytes_u8, bytes_u16, ... - append a number of fixed width, little-endian */
void bytes_u8(struct bytes *b, uint8_t v);
void bytes_u16(struct bytes *b, uint16_t v);
void bytes_u32(struct bytes *b, uint32_t v);
void bytes_u64(struct bytes *b, uint64_t v);

/** bytes_varint - append a LEB128 number: 7 bits a byte, low bits first, at most 10 bytes */
void bytes_varint(struct bytes *b, uint64_t v);

/** bytes_free - free the buffer's memory and make it empty */
void bytes_free(struct bytes *b);

/** load_u16, ... - a little-endian number at any address */
uint16_t load_u16(const uint8_t *p);
uint32_t load_u32(const uint8_t *p);
uint64_t load_u64(const uint8_t *p);

/** store_u64 - write a little-endian number at any address */
void store_u64(uint8_t *p, uint64_t v);

/** cursor_u8, ... - the next number; 0 and failed when there are too few bytes */
uint8_t cursor_u8(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);

/** cursor_varint - the next LEB128 number; one that does not fit in 64 bits is a failure */
uint64_t cursor_varint(struct cursor *c);

/** cursor_skip - the next @n bytes, or NULL (and failed) when there are fewer */
const uint8_t *cursor_skip(struct cursor *c, uint64_t n);

/** zigzag - a signed difference as a small unsigned number, and back */
static inline uint64_t zigzag(uint64_t d)
{
	return (d << 1) ^ (0 - (d >> 63));
}

static inline uint64_t unzigzag(uint64_t z)
{
	return (z >> 1) ^ (0 - (z & 1));
}

#endif
