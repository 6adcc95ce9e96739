/* SPDX-License-Identifier: GPL-2.0 */
/*
 * T2: mthp-empty-only and nonfull-v1 with the lists of 6.12; included at the end of mm/swapfile.c.
 * The caller holds si->lock throughout.
 *
 * Clusters that got a slot back stand on nonfull[order] here, too, but these searches look there
 * only as their kernels did: mthp-empty-only never, nonfull-v1 for a new cluster when none is free.
 * Neither uses the lists of clusters with holes and of full ones.
 */

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

/* One request for single slots while it looks at the whole device. */
struct swaptrace_scan {
	struct swap_info_struct *si;
	unsigned char usage;
	unsigned long base, offset; /* where a scan that wraps ends; the slot looked at last */
	int latency;		    /* slots to go until the old kernels let others run */
	bool rested;		    /* they have: no more walking on for further slots */
};

static unsigned int swaptrace_take(struct swaptrace_scan *s)
{
	unsigned int found = 0;

	if (!s->si->swap_map[s->offset])
		alloc_swap_scan_cluster(s->si, s->offset, &found, 0, s->usage);
	return found;
}

/* The first slot of [FROM, TO) that is free, or that the swap cache alone holds while swap is full.
 */
static unsigned int swaptrace_scan_part(struct swaptrace_scan *s, unsigned long from,
					unsigned long to)
{
	struct swap_info_struct *si = s->si;
	unsigned int found = 0;

	for (s->offset = from; s->offset < to && (si->flags & SWP_WRITEOK); s->offset++) {
		if (--s->latency < 0) {
			s->latency = LATENCY_LIMIT;
			s->rested = true;
		}
		if (si->swap_map[s->offset] == SWAP_HAS_CACHE && vm_swap_full()) {
			spin_unlock(&si->lock);
			__try_to_reclaim_swap(si, s->offset, TTRS_ANYWAY);
			spin_lock(&si->lock);
		}
		found = swaptrace_take(s);
		if (found)
			break;
	}
	return found;
}

/* Every slot but the base, whatever cluster it is in. */
static unsigned int swaptrace_scan_device(struct swaptrace_scan *s)
{
	unsigned int found;

	if (!s->si->highest_bit)
		return 0;
	found = swaptrace_scan_part(s, s->base + 1, s->si->highest_bit + 1);
	return found ? found : swaptrace_scan_part(s, s->si->lowest_bit, s->base);
}

/* One more slot for a request that has some: not far away. */
static unsigned int swaptrace_walk(struct swaptrace_scan *s)
{
	unsigned long limit = s->offset < s->base ? s->base : s->si->highest_bit;

	for (; !s->rested && s->offset <= limit && --s->latency > 0; s->offset++) {
		unsigned int found = swaptrace_take(s);

		if (found)
			return found;
	}
	return 0;
}

static noinline __noclone int swaptrace_alloc_old(struct swap_info_struct *si, unsigned char usage,
						  int nr, swp_entry_t slots[], int order)
{
	bool v1 = READ_ONCE(swaptrace_allocator) == SWAPTRACE_NONFULL_V1;
	struct swaptrace_scan s = { .si = si, .usage = usage, .latency = LATENCY_LIMIT };
	int n = 0;

	s.base = this_cpu_read(*si->cluster_next_cpu);
	while (n < nr) {
		unsigned int found;

		if (n && (s.offset >= si->highest_bit || --s.latency < 0))
			break;
		found = swaptrace_from_cluster(si, order, usage, v1);
		if (found)
			s.base = found;
		else if (!order)
			found = n ? swaptrace_walk(&s) : swaptrace_scan_device(&s);
		if (!found)
			break;
		s.offset = found;
		slots[n++] = swp_entry(si->type, found);
	}
	if (n && !order)
		set_cluster_next(si, s.offset + 1);
	return n;
}

noinline __noclone int swaptrace_alloc_swap(struct swap_info_struct *si, unsigned char usage,
					    int nr, swp_entry_t slots[], int order)
{
	int n;

	if (!swaptrace_old_search())
		return cluster_alloc_swap(si, usage, nr, slots, order);
	si->flags += SWP_SCANNING;
	n = swaptrace_alloc_old(si, usage, nr, slots, order);
	si->flags -= SWP_SCANNING;
	return n;
}
