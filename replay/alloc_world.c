// SPDX-License-Identifier: GPL-2.0
/* References, swap cache and folios taken back: the recorded slots, as every policy sees them. */
#include "replay/alloc_replay_priv.h"

#include <errno.h>
#include <stdlib.h>

/* --- runs ------------------------------------------------------------------------------------ */

unsigned int alloc_all_runs(const struct alloc_replay *a)
{
	return a->nruns + a->verifying;
}

struct alloc_run *alloc_run_at(struct alloc_replay *a, unsigned int i)
{
	return i < a->nruns ? &a->runs[i] : &a->verify.run;
}

/* Does a reclaim worker of the recorded kernel's own allocator wait for its turn? */
bool alloc_own_worker_due(const struct alloc_replay *a)
{
	for (unsigned int i = 0; i < a->nruns; i++)
		if (a->runs[i].cfg.own && a->runs[i].worker_due)
			return true;
	return a->verifying && a->verify.run.worker_due;
}

bool alloc_any_worker_due(struct alloc_replay *a)
{
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		if (alloc_run_at(a, i)->worker_due)
			return true;
	return false;
}

static bool defer(struct alloc_replay *a, unsigned int cpu, const struct late_drop *d)
{
	struct late_drops *late = cpu < a->cpus ? &a->late[cpu] : NULL;

	if (!late)
		return false;
	if (late->n == late->room) {
		unsigned int room = late->room ? late->room * 2 : 16;
		struct late_drop *bigger = realloc(late->v, room * sizeof(*bigger));

		if (!bigger)
			return false;
		late->v = bigger;
		late->room = room;
	}
	late->v[late->n++] = *d;
	a->nlate++;
	return true;
}

static void drop(struct alloc_replay *a, unsigned int cpu, enum swap_free_how how, uint32_t r,
		 uint32_t n)
{
	const struct late_drop d = { how, r, n };

	if (a->deferring && defer(a, cpu, &d))
		return;
	for (unsigned int i = 0; i < alloc_all_runs(a); i++)
		alloc_run_drop(alloc_run_at(a, i), cpu, how, r, n);
}

void alloc_settle_late(struct alloc_replay *a, unsigned int cpu)
{
	struct late_drops *late = cpu < a->cpus ? &a->late[cpu] : NULL;

	for (unsigned int i = 0; late && i < late->n; i++)
		drop(a, cpu, late->v[i].how, late->v[i].r, late->v[i].n);
	if (late) {
		a->nlate -= late->n;
		late->n = 0;
	}
}

void alloc_settle_late_all(struct alloc_replay *a)
{
	for (unsigned int cpu = 0; cpu < a->cpus; cpu++)
		alloc_settle_late(a, cpu);
}

void alloc_settle_late_slot(struct alloc_replay *a, uint32_t r)
{
	for (unsigned int cpu = 0; cpu < a->cpus && a->nlate; cpu++) {
		const struct late_drops *late = &a->late[cpu];
		unsigned int i = 0;

		while (i < late->n && (r < late->v[i].r || r - late->v[i].r >= late->v[i].n))
			i++;
		if (i < late->n)
			alloc_settle_late(a, cpu);
	}
}

/* --- references and swap cache -----------------------------------------------------------------
 */

static enum slot_change settle(uint8_t *state)
{
	if (!(*state & WORLD_LIVE) || (*state & WORLD_REFS))
		return CHANGE_NONE;
	if (*state & WORLD_CACHED)
		return CHANGE_CACHE_ONLY;
	*state = 0;
	return CHANGE_GONE;
}

void alloc_apply_change(struct alloc_replay *a, unsigned int cpu, enum slot_change change,
			enum swap_free_how how, uint32_t r, uint32_t n)
{
	if (change == CHANGE_GONE)
		drop(a, cpu, how, r, n);
	for (unsigned int i = 0; change == CHANGE_CACHE_ONLY && i < alloc_all_runs(a); i++)
		alloc_run_cache_only(alloc_run_at(a, i), r, n);
}

/* A new state for each slot; runs of slots that change alike are dropped in one go, as they were.
 */
void alloc_change_slots(struct alloc_replay *a, unsigned int cpu, enum swap_free_how how,
			uint32_t r, uint32_t n, uint8_t (*next)(uint8_t state, uint64_t arg),
			uint64_t arg)
{
	enum slot_change last = CHANGE_NONE;
	uint32_t from = r;

	for (uint32_t i = r; i < r + n; i++) {
		enum slot_change change = CHANGE_NONE;

		if (a->world.state[i] & WORLD_LIVE) {
			a->world.state[i] = next(a->world.state[i], arg);
			change = settle(&a->world.state[i]);
		}
		if (change == last)
			continue;
		alloc_apply_change(a, cpu, last, how, from, i - from);
		last = change;
		from = i;
	}
	alloc_apply_change(a, cpu, last, how, from, r + n - from);
}

uint8_t alloc_one_less(uint8_t state, uint64_t arg)
{
	(void)arg;
	return state & WORLD_REFS ? state - 1 : state;
}

uint8_t alloc_set_refs(uint8_t state, uint64_t refs)
{
	return (uint8_t)((state & ~WORLD_REFS) | (refs > WORLD_REFS ? WORLD_REFS : refs));
}

uint8_t alloc_uncached(uint8_t state, uint64_t arg)
{
	(void)arg;
	return (uint8_t)(state & ~WORLD_CACHED);
}

uint8_t alloc_nothing_left(uint8_t state, uint64_t arg)
{
	(void)arg;
	return state & WORLD_LIVE;
}

/* Folios that the recorded allocator took back; what a model left of them goes now. */
void alloc_settle_taken(struct alloc_replay *a, unsigned int cpu, uint32_t task, uint32_t except,
			uint32_t n)
{
	struct taken_folio *taken = a->world.taken;
	unsigned int ntaken = a->world.ntaken;

	a->world.ntaken = 0;
	for (unsigned int i = 0; i < ntaken; i++) {
		uint32_t from = taken[i].r, end = from + taken[i].n;

		if (taken[i].task != task) {
			taken[a->world.ntaken++] = taken[i];
			continue;
		}
		/* Slots that were given out again at once hold new data. */
		while (from < end) {
			uint32_t to = from;
			bool skip = from >= except && from - except < n;

			while (to < end && (to >= except && to - except < n) == skip)
				to++;
			if (!skip)
				alloc_change_slots(a, cpu, SWAP_FREE_CACHE, from, to - from,
						   alloc_uncached, 0);
			from = to;
		}
	}
}

int alloc_take_folio(struct alloc_replay *a, uint32_t task, uint32_t r, uint32_t n)
{
	struct alloc_world *w = &a->world;

	if (w->ntaken == w->taken_room) {
		unsigned int room = w->taken_room ? w->taken_room * 2 : 64;
		struct taken_folio *bigger = realloc(w->taken, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		w->taken = bigger;
		w->taken_room = room;
	}
	w->taken[w->ntaken++] = (struct taken_folio){ r, n, task };
	return 0;
}

bool alloc_was_taken(const struct alloc_world *w, uint32_t r)
{
	for (unsigned int i = 0; i < w->ntaken; i++)
		if (r >= w->taken[i].r && r - w->taken[i].r < w->taken[i].n)
			return true;
	return false;
}
