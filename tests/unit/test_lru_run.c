// SPDX-License-Identifier: GPL-2.0
/*
 * Drain policies on their way through a trace. The vectors of the real kernel code are turned into
 * the text notation, with the drains and flushes they list as the recorded decisions; the other
 * traces are small enough to be followed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <zstd.h>

#include "analyze/result_json.h"
#include "replay/engine.h"
#include "replay/lru/run.h"
#include "tests/unit/trace_tools.h"

#define HEADER "# swaptrace text 1\n"
#define MAX_POLICIES 3

/* --- tools --------------------------------------------------------------------------------- */

struct outcome {
	struct replay_result results[MAX_POLICIES];
	unsigned int n;
	int ret;
	struct error e;
};

/* Replays @path under the recorded policy and @specs (NULL-terminated). */
static void replay_file(const char *path, const char *const *specs, bool verify, struct outcome *o)
{
	struct policy policies[MAX_POLICIES];
	struct replay_options options = { .policies = policies, .npolicies = 1, .verify = verify };
	struct trace_reader *r;
	struct kernel k;

	memset(o, 0, sizeof(*o));
	assert_int_equal(trace_open(&r, path, &o->e), 0);
	assert_int_equal(kernel_recorded(&k, trace_get_header(r), &o->e), 0);
	policy_recorded(&policies[0], &k);
	for (; specs && *specs; specs++)
		assert_int_equal(policy_parse(&policies[options.npolicies++], &k, *specs, &o->e),
				 0);
	o->n = options.npolicies;
	o->ret = replay_trace(r, &options, o->results, &o->e);
	trace_close(r);
}

static void replay_text(const char *text, const char *const *specs, bool verify, struct outcome *o)
{
	const char *path = test_path("trace");

	put_file(path, text, strlen(text));
	replay_file(path, specs, verify, o);
	unlink(path);
}

static void outcome_free(struct outcome *o)
{
	for (unsigned int i = 0; i < o->n; i++)
		replay_result_free(&o->results[i]);
}

static uint64_t site_drains(const struct lru_result *l, const char *name)
{
	for (unsigned int i = 0; i < l->nsites; i++)
		if (!strcmp(l->sites[i].name, name))
			return l->sites[i].drains;
	return 0;
}

#define SPECS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* --- the vectors as traces ----------------------------------------------------------------- */

#define VECTORS "tests/golden/pagevec/"
#define BATCHES 8

/* What a vector says, counted while it is turned into a trace. */
struct vector {
	char release[16];
	unsigned int size;
	bool once;
	uint64_t releases, drains, flushes, moved, flushed;
	uint64_t comparable_flushes; /* of batches whose content a reader of the trace knows */
	uint64_t comparable_drains;
};

static char *read_vector(const char *name)
{
	char path[256];
	uint8_t *packed;
	size_t n, size;
	char *text;

	snprintf(path, sizeof(path), VECTORS "%s.tsv.zst", name);
	packed = get_file(path, &n);
	size = (size_t)ZSTD_getFrameContentSize(packed, n);
	assert_true(size < 64u << 20);
	text = malloc(size + 1);
	assert_non_null(text);
	assert_int_equal(ZSTD_decompress(text, size, packed, n), size);
	text[size] = '\0';
	free(packed);
	return text;
}

struct conversion {
	FILE *out;
	struct vector *v;
	uint64_t t, nr[BATCHES];
	bool flag[BATCHES], known[64], once;
	uint64_t drains;
};

static void head(struct conversion *c, uint64_t cpu)
{
	fprintf(c->out, "%" PRIu64 " %" PRIu64 " 100 task ", ++c->t * 1000, cpu);
}

static void convert_drain(struct conversion *c, uint64_t cpu, const char *site, uint64_t moved)
{
	head(c, cpu);
	fprintf(c->out, "DRAIN site=%s add=%" PRIu64 "\n", site, moved);
	c->v->moved += moved;
	c->v->drains++;
	c->v->comparable_drains += c->known[cpu];
	c->known[cpu] = true;
}

static void convert_add(struct conversion *c, uint64_t cpu, bool large, uint64_t moved)
{
	head(c, cpu);
	fprintf(c->out, "LRUADD op=add%s\n", large ? " large=1" : "");
	if (!moved)
		return;
	head(c, cpu);
	fprintf(c->out, "FLUSH op=add n=%" PRIu64 "\n", moved);
	c->v->flushes++;
	c->v->flushed += moved;
	/* A large folio flushes whatever waits: that it does can be compared, from the start. */
	c->v->comparable_flushes += c->known[cpu] || large;
	c->known[cpu] = true;
}

static void convert_release(struct conversion *c, uint64_t cpu, uint64_t b, bool drained,
			    uint64_t moved)
{
	if (!c->nr[b])
		return; /* the kernel does not call the function */
	head(c, cpu);
	fprintf(c->out, "RELEASE batch=0x%" PRIx64 " n=%" PRIu64, 0x1000 + b, c->nr[b]);
	if (c->once)
		fprintf(c->out, " drained=%d", c->flag[b]);
	fprintf(c->out, "\n");
	c->v->releases++;
	if (drained)
		convert_drain(c, cpu, "__pagevec_release", moved);
	c->nr[b] = 0;
	c->flag[b] = true;
}

static void convert_row(struct conversion *c, char *row)
{
	char op[8], cpu_text[8], arg[16], moved_text[16];
	uint64_t cpu, b, n = 0, moved, drains;

	assert_int_equal(sscanf(row, "%7s %7s %15s %15s %" SCNu64, op, cpu_text, arg, moved_text,
				&drains),
			 5);
	cpu = strtoull(cpu_text, NULL, 10);
	b = strtoull(arg, NULL, 10);
	moved = strtoull(moved_text, NULL, 10);
	if (strchr(arg, ':'))
		n = strtoull(strchr(arg, ':') + 1, NULL, 10);
	assert_true(cpu < 64);
	if (!strcmp(op, "init")) {
		c->nr[b % BATCHES] = 0;
		c->flag[b % BATCHES] = false;
		head(c, 0);
		fprintf(c->out, "INIT batch=0x%" PRIx64 "\n", 0x1000 + b);
	} else if (!strcmp(op, "put")) {
		c->nr[b % BATCHES] += n;
		head(c, 0);
		fprintf(c->out, "PUT batch=0x%" PRIx64 " n=%" PRIu64 "\n", 0x1000 + b, n);
	} else if (!strcmp(op, "add")) {
		convert_add(c, cpu, b == 1, moved);
	} else if (!strcmp(op, "rel")) {
		convert_release(c, cpu, b % BATCHES, drains != c->drains, moved);
	} else {
		assert_string_equal(op, "drain");
		convert_drain(c, cpu, "shrink_inactive_list", moved);
	}
	assert_int_equal(c->v->drains, drains);
	c->drains = drains;
}

/* Writes the trace to @path. */
static void convert(const char *name, const char *path, struct vector *v)
{
	struct conversion c = { .out = fopen(path, "w"), .v = v };
	char *text = read_vector(name), *rest = text, *row;

	assert_non_null(c.out);
	memset(v, 0, sizeof(*v));
	assert_int_equal(sscanf(name, "pv-%15[0-9.]-size%u", v->release, &v->size), 2);
	c.once = v->once = strstr(text, "after (") != NULL;
	fprintf(c.out, HEADER "# release=%s pagevec_size=%u\n", v->release, v->size);
	while ((row = strsep(&rest, "\n")))
		if (*row && *row != '#')
			convert_row(&c, row);
	free(text);
	assert_int_equal(fclose(c.out), 0);
}

static void assert_result(const struct lru_result *l, const struct vector *v)
{
	assert_true(l->known);
	assert_int_equal(l->batch_size, v->size);
	assert_int_equal(l->drains_always, !v->once);
	assert_int_equal(l->releases, v->releases);
	assert_int_equal(l->drains, v->drains);
	assert_int_equal(l->moved, v->moved);
	assert_int_equal(l->flushes, v->flushes);
	assert_int_equal(l->flushed, v->flushed);
}

static const char *const vectors[] = { "pv-4.14-size14-cpu1", "pv-4.14-size31-cpu4",
				       "pv-6.12.117-size14-cpu1", "pv-6.12.117-size31-cpu4" };

/* Every release, drain and flush of a vector is a decision that the model must arrive at. */
static void vectors_verify_in_full(void **state)
{
	const char *path = test_path("vector");
	struct vector v;
	struct outcome o;

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct verify_result *r = &o.results[0].verify;

		convert(vectors[i], path, &v);
		replay_file(path, NULL, true, &o);
		assert_int_equal(o.ret, 0);
		assert_int_equal(r->lru.releases_checked, v.releases);
		assert_int_equal(r->lru.drains_checked, v.comparable_drains);
		assert_int_equal(r->lru.flushes_checked, v.comparable_flushes);
		assert_int_equal(r->checked,
				 v.releases + v.comparable_drains + v.comparable_flushes);
		assert_int_equal(r->agreed, r->checked);
		assert_true(r->lru.in_step);
		assert_result(&o.results[0].lru, &v);
		outcome_free(&o);
	}
	unlink(path);
}

/*
 * The vectors before and after the patch were made from one stream of operations, so each is what
 * the other would have been under the other policy.
 */
static void a_what_if_is_the_other_vector(void **state)
{
	static const struct {
		const char *recorded, *other, *policy;
	} rows[] = {
		{ "pv-4.14-size14-cpu1", "pv-6.12.117-size14-cpu1", "drain=once" },
		{ "pv-6.12.117-size14-cpu1", "pv-4.14-size14-cpu1", "drain=always" },
		{ "pv-4.14-size31-cpu4", "pv-6.12.117-size31-cpu4", "drain=once" },
		{ "pv-6.12.117-size31-cpu4", "pv-4.14-size31-cpu4", "drain=always" },
	};
	const char *path = test_path("vector"), *scratch = test_path("other");
	struct vector v, other;
	struct outcome o;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		convert(rows[i].recorded, path, &v);
		convert(rows[i].other, scratch, &other);
		assert_int_not_equal(v.drains, other.drains);
		replay_file(path, SPECS(rows[i].policy), false, &o);
		assert_int_equal(o.ret, 0);
		assert_false(o.results[0].what_if);
		assert_true(o.results[1].what_if);
		assert_result(&o.results[1].lru, &other);
		outcome_free(&o);
	}
	unlink(path);
	unlink(scratch);
}

/* --- by hand
 * --------------------------------------------------------------------------------------- */

/* Case 3: three lives with 1, 4 and 2 releases. */
static void lives_of_batches(void **state)
{
	static const char text[] =
		HEADER "# release=4.14.0 cpus=2\n"
		       "1 1 9 a INIT batch=0x10\n"
		       "2 1 9 a RELEASE batch=0x10 n=3\n"
		       "3 1 9 a INIT batch=0x20\n"
		       "4 1 9 a RELEASE batch=0x20 n=3\n"
		       "5 1 9 a RELEASE batch=0x20 n=3\n"
		       "6 0 8 b LRUADD op=add n=40\n" /* another CPU: no matter */
		       "7 1 9 a RELEASE batch=0x20 n=3\n"
		       "8 1 9 a RELEASE batch=0x20 n=3\n"
		       "9 1 9 a INIT batch=0x10\n"
		       "10 1 9 a RELEASE batch=0x10 n=3\n"
		       "11 1 9 a RELEASE batch=0x10 n=3\n";
	struct outcome o;

	(void)state;
	replay_text(text, SPECS("drain=once"), false, &o);
	assert_int_equal(o.results[0].lru.drains, 7);
	assert_int_equal(o.results[1].lru.drains, 3);
	assert_int_equal(o.results[1].lru.drains_saved, 4);
	assert_int_equal(o.results[0].lru.drains_empty, 7);
	assert_int_equal(o.results[0].lru.releases, 7);
	outcome_free(&o);
}

/* The flag on entry stands in for INIT: 0 begins a life, and 1 at first sight has drained before.
 */
static void the_flag_tells_of_lives(void **state)
{
	static const char text[] = HEADER "# release=6.12.0\n"
					  "1 0 9 a RELEASE batch=0x10 n=3 drained=1\n"
					  "2 0 9 a RELEASE batch=0x10 n=3 drained=0\n"
					  "3 0 9 a RELEASE batch=0x10 n=3 drained=1\n"
					  "4 0 9 a RELEASE batch=0x10 n=3 drained=0\n"
					  "5 0 9 a RELEASE batch=0x10 n=0 drained=0\n";
	struct outcome o;

	(void)state;
	replay_text(text, SPECS("drain=always", "drain-off=__pagevec_release"), false, &o);
	assert_int_equal(o.results[0].lru.drains, 2);
	assert_int_equal(o.results[0].lru.releases, 4); /* the empty one is none */
	assert_int_equal(o.results[1].lru.drains, 4);
	/* Its older name is the same place; a batch that did not drain tries again: 1 of 4 is
	 * marked. */
	assert_int_equal(o.results[2].lru.drains, 0);
	assert_int_equal(o.results[2].lru.suppressed, 3);
	outcome_free(&o);
}

/*
 * A patched kernel that drains always. Where it leaves its flag at 0, only INIT begins a life: one
 * of 3 releases. Where it sets the flag, 0 begins one too: 2 of 3.
 */
static void a_flag_that_nobody_sets_tells_nothing(void **state)
{
	char text[512];
	struct outcome o;

	(void)state;
	for (int set = 0; set < 2; set++) {
		snprintf(text, sizeof(text),
			 HEADER "# release=6.12.0 pagevec_drain=always\n"
				"1 0 9 a INIT batch=0x10\n"
				"2 0 9 a RELEASE batch=0x10 n=3 drained=0\n"
				"3 0 9 a RELEASE batch=0x10 n=3 drained=%d\n"
				"4 0 9 a RELEASE batch=0x10 n=3 drained=0\n",
			 set);
		replay_text(text, SPECS("drain=once"), false, &o);
		assert_int_equal(o.results[0].lru.drains, 3);
		assert_false(o.results[0].what_if);
		assert_int_equal(o.results[1].lru.drains, 1 + set);
		assert_true(o.results[1].what_if);
		outcome_free(&o);
	}
}

/*
 * A kernel that drains always and sets its flag all the same: that it does shows only at the second
 * release of the third life. By the lives of the batch, which each drain once: 3 of 4 releases.
 */
static void flags_of_a_kernel_that_drains_always_count_from_the_start(void **state)
{
	static const char text[] = HEADER "# release=6.12.0 pagevec_drain=always\n"
					  "1 0 9 a RELEASE batch=0x10 n=3 drained=0\n"
					  "2 0 9 a RELEASE batch=0x10 n=3 drained=0\n"
					  "3 0 9 a RELEASE batch=0x10 n=3 drained=0\n"
					  "4 0 9 a RELEASE batch=0x10 n=3 drained=1\n";
	struct outcome o;

	(void)state;
	replay_text(text, SPECS("drain=once"), false, &o);
	assert_int_equal(o.results[0].lru.drains, 4);
	assert_int_equal(o.results[1].lru.drains, 3);
	outcome_free(&o);
}

/*
 * 8 folios each on two CPUs: apart they stay below 15; as one CPU they make a batch and one more,
 * which the drain of that CPU moves.
 */
static void cpus_are_folded(void **state)
{
	static const char text[] = HEADER "# release=6.1.0\n"
					  "1 0 9 a LRUADD op=add n=8\n"
					  "2 1 9 a LRUADD op=add n=8\n"
					  "3 0 9 a DRAIN site=shrink_inactive_list.isra.0\n";
	struct outcome o;

	(void)state;
	replay_text(text, SPECS("cpus=1"), false, &o);
	assert_int_equal(o.results[0].lru.flushes, 0);
	assert_int_equal(o.results[0].lru.moved, 8);
	assert_int_equal(o.results[1].lru.flushes, 1);
	assert_int_equal(o.results[1].lru.flushed, 15);
	assert_int_equal(o.results[1].lru.moved, 1);
	assert_int_equal(site_drains(&o.results[1].lru, "shrink_inactive_list"), 1);
	outcome_free(&o);
}

/*
 * 5 folios, drain from A (moves 5), 4 folios, drain from B (4). Without A, B moves 9; a large
 * folio then takes none along, or its like.
 */
static void a_site_can_be_switched_off(void **state)
{
	static const char text[] = HEADER "# release=6.12.0\n"
					  "1 0 9 a LRUADD op=add n=5\n"
					  "2 0 9 a DRAIN site=siteA\n"
					  "3 0 9 a LRUADD op=activate n=4\n"
					  "4 0 9 a DRAIN site=siteB\n"
					  "5 0 9 a DRAIN\n";
	struct outcome o;

	(void)state;
	replay_text(text, SPECS("drain-off=siteA", "drain-off=siteA,drain-off=siteB"), false, &o);
	assert_int_equal(o.results[0].lru.drains, 3);
	assert_int_equal(o.results[0].lru.drains_empty, 1);
	assert_int_equal(o.results[1].lru.drains, 2);
	assert_int_equal(o.results[1].lru.suppressed, 1);
	assert_string_equal(o.results[1].lru.sites[1].name, "siteB");
	assert_int_equal(o.results[1].lru.sites[1].moved, 9);
	assert_int_equal(o.results[2].lru.drains, 1);
	assert_int_equal(o.results[2].lru.moved, 9);
	assert_int_equal(site_drains(&o.results[2].lru, "(unknown)"), 1);
	assert_true(o.results[2].what_if);
	outcome_free(&o);
}

/* A release that drains, as recorded and undone; a drain of the function without its release. */
static void drains_of_releases_are_decisions(void **state)
{
	static const char text[] = HEADER "# release=6.12.0\n"
					  "1 0 9 a RELEASE batch=0x10 n=3 drained=0\n"
					  "2 0 8 b DRAIN site=exit_mmap\n" /* another task's */
					  "3 0 9 a DRAIN site=__folio_batch_release\n"
					  "4 0 9 a RELEASE batch=0x10 n=3 drained=1\n"
					  "5 0 9 a DRAIN site=madvise_cold\n"
					  "6 0 9 a DRAIN site=__folio_batch_release\n"
					  "7 0 9 a DRAIN\n"
					  "8 0 9 a RELEASE batch=0x20 n=1 drained=0\n"
					  "9 0 9 a DRAIN\n"
					  "10 0 9 a RELEASE batch=0x20 n=1 drained=1\n"
					  "11 0 9 a DRAIN\n";
	struct outcome o;

	(void)state;
	replay_text(text, SPECS("drain=always"), true, &o);
	assert_int_equal(o.ret, 0);
	/*
	 * Lines 2, 5, 6, 7 and 11 are stimuli, 3 and 9 decisions: where no site is told, a release
	 * of a batch that had drained can't be the cause. once drains at lines 1 and 8, always at
	 * 4 and 10 as well.
	 */
	assert_int_equal(o.results[0].lru.drains, 7);
	assert_int_equal(o.results[1].lru.drains, 9);
	assert_int_equal(site_drains(&o.results[0].lru, "__folio_batch_release"), 3);
	assert_non_null(strstr(o.results[0].notes[0], "1 drains by releases"));
	assert_int_equal(o.results[0].verify.lru.releases_checked, 4);
	assert_int_equal(o.results[0].verify.lru.releases_agreed, 4);
	assert_int_equal(o.results[0].verify.checked, 4);
	assert_non_null(strstr(o.results[0].verify.missing, "no LRUADD events"));
	outcome_free(&o);
}

/* Without LRUADD nothing is known of folios; that is not 0. */
static void unknown_is_not_zero(void **state)
{
	struct outcome o;

	(void)state;
	replay_text(HEADER "1 0 9 a DRAIN site=exit_mmap add=4\n", NULL, false, &o);
	assert_int_equal(o.results[0].lru.drains, 1);
	assert_true(o.results[0].lru.moved == LRU_UNKNOWN);
	assert_true(o.results[0].lru.flushes == LRU_UNKNOWN);
	assert_true(o.results[0].lru.drains_empty == LRU_UNKNOWN);
	assert_true(o.results[0].lru.sites[0].moved == LRU_UNKNOWN);
	outcome_free(&o);
	replay_text(HEADER "1 0 9 a LOOKUP type=0 off=5 cause=fault\n", SPECS("drain=always"),
		    false, &o);
	assert_false(o.results[0].lru.known);
	assert_false(o.results[1].lru.known);
	outcome_free(&o);
}

/* --- verify
 * ------------------------------------------------------------------------------------------ */

/*
 * Batches of 15 (6.1). The drain at 2 finds 7, of which 3 are from before the trace: nothing to
 * compare. Then 16 folios: a flush of 15 and one for the drain; a large one takes 2 along.
 */
static void a_trace_that_begins_in_the_middle(void **state)
{
	static const char text[] = HEADER "# release=6.1.0\n"
					  "1 0 9 a LRUADD op=add n=4\n"
					  "2000 0 9 a DRAIN site=exit_mmap add=7 activate=0\n"
					  "3000 0 9 a LRUADD op=add n=16\n"
					  "4000 0 9 a FLUSH op=add n=15\n"
					  "5000 0 9 a DRAIN site=exit_mmap add=1 activate=0\n"
					  "6000 0 9 a LRUADD op=add n=2\n"
					  "7000 0 9 a LRUADD op=add large=1\n"
					  "8000 0 9 a FLUSH op=add n=3\n";
	struct outcome o;
	const struct verify_result *r = &o.results[0].verify;

	(void)state;
	replay_text(text, NULL, true, &o);
	assert_int_equal(r->lru.unchecked, 4);
	assert_true(r->lru.in_step);
	assert_int_equal(r->lru.in_step_ns, 2000);
	assert_int_equal(r->lru.drains_checked, 1);
	assert_int_equal(r->lru.flushes_checked, 2);
	assert_int_equal(r->checked, 3);
	assert_int_equal(r->agreed, 3);
	outcome_free(&o);
}

/* Differences of each kind, each counted once, and the recording is taken over. */
static void differences_are_found(void **state)
{
	static const char text[] = HEADER
		"# release=6.1.0\n"
		"1 0 9 a DRAIN site=exit_mmap add=0\n"
		"2 0 9 a LRUADD op=add n=3\n"
		"3 0 9 a DRAIN site=exit_mmap add=2\n" /* 1: 3 */
		"4 0 9 a LRUADD op=add n=4\n"
		"5 0 9 a FLUSH op=add n=4\n"	       /* 2: 4 of 15 */
		"6 0 9 a DRAIN site=exit_mmap add=0\n" /* unknown: nothing compared */
		"7 0 9 a LRUADD op=add n=14\n"
		"8 0 9 a LRUADD op=add n=1\n"
		"9 0 9 a LRUADD op=add n=1\n" /* 3: no flush of 15 came */
		"10 0 9 a RELEASE batch=0x10 n=1 drained=0\n"
		"11 0 9 a RELEASE batch=0x10 n=1 drained=1\n"	 /* 4: 10 did not drain */
		"12 0 9 a DRAIN site=__pagevec_release add=2\n"; /* 5: 11 did; unknown size */
	static const char *const events[] = { "DRAIN", "FLUSH", "FLUSH", "RELEASE", "RELEASE" };
	struct outcome o;
	const struct verify_result *r = &o.results[0].verify;

	(void)state;
	replay_text(text, NULL, true, &o);
	assert_int_equal(r->checked, 5);
	assert_int_equal(r->agreed, 0);
	assert_int_equal(r->nfirst, 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_string_equal(r->first[i].event, events[i]);
	assert_int_equal(r->first[0].t_ns, 3);
	assert_string_equal(r->first[0].recorded, "site=exit_mmap cpu=0 add=2");
	assert_string_equal(r->first[0].predicted, "add=3");
	assert_string_equal(r->first[1].recorded, "4 folios of add on CPU 0");
	assert_string_equal(r->first[1].predicted, "no flush, 4 of 15 waiting");
	outcome_free(&o);
}

/*
 * A decision that did not come is a difference as soon as the task, or the CPU, goes on: a release
 * that should have drained (twice), a batch of 15 that should have been moved before a drain.
 */
static void decisions_that_did_not_come(void **state)
{
	static const char text[] = HEADER "# release=6.1.0\n"
					  "1 1 9 a DRAIN site=exit_mmap add=0\n"
					  "2 0 8 b RELEASE batch=0x10 n=1 drained=0\n"
					  "3 0 8 b PUT batch=0x10 n=1\n"
					  "4 0 7 c RELEASE batch=0x20 n=1 drained=0\n"
					  "5 0 7 c INIT batch=0x30\n"
					  "6 1 9 a LRUADD op=add n=15\n"
					  "7 1 9 a DRAIN site=exit_mmap add=15\n"
					  "8 1 9 a LRUADD op=add n=15\n"
					  "9 1 9 a FLUSH op=add n=15\n";
	static const char *const events[] = { "RELEASE", "RELEASE", "FLUSH" };
	static const uint64_t times[] = { 3, 5, 7 };
	struct outcome o;
	const struct verify_result *r = &o.results[0].verify;

	(void)state;
	replay_text(text, NULL, true, &o);
	assert_int_equal(r->nfirst, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_string_equal(r->first[i].event, events[i]);
		assert_int_equal(r->first[i].t_ns, times[i]);
	}
	assert_int_equal(r->checked, 4);
	assert_int_equal(r->agreed, 1);
	outcome_free(&o);
}

/* After a loss a difference is explained by it. */
static void losses_explain(void **state)
{
	static const char text[] = HEADER "# release=6.1.0\n"
					  "1 0 9 a DRAIN site=exit_mmap add=0\n"
					  "2 0 - - LOST n=7\n"
					  "3 0 9 a LRUADD op=add n=3\n"
					  "4 0 9 a DRAIN site=exit_mmap add=2\n";
	struct outcome o;

	(void)state;
	replay_text(text, NULL, true, &o);
	assert_int_equal(o.results[0].verify.checked, 1);
	assert_int_equal(o.results[0].verify.explained, 1);
	assert_string_equal(o.results[0].verify.first[0].why, "7 events were lost before");
	outcome_free(&o);
}

/* So it is by runs of programs for these events that the kernel left out; 3 + 1, and 9 of another.
 */
static void missed_runs_explain(void **state)
{
	static const char text[] =
		HEADER "# release=6.1.0\n"
		       "# probe event=FLUSH symbol=f kind=fentry runs=9 idle=0 missed=3\n"
		       "# probe event=LRUADD symbol=g kind=fentry runs=9 idle=0 missed=1\n"
		       "# probe event=READ symbol=h kind=fentry runs=9 idle=0 missed=9\n"
		       "1 0 9 a DRAIN site=exit_mmap add=0\n"
		       "3 0 9 a LRUADD op=add n=3\n"
		       "4 0 9 a DRAIN site=exit_mmap add=2\n";
	struct outcome o;

	(void)state;
	replay_text(text, NULL, true, &o);
	assert_int_equal(o.results[0].verify.explained, 1);
	assert_string_equal(o.results[0].verify.first[0].why,
			    "4 runs of the recorder's programs were missed");
	outcome_free(&o);
}

/*
 * The batches are the same from 4.14 to 7.1 but for what has a model (docs/kernel-facts.md#batches,
 * #drains), readahead from 5.6 to 7.3 (#swapoff, #who-reads-ahead): what has no exact model is
 * named, and refused where there is nothing else.
 */
static void releases_that_can_be_verified(void **state)
{
	static const struct {
		const char *release, *event;
		int ret;
		const char *says; /* what was not checked, or why nothing is */
	} rows[] = {
		{ "4.14.1", "DRAIN site=a", 0, "LRUADD" },
		{ "5.15.97", "DRAIN site=a", 0, "LRUADD" },
		{ "6.18.4", "DRAIN site=a", 0, "LRUADD" },
		{ "6.19.0", "DRAIN site=a", 0, "LRUADD" },
		{ "7.1.13", "DRAIN site=a", 0, "LRUADD" },
		{ "4.13.0", "DRAIN site=a", -EPROTONOSUPPORT,
		  "4.13.0 for what the trace tells of (per-CPU" },
		{ "7.2.12", "DRAIN site=a", -EPROTONOSUPPORT,
		  "7.2.12 for what the trace tells of (per-CPU" },
		{ "5.15.97", "LOOKUP type=0 off=4 cause=fault hit=0", 0, "windows (no RA events" },
		{ "5.5.19", "LOOKUP type=0 off=4 cause=fault hit=0", 0,
		  "no exact model of this kernel's readahead" },
		{ "7.0.13", "LOOKUP type=0 off=4 cause=fault hit=0", 0, "windows (no RA events" },
		{ "7.3.4", "LOOKUP type=0 off=4 cause=fault hit=0", 0,
		  "no exact model of this kernel's batches" },
		{ "7.4.0", "LOOKUP type=0 off=4 cause=fault hit=0", -EPROTONOSUPPORT,
		  "(readahead, per-CPU batches)" },
	};
	char text[256];
	struct outcome o;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text),
			 HEADER "# release=%s\n1 0 9 a DRAIN site=b\n2 0 9 a %s\n", rows[i].release,
			 rows[i].event);
		replay_text(text, NULL, true, &o);
		assert_int_equal(o.ret, rows[i].ret);
		assert_non_null(
			strstr(o.ret ? o.e.text : o.results[0].verify.missing, rows[i].says));
		assert_int_equal(o.results[0].verify.done, !o.ret);
		outcome_free(&o);
	}
}

/* --- what a file may hold
 * -------------------------------------------------------------------------- */

static void numbers_without_measure(void **state)
{
	static const char text[] =
		HEADER "# release=6.12.0\n"
		       "1 0 9 a LRUADD op=add n=18446744073709551615\n"
		       "2 9000 9 a LRUADD op=add n=5\n"
		       "3 - 9 a LRUADD op=add n=1\n"
		       "4 0 9 a PUT batch=0x10 n=18446744073709551615\n"
		       "5 0 9 a PUT batch=0x10 n=18446744073709551615\n"
		       "6 0 9 a RELEASE batch=0x10 n=18446744073709551615\n"
		       "7 0 9 a FLUSH op=add n=18446744073709551615\n"
		       "8 0 9 a DRAIN cpu=4294967295 site=b add=18446744073709551615\n"
		       "9 0 9 a DRAIN site=b add=18446744073709551615\n";
	struct outcome o;
	bool cpu = false, outside = false, folios = false;

	(void)state;
	replay_text(text, SPECS("drain=always"), true, &o);
	assert_int_equal(o.ret, 0);
	for (unsigned int i = 0; i < o.results[0].nnotes; i++) {
		cpu |= strstr(o.results[0].notes[i],
			      "1 events of the per-CPU batches name no CPU") != NULL;
		folios |= strstr(o.results[0].notes[i], "1 LRUADD events of more than 16777216") !=
			  NULL;
		outside |= strstr(o.results[0].notes[i], "2 events of CPUs above 8191") != NULL;
	}
	assert_true(cpu);
	assert_true(outside);
	assert_true(folios);
	assert_int_equal(o.results[0].lru.added, 1);
	outcome_free(&o);
}

/* More call sites than are kept apart: the sum stays right. */
static void many_sites(void **state)
{
	size_t size = 1 << 20;
	char *text = malloc(size);
	struct outcome o;
	uint64_t total = 0;
	size_t len;

	(void)state;
	assert_non_null(text);
	len = (size_t)snprintf(text, size, HEADER "# release=6.12.0\n");
	for (unsigned int i = 0; i < 2 * LRU_SITES; i++)
		len += (size_t)snprintf(text + len, size - len, "%u 0 9 a DRAIN site=f%u\n", i + 1,
					i);
	replay_text(text, NULL, false, &o);
	assert_int_equal(o.results[0].lru.drains, 2 * LRU_SITES);
	for (unsigned int i = 0; i < o.results[0].lru.nsites; i++)
		total += o.results[0].lru.sites[i].drains;
	assert_int_equal(total, 2 * LRU_SITES);
	assert_string_equal(o.results[0].lru.sites[0].name, "(others)");
	outcome_free(&o);
	free(text);
}

/* What a results document says of the batches is read back as it was, the unknown as unknown. */
static void documents_keep_the_batches(void **state)
{
	static const char text[] = HEADER "# release=4.14.0\n"
					  "1000 0 9 a LRUADD op=add n=5\n"
					  "2000 0 9 a DRAIN site=siteA add=7\n"
					  "3000 0 9 a DRAIN site=siteA add=1\n";
	const char *path = test_path("results");
	struct results_file file;
	struct outcome o;
	struct error e;
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	replay_text(text, SPECS("drain=once,drain-off=siteA"), true, &o);
	assert_int_equal(results_write(f, NULL, o.results, o.n, &e), 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(results_read(path, &file, &e), 0);
	assert_int_equal(file.n, 2);
	for (unsigned int i = 0; i < file.n; i++) {
		const struct lru_result *got = &file.entries[i].result.lru,
					*want = &o.results[i].lru;

		assert_true(got->known);
		assert_int_equal(got->drains, want->drains);
		assert_int_equal(got->suppressed, want->suppressed);
		assert_int_equal(got->moved, want->moved);
		assert_int_equal(got->batch_size, 14);
		assert_int_equal(got->drains_always, i == 0);
		assert_int_equal(got->lruadd, LRUADD_NO_BARRIER);
		assert_int_equal(got->nsites, want->nsites);
		assert_string_equal(got->sites[0].name, "siteA");
		assert_int_equal(got->sites[0].moved, want->sites[0].moved);
		assert_false(got->cost_known);
	}
	assert_int_equal(file.entries[0].result.verify.lru.drains_checked, 1);
	assert_int_equal(file.entries[0].result.verify.lru.drains_agreed, 0);
	assert_int_equal(file.entries[0].result.verify.lru.unchecked, 5);
	assert_true(file.entries[0].result.verify.lru.in_step);
	assert_int_equal(file.entries[0].result.verify.lru.in_step_ns, 2000);
	assert_string_equal(file.entries[0].result.verify.first[0].event, "DRAIN");
	results_file_free(&file);
	outcome_free(&o);
	unlink(path);
}

static void settings_are_checked(void **state)
{
	const struct kernel *k = kernel_by_name("v6.12");
	struct policy p;
	struct error e;

	(void)state;
	assert_int_equal(policy_parse(&p, k, "drain=sometimes", &e), -EINVAL);
	assert_non_null(strstr(e.text, "always, once"));
	assert_int_equal(policy_parse(&p, k, "lruadd=recorded", &e), -EINVAL);
	assert_int_equal(policy_parse(&p, k, "drain-off=", &e), -EINVAL);
	assert_int_equal(policy_parse(&p, k, "drain-off=a,drain-off=b,lruadd=inline-mb", &e), 0);
	assert_int_equal(p.lru.noff, 2);
	assert_int_equal(p.lru.lruadd, LRUADD_INLINE_MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_verify_in_full),
		cmocka_unit_test(a_what_if_is_the_other_vector),
		cmocka_unit_test(lives_of_batches),
		cmocka_unit_test(the_flag_tells_of_lives),
		cmocka_unit_test(a_flag_that_nobody_sets_tells_nothing),
		cmocka_unit_test(flags_of_a_kernel_that_drains_always_count_from_the_start),
		cmocka_unit_test(cpus_are_folded),
		cmocka_unit_test(a_site_can_be_switched_off),
		cmocka_unit_test(drains_of_releases_are_decisions),
		cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(a_trace_that_begins_in_the_middle),
		cmocka_unit_test(differences_are_found),
		cmocka_unit_test(decisions_that_did_not_come),
		cmocka_unit_test(losses_explain),
		cmocka_unit_test(missed_runs_explain),
		cmocka_unit_test(releases_that_can_be_verified),
		cmocka_unit_test(numbers_without_measure),
		cmocka_unit_test(many_sites),
		cmocka_unit_test(documents_keep_the_batches),
		cmocka_unit_test(settings_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
