// SPDX-License-Identifier: GPL-2.0
#include "pagevec.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define PV_OPS_ALL ((1u << PV_OPS) - 1)

int pv_init(struct pv_model *p, const struct pv_rules *rules, struct pv_cpu *cpus,
	    unsigned int nr_cpus, struct pv_site *sites, unsigned int nr_sites)
{
	if (!rules->capacity || rules->capacity > PV_CAPACITY_MAX || !cpus || !nr_cpus)
		return -EINVAL;
	if ((nr_sites && !sites) || (rules->ops & ~PV_OPS_ALL))
		return -EINVAL;
	memset(cpus, 0, nr_cpus * sizeof(*cpus));
	*p = (struct pv_model){
		.rules = *rules,
		.cpus = cpus,
		.nr_cpus = nr_cpus,
		.sites = sites,
		.nr_sites = nr_sites,
	};
	return 0;
}

uint64_t pv_insert(struct pv_model *p, unsigned int cpu, enum pv_op op, bool large, uint64_t n)
{
	uint8_t *pending = &p->cpus[cpu].pending[op];
	uint64_t capacity = large || p->disabled ? 1 : p->rules.capacity;
	uint64_t flushes, left, moved;

	if (!(p->rules.ops & (1u << op))) {
		p->stats.unqueued += n;
		return 0;
	}
	if (!n)
		return 0;

	/* With a capacity of one every folio flushes; the first takes along what waited. */
	if (capacity == 1) {
		flushes = n;
		left = 0;
	} else {
		flushes = (*pending + n) / capacity;
		left = (*pending + n) % capacity;
	}
	moved = *pending + n - left;
	*pending = (uint8_t)left;
	p->stats.inserted[op] += n;
	p->stats.flushes[op] += flushes;
	p->stats.flushed[op] += moved;
	return moved;
}

static struct pv_site *site_of(struct pv_model *p, uint32_t site)
{
	return site < p->nr_sites ? &p->sites[site] : NULL;
}

/* True if a drain from @site happens; counts the one that does not. */
static bool site_drains(struct pv_model *p, uint32_t site)
{
	struct pv_site *s = site_of(p, site);

	if (!s || !s->off)
		return true;
	s->suppressed++;
	return false;
}

/* Drains one CPU and adds what it moved to @moved. */
static void drain_cpu(struct pv_model *p, unsigned int cpu, uint32_t site, struct pv_moved *moved)
{
	struct pv_cpu *c = &p->cpus[cpu];
	struct pv_site *s = site_of(p, site);
	unsigned int total = 0;

	for (int op = 0; op < PV_OPS; op++) {
		unsigned int n = c->pending[op];

		c->pending[op] = 0;
		p->stats.drained[op] += n;
		moved->op[op] += n;
		total += n;
	}
	moved->total += total;
	p->stats.drains++;
	p->stats.drains_empty += !total;
	if (s) {
		s->drains++;
		s->moved += total;
	}
}

bool pv_drain(struct pv_model *p, unsigned int cpu, uint32_t site, struct pv_moved *moved)
{
	struct pv_moved m = { 0 };
	bool drains = site_drains(p, site);

	if (drains)
		drain_cpu(p, cpu, site, &m);
	if (moved)
		*moved = m;
	return drains;
}

/* Drains all CPUs, or all that have something to move. */
static unsigned int drain_cpus(struct pv_model *p, uint32_t site, bool force,
			       struct pv_moved *moved)
{
	unsigned int drained = 0;

	for (unsigned int cpu = 0; cpu < p->nr_cpus; cpu++) {
		if (!force && !pv_pending_all(p, cpu))
			continue;
		drain_cpu(p, cpu, site, moved);
		drained++;
	}
	return drained;
}

unsigned int pv_drain_all(struct pv_model *p, unsigned int cpu, uint32_t site,
			  struct pv_moved *moved)
{
	struct pv_moved m = { 0 };
	unsigned int drained = 0;

	if (site_drains(p, site)) {
		if (p->rules.all_drains_self) {
			drain_cpu(p, cpu, site, &m);
			drained++;
		}
		drained += drain_cpus(p, site, false, &m);
	}
	if (moved)
		*moved = m;
	return drained;
}

unsigned int pv_cache_disable(struct pv_model *p, uint32_t site, struct pv_moved *moved)
{
	struct pv_moved m = { 0 };
	unsigned int drained = 0;

	p->disabled++;
	if (site_drains(p, site))
		drained = drain_cpus(p, site, true, &m);
	if (moved)
		*moved = m;
	return drained;
}

void pv_cache_enable(struct pv_model *p)
{
	if (p->disabled)
		p->disabled--;
}

unsigned int pv_pending(const struct pv_model *p, unsigned int cpu, enum pv_op op)
{
	return p->cpus[cpu].pending[op];
}

unsigned int pv_pending_all(const struct pv_model *p, unsigned int cpu)
{
	unsigned int n = 0;

	for (int op = 0; op < PV_OPS; op++)
		n += p->cpus[cpu].pending[op];
	return n;
}

void pv_batch_init(struct pv_batch *b)
{
	*b = (struct pv_batch){ 0 };
}

void pv_batch_put(struct pv_batch *b, unsigned int n)
{
	b->nr += n;
}

bool pv_release(struct pv_model *p, unsigned int cpu, uint32_t site, struct pv_batch *b,
		struct pv_moved *moved)
{
	bool drains;

	if (moved)
		*moved = (struct pv_moved){ 0 };
	if (!b->nr)
		return false;
	b->nr = 0;
	p->stats.releases++;
	if (p->rules.policy == PV_DRAIN_ONCE && b->drained) {
		p->stats.drains_saved++;
		return false;
	}
	drains = pv_drain(p, cpu, site, moved);
	if (drains)
		b->drained = true;
	return drains;
}
