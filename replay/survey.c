// SPDX-License-Identifier: GPL-2.0
#include "replay/survey.h"
#include "replay/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BIT(k) (1u << (k))

/* Fresh zero pages cost nothing until a slot in them is named, however far out it lies. */
static void *grow_array(void *array, uint64_t old, uint64_t n, size_t size)
{
	void *bigger = calloc(n, size);

	if (!bigger)
		return NULL;
	if (old)
		memcpy(bigger, array, old * size);
	free(array);
	return bigger;
}

static int grow_device(struct survey *s, struct survey_device *d, uint64_t size)
{
	uint64_t old = d->size, n = old ? old : 1024;
	void *bigger;

	while (n < size)
		n *= 2;
	/* Doubling past the end of a device would cost memory for slots that can't be. */
	if (size <= d->max_pages && n > d->max_pages)
		n = d->max_pages;
#define GROW(array)                                                                                \
	((bigger = grow_array(array, old, n, sizeof(*(array)))) ? ((array) = bigger, true) : false)
	if (!GROW(d->start) || !GROW(d->refs))
		return -ENOMEM;
	if (s->owners && (!GROW(d->owner) || !GROW(d->instance)))
		return -ENOMEM;
#undef GROW
	d->size = n;
	return 0;
}

/* A device may come back with another size. */
static void set_pages(struct survey_device *d, uint64_t pages)
{
	d->pages = pages;
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

	if (type >= SLOT_DEVICES)
		return 0;
	d = &s->dev[type];
	/* A size is no more to be believed than an offset. */
	limit = d->pages ? d->pages : SLOT_UNKNOWN_LIMIT;
	if (limit > SLOT_OFFSET_LIMIT)
		limit = SLOT_OFFSET_LIMIT;
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
	if (off + *n <= d->size)
		return 1;
	if (!grow_device(s, d, off + *n))
		return 1;
	s->starved = d;
	s->starved_slots = off + *n;
	return -ENOMEM;
}

/* One slot far out on a device of unknown size is all it takes: say which, and what helps. */
static int explain(const struct survey *s, int ret, struct error *e)
{
	long type = s->starved ? s->starved - s->dev : 0;
	unsigned long long slots = s->starved_slots;

	if (!s->starved)
		return error_errno(e, ret, "cannot survey the trace");
	if (s->starved->pages)
		return error_set(e, ret, "no memory for the %llu slots of swap device %ld", slots,
				 type);
	return error_set(e, ret,
			 "no memory for %llu slots of swap device %ld, whose size is not in the "
			 "trace: name it in a header line 'device type=%ld pages=N'; events beyond "
			 "it are ignored then",
			 slots, type, type);
}

/* The first event that names a slot says whether it was in use before. */
static int mention(struct survey *s, uint64_t type, uint64_t off, uint64_t n, uint8_t bits,
		   uint64_t refs)
{
	int ret = reach(s, type, off, &n, bits & START_FROM_SNAPSHOT);
	struct survey_device *d;

	if (ret <= 0)
		return ret;
	d = &s->dev[type];
	for (uint64_t i = off; i < off + n; i++) {
		if (d->start[i]) {
			d->start[i] |= bits & START_FROM_SNAPSHOT ? 0 : START_TOUCHED;
			continue;
		}
		d->start[i] = START_MENTIONED | bits;
		d->refs[i] = refs > 255 ? 255 : (uint8_t)refs;
	}
	return 0;
}

static int birth(struct survey *s, uint64_t type, uint64_t off, uint64_t n)
{
	if (!s->owners || reach(s, type, off, &n, false) <= 0)
		return 0;
	for (uint64_t i = off; i < off + n; i++)
		s->dev[type].instance[i] = ++s->births;
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

static int note_owner(struct survey *s, const struct columns *c, uint32_t i, int32_t tgid,
		      unsigned int page_shift)
{
	uint64_t type = c->v[LOOKUP_TYPE][i], off = c->v[LOOKUP_OFF][i];
	struct survey_device *d = &s->dev[type];
	struct slot_owner o;
	int ret = intern_vma(s, column_has(c, i, LOOKUP_VMA), c->v[LOOKUP_VMA][i], tgid, &o.vma);

	if (ret)
		return ret;
	s->vma[o.vma].needs += !s->vma[o.vma].known;
	o.page = c->v[LOOKUP_ADDR][i] >> page_shift;
	if (d->instance[off])
		return set_born_owner(s, d->instance[off], o);
	if (!d->owner[off].vma)
		d->owner[off] = o;
	return 0;
}

/* The snapshot does not tell marks; the first lookup of a page that was cached then does. */
static void note_snapshot_mark(struct survey *s, uint64_t type, uint64_t off)
{
	const uint8_t cached = START_FROM_SNAPSHOT | START_CACHED;
	uint8_t *start;

	if (type >= SLOT_DEVICES || off >= s->dev[type].size)
		return;
	start = &s->dev[type].start[off];
	if ((*start & (cached | START_TOUCHED)) == cached)
		*start |= START_MARKED;
}

static int survey_lookup(struct survey *s, const struct columns *c, uint32_t i, int32_t tgid,
			 unsigned int page_shift)
{
	uint64_t type = column_get(c, i, LOOKUP_TYPE, 0), off = c->v[LOOKUP_OFF][i];
	bool hit = c->v[LOOKUP_HIT][i];
	uint8_t bits = START_IN_USE;
	int ret;

	if (!column_has(c, i, LOOKUP_OFF))
		return 0;
	s->with_hit += column_has(c, i, LOOKUP_HIT);
	s->with_addr += column_has(c, i, LOOKUP_ADDR);
	s->zero_offsets += !off;
	s->vma_needs |= s->vma_ra && !s->rotational && column_has(c, i, LOOKUP_ADDR);
	if (hit)
		bits |= START_CACHED | START_BY_LOOKUP;
	if (hit && c->v[LOOKUP_RA][i]) {
		bits |= START_MARKED;
		note_snapshot_mark(s, type, off);
	}
	ret = mention(s, type, off, 1, bits, column_get(c, i, LOOKUP_COUNT, 1));
	if (ret || !s->owners || !column_has(c, i, LOOKUP_ADDR) || type >= SLOT_DEVICES ||
	    off >= s->dev[type].size)
		return ret;
	return note_owner(s, c, i, tgid, page_shift);
}

static void note_first(struct first_call *f, const struct columns *c, uint32_t i)
{
	if (f->known || !column_has(c, i, RA_HITS) || !column_has(c, i, RA_PREV) ||
	    !column_has(c, i, RA_LAST))
		return;
	*f = (struct first_call){ .known = true,
				  .needs = f->needs,
				  .hits = (uint32_t)c->v[RA_HITS][i],
				  .last = (uint32_t)c->v[RA_LAST][i],
				  .prev = c->v[RA_PREV][i] };
}

/* No kernel has more window sizes than this; a trace that claims it is not believed. */
#define WINDOW_SIZES 1024

static int note_window(struct survey *s, bool vma, const struct columns *c, uint32_t i)
{
	if (!column_has(c, i, RA_RET) || s->windows[vma].n >= WINDOW_SIZES)
		return 0;
	s->with_ret++;
	return histogram_add(&s->windows[vma], c->v[RA_RET][i], 1);
}

static int survey_ra(struct survey *s, const struct columns *c, uint32_t i, int32_t tgid)
{
	bool vma = column_get(c, i, RA_MODE, RA_CLUSTER) == RA_VMA_MODE;
	int ret = note_window(s, vma, c, i);

	if (ret)
		return ret;
	if (vma) {
		uint32_t index;

		ret = intern_vma(s, column_has(c, i, RA_VMA), c->v[RA_VMA][i], tgid, &index);
		s->vma_calls++;
		if (ret)
			return ret;
		note_first(&s->vma[index], c, i);
		return 0;
	}
	/* What shmem readahead does without VMA mode is the same global state. */
	s->cluster_calls++;
	note_first(&s->first_cluster, c, i);
	return 0;
}

static int survey_cache(struct survey *s, const struct columns *c, uint32_t i, bool insertion)
{
	uint64_t type = column_get(c, i, CACHE_TYPE, 0), off = c->v[CACHE_OFF][i];
	uint64_t n = column_get(c, i, CACHE_N, 1), by = column_get(c, i, CACHE_BY, BY_SWAPIN);
	int ret;

	if (insertion && by == BY_SWAPOUT) {
		ret = mention(s, type, off, n, 0, 0);
		return ret ? ret : birth(s, type, off, n);
	}
	if (insertion)
		return mention(s, type, off, n, START_IN_USE, 1);
	/* Only reclaim removes pages that page tables still refer to. */
	return mention(s, type, off, n, START_IN_USE | START_CACHED, by == BY_RECLAIM);
}

static int survey_slots(struct survey *s, const struct columns *c, uint32_t i)
{
	uint8_t bits = START_IN_USE | START_FROM_SNAPSHOT;

	if (c->v[SLOTS_CACHED][i])
		bits |= START_CACHED;
	return mention(s, column_get(c, i, SLOTS_TYPE, 0), c->v[SLOTS_OFF][i],
		       column_get(c, i, SLOTS_N, 1), bits, column_get(c, i, SLOTS_COUNT, 1));
}

static int survey_alloc(struct survey *s, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, ALLOC_TYPE, 0), off = c->v[ALLOC_OFF][i];
	uint64_t n = column_alloc_slots(c, i);
	int ret;

	if (!column_has(c, i, ALLOC_OFF))
		return 0;
	ret = mention(s, type, off, n, 0, 0);
	return ret ? ret : birth(s, type, off, n);
}

static void tell_page_cluster(struct survey *s, uint64_t value)
{
	if (s->page_cluster >= 0 && (uint64_t)s->page_cluster != value)
		s->page_cluster_changes = true;
	s->page_cluster = value > INT32_MAX ? INT32_MAX : (int64_t)value;
}

static void survey_config(struct survey *s, const struct columns *c, uint32_t i)
{
	if (column_has(c, i, CONFIG_PAGE_CLUSTER))
		tell_page_cluster(s, c->v[CONFIG_PAGE_CLUSTER][i]);
	if (column_has(c, i, CONFIG_VMA_RA))
		s->vma_ra = c->v[CONFIG_VMA_RA][i];
	if (s->snapshot || s->cluster_calls || !column_has(c, i, CONFIG_HITS))
		return;
	s->snapshot = true;
	s->hits = (uint32_t)c->v[CONFIG_HITS][i];
	s->prev = c->v[CONFIG_PREV][i];
	s->last = (uint32_t)c->v[CONFIG_LAST][i];
}

static void set_rotational(struct survey *s, uint64_t type, bool rotational)
{
	uint32_t bit = type < SLOT_DEVICES ? 1u << type : 0;

	s->rotational = rotational ? s->rotational | bit : s->rotational & ~bit;
}

/* The type may come with the begin, with the end, or not at all. */
static void survey_swapoff(struct survey *s, const struct columns *c, uint32_t i)
{
	if (column_has(c, i, SWAPOFF_TYPE))
		s->leaving = (int)(c->v[SWAPOFF_TYPE][i] & 0xff);
	else if (c->v[SWAPOFF_OP][i] == SWAPOFF_BEGIN)
		s->leaving = -1;
	if (c->v[SWAPOFF_OP][i] == SWAPOFF_BEGIN || c->v[SWAPOFF_RET][i])
		return;
	if (s->leaving >= 0)
		set_rotational(s, (uint64_t)s->leaving, false);
	else
		s->rotational = 0;
}

static void survey_swapon(struct survey *s, const struct columns *c, uint32_t i)
{
	uint64_t type = column_get(c, i, SWAPON_TYPE, SLOT_DEVICES);

	if (type < SLOT_DEVICES && column_has(c, i, SWAPON_PAGES))
		set_pages(&s->dev[type], c->v[SWAPON_PAGES][i]);
	if (column_has(c, i, SWAPON_FLAGS))
		set_rotational(s, type, c->v[SWAPON_FLAGS][i] & DEVICE_ROTATIONAL);
}

static void note_cpu(struct survey *s, int32_t cpu)
{
	if (cpu > 0 && (uint32_t)cpu > s->max_cpu)
		s->max_cpu = (uint32_t)cpu;
}

static int survey_event(struct survey *s, enum event_type type, const struct columns *c, uint32_t i,
			int32_t cpu, int32_t tgid, unsigned int page_shift)
{
	switch (type) {
	case EV_LOOKUP:
		return survey_lookup(s, c, i, tgid, page_shift);
	case EV_RA:
		return survey_ra(s, c, i, tgid);
	case EV_READ:
		return mention(s, column_get(c, i, READ_TYPE, 0), c->v[READ_OFF][i],
			       column_get(c, i, READ_N, 1), START_IN_USE, 1);
	case EV_CACHE:
		return survey_cache(s, c, i, true);
	case EV_UNCACHE:
		return survey_cache(s, c, i, false);
	case EV_SWAPOUT:
		note_cpu(s, cpu);
		return 0;
	case EV_ALLOC:
		note_cpu(s, cpu);
		return survey_alloc(s, c, i);
	case EV_UNREF:
		return mention(s, column_get(c, i, UNREF_TYPE, 0), c->v[UNREF_OFF][i],
			       column_get(c, i, UNREF_N, 1), START_IN_USE,
			       column_get(c, i, UNREF_LEFT, 0) + 1);
	case EV_FREE:
		/* Named for the first time when it is freed: it was parked, nobody referred to it.
		 */
		return mention(s, column_get(c, i, FREE_TYPE, 0), c->v[FREE_OFF][i],
			       column_get(c, i, FREE_N, 1), START_IN_USE, 0);
	case EV_SLOTS:
		return survey_slots(s, c, i);
	case EV_CONFIG:
		survey_config(s, c, i);
		return 0;
	case EV_SWAPON:
		survey_swapon(s, c, i);
		return 0;
	case EV_SWAPOFF:
		survey_swapoff(s, c, i);
		return 0;
	case EV_RELEASE:
		s->flag_used |= c->v[BATCH_DRAINED][i] != 0;
		return 0;
	case EV_LRUADD:
		s->lru_ops |= 1u << (c->v[LRUADD_OP][i] & 31);
		return 0;
	default:
		return 0;
	}
}

static const struct view_wanted *wanted(struct view_wanted *w, bool owners)
{
	*w = (struct view_wanted){
		.keys = {
			[EV_LOOKUP] = BIT(LOOKUP_TYPE) | BIT(LOOKUP_OFF) | BIT(LOOKUP_COUNT) |
				      BIT(LOOKUP_HIT) | BIT(LOOKUP_RA),
			[EV_RA] = BIT(RA_MODE) | BIT(RA_RET) | BIT(RA_HITS) | BIT(RA_PREV) | BIT(RA_LAST) |
				  BIT(RA_VMA),
			[EV_READ] = BIT(READ_TYPE) | BIT(READ_OFF) | BIT(READ_N),
			[EV_CACHE] = BIT(CACHE_TYPE) | BIT(CACHE_OFF) | BIT(CACHE_N) | BIT(CACHE_BY),
			[EV_UNCACHE] = BIT(CACHE_TYPE) | BIT(CACHE_OFF) | BIT(CACHE_N) |
				       BIT(CACHE_BY),
			[EV_SWAPOUT] = BIT(SWAPOUT_ORDER),
			[EV_ALLOC] = BIT(ALLOC_TYPE) | BIT(ALLOC_OFF) | BIT(ALLOC_N) |
				     BIT(ALLOC_ORDER),
			[EV_UNREF] = BIT(UNREF_TYPE) | BIT(UNREF_OFF) | BIT(UNREF_N) |
				     BIT(UNREF_LEFT),
			[EV_FREE] = BIT(FREE_TYPE) | BIT(FREE_OFF) | BIT(FREE_N),
			[EV_SLOTS] = BIT(SLOTS_TYPE) | BIT(SLOTS_OFF) | BIT(SLOTS_N) |
				     BIT(SLOTS_COUNT) | BIT(SLOTS_CACHED),
			[EV_CONFIG] = BIT(CONFIG_PAGE_CLUSTER) | BIT(CONFIG_HITS) | BIT(CONFIG_PREV) | BIT(CONFIG_LAST) |
				      BIT(CONFIG_VMA_RA),
			[EV_SWAPON] = BIT(SWAPON_TYPE) | BIT(SWAPON_PAGES) | BIT(SWAPON_FLAGS),
			[EV_SWAPOFF] = BIT(SWAPOFF_OP) | BIT(SWAPOFF_TYPE) | BIT(SWAPOFF_RET),
			[EV_RELEASE] = BIT(BATCH_DRAINED),
			[EV_LRUADD] = BIT(LRUADD_OP),
		},
		.tasks = true,
	};
	if (owners)
		w->keys[EV_LOOKUP] |= BIT(LOOKUP_VMA) | BIT(LOOKUP_ADDR);
	return w;
}

static int survey_block(struct survey *s, struct block_view *v, unsigned int page_shift)
{
	if (!v->events)
		return 0;
	if (!s->total)
		s->first_ns = v->times[0];
	s->last_ns = v->times[v->events - 1];
	s->total += v->events;
	for (uint32_t k = 0; k < v->events; k++) {
		uint8_t type = v->types[k];
		struct columns *c = &v->of[type];
		int ret;

		s->events[type]++;
		if (!c->have)
			continue;
		ret = survey_event(s, (enum event_type)type, c, c->next++, v->cpus[k], v->tgids[k],
				   page_shift);
		if (ret)
			return ret;
	}
	return 0;
}

static void read_header(struct survey *s, const struct trace_header *h, unsigned int *page_shift)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	uint64_t value, prev, last;

	for (unsigned int i = 0; i < n; i++)
		if (d[i].type < SLOT_DEVICES && d[i].have_pages)
			set_pages(&s->dev[d[i].type], d[i].pages);
	for (unsigned int i = 0; i < n; i++)
		set_rotational(s, d[i].type, d[i].have_flags && d[i].flags & DEVICE_ROTATIONAL);
	s->vma_ra = !trace_header_u64(h, "vma_ra", &value) || value;
	s->leaving = -1;
	s->page_cluster = -1;
	if (trace_header_u64(h, "page_cluster", &value))
		tell_page_cluster(s, value);
	*page_shift = 12;
	if (trace_header_u64(h, "page_size", &value) && geometry_believes(value))
		*page_shift = (unsigned int)__builtin_ctzll(value);
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

	for (unsigned int t = 0; t < SLOT_DEVICES; t++) {
		struct survey_device *d = &s->dev[t];

		for (uint64_t i = 0; i < d->size; i++) {
			if (d->start[i] & START_BY_LOOKUP && !reads_known)
				d->start[i] &= (uint8_t) ~(START_CACHED | START_MARKED);
			if (d->start[i] & START_IN_USE && !(d->start[i] & START_FROM_SNAPSHOT))
				s->assumed++;
			s->in_use |= (d->start[i] & START_IN_USE) != 0;
		}
	}
}

int survey_trace(struct survey *s, struct trace_reader *r, bool owners, struct error *e)
{
	const struct trace_block *b;
	struct view_wanted w;
	struct block_view view;
	unsigned int page_shift;
	int ret;

	memset(s, 0, sizeof(*s));
	s->owners = owners;
	read_header(s, trace_get_header(r), &page_shift);
	while ((ret = trace_next_block(r, &b, e)) > 0) {
		ret = view_load(&view, b, wanted(&w, owners));
		if (!ret)
			ret = survey_block(s, &view, page_shift);
		if (ret)
			return explain(s, ret, e);
	}
	if (ret < 0)
		return ret;
	count_assumed(s);
	return trace_rewind(r, e);
}

void survey_free(struct survey *s)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++) {
		free(s->dev[t].start);
		free(s->dev[t].refs);
		free(s->dev[t].owner);
		free(s->dev[t].instance);
	}
	histogram_free(&s->windows[0]);
	histogram_free(&s->windows[1]);
	map_free(&s->vmas);
	free(s->vma);
	free(s->born);
	memset(s, 0, sizeof(*s));
}

int survey_start(const struct survey *s, struct slots *slots)
{
	for (unsigned int t = 0; t < SLOT_DEVICES; t++) {
		const struct survey_device *d = &s->dev[t];

		for (uint64_t i = 0; i < d->size && i < slots->dev[t].size; i++) {
			int ret;

			if (!(d->start[i] & START_IN_USE))
				continue;
			slots->dev[t].refs[i] = d->refs[i];
			if (!d->owner)
				continue;
			ret = slots_set_owner(slots, t, i, d->owner[i]);
			if (ret)
				return ret;
		}
	}
	return 0;
}
