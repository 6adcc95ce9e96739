// SPDX-License-Identifier: GPL-2.0
#include "analyze/source.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/result_json.h"
#include "render/format.h"

#define HEAD_BYTES 4096 /* of a file, to tell what it is */

static struct source *add_source(struct sources *s, enum source_kind kind)
{
	struct source *bigger = realloc(s->v, (s->n + 1) * sizeof(*bigger));
	struct source *new;

	if (!bigger)
		return NULL;
	s->v = bigger;
	new = &bigger[s->n++];
	memset(new, 0, sizeof(*new));
	new->kind = kind;
	new->origin = kind == SOURCE_TRACE     ? "trace"
		      : kind == SOURCE_ARGDIST ? "argdist"
					       : "replay";
	new->seconds = NAN;
	trace_facts_init(&new->facts);
	return new;
}

static void name_source(struct source *s, const char *name, const char *file)
{
	escape_text(name, strlen(name), s->name, sizeof(s->name));
	escape_text(file, strlen(file), s->file, sizeof(s->file));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int load_trace(struct sources *s, const char *path, const char *name, struct error *e)
{
	struct trace_summary *sum = calloc(1, sizeof(*sum));
	struct trace_reader *r = NULL;
	struct source *new;
	int ret = sum ? trace_open(&r, path, e) : error_set(e, -ENOMEM, "%s: out of memory", name);

	if (!ret)
		ret = trace_summary(r, name, sum, e);
	trace_close(r);
	new = ret ? NULL : add_source(s, SOURCE_TRACE);
	if (!new) {
		if (!ret) {
			trace_summary_free(sum);
			ret = error_set(e, -ENOMEM, "%s: out of memory", name);
		}
		free(sum);
		return ret;
	}
	name_source(new, base_name(name), name);
	new->summary = sum;
	new->facts = sum->facts;
	new->result = sum->result;
	memset(&sum->result, 0, sizeof(sum->result));
	return 0;
}

static int load_results(struct sources *s, const char *path, const char *name, struct error *e)
{
	struct results_file file;
	int ret = results_read(path, &file, e);

	for (unsigned int i = 0; !ret && i < file.n; i++) {
		struct stored_result *r = &file.entries[i];
		struct source *new = add_source(s, SOURCE_RESULT);

		if (!new) {
			ret = error_set(e, -ENOMEM, "%s: out of memory", name);
			break;
		}
		name_source(new, r->name[0] ? r->name : r->result.policy, name);
		new->origin = !strcmp(r->source, "trace")     ? "trace"
			      : !strcmp(r->source, "argdist") ? "argdist"
							      : "replay";
		new->facts = r->facts;
		new->seconds = r->seconds;
		new->result = r->result;
		memset(&r->result, 0, sizeof(r->result));
	}
	results_file_free(&file);
	return ret;
}

/* A table of windows tells nothing but the windows. */
static void unknown_counts(struct readahead_result *ra)
{
	ra->batches = ra->pages_read = ra->ra_pages = ra->hits = ra->unused = COUNT_UNKNOWN;
	ra->writeout_hits = COUNT_UNKNOWN;
	ra->lookups = ra->cache_hits = ra->bypassed = COUNT_UNKNOWN;
	ra->read_alone = ra->spared = COUNT_UNKNOWN;
	ra->unknown_neighbours = ra->assumed_slots = COUNT_UNKNOWN;
}

static int load_argdist(struct sources *s, const char *path, const char *name, struct error *e)
{
	FILE *f = fopen(path, "re");
	struct histogram h = { 0 };
	struct argdist_notes notes;
	struct readahead_result *ra;
	struct source *new;
	int ret;

	if (!f)
		return error_errno(e, -errno, "cannot open '%s'", name);
	ret = argdist_read(f, name, &h, &notes, e);
	fclose(f);
	new = ret ? NULL : add_source(s, SOURCE_ARGDIST);
	if (!new) {
		histogram_free(&h);
		return ret ? ret : error_set(e, -ENOMEM, "%s: out of memory", name);
	}
	name_source(new, base_name(name), name);
	new->argdist = notes;
	snprintf(new->result.policy, sizeof(new->result.policy), "recorded");
	new->result.lost = COUNT_UNKNOWN;
	ra = &new->result.readahead;
	unknown_counts(ra);
	ra->known = true;
	ra->windows = h;
	ra->calls = histogram_total(&h);
	for (unsigned int i = 0; i < h.n; i++)
		ra->drains += h.bins[i].pages > 1 ? h.bins[i].count : 0;
	return 0;
}

static enum source_kind recognise(const char *head, size_t len)
{
	size_t i = 0;

	while (i < len && strchr(" \t\r\n", head[i]) && head[i])
		i++;
	if (i < len && head[i] == '{')
		return SOURCE_RESULT;
	if (!memchr(head, '\0', len) && memcmp(head, "# swaptrace", len < 11 ? len : 11) &&
	    argdist_recognise(head, len))
		return SOURCE_ARGDIST;
	return SOURCE_TRACE; /* whose reader says what is wrong when it is none */
}

/* Copy what can not be read twice (a pipe) into a file without a name. Returns its descriptor. */
static int spool(int in, const char *name, struct error *e)
{
	const char *dir = getenv("TMPDIR");
	int out = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char buf[65536];
	ssize_t n;

	if (out < 0)
		return error_errno(e, -errno, "cannot make a temporary file for '%s'", name);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, (size_t)n) != n) {
			n = -1;
			break;
		}
	if (n < 0) {
		int ret = error_errno(e, errno ? -errno : -ENOSPC, "cannot read '%s'", name);

		close(out);
		return ret;
	}
	return out;
}

/* Returns a descriptor of @path that can be read again from the start, or -errno. */
static int open_twice(const char *path, const char *name, struct error *e)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO), copy;
	struct stat st;

	if (fd < 0)
		return error_errno(e, -errno, "cannot open '%s'", name);
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return error_errno(e, -EISDIR, "cannot read '%s'", name);
	}
	if (S_ISREG(st.st_mode))
		return fd;
	copy = spool(fd, name, e);
	close(fd);
	return copy;
}

/* A message about the copy of a pipe should name what the user named. */
static void name_in_message(struct error *e, const char *path, const char *name)
{
	char *at = e ? strstr(e->text, path) : NULL;
	char rest[sizeof(e->text)];

	if (!at || !strcmp(path, name))
		return;
	snprintf(rest, sizeof(rest), "%s", at + strlen(path));
	snprintf(at, sizeof(e->text) - (size_t)(at - e->text), "%s%s", name, rest);
}

int sources_load(struct sources *s, const char *path, struct error *e)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	char head[HEAD_BYTES], again[64];
	int fd = open_twice(path, name, e), ret;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0) {
		ret = error_errno(e, -errno, "cannot read '%s'", name);
		close(fd);
		return ret;
	}
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	switch (recognise(head, (size_t)n)) {
	case SOURCE_RESULT:
		ret = load_results(s, again, name, e);
		break;
	case SOURCE_ARGDIST:
		ret = load_argdist(s, again, name, e);
		break;
	default:
		ret = load_trace(s, again, name, e);
	}
	close(fd);
	if (ret)
		name_in_message(e, again, name);
	return ret;
}

int sources_add_result(struct sources *s, const char *name, const struct trace_facts *facts,
		       struct replay_result *r)
{
	struct source *new = add_source(s, SOURCE_RESULT);

	if (!new)
		return -ENOMEM;
	name_source(new, name ? name : r->policy, facts ? facts->name : "");
	if (facts)
		new->facts = *facts;
	new->result = *r;
	memset(r, 0, sizeof(*r));
	return 0;
}

struct twins {
	bool name, file; /* another source has the same name, the same name and file */
};

static struct twins find_twins(const struct sources *s, unsigned int i)
{
	struct twins t = { false, false };

	for (unsigned int k = 0; k < s->n; k++) {
		if (k == i || strcmp(s->v[k].name, s->v[i].name))
			continue;
		t.name = true;
		t.file |= !strcmp(s->v[k].file, s->v[i].file);
	}
	return t;
}

static void rename_source(struct source *v, unsigned int number, bool same_file)
{
	char old[sizeof(v->name)];

	memcpy(old, v->name, sizeof(old));
	if (same_file || !v->file[0])
		snprintf(v->name, sizeof(v->name), "%.110s (%u)", old, number);
	else if (v->kind == SOURCE_RESULT)
		snprintf(v->name, sizeof(v->name), "%.60s: %.60s", base_name(v->file), old);
	else
		snprintf(v->name, sizeof(v->name), "%.120s", v->file);
}

int sources_finish(struct sources *s)
{
	struct twins *twins = calloc(s->n + 1, sizeof(*twins));

	if (!twins)
		return -ENOMEM;
	/* First who, then how: renaming one of two must not make the other look unique. */
	for (unsigned int i = 0; i < s->n; i++) {
		if (!s->v[i].name[0])
			snprintf(s->v[i].name, sizeof(s->v[i].name), "%u", i + 1);
		twins[i] = find_twins(s, i);
	}
	for (unsigned int i = 0; i < s->n; i++)
		if (twins[i].name)
			rename_source(&s->v[i], i + 1, twins[i].file);
	free(twins);
	return 0;
}

/* Digits with one decimal mark; the locale plays no part. */
static int parse_decimal(const char *s, size_t len, double *v)
{
	size_t whole = strspn(s, "0123456789"), digits;
	double scale = 1;

	if (!whole || whole > 15)
		return -EINVAL;
	*v = 0;
	for (size_t i = 0; i < whole && i < len; i++)
		*v = *v * 10 + (s[i] - '0');
	if (whole >= len)
		return 0;
	digits = strspn(s + whole + 1, "0123456789");
	if ((s[whole] != '.' && s[whole] != ',') || !digits || whole + 1 + digits != len)
		return -EINVAL;
	/* "1,234" is as well twelve hundred as one and a quarter: not for us to guess. */
	if (s[whole] == ',' && digits == 3 && whole <= 3)
		return -EINVAL;
	for (size_t i = whole + 1; i < len; i++) {
		scale /= 10;
		*v += (s[i] - '0') * scale;
	}
	return 0;
}

int parse_seconds(const char *s, double *seconds)
{
	size_t len = strlen(s), minutes = strcspn(s, "m");
	double m = 0, sec;

	if (len && s[len - 1] == 's')
		len--;
	if (minutes < len) {
		if (strspn(s, "0123456789") != minutes || parse_decimal(s, minutes, &m))
			return -EINVAL;
		s += minutes + 1;
		len -= minutes + 1;
	}
	if (!len || parse_decimal(s, len, &sec))
		return -EINVAL;
	*seconds = m * 60 + sec;
	return 0;
}

static struct source *find_source(struct sources *s, const char *name, size_t len)
{
	for (unsigned int i = 0; i < s->n; i++) {
		struct source *v = &s->v[i];

		if ((strlen(v->name) == len && !memcmp(v->name, name, len)) ||
		    (strlen(v->file) == len && !memcmp(v->file, name, len)))
			return v;
	}
	if (len == 1 && *name >= 'A' && *name <= 'Z' && (unsigned int)(*name - 'A') < s->n)
		return &s->v[*name - 'A'];
	return NULL;
}

int sources_set_time(struct sources *s, const char *spec, struct error *e)
{
	const char *equals = strrchr(spec, '=');
	struct source *v = equals ? find_source(s, spec, (size_t)(equals - spec)) : NULL;

	if (!equals)
		return error_set(e, -EINVAL, "'%s': expected NAME=SECONDS", spec);
	if (!v)
		return error_set(
			e, -EINVAL,
			"'%s': no input of that name; use its file name, or A for the first", spec);
	if (parse_seconds(equals + 1, &v->seconds))
		return error_set(e, -EINVAL, "'%s': '%s' is not a time such as 14.2s or 0m11.84s",
				 spec, equals + 1);
	return 0;
}

void sources_free(struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		replay_result_free(&s->v[i].result);
		if (s->v[i].summary)
			trace_summary_free(s->v[i].summary);
		free(s->v[i].summary);
	}
	free(s->v);
	memset(s, 0, sizeof(*s));
}
