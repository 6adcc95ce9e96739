/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_COMPLETION_H
#define SWAPTRACE_CLI_COMPLETION_H

#include <stdio.h>

/**
 * completion_print - completion script for a shell, made from the command table
 * @shell: "bash", "zsh" or "fish"
 * Returns 0, or -EINVAL for another shell. Write errors stay in the stream.
 */
int completion_print(FILE *f, const char *shell);

#endif
