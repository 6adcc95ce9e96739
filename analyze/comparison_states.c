// SPDX-License-Identifier: GPL-2.0
/* States, counters since boot and intervals: what is no sample of runs, and how it differs. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison.h"
#include "render/format.h"

bool metric_is_state(const struct metric *m)
{
	return m->reading != READING_VALUE;
}

/* Whether some input has more than one value of it: a series. */
static bool is_series(const struct comparison *c, const char *name)
{
	for (unsigned int i = 0; i < c->n; i++) {
		const struct metric *m = comparison_metric(c, i, name);

		if (m && m->n > 1)
			return true;
	}
	return false;
}

double comparison_seconds(const struct comparison *c, unsigned int i)
{
	double seconds = c->interval > 0 ? c->interval
					 : (i ? c->inputs[i].taken - c->inputs[i - 1].taken : NAN);

	return i && seconds > 0 ? seconds : NAN;
}

static int decimals_of(const struct metric *m)
{
	return m->decimals < 0 ? 0 : m->decimals > 9 ? 9 : m->decimals;
}

static void value_cell(struct table *t, const struct metric *m)
{
	if (!m)
		table_count(t, COUNT_UNKNOWN);
	else if (m->n == 1 && m->exact[0] != COUNT_UNKNOWN)
		table_count(t, m->exact[0]);
	else
		table_number(t, m->v[m->n - 1], decimals_of(m));
}

static void difference_cell(struct table *t, double difference, int decimals)
{
	char text[80] = "n/a";

	if (isfinite(difference))
		snprintf(text, sizeof(text), "%s%s", difference > 0 ? "+" : "",
			 format_number(difference, decimals).s);
	table_word(t, text);
}

static struct table *begin(const struct comparison *c, struct document *d, const char *id,
			   const char *title,
			   void (*titles)(const struct comparison *c, struct table *t))
{
	struct table *t = table_new(id, title);

	if (!t) {
		d->failed = -ENOMEM;
		return NULL;
	}
	table_column(t, "metric", ALIGN_LEFT);
	titles(c, t);
	return t;
}

static void title_cell(struct table *t, const struct metric *m)
{
	char title[200];

	metric_title(m, title, sizeof(title));
	table_word(t, title);
}

/* ---- states ---- */

static void state_titles(const struct comparison *c, struct table *t)
{
	for (unsigned int i = 0; i < c->n; i++) {
		table_column(t, c->inputs[i].name, ALIGN_RIGHT);
		if (i)
			table_column(t, "difference", ALIGN_RIGHT);
		if (i)
			table_column(t, "change", ALIGN_RIGHT);
	}
}

static void states(const struct comparison *c, struct document *d)
{
	struct table *t = NULL;

	for (unsigned int k = 0; k < c->nnames; k++) {
		const struct metric *named = c->names[k];
		const struct metric *base = comparison_metric(c, 0, named->name);

		if (named->reading != READING_GAUGE || is_series(c, named->name))
			continue;
		if (!t)
			t = begin(c, d, "states", "states", state_titles);
		if (!t)
			return;
		title_cell(t, named);
		for (unsigned int i = 0; i < c->n; i++) {
			const struct metric *m = comparison_metric(c, i, named->name);

			value_cell(t, m);
			if (!i)
				continue;
			difference_cell(t, base && m ? m->v[0] - base->v[0] : NAN,
					decimals_of(named));
			/* A priority of -2 has no per cent. */
			if (named->kind == QUANTITY_PERCENT || (base && base->v[0] < 0))
				table_word(t, "");
			else
				table_change(t, metric_change(base, m));
		}
	}
	if (t)
		document_table(d, t);
}

/* ---- counters ---- */

double counter_difference(const struct comparison *c, unsigned int i, const char *name)
{
	const struct metric *before = i ? comparison_metric(c, i - 1, name) : NULL;
	const struct metric *now = comparison_metric(c, i, name);

	if (!before || !now || before->n != 1 || now->n != 1 || now->v[0] < before->v[0])
		return NAN;
	if (before->exact[0] != COUNT_UNKNOWN && now->exact[0] != COUNT_UNKNOWN)
		return (double)(now->exact[0] - before->exact[0]);
	return now->v[0] - before->v[0];
}

static bool moved(const struct comparison *c, const char *name)
{
	for (unsigned int i = 1; i < c->n; i++)
		if (counter_difference(c, i, name) != 0)
			return true;
	return c->n < 2;
}

/* Two readings of which one fell are of two boots, or of two machines. */
static bool fell(const struct comparison *c, unsigned int i, const char *name)
{
	const struct metric *before = comparison_metric(c, i - 1, name);
	const struct metric *now = comparison_metric(c, i, name);

	return before && now && now->v[0] < before->v[0];
}

static void counter_titles(const struct comparison *c, struct table *t)
{
	for (unsigned int i = 0; i < c->n; i++) {
		table_column(t, c->inputs[i].name, ALIGN_RIGHT);
		if (i)
			table_column(t, "difference", ALIGN_RIGHT);
		if (isfinite(comparison_seconds(c, i)))
			table_column(t, "a second", ALIGN_RIGHT);
	}
}

static void counter_row(const struct comparison *c, struct table *t, const struct metric *named)
{
	title_cell(t, named);
	for (unsigned int i = 0; i < c->n; i++) {
		const struct metric *m = comparison_metric(c, i, named->name);
		double difference = counter_difference(c, i, named->name);
		double seconds = comparison_seconds(c, i);

		value_cell(t, m);
		if (i)
			difference_cell(t, difference, decimals_of(named));
		if (i && isfinite(seconds))
			table_number(t, difference / seconds, 2);
	}
}

static void counters(const struct comparison *c, struct document *d)
{
	struct table *t = NULL;
	unsigned int still = 0, down = 0;
	bool any = false, timed = false;

	for (unsigned int k = 0; k < c->nnames; k++) {
		const struct metric *named = c->names[k];

		if (named->reading != READING_COUNTER)
			continue;
		any = true;
		for (unsigned int i = 1; i < c->n; i++)
			down += fell(c, i, named->name);
		if (!moved(c, named->name)) {
			still++;
			continue;
		}
		if (!t)
			t = begin(c, d, "counters", "counters since boot", counter_titles);
		if (!t)
			return;
		counter_row(c, t, named);
	}
	if (t)
		document_table(d, t);
	if (!any)
		return;
	if (still)
		document_sentence(
			d, still == 1 ? "%u counter did not move" : "%u counters did not move",
			still);
	if (down)
		document_sentence(d,
				  "%u counters fell: the readings are of different boots or "
				  "machines; what they counted in between is not known",
				  down);
	for (unsigned int i = 1; i < c->n; i++)
		timed |= isfinite(comparison_seconds(c, i));
	if (c->n > 1 && !timed)
		document_sentence(d, "the time between the readings is not told: give --interval "
				     "SEC for rates");
}

/* ---- intervals ---- */

static double sum_of(const struct metric *m)
{
	double sum = 0;

	for (size_t i = 0; i < m->n; i++)
		sum += m->v[i];
	return sum;
}

static void interval_titles(const struct comparison *c, struct table *t)
{
	for (unsigned int i = 0; i < c->n; i++) {
		char title[200];

		snprintf(title, sizeof(title), "%s: n", c->inputs[i].name);
		table_column(t, title, ALIGN_RIGHT);
		table_column(t, "mean", ALIGN_RIGHT);
		table_column(t, "max", ALIGN_RIGHT);
		table_column(t, "sum", ALIGN_RIGHT);
		if (i)
			table_column(t, "vs base", ALIGN_RIGHT);
	}
}

static void interval_row(const struct comparison *c, struct table *t, const struct metric *named)
{
	const struct metric *base = comparison_metric(c, 0, named->name);
	int decimals = decimals_of(named) > 2 ? decimals_of(named) : 2;

	title_cell(t, named);
	for (unsigned int i = 0; i < c->n; i++) {
		const struct metric *m = comparison_metric(c, i, named->name);

		table_count(t, m ? m->n : COUNT_UNKNOWN);
		table_number(t, m ? m->s.mean : NAN, decimals);
		table_number(t, m ? m->s.max : NAN, decimals_of(named));
		if (named->reading == READING_COUNTS)
			table_number(t, m ? sum_of(m) : NAN, decimals_of(named));
		else
			table_word(t, "");
		if (!i)
			continue;
		if (named->kind == QUANTITY_PERCENT)
			difference_cell(t, metric_change(base, m), 2);
		else
			table_change(t, metric_change(base, m));
	}
}

static void intervals(const struct comparison *c, struct document *d)
{
	struct table *t = NULL;

	for (unsigned int k = 0; k < c->nnames; k++) {
		const struct metric *named = c->names[k];
		bool rate = named->reading == READING_RATE || named->reading == READING_COUNTS;

		if (!rate && !(named->reading == READING_GAUGE && is_series(c, named->name)))
			continue;
		if (!t)
			t = begin(c, d, "intervals", "intervals of one run each", interval_titles);
		if (!t)
			return;
		interval_row(c, t, named);
	}
	if (t)
		document_table(d, t);
	if (t && c->n > 1)
		document_sentence(d, "intervals of one run are not repeated runs: no significance "
				     "test; sums are compared where there are any, else means");
}

void comparison_states(const struct comparison *c, struct document *d)
{
	states(c, d);
	counters(c, d);
	intervals(c, d);
}
