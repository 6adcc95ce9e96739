// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bpf/machine.h"
#include "doctor/doctor.h"
#include "doctor/probe.h"

#define PROBE_SIZE_MB 64
#define PROBE_SIZE_MIN 4
#define PROBE_SIZE_MAX 1024

static const struct option_desc options[] = {
	{ 0, "swapoff-check", OPTION_FLAG, NULL,
	  "say whether a swapoff of all devices, or of DEVICE, fits in memory", false },
	{ 0, "rate", OPTION_U64, "KB", "with --swapoff-check: kB a second, for an estimate",
	  false },
	{ 'i', "interval", OPTION_U64, "SEC", "read the counters twice, SEC seconds apart", false },
	{ 0, "probe-swapoff", OPTION_FLAG, NULL,
	  "as root: a small swapoff, to see which kernels this one behaves like", false },
	{ 0, "device", OPTION_STRING, "DEV",
	  "with --probe-swapoff: an unused swap device (default: a loop device over memory)",
	  false },
	{ 0, "size", OPTION_U64, "MB",
	  "with --probe-swapoff: size of the loop device (default 64; 4 to 1024)", false },
	{ 0, "json", OPTION_FLAG, NULL, "print as JSON", false },
	{ .name = NULL },
};

static const char *root(void)
{
	const char *r = getenv("SWAPTRACE_ROOT");

	return r ? r : "";
}

/* ---- --swapoff-check ---- */

/* What misses at the least, and the part that can be read in. */
static uint64_t shortfall(const struct swapoff_bounds *b)
{
	uint64_t room = b->available_high_kb + b->others_free_kb;

	return b->needed_low_kb > room ? b->needed_low_kb - room : 0;
}

static uint64_t fitting(const struct swapoff_bounds *b)
{
	return b->answer == SWAPOFF_FITS_NOT ? b->used_kb - shortfall(b) : b->used_kb;
}

static void print_memory(const struct swapoff_bounds *b)
{
	if (b->estimated)
		printf("no MemAvailable (kernels before 3.14): between %s and %s kB can be had (free memory above the reserves; free memory, file pages, reclaimable slab and buffers, but not shmem)\n",
		       format_count(b->available_low_kb).s, format_count(b->available_high_kb).s);
	if (b->returned_high_kb > b->zram_kb)
		printf("zswap gives back %s%s%s kB of its pool: %s kB are needed%s\n",
		       b->returned_low_kb < b->returned_high_kb ? "up to " : "",
		       format_count(b->returned_high_kb - b->zram_kb).s, "",
		       format_count(b->needed_low_kb).s,
		       b->returned_low_kb < b->returned_high_kb
			       ? " at the least: which device its pages are of is not told"
			       : "");
}

static void print_answer(const struct swapoff_bounds *b)
{
	switch (b->answer) {
	case SWAPOFF_FITS:
		printf("will fit: %s kB of available memory are left\n",
		       format_count(b->available_low_kb - b->needed_high_kb).s);
		break;
	case SWAPOFF_FITS_NOT:
		printf("will not fit: swapoff will fail with ENOMEM or trigger the OOM killer; shortfall %s%s kB\n",
		       b->estimated ? "at least " : "", format_count(shortfall(b)).s);
		break;
	default:
		printf("depends: %s to %s kB are needed, %s to %s kB can be had",
		       format_count(b->needed_low_kb).s, format_count(b->needed_high_kb).s,
		       format_count(b->available_low_kb).s, format_count(b->available_high_kb).s);
		if (b->others_free_kb)
			printf(", and other pages could go to %s kB free on the other devices",
			       format_count(b->others_free_kb).s);
		printf("\n");
	}
}

static void print_verdict(const struct swapoff_bounds *b, uint64_t rate)
{
	printf("used swap %s kB", format_count(b->used_kb).s);
	if (!b->estimated)
		printf(", MemAvailable %s kB", format_count(b->available_low_kb).s);
	if (b->zram_kb)
		printf(", %s kB of zram's memory come back", format_count(b->zram_kb).s);
	if (b->others_free_kb)
		printf(", %s kB free on the other devices", format_count(b->others_free_kb).s);
	printf("\n");
	print_memory(b);
	print_answer(b);
	if (rate)
		printf("estimate at %s kB/s: %s s%s\n", format_count(rate).s,
		       format_number((double)fitting(b) / (double)rate, 0).s,
		       b->answer == SWAPOFF_FITS_NOT ? " for the part that fits" : "");
}

static int print_verdict_json(const struct swapoff_bounds *b, const char *device, uint64_t rate)
{
	static const char *const answers[] = { "fits", "does not fit", "depends" };
	json_t *seconds = rate ? json_real((double)fitting(b) / (double)rate) : json_null();
	json_t *fits = b->answer == SWAPOFF_DEPENDS ? json_null()
						    : json_boolean(b->answer == SWAPOFF_FITS);
	json_t *available =
		b->estimated ? json_null() : json_integer((json_int_t)b->available_low_kb);
	json_t *o = json_pack(
		"{s:s, s:i, s:o, s:s, s:o, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
		"swaptrace", "doctor-swapoff-check", "version", 1, "device",
		device ? json_string(device) : json_null(), "answer", answers[b->answer], "fits",
		fits, "used_kb", (json_int_t)b->used_kb, "available_kb", available,
		"available_low_kb", (json_int_t)b->available_low_kb, "available_high_kb",
		(json_int_t)b->available_high_kb, "returned_kb", (json_int_t)b->returned_low_kb,
		"returned_high_kb", (json_int_t)b->returned_high_kb, "needed_low_kb",
		(json_int_t)b->needed_low_kb, "needed_high_kb", (json_int_t)b->needed_high_kb,
		"others_free_kb", (json_int_t)b->others_free_kb, "shortfall_kb",
		(json_int_t)(b->answer == SWAPOFF_FITS ? 0 : shortfall(b)), "estimate_seconds",
		seconds);
	int ret = !o || json_dumpf(o, stdout, JSON_INDENT(2)) ? -ENOMEM : 0;

	putchar('\n');
	json_decref(o);
	return ret;
}

static int check_swapoff(const struct arguments *args, const struct doctor_facts *f)
{
	uint64_t rate = option_u64(args, "rate", 0);
	const char *name = args->nfiles ? args->files[0] : NULL;
	int device = name ? doctor_find_device(f, name) : -1;
	struct swapoff_bounds b;

	if (name && device < 0)
		return fail(EXIT_INPUT, "%s/proc/swaps: no swap device %s is on", f->root, name);
	doctor_swapoff_bounds(f, device, &b);
	if (!b.memory_known)
		return fail(
			EXIT_INPUT,
			"%s/proc/meminfo: neither MemAvailable nor MemFree: whether a swapoff fits can't be said",
			f->root);
	if (option_flag(args, "json")) {
		if (print_verdict_json(&b, name ? f->swaps.devices[device].name : NULL, rate))
			return fail(EXIT_ENVIRONMENT, "out of memory");
	} else if (!f->swaps.n) {
		printf("no swap configured: there is nothing to switch off\n");
	} else {
		if (device >= 0)
			printf("swapoff of %s alone:\n", clean(f->swaps.devices[device].name).s);
		print_verdict(&b, rate);
		doctor_print_lost_accounting(stdout, f, b.used_kb);
	}
	return b.answer == SWAPOFF_FITS ? EXIT_DONE : EXIT_FINDING;
}

/* ---- --interval ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void wait_seconds(uint64_t seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

struct interval {
	struct doctor_counters before, after;
	uint64_t used_before, used_after; /* kB */
	double seconds;
	bool bits32;
};

static int read_interval(struct interval *in, const struct doctor_facts *f, uint64_t seconds,
			 struct error *e)
{
	struct doctor_swaps swaps;
	double begin = now();
	bool there;
	int ret;

	in->before = f->counters;
	in->used_before = doctor_swaps_used(&f->swaps);
	in->bits32 = doctor_arch_is_32bit(f->machine);
	wait_seconds(seconds);
	ret = doctor_counters_now(&in->after, f->root, e);
	if (!ret)
		ret = doctor_swaps_now(&swaps, f->root, &there, e);
	in->seconds = now() - begin;
	in->used_after = ret ? 0 : doctor_swaps_used(&swaps);
	return ret;
}

static struct delta delta_of(const struct interval *in, uint64_t before, uint64_t after)
{
	return doctor_delta(before, after, in->bits32, true);
}

static void print_delta(const struct interval *in, const char *name, uint64_t before,
			uint64_t after)
{
	struct delta d = delta_of(in, before, after);
	char text[128];

	printf("  %-12s %s\n", name, doctor_delta_text(&d, text, sizeof(text)));
}

/* Case 15: a device that is being emptied. */
static void print_drain(const struct interval *in)
{
	struct drain_rate r = doctor_drain_rate(in->used_before, in->used_after, in->seconds);

	if (!isfinite(r.seconds_left))
		return;
	printf("swap empties at %s kB/s (%s MiB/s): %s s (%s h) left at this rate\n",
	       format_number(r.kb_per_s, 2).s, format_number(r.kb_per_s / 1024, 2).s,
	       format_number(r.seconds_left, 0).s, format_number(r.seconds_left / 3600, 2).s);
}

static int print_interval(const struct interval *in)
{
	const struct doctor_counters *a = &in->before, *b = &in->after;
	struct delta ra = delta_of(in, a->swap_ra, b->swap_ra);
	struct delta hit = delta_of(in, a->swap_ra_hit, b->swap_ra_hit);

	if (a->all == b->all) {
		warn("no counter changed in %.0f s; is this a real /proc?", in->seconds);
		return EXIT_DONE;
	}
	printf("in %s s, in pages:\n", format_number(in->seconds, 1).s);
	print_delta(in, "pswpin", a->pswpin, b->pswpin);
	print_delta(in, "pswpout", a->pswpout, b->pswpout);
	print_delta(in, "swap_ra", a->swap_ra, b->swap_ra);
	print_delta(in, "swap_ra_hit", a->swap_ra_hit, b->swap_ra_hit);
	printf("  hit rate     %s\n", format_percent(percent_of(hit.value, ra.value)).s);
	print_drain(in);
	return EXIT_DONE;
}

static json_t *known_delta(const struct interval *in, uint64_t before, uint64_t after)
{
	struct delta d = delta_of(in, before, after);

	return d.value <= INT64_MAX ? json_integer((json_int_t)d.value) : json_null();
}

static int print_interval_json(const struct interval *in)
{
	const struct doctor_counters *a = &in->before, *b = &in->after;
	json_t *o =
		json_pack("{s:s, s:i, s:f, s:b, s:o, s:o, s:o, s:o, s:I, s:I}", "swaptrace",
			  "doctor-interval", "version", 1, "seconds", in->seconds, "moved",
			  a->all != b->all, "pswpin", known_delta(in, a->pswpin, b->pswpin),
			  "pswpout", known_delta(in, a->pswpout, b->pswpout), "swap_ra",
			  known_delta(in, a->swap_ra, b->swap_ra), "swap_ra_hit",
			  known_delta(in, a->swap_ra_hit, b->swap_ra_hit), "used_kb_before",
			  (json_int_t)in->used_before, "used_kb_after", (json_int_t)in->used_after);
	int ret = !o || json_dumpf(o, stdout, JSON_INDENT(2));

	putchar('\n');
	json_decref(o);
	if (a->all == b->all)
		warn("no counter changed in %.0f s; is this a real /proc?", in->seconds);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : EXIT_DONE;
}

static int watch_interval(const struct arguments *args, const struct doctor_facts *f)
{
	uint64_t seconds = option_u64(args, "interval", 0);
	struct interval in;
	struct error e;
	int ret;

	if (!seconds || seconds > 86400)
		return fail(EXIT_USAGE, "--interval: 1 to 86400 seconds are expected");
	ret = read_interval(&in, f, seconds, &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	return option_flag(args, "json") ? print_interval_json(&in) : print_interval(&in);
}

/* ---- --probe-swapoff ---- */

/* A distribution's kernel may hold later patches, or lack what its release has. */
static void say_if_patched(const struct probe_result *r)
{
	char release[128];
	struct kernel k;

	machine_release("", release, sizeof(release));
	kernel_of_release(&k, release);
	if (r->recognised >= 0 && swapoff_generations[r->recognised].policy != k.readahead.swapoff)
		printf("that is not what the release (%s, model %s) stands for: replay its traces with swapoff=%s\n",
		       release, k.name,
		       swapoff_policy_name(swapoff_generations[r->recognised].policy));
}

static int probe(const struct arguments *args)
{
	struct probe_options o = { .device = option_string(args, "device", NULL),
				   .size_mb = option_u64(args, "size", PROBE_SIZE_MB) };
	struct probe_result r;
	struct error e;
	int ret;

	if (*root())
		return fail(
			EXIT_USAGE,
			"--probe-swapoff acts on this machine, whatever SWAPTRACE_ROOT says: unset it");
	if (o.device && option_given(args, "size"))
		return fail(
			EXIT_USAGE,
			"--size is of the loop device that is made without --device: leave one of them out");
	if (o.size_mb < PROBE_SIZE_MIN || o.size_mb > PROBE_SIZE_MAX)
		return fail(EXIT_USAGE, "--size: %d to %d MB are expected", PROBE_SIZE_MIN,
			    PROBE_SIZE_MAX);
	ret = probe_swapoff(&r, &o, &e);
	/* Whatever stops a probe is the machine's doing: nothing was read in as input. */
	if (ret)
		return fail(EXIT_ENVIRONMENT, "%s", e.text);
	if (option_flag(args, "json")) {
		if (probe_json(stdout, &r))
			return fail(EXIT_ENVIRONMENT, "out of memory");
	} else {
		probe_print(stdout, &r);
		say_if_patched(&r);
	}
	return r.recognised < 0 ? EXIT_FINDING : EXIT_DONE;
}

/* ---- the command ---- */

static int print_facts(const struct arguments *args, const struct doctor_facts *f)
{
	struct doctor_hooks hooks;

	doctor_hooks_read(&hooks, root());
	if (!option_flag(args, "json"))
		doctor_print(stdout, f, &hooks);
	else if (doctor_json(stdout, f, &hooks))
		return fail(EXIT_ENVIRONMENT, "out of memory");
	return EXIT_DONE;
}

static void warn_about_input(const struct doctor_facts *f)
{
	if (!f->procfs)
		warn("%s/proc/vmstat is not of the kernel's procfs: the counters may be made up",
		     f->root);
	if (f->swaps.bad_lines)
		warn("%s/proc/swaps: %u line%s not understood, devices may be missing", f->root,
		     f->swaps.bad_lines, f->swaps.bad_lines == 1 ? "" : "s");
}

static int check_usage(const struct arguments *args)
{
	bool probed = option_flag(args, "probe-swapoff");
	int modes = option_flag(args, "swapoff-check") + option_given(args, "interval") + probed;

	if (option_given(args, "rate") && !option_flag(args, "swapoff-check"))
		return fail(EXIT_USAGE, "--rate goes with --swapoff-check");
	if ((option_given(args, "device") || option_given(args, "size")) && !probed)
		return fail(EXIT_USAGE, "--device and --size go with --probe-swapoff");
	if (args->nfiles && !option_flag(args, "swapoff-check"))
		return fail(EXIT_USAGE, "a device goes with --swapoff-check");
	if (modes > 1)
		return fail(
			EXIT_USAGE,
			"--swapoff-check, --interval and --probe-swapoff are different things: choose one");
	return 0;
}

static int run_doctor(const struct arguments *args)
{
	struct doctor_facts facts;
	struct error e;
	int ret;

	ret = check_usage(args);
	if (ret)
		return ret;
	if (option_flag(args, "probe-swapoff"))
		return probe(args);
	ret = doctor_facts_read(&facts, root(), &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	warn_about_input(&facts);
	if (option_flag(args, "swapoff-check"))
		return check_swapoff(args, &facts);
	if (option_given(args, "interval"))
		return watch_interval(args, &facts);
	return print_facts(args, &facts);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.synopsis = "[options] [--swapoff-check [DEVICE]]",
	.summary = "what this kernel is, what its swap does, what could be recorded",
	.description =
		"Reads only /proc and /sys, loads nothing and needs no privilege, unless it is asked to probe. It says which kernel this is and which model stands for it; the swap devices in the order in which they are filled, with type, priority, use, and whether they are rotational or synchronous; which readahead runs and why; what the kernel has counted since boot; and which of record's hooks this kernel has, so what a report would be able to tell. What cannot be read is unknown, or n/a, which is not 0.\n\n"
		"--swapoff-check compares used swap, of all devices or of DEVICE, with MemAvailable; memory that zram and zswap take for its pages comes back meanwhile and is counted. Where MemAvailable is missing, or it is not told what of zswap is of DEVICE, there are bounds: the answer is a certain yes, a certain no, or what decides. Exit status 1 says that it will not fit, or may not.\n\n"
		"--interval prints what the counters did within some seconds and, where swap empties, how long it will take at that rate.\n\n"
		"--probe-swapoff is the only part that does something: as root it switches a small swap device of its own on, fills pages in order in a process with a memory cgroup of its own, has the kernel swap them out and switches the device off. How many pages the kernel read ahead meanwhile, and how many of those it counted as hits, tells the generations of swapoff apart; the models' predictions for the same pages stand beside it. Other swap devices are left alone, a device given by --device must be unused and a swap area or blank, and everything is put back after an error or a signal too. Exit status 1: the kernel behaves like none.\n\n"
		"The document of --json says in its key swaptrace which one it is (doctor, doctor-swapoff-check, doctor-interval, doctor-probe-swapoff) and has a version. Sizes end in _kb; null is unknown, never 0.\n\n"
		"SWAPTRACE_ROOT names a folder below which /proc, /sys and /boot are looked up.",
	.examples = "  swaptrace doctor\n"
		    "  swaptrace doctor --swapoff-check --rate 51200 && sudo swapoff -a\n"
		    "  swaptrace doctor --swapoff-check /dev/sda2\n"
		    "  swaptrace doctor --interval 60 --json\n"
		    "  sudo swaptrace doctor --probe-swapoff\n",
	.options = options,
	.run = run_doctor,
	.max_files = 1,
};
