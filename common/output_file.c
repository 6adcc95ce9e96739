// SPDX-License-Identifier: GPL-2.0
#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/output_path.h"
#include "common/temporary.h"

#define ACCESS_LIST "system.posix_acl_access"

struct output_file {
	struct output_path path;
	char *name;
	int fd;
	FILE *stream; /* on a copy of fd */
	bool replaces;
	int slot; /* of the temporary, while @replaces */
};

static void free_output(struct output_file *o)
{
	if (o->stream)
		fclose(o->stream);
	if (o->fd >= 0)
		close(o->fd);
	output_path_close(&o->path);
	free(o->name);
	free(o);
}

static struct output_file *new_output(const char *name)
{
	struct output_file *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->fd = -1;
	o->path.dir = -1;
	o->name = strdup(name);
	if (o->name)
		return o;
	free(o);
	return NULL;
}

/* A descriptor that is open already, at the place where it stands: it may be shared with others. */
static int open_copy(struct output_file *o, int fd, struct error *e)
{
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return o->fd < 0 ? error_output(e, "cannot write %s", o->name) : 0;
}

static int open_special(struct output_file *o, struct error *e)
{
	int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
	struct stat st;

	/* A disk that is mounted, or used for swap, is not a place to write to. */
	if (S_ISBLK(o->path.st.st_mode))
		flags |= O_EXCL;
	o->fd = openat(o->path.dir, o->path.base, flags);
	if (o->fd < 0 && errno == EBUSY)
		return error_set(e, -EPERM, "cannot write %s: the device is in use", o->name);
	if (o->fd < 0)
		return error_output(e, "cannot write %s", o->name);
	if (fstat(o->fd, &st) || S_ISREG(st.st_mode))
		return error_set(e, -EPERM, "cannot write %s: it has become another file meanwhile",
				 o->name);
	return 0;
}

static int open_temporary(struct output_file *o, enum output_privacy privacy, struct error *e)
{
	/* Nobody may read what replaces a file that nobody may read. */
	bool ordinary = privacy == OUTPUT_ORDINARY && !o->path.exists;

	o->fd = temporary_file(o->path.dir, o->path.base, ordinary ? 0666 : 0600, &o->slot);
	o->replaces = o->fd >= 0;
	errno = -o->fd;
	return o->replaces ? 0 : error_output(e, "cannot create %s", o->name);
}

static int open_path(struct output_file *o, const char *path, enum output_privacy privacy,
		     struct error *e)
{
	int ret = output_path_resolve(&o->path, path, e);

	if (!ret)
		ret = output_path_check(&o->path, path, e);
	if (ret)
		return ret;
	if (o->path.open_fd >= 0)
		return open_copy(o, o->path.open_fd, e);
	if (o->path.exists && !S_ISREG(o->path.st.st_mode))
		return open_special(o, e);
	return open_temporary(o, privacy, e);
}

int output_open(struct output_file **out, const char *path, enum output_privacy privacy,
		struct error *e)
{
	bool standard = !strcmp(path, "-");
	struct output_file *o = new_output(standard ? "standard output" : path);
	int ret;

	if (!o)
		return error_errno(e, -ENOMEM, "cannot write %s", path);
	ret = standard ? open_copy(o, STDOUT_FILENO, e) : open_path(o, path, privacy, e);
	if (ret) {
		free_output(o);
		return ret;
	}
	*out = o;
	return 0;
}

int output_fd(const struct output_file *o)
{
	return o->fd;
}

FILE *output_stream(struct output_file *o)
{
	int copy = o->stream ? -1 : fcntl(o->fd, F_DUPFD_CLOEXEC, 3);

	if (copy >= 0) {
		o->stream = fdopen(copy, "w");
		if (!o->stream)
			close(copy);
	}
	return o->stream;
}

const char *output_name(const struct output_file *o)
{
	return o->name;
}

bool output_replaces(const struct output_file *o)
{
	return o->replaces;
}

/* The access list, or none: a folder may give its files one that the old file did not have. */
static int copy_access_list(int fd, int dir, const char *name)
{
	char list[4096];
	int old = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = old < 0 ? -1 : fgetxattr(old, ACCESS_LIST, list, sizeof(list));
	int err = errno;

	if (old >= 0)
		close(old);
	if (n >= 0)
		return fsetxattr(fd, ACCESS_LIST, list, (size_t)n, 0) ? -errno : 0;
	if (err == ENOTSUP)
		return 0;
	if (fremovexattr(fd, ACCESS_LIST) && errno != ENODATA && errno != ENOTSUP)
		return -errno;
	return err == ENODATA ? 0 : -err;
}

int output_like(int fd, int dir, const char *name, const struct stat *st)
{
	mode_t mode = st->st_mode & 0777;
	struct stat own;

	if (fstat(fd, &own))
		return -errno;
	if (st->st_uid != own.st_uid && fchown(fd, st->st_uid, (gid_t)-1))
		return -errno;
	/* What the group could do is not for another group, nor for those a lost list left out. */
	if (st->st_gid != own.st_gid && fchown(fd, (uid_t)-1, st->st_gid))
		mode &= ~(mode_t)070;
	if (copy_access_list(fd, dir, name))
		mode &= ~(mode_t)070;
	/* Where modes are made up by the file system there is nothing to set, and it may refuse. */
	if (fstat(fd, &own))
		return -errno;
	return (own.st_mode & 0777) != mode && fchmod(fd, mode) ? -errno : 0;
}

static int sync_file(int fd)
{
	while (fsync(fd))
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* NFS and quotas report a full disk only when the file is closed. */
static int close_file(struct output_file *o)
{
	int ret = close(o->fd) && errno != EINTR ? -errno : 0;

	o->fd = -1;
	return ret;
}

static int finish_stream(struct output_file *o)
{
	FILE *f = o->stream;
	int failed;

	if (!f)
		return 0;
	o->stream = NULL;
	errno = 0;
	failed = fflush(f) | ferror(f);
	if (fclose(f) || failed)
		return errno ? -errno : -EIO;
	return 0;
}

/* The temporary takes the place of what stands there now. */
static int put_into_place(struct output_file *o, struct error *e)
{
	int ret = output_path_check(&o->path, o->name, e);

	if (ret)
		return ret;
	if (o->path.exists && !S_ISREG(o->path.st.st_mode))
		return error_set(e, -EPERM, "cannot write %s: it has become another file meanwhile",
				 o->name);
	if (o->path.exists)
		ret = output_like(o->fd, o->path.dir, o->path.base, &o->path.st);
	if (!ret)
		ret = sync_file(o->fd);
	if (!ret)
		ret = close_file(o);
	if (ret)
		return error_errno(e, ret, "cannot write %s", o->name);
	if (renameat(o->path.dir, temporary_name(o->slot), o->path.dir, o->path.base))
		return error_output(e, "cannot replace %s", o->name);
	temporary_done(o->slot);
	o->replaces = false;
	ret = output_path_sync(&o->path);
	return ret ? error_errno(e, ret, "%s is written, but its folder may not be on the disk",
				 o->name)
		   : 0;
}

int output_commit(struct output_file *o, struct error *e)
{
	int ret = finish_stream(o);

	if (!ret && !o->replaces)
		ret = close_file(o);
	if (ret)
		error_errno(e, ret, "cannot write %s", o->name);
	else if (o->replaces)
		ret = put_into_place(o, e);
	output_discard(o);
	return ret;
}

void output_discard(struct output_file *o)
{
	if (!o)
		return;
	if (o->replaces)
		temporary_remove(o->slot);
	free_output(o);
}
