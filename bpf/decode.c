// SPDX-License-Identifier: GPL-2.0
#include "bpf/decode.h"

#include <errno.h>
#include <string.h>

int decoder_init(struct decoder *d, uint32_t page_size)
{
	memset(d, 0, sizeof(*d));
	d->page_size = page_size;
	d->swapon_type = TYPES_MAX;
	d->vmas = vma_table_new();
	return d->vmas ? 0 : -ENOMEM;
}

void decoder_free(struct decoder *d)
{
	vma_table_free(d->vmas);
	d->vmas = NULL;
}

/* ---- arithmetic ---- */

void decode_cluster_window(uint32_t pages, uint64_t off, uint64_t device_max, uint64_t *start,
			   uint64_t *end)
{
	uint64_t mask = pages ? (uint64_t)pages - 1 : 0;

	*start = off & ~mask;
	*end = (off | mask) + 1;
	if (!mask)
		return;
	if (!*start)
		*start = 1;
	if (device_max && *end > device_max)
		*end = device_max;
}

uint32_t decode_burst(uint64_t off, uint32_t n, uint64_t first, uint64_t last, uint64_t device_max)
{
	if (n <= 1)
		return n;
	for (uint32_t pages = 2; pages && pages <= 1u << 30; pages <<= 1) {
		uint64_t start, end;

		decode_cluster_window(pages, off, device_max, &start, &end);
		if (start == first && end == last + 1)
			return pages;
		if (end > last + 1 && start < first)
			break;
	}
	return 0;
}

void decode_vma_window(uint32_t pages, uint64_t addr, uint64_t before, uint64_t vma_start,
		       uint64_t vma_end, uint32_t page_size, uint64_t *start, uint64_t *end)
{
	uint64_t size = page_size;
	uint64_t table = size * (size / 8); /* what one page of PTEs maps */
	uint64_t low = addr & ~(table - 1), high = low + table;

	if (pages <= 1) {
		*start = addr;
		*end = addr + size;
		return;
	}
	if (addr == before + size)
		*start = addr;
	else if (before == addr + size)
		*start = addr - (pages - 1) * size;
	else
		*start = addr - (pages - 1) / 2 * size;
	if (*start > addr)
		*start = 0;
	*end = *start + pages * size;
	if (*start < vma_start)
		*start = vma_start;
	if (*start < low)
		*start = low;
	if (*end > vma_end)
		*end = vma_end;
	if (*end > high)
		*end = high;
}

uint32_t decode_device_flags(uint64_t flags)
{
	uint32_t out = flags & SWP_SOLIDSTATE ? DEVICE_SSD : DEVICE_ROTATIONAL;

	if (flags & SWP_SYNCHRONOUS_IO)
		out |= DEVICE_SYNC_IO;
	out |= flags & SWP_BLKDEV ? DEVICE_BLKDEV : DEVICE_FILE;
	if (flags & SWP_DISCARDABLE)
		out |= DEVICE_DISCARD;
	return out;
}

static bool slot_used(uint8_t byte)
{
	/* The header and bad blocks are not used by anybody. */
	return byte && byte != MAP_BAD;
}

int decode_slots(const uint8_t *map, size_t len, uint64_t from,
		 int (*run)(void *arg, uint64_t off, uint64_t n, uint32_t count, bool cached),
		 void *arg)
{
	size_t i = 0;

	while (i < len) {
		uint8_t byte = map[i];
		size_t begin = i;
		int err;

		while (i < len && map[i] == byte)
			i++;
		if (!slot_used(byte))
			continue;
		err = run(arg, from + begin, i - begin,
			  byte == MAP_SHMEM ? 1 : byte & MAP_COUNT_MASK,
			  byte != MAP_SHMEM && byte & MAP_CACHED);
		if (err)
			return err;
	}
	return 0;
}

/* ---- records ---- */

static void head_event(struct decoder *d, struct event *ev, enum event_type type,
		       const struct record *r)
{
	event_init(ev, type, r->t_ns);
	ev->cpu = r->cpu;
	ev->tgid = (int32_t)r->tgid;
	ev->comm = d->string(d->arg, r->comm, strnlen(r->comm, COMM_LEN));
	if (r->tid != r->tgid)
		event_set(ev, KEY_TID, r->tid);
	if (r->seq)
		event_set(ev, KEY_SEQ, r->seq);
	if (r->flags & RECORD_FILTERED)
		event_set(ev, KEY_FILTERED, 1);
	if (d->self && r->tgid == d->self)
		event_set(ev, KEY_SELF, 1);
}

/* Device and slot; a slot that can't be is not written, and counted. */
static void set_entry(struct decoder *d, struct event *ev, unsigned int type_key,
		      unsigned int off_key, uint64_t entry)
{
	uint64_t type = entry >> ENTRY_TYPE_SHIFT, off = entry & ENTRY_OFFSET_MASK;

	event_set(ev, type_key, type);
	d->offsets++;
	d->nonzero_offsets += off != 0;
	if (type < TYPES_MAX && d->devices[type].max && off >= d->devices[type].max)
		d->odd_offsets++;
	else
		event_set(ev, off_key, off);
}

static uint64_t vma_id(struct decoder *d, const struct record_vma *v)
{
	return vma_table_id(d->vmas, v->vma, v->mm, v->start, v->word);
}

static int decode_lookup(struct decoder *d, const struct record_lookup *r)
{
	struct event ev;

	head_event(d, &ev, EV_LOOKUP, &r->head);
	set_entry(d, &ev, LOOKUP_TYPE, LOOKUP_OFF, r->entry);
	event_set(&ev, LOOKUP_CAUSE, r->cause);
	if (r->vma.vma) {
		uint64_t id = vma_id(d, &r->vma);

		if (id)
			event_set(&ev, LOOKUP_VMA, id);
		event_set(&ev, LOOKUP_VMA_START, r->vma.start);
		event_set(&ev, LOOKUP_VMA_END, r->vma.end);
	}
	if (r->have_addr)
		event_set(&ev, LOOKUP_ADDR, r->addr);
	if (r->hit || r->bypass || r->order)
		event_set(&ev, LOOKUP_ORDER, r->order);
	if (r->count != UNKNOWN_U32)
		event_set(&ev, LOOKUP_COUNT, r->count);
	if (r->write != UNKNOWN_U8)
		event_set(&ev, LOOKUP_WRITE, r->write);
	if (r->hit != UNKNOWN_U8)
		event_set(&ev, LOOKUP_HIT, r->hit);
	if (r->ra != UNKNOWN_U8)
		event_set(&ev, LOOKUP_RA, r->ra);
	if (r->bypass)
		event_set(&ev, LOOKUP_BYPASS, 1);
	return d->event(d->arg, &ev, r->head.cpu, r->head.probe);
}

static void set_ret(struct event *ev, uint32_t pages, enum ra_how how)
{
	event_set(ev, RA_RET, pages);
	event_set(ev, RA_HOW, how);
}

/* Where the function that returns the window was probed, that counts; the derived one stands beside
 * it. */
static void set_window(struct event *ev, const struct record_ra *r, bool known, uint32_t derived)
{
	if (r->have & RA_HAVE_PROBE) {
		set_ret(ev, r->probed, RA_PROBED);
		if (known)
			event_set(ev, RA_DERIVED, derived);
	} else if (known) {
		set_ret(ev, derived, RA_STATE);
	}
}

/* The window as the best witness tells it; false: unknown. */
static bool cluster_pages(const struct record_ra *r, uint64_t off, struct event *ev)
{
	uint32_t burst;

	if (r->have & RA_HAVE_CLUSTER && !r->page_cluster)
		set_window(ev, r, true, 1); /* readahead is off, its state is not touched */
	else
		set_window(ev, r, r->have & RA_HAVE_WIN, r->win);
	if (!event_has(ev, RA_RET) && r->final) {
		burst = decode_burst(off, r->burst, r->burst_first, r->burst_last, r->device_max);
		if (burst)
			set_ret(ev, burst, RA_BURST);
	}
	return event_has(ev, RA_RET);
}

static void decode_cluster_ra(const struct record_ra *r, struct event *ev)
{
	uint64_t off = r->entry & ENTRY_OFFSET_MASK, start, end;

	event_set(ev, RA_MODE, RA_CLUSTER);
	if (r->have & RA_HAVE_HITS)
		event_set(ev, RA_HITS, r->hits);
	if (r->have & RA_HAVE_PREV)
		event_set(ev, RA_PREV, r->prev);
	if (r->have & RA_HAVE_LAST)
		event_set(ev, RA_LAST, r->last);
	if (!cluster_pages(r, off, ev))
		return;
	decode_cluster_window((uint32_t)ev->v[RA_RET], off, r->device_max, &start, &end);
	event_set(ev, RA_START, start);
	event_set(ev, RA_END, end);
}

/*
 * The VMA's word: hits in the low bits, window above them (half of the bits of a page offset each),
 * page address on top. A word of 0 is a VMA without history and is read as 4 hits.
 */
static void decode_vma_ra(struct decoder *d, const struct record_ra *r, struct event *ev)
{
	uint64_t page = d->page_size, in_page = page - 1;
	uint64_t half = 1ull << (__builtin_ctzll(page) / 2);
	uint64_t word = r->vma.word ? r->vma.word : 4;
	uint64_t before = word & ~in_page, addr = r->addr & ~in_page, start, end;

	event_set(ev, RA_MODE, RA_VMA_MODE);
	event_set(ev, RA_HITS, word & (half - 1));
	event_set(ev, RA_LAST, (word & in_page) / half);
	event_set(ev, RA_PREV, before / page);
	if (r->have & RA_HAVE_CLUSTER && !r->page_cluster)
		set_window(ev, r, true, 1);
	else /* the word has another address where another thread has been there meanwhile */
		set_window(ev, r, r->have & RA_HAVE_WIN && (r->word_after & ~in_page) == addr,
			   (uint32_t)((r->word_after & in_page) / half));
	if (!event_has(ev, RA_RET))
		return;
	decode_vma_window((uint32_t)ev->v[RA_RET], addr, before, r->vma.start, r->vma.end,
			  d->page_size, &start, &end);
	event_set(ev, RA_START, start);
	event_set(ev, RA_END, end);
}

static int decode_ra(struct decoder *d, const struct record_ra *r)
{
	struct event ev;

	head_event(d, &ev, EV_RA, &r->head);
	set_entry(d, &ev, RA_TYPE, RA_OFF, r->entry);
	if (r->have_addr)
		event_set(&ev, RA_ADDR, r->addr);
	if (r->vma.vma) {
		uint64_t id = vma_id(d, &r->vma);

		if (id)
			event_set(&ev, RA_VMA, id);
	}
	if (r->vma_mode)
		decode_vma_ra(d, r, &ev);
	else
		decode_cluster_ra(r, &ev);
	if (r->vma_mode && r->have & RA_HAVE_WIN)
		vma_table_word(d->vmas, r->vma.vma, r->word_after);
	return d->event(d->arg, &ev, r->head.cpu, r->head.probe);
}

/* What a row of slots means, by the probe that sent it; false: nothing. */
static bool range_kind(unsigned int probe, enum event_type *type, unsigned int *what)
{
	static const struct {
		enum event_type type;
		unsigned int what;
	} kinds[PROBE_NR] = {
		[PROBE_READ] = { EV_READ, READ_CAUSE },
		[PROBE_CACHE] = { EV_CACHE, CACHE_BY },
		[PROBE_UNCACHE] = { EV_UNCACHE, CACHE_BY },
		[PROBE_UNREF_SWAPIN] = { EV_UNREF, UNREF_HOW },
		[PROBE_UNREF_ZAP] = { EV_UNREF, UNREF_HOW },
		[PROBE_FREE] = { EV_FREE, FREE_CAUSE },
		[PROBE_ALLOC] = { EV_ALLOC, ALLOC_VIA },
		[PROBE_WRITE] = { EV_WRITE, WRITE_ZERO },
		[PROBE_WRITE_ZERO] = { EV_WRITE, WRITE_ZERO },
	};

	if (probe >= PROBE_NR || !kinds[probe].what)
		return false;
	*type = kinds[probe].type;
	*what = kinds[probe].what;
	return true;
}

static void set_range(struct decoder *d, struct event *ev, const struct record_range *r)
{
	switch (ev->type) {
	case EV_ALLOC:
		set_entry(d, ev, ALLOC_TYPE, ALLOC_OFF, r->entry);
		event_set(ev, ALLOC_ORDER, r->order);
		event_set(ev, ALLOC_N, r->n);
		if (r->folio)
			event_set(ev, ALLOC_FOLIO, r->folio);
		if (r->memcg)
			event_set(ev, ALLOC_MEMCG, r->memcg);
		break;
	case EV_WRITE:
		set_entry(d, ev, WRITE_TYPE, WRITE_OFF, r->entry);
		event_set(ev, WRITE_ORDER, r->order);
		break;
	default:
		set_entry(d, ev, READ_TYPE, READ_OFF, r->entry);
		event_set(ev, READ_N, r->n);
	}
}

static int decode_range(struct decoder *d, const struct record_range *r)
{
	enum event_type type;
	unsigned int what;
	struct event ev;

	if (!range_kind(r->head.probe, &type, &what)) {
		d->bad_records++;
		return 0;
	}
	head_event(d, &ev, type, &r->head);
	set_range(d, &ev, r);
	if (r->what != UNKNOWN_U8)
		event_set(&ev, what, r->what);
	if (type == EV_UNREF && r->left != UNKNOWN_U32)
		event_set(&ev, UNREF_LEFT, r->left);
	return d->event(d->arg, &ev, r->head.cpu,
			r->head.flags & RECORD_MORE ? PROBE_NONE : r->head.probe);
}

/* type, off and n stand first in all events of decode_range() but ALLOC and WRITE. */
_Static_assert((int)READ_TYPE == (int)CACHE_TYPE && (int)READ_OFF == (int)CACHE_OFF &&
		       (int)READ_N == (int)CACHE_N,
	       "CACHE");
_Static_assert((int)READ_TYPE == (int)UNREF_TYPE && (int)READ_OFF == (int)UNREF_OFF &&
		       (int)READ_N == (int)UNREF_N,
	       "UNREF");
_Static_assert((int)READ_TYPE == (int)FREE_TYPE && (int)READ_OFF == (int)FREE_OFF &&
		       (int)READ_N == (int)FREE_N,
	       "FREE");

/* ---- requests ---- */

/*
 * The request that failed for the large folio which this page was a part of; 0: none. Only inside
 * one call of reclaim: later the page may be part of something else.
 */
static uint64_t split_of(const struct decoder *d, const struct record_swapout *r)
{
	unsigned int n = d->nsplits < SPLITS_KEPT ? d->nsplits : SPLITS_KEPT;

	if (r->order || !r->reclaim)
		return 0;
	for (unsigned int i = 1; i <= n; i++) {
		const struct split_folio *s = &d->splits[(d->nsplits - i) % SPLITS_KEPT];

		if (s->reclaim == r->reclaim && r->folio >= s->from && r->folio < s->to)
			return s->id;
	}
	return 0;
}

static int decode_swapout(struct decoder *d, const struct record_swapout *r)
{
	uint64_t split = split_of(d, r);
	struct event ev;

	head_event(d, &ev, EV_SWAPOUT, &r->head);
	event_set(&ev, SWAPOUT_ORDER, r->order);
	event_set(&ev, SWAPOUT_FOLIO, r->id);
	if (split)
		event_set(&ev, SWAPOUT_SPLIT_OF, split);
	if (r->memcg)
		event_set(&ev, SWAPOUT_MEMCG, r->memcg);
	return d->event(d->arg, &ev, r->head.cpu, r->head.probe);
}

static int decode_answer(struct decoder *d, const struct record_answer *r)
{
	const struct record_swapout *asked = &r->asked;
	struct event ev;

	head_event(d, &ev, r->entry ? EV_ALLOC : EV_ALLOCFAIL, &asked->head);
	event_set(&ev, ALLOC_ORDER, asked->order);
	event_set(&ev, ALLOC_FOLIO, asked->id);
	if (asked->memcg)
		event_set(&ev, ALLOC_MEMCG, asked->memcg);
	if (r->entry) {
		set_entry(d, &ev, ALLOC_TYPE, ALLOC_OFF, r->entry);
		event_set(&ev, ALLOC_N, 1);
		event_set(&ev, ALLOC_VIA, VIA_CACHE);
	} else {
		event_set(&ev, ALLOC_REASON, r->reason);
		if (asked->order && asked->order < 32)
			d->splits[d->nsplits++ % SPLITS_KEPT] = (struct split_folio){
				.from = asked->folio,
				.to = asked->folio + ((uint64_t)asked->page_struct << asked->order),
				.id = asked->id,
				.reclaim = asked->reclaim,
			};
	}
	return d->event(d->arg, &ev, asked->head.cpu,
			asked->head.flags & RECORD_MORE ? PROBE_NONE : asked->head.probe);
}

_Static_assert((int)ANSWER_SPACE == (int)REASON_SPACE && (int)ANSWER_LIMIT == (int)REASON_LIMIT &&
		       (int)ANSWER_CONFIG == (int)REASON_CONFIG,
	       "reasons");

/* Of the device that has just come; the others go on where they are. */
static int decode_place(struct decoder *d, const struct record_place *r)
{
	struct event ev;

	if (r->type != d->swapon_type)
		return 0;
	head_event(d, &ev, EV_PCPU, &r->head);
	event_set(&ev, KEY_CPU, r->cpu);
	event_set(&ev, PCPU_TYPE, r->type);
	event_set(&ev, PCPU_NEXT, r->next);
	return d->event(d->arg, &ev, r->head.cpu, PROBE_NONE);
}

static int decode_draw(struct decoder *d, const struct record_draw *r)
{
	struct event ev;

	head_event(d, &ev, EV_RNG, &r->head);
	event_set(&ev, RNG_VALUE, r->value);
	event_set(&ev, RNG_LOW, r->low);
	event_set(&ev, RNG_HIGH, r->high);
	return d->event(d->arg, &ev, r->head.cpu, PROBE_NONE);
}

/* ---- per-CPU batches ---- */

static void set_drain(struct decoder *d, struct event *ev, const struct record_lru *r)
{
	static const unsigned int keys[LRU_BATCHES_OF_CPU] = {
		[LRU_ADD] = DRAIN_ADD,
		[LRU_ROTATE] = DRAIN_ROTATE,
		[LRU_DEACTIVATE_FILE] = DRAIN_DEACTIVATE_FILE,
		[LRU_DEACTIVATE] = DRAIN_DEACTIVATE,
		[LRU_LAZYFREE] = DRAIN_LAZYFREE,
		[LRU_ACTIVATE] = DRAIN_ACTIVATE,
	};
	const char *site;
	size_t len = 0;

	site = d->site ? d->site(d->arg, r->place, &len) : NULL;
	if (site)
		event_set(ev, DRAIN_SITE, d->string(d->arg, site, len));
	for (unsigned int op = 0; op < LRU_BATCHES_OF_CPU; op++)
		if (r->known >> op & 1)
			event_set(ev, keys[op], r->moved[op]);
	if (r->cpu != r->head.cpu)
		event_set(ev, KEY_CPU, r->cpu);
}

static int decode_lru(struct decoder *d, const struct record_lru *r)
{
	struct event ev;

	switch (r->head.probe) {
	case PROBE_DRAIN:
		head_event(d, &ev, EV_DRAIN, &r->head);
		set_drain(d, &ev, r);
		break;
	case PROBE_RELEASE:
		head_event(d, &ev, EV_RELEASE, &r->head);
		event_set(&ev, BATCH_BATCH, r->place);
		event_set(&ev, BATCH_N, r->n);
		event_set(&ev, BATCH_DRAINED, r->drained);
		break;
	case PROBE_FLUSH:
	case PROBE_FLUSH_ROTATE:
		head_event(d, &ev, EV_FLUSH, &r->head);
		event_set(&ev, FLUSH_OP, r->op);
		event_set(&ev, FLUSH_N, r->n);
		break;
	default:
		head_event(d, &ev, EV_LRUADD, &r->head);
		event_set(&ev, LRUADD_OP, r->op);
		event_set(&ev, LRUADD_LARGE, r->large);
		event_set(&ev, LRUADD_N, r->n);
	}
	return d->event(d->arg, &ev, r->head.cpu, r->head.probe);
}

/* ---- devices and settings ---- */

static int decode_device(struct decoder *d, const struct record_device *r)
{
	if (r->type >= TYPES_MAX)
		return 0;
	d->devices[r->type] = *r;
	d->present[r->type] = true;
	return 0;
}

static int decode_swapon(struct decoder *d, const struct record *r)
{
	struct event ev;
	unsigned int type = 0;

	head_event(d, &ev, EV_SWAPON, r);
	while (type < TYPES_MAX && (!d->present[type] || d->known[type]))
		type++;
	if (type < TYPES_MAX) {
		struct record_device *dev = &d->devices[type];

		d->known[type] = true;
		d->swapon_type = type;
		event_set(&ev, SWAPON_TYPE, type);
		event_set(&ev, SWAPON_PAGES, dev->max);
		event_set(&ev, SWAPON_PRIO, (uint64_t)(int64_t)dev->prio);
		event_set(&ev, SWAPON_FLAGS, decode_device_flags(dev->flags));
		if (d->swapon)
			d->swapon(d->arg, dev, &ev);
	}
	return d->event(d->arg, &ev, r->cpu, r->probe);
}

/* Which device went: the one that was on before and is not now. */
static uint32_t device_gone(const struct decoder *d, const struct record_swapoff *r)
{
	uint32_t gone = UNKNOWN_U32;

	if (r->type != UNKNOWN_U32 || !r->end || r->ret)
		return r->type;
	for (uint32_t type = 0; type < TYPES_MAX; type++)
		if (d->present[type] && !(r->on >> type & 1))
			gone = gone == UNKNOWN_U32 ? type : TYPES_MAX;
	return gone < TYPES_MAX ? gone : UNKNOWN_U32;
}

static int decode_swapoff(struct decoder *d, const struct record_swapoff *r)
{
	uint32_t type = device_gone(d, r);
	struct event ev;

	head_event(d, &ev, EV_SWAPOFF, &r->head);
	event_set(&ev, SWAPOFF_OP, r->end ? SWAPOFF_END : SWAPOFF_BEGIN);
	if (type != UNKNOWN_U32)
		event_set(&ev, SWAPOFF_TYPE, type);
	if (r->end)
		event_set(&ev, SWAPOFF_RET, (uint64_t)r->ret);
	if (r->end && !r->ret && type < TYPES_MAX) {
		d->known[type] = false;
		d->present[type] = false;
		memset(&d->devices[type], 0, sizeof(d->devices[type]));
	}
	return d->event(d->arg, &ev, r->head.cpu, r->head.probe);
}

static int decode_config(struct decoder *d, const struct record_config *r)
{
	struct event ev;

	head_event(d, &ev, EV_CONFIG, &r->head);
	if (r->page_cluster != UNKNOWN_U32)
		event_set(&ev, CONFIG_PAGE_CLUSTER, r->page_cluster);
	if (r->vma_ra != UNKNOWN_U32)
		event_set(&ev, CONFIG_VMA_RA, r->vma_ra);
	return d->event(d->arg, &ev, r->head.cpu, PROBE_NONE);
}

static int decode_read_end(struct decoder *d, const struct record_read_end *r)
{
	if (d->read_end)
		d->read_end(d->arg, r->entry >> ENTRY_TYPE_SHIFT, r->entry & ENTRY_OFFSET_MASK,
			    &r->head);
	return 0;
}

static const size_t record_sizes[] = {
	[RECORD_LOOKUP] = sizeof(struct record_lookup),
	[RECORD_RA] = sizeof(struct record_ra),
	[RECORD_RANGE] = sizeof(struct record_range),
	[RECORD_SWAPON] = sizeof(struct record),
	[RECORD_SWAPOFF] = sizeof(struct record_swapoff),
	[RECORD_DEVICE] = sizeof(struct record_device),
	[RECORD_CONFIG] = sizeof(struct record_config),
	[RECORD_MM_GONE] = sizeof(struct record_mm),
	[RECORD_SWAPOUT] = sizeof(struct record_swapout),
	[RECORD_ANSWER] = sizeof(struct record_answer),
	[RECORD_PLACE] = sizeof(struct record_place),
	[RECORD_DRAW] = sizeof(struct record_draw),
	[RECORD_LRU] = sizeof(struct record_lru),
	[RECORD_READ_END] = sizeof(struct record_read_end),
};

int decoder_record(struct decoder *d, const void *data, size_t len)
{
	const struct record *r = data;

	if (len < sizeof(*r) || r->kind >= sizeof(record_sizes) / sizeof(record_sizes[0]) ||
	    !record_sizes[r->kind] || len < record_sizes[r->kind] || r->cpu >= CPUS_MAX ||
	    r->probe > PROBE_NONE) {
		d->bad_records++;
		return 0;
	}
	switch (r->kind) {
	case RECORD_LOOKUP:
		return decode_lookup(d, data);
	case RECORD_RA:
		return decode_ra(d, data);
	case RECORD_RANGE:
		return decode_range(d, data);
	case RECORD_SWAPON:
		return decode_swapon(d, r);
	case RECORD_SWAPOFF:
		return decode_swapoff(d, data);
	case RECORD_DEVICE:
		return decode_device(d, data);
	case RECORD_CONFIG:
		return decode_config(d, data);
	case RECORD_SWAPOUT:
		return decode_swapout(d, data);
	case RECORD_ANSWER:
		return decode_answer(d, data);
	case RECORD_PLACE:
		return decode_place(d, data);
	case RECORD_DRAW:
		return decode_draw(d, data);
	case RECORD_LRU:
		return decode_lru(d, data);
	case RECORD_READ_END:
		return decode_read_end(d, data);
	default:
		vma_table_mm_gone(d->vmas, ((const struct record_mm *)data)->mm);
		return 0;
	}
}
