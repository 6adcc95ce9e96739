// SPDX-License-Identifier: GPL-2.0
#include "cli/command.h"
#include "cli/commands.h"

#include <string.h>

const struct command *const command_table[] = {
	&cmd_record,	&cmd_replay, &cmd_report,    &cmd_compare, &cmd_sweep,	&cmd_policies,
	&cmd_reproduce, &cmd_gen,    &cmd_calibrate, &cmd_doctor,  &cmd_import, &cmd_dump,
	&cmd_export,	&cmd_info,   &cmd_recover,   &cmd_help,	   NULL,
};

const struct command *command_find(const char *name)
{
	for (int i = 0; command_table[i]; i++)
		if (!strcmp(command_table[i]->name, name))
			return command_table[i];
	return NULL;
}
