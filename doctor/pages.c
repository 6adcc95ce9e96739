// SPDX-License-Identifier: GPL-2.0
#include "doctor/probe.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

/* An entry of /proc/self/pagemap for a page that is swapped out: type in 5 bits, then the slot. */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)
#define PAGEMAP_TYPES 32u
#define PAGEMAP_TYPE(e) ((unsigned int)(e) % PAGEMAP_TYPES)
#define PAGEMAP_SLOT(e) ((e) >> 5 & ((UINT64_C(1) << 50) - 1))

/*
 * A mapping of its own: pages without access on both sides keep it from being joined to another,
 * and it begins where a page of PTEs does, as the windows of VMA readahead end there.
 */
static unsigned char *map_pages(size_t bytes, size_t page)
{
	size_t table = page * (page / 8);
	unsigned char *all, *at;

	all = mmap(NULL, bytes + 2 * table, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		   -1, 0);
	if (all == MAP_FAILED)
		return NULL;
	at = (unsigned char *)(((uintptr_t)all / table + 1) * table);
	if (mprotect(at, bytes, PROT_READ | PROT_WRITE))
		return NULL;
	/* Refused where there are no huge pages, which is as good. */
	(void)madvise(at, bytes, MADV_NOHUGEPAGE);
	return at;
}

/* No two pages alike, and no zeros: those would be merged, or not written at all. */
static void fill(unsigned char *at, size_t page, unsigned int n)
{
	uint64_t x = 88172645463325252u;

	for (unsigned int i = 0; i < n; i++)
		for (size_t k = 0; k < page; k += sizeof(x)) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			memcpy(at + i * page + k, &x, sizeof(x));
		}
}

static bool read_entries(const struct probe_pages *p, size_t page, uint64_t *entries)
{
	size_t bytes = p->n * sizeof(*entries), done = 0;
	off_t at = (off_t)(p->address / page * sizeof(*entries));
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && done < bytes) {
		ssize_t n = pread(fd, (char *)entries + done, bytes - done, at + (off_t)done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	return done == bytes;
}

/* Other devices may be on as well: the probe's own got most of the pages. */
static unsigned int most_frequent_type(const uint64_t *entries, unsigned int n)
{
	unsigned int count[PAGEMAP_TYPES] = { 0 }, best = 0;

	for (unsigned int i = 0; i < n; i++)
		if (entries[i] & PAGEMAP_SWAPPED)
			count[PAGEMAP_TYPE(entries[i])]++;
	for (unsigned int t = 1; t < PAGEMAP_TYPES; t++)
		if (count[t] > count[best])
			best = t;
	return best;
}

static bool look(struct probe_pages *p, size_t page)
{
	static uint64_t entries[PROBE_PAGES_MAX];
	static unsigned char core[PROBE_PAGES_MAX];
	unsigned int type;

	/* Of a page that is swapped out it says whether the swap cache has it. */
	if (!read_entries(p, page, entries) ||
	    mincore((void *)(uintptr_t)p->address, p->n * page, core))
		return false;
	type = most_frequent_type(entries, p->n);
	p->resident = p->swapped = p->cached = 0;
	for (unsigned int i = 0; i < p->n; i++) {
		bool ours = entries[i] & PAGEMAP_SWAPPED && PAGEMAP_TYPE(entries[i]) == type;

		p->resident += (entries[i] & PAGEMAP_PRESENT) != 0;
		p->slots[i] = ours ? PAGEMAP_SLOT(entries[i]) : 0;
		p->in_cache[i] = ours && core[i] & 1;
		p->swapped += ours;
		p->cached += p->in_cache[i];
	}
	return true;
}

/*
 * A page that was just written stays in the swap cache, unmapped, where MADV_PAGEOUT does not find
 * it. Mapped again it is clean, and the next time it goes at once. Each touch moves the address
 * that the VMA remembers; the first page comes last, from where swapoff begins as in a fresh VMA.
 */
static void touch_cached(const struct probe_pages *p, size_t page)
{
	const volatile unsigned char *at = (const volatile unsigned char *)(uintptr_t)p->address;

	for (unsigned int i = p->n; i-- > 0;)
		if (p->in_cache[i])
			(void)at[i * page];
}

static bool obey(struct probe_pages *p, char order, size_t page)
{
	unsigned char *at = (unsigned char *)(uintptr_t)p->address;

	switch (order) {
	case PROBE_FILL:
		at = map_pages(p->n * page, page);
		p->address = (uintptr_t)at;
		if (at)
			fill(at, page, p->n);
		return at != NULL;
	case PROBE_PUSH:
		touch_cached(p, page);
		return !madvise(at, p->n * page, MADV_PAGEOUT);
	default:
		return look(p, page);
	}
}

void probe_pages_child(struct probe_pages *p, int in, int out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char order;

	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Its own pages stay, so that only the probe's are walked; not vital where it is refused.
	 */
	(void)mlockall(MCL_CURRENT | MCL_ONFAULT);
	while (read(in, &order, 1) == 1) {
		char answer = obey(p, order, page) ? order : '!';

		if (write(out, &answer, 1) != 1)
			break;
	}
	_exit(0);
}
