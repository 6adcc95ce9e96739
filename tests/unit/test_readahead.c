// SPDX-License-Identifier: GPL-2.0
/*
 * Readahead models. Where expected values come from stands beside each test: tables measured with
 * the kernel's own functions, published cases, or a calculation in the comment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "replay/model/readahead.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define X86_GEOMETRY ((struct ra_vma_geometry){ 12, 2 << 20, true })

/* Answers of the 6.12 sizing function, compiled as an oracle. */
static void test_sizing(void **state)
{
	static const struct {
		uint64_t prev, off;
		unsigned int hits, max, win, pages;
	} v[] = {
		{ 0, 5, 0, 8, 0, 1 },	     { 100, 101, 0, 8, 0, 2 },
		{ 101, 100, 0, 8, 0, 2 },    { 0, UINT64_MAX, 0, 8, 0, 2 },
		{ 100, 100, 0, 8, 0, 1 },    { 100, 105, 0, 8, 8, 4 },
		{ 100, 105, 1, 8, 0, 4 },    { 100, 105, 2, 8, 0, 4 },
		{ 100, 105, 3, 8, 0, 8 },    { 100, 105, 6, 8, 0, 8 },
		{ 100, 105, 63, 64, 0, 64 }, { 100, 105, 62, 32, 0, 32 },
		{ 100, 105, 0, 8, 32, 16 },  { 100, 101, 0, 2, 32, 16 },
		{ 100, 105, 4, 4, 64, 32 },  { 100, 105, 0, 8, 3, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		assert_int_equal(ra_swapin_nr_pages_fn(v[i].prev, v[i].off, v[i].hits, v[i].max,
						       v[i].win),
				 v[i].pages);
}

/* Rounding up never overflows: a hit count at or above the limit gives the limit. */
static void test_sizing_of_extreme_counts(void **state)
{
	(void)state;
	assert_int_equal(ra_swapin_nr_pages_fn(0, 9, UINT32_MAX, 8, 0), 8);
	assert_int_equal(ra_swapin_nr_pages_fn(0, 9, UINT32_MAX - 1, 1u << 31, 0), 1u << 31);
	assert_int_equal(ra_swapin_nr_pages_fn(0, 9, 1u << 31, UINT32_MAX, 0), UINT32_MAX);
	assert_int_equal(ra_swapin_nr_pages_fn(0, 9, 0, 8, UINT32_MAX), UINT32_MAX / 2);
	assert_int_equal(ra_swapin_nr_pages_fn(UINT64_MAX, 0, 0, 8, 0), 2);
}

struct step {
	unsigned int page_cluster, hits; /* hits that come in before the call */
	uint64_t off;
	unsigned int pages;
};

static void run_steps(struct ra_global g, const struct step *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		g.hits += s[i].hits;
		assert_int_equal(ra_swapin_nr_pages(&g, s[i].page_cluster, s[i].off), s[i].pages);
		if (s[i].page_cluster)
			assert_int_equal(g.last_pages, s[i].pages);
	}
}

/* Sequences from the boot state, worked out with the kernel's function. */
static void test_state_from_boot(void **state)
{
	static const struct step walk[] = {
		{ 3, 0, 1000, 8 }, { 3, 0, 1001, 4 }, { 3, 1, 2000, 4 }, { 3, 0, 2001, 2 },
		{ 3, 0, 5000, 1 }, { 3, 0, 5001, 2 }, { 3, 0, 5000, 2 }, { 3, 0, 9000, 1 },
		{ 3, 7, 9008, 8 }, { 3, 0, 9016, 4 }, { 3, 0, 1, 2 },	 { 3, 0, 2, 2 },
		{ 3, 0, 3, 2 },
	};
	/* Calls with readahead switched off leave the hits of the boot state alone. */
	static const struct step off_first[] = {
		{ 0, 0, 10, 1 }, { 0, 0, 11, 1 }, { 3, 0, 12, 8 }, { 3, 0, 13, 4 }, { 3, 0, 14, 2 },
	};

	(void)state;
	run_steps(RA_GLOBAL_BOOT, walk, ARRAY_SIZE(walk));
	run_steps(RA_GLOBAL_BOOT, off_first, ARRAY_SIZE(off_first));
}

/* Case 37, the mainline side: the previous offset goes stale while there are hits. */
static void test_state_with_hits(void **state)
{
	static const struct step walk[] = {
		{ 5, 0, 500, 1 }, { 5, 0, 501, 2 },  { 5, 3, 502, 8 },	{ 5, 7, 503, 16 },
		{ 5, 0, 900, 8 }, { 5, 0, 1300, 4 }, { 5, 0, 1700, 2 }, { 5, 0, 2100, 1 },
	};
	struct ra_global g = { .prev_offset = 10 };

	(void)state;
	run_steps(g, walk, ARRAY_SIZE(walk));
	g.hits = 3;
	ra_swapin_nr_pages(&g, 5, 700);
	assert_int_equal(g.prev_offset, 10);
	assert_int_equal(g.hits, 0);
	ra_swapin_nr_pages(&g, 5, 701);
	assert_int_equal(g.prev_offset, 701);
}

/* Case 38: one state for all devices, or one per device. */
static void test_state_global_or_per_device(void **state)
{
	static const struct {
		int type;
		uint64_t off;
		unsigned int global, per_device;
	} v[] = {
		{ 0, 100, 1, 1 }, { 1, 101, 2, 1 }, { 0, 500, 1, 1 },
		{ 1, 501, 2, 1 }, { 0, 499, 1, 2 },
	};
	struct ra_global one = { 0 }, each[2] = { { 0 }, { 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		assert_int_equal(ra_swapin_nr_pages(&one, 3, v[i].off), v[i].global);
		assert_int_equal(ra_swapin_nr_pages(&each[v[i].type], 3, v[i].off),
				 v[i].per_device);
	}
}

static void expect_window(unsigned int pages, uint64_t off, uint64_t max, bool reads_ahead,
			  uint64_t start, uint64_t end)
{
	struct ra_window w;

	assert_int_equal(ra_cluster_window(pages, off, max, &w), reads_ahead);
	assert_int_equal(w.start, start);
	assert_int_equal(w.end, end);
	assert_int_equal(w.pages, pages);
}

/* Case 43: a device of 100 slots; slots 1-7, 96-99 and 96-99 are asked for. */
static void test_cluster_window_edges(void **state)
{
	(void)state;
	expect_window(8, 3, 100, true, 1, 8);
	expect_window(8, 98, 100, true, 96, 100);
	expect_window(32, 97, 100, true, 96, 100);
	/* Without the clamp of newer kernels, or with an unknown size, the window stays whole. */
	expect_window(8, 98, 0, true, 96, 104);
	expect_window(1, 98, 100, false, 98, 99);
	/* Outside the device: 4.14 relies on the check per slot, later kernels have nothing left.
	 */
	expect_window(8, 104, 100, true, 104, 104);
	expect_window(8, UINT64_MAX, 0, true, UINT64_MAX - 7, UINT64_MAX);
}

/*
 * An idealised machine: slots in use, the swap cache, readahead marks, and one VMA whose pages are
 * swapped out in order. It reads what the windows ask for, and does what swapoff or a fault does.
 */
#define SLOTS 8192
#define BASE 0x40000000ull /* aligned to 2 MiB */

enum variant {
	BEFORE, /* readahead at every PTE, no lookup first (5.1 to 5.7) */
	AFTER,	/* lookup with accounting, readahead on a miss (5.8 to 6.17, and faults) */
	SILENT, /* lookup without accounting (6.18 swapoff) */
};

struct machine {
	bool vma_mode, swapoff;
	enum variant variant;
	unsigned int page_cluster;
	struct ra_global g;
	uint64_t word;	   /* of the VMA */
	uint64_t first, n; /* slots first .. first + n - 1 hold pages 0 .. n - 1 of the VMA */
	bool in_use[SLOTS], cached[SLOTS], mark[SLOTS];
	unsigned int calls, ra, hits, reads, drains;
	unsigned int windows[33]; /* per log2 of the window */
};

static struct machine *machine(bool vma_mode, enum variant variant, uint64_t first, uint64_t n)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	assert_true(first + n <= SLOTS);
	m->vma_mode = vma_mode;
	m->variant = variant;
	m->page_cluster = 3;
	m->g = RA_GLOBAL_BOOT;
	m->first = first;
	m->n = n;
	for (uint64_t off = first; off < first + n; off++)
		m->in_use[off] = true;
	return m;
}

static void read_slot(struct machine *m, uint64_t off, uint64_t target)
{
	if (!m->in_use[off] || m->cached[off])
		return;
	m->cached[off] = true;
	m->reads++;
	if (off == target)
		return;
	m->mark[off] = true;
	m->ra++;
}

static void read_ahead(struct machine *m, uint64_t off)
{
	const struct ra_vma_geometry geo = X86_GEOMETRY;
	uint64_t addr = BASE + ((off - m->first) << 12);
	unsigned int pages;
	struct ra_window w;

	if (m->vma_mode) {
		pages = ra_vma_window(&m->word, addr, BASE, BASE + (m->n << 12), m->page_cluster,
				      &geo, &w);
		w.start = m->first + ((w.start - BASE) >> 12);
		w.end = m->first + ((w.end - BASE) >> 12);
	} else {
		pages = ra_swapin_nr_pages(&m->g, m->page_cluster, off);
		ra_cluster_window(pages, off, SLOTS, &w);
	}
	m->calls++;
	m->windows[__builtin_ctz(pages)]++;
	m->drains += pages > 1;
	for (uint64_t o = w.start; o < w.end; o++)
		read_slot(m, o, off);
	read_slot(m, off, off);
}

static void account_hit(struct machine *m, uint64_t off)
{
	bool mark = m->mark[off];

	m->mark[off] = false;
	m->hits += mark;
	if (m->vma_mode)
		ra_vma_hit(&m->word, BASE + ((off - m->first) << 12), mark, 12);
	else
		m->g.hits += mark;
}

/* The page in slot @off is needed; swapoff then frees the slot. */
static void need(struct machine *m, uint64_t off)
{
	if (m->variant == BEFORE || !m->cached[off])
		read_ahead(m, off);
	else if (m->variant == AFTER)
		account_hit(m, off);
	assert_true(m->cached[off]);
	if (m->swapoff)
		m->cached[off] = m->in_use[off] = false;
}

/* Number of calls per window of 1, 2, 4, ... 256 pages. */
#define WINDOWS 9

static void expect_windows(const struct machine *m, const unsigned int *windows)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(m->windows); i++) {
		assert_int_equal(m->windows[i], i < WINDOWS ? windows[i] : 0);
		sum += m->windows[i];
	}
	assert_int_equal(sum, m->calls);
}

struct walk_result {
	bool vma_mode;
	enum variant variant;
	uint64_t first;
	unsigned int calls, ra, hits;
	unsigned int windows[WINDOWS];
};

/*
 * swapoff of 4096 pages in consecutive slots, fresh state, page-cluster 3. The rows for AFTER and
 * SILENT agree with runs of a 6.18 kernel (faults in order: SWAP_RA 3584 and 3582; swapoff: 1024
 * and 1368), up to a few pages of other processes.
 */
static void test_swapoff_walk(void **state)
{
	static const struct walk_result v[] = {
		{ false, BEFORE, 512, 4096, 2051, 0, { 0, 4094, 1, 1 } },
		{ false, AFTER, 512, 512, 3584, 3584, { 0, 0, 0, 512 } },
		{ false, SILENT, 512, 3065, 1031, 0, { 1021, 2042, 1, 1 } },
		{ true, BEFORE, 512, 4096, 4088, 0, { 0, 4094, 1, 1 } },
		{ true, AFTER, 512, 514, 3582, 3582, { 0, 0, 1, 513 } },
		{ true, SILENT, 512, 2728, 1368, 0, { 1361, 1365, 1, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct machine *m = machine(v[i].vma_mode, v[i].variant, v[i].first, 4096);

		m->swapoff = true;
		for (uint64_t off = v[i].first; off < v[i].first + 4096; off++)
			need(m, off);
		assert_int_equal(m->calls, v[i].calls);
		assert_int_equal(m->ra, v[i].ra);
		assert_int_equal(m->hits, v[i].hits);
		assert_int_equal(m->reads, 4096);
		expect_windows(m, v[i].windows);
		free(m);
	}
}

/* The same from slot 1 on, where the first window loses slot 0. */
static void test_swapoff_walk_from_slot_1(void **state)
{
	static const unsigned int calls[] = { 4096, 513, 3066 };
	static const unsigned int ra[] = { 2050, 3583, 1030 };
	static const unsigned int hits[] = { 0, 3583, 0 };

	(void)state;
	for (int variant = BEFORE; variant <= SILENT; variant++) {
		struct machine *m = machine(false, (enum variant)variant, 1, 4096);

		m->swapoff = true;
		for (uint64_t off = 1; off <= 4096; off++)
			need(m, off);
		assert_int_equal(m->calls, calls[variant]);
		assert_int_equal(m->ra, ra[variant]);
		assert_int_equal(m->hits, hits[variant]);
		assert_int_equal(m->reads, 4096);
		free(m);
	}
}

/* First windows of the walks: 8 4 2 2 2, 8 8 8 8, and 8 4 2 1 2 2 1 2 2 1 (VMA: 8 4 2 1 2 1 2 1).
 */
static void test_swapoff_first_windows(void **state)
{
	static const struct {
		bool vma_mode;
		enum variant variant;
		unsigned int n, windows[10];
	} v[] = {
		{ false, BEFORE, 5, { 8, 4, 2, 2, 2 } },
		{ false, AFTER, 4, { 8, 8, 8, 8 } },
		{ false, SILENT, 10, { 8, 4, 2, 1, 2, 2, 1, 2, 2, 1 } },
		{ true, BEFORE, 4, { 8, 4, 2, 2 } },
		{ true, SILENT, 8, { 8, 4, 2, 1, 2, 1, 2, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct machine *m = machine(v[i].vma_mode, v[i].variant, 512, 4096);
		unsigned int seen = 0;

		m->swapoff = true;
		for (uint64_t off = 512; seen < v[i].n; off++) {
			unsigned int before = m->windows[__builtin_ctz(v[i].windows[seen])];
			unsigned int calls = m->calls;

			need(m, off);
			if (m->calls == calls)
				continue;
			assert_int_equal(m->windows[__builtin_ctz(v[i].windows[seen])], before + 1);
			seen++;
		}
		free(m);
	}
}

/* Case 7: faults on 256 pages in slots 512 to 767; hits 0 in cluster mode, a fresh VMA (4) else. */
static void test_page_cluster_limits_both_modes(void **state)
{
	static const struct {
		bool vma_mode;
		unsigned int page_cluster;
		unsigned int windows[WINDOWS]; /* 1 2 4 8 16 32 64 128 256 */
	} v[] = {
		{ false, 0, { 256 } },
		{ true, 0, { 256 } },
		{ true, 3, { 0, 0, 0, 33 } },
		{ true, 5, { 0, 0, 0, 2, 1, 8 } },
		{ true, 6, { 0, 0, 0, 2, 1, 8 } },
		{ true, 8, { 0, 0, 0, 2, 1, 8 } },
		{ false, 3, { 1, 2, 1, 31 } },
		{ false, 5, { 1, 2, 1, 1, 1, 7 } },
		{ false, 6, { 1, 2, 1, 1, 1, 1, 3 } },
		{ false, 8, { 1, 2, 1, 1, 1, 1, 1, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct machine *m = machine(v[i].vma_mode, AFTER, 512, 256);

		m->page_cluster = v[i].page_cluster;
		m->g.hits = 0;
		for (uint64_t off = 512; off < 768; off++)
			need(m, off);
		expect_windows(m, v[i].windows);
		free(m);
	}
}

/* Case 26: four short runs, then ten slots without order, over page-cluster 0 to 5. */
static void test_page_cluster_sweep(void **state)
{
	static const uint64_t runs[] = { 64, 1024, 2048, 3000 };
	static const uint64_t lone[] = { 17, 3900, 700, 2500, 900, 3333, 1500, 222, 3700, 40 };
	static const struct {
		unsigned int calls, reads, ra, hits, drains;
		unsigned int windows[WINDOWS];
	} v[] = {
		{ 50, 50, 0, 0, 0, { 50 } },
		{ 31, 51, 20, 19, 21, { 10, 21 } },
		{ 24, 62, 38, 26, 15, { 9, 3, 12 } },
		{ 24, 78, 54, 26, 15, { 9, 3, 5, 7 } },
		{ 24, 78, 54, 26, 15, { 9, 3, 5, 7 } },
		{ 24, 78, 54, 26, 15, { 9, 3, 5, 7 } },
	};

	(void)state;
	for (unsigned int pc = 0; pc < ARRAY_SIZE(v); pc++) {
		struct machine *m = machine(false, AFTER, 1, 4095);

		m->page_cluster = pc;
		m->g.hits = 0;
		for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
			for (uint64_t off = runs[i]; off < runs[i] + 10; off++)
				need(m, off);
		for (size_t i = 0; i < ARRAY_SIZE(lone); i++)
			need(m, lone[i]);
		assert_int_equal(m->calls, v[pc].calls);
		assert_int_equal(m->reads, v[pc].reads);
		assert_int_equal(m->ra, v[pc].ra);
		assert_int_equal(m->hits, v[pc].hits);
		assert_int_equal(m->drains, v[pc].drains);
		expect_windows(m, v[pc].windows);
		free(m);
	}
}

/* Half of the in-page bits are hits, the other half the window: 6 and 6, 7 and 7, 8 and 8. */
static void test_vma_word(void **state)
{
	static const unsigned int shifts[] = { 12, 14, 16 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
		unsigned int shift = shifts[i], bits = shift / 2;
		uint64_t addr = 0x7f1234560000;
		struct ra_vma_state s = { .addr = addr, .win = 32, .hits = 5 };
		uint64_t word = ra_vma_pack(&s, shift);

		assert_int_equal(word, addr | 32u << bits | 5);
		s = ra_vma_unpack(word, shift);
		assert_int_equal(s.addr, addr);
		assert_int_equal(s.win, 32);
		assert_int_equal(s.hits, 5);
		s = ra_vma_unpack(0, shift);
		assert_int_equal(s.addr, 0);
		assert_int_equal(s.win, 0);
		assert_int_equal(s.hits, 4);
		/* A hit without the mark moves the address and counts nothing. */
		ra_vma_hit(&word, addr + (1ull << shift), false, shift);
		assert_int_equal(word, (addr + (1ull << shift)) | 32u << bits | 5);
		/* Hits saturate at what the field can hold; the address moves at each one. */
		for (unsigned int n = 0; n < 300; n++)
			ra_vma_hit(&word, addr + ((uint64_t)n << shift) + 7, true, shift);
		s = ra_vma_unpack(word, shift);
		assert_int_equal(s.hits, (1u << bits) - 1);
		assert_int_equal(s.win, 32);
		assert_int_equal(s.addr, addr + (299ull << shift));
		ra_vma_hit(&word, addr, false, shift);
		assert_int_equal(word, addr | 32u << bits | ((1u << bits) - 1));
	}
}

/* One window from a word with @hits and the last address @prev; page numbers in and out. */
static unsigned int window_at(uint64_t prev, uint64_t page, unsigned int hits, bool clamp_zero,
			      uint64_t vm_start, uint64_t vm_end, struct ra_window *w)
{
	const struct ra_vma_geometry geo = { 12, 2 << 20, clamp_zero };
	struct ra_vma_state s = { .addr = prev << 12, .hits = hits };
	uint64_t word = ra_vma_pack(&s, 12);
	unsigned int win;

	win = ra_vma_window(&word, (page << 12) + 123, vm_start << 12, vm_end << 12, 5, &geo, w);
	s = ra_vma_unpack(word, 12);
	assert_int_equal(s.addr, page << 12);
	assert_int_equal(s.win, win);
	assert_int_equal(s.hits, 0);
	assert_int_equal(w->pages, win);
	assert_int_equal(w->start & 4095, 0);
	assert_int_equal(w->end & 4095, 0);
	w->start = (uint64_t)((int64_t)w->start >> 12);
	w->end >>= 12;
	return win;
}

/*
 * Around the fault f the window is [f - left, f + win - left) with left = (win - 1) / 2; ahead of
 * it after a neighbour below, behind it after a neighbour above. Page 0x40000 + 256 is in the
 * middle of a 2 MiB region, so nothing is clamped. Hits 1, 6, 14, 30 give windows of 4, 8, 16, 32.
 */
static void test_vma_placement(void **state)
{
	static const unsigned int hits[] = { 1, 6, 14, 30 };
	static const unsigned int left[] = { 1, 3, 7, 15 };
	uint64_t f = 0x40000 + 256;
	struct ra_window w;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(hits); i++) {
		unsigned int win = 4u << i;

		assert_int_equal(window_at(f - 100, f, hits[i], true, 1, 1 << 30, &w), win);
		assert_int_equal(w.start, f - left[i]);
		assert_int_equal(w.end, f - left[i] + win);
		assert_int_equal(window_at(f - 1, f, hits[i], true, 1, 1 << 30, &w), win);
		assert_int_equal(w.start, f);
		assert_int_equal(w.end, f + win);
		assert_int_equal(window_at(f + 1, f, hits[i], true, 1, 1 << 30, &w), win);
		assert_int_equal(w.start, f + 1 - win);
		assert_int_equal(w.end, f + 1);
	}
	/* A window of one is the page alone. */
	assert_int_equal(window_at(f - 100, f, 0, true, 1, 1 << 30, &w), 1);
	assert_int_equal(w.start, f);
	assert_int_equal(w.end, f + 1);
}

/* The window ends at the VMA and at the 2 MiB region (512 pages); its stored size stays whole. */
static void test_vma_clamps(void **state)
{
	uint64_t f = 0x40000;
	struct ra_window w;

	(void)state;
	assert_int_equal(window_at(f - 1, f, 30, true, f - 8, f + 5, &w), 32);
	assert_int_equal(w.start, f);
	assert_int_equal(w.end, f + 5);
	assert_int_equal(window_at(1, f + 2, 30, true, f - 8, f + 600, &w), 32);
	assert_int_equal(w.start, f);
	assert_int_equal(w.end, f + 2 + 17);
	assert_int_equal(window_at(1, f + 510, 30, true, f - 8, f + 600, &w), 32);
	assert_int_equal(w.start, f + 510 - 15);
	assert_int_equal(w.end, f + 512);
	assert_int_equal(window_at(1, f + 10, 30, true, f + 9, f + 600, &w), 32);
	assert_int_equal(w.start, f + 9);
}

/*
 * Page 13 going down, window 32: 13 - 31 = -18. Kernel 5.6 wraps there (its row in the vectors:
 * 18446744073709477888 = -18 * 4096, the end at page 14), newer ones start at the VMA.
 */
static void test_vma_below_zero(void **state)
{
	struct ra_window w;

	(void)state;
	assert_int_equal(window_at(14, 13, 30, false, 10, 100, &w), 32);
	assert_int_equal(w.start, (uint64_t)-18);
	assert_int_equal(w.end, 14);
	assert_int_equal(window_at(14, 13, 30, true, 10, 100, &w), 32);
	assert_int_equal(w.start, 10);
	assert_int_equal(w.end, 14);
}

/* Switched off, the VMA's word is not touched. */
static void test_vma_off(void **state)
{
	const struct ra_vma_geometry geo = X86_GEOMETRY;
	uint64_t word = 0;
	struct ra_window w;

	(void)state;
	assert_int_equal(ra_vma_window(&word, 0x5123, 0x1000, 0x9000, 0, &geo, &w), 1);
	assert_int_equal(word, 0);
	assert_int_equal(w.start, 0x5000);
	assert_int_equal(w.end, 0x6000);
	assert_int_equal(w.pages, 1);
}

/* With 16 KiB pages and a PMD of 32 MiB (2048 PTEs) the arithmetic is the same, scaled. */
static void test_vma_large_pages(void **state)
{
	const struct ra_vma_geometry geo = { 14, 32 << 20, true };
	uint64_t f = 2048 * 5 + 2047, word;
	struct ra_vma_state s = { .addr = (f - 1) << 14, .hits = 6 };
	struct ra_window w;

	(void)state;
	word = ra_vma_pack(&s, 14);
	assert_int_equal(ra_vma_window(&word, f << 14, 1 << 14, UINT64_C(1) << 40, 3, &geo, &w), 8);
	assert_int_equal(w.start, f << 14);
	assert_int_equal(w.end, (f + 1) << 14);
	assert_int_equal(word, f << 14 | 8 << 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizing),
		cmocka_unit_test(test_sizing_of_extreme_counts),
		cmocka_unit_test(test_state_from_boot),
		cmocka_unit_test(test_state_with_hits),
		cmocka_unit_test(test_state_global_or_per_device),
		cmocka_unit_test(test_cluster_window_edges),
		cmocka_unit_test(test_swapoff_walk),
		cmocka_unit_test(test_swapoff_walk_from_slot_1),
		cmocka_unit_test(test_swapoff_first_windows),
		cmocka_unit_test(test_page_cluster_limits_both_modes),
		cmocka_unit_test(test_page_cluster_sweep),
		cmocka_unit_test(test_vma_word),
		cmocka_unit_test(test_vma_placement),
		cmocka_unit_test(test_vma_clamps),
		cmocka_unit_test(test_vma_below_zero),
		cmocka_unit_test(test_vma_off),
		cmocka_unit_test(test_vma_large_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
