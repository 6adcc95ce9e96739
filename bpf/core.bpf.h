/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_CORE_BPF_H
#define SWAPTRACE_BPF_CORE_BPF_H

/*
 * What the programs stand on where libbpf loads them: maps, and members of kernel types whose
 * places the loader corrects by the kernel's BTF. bcc/headers.bpf.h has the same names for a
 * compiler that sees the kernel's own headers; nothing outside these two files may know the
 * difference.
 */

#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "records.h"

/* ---- maps ---- */

struct {
	__uint(type, MAP_TYPE_HASH);
	__uint(max_entries, TASKS_MAX);
	__type(key, u32);
	__type(value, struct task_state);
} tasks SEC(".maps");

struct ring {
	__uint(type, MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set before loading */
};

struct {
	__uint(type, MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* set before loading */
	__type(key, u32);
	__array(values, struct ring);
} rings SEC(".maps");

struct {
	__uint(type, MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPUs * PROBE_ROWS, set before loading */
	__type(key, u32);
	__type(value, struct probe_counts);
} counts SEC(".maps");

struct {
	__uint(type, MAP_TYPE_ARRAY);
	__uint(map_flags, MAP_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u8[SNAPSHOT_CHUNK]);
} chunk SEC(".maps");

/* Who called lru_add_drain, which calls lru_add_drain_cpu on the same CPU right away. */
struct {
	__uint(type, MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} drain_caller SEC(".maps");

struct {
	__uint(type, MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct drain_state);
} drain_under_way SEC(".maps");

#define MAP_FIND(map, key) bpf_map_lookup_elem(&map, key)
#define MAP_ADD(map, key, value) bpf_map_update_elem(&map, key, value, UPDATE_NOEXIST)
#define MAP_DELETE(map, key) bpf_map_delete_elem(&map, key)

const volatile struct kernel_addresses at;
const volatile struct record_settings settings;
struct shared_state globals = { .seen_page_cluster = UNKNOWN_U32, .seen_vma_ra = UNKNOWN_U32 };

/* ---- programs ---- */

#define PROGRAM_FENTRY(name, call)                                                                 \
	SEC("fentry") int fe_##name(u64 *ctx)                                                      \
	{                                                                                          \
		call;                                                                              \
		return 0;                                                                          \
	}
#define PROGRAM_FEXIT(name, call)                                                                  \
	SEC("fexit") int fx_##name(u64 *ctx)                                                       \
	{                                                                                          \
		call;                                                                              \
		return 0;                                                                          \
	}
#define PROGRAM_KPROBE(name, call)                                                                 \
	SEC("kprobe") int kp_##name(struct pt_regs *ctx)                                           \
	{                                                                                          \
		call;                                                                              \
		return 0;                                                                          \
	}
#define PROGRAM_KRETPROBE(name, call)                                                              \
	SEC("kretprobe") int kr_##name(struct pt_regs *ctx)                                        \
	{                                                                                          \
		call;                                                                              \
		return 0;                                                                          \
	}
#define PROGRAM_SYSCALL SEC("syscall")

/* A function that LOOP calls with the number i of the round and a pointer w; not 0 ends the loop.
 */
#define LOOP_STEP(name, type) static long name(u32 i, type *w)
#define LOOP(n, name, arg) bpf_loop(n, name, arg, 0)

/* Adds and returns what was there before; ADD returns nothing. */
#define FETCH_ADD(place, n) __sync_fetch_and_add(place, n)
#define ADD(place, n) ((void)__sync_fetch_and_add(place, n))

/* ---- members that all kernels have ---- */

#define KERNEL_READ(pointer, member) BPF_CORE_READ(pointer, member)
#define MEMBER_OFFSET(type, member) bpf_core_field_offset(type, member)
#define MEMBER_SIZE(type, member) bpf_core_field_size(((type *)0)->member)
#define TYPE_SIZE(type) bpf_core_type_size(type)
#define PAGE_FLAG_BIT(name) bpf_core_enum_value(enum pageflags, name)

/* ---- and those that come, go and move ---- */

/* Number of the counter of consumed readahead marks; false: there is none. */
static __always_inline bool hit_event_index(u64 *index)
{
	if (!bpf_core_enum_value_exists(enum vm_event_item, SWAP_RA_HIT))
		return false;
	*index = bpf_core_enum_value(enum vm_event_item, SWAP_RA_HIT);
	return true;
}

static __always_inline u64 flags_of_folio(u64 folio)
{
	struct folio___memdesc *m = (void *)folio;
	struct page *p = (void *)folio;

	if (bpf_core_field_exists(m->flags.f))
		return BPF_CORE_READ(m, flags.f);
	return BPF_CORE_READ(p, flags);
}

/* Number of pages of a folio that is large; 0: not kept. */
static __always_inline u32 large_folio_pages(u64 folio)
{
	struct folio___nr *a = (void *)folio;
	struct folio___nr2 *b = (void *)folio;
	struct page___compound *tail = (void *)(folio + bpf_core_type_size(struct page));

	if (bpf_core_field_exists(a->_folio_nr_pages))
		return BPF_CORE_READ(a, _folio_nr_pages);
	if (bpf_core_field_exists(b->_nr_pages))
		return BPF_CORE_READ(b, _nr_pages);
	if (bpf_core_field_exists(tail->compound_nr))
		return BPF_CORE_READ(tail, compound_nr);
	return 0;
}

static __always_inline u64 folio_entry(u64 folio)
{
	struct folio___swap *s = (void *)folio;
	struct folio___private *f = (void *)folio;
	struct page *p = (void *)folio;

	if (bpf_core_field_exists(s->swap))
		return BPF_CORE_READ(s, swap.val);
	if (bpf_core_field_exists(f->private))
		return (u64)BPF_CORE_READ(f, private);
	return BPF_CORE_READ(p, private);
}

/* The cgroup that the folio is charged to, by the number of its folder; 0: not known. */
static __always_inline u64 memcg_of_folio(u64 folio)
{
	struct folio___memcg *f = (void *)folio;
	struct mem_cgroup *memcg;

	if (!bpf_core_field_exists(f->memcg_data))
		return 0;
	memcg = (void *)(BPF_CORE_READ(f, memcg_data) & ~3ull);
	return memcg ? BPF_CORE_READ(memcg, css.cgroup, kn, id) : 0;
}

/* Per-CPU address of where each CPU scans next; 0: this kernel or device has none. */
static __always_inline bool have_places(void)
{
	struct swap_info_struct *si = 0;

	return bpf_core_field_exists(si->cluster_next_cpu);
}

static __always_inline u64 device_places(struct swap_info_struct *si)
{
	return have_places() ? (u64)BPF_CORE_READ(si, cluster_next_cpu) : 0;
}

/* Lowest and highest slot that may be free. */
static __always_inline bool have_bounds(void)
{
	struct swap_info_struct *si = 0;

	return bpf_core_field_exists(si->lowest_bit);
}

static __always_inline u32 device_lowest(struct swap_info_struct *si)
{
	return BPF_CORE_READ(si, lowest_bit);
}

static __always_inline u32 device_highest(struct swap_info_struct *si)
{
	return BPF_CORE_READ(si, highest_bit);
}

/* Address of the bits of slots that are all zeroes, 0: none are kept. */
static __always_inline u64 device_zeromap(struct swap_info_struct *si)
{
	return bpf_core_field_exists(si->zeromap) ? (u64)BPF_CORE_READ(si, zeromap) : 0;
}

/* ---- what is kept of each slot ---- */

/* A byte for each slot: its count, to 6.19 also whether it is cached. */
static __always_inline bool have_map(void)
{
	struct swap_info_struct *si = 0;

	return bpf_core_field_exists(si->swap_map);
}

static __always_inline u64 device_map(struct swap_info_struct *si)
{
	return have_map() ? (u64)BPF_CORE_READ(si, swap_map) : 0;
}

/* A word for each slot, and how many slots a cluster has. */
static __always_inline bool have_table(void)
{
	return bpf_core_field_exists(struct swap_cluster_info___table, table) &&
	       bpf_core_type_exists(struct swap_table);
}

static __always_inline bool words_count(void)
{
	return have_table() && !have_map() &&
	       bpf_core_field_exists(struct swap_cluster_info___table, extend_table);
}

static __always_inline bool words_know_zero(void)
{
	return words_count() &&
	       bpf_core_field_exists(struct swap_cluster_info___memcg, memcg_table);
}

static __always_inline u32 slots_of_cluster(void)
{
	return bpf_core_type_size(struct swap_table) / sizeof(u64);
}

static __always_inline u64 cluster_table(u64 cluster)
{
	struct swap_cluster_info___table *ci = (void *)cluster;

	return (u64)BPF_CORE_READ(ci, table);
}

/* Counts that have no room in a word; 0: no slot of the cluster has such a one. */
static __always_inline u64 cluster_extend_table(u64 cluster)
{
	struct swap_cluster_info___table *ci = (void *)cluster;

	return (u64)BPF_CORE_READ(ci, extend_table);
}

/* ---- reads that are done together, 7.3 ---- */

#define IOCB_PAGES 32

static __always_inline u32 iocb_pages(u64 iocb)
{
	struct swap_iocb___bvecs *b = (void *)iocb;

	return BPF_CORE_READ(b, nr_bvecs);
}

static __always_inline u64 iocb_page(u64 iocb, u32 i)
{
	u64 page = 0;

	bpf_probe_read_kernel(&page, sizeof(page),
			      (void *)(iocb +
				       bpf_core_field_offset(struct swap_iocb___bvecs, bvecs) +
				       i * bpf_core_type_size(struct bio_vec) +
				       bpf_core_field_offset(struct bio_vec, bv_page)));
	return page;
}

/* ---- per-CPU batches ---- */

#define NO_BATCH ((u64)-1)

/* Where a batch is in cpu_fbatches. */
static __always_inline u64 batch_offset(u32 op)
{
	switch (op) {
	case OP_ADD:
		return bpf_core_field_offset(struct cpu_fbatches, lru_add);
	case OP_DEACTIVATE_FILE:
		return bpf_core_field_offset(struct cpu_fbatches, lru_deactivate_file);
	case OP_DEACTIVATE:
		return bpf_core_field_offset(struct cpu_fbatches, lru_deactivate);
	case OP_LAZYFREE:
		return bpf_core_field_offset(struct cpu_fbatches, lru_lazyfree);
	case OP_ROTATE:
		if (bpf_core_field_exists(struct cpu_fbatches___new, lru_move_tail))
			return bpf_core_field_offset(struct cpu_fbatches___new, lru_move_tail);
		return NO_BATCH;
	case OP_ACTIVATE:
		if (bpf_core_field_exists(struct cpu_fbatches___new, lru_activate))
			return bpf_core_field_offset(struct cpu_fbatches___new, lru_activate);
		if (bpf_core_field_exists(struct cpu_fbatches___old, activate))
			return bpf_core_field_offset(struct cpu_fbatches___old, activate);
		return NO_BATCH;
	default:
		return NO_BATCH;
	}
}

/* Where the batch is in lru_rotate, on kernels that have this variable. */
static __always_inline u64 rotate_offset(void)
{
	return bpf_core_type_exists(struct lru_rotate)
		       ? bpf_core_field_offset(struct lru_rotate, fbatch)
		       : NO_BATCH;
}

/* ---- lists of clusters, 6.12 and 6.13 ---- */

/* Later kernels keep the CPUs' places elsewhere, and their lists behind other locks. */
static __always_inline bool lists_known(void)
{
	return bpf_core_field_exists(struct swap_info_struct___lists, nonfull_clusters) &&
	       bpf_core_field_exists(struct swap_info_struct, lowest_bit) &&
	       bpf_core_field_exists(struct swap_cluster_info___list, list);
}

/* Where the head of a list is in the device. */
static __always_inline u64 list_offset(u32 list, u32 order)
{
	u64 head = order * bpf_core_type_size(struct list_head);

	switch (list) {
	case CLUSTERS_FREE:
		return bpf_core_field_offset(struct swap_info_struct___lists, free_clusters);
	case CLUSTERS_NONFULL:
		return bpf_core_field_offset(struct swap_info_struct___lists, nonfull_clusters) +
		       head;
	case CLUSTERS_FRAG:
		return bpf_core_field_offset(struct swap_info_struct___lists, frag_clusters) + head;
	default:
		return bpf_core_field_offset(struct swap_info_struct___lists, full_clusters);
	}
}

/* The first cluster's description, the size of one, and what is in it. */
static __always_inline u64 device_clusters(u64 si)
{
	struct swap_info_struct___lists *d = (void *)si;

	return (u64)BPF_CORE_READ(d, cluster_info);
}

static __always_inline u32 cluster_size(void)
{
	return bpf_core_type_size(struct swap_cluster_info___list);
}

static __always_inline u32 cluster_list_offset(void)
{
	return bpf_core_field_offset(struct swap_cluster_info___list, list);
}

static __always_inline u16 cluster_used(u64 cluster)
{
	struct swap_cluster_info___list *ci = (void *)cluster;

	return BPF_CORE_READ(ci, count);
}

static __always_inline u8 cluster_order(u64 cluster)
{
	struct swap_cluster_info___list *ci = (void *)cluster;

	return BPF_CORE_READ(ci, order);
}

/* Per-CPU address of the next place for each order; 0: not known. */
static __always_inline u64 device_order_places(u64 si)
{
	struct swap_info_struct___lists *d = (void *)si;
	u64 places;

	if (!bpf_core_field_exists(struct percpu_cluster___orders, next))
		return 0;
	places = (u64)BPF_CORE_READ(d, percpu_cluster);
	return places ? places + bpf_core_field_offset(struct percpu_cluster___orders, next) : 0;
}

/* The slots cache of a CPU: entries to be given, from the next one on, and those given back. */
static __always_inline bool have_slots_cache(void)
{
	return bpf_core_field_exists(struct swap_slots_cache___entries, n_ret);
}

static __always_inline u64 cache_next(u64 cache)
{
	struct swap_slots_cache___entries *c = (void *)cache;
	u64 slots = (u64)BPF_CORE_READ(c, slots);

	return slots ? slots + (u32)BPF_CORE_READ(c, cur) * sizeof(u64) : 0;
}

static __always_inline u32 cache_left(u64 cache)
{
	struct swap_slots_cache___entries *c = (void *)cache;

	return BPF_CORE_READ(c, nr);
}

static __always_inline u64 cache_returned(u64 cache)
{
	struct swap_slots_cache___entries *c = (void *)cache;

	return (u64)BPF_CORE_READ(c, slots_ret);
}

static __always_inline u32 cache_nr_returned(u64 cache)
{
	struct swap_slots_cache___entries *c = (void *)cache;

	return BPF_CORE_READ(c, n_ret);
}

#endif
