/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_OUTPUT_FOLDER_H
#define SWAPTRACE_COMMON_OUTPUT_FOLDER_H

#include "common/error.h"

/*
 * A folder of files that belong together. They are written into a temporary folder;
 * output_folder_commit() puts them into their own, all or none. A folder that was not there appears
 * as a whole. In one that was there, only files of the list are replaced, which an earlier commit
 * left in it; those of the list that are not written again are removed; what is not in the list is
 * never touched. Only kill -9 in the middle of the commit leaves files of both, each of them whole.
 */
struct output_folder;

/* What a folder is to hold, and what must not be lost for it. */
struct output_folder_plan {
	const char *list;	  /* name of the file that holds the list */
	const char *const *names; /* of all files that may be written, NULL-terminated */
	char *const *inputs;	  /* paths of files that are read, "-" is standard input */
	int ninputs;
};

/**
 * output_folder_open - begin to write the folder @path, which is made with its parents
 * @plan: must live as long
 * Returns 0; -EEXIST when a file stands in the way that is not in the list, or is an input: nothing
 * was changed and @e names it; -EPERM when one belongs to another user, or somebody else is writing
 * the same folder; -EIO; -ENOMEM.
 */
int output_folder_open(struct output_folder **f, const char *path,
		       const struct output_folder_plan *plan, struct error *e);

/** output_folder_fd - descriptor of the folder to write into; stays @f's */
int output_folder_fd(const struct output_folder *f);

/** output_folder_commit - put what was written into place; frees @f, also on failure
 * Returns 0; otherwise the folder is what it was, but for the list, which may say too much. */
int output_folder_commit(struct output_folder *f, struct error *e);

/** output_folder_discard - forget what was written and free @f; NULL is allowed */
void output_folder_discard(struct output_folder *f);

#endif
