// SPDX-License-Identifier: GPL-2.0
/*
 * placed: one process whose pages go out, and some of which are dropped and made anew, round after
 * round. Nothing comes back before the end, and what goes out goes in the order of addresses: what
 * is asked of the slot allocator is the same however it answers.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNIT_PAGES 16UL /* a large folio of 64 kB, where these are enabled */
#define SINGLES_SHARE 4 /* beside the units, a fourth of their size without large folios */
#define RECLAIM_TRIES 500
#define RECLAIM_PAUSE_US 20000

/* Two regions: pages below nunits stand in units. */
struct placed {
	const struct options *o;
	uint64_t *units, *singles;
	unsigned long nunits, nsingles; /* pages */
	uint64_t seed;			/* of this round */
};

static uint64_t *map_aligned(unsigned long pages, int advice)
{
	size_t unit = UNIT_PAGES * PAGE;
	uintptr_t p = (uintptr_t)map_region(pages * PAGE + unit, false);

	p = (p + unit - 1) & ~(unit - 1);
	if (madvise((void *)p, pages * PAGE, advice))
		die("madvise %d: %s", advice, strerror(errno));
	return (uint64_t *)p;
}

static void advise(uint64_t *region, unsigned long page, unsigned long n, int advice)
{
	if (madvise(region + page * WORDS, n * PAGE, advice))
		die("madvise %d: %s", advice, strerror(errno));
}

static void write_pages(const struct placed *p, uint64_t *region, unsigned long page,
			unsigned long n)
{
	unsigned long proc = region == p->singles;

	for (; n; n--, page++)
		fill_page(region + page * WORDS, page_tag(p->o, proc, page));
}

/* Writes @text into the file @name of the cgroup; 0 or errno. */
static int put(const struct options *o, const char *name, const char *text)
{
	char path[256];
	int fd, status = 0;

	snprintf(path, sizeof(path), "%s/%s", o->cgroup, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	if (write(fd, text, strlen(text)) < 0)
		status = errno;
	close(fd);
	return status;
}

static unsigned long swapcached(const struct options *o)
{
	char path[256], line[128];
	unsigned long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/memory.stat", o->cgroup);
	f = fopen(path, "r");
	if (!f)
		die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "swapcached %lu", &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

/* The swap cache keeps what went out by MADV_PAGEOUT. Reclaim of our cgroup empties it. */
static void forget_cached(const struct options *o)
{
	unsigned int tries = 0;

	while (swapcached(o)) {
		int status = put(o, "memory.reclaim", "64M");

		if (status && status != EAGAIN)
			die("memory.reclaim: %s", strerror(status));
		if (++tries == RECLAIM_TRIES)
			die("%lu bytes stay in the swap cache", swapcached(o));
		usleep(RECLAIM_PAUSE_US);
	}
}

static void page_out(const struct placed *p)
{
	advise(p->singles, 0, p->nsingles, MADV_PAGEOUT);
	advise(p->units, 0, p->nunits, MADV_PAGEOUT);
	forget_cached(p->o);
}

/* --turn pages at a time: what one call drops, a kernel may free at once. */
static void drop_unit(const struct placed *p, unsigned long page)
{
	unsigned long turn = p->o->turn < UNIT_PAGES ? p->o->turn : UNIT_PAGES, i;

	for (i = 0; i < UNIT_PAGES; i += turn)
		advise(p->units, page + i, turn < UNIT_PAGES - i ? turn : UNIT_PAGES - i,
		       MADV_DONTNEED);
}

/* A third of the units and half of the single pages are dropped; the singles come back first. */
static void placed_round(struct placed *p)
{
	unsigned long i;

	for (i = 0; i < p->nunits; i += UNIT_PAGES)
		if (mix(p->seed ^ i) % 3 == 0)
			drop_unit(p, i);
	for (i = 0; i < p->nsingles; i++)
		if (mix(p->seed ^ (i << 32)) % 2)
			advise(p->singles, i, 1, MADV_DONTNEED);
	for (i = 0; i < p->nsingles; i++)
		if (mix(p->seed ^ (i << 32)) % 2)
			write_pages(p, p->singles, i, 1);
	advise(p->singles, 0, p->nsingles, MADV_PAGEOUT);
	for (i = 0; i < p->nunits; i += UNIT_PAGES)
		if (mix(p->seed ^ i) % 3 == 0)
			write_pages(p, p->units, i, UNIT_PAGES);
	page_out(p);
}

/* In the order of --pattern. Also proves that the kernel brought back what was there. */
static void read_back(const struct placed *p)
{
	uint32_t *order = calloc(p->nunits, sizeof(*order));
	unsigned long i;

	if (!order || mlock(order, p->nunits * sizeof(*order)))
		die("out of memory");
	fault_order(p->o, 0, order, p->nunits);
	for (i = 0; i < p->nunits; i++) {
		volatile uint64_t *page = p->units + order[i] * WORDS;

		if (page[0] != page_tag(p->o, 0, order[i]))
			die("page %u does not hold what was written", order[i]);
	}
	free(order);
}

int run_placed(const struct options *o)
{
	struct placed p = { .o = o, .nunits = o->mb * PAGES_PER_MB };
	unsigned long i;
	char pid[32];

	if (!o->cgroup)
		die("placed: give --cgroup");
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (put(o, "cgroup.procs", pid))
		die("%s: cannot be joined", o->cgroup);
	lock_memory();
	p.nsingles = p.nunits / SINGLES_SHARE;
	p.units = map_aligned(p.nunits, MADV_HUGEPAGE);
	p.singles = map_aligned(p.nsingles, MADV_NOHUGEPAGE);
	write_pages(&p, p.units, 0, p.nunits);
	write_pages(&p, p.singles, 0, p.nsingles);
	page_out(&p);
	set_state(o, "ready");
	if (o->state && !wait_for_state(o, "go"))
		return 1;
	for (i = 1; i <= o->iterations; i++) {
		p.seed = mix(o->seed + i * 1000003);
		placed_round(&p);
	}
	set_state(o, "placed");
	if (o->faults) {
		wait_for_state(o, "read");
		read_back(&p);
	}
	set_state(o, "done");
	if (o->state)
		wait_for_state(o, "end");
	return 0;
}
