/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_OUTPUT_FILE_H
#define SWAPTRACE_COMMON_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/error.h"

/*
 * The one way in which a file of the user's is written (but for a trace while it is recorded, see
 * cli/record_output.h). What is written goes into a temporary beside the file; output_commit() lets
 * it reach the disk and then gives it the file's name, in one step. Whatever happens before, the
 * file is what it was: the old one, whole, or none.
 *
 * A link is written through: the file that it leads to is replaced. A file that is replaced keeps
 * its mode and, when root writes, its owner; other hard links to it keep the old contents. What is
 * no regular file is written to, never replaced: devices, pipes, /dev/stdout, /proc/self/fd/N, and
 * standard output, which is called "-".
 */
struct output_file;

/* Who may read a file that is new. */
enum output_privacy {
	OUTPUT_PRIVATE,	 /* its owner: traces hold names of processes, and addresses */
	OUTPUT_ORDINARY, /* whom the umask allows */
};

/**
 * output_open - begin to write @path
 * Returns 0; -EPERM for a file of another user, a link that is not followed, a folder, or a block
 * device in use; -EIO for what the system refuses; -ENOMEM.
 */
int output_open(struct output_file **o, const char *path, enum output_privacy privacy,
		struct error *e);

/** output_fd - descriptor to write to; stays @o's */
int output_fd(const struct output_file *o);

/** output_stream - the same as a stream, which stays @o's; NULL: no memory */
FILE *output_stream(struct output_file *o);

/** output_name - what to call it in messages */
const char *output_name(const struct output_file *o);

/** output_replaces - whether nothing is seen of it before output_commit(): false for devices */
bool output_replaces(const struct output_file *o);

/**
 * output_commit - what was written becomes the file; frees @o, also on failure
 * Returns 0; otherwise the file is what it was. Only a failure to let the new name reach the disk
 * leaves the new file, whole, and the text says so. Failed writes to the stream are found here.
 */
int output_commit(struct output_file *o, struct error *e);

/** output_discard - forget what was written and free @o; NULL is allowed */
void output_discard(struct output_file *o);

/**
 * output_like - give a file that is to replace another one that one's mode, access list and, for
 * root, owner; never more access than the other one gave
 * @fd: the new one
 * @dir, @name, @st: the one that it replaces
 * Returns 0 or -errno.
 */
int output_like(int fd, int dir, const char *name, const struct stat *st);

#endif
