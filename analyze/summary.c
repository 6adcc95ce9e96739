// SPDX-License-Identifier: GPL-2.0
#include "analyze/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/distribution.h"
#include "analyze/slotset.h"
#include "analyze/summary_devices.h"
#include "analyze/summary_swapout.h"
#include "analyze/summary_time.h"
#include "import/foreign.h"
#include "render/format.h"

#define COMMS_MAX 65536u	      /* processes told apart; string ids beyond are one "other" */
#define TASKS 4096u		      /* tasks whose current readahead call is followed at a time */
#define PAGES_OF_EVENT_MAX (1u << 24) /* no swap-in is larger; more is damage */

/* Between two lookups of one task there is at most one readahead call. */
struct task {
	int64_t id;
	bool used, called, read;
};

/* What is only needed while gathering. */
struct gathering {
	struct trace_summary *s;
	struct trace_reader *reader;
	struct timeline timeline;
	struct slotset *ahead; /* read ahead and not looked up since */
	struct swapout_gathering *swapout;
	struct device_gathering *devices;
	struct task tasks[TASKS];
	uint64_t batches;
	uint64_t used;	 /* readahead pages that were looked up */
	uint64_t marked; /* lookups that found the readahead mark */
	bool marks_known, hits_known;
	uint64_t by_key;  /* lookups with bypass=1 */
	uint64_t by_flag; /* faults on synchronous devices that may have been bypassed */
	uint64_t probed;  /* runs of readahead probes by the header */
	bool have_probes, have_ra_probe;
	uint64_t *comms; /* lookups by string id */
	uint32_t ncomms;
	int page_cluster, vma_ra;
};

void trace_facts_init(struct trace_facts *f)
{
	memset(f, 0, sizeof(*f));
	f->page_size = f->page_cluster = f->vma_ra = f->cpus = COUNT_UNKNOWN;
	f->thp_swap = f->cluster_slots = COUNT_UNKNOWN;
	f->events = f->lost = COUNT_UNKNOWN;
}

static void copy_text(char *out, size_t size, const char *s)
{
	escape_text(s ? s : "", s ? strlen(s) : 0, out, size);
}

static void copy_number(const struct trace_header *h, const char *key, uint64_t *v)
{
	if (!trace_header_u64(h, key, v))
		*v = COUNT_UNKNOWN;
}

_Static_assert(LOST_UNKNOWN == COUNT_UNKNOWN, "one number for what is not known");

/* What recover wrote down of the file that it saved the trace from. */
static void add_recovered(const struct trace_header *h, struct trace_facts *f)
{
	static const char recovered[] = "recovered ";
	const char *note;
	size_t from = 0;
	uint64_t n;

	while ((note = trace_header_next_directive(h, "note", &from))) {
		if (strncmp(note, recovered, sizeof(recovered) - 1))
			continue;
		f->recovered = true;
		if (trace_line_u64(note, "damaged_blocks", &n))
			f->damaged_blocks += n;
		if (trace_line_u64(note, "damaged_events", &n))
			f->damaged_events += n;
		if (trace_line_u64(note, "truncated", &n))
			f->truncated |= n != 0;
	}
}

void trace_facts_of(const struct trace_reader *r, const char *name, struct trace_facts *f)
{
	const struct trace_header *h = trace_get_header(r);
	const struct trace_stats *stats = trace_get_stats(r);
	const struct trace_device *d;

	trace_facts_init(f);
	copy_text(f->name, sizeof(f->name), name);
	copy_text(f->release, sizeof(f->release), trace_header_get(h, "release"));
	copy_text(f->arch, sizeof(f->arch), trace_header_get(h, "arch"));
	copy_number(h, "page_size", &f->page_size);
	copy_number(h, "page_cluster", &f->page_cluster);
	copy_number(h, "vma_ra", &f->vma_ra);
	copy_number(h, "thp_swap", &f->thp_swap);
	copy_number(h, "cluster_slots", &f->cluster_slots);
	copy_number(h, "cpus", &f->cpus);
	/* Before the first event is read, nobody knows how many there are. */
	f->events = stats->events ? stats->events : COUNT_UNKNOWN;
	f->lost = trace_lost(stats);
	f->damaged_blocks = stats->damaged_blocks;
	f->damaged_events = stats->damaged_events;
	f->truncated = stats->truncated;
	add_recovered(h, f);
	d = trace_header_devices(h, &f->ndevices);
	for (unsigned int i = 0; i < f->ndevices; i++) {
		f->devices[i] = d[i];
		copy_text(f->devices[i].name, sizeof(f->devices[i].name), d[i].name);
	}
}

static const struct trace_device *find_device(const struct gathering *g, uint64_t type)
{
	const struct trace_facts *f = &g->s->facts;

	for (unsigned int i = 0; i < f->ndevices; i++)
		if (f->devices[i].type == type)
			return &f->devices[i];
	return NULL;
}

/*
 * Whether the place an event names can be right. Slot 0 is the header of the device and is never
 * swapped to, so an offset of 0 means that the offset could not be read.
 */
static bool place_is_good(struct gathering *g, const struct event *ev, unsigned int type_key,
			  unsigned int off_key)
{
	struct trace_summary *s = g->s;
	const struct trace_device *d;

	if (!event_has(ev, off_key))
		return true;
	s->offsets++;
	d = event_has(ev, type_key) ? find_device(g, ev->v[type_key]) : NULL;
	if (!ev->v[off_key])
		s->zero_offsets++;
	if (ev->v[off_key] && !(d && d->have_pages && ev->v[off_key] >= d->pages))
		return true;
	s->bad_offsets++;
	return false;
}

static int64_t task_id(const struct event *ev)
{
	if (event_has(ev, KEY_TID))
		return (int64_t)ev->v[KEY_TID];
	return ev->tgid >= 0 ? ev->tgid : -2 - (int64_t)ev->cpu;
}

static void close_call(struct gathering *g, struct task *t)
{
	g->batches += t->called && t->read;
	t->called = t->read = false;
}

/* Two tasks that share a place end each other's call; with 4,096 places that is rare. */
static struct task *find_task(struct gathering *g, const struct event *ev)
{
	int64_t id = task_id(ev);
	struct task *t = &g->tasks[((uint64_t)id * 0x9e3779b97f4a7c15u) >> 52];

	if (t->used && t->id != id)
		close_call(g, t);
	t->used = true;
	t->id = id;
	return t;
}

static int count_comm(struct gathering *g, uint32_t id)
{
	uint32_t room = g->ncomms ? g->ncomms : 64;
	uint64_t *bigger;

	if (id >= COMMS_MAX)
		id = COMMS_MAX - 1;
	while (room <= id)
		room *= 2;
	if (room > g->ncomms) {
		bigger = realloc(g->comms, room * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		memset(bigger + g->ncomms, 0, (room - g->ncomms) * sizeof(*bigger));
		g->comms = bigger;
		g->ncomms = room;
	}
	g->comms[id]++;
	return 0;
}

/* @ahead: the page was read ahead within the trace and not looked up since */
static void take_mark(struct gathering *g, const struct event *ev, struct time_slice *slice,
		      bool ahead)
{
	if (!event_has(ev, LOOKUP_RA))
		return;
	g->marks_known = true;
	if (!ev->v[LOOKUP_RA])
		return;
	g->marked++;
	g->s->earlier_marks += !ahead;
	slice->hits += ahead;
}

static void take_need(struct gathering *g, const struct event *ev, struct time_slice *slice)
{
	struct readahead_result *ra = &g->s->result.readahead;
	const struct trace_device *d;
	bool hit = event_get(ev, LOOKUP_HIT, 0);

	ra->lookups++;
	slice->lookups++;
	g->hits_known |= event_has(ev, LOOKUP_HIT);
	ra->cache_hits += hit;
	slice->cache_hits += hit;
	if (hit)
		return;
	g->s->swapins++;
	devices_swapin(g->devices, &g->s->facts, ev);
	d = find_device(g, ev->v[LOOKUP_TYPE]);
	if (event_get(ev, LOOKUP_BYPASS, 0))
		g->by_key++;
	else if (ev->v[LOOKUP_CAUSE] == LOOKUP_FAULT && d && d->have_flags &&
		 d->flags & DEVICE_SYNC_IO)
		g->by_flag++;
}

static int take_lookup(struct gathering *g, const struct event *ev)
{
	struct time_slice *slice = timeline_at(&g->timeline, ev->t_ns);
	bool good = place_is_good(g, ev, LOOKUP_TYPE, LOOKUP_OFF), ahead = false;
	int ret;

	close_call(g, find_task(g, ev));
	if (!good)
		return 0;
	if (event_has(ev, LOOKUP_OFF))
		ahead = slotset_remove(g->ahead, (uint32_t)ev->v[LOOKUP_TYPE], ev->v[LOOKUP_OFF]);
	g->used += ahead;
	take_need(g, ev, slice);
	take_mark(g, ev, slice, ahead);
	ret = count_comm(g, ev->comm);
	if (!ret && event_has(ev, LOOKUP_CAUSE) && ev->v[LOOKUP_CAUSE] != LOOKUP_FAULT)
		ret = swapoff_lookup(g->s, ev);
	return ret;
}

/*
 * An event that does not say its mode is a return value of swapin_nr_pages(), which only cluster
 * readahead calls, unless it carries an address.
 */
static bool is_vma_mode(const struct event *ev)
{
	if (event_has(ev, RA_MODE))
		return ev->v[RA_MODE] == RA_VMA_MODE;
	return event_has(ev, RA_ADDR) || event_has(ev, RA_VMA);
}

static int take_ra(struct gathering *g, const struct event *ev)
{
	struct replay_result *r = &g->s->result;
	struct time_slice *slice = timeline_at(&g->timeline, ev->t_ns);
	bool vma = is_vma_mode(ev);
	struct phase_result *p;
	struct task *t = find_task(g, ev);
	uint64_t pages = ev->v[RA_RET];
	int ret;

	if (t->called)
		close_call(g, t);
	t->called = true;
	if (!place_is_good(g, ev, RA_TYPE, RA_OFF))
		return 0;
	r->readahead.calls++;
	slice->calls++;
	if (!event_has(ev, RA_RET))
		return 0;
	if (r->readahead.windows.n == WINDOW_SIZES_MAX &&
	    !distribution_count(&r->readahead.windows, pages)) {
		g->s->odd_windows++;
		return 0;
	}
	slice->window_pages += pages;
	if (!r->nphases)
		phase_begin(r, ev->t_ns, g->page_cluster, g->vma_ra);
	if (!r->nphases)
		return -ENOMEM;
	p = &r->phases[r->nphases - 1];
	ret = histogram_add(&r->readahead.windows, pages, 1);
	if (!ret)
		ret = histogram_add(vma ? &r->readahead.vma_windows : &r->readahead.cluster_windows,
				    pages, 1);
	return ret ? ret : histogram_add(vma ? &p->vma_windows : &p->cluster_windows, pages, 1);
}

static void read_ahead(struct gathering *g, const struct event *ev, uint64_t n)
{
	g->s->result.readahead.ra_pages += n;
	if (!event_has(ev, READ_OFF))
		return;
	for (uint64_t i = 0; i < n; i++)
		slotset_add(g->ahead, (uint32_t)ev->v[READ_TYPE], ev->v[READ_OFF] + i);
}

static int take_read(struct gathering *g, const struct event *ev)
{
	struct trace_summary *s = g->s;
	struct time_slice *slice = timeline_at(&g->timeline, ev->t_ns);
	uint64_t n = event_get(ev, READ_N, 1), cause = event_get(ev, READ_CAUSE, READ_KEYS);

	if (cause == READ_DEMAND || cause == READ_RA)
		find_task(g, ev)->read = true;
	if (!place_is_good(g, ev, READ_TYPE, READ_OFF))
		return 0;
	if (n > PAGES_OF_EVENT_MAX) {
		s->offsets += !event_has(ev, READ_OFF);
		s->bad_offsets++;
		return 0;
	}
	s->result.readahead.pages_read += n;
	slice->pages_read += n;
	if (cause == READ_RA) {
		slice->ra_pages += n;
		read_ahead(g, ev, n);
	}
	s->demand_pages += cause == READ_DEMAND ? n : 0;
	s->bypass_pages += cause == READ_BYPASS ? n : 0;
	return 0;
}

static int setting(const struct event *ev, unsigned int key, int otherwise)
{
	return event_has(ev, key) && ev->v[key] < 64 ? (int)ev->v[key] : otherwise;
}

static int take_config(struct gathering *g, const struct event *ev)
{
	g->page_cluster = setting(ev, CONFIG_PAGE_CLUSTER, g->page_cluster);
	g->vma_ra = setting(ev, CONFIG_VMA_RA, g->vma_ra);
	return phase_begin(&g->s->result, ev->t_ns, g->page_cluster, g->vma_ra);
}

static void take_swapon(struct gathering *g, const struct event *ev)
{
	struct trace_facts *f = &g->s->facts;
	struct trace_device *d = NULL;

	if (!event_has(ev, SWAPON_TYPE))
		return;
	for (unsigned int i = 0; i < f->ndevices; i++)
		if (f->devices[i].type == ev->v[SWAPON_TYPE])
			d = &f->devices[i];
	if (!d && f->ndevices < HEADER_DEVICES_MAX)
		d = &f->devices[f->ndevices++];
	if (!d)
		return;
	memset(d, 0, sizeof(*d));
	d->type = (uint32_t)ev->v[SWAPON_TYPE];
	d->have_pages = event_has(ev, SWAPON_PAGES);
	d->pages = ev->v[SWAPON_PAGES];
	d->have_prio = event_has(ev, SWAPON_PRIO);
	d->prio = (int32_t)ev->v[SWAPON_PRIO];
	d->have_flags = event_has(ev, SWAPON_FLAGS);
	d->flags = (uint32_t)ev->v[SWAPON_FLAGS];
	copy_text(d->name, sizeof(d->name),
		  event_has(ev, SWAPON_NAME)
			  ? trace_string(g->reader, (uint32_t)ev->v[SWAPON_NAME], NULL)
			  : NULL);
}

/* Events that stand for requests and answers; the names of a generated trace are no answers. */
static void take_swapout(struct gathering *g, const struct event *ev)
{
	const struct trace_header *h = trace_get_header(g->reader);

	if (ev->type != EV_ALLOC || !trace_header_imaginary(h, ev->v[ALLOC_TYPE]))
		swapout_event(g->swapout, ev);
}

static int take_event(struct gathering *g, const struct event *ev)
{
	struct trace_summary *s = g->s;

	if (ev->type >= EV_NR)
		return 0;
	/* Slots are taken and given back whoever does it. */
	if (devices_event(g->devices, &s->facts, ev))
		return -ENOMEM;
	if (event_get(ev, KEY_FILTERED, 0)) {
		s->filtered++;
		return 0;
	}
	if (!s->first_ns || ev->t_ns < s->first_ns)
		s->first_ns = ev->t_ns;
	if (ev->t_ns > s->last_ns)
		s->last_ns = ev->t_ns;
	s->seen[ev->type]++;
	s->self += event_get(ev, KEY_SELF, 0);
	take_swapout(g, ev);
	switch (ev->type) {
	case EV_LOOKUP:
		return take_lookup(g, ev);
	case EV_RA:
		return take_ra(g, ev);
	case EV_READ:
		return take_read(g, ev);
	case EV_CONFIG:
		return take_config(g, ev);
	case EV_SWAPON:
		take_swapon(g, ev);
		return 0;
	case EV_SWAPOFF:
		return swapoff_event(s, ev);
	case EV_ALLOC:
		swapoff_alloc(s, ev->v[ALLOC_TYPE], event_get(ev, ALLOC_N, 1));
		return 0;
	default:
		return 0;
	}
}

static void read_left_out(struct gathering *g)
{
	const struct trace_header *h = trace_get_header(g->reader);
	const char *line, *at;
	size_t from = 0;

	while ((line = trace_header_next_directive(h, "note", &from))) {
		at = strstr(line, IMPORT_LEFT_OUT);
		if (at)
			escape_text(at, strlen(at), g->s->left_out, sizeof(g->s->left_out));
	}
}

/* Which probes the recording had: "no event" means nothing where there was no probe. */
static void read_probes(struct gathering *g)
{
	const struct trace_header *h = trace_get_header(g->reader);
	const char *line;
	char event[32];
	size_t from = 0;
	uint64_t hits;

	while ((line = trace_header_next_directive(h, "probe", &from))) {
		g->have_probes = true;
		if (!trace_line_get(line, "event", event, sizeof(event)) || strcmp(event, "RA"))
			continue;
		g->have_ra_probe = true;
		if (trace_line_u64(line, "hits", &hits))
			g->probed += hits;
	}
}

static enum no_readahead why_nothing(const struct gathering *g)
{
	const struct trace_summary *s = g->s;

	if (s->result.readahead.calls || s->seen[EV_RA])
		return READAHEAD_SEEN;
	if (s->swapins && s->result.readahead.bypassed != COUNT_UNKNOWN &&
	    s->result.readahead.bypassed >= s->swapins)
		return READAHEAD_BYPASSED;
	if (g->have_ra_probe)
		return g->probed ? READAHEAD_FAILED : READAHEAD_ZERO;
	return g->have_probes ? READAHEAD_NOT_RECORDED : READAHEAD_SILENT;
}

static void settle_bypass(struct gathering *g)
{
	struct trace_summary *s = g->s;
	uint64_t seen = g->by_key > s->bypass_pages ? g->by_key : s->bypass_pages;

	if (!seen && !s->seen[EV_RA] && g->by_flag) {
		seen = g->by_flag;
		s->bypass_inferred = true;
	}
	/* Nothing seen is a zero only where lookups or reads would have shown it. */
	s->result.readahead.bypassed =
		seen || g->hits_known || s->seen[EV_READ] ? seen : COUNT_UNKNOWN;
}

/* Counts of events that the trace does not hold are unknown, not 0. */
static void settle_counts(struct gathering *g)
{
	struct trace_summary *s = g->s;
	struct readahead_result *ra = &s->result.readahead;
	bool lookups = s->seen[EV_LOOKUP], reads = s->seen[EV_READ];

	for (unsigned int i = 0; i < TASKS; i++)
		close_call(g, &g->tasks[i]);
	settle_bypass(g);
	ra->batches = lookups && reads ? g->batches : COUNT_UNKNOWN;
	if (!reads)
		ra->pages_read = ra->ra_pages = s->demand_pages = s->bypass_pages = COUNT_UNKNOWN;
	if (!reads)
		s->earlier_marks = 0; /* the trace does not tell when a page was read ahead */
	ra->hits = g->marks_known     ? g->marked - s->earlier_marks
		   : reads && lookups ? g->used
				      : COUNT_UNKNOWN;
	ra->writeout_hits = COUNT_UNKNOWN; /* only a replay tells them apart */
	ra->unused = COUNT_UNKNOWN;
	if (reads && lookups && !slotset_dropped(g->ahead) && g->used <= ra->ra_pages)
		ra->unused = ra->ra_pages - g->used;
	if (!g->hits_known)
		ra->cache_hits = COUNT_UNKNOWN;
	if (!lookups)
		ra->lookups = COUNT_UNKNOWN;
	ra->unknown_neighbours = ra->assumed_slots = COUNT_UNKNOWN;
	s->why = why_nothing(g);
	ra->known = s->why == READAHEAD_SEEN || s->why == READAHEAD_ZERO ||
		    s->why == READAHEAD_BYPASSED;
	if (!ra->known)
		ra->calls = COUNT_UNKNOWN;
	for (unsigned int i = 0; i < ra->windows.n; i++)
		if (ra->windows.bins[i].pages > 1)
			ra->drains += ra->windows.bins[i].count;
	if (!ra->known || (ra->calls && !ra->windows.n))
		ra->drains = COUNT_UNKNOWN;
}

/* A window whose place could not be read at all is not worth a table. */
static void settle_offsets(struct trace_summary *s)
{
	struct readahead_result *ra = &s->result.readahead;

	if (!s->bad_offsets || s->zero_offsets < s->offsets)
		return;
	ra->known = false;
	ra->calls = ra->drains = COUNT_UNKNOWN;
	histogram_free(&ra->windows);
	histogram_free(&ra->cluster_windows);
	histogram_free(&ra->vma_windows);
}

static void keep_process(struct trace_summary *s, const char *comm, uint64_t lookups)
{
	unsigned int i = s->nprocesses;

	while (i && s->processes[i - 1].lookups < lookups)
		i--;
	if (i == PROCESSES_KEPT)
		return;
	if (s->nprocesses < PROCESSES_KEPT)
		s->nprocesses++;
	memmove(&s->processes[i + 1], &s->processes[i],
		(s->nprocesses - 1 - i) * sizeof(s->processes[0]));
	memset(&s->processes[i], 0, sizeof(s->processes[i]));
	snprintf(s->processes[i].comm, sizeof(s->processes[i].comm), "%s", comm);
	s->processes[i].lookups = lookups;
}

static void settle_processes(struct gathering *g)
{
	for (uint32_t id = 0; id < g->ncomms; id++) {
		char comm[80];
		size_t len = 0;
		const char *s = id ? trace_string(g->reader, id, &len) : NULL;

		if (!g->comms[id])
			continue;
		if (!s)
			snprintf(comm, sizeof(comm), "(unknown)");
		else if (id == COMMS_MAX - 1)
			snprintf(comm, sizeof(comm), "(other)");
		else if (!len)
			snprintf(comm, sizeof(comm), "(empty)");
		else
			escape_text(s, len, comm, sizeof(comm));
		keep_process(g->s, comm, g->comms[id]);
	}
}

static int finish(struct gathering *g)
{
	struct trace_summary *s = g->s;
	struct trace_facts header;

	settle_counts(g);
	settle_offsets(s);
	settle_processes(g);
	phases_finish(&s->result);
	/* Loss and damage are complete only now; the devices grew with SWAPON events. */
	trace_facts_of(g->reader, "", &header);
	s->stats = *trace_get_stats(g->reader);
	s->facts.events = s->stats.events;
	s->facts.lost = s->result.lost = header.lost;
	s->facts.damaged_blocks = header.damaged_blocks;
	s->facts.damaged_events = header.damaged_events;
	s->facts.truncated = header.truncated;
	s->facts.recovered = header.recovered;
	if (swapout_finish(g->swapout, g->reader, &s->alloc, &s->lru) ||
	    devices_finish(g->devices, &s->facts, &s->devices))
		return -ENOMEM;
	return timeline_store(&g->timeline, &s->result);
}

static int begin(struct gathering *g, const char *name)
{
	struct trace_summary *s = g->s;

	trace_facts_of(g->reader, name, &s->facts);
	snprintf(s->result.policy, sizeof(s->result.policy), "recorded");
	g->page_cluster = s->facts.page_cluster < 64 ? (int)s->facts.page_cluster : -1;
	g->vma_ra = s->facts.vma_ra < 2 ? (int)s->facts.vma_ra : -1;
	g->ahead = slotset_new();
	g->swapout = swapout_new();
	g->devices = devices_new();
	read_probes(g);
	read_left_out(g);
	return g->ahead && g->swapout && g->devices ? 0 : -ENOMEM;
}

int trace_summary(struct trace_reader *r, const char *name, struct trace_summary *s,
		  struct error *e)
{
	struct gathering *g = calloc(1, sizeof(*g));
	struct event ev;
	int ret;

	memset(s, 0, sizeof(*s));
	if (!g)
		return error_set(e, -ENOMEM, "%s: out of memory", name);
	g->s = s;
	g->reader = r;
	ret = begin(g, name);
	while (!ret) {
		ret = trace_next(r, &ev, e);
		if (ret <= 0)
			break;
		ret = take_event(g, &ev);
		if (ret)
			error_set(e, ret, "%s: out of memory", name);
	}
	if (!ret && finish(g))
		ret = error_set(e, -ENOMEM, "%s: out of memory", name);
	slotset_free(g->ahead);
	swapout_free(g->swapout);
	devices_free(g->devices);
	free(g->comms);
	free(g);
	if (ret)
		trace_summary_free(s);
	return ret;
}

void trace_summary_free(struct trace_summary *s)
{
	replay_result_free(&s->result);
	alloc_result_free(&s->alloc);
	lru_result_free(&s->lru);
	free(s->devices.slices);
	free(s->series);
	memset(s, 0, sizeof(*s));
}
