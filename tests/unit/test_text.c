// SPDX-License-Identifier: GPL-2.0
/*
 * Text notation. Expected lines follow from "Text notation" in swaptrace.data(5); the bytes of
 * test_hostile_comms() are those of case 59.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/trace_tools.h"
#include "traces/number.h"

#define MAGIC "# swaptrace text 1\n"

static struct trace_stats stats;
static struct error error;

static int import_bytes(const char *text, size_t len, const char *out)
{
	const char *in = test_path("text");
	FILE *f;
	int ret;

	put_file(in, text, len);
	f = fopen(in, "r");
	assert_non_null(f);
	ret = trace_import_text(f, "text", out, &stats, &error);
	fclose(f);
	unlink(in);
	return ret;
}

/* The whole dump of a trace; freed by the caller. */
static char *dump(const char *path)
{
	struct trace_reader *r;
	struct event ev;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(trace_open(&r, path, &error), 0);
	assert_int_equal(trace_print_header(f, trace_get_header(r)), 0);
	while (trace_next(r, &ev, &error) > 0)
		assert_int_equal(trace_print_event(f, r, &ev), 0);
	assert_int_equal(fclose(f), 0);
	trace_close(r);
	return text;
}

/* Import @in, expect the dump @want, and expect the dump of the dump to be the same. */
static void check(const char *in, const char *want)
{
	const char *path = test_path("trace");
	struct trace_stats first;
	char *text, *again;

	assert_int_equal(import_bytes(in, strlen(in), path), 0);
	first = stats;
	text = dump(path);
	assert_string_equal(text, want);
	assert_int_equal(import_bytes(text, strlen(text), path), 0);
	assert_int_equal(stats.bad_lines + stats.unknown_events + stats.unknown_keys, 0);
	assert_false(stats.unsorted);
	again = dump(path);
	assert_string_equal(again, text);
	free(text);
	free(again);
	unlink(path);
	stats = first;
}

static void check_one(const char *in, const char *want)
{
	char a[4096], b[4096];

	snprintf(a, sizeof(a), MAGIC "1 0 2 c %s\n", in);
	snprintf(b, sizeof(b), MAGIC "1 0 2 c %s\n", want);
	check(a, b);
}

static void test_escape(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *text;
	} rows[] = {
		{ "", 0, "\\x" },
		{ "-", 1, "\\x2d" },
		{ "--", 2, "--" },
		{ "a-b", 3, "a-b" },
		{ " ", 1, "\\x20" },
		{ "!~", 2, "!~" },
		{ "\x7f\x80\xff", 3, "\\x7f\\x80\\xff" },
		{ "\\", 1, "\\x5c" },
		{ "\\x41", 4, "\\x5cx41" },
		{ "a\0b", 3, "a\\x00b" },
		{ "\xc3\xa4", 2, "\\xc3\\xa4" },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = escape_bytes(rows[i].bytes, rows[i].len, out, sizeof(out));

		assert_string_equal(out, rows[i].text);
		assert_int_equal(len, strlen(rows[i].text));
		len = unescape_bytes(rows[i].text, strlen(rows[i].text), out, sizeof(out));
		assert_int_equal(len, rows[i].len);
		assert_memory_equal(out, rows[i].bytes, len);
	}
	assert_int_equal(unescape_bytes("\\x4", 3, out, sizeof(out)), (size_t)-1);
	assert_int_equal(unescape_bytes("\\xg0", 4, out, sizeof(out)), (size_t)-1);
	assert_int_equal(unescape_bytes("\\n", 2, out, sizeof(out)), (size_t)-1);
	assert_int_equal(unescape_bytes("a\\x", 3, out, sizeof(out)), (size_t)-1);
	assert_int_equal(unescape_bytes("\\", 1, out, sizeof(out)), (size_t)-1);
	assert_int_equal(unescape_bytes("abcdef", 6, out, 6), (size_t)-1);
	/* Capital digits are read, small ones are written. */
	assert_int_equal(unescape_bytes("\\xAB", 4, out, sizeof(out)), 1);
	assert_int_equal((unsigned char)out[0], 0xab);
}

static void test_hostile_comms(void **state)
{
	static const struct {
		const char *bytes, *text;
	} rows[] = {
		{ "\xe4"
		  "bc",
		  "\\xe4bc" },
		{ "\x1b[31mx", "\\x1b[31mx" },
		{ "a\"\\b", "a\"\\x5cb" },
		{ "a\nb", "a\\x0ab" },
		{ "\xf0\x9f\x90", "\\xf0\\x9f\\x90" },
		{ "", "\\x" },
		{ "--help", "--help" },
		{ "a'; system(\"id\") #", "a';\\x20system(\"id\")\\x20#" },
	};
	const char *path = test_path("comms");
	struct trace_writer *w = create_trace(path);
	struct event ev;
	char *text, line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		event_init(&ev, EV_RA, i);
		ev.comm = trace_write_string(w, rows[i].bytes, strlen(rows[i].bytes));
		assert_int_equal(trace_write(w, &ev, &error), 0);
	}
	assert_int_equal(trace_finish(w, NULL, &error), 0);
	text = dump(path);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(line, sizeof(line), "\n%zu - - %s RA\n", i, rows[i].text);
		assert_non_null(strstr(text, line));
	}
	for (char *p = text; *p; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
	free(text);
	unlink(path);
}

static void test_values(void **state)
{
	(void)state;
	check_one("LOOKUP off=0x10", "LOOKUP off=16");
	check_one("LOOKUP addr=7f00", "LOOKUP addr=0x7f00");
	check_one("LOOKUP addr=0X7F00", "LOOKUP addr=0x7f00");
	check_one("LOOKUP addr=0", "LOOKUP addr=0x0");
	check_one("LOOKUP off=18446744073709551615", "LOOKUP off=18446744073709551615");
	check_one("LOOKUP cause=shmem type=1", "LOOKUP type=1 cause=shmem");
	check_one("SWAPON prio=-32768", "SWAPON prio=-32768");
	check_one("SWAPOFF op=end ret=-9223372036854775808",
		  "SWAPOFF op=end ret=-9223372036854775808");
	check_one("SWAPON flags=ssd,blkdev,discard", "SWAPON flags=ssd,blkdev,discard");
	check_one("SWAPON flags=", "SWAPON flags=none");
	check_one("SWAPON flags=none", "SWAPON flags=none");
	check_one("SWAPON flags=file,0x100", "SWAPON flags=file,0x100");
	check_one("SWAPON name=/dev/a\\x20b", "SWAPON name=/dev/a\\x20b");
	check_one("DRAIN cpu=3 tid=7 seq=9 self=1 filtered=1 add=5 site=lru_add_drain",
		  "DRAIN site=lru_add_drain add=5 cpu=3 tid=7 seq=9 self=1 filtered=1");
	/* The place of a window is written as its mode has it, and read in either form. */
	check_one("RA mode=vma start=4096 end=0x3000", "RA mode=vma start=0x1000 end=0x3000");
	check_one("RA mode=cluster start=0x10 end=32", "RA mode=cluster start=16 end=32");
	check_one("RA start=8 end=16", "RA start=8 end=16");
	check_one("RA\tret=8   hits=1\t", "RA ret=8 hits=1");
	check_one("RA ret=1 ret=2", "RA ret=2");
}

static void check_bad_value(const char *word)
{
	char in[256];

	snprintf(in, sizeof(in), "RA hits=5 %s last=6", word);
	check_one(in, "RA hits=5 last=6");
	assert_int_equal(stats.unknown_keys, 1);
	assert_int_equal(stats.bad_lines, 0);
}

static void test_bad_values(void **state)
{
	(void)state;
	check_bad_value("ret=18446744073709551616");
	assert_string_equal(stats.unknown_names, "ret=18446744073709551616");
	check_bad_value("ret=-1");
	check_bad_value("ret=");
	check_bad_value("ret=8x");
	check_bad_value("ret=0x");
	check_bad_value("addr=0x10000000000000000");
	check_bad_value("addr=-1");
	check_bad_value("mode=readahead");
	assert_string_equal(stats.unknown_names, "mode=readahead");
	check_bad_value("mode=");
	check_bad_value("nokey");
	check_bad_value("=5");
	check_bad_value("window=5");
	assert_string_equal(stats.unknown_names, "window");
	check_one("SWAPON prio=9223372036854775808", "SWAPON");
	assert_int_equal(stats.unknown_keys, 1);
	check_one("SWAPON flags=ssd,floppy", "SWAPON");
	check_one("SWAPON name=\\x4", "SWAPON");
	assert_int_equal(stats.unknown_keys, 1);
}

static void test_unknown_named_once(void **state)
{
	(void)state;
	check(MAGIC "1 0 1 c RA ret=1 depth=3\n"
		    "2 0 1 c FUTURE a=1\n"
		    "3 0 1 c RA depth=4 ret=2\n"
		    "4 0 1 c FUTURE a=1 depth=3\n",
	      MAGIC "1 0 1 c RA ret=1\n3 0 1 c RA ret=2\n");
	assert_int_equal(stats.unknown_keys, 2);
	assert_int_equal(stats.unknown_events, 2);
	assert_string_equal(stats.unknown_names, "depth, FUTURE");
}

static void test_bad_lines(void **state)
{
	(void)state;
	check(MAGIC "1 0 1 c RA ret=1\n"
		    "soon 0 1 c RA ret=1\n"
		    "2 0 1 c\n"
		    "2 x 1 c RA\n"
		    "2 0 -1 c RA\n"
		    "2 0 2147483648 c RA\n"
		    "2 0 1 a\\xzz RA\n"
		    "0x2 0 1 c RA\n"
		    "18446744073709551616 0 1 c RA\n"
		    "\n"
		    "   \n"
		    "3 - - - RA ret=2\n"
		    "4 0 1 c RA ret=3",
	      MAGIC "1 0 1 c RA ret=1\n3 - - - RA ret=2\n4 0 1 c RA ret=3\n");
	assert_int_equal(stats.bad_lines, 8);
	assert_int_equal(stats.bad_line, 3);
	assert_string_equal(stats.bad_line_why, "the time is not a number of ns");
}

/* A NUL and a line of 100 KB cost their lines only. */
static void test_binary_lines(void **state)
{
	static const char head[] = MAGIC "1 0 1 c RA\n2 0 1 a\0b RA\n3 0 1 ";
	static const char tail[] = " RA\n4 0 1 c RA\n";
	const char *path = test_path("trace");
	size_t n = sizeof(head) - 1;
	char *in = malloc(200000), *text;

	(void)state;
	memcpy(in, head, n);
	memset(in + n, 'x', 100000);
	n += 100000;
	memcpy(in + n, tail, sizeof(tail) - 1);
	n += sizeof(tail) - 1;
	assert_int_equal(import_bytes(in, n, path), 0);
	text = dump(path);
	assert_string_equal(text, MAGIC "1 0 1 c RA\n4 0 1 c RA\n");
	assert_int_equal(stats.bad_lines, 2);
	assert_int_equal(stats.bad_line, 3);
	free(text);
	free(in);
	unlink(path);
}

static void test_header_lines(void **state)
{
	(void)state;
	check(MAGIC "# release=6.12.117   arch=x86_64\n"
		    "#page_size=4096 thp_64kB=always\n"
		    "# a comment with a=b in it\n"
		    "# device type=1 pages=100 prio=5\n"
		    "# device type=0 flags=ssd name=/dev/a\n"
		    "# device type=1 pages=200\n"
		    "# note two words,  and a \033 byte\t \n"
		    "# release=6.1\n"
		    "1 0 1 c RA\n"
		    "# cpus=4\n"
		    "# loss cpu=0 n=3\n"
		    "# also forgotten\n",
	      MAGIC "# release=6.1 arch=x86_64 page_size=4096 thp_64kB=always\n"
		    "# device type=1 pages=200\n"
		    "# device type=0 flags=ssd name=/dev/a\n"
		    "# note two words,  and a \\x1b byte\n"
		    "# loss cpu=0 n=3\n"
		    "1 0 1 c RA\n");
	assert_int_equal(stats.unknown_facts, 0);
}

static void test_misspelt_header(void **state)
{
	(void)state;
	check(MAGIC "# page_clustr=3 colour=red\n", MAGIC "# page_clustr=3 colour=red\n");
	assert_int_equal(stats.unknown_facts, 2);
	assert_string_equal(stats.unknown_fact_names, "page_clustr (page_cluster?), colour");
	/* First words near a directive, with facts behind them; prose and other words are comments.
	 */
	check(MAGIC "# devcie type=0 pages=9\n"
		    "# device type=1 pages=9\n"
		    "# notes that say a=b\n"
		    "# elsewhere pages=7\n"
		    "1 0 1 c RA\n"
		    "# los cpu=0 n=3\n",
	      MAGIC "# device type=1 pages=9\n"
		    "1 0 1 c RA\n");
	assert_int_equal(stats.unknown_facts, 2);
	assert_string_equal(stats.unknown_fact_names, "devcie (device?), los (loss?)");
	assert_true(header_key_known("thp_2048kB"));
	assert_false(header_key_known("thp_kB"));
	assert_false(header_key_known("thp_64MB"));
	assert_string_equal(header_key_nearest("relase"), "release");
	assert_null(header_key_nearest("temperature"));
}

static void test_header_functions(void **state)
{
	struct trace_header *h = trace_header_new(), *copy;
	struct trace_device d = { .type = 3,
				  .have_pages = true,
				  .pages = 77,
				  .have_prio = true,
				  .prio = -2,
				  .have_flags = true,
				  .flags = DEVICE_SSD | DEVICE_FILE };
	const struct trace_device *got;
	unsigned int n;
	uint64_t v;
	char word[32];

	(void)state;
	strcpy(d.name, "/swap file");
	assert_int_equal(trace_header_add_device(h, &d), 0);
	assert_int_equal(trace_header_set(h, "release", "6 \\x"), 0);
	assert_int_equal(trace_header_set_u64(h, "cpus", UINT64_MAX), 0);
	assert_int_equal(trace_header_set(h, "two words", "1"), -EINVAL);
	assert_int_equal(trace_header_set(h, "", "1"), -EINVAL);
	assert_int_equal(trace_header_add_line(h, "not a header line", NULL), -EINVAL);
	assert_int_equal(trace_header_add_line(h, "", NULL), -EINVAL);
	assert_int_equal(trace_header_add_line(h, "=5", NULL), -EINVAL);
	copy = trace_header_clone(h);
	trace_header_free(h);
	assert_string_equal(trace_header_line(copy, 0),
			    "release=6\\x20\\x5cx cpus=18446744073709551615");
	assert_string_equal(trace_header_line(copy, 1),
			    "device type=3 pages=77 prio=-2 flags=ssd,file name=/swap\\x20file");
	assert_null(trace_header_line(copy, 2));
	assert_true(trace_header_u64(copy, "cpus", &v));
	assert_true(v == UINT64_MAX);
	assert_false(trace_header_u64(copy, "release", &v));
	assert_false(trace_header_u64(copy, "arch", &v));
	assert_null(trace_header_get(copy, "arch"));
	got = trace_header_devices(copy, &n);
	assert_int_equal(n, 1);
	assert_string_equal(got->name, "/swap file");
	assert_int_equal(got->pages, 77);
	assert_int_equal(got->prio, -2);
	assert_int_equal(got->flags, DEVICE_SSD | DEVICE_FILE);
	trace_header_free(copy);
	assert_true(trace_line_get("event=RA symbol=x\\x20y", "symbol", word, sizeof(word)));
	assert_string_equal(word, "x y");
	assert_false(trace_line_get("event=RA", "even", word, sizeof(word)));
	assert_false(trace_line_u64("hits=1x", "hits", &v));
}

/* Unsorted lines are sorted, those of one time keep the order of lines whatever their seq is. */
static void test_sorting(void **state)
{
	(void)state;
	check(MAGIC "5 0 1 c RA ret=1\n"
		    "3 0 1 c RA ret=2 seq=9\n"
		    "3 0 1 c RA ret=3\n"
		    "3 0 1 c RA ret=4 seq=1\n"
		    "1 0 1 c RA ret=5\n"
		    "18446744073709551615 0 1 c RA ret=6\n"
		    "18446744073709551615 0 1 c RA ret=7\n",
	      MAGIC "1 0 1 c RA ret=5\n"
		    "3 0 1 c RA ret=2 seq=9\n"
		    "3 0 1 c RA ret=3\n"
		    "3 0 1 c RA ret=4 seq=1\n"
		    "5 0 1 c RA ret=1\n"
		    "18446744073709551615 0 1 c RA ret=6\n"
		    "18446744073709551615 0 1 c RA ret=7\n");
	assert_true(stats.unsorted);
	check(MAGIC "3 0 1 c RA seq=9\n3 0 1 c RA seq=1\n",
	      MAGIC "3 0 1 c RA seq=9\n3 0 1 c RA seq=1\n");
	assert_false(stats.unsorted);
}

static void test_line_ends(void **state)
{
	(void)state;
	check("# swaptrace text 1\r\n# release=6.1\r\n1 0 1 c RA ret=2\r\n2 0 1 c RA\r\n",
	      MAGIC "# release=6.1\n1 0 1 c RA ret=2\n2 0 1 c RA\n");
	assert_int_equal(stats.unknown_keys, 0);
	check(MAGIC, MAGIC);
}

static void test_not_text(void **state)
{
	static const char *const bad[] = { "",
					   "\n",
					   "1 0 1 c RA\n",
					   "# swaptrace\n",
					   "# swaptrace text\n",
					   "# swaptrace text x\n" };
	const char *path = test_path("trace");

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(import_bytes(bad[i], strlen(bad[i]), path), -EBADMSG);
	assert_int_equal(import_bytes("# swaptrace text 250\n", 21, path), -EBADMSG);
	assert_non_null(strstr(error.text, "newer version (250)"));
	assert_int_equal(access(path, F_OK), -1);
}

/* Case 17: a swapoff that never ended, and what came after it. */
static void test_swapoff_without_end(void **state)
{
	const char *in = test_path("case17");
	struct trace_reader *r;
	struct event ev;
	unsigned int lookups = 0, begins = 0;
	FILE *f = fopen(in, "w");

	(void)state;
	fprintf(f, MAGIC "2000000000 0 50 swapoff SWAPOFF op=begin type=1\n");
	for (unsigned int i = 0; i < 300; i++)
		fprintf(f, "%u 0 50 swapoff LOOKUP type=1 off=%u cause=swapoff\n",
			2000000000 + 24000000 * i, i + 1);
	fprintf(f, "30000000000 1 60 cc LOOKUP type=0 off=9 cause=fault\n");
	fclose(f);
	/* trace_open() takes text as it is. */
	assert_int_equal(trace_open(&r, in, &error), 0);
	while (trace_next(r, &ev, &error) > 0) {
		begins += ev.type == EV_SWAPOFF && ev.v[SWAPOFF_OP] == SWAPOFF_BEGIN;
		lookups += ev.type == EV_LOOKUP && ev.v[LOOKUP_CAUSE] == LOOKUP_SWAPOFF;
		if (ev.type == EV_SWAPOFF)
			assert_int_equal(ev.have, 1u << SWAPOFF_OP | 1u << SWAPOFF_TYPE);
	}
	assert_int_equal(begins, 1);
	assert_int_equal(lookups, 300);
	assert_int_equal(ev.t_ns, 30000000000);
	assert_false(trace_get_stats(r)->truncated);
	trace_close(r);
	unlink(in);
}

/* Random events of every type: what is dumped is imported to the same events and the same text. */
static void test_random_identity(void **state)
{
	const char *first = test_path("first"), *second = test_path("second");
	struct trace_writer *w = create_trace(first);
	struct trace_reader *r;
	uint64_t random = 2024, t_ns = 0;
	static struct event events[5000];
	struct event got;
	char *text, *again;

	(void)state;
	learn_strings(w);
	for (unsigned int i = 0; i < 5000; i++) {
		t_ns += next_random(&random) % 3;
		random_event(&random, &events[i], t_ns);
		assert_int_equal(trace_write(w, &events[i], &error), 0);
	}
	assert_int_equal(trace_finish(w, NULL, &error), 0);
	text = dump(first);
	assert_int_equal(import_bytes(text, strlen(text), second), 0);
	assert_int_equal(stats.bad_lines + stats.unknown_events + stats.unknown_keys, 0);
	assert_int_equal(stats.events, 5000);
	again = dump(second);
	assert_string_equal(again, text);
	assert_int_equal(trace_open(&r, second, &error), 0);
	for (unsigned int i = 0; i < 5000; i++) {
		assert_int_equal(trace_next(r, &got, &error), 1);
		assert_same_event(r, &got, &events[i]);
	}
	trace_close(r);
	free(text);
	free(again);
	unlink(first);
	unlink(second);
}

static void test_numbers(void **state)
{
	uint64_t v;
	int64_t i;
	char text[32];

	(void)state;
	assert_true(number_u64("0x10", 4, &v) && v == 16);
	assert_true(number_u64("010", 3, &v) && v == 10); /* no octal */
	assert_false(number_u64("", 0, &v));
	assert_false(number_u64("+1", 2, &v));
	assert_false(number_u64(" 1", 2, &v));
	assert_false(number_decimal("0x10", 4, &v));
	assert_true(number_hex("ffffffffffffffff", 16, &v) && v == UINT64_MAX);
	assert_false(number_hex("10000000000000000", 17, &v));
	assert_true(number_i64("-9223372036854775808", 20, &i) && i == INT64_MIN);
	assert_false(number_i64("-9223372036854775809", 20, &i));
	assert_true(number_i64("9223372036854775807", 19, &i) && i == INT64_MAX);
	assert_false(number_i64("9223372036854775808", 19, &i));
	text[number_put_u64(text, UINT64_MAX)] = '\0';
	assert_string_equal(text, "18446744073709551615");
	text[number_put_hex(text, 0x10)] = '\0';
	assert_string_equal(text, "0x10");
	text[number_put_hex(text, UINT64_MAX)] = '\0';
	assert_string_equal(text, "0xffffffffffffffff");
}

/* Whether the manual page has a line that begins with ".B NAME" (and "=" or the end). */
static bool in_manual(const char *page, const char *name)
{
	char line[128];
	const char *p = page;
	size_t len = (size_t)snprintf(line, sizeof(line), "\n.B %s", name);

	while ((p = strstr(p, line))) {
		p += len;
		if (*p == '\n' || *p == '=')
			return true;
	}
	return false;
}

/* swaptrace.data(5) is the contract: every event, key, name and fact stands in it. */
static void test_manual_is_complete(void **state)
{
	const char *path = "docs/man/swaptrace.data.5";
	size_t len;
	char *page;

	(void)state;
	if (access(path, R_OK))
		skip(); /* not run at the top of the sources */
	page = (char *)get_file(path, &len);
	for (const struct header_key *k = header_keys; k->name; k++)
		if (!in_manual(page, k->name))
			fail_msg("fact %s is not documented", k->name);
	for (unsigned int t = 0; t < EV_NR; t++) {
		if (!in_manual(page, event_table[t].name))
			fail_msg("event %s is not documented", event_table[t].name);
		for (unsigned int k = 0; k < EVENT_KEYS; k++) {
			const struct key_desc *d = event_key(t, k);

			if (d && !in_manual(page, d->name))
				fail_msg("key %s is not documented", d->name);
			for (unsigned int i = 0; d && d->names && d->names[i]; i++)
				if (!strstr(page, d->names[i]))
					fail_msg("%s=%s is not documented", d->name, d->names[i]);
		}
	}
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_hostile_comms),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_unknown_named_once),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_binary_lines),
		cmocka_unit_test(test_header_lines),
		cmocka_unit_test(test_misspelt_header),
		cmocka_unit_test(test_header_functions),
		cmocka_unit_test(test_sorting),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_not_text),
		cmocka_unit_test(test_swapoff_without_end),
		cmocka_unit_test(test_random_identity),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_manual_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
