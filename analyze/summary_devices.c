// SPDX-License-Identifier: GPL-2.0
#include "analyze/summary_devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

#define FIRST_WIDTH_NS 1000000 /* of a slice, as summary_time.c */
#define CHUNK_SHIFT 16	       /* slots of a chunk: 65,536 */
#define CHUNKS_MAX 1024	       /* of one device: 256 GiB of pages of 4 kB */
#define MS 1000000u

/* What is known of one slot: not used, used from before the trace, or used since ms - SINCE. */
enum { UNUSED, OLD, SINCE };

struct device {
	uint32_t *chunk[CHUNKS_MAX];
	uint64_t used, peak, given, swapins;
	uint64_t aged, age_ms; /* swap-ins whose page's age is known, and the sum of their ages */
	uint64_t ages[DEVICE_AGES];
	bool slots_known; /* an event told of a slot */
	bool seen, gone;
};

struct device_gathering {
	struct device device[HEADER_DEVICES_MAX];
	struct device_slice slices[SLICES_MAX];
	uint64_t start_ns, width_ns;
	unsigned int n;
	unsigned int swapoffs; /* under way */
	bool full, freed;      /* the fast device is; a FREE was seen */
	struct device_use_result out;
	uint64_t dropped; /* slots too far out to be followed */
};

struct device_gathering *devices_new(void)
{
	struct device_gathering *g = calloc(1, sizeof(struct device_gathering));

	if (g)
		g->out.full_from_ns = COUNT_UNKNOWN;
	return g;
}

void devices_free(struct device_gathering *g)
{
	for (unsigned int t = 0; g && t < HEADER_DEVICES_MAX; t++)
		for (unsigned int i = 0; i < CHUNKS_MAX; i++)
			free(g->device[t].chunk[i]);
	free(g);
}

/* --- over time ------------------------------------------------------------------------------- */

static void join_pairs(struct device_gathering *g)
{
	for (unsigned int i = 0; i < SLICES_MAX / 2; i++) {
		struct device_slice *second = &g->slices[2 * i + 1], pair = *second;

		for (unsigned int t = 0; t < HEADER_DEVICES_MAX; t++)
			pair.swapins[t] += g->slices[2 * i].swapins[t];
		g->slices[i] = pair;
	}
	memset(g->slices + SLICES_MAX / 2, 0, sizeof(g->slices) / 2);
	g->n = (g->n + 1) / 2;
	g->width_ns *= 2;
}

/* The slice of a time; how full the devices are is carried on into those that had no event. */
static struct device_slice *slice_at(struct device_gathering *g, uint64_t t_ns)
{
	uint64_t i;

	if (!g->width_ns) {
		g->start_ns = t_ns;
		g->width_ns = FIRST_WIDTH_NS;
	}
	if (t_ns < g->start_ns)
		t_ns = g->start_ns;
	while ((i = (t_ns - g->start_ns) / g->width_ns) >= SLICES_MAX) {
		/* Also the second half of the last pair, where time did not get that far. */
		for (; g->n % 2; g->n++)
			memcpy(g->slices[g->n].used, g->slices[g->n - 1].used,
			       sizeof(g->slices[0].used));
		join_pairs(g);
	}
	for (; g->n <= i; g->n++)
		for (unsigned int t = 0; t < HEADER_DEVICES_MAX; t++)
			g->slices[g->n].used[t] = g->device[t].used;
	return &g->slices[i];
}

/* --- slots ----------------------------------------------------------------------------------- */

static const struct trace_device *find_device(const struct trace_facts *f, uint64_t type)
{
	for (unsigned int i = 0; i < f->ndevices; i++)
		if (f->devices[i].type == type)
			return &f->devices[i];
	return NULL;
}

static struct device *device_of(struct device_gathering *g, const struct trace_facts *facts,
				const struct event *ev, unsigned int key)
{
	const struct trace_device *d = event_has(ev, key) ? find_device(facts, ev->v[key]) : NULL;

	if (!event_has(ev, key) || ev->v[key] >= HEADER_DEVICES_MAX ||
	    (d && d->have_flags && d->flags & DEVICE_IMAGINARY))
		return NULL;
	g->device[ev->v[key]].seen = true;
	return &g->device[ev->v[key]];
}

static uint32_t *slot_at(struct device_gathering *g, struct device *d, uint64_t off, bool make)
{
	uint32_t **chunk;

	if (off >> CHUNK_SHIFT >= CHUNKS_MAX) {
		g->dropped += make;
		return NULL;
	}
	chunk = &d->chunk[off >> CHUNK_SHIFT];
	if (!*chunk && make)
		*chunk = calloc(1u << CHUNK_SHIFT, sizeof(**chunk));
	return *chunk ? &(*chunk)[off & ((1u << CHUNK_SHIFT) - 1)] : NULL;
}

/* @t_ns as a slot remembers it; 49 days are enough. */
static uint32_t since(const struct device_gathering *g, uint64_t t_ns)
{
	uint64_t ms = t_ns > g->start_ns ? (t_ns - g->start_ns) / MS : 0;

	return ms < UINT32_MAX - SINCE ? (uint32_t)ms + SINCE : UINT32_MAX;
}

static int take_slots(struct device_gathering *g, struct device *d, const struct event *ev,
		      uint64_t off, uint64_t n)
{
	struct device_slice *slice = slice_at(g, ev->t_ns);
	uint32_t now = ev->type == EV_SLOTS ? OLD : since(g, ev->t_ns);

	d->slots_known = true;
	for (uint64_t i = off; i < off + n; i++) {
		uint32_t *slot = slot_at(g, d, i, true);

		if (!slot && i >> CHUNK_SHIFT < CHUNKS_MAX)
			return -ENOMEM;
		if (!slot)
			continue;
		d->used += *slot == UNUSED;
		/* What the snapshot meets may have been given since the recording began. */
		if (*slot == UNUSED || now != OLD)
			*slot = now;
	}
	if (d->used > d->peak)
		d->peak = d->used;
	slice->used[d - g->device] = d->used;
	return 0;
}

static void free_slots(struct device_gathering *g, struct device *d, uint64_t t_ns, uint64_t off,
		       uint64_t n)
{
	struct device_slice *slice = slice_at(g, t_ns);

	for (uint64_t i = off; i < off + n; i++) {
		uint32_t *slot = slot_at(g, d, i, false);

		if (slot && *slot != UNUSED) {
			*slot = UNUSED;
			d->used--;
		}
	}
	slice->used[d - g->device] = d->used;
}

static void free_all(struct device_gathering *g, struct device *d, uint64_t t_ns)
{
	struct device_slice *slice = slice_at(g, t_ns);

	for (unsigned int i = 0; i < CHUNKS_MAX; i++) {
		free(d->chunk[i]);
		d->chunk[i] = NULL;
	}
	d->used = 0;
	slice->used[d - g->device] = 0;
}

/* --- which is fast, and is it full? ----------------------------------------------------------- */

static bool takes_part(const struct device_gathering *g, const struct trace_device *d)
{
	return d->have_prio && d->type < HEADER_DEVICES_MAX && !g->device[d->type].gone &&
	       !(d->have_flags && d->flags & DEVICE_IMAGINARY);
}

/* The highest and the lowest priority of the devices that are on; false where there is one. */
static bool tiers(const struct device_gathering *g, const struct trace_facts *f, int32_t *fast)
{
	int32_t low = INT32_MAX;

	*fast = INT32_MIN;
	for (unsigned int i = 0; i < f->ndevices; i++) {
		const struct trace_device *d = &f->devices[i];

		if (!takes_part(g, d))
			continue;
		if (d->prio > *fast)
			*fast = d->prio;
		if (d->prio < low)
			low = d->prio;
	}
	return low < *fast;
}

static void look_if_full(struct device_gathering *g, const struct trace_facts *f, uint64_t t_ns)
{
	uint64_t slots = 0, used = 0;
	bool full, known = true;
	int32_t fast;

	if (!tiers(g, f, &fast)) {
		g->full = false;
		return;
	}
	for (unsigned int i = 0; i < f->ndevices; i++) {
		const struct trace_device *d = &f->devices[i];

		if (!takes_part(g, d) || d->prio != fast)
			continue;
		known &= d->have_pages && d->pages;
		slots += d->pages ? d->pages - 1 : 0;
		used += g->device[d->type].used;
	}
	full = known && slots && (g->full ? used >= slots - slots / 10 : used >= slots);
	if (full && !g->full) {
		g->out.full_times++;
		if (g->out.full_from_ns == COUNT_UNKNOWN)
			g->out.full_from_ns = t_ns;
	}
	g->full = full;
}

/* --- events ---------------------------------------------------------------------------------- */

static void swapoff(struct device_gathering *g, const struct trace_facts *facts,
		    const struct event *ev)
{
	struct device *d;

	if (event_get(ev, SWAPOFF_OP, SWAPOFF_BEGIN) == SWAPOFF_BEGIN) {
		g->swapoffs++;
		return;
	}
	g->swapoffs -= g->swapoffs > 0;
	d = device_of(g, facts, ev, SWAPOFF_TYPE);
	if (!d || event_get(ev, SWAPOFF_RET, 0))
		return;
	free_all(g, d, ev->t_ns);
	d->gone = true;
}

/* Slots of an event; false where it does not tell. Sizes beyond any device are damage. */
static bool range_of(const struct event *ev, unsigned int off, unsigned int n, uint64_t otherwise,
		     uint64_t *first, uint64_t *count)
{
	*first = ev->v[off];
	*count = event_get(ev, n, otherwise);
	return event_has(ev, off) && *count <= 1ull << (CHUNK_SHIFT + 10) && *first <= 1ull << 58;
}

int devices_event(struct device_gathering *g, const struct trace_facts *facts,
		  const struct event *ev)
{
	uint64_t off, n, order = ev->type == EV_ALLOC ? event_get(ev, ALLOC_ORDER, 0) : 0;
	struct device *d;
	int ret = 0;

	if (ev->type == EV_ALLOC && order < ALLOC_ORDERS &&
	    range_of(ev, ALLOC_OFF, ALLOC_N, 1ull << order, &off, &n)) {
		d = device_of(g, facts, ev, ALLOC_TYPE);
		if (d) {
			d->given += n;
			ret = take_slots(g, d, ev, off, n);
		}
	} else if (ev->type == EV_SLOTS && range_of(ev, SLOTS_OFF, SLOTS_N, 1, &off, &n)) {
		d = device_of(g, facts, ev, SLOTS_TYPE);
		if (d)
			ret = take_slots(g, d, ev, off, n);
	} else if (ev->type == EV_FREE && range_of(ev, FREE_OFF, FREE_N, 1, &off, &n)) {
		d = device_of(g, facts, ev, FREE_TYPE);
		g->freed = true;
		if (d)
			free_slots(g, d, ev->t_ns, off, n);
	} else if (ev->type == EV_SWAPOFF) {
		swapoff(g, facts, ev);
	} else if (ev->type == EV_SWAPON) {
		d = device_of(g, facts, ev, SWAPON_TYPE);
		if (d)
			d->gone = false;
	} else {
		return 0;
	}
	look_if_full(g, facts, ev->t_ns);
	return ret;
}

static void count_age(struct device_gathering *g, struct device *d, const struct event *ev)
{
	uint32_t *slot = event_has(ev, LOOKUP_OFF) ? slot_at(g, d, ev->v[LOOKUP_OFF], false) : NULL;
	uint32_t now = since(g, ev->t_ns);
	unsigned int bin = 0;
	uint64_t ms;

	if (!slot || *slot < SINCE || *slot > now)
		return;
	ms = now - *slot;
	d->aged++;
	d->age_ms += ms;
	while (ms >> bin && bin < DEVICE_AGES - 1)
		bin++;
	d->ages[bin]++;
}

void devices_swapin(struct device_gathering *g, const struct trace_facts *facts,
		    const struct event *ev)
{
	const struct trace_device *info = find_device(facts, ev->v[LOOKUP_TYPE]);
	uint64_t cause = event_get(ev, LOOKUP_CAUSE, LOOKUP_FAULT);
	struct device *d;
	bool slower;
	int32_t fast;

	if (cause == LOOKUP_SWAPOFF || (cause == LOOKUP_SHMEM && g->swapoffs))
		return;
	d = device_of(g, facts, ev, LOOKUP_TYPE);
	if (!d)
		return;
	d->swapins++;
	slice_at(g, ev->t_ns)->swapins[d - g->device]++;
	count_age(g, d, ev);
	if (!tiers(g, facts, &fast) || !info || !info->have_prio)
		return;
	slower = info->prio < fast;
	g->out.tiers = true;
	g->out.swapins++;
	g->out.slower += slower;
	g->out.swapins_full += g->full;
	g->out.slower_full += g->full && slower;
}

/* --- the end --------------------------------------------------------------------------------- */

static void device_result(const struct device_gathering *g, const struct trace_facts *f,
			  unsigned int t, struct device_use *u)
{
	const struct trace_device *info = find_device(f, t);
	const struct device *d = &g->device[t];
	bool known = d->slots_known && !g->dropped;

	*u = (struct device_use){
		.type = t,
		.have_prio = info && info->have_prio,
		.prio = info ? info->prio : 0,
		.slots = info && info->have_pages && info->pages ? info->pages - 1 : COUNT_UNKNOWN,
		.used = known ? d->used : COUNT_UNKNOWN,
		.peak = known ? d->peak : COUNT_UNKNOWN,
		.given = d->given,
		.swapins = d->swapins,
		.aged = d->aged,
		.age_ms = d->age_ms,
	};
	memcpy(u->ages, d->ages, sizeof(u->ages));
}

int devices_finish(const struct device_gathering *g, const struct trace_facts *facts,
		   struct device_use_result *out)
{
	*out = g->out;
	for (unsigned int t = 0; t < HEADER_DEVICES_MAX; t++) {
		const struct trace_device *d = find_device(facts, t);

		if (g->device[t].seen || (d && !(d->have_flags && d->flags & DEVICE_IMAGINARY)))
			device_result(g, facts, t, &out->device[out->n++]);
	}
	out->known = out->n > 1;
	out->freed = g->freed;
	if (!out->known || !g->n)
		return 0;
	out->slices = malloc(g->n * sizeof(*out->slices));
	if (!out->slices)
		return -ENOMEM;
	memcpy(out->slices, g->slices, g->n * sizeof(*out->slices));
	for (unsigned int i = 0; i < g->n; i++)
		out->slices[i].t_ns = g->start_ns + i * g->width_ns;
	out->nslices = g->n;
	return 0;
}
