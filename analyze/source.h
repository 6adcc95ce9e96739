/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_SOURCE_H
#define SWAPTRACE_ANALYZE_SOURCE_H

#include <stdbool.h>

#include "analyze/summary.h"
#include "common/error.h"
#include "import/argdist.h"
#include "replay/result.h"

/*
 * What a report puts side by side: a trace's recorded events, the results of replays, pasted
 * argdist tables. All are brought into the form of a struct replay_result; counts that a source
 * does not tell are COUNT_UNKNOWN.
 */

enum source_kind { SOURCE_TRACE, SOURCE_RESULT, SOURCE_ARGDIST };

struct source {
	enum source_kind kind;
	const char *origin; /* "trace", "replay" or "argdist"; a results document may hold any */
	char name[128];	    /* of its column, harmless text, different from the others' */
	char file[256];	    /* where it came from, harmless text; "" none */
	struct replay_result result;
	struct trace_facts facts;      /* nothing known where there is no trace */
	struct trace_summary *summary; /* SOURCE_TRACE only, without its result; owned */
	struct argdist_notes argdist;  /* SOURCE_ARGDIST only */
	double seconds;		       /* measured run time given by the user, NaN: none */
};

struct sources {
	struct source *v;
	unsigned int n;
};

/**
 * sources_load - add what a file holds
 * @path: trace (binary or text notation), results document or argdist text, told apart by content;
 *        "-" is standard input. A results document adds one source for each of its results.
 * Returns 0; what trace_open(), results_read() or argdist_read() returned, with their text.
 */
int sources_load(struct sources *s, const char *path, struct error *e);

/**
 * sources_add_result - add one replay
 * @name: of its column, NULL: its policy
 * @facts: of the trace it replayed, copied; may be NULL
 * @r: moved: it belongs to the sources afterwards and is left empty
 * Returns 0 or -ENOMEM (then @r still belongs to the caller).
 */
int sources_add_result(struct sources *s, const char *name, const struct trace_facts *facts,
		       struct replay_result *r);

/** sources_finish - make the names of the columns differ, after the last source. 0 or -ENOMEM */
int sources_finish(struct sources *s);

/**
 * sources_set_time - attach a measured run time
 * @spec: "NAME=SECONDS": NAME is a column's name, its file, or a letter for its place (A is the
 *        first); SECONDS is "14.2", "14.2s", "3,08" or what bash's time prints, "0m11.84s"
 * Returns 0 or -EINVAL with a sentence.
 */
int sources_set_time(struct sources *s, const char *spec, struct error *e);

/**
 * parse_seconds - a run time: "14.2", "14.2s", "3,08", "0m11.84s", "2m3.5s"
 * A comma is a decimal comma unless it could separate thousands ("1,234"), which is refused, as is
 * a mixture of both marks. Returns 0 or -EINVAL.
 */
int parse_seconds(const char *s, double *seconds);

/** sources_free - release all sources; @s itself is the caller's */
void sources_free(struct sources *s);

#endif
