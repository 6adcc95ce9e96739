// SPDX-License-Identifier: GPL-2.0
/*
 * How files of the user's are written: what was there stays until the new one is whole, and nothing
 * is destroyed that was not named. What needs other users needs root, and is skipped without.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/output_file.h"
#include "common/output_path.h"
#include "common/temporary.h"

#define OTHER_USER 2000

static char dir[64];
static mode_t mask;

static int setup(void **state)
{
	(void)state;
	mask = umask(022);
	strcpy(dir, "/tmp/test_output_file.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	umask(mask);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static const char *path_of(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned int turn;
	char *p = paths[turn++ % 4];

	snprintf(p, sizeof(paths[0]), "%s/%s", dir, name);
	return p;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *path, const char *text)
{
	char got[256];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(got, 1, sizeof(got) - 1, f);
	got[n] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

static struct stat stat_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

static unsigned int mode_of(const char *path)
{
	return stat_of(path).st_mode & 07777;
}

/* Names in the folder of the test. */
static int files(void)
{
	char command[128];
	int n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", dir);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &n), 1);
	pclose(f);
	return n;
}

static struct output_file *begin(const char *path, enum output_privacy privacy)
{
	struct output_file *o = NULL;
	struct error e = { 0 };
	int ret = output_open(&o, path, privacy, &e);

	if (ret)
		print_error("%s\n", e.text);
	assert_int_equal(ret, 0);
	return o;
}

static void say(struct output_file *o, const char *text)
{
	assert_int_equal(write(output_fd(o), text, strlen(text)), strlen(text));
}

static void end(struct output_file *o)
{
	struct error e = { 0 };

	assert_int_equal(output_commit(o, &e), 0);
}

static void write_file(const char *path, const char *text)
{
	struct output_file *o = begin(path, OUTPUT_PRIVATE);

	say(o, text);
	end(o);
}

/* Refused before anything is written, with a text that names the file. */
static void assert_refused(const char *path, int code, const char *why)
{
	struct output_file *o = NULL;
	struct error e = { 0 };

	assert_int_equal(output_open(&o, path, OUTPUT_PRIVATE, &e), code);
	assert_non_null(strstr(e.text, path));
	if (!strstr(e.text, why))
		fail_msg("'%s' does not say '%s'", e.text, why);
}

static void need_root(void)
{
	if (geteuid())
		skip();
}

/* ---- the file ---- */

static void test_new(void **state)
{
	struct output_file *o;

	(void)state;
	umask(0);
	o = begin(path_of("private"), OUTPUT_PRIVATE);
	say(o, "secret");
	assert_int_equal(access(path_of("private"), F_OK), -1);
	end(o);
	assert_text(path_of("private"), "secret");
	assert_int_equal(mode_of(path_of("private")), 0600);

	umask(027);
	end(begin(path_of("ordinary"), OUTPUT_ORDINARY));
	assert_int_equal(mode_of(path_of("ordinary")), 0640);
	assert_int_equal(files(), 2);
}

static void test_old_stays(void **state)
{
	struct output_file *o;

	(void)state;
	put(path_of("x"), "old");
	o = begin(path_of("x"), OUTPUT_PRIVATE);
	say(o, "new");
	assert_text(path_of("x"), "old");
	output_discard(o);
	assert_text(path_of("x"), "old");
	write_file(path_of("x"), "new");
	assert_text(path_of("x"), "new");
	output_discard(NULL);
	assert_int_equal(files(), 1);
}

static void test_stream(void **state)
{
	struct output_file *o = begin(path_of("x"), OUTPUT_ORDINARY);
	FILE *f = output_stream(o);

	(void)state;
	assert_non_null(f);
	assert_ptr_equal(output_stream(o), f);
	fputs("buffered", f);
	end(o);
	assert_text(path_of("x"), "buffered");
}

static void test_mode_stays(void **state)
{
	static const mode_t modes[] = { 0600, 0640, 0644, 0664, 0200 };

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		put(path_of("x"), "old");
		assert_int_equal(chmod(path_of("x"), modes[i]), 0);
		end(begin(path_of("x"), i % 2 ? OUTPUT_PRIVATE : OUTPUT_ORDINARY));
		assert_int_equal(mode_of(path_of("x")), modes[i]);
		unlink(path_of("x"));
	}
}

/* While it is written nobody may read what replaces a private file, whatever the umask. */
static void test_private_meanwhile(void **state)
{
	struct output_file *o;
	struct stat st;

	(void)state;
	umask(0);
	put(path_of("x"), "old");
	assert_int_equal(chmod(path_of("x"), 0600), 0);
	o = begin(path_of("x"), OUTPUT_ORDINARY);
	assert_int_equal(fstat(output_fd(o), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	output_discard(o);
}

/* Whoever else has a name for the old file keeps it. */
static void test_hard_link(void **state)
{
	(void)state;
	put(path_of("x"), "old");
	assert_int_equal(link(path_of("x"), path_of("y")), 0);
	write_file(path_of("x"), "new");
	assert_text(path_of("x"), "new");
	assert_text(path_of("y"), "old");
}

/* The version of the list, then tag, permissions and id of each entry: acl(5),
 * linux/posix_acl_xattr.h. */
static void test_access_list(void **state)
{
	static const uint8_t list[] = {
		2,    0,   0,	0,   0x01, 0,	6,   0,	  255,	255, 255, 255, /* owner: rw */
		0x02, 0,   4,	0,   0xe8, 3,	0,   0,			       /* user 1000: r */
		0x04, 0,   0,	0,   255,  255, 255, 255, 0x10, 0,   4,	  0,
		255,  255, 255, 255,			  /* group, mask */
		0x20, 0,   0,	0,   255,  255, 255, 255, /* others */
	};
	uint8_t got[sizeof(list)];

	(void)state;
	put(path_of("x"), "old");
	if (setxattr(path_of("x"), "system.posix_acl_access", list, sizeof(list), 0))
		skip();
	write_file(path_of("x"), "new");
	assert_int_equal(getxattr(path_of("x"), "system.posix_acl_access", got, sizeof(got)),
			 sizeof(list));
	assert_memory_equal(got, list, sizeof(list));
	assert_int_equal(mode_of(path_of("x")), 0640); /* the mask stands for the group */
}

static void test_long_name(void **state)
{
	char name[NAME_MAX + 1];

	(void)state;
	memset(name, 'x', NAME_MAX);
	name[NAME_MAX] = '\0';
	write_file(path_of(name), "long");
	assert_text(path_of(name), "long");
	assert_int_equal(files(), 1);
}

static void test_two_writers(void **state)
{
	struct output_file *a, *b;

	(void)state;
	put(path_of("x"), "old");
	a = begin(path_of("x"), OUTPUT_PRIVATE);
	b = begin(path_of("x"), OUTPUT_PRIVATE);
	say(a, "aaaaaaaa");
	say(b, "bb");
	say(a, "aaaaaaaa");
	end(b);
	assert_text(path_of("x"), "bb");
	end(a);
	assert_text(path_of("x"), "aaaaaaaaaaaaaaaa");
	assert_int_equal(files(), 1);
}

/* Names that a user may well have, and that the program used to take. */
static void test_no_other_name(void **state)
{
	(void)state;
	put(path_of("x"), "old");
	put(path_of("x.tmp"), "precious");
	put(path_of("victim"), "precious");
	write_file(path_of("x"), "new");
	assert_text(path_of("x.tmp"), "precious");
	assert_int_equal(unlink(path_of("x.tmp")), 0);
	assert_int_equal(symlink("victim", path_of("x.tmp")), 0);
	write_file(path_of("x"), "newer");
	assert_text(path_of("victim"), "precious");
	assert_true(S_ISLNK(stat_of(path_of("x.tmp")).st_mode));
}

/* ---- links ---- */

static void test_link(void **state)
{
	(void)state;
	assert_int_equal(mkdir(path_of("far"), 0755), 0);
	put(path_of("far/file"), "old");
	assert_int_equal(symlink("far/file", path_of("one")), 0);
	assert_int_equal(symlink(path_of("one"), path_of("far/two")), 0);
	write_file(path_of("far/two"), "new");
	assert_text(path_of("far/file"), "new");
	assert_true(S_ISLNK(stat_of(path_of("one")).st_mode));
	assert_true(S_ISLNK(stat_of(path_of("far/two")).st_mode));
	assert_true(S_ISREG(stat_of(path_of("far/file")).st_mode));
}

static void test_link_to_nothing(void **state)
{
	(void)state;
	assert_int_equal(mkdir(path_of("far"), 0755), 0);
	assert_int_equal(symlink("far/file", path_of("x")), 0);
	write_file(path_of("x"), "new");
	assert_text(path_of("far/file"), "new");
	assert_true(S_ISLNK(stat_of(path_of("x")).st_mode));
	assert_int_equal(mode_of(path_of("far/file")), 0600);
	/* And where not even the folder is there, nothing is made. */
	assert_int_equal(symlink("further/file", path_of("y")), 0);
	assert_refused(path_of("y"), -EIO, "No such file");
}

static void test_link_loop(void **state)
{
	(void)state;
	assert_int_equal(symlink("y", path_of("x")), 0);
	assert_int_equal(symlink("x", path_of("y")), 0);
	assert_refused(path_of("x"), -EIO, "symbolic links");
}

/* As the kernel's protected_symlinks and protected_regular have it, whether they are switched on or
 * not. */
static void test_traps(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(chown(dir, 1, 1), 0);
	assert_int_equal(chmod(dir, 01777), 0);
	put(path_of("mine"), "precious");
	assert_int_equal(symlink("mine", path_of("link")), 0);
	assert_int_equal(lchown(path_of("link"), OTHER_USER, OTHER_USER), 0);
	assert_refused(path_of("link"), -EPERM, "another user (uid 2000)");
	assert_int_equal(symlink("/etc/made-by-a-trap", path_of("nothing")), 0);
	assert_int_equal(lchown(path_of("nothing"), OTHER_USER, OTHER_USER), 0);
	assert_refused(path_of("nothing"), -EPERM, "another user (uid 2000)");
	put(path_of("theirs"), "theirs");
	assert_int_equal(chown(path_of("theirs"), OTHER_USER, OTHER_USER), 0);
	assert_refused(path_of("theirs"), -EPERM, "another user (uid 2000)");
	assert_int_equal(mkfifo(path_of("pipe"), 0666), 0);
	assert_int_equal(chown(path_of("pipe"), OTHER_USER, OTHER_USER), 0);
	assert_refused(path_of("pipe"), -EPERM, "another user (uid 2000)");
	assert_text(path_of("mine"), "precious");
	/* Our own things there are none. */
	assert_int_equal(lchown(path_of("link"), 0, 0), 0);
	write_file(path_of("link"), "new");
	assert_text(path_of("mine"), "new");
}

/* ---- owners ---- */

static void test_owner_stays(void **state)
{
	(void)state;
	need_root();
	put(path_of("x"), "old");
	assert_int_equal(chown(path_of("x"), OTHER_USER, OTHER_USER + 1), 0);
	assert_int_equal(chmod(path_of("x"), 0640), 0);
	write_file(path_of("x"), "new");
	assert_text(path_of("x"), "new");
	assert_int_equal(stat_of(path_of("x")).st_uid, OTHER_USER);
	assert_int_equal(stat_of(path_of("x")).st_gid, OTHER_USER + 1);
	assert_int_equal(mode_of(path_of("x")), 0640);
}

/* The exit status of @test as another user; what it finds wrong ends it with 1. */
static int as_other_user(int (*test)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(OTHER_USER) || setuid(OTHER_USER))
			_exit(2);
		_exit(test());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int refused_here(const char *name, int code)
{
	struct output_file *o;
	struct error e;

	return output_open(&o, path_of(name), OUTPUT_PRIVATE, &e) != code;
}

static int others_are_refused(void)
{
	return refused_here("theirs", -EPERM) || refused_here("locked", -EIO);
}

/* Both could be replaced: the folder is ours. But one is not ours, and the other is locked. */
static void test_of_other_users(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(chown(dir, OTHER_USER, OTHER_USER), 0);
	put(path_of("theirs"), "theirs");
	assert_int_equal(chmod(path_of("theirs"), 0666), 0);
	put(path_of("locked"), "locked");
	assert_int_equal(chmod(path_of("locked"), 0444), 0);
	assert_int_equal(chown(path_of("locked"), OTHER_USER, OTHER_USER), 0);
	assert_int_equal(as_other_user(others_are_refused), 0);
	assert_text(path_of("theirs"), "theirs");
	assert_text(path_of("locked"), "locked");
	assert_int_equal(files(), 2);
}

static int replace_of_foreign_group(void)
{
	struct output_file *o;
	struct error e;

	return output_open(&o, path_of("x"), OUTPUT_PRIVATE, &e) || output_commit(o, &e);
}

/* What its group could read is not for our group, when we can't give it back. */
static void test_group_can_not_stay(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(chown(dir, OTHER_USER, OTHER_USER), 0);
	put(path_of("x"), "old");
	assert_int_equal(chown(path_of("x"), OTHER_USER, 1), 0);
	assert_int_equal(chmod(path_of("x"), 0660), 0);
	assert_int_equal(as_other_user(replace_of_foreign_group), 0);
	assert_int_equal(stat_of(path_of("x")).st_gid, OTHER_USER);
	assert_int_equal(mode_of(path_of("x")), 0600);
}

/* ---- what is not a regular file ---- */

static void test_pipe(void **state)
{
	char got[16] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path_of("x"), 0600), 0);
	fd = open(path_of("x"), O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	write_file(path_of("x"), "through");
	assert_int_equal(read(fd, got, sizeof(got)), 7);
	assert_string_equal(got, "through");
	close(fd);
	assert_true(S_ISFIFO(stat_of(path_of("x")).st_mode));
	output_discard(begin("/dev/null", OUTPUT_PRIVATE));
	assert_true(S_ISCHR(stat_of("/dev/null").st_mode));
}

static void test_device_node(void **state)
{
	(void)state;
	need_root();
	/* 1:3 is what /dev/null is. */
	if (mknod(path_of("null"), S_IFCHR | 0666, (dev_t)(1 << 8 | 3)))
		skip();
	assert_int_equal(symlink("null", path_of("x")), 0);
	write_file(path_of("x"), "into nothing");
	output_discard(begin(path_of("null"), OUTPUT_PRIVATE));
	assert_true(S_ISCHR(stat_of(path_of("null")).st_mode));
}

/* What is open is written at the place where it stands, whatever it is called. */
static void test_open_file(void **state)
{
	static const char *const names[] = { "/proc/self/fd/%d", "/dev/fd/%d" };
	ino_t inode;
	int fd;

	(void)state;
	put(path_of("x"), "begun ");
	inode = stat_of(path_of("x")).st_ino;
	fd = open(path_of("x"), O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	for (int i = 0; i < 2; i++) {
		char path[64];
		struct output_file *o;

		snprintf(path, sizeof(path), names[i], fd);
		o = begin(path, OUTPUT_PRIVATE);
		assert_false(output_replaces(o));
		say(o, "more ");
		end(o);
		output_discard(begin(path, OUTPUT_PRIVATE));
	}
	close(fd);
	assert_text(path_of("x"), "begun more more ");
	assert_int_equal(stat_of(path_of("x")).st_ino, inode);
	assert_int_equal(files(), 1);
}

static void test_not_writable(void **state)
{
	char path[64];
	int fd = open("/dev/null", O_RDONLY);
	pid_t parent = getppid();

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_refused(path, -EIO, "Bad file descriptor");
	close(fd);
	assert_refused("/proc/self/exe", -EPERM, "another process");
	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)parent);
	assert_refused(path, -EPERM, "another process");
	assert_refused(dir, -EPERM, "is a folder");
	assert_refused(path_of("x/"), -EPERM, "is a folder");
	assert_refused(path_of("x/."), -EPERM, "is a folder");
	assert_refused(path_of("no/x"), -EIO, "No such file");
	assert_refused("", -EIO, "No such file");
}

/* Between the beginning and the end. */
static void test_changes_meanwhile(void **state)
{
	struct output_file *o;
	struct error e = { 0 };

	(void)state;
	put(path_of("x"), "old");
	o = begin(path_of("x"), OUTPUT_PRIVATE);
	assert_int_equal(unlink(path_of("x")), 0);
	assert_int_equal(mkfifo(path_of("x"), 0600), 0);
	assert_int_equal(output_commit(o, &e), -EPERM);
	assert_true(S_ISFIFO(stat_of(path_of("x")).st_mode));
	o = begin(path_of("y"), OUTPUT_PRIVATE);
	assert_int_equal(symlink("victim", path_of("y")), 0);
	assert_int_equal(output_commit(o, &e), -EPERM);
	o = begin(path_of("z"), OUTPUT_PRIVATE);
	assert_int_equal(mkdir(path_of("z"), 0700), 0);
	assert_int_equal(output_commit(o, &e), -EPERM);
	assert_int_equal(files(), 3);
}

/* A folder that gets another name meanwhile takes the file along. */
static void test_folder_moves(void **state)
{
	struct output_file *o;

	(void)state;
	assert_int_equal(mkdir(path_of("a"), 0700), 0);
	o = begin(path_of("a/x"), OUTPUT_PRIVATE);
	say(o, "new");
	assert_int_equal(rename(path_of("a"), path_of("b")), 0);
	end(o);
	assert_text(path_of("b/x"), "new");
}

static void test_same_file(void **state)
{
	int saved = dup(STDOUT_FILENO), fd;
	bool standard, other;

	(void)state;
	put(path_of("x"), "x");
	put(path_of("y"), "x");
	assert_int_equal(link(path_of("x"), path_of("hard")), 0);
	assert_int_equal(symlink("x", path_of("soft")), 0);
	assert_true(same_file(path_of("x"), path_of("x")));
	assert_true(same_file(path_of("hard"), path_of("x")));
	assert_true(same_file(path_of("soft"), path_of("hard")));
	assert_true(same_file(path_of("./x"), path_of("x")));
	assert_false(same_file(path_of("y"), path_of("x")));
	assert_false(same_file(path_of("none"), path_of("x")));
	assert_false(same_file(path_of("none"), path_of("none")));
	assert_false(same_file("/dev/null", "/dev/null"));
	fd = open(path_of("x"), O_WRONLY | O_APPEND);
	dup2(fd, STDOUT_FILENO);
	standard = same_file("-", path_of("soft")) && same_file("/dev/stdout", path_of("x"));
	other = same_file("-", path_of("y"));
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	assert_true(standard);
	assert_false(other);
}

/* ---- signals ---- */

/* How a child ends that is sent @sig while it writes "x". */
static int interrupted(int sig, bool ignored)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct output_file *o;
		struct error e;

		signal(sig, ignored ? SIG_IGN : SIG_DFL);
		temporaries_catch_signals();
		if (output_open(&o, path_of("x"), OUTPUT_PRIVATE, &e) ||
		    write(output_fd(o), "half", 4) != 4)
			_exit(2);
		raise(sig);
		_exit(ignored && output_commit(o, &e) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_signals(void **state)
{
	static const int deadly[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE };

	(void)state;
	put(path_of("x"), "old");
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		int status = interrupted(deadly[i], false);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), deadly[i]);
		assert_text(path_of("x"), "old");
		assert_int_equal(files(), 1);
	}
	/* nohup */
	assert_int_equal(interrupted(SIGHUP, true), 0);
	assert_text(path_of("x"), "half");
	assert_int_equal(files(), 1);
}

static void test_sigkill(void **state)
{
	(void)state;
	put(path_of("x"), "old");
	assert_int_equal(WTERMSIG(interrupted(SIGKILL, false)), SIGKILL);
	assert_text(path_of("x"), "old");
	assert_int_equal(files(), 2);
	write_file(path_of("x"), "new");
	assert_text(path_of("x"), "new");
}

/* Who was started meanwhile has no business with the temporaries of who started it. */
static void test_signal_to_a_child(void **state)
{
	struct output_file *o = begin(path_of("x"), OUTPUT_PRIVATE);
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		temporaries_catch_signals();
		raise(SIGTERM);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(files(), 1);
	say(o, "whole");
	end(o);
	assert_text(path_of("x"), "whole");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new),
		TEST(test_old_stays),
		TEST(test_stream),
		TEST(test_mode_stays),
		TEST(test_private_meanwhile),
		TEST(test_hard_link),
		TEST(test_access_list),
		TEST(test_long_name),
		TEST(test_two_writers),
		TEST(test_no_other_name),
		TEST(test_link),
		TEST(test_link_to_nothing),
		TEST(test_link_loop),
		TEST(test_traps),
		TEST(test_owner_stays),
		TEST(test_of_other_users),
		TEST(test_group_can_not_stay),
		TEST(test_pipe),
		TEST(test_device_node),
		TEST(test_open_file),
		TEST(test_not_writable),
		TEST(test_changes_meanwhile),
		TEST(test_folder_moves),
		TEST(test_same_file),
		TEST(test_signals),
		TEST(test_sigkill),
		TEST(test_signal_to_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
