/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_MEASUREMENTS_H
#define SWAPTRACE_IMPORT_MEASUREMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "import/readings.h"

/*
 * Text with measurements as it is pasted: lists of run times, "key: value" lines (the value may
 * stand on the next line), tables with one row a metric and one column a kernel, output of GNU
 * time, bash's time, dd, xz, memtier, `grep . .../hugepages-SIZEkB/stats/...`. What the rows mean
 * (columns or runs) is for plain_read() to decide.
 *
 * "#" begins a comment; a comment of nothing but key=value words states facts ("# n=10
 * memory_limit=1G"). Words before the first number are the label of their line. A percentage in
 * parentheses, or as the last word behind numbers that are none, is a declared change.
 *
 * In text with labels a line that is no row is left out and counted. Lines of words before a row
 * are its title. "round 3" and the like begin another run.
 */

struct measured_value {
	struct quantity q;
	size_t end;	      /* where it ends in its line, in bytes */
	bool have_declared;   /* a change was written behind it */
	bool declared_in_row; /* at the end of the row, not in parentheses behind this value */
	bool declared_points; /* as a difference of percentages */
	struct quantity declared;
};

struct measurement_row {
	char label[160]; /* harmless text, one blank between words, no colon at its end; "" none */
	bool colon;	 /* it ended with ':' or '=' */
	struct measured_value *v;
	unsigned int n, room;
	uint64_t line;
	unsigned int block;
};

#define MEASURED_TITLES_MAX 3

/* Rows below one title. */
struct measured_block {
	char *titles[MEASURED_TITLES_MAX]; /* lines of words before its first row; owned */
	uint64_t lines[MEASURED_TITLES_MAX];
	unsigned int n;
};

struct measurements {
	struct measurement_row *rows; /* owned */
	unsigned int n, room;
	struct measured_block *blocks; /* owned; at least one where there is a row */
	unsigned int nblocks;
	struct readings_fact facts[READINGS_FACTS_MAX];
	unsigned int nfacts;
	bool old_counter_names; /* anon_swpout instead of swpout */
	unsigned int rounds;	/* lines that begin another run */
	uint64_t left_out;	/* lines that are not data */
	uint64_t left_out_line;
	char left_out_text[64];
};

/**
 * measurements_read - read all of @t
 * Labels of mTHP counters are brought into the form "64kB/swpout" whatever path or older name they
 * have. Returns 0 and fills @m (free with measurements_free()); -EBADMSG for a line that can not be
 * read (the text names file and line), binary data, or no number at all; -EFBIG; -ENOMEM.
 */
int measurements_read(const struct pasted *t, struct measurements *m, struct error *e);
/** measurements_free - free the rows and empty it */
void measurements_free(struct measurements *m);

/**
 * counter_label - "64kB/swpout" for a path or a name that ends in a counter of one size
 * @label: changed in place; at least 160 bytes
 * @old: set when the counter has the name of 6.10-rc (anon_swpout)
 */
void counter_label(char *label, bool *old);

#endif
