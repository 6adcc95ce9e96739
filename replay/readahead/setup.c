// SPDX-License-Identifier: GPL-2.0
/* Begin and end of the family of readahead. */
#include "replay/readahead/family.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/count.h"
#include "replay/cost.h"

/* --- set-up
 * --------------------------------------------------------------------------------------- */

static bool policy_rotational(const struct alloc_policy *p)
{
	for (unsigned int t = 0; t < POLICY_DEVICES; t++)
		if (p->device[t].present && p->device[t].flags & DEVICE_ROTATIONAL)
			return true;
	return false;
}

enum survey_owners readahead_owners(const struct replay_options *o)
{
	enum survey_owners owners = OWNERS_RECORDED;

	for (unsigned int i = 0; i < o->npolicies; i++) {
		const struct policy *p = &o->policies[i];

		if (p->readahead == READAHEAD_VMA)
			return OWNERS_ALWAYS;
		if (p->alloc.devices && !policy_rotational(&p->alloc))
			owners = OWNERS_NO_DISK;
	}
	return owners;
}

/* Whether there is anything for the model. */
static bool swap_events(const struct survey *s)
{
	return s->events[EV_LOOKUP] || s->events[EV_RA] || s->events[EV_READ];
}

bool readahead_told(const struct replay_context *x)
{
	return swap_events(x->survey);
}

enum start_state readahead_set_start(const struct readahead_state *f, struct ra_run *run)
{
	const struct replay_options *o = f->x->o;
	const struct survey *s = f->x->survey;

	if (o->have_init_hits) {
		run_set_global(run, o->init_hits, s->snapshot ? s->prev : 0,
			       s->snapshot ? s->last : 0);
		return START_GIVEN;
	}
	if (s->snapshot) {
		run_set_global(run, s->hits, s->prev, s->last);
		/* A CONFIG event repeats it at its own moment, before the first call. */
		return START_SNAPSHOT;
	}
	if (s->first_cluster.known)
		return START_SNAPSHOT;
	for (uint32_t i = 1; i <= s->nvmas; i++)
		if (s->vma[i].known)
			return START_SNAPSHOT;
	return START_BOOT;
}

static int init_cache(struct readahead_state *f)
{
	const struct survey *s = f->x->survey;
	uint64_t n = slot_numbers_total(&s->numbers);
	unsigned int policies = f->cache.policies;

	f->cache.bits = calloc((size_t)n + 1, policies);
	if (!f->cache.bits)
		return -ENOMEM;
	for (uint64_t r = 0; r < n; r++) {
		uint8_t bits = (s->start[r] & START_CACHED ? SLOT_CACHED : 0) |
			       (s->start[r] & START_MARKED ? SLOT_MARKED : 0);

		if (bits)
			memset(&f->cache.bits[r * policies], bits, policies);
	}
	return 0;
}

static int init_slices(struct readahead_state *f, unsigned int i)
{
	struct replay_result *res = &f->x->results[i];

	if (!f->x->slice_ns)
		return 0;
	res->slices = calloc(f->x->o->slices, sizeof(*res->slices));
	if (!res->slices)
		return -ENOMEM;
	res->nslices = f->x->o->slices;
	for (unsigned int k = 0; k < res->nslices; k++)
		res->slices[k].t_ns = f->x->begin_ns + k * f->x->slice_ns;
	f->runs[i].slice = res->slices;
	return 0;
}

static int init_run(struct readahead_state *f, unsigned int i)
{
	const struct policy *p = &f->x->o->policies[i];
	struct replay_result *res = &f->x->results[i];
	int ret = run_init(&f->runs[i], p, f->x->world, &f->cache, i, f->x->world->places[i], res);

	if (!ret)
		ret = init_slices(f, i);
	if (ret)
		return ret;
	f->swapins |= p->swapin != SWAPIN_RECORDED;
	f->cpus |= p->prev == PREV_PER_CPU;
	res->start_state = readahead_set_start(f, &f->runs[i]);
	res->from_ns = f->x->o->from_ns;
	return readahead_add_phase(f, res, f->x->survey->first_ns);
}

static int init_verify(struct readahead_state *f)
{
	const struct replay_options *o = f->x->o;
	struct policy recorded;
	int ret;

	if (!f->verifying)
		return 0;
	policy_recorded(&recorded, f->x->recorded);
	ret = verify_init(&f->verify, &recorded, f->x->world, &f->cache, o->npolicies,
			  f->x->verified & KERNEL_READAHEAD ? &f->x->results[0].verify
							    : &f->unasked);
	if (!ret)
		readahead_set_start(f, &f->verify.run);
	return ret;
}

int readahead_prepare(struct replay_context *x, void **family)
{
	struct readahead_state *f = calloc(1, sizeof(*f));
	int ret;

	*family = f;
	if (!f)
		return -ENOMEM;
	f->x = x;
	f->waiting = x->o->from_ns > x->survey->first_ns;
	f->verifying = x->verified & KERNEL_READAHEAD || f->waiting;
	f->cache.policies = x->o->npolicies + f->verifying;
	f->cpus = f->verifying || x->world->swapins.read || x->world->swapins.mapped;
	f->page_cluster = x->world->page_cluster;
	f->vma_ra = x->world->vma_ra;
	f->next_slice_ns = x->begin_ns + x->slice_ns;
	f->runs = calloc(x->o->npolicies, sizeof(*f->runs));
	ret = f->runs ? init_cache(f) : -ENOMEM;
	for (unsigned int i = 0; i < x->o->npolicies && !ret; i++)
		ret = init_run(f, i);
	return ret ? ret : init_verify(f);
}

void readahead_free(void *family)
{
	struct readahead_state *f = family;

	for (unsigned int p = 0; f->runs && p < f->x->o->npolicies; p++)
		run_free(&f->runs[p]);
	free(f->runs);
	verify_free(&f->verify);
	free(f->cache.bits);
	free(f);
}

/* --- phases: between two changes of the settings
 * ----------------------------------------------------- */

int readahead_add_phase(struct readahead_state *f, struct replay_result *res, uint64_t t_ns)
{
	struct phase_result *bigger = realloc(res->phases, (res->nphases + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	res->phases = bigger;
	bigger[res->nphases++] = (struct phase_result){ .t_ns = t_ns,
							.page_cluster = f->page_cluster,
							.vma_ra = f->vma_ra };
	return 0;
}

int readahead_end_phase(struct ra_run *run)
{
	struct replay_result *res = run->result;
	struct phase_result *p = &res->phases[res->nphases - 1];
	int ret = run_finish(run);

	if (!ret)
		ret = histogram_difference(&p->cluster_windows, &res->readahead.cluster_windows,
					   &run->before[0]);
	if (!ret)
		ret = histogram_difference(&p->vma_windows, &res->readahead.vma_windows,
					   &run->before[1]);
	return ret;
}

/* --- the end
 * ------------------------------------------------------------------------------------------- */

static void all_unknown(struct readahead_result *ra)
{
	ra->calls = ra->drains = COUNT_UNKNOWN;
	ra->batches = ra->pages_read = ra->ra_pages = ra->hits = ra->writeout_hits = COUNT_UNKNOWN;
	ra->unused = ra->lookups = ra->cache_hits = ra->bypassed = COUNT_UNKNOWN;
	ra->unknown_neighbours = ra->spared = ra->read_alone = COUNT_UNKNOWN;
}

/*
 * Without needs nothing can be replayed, but what the recorded kernel decided is there: its windows
 * are those of the recorded policy. What they do not tell stays unknown.
 */
static int take_recorded_windows(const struct survey *s, struct replay_result *res)
{
	struct readahead_result *ra = &res->readahead;
	int ret;

	if (s->events[EV_LOOKUP] || !s->with_ret || res->what_if)
		return 0;
	ret = histogram_merge(&ra->cluster_windows, &s->windows[0]);
	if (!ret)
		ret = histogram_merge(&ra->vma_windows, &s->windows[1]);
	all_unknown(ra);
	ra->known = true;
	ra->calls = histogram_total(&ra->cluster_windows) + histogram_total(&ra->vma_windows);
	ra->drains = ra->calls;
	for (unsigned int mode = 0; mode < 2; mode++)
		for (unsigned int i = 0; i < s->windows[mode].n; i++)
			if (s->windows[mode].bins[i].pages <= 1)
				ra->drains -= s->windows[mode].bins[i].count;
	replay_result_note(res,
			   "without LOOKUP events there is nothing to replay; 'swaptrace report' "
			   "shows what was recorded, and the windows here are the recorded ones");
	return ret;
}

/* Where what a policy does to the place of data cannot be followed, nothing is claimed. */
static void settle_places(const struct readahead_state *f, unsigned int p)
{
	struct replay_result *res = &f->x->results[p];
	const struct ra_run *run = &f->runs[p];
	struct readahead_result *ra = &res->readahead;

	if (run->misplaced)
		replay_result_note(res,
				   "%" PRIu64 " needs of data whose request for slots is not in "
				   "the trace: taken as lying where it was recorded",
				   run->misplaced);
	if (run->large)
		replay_result_note(res,
				   "%" PRIu64 " needs brought in large folios whose pages do not "
				   "come in together here: which of them would have been needed "
				   "is not known, so what readahead makes of it is not, either",
				   run->large);
	if (!run->large && !f->x->world->place_unknown[p])
		return;
	all_unknown(ra);
	histogram_free(&ra->cluster_windows);
	histogram_free(&ra->vma_windows);
	for (unsigned int i = 0; i < res->nphases; i++) {
		histogram_free(&res->phases[i].cluster_windows);
		histogram_free(&res->phases[i].vma_windows);
	}
	free(res->slices);
	res->slices = NULL;
	res->nslices = 0;
}

/* Seconds, for the policy's own device or the one that was asked for. */
static void estimate(const struct readahead_state *f, unsigned int p)
{
	const struct policy *policy = &f->x->o->policies[p];
	const struct cost_model *c = policy->have_device ? &policy->device : f->x->o->cost;
	struct replay_result *res = &f->x->results[p];

	if (c && f->x->survey->events[EV_LOOKUP] && res->readahead.batches != COUNT_UNKNOWN)
		cost_estimate(c, 1ull << f->x->world->geometry.page_shift, res);
}

static int finish_policy(struct readahead_state *f, unsigned int p)
{
	const struct survey *s = f->x->survey;
	struct replay_result *res = &f->x->results[p];
	int ret = readahead_end_phase(&f->runs[p]);

	run_end_slice(&f->runs[p]);
	res->readahead.known = s->events[EV_LOOKUP] > 0;
	if (!ret)
		ret = take_recorded_windows(s, res);
	if (s->events[EV_LOOKUP])
		settle_places(f, p);
	if (!ret)
		ret = histogram_merge(&res->readahead.windows, &res->readahead.cluster_windows);
	if (!ret)
		ret = histogram_merge(&res->readahead.windows, &res->readahead.vma_windows);
	res->readahead.assumed_slots = s->assumed;
	estimate(f, p);
	return ret;
}

int readahead_finish(void *family)
{
	struct readahead_state *f = family;
	const struct survey *s = f->x->survey;
	bool others = false;
	int ret = 0;

	for (unsigned int p = 0; p < f->x->o->npolicies && !ret; p++)
		ret = finish_policy(f, p);
	for (int t = EV_DRAIN; t <= EV_FLUSH; t++)
		others |= s->events[t] != 0;
	if (ret || !f->x->o->verify || (!swap_events(s) && others))
		return ret;
	if (f->verify.late)
		replay_result_note(&f->x->results[0],
				   "%" PRIu64 " pages went to swap while the call that then read "
				   "them went on; counts of policies are those of its begin",
				   f->verify.late);
	if (f->x->verified & KERNEL_READAHEAD)
		return verify_finish(&f->verify);
	verify_result_missing(&f->x->results[0].verify,
			      "windows, lookups and reads (no exact model of this kernel's "
			      "readahead)");
	return 0;
}
