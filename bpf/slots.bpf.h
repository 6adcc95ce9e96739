/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_SLOTS_BPF_H
#define SWAPTRACE_BPF_SLOTS_BPF_H

/* References to slots, slots given and freed, and devices that come and go. */

/* ---- UNREF, FREE, ALLOC ---- */

/* References that are left after one is dropped. */
static __always_inline u32 left_after(u32 count)
{
	return count && count != UNKNOWN_U32 ? count - 1 : UNKNOWN_U32;
}

/* A row of slots that lose a reference each, cut where the rest that is left changes. */
struct unref_walk {
	u64 entry;
	u32 from; /* slots of the row that have been sent */
	u32 left; /* of the slot before */
	u32 what;
	u32 probe;
};

static __always_inline void unref_send(struct unref_walk *w, u32 to)
{
	send_part(w->probe, w->entry + w->from, to - w->from, w->what, w->left,
		  w->from ? RECORD_MORE : 0);
	w->from = to;
}

LOOP_STEP(unref_step, struct unref_walk)
{
	u32 left = left_after(references(w->entry + i));

	if (i && left != w->left)
		unref_send(w, i);
	w->left = left;
	return 0;
}

static __always_inline void send_unref(u8 probe, u64 entry, u32 n, u8 what)
{
	struct unref_walk w = { .entry = entry, .what = what, .probe = probe };

	LOOP(n, unref_step, &w);
	unref_send(&w, n);
}

static __always_inline void send_unref_one(u8 probe, u64 entry, u8 what)
{
	send_range(probe, entry, 1, what, left_after(references(entry)));
}

enum { HOW_ZAP, HOW_SWAPIN };

static __always_inline void unref_enter(u64 entry, u64 n)
{
	if (count_hit(PROBE_UNREF_SWAPIN))
		send_unref(PROBE_UNREF_SWAPIN, entry, (u32)n, HOW_SWAPIN);
}
ENTRY2(unref_enter)

/* 7.0 on: a folio's slots, or that of one page of it, which is told by its place. */
static __always_inline void unref_folio_enter(u64 folio, u64 page)
{
	u64 entry = folio_entry(folio);

	if (!count_hit(PROBE_UNREF_SWAPIN))
		return;
	if (page)
		send_unref(PROBE_UNREF_SWAPIN, entry + (page - folio) / TYPE_SIZE(struct page), 1,
			   HOW_SWAPIN);
	else
		send_unref(PROBE_UNREF_SWAPIN, entry, folio_pages(folio), HOW_SWAPIN);
}
ENTRY2_NUMBER(unref_folio_enter)

/* Kernels with this function have no bpf_loop() either, as far back as 5.15. */
static __always_inline void unref_one_enter(u64 entry)
{
	if (count_hit(PROBE_UNREF_SWAPIN))
		send_unref_one(PROBE_UNREF_SWAPIN, entry, HOW_SWAPIN);
}
ENTRY1(unref_one_enter)

/* Entries of the kernel's own (migration, poison, markers) come here too and are no slots. */
static __always_inline bool zap_start(u64 entry)
{
	task_enter(CTX_ZAP);
	if (!count_hit(PROBE_UNREF_ZAP))
		return false;
	if (device_of(entry_type(entry)))
		return true;
	count_filtered(bpf_get_smp_processor_id(), PROBE_UNREF_ZAP);
	return false;
}

static __always_inline void zap_enter(u64 entry, u64 n)
{
	if (zap_start(entry))
		send_unref(PROBE_UNREF_ZAP, entry, (u32)n, HOW_ZAP);
}
ENTRY2(zap_enter)

static __always_inline void zap_one_enter(u64 entry)
{
	if (zap_start(entry))
		send_unref_one(PROBE_UNREF_ZAP, entry, HOW_ZAP);
}
ENTRY1(zap_one_enter)

static __always_inline void zap_exit(void)
{
	task_leave(CTX_ZAP);
}
EXIT0(zap_exit)

enum { CAUSE_DIRECT, CAUSE_FLUSH, CAUSE_RECLAIM };

static __always_inline void send_free(u64 entry, u32 n)
{
	u32 ctx = task_ctx();
	u8 cause = ctx & CTX_FLUSH	     ? CAUSE_FLUSH
		   : ctx & CTX_RECLAIM_SLOTS ? CAUSE_RECLAIM
					     : CAUSE_DIRECT;

	if (count_hit(PROBE_FREE))
		send_range(PROBE_FREE, entry, n, cause, UNKNOWN_U32);
}

static __always_inline u64 entry_on(u64 si, u64 off)
{
	struct swap_info_struct *d = (void *)si;

	return ((u64)(u8)KERNEL_READ(d, type) << ENTRY_TYPE_SHIFT) | (off & ENTRY_OFFSET_MASK);
}

static __always_inline void free_entry_enter(u64 si, u64 entry, u64 n)
{
	send_free(entry, (u32)n);
}
ENTRY3(free_entry_enter)

static __always_inline void free_ci_entry_enter(u64 si, u64 ci, u64 entry, u64 n)
{
	send_free(entry, (u32)n);
}
ENTRY4(free_ci_entry_enter)

static __always_inline void free_range_enter(u64 si, u64 off, u64 n)
{
	send_free(entry_on(si, off), (u32)n);
}
ENTRY3(free_range_enter)

/* 7.0: the slot, not an entry. */
static __always_inline void free_ci_offset_enter(u64 si, u64 ci, u64 off, u64 n)
{
	send_free(entry_on(si, off), (u32)n);
}
ENTRY4(free_ci_offset_enter)

/* 7.1 on: the slot inside the cluster. */
static __always_inline void free_cluster_enter(u64 si, u64 ci, u64 start, u64 n)
{
	u64 index = (ci - device_clusters(si)) / cluster_size();

	send_free(entry_on(si, index * slots_of_cluster() + (u32)start), (u32)n);
}
ENTRY4_NUMBER(free_cluster_enter)

enum { VIA_DIRECT, VIA_CACHE };

/*
 * Called with the device's lock held, so seq tells the order of grants and frees. What is drawn for
 * a slots cache answers no request yet.
 */
static __always_inline void alloc_range_enter(u64 si, u64 off, u64 n)
{
	bool on = count_hit(PROBE_ALLOC);
	struct task_state *ts = task_get();
	struct record_range r = {};

	if (!on)
		return;
	head_fill(&r.head, RECORD_RANGE, PROBE_ALLOC);
	r.head.seq = take_seq();
	r.entry = entry_on(si, off);
	r.n = (u32)n;
	r.order = order_of((u32)n);
	r.left = UNKNOWN_U32;
	r.what = ts && ts->ctx & CTX_REFILL ? VIA_CACHE : VIA_DIRECT;
	if (ts)
		ts->scan_end = (u32)(off + n);
	if (ts && ts->ctx & CTX_ASK && r.what == VIA_DIRECT) {
		ts->granted = 1;
		r.folio = ts->asked.id;
		r.memcg = ts->asked.memcg;
	}
	record_send(&r);
}
ENTRY3(alloc_range_enter)

/*
 * 6.15 on: the scan of a cluster for a folio returns the first slot that it gives, 0: none. The
 * per-CPU lock is held until behind it. The kernel also gives slots to nobody's folio, for
 * hibernation.
 */
static __always_inline void grant_begin(u64 si, u32 order)
{
	struct task_state *ts = task_enter(CTX_GRANT);

	if (!ts)
		return;
	ts->grant_si = si;
	ts->grant_order = order;
	ts->searched = 1;
}

static __always_inline void grant_order_enter(u64 si, u64 ci, u64 off, u64 order)
{
	grant_begin(si, (u32)order);
}
ENTRY4(grant_order_enter)

static __always_inline void grant_folio_enter(u64 si, u64 ci, u64 folio)
{
	grant_begin(si, folio ? order_of(folio_pages(folio)) : 0);
}
ENTRY3(grant_folio_enter)

static __always_inline void send_grant(struct task_state *ts, u32 off)
{
	struct record_range r = {};

	head_fill(&r.head, RECORD_RANGE, PROBE_ALLOC);
	r.head.seq = take_seq();
	r.entry = entry_on(ts->grant_si, off);
	r.order = ts->grant_order;
	r.n = 1u << (r.order & 15);
	r.left = UNKNOWN_U32;
	r.what = VIA_DIRECT;
	if (ts->ctx & CTX_ASK) {
		ts->granted = 1;
		r.folio = ts->asked.id;
		r.memcg = ts->asked.memcg;
	}
	record_send(&r);
}

static __always_inline void grant_exit(u64 off)
{
	bool on = count_hit(PROBE_ALLOC);
	struct task_state *ts = task_get();

	if (on && (!ts || !(ts->ctx & CTX_GRANT)))
		count_lost(bpf_get_smp_processor_id(), PROBE_ALLOC);
	else if (on && !(u32)off)
		count_filtered(bpf_get_smp_processor_id(), PROBE_ALLOC);
	else if (on)
		send_grant(ts, (u32)off);
	task_leave(CTX_GRANT);
}
EXIT1(grant_exit)

/* Without that function: the folio says what it was given; it is in the swap cache by then. */
static __always_inline void alloc_folio_enter(u64 folio)
{
	struct task_state *ts = task_enter(CTX_SWAPOUT);

	if (ts)
		ts->alloc_folio = folio;
}
ENTRY1(alloc_folio_enter)

static __always_inline void alloc_folio_exit(u64 ret)
{
	bool on = count_hit(PROBE_ALLOC);
	struct task_state *ts = task_get();

	if (on && !ts)
		count_lost(bpf_get_smp_processor_id(), PROBE_ALLOC);
	else if (on && (u32)ret)
		count_filtered(bpf_get_smp_processor_id(), PROBE_ALLOC);
	else if (on)
		send_range(PROBE_ALLOC, folio_entry(ts->alloc_folio), folio_pages(ts->alloc_folio),
			   VIA_DIRECT, UNKNOWN_U32);
	task_leave(CTX_SWAPOUT);
}
EXIT1(alloc_folio_exit)

/* 6.14: the entry is the return value, a struct in one register; only a kretprobe gets it. */
static __always_inline void alloc_entry_exit(u64 entry)
{
	bool on = count_hit(PROBE_ALLOC);
	struct task_state *ts = task_get();
	u32 n = ts && ts->alloc_folio ? folio_pages(ts->alloc_folio) : 1;

	if (on && !entry)
		count_filtered(bpf_get_smp_processor_id(), PROBE_ALLOC);
	else if (on)
		send_range(PROBE_ALLOC, entry, n, VIA_DIRECT, UNKNOWN_U32);
	task_leave(CTX_SWAPOUT);
}
EXIT1(alloc_entry_exit)

/* ---- SWAPON, SWAPOFF, the end of an address space ---- */

static __always_inline bool device_read(u32 type, struct record_device *r)
{
	struct swap_info_struct *si = device_of(type);

	if (!si)
		return false;
	r->type = type;
	r->flags = KERNEL_READ(si, flags);
	r->max = KERNEL_READ(si, max);
	r->prio = KERNEL_READ(si, prio);
	return (r->flags & (SWP_USED | SWP_WRITEOK)) == (SWP_USED | SWP_WRITEOK);
}

/* An empty device shows its number nowhere on its way out: it is the one that is gone. */
static __always_inline u32 devices_on(void)
{
	struct record_device r = {};
	u32 on = 0;

	for (u32 type = 0; type < TYPES_MAX; type++)
		if (device_read(type, &r))
			on |= 1u << type;
	return on;
}

static __always_inline void send_swapoff(u32 end, u32 type, s64 ret)
{
	struct record_swapoff r = {};

	head_fill(&r.head, RECORD_SWAPOFF, end ? PROBE_SWAPOFF_END : PROBE_SWAPOFF_BEGIN);
	r.end = end;
	r.type = type;
	r.ret = ret;
	r.on = end ? devices_on() : 0;
	record_send(&r);
}

static __always_inline void swapoff_begin(struct task_state *ts, u32 type)
{
	if (!count_hit(PROBE_SWAPOFF_BEGIN))
		return;
	if (!ts || !(ts->ctx & CTX_SWAPOFF) || (ts->ctx & CTX_BEGUN)) {
		count_filtered(bpf_get_smp_processor_id(), PROBE_SWAPOFF_BEGIN);
		return;
	}
	ts->ctx |= CTX_BEGUN;
	ts->swapoff_type = type;
	send_swapoff(0, type, 0);
}

static __always_inline void swapoff_enter(void)
{
	struct task_state *ts = task_enter(CTX_SWAPOFF);

	if (ts)
		ts->swapoff_type = UNKNOWN_U32;
}
ENTRY0(swapoff_enter)

/* Where nothing below shows the device's number early enough. */
static __always_inline void swapoff_begin_enter(void)
{
	struct task_state *ts = task_enter(CTX_SWAPOFF);

	swapoff_begin(ts, UNKNOWN_U32);
}
ENTRY0(swapoff_begin_enter)

/* The first function of a swapoff that gets the device's number; it is called again on retries. */
static __always_inline void shmem_unuse_enter(u64 type)
{
	swapoff_begin(task_get(), (u32)type);
}
ENTRY1(shmem_unuse_enter)

static __always_inline void swapoff_exit(u64 ret)
{
	bool on = count_hit(PROBE_SWAPOFF_END);
	struct task_state *ts = task_get();

	if (on)
		send_swapoff(1, ts ? ts->swapoff_type : UNKNOWN_U32, (s64)ret);
	task_leave(CTX_SWAPOFF | CTX_BEGUN);
}
EXIT1(swapoff_exit)

#define PLACES_CPUS 64 /* as many as the verifier follows in a loop */

/* Where each CPU begins to scan was drawn at random by swapon. */
static __always_inline void send_places_of(u32 type, struct swap_info_struct *si)
{
	struct record_place r = {};
	u64 next = device_places(si);

	if (!next || !at.per_cpu_offset)
		return;
	head_fill(&r.head, RECORD_PLACE, PROBE_NONE);
	r.type = type;
	for (u32 cpu = 0; cpu < PLACES_CPUS && cpu < settings.cpus; cpu++) {
		r.cpu = cpu;
		r.next = read_u32(read_u64(at.per_cpu_offset + cpu * sizeof(u64)) + next);
		record_send(&r);
	}
}

/*
 * A scan that ends in another 64 MB of the device than this CPU's last one draws a random place for
 * the next. The random number is seen in the place alone, but for what the kernel cuts off then.
 */
#define TRUNK_SHIFT 14

static __always_inline u32 scan_place(struct swap_info_struct *si)
{
	u64 next;

	if (!si || !at.per_cpu_offset)
		return 0;
	next = device_places(si);
	if (!next)
		return 0;
	return read_u32(read_u64(at.per_cpu_offset + bpf_get_smp_processor_id() * sizeof(u64)) +
			next);
}

static __always_inline void scan_enter(u64 si)
{
	struct task_state *ts = task_enter(CTX_SCAN);

	if (!ts)
		return;
	ts->scan_si = si;
	ts->scan_next = scan_place((void *)si);
	ts->scan_end = 0;
}
ENTRY1(scan_enter)

static __always_inline void send_draw(struct task_state *ts, bool relative)
{
	struct swap_info_struct *si = (void *)ts->scan_si;
	struct record_draw r = {};
	u32 place = scan_place(si);

	if (!ts->scan_end || !place || !have_bounds() ||
	    ts->scan_next >> TRUNK_SHIFT == ts->scan_end >> TRUNK_SHIFT)
		return;
	head_fill(&r.head, RECORD_DRAW, PROBE_NONE);
	r.head.seq = take_seq();
	r.low = device_lowest(si);
	r.high = device_highest(si);
	if (r.low >= r.high || place < r.low)
		return;
	r.value = relative ? place - r.low : place;
	r.high = relative ? r.high - r.low : r.high;
	r.low = relative ? 0 : r.low;
	record_send(&r);
}

static __always_inline void scan_leave(bool relative)
{
	struct task_state *ts = task_get();

	if (globals.enabled && ts && ts->ctx & CTX_SCAN)
		send_draw(ts, relative);
	task_leave(CTX_SCAN);
}

/* The kernel draws below the size of the range and adds the lower end. */
static __always_inline void scan_exit(void)
{
	scan_leave(true);
}
EXIT0(scan_exit)

/* It draws between the ends. */
static __always_inline void scan_between_exit(void)
{
	scan_leave(false);
}
EXIT0(scan_between_exit)

static __always_inline void send_places(void)
{
	struct swap_info_struct *si = 0;

	if (!settings.alloc || !have_places())
		return;
	for (u32 type = 0; type < TYPES_MAX; type++) {
		si = device_of(type);
		if (si && KERNEL_READ(si, flags) & SWP_USED)
			send_places_of(type, si);
	}
}

/* A new device: all that are on are reported, the recorder knows which of them it has seen. */
static __always_inline void swapon_exit(u64 ret)
{
	struct record_device r = {};

	if (!count_hit(PROBE_SWAPON))
		return;
	head_fill(&r.head, RECORD_SWAPON, PROBE_SWAPON);
	if ((s64)ret) {
		count_filtered(r.head.cpu, PROBE_SWAPON);
		return;
	}
	r.head.probe = PROBE_NONE;
	r.head.kind = RECORD_DEVICE;
	for (u32 type = 0; type < TYPES_MAX; type++)
		if (device_read(type, &r))
			record_send(&r);
	r.head.probe = PROBE_SWAPON;
	r.head.kind = RECORD_SWAPON;
	record_send(&r);
	send_places();
}
EXIT1(swapon_exit)

/* The address of an mm_struct may come back for another address space. */
static __always_inline void mm_gone_enter(u64 mm)
{
	struct record_mm r = {};

	if (!globals.enabled)
		return;
	head_fill(&r.head, RECORD_MM_GONE, PROBE_NONE);
	r.mm = mm;
	record_send(&r);
}
ENTRY1(mm_gone_enter)

#endif
