/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_USAGE_H
#define SWAPTRACE_CLI_USAGE_H

#include <stddef.h>
#include <stdio.h>

#include "cli/command.h"

/*
 * Pieces of the help text, as wide as the terminal (60 to 120 columns), 80 where it goes elsewhere.
 * Texts are one string a paragraph; lines are broken here. print_usage() is in cli/command.h.
 */

/** print_commands - a line a subcommand: name and summary */
void print_commands(FILE *f);
/** print_options - a list that ends with a NULL name: letter, name, value, help */
void print_options(FILE *f, const struct option_desc *options);
/**
 * print_description - paragraphs, filled
 * In one that starts with a blank, each line stands for itself; those that are too long are filled.
 */
void print_description(FILE *f, const char *text);

/**
 * next_paragraph - take a description apart at its blank lines
 * @text: where to go on; moved behind what is returned
 * @len: length of the paragraph, without the line break behind it
 * Returns its start, NULL at the end of the text.
 */
const char *next_paragraph(const char **text, size_t *len);

/** paragraph_is_list - whether a paragraph of lines has one that is too long for a terminal */
bool paragraph_is_list(const char *text, size_t len);

/** unknown_subcommand - say that there is no such subcommand, and which one was meant; EXIT_USAGE
 */
int unknown_subcommand(const char *name);

#endif
