// SPDX-License-Identifier: GPL-2.0
#include "common/sandbox.h"

#ifdef HAVE_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <seccomp.h>
#include <stddef.h>

/* Under AddressSanitizer the search for leaks looks at the process by ptrace(2). */
#ifdef __SANITIZE_ADDRESS__
#define LEAKS_BY_PTRACE 1
#else
#define LEAKS_BY_PTRACE 0
#endif

/* No subcommand needs any of these. io_uring would be a way around the rules for files. */
static const int never[] = {
	SCMP_SYS(socket),	   SCMP_SYS(connect),	     SCMP_SYS(bind),
	SCMP_SYS(listen),	   SCMP_SYS(accept),	     SCMP_SYS(accept4),
	SCMP_SYS(sendto),	   SCMP_SYS(sendmsg),	     SCMP_SYS(process_vm_readv),
	SCMP_SYS(mount),	   SCMP_SYS(umount2),	     SCMP_SYS(process_vm_writev),
	SCMP_SYS(pivot_root),	   SCMP_SYS(chroot),	     SCMP_SYS(move_mount),
	SCMP_SYS(fsopen),	   SCMP_SYS(open_tree),	     SCMP_SYS(setns),
	SCMP_SYS(unshare),	   SCMP_SYS(init_module),    SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),   SCMP_SYS(kexec_load),     SCMP_SYS(kexec_file_load),
	SCMP_SYS(reboot),	   SCMP_SYS(swapon),	     SCMP_SYS(swapoff),
	SCMP_SYS(add_key),	   SCMP_SYS(request_key),    SCMP_SYS(keyctl),
	SCMP_SYS(userfaultfd),	   SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
	SCMP_SYS(clock_settime),   SCMP_SYS(settimeofday),   SCMP_SYS(sethostname),
	SCMP_SYS(perf_event_open), SCMP_SYS(acct),	     SCMP_SYS(open_by_handle_at),
	SCMP_SYS(pidfd_getfd),
};

/* gnuplot begins by making sure that it is nobody else, so these stay with the programs. */
static const int programs[] = {
	SCMP_SYS(execve),    SCMP_SYS(execveat), SCMP_SYS(setuid),    SCMP_SYS(setgid),
	SCMP_SYS(setreuid),  SCMP_SYS(setregid), SCMP_SYS(setresuid), SCMP_SYS(setresgid),
	SCMP_SYS(setgroups), SCMP_SYS(capset),
};

static const int files[] = {
	SCMP_SYS(creat),     SCMP_SYS(truncate),  SCMP_SYS(rename),    SCMP_SYS(renameat),
	SCMP_SYS(renameat2), SCMP_SYS(unlink),	  SCMP_SYS(unlinkat),  SCMP_SYS(mkdir),
	SCMP_SYS(mkdirat),   SCMP_SYS(rmdir),	  SCMP_SYS(link),      SCMP_SYS(linkat),
	SCMP_SYS(symlink),   SCMP_SYS(symlinkat), SCMP_SYS(mknod),     SCMP_SYS(mknodat),
	SCMP_SYS(chmod),     SCMP_SYS(fchmodat),  SCMP_SYS(chown),     SCMP_SYS(lchown),
	SCMP_SYS(fchownat),  SCMP_SYS(setxattr),  SCMP_SYS(lsetxattr), SCMP_SYS(openat2),
};

static int forbid(scmp_filter_ctx f, const int *calls, size_t n)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		ret = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), calls[i], 0);
		/* A call that this architecture never had cannot be made either. */
		if (ret == -EDOM)
			ret = 0;
	}
	return ret;
}

#define FORBID(f, calls) forbid(f, calls, sizeof(calls) / sizeof(*(calls)))

/* Files may be opened, but for reading only. */
static int forbid_writing(scmp_filter_ctx f)
{
	static const int ways[] = { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC };
	int ret = FORBID(f, files);

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways) && !ret; i++) {
		scmp_datum_t bits = (scmp_datum_t)ways[i];

		ret = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(openat), 1,
				       SCMP_A2(SCMP_CMP_MASKED_EQ, bits, bits));
		if (!ret)
			ret = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(open), 1,
					       SCMP_A1(SCMP_CMP_MASKED_EQ, bits, bits));
		if (ret == -EDOM)
			ret = 0;
	}
	return ret;
}

/* Maps are read until the end; nothing new is made. */
static int forbid_loading(scmp_filter_ctx f)
{
	static const unsigned int commands[] = { BPF_MAP_CREATE, BPF_PROG_LOAD, BPF_PROG_ATTACH,
						 BPF_RAW_TRACEPOINT_OPEN, BPF_LINK_CREATE };
	int ret = 0;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands) && !ret; i++)
		ret = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(bpf), 1,
				       SCMP_A0(SCMP_CMP_EQ, commands[i], 0));
	return ret;
}

static const int others[] = { SCMP_SYS(ptrace) };
static const int bpf[] = { SCMP_SYS(bpf) };

static int add_rules(scmp_filter_ctx f, enum sandbox_kind kind)
{
	int ret = FORBID(f, never);

	if (!ret && !LEAKS_BY_PTRACE)
		ret = FORBID(f, others);
	if (!ret && kind != SANDBOX_TOOLS)
		ret = FORBID(f, programs);
	if (!ret && kind != SANDBOX_RECORDER)
		return FORBID(f, bpf);
	if (!ret)
		ret = forbid_loading(f);
	return ret ? ret : forbid_writing(f);
}

bool sandbox_built(void)
{
	return true;
}

int sandbox_enter(enum sandbox_kind kind, struct error *e)
{
	scmp_filter_ctx f;
	int ret;

	if (kind == SANDBOX_NONE)
		return 0;
	f = seccomp_init(SCMP_ACT_ALLOW);
	ret = f ? 0 : -ENOMEM;

	/* Threads that are there already; kernels before 3.17 can't, and then there is only one. */
	if (!ret)
		seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!ret)
		ret = add_rules(f, kind);
	if (!ret)
		ret = seccomp_load(f);
	seccomp_release(f);
	/* A kernel without filters, or an emulator that has none to give. */
	if (ret == -ENOSYS || ret == -EINVAL || ret == -ECANCELED)
		ret = 0;
	return ret ? error_errno(e, ret, "seccomp filter") : 0;
}

#else

bool sandbox_built(void)
{
	return false;
}

int sandbox_enter(enum sandbox_kind kind, struct error *e)
{
	(void)kind;
	(void)e;
	return 0;
}

#endif
