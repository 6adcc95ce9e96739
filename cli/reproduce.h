/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_REPRODUCE_H
#define SWAPTRACE_CLI_REPRODUCE_H

#include "cli/command.h"

/* The threads that `swaptrace reproduce` knows: one file each, one table (cli/cmd_reproduce.c). */

#define REPRODUCE_OPTIONS 8

struct reproduce_thread {
	const char *name;			    /* operand of the command */
	const char *options[REPRODUCE_OPTIONS + 1]; /* that apply to it, by long name; NULL ends */
	int (*run)(const struct arguments *args);   /* returns enum exit_code */
};

extern const struct reproduce_thread reproduce_swapoff; /* T1 */
extern const struct reproduce_thread reproduce_mthp;	/* T2 */
extern const struct reproduce_thread reproduce_drain;	/* T3 */
extern const struct reproduce_thread reproduce_lruadd;	/* T4 */

#endif
