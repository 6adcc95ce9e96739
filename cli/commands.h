/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_COMMANDS_H
#define SWAPTRACE_CLI_COMMANDS_H

#include "cli/command.h"

/* One line a subcommand; the table in cli/commands.c gives their order. */
extern const struct command cmd_calibrate;
extern const struct command cmd_doctor;
extern const struct command cmd_gen;
extern const struct command cmd_help;
extern const struct command cmd_import;
extern const struct command cmd_dump;
extern const struct command cmd_export;
extern const struct command cmd_info;
extern const struct command cmd_recover;
extern const struct command cmd_policies;
extern const struct command cmd_record;
extern const struct command cmd_replay;
extern const struct command cmd_reproduce;
extern const struct command cmd_sweep;
extern const struct command cmd_report;
extern const struct command cmd_compare;

#endif
