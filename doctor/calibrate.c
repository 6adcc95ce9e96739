// SPDX-License-Identifier: GPL-2.0
#include "doctor/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "common/temporary.h"

#define WAYS (LRUADD_NO_BARRIER + 1)
#define PAGES 1024 /* page structures; they stay in the second-level cache */
#define SWEEPS 4   /* over all of them, per round and way */
#define READ_BYTES (1u << 20)
#define READ_ROUNDS 61

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* --- the ways to add a page ------------------------------------------------------------------ */

enum { FLAG_LRU = 1, FLAG_UNEVICTABLE = 2, FLAG_MLOCKED = 4 };

/* As large as the kernel's, so that each has a cache line of its own. */
struct fake_page {
	_Alignas(64) atomic_ulong flags;
	const unsigned long *mapping_flags;
	unsigned long list;
};

/* Memory is ordered on both sides of this, for everybody: what smp_mb() stands for. */
static inline void full_barrier(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lock; addl $0, -4(%%rsp)" ::: "memory", "cc");
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* An atomic update before it is a full barrier on x86 already. */
static inline void barrier_after_atomic(void)
{
#if defined(__x86_64__)
	__asm__ volatile("" ::: "memory");
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

static inline bool evictable(struct fake_page *p)
{
	unsigned long flags = atomic_load_explicit(&p->flags, memory_order_relaxed);

	return !(*p->mapping_flags & FLAG_UNEVICTABLE) && !(flags & FLAG_MLOCKED);
}

/* The empty statement keeps a compiler from seeing that the calls could be left out. */
__attribute__((noinline)) static bool evictable_by_call(struct fake_page *p)
{
	__asm__ volatile("" ::: "memory");
	return evictable(p);
}

static inline void add_page(struct fake_page *p, bool was_evictable)
{
	p->list = was_evictable ? 1 : 4;
	__asm__ volatile("" : : "r"(p) : "memory");
}

static inline void set_flags(struct fake_page *p)
{
	atomic_fetch_and_explicit(&p->flags, ~(unsigned long)FLAG_UNEVICTABLE,
				  memory_order_relaxed);
	atomic_fetch_or_explicit(&p->flags, FLAG_LRU, memory_order_relaxed);
}

static void outline_mb(struct fake_page *p)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		set_flags(&p[i]);
		full_barrier();
		add_page(&p[i], evictable_by_call(&p[i]));
	}
}

static void inline_mb(struct fake_page *p)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		set_flags(&p[i]);
		full_barrier();
		add_page(&p[i], evictable(&p[i]));
	}
}

static void inline_relaxed(struct fake_page *p)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		set_flags(&p[i]);
		barrier_after_atomic();
		add_page(&p[i], evictable(&p[i]));
	}
}

static void no_barrier(struct fake_page *p)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		set_flags(&p[i]);
		add_page(&p[i], evictable(&p[i]));
	}
}

static void (*const ways[WAYS])(struct fake_page *p) = {
	[LRUADD_OUTLINE_MB] = outline_mb,
	[LRUADD_INLINE_MB] = inline_mb,
	[LRUADD_INLINE_RELAXED] = inline_relaxed,
	[LRUADD_NO_BARRIER] = no_barrier,
};

static double time_way(enum lruadd way, struct fake_page *pages)
{
	double begin = now_ns();

	for (unsigned int i = 0; i < SWEEPS; i++)
		ways[way](pages);
	return (now_ns() - begin) / ((double)SWEEPS * PAGES);
}

/* --- medians ------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const double *sorted, unsigned int n, double p)
{
	double rank = p * (n - 1);
	unsigned int below = (unsigned int)rank;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (rank - below) * (sorted[below + 1] - sorted[below]);
}

/* Sorts @v. */
static struct spread spread_of(double *v, unsigned int n)
{
	qsort(v, n, sizeof(*v), ascending);
	return (struct spread){ .median = quantile(v, n, 0.5),
				.low = quantile(v, n, 0.25),
				.high = quantile(v, n, 0.75) };
}

/* Of two ways, round by round; the end of @v is scratch. */
static struct spread difference_of(const struct calibration *c, double *v, enum lruadd more,
				   enum lruadd less)
{
	size_t n = c->rounds;
	double *difference = &v[n * WAYS];

	for (size_t i = 0; i < n; i++)
		difference[i] = v[more * n + i] - v[less * n + i];
	return spread_of(difference, c->rounds);
}

static void summarise(struct calibration *c, double *v)
{
	c->call = difference_of(c, v, LRUADD_OUTLINE_MB, LRUADD_INLINE_MB);
	c->barrier = difference_of(c, v, LRUADD_INLINE_MB, LRUADD_INLINE_RELAXED);
	c->both = difference_of(c, v, LRUADD_OUTLINE_MB, LRUADD_INLINE_RELAXED);
	for (int way = LRUADD_OUTLINE_MB; way < WAYS; way++)
		c->way[way] = spread_of(&v[(size_t)way * c->rounds], c->rounds);
}

static int measure_ways(struct calibration *c)
{
	unsigned int n = c->rounds;
	static const unsigned long mapping_flags;
	struct fake_page *pages = aligned_alloc(64, PAGES * sizeof(*pages));
	double *v = malloc(sizeof(*v) * n * (WAYS + 1));

	if (!pages || !v) {
		free(pages);
		free(v);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < PAGES; i++) {
		atomic_init(&pages[i].flags, 0);
		pages[i].mapping_flags = &mapping_flags;
	}
	for (int way = LRUADD_OUTLINE_MB; way < WAYS; way++)
		time_way((enum lruadd)way, pages); /* caches and predictors warm up */
	for (unsigned int i = 0; i < n; i++)
		for (int way = LRUADD_OUTLINE_MB; way < WAYS; way++)
			v[(size_t)way * n + i] = time_way((enum lruadd)way, pages);
	summarise(c, v);
	free(pages);
	free(v);
	return 0;
}

/* --- reads through the page cache ------------------------------------------------------------- */

/* ns a page of reading all of @fd; negative when it can't be read. */
static double read_all(int fd, char *buffer, size_t page)
{
	double begin = now_ns();

	for (off_t off = 0; off < (off_t)READ_BYTES; off += (off_t)page)
		if (pread(fd, buffer, page, off) != (ssize_t)page)
			return -1;
	return (now_ns() - begin) / ((double)READ_BYTES / (double)page);
}

/* Whether the file system kept pages for the holes: nearly all must be there. */
static bool resident(int fd, size_t page)
{
	size_t n = READ_BYTES / page, there = 0;
	unsigned char *vec = malloc(n);
	void *p = mmap(NULL, READ_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	if (vec && p != MAP_FAILED && !mincore(p, READ_BYTES, vec))
		for (size_t i = 0; i < n; i++)
			there += vec[i] & 1;
	if (p != MAP_FAILED)
		munmap(p, READ_BYTES);
	free(vec);
	return there >= n - n / 10;
}

static bool read_rounds(int fd, double *first, double *again, char *buffer, size_t page)
{
	for (unsigned int i = 0; i < READ_ROUNDS; i++) {
		if (ftruncate(fd, 0) || ftruncate(fd, READ_BYTES))
			return false;
		first[i] = read_all(fd, buffer, page);
		if (first[i] < 0 || !resident(fd, page))
			return false;
		again[i] = read_all(fd, buffer, page);
		if (again[i] < 0)
			return false;
	}
	return true;
}

static void measure_reads(struct calibration *c, const char *folder)
{
	double first[READ_ROUNDS], again[READ_ROUNDS];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *buffer = malloc(page);
	int fd = temporary_unnamed(folder, "swaptrace-calibrate");

	if (buffer && fd >= 0 && read_rounds(fd, first, again, buffer, page)) {
		c->have_read = true;
		c->read_first = spread_of(first, READ_ROUNDS);
		c->read_again = spread_of(again, READ_ROUNDS);
	}
	if (fd >= 0)
		close(fd);
	free(buffer);
}

/* --- the machine --------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* Hypervisors name themselves in a CPUID leaf of their own; QEMU's emulator does so as well. */
static bool is_emulated(void)
{
	unsigned int a, b, c, d, name[3];

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return false;
	__cpuid(0x40000000, a, name[0], name[1], name[2]);
	return !memcmp(name, "TCGTCGTCGTCG", sizeof(name));
}
#else
static bool is_emulated(void)
{
	return false;
}
#endif

static void keep_printable(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}

static void name_machine(struct calibration *c)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	struct utsname u;
	char line[256], *value;

	while (f && !c->cpu[0] && fgets(line, sizeof(line), f)) {
		value = strchr(line, ':');
		if (strncmp(line, "model name", 10) || !value)
			continue;
		value += 1 + strspn(value + 1, " ");
		value[strcspn(value, "\n")] = '\0';
		snprintf(c->cpu, sizeof(c->cpu), "%.*s", (int)sizeof(c->cpu) - 1, value);
	}
	if (f)
		fclose(f);
	if (!uname(&u))
		snprintf(c->release, sizeof(c->release), "%.*s", (int)sizeof(c->release) - 1,
			 u.release);
	keep_printable(c->cpu);
	keep_printable(c->release);
	c->emulated = is_emulated();
}

int calibrate(struct calibration *c, unsigned int rounds, const char *folder, struct error *e)
{
	int ret;

	memset(c, 0, sizeof(*c));
	if (rounds < 3 || rounds > CALIBRATE_ROUNDS_MAX)
		return error_set(e, -EINVAL, "calibrate: rounds must be 3 to %d",
				 CALIBRATE_ROUNDS_MAX);
	c->rounds = rounds;
	name_machine(c);
	ret = measure_ways(c);
	if (ret)
		return error_set(e, ret, "out of memory");
	if (folder)
		measure_reads(c, folder);
	return 0;
}
