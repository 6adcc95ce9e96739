// SPDX-License-Identifier: GPL-2.0
#include "traces/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/temporary.h"

int64_t file_read_at(int fd, void *p, size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)p + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}

int file_write_all(int fd, const void *p, size_t n, size_t *done)
{
	*done = 0;
	while (*done < n) {
		ssize_t put = write(fd, (const char *)p + *done, n - *done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		*done += (size_t)put;
	}
	return 0;
}

/* /tmp is often memory, and a trace may be larger than that. */
static const char *temporary_directory(void)
{
	const char *dir = getenv("TMPDIR");

	if (dir && *dir)
		return dir;
	return access("/var/tmp", W_OK) ? "/tmp" : "/var/tmp";
}

int file_temporary(struct error *e)
{
	const char *dir = temporary_directory();
	int fd = temporary_unnamed(dir, "swaptrace");

	if (fd < 0)
		return error_errno(e, fd, "cannot create a temporary file in %s (set TMPDIR)", dir);
	return fd;
}
