// SPDX-License-Identifier: GPL-2.0
#include "common/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int histogram_grow(struct histogram *h)
{
	unsigned int room = h->room ? h->room * 2 : 8;
	struct window_count *bigger = realloc(h->bins, room * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	h->bins = bigger;
	h->room = room;
	return 0;
}

int histogram_add(struct histogram *h, uint64_t pages, uint64_t count)
{
	unsigned int i = 0;

	while (i < h->n && h->bins[i].pages < pages)
		i++;
	if (i < h->n && h->bins[i].pages == pages) {
		h->bins[i].count += count;
		return 0;
	}
	if (h->n == h->room && histogram_grow(h))
		return -ENOMEM;
	memmove(&h->bins[i + 1], &h->bins[i], (h->n - i) * sizeof(*h->bins));
	h->bins[i].pages = pages;
	h->bins[i].count = count;
	h->n++;
	return 0;
}

int histogram_merge(struct histogram *h, const struct histogram *from)
{
	int ret = 0;

	for (unsigned int i = 0; i < from->n && !ret; i++)
		ret = histogram_add(h, from->bins[i].pages, from->bins[i].count);
	return ret;
}

int histogram_difference(struct histogram *out, const struct histogram *now,
			 struct histogram *before)
{
	unsigned int j = 0;
	int ret = 0;

	for (unsigned int i = 0; i < now->n && !ret; i++) {
		uint64_t count = now->bins[i].count;

		while (j < before->n && before->bins[j].pages < now->bins[i].pages)
			j++;
		if (j < before->n && before->bins[j].pages == now->bins[i].pages)
			count -= before->bins[j].count;
		if (count)
			ret = histogram_add(out, now->bins[i].pages, count);
	}
	histogram_free(before);
	return ret ? ret : histogram_merge(before, now);
}

uint64_t histogram_total(const struct histogram *h)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < h->n; i++)
		total += h->bins[i].count;
	return total;
}

uint64_t histogram_sum(const struct histogram *h)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < h->n; i++)
		sum += h->bins[i].count * h->bins[i].pages;
	return sum;
}

void histogram_free(struct histogram *h)
{
	free(h->bins);
	memset(h, 0, sizeof(*h));
}
