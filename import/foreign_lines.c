// SPDX-License-Identifier: GPL-2.0
#include "import/foreign_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/block.h"
#include "traces/lines.h"
#include "traces/number.h"
#include "traces/stats.h"

#define NS_PER_S 1000000000ull

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* SECONDS.DECIMALS in front of @end; *@begin is where it begins. Numbers are short: so is the walk.
 */
static bool time_before(const char *line, size_t end, size_t *begin, uint64_t *ns)
{
	size_t i = end, point;
	uint64_t seconds, part;

	while (i && digit(line[i - 1]) && end - i <= 9)
		i--;
	point = i;
	if (point == end || end - point > 9 || !point || line[point - 1] != '.')
		return false;
	i = point - 1;
	while (i && digit(line[i - 1]) && point - i <= 20)
		i--;
	if ((i && !blank(line[i - 1])) || !number_decimal(line + i, point - 1 - i, &seconds) ||
	    !number_decimal(line + point, end - point, &part))
		return false;
	for (size_t digits = end - point; digits < 9; digits++)
		part *= 10;
	if (seconds > (UINT64_MAX - part) / NS_PER_S)
		return false;
	*begin = i;
	*ns = seconds * NS_PER_S + part;
	return true;
}

static size_t skip_blanks(const char *line, size_t len, size_t i)
{
	while (i < len && blank(line[i]))
		i++;
	return i;
}

bool foreign_take_name(const char *line, size_t len, size_t i, struct foreign_event *f)
{
	size_t word = skip_blanks(line, len, i), end, group;

	end = word + strspn(line + word, "0123456789");
	if (end > word && end < len && blank(line[end]))
		word = skip_blanks(line, len, end);
	for (end = word; end < len && !blank(line[end]); end++)
		;
	if (end < word + 2 || line[end - 1] != ':')
		return false;
	f->args = line + skip_blanks(line, len, end);
	f->args_len = (size_t)(line + len - f->args);
	end--;
	for (group = end; group > word && line[group - 1] != ':'; group--)
		;
	f->name = line + group;
	f->name_len = end - group;
	return f->name_len;
}

bool foreign_split(const char *line, size_t len, struct foreign_event *f)
{
	memset(f, 0, sizeof(*f));
	f->cpu = f->tgid = f->tid = -1;
	for (size_t i = len; i-- > 0;) {
		size_t begin;

		if (line[i] != ':' || (i + 1 < len && !blank(line[i + 1])) ||
		    !time_before(line, i, &begin, &f->t_ns) ||
		    !foreign_take_name(line, len, i + 1, f))
			continue;
		while (begin && blank(line[begin - 1]))
			begin--;
		f->who_len = begin;
		return true;
	}
	return false;
}

size_t foreign_last_word(const char *s, size_t len)
{
	while (len && !blank(s[len - 1]))
		len--;
	return len;
}

bool foreign_id(const char *s, size_t len, int32_t *id)
{
	uint64_t v;

	if (!number_decimal(s, len, &v) || v > INT32_MAX)
		return false;
	*id = (int32_t)v;
	return true;
}

bool foreign_take_cpu(const char *s, size_t *len, int32_t *cpu)
{
	size_t word = foreign_last_word(s, *len);

	if (*len - word < 3 || s[word] != '[' || s[*len - 1] != ']' ||
	    !foreign_id(s + word + 1, *len - word - 2, cpu) || *cpu >= (int32_t)BLOCK_CPUS_MAX) {
		*cpu = -1;
		return false;
	}
	while (word && blank(s[word - 1]))
		word--;
	*len = word;
	return true;
}

struct text_input {
	const struct foreign_format *format;
	struct lines lines;
};

static int read_line(struct foreign_import *in, const struct text_input *t, struct error *e)
{
	const char *line = t->lines.line;
	struct foreign_event f;
	size_t len = t->lines.len;
	char why[160];
	int ret;

	if (memchr(line, '\0', len)) {
		stats_bad_line(foreign_stats(in), t->lines.number, "it holds a NUL byte");
		return 0;
	}
	while (len && blank(line[len - 1]))
		len--;
	if (!len || line[0] == '#')
		return 0;
	if (t->format->event(line, len, &f)) {
		f.number = t->lines.number;
		return foreign_take(in, &f, e);
	}
	ret = t->format->other(in, line, len);
	if (ret < 0)
		return error_errno(e, ret, "%s", foreign_name(in));
	if (!ret) {
		snprintf(why, sizeof(why), "not of the form %s", t->format->expected);
		stats_bad_line(foreign_stats(in), t->lines.number, why);
	}
	return 0;
}

static void count_long_lines(struct trace_stats *stats, const struct lines *l)
{
	if (l->too_long && (!stats->bad_lines || l->first_too_long < stats->bad_line)) {
		stats->bad_line = l->first_too_long;
		snprintf(stats->bad_line_why, sizeof(stats->bad_line_why), "longer than 64 KiB");
	}
	stats->bad_lines += l->too_long;
}

static int read_lines(struct foreign_import *in, void *priv, struct error *e)
{
	struct text_input *t = priv;
	int ret;

	while ((ret = lines_next(&t->lines)) > 0) {
		ret = read_line(in, t, e);
		if (ret)
			return ret;
	}
	count_long_lines(foreign_stats(in), &t->lines);
	return ret < 0 ? error_errno(e, ret, "cannot read %s", foreign_name(in)) : 0;
}

int foreign_import_lines(const struct foreign_format *format, FILE *in, const char *name,
			 const char *out_path, struct trace_stats *stats, struct error *e)
{
	struct text_input *t = malloc(sizeof(*t));
	char nothing[160];
	struct foreign_source source = {
		.backend = format->name,
		.read = read_lines,
		.priv = t,
		.nothing = nothing,
	};
	int ret;

	memset(stats, 0, sizeof(*stats));
	if (!t)
		return error_errno(e, -ENOMEM, "%s", name);
	snprintf(nothing, sizeof(nothing), "no line is of the form %s", format->expected);
	t->format = format;
	lines_open(&t->lines, in);
	ret = foreign_import(&source, name, out_path, stats, e);
	free(t);
	return ret;
}

int foreign_probe(const struct foreign_format *format, const void *head, size_t len)
{
	const char *p = head, *end = p + len, *nl;
	unsigned int lines = 0, events = 0;
	struct foreign_event f;

	if (memchr(head, '\0', len))
		return 0;
	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		size_t n = (size_t)(nl - p);
		char line[1024];

		if (!n || *p == '#' || n >= sizeof(line))
			continue;
		memcpy(line, p, n);
		line[n] = '\0';
		n -= line[n - 1] == '\r';
		lines++;
		events += format->event(line, n, &f);
	}
	return events ? 40 + (int)(50 * events / lines) : 0;
}
