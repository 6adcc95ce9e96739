// SPDX-License-Identifier: GPL-2.0
#include "import/bpftrace_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/count.h"
#include "common/text.h"
#include "traces/number.h"

/* One line "@name[key]: count" or "@name: count", in pieces of it. */
struct map_line {
	const char *name, *key;
	size_t name_len, key_len;
	uint64_t count;
};

enum line_kind { LINE_OTHER, LINE_COUNT, LINE_NO_COUNT };

static size_t name_length(const char *s, size_t len)
{
	size_t n = len && *s == '@';

	while (n && n < len &&
	       (s[n] == '_' || (s[n] >= '0' && s[n] <= '9') ||
		((s[n] | 32) >= 'a' && (s[n] | 32) <= 'z')))
		n++;
	return n;
}

/* A key may hold anything, also "]: ": the last one is the end. */
static size_t key_length(const char *s, size_t len)
{
	for (size_t i = len; i > 2; i--)
		if (!memcmp(s + i - 3, "]: ", 3))
			return i - 2;
	return 0;
}

static enum line_kind parse_line(const char *s, size_t len, struct map_line *l)
{
	size_t at = name_length(s, len);

	while (len && memchr(" \t\r\n", s[len - 1], 4))
		len--;
	*l = (struct map_line){ .name = s, .name_len = at };
	if (at && at < len && s[at] == '[') {
		size_t key = key_length(s + at, len - at);

		l->key = s + at + 1;
		l->key_len = key > 1 ? key - 2 : 0;
		at = key ? at + key : 0;
	}
	if (!at || len - at < 3 || s[at] != ':' || s[at + 1] != ' ')
		return LINE_OTHER;
	return number_decimal(s + at + 2, len - at - 2, &l->count) ? LINE_COUNT : LINE_NO_COUNT;
}

bool maps_recognise(const char *head, size_t len)
{
	const char *end = head + len;

	if (memchr(head, '\0', len))
		return false;
	if (bpftrace_json_recognise(head, len))
		return true;
	while (head < end) {
		const char *nl = memchr(head, '\n', (size_t)(end - head));
		struct map_line l;

		if (nl && parse_line(head, (size_t)(nl - head), &l) == LINE_COUNT)
			return true;
		head = nl ? nl + 1 : end;
	}
	return false;
}

static struct count_map *find_map(struct map_dump *m, const struct map_line *l)
{
	struct count_map *map;

	for (unsigned int i = 0; i < m->n; i++)
		if (strlen(m->v[i].name) == l->name_len &&
		    !memcmp(m->v[i].name, l->name, l->name_len))
			return &m->v[i];
	map = realloc(m->v, (m->n + 1) * sizeof(*map));
	if (!map)
		return NULL;
	m->v = map;
	map += m->n++;
	memset(map, 0, sizeof(*map));
	snprintf(map->name, sizeof(map->name), "%.*s", (int)l->name_len, l->name);
	return map;
}

static void forget_rows(struct count_map *map)
{
	while (map->n)
		free(map->v[--map->n].key);
	map->total = 0;
}

static struct map_row *find_row(struct map_row *v, unsigned int n, const struct map_row *like)
{
	for (unsigned int i = 0; i < n; i++)
		if (v[i].pid == like->pid && !strcmp(v[i].key, like->key))
			return &v[i];
	return NULL;
}

/*
 * Another printing begins: what the one before counted joins those before it. A count that is less
 * than before, or gone, shows that the map was cleared in between; rows of the printing before the
 * last are compared when the next one is complete.
 */
static int keep_printing(struct count_map *map)
{
	struct map_row *bigger =
		realloc(map->before, (map->nbefore + map->n + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	map->before = bigger;
	for (unsigned int i = 0; i < map->n; i++) {
		struct map_row *same = find_row(map->before, map->nbefore, &map->v[i]);

		if (same) {
			if (map->v[i].count < same->last)
				map->cleared = true;
			same->count += map->v[i].count;
			same->last = map->v[i].count;
			same->seen = map->printed;
			free(map->v[i].key);
			continue;
		}
		map->v[i].last = map->v[i].count;
		map->v[i].seen = map->printed;
		map->before[map->nbefore++] = map->v[i];
	}
	for (unsigned int i = 0; i < map->nbefore; i++)
		if (map->before[i].seen != map->printed)
			map->cleared = true;
	map->n = 0;
	map->total = 0;
	return 0;
}

/* After the last printing: the sum, or that printing alone. */
static int settle(struct count_map *map)
{
	uint64_t total = 0;
	int ret = 0;

	if (map->printed < 2)
		return 0;
	ret = keep_printing(map);
	for (unsigned int i = 0; i < map->nbefore; i++) {
		struct map_row *row = &map->before[i];

		if (!map->cleared && row->seen != map->printed)
			continue;
		if (!map->cleared)
			row->count = row->last;
		if (row->count > UINT64_MAX - 1 - total)
			ret = ret ? ret : -ERANGE;
		total += row->count;
	}
	free(map->v);
	map->v = map->before;
	map->n = map->room = map->nbefore;
	map->before = NULL;
	map->nbefore = 0;
	map->total = total;
	return ret;
}

/* "comm, pid": the pid is what stands behind the last comma, whatever the comm holds. */
static bool set_key(struct map_row *row, const struct map_line *l)
{
	size_t len = l->key_len, at = len;

	row->pid = COUNT_UNKNOWN;
	while (at > 1 && memcmp(l->key + at - 2, ", ", 2))
		at--;
	if (at > 1 && number_decimal(l->key + at, len - at, &row->pid))
		len = at - 2;
	row->key = malloc(4 * len + 1);
	if (row->key)
		escape_text(l->key, len, row->key, 4 * len + 1);
	return row->key;
}

static int add_row(struct count_map *map, const struct map_line *l)
{
	if (l->count > UINT64_MAX - 1 - map->total)
		return -ERANGE;
	if (map->n == map->room) {
		unsigned int room = map->room ? map->room * 2 : 16;
		struct map_row *bigger = realloc(map->v, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		map->v = bigger;
		map->room = room;
	}
	map->v[map->n].count = l->count;
	if (!set_key(&map->v[map->n], l))
		return -ENOMEM;
	map->n++;
	map->total += l->count;
	return 0;
}

/* @timed: a time of day has stood before it */
static int add_count(struct map_dump *m, const struct map_line *l, uint64_t line, bool timed)
{
	struct count_map *map;

	if (l->name_len >= sizeof(map->name))
		return -EBADMSG;
	map = find_map(m, l);
	if (!map)
		return -ENOMEM;
	/* The rows of one printing are neighbours. */
	if (map->last_line + 1 != line || !map->printed) {
		if (map->printed && keep_printing(map))
			return -ENOMEM;
		map->cleared |= map->printed && timed;
		map->printed++;
	}
	map->last_line = line;
	return add_row(map, l);
}

/* "Lost 5 events", each time for what was lost since. */
static void add_loss(struct map_dump *m, const char *line)
{
	uint64_t n;
	int end = 0;

	if (sscanf(line, "Lost %" SCNu64 " events%n", &n, &end) != 1 || !end)
		return;
	if (m->lost == COUNT_UNKNOWN)
		m->lost = 0;
	m->lost = n > UINT64_MAX - 1 - m->lost ? UINT64_MAX - 1 : m->lost + n;
}

/* "06:57:44", alone on its line: what time() prints before each interval. */
static bool is_time_of_day(const char *s, size_t len)
{
	static const char shape[] = "dd:dd:dd";

	while (len && memchr(" \t\r\n", s[len - 1], 4))
		len--;
	if (len != sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (shape[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != ':')
			return false;
	return true;
}

static int read_counts(FILE *in, struct map_dump *m, struct error *e)
{
	bool timed = false;
	uint64_t number = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int ret = 0;

	while (!ret && (len = getline(&line, &room, in)) >= 0) {
		struct map_line l;
		enum line_kind kind = parse_line(line, (size_t)len, &l);

		number++;
		timed |= is_time_of_day(line, (size_t)len);
		if (kind == LINE_COUNT)
			ret = add_count(m, &l, number, timed);
		else if (kind == LINE_NO_COUNT && !m->skipped.n++)
			m->skipped.first = number;
		else if (kind == LINE_OTHER)
			add_loss(m, line);
	}
	free(line);
	for (unsigned int i = 0; !ret && i < m->n; i++)
		ret = settle(&m->v[i]);
	if (ret == -ENOMEM)
		return error_set(e, ret, "%s: out of memory", m->name);
	if (ret)
		return error_set(e, -EBADMSG, "%s: line %" PRIu64 ": %s", m->name, number,
				 ret == -ERANGE ? "the counts add up to more than 64 bits hold"
						: "the name of the map is too long");
	return 0;
}

static int read_hists(FILE *in, struct map_dump *m, struct error *e)
{
	struct error none = { 0 };
	int ret = hist_text_read(in, m->name, &m->hists, &none);

	/* No histogram is an error there, and none here. */
	if (!ret || (ret == -EBADMSG && !strstr(none.text, ": line ")))
		return 0;
	*e = none;
	return ret;
}

static int read_text(FILE *in, char **text, size_t *len, struct map_dump *m, struct error *e)
{
	FILE *out = open_memstream(text, len);
	char piece[65536];
	size_t n;
	bool failed;

	if (!out)
		return error_set(e, -ENOMEM, "%s: out of memory", m->name);
	while ((n = fread(piece, 1, sizeof(piece), in)))
		fwrite(piece, 1, n, out);
	failed = fclose(out);
	if (!failed && !ferror(in))
		return 0;
	free(*text);
	*text = NULL;
	return error_set(e, failed ? -ENOMEM : -EIO, "%s: %s", m->name,
			 failed ? "out of memory" : "cannot be read");
}

static int parse_text(char *text, size_t len, struct map_dump *m, struct error *e)
{
	FILE *in = len ? fmemopen(text, len, "r") : NULL;
	int ret = 0;

	if (in) {
		ret = read_counts(in, m, e);
		rewind(in);
		if (!ret)
			ret = read_hists(in, m, e);
		fclose(in);
	}
	if (!ret && !m->n && !m->hists.n)
		ret = error_set(e, -EBADMSG, "%s: no counts of a bpftrace map in it", m->name);
	return ret;
}

int maps_read(FILE *in, const char *name, struct map_dump *m, struct error *e)
{
	char *text = NULL, *plain;
	size_t len = 0, plain_len;
	int ret;

	memset(m, 0, sizeof(*m));
	m->lost = COUNT_UNKNOWN;
	escape_text(name, strlen(name), m->name, sizeof(m->name));
	ret = read_text(in, &text, &len, m, e);
	if (!ret && len && bpftrace_json_recognise(text, len)) {
		FILE *json = fmemopen(text, len, "r");

		ret = json ? bpftrace_json_text(json, name, &plain, &plain_len, &m->skipped, e)
			   : error_set(e, -ENOMEM, "%s: out of memory", m->name);
		if (json)
			fclose(json);
		if (!ret) {
			free(text);
			text = plain;
			len = plain_len;
		}
	}
	if (!ret)
		ret = parse_text(text, len, m, e);
	free(text);
	if (ret)
		maps_free(m);
	return ret;
}

void maps_free(struct map_dump *m)
{
	for (unsigned int i = 0; i < m->n; i++) {
		forget_rows(&m->v[i]);
		for (unsigned int k = 0; k < m->v[i].nbefore; k++)
			free(m->v[i].before[k].key);
		free(m->v[i].before);
		free(m->v[i].v);
	}
	free(m->v);
	hist_text_free(&m->hists);
	memset(m, 0, sizeof(*m));
}
