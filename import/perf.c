// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "import/foreign_lines.h"
#include "traces/number.h"

/* "PID/TID", or the one number that perf script shows by default, which is the thread. */
static bool read_ids(const char *s, size_t len, struct foreign_event *f)
{
	const char *slash = memchr(s, '/', len);
	size_t first = slash ? (size_t)(slash - s) : len;

	if (!slash)
		return foreign_id(s, len, &f->tid);
	return foreign_id(s, first, &f->tgid) && foreign_id(slash + 1, len - first - 1, &f->tid);
}

static bool perf_event(const char *line, size_t len, struct foreign_event *f)
{
	size_t who, word;

	if (!foreign_split(line, len, f))
		return false;
	who = f->who_len;
	foreign_take_cpu(line, &who, &f->cpu);
	word = foreign_last_word(line, who);
	if (!read_ids(line + word, who - word, f))
		return false;
	/* perf aligns names to the right, so blanks before them mean nothing. */
	f->comm = line + strspn(line, " \t");
	who = word;
	while (who && (line[who - 1] == ' ' || line[who - 1] == '\t'))
		who--;
	f->comm_len = f->comm < line + who ? (size_t)(line + who - f->comm) : 0;
	return true;
}

static bool lost_number(const char *s, uint64_t *n)
{
	return number_decimal(s, strspn(s, "0123456789"), n);
}

/* "  ffffffff81300abc swap_cluster_readahead+0x2c ([kernel.kallsyms])": a frame of perf script -g
 */
static bool is_frame(const char *line)
{
	const char *s = line + strspn(line, " \t");
	size_t digits = strspn(s, "0123456789abcdef");

	return s != line && digits >= 4 && s[digits] == ' ' && s[strlen(s) - 1] == ')';
}

static int perf_other(struct foreign_import *in, const char *line, size_t len)
{
	const char *record = strstr(line, "PERF_RECORD_LOST"), *lost;
	struct foreign_event f = { .cpu = -1 };
	uint64_t n;

	if (is_frame(line))
		return 1;
	lost = strstr(line, "LOST ");
	if (lost == line && lost_number(lost + 5, &n) && strstr(line, " event"))
		return foreign_lost(in, -1, n);
	lost = record ? strstr(record, " lost ") : NULL;
	if (!lost || !lost_number(lost + 6, &n))
		return 0;
	/* WHO [CPU] TIME: before it, as far as it is there. */
	len = (size_t)(record - line);
	while (len && line[len - 1] == ' ')
		len--;
	len = foreign_last_word(line, len);
	while (len && line[len - 1] == ' ')
		len--;
	foreign_take_cpu(line, &len, &f.cpu);
	return foreign_lost(in, f.cpu, n);
}

static const struct foreign_format perf = {
	.name = "perf",
	.event = perf_event,
	.other = perf_other,
	.expected = "COMM PID/TID [CPU] SECONDS: EVENT: ARGUMENTS",
};

int import_perf(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		struct error *e)
{
	return foreign_import_lines(&perf, in, name, out_path, stats, e);
}

int import_probe_perf(const void *head, size_t len)
{
	return foreign_probe(&perf, head, len);
}
