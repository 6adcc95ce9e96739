// SPDX-License-Identifier: GPL-2.0
#include "cli/reproduce.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/format.h"
#include "analyze/measurements.h"
#include "analyze/mmtests.h"
#include "analyze/published.h"
#include "analyze/result_json.h"
#include "cli/replay_input.h"
#include "cli/replay_lru.h"
#include "cli/samples.h"
#include "replay/engine.h"

/* Thread T3: times per truncation as published and as measured, drains as recorded and replayed. */

enum { RECORDED, ALWAYS, ONCE, POLICIES };

static const char *const specs[POLICIES] = { "recorded", "drain=always", "drain=once" };

/* The times of two files, summarised as mmtests does. */
struct times {
	bool given;
	size_t n[2];
	double rows[2][MMTESTS_ROWS];
};

/* --- the table of times --------------------------------------------------------------------- */

static int collect(const struct measurements *m, double **values, size_t *n)
{
	size_t room = 0;

	for (unsigned int i = 0; i < m->n; i++)
		room += m->rows[i].n;
	*n = 0;
	*values = malloc((room + 1) * sizeof(**values));
	if (!*values)
		return -ENOMEM;
	for (unsigned int i = 0; i < m->n; i++)
		for (unsigned int k = 0; k < m->rows[i].n; k++)
			(*values)[(*n)++] = m->rows[i].v[k].q.number;
	return 0;
}

static int read_times(const char *path, double rows[MMTESTS_ROWS], size_t *n)
{
	FILE *f = fopen(path, "re");
	struct measurements m;
	double *values = NULL;
	struct error e;
	int ret;

	if (!f)
		return fail(EXIT_INPUT, "cannot open '%s': %s", path, strerror(errno));
	ret = measurements_read(f, path, &m, &e);
	fclose(f);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	ret = collect(&m, &values, n);
	measurements_free(&m);
	if (!ret && !*n) {
		free(values);
		return fail(EXIT_INPUT, "%s: holds no times", path);
	}
	if (!ret)
		ret = mmtests_summary(values, *n, false, rows);
	free(values);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

static int read_both(const struct arguments *args, struct times *t)
{
	const char *before = option_string(args, "before", NULL);
	const char *after = option_string(args, "after", NULL);
	int ret;

	if (!before != !after)
		return fail(EXIT_USAGE, "reproduce drain: --before and --after belong together");
	if (!before)
		return 0;
	t->given = true;
	ret = read_times(before, t->rows[0], &t->n[0]);
	return ret ? ret : read_times(after, t->rows[1], &t->n[1]);
}

static void print_cell(double value, double change)
{
	printf("%12.2f (%7.2f%%)", isnan(value) ? 0 : value, isnan(value) ? 0 : change);
}

/* The thread's own layout: that of mmtests. */
static void print_times(const struct times *t)
{
	static const char *const titles[4] = { "published before", "published after", "ours before",
					       "ours after" };
	int columns = t->given ? 4 : 2;

	printf("Thread T3: %s\n(%s)\n\n%17s", PUBLISHED_DRAIN_SOURCE, PUBLISHED_DRAIN_SETUP, "");
	for (int i = 0; i < columns; i++)
		printf("%23s", titles[i]);
	printf("\n");
	for (int r = 0; r < PUBLISHED_DRAIN_ROWS; r++) {
		const struct published_row *p = &published_drain[r];

		printf("%-12s Time", p->name);
		print_cell(p->before, 0);
		print_cell(p->after, p->change);
		if (t->given) {
			print_cell(t->rows[0][r], 0);
			print_cell(t->rows[1][r],
				   mmtests_percent(t->rows[1][r], t->rows[0][r], false));
		}
		printf("\n");
	}
	if (t->given)
		printf("\nours: %s and %s times, in the unit of their files; another machine and "
		       "workload than the published ones, so compare the percentages only\n",
		       format_count(t->n[0]).s, format_count(t->n[1]).s);
	printf("\n");
}

/* --- the capture ------------------------------------------------------------------------------ */

static bool find_capture(const struct arguments *args, char *path, size_t size)
{
	const char *given = option_string(args, "capture", NULL);

	if (!given)
		return !sample_match("truncate", path, size);
	snprintf(path, size, "%s", given);
	return true;
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

static int print_capture(const struct replay_input *in, const struct replay_result *results)
{
	const char *release = trace_header_get(trace_get_header(in->reader), "release");
	int ret;

	printf("capture %s: kernel %s, ", in->path, release ? release : "unknown");
	ret = print_lru(results, POLICIES);
	print_saving(results);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

static int print_json(const struct replay_input *in, const struct replay_result *results)
{
	struct error e;
	int ret = results_write(stdout, &in->facts, results, POLICIES, &e);

	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int replay_capture(const struct arguments *args, struct replay_input *in)
{
	struct replay_result results[POLICIES];
	struct policy policies[POLICIES];
	struct replay_options o = { .policies = policies, .npolicies = POLICIES };
	struct error e;
	int ret;

	for (int i = 0; i < POLICIES; i++)
		if (policy_parse(&policies[i], in->generation, specs[i], &e))
			return fail(EXIT_USAGE, "%s", e.text);
	ret = replay_trace(in->reader, &o, results, &e);
	if (ret)
		ret = fail(exit_code_for(ret), "%s: %s", in->path, e.text);
	else if (!results[0].lru.known)
		ret = fail(EXIT_INPUT,
			   "%s: holds no events of the per-CPU batches; record them with "
			   "'swaptrace record -e lru'",
			   in->path);
	else
		ret = option_flag(args, "json") ? print_json(in, results)
						: print_capture(in, results);
	for (int i = 0; i < POLICIES; i++)
		replay_result_free(&results[i]);
	return ret ? ret : replay_input_findings(args, in);
}

static int no_capture(const struct arguments *args, const struct times *t)
{
	static const char how[] = "record one with 'swaptrace record -e lru -o truncate.swaptrace "
				  "-- COMMAND', where COMMAND truncates many small files, and give "
				  "it with --capture truncate.swaptrace";

	if (t->given && !option_flag(args, "json")) {
		note("no capture of a truncation is shipped, so drains are not counted; %s", how);
		return EXIT_DONE;
	}
	return fail(EXIT_INPUT,
		    "no capture of a truncation is shipped (traces/samples/*truncate*.swaptrace), "
		    "so there are no drains to replay; %s",
		    how);
}

static int run_drain(const struct arguments *args)
{
	struct times times = { 0 };
	struct replay_input in;
	char path[PATH_MAX];
	int ret = read_both(args, &times);

	if (ret)
		return ret;
	if (!option_flag(args, "json"))
		print_times(&times);
	if (!find_capture(args, path, sizeof(path)))
		return no_capture(args, &times);
	ret = replay_input_open(&in, path);
	if (ret)
		return ret;
	ret = replay_capture(args, &in);
	replay_input_close(&in);
	return ret;
}

const struct reproduce_thread reproduce_drain = {
	.name = "drain",
	.options = { "capture", "before", "after", "json" },
	.run = run_drain,
};
