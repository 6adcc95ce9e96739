/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_CLUSTERS_BPF_H
#define SWAPTRACE_BPF_CLUSTERS_BPF_H

/* What the allocator remembers (lists: 6.12 and 6.13), for a recording that begins in mid-life. */

struct cluster_walk {
	u64 head, at; /* list_head addresses */
	u64 clusters; /* first cluster */
	u32 size;     /* of a cluster's description */
	u32 offset;   /* of its list member */
	u32 n;
};

LOOP_STEP(cluster_step, struct cluster_walk)
{
	u32 zero = 0;
	struct cluster_entry *to = MAP_FIND(chunk, &zero);
	u64 ci = w->at - w->offset;

	if (!to || !w->at || w->at == w->head || !w->size)
		return 1;
	to = &to[i & (CLUSTER_ENTRIES - 1)];
	to->index = (u32)(ci - w->clusters) / w->size;
	to->used = cluster_used(ci);
	to->order = cluster_order(ci);
	w->n = i + 1;
	w->at = read_u64(w->at);
	return 0;
}

PROGRAM_SYSCALL
int clusters(struct clusters_args *a)
{
	u64 si = (u64)device_of(a->type);
	struct cluster_walk w = {};

	a->got = 0;
	a->t_ns = bpf_ktime_get_boot_ns();
	if (!si || a->order >= PLACE_ORDERS || !lists_known())
		return 0;
	w.head = si + list_offset(a->list, a->order);
	w.at = read_u64(w.head);
	w.clusters = device_clusters(si);
	w.size = cluster_size();
	w.offset = cluster_list_offset();
	if (w.clusters)
		LOOP(CLUSTER_ENTRIES, cluster_step, &w);
	a->got = w.n;
	return 0;
}

PROGRAM_SYSCALL
int places(struct places_args *a)
{
	u64 si = (u64)device_of(a->type);
	u64 place;

	a->known = 0;
	a->t_ns = bpf_ktime_get_boot_ns();
	if (!si || !lists_known() || !at.per_cpu_offset || a->cpu >= CPUS_MAX)
		return 0;
	place = device_order_places(si);
	if (!place)
		return 0;
	place += read_u64(at.per_cpu_offset + a->cpu * sizeof(u64));
	/* The verifier wants constant places in its argument. */
#pragma unroll
	for (u32 order = 0; order < PLACE_ORDERS; order++)
		a->next[order] = read_u32(place + order * sizeof(u32));
	a->known = 1;
	return 0;
}

/* Copies one side of a slots cache; returns how many entries there are. */
static __always_inline u32 cache_side(u64 *to, u64 from, u32 n)
{
	if (!from || n - 1 >= CACHE_SLOTS)
		return 0;
	/* The verifier wants to see the bound once more; the compiler, which knows it, would drop
	 * it. */
	n--;
	asm volatile("" : "+r"(n));
	n &= CACHE_SLOTS - 1;
	return bpf_probe_read_kernel(to, (n + 1) * sizeof(u64), (void *)from) ? 0 : n + 1;
}

PROGRAM_SYSCALL
int caches(struct caches_args *a)
{
	u32 zero = 0;
	u64 *to = MAP_FIND(chunk, &zero);
	u64 cache;

	a->known = a->give = a->give_up = 0;
	a->active = at.slots_active ? read_bool(at.slots_active) : UNKNOWN_U32;
	a->t_ns = bpf_ktime_get_boot_ns();
	if (!to || !at.swp_slots || !at.per_cpu_offset || a->cpu >= CPUS_MAX || !have_slots_cache())
		return 0;
	cache = read_u64(at.per_cpu_offset + a->cpu * sizeof(u64)) + at.swp_slots;
	a->give = cache_side(to, cache_next(cache), cache_left(cache));
	a->give_up = cache_side(to + CACHE_SLOTS, cache_returned(cache), cache_nr_returned(cache));
	a->known = 1;
	return 0;
}

#endif
