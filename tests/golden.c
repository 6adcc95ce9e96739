// SPDX-License-Identifier: GPL-2.0
/*
 * golden [-v] [-j N] PATH...: runs the models against vectors of the real kernel code.
 *
 * Walks the folders (a PATH may also be a file) for *.tsv and *.tsv.zst. What a file is follows
 * from its own header lines, never from its name; only *-table.tsv, which hold tables and no
 * operations, are skipped by name. Prints a line per failing file, a total per kind, and last "N
 * passed, N failed, N skipped". Exit: 0 every file agrees; 1 a file failed, or there was none; 2
 * usage; 4 no memory, no process.
 */
#include "golden.h"

#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "golden_file.h"

#define MAX_JOBS 256
#define KIND_LEN 32

enum file_state { STATE_WAITING, STATE_RUNNING, STATE_PASSED, STATE_FAILED, STATE_CRASHED };

/* What a worker leaves about a file, in memory shared with the parent. */
struct outcome {
	enum file_state state;
	pid_t worker;
	double seconds;
	char kind[KIND_LEN]; /* "" if it could not be told */
	struct golden_result r;
};

struct shared {
	atomic_size_t next; /* first file nobody has taken yet */
	struct outcome files[];
};

struct file_list {
	char **paths;
	size_t n, room;
	size_t skipped;
	int err;
};

/* nftw() has no place for the caller's data. */
static struct file_list files;

static bool ends_with(const char *s, const char *end)
{
	size_t a = strlen(s), b = strlen(end);

	return a >= b && !strcmp(s + a - b, end);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char **paths;

	(void)ftw;
	if (type == FTW_DNR || type == FTW_NS || type == FTW_SLN) {
		fprintf(stderr, "golden: %s: can't be read\n", path);
		files.err = -EACCES;
		return 0;
	}
	if (type != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	if (ends_with(path, "-table.tsv") || ends_with(path, "-table.tsv.zst")) {
		files.skipped++;
		return 0;
	}
	if (!ends_with(path, ".tsv") && !ends_with(path, ".tsv.zst"))
		return 0;
	if (files.n == files.room) {
		files.room = files.room ? files.room * 2 : 256;
		paths = realloc(files.paths, files.room * sizeof(*paths));
		if (!paths)
			return -ENOMEM;
		files.paths = paths;
	}
	files.paths[files.n] = strdup(path);
	return files.paths[files.n++] ? 0 : -ENOMEM;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Fills @files; an unreadable or missing path is remembered in files.err. */
static int find_files(int n, char **dirs)
{
	for (int i = 0; i < n; i++) {
		struct stat st;
		int ret;

		if (stat(dirs[i], &st)) {
			fprintf(stderr, "golden: %s: %s\n", dirs[i], strerror(errno));
			files.err = -errno;
			continue;
		}
		ret = nftw(dirs[i], visit, 32, 0);
		if (ret == -ENOMEM)
			return -ENOMEM;
		if (ret) {
			fprintf(stderr, "golden: %s: %s\n", dirs[i], strerror(errno));
			files.err = -errno;
		}
	}
	if (files.n)
		qsort(files.paths, files.n, sizeof(*files.paths), by_path);
	return 0;
}

/* The kind of a text goes to @kind; returns its checker, or NULL if it is of no known kind. */
static int (*checker_of(const char *text, char *kind))(const char *, char *, size_t,
						       struct golden_result *)
{
	char what[KIND_LEN * 4];
	const char *name;

	if (golden_header(text, "generation", what, sizeof(what))) {
		snprintf(kind, KIND_LEN, "%.*s", KIND_LEN - 1, what);
		return golden_alloc_run;
	}
	if (golden_header(text, "what", what, sizeof(what)) &&
	    !strncmp(what, "per-cpu add batches", strlen("per-cpu add batches"))) {
		snprintf(kind, KIND_LEN, "pagevec");
		return golden_pagevec_run;
	}
	name = golden_readahead_kind(text);
	if (name) {
		snprintf(kind, KIND_LEN, "%s", name);
		return golden_readahead_run;
	}
	return NULL;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void run_file(const char *path, struct outcome *o)
{
	int (*check)(const char *, char *, size_t, struct golden_result *);
	double start = now();
	char why[256];
	size_t len;
	char *text;
	int ret;

	text = golden_read_file(path, &len, why, sizeof(why));
	if (!text) {
		golden_broken(&o->r, NULL, "%s", why);
		o->state = STATE_FAILED;
		return;
	}
	check = checker_of(text, o->kind);
	if (!check)
		ret = golden_broken(&o->r, NULL,
				    "unknown kind of vector: no header line names one");
	else
		ret = check(path, text, len, &o->r);
	if (ret < 0)
		golden_broken(&o->r, NULL, "not run: %s", strerror(-ret));
	else if (!ret && !o->r.failed && !o->r.checked)
		ret = golden_broken(&o->r, NULL, "no row with an answer to compare");
	free(text);
	o->seconds = now() - start;
	o->state = ret || o->r.failed ? STATE_FAILED : STATE_PASSED;
}

static void worker(struct shared *sh)
{
	for (;;) {
		size_t i = atomic_fetch_add(&sh->next, 1);

		if (i >= files.n)
			_exit(0);
		sh->files[i].worker = getpid();
		sh->files[i].state = STATE_RUNNING;
		run_file(files.paths[i], &sh->files[i]);
	}
}

/* A worker that died leaves its file in state running: the model crashed on it. */
static void note_crash(struct shared *sh, pid_t pid, int status)
{
	for (size_t i = 0; i < files.n; i++) {
		struct outcome *o = &sh->files[i];

		if (o->state != STATE_RUNNING || o->worker != pid)
			continue;
		o->state = STATE_CRASHED;
		if (WIFSIGNALED(status))
			golden_broken(&o->r, NULL, "the checker died: %s",
				      strsignal(WTERMSIG(status)));
		else
			golden_broken(&o->r, NULL, "the checker ended with status %d",
				      WEXITSTATUS(status));
	}
}

static int start_worker(struct shared *sh)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		worker(sh);
	return pid < 0 ? -errno : 0;
}

/* Processes, not threads: a model that crashes on one vector must not take the others along. */
static int run_all(struct shared *sh, unsigned int jobs)
{
	unsigned int running = 0;
	int status, ret = 0;
	pid_t pid;

	if (jobs > files.n)
		jobs = (unsigned int)files.n;
	while (running < jobs && !ret) {
		ret = start_worker(sh);
		running += !ret;
	}
	if (!running)
		return ret;
	while (running && (pid = wait(&status)) > 0) {
		running--;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		note_crash(sh, pid, status);
		if (atomic_load(&sh->next) < files.n && !start_worker(sh))
			running++;
	}
	return 0;
}

static void print_failure(const char *path, const struct outcome *o)
{
	const struct golden_result *r = &o->r;

	if (o->state == STATE_WAITING || o->state == STATE_RUNNING)
		printf("FAIL %s: not run\n", path);
	else if (!r->line)
		printf("FAIL %s: %s\n", path, r->got);
	else if (!r->expected[0])
		printf("FAIL %s: row %llu (line %llu): %s: %s\n", path, (unsigned long long)r->rows,
		       (unsigned long long)r->line, r->got, r->row);
	else
		printf("FAIL %s: row %llu (line %llu): expected %s, got %s: %s\n", path,
		       (unsigned long long)r->rows, (unsigned long long)r->line, r->expected,
		       r->got, r->row);
}

static void print_kind_totals(const struct shared *sh, const char *kind, size_t from)
{
	unsigned long long n = 0, failed = 0, rows = 0;

	for (size_t i = from; i < files.n; i++) {
		const struct outcome *o = &sh->files[i];

		if (strcmp(o->kind, kind))
			continue;
		n++;
		failed += o->state != STATE_PASSED;
		rows += o->r.checked;
	}
	printf("%-16s %4llu files, %9llu answers compared, %llu failed\n",
	       kind[0] ? kind : "(unknown)", n, rows, failed);
}

static int report(const struct shared *sh, bool verbose)
{
	size_t passed = 0, failed = 0;

	for (size_t i = 0; i < files.n; i++) {
		const struct outcome *o = &sh->files[i];

		if (o->state == STATE_PASSED)
			passed++;
		else
			failed++;
		if (o->state != STATE_PASSED)
			print_failure(files.paths[i], o);
		else if (verbose)
			printf("ok   %s: %s, %llu rows, %.3f s\n", files.paths[i], o->kind,
			       (unsigned long long)o->r.rows, o->seconds);
	}
	for (size_t i = 0; i < files.n; i++) {
		size_t j = 0;

		while (strcmp(sh->files[j].kind, sh->files[i].kind))
			j++;
		if (j == i)
			print_kind_totals(sh, sh->files[i].kind, i);
	}
	if (!files.n)
		printf("no vector files found\n");
	printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, files.skipped);
	return failed || files.err || !files.n;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: golden [-v] [-j N] PATH...\n"
		"  -v    a line for each file that agrees, too\n"
		"  -j N  N processes, 1 to %d (default: one per CPU)\n",
		MAX_JOBS);
	return 2;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t jobs = cpus > 0 ? (uint64_t)cpus : 1;
	struct shared *sh;
	bool verbose = false;
	int opt, ret;

	while ((opt = getopt(argc, argv, "vj:")) != -1) {
		if (opt == 'v')
			verbose = true;
		else if (opt != 'j' || !golden_u64(optarg, &jobs) || !jobs || jobs > MAX_JOBS)
			return usage();
	}
	if (optind == argc)
		return usage();
	if (jobs > MAX_JOBS)
		jobs = MAX_JOBS;
	if (find_files(argc - optind, argv + optind)) {
		fprintf(stderr, "golden: no memory\n");
		return 4;
	}
	sh = mmap(NULL, sizeof(*sh) + (files.n + 1) * sizeof(sh->files[0]), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED) {
		fprintf(stderr, "golden: no memory\n");
		return 4;
	}
	ret = run_all(sh, (unsigned int)jobs);
	if (ret) {
		fprintf(stderr, "golden: can't start a process: %s\n", strerror(-ret));
		return 4;
	}
	ret = report(sh, verbose);
	for (size_t i = 0; i < files.n; i++)
		free(files.paths[i]);
	free(files.paths);
	munmap(sh, sizeof(*sh) + (files.n + 1) * sizeof(sh->files[0]));
	return ret;
}
