/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_WIRE_H
#define SWAPTRACE_TRACES_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The frame of the binary format, described in swaptrace.data(5). A file is a row of sections, each
 * a head of WIRE_HEAD bytes and a payload, both with a checksum, then WIRE_GAP zero bytes:
 *
 *   header, header (the same again), block, block, ..., footer, trailer
 *
 * The gap makes 64 damaged bytes in a row hit one section and not two.
 */
#define WIRE_MAGIC "\x89SWTRC\r\n"
#define WIRE_MAGIC_LEN 8
#define WIRE_VERSION 1
#define WIRE_HEAD 80
#define WIRE_HEAD_MAX 4096 /* heads of later versions may grow up to this */
#define WIRE_GAP 64
#define WIRE_TRAILER 32
#define WIRE_TRAILER_MAGIC "\x89SWTEND\n"

#define WIRE_BLOCK_EVENTS 65536u	/* events in a block at most */
#define WIRE_PAYLOAD_MAX (32u << 20)	/* bytes of a payload at most */
#define WIRE_HEADER_TEXT_MAX (4u << 20) /* bytes of header or closing lines at most */
#define WIRE_STRING_MAX 4096u		/* bytes of a string at most */
#define WIRE_INDEX_MAX 4096u		/* entries of the footer's index at most */

enum section_kind { SECTION_HEADER = 1, SECTION_BLOCK, SECTION_FOOTER };

struct section {
	uint16_t version;
	uint16_t kind; /* enum section_kind */
	uint32_t head_len;
	uint64_t payload_len;
	uint64_t payload_hash;
	uint64_t number;      /* blocks: counted from 0; footer: number of blocks */
	uint64_t first_event; /* blocks: events before this one; footer: number of events */
	uint64_t first_ns, last_ns;
	uint32_t events; /* in a block */
};

/** section_bytes - how much of the file a section takes, gap included */
static inline uint64_t section_bytes(const struct section *s)
{
	return s->head_len + s->payload_len + WIRE_GAP;
}

/** section_encode - write @s as WIRE_HEAD bytes; the hash of the @payload is taken here */
void section_encode(uint8_t head[WIRE_HEAD], struct section *s, const void *payload);

/**
 * section_decode - read a head of which @avail bytes are at @p
 * Returns false when these bytes are no head with a right checksum. A head of a later version is
 * recognised (version > WIRE_VERSION), only its version and lengths mean something then. Lengths
 * of this version are within the limits above.
 */
bool section_decode(const uint8_t *p, size_t avail, struct section *s);

/** section_payload_ok - whether the payload's checksum is right */
bool section_payload_ok(const struct section *s, const void *payload);

/** trailer_encode - the last WIRE_TRAILER bytes of a file */
void trailer_encode(uint8_t out[WIRE_TRAILER], uint64_t footer_offset);

/** trailer_decode - false when these are not the bytes of a trailer */
bool trailer_decode(const uint8_t p[WIRE_TRAILER], uint64_t *footer_offset);

/* Names of the columns that every event has, in the column directory of a block. */
enum event_column { COL_TYPES, COL_TIMES, COL_CPUS, COL_TGIDS, COL_COMMS, COL_EVENT_NR };
#define COL_OF_EVENTS 0xff /* in place of an event type */
#define COL_HAVE 0xfe	   /* in place of a key: the masks of known keys */

#endif
