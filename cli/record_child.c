// SPDX-License-Identifier: GPL-2.0
#include "cli/record_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/text.h"

/* As env(1) and shells do. */
#define NOT_FOUND 127
#define NOT_EXECUTABLE 126

static void run_child(int go, char *const *argv, const struct caller *user)
	__attribute__((noreturn));

static void not_run(const char *name, int err, int status) __attribute__((noreturn));

static void not_run(const char *name, int err, int status)
{
	fprintf(stderr, "swaptrace: error: %s: %s\n", clean(name).s, strerror(err));
	_exit(status);
}

static void run_child(int go, char *const *argv, const struct caller *user)
{
	char byte;
	ssize_t n;
	int err;

	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(NOT_EXECUTABLE); /* recording never began */
	err = caller_environment(user);
	if (!err)
		err = caller_become(user);
	if (err)
		not_run("the command cannot run as the user who called sudo", -err, NOT_EXECUTABLE);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	not_run(argv[0], errno, errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

int record_child_prepare(struct record_child *c, char *const *argv, const struct caller *user,
			 struct error *e)
{
	int fds[2];

	memset(c, 0, sizeof(*c));
	if (pipe2(fds, O_CLOEXEC))
		return error_errno(e, -errno, "%s: cannot be started", argv[0]);
	c->pid = fork();
	if (c->pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		c->pid = 0;
		return error_errno(e, err, "%s: cannot be started", argv[0]);
	}
	if (!c->pid) {
		close(fds[1]);
		run_child(fds[0], argv, user);
	}
	close(fds[0]);
	c->go = fds[1];
	return 0;
}

void record_child_start(struct record_child *c)
{
	const char byte = 1;

	if (!c->pid || c->go < 0)
		return;
	while (write(c->go, &byte, 1) < 0 && errno == EINTR)
		;
	close(c->go);
	c->go = -1;
}

bool record_child_poll(struct record_child *c)
{
	int status;

	if (!c->pid || c->ended)
		return c->ended;
	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return false;
	c->ended = true;
	c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return true;
}

void record_child_stop(struct record_child *c, int sig)
{
	int status;

	if (!c->pid || c->ended)
		return;
	if (c->go < 0) {
		kill(c->pid, sig);
		return;
	}
	close(c->go); /* it reads the end of the pipe and exits */
	c->go = -1;
	waitpid(c->pid, &status, 0);
	c->ended = true;
}

bool record_child_end(struct record_child *c, unsigned int patience_ms)
{
	const struct timespec pause = { 0, 10000000 };
	bool killed = false;

	if (!c->pid || c->go >= 0)
		return false;
	for (unsigned int ms = 0; !record_child_poll(c); ms += 10) {
		if (ms >= patience_ms && !killed) {
			kill(c->pid, SIGKILL);
			killed = true;
		}
		nanosleep(&pause, NULL);
	}
	return killed;
}
