// SPDX-License-Identifier: GPL-2.0
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/usage.h"
#include "common/temporary.h"

/*
 * Numbers are written and read in the C locale whatever the environment says, so setlocale() is
 * never called.
 */

/* Results count only when they reached their reader: a full disk behind stdout is a failure. */
static int check_stdout(int code)
{
	errno = 0;
	if (ferror(stdout) | fflush(stdout) && errno != EPIPE)
		return fail(EXIT_ENVIRONMENT, "cannot write standard output: %s",
			    strerror(errno ? errno : EIO));
	return code;
}

/* Where the command writes to, when -o says so. */
static const char *output_of(const struct arguments *args)
{
	for (const struct option_desc *o = args->command->options; o && o->name; o++)
		if (!strcmp(o->name, "output"))
			return option_string(args, "output", NULL);
	return NULL;
}

static int run(const struct command *c, const struct arguments *args)
{
	const char *output = c->replaces ? NULL : output_of(args);
	struct error e = { 0 };
	int ret = output ? arguments_check_output(args, output) : 0;

	if (ret)
		return ret;
	if (sandbox_enter(c->sandbox, &e))
		return fail(EXIT_ENVIRONMENT, "%s", e.text);
	return c->run(args);
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct arguments args;
	int ret = arguments_parse(&args, c, argc, argv);

	if (ret)
		return ret;
	message_quiet = option_flag(&args, "quiet");
	message_debug = option_flag(&args, "debug");
	if (option_flag(&args, "help")) {
		print_usage(c, false);
		ret = EXIT_DONE;
	} else {
		ret = run(c, &args);
	}
	arguments_free(&args);
	return ret;
}

static int no_subcommand(void)
{
	fputs("usage: swaptrace SUBCOMMAND [options] [FILE] [-- COMMAND]\n\nsubcommands:\n",
	      stderr);
	print_commands(stderr);
	return fail(EXIT_USAGE, "a subcommand is missing");
}

int main(int argc, char **argv)
{
	const struct command *c;
	const char *name = argc > 1 ? argv[1] : NULL;

	temporaries_catch_signals();
	if (!name)
		return no_subcommand();
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("swaptrace %s\n", SWAPTRACE_VERSION);
		return check_stdout(EXIT_DONE);
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	c = command_find(name);
	if (!c)
		return unknown_subcommand(name);
	return check_stdout(run_command(c, argc - 2, argv + 2));
}
