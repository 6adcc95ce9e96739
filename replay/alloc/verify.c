// SPDX-License-Identifier: GPL-2.0
#include "replay/alloc/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Events of other CPUs that are older than this cannot have overlapped (10 ms: a slow guest). */
#define OVERLAP_NS 10000000ull

int alloc_verify_init(struct alloc_verify *v, const struct alloc_run_config *cfg,
		      struct verify_result *out, bool known, struct error *e)
{
	memset(v, 0, sizeof(*v));
	v->out = out;
	v->in_step = known;
	out->done = true;
	if (known)
		out->alloc_in_step = 1;
	return alloc_run_init(&v->run, cfg, &v->scratch, e);
}

void alloc_verify_free(struct alloc_verify *v)
{
	alloc_run_free(&v->run);
	alloc_result_free(&v->scratch);
}

void alloc_verify_moment(struct alloc_verify *v, uint64_t t_ns, unsigned int cpu)
{
	if (v->last.t_ns && v->last.cpu != cpu) {
		v->other.t_ns = v->last.t_ns;
		v->other.cpu = v->last.cpu;
	}
	v->last.t_ns = t_ns;
	v->last.cpu = cpu;
}

/* Several requests at a time, of which the trace does not tell which step came first. */
static bool explain_order(struct alloc_verify *v, const struct slot_request *req,
			  struct divergence *d)
{
	if (v->beside) {
		snprintf(d->why, sizeof(d->why),
			 "others were given slots or freed some %" PRIu64
			 " times while this request was under way",
			 v->beside);
		return true;
	}
	if (v->other.t_ns && v->other.cpu != req->cpu && req->t_ns - v->other.t_ns < OVERLAP_NS) {
		snprintf(d->why, sizeof(d->why),
			 "CPU %u used the allocator %" PRIu64 " ns before: the order may differ",
			 v->other.cpu, req->t_ns - v->other.t_ns);
		return true;
	}
	if (!v->beside_ns)
		return false;
	snprintf(d->why, sizeof(d->why),
		 "requests overlapped at %" PRIu64
		 " ns: since then the kernel's lists may have another order",
		 v->beside_ns);
	return true;
}

static bool explain(struct alloc_verify *v, const struct slot_request *req, struct divergence *d)
{
	if (v->lost) {
		snprintf(d->why, sizeof(d->why), "%" PRIu64 " events were lost before", v->lost);
		return true;
	}
	if (explain_order(v, req, d))
		return true;
	if (v->run.draws_missing && !v->draws_known)
		snprintf(d->why, sizeof(d->why),
			 "the kernel's random draws are not in the trace: %" PRIu64 " were made up",
			 v->run.draws_missing);
	else
		snprintf(d->why, sizeof(d->why), "no explanation in the trace");
	return false;
}

static void count(struct alloc_verify *v, uint64_t checked, uint64_t agreed)
{
	v->out->checked += checked;
	v->out->agreed += agreed;
	v->out->allocs_checked += checked;
	v->out->allocs_agreed += agreed;
}

/* What seemed to be in step is not: the order of a list shows late. */
static void out_of_step(struct alloc_verify *v)
{
	struct verify_result *out = v->out;

	count(v, -v->since.checked, -v->since.agreed);
	out->explained -= v->since.explained;
	out->alloc_in_step = 0;
	out->nfirst = 0;
	v->checked += v->since.checked;
	v->agreed += v->since.agreed;
	out->allocs_settling = 0;
	v->in_step = false;
	v->row = 0;
}

static void keep(struct divergence *first, unsigned int *n, const struct divergence *d)
{
	if (*n < DIVERGENCES_KEPT)
		first[(*n)++] = *d;
}

static void not_in_step(struct alloc_verify *v, uint64_t t_ns, const struct divergence *d)
{
	v->checked++;
	if (d) {
		v->row = 0;
		keep(v->first, &v->nfirst, d);
		return;
	}
	v->agreed++;
	if (!v->row++) {
		v->row_from = v->decisions;
		v->row_from_ns = t_ns;
	}
	if (v->row < ALLOC_IN_STEP)
		return;
	v->in_step = true;
	v->out->alloc_in_step = v->row_from;
	v->out->alloc_in_step_ns = v->row_from_ns;
	v->checked -= v->row;
	v->agreed -= v->row;
	v->out->allocs_settling = v->checked;
	memset(&v->since, 0, sizeof(v->since));
	v->since.checked = v->since.agreed = v->row;
	count(v, v->row, v->row);
}

/* One comparison; @d is NULL where both agree. */
static void compared(struct alloc_verify *v, const struct slot_request *req, struct divergence *d)
{
	bool explained = false;

	v->decisions++;
	if (d) {
		d->t_ns = req->t_ns;
		explained = explain(v, req, d);
	}
	if (v->beside)
		v->beside_ns = req->t_ns;
	if (!v->in_step) {
		not_in_step(v, req->t_ns, d);
		return;
	}
	count(v, 1, !d);
	v->since.checked++;
	v->since.agreed += !d;
	if (!d)
		return;
	if (!explained && v->start_unknown) {
		out_of_step(v);
		keep(v->first, &v->nfirst, d);
		return;
	}
	v->since.explained += explained;
	v->out->explained += explained;
	keep(v->out->first, &v->out->nfirst, d);
}

static void say_slot(const struct alloc_verify *v, char *out, size_t size, unsigned int order,
		     uint32_t x)
{
	unsigned int part;

	if (x == SLOT_NOWHERE) {
		snprintf(out, size, "order=%u nothing", order);
		return;
	}
	part = slot_space_part(&v->run.places.space, x);
	snprintf(out, size, "order=%u type=%u off=%u", order, part,
		 x - v->run.places.space.base[part]);
}

static void differ(struct alloc_verify *v, const struct slot_request *req, const char *event,
		   uint32_t recorded, uint32_t predicted)
{
	struct divergence d = { .event = event };

	say_slot(v, d.recorded, sizeof(d.recorded), req->order, recorded);
	say_slot(v, d.predicted, sizeof(d.predicted), req->order, predicted);
	compared(v, req, &d);
}

/* The model slot that is the recorded slot @r. */
static uint32_t same_slot(const struct alloc_verify *v, uint32_t r)
{
	const struct slot_numbers *numbers = v->run.cfg.recorded->slots->numbers;

	return slot_space_number(&v->run.places.space, slot_number_type(numbers, r),
				 slot_number_off(numbers, r));
}

/* Does the model's device have these slots now? Not where a swapon was not recorded, or is wrong.
 */
static bool slots_exist(const struct alloc_verify *v, uint32_t x, uint32_t n)
{
	unsigned int type = slot_space_part(&v->run.places.space, x);
	const struct swap_dev *dev = &v->run.pool[0]->dev[type];
	uint32_t off = x - v->run.places.space.base[type];

	return dev->present && off < dev->max && n <= dev->max - off;
}

static void give_back(struct alloc_verify *v, uint32_t x, uint32_t n)
{
	unsigned int type = slot_space_part(&v->run.places.space, x);

	swap_alloc_give_back(v->run.pool[0], (int)type, x - v->run.places.space.base[type], n);
}

/* The recorded slots become used, whatever the model thought of them. */
static void take_over(struct alloc_verify *v, uint32_t x, uint32_t n, unsigned int order)
{
	struct swap_alloc *sa = v->run.pool[0];
	unsigned int type = slot_space_part(&v->run.places.space, x);
	uint32_t off = x - v->run.places.space.base[type];

	/* No such order in this config; the recording has it all the same. */
	if (order >= sa->nr_orders)
		order = 0;
	if (!swap_alloc_take(sa, (int)type, off, n, order))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (swap_alloc_take(sa, (int)type, off + i, 1, order) &&
		    swap_alloc_unpark(sa, (int)type, off + i))
			swap_alloc_cache_only(sa, (int)type, off + i, 1, true);
}

/* Where the recorded kernel goes on, as far as its answer shows. */
static void follow_place(struct alloc_verify *v, const struct slot_request *req, uint32_t x,
			 uint32_t n)
{
	struct swap_alloc *sa = v->run.pool[0];
	unsigned int type = slot_space_part(&v->run.places.space, x);
	uint32_t next = x - v->run.places.space.base[type] + n;

	if (!(next & (sa->cluster_slots - 1)))
		next = 0;
	swap_alloc_set_next(sa, req->cpu % sa->nr_cpus, (int)type, req->order, next);
}

static void link_slots(struct alloc_verify *v, uint32_t r, uint32_t x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t other = places_recorded(&v->run.places, x + i);

		/* Data whose slot was not known at the start may have been put there. */
		if (other != SLOT_NOWHERE)
			places_unlink(&v->run.places, other);
		places_unlink(&v->run.places, r + i);
		places_link(&v->run.places, r + i, x + i);
	}
}

/* A batch of order 0: the answers one by one, the first difference counts. */
static uint32_t ask_batch(struct alloc_verify *v, const struct slot_request *req, uint32_t want,
			  uint32_t n)
{
	struct swap_alloc *sa = v->run.pool[0];
	struct swap_entry e[SWAP_BATCH];
	uint32_t x[SWAP_BATCH];
	int got = swap_alloc_get_pages(sa, req->cpu % sa->nr_cpus, 0, n, e);
	bool same = got == (int)n;

	for (int i = 0; i < got; i++) {
		x[i] = slot_space_number(&v->run.places.space, (unsigned int)e[i].type, e[i].off);
		same &= x[i] == want + (uint32_t)i;
	}
	if (same)
		return want;
	for (int i = 0; i < got; i++)
		give_back(v, x[i], 1);
	take_over(v, want, n, 0);
	return got > 0 ? x[0] : SLOT_NOWHERE;
}

/* Requests of order 0 that a slots cache serves take none off. */
static int64_t reserved(const struct alloc_verify *v)
{
	const struct swap_alloc *sa = v->run.pool[0];

	if (!v->waiting || v->lost)
		return 0;
	return (int64_t)(v->waiting[1] +
			 (sa->cache_enabled && sa->cache_active ? 0 : v->waiting[0]));
}

static uint32_t ask(struct alloc_verify *v, const struct slot_request *req)
{
	struct swap_alloc *sa = v->run.pool[0];
	int64_t others = reserved(v);
	uint32_t x;

	sa->nr_swap_pages -= others;
	x = alloc_run_ask(&v->run, req, req->order);
	sa->nr_swap_pages += others;
	return x;
}

int alloc_verify_granted(struct alloc_verify *v, const struct slot_request *req, uint32_t r,
			 uint32_t n)
{
	bool batch = !req->order && n > 1 && n <= SWAP_BATCH;
	uint32_t want, x;

	/* The trace does not tell which slots it got: nothing to compare, and nothing to follow. */
	if (r == SLOT_NOWHERE)
		return 0;
	want = same_slot(v, r);
	if (want == SLOT_NOWHERE)
		return 0;
	x = batch ? ask_batch(v, req, want, n) : ask(v, req);
	if (x == want) {
		compared(v, req, NULL);
	} else {
		differ(v, req, "ALLOC", want, x);
		if (x != SLOT_NOWHERE && !batch)
			give_back(v, x, 1u << req->order);
		if (!slots_exist(v, want, n))
			return 0;
		if (!batch)
			take_over(v, want, n, req->order);
		follow_place(v, req, want, n);
	}
	link_slots(v, r, want, n);
	return alloc_run_give(&v->run, req, want, n);
}

int alloc_verify_refused(struct alloc_verify *v, const struct slot_request *req, bool limited)
{
	uint32_t x;

	if (limited)
		return 0;
	x = ask(v, req);
	if (x == SLOT_NOWHERE) {
		compared(v, req, NULL);
		return 0;
	}
	differ(v, req, "ALLOCFAIL", SLOT_NOWHERE, x);
	give_back(v, x, 1u << req->order);
	return 0;
}

/* The slot becomes number @i of the cache, as if the model had drawn it. */
static void park(struct alloc_verify *v, struct swap_slots_cache *cache, uint32_t i, uint32_t x)
{
	unsigned int type = slot_space_part(&v->run.places.space, x);
	uint32_t off = x - v->run.places.space.base[type];

	take_over(v, x, 1, 0);
	swap_alloc_cache_only(v->run.pool[0], (int)type, off, 1, false);
	cache->slots[i] = (struct swap_entry){ (int)type, off };
}

static struct swap_slots_cache *cache_of(struct alloc_verify *v, const struct slot_request *req)
{
	struct swap_alloc *sa = v->run.pool[0];

	return sa->cache ? &sa->cache[req->cpu % sa->nr_cpus] : NULL;
}

/* The number of a slot in the cache, its @i-th from the beginning of the array. */
static uint32_t parked_slot(const struct alloc_verify *v, const struct swap_slots_cache *cache,
			    uint32_t i)
{
	const struct swap_entry *e = &cache->slots[i];

	return slot_space_number(&v->run.places.space, (unsigned int)e->type, e->off);
}

/* Does the cache hold @n recorded slots from its @from-th on, and nothing behind? */
static bool holds(const struct alloc_verify *v, const struct swap_slots_cache *cache, uint32_t from,
		  const uint32_t *slots, unsigned int n)
{
	if (cache->cur + cache->nr != from + n)
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (same_slot(v, slots[i]) == SLOT_NOWHERE ||
		    same_slot(v, slots[i]) != parked_slot(v, cache, from + i))
			return false;
	return true;
}

/* From its @from-th slot on the cache gets the recorded ones instead of its own. */
static void refill_as_recorded(struct alloc_verify *v, struct swap_slots_cache *cache,
			       uint32_t from, const uint32_t *slots, unsigned int n)
{
	while (cache->nr && cache->cur + cache->nr > from) {
		const struct swap_entry *e = &cache->slots[cache->cur + --cache->nr];

		swap_alloc_give_back(v->run.pool[0], e->type, e->off, 1);
	}
	if (!cache->nr)
		cache->cur = from;
	for (unsigned int i = 0; i < n && cache->cur + cache->nr < SWAP_BATCH; i++) {
		uint32_t want = same_slot(v, slots[i]);

		if (want == SLOT_NOWHERE || !slots_exist(v, want, 1))
			continue;
		park(v, cache, cache->cur + cache->nr, want);
		cache->nr++;
	}
}

/* One decision: what the filling of a cache added to it. */
static void compare_refill(struct alloc_verify *v, const struct slot_request *req,
			   struct swap_slots_cache *cache, uint32_t from, const uint32_t *slots,
			   unsigned int n)
{
	uint32_t end = cache->cur + cache->nr;

	if (holds(v, cache, from, slots, n)) {
		compared(v, req, NULL);
		return;
	}
	differ(v, req, "ALLOC", n ? same_slot(v, slots[n - 1]) : SLOT_NOWHERE,
	       end > from ? parked_slot(v, cache, end - 1) : SLOT_NOWHERE);
	refill_as_recorded(v, cache, from, slots, n);
}

int alloc_verify_refill(struct alloc_verify *v, const struct slot_request *req,
			const uint32_t *slots, unsigned int n, bool cut)
{
	struct swap_slots_cache *cache = cache_of(v, req);
	int ret;

	v->run.pool[0]->refill = cut ? n : SWAP_BATCH;
	ret = alloc_verify_granted(v, req, slots[0], 1);
	v->run.pool[0]->refill = SWAP_BATCH;
	if (!ret && cache && n <= SWAP_BATCH)
		compare_refill(v, req, cache, 1, slots + 1, n - 1);
	return ret;
}

void alloc_verify_refill_rest(struct alloc_verify *v, const struct slot_request *req,
			      const uint32_t *slots, unsigned int n, bool cut)
{
	struct swap_alloc *sa = v->run.pool[0];
	struct swap_slots_cache *cache = cache_of(v, req);
	uint32_t from;

	if (!cache || n > SWAP_BATCH)
		return;
	from = cache->cur + cache->nr;
	swap_alloc_refill(sa, req->cpu % sa->nr_cpus, cut ? n : SWAP_BATCH);
	compare_refill(v, req, cache, from, slots, n);
}

void alloc_verify_finish(struct alloc_verify *v)
{
	if (v->in_step)
		return;
	/* Never ALLOC_IN_STEP in a row: then all of it counts. */
	count(v, v->checked, v->agreed);
	if (v->checked && v->checked == v->agreed)
		v->out->alloc_in_step = 1;
	for (unsigned int i = 0; i < v->nfirst; i++)
		keep(v->out->first, &v->out->nfirst, &v->first[i]);
}
