// SPDX-License-Identifier: GPL-2.0
/* The allocator's side of a replay: numbering, reasons, set states, policies, results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc_tools.h"
#include "analyze/alloc_json.h"
#include "replay/alloc/holes.h"
#include "replay/world/places.h"
#include "replay/alloc_policy.h"
#include "replay/policy.h"
#include "traces/event.h"

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Slots 0 .. 9 are part 0's, part 1 has none, 10 .. 14 are part 2's. */
static void slots_are_numbered(void **state)
{
	const uint64_t sizes[] = { 10, 0, 5 };
	const uint64_t huge[] = { 1ull << 31, 1ull << 31 };
	struct slot_space s;

	(void)state;
	assert_int_equal(slot_space_init(&s, sizes, 3), 0);
	assert_int_equal(slot_space_total(&s), 15);
	assert_int_equal(slot_space_number(&s, 0, 9), 9);
	assert_int_equal(slot_space_number(&s, 0, 10), SLOT_NOWHERE);
	assert_int_equal(slot_space_number(&s, 1, 0), SLOT_NOWHERE);
	assert_int_equal(slot_space_number(&s, 2, 4), 14);
	assert_int_equal(slot_space_number(&s, 3, 0), SLOT_NOWHERE);
	assert_int_equal(slot_space_part(&s, 0), 0);
	assert_int_equal(slot_space_part(&s, 9), 0);
	assert_int_equal(slot_space_part(&s, 10), 2);
	assert_int_equal(slot_space_part(&s, 14), 2);
	assert_int_equal(slot_space_init(&s, huge, 2), -E2BIG);
}

static void data_is_followed(void **state)
{
	const uint64_t sizes[] = { 50 };
	struct places p = { 0 };

	(void)state;
	assert_int_equal(slot_space_init(&p.space, sizes, 1), 0);
	assert_int_equal(places_init(&p, 100), 0);
	assert_int_equal(places_model(&p, 7), SLOT_NOWHERE);
	places_link(&p, 7, 49);
	assert_int_equal(places_model(&p, 7), 49);
	assert_int_equal(places_recorded(&p, 49), 7);
	places_unlink(&p, 7);
	places_unlink(&p, 7);
	assert_int_equal(places_model(&p, 7), SLOT_NOWHERE);
	assert_int_equal(places_recorded(&p, 49), SLOT_NOWHERE);
	places_free(&p);
}

/* Nowhere because it found no slot, and a slot that nobody has a name for, are told apart. */
static void data_may_stay_in_memory(void **state)
{
	const uint64_t sizes[] = { 50 };
	struct places p = { 0 };

	(void)state;
	assert_int_equal(slot_space_init(&p.space, sizes, 1), 0);
	assert_int_equal(places_init(&p, 100), 0);
	assert_false(places_in_memory(&p, 3));
	places_keep(&p, 3);
	assert_true(places_in_memory(&p, 3));
	assert_int_equal(places_model(&p, 3), SLOT_NOWHERE);
	places_unlink(&p, 3);
	assert_false(places_in_memory(&p, 3));
	places_claim(&p, 10, 2, true);
	assert_true(places_unnamed(&p, 11));
	assert_int_equal(places_recorded(&p, 11), SLOT_NOWHERE);
	places_link(&p, 3, 11);
	assert_int_equal(places_recorded(&p, 11), 3);
	places_free(&p);
}

/* A device of 100 slots, the last 20 of which are reserved: pool 0 ends at 80. */
static void reserved_slots_are_the_end_of_the_device(void **state)
{
	uint64_t sizes[SPACE_PARTS] = { [0] = 100, [SLOT_DEVICES] = 20 + 16 };
	struct places p = { .reserved_first = 16, .reserved_from = { 80 } };
	unsigned int type;
	uint64_t off;

	(void)state;
	assert_int_equal(slot_space_init(&p.space, sizes, SPACE_PARTS), 0);
	places_slot(&p, 79, &type, &off);
	assert_int_equal(type, 0);
	assert_int_equal(off, 79);
	/* Number 16 of the reserved part is its first slot: offset 80 of the device. */
	places_slot(&p, 100 + 16, &type, &off);
	assert_int_equal(type, 0);
	assert_int_equal(off, 80);
	assert_int_equal(places_at(&p, 0, 80), 116);
	assert_int_equal(places_at(&p, 0, 79), 79);
	assert_int_equal(places_at(&p, 0, 100), SLOT_NOWHERE);
}

/* --- reasons ---------------------------------------------------------------------------------- */

struct holes_test {
	struct alloc_holes holes;
	struct swap_alloc *pool[ALLOC_POOLS];
};

static void freed(void *ctx, int type, uint32_t off, uint32_t n)
{
	struct holes_test *t = ctx;

	alloc_holes_freed(&t->holes, 0, type, off, n);
}

/* What swap_alloc_explain() finds by looking at every slot. */
static enum fallback_reason explained(const struct swap_alloc *sa, unsigned int order)
{
	switch (swap_alloc_explain(sa, order)) {
	case SWAP_LABEL_FULL:
		return FALLBACK_FULL;
	case SWAP_LABEL_NO_ALIGNED_HOLE:
		return FALLBACK_NO_ALIGNED_HOLE;
	case SWAP_LABEL_HOLE_NOT_FOUND:
		return FALLBACK_HOLE_NOT_FOUND;
	default:
		return FALLBACK_CONFIG;
	}
}

struct given {
	uint32_t off, n;
};

/* Churn on a device of five clusters and a short one; every failure is explained both ways. */
static void churn(struct holes_test *t, uint64_t seed, unsigned int seen[FALLBACK_REASONS])
{
	struct swap_alloc *sa = t->pool[0];
	struct given *given = calloc(4096, sizeof(*given));
	unsigned int live = 0;

	assert_non_null(given);
	for (int i = 0; i < 6000; i++) {
		unsigned int order = next_random(&seed) % 3 ? 0 : next_random(&seed) % 11;
		struct swap_entry e;

		if (live && next_random(&seed) % 100 < (i / 2000 % 2 ? 60u : 5u)) {
			struct given *g = &given[next_random(&seed) % live];

			g->n--;
			assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, g->off + g->n, 1),
					 0);
			if (!g->n)
				*g = given[--live];
			continue;
		}
		if (!swap_alloc_folio(sa, 0, order, &e)) {
			given[live++] = (struct given){ e.off, 1u << order };
			continue;
		}
		enum fallback_reason reason = alloc_holes_reason(&t->holes, order, UINT32_MAX);

		assert_int_equal(reason, explained(sa, order));
		seen[reason]++;
	}
	free(given);
}

static void reasons_are_those_of_a_full_search(void **state)
{
	unsigned int seen[FALLBACK_REASONS] = { 0 };
	const char *generation;

	(void)state;
	for (unsigned int i = 0; (generation = swap_alloc_generation(i)); i++) {
		struct holes_test t = { 0 };
		struct swap_alloc_config cfg = { .generation = generation,
						 .nr_cpus = 1,
						 .cluster_slots = 512,
						 .env = { .ctx = &t, .freed = freed } };

		assert_int_equal(swap_alloc_create(&t.pool[0], &cfg), 0);
		add_device(t.pool[0], 0, 2700, SWAP_PRIO_DEFAULT, DISK);
		alloc_holes_init(&t.holes, t.pool);
		churn(&t, 17 + i, seen);
		swap_alloc_destroy(t.pool[0]);
	}
	/* The churn has met all of them. */
	assert_true(seen[FALLBACK_FULL] && seen[FALLBACK_NO_ALIGNED_HOLE] &&
		    seen[FALLBACK_HOLE_NOT_FOUND] && seen[FALLBACK_CONFIG]);
}

/* A device that the request may not use does not count; nor does a device that can't be large. */
static void reasons_know_the_devices(void **state)
{
	struct holes_test t = { 0 };
	struct swap_alloc *sa = new_alloc("cluster-6.12", 512, false);

	(void)state;
	t.pool[0] = sa;
	add_device(sa, 0, 1024, 5, DISK);
	add_device(sa, 1, 1024, 5, SWAP_DEV_SSD);
	alloc_holes_init(&t.holes, t.pool);
	assert_int_equal(alloc_holes_reason(&t.holes, 4, 1u << 0), FALLBACK_HOLE_NOT_FOUND);
	assert_int_equal(alloc_holes_reason(&t.holes, 4, 1u << 1), FALLBACK_CONFIG);
	assert_int_equal(alloc_holes_reason(&t.holes, 0, 1u << 1), FALLBACK_HOLE_NOT_FOUND);
	assert_int_equal(alloc_holes_reason(&t.holes, 0, 0), FALLBACK_CONFIG);
	assert_int_equal(swap_alloc_take(sa, 0, 1, 1023, 0), 0);
	assert_int_equal(alloc_holes_reason(&t.holes, 0, 1u << 0), FALLBACK_FULL);
	swap_alloc_destroy(sa);
}

/* --- states that are set -----------------------------------------------------------------------
 */

static void taken_slots_are_used(void **state)
{
	const char *generation;

	(void)state;
	for (unsigned int i = 0; (generation = swap_alloc_generation(i)); i++) {
		struct swap_alloc *sa = one_disk(generation, 2048);

		assert_int_equal(swap_alloc_take(sa, 0, 100, 1000, 0), 0);
		assert_sane(sa);
		assert_int_equal(sa->dev[0].inuse, 1000);
		assert_int_equal(sa->nr_swap_pages, 1047);
		/* Cluster 1 is full now: 512 .. 1023; 0 and 2 are partly used, 3 is free. */
		assert_int_equal(sa->dev[0].cluster[1].count, 512);
		assert_int_equal(swap_alloc_take(sa, 0, 1099, 2, 0), -EEXIST);
		assert_int_equal(swap_alloc_take(sa, 0, 0, 1, 0), -EINVAL);
		assert_int_equal(swap_alloc_take(sa, 0, 2047, 2, 0), -EINVAL);
		assert_int_equal(swap_alloc_give_back(sa, 0, 100, 1000), 0);
		assert_int_equal(swap_alloc_give_back(sa, 0, 100, 1), -ENOENT);
		assert_sane(sa);
		assert_int_equal(sa->dev[0].inuse, 0);
		assert_int_equal(swap_alloc_take(sa, 0, 1, 2047, 0), 0);
		assert_sane(sa);
		assert_int_equal(get(sa, 0), -1);
		swap_alloc_destroy(sa);
	}
}

/* 6.12 goes on where it is told to, and looks for order 4 in the cluster that is told to hold it.
 */
static void places_and_lists_are_set(void **state)
{
	struct swap_alloc *sa = one_disk("cluster-6.12", 2048);

	(void)state;
	assert_int_equal(swap_alloc_set_next(sa, 0, 0, 0, 1540), 0);
	assert_int_equal(get(sa, 0), 1540);
	assert_int_equal(get(sa, 0), 1541);
	assert_int_equal(swap_alloc_take(sa, 0, 512, 16, 0), 0);
	assert_int_equal(swap_alloc_take(sa, 0, 1024, 512, 0), 0);
	assert_int_equal(swap_alloc_set_cluster(sa, 0, 1, SWAP_LIST_FRAG, 4), 0);
	assert_sane(sa);
	assert_int_equal(get(sa, 4), 528);
	assert_int_equal(swap_alloc_set_cluster(sa, 0, 1, SWAP_LIST_FREE, 0), -EINVAL);
	assert_int_equal(swap_alloc_set_cluster(sa, 0, 1, SWAP_LIST_FULL, 0), -EINVAL);
	assert_int_equal(swap_alloc_set_cluster(sa, 0, 2, SWAP_LIST_FULL, 0), 0);
	assert_int_equal(swap_alloc_set_cluster(sa, 0, 4, SWAP_LIST_FRAG, 0), -EINVAL);
	assert_int_equal(swap_alloc_set_next(sa, 0, 0, 0, 2048), -EINVAL);
	assert_int_equal(swap_alloc_set_next(sa, 1, 0, 0, 1), -EINVAL);
	assert_sane(sa);
	swap_alloc_destroy(sa);
}

/* A drawn slot that turns out to be used leaves the slots cache; the next one stays the same. */
static void parked_slots_can_be_fetched(void **state)
{
	struct swap_alloc *sa = new_alloc("cluster-6.12", 512, true);
	struct swap_entry e;

	(void)state;
	add_device(sa, 0, 16384, SWAP_PRIO_DEFAULT, DISK);
	assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
	assert_int_equal(e.off, 512);
	assert_int_equal(swap_alloc_unpark(sa, 0, 520), 0);
	assert_int_equal(swap_alloc_unpark(sa, 0, 520), -ENOENT);
	assert_sane(sa);
	for (uint32_t off = 513; off < 523; off++) {
		if (off == 520)
			continue;
		assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
		assert_int_equal(e.off, off);
	}
	assert_int_equal(swap_alloc_free(sa, 0, SWAP_FREE_ZAP, 0, 515, 1), 0);
	assert_int_equal(swap_alloc_unpark(sa, 0, 515), 0);
	assert_sane(sa);
	swap_alloc_destroy(sa);
}

static void devices_can_be_forbidden(void **state)
{
	const char *generation;

	(void)state;
	for (unsigned int i = 0; (generation = swap_alloc_generation(i)); i++) {
		struct swap_alloc *sa = new_alloc(generation, 512, false);
		struct swap_entry e;

		add_device(sa, 0, 4096, 9, DISK);
		add_device(sa, 1, 4096, 5, DISK);
		for (int k = 0; k < 40; k++) {
			sa->allowed = k % 2 ? 1u << 1 : 1u << 0;
			assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), 0);
			assert_int_equal(e.type, k % 2);
		}
		sa->allowed = 0;
		assert_int_equal(swap_alloc_folio(sa, 0, 0, &e), -ENOSPC);
		assert_sane(sa);
		swap_alloc_destroy(sa);
	}
}

/* --- policies --------------------------------------------------------------------------------- */

static void write_file(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void devices_are_read(void **state)
{
	char path[] = "/tmp/swaptrace-devices.XXXXXX";
	struct alloc_policy p = { 0 }, q = { 0 };
	struct error e;

	(void)state;
	write_file(path, "# two\ntype=0 pages=1537 prio=10 memcg=1,7\n\n"
			 "type=31 pages=4294967294 prio=-5 flags=rotational,blkdev\n");
	assert_int_equal(alloc_policy_devices(&p, path, &e), 0);
	assert_true(p.devices && p.device[0].present && p.device[31].present &&
		    !p.device[1].present);
	assert_int_equal(p.device[0].pages, 1537);
	assert_int_equal(p.device[0].prio, 10);
	assert_int_equal(p.device[0].flags, DEVICE_SSD | DEVICE_BLKDEV);
	assert_int_equal(p.device[0].nmemcgs, 2);
	assert_int_equal(p.device[0].memcgs[1], 7);
	assert_int_equal(p.device[31].prio, -5);
	assert_int_equal(p.device[31].flags, DEVICE_ROTATIONAL | DEVICE_BLKDEV);
	assert_int_equal(alloc_policy_devices(&q, path, &e), 0);
	assert_true(alloc_policy_same(&p, &q) && alloc_policy_set(&p));
	q.device[0].memcgs[1] = 8;
	assert_false(alloc_policy_same(&p, &q));
	unlink(path);
}

static void bad_devices_are_named(void **state)
{
	static const struct {
		const char *text, *names;
	} rows[] = {
		{ "", "names no device" },
		{ "# nothing\n", "names no device" },
		{ "type=0\n", ":1: a device needs type= and pages=" },
		{ "pages=5\n", ":1: a device needs type= and pages=" },
		{ "type=32 pages=5\n", ":1: type=32" },
		{ "type=0 pages=1\n", "pages=1 is not" },
		{ "type=0 pages=4294967295\n", "pages=4294967295 is not" },
		{ "type=0 pages=99999999999999999999\n", "is not a number" },
		{ "type=0 pages=5 prio=high\n", "prio=high" },
		{ "type=0 pages=5 prio=32768\n", "prio=32768" },
		{ "type=0 pages=5 flags=fast\n", "flags=fast" },
		{ "type=0 pages=5 memcg=x\n", "memcg=x" },
		{ "type=0 pages=5 memcg=1,2,3,4,5,6,7,8,9\n", "memcg=9" },
		{ "type=0 pages=5 colour=red\n", "unknown key 'colour'" },
		{ "type=0 pages=5 red\n", "'red' is not key=value" },
		{ "type=0 pages=5\ntype=0 pages=6\n", ":2: device 0 is there twice" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[] = "/tmp/swaptrace-devices.XXXXXX";
		struct alloc_policy p = { 0 };
		struct error e;

		write_file(path, rows[i].text);
		assert_int_equal(alloc_policy_devices(&p, path, &e), -EINVAL);
		assert_non_null(strstr(e.text, rows[i].names));
		unlink(path);
	}
}

static void settings_are_parsed(void **state)
{
	static const char *const bad[] = {
		"allocator=",	"allocator=v6.1", "reserve=4",
		"reserve=14:5", "reserve=4:0",	  "reserve=4:100",
		"reserve=4:5x", "reserve=-1:5",	  "devices=/nonexistent"
	};
	const struct kernel *k = kernel_by_name("v6.12");
	struct policy p;
	struct error e;

	(void)state;
	assert_int_equal(policy_parse(&p, k, "allocator=nonfull-v1,reserve=4:25,cpus=2", &e), 0);
	assert_string_equal(p.alloc.allocator, "nonfull-v1");
	assert_true(p.what_if && p.alloc.reserve);
	assert_int_equal(p.alloc.reserve_order, 4);
	assert_int_equal(p.alloc.reserve_percent, 25);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_true(policy_parse(&p, k, bad[i], &e) < 0);
}

/* --- results ---------------------------------------------------------------------------------- */

static void fill_result(struct alloc_result *r)
{
	memset(r, 0, sizeof(*r));
	r->known = r->recorded_known = r->slots_cache = true;
	strcpy(r->allocator, "cluster-6.12");
	r->norders = 10;
	r->orders[0] = (struct alloc_order){ 5, 1, { 1, 0, 0, 0, 0 } };
	r->orders[4] = (struct alloc_order){ (1ull << 60) + 1, 15, { 1, 2, 3, 4, 5 } };
	r->recorded[9].fallback = 7;
	r->first = (struct alloc_first){ .known = true,
					 .n = 33,
					 .t_ns = 99,
					 .order = 4,
					 .reason = FALLBACK_HOLE_NOT_FOUND,
					 .free_pct = 12.5,
					 .free_clusters = 2,
					 .norders = 10,
					 .holes = { 100, 40, 9, 3, 1 } };
	r->requests = 11;
	r->clusters = 8;
	r->clusters_touched = 7;
	r->clusters_free = 2;
	r->absorbed = 3;
	r->invented = 16;
	r->unplaced = 1;
	r->free_runs[0] = 4;
	r->free_runs[9] = 1;
	r->devices[3] = (struct alloc_device){ true, 4096, -2, 30, 20, 25, 28 };
	r->chunks = calloc(1, sizeof(*r->chunks));
	r->groups = calloc(1, sizeof(*r->groups));
	r->slices = calloc(1, sizeof(*r->slices));
	assert_true(r->chunks && r->groups && r->slices);
	r->nchunks = r->ngroups = r->nslices = 1;
	r->chunks[0] = (struct alloc_chunk){ 3, 1, 400, 4 };
	r->groups[0] = (struct alloc_group){ 77, 3, 232 };
	r->slices[0].t_ns = 5;
	r->slices[0].orders[4].fallback = 6;
	r->slices[0].used[31] = 9;
}

static void results_come_back(void **state)
{
	struct alloc_result r, copy, back = { 0 };
	const char *key;
	int failed = 0;
	json_t *o;

	(void)state;
	fill_result(&r);
	assert_int_equal(alloc_result_copy(&copy, &r), 0);
	o = alloc_json(&copy, &failed);
	assert_non_null(o);
	assert_int_equal(failed, 0);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "first_fallback"),
							    "aligned_holes")),
			 1);
	assert_int_equal(alloc_from_json(o, &back, &key), 0);
	assert_memory_equal(back.orders, r.orders, sizeof(r.orders));
	assert_memory_equal(back.recorded, r.recorded, sizeof(r.recorded));
	assert_memory_equal(back.free_runs, r.free_runs, sizeof(r.free_runs));
	assert_memory_equal(back.slices, r.slices, sizeof(*r.slices));
	assert_memory_equal(&back.devices[3], &r.devices[3], sizeof(r.devices[3]));
	assert_memory_equal(back.first.holes, r.first.holes, sizeof(r.first.holes));
	assert_true(back.first.known && back.first.n == 33 && back.first.order == 4 &&
		    back.first.reason == FALLBACK_HOLE_NOT_FOUND && back.first.free_pct == 12.5);
	assert_true(back.known && back.slots_cache && back.recorded_known && back.norders == 10);
	assert_string_equal(back.allocator, r.allocator);
	assert_true(back.chunks[0].slots == 400 && back.chunks[0].cpus == 4);
	assert_true(back.groups[0].memcg == 77 && back.groups[0].slots == 232);
	assert_true(back.invented == 16 && back.absorbed == 3 && back.clusters_touched == 7);
	json_decref(o);
	alloc_result_free(&back);
	alloc_result_free(&copy);
	alloc_result_free(&r);
}

static void broken_results_are_named(void **state)
{
	static const struct {
		const char *text, *key;
	} rows[] = {
		{ "{\"orders\": {\"99\": {}}}", "orders" },
		{ "{\"orders\": {\"4\": 3}}", "orders" },
		{ "{\"orders\": {\"4\": {\"swpout\": -1}}}", "swpout" },
		{ "{\"orders\": 4}", "orders" },
		{ "{\"requests\": \"many\"}", "requests" },
		{ "{\"first_fallback\": {\"order\": 14, \"reason\": \"full\"}}", "order" },
		{ "{\"first_fallback\": {\"order\": 4, \"reason\": \"bad luck\"}}", "reason" },
		{ "{\"first_fallback\": {\"order\": 4, \"reason\": \"full\", \"holes\": {\"-1\": "
		  "1}}}",
		  "holes" },
		{ "{\"free_runs\": {\"0\": 1}}", "free_runs" },
		{ "{\"devices\": [{\"type\": 32}]}", "devices" },
		{ "{\"slices\": [{\"orders\": {\"14\": {}}}]}", "slices" },
		{ "{\"slices\": {}}", "slices" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		json_t *o = json_loads(rows[i].text, 0, NULL);
		struct alloc_result r = { 0 };
		const char *key = NULL;

		assert_non_null(o);
		assert_int_equal(alloc_from_json(o, &r, &key), -EBADMSG);
		assert_string_equal(key, rows[i].key);
		alloc_result_free(&r);
		json_decref(o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_numbered),
		cmocka_unit_test(data_may_stay_in_memory),
		cmocka_unit_test(reserved_slots_are_the_end_of_the_device),
		cmocka_unit_test(data_is_followed),
		cmocka_unit_test(reasons_are_those_of_a_full_search),
		cmocka_unit_test(reasons_know_the_devices),
		cmocka_unit_test(taken_slots_are_used),
		cmocka_unit_test(places_and_lists_are_set),
		cmocka_unit_test(parked_slots_can_be_fetched),
		cmocka_unit_test(devices_can_be_forbidden),
		cmocka_unit_test(devices_are_read),
		cmocka_unit_test(bad_devices_are_named),
		cmocka_unit_test(settings_are_parsed),
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(broken_results_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
