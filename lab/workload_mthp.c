// SPDX-License-Identifier: GPL-2.0
/*
 * mthp: one process whose large folios go out, come back in pieces, are dropped and made again.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define UNIT (64UL << 10) /* the size of large folio that is meant */
#define PAGES_PER_UNIT (UNIT / PAGE)
#define NOISE_MB 16	 /* beside it, memory without large folios */
#define REDONE_UNITS 256 /* units that are dropped and made again in each round */

/* Aligned to the unit, so that the kernel can back each by one large folio. */
static uint64_t *map_units(unsigned long mb, int advice)
{
	size_t size = mb << 20;
	uintptr_t p = (uintptr_t)map_region(size + UNIT, false);

	p = (p + UNIT - 1) & ~(UNIT - 1);
	if (madvise((void *)p, size, advice))
		die("madvise %d: %s", advice, strerror(errno));
	return (uint64_t *)p;
}

static void write_page(const struct options *o, uint64_t *region, unsigned long page,
		       unsigned long proc)
{
	fill_page(region + page * WORDS, page_tag(o, proc, page));
}

static void page_out(uint64_t *region, unsigned long mb)
{
	if (madvise(region, mb << 20, MADV_PAGEOUT))
		die("MADV_PAGEOUT: %s", strerror(errno));
}

static void drop(uint64_t *region, unsigned long page, size_t size)
{
	if (madvise(region + page * WORDS, size, MADV_DONTNEED))
		die("MADV_DONTNEED: %s", strerror(errno));
}

/*
 * A quarter of the pages (--share: of that a part) is written, at random. Some are dropped before,
 * each from the middle of a unit: what is left of that comes back and goes out page by page.
 */
static void write_singly(const struct options *o, uint64_t *units, uint64_t seed)
{
	unsigned long pages = o->mb * PAGES_PER_MB, i, page;

	for (i = 0; i < pages * o->share / 400; i++) {
		page = mix(seed ^ i) % pages;
		if (i % 16 == 0)
			drop(units, page, PAGE);
		write_page(o, units, page, 0);
	}
}

static unsigned long redone_unit(const struct options *o, uint64_t seed, unsigned long i)
{
	return mix(seed ^ (i << 32)) % (o->mb * PAGES_PER_MB / PAGES_PER_UNIT);
}

/* The holes that units leave are taken by single pages before the units are made again. */
static void mthp_round(const struct options *o, unsigned long round, uint64_t *units,
		       uint64_t *noise)
{
	uint64_t seed = mix(o->seed + round * 1000003);
	unsigned long i, k;

	write_singly(o, units, seed);
	page_out(units, o->mb);
	for (i = 0; i < REDONE_UNITS; i++)
		drop(units, redone_unit(o, seed, i) * PAGES_PER_UNIT, UNIT);
	for (i = 0; i < NOISE_MB * PAGES_PER_MB; i++)
		if (round > 1 && mix(seed ^ (i << 48)) % 2)
			drop(noise, i, PAGE);
	for (i = 0; i < NOISE_MB * PAGES_PER_MB; i++)
		if (round == 1 || mix(seed ^ (i << 48)) % 2)
			write_page(o, noise, i, 1);
	page_out(noise, NOISE_MB);
	for (i = 0; i < REDONE_UNITS; i++)
		for (k = 0; k < PAGES_PER_UNIT; k++)
			write_page(o, units, redone_unit(o, seed, i) * PAGES_PER_UNIT + k, 0);
	page_out(units, o->mb);
}

int run_mthp(const struct options *o)
{
	uint64_t *units, *noise;
	unsigned long i;

	lock_memory();
	units = map_units(o->mb, MADV_HUGEPAGE);
	noise = map_units(NOISE_MB, MADV_NOHUGEPAGE);
	say("%lu MB in large folios, %d MB in pages, %lu rounds", o->mb, NOISE_MB, o->iterations);
	for (i = 0; i < o->mb * PAGES_PER_MB; i++)
		write_page(o, units, i, 0);
	for (i = 0; i < NOISE_MB * PAGES_PER_MB / 4; i++)
		write_page(o, noise, i, 1);
	page_out(units, o->mb);
	page_out(noise, NOISE_MB);
	set_state(o, "ready");
	if (o->state && !wait_for_state(o, "go"))
		return 1;
	for (i = 1; i <= o->iterations; i++)
		mthp_round(o, i, units, noise);
	set_state(o, "done");
	if (o->state)
		wait_for_state(o, "end");
	return 0;
}
