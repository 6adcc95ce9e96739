// SPDX-License-Identifier: GPL-2.0
/*
 * To be preloaded: request number NO_MEMORY_AT for memory gets none. NO_MEMORY_COUNT names a file
 * that gets the number of requests when the program ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What glibc's own names stand for. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static atomic_ulong seen;

static bool refused(void)
{
	static unsigned long at;
	static bool known;

	if (!known) {
		const char *s = getenv("NO_MEMORY_AT");

		at = s ? strtoul(s, NULL, 10) : 0;
		known = true;
	}
	if (!at || atomic_fetch_add(&seen, 1) + 1 != at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return refused() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return refused() ? NULL : __libc_realloc(p, n);
}

__attribute__((destructor)) static void write_count(void)
{
	const char *path = getenv("NO_MEMORY_COUNT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	dprintf(fd, "%lu\n", atomic_load(&seen));
	close(fd);
}
