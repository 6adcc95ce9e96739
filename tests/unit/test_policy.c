// SPDX-License-Identifier: GPL-2.0
/* Policies and the cost model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "replay/cost.h"
#include "replay/policy.h"

static void settings_are_joined_by_commas(void **state)
{
	const struct kernel *k = kernel_by_name("v6.12");
	struct policy p;
	struct error e;

	(void)state;
	assert_int_equal(
		policy_parse(&p, k, "readahead=cluster,page-cluster=5,swapoff=vanilla", &e), 0);
	assert_int_equal(p.readahead, READAHEAD_CLUSTER);
	assert_int_equal(p.page_cluster, 5);
	assert_int_equal(p.swapoff, SWAPOFF_VANILLA);
	assert_true(p.what_if);
	assert_int_equal(policy_parse(&p, k, "swapoff=fixed:16,prev=per-cpu,cpus=3", &e), 0);
	assert_int_equal(p.swapoff, SWAPOFF_FIXED);
	assert_int_equal(p.swapoff_fixed, 16);
	assert_int_equal(p.prev, PREV_PER_CPU);
	assert_int_equal(p.cpus, 3);
}

static void what_the_kernel_does_anyway_is_no_what_if(void **state)
{
	const struct kernel *k = kernel_by_name("v6.12");
	struct policy p;
	struct error e;

	(void)state;
	assert_int_equal(policy_parse(&p, k, "recorded", &e), 0);
	assert_false(p.what_if);
	assert_int_equal(policy_parse(&p, k, "swapoff=lookup-first", &e), 0);
	assert_false(p.what_if);
	assert_int_equal(policy_parse(&p, k, "model=v6.12", &e), 0);
	assert_false(p.what_if);
	assert_int_equal(policy_parse(&p, k, "page-cluster=3", &e), 0);
	assert_true(p.what_if);
}

static void a_model_is_a_bundle_that_settings_refine(void **state)
{
	const struct kernel *k = kernel_by_name("v6.12");
	struct policy p;
	struct error e;

	(void)state;
	assert_int_equal(policy_parse(&p, k, "model=v6.18", &e), 0);
	assert_int_equal(p.swapoff, SWAPOFF_LOOKUP_ONLY);
	assert_int_equal(policy_parse(&p, k, "swapoff=vanilla,model=v6.18", &e), 0);
	assert_int_equal(p.swapoff, SWAPOFF_VANILLA);
	assert_int_equal(policy_parse(&p, k, "model=v6.18,swapoff=lookup-first", &e), 0);
	assert_int_equal(p.swapoff, SWAPOFF_LOOKUP_FIRST);
	/* Also where it is what the recorded kernel does. */
	assert_int_equal(policy_parse(&p, k, "swapoff=lookup-first,model=v6.18", &e), 0);
	assert_int_equal(p.swapoff, SWAPOFF_LOOKUP_FIRST);
}

static void mistakes_are_named(void **state)
{
	static const struct {
		const char *spec, *names;
	} rows[] = {
		{ "readahead=fast", "readahead=fast" },
		{ "page-cluster=32", "page-cluster=32" },
		{ "page-cluster=-1", "page-cluster=-1" },
		{ "page-cluster=", "page-cluster=" },
		{ "swapoff=fixed:3", "swapoff=fixed:3" },
		{ "swapoff=fixed:", "swapoff=fixed:" },
		{ "colour=red", "colour" },
		{ "readahead", "readahead" },
		{ "model=v6.13", "model=v6.13" },
		{ "cpus=0", "cpus=0" },
		{ "prev=none", "prev=none" },
		{ "", "''" },
		{ "page-cluster=2,page-cluster=3", "page-cluster is set twice" },
		{ "swapoff=vanilla,cpus=2,swapoff=vanilla", "swapoff is set twice" },
		{ "allocator=scan-6.1,allocator=cluster-6.18", "allocator is set twice" },
		{ "model=v6.1,readahead=none,model=v6.1", "model is set twice" },
		{ "lruadd=inline-mb,drain=once,lruadd=inline-mb", "lruadd is set twice" },
	};
	const struct kernel *k = kernel_by_name("v6.12");
	struct policy p;
	struct error e;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(policy_parse(&p, k, rows[i].spec, &e) < 0);
		assert_non_null(strstr(e.text, rows[i].names));
	}
}

/* 1000 batches at 100 us, 4000 pages of 4096 bytes at 100 MB/s, 1 us a call, 3 us a page:
 * 0.1 s + 0.16384 s + 0.002 s (2000 calls) + 0.012 s = 0.27784 s */
static void an_estimate_adds_up(void **state)
{
	struct replay_result r = { .readahead = {
					   .calls = 2000, .batches = 1000, .pages_read = 4000 } };
	struct cost_model c;
	struct error e;

	(void)state;
	assert_int_equal(cost_parse(&c, "lat:100;bw:100", &e), 0);
	cost_estimate(&c, 4096, &r);
	assert_true(r.estimate.known);
	assert_true(r.estimate.seconds > 0.27783 && r.estimate.seconds < 0.27785);
	assert_non_null(strstr(r.estimate.assumptions, "100 us a batch"));
	assert_true(cost_parse(&c, "lat:100", &e) < 0);
	assert_true(cost_parse(&c, "lat:1;bw:0", &e) < 0);
	assert_true(cost_parse(&c, "tape", &e) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_joined_by_commas),
		cmocka_unit_test(what_the_kernel_does_anyway_is_no_what_if),
		cmocka_unit_test(a_model_is_a_bundle_that_settings_refine),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(an_estimate_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
