/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_KERNEL_TYPES_H
#define SWAPTRACE_BPF_KERNEL_TYPES_H

/*
 * The members of kernel types that the programs read, and nothing else. Offsets are relocated by
 * the loader against the running kernel's BTF, so neither the order here nor the build host's
 * kernel matters. Where a member moved or was renamed there is one flavour (___name) per form.
 */

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0

enum {
	MAP_TYPE_HASH = 1,
	MAP_TYPE_ARRAY = 2,
	MAP_TYPE_PERCPU_ARRAY = 6,
	MAP_TYPE_ARRAY_OF_MAPS = 12,
	MAP_TYPE_RINGBUF = 27
};
enum { MAP_MMAPABLE = 1 << 10 };
enum { UPDATE_ANY = 0, UPDATE_NOEXIST = 1 };
enum { RING_NO_WAKEUP = 1, RING_FORCE_WAKEUP = 2 };
enum { RING_AVAIL_DATA = 0 };

enum fault_flag { FAULT_WRITE = 1 }; /* vm_fault.flags: the access was a write */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
#if defined(__TARGET_ARCH_arm64)
	unsigned long long regs[31];
	unsigned long long sp;
	unsigned long long pc;
#else
	unsigned long di, si, dx, cx, r8, r9, ax, bp, sp, ip;
#endif
};

typedef struct {
	long counter;
} atomic_long_t;

struct mm_struct;

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	atomic_long_t swap_readahead_info;
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long address;
	enum fault_flag flags;
};

struct swap_info_struct {
	unsigned long flags;
	short prio;
	signed char type;
	unsigned int max;
	unsigned char *swap_map;
	unsigned int *cluster_next_cpu; /* per CPU; 5.8 to 6.13 */
	unsigned int lowest_bit;	/* to 6.13 */
	unsigned int highest_bit;
	unsigned long *zeromap; /* 6.12 on: bit per slot that is known to be zeroes */
};

struct list_head {
	struct list_head *next;
};

struct percpu_cluster___orders {
	unsigned int next[10];
};

struct swap_cluster_info___list {
	unsigned short count;
	unsigned char flags;
	unsigned char order;
	struct list_head list;
};

/* 6.18 on: a word for each slot of the cluster, of the swap cache; from 7.1 on with the count. */
struct swap_cluster_info___table {
	atomic_long_t *table;
	unsigned int *extend_table;
};

struct swap_cluster_info___memcg { /* 7.2 on */
	void *memcg_table;
};

struct swap_table {
	atomic_long_t entries[1];
};

struct swap_info_struct___lists { /* 6.12 on: lists of clusters by order */
	struct swap_cluster_info___list *cluster_info;
	struct list_head free_clusters;
	struct list_head full_clusters;
	struct list_head nonfull_clusters[10];
	struct list_head frag_clusters[10];
	struct percpu_cluster___orders *percpu_cluster;
};

typedef struct {
	unsigned long val;
} swp_entry_t;

struct swap_slots_cache___entries { /* to 6.13 */
	swp_entry_t *slots;
	int nr;
	int cur;
	swp_entry_t *slots_ret;
	int n_ret;
};

struct page {
	unsigned long flags;
	unsigned long private;
};

/* The number of pages of a compound page, kept in its first tail page before there were folios. */
struct page___compound {
	unsigned int compound_nr;
};

struct folio {
	unsigned long flags;
};

struct folio___memdesc { /* 6.18 */
	struct {
		unsigned long f;
	} flags;
};

struct folio___swap { /* 6.6 on: the swap entry has a name of its own */
	swp_entry_t swap;
};

struct folio___private {
	void *private;
};

struct bio_vec {
	struct page *bv_page;
};

struct bio {
	u8 bi_status; /* 0: no error */
	struct bio_vec *bi_io_vec;
};

struct swap_iocb___bvecs { /* 7.2 on */
	struct bio_vec bvecs[32];
	int nr_bvecs;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct mem_cgroup {
	struct cgroup_subsys_state css;
};

struct folio___memcg {
	unsigned long memcg_data;
};

/* A batch of folios: of a CPU, or of a caller. */
struct folio_batch {
	unsigned char nr;
	bool percpu_pvec_drained;
	struct folio *folios[31];
};

struct pagevec { /* to 6.4 */
	unsigned char nr;
	bool percpu_pvec_drained;
};

struct cpu_fbatches {
	struct folio_batch lru_add;
	struct folio_batch lru_deactivate_file;
	struct folio_batch lru_deactivate;
	struct folio_batch lru_lazyfree;
};

struct cpu_fbatches___old { /* to 6.11; the rotate batch is a variable of its own */
	struct folio_batch activate;
};

struct cpu_fbatches___new {
	struct folio_batch lru_activate;
	struct folio_batch lru_move_tail;
};

struct lru_rotate {
	struct folio_batch fbatch;
};

struct folio___nr { /* 6.0 to 6.14 */
	unsigned int _folio_nr_pages;
};

struct folio___nr2 { /* 6.15 on */
	unsigned int _nr_pages;
};

#pragma clang attribute pop

/* Only the names matter: the values are relocated. */
enum pageflags {
	PG_locked = 0,
	PG_uptodate = 2,
	PG_dirty = 4,
	PG_lru = 5,
	PG_head = 6,
	PG_active = 8,
	PG_swapcache = 11,
	PG_swapbacked = 18,
	PG_unevictable = 19
};
enum vm_event_item { SWAP_RA_HIT = 105 };

#endif
