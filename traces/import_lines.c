// SPDX-License-Identifier: GPL-2.0
#include "traces/import_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/block.h"
#include "traces/file.h"
#include "traces/import_events.h"
#include "traces/lines.h"
#include "traces/number.h"

#define NS_PER_S 1000000000ull
/* Keeps sums of losses far from 2^64, however many lines of them there are. */
#define LOST_MAX (1ull << 40)

/* What is known of a CPU between two of its lines. */
struct foreign_cpu {
	uint64_t last_ns;
	uint64_t lost; /* since then, to be told with its next line */
	bool seen;
	bool uncounted; /* part of lost stands for an unknown number */
};

struct foreign_import {
	struct lines in;
	const struct foreign_format *format;
	const char *name;
	struct trace_header *header, *closing;
	struct import_sink sink;
	struct trace_sorter *sorter;
	struct trace_stats *stats;
	struct foreign_cpu *cpus; /* [0] is the unknown one, [1 + cpu] the others */
	size_t ncpus;
	uint64_t last_ns;
	uint64_t events; /* lines of the format, also of events that mean nothing here */
	bool moved, thread_only;
};

void import_name_unknown(struct trace_stats *stats, const char *name, size_t len)
{
	char *list = stats->unknown_names;
	size_t used = strlen(list), room = sizeof(stats->unknown_names);
	char text[4 * 48 + 5];

	escape_bytes(name, len < 48 ? len : 48, text, sizeof(text));
	len = strlen(text);
	for (const char *p = list; (p = strstr(p, text)); p++)
		if ((p == list || p[-1] == ' ') && (p[len] == ',' || !p[len]))
			return;
	if (used + len + 2 + 5 < room)
		sprintf(list + used, "%s%s", used ? ", " : "", text);
	else if (used >= 3 && strcmp(list + used - 3, "..."))
		strcpy(list + used, ", ...");
}

void import_bad_line(struct trace_stats *stats, uint64_t number, const char *why)
{
	if (!stats->bad_lines++) {
		stats->bad_line = number;
		snprintf(stats->bad_line_why, sizeof(stats->bad_line_why), "%s", why);
	}
}

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

/* "EVENT: ARGUMENTS" or "PERIOD EVENT: ARGUMENTS" at @i. */
static bool take_name(const char *line, size_t len, size_t i, struct foreign_event *f)
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
		    !time_before(line, i, &begin, &f->t_ns) || !take_name(line, len, i + 1, f))
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

static struct foreign_cpu *find_cpu(struct foreign_import *in, int64_t cpu)
{
	size_t i = (size_t)(cpu + 1);

	if (i >= in->ncpus) {
		struct foreign_cpu *bigger = realloc(in->cpus, (i + 1) * sizeof(*bigger));

		if (!bigger)
			return NULL;
		memset(bigger + in->ncpus, 0, (i + 1 - in->ncpus) * sizeof(*bigger));
		in->cpus = bigger;
		in->ncpus = i + 1;
	}
	return &in->cpus[i];
}

int foreign_lost(struct foreign_import *in, int64_t cpu, uint64_t n)
{
	struct foreign_cpu *c;

	if (cpu < -1 || cpu >= (int64_t)BLOCK_CPUS_MAX || n > LOST_MAX)
		return 0;
	c = find_cpu(in, cpu);
	if (!c)
		return -ENOMEM;
	c->uncounted |= !n;
	c->lost += n ? n : 1;
	in->stats->lost += n ? n : 1;
	return 1;
}

int foreign_header_line(struct foreign_import *in, const char *text)
{
	int ret = trace_header_add_line(in->sink.w ? in->closing : in->header, text, NULL);

	return ret == -ENOMEM ? ret : 1;
}

static int create_replacing(struct import_sink *s, const struct trace_header *h, struct error *e)
{
	return trace_create_replace(&s->w, s->path, h, e);
}

/* The writer is made with the first event: lines before it may be header. */
static int need_writer(struct foreign_import *in, struct error *e)
{
	int ret;

	if (in->sink.w)
		return 0;
	ret = in->sink.create(&in->sink, in->header, e);
	return ret ? ret : sorter_new_plain(&in->sorter, in->sink.w, e);
}

static int put(struct foreign_import *in, const struct event *ev, struct error *e)
{
	if (ev->t_ns < in->last_ns)
		in->stats->unsorted = true;
	else
		in->last_ns = ev->t_ns;
	return trace_sorter_add(in->sorter, ev, e);
}

/* What was lost on CPU @cpu (-1: unknown) is told when it is known when the gap ended. */
static int tell_loss(struct foreign_import *in, int64_t cpu, uint64_t to, struct error *e)
{
	struct foreign_cpu *c = &in->cpus[cpu + 1];
	struct event ev;
	char text[128];
	int ret = need_writer(in, e);

	if (ret)
		return ret;
	event_init(&ev, EV_LOST, to);
	ev.cpu = (int32_t)cpu;
	event_set(&ev, LOST_N, c->lost);
	if (c->seen)
		event_set(&ev, LOST_FROM, c->last_ns);
	event_set(&ev, LOST_TO, to);
	if (cpu >= 0)
		trace_write_lost(in->sink.w, (unsigned int)cpu, c->lost);
	if (c->uncounted) {
		snprintf(text, sizeof(text),
			 "note lost before t_ns=%" PRIu64
			 ": at least; one gap or more has no number",
			 to);
		if (foreign_header_line(in, text) < 0)
			return error_errno(e, -ENOMEM, "%s", in->name);
	}
	c->lost = 0;
	c->uncounted = false;
	return put(in, &ev, e);
}

static int seen_on(struct foreign_import *in, int32_t cpu, uint64_t t_ns, struct error *e)
{
	struct foreign_cpu *c = find_cpu(in, cpu);
	int ret = c ? 0 : error_errno(e, -ENOMEM, "%s", in->name);

	if (!ret && c->lost)
		ret = tell_loss(in, cpu, t_ns, e);
	/* Any line ends a gap of which nobody knows the CPU. */
	if (!ret && in->cpus[0].lost)
		ret = tell_loss(in, -1, t_ns, e);
	if (ret)
		return ret;
	for (size_t i = 0;; i = (size_t)(cpu + 1)) {
		if (!in->cpus[i].seen || in->cpus[i].last_ns < t_ns)
			in->cpus[i].last_ns = t_ns;
		in->cpus[i].seen = true;
		if (i == (size_t)(cpu + 1))
			return 0;
	}
}

static int read_event(struct foreign_import *in, const struct foreign_event *f, struct error *e)
{
	struct event ev;
	const char *why;
	bool moved;
	int ret = seen_on(in, f->cpu, f->t_ns, e);

	if (ret)
		return ret;
	in->events++;
	if (!foreign_event_fill(f, &ev, &moved, &why)) {
		in->stats->unknown_events++;
		import_name_unknown(in->stats, f->name, f->name_len);
		return 0;
	}
	if (why) {
		import_bad_line(in->stats, in->in.number, why);
		return 0;
	}
	ret = need_writer(in, e);
	if (ret)
		return ret;
	ev.cpu = f->cpu;
	ev.tgid = f->tgid;
	if (f->tid >= 0 && f->tid != f->tgid)
		event_set(&ev, KEY_TID, (uint64_t)f->tid);
	in->moved |= moved;
	in->thread_only |= f->tgid < 0 && f->tid >= 0;
	if (f->comm) {
		ev.comm = trace_write_string(in->sink.w, f->comm, f->comm_len);
		if (!ev.comm)
			return error_errno(e, -ENOMEM, "%s", in->name);
	}
	return put(in, &ev, e);
}

static int read_line(struct foreign_import *in, struct error *e)
{
	const char *line = in->in.line;
	struct foreign_event f;
	size_t len = in->in.len;
	int ret;

	if (memchr(line, '\0', len)) {
		import_bad_line(in->stats, in->in.number, "it holds a NUL byte");
		return 0;
	}
	while (len && blank(line[len - 1]))
		len--;
	if (!len || line[0] == '#')
		return 0;
	if (in->format->event(line, len, &f))
		return read_event(in, &f, e);
	ret = in->format->other(in, line, len);
	if (ret < 0)
		return error_errno(e, ret, "%s", in->name);
	if (!ret) {
		char why[160];

		snprintf(why, sizeof(why), "not of the form %s", in->format->expected);
		import_bad_line(in->stats, in->in.number, why);
	}
	return 0;
}

static int read_lines(struct foreign_import *in, struct error *e)
{
	int ret;

	while ((ret = lines_next(&in->in)) > 0) {
		ret = read_line(in, e);
		if (ret)
			return ret;
	}
	return ret < 0 ? error_errno(e, ret, "cannot read %s", in->name) : 0;
}

/* What the reader of the trace has to know of where it came from. */
static int add_notes(struct foreign_import *in, struct error *e)
{
	const char *notes[] = {
		"note times are of the clock that was used there, not certainly CLOCK_BOOTTIME",
		in->thread_only ? "note tid is what the text shows; the process is not known"
				: NULL,
		in->moved ? "note LRUADD has the time at which the folio left its batch for the "
			    "list; full batches and drains are not told apart"
			  : NULL,
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i] && trace_header_add_line(in->closing, notes[i], NULL) == -ENOMEM)
			return error_errno(e, -ENOMEM, "%s", in->name);
	return 0;
}

static int read_all(struct foreign_import *in, struct error *e)
{
	int ret = read_lines(in, e);

	if (!ret && !in->events && !in->stats->lost)
		ret = error_set(e, -EBADMSG, "%s: no line is of the form %s", in->name,
				in->format->expected);
	for (size_t i = 0; !ret && i < in->ncpus; i++)
		if (in->cpus[i].lost)
			ret = tell_loss(in, (int64_t)i - 1, in->last_ns, e);
	if (!ret)
		ret = need_writer(in, e);
	if (!ret)
		ret = add_notes(in, e);
	if (in->sorter) {
		int end = trace_sorter_end(in->sorter, NULL, ret ? NULL : e);

		ret = ret ? ret : end;
	}
	if (in->in.too_long) {
		if (!in->stats->bad_lines || in->in.first_too_long < in->stats->bad_line) {
			in->stats->bad_line = in->in.first_too_long;
			snprintf(in->stats->bad_line_why, sizeof(in->stats->bad_line_why),
				 "longer than 64 KiB");
		}
		in->stats->bad_lines += in->in.too_long;
	}
	return ret;
}

int foreign_import(const struct foreign_format *format, FILE *file, const char *name,
		   const char *out_path, struct trace_stats *stats, struct error *e)
{
	struct foreign_import *in = malloc(sizeof(*in));
	int ret = -ENOMEM;

	memset(stats, 0, sizeof(*stats));
	if (!in)
		return error_errno(e, ret, "%s", name);
	memset(in, 0, sizeof(*in));
	in->format = format;
	in->name = name;
	in->stats = stats;
	in->sink.create = create_replacing;
	in->sink.path = out_path;
	lines_open(&in->in, file);
	in->header = trace_header_new();
	in->closing = trace_header_new();
	if (in->header && in->closing && !trace_header_set(in->header, "backend", format->name) &&
	    find_cpu(in, -1))
		ret = read_all(in, e);
	else
		error_errno(e, ret, "%s", name);
	if (!ret)
		ret = trace_finish_counted(in->sink.w, in->closing, &stats->events, e);
	else if (in->sink.w)
		trace_abandon(in->sink.w);
	trace_header_free(in->header);
	trace_header_free(in->closing);
	free(in->cpus);
	free(in);
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
