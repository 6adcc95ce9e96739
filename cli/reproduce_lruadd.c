// SPDX-License-Identifier: GPL-2.0
#include "cli/reproduce.h"

#include <math.h>
#include <stdio.h>

#include "analyze/lruadd.h"
#include "analyze/reproduce_json.h"
#include "analyze/result_json.h"
#include "doctor/calibrate.h"
#include "render/format.h"
#include "render/table.h"

/* Thread T4: published rates and run times, and what the patches' instructions cost here. */

static int out_of_memory(void)
{
	return fail(EXIT_ENVIRONMENT, "out of memory");
}

static int print_published(void)
{
	struct table *t = table_new("published", "");
	double base = published_lruadd[LRUADD_MAINLINE].mbs;
	int ret;

	if (!t)
		return out_of_memory();
	table_column(t, "published", ALIGN_LEFT);
	table_column(t, "MB/s", ALIGN_RIGHT);
	table_column(t, "gain", ALIGN_RIGHT);
	table_column(t, "ns a page", ALIGN_RIGHT);
	table_column(t, "saved ns a page", ALIGN_RIGHT);
	for (int k = LRUADD_MAINLINE; k < LRUADD_KERNELS; k++) {
		table_word(t, published_lruadd[k].kernel);
		table_number(t, published_lruadd[k].mbs, 0);
		table_change(t, k ? percent_change(base, published_lruadd[k].mbs) : NAN);
		table_number(t, lruadd_published_page_ns(k), 0);
		table_number(t,
			     k ? lruadd_published_page_ns(LRUADD_MAINLINE) -
					     lruadd_published_page_ns(k)
			       : NAN,
			     0);
	}
	printf("Thread T4: %s\n(%s; n=1, no significance test)\n\n", PUBLISHED_LRUADD_SOURCE,
	       PUBLISHED_LRUADD_SETUP);
	ret = table_text(t, stdout);
	table_free(t);
	return ret ? out_of_memory() : 0;
}

/* --- this machine --------------------------------------------------------------------------- */

static void add_patch(struct table *t, const struct lruadd_patch *p)
{
	char quartiles[128];

	table_word(t, p->name);
	table_number(t, p->saved.median, 2);
	snprintf(quartiles, sizeof(quartiles), "%s .. %s", format_number(p->saved.low, 2).s,
		 format_number(p->saved.high, 2).s);
	table_word(t, quartiles);
	table_change(t, p->published);
	table_change(t, p->at_published_rate);
	table_change(t, p->holes_read_twice);
}

static void print_reading(const struct calibration *c)
{
	double needed =
		lruadd_published_page_ns(LRUADD_MAINLINE) - lruadd_published_page_ns(LRUADD_BOTH);

	printf("\nThe gains are ESTIMATES: one CPU, and nothing but these instructions changes. At 150 MB/s each page read is taken to be added once, which is the most there can be.\n");
	if (c->have_read)
		printf("The last column is of this machine's page cache: %s ns for the first and %s ns for the second read of a page of holes, added once.\n",
		       format_number(c->read_first.median, 0).s,
		       format_number(c->read_again.median, 0).s);
	if (c->both.median < needed / 2)
		printf("The published gain of both patches takes %s ns a page, the instructions cost %s ns here: uncontended, they do not account for it.\n",
		       format_number(needed, 0).s, format_number(c->both.median, 1).s);
	if (c->emulated)
		printf("The CPU was emulated while this was measured: these are not times of hardware.\n");
}

static int print_machine(const struct calibration *c)
{
	struct table *t = table_new("predicted", "");
	struct lruadd_patch patches[LRUADD_PATCHES];
	int ret;

	if (!t)
		return out_of_memory();
	table_column(t, "this machine (estimate)", ALIGN_LEFT);
	table_column(t, "saves ns a page", ALIGN_RIGHT);
	table_column(t, "quartiles", ALIGN_RIGHT);
	table_column(t, "published gain", ALIGN_RIGHT);
	table_column(t, "predicted at 150 MB/s", ALIGN_RIGHT);
	table_column(t, "predicted, holes read twice", ALIGN_RIGHT);
	lruadd_predict(c, patches);
	for (int i = 0; i < LRUADD_PATCHES; i++)
		add_patch(t, &patches[i]);
	printf("\n%s, kernel %s, medians of %u rounds\n\n", c->cpu[0] ? c->cpu : "unknown CPU",
	       c->release[0] ? c->release : "unknown", c->rounds);
	ret = table_text(t, stdout);
	table_free(t);
	if (!ret)
		print_reading(c);
	return ret ? out_of_memory() : 0;
}

/* --- the published runs ---------------------------------------------------------------------- */

static void print_runs(void)
{
	const struct published_runs *r = published_lruadd_runs;
	struct sample_summary s[2];
	struct welch w;

	printf("\n`dd if=file-100GiB of=/dev/null bs=4k`, published:\n");
	lruadd_published_runs(s, &w);
	for (int i = 0; i < 2; i++)
		printf("  %-20s n=%u  %s +- %s s\n", r[i].kernel, r[i].n,
		       format_number(r[i].mean, 3).s, format_number(r[i].stddev, 3).s);
	printf("  change %s, Welch t = %s, df = %s, p = %s, 95 %% confidence interval of the difference %s to %s s: %s at 5 %%\n",
	       format_change(percent_change(r[0].mean, r[1].mean)).s, format_number(w.t, 2).s,
	       format_number(w.df, 1).s, format_number(w.p, 3).s, format_number(w.low, 3).s,
	       format_number(w.high, 3).s, w.p < 0.05 ? "significant" : "not significant");
}

static int get_calibration(const struct arguments *args, struct calibration *c)
{
	const char *path = option_string(args, "calibration", NULL);
	struct error e;
	int ret;

	if (path)
		ret = calibration_read(path, c, &e);
	else
		ret = calibrate(c, CALIBRATE_ROUNDS, ".", &e);
	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int print_json(const struct calibration *c)
{
	struct error e;
	int ret = results_write_more(stdout, NULL, 0, "reproduce", reproduce_lruadd_json(c), &e);

	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int run_lruadd(const struct arguments *args)
{
	struct calibration c;
	int ret = get_calibration(args, &c);

	if (ret)
		return ret;
	if (c.emulated)
		warn("the CPU was emulated when it was calibrated: its times say nothing about hardware");
	if (option_flag(args, "json"))
		return print_json(&c);
	ret = print_published();
	if (!ret)
		ret = print_machine(&c);
	if (!ret)
		print_runs();
	return ret;
}

const struct reproduce_thread reproduce_lruadd = {
	.name = "lruadd",
	.options = { "calibration", "json" },
	.run = run_lruadd,
};
