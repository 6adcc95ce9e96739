// SPDX-License-Identifier: GPL-2.0
#include "traces/gen_priv.h"

#include <errno.h>
#include <stdlib.h>

#define RUN_MAX 64 /* longest run of the mixed pattern */

static int lookup(struct gen_stream *s, uint64_t off)
{
	struct event ev;

	s->cpu = (unsigned int)gen_random(s, s->o->cpus);
	event_init(&ev, EV_LOOKUP, 0);
	event_set(&ev, LOOKUP_TYPE, 0);
	event_set(&ev, LOOKUP_OFF, off);
	event_set(&ev, LOOKUP_CAUSE, s->o->cause);
	return gen_emit(s, &ev);
}

/* A fixed distance, upwards or downwards. */
static int run(struct gen_stream *s, uint64_t first, uint64_t n, int64_t step)
{
	int ret = 0;

	for (uint64_t i = 0; i < n && !ret; i++)
		ret = lookup(s, first + (uint64_t)((int64_t)i * step));
	return ret;
}

/* Each slot once: what is looked up twice would be found in the swap cache. */
static int shuffled(struct gen_stream *s)
{
	uint64_t n = s->o->lookups;
	uint32_t *order = malloc(n * sizeof(*order));
	int ret = 0;

	if (!order)
		return error_errno(s->e, -ENOMEM, "cannot shuffle %llu slots",
				   (unsigned long long)n);
	for (uint64_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (uint64_t i = n - 1; i; i--) {
		uint64_t k = gen_random(s, i + 1);
		uint32_t swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
	for (uint64_t i = 0; i < n && !ret; i++)
		ret = lookup(s, s->o->start + order[i]);
	free(order);
	return ret;
}

/* A run of at most *@n lookups, which is set to their number. */
static int mixed_run(struct gen_stream *s, uint64_t *n)
{
	const struct gen_options *o = s->o;
	uint64_t kind = gen_random(s, 4), fit, at;
	int ret = 0;

	if (kind == 0 || kind == 1) {
		at = gen_random(s, o->lookups - *n + 1);
		return kind ? run(s, o->start + at + *n - 1, *n, -1) : run(s, o->start + at, *n, 1);
	}
	if (kind == 2) {
		fit = (o->lookups - 1) / o->stride + 1;
		if (*n > fit)
			*n = fit;
		at = gen_random(s, o->lookups - (*n - 1) * o->stride);
		return run(s, o->start + at, *n, (int64_t)o->stride);
	}
	for (uint64_t i = 0; i < *n && !ret; i++)
		ret = lookup(s, o->start + gen_random(s, o->lookups));
	return ret;
}

static int mixed(struct gen_stream *s)
{
	uint64_t left = s->o->lookups;
	int ret = 0;

	while (left && !ret) {
		uint64_t n = 1 + gen_random(s, left < RUN_MAX ? left : RUN_MAX);

		ret = mixed_run(s, &n);
		left -= n;
	}
	return ret;
}

int gen_lookups(struct gen_stream *s)
{
	const struct gen_options *o = s->o;

	switch (o->pattern) {
	case GEN_REVERSE:
		return run(s, o->start + o->lookups - 1, o->lookups, -1);
	case GEN_STRIDE:
		return run(s, o->start, o->lookups, (int64_t)o->stride);
	case GEN_RANDOM:
		return shuffled(s);
	case GEN_MIXED:
		return mixed(s);
	default:
		return run(s, o->start, o->lookups, 1);
	}
}
