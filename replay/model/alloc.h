/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The swap slot allocator, five kernel generations behind one interface.
 *
 * Pure C: no I/O, no globals, no clock. Memory is taken by swap_alloc_create() and
 * swap_alloc_swapon() only; allocating and freeing slots never allocates. The same calls with
 * the same answers from the environment give the same offsets on every machine.
 *
 * The state is open on purpose: cluster maps, "why did this request fail" and tests read the
 * structures below directly. Only the functions here and the generations change them.
 *
 * Units: a slot is one page; an order is a power of two of slots; offsets count slots from the
 * start of the device, where slot 0 holds the header and is never handed out.
 */
#ifndef REPLAY_MODEL_ALLOC_H
#define REPLAY_MODEL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWAP_MAX_TYPES 32 /* swap devices at one time */
#define SWAP_MAX_CPUS 4096
#define SWAP_MAX_ORDERS 14    /* 64K pages: clusters of 8192 slots, orders 0..13 */
#define SWAP_MAX_CLUSTER 8192 /* slots */
#define SWAP_BATCH 64	      /* slots of one get_swap_pages() call and of each cache side */
#define SWAP_ADDRESS_SPACE_PAGES (1u << 14)
#define SWAP_CLUSTER_NONE UINT32_MAX

/* swap_alloc_swapon(): "the next negative priority", as swapon(8) without -p. */
#define SWAP_PRIO_DEFAULT (-1)

/* One byte of dev->map. Reference counts above 1 do not matter to the allocator. */
#define SWAP_MAP_FREE 0x00
#define SWAP_MAP_USED 0x01  /* referenced */
#define SWAP_MAP_BAD 0x3f   /* header, bad page, or waiting for a discard */
#define SWAP_HAS_CACHE 0x40 /* nothing but the swap cache, or a slots cache, holds it */

/* Device flags. */
#define SWAP_DEV_SSD 0x01     /* not rotational: clusters in every generation */
#define SWAP_DEV_BLKDEV 0x02  /* block special file; large entries need it */
#define SWAP_DEV_DISCARD 0x04 /* freed clusters are discarded (SWP_PAGE_DISCARD) */

/* The list a cluster is on. */
enum swap_cluster_list_id {
	SWAP_LIST_NONE, /* off every list (isolated, or forgotten until a free) */
	SWAP_LIST_FREE,
	SWAP_LIST_NONFULL, /* nonfull[cluster order] */
	SWAP_LIST_FRAG,	   /* frag[cluster order] */
	SWAP_LIST_FULL,
	SWAP_LIST_DISCARD,
};

/* swap_cluster_info: 16 bytes for each cluster_slots slots. */
struct swap_cluster {
	uint32_t prev, next; /* neighbours on its list, cluster indexes */
	uint16_t count;	     /* slots not free, the missing ones of a short tail included */
	uint8_t list;	     /* enum swap_cluster_list_id */
	uint8_t order;	     /* order it serves; scan-6.1: 0, or the PMD order for a huge one */
	uint32_t flags;	     /* private to the generation */
};

/* Doubly linked through the cluster array; head and tail are SWAP_CLUSTER_NONE when empty. */
struct swap_cluster_list {
	uint32_t head, tail, len;
};

/* What a CPU remembers about one device (percpu_cluster and cluster_next_cpu). */
struct swap_percpu {
	uint32_t next[SWAP_MAX_ORDERS]; /* next offset to try, 0 = none */
	uint32_t index;			/* scan-6.1: current cluster or SWAP_CLUSTER_NONE */
	uint32_t scan_next;		/* cluster_next_cpu: start of the fallback scan */
};

/* swap_info_struct. */
struct swap_dev {
	bool present;
	bool writeok;	     /* false from the begin of swapoff */
	bool avail;	     /* on the list of available devices */
	bool reclaim_queued; /* the device became full: swap_alloc_reclaim_work() is due */
	int type;
	int prio;	/* as /proc/swaps shows it */
	int avail_key;	/* position on the available list, lower first */
	uint32_t flags; /* SWAP_DEV_* */
	uint32_t max;	/* slots with the header: offsets are 1 .. max - 1 */
	uint32_t pages; /* usable slots: max - 1 */
	uint32_t inuse; /* used slots; those parked in a slots cache count as used */
	uint8_t *map;	/* max bytes */

	uint32_t nr_clusters;
	struct swap_cluster *cluster; /* NULL: no clusters (rotational, before 6.14) */
	struct swap_cluster_list free, full, discard;
	struct swap_cluster_list nonfull[SWAP_MAX_ORDERS], frag[SWAP_MAX_ORDERS];
	struct swap_percpu *percpu;	       /* nr_cpus; unused by cluster-6.18 */
	uint32_t global_next[SWAP_MAX_ORDERS]; /* cluster-6.18, rotational */

	uint32_t lowest_bit, highest_bit;  /* scan bounds before 6.14 */
	uint32_t cluster_next, cluster_nr; /* rotational scan before 6.14 */
};

struct swap_entry {
	int32_t type; /* -1: none */
	uint32_t off;
};

/* swap_slots_cache of one CPU. */
struct swap_slots_cache {
	uint32_t cur, nr; /* slots[cur .. cur + nr - 1] are ready to be handed out */
	uint32_t n_ret;	  /* slots_ret[0 .. n_ret - 1] wait to be freed together */
	struct swap_entry slots[SWAP_BATCH];
	struct swap_entry slots_ret[SWAP_BATCH];
};

/* percpu_swap_cluster (6.15 and later): one place per order over all devices. */
struct swap_percpu_global {
	struct swap_entry next[SWAP_MAX_ORDERS]; /* off 0 = none */
};

struct swap_alloc;

/* What the allocator asks the rest of the kernel. Every member may be NULL. */
struct swap_alloc_env {
	void *ctx;
	/*
	 * A random number in [low, high]. scan-6.1 asks for 0 .. n-1, later generations for
	 * offsets. NULL: always low.
	 */
	uint32_t (*rnd)(void *ctx, uint32_t low, uint32_t high);
	/*
	 * The allocator found the cache-only slot OFF and would like it back
	 * (__try_to_reclaim_swap). Returns n > 0: the folio of n slots around OFF (aligned to n)
	 * left the swap cache, the allocator now frees its slots; 0: no folio there;
	 * -n: a folio of n slots is there but busy. NULL: always 0.
	 * Must not call back into the allocator.
	 */
	int (*reclaim)(void *ctx, unsigned int cpu, int type, uint32_t off);
	/*
	 * N slots from OFF became free for the allocator just now, whoever caused it (a free, a
	 * flush of a slots cache, a reclaim). May be NULL. Must not call back.
	 */
	void (*freed)(void *ctx, int type, uint32_t off, uint32_t n);
};

struct swap_alloc_config {
	const char *generation; /* a name of swap_alloc_generation() */
	unsigned int nr_cpus;	/* 1 .. SWAP_MAX_CPUS, all online */
	/* 256 (no THP_SWAP: order 0 only), 512, 2048 (16K pages) or 8192 (64K pages) */
	unsigned int cluster_slots;
	bool slots_cache; /* the kernel's switch; ignored where there is none */
	struct swap_alloc_env env;
};

struct swap_alloc_swapon {
	uint32_t pages; /* slots, header included (/proc/swaps + 1 page); at least 2 */
	int prio;	/* SWAP_PRIO_DEFAULT or 0 .. 32767; below -1: taken as is */
	uint32_t flags; /* SWAP_DEV_* */
	/*
	 * With a default priority, a device on the allocating CPU's own node (the models have
	 * one node) sorts as if its priority were -1, so that such devices share the load.
	 */
	bool local_node;
};

/* Why the last allocation returned nothing; the search itself is in the state. */
enum swap_alloc_fail {
	SWAP_FAIL_NONE,
	SWAP_FAIL_SPACE,  /* fewer free slots than needed, or no device available */
	SWAP_FAIL_CONFIG, /* the generation or the device never gives such an order */
	SWAP_FAIL_SEARCH, /* space enough, but the search did not find a place */
};

/* How slots come back; each generation hands them on in its own portions. */
enum swap_free_how {
	SWAP_FREE_ZAP,	  /* last page-table reference dropped, not in the swap cache */
	SWAP_FREE_SWAPIN, /* freed by a swap-in */
	SWAP_FREE_CACHE,  /* a swap-cache folio with no other user gives its slots back */
};

struct swap_alloc_ops;

struct swap_alloc {
	const struct swap_alloc_ops *ops;
	const char *generation; /* its name */
	struct swap_alloc_env env;
	unsigned int nr_cpus;
	unsigned int cluster_slots;
	unsigned int cluster_shift;
	unsigned int nr_orders; /* orders 0 .. nr_orders - 1; 1 without THP_SWAP */

	struct swap_dev dev[SWAP_MAX_TYPES];
	int avail[SWAP_MAX_TYPES]; /* types, best first: the list of available devices */
	unsigned int nr_avail;
	unsigned int nr_swapfiles; /* highest type ever used, plus one */
	int least_priority;

	int64_t nr_swap_pages; /* free slots less those reserved by the current call */
	int64_t total_swap_pages;

	bool cache_enabled; /* the switch, and a device is on */
	bool cache_active;
	bool cache_switch;
	struct swap_slots_cache *cache;	   /* nr_cpus, or NULL */
	struct swap_percpu_global *percpu; /* nr_cpus, or NULL */

	/*
	 * Devices that requests may use now, a bit per type; all of them after creation. For
	 * placing memory cgroups on devices. A slots cache does not know of it: to be used without.
	 */
	uint32_t allowed;

	/*
	 * Slots that a slots cache asks for when it is filled: SWAP_BATCH after creation. Less for
	 * a filling that is known to have let another CPU in; the rest is swap_alloc_refill().
	 */
	uint32_t refill;

	enum swap_alloc_fail last_fail;
};

/* Name of generation I (0, 1, ...), oldest first; NULL past the last one. */
const char *swap_alloc_generation(unsigned int i);

/* The generation of that name, as swap_alloc_generation() names it; NULL: none. */
const char *swap_alloc_named(const char *name);

/*
 * A new allocator with no device, in *SA; the caller owns it (swap_alloc_destroy()).
 * Returns 0, -ENOENT (no generation of that name), -EINVAL (CPUs or cluster size), -ENOMEM.
 */
int swap_alloc_create(struct swap_alloc **sa, const struct swap_alloc_config *cfg);
void swap_alloc_destroy(struct swap_alloc *sa);

/*
 * Device TYPE comes into use. Returns 0, -EINVAL (type, size, priority), -EBUSY (type in use),
 * -ENOMEM, -EOPNOTSUPP (discard on a generation whose discard path is not modelled).
 */
int swap_alloc_swapon(struct swap_alloc *sa, int type, const struct swap_alloc_swapon *p);

/*
 * swapoff in two steps, as pages come back in between: begin stops new allocations and empties
 * the slots caches of the device, end forgets the device with whatever is still in use.
 * Returns 0 or -ENODEV.
 */
int swap_alloc_swapoff_begin(struct swap_alloc *sa, int type);
int swap_alloc_swapoff_end(struct swap_alloc *sa, int type);

/*
 * A swapoff that was killed: the device is available again (the state between begin and now
 * stays). Returns 0 or -ENODEV.
 */
int swap_alloc_swapoff_abort(struct swap_alloc *sa, int type);

/*
 * One folio of ORDER wants slots on CPU: folio_alloc_swap(), slots cache included.
 * Returns 0 with *ENTRY set (2^order slots from entry->off, referenced), or -ENOSPC with
 * sa->last_fail set, or -EINVAL (CPU or order out of range).
 */
int swap_alloc_folio(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
		     struct swap_entry *entry);

/*
 * Below the slots cache: get_swap_pages() for N (1 .. SWAP_BATCH) entries of ORDER; more than
 * one only for order 0. Generations without that function take N folios one by one.
 * Returns the number of entries written, 0 with sa->last_fail set, or -EINVAL.
 */
int swap_alloc_get_pages(struct swap_alloc *sa, unsigned int cpu, unsigned int order,
			 unsigned int n, struct swap_entry *entries);

/*
 * N slots from OFF lost their last reference on CPU. They may become free now or when a slots
 * cache is flushed (env.freed tells).
 * Returns 0, -EINVAL (range), or -ENOENT (a slot of the range is not in use; nothing is done).
 */
int swap_alloc_free(struct swap_alloc *sa, unsigned int cpu, enum swap_free_how how, int type,
		    uint32_t off, uint32_t n);

/*
 * From now on only the swap cache holds these slots (or, with USED, they are referenced again).
 * Returns as swap_alloc_free().
 */
int swap_alloc_cache_only(struct swap_alloc *sa, int type, uint32_t off, uint32_t n, bool used);

/* The device's reclaim worker runs on CPU (6.12 and later; nothing before). 0 or -ENODEV. */
int swap_alloc_reclaim_work(struct swap_alloc *sa, unsigned int cpu, int type);

/* The device's discard worker runs: waiting clusters become free. 0 or -ENODEV. */
int swap_alloc_discard_work(struct swap_alloc *sa, int type);

/* Start of CPU's fallback scan (before 6.12), where a recording knows it. 0 or -EINVAL. */
int swap_alloc_set_scan_next(struct swap_alloc *sa, unsigned int cpu, int type, uint32_t off);

/*
 * Setting a state that a recording tells of.
 *
 * N free slots from OFF become used, as if requests of ORDER had got them: what was in use before
 * the first request. A cluster so entered joins the list where its generation keeps clusters
 * that are partly used, or full. Returns 0, -EINVAL (range, order), -EEXIST (a slot is not free;
 * nothing is done).
 */
int swap_alloc_take(struct swap_alloc *sa, int type, uint32_t off, uint32_t n, unsigned int order);

/*
 * N slots from OFF become free at once, past any slots cache: takes an allocation back. Returns as
 * swap_alloc_free().
 */
int swap_alloc_give_back(struct swap_alloc *sa, int type, uint32_t off, uint32_t n);

/*
 * The slots cache of CPU draws up to N (1 .. SWAP_BATCH) more slots, behind those it has. Returns
 * how many it got, as far as there is room, or -EINVAL (CPU, no slots cache).
 */
int swap_alloc_refill(struct swap_alloc *sa, unsigned int cpu, uint32_t n);

/*
 * A used slot waits in the slots cache of CPU from now on, behind those that do: to be given, or
 * with RETURNED to be freed. Returns 0, -EINVAL (CPU, slot, no slots cache, no room) or -ENOENT
 * (not in use).
 */
int swap_alloc_park(struct swap_alloc *sa, unsigned int cpu, bool returned, int type, uint32_t off);

/*
 * A slot that is parked in a slots cache leaves it and is used from now on. Returns 0, or -ENOENT
 * if no slots cache holds it.
 */
int swap_alloc_unpark(struct swap_alloc *sa, int type, uint32_t off);

/*
 * Where CPU goes on with requests of ORDER on device TYPE (on any device where the generation
 * remembers one place for all of them), aligned to the order; OFF 0: nowhere. 0 or -EINVAL.
 */
int swap_alloc_set_next(struct swap_alloc *sa, unsigned int cpu, int type, unsigned int order,
			uint32_t off);

/*
 * Cluster CI moves to the tail of LIST and serves ORDER; calls in the order of the list rebuild
 * it. Returns 0, or -EINVAL: no such cluster or order, or its count does not belong there.
 */
int swap_alloc_set_cluster(struct swap_alloc *sa, int type, uint32_t ci,
			   enum swap_cluster_list_id list, unsigned int order);

/* Does its generation model discard? Else swap_alloc_swapon() refuses SWAP_DEV_DISCARD. */
bool swap_alloc_discards(const struct swap_alloc *sa);

/* Can any device of this generation give entries of ORDER? */
bool swap_alloc_has_order(const struct swap_alloc *sa, unsigned int order);

/* More than half of the swap space is used (vm_swap_full()). */
bool swap_alloc_full(const struct swap_alloc *sa);

/* Where free space is, on one device or all that take part in allocation. */
struct swap_alloc_space {
	uint64_t slots; /* usable ones */
	uint64_t free; /* neither referenced, cached, parked in a slots cache nor being discarded */
	uint64_t free_clusters; /* wholly free ranges of cluster_slots, aligned */
	/*
	 * Per order: free ranges of 2^order slots, aligned to their size. A larger one counts at
	 * every order below, too: holes[0] is free.
	 */
	uint64_t holes[SWAP_MAX_ORDERS];
};

/*
 * Is the cluster that begins at slot OFF wholly free? Known without a look at its slots, so that
 * what nobody ever used of a large device costs no memory. False also where the device has no
 * clusters: then its slots tell.
 */
bool swap_alloc_untouched(const struct swap_alloc *sa, const struct swap_dev *dev, uint32_t off);

/* Fills SPACE for device TYPE, or for all with -1; linear in the devices. 0 or -ENODEV. */
int swap_alloc_space(const struct swap_alloc *sa, int type, struct swap_alloc_space *space);

/* Why a request of some order fails now, whatever was asked before. */
enum swap_alloc_label {
	SWAP_LABEL_FULL,	    /* fewer free slots than needed */
	SWAP_LABEL_NO_ALIGNED_HOLE, /* enough, but no aligned free range that large */
	SWAP_LABEL_HOLE_NOT_FOUND,  /* there is one, the generation does not look there */
	SWAP_LABEL_CONFIG,	    /* generation or devices never give that order */
};

/*
 * To be called after a request of ORDER failed: the label it deserves. Looks at the free space
 * (linear in the devices), not at the search.
 */
enum swap_alloc_label swap_alloc_explain(const struct swap_alloc *sa, unsigned int order);

/* "full", "no-aligned-hole", "hole-not-found", "config". */
const char *swap_alloc_label_name(enum swap_alloc_label label);

/*
 * Invariants of the whole state, in time linear in the devices: counts equal the map, lists are
 * well formed and hold what their flag says, totals add up, slots caches hold only slots that
 * are in use and none twice. Returns 0, -EUCLEAN with a reason in WHY (LEN bytes, may be 0), or
 * -ENOMEM.
 */
int swap_alloc_check(const struct swap_alloc *sa, char *why, size_t len);

#endif
