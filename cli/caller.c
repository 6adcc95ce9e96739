// SPDX-License-Identifier: GPL-2.0
#include "cli/caller.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Headers older than 5.8 lack it. */
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

enum number_state { NUMBER_ABSENT, NUMBER_BAD, NUMBER_GOOD };

static enum number_state env_number(const char *name, unsigned int *value)
{
	const char *s = getenv(name);
	unsigned long n;
	char *end;

	if (!s)
		return NUMBER_ABSENT;
	errno = 0;
	n = strtoul(s, &end, 10);
	if (errno || *s < '0' || *s > '9' || *end || n >= UINT_MAX)
		return NUMBER_BAD;
	*value = (unsigned int)n;
	return NUMBER_GOOD;
}

struct caller caller_read(void)
{
	struct caller c = { CALLER_SELF, geteuid(), (gid_t)-1 };
	enum number_state user = env_number("SUDO_UID", &c.uid);

	if (user == NUMBER_BAD ||
	    (user == NUMBER_GOOD && env_number("SUDO_GID", &c.gid) == NUMBER_BAD))
		c.kind = CALLER_BAD;
	else if (user == NUMBER_GOOD && c.uid != geteuid())
		c.kind = geteuid() ? CALLER_BEYOND : CALLER_OTHER;
	if (c.kind == CALLER_SELF || c.kind == CALLER_BAD)
		c.uid = geteuid();
	return c;
}

int caller_become(const struct caller *c)
{
	const struct passwd *p;
	gid_t gid = c->gid;
	int ret;

	if (c->kind != CALLER_OTHER)
		return 0;
	p = getpwuid(c->uid);
	if (gid == (gid_t)-1)
		gid = p ? p->pw_gid : (gid_t)c->uid;
	/* A user whom this machine does not know (a container's) is in no further group. */
	ret = p ? initgroups(p->pw_name, gid) : setgroups(1, &gid);
	if (ret || setresgid(gid, gid, gid) || setresuid(c->uid, c->uid, c->uid))
		return -errno;
	return 0;
}

int caller_environment(const struct caller *c)
{
	static const char *const sudo[] = { "SUDO_UID", "SUDO_GID", "SUDO_USER", "SUDO_COMMAND",
					    "SUDO_HOME" };
	const struct passwd *p;

	if (c->kind != CALLER_OTHER)
		return 0;
	for (size_t i = 0; i < sizeof(sudo) / sizeof(*sudo); i++)
		unsetenv(sudo[i]);
	p = getpwuid(c->uid);
	if (!p)
		return setenv("HOME", "/", 1) || unsetenv("USER") || unsetenv("LOGNAME") ? -errno
											 : 0;
	return setenv("HOME", p->pw_dir, 1) || setenv("USER", p->pw_name, 1) ||
			       setenv("LOGNAME", p->pw_name, 1) ||
			       setenv("SHELL", *p->pw_shell ? p->pw_shell : "/bin/sh", 1)
		       ? -errno
		       : 0;
}

/* Of the capabilities in @wanted those that the process may use; glibc has no call for either. */
static int keep_only(uint64_t wanted)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2];

	if (syscall(SYS_capget, &h, d))
		return -errno;
	for (unsigned int i = 0; i < 2; i++) {
		d[i].permitted &= (uint32_t)(wanted >> 32 * i);
		d[i].effective = d[i].permitted;
		d[i].inheritable = 0;
	}
	return syscall(SYS_capset, &h, d) ? -errno : 0;
}

static uint64_t needed(bool keep_kill)
{
	uint64_t caps = keep_kill ? 1ull << CAP_KILL : 0;

	/* Reading it fails where the kernel has no capability of that number. */
	return caps |
	       1ull << (prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) < 0 ? CAP_SYS_ADMIN : CAP_BPF);
}

int caller_drop(const struct caller *c, bool keep_kill, struct error *e)
{
	int ret = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		ret = -errno;
	if (!ret)
		ret = caller_become(c);
	if (!ret)
		ret = keep_only(needed(keep_kill));
	/* Absent before 4.3, and there is nothing to clear then. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return ret ? error_errno(e, ret, "privileges cannot be given up") : 0;
}
