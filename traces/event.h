/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_EVENT_H
#define SWAPTRACE_TRACES_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The event vocabulary: one table (event_table[]) says which events there are, which keys each
 * has, and how a key's value is written. The text notation, the binary columns, JSON and the
 * documentation are all driven by it; the order of keys in the enums below is the order on disk
 * and must only grow at the end of an event's list.
 *
 * Every event is a stimulus (does not depend on the policy under test), a decision (what the
 * recorded kernel answered), given (taken as it is by every replay) or state.
 */

enum event_type {
	EV_LOOKUP,
	EV_RA,
	EV_READ,
	EV_CACHE,
	EV_UNCACHE,
	EV_SWAPOUT,
	EV_ALLOC,
	EV_ALLOCFAIL,
	EV_WRITE,
	EV_UNREF,
	EV_FREE,
	EV_DRAIN,
	EV_INIT,
	EV_PUT,
	EV_RELEASE,
	EV_LRUADD,
	EV_FLUSH,
	EV_SWAPON,
	EV_SWAPOFF,
	EV_SLOTS,
	EV_CLUSTER,
	EV_PCPU,
	EV_RNG,
	EV_CONFIG,
	EV_CLOCK,
	EV_LOST,
	EV_NR
};

enum event_role { ROLE_STIMULUS, ROLE_DECISION, ROLE_MIXED, ROLE_GIVEN, ROLE_STATE };

/* LOOKUP: one need of one swap entry, whichever function shows it. */
enum lookup_key {
	LOOKUP_TYPE,
	LOOKUP_OFF,
	LOOKUP_CAUSE,
	LOOKUP_VMA,
	LOOKUP_ADDR,
	LOOKUP_VMA_START,
	LOOKUP_VMA_END,
	LOOKUP_ORDER,
	LOOKUP_COUNT,
	LOOKUP_WRITE,
	LOOKUP_HIT,
	LOOKUP_RA,
	LOOKUP_BYPASS,
	LOOKUP_KEYS
};
enum lookup_cause { LOOKUP_FAULT, LOOKUP_SWAPOFF, LOOKUP_SHMEM };

/*
 * RA: one readahead call and its window. start/end are slots, or page addresses in VMA mode.
 * derived stands beside a probed ret: what how=state would have said.
 */
enum ra_key {
	RA_MODE,
	RA_TYPE,
	RA_OFF,
	RA_ADDR,
	RA_RET,
	RA_HITS,
	RA_PREV,
	RA_LAST,
	RA_START,
	RA_END,
	RA_HOW,
	RA_VMA,
	RA_DERIVED,
	RA_KEYS
};
enum ra_mode { RA_CLUSTER, RA_VMA_MODE };
enum ra_how { RA_PROBED, RA_STATE, RA_BURST };

enum read_key { READ_TYPE, READ_OFF, READ_N, READ_CAUSE, READ_NS, READ_KEYS };
enum read_cause { READ_DEMAND, READ_RA, READ_BYPASS };

/* CACHE and UNCACHE share their keys. */
enum cache_key { CACHE_TYPE, CACHE_OFF, CACHE_N, CACHE_BY, CACHE_KEYS };
enum cache_by { BY_SWAPOUT, BY_SWAPIN, BY_FREE, BY_RECLAIM, BY_SWAPOFF };

enum swapout_key { SWAPOUT_ORDER, SWAPOUT_FOLIO, SWAPOUT_SPLIT_OF, SWAPOUT_MEMCG, SWAPOUT_KEYS };

/* ALLOC and ALLOCFAIL share their keys. */
enum alloc_key {
	ALLOC_ORDER,
	ALLOC_TYPE,
	ALLOC_OFF,
	ALLOC_N,
	ALLOC_FOLIO,
	ALLOC_MEMCG,
	ALLOC_VIA,
	ALLOC_REASON,
	ALLOC_KEYS
};
enum alloc_via { VIA_DIRECT, VIA_CACHE };
enum alloc_reason { REASON_SPACE, REASON_LIMIT, REASON_CONFIG };

enum write_key { WRITE_ORDER, WRITE_TYPE, WRITE_OFF, WRITE_ZERO, WRITE_KEYS };

/* UNREF: left = references (page table entries) that remain on the slots after this drop. */
enum unref_key { UNREF_TYPE, UNREF_OFF, UNREF_N, UNREF_HOW, UNREF_LEFT, UNREF_KEYS };
enum unref_how { UNREF_ZAP, UNREF_SWAPIN, UNREF_CACHE };

enum free_key { FREE_TYPE, FREE_OFF, FREE_N, FREE_CAUSE, FREE_KEYS };
enum free_cause { FREE_DIRECT, FREE_FLUSH, FREE_RECLAIM };

enum drain_key {
	DRAIN_SITE,
	DRAIN_ADD,
	DRAIN_ROTATE,
	DRAIN_DEACTIVATE_FILE,
	DRAIN_DEACTIVATE,
	DRAIN_LAZYFREE,
	DRAIN_ACTIVATE,
	DRAIN_KEYS
};

/* INIT, PUT and RELEASE share their keys. */
enum batch_key { BATCH_BATCH, BATCH_N, BATCH_DRAINED, BATCH_KEYS };

enum lruadd_key { LRUADD_OP, LRUADD_LARGE, LRUADD_N, LRUADD_KEYS };
enum lru_op {
	LRU_ADD,
	LRU_ROTATE,
	LRU_DEACTIVATE_FILE,
	LRU_DEACTIVATE,
	LRU_LAZYFREE,
	LRU_ACTIVATE
};
enum flush_key { FLUSH_OP, FLUSH_N, FLUSH_KEYS };

enum swapon_key { SWAPON_TYPE, SWAPON_PAGES, SWAPON_PRIO, SWAPON_FLAGS, SWAPON_NAME, SWAPON_KEYS };
/* Bits of SWAPON flags= and of a device line's flags=. */
enum device_flag {
	DEVICE_SSD = 1 << 0,
	DEVICE_ROTATIONAL = 1 << 1,
	DEVICE_SYNC_IO = 1 << 2,
	DEVICE_BLKDEV = 1 << 3,
	DEVICE_FILE = 1 << 4,
	DEVICE_DISCARD = 1 << 5,
	DEVICE_IMAGINARY = 1 << 6, /* generated: its slots are names of data, no policy uses it */
};
enum swapoff_key { SWAPOFF_OP, SWAPOFF_TYPE, SWAPOFF_RET, SWAPOFF_KEYS };
enum swapoff_op { SWAPOFF_BEGIN, SWAPOFF_END };

enum slots_key { SLOTS_TYPE, SLOTS_OFF, SLOTS_N, SLOTS_COUNT, SLOTS_CACHED, SLOTS_KEYS };
enum cluster_key {
	CLUSTER_TYPE,
	CLUSTER_INDEX,
	CLUSTER_LIST,
	CLUSTER_ORDER,
	CLUSTER_USED,
	CLUSTER_KEYS
};
enum cluster_list { LIST_NONE, LIST_FREE, LIST_NONFULL, LIST_FRAG, LIST_FULL, LIST_DISCARD };
enum pcpu_key { PCPU_TYPE, PCPU_ORDER, PCPU_NEXT, PCPU_OFF, PCPU_SIDE, PCPU_ACTIVE, PCPU_KEYS };
enum cache_side { SIDE_ALLOC, SIDE_FREE };
enum rng_key { RNG_VALUE, RNG_LOW, RNG_HIGH, RNG_KEYS };

/* CONFIG: sysctls when they change. hits, prev and last snapshot the global readahead state. */
enum config_key {
	CONFIG_PAGE_CLUSTER,
	CONFIG_VMA_RA,
	CONFIG_HITS,
	CONFIG_PREV,
	CONFIG_LAST,
	CONFIG_KEYS
};
enum clock_key { CLOCK_MONO, CLOCK_BOOT, CLOCK_REAL, CLOCK_KEYS };
enum lost_key { LOST_N, LOST_FROM, LOST_TO, LOST_KEYS };

/* Keys that any event may carry, at the same places in every event. */
enum common_key {
	KEY_CPU = 16, /* the CPU acted on, where it differs from column 2 */
	KEY_TID,      /* the thread, where it differs from tgid */
	KEY_SEQ,      /* global sequence number taken under the kernel's lock */
	KEY_SELF,     /* 1: an event of the recorder itself */
	KEY_FILTERED, /* 1: outside -p/-G, kept because it changes global state */
	EVENT_KEYS
};
#define COMMON_KEYS (EVENT_KEYS - KEY_CPU)

enum key_kind {
	KEY_DEC,    /* unsigned decimal; 0x is accepted on input */
	KEY_SIGNED, /* signed decimal, stored as two's complement */
	KEY_HEX,    /* an address or an identity in bytes, written 0x... */
	KEY_PLACE,  /* RA start/end: decimal slots, or hex addresses with mode=vma */
	KEY_ENUM,   /* one of names[] */
	KEY_FLAGS,  /* any of names[], joined by commas; bit i is names[i] */
	KEY_STRING, /* escaped bytes; the value is an id in the string pool */
};

struct key_desc {
	const char *name;
	enum key_kind kind;
	const char *const *names; /* KEY_ENUM and KEY_FLAGS: NULL-terminated */
	const char *meaning;	  /* for the documentation */
};

struct event_desc {
	const char *name;
	enum event_role role;
	unsigned int nkeys;
	const struct key_desc *keys; /* keys[0 .. nkeys-1] */
	const char *meaning;
};

extern const struct event_desc event_table[EV_NR];
extern const struct key_desc common_keys[COMMON_KEYS]; /* [key - KEY_CPU] */

/* One event. A key that is not known has its bit in have clear, and its value is then 0. */
struct event {
	uint64_t t_ns; /* CLOCK_BOOTTIME */
	int32_t cpu;   /* -1: unknown */
	int32_t tgid;  /* -1: unknown */
	uint32_t comm; /* string pool id, 0: unknown */
	uint16_t type; /* enum event_type */
	uint32_t have; /* bit k: v[k] is known */
	uint64_t v[EVENT_KEYS];
};

static inline bool event_has(const struct event *ev, unsigned int key)
{
	return ev->have >> key & 1;
}

static inline void event_set(struct event *ev, unsigned int key, uint64_t value)
{
	ev->v[key] = value;
	ev->have |= 1u << key;
}

/** event_init - make @ev an event of @type in which nothing is known yet */
void event_init(struct event *ev, enum event_type type, uint64_t t_ns);

/** event_get - the value of @key, or @otherwise where it is not known */
static inline uint64_t event_get(const struct event *ev, unsigned int key, uint64_t otherwise)
{
	return event_has(ev, key) ? ev->v[key] : otherwise;
}

/** event_type_by_name - enum event_type of a name of @len bytes, -1 when there is no such event */
int event_type_by_name(const char *name, size_t len);

/**
 * event_key_by_name - index of a key of an event type, common keys included
 * Returns -1 when the event has no such key.
 */
int event_key_by_name(enum event_type type, const char *name, size_t len);

/** event_key - description of key @key of @type; NULL for an index the event does not use */
const struct key_desc *event_key(enum event_type type, unsigned int key);

#endif
