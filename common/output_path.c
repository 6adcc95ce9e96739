// SPDX-License-Identifier: GPL-2.0
#include "common/output_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the kernel has it */

/* Open the folder of @step, seen from the folder where we are, and keep the last part of it. */
static int enter_folder(struct output_path *p, const char *step, const char *path, struct error *e)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(step, '/'), *base = slash ? slash + 1 : step;
	size_t len = slash ? (size_t)(slash - step) + (slash == step) : 1;
	int dir;

	if (!*step) {
		errno = ENOENT;
		return error_output(e, "cannot write '%s'", path);
	}
	if (!*base || !strcmp(base, ".") || !strcmp(base, ".."))
		return error_set(e, -EPERM, "cannot write %s: it is a folder; name a file in it",
				 path);
	if (len >= sizeof(folder) || strlen(base) >= sizeof(p->base)) {
		errno = ENAMETOOLONG;
		return error_output(e, "cannot write %s", path);
	}
	snprintf(folder, sizeof(folder), "%.*s", (int)len, slash ? step : ".");
	dir = openat(p->dir < 0 ? AT_FDCWD : p->dir, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return error_output(e, "cannot create %s", path);
	output_path_close(p);
	p->dir = dir;
	strcpy(p->base, base);
	return 0;
}

static bool is_folder(int dir, const char *path)
{
	struct stat a, b;

	return !fstat(dir, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Links in /proc are none: they lead to what is open, whatever name it has or had. */
static int find_open_file(struct output_path *p, const char *path, struct error *e)
{
	char *end;
	long fd = strtol(p->base, &end, 10);
	int flags;

	if (*end || fd < 0 || fd > INT_MAX || !is_folder(p->dir, "/proc/self/fd"))
		return error_set(e, -EPERM,
				 "cannot write %s: it is what another process has open; name the "
				 "file itself",
				 path);
	flags = fcntl((int)fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
		errno = EBADF;
		return error_output(e, "cannot write %s", path);
	}
	p->open_fd = (int)fd;
	return 0;
}

/* A folder such as /tmp: everybody can write to it, and only the owner of a name may remove it. */
static bool is_trap(const struct output_path *p, uid_t owner)
{
	struct stat dir;

	if (fstat(p->dir, &dir))
		return true;
	return (dir.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && owner != geteuid() &&
	       owner != dir.st_uid;
}

/* What the name leads to: 1 with @target when it is a link, 0 when it is none, -errno. */
static int read_link(struct output_path *p, char *target, size_t size, const char *path,
		     struct error *e)
{
	struct statfs fs;
	ssize_t n;

	p->exists = !fstatat(p->dir, p->base, &p->st, AT_SYMLINK_NOFOLLOW);
	if (!p->exists && errno != ENOENT)
		return error_output(e, "cannot create %s", path);
	if (!p->exists || !S_ISLNK(p->st.st_mode))
		return 0;
	if (!fstatfs(p->dir, &fs) && fs.f_type == PROC_SUPER_MAGIC)
		return find_open_file(p, path, e);
	if (is_trap(p, p->st.st_uid))
		return error_set(e, -EPERM,
				 "cannot write %s: it is a link that another user (uid %u) has put "
				 "into a folder that everybody can write to",
				 path, (unsigned int)p->st.st_uid);
	n = readlinkat(p->dir, p->base, target, size);
	if (n < 0 || (size_t)n == size) {
		errno = n < 0 ? errno : ENAMETOOLONG;
		return error_output(e, "cannot write %s", path);
	}
	target[n] = '\0';
	return 1;
}

int output_path_resolve(struct output_path *p, const char *path, struct error *e)
{
	char target[PATH_MAX];
	int ret;

	memset(p, 0, sizeof(*p));
	p->dir = -1;
	p->open_fd = -1;
	ret = enter_folder(p, path, path, e);
	for (int links = 0; !ret; links++) {
		ret = read_link(p, target, sizeof(target), path, e);
		if (!ret)
			return 0;
		if (ret > 0 && links == LINKS_MAX) {
			errno = ELOOP;
			ret = error_output(e, "cannot write %s", path);
		} else if (ret > 0) {
			ret = enter_folder(p, target, path, e);
		}
	}
	output_path_close(p);
	return ret;
}

void output_path_close(struct output_path *p)
{
	if (p->dir >= 0)
		close(p->dir);
	p->dir = -1;
}

/* Whether this may be written to by us as it is; replacing must not do what this would refuse. */
static int check_existing(const struct output_path *p, const char *path, struct error *e)
{
	bool file = S_ISREG(p->st.st_mode), theirs = p->st.st_uid != geteuid();

	if (S_ISDIR(p->st.st_mode))
		return error_set(e, -EPERM, "cannot write %s: it is a folder; name a file in it",
				 path);
	if (S_ISLNK(p->st.st_mode))
		return error_set(e, -EPERM, "cannot write %s: it has become a link meanwhile",
				 path);
	if ((file || S_ISFIFO(p->st.st_mode)) && is_trap(p, p->st.st_uid))
		return error_set(e, -EPERM,
				 "cannot write %s: another user (uid %u) has put it into a folder "
				 "that everybody can write to",
				 path, (unsigned int)p->st.st_uid);
	if (file && theirs && geteuid())
		return error_set(e, -EPERM,
				 "cannot replace %s: it belongs to another user (uid %u); name "
				 "another file",
				 path, (unsigned int)p->st.st_uid);
	if (faccessat(p->dir, p->base, W_OK, AT_EACCESS))
		return error_output(e, "cannot write %s", path);
	return 0;
}

int output_path_check(struct output_path *p, const char *path, struct error *e)
{
	if (p->open_fd >= 0)
		return 0;
	p->exists = !fstatat(p->dir, p->base, &p->st, AT_SYMLINK_NOFOLLOW);
	if (!p->exists)
		return errno == ENOENT ? 0 : error_output(e, "cannot create %s", path);
	return check_existing(p, path, e);
}

int output_path_sync(const struct output_path *p)
{
	/* What may be written to need not be readable; then the names are left to the kernel. */
	int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return errno == EACCES ? 0 : -errno;
	while (fsync(fd)) {
		if (errno == EINTR)
			continue;
		ret = errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : -errno;
		break;
	}
	close(fd);
	return ret;
}

int output_path_move(const struct output_path *p, const char *name)
{
	if (!renameat2(p->dir, p->base, p->dir, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* File systems without that flag: a second name is never made over another one. */
	if (linkat(p->dir, p->base, p->dir, name, 0))
		return -errno;
	return unlinkat(p->dir, p->base, 0) ? -errno : 0;
}

static bool stat_of(const char *path, int standard, struct stat *st)
{
	return !(strcmp(path, "-") ? stat(path, st) : fstat(standard, st));
}

bool same_file(const char *output, const char *input)
{
	struct stat o, i;

	if (!stat_of(output, STDOUT_FILENO, &o) || !stat_of(input, STDIN_FILENO, &i))
		return false;
	if (S_ISBLK(o.st_mode) && S_ISBLK(i.st_mode))
		return o.st_rdev == i.st_rdev;
	return (S_ISREG(o.st_mode) || S_ISFIFO(o.st_mode)) && o.st_dev == i.st_dev &&
	       o.st_ino == i.st_ino;
}
