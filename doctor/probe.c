// SPDX-License-Identifier: GPL-2.0
#include "doctor/probe.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf/privilege.h"
#include "doctor/doctor.h"

/*
 * Three processes, so that nothing stays behind: the caller waits and cleans up after a worker that
 * died; the worker does the work, and cleans up when it is told to stop or when the caller dies;
 * the child of the worker only holds the pages. They share one piece of memory.
 */

#define CAP_SYS_ADMIN 21
#define PRIORITY_MAX 32767 /* above all other devices: the pages must come to this one */
#define PUSH_ROUNDS 40
#define SWAPPED_PERCENT 90 /* of the pages, for a verdict */
#define PAGES_MIN 256u

struct probe_shared {
	struct probe_options options;
	struct probe_result result;
	struct error error;
	int ret;
	struct probe_pages pages;
	/* What has to be undone. */
	char swap_path[128]; /* empty: none is on */
	struct probe_cgroup cgroup;
};

/* What only the worker has. */
struct probe_worker {
	struct probe_shared *s;
	struct probe_device device;
	pid_t child;
	int to_child, from_child;
};

static volatile sig_atomic_t stopped;
static volatile pid_t worker_pid;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
	if (worker_pid > 0)
		kill(worker_pid, SIGTERM);
}

/* Without SA_RESTART, so that whoever waits hears of it. */
static void handle_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction a = { .sa_handler = stop };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &a, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ---- undoing ---- */

/* Repeated where a signal comes in between; a device that is not on any more is what is wanted. */
static int switch_off(struct probe_shared *s)
{
	int ret = 0;

	while (s->swap_path[0] && swapoff(s->swap_path)) {
		if (errno == EINTR)
			continue;
		ret = errno == EINVAL ? 0 : -errno;
		break;
	}
	if (!ret)
		s->swap_path[0] = '\0';
	return ret;
}

static void undo(struct probe_shared *s)
{
	int ret = switch_off(s);

	if (ret)
		s->ret = error_errno(&s->error, ret,
				     "%s could not be switched off; do it with 'swapoff %s'",
				     s->swap_path, s->swap_path);
	ret = probe_cgroup_remove(&s->cgroup);
	if (ret)
		s->ret = error_errno(&s->error, ret,
				     "%s could not be removed; do it with 'rmdir %s'",
				     s->cgroup.path, s->cgroup.path);
}

/* ---- the worker ---- */

static int order_child(struct probe_worker *w, char order, const char *what)
{
	struct error *e = &w->s->error;
	char answer = 0;

	if (stopped)
		return error_set(e, -EINTR, "stopped by a signal; everything was put back");
	if (write(w->to_child, &order, 1) != 1 || read(w->from_child, &answer, 1) != 1) {
		if (stopped)
			return error_set(e, -EINTR, "stopped by a signal; everything was put back");
		return error_set(e, -EIO, "the process that holds the pages ended too early");
	}
	if (answer != order)
		return error_set(e, -EOPNOTSUPP, "%s", what);
	return 0;
}

static int start_child(struct probe_worker *w)
{
	int to[2], from[2], ret;

	if (pipe(to) || pipe(from))
		return error_errno(&w->s->error, -errno, "no pipe");
	w->child = fork();
	if (w->child < 0)
		return error_errno(&w->s->error, -errno, "no process can be started");
	if (!w->child) {
		close(to[1]);
		close(from[0]);
		probe_pages_child(&w->s->pages, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	w->to_child = to[1];
	w->from_child = from[0];
	ret = probe_cgroup_enter(&w->s->cgroup, w->child);
	if (ret)
		return error_errno(&w->s->error, ret, "%s: no process can be moved there",
				   w->s->cgroup.path);
	return 0;
}

static int switch_on(struct probe_worker *w)
{
	const struct probe_options *o = &w->s->options;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), pages;
	int ret;

	ret = o->device ? probe_device_take(&w->device, o->device, &w->s->error)
			: probe_device_make(&w->device, o->size_mb << 20, &w->s->error);
	if (ret)
		return ret;
	/* A quarter of the area, so that what is swapped lies as swapping laid it out. */
	pages = w->device.slots / 4;
	w->s->pages.n = pages < PROBE_PAGES_MAX ? (unsigned int)pages : PROBE_PAGES_MAX;
	if (w->s->pages.n < PAGES_MIN)
		return error_set(&w->s->error, -ENOSPC,
				 "%s: too small, at least %llu MB are needed", w->device.path,
				 (unsigned long long)(4 * PAGES_MIN * page >> 20));
	strcpy(w->s->result.device, w->device.path);
	strcpy(w->s->swap_path, w->device.path);
	if (swapon(w->device.path, SWAP_FLAG_PREFER | PRIORITY_MAX)) {
		ret = -errno;
		w->s->swap_path[0] = '\0';
		return error_errno(&w->s->error, ret, "%s: swapon was refused", w->device.path);
	}
	return 0;
}

/* Until nothing is resident and nothing is left in the swap cache, or nothing moves any more. */
static int push_out(struct probe_worker *w)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct probe_pages *p = &w->s->pages;
	uint64_t bytes = p->n * (uint64_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < PUSH_ROUNDS; i++) {
		int ret;

		if (w->s->cgroup.reclaim == PROBE_PAGEOUT)
			ret = order_child(w, PROBE_PUSH,
					  "no memory cgroup can be used, and the kernel has no "
					  "MADV_PAGEOUT (5.4 on): pages can't be pushed out");
		else
			probe_cgroup_empty(&w->s->cgroup, bytes), ret = 0;
		nanosleep(&pause, NULL);
		if (!ret)
			ret = order_child(w, PROBE_LOOK, "/proc/self/pagemap cannot be read");
		if (ret || (!p->resident && !p->cached))
			return ret;
	}
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int measure(struct probe_worker *w)
{
	struct probe_result *r = &w->s->result;
	struct doctor_counters before, after;
	double begin;
	int ret = doctor_counters_now(&before, "", &w->s->error);

	if (ret)
		return ret;
	begin = now();
	ret = switch_off(w->s);
	r->seconds = now() - begin;
	if (ret)
		return error_errno(&w->s->error, ret, "%s: swapoff failed", r->device);
	ret = doctor_counters_now(&after, "", &w->s->error);
	if (ret)
		return ret;
	r->swap_ra = doctor_delta(before.swap_ra, after.swap_ra, false, true).value;
	r->swap_ra_hit = doctor_delta(before.swap_ra_hit, after.swap_ra_hit, false, true).value;
	if (r->swap_ra == COUNT_UNKNOWN || r->swap_ra_hit == COUNT_UNKNOWN)
		return error_set(&w->s->error, -EOPNOTSUPP,
				 "the kernel does not count swap_ra and swap_ra_hit "
				 "(CONFIG_VM_EVENT_COUNTERS)");
	return 0;
}

/* The mode while the probe's device is on, which counts as a device like any other. */
static int read_mode(struct probe_worker *w)
{
	struct doctor_facts *f = malloc(sizeof(*f));
	struct probe_result *r = &w->s->result;
	int ret = f ? doctor_facts_read(f, "", &w->s->error) : -ENOMEM;

	if (!ret && f->readahead == RA_KIND_OFF)
		ret = error_set(&w->s->error, -EOPNOTSUPP,
				"page-cluster is 0: nothing is read ahead, so the generations look "
				"alike; set it for the time of the probe (sysctl "
				"vm.page-cluster=3)");
	else if (!ret && (f->readahead == RA_KIND_UNKNOWN || f->page_cluster < 0))
		ret = error_set(&w->s->error, -EOPNOTSUPP,
				"which readahead runs cannot be read: %s", f->why);
	if (!ret) {
		r->vma = f->readahead == RA_KIND_VMA;
		r->page_cluster = (unsigned int)f->page_cluster;
	}
	free(f);
	return ret;
}

static int predict(struct probe_worker *w)
{
	const struct probe_pages *p = &w->s->pages;
	struct probe_result *r = &w->s->result;
	struct swapoff_walk walk = {
		.n = p->n,
		.slots = p->slots,
		.cached = p->in_cache,
		.address = p->address,
		.device_slots = w->device.slots,
		.page_shift = (unsigned int)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE)),
		.page_cluster = r->page_cluster,
		.vma = r->vma,
	};
	int ret = 0;

	for (int i = 0; !ret && i < SWAPOFF_GENERATIONS; i++)
		ret = swapoff_predict(&walk, swapoff_generations[i].policy, &r->predicted[i]);
	if (ret)
		return error_errno(&w->s->error, ret, "the slots of the pages make no sense");
	r->recognised = swapoff_recognise(r->predicted, r->swap_ra, r->swap_ra_hit, p->swapped);
	return 0;
}

static int enough(struct probe_worker *w)
{
	const struct probe_pages *p = &w->s->pages;
	struct probe_result *r = &w->s->result;

	r->reclaim = w->s->cgroup.reclaim;
	r->pages = p->n;
	r->swapped = p->swapped;
	r->cached = p->cached;
	if ((uint64_t)p->swapped * 100 >= (uint64_t)p->n * SWAPPED_PERCENT)
		return 0;
	return error_set(
		&w->s->error, -EOPNOTSUPP,
		"only %u of %u pages could be pushed out by %s (vm.swappiness 0, a limit of "
		"swap on the cgroup, or mlocked memory?)",
		p->swapped, p->n, probe_reclaim_name(r->reclaim));
}

static int work_steps(struct probe_worker *w)
{
	int ret = switch_on(w);

	if (!ret)
		ret = read_mode(w);
	if (ret)
		return ret;
	probe_cgroup_make(&w->s->cgroup);
	ret = start_child(w);
	if (!ret)
		ret = order_child(w, PROBE_FILL, "no memory for the probe's pages");
	if (!ret)
		ret = push_out(w);
	if (!ret)
		ret = enough(w);
	if (!ret)
		ret = measure(w);
	return ret ? ret : predict(w);
}

/* One CPU from filling to pushing out: the kernel hands out slots per CPU. */
static void stay_here(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static void work(struct probe_shared *s, pid_t caller)
{
	struct probe_worker w = { .s = s, .device = { .loop = -1, .file = -1 }, .child = -1 };

	worker_pid = 0;
	/* Ctrl-C reaches the caller alone, which passes it on once. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* It may have died before it could be asked for a signal. */
	if (getppid() != caller)
		_exit(0);
	stay_here();
	s->ret = work_steps(&w);
	if (w.child > 0) {
		kill(w.child, SIGKILL);
		while (waitpid(w.child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	undo(s);
	probe_device_close(&w.device);
	_exit(0);
}

/* ---- the caller ---- */

static int check_privilege(struct error *e)
{
	struct privilege p;

	privilege_read(&p, "");
	if (!p.uid && (!p.have_caps || p.caps >> CAP_SYS_ADMIN & 1))
		return 0;
	return error_set(e, -EPERM,
			 "--probe-swapoff needs root with CAP_SYS_ADMIN, since it switches a swap "
			 "device of its own on and off: run with sudo, outside of a container");
}

/* Room for the area, for the pages that come back, and some to breathe. */
static int check_memory(const struct probe_options *o, struct error *e)
{
	struct doctor_facts *f = malloc(sizeof(*f));
	uint64_t need = ((o->device ? 0 : o->size_mb) + 64) << 10;
	int ret = f ? doctor_facts_read(f, "", e) : error_set(e, -ENOMEM, "out of memory");

	if (!ret && f->memory.available_kb != COUNT_UNKNOWN && f->memory.available_kb < need)
		ret = error_set(e, -ENOMEM,
				"%llu kB of memory are available, the probe wants %llu; choose a "
				"smaller --size",
				(unsigned long long)f->memory.available_kb,
				(unsigned long long)need);
	free(f);
	return ret;
}

/* The worker has undone everything unless it was killed; its orphans come here to be waited for. */
static void wait_for_worker(struct probe_shared *s, pid_t pid)
{
	int status = 0;
	pid_t got;

	do {
		got = waitpid(pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	s->ret = error_set(&s->error, -EIO, "the probe was killed; everything was put back");
	undo(s);
}

static int run_worker(struct probe_shared *s)
{
	pid_t pid, self = getpid();

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	handle_signals();
	pid = fork();
	if (pid < 0)
		return error_errno(&s->error, -errno, "no process can be started");
	if (!pid)
		work(s, self);
	worker_pid = pid;
	if (stopped)
		kill(pid, SIGTERM);
	wait_for_worker(s, pid);
	return s->ret;
}

int probe_swapoff(struct probe_result *r, const struct probe_options *o, struct error *e)
{
	struct probe_shared *s;
	int ret = check_privilege(e);

	if (!ret)
		ret = check_memory(o, e);
	if (ret)
		return ret;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return error_errno(e, -errno, "no shared memory");
	/* Touched here, and locked: it must not be part of what is pushed out. */
	memset(s, 0, sizeof(*s));
	(void)mlock(s, sizeof(*s));
	s->options = *o;
	s->result.recognised = -1;
	ret = run_worker(s);
	*r = s->result;
	if (ret)
		*e = s->error;
	munmap(s, sizeof(*s));
	return ret;
}
