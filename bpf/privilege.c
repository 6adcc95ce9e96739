// SPDX-License-Identifier: GPL-2.0
#include "bpf/privilege.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CAP_SYS_ADMIN 21
#define CAP_PERFMON 38
#define CAP_BPF 39
#define MEMLOCK_LOW (8u << 20)

static bool read_line(const char *root, const char *path, char *out, size_t size)
{
	char name[512];
	FILE *f;
	bool ok;

	snprintf(name, sizeof(name), "%s%s", root, path);
	f = fopen(name, "r");
	if (!f)
		return false;
	ok = fgets(out, (int)size, f) != NULL;
	fclose(f);
	return ok;
}

/* Uid and CapEff of this process as /proc tells them, so that a test can put others there. */
static void read_status(struct privilege *p, const char *root)
{
	char name[512], line[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s/proc/self/status", root);
	f = fopen(name, "r");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		unsigned long long caps;
		unsigned int uid, euid;

		if (sscanf(line, "Uid: %u %u", &uid, &euid) == 2)
			p->uid = euid;
		if (sscanf(line, "CapEff: %llx", &caps) == 1) {
			p->caps = caps;
			p->have_caps = true;
		}
	}
	fclose(f);
}

void privilege_read(struct privilege *p, const char *root)
{
	struct rlimit limit;
	char line[128];

	memset(p, 0, sizeof(*p));
	p->uid = geteuid();
	read_status(p, root);
	if (read_line(root, "/sys/kernel/security/lockdown", line, sizeof(line)) &&
	    sscanf(line, "%*[^[][%31[^]]", p->lockdown) != 1)
		sscanf(line, "[%31[^]]", p->lockdown);
	p->lockdown_known = p->lockdown[0];
	p->memlock = UINT64_MAX;
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		p->memlock = limit.rlim_cur;
	p->unprivileged_bpf = -1;
	if (read_line(root, "/proc/sys/kernel/unprivileged_bpf_disabled", line, sizeof(line)))
		p->unprivileged_bpf = atoi(line);
}

static bool has_cap(const struct privilege *p, unsigned int cap)
{
	return p->caps >> cap & 1;
}

/* CAP_SYS_ADMIN holds both of the others. */
static bool may_load(const struct privilege *p)
{
	return has_cap(p, CAP_SYS_ADMIN) || (has_cap(p, CAP_BPF) && has_cap(p, CAP_PERFMON));
}

static bool locked_down(const struct privilege *p)
{
	return p->lockdown_known && !strcmp(p->lockdown, "confidentiality");
}

static int say_lockdown(struct error *e)
{
	return error_set(e, -EPERM,
			 "kernel lockdown is in confidentiality mode, which forbids reading kernel "
			 "memory; boot with lockdown=integrity or lockdown=none (often: switch "
			 "Secure Boot off)");
}

int privilege_check(const struct privilege *p, struct error *e)
{
	if (p->have_caps && !may_load(p)) {
		if (!p->uid)
			return error_set(e, -EPERM,
					 "root, but CAP_BPF/CAP_SYS_ADMIN missing (container?); "
					 "start the container with --privileged or --cap-add "
					 "SYS_ADMIN, or record on the host");
		return error_set(e, -EPERM,
				 "recording needs root: run with sudo (or give CAP_BPF and "
				 "CAP_PERFMON)");
	}
	if (!p->have_caps && p->uid)
		return error_set(e, -EPERM, "recording needs root: run with sudo");
	return locked_down(p) ? say_lockdown(e) : 0;
}

int privilege_explain(const struct privilege *p, int err, struct error *e)
{
	if (err == -ENOMEM && p->memlock < MEMLOCK_LOW)
		return error_set(e, err,
				 "RLIMIT_MEMLOCK too low (%llu KiB) for the buffers; raise it with "
				 "'ulimit -l unlimited', or record with a smaller -b",
				 (unsigned long long)(p->memlock >> 10));
	if (err != -EPERM)
		return err;
	if (locked_down(p))
		return say_lockdown(e);
	if (p->memlock < MEMLOCK_LOW)
		return error_set(
			e, err,
			"the kernel refuses to load BPF programs: a capability is missing, "
			"or RLIMIT_MEMLOCK is too low (%llu KiB; kernels before 5.11)",
			(unsigned long long)(p->memlock >> 10));
	return error_set(e, err,
			 "the kernel refuses to load BPF programs, although the process %s: a "
			 "container's seccomp or security module may forbid bpf(2), or "
			 "kernel.unprivileged_bpf_disabled and the user namespace do; record on "
			 "the host, as root of the first namespace",
			 p->uid ? "has the capabilities" : "is root");
}
