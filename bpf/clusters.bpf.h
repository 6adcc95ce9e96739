/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_CLUSTERS_BPF_H
#define SWAPTRACE_BPF_CLUSTERS_BPF_H

/* What the allocator of 6.12 and 6.13 remembers, for a recording that begins in mid-life. */

struct cluster_walk {
	u64 head, at; /* list_head addresses */
	u64 clusters; /* first cluster */
	u32 size;     /* of a cluster's description */
	u32 offset;   /* of its list member */
	u32 n;
};

static long cluster_step(u32 i, struct cluster_walk *w)
{
	u32 zero = 0;
	struct cluster_entry *to = bpf_map_lookup_elem(&chunk, &zero);
	struct swap_cluster_info___list *ci = (void *)(w->at - w->offset);

	if (!to || !w->at || w->at == w->head || !w->size)
		return 1;
	to = &to[i & (CLUSTER_ENTRIES - 1)];
	to->index = (u32)((u64)ci - w->clusters) / w->size;
	to->used = BPF_CORE_READ(ci, count);
	to->order = BPF_CORE_READ(ci, order);
	w->n = i + 1;
	w->at = read_u64(w->at);
	return 0;
}

static __always_inline u64 cluster_list(u64 si, u32 list, u32 order)
{
	switch (list) {
	case CLUSTERS_FREE:
		return si + bpf_core_field_offset(struct swap_info_struct___lists, free_clusters);
	case CLUSTERS_NONFULL:
		return si +
		       bpf_core_field_offset(struct swap_info_struct___lists, nonfull_clusters) +
		       order * bpf_core_type_size(struct list_head);
	case CLUSTERS_FRAG:
		return si + bpf_core_field_offset(struct swap_info_struct___lists, frag_clusters) +
		       order * bpf_core_type_size(struct list_head);
	default:
		return si + bpf_core_field_offset(struct swap_info_struct___lists, full_clusters);
	}
}

/* Later kernels keep the CPUs' places elsewhere, and their lists behind other locks. */
static __always_inline bool lists_known(void)
{
	return bpf_core_field_exists(struct swap_info_struct___lists, nonfull_clusters) &&
	       bpf_core_field_exists(struct swap_info_struct, lowest_bit) &&
	       bpf_core_field_exists(struct swap_cluster_info___list, list);
}

SEC("syscall")
int clusters(struct clusters_args *a)
{
	struct swap_info_struct___lists *si = (void *)device_of(a->type);
	struct cluster_walk w = {};

	a->got = 0;
	a->t_ns = bpf_ktime_get_boot_ns();
	if (!si || a->order >= PLACE_ORDERS || !lists_known())
		return 0;
	w.head = cluster_list((u64)si, a->list, a->order);
	w.at = read_u64(w.head);
	w.clusters = (u64)BPF_CORE_READ(si, cluster_info);
	w.size = bpf_core_type_size(struct swap_cluster_info___list);
	w.offset = bpf_core_field_offset(struct swap_cluster_info___list, list);
	if (w.clusters)
		bpf_loop(CLUSTER_ENTRIES, cluster_step, &w, 0);
	a->got = w.n;
	return 0;
}

SEC("syscall")
int places(struct places_args *a)
{
	struct swap_info_struct___lists *si = (void *)device_of(a->type);
	u64 place;

	a->known = 0;
	a->t_ns = bpf_ktime_get_boot_ns();
	if (!si || !lists_known() || !at.per_cpu_offset || a->cpu >= CPUS_MAX ||
	    !bpf_core_field_exists(struct percpu_cluster___orders, next))
		return 0;
	place = (u64)BPF_CORE_READ(si, percpu_cluster);
	if (!place)
		return 0;
	place += read_u64(at.per_cpu_offset + a->cpu * sizeof(u64)) +
		 bpf_core_field_offset(struct percpu_cluster___orders, next);
	/* The verifier wants constant places in its argument. */
#pragma unroll
	for (u32 order = 0; order < PLACE_ORDERS; order++)
		a->next[order] = read_u32(place + order * sizeof(u32));
	a->known = 1;
	return 0;
}

#endif
