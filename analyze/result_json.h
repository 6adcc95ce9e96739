/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_RESULT_JSON_H
#define SWAPTRACE_ANALYZE_RESULT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "analyze/summary.h"
#include "common/error.h"
#include "replay/result.h"

/*
 * The results document: versioned JSON, recognised by its "swaptrace" key, described by
 * docs/schema/results.schema.json. Counts are exact integers; what is not known (COUNT_UNKNOWN, -1
 * for settings, NaN) is null, never 0 and never NaN; foreign strings are made valid UTF-8 as
 * escape_text() does.
 */

#define RESULTS_SCHEMA 1 /* grows only when a reader of an older version would misunderstand */

/* One entry of results[]. */
struct result_item {
	const struct replay_result *result;
	const struct trace_facts *facts;     /* NULL: nothing is known about a trace */
	const char *name;		     /* what the report calls it; NULL: its policy */
	const char *source;		     /* "trace", "results", "argdist"; NULL: "replay" */
	double seconds;			     /* measured run time that came with it, NaN: none */
	const struct trace_summary *summary; /* of a trace: who needed swap entries; may be NULL */
};

/**
 * results_write - results of one trace, as `replay -o` and --json write them
 * @facts: of the trace, NULL when there was none
 * Returns 0; -ERANGE for a count above 2^63-1, which JSON readers do not take; -ENOMEM; the errno
 * of a failed write.
 */
int results_write(FILE *f, const struct trace_facts *facts, const struct replay_result *results,
		  unsigned int n, struct error *e);

/** results_write_items - the same for results that come from several places */
int results_write_items(FILE *f, const struct result_item *items, unsigned int n, struct error *e);

/**
 * results_write_more - the same with one more member of the document
 * @key, @value: the member; @value may be NULL (memory is out) and belongs to the function
 */
int results_write_more(FILE *f, const struct result_item *items, unsigned int n, const char *key,
		       json_t *value, struct error *e);

/* One entry of a document that was read. */
struct stored_result {
	struct replay_result result;
	struct trace_facts facts;
	bool have_facts;
	char name[256]; /* "" when the document gives none */
	char source[16];
	double seconds; /* NaN: none */
};

struct results_file {
	struct stored_result *entries; /* owned */
	unsigned int n;
};

/**
 * results_read - read a results document
 * @path: a file; it is read whole, at most RESULTS_BYTES_MAX bytes
 * Returns 0 and fills @out (free with results_file_free()); -EBADMSG when it is no results
 * document, was written by a newer version, or a value has the wrong type (the text names it);
 * -errno when it can not be read. An absent key is unknown, unknown keys are ignored.
 */
int results_read(const char *path, struct results_file *out, struct error *e);
void results_file_free(struct results_file *out);

#define RESULTS_BYTES_MAX (256ul << 20)

/*
 * The plain counts of "readahead", in the order of the document: name and place in struct
 * readahead_result. Shared by writer, reader and tables.
 */
struct count_field {
	const char *name;
	size_t offset;
};
extern const struct count_field readahead_counts[]; /* ended by a NULL name */

/** lru_counts - the same for the plain counts of "lru", in struct lru_result */
extern const struct count_field lru_counts[];

/** readahead_count - the value of field @c in @ra */
uint64_t readahead_count(const struct readahead_result *ra, const struct count_field *c);

#endif
