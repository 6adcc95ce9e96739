// SPDX-License-Identifier: GPL-2.0
#include "cli/samples.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int program_folder(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);
	char *slash;

	if (n <= 0)
		return -ENOENT;
	out[n] = '\0';
	slash = strrchr(out, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

static int try_folder(const char *folder, const char *below, const char *name, char *out,
		      size_t size)
{
	int n = snprintf(out, size, "%s/%s%s", folder, below, name);

	return n > 0 && (size_t)n < size && !access(out, R_OK) ? 0 : -ENOENT;
}

int sample_path(const char *name, char *out, size_t size)
{
	static const char *const below[] = { "traces/samples/", "../traces/samples/",
					     "../share/swaptrace/samples/" };
	const char *folder = getenv("SWAPTRACE_SAMPLES");
	char program[PATH_MAX];

	if (folder && !try_folder(folder, "", name, out, size))
		return 0;
	if (!program_folder(program, sizeof(program)))
		for (unsigned int i = 0; i < sizeof(below) / sizeof(below[0]); i++)
			if (!try_folder(program, below[i], name, out, size))
				return 0;
	snprintf(out, size, "%s", name);
	return -ENOENT;
}
