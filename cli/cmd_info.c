// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/info.h"
#include "cli/trace_notes.h"
#include "common/text.h"

static double share(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void print_span(const struct info *in)
{
	uint64_t ns = in->last_ns - in->first_ns;

	if (!in->have_span) {
		printf("span       no events\n");
		return;
	}
	printf("span       %" PRIu64 ".%09" PRIu64 " s from %" PRIu64 " to %" PRIu64 " ns\n",
	       ns / 1000000000, ns % 1000000000, in->first_ns, in->last_ns);
}

static void print_summary(const struct info *in)
{
	const struct trace_stats *s = in->stats;

	printf("file       %s\n", clean(in->path).s);
	printf("size       %" PRIu64 " bytes in %" PRIu64 " block%s", in->bytes, s->blocks,
	       s->blocks == 1 ? "" : "s");
	if (s->events)
		printf(", %.2f bytes an event", (double)in->bytes / (double)s->events);
	printf("\n");
	print_span(in);
	printf("events     %" PRIu64 "\n", s->events);
	if (s->loss_known)
		printf("lost       %" PRIu64 " (%.2f %%)\n", s->lost,
		       share(s->lost, s->lost + s->events));
	else
		printf("lost       unknown: nobody counted\n");
	printf("damage     %" PRIu64 " blocks, %" PRIu64 " events, %" PRIu64 " bytes%s%s\n",
	       s->damaged_blocks + in->broken_blocks, s->damaged_events, s->damaged_bytes,
	       s->header_damaged ? ", header read from its second copy" : "",
	       s->truncated ? ", the end is missing" : "");
}

/* The probes have a table of their own. */
static void print_header_lines(const struct trace_header *h)
{
	size_t n = trace_header_lines(h);

	printf("\nheader\n");
	for (size_t i = 0; i < n; i++)
		if (strncmp(trace_header_line(h, i), "probe ", 6))
			printf("  %s\n", trace_header_line(h, i));
	if (!n)
		printf("  nothing is known about the machine\n");
}

static void print_event_counts(const struct info *in)
{
	printf("\n%-12s%20s%10s%14s\n", "event", "count", "share", "bytes each");
	for (unsigned int t = 0; t < EV_NR; t++)
		if (in->counts[t])
			printf("%-12s%20" PRIu64 "%8.2f %%%14.2f\n", event_table[t].name,
			       in->counts[t], share(in->counts[t], in->stats->events),
			       (double)in->stored[t] / (double)in->counts[t]);
	if (in->stats->events)
		printf("%-12s%20" PRIu64 "%10s%14.2f  type, time, cpu, tgid, comm\n", "all",
		       in->stats->events, "",
		       (double)in->stored[EV_NR] / (double)in->stats->events);
}

static void print_windows(const struct info *in)
{
	static const char *const modes[] = { "cluster", "vma" };

	for (unsigned int m = 0; m < 2; m++) {
		const struct info_windows *w = &in->windows[m];

		if (!w->probed)
			continue;
		printf("\nwindows    %s: derived windows equal to probed: %" PRIu64 " of %" PRIu64
		       " (%.3f %%)",
		       modes[m], w->equal, w->derived, share(w->equal, w->derived));
		if (w->derived < w->probed)
			printf("; %" PRIu64 " were probed only", w->probed - w->derived);
		printf("\n");
	}
}

static void print_count(bool have, uint64_t v)
{
	if (have)
		printf("%12" PRIu64, v);
	else
		printf("%12s", "-");
}

static void print_probe(const struct info_probe *p)
{
	static const char *const states[] = { "", "  WRONG", "  not checked" };

	printf("%-10s%-28s%-12s%5s", p->event[0] ? p->event : "-", p->symbol[0] ? p->symbol : "-",
	       p->kind[0] ? p->kind : "-", p->cpu[0] ? p->cpu : "-");
	print_count(p->have_hits, p->hits);
	print_count(p->have_delivered, p->delivered);
	print_count(p->have_lost, p->lost);
	print_count(p->have_filtered, p->filtered);
	print_count(p->have_missed, p->missed);
	printf("%s\n", states[p->state]);
}

/* Nothing can be said of a line without the numbers, unless the kernel missed runs. */
static bool says_something(const struct info_probe *p)
{
	return p->state != PROBE_NOT_CHECKED || (p->have_missed && p->missed);
}

static void print_probes(const struct info *in)
{
	size_t silent = 0;

	if (!in->nprobes)
		return;
	printf("\n%-10s%-28s%-12s%5s%12s%12s%12s%12s%12s\n", "probe", "symbol", "kind", "cpu",
	       "hits", "delivered", "lost", "filtered", "missed");
	for (size_t i = 0; i < in->nprobes; i++) {
		if (says_something(&in->probes[i]))
			print_probe(&in->probes[i]);
		else
			silent++;
	}
	if (silent)
		printf("and %zu that give no such numbers; 'dump --header' prints all\n", silent);
}

static void warn_offsets(const struct info *in)
{
	if (in->offsets && in->offsets == in->offsets_zero)
		warn("%s: all %" PRIu64
		     " offsets are 0: was the offset field not readable on this kernel?",
		     in->path, in->offsets);
	else if (in->offsets_outside)
		warn("%s: %" PRIu64 " of %" PRIu64 " offsets lie outside their device", in->path,
		     in->offsets_outside, in->offsets);
}

static void print_verdict(const struct info *in)
{
	printf("\nverify     %s: %" PRIu64 " blocks whole, %" PRIu64
	       " damaged%s; probes: %zu right, %zu wrong, %zu not checked\n",
	       info_finding(in) ? "FAILED" : "passed", in->stats->blocks - in->broken_blocks,
	       in->stats->damaged_blocks + in->broken_blocks,
	       in->stats->truncated ? ", the end is missing" : "",
	       in->nprobes - in->probes_wrong - in->probes_not_checked, in->probes_wrong,
	       in->probes_not_checked);
}

static void print_text(const struct info *in, bool verify)
{
	print_summary(in);
	print_header_lines(in->header);
	print_event_counts(in);
	print_windows(in);
	print_probes(in);
	if (verify)
		print_verdict(in);
}

static int run_info(const struct arguments *args)
{
	bool verify = option_flag(args, "verify");
	const char *path = args->files[0];
	struct trace_reader *r;
	struct error e = { 0 };
	struct info in;
	int finding;
	int ret = trace_open(&r, path, &e);

	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	ret = info_collect(&in, r, path, verify, &e);
	if (ret) {
		ret = fail(exit_code_for(ret), "%s", e.text);
	} else {
		if (!option_flag(args, "json"))
			print_text(&in, verify);
		else if (info_print_json(stdout, &in, verify))
			ret = fail(EXIT_ENVIRONMENT, "cannot write JSON");
		finding = trace_finding(args, trace_warn(path, in.stats));
		if (in.stats->truncated)
			note("'swaptrace recover %s -o NEW' makes a whole trace of what is readable",
			     path);
		warn_offsets(&in);
		if (!ret)
			ret = verify && info_finding(&in) ? EXIT_FINDING : finding;
	}
	info_free(&in);
	trace_close(r);
	return ret;
}

static const struct option_desc info_options[] = {
	{ 0, "verify", OPTION_FLAG, NULL,
	  "check every checksum and column, and hits = delivered + lost + filtered", false },
	{ 0, "json", OPTION_FLAG, NULL, "one JSON document instead of text", false },
	{ .name = NULL },
};

const struct command cmd_info = {
	.name = "info",
	.synopsis = "[options] TRACE",
	.summary = "say what is in a trace, and whether it is whole",
	.description =
		"Prints header, time span, counts and size per event, loss, damage, and what each probe did on each CPU. Where windows of readahead were probed and derived at once (a kernel that kept the functions which return them) it says how many are equal.\n\n"
		"With --verify all checksums are checked and all columns decoded, offsets are held against the devices, and for each probe line that has them hits must equal delivered + lost + filtered; lines without these numbers are \"not checked\". Exit status 1 when anything fails.",
	.examples = "  swaptrace info swaptrace.data\n"
		    "  swaptrace info --verify --json swaptrace.data\n",
	.options = info_options,
	.sandbox = SANDBOX_READER,
	.run = run_info,
	.min_files = 1,
	.max_files = 1,
};
