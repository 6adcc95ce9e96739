// SPDX-License-Identifier: GPL-2.0
#include "cli/reproduce.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/published.h"
#include "analyze/reproduce_json.h"
#include "analyze/result_json.h"
#include "cli/replay_input.h"
#include "render/format.h"
#include "render/table.h"
#include "replay/engine.h"
#include "traces/file.h"
#include "traces/gen.h"

/* Thread T2: fallback of large folios as published, and as replayed from a generated workload. */

#define SCALE_MAX 32 /* one CPU */
#define SCALE_DEFAULT 4
#define PAGE_KB 4
#define PARTS 10 /* of the time line */

enum { EMPTY_ONLY, NONFULL, CLUSTER_6_12, CLUSTER_6_18, POLICIES };

static const char *const allocators[POLICIES] = { "mthp-empty-only", "nonfull-v1", "cluster-6.12",
						  "cluster-6.18" };

/* What stands beside each other in a row. */
struct pair {
	uint64_t swpout, fallback;
};

static struct pair published(int row, int policy)
{
	const struct published_fallback *p = &published_mthp[row];

	if (policy == EMPTY_ONLY)
		return (struct pair){ p->before.swpout, p->before.fallback };
	return (struct pair){ p->after.swpout, p->after.fallback };
}

static struct pair replayed(const struct replay_result *results, int row, int policy)
{
	const struct alloc_order *o = &results[policy].alloc.orders[published_mthp[row].order];

	return (struct pair){ o->swpout, o->fallback };
}

static double share(struct pair p)
{
	return percent_of(p.fallback, p.swpout + p.fallback);
}

/* --- tables ------------------------------------------------------------------------------------
 */

static void add_pair(struct table *t, struct pair p)
{
	table_count(t, p.swpout);
	table_count(t, p.fallback);
	table_percent(t, share(p));
}

static void pair_columns(struct table *t)
{
	table_column(t, "swpout", ALIGN_RIGHT);
	table_column(t, "fallback", ALIGN_RIGHT);
	table_column(t, "share", ALIGN_RIGHT);
}

static void add_row(struct table *t, const char *name, struct pair theirs, struct pair ours)
{
	double points = share(ours) - share(theirs);
	char text[32];

	table_word(t, name);
	add_pair(t, theirs);
	add_pair(t, ours);
	snprintf(text, sizeof(text), "%+.1f", points);
	table_word(t, isnan(points) ? "n/a" : text);
}

static void add(struct pair *sum, struct pair p)
{
	sum->swpout += p.swpout;
	sum->fallback += p.fallback;
}

static int print_beside(const struct replay_result *results, int policy)
{
	struct table *t = table_new("fallback", "");
	struct pair theirs = { 0, 0 }, ours = { 0, 0 };
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "size", ALIGN_RIGHT);
	pair_columns(t);
	pair_columns(t);
	table_column(t, "points apart", ALIGN_RIGHT);
	for (int r = 0; r < PUBLISHED_MTHP_ROWS; r++) {
		char name[32];

		snprintf(name, sizeof(name), "%d kB", PAGE_KB << published_mthp[r].order);
		add_row(t, name, published(r, policy), replayed(results, r, policy));
		add(&theirs, published(r, policy));
		add(&ours, replayed(results, r, policy));
	}
	add_row(t, "total", theirs, ours);
	printf("\n%s the patches: published (left), replayed under %s (right)\n",
	       policy == EMPTY_ONLY ? "before" : "after", allocators[policy]);
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

static int print_later(const struct replay_result *results)
{
	struct table *t = table_new("later", "");
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "size", ALIGN_RIGHT);
	pair_columns(t);
	pair_columns(t);
	for (int r = 0; r < PUBLISHED_MTHP_ROWS; r++) {
		char name[32];

		snprintf(name, sizeof(name), "%d kB", PAGE_KB << published_mthp[r].order);
		table_word(t, name);
		add_pair(t, replayed(results, r, CLUSTER_6_12));
		add_pair(t, replayed(results, r, CLUSTER_6_18));
	}
	printf("\nlater kernels, not in the thread: replayed under cluster-6.12 (left), cluster-6.18 (right)\n");
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

static void print_first(const struct replay_result *results)
{
	printf("\n");
	for (int i = 0; i < POLICIES; i++) {
		const struct alloc_first *f = &results[i].alloc.first;

		if (f->known)
			printf("first fallback under %s: request %s of %s, %d kB, %s; %s of the slots free, %s clusters wholly free\n",
			       allocators[i], format_count(f->n).s,
			       format_count(results[i].alloc.requests).s, PAGE_KB << f->order,
			       fallback_reason_name(f->reason), format_percent(f->free_pct).s,
			       format_count(f->free_clusters).s);
		else
			printf("first fallback under %s: none\n", allocators[i]);
	}
}

/* Fallback share of all large folios in one part of the trace. */
static double part_share(const struct alloc_slice *s)
{
	struct pair p = { 0, 0 };

	for (unsigned int o = 1; o < ALLOC_ORDERS; o++)
		add(&p, (struct pair){ s->orders[o].swpout, s->orders[o].fallback });
	return share(p);
}

static void print_trend(const struct replay_result *results)
{
	printf("\nfallback share of large folios in each tenth of the trace:\n");
	for (int i = 0; i < POLICIES; i++) {
		const struct alloc_result *a = &results[i].alloc;

		printf("%16s", allocators[i]);
		for (unsigned int k = 0; k < a->nslices; k++)
			printf(" %9s", format_percent(part_share(&a->slices[k])).s);
		printf("\n");
	}
}

/*
 * An estimate of what fallback costs: writing a folio out takes a fixed time, and a time for each
 * page. Neither is published; these are of the size that a ram disk suggests.
 */
#define ASSUMED_REQUEST_US 3.0
#define ASSUMED_PAGE_US 0.5 /* 4 kB at 8 GB/s */
#define MEMTIER_KEYS 18000000.0
#define MEMTIER_THREADS 32

/* Seconds of one thread that writes out what the policy gave slots to. */
static double writing_seconds(const struct alloc_result *a, uint64_t scale)
{
	double us = 0;

	for (unsigned int o = 0; o < ALLOC_ORDERS; o++)
		us += (double)a->orders[o].swpout *
		      (ASSUMED_REQUEST_US + (double)(1u << o) * ASSUMED_PAGE_US);
	return us * (double)scale / 1e6;
}

static void print_estimate(const struct replay_result *results, uint64_t scale)
{
	const struct published_memtier *m = published_mthp_memtier;
	double before = writing_seconds(&results[EMPTY_ONLY].alloc, scale);
	double after = writing_seconds(&results[NONFULL].alloc, scale);
	double seconds = MEMTIER_KEYS / m[0].ops - (before - after) / MEMTIER_THREADS;
	double ops = MEMTIER_KEYS / seconds;

	printf("estimate, not measured: %s -> %s ops/s (%s) from the time of writing out alone, %s -> %s s of one thread\n"
	       "  assumptions: %s us a write request and %s us a page, spread over %d threads; the replayed counts times %s; all else as in\n"
	       "  the published run before the patches. The number of write requests does not explain the rest of the published difference.\n",
	       format_number(m[0].ops, 2).s, format_number(ops, 2).s,
	       format_change(percent_change(m[0].ops, ops)).s, format_number(before, 1).s,
	       format_number(after, 1).s, format_number(ASSUMED_REQUEST_US, 1).s,
	       format_number(ASSUMED_PAGE_US, 1).s, MEMTIER_THREADS, format_count(scale).s);
}

static void print_memtier(void)
{
	const struct published_memtier *m = published_mthp_memtier;

	printf("\nmemtier totals, published: %s -> %s ops/s (%s), average %s -> %s ms, p50 %s -> %s, p99 %s -> %s, p99.9 %s -> %s\n",
	       format_number(m[0].ops, 2).s, format_number(m[1].ops, 2).s,
	       format_change(percent_change(m[0].ops, m[1].ops)).s,
	       format_number(m[0].average, 2).s, format_number(m[1].average, 2).s,
	       format_number(m[0].p50, 3).s, format_number(m[1].p50, 3).s,
	       format_number(m[0].p99, 3).s, format_number(m[1].p99, 3).s,
	       format_number(m[0].p999, 3).s, format_number(m[1].p999, 3).s);
}

/* --- the trace ---------------------------------------------------------------------------------
 */

static void say_origin(const struct trace_reader *r, const char *path)
{
	const struct trace_header *h = trace_get_header(r);
	const char *text;
	size_t from = 0;

	printf("Thread T2: %s\n(%s)\n\n", PUBLISHED_MTHP_SOURCE, PUBLISHED_MTHP_SETUP);
	if (path)
		printf("replayed: %s\n", clean(path).s);
	while (!path && (text = trace_header_next_directive(h, "note", &from)))
		printf("%s\n", text);
	if (!path)
		printf("a workload of the thread's kind, not its run: compare shares, not counts; block= is an assumption (docs/gen-mthp.md)\n");
}

static int print_all(const struct trace_reader *r, const char *path, uint64_t scale,
		     const struct replay_result *results)
{
	int ret;

	say_origin(r, path);
	ret = print_beside(results, EMPTY_ONLY);
	if (!ret)
		ret = print_beside(results, NONFULL);
	if (!ret)
		ret = print_later(results);
	if (ret)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	print_trend(results);
	print_first(results);
	print_memtier();
	if (!path)
		print_estimate(results, scale);
	return EXIT_DONE;
}

static int print_json(const struct replay_input *in, const struct replay_result *results)
{
	struct result_item items[POLICIES];
	struct error e;
	int ret;

	for (int i = 0; i < POLICIES; i++)
		items[i] = (struct result_item){ .result = &results[i],
						 .facts = &in->facts,
						 .seconds = NAN };
	ret = results_write_more(stdout, items, POLICIES, "reproduce", reproduce_mthp_json(), &e);
	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int replay(const struct arguments *args, struct replay_input *in, const char *shown)
{
	struct replay_result results[POLICIES];
	struct policy policies[POLICIES];
	struct replay_options o = { .policies = policies, .npolicies = POLICIES, .slices = PARTS };
	struct error e;
	int ret = 0;

	for (int i = 0; i < POLICIES && !ret; i++) {
		char spec[64];

		snprintf(spec, sizeof(spec), "allocator=%s", allocators[i]);
		ret = policy_parse(&policies[i], &in->kernel, spec, &e);
	}
	if (ret)
		return fail(EXIT_USAGE, "%s", e.text);
	ret = replay_trace(in->reader, &o, results, &e);
	if (ret)
		ret = fail(exit_code_for(ret), "%s: %s", in->path, e.text);
	else if (!results[0].alloc.known)
		ret = fail(EXIT_INPUT,
			   "%s: holds no swap-outs; record them with 'swaptrace record -e alloc'",
			   in->path);
	else if (!option_flag(args, "json"))
		ret = print_all(in->reader, shown, option_u64(args, "scale", SCALE_DEFAULT),
				results);
	else
		ret = print_json(in, results);
	for (int i = 0; i < POLICIES; i++)
		replay_result_free(&results[i]);
	return ret;
}

/* The thread's machine, smaller: sizes and CPUs keep their proportions, folios their sizes. */
static int set_scale(const struct arguments *args, struct gen_options *o)
{
	uint64_t scale = option_u64(args, "scale", SCALE_DEFAULT);

	if (!scale || scale > SCALE_MAX || scale & (scale - 1))
		return fail(EXIT_USAGE, "reproduce mthp: --scale must be 1, 2, 4, 8, 16 or %d",
			    SCALE_MAX);
	gen_defaults(o, GEN_MTHP);
	o->seed = option_u64(args, "seed", o->seed);
	o->cpus /= (unsigned int)scale;
	o->device /= scale;
	o->memory /= scale;
	o->limit /= scale;
	return 0;
}

/* Into a file without a name, which is gone when we are. Returns its descriptor, or -1. */
static int generate(const struct gen_options *o, char *path, size_t size, int *code)
{
	struct error e;
	int fd = file_temporary(&e), ret = fd;

	if (fd >= 0) {
		snprintf(path, size, "/proc/self/fd/%d", fd);
		ret = gen_write(o, path, &e);
	}
	if (ret >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	*code = fail(exit_code_for(ret), "%s", e.text);
	return -1;
}

static int run_capture(const struct arguments *args, const char *capture, const char *path)
{
	struct replay_input in;
	int ret = replay_input_open(&in, path);

	if (ret)
		return ret;
	if (!capture)
		in.path = strcpy(in.facts.name, "generated");
	ret = replay(args, &in, capture);
	if (!ret)
		ret = replay_input_findings(args, &in);
	replay_input_close(&in);
	return ret;
}

static int run_mthp(const struct arguments *args)
{
	const char *capture = option_string(args, "capture", NULL);
	struct gen_options o;
	char path[64];
	int fd, ret;

	if (capture && (option_given(args, "seed") || option_given(args, "scale")))
		return fail(
			EXIT_USAGE,
			"reproduce mthp: --seed and --scale are of the generated trace, which --capture stands in for");
	if (capture)
		return run_capture(args, capture, capture);
	ret = set_scale(args, &o);
	if (ret)
		return ret;
	fd = generate(&o, path, sizeof(path), &ret);
	if (fd < 0)
		return ret;
	ret = run_capture(args, NULL, path);
	close(fd);
	return ret;
}

const struct reproduce_thread reproduce_mthp = {
	.name = "mthp",
	.options = { "capture", "seed", "scale", "json" },
	.run = run_mthp,
};
