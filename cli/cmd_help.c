// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <stdio.h>

#include "cli/completion.h"
#include "cli/manual.h"
#include "cli/usage.h"

static void print_overview(void)
{
	printf("usage: swaptrace SUBCOMMAND [options] [FILE] [-- COMMAND]\n\n"
	       "Record what the kernel's swap code was asked to do, then ask any other policy\n"
	       "what it would have done.\n\nsubcommands:\n");
	print_commands(stdout);
	printf("\noptions of all of them:\n");
	print_options(stdout, common_options);
	printf("\n'swaptrace SUBCOMMAND --help' explains one of them; 'man 7 swaptrace' the ideas.\n"
	       "Start with: swaptrace reproduce swapoff\n");
}

static void print_names(void)
{
	for (int i = 0; command_table[i]; i++)
		printf("%s\n", command_table[i]->name);
}

static int print_completion(const char *shell)
{
	if (completion_print(stdout, shell))
		return fail(EXIT_USAGE,
			    "help: no completion for '%s'; there is one for bash, zsh, fish",
			    shell);
	return EXIT_DONE;
}

static int run_help(const struct arguments *args)
{
	const char *shell = option_string(args, "completion", NULL);
	bool man = option_flag(args, "man");
	const struct command *c;

	if (shell)
		return print_completion(shell);
	if (option_flag(args, "list")) {
		print_names();
		return EXIT_DONE;
	}
	if (!args->nfiles) {
		if (man)
			manual_overview(stdout);
		else
			print_overview();
		return EXIT_DONE;
	}
	c = command_find(args->files[0]);
	if (!c)
		return unknown_subcommand(args->files[0]);
	if (man)
		manual_command(stdout, c);
	else
		print_usage(c, false);
	return EXIT_DONE;
}

static const struct option_desc options[] = {
	{ 0, "list", OPTION_FLAG, NULL, "print only the names of the subcommands", false },
	{ 0, "man", OPTION_FLAG, NULL, "print the manual page as roff source", false },
	{ 0, "completion", OPTION_STRING, "SHELL", "print a completion script: bash, zsh or fish",
	  false },
	{ .name = NULL },
};

const struct command cmd_help = {
	.name = "help",
	.synopsis = "[options] [SUBCOMMAND]",
	.summary = "list the subcommands, or explain one of them",
	.description =
		"Without an operand, lists all subcommands. With one, shows what it does and its options, as 'swaptrace SUBCOMMAND --help' does.",
	.examples = "  swaptrace help replay\n"
		    "  swaptrace help --man replay | man -l -\n"
		    "  . <(swaptrace help --completion bash)\n",
	.options = options,
	.run = run_help,
	.max_files = 1,
};
