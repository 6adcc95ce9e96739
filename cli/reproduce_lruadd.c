// SPDX-License-Identifier: GPL-2.0
#include "cli/reproduce.h"

#include <math.h>
#include <stdio.h>

#include "analyze/format.h"
#include "analyze/published.h"
#include "analyze/statistics.h"
#include "analyze/table.h"
#include "replay/lru_cost.h"

/* Thread T4: published rates and run times, and what the patches' instructions cost here. */

enum { MAINLINE, INLINE, BOTH, KERNELS };

#define PAGE_BYTES 4096.0 /* of the published rates: x86 */

static int out_of_memory(void)
{
	return fail(EXIT_ENVIRONMENT, "out of memory");
}

static double published_page_ns(int kernel)
{
	return lru_cost_page_ns(published_lruadd[kernel].mbs, PAGE_BYTES);
}

static int print_published(void)
{
	struct table *t = table_new("published", "");
	double base = published_lruadd[MAINLINE].mbs;
	int ret;

	if (!t)
		return out_of_memory();
	table_column(t, "published", ALIGN_LEFT);
	table_column(t, "MB/s", ALIGN_RIGHT);
	table_column(t, "gain", ALIGN_RIGHT);
	table_column(t, "ns a page", ALIGN_RIGHT);
	table_column(t, "saved ns a page", ALIGN_RIGHT);
	for (int k = MAINLINE; k < KERNELS; k++) {
		table_word(t, published_lruadd[k].kernel);
		table_number(t, published_lruadd[k].mbs, 0);
		table_change(t, k ? percent_change(base, published_lruadd[k].mbs) : NAN);
		table_number(t, published_page_ns(k), 0);
		table_number(t, k ? published_page_ns(MAINLINE) - published_page_ns(k) : NAN, 0);
	}
	printf("Thread T4: %s\n(%s; n=1, no significance test)\n\n", PUBLISHED_LRUADD_SOURCE,
	       PUBLISHED_LRUADD_SETUP);
	ret = table_text(t, stdout);
	table_free(t);
	return ret ? out_of_memory() : 0;
}

/* --- this machine --------------------------------------------------------------------------- */

/*
 * ns for reading a page twice here, as if this kernel added pages the way 5.6 did: what the
 * patches would have had to save from. NaN when reads were not measured.
 */
static double own_page_ns(const struct calibration *c)
{
	unsigned int major, minor;
	double own;

	if (!c->have_read || sscanf(c->release, "%u.%u", &major, &minor) != 2)
		return NAN;
	own = calibration_extra(c, lruadd_of_kernel(major, minor));
	return c->read_first.median + c->read_again.median - own +
	       calibration_extra(c, LRUADD_OUTLINE_MB);
}

static void add_patch(struct table *t, const struct calibration *c, const char *name,
		      const struct spread *saved, double published)
{
	char quartiles[128];

	table_word(t, name);
	table_number(t, saved->median, 2);
	snprintf(quartiles, sizeof(quartiles), "%s .. %s", format_number(saved->low, 2).s,
		 format_number(saved->high, 2).s);
	table_word(t, quartiles);
	table_change(t, published);
	table_change(t, lru_cost_gain(published_page_ns(MAINLINE), saved->median));
	table_change(t, lru_cost_gain(own_page_ns(c), saved->median));
}

static void add_patches(struct table *t, const struct calibration *c)
{
	const struct published_rate *p = published_lruadd;

	add_patch(t, c, "patch 1/2: inline, no call", &c->call,
		  percent_change(p[MAINLINE].mbs, p[INLINE].mbs));
	add_patch(t, c, "patch 2/2: no full barrier", &c->barrier,
		  percent_change(p[INLINE].mbs, p[BOTH].mbs));
	add_patch(t, c, "both patches", &c->both, percent_change(p[MAINLINE].mbs, p[BOTH].mbs));
}

static void print_reading(const struct calibration *c)
{
	double needed = published_page_ns(MAINLINE) - published_page_ns(BOTH);

	printf("\nThe gains are ESTIMATES: one CPU, and nothing but these instructions changes. At "
	       "150 MB/s each page read is taken to be added once, which is the most there can "
	       "be.\n");
	if (c->have_read)
		printf("The last column is of this machine's page cache: %s ns for the first and "
		       "%s ns for the second read of a page of holes, added once.\n",
		       format_number(c->read_first.median, 0).s,
		       format_number(c->read_again.median, 0).s);
	if (c->both.median < needed / 2)
		printf("The published gain of both patches takes %s ns a page, the instructions "
		       "cost "
		       "%s ns here: uncontended, they do not account for it.\n",
		       format_number(needed, 0).s, format_number(c->both.median, 1).s);
	if (c->emulated)
		printf("The CPU was emulated while this was measured: these are no times of "
		       "hardware.\n");
}

static int print_machine(const struct calibration *c)
{
	struct table *t = table_new("predicted", "");
	int ret;

	if (!t)
		return out_of_memory();
	table_column(t, "this machine (estimate)", ALIGN_LEFT);
	table_column(t, "saves ns a page", ALIGN_RIGHT);
	table_column(t, "quartiles", ALIGN_RIGHT);
	table_column(t, "published gain", ALIGN_RIGHT);
	table_column(t, "predicted at 150 MB/s", ALIGN_RIGHT);
	table_column(t, "predicted, holes read twice", ALIGN_RIGHT);
	add_patches(t, c);
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
	for (int i = 0; i < 2; i++) {
		s[i] = (struct sample_summary){ .n = r[i].n,
						.mean = r[i].mean,
						.stddev = r[i].stddev };
		printf("  %-20s n=%u  %s +- %s s\n", r[i].kernel, r[i].n,
		       format_number(r[i].mean, 3).s, format_number(r[i].stddev, 3).s);
	}
	welch_test(&s[0], &s[1], &w);
	printf("  change %s, Welch t = %s, df = %s, p = %s, 95 %% confidence interval of the "
	       "difference %s to %s s: %s at 5 %%\n",
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

static int run_lruadd(const struct arguments *args)
{
	struct calibration c;
	int ret = get_calibration(args, &c);

	if (ret)
		return ret;
	if (c.emulated)
		warn("the CPU was emulated when it was calibrated: its times say nothing about "
		     "hardware");
	ret = print_published();
	if (!ret)
		ret = print_machine(&c);
	if (!ret)
		print_runs();
	return ret;
}

const struct reproduce_thread reproduce_lruadd = {
	.name = "lruadd",
	.options = { "calibration" },
	.run = run_lruadd,
};
