// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/bytes.h"
#include "traces/file.h"
#include "traces/trace.h"

/*
 * Events wait as packed bytes in one buffer, with an array of {time, place} that is sorted. When
 * the buffer is full it becomes a sorted run in a temporary file; runs are merged in the end.
 * Runs are made in order of arrival, so "earlier run first" keeps ties stable.
 */
#define BUFFER_MAX (48u << 20)
#define RUNS_MAX 64
#define RUN_WINDOW (128u << 10)
/* Fixed part (40 bytes) and EVENT_KEYS numbers of at most 10 bytes. */
#define PACKED_MAX 256
/* Events of one time that are ordered by seq; longer rows of ties are written in parts. */
#define TIES_MAX 1024

struct slot {
	uint64_t t_ns;
	uint32_t at; /* in the buffer */
};

struct run {
	int fd;
	uint64_t pos, size; /* of the file: what has been read into the window so far */
	struct bytes window;
	size_t at;
	struct event ev; /* the run's next event */
	bool done;
};

struct trace_sorter {
	struct trace_writer *w;
	void (*last)(void *arg, struct event *ev);
	void *last_arg;
	bool by_seq;
	struct bytes buffer;
	struct slot *slots, *spare;
	uint32_t n, room;
	uint64_t newest; /* latest time of an event so far */
	bool unsorted;
	struct run *runs[RUNS_MAX];
	unsigned int nruns;
	struct event ties[TIES_MAX];
	unsigned int nties;
};

static int sorter_new(struct trace_sorter **s, struct trace_writer *w, bool by_seq, struct error *e)
{
	*s = calloc(1, sizeof(**s));
	if (!*s)
		return error_errno(e, -ENOMEM, "sorting events");
	(*s)->w = w;
	(*s)->by_seq = by_seq;
	return 0;
}

int trace_sorter_new(struct trace_sorter **s, struct trace_writer *w, struct error *e)
{
	return sorter_new(s, w, true, e);
}

int sorter_new_plain(struct trace_sorter **s, struct trace_writer *w, struct error *e)
{
	return sorter_new(s, w, false, e);
}

void trace_sorter_last(struct trace_sorter *s, void (*last)(void *arg, struct event *ev), void *arg)
{
	s->last = last;
	s->last_arg = arg;
}

static void pack(struct bytes *b, const struct event *ev)
{
	bytes_u64(b, ev->t_ns);
	bytes_u32(b, (uint32_t)ev->cpu);
	bytes_u32(b, (uint32_t)ev->tgid);
	bytes_u32(b, ev->comm);
	bytes_u16(b, ev->type);
	bytes_u32(b, ev->have);
	for (uint32_t left = ev->have; left; left &= left - 1) {
		unsigned int k = (unsigned int)__builtin_ctz(left);

		if (k < EVENT_KEYS)
			bytes_varint(b, ev->v[k]);
	}
}

/* Unpack the event at @p; returns the bytes it takes. */
static size_t unpack(const uint8_t *p, size_t len, struct event *ev)
{
	struct cursor c = { .p = p, .len = len };

	memset(ev, 0, sizeof(*ev));
	ev->t_ns = cursor_u64(&c);
	ev->cpu = (int32_t)cursor_u32(&c);
	ev->tgid = (int32_t)cursor_u32(&c);
	ev->comm = cursor_u32(&c);
	ev->type = cursor_u8(&c);
	ev->type |= (uint16_t)(cursor_u8(&c) << 8);
	ev->have = cursor_u32(&c);
	for (uint32_t left = ev->have; left; left &= left - 1) {
		unsigned int k = (unsigned int)__builtin_ctz(left);

		if (k < EVENT_KEYS)
			ev->v[k] = cursor_varint(&c);
	}
	return c.failed ? 0 : c.at;
}

/* Within one time, events that carry seq take the places of such events in order of seq. */
static void order_ties(struct event *ev, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++) {
		struct event moving = ev[i];
		unsigned int hole = i;

		if (!event_has(&moving, KEY_SEQ))
			continue;
		for (unsigned int j = i; j-- > 0;) {
			if (!event_has(&ev[j], KEY_SEQ))
				continue;
			if (ev[j].v[KEY_SEQ] <= moving.v[KEY_SEQ])
				break;
			ev[hole] = ev[j];
			hole = j;
		}
		ev[hole] = moving;
	}
}

static int flush_ties(struct trace_sorter *s, struct error *e)
{
	int ret = 0;

	order_ties(s->ties, s->nties);
	for (unsigned int i = 0; i < s->nties && !ret; i++) {
		if (s->last)
			s->last(s->last_arg, &s->ties[i]);
		ret = trace_write(s->w, &s->ties[i], e);
	}
	s->nties = 0;
	return ret;
}

/* The next event in final order: events of one time are held back until the time is over. */
static int emit(struct trace_sorter *s, const struct event *ev, struct error *e)
{
	int ret = 0;

	if (!s->by_seq)
		return trace_write(s->w, ev, e);
	if (s->nties && (s->ties[0].t_ns != ev->t_ns || s->nties == TIES_MAX))
		ret = flush_ties(s, e);
	s->ties[s->nties++] = *ev;
	return ret;
}

static bool sorted(const struct slot *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (v[i].t_ns < v[i - 1].t_ns)
			return false;
	return true;
}

static void merge(struct slot *out, const struct slot *a, uint32_t na, const struct slot *b,
		  uint32_t nb)
{
	while (na && nb) {
		if (b->t_ns < a->t_ns) {
			*out++ = *b++;
			nb--;
		} else {
			*out++ = *a++;
			na--;
		}
	}
	memcpy(out, a, na * sizeof(*a));
	memcpy(out + na, b, nb * sizeof(*b));
}

/* Bottom-up merge sort: stable, and a look at each pair is all that sorted input costs. */
static void sort_slots(struct trace_sorter *s)
{
	struct slot *from = s->slots, *to = s->spare;

	if (sorted(from, s->n))
		return;
	for (uint32_t width = 1; width < s->n; width *= 2) {
		for (uint32_t at = 0; at < s->n; at += 2 * width) {
			uint32_t left = s->n - at;
			uint32_t na = left < width ? left : width;
			uint32_t nb = left - na < width ? left - na : width;

			merge(to + at, from + at, na, from + at + na, nb);
		}
		from = to;
		to = from == s->slots ? s->spare : s->slots;
	}
	s->slots = from;
	s->spare = to;
}

static struct run *run_new(struct error *e)
{
	struct run *r = calloc(1, sizeof(*r));

	if (!r) {
		error_errno(e, -ENOMEM, "sorting events");
		return NULL;
	}
	r->fd = file_temporary(e);
	if (r->fd < 0) {
		free(r);
		return NULL;
	}
	return r;
}

static void run_free(struct run *r)
{
	close(r->fd);
	bytes_free(&r->window);
	free(r);
}

static int run_write_out(struct run *r, struct error *e)
{
	size_t done;
	int ret = r->window.failed ? -ENOMEM
				   : file_write_all(r->fd, r->window.p, r->window.len, &done);

	r->size += r->window.len;
	r->window.len = 0;
	return ret ? error_errno(e, ret, "cannot write a temporary file for sorting (set TMPDIR)")
		   : 0;
}

static int run_append(struct run *r, const struct event *ev, struct error *e)
{
	pack(&r->window, ev);
	return r->window.len >= RUN_WINDOW ? run_write_out(r, e) : 0;
}

/* Get the next event of a run into r->ev, refilling the window when it may be cut there. */
static int run_next(struct run *r, struct error *e)
{
	size_t left = r->window.len - r->at;

	if (left < PACKED_MAX && r->pos < r->size) {
		int64_t got;

		memmove(r->window.p, r->window.p + r->at, left);
		r->window.len = left;
		r->at = 0;
		if (!bytes_reserve(&r->window, RUN_WINDOW))
			return error_errno(e, -ENOMEM, "sorting events");
		got = file_read_at(r->fd, r->window.p + left, RUN_WINDOW, r->pos);
		if (got <= 0)
			return error_errno(e, got ? (int)got : -EIO,
					   "cannot read a temporary file for sorting");
		r->pos += (uint64_t)got;
		left += (size_t)got;
		r->window.len = left;
	}
	r->done = !left;
	if (left)
		r->at += unpack(r->window.p + r->at, left, &r->ev);
	return 0;
}

static struct run *oldest_run(struct run **runs, unsigned int n)
{
	struct run *oldest = NULL;

	for (unsigned int i = 0; i < n; i++)
		if (!runs[i]->done && (!oldest || runs[i]->ev.t_ns < oldest->ev.t_ns))
			oldest = runs[i];
	return oldest;
}

/*
 * Merge all runs: into the run @to, or, without it, what is not younger than @last_ns to the writer
 * and the rest back into the buffer, which may make new runs.
 */
static int merge_runs(struct trace_sorter *s, struct run *to, uint64_t last_ns, struct error *e)
{
	struct run *runs[RUNS_MAX], *r;
	unsigned int n = s->nruns;
	int ret = 0;

	memcpy(runs, s->runs, n * sizeof(runs[0]));
	s->nruns = 0;
	for (unsigned int i = 0; i < n && !ret; i++) {
		runs[i]->at = 0;
		runs[i]->window.len = 0;
		ret = run_next(runs[i], e);
	}
	while (!ret && (r = oldest_run(runs, n))) {
		if (to)
			ret = run_append(to, &r->ev, e);
		else if (r->ev.t_ns <= last_ns)
			ret = emit(s, &r->ev, e);
		else
			ret = trace_sorter_add(s, &r->ev, e);
		if (!ret)
			ret = run_next(r, e);
	}
	for (unsigned int i = 0; i < n; i++)
		run_free(runs[i]);
	return ret;
}

/* Sixty-four runs become one, so that no merge has to look at more. */
static int compact_runs(struct trace_sorter *s, struct error *e)
{
	struct run *r = run_new(e);
	int ret;

	if (!r)
		return -EIO;
	ret = merge_runs(s, r, 0, e);
	if (!ret)
		ret = run_write_out(r, e);
	s->runs[s->nruns++] = r;
	return ret;
}

/* All that waits becomes a run. */
static int spill(struct trace_sorter *s, struct error *e)
{
	int ret = s->nruns == RUNS_MAX ? compact_runs(s, e) : 0;
	struct run *r = ret ? NULL : run_new(e);

	if (!r)
		return ret ? ret : -EIO;
	s->runs[s->nruns++] = r;
	sort_slots(s);
	for (uint32_t i = 0; i < s->n && !ret; i++) {
		struct event ev;

		unpack(s->buffer.p + s->slots[i].at, s->buffer.len - s->slots[i].at, &ev);
		ret = run_append(r, &ev, e);
	}
	if (!ret)
		ret = run_write_out(r, e);
	s->n = 0;
	s->buffer.len = 0;
	return ret;
}

static bool grow_slots(struct trace_sorter *s)
{
	uint32_t room = s->room ? s->room * 2 : 1024;
	struct slot *slots, *spare;

	if (s->n < s->room)
		return true;
	slots = realloc(s->slots, room * sizeof(*slots));
	if (slots)
		s->slots = slots;
	spare = slots ? realloc(s->spare, room * sizeof(*spare)) : NULL;
	if (!spare)
		return false;
	s->spare = spare;
	s->room = room;
	return true;
}

int trace_sorter_add(struct trace_sorter *s, const struct event *ev, struct error *e)
{
	uint32_t at = (uint32_t)s->buffer.len;

	if (!grow_slots(s))
		return error_errno(e, -ENOMEM, "sorting events");
	pack(&s->buffer, ev);
	if (s->buffer.failed)
		return error_errno(e, -ENOMEM, "sorting events");
	s->slots[s->n++] = (struct slot){ ev->t_ns, at };
	s->unsorted |= ev->t_ns < s->newest;
	if (ev->t_ns > s->newest)
		s->newest = ev->t_ns;
	return s->buffer.len >= BUFFER_MAX ? spill(s, e) : 0;
}

/* Move what still waits to the front of the buffer, in the order of arrival it has there. */
static int keep_rest(struct trace_sorter *s, uint32_t from)
{
	struct bytes kept = { 0 };
	uint32_t n = 0;

	for (uint32_t i = from; i < s->n; i++) {
		struct slot slot = s->slots[i];
		struct event ev;
		size_t len = unpack(s->buffer.p + slot.at, s->buffer.len - slot.at, &ev);

		s->slots[n++] = (struct slot){ slot.t_ns, (uint32_t)kept.len };
		bytes_put(&kept, s->buffer.p + slot.at, len);
	}
	s->n = n;
	bytes_free(&s->buffer);
	s->buffer = kept;
	return kept.failed ? -ENOMEM : 0;
}

/* Write what of the buffer is not younger than @last_ns. */
static int drain_buffer(struct trace_sorter *s, uint64_t last_ns, struct error *e)
{
	uint32_t i;
	int ret = 0;

	sort_slots(s);
	for (i = 0; i < s->n && s->slots[i].t_ns <= last_ns && !ret; i++) {
		struct event ev;

		unpack(s->buffer.p + s->slots[i].at, s->buffer.len - s->slots[i].at, &ev);
		ret = emit(s, &ev, e);
	}
	if (!ret && i && keep_rest(s, i))
		ret = error_errno(e, -ENOMEM, "sorting events");
	return ret;
}

static int advance_through(struct trace_sorter *s, uint64_t last_ns, struct error *e)
{
	int ret;

	if (s->nruns) {
		ret = spill(s, e);
		if (!ret)
			ret = merge_runs(s, NULL, last_ns, e);
	} else {
		ret = drain_buffer(s, last_ns, e);
	}
	/* Nothing of their time will come any more. */
	if (!ret && s->nties && s->ties[0].t_ns <= last_ns)
		ret = flush_ties(s, e);
	return ret;
}

int trace_sorter_advance(struct trace_sorter *s, uint64_t t_ns, struct error *e)
{
	return t_ns ? advance_through(s, t_ns - 1, e) : 0;
}

static void sorter_free(struct trace_sorter *s)
{
	for (unsigned int i = 0; i < s->nruns; i++)
		run_free(s->runs[i]);
	bytes_free(&s->buffer);
	free(s->slots);
	free(s->spare);
	free(s);
}

int trace_sorter_end(struct trace_sorter *s, bool *unsorted, struct error *e)
{
	int ret = advance_through(s, UINT64_MAX, e);

	if (unsorted)
		*unsorted = s->unsorted;
	sorter_free(s);
	return ret;
}
