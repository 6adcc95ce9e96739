// SPDX-License-Identifier: GPL-2.0
#include "replay/world/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/columns.h"

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

/* A device may come back with another size. */
static void set_pages(struct survey_device *d, uint64_t pages)
{
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
	if (!off || off >= limit || (!snapshot && !d->pages && *n > SLOT_RUN_LIMIT)) {
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

static int mention_many(struct survey *s, uint64_t type, uint64_t off, uint64_t n, uint8_t bits,
			uint64_t refs)
{
	int ret = reach(s, type, off, &n, bits & START_FROM_SNAPSHOT);
	struct slot_run run;

	if (ret <= 0)
		return ret;
	while (slot_runs_next(&s->numbers, type, &off, &n, &run)) {
		for (uint32_t r = run.r; r < run.r + run.n; r++) {
			if (s->start[r]) {
				s->start[r] |= bits & START_FROM_SNAPSHOT ? 0 : START_TOUCHED;
				continue;
			}
			s->start[r] = START_MENTIONED | bits;
			s->refs[r] = slots_refs(refs);
		}
	}
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
	if (s->start[r]) {
		s->start[r] |= START_TOUCHED;
	} else {
		s->start[r] = START_MENTIONED | bits;
		s->refs[r] = slots_refs(refs);
	}
	return 0;
}

static int birth(struct survey *s, uint64_t type, uint64_t off, uint64_t n)
{
	struct slot_run run;

	if (!s->owners || reach(s, type, off, &n, false) <= 0)
		return 0;
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
	uint64_t *known = vma_slot(s, have_vma, vma, tgid);

	if (known) {
		*index = (uint32_t)*known;
		return 0;
	}
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
	const uint8_t cached = START_FROM_SNAPSHOT | START_CACHED;

	if (r != SLOT_NOWHERE && (s->start[r] & (cached | START_TOUCHED)) == cached)
		s->start[r] |= START_MARKED;
}

static int survey_lookup(struct survey *s, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, LOOKUP_TYPE, 0), off = ev_value(ev, LOOKUP_OFF);
	bool hit = ev_value(ev, LOOKUP_HIT), addr = ev_has(ev, LOOKUP_ADDR);
	uint8_t bits = START_IN_USE;
	uint32_t r;
	int ret;

	if (!ev_has(ev, LOOKUP_OFF))
		return 0;
	s->with_hit += ev_has(ev, LOOKUP_HIT);
	s->with_addr += addr;
	s->zero_offsets += !off;
	s->vma_needs |= s->vma_ra && !s->devices.rotational && addr;
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

static void note_first(struct first_call *f, const struct replay_event *ev)
{
	if (f->known || !ev_has(ev, RA_HITS) || !ev_has(ev, RA_PREV) || !ev_has(ev, RA_LAST))
		return;
	*f = (struct first_call){ .known = true,
				  .needs = f->needs,
				  .hits = (uint32_t)ev_value(ev, RA_HITS),
				  .last = (uint32_t)ev_value(ev, RA_LAST),
				  .prev = ev_value(ev, RA_PREV) };
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
		note_first(&s->vma[index], ev);
		return 0;
	}
	/* What shmem readahead does without VMA mode is the same global state. */
	s->cluster_calls++;
	note_first(&s->first_cluster, ev);
	return 0;
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

	if (ev_get(ev, CACHE_BY, BY_SWAPIN) != BY_SWAPOUT)
		return mention(s, type, off, n, START_IN_USE, 1);
	ret = mention(s, type, off, n, 0, 0);
	return ret ? ret : birth(s, type, off, n);
}

static int survey_uncache(struct survey *s, const struct replay_event *ev)
{
	/* Only reclaim removes pages that page tables still refer to. */
	return mention(s, ev_get(ev, CACHE_TYPE, 0), ev_value(ev, CACHE_OFF),
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

static void note_cpu(struct survey *s, int32_t cpu)
{
	if (cpu > 0 && (uint32_t)cpu > s->max_cpu)
		s->max_cpu = (uint32_t)cpu;
}

static int survey_swapout(struct survey *s, const struct replay_event *ev)
{
	note_cpu(s, ev_cpu(ev));
	return 0;
}

static int survey_alloc(struct survey *s, const struct replay_event *ev)
{
	uint64_t type = ev_get(ev, ALLOC_TYPE, 0), off = ev_value(ev, ALLOC_OFF);
	uint64_t n = ev_alloc_slots(ev);
	int ret;

	note_cpu(s, ev_cpu(ev));
	if (!ev_has(ev, ALLOC_OFF))
		return 0;
	ret = mention(s, type, off, n, 0, 0);
	return ret ? ret : birth(s, type, off, n);
}

static int survey_unref(struct survey *s, const struct replay_event *ev)
{
	return mention(s, ev_get(ev, UNREF_TYPE, 0), ev_value(ev, UNREF_OFF),
		       ev_get(ev, UNREF_N, 1), START_IN_USE, ev_get(ev, UNREF_LEFT, 0) + 1);
}

static int survey_free_event(struct survey *s, const struct replay_event *ev)
{
	/* Named for the first time when it is freed: it was parked, nobody referred to it. */
	return mention(s, ev_get(ev, FREE_TYPE, 0), ev_value(ev, FREE_OFF), ev_get(ev, FREE_N, 1),
		       START_IN_USE, 0);
}

static void tell_page_cluster(struct survey *s, uint64_t value)
{
	if (s->page_cluster >= 0 && (uint64_t)s->page_cluster != value)
		s->page_cluster_changes = true;
	s->page_cluster = value > INT32_MAX ? INT32_MAX : (int64_t)value;
}

static int survey_config(struct survey *s, const struct replay_event *ev)
{
	if (ev_has(ev, CONFIG_PAGE_CLUSTER))
		tell_page_cluster(s, ev_value(ev, CONFIG_PAGE_CLUSTER));
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
		set_pages(&s->dev[type], ev_value(ev, SWAPON_PAGES));
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

#define CACHE_KEYS_READ (BIT(CACHE_TYPE) | BIT(CACHE_OFF) | BIT(CACHE_N) | BIT(CACHE_BY))

static const struct {
	int (*take)(struct survey *s, const struct replay_event *ev);
	uint32_t keys;
} handlers[EV_NR] = {
	[EV_LOOKUP] = { survey_lookup, BIT(LOOKUP_TYPE) | BIT(LOOKUP_OFF) | BIT(LOOKUP_COUNT) |
					       BIT(LOOKUP_HIT) | BIT(LOOKUP_RA) },
	[EV_RA] = { survey_ra, BIT(RA_MODE) | BIT(RA_RET) | BIT(RA_HITS) | BIT(RA_PREV) |
				       BIT(RA_LAST) | BIT(RA_VMA) },
	[EV_READ] = { survey_read, BIT(READ_TYPE) | BIT(READ_OFF) | BIT(READ_N) },
	[EV_CACHE] = { survey_cache, CACHE_KEYS_READ },
	[EV_UNCACHE] = { survey_uncache, CACHE_KEYS_READ },
	[EV_SWAPOUT] = { survey_swapout, BIT(SWAPOUT_ORDER) },
	[EV_ALLOC] = { survey_alloc,
		       BIT(ALLOC_TYPE) | BIT(ALLOC_OFF) | BIT(ALLOC_N) | BIT(ALLOC_ORDER) },
	[EV_UNREF] = { survey_unref,
		       BIT(UNREF_TYPE) | BIT(UNREF_OFF) | BIT(UNREF_N) | BIT(UNREF_LEFT) },
	[EV_FREE] = { survey_free_event, BIT(FREE_TYPE) | BIT(FREE_OFF) | BIT(FREE_N) },
	[EV_SLOTS] = { survey_slots, BIT(SLOTS_TYPE) | BIT(SLOTS_OFF) | BIT(SLOTS_N) |
					     BIT(SLOTS_COUNT) | BIT(SLOTS_CACHED) },
	[EV_CONFIG] = { survey_config, BIT(CONFIG_PAGE_CLUSTER) | BIT(CONFIG_HITS) |
					       BIT(CONFIG_PREV) | BIT(CONFIG_LAST) |
					       BIT(CONFIG_VMA_RA) },
	[EV_SWAPON] = { survey_swapon, BIT(SWAPON_TYPE) | BIT(SWAPON_PAGES) | BIT(SWAPON_FLAGS) },
	[EV_SWAPOFF] = { survey_swapoff, BIT(SWAPOFF_OP) | BIT(SWAPOFF_TYPE) | BIT(SWAPOFF_RET) },
	[EV_RELEASE] = { survey_release, BIT(BATCH_DRAINED) },
	[EV_LRUADD] = { survey_lruadd, BIT(LRUADD_OP) },
};

static int survey_block(struct survey *s, const struct trace_block *b, struct block_view *v)
{
	if (!v->events)
		return 0;
	if (!s->total)
		s->first_ns = block_first_ns(b);
	s->last_ns = block_last_ns(b);
	s->total += v->events;
	for (uint32_t k = 0; k < v->events; k++) {
		struct replay_event ev;
		int ret;

		s->events[v->types[k]]++;
		if (!view_event(v, k, &ev))
			continue;
		ret = handlers[ev.type].take(s, &ev);
		if (ret)
			return ret;
	}
	return 0;
}

static void read_header(struct survey *s, const struct trace_header *h)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	uint64_t value, prev, last;

	for (unsigned int i = 0; i < n; i++) {
		if (d[i].type < SLOT_DEVICES && d[i].have_pages)
			set_pages(&s->dev[d[i].type], d[i].pages);
		swap_device_on(&s->devices, d[i].type, 0, d[i].have_flags, d[i].flags);
	}
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		s->dev[t].limit = slots_limit(s->dev[t].pages);
	s->vma_ra = !trace_header_u64(h, "vma_ra", &value) || value;
	s->leaving = -1;
	s->page_cluster = -1;
	if (trace_header_u64(h, "page_cluster", &value))
		tell_page_cluster(s, value);
	s->page_shift = 12;
	if (trace_header_u64(h, "page_size", &value) && geometry_believes(value))
		s->page_shift = (unsigned int)__builtin_ctzll(value);
	if (trace_header_u64(h, "hits", &value) && trace_header_u64(h, "prev", &prev) &&
	    trace_header_u64(h, "last", &last)) {
		s->snapshot = true;
		s->hits = (uint32_t)value;
		s->prev = prev;
		s->last = (uint32_t)last;
	}
}

static void count_assumed(struct survey *s)
{
	/* A lookup's answer tells about the start only if the reads of the trace are known too. */
	bool reads_known = s->events[EV_READ] || s->events[EV_CACHE];

	for (uint64_t r = 0; r < slot_numbers_total(&s->numbers); r++) {
		uint8_t *start = &s->start[r];

		if (*start & START_BY_LOOKUP && !reads_known)
			*start &= (uint8_t) ~(START_CACHED | START_MARKED);
		s->assumed += *start & START_IN_USE && !(*start & START_FROM_SNAPSHOT);
		s->in_use |= (*start & START_IN_USE) != 0;
	}
}

/* An array follows its stretches to their new places. */
static int move_stretches(void **array, const struct survey *s, const uint32_t *from, size_t size)
{
	char *sorted;

	if (!*array)
		return 0;
	sorted = malloc(slot_numbers_total(&s->numbers) * size + 1);
	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->numbers.n; i++)
		memcpy(sorted + (size_t)i * SLOT_STRETCH * size,
		       (char *)*array + (size_t)from[i] * SLOT_STRETCH * size, SLOT_STRETCH * size);
	free(*array);
	*array = sorted;
	return 0;
}

/* Slots that lie side by side get numbers that do. */
static int sort_numbers(struct survey *s)
{
	uint32_t *from = malloc((s->numbers.n + 1ul) * sizeof(*from));
	bool sorted = true;
	int ret = 0;

	if (!from)
		return -ENOMEM;
	slot_numbers_sort(&s->numbers, from);
	for (uint32_t i = 0; i < s->numbers.n; i++)
		sorted &= from[i] == i;
	if (!sorted) {
		ret = move_stretches((void **)&s->start, s, from, sizeof(*s->start));
		if (!ret)
			ret = move_stretches((void **)&s->refs, s, from, sizeof(*s->refs));
		if (!ret)
			ret = move_stretches((void **)&s->owner, s, from, sizeof(*s->owner));
		if (!ret)
			ret = move_stretches((void **)&s->instance, s, from, sizeof(*s->instance));
	}
	free(from);
	return ret;
}

static const struct view_wanted *wanted(struct view_wanted *w, bool owners,
					const struct trace_block *b)
{
	memset(w, 0, sizeof(*w));
	for (int t = 0; t < EV_NR; t++)
		w->keys[t] = handlers[t].keys;
	w->known[EV_LOOKUP] = BIT(LOOKUP_ADDR);
	w->cpus = block_count(b, EV_SWAPOUT) || block_count(b, EV_ALLOC);
	w->tgids = owners || block_count(b, EV_RA);
	if (owners)
		w->keys[EV_LOOKUP] |= BIT(LOOKUP_VMA) | BIT(LOOKUP_ADDR);
	return w;
}

int survey_trace(struct survey *s, struct trace_reader *r, bool owners, struct error *e)
{
	const struct trace_block *b;
	struct view_wanted w;
	struct block_view view;
	int ret;

	memset(s, 0, sizeof(*s));
	s->owners = owners;
	read_header(s, trace_get_header(r));
	while ((ret = trace_next_block(r, &b, e)) > 0) {
		ret = view_load(&view, b, wanted(&w, owners, b));
		if (!ret)
			ret = survey_block(s, b, &view);
		if (ret)
			return error_errno(e, ret, "cannot survey the trace");
	}
	if (ret < 0)
		return ret;
	ret = sort_numbers(s);
	if (ret)
		return error_errno(e, ret, "cannot survey the trace");
	count_assumed(s);
	return trace_rewind(r, e);
}

void survey_free(struct survey *s)
{
	slot_numbers_free(&s->numbers);
	free(s->start);
	free(s->refs);
	free(s->owner);
	free(s->instance);
	histogram_free(&s->windows[0]);
	histogram_free(&s->windows[1]);
	map_free(&s->vmas);
	free(s->vma);
	free(s->born);
	memset(s, 0, sizeof(*s));
}
