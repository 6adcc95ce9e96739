// SPDX-License-Identifier: GPL-2.0
/*
 * The lab's workload: processes fill memory, a hog pushes it out to swap, then the pages come back
 * by faults or by swapoff. Seeded and deterministic: what is written where and the order of the
 * faults follow from the options alone (when the kernel reclaims what does not).
 *
 * Everything that is not under test (stack, data, the order of the faults, the semaphores) is
 * locked in memory before the region under test is mapped.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIXED_RUN 32 /* pages of one sequential or random stretch of the mixed pattern */
#define HOG_ATTEMPTS 4
#define HOG_PAUSE_US 1000 /* after each MB */

/* In a shared, locked mapping: how the parent and the filling processes take turns. */
struct turns {
	sem_t fill[MAX_PROCS];
	sem_t fault[MAX_PROCS];
	sem_t filled;
	sem_t finished;
};

static volatile sig_atomic_t ended;

void say(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "workload: %s\n", line);
}

void die(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "workload: %s\n", line);
	exit(1);
}

uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint64_t page_tag(const struct options *o, unsigned long proc, unsigned long page)
{
	/* Never zero: the kernel does not write pages of zeroes to the device. */
	return mix(o->seed ^ (proc << 48) ^ page) | 1;
}

/*
 * Half of a page is noise and half repeats one word, so that zram compresses it to somewhat more
 * than half. A page of one repeated word would be special to zram, a page of zeroes to the kernel.
 */
void fill_page(uint64_t *p, uint64_t tag)
{
	uint64_t x = tag;
	unsigned long i;

	p[0] = tag;
	for (i = 1; i < WORDS / 2; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = x;
	}
	for (; i < WORDS; i++)
		p[i] = tag;
}

void *map_region(size_t size, bool shared)
{
	int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (p == MAP_FAILED)
		die("cannot map %zu bytes: %s", size, strerror(errno));
	return p;
}

static void take(sem_t *sem)
{
	while (sem_wait(sem))
		if (errno != EINTR)
			die("sem_wait: %s", strerror(errno));
}

void lock_memory(void)
{
	if (mlockall(MCL_CURRENT))
		die("cannot lock memory: %s", strerror(errno));
}

static void swap_entries(uint32_t *order, unsigned long a, unsigned long b)
{
	uint32_t t = order[a];

	order[a] = order[b];
	order[b] = t;
}

static void shuffle(uint32_t *order, unsigned long n, uint64_t seed)
{
	unsigned long i;

	for (i = n; i > 1; i--)
		swap_entries(order, i - 1, mix(seed + i) % i);
}

/* Stretches in order take turns with stretches in random order, each page once. */
static void mixed_order(uint32_t *order, unsigned long n, uint64_t seed)
{
	uint32_t *random = malloc(n * sizeof(*random));
	bool *seen = calloc(n, sizeof(*seen));
	unsigned long next[2] = { 0, 0 }, i = 0, k, kind;
	uint32_t page;

	if (!random || !seen)
		die("out of memory");
	for (k = 0; k < n; k++)
		random[k] = k;
	shuffle(random, n, seed);
	for (kind = 0; i < n; kind = !kind) {
		for (k = 0; k < MIXED_RUN && next[kind] < n;) {
			page = kind ? random[next[1]] : next[0];
			next[kind]++;
			if (seen[page])
				continue;
			seen[page] = true;
			order[i++] = page;
			k++;
		}
	}
	free(seen);
	free(random);
}

void fault_order(const struct options *o, unsigned long proc, uint32_t *order, unsigned long n)
{
	uint64_t seed = mix(o->seed + 1000 * proc);
	unsigned long i = 0, start, page;

	switch (o->pattern) {
	case PATTERN_SEQ:
	case PATTERN_RANDOM:
		for (i = 0; i < n; i++)
			order[i] = i;
		if (o->pattern == PATTERN_RANDOM)
			shuffle(order, n, seed);
		break;
	case PATTERN_REVERSE:
		for (i = 0; i < n; i++)
			order[i] = n - 1 - i;
		break;
	case PATTERN_STRIDE:
		for (start = 0; start < o->stride; start++)
			for (page = start; page < n; page += o->stride)
				order[i++] = page;
		break;
	case PATTERN_MIXED:
		mixed_order(order, n, seed);
		break;
	}
}

static void fill_region(const struct options *o, struct turns *turns, unsigned long proc,
			uint64_t *region)
{
	unsigned long n = o->mb * PAGES_PER_MB, turn = o->fill == FILL_INTERLEAVE ? o->turn : n;
	unsigned long page, end;

	for (page = 0; page < n; page = end) {
		end = page + turn < n ? page + turn : n;
		if (o->fill != FILL_TOGETHER)
			take(&turns->fill[proc]);
		for (unsigned long i = page; i < end; i++)
			fill_page(region + i * WORDS, page_tag(o, proc, i));
		if (o->fill != FILL_TOGETHER)
			sem_post(&turns->fill[(proc + 1) % o->procs]);
	}
}

/* Also proves that the kernel brought back what was there. */
static void fault_region(const struct options *o, unsigned long proc, unsigned long owner,
			 uint64_t *region, const uint32_t *order)
{
	unsigned long n = o->mb * PAGES_PER_MB * o->share / 100, i;

	for (i = 0; i < n; i++) {
		volatile uint64_t *p = region + order[i] * WORDS;
		uint64_t want = page_tag(o, owner, order[i]);

		if (o->write)
			p[WORDS - 1] = i + 1;
		if (p[0] != want)
			die("process %lu: page %u holds %#llx instead of %#llx", proc, order[i],
			    (unsigned long long)p[0], (unsigned long long)want);
	}
}

/* A process of the load. shared_region: filled by the parent before the fork, else NULL. */
static void run_process(const struct options *o, struct turns *turns, unsigned long proc,
			uint64_t *shared_region)
{
	unsigned long n = o->mb * PAGES_PER_MB;
	uint32_t *order = calloc(n, sizeof(*order));
	uint64_t *region = shared_region;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!order)
		die("out of memory");
	fault_order(o, proc, order, n);
	if (shared_region) {
		if (mlock(order, n * sizeof(*order)))
			die("cannot lock memory: %s", strerror(errno));
	} else {
		lock_memory();
		region = map_region(n * PAGE, o->memory == MEMORY_SHMEM);
		fill_region(o, turns, proc, region);
	}
	sem_post(&turns->filled);
	take(&turns->fault[proc]);
	if (o->faults)
		fault_region(o, proc, shared_region ? 0 : proc, region, order);
	sem_post(&turns->finished);
	for (;;)
		pause();
}

/* Kilobytes in the line "NAME: N kB" of a file in /proc, 0 where it has none. */
static unsigned long proc_kb(const char *path, const char *name)
{
	char line[256];
	unsigned long kb = 0;
	size_t length = strlen(name);
	FILE *f = fopen(path, "r");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, length) && line[length] == ':') {
			kb = strtoul(line + length + 1, NULL, 10);
			break;
		}
	}
	fclose(f);
	return kb;
}

/*
 * All the memory that reclaim can make free, less a reserve that keeps the out-of-memory killer
 * away. What is swapped to zram gives back only a part.
 */
static unsigned long hog_size_mb(const struct options *o)
{
	const char *meminfo = "/proc/meminfo";
	unsigned long total = proc_kb(meminfo, "MemTotal");
	unsigned long anon = proc_kb(meminfo, "Active(anon)") + proc_kb(meminfo, "Inactive(anon)");
	unsigned long file = proc_kb(meminfo, "Active(file)") + proc_kb(meminfo, "Inactive(file)");
	unsigned long kb = proc_kb(meminfo, "MemFree") + file + anon * (100 - o->kept) / 100;
	unsigned long reserve = total / 16 > 16384 ? total / 16 : 16384;

	if (o->hog_mb)
		return o->hog_mb;
	return kb > reserve ? (kb - reserve) / 1024 : 1;
}

/* Touches the memory in steps, with pauses in which reclaim and the disk keep up. */
static void touch_memory(unsigned long mb)
{
	unsigned long n = mb * PAGES_PER_MB, i;
	uint64_t *p = map_region(n * PAGE, false);

	for (i = 0; i < n; i++) {
		p[i * WORDS] = i + 1;
		if (i % PAGES_PER_MB == 0)
			usleep(HOG_PAUSE_US);
	}
}

/* Let the hog be what the out-of-memory killer chooses, never the load or the recorder. */
static void volunteer_for_oom(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "w");

	if (!f)
		return;
	fputs("1000", f);
	fclose(f);
}

/* False: it was killed before it had touched everything. */
static bool hog_once(unsigned long mb)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		volunteer_for_oom();
		touch_memory(mb);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid: %s", strerror(errno));
	if (status && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		die("the hog died (status %#x)", (unsigned int)status);
	return !status;
}

/*
 * The kernel sometimes gives up on reclaim too early and kills the hog while plenty could be
 * swapped: then the round is tried again, with a smaller hog. A hog that is killed every time is
 * too large.
 */
static void hog_round(const struct options *o, unsigned long round)
{
	unsigned long mb, attempt;

	for (attempt = 0; attempt < HOG_ATTEMPTS; attempt++) {
		mb = hog_size_mb(o) * (10 - attempt) / 10;
		say("hog of %lu MB, round %lu of %lu", mb, round, o->hog_rounds);
		if (hog_once(mb))
			return;
		say("the hog was killed: out of memory");
		usleep(200000);
	}
	die("%d hogs in a row ran out of memory: give a smaller --hog-mb", HOG_ATTEMPTS);
}

static void hog(const struct options *o)
{
	unsigned long round;

	for (round = 1; round <= o->hog_rounds; round++)
		hog_round(o, round);
}

static const char *state_path(const struct options *o, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", o->state, name);
	return path;
}

void set_state(const struct options *o, const char *name)
{
	char path[256];
	int fd;

	if (!o->state)
		return;
	fd = open(state_path(o, name, path, sizeof(path)), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

static void check_children(void)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	if (pid > 0)
		die("process %d died (status %#x)", (int)pid, (unsigned int)status);
}

bool wait_for_state(const struct options *o, const char *name)
{
	char path[256];
	struct stat st;

	while (!ended) {
		if (o->state && !stat(state_path(o, name, path, sizeof(path)), &st))
			return true;
		check_children();
		usleep(10000);
	}
	return false;
}

static unsigned long swapped_pages(const pid_t *pids, unsigned long n)
{
	unsigned long i, kb = 0;
	char path[64];

	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pids[i]);
		kb += proc_kb(path, "Swap");
	}
	return kb * 1024 / PAGE;
}

static struct turns *make_turns(void)
{
	struct turns *turns = map_region(sizeof(*turns), true);
	unsigned long i;

	for (i = 0; i < MAX_PROCS; i++)
		if (sem_init(&turns->fill[i], 1, 0) || sem_init(&turns->fault[i], 1, 0))
			die("sem_init: %s", strerror(errno));
	if (sem_init(&turns->filled, 1, 0) || sem_init(&turns->finished, 1, 0))
		die("sem_init: %s", strerror(errno));
	return turns;
}

static void start_processes(const struct options *o, struct turns *turns, pid_t *pids)
{
	uint64_t *region = NULL;
	unsigned long i;

	lock_memory();
	if (o->memory == MEMORY_FORK) {
		region = map_region(o->mb * PAGES_PER_MB * PAGE, false);
		for (i = 0; i < o->mb * PAGES_PER_MB; i++)
			fill_page(region + i * WORDS, page_tag(o, 0, i));
	}
	for (i = 0; i < o->procs; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork: %s", strerror(errno));
		if (!pids[i])
			run_process(o, turns, i, region);
	}
	sem_post(&turns->fill[0]);
	for (i = 0; i < o->procs; i++)
		while (sem_trywait(&turns->filled)) {
			check_children();
			usleep(10000);
		}
}

static void fault_phase(const struct options *o, struct turns *turns)
{
	unsigned long i;

	say("%lu processes fault %lu %% of their pages back, %s", o->procs, o->share,
	    o->together ? "together" : "one after the other");
	for (i = 0; i < o->procs; i++) {
		sem_post(&turns->fault[i]);
		while (!o->together && sem_trywait(&turns->finished)) {
			check_children();
			usleep(1000);
		}
	}
	for (i = 0; o->together && i < o->procs; i++)
		while (sem_trywait(&turns->finished)) {
			check_children();
			usleep(1000);
		}
}

static void end_processes(const struct options *o, const pid_t *pids)
{
	unsigned long i;

	for (i = 0; i < o->procs; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < o->procs; i++)
		waitpid(pids[i], NULL, 0);
}

static int run_load(const struct options *o)
{
	static const char *const kinds[] = { "private memory", "shared memory (shmem)",
					     "memory that all share by fork" };
	struct turns *turns = make_turns();
	pid_t pids[MAX_PROCS];
	unsigned long pages = o->mb * PAGES_PER_MB * o->procs;

	say("%lu processes with %lu MB each of %s", o->procs, o->mb, kinds[o->memory]);
	start_processes(o, turns, pids);
	hog(o);
	say("%lu of %lu pages are swapped out", swapped_pages(pids, o->procs), pages);
	set_state(o, "ready");
	if (o->faults && (!o->state || wait_for_state(o, "go"))) {
		fault_phase(o, turns);
		set_state(o, "done");
	}
	if (o->state || !o->faults)
		wait_for_state(o, "end");
	end_processes(o, pids);
	return 0;
}

static int run_swapon(int argc, char **argv)
{
	int prio = argc == 3 ? atoi(argv[2]) : -1;

	if (argc < 2 || argc > 3)
		die("usage: workload swapon DEVICE [PRIORITY]");
	if (swapon(argv[1], prio < 0 ? 0 : SWAP_FLAG_PREFER | (prio & SWAP_FLAG_PRIO_MASK)))
		die("swapon %s: %s", argv[1], strerror(errno));
	return 0;
}

static void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

static unsigned long number(const char *option, const char *text, unsigned long min,
			    unsigned long max)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || value < min || value > max)
		die("--%s %s: not a number from %lu to %lu", option, text, min, max);
	return value;
}

/* The place of a word in a list, NULL-terminated. */
static int word(const char *option, const char *text, const char *const *list)
{
	int i;

	for (i = 0; list[i]; i++)
		if (!strcmp(text, list[i]))
			return i;
	die("--%s %s: unknown", option, text);
}

static void parse_pattern(struct options *o, const char *text)
{
	static const char *const names[] = { "seq", "reverse", "stride", "random", "mixed", NULL };

	o->faults = true;
	if (!strncmp(text, "stride:", 7)) {
		o->pattern = PATTERN_STRIDE;
		o->stride = number("pattern stride", text + 7, 1, 1UL << 20);
		return;
	}
	o->pattern = word("pattern", text, names);
	if (o->pattern == PATTERN_STRIDE)
		die("--pattern stride: say how many pages, as stride:N");
}

enum option_id {
	OPT_PROCS,
	OPT_MB,
	OPT_SEED,
	OPT_FILL,
	OPT_TURN,
	OPT_PATTERN,
	OPT_SHARE,
	OPT_TOGETHER,
	OPT_WRITE,
	OPT_HOG_MB,
	OPT_HOG_ROUNDS,
	OPT_KEPT,
	OPT_STATE,
	OPT_ITERATIONS,
	OPT_FILES,
	OPT_PAGES,
	OPT_MIN_PAGES,
	OPT_DIR,
	OPT_TIMES,
	OPT_CGROUP,
};

static const struct option long_options[] = {
	{ "procs", required_argument, NULL, OPT_PROCS },
	{ "mb", required_argument, NULL, OPT_MB },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "fill", required_argument, NULL, OPT_FILL },
	{ "turn", required_argument, NULL, OPT_TURN },
	{ "pattern", required_argument, NULL, OPT_PATTERN },
	{ "share", required_argument, NULL, OPT_SHARE },
	{ "together", no_argument, NULL, OPT_TOGETHER },
	{ "write", no_argument, NULL, OPT_WRITE },
	{ "hog-mb", required_argument, NULL, OPT_HOG_MB },
	{ "hog-rounds", required_argument, NULL, OPT_HOG_ROUNDS },
	{ "kept", required_argument, NULL, OPT_KEPT },
	{ "state", required_argument, NULL, OPT_STATE },
	{ "iterations", required_argument, NULL, OPT_ITERATIONS },
	{ "files", required_argument, NULL, OPT_FILES },
	{ "pages", required_argument, NULL, OPT_PAGES },
	{ "min-pages", required_argument, NULL, OPT_MIN_PAGES },
	{ "dir", required_argument, NULL, OPT_DIR },
	{ "times", required_argument, NULL, OPT_TIMES },
	{ "cgroup", required_argument, NULL, OPT_CGROUP },
	{ NULL, 0, NULL, 0 },
};

static void set_file_option(struct options *o, int id, const char *value)
{
	switch (id) {
	case OPT_ITERATIONS:
		o->iterations = number("iterations", value, 1, 1000000);
		break;
	case OPT_FILES:
		o->files = number("files", value, 1, 1000000);
		break;
	case OPT_PAGES:
		o->pages = number("pages", value, 1, 1UL << 20);
		break;
	case OPT_MIN_PAGES:
		o->min_pages = number("min-pages", value, 1, 1UL << 20);
		break;
	case OPT_DIR:
		o->dir = value;
		break;
	case OPT_TIMES:
		o->times = value;
		break;
	case OPT_CGROUP:
		o->cgroup = value;
		break;
	default:
		die("option %d has no meaning", id);
	}
}

static void set_option(struct options *o, int id, const char *value)
{
	static const char *const fills[] = { "seq", "interleave", "together", NULL };

	switch (id) {
	case OPT_PROCS:
		o->procs = number("procs", value, 1, MAX_PROCS);
		break;
	case OPT_MB:
		o->mb = number("mb", value, 1, 1UL << 20);
		break;
	case OPT_SEED:
		o->seed = number("seed", value, 0, UINT32_MAX);
		break;
	case OPT_FILL:
		o->fill = word("fill", value, fills);
		break;
	case OPT_TURN:
		o->turn = number("turn", value, 1, 1UL << 20);
		break;
	case OPT_PATTERN:
		parse_pattern(o, value);
		break;
	case OPT_SHARE:
		o->share = number("share", value, 1, 100);
		break;
	case OPT_TOGETHER:
		o->together = true;
		break;
	case OPT_WRITE:
		o->write = true;
		break;
	case OPT_HOG_MB:
		o->hog_mb = number("hog-mb", value, 1, 1UL << 20);
		break;
	case OPT_HOG_ROUNDS:
		o->hog_rounds = number("hog-rounds", value, 0, 100);
		break;
	case OPT_KEPT:
		o->kept = number("kept", value, 0, 100);
		break;
	case OPT_STATE:
		o->state = value;
		break;
	default:
		set_file_option(o, id, value);
	}
}

static const char usage_text[] =
	"usage: workload COMMAND [options]\n"
	"  fill    processes fill memory and hold it\n"
	"  hog     touch nearly all memory, then let go\n"
	"  t1      fill, let a hog push it out, hold it (for a swapoff)\n"
	"  fault   fill, hog, then fault the pages back\n"
	"  shmem   as t1, or as fault where --pattern is given, with shared memory (shmem)\n"
	"  fork    the same with memory that all processes share by fork\n"
	"  mthp    one process: 64 kB folios and pages go out; then rounds of faults, drops and "
	"page-out\n"
	"  placed  one process: pages go out, some are dropped and made anew, in rounds; then "
	"all are read in the "
	"order of --pattern, or stay\n"
	"  truncate   sparse files are read, then truncated\n"
	"  readtwice  sparse files are read by two processes each, all at the same time\n"
	"  swapon DEVICE [PRIORITY]\n"
	"options:\n"
	"  --procs N --mb N         processes, and MB of each (of all together with fork)\n"
	"  --seed N                 contents and random orders\n"
	"  --turn N                 pages that a process fills in its turn, or placed drops at "
	"once\n"
	"  --fill seq|interleave|together   one process after the other, in turns of --turn pages, "
	"or all at once\n"
	"  --pattern seq|reverse|stride:N|random|mixed   order of the faults\n"
	"  --share PERCENT          of its pages that a process faults back; of what mthp faults\n"
	"  --together --write       fault at the same time; with writes\n"
	"  --hog-mb N --hog-rounds N --kept PERCENT   size of the hog (else all that is free or "
	"can become free, where\n"
	"                           PERCENT of what is swapped stays in memory), how often\n"
	"  --iterations N           rounds of mthp and placed\n"
	"  --cgroup DIR             the cgroup that placed joins, and which it reclaims\n"
	"  --files N --pages N --dir DIR   files of truncate, of 1 to N pages, or of readtwice, of "
	"N, "
	"and where they are\n"
	"  --min-pages N            the smallest file of truncate, instead of 1\n"
	"  --times FILE             write the ns of each truncation into FILE, one a line\n"
	"  --state DIR              make DIR/ready when swapped out, wait for DIR/go, make "
	"DIR/done, wait for DIR/end\n";

static int run_command(const char *command, const struct options *given)
{
	struct options o = *given;

	if (!strcmp(command, "hog")) {
		hog(&o);
		return 0;
	}
	if (!strcmp(command, "mthp"))
		return run_mthp(&o);
	if (!strcmp(command, "placed"))
		return run_placed(&o);
	if (!strcmp(command, "truncate"))
		return run_truncate(&o);
	if (!strcmp(command, "readtwice"))
		return run_readtwice(&o);
	if (!strcmp(command, "fill")) {
		o.hog_rounds = 0;
		o.faults = false;
	} else if (!strcmp(command, "t1")) {
		o.faults = false;
	} else if (!strcmp(command, "fault")) {
		o.faults = true;
	} else if (!strcmp(command, "shmem")) {
		o.memory = MEMORY_SHMEM;
	} else if (!strcmp(command, "fork")) {
		o.memory = MEMORY_FORK;
	} else {
		fputs(usage_text, stderr);
		return 2;
	}
	return run_load(&o);
}

int main(int argc, char **argv)
{
	struct options o = { .procs = 3,
			     .mb = 40,
			     .seed = 1,
			     .fill = FILL_TOGETHER,
			     .turn = 16,
			     .stride = 1,
			     .share = 100,
			     .hog_rounds = 2,
			     .iterations = 2,
			     .files = 500,
			     .pages = 48,
			     .min_pages = 1,
			     .dir = "/tmp" };
	struct sigaction action = { .sa_handler = on_end };
	int id;

	if (argc < 2 || !strcmp(argv[1], "--help")) {
		fputs(usage_text, argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : 0;
	}
	if (!strcmp(argv[1], "swapon"))
		return run_swapon(argc - 1, argv + 1);
	while ((id = getopt_long(argc - 1, argv + 1, "", long_options, NULL)) != -1) {
		if (id == '?') {
			fputs(usage_text, stderr);
			return 2;
		}
		set_option(&o, id, optarg);
	}
	if (optind != argc - 1) {
		fputs(usage_text, stderr);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	return run_command(argv[1], &o);
}
