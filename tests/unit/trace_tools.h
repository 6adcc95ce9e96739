/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TESTS_TRACE_TOOLS_H
#define SWAPTRACE_TESTS_TRACE_TOOLS_H

/* What the tests of traces/ share: seeded random events, files as bytes. Include after cmocka.h. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/header_lines.h"
#include "traces/trace.h"
#include "traces/wire.h"

static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A path of this test program alone, removed by remove_test_files(). */
static inline const char *test_path(const char *name)
{
	static char path[4][256];
	static unsigned int turn;
	const char *dir = getenv("TMPDIR");
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/swaptrace-unit-%d-%s", dir ? dir : "/tmp", (int)getpid(),
		 name);
	return p;
}

static inline void put_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static inline uint8_t *get_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	uint8_t *p;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	p = malloc(*n + 1);
	assert_non_null(p);
	assert_int_equal(fread(p, 1, *n, f), *n);
	p[*n] = 0;
	fclose(f);
	return p;
}

static inline struct trace_header *small_header(void)
{
	struct trace_header *h = trace_header_new();

	assert_non_null(h);
	assert_int_equal(trace_header_add_line(h, "release=6.12.117 arch=x86_64", NULL), 0);
	assert_int_equal(trace_header_add_line(h, "device type=0 pages=262144", NULL), 0);
	return h;
}

/* A trace that is readable at every moment, as the recorder writes it. */
static inline struct trace_writer *create_trace(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct trace_header *h = small_header();
	struct trace_writer *w;
	struct error e;

	assert_true(fd >= 0);
	assert_int_equal(trace_create_fd(&w, fd, path, h, &e), 0);
	trace_header_free(h);
	return w;
}

/*
 * Strings for random events: number i (from 1) is what a writer gives back for the i-th string of
 * learn_strings(). Among them are the empty one, "-" and all kinds of bytes.
 */
#define TEST_STRINGS 300
static char test_string[TEST_STRINGS + 1][9];
static size_t test_string_len[TEST_STRINGS + 1];

static inline void learn_strings(struct trace_writer *w)
{
	uint64_t state = 77;

	for (uint32_t i = 1; i <= TEST_STRINGS; i++) {
		uint64_t v = next_random(&state);

		/* The number in the first bytes keeps them apart, so that ids count up. */
		memcpy(test_string[i], &v, 8);
		test_string[i][0] = (char)i;
		test_string[i][1] = (char)(i >> 8);
		test_string_len[i] = i == 1 ? 0 : i == 2 ? 1 : 2 + v % 7;
		if (i == 2)
			test_string[i][0] = '-';
		assert_int_equal(trace_write_string(w, test_string[i], test_string_len[i]), i);
	}
}

/* A value that the text notation can write: enum values have names, strings are of the above. */
static inline uint64_t random_value(uint64_t *state, const struct key_desc *k)
{
	uint64_t v = next_random(state);
	uint64_t n = 0;

	switch (k->kind) {
	case KEY_ENUM:
		while (k->names[n])
			n++;
		return v % n;
	case KEY_FLAGS:
		return v % 64;
	case KEY_STRING:
		return 1 + v % TEST_STRINGS;
	default:
		/* All sizes are equally likely, 0 and the largest included. */
		return v % 50 ? v >> (next_random(state) % 64) : v % 100 ? 0 : UINT64_MAX;
	}
}

static inline void random_event(uint64_t *state, struct event *ev, uint64_t t_ns)
{
	uint64_t v = next_random(state);

	event_init(ev, (enum event_type)(v % EV_NR), t_ns);
	ev->cpu = (int32_t)(v >> 8 & 7) - 1;
	ev->tgid = v >> 16 & 1 ? (int32_t)(v >> 33) : -1;
	ev->comm = v >> 17 & 3 ? 1 + (v >> 20) % TEST_STRINGS : 0;
	for (unsigned int k = 0; k < EVENT_KEYS; k++)
		if (event_key(ev->type, k) && next_random(state) & 1)
			event_set(ev, k, random_value(state, event_key(ev->type, k)));
}

/* Ids differ between writer and reader: compare what they stand for. */
static inline void assert_same_string(const struct trace_reader *r, uint64_t got, uint64_t want)
{
	size_t len = 0;
	const char *s = trace_string(r, (uint32_t)got, &len);

	if (!want) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_int_equal(len, test_string_len[want]);
	assert_memory_equal(s, test_string[want], len);
}

static inline void assert_same_event(const struct trace_reader *r, const struct event *got,
				     const struct event *want)
{
	assert_int_equal(got->t_ns, want->t_ns);
	assert_int_equal(got->cpu, want->cpu);
	assert_int_equal(got->tgid, want->tgid);
	assert_int_equal(got->type, want->type);
	assert_int_equal(got->have, want->have);
	assert_same_string(r, got->comm, want->comm);
	for (unsigned int k = 0; k < EVENT_KEYS; k++) {
		if (event_has(want, k) && event_key(want->type, k)->kind == KEY_STRING)
			assert_same_string(r, got->v[k], want->v[k]);
		else
			assert_true(got->v[k] == want->v[k]);
	}
}

#endif
