/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BACKEND_H
#define SWAPTRACE_BPF_BACKEND_H

#include <linux/types.h>
#include <signal.h>
#include <stdint.h>

#include "bpf/backend_choose.h"
#include "bpf/hooks.h"
#include "bpf/loader.h"
#include "bpf/records.h"
#include "common/error.h"

/*
 * The programs in the kernel, their maps and ring buffers, whoever has loaded them: the two
 * backends differ in that alone (bpf/backend_impl.h). Only built with HAVE_BPF.
 */
struct bpf_backend;

/**
 * bpf_backend_new - prepare; nothing is loaded yet
 * @kind: by backend_choose()
 * @ring_bytes: ring buffer of each CPU; rounded up to a power of two, at least a page
 * @s: filters; copied
 * @root: where /lib/modules and /sys are, normally ""; bcc looks for the kernel's headers there
 * Checks the libbpf version and raises RLIMIT_MEMLOCK where it may.
 */
int bpf_backend_new(struct bpf_backend **b, enum backend_kind kind, const struct hook_kernel *k,
		    uint64_t ring_bytes, const struct record_settings *s, const char *root,
		    struct error *e);
void bpf_backend_free(struct bpf_backend *b);

/** bpf_backend_name - as in the trace's header: libbpf or bcc */
const char *bpf_backend_name(const struct bpf_backend *b);

/** bpf_backend_drain - where lru_add_drain is and the next function begins; before loading */
void bpf_backend_drain(struct bpf_backend *b, uint64_t from, uint64_t to);

/**
 * bpf_backend_prepare - what has to be done before loading and takes its time; bcc compiles
 * @groups: what of the choices @c will be loaded
 * @stop: set, by a signal, when it is to be given up, with -EINTR
 */
int bpf_backend_prepare(struct bpf_backend *b, const struct hook_choice *c, unsigned int groups,
			const volatile sig_atomic_t *stop, struct error *e);

/** bpf_backend_loading - for loader_run(), with the backend as its context */
const struct bpf_backend_ops *bpf_backend_loading(const struct bpf_backend *b);

/** bpf_backend_rings - open the ring buffers; @record gets each record */
int bpf_backend_rings(struct bpf_backend *b, int (*record)(void *arg, void *data, size_t len),
		      void *arg, struct error *e);

/** bpf_backend_enable - start or stop counting and recording */
void bpf_backend_enable(struct bpf_backend *b, bool on);

/**
 * bpf_backend_consume - wait up to @timeout_ms for a buffer that is half full, then hand over all
 * records that are there. Returns 0 or what the callback returned.
 */
int bpf_backend_consume(struct bpf_backend *b, int timeout_ms);

/** bpf_backend_detach - take all programs off their hooks; maps stay */
void bpf_backend_detach(struct bpf_backend *b);

/** bpf_backend_cpus - possible CPUs */
unsigned int bpf_backend_cpus(const struct bpf_backend *b);

/** bpf_backend_counts - counts of one probe on one CPU */
int bpf_backend_counts(struct bpf_backend *b, unsigned int cpu, unsigned int probe,
		       struct probe_counts *c);

/* What the kernel itself says about the program that counts a probe's hits. */
struct program_runs {
	uint64_t runs;	  /* with kernel statistics on, otherwise 0 */
	uint64_t entries; /* runs of the program at the function's entry, where there is another */
	uint64_t missed;  /* runs refused because the program was already running on that CPU */
	bool have_runs;
	uint64_t cost_ns; /* time in the programs at entry and at exit, with the measuring */
};

/** bpf_backend_runs - of the counting program of hook @i; add the other copies' runs */
int bpf_backend_runs(struct bpf_backend *b, const struct hook_choice *c, size_t i,
		     enum attach_kind kind, struct program_runs *r);

/* Counters that belong to no probe. */
struct backend_totals {
	uint64_t no_state;	 /* tasks for which there was no room */
	uint64_t burst_checked;	 /* cluster readahead calls whose burst was compared */
	uint64_t burst_mismatch; /* and did not fit the window */
};
void bpf_backend_totals(struct bpf_backend *b, struct backend_totals *t);

/** bpf_backend_unfinished - lookups and readahead calls that wait in task states, as records */
int bpf_backend_unfinished(struct bpf_backend *b, int (*record)(void *arg, void *data, size_t len),
			   void *arg);

/** bpf_backend_device, bpf_backend_state - run one of the programs that are no probes */
int bpf_backend_device(struct bpf_backend *b, struct device_args *a);
int bpf_backend_state(struct bpf_backend *b, struct state_args *a);

/** bpf_backend_clusters - one list of clusters; @entries points into the shared map */
int bpf_backend_clusters(struct bpf_backend *b, struct clusters_args *a,
			 const struct cluster_entry **entries);
int bpf_backend_places(struct bpf_backend *b, struct places_args *a);

/** bpf_backend_caches - the slots cache of a CPU; @entries points into the shared map */
int bpf_backend_caches(struct bpf_backend *b, struct caches_args *a, const uint64_t **entries);

/** bpf_backend_snapshot - copy a piece of swap_map; @bytes points into the shared map */
int bpf_backend_snapshot(struct bpf_backend *b, struct snapshot_args *a, const uint8_t **bytes);

#endif
