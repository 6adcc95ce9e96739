// SPDX-License-Identifier: GPL-2.0
/* The backend that compiles programs against the headers of the running kernel; needs no BTF. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "bpf/backend_impl.h"
#include "bpf/bcc/compile.h"
#include "bpf/machine.h"

enum {
	MAP_TASKS,
	MAP_RINGS,
	MAP_COUNTS,
	MAP_CHUNK,
	MAP_GLOBALS,
	MAP_DRAIN_CALLER,
	MAP_DRAIN,
	MAPS_NR
};

struct bcc_backend {
	struct bpf_backend base;
	struct bcc_programs programs;
	int maps[MAPS_NR];
	int fds[HOOKS_MAX][2]; /* programs at entry and exit, 0: none */
	const struct hook_symbol *loaded[HOOKS_MAX];
	int steps_btf; /* types of a program with a loop's step */
	uint32_t type_of_program, type_of_step;
	struct bcc_event {
		int fd;	  /* perf event */
		int link; /* -1: attached without one */
		size_t hook;
	} events[LINKS_MAX];
	unsigned int nevents;
	uint64_t skipped[HOOKS_MAX]; /* of those that have been closed */
};

static struct bcc_backend *own(void *base)
{
	return base;
}

static struct bpf_backend *backend_alloc(void)
{
	struct bcc_backend *b = calloc(1, sizeof(*b));

	return b ? &b->base : NULL;
}

/* ---- maps ---- */

static int make_map(struct bcc_backend *b, unsigned int i, enum bpf_map_type type, const char *name,
		    uint32_t value, uint32_t entries, struct bpf_map_create_opts *opts)
{
	b->maps[i] = bpf_map_create(type, name, sizeof(uint32_t), value, entries, opts);
	return b->maps[i] < 0 ? b->maps[i] : 0;
}

static int make_maps(struct bcc_backend *b)
{
	LIBBPF_OPTS(bpf_map_create_opts, outer);
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	int err = backend_make_rings(&b->base);

	outer.inner_map_fd = (uint32_t)b->base.ring_fds[0];
	if (!err)
		err = make_map(b, MAP_TASKS, BPF_MAP_TYPE_HASH, "tasks", sizeof(struct task_state),
			       TASKS_MAX, NULL);
	if (!err)
		err = make_map(b, MAP_RINGS, BPF_MAP_TYPE_ARRAY_OF_MAPS, "rings", sizeof(uint32_t),
			       b->base.cpus, &outer);
	if (!err)
		err = make_map(b, MAP_COUNTS, BPF_MAP_TYPE_ARRAY, "counts",
			       sizeof(struct probe_counts), b->base.cpus * PROBE_ROWS, NULL);
	if (!err)
		err = make_map(b, MAP_CHUNK, BPF_MAP_TYPE_ARRAY, "chunk", SNAPSHOT_CHUNK, 1,
			       &mapped);
	if (!err)
		err = make_map(b, MAP_GLOBALS, BPF_MAP_TYPE_ARRAY, "globals",
			       sizeof(struct shared_state), 1, &mapped);
	if (!err)
		err = make_map(b, MAP_DRAIN_CALLER, BPF_MAP_TYPE_PERCPU_ARRAY, "drain_caller",
			       sizeof(uint64_t), 1, NULL);
	if (!err)
		err = make_map(b, MAP_DRAIN, BPF_MAP_TYPE_PERCPU_ARRAY, "drain_under_way",
			       sizeof(struct drain_state), 1, NULL);
	return err ? err : backend_put_rings(&b->base, b->maps[MAP_RINGS]);
}

static int map_globals(struct bcc_backend *b)
{
	struct shared_state *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, b->maps[MAP_GLOBALS], 0);

	if (s == MAP_FAILED)
		return -errno;
	s->seen_page_cluster = UNKNOWN_U32;
	s->seen_vma_ra = UNKNOWN_U32;
	b->base.shared = s;
	b->base.tasks_fd = b->maps[MAP_TASKS];
	b->base.counts_fd = b->maps[MAP_COUNTS];
	b->base.chunk_fd = b->maps[MAP_CHUNK];
	return 0;
}

/* ---- compiling ---- */

#define FLAGS_MAX (16 + 2 * HOOKS_MAX)
#define FLAG_BYTES 1024

struct flags {
	char text[FLAGS_MAX][FLAG_BYTES];
	const char *p[FLAGS_MAX];
	int n;
};

static char *next_flag(struct flags *f)
{
	f->p[f->n] = f->text[f->n];
	return f->text[f->n++];
}

static void flag_addresses(struct flags *f, const struct kernel_addresses *a)
{
	char *out = next_flag(f);
	size_t len = (size_t)snprintf(out, FLAG_BYTES, "-DADDRESSES={");
	uint64_t word[sizeof(*a) / sizeof(uint64_t)];

	memcpy(word, a, sizeof(*a));
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]) && len < FLAG_BYTES; i++)
		len += (size_t)snprintf(out + len, FLAG_BYTES - len, "%#llxull,",
					(unsigned long long)word[i]);
	if (len < FLAG_BYTES)
		snprintf(out + len, FLAG_BYTES - len, "}");
}

static void set_flags(struct bcc_backend *b, struct flags *f)
{
	static const char *const maps[MAPS_NR] = { "tasks",	     "rings",	"counts",
						   "chunk",	     "globals", "drain_caller",
						   "drain_under_way" };
	const struct record_settings *s = &b->base.settings;

	f->n = 0;
	/* Kernel headers are full of what this compiler warns about; errors stay. */
	snprintf(next_flag(f), FLAG_BYTES, "-w");
	snprintf(next_flag(f), FLAG_BYTES, "-DSWAPTRACE_BCC");
#ifdef __aarch64__
	snprintf(next_flag(f), FLAG_BYTES, "-D__TARGET_ARCH_arm64");
#endif
	for (unsigned int i = 0; i < MAPS_NR; i++)
		snprintf(next_flag(f), FLAG_BYTES, "-DFD_%s=%d", maps[i], b->maps[i]);
	flag_addresses(f, &b->base.addresses);
	snprintf(next_flag(f), FLAG_BYTES,
		 "-DSETTINGS={.filter_tgid=%u,.filter_level=%u,.filter_cgroup=%lluull,"
		 ".ring_size=%lluull,.alloc=%u,.cpus=%u}",
		 s->filter_tgid, s->filter_level, (unsigned long long)s->filter_cgroup,
		 (unsigned long long)s->ring_size, s->alloc, s->cpus);
}

/* Additions that tell what was there before are the youngest thing that all programs need. */
#define KERNEL_MAJOR 5
#define KERNEL_MINOR 12

static int check_machine(const struct bpf_backend *base, struct error *e)
{
	unsigned int major = 0, minor = 0;
	char release[128];

	if (bcc_library_unusable())
		return error_set(e, -ENOTSUP, "--backend bcc: %s", bcc_library_unusable());
	machine_release(base->root, release, sizeof(release));
	if (sscanf(release, "%u.%u", &major, &minor) == 2 &&
	    (major < KERNEL_MAJOR || (major == KERNEL_MAJOR && minor < KERNEL_MINOR)))
		return error_set(e, -ENOTSUP,
				 "--backend bcc needs Linux %u.%u or later, this is %s",
				 KERNEL_MAJOR, KERNEL_MINOR, release);
	return bcc_headers_check(base->root, release, e);
}

static void want_programs(struct flags *f, const struct hook_choice *c, unsigned int groups)
{
	for (size_t i = 0; i < hook_plan_len; i++) {
		if (!c[i].symbol || !(c[i].hook->groups & groups))
			continue;
		if (c[i].symbol->entry)
			snprintf(next_flag(f), FLAG_BYTES, "-DWANT_kp_%s=1", c[i].symbol->entry);
		if (c[i].symbol->exit)
			snprintf(next_flag(f), FLAG_BYTES, "-DWANT_kr_%s=1", c[i].symbol->exit);
	}
}

static int backend_prepare(struct bpf_backend *base, const struct hook_choice *c,
			   unsigned int groups, const volatile sig_atomic_t *stop, struct error *e)
{
	struct bcc_backend *b = own(base);
	struct flags *f;
	int err = check_machine(base, e);

	if (err)
		return err;
	err = make_maps(b);
	if (!err)
		err = map_globals(b);
	if (err)
		return error_errno(e, err, "the kernel refuses to make BPF maps");
	f = calloc(1, sizeof(*f));
	if (!f)
		return error_set(e, -ENOMEM, "out of memory");
	set_flags(b, f);
	want_programs(f, c, groups);
	err = bcc_compile(bcc_program_text, f->p, f->n, stop, &b->programs, e);
	free(f);
	return err;
}

/* ---- loading ---- */

/* A step is a function of its own to the kernel, which wants to know of what kind. */
static int make_steps_btf(struct bcc_backend *b)
{
	struct btf *btf = btf__new_empty();
	int number, proto, err;

	if (!btf)
		return -ENOMEM;
	number = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	proto = btf__add_func_proto(btf, number);
	b->type_of_program = (uint32_t)btf__add_func(btf, "program", BTF_FUNC_GLOBAL, proto);
	b->type_of_step = (uint32_t)btf__add_func(btf, "step", BTF_FUNC_STATIC, proto);
	err = btf__load_into_kernel(btf);
	if (!err)
		b->steps_btf = fcntl(btf__fd(btf), F_DUPFD_CLOEXEC, 3);
	btf__free(btf);
	return err ? err : b->steps_btf < 0 ? -errno : 0;
}

static int load_finished(struct bcc_backend *b, const struct bcc_program *p,
			 enum bpf_prog_type type)
{
	struct bpf_func_info functions[2] = {};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = b->base.log, .log_size = LOG_BYTES);
	int err = p->step && b->steps_btf <= 0 ? make_steps_btf(b) : 0;

	if (err)
		return err;
	if (p->step) {
		functions[0].type_id = b->type_of_program;
		functions[1].type_id = b->type_of_step;
		functions[1].insn_off = p->step;
		opts.prog_btf_fd = (uint32_t)b->steps_btf;
		opts.func_info = functions;
		opts.func_info_cnt = 2;
		opts.func_info_rec_size = sizeof(functions[0]);
	}
	if (type == BPF_PROG_TYPE_SYSCALL)
		opts.prog_flags = BPF_F_SLEEPABLE;
	b->base.log[0] = '\0';
	return bpf_prog_load(type, p->name, "GPL", p->insns, p->n, &opts);
}

/* Descriptor of the loaded program of this name. */
static int load_program(struct bcc_backend *b, const char *name, enum bpf_prog_type type)
{
	const struct bcc_program *p = bcc_program_find(&b->programs, name);
	struct bcc_program finished;
	int fd = p ? bcc_program_finish(&b->programs, p, &finished) : -ENOENT;

	if (fd)
		return fd;
	fd = load_finished(b, &finished, type);
	free(finished.insns);
	return fd;
}

static int load_hook(struct bcc_backend *b, const struct hook_choice *c, size_t i)
{
	const char *const names[2] = { c[i].symbol->entry, c[i].symbol->exit };

	b->loaded[i] = c[i].symbol;
	for (unsigned int exit = 0; exit < 2; exit++) {
		char full[BCC_NAME_MAX];
		int fd;

		if (!names[exit])
			continue;
		snprintf(full, sizeof(full), "%s_%s", exit ? "kr" : "kp", names[exit]);
		fd = load_program(b, full, BPF_PROG_TYPE_KPROBE);
		if (fd < 0)
			return fd;
		b->fds[i][exit] = fd;
	}
	return 0;
}

static int load_own_programs(struct bcc_backend *b)
{
	for (unsigned int i = 0; i < RUN_NR; i++) {
		int fd = load_program(b, own_program_names[i], BPF_PROG_TYPE_SYSCALL);

		if (fd < 0)
			return fd;
		b->base.own_fds[i] = fd;
	}
	return 0;
}

static void backend_unload(void *ctx);

/* Programs of an attempt before this one may have run. */
static void reset_maps(struct bcc_backend *b)
{
	struct probe_counts none = {};
	uint32_t key;

	while (!bpf_map_get_next_key(b->maps[MAP_TASKS], NULL, &key) &&
	       !bpf_map_delete_elem(b->maps[MAP_TASKS], &key))
		;
	for (key = 0; key < b->base.cpus * PROBE_ROWS; key++)
		bpf_map_update_elem(b->maps[MAP_COUNTS], &key, &none, BPF_ANY);
}

static int backend_load(void *ctx, const struct hook_choice *c, const enum attach_kind *kinds,
			size_t *failed, const char **log)
{
	struct bcc_backend *b = own(ctx);
	int err;

	backend_unload(b);
	reset_maps(b);
	for (size_t i = 0; i < hook_plan_len; i++) {
		if (kinds[i] == ATTACH_NONE)
			continue;
		err = kinds[i] == ATTACH_KPROBE ? load_hook(b, c, i) : -EOPNOTSUPP;
		if (err) {
			*failed = i;
			*log = b->base.log[0] ? b->base.log : NULL;
			return err;
		}
	}
	err = load_own_programs(b);
	if (!err)
		backend_count_runs(&b->base);
	return err;
}

/* ---- attaching ---- */

/* A link can tell how often the kernel has skipped the probe (6.7 on); before 5.15 there is none.
 */
static int attach_address(struct bcc_backend *b, size_t hook, bool exit, uint64_t address)
{
	int program = b->fds[hook][exit], fd = backend_kprobe_event(address, exit);
	struct bcc_event *event = &b->events[b->nevents];

	if (fd < 0)
		return fd;
	if (b->nevents == LINKS_MAX) {
		close(fd);
		return -E2BIG;
	}
	event->fd = fd;
	event->hook = hook;
	event->link = bpf_link_create(program, fd, BPF_PERF_EVENT, NULL);
	b->nevents++;
	if ((event->link < 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program)) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

static int backend_attach(void *ctx, const struct hook_choice *c, size_t i, enum attach_kind kind)
{
	struct bcc_backend *b = own(ctx);
	int err = 0;

	(void)kind;
	if (!c[i].copies[0]->address)
		return -EACCES;
	for (unsigned int exit = 0; exit < 2; exit++)
		for (unsigned int k = 0; b->fds[i][exit] && k < c[i].n && !err; k++)
			err = attach_address(b, i, exit, c[i].copies[k]->address);
	return err;
}

/*
 * What the kernel says about a link to a probe, as far as it is needed: the build machine's headers
 * may be older.
 */
struct link_facts {
	uint32_t type, id, program, pad;
	uint32_t event, pad2;
	uint64_t function;
	uint32_t length, offset;
	uint64_t address;
	uint64_t missed;
	uint64_t rest[8];
};
#define LINK_PERF_EVENT 7
#define EVENT_KPROBE 3
#define EVENT_KRETPROBE 4

static uint64_t skipped_by(const struct bcc_event *event)
{
	struct link_facts f = {};
	uint32_t len = sizeof(f);

	if (event->link < 0 || bpf_obj_get_info_by_fd(event->link, &f, &len) ||
	    f.type != LINK_PERF_EVENT || (f.event != EVENT_KPROBE && f.event != EVENT_KRETPROBE))
		return 0;
	return f.missed;
}

static void backend_detach(struct bpf_backend *base)
{
	struct bcc_backend *b = own(base);

	for (unsigned int i = 0; i < b->nevents; i++)
		b->skipped[b->events[i].hook] += skipped_by(&b->events[i]);
	while (b->nevents) {
		const struct bcc_event *event = &b->events[--b->nevents];

		if (event->link >= 0)
			close(event->link);
		close(event->fd);
	}
}

static uint64_t backend_skipped(struct bpf_backend *base, size_t i)
{
	struct bcc_backend *b = own(base);
	uint64_t n = b->skipped[i];

	for (unsigned int k = 0; k < b->nevents; k++)
		if (b->events[k].hook == i)
			n += skipped_by(&b->events[k]);
	return n;
}

static void close_all(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fds[i] > 0)
			close(fds[i]);
		fds[i] = 0;
	}
}

/* The maps stay: their descriptors are part of the compiled programs. */
static void backend_unload(void *ctx)
{
	struct bcc_backend *b = own(ctx);

	backend_detach(&b->base);
	close_all(b->fds[0], sizeof(b->fds) / sizeof(int));
	close_all(b->base.own_fds, RUN_NR);
}

static int backend_program(struct bpf_backend *base, const struct hook_symbol *s,
			   enum attach_kind kind, bool exit)
{
	struct bcc_backend *b = own(base);

	(void)kind;
	for (size_t i = 0; i < hook_plan_len; i++)
		if (b->loaded[i] == s && b->fds[i][exit] > 0)
			return b->fds[i][exit];
	return -ENOENT;
}

static void backend_release(struct bpf_backend *base)
{
	struct bcc_backend *b = own(base);

	backend_unloaded(base);
	if (base->shared)
		munmap(base->shared, sizeof(*base->shared));
	close_all(b->maps, MAPS_NR);
	close_all(&b->steps_btf, 1);
	bcc_programs_free(&b->programs);
}

const struct bpf_backend_impl backend_bcc = {
	.name = "bcc",
	.alloc = backend_alloc,
	.prepare = backend_prepare,
	.loading = { .load = backend_load, .attach = backend_attach, .unload = backend_unload },
	.program = backend_program,
	.skipped = backend_skipped,
	.detach = backend_detach,
	.release = backend_release,
};
