// SPDX-License-Identifier: GPL-2.0
/*
 * Common Trace Format 1.8: a folder with "metadata", which describes, and "events", which holds
 * packets. A CTF event class has fixed fields, while here any key may be unknown; so there is one
 * class for each combination of an event and its known keys that the trace has, all of the event's
 * name. What is unknown is absent, not 0.
 */
#include "export/exporter.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/map.h"
#include "common/text.h"

#define PACKET_ROOM 262144
#define EVENT_ROOM 24576 /* a comm, a string and all keys */
#define MAGIC 0xC1FC1FC1u

/* Bytes in front of the events of a packet: header and context, as metadata describes them. */
#define PACKET_HEAD (4 + 4 + 8 + 8 + 8 + 8 + 8)

struct class
{
	unsigned int type;
	uint32_t have;
};

struct ctf {
	FILE *events;
	struct map ids; /* (type, have) -> class */
	struct class *classes;
	size_t n, room;
	unsigned char *packet;
	size_t len; /* of the events in it */
	uint64_t first_ns, last_ns, lost;
	int64_t clock_offset_ns; /* wall clock - boot time */
	bool have_offset;
};

static const char *const files[] = { "metadata", "events", NULL };

static void put_little(unsigned char *p, uint64_t v, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static int begin(struct export *x)
{
	struct ctf *c = x->state;
	int fd = openat(x->folder, "events", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	c->events = fd < 0 ? NULL : fdopen(fd, "w");
	if (!c->events) {
		if (fd >= 0)
			close(fd);
		return error_errno(x->error, -errno, "cannot write events");
	}
	c->packet = malloc(PACKET_HEAD + PACKET_ROOM);
	return c->packet ? 0 : error_set(x->error, -ENOMEM, "out of memory");
}

static int write_packet(struct export *x)
{
	struct ctf *c = x->state;
	uint64_t bits = 8 * (uint64_t)(PACKET_HEAD + c->len);
	unsigned char *p = c->packet;

	if (!c->len)
		return 0;
	put_little(p, MAGIC, 4);
	put_little(p + 4, 0, 4); /* stream */
	put_little(p + 8, c->first_ns, 8);
	put_little(p + 16, c->last_ns, 8);
	put_little(p + 24, bits, 8);
	put_little(p + 32, bits, 8);
	put_little(p + 40, c->lost, 8);
	fwrite(p, 1, PACKET_HEAD + c->len, c->events);
	c->len = 0;
	return export_failed(x, c->events);
}

/* Number of the class, made when it is met first; negative: no memory. */
static int64_t class_of(struct ctf *c, unsigned int type, uint32_t have)
{
	uint64_t *known = map_get(&c->ids, type, have);

	if (known)
		return (int64_t)*known;
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		struct class *more = reallocarray(c->classes, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		c->classes = more;
		c->room = room;
	}
	if (map_set(&c->ids, type, have, c->n))
		return -ENOMEM;
	c->classes[c->n] = (struct class){ type, have };
	return (int64_t)c->n++;
}

static uint32_t known_keys(const struct event *ev)
{
	uint32_t have = 0;

	for (unsigned int key = 0; key < EVENT_KEYS; key++)
		if (event_has(ev, key) && event_key(ev->type, key))
			have |= 1u << key;
	return have;
}

static unsigned char *put_text(unsigned char *p, const char *s)
{
	size_t len = strlen(s);

	memcpy(p, s, len + 1);
	return p + len + 1;
}

static bool is_text(const struct key_desc *k)
{
	return k->kind == KEY_STRING || k->kind == KEY_FLAGS;
}

static unsigned char *put_keys(const struct export *x, const struct event *ev, uint32_t have,
			       unsigned char *p)
{
	for (; have; have &= have - 1) {
		unsigned int key = (unsigned int)__builtin_ctz(have);
		const struct key_desc *k = event_key(ev->type, key);
		struct clean_text word;

		if (is_text(k)) {
			export_word(x, k, ev->v[key], &word);
			p = put_text(p, word.s);
		} else {
			put_little(p, ev->v[key], 8);
			p += 8;
		}
	}
	return p;
}

static void note_clock(struct ctf *c, const struct event *ev)
{
	if (ev->type != EV_CLOCK || c->have_offset || !event_has(ev, CLOCK_REAL) ||
	    !event_has(ev, CLOCK_BOOT))
		return;
	c->clock_offset_ns = (int64_t)(ev->v[CLOCK_REAL] - ev->v[CLOCK_BOOT]);
	c->have_offset = true;
}

static int event(struct export *x, const struct event *ev)
{
	struct ctf *c = x->state;
	uint32_t have = known_keys(ev);
	int64_t id = class_of(c, ev->type, have);
	unsigned char *p;
	struct clean_text comm;
	int ret;

	if (id < 0)
		return error_set(x->error, (int)id, "out of memory");
	if (c->len + EVENT_ROOM > PACKET_ROOM) {
		ret = write_packet(x);
		if (ret)
			return ret;
	}
	note_clock(c, ev);
	if (ev->type == EV_LOST)
		c->lost += event_get(ev, LOST_N, 0);
	if (!c->len)
		c->first_ns = ev->t_ns;
	c->last_ns = ev->t_ns;
	p = c->packet + PACKET_HEAD + c->len;
	put_little(p, (uint64_t)id, 4);
	put_little(p + 4, ev->t_ns, 8);
	put_little(p + 12, (uint64_t)(int64_t)ev->cpu, 4);
	put_little(p + 16, (uint64_t)(int64_t)ev->tgid, 4);
	export_string(x, ev->comm, &comm);
	p = put_keys(x, ev, have, put_text(p + 20, comm.s));
	c->len = (size_t)(p - c->packet) - PACKET_HEAD;
	return 0;
}

static void describe_key(FILE *f, const struct key_desc *k)
{
	if (is_text(k)) {
		fprintf(f, "\t\tstring _%s;\n", k->name);
		return;
	}
	if (k->kind != KEY_ENUM) {
		fprintf(f, "\t\t%s _%s;\n",
			k->kind == KEY_SIGNED ? "i64"
			: k->kind == KEY_HEX  ? "x64"
					      : "u64",
			k->name);
		return;
	}
	fprintf(f, "\t\tenum : u64 {");
	for (unsigned int i = 0; k->names[i]; i++)
		fprintf(f, "%s \"%s\" = %u", i ? "," : "", k->names[i], i);
	fprintf(f, " } _%s;\n", k->name);
}

static void describe_class(FILE *f, const struct class *c, size_t id)
{
	fprintf(f,
		"event {\n\tname = \"%s\";\n\tid = %zu;\n\tstream_id = 0;\n\tfields := struct {\n",
		event_table[c->type].name, id);
	for (uint32_t left = c->have; left; left &= left - 1)
		describe_key(f, event_key(c->type, (unsigned int)__builtin_ctz(left)));
	fputs("\t};\n};\n\n", f);
}

static void describe_clock(FILE *f, const struct ctf *c)
{
	int64_t s = c->clock_offset_ns / 1000000000, ns = c->clock_offset_ns % 1000000000;

	if (ns < 0) {
		s--;
		ns += 1000000000;
	}
	fprintf(f,
		"clock {\n\tname = \"boottime\";\n\tdescription = \"CLOCK_BOOTTIME\";\n"
		"\tfreq = 1000000000;\n\toffset_s = %" PRId64 ";\n\toffset = %" PRId64 ";\n"
		"\tabsolute = %s;\n};\n\n",
		s, ns, c->have_offset ? "true" : "false");
}

static void describe(FILE *f, const struct export *x)
{
	const struct ctf *c = x->state;
	const char *release = trace_header_get(x->header, "release");
	struct clean_text text = clean(release ? release : "unknown");

	fputs("/* CTF 1.8 */\n\n"
	      "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	      "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	      "typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
	      "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	      "typealias integer { size = 64; align = 8; signed = true; } := i64;\n"
	      "typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;\n\n"
	      "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	      "\tpacket.header := struct { u32 magic; u32 stream_id; };\n};\n\n",
	      f);
	fputs("env {\n\ttracer_name = \"swaptrace\";\n\tdomain = \"kernel\";\n\tkernel_release = ",
	      f);
	export_json_string(f, text.s);
	fputs(";\n};\n\n", f);
	describe_clock(f, c);
	fputs("typealias integer { size = 64; align = 8; signed = false; map = "
	      "clock.boottime.value; } "
	      ":= time;\n\n"
	      "stream {\n\tid = 0;\n"
	      "\tpacket.context := struct {\n\t\ttime timestamp_begin;\n\t\ttime timestamp_end;\n"
	      "\t\tu64 content_size;\n\t\tu64 packet_size;\n\t\tu64 events_discarded;\n\t};\n"
	      "\tevent.header := struct { u32 id; time timestamp; };\n"
	      "\tevent.context := struct { i32 on_cpu; i32 tgid; string comm; };\n};\n\n",
	      f);
	for (size_t i = 0; i < c->n; i++)
		describe_class(f, &c->classes[i], i);
}

static int end(struct export *x)
{
	int ret = write_packet(x), fd;
	FILE *f;

	if (ret)
		return ret;
	fd = openat(x->folder, "metadata", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		if (fd >= 0)
			close(fd);
		return error_errno(x->error, -errno, "cannot write metadata");
	}
	describe(f, x);
	ret = export_failed(x, f);
	fclose(f);
	return ret;
}

static void free_ctf(struct export *x)
{
	struct ctf *c = x->state;

	if (c->events)
		fclose(c->events);
	map_free(&c->ids);
	free(c->classes);
	free(c->packet);
}

const struct exporter export_ctf = {
	.name = "ctf",
	.summary = "Common Trace Format 1.8, a folder: babeltrace2, Trace Compass",
	.files = files,
	.state_size = sizeof(struct ctf),
	.binary = true,
	.begin = begin,
	.event = event,
	.end = end,
	.free = free_ctf,
};
