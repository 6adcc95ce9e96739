/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_CALLER_H
#define SWAPTRACE_CLI_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/error.h"

/*
 * For whom record works: root, when root started it; the user who called sudo(8), which tells by
 * SUDO_UID and SUDO_GID. That user gets the trace, the command behind "--" runs as that user, and
 * so does the recorder itself once everything that needs root is open.
 */

enum caller_kind {
	CALLER_SELF,   /* nobody else: not root, or no sudo, or root called sudo */
	CALLER_OTHER,  /* @uid, @gid behind sudo */
	CALLER_BEYOND, /* such a user, too, but sudo did not lead to root: nothing can be done for
			  it */
	CALLER_BAD,    /* SUDO_UID or SUDO_GID is not a number */
};

struct caller {
	enum caller_kind kind;
	uid_t uid; /* not CALLER_SELF or CALLER_BAD: those have the effective one */
	gid_t gid; /* CALLER_OTHER; (gid_t)-1 where sudo did not tell it */
};

/** caller_read - from the environment and the effective user */
struct caller caller_read(void);

/**
 * caller_become - take over the user's identity for good: groups, all user and group ids
 * @c: CALLER_OTHER; others change nothing
 * The group is the user's own one where sudo did not tell it. No capability is left, unless the
 * process asked to keep them (prctl(2), PR_SET_KEEPCAPS). Returns 0 or -errno.
 */
int caller_become(const struct caller *c);

/**
 * caller_environment - HOME, USER, LOGNAME and SHELL as at the user's own login, no SUDO_*
 * @c: CALLER_OTHER; others change nothing
 * What sudo let through of the environment stays. Returns 0 or -errno.
 */
int caller_environment(const struct caller *c);

/**
 * caller_drop - what a recorder needs no longer, when all is attached and open
 * @c: whose identity is taken where it is CALLER_OTHER
 * @keep_kill: CAP_KILL stays, for a command that runs as root
 * CAP_BPF stays (CAP_SYS_ADMIN on kernels before 5.8, which have no CAP_BPF), since counters are
 * read out of maps at the end. No program that is started later can gain anything
 * (PR_SET_NO_NEW_PRIVS). To be called while the process has one thread. Returns 0 or -errno in @e.
 */
int caller_drop(const struct caller *c, bool keep_kill, struct error *e);

#endif
