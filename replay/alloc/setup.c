// SPDX-License-Identifier: GPL-2.0
/* Begin and end of the family of the slot allocators. */
#include "replay/alloc/family.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- set-up ---------------------------------------------------------------------------------- */

/* Does the trace tell of requests for slots, or at least of what they got? */
static bool has_requests(const struct survey *s)
{
	return s->events[EV_SWAPOUT] || s->events[EV_ALLOC] || s->events[EV_ALLOCFAIL];
}

/* What the policy says of slots can only be followed where the trace tells who asked for them. */
static bool can_follow(const struct replay_context *x, const struct policy *p)
{
	/* Other devices have data in them also where nothing is added any more. */
	return has_requests(x->survey) || (p->alloc.devices && x->survey->total);
}

bool alloc_told(const struct replay_context *x)
{
	const uint64_t *n = x->survey->events;

	for (unsigned int i = 0; i < x->o->npolicies; i++)
		if (alloc_policy_set(&x->o->policies[i].alloc) && can_follow(x, &x->o->policies[i]))
			return true;
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

static void configure(const struct alloc_state *a, const struct trace_header *h,
		      const struct policy *p, struct alloc_run_config *cfg)
{
	*cfg = (struct alloc_run_config){
		.allocator = allocator_of(p),
		.policy = &p->alloc,
		.nr_cpus = p->cpus && p->cpus <= SWAP_MAX_CPUS ? p->cpus : a->cpus,
		.cluster_slots = cluster_slots(h),
		.slots_cache = a->x->world->requests.from_above && !keeps_groups_apart(&p->alloc),
		.recorded = &a->world,
	};
	cfg->own = !strcmp(cfg->allocator, a->x->recorded->allocator) && !p->cpus &&
		   !p->alloc.devices && !p->alloc.reserve;
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (!trace_header_imaginary(h, t))
			cfg->pages[t] = a->x->survey->dev[t].max_pages
						? a->x->survey->dev[t].max_pages
						: a->x->survey->dev[t].size;
}

static int init_runs(struct alloc_state *a)
{
	const struct trace_header *h = a->x->header;
	const struct policy *p = a->x->o->policies;
	struct alloc_run_config cfg;
	int ret = 0;

	for (unsigned int i = 0; i < a->x->o->npolicies && !ret; i++) {
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
		ret = alloc_run_init(&a->runs[a->nruns++], &cfg, &a->x->results[i].alloc,
				     a->x->error);
	}
	if (ret || !a->verifying)
		return ret;
	configure(a, h, &p[0], &cfg);
	return alloc_verify_init(&a->verify, &cfg, &a->x->results[0].verify, !a->x->survey->in_use,
				 a->x->error);
}

static int init_slices(struct alloc_state *a)
{
	for (unsigned int i = 0; a->x->slice_ns && i < a->nruns; i++) {
		struct alloc_result *res = a->runs[i].result;

		res->slices = calloc(a->x->o->slices, sizeof(*res->slices));
		if (!res->slices)
			return -ENOMEM;
		res->nslices = a->x->o->slices;
		for (unsigned int k = 0; k < res->nslices; k++)
			res->slices[k].t_ns = a->x->survey->first_ns + k * a->x->slice_ns;
		a->runs[i].slice = res->slices;
	}
	a->next_slice_ns = a->x->survey->first_ns + a->x->slice_ns;
	return 0;
}

/* Devices that were on at the start: those of the header, and those only slots are known of. */
static int first_devices(struct alloc_state *a, const struct trace_header *h)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	int ret = 0;

	for (unsigned int i = 0; i < n && !ret; i++) {
		struct alloc_swapon on = {
			.type = d[i].type,
			.pages = d[i].have_pages && d[i].pages < SLOT_NOWHERE
					 ? (uint32_t)d[i].pages
					 : (uint32_t)a->x->survey->dev[d[i].type % SLOT_DEVICES]
						   .size,
			.prio = d[i].have_prio ? d[i].prio : SWAP_PRIO_DEFAULT,
			.flags = d[i].have_flags ? d[i].flags : DEVICE_SSD | DEVICE_BLKDEV,
			.have_flags = d[i].have_flags,
		};

		if (on.type < ALLOC_DEVICES && on.pages >= 2 && !(on.flags & DEVICE_IMAGINARY))
			ret = alloc_swapon_all(a, &on);
	}
	for (unsigned int t = 0; t < ALLOC_DEVICES && !ret; t++) {
		struct alloc_swapon on = { .type = t,
					   .pages = (uint32_t)a->x->survey->dev[t].size,
					   .prio = SWAP_PRIO_DEFAULT,
					   .flags = DEVICE_SSD | DEVICE_BLKDEV };

		if (on.pages >= 2 && !a->x->survey->dev[t].max_pages)
			ret = alloc_swapon_all(a, &on);
	}
	return ret;
}

static int policy_devices(struct alloc_state *a)
{
	int ret = 0;

	for (unsigned int i = 0; i < a->nruns; i++) {
		const struct alloc_policy *p = a->runs[i].cfg.policy;

		for (unsigned int t = 0; p->devices && t < POLICY_DEVICES && !ret; t++) {
			struct alloc_swapon on = { t, p->device[t].pages, p->device[t].prio,
						   p->device[t].flags, true };

			if (p->device[t].present)
				ret = alloc_run_swapon(&a->runs[i], &on);
		}
	}
	return ret;
}

static bool same_start(const struct slots *s, uint32_t a, uint32_t b)
{
	return s->flags[a] == s->flags[b] && s->refs[a] == s->refs[b];
}

static void place_run(struct alloc_state *a, struct slot_run run)
{
	const struct slots *s = &a->x->world->slots;
	bool cache_only = s->flags[run.r] & SLOT_IN_CACHE && !s->refs[run.r];

	for (unsigned int i = 0; i < alloc_all_runs(a); i++) {
		alloc_run_place(alloc_run_at(a, i), run);
		if (cache_only)
			alloc_run_cache_only(alloc_run_at(a, i), run.r, run.n);
	}
}

/* The slots that were in use before the first event, device by device. */
static void place_start(struct alloc_state *a)
{
	const struct slots *s = &a->x->world->slots;
	struct slot_run all;

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		uint32_t index = 0;

		while (slot_device_next(s->numbers, t, &index, &all)) {
			uint32_t r = all.r, end = all.r + all.n;

			while (r < end) {
				uint32_t from = r++;

				while (r < end && same_start(s, from, r))
					r++;
				if (s->flags[from] & SLOT_LIVE)
					place_run(a, (struct slot_run){ from, r - from });
			}
		}
	}
}

static int init_state(struct alloc_state *a, struct replay_context *x)
{
	a->x = x;
	a->cpus = recorded_cpus(x->header, x->survey);
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		a->generated |= trace_header_imaginary(x->header, t);
	a->verifying = x->verified & KERNEL_ALLOCATOR;
	if (trace_header_get(x->header, "release"))
		snprintf(a->release, sizeof(a->release), "%s",
			 trace_header_get(x->header, "release"));
	a->world.slots = &x->world->slots;
	a->world.reclaim_known = x->survey->events[EV_UNCACHE];
	a->late = calloc(a->cpus, sizeof(*a->late));
	return a->late ? requests_init(x->world, a->cpus) : -ENOMEM;
}

static int set_up(struct alloc_state *a, struct replay_context *x)
{
	int ret = init_state(a, x);

	if (!ret)
		ret = init_runs(a);
	if (ret)
		return ret;
	a->verify.draws_known = x->world->requests.hold_draws || x->survey->events[EV_PCPU];
	ret = init_slices(a);
	if (!ret)
		ret = first_devices(a, x->header);
	if (!ret)
		ret = policy_devices(a);
	if (ret)
		return ret;
	place_start(a);
	alloc_listen(a);
	return 0;
}

/* Policies under which data lies elsewhere: where, the others look up. */
static void tell_places(struct alloc_state *a)
{
	for (unsigned int p = 0; p < a->x->o->npolicies; p++)
		if (!a->runs[a->run_of[p]].cfg.own)
			a->x->world->places[p] = &a->runs[a->run_of[p]].places;
}

/* Under such policies data lies elsewhere, and nothing tells where. */
static void tell_unknown(struct replay_context *x, const char *why)
{
	for (unsigned int p = 0; p < x->o->npolicies; p++) {
		if (!alloc_policy_set(&x->o->policies[p].alloc))
			continue;
		x->world->place_unknown[p] = true;
		replay_result_note(&x->results[p], "%s", why);
	}
}

/* Policies of a kernel with another allocator: its other parts can be followed all the same. */
static void tell_unmoved(struct replay_context *x)
{
	for (unsigned int p = 0; p < x->o->npolicies; p++)
		if (x->survey->events[EV_LOOKUP] && !alloc_policy_set(&x->o->policies[p].alloc) &&
		    strcmp(x->o->policies[p].kernel->allocator, x->recorded->allocator))
			replay_result_note(
				&x->results[p],
				"data lie where they were recorded: without requests "
				"for slots (record -e alloc) this kernel's own allocator "
				"has nothing to place");
}

int alloc_prepare(struct replay_context *x, void **family)
{
	struct alloc_state *a;
	int ret;

	if (!alloc_told(x)) {
		tell_unknown(x, "no requests for slots (SWAPOUT, ALLOC, ALLOCFAIL) in the trace: "
				"nothing for another allocator to do, and where its data would lie "
				"is not known");
		tell_unmoved(x);
		return 0;
	}
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	ret = set_up(a, x);
	if (!ret) {
		tell_places(a);
		*family = a;
		return 0;
	}
	alloc_free(a);
	if (ret != -E2BIG)
		return ret;
	/* The rest of the trace can be replayed all the same. */
	error_set(x->error, 0, "%s", "");
	for (unsigned int p = 0; p < x->o->npolicies; p++)
		replay_result_note(&x->results[p],
				   "the devices are too large for the model of the slot allocator "
				   "(2^32 slots): its part is left out; name their sizes in the "
				   "header if they are smaller");
	tell_unknown(x, "where the data would lie is not known");
	return 0;
}

void alloc_free(void *family)
{
	struct alloc_state *a = family;

	for (unsigned int i = 0; i < a->nruns; i++)
		alloc_run_free(&a->runs[i]);
	alloc_verify_free(&a->verify);
	free(a->world.taken);
	for (unsigned int cpu = 0; a->late && cpu < a->cpus; cpu++)
		free(a->late[cpu].v);
	free(a->late);
	a->x->world->listener = (struct world_listener){ 0 };
	free(a);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void small_devices(struct alloc_state *a, struct replay_result *res)
{
	const struct alloc_run *run = &a->runs[a->run_of[res - a->x->results]];

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

static void unknown_devices(struct alloc_state *a, struct replay_result *res)
{
	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (res->alloc.devices[t].seen && !a->x->survey->dev[t].max_pages &&
		    !a->x->o->policies[res - a->x->results].alloc.devices)
			replay_result_note(res,
					   "the size of device %u is not in the trace: %" PRIu64
					   " slots were taken, as far as its offsets reach",
					   t, res->alloc.devices[t].pages);
}

/* A worker of the kernel discards; no event tells when it is through with a cluster. */
static void discarding_devices(struct alloc_state *a, struct replay_result *res)
{
	const struct alloc_run *run = &a->runs[a->run_of[res - a->x->results]];

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++)
		if (run->discards >> t & 1)
			replay_result_note(
				res, "device %u discards freed clusters, which is not modelled: %s",
				t,
				run->pool[0]->dev[t].flags & SWAP_DEV_DISCARD
					? "they are free again only when no other cluster is left"
					: "they are free at once");
}

/* What people expect of a cluster for each CPU, no allocator does on a rotational device. */
static void rotational_devices(struct alloc_state *a, struct replay_result *res)
{
	const struct alloc_run *run = &a->runs[a->run_of[res - a->x->results]];

	for (unsigned int t = 0; t < ALLOC_DEVICES; t++) {
		const struct swap_device *d = &run->places.devices.dev[t];

		if (!run->cfg.own && run->cfg.nr_cpus > 1 && d->have_flags &&
		    d->flags & DEVICE_ROTATIONAL)
			replay_result_note(res,
					   "device %u is rotational: %s gives its slots in one row "
					   "to all CPUs",
					   t, res->alloc.allocator);
	}
}

/* The recorded kernel, or the one that a policy names, may have no model of its own. */
static void nearest_allocator(struct alloc_state *a, struct replay_result *res)
{
	const struct policy *p = &a->x->o->policies[res - a->x->results];
	bool recorded = p->kernel == a->x->o->policies[0].kernel;
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

unsigned int alloc_start_unknown(const struct alloc_state *a)
{
	return (a->told_lists ? 0 : START_LISTS) | (a->told_places ? 0 : START_PLACES) |
	       (a->told_caches || !a->verify.run.pool[0]->cache ? 0 : START_CACHES);
}

/* Slots were in use at the start: what would have been needed to know the allocator's state. */
static void say_unknown(const struct alloc_state *a, struct verify_result *v)
{
	static const char *const parts[] = { "lists of clusters", "where CPUs go on",
					     "what slots caches held" };
	unsigned int unknown = a->x->survey->in_use ? alloc_start_unknown(a) : 0;
	size_t len = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (unknown >> i & 1)
			len += (size_t)snprintf(v->alloc_unknown + len,
						sizeof(v->alloc_unknown) - len, "%s%s",
						len ? ", " : "", parts[i]);
}

static void add_notes(struct alloc_state *a, bool own, struct replay_result *res)
{
	nearest_allocator(a, res);
	small_devices(a, res);
	discarding_devices(a, res);
	rotational_devices(a, res);
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
static enum start_state start_state(const struct alloc_state *a)
{
	if (!a->x->survey->in_use)
		return START_BOOT;
	return a->x->survey->events[EV_SLOTS] ? START_SNAPSHOT : START_UNKNOWN;
}

static int finish_policy(struct alloc_state *a, unsigned int p)
{
	struct alloc_run *run = &a->runs[a->run_of[p]];
	struct replay_result *res = &a->x->results[p];

	if (run->result != &res->alloc) {
		int ret = alloc_result_copy(&res->alloc, run->result);

		if (ret)
			return ret;
	}
	if (!a->x->survey->events[EV_LOOKUP] && !a->x->survey->events[EV_RA])
		res->start_state = start_state(a);
	add_notes(a, run->cfg.own, res);
	return 0;
}

int alloc_finish(void *family)
{
	struct alloc_state *a = family;
	struct replay_context *x = a->x;
	int ret = 0;

	alloc_settle_late_all(a);
	alloc_run_all_workers(a, 0);
	for (unsigned int i = 0; i < a->nruns && !ret; i++) {
		struct alloc_result *res = a->runs[i].result;

		ret = alloc_run_finish(&a->runs[i]);
		res->recorded_known = !a->generated && (x->survey->events[EV_ALLOC] ||
							x->survey->events[EV_ALLOCFAIL]);
		memcpy(res->recorded, a->recorded, sizeof(res->recorded));
	}
	for (unsigned int p = 0; p < x->o->npolicies && !ret; p++)
		ret = finish_policy(a, p);
	if (!ret && a->verifying) {
		alloc_verify_finish(&a->verify);
		say_unknown(a, &x->results[0].verify);
	}
	if (!ret && x->o->verify && !a->verifying)
		verify_result_missing(&x->results[0].verify,
				      "slots (no exact model of this kernel's allocator)");
	return ret;
}
