/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_OUTPUT_PATH_H
#define SWAPTRACE_COMMON_OUTPUT_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "common/error.h"

/*
 * What a path means that something is to be written to. Symbolic links are followed to where the
 * file is or would be, one by one and never by way of a name that could be exchanged meanwhile: all
 * that is done later is done in the folder that is held open here.
 */
struct output_path {
	int dir;		 /* descriptor of the folder (O_PATH), -1 none */
	char base[NAME_MAX + 1]; /* name in it, no link at the time */
	bool exists;
	struct stat st; /* where it exists */
	int open_fd; /* the path names this descriptor of ours (/dev/stdout, /proc/self/fd/N); -1 */
};

/**
 * output_path_resolve - follow @path; close with output_path_close() where it returns 0
 * Returns 0; -EPERM for what is not followed or written to: a link of another user in a folder that
 * everybody can write to, what another process has open, a folder; -EIO when a folder on the way is
 * missing or may not be entered. The error names @path.
 */
int output_path_resolve(struct output_path *p, const char *path, struct error *e);

/** output_path_close - close the folder */
void output_path_close(struct output_path *p);

/**
 * output_path_check - whether what stands there now may be replaced, or written to if it is no
 * regular file; looks again, as it may have changed
 * Returns 0, also when there is nothing; -EPERM when it belongs to another user (root may write for
 * its owner, but not in a folder like /tmp), or is a folder; -EIO when it is write-protected.
 */
int output_path_check(struct output_path *p, const char *path, struct error *e);

/** output_path_sync - let the folder reach the disk, with the names in it; 0 or -errno */
int output_path_sync(const struct output_path *p);

/**
 * output_path_move - give what stands there another name in the same folder, never replacing
 * Returns 0; -EEXIST when there is such a name; -errno.
 */
int output_path_move(const struct output_path *p, const char *name);

/**
 * same_file - whether both paths lead to one regular file, pipe or block device, by whatever name
 * @output, @input: "-" is standard output and standard input
 */
bool same_file(const char *output, const char *input);

#endif
