// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison.h"
#include "analyze/lkp.h"
#include "analyze/mmtests.h"
#include "common/text.h"

enum style { STYLE_PLAIN, STYLE_MMTESTS, STYLE_LKP };

static const struct option_desc options[] = {
	{ 0, "style", OPTION_STRING, "NAME", "plain (default), mmtests or lkp", false },
	{ 0, "json", OPTION_FLAG, NULL, "print the comparison as JSON", false },
	{ 0, "lower-is-better", OPTION_FLAG, NULL, "less is better (default for times)", false },
	{ 0, "higher-is-better", OPTION_FLAG, NULL, "more is better (default for rates)", false },
	{ 0, "declared-n", OPTION_U64, "N", "warn unless each list holds N values", false },
	{ 0, "names", OPTION_STRING, "A,B,...", "names of the columns", false },
	{ 0, "rows", OPTION_FLAG, NULL, "each row of a table or list is an input", false },
	{ 0, "columns", OPTION_FLAG, NULL, "each column is an input, each row a metric", false },
	{ 0, "format", OPTION_STRING, "NAME",
	  "format of the texts, if not by content; --formats lists them", false },
	{ 0, "formats", OPTION_FLAG, NULL, "list all formats that are read, with examples", false },
	{ 'i', "interval", OPTION_STRING, "SEC",
	  "seconds between two readings of counters, for rates", false },
	{ 0, "page-size", OPTION_U64, "BYTES", "of the machine, for bytes of pages", true },
	{ 0, "operation", OPTION_STRING, "WORD", "mmtests style: what was measured (default Time)",
	  false },
	{ .name = NULL },
};

static int parse_style(const struct arguments *args, enum style *style)
{
	static const char *const names[] = {
		[STYLE_PLAIN] = "plain", [STYLE_MMTESTS] = "mmtests", [STYLE_LKP] = "lkp"
	};
	const char *name = option_string(args, "style", "plain");

	for (int i = 0; i < 3; i++) {
		if (!strcmp(names[i], name)) {
			*style = (enum style)i;
			return 0;
		}
	}
	return fail(EXIT_USAGE, "there is no style '%s'; use plain, mmtests or lkp", name);
}

/* The mmtests table has one operation: of several metrics each gets a table. */
static int print_mmtests(const struct arguments *args, const struct comparison *c)
{
	struct mmtests_column *columns = calloc(c->n, sizeof(*columns));
	struct error e = { 0 };
	int ret = columns ? 0 : fail(EXIT_ENVIRONMENT, "out of memory");

	for (unsigned int k = 0; !ret && k < c->nnames; k++) {
		const struct metric *named = c->names[k];
		const char *operation = named->name[0] ? named->name : "Time";

		for (unsigned int i = 0; !ret && i < c->n; i++) {
			const struct metric *m = comparison_metric(c, i, named->name);

			if (m)
				columns[i] =
					(struct mmtests_column){ c->inputs[i].name, m->v, m->n };
			else
				ret = fail(
					EXIT_INPUT,
					"%s: has no %s; the mmtests style needs it in every input",
					c->inputs[i].name, operation);
		}
		if (!ret && mmtests_write(stdout, columns, c->n,
					  clean(option_string(args, "operation", operation)).s,
					  named->better == BETTER_HIGHER, &e))
			ret = fail(exit_code_for(e.code), "%s", e.text);
	}
	free(columns);
	return ret;
}

static int print_plain(const struct comparison *c)
{
	struct document d = { 0 };
	int ret;

	comparison_document(c, &d);
	ret = d.failed ? d.failed : document_text(&d, stdout);
	document_free(&d);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

static int print(const struct arguments *args, const struct comparison *c, enum style style)
{
	struct error e = { 0 };
	int ret;

	if (option_flag(args, "json")) {
		ret = comparison_json(c, stdout, &e);
		return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
	}
	if (style == STYLE_PLAIN)
		return print_plain(c);
	if (!c->nnames)
		return fail(EXIT_INPUT,
			    "histograms have no table in this style; use --style plain");
	if (style == STYLE_MMTESTS)
		return print_mmtests(args, c);
	lkp_write(stdout, c);
	for (unsigned int i = 0; i < c->nfootnotes; i++)
		printf("%s\n", c->footnotes[i]);
	return 0;
}

static int load(const struct arguments *args, struct comparison *c, enum style style)
{
	struct error e = { 0 };

	for (int i = 0; i < args->nfiles; i++) {
		int ret = comparison_load(c, args->files[i], args->nfiles == 1, &e);

		/* mmtests prints a table of one column, too. */
		if (ret == -EINVAL && args->nfiles == 1 && style == STYLE_MMTESTS)
			ret = comparison_load(c, args->files[i], false, &e);
		/* Nothing is wrong with a list that has no other to be compared with. */
		if (ret == -EINVAL && args->nfiles == 1)
			return fail(EXIT_USAGE, "%s", e.text);
		if (ret)
			return fail(exit_code_for(ret), "%s", e.text);
	}
	return 0;
}

static int compare(const struct arguments *args, struct comparison *c,
		   const struct comparison_options *o, enum style style)
{
	struct error e = { 0 };
	int ret = load(args, c, style);

	if (ret)
		return ret;
	if (c->n < 2 && style != STYLE_MMTESTS && !(c->n && c->inputs[0].shows_alone))
		return fail(
			EXIT_USAGE,
			"%s holds only one input; compare needs at least two: name another file",
			args->files[0]);
	ret = comparison_finish(c, o, &e);
	if (ret == -EINVAL && o->names && strstr(e.text, "--names"))
		return fail(EXIT_USAGE, "%s", e.text);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	for (unsigned int i = 0; i < c->nwarnings; i++)
		warn("%s", c->warnings[i].text);
	ret = print(args, c, style);
	if (!ret && c->nwarnings && option_flag(args, "strict"))
		return EXIT_FINDING;
	return ret;
}

/* How texts are to be read, where their content does not decide. */
static int parse_reading(const struct arguments *args, struct comparison *c)
{
	const char *name = option_string(args, "format", NULL);
	char names[512];

	if (option_flag(args, "rows") && option_flag(args, "columns"))
		return fail(EXIT_USAGE, "--rows and --columns exclude each other");
	if (option_flag(args, "rows"))
		c->orientation = ORIENT_ROWS;
	if (option_flag(args, "columns"))
		c->orientation = ORIENT_COLUMNS;
	c->format = name ? format_by_name(name) : NULL;
	if (!name || (c->format && c->format->read))
		return 0;
	format_names(false, names, sizeof(names));
	return fail(EXIT_USAGE, "there is no format '%s' of measurements; there are %s", name,
		    names);
}

static int parse_interval(const struct arguments *args, double *seconds)
{
	const char *text = option_string(args, "interval", NULL);
	struct quantity q;

	*seconds = 0;
	if (!text)
		return 0;
	if (quantity_parse(text, strlen(text), &q) != QUANTITY_OK || q.number <= 0 ||
	    (q.kind != QUANTITY_PLAIN && q.kind != QUANTITY_TIME))
		return fail(EXIT_USAGE, "--interval: '%s' is not a time above 0", text);
	*seconds = q.number * q.scale;
	return 0;
}

static int run_compare(const struct arguments *args)
{
	struct comparison_options o = {
		.declared_n = option_u64(args, "declared-n", 0),
		.names = option_string(args, "names", NULL),
	};
	struct comparison c = { 0 };
	enum style style = STYLE_PLAIN;
	int ret = parse_style(args, &style);

	if (ret)
		return ret;
	if (option_flag(args, "formats")) {
		format_list(stdout);
		return EXIT_DONE;
	}
	if (!args->nfiles)
		return fail(EXIT_USAGE, "name at least one file to compare");
	if (option_flag(args, "lower-is-better") && option_flag(args, "higher-is-better"))
		return fail(EXIT_USAGE,
			    "--lower-is-better and --higher-is-better exclude each other");
	if (option_flag(args, "lower-is-better"))
		o.better = BETTER_LOWER;
	if (option_flag(args, "higher-is-better"))
		o.better = BETTER_HIGHER;
	ret = parse_interval(args, &c.interval);
	c.page_size = option_u64(args, "page-size", 0);
	if (!ret)
		ret = parse_reading(args, &c);
	if (!ret)
		ret = compare(args, &c, &o, style);
	comparison_free(&c);
	return ret;
}

const struct command cmd_compare = {
	.name = "compare",
	.synopsis = "[options] A B [C...]",
	.summary = "put measurements, counters, traces or results side by side",
	.description =
		"The first input is the base. An input is a file, - for standard input, a folder, or a value such as 150MB; what a file holds is told by its content, or by --format: the formats below, with an example each, results of replay -o, traces, a folder of hugepages-SIZEkB/stats/ counters.\n\n"
		"Lists of run times are a value a line or several, in any usual spelling (14.2s, 850ms, 0m11.84s, 1:02.50), \"#\" begins a comment; \"key: value\" lines, also with the value on the next line; a key that comes again is another run. \"# n=10 memory_limit=1G release=6.12\" states conditions. A single file may be a table whose columns are compared (a title line names them), lists \"NAME: VALUES\" that are compared with each other, the same rows below different headings, or a results file. Beside other files each cell of a table is a metric row/column. What no title decides is said; --rows and --columns override it. The decimal mark is decided for each file. Lines that are not data are left out, counted and named. Changes that a table declares are recomputed.\n\n"
		"States (memory, swap in use) get a difference; counters since boot get the difference of two readings and, where the time between them is told or given by --interval, a rate, but no per cent; intervals of one run (vmstat, sar, vmlog) and counts are not repeated runs: none of these is tested for significance. What people work out by hand (hit rate, pages per major fault, shares of large folios, fallback by folios and by memory, bytes of pages) is derived, and n/a where the counters contradict each other.\n\n"
		"The plain style prints n, mean, standard deviation (n-1), the change against the base and, with three inputs or more, against the input before, Welch's t (positive when the new mean is less) with its degrees of freedom, the two-sided p and the 95 % confidence interval of the difference of the means (new minus base). With one value a side there is no test. --style mmtests prints the quartile table of mmtests as of October 2017, where columns are named by --names RELEASE-NAME and a single list makes a table of one column; --style lkp prints mean, deviation in percent, and change.\n\n"
		"Warnings go to standard error: conditions that differ (release, page_cluster, vma_ra, memory limit, devices, thp_swap, page size, cluster_slots, ...), lists with another number of values than declared, declared changes that do not follow from their numbers, traces with losses. With --strict they make the exit status 1. An input that can not be read gives 3 and a message with file and line.\n\n"
		"JSON (--json), swaptrace.kind = \"comparison\", swaptrace.schema = 1: inputs[] {name, file, kind, declared_n, conditions{}, what_if, incomplete}; metrics[] {name (\"\": the bare list), unit, better (lower, higher or null), estimate, inputs[] {n, mean, stddev, min, median, max, values[], rounded} or null where an input does not have it, changes[] {difference, vs_base, vs_previous (percent, or points of a percentage), per_second (counters), test {refused, t, df, p, ci95[]}} or null}; mthp[] {size_kb (null: total), inputs[] {swpout, fallback, fallback_percent, few}}; derived {answers[] {name, unit, inputs[], changes[]}, notes[]}; inputs[] also have format, reading (how rows and columns were taken), left_out {lines, first_line, first}, notes[], metrics[] kind (value, gauge, counter, rate, counts), and their inputs[] sum (counts), stated_spread_percent, stated_runs, marked_significant; histograms[] {input, name, samples, buckets[], p50, p90, p99, p99.9, max}; warnings[] {kind, text}; footnotes[]. What is unknown is null.",
	.examples =
		"  swaptrace compare without.txt with.txt\n"
		"  swaptrace compare --style mmtests --names 4.14.0-vanilla,4.14.0-pcp a.txt b.txt\n"
		"  swaptrace compare base.json step1.json step2.json\n"
		"  swaptrace compare 150MB 154MB\n",
	.extra_title = "formats",
	.extra = format_help,
	.options = options,
	.sandbox = SANDBOX_READER,
	.run = run_compare,
	.min_files = 0, /* --formats needs none */
	.max_files = -1,
};
