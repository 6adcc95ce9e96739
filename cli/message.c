// SPDX-License-Identifier: GPL-2.0
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

bool message_quiet, message_debug;

static void message(const char *label, const char *fmt, va_list ap)
{
	/* Results first, so that the two streams read in order on one terminal. */
	fflush(stdout);
	fprintf(stderr, "swaptrace: %s", label);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("warning: ", fmt, ap);
	va_end(ap);
}

void note(const char *fmt, ...)
{
	va_list ap;

	if (message_quiet)
		return;
	va_start(ap, fmt);
	message("", fmt, ap);
	va_end(ap);
}

int fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("error: ", fmt, ap);
	va_end(ap);
	return code;
}

int exit_code_for(int err)
{
	switch (err) {
	case 0:
		return EXIT_DONE;
	case -EPERM:
	case -ENOMEM:
	case -ENOSPC:
	case -EFBIG:
	case -EDQUOT:
	case -EROFS:
	case -EIO:
	case -ENOSYS:
	case -EOPNOTSUPP:
		return EXIT_ENVIRONMENT;
	default:
		return EXIT_INPUT;
	}
}
