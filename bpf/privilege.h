/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_PRIVILEGE_H
#define SWAPTRACE_BPF_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/*
 * Why recording is not possible here, in words that say what to do. Facts come from /proc and /sys
 * below @root ("" for this machine; another folder in tests).
 */

/* What decides; read once, so that tests can state it. */
struct privilege {
	unsigned int uid;
	bool have_caps;
	uint64_t caps; /* CapEff */
	bool lockdown_known;
	char lockdown[32];    /* the active mode: none, integrity, confidentiality */
	uint64_t memlock;     /* soft limit, bytes; UINT64_MAX: none */
	int unprivileged_bpf; /* kernel.unprivileged_bpf_disabled, -1 unknown */
};

/** privilege_read - collect the facts; what cannot be read stays unknown */
void privilege_read(struct privilege *p, const char *root);

/**
 * privilege_check - before anything is loaded
 * Returns 0, or -EPERM: not root, or root without the capabilities (a container), or lockdown.
 */
int privilege_check(const struct privilege *p, struct error *e);

/**
 * privilege_explain - after the kernel refused to load
 * @err: what it said (-EPERM, -ENOMEM, ...)
 * Rewrites @e->text, keeps what it says about other errors. Returns the code.
 */
int privilege_explain(const struct privilege *p, int err, struct error *e);

#endif
