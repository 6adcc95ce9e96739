/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_SANDBOX_H
#define SWAPTRACE_COMMON_SANDBOX_H

#include <stdbool.h>

#include "common/error.h"

/*
 * What the program itself promises not to do from some moment on, as a seccomp filter for all its
 * threads and children: a file that is made to break a reader then gains nothing by it. What is
 * forbidden fails with EPERM. Built without libseccomp there is no filter, and sandbox_built() is
 * false.
 */

enum sandbox_kind {
	SANDBOX_NONE,
	/* no network, no change of mounts, modules, namespaces; no other process is touched
	 */
	SANDBOX_TOOLS,
	/* that, and no program is started, no user changed */
	SANDBOX_READER,
	/* that, and no BPF program is loaded, no file opened for writing, renamed or removed */
	SANDBOX_RECORDER,
};

/** sandbox_built - whether there are filters at all in this build */
bool sandbox_built(void);

/**
 * sandbox_enter - from here on
 * Returns 0, also where the kernel has no seccomp filters or there are none in this build; other
 * failures as -errno in @e.
 */
int sandbox_enter(enum sandbox_kind kind, struct error *e);

#endif
