/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_LRU_BPF_H
#define SWAPTRACE_BPF_LRU_BPF_H

/*
 * The lru group: what joins the per-CPU batches, what is moved out of them and who asked for it.
 * These functions are called very often, so nothing here keeps state per task.
 */

/* The per-CPU address of a batch, 0 where this kernel has no such batch or hides it. */
static __always_inline u64 batch_of(u32 op)
{
	if (op == OP_ROTATE && at.lru_rotate && rotate_offset() != NO_BATCH)
		return at.lru_rotate + rotate_offset();
	if (!at.cpu_fbatches || batch_offset(op) == NO_BATCH)
		return 0;
	return at.cpu_fbatches + batch_offset(op);
}

static __always_inline u64 area_of(u32 cpu)
{
	return at.per_cpu_offset ? read_u64(at.per_cpu_offset + cpu * sizeof(u64)) : 0;
}

/* The operation of a batch at a per-CPU address; UNKNOWN_U8: it is none of these. */
static __always_inline u8 op_of(u64 batch)
{
#define IS(op)                                                                                     \
	if (batch == batch_of(op))                                                                 \
		return op;
	if (!batch)
		return UNKNOWN_U8;
	IS(OP_ADD)
	IS(OP_ROTATE)
	IS(OP_DEACTIVATE_FILE)
	IS(OP_DEACTIVATE)
	IS(OP_LAZYFREE)
	IS(OP_ACTIVATE)
#undef IS
	return UNKNOWN_U8;
}

/* ---- DRAIN ---- */

static __always_inline void drain_enter(u64 unused, u64 caller)
{
	u32 zero = 0;
	u64 *slot = MAP_FIND(drain_caller, &zero);

	if (slot)
		*slot = caller;
}
ENTRY1_CALLER(drain_enter)

static __always_inline u64 drain_site(u64 caller)
{
	u32 zero = 0;
	u64 *slot = MAP_FIND(drain_caller, &zero);

	return slot && *slot && caller > at.drain && caller <= at.drain_end ? *slot : caller;
}

static __always_inline void drain_read(struct record_lru *r, u64 area, u32 op)
{
	u64 place = batch_of(op);
	struct folio_batch *b = (void *)(area + place);

	if (!place || !area)
		return;
	r->moved[op] = KERNEL_READ(b, nr);
	r->known |= 1 << op;
}

static __always_inline struct drain_state *this_drain(void)
{
	u32 zero = 0;

	return MAP_FIND(drain_under_way, &zero);
}

/* What is in the batch that interrupts add to, and when, unless an interrupt has told meanwhile. */
static __always_inline void drain_read_rotate(struct drain_state *d, u64 area)
{
	u32 before;

	for (int i = 0; i < 4; i++) {
		before = *(volatile u32 *)&d->moves;
		drain_read(&d->r, area, OP_ROTATE);
		d->r.head.t_ns = bpf_ktime_get_boot_ns();
		if (*(volatile u32 *)&d->moves == before)
			break;
	}
}

static __always_inline void drain_cpu_enter(u64 cpu, u64 caller)
{
	struct drain_state *d = this_drain();
	struct record_lru *r;
	u64 area;

	if (!d)
		return;
	r = &d->r;
	head_fill(&r->head, RECORD_LRU, PROBE_DRAIN);
	r->place = drain_site(caller);
	r->cpu = (u32)cpu;
	r->known = 0;
	area = area_of((u32)cpu);
	for (u32 op = 0; op < LRU_BATCHES_OF_CPU; op++)
		r->moved[op] = 0;
	drain_read(r, area, OP_ADD);
	drain_read(r, area, OP_DEACTIVATE_FILE);
	drain_read(r, area, OP_DEACTIVATE);
	drain_read(r, area, OP_LAZYFREE);
	drain_read(r, area, OP_ACTIVATE);
	d->open = 1;
	drain_read_rotate(d, area);
}
ENTRY1_CALLER(drain_cpu_enter)

/* The rotating batch is moved: full, by an interrupt, or else by the drain, which is done then. */
static __always_inline void drain_meets(u8 n, bool full)
{
	struct drain_state *d = this_drain();

	if (!d || !d->open)
		return;
	d->r.moved[OP_ROTATE] = full ? 0 : n;
	d->r.head.t_ns = bpf_ktime_get_boot_ns();
	d->open = full;
	d->moves++;
}

static __always_inline void drain_cpu_exit(void)
{
	struct drain_state *d = this_drain();

	if (d)
		d->open = 0;
	if (!count_hit(PROBE_DRAIN))
		return;
	if (d && d->r.head.kind == RECORD_LRU)
		record_send(&d->r);
	else
		count_lost(bpf_get_smp_processor_id(), PROBE_DRAIN);
	if (d)
		d->r.head.kind = 0;
}
EXIT0(drain_cpu_exit)

/* ---- RELEASE ---- */

#define STACK_SIZE_MASK 0x3fffull

/*
 * A batch lives on the stack of the task that uses it: task and place in the stack identify it, and
 * no kernel address leaves the machine.
 */
static __always_inline void send_release(u64 batch, u8 n, u8 drained)
{
	struct record_lru r = {};

	head_fill(&r.head, RECORD_LRU, PROBE_RELEASE);
	r.place = (u64)r.head.tid << 14 | (batch & STACK_SIZE_MASK);
	r.n = n;
	r.drained = drained;
	record_send(&r);
}

static __always_inline void release_enter(u64 batch)
{
	struct folio_batch *b = (void *)batch;

	if (count_hit(PROBE_RELEASE))
		send_release(batch, KERNEL_READ(b, nr), KERNEL_READ(b, percpu_pvec_drained));
}
ENTRY1_NUMBER(release_enter)

static __always_inline void release_pagevec_enter(u64 pagevec)
{
	struct pagevec *p = (void *)pagevec;

	if (count_hit(PROBE_RELEASE))
		send_release(pagevec, KERNEL_READ(p, nr), KERNEL_READ(p, percpu_pvec_drained));
}
ENTRY1_NUMBER(release_pagevec_enter)

/* ---- FLUSH ---- */

static __always_inline bool last_is_large(struct folio_batch *b, u8 n)
{
	u64 folio = 0;

	if (!n || n > BATCH_MAX)
		return false;
	bpf_probe_read_kernel(&folio, sizeof(folio),
			      (void *)((u64)b + MEMBER_OFFSET(struct folio_batch, folios) +
				       (n - 1) * sizeof(folio)));
	return folio && FLAG(flags_of_folio(folio), PG_head);
}

/*
 * A batch is moved because it is full, because a large folio joined it, or because it is drained;
 * in the first two cases it looks as no drained batch can look, as it would have been moved before.
 */
static __always_inline bool batch_full(struct folio_batch *b, u8 n)
{
	return n >= MEMBER_SIZE(struct folio_batch, folios) / sizeof(u64) || last_is_large(b, n);
}

static __always_inline void send_flush(u8 probe, u8 op, u8 n)
{
	struct record_lru r = {};

	head_fill(&r.head, RECORD_LRU, probe);
	r.op = op;
	r.n = n;
	record_send(&r);
}

static __always_inline void flush_batch_enter(u64 batch)
{
	struct folio_batch *b = (void *)batch;
	u32 cpu = bpf_get_smp_processor_id();
	u8 op, n;

	if (!count_hit(PROBE_FLUSH))
		return;
	op = op_of(batch - area_of(cpu));
	n = KERNEL_READ(b, nr);
	if (op == UNKNOWN_U8 || op == OP_ROTATE || !batch_full(b, n))
		count_filtered(cpu, PROBE_FLUSH);
	else
		send_flush(PROBE_FLUSH, op, n);
}
ENTRY1_NUMBER(flush_batch_enter)

/* The batch that interrupts move, too: a program that leaves other batches alone at once. */
static __always_inline void flush_rotate_enter(u64 batch)
{
	struct folio_batch *b = (void *)batch;
	u32 cpu = bpf_get_smp_processor_id();
	u64 place = batch_of(OP_ROTATE);
	bool full;
	u8 n;

	if (!count_hit(PROBE_FLUSH_ROTATE))
		return;
	if (!place || batch != area_of(cpu) + place) {
		count_filtered(cpu, PROBE_FLUSH_ROTATE);
		return;
	}
	n = KERNEL_READ(b, nr);
	full = batch_full(b, n);
	if (full)
		send_flush(PROBE_FLUSH_ROTATE, OP_ROTATE, n);
	else
		count_filtered(cpu, PROBE_FLUSH_ROTATE);
	drain_meets(n, full);
}
ENTRY1_NUMBER(flush_rotate_enter)

/* ---- LRUADD ---- */

static __always_inline void send_lruadd(u8 probe, u8 op, u64 flags)
{
	struct record_lru r = {};

	head_fill(&r.head, RECORD_LRU, probe);
	r.op = op;
	r.n = 1;
	r.large = FLAG(flags, PG_head);
	record_send(&r);
}

/* 6.12 on: all operations meet here; rotate, which interrupts do, has a program of its own. */
static __always_inline void lruadd_enter(u64 batch, u64 folio)
{
	u8 op;

	if (!count_hit(PROBE_LRUADD))
		return;
	op = op_of(batch);
	if (op == UNKNOWN_U8 || op == OP_ROTATE)
		count_filtered(bpf_get_smp_processor_id(), PROBE_LRUADD);
	else
		send_lruadd(PROBE_LRUADD, op, flags_of_folio(folio));
}
ENTRY2(lruadd_enter)

/* Before: one function each, which begins with the conditions for joining the batch. */
static __always_inline void lruadd_if(u8 probe, u8 op, u64 flags, bool joins)
{
	if (!count_hit(probe))
		return;
	if (joins)
		send_lruadd(probe, op, flags);
	else
		count_filtered(bpf_get_smp_processor_id(), probe);
}

static __always_inline void addlru_enter(u64 folio)
{
	lruadd_if(PROBE_LRUADD, OP_ADD, flags_of_folio(folio), true);
}
ENTRY1(addlru_enter)

static __always_inline void rotate_enter(u64 folio)
{
	u64 f = flags_of_folio(folio);

	lruadd_if(PROBE_LRU_ROTATE, OP_ROTATE, f,
		  !FLAG(f, PG_locked) && !FLAG(f, PG_dirty) && !FLAG(f, PG_unevictable) &&
			  FLAG(f, PG_lru));
}
ENTRY1(rotate_enter)

static __always_inline void deactivate_file_enter(u64 folio)
{
	u64 f = flags_of_folio(folio);

	lruadd_if(PROBE_LRU_DEACTIVATE_FILE, OP_DEACTIVATE_FILE, f, !FLAG(f, PG_unevictable));
}
ENTRY1(deactivate_file_enter)

static __always_inline void deactivate_enter(u64 folio)
{
	u64 f = flags_of_folio(folio);

	lruadd_if(PROBE_LRU_DEACTIVATE, OP_DEACTIVATE, f,
		  FLAG(f, PG_lru) && !FLAG(f, PG_unevictable) && FLAG(f, PG_active));
}
ENTRY1(deactivate_enter)

/* Its callers walk anonymous memory, so that is not looked at again. */
static __always_inline void lazyfree_enter(u64 folio)
{
	u64 f = flags_of_folio(folio);

	lruadd_if(PROBE_LRU_LAZYFREE, OP_LAZYFREE, f,
		  FLAG(f, PG_lru) && FLAG(f, PG_swapbacked) && !FLAG(f, PG_swapcache) &&
			  !FLAG(f, PG_unevictable));
}
ENTRY1(lazyfree_enter)

static __always_inline void activate_enter(u64 folio)
{
	u64 f = flags_of_folio(folio);

	lruadd_if(PROBE_LRU_ACTIVATE, OP_ACTIVATE, f,
		  FLAG(f, PG_lru) && !FLAG(f, PG_active) && !FLAG(f, PG_unevictable));
}
ENTRY1(activate_enter)

#endif
