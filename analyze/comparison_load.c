// SPDX-License-Identifier: GPL-2.0
/* Inputs of a comparison from text and from the command line, and telling inputs apart. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/comparison.h"
#include "import/argdist.h"
#include "import/bpftrace_json.h"
#include "import/measurements.h"
#include "render/format.h"
#include "traces/file.h"
#include "traces/wire.h"

#define HEAD_BYTES 16384 /* of a file, to tell what it is */

static int no_memory(const char *name, struct error *e)
{
	return error_set(e, -ENOMEM, "%s: out of memory", name);
}

/* A word of the command line that is a value itself. */
static int load_word(struct comparison *c, const char *word, struct error *e)
{
	struct comparison_input *in;
	struct quantity q;
	struct metric *m;

	if (quantity_parse(word, strlen(word), &q) != QUANTITY_OK)
		return error_errno(e, -ENOENT, "cannot open '%s'", word);
	in = comparison_add_input(c, INPUT_TIMES, word, "");
	m = in ? input_metric(in, "") : NULL;
	return m && !metric_add(m, &q) ? 0 : no_memory(word, e);
}

static int load_measurements(struct comparison *c, const char *path, const char *name, bool alone,
			     struct error *e)
{
	const struct reading_options o = { alone, c->orientation };
	FILE *f = fopen(path, "re");
	struct pasted t = { .name = name };
	const struct format *format;
	struct readings r;
	char *all;
	int ret;

	if (!f)
		return error_errno(e, -errno, "cannot open '%s'", name);
	ret = text_load(f, name, &all, &t.len, e);
	fclose(f);
	t.s = all;
	t.mark = ret ? DECIMAL_UNKNOWN : text_decimal_mark(t.s, t.len);
	format = c->format ? c->format : ret ? NULL : format_of_text(&t);
	if (!ret)
		ret = format_read(format, &t, &o, &r, e);
	if (!ret) {
		ret = comparison_add_readings(c, &r, name, alone, e);
		readings_free(&r);
	}
	free(all);
	return ret;
}

enum content { CONTENT_TRACE, CONTENT_RESULTS, CONTENT_ARGDIST, CONTENT_TEXT };

static enum content recognise(const char *head, size_t len)
{
	size_t i = 0;

	if (bpftrace_json_recognise(head, len))
		return CONTENT_TEXT;
	while (i < len && memchr(" \t\r\n", head[i], 4))
		i++;
	if (i < len && head[i] == '{')
		return CONTENT_RESULTS;
	/* Only the first bytes: a trace that was cut short is still one. */
	if (len && !memcmp(head, WIRE_MAGIC, len < WIRE_MAGIC_LEN ? len : WIRE_MAGIC_LEN))
		return CONTENT_TRACE;
	if (import_sniff_text(head, len))
		return CONTENT_TRACE;
	if (memchr(head, '\0', len))
		return CONTENT_TEXT; /* whose reader says what is wrong with it */
	return argdist_recognise(head, len) ? CONTENT_ARGDIST : CONTENT_TEXT;
}

static int load_content(struct comparison *c, enum content content, const char *path,
			const char *name, bool alone, struct error *e)
{
	switch (content) {
	case CONTENT_TRACE:
		return comparison_load_trace(c, path, name, e);
	case CONTENT_RESULTS:
		return comparison_load_results(c, path, name, e);
	case CONTENT_ARGDIST:
		return comparison_load_argdist(c, path, name, e);
	default:
		return load_measurements(c, path, name, alone, e);
	}
}

/* What can not be read twice goes into a file without a name. Returns its descriptor or -errno. */
static int spool(int in, const char *name, struct error *e)
{
	int out = file_temporary(e);
	char buf[65536];
	ssize_t n = 0;
	size_t done;
	int ret = out < 0 ? out : 0;

	while (!ret && (n = read(in, buf, sizeof(buf))) > 0) {
		ret = file_write_all(out, buf, (size_t)n, &done);
		if (ret)
			error_errno(e, ret, "cannot keep a copy of '%s'", name);
	}
	if (!ret && n < 0)
		ret = error_errno(e, -errno, "cannot read '%s'", name);
	if (ret && out >= 0)
		close(out);
	return ret ? ret : out;
}

/* A message about the copy of a pipe should name what the user named. */
static void name_in_message(struct error *e, const char *path, const char *name)
{
	char *at = strstr(e->text, path);
	char rest[sizeof(e->text)];

	if (!at)
		return;
	snprintf(rest, sizeof(rest), "%s", at + strlen(path));
	snprintf(at, sizeof(e->text) - (size_t)(at - e->text), "%s%s", name, rest);
}

static int load_open(struct comparison *c, int fd, const char *name, bool alone, struct error *e)
{
	char head[HEAD_BYTES], path[64];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	int ret;

	if (n < 0)
		return error_errno(e, -errno, "cannot read '%s'", name);
	if (!n)
		return error_set(e, -EBADMSG, "%s: is empty", name);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = load_content(c, recognise(head, (size_t)n), path, name, alone, e);
	if (ret)
		name_in_message(e, path, name);
	return ret;
}

int comparison_load(struct comparison *c, const char *word, bool alone, struct error *e)
{
	bool standard = !strcmp(word, "-");
	const char *name = standard ? "standard input" : word;
	int fd = standard ? dup(STDIN_FILENO) : open(word, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int ret;

	if (fd < 0 && errno == ENOENT)
		return load_word(c, word, e);
	if (fd < 0)
		return error_errno(e, -errno, "cannot open '%s'", name);
	if (fstat(fd, &st)) {
		ret = error_errno(e, -errno, "cannot read '%s'", name);
		close(fd);
		return ret;
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		int copy = spool(fd, name, e);

		close(fd);
		if (copy < 0)
			return copy;
		fd = copy;
	}
	ret = S_ISDIR(st.st_mode) ? comparison_load_counters(c, word, name, e)
				  : load_open(c, fd, name, alone, e);
	close(fd);
	return ret;
}
