/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_SWAPOUT_BPF_H
#define SWAPTRACE_BPF_SWAPOUT_BPF_H

/* The alloc group: folios that ask for slots, what they get, and what is written. */

/* ---- SWAPOUT ---- */

static __always_inline void ask_enter(u64 folio)
{
	bool on = count_hit(PROBE_SWAPOUT);
	struct task_state *ts = task_enter(CTX_ASK);
	struct record_swapout *r;

	if (!ts) {
		if (on)
			count_lost(bpf_get_smp_processor_id(), PROBE_SWAPOUT);
		return;
	}
	ts->granted = ts->searched = ts->returned = 0;
	r = &ts->asked;
	head_fill(&r->head, RECORD_SWAPOUT, PROBE_SWAPOUT);
	r->head.seq = on ? take_seq() : 0;
	r->folio = folio;
	r->id = FETCH_ADD(&globals.last_folio, 1) + 1;
	r->memcg = memcg_of_folio(folio);
	r->reclaim = ts->reclaim;
	r->order = order_of(folio_pages(folio));
	r->page_struct = TYPE_SIZE(struct page);
	if (on)
		record_send(r);
}
ENTRY1(ask_enter)

/* Slots go back inside the request: they had been given, but the memory cgroup has no more. */
static __always_inline void giveback_enter(u64 folio, u64 entry)
{
	struct task_state *ts = task_get();

	if (!ts || !(ts->ctx & CTX_ASK))
		return;
	ts->returned = 1;
	ts->returned_entry = entry;
}
ENTRY2(giveback_enter)

/* 7.0 on: the folio leaves the swap cache again. Reclaim of the search takes others out of it. */
static __always_inline void giveback_folio_enter(u64 folio)
{
	struct task_state *ts = task_get();

	if (!ts || !(ts->ctx & CTX_ASK) || ts->asked.folio != folio)
		return;
	ts->returned = 1;
	ts->returned_entry = folio_entry(folio);
}
ENTRY1(giveback_folio_enter)

/* Large folios get slots of block devices alone. */
static __always_inline void search_begin(u64 si, u32 order)
{
	struct swap_info_struct *d = (void *)si;
	struct task_state *ts = task_get();

	if (ts && (!order || KERNEL_READ(d, flags) & SWP_BLKDEV))
		ts->searched = 1;
}

static __always_inline void search_order_enter(u64 si, u64 order)
{
	search_begin(si, (u32)order);
}
ENTRY2(search_order_enter)

static __always_inline void search_folio_enter(u64 si, u64 folio)
{
	search_begin(si, folio ? order_of(folio_pages(folio)) : 0);
}
ENTRY2(search_folio_enter)

/* ---- ALLOC via=cache, ALLOCFAIL ---- */

/*
 * Slots that were given during the call have been told when the lock was held. What is left are
 * slots out of a slots cache and requests that got nothing. A cached slot that went back at once is
 * told as given before it is told as refused: the cache is one slot further.
 */
static __always_inline void send_answer(struct task_state *ts, u64 entry)
{
	struct record_answer r = {};

	r.asked = ts->asked;
	head_fill(&r.asked.head, RECORD_ANSWER, PROBE_ANSWER);
	r.asked.head.seq = take_seq();
	if (ts->returned && !ts->granted) {
		r.entry = ts->returned_entry;
		r.asked.head.flags |= RECORD_MORE;
		record_send(&r);
		r.asked.head.flags &= ~RECORD_MORE;
		r.asked.head.seq = take_seq();
	}
	r.entry = entry;
	r.reason = ts->returned	   ? ANSWER_LIMIT
		   : ts->searched  ? ANSWER_SPACE
		   : r.asked.order ? ANSWER_CONFIG
				   : ANSWER_SPACE;
	record_send(&r);
}

static __always_inline void answer(u64 entry, bool told)
{
	bool on = count_hit(PROBE_ANSWER);
	struct task_state *ts = task_get();

	if (on && (!ts || !(ts->ctx & CTX_ASK)))
		count_lost(bpf_get_smp_processor_id(), PROBE_ANSWER);
	else if (on && entry && (told || ts->granted))
		count_filtered(bpf_get_smp_processor_id(), PROBE_ANSWER);
	else if (on)
		send_answer(ts, entry);
	task_leave(CTX_ASK);
}

/* To 6.13: the entry is the return value. */
static __always_inline void answer_exit(u64 entry)
{
	answer(entry, false);
}
EXIT1(answer_exit)

/* 6.14: the hook of ALLOC tells every slot that was given. */
static __always_inline void answer_told_exit(u64 entry)
{
	answer(entry, true);
}
EXIT1(answer_told_exit)

/* 6.15 on: an error, or 0; ALLOC likewise. */
static __always_inline void answer_error_exit(u64 ret)
{
	answer(!(u32)ret, true);
}
EXIT1(answer_error_exit)

/* ---- WRITE ---- */

static __always_inline void write_enter(u64 folio)
{
	struct task_state *ts = task_get();

	if (ts)
		ts->page_write = 1;
	if (count_hit(PROBE_WRITE))
		send_range(PROBE_WRITE, folio_entry(folio), folio_pages(folio), 0, UNKNOWN_U32);
}
ENTRY1(write_enter)

/* 7.3: what gathers the writes comes first. */
static __always_inline void write_context_enter(u64 io, u64 folio)
{
	write_enter(folio);
}
ENTRY2(write_context_enter)

/* The folio may be gone when the function returns. */
static __always_inline void writepage_enter(u64 folio)
{
	struct task_state *ts = task_enter(CTX_WRITE);

	if (!ts)
		return;
	ts->page_write = 0;
	ts->write_entry = folio_entry(folio);
	ts->write_order = order_of(folio_pages(folio));
}
ENTRY1(writepage_enter)

static __always_inline void writepage_context_enter(u64 io, u64 folio)
{
	writepage_enter(folio);
}
ENTRY2(writepage_context_enter)

/* Whether the kernel keeps no more of a slot than that it is all zeroes. */
static __always_inline bool slot_zero(u64 entry)
{
	struct swap_info_struct *si = device_of(entry_type(entry));
	u64 off = entry & ENTRY_OFFSET_MASK, map, word;

	if (!si)
		return false;
	if (words_know_zero())
		return slot_word(si, off, &word) && word != WORD_BAD && word >> WORD_ZERO_BIT & 1;
	map = device_zeromap(si);
	return map && read_u64(map + off / 64 * 8) >> (off % 64) & 1;
}

static __always_inline void writepage_exit(void)
{
	bool on = count_hit(PROBE_WRITE_ZERO);
	struct task_state *ts = task_get();

	if (on && (!ts || !(ts->ctx & CTX_WRITE)))
		count_lost(bpf_get_smp_processor_id(), PROBE_WRITE_ZERO);
	else if (on && (ts->page_write || !slot_zero(ts->write_entry)))
		count_filtered(bpf_get_smp_processor_id(), PROBE_WRITE_ZERO);
	else if (on)
		send_range(PROBE_WRITE_ZERO, ts->write_entry, 1u << (ts->write_order & 15), 1,
			   UNKNOWN_U32);
	task_leave(CTX_WRITE);
}
EXIT0(writepage_exit)

#endif
