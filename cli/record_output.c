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

enum number_state { NUMBER_ABSENT, NUMBER_BAD, NUMBER_GOOD };

static enum number_state env_number(const char *name, unsigned int *value)
{
	const char *s = getenv(name);
	unsigned long n;
	char *end;

	if (!s)
		return NUMBER_ABSENT;
	errno = 0;
	n = strtoul(s, &end, 10);
	if (errno || *s < '0' || *s > '9' || *end || n >= UINT_MAX)
		return NUMBER_BAD;
	*value = (unsigned int)n;
	return NUMBER_GOOD;
}

/* The user for whom the file is made. */
static uid_t user(void)
{
	unsigned int uid;

	return !geteuid() && env_number("SUDO_UID", &uid) == NUMBER_GOOD ? uid : geteuid();
}

static int check_link(const char *path, struct error *e)
{
	struct stat st;

	if (stat(path, &st))
		return error_set(e, -EPERM,
				 "%s: is a symbolic link that leads nowhere; name the file itself",
				 path);
	if (S_ISREG(st.st_mode) && st.st_uid != user())
		return error_set(
			e, -EPERM,
			"%s: is a symbolic link to a file of another owner (uid %u), which "
			"is not overwritten; name the file itself",
			path, (unsigned int)st.st_uid);
	return 0;
}

int record_output_prepare(const char *path, struct error *e)
{
	char old[PATH_MAX];
	struct stat st;

	if (!strcmp(path, "-") || lstat(path, &st))
		return 0;
	if (S_ISLNK(st.st_mode))
		return check_link(path, e);
	if (S_ISDIR(st.st_mode))
		return error_set(e, -EISDIR, "%s: is a folder; name a file in it", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >= sizeof(old))
		return error_set(e, -ENAMETOOLONG, "%s: the name is too long", path);
	if (rename(path, old))
		return error_errno(e, -errno, "%s: cannot be renamed to %s", path, old);
	return 0;
}

static enum record_owner give(const char *path, unsigned int uid, unsigned int gid, struct error *e)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	enum record_owner ret = OWNER_CHANGED;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		error_errno(e, -errno, "%s: its owner stays as it is", path);
		ret = OWNER_FAILED;
	} else if (!S_ISREG(st.st_mode)) {
		ret = OWNER_KEPT;
	} else if (st.st_uid != geteuid()) {
		error_set(e, -EPERM, "%s: its owner stays as it is: it is not ours to give away",
			  path);
		ret = OWNER_FAILED;
	} else if (fchown(fd, uid, gid)) {
		error_errno(e, -errno, "%s: its owner stays as it is: cannot give it to uid %u",
			    path, uid);
		ret = OWNER_FAILED;
	} else {
		error_set(e, 0, "%s now belongs to uid %u, who called sudo", path, uid);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

enum record_owner record_output_owner(const char *path, struct error *e)
{
	unsigned int uid = 0, gid = (unsigned int)-1;
	enum number_state state = env_number("SUDO_UID", &uid);

	if (state == NUMBER_ABSENT || !strcmp(path, "-"))
		return OWNER_KEPT;
	if (state == NUMBER_BAD || env_number("SUDO_GID", &gid) == NUMBER_BAD) {
		error_set(e, -EINVAL,
			  "%s: its owner stays as it is: SUDO_UID=%s or SUDO_GID is "
			  "not a number",
			  path, getenv("SUDO_UID"));
		return OWNER_FAILED;
	}
	if (uid == geteuid())
		return OWNER_KEPT;
	return give(path, uid, gid, e);
}
