// SPDX-License-Identifier: GPL-2.0
#include "cli/record_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/caller.h"
#include "common/output_path.h"

/* The user for whom the file is made. */
static uid_t user(void)
{
	struct caller c = caller_read();

	return c.kind == CALLER_OTHER ? c.uid : geteuid();
}

/* The link's target is whose file is written: the user's own, or nobody's. */
static int check_link(const char *path, const struct output_path *p, struct error *e)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return 0;
	if (p->open_fd >= 0)
		return 0;
	if (!p->exists)
		return error_set(e, -EPERM,
				 "%s: is a symbolic link that leads nowhere; name the file itself",
				 path);
	if (S_ISREG(p->st.st_mode) && p->st.st_uid != user())
		return error_set(
			e, -EPERM,
			"%s: is a symbolic link to a file of another owner (uid %u), which is not overwritten; name the file itself",
			path, (unsigned int)p->st.st_uid);
	return 0;
}

/* Rename to the first of NAME.1, NAME.2 ... that is free, and say so. */
static int move_to_free(const struct output_path *p, const char *name, char *text, size_t size,
			struct error *e)
{
	char free_name[NAME_MAX + 1];
	int ret = -EEXIST;

	for (unsigned int n = 1; ret == -EEXIST && n; n++) {
		if ((size_t)snprintf(free_name, sizeof(free_name), "%s.%u", name, n) >=
		    sizeof(free_name))
			ret = -ENAMETOOLONG;
		else
			ret = output_path_move(p, free_name);
	}
	if (ret)
		return error_errno(e, ret, "%s: cannot be renamed to %s.1", p->base, name);
	snprintf(text, size, "the earlier %s is now %s", p->base, free_name);
	return 0;
}

/* The recording before becomes FILE.old; what was that becomes FILE.old.1. Nothing is replaced. */
static int move_away(const struct output_path *p, struct record_moved *moved, struct error *e)
{
	struct output_path before = *p;
	bool free_name, file;
	int ret;

	if ((size_t)snprintf(before.base, sizeof(before.base), "%.*s.old", NAME_MAX, p->base) >=
	    sizeof(before.base))
		return error_set(e, -ENAMETOOLONG, "%s: the name is too long", p->base);
	free_name = fstatat(p->dir, before.base, &before.st, AT_SYMLINK_NOFOLLOW) != 0;
	file = !free_name && S_ISREG(before.st.st_mode);
	/* A folder or a link of that name is no recording, and stays. */
	if (!free_name && !file)
		return move_to_free(p, before.base, moved->text[0], sizeof(moved->text[0]), e);
	if (file) {
		ret = move_to_free(&before, before.base, moved->text[0], sizeof(moved->text[0]), e);
		if (ret)
			return ret;
	}
	ret = output_path_move(p, before.base);
	if (ret)
		return error_errno(e, ret, "%s: cannot be renamed to %s", p->base, before.base);
	snprintf(moved->text[file], sizeof(moved->text[0]), "the earlier %s is now %s", p->base,
		 before.base);
	return 0;
}

static int create(struct output_path *p, const char *path, struct record_moved *moved,
		  struct error *e)
{
	int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, fd, ret = 0;

	if (p->open_fd >= 0)
		fd = fcntl(p->open_fd, F_DUPFD_CLOEXEC, 3);
	else if (p->exists && !S_ISREG(p->st.st_mode)) {
		ret = output_path_check(p, path, e);
		if (ret)
			return ret;
		fd = openat(p->dir, p->base, flags | (S_ISBLK(p->st.st_mode) ? O_EXCL : 0));
	} else {
		if (p->exists)
			ret = move_away(p, moved, e);
		if (ret)
			return ret;
		fd = openat(p->dir, p->base, flags | O_CREAT | O_EXCL, 0600);
	}
	return fd < 0 ? error_output(e, "cannot create %s", path) : fd;
}

int record_output_create(const char *path, struct record_moved *moved, struct error *e)
{
	struct output_path p;
	int ret;

	memset(moved, 0, sizeof(*moved));
	if (!strcmp(path, "-")) {
		ret = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return ret < 0 ? error_output(e, "cannot write standard output") : ret;
	}
	ret = output_path_resolve(&p, path, e);
	if (ret)
		return ret;
	ret = check_link(path, &p, e);
	if (!ret)
		ret = create(&p, path, moved, e);
	output_path_close(&p);
	return ret;
}

static enum record_owner give(int fd, const char *path, unsigned int uid, unsigned int gid,
			      struct error *e)
{
	struct stat st;

	if (fstat(fd, &st)) {
		error_errno(e, -errno, "%s: its owner stays as it is", path);
		return OWNER_FAILED;
	}
	if (!S_ISREG(st.st_mode))
		return OWNER_KEPT;
	if (st.st_uid != geteuid()) {
		error_set(e, -EPERM, "%s: its owner stays as it is: it is not ours to give away",
			  path);
		return OWNER_FAILED;
	}
	if (fchown(fd, uid, gid)) {
		error_errno(e, -errno, "%s: its owner stays as it is: cannot give it to uid %u",
			    path, uid);
		return OWNER_FAILED;
	}
	error_set(e, 0, "%s now belongs to uid %u, who called sudo", path, uid);
	return OWNER_CHANGED;
}

enum record_owner record_output_owner(int fd, const char *path, struct error *e)
{
	struct caller c = caller_read();

	if (!strcmp(path, "-") || c.kind == CALLER_SELF)
		return OWNER_KEPT;
	if (c.kind != CALLER_BAD)
		return give(fd, path, c.uid, c.gid, e);
	error_set(e, -EINVAL,
		  "%s: its owner stays as it is: SUDO_UID=%s or SUDO_GID is not a number", path,
		  getenv("SUDO_UID"));
	return OWNER_FAILED;
}
