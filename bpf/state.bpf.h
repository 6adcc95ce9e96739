/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_STATE_BPF_H
#define SWAPTRACE_BPF_STATE_BPF_H

/*
 * What the programs share: maps, the state of each task that is inside the swap code, access to the
 * kernel's variables, and the way of records into the per-CPU ring buffers.
 */

/*
 * What differs between the two ways of building these programs is below here: relocated when they
 * are loaded, or compiled where they run.
 */
#ifdef SWAPTRACE_BCC
#include "bcc/headers.bpf.h"
#else
#include "core.bpf.h"
#endif

static __always_inline u32 this_task(void)
{
	return (u32)bpf_get_current_pid_tgid();
}

static __always_inline struct task_state *task_get(void)
{
	u32 tid = this_task();

	return MAP_FIND(tasks, &tid);
}

static __always_inline struct task_state *task_enter(u32 ctx)
{
	u32 tid = this_task();
	struct task_state *ts = MAP_FIND(tasks, &tid);

	if (!ts) {
		MAP_ADD(tasks, &tid, &globals.fresh_task);
		ts = MAP_FIND(tasks, &tid);
		if (!ts) {
			ADD(&globals.no_state, 1);
			return 0;
		}
	}
	ts->ctx |= ctx;
	return ts;
}

static __always_inline void task_leave(u32 ctx)
{
	u32 tid = this_task();
	struct task_state *ts = MAP_FIND(tasks, &tid);

	if (!ts)
		return;
	ts->ctx &= ~ctx;
	if (!ts->ctx)
		MAP_DELETE(tasks, &tid);
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
	if (!si || (u8)KERNEL_READ(si, type) != type || !(KERNEL_READ(si, flags) & SWP_USED))
		return 0;
	return si;
}

/* ---- slots ---- */

struct slot {
	u32 count; /* references, UNKNOWN_U32 */
	u8 cached;
	u8 bad;
};

static __always_inline u64 slot_cluster(struct swap_info_struct *si, u64 off)
{
	return device_clusters((u64)si) + off / slots_of_cluster() * cluster_size();
}

/* The word of a slot; a cluster without a table has no slot in use. */
static __always_inline bool slot_word(struct swap_info_struct *si, u64 off, u64 *word)
{
	u64 table = cluster_table(slot_cluster(si, off));

	*word = 0;
	return !table ||
	       !bpf_probe_read_kernel(word, sizeof(*word),
				      (void *)(table + off % slots_of_cluster() * sizeof(u64)));
}

static __always_inline u32 word_references(struct swap_info_struct *si, u64 off, u64 word)
{
	u32 count = word >> WORD_COUNT_SHIFT;
	u64 more;

	if (count != WORD_COUNT_MORE)
		return count;
	more = cluster_extend_table(slot_cluster(si, off));
	return more ? read_u32(more + off % slots_of_cluster() * sizeof(u32)) : UNKNOWN_U32;
}

/* 7.1 on: the word tells everything. */
static __always_inline bool slot_by_word(struct swap_info_struct *si, u64 off, struct slot *s)
{
	u64 word;

	if (!slot_word(si, off, &word))
		return false;
	s->bad = word == WORD_BAD;
	s->count = s->bad ? 0 : word_references(si, off, word);
	s->cached = !s->bad && (word & WORD_PAGE_MASK) == WORD_PAGE;
	return true;
}

/*
 * Before, a byte has the count, and to 6.19 a bit of it says whether the slot is cached; 7.0 has
 * only the word for that, which is a page's address then, or nothing or an odd number.
 */
static __always_inline bool slot_by_map(struct swap_info_struct *si, u64 off, struct slot *s)
{
	u64 map = device_map(si), word;
	u8 byte;

	if (!map || bpf_probe_read_kernel(&byte, 1, (void *)(map + off)))
		return false;
	s->bad = byte == MAP_BAD;
	s->cached = byte != MAP_SHMEM && byte & MAP_CACHED;
	s->count = byte == MAP_SHMEM	  ? 1
		   : byte & MAP_CONTINUED ? UNKNOWN_U32
					  : byte & MAP_COUNT_MASK;
	if (have_table() && slot_word(si, off, &word))
		s->cached |= word && !(word & 1);
	return true;
}

/* What the kernel keeps of a slot; false when it can't be read. */
static __always_inline bool slot_read(struct swap_info_struct *si, u64 off, struct slot *s)
{
	if (!si || off >= KERNEL_READ(si, max))
		return false;
	if (have_map())
		return slot_by_map(si, off, s);
	return words_count() && slot_by_word(si, off, s);
}

/* This kernel's per-CPU count of consumed readahead marks, as far as it can be read. */
static __always_inline bool hit_events(u32 cpu, u64 *n)
{
	u64 base, index;

	if (!at.vm_event_states || !at.per_cpu_offset || !hit_event_index(&index))
		return false;
	base = read_u64(at.per_cpu_offset + cpu * sizeof(u64)) + at.vm_event_states;
	return !bpf_probe_read_kernel(n, sizeof(*n), (void *)(base + index * sizeof(u64)));
}

static __always_inline bool page_flag(u64 flags, u64 bit)
{
	return flags >> bit & 1;
}
#define FLAG(flags, name) page_flag(flags, PAGE_FLAG_BIT(name))

static __always_inline u32 folio_pages(u64 folio)
{
	u32 n;

	if (!FLAG(flags_of_folio(folio), PG_head))
		return 1;
	n = large_folio_pages(folio);
	return n ? n : 1;
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

	return MAP_FIND(counts, &key);
}

/* Counts a run of the program that stands for @probe; false: recording is off. */
static __always_inline bool count_hit(u32 probe)
{
	struct probe_counts *c = counts_of(bpf_get_smp_processor_id(), probe);

	if (!c)
		return false;
	if (!globals.enabled) {
		ADD(&c->idle, 1);
		return false;
	}
	ADD(&c->hits, 1);
	return true;
}

static __always_inline void count_filtered(u32 cpu, u32 probe)
{
	struct probe_counts *c = counts_of(cpu, probe);

	if (c)
		ADD(&c->filtered, 1);
}

static __always_inline void count_lost(u32 cpu, u32 probe)
{
	struct probe_counts *c = counts_of(cpu, probe);

	if (c)
		ADD(&c->lost, 1);
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
	return settings.alloc ? FETCH_ADD(&globals.last_seq, 1) + 1 : 0;
}

static __always_inline void *this_ring(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return MAP_FIND(rings, &cpu);
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
