// SPDX-License-Identifier: GPL-2.0
/*
 * What record gives up: the command behind "--" runs as the user who called sudo and is ended, and
 * the recorder keeps no more than it needs. Changing users needs root: those tests are skipped
 * without it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/record_child.h"
#include "common/sandbox.h"

static void need_root(void)
{
	if (geteuid())
		skip();
}

/* ---- the command behind "--" ---- */

static const struct caller nobody = { .kind = CALLER_SELF };

static void wait_for(struct record_child *c)
{
	for (int i = 0; i < 1000 && !record_child_poll(c); i++)
		usleep(5000);
	assert_true(c->ended);
}

static int status_of(const char *script)
{
	char *argv[] = { "sh", "-c", (char *)(uintptr_t)script, NULL };
	struct record_child c;
	struct error e = { 0 };

	assert_int_equal(record_child_prepare(&c, argv, &nobody, &e), 0);
	assert_false(record_child_poll(&c)); /* it waits for the go */
	record_child_start(&c);
	wait_for(&c);
	return c.status;
}

static void test_child_status(void **state)
{
	(void)state;
	assert_int_equal(status_of("exit 0"), 0);
	assert_int_equal(status_of("exit 42"), 42);
	assert_int_equal(status_of("kill -9 $$"), 128 + 9);
}

/* As the user who called sudo, in that user's environment; nothing of root is left to it. */
static void test_child_of_sudo(void **state)
{
	static const struct caller user = { CALLER_OTHER, 1, 1 }; /* daemon, on every Debian */
	char script[] = "test $(id -u):$(id -g):$(id -G) = 1:1:1 && test $HOME = /usr/sbin && "
			"test $USER = daemon && test -z \"$SUDO_UID$SUDO_USER\" && "
			"grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status";
	char *argv[] = { "sh", "-c", script, NULL };
	struct record_child c;
	struct error e = { 0 };

	(void)state;
	need_root();
	setenv("SUDO_UID", "1", 1);
	setenv("SUDO_USER", "daemon", 1);
	assert_int_equal(record_child_prepare(&c, argv, &user, &e), 0);
	record_child_start(&c);
	wait_for(&c);
	assert_int_equal(c.status, 0);
}

static void test_child_that_ignores_sigterm(void **state)
{
	char *argv[] = { "sh", "-c", "trap '' TERM; echo >&7; while :; do sleep 1; done", NULL };
	struct record_child c;
	struct error e = { 0 };
	int fds[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[1], 7), 7);
	assert_int_equal(record_child_prepare(&c, argv, &nobody, &e), 0);
	record_child_start(&c);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	record_child_stop(&c, SIGTERM);
	assert_true(record_child_end(&c, 50));
	assert_int_equal(c.status, 128 + SIGKILL);
	close(7);
	close(fds[0]);
	close(fds[1]);
}

static void test_child_that_obeys(void **state)
{
	char *argv[] = { "sleep", "100", NULL };
	struct record_child c;
	struct error e = { 0 };

	(void)state;
	assert_int_equal(record_child_prepare(&c, argv, &nobody, &e), 0);
	record_child_start(&c);
	record_child_stop(&c, SIGTERM);
	assert_false(record_child_end(&c, 5000));
	assert_int_equal(c.status, 128 + SIGTERM);
}

static void test_child_not_found(void **state)
{
	char *argv[] = { "/no/such/program", NULL };
	struct record_child c;
	struct error e = { 0 };

	(void)state;
	assert_int_equal(record_child_prepare(&c, argv, &nobody, &e), 0);
	record_child_start(&c);
	wait_for(&c);
	assert_int_equal(c.status, 127);
}

/* Recording could not begin: the command must not run. */
static void test_child_never_started(void **state)
{
	char dir[] = "/tmp/test_child.XXXXXX", ran[64], command[80];
	char *argv[] = { "sh", "-c", command, NULL };
	struct record_child c;
	struct error e = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(ran, sizeof(ran), "%s/ran", dir);
	snprintf(command, sizeof(command), "touch %s", ran);
	assert_int_equal(record_child_prepare(&c, argv, &nobody, &e), 0);
	record_child_stop(&c, SIGTERM);
	assert_true(c.ended);
	assert_int_equal(access(ran, F_OK), -1);
	assert_int_equal(rmdir(dir), 0);
}

/* ---- the recorder itself ---- */

/* Run @check in a child, since there is no way back. Its status. */
static int apart(int (*check)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static unsigned long long effective(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long long caps = ~0ull;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "CapEff: %llx", &caps);
	fclose(f);
	return caps;
}

static int drop_all(void)
{
	static const struct caller user = { CALLER_OTHER, 1, 1 };
	struct error e = { 0 };

	if (caller_drop(&user, false, &e))
		return 1;
	if (getuid() != 1 || geteuid() != 1 || getegid() != 1)
		return 2;
	/* CAP_BPF, number 39, at most: a container may not have had it. */
	if (effective() & ~(1ull << 39))
		return 3;
	return setuid(0) ? 0 : 4;
}

static int drop_but_kill(void)
{
	static const struct caller self = { .kind = CALLER_SELF };
	struct error e = { 0 };

	if (caller_drop(&self, true, &e))
		return 1;
	return effective() & ~(1ull << 39 | 1ull << CAP_KILL) ? 2 : 0;
}

static void test_drop(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(apart(drop_all), 0);
	assert_int_equal(apart(drop_but_kill), 0);
}

static bool refused(long ret)
{
	return ret < 0 && errno == EPERM;
}

static int reader(void)
{
	static char *const argv[] = { "true", NULL };
	struct error e = { 0 };
	int fd;

	if (sandbox_enter(SANDBOX_READER, &e))
		return 1;
	if (!refused(socket(AF_INET, SOCK_STREAM, 0)) || !refused(socket(AF_UNIX, SOCK_STREAM, 0)))
		return 2;
	if (!refused(execv("/bin/true", argv)))
		return 3;
	if (!refused(syscall(SYS_bpf, 0, NULL, 0)))
		return 4;
	/* Results are files. */
	fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	return fd >= 0 || errno == EOPNOTSUPP ? 0 : 5;
}

static int recorder(void)
{
	struct error e = { 0 };

	if (sandbox_enter(SANDBOX_RECORDER, &e))
		return 1;
	if (!refused(socket(AF_INET, SOCK_STREAM, 0)))
		return 2;
	if (!refused(open("/dev/null", O_WRONLY)) || !refused(open("/dev/null", O_RDWR)) ||
	    !refused(open("/tmp/no-such", O_RDONLY | O_CREAT, 0600)))
		return 3;
	if (open("/proc/self/status", O_RDONLY) < 0)
		return 4;
	if (!refused(unlink("/tmp/no-such")) || !refused(rename("/tmp/a", "/tmp/b")))
		return 5;
	/* BPF_PROG_LOAD is 5. */
	return refused(syscall(SYS_bpf, 5, NULL, 0)) ? 0 : 6;
}

static int tools(void)
{
	static char *const argv[] = { "true", NULL };
	struct error e = { 0 };

	if (sandbox_enter(SANDBOX_TOOLS, &e) || !refused(socket(AF_INET, SOCK_STREAM, 0)))
		return 1;
	execv("/bin/true", argv);
	return 2;
}

static void test_sandbox(void **state)
{
	(void)state;
	if (!sandbox_built())
		skip();
	assert_int_equal(apart(reader), 0);
	assert_int_equal(apart(recorder), 0);
	assert_int_equal(apart(tools), 0);
}

static void test_caller(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	assert_int_equal(caller_read().kind, CALLER_SELF);
	setenv("SUDO_UID", "12x", 1);
	assert_int_equal(caller_read().kind, CALLER_BAD);
	setenv("SUDO_UID", "1000", 1);
	setenv("SUDO_GID", "1001", 1);
	if (!geteuid()) {
		assert_int_equal(caller_read().kind, CALLER_OTHER);
		assert_int_equal(caller_read().uid, 1000);
		assert_int_equal(caller_read().gid, 1001);
	} else {
		assert_int_equal(caller_read().kind, CALLER_BEYOND);
	}
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_child_status),
		cmocka_unit_test(test_child_of_sudo),
		cmocka_unit_test(test_child_that_ignores_sigterm),
		cmocka_unit_test(test_child_that_obeys),
		cmocka_unit_test(test_child_not_found),
		cmocka_unit_test(test_child_never_started),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_sandbox),
		cmocka_unit_test(test_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
