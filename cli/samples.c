// SPDX-License-Identifier: GPL-2.0
#include "cli/samples.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
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
	char *plain;

	if (n <= 0 || (size_t)n >= size || access(out, R_OK))
		return -ENOENT;
	/* Users read the path: without the way from the program to it. */
	plain = strstr(out, "/../") ? realpath(out, NULL) : NULL;
	if (plain && strlen(plain) < size)
		strcpy(out, plain);
	free(plain);
	return 0;
}

static const char *const below[] = { "traces/samples/", "../traces/samples/",
				     "../share/swaptrace/samples/" };
#define BELOW (sizeof(below) / sizeof(below[0]))

int sample_path(const char *name, char *out, size_t size)
{
	const char *folder = getenv("SWAPTRACE_SAMPLES");
	char program[PATH_MAX];

	if (folder && !try_folder(folder, "", name, out, size))
		return 0;
	if (!program_folder(program, sizeof(program)))
		for (unsigned int i = 0; i < BELOW; i++)
			if (!try_folder(program, below[i], name, out, size))
				return 0;
	snprintf(out, size, "%s", name);
	return -ENOENT;
}

static bool is_match(const char *name, const char *word)
{
	static const char ending[] = ".swaptrace";
	size_t len = strlen(name);

	return strstr(name, word) && len > strlen(ending) &&
	       !strcmp(name + len - strlen(ending), ending);
}

static int match_folder(const char *folder, const char *under, const char *word, char *out,
			size_t size)
{
	char path[PATH_MAX], found[NAME_MAX + 1] = "";
	struct dirent *entry;
	DIR *d;

	if (snprintf(path, sizeof(path), "%s/%s", folder, under) >= (int)sizeof(path))
		return -ENOENT;
	d = opendir(path);
	if (!d)
		return -ENOENT;
	while ((entry = readdir(d)))
		if (is_match(entry->d_name, word) && strverscmp(entry->d_name, found) > 0)
			snprintf(found, sizeof(found), "%s", entry->d_name);
	closedir(d);
	return *found ? try_folder(folder, under, found, out, size) : -ENOENT;
}

int sample_match(const char *word, char *out, size_t size)
{
	const char *folder = getenv("SWAPTRACE_SAMPLES");
	char program[PATH_MAX];

	if (folder && !match_folder(folder, "", word, out, size))
		return 0;
	if (program_folder(program, sizeof(program)))
		return -ENOENT;
	for (unsigned int i = 0; i < BELOW; i++)
		if (!match_folder(program, below[i], word, out, size))
			return 0;
	return -ENOENT;
}
