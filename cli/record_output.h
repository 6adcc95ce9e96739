/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_RECORD_OUTPUT_H
#define SWAPTRACE_CLI_RECORD_OUTPUT_H

#include <stdbool.h>

#include "common/error.h"

/*
 * The file that record writes. Other files are replaced when they are whole (common/output_file.h);
 * a recording must be readable at every moment, also when the recorder is killed or the disk is
 * full, so it is written in place: into a new file that only its owner may read. It is made by root
 * and belongs to somebody else: links to other people's files are refused, and after sudo the file
 * is given to the user who called it.
 *
 * What was at FILE becomes FILE.old, as with perf record: the recording before this one. Unlike
 * there, an earlier FILE.old is not lost, it becomes FILE.old.1, or .2, the first that is free.
 */

#define RECORD_OLD_NAMES 2

/* What had to move: "x is now x.old" in the order in which it happened, "" none. */
struct record_moved {
	char text[RECORD_OLD_NAMES][600];
};

/**
 * record_output_create - move away what is there, and make the file anew
 * @path: "-" is standard output; what is not a regular file (/dev/null) is opened and left as it is
 * Returns a descriptor, the caller's; -EPERM for a symbolic link to a file of another owner or to
 * nothing, and for a folder; -errno when an existing file can't be renamed or the new one made.
 */
int record_output_create(const char *path, struct record_moved *moved, struct error *e);

enum record_owner {
	OWNER_KEPT,    /* nothing to do: no sudo, standard output, no regular file */
	OWNER_CHANGED, /* given to the caller of sudo */
	OWNER_FAILED,  /* the text says why; the trace is good all the same */
};

/**
 * record_output_owner - after the file is complete: give it to the user behind sudo
 * @fd: the file; @path: what to call it
 * @e: text for OWNER_CHANGED (whom) and OWNER_FAILED (why)
 */
enum record_owner record_output_owner(int fd, const char *path, struct error *e);

#endif
