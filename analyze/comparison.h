/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_COMPARISON_H
#define SWAPTRACE_ANALYZE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/statistics.h"
#include "common/error.h"
#include "import/bpftrace_hist.h"
#include "import/format.h"
#include "import/quantity.h"
#include "render/document.h"

/*
 * Two or more inputs side by side, the first of which is the base: lists of run times, tables,
 * counters, recorded traces, results of replays, argdist tables, histograms of bpftrace. Each input
 * becomes a list of metrics, each metric a list of values (its runs); metrics of one name are
 * compared. A metric that an input does not have is unknown there, never 0.
 */

enum input_kind {
	INPUT_TIMES,	/* list of values, key-value text, or a word of the command line */
	INPUT_COLUMN,	/* a column of a table */
	INPUT_COUNTERS, /* mTHP counters of a folder */
	INPUT_TRACE,
	INPUT_RESULTS,
	INPUT_ARGDIST,
	INPUT_READINGS, /* of a recognised format of another tool */
};

enum better { BETTER_UNKNOWN, BETTER_LOWER, BETTER_HIGHER };

struct metric {
	char name[160]; /* harmless text; "" is what a bare list measures */
	char unit[16];	/* "s", "ms", "MB/s", "pages", "%"; "" none */
	enum quantity_kind kind;
	enum better better;
	bool rounded;		   /* some value was rounded by whoever wrote it (1200M) */
	bool estimate;		   /* a cost model's answer, not a measurement */
	bool significant;	   /* its source marks the change as significant */
	enum reading_kind reading; /* other than READING_VALUE: never a sample of runs */
	double spread;		   /* stated deviation, percent of the value; 0: none */
	uint64_t runs;		   /* stated number of runs behind the value; 0: none */
	double scale;		   /* of its unit in base units (see struct quantity) */
	int decimals;		   /* most digits behind the point of any value */
	double *v;		   /* n values, owned */
	uint64_t *exact; /* the same as exact counts, COUNT_UNKNOWN where they are none; owned */
	size_t n, room;
	struct sample_summary s; /* after comparison_finish() */
};

#define INPUT_NOTES_MAX 12

struct condition {
	char key[40];	 /* a key of trace headers (swaptrace.data(5)), or "devices" */
	char value[512]; /* harmless text; numbers in plain decimal */
};

#define CONDITIONS_MAX 48

struct comparison_input {
	enum input_kind kind;
	char name[128]; /* of its column, harmless text, different from the others' */
	char file[256]; /* harmless text, "" none */
	struct metric *metrics;
	unsigned int nmetrics;
	struct text_hists hists;
	struct condition conditions[CONDITIONS_MAX];
	unsigned int nconditions;
	uint64_t declared_n;	/* number of values its text claims, 0: no claim */
	bool windows_known;	/* readahead windows were counted: an absent one is 0 */
	bool old_counter_names; /* mTHP counters of 6.10-rc */
	bool config_fallback;	/* large swap-outs failed because the kernel can't do them */
	bool what_if;		/* a replay under another policy than the recorded one */
	const char *format;	/* name of the recogniser of its text; NULL: own formats */
	char reading[200];	/* how its rows and columns were read; "": there was no choice */
	double taken;		/* seconds on some clock; NaN: not told */
	bool shows_alone;	/* it says something without another input */
	uint64_t left_out;	/* lines that are not data, and the first of them */
	uint64_t left_out_line;
	char left_out_text[64];
	char notes[INPUT_NOTES_MAX][320]; /* sentences that have to be read with its numbers */
	unsigned int nnotes;
	bool incomplete; /* loss or damage: counts are too low */
	char incomplete_why[160];
};

/* A change that the input itself claims. */
struct declared_change {
	char label[160], file[256];
	uint64_t line;
	struct quantity before, after, declared;
	bool in_parentheses; /* as mmtests prints it: positive may mean less */
	bool points;	     /* of a percentage: a difference in points */
	double change;	     /* what follows from the numbers, percent; after comparison_finish() */
	bool wrong;
};

enum warning_kind {
	WARNING_CONDITIONS,
	WARNING_DECLARED_N,
	WARNING_DECLARED_CHANGE,
	WARNING_INCOMPLETE,
};

struct comparison_warning {
	enum warning_kind kind;
	char *text;
};

struct comparison {
	struct comparison_input *inputs;
	unsigned int n;
	double interval;    /* seconds between two snapshots, as asked; 0: as they tell */
	uint64_t page_size; /* as asked; 0: as they tell */
	enum orientation orientation;
	const struct format *format; /* of all texts, as asked; NULL: by content */
	struct declared_change *declared;
	unsigned int ndeclared;
	/* All that follows is made by comparison_finish(). */
	struct comparison_warning *warnings;
	unsigned int nwarnings;
	char **footnotes;
	unsigned int nfootnotes;
	const struct metric **names; /* one metric of each name, in order of appearance */
	unsigned int nnames;
	int failed; /* -ENOMEM once memory was out */
};

/**
 * comparison_load - add what one operand holds
 * @word: a file, "-", a folder of mTHP counters, or a value ("150MB") when no such file is there
 * @alone: it is the only operand, so its rows or columns are the inputs
 * Returns 0; -EINVAL when a single operand holds nothing to compare with; what the readers return,
 * with their text.
 */
int comparison_load(struct comparison *c, const char *word, bool alone, struct error *e);

struct comparison_options {
	enum better better;  /* for all metrics; BETTER_UNKNOWN: by their unit */
	uint64_t declared_n; /* 0: none beyond what the inputs say */
	const char *names;   /* of the columns, separated by commas; NULL: their own */
};

/**
 * comparison_finish - summaries, common units, warnings and footnotes; call it once
 * Returns 0; -EINVAL for no input (one has nothing to be compared with), units that can not be
 * compared, or names that do not fit; -ENOMEM.
 */
int comparison_finish(struct comparison *c, const struct comparison_options *o, struct error *e);

/** comparison_free - free all it owns and empty it; a comparison of zeros is empty as well */
void comparison_free(struct comparison *c);

/** comparison_metric - metric @name of input @i, NULL when it has none */
const struct metric *comparison_metric(const struct comparison *c, unsigned int i,
				       const char *name);

/** metric_title - its name with its unit, "time (s)" */
void metric_title(const struct metric *m, char *out, size_t size);

/**
 * metric_change - from @before to @after: percent of the mean, or for percentages their difference
 * in points; NaN when either is NULL or the first mean is 0
 */
double metric_change(const struct metric *before, const struct metric *after);

/* Swap-out of one size of folios in all inputs. */
struct mthp_row {
	unsigned int kb;	     /* 0: the total over all sizes */
	uint64_t *swpout, *fallback; /* per input, COUNT_UNKNOWN where not known; owned */
};

#define MTHP_FEW 30 /* requests below which a share says little */

/** comparison_mthp - rows by ascending size, the total last; returns how many or -ENOMEM */
int comparison_mthp(const struct comparison *c, struct mthp_row **rows);
/** mthp_rows_free - free what comparison_mthp() returned */
void mthp_rows_free(struct mthp_row *rows, int n);

/** comparison_document - the report in plain style; failures are kept in @d */
void comparison_document(const struct comparison *c, struct document *d);

/** comparison_json - the same as JSON, whose keys `swaptrace compare --help` describes; 0 or -errno
 */
int comparison_json(const struct comparison *c, FILE *f, struct error *e);

/* For the loaders, in analyze/comparison_*.c. */

/** comparison_add_input - a new input, NULL when memory is out; moves the others */
struct comparison_input *comparison_add_input(struct comparison *c, enum input_kind kind,
					      const char *name, const char *file);

/** input_metric - the metric of that name, made when there is none; NULL when memory is out */
struct metric *input_metric(struct comparison_input *in, const char *name);

/**
 * metric_add - one more value
 * Returns 0; -EINVAL when it is of another kind than those before it; -ENOMEM.
 */
int metric_add(struct metric *m, const struct quantity *q);

/** input_count, input_real - a metric of one value; what is unknown adds none. 0 or -ENOMEM */
int input_count(struct comparison_input *in, const char *name, uint64_t n, enum better better);
int input_real(struct comparison_input *in, const char *name, enum quantity_kind kind,
	       const char *unit, double v, enum better better);

/** input_condition - state a condition; a later one of the same key replaces it */
void input_condition(struct comparison_input *in, const char *key, const char *value);

/** input_condition_get - its value, NULL when unknown */
const char *input_condition_get(const struct comparison_input *in, const char *key);

/**
 * comparison_add_readings - add what a reader of another tool's output gave
 * @alone: its columns are inputs, when they are columns of a table
 * Returns 0; -EINVAL when it is alone and holds nothing to compare with; -ENOMEM.
 */
int comparison_add_readings(struct comparison *c, const struct readings *r, const char *name,
			    bool alone, struct error *e);

/** metric_is_state - whether it is a state, counter or interval, which is no sample of runs */
bool metric_is_state(const struct metric *m);

/** comparison_seconds - between input @i - 1 and input @i, NaN: not known */
double comparison_seconds(const struct comparison *c, unsigned int i);

/** counter_difference - what a counter counted from input @i - 1 to @i; NaN: not known, or it fell
 */
double counter_difference(const struct comparison *c, unsigned int i, const char *name);

/** comparison_states - tables of states, counters and intervals into @d */
void comparison_states(const struct comparison *c, struct document *d);

/** comparison_load_trace, _results, _argdist, _counters - add inputs of one kind; @path is
 * what to open, @name what to call it */
int comparison_load_trace(struct comparison *c, const char *path, const char *name,
			  struct error *e);
int comparison_load_results(struct comparison *c, const char *path, const char *name,
			    struct error *e);
int comparison_load_argdist(struct comparison *c, const char *path, const char *name,
			    struct error *e);
int comparison_load_counters(struct comparison *c, const char *path, const char *name,
			     struct error *e);

#endif
