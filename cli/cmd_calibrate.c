// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/output_file.h"
#include "doctor/calibrate.h"
#include "render/format.h"
#include "render/table.h"

static const struct option_desc options[] = {
	{ 'o', "output", OPTION_STRING, "FILE",
	  "write the calibration to FILE (- is standard output, instead of the table), for replay and reproduce --calibration",
	  false },
	{ 0, "rounds", OPTION_U64, "N", "rounds of which the median is taken (default 501)",
	  false },
	{ 0, "directory", OPTION_STRING, "DIR",
	  "where a file of holes is read through the page cache (default: here)", false },
	{ .name = NULL },
};

static void add_row(struct table *t, const char *what, const struct spread *s)
{
	table_word(t, what);
	table_number(t, s->median, 2);
	table_number(t, s->low, 2);
	table_number(t, s->high, 2);
}

static int print_table(const struct calibration *c)
{
	struct table *t = table_new("calibration", "");
	int ret;

	if (!t)
		return fail(EXIT_ENVIRONMENT, "out of memory");
	table_column(t, "ns a page", ALIGN_LEFT);
	table_column(t, "median", ALIGN_RIGHT);
	table_column(t, "1st quartile", ALIGN_RIGHT);
	table_column(t, "3rd quartile", ALIGN_RIGHT);
	for (int way = LRUADD_OUTLINE_MB; way <= LRUADD_NO_BARRIER; way++)
		add_row(t, lruadd_name((enum lruadd)way), &c->way[way]);
	add_row(t, "the call (outline-mb less inline-mb)", &c->call);
	add_row(t, "the barrier (inline-mb less inline-relaxed)", &c->barrier);
	add_row(t, "both (outline-mb less inline-relaxed)", &c->both);
	if (c->have_read) {
		add_row(t, "read(2) of a page in no cache", &c->read_first);
		add_row(t, "read(2) of a cached page", &c->read_again);
	}
	printf("%s, kernel %s, %u rounds\n\n", c->cpu[0] ? c->cpu : "unknown CPU",
	       c->release[0] ? c->release : "unknown", c->rounds);
	ret = table_text(t, stdout);
	table_free(t);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : 0;
}

static int write_file(const char *path, const struct calibration *c)
{
	struct output_file *o;
	struct error e = { 0 };
	FILE *f;
	int ret = output_open(&o, path, OUTPUT_ORDINARY, &e);

	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	f = output_stream(o);
	if (!f) {
		output_discard(o);
		return fail(EXIT_ENVIRONMENT, "out of memory");
	}
	calibration_write(f, c);
	ret = output_commit(o, &e);
	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}

static int run_calibrate(const struct arguments *args)
{
	const char *output = option_string(args, "output", NULL);
	const char *folder = option_string(args, "directory", ".");
	uint64_t rounds = option_u64(args, "rounds", CALIBRATE_ROUNDS);
	struct calibration c;
	struct error e;
	int ret;

	if (rounds < 3 || rounds > CALIBRATE_ROUNDS_MAX)
		return fail(EXIT_USAGE, "calibrate: --rounds=%llu is not a number from 3 to %d",
			    (unsigned long long)rounds, CALIBRATE_ROUNDS_MAX);
	ret = calibrate(&c, (unsigned int)rounds, folder, &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	if (c.emulated)
		warn("this CPU is emulated: its times say nothing about hardware");
	if (!c.have_read)
		note("reads through the page cache were not measured: no file of holes could be made in '%s', or its file system keeps no pages of them; see --directory",
		     folder);
	/* One of the two goes to standard output. */
	ret = output && !strcmp(output, "-") ? 0 : print_table(&c);
	return ret || !output ? ret : write_file(output, &c);
}

const struct command cmd_calibrate = {
	.name = "calibrate",
	.synopsis = "[-o FILE] [options]",
	.summary = "measure what a call and a barrier cost in the LRU-add path of this CPU",
	.description =
		"Measures, in user space and within a second, what it costs to add a page to an LRU list in the ways of thread T4: two atomic updates of its flags, then a full barrier or none, then the test for evictability by a call or in line. Ways are timed in turn, differences are taken within a round; printed are medians and quartiles of the rounds. The rest of the kernel's function is the same in all ways and is left out, so only differences mean anything.\n\n"
		"It also reads a file of holes twice through the page cache, which says how much time of a page there is to save from.\n\n"
		"The file that -o writes is text: 'key=median quartile quartile', in ns a page. 'replay --calibration' turns it into an estimate for all pages of a trace, 'reproduce lruadd' into predicted gains. Under emulation the times are those of the emulator; the command says so and the file keeps it.",
	.examples =
		"  swaptrace calibrate -o this-machine.calibration\n"
		"  swaptrace reproduce lruadd --calibration this-machine.calibration\n"
		"  swaptrace replay --policy lruadd=outline-mb --calibration this-machine.calibration t.data\n",
	.options = options,
	.sandbox = SANDBOX_READER,
	.run = run_calibrate,
	.min_files = 0,
	.max_files = 0,
};
