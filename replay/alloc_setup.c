// SPDX-License-Identifier: GPL-2.0
/* Begin and end of the allocator's side of a replay. */
#include "replay/alloc_replay_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- set-up ---------------------------------------------------------------------------------- */

bool alloc_replay_wanted(const struct replay_options *o, const struct survey *s)
{
	const uint64_t *n = s->events;

	for (unsigned int i = 0; i < o->npolicies; i++)
		if (alloc_policy_set(&o->policies[i].alloc))
			return n[EV_SWAPOUT] || n[EV_ALLOC] || n[EV_ALLOCFAIL];
	/* Readahead recordings hold ALLOC too, to tell which slots are in use. */
	return n[EV_SWAPOUT] || n[EV_ALLOCFAIL] || (n[EV_ALLOC] && !n[EV_LOOKUP]);
}

static const char *allocator_of(const struct policy *p)
{
	return p->alloc.allocator[0] ? p->alloc.allocator : p->kernel->allocator;
}

/* SWAPFILE_CLUSTER: the slots of a PMD where large folios are swapped out whole, else 256. */
static unsigned int cluster_slots(const struct trace_header *h)
{
	uint64_t value;

	if (trace_header_u64(h, "thp_swap", &value) && !value)
		return 256;
	if (trace_header_u64(h, "cluster_slots", &value))
		return value <= SWAP_MAX_CLUSTER ? (unsigned int)value : 0;
	/* A page of page-table entries of 8 bytes maps that many pages. */
	if (trace_header_u64(h, "page_size", &value) && value <= 65536 && value >= 4096)
		return (unsigned int)value / 8;
	return 512;
}

static unsigned int recorded_cpus(const struct trace_header *h, const struct survey *s)
{
	uint64_t cpus;

	if (trace_header_u64(h, "cpus", &cpus) && cpus && cpus <= SWAP_MAX_CPUS)
		return (unsigned int)cpus;
	return s->max_cpu < SWAP_MAX_CPUS ? s->max_cpu + 1 : SWAP_MAX_CPUS;
}

static bool keeps_groups_apart(const struct alloc_policy *p)
{
	for (unsigned int t = 0; p->devices && t < POLICY_DEVICES; t++)
		if (p->device[t].nmemcgs)
			return true;
	return false;
}

static void configure(const struct alloc_replay *a, const struct trace_header *h,
		      const struct policy *p, struct alloc_run_config *cfg)
{
	*cfg = (struct alloc_run_config){
		.allocator = allocator_of(p),
		.policy = &p->alloc,
		.nr_cpus = p->cpus && p->cpus <= SWAP_MAX_CPUS ? p->cpus : a->cpus,
		.cluster_slots = cluster_slots(h),
		.slots_cache = a->from_above && !keeps_groups_apart(&p->alloc),
		.world = &a->world,
	};
	cfg->own = !strcmp(cfg->allocator, replay_recorded(a->o)->allocator) && !p->cpus &&
		   !p->alloc.devices && !p->alloc.reserve;
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (!trace_header_imaginary(h, t))
			cfg->pages[t] = a->survey->dev[t].max_pages ? a->survey->dev[t].max_pages
								    : a->survey->dev[t].size;
}

static int init_runs(struct alloc_replay *a, const struct trace_header *h, struct error *err)
{
	const struct policy *p = a->o->policies;
	struct alloc_run_config cfg;
	int ret = 0;

	for (unsigned int i = 0; i < a->o->npolicies && !ret; i++) {
		unsigned int same = 0;

		while (same < i && !(alloc_policy_same(&p[i].alloc, &p[same].alloc) &&
				     p[i].cpus == p[same].cpus &&
				     !strcmp(allocator_of(&p[i]), allocator_of(&p[same]))))
			same++;
		if (same < i) {
			a->run_of[i] = a->run_of[same];
			continue;
		}
		a->run_of[i] = a->nruns;
		configure(a, h, &p[i], &cfg);
		ret = alloc_run_init(&a->runs[a->nruns++], &cfg, &a->results[i].alloc, err);
	}
	if (ret || !a->verifying)
		return ret;
	configure(a, h, &p[0], &cfg);
	return alloc_verify_init(&a->verify, &cfg, &a->results[0].verify, !a->survey->in_use, err);
}

static int init_slices(struct alloc_replay *a)
{
	for (unsigned int i = 0; a->slice_ns && i < a->nruns; i++) {
		struct alloc_result *res = a->runs[i].result;

		res->slices = calloc(a->o->slices, sizeof(*res->slices));
		if (!res->slices)
			return -ENOMEM;
		res->nslices = a->o->slices;
		for (unsigned int k = 0; k < res->nslices; k++)
			res->slices[k].t_ns = a->survey->first_ns + k * a->slice_ns;
		a->runs[i].slice = res->slices;
	}
	a->next_slice_ns = a->survey->first_ns + a->slice_ns;
	return 0;
}

/* Devices that were on at the start: those of the header, and those only slots are known of. */
static int first_devices(struct alloc_replay *a, const struct trace_header *h)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	int ret = 0;

	for (unsigned int i = 0; i < n && !ret; i++) {
		struct alloc_swapon on = {
			.type = d[i].type,
			.pages = d[i].have_pages && d[i].pages < SLOT_NOWHERE
					 ? (uint32_t)d[i].pages
					 : (uint32_t)a->survey->dev[d[i].type % ALLOC_DEVICES].size,
			.prio = d[i].have_prio ? d[i].prio : SWAP_PRIO_DEFAULT,
			.flags = d[i].have_flags ? d[i].flags : DEVICE_SSD | DEVICE_BLKDEV,
		};

		if (on.type < ALLOC_DEVICES && on.pages >= 2 && !(on.flags & DEVICE_IMAGINARY))
			ret = alloc_swapon_all(a, &on);
	}
	for (unsigned int t = 0; t < ALLOC_DEVICES && !ret; t++) {
		struct alloc_swapon on = { t, (uint32_t)a->survey->dev[t].size, SWAP_PRIO_DEFAULT,
					   DEVICE_SSD | DEVICE_BLKDEV };

		if (on.pages >= 2 && !a->survey->dev[t].max_pages)
			ret = alloc_swapon_all(a, &on);
	}
	return ret;
}

static int policy_devices(struct alloc_replay *a)
{
	int ret = 0;

	for (unsigned int i = 0; i < a->nruns; i++) {
		const struct alloc_policy *p = a->runs[i].cfg.policy;

		for (unsigned int t = 0; p->devices && t < POLICY_DEVICES && !ret; t++) {
			struct alloc_swapon on = { t, p->device[t].pages, p->device[t].prio,
						   p->device[t].flags };

			if (p->device[t].present)
				ret = alloc_run_swapon(&a->runs[i], &on);
		}
	}
	return ret;
}

static uint8_t start_state_of(const struct survey_device *d, uint64_t off)
{
	uint8_t state = WORLD_LIVE;

	if (!(d->start[off] & START_IN_USE))
		return 0;
	if (d->start[off] & START_CACHED)
		state |= WORLD_CACHED;
	else if (!d->refs[off])
		state |= 1;
	return alloc_set_refs(state, (state & WORLD_REFS) + d->refs[off]);
}

/* The slots that were in use before the first event. */
static void place_start(struct alloc_replay *a)
{
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct survey_device *d = &a->survey->dev[t];
		uint32_t base = a->world.space.base[t];
		uint64_t off = 1;

		while (off < d->size) {
			uint8_t state = start_state_of(d, off);
			uint64_t end = off + 1;

			while (end < d->size && start_state_of(d, end) == state)
				end++;
			if (state) {
				memset(a->world.state + base + off, state, end - off);
				for (unsigned int i = 0; i < alloc_all_runs(a); i++)
					alloc_run_place(alloc_run_at(a, i), t, (uint32_t)off,
							(uint32_t)(end - off));
			}
			if (state == (WORLD_LIVE | WORLD_CACHED))
				alloc_apply_change(a, 0, CHANGE_CACHE_ONLY, 0, base + (uint32_t)off,
						   (uint32_t)(end - off));
			off = end;
		}
	}
}

static int init_world(struct alloc_replay *a)
{
	const uint64_t *n = a->survey->events;
	uint64_t sizes[ALLOC_DEVICES];
	int ret;

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct survey_device *d = &a->survey->dev[t];

		sizes[t] = d->max_pages > d->size ? d->max_pages : d->size;
	}
	ret = slot_space_init(&a->world.space, sizes, ALLOC_DEVICES);
	if (ret)
		return ret;
	a->world.state = calloc(slot_space_total(&a->world.space) + 1ul, 1);
	a->caches = calloc(a->cpus, sizeof(*a->caches));
	a->late = calloc(a->cpus, sizeof(*a->late));
	a->from_above = n[EV_SWAPOUT];
	a->drops = n[EV_UNREF] || n[EV_UNCACHE];
	a->hold_draws = n[EV_RNG];
	a->world.reclaim_known = n[EV_UNCACHE];
	return a->world.state && a->caches && a->late ? 0 : -ENOMEM;
}

int alloc_replay_new(struct alloc_replay **out, const struct trace_header *h,
		     const struct replay_options *o, const struct survey *survey, uint64_t slice_ns,
		     struct replay_result *results, struct error *err)
{
	struct alloc_replay *a = calloc(1, sizeof(*a));
	int ret;

	*out = a;
	if (!a)
		return error_set(err, -ENOMEM, "out of memory");
	a->o = o;
	a->survey = survey;
	a->results = results;
	a->slice_ns = survey->total ? slice_ns : 0;
	a->swapoff_type = -1;
	a->cpus = recorded_cpus(h, survey);
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		a->generated |= trace_header_imaginary(h, t);
	a->verifying = o->verify && replay_recorded(o)->exact & KERNEL_ALLOCATOR;
	if (trace_header_get(h, "release"))
		snprintf(a->release, sizeof(a->release), "%s", trace_header_get(h, "release"));
	ret = init_world(a);
	if (ret)
		return error_errno(err, ret, "cannot set up the slot allocators");
	ret = init_runs(a, h, err);
	if (ret)
		return ret;
	a->verify.draws_known = a->hold_draws || survey->events[EV_PCPU];
	ret = init_slices(a);
	if (!ret)
		ret = first_devices(a, h);
	if (!ret)
		ret = policy_devices(a);
	if (ret)
		return error_errno(err, ret, "cannot set up the slot allocators");
	place_start(a);
	return 0;
}

void alloc_replay_free(struct alloc_replay *a)
{
	if (!a)
		return;
	for (unsigned int i = 0; i < a->nruns; i++)
		alloc_run_free(&a->runs[i]);
	alloc_verify_free(&a->verify);
	free(a->world.state);
	free(a->world.taken);
	free(a->caches);
	for (unsigned int cpu = 0; a->late && cpu < a->cpus; cpu++)
		free(a->late[cpu].v);
	free(a->late);
	free(a->task);
	map_free(&a->tasks);
	free(a);
}

/* --- the end ---------------------------------------------------------------------------------- */

static int close_requests(struct alloc_replay *a)
{
	int ret = alloc_answer_held(a);

	for (uint32_t t = 0; t < a->ntasks && !ret; t++)
		if (a->task[t].pending)
			ret = alloc_answer_untold(a, t);
	return ret ? ret : alloc_answer_held(a);
}

static void small_devices(struct alloc_replay *a, struct replay_result *res)
{
	const struct alloc_run *run = &a->runs[a->run_of[res - a->results]];

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct alloc_device *d = &res->alloc.devices[t];

		if (d->seen && res->alloc.norders > 1 && d->pages < run->cfg.cluster_slots)
			replay_result_note(
				res,
				"device %u has %" PRIu64
				" slots and is smaller than one cluster (%u slots): the PMD "
				"order can never succeed",
				t, d->pages, run->cfg.cluster_slots);
	}
}

static void unknown_devices(struct alloc_replay *a, struct replay_result *res)
{
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (res->alloc.devices[t].seen && !a->survey->dev[t].max_pages &&
		    !a->o->policies[res - a->results].alloc.devices)
			replay_result_note(res,
					   "the size of device %u is not in the trace: %" PRIu64
					   " slots were taken, as far as its offsets reach",
					   t, res->alloc.devices[t].pages);
}

/* A worker of the kernel discards; no event tells when it is through with a cluster. */
static void discarding_devices(struct alloc_replay *a, struct replay_result *res)
{
	const struct alloc_run *run = &a->runs[a->run_of[res - a->results]];

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (run->discards >> t & 1)
			replay_result_note(
				res, "device %u discards freed clusters, which is not modelled: %s",
				t,
				run->pool[0]->dev[t].flags & SWAP_DEV_DISCARD
					? "they are free again only when no other cluster is left"
					: "they are free at once");
}

/* The recorded kernel, or the one that a policy names, may have no model of its own. */
static void nearest_allocator(struct alloc_replay *a, struct replay_result *res)
{
	const struct policy *p = &a->o->policies[res - a->results];
	bool recorded = p->kernel == a->o->policies[0].kernel;
	const char *release = recorded ? a->release : p->kernel->name;

	if (p->alloc.allocator[0])
		return;
	if (*release && !(p->kernel->exact & KERNEL_ALLOCATOR))
		replay_result_note(
			res,
			"no exact model of the slot allocator of kernel %s: the nearest, %s, "
			"was taken",
			release, res->alloc.allocator);
}

unsigned int alloc_start_unknown(const struct alloc_replay *a)
{
	return (a->told_lists ? 0 : START_LISTS) | (a->told_places ? 0 : START_PLACES) |
	       (a->told_caches || !a->verify.run.pool[0]->cache ? 0 : START_CACHES);
}

/* Slots were in use at the start: what would have been needed to know the allocator's state. */
static void say_unknown(const struct alloc_replay *a, struct verify_result *v)
{
	static const char *const parts[] = { "lists of clusters", "where CPUs go on",
					     "what slots caches held" };
	unsigned int unknown = a->survey->in_use ? alloc_start_unknown(a) : 0;
	size_t len = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (unknown >> i & 1)
			len += (size_t)snprintf(v->alloc_unknown + len,
						sizeof(v->alloc_unknown) - len, "%s%s",
						len ? ", " : "", parts[i]);
}

static void add_notes(struct alloc_replay *a, bool own, struct replay_result *res)
{
	nearest_allocator(a, res);
	small_devices(a, res);
	discarding_devices(a, res);
	unknown_devices(a, res);
	if (res->alloc.norders == 1)
		replay_result_note(res, "large swap-out not possible in this config: no THP_SWAP, "
					"clusters of 256 slots");
	if (a->whole && !own)
		replay_result_note(res,
				   "%" PRIu64 " large folios came back whole: pages of those that "
				   "this allocator had split would have come back, and asked for "
				   "slots again, one by one; the requests are as recorded",
				   a->whole);
	if (a->untold)
		replay_result_note(res,
				   "the slots of %" PRIu64 " requests are not in the trace: what "
				   "becomes of their data cannot be followed",
				   a->untold);
	if (res->alloc.unplaced)
		replay_result_note(res, "%" PRIu64 " pages found no slot under this policy",
				   res->alloc.unplaced);
}

/* The readahead replay says where it started from; without one the slots are all there is. */
static enum start_state start_state(const struct alloc_replay *a)
{
	if (!a->survey->in_use)
		return START_BOOT;
	return a->survey->events[EV_SLOTS] ? START_SNAPSHOT : START_UNKNOWN;
}

static int finish_policy(struct alloc_replay *a, unsigned int p)
{
	struct alloc_run *run = &a->runs[a->run_of[p]];
	struct replay_result *res = &a->results[p];

	if (run->result != &res->alloc) {
		int ret = alloc_result_copy(&res->alloc, run->result);

		if (ret)
			return ret;
	}
	if (!a->survey->events[EV_LOOKUP] && !a->survey->events[EV_RA])
		res->start_state = start_state(a);
	add_notes(a, run->cfg.own, res);
	return 0;
}

int alloc_replay_finish(struct alloc_replay *a)
{
	int ret = close_requests(a);

	alloc_settle_late_all(a);
	alloc_run_all_workers(a, 0);
	for (unsigned int i = 0; i < a->nruns && !ret; i++) {
		struct alloc_result *res = a->runs[i].result;

		ret = alloc_run_finish(&a->runs[i]);
		res->recorded_known = !a->generated && (a->survey->events[EV_ALLOC] ||
							a->survey->events[EV_ALLOCFAIL]);
		memcpy(res->recorded, a->recorded, sizeof(res->recorded));
	}
	for (unsigned int p = 0; p < a->o->npolicies && !ret; p++)
		ret = finish_policy(a, p);
	if (!ret && a->verifying) {
		alloc_verify_finish(&a->verify);
		say_unknown(a, &a->results[0].verify);
	}
	if (!ret && a->o->verify && !a->verifying)
		verify_result_missing(&a->results[0].verify,
				      "slots (no exact model of this kernel's allocator)");
	return ret;
}
