/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BCC_HEADERS_BPF_H
#define SWAPTRACE_BPF_BCC_HEADERS_BPF_H

/*
 * What the programs stand on where libbcc compiles them: the headers of the kernel that runs. The
 * names are those of core.bpf.h. Nothing is relocated here: a member that has moved is found by the
 * compiler, one that is not there under its name is told by the kernel's version, and where that is
 * wrong the compiler says so.
 *
 * The recorder gives: SWAPTRACE_BCC, FD_NAME of each map (its descriptor), WANT_NAME of each
 * program that it is going to load, ADDRESSES and SETTINGS (initial values).
 */

#include <linux/version.h>
#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/memcontrol.h>
#include <linux/pagevec.h>
#include <linux/local_lock.h>
#include <linux/kernfs.h>
#include <linux/cgroup-defs.h>
#include <linux/vm_event_item.h>
#include <linux/blk_types.h>

#define SINCE(major, minor) (LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))

#define HAVE_SLOTS_CACHE !SINCE(6, 14)
#if HAVE_SLOTS_CACHE
#include <linux/swap_slots.h>
#endif

#if !SINCE(5, 16) /* what is a folio later is a page */
#define folio page
#define folio_batch pagevec
#define folios pages
#elif SINCE(6, 5) /* the older name of the same thing is gone */
#define pagevec folio_batch
#endif

enum { UPDATE_NOEXIST = BPF_NOEXIST };
enum { RING_NO_WAKEUP = BPF_RB_NO_WAKEUP, RING_FORCE_WAKEUP = BPF_RB_FORCE_WAKEUP };
enum { RING_AVAIL_DATA = BPF_RB_AVAIL_DATA };
enum { FAULT_WRITE = 1 };

#include "../records.h"

/* ---- maps: made by the recorder ---- */

#define MAP(map) ((void *)bpf_pseudo_fd(1, FD_##map))
#define MAP_FIND(map, key) bpf_map_lookup_elem(MAP(map), key)
#define MAP_ADD(map, key, value) bpf_map_update_elem(MAP(map), key, value, UPDATE_NOEXIST)
#define MAP_DELETE(map, key) bpf_map_delete_elem(MAP(map), key)

static const struct kernel_addresses at = ADDRESSES;
static const struct record_settings settings = SETTINGS;

/* The address of the only value of an array, which needs no look-up. */
#define globals (*(struct shared_state *)bpf_pseudo_fd(2, FD_globals))

/* ---- programs ---- */

/* Only programs that are wanted are compiled, which takes half the time. */
#define PROGRAM_FENTRY(name, call)
#define PROGRAM_FEXIT(name, call)
#define PROGRAM_KPROBE(name, call) PROGRAM_IF(__is_defined(WANT_kp_##name), kp_##name, call)
#define PROGRAM_KRETPROBE(name, call) PROGRAM_IF(__is_defined(WANT_kr_##name), kr_##name, call)
#define PROGRAM_IF(wanted, name, call) PROGRAM_IF_(wanted, name, call)
#define PROGRAM_IF_(wanted, name, call) PROGRAM_##wanted(name, call)
#define PROGRAM_0(name, call)
#define PROGRAM_1(name, call)                                                                      \
	int name(void *ctx)                                                                        \
	{                                                                                          \
		call;                                                                              \
		return 0;                                                                          \
	}
#define PROGRAM_SYSCALL
#define SEC(name)

/*
 * libbcc knows no calls between functions: the step becomes a program to it, and the number stands
 * for it until the recorder puts the two together. It takes a program's second argument for a
 * register of the traced function, so both arguments come as one, which is passed in the same two
 * registers.
 */
struct step_arguments {
	u64 i;
	void *w;
};
enum { STEP_unref_step = 1, STEP_cluster_step, STEP_snapshot_step };
#define LOOP_STEP(name, type)                                                                      \
	static long name##_body(u32 i, type *w);                                                   \
	long name(struct step_arguments a)                                                         \
	{                                                                                          \
		return name##_body(a.i, a.w);                                                      \
	}                                                                                          \
	static __always_inline long name##_body(u32 i, type *w)
#define LOOP(n, name, arg) bpf_loop(n, (void *)bpf_pseudo_fd(4, STEP_##name), arg, 0)

/*
 * libbcc generates code for the first BPF processors, whose addition does not tell what was there
 * before. The recorder turns each into the one that does, for which the register is prepared here.
 */
#define FETCH_ADD(place, n)                                                                        \
	({                                                                                         \
		u64 was_ = (n);                                                                    \
		asm volatile("lock *(u64 *)(%1 + 0) += %0" : "+r"(was_) : "r"(place) : "memory");  \
		was_;                                                                              \
	})
#define ADD(place, n) ((void)FETCH_ADD(place, n))

/* ---- members that all kernels have ---- */

/* Some members are constant, so the value is not read into a variable of their type. */
#define KERNEL_READ(pointer, member)                                                               \
	({                                                                                         \
		union {                                                                            \
			char raw[sizeof((pointer)->member)];                                       \
			typeof((pointer)->member) value;                                           \
		} read_;                                                                           \
		bpf_probe_read_kernel(                                                             \
			read_.raw, sizeof(read_.raw),                                              \
			(void *)((u64)(pointer) + offsetof(typeof(*(pointer)), member)));          \
		read_.value;                                                                       \
	})
#define MEMBER_OFFSET(type, member) offsetof(type, member)
#define MEMBER_SIZE(type, member) sizeof(((type *)0)->member)
#define TYPE_SIZE(type) sizeof(type)
#define PAGE_FLAG_BIT(name) name

/* ---- and those that come, go and move ---- */

static __always_inline bool hit_event_index(u64 *index)
{
#ifdef CONFIG_SWAP
	*index = SWAP_RA_HIT;
	return true;
#else
	return false;
#endif
}

static __always_inline u64 flags_of_folio(u64 folio)
{
	struct folio *f = (void *)folio;

#if SINCE(6, 18)
	return KERNEL_READ(f, flags.f);
#else
	return KERNEL_READ(f, flags);
#endif
}

static __always_inline u32 large_folio_pages(u64 folio)
{
#if SINCE(6, 15)
	struct folio *f = (void *)folio;

	return KERNEL_READ(f, _nr_pages);
#elif SINCE(6, 0)
	struct folio *f = (void *)folio;

	return KERNEL_READ(f, _folio_nr_pages);
#else
	struct page *tail = (void *)(folio + sizeof(struct page));

	return KERNEL_READ(tail, compound_nr);
#endif
}

static __always_inline u64 folio_entry(u64 folio)
{
	struct folio *f = (void *)folio;

#if SINCE(6, 6)
	return KERNEL_READ(f, swap.val);
#else
	return (u64)KERNEL_READ(f, private);
#endif
}

static __always_inline u64 memcg_of_folio(u64 folio)
{
#ifdef CONFIG_MEMCG
	struct folio *f = (void *)folio;
	struct mem_cgroup *memcg = (void *)(KERNEL_READ(f, memcg_data) & ~3ull);
	struct cgroup *cgroup = memcg ? KERNEL_READ(memcg, css.cgroup) : 0;
	struct kernfs_node *kn = cgroup ? KERNEL_READ(cgroup, kn) : 0;

	return kn ? KERNEL_READ(kn, id) : 0;
#else
	return 0;
#endif
}

#define HAVE_SCAN (!SINCE(6, 14))

static __always_inline bool have_places(void)
{
	return HAVE_SCAN;
}

static __always_inline bool have_bounds(void)
{
	return HAVE_SCAN;
}

static __always_inline u64 device_places(struct swap_info_struct *si)
{
#if HAVE_SCAN
	return (u64)KERNEL_READ(si, cluster_next_cpu);
#else
	return 0;
#endif
}

static __always_inline u32 device_lowest(struct swap_info_struct *si)
{
#if HAVE_SCAN
	return KERNEL_READ(si, lowest_bit);
#else
	return 0;
#endif
}

static __always_inline u32 device_highest(struct swap_info_struct *si)
{
#if HAVE_SCAN
	return KERNEL_READ(si, highest_bit);
#else
	return 0;
#endif
}

static __always_inline u64 device_zeromap(struct swap_info_struct *si)
{
#if SINCE(6, 12) && !SINCE(7, 2)
	return (u64)KERNEL_READ(si, zeromap);
#else
	return 0;
#endif
}

/* ---- what is kept of each slot ---- */

static __always_inline bool have_map(void)
{
	return !SINCE(7, 1);
}

static __always_inline u64 device_map(struct swap_info_struct *si)
{
#if !SINCE(7, 1)
	return (u64)KERNEL_READ(si, swap_map);
#else
	return 0;
#endif
}

/* The kernel keeps this type to itself. */
static __always_inline bool have_table(void)
{
	return false;
}

static __always_inline bool words_count(void)
{
	return false;
}

static __always_inline bool words_know_zero(void)
{
	return false;
}

static __always_inline u32 slots_of_cluster(void)
{
	return 1;
}

static __always_inline u64 cluster_table(u64 cluster)
{
	return 0;
}

static __always_inline u64 cluster_extend_table(u64 cluster)
{
	return 0;
}

/* ---- reads that are done together, 7.3: of a type that the kernel keeps to itself ---- */

#define IOCB_PAGES 1

static __always_inline u32 iocb_pages(u64 iocb)
{
	return 0;
}

static __always_inline u64 iocb_page(u64 iocb, u32 i)
{
	return 0;
}

/* ---- per-CPU batches ---- */

#define NO_BATCH ((u64)-1)

/* The kernel keeps this type to itself: a lock, the batches without interrupts, those with. */
struct batches_of_cpu {
	local_lock_t lock;
	struct folio_batch add, deactivate_file, deactivate, lazyfree;
#ifdef CONFIG_SMP
	struct folio_batch activate;
#endif
#if SINCE(6, 12)
	local_lock_t lock_irq;
	struct folio_batch rotate;
#endif
};

static __always_inline u64 batch_offset(u32 op)
{
	switch (op) {
	case OP_ADD:
		return offsetof(struct batches_of_cpu, add);
	case OP_DEACTIVATE_FILE:
		return offsetof(struct batches_of_cpu, deactivate_file);
	case OP_DEACTIVATE:
		return offsetof(struct batches_of_cpu, deactivate);
	case OP_LAZYFREE:
		return offsetof(struct batches_of_cpu, lazyfree);
#if SINCE(6, 12)
	case OP_ROTATE:
		return offsetof(struct batches_of_cpu, rotate);
#endif
#ifdef CONFIG_SMP
	case OP_ACTIVATE:
		return offsetof(struct batches_of_cpu, activate);
#endif
	default:
		return NO_BATCH;
	}
}

static __always_inline u64 rotate_offset(void)
{
	struct lru_rotate_of_cpu {
		local_lock_t lock;
		struct folio_batch rotate;
	};

	return SINCE(6, 12) ? NO_BATCH : offsetof(struct lru_rotate_of_cpu, rotate);
}

/* ---- lists of clusters, 6.12 and 6.13 ---- */

#define HAVE_LISTS (SINCE(6, 12) && !SINCE(6, 14))

static __always_inline bool lists_known(void)
{
	return HAVE_LISTS;
}

static __always_inline u64 list_offset(u32 list, u32 order)
{
#if HAVE_LISTS
	u64 head = order * sizeof(struct list_head);

	switch (list) {
	case CLUSTERS_FREE:
		return offsetof(struct swap_info_struct, free_clusters);
	case CLUSTERS_NONFULL:
		return offsetof(struct swap_info_struct, nonfull_clusters) + head;
	case CLUSTERS_FRAG:
		return offsetof(struct swap_info_struct, frag_clusters) + head;
	default:
		return offsetof(struct swap_info_struct, full_clusters);
	}
#else
	return 0;
#endif
}

static __always_inline u64 device_clusters(u64 si)
{
	struct swap_info_struct *d = (void *)si;

	return HAVE_LISTS ? (u64)KERNEL_READ(d, cluster_info) : 0;
}

static __always_inline u32 cluster_size(void)
{
#if HAVE_LISTS
	return sizeof(struct swap_cluster_info);
#else
	return 0;
#endif
}

static __always_inline u32 cluster_list_offset(void)
{
#if HAVE_LISTS
	return offsetof(struct swap_cluster_info, list);
#else
	return 0;
#endif
}

static __always_inline u16 cluster_used(u64 cluster)
{
#if HAVE_LISTS
	struct swap_cluster_info *ci = (void *)cluster;

	return KERNEL_READ(ci, count);
#else
	return 0;
#endif
}

static __always_inline u8 cluster_order(u64 cluster)
{
#if HAVE_LISTS
	struct swap_cluster_info *ci = (void *)cluster;

	return KERNEL_READ(ci, order);
#else
	return 0;
#endif
}

static __always_inline u64 device_order_places(u64 si)
{
#if HAVE_LISTS
	struct swap_info_struct *d = (void *)si;
	u64 places = (u64)KERNEL_READ(d, percpu_cluster);

	return places ? places + offsetof(struct percpu_cluster, next) : 0;
#else
	return 0;
#endif
}

static __always_inline bool have_slots_cache(void)
{
	return HAVE_SLOTS_CACHE;
}

static __always_inline u64 cache_next(u64 cache)
{
#if HAVE_SLOTS_CACHE
	struct swap_slots_cache *c = (void *)cache;
	u64 slots = (u64)KERNEL_READ(c, slots);

	return slots ? slots + (u32)KERNEL_READ(c, cur) * sizeof(u64) : 0;
#else
	return 0;
#endif
}

static __always_inline u32 cache_left(u64 cache)
{
#if HAVE_SLOTS_CACHE
	struct swap_slots_cache *c = (void *)cache;

	return KERNEL_READ(c, nr);
#else
	return 0;
#endif
}

static __always_inline u64 cache_returned(u64 cache)
{
#if HAVE_SLOTS_CACHE
	struct swap_slots_cache *c = (void *)cache;

	return (u64)KERNEL_READ(c, slots_ret);
#else
	return 0;
#endif
}

static __always_inline u32 cache_nr_returned(u64 cache)
{
#if HAVE_SLOTS_CACHE
	struct swap_slots_cache *c = (void *)cache;

	return KERNEL_READ(c, n_ret);
#else
	return 0;
#endif
}

#endif
