/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BACKEND_IMPL_H
#define SWAPTRACE_BPF_BACKEND_IMPL_H

#include "bpf/backend.h"

/*
 * Between what all backends share (backend_bpf.c) and each of them. An implementation loads and
 * attaches programs and makes the maps; all that follows goes by their file descriptors.
 */

#define PROGRAMS_MAX (2 * HOOKS_MAX)
#define LINKS_MAX (PROGRAMS_MAX * SYMBOL_COPIES_MAX)
#define LOG_BYTES (1u << 20)

/* Programs that the recorder runs itself. */
enum own_program {
	RUN_SNAPSHOT,
	RUN_DEVICE,
	RUN_STATE,
	RUN_CLUSTERS,
	RUN_PLACES,
	RUN_CACHES,
	RUN_NR,
};
extern const char *const own_program_names[RUN_NR];

struct bpf_backend_impl {
	const char *name;
	/* alloc - zeroed memory that begins with a struct bpf_backend; NULL: none left */
	struct bpf_backend *(*alloc)(void);
	/* prepare - as bpf_backend_prepare(), may be NULL */
	int (*prepare)(struct bpf_backend *b, const struct hook_choice *c, unsigned int groups,
		       const volatile sig_atomic_t *stop, struct error *e);
	struct bpf_backend_ops loading; /* with the backend as their context */
	/* program - descriptor of the loaded program of a hook, or a negative errno */
	int (*program)(struct bpf_backend *b, const struct hook_symbol *s, enum attach_kind kind,
		       bool exit);
	/* skipped - calls of a hook that never came to its program, may be NULL: not known */
	uint64_t (*skipped)(struct bpf_backend *b, size_t i);
	/* detach - take programs off their hooks */
	void (*detach)(struct bpf_backend *b);
	/* release - what alloc and prepare have added, may be NULL; everything is unloaded */
	void (*release)(struct bpf_backend *b);
};

struct bpf_backend {
	const struct bpf_backend_impl *impl;
	struct kernel_addresses addresses;
	struct record_settings settings;
	const char *root;
	unsigned int cpus;
	char *log;     /* LOG_BYTES for what the verifier says */
	int *ring_fds; /* one a CPU, 0: none */
	struct ring_buffer *rings;
	int stats_fd;
	void *chunk; /* mapped */

	/* Set by load, valid until unload; descriptors belong to the implementation. */
	struct shared_state *shared; /* mapped */
	int tasks_fd, counts_fd, chunk_fd;
	int own_fds[RUN_NR];
};

/** backend_make_rings - a ring buffer for each CPU, into @b->ring_fds */
int backend_make_rings(struct bpf_backend *b);

/** backend_put_rings - ring buffers into the map of maps @outer_fd */
int backend_put_rings(struct bpf_backend *b, int outer_fd);

/** backend_unloaded - close what the common part has opened for the programs loaded last */
void backend_unloaded(struct bpf_backend *b);

/** backend_count_runs - let the kernel count and time runs, where it can */
void backend_count_runs(struct bpf_backend *b);

/**
 * backend_kprobe_event - a perf event that stands for a kprobe or, with @ret, a kretprobe
 * By address: several functions of one name can be told apart, and a suffix needs no care. Returns
 * its descriptor or a negative errno.
 */
int backend_kprobe_event(uint64_t address, bool ret);

extern const struct bpf_backend_impl backend_libbpf;
extern const struct bpf_backend_impl backend_bcc; /* HAVE_BCC */

#endif
