/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_COMMAND_H
#define SWAPTRACE_CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/sandbox.h"

/*
 * One subcommand a file (cli/cmd_NAME.c), one table (command_table[] in cli/commands.c). The
 * parser,
 * --help, the man pages and the shell completion are all made from it.
 */

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FINDING = 1, /* done, with a finding: failed --verify, a picture not written, ... */
	EXIT_USAGE = 2,
	EXIT_INPUT = 3,	      /* input unreadable */
	EXIT_ENVIRONMENT = 4, /* no privilege, no BTF, no space */
	EXIT_RECORD = 125,    /* record -- CMD: a failure of its own */
};

enum option_kind {
	OPTION_FLAG,   /* no value; --no-NAME takes it back */
	OPTION_STRING, /* the last one wins */
	OPTION_U64,    /* decimal or 0x, K M G suffixes where @suffix is set */
	OPTION_LIST,   /* repeatable string */
};

struct option_desc {
	char letter;	  /* 0: long name only */
	const char *name; /* without dashes */
	enum option_kind kind;
	const char *arg; /* name of the value in the help text, NULL for a flag */
	const char *help;
	bool suffix; /* OPTION_U64: K, M, G = 1024 to the power of 1, 2, 3 */
};

struct command;

/* A parsed command line. */
struct arguments {
	const struct command *command;
	char **files; /* operands */
	int nfiles;
	char **child; /* what stands behind "--", NULL-terminated; NULL when there was no "--" */
	struct option_value *values; /* one per option of the command, then the common ones */
};

struct command {
	const char *name;
	const char *synopsis;	 /* what follows the name: "[options] FILE" */
	const char *summary;	 /* one line, lower case, no full stop */
	const char *description; /* paragraphs for the man page; blank line between them */
	const char *examples;	 /* lines for help and man page, may be NULL */
	const char *extra_title; /* of what @extra prints; NULL: nothing */
	void (*extra)(FILE *f);	 /* behind the examples, in help and man page */
	const struct option_desc *options;	  /* ends with a NULL name */
	int (*run)(const struct arguments *args); /* returns enum exit_code */
	int min_files, max_files;		  /* operands; max -1: any number */
	const char *words; /* operands that are none of files, with blanks between; or NULL */
	bool child;	   /* takes "-- COMMAND" */
	enum sandbox_kind sandbox; /* what it never does: entered before it runs */
	bool replaces;		   /* -o may name the operand: the command itself sees to it */
};

extern const struct command *const command_table[]; /* NULL-terminated */
extern const struct option_desc common_options[];   /* every command has these; NULL name ends */

/** command_find - the subcommand of that name, NULL */
const struct command *command_find(const char *name);

/**
 * arguments_parse - parse what follows the subcommand's name
 * Prints a usage error itself. Returns 0 and fills @args (free with arguments_free()), EXIT_USAGE
 * as a positive value otherwise; 1 is never returned.
 */
int arguments_parse(struct arguments *args, const struct command *c, int argc, char **argv);
void arguments_free(struct arguments *args);

/**
 * arguments_check_output - whether @output is one of the files that the command reads: an operand,
 * an option's FILE, or devices=FILE in a policy, by whatever path Returns 0; EXIT_USAGE, with a
 * message, where it is.
 */
int arguments_check_output(const struct arguments *a, const char *output);

/* Values by long name; asking for an option that the command does not have aborts (a bug). */
bool option_given(const struct arguments *a, const char *name);
bool option_flag(const struct arguments *a, const char *name);
const char *option_string(const struct arguments *a, const char *name, const char *otherwise);
uint64_t option_u64(const struct arguments *a, const char *name, uint64_t otherwise);
/** option_list - values of a repeatable option in order; @n their number */
char *const *option_list(const struct arguments *a, const char *name, int *n);

/* Messages: lower case, name the file, say what is wrong and what to do. stderr only. Whatever they
 * quote is made harmless (escape_text()), so a caller need not do it. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* silent with --quiet */
/** fail - print an error and return @code, so that `return fail(EXIT_INPUT, ...)` reads well */
int fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** quote - a line of somebody else's words that belongs to the message before (a compiler's log) */
void quote(const char *text);
/** exit_code_for - enum exit_code for a library's negative errno (missing file, damage -> 3; EPERM,
 * ENOSPC -> 4) */
int exit_code_for(int err);

/** message_quiet, message_debug - set by --quiet and --debug */
extern bool message_quiet, message_debug;

/** print_usage - usage line, options and examples of @c to stdout (help) or stderr */
void print_usage(const struct command *c, bool to_stderr);

#endif
