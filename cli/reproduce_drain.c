// SPDX-License-Identifier: GPL-2.0
#include "cli/reproduce.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/drain_times.h"
#include "analyze/published.h"
#include "analyze/reproduce_json.h"
#include "analyze/result_json.h"
#include "cli/replay_input.h"
#include "cli/replay_lru.h"
#include "cli/samples.h"
#include "render/format.h"
#include "render/table.h"
#include "replay/engine.h"

/*
 * Thread T3: times per truncation as published and as measured, drains as recorded and replayed.
 * Shipped are the times and the recordings of one kernel that was switched between the rules, and
 * recordings of stock kernels.
 */

enum { RECORDED, ALWAYS, ONCE, POLICIES };

static const char *const specs[POLICIES] = { "recorded", "drain=always", "drain=once" };

#define CAPTURES 3

struct capture {
	char path[PATH_MAX];
	bool open, done;
	struct replay_input in;
	struct replay_result results[POLICIES];
};

/* --- the table of times --------------------------------------------------------------------- */

/* Those that were asked for, or the shipped ones; @have: there are any. */
static int read_times(const struct arguments *args, struct drain_times *t, bool *have)
{
	const char *before = option_string(args, "before", NULL);
	const char *after = option_string(args, "after", NULL);
	char shipped[2][PATH_MAX];
	struct error e;
	int ret;

	if (!before != !after)
		return fail(EXIT_USAGE, "reproduce drain: --before and --after belong together");
	if (!before) {
		if (sample_path("lab-drain-always.times", shipped[0], PATH_MAX) ||
		    sample_path("lab-drain-once.times", shipped[1], PATH_MAX))
			return 0;
		before = shipped[0];
		after = shipped[1];
	}
	ret = drain_times_read(before, after, t, &e);
	*have = !ret;
	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static void print_cell(double value, double change)
{
	printf("%12.2f (%7.2f%%)", isnan(value) ? 0 : value, isnan(value) ? 0 : change);
}

static const char *or_unknown(const char *s)
{
	return *s ? s : "unknown";
}

static void print_list(const char *what, const struct drain_times_list *l)
{
	printf("  %-6s %s: %s truncations, kernel %s, drain=%s, unit %s; mean %s +- %s\n", what,
	       l->name, format_count(l->s.n).s, or_unknown(l->release), or_unknown(l->drain),
	       or_unknown(l->unit), format_number(l->s.mean, 2).s, format_number(l->s.stddev, 2).s);
}

static void print_test(const struct drain_times *t)
{
	const struct welch *w = &t->welch;

	printf("  change of the mean %s",
	       format_change(percent_change(t->before.s.mean, t->after.s.mean)).s);
	if (w->refused == TEST_DONE)
		printf(", Welch t = %s, df = %s, p = %s, 95 %% confidence interval %s to %s: %s at 5 %%\n",
		       format_number(w->t, 2).s, format_number(w->df, 1).s,
		       format_number(w->p, 3).s, format_number(w->low, 2).s,
		       format_number(w->high, 2).s,
		       w->p < 0.05 ? "significant" : "not significant");
	else
		printf(", %s, no significance test\n",
		       w->refused == TEST_ONE_VALUE ? "n=1" : "all values are equal");
}

static void print_ours(const struct drain_times *t)
{
	printf("\nours: another machine and workload than the published ones, so compare the percentages only\n");
	print_list("before", &t->before);
	print_list("after", &t->after);
	print_test(t);
	if (t->before.emulated == 1 || t->after.emulated == 1)
		printf("  The CPU was emulated while these were measured: they are not times of hardware.\n");
}

/* The thread's own layout: that of mmtests. */
static void print_times(const struct drain_times *t)
{
	static const char *const titles[4] = { "published before", "published after", "ours before",
					       "ours after" };
	int columns = t ? 4 : 2;

	printf("Thread T3: %s\n(%s)\n\n%17s", PUBLISHED_DRAIN_SOURCE, PUBLISHED_DRAIN_SETUP, "");
	for (int i = 0; i < columns; i++)
		printf("%23s", titles[i]);
	printf("\n");
	for (unsigned int r = 0; r < PUBLISHED_DRAIN_ROWS; r++) {
		const struct published_row *p = &published_drain[r];

		printf("%-12s Time", p->name);
		print_cell(p->before, 0);
		print_cell(p->after, p->change);
		if (t) {
			print_cell(t->before.rows[r], 0);
			print_cell(t->after.rows[r], drain_times_change(t, r));
		}
		printf("\n");
	}
	if (t)
		print_ours(t);
	printf("\n");
}

/* --- captures -------------------------------------------------------------------------------- */

/* The one that was asked for, or those that are shipped; the last is the one shown in detail. */
static unsigned int find_captures(const struct arguments *args, struct capture *c)
{
	const char *given = option_string(args, "capture", NULL);
	unsigned int n = 0;

	if (given) {
		snprintf(c[0].path, PATH_MAX, "%s", given);
		return 1;
	}
	n += !sample_path("lab-drain-always.swaptrace", c[n].path, PATH_MAX);
	n += !sample_path("lab-drain-once.swaptrace", c[n].path, PATH_MAX);
	n += !sample_match("truncate", c[n].path, PATH_MAX);
	return n;
}

static int replay_capture(struct capture *c)
{
	struct policy policies[POLICIES];
	struct replay_options o = { .policies = policies, .npolicies = POLICIES };
	struct error e;
	int ret = replay_input_open(&c->in, c->path);

	if (ret)
		return ret;
	c->open = true;
	for (int i = 0; i < POLICIES; i++)
		if (policy_parse(&policies[i], &c->in.kernel, specs[i], &e))
			return fail(EXIT_USAGE, "%s", e.text);
	c->done = true;
	ret = replay_trace(c->in.reader, &o, c->results, &e);
	if (ret)
		return fail(exit_code_for(ret), "%s: %s", c->path, e.text);
	if (!c->results[RECORDED].lru.known)
		return fail(
			EXIT_INPUT,
			"%s: holds no events of the per-CPU batches; record them with 'swaptrace record -e lru'",
			c->path);
	return 0;
}

static void free_capture(struct capture *c)
{
	for (int i = 0; c->done && i < POLICIES; i++)
		replay_result_free(&c->results[i]);
	if (c->open)
		replay_input_close(&c->in);
}

static void add_capture(struct table *t, const struct capture *c)
{
	const struct lru_result *r = &c->results[RECORDED].lru;
	const char *release = trace_header_get(trace_get_header(c->in.reader), "release");
	const char *slash = strrchr(c->path, '/'), *name = slash ? slash + 1 : c->path;
	char clean[512];

	escape_text(name, strlen(name), clean, sizeof(clean));
	table_word(t, clean);
	table_word(t, release ? release : "unknown");
	table_word(t, r->drains_always ? "always" : "once");
	table_count(t, r->releases);
	for (int i = 0; i < POLICIES; i++)
		table_count(t, c->results[i].lru.drains);
}

/* What one rule makes of a recording under the other stands beside what the kernel did. */
static int print_counts(const struct capture *c, unsigned int n)
{
	struct table *t = table_new("captures", "");
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "capture", ALIGN_LEFT);
	table_column(t, "kernel", ALIGN_LEFT);
	table_column(t, "drains", ALIGN_LEFT);
	table_column(t, "releases", ALIGN_RIGHT);
	table_column(t, "drains recorded", ALIGN_RIGHT);
	table_column(t, "drain=always", ALIGN_RIGHT);
	table_column(t, "drain=once", ALIGN_RIGHT);
	for (unsigned int i = 0; i < n; i++)
		add_capture(t, &c[i]);
	printf("drains as recorded, and as replayed under each rule (what-if where the kernel's is the other)\n\n");
	ret = table_text(t, stdout);
	table_free(t);
	printf("\n");
	return ret;
}

static void print_saving(const struct replay_result *results)
{
	uint64_t always = results[ALWAYS].lru.drains, once = results[ONCE].lru.drains;

	printf("\ndrain=once instead of drain=always: %s drains less of %s (%s)\n",
	       format_count(always - once).s, format_count(always).s,
	       format_change(percent_change(count_value(always), count_value(once))).s);
	for (unsigned int i = 0; i < results[0].nnotes; i++)
		printf("note: %s\n", results[0].notes[i]);
}

static int print_captures(const struct capture *c, unsigned int n)
{
	const struct capture *last = &c[n - 1];
	const char *release = trace_header_get(trace_get_header(last->in.reader), "release");
	int ret = n > 1 ? print_counts(c, n) : 0;

	printf("capture %s: kernel %s, ", clean(last->path).s,
	       clean(release ? release : "unknown").s);
	if (!ret)
		ret = print_lru(last->results, POLICIES);
	print_saving(last->results);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

/* --- the whole ------------------------------------------------------------------------------- */

static int print_json(const struct capture *c, unsigned int n, const struct drain_times *t)
{
	struct result_item items[CAPTURES * POLICIES];
	struct error e;
	int ret;

	for (unsigned int i = 0; i < n * POLICIES; i++)
		items[i] = (struct result_item){ .result = &c[i / POLICIES].results[i % POLICIES],
						 .facts = &c[i / POLICIES].in.facts,
						 .seconds = NAN };
	ret = results_write_more(stdout, items, n * POLICIES, "reproduce", reproduce_drain_json(t),
				 &e);
	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int no_capture(const struct arguments *args, const struct drain_times *times)
{
	static const char how[] =
		"record one with 'swaptrace record -e lru -o truncate.swaptrace -- COMMAND', where COMMAND truncates many small files, and give it with --capture truncate.swaptrace";

	if (!option_flag(args, "json"))
		print_times(times);
	if (times && !option_flag(args, "json")) {
		note("no capture of a truncation is shipped, so drains are not counted; %s", how);
		return EXIT_DONE;
	}
	return fail(
		EXIT_INPUT,
		"no capture of a truncation is shipped (traces/samples/*truncate*.swaptrace), so there are no drains to replay; %s",
		how);
}

static int show(const struct arguments *args, struct capture *c, unsigned int n,
		const struct drain_times *t)
{
	int ret = 0;

	for (unsigned int i = 0; i < n && !ret; i++)
		ret = replay_capture(&c[i]);
	/* Nothing is printed before all has been read. */
	if (!ret && !option_flag(args, "json")) {
		print_times(t);
		ret = print_captures(c, n);
	} else if (!ret) {
		ret = print_json(c, n, t);
	}
	for (unsigned int i = 0; i < n && !ret; i++)
		ret = replay_input_findings(args, &c[i].in);
	for (unsigned int i = 0; i < n; i++)
		free_capture(&c[i]);
	return ret;
}

static int run_drain(const struct arguments *args)
{
	static struct capture captures[CAPTURES];
	struct drain_times times;
	bool have = false;
	int ret = read_times(args, &times, &have);
	unsigned int n;

	if (ret)
		return ret;
	n = find_captures(args, captures);
	return n ? show(args, captures, n, have ? &times : NULL)
		 : no_capture(args, have ? &times : NULL);
}

const struct reproduce_thread reproduce_drain = {
	.name = "drain",
	.options = { "capture", "before", "after", "json" },
	.run = run_drain,
};
