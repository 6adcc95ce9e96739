// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU batches and release policies. The rows of real kernel code are in tests/golden/pagevec;
 * here are the rules those rows do not reach: several operations, drain of all CPUs, sites, bulk.
 * Expected numbers are worked out in the comments from the rules in pagevec.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "replay/kernels.h"

#define CPUS 4
#define SITES 3

struct fixture {
	struct pv_model m;
	struct pv_cpu cpus[CPUS];
	struct pv_site sites[SITES];
};

static struct pv_rules rules_of(unsigned int major, unsigned int minor)
{
	return kernel_find(&(struct kernel_release){ major, minor, 0 })->batches;
}

static void set_up(struct fixture *f, unsigned int major, unsigned int minor)
{
	struct pv_rules rules = rules_of(major, minor);

	memset(f, 0, sizeof(*f));
	memset(f->cpus, 0xff, sizeof(f->cpus)); /* pv_init() must not rely on zeros */
	assert_int_equal(pv_init(&f->m, &rules, f->cpus, CPUS, f->sites, SITES), 0);
}

static void test_init_refuses_nonsense(void **state)
{
	struct pv_rules r = rules_of(6, 12);
	struct pv_cpu cpu;
	struct pv_model m;

	(void)state;
	assert_int_equal(pv_init(&m, &r, &cpu, 0, NULL, 0), -EINVAL);
	assert_int_equal(pv_init(&m, &r, NULL, 1, NULL, 0), -EINVAL);
	assert_int_equal(pv_init(&m, &r, &cpu, 1, NULL, 1), -EINVAL);
	r.capacity = 0;
	assert_int_equal(pv_init(&m, &r, &cpu, 1, NULL, 0), -EINVAL);
	r.capacity = PV_CAPACITY_MAX + 1;
	assert_int_equal(pv_init(&m, &r, &cpu, 1, NULL, 0), -EINVAL);
	r.capacity = PV_CAPACITY_MAX;
	assert_int_equal(pv_init(&m, &r, &cpu, 1, NULL, 0), 0);
	r.ops = 1u << PV_OPS;
	assert_int_equal(pv_init(&m, &r, &cpu, 1, NULL, 0), -EINVAL);
}

/* A batch moves with the folio that fills it; other operations and CPUs keep theirs. */
static void test_full_batch(void **state)
{
	static const unsigned int minor[] = { 14, 6, 12 };
	static const unsigned int major[] = { 4, 5, 6 };
	static const unsigned int size[] = { 14, 15, 31 };

	(void)state;
	for (int g = 0; g < 3; g++) {
		struct fixture f;

		set_up(&f, major[g], minor[g]);
		assert_int_equal(pv_insert(&f.m, 1, PV_ACTIVATE, false, 1), 0);
		for (unsigned int i = 1; i < size[g]; i++)
			assert_int_equal(pv_insert(&f.m, 1, PV_ADD, false, 1), 0);
		assert_int_equal(pv_pending(&f.m, 1, PV_ADD), size[g] - 1);
		assert_int_equal(pv_insert(&f.m, 1, PV_ADD, false, 1), size[g]);
		assert_int_equal(pv_pending(&f.m, 1, PV_ADD), 0);
		assert_int_equal(pv_pending_all(&f.m, 1), 1);
		assert_int_equal(pv_pending_all(&f.m, 0), 0);
		assert_int_equal(f.m.stats.flushes[PV_ADD], 1);
		assert_int_equal(f.m.stats.flushed[PV_ADD], size[g]);
		assert_int_equal(f.m.stats.flushes[PV_ACTIVATE], 0);
		assert_int_equal(f.m.stats.drains, 0);
	}
}

/* A large folio moves at once, with what waited before it, in its own operation only. */
static void test_large_folio(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 6, 12);
	pv_insert(&f.m, 0, PV_ADD, false, 5);
	pv_insert(&f.m, 0, PV_ROTATE, false, 3);
	assert_int_equal(pv_insert(&f.m, 0, PV_ADD, true, 1), 6);
	assert_int_equal(pv_pending(&f.m, 0, PV_ADD), 0);
	assert_int_equal(pv_pending(&f.m, 0, PV_ROTATE), 3);
	assert_int_equal(pv_insert(&f.m, 0, PV_ADD, true, 4), 4);
	assert_int_equal(f.m.stats.flushes[PV_ADD], 5);
	assert_int_equal(f.m.stats.flushed[PV_ADD], 10);
}

/* Many at once end in the same state as one after the other. */
static void test_bulk_is_the_same_as_single(void **state)
{
	struct fixture bulk, single;
	uint32_t seed = 1;

	(void)state;
	set_up(&bulk, 6, 1);
	set_up(&single, 6, 1);
	for (int i = 0; i < 2000; i++) {
		uint64_t moved = 0;
		unsigned int cpu, n;
		enum pv_op op;
		bool large;

		seed = seed * 1664525 + 1013904223;
		cpu = seed >> 30;
		op = (enum pv_op)((seed >> 20) % PV_OPS);
		large = (seed >> 12) % 16 == 0;
		n = (seed >> 8) % 100;
		for (unsigned int k = 0; k < n; k++)
			moved += pv_insert(&single.m, cpu, op, large, 1);
		assert_int_equal(pv_insert(&bulk.m, cpu, op, large, n), moved);
	}
	assert_memory_equal(bulk.cpus, single.cpus, sizeof(bulk.cpus));
	assert_memory_equal(&bulk.m.stats, &single.m.stats, sizeof(bulk.m.stats));
}

/* 4.14 has no batch for deactivation: nothing waits, and it is counted. */
static void test_operation_without_batch(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 4, 14);
	assert_int_equal(pv_insert(&f.m, 0, PV_DEACTIVATE, false, 20), 0);
	assert_int_equal(pv_pending_all(&f.m, 0), 0);
	assert_int_equal(f.m.stats.unqueued, 20);
	assert_int_equal(f.m.stats.inserted[PV_DEACTIVATE], 0);
}

/* A drain takes all operations of its CPU; an empty one is still a drain. */
static void test_drain_of_a_cpu(void **state)
{
	struct pv_moved moved;
	struct fixture f;

	(void)state;
	set_up(&f, 6, 12);
	for (int op = 0; op < PV_OPS; op++)
		pv_insert(&f.m, 2, (enum pv_op)op, false, (uint64_t)op + 1);
	pv_insert(&f.m, 3, PV_ADD, false, 9);
	assert_true(pv_drain(&f.m, 2, 1, &moved));
	for (unsigned int op = 0; op < PV_OPS; op++) {
		assert_int_equal(moved.op[op], op + 1);
		assert_int_equal(f.m.stats.drained[op], op + 1);
		assert_int_equal(f.m.stats.flushes[op], 0);
	}
	assert_int_equal(moved.total, 1 + 2 + 3 + 4 + 5 + 6);
	assert_int_equal(pv_pending_all(&f.m, 2), 0);
	assert_int_equal(pv_pending_all(&f.m, 3), 9);
	assert_true(pv_drain(&f.m, 2, PV_SITE_NONE, &moved));
	assert_int_equal(moved.total, 0);
	assert_int_equal(f.m.stats.drains, 2);
	assert_int_equal(f.m.stats.drains_empty, 1);
	assert_int_equal(f.sites[1].drains, 1);
	assert_int_equal(f.sites[1].moved, 21);
}

/* Only CPUs with something waiting; 6.18 drains the caller's CPU in any case, and first. */
static void test_drain_of_all(void **state)
{
	struct pv_moved moved;
	struct fixture f;

	(void)state;
	set_up(&f, 6, 12);
	pv_insert(&f.m, 0, PV_ADD, false, 4);
	pv_insert(&f.m, 3, PV_LAZYFREE, false, 7);
	assert_int_equal(pv_drain_all(&f.m, 1, 0, &moved), 2);
	assert_int_equal(moved.op[PV_ADD], 4);
	assert_int_equal(moved.op[PV_LAZYFREE], 7);
	assert_int_equal(moved.total, 11);
	assert_int_equal(f.sites[0].drains, 2);
	assert_int_equal(pv_drain_all(&f.m, 1, 0, &moved), 0);
	assert_int_equal(moved.total, 0);
	assert_int_equal(f.m.stats.drains, 2);

	set_up(&f, 6, 18);
	pv_insert(&f.m, 0, PV_ADD, false, 4);
	pv_insert(&f.m, 1, PV_ADD, false, 2);
	assert_int_equal(pv_drain_all(&f.m, 1, 0, &moved), 2);
	assert_int_equal(moved.total, 6);
	assert_int_equal(pv_drain_all(&f.m, 2, 0, &moved), 1);
	assert_int_equal(f.m.stats.drains_empty, 1);
}

/* While disabled nothing waits; disabling nests and drains every CPU, empty or not. */
static void test_cache_disabled(void **state)
{
	struct pv_moved moved;
	struct fixture f;

	(void)state;
	set_up(&f, 6, 1);
	pv_insert(&f.m, 0, PV_ADD, false, 4);
	assert_int_equal(pv_cache_disable(&f.m, 2, &moved), CPUS);
	assert_int_equal(moved.total, 4);
	assert_int_equal(pv_insert(&f.m, 0, PV_ADD, false, 3), 3);
	assert_int_equal(f.m.stats.flushes[PV_ADD], 3);
	pv_cache_disable(&f.m, 2, NULL);
	pv_cache_enable(&f.m);
	assert_int_equal(pv_insert(&f.m, 0, PV_ADD, false, 1), 1);
	pv_cache_enable(&f.m);
	pv_cache_enable(&f.m); /* one too many does not wrap */
	assert_int_equal(pv_insert(&f.m, 0, PV_ADD, false, 1), 0);
}

/*
 * A truncation loop: a batch is initialised, then filled and released 10 times, 100 files in all;
 * 2 folios were added on the CPU before each release. 4.14 drains 1000 times. From 4.15 on only the
 * first release of a batch drains; of the 18 folios of the other nine, 15 are flushed as a full
 * batch and 3 wait for the next file's drain, which so moves 3 + 2. Sum: 100 * 15 + 2 + 99 * 5,
 * and 3 still waiting, of 2000.
 */
static void test_release_in_a_loop(void **state)
{
	struct pv_batch b;
	struct fixture f;

	(void)state;
	for (int once = 0; once < 2; once++) {
		set_up(&f, once ? 5 : 4, once ? 6 : 14);
		for (int file = 0; file < 100; file++) {
			pv_batch_init(&b);
			for (int i = 0; i < 10; i++) {
				pv_insert(&f.m, 0, PV_ADD, false, 2);
				pv_batch_put(&b, 14);
				assert_int_equal(pv_release(&f.m, 0, 0, &b, NULL), !once || !i);
				assert_int_equal(b.nr, 0);
			}
		}
		assert_int_equal(f.m.stats.releases, 1000);
		assert_int_equal(f.m.stats.drains, once ? 100 : 1000);
		assert_int_equal(f.m.stats.drains_saved, once ? 900 : 0);
		assert_int_equal(f.m.stats.flushes[PV_ADD], once ? 100 : 0);
		assert_int_equal(f.m.stats.drained[PV_ADD], once ? 2 + 99 * 5 : 2000);
		assert_int_equal(pv_pending_all(&f.m, 0), once ? 3 : 0);
	}
}

/* An empty batch is not released; the mark outlives the release but not the next life. */
static void test_release_of_a_batch(void **state)
{
	struct pv_moved moved;
	struct pv_batch b;
	struct fixture f;

	(void)state;
	set_up(&f, 6, 12);
	pv_batch_init(&b);
	pv_insert(&f.m, 1, PV_ADD, false, 2);
	assert_false(pv_release(&f.m, 1, 0, &b, &moved));
	assert_int_equal(moved.total, 0);
	assert_false(b.drained);
	pv_batch_put(&b, 3);
	assert_true(pv_release(&f.m, 1, 0, &b, &moved));
	assert_int_equal(moved.op[PV_ADD], 2);
	assert_true(b.drained);
	pv_batch_put(&b, 3);
	assert_false(pv_release(&f.m, 1, 0, &b, &moved));
	pv_batch_init(&b);
	pv_batch_put(&b, 3);
	assert_true(pv_release(&f.m, 0, 0, &b, &moved));
	assert_int_equal(f.m.stats.drains, 2);
	assert_int_equal(f.m.stats.releases, 3);
}

/* What if one place did not drain: folios stay, and the batch may still drain elsewhere. */
static void test_site_switched_off(void **state)
{
	struct pv_moved moved;
	struct pv_batch b;
	struct fixture f;

	(void)state;
	set_up(&f, 6, 12);
	f.sites[1].off = true;
	pv_insert(&f.m, 0, PV_ADD, false, 5);
	assert_false(pv_drain(&f.m, 0, 1, &moved));
	assert_int_equal(moved.total, 0);
	assert_int_equal(pv_drain_all(&f.m, 0, 1, &moved), 0);
	pv_batch_init(&b);
	pv_batch_put(&b, 1);
	assert_false(pv_release(&f.m, 0, 1, &b, &moved));
	assert_int_equal(b.nr, 0);
	assert_false(b.drained);
	assert_int_equal(pv_pending_all(&f.m, 0), 5);
	assert_int_equal(f.sites[1].drains, 0);
	assert_int_equal(f.sites[1].suppressed, 3);
	pv_batch_put(&b, 1);
	assert_true(pv_release(&f.m, 0, 2, &b, &moved));
	assert_int_equal(moved.total, 5);
	assert_int_equal(f.sites[2].moved, 5);
	assert_int_equal(f.m.stats.drains, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init_refuses_nonsense),
		cmocka_unit_test(test_full_batch),
		cmocka_unit_test(test_large_folio),
		cmocka_unit_test(test_bulk_is_the_same_as_single),
		cmocka_unit_test(test_operation_without_batch),
		cmocka_unit_test(test_drain_of_a_cpu),
		cmocka_unit_test(test_drain_of_all),
		cmocka_unit_test(test_cache_disabled),
		cmocka_unit_test(test_release_in_a_loop),
		cmocka_unit_test(test_release_of_a_batch),
		cmocka_unit_test(test_site_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
