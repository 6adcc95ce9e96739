/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_READINGS_H
#define SWAPTRACE_IMPORT_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "import/bpftrace_hist.h"
#include "import/lines.h"
#include "import/quantity.h"

/*
 * What the readers of other tools' output give: a table of measurements. Each column is one
 * snapshot, kernel, run or series; each reading of it has a name, a kind and values with the lines
 * they stand in. Nothing is averaged here.
 */

enum reading_kind {
	READING_VALUE,	 /* a measurement; several values are repeated runs, as the source says */
	READING_GAUGE,	 /* a state, of one moment; several values: one after the other */
	READING_COUNTER, /* counted since boot, or since something began; two give a difference */
	READING_RATE,	 /* what one run did in successive intervals, per second or as a share */
	READING_COUNTS,	 /* the same as counts of each interval, which can be added up */
};

enum reading_better { READING_UNKNOWN, READING_LOWER, READING_HIGHER };

struct reading {
	char name[160]; /* harmless text; "" is what a bare list measures */
	enum reading_kind kind;
	enum reading_better better;
	struct quantity *v; /* owned */
	uint64_t *lines;    /* of each value; owned */
	unsigned int n, room;
	double spread;	  /* deviation that the source states, percent of the value; NaN: none */
	uint64_t runs;	  /* that the source states; 0: none */
	bool significant; /* the source marks its change as significant */
};

struct readings_column {
	char name[128]; /* harmless text; "" when the file is the column */
	struct reading *v;
	unsigned int n, room;
	struct text_hists hists;
	double seconds; /* when it was taken, on some clock; NaN: not told */
};

/* A change that the text itself claims, of a row's value against that of the first column. */
struct readings_declared {
	char label[160];
	uint64_t line;
	struct quantity before, after, declared;
	bool in_parentheses; /* as mmtests prints it: positive may mean less */
	bool points;	     /* of a percentage: the difference, not the ratio */
};

struct readings_fact {
	char key[40], value[120]; /* harmless text */
};

#define READINGS_FACTS_MAX 32
#define READINGS_NOTES_MAX 8
#define READINGS_COLUMNS_MAX 64
#define READINGS_NAMES_MAX 16384 /* different names of one column */

struct readings {
	const char *format; /* name of its recogniser */
	struct readings_column *c;
	unsigned int n;
	/*
	 * The columns are different things under titles. Alone they are compared with each other;
	 * beside other files they are metrics "row/column" of one run.
	 */
	bool table;
	bool alone;	 /* one column is worth showing by itself */
	bool single;	 /* a list that has nothing beside it to be compared with */
	char taken[128]; /* what rows and columns were taken for; "": there was no choice */
	bool guessed;	 /* by the look of it: no title decided */
	struct readings_declared *declared;
	unsigned int ndeclared;
	struct readings_fact facts[READINGS_FACTS_MAX];
	unsigned int nfacts;
	uint64_t left_out; /* lines that are not data */
	uint64_t left_out_line;
	char left_out_text[64]; /* the first of them, harmless text */
	char notes[READINGS_NOTES_MAX][200];
	unsigned int nnotes;
	uint64_t lost;		/* events that the tool says it lost */
	bool old_counter_names; /* mTHP counters of 6.10-rc */
	int failed;		/* -ENOMEM once memory was out, -E2BIG with too many names */
};

/** readings_column - the column of that name, made when there is none; its index */
unsigned int readings_column(struct readings *r, const char *name);

/** readings_new_column - one more, whatever its name */
unsigned int readings_new_column(struct readings *r, const char *name);

/** readings_find - the reading of that name in a column; NULL: there is none */
struct reading *readings_find(const struct readings *r, unsigned int column, const char *name);

/**
 * readings_add - one more value; failures are kept in @r
 * @name: harmless text
 * @line: where it stands
 * Returns the reading, whose pointer holds until the next is added; NULL when that failed.
 */
struct reading *readings_add(struct readings *r, unsigned int column, const char *name,
			     enum reading_kind kind, const struct quantity *q, uint64_t line);

/** readings_declare - keep a declared change */
void readings_declare(struct readings *r, const struct readings_declared *d);

/** readings_leave_out - count a line that is not data, and keep the first of them */
void readings_leave_out(struct readings *r, const struct text_line *l);

/** readings_note - a sentence that has to be read with the numbers; the same one only once */
void readings_note(struct readings *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** readings_values - how many values there are in all */
uint64_t readings_values(const struct readings *r);

/** readings_free - free all it owns and empty it */
void readings_free(struct readings *r);

/** quantity_count, quantity_kb, quantity_real - quantities of numbers that are known already */
struct quantity quantity_of_count(uint64_t n);
struct quantity quantity_of_kb(const struct quantity *kb); /* a plain number of kB = 1024 bytes */
struct quantity quantity_of(const struct quantity *plain, enum quantity_kind kind, double scale,
			    const char *unit);

#endif
