// SPDX-License-Identifier: GPL-2.0
/*
 * The results document: it says what docs/schema/results.schema.json says, is read back as it was
 * written, and is not believed (case 61).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/distribution.h"
#include "analyze/reproduce_json.h"
#include "analyze/result_json.h"
#include "render/format.h"

#define SCHEMA "docs/schema/results.schema.json"

/* As much of JSON Schema as ours uses. A keyword that is not known fails the test. */
static const json_t *schema_root;

static bool valid(const json_t *schema, const json_t *v);

static bool type_matches(const char *type, const json_t *v)
{
	if (!strcmp(type, "null"))
		return json_is_null(v);
	if (!strcmp(type, "object"))
		return json_is_object(v);
	if (!strcmp(type, "array"))
		return json_is_array(v);
	if (!strcmp(type, "string"))
		return json_is_string(v);
	if (!strcmp(type, "boolean"))
		return json_is_boolean(v);
	if (!strcmp(type, "integer"))
		return json_is_integer(v);
	return !strcmp(type, "number") && json_is_number(v);
}

static bool type_valid(const json_t *type, const json_t *v)
{
	size_t i;
	json_t *one;

	if (json_is_string(type))
		return type_matches(json_string_value(type), v);
	json_array_foreach(type, i, one) if (type_matches(json_string_value(one), v)) return true;
	return false;
}

static bool members_valid(const json_t *properties, const json_t *others, const json_t *v)
{
	const char *key;
	json_t *member;

	json_object_foreach((json_t *)v, key, member)
	{
		const json_t *s = json_object_get(properties, key);

		if (!valid(s ? s : others, member)) {
			print_message("key \"%s\" is not as the schema says\n", key);
			return false;
		}
	}
	return true;
}

static bool keyword_valid(const json_t *schema, const char *word, const json_t *arg,
			  const json_t *v)
{
	size_t i;
	json_t *one;

	if (!strcmp(word, "type"))
		return type_valid(arg, v);
	if (!strcmp(word, "const"))
		return json_equal(arg, v);
	if (!strcmp(word, "minimum"))
		return !json_is_number(v) || json_number_value(v) >= json_number_value(arg);
	if (!strcmp(word, "maximum"))
		return !json_is_number(v) || json_number_value(v) <= json_number_value(arg);
	if (!strcmp(word, "properties") || !strcmp(word, "additionalProperties"))
		return members_valid(json_object_get(schema, "properties"),
				     json_object_get(schema, "additionalProperties"), v);
	if (!strcmp(word, "items")) {
		json_array_foreach(v, i, one) if (!valid(arg, one)) return false;
		return true;
	}
	if (!strcmp(word, "required")) {
		json_array_foreach(arg, i, one) if (json_is_object(v) &&
						    !json_object_get(v, json_string_value(one)))
		{
			print_message("key \"%s\" is missing\n", json_string_value(one));
			return false;
		}
		return true;
	}
	if (!strcmp(word, "anyOf")) {
		json_array_foreach(arg, i, one) if (valid(one, v)) return true;
		return false;
	}
	if (!strcmp(word, "enum")) {
		json_array_foreach(arg, i, one) if (json_equal(one, v)) return true;
		return false;
	}
	if (!strcmp(word, "$ref"))
		return valid(json_object_get(json_object_get(schema_root, "$defs"),
					     json_string_value(arg) + strlen("#/$defs/")),
			     v);
	if (!strcmp(word, "description") || !strcmp(word, "title") || word[0] == '$')
		return true;
	fail_msg("the schema uses \"%s\", which this test does not know", word);
	return false;
}

static bool valid(const json_t *schema, const json_t *v)
{
	const char *word;
	json_t *arg;

	json_object_foreach((json_t *)schema, word,
			    arg) if (!keyword_valid(schema, word, arg, v)) return false;
	return true;
}

static json_t *load_schema(void)
{
	json_error_t e;
	json_t *s = json_load_file(SCHEMA, 0, &e);

	if (!s)
		fail_msg("%s: %s", SCHEMA, e.text);
	schema_root = s;
	return s;
}

/* A result in which every part is used. */
static void fill(struct replay_result *r)
{
	memset(r, 0, sizeof(*r));
	strcpy(r->policy, "swapoff=vanilla");
	strcpy(r->model, "v6.12");
	r->what_if = true;
	r->start_state = START_SNAPSHOT;
	r->lost = 3;
	r->readahead.known = true;
	r->readahead.calls = 9007199254740995;
	histogram_add(&r->readahead.windows, 1, 2);
	histogram_add(&r->readahead.windows, 8, 9007199254740993);
	histogram_add(&r->readahead.cluster_windows, 8, 9007199254740993);
	histogram_add(&r->readahead.vma_windows, 1, 2);
	r->readahead.batches = 11;
	r->readahead.pages_read = 12;
	r->readahead.hits = COUNT_UNKNOWN;
	r->readahead.drains = INT64_MAX;
	r->readahead.bypassed = 0;
	r->verify.done = true;
	r->verify.checked = 100;
	r->verify.agreed = 99;
	strcpy(r->verify.missing, "READ events");
	r->verify.nfirst = 1;
	r->verify.first[0].t_ns = 5;
	r->verify.first[0].event = "RA";
	strcpy(r->verify.first[0].recorded, "ret=8");
	strcpy(r->verify.first[0].predicted, "ret=4");
	strcpy(r->verify.first[0].why, "order of events");
	r->estimate.known = true;
	r->estimate.seconds = 12.25;
	strcpy(r->estimate.assumptions, "virtio");
	r->nslices = 1;
	r->slices = calloc(1, sizeof(*r->slices));
	r->slices[0].t_ns = 7;
	r->slices[0].hits = 4;
	r->nphases = 1;
	r->phases = calloc(1, sizeof(*r->phases));
	r->phases[0].page_cluster = 3;
	r->phases[0].vma_ra = -1;
	histogram_add(&r->phases[0].vma_windows, 32, 6);
	r->nswapoffs = 1;
	r->swapoffs = calloc(1, sizeof(*r->swapoffs));
	r->swapoffs[0].type = -1;
	r->swapoffs[0].killed = true;
	r->swapoffs[0].ret = -4;
	r->swapoffs[0].pages = 77;
	replay_result_note(r, "a comm of \xe4"
			      "bc");
}

static void fill_facts(struct trace_facts *f)
{
	trace_facts_init(f);
	strcpy(f->name, "t.swaptrace");
	strcpy(f->release, "6.12.117");
	f->page_size = 4096;
	f->page_cluster = 3;
	f->events = 1000;
	f->lost = 3;
	f->ndevices = 1;
	f->devices[0].type = 2;
	f->devices[0].have_pages = true;
	f->devices[0].pages = 262144;
	f->devices[0].have_prio = true;
	f->devices[0].prio = -2;
	strcpy(f->devices[0].name, "/dev/vda");
}

static char *path_of(const char *text, size_t len)
{
	static char path[64];
	int fd;

	strcpy(path, "/tmp/swaptrace-unit-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	return path;
}

static char *written(const struct trace_facts *f, const struct replay_result *r, unsigned int n)
{
	struct error e = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (results_write(out, f, r, n, &e))
		fail_msg("%s", e.text);
	fclose(out);
	return text;
}

static void a_document_is_as_the_schema_says(void **state)
{
	json_t *schema = load_schema(), *doc;
	struct replay_result r[2];
	struct trace_facts f;
	char *text;

	(void)state;
	fill(&r[0]);
	memset(&r[1], 0, sizeof(r[1])); /* a replay that found nothing to work with */
	fill_facts(&f);
	text = written(&f, r, 2);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(doc);
	assert_true(valid(schema, doc));
	/* The validator must be able to say no. */
	json_object_del(json_object_get(doc, "swaptrace"), "schema");
	assert_false(valid(schema, doc));
	json_decref(doc);
	doc = json_loads(text, 0, NULL);
	json_object_set_new(json_array_get(json_object_get(doc, "results"), 0), "lost",
			    json_string("3"));
	assert_false(valid(schema, doc));
	json_decref(doc);
	json_decref(schema);
	replay_result_free(&r[0]);
	free(text);
}

static void missing_is_null_and_numbers_are_exact(void **state)
{
	struct replay_result r[2];
	char *text;

	(void)state;
	fill(&r[0]);
	memset(&r[1], 0, sizeof(r[1]));
	text = written(NULL, r, 2);
	assert_non_null(strstr(text, "\"8\": 9007199254740993"));
	assert_non_null(strstr(text, "\"calls\": 9007199254740995"));
	assert_non_null(strstr(text, "\"drains\": 9223372036854775807"));
	assert_non_null(strstr(text, "\"hits\": null"));
	assert_non_null(strstr(text, "\"bypassed\": 0"));
	assert_non_null(strstr(text, "\"hit_percent\": null")); /* 0 of 0 */
	assert_non_null(strstr(text, "\"seconds\": 12.25"));
	assert_non_null(strstr(text, "\"trace\": null"));
	assert_non_null(strstr(text, "a comm of \\\\xe4bc"));
	/* The second one has no counts, which is not the same as counts of 0. */
	assert_non_null(strstr(text, "\"calls\": null"));
	assert_non_null(strstr(text, "\"windows\": null"));
	assert_null(strcasestr(text, "nan"));
	assert_null(strcasestr(text, "inf"));
	replay_result_free(&r[0]);
	free(text);
}

static void check_read_back(const struct stored_result *s)
{
	const struct replay_result *r = &s->result;

	assert_string_equal(r->policy, "swapoff=vanilla");
	assert_string_equal(r->model, "v6.12");
	assert_true(r->what_if);
	assert_int_equal(r->start_state, START_SNAPSHOT);
	assert_int_equal(r->lost, 3);
	assert_true(r->readahead.known);
	assert_int_equal(r->readahead.calls, 9007199254740995);
	assert_int_equal(distribution_count(&r->readahead.windows, 8), 9007199254740993);
	assert_int_equal(distribution_count(&r->readahead.vma_windows, 1), 2);
	assert_true(r->readahead.hits == COUNT_UNKNOWN);
	assert_int_equal(r->readahead.pages_read, 12);
	assert_true(r->verify.done);
	assert_int_equal(r->verify.agreed, 99);
	assert_string_equal(r->verify.first[0].predicted, "ret=4");
	assert_string_equal(r->verify.first[0].event, "RA");
	assert_true(r->estimate.known);
	assert_true(fabs(r->estimate.seconds - 12.25) < 1e-12);
	assert_int_equal(r->slices[0].hits, 4);
	assert_int_equal(r->phases[0].vma_ra, -1);
	assert_int_equal(distribution_count(&r->phases[0].vma_windows, 32), 6);
	assert_true(r->swapoffs[0].killed);
	assert_int_equal(r->swapoffs[0].ret, -4);
	assert_int_equal(r->swapoffs[0].type, -1);
	assert_string_equal(r->notes[0], "a comm of \\xe4bc");
	assert_true(s->have_facts);
	assert_string_equal(s->facts.release, "6.12.117");
	assert_true(s->facts.vma_ra == COUNT_UNKNOWN);
	assert_int_equal(s->facts.devices[0].prio, -2);
	assert_false(s->facts.devices[0].have_flags);
	assert_true(isnan(s->seconds));
}

static void a_document_is_read_back(void **state)
{
	struct results_file file;
	struct replay_result r;
	struct trace_facts f;
	struct error e = { 0 };
	char *text, *path;

	(void)state;
	fill(&r);
	fill_facts(&f);
	text = written(&f, &r, 1);
	path = path_of(text, strlen(text));
	if (results_read(path, &file, &e))
		fail_msg("%s", e.text);
	assert_int_equal(file.n, 1);
	check_read_back(&file.entries[0]);
	results_file_free(&file);
	unlink(path);
	replay_result_free(&r);
	free(text);
}

static void a_count_that_json_can_not_hold_is_refused(void **state)
{
	struct replay_result r = { .lost = (uint64_t)INT64_MAX + 1 };
	struct error e = { 0 };
	FILE *out = fopen("/dev/null", "w");

	(void)state;
	assert_int_equal(results_write(out, NULL, &r, 1, &e), -ERANGE);
	fclose(out);
}

static void a_full_disk_is_an_error(void **state)
{
	struct replay_result r = { 0 };
	struct error e = { 0 };
	FILE *out = fopen("/dev/full", "w");
	int ret;

	(void)state;
	if (!out)
		skip();
	setvbuf(out, NULL, _IONBF, 0);
	ret = results_write(out, NULL, &r, 1, &e);
	assert_true(ret < 0);
	fclose(out);
}

static void refuse(const char *text, const char *says)
{
	char *path = path_of(text, strlen(text));
	struct results_file file;
	struct error e = { 0 };

	assert_int_equal(results_read(path, &file, &e), -EBADMSG);
	if (!strstr(e.text, says) || !strstr(e.text, path))
		fail_msg("\"%s\" does not name %s and the file", e.text, says);
	assert_null(file.entries);
	unlink(path);
}

#define HEAD "{\"swaptrace\": {\"schema\": 1}, \"trace\": null, \"results\": "

static void damage_is_named(void **state)
{
	(void)state;
	refuse("", "broken JSON");
	refuse("{\"a\": 1", "line 1");
	refuse("{\"a\": 1, \"a\": 2}", "broken JSON");
	refuse("[]", "no \"swaptrace\" key");
	refuse("{\"other\": {}}", "no \"swaptrace\" key");
	refuse("{\"swaptrace\": {\"schema\": 2}, \"results\": []}", "newer version (schema 2");
	refuse("{\"swaptrace\": {\"schema\": \"1\"}, \"results\": []}", "schema");
	refuse("{\"swaptrace\": {}, \"results\": []}", "schema");
	refuse("{\"swaptrace\": {\"schema\": 1}}", "results");
	refuse(HEAD "[1]}", "results");
	refuse(HEAD "[{\"lost\": -1}]}", "lost");
	refuse(HEAD "[{\"lost\": 1.5}]}", "lost");
	refuse(HEAD "[{\"policy\": 7}]}", "policy");
	refuse(HEAD "[{\"readahead\": {\"calls\": 1, \"windows\": {\"x\": 1}}}]}", "windows");
	refuse(HEAD "[{\"readahead\": {\"calls\": 1, \"windows\": {\"-1\": 1}}}]}", "windows");
	refuse(HEAD "[{\"readahead\": {\"calls\": 1, \"windows\": {\"1\": null}}}]}", "windows");
	refuse(HEAD "[{\"readahead\": []}]}", "readahead");
	refuse(HEAD "[{\"phases\": [{\"page_cluster\": 99}]}]}", "page_cluster");
	refuse(HEAD "[{\"notes\": [1]}]}", "notes");
}

static void what_is_absent_is_unknown(void **state)
{
	char *path = path_of(HEAD "[{\"new_key\": 1}]}", strlen(HEAD "[{\"new_key\": 1}]}"));
	struct results_file file;
	struct error e = { 0 };

	(void)state;
	assert_int_equal(results_read(path, &file, &e), 0);
	assert_int_equal(file.n, 1);
	assert_false(file.entries[0].result.readahead.known);
	assert_true(file.entries[0].result.readahead.calls == COUNT_UNKNOWN);
	assert_true(file.entries[0].result.lost == COUNT_UNKNOWN);
	assert_false(file.entries[0].result.estimate.known);
	results_file_free(&file);
	unlink(path);
}

/* Two values before, one after: a mean of 150 and of 100, no test. A third of the time less. */
static void fill_times(struct drain_times *t)
{
	static const char text[] = "# unit=ns emulated=1 drain=always release=6.12\n100 200\n";
	char before[64];
	struct error e = { 0 };

	strcpy(before, path_of(text, strlen(text)));
	if (drain_times_read(before, path_of("100\n", 4), t, &e))
		fail_msg("%s", e.text);
	assert_int_equal(t->before.s.n, 2);
	assert_string_equal(t->before.unit, "ns");
	assert_string_equal(t->before.drain, "always");
	assert_int_equal(t->before.emulated, 1);
	assert_int_equal(t->after.emulated, -1);
	assert_int_equal(t->welch.refused, TEST_ONE_VALUE);
	unlink(before);
}

static json_t *document_of(json_t *reproduce, const struct replay_result *r)
{
	struct result_item item = { .result = r, .seconds = NAN };
	struct error e = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *doc;

	assert_non_null(out);
	if (results_write_more(out, &item, 1, "reproduce", reproduce, &e))
		fail_msg("%s", e.text);
	fclose(out);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(doc);
	return doc;
}

static void threads_are_as_the_schema_says(void **state)
{
	struct calibration c = { .release = "6.12.0", .rounds = 3, .call = { 2, 1, 3 } };
	json_t *schema = load_schema(), *docs[5], *ours;
	struct replay_result r;
	struct drain_times t;

	(void)state;
	memset(&r, 0, sizeof(r));
	fill_times(&t);
	docs[0] = document_of(reproduce_swapoff_json(), &r);
	docs[1] = document_of(reproduce_mthp_json(), &r);
	docs[2] = document_of(reproduce_drain_json(NULL), &r);
	docs[3] = document_of(reproduce_drain_json(&t), &r);
	docs[4] = document_of(reproduce_lruadd_json(&c), &r);
	for (int i = 0; i < 5; i++)
		assert_true(valid(schema, docs[i]));
	ours = json_object_get(json_object_get(docs[3], "reproduce"), "ours");
	assert_true(json_is_null(json_object_get(ours, "welch")));
	/* Amean is the ninth row: 100 - 100 * 100 / 150. */
	ours = json_array_get(json_object_get(ours, "rows"), 8);
	assert_string_equal(json_string_value(json_object_get(ours, "name")), "Amean");
	assert_true(fabs(json_real_value(json_object_get(ours, "change")) - 100.0 / 3) < 1e-9);
	json_object_set_new(json_object_get(docs[4], "reproduce"), "thread", json_string("x"));
	assert_false(valid(schema, docs[4]));
	for (int i = 0; i < 5; i++)
		json_decref(docs[i]);
	json_decref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_is_as_the_schema_says),
		cmocka_unit_test(threads_are_as_the_schema_says),
		cmocka_unit_test(missing_is_null_and_numbers_are_exact),
		cmocka_unit_test(a_document_is_read_back),
		cmocka_unit_test(a_count_that_json_can_not_hold_is_refused),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(damage_is_named),
		cmocka_unit_test(what_is_absent_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
