// SPDX-License-Identifier: GPL-2.0
#include "cli/replay_lru.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/lru_table.h"
#include "render/format.h"
#include "render/table.h"

static void add_policy(struct table *t, const struct replay_result *r)
{
	const struct lru_result *l = &r->lru;
	char policy[256];

	snprintf(policy, sizeof(policy), "%.*s%s", (int)sizeof(r->policy), r->policy,
		 r->what_if ? " (what-if)" : "");
	table_word(t, policy);
	table_count(t, l->batch_size);
	table_word(t, l->drains_always ? "always" : "once");
	lru_count_cells(t, l);
}

static int print_policies(const struct replay_result *results, unsigned int n)
{
	struct table *t = table_new("lru", "");
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "policy", ALIGN_LEFT);
	table_column(t, "batch", ALIGN_RIGHT);
	table_column(t, "drain", ALIGN_LEFT);
	lru_count_columns(t);
	for (unsigned int i = 0; i < n; i++)
		add_policy(t, &results[i]);
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

/* Whether a result before the @k-th has the site too, and so its row. */
static bool listed(const struct replay_result *results, unsigned int k, const char *name)
{
	for (unsigned int i = 0; i < k; i++)
		if (lru_has_site(&results[i].lru, name))
			return true;
	return false;
}

static void add_site(struct table *t, const struct replay_result *results, unsigned int n,
		     const char *name)
{
	lru_site_name_cell(t, name);
	for (unsigned int i = 0; i < n; i++)
		lru_site_cells(t, &results[i].lru, name);
}

static int print_sites(const struct replay_result *results, unsigned int n)
{
	struct table *t = table_new("sites", "");
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "drains from", ALIGN_LEFT);
	for (unsigned int i = 0; i < n; i++) {
		table_column(t, results[i].policy, ALIGN_RIGHT);
		table_column(t, "moved", ALIGN_RIGHT);
	}
	for (unsigned int k = 0; k < n; k++)
		for (unsigned int i = 0; i < results[k].lru.nsites; i++)
			if (!listed(results, k, results[k].lru.sites[i].name))
				add_site(t, results, n, results[k].lru.sites[i].name);
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

int print_lru(const struct replay_result *results, unsigned int n)
{
	int ret;

	if (!results[0].lru.known)
		return 0;
	printf("per-CPU batches of the LRU (drains and flushes; folios moved by them)\n\n");
	ret = print_policies(results, n);
	printf("\n");
	if (!ret && results[0].lru.nsites)
		ret = print_sites(results, n);
	for (unsigned int i = 0; i < n; i++)
		if (results[i].lru.cost_known)
			printf("estimate, %s: lruadd=%s costs %s ns a page more than no barrier and no call, %s s for %s pages\n",
			       results[i].policy, lruadd_name(results[i].lru.lruadd),
			       format_number(results[i].lru.page_ns, 2).s,
			       format_number(results[i].lru.cost_seconds, 6).s,
			       format_count(results[i].lru.added).s);
	return ret;
}

void print_lru_verify(const struct lru_checked *c)
{
	if (!c->releases_checked && !c->drains_checked && !c->flushes_checked && !c->unchecked)
		return;
	printf("  releases %s of %s, batches at drains %s of %s, flushes %s of %s\n",
	       format_count(c->releases_agreed).s, format_count(c->releases_checked).s,
	       format_count(c->drains_agreed).s, format_count(c->drains_checked).s,
	       format_count(c->flushes_agreed).s, format_count(c->flushes_checked).s);
	if (!c->in_step)
		printf("  the start content of some per-CPU batches never became known; %s folios joined them unchecked\n",
		       format_count(c->unchecked).s);
	else if (c->unchecked)
		printf("  per-CPU batches are in step from %llu ns on; %s folios joined them before, unchecked\n",
		       (unsigned long long)c->in_step_ns, format_count(c->unchecked).s);
}
