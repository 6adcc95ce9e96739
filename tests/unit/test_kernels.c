// SPDX-License-Identifier: GPL-2.0
/*
 * Releases and what kernels do. What is expected of a release was written from the sections of
 * docs/kernel-facts.md that are named at each test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "doctor/probe.h"
#include "replay/kernels.h"
#include "replay/model/alloc.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static struct kernel of(const char *release)
{
	struct kernel k;

	kernel_of_release(&k, release);
	return k;
}

/* --- releases ------------------------------------------------------------------------------ */

static void releases_are_read(void **state)
{
	static const struct {
		const char *text;
		struct kernel_release r;
	} rows[] = {
		{ "6.12", { 6, 12, 0 } },
		{ "6.12.117+deb12-cloud-amd64", { 6, 12, 117 } },
		{ "6.1.0-57-cloud-amd64", { 6, 1, 0 } },
		{ "6.12.117-swaptrace-lab", { 6, 12, 117 } },
		{ "5.4.0-91-generic", { 5, 4, 0 } },
		{ "6.10.0-rc5+", { 6, 10, 0 } },
		{ "7.0-rc1", { 7, 0, 0 } },
		{ "6.6.17-android15-8-g4ec2", { 6, 6, 17 } },
		{ "5.10.226-214.879.amzn2.x86_64", { 5, 10, 226 } },
		{ "2.6.32.71", { 2, 6, 32 } },
		{ "4.18.0.x86_64", { 4, 18, 0 } },
		{ "6.12.x", { 6, 12, 0 } },
		{ "9999.9999.9999", { 9999, 9999, 9999 } },
	};
	struct kernel_release r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(kernel_release_parse(&r, rows[i].text));
		assert_int_equal(r.major, rows[i].r.major);
		assert_int_equal(r.minor, rows[i].r.minor);
		assert_int_equal(r.patch, rows[i].r.patch);
	}
}

static void what_is_no_release_is_refused(void **state)
{
	static const char *const bad[] = {
		"",	"6",	   "6.",      "6.x",	   "v6.12",	" 6.12",
		".12",	"+6.12",   "-6.12",   "6,12",	   "6.12rc3",	"6.12.3x",
		"6..3", "garbage", "6.10000", "10000.1.1", "6.1.10000", "4294967302.12",
	};
	struct kernel_release r = { 1, 2, 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (kernel_release_parse(&r, bad[i]))
			fail_msg("'%s' is taken for a release", bad[i]);
	assert_true(r.major == 1 && r.minor == 2 && r.patch == 3);
}

static void releases_have_an_order(void **state)
{
	/* 6.9 is older than 6.10, and 5.19 than 6.0. */
	static const struct kernel_release order[] = { { 4, 19, 9 }, { 5, 0, 0 },  { 5, 19, 0 },
						       { 6, 0, 0 },  { 6, 9, 12 }, { 6, 10, 0 },
						       { 6, 10, 1 }, { 6, 12, 0 }, { 7, 0, 0 } };

	(void)state;
	for (size_t a = 0; a < ARRAY_SIZE(order); a++)
		for (size_t b = 0; b < ARRAY_SIZE(order); b++) {
			int is = kernel_release_compare(&order[a], &order[b]);

			assert_int_equal((is > 0) - (is < 0), (a > b) - (a < b));
		}
}

/* --- the parts ----------------------------------------------------------------------------- */

/*
 * #swapoff, #vma-windows (left edge), #bypass (shmem's from 6.14, none from 7.0), #drains (none
 * behind windows from 7.3).
 */
static void kernels_read_ahead(void **state)
{
	static const struct {
		const char *release, *name;
		enum swapoff_policy swapoff;
		bool clamp, shmem, cached, no_drain;
	} rows[] = {
		{ "5.4.0-91-generic", "v5.6", SWAPOFF_VANILLA, false, false, false, false },
		{ "5.6.4", "v5.6", SWAPOFF_VANILLA, false, false, false, false },
		{ "5.7.19", "v5.6", SWAPOFF_VANILLA, false, false, false, false },
		{ "5.8.0", "v6.1", SWAPOFF_LOOKUP_FIRST, false, false, false, false },
		{ "5.10.262", "v6.1", SWAPOFF_LOOKUP_FIRST, false, false, false, false },
		{ "5.15.97", "v6.1", SWAPOFF_LOOKUP_FIRST, false, false, false, false },
		{ "6.1.0-57-cloud-amd64", "v6.1", SWAPOFF_LOOKUP_FIRST, false, false, false,
		  false },
		{ "6.6.17", "v6.1", SWAPOFF_LOOKUP_FIRST, false, false, false, false },
		{ "6.10.0-rc5", "v6.1", SWAPOFF_LOOKUP_FIRST, false, false, false, false },
		{ "6.11.11", "v6.12", SWAPOFF_LOOKUP_FIRST, true, false, false, false },
		{ "6.12.117+deb12-cloud-amd64", "v6.12", SWAPOFF_LOOKUP_FIRST, true, false, false,
		  false },
		{ "6.13.2", "v6.12", SWAPOFF_LOOKUP_FIRST, true, false, false, false },
		{ "6.14.0", "v6.12", SWAPOFF_LOOKUP_FIRST, true, true, false, false },
		{ "6.16.12+deb13-cloud-amd64", "v6.12", SWAPOFF_LOOKUP_FIRST, true, true, false,
		  false },
		{ "6.17.13", "v6.12", SWAPOFF_LOOKUP_FIRST, true, true, false, false },
		{ "6.18.4", "v6.18", SWAPOFF_LOOKUP_ONLY, true, true, false, false },
		{ "6.19.14", "v6.19", SWAPOFF_LOOKUP_ONLY, true, true, false, false },
		{ "7.0.13", "v7.0", SWAPOFF_LOOKUP_ONLY, true, false, true, false },
		{ "7.1.13", "v7.0", SWAPOFF_LOOKUP_ONLY, true, false, true, false },
		{ "7.2.12", "v7.0", SWAPOFF_LOOKUP_ONLY, true, false, true, false },
		{ "7.3.4", "v7.3", SWAPOFF_LOOKUP_ONLY, true, false, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel k = of(rows[i].release);

		assert_string_equal(k.name, rows[i].name);
		assert_int_equal(k.readahead.swapoff, rows[i].swapoff);
		assert_int_equal(k.readahead.vma_left_clamp, rows[i].clamp);
		assert_int_equal(k.readahead.shmem_bypass, rows[i].shmem);
		assert_int_equal(k.readahead.sync_cached, rows[i].cached);
		assert_int_equal(k.readahead.no_window_drain, rows[i].no_drain);
	}
}

/* #allocator-scan to #allocator-618. Releases without a model of their own have the one before. */
static void kernels_give_slots(void **state)
{
	static const struct {
		const char *release, *allocator;
	} rows[] = {
		{ "4.14.336", "scan-6.1" },
		{ "5.6.4", "scan-6.1" },
		{ "5.15.97", "scan-6.1" },
		{ "6.1.192", "scan-6.1" },
		{ "6.6.17", "scan-6.1" },
		{ "6.9.3", "scan-6.1" },
		{ "6.10.0", "mthp-empty-only" },
		{ "6.11.11", "mthp-empty-only" },
		{ "6.12.117+deb12", "cluster-6.12" },
		{ "6.13.2", "cluster-6.12" },
		{ "6.14.0", "cluster-6.12" },
		{ "6.17.0", "cluster-6.12" },
		{ "6.18.4", "cluster-6.18" },
		{ "6.19.0", "cluster-6.19" },
		{ "7.0.0", "cluster-6.19" },
		{ "7.1.5", "cluster-7.1" },
		{ "7.3.4", "cluster-7.1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(of(rows[i].release).allocator, rows[i].allocator);
}

/*
 * #batches: 14 in 4.14, 15 up to 6.8, 31 from 6.9; that of deactivate is in 5.6 and not in 4.14.
 * #releases-of-batches: one drain in the life of a batch from 4.15.
 * #drains: 6.18 drains the caller's CPU first.
 */
static void kernels_batch(void **state)
{
	static const struct {
		const char *release;
		unsigned int capacity;
		enum pv_drain_policy policy;
		bool deactivate, self;
	} rows[] = {
		{ "3.10.0", 14, PV_DRAIN_ALWAYS, false, false },
		{ "4.14.0", 14, PV_DRAIN_ALWAYS, false, false },
		{ "4.15.0", 15, PV_DRAIN_ONCE, false, false },
		{ "5.6.4", 15, PV_DRAIN_ONCE, true, false },
		{ "5.15.97", 15, PV_DRAIN_ONCE, true, false },
		{ "6.1.192", 15, PV_DRAIN_ONCE, true, false },
		{ "6.8.12", 15, PV_DRAIN_ONCE, true, false },
		{ "6.9.0", 31, PV_DRAIN_ONCE, true, false },
		{ "6.12.117", 31, PV_DRAIN_ONCE, true, false },
		{ "6.17.13", 31, PV_DRAIN_ONCE, true, false },
		{ "6.18.15", 31, PV_DRAIN_ONCE, true, true },
		{ "7.3.4", 31, PV_DRAIN_ONCE, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_rules r = of(rows[i].release).batches;

		assert_int_equal(r.capacity, rows[i].capacity);
		assert_int_equal(r.policy, rows[i].policy);
		assert_int_equal(r.ops & 1u << PV_DEACTIVATE ? 1 : 0, rows[i].deactivate);
		assert_int_equal(r.ops | 1u << PV_DEACTIVATE, (1u << PV_OPS) - 1);
		assert_int_equal(r.all_drains_self, rows[i].self);
	}
}

/*
 * #adding-to-the-lru: barrier from 4.17, softened in 5.7, gone with the mlock rework of 5.18.
 * #releases-of-batches: names.
 */
static void kernels_add_in_their_ways(void **state)
{
	static const struct {
		const char *release;
		enum lruadd adds;
		bool mlock;
		const char *releases_batches;
	} rows[] = {
		{ "4.14.0", LRUADD_NO_BARRIER, false, "__pagevec_release" },
		{ "4.16.0", LRUADD_NO_BARRIER, false, "__pagevec_release" },
		{ "4.17.0", LRUADD_OUTLINE_MB, false, "__pagevec_release" },
		{ "5.6.4", LRUADD_OUTLINE_MB, false, "__pagevec_release" },
		{ "5.7.0", LRUADD_INLINE_RELAXED, false, "__pagevec_release" },
		{ "5.15.97", LRUADD_INLINE_RELAXED, false, "__pagevec_release" },
		{ "5.17.15", LRUADD_INLINE_RELAXED, false, "__pagevec_release" },
		{ "5.18.0", LRUADD_NO_BARRIER, true, "__pagevec_release" },
		{ "6.4.0", LRUADD_NO_BARRIER, true, "__pagevec_release" },
		{ "6.5.0", LRUADD_NO_BARRIER, true, "__folio_batch_release" },
		{ "6.12.0", LRUADD_NO_BARRIER, true, "__folio_batch_release" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel k = of(rows[i].release);

		assert_int_equal(k.lruadd, rows[i].adds);
		assert_int_equal(k.batches.mlock, rows[i].mlock);
		assert_string_equal(k.batch_release, rows[i].releases_batches);
	}
}

/*
 * Readahead: 5.6 to 7.3 (#cluster-windows to #bypass, #swapoff). Allocator: 5.15 to 6.13, 6.18 to
 * 7.3 (#allocator-scan to #allocator-618, #devices). Batches: 4.14 to 7.1 (#batches, #drains).
 */
static void exact_is_what_the_facts_cover(void **state)
{
	static const unsigned int r = KERNEL_READAHEAD, a = KERNEL_ALLOCATOR, b = KERNEL_BATCHES;
	const struct {
		const char *release;
		unsigned int exact;
	} rows[] = {
		{ "4.13.0", 0 },
		{ "4.14.1", b },
		{ "5.4.302", b },
		{ "5.5.19", b },
		{ "5.6.4", r | b },
		{ "5.7.0", r | b },
		{ "5.8.0", r | b },
		{ "5.10.262", r | b },
		{ "5.14.0", r | b },
		{ "5.15.97", r | a | b },
		{ "5.19.17", r | a | b },
		{ "6.0.0", r | a | b },
		{ "6.1.192", r | a | b },
		{ "6.6.1", r | a | b },
		{ "6.8.0-1015-aws", r | a | b },
		{ "6.9.0", r | a | b },
		{ "6.10.5", r | a | b },
		{ "6.11.11", r | a | b },
		{ "6.12.0", r | a | b },
		{ "6.12.117+deb12-cloud-amd64", r | a | b },
		{ "6.13.2", r | a | b },
		{ "6.14.0", r | b },
		{ "6.15.0", r | b },
		{ "6.16.12", r | b },
		{ "6.17.13", r | b },
		{ "6.18.0", r | a | b },
		{ "6.18.15", r | a | b },
		{ "6.19.14", r | a | b },
		{ "7.0.13", r | a | b },
		{ "7.1.13", r | a | b },
		{ "7.2.12", r | a },
		{ "7.3.4", r | a },
		{ "7.4.0", 0 },
		{ "8.0.0", 0 },
		{ "garbage", 0 },
		{ "", 0 },
		{ NULL, r | b },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (of(rows[i].release).exact != rows[i].exact)
			fail_msg("%s is exact in %u, not in %u", rows[i].release,
				 of(rows[i].release).exact, rows[i].exact);
	assert_string_equal(of("garbage").name, "v6.12");
	assert_string_equal(of(NULL).name, "v6.12");
}

/* --- names --------------------------------------------------------------------------------- */

static void models_are_named_after_releases(void **state)
{
	static const char *const none[] = { "6.12",	 "v6.13", "v6.11", "v6.12.0", "v6.12 ",
					    "v6.12-rc1", "v7.1",  "v",	   "",	      "V6.12" };
	char names[80];

	(void)state;
	kernel_names(names, sizeof(names));
	assert_string_equal(names, "v5.6, v6.1, v6.12, v6.18, v6.19, v7.0, v7.3");
	/* A name stands for its own release, not for the first of those that go by it. */
	assert_ptr_equal(kernel_by_name("v5.6"), kernel_find(&(struct kernel_release){ 5, 6, 4 }));
	assert_ptr_equal(kernel_by_name("v6.1"), kernel_find(&(struct kernel_release){ 6, 1, 0 }));
	assert_ptr_equal(kernel_by_name("v6.12"),
			 kernel_find(&(struct kernel_release){ 6, 12, 0 }));
	assert_ptr_equal(kernel_by_name("v6.18"),
			 kernel_find(&(struct kernel_release){ 6, 18, 4 }));
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_null(kernel_by_name(none[i]));
}

static void parts_are_listed(void **state)
{
	char names[80];

	(void)state;
	kernel_part_names(KERNEL_BATCHES, names, sizeof(names));
	assert_string_equal(names, "per-CPU batches");
	kernel_part_names(KERNEL_READAHEAD | KERNEL_ALLOCATOR, names, sizeof(names));
	assert_string_equal(names, "readahead, slot allocator");
}

/* Every release there may be leads to a row that the models understand. */
static void rows_are_whole(void **state)
{
	struct pv_cpu cpu;
	struct pv_model m;

	(void)state;
	for (unsigned int major = 0; major < 10; major++)
		for (unsigned int minor = 0; minor < 40; minor++) {
			struct kernel_release r = { major, minor, 0 };
			const struct kernel *k = kernel_find(&r);

			assert_true(kernel_release_compare(&k->since, &r) <= 0);
			assert_non_null(kernel_by_name(k->name));
			assert_non_null(swap_alloc_named(k->allocator));
			assert_true(k->readahead.swapoff != SWAPOFF_FIXED);
			assert_true(k->lruadd != LRUADD_RECORDED);
			assert_int_equal(pv_init(&m, &k->batches, &cpu, 1, NULL, 0), 0);
		}
}

/* doctor's table says in words which kernels have which swapoff: "5.8 to 6.17", "6.18 on". */
static void swapoff_is_described_as_it_is(void **state)
{
	char first[20], last[20];

	(void)state;
	for (int i = 0; i < SWAPOFF_GENERATIONS; i++) {
		const struct swapoff_generation *g = &swapoff_generations[i];
		int n = sscanf(g->kernels, "%19s to %19s", first, last);

		assert_true(n >= 1);
		assert_int_equal(of(first).readahead.swapoff, g->policy);
		assert_int_equal(of(n == 2 ? last : "99.0").readahead.swapoff, g->policy);
	}
}

/* --- the recorded kernel ------------------------------------------------------------------- */

static struct kernel recorded(const char *const *keys, int want)
{
	struct trace_header *h = trace_header_new();
	struct kernel k;
	struct error e;

	assert_non_null(h);
	for (; *keys; keys += 2)
		assert_int_equal(trace_header_set(h, keys[0], keys[1]), 0);
	assert_int_equal(kernel_recorded(&k, h, &e), want);
	if (want)
		assert_non_null(strstr(e.text, "swapoff="));
	trace_header_free(h);
	return k;
}
#define RECORDED(want, ...) recorded((const char *const[]){ __VA_ARGS__, NULL }, want)

static void a_header_tells_what_was_patched(void **state)
{
	struct kernel k = RECORDED(0, "release", "6.12.117-swaptrace-lab");
	struct kernel plain = k;

	(void)state;
	assert_true(kernel_same(&k, kernel_by_name("v6.12")));
	k = RECORDED(0, "release", "6.12.117-swaptrace-lab", "swapoff", "vanilla");
	assert_int_equal(k.readahead.swapoff, SWAPOFF_VANILLA);
	assert_false(kernel_same(&k, &plain));
	k = RECORDED(0, "release", "6.12.117", "allocator", "nonfull-v1");
	assert_string_equal(k.allocator, "nonfull-v1");
	assert_int_equal(k.exact, plain.exact);
	assert_false(kernel_same(&k, &plain));
	/* Named, so it is known even where the release's is not. */
	k = RECORDED(0, "release", "6.14.0", "allocator", "cluster-6.12");
	assert_true(k.exact & KERNEL_ALLOCATOR);
	k = RECORDED(0, "release", "6.12.117", "allocator", "slab");
	assert_string_equal(k.allocator, "cluster-6.12");
	assert_false(k.exact & KERNEL_ALLOCATOR);
	k = RECORDED(0, "release", "6.12.117", "pagevec_drain", "always", "pagevec_size", "14");
	assert_int_equal(k.batches.capacity, 14);
	assert_int_equal(k.batches.policy, PV_DRAIN_ALWAYS);
	assert_false(kernel_same(&k, &plain));
	/* 2^32 + 15 and 0 are no sizes. */
	k = RECORDED(0, "pagevec_size", "4294967311");
	assert_int_equal(k.batches.capacity, 31);
	k = RECORDED(0, "pagevec_size", "0");
	assert_int_equal(k.batches.capacity, 31);
	RECORDED(-EINVAL, "swapoff", "fixed");
}

/*
 * 6.14 has shmem's bypass, which 6.12 has not; 6.19 chooses devices in another way than 6.18; 7.2
 * does what 7.1 does in all that is modelled.
 */
static void kernels_are_compared_by_what_they_do(void **state)
{
	struct kernel a = of("6.12.3"), b = of("6.13.0"), c = of("6.14.0"), d = of("6.18.0"),
		      e = of("6.19.0"), f = of("7.1.5"), g = of("7.2.12");

	(void)state;
	assert_true(kernel_same(&a, &b));
	assert_false(kernel_same(&b, &c));
	assert_false(kernel_same(&c, &d));
	assert_false(kernel_same(&d, &e));
	assert_true(kernel_same(&f, &g));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_are_read),
		cmocka_unit_test(what_is_no_release_is_refused),
		cmocka_unit_test(releases_have_an_order),
		cmocka_unit_test(kernels_read_ahead),
		cmocka_unit_test(kernels_give_slots),
		cmocka_unit_test(kernels_batch),
		cmocka_unit_test(kernels_add_in_their_ways),
		cmocka_unit_test(exact_is_what_the_facts_cover),
		cmocka_unit_test(models_are_named_after_releases),
		cmocka_unit_test(parts_are_listed),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(swapoff_is_described_as_it_is),
		cmocka_unit_test(a_header_tells_what_was_patched),
		cmocka_unit_test(kernels_are_compared_by_what_they_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
