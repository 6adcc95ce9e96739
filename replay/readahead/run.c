// SPDX-License-Identifier: GPL-2.0
#include "replay/readahead/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/event.h"

int run_init(struct ra_run *run, const struct policy *p, const struct world *w, struct cache_map *c,
	     unsigned int index, const struct places *places, struct replay_result *result)
{
	uint32_t nvmas = w->survey->nvmas;

	memset(run, 0, sizeof(*run));
	run->policy = *p;
	run->world = w;
	run->places = places;
	run->cache = c;
	run->index = index;
	run->result = result;
	run->nglobal = p->prev == PREV_PER_DEVICE ? SLOT_DEVICES
		       : p->prev == PREV_PER_CPU  ? (p->cpus ? p->cpus : w->cpus)
						  : 1;
	run->global = calloc(run->nglobal, sizeof(*run->global));
	run->vma_word = calloc(nvmas + 1, sizeof(*run->vma_word));
	run->vma_started = calloc(nvmas + 1, sizeof(*run->vma_started));
	if (!run->global || !run->vma_word || !run->vma_started)
		return -ENOMEM;
	for (unsigned int i = 0; i < run->nglobal; i++)
		run->global[i] = RA_GLOBAL_BOOT;
	return 0;
}

void run_free(struct ra_run *run)
{
	free(run->global);
	free(run->vma_word);
	free(run->vma_started);
	histogram_free(&run->before[0]);
	histogram_free(&run->before[1]);
	memset(run, 0, sizeof(*run));
}

uint64_t run_take_over(struct ra_run *run, const struct ra_run *from)
{
	uint64_t marked = 0;

	for (uint32_t r = 0; r < slot_numbers_total(run->world->slots.numbers); r++) {
		uint8_t bits = *run_bits(from, r) & (uint8_t)~SLOT_UNUSED;

		*run_bits(run, r) = bits;
		marked += bits & SLOT_MARKED ? 1 : 0;
	}
	for (unsigned int i = 0; i < run->nglobal; i++)
		run->global[i] = from->global[0];
	run->global_started = from->global_started;
	memcpy(run->vma_word, from->vma_word,
	       (run->world->survey->nvmas + 1) * sizeof(*run->vma_word));
	memcpy(run->vma_started, from->vma_started, run->world->survey->nvmas + 1);
	return marked;
}

unsigned int run_page_cluster(const struct ra_run *run)
{
	return (unsigned int)(run->policy.page_cluster >= 0 ? run->policy.page_cluster
							    : run->world->page_cluster);
}

struct ra_global *run_state(struct ra_run *run, const struct need *n)
{
	switch (run->policy.prev) {
	case PREV_PER_DEVICE:
		return &run->global[n->type];
	case PREV_PER_CPU:
		return &run->global[n->cpu > 0 ? (unsigned int)n->cpu % run->nglobal : 0];
	default:
		return run->global;
	}
}

/* Is it a need that some kernel serves around the swap cache? No kernel does for swapoff. */
static bool may_bypass(const struct ra_run *run, const struct need *n)
{
	if (!(run_devices(run)->dev[n->type].flags & DEVICE_SYNC_IO))
		return false;
	return n->cause == LOOKUP_FAULT ||
	       (n->cause == LOOKUP_SHMEM && (run->policy.kernel->readahead.shmem_bypass ||
					     run->policy.kernel->readahead.sync_cached));
}

/* The kernel's own choice is global: one rotational device decides for all. */
static bool vma_mode(const struct ra_run *run)
{
	if (run->policy.readahead == READAHEAD_KERNEL)
		return run->world->vma_ra && !run_devices(run)->rotational;
	return run->policy.readahead == READAHEAD_VMA;
}

enum ra_way run_way(const struct ra_run *run, const struct need *n)
{
	if (n->cause == LOOKUP_SWAPOFF && run->policy.swapoff == SWAPOFF_FIXED)
		return WAY_FIXED;
	if (run->policy.readahead == READAHEAD_NONE)
		return WAY_NONE;
	if (run->policy.readahead == READAHEAD_FIXED)
		return WAY_FIXED;
	if (n->cause != LOOKUP_SHMEM && n->have_addr && vma_mode(run))
		return WAY_VMA;
	return WAY_CLUSTER;
}

bool run_reads_alone(const struct ra_run *run, const struct need *n)
{
	return run->policy.no_bypass && may_bypass(run, n);
}

bool run_bypasses(const struct ra_run *run, const struct need *n)
{
	int count = n->count;

	if (run->policy.no_bypass || !may_bypass(run, n))
		return false;
	if (n->cause == LOOKUP_SHMEM)
		return run->policy.kernel->readahead.shmem_bypass;
	/* The event need not say it: a snapshot may have. */
	if (count < 0)
		count = run->world->slots.refs[n->r];
	return n->cause == LOOKUP_FAULT && count <= 1;
}

void run_needed(struct ra_run *run, const struct need *n)
{
	uint8_t *bits = run_bits(run, n->r);

	if (*bits & SLOT_UNUSED) {
		*bits &= (uint8_t)~SLOT_UNUSED;
		run->result->readahead.unused--;
	}
}

bool run_vma_new(const struct first_call *f)
{
	/* No window yet; a previous address that no need of the trace left is from before. */
	return f->known && !f->last && (f->needs > 1 || !f->prev);
}

bool run_account(struct ra_run *run, const struct need *n)
{
	uint8_t *bits = run_bits(run, n->r);
	bool marked = *bits & SLOT_MARKED;
	bool vma = n->vma && n->have_addr && n->cause != LOOKUP_SHMEM && vma_mode(run);

	*bits &= (uint8_t)~SLOT_MARKED;
	if (marked) {
		run->result->readahead.hits++;
	} else if (*bits & SLOT_WRITEOUT && n->marked) {
		marked = true;
		run->result->readahead.writeout_hits++;
	}
	if (vma && run_vma_new(&run->world->survey->vma[n->vma]))
		run->vma_started[n->vma] = 1;
	if (vma)
		ra_vma_hit(&run->vma_word[n->vma], n->addr, marked,
			   run->world->geometry.page_shift);
	else if (marked)
		run_state(run, n)->hits++;
	return marked;
}

static unsigned int fixed_size(const struct ra_run *run, const struct need *n)
{
	if (n->cause == LOOKUP_SWAPOFF && run->policy.swapoff == SWAPOFF_FIXED)
		return run->policy.swapoff_fixed;
	return run->policy.fixed;
}

static void count_call(struct ra_run *run, enum ra_way way, unsigned int pages)
{
	struct readahead_result *r = &run->result->readahead;

	r->calls++;
	if (pages > 1 && !run->policy.kernel->readahead.no_window_drain)
		r->drains++;
	if (pages < SMALL_WINDOWS)
		run->small[way == WAY_VMA][pages]++;
	else
		histogram_add(way == WAY_VMA ? &r->vma_windows : &r->cluster_windows, pages, 1);
	run->window_pages += pages;
}

void run_take_start_state(struct ra_run *run, const struct need *n, enum ra_way way)
{
	const struct survey *s = run->world->survey;

	if (way == WAY_CLUSTER && !run->global_started) {
		const struct first_call *f = &s->first_cluster;

		run->global_started = true;
		if (f->known)
			run_set_global(run, f->hits, f->prev, f->last);
	} else if (way == WAY_VMA && !run->vma_started[n->vma]) {
		const struct first_call *f = &s->vma[n->vma];
		unsigned int shift = run->world->geometry.page_shift;

		run->vma_started[n->vma] = 1;
		if (f->known && !run_vma_new(f))
			run->vma_word[n->vma] = ra_vma_pack(
				&(struct ra_vma_state){ f->prev << shift, f->last, f->hits },
				shift);
	}
}

void run_set_global(struct ra_run *run, uint32_t hits, uint64_t prev, uint32_t last)
{
	run->global_started = true;
	for (unsigned int i = 0; i < run->nglobal; i++)
		run->global[i] = (struct ra_global){ hits, prev, last };
}

unsigned int run_window(struct ra_run *run, const struct need *n, struct window_walk *walk)
{
	const struct swap_device *d = &run_devices(run)->dev[n->type];
	unsigned int pages = 1, order = run_page_cluster(run);
	struct ra_vma_geometry geometry;

	walk->way = run_way(run, n);
	run_take_start_state(run, n, walk->way);
	switch (walk->way) {
	case WAY_VMA:
		geometry = run->world->geometry;
		geometry.clamp_zero = run->policy.kernel->readahead.vma_left_clamp;
		pages = ra_vma_window(&run->vma_word[n->vma], n->addr, n->vma_start, n->vma_end,
				      order, &geometry, &walk->w);
		/* The last page of the address space has no end to count to. */
		walk->neighbours = pages > 1 && walk->w.end > walk->w.start;
		break;
	case WAY_FIXED:
		pages = fixed_size(run, n);
		walk->neighbours = ra_cluster_window(pages, n->off, d->pages, &walk->w);
		break;
	case WAY_CLUSTER:
		pages = ra_swapin_nr_pages(run_state(run, n), order, n->off);
		walk->neighbours = ra_cluster_window(pages, n->off, d->pages, &walk->w);
		break;
	case WAY_NONE:
		walk->w = (struct ra_window){ n->off, n->off + 1, 1 };
		walk->neighbours = false;
		break;
	}
	count_call(run, walk->way, pages);
	return pages;
}

/*
 * The slot that holds a page of a VMA. A page that is shared after fork is known by the VMA that
 * needed it first; it is the same slot as long as more than one refers to it.
 */
static uint32_t find_page(const struct ra_run *run, uint32_t vma, uint64_t page)
{
	const struct slots *s = &run->world->slots;
	const struct first_call *vmas = run->world->survey->vma;
	uint32_t r = slots_find_owner(s, (struct slot_owner){ vma, page });
	uint32_t twin = vmas[vma].twin;

	for (unsigned int i = 0; r == SLOT_NOWHERE && twin && twin != vma && i < SURVEY_TWINS;
	     i++) {
		r = slots_find_owner(s, (struct slot_owner){ twin, page });
		if (r != SLOT_NOWHERE && s->refs[r] < 2)
			r = SLOT_NOWHERE;
		twin = vmas[twin].twin;
	}
	return r;
}

static unsigned int walk_vma(struct ra_run *run, const struct need *n, const struct ra_window *w,
			     page_read_fn read, void *ctx)
{
	unsigned int shift = run->world->geometry.page_shift, unknown = 0;
	uint64_t page = w->start >> shift, pages = (w->end - w->start) >> shift;
	const struct slots *slots = &run->world->slots;

	for (; pages; pages--, page++) {
		bool target = page == n->addr >> shift;
		uint32_t r = n->r;

		if (!target)
			r = find_page(run, n->vma, page);
		if (r == SLOT_NOWHERE) {
			unknown++;
			continue;
		}
		if (!target && (!slots->refs[r] ||
				(run->places && places_model(run->places, r) == SLOT_NOWHERE)))
			continue;
		if (!(*run_bits(run, r) & SLOT_CACHED))
			read(ctx, r, target);
	}
	return unknown;
}

static void walk_slots(struct ra_run *run, const struct need *n, const struct ra_window *w,
		       page_read_fn read, void *ctx)
{
	const struct slots *slots = &run->world->slots;
	uint64_t off = w->start, left = w->end - w->start;
	struct slot_run slot;

	while (slot_runs_next(slots->numbers, n->type, &off, &left, &slot)) {
		for (uint32_t r = slot.r; r < slot.r + slot.n; r++) {
			if (!slots->refs[r] && r != n->r)
				continue;
			if (!(*run_bits(run, r) & SLOT_CACHED))
				read(ctx, r, r == n->r);
		}
	}
}

/* The same where the policy has placed the data: what lies side by side is another's. */
static unsigned int walk_placed(struct ra_run *run, const struct need *n, const struct ra_window *w,
				page_read_fn read, void *ctx)
{
	const struct slots *slots = &run->world->slots;
	unsigned int unknown = 0;

	for (uint64_t off = w->start; off < w->end; off++) {
		uint32_t x = places_at(run->places, n->type, off), r;

		/* The device ends here. */
		if (x == SLOT_NOWHERE)
			break;
		r = places_recorded(run->places, x);
		unknown += places_unnamed(run->places, x);
		if (r == SLOT_NOWHERE || (!slots->refs[r] && r != n->r))
			continue;
		if (!(*run_bits(run, r) & SLOT_CACHED))
			read(ctx, r, r == n->r);
	}
	return unknown;
}

unsigned int run_walk(struct ra_run *run, const struct need *n, const struct window_walk *walk,
		      page_read_fn read, void *ctx)
{
	unsigned int unknown = 0;

	if (walk->neighbours && walk->way == WAY_VMA)
		unknown = walk_vma(run, n, &walk->w, read, ctx);
	else if (walk->neighbours && run->places)
		unknown = walk_placed(run, n, &walk->w, read, ctx);
	else if (walk->neighbours)
		walk_slots(run, n, &walk->w, read, ctx);
	/* The kernel asks for the target once more at the end; usually it is there by now. */
	if (!walk->neighbours && !(*run_bits(run, n->r) & SLOT_CACHED))
		read(ctx, n->r, true);
	run->result->readahead.unknown_neighbours += unknown;
	return unknown;
}

void run_read(struct ra_run *run, uint32_t r, bool target)
{
	struct readahead_result *count = &run->result->readahead;
	uint8_t *bits = run_bits(run, r);

	count->pages_read++;
	*bits = SLOT_CACHED;
	if (!target) {
		*bits |= SLOT_MARKED | SLOT_UNUSED;
		count->ra_pages++;
		count->unused++;
	}
}

struct step {
	struct ra_run *run;
	uint64_t reads;
};

static void step_read(void *ctx, uint32_t r, bool target)
{
	struct step *s = ctx;

	run_read(s->run, r, target);
	s->reads++;
}

static void tell_read(const struct ra_run *run, const struct swapin *s)
{
	const struct swapin_listener *l = &run->world->swapins;

	if (l->read && (s->folios || s->drained))
		l->read(l->read_ctx, run->index, s);
}

static void read_around(struct ra_run *run, const struct need *n, uint64_t pages)
{
	run->result->readahead.bypassed++;
	run->result->readahead.pages_read += pages;
	tell_read(run, &(struct swapin){ .cpu = n->cpu, .folios = 1, .large = pages > 1 });
}

static void bypass(struct ra_run *run, const struct need *n)
{
	read_around(run, n, n->order < 32 ? 1ull << n->order : 1);
}

/*
 * From 7.0 on a fault on a synchronous device brings in its one folio, which stays in the swap
 * cache until the kernel takes it out (UNCACHE); readahead is not called
 * (docs/kernel-facts.md#bypass).
 */
static void read_alone(struct ra_run *run, const struct need *n)
{
	uint32_t pages = n->order < 16 ? 1u << n->order : 1, first;

	/* Placed by a policy, the pages of a large folio need not lie together: see is_split(). */
	if (run->places)
		pages = 1;
	first = n->r & ~(pages - 1);
	for (uint32_t r = first; r < first + pages; r++)
		if (!(*run_bits(run, r) & SLOT_CACHED))
			run_read(run, r, true);
	run->result->readahead.read_alone++;
	tell_read(run, &(struct swapin){ .cpu = n->cpu, .folios = 1, .large = pages > 1 });
}

/* --- large folios that come back in one piece ---------------------------------------------------
 */

/* Can the @size pages from slot @first on come in as one folio? They went out as part of one. */
static bool comes_whole(const struct ra_run *run, uint32_t first, uint32_t size)
{
	const struct slots *s = &run->world->slots;
	const struct slot_folio *f = &s->folio[first];

	for (uint32_t i = 0; i < size; i++) {
		uint32_t r = first + i;

		if (!(s->flags[r] & SLOT_LIVE) || s->refs[r] > 1 ||
		    *run_bits(run, r) & (SLOT_CACHED | SLOT_MAPPED) ||
		    s->folio[r].order != f->order || s->folio[r].index != f->index + i)
			return false;
		if (run->places &&
		    (places_model(run->places, r) == SLOT_NOWHERE ||
		     places_model(run->places, r) != places_model(run->places, first) + i))
			return false;
	}
	return true;
}

/*
 * swapin-order=: the need brings in the largest part of the folio that went out, up to the order
 * that the policy allows, aligned within it (docs/kernel-facts.md#bypass). Returns false where it
 * is one page.
 */
static bool swap_in_large(struct ra_run *run, const struct need *n)
{
	const struct slot_folio *f = &run->world->slots.folio[n->r];
	unsigned int order = f->order < run->policy.swapin_cap ? f->order : run->policy.swapin_cap;
	const struct swapin_listener *l = &run->world->swapins;
	uint32_t first = n->r, size = 1;

	for (; order; order--) {
		size = 1u << order;
		first = n->r - (f->index & (size - 1));
		if (comes_whole(run, first, size))
			break;
	}
	if (!order)
		return false;
	for (uint32_t r = first; r < first + size; r++) {
		if (r == n->r)
			continue;
		*run_bits(run, r) |= SLOT_MAPPED | SLOT_UNUSED;
		run->result->readahead.unused++;
	}
	read_around(run, n, size);
	if (l->mapped)
		l->mapped(l->mapped_ctx, run->index, n->cpu, first, size);
	return true;
}

/* A recorded need of a large folio that the policy does not let come in whole. */
static bool is_split(const struct ra_run *run, const struct need *n)
{
	uint32_t size = n->order < 16 ? 1u << n->order : 1, first = n->r & ~(size - 1);

	if (size == 1)
		return false;
	if (run->policy.swapin == SWAPIN_CAP && n->order > run->policy.swapin_cap)
		return true;
	for (uint32_t i = 1; run->places && i < size; i++)
		if (places_model(run->places, first + i) != places_model(run->places, first) + i)
			return true;
	return run->places && !(run_devices(run)->dev[n->type].flags & DEVICE_SYNC_IO);
}

/* --- the answer to a need ------------------------------------------------------------------------
 */

/* Under the policy the data is in memory, so that nobody asks for it. */
static void spare(struct ra_run *run, const struct need *n)
{
	run_needed(run, n);
	run->result->readahead.spared++;
}

/* Where the data is under the policy; false: in no swap slot. */
static bool find_place(struct ra_run *run, struct need *n)
{
	uint32_t x = places_model(run->places, n->r);

	if (x != SLOT_NOWHERE)
		places_slot(run->places, x, &n->type, &n->off);
	else if (places_in_memory(run->places, n->r))
		return false;
	else
		run->misplaced++;
	return true;
}

/* The part of a window that lies in one stretch of slots. Returns how many pages are read. */
static uint64_t read_slots(struct ra_run *run, const struct need *n, const struct ra_window *w)
{
	const uint8_t *refs = run->world->slots.refs;
	uint32_t r = n->r - (uint32_t)(n->off - w->start), end = r + (uint32_t)(w->end - w->start);
	size_t step = run->cache->policies;
	uint8_t *bits = run_bits(run, r);
	uint64_t reads = 0;

	for (; r < end; r++, bits += step) {
		if (*bits & SLOT_CACHED || !refs[r])
			continue;
		*bits = SLOT_CACHED | SLOT_MARKED | SLOT_UNUSED;
		reads++;
	}
	return reads;
}

/* A window of slots as they were recorded, side by side. */
static uint64_t read_window(struct ra_run *run, const struct need *n, const struct ra_window *w)
{
	struct readahead_result *count = &run->result->readahead;
	uint8_t *target = run_bits(run, n->r);
	uint64_t reads, wanted = !(*target & SLOT_CACHED);

	/* It is read where its turn comes, by whatever way, and is no page read ahead. */
	*target = wanted ? SLOT_CACHED : *target;
	reads = read_slots(run, n, w);
	count->pages_read += reads + wanted;
	count->ra_pages += reads;
	count->unused += reads;
	return reads + wanted;
}

static bool in_one_stretch(const struct need *n, const struct ra_window *w)
{
	return w->start <= n->off && n->off < w->end && (w->start ^ (w->end - 1)) < SLOT_STRETCH &&
	       w->start >> SLOT_STRETCH_SHIFT == (w->end - 1) >> SLOT_STRETCH_SHIFT;
}

/* The page is not in the cache, or the policy asks all the same. */
static void miss(struct ra_run *run, const struct need *n, bool cached)
{
	struct readahead_result *r = &run->result->readahead;
	struct step step = { run, 0 };
	struct window_walk walk;

	if (!cached && run->policy.swapin == SWAPIN_CAP && n->cause == LOOKUP_FAULT &&
	    swap_in_large(run, n))
		return;
	if (!cached && run_bypasses(run, n)) {
		bypass(run, n);
		return;
	}
	if (!cached && run_reads_alone(run, n)) {
		read_alone(run, n);
		return;
	}
	run_window(run, n, &walk);
	if (walk.neighbours && walk.way != WAY_VMA && !run->places && in_one_stretch(n, &walk.w))
		step.reads = read_window(run, n, &walk.w);
	else
		run_walk(run, n, &walk, step_read, &step);
	r->batches += step.reads > 0;
	if (run->world->swapins.read)
		tell_read(run, &(struct swapin){
				       .cpu = n->cpu,
				       .folios = step.reads,
				       .drained = walk.w.pages > 1 &&
						  !run->policy.kernel->readahead.no_window_drain,
				       .vma = walk.way == WAY_VMA });
}

static inline void answer(struct ra_run *run, const struct need *n)
{
	struct readahead_result *r = &run->result->readahead;
	uint8_t *bits = run_bits(run, n->r);
	bool cached = *bits & SLOT_CACHED;
	enum swapoff_policy swapoff = run->policy.swapoff;

	r->lookups++;
	r->cache_hits += cached;
	r->unused -= *bits / SLOT_UNUSED & 1;
	*bits &= (uint8_t)~SLOT_UNUSED;
	if (!cached || (n->cause == LOOKUP_SWAPOFF && swapoff == SWAPOFF_VANILLA)) {
		miss(run, n, cached);
		return;
	}
	if (n->cause == LOOKUP_SWAPOFF && swapoff == SWAPOFF_LOOKUP_ONLY)
		return;
	/* A page without marks tells cluster readahead nothing. */
	if (n->vma || *bits & (SLOT_MARKED | SLOT_WRITEOUT))
		run_account(run, n);
}

/* A policy that places data, or lets large folios in. */
static void answer_placed(struct ra_run *run, struct need n)
{
	if (*run_bits(run, n.r) & SLOT_MAPPED || (run->places && !find_place(run, &n))) {
		spare(run, &n);
		return;
	}
	run->large += is_split(run, &n);
	answer(run, &n);
}

void run_step(struct ra_run *runs, unsigned int nruns, const struct need *n)
{
	for (struct ra_run *run = runs; run < runs + nruns; run++) {
		if (run->places || run->policy.swapin != SWAPIN_RECORDED)
			answer_placed(run, *n);
		else
			answer(run, n);
	}
}

void run_end_slice(struct ra_run *run)
{
	const struct readahead_result *r = &run->result->readahead;
	const struct time_slice now = {
		.lookups = r->lookups,
		.cache_hits = r->cache_hits,
		.hits = r->hits,
		.calls = r->calls,
		.window_pages = run->window_pages,
		.pages_read = r->pages_read,
		.ra_pages = r->ra_pages,
	};

	if (!run->slice)
		return;
	run->slice->lookups += now.lookups - run->before_slice.lookups;
	run->slice->cache_hits += now.cache_hits - run->before_slice.cache_hits;
	run->slice->hits += now.hits - run->before_slice.hits;
	run->slice->calls += now.calls - run->before_slice.calls;
	run->slice->window_pages += now.window_pages - run->before_slice.window_pages;
	run->slice->pages_read += now.pages_read - run->before_slice.pages_read;
	run->slice->ra_pages += now.ra_pages - run->before_slice.ra_pages;
	run->before_slice = now;
}

static int add_small(struct ra_run *run, int vma, struct histogram *h)
{
	int ret = 0;

	for (unsigned int pages = 0; pages < SMALL_WINDOWS && !ret; pages++) {
		if (run->small[vma][pages])
			ret = histogram_add(h, pages, run->small[vma][pages]);
		run->small[vma][pages] = 0;
	}
	return ret;
}

int run_finish(struct ra_run *run)
{
	struct readahead_result *r = &run->result->readahead;
	int ret = add_small(run, 0, &r->cluster_windows);

	return ret ? ret : add_small(run, 1, &r->vma_windows);
}
