// SPDX-License-Identifier: GPL-2.0
#include "import/tracedat_file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "traces/file.h"

/* CPU seconds without a record, and bytes of the file for each more: a big one is unpacked first.
 */
#define PATIENCE_S 10
#define BYTES_PER_S (20ull << 20)
#define RECORDS_PER_REST 4096
#define CPUS_MAX 8192
#define MEMORY_MAX (1ull << 30)

const int tracedat_available = 1;

/*
 * Exported by all versions of the library so far, although no header of Debian 12 declares them.
 * One without them only tells less.
 */
extern const char *tracecmd_get_trace_clock(struct tracecmd_input *in) __attribute__((weak));
extern const char *tracecmd_get_uname(struct tracecmd_input *in) __attribute__((weak));
extern const char *tracecmd_get_cpustats(struct tracecmd_input *in) __attribute__((weak));
extern struct tep_record *tracecmd_read_cpu_last(struct tracecmd_input *in, int cpu)
	__attribute__((weak));

/* The records of one CPU in one buffer. */
struct stream {
	struct tracecmd_input *in;
	int cpu;
	struct tep_record *next;
	uint64_t missed; /* events, as records told; 1 for a gap without a number */
	uint64_t offset; /* in the file, of the record that was told last */
};

struct telling {
	FILE *out;
	struct tep_handle *tep;
	struct stream *streams;
	unsigned int nstreams;
	uint64_t size; /* of the file, bytes */
	uint64_t records;
};

static void send(FILE *out, enum tracedat_kind kind, const void *p, size_t len)
{
	struct tracedat_head head = { .kind = kind, .len = (uint32_t)len };

	/* Nobody listens any more: the import has failed. */
	if (fwrite(&head, sizeof(head), 1, out) != 1 || (len && fwrite(p, len, 1, out) != 1))
		_exit(1);
}

static void send_text(FILE *out, enum tracedat_kind kind, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len)
		send(out, kind, text, len < TRACEDAT_MAX ? len : TRACEDAT_MAX);
}

static void send_lost(FILE *out, int cpu, uint64_t n)
{
	struct tracedat_lost lost = { .cpu = cpu, .n = n };

	send(out, TRACEDAT_LOST, &lost, sizeof(lost));
}

/* --- limits --------------------------------------------------------------------------------- */

/* From now on this much CPU time, then the end. */
static void be_patient(uint64_t size)
{
	struct itimerval t = { .it_value = { .tv_sec =
						     PATIENCE_S + (time_t)(size / BYTES_PER_S) } };

	setitimer(ITIMER_PROF, &t, NULL);
}

static void set_limits(uint64_t size)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__
	/* Files are mapped, and lengths in a damaged one are anything. */
	struct rlimit memory = { MEMORY_MAX + 2 * size, MEMORY_MAX + 2 * size };

	setrlimit(RLIMIT_AS, &memory);
#endif
	be_patient(size);
}

/* --- one record ------------------------------------------------------------------------------- */

struct text {
	size_t len;
	char s[4096];
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *fmt, ...)
{
	size_t room = sizeof(t->s) - t->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->len, room, fmt, ap);
	va_end(ap);
	/* What does not fit is left out whole. */
	if (n > 0 && (size_t)n < room)
		t->len += (size_t)n;
	else
		t->s[t->len] = '\0';
}

static bool read_field(struct tep_format_field *f, const struct tep_record *r,
		       unsigned long long *v)
{
	unsigned long skipped = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC;

	if (f->flags & skipped || f->offset < 0 || f->size < 1 || f->size > 8 ||
	    f->offset > r->size - f->size || tep_read_number_field(f, r->data, v))
		return false;
	if (f->flags & TEP_FIELD_IS_SIGNED && f->size < 8 && *v >> (8 * f->size - 1) & 1)
		*v |= ~0ull << (8 * f->size);
	return true;
}

static void put_symbol(struct text *t, struct tep_handle *tep, unsigned long long at)
{
	const char *name = tep_find_function(tep, at);

	if (name)
		put(t, "%s+0x%llx", name, at - tep_find_function_address(tep, at));
	else
		put(t, "0x%llx", at);
}

/* Where a probe is: "(FUNCTION)", or "(CALLER <- FUNCTION)" at a return. */
static void put_place(struct text *t, struct tep_event *event, const struct tep_record *r)
{
	struct tep_format_field *ip = tep_find_field(event, "__probe_ip");
	struct tep_format_field *function = tep_find_field(event, "__probe_func");
	struct tep_format_field *ret = tep_find_field(event, "__probe_ret_ip");
	unsigned long long at;

	if (function && ret && read_field(ret, r, &at)) {
		put(t, "(");
		put_symbol(t, event->tep, at);
		put(t, " <- ");
		if (read_field(function, r, &at))
			put_symbol(t, event->tep, at);
		put(t, ")");
	} else if (ip && read_field(ip, r, &at)) {
		put(t, "(");
		put_symbol(t, event->tep, at);
		put(t, ")");
	}
}

/* Whether the recorded format prints this field as the name of a function. */
static bool is_symbol(const struct tep_event *event, const char *name)
{
	const char *p = event->print_fmt.format;
	size_t len = strlen(name);

	for (; p && (p = strstr(p, name)); p += len)
		if (!strncasecmp(p + len, "=%ps", 4))
			return true;
	return false;
}

static void put_fields(struct text *t, struct tep_event *event, const struct tep_record *r)
{
	unsigned long long v;

	put_place(t, event, r);
	for (struct tep_format_field *f = event->format.fields; f; f = f->next) {
		if (!strncmp(f->name, "__probe_", 8) || !read_field(f, r, &v))
			continue;
		put(t, "%s%s=", t->len ? " " : "", f->name);
		if (is_symbol(event, f->name))
			put_symbol(t, event->tep, v);
		else if (f->flags & TEP_FIELD_IS_SIGNED)
			put(t, "%lld", (long long)v);
		else
			put(t, "0x%llx", v);
	}
}

/* As much of @s as fits. */
static uint16_t append(char *out, size_t *used, const char *s, size_t len)
{
	size_t room = TRACEDAT_MAX - *used;

	len = len < room ? len : room;
	memcpy(out + *used, s, len);
	*used += len;
	return (uint16_t)len;
}

static void send_event(struct telling *t, const struct stream *s)
{
	struct tep_event *event = tep_find_event_by_record(t->tep, s->next);
	int pid = tep_data_pid(t->tep, s->next);
	const char *comm = tep_data_comm_from_pid(t->tep, pid);
	struct tracedat_event m = { .t_ns = s->next->ts, .cpu = s->cpu, .tid = pid < 0 ? -1 : pid };
	const char *name = event ? event->name : "event-without-format";
	char message[TRACEDAT_MAX];
	struct text args = { 0 };
	size_t used = sizeof(m);

	if (event)
		put_fields(&args, event, s->next);
	/* What stands for a name that has been forgotten. */
	m.comm_known = comm && strcmp(comm, "<...>");
	if (m.comm_known)
		m.comm_len = append(message, &used, comm, strnlen(comm, 256));
	m.name_len = append(message, &used, name, strnlen(name, 256));
	m.args_len = append(message, &used, args.s, args.len);
	memcpy(message, &m, sizeof(m));
	send(t->out, TRACEDAT_EVENT, message, used);
}

/* --- all records ------------------------------------------------------------------------------ */

static void tell_record(struct telling *t, struct stream *s)
{
	long long missed = s->next->missed_events;

	if (missed) {
		s->missed += missed > 0 ? (uint64_t)missed : 1;
		send_lost(t->out, s->cpu, missed > 0 ? (uint64_t)missed : 0);
	}
	send_event(t, s);
	s->offset = s->next->offset;
	tracecmd_free_record(s->next);
	s->next = tracecmd_read_data(s->in, s->cpu);
	if (++t->records % RECORDS_PER_REST == 0)
		be_patient(t->size);
}

/*
 * The library takes a page that it can't unpack for the end of its CPU. Whether it was is told by
 * the last record, which is looked up from behind. @begun: there was a first one.
 */
static void tell_whole(struct telling *t, const struct stream *s, bool begun)
{
	struct tep_record *last;

	if (!tracecmd_read_cpu_last)
		return;
	last = tracecmd_read_cpu_last(s->in, s->cpu);
	if (begun ? !last || last->offset > s->offset : !!last)
		send(t->out, TRACEDAT_DAMAGED, NULL, 0);
	if (last)
		tracecmd_free_record(last);
}

/* In order of time; at one time in order of CPUs, as trace-cmd report does. */
static void tell_records(struct telling *t)
{
	for (;;) {
		struct stream *first = NULL;

		for (unsigned int i = 0; i < t->nstreams; i++) {
			struct stream *s = &t->streams[i];

			if (s->next && (!first || s->next->ts < first->next->ts))
				first = s;
		}
		if (!first)
			return;
		tell_record(t, first);
	}
}

static bool stat_line(const char *line, const char *key, uint64_t *v)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) || line[len] != ':')
		return false;
	*v = strtoull(line + len + 1, NULL, 10);
	return true;
}

/*
 * What the kernel counted as lost on a CPU, beyond what records told: lost behind the last one, or
 * in a gap that had no number because its page was full.
 */
static void tell_counted(struct telling *t, uint64_t cpu, uint64_t lost)
{
	uint64_t missed = 0;
	int32_t number = (int32_t)cpu;

	for (unsigned int i = 0; i < t->nstreams; i++)
		if ((uint64_t)t->streams[i].cpu == cpu)
			missed = t->streams[i].missed;
	if (lost > missed)
		send_lost(t->out, number, lost - missed);
	send(t->out, TRACEDAT_COUNTED, &number, sizeof(number));
}

static void tell_stats(struct telling *t, const char *stats)
{
	uint64_t cpu = CPUS_MAX, lost = 0, v;

	for (const char *line = stats; line && *line;) {
		const char *end = strchr(line, '\n');

		if (stat_line(line, "CPU", &v)) {
			cpu = v;
			lost = 0;
		} else if (stat_line(line, "overrun", &v) ||
			   stat_line(line, "commit overrun", &v)) {
			lost += v;
		} else if (stat_line(line, "dropped events", &v) && cpu < CPUS_MAX) {
			tell_counted(t, cpu, lost + v);
		}
		line = end ? end + 1 : NULL;
	}
}

static void add_streams(struct telling *t, struct tracecmd_input *in, int cpus, bool tell_empty)
{
	for (int32_t cpu = 0; in && cpu < cpus; cpu++) {
		struct stream s = { .in = in, .cpu = cpu, .next = tracecmd_read_data(in, cpu) };

		if (s.next)
			t->streams[t->nstreams++] = s;
		else
			tell_whole(t, &s, false);
		if (!s.next && tell_empty)
			send(t->out, TRACEDAT_EMPTY, &cpu, sizeof(cpu));
	}
}

static void tell_all(struct telling *t, struct tracecmd_input *in)
{
	int buffers = tracecmd_buffer_instances(in);
	int cpus = tep_get_cpus(t->tep);
	uint32_t n = (uint32_t)cpus;

	if (tracecmd_get_uname)
		send_text(t->out, TRACEDAT_UNAME, tracecmd_get_uname(in));
	if (tracecmd_get_trace_clock)
		send_text(t->out, TRACEDAT_CLOCK, tracecmd_get_trace_clock(in));
	buffers = buffers < 0 || buffers > 256 ? 0 : buffers;
	if (cpus < 1 || cpus > CPUS_MAX) {
		send_text(t->out, TRACEDAT_REFUSED, "it has no CPUs");
		return;
	}
	send(t->out, TRACEDAT_CPUS, &n, sizeof(n));
	t->streams = calloc((size_t)cpus * (size_t)(1 + buffers), sizeof(*t->streams));
	if (!t->streams) {
		send_text(t->out, TRACEDAT_REFUSED, "not enough memory");
		return;
	}
	add_streams(t, in, cpus, !buffers);
	for (int i = 0; i < buffers; i++)
		add_streams(t, tracecmd_buffer_instance_handle(in, i), cpus, false);
	tell_records(t);
	for (unsigned int i = 0; i < t->nstreams; i++)
		tell_whole(t, &t->streams[i], true);
	if (!buffers && tracecmd_get_cpustats)
		tell_stats(t, tracecmd_get_cpustats(in));
	free(t->streams);
	send(t->out, TRACEDAT_END, NULL, 0);
}

/* --- opening ---------------------------------------------------------------------------------- */

/*
 * The library refuses a file that ends before it should, or crashes. In the format of version 6 the
 * places of the data stand before them, so that a copy to which as many zeros are added as anybody
 * could miss has all whole pages in it. In version 7 they stand at the end, and a cut file has
 * none.
 */
static struct tracecmd_input *open_cut(int fd, uint64_t size)
{
	static const char magic[] = "\x17\x08"
				    "Dtracing6";
	unsigned char head[sizeof(magic) + 6], buffer[65536];
	uint64_t page, whole, done = 0;
	struct error e;
	int copy;

	/* Version, order of bytes, bytes of a long, bytes of a page; 1 is big. */
	if (file_read_at(fd, head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head, magic, sizeof(magic)) || head[sizeof(magic)])
		return NULL;
	page = head[sizeof(magic) + 2] | head[sizeof(magic) + 3] << 8 |
	       (uint64_t)head[sizeof(magic) + 4] << 16;
	if (!page || page & (page - 1))
		return NULL;
	copy = file_temporary(&e);
	if (copy < 0)
		return NULL;
	for (whole = size / page * page; done < whole;) {
		size_t part = whole - done < sizeof(buffer) ? whole - done : sizeof(buffer), put;

		if (file_read_at(fd, buffer, part, done) != (int64_t)part ||
		    file_write_all(copy, buffer, part, &put))
			return NULL;
		done += part;
	}
	if (ftruncate(copy, (off_t)(whole + (1ull << 40))) || lseek(copy, 0, SEEK_SET))
		return NULL;
	return tracecmd_open_fd(copy, TRACECMD_FL_LOAD_NO_PLUGINS);
}

void tracedat_tell(int fd, FILE *out, bool cut)
{
	struct telling t = { .out = out };
	struct tracecmd_input *in;
	struct stat st;

	if (fstat(fd, &st) || st.st_size < 0)
		return;
	t.size = (uint64_t)st.st_size;
	set_limits(t.size);
	tracecmd_set_loglevel(TEP_LOG_NONE);
	if (cut)
		in = open_cut(fd, t.size);
	else
		in = lseek(fd, 0, SEEK_SET)
			     ? NULL
			     : tracecmd_open_fd(dup(fd), TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!in) {
		send_text(
			out, TRACEDAT_REFUSED,
			"it is damaged, or its end is missing, where trace-cmd writes last of all "
			"where the events are (while TRACE.cpuN files are there, trace-cmd restore "
			"makes it whole)");
		return;
	}
	t.tep = tracecmd_get_tep(in);
	tell_all(&t, in);
}
