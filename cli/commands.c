// SPDX-License-Identifier: GPL-2.0
#include "cli/command.h"
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

const struct command *const command_table[] = {
	&cmd_replay,
	&cmd_reproduce,
	&cmd_import,
	&cmd_dump,
	&cmd_info,
	&cmd_recover,
	&cmd_help,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (int i = 0; command_table[i]; i++)
		if (!strcmp(command_table[i]->name, name))
			return command_table[i];
	return NULL;
}

static void print_options(FILE *f, const struct option_desc *o)
{
	for (; o && o->name; o++) {
		char left[64];
		int n = o->letter ? snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name) :
				    snprintf(left, sizeof(left), "      --%s", o->name);

		if (o->arg)
			snprintf(left + n, sizeof(left) - (size_t)n, " %s", o->arg);
		if (strlen(left) > 30)
			fprintf(f, "%s\n%-32s%s\n", left, "", o->help);
		else
			fprintf(f, "%-32s%s\n", left, o->help);
	}
}

void print_usage(const struct command *c, bool to_stderr)
{
	FILE *f = to_stderr ? stderr : stdout;

	fprintf(f, "usage: swaptrace %s %s\n\n%s\n\noptions:\n", c->name, c->synopsis, c->summary);
	print_options(f, c->options);
	print_options(f, common_options);
	if (c->examples)
		fprintf(f, "\nexamples:\n%s", c->examples);
}
