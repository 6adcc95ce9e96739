// SPDX-License-Identifier: GPL-2.0
#include "replay/alloc/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/event.h"

static unsigned int part_of(unsigned int pool, unsigned int type)
{
	return pool * ALLOC_DEVICES + type;
}

static uint32_t model_slot(const struct alloc_run *run, unsigned int pool, int type, uint32_t off)
{
	return slot_space_number(&run->places.space, part_of(pool, (unsigned int)type), off);
}

/* --- what the model asks ------------------------------------------------------------------- */

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint32_t draw(void *ctx, uint32_t low, uint32_t high)
{
	struct alloc_run *run = ((struct alloc_pool_context *)ctx)->run;
	const struct alloc_draw *d = &run->draws[run->draw_head];

	if (!run->ndraws) {
		run->draws_missing++;
		return low + (uint32_t)(splitmix64(&run->rng) % ((uint64_t)high - low + 1));
	}
	run->draw_head = (run->draw_head + 1) % ALLOC_DRAWS;
	run->ndraws--;
	return d->value < low || d->value > high ? low : d->value;
}

void alloc_run_draw(struct alloc_run *run, const struct alloc_draw *d)
{
	if (!run->cfg.own)
		return;
	if (run->ndraws == ALLOC_DRAWS) {
		run->draw_head = (run->draw_head + 1) % ALLOC_DRAWS;
		run->ndraws--;
	}
	run->draws[(run->draw_head + run->ndraws++) % ALLOC_DRAWS] = *d;
}

/* The taken-back folio that holds recorded slot @r, NULL when it was not taken back. */
static const struct taken_folio *find_taken(const struct alloc_recorded *w, uint32_t r)
{
	for (unsigned int i = 0; i < w->ntaken; i++)
		if (r >= w->taken[i].r && r - w->taken[i].r < w->taken[i].n)
			return &w->taken[i];
	return NULL;
}

/* Do the pages of the folio lie here as they lay there, aligned to its size, around slot @x? */
static bool lies_whole(const struct alloc_run *run, const struct taken_folio *f, uint32_t x,
		       uint32_t r, uint32_t off)
{
	uint32_t first = x - (r - f->r);

	if ((f->n & (f->n - 1)) || ((off - (r - f->r)) & (f->n - 1)))
		return false;
	for (uint32_t i = 0; i < f->n; i++)
		if (places_model(&run->places, f->r + i) != first + i)
			return false;
	return true;
}

/* The allocator would like a cache-only slot back. The recorded kernel's own gets what it got. */
static int reclaim(void *ctx, unsigned int cpu, int type, uint32_t off)
{
	struct alloc_pool_context *c = ctx;
	struct alloc_run *run = c->run;
	const struct alloc_recorded *w = run->cfg.recorded;
	uint32_t x = model_slot(run, c->pool, type, off);
	uint32_t r = places_recorded(&run->places, x), n = 1;
	const struct taken_folio *f;

	(void)cpu;
	if (r == SLOT_NOWHERE)
		return 0;
	f = find_taken(w, r);
	if (!f && run->cfg.own && w->reclaim_known)
		return -1;
	if (!f && (!(w->slots->flags[r] & SLOT_IN_CACHE) || w->slots->refs[r]))
		return 0;
	if (f && lies_whole(run, f, x, r, off)) {
		r = f->r;
		n = f->n;
		x -= off & (n - 1);
	}
	for (uint32_t i = 0; i < n; i++)
		places_unlink(&run->places, r + i);
	alloc_stats_gone(run, x, n);
	return (int)n;
}

static void freed(void *ctx, int type, uint32_t off, uint32_t n)
{
	struct alloc_pool_context *c = ctx;

	if (c->run->holes.none)
		alloc_holes_freed(&c->run->holes, c->pool, type, off, n);
}

/* --- set-up ---------------------------------------------------------------------------------- */

/* Slots of the reserved part of a device of @pages slots: whole clusters. */
static uint32_t reserved_slots(const struct alloc_run *run, uint64_t pages)
{
	uint64_t clusters = pages / run->cfg.cluster_slots;

	if (!run->cfg.policy->reserve)
		return 0;
	return (uint32_t)(clusters * run->cfg.policy->reserve_percent / 100) *
	       run->cfg.cluster_slots;
}

static uint64_t device_pages(const struct alloc_run *run, unsigned int type)
{
	const struct alloc_policy *p = run->cfg.policy;

	return p->devices ? p->device[type].pages : run->cfg.pages[type];
}

static int create_pool(struct alloc_run *run, unsigned int pool)
{
	struct swap_alloc_config cfg = {
		.generation = run->cfg.allocator,
		.nr_cpus = run->cfg.nr_cpus,
		.cluster_slots = run->cfg.cluster_slots,
		.slots_cache = run->cfg.slots_cache && !pool,
		.env = { .ctx = &run->context[pool],
			 .rnd = draw,
			 .reclaim = reclaim,
			 .freed = freed },
	};

	run->context[pool] = (struct alloc_pool_context){ run, pool };
	return swap_alloc_create(&run->pool[pool], &cfg);
}

static int number_slots(struct alloc_run *run)
{
	uint64_t sizes[SPACE_PARTS] = { 0 };

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		sizes[t] = device_pages(run, t);
		/* Cluster 0 of the reserved part stands for its header and is not real. */
		if (run->cfg.policy->reserve && sizes[t])
			sizes[ALLOC_DEVICES + t] =
				reserved_slots(run, sizes[t]) + (uint64_t)run->cfg.cluster_slots;
	}
	run->places.reserved_first = run->cfg.cluster_slots;
	return slot_space_init(&run->places.space, sizes, SPACE_PARTS);
}

int alloc_run_init(struct alloc_run *run, const struct alloc_run_config *cfg,
		   struct alloc_result *result, struct error *e)
{
	int ret;

	memset(run, 0, sizeof(*run));
	run->cfg = *cfg;
	run->result = result;
	run->rng = 1;
	snprintf(result->allocator, sizeof(result->allocator), "%s", cfg->allocator);
	ret = create_pool(run, 0);
	if (!ret && cfg->policy->reserve)
		ret = create_pool(run, 1);
	if (ret == -EINVAL)
		return error_set(
			e, ret,
			"no allocator with clusters of %u slots and %u CPUs (possible: 256, "
			"512, 2048, 8192 slots; 1 to %d CPUs)",
			cfg->cluster_slots, cfg->nr_cpus, SWAP_MAX_CPUS);
	if (!ret)
		ret = number_slots(run);
	if (ret == -E2BIG)
		return error_set(e, ret, "the swap devices are too large: 2^32 slots or more");
	run->draws = calloc(ALLOC_DRAWS, sizeof(*run->draws));
	if (!ret && !run->draws)
		ret = -ENOMEM;
	if (!ret)
		ret = places_init(&run->places, slot_numbers_total(cfg->recorded->slots->numbers));
	if (!ret)
		ret = alloc_stats_init(run);
	if (ret)
		return error_errno(e, ret, "cannot set up the slot allocator");
	alloc_holes_init(&run->holes, run->pool);
	result->known = true;
	result->norders = run->pool[0]->nr_orders;
	result->slots_cache = run->pool[0]->cache != NULL;
	return 0;
}

void alloc_run_free(struct alloc_run *run)
{
	swap_alloc_destroy(run->pool[0]);
	swap_alloc_destroy(run->pool[1]);
	places_free(&run->places);
	map_free(&run->absorbed);
	map_free(&run->groups);
	free(run->folios);
	free(run->draws);
	alloc_stats_free(run);
	memset(run, 0, sizeof(*run));
}

/* --- devices --------------------------------------------------------------------------------- */

static uint32_t model_flags(const struct alloc_run *run, uint32_t flags)
{
	uint32_t out = 0;

	if (!(flags & DEVICE_ROTATIONAL))
		out |= SWAP_DEV_SSD;
	if (flags & DEVICE_BLKDEV)
		out |= SWAP_DEV_BLKDEV;
	/* Discards at swapon alone look the same in a trace; the patches of v1 have none. */
	if ((flags & DEVICE_DISCARD) && swap_alloc_discards(run->pool[0]))
		out |= SWAP_DEV_DISCARD;
	return out;
}

/* The reserved part: a device of its own, of whose first cluster nothing can be had. */
static int swapon_reserved(struct alloc_run *run, const struct alloc_swapon *on, uint32_t slots)
{
	struct swap_alloc_swapon p = { .pages = slots + run->cfg.cluster_slots,
				       .prio = on->prio,
				       .flags = model_flags(run, on->flags) };
	int ret = swap_alloc_swapon(run->pool[1], (int)on->type, &p);

	if (!ret && run->cfg.cluster_slots > 1)
		ret = swap_alloc_take(run->pool[1], (int)on->type, 1, run->cfg.cluster_slots - 1,
				      0);
	return ret;
}

static bool replace_unused(struct alloc_run *run, unsigned int type)
{
	if (run->pool[0]->dev[type].inuse)
		return false;
	swap_alloc_swapoff_begin(run->pool[0], (int)type);
	swap_alloc_swapoff_end(run->pool[0], (int)type);
	if (run->pool[1]) {
		swap_alloc_swapoff_begin(run->pool[1], (int)type);
		swap_alloc_swapoff_end(run->pool[1], (int)type);
	}
	return true;
}

int alloc_run_swapon(struct alloc_run *run, const struct alloc_swapon *on)
{
	uint32_t reserved = reserved_slots(run, on->pages);
	struct swap_alloc_swapon p = { .pages = on->pages - reserved,
				       .prio = on->prio,
				       .flags = model_flags(run, on->flags) };
	struct alloc_device *d = &run->result->devices[on->type];
	int ret;

	/* Announced by the header and by an event, or the end of its swapoff was not seen. */
	if (run->pool[0]->dev[on->type].present && !replace_unused(run, on->type))
		return 0;
	if (on->pages > device_pages(run, on->type))
		return 0;
	ret = swap_alloc_swapon(run->pool[0], (int)on->type, &p);
	if (!ret && reserved)
		ret = swapon_reserved(run, on, reserved);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	alloc_holes_forget(&run->holes);
	swap_device_on(&run->places.devices, on->type, on->pages, on->have_flags, on->flags);
	run->places.reserved_from[on->type] = reserved ? p.pages : 0;
	if (on->flags & DEVICE_DISCARD)
		run->discards |= 1u << on->type;
	d->seen = true;
	d->pages = on->pages;
	d->prio = run->pool[0]->dev[on->type].prio;
	alloc_stats_devices(run);
	return 0;
}

/* What was in the pool's device leaves with it. */
static void empty_device(struct alloc_run *run, unsigned int pool, unsigned int type)
{
	unsigned int part = part_of(pool, type);

	for (uint32_t x = run->places.space.base[part]; x < run->places.space.base[part + 1]; x++) {
		uint32_t r = places_recorded(&run->places, x);

		if (r == SLOT_NOWHERE)
			continue;
		places_unlink(&run->places, r);
		alloc_stats_gone(run, x, 1);
	}
	places_claim(&run->places, run->places.space.base[part],
		     run->places.space.base[part + 1] - run->places.space.base[part], false);
}

/* Folios whose pages still wait to be asked for on a device that is gone. */
static void forget_absorbed(struct alloc_run *run, unsigned int type)
{
	for (uint32_t i = 0; i < run->nfolios; i++) {
		struct absorbed_folio *f = &run->folios[i];
		uint32_t left = (1u << f->order) - f->next;

		if (f->x == SLOT_NOWHERE ||
		    slot_space_part(&run->places.space, f->x) % ALLOC_DEVICES != type)
			continue;
		alloc_stats_gone(run, f->x + f->next, left);
		map_remove(&run->absorbed, f->folio, 0);
		f->x = SLOT_NOWHERE;
		f->next = run->folio_free;
		run->folio_free = i + 1;
	}
}

void alloc_run_swapoff(struct alloc_run *run, unsigned int type, bool end, int64_t ret)
{
	for (unsigned int pool = 0; pool < ALLOC_POOLS; pool++) {
		struct swap_alloc *sa = run->pool[pool];

		if (!sa || !sa->dev[type].present)
			continue;
		if (sa->dev[type].writeok)
			swap_alloc_swapoff_begin(sa, (int)type);
		if (end && ret) {
			swap_alloc_swapoff_abort(sa, (int)type);
		} else if (end) {
			empty_device(run, pool, type);
			swap_alloc_swapoff_end(sa, (int)type);
		}
	}
	if (end && !ret) {
		forget_absorbed(run, type);
		swap_device_off(&run->places.devices, type);
	}
	alloc_holes_forget(&run->holes);
}

/* --- requests -------------------------------------------------------------------------------- */

static unsigned int model_cpu(const struct alloc_run *run, unsigned int cpu)
{
	return cpu % run->cfg.nr_cpus;
}

/* The devices that a request of this memory cgroup may use. */
static uint32_t allowed_devices(const struct alloc_run *run, const struct slot_request *req)
{
	const struct alloc_policy *p = run->cfg.policy;
	uint32_t named = 0, open = 0;

	for (unsigned int t = 0; p->devices && t < ALLOC_DEVICES; t++) {
		const struct policy_device *d = &p->device[t];

		if (d->present && !d->nmemcgs)
			open |= 1u << t;
		for (unsigned int i = 0; i < d->nmemcgs && req->have_memcg; i++)
			if (d->memcgs[i] == req->memcg)
				named |= 1u << t;
	}
	if (!p->devices)
		return UINT32_MAX;
	return named ? named : open;
}

/* A device that filled up wakes its worker, which runs after the request. */
static void note_workers(struct alloc_run *run, const struct swap_alloc *sa)
{
	for (unsigned int t = 0; t < sa->nr_swapfiles; t++)
		run->worker_due |= sa->dev[t].reclaim_queued;
}

static uint32_t ask_pool(struct alloc_run *run, unsigned int pool, const struct slot_request *req,
			 unsigned int order)
{
	struct swap_alloc *sa = run->pool[pool];
	struct swap_entry e;

	int ret;

	sa->allowed = allowed_devices(run, req);
	ret = swap_alloc_folio(sa, model_cpu(run, req->cpu), order, &e);
	note_workers(run, sa);
	if (ret)
		return SLOT_NOWHERE;
	run->misaligned |= e.off & ((1u << order) - 1);
	return model_slot(run, pool, e.type, e.off);
}

uint32_t alloc_run_ask(struct alloc_run *run, const struct slot_request *req, unsigned int order)
{
	uint32_t x = SLOT_NOWHERE;

	run->result->requests++;
	if (run->pool[1] && order == run->cfg.policy->reserve_order)
		x = ask_pool(run, 1, req, order);
	return x != SLOT_NOWHERE ? x : ask_pool(run, 0, req, order);
}

void alloc_run_count(struct alloc_run *run, const struct slot_request *req, unsigned int order,
		     bool answered, enum fallback_reason reason)
{
	unsigned int o = order < ALLOC_ORDERS ? order : ALLOC_ORDERS - 1;
	struct alloc_order *count = &run->result->orders[o];

	count->swpout += answered;
	count->fallback += !answered;
	if (run->slice) {
		run->slice->orders[o].swpout += answered;
		run->slice->orders[o].fallback += !answered;
	}
	if (answered)
		return;
	count->reasons[reason]++;
	if (order && reason != FALLBACK_LIMIT && !run->result->first.known)
		alloc_stats_first(run, req, order, reason);
}

void alloc_run_uncount(struct alloc_run *run, const struct slot_request *req)
{
	unsigned int o = req->order < ALLOC_ORDERS ? req->order : ALLOC_ORDERS - 1;

	if (run->result->orders[o].swpout)
		run->result->orders[o].swpout--;
	if (run->slice && run->slice->orders[o].swpout)
		run->slice->orders[o].swpout--;
}

static void count_failed(struct alloc_run *run, const struct slot_request *req, unsigned int order)
{
	alloc_run_count(run, req, order, false,
			alloc_holes_reason(&run->holes, order, allowed_devices(run, req)));
}

static void free_slots(struct alloc_run *run, unsigned int cpu, enum swap_free_how how, uint32_t x,
		       uint32_t n)
{
	unsigned int part = slot_space_part(&run->places.space, x);
	struct swap_alloc *sa = run->pool[part / ALLOC_DEVICES];

	alloc_stats_gone(run, x, n);
	if (swap_alloc_free(sa, model_cpu(run, cpu), how, (int)(part % ALLOC_DEVICES),
			    x - run->places.space.base[part], n))
		run->bad = true;
}

static uint32_t page_of(uint32_t r, uint32_t i)
{
	return r == SLOT_NOWHERE ? r : r + i;
}

/* From now on recorded slot @r means the data in @x; the trace may not know the slot. */
static void link_page(struct alloc_run *run, const struct slot_request *req, uint32_t r, uint32_t x)
{
	uint32_t old;

	if (r == SLOT_NOWHERE)
		return;
	/* The recorded kernel took back what was there, the model did not: now it has to go. */
	old = places_model(&run->places, r);
	if (old != SLOT_NOWHERE) {
		places_unlink(&run->places, r);
		free_slots(run, req->cpu, SWAP_FREE_CACHE, old, 1);
	}
	places_link(&run->places, r, x);
}

/* A page that got no slot of order 0: it stays in memory. */
static void keep_page(struct alloc_run *run, const struct slot_request *req, uint32_t r)
{
	run->result->unplaced++;
	count_failed(run, req, 0);
	if (r != SLOT_NOWHERE && places_model(&run->places, r) == SLOT_NOWHERE)
		places_keep(&run->places, r);
}

/* One page of order 0, whose data the trace knows as recorded slot @r. */
static int place_page(struct alloc_run *run, const struct slot_request *req, uint32_t r)
{
	uint32_t x = alloc_run_ask(run, req, 0);

	if (x == SLOT_NOWHERE) {
		keep_page(run, req, r);
		return 0;
	}
	link_page(run, req, r, x);
	alloc_run_count(run, req, 0, true, 0);
	return alloc_run_give(run, req, x, 1);
}

static int place_pages(struct alloc_run *run, const struct slot_request *req, uint32_t r,
		       uint32_t n)
{
	int ret = 0;

	for (uint32_t i = 0; i < n && !ret; i++)
		ret = place_page(run, req, page_of(r, i));
	return ret;
}

/* Several slots of order 0 in one call. */
static int place_batch(struct alloc_run *run, const struct slot_request *req, uint32_t r,
		       uint32_t n)
{
	struct swap_entry e[SWAP_BATCH];
	struct swap_alloc *sa = run->pool[0];
	int got, ret = 0;

	sa->allowed = allowed_devices(run, req);
	run->result->requests++;
	got = swap_alloc_get_pages(sa, model_cpu(run, req->cpu), 0, n, e);
	note_workers(run, sa);
	for (int i = 0; i < got && !ret; i++) {
		uint32_t x = model_slot(run, 0, e[i].type, e[i].off);

		link_page(run, req, page_of(r, (uint32_t)i), x);
		alloc_run_count(run, req, 0, true, 0);
		ret = alloc_run_give(run, req, x, 1);
	}
	for (uint32_t i = got > 0 ? (uint32_t)got : 0; i < n; i++)
		keep_page(run, req, page_of(r, i));
	return ret;
}

int alloc_run_granted(struct alloc_run *run, const struct slot_request *req, uint32_t r, uint32_t n)
{
	uint32_t x;

	if (!req->order && n > 1)
		return n <= SWAP_BATCH ? place_batch(run, req, r, n) : place_pages(run, req, r, n);
	if (!req->order)
		return place_page(run, req, r);
	x = alloc_run_ask(run, req, req->order);
	if (x == SLOT_NOWHERE) {
		count_failed(run, req, req->order);
		run->result->invented += n;
		return place_pages(run, req, r, n);
	}
	for (uint32_t i = 0; i < n; i++)
		link_page(run, req, page_of(r, i), x + i);
	alloc_run_count(run, req, req->order, true, 0);
	return alloc_run_give(run, req, x, n);
}

/* --- folios that went out whole only here --------------------------------------------------- */

/* The folio's address came back: what was left of it is not in swap any more. */
static void release_folio(struct alloc_run *run, unsigned int cpu, uint32_t i)
{
	struct absorbed_folio *f = &run->folios[i];
	uint32_t n = 1u << f->order;

	if (f->next < n) {
		places_claim(&run->places, f->x + f->next, n - f->next, false);
		free_slots(run, cpu, SWAP_FREE_ZAP, f->x + f->next, n - f->next);
	}
	map_remove(&run->absorbed, f->folio, 0);
	f->x = SLOT_NOWHERE;
	f->next = run->folio_free;
	run->folio_free = i + 1;
}

static struct absorbed_folio *new_folio(struct alloc_run *run, uint32_t *index)
{
	struct absorbed_folio *f;

	if (run->folio_free) {
		*index = run->folio_free - 1;
		run->folio_free = run->folios[*index].next;
		return &run->folios[*index];
	}
	if (run->nfolios == run->folio_room) {
		uint32_t room = run->folio_room ? run->folio_room * 2 : 64;

		f = realloc(run->folios, room * sizeof(*f));
		if (!f)
			return NULL;
		run->folios = f;
		run->folio_room = room;
	}
	*index = run->nfolios++;
	return &run->folios[*index];
}

int alloc_run_refused(struct alloc_run *run, const struct slot_request *req, bool limited)
{
	struct absorbed_folio *f;
	uint64_t *known = NULL;
	uint32_t x, index;
	int ret;

	if (req->have_folio)
		known = map_get(&run->absorbed, req->folio, 0);
	if (known)
		release_folio(run, req->cpu, (uint32_t)*known);
	if (limited) {
		alloc_run_count(run, req, req->order, false, FALLBACK_LIMIT);
		return 0;
	}
	x = alloc_run_ask(run, req, req->order);
	if (x == SLOT_NOWHERE) {
		count_failed(run, req, req->order);
		return 0;
	}
	alloc_run_count(run, req, req->order, true, 0);
	places_claim(&run->places, x, 1u << req->order, true);
	ret = alloc_run_give(run, req, x, 1u << req->order);
	if (ret || !req->have_folio)
		return ret;
	f = new_folio(run, &index);
	if (!f)
		return -ENOMEM;
	*f = (struct absorbed_folio){ .folio = req->folio, .x = x, .order = req->order };
	return map_set(&run->absorbed, req->folio, 0, index);
}

bool alloc_run_absorb(struct alloc_run *run, const struct slot_request *req, uint32_t r)
{
	struct absorbed_folio *f;
	uint64_t *index;

	if (!req->have_split || req->order)
		return false;
	index = map_get(&run->absorbed, req->split_of, 0);
	if (!index)
		return false;
	f = &run->folios[*index];
	run->result->absorbed++;
	/* A page that stayed in memory when it was recorded has no slot to be followed by. */
	if (r == SLOT_NOWHERE)
		return true;
	link_page(run, req, r, f->x + f->next++);
	if (f->next == 1u << f->order)
		release_folio(run, req->cpu, (uint32_t)*index);
	return true;
}

/* --- drops ----------------------------------------------------------------------------------- */

/* How many of @n recorded slots from @r on lie here as one run of slots of one part. */
static uint32_t run_length(const struct alloc_run *run, uint32_t r, uint32_t n)
{
	uint32_t x = places_model(&run->places, r), end, len = 1;

	end = run->places.space.base[slot_space_part(&run->places.space, x) + 1];
	while (len < n && x + len < end && places_model(&run->places, r + len) == x + len)
		len++;
	return len;
}

void alloc_run_drop(struct alloc_run *run, unsigned int cpu, enum swap_free_how how, uint32_t r,
		    uint32_t n)
{
	while (n) {
		uint32_t x = places_model(&run->places, r), len = 1;

		if (x == SLOT_NOWHERE) {
			places_unlink(&run->places, r);
		} else {
			len = run_length(run, r, n);
			for (uint32_t i = 0; i < len; i++)
				places_unlink(&run->places, r + i);
			free_slots(run, cpu, how, x, len);
		}
		r += len;
		n -= len;
	}
}

void alloc_run_park(struct alloc_run *run, unsigned int cpu, bool returned, uint32_t r)
{
	uint32_t x = places_model(&run->places, r);
	unsigned int part;

	if (x == SLOT_NOWHERE)
		return;
	part = slot_space_part(&run->places.space, x);
	places_unlink(&run->places, r);
	alloc_stats_gone(run, x, 1);
	if (run->cfg.own && part < ALLOC_DEVICES &&
	    !swap_alloc_park(run->pool[0], model_cpu(run, cpu), returned, (int)part,
			     x - run->places.space.base[part]))
		return;
	swap_alloc_give_back(run->pool[part / ALLOC_DEVICES], (int)(part % ALLOC_DEVICES),
			     x - run->places.space.base[part], 1);
}

void alloc_run_cache_only(struct alloc_run *run, uint32_t r, uint32_t n)
{
	while (n) {
		uint32_t x = places_model(&run->places, r), len = 1;

		if (x != SLOT_NOWHERE) {
			unsigned int part = slot_space_part(&run->places.space, x);

			len = run_length(run, r, n);
			if (swap_alloc_cache_only(run->pool[part / ALLOC_DEVICES],
						  (int)(part % ALLOC_DEVICES),
						  x - run->places.space.base[part], len, false))
				run->bad = true;
		}
		r += len;
		n -= len;
	}
}

void alloc_run_workers(struct alloc_run *run, unsigned int cpu)
{
	if (!run->worker_due)
		return;
	run->worker_due = false;
	for (unsigned int pool = 0; pool < ALLOC_POOLS; pool++)
		for (int t = 0; run->pool[pool] && t < (int)run->pool[pool]->nr_swapfiles; t++)
			if (run->pool[pool]->dev[t].present &&
			    run->pool[pool]->dev[t].reclaim_queued)
				swap_alloc_reclaim_work(run->pool[pool], model_cpu(run, cpu), t);
}

/* --- the start ---------------------------------------------------------------------------------
 */

static bool place_anywhere(struct alloc_run *run, uint32_t r)
{
	const struct slot_request req = { .order = 0 };
	uint32_t x = alloc_run_ask(run, &req, 0);

	run->result->requests--;
	if (x == SLOT_NOWHERE)
		return false;
	places_link(&run->places, r, x);
	alloc_stats_hold(run, x, 1);
	return true;
}

void alloc_run_place(struct alloc_run *run, struct slot_run recorded)
{
	const struct slot_numbers *numbers = run->cfg.recorded->slots->numbers;
	unsigned int type = slot_number_type(numbers, recorded.r);
	uint64_t off = slot_number_off(numbers, recorded.r);
	uint32_t i = 0, x = model_slot(run, 0, (int)type, (uint32_t)off);

	if (off < UINT32_MAX &&
	    !swap_alloc_take(run->pool[0], (int)type, (uint32_t)off, recorded.n, 0)) {
		for (; i < recorded.n; i++)
			places_link(&run->places, recorded.r + i, x + i);
		alloc_stats_hold(run, x, recorded.n);
		return;
	}
	while (i < recorded.n && place_anywhere(run, recorded.r + i))
		i++;
	/* Where one page finds no slot, the next one does not either. */
	run->result->unplaced += recorded.n - i;
	for (; i < recorded.n; i++)
		places_keep(&run->places, recorded.r + i);
}

/* --- invariants ------------------------------------------------------------------------------ */

int alloc_run_check(const struct alloc_run *run, char *why, size_t len)
{
	const uint32_t total = slot_space_total(&run->places.space);

	if (run->bad) {
		snprintf(why, len, "%s: a slot was dropped that is not in use", run->cfg.allocator);
		return -EUCLEAN;
	}
	if (run->misaligned) {
		snprintf(why, len, "%s: slots of a large folio are not aligned to its size",
			 run->cfg.allocator);
		return -EUCLEAN;
	}
	for (unsigned int pool = 0; pool < ALLOC_POOLS; pool++)
		if (run->pool[pool] && swap_alloc_check(run->pool[pool], why, len))
			return -EUCLEAN;
	for (uint32_t x = 0; x < total; x++) {
		uint32_t r = places_recorded(&run->places, x);
		unsigned int part;
		uint8_t byte;

		if (r == SLOT_NOWHERE)
			continue;
		part = slot_space_part(&run->places.space, x);
		byte = run->pool[part / ALLOC_DEVICES]
			       ->dev[part % ALLOC_DEVICES]
			       .map[x - run->places.space.base[part]];
		if (places_model(&run->places, r) == x &&
		    (byte == SWAP_MAP_USED || byte == SWAP_HAS_CACHE))
			continue;
		snprintf(why, len, "%s: slot %u is linked to recorded slot %u, which is not in it",
			 run->cfg.allocator, x, r);
		return -EUCLEAN;
	}
	return 0;
}
