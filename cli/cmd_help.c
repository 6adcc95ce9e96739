// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <stdio.h>

static void print_overview(void)
{
	printf("usage: swaptrace SUBCOMMAND [options] [FILE] [-- COMMAND]\n\n"
	       "record what the kernel's swap code was asked to do, then ask any other policy what\n"
	       "it would have done\n\nsubcommands:\n");
	for (int i = 0; command_table[i]; i++)
		printf("  %-12s%s\n", command_table[i]->name, command_table[i]->summary);
	printf("\n'swaptrace SUBCOMMAND --help' shows the options of one of them.\n");
}

static int run_help(const struct arguments *args)
{
	const struct command *c;

	if (!args->nfiles) {
		print_overview();
		return EXIT_DONE;
	}
	c = command_find(args->files[0]);
	if (!c)
		return fail(EXIT_USAGE, "there is no subcommand '%s'; see 'swaptrace help'",
			    args->files[0]);
	print_usage(c, false);
	return EXIT_DONE;
}

static const struct option_desc no_options[] = { { .name = NULL } };

const struct command cmd_help = {
	.name = "help",
	.synopsis = "[SUBCOMMAND]",
	.summary = "list the subcommands, or show the options of one",
	.description = "Without an operand, lists all subcommands.",
	.options = no_options,
	.run = run_help,
	.max_files = 1,
};
