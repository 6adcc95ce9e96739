// SPDX-License-Identifier: GPL-2.0
#include "bpf/backend_impl.h"

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
#include <bpf/libbpf.h>

const char *const own_program_names[RUN_NR] = {
	[RUN_SNAPSHOT] = "snapshot", [RUN_DEVICE] = "device", [RUN_STATE] = "state",
	[RUN_CLUSTERS] = "clusters", [RUN_PLACES] = "places", [RUN_CACHES] = "caches",
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

static const struct bpf_backend_impl *implementation(enum backend_kind kind)
{
#ifdef HAVE_BCC
	if (kind == BACKEND_BCC)
		return &backend_bcc;
#endif
	return kind == BACKEND_LIBBPF ? &backend_libbpf : NULL;
}

static void find_variables(struct bpf_backend *b, const struct hook_kernel *k)
{
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
		.swp_slots = symbols_variable(&k->symbols, "swp_slots"),
		.slots_active = symbols_variable(&k->symbols, "swap_slot_cache_active"),
	};
}

static int allocate(struct bpf_backend **out, enum backend_kind kind, unsigned int cpus)
{
	const struct bpf_backend_impl *impl = implementation(kind);
	struct bpf_backend *b = impl ? impl->alloc() : NULL;

	if (!b)
		return -ENOMEM;
	b->impl = impl;
	b->cpus = cpus;
	b->stats_fd = -1;
	b->log = malloc(LOG_BYTES);
	b->ring_fds = calloc(cpus, sizeof(int));
	if (b->log && b->ring_fds) {
		*out = b;
		return 0;
	}
	bpf_backend_free(b);
	return -ENOMEM;
}

int bpf_backend_new(struct bpf_backend **out, enum backend_kind kind, const struct hook_kernel *k,
		    uint64_t ring_bytes, const struct record_settings *s, const char *root,
		    struct error *e)
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
	if (allocate(&b, kind, (unsigned int)cpus))
		return error_set(e, -ENOMEM, "out of memory");
	raise_memlock();
	b->root = root;
	b->settings = *s;
	b->settings.ring_size = ring_size(ring_bytes);
	b->settings.cpus = b->cpus;
	find_variables(b, k);
	*out = b;
	return 0;
}

void bpf_backend_free(struct bpf_backend *b)
{
	if (!b)
		return;
	b->impl->loading.unload(b);
	if (b->impl->release)
		b->impl->release(b);
	if (b->stats_fd > 0)
		close(b->stats_fd);
	free(b->ring_fds);
	free(b->log);
	free(b);
}

const char *bpf_backend_name(const struct bpf_backend *b)
{
	return b->impl->name;
}

void bpf_backend_drain(struct bpf_backend *b, uint64_t from, uint64_t to)
{
	b->addresses.drain = from;
	b->addresses.drain_end = to;
}

int bpf_backend_prepare(struct bpf_backend *b, const struct hook_choice *c, unsigned int groups,
			const volatile sig_atomic_t *stop, struct error *e)
{
	return b->impl->prepare ? b->impl->prepare(b, c, groups, stop, e) : 0;
}

const struct bpf_backend_ops *bpf_backend_loading(const struct bpf_backend *b)
{
	return &b->impl->loading;
}

/* ---- for the implementations ---- */

int backend_make_rings(struct bpf_backend *b)
{
	for (unsigned int cpu = 0; cpu < b->cpus; cpu++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0,
					(uint32_t)b->settings.ring_size, NULL);

		if (fd < 0)
			return fd;
		b->ring_fds[cpu] = fd;
	}
	return 0;
}

int backend_put_rings(struct bpf_backend *b, int outer_fd)
{
	for (unsigned int cpu = 0; cpu < b->cpus; cpu++) {
		int err = bpf_map_update_elem(outer_fd, &cpu, &b->ring_fds[cpu], BPF_ANY);

		if (err)
			return err;
	}
	return 0;
}

void backend_unloaded(struct bpf_backend *b)
{
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
}

void backend_count_runs(struct bpf_backend *b)
{
	if (b->stats_fd < 0)
		b->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
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

/* The perf interface takes an absolute address where no name is given. */
int backend_kprobe_event(uint64_t address, bool ret)
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
	return fd < 0 ? -errno : (int)fd;
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

void bpf_backend_enable(struct bpf_backend *b, bool on)
{
	__atomic_store_n(&b->shared->enabled, on, __ATOMIC_SEQ_CST);
}

int bpf_backend_consume(struct bpf_backend *b, int timeout_ms)
{
	int n = timeout_ms ? ring_buffer__poll(b->rings, timeout_ms) : 0;

	if (n < 0 && n != -EINTR)
		return n;
	n = ring_buffer__consume(b->rings);
	return n < 0 && n != -EINTR ? n : 0;
}

void bpf_backend_detach(struct bpf_backend *b)
{
	b->impl->detach(b);
}

unsigned int bpf_backend_cpus(const struct bpf_backend *b)
{
	return b->cpus;
}

int bpf_backend_counts(struct bpf_backend *b, unsigned int cpu, unsigned int probe,
		       struct probe_counts *c)
{
	uint32_t key = cpu * PROBE_ROWS + probe;

	return bpf_map_lookup_elem(b->counts_fd, &key, c);
}

static int program_info(int fd, struct bpf_prog_info *info)
{
	uint32_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return fd < 0 ? fd : bpf_obj_get_info_by_fd(fd, info, &len);
}

int bpf_backend_runs(struct bpf_backend *b, const struct hook_choice *c, size_t i,
		     enum attach_kind kind, struct program_runs *r)
{
	const struct hook_symbol *s = c[i].symbol;
	struct bpf_prog_info info;
	int err = program_info(b->impl->program(b, s, kind, s->counts_at_exit || !s->entry), &info);

	if (err)
		return err;
	r->runs = info.run_cnt;
	r->missed = info.recursion_misses + (b->impl->skipped ? b->impl->skipped(b, i) : 0);
	r->have_runs = b->stats_fd >= 0;
	r->cost_ns = info.run_time_ns;
	if (!s->entry || !s->exit)
		return 0;
	err = program_info(b->impl->program(b, s, kind, !s->counts_at_exit), &info);
	if (!err && s->counts_at_exit)
		r->entries = info.run_cnt;
	if (!err)
		r->cost_ns += info.run_time_ns;
	return 0;
}

void bpf_backend_totals(struct bpf_backend *b, struct backend_totals *t)
{
	t->no_state = b->shared->no_state;
	t->burst_checked = b->shared->burst_checked;
	t->burst_mismatch = b->shared->burst_mismatch;
}

int bpf_backend_unfinished(struct bpf_backend *b, int (*record)(void *arg, void *data, size_t len),
			   void *arg)
{
	int fd = b->tasks_fd, err = 0;
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

static int run_program(struct bpf_backend *b, enum own_program p, void *args, uint32_t size)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = size);

	return b->own_fds[p] < 0 ? -ENOENT : bpf_prog_test_run_opts(b->own_fds[p], &opts);
}

int bpf_backend_device(struct bpf_backend *b, struct device_args *a)
{
	return run_program(b, RUN_DEVICE, a, sizeof(*a));
}

int bpf_backend_state(struct bpf_backend *b, struct state_args *a)
{
	return run_program(b, RUN_STATE, a, sizeof(*a));
}

static int map_chunk(struct bpf_backend *b)
{
	if (b->chunk)
		return 0;
	b->chunk = mmap(NULL, SNAPSHOT_CHUNK, PROT_READ, MAP_SHARED, b->chunk_fd, 0);
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
	return run_program(b, RUN_SNAPSHOT, a, sizeof(*a));
}

int bpf_backend_clusters(struct bpf_backend *b, struct clusters_args *a,
			 const struct cluster_entry **entries)
{
	int err = map_chunk(b);

	if (err)
		return err;
	*entries = b->chunk;
	return run_program(b, RUN_CLUSTERS, a, sizeof(*a));
}

int bpf_backend_places(struct bpf_backend *b, struct places_args *a)
{
	return run_program(b, RUN_PLACES, a, sizeof(*a));
}

int bpf_backend_caches(struct bpf_backend *b, struct caches_args *a, const uint64_t **entries)
{
	int err = map_chunk(b);

	if (err)
		return err;
	*entries = b->chunk;
	return run_program(b, RUN_CACHES, a, sizeof(*a));
}
