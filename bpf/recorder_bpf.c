// SPDX-License-Identifier: GPL-2.0
#include "bpf/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bpf/backend.h"
#include "bpf/call_sites.h"
#include "bpf/decode.h"
#include "bpf/machine.h"
#include "bpf/read_times.h"
#include "traces/missing_returns.h"

/*
 * A record may come out of a ring later than younger ones: a missed lookup waits until the kernel
 * has shown what it does about it, which can take as long as an allocation under pressure.
 */
#define HORIZON_NS 500000000ull

/* Records of one round over all rings, to be put into order before they are decoded. */
struct batch_entry {
	uint64_t t_ns;
	size_t at;
	size_t len;
};

struct batch {
	uint8_t *data;
	size_t len, room;
	struct batch_entry *entries;
	size_t n, entries_room;
};

struct recorder {
	struct recorder_options o;
	struct bpf_backend *backend;
	const struct hook_choice *choices;
	struct loader_result attached;
	struct decoder decoder;
	struct trace_writer *w;
	struct trace_sorter *sorter;
	struct batch batch;
	struct error failure; /* of a callback */
	unsigned int cpus;
	uint64_t *delivered; /* [cpu * PROBE_NR + probe] */
	uint64_t *lost_told; /* per CPU: what LOST events have said */
	uint64_t lost_since; /* time of the last look at them */
	uint64_t advanced;   /* all events before this are written */
	uint64_t events, ra_calls, late;
	uint32_t comm; /* of the recorder itself */
	struct site_table sites;
	struct read_table *reads;
	uint64_t reads_open; /* READ events whose end was not seen in time */
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

/* ---- events ---- */

/* Every event goes through here. One that is older than what is written keeps its place in line. */
static int add_event(struct recorder *r, struct event *ev)
{
	if (ev->t_ns < r->advanced) {
		ev->t_ns = r->advanced;
		r->late++;
	}
	r->events++;
	return trace_sorter_add(r->sorter, ev, &r->failure);
}

static int take_event(void *arg, const struct event *decoded, unsigned int cpu, int probe)
{
	struct recorder *r = arg;
	struct event ev = *decoded;
	int err = add_event(r, &ev);

	if (!err && probe < PROBE_NR && cpu < r->cpus)
		r->delivered[cpu * PROBE_NR + (unsigned int)probe]++;
	if (ev.type == EV_READ && event_has(&ev, READ_OFF))
		read_table_begin(r->reads, ev.v[READ_TYPE], ev.v[READ_OFF], decoded->t_ns, ev.t_ns);
	r->ra_calls += ev.type == EV_RA;
	return err;
}

static void take_read_end(void *arg, uint64_t type, uint64_t off, const struct record *head)
{
	struct recorder *r = arg;

	if (head->cpu < r->cpus && head->probe < PROBE_NR && !(head->flags & RECORD_MORE))
		r->delivered[head->cpu * PROBE_NR + head->probe]++;
	read_table_end(r->reads, type, off, head->t_ns);
}

/* What was not known yet when the event took its place. */
static void complete_event(void *arg, struct event *ev)
{
	struct recorder *r = arg;
	uint64_t ns;

	if (ev->type != EV_READ)
		return;
	if (read_table_take(r->reads, ev->v[READ_TYPE], ev->v[READ_OFF], ev->t_ns, &ns))
		event_set(ev, READ_NS, ns);
	else
		r->reads_open++;
}

static uint32_t take_string(void *arg, const char *s, size_t len)
{
	struct recorder *r = arg;

	return trace_write_string(r->w, s, len);
}

/* Number of the devices that are on below @type: its line in /proc/swaps. */
static unsigned int swap_index(const struct decoder *d, unsigned int type)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < type; i++)
		n += d->present[i];
	return n;
}

static void name_device(void *arg, struct record_device *dev, struct event *ev)
{
	struct recorder *r = arg;
	char name[256];
	uint32_t id;

	if (!machine_swap_name(r->o.root, swap_index(&r->decoder, dev->type), name, sizeof(name)))
		return;
	id = trace_write_string(r->w, name, strlen(name));
	if (id)
		event_set(ev, SWAPON_NAME, id);
}

static const char *name_site(void *arg, uint64_t address, size_t *len)
{
	struct recorder *r = arg;

	/* Somebody else's kretprobe of the same function was there first and hides the caller. */
	if (sites_trampoline(&r->sites, address))
		return NULL;
	/* A return address lies behind its call, which may be the last instruction. */
	return sites_name(&r->sites, address - 1, len);
}

/* An event that the recorder itself makes. */
static void own_event(struct recorder *r, struct event *ev, enum event_type type, uint64_t t_ns)
{
	event_init(ev, type, t_ns);
	ev->cpu = -1;
	ev->tgid = (int32_t)getpid();
	ev->comm = r->comm;
	event_set(ev, KEY_SELF, 1);
}

static int clock_event(struct recorder *r)
{
	uint64_t boot = clock_ns(CLOCK_BOOTTIME);
	struct event ev;

	own_event(r, &ev, EV_CLOCK, boot);
	event_set(&ev, CLOCK_BOOT, boot);
	event_set(&ev, CLOCK_MONO, clock_ns(CLOCK_MONOTONIC));
	event_set(&ev, CLOCK_REAL, clock_ns(CLOCK_REALTIME));
	return add_event(r, &ev);
}

/* ---- batches ---- */

static int batch_room(struct batch *b, size_t len)
{
	if (b->len + len > b->room) {
		size_t room = (b->len + len) * 2;
		uint8_t *data = realloc(b->data, room);

		if (!data)
			return -ENOMEM;
		b->data = data;
		b->room = room;
	}
	if (b->n == b->entries_room) {
		size_t room = b->n ? b->n * 2 : 4096;
		struct batch_entry *entries = realloc(b->entries, room * sizeof(*entries));

		if (!entries)
			return -ENOMEM;
		b->entries = entries;
		b->entries_room = room;
	}
	return 0;
}

/* Ring buffer callback: nothing but a copy, so that the ring has room again soon. */
static int take_record(void *arg, void *data, size_t len)
{
	struct recorder *r = arg;
	struct batch *b = &r->batch;
	size_t room = (len + 7) & ~(size_t)7;

	if (len < sizeof(struct record)) {
		r->decoder.bad_records++;
		return 0;
	}
	if (batch_room(b, room))
		return error_set(&r->failure, -ENOMEM, "out of memory while recording");
	memcpy(b->data + b->len, data, len);
	b->entries[b->n++] = (struct batch_entry){ .t_ns = ((const struct record *)data)->t_ns,
						   .at = b->len,
						   .len = len };
	b->len += room;
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct batch_entry *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The decoder's tables follow the kernel's order, whichever CPU's ring was read first. */
static int decode_batch(struct recorder *r)
{
	struct batch *b = &r->batch;
	int err = 0;

	qsort(b->entries, b->n, sizeof(*b->entries), compare_entries);
	for (size_t i = 0; i < b->n && !err; i++)
		err = decoder_record(&r->decoder, b->data + b->entries[i].at, b->entries[i].len);
	b->n = 0;
	b->len = 0;
	return err;
}

static int pass_failure(struct recorder *r, int err, struct error *e)
{
	if (!r->failure.code)
		return error_errno(e, err, "reading the ring buffers");
	*e = r->failure;
	return r->failure.code;
}

/* ---- begin ---- */

static int find_devices(struct recorder *r, struct trace_header *h, struct error *e)
{
	char line[512], name[256], escaped[1100] = "";
	unsigned int index = 0;

	for (unsigned int type = 0; type < TYPES_MAX; type++) {
		struct device_args a = { .type = type };
		uint32_t flags;
		size_t len;

		if (bpf_backend_device(r->backend, &a) || !a.used)
			continue;
		r->decoder.devices[type] = (struct record_device){
			.flags = a.flags, .type = type, .max = a.max, .prio = a.prio
		};
		r->decoder.known[type] = r->decoder.present[type] = true;
		flags = decode_device_flags(a.flags);
		len = (size_t)snprintf(line, sizeof(line),
				       "device type=%u pages=%u prio=%d flags=", type, a.max,
				       a.prio);
		for (unsigned int bit = 0; bit < 6; bit++) {
			static const char *const names[] = { "ssd",    "rotational", "sync_io",
							     "blkdev", "file",	     "discard" };

			if (flags >> bit & 1)
				len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s",
							line[len - 1] == '=' ? "" : ",",
							names[bit]);
		}
		if (machine_swap_name(r->o.root, index++, name, sizeof(name)) &&
		    strlen(name) < 200) {
			escape_bytes(name, strlen(name), escaped, sizeof(escaped));
			snprintf(line + len, sizeof(line) - len, " name=%.300s", escaped);
		}
		if (trace_header_add_line(h, line, e))
			return e->code;
	}
	return 0;
}

static int set_header(struct recorder *r, struct trace_header *h, struct error *e)
{
	char text[256], name[128];
	int err = machine_facts(h, r->o.root, e);

	if (err)
		return err;
	err = trace_header_set_u64(h, "cpus", r->cpus);
	if (!err)
		err = trace_header_set(h, "backend", bpf_backend_name(r->backend));
	loader_attach_kinds(r->choices, &r->attached, text, sizeof(text));
	if (!err)
		err = trace_header_set(h, "attach", text);
	if (!err)
		err = trace_header_set(h, "events",
				       hooks_group_names(r->o.groups, name, sizeof(name)));
	if (!err && loader_missing(r->choices, &r->attached, r->o.groups, text, sizeof(text)))
		err = trace_header_set(h, "missing", text);
	if (!err && (r->o.tgid || r->o.cgroup))
		err = trace_header_set_u64(h, "filtered", 1);
	if (!err && r->o.groups & GROUP_ALLOC)
		err = machine_thp_counters(h, r->o.root, "begin");
	if (!err && r->o.groups & GROUP_SWAP)
		err = machine_swap_counters(h, r->o.root, "begin");
	if (err)
		return error_set(e, err, "out of memory for the trace's header");
	return find_devices(r, h, e);
}

static uint32_t page_size(void)
{
	return (uint32_t)sysconf(_SC_PAGESIZE);
}

static int allocate_counts(struct recorder *r, struct error *e)
{
	r->cpus = bpf_backend_cpus(r->backend);
	r->delivered = calloc((size_t)r->cpus * PROBE_NR, sizeof(*r->delivered));
	r->lost_told = calloc(r->cpus, sizeof(*r->lost_told));
	r->reads = read_table_new();
	if (!r->delivered || !r->lost_told || !r->reads || decoder_init(&r->decoder, page_size()))
		return error_set(e, -ENOMEM, "out of memory");
	r->decoder.event = take_event;
	r->decoder.string = take_string;
	r->decoder.swapon = name_device;
	r->decoder.site = name_site;
	r->decoder.read_end = take_read_end;
	r->decoder.arg = r;
	r->decoder.self = (uint32_t)getpid();
	return 0;
}

/* Callers are told by name; and the one drain function calls the other, which is no call site. */
static int read_sites(struct recorder *r, const struct hook_kernel *k, struct error *e)
{
	const struct symbol *copies[SYMBOL_COPIES_MAX];
	const struct symbol_set *set = symbols_find(&k->symbols, "lru_add_drain");
	char path[512];
	int err;

	if (!(r->o.groups & GROUP_LRU))
		return 0;
	snprintf(path, sizeof(path), "%s/proc/kallsyms", r->o.root);
	err = sites_read(&r->sites, path);
	if (err)
		return error_errno(e, err, "%s: the kernel's functions cannot be read", path);
	if (set && symbols_function(set, copies) && copies[0]->address)
		bpf_backend_drain(r->backend, copies[0]->address,
				  sites_end(&r->sites, copies[0]->address));
	return 0;
}

static int attach(struct recorder *r, const struct hook_kernel *k, struct error *e)
{
	struct record_settings s = { .filter_tgid = r->o.tgid,
				     .filter_cgroup = r->o.cgroup,
				     .filter_level = r->o.cgroup_level,
				     .alloc = !!(r->o.groups & GROUP_ALLOC) };
	char release[128];
	int err = bpf_backend_new(&r->backend, r->o.backend, k, r->o.ring_bytes, &s, r->o.root, e);

	machine_release(r->o.root, release, sizeof(release));
	if (!err)
		err = read_sites(r, k, e);
	if (!err)
		err = bpf_backend_prepare(r->backend, r->choices, r->o.groups, r->o.stop, e);
	if (!err)
		err = loader_run(bpf_backend_loading(r->backend), r->backend, r->choices,
				 r->o.groups, release, &r->o.messages, &r->attached, e);
	return err;
}

int recorder_open(struct recorder **out, const struct recorder_options *o,
		  const struct hook_kernel *k, const struct hook_choice *c, struct trace_header *h,
		  struct error *e)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return error_set(e, -ENOMEM, "out of memory");
	r->o = *o;
	r->choices = c;
	err = attach(r, k, e);
	if (!err)
		err = allocate_counts(r, e);
	if (!err)
		err = bpf_backend_rings(r->backend, take_record, r, e);
	if (!err)
		err = set_header(r, h, e);
	if (!err && !symbols_variable(&k->symbols, "swap_info") && o->messages.warning)
		o->messages.warning(o->messages.arg,
				    "the kernel does not tell the addresses of its variables, so "
				    "slots in use, devices and the state of readahead will be "
				    "unknown; 'sysctl kernel.kptr_restrict=1' lets root see them "
				    "(a kernel without CONFIG_KALLSYMS_ALL never does)");
	if (err) {
		recorder_close(r);
		return err;
	}
	*out = r;
	return 0;
}

static int state_event(struct recorder *r)
{
	struct state_args a = {};
	struct event ev;

	if (bpf_backend_state(r->backend, &a))
		return 0;
	own_event(r, &ev, EV_CONFIG, a.t_ns);
	if (a.page_cluster != UNKNOWN_U32)
		event_set(&ev, CONFIG_PAGE_CLUSTER, a.page_cluster);
	if (a.vma_ra != UNKNOWN_U32)
		event_set(&ev, CONFIG_VMA_RA, a.vma_ra);
	if (a.have & RA_HAVE_HITS)
		event_set(&ev, CONFIG_HITS, a.hits);
	if (a.have & RA_HAVE_PREV)
		event_set(&ev, CONFIG_PREV, a.prev);
	if (a.have & RA_HAVE_LAST)
		event_set(&ev, CONFIG_LAST, a.last);
	return add_event(r, &ev);
}

struct slots_run {
	struct recorder *r;
	uint64_t t_ns;
	unsigned int type;
};

static int slots_event(void *arg, uint64_t off, uint64_t n, uint32_t count, bool cached)
{
	struct slots_run *run = arg;
	struct event ev;

	own_event(run->r, &ev, EV_SLOTS, run->t_ns);
	event_set(&ev, SLOTS_TYPE, run->type);
	event_set(&ev, SLOTS_OFF, off);
	event_set(&ev, SLOTS_N, n);
	event_set(&ev, SLOTS_COUNT, count);
	event_set(&ev, SLOTS_CACHED, cached);
	return add_event(run->r, &ev);
}

/* Events that happen meanwhile are in the rings; each piece carries the time just before its copy.
 */
static int snapshot_device(struct recorder *r, unsigned int type, struct error *e)
{
	struct snapshot_args a = { .type = type, .len = SNAPSHOT_CHUNK };
	const uint8_t *bytes;
	int err = 0;

	do {
		struct slots_run run = { .r = r, .type = type };

		if (bpf_backend_snapshot(r->backend, &a, &bytes))
			return 0;
		run.t_ns = a.t_ns;
		err = decode_slots(bytes, a.got, a.from, slots_event, &run);
		if (!err)
			err = recorder_poll(r, 0, e);
		a.from += a.got;
	} while (!err && a.got == SNAPSHOT_CHUNK);
	return err;
}

static int cluster_events(struct recorder *r, unsigned int type, enum cluster_list_kind kind,
			  unsigned int order)
{
	static const enum cluster_list lists[] = { LIST_FREE, LIST_NONFULL, LIST_FRAG, LIST_FULL };
	struct clusters_args a = { .type = type, .list = kind, .order = order };
	const struct cluster_entry *entries;
	int err = 0;

	if (bpf_backend_clusters(r->backend, &a, &entries))
		return 0;
	for (unsigned int i = 0; i < a.got && i < CLUSTER_ENTRIES && !err; i++) {
		struct event ev;

		own_event(r, &ev, EV_CLUSTER, a.t_ns);
		event_set(&ev, CLUSTER_TYPE, type);
		event_set(&ev, CLUSTER_INDEX, entries[i].index);
		event_set(&ev, CLUSTER_LIST, lists[kind]);
		event_set(&ev, CLUSTER_ORDER, entries[i].order);
		event_set(&ev, CLUSTER_USED, entries[i].used);
		err = add_event(r, &ev);
	}
	return err;
}

static int place_events(struct recorder *r, unsigned int type, unsigned int cpu)
{
	struct places_args a = { .type = type, .cpu = cpu };
	int err = 0;

	if (bpf_backend_places(r->backend, &a) || !a.known)
		return 0;
	for (unsigned int order = 0; order < PLACE_ORDERS && !err; order++) {
		struct event ev;

		own_event(r, &ev, EV_PCPU, a.t_ns);
		event_set(&ev, KEY_CPU, cpu);
		event_set(&ev, PCPU_TYPE, type);
		event_set(&ev, PCPU_ORDER, order);
		event_set(&ev, PCPU_NEXT, a.next[order]);
		err = add_event(r, &ev);
	}
	return err;
}

/* Lists in the order in which the allocator goes through them, after the slots that are in use. */
static int allocator_state(struct recorder *r, unsigned int type)
{
	int err = 0;

	if (!(r->o.groups & GROUP_ALLOC))
		return 0;
	for (unsigned int kind = CLUSTERS_FREE; kind <= CLUSTERS_FULL && !err; kind++) {
		bool by_order = kind == CLUSTERS_NONFULL || kind == CLUSTERS_FRAG;

		for (unsigned int order = 0; order < (by_order ? PLACE_ORDERS : 1) && !err; order++)
			err = cluster_events(r, type, (enum cluster_list_kind)kind, order);
	}
	for (unsigned int cpu = 0; cpu < r->cpus && !err; cpu++)
		err = place_events(r, type, cpu);
	return err;
}

/* One entry of the slots cache of @cpu. */
static int parked_event(struct recorder *r, const struct caches_args *a, uint64_t entry,
			enum cache_side side)
{
	struct event ev;

	own_event(r, &ev, EV_PCPU, a->t_ns);
	event_set(&ev, KEY_CPU, a->cpu);
	event_set(&ev, PCPU_TYPE, entry >> ENTRY_TYPE_SHIFT);
	event_set(&ev, PCPU_OFF, entry & ENTRY_OFFSET_MASK);
	event_set(&ev, PCPU_SIDE, side);
	return add_event(r, &ev);
}

static int cache_events(struct recorder *r, unsigned int cpu)
{
	struct caches_args a = { .cpu = cpu };
	const uint64_t *entries;
	int err = 0;

	if (bpf_backend_caches(r->backend, &a, &entries) || !a.known)
		return 0;
	if (a.active != UNKNOWN_U32) {
		struct event ev;

		own_event(r, &ev, EV_PCPU, a.t_ns);
		event_set(&ev, KEY_CPU, cpu);
		event_set(&ev, PCPU_ACTIVE, a.active);
		err = add_event(r, &ev);
	}
	for (unsigned int i = 0; i < a.give && i < CACHE_SLOTS && !err; i++)
		err = parked_event(r, &a, entries[i], SIDE_ALLOC);
	for (unsigned int i = 0; i < a.give_up && i < CACHE_SLOTS && !err; i++)
		err = parked_event(r, &a, entries[CACHE_SLOTS + i], SIDE_FREE);
	return err;
}

int recorder_begin(struct recorder *r, struct trace_writer *w, struct error *e)
{
	static const char comm[] = "swaptrace";
	int err;

	r->w = w;
	r->comm = trace_write_string(w, comm, sizeof(comm) - 1);
	err = trace_sorter_new(&r->sorter, w, e);
	if (err)
		return err;
	trace_sorter_last(r->sorter, complete_event, r);
	r->lost_since = clock_ns(CLOCK_BOOTTIME);
	err = clock_event(r);
	bpf_backend_enable(r->backend, true);
	if (!err)
		err = state_event(r);
	for (unsigned int type = 0; type < TYPES_MAX && !err; type++)
		if (r->decoder.known[type]) {
			err = snapshot_device(r, type, e);
			if (!err)
				err = allocator_state(r, type);
		}
	for (unsigned int cpu = 0; cpu < r->cpus && !err && r->o.groups & GROUP_ALLOC; cpu++)
		err = cache_events(r, cpu);
	return err && !e->code ? pass_failure(r, err, e) : err;
}

/* ---- while it runs ---- */

static uint64_t lost_on(struct recorder *r, unsigned int cpu)
{
	struct probe_counts c;
	uint64_t lost = 0;

	for (unsigned int probe = 0; probe < PROBE_ROWS; probe++)
		if (!bpf_backend_counts(r->backend, cpu, probe, &c))
			lost += c.lost;
	return lost;
}

static int tell_losses(struct recorder *r)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME);
	int err = 0;

	for (unsigned int cpu = 0; cpu < r->cpus && !err; cpu++) {
		uint64_t lost = lost_on(r, cpu), more = lost - r->lost_told[cpu];
		struct event ev;

		if (!more)
			continue;
		r->lost_told[cpu] = lost;
		trace_write_lost(r->w, cpu, more);
		own_event(r, &ev, EV_LOST, now);
		ev.cpu = (int32_t)cpu;
		event_set(&ev, LOST_N, more);
		event_set(&ev, LOST_FROM, r->lost_since);
		event_set(&ev, LOST_TO, now);
		err = add_event(r, &ev);
	}
	r->lost_since = now;
	return err;
}

int recorder_poll(struct recorder *r, int timeout_ms, struct error *e)
{
	uint64_t before;
	int err = bpf_backend_consume(r->backend, timeout_ms);

	before = clock_ns(CLOCK_BOOTTIME);
	if (!err)
		err = bpf_backend_consume(r->backend, 0);
	if (!err)
		err = decode_batch(r);
	if (err)
		return pass_failure(r, err, e);
	if (before - HORIZON_NS <= r->advanced || before < HORIZON_NS)
		return 0;
	err = trace_sorter_advance(r->sorter, before - HORIZON_NS, e);
	r->advanced = before - HORIZON_NS;
	return err;
}

int recorder_flush(struct recorder *r, struct error *e)
{
	int err = tell_losses(r);

	if (err)
		return pass_failure(r, err, e);
	return trace_flush(r->w, e);
}

void recorder_get_status(struct recorder *r, struct recorder_status *s)
{
	memset(s, 0, sizeof(*s));
	s->events = r->events;
	s->ra_calls = r->ra_calls;
	for (unsigned int cpu = 0; cpu < r->cpus; cpu++)
		s->lost += r->lost_told[cpu];
	s->odd_offsets = r->decoder.odd_offsets;
	s->offsets = r->decoder.offsets;
	s->nonzero_offsets = r->decoder.nonzero_offsets;
}

/* ---- end ---- */

static const char *kind_of(const struct recorder *r, size_t i, bool state, char *out, size_t size)
{
	const struct hook_symbol *s = r->choices[i].symbol;
	bool at_exit = s->counts_at_exit || !s->entry;

	snprintf(out, size, "%s%s", attach_kind_name(r->attached.kinds[i], !at_exit, at_exit),
		 state ? ",state" : "");
	return out;
}

/* hits = delivered + lost + filtered, each counted on its own. */
static int probe_line(struct recorder *r, size_t i, unsigned int cpu, struct trace_header *h,
		      struct error *e)
{
	const struct hook_choice *c = &r->choices[i];
	unsigned int probe = (unsigned int)c->hook->probe;
	struct probe_counts n = {};
	char line[512], kind[64];

	if (bpf_backend_counts(r->backend, cpu, probe, &n))
		return 0;
	snprintf(line, sizeof(line),
		 "probe event=%s symbol=%s kind=%s cpu=%u hits=%llu delivered=%llu lost=%llu "
		 "filtered=%llu",
		 c->hook->event, c->copies[0]->name, kind_of(r, i, false, kind, sizeof(kind)), cpu,
		 (unsigned long long)n.hits,
		 (unsigned long long)r->delivered[cpu * PROBE_NR + probe],
		 (unsigned long long)n.lost, (unsigned long long)n.filtered);
	return trace_header_add_line(h, line, e);
}

/*
 * A kretprobe that finds no free instance skips the return without a word; fexit can't. A few calls
 * may be under way when the programs are taken off.
 */
static void tell_missing_returns(struct recorder *r, size_t i, const struct program_runs *runs)
{
	const struct hook_symbol *s = r->choices[i].symbol;
	char text[160], message[256];

	if (!s->entry || !s->counts_at_exit || !runs->have_runs || !r->o.messages.warning ||
	    r->attached.kinds[i] == ATTACH_FENTRY ||
	    returns_missing(runs->entries, runs->runs, runs->missed, text, sizeof(text)) <= r->cpus)
		return;
	snprintf(message, sizeof(message), "%s: %s", s->symbol, text);
	r->o.messages.warning(r->o.messages.arg, message);
}

/*
 * The kernel's own count of program runs over all CPUs, an independent witness of the hits: runs =
 * hits + idle (runs while recording was off). Missed: runs that the kernel refused.
 */
static int runs_line(struct recorder *r, size_t i, struct trace_header *h, struct error *e)
{
	const struct hook_choice *c = &r->choices[i];
	struct program_runs runs = {};
	char line[512], kind[64], idle_text[48] = "";
	uint64_t idle = 0;
	int len;

	if (bpf_backend_runs(r->backend, r->choices, i, r->attached.kinds[i], &runs))
		return 0;
	for (unsigned int cpu = 0; c->hook->probe >= 0 && cpu < r->cpus; cpu++) {
		struct probe_counts n = {};

		bpf_backend_counts(r->backend, cpu, (unsigned int)c->hook->probe, &n);
		idle += n.idle;
	}
	if (c->hook->probe >= 0)
		snprintf(idle_text, sizeof(idle_text), " idle=%llu", (unsigned long long)idle);
	len = snprintf(line, sizeof(line), "probe event=%s symbol=%s kind=%s",
		       c->hook->event ? c->hook->event : "state", c->copies[0]->name,
		       kind_of(r, i, c->hook->probe < 0, kind, sizeof(kind)));
	if (runs.have_runs)
		len += snprintf(line + len, sizeof(line) - (size_t)len, " runs=%llu%s",
				(unsigned long long)runs.runs, idle_text);
	if (runs.have_runs && c->symbol->entry && c->symbol->counts_at_exit)
		len += snprintf(line + len, sizeof(line) - (size_t)len, " entries=%llu",
				(unsigned long long)runs.entries);
	tell_missing_returns(r, i, &runs);
	snprintf(line + len, sizeof(line) - (size_t)len, " missed=%llu",
		 (unsigned long long)runs.missed);
	return trace_header_add_line(h, line, e);
}

static int note_line(struct trace_header *h, const char *key, uint64_t value, bool always,
		     struct error *e)
{
	char line[128];

	if (!value && !always)
		return 0;
	snprintf(line, sizeof(line), "note %s=%llu", key, (unsigned long long)value);
	return trace_header_add_line(h, line, e);
}

static int closing_lines(struct recorder *r, struct trace_header *h, struct error *e)
{
	struct backend_totals t;
	int err = 0;

	for (size_t i = 0; i < hook_plan_len && !err; i++) {
		if (r->attached.kinds[i] == ATTACH_NONE)
			continue;
		for (unsigned int cpu = 0; r->choices[i].hook->probe >= 0 && cpu < r->cpus && !err;
		     cpu++)
			err = probe_line(r, i, cpu, h, e);
		if (!err)
			err = runs_line(r, i, h, e);
	}
	bpf_backend_totals(r->backend, &t);
	if (!err && r->o.groups & GROUP_ALLOC)
		err = machine_thp_counters(h, r->o.root, "end");
	if (!err && r->o.groups & GROUP_SWAP)
		err = machine_swap_counters(h, r->o.root, "end");
	if (!err)
		err = note_line(h, "burst_checked", t.burst_checked, true, e);
	if (!err)
		err = note_line(h, "burst_mismatch", t.burst_mismatch, true, e);
	if (!err)
		err = note_line(h, "tasks_without_state", t.no_state, false, e);
	if (!err)
		err = note_line(h, "reads_without_ns", r->reads_open, false, e);
	if (!err)
		err = note_line(h, "late_events", r->late, false, e);
	if (!err)
		err = note_line(h, "odd_offsets", r->decoder.odd_offsets, false, e);
	if (!err)
		err = note_line(h, "bad_records", r->decoder.bad_records, false, e);
	return err;
}

int recorder_end(struct recorder *r, struct trace_header *closing, bool write, struct error *e)
{
	int err = 0, later;

	/* No new hits from here on; what is under way still sends its records. */
	bpf_backend_enable(r->backend, false);
	if (write && r->sorter) {
		err = recorder_poll(r, 0, e);
		bpf_backend_detach(r->backend);
		if (!err)
			err = recorder_poll(r, 0, e);
		if (!err && bpf_backend_unfinished(r->backend, take_record, r))
			err = pass_failure(r, r->failure.code, e);
		if (!err)
			err = recorder_poll(r, 0, e);
		if (!err && (tell_losses(r) || clock_event(r)))
			err = pass_failure(r, r->failure.code, e);
	}
	bpf_backend_detach(r->backend);
	if (r->sorter) {
		later = trace_sorter_end(r->sorter, NULL, err ? NULL : e);
		r->sorter = NULL;
		if (!err && write)
			err = later;
	}
	later = closing_lines(r, closing, err ? NULL : e);
	return err ? err : later;
}

unsigned int recorder_costs(struct recorder *r, struct recorder_cost *out)
{
	unsigned int n = 0;

	for (size_t i = 0; i < hook_plan_len; i++) {
		const struct hook_choice *c = &r->choices[i];
		struct program_runs runs = {};

		if (r->attached.kinds[i] == ATTACH_NONE ||
		    bpf_backend_runs(r->backend, r->choices, i, r->attached.kinds[i], &runs) ||
		    !runs.have_runs || !runs.runs)
			continue;
		out[n].event = c->hook->event ? c->hook->event : "state";
		out[n].function = c->copies[0]->name;
		snprintf(out[n].kind, sizeof(out[n].kind), "%s",
			 attach_kind_name(r->attached.kinds[i], c->symbol->entry, c->symbol->exit));
		out[n].runs = runs.runs;
		out[n].ns = runs.cost_ns;
		n++;
	}
	return n;
}

void recorder_close(struct recorder *r)
{
	if (!r)
		return;
	if (r->sorter)
		trace_sorter_end(r->sorter, NULL, NULL);
	bpf_backend_free(r->backend);
	decoder_free(&r->decoder);
	sites_free(&r->sites);
	read_table_free(r->reads);
	free(r->batch.data);
	free(r->batch.entries);
	free(r->delivered);
	free(r->lost_told);
	free(r);
}
