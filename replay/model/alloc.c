/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the swap slot allocator that all generations share: devices, the list of available
 * devices with its round robin, totals, and the entry points. The search itself is in
 * alloc_<generation>.c, the slots cache in alloc_cache.c, the cluster lists in alloc_list.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_priv.h"

static const struct swap_alloc_ops *const generations[] = {
	&swap_scan_6_1_ops,	&swap_mthp_empty_only_ops, &swap_nonfull_v1_ops,
	&swap_cluster_6_12_ops, &swap_cluster_6_18_ops,	   &swap_cluster_6_19_ops,
	&swap_cluster_7_1_ops,
};

#define NR_GENERATIONS (sizeof(generations) / sizeof(generations[0]))

const char *swap_alloc_generation(unsigned int i)
{
	return i < NR_GENERATIONS ? generations[i]->name : NULL;
}

static const struct swap_alloc_ops *find_generation(const char *name)
{
	for (size_t i = 0; i < NR_GENERATIONS; i++)
		if (!strcmp(generations[i]->name, name))
			return generations[i];
	return NULL;
}

const char *swap_alloc_named(const char *name)
{
	const struct swap_alloc_ops *ops = find_generation(name);

	return ops ? ops->name : NULL;
}

bool swap_alloc_discards(const struct swap_alloc *sa)
{
	return sa->ops->traits & SWAP_GEN_DISCARD;
}

/* log2 of a supported SWAPFILE_CLUSTER, -1 for any other number. */
static int cluster_shift(unsigned int slots)
{
	switch (slots) {
	case 256:
		return 8;
	case 512:
		return 9;
	case 2048:
		return 11;
	case 8192:
		return 13;
	default:
		return -1;
	}
}

static int create_percpu(struct swap_alloc *sa)
{
	if (sa->cache_switch) {
		sa->cache = calloc(sa->nr_cpus, sizeof(*sa->cache));
		if (!sa->cache)
			return -ENOMEM;
	}
	if (sa->ops->traits & SWAP_GEN_FOLIO) {
		sa->percpu = calloc(sa->nr_cpus, sizeof(*sa->percpu));
		if (!sa->percpu)
			return -ENOMEM;
	}
	return 0;
}

int swap_alloc_create(struct swap_alloc **out, const struct swap_alloc_config *cfg)
{
	const struct swap_alloc_ops *ops = find_generation(cfg->generation);
	int shift = cluster_shift(cfg->cluster_slots);
	struct swap_alloc *sa;
	int ret;

	if (!ops)
		return -ENOENT;
	if (shift < 0 || !cfg->nr_cpus || cfg->nr_cpus > SWAP_MAX_CPUS)
		return -EINVAL;
	sa = calloc(1, sizeof(*sa));
	if (!sa)
		return -ENOMEM;
	sa->ops = ops;
	sa->generation = ops->name;
	sa->env = cfg->env;
	sa->nr_cpus = cfg->nr_cpus;
	sa->refill = SWAP_BATCH;
	sa->cluster_slots = cfg->cluster_slots;
	sa->cluster_shift = shift;
	/* 256 slots are the cluster of a kernel without THP_SWAP, which knows order 0 only. */
	sa->nr_orders = shift == 8 ? 1 : shift + 1;
	sa->least_priority = -1;
	sa->allowed = UINT32_MAX;
	sa->cache_switch = cfg->slots_cache && (ops->traits & SWAP_GEN_SLOTS_CACHE);
	ret = create_percpu(sa);
	if (ret) {
		swap_alloc_destroy(sa);
		return ret;
	}
	*out = sa;
	return 0;
}

static void free_dev(struct swap_dev *dev)
{
	free(dev->map);
	free(dev->cluster);
	free(dev->percpu);
	memset(dev, 0, sizeof(*dev));
}

void swap_alloc_destroy(struct swap_alloc *sa)
{
	if (!sa)
		return;
	for (int i = 0; i < SWAP_MAX_TYPES; i++)
		free_dev(&sa->dev[i]);
	free(sa->cache);
	free(sa->percpu);
	free(sa);
}

/* The list of available devices: a plist, equal keys in order of arrival. */

void swap_avail_add(struct swap_alloc *sa, struct swap_dev *dev)
{
	unsigned int i = sa->nr_avail;

	if (dev->avail)
		return;
	while (i > 0 && sa->dev[sa->avail[i - 1]].avail_key > dev->avail_key) {
		sa->avail[i] = sa->avail[i - 1];
		i--;
	}
	sa->avail[i] = dev->type;
	sa->nr_avail++;
	dev->avail = true;
}

void swap_avail_del(struct swap_alloc *sa, struct swap_dev *dev)
{
	unsigned int i = 0;

	if (!dev->avail)
		return;
	while (sa->avail[i] != dev->type)
		i++;
	for (; i + 1 < sa->nr_avail; i++)
		sa->avail[i] = sa->avail[i + 1];
	sa->nr_avail--;
	dev->avail = false;
}

void swap_avail_requeue(struct swap_alloc *sa, struct swap_dev *dev)
{
	if (!dev->avail)
		return;
	swap_avail_del(sa, dev);
	swap_avail_add(sa, dev);
}

/* Totals of a device and of the whole. */

bool swap_alloc_full(const struct swap_alloc *sa)
{
	return sa->nr_swap_pages * 2 < sa->total_swap_pages;
}

void swap_range_alloc(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n)
{
	bool bounds = sa->ops->traits & SWAP_GEN_SCAN_BOUNDS;
	uint32_t last = off + n - 1;

	/* The bounds only shrink from the ends; nobody looks for the true ones. */
	if (bounds && off == dev->lowest_bit)
		dev->lowest_bit += n;
	if (bounds && last == dev->highest_bit)
		dev->highest_bit -= n;
	dev->inuse += n;
	if (dev->inuse == dev->pages) {
		if (bounds) {
			dev->lowest_bit = dev->max;
			dev->highest_bit = 0;
		}
		swap_avail_del(sa, dev);
		if ((sa->ops->traits & SWAP_GEN_RECLAIM_WORK) && swap_alloc_full(sa))
			dev->reclaim_queued = true;
	}
	if (!(sa->ops->traits & SWAP_GEN_RESERVE))
		sa->nr_swap_pages -= n;
}

void swap_range_free(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n)
{
	bool was_full;

	if (sa->ops->traits & SWAP_GEN_SCAN_BOUNDS) {
		uint32_t last = off + n - 1;

		was_full = !dev->highest_bit;
		if (off < dev->lowest_bit)
			dev->lowest_bit = off;
		if (last > dev->highest_bit)
			dev->highest_bit = last;
	} else {
		was_full = dev->inuse == dev->pages;
	}
	if (was_full && dev->writeok)
		swap_avail_add(sa, dev);
	dev->inuse -= n;
	sa->nr_swap_pages += n;
	if (sa->env.freed)
		sa->env.freed(sa->env.ctx, dev->type, off, n);
}

/* swapon */

/*
 * Before 6.18 the free list takes every COLS-th cluster, then their right neighbours, and so on:
 * CPUs that draw clusters one after the other stay apart on the device and in cache lines.
 */
static uint32_t cluster_cols(const struct swap_alloc *sa)
{
	uint32_t line = (64 + sa->ops->info_bytes - 1) / sa->ops->info_bytes;
	uint32_t trunk = (SWAP_ADDRESS_SPACE_PAGES + sa->cluster_slots - 1) / sa->cluster_slots;

	return line > trunk ? line : trunk;
}

/* Part-used clusters (header, short tail) are on no free list; 6.12 puts them on nonfull[0]. */
static void enlist_cluster(struct swap_alloc *sa, struct swap_dev *dev, uint32_t ci)
{
	if (!dev->cluster[ci].count)
		swap_cluster_move_tail(dev, ci, SWAP_LIST_FREE, 0);
	else if (sa->ops->traits & SWAP_GEN_PART_NONFULL)
		swap_cluster_move_tail(dev, ci, SWAP_LIST_NONFULL, 0);
}

static void enlist_clusters(struct swap_alloc *sa, struct swap_dev *dev)
{
	uint32_t cols = sa->ops->traits & SWAP_GEN_ASCENDING ? 1 : cluster_cols(sa);

	for (uint32_t col = 0; col < cols; col++)
		for (uint64_t ci = col; ci < dev->nr_clusters; ci += cols)
			enlist_cluster(sa, dev, ci);
}

static void init_lists(struct swap_dev *dev)
{
	const struct swap_cluster_list empty = { SWAP_CLUSTER_NONE, SWAP_CLUSTER_NONE, 0 };

	dev->free = dev->full = dev->discard = empty;
	for (int i = 0; i < SWAP_MAX_ORDERS; i++)
		dev->nonfull[i] = dev->frag[i] = empty;
}

static int setup_clusters(struct swap_alloc *sa, struct swap_dev *dev)
{
	uint32_t mask = sa->cluster_slots - 1;

	init_lists(dev);
	if (!(dev->flags & SWAP_DEV_SSD) && !(sa->ops->traits & SWAP_GEN_HDD_CLUSTERS))
		return 0;
	dev->nr_clusters = ((uint64_t)dev->max + mask) >> sa->cluster_shift;
	dev->cluster = calloc(dev->nr_clusters, sizeof(*dev->cluster));
	if (!dev->cluster)
		return -ENOMEM;
	for (uint32_t i = 0; i < dev->nr_clusters; i++)
		dev->cluster[i].prev = dev->cluster[i].next = SWAP_CLUSTER_NONE;
	dev->cluster[0].count = 1;
	if (dev->max & mask)
		dev->cluster[dev->nr_clusters - 1].count += sa->cluster_slots - (dev->max & mask);
	enlist_clusters(sa, dev);
	return 0;
}

/* The end of the cluster that holds the last of @pages slots. */
static size_t tail_end(const struct swap_alloc *sa, uint32_t pages)
{
	return ((size_t)pages + sa->cluster_slots - 1) & ~((size_t)sa->cluster_slots - 1);
}

static int setup_dev(struct swap_alloc *sa, struct swap_dev *dev, const struct swap_alloc_swapon *p)
{
	size_t end;

	dev->flags = p->flags;
	dev->max = p->pages;
	dev->pages = p->pages - 1;
	dev->lowest_bit = dev->cluster_next = 1;
	dev->highest_bit = p->pages - 1;
	end = sa->ops->traits & SWAP_GEN_TAIL ? tail_end(sa, p->pages) : p->pages;
	dev->map = calloc(end, 1);
	dev->percpu = calloc(sa->nr_cpus, sizeof(*dev->percpu));
	if (!dev->map || !dev->percpu)
		return -ENOMEM;
	dev->map[0] = SWAP_MAP_BAD;
	memset(dev->map + p->pages, SWAP_MAP_BAD, end - p->pages);
	for (unsigned int cpu = 0; cpu < sa->nr_cpus; cpu++)
		dev->percpu[cpu].index = SWAP_CLUSTER_NONE;
	return setup_clusters(sa, dev);
}

static void set_priority(struct swap_alloc *sa, struct swap_dev *dev,
			 const struct swap_alloc_swapon *p)
{
	dev->prio = p->prio;
	if (sa->ops->traits & SWAP_GEN_ONE_LIST) {
		if (p->prio == SWAP_PRIO_DEFAULT)
			dev->prio = -1;
		dev->avail_key = -dev->prio;
		return;
	}
	if (p->prio == SWAP_PRIO_DEFAULT)
		dev->prio = --sa->least_priority;
	else if (p->prio < sa->least_priority)
		sa->least_priority = p->prio;
	dev->avail_key = dev->prio < 0 && p->local_node ? 1 : -dev->prio;
}

/* The device takes part in allocation: enable_swap_info(). */
static void enable_dev(struct swap_alloc *sa, struct swap_dev *dev)
{
	dev->writeok = true;
	sa->nr_swap_pages += dev->pages;
	sa->total_swap_pages += dev->pages;
	/* After a swapoff that was killed it may be full; its next free brings it back. */
	if (dev->inuse < dev->pages)
		swap_avail_add(sa, dev);
}

static struct swap_dev *get_dev(struct swap_alloc *sa, int type)
{
	if (type < 0 || type >= SWAP_MAX_TYPES || !sa->dev[type].present)
		return NULL;
	return &sa->dev[type];
}

int swap_alloc_swapon(struct swap_alloc *sa, int type, const struct swap_alloc_swapon *p)
{
	struct swap_dev *dev;
	int ret;

	if (type < 0 || type >= SWAP_MAX_TYPES || p->pages < 2 || p->prio > 32767)
		return -EINVAL;
	if ((p->flags & SWAP_DEV_DISCARD) && !swap_alloc_discards(sa))
		return -EOPNOTSUPP;
	dev = &sa->dev[type];
	if (dev->present)
		return -EBUSY;
	ret = setup_dev(sa, dev, p);
	if (ret) {
		free_dev(dev);
		return ret;
	}
	dev->type = type;
	dev->present = true;
	if (sa->ops->swapon)
		sa->ops->swapon(sa, dev);
	set_priority(sa, dev, p);
	if ((unsigned int)type >= sa->nr_swapfiles)
		sa->nr_swapfiles = type + 1;
	enable_dev(sa, dev);
	swap_cache_reenable(sa);
	return 0;
}

/* swapoff */

/* Default priorities stay dense: those below the leaving device move up by one. */
static void close_priority_gap(struct swap_alloc *sa, const struct swap_dev *gone)
{
	if (gone->prio >= 0 || sa->ops->traits & SWAP_GEN_ONE_LIST)
		return;
	for (int i = 0; i < SWAP_MAX_TYPES; i++) {
		struct swap_dev *dev = &sa->dev[i];

		if (!dev->present || dev->prio >= gone->prio)
			continue;
		dev->prio++;
		if (dev->avail_key != 1)
			dev->avail_key--;
	}
	sa->least_priority++;
}

int swap_alloc_swapoff_begin(struct swap_alloc *sa, int type)
{
	struct swap_dev *dev = get_dev(sa, type);

	if (!dev || !dev->writeok)
		return -ENODEV;
	swap_avail_del(sa, dev);
	close_priority_gap(sa, dev);
	sa->nr_swap_pages -= dev->pages;
	sa->total_swap_pages -= dev->pages;
	dev->writeok = false;
	swap_cache_disable(sa);
	return 0;
}

int swap_alloc_swapoff_abort(struct swap_alloc *sa, int type)
{
	struct swap_dev *dev = get_dev(sa, type);

	if (!dev || dev->writeok)
		return -ENODEV;
	enable_dev(sa, dev);
	if (dev->prio < sa->least_priority)
		sa->least_priority = dev->prio;
	swap_cache_reenable(sa);
	return 0;
}

/* No CPU may remember a place on a device that is gone. */
static void forget_dev(struct swap_alloc *sa, int type)
{
	if (!sa->percpu)
		return;
	for (unsigned int cpu = 0; cpu < sa->nr_cpus; cpu++)
		for (unsigned int o = 0; o < SWAP_MAX_ORDERS; o++)
			if (sa->percpu[cpu].next[o].type == type)
				sa->percpu[cpu].next[o] = (struct swap_entry){ 0, 0 };
}

int swap_alloc_swapoff_end(struct swap_alloc *sa, int type)
{
	struct swap_dev *dev = get_dev(sa, type);

	if (!dev || dev->writeok)
		return -ENODEV;
	/* What was still in use leaves with the device. */
	sa->nr_swap_pages += dev->inuse;
	forget_dev(sa, type);
	free_dev(dev);
	swap_cache_reenable(sa);
	return 0;
}

/* Allocation */

bool swap_order_allowed(const struct swap_dev *dev, unsigned int order)
{
	return !order || ((dev->flags & SWAP_DEV_BLKDEV) && dev->cluster);
}

bool swap_alloc_has_order(const struct swap_alloc *sa, unsigned int order)
{
	if (order >= sa->nr_orders)
		return false;
	return !order || !(sa->ops->traits & SWAP_GEN_PMD_ONLY) || order == sa->nr_orders - 1;
}

static int alloc_on_dev(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu,
			unsigned int order, unsigned int n, struct swap_entry *entries)
{
	uint32_t offs[SWAP_BATCH];
	int got;

	if (!swap_order_allowed(dev, order)) {
		sa->last_fail = SWAP_FAIL_CONFIG;
		return 0;
	}
	got = sa->ops->alloc(sa, dev, cpu, order, n, offs);
	for (int i = 0; i < got; i++)
		entries[i] = (struct swap_entry){ dev->type, offs[i] };
	if (!got)
		sa->last_fail = SWAP_FAIL_SEARCH;
	return got;
}

/*
 * The walk over the devices in get_swap_pages(). A device goes behind its equals before it is
 * asked, which is all there is of round robin; its unit is one call, however many slots that is.
 * Order 0 goes on to the next device, a large entry is sought on one device only.
 */
static int alloc_on_devices(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
			    unsigned int n, struct swap_entry *entries)
{
	uint32_t asked = ~sa->allowed;
	unsigned int i = 0;

	while (i < sa->nr_avail) {
		struct swap_dev *dev = &sa->dev[sa->avail[i]];
		int got;

		if (asked & (1u << dev->type)) {
			i++;
			continue;
		}
		asked |= 1u << dev->type;
		swap_avail_requeue(sa, dev);
		got = alloc_on_dev(sa, dev, cpu, order, n, entries);
		if (got || order)
			return got;
		/* Requeueing moved others forward: begin again with the best not asked. */
		i = 0;
	}
	return 0;
}

int swap_get_pages(struct swap_alloc *sa, unsigned int cpu, unsigned int order, unsigned int n,
		   struct swap_entry *entries)
{
	int64_t avail = sa->nr_swap_pages >> order;
	int got;

	sa->last_fail = SWAP_FAIL_SPACE;
	if (avail <= 0)
		return 0;
	if (n > avail)
		n = avail;
	sa->nr_swap_pages -= (int64_t)n << order;
	got = alloc_on_devices(sa, cpu, order, n, entries);
	sa->nr_swap_pages += (int64_t)(n - got) << order;
	if (got)
		sa->last_fail = SWAP_FAIL_NONE;
	return got;
}

/* The caller has them: the reference of the page table replaces that of the allocator. */
static void mark_used(struct swap_alloc *sa, const struct swap_entry *entry, unsigned int order)
{
	memset(sa->dev[entry->type].map + entry->off, SWAP_MAP_USED, (size_t)1 << order);
}

/* 0, or why there is no point in asking. */
static int check_request(struct swap_alloc *sa, unsigned int cpu, unsigned int order)
{
	if (cpu >= sa->nr_cpus || order >= SWAP_MAX_ORDERS)
		return -EINVAL;
	if (!swap_alloc_has_order(sa, order)) {
		sa->last_fail = SWAP_FAIL_CONFIG;
		return -ENOSPC;
	}
	return 0;
}

static int alloc_one(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
		     struct swap_entry *entry)
{
	if (sa->ops->traits & SWAP_GEN_FOLIO)
		return sa->ops->alloc_folio(sa, cpu, order, entry) == 0;
	if (!order && swap_cache_alloc(sa, cpu, entry))
		return 1;
	return swap_get_pages(sa, cpu, order, 1, entry);
}

int swap_alloc_folio(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
		     struct swap_entry *entry)
{
	int ret = check_request(sa, cpu, order);

	if (ret)
		return ret;
	if (!alloc_one(sa, cpu, order, entry))
		return -ENOSPC;
	sa->last_fail = SWAP_FAIL_NONE;
	mark_used(sa, entry, order);
	return 0;
}

int swap_alloc_get_pages(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
			 unsigned int n, struct swap_entry *entries)
{
	int got = 0, ret = check_request(sa, cpu, order);

	if (!n || n > SWAP_BATCH || (order && n > 1))
		return -EINVAL;
	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	if (sa->ops->traits & SWAP_GEN_FOLIO) {
		while (got < (int)n && !sa->ops->alloc_folio(sa, cpu, order, &entries[got]))
			got++;
	} else {
		got = swap_get_pages(sa, cpu, order, n, entries);
	}
	if (got)
		sa->last_fail = SWAP_FAIL_NONE;
	for (int i = 0; i < got; i++)
		mark_used(sa, &entries[i], order);
	return got;
}

/* Freeing */

/* The device, if all of the range is in use; else NULL and *RET. */
static struct swap_dev *used_range(struct swap_alloc *sa, int type, uint32_t off, uint32_t n,
				   int *ret)
{
	struct swap_dev *dev = get_dev(sa, type);

	*ret = -EINVAL;
	if (!dev || !off || !n || off >= dev->max || n > dev->max - off)
		return NULL;
	*ret = -ENOENT;
	for (uint32_t i = 0; i < n; i++)
		if (dev->map[off + i] != SWAP_MAP_USED && dev->map[off + i] != SWAP_HAS_CACHE)
			return NULL;
	*ret = 0;
	return dev;
}

static void free_whole(struct swap_alloc *sa, struct swap_dev *dev, uint32_t off, uint32_t n)
{
	while (n) {
		uint32_t room = sa->cluster_slots - (off & (sa->cluster_slots - 1));
		uint32_t part = n < room ? n : room;

		sa->ops->free_range(sa, dev, off, part);
		off += part;
		n -= part;
	}
}

int swap_alloc_free(struct swap_alloc *sa, unsigned int cpu, enum swap_free_how how, int type,
		    uint32_t off, uint32_t n)
{
	int ret;
	struct swap_dev *dev = used_range(sa, type, off, n, &ret);

	if (cpu >= sa->nr_cpus)
		return -EINVAL;
	if (!dev)
		return ret;
	memset(dev->map + off, SWAP_HAS_CACHE, n);
	if (n > 1 && sa->ops->free_whole(sa, dev, how, off, n)) {
		free_whole(sa, dev, off, n);
		return 0;
	}
	for (uint32_t i = 0; i < n; i++)
		swap_free_slot(sa, dev, cpu, off + i);
	return 0;
}

int swap_alloc_cache_only(struct swap_alloc *sa, int type, uint32_t off, uint32_t n, bool used)
{
	int ret;
	struct swap_dev *dev = used_range(sa, type, off, n, &ret);

	if (!dev)
		return ret;
	memset(dev->map + off, used ? SWAP_MAP_USED : SWAP_HAS_CACHE, n);
	return 0;
}

/* Does the environment's answer describe a folio whose slots only the swap cache holds? */
static bool sane_folio(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t off,
		       uint32_t n)
{
	if (n > sa->cluster_slots || (n & (n - 1)) || n > dev->max - off)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (dev->map[off + i] != SWAP_HAS_CACHE)
			return false;
	return true;
}

int swap_try_reclaim(struct swap_alloc *sa, struct swap_dev *dev, unsigned int cpu, uint32_t off)
{
	uint32_t start;
	int n;

	if (!sa->env.reclaim)
		return 0;
	n = sa->env.reclaim(sa->env.ctx, cpu, dev->type, off);
	if (n <= 0)
		return n;
	start = off & ~((uint32_t)n - 1);
	if (!sane_folio(sa, dev, start, n))
		return 0;
	sa->ops->reclaimed(sa, dev, cpu, start, n);
	return n;
}

/* Workers and recorded state */

int swap_alloc_reclaim_work(struct swap_alloc *sa, unsigned int cpu, int type)
{
	struct swap_dev *dev = get_dev(sa, type);

	if (!dev || cpu >= sa->nr_cpus)
		return -ENODEV;
	dev->reclaim_queued = false;
	if (sa->ops->reclaim_work)
		sa->ops->reclaim_work(sa, dev, cpu);
	return 0;
}

int swap_alloc_discard_work(struct swap_alloc *sa, int type)
{
	struct swap_dev *dev = get_dev(sa, type);

	if (!dev)
		return -ENODEV;
	if (sa->ops->discard_work)
		sa->ops->discard_work(sa, dev);
	return 0;
}

int swap_alloc_set_scan_next(struct swap_alloc *sa, unsigned int cpu, int type, uint32_t off)
{
	struct swap_dev *dev = get_dev(sa, type);

	if (!dev || cpu >= sa->nr_cpus || off > dev->max)
		return -EINVAL;
	dev->percpu[cpu].scan_next = off;
	return 0;
}
