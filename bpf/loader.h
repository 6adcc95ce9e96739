/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_LOADER_H
#define SWAPTRACE_BPF_LOADER_H

#include "bpf/hooks.h"
#include "common/error.h"

/*
 * Loads and attaches what a plan has chosen. A program that the kernel refuses costs its hook, not
 * the recording: the next kind of attachment is tried, then the hook is given up. The kernel is
 * reached through a table of functions, so that all this is tested without one.
 */

struct bpf_backend_ops {
	/*
	 * load - load the programs of all hooks whose kinds[i] is not ATTACH_NONE
	 * Returns 0, or a negative errno; then *@failed is the hook whose program was refused, or
	 * hook_plan_len when it was not for a program (no privilege, no memory), and *@log is the
	 * verifier's log or NULL; it is valid until the next call.
	 */
	int (*load)(void *ctx, const struct hook_choice *c, const enum attach_kind *kinds,
		    size_t *failed, const char **log);
	/* attach - attach the loaded programs of one hook; a negative errno */
	int (*attach)(void *ctx, const struct hook_choice *c, size_t i, enum attach_kind kind);
	/* unload - detach and unload everything */
	void (*unload)(void *ctx);
};

/* What the user should hear, one line a call (log: many lines). */
struct loader_messages {
	void (*warning)(void *arg, const char *text);
	void (*log)(void *arg, const char *program,
		    const char *text); /* the whole log; may be NULL */
	void *arg;
};

/* The result for each hook of the plan. */
struct loader_result {
	enum attach_kind kinds[HOOKS_MAX]; /* ATTACH_NONE: not attached */
};

/**
 * loader_run - load and attach
 * @groups: what is wanted; hooks of other groups are left out
 * Returns 0; -ENOENT or the kernel's error with a text when something that a group requires cannot
 * be attached; other errors when nothing can be loaded at all.
 */
int loader_run(const struct bpf_backend_ops *ops, void *ctx, const struct hook_choice *c,
	       unsigned int groups, const char *release, const struct loader_messages *m,
	       struct loader_result *r, struct error *e);

/**
 * loader_missing - names of events that are wanted and not attached, in small letters and joined by
 * commas; returns their number
 */
unsigned int loader_missing(const struct hook_choice *c, const struct loader_result *r,
			    unsigned int groups, char *out, size_t size);

/** loader_attach_kinds - the kinds in use, joined by commas: "fentry,fexit,kprobe" */
void loader_attach_kinds(const struct hook_choice *c, const struct loader_result *r, char *out,
			 size_t size);

/** log_tail - where the last @lines lines of @log begin */
const char *log_tail(const char *log, unsigned int lines);

/** loader_errno - text of an error; ENOTSUPP (524), which has no name outside the kernel, included
 */
const char *loader_errno(int err, char *out, size_t size);

/**
 * libbpf_version_check - whether the libbpf that runs is new enough
 * @major, @minor: of the library that was found
 * Returns 0 or -ELIBBAD with a line that names the version found and the one needed.
 */
int libbpf_version_check(unsigned int major, unsigned int minor, struct error *e);

#endif
