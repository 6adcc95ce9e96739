// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/trace_notes.h"
#include "common/nearest.h"
#include "common/output_file.h"
#include "common/output_folder.h"
#include "export/exporter.h"

/* Its list of what an earlier export left there. */
#define FOLDER_LIST ".swaptrace-export"

static int unknown_format(const char *name)
{
	struct nearest near = { 0 };
	char all[256] = "";
	size_t len = 0;

	for (const struct exporter *const *e = exporters; *e; e++) {
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", len ? ", " : "",
					(*e)->name);
		nearest_try(&near, name, (*e)->name);
	}
	if (near.word)
		return fail(EXIT_USAGE, "--format %s: there is no such format; did you mean %s?",
			    name, near.word);
	return fail(EXIT_USAGE, "--format %s: there is no such format; there are %s", name, all);
}

static int to_file(const struct exporter *exporter, struct trace_reader *r, const char *path,
		   struct error *e)
{
	struct output_file *o;
	int ret;

	if (!strcmp(path, "-"))
		return export_run(exporter, r, stdout, -1, e);
	/* As private as the trace that it is made of. */
	ret = output_open(&o, path, OUTPUT_PRIVATE, e);
	if (ret)
		return ret;
	ret = output_stream(o) ? export_run(exporter, r, output_stream(o), -1, e)
			       : error_set(e, -ENOMEM, "out of memory");
	if (!ret)
		return output_commit(o, e);
	output_discard(o);
	return ret;
}

static int to_folder(const struct exporter *exporter, struct trace_reader *r, const char *path,
		     const struct arguments *args, struct error *e)
{
	const struct output_folder_plan plan = { FOLDER_LIST, exporter->files, args->files,
						 args->nfiles };
	struct output_folder *f;
	int ret = output_folder_open(&f, path, &plan, e);

	if (ret)
		return ret;
	ret = export_run(exporter, r, NULL, output_folder_fd(f), e);
	if (!ret)
		return output_folder_commit(f, e);
	output_folder_discard(f);
	return ret;
}

static int check_output(const struct exporter *exporter, const char *path)
{
	if (exporter->files && !strcmp(path, "-"))
		return fail(EXIT_USAGE, "--format %s is a folder: name it with -o DIR",
			    exporter->name);
	if (exporter->binary && !strcmp(path, "-") && isatty(STDOUT_FILENO))
		return fail(EXIT_USAGE,
			    "--format %s is nothing for a terminal; write it with -o FILE",
			    exporter->name);
	return 0;
}

static int run_export(const struct arguments *args)
{
	const char *name = option_string(args, "format", "jsonl");
	const char *path = option_string(args, "output", "-");
	const struct exporter *exporter = exporter_find(name);
	struct trace_reader *r;
	struct error e = { 0 };
	int ret = exporter ? check_output(exporter, path) : unknown_format(name);

	if (ret)
		return ret;
	ret = trace_open(&r, args->files[0], &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	if (exporter->files)
		ret = to_folder(exporter, r, path, args, &e);
	else
		ret = to_file(exporter, r, path, &e);
	if (ret)
		ret = fail(exit_code_for(ret), "%s: %s", args->files[0], e.text);
	if (!ret)
		ret = trace_finding(args, trace_warn(args->files[0], trace_get_stats(r)));
	trace_close(r);
	return ret;
}

static const struct option_desc export_options[] = {
	{ 'f', "format", OPTION_STRING, "NAME",
	  "json, jsonl (default), csv, chrome, perfetto, ctf, fio or oracleGeneral", false },
	{ 'o', "output", OPTION_STRING, "FILE",
	  "write there instead of standard output; a folder for ctf", false },
	{ .name = NULL },
};

const struct command cmd_export = {
	.name = "export",
	.synopsis = "[options] TRACE",
	.summary = "write a trace in another tool's format",
	.description =
		"Writes the events of a trace for other tools. json and jsonl hold every event with its keys (jq, DuckDB, pandas); csv has one row an event and one column a key, the same columns for every trace, with empty cells for what is not known. chrome and perfetto show needs and reads as slices, windows, fallback and losses as counters, drains, swapoff and losses as marks (ui.perfetto.dev, chrome://tracing). ctf is a folder for babeltrace2 and Trace Compass. fio is an I/O log of what the devices read and wrote, with times, for fio --read_iolog; its files are called swapN by the number of the device (--replay_redirect names another one). oracleGeneral holds the needs of swap entries as requests to a cache, for libCacheSim.\n\n"
		"The column and member on_cpu is where an event was seen; cpu is the key of that name, the CPU acted on.\n\n"
		"In DuckDB: create table t as select * from read_csv('t.csv'). In pandas: pandas.read_csv('t.csv'). From either, Parquet is one call away.",
	.examples = "  swaptrace export -f perfetto -o swap.pftrace swaptrace.data\n"
		    "  swaptrace export -f ctf -o swap-ctf swaptrace.data && babeltrace2 swap-ctf\n"
		    "  swaptrace export swaptrace.data | jq -r 'select(.event == \"RA\") | .ret'\n",
	.options = export_options,
	.sandbox = SANDBOX_READER,
	.run = run_export,
	.min_files = 1,
	.max_files = 1,
};
