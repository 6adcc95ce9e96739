// SPDX-License-Identifier: GPL-2.0
/* The hash map and the string pool against plain arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/map.h"
#include "common/strpool.h"

#define KEYS 512

/* xorshift: the same sequence everywhere */
static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void map_is_empty_at_first(void **state)
{
	struct map m = { 0 };

	(void)state;
	assert_null(map_get(&m, 1, 2));
	map_remove(&m, 1, 2);
	map_free(&m);
}

/* Random insertions, replacements and removals over few keys, so that runs collide and break. */
static void map_agrees_with_an_array(void **state)
{
	struct map m = { 0 };
	uint64_t value[KEYS] = { 0 }, seed = 42;
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t key = next(&seed) % KEYS, v = next(&seed) | 1;

		if (next(&seed) % 3) {
			assert_int_equal(map_set(&m, key / 7, key, v), 0);
			count += !value[key];
			value[key] = v;
		} else {
			map_remove(&m, key / 7, key);
			count -= value[key] != 0;
			value[key] = 0;
		}
		key = next(&seed) % KEYS;
		uint64_t *got = map_get(&m, key / 7, key);

		assert_int_equal(got ? *got : 0, value[key]);
		assert_int_equal(m.count, count);
	}
	map_free(&m);
}

static void both_numbers_are_the_key(void **state)
{
	struct map m = { 0 };

	(void)state;
	assert_int_equal(map_set(&m, 1, 2, 12), 0);
	assert_int_equal(map_set(&m, 2, 1, 21), 0);
	assert_int_equal(*map_get(&m, 1, 2), 12);
	assert_int_equal(*map_get(&m, 2, 1), 21);
	assert_null(map_get(&m, 1, 1));
	map_free(&m);
}

static void strings_are_bytes_and_ids_are_stable(void **state)
{
	struct strpool *p = strpool_new();
	char name[16];
	size_t len;

	(void)state;
	assert_non_null(p);
	assert_int_equal(strpool_intern(p, "a\0b", 3), 1);
	assert_int_equal(strpool_intern(p, "a", 1), 2);
	assert_int_equal(strpool_intern(p, "", 0), 3);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "task%d", i);
		assert_int_equal(strpool_intern(p, name, strlen(name)), 4 + i);
	}
	assert_int_equal(strpool_intern(p, "a\0b", 3), 1);
	assert_int_equal(strpool_intern(p, "task4999", 8), 5003);
	assert_memory_equal(strpool_get(p, 1, &len), "a\0b", 3);
	assert_int_equal(len, 3);
	assert_int_equal(strpool_count(p), 5003);
	assert_null(strpool_get(p, 0, NULL));
	assert_null(strpool_get(p, 5004, NULL));
	strpool_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_is_empty_at_first),
		cmocka_unit_test(map_agrees_with_an_array),
		cmocka_unit_test(both_numbers_are_the_key),
		cmocka_unit_test(strings_are_bytes_and_ids_are_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
