// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/trace_notes.h"
#include "common/output_file.h"
#include "traces/number.h"
#include "traces/trace.h"

/* Which events are printed. */
struct selection {
	uint64_t from_ns, to_ns; /* both inclusive */
	uint32_t types;		 /* bit t: enum event_type t */
	bool any_cpu, any_tgid;
	uint64_t cpu, tgid;
};

static int select_types(struct selection *sel, const struct arguments *args)
{
	int n;
	char *const *lists = option_list(args, "event", &n);

	sel->types = n ? 0 : UINT32_MAX;
	for (int i = 0; i < n; i++) {
		for (const char *p = lists[i]; *p;) {
			size_t len = strcspn(p, ",");
			int type = event_type_by_name(p, len);

			if (type < 0)
				return fail(
					EXIT_USAGE,
					"there is no event '%.*s'; swaptrace.data(5) lists them",
					(int)len, p);
			sel->types |= 1u << type;
			p += len + (p[len] == ',');
		}
	}
	return EXIT_DONE;
}

/* Seconds with up to nine decimals, exactly; false when it is no such number. */
static bool parse_seconds(const char *s, size_t len, uint64_t *ns)
{
	const char *dot = memchr(s, '.', len);
	size_t whole = dot ? (size_t)(dot - s) : len;
	size_t decimals = dot ? len - whole - 1 : 0;
	uint64_t seconds, fraction = 0;

	if (!number_decimal(s, whole, &seconds) || decimals > 9 ||
	    seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	if (dot && !number_decimal(dot + 1, decimals, &fraction))
		return false;
	for (size_t i = decimals; i < 9; i++)
		fraction *= 10;
	*ns = seconds * 1000000000 + fraction;
	return true;
}

/* START,STOP in seconds as perf script has it; either may be left out. */
static int select_time(struct selection *sel, const char *range)
{
	const char *comma;

	sel->from_ns = 0;
	sel->to_ns = UINT64_MAX;
	if (!range)
		return EXIT_DONE;
	comma = strchr(range, ',');
	if (!comma ||
	    (comma != range && !parse_seconds(range, (size_t)(comma - range), &sel->from_ns)) ||
	    (comma[1] && !parse_seconds(comma + 1, strlen(comma + 1), &sel->to_ns)) ||
	    sel->from_ns > sel->to_ns)
		return fail(EXIT_USAGE,
			    "--time wants START,STOP in seconds of CLOCK_BOOTTIME, not '%s'",
			    range);
	return EXIT_DONE;
}

static int make_selection(struct selection *sel, const struct arguments *args)
{
	int ret = select_types(sel, args);

	sel->any_cpu = !option_given(args, "cpu");
	sel->cpu = option_u64(args, "cpu", 0);
	sel->any_tgid = !option_given(args, "pid");
	sel->tgid = option_u64(args, "pid", 0);
	return ret ? ret : select_time(sel, option_string(args, "time", NULL));
}

static bool wanted(const struct selection *sel, const struct event *ev)
{
	return sel->types >> ev->type & 1 && ev->t_ns >= sel->from_ns && ev->t_ns <= sel->to_ns &&
	       (sel->any_cpu || (ev->cpu >= 0 && (uint64_t)ev->cpu == sel->cpu)) &&
	       (sel->any_tgid || (ev->tgid >= 0 && (uint64_t)ev->tgid == sel->tgid));
}

/* Returns 0, a negative errno with @e filled, or EXIT_ENVIRONMENT when the output can't be written.
 */
static int print_events(struct trace_reader *r, FILE *out, const struct selection *sel,
			struct error *e)
{
	struct event ev;
	int ret = sel->from_ns ? trace_seek(r, sel->from_ns, e) : 0;

	if (ret)
		return ret;
	while ((ret = trace_next(r, &ev, e)) > 0) {
		if (ev.t_ns > sel->to_ns)
			break;
		if (wanted(sel, &ev) && trace_print_event(out, r, &ev))
			return EXIT_ENVIRONMENT;
	}
	return ret < 0 ? ret : 0;
}

/*
 * The losses of a trace without footer stand in its blocks only: read them all before the header
 * is printed, so that text keeps the loss.
 */
static int print_header(FILE *out, struct trace_reader *r, struct error *e)
{
	const struct trace_block *b;
	uint64_t n;
	int ret;

	if (!trace_get_stats(r)->truncated)
		return trace_print_header(out, trace_get_header(r)) ? EXIT_ENVIRONMENT : 0;
	while ((ret = trace_next_block(r, &b, e)) > 0)
		;
	if (ret < 0)
		return ret;
	ret = trace_print_header(out, trace_get_header(r));
	for (unsigned int cpu = 0; (n = trace_get_lost(r, &cpu)); cpu++)
		if (fprintf(out, "# loss cpu=%u n=%" PRIu64 "\n", cpu, n) < 0)
			ret = -EIO;
	if (ret)
		return EXIT_ENVIRONMENT;
	return trace_rewind(r, e);
}

/* 0, or enum exit_code of a failure that was told. */
static int dump_trace(const struct arguments *args, struct trace_reader *r, FILE *out,
		      const char *out_name)
{
	struct selection sel;
	struct error e = { 0 };
	int ret = make_selection(&sel, args);

	if (ret)
		return ret;
	if (!option_flag(args, "no-header"))
		ret = print_header(out, r, &e);
	if (!ret && !option_flag(args, "header"))
		ret = print_events(r, out, &sel, &e);
	if (ret < 0)
		return fail(exit_code_for(ret), "%s", e.text);
	return ret ? fail(ret, "cannot write %s: %s", out_name, strerror(errno)) : 0;
}

static int dump_to_file(const struct arguments *args, struct trace_reader *r, const char *path)
{
	struct output_file *o;
	struct error e = { 0 };
	FILE *f;
	/* As private as the trace that it is made of. */
	int ret = output_open(&o, path, OUTPUT_PRIVATE, &e);

	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	f = output_stream(o);
	ret = f ? dump_trace(args, r, f, output_name(o)) : fail(EXIT_ENVIRONMENT, "out of memory");
	if (ret) {
		output_discard(o);
		return ret;
	}
	ret = output_commit(o, &e);
	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int run_dump(const struct arguments *args)
{
	const char *path = option_string(args, "output", "-");
	struct trace_reader *r;
	struct error e = { 0 };
	int ret = arguments_check_output(args, path);

	if (ret)
		return ret;
	ret = trace_open(&r, args->files[0], &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	if (strcmp(path, "-"))
		ret = dump_to_file(args, r, path);
	else
		ret = dump_trace(args, r, stdout, "standard output");
	if (!ret)
		ret = trace_finding(args, trace_warn(args->files[0], trace_get_stats(r)));
	trace_close(r);
	return ret;
}

static const struct option_desc dump_options[] = {
	{ 'o', "output", OPTION_STRING, "FILE", "write there instead of standard output", false },
	{ 'e', "event", OPTION_LIST, "NAME,...", "only these events (repeatable)", false },
	{ 0, "time", OPTION_STRING, "START,STOP", "only these seconds; either may be left out",
	  false },
	{ 'C', "cpu", OPTION_U64, "N", "only events of this CPU", false },
	{ 'p', "pid", OPTION_U64, "N", "only events of this process", false },
	{ 0, "header", OPTION_FLAG, NULL, "only the header", false },
	{ 0, "no-header", OPTION_FLAG, NULL, "only the events", false },
	{ .name = NULL },
};

const struct command cmd_dump = {
	.name = "dump",
	.synopsis = "[options] TRACE",
	.summary = "print a trace in text notation",
	.description =
		"Prints header and events in the text notation of swaptrace.data(5). What is printed can be imported again: dump, import and dump give the same text.",
	.examples = "  swaptrace dump -e RA,LOOKUP --time 12.5,13 swaptrace.data\n"
		    "  swaptrace dump --header swaptrace.data\n",
	.options = dump_options,
	.sandbox = SANDBOX_READER,
	.run = run_dump,
	.min_files = 1,
	.max_files = 1,
};
