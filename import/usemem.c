// SPDX-License-Identifier: GPL-2.0
/* usemem of vm-scalability: a line for each task, which together are one run. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/readers.h"

/* Index of the words "N bytes / N usecs = N KB/s" within a line; -1: none. */
static int throughput_at(const struct text_line *l)
{
	int at = line_has(l, "bytes");

	if (at < 1 || (unsigned int)at + 6 >= l->n || !word_is(&l->w[at + 1], "/") ||
	    !word_is(&l->w[at + 3], "usecs") || !word_is(&l->w[at + 4], "="))
		return -1;
	return at - 1;
}

static int freeing_at(const struct text_line *l)
{
	int at = line_has(l, "usecs");

	return at > 0 && (unsigned int)at + 3 < l->n && word_is(&l->w[at + 1], "to") &&
			       word_is(&l->w[at + 2], "free")
		       ? at - 1
		       : -1;
}

static int counts(const struct text_line *l)
{
	return throughput_at(l) >= 0 || freeing_at(l) >= 0;
}

int usemem_probe(const struct pasted *t)
{
	return text_share(t, counts, 1);
}

/* All tasks of one run. */
struct run {
	uint64_t tasks, bytes, usecs, longest, throughput, freeing, freed;
	uint64_t line;
	uint64_t binary; /* tasks whose KB are 1024 bytes */
	uint64_t wrong;	 /* tasks whose throughput does not follow from bytes and time */
	bool overflow;
};

static void add(struct run *run, uint64_t *sum, uint64_t v)
{
	run->overflow |= v > UINT64_MAX / 2 - *sum;
	if (!run->overflow)
		*sum += v;
}

/* A task may have its name before its line, but no second number. */
static bool number_before(const struct text_line *l, int at)
{
	return at > 0 && l->w[at - 1].s[0] >= '0' && l->w[at - 1].s[0] <= '9';
}

static int take_task(const struct pasted *t, const struct text_line *l, int at, struct run *run,
		     struct error *e)
{
	uint64_t bytes, usecs, rate;
	double exact;

	if (l->n != (unsigned int)at + 8 || number_before(l, at) ||
	    !word_is(&l->w[at + 7], "KB/s") || !word_count(&l->w[at], &bytes) ||
	    !word_count(&l->w[at + 3], &usecs) || !word_count(&l->w[at + 6], &rate))
		return text_bad(t, l, e, "usemem: 'N bytes / N usecs = N KB/s' expected");
	run->tasks++;
	run->line = l->number;
	add(run, &run->bytes, bytes);
	add(run, &run->usecs, usecs);
	add(run, &run->throughput, rate);
	if (usecs > run->longest)
		run->longest = usecs;
	exact = usecs ? (double)bytes / (double)usecs * 1e6 : NAN;
	if (fabs(exact / 1024 - (double)rate) <= 1.001 + 1e-9 * exact)
		run->binary++;
	else if (fabs(exact / 1000 - (double)rate) > 1.001 + 1e-9 * exact)
		run->wrong++;
	return 0;
}

static void add_sum(struct readings *r, const char *name, uint64_t v, uint64_t line,
		    enum quantity_kind kind, double scale, const char *unit,
		    enum reading_better better)
{
	struct quantity q = quantity_of_count(v);
	struct reading *m;

	q = quantity_of(&q, kind, scale, unit);
	m = readings_add(r, 0, name, READING_VALUE, &q, line);
	if (m)
		m->better = better;
}

static int end_run(const struct pasted *t, const struct text_line *l, struct run *run,
		   struct readings *r, struct error *e)
{
	if (run->overflow)
		return text_bad(t, l, e, "usemem: the tasks add up to more than 64 bits hold");
	if (run->tasks) {
		bool binary = run->binary * 2 > run->tasks;

		add_sum(r, "tasks", run->tasks, run->line, QUANTITY_PLAIN, 1, "", READING_UNKNOWN);
		add_sum(r, "bytes of all tasks", run->bytes, run->line, QUANTITY_AMOUNT, 1, "B",
			READING_UNKNOWN);
		add_sum(r, "time of all tasks", run->usecs, run->line, QUANTITY_TIME, 1e-6, "us",
			READING_LOWER);
		add_sum(r, "longest task", run->longest, run->line, QUANTITY_TIME, 1e-6, "us",
			READING_LOWER);
		add_sum(r, "throughput of all tasks", run->throughput, run->line, QUANTITY_RATE,
			binary ? 1024 : 1000, "KB/s", READING_HIGHER);
		if (run->wrong)
			readings_note(
				r,
				"%llu tasks state a throughput that does not follow from their "
				"bytes and time",
				(unsigned long long)run->wrong);
	}
	if (run->freed)
		add_sum(r, "time to free memory, all tasks", run->freeing, run->line, QUANTITY_TIME,
			1e-6, "us", READING_LOWER);
	memset(run, 0, sizeof(*run));
	return 0;
}

int usemem_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		struct error *e)
{
	struct text_line l = { 0 };
	struct run run = { 0 };
	unsigned int rounds = 0;
	uint64_t tasks = 0, freed = 0;
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	while (!ret && text_next(t, &l)) {
		int at;
		uint64_t v;

		if (!l.n)
			continue;
		if (line_is_round(&l)) {
			rounds++;
			ret = end_run(t, &l, &run, r, e);
		} else if ((at = throughput_at(&l)) >= 0) {
			ret = take_task(t, &l, at, &run, e);
			tasks++;
		} else if ((at = freeing_at(&l)) >= 0) {
			if (number_before(&l, at) || l.n != (unsigned int)at + 5 ||
			    !word_count(&l.w[at], &v))
				return text_bad(t, &l, e,
						"usemem: 'N usecs to free memory' expected");
			add(&run, &run.freeing, v);
			run.freed++;
			freed++;
			run.line = l.number;
		} else {
			readings_leave_out(r, &l);
		}
	}
	if (!ret)
		ret = end_run(t, &l, &run, r, e);
	readings_note(r, "%llu tasks and %llu times to free memory are added up%s",
		      (unsigned long long)tasks, (unsigned long long)freed,
		      rounds ? " in each round; rounds are runs" : ": they are one run");
	return ret;
}
