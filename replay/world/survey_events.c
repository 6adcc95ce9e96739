// SPDX-License-Identifier: GPL-2.0
/* What the survey learns from events. */
#include "replay/world/survey_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The arrays reach as far as the numbers do. */
static int grow_slots(struct survey *s)
{
	uint64_t old = s->slots_room, n = slot_numbers_total(&s->numbers);
	void *bigger;

	if (n <= old)
		return 0;
	if (n < 2 * old)
		n = 2 * old;
#define GROW(array)                                                                                \
	((bigger = realloc(array, n * sizeof(*(array))))                                           \
		 ? ((array) = bigger, memset((array) + old, 0, (n - old) * sizeof(*(array))),      \
		    true)                                                                          \
		 : false)
	if (!GROW(s->start) || !GROW(s->refs))
		return -ENOMEM;
	if (s->owners && (!GROW(s->owner) || !GROW(s->instance)))
		return -ENOMEM;
#undef GROW
	s->slots_room = n;
	return 0;
}

/* How far events of the device reach: a power of two, as long as the device is not known. */
static void note_size(struct survey_device *d, uint64_t size)
{
	uint64_t n;

	if (size <= d->size)
		return;
	n = d->size ? d->size : 1024;
	while (n < size)
		n *= 2;
	if (size <= d->max_pages && n > d->max_pages)
		n = d->max_pages;
	d->size = n;
}

void survey_set_pages(struct survey *s, struct survey_device *d, uint64_t pages)
{
	s->shrunk |= d->size > slots_limit(pages);
	d->pages = pages;
	d->limit = slots_limit(pages);
	if (pages > d->max_pages)
		d->max_pages = pages;
}

/*
 * Makes a run of slots addressable. Returns 1, 0 when it lies outside the device (counted, to be
 * ignored), negative errno.
 */
static int reach(struct survey *s, uint64_t type, uint64_t off, uint64_t *n, bool snapshot)
{
	struct survey_device *d;
	uint64_t limit;
	int ret;

	if (type >= SLOT_DEVICES)
		return 0;
	d = &s->dev[type];
	limit = d->limit;
	if (!off || off >= limit || (!snapshot && *n > SLOT_RUN_LIMIT)) {
		d->outside++;
		return 0;
	}
	if (*n > limit - off)
		*n = limit - off;
	if (snapshot && !slots_name(d->pages, &d->named, *n)) {
		d->outside++;
		return 0;
	}
	note_size(d, off + *n);
	if (*n == 1 && slot_number(&s->numbers, type, off) != SLOT_NOWHERE)
		return 1;
	for (uint64_t at = off; at < off + *n; at = (at | (SLOT_STRETCH - 1)) + 1)
		if (slot_numbers_add(&s->numbers, (unsigned int)type, at))
			return -ENOMEM;
	ret = grow_slots(s);
	return ret ? ret : 1;
}

/* A page that was cached when the snapshot passed: whether it had the mark is still to be seen. */
#define CACHED_THEN (START_FROM_SNAPSHOT | START_CACHED)

static inline void mention_slot(struct survey *s, uint32_t r, uint8_t bits, uint64_t refs)
{
	if (s->start[r]) {
		s->start[r] |= bits & START_FROM_SNAPSHOT ? 0 : START_TOUCHED;
		return;
	}
	s->start[r] = START_MENTIONED | bits;
	s->start[r] |= (bits & CACHED_THEN) == CACHED_THEN ? 0 : START_TOUCHED;
	s->refs[r] = slots_refs(refs);
}

static int mention_many(struct survey *s, uint64_t type, uint64_t off, uint64_t n, uint8_t bits,
			uint64_t refs)
{
	int ret = reach(s, type, off, &n, bits & START_FROM_SNAPSHOT);
	struct slot_run run;

	if (ret <= 0)
		return ret;
	while (slot_runs_next(&s->numbers, type, &off, &n, &run))
		for (uint32_t r = run.r; r < run.r + run.n; r++)
			mention_slot(s, r, bits, refs);
	return 0;
}

/* The first event that names a slot says whether it was in use before. */
static inline int mention(struct survey *s, uint64_t type, uint64_t off, uint64_t n, uint8_t bits,
			  uint64_t refs)
{
	uint32_t r = slot_number(&s->numbers, type, off);

	/* Most events name one slot, of a stretch that is known. */
	if (n != 1 || r == SLOT_NOWHERE || !off || off >= s->dev[type].limit ||
	    off >= s->dev[type].size || bits & START_FROM_SNAPSHOT)
		return mention_many(s, type, off, n, bits, refs);
	mention_slot(s, r, bits, refs);
	return 0;
}

/* Other data comes into slots that were mentioned; what is not on the device has no number. */
static int birth(struct survey *s, uint64_t type, uint64_t off, uint64_t n)
{
	struct survey_device *d;
	struct slot_run run;

	if (!s->owners || type >= SLOT_DEVICES)
		return 0;
	d = &s->dev[type];
	if (!off || off >= d->limit || n > SLOT_RUN_LIMIT)
		return 0;
	if (n > d->limit - off)
		n = d->limit - off;
	while (slot_runs_next(&s->numbers, type, &off, &n, &run))
		for (uint32_t r = run.r; r < run.r + run.n; r++)
			s->instance[r] = ++s->births;
	return 0;
}

static int set_born_owner(struct survey *s, uint32_t instance, struct slot_owner o)
{
	if (instance >= SURVEY_INSTANCES)
		return 0;
	if (instance >= s->born_room) {
		uint32_t room = s->born_room ? s->born_room : 1024;
		struct slot_owner *bigger;

		while (room <= instance)
			room *= 2;
		bigger = realloc(s->born, room * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		memset(bigger + s->born_room, 0, (room - s->born_room) * sizeof(*bigger));
		s->born = bigger;
		s->born_room = room;
	}
	if (!s->born[instance].vma)
		s->born[instance] = o;
	return 0;
}

/* Recorded ids are kept apart from tasks that stand in for a missing one. */
static uint64_t *vma_slot(const struct survey *s, bool have_vma, uint64_t vma, int32_t tgid)
{
	return map_get(&s->vmas, have_vma ? vma : (uint64_t)(uint32_t)tgid, have_vma);
}

uint32_t survey_vma(const struct survey *s, bool have_vma, uint64_t vma, int32_t tgid)
{
	uint64_t *index = vma_slot(s, have_vma, vma, tgid);

	return index ? (uint32_t)*index : 0;
}

static int intern_vma(struct survey *s, bool have_vma, uint64_t vma, int32_t tgid, uint32_t *index)
{
	uint64_t name = have_vma ? vma : (uint64_t)(uint32_t)tgid, *known;

	/* One task needs many pages of one VMA in a row. */
	if (s->last_index && s->last_vma == name && s->last_have_vma == have_vma) {
		*index = s->last_index;
		return 0;
	}
	s->last_vma = name;
	s->last_have_vma = have_vma;
	known = vma_slot(s, have_vma, vma, tgid);
	if (known) {
		*index = s->last_index = (uint32_t)*known;
		return 0;
	}
	s->last_index = 0;
	if (s->nvmas + 1 >= s->vma_room) {
		uint32_t room = s->vma_room ? s->vma_room * 2 : 64;
		struct first_call *bigger = realloc(s->vma, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		memset(bigger + s->vma_room, 0, (room - s->vma_room) * sizeof(*bigger));
		s->vma = bigger;
		s->vma_room = room;
	}
	*index = ++s->nvmas;
	return map_set(&s->vmas, have_vma ? vma : (uint64_t)(uint32_t)tgid, have_vma, *index);
}

/* Two VMAs that need one slot at one address: copies of each other, by fork. They join one ring. */
static void note_twins(struct survey *s, struct slot_owner a, struct slot_owner b)
{
	uint32_t next = s->vma[a.vma].twin ? s->vma[a.vma].twin : a.vma;

	if (!a.vma || a.vma == b.vma || a.page != b.page)
		return;
	for (unsigned int i = 0; i < SURVEY_TWINS && next != a.vma; i++) {
		if (next == b.vma)
			return;
		next = s->vma[next].twin;
	}
	/* Rings are joined by crossing their next ones. */
	next = s->vma[a.vma].twin ? s->vma[a.vma].twin : a.vma;
	s->vma[a.vma].twin = s->vma[b.vma].twin ? s->vma[b.vma].twin : b.vma;
	s->vma[b.vma].twin = next;
}

static int note_owner(struct survey *s, const struct replay_event *ev, uint32_t r)
{
	struct slot_owner o;
	int ret = intern_vma(s, ev_has(ev, LOOKUP_VMA), ev_value(ev, LOOKUP_VMA), ev_tgid(ev),
			     &o.vma);

	if (ret)
		return ret;
	s->vma[o.vma].needs += !s->vma[o.vma].known;
	o.page = ev_value(ev, LOOKUP_ADDR) >> s->page_shift;
	if (!s->instance[r]) {
		note_twins(s, s->owner[r], o);
		if (!s->owner[r].vma)
			s->owner[r] = o;
		return 0;
	}
	if (s->instance[r] < s->born_room)
		note_twins(s, s->born[s->instance[r]], o);
	return set_born_owner(s, s->instance[r], o);
}

/* The snapshot does not tell marks; the first lookup of a page that was cached then does. */
static void note_snapshot_mark(struct survey *s, uint32_t r)
{
	if (r != SLOT_NOWHERE && (s->start[r] & (CACHED_THEN | START_TOUCHED)) == CACHED_THEN)
		s->start[r] |= START_MARKED;
}

/* May a need of a known address lead to VMA readahead at this moment? */
static bool vma_possible(const struct survey *s)
{
	switch (s->owners_where) {
	case OWNERS_RECORDED:
		return s->vma_ra && !s->devices.rotational;
	case OWNERS_NO_DISK:
		return s->vma_ra;
	default:
		return true;
	}
}

/* Values of keys that only the first event to name a slot is asked for. */
static int ask(struct survey *s, const struct replay_event *ev, uint32_t keys)
{
	return view_ask(s->view, ev->type, keys);
}

static int survey_lookup(struct survey *s, const struct replay_event *ev)
{
	uint64_t type = ev_value(ev, LOOKUP_TYPE), off = ev_value(ev, LOOKUP_OFF);
	bool addr = ev_has(ev, LOOKUP_ADDR), hit;
	uint8_t bits = START_IN_USE;
	uint32_t r;
	int ret = ask(s, ev, BIT(LOOKUP_HIT) | BIT(LOOKUP_RA) | BIT(LOOKUP_COUNT));

	if (ret || !ev_has(ev, LOOKUP_OFF))
		return ret;
	if (addr && !s->owners && vma_possible(s))
		return SURVEY_AGAIN;
	hit = ev_value(ev, LOOKUP_HIT);
	s->zero_offsets += !off;
	if (hit)
		bits |= START_CACHED | START_BY_LOOKUP;
	if (hit && ev_value(ev, LOOKUP_RA)) {
		bits |= START_MARKED;
		note_snapshot_mark(s, slot_number(&s->numbers, type, off));
	}
	ret = mention(s, type, off, 1, bits, ev_get(ev, LOOKUP_COUNT, 1));
	r = slot_number(&s->numbers, type, off);
	if (ret || !s->owners || !addr || r == SLOT_NOWHERE)
		return ret;
	return note_owner(s, ev, r);
}

static int note_first(struct survey *s, struct first_call *f, const struct replay_event *ev)
{
	int ret;

	if (f->known || !ev_has(ev, RA_HITS) || !ev_has(ev, RA_PREV) || !ev_has(ev, RA_LAST))
		return 0;
	ret = ask(s, ev, BIT(RA_HITS) | BIT(RA_PREV) | BIT(RA_LAST));
	if (ret)
		return ret;
	f->known = true;
	f->hits = (uint32_t)ev_value(ev, RA_HITS);
	f->last = (uint32_t)ev_value(ev, RA_LAST);
	f->prev = ev_value(ev, RA_PREV);
	return 0;
}

/* No kernel has more window sizes than this; a trace that claims it is not believed. */
#define WINDOW_SIZES 1024

static int note_window(struct survey *s, bool vma, const struct replay_event *ev)
{
	if (!ev_has(ev, RA_RET) || s->windows[vma].n >= WINDOW_SIZES)
		return 0;
	s->with_ret++;
	return histogram_add(&s->windows[vma], ev_value(ev, RA_RET), 1);
}

static int survey_ra(struct survey *s, const struct replay_event *ev)
{
	bool vma = ev_get(ev, RA_MODE, RA_CLUSTER) == RA_VMA_MODE;
	int ret = note_window(s, vma, ev);

	if (ret)
		return ret;
	if (vma) {
		uint32_t index;

		ret = intern_vma(s, ev_has(ev, RA_VMA), ev_value(ev, RA_VMA), ev_tgid(ev), &index);
		s->vma_calls++;
		if (ret)
			return ret;
		return note_first(s, &s->vma[index], ev);
	}
	/* What shmem readahead does without VMA mode is the same global state. */
	s->cluster_calls++;
	return note_first(s, &s->first_cluster, ev);
}

static int survey_read(struct survey *s, const struct replay_event *ev)
{
	return mention(s, ev_get(ev, READ_TYPE, 0), ev_value(ev, READ_OFF), ev_get(ev, READ_N, 1),
		       START_IN_USE, 1);
}

static int survey_cache(struct survey *s, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, CACHE_TYPE, 0), off = ev_value(ev, CACHE_OFF);
	uint64_t n = ev_get(ev, CACHE_N, 1);
	int ret;

	ret = ask(s, ev, BIT(CACHE_BY));
	if (ret)
		return ret;
	if (ev_get(ev, CACHE_BY, BY_SWAPIN) != BY_SWAPOUT)
		return mention(s, type, off, n, START_IN_USE, 1);
	ret = mention(s, type, off, n, 0, 0);
	return ret ? ret : birth(s, type, off, n);
}

static int survey_uncache(struct survey *s, const struct replay_event *ev)
{
	int ret = ask(s, ev, BIT(CACHE_BY));

	/* Only reclaim removes pages that page tables still refer to. */
	return ret ? ret
		   : mention(s, ev_get(ev, CACHE_TYPE, 0), ev_value(ev, CACHE_OFF),
			     ev_get(ev, CACHE_N, 1), START_IN_USE | START_CACHED,
			     ev_get(ev, CACHE_BY, BY_SWAPIN) == BY_RECLAIM);
}

static int survey_slots(struct survey *s, const struct replay_event *ev)
{
	uint8_t bits = START_IN_USE | START_FROM_SNAPSHOT;

	if (ev_value(ev, SLOTS_CACHED))
		bits |= START_CACHED;
	return mention(s, ev_get(ev, SLOTS_TYPE, 0), ev_value(ev, SLOTS_OFF),
		       ev_get(ev, SLOTS_N, 1), bits, ev_get(ev, SLOTS_COUNT, 1));
}

static int survey_alloc(struct survey *s, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, ALLOC_TYPE, 0), off = ev_value(ev, ALLOC_OFF);
	uint64_t n = ev_alloc_slots(ev);
	int ret;

	if (!ev_has(ev, ALLOC_OFF))
		return 0;
	ret = mention(s, type, off, n, 0, 0);
	return ret ? ret : birth(s, type, off, n);
}

static int survey_unref(struct survey *s, const struct replay_event *ev)
{
	int ret = ask(s, ev, BIT(UNREF_LEFT));

	return ret ? ret
		   : mention(s, ev_get(ev, UNREF_TYPE, 0), ev_value(ev, UNREF_OFF),
			     ev_get(ev, UNREF_N, 1), START_IN_USE, ev_get(ev, UNREF_LEFT, 0) + 1);
}

static int survey_free_event(struct survey *s, const struct replay_event *ev)
{
	/* Named for the first time when it is freed: it was parked, nobody referred to it. */
	return mention(s, ev_get(ev, FREE_TYPE, 0), ev_value(ev, FREE_OFF), ev_get(ev, FREE_N, 1),
		       START_IN_USE, 0);
}

void survey_tell_page_cluster(struct survey *s, uint64_t value)
{
	if (s->page_cluster >= 0 && (uint64_t)s->page_cluster != value)
		s->page_cluster_changes = true;
	s->page_cluster = value > INT32_MAX ? INT32_MAX : (int64_t)value;
}

static int survey_config(struct survey *s, const struct replay_event *ev)
{
	if (ev_has(ev, CONFIG_PAGE_CLUSTER))
		survey_tell_page_cluster(s, ev_value(ev, CONFIG_PAGE_CLUSTER));
	if (ev_has(ev, CONFIG_VMA_RA))
		s->vma_ra = ev_value(ev, CONFIG_VMA_RA);
	if (s->snapshot || s->cluster_calls || !ev_has(ev, CONFIG_HITS))
		return 0;
	s->snapshot = true;
	s->hits = (uint32_t)ev_value(ev, CONFIG_HITS);
	s->prev = ev_value(ev, CONFIG_PREV);
	s->last = (uint32_t)ev_value(ev, CONFIG_LAST);
	return 0;
}

/* The type may come with the begin, with the end, or not at all. */
static int survey_swapoff(struct survey *s, const struct replay_event *ev)
{
	if (ev_has(ev, SWAPOFF_TYPE))
		s->leaving = ev_value(ev, SWAPOFF_TYPE) < SLOT_DEVICES
				     ? (int)ev_value(ev, SWAPOFF_TYPE)
				     : SLOT_DEVICES;
	else if (ev_value(ev, SWAPOFF_OP) == SWAPOFF_BEGIN)
		s->leaving = -1;
	if (ev_value(ev, SWAPOFF_OP) == SWAPOFF_BEGIN || ev_value(ev, SWAPOFF_RET))
		return 0;
	for (int t = 0; t < SLOT_DEVICES; t++)
		if (s->leaving < 0 || s->leaving == t)
			swap_device_off(&s->devices, (uint64_t)t);
	return 0;
}

static int survey_swapon(struct survey *s, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, SWAPON_TYPE, SLOT_DEVICES);

	if (type < SLOT_DEVICES && ev_has(ev, SWAPON_PAGES))
		survey_set_pages(s, &s->dev[type], ev_value(ev, SWAPON_PAGES));
	swap_device_on(&s->devices, type, 0, ev_has(ev, SWAPON_FLAGS),
		       (uint32_t)ev_value(ev, SWAPON_FLAGS));
	return 0;
}

static int survey_release(struct survey *s, const struct replay_event *ev)
{
	s->flag_used |= ev_value(ev, BATCH_DRAINED) != 0;
	return 0;
}

static int survey_lruadd(struct survey *s, const struct replay_event *ev)
{
	s->lru_ops |= 1u << (ev_value(ev, LRUADD_OP) & 31);
	return 0;
}

#define RANGE_KEYS(event) (BIT(event##_TYPE) | BIT(event##_OFF) | BIT(event##_N))

static const struct {
	int (*take)(struct survey *s, const struct replay_event *ev);
	uint32_t keys;
} handlers[EV_NR] = {
	[EV_LOOKUP] = { survey_lookup, BIT(LOOKUP_TYPE) | BIT(LOOKUP_OFF) },
	[EV_RA] = { survey_ra, BIT(RA_MODE) | BIT(RA_RET) | BIT(RA_VMA) },
	[EV_READ] = { survey_read, RANGE_KEYS(READ) },
	[EV_CACHE] = { survey_cache, RANGE_KEYS(CACHE) },
	[EV_UNCACHE] = { survey_uncache, RANGE_KEYS(CACHE) },
	[EV_ALLOC] = { survey_alloc, RANGE_KEYS(ALLOC) | BIT(ALLOC_ORDER) },
	[EV_UNREF] = { survey_unref, RANGE_KEYS(UNREF) },
	[EV_FREE] = { survey_free_event, RANGE_KEYS(FREE) },
	[EV_SLOTS] = { survey_slots, RANGE_KEYS(SLOTS) | BIT(SLOTS_COUNT) | BIT(SLOTS_CACHED) },
	[EV_CONFIG] = { survey_config, BIT(CONFIG_PAGE_CLUSTER) | BIT(CONFIG_HITS) |
					       BIT(CONFIG_PREV) | BIT(CONFIG_LAST) |
					       BIT(CONFIG_VMA_RA) },
	[EV_SWAPON] = { survey_swapon, BIT(SWAPON_TYPE) | BIT(SWAPON_PAGES) | BIT(SWAPON_FLAGS) },
	[EV_SWAPOFF] = { survey_swapoff, BIT(SWAPOFF_OP) | BIT(SWAPOFF_TYPE) | BIT(SWAPOFF_RET) },
	[EV_RELEASE] = { survey_release, BIT(BATCH_DRAINED) },
	[EV_LRUADD] = { survey_lruadd, BIT(LRUADD_OP) },
};

/* --- the walk
 * ------------------------------------------------------------------------------------ */

/*
 * Most events name one slot of which nothing more can be learnt. They are passed over here; @n says
 * which name one: it is at most @one.
 */
struct passing {
	const uint64_t *type, *off, *n;
	uint64_t one;
};

static struct passing passing_of(const struct survey *s, const struct block_view *v,
				 enum event_type t)
{
	static const struct {
		uint8_t type, off, n;
		bool one_slot, births;
	} keys[EV_NR] = {
		[EV_LOOKUP] = { LOOKUP_TYPE, LOOKUP_OFF, LOOKUP_OFF, true, true },
		[EV_READ] = { READ_TYPE, READ_OFF, READ_N, false, false },
		[EV_CACHE] = { CACHE_TYPE, CACHE_OFF, CACHE_N, false, true },
		[EV_UNCACHE] = { CACHE_TYPE, CACHE_OFF, CACHE_N, false, false },
		[EV_ALLOC] = { ALLOC_TYPE, ALLOC_OFF, ALLOC_N, false, true },
		[EV_UNREF] = { UNREF_TYPE, UNREF_OFF, UNREF_N, false, false },
		[EV_FREE] = { FREE_TYPE, FREE_OFF, FREE_N, false, false },
	};
	const struct columns *c = &v->of[t];
	struct passing p = { 0 };
	uint32_t have;

	if (!c->have || !keys[t].off || s->shrunk || (s->owners && keys[t].births) ||
	    (s->one_by_one && t == EV_LOOKUP))
		return p;
	p = (struct passing){ c->v[keys[t].type], c->v[keys[t].off], c->v[keys[t].n], 1 };
	if (keys[t].one_slot)
		p.one = UINT64_MAX;
	if (t != EV_ALLOC)
		return p;
	/* The order counts where there is no n, and only there. */
	if (!block_have_same(v->block, EV_ALLOC, &have))
		return (struct passing){ 0 };
	if (!(have & BIT(ALLOC_N))) {
		p.n = c->v[ALLOC_ORDER];
		p.one = 0;
	}
	return p;
}

static inline bool passes(const struct survey *s, const struct passing *p, uint32_t i)
{
	uint32_t r = slot_number(&s->numbers, p->type[i], p->off[i]);

	return r != SLOT_NOWHERE && s->start[r] & START_TOUCHED && p->n[i] <= p->one;
}

/* Pass over events from @k on that all have the type of the first; returns the first that stays. */
static uint32_t pass_over(const struct survey *s, struct block_view *v, const struct passing *p,
			  uint32_t k)
{
	struct columns *c = &v->of[v->types[k]];
	uint8_t type = v->types[k];
	uint32_t i = c->next;

	while (k < v->events && v->types[k] == type && passes(s, p, i)) {
		i++;
		k++;
	}
	c->next = i;
	return k;
}

static int take_events(struct survey *s, struct block_view *v)
{
	struct passing passing[EV_NR];
	struct replay_event ev;

	for (int t = 0; t < EV_NR; t++)
		passing[t] = passing_of(s, v, (enum event_type)t);
	for (uint32_t k = 0; k < v->events; k++) {
		const struct passing *p = &passing[v->types[k]];
		int ret;

		/* A device that shrinks within the block: see survey_set_pages(). */
		if (p->off && !s->shrunk) {
			uint32_t next = pass_over(s, v, p, k);

			if (next > k) {
				k = next - 1;
				continue;
			}
		}
		if (!view_event(v, k, &ev))
			continue;
		ret = handlers[ev.type].take(s, &ev);
		if (ret)
			return ret;
	}
	return 0;
}

static void count_lookups(struct survey *s, const struct block_view *v)
{
	const uint32_t *have = v->of[EV_LOOKUP].have;
	uint32_t n = block_count(v->block, EV_LOOKUP), hits = 0, addresses = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t off = have[i] >> LOOKUP_OFF & 1;

		hits += off & have[i] >> LOOKUP_HIT;
		addresses += off & have[i] >> LOOKUP_ADDR;
	}
	s->with_hit += hits;
	s->with_addr += addresses;
}

/* The highest CPU of those that asked for slots, which only a few blocks raise. */
static void note_cpus(struct survey *s, const struct block_view *v)
{
	int32_t highest = 0;

	for (uint32_t k = 0; k < v->events; k++)
		highest = v->cpus[k] > highest ? v->cpus[k] : highest;
	if ((uint32_t)highest <= s->max_cpu)
		return;
	for (uint32_t k = 0; k < v->events; k++)
		if ((v->types[k] == EV_SWAPOUT || v->types[k] == EV_ALLOC) &&
		    v->cpus[k] > (int32_t)s->max_cpu)
			s->max_cpu = (uint32_t)v->cpus[k];
}

/* Does the block tell of lookups while VMA readahead is possible from its begin to its end? */
static bool owners_missing(const struct survey *s, const struct block_view *v, uint64_t before)
{
	return !s->owners && s->with_addr > before && vma_possible(s) &&
	       !block_count(v->block, EV_CONFIG) && !block_count(v->block, EV_SWAPON) &&
	       !block_count(v->block, EV_SWAPOFF);
}

/* Must lookups be looked at one by one, as the block may change over to VMA readahead? */
static bool changes_over(const struct survey *s, const struct block_view *v, uint64_t before)
{
	return !s->owners && s->with_addr > before &&
	       (block_count(v->block, EV_CONFIG) || block_count(v->block, EV_SWAPON) ||
		block_count(v->block, EV_SWAPOFF));
}

int survey_block(struct survey *s, struct block_view *v)
{
	const struct trace_block *b = v->block;
	uint64_t addresses = s->with_addr;

	if (!v->events)
		return 0;
	if (!s->total)
		s->first_ns = block_first_ns(b);
	s->last_ns = block_last_ns(b);
	s->total += v->events;
	for (int t = 0; t < EV_NR; t++)
		s->events[t] += block_count(b, (enum event_type)t);
	if (block_count(b, EV_LOOKUP))
		count_lookups(s, v);
	if (v->cpus)
		note_cpus(s, v);
	if (owners_missing(s, v, addresses))
		return SURVEY_AGAIN;
	s->one_by_one = changes_over(s, v, addresses);
	s->view = v;
	return take_events(s, v);
}

const struct view_wanted *survey_wanted(const struct survey *s, struct view_wanted *w,
					const struct trace_block *b)
{
	memset(w, 0, sizeof(*w));
	for (int t = 0; t < EV_NR; t++)
		w->keys[t] = handlers[t].keys;
	w->known[EV_LOOKUP] = BIT(LOOKUP_ADDR) | BIT(LOOKUP_HIT);
	w->known[EV_RA] = BIT(RA_HITS) | BIT(RA_PREV) | BIT(RA_LAST);
	w->cpus = block_count(b, EV_SWAPOUT) || block_count(b, EV_ALLOC);
	w->tgids = s->owners || block_count(b, EV_RA);
	if (s->owners)
		w->keys[EV_LOOKUP] |= BIT(LOOKUP_VMA) | BIT(LOOKUP_ADDR);
	return w;
}
