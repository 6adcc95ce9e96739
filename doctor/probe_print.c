// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <jansson.h>

#include "doctor/doctor.h"
#include "doctor/probe.h"
#include "render/table.h"

static void add_prediction(struct table *t, const struct swapoff_generation *g,
			   const struct swapoff_counts *c)
{
	table_word(t, g->name);
	table_word(t, g->kernels);
	table_count(t, c->swap_ra);
	table_count(t, c->swap_ra_hit);
	table_count(t, c->calls);
}

static void print_table(FILE *out, const struct probe_result *r)
{
	struct table *t = table_new("swapoff", "");

	if (!t)
		return;
	table_column(t, "swapoff walk", ALIGN_LEFT);
	table_column(t, "kernels", ALIGN_LEFT);
	table_column(t, "swap_ra", ALIGN_RIGHT);
	table_column(t, "swap_ra_hit", ALIGN_RIGHT);
	table_column(t, "readahead calls", ALIGN_RIGHT);
	table_word(t, "measured here");
	table_word(t, "");
	table_count(t, r->swap_ra);
	table_count(t, r->swap_ra_hit);
	table_count(t, COUNT_UNKNOWN);
	for (int i = 0; i < SWAPOFF_GENERATIONS; i++)
		add_prediction(t, &swapoff_generations[i], &r->predicted[i]);
	table_text(t, out);
	table_free(t);
}

void probe_print(FILE *out, const struct probe_result *r)
{
	fprintf(out,
		"swapoff of %s: %s of %s pages swapped out by %s, %s of them still in the swap "
		"cache; %s readahead, page-cluster %u; %s s\n",
		r->device, format_count(r->swapped).s, format_count(r->pages).s,
		probe_reclaim_name(r->reclaim), format_count(r->cached).s,
		r->vma ? "VMA" : "cluster", r->page_cluster, format_number(r->seconds, 3).s);
	print_table(out, r);
	if (r->recognised < 0)
		fprintf(out, "this kernel behaves like none of them, or they cannot be told apart "
			     "here\n");
	else
		fprintf(out, "this kernel's swapoff behaves like %s: %s\n",
			swapoff_generations[r->recognised].kernels,
			swapoff_generations[r->recognised].name);
	fprintf(out,
		"predicted by the models on the same pages and slots%s; other processes that "
		"swap at the same time are counted as well\n",
		r->vma ? "" : ", from the state after a boot");
}

static json_t *count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *prediction(const struct swapoff_generation *g, const struct swapoff_counts *c)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "swapoff",
			 swapoff_policy_name(g->policy), "name", g->name, "kernels", g->kernels,
			 "swap_ra", count(c->swap_ra), "swap_ra_hit", count(c->swap_ra_hit),
			 "calls", count(c->calls), "pages_read", count(c->pages_read));
}

int probe_json(FILE *out, const struct probe_result *r)
{
	const char *like = r->recognised < 0
				   ? NULL
				   : swapoff_policy_name(swapoff_generations[r->recognised].policy);
	json_t *predicted = json_array(), *o;
	int ret;

	for (int i = 0; i < SWAPOFF_GENERATIONS; i++)
		json_array_append_new(predicted,
				      prediction(&swapoff_generations[i], &r->predicted[i]));
	o = json_pack("{s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:s, s:i, s:f, s:{s:o, s:o}, s:o, s:o}",
		      "swaptrace", "doctor-probe-swapoff", "version", 1, "device", r->device,
		      "reclaim", probe_reclaim_name(r->reclaim), "pages", (int)r->pages, "swapped",
		      (int)r->swapped, "cached", (int)r->cached, "readahead",
		      r->vma ? "vma" : "cluster", "page_cluster", (int)r->page_cluster, "seconds",
		      r->seconds, "measured", "swap_ra", count(r->swap_ra), "swap_ra_hit",
		      count(r->swap_ra_hit), "predicted", predicted, "behaves_like",
		      like ? json_string(like) : json_null());
	ret = !o ? -ENOMEM : json_dumpf(o, out, JSON_INDENT(2)) ? -EIO : 0;
	if (!ret)
		fputc('\n', out);
	json_decref(o);
	return ret;
}
