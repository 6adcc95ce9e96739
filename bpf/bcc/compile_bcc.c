// SPDX-License-Identifier: GPL-2.0
#include "bpf/bcc/compile.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static bool there(const char *root, const char *format, const char *name, const char *below)
{
	char path[512];

	snprintf(path, sizeof(path), format, root, name, below);
	return !access(path, R_OK);
}

int bcc_headers_check(const char *root, const char *release, struct error *e)
{
	const char *given = getenv("BCC_KERNEL_SOURCE");

	if (given) {
		if (there(given, "%s/%s%s", "include/linux/kconfig.h", ""))
			return 0;
		return error_set(e, -ENOENT,
				 "%s: BCC_KERNEL_SOURCE names it, but it holds no kernel headers "
				 "(include/linux/kconfig.h)",
				 given);
	}
	if (there(root, "%s/lib/modules/%s/build/%s", release, "include/linux/kconfig.h") ||
	    there(root, "%s/lib/modules/%s/source/%s", release, "include/linux/kconfig.h") ||
	    there(root, "%s/sys/kernel/%s%s", "kheaders.tar.xz", ""))
		return 0;
	return error_set(
		e, -ENOENT,
		"%s/lib/modules/%s/build: no headers of this kernel, which the bcc backend "
		"compiles against; install the package linux-headers-%s (or 'modprobe "
		"kheaders', or let BCC_KERNEL_SOURCE name a folder with them)",
		root, release, release);
}

/* What is left of the compiler is a stream of programs and what it said. */
static int compile_here(const char *text, const char **flags, int nflags, int out_fd)
{
	struct error e = { 0 };
	const struct bcc_library *l = bcc_library_open(&e);
	FILE *out = l ? fdopen(out_fd, "wb") : NULL;
	int err;

	if (!out) {
		fprintf(stderr, "%s\n", l ? "out of memory" : e.text);
		return 1;
	}
	err = bcc_library_compile(l, text, flags, nflags, out);
	return fclose(out) || err;
}

static pid_t compile_there(const char *text, const char **flags, int nflags, int said_fd,
			   FILE **result)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		/* Who asks the recorder to stop does not want to wait for this. */
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		dup2(said_fd, STDERR_FILENO);
		dup2(said_fd, STDOUT_FILENO);
		close(ends[0]);
		_exit(compile_here(text, flags, nflags, ends[1]));
	}
	close(ends[1]);
	*result = pid < 0 ? NULL : fdopen(ends[0], "rb");
	if (!*result)
		close(ends[0]);
	return pid;
}

/* The first line that is an error, else the first one. */
static void first_words(int fd, char *out, size_t size)
{
	char text[8192];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	char *at;

	text[len < 0 ? 0 : len] = '\0';
	at = strstr(text, "error: ");
	while (at && at > text && at[-1] != '\n')
		at--;
	at = at ? at : text;
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), *at ? at : "it said nothing");
}

#define LOOK_MS 100

/* Until the compiler has something to give, or nobody wants it any more: then it is ended. */
static bool given_up(FILE *result, pid_t pid, const volatile sig_atomic_t *stop)
{
	struct pollfd p = { .fd = fileno(result), .events = POLLIN };

	while (!*stop && poll(&p, 1, LOOK_MS) <= 0)
		;
	if (*stop)
		kill(pid, SIGKILL);
	return *stop;
}

static int judge(int err, int status, int said, struct error *e)
{
	char words[400];

	if (WIFSIGNALED(status))
		return error_set(e, -ENOEXEC, "libbcc died of signal %d while compiling",
				 WTERMSIG(status));
	if (!err && !status)
		return 0;
	first_words(said, words, sizeof(words));
	return error_set(e, -ENOEXEC, "libbcc cannot compile the programs: %s", words);
}

int bcc_compile(const char *text, const char **flags, int nflags, const volatile sig_atomic_t *stop,
		struct bcc_programs *out, struct error *e)
{
	int said = memfd_create("bcc", MFD_CLOEXEC), status = 0, err;
	FILE *result = NULL;
	pid_t pid = said < 0 ? -1 : compile_there(text, flags, nflags, said, &result);
	bool stopped = false;

	memset(out, 0, sizeof(*out));
	err = result ? 0 : -errno;
	if (result) {
		stopped = given_up(result, pid, stop);
		if (!stopped)
			err = bcc_programs_read(result, out);
		fclose(result);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!result)
		error_errno(e, err, "the compiler of the bcc backend cannot be started");
	else if (stopped)
		err = error_set(e, -EINTR, "interrupted while libbcc was compiling");
	else
		err = judge(err, status, said, e);
	if (said >= 0)
		close(said);
	return err;
}
