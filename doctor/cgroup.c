// SPDX-License-Identifier: GPL-2.0
#include "doctor/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Removing a cgroup waits for its last process, which the kernel buries in its own time. */
#define REMOVE_TRIES 100

static const char *const reclaim_names[] = {
	[PROBE_MEMORY_RECLAIM] = "memory.reclaim",
	[PROBE_MEMORY_HIGH] = "memory.high",
	[PROBE_FORCE_EMPTY] = "memory.force_empty",
	[PROBE_PAGEOUT] = "MADV_PAGEOUT",
};

const char *probe_reclaim_name(enum probe_reclaim r)
{
	return reclaim_names[r];
}

static int write_file(const struct probe_cgroup *g, const char *file, const char *text)
{
	char path[512];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/%s", g->path, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static bool has(const struct probe_cgroup *g, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", g->path, file);
	return !access(path, W_OK);
}

/* The mount point of cgroup2 or of the memory controller of version 1, from this process's view. */
static bool find_mount(bool v2, char *out, size_t size)
{
	char line[1024], type[64], options[512], where[256];
	FILE *f = fopen("/proc/self/mounts", "r");
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %255s %63s %511s", where, type, options) != 3)
			continue;
		found = v2 ? !strcmp(type, "cgroup2")
			   : !strcmp(type, "cgroup") && strstr(options, ",memory");
	}
	if (f)
		fclose(f);
	if (found)
		snprintf(out, size, "%s", where);
	return found;
}

static bool make_below(struct probe_cgroup *g, bool v2)
{
	char mount[256];

	if (!find_mount(v2, mount, sizeof(mount)) || strlen(mount) + 40 > sizeof(g->path))
		return false;
	snprintf(g->path, sizeof(g->path), "%.200s/swaptrace-probe.%d", mount, (int)getpid());
	if (mkdir(g->path, 0700)) {
		g->path[0] = '\0';
		return false;
	}
	return true;
}

void probe_cgroup_make(struct probe_cgroup *g)
{
	static const struct {
		bool v2;
		enum probe_reclaim reclaim;
	} ways[] = { { true, PROBE_MEMORY_RECLAIM },
		     { true, PROBE_MEMORY_HIGH },
		     { false, PROBE_FORCE_EMPTY } };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		/* Where the parent does not hand the memory controller down, the file is missing.
		 */
		if (make_below(g, ways[i].v2) && has(g, probe_reclaim_name(ways[i].reclaim))) {
			g->reclaim = ways[i].reclaim;
			return;
		}
		probe_cgroup_remove(g);
	}
	g->reclaim = PROBE_PAGEOUT;
}

int probe_cgroup_enter(const struct probe_cgroup *g, pid_t pid)
{
	char text[32];

	if (!g->path[0])
		return 0;
	snprintf(text, sizeof(text), "%d", (int)pid);
	return write_file(g, "cgroup.procs", text);
}

/* Failures show in what is still resident, which the caller looks at. */
void probe_cgroup_empty(const struct probe_cgroup *g, uint64_t bytes)
{
	char text[32];

	switch (g->reclaim) {
	case PROBE_MEMORY_RECLAIM:
		snprintf(text, sizeof(text), "%" PRIu64, bytes);
		write_file(g, "memory.reclaim", text);
		break;
	case PROBE_MEMORY_HIGH:
		write_file(g, "memory.high", "0");
		write_file(g, "memory.high", "max");
		break;
	case PROBE_FORCE_EMPTY:
		write_file(g, "memory.swappiness", "100");
		write_file(g, "memory.force_empty", "0");
		break;
	case PROBE_PAGEOUT:
		break;
	}
}

int probe_cgroup_remove(struct probe_cgroup *g)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	if (!g->path[0])
		return 0;
	for (int i = 0; rmdir(g->path); i++) {
		if (errno == ENOENT)
			break;
		if (errno != EBUSY || i == REMOVE_TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
	g->path[0] = '\0';
	return 0;
}
