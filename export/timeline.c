// SPDX-License-Identifier: GPL-2.0
#include "export/timeline.h"

#include <string.h>

#include "common/text.h"

/* "need fault": the event's word, and the name of the value of @key where it has one. */
static void name_point(struct timeline_point *p, const struct export *x, const struct event *ev,
		       const char *word, unsigned int key)
{
	struct clean_text name;

	if (event_has(ev, key) && export_word(x, event_key(ev->type, key), ev->v[key], &name))
		snprintf(p->name, sizeof(p->name), "%s %.48s", word, name.s);
	else
		snprintf(p->name, sizeof(p->name), "%s", word);
}

static unsigned int counter(struct timeline_point *p, const char *name, double value)
{
	p->kind = POINT_COUNTER;
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->value = value;
	return 1;
}

static unsigned int mark(struct timeline_point *p, const struct export *x, const struct event *ev,
			 const char *word, unsigned int key)
{
	p->kind = POINT_MARK;
	name_point(p, x, ev, word, key);
	return 1;
}

/* The first lane that is free by then; the last one takes all that finds none. */
static int64_t take_lane(struct timeline *t, uint64_t begin_ns, uint64_t ns)
{
	unsigned int i = 0;

	while (i < TIMELINE_LANES - 1 && t->busy_until[i] > begin_ns)
		i++;
	t->busy_until[i] = begin_ns + ns;
	return i;
}

static unsigned int read_slice(struct timeline *t, const struct export *x, const struct event *ev,
			       struct timeline_point *p)
{
	p->kind = POINT_SLICE;
	name_point(p, x, ev, "read", READ_CAUSE);
	p->duration_ns = event_get(ev, READ_NS, 0);
	p->device = (int64_t)event_get(ev, READ_TYPE, 0);
	p->lane = take_lane(t, ev->t_ns, p->duration_ns);
	return 1;
}

static unsigned int request(struct timeline *t, const struct event *ev, struct timeline_point *p)
{
	if (!event_get(ev, ALLOC_ORDER, 0))
		return 0;
	t->asked++;
	t->fell_back += ev->type == EV_ALLOCFAIL;
	return counter(p, "large folios that fell back, %",
		       100.0 * (double)t->fell_back / (double)t->asked);
}

unsigned int timeline_points(struct timeline *t, const struct export *x, const struct event *ev,
			     struct timeline_point *out)
{
	memset(out, 0, TIMELINE_POINTS * sizeof(*out));
	for (unsigned int i = 0; i < TIMELINE_POINTS; i++)
		out[i].device = -1;
	switch (ev->type) {
	case EV_LOOKUP:
		out->kind = POINT_SLICE;
		out->of_thread = true;
		name_point(out, x, ev, "need", LOOKUP_CAUSE);
		return 1;
	case EV_RA:
		return event_has(ev, RA_RET)
			       ? counter(out, "readahead window, pages", (double)ev->v[RA_RET])
			       : 0;
	case EV_READ:
		return read_slice(t, x, ev, out);
	case EV_ALLOC:
	case EV_ALLOCFAIL:
		return request(t, ev, out);
	case EV_DRAIN:
		out->of_thread = true;
		return mark(out, x, ev, "drain", DRAIN_SITE);
	case EV_SWAPOFF:
		return mark(out, x, ev, "swapoff", SWAPOFF_OP);
	case EV_LOST:
		t->lost += event_get(ev, LOST_N, 0);
		return counter(out, "events lost", (double)t->lost) +
		       mark(out + 1, x, ev, "events lost", EVENT_KEYS - 1);
	default:
		return 0;
	}
}
