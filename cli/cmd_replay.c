// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result_json.h"
#include "cli/replay_alloc.h"
#include "cli/replay_input.h"
#include "cli/replay_lru.h"
#include "render/format.h"
#include "render/table.h"
#include "replay/engine.h"
#include "replay/lru_cost.h"

#define TIME_LINE_POINTS 120

static const struct option_desc options[] = {
	{ 0, "verify", OPTION_FLAG, NULL,
	  "compare the recorded kernel's own policy with what it really did", false },
	{ 0, "policy", OPTION_LIST, "SPEC",
	  "replay another policy (repeatable): settings joined by commas", false },
	{ 0, "init-hits", OPTION_U64, "N", "global readahead hits at the start of the trace",
	  false },
	{ 0, "from", OPTION_U64, "NS",
	  "let the policies of readahead act, and count, from this time of the trace on", false },
	{ 0, "device", OPTION_STRING, "PRESET",
	  "estimate seconds: nvme, ssd, virtio, hdd, zram or lat:US;bw:MBS", false },
	{ 0, "calibration", OPTION_STRING, "FILE",
	  "estimate what adding pages costs (see 'swaptrace calibrate')", false },
	{ 'o', "output", OPTION_STRING, "FILE",
	  "write the results as JSON to FILE (-: the same as --json)", false },
	{ 0, "json", OPTION_FLAG, NULL, "print the results as JSON", false },
	{ .name = NULL },
};

static void add_row(struct table *t, const struct replay_result *r)
{
	const struct readahead_result *ra = &r->readahead;
	char policy[256];

	snprintf(policy, sizeof(policy), "%.*s%s", (int)sizeof(r->policy), r->policy,
		 r->what_if ? " (what-if)" : "");
	table_word(t, policy);
	table_word(t, r->model);
	table_count(t, ra->known ? ra->lookups : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->calls : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->batches : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->pages_read : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->ra_pages : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->hits : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->unused : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->drains : COUNT_UNKNOWN);
	table_count(t, ra->known ? ra->bypassed : COUNT_UNKNOWN);
}

static int print_counts(const struct replay_result *results, unsigned int n)
{
	static const char *const headers[] = { "needs", "calls",  "batches", "read",	"readahead",
					       "hits",	"unused", "drains",  "bypassed" };
	struct table *t = table_new("replay", "");
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "policy", ALIGN_LEFT);
	table_column(t, "model", ALIGN_LEFT);
	for (unsigned int i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		table_column(t, headers[i], ALIGN_RIGHT);
	for (unsigned int i = 0; i < n; i++)
		add_row(t, &results[i]);
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

static void print_windows(const struct replay_result *r)
{
	const struct histogram *h = &r->readahead.windows;

	printf("windows of %s%s: {", r->policy, r->what_if ? " (what-if)" : "");
	for (unsigned int i = 0; i < h->n; i++)
		printf("%s%llu: %llu", i ? ", " : "", (unsigned long long)h->bins[i].pages,
		       (unsigned long long)h->bins[i].count);
	printf("}\n");
}

static void print_verify(const struct verify_result *v)
{
	printf("\nverify: %s of %s decisions agree (%s)\n", format_count(v->agreed).s,
	       format_count(v->checked).s, format_percent(percent_of(v->agreed, v->checked)).s);
	printf("  windows %s of %s, lookups %s of %s, reads %s of %s\n",
	       format_count(v->windows_agreed).s, format_count(v->windows_checked).s,
	       format_count(v->lookups_agreed).s, format_count(v->lookups_checked).s,
	       format_count(v->reads_agreed).s, format_count(v->reads_checked).s);
	if (v->derived_checked)
		printf("  derived windows equal to probed: %s of %s\n",
		       format_count(v->derived_agreed).s, format_count(v->derived_checked).s);
	print_alloc_verify(v);
	print_lru_verify(&v->lru);
	if (v->reads_unknown)
		printf("  not checked: %s reads of pages whose owner the trace does not tell\n",
		       format_count(v->reads_unknown).s);
	if (v->missing[0])
		printf("  not checked: %s\n", v->missing);
	if (v->checked != v->agreed)
		printf("  %s of the %s disagreements are explained by event order or loss\n",
		       format_count(v->explained).s, format_count(v->checked - v->agreed).s);
	for (unsigned int i = 0; i < v->nfirst; i++)
		printf("  at %llu ns %s: recorded %s; predicted %s (%s)\n",
		       (unsigned long long)v->first[i].t_ns, v->first[i].event,
		       v->first[i].recorded, v->first[i].predicted, v->first[i].why);
}

static bool noted(const struct replay_result *r, const char *note)
{
	for (unsigned int i = 0; i < r->nnotes; i++)
		if (!strcmp(r->notes[i], note))
			return true;
	return false;
}

/* What a policy's result must be read with and the recorded kernel's need not. */
static void print_own_notes(const struct replay_result *results, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++)
		for (unsigned int k = 0; k < results[i].nnotes; k++)
			if (!noted(&results[0], results[i].notes[k]))
				printf("note: %s: %s\n", results[i].policy, results[i].notes[k]);
}

static void print_estimates(const struct replay_result *results, unsigned int n)
{
	const char *said = "";

	for (unsigned int i = 0; i < n; i++) {
		const struct replay_result *r = &results[i];

		if (!r->estimate.known)
			continue;
		if (strcmp(said, r->estimate.assumptions))
			printf("\nestimated time, not measured (%s)\n", r->estimate.assumptions);
		said = r->estimate.assumptions;
		printf("  %10s s  %s%s\n", format_number(r->estimate.seconds, 3).s, r->policy,
		       r->what_if ? " (what-if)" : "");
	}
}

static void print_notes(const struct replay_result *results, unsigned int n)
{
	const struct replay_result *r = &results[0];

	if (r->readahead.known || r->alloc.known)
		printf("\nstart state: %s", start_state_name(r->start_state));
	else if (r->lru.known)
		printf("\nstart state: per-CPU batches empty");
	if (r->readahead.known && r->start_state == START_BOOT)
		printf(" (the kernel's boot values: hits 4, no previous offset; --init-hits sets them)");
	printf("\n");
	if (r->from_ns)
		printf("counted from %llu ns on; until then all policies follow the recorded kernel\n",
		       (unsigned long long)r->from_ns);
	for (unsigned int i = 0; i < r->nnotes; i++)
		printf("note: %s\n", r->notes[i]);
	print_own_notes(results, n);
	for (unsigned int i = 0; i < n; i++)
		if (results[i].readahead.unknown_neighbours &&
		    results[i].readahead.unknown_neighbours != COUNT_UNKNOWN)
			printf("note: %s: the owner of %s pages of VMA windows is not known; they count as not read\n",
			       results[i].policy,
			       format_count(results[i].readahead.unknown_neighbours).s);
	print_estimates(results, n);
}

static bool any_alloc(const struct replay_result *results, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (results[i].alloc.known)
			return true;
	return false;
}

static int print_text(const struct replay_result *results, unsigned int n, uint64_t page_size)
{
	int ret;

	if (!results[0].readahead.known && !results[0].lru.known && !any_alloc(results, n)) {
		printf("no needs of swap entries (LOOKUP events) in the trace: nothing to replay; 'swaptrace report' shows what was recorded\n");
	} else if (results[0].readahead.known) {
		ret = print_counts(results, n);
		if (ret)
			return ret;
		printf("\n");
		for (unsigned int i = 0; i < n; i++)
			print_windows(&results[i]);
		printf("%s", results[0].lru.known ? "\n" : "");
	}
	ret = print_lru(results, n);
	if (!ret)
		ret = print_alloc(results, n, page_size == COUNT_UNKNOWN ? 4096 : page_size);
	if (ret)
		return ret;
	if (results[0].verify.done)
		print_verify(&results[0].verify);
	print_notes(results, n);
	return 0;
}

/*
 * A document lists the policies in the order they were named, then the recorded one to compare
 * with. With --verify the recorded one comes first: it is what was asked about.
 */
static int write_document(const struct replay_input *in, const struct replay_result *results,
			  unsigned int n, const char *path)
{
	static struct replay_result ordered[REPLAY_POLICIES];
	unsigned int first = results[0].verify.done ? 0 : 1;

	for (unsigned int i = 0; i < n; i++)
		ordered[i] = results[(i + first) % n];
	return replay_input_write_results(in, ordered, n, path);
}

static int print_results(const struct arguments *args, const struct replay_input *in,
			 const struct replay_result *results, unsigned int n)
{
	const char *path = option_string(args, "output", NULL);
	bool standard = path && !strcmp(path, "-");
	int ret = path && !standard ? write_document(in, results, n, path) : 0;

	if (ret)
		return ret;
	if (standard || option_flag(args, "json"))
		return write_document(in, results, n, NULL);
	return print_text(results, n, in->facts.page_size) ? fail(EXIT_ENVIRONMENT, "out of memory")
							   : 0;
}

static bool verify_failed(const struct replay_result *r)
{
	return r->verify.done && r->verify.agreed != r->verify.checked;
}

static int finish(const struct arguments *args, const struct replay_input *in,
		  const struct replay_result *results, unsigned int n)
{
	int ret = print_results(args, in, results, n);

	if (ret)
		return ret;
	/* Damage and loss are said in any case: they may be why a verification failed. */
	ret = replay_input_findings(args, in);
	if (results[0].verify.done && !results[0].verify.checked)
		return fail(EXIT_FINDING, "%s: nothing could be verified; not checked: %s",
			    in->path, results[0].verify.missing);
	return verify_failed(&results[0]) ? EXIT_FINDING : ret;
}

/* The policies in the order they were named; the recorded one comes first and always. */
static int parse_policies(const struct arguments *args, const struct replay_input *in,
			  struct policy *policies, unsigned int *n)
{
	int given;
	char *const *specs = option_list(args, "policy", &given);
	struct error e;

	if (given >= REPLAY_POLICIES)
		return fail(EXIT_USAGE, "more than %d policies", REPLAY_POLICIES - 1);
	policy_recorded(&policies[0], &in->kernel);
	*n = 1;
	for (int i = 0; i < given; i++) {
		if (policy_parse(&policies[*n], &in->kernel, specs[i], &e))
			return fail(EXIT_USAGE, "%s", e.text);
		++*n;
	}
	return 0;
}

static bool checks_wanted(void)
{
	const char *value = getenv("SWAPTRACE_CHECK");

	return value && *value && strcmp(value, "0");
}

/* A row that equals the recorded one must not look like an answer where it is none. */
static void note_without_effect(const struct policy *p, struct replay_result *r)
{
	if (!r->lru.known &&
	    (p->lru.drain != LRU_DRAIN_RECORDED || p->lru.lruadd != LRUADD_RECORDED || p->lru.noff))
		replay_result_note(
			r,
			"drain, drain-off and lruadd change nothing: the trace has no events of the per-CPU batches (record -e lru)");
}

static void add_notes(const struct replay_input *in, const struct policy *policies, unsigned int n,
		      bool calibrated, struct replay_result *results)
{
	replay_input_note_model(in, &results[0]);
	if (calibrated && !results[0].lru.known)
		replay_result_note(
			&results[0],
			"nothing to estimate by calibration: the trace has no events of the per-CPU batches (record -e lru)");
	for (unsigned int i = 0; i < n; i++)
		note_without_effect(&policies[i], &results[i]);
}

static int replay(const struct arguments *args, struct replay_input *in)
{
	static struct policy policies[REPLAY_POLICIES];
	static struct replay_result results[REPLAY_POLICIES];
	struct replay_options o = {
		.policies = policies,
		.recorded = &in->kernel,
		.verify = option_flag(args, "verify"),
		.have_init_hits = option_given(args, "init-hits"),
		.init_hits = (uint32_t)option_u64(args, "init-hits", 0),
		.from_ns = option_u64(args, "from", 0),
		.check = checks_wanted(),
		.slices = TIME_LINE_POINTS,
	};
	const char *calibration = option_string(args, "calibration", NULL);
	struct calibration costs;
	struct cost_model cost;
	struct error e;
	int ret = calibration ? calibration_read(calibration, &costs, &e) : 0;

	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	if (option_given(args, "device")) {
		if (cost_parse(&cost, option_string(args, "device", NULL), &e))
			return fail(EXIT_USAGE, "%s", e.text);
		o.cost = &cost;
	}
	ret = parse_policies(args, in, policies, &o.npolicies);
	if (ret)
		return ret;
	if (o.verify && replay_can_verify(trace_get_header(in->reader), &e))
		return fail(EXIT_USAGE, "%s: %s", in->path, e.text);
	ret = replay_trace(in->reader, &o, results, &e);
	for (unsigned int i = 0; calibration && !ret && i < o.npolicies; i++)
		lru_cost_estimate(&costs, &results[i].lru);
	if (!ret)
		add_notes(in, policies, o.npolicies, calibration != NULL, results);
	trace_facts_of(in->reader, in->path, &in->facts); /* now with the number of events */
	ret = ret ? fail(ret == -EPROTONOSUPPORT || ret == -ERANGE ? EXIT_USAGE
								   : exit_code_for(ret),
			 "%s: %s", in->path, e.text)
		  : finish(args, in, results, o.npolicies);
	for (unsigned int i = 0; i < o.npolicies; i++)
		replay_result_free(&results[i]);
	return ret;
}

static int run_replay(const struct arguments *args)
{
	struct replay_input in;
	int ret = replay_input_open(&in, args->files[0]);

	if (ret)
		return ret;
	ret = replay(args, &in);
	replay_input_close(&in);
	return ret;
}

const struct command cmd_replay = {
	.name = "replay",
	.synopsis = "[--verify] [--policy SPEC]... [options] FILE",
	.summary = "ask the recorded kernel's model, or other policies, what they do with a trace",
	.description =
		"Feeds the needs recorded in FILE (binary trace or text notation, - for standard input) to a model of the kernel's swap readahead and prints what each policy did: needs of swap entries, readahead calls and their windows, batches (calls that read at least one page), pages read, pages read by readahead, readahead hits, pages read ahead and never needed, and drains of the LRU-add batches by readahead.\n\n"
		"The first row is always the recorded kernel's own policy (in --json and -o it comes behind the policies that were named, but first with --verify). With --verify its decisions are compared with the recorded ones: every window, every lookup's answer and every read; the exit status is 1 when any differs.\n\n"
		"A policy SPEC is the recorded kernel's policy with settings changed, joined by commas: readahead=cluster|vma|none|fixed:N, page-cluster=N, swapoff=vanilla|lookup-first|lookup-only|fixed:N, prev=global|per-device|per-cpu, bypass=none (swap-ins from synchronous devices go through the swap cache, one folio each and without readahead, as in kernels from 7.0 on), swapin-order=0|whole|cap:K (how much of a large folio that went out comes back for one fault: a page, all of it, up to 2^K pages), cpus=N, model=v5.6|v6.1|v6.12|v6.18|v6.19|v7.0|v7.3, device=PRESET|lat:US;bw:MBS (what its time is estimated for), drain=always|once, drain-off=SITE (repeatable), lruadd=outline-mb|inline-mb|inline-relaxed. A result that differs from what the recorded kernel does is a what-if and is labelled so: it answers the same needs, and leaves out that other readahead would have meant other memory pressure.\n\n"
		"With --from the trace up to that time (t_ns of dump) only leads to the state in which the policies begin: they decide nothing and count nothing before, as when a setting is changed right before a phase under test. --verify covers the whole trace all the same.\n\n"
		"A trace with events of the per-CPU LRU batches (LRUADD, FLUSH, DRAIN, RELEASE ...) is replayed through a model of these as well: how many drains each policy does, from which call site, and what they move. Drains that no release of a batch caused happen under every policy, unless drain-off names their site; those by readahead are the policy's own where its readahead differs, and so are the pages it adds.\n\n"
		"A trace with requests for slots (SWAPOUT, ALLOC, ALLOCFAIL) is replayed through a model of the slot allocator: requests that got slots and that fell back, per order, with the reason of each; the state at the first fallback; clusters and devices. allocator=NAME ('swaptrace policies' lists them) chooses another one, reserve=ORDER:PERCENT keeps a share of each device's clusters for one order, devices=FILE replaces the devices (lines of type= pages= and, where wanted, prio= flags= memcg=ID,...: only these cgroups use it). Data is followed page by page: later needs, windows of readahead, drops and drains go by where the policy put it, and needs of data that found no slot do not occur (spared). Requests above the slots cache are those of SWAPOUT events; without them ALLOC and ALLOCFAIL stand for requests at the allocator itself. With --verify every answer is compared; of a trace that began with slots in use, from the point on where the model is in step. SWAPTRACE_CHECK in the environment checks the allocators' invariants after every event (slow).",
	.examples =
		"  swaptrace replay --verify swaptrace.data\n"
		"  swaptrace replay --policy swapoff=vanilla --policy model=v6.18 swaptrace.data\n"
		"  swaptrace replay --policy page-cluster=0 --policy page-cluster=5 -o r.json t.txt\n",
	.options = options,
	.sandbox = SANDBOX_READER,
	.run = run_replay,
	.min_files = 1,
	.max_files = 1,
};
