// SPDX-License-Identifier: GPL-2.0
/*
 * Who owns the file that record writes (case 62). Changing owners needs root: without it these
 * tests are skipped, the others run.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/record_output.h"

static char dir[64];

static int setup(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	strcpy(dir, "/tmp/test_output.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	return chmod(dir, 0777);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static bool is_text(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	if (!fgets(got, sizeof(got), f))
		got[0] = '\0';
	fclose(f);
	return !strcmp(got, text);
}

/* As record does it: make the file, and perhaps give it away. */
static int create(const char *path, struct error *e)
{
	struct record_moved moved;
	int fd = record_output_create(path, &moved, e);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static enum record_owner give(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum record_owner ret;

	assert_true(fd >= 0);
	ret = record_output_owner(fd, path, e);
	close(fd);
	return ret;
}

static void test_new_file_is_private(void **state)
{
	mode_t mask = umask(0);
	struct error e = { 0 };
	struct stat st;

	(void)state;
	assert_int_equal(create(path_of("x"), &e), 0);
	umask(mask);
	assert_int_equal(stat(path_of("x"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 0);
}

/* FILE.old is the recording before, as with perf record; those before it are kept as well. */
static void test_old_files_are_kept(void **state)
{
	static const char *const contents[] = { "first", "second", "third", "fourth" };
	struct record_moved moved;
	struct error e = { 0 };
	int fd;

	(void)state;
	for (int i = 0; i < 4; i++) {
		fd = record_output_create(path_of("x"), &moved, &e);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, contents[i], strlen(contents[i])), strlen(contents[i]));
		close(fd);
	}
	assert_string_equal(moved.text[0], "the earlier x.old is now x.old.2");
	assert_string_equal(moved.text[1], "the earlier x is now x.old");
	assert_true(is_text(path_of("x"), "fourth"));
	assert_true(is_text(path_of("x.old"), "third"));
	assert_true(is_text(path_of("x.old.2"), "second"));
	assert_true(is_text(path_of("x.old.1"), "first"));
}

/* A folder, or a link, of that name is nobody's recording: it stays where it is. */
static void test_old_is_no_file(void **state)
{
	struct record_moved moved;
	struct error e = { 0 };
	char inside[160];
	int fd;

	(void)state;
	assert_int_equal(mkdir(path_of("x.old"), 0700), 0);
	snprintf(inside, sizeof(inside), "%s/file", path_of("x.old"));
	put(inside, "precious");
	put(path_of("x"), "first");
	fd = record_output_create(path_of("x"), &moved, &e);
	assert_true(fd >= 0);
	close(fd);
	assert_string_equal(moved.text[0], "the earlier x is now x.old.1");
	assert_string_equal(moved.text[1], "");
	assert_true(is_text(inside, "precious"));
	assert_true(is_text(path_of("x.old.1"), "first"));
}

static void test_no_regular_file(void **state)
{
	struct error e = { 0 };

	(void)state;
	setenv("SUDO_UID", "1000", 1);
	assert_int_equal(create("/dev/null", &e), 0);
	assert_int_equal(give("/dev/null", &e), OWNER_KEPT);
	assert_int_equal(create("-", &e), 0);
	assert_int_equal(record_output_owner(STDOUT_FILENO, "-", &e), OWNER_KEPT);
	assert_int_equal(create(dir, &e), -EPERM);
}

static void need_root(void)
{
	if (geteuid())
		skip();
}

static void test_given_to_the_caller(void **state)
{
	struct error e = { 0 };
	struct stat st;

	(void)state;
	need_root();
	put(path_of("x"), "trace");
	setenv("SUDO_UID", "1000", 1);
	setenv("SUDO_GID", "1001", 1);
	assert_int_equal(give(path_of("x"), &e), OWNER_CHANGED);
	assert_int_equal(stat(path_of("x"), &st), 0);
	assert_int_equal(st.st_uid, 1000);
	assert_int_equal(st.st_gid, 1001);
	assert_non_null(strstr(e.text, "uid 1000"));
}

static void test_sudo_uid_is_no_number(void **state)
{
	struct error e = { 0 };
	struct stat st;

	(void)state;
	put(path_of("x"), "trace");
	setenv("SUDO_UID", "abc", 1);
	assert_int_equal(give(path_of("x"), &e), OWNER_FAILED);
	assert_non_null(strstr(e.text, "SUDO_UID=abc"));
	assert_int_equal(stat(path_of("x"), &st), 0);
	assert_int_equal(st.st_uid, geteuid());
}

static void test_no_sudo(void **state)
{
	struct error e = { 0 };

	(void)state;
	put(path_of("x"), "trace");
	assert_int_equal(give(path_of("x"), &e), OWNER_KEPT);
}

static void test_link_to_other_owner(void **state)
{
	struct error e = { 0 };

	(void)state;
	need_root();
	put(path_of("theirs"), "precious");
	assert_int_equal(chown(path_of("theirs"), 2000, 2000), 0);
	assert_int_equal(symlink("theirs", path_of("x")), 0);
	setenv("SUDO_UID", "1000", 1);
	assert_int_equal(create(path_of("x"), &e), -EPERM);
	assert_non_null(strstr(e.text, "another owner"));
	assert_true(is_text(path_of("theirs"), "precious"));
	/* A link that leads nowhere could make a file anywhere. */
	assert_int_equal(symlink("nowhere", path_of("y")), 0);
	assert_int_equal(create(path_of("y"), &e), -EPERM);
}

/* The link stays, and so does what it led to, under another name. */
static void test_link_of_the_caller(void **state)
{
	struct error e = { 0 };
	struct stat st;

	(void)state;
	need_root();
	put(path_of("mine"), "old");
	assert_int_equal(chown(path_of("mine"), 1000, 1000), 0);
	assert_int_equal(symlink("mine", path_of("x")), 0);
	setenv("SUDO_UID", "1000", 1);
	assert_int_equal(create(path_of("x"), &e), 0);
	assert_int_equal(lstat(path_of("x"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_true(is_text(path_of("mine.old"), "old"));
	assert_int_equal(give(path_of("x"), &e), OWNER_CHANGED);
	assert_int_equal(stat(path_of("mine"), &st), 0);
	assert_int_equal(st.st_uid, 1000);
}

/* sudo to a user who is not root: chown fails, the trace is good all the same. */
static void test_sudo_to_another_user(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	need_root();
	pid = fork();
	if (!pid) {
		struct error e = { 0 };

		if (setgid(33) || setuid(33))
			_exit(1);
		put(path_of("x"), "trace");
		setenv("SUDO_UID", "1000", 1);
		if (give(path_of("x"), &e) != OWNER_FAILED)
			_exit(2);
		_exit(strstr(e.text, "cannot give it to uid 1000") ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A file that belongs to somebody else is not given away. */
static void test_not_ours(void **state)
{
	struct error e = { 0 };
	struct stat st;

	(void)state;
	need_root();
	put(path_of("x"), "trace");
	assert_int_equal(chown(path_of("x"), 2000, 2000), 0);
	setenv("SUDO_UID", "1000", 1);
	assert_int_equal(give(path_of("x"), &e), OWNER_FAILED);
	assert_int_equal(stat(path_of("x"), &st), 0);
	assert_int_equal(st.st_uid, 2000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new_file_is_private),
		TEST(test_old_files_are_kept),
		TEST(test_old_is_no_file),
		TEST(test_no_regular_file),
		TEST(test_given_to_the_caller),
		TEST(test_sudo_uid_is_no_number),
		TEST(test_no_sudo),
		TEST(test_link_to_other_owner),
		TEST(test_link_of_the_caller),
		TEST(test_sudo_to_another_user),
		TEST(test_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
