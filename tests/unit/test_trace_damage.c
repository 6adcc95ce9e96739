// SPDX-License-Identifier: GPL-2.0
/*
 * Damaged, cut and hostile traces: never a crash, every damage is noticed, one damaged place costs
 * one block at most. What is left must be whole blocks of the original, nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <xxhash.h>

#include "tests/unit/trace_tools.h"
#include "traces/bytes.h"

#define BLOCKS 4
#define PER_BLOCK 6
#define EVENTS (BLOCKS * PER_BLOCK)

static struct event original[EVENTS];
static uint8_t *good;
static size_t good_len;
static size_t block_at[BLOCKS + 1]; /* offsets of the blocks and of the footer */

static int make_original(void **state)
{
	const char *path = test_path("good");
	struct trace_writer *w = create_trace(path);
	uint64_t random = 11;
	struct error e;
	unsigned int n = 0;

	(void)state;
	learn_strings(w);
	for (unsigned int i = 0; i < EVENTS; i++) {
		random_event(&random, &original[i], 1000 * i);
		assert_int_equal(trace_write(w, &original[i], &e), 0);
		if (i % PER_BLOCK == PER_BLOCK - 1)
			assert_int_equal(trace_flush(w, &e), 0);
	}
	assert_int_equal(trace_finish(w, NULL, &e), 0);
	good = get_file(path, &good_len);
	unlink(path);
	for (size_t i = 0; i + WIRE_HEAD < good_len; i++)
		if (!memcmp(good + i, WIRE_MAGIC, 8) && good[i + 10] != SECTION_HEADER)
			block_at[n++] = i;
	assert_int_equal(n, BLOCKS + 1);
	return 0;
}

static int free_original(void **state)
{
	(void)state;
	free(good);
	return 0;
}

struct outcome {
	int opened; /* result of trace_open() */
	unsigned int events, blocks;
	bool noticed;
	struct trace_stats stats;
};

/* Read a file; every event must be one of the original, in order, whole blocks of them. */
static struct outcome read_back(const uint8_t *p, size_t n)
{
	const char *path = test_path("bad");
	struct outcome o = { 0 };
	struct trace_reader *r;
	struct error e;
	struct event ev;
	unsigned int at = 0;

	put_file(path, p, n);
	o.opened = trace_open(&r, path, &e);
	if (o.opened) {
		assert_int_equal(o.opened, -EBADMSG);
		return o;
	}
	while (trace_next(r, &ev, &e) > 0) {
		if (o.events % PER_BLOCK == 0)
			at = (unsigned int)(ev.t_ns / 1000);
		assert_true(at < EVENTS);
		if (o.events % PER_BLOCK == 0)
			assert_int_equal(at % PER_BLOCK, 0);
		assert_same_event(r, &ev, &original[at++]);
		o.events++;
	}
	assert_int_equal(o.events % PER_BLOCK, 0);
	o.blocks = o.events / PER_BLOCK;
	o.stats = *trace_get_stats(r);
	o.noticed = o.stats.damaged_blocks || o.stats.damaged_bytes || o.stats.truncated ||
		    o.stats.header_damaged;
	/* With the footer there, what is missing is known to the event. */
	if (!o.stats.truncated)
		assert_int_equal(o.stats.damaged_events + o.events, EVENTS);
	trace_close(r);
	return o;
}

static void test_good(void **state)
{
	struct outcome o = read_back(good, good_len);

	(void)state;
	assert_int_equal(o.opened, 0);
	assert_int_equal(o.events, EVENTS);
	assert_false(o.noticed);
}

/* One flipped bit anywhere: noticed, and at most one block is lost. */
static void test_flipped_bits(void **state)
{
	uint8_t *p = malloc(good_len);

	(void)state;
	for (size_t i = 0; i < good_len; i++) {
		struct outcome o;

		memcpy(p, good, good_len);
		p[i] ^= (uint8_t)(1u << (i * 5 % 8));
		o = read_back(p, good_len);
		assert_int_equal(o.opened, 0);
		assert_true(o.noticed);
		assert_true(o.blocks >= BLOCKS - 1);
		assert_true(o.stats.damaged_blocks <= 1);
	}
	free(p);
}

/* 64 damaged bytes in a row anywhere, with noise, zeros and ones: at most one block. */
static void test_64_bytes(void **state)
{
	uint8_t *p = malloc(good_len);
	uint64_t random = 5;

	(void)state;
	for (size_t i = 0; i + 64 <= good_len; i++) {
		struct outcome o;

		memcpy(p, good, good_len);
		for (size_t j = i; j < i + 64; j++)
			p[j] = i % 3 == 0 ? 0 : i % 3 == 1 ? 0xff : (uint8_t)next_random(&random);
		o = read_back(p, good_len);
		assert_int_equal(o.opened, 0);
		assert_true(o.blocks >= BLOCKS - 1);
		/* Zeros over a gap of zeros are no damage. */
		assert_true(o.noticed || !memcmp(p, good, good_len));
	}
	free(p);
}

/* Cut at every length: all blocks that are whole are there. */
static void test_truncation(void **state)
{
	size_t header_end = 0;

	(void)state;
	for (size_t n = 0; n < good_len; n++) {
		struct outcome o = read_back(good, n);
		unsigned int whole = 0;

		/* A block is whole when the first byte of its gap, or the end, is reached. */
		for (unsigned int b = 0; b < BLOCKS; b++)
			whole += n >= block_at[b + 1] - WIRE_GAP;
		if (o.opened) {
			assert_int_equal(whole, 0);
			header_end = n;
			continue;
		}
		assert_int_equal(o.blocks, whole);
		/* From the footer's last byte on nothing that matters is missing. */
		assert_true(o.noticed);
	}
	/* One whole header copy is enough: 80 bytes of head and the text. */
	assert_true(header_end < block_at[0] / 2);
}

/* A block that is missing, doubled or out of place is counted and does not hide the others. */
static void test_moved_blocks(void **state)
{
	size_t len = block_at[2] - block_at[1];
	uint8_t *p = malloc(good_len + len);
	struct outcome o;

	(void)state;
	memcpy(p, good, block_at[1]);
	memcpy(p + block_at[1], good + block_at[2], good_len - block_at[2]);
	o = read_back(p, good_len - len);
	assert_int_equal(o.blocks, BLOCKS - 1);
	assert_true(o.noticed);

	memcpy(p, good, block_at[2]);
	memcpy(p + block_at[2], good + block_at[1], good_len - block_at[1]);
	o = read_back(p, good_len + len);
	assert_int_equal(o.blocks, BLOCKS);
	assert_true(o.noticed);
	free(p);
}

/* Bytes behind the end, and bytes between blocks. */
static void test_foreign_bytes(void **state)
{
	uint8_t *p = malloc(good_len + 1000);
	struct outcome o;

	(void)state;
	memcpy(p, good, good_len);
	memset(p + good_len, 0x89, 1000);
	o = read_back(p, good_len + 1000);
	assert_int_equal(o.blocks, BLOCKS);
	assert_true(o.noticed);

	memcpy(p, good, block_at[2]);
	memset(p + block_at[2], 0x89, 777);
	memcpy(p + block_at[2] + 777, good + block_at[2], good_len - block_at[2]);
	o = read_back(p, good_len + 777);
	assert_int_equal(o.blocks, BLOCKS);
	assert_int_equal(o.stats.damaged_blocks, 0);
	free(p);
}

/* Recompute the checksums of the section at @at, as somebody with bad intentions would. */
static void seal(uint8_t *p, size_t at)
{
	store_u64(p + at + 24, XXH64(p + at + WIRE_HEAD, load_u64(p + at + 16), 0));
	store_u64(p + at + 72, XXH64(p + at, 72, 0));
}

/* All that a reader can be asked for; values may be anything, memory must stay whole. */
static void read_everything(const uint8_t *p, size_t n)
{
	const char *path = test_path("hostile");
	const struct trace_block *b;
	struct trace_reader *r;
	struct event ev;
	struct error e;
	uint64_t last = 0, sum = 0;

	put_file(path, p, n);
	if (trace_open(&r, path, &e))
		return;
	while (trace_next_block(r, &b, &e) > 0) {
		for (unsigned int t = 0; t < EV_NR; t++)
			for (unsigned int k = 0; k < EVENT_KEYS; k++) {
				const uint64_t *v = block_column(b, t, k);

				for (uint32_t i = 0; v && i < block_count(b, t); i++)
					sum += v[i];
			}
	}
	trace_rewind(r, &e);
	while (trace_next(r, &ev, &e) > 0) {
		assert_true(ev.type < EV_NR);
		assert_true(ev.t_ns >= last);
		assert_true(ev.cpu >= -1 && ev.tgid >= -1);
		last = ev.t_ns;
		trace_string(r, ev.comm, NULL);
	}
	trace_seek(r, sum, &e);
	trace_close(r);
}

/* Payloads with right checksums and wrong contents: single bytes set, at every place. */
static void test_hostile_payload(void **state)
{
	static const uint8_t values[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
	uint8_t *p = malloc(good_len);

	(void)state;
	for (unsigned int b = 0; b <= BLOCKS; b += BLOCKS) {
		size_t len = (size_t)load_u64(good + block_at[b] + 16);

		for (size_t i = 0; i < len; i++) {
			memcpy(p, good, good_len);
			p[block_at[b] + WIRE_HEAD + i] = values[i % sizeof(values)];
			if (i % 7 == 3) /* a long number */
				memset(p + block_at[b] + WIRE_HEAD + i, 0xff,
				       len - i < 9 ? len - i : 9);
			seal(p, block_at[b]);
			read_everything(p, good_len);
		}
	}
	free(p);
}

/* Heads with right checksums and any numbers in them. */
static void test_hostile_heads(void **state)
{
	static const uint64_t values[] = {
		0,	    1,	       65535,	  65536, 65537, UINT32_MAX, WIRE_PAYLOAD_MAX,
		UINT64_MAX, INT64_MAX, 1ull << 40
	};
	uint8_t *p = malloc(good_len);

	(void)state;
	for (unsigned int b = 0; b <= BLOCKS; b++) {
		for (size_t field = 8; field < 72; field += 4) {
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
				memcpy(p, good, good_len);
				if (field % 8)
					memcpy(p + block_at[b] + field, &values[v], 4);
				else
					store_u64(p + block_at[b] + field, values[v]);
				store_u64(p + block_at[b] + 72, XXH64(p + block_at[b], 72, 0));
				read_everything(p, good_len);
			}
		}
	}
	free(p);
}

/* Noise at many places at once: nothing is promised but that reading ends. */
static void test_noise(void **state)
{
	uint8_t *p = malloc(good_len);
	uint64_t random = 99;

	(void)state;
	for (unsigned int round = 0; round < 1000; round++) {
		memcpy(p, good, good_len);
		for (unsigned int i = 0; i < 1 + round % 40; i++)
			p[next_random(&random) % good_len] = (uint8_t)next_random(&random);
		if (round % 2)
			for (unsigned int b = 0; b <= BLOCKS; b++)
				if (load_u64(p + block_at[b] + 16) ==
				    load_u64(good + block_at[b] + 16))
					seal(p, block_at[b]);
		read_everything(p, good_len);
	}
	free(p);
}

/* recover: the whole blocks of a damaged file in a new one that is whole. */
static void test_recover(void **state)
{
	const char *in = test_path("in"), *out = test_path("out");
	uint8_t *p = malloc(good_len);
	struct trace_stats stats;
	struct error e;
	size_t from = 0;
	struct trace_reader *r;

	(void)state;
	memcpy(p, good, good_len);
	memset(p + block_at[1] + 100, 0x55, 64);
	put_file(in, p, block_at[BLOCKS]); /* no footer either */
	assert_int_equal(trace_recover(in, out, &stats, &e), 0);
	assert_int_equal(stats.damaged_blocks, 1);
	assert_true(stats.truncated);
	assert_int_equal(trace_open(&r, out, &e), 0);
	assert_string_equal(trace_header_get(trace_get_header(r), "release"), "6.12.117");
	assert_string_equal(
		trace_header_next_directive(trace_get_header(r), "note", &from),
		"recovered events=18 damaged_blocks=1 damaged_events=6 truncated=1 header_lost=0");
	for (unsigned int i = 0; i < EVENTS; i++) {
		struct event ev;

		if (i / PER_BLOCK == 1)
			continue;
		assert_int_equal(trace_next(r, &ev, &e), 1);
		assert_same_event(r, &ev, &original[i]);
	}
	assert_false(trace_get_stats(r)->truncated);
	trace_close(r);

	/* Both copies of the header gone: refused by open, saved by recover. */
	memcpy(p, good, good_len);
	memset(p, 0x55, block_at[0] - WIRE_GAP);
	put_file(in, p, good_len);
	assert_int_equal(trace_open(&r, in, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "swaptrace recover"));
	assert_int_equal(trace_recover(in, out, &stats, &e), 0);
	assert_int_equal(stats.events, EVENTS);
	assert_true(stats.header_damaged);
	unlink(in);
	unlink(out);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_flipped_bits),
		cmocka_unit_test(test_64_bytes),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_moved_blocks),
		cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_hostile_payload),
		cmocka_unit_test(test_hostile_heads),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_recover),
	};

	return cmocka_run_group_tests(tests, make_original, free_original);
}
