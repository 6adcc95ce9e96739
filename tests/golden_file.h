/* SPDX-License-Identifier: GPL-2.0 */
/* Golden vectors: reading a file, for the runner (tests/golden.c) only. */
#ifndef TESTS_GOLDEN_FILE_H
#define TESTS_GOLDEN_FILE_H

#include <stddef.h>

/* No vector is anywhere near this large; a damaged or hostile file must not fill the memory. */
#define GOLDEN_MAX_TEXT ((size_t)1 << 30)

/*
 * Whole text of @path, decompressed if it starts as a Zstandard frame, with a NUL at [*len].
 * Returns memory to be freed by the caller, or NULL with the reason in @why: unreadable, damaged,
 * cut short, other than the size its frame announces, larger than GOLDEN_MAX_TEXT, or not text.
 */
char *golden_read_file(const char *path, size_t *len, char *why, size_t why_size);

#endif /* TESTS_GOLDEN_FILE_H */
