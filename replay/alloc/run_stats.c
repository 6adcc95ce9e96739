// SPDX-License-Identifier: GPL-2.0
/* What an allocator's run counts beside answers: devices, clusters, chunks, groups, free space. */
#include "replay/alloc/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Slots of one swap-cache address space that were handed out, and to which CPUs. */
struct alloc_cpus {
	uint64_t slots;
	unsigned int ncpus;
	uint8_t *seen; /* a bit per CPU */
};

static unsigned int cluster_shift(const struct alloc_run *run)
{
	return run->pool[0]->cluster_shift;
}

static int init_chunks(struct alloc_run *run)
{
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		uint64_t pages = run->cfg.policy->devices ? run->cfg.policy->device[t].pages
							  : run->cfg.pages[t];

		run->chunk_base[t + 1] =
			run->chunk_base[t] + (uint32_t)((pages + SWAP_ADDRESS_SPACE_PAGES - 1) /
							SWAP_ADDRESS_SPACE_PAGES);
	}
	run->chunks = calloc(run->chunk_base[ALLOC_DEVICES] + 1ul, sizeof(*run->chunks));
	return run->chunks ? 0 : -ENOMEM;
}

int alloc_stats_init(struct alloc_run *run)
{
	uint32_t clusters = 0;

	for (unsigned int part = 0; part < SPACE_PARTS; part++) {
		uint64_t size = run->places.space.base[part + 1] - run->places.space.base[part];

		run->cluster_base[part] = clusters;
		clusters += (uint32_t)((size + run->cfg.cluster_slots - 1) >> cluster_shift(run));
	}
	run->written = calloc(slot_space_total(&run->places.space) / 8 + 1ul, 1);
	run->touched = calloc(clusters / 8 + 1ul, 1);
	if (!run->written || !run->touched)
		return -ENOMEM;
	return init_chunks(run);
}

void alloc_stats_free(struct alloc_run *run)
{
	for (uint32_t i = 0; run->chunks && i < run->chunk_base[ALLOC_DEVICES]; i++)
		free(run->chunks[i].seen);
	free(run->chunks);
	free(run->written);
	free(run->touched);
}

static bool set_bit(uint8_t *bits, uint32_t i)
{
	bool was = bits[i / 8] >> i % 8 & 1;

	bits[i / 8] |= (uint8_t)(1u << i % 8);
	return !was;
}

static int count_chunk(struct alloc_run *run, unsigned int cpu, unsigned int type, uint64_t off,
		       uint32_t n)
{
	uint32_t i = run->chunk_base[type] + (uint32_t)(off / SWAP_ADDRESS_SPACE_PAGES);
	struct alloc_cpus *c = &run->chunks[i];

	if (i >= run->chunk_base[type + 1])
		return 0;
	if (!c->seen) {
		c->seen = calloc(run->cfg.nr_cpus / 8 + 1, 1);
		if (!c->seen)
			return -ENOMEM;
	}
	c->slots += n;
	c->ncpus += set_bit(c->seen, cpu % run->cfg.nr_cpus);
	return 0;
}

static int count_group(struct alloc_run *run, uint64_t memcg, unsigned int type, uint32_t n)
{
	struct alloc_result *res = run->result;
	uint64_t *index = map_get(&run->groups, memcg, type);

	if (!index) {
		if (res->ngroups == run->group_room) {
			unsigned int room = run->group_room ? run->group_room * 2 : 16;
			struct alloc_group *bigger = realloc(res->groups, room * sizeof(*bigger));

			if (!bigger)
				return -ENOMEM;
			res->groups = bigger;
			run->group_room = room;
		}
		res->groups[res->ngroups] = (struct alloc_group){ .memcg = memcg, .type = type };
		if (map_set(&run->groups, memcg, type, res->ngroups))
			return -ENOMEM;
		index = map_get(&run->groups, memcg, type);
		res->ngroups++;
	}
	res->groups[*index].slots += n;
	return 0;
}

/* Slots that hold data from now on. */
void alloc_stats_hold(struct alloc_run *run, uint32_t x, uint32_t n)
{
	unsigned int part = slot_space_part(&run->places.space, x);
	struct alloc_device *d = &run->result->devices[part % ALLOC_DEVICES];

	d->used += n;
	if (d->used > d->peak)
		d->peak = d->used;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t ci = (x + i - run->places.space.base[part]) >> cluster_shift(run);

		d->written += set_bit(run->written, x + i);
		run->result->clusters_touched +=
			set_bit(run->touched, run->cluster_base[part] + ci);
	}
}

int alloc_run_give(struct alloc_run *run, const struct slot_request *req, uint32_t x, uint32_t n)
{
	unsigned int type;
	uint64_t off;
	int ret;

	alloc_stats_hold(run, x, n);
	places_slot(&run->places, x, &type, &off);
	run->result->devices[type].given += n;
	ret = count_chunk(run, req->cpu, type, off, n);
	if (!ret && req->have_memcg)
		ret = count_group(run, req->memcg, type, n);
	return ret;
}

void alloc_stats_gone(struct alloc_run *run, uint32_t x, uint32_t n)
{
	run->result->devices[slot_space_part(&run->places.space, x) % ALLOC_DEVICES].used -= n;
}

/* Free space of both pools. */
static void whole_space(const struct alloc_run *run, struct swap_alloc_space *space)
{
	struct swap_alloc_space reserved;

	swap_alloc_space(run->pool[0], -1, space);
	if (!run->pool[1])
		return;
	swap_alloc_space(run->pool[1], -1, &reserved);
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (run->pool[1]->dev[t].present)
			reserved.slots -= run->cfg.cluster_slots - 1;
	space->slots += reserved.slots;
	space->free += reserved.free;
	space->free_clusters += reserved.free_clusters;
	for (unsigned int o = 0; o < ALLOC_ORDERS; o++)
		space->holes[o] += reserved.holes[o];
}

void alloc_stats_first(struct alloc_run *run, const struct slot_request *req, unsigned int order,
		       enum fallback_reason reason)
{
	struct alloc_first *first = &run->result->first;
	struct swap_alloc_space space;

	whole_space(run, &space);
	first->known = true;
	first->n = run->result->requests;
	first->t_ns = req->t_ns;
	first->order = order;
	first->reason = reason;
	first->free_pct = space.slots ? 100.0 * (double)space.free / (double)space.slots : 0.0;
	first->free_clusters = space.free_clusters;
	first->norders = run->result->norders;
	for (unsigned int o = 0; o < ALLOC_ORDERS; o++)
		first->holes[o] = space.holes[o];
}

static uint32_t used_in_cluster(const struct swap_alloc *sa, const struct swap_dev *dev,
				uint32_t ci)
{
	uint32_t off = ci << sa->cluster_shift, end = off + sa->cluster_slots, used = 0;

	if (end > dev->max)
		end = dev->max;
	if (dev->cluster)
		return dev->cluster[ci].count - (sa->cluster_slots - (end - off)) - !ci;
	for (; off < end; off++)
		used += dev->map[off] != SWAP_MAP_FREE && dev->map[off] != SWAP_MAP_BAD;
	return used;
}

static uint64_t all_clusters(const struct alloc_run *run)
{
	uint64_t n = 0;

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (run->pool[0]->dev[t].present)
			n += ((uint64_t)run->pool[0]->dev[t].max + run->cfg.cluster_slots - 1) >>
			     cluster_shift(run);
	return n;
}

void alloc_stats_devices(struct alloc_run *run)
{
	uint64_t n = all_clusters(run);

	for (unsigned int t = 0; run->pool[1] && t < ALLOC_DEVICES; t++)
		if (run->pool[1]->dev[t].present)
			n += run->pool[1]->dev[t].nr_clusters - 1;
	if (n > run->result->clusters)
		run->result->clusters = n;
}

void alloc_run_end_slice(struct alloc_run *run)
{
	uint64_t total = all_clusters(run), n = 0;

	if (!run->slice || !total)
		return;
	memset(run->slice->used, 0, sizeof(run->slice->used));
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct swap_dev *dev = &run->pool[0]->dev[t];
		uint64_t clusters =
			((uint64_t)dev->max + run->cfg.cluster_slots - 1) >> cluster_shift(run);

		for (uint64_t ci = 0; dev->present && ci < clusters; ci++, n++)
			run->slice->used[n * ALLOC_ROWS / total] +=
				used_in_cluster(run->pool[0], dev, (uint32_t)ci);
	}
}

/* Maximal runs of free slots, by the power of two below their length. */
static void count_runs(const struct swap_alloc *sa, const struct swap_dev *dev, uint64_t *bins)
{
	uint32_t len = 0;

	for (uint32_t off = 1; off <= dev->max; off++) {
		while (swap_alloc_untouched(sa, dev, off)) {
			len += sa->cluster_slots;
			off += sa->cluster_slots;
		}
		if (off < dev->max && dev->map[off] == SWAP_MAP_FREE) {
			len++;
			continue;
		}
		if (len)
			bins[31 - __builtin_clz(len)]++;
		len = 0;
	}
}

static int list_chunks(struct alloc_run *run)
{
	struct alloc_result *res = run->result;

	res->chunks = calloc(run->chunk_base[ALLOC_DEVICES] + 1ul, sizeof(*res->chunks));
	if (!res->chunks)
		return -ENOMEM;
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		for (uint32_t i = run->chunk_base[t]; i < run->chunk_base[t + 1]; i++)
			if (run->chunks[i].slots)
				res->chunks[res->nchunks++] = (struct alloc_chunk){
					.type = t,
					.chunk = i - run->chunk_base[t],
					.slots = run->chunks[i].slots,
					.cpus = run->chunks[i].ncpus,
				};
	return 0;
}

int alloc_run_finish(struct alloc_run *run)
{
	struct alloc_result *res = run->result;
	struct swap_alloc_space space;

	whole_space(run, &space);
	res->clusters_free = space.free_clusters;
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		for (unsigned int pool = 0; pool < ALLOC_POOLS; pool++)
			if (run->pool[pool] && run->pool[pool]->dev[t].present)
				count_runs(run->pool[pool], &run->pool[pool]->dev[t],
					   res->free_runs);
	alloc_run_end_slice(run);
	return list_chunks(run);
}
