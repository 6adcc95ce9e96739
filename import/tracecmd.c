// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "import/foreign_lines.h"
#include "traces/number.h"

#define NAME_COLUMNS 16

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t trim(const char *line, size_t len)
{
	while (len && blank(line[len - 1]))
		len--;
	return len;
}

/* "[CPU]", or "[CPU] d..1." with the flags of the latency format. */
static bool take_cpu(const char *line, size_t *len, struct foreign_event *f)
{
	size_t word, rest = *len;

	if (foreign_take_cpu(line, len, &f->cpu))
		return true;
	word = foreign_last_word(line, rest);
	rest = trim(line, word);
	if (!foreign_take_cpu(line, &rest, &f->cpu))
		return false;
	*len = rest;
	return true;
}

/* "(2210)", "(   71)" or "(-----)" between the thread and the CPU, where record-tgid is on. */
static void take_process(const char *line, size_t *len, struct foreign_event *f)
{
	size_t open, word;

	if (!*len || line[*len - 1] != ')')
		return;
	for (open = *len - 1; open && line[open] != '('; open--)
		;
	if (line[open] != '(')
		return;
	word = open + 1 + strspn(line + open + 1, " ");
	if (word < *len - 1 && !foreign_id(line + word, *len - 1 - word, &f->tgid) &&
	    strspn(line + word, "-") != *len - 1 - word)
		return;
	*len = trim(line, open);
}

/*
 * "WHO [CPU] TIME: EVENT: ARGUMENTS" with the time as a whole number, which is how the times of
 * clocks other than ftrace's usual ones are shown: nanoseconds of boot, tai and mono_raw.
 */
static bool split_whole(const char *line, size_t len, struct foreign_event *f)
{
	for (size_t i = len; i-- > 0;) {
		size_t begin = i, who;
		int32_t cpu;

		while (begin && line[begin - 1] >= '0' && line[begin - 1] <= '9')
			begin--;
		if (line[i] != ':' || begin == i || !begin || !blank(line[begin - 1]) ||
		    !number_decimal(line + begin, i - begin, &f->t_ns))
			continue;
		who = trim(line, begin);
		f->who_len = who;
		if (foreign_take_cpu(line, &who, &cpu) && foreign_take_name(line, len, i + 1, f))
			return true;
	}
	return false;
}

static bool tracecmd_event(const char *line, size_t len, struct foreign_event *f)
{
	size_t who, dash;

	if (!foreign_split(line, len, f) && !split_whole(line, len, f))
		return false;
	who = f->who_len;
	if (!take_cpu(line, &who, f))
		return false;
	take_process(line, &who, f);
	for (dash = who; dash && line[dash - 1] != '-'; dash--)
		;
	if (!dash || !foreign_id(line + dash, who - dash, &f->tid))
		return false;
	/* Names are aligned to the right, so blanks before them mean nothing. */
	f->comm = line + strspn(line, " \t");
	/* "BUFFER: " stands before the 16 columns of a name where there is more than one buffer. */
	if (dash > NAME_COLUMNS + 3 && !memcmp(line + dash - 1 - NAME_COLUMNS - 2, ": ", 2))
		f->comm = line + dash - 1 - NAME_COLUMNS;
	f->comm += strspn(f->comm, " \t");
	f->comm_len = f->comm < line + dash ? (size_t)(line + dash - 1 - f->comm) : 0;
	/* What ftrace shows when it has forgotten the name. */
	if (f->comm_len == 5 && !memcmp(f->comm, "<...>", 5))
		f->comm = NULL;
	return true;
}

static bool take_number(const char **p, uint64_t *v)
{
	size_t digits = strspn(*p, "0123456789");

	if (!number_decimal(*p, digits, v))
		return false;
	*p += digits;
	return true;
}

static bool take_text(const char **p, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*p, text, len))
		return false;
	*p += len;
	return true;
}

/* "[LOST 118 EVENTS]", "[118 EVENTS DROPPED]" and both without a number, which is then 0. */
static bool lost_events(const char *p, uint64_t *n)
{
	*n = 0;
	if (!take_text(&p, "["))
		return false;
	if (take_text(&p, "LOST ")) {
		if (take_number(&p, n) && (!*n || !take_text(&p, " ")))
			return false;
		return take_text(&p, "EVENTS]");
	}
	if (take_number(&p, n) && (!*n || !take_text(&p, " ")))
		return false;
	return take_text(&p, "EVENTS DROPPED]");
}

static int other_header(struct foreign_import *in, const char *p)
{
	const char *number = p;
	char text[64];
	uint64_t v;

	if (take_text(&number, "cpus=") && take_number(&number, &v) && !*number) {
		snprintf(text, sizeof(text), "cpus=%llu", (unsigned long long)v);
		return foreign_header_line(in, text);
	}
	if (take_text(&p, "CPU ") && take_number(&p, &v) && !strcmp(p, " is empty")) {
		snprintf(text, sizeof(text), "note cpu=%llu recorded nothing",
			 (unsigned long long)v);
		return foreign_header_line(in, text);
	}
	return take_text(&number, "version = ") ? 1 : 0;
}

static int tracecmd_other(struct foreign_import *in, const char *line, size_t len)
{
	const char *p = line + strspn(line, " \t");
	uint64_t cpu, n;

	(void)len;
	if (!take_text(&p, "CPU:"))
		return other_header(in, p);
	if (!take_number(&p, &cpu) || cpu > INT32_MAX)
		return 0;
	p += strspn(p, " \t");
	return lost_events(p, &n) ? foreign_lost(in, (int64_t)cpu, n) : 0;
}

static const struct foreign_format tracecmd = {
	.name = "trace-cmd",
	.event = tracecmd_event,
	.other = tracecmd_other,
	.expected = "COMM-TID [CPU] SECONDS: EVENT: ARGUMENTS",
};

int import_tracecmd(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		    struct error *e)
{
	return foreign_import_lines(&tracecmd, in, name, out_path, stats, e);
}

int import_probe_tracecmd(const void *head, size_t len)
{
	return foreign_probe(&tracecmd, head, len);
}
