// SPDX-License-Identifier: GPL-2.0
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

#define MESSAGE_BYTES 8192

bool message_quiet, message_debug;

/* A line of its own, in which names of files, words of the user's and bytes of traces do nothing.
 */
static void print_line(const char *before, const char *text)
{
	char harmless[4 * MESSAGE_BYTES + 1];

	escape_text(text, strlen(text), harmless, sizeof(harmless));
	/* Results first, so that the two streams read in order on one terminal. */
	fflush(stdout);
	fprintf(stderr, "%s%s\n", before, harmless);
}

static void message(const char *label, const char *fmt, va_list ap)
{
	char before[64], text[MESSAGE_BYTES];

	snprintf(before, sizeof(before), "swaptrace: %s", label);
	vsnprintf(text, sizeof(text), fmt, ap);
	print_line(before, text);
}

void quote(const char *text)
{
	print_line("", text);
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
