/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_COLUMN_H
#define SWAPTRACE_TRACES_COLUMN_H

#include <stdint.h>

#include "traces/bytes.h"

/*
 * One column of a block: up to 65,536 numbers of 64 bits that belong together (the offsets of the
 * block's LOOKUP events, say). An encoding turns them into small numbers, these are cut into byte
 * planes (all low bytes, then all second bytes, ...), and every plane is stored as one repeated
 * byte, by zstd, or raw, on its own: a reader pays for the columns it asks for and no others.
 */
enum column_encoding {
	ENC_CONST,  /* all values are base; no plane */
	ENC_PLAIN,  /* value - base */
	ENC_BITS,   /* value - base, which is 0 or 1: eight to a byte, lowest bit first */
	ENC_UP,	    /* difference to the value before (the first: 0), never negative */
	ENC_DELTA,  /* difference to the value before, zigzag */
	ENC_DICT,   /* index into a table of at most 256 values */
	ENC_VARINT, /* differences as in ENC_DELTA, but LEB128 in one raw plane: for few values */
	ENC_NR
};

enum plane_mode { PLANE_SAME, PLANE_ZSTD, PLANE_RAW, PLANE_MODES };

#define COLUMN_PLANES 8
#define COLUMN_DICT_MAX 256

struct column_plane {
	uint8_t mode; /* enum plane_mode */
	uint8_t byte; /* PLANE_SAME */
	uint32_t len; /* stored bytes */
	const uint8_t *at;
};

/* What the column directory of a block says about one column. */
struct column_entry {
	uint8_t type, key; /* see wire.h */
	uint8_t encoding;
	uint8_t nplanes;
	uint32_t ndict;
	uint64_t base;
	const uint8_t *dict; /* ndict LEB128 numbers */
	uint32_t dict_len;
	struct column_plane planes[COLUMN_PLANES];
};

struct column_encoder;

/** column_encoder_new - NULL when memory is out */
struct column_encoder *column_encoder_new(void);
void column_encoder_free(struct column_encoder *c);

/**
 * column_encode - append one column
 * @dir, @data: the directory and the plane bytes of the block
 * @type, @key: what to call it
 * @v, @n: the values, 1 .. WIRE_BLOCK_EVENTS of them
 * Out of memory shows in dir->failed or data->failed.
 */
void column_encode(struct column_encoder *c, struct bytes *dir, struct bytes *data, uint8_t type,
		   uint8_t key, const uint64_t *v, uint32_t n);

/**
 * column_parse - read one directory entry
 * @data: cursor over the plane bytes; moves on by what the column takes
 * Returns false when the entry makes no sense.
 */
bool column_parse(struct cursor *dir, struct cursor *data, struct column_entry *e);

struct column_decoder;

/** column_decoder_new - NULL when memory is out */
struct column_decoder *column_decoder_new(void);
void column_decoder_free(struct column_decoder *d);

/**
 * column_decode - the @n values of a column
 * Returns 0, or -EBADMSG when the column does not hold that many or is broken.
 */
int column_decode(struct column_decoder *d, const struct column_entry *e, uint64_t *out,
		  uint32_t n);

/**
 * column_decode_bytes - the same for a column of small numbers; what exceeds 255 becomes 255
 * @room: space for @n numbers that the call may use
 */
int column_decode_bytes(struct column_decoder *d, const struct column_entry *e, uint64_t *room,
			uint8_t *out, uint32_t n);

#endif
