/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_RECORDS_H
#define SWAPTRACE_BPF_RECORDS_H

/*
 * What the programs in the kernel hand to the recorder: shared by both sides, so it uses only the
 * kernel's fixed-width names, which either side defines before it includes this file. Records are
 * raw facts; bpf/decode.c turns them into events.
 */

#define COMM_LEN 16
#define CPUS_MAX 512
#define TYPES_MAX 32
#define SNAPSHOT_CHUNK 65536 /* bytes of swap_map copied by one call of the snapshot program */

/* A swap entry inside the kernel: device number above, slot below (all kernels since 4.20). */
#define ENTRY_TYPE_SHIFT 58
#define ENTRY_OFFSET_MASK ((1ull << ENTRY_TYPE_SHIFT) - 1)

/* Bits of a swap_map byte; kernels from 7.1 on, which have no swap_map, are told in the same bytes.
 */
#define MAP_CACHED 0x40 /* the slot has a page in the swap cache, or waits in a slots cache */
#define MAP_COUNT_MASK 0x3f
#define MAP_BAD 0x3f
#define MAP_CONTINUED 0x80 /* the count goes on elsewhere */
#define MAP_SHMEM 0xbf	   /* owned by shmem: one reference */

/* Words of the swap table, 7.1 on: the count above, a shadow, a page (1 0 below) or nothing below.
 */
#define WORD_BAD (~0ull << 3)
#define WORD_COUNT_SHIFT 60
#define WORD_COUNT_MORE 15 /* the count is in the extend table */
#define WORD_ZERO_BIT 59   /* 7.2 on: the slot is all zeroes */
#define WORD_PAGE 2
#define WORD_PAGE_MASK 3

/* State flags of a device (si->flags), the same numbers from 5.15 to 7.3. */
#define SWP_USED (1 << 0)
#define SWP_WRITEOK (1 << 1)
#define SWP_DISCARDABLE (1 << 2)
#define SWP_SOLIDSTATE (1 << 4)
#define SWP_BLKDEV (1 << 6)
#define SWP_FS_OPS (1 << 8)
#define SWP_SYNCHRONOUS_IO (1 << 12)

/*
 * The places where hits are counted. Each becomes one line per CPU of the trace's closing header,
 * in which hits = delivered + lost + filtered.
 */
enum probe_id {
	PROBE_LOOKUP,
	PROBE_LOOKUP_PLAIN, /* swapoff, in kernels that can choose how it looks */
	PROBE_LOOKUP_NONE,
	PROBE_RA_CLUSTER,
	PROBE_RA_VMA,
	PROBE_READ,
	PROBE_READ_RETURN, /* READ ns=: the function that reads has returned */
	PROBE_READ_END,	   /* READ ns=: the device has finished */
	PROBE_CACHE,
	PROBE_UNCACHE,
	PROBE_UNREF_SWAPIN,
	PROBE_UNREF_ZAP,
	PROBE_FREE,
	PROBE_ALLOC,
	PROBE_SWAPON,
	PROBE_SWAPOFF_BEGIN,
	PROBE_SWAPOFF_END,
	PROBE_SWAPOUT,
	PROBE_ANSWER,
	PROBE_WRITE,
	PROBE_WRITE_ZERO,
	PROBE_DRAIN,
	PROBE_RELEASE,
	PROBE_FLUSH,
	PROBE_FLUSH_ROTATE,
	PROBE_LRUADD, /* and one for each function of kernels without a common one */
	PROBE_LRU_ROTATE,
	PROBE_LRU_DEACTIVATE_FILE,
	PROBE_LRU_DEACTIVATE,
	PROBE_LRU_LAZYFREE,
	PROBE_LRU_ACTIVATE,
	PROBE_NR,
	PROBE_NONE = PROBE_NR, /* a record that is no hit of its own; its losses are counted */
	PROBE_ROWS
};

struct probe_counts {
	__u64 hits;	/* runs of the program while recording was on */
	__u64 lost;	/* no room in the ring buffer */
	__u64 filtered; /* runs that are no event by rule: failed calls, calls for something else */
	__u64 idle;	/* runs before recording was switched on or after it was switched off */
};

enum record_kind {
	RECORD_LOOKUP = 1,
	RECORD_RA,
	RECORD_RANGE,
	RECORD_SWAPON, /* a bare struct record, after the RECORD_DEVICEs */
	RECORD_SWAPOFF,
	RECORD_DEVICE,
	RECORD_CONFIG,
	RECORD_MM_GONE,
	RECORD_SWAPOUT,
	RECORD_ANSWER,
	RECORD_PLACE,
	RECORD_DRAW,
	RECORD_LRU,
	RECORD_READ_END,
};

#define RECORD_FILTERED 1 /* outside -p / -G */
#define RECORD_MORE 2	  /* another event of a hit that has been counted with the first */

struct record {
	__u64 t_ns; /* CLOCK_BOOTTIME */
	__u64 seq;  /* of the alloc group's events, counted from 1; 0: none */
	__u32 tgid;
	__u32 tid;
	__u16 cpu; /* where the hit was counted */
	__u8 kind;
	__u8 probe;
	__u32 flags;
	char comm[COMM_LEN];
};

/* The VMA of a need or of a readahead call; vma is 0 for shmem. */
struct record_vma {
	__u64 vma;
	__u64 mm;
	__u64 start;
	__u64 end;
	__u64 word; /* vma->swap_readahead_info before the call */
};

enum cause { CAUSE_FAULT, CAUSE_SWAPOFF, CAUSE_SHMEM };
#define UNKNOWN_U8 0xff
#define UNKNOWN_U32 0xffffffffu

struct record_lookup {
	struct record head;
	struct record_vma vma;
	__u64 entry;
	__u64 addr;
	__u32 count; /* references, UNKNOWN_U32 */
	__u8 cause;
	__u8 write; /* UNKNOWN_U8 where there was no fault */
	__u8 hit;
	__u8 ra;
	__u8 bypass;
	__u8 order;
	__u8 have_addr;
	__u8 pad;
};

#define RA_HAVE_HITS 1	   /* hits before the call */
#define RA_HAVE_PREV 2	   /* previous offset before the call */
#define RA_HAVE_LAST 4	   /* window of the call before */
#define RA_HAVE_WIN 8	   /* window of this call: last_readahead_pages, or the VMA's word after */
#define RA_HAVE_PROBE 16   /* return value of the sizing function */
#define RA_HAVE_CLUSTER 32 /* page_cluster */

struct record_ra {
	struct record head;
	struct record_vma vma;
	__u64 entry;
	__u64 addr;
	__u64 prev;
	__u64 word_after;
	__u32 have;
	__u32 hits;
	__u32 last;
	__u32 win;
	__u32 probed;
	__u32 page_cluster;
	__u32 device_max;
	__u8 vma_mode;
	__u8 have_addr;
	__u8 final; /* the burst fields are filled: there was nothing better */
	__u8 pad;
	__u32 burst; /* entries that the call asked for, the needed one again at the end */
	__u32 pad2;
	__u64 burst_first; /* slots */
	__u64 burst_last;
};

/* READ, CACHE, UNCACHE, UNREF, FREE, ALLOC, WRITE: some slots in a row. */
struct record_range {
	struct record head;
	__u64 entry;
	__u64 folio; /* ALLOC: number of the request that it answers, 0: of none */
	__u64 memcg; /* of that request, 0: unknown */
	__u32 n;
	__u32 left; /* UNKNOWN_U32 */
	__u8 what;  /* the event's enum: cause, by, how, via; UNKNOWN_U8 */
	__u8 order;
	__u8 pad[6];
};

/* A read has finished: the last one that began for the entry. */
struct record_read_end {
	struct record head;
	__u64 entry;
};

struct record_swapoff {
	struct record head;
	__s64 ret;
	__u32 end;
	__u32 type; /* UNKNOWN_U32 */
	__u32 on;   /* at the end: bit t is set where device t is still on */
	__u32 pad;
};

struct record_device {
	struct record head;
	__u64 flags;
	__u32 type;
	__u32 max;
	__s32 prio;
	__u32 pad;
};

struct record_config {
	struct record head;
	__u32 page_cluster; /* UNKNOWN_U32 */
	__u32 vma_ra;
};

struct record_mm {
	struct record head;
	__u64 mm;
};

/* A folio asks for slots. */
struct record_swapout {
	struct record head;
	__u64 folio;   /* address of its struct page */
	__u64 id;      /* number of the request */
	__u64 memcg;   /* 0: unknown */
	__u64 reclaim; /* the call of reclaim that it belongs to, 0: none */
	__u32 order;
	__u32 page_struct; /* bytes */
};

/* What it got where no slots were given during the call: a cached slot, or nothing. */
struct record_answer {
	struct record_swapout asked;
	__u64 entry; /* 0: nothing */
	__u8 reason; /* enum answer_reason, of nothing */
	__u8 pad[7];
};
enum answer_reason { ANSWER_SPACE, ANSWER_LIMIT, ANSWER_CONFIG };

/* Where a CPU begins the next scan of a device (cluster_next_cpu). */
struct record_place {
	struct record head;
	__u32 type;
	__u32 cpu;
	__u32 next;
	__u32 pad;
};

/* A random place for the next scan, as the number that the kernel drew, and its bounds. */
struct record_draw {
	struct record head;
	__u32 value;
	__u32 low;
	__u32 high;
	__u32 pad;
};

/* As in the trace: enum lru_op. */
enum { OP_ADD, OP_ROTATE, OP_DEACTIVATE_FILE, OP_DEACTIVATE, OP_LAZYFREE, OP_ACTIVATE };

/* DRAIN, RELEASE, FLUSH, LRUADD; the probe says which. */
#define LRU_BATCHES_OF_CPU 6
#define BATCH_MAX 31 /* folios in a batch, at most */
struct record_lru {
	struct record head;
	__u64 place;			/* DRAIN: address in the caller; RELEASE: the batch */
	__u8 moved[LRU_BATCHES_OF_CPU]; /* DRAIN: folios of each batch */
	__u8 known;			/* DRAIN: bit per batch */
	__u8 op;			/* FLUSH, LRUADD */
	__u8 n;
	__u8 large;
	__u8 drained;
	__u8 pad;
	__u32 cpu; /* DRAIN: whose batches */
};

/*
 * The drain under way on a CPU, which cannot be preempted, told when it is over. Only process
 * context adds to the batches and drains them, so what they hold at entry is what is moved; but
 * interrupts rotate, also while the program at entry runs, until the drain holds them off: that
 * batch, and the time of the event, are taken when it is moved (drain_meets()).
 */
struct drain_state {
	struct record_lru r;
	__u32 open;  /* the drain has not come to that batch yet */
	__u32 moves; /* of that batch since the entry */
};

/* The state of a task that is inside the swap code, and what it is inside of. */
#define CTX_FAULT (1u << 0)	     /* do_swap_page */
#define CTX_UNUSE (1u << 1)	     /* unuse_pte_range */
#define CTX_SHMEM (1u << 2)	     /* shmem_swapin_folio */
#define CTX_SWAPOFF (1u << 3)	     /* the system call */
#define CTX_RECLAIM (1u << 4)	     /* shrink_folio_list */
#define CTX_SWAPOUT (1u << 5)	     /* add_to_swap */
#define CTX_FREE (1u << 6)	     /* folio_free_swap */
#define CTX_ZAP (1u << 7)	     /* free_swap_and_cache */
#define CTX_FLUSH (1u << 8)	     /* swapcache_free_entries */
#define CTX_SWAPIN (1u << 9)	     /* swapin_readahead */
#define CTX_CLUSTER (1u << 10)	     /* swap_cluster_readahead */
#define CTX_READ (1u << 11)	     /* __read_swap_cache_async */
#define CTX_LOOKUP (1u << 12)	     /* the swap-cache lookup */
#define CTX_PENDING (1u << 13)	     /* a missed lookup waits for what comes next */
#define CTX_RA_OPEN (1u << 14)	     /* a readahead call whose RA record is not out yet */
#define CTX_BEGUN (1u << 15)	     /* SWAPOFF begin is out */
#define CTX_RECLAIM_SLOTS (1u << 16) /* the allocator frees slots that only hold cached pages */
#define CTX_REFILL (1u << 17)	     /* get_swap_pages for a slots cache */
#define CTX_OUTER_READ (1u << 18)    /* reclaim runs inside __read_swap_cache_async */
#define CTX_ASK (1u << 19)	     /* folio_alloc_swap */
#define CTX_WRITE (1u << 20)	     /* swap_writepage */
#define CTX_SCAN (1u << 21)	     /* scan_swap_map_slots */
#define CTX_DIRECT (1u << 22)	     /* swapin_folio, swapin_sync: a read without a window */
#define CTX_GRANT (1u << 23)	     /* alloc_swap_scan_cluster */
#define CTX_RA (CTX_SWAPIN | CTX_CLUSTER)

struct task_state {
	__u32 ctx;
	__u32 write; /* do_swap_page: a write fault */
	__u32 swapoff_type;
	__u32 burst;
	__u64 fault_vma;
	__u64 fault_addr;
	__u64 unuse_vma;
	__u64 hit_count_before; /* this CPU's SWAP_RA_HIT, at entry of the lookup */
	__u64 hit_word_before;
	__u64 cache_entry; /* arguments that the exit programs need */
	__u64 cache_folio;
	__u64 alloc_folio;
	__u64 asked_before; /* slot of the readahead's call before this one */
	__u32 hit_cpu;
	__u32 hits_before;
	__u32 accounting; /* the pending lookup is a hit and waits for its accounting */
	__u32 page_write; /* the page that swap_writepage got went to the device */
	__u64 write_entry;
	__u64 returned_entry;
	__u64 read_folio; /* of the read under way, 0: none */
	__u64 reclaim;	  /* number of the call of reclaim under way */
	__u8 granted;	  /* since folio_alloc_swap began: slots were given for the folio, */
	__u8 searched;	  /* the allocator was called, */
	__u8 returned;	  /* slots went back */
	__u8 write_order;
	__u32 scan_next; /* cluster_next_cpu when the scan began */
	__u64 scan_si;
	__u32 scan_end; /* the slot behind the last one that it gave, 0: none */
	__u32 grant_order;
	__u64 grant_si;
	struct record_swapout asked;
	struct record_lookup lookup;
	struct record_ra ra;
};

/* Where the kernel's own variables are; 0: not known. Filled from kallsyms before loading. */
struct kernel_addresses {
	__u64 hits;	   /* swapin_readahead_hits */
	__u64 prev_offset; /* function-static, with a suffix */
	__u64 last_pages;  /* last_readahead_pages, likewise */
	__u64 page_cluster;
	__u64 vma_ra; /* enable_vma_readahead */
	__u64 nr_rotate_swap;
	__u64 swap_info;
	__u64 vm_event_states; /* offset in the per-CPU area */
	__u64 per_cpu_offset;  /* __per_cpu_offset[] */
	__u64 cpu_fbatches;    /* offset in the per-CPU area */
	__u64 lru_rotate;      /* likewise */
	__u64 swp_slots;       /* likewise */
	__u64 slots_active;    /* swap_slot_cache_active */
	__u64 drain;	       /* lru_add_drain */
	__u64 drain_end;       /* where the next function begins */
};

struct record_settings {
	__u32 filter_tgid;   /* 0: all */
	__u32 filter_level;  /* depth of the cgroup */
	__u64 filter_cgroup; /* 0: all */
	__u64 ring_size;
	__u32 alloc; /* the alloc group is recorded */
	__u32 cpus;
};

#define TASKS_MAX 8192

/* The variables of the programs; the recorder has them mapped. */
struct shared_state {
	volatile __u32 enabled; /* hits are counted and recorded */
	__u32 seen_page_cluster;
	__u32 seen_vma_ra;
	__u32 pad;
	__u64 no_state; /* tasks that found no room in the tasks map */
	__u64 burst_checked;
	__u64 burst_mismatch;
	__u64 last_seq;		      /* of the alloc group's events */
	__u64 last_folio;	      /* number of the last request */
	__u64 last_reclaim;	      /* number of the last call of reclaim */
	struct task_state fresh_task; /* what every task begins with: zeroes */
};

/* Arguments and results of the SEC("syscall") programs. */
struct snapshot_args {
	__u32 type;
	__u32 from;
	__u32 len;
	__u32 got; /* bytes copied to the chunk map */
	__u64 t_ns;
};

/* One list of clusters of a device, into the chunk map; enum cluster_list_kind. */
enum cluster_list_kind { CLUSTERS_FREE, CLUSTERS_NONFULL, CLUSTERS_FRAG, CLUSTERS_FULL };
struct cluster_entry {
	__u32 index;
	__u16 used;
	__u8 order;
	__u8 pad;
};
#define CLUSTER_ENTRIES (SNAPSHOT_CHUNK / sizeof(struct cluster_entry))

struct clusters_args {
	__u32 type;
	__u32 list;
	__u32 order; /* of the list, where there is one per order */
	__u32 got;   /* entries, in the order of the list */
	__u64 t_ns;
};

/* Where a CPU goes on, for each order; 0: nowhere. */
#define PLACE_ORDERS 10
struct places_args {
	__u32 type;
	__u32 cpu;
	__u32 known;
	__u32 next[PLACE_ORDERS];
	__u32 pad;
	__u64 t_ns;
};

/* The slots cache of a CPU, its entries into the chunk map: those to be given, those to be freed.
 */
#define CACHE_SLOTS 64 /* of each side */
struct caches_args {
	__u32 cpu;
	__u32 known;
	__u32 active;  /* UNKNOWN_U32 */
	__u32 give;    /* entries of the first side */
	__u32 give_up; /* of the second, behind them */
	__u32 pad;
	__u64 t_ns;
};

struct device_args {
	__u32 type;
	__u32 used;
	__u64 flags;
	__u32 max;
	__s32 prio;
};

struct state_args {
	__u64 t_ns;
	__u64 prev;
	__u32 hits;
	__u32 last;
	__u32 page_cluster;
	__u32 vma_ra;
	__u32 have;	  /* RA_HAVE_* */
	__u32 rotational; /* nr_rotate_swap, UNKNOWN_U32 */
};

#endif
