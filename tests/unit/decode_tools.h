/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TESTS_DECODE_TOOLS_H
#define SWAPTRACE_TESTS_DECODE_TOOLS_H

/* What the tests of bpf/decode.h share: a decoder, and what came out of it last. Include after
 * cmocka.h. */

#include <stdio.h>
#include <string.h>

#include "bpf/decode.h"

#define ENTRY(type, off) ((uint64_t)(type) << ENTRY_TYPE_SHIFT | (off))

struct sink {
	struct event ev;
	unsigned int n;
	int probe;
	char text[64]; /* the last string */
};

static struct sink sink;
static struct decoder d;

static inline int take(void *arg, const struct event *ev, unsigned int cpu, int probe)
{
	struct sink *s = arg;

	(void)cpu;
	s->ev = *ev;
	s->probe = probe;
	s->n++;
	return 0;
}

static inline uint32_t intern(void *arg, const char *text, size_t len)
{
	struct sink *s = arg;

	snprintf(s->text, sizeof(s->text), "%.*s", (int)len, text);
	return 7;
}

static inline int setup(void **state)
{
	(void)state;
	memset(&sink, 0, sizeof(sink));
	if (decoder_init(&d, 4096))
		return -1;
	d.event = take;
	d.string = intern;
	d.arg = &sink;
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	decoder_free(&d);
	return 0;
}

/* Of thread 41 of process 40 on CPU 1. */
static inline struct record head(enum record_kind kind, enum probe_id probe)
{
	return (struct record){ .t_ns = 1000,
				.tgid = 40,
				.tid = 41,
				.cpu = 1,
				.kind = (__u8)kind,
				.probe = (__u8)probe,
				.comm = "task" };
}

#define FEED(r) assert_int_equal(decoder_record(&d, &(r), sizeof(r)), 0)
#define KNOWS(key, value)                                                                          \
	do {                                                                                       \
		assert_true(event_has(&sink.ev, key));                                             \
		assert_int_equal(sink.ev.v[key], value);                                           \
	} while (0)
#define UNKNOWN(key) assert_false(event_has(&sink.ev, key))

#endif
