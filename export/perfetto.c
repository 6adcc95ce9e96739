// SPDX-License-Identifier: GPL-2.0
/*
 * Perfetto's own format: a sequence of TracePacket messages in protocol buffers' encoding, of which
 * only what is needed is written here. Numbers of fields are those of Perfetto's public .proto
 * files (TracePacket, TrackDescriptor, TrackEvent). Times are CLOCK_BOOTTIME, Perfetto's default.
 */
#include "export/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/map.h"
#include "common/text.h"

/* A message that is being put together. What does not fit would be a bug: sizes are bounded. */
struct message {
	size_t len;
	unsigned char bytes[8192];
};

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void put_varint(struct message *m, uint64_t v)
{
	do {
		m->bytes[m->len++] = (unsigned char)((v & 127) | (v > 127 ? 128 : 0));
		v >>= 7;
	} while (v);
}

static void put_u64(struct message *m, unsigned int field, uint64_t v)
{
	put_varint(m, field << 3 | WIRE_VARINT);
	put_varint(m, v);
}

static void put_bytes(struct message *m, unsigned int field, const void *bytes, size_t len)
{
	put_varint(m, field << 3 | WIRE_BYTES);
	put_varint(m, len);
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static void put_string(struct message *m, unsigned int field, const char *s)
{
	put_bytes(m, field, s, strnlen(s, 200));
}

static void put_double(struct message *m, unsigned int field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put_varint(m, field << 3 | WIRE_FIXED64);
	for (unsigned int i = 0; i < 8; i++)
		m->bytes[m->len++] = (unsigned char)(bits >> 8 * i);
}

static void put_message(struct message *m, unsigned int field, const struct message *inner)
{
	put_bytes(m, field, inner->bytes, inner->len);
}

/* Fields, by message. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_DOUBLE = 44 };
enum { ANNOTATION_UINT = 3, ANNOTATION_INT = 4, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

struct perfetto {
	struct timeline line;
	struct map tracks; /* (kind of track, its number) -> uuid */
	uint64_t next_uuid;
};

static void write_packet(struct export *x, struct message *packet)
{
	struct message head = { 0 };

	put_u64(packet, PACKET_SEQUENCE_ID, 1);
	put_varint(&head, TRACE_PACKET << 3 | WIRE_BYTES);
	put_varint(&head, packet->len);
	fwrite(head.bytes, 1, head.len, x->out);
	fwrite(packet->bytes, 1, packet->len, x->out);
}

/* Which of the maps of tracks: the number beside it is a thread, a lane, a counter. */
enum { OF_THREAD, OF_MACHINE, OF_COUNTER, OF_DEVICE };

static void describe(struct export *x, uint64_t uuid, const struct event *ev,
		     const struct timeline_point *p)
{
	struct message packet = { 0 }, track = { 0 }, thread = { 0 };
	struct clean_text comm;
	char name[64];

	put_u64(&track, TRACK_UUID, uuid);
	if (p->kind == POINT_COUNTER) {
		put_string(&track, TRACK_NAME, p->name);
		put_message(&track, TRACK_COUNTER, &thread); /* empty: no unit, no base */
	} else if (p->device >= 0) {
		snprintf(name, sizeof(name), "swap device %" PRId64 ", reads, lane %" PRId64,
			 p->device, p->lane);
		put_string(&track, TRACK_NAME, name);
	} else if (p->of_thread && ev->tgid >= 0) {
		export_string(x, ev->comm, &comm);
		put_u64(&thread, THREAD_PID, (uint64_t)ev->tgid);
		put_u64(&thread, THREAD_TID, (uint64_t)export_thread(ev));
		put_string(&thread, THREAD_NAME, comm.s);
		put_message(&track, TRACK_THREAD, &thread);
	} else {
		put_string(&track, TRACK_NAME, "swap");
	}
	put_message(&packet, PACKET_TRACK_DESCRIPTOR, &track);
	write_packet(x, &packet);
}

/* The track of a point, described when it is met first; 0: no memory. */
static uint64_t track_of(struct export *x, const struct event *ev, const struct timeline_point *p)
{
	struct perfetto *t = x->state;
	uint64_t kind = OF_MACHINE, number = 0, *known;

	if (p->kind == POINT_COUNTER) {
		kind = OF_COUNTER;
		number = ev->type;
	} else if (p->device >= 0) {
		kind = OF_DEVICE + (uint64_t)p->device;
		number = (uint64_t)p->lane;
	} else if (p->of_thread && ev->tgid >= 0) {
		kind = OF_THREAD;
		number = (uint64_t)export_thread(ev);
	}
	/* A request that fails and one that does not are of one counter. */
	if (kind == OF_COUNTER && number == EV_ALLOCFAIL)
		number = EV_ALLOC;
	known = map_get(&t->tracks, kind, number);
	if (known)
		return *known;
	if (map_set(&t->tracks, kind, number, ++t->next_uuid))
		return 0;
	describe(x, t->next_uuid, ev, p);
	return t->next_uuid;
}

static void annotate(struct export *x, struct message *m, const struct event *ev)
{
	for (uint32_t left = ev->have; left; left &= left - 1) {
		unsigned int key = (unsigned int)__builtin_ctz(left);
		const struct key_desc *k = event_key(ev->type, key);
		struct message note = { 0 };
		struct clean_text word;

		if (!k)
			continue;
		put_string(&note, ANNOTATION_NAME, k->name);
		if (export_word(x, k, ev->v[key], &word))
			put_string(&note, ANNOTATION_STRING, word.s);
		else
			put_u64(&note, k->kind == KEY_SIGNED ? ANNOTATION_INT : ANNOTATION_UINT,
				ev->v[key]);
		put_message(m, EVENT_ANNOTATION, &note);
	}
}

static void put_point(struct export *x, uint64_t t_ns, unsigned int type, uint64_t track,
		      const struct timeline_point *p, const struct event *ev)
{
	struct message packet = { 0 }, m = { 0 };

	put_u64(&m, EVENT_TYPE, type);
	put_u64(&m, EVENT_TRACK, track);
	if (type == COUNTER)
		put_double(&m, EVENT_DOUBLE, p->value);
	if (type == SLICE_BEGIN || type == INSTANT) {
		put_string(&m, EVENT_NAME, p->name);
		annotate(x, &m, ev);
	}
	put_u64(&packet, PACKET_TIMESTAMP, t_ns);
	put_message(&packet, PACKET_TRACK_EVENT, &m);
	write_packet(x, &packet);
}

static int event(struct export *x, const struct event *ev)
{
	static const unsigned int types[] = { SLICE_BEGIN, INSTANT, COUNTER };
	struct perfetto *t = x->state;
	struct timeline_point points[TIMELINE_POINTS];
	unsigned int n = timeline_points(&t->line, x, ev, points);

	for (unsigned int i = 0; i < n; i++) {
		uint64_t track = track_of(x, ev, &points[i]);

		if (!track)
			return error_set(x->error, -ENOMEM, "out of memory");
		put_point(x, ev->t_ns, types[points[i].kind], track, &points[i], ev);
		if (points[i].kind == POINT_SLICE)
			put_point(x, ev->t_ns + points[i].duration_ns, SLICE_END, track, &points[i],
				  ev);
	}
	return 0;
}

static void free_perfetto(struct export *x)
{
	struct perfetto *t = x->state;

	map_free(&t->tracks);
}

const struct exporter export_perfetto = {
	.name = "perfetto",
	.summary = "the same as Perfetto's own binary format: ui.perfetto.dev, trace_processor",
	.state_size = sizeof(struct perfetto),
	.binary = true,
	.event = event,
	.free = free_perfetto,
};
