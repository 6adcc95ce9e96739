/* SPDX-License-Identifier: GPL-2.0 */
/*
 * T2: mthp-empty-only and nonfull-v1 with the lists of 6.12; included at the end of mm/swapfile.c.
 * The caller holds si->lock throughout.
 *
 * Clusters that got a slot back stand on nonfull[order] here, too, but these searches look there
 * only as their kernels did: mthp-empty-only never, nonfull-v1 for a new cluster when none is free.
 * Neither uses the lists of clusters with holes and of full ones.
 */

/* Off every list until a slot of it is freed. */
static void swaptrace_unlist(struct swap_cluster_info *ci)
{
	list_del_init(&ci->list);
	ci->flags = 0;
}

static struct swap_cluster_info *swaptrace_first(struct list_head *list)
{
	return list_first_entry_or_null(list, struct swap_cluster_info, list);
}

static struct swap_cluster_info *swaptrace_pick(struct swap_info_struct *si, int order, bool v1)
{
	struct swap_cluster_info *ci = swaptrace_first(&si->free_clusters);

	if (!ci && v1) {
		ci = swaptrace_first(&si->nonfull_clusters[order]);
		if (ci)
			swaptrace_unlist(ci);
	}
	if (!ci && !list_empty(&si->discard_clusters)) {
		swap_do_scheduled_discard(si);
		ci = swaptrace_first(&si->free_clusters);
	}
	return ci;
}

/* From the cluster this CPU is in, else from a new one. A v1 cluster in use is on no list. */
static unsigned int swaptrace_from_cluster(struct swap_info_struct *si, int order,
					   unsigned char usage, bool v1)
{
	unsigned int found = 0;

	while (!found && (si->flags & SWP_WRITEOK)) {
		unsigned int *next = &this_cpu_ptr(si->percpu_cluster)->next[order];
		struct swap_cluster_info *ci = NULL;
		unsigned long offset = *next;

		if (!offset) {
			ci = swaptrace_pick(si, order, v1);
			if (!ci)
				break;
			offset = cluster_offset(si, ci);
			/* A discard let others run, and this task may be on another CPU now. */
			next = &this_cpu_ptr(si->percpu_cluster)->next[order];
		}
		*next = alloc_swap_scan_cluster(si, offset, &found, order, usage);
		if (v1 && ci && ci->flags == CLUSTER_FLAG_NONFULL)
			swaptrace_unlist(ci);
	}
	return found;
}

/* The first slot of [FROM, TO) that is free, or that the swap cache alone holds while swap is full.
 */
static unsigned int swaptrace_scan_part(struct swap_info_struct *si, unsigned char usage,
					unsigned long from, unsigned long to)
{
	unsigned int found = 0;

	for (; from < to && !found && (si->flags & SWP_WRITEOK); from++) {
		if (si->swap_map[from] == SWAP_HAS_CACHE && vm_swap_full()) {
			spin_unlock(&si->lock);
			__try_to_reclaim_swap(si, from, TTRS_ANYWAY);
			spin_lock(&si->lock);
		}
		if (!si->swap_map[from])
			alloc_swap_scan_cluster(si, from, &found, 0, usage);
	}
	return found;
}

/* Every slot of the device, whatever cluster it is in. */
static unsigned int swaptrace_scan_device(struct swap_info_struct *si, unsigned char usage,
					  unsigned long from)
{
	unsigned int found;

	if (!si->highest_bit)
		return 0;
	if (from > si->highest_bit)
		from = si->lowest_bit;
	found = swaptrace_scan_part(si, usage, from, si->highest_bit + 1);
	return found ? found : swaptrace_scan_part(si, usage, si->lowest_bit, from);
}

noinline __noclone int swaptrace_alloc_swap(struct swap_info_struct *si, unsigned char usage,
					    int nr, swp_entry_t slots[], int order)
{
	bool v1 = READ_ONCE(swaptrace_allocator) == SWAPTRACE_NONFULL_V1;
	unsigned int offset = 0;
	int n = 0;

	if (!swaptrace_old_search())
		return cluster_alloc_swap(si, usage, nr, slots, order);

	si->flags += SWP_SCANNING;
	while (n < nr) {
		unsigned int last = n ? offset + 1 : this_cpu_read(*si->cluster_next_cpu);

		offset = swaptrace_from_cluster(si, order, usage, v1);
		if (!offset && !order)
			offset = swaptrace_scan_device(si, usage, last);
		if (!offset)
			break;
		slots[n++] = swp_entry(si->type, offset);
	}
	if (n && !order)
		set_cluster_next(si, swp_offset(slots[n - 1]) + 1);
	si->flags -= SWP_SCANNING;
	return n;
}
