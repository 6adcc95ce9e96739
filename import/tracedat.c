// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "import/foreign.h"
#include "import/tracedat_file.h"
#include "traces/block.h"
#include "traces/file.h"

struct tracedat_input {
	struct foreign_source source;
	pid_t pid;
	FILE *from; /* messages of the child */
	int fd;
	uint64_t messages, records;
	bool cut, ended;
	bool damaged;	   /* records are missing inside */
	bool endless;	   /* it was stopped, as it did not come to an end */
	char refused[512]; /* why nothing could be read */
	char clock_note[400];
	char message[TRACEDAT_MAX + 1];
};

/* --- the child -------------------------------------------------------------------------------- */

static void be_child(const struct tracedat_input *t, int to)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	FILE *out = fdopen(to, "w");

	/* The libraries write where they like. */
	if (null < 0 || !out || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(1);
	signal(SIGPIPE, SIG_DFL);
	tracedat_tell(t->fd, out, t->cut);
	_exit(fflush(out) ? 1 : 0);
}

static int start_child(struct tracedat_input *t, struct error *e)
{
	const char *name = "cannot start a process that reads trace.dat";
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return error_errno(e, -errno, "%s", name);
	t->pid = fork();
	if (!t->pid) {
		close(ends[0]);
		be_child(t, ends[1]);
	}
	close(ends[1]);
	t->from = t->pid < 0 ? NULL : fdopen(ends[0], "r");
	if (t->from)
		return 0;
	close(ends[0]);
	return error_errno(e, -ENOMEM, "%s", name);
}

/* Its status; 0 also where it did not end well but had told all. */
static int end_child(struct tracedat_input *t)
{
	int status = 0;

	if (t->from)
		fclose(t->from);
	t->from = NULL;
	if (t->pid <= 0)
		return 0;
	/* It is at its end, or of no use any more. */
	if (!t->ended)
		kill(t->pid, SIGTERM);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	t->pid = 0;
	return status;
}

/* --- messages --------------------------------------------------------------------------------- */

static int take_event(struct tracedat_input *t, struct foreign_import *in, size_t len,
		      struct error *e)
{
	struct foreign_event f = { .tgid = -1, .number = ++t->records };
	struct tracedat_event m;
	const char *text = t->message + sizeof(m);

	if (len < sizeof(m))
		return -EPROTO;
	memcpy(&m, t->message, sizeof(m));
	if (len != sizeof(m) + m.comm_len + m.name_len + m.args_len || m.cpu < -1 ||
	    m.cpu >= (int32_t)BLOCK_CPUS_MAX || m.tid < -1)
		return -EPROTO;
	f.t_ns = m.t_ns;
	f.cpu = m.cpu;
	f.tid = m.tid;
	f.comm = m.comm_known ? text : NULL;
	f.comm_len = m.comm_len;
	f.name = text + m.comm_len;
	f.name_len = m.name_len;
	f.args = f.name + m.name_len;
	f.args_len = m.args_len;
	return foreign_take(in, &f, e);
}

/* "SYSTEM NODE RELEASE MACHINE" */
static int take_uname(struct foreign_import *in, char *text)
{
	char line[512], release[128], arch[128], *words[4], *rest = NULL;

	for (unsigned int i = 0; i < 4; i++) {
		words[i] = strtok_r(i ? NULL : text, " \t\n", &rest);
		if (!words[i])
			return 1;
	}
	escape_bytes(words[2], strnlen(words[2], 30), release, sizeof(release));
	escape_bytes(words[3], strnlen(words[3], 30), arch, sizeof(arch));
	snprintf(line, sizeof(line), "release=%s arch=%s", release, arch);
	return foreign_header_line(in, line);
}

static void take_clock(struct tracedat_input *t)
{
	static const char *const counters[] = { "counter", "x86-tsc", "ppc-tb" };
	const char *unit = "";
	char clock[128];

	escape_bytes(t->message, strnlen(t->message, 30), clock, sizeof(clock));
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (!strcmp(clock, counters[i]))
			unit = ", may be no nanoseconds";
	if (!strcmp(clock, "boot"))
		snprintf(t->clock_note, sizeof(t->clock_note),
			 "note trace_clock=boot: times are of CLOCK_BOOTTIME");
	else
		snprintf(t->clock_note, sizeof(t->clock_note),
			 "note trace_clock=%s: times are not of CLOCK_BOOTTIME%s and can't be "
			 "aligned with other recordings (trace-cmd record -C boot)",
			 clock, unit);
	t->source.clock_note = t->clock_note;
}

/* A number of CPUs, or of one. */
static int take_number(struct tracedat_input *t, struct foreign_import *in, size_t len,
		       const char *format)
{
	char line[64];
	uint32_t n;

	if (len != sizeof(n))
		return -EPROTO;
	memcpy(&n, t->message, sizeof(n));
	if (n > BLOCK_CPUS_MAX)
		return -EPROTO;
	snprintf(line, sizeof(line), format, n);
	return foreign_header_line(in, line);
}

static int take_lost(struct tracedat_input *t, struct foreign_import *in, size_t len)
{
	struct tracedat_lost lost;

	if (len != sizeof(lost))
		return -EPROTO;
	memcpy(&lost, t->message, sizeof(lost));
	return foreign_lost(in, lost.cpu, lost.n);
}

static int take_counted(struct tracedat_input *t, struct foreign_import *in, size_t len)
{
	int32_t cpu;

	if (len != sizeof(cpu))
		return -EPROTO;
	memcpy(&cpu, t->message, sizeof(cpu));
	return foreign_counted(in, cpu);
}

/* 0 or 1; -EPROTO for what the child can't have meant; another negative errno. */
static int take_message(struct tracedat_input *t, struct foreign_import *in,
			const struct tracedat_head *head, struct error *e)
{
	t->message[head->len] = '\0';
	switch (head->kind) {
	case TRACEDAT_CPUS:
		return take_number(t, in, head->len, "cpus=%" PRIu32);
	case TRACEDAT_EMPTY:
		return take_number(t, in, head->len, "note cpu=%" PRIu32 " recorded nothing");
	case TRACEDAT_CLOCK:
		take_clock(t);
		return 0;
	case TRACEDAT_UNAME:
		return take_uname(in, t->message);
	case TRACEDAT_LOST:
		return take_lost(t, in, head->len);
	case TRACEDAT_COUNTED:
		return take_counted(t, in, head->len);
	case TRACEDAT_EVENT:
		return take_event(t, in, head->len, e);
	case TRACEDAT_REFUSED:
		snprintf(t->refused, sizeof(t->refused), "%.*s", (int)sizeof(t->refused) - 1,
			 t->message);
		return 0;
	case TRACEDAT_DAMAGED:
		t->damaged = true;
		return 0;
	case TRACEDAT_END:
		t->ended = true;
		return 0;
	default:
		return -EPROTO;
	}
}

/* Ends the child and keeps why it told no more. */
static void describe_end(struct tracedat_input *t)
{
	int status = end_child(t);

	if (t->ended || t->refused[0])
		return;
	t->endless = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
	if (t->endless)
		snprintf(t->refused, sizeof(t->refused),
			 "it is damaged: libtracecmd does not come to an end with it");
	else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM)
		snprintf(t->refused, sizeof(t->refused),
			 "it is damaged: libtracecmd ended with signal %d", WTERMSIG(status));
	else
		snprintf(t->refused, sizeof(t->refused), "it is damaged: libtracecmd gave up");
}

/* What is missing at the end stays with the trace. */
static int finish(struct tracedat_input *t, struct foreign_import *in, struct error *e)
{
	char line[160];

	describe_end(t);
	if (!t->records && t->refused[0])
		return error_set(e, -EBADMSG, "%s can't be read: %s", foreign_name(in), t->refused);
	if (t->ended && !t->cut && !t->damaged)
		return 0;
	foreign_stats(in)->truncated = true;
	snprintf(line, sizeof(line),
		 "note recovered events=%" PRIu64
		 " damaged_blocks=0 damaged_events=0 truncated=1 header_lost=0",
		 t->records);
	return foreign_header_line(in, line) < 0 ? error_errno(e, -ENOMEM, "%s", foreign_name(in))
						 : 0;
}

/* All that one child tells. */
static int hear(struct tracedat_input *t, struct foreign_import *in, struct error *e)
{
	struct tracedat_head head;
	int ret = start_child(t, e);

	while (ret >= 0 && !t->ended && fread(&head, sizeof(head), 1, t->from) == 1) {
		if (head.len > TRACEDAT_MAX ||
		    (head.len && fread(t->message, head.len, 1, t->from) != 1))
			break;
		t->messages += head.kind != TRACEDAT_REFUSED;
		ret = take_message(t, in, &head, e);
	}
	return ret == -EPROTO ? 0 : ret;
}

static int read_messages(struct foreign_import *in, void *priv, struct error *e)
{
	struct tracedat_input *t = priv;
	int ret;

	foreign_stats(in)->binary_input = true;
	ret = hear(t, in, e);
	if (ret >= 0 && !t->messages) {
		/* Not even the head could be read. */
		describe_end(t);
		t->cut = !t->endless;
		if (t->cut)
			ret = hear(t, in, e);
	}
	if (ret >= 0)
		return finish(t, in, e);
	end_child(t);
	return ret == -ENOMEM ? error_errno(e, ret, "%s", foreign_name(in)) : ret;
}

/* --- the import ------------------------------------------------------------------------------- */

/* The file itself, or a copy of a pipe, as the libraries jump about in it. */
static int open_seekable(FILE *in, const char *name, struct error *e)
{
	char buffer[65536];
	size_t n, done;
	int fd, ret = 0;

	if (lseek(fileno(in), 0, SEEK_CUR) >= 0) {
		fd = fcntl(fileno(in), F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? error_errno(e, -errno, "%s", name) : fd;
	}
	fd = file_temporary(e);
	if (fd < 0)
		return fd;
	while (!ret && (n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		ret = file_write_all(fd, buffer, n, &done);
	if (!ret && ferror(in))
		ret = -EIO;
	if (!ret)
		return fd;
	close(fd);
	return error_errno(e, ret, "cannot copy %s to a temporary file", name);
}

int import_tracedat(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		    struct error *e)
{
	struct tracedat_input *t;
	int ret;

	memset(stats, 0, sizeof(*stats));
	if (!tracedat_available)
		return error_set(e, -ENOSYS,
				 "%s: this swaptrace was built without libtracecmd and can't read "
				 "trace.dat; install libtracecmd-dev, libtraceevent-dev and "
				 "libtracefs-dev and build it again, or import the text of "
				 "'trace-cmd report -t'",
				 name);
	t = calloc(1, sizeof(*t));
	if (!t)
		return error_errno(e, -ENOMEM, "%s", name);
	t->fd = open_seekable(in, name, e);
	ret = t->fd < 0 ? t->fd : 0;
	if (!ret) {
		t->source = (struct foreign_source){ .backend = "trace.dat",
						     .read = read_messages,
						     .priv = t,
						     .nothing = "it has no events" };
		ret = foreign_import(&t->source, name, out_path, stats, e);
	}
	end_child(t);
	if (t->fd >= 0)
		close(t->fd);
	free(t);
	return ret;
}

int import_probe_tracedat(const void *head, size_t len)
{
	static const char magic[] = "\x17\x08"
				    "Dtracing";

	return len >= sizeof(magic) - 1 && !memcmp(head, magic, sizeof(magic) - 1) ? 100 : 0;
}
