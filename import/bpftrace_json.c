// SPDX-License-Identifier: GPL-2.0
#include "import/bpftrace_json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "traces/number.h"

bool bpftrace_json_recognise(const char *head, size_t len)
{
	static const char begin[] = "{\"type\":";
	const char *end = head + len;

	while (head < end) {
		const char *nl = memchr(head, '\n', (size_t)(end - head));

		if ((size_t)(end - head) > sizeof(begin) && !memcmp(head, begin, sizeof(begin) - 1))
			return true;
		head = nl ? nl + 1 : end;
	}
	return false;
}

/* Numbers that a double does not hold are strings. */
static bool get_number(const json_t *j, int64_t *v)
{
	const char *s = json_string_value(j);

	if (s)
		return number_i64(s, strlen(s), v);
	*v = json_integer_value(j);
	return json_is_integer(j);
}

static bool get_count(const json_t *j, uint64_t *v)
{
	const char *s = json_string_value(j);

	if (s)
		return number_decimal(s, strlen(s), v);
	*v = (uint64_t)json_integer_value(j);
	return json_is_integer(j) && json_integer_value(j) >= 0;
}

/* "[KEY]" as text has it: ", " before the last part, where JSON has a comma. */
static void put_key(FILE *out, const char *key)
{
	const char *comma = strrchr(key, ',');
	char text[1024];

	fputc('[', out);
	if (comma) {
		escape_text(key, (size_t)(comma - key), text, sizeof(text));
		fprintf(out, "%s, ", text);
		key = comma + 1 + (comma[1] == ' ');
	}
	escape_text(key, strlen(key), text, sizeof(text));
	fprintf(out, "%s]", text);
}

static bool put_count(FILE *out, const char *map, const char *key, const json_t *value)
{
	uint64_t n;

	if (!get_count(value, &n))
		return false;
	fputs(map, out);
	if (key)
		put_key(out, key);
	fprintf(out, ": %" PRIu64 "\n", n);
	return true;
}

/* Bounds are inclusive here; one that is not there is open. */
static bool put_bucket(FILE *out, const json_t *bucket)
{
	const json_t *min = json_object_get(bucket, "min"), *max = json_object_get(bucket, "max");
	int64_t low, high;
	uint64_t count;

	if (!get_count(json_object_get(bucket, "count"), &count))
		return false;
	if (min && !get_number(min, &low))
		return false;
	if (max && (!get_number(max, &high) || high == INT64_MAX))
		return false;
	if (min)
		fprintf(out, "[%" PRId64 ", ", low);
	else
		fputs("(..., ", out);
	if (max)
		fprintf(out, "%" PRId64 ") %" PRIu64 " |\n", high + 1, count);
	else
		fprintf(out, "...) %" PRIu64 " |\n", count);
	return true;
}

static bool put_hist(FILE *out, const char *map, const char *key, const json_t *buckets)
{
	bool ok = json_is_array(buckets);

	fputs(map, out);
	if (key)
		put_key(out, key);
	fputs(":\n", out);
	for (size_t i = 0; ok && i < json_array_size(buckets); i++)
		ok = put_bucket(out, json_array_get(buckets, i));
	fputc('\n', out);
	return ok;
}

/* {"@name": VALUE} or {"@name": {"key": VALUE, ...}}. Returns how much of it is not a count. */
static uint64_t put_map(FILE *out, json_t *data,
			bool (*put)(FILE *out, const char *map, const char *key, const json_t *v))
{
	uint64_t bad = 0;
	const char *map, *key;
	json_t *value, *one;

	json_object_foreach(data, map, value)
	{
		if (!json_is_object(value)) {
			bad += !put(out, map, NULL, value);
			continue;
		}
		json_object_foreach(value, key, one) bad += !put(out, map, key, one);
	}
	fputc('\n', out);
	return bad;
}

/* In 0.17 the number is in data, later beside it as well. */
static uint64_t put_loss(FILE *out, const json_t *record, const json_t *data)
{
	const json_t *n = json_object_get(data, "events");
	uint64_t lost;

	if (!get_count(n ? n : json_object_get(record, "count"), &lost))
		return 1;
	fprintf(out, "Lost %" PRIu64 " events\n", lost);
	return 0;
}

static uint64_t put_record(FILE *out, const json_t *record)
{
	static const char *const maps_of_others[] = { "stats", "tseries" };
	const char *type = json_string_value(json_object_get(record, "type"));
	json_t *data = json_object_get(record, "data");

	if (!type)
		return 1;
	if (!strcmp(type, "map"))
		return put_map(out, data, put_count);
	if (!strcmp(type, "hist"))
		return put_map(out, data, put_hist);
	if (!strcmp(type, "lost_events"))
		return put_loss(out, record, data);
	return !strcmp(type, maps_of_others[0]) || !strcmp(type, maps_of_others[1]);
}

static void skip(struct skipped_lines *s, uint64_t number, uint64_t n)
{
	if (!s->n && n)
		s->first = number;
	s->n += n;
}

static void convert_line(FILE *out, const char *line, size_t len, uint64_t number,
			 struct skipped_lines *skipped)
{
	json_error_t why;
	json_t *record;

	if (*line != '{')
		return;
	/* Keys may have been made equal by blanks that were left out: not one of them may win. */
	record = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
	skip(skipped, number, record ? put_record(out, record) : 1);
	json_decref(record);
}

int bpftrace_json_text(FILE *in, const char *name, char **text, size_t *len,
		       struct skipped_lines *skipped, struct error *e)
{
	FILE *out = open_memstream(text, len);
	uint64_t number = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t got;
	int ret = 0;

	memset(skipped, 0, sizeof(*skipped));
	if (!out)
		return error_set(e, -ENOMEM, "%s: out of memory", name);
	while ((got = getline(&line, &room, in)) >= 0)
		convert_line(out, line, (size_t)got, ++number, skipped);
	if (ferror(in))
		ret = error_errno(e, -EIO, "cannot read '%s'", name);
	free(line);
	if (fclose(out) && !ret)
		ret = error_set(e, -ENOMEM, "%s: out of memory", name);
	if (ret) {
		free(*text);
		*text = NULL;
	}
	return ret;
}
