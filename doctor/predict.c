// SPDX-License-Identifier: GPL-2.0
#include "doctor/probe.h"

#include <errno.h>
#include <stdlib.h>

#include "replay/model/readahead.h"

const struct swapoff_generation swapoff_generations[SWAPOFF_GENERATIONS] = {
	{ SWAPOFF_VANILLA, "readahead for every entry", "5.1 to 5.7" },
	{ SWAPOFF_LOOKUP_FIRST, "swap cache asked first, hits counted", "5.8 to 6.17" },
	{ SWAPOFF_LOOKUP_ONLY, "swap cache asked first, hits not counted", "6.18 on" },
};

#define NO_PAGE UINT32_MAX

struct walking {
	const struct swapoff_walk *w;
	struct swapoff_counts *c;
	uint32_t *page_of;		 /* by slot */
	uint8_t *cached, *marked, *gone; /* by page */
	struct ra_global global;
	uint64_t word; /* of the VMA */
};

static uint64_t address_of(const struct walking *s, unsigned int page)
{
	return s->w->address + ((uint64_t)page << s->w->page_shift);
}

/* A page of a window, the target included. */
static void read_page(struct walking *s, uint32_t page, uint32_t target)
{
	if (page >= s->w->n || !s->w->slots[page] || s->gone[page] || s->cached[page])
		return;
	s->cached[page] = 1;
	s->c->pages_read++;
	if (page != target) {
		s->marked[page] = 1;
		s->c->swap_ra++;
	}
}

static unsigned int read_vma(struct walking *s, uint32_t target)
{
	uint64_t size = UINT64_C(1) << s->w->page_shift, address = address_of(s, target);
	struct ra_vma_geometry geometry = { .page_shift = s->w->page_shift,
					    .pmd_size = size * (size / 8),
					    .clamp_zero = true };
	struct ra_window win;
	unsigned int pages =
		ra_vma_window(&s->word, address, address_of(s, 0), address_of(s, s->w->n),
			      s->w->page_cluster, &geometry, &win);

	for (uint64_t a = win.start; pages > 1 && a < win.end; a += size)
		read_page(s, (uint32_t)((a - s->w->address) >> s->w->page_shift), target);
	return pages;
}

static unsigned int read_cluster(struct walking *s, uint32_t target)
{
	uint64_t slot = s->w->slots[target];
	unsigned int pages = ra_swapin_nr_pages(&s->global, s->w->page_cluster, slot);
	struct ra_window win;

	if (!ra_cluster_window(pages, slot, s->w->device_slots, &win))
		return pages;
	for (uint64_t o = win.start; o < win.end; o++)
		read_page(s, s->page_of[o], target);
	return pages;
}

static void readahead(struct walking *s, uint32_t target)
{
	unsigned int pages = s->w->vma ? read_vma(s, target) : read_cluster(s, target);

	s->c->calls++;
	s->c->windows[31 - __builtin_clz(pages)]++;
	read_page(s, target, target);
}

static void account_hit(struct walking *s, uint32_t page)
{
	bool marked = s->marked[page];

	s->marked[page] = 0;
	s->c->swap_ra_hit += marked;
	if (s->w->vma)
		ra_vma_hit(&s->word, address_of(s, page), marked, s->w->page_shift);
	else
		s->global.hits += marked;
}

static void visit(struct walking *s, enum swapoff_policy policy, uint32_t page)
{
	if (policy == SWAPOFF_VANILLA || !s->cached[page])
		readahead(s, page);
	else if (policy == SWAPOFF_LOOKUP_FIRST)
		account_hit(s, page);
	/* The entry's only reference is dropped and its page leaves the swap cache. */
	s->gone[page] = 1;
	s->cached[page] = 0;
}

static int prepare(struct walking *s)
{
	const struct swapoff_walk *w = s->w;

	s->page_of = malloc(w->device_slots * sizeof(*s->page_of));
	s->cached = calloc(3, w->n ? w->n : 1);
	if (!s->page_of || !s->cached)
		return -ENOMEM;
	s->marked = s->cached + w->n;
	s->gone = s->marked + w->n;
	for (uint64_t o = 0; o < w->device_slots; o++)
		s->page_of[o] = NO_PAGE;
	for (unsigned int i = 0; i < w->n; i++) {
		if (!w->slots[i])
			continue;
		if (w->slots[i] >= w->device_slots || s->page_of[w->slots[i]] != NO_PAGE)
			return -EINVAL;
		s->page_of[w->slots[i]] = i;
		s->cached[i] = w->cached && w->cached[i];
	}
	return 0;
}

int swapoff_predict(const struct swapoff_walk *w, enum swapoff_policy policy,
		    struct swapoff_counts *c)
{
	struct walking s = { .w = w, .c = c, .global = RA_GLOBAL_BOOT };
	int ret = prepare(&s);

	*c = (struct swapoff_counts){ 0 };
	for (unsigned int i = 0; !ret && i < w->n; i++)
		if (w->slots[i])
			visit(&s, policy, i);
	free(s.page_of);
	free(s.cached);
	return ret;
}

static bool near(uint64_t a, uint64_t b, uint64_t tolerance)
{
	return (a > b ? a - b : b - a) <= tolerance;
}

int swapoff_recognise(const struct swapoff_counts *predicted, uint64_t swap_ra,
		      uint64_t swap_ra_hit, uint64_t pages)
{
	uint64_t tolerance = pages / 50 + 16;
	int found = -1;

	for (int i = 0; i < SWAPOFF_GENERATIONS; i++) {
		if (!near(predicted[i].swap_ra, swap_ra, tolerance) ||
		    !near(predicted[i].swap_ra_hit, swap_ra_hit, tolerance))
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}
