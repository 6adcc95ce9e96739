/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_STATE_BPF_H
#define SWAPTRACE_BPF_STATE_BPF_H

/*
 * What the programs share: maps, the state of each task that is inside the swap code, access to the
 * kernel's variables, and the way of records into the per-CPU ring buffers.
 */

#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "records.h"

struct {
	__uint(type, MAP_TYPE_HASH);
	__uint(max_entries, 8192);
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

const volatile struct kernel_addresses at;
const volatile struct record_settings settings;
volatile __u32 enabled; /* hits are counted and recorded */
__u64 no_state;		/* tasks that found no room in the tasks map */
__u64 burst_checked;
__u64 burst_mismatch;
__u64 last_seq;	    /* of the alloc group's events */
__u64 last_folio;   /* number of the last request */
__u64 last_reclaim; /* number of the last call of reclaim */
__u32 seen_page_cluster = UNKNOWN_U32;
__u32 seen_vma_ra = UNKNOWN_U32;
static const struct task_state fresh_task;

static __always_inline u32 this_task(void)
{
	return (u32)bpf_get_current_pid_tgid();
}

static __always_inline struct task_state *task_get(void)
{
	u32 tid = this_task();

	return bpf_map_lookup_elem(&tasks, &tid);
}

static __always_inline struct task_state *task_enter(u32 ctx)
{
	u32 tid = this_task();
	struct task_state *ts = bpf_map_lookup_elem(&tasks, &tid);

	if (!ts) {
		bpf_map_update_elem(&tasks, &tid, &fresh_task, UPDATE_NOEXIST);
		ts = bpf_map_lookup_elem(&tasks, &tid);
		if (!ts) {
			__sync_fetch_and_add(&no_state, 1);
			return 0;
		}
	}
	ts->ctx |= ctx;
	return ts;
}

static __always_inline void task_leave(u32 ctx)
{
	u32 tid = this_task();
	struct task_state *ts = bpf_map_lookup_elem(&tasks, &tid);

	if (!ts)
		return;
	ts->ctx &= ~ctx;
	if (!ts->ctx)
		bpf_map_delete_elem(&tasks, &tid);
}

static __always_inline u32 task_ctx(void)
{
	struct task_state *ts = task_get();

	return ts ? ts->ctx : 0;
}

static __always_inline u64 read_u64(u64 address)
{
	u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (void *)address);
	return value;
}

static __always_inline u32 read_u32(u64 address)
{
	u32 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (void *)address);
	return value;
}

static __always_inline u32 read_bool(u64 address)
{
	u8 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (void *)address);
	return value != 0;
}

static __always_inline u32 entry_type(u64 entry)
{
	return (u32)(entry >> ENTRY_TYPE_SHIFT);
}

/*
 * The highest numbers are no devices but entries of the kernel's own (migration, poison, markers);
 * how many is a matter of its configuration. They lie behind the end of the array of devices: what
 * is read there is none, as a device knows its number.
 */
static __always_inline struct swap_info_struct *device_of(u32 type)
{
	struct swap_info_struct *si;

	if (!at.swap_info || type >= TYPES_MAX)
		return 0;
	si = (void *)read_u64(at.swap_info + type * sizeof(u64));
	if (!si || (u8)BPF_CORE_READ(si, type) != type || !(BPF_CORE_READ(si, flags) & SWP_USED))
		return 0;
	return si;
}

/* The byte of swap_map for an entry; false when it can't be read. */
static __always_inline bool map_byte(u64 entry, u8 *byte)
{
	struct swap_info_struct *si = device_of(entry_type(entry));
	u64 off = entry & ENTRY_OFFSET_MASK;
	u8 *map;

	if (!si || off >= BPF_CORE_READ(si, max))
		return false;
	map = BPF_CORE_READ(si, swap_map);
	return map && !bpf_probe_read_kernel(byte, 1, map + off);
}

static __always_inline u32 map_references(u8 byte)
{
	if (byte == MAP_SHMEM)
		return 1;
	return byte & MAP_COUNT_MASK;
}

/* This kernel's per-CPU count of consumed readahead marks, as far as it can be read. */
static __always_inline bool hit_events(u32 cpu, u64 *n)
{
	u64 base, index;

	if (!at.vm_event_states || !at.per_cpu_offset ||
	    !bpf_core_enum_value_exists(enum vm_event_item, SWAP_RA_HIT))
		return false;
	index = bpf_core_enum_value(enum vm_event_item, SWAP_RA_HIT);
	base = read_u64(at.per_cpu_offset + cpu * sizeof(u64)) + at.vm_event_states;
	return !bpf_probe_read_kernel(n, sizeof(*n), (void *)(base + index * sizeof(u64)));
}

static __always_inline u64 folio_flags(u64 folio)
{
	struct folio___memdesc *m = (void *)folio;
	struct page *p = (void *)folio;

	if (bpf_core_field_exists(m->flags.f))
		return BPF_CORE_READ(m, flags.f);
	return BPF_CORE_READ(p, flags);
}

static __always_inline u32 folio_pages(u64 folio)
{
	struct folio___nr *a = (void *)folio;
	struct folio___nr2 *b = (void *)folio;
	struct page___compound *tail = (void *)(folio + bpf_core_type_size(struct page));
	u32 n = 1;

	if (!(folio_flags(folio) >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(a->_folio_nr_pages)) {
		n = BPF_CORE_READ(a, _folio_nr_pages);
	} else if (bpf_core_field_exists(b->_nr_pages)) {
		n = BPF_CORE_READ(b, _nr_pages);
	} else if (bpf_core_field_exists(tail->compound_nr)) {
		n = BPF_CORE_READ(tail, compound_nr);
	}
	return n ? n : 1;
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

static __always_inline u32 order_of(u32 pages)
{
	u32 order = 0;

	for (int i = 0; i < 10; i++) {
		pages >>= 1;
		if (!pages)
			break;
		order++;
	}
	return order;
}

static __always_inline struct probe_counts *counts_of(u32 cpu, u32 probe)
{
	u32 key = cpu * PROBE_ROWS + probe;

	return bpf_map_lookup_elem(&counts, &key);
}

/* Counts a run of the program that stands for @probe; false: recording is off. */
static __always_inline bool count_hit(u32 probe)
{
	struct probe_counts *c = counts_of(bpf_get_smp_processor_id(), probe);

	if (!c)
		return false;
	if (!enabled) {
		__sync_fetch_and_add(&c->idle, 1);
		return false;
	}
	__sync_fetch_and_add(&c->hits, 1);
	return true;
}

static __always_inline void count_filtered(u32 cpu, u32 probe)
{
	struct probe_counts *c = counts_of(cpu, probe);

	if (c)
		__sync_fetch_and_add(&c->filtered, 1);
}

static __always_inline void count_lost(u32 cpu, u32 probe)
{
	struct probe_counts *c = counts_of(cpu, probe);

	if (c)
		__sync_fetch_and_add(&c->lost, 1);
}

static __always_inline bool is_filtered(u32 tgid)
{
	if (settings.filter_tgid && tgid != settings.filter_tgid)
		return true;
	return settings.filter_cgroup &&
	       bpf_get_current_ancestor_cgroup_id(settings.filter_level) != settings.filter_cgroup;
}

static __always_inline void head_fill(struct record *r, u8 kind, u8 probe)
{
	u64 id = bpf_get_current_pid_tgid();

	r->t_ns = bpf_ktime_get_boot_ns();
	r->seq = 0;
	r->tgid = id >> 32;
	r->tid = (u32)id;
	r->cpu = bpf_get_smp_processor_id();
	r->kind = kind;
	r->probe = probe;
	r->flags = is_filtered(r->tgid) ? RECORD_FILTERED : 0;
	bpf_get_current_comm(r->comm, COMM_LEN);
}

/* The order in which the kernel's lock let things happen; other groups do without. */
static __always_inline u64 take_seq(void)
{
	return settings.alloc ? __sync_fetch_and_add(&last_seq, 1) + 1 : 0;
}

static __always_inline void *this_ring(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&rings, &cpu);
}

/*
 * Wakes the recorder when the ring has just become half full, not for each record: it looks at the
 * rings every few milliseconds anyway.
 */
static __always_inline u64 wakeup_flags(void *ring, u64 size)
{
	u64 data = bpf_ringbuf_query(ring, RING_AVAIL_DATA);
	u64 half = settings.ring_size / 2;

	return data >= half && data < half + 2 * size ? RING_FORCE_WAKEUP : RING_NO_WAKEUP;
}

/* Sends a finished record whose head says what to count when there is no room. */
#define record_send(r)                                                                             \
	({                                                                                         \
		const struct record *head_ = (const void *)(r);                                    \
		void *ring_ = this_ring();                                                         \
		if (!ring_ || bpf_ringbuf_output(ring_, (r), sizeof(*(r)),                         \
						 wakeup_flags(ring_, sizeof(*(r)))))               \
			count_lost(head_->cpu,                                                     \
				   head_->flags &RECORD_MORE ? PROBE_NONE : head_->probe);         \
	})

static __always_inline void send_part(u8 probe, u64 entry, u32 n, u8 what, u32 left, u32 flags)
{
	struct record_range r = {};

	head_fill(&r.head, RECORD_RANGE, probe);
	r.head.flags |= flags;
	if (probe == PROBE_FREE)
		r.head.seq = take_seq();
	r.entry = entry;
	r.n = n;
	r.what = what;
	r.left = left;
	r.order = order_of(n);
	record_send(&r);
}

static __always_inline void send_range(u8 probe, u64 entry, u32 n, u8 what, u32 left)
{
	send_part(probe, entry, n, what, left, 0);
}

#endif
