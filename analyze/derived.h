/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_DERIVED_H
#define SWAPTRACE_ANALYZE_DERIVED_H

#include "analyze/comparison.h"

/*
 * What people work out of counters by hand. Of counters since boot it is about what was counted
 * since the input before, in the first one since boot.
 */

enum derived_unit { DERIVED_PERCENT, DERIVED_PAGES, DERIVED_RATIO, DERIVED_BYTES, DERIVED_RATE };

struct derived {
	char name[80];
	enum derived_unit unit;
	double *v; /* one an input, NaN: not known, or the counters contradict each other; owned */
};

struct derived_list {
	struct derived *v;
	unsigned int n;
	char **notes; /* contradictions, and the page size; owned */
	unsigned int nnotes;
	int failed; /* -ENOMEM */
};

/** derived_answers - all that the metrics of @c allow; free with derived_free() */
void derived_answers(const struct comparison *c, struct derived_list *l);

/** derived_free - free all it owns and empty it */
void derived_free(struct derived_list *l);

/**
 * derived_change - from the first input to input @i: points of shares, else percent
 * NaN where either is not known or, of counters since boot, where the first is of all the time.
 */
double derived_change(const struct comparison *c, const struct derived *d, unsigned int i);

/** derived_document - as a table; nothing where there is no answer */
void derived_document(const struct comparison *c, struct document *d);

#endif
