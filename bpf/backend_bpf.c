// SPDX-License-Identifier: GPL-2.0
#include "bpf/backend.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf/readahead.skel.h"

#define PROGRAMS_MAX (2 * HOOKS_MAX)
#define LINKS_MAX (PROGRAMS_MAX * SYMBOL_COPIES_MAX)
#define LOG_BYTES (1u << 20)

struct bpf_backend {
	struct kernel_addresses addresses;
	struct record_settings settings;
	unsigned int cpus;
	struct readahead *skel;
	struct bpf_link *links[LINKS_MAX];
	unsigned int nlinks;
	struct ring_buffer *rings;
	int *ring_fds;
	int stats_fd;
	void *chunk;
	char *log;
	const char *refused; /* program of the last failed load */
};

/* libbpf explains failures on stderr; what matters of it is told by the loader. */
static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static void raise_memlock(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY }, now;

	/* Kernels before 5.11 count maps here. Where it is forbidden, take what is allowed. */
	if (setrlimit(RLIMIT_MEMLOCK, &all) && !getrlimit(RLIMIT_MEMLOCK, &now)) {
		now.rlim_cur = now.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &now);
	}
}

static uint64_t ring_size(uint64_t bytes)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	while (size < bytes && size < 1ull << 30)
		size <<= 1;
	return size;
}

int bpf_backend_new(struct bpf_backend **out, const struct hook_kernel *k, uint64_t ring_bytes,
		    const struct record_settings *s, struct error *e)
{
	struct bpf_backend *b;
	int cpus, err = libbpf_version_check(libbpf_major_version(), libbpf_minor_version(), e);

	if (err)
		return err;
	libbpf_set_print(silent);
	cpus = libbpf_num_possible_cpus();
	if (cpus < 1 || cpus > CPUS_MAX)
		return error_set(e, -E2BIG, "%d possible CPUs; this version can record up to %d",
				 cpus, CPUS_MAX);
	b = calloc(1, sizeof(*b));
	if (b)
		b->log = malloc(LOG_BYTES);
	if (b)
		b->ring_fds = calloc((size_t)cpus, sizeof(int));
	if (!b || !b->log || !b->ring_fds) {
		bpf_backend_free(b);
		return error_set(e, -ENOMEM, "out of memory");
	}
	raise_memlock();
	b->cpus = (unsigned int)cpus;
	b->settings = *s;
	b->settings.ring_size = ring_size(ring_bytes);
	b->settings.cpus = b->cpus;
	b->stats_fd = -1;
	b->addresses = (struct kernel_addresses){
		.hits = symbols_variable(&k->symbols, "swapin_readahead_hits"),
		.prev_offset = symbols_variable(&k->symbols, "prev_offset"),
		.last_pages = symbols_variable(&k->symbols, "last_readahead_pages"),
		.page_cluster = symbols_variable(&k->symbols, "page_cluster"),
		.vma_ra = symbols_variable(&k->symbols, "enable_vma_readahead"),
		.nr_rotate_swap = symbols_variable(&k->symbols, "nr_rotate_swap"),
		.swap_info = symbols_variable(&k->symbols, "swap_info"),
		.vm_event_states = symbols_variable(&k->symbols, "vm_event_states"),
		.per_cpu_offset = symbols_variable(&k->symbols, "__per_cpu_offset"),
		.cpu_fbatches = symbols_variable(&k->symbols, "cpu_fbatches"),
		.lru_rotate = symbols_variable(&k->symbols, "lru_rotate"),
	};
	*out = b;
	return 0;
}

/* ---- loading ---- */

static struct bpf_program *program(struct bpf_backend *b, const char *prefix, const char *name)
{
	char full[96];

	snprintf(full, sizeof(full), "%s_%s", prefix, name);
	return bpf_object__find_program_by_name(b->skel->obj, full);
}

/* The program of a hook's entry or exit for a kind of attachment. */
static struct bpf_program *program_for(struct bpf_backend *b, const struct hook_symbol *s,
				       enum attach_kind kind, bool exit)
{
	const char *name = exit ? s->exit : s->entry;

	if (!name)
		return NULL;
	if (kind == ATTACH_FENTRY)
		return program(b, exit ? "fx" : "fe", name);
	return program(b, exit ? "kr" : "kp", name);
}

static int choose_program(struct bpf_backend *b, const struct hook_choice *c, enum attach_kind kind,
			  bool exit)
{
	struct bpf_program *p = program_for(b, c->symbol, kind, exit);
	const char *name = exit ? c->symbol->exit : c->symbol->entry;

	if (!name)
		return 0;
	if (!p)
		return -ENOENT;
	bpf_program__set_autoload(p, true);
	if (kind == ATTACH_FENTRY)
		return bpf_program__set_attach_target(p, 0, c->symbol->symbol);
	if (kind == ATTACH_KPROBE_MULTI)
		return bpf_program__set_expected_attach_type(p, BPF_TRACE_KPROBE_MULTI);
	return 0;
}

static int choose_programs(struct bpf_backend *b, const struct hook_choice *c,
			   const enum attach_kind *kinds, size_t *failed)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, b->skel->obj)
		bpf_program__set_autoload(p, bpf_program__type(p) == BPF_PROG_TYPE_SYSCALL);
	for (size_t i = 0; i < hook_plan_len; i++) {
		int err;

		if (kinds[i] == ATTACH_NONE)
			continue;
		err = choose_program(b, &c[i], kinds[i], false);
		if (!err)
			err = choose_program(b, &c[i], kinds[i], true);
		if (err) {
			*failed = i;
			return err;
		}
	}
	return 0;
}

/*
 * All programs share one log: a refused one leaves its text there, and what libbpf writes before
 * each load ("" for success) tells nothing, so the name is caught from the first refusal.
 */
static int set_logs(struct bpf_backend *b)
{
	struct bpf_program *p;

	b->log[0] = '\0';
	bpf_object__for_each_program(p, b->skel->obj)
	{
		int err = bpf_program__set_log_buf(p, b->log, LOG_BYTES);

		if (err)
			return err;
	}
	return 0;
}

static int size_maps(struct bpf_backend *b)
{
	int err = bpf_map__set_max_entries(b->skel->maps.rings, b->cpus);

	if (!err)
		err = bpf_map__set_max_entries(b->skel->maps.counts, b->cpus * PROBE_ROWS);
	b->skel->rodata->at = b->addresses;
	b->skel->rodata->settings = b->settings;
	return err;
}

static int fill_rings(struct bpf_backend *b)
{
	int outer = bpf_map__fd(b->skel->maps.rings);

	for (unsigned int cpu = 0; cpu < b->cpus; cpu++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0,
					(uint32_t)b->settings.ring_size, NULL);
		int err;

		if (fd < 0)
			return fd;
		b->ring_fds[cpu] = fd;
		err = bpf_map_update_elem(outer, &cpu, &fd, BPF_ANY);
		if (err)
			return err;
	}
	return 0;
}

/* The hook whose program has no descriptor although it should: loading stopped there. */
static size_t find_refused(struct bpf_backend *b, const struct hook_choice *c,
			   const enum attach_kind *kinds)
{
	for (size_t i = 0; i < hook_plan_len; i++) {
		if (kinds[i] == ATTACH_NONE)
			continue;
		for (int exit = 0; exit < 2; exit++) {
			struct bpf_program *p = program_for(b, c[i].symbol, kinds[i], exit);

			if (p && b->refused && !strcmp(bpf_program__name(p), b->refused))
				return i;
		}
	}
	return hook_plan_len;
}

/*
 * libbpf says which program was refused only in its messages: "prog 'NAME': ..." at the level of
 * warnings. The last one before the load gives up is the refused one.
 */
static char refused_name[96];

static int catch_refused(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[512];
	const char *p;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	p = strstr(text, "prog '");
	if (p)
		sscanf(p + 6, "%95[^']", refused_name);
	return 0;
}

static int load_object(struct bpf_backend *b)
{
	int err;

	refused_name[0] = '\0';
	libbpf_set_print(catch_refused);
	err = readahead__load(b->skel);
	libbpf_set_print(silent);
	b->refused = refused_name[0] ? refused_name : NULL;
	return err;
}

static void backend_unload(void *ctx);

static int backend_load(void *ctx, const struct hook_choice *c, const enum attach_kind *kinds,
			size_t *failed, const char **log)
{
	struct bpf_backend *b = ctx;
	int err;

	backend_unload(b);
	b->skel = readahead__open();
	if (!b->skel)
		return errno ? -errno : -EINVAL;
	err = size_maps(b);
	if (!err)
		err = choose_programs(b, c, kinds, failed);
	if (!err)
		err = set_logs(b);
	if (!err) {
		err = load_object(b);
		if (err) {
			*failed = find_refused(b, c, kinds);
			*log = b->log[0] ? b->log : NULL;
		}
	}
	if (!err)
		err = fill_rings(b);
	if (!err && b->stats_fd < 0)
		b->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	return err;
}

/* ---- attaching ---- */

static int keep_link(struct bpf_backend *b, struct bpf_link *link)
{
	if (!link)
		return errno ? -errno : -EINVAL;
	if (b->nlinks == LINKS_MAX) {
		bpf_link__destroy(link);
		return -E2BIG;
	}
	b->links[b->nlinks++] = link;
	return 0;
}

static int read_number(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	int value = -ENOENT;

	if (!f)
		return -ENOENT;
	if (fscanf(f, format, &value) != 1)
		value = -EINVAL;
	fclose(f);
	return value;
}

/*
 * By address: several functions of one name can be told apart, and a suffix needs no care. The
 * perf interface takes an absolute address where no name is given.
 */
static int attach_address(struct bpf_backend *b, struct bpf_program *p, uint64_t address, bool ret)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int type = read_number("/sys/bus/event_source/devices/kprobe/type", "%d");
	int bit = read_number("/sys/bus/event_source/devices/kprobe/format/retprobe", "config:%d");
	long fd;

	if (type < 0 || bit < 0)
		return -EOPNOTSUPP;
	attr.type = (uint32_t)type;
	if (ret)
		attr.config |= 1ull << bit;
	attr.kprobe_addr = address;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	errno = 0;
	return keep_link(b, bpf_program__attach_perf_event(p, (int)fd));
}

static int attach_multi(struct bpf_backend *b, struct bpf_program *p, const struct hook_choice *c,
			bool ret)
{
	unsigned long addresses[SYMBOL_COPIES_MAX];
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = addresses, .cnt = c->n, .retprobe = ret);

	for (unsigned int i = 0; i < c->n; i++)
		addresses[i] = c->copies[i]->address;
	errno = 0;
	return keep_link(b, bpf_program__attach_kprobe_multi_opts(p, NULL, &opts));
}

static int attach_program(struct bpf_backend *b, const struct hook_choice *c, enum attach_kind kind,
			  bool exit)
{
	struct bpf_program *p = program_for(b, c->symbol, kind, exit);
	int err = 0;

	if (!p)
		return 0;
	if (kind == ATTACH_FENTRY) {
		errno = 0;
		return keep_link(b, bpf_program__attach_trace(p));
	}
	if (!c->copies[0]->address)
		return -EACCES;
	if (kind == ATTACH_KPROBE_MULTI)
		return attach_multi(b, p, c, exit);
	for (unsigned int i = 0; i < c->n && !err; i++)
		err = attach_address(b, p, c->copies[i]->address, exit);
	return err;
}

static int backend_attach(void *ctx, const struct hook_choice *c, size_t i, enum attach_kind kind)
{
	struct bpf_backend *b = ctx;
	int err = attach_program(b, &c[i], kind, false);

	return err ? err : attach_program(b, &c[i], kind, true);
}

void bpf_backend_detach(struct bpf_backend *b)
{
	while (b->nlinks)
		bpf_link__destroy(b->links[--b->nlinks]);
}

static void backend_unload(void *ctx)
{
	struct bpf_backend *b = ctx;

	bpf_backend_detach(b);
	ring_buffer__free(b->rings);
	b->rings = NULL;
	if (b->chunk)
		munmap(b->chunk, SNAPSHOT_CHUNK);
	b->chunk = NULL;
	for (unsigned int cpu = 0; b->ring_fds && cpu < b->cpus; cpu++) {
		if (b->ring_fds[cpu] > 0)
			close(b->ring_fds[cpu]);
		b->ring_fds[cpu] = 0;
	}
	readahead__destroy(b->skel);
	b->skel = NULL;
}

const struct bpf_backend_ops bpf_backend_ops_table = {
	.load = backend_load,
	.attach = backend_attach,
	.unload = backend_unload,
};

void bpf_backend_free(struct bpf_backend *b)
{
	if (!b)
		return;
	backend_unload(b);
	if (b->stats_fd > 0)
		close(b->stats_fd);
	free(b->ring_fds);
	free(b->log);
	free(b);
}

/* ---- while recording ---- */

int bpf_backend_rings(struct bpf_backend *b, int (*record)(void *arg, void *data, size_t len),
		      void *arg, struct error *e)
{
	int err = 0;

	b->rings = ring_buffer__new(b->ring_fds[0], record, arg, NULL);
	if (!b->rings)
		return error_errno(e, errno ? -errno : -EINVAL, "ring buffers cannot be opened");
	for (unsigned int cpu = 1; cpu < b->cpus && !err; cpu++)
		err = ring_buffer__add(b->rings, b->ring_fds[cpu], record, arg);
	return err ? error_errno(e, err, "ring buffers cannot be opened") : 0;
}

void bpf_backend_drain(struct bpf_backend *b, uint64_t from, uint64_t to)
{
	b->addresses.drain = from;
	b->addresses.drain_end = to;
}

void bpf_backend_enable(struct bpf_backend *b, bool on)
{
	__atomic_store_n(&b->skel->bss->enabled, on, __ATOMIC_SEQ_CST);
}

int bpf_backend_consume(struct bpf_backend *b, int timeout_ms)
{
	int n = timeout_ms ? ring_buffer__poll(b->rings, timeout_ms) : 0;

	if (n < 0 && n != -EINTR)
		return n;
	n = ring_buffer__consume(b->rings);
	return n < 0 && n != -EINTR ? n : 0;
}

unsigned int bpf_backend_cpus(const struct bpf_backend *b)
{
	return b->cpus;
}

int bpf_backend_counts(struct bpf_backend *b, unsigned int cpu, unsigned int probe,
		       struct probe_counts *c)
{
	uint32_t key = cpu * PROBE_ROWS + probe;

	return bpf_map_lookup_elem(bpf_map__fd(b->skel->maps.counts), &key, c);
}

static int program_info(struct bpf_program *p, struct bpf_prog_info *info)
{
	uint32_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return p ? bpf_obj_get_info_by_fd(bpf_program__fd(p), info, &len) : -ENOENT;
}

int bpf_backend_runs(struct bpf_backend *b, const struct hook_choice *c, size_t i,
		     enum attach_kind kind, struct program_runs *r)
{
	const struct hook_symbol *s = c[i].symbol;
	struct bpf_prog_info info;
	int err = program_info(program_for(b, s, kind, s->counts_at_exit || !s->entry), &info);

	if (err)
		return err;
	r->runs = info.run_cnt;
	r->missed = info.recursion_misses;
	r->have_runs = b->stats_fd >= 0;
	r->cost_ns = info.run_time_ns;
	if (!s->entry || !s->exit)
		return 0;
	err = program_info(program_for(b, s, kind, !s->counts_at_exit), &info);
	if (!err && s->counts_at_exit)
		r->entries = info.run_cnt;
	if (!err)
		r->cost_ns += info.run_time_ns;
	return 0;
}

void bpf_backend_totals(struct bpf_backend *b, struct backend_totals *t)
{
	t->no_state = b->skel->bss->no_state;
	t->burst_checked = b->skel->bss->burst_checked;
	t->burst_mismatch = b->skel->bss->burst_mismatch;
}

int bpf_backend_unfinished(struct bpf_backend *b, int (*record)(void *arg, void *data, size_t len),
			   void *arg)
{
	int fd = bpf_map__fd(b->skel->maps.tasks), err = 0;
	uint32_t key, next, *at = NULL;

	while (!err && !bpf_map_get_next_key(fd, at, &next)) {
		struct task_state ts;

		key = next;
		at = &key;
		if (bpf_map_lookup_elem(fd, &key, &ts))
			continue;
		if (ts.ctx & CTX_PENDING)
			err = record(arg, &ts.lookup, sizeof(ts.lookup));
		if (!err && ts.ctx & CTX_RA_OPEN)
			err = record(arg, &ts.ra, sizeof(ts.ra));
	}
	return err;
}

static int run_program(struct bpf_program *p, void *args, uint32_t size)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = size);

	return bpf_prog_test_run_opts(bpf_program__fd(p), &opts);
}

int bpf_backend_device(struct bpf_backend *b, struct device_args *a)
{
	return run_program(b->skel->progs.device, a, sizeof(*a));
}

int bpf_backend_state(struct bpf_backend *b, struct state_args *a)
{
	return run_program(b->skel->progs.state, a, sizeof(*a));
}

static int map_chunk(struct bpf_backend *b)
{
	if (b->chunk)
		return 0;
	b->chunk = mmap(NULL, SNAPSHOT_CHUNK, PROT_READ, MAP_SHARED,
			bpf_map__fd(b->skel->maps.chunk), 0);
	if (b->chunk != MAP_FAILED)
		return 0;
	b->chunk = NULL;
	return -errno;
}

int bpf_backend_snapshot(struct bpf_backend *b, struct snapshot_args *a, const uint8_t **bytes)
{
	int err = map_chunk(b);

	if (err)
		return err;
	*bytes = b->chunk;
	return run_program(b->skel->progs.snapshot, a, sizeof(*a));
}

int bpf_backend_clusters(struct bpf_backend *b, struct clusters_args *a,
			 const struct cluster_entry **entries)
{
	int err = map_chunk(b);

	if (err)
		return err;
	*entries = b->chunk;
	return run_program(b->skel->progs.clusters, a, sizeof(*a));
}

int bpf_backend_places(struct bpf_backend *b, struct places_args *a)
{
	return run_program(b->skel->progs.places, a, sizeof(*a));
}
