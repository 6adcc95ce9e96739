// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/reproduce.h"

static const struct option_desc options[] = {
	{ 0, "cluster", OPTION_STRING, "FILE",
	  "swapoff: capture of a swapoff with cluster readahead", false },
	{ 0, "vma", OPTION_STRING, "FILE", "swapoff: capture of a swapoff with VMA readahead",
	  false },
	{ 0, "device", OPTION_STRING, "PRESET",
	  "swapoff: device of the estimate: nvme, ssd, virtio (default), hdd, zram or lat:US;bw:MBS",
	  false },
	{ 0, "capture", OPTION_STRING, "FILE",
	  "mthp: a trace of swap-outs instead of the generated one; drain: capture of a truncation with the lru events",
	  false },
	{ 0, "seed", OPTION_U64, "N", "mthp: seed of the generated trace (default 1)", false },
	{ 0, "scale", OPTION_U64, "N",
	  "mthp: sizes and CPUs of the thread's machine divided by 1, 2, 4 (default), ... 32",
	  false },
	{ 0, "before", OPTION_STRING, "FILE", "drain: times of single truncations, unpatched",
	  false },
	{ 0, "after", OPTION_STRING, "FILE", "drain: the same with the patch", false },
	{ 0, "calibration", OPTION_STRING, "FILE",
	  "lruadd: costs as 'swaptrace calibrate -o FILE' measured them (default: measure now)",
	  false },
	{ 0, "json", OPTION_FLAG, NULL, "print results and published figures as JSON", false },
	{ .name = NULL },
};

static const struct reproduce_thread *const threads[] = {
	&reproduce_swapoff,
	&reproduce_mthp,
	&reproduce_drain,
	&reproduce_lruadd,
};
#define THREADS (sizeof(threads) / sizeof(threads[0]))

static bool takes(const struct reproduce_thread *t, const char *option)
{
	for (unsigned int i = 0; t->options[i]; i++)
		if (!strcmp(t->options[i], option))
			return true;
	return false;
}

static int run_reproduce(const struct arguments *args)
{
	const struct reproduce_thread *thread = NULL;
	char names[128] = "";

	for (unsigned int i = 0; i < THREADS; i++) {
		size_t len = strlen(names);

		snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
			 threads[i]->name);
		if (!strcmp(args->files[0], threads[i]->name))
			thread = threads[i];
	}
	if (!thread)
		return fail(EXIT_USAGE, "reproduce: '%s' is not one of the threads: %s",
			    args->files[0], names);
	for (const struct option_desc *o = options; o->name; o++)
		if (option_given(args, o->name) && !takes(thread, o->name))
			return fail(EXIT_USAGE, "reproduce %s: --%s is an option of another thread",
				    thread->name, o->name);
	return thread->run(args);
}

const struct command cmd_reproduce = {
	.name = "reproduce",
	.words = "swapoff mthp drain lruadd",
	.synopsis = "swapoff|mthp|drain|lruadd [options]",
	.summary = "print a mailing-list thread's published tables beside replayed ones",
	.description =
		"swapoff: thread T1 (Andrea Righi, April 2020). Replays a capture of a real kernel's swapoff under the policy before the patch (readahead for every page table entry), after it (the swap cache is asked first) and that of 6.18 (asked, but hits are not counted any more), and prints the window histograms beside the two published ones. Without --cluster and --vma the shipped captures are used.\n\n"
		"mthp: thread T2 (Chris Li, May 2024). Prints, per size of folios, how many were swapped out whole and how many fell back, as published before and after the patches and as replayed under the allocators mthp-empty-only and nonfull-v1, with the distance of the shares in points; cluster-6.12 and cluster-6.18 follow. The replayed trace is generated ('swaptrace gen mthp'), unless --capture names one: it is a workload of the thread's kind and not its run, so shares and their order can be compared and counts cannot.\n\n"
		"drain: thread T3 (Mel Gorman, October 2017). Prints the published table of times per truncation with one of ours beside it: of the files of times that --before and --after name (one number a line), or of shipped ones, which were measured on one kernel that was switched between the rules. Captures of truncations are replayed under both rules: a drain at each release of a batch, or one in its life; drains are listed by call site. Without --capture the shipped ones are taken: where the same load was recorded under both rules, each replay stands beside what the kernel did.\n\n"
		"lruadd: thread T4 (Yang Shi, March 2020). Prints the published rates and what each of the two patches would gain on this machine by the measured cost of a call and of a barrier (see 'swaptrace calibrate'), and tests the ten published run times for significance.\n\n"
		"Seconds and gains are estimates of a cost model and labelled so; the published figure stands beside the estimated one.",
	.examples = "  swaptrace reproduce swapoff\n"
		    "  swaptrace reproduce swapoff --cluster mine.swaptrace --device nvme\n"
		    "  swaptrace reproduce mthp --scale 1\n"
		    "  swaptrace reproduce drain --capture truncate.swaptrace\n"
		    "  swaptrace reproduce lruadd\n",
	.options = options,
	.sandbox = SANDBOX_READER,
	.run = run_reproduce,
	.min_files = 1,
	.max_files = 1,
};
