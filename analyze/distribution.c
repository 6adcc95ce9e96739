// SPDX-License-Identifier: GPL-2.0
#include "analyze/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "render/format.h"

/* Counts come from files, so their sum may exceed 64 bits: add in 128 and say so. */
typedef unsigned __int128 wide;

static uint64_t narrow(wide v)
{
	return v >= COUNT_UNKNOWN ? COUNT_UNKNOWN : (uint64_t)v;
}

static wide wide_total(const struct histogram *h)
{
	wide total = 0;

	for (unsigned int i = 0; i < h->n; i++)
		total += h->bins[i].count;
	return total;
}

struct distribution distribution_of(const struct histogram *h)
{
	struct distribution d = { .mean = NAN };
	wide total = wide_total(h), drains = 0;
	long double weighted = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		const struct window_count *b = &h->bins[i];

		weighted += (long double)b->pages * (long double)b->count;
		if (b->pages > 1)
			drains += b->count;
		if (b->count)
			d.largest = b->pages;
	}
	d.total = narrow(total);
	d.drains = narrow(drains);
	if (total)
		d.mean = (double)(weighted / (long double)total);
	return d;
}

uint64_t distribution_count(const struct histogram *h, uint64_t pages)
{
	for (unsigned int i = 0; i < h->n; i++)
		if (h->bins[i].pages == pages)
			return h->bins[i].count;
	return 0;
}

uint64_t distribution_cumulative(const struct histogram *h, uint64_t pages)
{
	wide sum = 0;

	for (unsigned int i = 0; i < h->n && h->bins[i].pages <= pages; i++)
		sum += h->bins[i].count;
	return narrow(sum);
}

uint64_t distribution_quantile(const struct histogram *h, unsigned int percent)
{
	wide total = wide_total(h), sum = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		sum += h->bins[i].count;
		if (sum && sum * 100 >= total * percent)
			return h->bins[i].pages;
	}
	return 0;
}

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int distribution_values(const struct histogram *const *h, unsigned int n, uint64_t **values)
{
	size_t all = 0, kept = 0;
	uint64_t *v;

	for (unsigned int i = 0; i < n; i++)
		all += h[i]->n;
	v = malloc((all + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	all = 0;
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < h[i]->n; k++)
			v[all++] = h[i]->bins[k].pages;
	qsort(v, all, sizeof(*v), compare_values);
	for (size_t i = 0; i < all; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	*values = v;
	return (int)kept;
}
