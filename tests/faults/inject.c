// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command and lets its Nth system call of some kinds fail, or sends a signal right before
 * it.
 *
 * usage: inject -c CALLS (-n N (-e ERRNO | -s SIGNAL) | -o FILE) -- COMMAND...
 *
 * CALLS: write,sync,rename,open,close,unlink,mkdir,chmod or all; ERRNO: ENOSPC, EIO, EINTR, ENOMEM;
 * SIGNAL: a number. -o disturbs nothing and writes the number of such calls to FILE.
 * The exit status is the command's, 128 + SIGNAL where a signal ended it; 125 when inject itself
 * failed, 77 where this machine does not let one process watch another. The C library's own calls
 * are reached as well, which a preloaded library would not do. Only the first thread is watched,
 * which is the one that writes. Counting begins when the program says what happens on signals,
 * which is the first that it does: what the loader does before is not the program's.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED 125
#define NOT_HERE 77

#if defined(__x86_64__)

struct call {
	const char *kind;
	long numbers[8]; /* ends with -1 */
};

static const struct call kinds[] = {
	{ "write", { SYS_write, SYS_pwrite64, SYS_writev, SYS_ftruncate, -1 } },
	{ "sync", { SYS_fsync, SYS_fdatasync, -1 } },
	{ "rename", { SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, -1 } },
	{ "open", { SYS_open, SYS_openat, SYS_creat, -1 } },
	{ "close", { SYS_close, -1 } },
	{ "unlink", { SYS_unlink, SYS_unlinkat, SYS_rmdir, -1 } },
	{ "mkdir", { SYS_mkdir, SYS_mkdirat, -1 } },
	{ "chmod", { SYS_fchmod, SYS_fchown, SYS_fchmodat, -1 } },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "ENOSPC", ENOSPC },
	{ "EIO", EIO },
	{ "EINTR", EINTR },
	{ "ENOMEM", ENOMEM },
};

struct plan {
	const char *calls, *count;
	unsigned long at;
	int error, signal;
};

static bool in_list(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!strcmp(list, "all"))
		return true;
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, word, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static bool is_chosen(const struct plan *p, long number)
{
	for (size_t i = 0; i < KINDS; i++)
		for (const long *n = kinds[i].numbers; *n != -1; n++)
			if (*n == number && in_list(p->calls, kinds[i].kind))
				return true;
	return false;
}

static void write_count(const struct plan *p, unsigned long seen)
{
	FILE *f = p->count ? fopen(p->count, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%lu\n", seen);
	fclose(f);
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The child stands before a call. Returns whether its result is to be replaced. */
static bool meddle(const struct plan *p, pid_t child, bool *begun, unsigned long *seen)
{
	long number = ptrace(PTRACE_PEEKUSER, child, 8L * ORIG_RAX, NULL);

	*begun |= number == SYS_rt_sigaction;
	if (!*begun || !is_chosen(p, number) || ++*seen != p->at)
		return false;
	if (p->signal) {
		kill(child, p->signal);
		return false;
	}
	ptrace(PTRACE_POKEUSER, child, 8L * ORIG_RAX, -1L); /* no call at all */
	return true;
}

static int watch(const struct plan *p, pid_t child, unsigned long *seen)
{
	bool begun = false, inside = false, replace = false;
	int status, deliver = 0;

	if (waitpid(child, &status, 0) < 0)
		return FAILED;
	if (!WIFSTOPPED(status))
		return status_of(status);
	ptrace(PTRACE_SETOPTIONS, child, NULL, (long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	for (;;) {
		if (ptrace(PTRACE_SYSCALL, child, NULL, (long)deliver) && errno != ESRCH)
			return FAILED;
		if (waitpid(child, &status, 0) < 0)
			return FAILED;
		if (!WIFSTOPPED(status))
			return status_of(status);
		deliver = WSTOPSIG(status);
		if (deliver != (SIGTRAP | 0x80)) {
			/* The one that comes with execve() is ptrace's own. */
			deliver = deliver == SIGTRAP ? 0 : deliver;
			continue;
		}
		deliver = 0;
		if (!inside) {
			replace = meddle(p, child, &begun, seen);
		} else if (replace) {
			ptrace(PTRACE_POKEUSER, child, 8L * RAX, -(long)p->error);
			replace = false;
		}
		inside = !inside;
	}
}

static int run(const struct plan *p, char **command)
{
	unsigned long seen = 0;
	pid_t child = fork();
	int status;

	if (child < 0)
		return FAILED;
	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(NOT_HERE);
		execvp(command[0], command);
		_exit(127);
	}
	status = watch(p, child, &seen);
	write_count(p, seen);
	return status;
}

static int error_of(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].number;
	return 0;
}

int main(int argc, char **argv)
{
	struct plan p = { .calls = "all" };
	int option;

	while ((option = getopt(argc, argv, "+c:n:e:s:o:")) != -1) {
		if (option == 'c')
			p.calls = optarg;
		else if (option == 'n')
			p.at = strtoul(optarg, NULL, 10);
		else if (option == 'e')
			p.error = error_of(optarg);
		else if (option == 's')
			p.signal = atoi(optarg);
		else if (option == 'o')
			p.count = optarg;
		else
			return FAILED;
	}
	if (optind == argc || !p.at != !(p.error || p.signal) || (p.error && p.signal)) {
		fprintf(stderr, "usage: inject -c CALLS (-n N (-e ERRNO | -s SIGNAL) | -o FILE) -- "
				"COMMAND...\n");
		return FAILED;
	}
	return run(&p, argv + optind);
}

#else

int main(void)
{
	return NOT_HERE;
}

#endif
