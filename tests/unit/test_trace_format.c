// SPDX-License-Identifier: GPL-2.0
/*
 * The binary format: what is written is read back, whatever it is; a file made by hand from
 * swaptrace.data(5) is read; writing fails in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "tests/unit/trace_tools.h"
#include "traces/bytes.h"
#include "traces/column.h"

static struct event *kept; /* what was written */
static uint32_t nkept;

static void keep(const struct event *ev)
{
	if (!(nkept & (nkept - 1))) {
		kept = realloc(kept, (nkept ? 2 * nkept : 1) * sizeof(*kept));
		assert_non_null(kept);
	}
	kept[nkept++] = *ev;
}

static void write_kept(struct trace_writer *w, const struct event *ev)
{
	struct error e;

	assert_int_equal(trace_write(w, ev, &e), 0);
	keep(ev);
}

static void check_rows(const char *path)
{
	struct trace_reader *r;
	struct event ev;
	struct error e;

	assert_int_equal(trace_open(&r, path, &e), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < nkept; i++) {
			assert_int_equal(trace_next(r, &ev, &e), 1);
			assert_same_event(r, &ev, &kept[i]);
		}
		assert_int_equal(trace_next(r, &ev, &e), 0);
		assert_int_equal(trace_get_stats(r)->events, nkept);
		assert_int_equal(trace_get_stats(r)->damaged_bytes, 0);
		assert_false(trace_get_stats(r)->truncated);
		assert_int_equal(trace_rewind(r, &e), 0);
	}
	trace_close(r);
}

static void check_block(const struct trace_reader *r, const struct trace_block *b, uint32_t first)
{
	uint32_t row[EV_NR] = { 0 };

	for (uint32_t i = 0; i < block_events(b); i++) {
		const struct event *want = &kept[first + i];
		enum event_type t = want->type;
		struct event got;

		event_init(&got, block_types(b)[i], block_times(b)[i]);
		assert_int_equal(got.type, t);
		got.cpu = block_cpus(b)[i];
		got.tgid = block_tgids(b)[i];
		got.comm = block_comms(b)[i];
		got.have = block_have(b, t)[row[t]];
		for (unsigned int k = 0; k < EVENT_KEYS; k++)
			got.v[k] = block_column(b, t, k)[row[t]];
		row[t]++;
		assert_same_event(r, &got, want);
	}
	for (unsigned int t = 0; t < EV_NR; t++)
		assert_int_equal(block_count(b, t), row[t]);
}

static void check_columns(const char *path)
{
	const struct trace_block *b;
	struct trace_reader *r;
	struct error e;
	uint32_t first = 0;

	assert_int_equal(trace_open(&r, path, &e), 0);
	while (trace_next_block(r, &b, &e) > 0) {
		check_block(r, b, first);
		first += block_events(b);
	}
	assert_int_equal(first, nkept);
	trace_close(r);
}

static void finish_and_check(struct trace_writer *w, const char *path)
{
	struct error e;

	assert_int_equal(trace_finish(w, NULL, &e), 0);
	check_rows(path);
	check_columns(path);
	unlink(path);
	free(kept);
	kept = NULL;
	nkept = 0;
}

/* Every event with no key, with each single key, and with all of them; values at the borders. */
static void test_every_key(void **state)
{
	static const uint64_t borders[] = { 0, 1, INT64_MAX, 1ull << 63, UINT64_MAX };
	const char *path = test_path("keys");
	struct trace_writer *w = create_trace(path);
	uint64_t t_ns = 0;
	struct event ev;

	(void)state;
	learn_strings(w);
	for (unsigned int t = 0; t < EV_NR; t++) {
		event_init(&ev, t, t_ns);
		write_kept(w, &ev);
		for (unsigned int k = 0; k < EVENT_KEYS; k++) {
			const struct key_desc *d = event_key(t, k);

			for (unsigned int i = 0; d && i < 5; i++) {
				event_init(&ev, t, t_ns++);
				event_set(&ev, k, d->kind == KEY_STRING ? 1 + i % 3 : borders[i]);
				write_kept(w, &ev);
			}
		}
		event_init(&ev, t, t_ns);
		ev.cpu = INT32_MAX;
		ev.tgid = INT32_MAX;
		ev.comm = 1 + t % 3;
		for (unsigned int k = 0; k < EVENT_KEYS; k++)
			if (event_key(t, k))
				event_set(&ev, k, 1 + (k + t) % 3);
		write_kept(w, &ev);
	}
	event_init(&ev, EV_RA, UINT64_MAX);
	write_kept(w, &ev);
	finish_and_check(w, path);
}

static void test_random_events(void **state)
{
	const char *path = test_path("random");
	struct trace_writer *w = create_trace(path);
	uint64_t random = 42, t_ns = 1000;
	struct event ev;
	struct error e;

	(void)state;
	learn_strings(w);
	for (uint32_t i = 0; i < 60000; i++) {
		t_ns += next_random(&random) % 3000;
		random_event(&random, &ev, t_ns);
		write_kept(w, &ev);
		if (i % 20011 == 7)
			assert_int_equal(trace_flush(w, &e), 0);
	}
	finish_and_check(w, path);
}

/* A block ends at 65,536 events at the latest: three times that many small events. */
static void test_block_limit(void **state)
{
	const char *path = test_path("limit");
	struct trace_writer *w = create_trace(path);
	struct event ev;

	(void)state;
	for (uint32_t i = 0; i < 3 * WIRE_BLOCK_EVENTS; i++) {
		event_init(&ev, i % 3 ? EV_RA : EV_CLOCK, i);
		if (i % 2)
			event_set(&ev, 0, i / 1000 % 2);
		write_kept(w, &ev);
	}
	finish_and_check(w, path);
}

static void check_column(struct column_encoder *enc, struct column_decoder *dec, const uint64_t *v,
			 uint32_t n, int encoding)
{
	struct bytes dir = { 0 }, data = { 0 };
	struct cursor cdir, cdata;
	struct column_entry entry;
	static uint64_t out[WIRE_BLOCK_EVENTS];

	column_encode(enc, &dir, &data, 3, 4, v, n);
	cdir = (struct cursor){ .p = dir.p, .len = dir.len };
	cdata = (struct cursor){ .p = data.p, .len = data.len };
	assert_true(column_parse(&cdir, &cdata, &entry));
	assert_int_equal(cdir.at, dir.len);
	assert_int_equal(cdata.at, data.len);
	assert_int_equal(entry.type, 3);
	assert_int_equal(entry.key, 4);
	if (encoding >= 0)
		assert_int_equal(entry.encoding, encoding);
	assert_int_equal(column_decode(dec, &entry, out, n), 0);
	assert_memory_equal(out, v, n * sizeof(*v));
	/* One value more is not in there, and must not be made up. */
	if (entry.encoding != ENC_CONST && n % 8 == 0 && n < WIRE_BLOCK_EVENTS)
		assert_int_equal(column_decode(dec, &entry, out, n + 8),
				 entry.nplanes && entry.planes[0].mode == PLANE_SAME ? 0
										     : -EBADMSG);
	bytes_free(&dir);
	bytes_free(&data);
}

static void test_encodings(void **state)
{
	struct column_encoder *enc = column_encoder_new();
	struct column_decoder *dec = column_decoder_new();
	static uint64_t v[WIRE_BLOCK_EVENTS];
	uint64_t random = 7;
	static const uint32_t sizes[] = { 1, 2, 7, 8, 23, 24, 255, 256, 1000, 4096, 65536 };

	(void)state;
	assert_non_null(enc);
	assert_non_null(dec);
	for (unsigned int s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint32_t n = sizes[s];

		for (uint32_t i = 0; i < n; i++)
			v[i] = UINT64_MAX - 5;
		check_column(enc, dec, v, n, ENC_CONST);
		for (uint32_t i = 0; i < n; i++)
			v[i] = 1000 + (i % 3 == 1);
		check_column(enc, dec, v, n, n > 1 ? ENC_BITS : ENC_CONST);
		for (uint32_t i = 0; i < n; i++)
			v[i] = next_random(&random) % 200;
		check_column(enc, dec, v, n, n >= 256 ? ENC_PLAIN : -1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = (1ull << 40) + 8ull * i + next_random(&random) % 8;
		check_column(enc, dec, v, n, n >= 256 ? ENC_UP : -1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = (1ull << 40) + 16ull * i - next_random(&random) % 100;
		check_column(enc, dec, v, n, n >= 256 ? ENC_DELTA : -1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = 0x7f0000000000 + 0x1234567 * (next_random(&random) % 9);
		check_column(enc, dec, v, n, n >= 256 ? ENC_DICT : -1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = next_random(&random) >> next_random(&random) % 64;
		check_column(enc, dec, v, n, -1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = i % 2 ? 0 : UINT64_MAX;
		check_column(enc, dec, v, n, -1);
	}
	column_encoder_free(enc);
	column_decoder_free(dec);
}

static void add_section(struct bytes *f, uint16_t kind, uint32_t events, uint64_t first_ns,
			uint64_t last_ns, const struct bytes *payload)
{
	static const uint8_t gap[64];
	size_t start = f->len;

	bytes_put(f, "\x89SWTRC\r\n", 8);
	bytes_u16(f, 1); /* version */
	bytes_u16(f, kind);
	bytes_u32(f, 80); /* length of the head */
	bytes_u64(f, payload->len);
	bytes_u64(f, XXH64(payload->p, payload->len, 0));
	bytes_u64(f, 0); /* number of the block */
	bytes_u64(f, 0); /* events before it */
	bytes_u64(f, first_ns);
	bytes_u64(f, last_ns);
	bytes_u32(f, events);
	bytes_u32(f, 0);
	bytes_u64(f, XXH64(f->p + start, 72, 0));
	bytes_put(f, payload->p, payload->len);
	bytes_put(f, gap, sizeof(gap));
}

static void put_bytes(struct bytes *b, const char *hex)
{
	for (; *hex; hex += 2) {
		unsigned int v;

		assert_int_equal(sscanf(hex, "%2x", &v), 1);
		bytes_u8(b, (uint8_t)v);
	}
}

/*
 * A file put together from the man page, not by the writer: two RA events with ret=8 and ret=2, at
 * 1000 and 1300 ns, cpu 3, tgid unknown, comm "sh"; 5 events lost on CPU 1; no footer.
 */
static void test_file_by_hand(void **state)
{
	const char *path = test_path("hand");
	struct bytes file = { 0 }, payload = { 0 }, directory = { 0 }, data = { 0 };
	struct trace_reader *r;
	struct event ev;
	struct error e;

	(void)state;
	bytes_put(&payload, "# swaptrace 1\n# release=6.1.0 byte_order=big\n", 45);
	add_section(&file, 1, 0, 0, 0, &payload);
	payload.len = 0;
	put_bytes(&directory, "ff00000001"); /* types: const 1 = RA */
	put_bytes(&directory, "ff010601e807"
			      "0204");	     /* times: varint from 1000, 4 raw bytes */
	put_bytes(&directory, "ff02000004"); /* cpus: const 4, that is CPU 3 */
	put_bytes(&directory, "ff03000000"); /* tgids: const 0, unknown */
	put_bytes(&directory, "ff04000001"); /* comms: const, string 1 */
	put_bytes(&directory, "01fe000010"); /* RA: only key 4, ret */
	put_bytes(&directory, "0104010100"
			      "0202"); /* RA ret: plain, base 0, 2 raw bytes */
	put_bytes(&data, "00d804");    /* +0, zigzag(300) = 600 = d8 04 */
	directory.p[12] = 3;	       /* so it is 3 raw bytes */
	put_bytes(&data, "0802");
	put_bytes(&payload, "010105");	 /* one loss: CPU 1, 5 events */
	put_bytes(&payload, "01027368"); /* one string: "sh" */
	bytes_varint(&payload, 7);	 /* columns */
	bytes_varint(&payload, directory.len);
	bytes_put(&payload, directory.p, directory.len);
	bytes_put(&payload, data.p, data.len);
	add_section(&file, 2, 2, 1000, 1300, &payload);
	put_file(path, file.p, file.len);

	assert_int_equal(trace_open(&r, path, &e), 0);
	assert_string_equal(trace_header_get(trace_get_header(r), "release"), "6.1.0");
	assert_string_equal(trace_header_get(trace_get_header(r), "byte_order"), "big");
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(trace_next(r, &ev, &e), 1);
		assert_int_equal(ev.type, EV_RA);
		assert_int_equal(ev.t_ns, i ? 1300 : 1000);
		assert_int_equal(ev.cpu, 3);
		assert_int_equal(ev.tgid, -1);
		assert_int_equal(ev.have, 1u << RA_RET);
		assert_int_equal(ev.v[RA_RET], i ? 2 : 8);
		assert_string_equal(trace_string(r, ev.comm, NULL), "sh");
	}
	assert_int_equal(trace_next(r, &ev, &e), 0);
	assert_true(trace_get_stats(r)->truncated);
	assert_int_equal(trace_get_stats(r)->lost, 5);
	assert_int_equal(trace_get_stats(r)->damaged_bytes, 0);
	trace_close(r);
	unlink(path);
	bytes_free(&file);
	bytes_free(&payload);
	bytes_free(&directory);
	bytes_free(&data);
}

/* Case 63: a later version is refused in clear words, in whichever copy of the header it stands. */
static void test_newer_version(void **state)
{
	const char *path = test_path("newer");
	struct trace_writer *w = create_trace(path);
	struct trace_reader *r;
	struct error e;
	uint8_t *p;
	size_t n;

	(void)state;
	assert_int_equal(trace_finish(w, NULL, &e), 0);
	p = get_file(path, &n);
	for (size_t i = 0; i + WIRE_HEAD < n; i++) {
		if (memcmp(p + i, "\x89SWTRC\r\n", 8))
			continue;
		p[i + 8] = 250;
		store_u64(p + i + 72, XXH64(p + i, 72, 0));
	}
	put_file(path, p, n);
	assert_int_equal(trace_open(&r, path, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "newer version (250)"));
	/* The first copy damaged: the second one says the same. */
	p[3] ^= 1;
	put_file(path, p, n);
	assert_int_equal(trace_open(&r, path, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "newer version (250)"));
	unlink(path);
	free(p);
}

/* Numbers of a head lie in the file low byte first, whatever this machine does. */
static void test_byte_order(void **state)
{
	struct section s = { .kind = SECTION_BLOCK,
			     .number = 0x0102030405060708,
			     .events = 0x0a0b };
	static const uint8_t want[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	uint8_t head[WIRE_HEAD];

	(void)state;
	s.payload_len = 3;
	section_encode(head, &s, "abc");
	assert_memory_equal(head, "\x89SWTRC\r\n\x01\x00\x02\x00\x50\x00\x00\x00\x03\x00", 18);
	assert_memory_equal(head + 32, want, 8);
	assert_memory_equal(head + 64, "\x0b\x0a\x00\x00", 4);
	/* XXH64 of "abc" with seed 0 is 44bc2cf5ad770999 (published test value). */
	assert_memory_equal(head + 24, "\x99\x09\x77\xad\xf5\x2c\xbc\x44", 8);
}

static void test_order_and_nonsense_refused(void **state)
{
	const char *path = test_path("order");
	struct trace_writer *w = create_trace(path);
	struct event ev;
	struct error e;

	(void)state;
	event_init(&ev, EV_RA, 100);
	write_kept(w, &ev);
	ev.t_ns = 99;
	assert_int_equal(trace_write(w, &ev, &e), -EINVAL);
	ev.t_ns = 100;
	ev.type = EV_NR;
	assert_int_equal(trace_write(w, &ev, &e), -EINVAL);
	ev.type = EV_RA;
	ev.cpu = -2;
	assert_int_equal(trace_write(w, &ev, &e), -EINVAL);
	/* A refusal changes nothing; bits without a key are dropped. */
	event_init(&ev, EV_RA, 100);
	ev.have = UINT32_MAX;
	assert_int_equal(trace_write(w, &ev, &e), 0);
	ev.have = 0;
	for (unsigned int k = 0; k < EVENT_KEYS; k++)
		if (event_key(EV_RA, k))
			ev.have |= 1u << k;
	keep(&ev);
	finish_and_check(w, path);
}

static void test_loss_and_closing(void **state)
{
	const char *path = test_path("loss");
	struct trace_writer *w = create_trace(path);
	struct trace_header *closing = trace_header_new();
	struct trace_reader *r;
	struct event ev;
	struct error e;
	size_t from = 0;
	unsigned int cpu = 0;

	(void)state;
	event_init(&ev, EV_RA, 5);
	assert_int_equal(trace_write(w, &ev, &e), 0);
	trace_write_lost(w, 3, 7);
	assert_int_equal(trace_flush(w, &e), 0);
	trace_write_lost(w, 3, 2);
	trace_write_lost(w, 0, 1);
	assert_int_equal(trace_flush(w, &e), 0); /* a block of losses alone */
	assert_int_equal(trace_header_add_line(closing, "stop=signal", NULL), 0);
	assert_int_equal(trace_header_add_line(closing, "probe event=RA hits=8", NULL), 0);
	assert_int_equal(trace_finish(w, closing, &e), 0);
	trace_header_free(closing);

	assert_int_equal(trace_open(&r, path, &e), 0);
	assert_string_equal(trace_header_get(trace_get_header(r), "stop"), "signal");
	assert_string_equal(trace_header_next_directive(trace_get_header(r), "loss", &from),
			    "cpu=0 n=1");
	assert_string_equal(trace_header_next_directive(trace_get_header(r), "loss", &from),
			    "cpu=3 n=9");
	assert_int_equal(trace_get_stats(r)->lost, 10); /* 7 + 2 + 1, known before reading */
	assert_int_equal(trace_next(r, &ev, &e), 1);
	assert_int_equal(trace_next(r, &ev, &e), 0);
	assert_int_equal(trace_get_stats(r)->lost, 10); /* not counted twice */
	assert_int_equal(trace_get_lost(r, &cpu), 1);
	assert_int_equal(cpu, 0);
	cpu++;
	assert_int_equal(trace_get_lost(r, &cpu), 9);
	assert_int_equal(cpu, 3);
	trace_close(r);
	unlink(path);
}

/* Case 64: when the disk is full the file ends with its last whole block, and the error says where.
 */
static void test_disk_full(void **state)
{
	const char *path = test_path("full");
	struct rlimit old, limit = { .rlim_cur = 64 << 10, .rlim_max = RLIM_INFINITY };
	struct trace_writer *w = create_trace(path);
	uint64_t random = 3, t_ns = 0, events = 0, bytes, got = 0;
	struct trace_reader *r;
	struct event ev;
	struct error e = { 0 };
	struct stat st;
	char text[64];
	int ret = 0;

	(void)state;
	learn_strings(w);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (uint32_t i = 0; !ret && i < 1000000; i++) {
		random_event(&random, &ev, t_ns++);
		ret = trace_write(w, &ev, &e);
		if (!ret && i % 100 == 99)
			ret = trace_flush(w, &e);
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(ret, -EFBIG);
	bytes = trace_written(w, &events);
	assert_true(events > 0);
	snprintf(text, sizeof(text), "%llu bytes and %llu events", (unsigned long long)bytes,
		 (unsigned long long)events);
	assert_non_null(strstr(e.text, text));
	assert_int_equal(trace_write(w, &ev, &e), -EFBIG); /* it sticks */
	assert_int_equal(trace_finish(w, NULL, &e), -EFBIG);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, bytes);
	assert_int_equal(trace_open(&r, path, &e), 0);
	while (trace_next(r, &ev, &e) > 0)
		got++;
	assert_int_equal(got, events);
	assert_true(trace_get_stats(r)->truncated);
	assert_int_equal(trace_get_stats(r)->damaged_bytes, 0);
	trace_close(r);
	unlink(path);
}

/* An existing trace stays until its replacement is whole. */
static void test_replace(void **state)
{
	const char *path = test_path("replace");
	struct trace_header *h = small_header();
	struct trace_writer *w;
	struct trace_reader *r;
	struct error e;
	struct event ev;

	(void)state;
	w = create_trace(path);
	event_init(&ev, EV_RA, 1);
	assert_int_equal(trace_write(w, &ev, &e), 0);
	assert_int_equal(trace_finish(w, NULL, &e), 0);

	assert_int_equal(trace_create(&w, path, h, &e), 0);
	trace_abandon(w);
	assert_int_equal(trace_open(&r, path, &e), 0);
	assert_int_equal(trace_next(r, &ev, &e), 1);
	trace_close(r);

	assert_int_equal(trace_create(&w, path, h, &e), 0);
	assert_int_equal(trace_open(&r, path, &e), 0);
	assert_int_equal(trace_next(r, &ev, &e), 1);
	trace_close(r);
	assert_int_equal(trace_finish(w, NULL, &e), 0);
	assert_int_equal(trace_open(&r, path, &e), 0);
	assert_int_equal(trace_next(r, &ev, &e), 0);
	trace_close(r);
	trace_header_free(h);
	unlink(path);
}

/* Blocks of 10 events a microsecond apart: seeking may start early, never late. */
static void test_seek(void **state)
{
	const char *path = test_path("seek");
	struct trace_writer *w = create_trace(path);
	struct trace_reader *r;
	struct event ev;
	struct error e;

	(void)state;
	for (uint32_t i = 0; i < 50000; i++) {
		event_init(&ev, EV_RA, 1000ull * i);
		assert_int_equal(trace_write(w, &ev, &e), 0);
		if (i % 10 == 9) /* 5,000 blocks: more than the index has entries */
			assert_int_equal(trace_flush(w, &e), 0);
	}
	assert_int_equal(trace_finish(w, NULL, &e), 0);
	assert_int_equal(trace_open(&r, path, &e), 0);
	for (uint64_t t_ns = 0; t_ns < 50000000; t_ns += 333333) {
		assert_int_equal(trace_seek(r, t_ns, &e), 0);
		assert_int_equal(trace_next(r, &ev, &e), 1);
		assert_true(ev.t_ns <= t_ns);
		assert_true(ev.t_ns + 40000 >= t_ns); /* an index entry is at most 2 blocks away */
	}
	assert_int_equal(trace_seek(r, UINT64_MAX, &e), 0);
	while (trace_next(r, &ev, &e) > 0)
		;
	assert_int_equal(ev.t_ns, 49999000);
	assert_int_equal(trace_get_stats(r)->damaged_blocks, 0);
	trace_close(r);
	unlink(path);
}

static void test_no_trace(void **state)
{
	const char *path = test_path("none");
	struct trace_reader *r;
	struct error e;
	uint8_t noise[4096];
	uint64_t random = 9;

	(void)state;
	assert_int_equal(trace_open(&r, path, &e), -ENOENT);
	put_file(path, "", 0);
	assert_int_equal(trace_open(&r, path, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "is empty"));
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)next_random(&random);
	put_file(path, noise, sizeof(noise));
	assert_int_equal(trace_open(&r, path, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "not a swaptrace trace"));
	unlink(path);
	assert_int_equal(trace_open(&r, "/", &e), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key),
		cmocka_unit_test(test_random_events),
		cmocka_unit_test(test_block_limit),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_file_by_hand),
		cmocka_unit_test(test_newer_version),
		cmocka_unit_test(test_byte_order),
		cmocka_unit_test(test_order_and_nonsense_refused),
		cmocka_unit_test(test_loss_and_closing),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
