// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/report.h"
#include "analyze/report_allocator_test.h"
#include "analyze/report_bpftrace_maps.h"
#include "cli/trace_notes.h"
#include "import/argdist.h"
#include "import/format.h"
#include "import/quantity.h"

static const struct option_desc options[] = {
	{ 'o', "output", OPTION_STRING, "DIR",
	  "write files into a folder instead of standard output", false },
	{ 0, "format", OPTION_STRING, "LIST",
	  "text, json, csv, svg, png, html; text without -o, all with it", false },
	{ 0, "style", OPTION_STRING, "STYLE",
	  "table (default) or argdist: windows as bcc's argdist prints", false },
	{ 0, "time", OPTION_LIST, "NAME=SECONDS",
	  "a measured run time; NAME is an input, or A for the first; repeatable", false },
	{ 0, "threshold", OPTION_STRING, "PERCENT",
	  "thp_swap_allocator_test: name the first iteration above it (default 50)", false },
	{ 0, "gnuplot-timeout", OPTION_U64, "SECONDS",
	  "stop a gnuplot that takes longer for a picture (default 30, at least 1)", false },
	{ 0, "json", OPTION_FLAG, NULL, "the same as --format json", false },
	{ .name = NULL },
};

/* The format of measurements that a file is certainly of; NULL: none, or it can't be looked at. */
static const struct format *measurements(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : NULL;
	const struct format *format = NULL;
	struct pasted t = { .name = path };
	char *text = NULL;

	if (f && !text_load(f, path, &text, &t.len, NULL) && !memchr(text, '\0', t.len)) {
		t.s = text;
		t.mark = text_decimal_mark(t.s, t.len);
		format = format_of_text(&t);
	}
	if (f)
		fclose(f);
	free(text);
	return format && strcmp(format->name, "plain") ? format : NULL;
}

static int load(struct sources *s, const struct arguments *args)
{
	struct error e = { 0 };
	int ret;

	for (int i = 0; i < args->nfiles; i++) {
		ret = sources_load(s, args->files[i], &e);
		if (ret == -EBADMSG && measurements(args->files[i]))
			return fail(EXIT_INPUT,
				    "%s: %s, which holds measurements; swaptrace compare reads it, "
				    "also alone",
				    args->files[i], measurements(args->files[i])->summary);
		if (ret)
			return fail(exit_code_for(ret), "%s", e.text);
	}
	if (!s->n)
		return fail(EXIT_INPUT, "%s: holds no results", args->files[0]);
	if (sources_finish(s))
		return fail(EXIT_ENVIRONMENT, "out of memory");
	return 0;
}

static int set_times(struct sources *s, const struct arguments *args)
{
	struct error e = { 0 };
	int n;
	char *const *specs = option_list(args, "time", &n);

	for (int i = 0; i < n; i++)
		if (sources_set_time(s, specs[i], &e))
			return fail(EXIT_USAGE, "option --time: %s", e.text);
	return 0;
}

/* What the reader must not miss goes to stderr where standard output does not show it. */
static unsigned int show_warnings(const struct report *r, const struct sources *s, bool in_output)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < s->n; i++)
		if (s->v[i].summary)
			wrong |= trace_warn(s->v[i].file, &s->v[i].summary->stats);
	for (unsigned int i = 0; i < r->doc.n && !in_output; i++)
		if (r->doc.blocks[i].kind == BLOCK_WARNING)
			warn("%s", r->doc.blocks[i].text);
	return wrong;
}

static int print_argdist(const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		const struct source *v = &s->v[i];
		char label[160] = ARGDIST_PROBE;

		if (s->n > 1 || v->result.what_if)
			snprintf(label, sizeof(label), "%s%s", v->name,
				 v->result.what_if ? " (what-if)" : "");
		if (argdist_write(stdout, &v->result.readahead.windows, label, NULL))
			return fail(EXIT_ENVIRONMENT, "out of memory");
	}
	return EXIT_DONE;
}

static int print_report(const struct report *r, const struct sources *s, int formats)
{
	struct error e = { 0 };
	int ret;

	switch (formats) {
	case REPORT_TEXT:
		ret = document_text(&r->doc, stdout);
		break;
	case REPORT_CSV:
		ret = document_csv(&r->doc, stdout);
		break;
	case REPORT_JSON:
		ret = report_json(r, s, stdout, &e);
		break;
	default:
		return fail(
			EXIT_USAGE,
			"--format: one of text, json and csv goes to standard output; for more, or for pictures, name a folder with -o DIR");
	}
	return ret ? fail(exit_code_for(ret), "%s", e.text[0] ? e.text : "out of memory")
		   : EXIT_DONE;
}

/* No plot of ours takes a second: what is not finished in 30 will never be. */
static unsigned int patience(const struct arguments *args)
{
	uint64_t s = option_u64(args, "gnuplot-timeout", 30);

	if (!s)
		return 1;
	return s < 1000000 ? (unsigned int)s : 1000000;
}

static int write_report(const struct arguments *args, const struct report *r,
			const struct sources *s, const char *dir, int formats)
{
	struct report_pictures p = { .patience_s = patience(args) };
	struct error e = { 0 };
	struct report_target t = { dir, (unsigned int)formats, args->files, args->nfiles };
	int ret = report_write(r, s, &t, &p, &e);

	if (ret)
		return fail(ret == -EEXIST ? EXIT_USAGE : exit_code_for(ret), "%s", e.text);
	if (p.no_gnuplot)
		note("gnuplot is not installed: no pictures, text plots instead; the .gp and .dat files can be drawn later");
	else if (p.as_text)
		note("this gnuplot has neither svg nor png: pictures are text plots (.txt)");
	note("report written to %s/%s", dir, formats & REPORT_HTML ? "report.html" : "");
	if (p.failed)
		return fail(EXIT_FINDING, "%u pictures were not written: %s", p.failed,
			    p.failure.text);
	return EXIT_DONE;
}

static int choose_output(const struct arguments *args)
{
	if (strcmp(option_string(args, "output", ""), "-"))
		return 0;
	return fail(EXIT_USAGE, "-o names a folder; without it the report goes to standard output");
}

static int choose_formats(const struct arguments *args, int *formats)
{
	const char *list = option_string(args, "format", NULL);
	struct error e = { 0 };

	*formats = option_string(args, "output", NULL) ? REPORT_ALL : REPORT_TEXT;
	if (option_flag(args, "json"))
		*formats = REPORT_JSON;
	if (!list)
		return 0;
	*formats = report_formats_parse(list, &e);
	return *formats < 0 ? fail(EXIT_USAGE, "option --format: %s", e.text) : 0;
}

static int choose_style(const struct arguments *args, bool *argdist)
{
	const char *style = option_string(args, "style", "table");

	*argdist = !strcmp(style, "argdist");
	if (!*argdist && strcmp(style, "table"))
		return fail(EXIT_USAGE, "option --style: '%s' is neither argdist nor table", style);
	if (*argdist && (option_given(args, "output") || option_given(args, "format")))
		return fail(EXIT_USAGE, "--style argdist prints to standard output only");
	return 0;
}

static int make_report(const struct arguments *args, const struct sources *s, bool argdist,
		       int formats)
{
	const char *dir = option_string(args, "output", NULL);
	struct report r;
	unsigned int wrong;
	int ret;

	if (report_build(&r, s)) {
		report_free(&r);
		return fail(EXIT_ENVIRONMENT, "out of memory");
	}
	wrong = show_warnings(&r, s, !argdist && !dir && formats == REPORT_TEXT);
	if (argdist)
		ret = print_argdist(s);
	else if (dir)
		ret = write_report(args, &r, s, dir, formats);
	else
		ret = print_report(&r, s, formats);
	if (!ret)
		ret = trace_finding(args, wrong);
	if (!ret && option_flag(args, "strict") && (r.lost || r.unequal))
		ret = EXIT_FINDING;
	report_free(&r);
	return ret;
}

/* What stands in a report of its own. */
enum foreign { FOREIGN_NONE, FOREIGN_ITERATIONS, FOREIGN_MAPS };

static enum foreign recognise(const char *head, size_t len)
{
	if (tsat_recognise(head, len))
		return FOREIGN_ITERATIONS;
	/* Traces in text have none of these lines; argdist's tables may stand among them. */
	if (!argdist_recognise(head, len) &&
	    (maps_recognise(head, len) ||
	     (!memchr(head, '\0', len) && hist_text_recognise(head, len))))
		return FOREIGN_MAPS;
	return FOREIGN_NONE;
}

/* A pipe can't be looked at twice. */
static enum foreign foreign_of(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
				   : dup(STDIN_FILENO);
	char head[4096];
	ssize_t n;

	if (fd < 0)
		return FOREIGN_NONE;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n > 0 ? recognise(head, (size_t)n) : FOREIGN_NONE;
}

static int choose_threshold(const struct arguments *args, double *threshold)
{
	const char *s = option_string(args, "threshold", "50");
	struct quantity q;

	if (quantity_parse(s, strlen(s), &q) != QUANTITY_OK ||
	    (q.kind != QUANTITY_PLAIN && q.kind != QUANTITY_PERCENT) || q.number < 0 ||
	    q.number > 100)
		return fail(EXIT_USAGE,
			    "option --threshold: '%s' is not a percentage from 0 to 100", s);
	*threshold = q.number;
	return 0;
}

static int load_iterations(struct tsat *runs, const struct arguments *args)
{
	for (int i = 0; i < args->nfiles; i++) {
		const char *name = args->files[i];
		FILE *f = strcmp(name, "-") ? fopen(name, "re") : stdin;
		struct error e = { 0 };
		int ret;

		if (!f)
			return fail(EXIT_INPUT, "cannot open %s: %s", name, strerror(errno));
		ret = tsat_read(f, f == stdin ? "standard input" : name, &runs[i], &e);
		if (f != stdin)
			fclose(f);
		if (ret)
			return fail(exit_code_for(ret), "%s", e.text);
	}
	return 0;
}

static int show_iterations(const struct arguments *args, const struct tsat *runs, int formats)
{
	const char *dir = option_string(args, "output", NULL);
	const struct sources none = { 0 };
	struct report r;
	double threshold = 50;
	int ret = choose_threshold(args, &threshold);

	if (ret)
		return ret;
	if (tsat_report(&r, runs, (unsigned int)args->nfiles, threshold)) {
		report_free(&r);
		return fail(EXIT_ENVIRONMENT, "out of memory");
	}
	show_warnings(&r, &none, !dir && formats == REPORT_TEXT);
	ret = dir ? write_report(args, &r, &none, dir, formats) : print_report(&r, &none, formats);
	report_free(&r);
	return ret;
}

static int report_iterations(const struct arguments *args, int formats)
{
	struct tsat *runs = calloc((size_t)args->nfiles, sizeof(*runs));
	int ret;

	if (!runs)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	ret = load_iterations(runs, args);
	if (!ret)
		ret = show_iterations(args, runs, formats);
	for (int i = 0; i < args->nfiles; i++)
		tsat_free(&runs[i]);
	free(runs);
	return ret;
}

static int load_maps(struct map_dump *dumps, const struct arguments *args)
{
	for (int i = 0; i < args->nfiles; i++) {
		const char *name = args->files[i];
		FILE *f = strcmp(name, "-") ? fopen(name, "re") : stdin;
		struct error e = { 0 };
		int ret;

		if (!f)
			return fail(EXIT_INPUT, "cannot open %s: %s", name, strerror(errno));
		ret = maps_read(f, f == stdin ? "standard input" : name, &dumps[i], &e);
		if (f != stdin)
			fclose(f);
		if (ret)
			return fail(exit_code_for(ret), "%s", e.text);
	}
	return 0;
}

static int show_maps(const struct arguments *args, const struct map_dump *dumps, int formats)
{
	const char *dir = option_string(args, "output", NULL);
	const struct sources none = { 0 };
	struct report r;
	int ret;

	if (maps_report(&r, dumps, (unsigned int)args->nfiles)) {
		report_free(&r);
		return fail(EXIT_ENVIRONMENT, "out of memory");
	}
	show_warnings(&r, &none, !dir && formats == REPORT_TEXT);
	ret = dir ? write_report(args, &r, &none, dir, formats) : print_report(&r, &none, formats);
	if (!ret && option_flag(args, "strict") && (r.lost || r.partial))
		ret = EXIT_FINDING;
	report_free(&r);
	return ret;
}

static int report_maps(const struct arguments *args, int formats)
{
	struct map_dump *dumps = calloc((size_t)args->nfiles, sizeof(*dumps));
	int ret;

	if (!dumps)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	ret = load_maps(dumps, args);
	if (!ret)
		ret = show_maps(args, dumps, formats);
	for (int i = 0; i < args->nfiles; i++)
		maps_free(&dumps[i]);
	free(dumps);
	return ret;
}

/* EXIT_USAGE where files that need reports of their own stand among others. */
static int choose_kind(const struct arguments *args, bool argdist, enum foreign *kind)
{
	bool mixed = argdist;

	*kind = foreign_of(args->files[0]);
	for (int i = 0; i < args->nfiles; i++) {
		enum foreign k = foreign_of(args->files[i]);

		mixed |= k != *kind;
		if (k != FOREIGN_NONE)
			*kind = k;
	}
	if (*kind == FOREIGN_NONE || !mixed)
		return 0;
	return fail(
		EXIT_USAGE,
		"output of %s stands in a report of its own: name only such files, and no --style argdist",
		*kind == FOREIGN_MAPS ? "bpftrace" : "thp_swap_allocator_test");
}

static int run_report(const struct arguments *args)
{
	struct sources s = { 0 };
	enum foreign kind = FOREIGN_NONE;
	bool argdist;
	int formats, ret = choose_style(args, &argdist);

	if (!ret)
		ret = choose_output(args);
	if (!ret)
		ret = choose_formats(args, &formats);
	if (!ret)
		ret = choose_kind(args, argdist, &kind);
	if (ret)
		return ret;
	if (kind == FOREIGN_ITERATIONS)
		return report_iterations(args, formats);
	if (option_given(args, "threshold"))
		return fail(
			EXIT_USAGE,
			"option --threshold is for output of thp_swap_allocator_test, and no file holds any");
	if (kind == FOREIGN_MAPS)
		return report_maps(args, formats);
	ret = load(&s, args);
	if (!ret)
		ret = set_times(&s, args);
	if (!ret)
		ret = make_report(args, &s, argdist, formats);
	sources_free(&s);
	return ret;
}

const struct command cmd_report = {
	.name = "report",
	.synopsis = "[options] FILE...",
	.summary = "tables and pictures of traces, results and argdist tables, side by side",
	.description =
		"Reads traces (binary or text notation), results of replay and sweep (JSON) and pasted output of bcc's argdist, told apart by content, and puts them side by side: readahead calls, batches, pages and drains, the distribution of the windows, windows and accuracy over time, swap slots (fallbacks per order with their reasons, the first one and the free space then, occupancy of the clusters), drains by call site, swapoff progress. Reasons and free space are in results of replay only. A file - is standard input.\n\n"
		"Without -o the report is printed as text. With -o DIR it is written as report.txt, report.json, report.html, one .csv per table, and one .svg and .png per picture, beside the gnuplot script (.gp) and data (.dat) that the picture is made from; report.files lists them. The next report into DIR replaces the files of that list, all at once or, when something fails, none. It removes those that it has no use for, and touches no others: where one of them is in the way, or is an input, it refuses.\n\n"
		"Files of the kernel's thp_swap_allocator_test make a report of their own: share of fallbacks by iteration, and the first iteration above --threshold. So do maps and histograms that bpftrace printed (text or -f json): who did how much, with the losses that it tells of.\n\n"
		"What a trace does not tell is n/a, never 0.",
	.examples = "  swaptrace report t.swaptrace\n"
		    "  swaptrace report -o report t.swaptrace\n"
		    "  swaptrace report before.txt after.txt --time A=22.09s --time B=12.19s\n"
		    "  swaptrace report --style argdist t.swaptrace\n",
	.options = options,
	.sandbox = SANDBOX_TOOLS,
	.run = run_report,
	.min_files = 1,
	.max_files = -1,
};
