// SPDX-License-Identifier: GPL-2.0
#include "replay/lru/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The function that releases callers' batches; its inline wrappers count as well. */
static bool is_release(const char *site)
{
	static const char *const names[] = { "__folio_batch_release", "__pagevec_release",
					     "folio_batch_release", "pagevec_release" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(site, names[i]))
			return true;
	return false;
}

/* The functions of readahead, which drain behind a window; the compiler may merge them. */
static bool is_readahead(const char *site)
{
	return !strcmp(site, "swap_cluster_readahead") || !strcmp(site, "swap_vma_readahead") ||
	       !strcmp(site, "swapin_readahead");
}

/* --- set-up -------------------------------------------------------------------------------- */

static void name_site(struct lru_feed *f, unsigned int site, const char *name)
{
	snprintf(f->sites[site], LRU_SITE_NAME, "%s", name);
	for (unsigned int i = 0; i < f->nruns; i++) {
		const struct lru_policy *p = &f->runs[i].policy->lru;

		for (unsigned int k = 0; k < p->noff; k++)
			if (!strcmp(p->off[k], f->sites[site]) ||
			    (site == LRU_SITE_RELEASE && is_release(p->off[k])))
				f->runs[i].model.sites[site].off = true;
	}
}

static int run_set_up(struct lru_feed *f, struct lru_run *run, const struct policy *p,
		      struct replay_result *res)
{
	struct pv_rules rules = p->kernel->batches;
	struct pv_cpu *cpus = calloc(LRU_CPUS, sizeof(*cpus));
	struct pv_site *sites = calloc(LRU_SITES, sizeof(*sites));

	run->policy = p;
	run->result = &res->lru;
	run->model.cpus = cpus;
	run->model.sites = sites;
	if (!cpus || !sites)
		return -ENOMEM;
	if (p->lru.drain != LRU_DRAIN_RECORDED)
		rules.policy = p->lru.drain == LRU_DRAIN_ALWAYS ? PV_DRAIN_ALWAYS : PV_DRAIN_ONCE;
	res->what_if |= lru_policy_differs(&p->lru, f->recorded);
	res->lru.batch_size = rules.capacity;
	res->lru.drains_always = rules.policy == PV_DRAIN_ALWAYS;
	res->lru.lruadd = p->lru.lruadd == LRUADD_RECORDED ? p->kernel->lruadd : p->lru.lruadd;
	return pv_init(&run->model, &rules, cpus, LRU_CPUS, sites, LRU_SITES);
}

int lru_feed_init(struct lru_feed *f, struct trace_reader *r, const struct kernel *recorded,
		  const struct policy *policies, unsigned int n, struct replay_result *results)
{
	memset(f, 0, sizeof(*f));
	f->reader = r;
	f->recorded = recorded;
	f->runs = calloc(n, sizeof(*f->runs));
	f->sites = calloc(LRU_SITES, sizeof(*f->sites));
	if (!f->runs || !f->sites)
		return -ENOMEM;
	for (f->nruns = 0; f->nruns < n;) {
		unsigned int i = f->nruns++;

		if (run_set_up(f, &f->runs[i], &policies[i], &results[i]))
			return -ENOMEM;
	}
	name_site(f, LRU_SITE_UNKNOWN, "(unknown)");
	name_site(f, LRU_SITE_RELEASE, recorded->batch_release);
	f->nsites = LRU_SITE_FIRST;
	return 0;
}

void lru_feed_free(struct lru_feed *f)
{
	for (unsigned int i = 0; f->runs && i < f->nruns; i++) {
		free(f->runs[i].model.cpus);
		free(f->runs[i].model.sites);
	}
	free(f->runs);
	free(f->sites);
	free(f->batches);
	free(f->pending);
	map_free(&f->site_ids);
	map_free(&f->batch_ids);
	map_free(&f->released);
	memset(f, 0, sizeof(*f));
}

/* --- where and who ------------------------------------------------------------------------- */

bool lru_feed_cpu(struct lru_feed *f, int64_t cpu, unsigned int *out)
{
	if (cpu < 0) {
		f->unknown_cpu++;
		cpu = 0;
	}
	if (cpu >= LRU_CPUS) {
		f->outside++;
		return false;
	}
	*out = (unsigned int)cpu;
	return true;
}

bool lru_feed_believes(struct lru_feed *f, uint64_t n)
{
	f->implausible += n > LRU_INSERT_MAX;
	return n <= LRU_INSERT_MAX;
}

static unsigned int run_cpu(const struct lru_run *run, unsigned int cpu)
{
	return run->policy->cpus ? cpu % run->policy->cpus : cpu;
}

/* A new site, or the one whose name is the same but for what a compiler appends to it. */
static uint32_t find_site(struct lru_feed *f, const char *s)
{
	char name[LRU_SITE_NAME];
	size_t len = strcspn(s, ".+");

	if (len >= sizeof(name))
		len = sizeof(name) - 1;
	memcpy(name, s, len);
	name[len] = '\0';
	if (is_release(name)) {
		name_site(f, LRU_SITE_RELEASE, name);
		return LRU_SITE_RELEASE;
	}
	for (uint32_t i = LRU_SITE_FIRST; i < f->nsites; i++)
		if (!strcmp(f->sites[i], name))
			return i;
	if (f->nsites == LRU_SITES)
		return LRU_SITES - 1;
	name_site(f, f->nsites, f->nsites == LRU_SITES - 1 ? "(others)" : name);
	f->by_readahead[f->nsites] = f->nsites < LRU_SITES - 1 && is_readahead(name);
	return f->nsites++;
}

int lru_feed_site(struct lru_feed *f, uint32_t string, uint32_t *site)
{
	uint64_t *known = map_get(&f->site_ids, string, 0);
	const char *s = string ? trace_string(f->reader, string, NULL) : NULL;

	*site = LRU_SITE_UNKNOWN;
	if (known)
		*site = (uint32_t)*known;
	if (known || !s || !*s)
		return 0;
	*site = find_site(f, s);
	return map_set(&f->site_ids, string, 0, *site);
}

/* --- events -------------------------------------------------------------------------------- */

int lru_feed_couple(struct lru_feed *f, unsigned int i)
{
	f->runs[i].coupled = true;
	f->any_coupled = true;
	if (!f->pending)
		f->pending = calloc(LRU_CPUS, sizeof(*f->pending));
	return f->pending ? 0 : -ENOMEM;
}

/* What joined the CPU's batch last was no page of a swap-in, so it joins under every policy. */
static void settle_pending(struct lru_feed *f, unsigned int cpu)
{
	struct lru_pending *p = f->any_coupled ? &f->pending[cpu] : NULL;

	if (!p || !p->valid)
		return;
	p->valid = false;
	for (unsigned int i = 0; i < f->nruns; i++)
		if (f->runs[i].coupled)
			pv_insert(&f->runs[i].model, run_cpu(&f->runs[i], cpu), PV_ADD, p->large,
				  p->n);
}

void lru_feed_read(struct lru_feed *f, const struct moment *at, unsigned int cpu)
{
	struct lru_pending *p = f->any_coupled ? &f->pending[cpu] : NULL;

	if (p && p->valid && p->task == at->task && p->by_cpu == at->by_cpu)
		p->valid = false;
}

void lru_feed_add(struct lru_feed *f, const struct moment *at, unsigned int cpu, enum pv_op op,
		  bool large, uint64_t n)
{
	bool wait = f->any_coupled && op == PV_ADD && n == 1;

	f->adds++;
	settle_pending(f, cpu);
	for (unsigned int i = 0; i < f->nruns; i++)
		if (!wait || !f->runs[i].coupled)
			pv_insert(&f->runs[i].model, run_cpu(&f->runs[i], cpu), op, large, n);
	if (wait)
		f->pending[cpu] = (struct lru_pending){ true, at->task, at->by_cpu, large, n };
}

/* The function whose readahead drains. */
static uint32_t readahead_site(struct lru_feed *f, bool vma)
{
	for (uint32_t i = LRU_SITE_FIRST; vma && i < f->nsites; i++)
		if (!strcmp(f->sites[i], "swapin_readahead"))
			return i;
	return find_site(f, vma ? "swap_vma_readahead" : "swap_cluster_readahead");
}

void lru_feed_swapin(struct lru_feed *f, unsigned int i, unsigned int cpu, const struct swapin *s)
{
	struct lru_run *run = &f->runs[i];

	if (!run->coupled)
		return;
	settle_pending(f, cpu);
	if (s->folios)
		pv_insert(&run->model, run_cpu(run, cpu), PV_ADD, s->large, s->folios);
	if (s->drained)
		pv_drain(&run->model, run_cpu(run, cpu), readahead_site(f, s->vma), NULL);
}

/* The batch at this address; NULL without memory. @met: set when it was not known before. */
static struct lru_batch *find_batch(struct lru_feed *f, uint64_t batch, bool *met)
{
	uint64_t *index = map_get(&f->batch_ids, batch, 0);

	*met = !index;
	if (index)
		return &f->batches[*index];
	if (f->nbatches == LRU_BATCHES) {
		map_free(&f->batch_ids);
		f->nbatches = 0;
	}
	if (f->nbatches == f->room) {
		uint32_t room = f->room ? f->room * 2 : 256;
		struct lru_batch *bigger = realloc(f->batches, room * sizeof(*bigger));

		if (!bigger)
			return NULL;
		f->batches = bigger;
		f->room = room;
	}
	if (map_set(&f->batch_ids, batch, 0, f->nbatches))
		return NULL;
	f->batches[f->nbatches] = (struct lru_batch){ 0 };
	return &f->batches[f->nbatches++];
}

int lru_feed_init_batch(struct lru_feed *f, const struct moment *at, uint64_t batch)
{
	bool met;
	struct lru_batch *b = find_batch(f, batch, &met);

	if (!b)
		return -ENOMEM;
	map_remove(&f->released, at->task, at->by_cpu);
	f->lives++;
	*b = (struct lru_batch){ 0 };
	return 0;
}

int lru_feed_put(struct lru_feed *f, const struct moment *at, uint64_t batch, uint64_t n)
{
	bool met;
	struct lru_batch *b = find_batch(f, batch, &met);

	if (!b)
		return -ENOMEM;
	map_remove(&f->released, at->task, at->by_cpu);
	b->nr = n > UINT32_MAX - b->nr ? UINT32_MAX : b->nr + (uint32_t)n;
	return 0;
}

/* What the recorded flag says of the life of the batch. */
static void note_flag(struct lru_feed *f, struct lru_batch *b, bool met, int drained)
{
	if (drained < 0)
		return;
	f->lives++;
	f->flag_used |= drained;
	if (drained && met)
		b->drained = UINT64_MAX;
	/* A kernel that drains always may leave its flag at 0 for good. */
	if (!drained && (f->recorded->batches.policy == PV_DRAIN_ONCE || f->flag_used))
		b->drained = 0;
}

static void release_in_run(struct lru_feed *f, unsigned int i, unsigned int cpu,
			   struct lru_batch *b)
{
	struct lru_run *run = &f->runs[i];
	struct pv_batch batch = { .nr = b->nr, .drained = b->drained >> i & 1 };

	pv_release(&run->model, run_cpu(run, cpu), LRU_SITE_RELEASE, &batch, NULL);
	if (batch.drained)
		b->drained |= 1ull << i;
}

/* Whether the recorded kernel can have drained at a release with this flag. */
static bool may_drain(const struct lru_feed *f, int drained)
{
	return drained <= 0 || f->recorded->batches.policy == PV_DRAIN_ALWAYS;
}

int lru_feed_release(struct lru_feed *f, const struct moment *at, unsigned int cpu, uint64_t batch,
		     uint64_t n, int drained)
{
	bool met;
	struct lru_batch *b = find_batch(f, batch, &met);

	if (!b)
		return -ENOMEM;
	f->releases++;
	settle_pending(f, cpu);
	note_flag(f, b, met, drained);
	if (n != LRU_UNKNOWN)
		b->nr = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	else if (!b->nr)
		b->nr = 1; /* the function is not called for an empty one */
	if (!b->nr) {
		map_remove(&f->released, at->task, at->by_cpu);
		return 0;
	}
	for (unsigned int i = 0; i < f->nruns; i++)
		release_in_run(f, i, cpu, b);
	b->nr = 0;
	return map_set(&f->released, at->task, at->by_cpu, may_drain(f, drained));
}

void lru_feed_drain(struct lru_feed *f, const struct moment *at, unsigned int cpu,
		    struct lru_drained *d)
{
	const uint64_t *released = map_get(&f->released, at->task, at->by_cpu);

	f->drains++;
	d->by_release = released &&
			(d->site == LRU_SITE_RELEASE || (d->site == LRU_SITE_UNKNOWN && *released));
	map_remove(&f->released, at->task, at->by_cpu);
	if (d->by_release)
		return;
	f->orphans += d->site == LRU_SITE_RELEASE;
	settle_pending(f, cpu);
	for (unsigned int i = 0; i < f->nruns; i++)
		if (!f->runs[i].coupled || !f->by_readahead[d->site])
			pv_drain(&f->runs[i].model, run_cpu(&f->runs[i], cpu), d->site, NULL);
}

/* --- results ------------------------------------------------------------------------------- */

static int most_drains_first(const void *a, const void *b)
{
	const struct lru_site *x = a, *y = b;

	if (x->drains != y->drains)
		return x->drains < y->drains ? 1 : -1;
	if (x->suppressed != y->suppressed)
		return x->suppressed < y->suppressed ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int copy_sites(const struct lru_feed *f, const struct lru_run *run, struct lru_result *res)
{
	const struct pv_site *from = run->model.sites;

	res->sites = calloc(f->nsites, sizeof(*res->sites));
	if (!res->sites)
		return -ENOMEM;
	for (unsigned int i = 0; i < f->nsites; i++) {
		struct lru_site *to = &res->sites[res->nsites];

		if (!from[i].drains && !from[i].suppressed)
			continue;
		memcpy(to->name, f->sites[i], sizeof(to->name));
		to->drains = from[i].drains;
		to->moved = f->adds ? from[i].moved : LRU_UNKNOWN;
		to->suppressed = from[i].suppressed;
		res->suppressed += from[i].suppressed;
		res->nsites++;
	}
	qsort(res->sites, res->nsites, sizeof(*res->sites), most_drains_first);
	return 0;
}

static uint64_t sum(const uint64_t *v)
{
	uint64_t total = 0;

	for (int op = 0; op < PV_OPS; op++)
		total += v[op];
	return total;
}

static int finish_run(const struct lru_feed *f, const struct lru_run *run)
{
	const struct pv_stats *s = &run->model.stats;
	struct lru_result *res = run->result;
	bool adds = f->adds != 0;

	res->known = f->adds || f->releases || f->drains;
	res->drains = s->drains;
	res->drains_empty = adds ? s->drains_empty : LRU_UNKNOWN;
	res->drains_saved = s->drains_saved;
	res->moved = adds ? sum(s->drained) : LRU_UNKNOWN;
	res->releases = s->releases;
	res->flushes = adds ? sum(s->flushes) : LRU_UNKNOWN;
	res->flushed = adds ? sum(s->flushed) : LRU_UNKNOWN;
	res->added = adds ? s->inserted[PV_ADD] : LRU_UNKNOWN;
	return copy_sites(f, run, res);
}

/* drain-off= that had no effect is a slip of the pen more often than not. */
static void note_unused_off(const struct lru_feed *f, const struct lru_run *run,
			    struct replay_result *res)
{
	for (unsigned int k = 0; k < run->policy->lru.noff; k++) {
		const char *off = run->policy->lru.off[k];
		bool found = is_release(off);

		for (unsigned int i = 0; i < f->nsites && !found; i++)
			found = !strcmp(f->sites[i], off);
		if (!found)
			replay_result_note(
				res, "drain-off=%s: no drain of the trace comes from there", off);
	}
}

static void add_notes(const struct lru_feed *f, const struct lru_run *run,
		      struct replay_result *res)
{
	if (f->orphans)
		replay_result_note(res,
				   "%" PRIu64
				   " drains by releases whose RELEASE event is not in the "
				   "trace happen under every policy",
				   f->orphans);
	if (f->releases && !f->lives && !res->lru.drains_always)
		replay_result_note(res, "the trace has neither INIT events nor drained flags: each "
					"batch counts as one life, so there may be more drains");
	if (f->unknown_cpu)
		replay_result_note(res,
				   "%" PRIu64 " events of the per-CPU batches name no CPU and "
				   "count for CPU 0",
				   f->unknown_cpu);
	if (f->outside)
		replay_result_note(res, "%" PRIu64 " events of CPUs above %d were ignored",
				   f->outside, LRU_CPUS - 1);
	if (f->implausible)
		replay_result_note(res,
				   "%" PRIu64 " LRUADD events of more than %u folios were ignored",
				   f->implausible, LRU_INSERT_MAX);
	note_unused_off(f, run, res);
}

int lru_feed_finish(struct lru_feed *f, struct replay_result *results)
{
	for (unsigned int i = 0; i < f->nruns; i++) {
		int ret = finish_run(f, &f->runs[i]);

		if (ret)
			return ret;
		if (results[i].lru.known)
			add_notes(f, &f->runs[i], &results[i]);
	}
	return 0;
}
