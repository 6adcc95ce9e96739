// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <string.h>

#include "traces/gen.h"

#define LOOKUPS "sequential to mixed: "
#define SWAPOUTS "mthp, tsat: "

static const struct option_desc options[] = {
	{ 'o', "output", OPTION_STRING, "FILE", "where the trace goes; - is standard output",
	  false },
	{ 0, "seed", OPTION_U64, "N", "seed of all random numbers (default 1)", false },
	{ 0, "cpus", OPTION_U64, "N",
	  "CPUs, of which each step takes a random one (default 1; mthp 32)", false },
	{ 0, "lookups", OPTION_U64, "N", LOOKUPS "how many lookups (default 1024)", true },
	{ 0, "start", OPTION_U64, "SLOT", LOOKUPS "lowest slot (default 1)", true },
	{ 0, "cause", OPTION_STRING, "CAUSE", LOOKUPS "fault (default) or swapoff", false },
	{ 0, "device", OPTION_U64, "BYTES", SWAPOUTS "size of the swap device (10G; 64M)", true },
	{ 0, "memory", OPTION_U64, "BYTES", "mthp: memory that is written (16G)", true },
	{ 0, "limit", OPTION_U64, "BYTES", "mthp: of it, what may be in memory (8G)", true },
	{ 0, "orders", OPTION_STRING, "LIST",
	  "mthp: ORDER:WEIGHT,...: folios of each order among those written (as thread T2 tried)",
	  false },
	{ 0, "touches", OPTION_U64, "N",
	  "mthp: older pages accessed at random for every 100 pages written (1600)", false },
	{ 0, "block", OPTION_U64, "PAGES",
	  "mthp: pages of such an access, an aligned block (8, which is an assumption)", false },
	{ 0, "fifo", OPTION_FLAG, NULL,
	  "mthp: the oldest folio goes out, accessed or not (default: accessed ones go round once)",
	  false },
	{ 0, "rewrite", OPTION_U64, "PERCENT",
	  "mthp: of the memory, written again at the end, oldest first (24)", false },
	{ 'a', "aligned", OPTION_FLAG, NULL, "tsat: swap in whole folios of 64 kB", false },
	{ 's', "small", OPTION_FLAG, NULL, "tsat: also 4 MiB of small pages", false },
	{ 0, "iterations", OPTION_U64, "N", "tsat: rounds (100)", false },
	{ .name = NULL },
};

/* Who takes an option: patterns of lookups, mthp, tsat. */
enum { FOR_LOOKUPS = 1, FOR_MTHP = 2, FOR_TSAT = 4 };

static const struct {
	const char *name;
	unsigned int patterns;
} takers[] = {
	{ "lookups", FOR_LOOKUPS }, { "start", FOR_LOOKUPS },
	{ "cause", FOR_LOOKUPS },   { "device", FOR_MTHP | FOR_TSAT },
	{ "memory", FOR_MTHP },	    { "limit", FOR_MTHP },
	{ "orders", FOR_MTHP },	    { "touches", FOR_MTHP },
	{ "block", FOR_MTHP },	    { "fifo", FOR_MTHP },
	{ "rewrite", FOR_MTHP },    { "aligned", FOR_TSAT },
	{ "small", FOR_TSAT },	    { "iterations", FOR_TSAT },
};

static int check_taken(const struct arguments *args, enum gen_pattern pattern, struct error *e)
{
	unsigned int kind = pattern == GEN_MTHP	  ? FOR_MTHP
			    : pattern == GEN_TSAT ? FOR_TSAT
						  : FOR_LOOKUPS;

	for (unsigned int i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (option_given(args, takers[i].name) && !(takers[i].patterns & kind))
			return error_set(e, -EINVAL, "gen %s: --%s is an option of another pattern",
					 gen_pattern_name(pattern), takers[i].name);
	return 0;
}

static uint64_t pages(const struct arguments *args, const char *name, uint64_t otherwise)
{
	return option_given(args, name) ? option_u64(args, name, 0) / GEN_PAGE_BYTES : otherwise;
}

static int set_cause(const struct arguments *args, struct gen_options *o, struct error *e)
{
	const char *cause = option_string(args, "cause", "fault");

	if (strcmp(cause, "fault") && strcmp(cause, "swapoff"))
		return error_set(e, -EINVAL, "gen: --cause %s is not fault or swapoff", cause);
	o->cause = strcmp(cause, "fault") ? LOOKUP_SWAPOFF : LOOKUP_FAULT;
	return 0;
}

/* A number that must fit into an unsigned int, cut at a value that gen_check() refuses. */
static unsigned int small_number(const struct arguments *args, const char *name,
				 unsigned int otherwise)
{
	uint64_t n = option_u64(args, name, otherwise);

	return n > UINT32_MAX ? UINT32_MAX : (unsigned int)n;
}

static int options_of(const struct arguments *args, struct gen_options *o, struct error *e)
{
	int ret = gen_pattern_parse(o, args->files[0], e);

	if (!ret)
		ret = check_taken(args, o->pattern, e);
	if (!ret)
		ret = set_cause(args, o, e);
	if (!ret && option_given(args, "orders"))
		ret = gen_orders_parse(o, option_string(args, "orders", NULL), e);
	if (ret)
		return ret;
	o->seed = option_u64(args, "seed", o->seed);
	o->cpus = small_number(args, "cpus", o->cpus);
	o->lookups = option_u64(args, "lookups", o->lookups);
	o->start = option_u64(args, "start", o->start);
	o->device = pages(args, "device", o->device);
	o->memory = pages(args, "memory", o->memory);
	o->limit = pages(args, "limit", o->limit);
	o->touches = option_u64(args, "touches", o->touches);
	o->block = option_u64(args, "block", o->block);
	o->rewrite = option_u64(args, "rewrite", o->rewrite);
	o->second_chance &= !option_flag(args, "fifo");
	o->aligned = option_flag(args, "aligned");
	o->small = option_flag(args, "small");
	o->iterations = small_number(args, "iterations", o->iterations);
	return gen_check(o, e);
}

static int run_gen(const struct arguments *args)
{
	const char *out = option_string(args, "output", NULL);
	struct gen_options o;
	struct error e;
	int ret;

	if (!out)
		return fail(EXIT_USAGE, "gen: where to? Give -o FILE");
	ret = options_of(args, &o, &e);
	if (ret)
		return fail(EXIT_USAGE, "%s", e.text);
	ret = gen_write(&o, out, &e);
	return ret ? fail(exit_code_for(ret), "%s", e.text) : EXIT_DONE;
}

const struct command cmd_gen = {
	.name = "gen",
	.words = "sequential reverse stride: random mixed mthp tsat",
	.synopsis = "PATTERN -o FILE [options]",
	.summary = "generate a trace of synthetic stimuli, seeded",
	.description =
		"For questions that no capture answers, and for tests. Nothing but stimuli is generated, the same for the same seed on every machine; the trace's notes say so and how. Time stamps only give an order. Without a kernel release in the trace, policies start from the model of v6.12, and there is nothing to verify.\n\n"
		"sequential, reverse, stride:N, random (each slot of the range once) and mixed (short runs of all of these) are lookups of swap entries: replay them under readahead and swapoff policies.\n\n"
		"mthp is a workload of the kind of thread T2: memory is written in folios of the given orders, older memory is accessed meanwhile, and what exceeds a limit is swapped out, the oldest folio first. Pages that are accessed in swap come back one by one, as folios of order 0. tsat does what the kernel's thp_swap_allocator_test does, each write of a swapped page bringing in that page alone. Replay both under allocator policies. Slots are the policy's answer, but a drop must say of what: device 0 is the one that policies allocate from, device 1 is imaginary, its slot N+1 is the name of page N of the workload, and no policy uses it.\n\n"
		"What each setting of mthp does to fallback, and why the defaults are what they are: docs/gen-mthp.md. In short: that folios which were accessed go round once more (--fifo switches it off) is what makes large folios fall back more often than small ones, as a folio of many pages is accessed sooner and so goes out later, when wholly empty clusters have run out.",
	.examples =
		"  swaptrace gen reverse --start 64 --lookups 32 --cause swapoff -o r.swaptrace\n"
		"  swaptrace gen mthp -o t2.swaptrace\n"
		"  swaptrace replay --policy allocator=nonfull-v1 t2.swaptrace\n",
	.options = options,
	.sandbox = SANDBOX_READER,
	.run = run_gen,
	.min_files = 1,
	.max_files = 1,
};
