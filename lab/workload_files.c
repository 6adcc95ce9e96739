// SPDX-License-Identifier: GPL-2.0
/*
 * Loads on the page cache, after the benchmarks that two mailing-list threads were argued with:
 *
 * truncate: many sparse files of a few pages are read, then truncated (sparsetruncate, tiny).
 * readtwice: sparse files are read from begin to end by two processes each, all of them at the same
 * time (lru-file-readtwice): the first to come adds a page, the second finds it.
 *
 * The files are sparse so that no disk has a part in it: reading a hole makes a page of the page
 * cache and nothing else.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *file_path(const struct options *o, unsigned long i, char *path, size_t size)
{
	snprintf(path, size, "%s/sparse-%lu", o->dir, i);
	return path;
}

static void make_sparse(const struct options *o, unsigned long i, unsigned long pages)
{
	char path[256];
	int fd = open(file_path(o, i, path, sizeof(path)), O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)(pages * PAGE)))
		die("%s: %s", path, strerror(errno));
	close(fd);
}

/* Page by page, as dd with bs=4k does. */
static void read_file(const struct options *o, unsigned long i)
{
	char path[256], page[PAGE];
	int fd = open(file_path(o, i, path, sizeof(path)), O_RDONLY);
	ssize_t n;

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	while ((n = read(fd, page, sizeof(page))) > 0)
		if (page[0] || page[n - 1])
			die("%s: a hole is not all zeros", path);
	if (n < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

/* ---- truncate ---- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t truncate_file(const struct options *o, unsigned long i)
{
	char path[256];
	uint64_t begin;

	file_path(o, i, path, sizeof(path));
	begin = now_ns();
	if (truncate(path, 0))
		die("%s: %s", path, strerror(errno));
	return now_ns() - begin;
}

/* Written when all is over, so that the writing has no part in what is measured. */
static void write_times(const char *path, const uint64_t *ns, unsigned long n)
{
	FILE *f = fopen(path, "w");

	if (!f)
		die("%s: %s", path, strerror(errno));
	for (unsigned long i = 0; i < n; i++)
		fprintf(f, "%llu\n", (unsigned long long)ns[i]);
	if (fclose(f))
		die("%s: %s", path, strerror(errno));
}

int run_truncate(const struct options *o)
{
	unsigned long sizes = o->pages - o->min_pages + 1;
	uint64_t *ns = calloc(o->files, sizeof(*ns));
	char path[256];
	unsigned long i;

	if (!ns)
		die("out of memory");
	if (o->min_pages > o->pages)
		die("--min-pages %lu: more than --pages %lu", o->min_pages, o->pages);
	say("%lu sparse files of %lu to %lu pages", o->files, o->min_pages, o->pages);
	for (i = 0; i < o->files; i++) {
		make_sparse(o, i, o->min_pages + mix(o->seed ^ i) % sizes);
		read_file(o, i);
	}
	for (i = 0; i < o->files; i++)
		ns[i] = truncate_file(o, i);
	for (i = 0; i < o->files; i++)
		unlink(file_path(o, i, path, sizeof(path)));
	if (o->times)
		write_times(o->times, ns, o->files);
	free(ns);
	return 0;
}

/* ---- readtwice ---- */

/* A process that waits until nobody can write into the pipe any more, then reads the file. */
static void start_reader(const struct options *o, unsigned long i, const int gate[2])
{
	pid_t pid = fork();
	char byte;

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(gate[1]);
	if (read(gate[0], &byte, 1) < 0)
		die("pipe: %s", strerror(errno));
	read_file(o, i);
	_exit(0);
}

int run_readtwice(const struct options *o)
{
	unsigned long readers = 2 * o->files, i;
	int gate[2], status;

	if (readers > MAX_PROCS)
		die("--files %lu: at most %d, as each is read by two processes", o->files,
		    MAX_PROCS / 2);
	say("%lu sparse files of %lu pages, two readers each", o->files, o->pages);
	for (i = 0; i < o->files; i++)
		make_sparse(o, i, o->pages);
	if (pipe(gate))
		die("pipe: %s", strerror(errno));
	for (i = 0; i < readers; i++)
		start_reader(o, i / 2, gate);
	close(gate[1]);
	for (i = 0; i < readers; i++)
		if (wait(&status) < 0 || status)
			die("a reader failed (status %#x)", status);
	return 0;
}
