// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/result_json.h"
#include "cli/replay_input.h"
#include "cli/sweep_families.h"
#include "render/format.h"
#include "render/table.h"
#include "replay/engine.h"
#include "replay/grid.h"

/* Policies of one pass: enough to share the decoding, few enough for every core to have some. */
#define PASS_POLICIES 8

static const struct option_desc options[] = {
	{ 0, "grid", OPTION_STRING, "GRID",
	  "key=A..B or key=value|value, joined by commas (default page-cluster=0..5)", false },
	{ 0, "device", OPTION_STRING, "PRESET",
	  "device of the estimate: nvme (default), ssd, virtio, hdd, zram or lat:US;bw:MBS",
	  false },
	{ 0, "init-hits", OPTION_U64, "N", "global readahead hits at the start of the trace",
	  false },
	{ 'j', "jobs", OPTION_U64, "N", "passes at a time (default: one per processor)", false },
	{ 'o', "output", OPTION_STRING, "FILE",
	  "write the results as JSON to FILE (-: the same as --json)", false },
	{ 0, "json", OPTION_FLAG, NULL, "print the results as JSON", false },
	{ .name = NULL },
};

struct sweep {
	const char *path;
	struct trace_reader *input; /* the first pass reads it, and so its statistics are whole */
	struct policy *policies;
	struct replay_result *results;
	unsigned int n, next; /* next: first policy that nobody replays yet, under lock */
	struct replay_options options;
	pthread_mutex_t lock;
	struct error error;
	int failed;
};

static bool take_pass(struct sweep *s, unsigned int *first, unsigned int *count)
{
	pthread_mutex_lock(&s->lock);
	*first = s->next;
	*count = s->n - s->next < PASS_POLICIES ? s->n - s->next : PASS_POLICIES;
	if (s->failed)
		*count = 0;
	s->next += *count;
	pthread_mutex_unlock(&s->lock);
	return *count > 0;
}

static void report_failure(struct sweep *s, int failed, const struct error *e)
{
	pthread_mutex_lock(&s->lock);
	if (!s->failed) {
		s->failed = failed;
		s->error = *e;
	}
	pthread_mutex_unlock(&s->lock);
}

/* Every pass but the first reads the trace with a reader of its own. */
static void *work(void *arg)
{
	struct sweep *s = arg;
	unsigned int first, count;

	while (take_pass(s, &first, &count)) {
		struct replay_options o = s->options;
		struct trace_reader *r = s->input;
		struct error e = { 0 };
		int ret = first ? trace_open(&r, s->path, &e) : 0;

		o.policies = &s->policies[first];
		o.npolicies = count;
		if (!ret) {
			ret = replay_trace(r, &o, &s->results[first], &e);
			if (first)
				trace_close(r);
		}
		if (ret)
			report_failure(s, ret, &e);
	}
	return NULL;
}

static void run_passes(struct sweep *s, unsigned int jobs)
{
	pthread_t threads[64];
	unsigned int started = 0;

	if (jobs > sizeof(threads) / sizeof(threads[0]))
		jobs = sizeof(threads) / sizeof(threads[0]);
	while (started + 1 < jobs && !pthread_create(&threads[started], NULL, work, s))
		started++;
	work(s);
	while (started)
		pthread_join(threads[--started], NULL);
}

/* NaN, which tables show as n/a, for what is not known. */
static double real(uint64_t n)
{
	return n == COUNT_UNKNOWN ? NAN : (double)n;
}

static void add_row(struct table *t, const struct replay_result *r,
		    const struct replay_result *prev)
{
	const struct readahead_result *ra = &r->readahead;
	char label[sizeof(r->policy) + 16];
	double batches = real(ra->batches), before = prev ? real(prev->readahead.batches) : NAN;

	sweep_label(r, label, sizeof(label));
	table_word(t, label);
	table_count(t, ra->calls);
	table_count(t, ra->batches);
	table_change(t, percent_change(before, batches));
	table_count(t, ra->pages_read);
	table_count(t, ra->ra_pages);
	table_percent(t, percent_of(ra->hits, ra->ra_pages));
	table_count(t, ra->unused);
	table_count(t, ra->drains);
	table_count(t, ra->bypassed);
	table_number(t,
		     r->estimate.known && ra->batches != COUNT_UNKNOWN ? r->estimate.seconds : NAN,
		     3);
}

static int print_table(const struct sweep *s)
{
	static const char *const headers[] = { "calls",	    "batches",	  "vs row above", "read",
					       "readahead", "hit rate",	  "unused",	  "drains",
					       "bypassed",  "estimated s" };
	struct table *t = table_new("sweep", "");
	int ret;

	if (!t)
		return -ENOMEM;
	table_column(t, "policy", ALIGN_LEFT);
	for (unsigned int i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		table_column(t, headers[i], ALIGN_RIGHT);
	for (unsigned int i = 0; i < s->n; i++)
		add_row(t, &s->results[i], i ? &s->results[i - 1] : NULL);
	ret = table_text(t, stdout);
	table_free(t);
	return ret;
}

/* Whether the grid makes no difference at all to what is read. */
static bool reads_the_same(const struct sweep *s)
{
	const struct readahead_result *a = &s->results[0].readahead;

	for (unsigned int i = 1; i < s->n; i++) {
		const struct readahead_result *b = &s->results[i].readahead;

		if (a->batches != b->batches || a->pages_read != b->pages_read ||
		    a->calls != b->calls || a->drains != b->drains)
			return false;
	}
	return true;
}

static unsigned int cheapest(const struct sweep *s)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < s->n; i++)
		if (s->results[i].estimate.seconds < s->results[best].estimate.seconds)
			best = i;
	return best;
}

/*
 * The knee of a grid with one key: the first row behind which no later one saves more than 2 % of
 * the batches.
 */
static unsigned int knee(const struct sweep *s)
{
	for (unsigned int i = 0; i + 1 < s->n; i++) {
		uint64_t least = UINT64_MAX, here = s->results[i].readahead.batches;

		for (unsigned int k = i + 1; k < s->n; k++)
			if (s->results[k].readahead.batches < least)
				least = s->results[k].readahead.batches;
		if ((double)least >= 0.98 * (double)here)
			return i;
	}
	return s->n - 1;
}

static void print_no_effect(const struct sweep *s)
{
	const struct readahead_result *ra = &s->results[0].readahead;

	if (!ra->known) {
		printf("no effect: every setting does the same\n");
		return;
	}
	printf("no effect: every setting reads the same pages in the same batches%s\n",
	       ra->bypassed == ra->lookups
		       ? ", since all swap-ins go around the swap cache and readahead (synchronous device)"
		       : "");
}

static void print_advice(const struct sweep *s, unsigned int keys)
{
	const struct replay_result *best;
	const struct replay_result *bend;

	printf("\n");
	if (keys == 1) {
		bend = &s->results[knee(s)];
		if (bend == &s->results[s->n - 1])
			printf("knee: none in this grid; its last rows still save more than 2 %% of the batches\n");
		else
			printf("knee: %s (no later row saves more than 2 %% of its batches)\n",
			       bend->policy);
	}
	best = &s->results[cheapest(s)];
	printf("recommendation, from an ESTIMATE: %s (%s)\n", best->policy,
	       best->estimate.assumptions);
}

static bool reads_are_known(const struct sweep *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->results[i].readahead.batches == COUNT_UNKNOWN)
			return false;
	return true;
}

/* Each family that the rows differ in; readahead also where no other does. */
static int print_families(const struct sweep *s, unsigned int keys)
{
	bool alloc = sweep_alloc_differs(s->results, s->n);
	bool lru = sweep_lru_differs(s->results, s->n);
	bool reads = !reads_the_same(s);
	bool shown = s->results[0].readahead.known && (reads || (!alloc && !lru));
	int ret = 0;

	if (shown) {
		ret = print_table(s);
		if (!ret && !reads_are_known(s))
			printf("\nreadahead is not known for every row (the notes say why): no recommendation from it\n");
		else if (!ret && reads)
			print_advice(s, keys);
	}
	if (shown && alloc)
		printf("\n");
	if (!ret && alloc)
		ret = sweep_print_alloc(s->results, s->n);
	if ((shown || alloc) && lru)
		printf("\n");
	if (!ret && lru)
		ret = sweep_print_lru(s->results, s->n);
	if (!reads && !alloc && !lru) {
		printf("\n");
		print_no_effect(s);
	}
	return ret;
}

static int print_results(const struct arguments *args, const struct sweep *s,
			 const struct replay_input *in, unsigned int keys)
{
	const char *path = option_string(args, "output", NULL);
	bool standard = path && !strcmp(path, "-");
	int ret = path && !standard ? replay_input_write_results(in, s->results, s->n, path) : 0;

	if (ret)
		return ret;
	if (standard || option_flag(args, "json"))
		return replay_input_write_results(in, s->results, s->n, NULL);
	if (!s->results[0].readahead.known && !s->results[0].alloc.known &&
	    !s->results[0].lru.known) {
		printf("no needs of swap entries (LOOKUP events) in the trace: nothing to replay; 'swaptrace report' shows what was recorded\n");
		return 0;
	}
	if (print_families(s, keys))
		return fail(EXIT_ENVIRONMENT, "out of memory");
	printf("every row that is not the recorded setting is a what-if; start state: %s\n",
	       start_state_name(s->results[0].start_state));
	for (unsigned int i = 0; i < s->results[0].nnotes; i++)
		printf("note: %s\n", s->results[0].notes[i]);
	return 0;
}

static int parse_policies(struct sweep *s, const struct grid *g, const struct kernel *recorded)
{
	struct error e;

	s->n = g->n;
	s->policies = calloc(g->n, sizeof(*s->policies));
	s->results = calloc(g->n, sizeof(*s->results));
	if (!s->policies || !s->results)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	for (unsigned int i = 0; i < g->n; i++)
		if (policy_parse(&s->policies[i], recorded, g->specs[i], &e))
			return fail(EXIT_USAGE, "%s", e.text);
	return 0;
}

static int sweep(const struct arguments *args, struct sweep *s, struct replay_input *in,
		 const struct grid *g)
{
	uint64_t jobs = option_u64(args, "jobs", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	int ret = parse_policies(s, g, &in->kernel);

	if (ret)
		return ret;
	/* Standard input can be read only once. */
	if (!strcmp(s->path, "-"))
		return fail(EXIT_USAGE, "sweep: reads the trace several times, so it needs a file");
	s->input = in->reader;
	run_passes(s, jobs ? (unsigned int)(jobs > 64 ? 64 : jobs) : 1);
	if (s->failed)
		return fail(exit_code_for(s->failed), "%s: %s", s->path, s->error.text);
	trace_facts_of(in->reader, in->path, &in->facts); /* now with the number of events */
	replay_input_note_model(in, &s->results[0]);
	ret = print_results(args, s, in, g->keys);
	return ret ? ret : replay_input_findings(args, in);
}

/* What the trace's devices are, from the header or from SWAPON events. */
struct devices_seen {
	unsigned int all, synchronous;
	bool hdd, virtio; /* rotational; virtio disks claim to be, too */
};

static void see_device(struct devices_seen *d, uint64_t flags, const char *name)
{
	bool rotational = flags & DEVICE_ROTATIONAL;
	bool virtio = name && strstr(name, "/vd");

	d->all++;
	d->synchronous += (flags & DEVICE_SYNC_IO) != 0;
	d->virtio |= rotational && virtio;
	d->hdd |= rotational && !virtio;
}

static void see_swapons(struct devices_seen *d, const struct trace_reader *r,
			const struct trace_block *b)
{
	uint32_t n = block_count(b, EV_SWAPON);
	const uint64_t *flags = n ? block_column(b, EV_SWAPON, SWAPON_FLAGS) : NULL;
	const uint64_t *name = n ? block_column(b, EV_SWAPON, SWAPON_NAME) : NULL;
	const uint32_t *have = n ? block_have(b, EV_SWAPON) : NULL;

	for (uint32_t i = 0; flags && name && have && i < n; i++)
		if (have[i] >> SWAPON_FLAGS & 1)
			see_device(d, flags[i], trace_string(r, (uint32_t)name[i], NULL));
}

/* The preset for the slowest kind of device that the trace shows. */
static const char *device_of(const struct replay_input *in)
{
	struct devices_seen d = { 0 };
	const struct trace_block *b;

	for (unsigned int i = 0; i < in->facts.ndevices; i++)
		if (in->facts.devices[i].have_flags)
			see_device(&d, in->facts.devices[i].flags, in->facts.devices[i].name);
	while (trace_next_block(in->reader, &b, NULL) > 0)
		see_swapons(&d, in->reader, b);
	trace_rewind(in->reader, NULL);
	if (d.hdd)
		return "hdd";
	if (d.virtio)
		return "virtio";
	return d.all && d.synchronous == d.all ? "zram" : "nvme";
}

static int run_sweep(const struct arguments *args)
{
	struct sweep s = { .path = args->files[0], .lock = PTHREAD_MUTEX_INITIALIZER };
	struct cost_model cost;
	struct replay_input in;
	struct grid g;
	struct error e;
	int ret;

	s.options = (struct replay_options){
		.have_init_hits = option_given(args, "init-hits"),
		.init_hits = (uint32_t)option_u64(args, "init-hits", 0),
		.cost = &cost,
	};
	if (grid_parse(&g, option_string(args, "grid", "page-cluster=0..5"), &e))
		return fail(EXIT_USAGE, "%s", e.text);
	ret = replay_input_open(&in, args->files[0]);
	if (!ret) {
		s.options.recorded = &in.kernel;
		if (cost_parse(&cost, option_string(args, "device", device_of(&in)), &e))
			ret = fail(EXIT_USAGE, "%s", e.text);
		else
			ret = sweep(args, &s, &in, &g);
		replay_input_close(&in);
	}
	for (unsigned int i = 0; s.results && i < s.n; i++)
		replay_result_free(&s.results[i]);
	free(s.results);
	free(s.policies);
	grid_free(&g);
	return ret;
}

const struct command cmd_sweep = {
	.name = "sweep",
	.synopsis = "[--grid GRID] [options] FILE",
	.summary = "replay all combinations of settings, with the gain of each step",
	.description =
		"Replays the trace under every combination of the grid, on all processors, and prints a row each: calls, batches (calls that read at least one page) and their change against the row above, pages read, readahead pages, the share of them that were hit, pages read for nothing, drains, and an estimate of the time. Where the rows differ in what the slot allocator did (allocator=, devices=, reserve=, cpus=) or in drains of the LRU batches (drain=, drain-off=), these have tables of their own, with the row of the least fallback and of the fewest drains.\n\n"
		"A grid names keys of a policy SPEC (see swaptrace-replay(1)); the values of a key are separated by |, A..B is a range of numbers. The knee of a grid with one key is the first row behind which no other saves more than 2 % of the batches; the recommendation is the row with the least estimated time on --device. On a synchronous device (zram) that serves all swap-ins, the settings have no effect and the command says so.",
	.examples =
		"  swaptrace sweep swaptrace.data\n"
		"  swaptrace sweep --grid 'page-cluster=0..6,readahead=cluster|vma' --device hdd t.swaptrace\n",
	.options = options,
	.sandbox = SANDBOX_READER,
	.run = run_sweep,
	.min_files = 1,
	.max_files = 1,
};
