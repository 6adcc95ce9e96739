// SPDX-License-Identifier: GPL-2.0
/*
 * The readahead group: needs of swap entries, readahead calls, reads, the swap cache, references
 * and slots, and the tasks' way through the swap code that tells who asked for what.
 */
#include "state.bpf.h"
#include "probe.bpf.h"

/* A NULL or an error pointer. */
static __always_inline bool no_pointer(u64 p)
{
	return !p || p >= (u64)-4095;
}

static __always_inline u64 vma_word(u64 vma)
{
	struct vm_area_struct *v = (void *)vma;

	return KERNEL_READ(v, swap_readahead_info.counter);
}

static __always_inline void vma_fill(struct record_vma *r, u64 vma)
{
	struct vm_area_struct *v = (void *)vma;

	r->vma = vma;
	r->mm = vma ? (u64)KERNEL_READ(v, vm_mm) : 0;
	r->start = vma ? KERNEL_READ(v, vm_start) : 0;
	r->end = vma ? KERNEL_READ(v, vm_end) : 0;
	r->word = vma ? vma_word(vma) : 0;
}

/* Sends the lookup that waited for what the kernel would do about the miss. */
static __always_inline void flush_pending(struct task_state *ts, u8 bypass, u8 order)
{
	if (!(ts->ctx & CTX_PENDING))
		return;
	ts->ctx &= ~CTX_PENDING;
	ts->lookup.bypass = bypass;
	if (order)
		ts->lookup.order = order;
	record_send(&ts->lookup);
}

/* ---- who is asking ---- */

static __always_inline void fault_enter(u64 vmf)
{
	struct vm_fault *f = (void *)vmf;
	struct task_state *ts = task_enter(CTX_FAULT);

	if (!ts)
		return;
	ts->write = KERNEL_READ(f, flags) & FAULT_WRITE;
	ts->fault_vma = (u64)KERNEL_READ(f, vma);
	ts->fault_addr = KERNEL_READ(f, address);
}
ENTRY1(fault_enter)

static __always_inline void leave_and_flush(u32 ctx)
{
	struct task_state *ts = task_get();

	if (ts)
		flush_pending(ts, 0, 0);
	task_leave(ctx);
}

static __always_inline void fault_exit(void)
{
	leave_and_flush(CTX_FAULT);
}
EXIT0(fault_exit)

static __always_inline void unuse_enter(u64 vma, u64 pmd, u64 addr, u64 end, u64 type)
{
	struct task_state *ts = task_enter(CTX_UNUSE);

	if (!ts)
		return;
	ts->unuse_vma = vma;
	ts->swapoff_type = (u32)type;
}
ENTRY5(unuse_enter)

static __always_inline void unuse_exit(void)
{
	leave_and_flush(CTX_UNUSE);
}
EXIT0(unuse_exit)

static __always_inline void shmem_enter(void)
{
	task_enter(CTX_SHMEM);
}
ENTRY0(shmem_enter)

static __always_inline void shmem_exit(void)
{
	leave_and_flush(CTX_SHMEM);
}
EXIT0(shmem_exit)

/*
 * 7.0 on: a fault on a synchronous device reads into the swap cache, without a window. From 7.2 on
 * the function looks up the entry once more, which is no need of its own.
 */
static __always_inline void sync_enter(void)
{
	task_enter(CTX_DIRECT);
}
ENTRY0(sync_enter)

static __always_inline void sync_exit(void)
{
	leave_and_flush(CTX_DIRECT);
}
EXIT0(sync_exit)

/*
 * Reclaim runs inside other things, often inside the allocation of a page for readahead: what it
 * adds to the swap cache is no swap-in, though the task is inside __read_swap_cache_async.
 */
static __always_inline void reclaim_enter(void)
{
	struct task_state *ts = task_enter(CTX_RECLAIM);

	if (ts)
		ts->reclaim = FETCH_ADD(&globals.last_reclaim, 1) + 1;
	if (ts && (ts->ctx & CTX_READ))
		ts->ctx = (ts->ctx & ~CTX_READ) | CTX_OUTER_READ;
}
ENTRY0(reclaim_enter)

static __always_inline void reclaim_exit(void)
{
	struct task_state *ts = task_get();

	if (ts)
		ts->reclaim = 0;
	if (ts && (ts->ctx & CTX_OUTER_READ))
		ts->ctx = (ts->ctx & ~CTX_OUTER_READ) | CTX_READ;
	task_leave(CTX_RECLAIM);
}
EXIT0(reclaim_exit)

#define CONTEXT(name, bit)                                                                         \
	static __always_inline void name##_enter(void)                                             \
	{                                                                                          \
		task_enter(bit);                                                                   \
	}                                                                                          \
	ENTRY0(name##_enter)                                                                       \
	static __always_inline void name##_exit(void)                                              \
	{                                                                                          \
		task_leave(bit);                                                                   \
	}                                                                                          \
	EXIT0(name##_exit)

CONTEXT(swapout, CTX_SWAPOUT)
CONTEXT(cachefree, CTX_FREE)
CONTEXT(slotreclaim, CTX_RECLAIM_SLOTS)

/* One slot is not a flush: it did not wait in a cache before. */
static __always_inline void flush_enter(u64 entries, u64 n)
{
	if ((u32)n > 1)
		task_enter(CTX_FLUSH);
}
ENTRY2(flush_enter)

static __always_inline void flush_exit(void)
{
	task_leave(CTX_FLUSH);
}
EXIT0(flush_exit)

/* More than one slot of order 0 at a time: a per-CPU slots cache is filled. */
static __always_inline void refill_enter(u64 n_goal)
{
	struct task_state *ts = task_get();

	if (ts)
		ts->searched = 1;
	if ((u32)n_goal > 1)
		task_enter(CTX_REFILL);
}
ENTRY1(refill_enter)

static __always_inline void refill_exit(void)
{
	task_leave(CTX_REFILL);
}
EXIT0(refill_exit)

/* ---- LOOKUP ---- */

static __always_inline u32 references(u64 entry)
{
	struct slot s = {};

	if (!slot_read(device_of(entry_type(entry)), entry & ENTRY_OFFSET_MASK, &s))
		return UNKNOWN_U32;
	return s.count;
}

/* State of the hit counters before the lookup, to see at its exit whether it consumed a mark. */
static __always_inline void hits_remember(struct task_state *ts, u64 vma)
{
	ts->hit_cpu = bpf_get_smp_processor_id();
	if (!hit_events(ts->hit_cpu, &ts->hit_count_before))
		ts->hit_count_before = 0;
	ts->hits_before = at.hits ? read_u32(at.hits) : 0;
	ts->hit_word_before = vma ? vma_word(vma) : 0;
}

/*
 * Did the lookup consume a readahead mark? The CPU's own event counter tells exactly, other CPUs
 * count elsewhere. Without it the readahead state tells: one hit more, globally or in the VMA's
 * word (whose lowest bits are the hits).
 */
static __always_inline u8 hits_changed(struct task_state *ts, u64 vma)
{
	u64 now;

	if (hit_events(ts->hit_cpu, &now))
		return now != ts->hit_count_before;
	if (vma && (u8)vma_word(vma) % 64 > (u8)ts->hit_word_before % 64)
		return 1;
	if (at.hits)
		return read_u32(at.hits) > ts->hits_before;
	return UNKNOWN_U8;
}

static __always_inline u8 lookup_cause(u32 ctx, u64 vma)
{
	if (!vma || ctx & CTX_SHMEM)
		return CAUSE_SHMEM;
	return ctx & CTX_UNUSE ? CAUSE_SWAPOFF : CAUSE_FAULT;
}

static __always_inline void send_config(u32 page_cluster, u32 vma_ra)
{
	struct record_config r = {};

	head_fill(&r.head, RECORD_CONFIG, PROBE_NONE);
	r.page_cluster = page_cluster;
	r.vma_ra = vma_ra;
	record_send(&r);
}

/*
 * A changed sysctl gets its event before the first need, or the first readahead call, that is met
 * under it.
 */
static __always_inline void check_config(void)
{
	u32 page_cluster = at.page_cluster ? read_u32(at.page_cluster) : UNKNOWN_U32;
	u32 vma_ra = at.vma_ra ? read_bool(at.vma_ra) : UNKNOWN_U32;

	if (!globals.enabled ||
	    (page_cluster == globals.seen_page_cluster && vma_ra == globals.seen_vma_ra))
		return;
	globals.seen_page_cluster = page_cluster;
	globals.seen_vma_ra = vma_ra;
	send_config(page_cluster, vma_ra);
}

static __always_inline void lookup_start(struct task_state *ts, u64 entry, u64 vma, u64 addr)
{
	struct record_lookup *r = &ts->lookup;

	check_config();
	r->entry = entry;
	r->addr = addr;
	r->have_addr = vma && addr;
	vma_fill(&r->vma, vma);
	r->count = references(entry);
	r->cause = lookup_cause(ts->ctx, vma);
	r->write = ts->ctx & CTX_FAULT ? ts->write : UNKNOWN_U8;
	r->bypass = 0;
	r->order = 0;
	hits_remember(ts, vma);
}

/* 5.15 to 6.17: the lookup does the accounting and gets the VMA (none: shmem). */
static __always_inline void lookup_enter(u64 entry, u64 vma, u64 addr)
{
	struct task_state *ts = task_enter(CTX_LOOKUP);

	if (!ts)
		return;
	flush_pending(ts, 0, 0);
	lookup_start(ts, entry, vma, addr);
}
ENTRY3(lookup_enter)

/*
 * A miss outside swapoff waits until a read without readahead shows that it bypassed the cache, or
 * something else that it did not.
 */
static __always_inline void lookup_finish(struct task_state *ts, u32 probe, u64 folio, u8 ra,
					  bool wait_hit)
{
	struct record_lookup *r = &ts->lookup;

	head_fill(&r->head, RECORD_LOOKUP, probe);
	r->hit = !no_pointer(folio);
	r->ra = r->hit ? ra : 0;
	if (r->hit)
		r->order = order_of(folio_pages(folio));
	if ((r->cause != CAUSE_SWAPOFF || (wait_hit && !r->have_addr)) && (!r->hit || wait_hit))
		ts->ctx |= CTX_PENDING;
	else
		record_send(r);
}

static __always_inline void lookup_exit(u64 folio)
{
	bool on = count_hit(PROBE_LOOKUP);
	struct task_state *ts = task_get();

	if (on && (!ts || !(ts->ctx & CTX_LOOKUP))) {
		count_lost(bpf_get_smp_processor_id(), PROBE_LOOKUP);
		return;
	}
	if (on)
		lookup_finish(ts, PROBE_LOOKUP, folio, hits_changed(ts, ts->lookup.vma.vma), false);
	task_leave(CTX_LOOKUP);
}
EXIT1(lookup_exit)

/*
 * The lab kernel's swapoff, where it is not to look as its generation does: a lookup that leaves
 * the state of readahead alone, or none, and then nothing tells whether the entry was in the cache.
 */
static __always_inline void swapoff_lookup_enter(u64 entry, u64 vma, u64 addr)
{
	lookup_enter(entry, vma, addr);
}
ENTRY3(swapoff_lookup_enter)

static __always_inline void swapoff_lookup_exit(u64 folio)
{
	bool on = count_hit(PROBE_LOOKUP_PLAIN);
	struct task_state *ts = task_get();

	if (on && (!ts || !(ts->ctx & CTX_LOOKUP)))
		count_lost(bpf_get_smp_processor_id(), PROBE_LOOKUP_PLAIN);
	else if (on)
		lookup_finish(ts, PROBE_LOOKUP_PLAIN, folio, 0, false);
	task_leave(CTX_LOOKUP);
}
EXIT1(swapoff_lookup_exit)

static __always_inline void swapoff_need_enter(u64 entry, u64 vma, u64 addr)
{
	bool on = count_hit(PROBE_LOOKUP_NONE);
	struct task_state *ts = task_get(); /* that of the walk */

	if (!on)
		return;
	if (!ts) {
		count_lost(bpf_get_smp_processor_id(), PROBE_LOOKUP_NONE);
		return;
	}
	flush_pending(ts, 0, 0);
	lookup_start(ts, entry, vma, addr);
	head_fill(&ts->lookup.head, RECORD_LOOKUP, PROBE_LOOKUP_NONE);
	ts->lookup.hit = UNKNOWN_U8;
	ts->lookup.ra = UNKNOWN_U8;
	record_send(&ts->lookup);
}
ENTRY3(swapoff_need_enter)

/*
 * 6.18: a lookup that others use as well and that does not account. Inside a fault, a swapoff walk
 * or a shmem swap-in it is the need of an entry; below those, in other functions, it is not.
 */
#define CTX_NOT_A_NEED                                                                             \
	(CTX_READ | CTX_RECLAIM | CTX_FREE | CTX_ZAP | CTX_SWAPOUT | CTX_RECLAIM_SLOTS |           \
	 CTX_SWAPIN | CTX_CLUSTER | CTX_DIRECT)

static __always_inline void plain_lookup_enter(u64 entry)
{
	struct task_state *ts = task_get();
	u64 vma, addr;

	if (!ts || !(ts->ctx & (CTX_FAULT | CTX_UNUSE | CTX_SHMEM)) || (ts->ctx & CTX_NOT_A_NEED))
		return;
	flush_pending(ts, 0, 0);
	ts->ctx |= CTX_LOOKUP;
	vma = ts->ctx & CTX_SHMEM ? 0 : ts->ctx & CTX_UNUSE ? ts->unuse_vma : ts->fault_vma;
	addr = (ts->ctx & CTX_FAULT) && vma ? ts->fault_addr : 0;
	lookup_start(ts, entry, vma, addr);
}
ENTRY1(plain_lookup_enter)

static __always_inline void plain_lookup_exit(u64 folio)
{
	bool on = count_hit(PROBE_LOOKUP);
	struct task_state *ts = task_get();

	if (!ts || !(ts->ctx & CTX_LOOKUP)) {
		if (on)
			count_filtered(bpf_get_smp_processor_id(), PROBE_LOOKUP);
		return;
	}
	if (on) {
		/* Swapoff's hits are not accounted, and where a miss belongs is known when it is
		 * read. */
		lookup_finish(ts, PROBE_LOOKUP, folio, 0,
			      ts->lookup.cause != CAUSE_SWAPOFF || no_pointer(folio));
		/* Whether a hit consumed a mark is known after the accounting. */
		ts->accounting = ts->ctx & CTX_PENDING && ts->lookup.hit;
	}
	task_leave(CTX_LOOKUP);
}
EXIT1(plain_lookup_exit)

static __always_inline void account_enter(void)
{
	struct task_state *ts = task_get();

	if (ts && ts->ctx & CTX_PENDING && ts->accounting)
		hits_remember(ts, ts->lookup.vma.vma);
}
ENTRY0(account_enter)

static __always_inline void account_exit(void)
{
	struct task_state *ts = task_get();

	if (!ts || !(ts->ctx & CTX_PENDING) || !ts->accounting)
		return;
	ts->lookup.ra = hits_changed(ts, ts->lookup.vma.vma);
	flush_pending(ts, 0, 0);
}
EXIT0(account_exit)

/* ---- RA ---- */

static __always_inline void ra_start(struct task_state *ts, u64 entry, u8 probe)
{
	struct record_ra *r = &ts->ra;
	struct swap_info_struct *si = device_of(entry_type(entry));

	check_config();
	head_fill(&r->head, RECORD_RA, probe);
	r->entry = entry;
	r->have = 0;
	r->device_max = si ? KERNEL_READ(si, max) : 0;
	r->final = 0;
	r->burst = 0;
	r->burst_first = 0;
	r->burst_last = 0;
	r->win = 0;
	r->probed = 0;
	if (at.page_cluster) {
		r->page_cluster = read_u32(at.page_cluster);
		r->have |= RA_HAVE_CLUSTER;
	}
	ts->burst = 0;
	ts->ctx |= CTX_RA_OPEN;
}

/*
 * Every readahead for anonymous pages starts here. If cluster readahead is entered next, this was
 * not VMA readahead, and the run counts as filtered.
 */
static __always_inline void swapin_enter(u64 entry, u64 gfp, u64 vmf)
{
	bool on = count_hit(PROBE_RA_VMA);
	struct vm_fault *f = (void *)vmf;
	struct task_state *ts = task_enter(CTX_SWAPIN);

	if (!ts) {
		if (on)
			count_lost(bpf_get_smp_processor_id(), PROBE_RA_VMA);
		return;
	}
	/* The walk of swapoff asks by entry alone; only here it says for which address. */
	if (ts->ctx & CTX_PENDING && ts->lookup.entry == entry && !ts->lookup.have_addr &&
	    ts->lookup.cause == CAUSE_SWAPOFF) {
		ts->lookup.addr = KERNEL_READ(f, address);
		ts->lookup.have_addr = 1;
	}
	flush_pending(ts, 0, 0);
	if (!on)
		return;
	ra_start(ts, entry, PROBE_RA_VMA);
	vma_fill(&ts->ra.vma, (u64)KERNEL_READ(f, vma));
	ts->ra.addr = KERNEL_READ(f, address);
	ts->ra.have_addr = 1;
	ts->ra.vma_mode = 1;
	ts->ra.word_after = 0;
}
ENTRY3(swapin_enter)

static __always_inline void cluster_state(struct record_ra *r)
{
	if (at.hits) {
		r->hits = read_u32(at.hits);
		r->have |= RA_HAVE_HITS;
	}
	if (at.prev_offset) {
		r->prev = read_u64(at.prev_offset);
		r->have |= RA_HAVE_PREV;
	}
	if (at.last_pages) {
		r->last = read_u32(at.last_pages);
		r->have |= RA_HAVE_LAST;
	}
}

static __always_inline void cluster_enter(u64 entry)
{
	bool on = count_hit(PROBE_RA_CLUSTER);
	struct task_state *ts = task_enter(CTX_CLUSTER);

	if (!ts) {
		if (on)
			count_lost(bpf_get_smp_processor_id(), PROBE_RA_CLUSTER);
		return;
	}
	flush_pending(ts, 0, 0);
	if (ts->ctx & CTX_SWAPIN) {
		if (ts->ctx & CTX_RA_OPEN)
			count_filtered(ts->ra.head.cpu, PROBE_RA_VMA);
	} else {
		vma_fill(&ts->ra.vma, 0);
		ts->ra.have_addr = 0;
	}
	ts->ctx &= ~CTX_RA_OPEN;
	if (!on)
		return;
	ra_start(ts, entry, PROBE_RA_CLUSTER);
	ts->ra.vma_mode = 0;
	cluster_state(&ts->ra);
}
ENTRY1(cluster_enter)

/* Kernels whose compiler kept the sizing functions: the window as it was returned. */
static __always_inline void window_returned(u64 pages, bool vma_mode)
{
	struct task_state *ts = task_get();

	if (!ts || !(ts->ctx & CTX_RA_OPEN) || ts->ra.vma_mode != vma_mode)
		return;
	ts->ra.probed = (u32)pages;
	ts->ra.have |= RA_HAVE_PROBE;
}

static __always_inline void window_exit(u64 pages)
{
	window_returned(pages, false);
}
EXIT1(window_exit)

static __always_inline void vma_window_exit(u64 pages)
{
	window_returned(pages, true);
}
EXIT1(vma_window_exit)

/*
 * At the first entry that a readahead call asks for, its window has been decided and nothing slept
 * since: the only moment at which the kernel's variables tell it. At the call's exit other tasks
 * have been there.
 */
static __always_inline void ra_window(struct task_state *ts)
{
	struct record_ra *r = &ts->ra;

	if (r->vma_mode) {
		r->word_after = vma_word(r->vma.vma);
		r->have |= RA_HAVE_WIN;
	} else if (at.last_pages) {
		r->win = read_u32(at.last_pages);
		r->have |= RA_HAVE_WIN;
	}
	if (!(r->have & (RA_HAVE_WIN | RA_HAVE_PROBE)))
		return; /* nothing but the burst will tell */
	ts->ctx &= ~CTX_RA_OPEN;
	record_send(r);
}

static __always_inline void read_enter(u64 entry)
{
	struct task_state *ts = task_enter(CTX_READ);
	u64 off = entry & ENTRY_OFFSET_MASK;

	if (!ts || !(ts->ctx & CTX_RA) || (ts->ctx & CTX_RECLAIM))
		return;
	if (ts->ctx & CTX_RA_OPEN && !ts->burst)
		ra_window(ts);
	if (!ts->burst)
		ts->ra.burst_first = off;
	else
		/* The last call asks for the needed entry once more, so the one before counts. */
		ts->ra.burst_last = ts->asked_before;
	ts->asked_before = off;
	ts->burst++;
}
ENTRY1(read_enter)

/* 7.3: what gathers the reads comes first. */
static __always_inline void read_context_enter(u64 io, u64 entry)
{
	read_enter(entry);
}
ENTRY2(read_context_enter)

static __always_inline void read_exit(void)
{
	task_leave(CTX_READ);
}
EXIT0(read_exit)

/*
 * The burst of calls is an independent witness of the window: all slots of the aligned block, then
 * the needed one once more; or that one alone.
 */
static __always_inline void check_burst(struct task_state *ts)
{
	struct record_ra *r = &ts->ra;
	u64 off = r->entry & ENTRY_OFFSET_MASK;
	u64 mask = (r->have & RA_HAVE_PROBE ? r->probed : r->win) - 1;
	u64 first = off & ~mask, last = off | mask;

	if (r->have & RA_HAVE_CLUSTER && !r->page_cluster)
		mask = 0;
	if (!first)
		first = 1;
	if (r->device_max && last >= r->device_max)
		last = r->device_max - 1;
	ADD(&globals.burst_checked, 1);
	if (ts->burst != (mask ? last - first + 2 : 1))
		ADD(&globals.burst_mismatch, 1);
}

static __always_inline void ra_exit(u32 ctx)
{
	struct task_state *ts = task_get();

	if (ts && ts->ctx & CTX_RA_OPEN) {
		ts->ctx &= ~CTX_RA_OPEN;
		ts->ra.final = 1;
		ts->ra.burst = ts->burst;
		record_send(&ts->ra);
	} else if (ts && ts->burst && !ts->ra.vma_mode && globals.enabled) {
		check_burst(ts);
	}
	if (ts)
		ts->burst = 0;
	task_leave(ctx);
}

static __always_inline void cluster_exit(void)
{
	ra_exit(CTX_CLUSTER);
}
EXIT0(cluster_exit)

static __always_inline void swapin_exit(void)
{
	ra_exit(CTX_SWAPIN);
}
EXIT0(swapin_exit)

/* ---- READ ---- */

static __always_inline void readio_enter(u64 folio)
{
	bool on = count_hit(PROBE_READ);
	struct task_state *ts = task_get();
	u64 entry = folio_entry(folio);
	u32 n = folio_pages(folio);
	u8 cause = UNKNOWN_U8;

	if (ts && ts->ctx & CTX_RA) {
		cause = entry == ts->ra.entry ? 0 : 1;
	} else if (ts && ts->ctx & CTX_DIRECT) {
		flush_pending(ts, 0, order_of(n));
		cause = 0;
	} else if (ts && ts->ctx & (CTX_FAULT | CTX_SHMEM)) {
		flush_pending(ts, 1, order_of(n));
		cause = 2;
	}
	if (ts)
		ts->read_folio = folio;
	if (on)
		send_range(PROBE_READ, entry, n, cause, UNKNOWN_U32);
}
ENTRY1(readio_enter)

static __always_inline void readio_context_enter(u64 io, u64 folio)
{
	readio_enter(folio);
}
ENTRY2(readio_context_enter)

/* Only what is needed: this is also called by interrupts, on behalf of nobody. */
static __always_inline void send_read_end(u8 probe, u64 folio, u32 flags)
{
	struct record_read_end r = {};

	r.head.t_ns = bpf_ktime_get_boot_ns();
	r.head.cpu = bpf_get_smp_processor_id();
	r.head.kind = RECORD_READ_END;
	r.head.probe = probe;
	r.head.flags = flags;
	r.entry = folio_entry(folio);
	record_send(&r);
}

/*
 * Synchronous devices, zero-filled and compressed pages are finished when the reading function
 * returns: the page, which was not up to date before, is. Its reader still holds a reference.
 */
static __always_inline void readio_exit(void)
{
	bool on = count_hit(PROBE_READ_RETURN);
	struct task_state *ts = task_get();
	u64 folio = ts ? ts->read_folio : 0;

	if (ts)
		ts->read_folio = 0;
	if (!on)
		return;
	if (folio && FLAG(flags_of_folio(folio), PG_uptodate))
		send_read_end(PROBE_READ_RETURN, folio, 0);
	else
		count_filtered(bpf_get_smp_processor_id(), PROBE_READ_RETURN);
}
EXIT0(readio_exit)

/* Elsewhere the device tells. The page is locked until behind this, so its entry still holds. */
static __always_inline void readend_enter(u64 bio)
{
	struct bio *b = (void *)bio;
	struct bio_vec *first;

	if (!count_hit(PROBE_READ_END))
		return;
	first = KERNEL_READ(b, bi_io_vec);
	if (KERNEL_READ(b, bi_status))
		count_filtered(bpf_get_smp_processor_id(), PROBE_READ_END);
	else
		send_read_end(PROBE_READ_END, (u64)KERNEL_READ(first, bv_page), 0);
}
ENTRY1(readend_enter)

/* 7.3: reads of slots in a row are one. */
static __always_inline void readend_all_enter(u64 iocb, u64 failed)
{
	u32 n = iocb_pages(iocb);

	if (!count_hit(PROBE_READ_END))
		return;
	if (failed & 1 || !n) {
		count_filtered(bpf_get_smp_processor_id(), PROBE_READ_END);
		return;
	}
	for (u32 i = 0; i < IOCB_PAGES && i < n; i++)
		send_read_end(PROBE_READ_END, iocb_page(iocb, i), i ? RECORD_MORE : 0);
}
ENTRY2_NUMBER(readend_all_enter)

/* ---- CACHE, UNCACHE ---- */

enum { BY_SWAPOUT, BY_SWAPIN, BY_FREE, BY_RECLAIM, BY_SWAPOFF };

static __always_inline void cacheadd_enter(u64 folio, u64 entry)
{
	struct task_state *ts = task_enter(0);

	if (!ts)
		return;
	ts->cache_folio = folio;
	ts->cache_entry = entry;
}
ENTRY2(cacheadd_enter)

static __always_inline void cacheadd_done(u64 ret)
{
	bool on = count_hit(PROBE_CACHE);
	struct task_state *ts = task_get();

	if (!on)
		return;
	if (!ts) {
		count_lost(bpf_get_smp_processor_id(), PROBE_CACHE);
	} else if (ret) {
		count_filtered(bpf_get_smp_processor_id(), PROBE_CACHE);
	} else {
		send_range(PROBE_CACHE, ts->cache_entry, folio_pages(ts->cache_folio),
			   ts->ctx & CTX_READ ? BY_SWAPIN : BY_SWAPOUT, UNKNOWN_U32);
	}
}

static __always_inline void cacheadd_exit(u64 ret)
{
	cacheadd_done((u32)ret);
	task_leave(0);
}
EXIT1(cacheadd_exit)

/* 6.18: the function returns nothing and can't fail. */
static __always_inline void cacheadd_void_exit(void)
{
	cacheadd_done(0);
	task_leave(0);
}
EXIT0(cacheadd_void_exit)

/* 7.0 on: the slot's cluster is locked. Slots that are given enter the cache at once, all else
 * comes in by reading. */
static __always_inline void cacheadd_ci_enter(u64 ci, u64 folio, u64 entry)
{
	if (count_hit(PROBE_CACHE))
		send_range(PROBE_CACHE, entry, folio_pages(folio),
			   task_ctx() & (CTX_SWAPOUT | CTX_GRANT) ? BY_SWAPOUT : BY_SWAPIN,
			   UNKNOWN_U32);
}
ENTRY3(cacheadd_ci_enter)

static __always_inline u8 uncache_by(u32 ctx)
{
	if (ctx & (CTX_RECLAIM | CTX_RECLAIM_SLOTS))
		return BY_RECLAIM;
	if (ctx & (CTX_SWAPOFF | CTX_UNUSE))
		return BY_SWAPOFF;
	if (ctx & (CTX_FREE | CTX_ZAP))
		return BY_FREE;
	return ctx & (CTX_FAULT | CTX_SHMEM) ? BY_SWAPIN : BY_FREE;
}

static __always_inline void uncache_enter(u64 folio, u64 entry)
{
	if (count_hit(PROBE_UNCACHE))
		send_range(PROBE_UNCACHE, entry, folio_pages(folio), uncache_by(task_ctx()),
			   UNKNOWN_U32);
}
ENTRY2(uncache_enter)

/* 6.18: the cluster comes first. */
static __always_inline void uncache_ci_enter(u64 ci, u64 folio, u64 entry)
{
	uncache_enter(folio, entry);
}
ENTRY3(uncache_ci_enter)

#include "slots.bpf.h"
#include "swapout.bpf.h"
#include "lru.bpf.h"

/* ---- what the recorder asks for ---- */

struct snapshot_walk {
	struct swap_info_struct *si;
	u64 from;
};

/* A slot as swap_map had it. */
static __always_inline u8 slot_byte(const struct slot *s)
{
	u32 count = s->count < MAP_BAD ? s->count : MAP_BAD - 1;

	return s->bad ? MAP_BAD
		      : count | (s->cached ? MAP_CACHED : 0) |
				(s->count == UNKNOWN_U32 ? MAP_CONTINUED : 0);
}

LOOP_STEP(snapshot_step, struct snapshot_walk)
{
	u32 zero = 0;
	u8 *to = MAP_FIND(chunk, &zero);
	struct slot s = {};

	if (!to)
		return 1;
	slot_read(w->si, w->from + i, &s);
	to[i & (SNAPSHOT_CHUNK - 1)] = slot_byte(&s);
	return 0;
}

static __always_inline u32 snapshot_of_words(struct swap_info_struct *si, u64 from, u32 len)
{
	struct snapshot_walk w = { .si = si, .from = from };

	if (!have_map() && !words_count())
		return 0;
	LOOP(len, snapshot_step, &w);
	return len;
}

PROGRAM_SYSCALL
int snapshot(struct snapshot_args *a)
{
	u32 zero = 0;
	u64 len = a->len, from = a->from, max; /* of 64 bits, so that the verifier follows */
	struct swap_info_struct *si = device_of(a->type);
	u8 *to = MAP_FIND(chunk, &zero);
	u64 map;

	a->got = 0;
	a->t_ns = bpf_ktime_get_boot_ns();
	if (!si || !to)
		return 0;
	max = KERNEL_READ(si, max);
	if (from >= max)
		return 0;
	if (len > max - from)
		len = max - from;
	if (len > SNAPSHOT_CHUNK)
		len = SNAPSHOT_CHUNK;
	if (have_table()) {
		a->got = snapshot_of_words(si, from, len);
		return 0;
	}
	map = device_map(si);
	if (map && !bpf_probe_read_kernel(to, len, (void *)(map + from)))
		a->got = len;
	return 0;
}

#include "clusters.bpf.h"

PROGRAM_SYSCALL
int device(struct device_args *a)
{
	struct record_device r = {};

	a->used = device_read(a->type, &r);
	a->flags = r.flags;
	a->max = r.max;
	a->prio = r.prio;
	return 0;
}

PROGRAM_SYSCALL
int state(struct state_args *a)
{
	struct record_ra r = {};

	a->t_ns = bpf_ktime_get_boot_ns();
	cluster_state(&r);
	a->hits = r.hits;
	a->prev = r.prev;
	a->last = r.last;
	a->have = r.have;
	a->page_cluster = at.page_cluster ? read_u32(at.page_cluster) : UNKNOWN_U32;
	a->vma_ra = at.vma_ra ? read_bool(at.vma_ra) : UNKNOWN_U32;
	a->rotational = at.nr_rotate_swap ? read_u32(at.nr_rotate_swap) : UNKNOWN_U32;
	globals.seen_page_cluster = a->page_cluster;
	globals.seen_vma_ra = a->vma_ra;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
