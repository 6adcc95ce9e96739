/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_TEMPORARY_H
#define SWAPTRACE_COMMON_TEMPORARY_H

#include <signal.h>
#include <sys/types.h>

/*
 * Temporary files and folders beside what they will replace. Their names are unique and say what
 * they are (NAME.swaptrace-1f3e....tmp), each is new, and a signal that ends the program removes
 * them first. kill -9 leaves them behind; nothing is ever hindered by such a leftover.
 *
 * Signals reach only what temporaries_catch_signals() was called for: it is the program's to say
 * what happens on them, not a library's.
 */

/**
 * temporary_file - make a file in the folder @dir, and remember it
 * @dir: descriptor of the folder (O_PATH is enough), which must stay open meanwhile
 * @name: of what it will replace, which its own name begins with
 * @mode: of open(), less the umask
 * @slot: what temporary_done() and temporary_remove() take
 * Returns a descriptor open for writing, or -errno.
 */
int temporary_file(int dir, const char *name, mode_t mode, int *slot);

/**
 * temporary_folder - make a folder in @dir, with the mode that folders get, and remember it
 * @contents: names of all files that may come to stand in it, NULL-terminated; must live as long
 * Returns a descriptor of the folder, or -errno.
 */
int temporary_folder(int dir, const char *name, const char *const *contents, int *slot);

/**
 * temporary_unnamed - a file in the folder @dir that has no name, and is gone when it is closed
 * @name: what it is called for the moment where the file system cannot do without
 * Returns a descriptor for reading and writing, or -errno.
 */
int temporary_unnamed(const char *dir, const char *name);

/** temporary_name - name within @dir; valid until temporary_done() or temporary_remove() */
const char *temporary_name(int slot);

/** temporary_done - forget it: it has got its final name */
void temporary_done(int slot);

/** temporary_remove - remove it from the disk and forget it */
void temporary_remove(int slot);

/**
 * temporaries_catch_signals - let signals that end the program remove all temporaries first
 * Signals that are ignored stay so (nohup). SIGXFSZ is caught and does nothing, so that a file size
 * limit is an error of write(), not the end. What the program starts has the default of each.
 */
void temporaries_catch_signals(void);

/** temporaries_hold_signals - block those signals until temporaries_release_signals(@held) */
void temporaries_hold_signals(sigset_t *held);
/** temporaries_release_signals - as they were before temporaries_hold_signals() */
void temporaries_release_signals(const sigset_t *held);

#endif
