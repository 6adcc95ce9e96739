/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_ERROR_H
#define SWAPTRACE_COMMON_ERROR_H

/*
 * How libraries report failures: a negative errno as the return value and one sentence for the user
 * in a struct error that the caller owns. Libraries never print and never exit.
 */

struct error {
	int code;	/* negative errno of the failure, 0 when nothing failed */
	char text[512]; /* names the file, says what is wrong and what to do; no final full stop */
};

/**
 * error_set - fill @e and return @code, so that `return error_set(e, -EINVAL, ...)` reads well
 * @e: may be NULL when the caller does not want the text
 * @code: negative errno
 * @fmt: printf format; a text too long for the buffer is cut
 */
int error_set(struct error *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * error_errno - like error_set(), with ": " and the name of the system error appended
 * @code: negative errno; its strerror() text is what is appended
 */
int error_errno(struct error *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * error_output - like error_errno() with errno, for an output that can't be made
 * Always returns -EIO: a missing folder or a permission is the environment's fault here, where the
 * same errno of an input means that the input can't be read.
 */
int error_output(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
