/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_RECORD_OUTPUT_H
#define SWAPTRACE_CLI_RECORD_OUTPUT_H

#include <stdbool.h>

#include "common/error.h"

/*
 * The file that record writes. It is made by root and belongs to somebody else: links to other
 * people's files are refused, an existing trace is kept as FILE.old, and after sudo the file is
 * given to the user who called it.
 */

/**
 * record_output_prepare - before the file is created
 * @path: "-" and what is no regular file (/dev/null) are left alone
 * Returns 0; -EPERM for a symbolic link to a file of another owner; -errno when an existing file
 * cannot be renamed to PATH.old.
 */
int record_output_prepare(const char *path, struct error *e);

enum record_owner {
	OWNER_KEPT,    /* nothing to do: no sudo, standard output, no regular file */
	OWNER_CHANGED, /* given to the caller of sudo */
	OWNER_FAILED,  /* the text says why; the trace is good all the same */
};

/**
 * record_output_owner - after the file is complete: give it to the user behind sudo
 * @e: text for OWNER_CHANGED (whom) and OWNER_FAILED (why)
 */
enum record_owner record_output_owner(const char *path, struct error *e);

#endif
