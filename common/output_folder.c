// SPDX-License-Identifier: GPL-2.0
#include "common/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/output_file.h"
#include "common/output_path.h"
#include "common/temporary.h"

#define LIST_MAGIC                                                                                 \
	"# swaptrace: the next report into this folder replaces these files, and no others\n"
#define NAMES_MAX 4096 /* of a list that is read */

struct output_folder {
	const struct output_folder_plan *plan;
	char *path, *base; /* base: the last part of the path, where the folder is new */
	int dir;	   /* the folder, or where it is new, the one that it is to stand in */
	int stage;	   /* the temporary folder */
	int slot;
	char **old; /* names in the list that was found */
	unsigned int nold;
	const char **all; /* the list's name, all names of the plan and the old ones; NULL ends */
};

/* ---- the folder ---- */

static int make_parents(char *path, struct error *e)
{
	for (char *p = path + 1; *p; p++) {
		bool failed;

		if (*p != '/')
			continue;
		*p = '\0';
		failed = mkdir(path, 0777) && errno != EEXIST;
		if (failed)
			error_output(e, "cannot make the folder '%s'", path);
		*p = '/';
		if (failed)
			return -EIO;
	}
	return 0;
}

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Two writers would exchange their files one by one. The lock goes with the descriptor. */
static int lock_folder(const struct output_folder *f, struct error *e)
{
	if (!flock(f->dir, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	return error_set(e, -EPERM,
			 "'%s': another report is being written into that folder; wait for it or "
			 "name another folder",
			 f->path);
}

/* The folder itself where it is there, else the one above it. */
static int find_folder(struct output_folder *f, struct error *e)
{
	size_t len = strlen(f->path);
	char *slash;

	while (len > 1 && f->path[len - 1] == '/')
		f->path[--len] = '\0';
	f->dir = open_folder(f->path);
	if (f->dir >= 0)
		return lock_folder(f, e);
	if (errno != ENOENT)
		return error_output(e, "cannot write a report into '%s', name a folder for it",
				    f->path);
	if (make_parents(f->path, e))
		return -EIO;
	slash = strrchr(f->path, '/');
	f->base = slash ? slash + 1 : f->path;
	if (slash > f->path)
		*slash = '\0';
	f->dir = open_folder(slash > f->path ? f->path : slash ? "/" : ".");
	if (slash > f->path)
		*slash = '/';
	return f->dir < 0 ? error_output(e, "cannot make the folder '%s'", f->path) : 0;
}

/* ---- the list ---- */

static bool in_list(const struct output_folder *f, const char *name)
{
	if (!strcmp(name, f->plan->list))
		return f->old != NULL;
	for (unsigned int i = 0; i < f->nold; i++)
		if (!strcmp(f->old[i], name))
			return true;
	return false;
}

static int read_names(struct output_folder *f, FILE *in)
{
	char line[NAME_MAX + 2];

	f->old = calloc(NAMES_MAX, sizeof(*f->old));
	if (!f->old)
		return -ENOMEM;
	while (f->nold < NAMES_MAX && fgets(line, sizeof(line), in)) {
		size_t len = strcspn(line, "\n");

		/* Only what a list of ours can hold: names in this folder. */
		if (!line[len] || !len || memchr(line, '/', len) || line[0] == '.' ||
		    line[0] == '#')
			continue;
		line[len] = '\0';
		f->old[f->nold] = strdup(line);
		if (!f->old[f->nold])
			return -ENOMEM;
		f->nold++;
	}
	return ferror(in) ? -EIO : 0;
}

/* A file of that name which is no list of ours leaves f->old NULL, and stands in the way. */
static int read_list(struct output_folder *f, struct error *e)
{
	char magic[sizeof(LIST_MAGIC)] = "";
	int fd = openat(f->dir, f->plan->list, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	int ret = 0;

	if (!in && fd >= 0)
		close(fd);
	if (!in)
		return errno == ENOENT || errno == ELOOP
			       ? 0
			       : error_output(e, "cannot read %s/%s", f->path, f->plan->list);
	if (fgets(magic, sizeof(magic), in) && !strcmp(magic, LIST_MAGIC))
		ret = read_names(f, in);
	fclose(in);
	return ret ? error_errno(e, ret, "cannot read %s/%s", f->path, f->plan->list) : 0;
}

/* Each once: exchanging a file twice would put it back. */
static void add_name(struct output_folder *f, unsigned int *n, const char *name)
{
	for (unsigned int i = 0; i < *n; i++)
		if (!strcmp(f->all[i], name))
			return;
	f->all[(*n)++] = name;
}

static int collect_names(struct output_folder *f)
{
	unsigned int n = 0, room = f->nold + 2;

	for (const char *const *name = f->plan->names; *name; name++)
		room++;
	f->all = calloc(room, sizeof(*f->all));
	if (!f->all)
		return -ENOMEM;
	add_name(f, &n, f->plan->list);
	for (const char *const *name = f->plan->names; *name; name++)
		add_name(f, &n, *name);
	for (unsigned int i = 0; i < f->nold; i++)
		add_name(f, &n, f->old[i]);
	return 0;
}

/* ---- what stands in the way ---- */

static bool is_input(const struct output_folder *f, const struct stat *st)
{
	for (int i = 0; i < f->plan->ninputs; i++) {
		const char *input = f->plan->inputs[i];
		struct stat in;

		if (!(strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in)) &&
		    in.st_dev == st->st_dev && in.st_ino == st->st_ino)
			return true;
	}
	return false;
}

static int check_name(const struct output_folder *f, const char *name, struct error *e)
{
	struct output_path p = { .dir = f->dir, .open_fd = -1 };
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	snprintf(p.base, sizeof(p.base), "%s", name);
	if (fstatat(f->dir, name, &p.st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : error_output(e, "cannot write %s", path);
	if (is_input(f, &p.st))
		return error_set(e, -EEXIST,
				 "%s is one of the inputs, which a report in that folder would "
				 "replace; name another folder",
				 path);
	if (!in_list(f, name) || !S_ISREG(p.st.st_mode))
		return error_set(e, -EEXIST,
				 "%s is in the way: no earlier report has left it (it is not in "
				 "%s); remove it or name another folder",
				 path, f->plan->list);
	ret = output_path_check(&p, path, e);
	return ret;
}

static int prepare(struct output_folder *f, struct error *e)
{
	int ret = find_folder(f, e);

	if (!ret && !f->base)
		ret = read_list(f, e);
	if (!ret && collect_names(f))
		ret = error_set(e, -ENOMEM, "out of memory");
	for (unsigned int i = 0; !ret && !f->base && f->all[i]; i++)
		ret = check_name(f, f->all[i], e);
	if (ret)
		return ret;
	f->stage = temporary_folder(f->dir, f->base ? f->base : "report", f->all, &f->slot);
	errno = -f->stage;
	return f->stage < 0 ? error_output(e, "cannot write a report into '%s'", f->path) : 0;
}

int output_folder_open(struct output_folder **out, const char *path,
		       const struct output_folder_plan *plan, struct error *e)
{
	struct output_folder *f = calloc(1, sizeof(*f));
	int ret;

	if (!f || !(f->path = strdup(path))) {
		free(f);
		return error_set(e, -ENOMEM, "out of memory");
	}
	f->plan = plan;
	f->dir = -1;
	f->stage = -1;
	ret = prepare(f, e);
	if (ret)
		output_folder_discard(f);
	else
		*out = f;
	return ret;
}

int output_folder_fd(const struct output_folder *f)
{
	return f->stage;
}

/* ---- into place ---- */

static bool stands_in(int dir, const char *name)
{
	return !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A new list in the temporary folder, of the files in @where; with @old also those listed before.
 */
static int write_list(const struct output_folder *f, int where, bool old)
{
	FILE *out;
	bool failed;
	int fd;

	unlinkat(f->stage, f->plan->list, 0);
	fd = openat(f->stage, f->plan->list, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		int err = -errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	fputs(LIST_MAGIC, out);
	for (unsigned int i = 1; f->all[i]; i++)
		if (stands_in(where, f->all[i]) || (old && in_list(f, f->all[i])))
			fprintf(out, "%s\n", f->all[i]);
	errno = 0;
	failed = fflush(out) | ferror(out);
	if (fclose(out) || failed)
		return errno ? -errno : -EIO;
	return 0;
}

/* What others wrote there (a plotter) must be on the disk as well. */
static int finish_file(const struct output_folder *f, const char *name)
{
	int fd = openat(f->stage, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!f->base && !fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW))
		ret = output_like(fd, f->dir, name, &st);
	while (!ret && fsync(fd))
		ret = errno == EINTR ? 0 : -errno;
	close(fd);
	return ret;
}

/*
 * The file of that name in the temporary folder and the one in the folder change places; either may
 * be missing. Done twice, all is as it was; so a failure can be taken back.
 */
static int exchange(const struct output_folder *f, const char *name)
{
	bool made = stands_in(f->stage, name), there = stands_in(f->dir, name);
	int from = made ? f->stage : f->dir, to = made ? f->dir : f->stage;

	if (!made && !there)
		return 0;
	if (!renameat2(from, name, to, name, made && there ? RENAME_EXCHANGE : RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* File systems without these flags: what is replaced is gone, and can't be taken back. */
	return renameat(from, name, to, name) ? -errno : 0;
}

static int exchange_all(const struct output_folder *f)
{
	unsigned int i = 0;
	int ret = 0;

	while (f->all[i] && !ret) {
		ret = exchange(f, f->all[i]);
		i += !ret;
	}
	while (ret && i--)
		exchange(f, f->all[i]);
	return ret;
}

static int sync_folder(int fd)
{
	while (fsync(fd))
		if (errno != EINTR)
			return errno == EINVAL || errno == ENOTSUP ? 0 : -errno;
	return 0;
}

/* A folder that was not there gets its name in one step. */
static int show_new(struct output_folder *f)
{
	const char *name = temporary_name(f->slot);
	int ret = sync_folder(f->stage);

	if (ret)
		return ret;
	if (renameat2(f->dir, name, f->dir, f->base, RENAME_NOREPLACE) &&
	    ((errno != EINVAL && errno != ENOSYS) || renameat(f->dir, name, f->dir, f->base)))
		return -errno;
	close(f->stage);
	f->stage = -1;
	temporary_done(f->slot);
	return 0;
}

static int show(struct output_folder *f)
{
	int ret = write_list(f, f->stage, !f->base);

	for (unsigned int i = 0; f->all[i] && !ret; i++)
		ret = finish_file(f, f->all[i]);
	if (ret)
		return ret;
	return f->base ? show_new(f) : exchange_all(f);
}

/* Once all is in place the list need not name what is gone. */
static int shorten_list(struct output_folder *f)
{
	int ret = write_list(f, f->dir, false);

	if (!ret)
		ret = finish_file(f, f->plan->list);
	return ret ? ret : exchange(f, f->plan->list);
}

int output_folder_commit(struct output_folder *f, struct error *e)
{
	sigset_t held;
	int ret;

	temporaries_hold_signals(&held);
	ret = show(f);
	if (!ret && !f->base)
		ret = shorten_list(f);
	if (!ret)
		ret = sync_folder(f->dir);
	if (ret)
		error_errno(e, ret, "cannot write a report into '%s'", f->path);
	output_folder_discard(f);
	temporaries_release_signals(&held);
	return ret;
}

void output_folder_discard(struct output_folder *f)
{
	if (!f)
		return;
	if (f->stage >= 0) {
		temporary_remove(f->slot);
		close(f->stage);
	}
	if (f->dir >= 0)
		close(f->dir);
	for (unsigned int i = 0; i < f->nold; i++)
		free(f->old[i]);
	free(f->old);
	free(f->all);
	free(f->path);
	free(f);
}
