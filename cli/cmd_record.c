// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bpf/hooks.h"
#include "bpf/machine.h"
#include "bpf/privilege.h"
#include "cli/caller.h"
#include "cli/record_child.h"
#include "cli/record_output.h"
#include "common/sandbox.h"
#include "traces/trace.h"
#ifdef HAVE_BPF
#include "bpf/recorder.h"
#endif

#define POLL_MS 5
#define FLUSH_NS 1000000000ull
#define COMMAND_PATIENCE_MS 5000 /* between SIGTERM and SIGKILL */

static const char *root(void)
{
	const char *r = getenv("SWAPTRACE_ROOT");

	return r ? r : "";
}

/* ---- --list-hooks ---- */

#define BUFFER_MIN 4096		/* a page, of most machines */
#define BUFFER_MAX (1ull << 30) /* the largest ring buffer that is made */

/* What a kernel without BTF says, which is an error only where nothing does without. */
static int explain_no_btf(const char *btf, struct error *e)
{
	if (!btf)
		return error_set(e, -ENOENT, "the kernel's BTF is left aside (--no-btf)");
	return error_set(
		e, -ENOENT,
		"%s: is missing: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF=y brings it)", btf);
}

/* Where there is no BTF (@k->btf), @no_btf says why; that is no error yet. */
static int read_kernel(const struct arguments *args, struct hook_kernel *k, struct error *no_btf,
		       struct error *e)
{
	bool without = option_flag(args, "no-btf");
	const char *kallsyms = option_string(args, "kallsyms", NULL);
	const char *btf = option_string(args, "btf", NULL);
	const char *config = option_string(args, "config", NULL);
	char own_kallsyms[512], own_btf[512], own_config[512];
	bool other = kallsyms || btf || config;
	char release[128];
	int err;

	/* With files of another kernel, what is not given is unknown, not this machine's. */
	if (!kallsyms) {
		snprintf(own_kallsyms, sizeof(own_kallsyms), "%s/proc/kallsyms", root());
		kallsyms = own_kallsyms;
	}
	if (!btf && !other && !without) {
		snprintf(own_btf, sizeof(own_btf), "%s/sys/kernel/btf/vmlinux", root());
		btf = own_btf;
	}
	if (!config && !other && machine_config_path(root(), own_config, sizeof(own_config)))
		config = own_config;
	explain_no_btf(btf, no_btf);
	err = hook_kernel_read(k, kallsyms, btf, option_given(args, "btf"), config, e);
	if (err || other)
		return err;
	if (machine_preempts(root()) >= 0)
		k->preempts = machine_preempts(root());
	machine_release(root(), release, sizeof(release));
	hook_kernel_release(k, release);
	return 0;
}

/* bcc attaches by kprobes alone. */
static int restrict_kinds(const struct arguments *args, bool bcc, struct hook_choice *choices,
			  struct error *e)
{
	const char *kind = option_string(args, "attach", NULL);

	if (bcc && kind && strcmp(kind, "kprobe"))
		return error_set(e, -EINVAL,
				 "--attach %s: the bcc backend attaches by kprobe alone", kind);
	if (!bcc && !kind)
		return 0;
	return hooks_only_kind(choices, bcc ? "kprobe" : kind, e);
}

static bool asks_for_bcc(const struct arguments *args)
{
	return !strcmp(option_string(args, "backend", "auto"), "bcc");
}

static int list_hooks(const struct arguments *args)
{
	struct hook_choice choices[HOOKS_MAX];
	struct hook_kernel k;
	struct error e = { 0 }, no_btf = { 0 };
	unsigned int groups = 0;
	int ret = EXIT_DONE;

	if (option_given(args, "events")) {
		groups = hooks_groups(option_string(args, "events", ""), &e);
		if (!groups)
			return fail(EXIT_USAGE, "%s", e.text);
	}
	if (!option_given(args, "kallsyms") && (option_given(args, "btf")))
		return fail(EXIT_USAGE, "--btf needs --kallsyms of the same kernel");
	if (read_kernel(args, &k, &no_btf, &e)) {
		bool file = option_given(args, "kallsyms") || option_given(args, "btf");

		hook_kernel_free(&k);
		return fail(file ? EXIT_INPUT : EXIT_ENVIRONMENT, "%s", e.text);
	}
	hooks_resolve(&k, choices);
	if (restrict_kinds(args, asks_for_bcc(args), choices, &e)) {
		hook_kernel_free(&k);
		return fail(EXIT_USAGE, "%s", e.text);
	}
	hooks_print(stdout, &k, choices);
	if (asks_for_bcc(args))
		printf("\nbcc attaches by kprobe and kretprobe alone, which the kernel skips on a CPU where another\nprogram runs: what interrupts do meanwhile is not seen, only counted (missed= in the trace)\n");
	if (groups && hooks_require(choices, groups, &e))
		ret = fail(EXIT_ENVIRONMENT, "%s", e.text);
	hook_kernel_free(&k);
	return ret;
}

#ifdef HAVE_BPF

/* ---- recording ---- */

static volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	stop_signal = sig;
}

struct session {
	const struct arguments *args;
	const char *path;
	int owned_fd; /* the trace once more, open until its owner is settled; -1 */
	struct hook_kernel kernel;
	struct hook_choice choices[HOOKS_MAX];
	struct recorder_options options;
	struct recorder *recorder;
	struct trace_header *header, *closing;
	struct trace_writer *w;
	struct caller caller;	    /* for whom we work */
	struct caller command_user; /* as whom the command runs */
	struct record_child child;
	uint64_t begin_ns, limit_ns, limit_bytes;
	bool status_line;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

/* A failure of record itself: with a command, its status must not be mistaken for the command's. */
static int own_failure(const struct session *s, int code)
{
	return s->args->child ? EXIT_RECORD : code;
}

static void say_warning(void *arg, const char *text)
{
	(void)arg;
	if (text[0] == ' ')
		quote(text);
	else
		warn("%s", text);
}

/* The verifier's whole words go to a file, where somebody asked for them. */
static void keep_log(void *arg, const char *program, const char *text)
{
	char path[256];
	FILE *f;

	(void)arg;
	if (!message_debug)
		return;
	snprintf(path, sizeof(path), "swaptrace-verifier-%s.log", program);
	f = fopen(path, "wx");
	if (!f) {
		warn("%s: the verifier's log is not written: %s", path, strerror(errno));
		return;
	}
	fputs(text, f);
	if (fclose(f))
		warn("%s: cannot be written: %s", path, strerror(errno));
	else
		note("the verifier's whole log is in %s", path);
}

static int choose_process(struct session *s)
{
	unsigned int pid = (unsigned int)option_u64(s->args, "pid", 0), count, host;

	if (!option_given(s->args, "pid"))
		return 0;
	host = machine_host_tgid(root(), pid, &count);
	if (!host)
		return fail(EXIT_USAGE,
			    "there is no process %u here, nor one with that number in a container",
			    pid);
	if (count > 1)
		return fail(
			EXIT_USAGE,
			"%u is the number of %u processes in different containers; give the number that the host uses",
			pid, count);
	if (host != pid)
		note("%u in the container is %u on the host", pid, host);
	s->options.tgid = host;
	return 0;
}

static int choose_cgroup(struct session *s)
{
	const char *path = option_string(s->args, "cgroup", NULL);
	struct error e = { 0 };

	if (path && machine_cgroup(path, &s->options.cgroup, &s->options.cgroup_level, &e))
		return fail(EXIT_USAGE, "%s", e.text);
	return 0;
}

static int read_options(struct session *s)
{
	struct error e = { 0 };
	int ret;

	s->options.groups = hooks_groups(option_string(s->args, "events", "ra"), &e);
	if (!s->options.groups)
		return fail(EXIT_USAGE, "%s", e.text);
	s->options.root = root();
	s->options.ring_bytes =
		option_u64(s->args, "buffer",
			   s->options.groups & (GROUP_ALLOC | GROUP_LRU) ? 16u << 20 : 4u << 20);
	s->limit_ns = option_u64(s->args, "duration", 0) * 1000000000ull;
	s->limit_bytes = option_u64(s->args, "max-size", 0);
	s->path = option_string(s->args, "output", "swaptrace.data");
	if (!strcmp(s->path, "-") && option_flag(s->args, "self-cost"))
		return fail(
			EXIT_USAGE,
			"--self-cost prints to standard output, where -o - writes the trace; give one of them another place");
	s->options.messages.warning = say_warning;
	s->options.messages.log = keep_log;
	s->options.stop = &stop_signal;
	s->status_line = !message_quiet && isatty(STDERR_FILENO);
	ret = choose_process(s);
	return ret ? ret : choose_cgroup(s);
}

/* What is there to record with, and what it is to be recorded with. */
static int choose_backend(struct session *s, struct error *e)
{
	struct error no_btf = { 0 };
	struct backend_facts f = { .no_btf = no_btf.text, .have_bcc = backend_built_with_bcc() };
	int err = read_kernel(s->args, &s->kernel, &no_btf, e);

	if (err)
		return err;
	f.have_btf = s->kernel.btf != NULL;
	return backend_choose(option_string(s->args, "backend", "auto"), &f, &s->options.backend,
			      e);
}

/* What is there, but not as it is known: the trace will be without it, and nobody should have to
 * look for that. */
static void tell_unknown(const struct session *s)
{
	if (hook_kernel_newer(&s->kernel))
		warn("this kernel (%u.%u) is newer than all that this version knows: what still has a known form is recorded",
		     s->kernel.major, s->kernel.minor);
	for (size_t i = 0; i < hook_plan_len; i++) {
		const struct hook_choice *c = &s->choices[i];

		if (!c->symbol && c->why[0] && !c->hook->spare &&
		    c->hook->groups & s->options.groups)
			warn("%s will be missing: %s; lost: %s", c->hook->name, c->why,
			     c->hook->lost);
	}
}

/* What the kernel has, then what we may, then loading: the first thing missing is the one named. */
static int attach(struct session *s)
{
	struct privilege p;
	struct error e = { 0 };
	int err = choose_backend(s, &e);

	privilege_read(&p, root());
	if (!err)
		err = privilege_check(&p, &e);
	if (!err) {
		hooks_resolve(&s->kernel, s->choices);
		err = restrict_kinds(s->args, s->options.backend == BACKEND_BCC, s->choices, &e);
	}
	if (err == -EINVAL)
		return fail(own_failure(s, EXIT_USAGE), "%s", e.text);
	if (!err)
		err = hooks_require(s->choices, s->options.groups, &e);
	if (!err)
		tell_unknown(s);
	if (!err) {
		err = recorder_open(&s->recorder, &s->options, &s->kernel, s->choices, s->header,
				    &e);
		if (err)
			privilege_explain(&p, err, &e);
	}
	return err ? fail(own_failure(s, EXIT_ENVIRONMENT), "%s", e.text) : 0;
}

static int add_filter_line(struct session *s, struct error *e)
{
	char line[512];

	if (s->options.tgid) {
		snprintf(line, sizeof(line), "filter pid=%u", s->options.tgid);
		if (trace_header_add_line(s->header, line, e))
			return e->code;
	}
	if (s->options.cgroup) {
		snprintf(line, sizeof(line), "filter cgroup=%" PRIu64, s->options.cgroup);
		return trace_header_add_line(s->header, line, e);
	}
	return 0;
}

static int add_command(struct session *s)
{
	char text[1024] = "";
	size_t len = 0;

	for (char **p = s->args->child; p && *p && len < sizeof(text); p++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len ? " " : "", *p);
	return *text ? trace_header_set(s->header, "command", text) : 0;
}

/* What was there moves only when nothing but the making of the file can fail. */
static int create_output(struct session *s)
{
	struct record_moved moved;
	struct error e = { 0 };
	int fd, err = add_filter_line(s, &e);

	if (!err)
		err = trace_header_set(s->header, "tool", SWAPTRACE_VERSION);
	if (!err)
		err = add_command(s);
	if (err)
		return fail(own_failure(s, EXIT_ENVIRONMENT), "%s", e.text);
	fd = record_output_create(s->path, &moved, &e);
	for (int i = 0; i < RECORD_OLD_NAMES; i++)
		if (moved.text[i][0])
			note("%s", moved.text[i]);
	if (fd >= 0) {
		s->owned_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		err = trace_create_fd(&s->w, fd, strcmp(s->path, "-") ? s->path : "standard output",
				      s->header, &e);
	}
	return fd < 0 || err ? fail(own_failure(s, EXIT_ENVIRONMENT), "%s", e.text) : 0;
}

/*
 * The recorder must not wait for its own pages to come back from swap. The limit counts as soon as
 * privileges are given up, and then for what is allocated later, too.
 */
static void lock_memory(void)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK,
		  &none); /* refused to who has none to give up, and may lock less */
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		warn("memory cannot be locked (%s); the recorder itself may be swapped out",
		     strerror(errno));
}

static void tell_ready(const struct session *s)
{
	static const char word[] = "recording\n";
	uint64_t fd = option_u64(s->args, "ready-fd", 0);

	note("recording to %s%s", s->path, s->child.pid ? "" : "; stop with Ctrl-C or SIGTERM");
	if (fd && write((int)fd, word, sizeof(word) - 1) < 0)
		warn("--ready-fd %" PRIu64 ": %s", fd, strerror(errno));
}

static void show_status(struct session *s, bool last)
{
	struct recorder_status st;
	uint64_t bytes = trace_written(s->w, NULL);

	if (!s->status_line)
		return;
	recorder_get_status(s->recorder, &st);
	fprintf(stderr,
		"\r%" PRIu64 " s, %" PRIu64 " events, %" PRIu64 " readahead calls, %" PRIu64
		" lost, %.1f MB \033[K%s",
		(now_ns() - s->begin_ns) / 1000000000, st.events, st.ra_calls, st.lost,
		(double)bytes / 1e6, last ? "\n" : "");
	fflush(stderr);
}

/* Why the recording is over, NULL while it is not. */
static const char *end_reason(struct session *s)
{
	if (stop_signal)
		return "signal";
	if (record_child_poll(&s->child))
		return "exit";
	if (s->limit_ns && now_ns() - s->begin_ns >= s->limit_ns)
		return "time";
	if (s->limit_bytes && trace_written(s->w, NULL) >= s->limit_bytes)
		return "size";
	return NULL;
}

static const char *record_loop(struct session *s, struct error *e)
{
	uint64_t flushed = s->begin_ns;
	const char *reason;

	while (!(reason = end_reason(s))) {
		uint64_t now;

		if (recorder_poll(s->recorder, POLL_MS, e))
			return "error";
		now = now_ns();
		if (now - flushed < FLUSH_NS)
			continue;
		flushed = now;
		if (recorder_flush(s->recorder, e))
			return "error";
		show_status(s, false);
	}
	return reason;
}

static void warn_about(struct session *s)
{
	struct recorder_status st;

	recorder_get_status(s->recorder, &st);
	note("%" PRIu64 " events written to %s", st.events, s->path);
	if (st.lost)
		warn("%" PRIu64 " events were lost; a larger -b helps", st.lost);
	if (st.offsets && !st.nonzero_offsets)
		warn("all slots are 0: offset field not readable on this kernel?");
	else if (st.odd_offsets)
		warn("%" PRIu64 " of %" PRIu64 " offsets outside the device, ignored",
		     st.odd_offsets, st.offsets);
}

/* What recording costs the machine, from the kernel's own clock around each program. */
static void print_costs(struct session *s)
{
	struct recorder_cost costs[HOOKS_MAX];
	unsigned int n = recorder_costs(s->recorder, costs);
	struct recorder_status st;
	uint64_t runs = 0, ns = 0;

	if (!n) {
		warn("--self-cost: the kernel has not measured any program");
		return;
	}
	printf("%-10s %-28s %-30s %12s %10s\n", "event", "function", "attached by", "calls",
	       "ns a call");
	for (unsigned int i = 0; i < n; i++) {
		printf("%-10s %-28s %-30s %12" PRIu64 " %10.0f\n", costs[i].event,
		       costs[i].function, costs[i].kind, costs[i].runs,
		       (double)costs[i].ns / (double)costs[i].runs);
		runs += costs[i].runs;
		ns += costs[i].ns;
	}
	recorder_get_status(s->recorder, &st);
	printf("%-10s %-28s %-30s %12" PRIu64 " %10.0f\n", "all", "", "", runs,
	       (double)ns / (double)runs);
	if (st.events)
		printf("%.0f ns for each of the %" PRIu64
		       " events in the trace, reading the clock twice for each program included\n",
		       (double)ns / (double)st.events, st.events);
}

static int finish(struct session *s, const char *reason, struct error *e)
{
	bool failed = !strcmp(reason, "error");
	uint64_t events, bytes;
	struct error later = { 0 };
	int err = recorder_end(s->recorder, s->closing, !failed, failed ? &later : e);

	failed |= err != 0;
	trace_header_set(s->closing, "stop", failed ? "error" : reason);
	show_status(s, true);
	if (!failed && option_flag(s->args, "self-cost"))
		print_costs(s);
	bytes = trace_written(s->w, &events);
	if (!failed) {
		err = trace_finish(s->w, s->closing, e);
		failed = err != 0;
	} else {
		trace_abandon(s->w);
	}
	s->w = NULL;
	if (failed)
		return fail(own_failure(s, EXIT_ENVIRONMENT),
			    "%s after %" PRIu64 " bytes / %" PRIu64
			    " events; the file is readable to the last whole block",
			    e->text, bytes, events);
	warn_about(s);
	return 0;
}

static void pass_ownership(const struct session *s)
{
	struct error e = { 0 };

	if (option_flag(s->args, "keep-owner"))
		return;
	switch (record_output_owner(s->owned_fd, s->path, &e)) {
	case OWNER_CHANGED:
		note("%s", e.text);
		break;
	case OWNER_FAILED:
		warn("%s", e.text);
		break;
	case OWNER_KEPT:
		break;
	}
}

/* All is attached and open: what is left needs neither root nor further files or programs. */
static int give_up_privileges(struct session *s, struct error *e)
{
	int err;

	pass_ownership(s);
	err = caller_drop(&s->caller, s->child.pid && option_flag(s->args, "as-root"), e);
	return err ? err : sandbox_enter(SANDBOX_RECORDER, e);
}

static int record(struct session *s)
{
	struct error e = { 0 };
	const char *reason = "error";
	int ret = attach(s);
	bool ended;

	if (!ret)
		ret = create_output(s);
	if (ret)
		return ret;
	lock_memory();
	s->begin_ns = now_ns();
	if (!recorder_begin(s->recorder, s->w, &e) && !give_up_privileges(s, &e)) {
		tell_ready(s);
		record_child_start(&s->child);
		reason = record_loop(s, &e);
	}
	ended = s->child.ended;
	if (!ended)
		record_child_stop(&s->child, SIGTERM);
	ret = finish(s, reason, &e);
	if (record_child_end(&s->child, COMMAND_PATIENCE_MS))
		warn("%s was killed: it had not ended %u s after SIGTERM", s->args->child[0],
		     COMMAND_PATIENCE_MS / 1000);
	if (!ret && s->child.pid)
		ret = ended ? s->child.status : EXIT_DONE;
	if (ended && s->child.status && s->command_user.kind == CALLER_OTHER)
		note("%s ran as uid %u, who called sudo, not as root; --as-root runs it as root",
		     s->args->child[0], (unsigned int)s->command_user.uid);
	return ret;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int record_session(const struct arguments *args)
{
	struct session *s = calloc(1, sizeof(*s));
	struct error e = { 0 };
	int ret;

	if (!s)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	s->args = args;
	s->owned_fd = -1;
	s->caller = caller_read();
	if (!option_flag(args, "as-root"))
		s->command_user = s->caller;
	s->header = trace_header_new();
	s->closing = trace_header_new();
	ret = s->header && s->closing ? read_options(s) : fail(EXIT_ENVIRONMENT, "out of memory");
	catch_signals();
	if (!ret && args->child &&
	    record_child_prepare(&s->child, args->child, &s->command_user, &e))
		ret = fail(EXIT_RECORD, "%s", e.text);
	if (!ret)
		ret = record(s);
	record_child_stop(&s->child, SIGTERM);
	recorder_close(s->recorder);
	trace_abandon(s->w);
	if (s->owned_fd >= 0)
		close(s->owned_fd);
	hook_kernel_free(&s->kernel);
	trace_header_free(s->header);
	trace_header_free(s->closing);
	free(s);
	return ret;
}

#else

static int record_session(const struct arguments *args)
{
	return fail(
		args->child ? EXIT_RECORD : EXIT_ENVIRONMENT,
		"this swaptrace was built without BPF (HAVE_BPF=0) and cannot record; everything else works");
}

#endif

/* Limits that can be of no use; asked before anything that needs privileges. */
static int check_limits(const struct arguments *args)
{
	uint64_t buffer = option_u64(args, "buffer", BUFFER_MIN);
	uint64_t seconds = option_u64(args, "duration", 1);

	if (buffer < BUFFER_MIN || buffer > BUFFER_MAX)
		return fail(EXIT_USAGE, "option --buffer: %" PRIu64 " bytes; must be 4K to 1G",
			    buffer);
	if (!seconds || seconds > UINT64_MAX / 1000000000)
		return fail(EXIT_USAGE,
			    "option --duration: %" PRIu64
			    " is not a number of seconds to record for",
			    seconds);
	if (!option_u64(args, "max-size", 1))
		return fail(EXIT_USAGE, "option --max-size: no trace has 0 bytes");
	return 0;
}

static int run_record(const struct arguments *args)
{
	int ret = check_limits(args);

	if (ret)
		return ret;
	if (option_flag(args, "list-hooks") || option_flag(args, "list-probes"))
		return list_hooks(args);
	if (option_given(args, "kallsyms") || option_given(args, "btf"))
		return fail(EXIT_USAGE, "--kallsyms and --btf go with --list-hooks");
	return record_session(args);
}

static const struct option_desc record_options[] = {
	{ 'o', "output", OPTION_STRING, "FILE",
	  "trace to write (default swaptrace.data; what is there becomes FILE.old); - is stdout",
	  false },
	{ 'e', "events", OPTION_STRING, "GROUPS", "ra (default), alloc, lru; joined by commas",
	  false },
	{ 'd', "duration", OPTION_U64, "SEC", "stop after this many seconds", false },
	{ 'p', "pid", OPTION_U64, "PID", "mark the events of all other processes as filtered",
	  false },
	{ 'G', "cgroup", OPTION_STRING, "PATH",
	  "mark the events of processes outside this cgroup as filtered", false },
	{ 'b', "buffer", OPTION_U64, "SIZE",
	  "ring buffer of each CPU, bytes (default 4M, with alloc or lru 16M)", true },
	{ 0, "max-size", OPTION_U64, "SIZE", "stop when the trace has this size", true },
	{ 0, "backend", OPTION_STRING, "NAME",
	  "libbpf, which needs the kernel's BTF; bcc, which needs its headers; auto (default): libbpf where there is BTF",
	  false },
	{ 0, "no-btf", OPTION_FLAG, NULL, "record as if the kernel had no BTF", false },
	{ 0, "attach", OPTION_STRING, "KIND",
	  "use only fentry, kprobe.multi or kprobe (default: the first that works)", false },
	{ 0, "list-hooks", OPTION_FLAG, NULL, "print what would be attached, load nothing", false },
	{ 0, "list-probes", OPTION_FLAG, NULL, "the same", false },
	{ 0, "kallsyms", OPTION_STRING, "FILE", "with --list-hooks: symbols of another kernel",
	  false },
	{ 0, "btf", OPTION_STRING, "FILE", "with --list-hooks: BTF of another kernel", false },
	{ 0, "config", OPTION_STRING, "FILE", "with --list-hooks: its configuration", false },
	{ 0, "self-cost", OPTION_FLAG, NULL,
	  "print what each hook has cost, in ns of the machine's time a call", false },
	{ 0, "ready-fd", OPTION_U64, "N",
	  "write a line to this file descriptor when recording has begun", false },
	{ 0, "as-root", OPTION_FLAG, NULL,
	  "after sudo, run the command as root, not as the user who called it", false },
	{ 0, "keep-owner", OPTION_FLAG, NULL,
	  "after sudo, do not give the trace to the user who called it", false },
	{ 0, NULL, OPTION_FLAG, NULL, NULL, false },
};

const struct command cmd_record = {
	.name = "record",
	.synopsis = "[options] [-- COMMAND]",
	.summary = "record the swap activity of this machine",
	.description =
		"Attaches BPF programs to the kernel's swap code and writes what it does to a trace. Ends with the command, with SIGINT or SIGTERM, or at a limit (-d, --max-size). With a command its exit status is passed on; 125 means that record itself failed, 126 and 127 that the command could not be run.\n\n"
		"Needs root (or CAP_BPF and CAP_PERFMON) and a kernel with BTF (CONFIG_DEBUG_INFO_BTF), or without BTF the headers of the kernel (package linux-headers-RELEASE; also /sys/kernel/kheaders.tar.xz or BCC_KERNEL_SOURCE), against which --backend bcc compiles the same programs, from Linux 5.12 on. That takes some seconds before the recording begins. --list-hooks needs neither.\n\n"
		"Programs are attached by fentry and fexit where the kernel can, otherwise by kprobe and kretprobe. What this kernel does not show is left out, named in the header (missing=) and in --list-hooks. The size of a readahead window is read from the kernel's own variables at the moment it has been decided (how=state), from the function that returns it where the compiler kept that (how=probed), or from the burst of reads that followed (how=burst). bcc attaches by kprobe and kretprobe alone. The kernel skips these on a CPU where another program runs, so what interrupts do meanwhile (LRUADD and FLUSH op=rotate, READ ns=) is only counted, as missed= in the closing lines, by kernels from 6.7 on.\n\n"
		"-p and -G drop nothing, because every task changes the state that the others meet: events of other tasks carry filtered=1.\n\n"
		"The closing lines of the trace count, for each probe and CPU, hits (runs of the program), delivered (events in the file), lost (no room in the ring buffer) and filtered (runs that mean no event); 'info --verify' checks that they add up. runs= is the kernel's own count of program runs, idle= those outside the recording, so hits and idle over all CPUs should give runs.\n\n"
		"Groups of events: ra, what readahead is asked for and does, with the slots that are given and freed; alloc, requests for slots, what they got and why not, writes, in the order in which the kernel's lock let them through (seq=); lru, drains and flushes of the per-CPU batches, and what joined them. --self-cost shows what they cost.\n\n"
		"The trace is written in place, so that it can be read when the recorder is killed or the disk is full, to the last block that was written (one a second, or more). It is a new file that only its owner may read. What was there becomes FILE.old, as with perf record: the recording before. An earlier FILE.old is kept, too, as FILE.old.1, or .2 where that is taken; a line says so. Nothing removes them but you.\n\n"
		"After sudo the trace is given to the user who called it, unless --keep-owner is given, and the command runs as that user, in that user's environment, unless --as-root is given (swapoff needs it). When a limit ends the recording, the command is sent SIGTERM and, 5 s later, SIGKILL. Once everything is attached and open, record itself becomes that user, too: of its capabilities CAP_BPF is left, and a seccomp filter refuses it files to write, programs to start and the network.\n\n"
		"SWAPTRACE_ROOT names a folder below which /proc, /sys and /boot are looked up; it is meant for tests.",
	.examples = "  swaptrace record -o off.swaptrace --as-root -- swapoff /dev/nvme0n1\n"
		    "  swaptrace record -d 60 -b 16M\n"
		    "  swaptrace record --list-hooks\n",
	.options = record_options,
	.run = run_record,
	.child = true,
};
