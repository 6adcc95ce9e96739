// SPDX-License-Identifier: GPL-2.0
#include "cli/sweep_families.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/format.h"
#include "render/table.h"

void sweep_label(const struct replay_result *r, char *out, unsigned int size)
{
	snprintf(out, size, "%s%s", r->policy, r->what_if ? " (what-if)" : " (as recorded)");
}

static void label_cell(struct table *t, const struct replay_result *r)
{
	char label[sizeof(r->policy) + 16];

	sweep_label(r, label, sizeof(label));
	table_word(t, label);
}

static struct table *begin_table(const char *name, const char *const *headers, unsigned int n)
{
	struct table *t = table_new(name, "");

	if (!t)
		return NULL;
	table_column(t, "policy", ALIGN_LEFT);
	for (unsigned int i = 0; i < n; i++)
		table_column(t, headers[i], ALIGN_RIGHT);
	return t;
}

static int end_table(struct table *t)
{
	int ret = table_text(t, stdout);

	table_free(t);
	return ret;
}

/* --- the slot allocator --- */

static bool same_alloc(const struct alloc_result *a, const struct alloc_result *b)
{
	return a->clusters_touched == b->clusters_touched && a->clusters_free == b->clusters_free &&
	       a->first.known == b->first.known && a->first.n == b->first.n &&
	       !memcmp(a->orders, b->orders, sizeof(a->orders)) &&
	       !memcmp(a->devices, b->devices, sizeof(a->devices));
}

bool sweep_alloc_differs(const struct replay_result *rows, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++)
		if (rows[0].alloc.known && !same_alloc(&rows[0].alloc, &rows[i].alloc))
			return true;
	return false;
}

/* Requests for large folios, or for pages where the trace has none. */
static struct alloc_order judged(const struct alloc_result *a)
{
	struct alloc_order large = alloc_large_total(a->orders);

	return large.swpout || large.fallback ? large : a->orders[0];
}

static double fallback_share(const struct alloc_result *a)
{
	struct alloc_order o = judged(a);

	return percent_of(o.fallback, o.swpout + o.fallback);
}

static void print_least_fallback(const struct replay_result *rows, unsigned int n)
{
	unsigned int best = 0, equals = 0;

	for (unsigned int i = 1; i < n; i++)
		if (fallback_share(&rows[i].alloc) < fallback_share(&rows[best].alloc))
			best = i;
	for (unsigned int i = 0; i < n; i++)
		equals += fallback_share(&rows[i].alloc) == fallback_share(&rows[best].alloc);
	if (isnan(fallback_share(&rows[best].alloc)))
		return;
	if (equals == n)
		printf("fallback: the same in every row, %.2f %%; the rows differ in where slots lie\n",
		       fallback_share(&rows[best].alloc));
	else if (equals > 1)
		printf("least fallback: %s and %u more rows, %.2f %%\n", rows[best].policy,
		       equals - 1, fallback_share(&rows[best].alloc));
	else
		printf("least fallback: %s, %.2f %%\n", rows[best].policy,
		       fallback_share(&rows[best].alloc));
}

int sweep_print_alloc(const struct replay_result *rows, unsigned int n)
{
	static const char *const headers[] = {
		"swpout", "fallback", "share", "first fallback", "clusters touched", "clusters free"
	};
	struct alloc_order large = alloc_large_total(rows[0].alloc.orders);
	struct table *t = begin_table("sweep_alloc", headers, sizeof(headers) / sizeof(*headers));
	int ret;

	if (!t)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		const struct alloc_result *a = &rows[i].alloc;
		struct alloc_order o = judged(a);

		label_cell(t, &rows[i]);
		table_count(t, o.swpout);
		table_count(t, o.fallback);
		table_percent(t, fallback_share(a));
		if (a->first.known)
			table_count(t, a->first.n);
		else
			table_word(t, "none");
		table_count(t, a->clusters_touched);
		table_count(t, a->clusters_free);
	}
	printf("slot allocator, requests %s\n",
	       large.swpout || large.fallback ? "for large folios" : "for single pages");
	ret = end_table(t);
	if (!ret)
		print_least_fallback(rows, n);
	return ret;
}

/* --- the LRU batches --- */

bool sweep_lru_differs(const struct replay_result *rows, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++) {
		const struct lru_result *a = &rows[0].lru, *b = &rows[i].lru;

		if (a->known && (a->drains != b->drains || a->drains_saved != b->drains_saved ||
				 a->suppressed != b->suppressed || a->moved != b->moved ||
				 a->flushes != b->flushes))
			return true;
	}
	return false;
}

int sweep_print_lru(const struct replay_result *rows, unsigned int n)
{
	static const char *const headers[] = {
		"drains", "empty", "saved", "off", "moved", "flushes"
	};
	struct table *t = begin_table("sweep_lru", headers, sizeof(headers) / sizeof(*headers));
	unsigned int best = 0;
	int ret;

	if (!t)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		const struct lru_result *l = &rows[i].lru;

		label_cell(t, &rows[i]);
		table_count(t, l->drains);
		table_count(t, l->drains_empty);
		table_count(t, l->drains_saved);
		table_count(t, l->suppressed);
		table_count(t, l->moved);
		table_count(t, l->flushes);
		if (l->drains < rows[best].lru.drains)
			best = i;
	}
	printf("per-CPU batches of the LRU\n");
	ret = end_table(t);
	if (!ret)
		printf("fewest drains: %s\n", rows[best].policy);
	return ret;
}
