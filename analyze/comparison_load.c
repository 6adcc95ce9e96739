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
#define LABELS_MAX 4096	 /* different labels of one input */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int no_memory(const char *name, struct error *e)
{
	return error_set(e, -ENOMEM, "%s: out of memory", name);
}

/* Sizes of memory in text are powers of 1024 and may say so with one letter. */
static void memory_condition(struct comparison_input *in, const char *value)
{
	static const char letters[] = "KMGT";
	char *end;
	uint64_t v = strtoull(value, &end, 10);
	const char *at = *end ? strchr(letters, *end == 'k' ? 'K' : *end) : NULL;
	char text[32];

	if (end == value || (*end && (!at || end[1])) || v > UINT64_MAX >> 40) {
		input_condition(in, "memory_limit", value);
		return;
	}
	v <<= at ? 10 * (at - letters + 1) : 0;
	snprintf(text, sizeof(text), "%" PRIu64, v);
	input_condition(in, "memory_limit", text);
}

static void take_facts(struct comparison_input *in, const struct measurements *m)
{
	in->old_counter_names = m->old_counter_names;
	for (unsigned int i = 0; i < m->nfacts; i++) {
		const struct measured_fact *f = &m->facts[i];
		bool flag = !strcmp(f->key, "thp_swap") || !strcmp(f->key, "vma_ra");

		if (!strcmp(f->key, "n"))
			in->declared_n = strtoull(f->value, NULL, 10);
		else if (!strcmp(f->key, "memcg") || !strcmp(f->key, "memory_limit"))
			memory_condition(in, f->value);
		else if (flag && (f->value[0] == 'y' || f->value[0] == 'n'))
			input_condition(in, f->key, f->value[0] == 'y' ? "1" : "0");
		else
			input_condition(in, f->key, f->value);
	}
}

static int add_value(struct comparison_input *in, const struct measurement_row *row, unsigned int i,
		     const char *label, const char *name, struct error *e)
{
	struct metric *m;
	int ret;

	if (in->nmetrics >= LABELS_MAX)
		return error_set(e, -EBADMSG, "%s: more than %d different labels", name,
				 LABELS_MAX);
	m = input_metric(in, label);
	ret = m ? metric_add(m, &row->v[i].q) : -ENOMEM;
	if (ret == -EINVAL)
		return error_set(e, -EBADMSG,
				 "%s: line %" PRIu64
				 ": a value %s%s among others %s%s; use one unit",
				 name, row->line, row->v[i].q.unit[0] ? "in " : "without unit",
				 row->v[i].q.unit, m->unit[0] ? "in " : "without unit", m->unit);
	return ret ? no_memory(name, e) : 0;
}

static bool row_declares(const struct measurement_row *row)
{
	for (unsigned int i = 0; i < row->n; i++)
		if (row->v[i].have_declared)
			return true;
	return false;
}

/* One of several inputs: every value of a row is a run. */
static int load_runs(struct comparison *c, const struct measurements *m, const char *name,
		     struct error *e)
{
	struct comparison_input *in = comparison_add_input(c, INPUT_TIMES, base_name(name), name);
	int ret = in ? 0 : no_memory(name, e);

	if (in)
		take_facts(in, m);
	for (unsigned int i = 0; !ret && i < m->n; i++) {
		const struct measurement_row *row = &m->rows[i];

		if (row_declares(row))
			return error_set(
				e, -EBADMSG,
				"%s: line %" PRIu64
				" declares a change, so this is a table of its own; compare "
				"it alone",
				name, row->line);
		for (unsigned int k = 0; !ret && k < row->n; k++)
			ret = add_value(in, row, k, row->label, name, e);
	}
	return ret;
}

static int declare_change(struct comparison *c, const struct measurement_row *row,
			  unsigned int before, unsigned int after, const char *name)
{
	struct declared_change *bigger = realloc(c->declared, (c->ndeclared + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	c->declared = bigger;
	bigger += c->ndeclared++;
	memset(bigger, 0, sizeof(*bigger));
	snprintf(bigger->label, sizeof(bigger->label), "%s", row->label);
	escape_text(name, strlen(name), bigger->file, sizeof(bigger->file));
	bigger->line = row->line;
	bigger->before = row->v[before].q;
	bigger->after = row->v[after].q;
	bigger->declared = row->v[after].declared;
	bigger->in_parentheses = !row->v[after].declared_in_row;
	return 0;
}

static bool columns_fit(const struct measurements *m, const char *name, int *ret, struct error *e)
{
	for (unsigned int i = 1; i < m->n; i++) {
		if (m->rows[i].n == m->rows[0].n)
			continue;
		*ret = error_set(e, -EBADMSG,
				 "%s: line %" PRIu64 " has %u values, line %" PRIu64
				 " has %u; a table needs as many in each row",
				 name, m->rows[i].line, m->rows[i].n, m->rows[0].line,
				 m->rows[0].n);
		return false;
	}
	return true;
}

/* The last words of the title line name the columns, where there are enough of them. */
static void column_name(const struct measurements *m, unsigned int columns, unsigned int i,
			char *out, size_t size)
{
	unsigned int n = m->ncolumns, skip;
	bool declared = row_declares(&m->rows[0]);

	/* A title over the declared changes is none of ours. */
	if (declared && n > columns + 1)
		n--;
	skip = n - columns;
	if (m->ncolumns >= columns && n >= columns)
		snprintf(out, size, "%s", m->columns[skip + i]);
	else
		snprintf(out, size, "%c", 'A' + (int)i);
}

/* A table alone: one input a column, one metric a row. */
static int load_columns(struct comparison *c, const struct measurements *m, const char *name,
			struct error *e)
{
	unsigned int columns = m->rows[0].n;
	int ret = 0;

	if (columns > MEASURED_COLUMNS_MAX)
		return error_set(e, -EBADMSG, "%s: more than %d columns", name,
				 MEASURED_COLUMNS_MAX);
	for (unsigned int i = 0; !ret && i < columns; i++) {
		struct comparison_input *in;
		char title[64];

		column_name(m, columns, i, title, sizeof(title));
		in = comparison_add_input(c, INPUT_COLUMN, title, name);
		if (!in)
			return no_memory(name, e);
		take_facts(in, m);
		for (unsigned int k = 0; !ret && k < m->n; k++)
			ret = add_value(in, &m->rows[k], i, m->rows[k].label, name, e);
	}
	for (unsigned int k = 0; !ret && k < m->n; k++)
		for (unsigned int i = 1; !ret && i < columns; i++)
			if (m->rows[k].v[i].have_declared &&
			    declare_change(c, &m->rows[k], 0, i, name))
				ret = no_memory(name, e);
	return ret;
}

/* "without: 56.9 57.3 ...", "with: 56.0 56.3 ...": one input a line. */
static int load_series(struct comparison *c, const struct measurements *m, const char *name,
		       struct error *e)
{
	for (unsigned int i = 0; i < m->n; i++) {
		const struct measurement_row *row = &m->rows[i];
		struct comparison_input *in =
			comparison_add_input(c, INPUT_TIMES, row->label, name);
		int ret = in ? 0 : no_memory(name, e);

		if (in)
			take_facts(in, m);
		for (unsigned int k = 0; !ret && k < row->n; k++)
			ret = add_value(in, row, k, "", name, e);
		if (ret)
			return ret;
	}
	return 0;
}

/* Whether all rows are "name: values", and more of them than a before and an after. */
static bool is_series(const struct measurements *m)
{
	bool many = false;

	for (unsigned int i = 0; i < m->n; i++) {
		if (!m->rows[i].colon || row_declares(&m->rows[i]))
			return false;
		many |= m->rows[i].n > 2;
	}
	return many && m->n > 1;
}

static int load_alone(struct comparison *c, const struct measurements *m, const char *name,
		      struct error *e)
{
	bool list = !m->rows[0].label[0] && m->n > 1;
	int ret = 0;

	if (is_series(m))
		return load_series(c, m, name, e);
	if (m->rows[0].n < 2 || list || (!m->rows[0].label[0] && m->rows[0].n > 2))
		return error_set(e, -EINVAL,
				 "%s: one list of values; name a second one to compare it with",
				 name);
	return columns_fit(m, name, &ret, e) ? load_columns(c, m, name, e) : ret;
}

static int load_text(struct comparison *c, const char *path, const char *name, bool alone,
		     struct error *e)
{
	FILE *f = fopen(path, "re");
	struct measurements m;
	int ret;

	if (!f)
		return error_errno(e, -errno, "cannot open '%s'", name);
	ret = measurements_read(f, name, &m, e);
	fclose(f);
	if (ret)
		return ret;
	ret = alone ? load_alone(c, &m, name, e) : load_runs(c, &m, name, e);
	measurements_free(&m);
	return ret;
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

/* What a recogniser knows goes to its reader; all else is lists, key-value lines and tables. */
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
	format = ret || memchr(t.s, '\0', t.len) ? NULL
		 : c->format			 ? c->format
						 : format_of_text(&t);
	if (format) {
		ret = format_read(format, &t, &o, &r, e);
		if (!ret) {
			ret = comparison_add_readings(c, &r, name, alone, e);
			readings_free(&r);
		}
	}
	free(all);
	return ret || format ? ret : load_text(c, path, name, alone, e);
}

enum content { CONTENT_TRACE, CONTENT_RESULTS, CONTENT_ARGDIST, CONTENT_HISTS, CONTENT_TEXT };

static enum content recognise(const char *head, size_t len)
{
	size_t i = 0;

	if (bpftrace_json_recognise(head, len))
		return CONTENT_HISTS;
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
	if (argdist_recognise(head, len))
		return CONTENT_ARGDIST;
	return hist_text_recognise(head, len) ? CONTENT_HISTS : CONTENT_TEXT;
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
	case CONTENT_HISTS:
		return comparison_load_hists(c, path, name, e);
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
