/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_RECORDER_H
#define SWAPTRACE_BPF_RECORDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/backend_choose.h"
#include "bpf/hooks.h"
#include "bpf/loader.h"
#include "common/error.h"
#include "traces/trace.h"

/*
 * A recording: programs attached, records taken out of the ring buffers, sorted, decoded, written.
 * Needs libbpf (HAVE_BPF). The order of calls is recorder_open, recorder_begin, recorder_poll ...,
 * recorder_end, recorder_close.
 */
struct recorder;

struct recorder_options {
	enum backend_kind backend;
	unsigned int groups; /* GROUP_* */
	uint64_t ring_bytes; /* of each CPU's ring buffer */
	unsigned int tgid;   /* -p, 0: all */
	uint64_t cgroup;     /* -G, 0: all */
	unsigned int cgroup_level;
	const char *root; /* where /proc and /sys are, normally "" */
	struct loader_messages messages;
	const volatile sig_atomic_t *stop; /* set when what takes long is to be given up */
};

/**
 * recorder_open - load and attach; nothing is recorded yet
 * @h: gets the facts that are known by then
 */
int recorder_open(struct recorder **r, const struct recorder_options *o,
		  const struct hook_kernel *k, const struct hook_choice *c, struct trace_header *h,
		  struct error *e);

/** recorder_begin - switch recording on, then write the state of slots and readahead to @w */
int recorder_begin(struct recorder *r, struct trace_writer *w, struct error *e);

/**
 * recorder_poll - take what is there, at most @timeout_ms later, and write what is old enough
 * Returns 0 or a negative errno, after which only recorder_end() and recorder_close() make sense.
 */
int recorder_poll(struct recorder *r, int timeout_ms, struct error *e);

/** recorder_flush - close the block in the file, so that a crash loses nothing before this moment
 */
int recorder_flush(struct recorder *r, struct error *e);

/**
 * recorder_end - stop, take the rest, write it; the counts go to @closing
 * @write: false when writing has failed already
 */
int recorder_end(struct recorder *r, struct trace_header *closing, bool write, struct error *e);

/* What a hook costs, after recorder_end(). */
struct recorder_cost {
	const char *event;    /* "state" for a hook without events */
	const char *function; /* of the kernel */
	char kind[64];	      /* how it is attached */
	uint64_t runs;	      /* calls of the function while the programs were attached */
	uint64_t ns;	      /* spent in the programs for them, as the kernel measures it */
};

/**
 * recorder_costs - fill @out[0 .. HOOKS_MAX-1] with the hooks that ran
 * Returns their number; 0 also where the kernel does not measure programs (before 5.8, or not
 * allowed).
 */
unsigned int recorder_costs(struct recorder *r, struct recorder_cost *out);

/** recorder_close - detach and release everything; @r is gone afterwards; NULL is allowed */
void recorder_close(struct recorder *r);

/* For the status line. */
struct recorder_status {
	uint64_t events; /* delivered */
	uint64_t lost;
	uint64_t ra_calls;
	uint64_t odd_offsets, offsets, nonzero_offsets;
};
void recorder_get_status(struct recorder *r, struct recorder_status *s);

#endif
