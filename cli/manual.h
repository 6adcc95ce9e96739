/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_MANUAL_H
#define SWAPTRACE_CLI_MANUAL_H

#include <stdio.h>

#include "cli/command.h"

/*
 * Manual pages (roff, the macros of man(7)) made from the command table, so that page, --help and
 * parser can't differ. Write errors stay in the stream, for the caller to ask.
 */

/** manual_overview - swaptrace.1: all subcommands, common options, exit status */
void manual_overview(FILE *f);
/** manual_command - swaptrace-NAME.1 */
void manual_command(FILE *f, const struct command *c);

#endif
