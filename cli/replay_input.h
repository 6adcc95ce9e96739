/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_REPLAY_INPUT_H
#define SWAPTRACE_CLI_REPLAY_INPUT_H

#include "analyze/summary.h"
#include "cli/command.h"
#include "replay/policy.h"
#include "traces/trace.h"

/* A trace that a command is about to replay, and what is known of it. */
struct replay_input {
	const char *path;
	struct trace_reader *reader;
	struct kernel kernel; /* the recorded one, or the nearest */
	struct trace_facts facts;
};

/**
 * replay_input_open - open a trace; prints what the user must know (nearest model)
 * Returns 0 or an exit code, with the error printed. Close with replay_input_close().
 */
int replay_input_open(struct replay_input *in, const char *path);
void replay_input_close(struct replay_input *in);

/**
 * replay_input_note_model - add to @first, whose notes are printed with the results, that the
 * recorded kernel has no model of its own; nothing where it has
 */
void replay_input_note_model(const struct replay_input *in, struct replay_result *first);

/**
 * replay_input_findings - warn of loss, damage and words that were not understood
 * Returns EXIT_DONE, or EXIT_FINDING with --strict when the trace is not whole.
 */
int replay_input_findings(const struct arguments *args, const struct replay_input *in);

/**
 * replay_input_write_results - results of @in's trace as JSON, in the order given
 * @path: a new or replaced file; NULL: standard output
 * Returns 0 or an exit code, with the error printed.
 */
int replay_input_write_results(const struct replay_input *in, const struct replay_result *results,
			       unsigned int n, const char *path);

#endif
