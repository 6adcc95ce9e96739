// SPDX-License-Identifier: GPL-2.0
#include "cli/reproduce.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/distribution.h"
#include "analyze/published.h"
#include "analyze/reproduce_json.h"
#include "analyze/result_json.h"
#include "cli/command.h"
#include "cli/replay_input.h"
#include "cli/samples.h"
#include "render/format.h"
#include "render/table.h"
#include "replay/engine.h"

/*
 * The published tables of a mailing-list thread beside what swaptrace makes of one capture: the
 * same needs, replayed under each of the thread's policies.
 */

#define CLUSTER_SAMPLE "6.12-cluster-swapoff.swaptrace"
#define VMA_SAMPLE "6.12-vma-swapoff.swaptrace"

/* The columns of thread T1: before the patch, after it, and what 6.18 made of it. */
enum { VANILLA, PATCHED, V6_18, COLUMNS };

static const char *const specs[COLUMNS] = { "swapoff=vanilla", "swapoff=lookup-first",
					    "model=v6.18" };
static const char *const titles[COLUMNS] = { "vanilla", "patched", "6.18" };

struct capture {
	const char *readahead; /* "cluster", "VMA" */
	const char *option, *sample;
	char path[PATH_MAX];
	struct replay_input in;
	struct replay_result results[COLUMNS];
	bool done;
};

static int make_policies(const struct capture *c, struct policy *policies)
{
	struct error e;

	for (int i = 0; i < COLUMNS; i++)
		if (policy_parse(&policies[i], &c->in.kernel, specs[i], &e))
			return fail(EXIT_USAGE, "%s", e.text);
	return 0;
}

/* Windows of the other mode must not stand beside the published ones of this. */
static int check_mode(const struct capture *c)
{
	const struct readahead_result *ra = &c->results[0].readahead;
	bool cluster = !strcmp(c->option, "cluster");
	const struct histogram *right = cluster ? &ra->cluster_windows : &ra->vma_windows;
	const struct histogram *wrong = cluster ? &ra->vma_windows : &ra->cluster_windows;

	if (histogram_total(right) >= histogram_total(wrong))
		return 0;
	return fail(EXIT_INPUT, "%s: its readahead was by %s; give it with --%s", c->path,
		    cluster ? "VMA" : "cluster", cluster ? "vma" : "cluster");
}

static uint64_t swapoff_needs(const struct replay_result *r)
{
	uint64_t pages = 0;

	for (unsigned int i = 0; i < r->nswapoffs; i++)
		pages += r->swapoffs[i].pages;
	return pages;
}

static int replay_capture(struct capture *c, const struct cost_model *cost)
{
	struct policy policies[COLUMNS];
	struct replay_options o = { .policies = policies, .npolicies = COLUMNS, .cost = cost };
	struct error e;
	int ret = replay_input_open(&c->in, c->path);

	if (ret)
		return ret;
	ret = make_policies(c, policies);
	if (!ret) {
		ret = replay_trace(c->in.reader, &o, c->results, &e);
		trace_facts_of(c->in.reader, c->path, &c->in.facts); /* with the number of events */
		c->done = true;
		if (ret)
			ret = fail(exit_code_for(ret), "%s: %s", c->path, e.text);
	}
	if (!ret && !c->results[0].readahead.lookups)
		ret = fail(EXIT_INPUT, "%s: holds no needs of swap entries (LOOKUP events)",
			   c->path);
	if (!ret)
		ret = check_mode(c);
	if (!ret && !swapoff_needs(&c->results[0]))
		warn("%s: no swapoff needed any of its swap entries, so these policies do not differ; record one with 'swaptrace record --as-root -- swapoff DEVICE'",
		     c->path);
	return ret;
}

static int find_capture(const struct arguments *args, struct capture *c)
{
	const char *given = option_string(args, c->option, NULL);

	if (given) {
		snprintf(c->path, sizeof(c->path), "%s", given);
		return 0;
	}
	if (sample_path(c->sample, c->path, sizeof(c->path)))
		return fail(
			EXIT_INPUT,
			"the shipped capture %s is not found; give one with --%s FILE or set SWAPTRACE_SAMPLES to its folder",
			c->sample, c->option);
	return 0;
}

static void share_cell(struct table *t, uint64_t count, uint64_t total)
{
	char text[128];

	snprintf(text, sizeof(text), "%s  %8s", format_count(count).s,
		 format_percent(percent_of(count, total)).s);
	table_word(t, text);
}

/* The published histograms are of cluster readahead only. */
struct published_columns {
	bool shown;
	uint64_t vanilla, patched; /* calls in all */
};

static struct published_columns published_totals(const struct capture *c)
{
	struct published_columns p = { .shown = !strcmp(c->readahead, "cluster") };

	for (int i = 0; i < 4; i++) {
		p.vanilla += published_swapoff_windows[i].vanilla;
		p.patched += published_swapoff_windows[i].patched;
	}
	return p;
}

static void published_cells(struct table *t, const struct published_columns *p, uint64_t pages)
{
	static const struct published_window none;
	const struct published_window *row = &none;

	for (int i = 0; i < 4; i++)
		if (published_swapoff_windows[i].pages == pages)
			row = &published_swapoff_windows[i];
	share_cell(t, row->vanilla, p->vanilla);
	share_cell(t, row->patched, p->patched);
}

static void window_columns(struct table *t, const struct published_columns *p)
{
	char text[64];

	table_column(t, "window", ALIGN_RIGHT);
	if (p->shown) {
		table_column(t, "published vanilla", ALIGN_RIGHT);
		table_column(t, "published patched", ALIGN_RIGHT);
	}
	for (int i = 0; i < COLUMNS; i++) {
		snprintf(text, sizeof(text), "replayed %s", titles[i]);
		table_column(t, text, ALIGN_RIGHT);
	}
}

static void add_window_row(struct table *t, const struct capture *c,
			   const struct published_columns *p, uint64_t pages)
{
	table_count(t, pages);
	if (p->shown)
		published_cells(t, p, pages);
	for (int i = 0; i < COLUMNS; i++) {
		const struct histogram *h = &c->results[i].readahead.windows;

		share_cell(t, distribution_count(h, pages), histogram_total(h));
	}
}

static void add_total_row(struct table *t, const struct capture *c,
			  const struct published_columns *p)
{
	table_word(t, "calls");
	if (p->shown) {
		share_cell(t, p->vanilla, p->vanilla);
		share_cell(t, p->patched, p->patched);
	}
	for (int i = 0; i < COLUMNS; i++)
		share_cell(t, c->results[i].readahead.calls, c->results[i].readahead.calls);
}

/* Window sizes that any column has. */
static int all_sizes(const struct capture *c, const struct published_columns *p,
		     struct histogram *sizes)
{
	int ret = 0;

	for (int i = 0; i < 4 && p->shown && !ret; i++)
		ret = histogram_add(sizes, published_swapoff_windows[i].pages, 1);
	for (int i = 0; i < COLUMNS && !ret; i++)
		ret = histogram_merge(sizes, &c->results[i].readahead.windows);
	return ret;
}

static int print_windows(const struct capture *c)
{
	struct published_columns p = published_totals(c);
	struct table *t = table_new("windows", "");
	struct histogram sizes = { 0 };
	int ret;

	if (!t)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	window_columns(t, &p);
	ret = all_sizes(c, &p, &sizes);
	for (unsigned int i = 0; i < sizes.n; i++)
		add_window_row(t, c, &p, sizes.bins[i].pages);
	add_total_row(t, c, &p);
	printf("Windows of readahead calls, %s readahead (calls and share)\n\n", c->readahead);
	if (!ret)
		ret = table_text(t, stdout);
	table_free(t);
	histogram_free(&sizes);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

#define COUNT(field)                                                                               \
	static uint64_t get_##field(const struct readahead_result *r)                              \
	{                                                                                          \
		return r->field;                                                                   \
	}
COUNT(calls)
COUNT(batches)
COUNT(pages_read)
COUNT(ra_pages)
COUNT(hits)
COUNT(drains)

static const struct {
	const char *name;
	uint64_t (*get)(const struct readahead_result *r);
} counts[] = {
	{ "readahead calls", get_calls },	{ "batches that read", get_batches },
	{ "pages read", get_pages_read },	{ "of them by readahead", get_ra_pages },
	{ "readahead hits counted", get_hits }, { "drains by readahead", get_drains },
};

static int print_counts(const struct capture *c)
{
	struct table *t = table_new("counts", "");
	int ret;

	if (!t)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	table_column(t, "", ALIGN_LEFT);
	for (int i = 0; i < COLUMNS; i++)
		table_column(t, titles[i], ALIGN_RIGHT);
	table_column(t, "patched / vanilla", ALIGN_RIGHT);
	table_column(t, "6.18 / patched", ALIGN_RIGHT);
	for (unsigned int k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		double v[COLUMNS];

		table_word(t, counts[k].name);
		for (int i = 0; i < COLUMNS; i++) {
			uint64_t n = counts[k].get(&c->results[i].readahead);

			table_count(t, n);
			v[i] = count_value(n);
		}
		table_number(t, v[VANILLA] > 0 ? v[PATCHED] / v[VANILLA] : NAN, 2);
		table_number(t, v[PATCHED] > 0 ? v[V6_18] / v[PATCHED] : NAN, 2);
	}
	ret = table_text(t, stdout);
	table_free(t);
	printf("\n");
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

static void print_capture_line(const struct capture *c)
{
	const struct trace_header *h = trace_get_header(c->in.reader);
	const char *release = trace_header_get(h, "release");

	printf("capture %s: kernel %s, %s needs of swap entries, %s of them by swapoff; ",
	       clean(c->path).s, clean(release ? release : "unknown").s,
	       format_count(c->results[0].readahead.lookups).s,
	       format_count(swapoff_needs(&c->results[0])).s);
	for (int i = 0; i < COLUMNS; i++)
		printf("%s%s is %s", i ? ", " : "", titles[i],
		       c->results[i].what_if ? "a what-if" : "the recorded kernel's own policy");
	printf("\n\n");
}

static void add_time_row(struct table *t, const struct capture *c, const struct published_time *p)
{
	const struct replay_result *r = c->results;

	table_word(t, p->readahead);
	table_number(t, p->vanilla, 2);
	table_number(t, p->patched, 2);
	table_number(t, p->vanilla / p->patched, 2);
	for (int i = 0; i < COLUMNS; i++)
		table_number(t, r[i].estimate.seconds, 3);
	table_number(t, r[VANILLA].estimate.seconds / r[PATCHED].estimate.seconds, 2);
}

static int print_times(const struct capture *captures)
{
	static const char *const headers[] = {
		"published vanilla s", "published patched s", "ratio",
		"estimated vanilla s", "estimated patched s", "estimated 6.18 s",
		"ratio (estimate)"
	};
	struct table *t = table_new("times", "");
	int ret;

	if (!t)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	table_column(t, "readahead", ALIGN_LEFT);
	for (unsigned int i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		table_column(t, headers[i], ALIGN_RIGHT);
	for (int i = 0; i < 2; i++)
		add_time_row(t, &captures[i], &published_swapoff_times[i]);
	printf("Time of swapoff\n\n");
	ret = table_text(t, stdout);
	table_free(t);
	printf("\nThe published times are of another machine and a larger workload; ours are an ESTIMATE from counts, not a measurement: %s.\nCompare the ratios, and lead with the counts above.\n",
	       captures[0].results[0].estimate.assumptions);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

static int print_text(struct capture *captures)
{
	int ret = 0;

	printf("Thread T1: %s\n(%s)\n\n", PUBLISHED_SWAPOFF_SOURCE, PUBLISHED_SWAPOFF_SETUP);
	for (int i = 0; i < 2 && !ret; i++) {
		if (i)
			printf("\n");
		ret = print_windows(&captures[i]);
		printf("\n");
		if (!ret)
			ret = print_counts(&captures[i]);
		print_capture_line(&captures[i]);
	}
	return ret ? ret : print_times(captures);
}

static int print_json(const struct capture *captures)
{
	struct result_item items[2 * COLUMNS];
	struct error e;
	int ret;

	for (int i = 0; i < 2 * COLUMNS; i++)
		items[i] = (struct result_item){
			.result = &captures[i / COLUMNS].results[i % COLUMNS],
			.facts = &captures[i / COLUMNS].in.facts,
			.seconds = NAN,
		};
	ret = results_write_more(stdout, items, 2 * COLUMNS, "reproduce", reproduce_swapoff_json(),
				 &e);
	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int reproduce_captures(const struct arguments *args, const struct cost_model *cost)
{
	static struct capture captures[2] = {
		{ .readahead = "cluster", .option = "cluster", .sample = CLUSTER_SAMPLE },
		{ .readahead = "VMA", .option = "vma", .sample = VMA_SAMPLE },
	};
	int ret = 0;

	for (int i = 0; i < 2 && !ret; i++) {
		ret = find_capture(args, &captures[i]);
		if (!ret)
			ret = replay_capture(&captures[i], cost);
	}
	if (!ret)
		ret = option_flag(args, "json") ? print_json(captures) : print_text(captures);
	for (int i = 0; i < 2 && !ret; i++)
		ret = replay_input_findings(args, &captures[i].in);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; captures[i].done && k < COLUMNS; k++)
			replay_result_free(&captures[i].results[k]);
		replay_input_close(&captures[i].in);
	}
	return ret;
}

static int run_swapoff(const struct arguments *args)
{
	struct cost_model cost;
	struct error e;

	if (cost_parse(&cost, option_string(args, "device", "virtio"), &e))
		return fail(EXIT_USAGE, "%s", e.text);
	return reproduce_captures(args, &cost);
}

const struct reproduce_thread reproduce_swapoff = {
	.name = "swapoff",
	.options = { "cluster", "vma", "device", "json" },
	.run = run_swapoff,
};
