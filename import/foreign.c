// SPDX-License-Identifier: GPL-2.0
#include "import/foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/foreign_events.h"
#include "import/foreign_lru.h"
#include "traces/block.h"
#include "traces/file.h"
#include "traces/stats.h"

/* Keeps sums of losses far from 2^64, however many lines of them there are. */
#define LOST_MAX (1ull << 40)

/* What is known of a CPU between two of its lines. */
struct foreign_cpu {
	uint64_t last_ns;
	uint64_t lost; /* since then, to be told with its next line */
	uint64_t all_lost;
	uint64_t gap_ns; /* of the last event before the first gap without a number */
	bool gap;	 /* there was one */
	bool gap_begins; /* gap_ns is known */
	bool seen;
	bool uncounted; /* part of lost stands for an unknown number */
	bool counted;	/* somebody counted what it lost, and be it nothing */
};

struct foreign_import {
	const char *name;
	struct trace_header *header, *closing;
	struct import_sink sink;
	struct trace_sorter *sorter;
	struct trace_stats *stats;
	struct foreign_cpu *cpus; /* [0] is the unknown one, [1 + cpu] the others */
	size_t ncpus;
	uint64_t last_ns;
	uint64_t events; /* all that were taken, also those that mean nothing here */
	struct foreign_lru lru;
	struct foreign_burst burst; /* what the last event of the LRU brought */
	bool thread_only;
};

static struct foreign_cpu *find_cpu(struct foreign_import *in, int64_t cpu)
{
	size_t i = (size_t)(cpu + 1);

	if (i >= in->ncpus) {
		struct foreign_cpu *bigger = realloc(in->cpus, (i + 1) * sizeof(*bigger));

		if (!bigger)
			return NULL;
		memset(bigger + in->ncpus, 0, (i + 1 - in->ncpus) * sizeof(*bigger));
		in->cpus = bigger;
		in->ncpus = i + 1;
	}
	return &in->cpus[i];
}

int foreign_lost(struct foreign_import *in, int64_t cpu, uint64_t n)
{
	struct foreign_cpu *c;

	if (cpu < -1 || cpu >= (int64_t)BLOCK_CPUS_MAX || n > LOST_MAX)
		return 0;
	c = find_cpu(in, cpu);
	if (!c)
		return -ENOMEM;
	c->uncounted |= !n;
	c->lost += n ? n : 1;
	c->all_lost += n ? n : 1;
	in->stats->lost += n ? n : 1;
	return 1;
}

int foreign_counted(struct foreign_import *in, int32_t cpu)
{
	struct foreign_cpu *c;

	if (cpu < 0 || cpu >= (int32_t)BLOCK_CPUS_MAX)
		return 0;
	c = find_cpu(in, cpu);
	if (!c)
		return -ENOMEM;
	c->counted = true;
	in->stats->loss_known = true;
	return 1;
}

const char *foreign_name(const struct foreign_import *in)
{
	return in->name;
}

struct trace_stats *foreign_stats(struct foreign_import *in)
{
	return in->stats;
}

int foreign_header_line(struct foreign_import *in, const char *text)
{
	int ret = trace_header_add_line(in->sink.w ? in->closing : in->header, text, NULL);

	return ret == -ENOMEM ? ret : 1;
}

static int create_replacing(struct import_sink *s, const struct trace_header *h, struct error *e)
{
	return trace_create(&s->w, s->path, h, e);
}

/* The writer is made with the first event: lines before it may be header. */
static int need_writer(struct foreign_import *in, struct error *e)
{
	int ret;

	if (in->sink.w)
		return 0;
	ret = in->sink.create(&in->sink, in->header, e);
	return ret ? ret : sorter_new_plain(&in->sorter, in->sink.w, e);
}

static int put(struct foreign_import *in, const struct event *ev, struct error *e)
{
	if (ev->t_ns < in->last_ns)
		in->stats->unsorted = true;
	else
		in->last_ns = ev->t_ns;
	return trace_sorter_add(in->sorter, ev, e);
}

/* Some of these had to wait and are older than what came since: that is no fault of the input. */
static int put_burst(struct foreign_import *in, struct error *e)
{
	struct foreign_burst *b = &in->burst;
	int ret = 0;

	for (unsigned int i = 0; i < b->n && !ret; i++) {
		struct event *ev = &b->events[i];

		if (ev->type == EV_DRAIN && b->site[0]) {
			uint32_t id = trace_write_string(in->sink.w, b->site, strlen(b->site));

			if (!id)
				return error_errno(e, -ENOMEM, "%s", in->name);
			event_set(ev, DRAIN_SITE, id);
		}
		if (ev->t_ns > in->last_ns)
			in->last_ns = ev->t_ns;
		ret = trace_sorter_add(in->sorter, ev, e);
	}
	b->n = 0;
	return ret;
}

/* What is told at the end, of a CPU that was counted, may be of a gap without a number. */
static void set_loss_begin(struct event *ev, struct foreign_cpu *c)
{
	bool late = c->gap && c->counted;

	if (late ? c->gap_begins : c->seen)
		event_set(ev, LOST_FROM, late ? c->gap_ns : c->last_ns);
	if (c->uncounted && !c->gap) {
		c->gap = true;
		c->gap_begins = c->seen;
		c->gap_ns = c->last_ns;
	}
}

/* What was lost on CPU @cpu (-1: unknown) is told when it is known when the gap ended. */
static int tell_loss(struct foreign_import *in, int64_t cpu, uint64_t to, struct error *e)
{
	struct foreign_cpu *c = &in->cpus[cpu + 1];
	struct event ev;
	char text[128];
	int ret = need_writer(in, e);

	if (!ret && cpu >= 0) {
		/* What ended it may be among what was lost. */
		foreign_lru_close(&in->lru, (int32_t)cpu, &in->burst);
		ret = put_burst(in, e);
	}
	if (ret)
		return ret;
	event_init(&ev, EV_LOST, to);
	ev.cpu = (int32_t)cpu;
	event_set(&ev, LOST_N, c->lost);
	set_loss_begin(&ev, c);
	event_set(&ev, LOST_TO, to);
	if (cpu >= 0)
		trace_write_lost(in->sink.w, (unsigned int)cpu, c->lost);
	if (c->uncounted) {
		snprintf(text, sizeof(text),
			 "note lost before t_ns=%" PRIu64
			 ": at least; one gap or more has no number",
			 to);
		if (foreign_header_line(in, text) < 0)
			return error_errno(e, -ENOMEM, "%s", in->name);
	}
	c->lost = 0;
	c->uncounted = false;
	return put(in, &ev, e);
}

static int seen_on(struct foreign_import *in, int32_t cpu, uint64_t t_ns, struct error *e)
{
	struct foreign_cpu *c = find_cpu(in, cpu);
	int ret = c ? 0 : error_errno(e, -ENOMEM, "%s", in->name);

	if (!ret && c->lost)
		ret = tell_loss(in, cpu, t_ns, e);
	/* Any line ends a gap of which nobody knows the CPU. */
	if (!ret && in->cpus[0].lost)
		ret = tell_loss(in, -1, t_ns, e);
	if (ret)
		return ret;
	for (size_t i = 0;; i = (size_t)(cpu + 1)) {
		if (!in->cpus[i].seen || in->cpus[i].last_ns < t_ns)
			in->cpus[i].last_ns = t_ns;
		in->cpus[i].seen = true;
		if (i == (size_t)(cpu + 1))
			return 0;
	}
}

/* Whose event it is. */
static int fill_who(struct foreign_import *in, const struct foreign_event *f, struct event *ev,
		    struct error *e)
{
	int ret = need_writer(in, e);

	if (ret)
		return ret;
	ev->cpu = f->cpu;
	ev->tgid = f->tgid;
	if (f->tid >= 0 && f->tid != f->tgid)
		event_set(ev, KEY_TID, (uint64_t)f->tid);
	in->thread_only |= f->tgid < 0 && f->tid >= 0;
	if (f->comm) {
		ev->comm = trace_write_string(in->sink.w, f->comm, f->comm_len);
		if (!ev->comm)
			return error_errno(e, -ENOMEM, "%s", in->name);
	}
	return 0;
}

static int take_lru(struct foreign_import *in, const struct foreign_event *f, enum lru_probe probe,
		    struct error *e)
{
	const char *why = NULL;
	struct event who;
	int ret;

	event_init(&who, EV_DRAIN, f->t_ns);
	ret = fill_who(in, f, &who, e);
	if (ret)
		return ret;
	ret = foreign_lru_take(&in->lru, f, probe, &who, &in->burst, &why);
	if (ret)
		return error_errno(e, ret, "%s", in->name);
	if (why)
		stats_bad_line(in->stats, f->number, why);
	/* What waits for its end is in order where it began. */
	if (f->t_ns < in->last_ns)
		in->stats->unsorted = true;
	return put_burst(in, e);
}

static int take_known(struct foreign_import *in, const struct foreign_event *f, struct error *e)
{
	enum lru_probe probe = foreign_lru_probe(f);
	struct event ev;
	const char *why;
	int ret;

	if (probe != LRU_PROBE_NONE)
		return take_lru(in, f, probe, e);
	if (!foreign_event_fill(f, &ev, &why)) {
		in->stats->unknown_events++;
		stats_name_unknown(in->stats, f->name, f->name_len);
		return 0;
	}
	if (why) {
		stats_bad_line(in->stats, f->number, why);
		return 0;
	}
	if (ev.type == EV_RELEASE && foreign_lru_released(&in->lru, f))
		return error_errno(e, -ENOMEM, "%s", in->name);
	ret = fill_who(in, f, &ev, e);
	return ret ? ret : put(in, &ev, e);
}

int foreign_take(struct foreign_import *in, const struct foreign_event *f, struct error *e)
{
	int ret = seen_on(in, f->cpu, f->t_ns, e);

	if (ret)
		return ret;
	in->events++;
	return take_known(in, f, e);
}

/* What the reader of the trace has to know of where it came from. */
static int add_notes(struct foreign_import *in, const struct foreign_source *source,
		     struct error *e)
{
	const char *lines[] = {
		source->clock_note ? source->clock_note
				   : "note times are of the clock that was used there, not "
				     "certainly CLOCK_BOOTTIME",
		in->thread_only ? "note tid is what is shown there; the process is not known"
				: NULL,
		in->lru.derived ? "derived=LRUADD" : NULL,
		in->lru.derived && in->lru.insertions
			? "note LRUADD has the time at which the folio left its batch for the "
			  "list; full batches and drains are not told apart"
			: NULL,
		in->lru.derived && in->lru.moves
			? "note LRUADD is made of the batches that were moved, with the time of "
			  "the move or of the drain that moved them, or right before the "
			  "release that drained"
			: NULL,
	};

	if (in->stats->unknown_events || in->stats->bad_lines) {
		char text[700];

		snprintf(text, sizeof(text),
			 "note " IMPORT_LEFT_OUT "%" PRIu64
			 " events of other kinds%s%s%s and %" PRIu64 " that could not be read",
			 in->stats->unknown_events, in->stats->unknown_events ? " (" : "",
			 in->stats->unknown_events ? in->stats->unknown_names : "",
			 in->stats->unknown_events ? ")" : "", in->stats->bad_lines);
		if (trace_header_add_line(in->closing, text, NULL) == -ENOMEM)
			return error_errno(e, -ENOMEM, "%s", in->name);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (lines[i] && trace_header_add_line(in->closing, lines[i], NULL) == -ENOMEM)
			return error_errno(e, -ENOMEM, "%s", in->name);
	return 0;
}

/* Without these lines the writer makes them, of CPUs that lost something only. */
static int add_loss_lines(struct foreign_import *in, struct error *e)
{
	char line[64];

	if (!in->stats->loss_known)
		return 0;
	for (size_t i = 1; i < in->ncpus; i++) {
		const struct foreign_cpu *c = &in->cpus[i];

		if (!c->counted && !c->all_lost)
			continue;
		snprintf(line, sizeof(line), "loss cpu=%zu n=%" PRIu64, i - 1, c->all_lost);
		if (trace_header_add_line(in->closing, line, NULL))
			return error_errno(e, -ENOMEM, "%s", in->name);
	}
	return 0;
}

/* Losses that no event follows, and drains of which the end was not seen. */
static int tell_the_rest(struct foreign_import *in, struct error *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < in->ncpus; i++)
		if (in->cpus[i].lost)
			ret = tell_loss(in, (int64_t)i - 1, in->last_ns, e);
	for (size_t i = 0; !ret && i < in->lru.ncpus; i++) {
		foreign_lru_close(&in->lru, (int32_t)i, &in->burst);
		ret = put_burst(in, e);
	}
	return ret;
}

static int read_all(struct foreign_import *in, const struct foreign_source *source, struct error *e)
{
	int ret = source->read(in, source->priv, e);

	if (!ret && !in->events && !in->stats->lost)
		ret = error_set(e, -EBADMSG, "%s: %s", in->name, source->nothing);
	if (!ret)
		ret = tell_the_rest(in, e);
	if (!ret)
		ret = need_writer(in, e);
	if (!ret)
		ret = add_notes(in, source, e);
	if (!ret)
		ret = add_loss_lines(in, e);
	if (in->sorter) {
		int end = trace_sorter_end(in->sorter, NULL, ret ? NULL : e);

		ret = ret ? ret : end;
	}
	return ret;
}

int foreign_import(struct foreign_source *source, const char *name, const char *out_path,
		   struct trace_stats *stats, struct error *e)
{
	struct foreign_import *in = calloc(1, sizeof(*in));
	int ret = -ENOMEM;

	memset(stats, 0, sizeof(*stats));
	if (!in)
		return error_errno(e, ret, "%s", name);
	in->name = name;
	in->stats = stats;
	in->sink.create = create_replacing;
	in->sink.path = out_path;
	in->header = trace_header_new();
	in->closing = trace_header_new();
	if (in->header && in->closing &&
	    !trace_header_set(in->header, "backend", source->backend) && find_cpu(in, -1))
		ret = read_all(in, source, e);
	else
		error_errno(e, ret, "%s", name);
	if (!ret)
		ret = trace_finish_counted(in->sink.w, in->closing, &stats->events, e);
	else if (in->sink.w)
		trace_abandon(in->sink.w);
	trace_header_free(in->header);
	trace_header_free(in->closing);
	foreign_lru_free(&in->lru);
	free(in->cpus);
	free(in);
	return ret;
}
