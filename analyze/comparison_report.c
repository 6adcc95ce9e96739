// SPDX-License-Identifier: GPL-2.0
/* A comparison as people read it, and the table of mTHP counters. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison.h"
#include "analyze/derived.h"
#include "render/format.h"

#define SIGNIFICANT 0.05
#define RATIO_SHOWN 10 /* from here on "133,333 : 1" says more than -100.00 % */

/* ---- mTHP counters ---- */

/* Size in kB of "64kB/swpout" or "64kB/swpout_fallback", 0 for other metrics. */
static unsigned int mthp_size(const char *name, bool *fallback)
{
	size_t digits = strspn(name, "0123456789");

	if (!digits || digits > 8 || strncmp(name + digits, "kB/swpout", 9))
		return 0;
	*fallback = !strcmp(name + digits + 9, "_fallback");
	return name[digits + 9] && !*fallback ? 0 : (unsigned int)strtoul(name, NULL, 10);
}

/* Sum of the runs, exact; COUNT_UNKNOWN when a run is not a count or there is none. */
static uint64_t sum_of(const struct metric *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; m && i < m->n; i++) {
		if (m->exact[i] == COUNT_UNKNOWN || sum > UINT64_MAX - 1 - m->exact[i])
			return COUNT_UNKNOWN;
		sum += m->exact[i];
	}
	return m && m->n ? sum : COUNT_UNKNOWN;
}

static int by_size(const void *a, const void *b)
{
	const struct mthp_row *x = a, *y = b;

	return (x->kb > y->kb) - (x->kb < y->kb);
}

static int init_row(struct mthp_row *row, unsigned int kb, unsigned int inputs)
{
	row->kb = kb;
	row->swpout = malloc(inputs * sizeof(*row->swpout));
	row->fallback = malloc(inputs * sizeof(*row->fallback));
	if (!row->swpout || !row->fallback)
		return -ENOMEM;
	for (unsigned int i = 0; i < inputs; i++)
		row->swpout[i] = row->fallback[i] = COUNT_UNKNOWN;
	return 0;
}

static void fill_row(const struct comparison *c, struct mthp_row *row)
{
	for (unsigned int i = 0; i < c->n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%ukB/swpout", row->kb);
		row->swpout[i] = sum_of(comparison_metric(c, i, name));
		snprintf(name, sizeof(name), "%ukB/swpout_fallback", row->kb);
		row->fallback[i] = sum_of(comparison_metric(c, i, name));
	}
}

static void add_to_total(uint64_t *total, uint64_t v)
{
	if (v == COUNT_UNKNOWN)
		return;
	*total = *total == COUNT_UNKNOWN ? v : *total + v;
}

static bool have_size(const struct mthp_row *rows, int n, unsigned int kb)
{
	for (int i = 0; i < n; i++)
		if (rows[i].kb == kb)
			return true;
	return false;
}

int comparison_mthp(const struct comparison *c, struct mthp_row **out)
{
	struct mthp_row *rows = calloc(c->nnames + 1, sizeof(*rows)), *total;
	int n = 0;

	*out = rows;
	if (!rows)
		return -ENOMEM;
	for (unsigned int k = 0; k < c->nnames; k++) {
		bool fallback;
		unsigned int kb = mthp_size(c->names[k]->name, &fallback);

		if (!kb || have_size(rows, n, kb))
			continue;
		if (init_row(&rows[n++], kb, c->n))
			goto no_memory;
		fill_row(c, &rows[n - 1]);
	}
	if (!n)
		return 0;
	qsort(rows, (size_t)n, sizeof(*rows), by_size);
	total = &rows[n++];
	if (init_row(total, 0, c->n))
		goto no_memory;
	for (int r = 0; r + 1 < n; r++) {
		for (unsigned int i = 0; i < c->n; i++) {
			add_to_total(&total->swpout[i], rows[r].swpout[i]);
			add_to_total(&total->fallback[i], rows[r].fallback[i]);
		}
	}
	return n;
no_memory:
	mthp_rows_free(rows, n);
	*out = NULL;
	return -ENOMEM;
}

void mthp_rows_free(struct mthp_row *rows, int n)
{
	for (int i = 0; i < n; i++) {
		free(rows[i].swpout);
		free(rows[i].fallback);
	}
	free(rows);
}

static uint64_t requests_of(const struct mthp_row *row, unsigned int i)
{
	if (row->swpout[i] == COUNT_UNKNOWN || row->fallback[i] == COUNT_UNKNOWN)
		return COUNT_UNKNOWN;
	return row->swpout[i] + row->fallback[i];
}

static double fallback_of(const struct mthp_row *row, unsigned int i)
{
	return percent_of(row->fallback[i], requests_of(row, i));
}

static void share_cell(struct table *t, const struct mthp_row *row, unsigned int i)
{
	uint64_t n = requests_of(row, i);
	char text[80];

	if (n == COUNT_UNKNOWN || !n || n >= MTHP_FEW) {
		table_percent(t, fallback_of(row, i));
		return;
	}
	snprintf(text, sizeof(text), "%s (n=%" PRIu64 ")", format_percent(fallback_of(row, i)).s,
		 n);
	table_word(t, text);
}

static void points_cell(struct table *t, double points)
{
	char text[48] = "n/a";

	if (isfinite(points))
		snprintf(text, sizeof(text), "%+.2f points", points);
	table_word(t, text);
}

static void mthp_document(const struct comparison *c, struct document *d)
{
	struct mthp_row *rows;
	int n = comparison_mthp(c, &rows);
	struct table *t = n > 0 ? table_new("mthp", "swap-out of large folios by size") : NULL;

	if (n < 0)
		d->failed = n;
	if (t) {
		table_column(t, "size", ALIGN_RIGHT);
		for (unsigned int i = 0; i < c->n; i++) {
			char title[200];

			snprintf(title, sizeof(title), "%s: swpout", c->inputs[i].name);
			table_column(t, title, ALIGN_RIGHT);
			table_column(t, "fallback", ALIGN_RIGHT);
			table_column(t, "share", ALIGN_RIGHT);
			if (i)
				table_column(t, "vs base", ALIGN_RIGHT);
		}
	}
	for (int r = 0; t && r < n; r++) {
		char size[32] = "total";

		if (rows[r].kb)
			snprintf(size, sizeof(size), "%u kB", rows[r].kb);
		table_word(t, size);
		for (unsigned int i = 0; i < c->n; i++) {
			table_count(t, rows[r].swpout[i]);
			table_count(t, rows[r].fallback[i]);
			share_cell(t, &rows[r], i);
			if (i)
				points_cell(t, fallback_of(&rows[r], i) - fallback_of(&rows[r], 0));
		}
	}
	if (n > 0)
		document_table(d, t);
	if (n >= 0)
		mthp_rows_free(rows, n);
}

/* ---- metrics of one value ---- */

/* Digits that leave some four significant ones, but no fewer than were written. */
static int decimals_for(const struct metric *m, double v)
{
	int d = m->decimals > 2 ? m->decimals : 2;

	/* "1200M" has no more digits than that. */
	if (m->rounded && v == floor(v))
		return 0;
	if (v != 0 && fabs(v) < 1)
		d = d > 3 - (int)floor(log10(fabs(v))) ? d : 3 - (int)floor(log10(fabs(v)));
	return d > 9 ? 9 : d;
}

static void value_cell(struct table *t, const struct metric *m)
{
	char text[80];

	if (m && m->n == 1 && m->spread > 0) {
		snprintf(text, sizeof(text), "%s \xc2\xb1 %g %%",
			 m->exact[0] != COUNT_UNKNOWN
				 ? format_count(m->exact[0]).s
				 : format_number(m->v[0], decimals_for(m, m->v[0])).s,
			 m->spread);
		table_word(t, text);
		return;
	}
	if (!m)
		table_count(t, COUNT_UNKNOWN);
	else if (m->n == 1 && m->exact[0] != COUNT_UNKNOWN)
		table_count(t, m->exact[0]);
	else
		table_number(t, m->s.mean, decimals_for(m, m->s.mean));
}

static void change_cell(struct table *t, const struct metric *before, const struct metric *after)
{
	double change = metric_change(before, after);

	if (before && before->kind == QUANTITY_PERCENT)
		points_cell(t, change);
	else
		table_change(t, change);
}

static bool has_runs(const struct comparison *c, const char *name)
{
	const struct metric *first = NULL;

	for (unsigned int i = 0; i < c->n && !first; i++)
		first = comparison_metric(c, i, name);
	if (first && metric_is_state(first))
		return false;
	for (unsigned int i = 0; i < c->n; i++) {
		const struct metric *m = comparison_metric(c, i, name);

		if (m && m->n > 1)
			return true;
	}
	return false;
}

static bool in_mthp_table(const char *name)
{
	bool fallback;

	return mthp_size(name, &fallback) != 0;
}

static void single_titles(const struct comparison *c, struct table *t)
{
	table_column(t, "metric", ALIGN_LEFT);
	for (unsigned int i = 0; i < c->n; i++) {
		table_column(t, c->inputs[i].name, ALIGN_RIGHT);
		if (i)
			table_column(t, c->n > 2 ? "vs base" : "change", ALIGN_RIGHT);
		if (i > 1)
			table_column(t, "vs previous", ALIGN_RIGHT);
	}
}

static void single_row(const struct comparison *c, const struct metric *named, struct table *t)
{
	const struct metric *base = comparison_metric(c, 0, named->name), *before = base;
	char title[200];

	metric_title(named, title, sizeof(title));
	table_word(t, title);
	for (unsigned int i = 0; i < c->n; i++) {
		const struct metric *m = comparison_metric(c, i, named->name);

		value_cell(t, m);
		if (i)
			change_cell(t, base, m);
		if (i > 1)
			change_cell(t, before, m);
		before = m;
	}
}

/* Counts of many digits hide behind -100.00 %; and what was rounded has to be marked. */
static void ratio_sentence(const struct comparison *c, const struct metric *named,
			   struct document *d)
{
	const struct metric *base = comparison_metric(c, 0, named->name);

	if (c->inputs[0].kind != INPUT_TIMES && c->inputs[0].kind != INPUT_COLUMN)
		return;
	for (unsigned int i = 1; base && i < c->n; i++) {
		const struct metric *m = comparison_metric(c, i, named->name);
		bool rounded = m && (m->rounded || base->rounded);
		double ratio = m ? base->s.mean / m->s.mean : NAN;
		const char *name = named->name[0] ? named->name : "value";

		if (!(isfinite(ratio) && ratio > 0))
			continue;
		if (ratio >= RATIO_SHOWN)
			document_sentence(d, "%s: %s to %s is %s : 1%s", name, c->inputs[0].name,
					  c->inputs[i].name, format_number(ratio, ratio < 100).s,
					  rounded ? " (from rounded values)" : "");
		else if (ratio <= 1.0 / RATIO_SHOWN)
			document_sentence(d, "%s: %s to %s is 1 : %s%s", name, c->inputs[0].name,
					  c->inputs[i].name,
					  format_number(1 / ratio, 1 / ratio < 100).s,
					  rounded ? " (from rounded values)" : "");
		else if (rounded)
			document_sentence(d, "%s: from rounded values", name);
	}
}

/* A measurement, of which one value tells little; counts of events and counters are no sample. */
static bool is_measured(const struct comparison *c, const struct metric *m)
{
	enum input_kind kind = c->inputs[0].kind;

	return m->kind != QUANTITY_PERCENT && !m->estimate &&
	       (kind == INPUT_TIMES || kind == INPUT_COLUMN || m->kind == QUANTITY_TIME);
}

static void single_document(const struct comparison *c, struct document *d)
{
	struct table *t = NULL;
	bool measured = false;

	for (unsigned int k = 0; k < c->nnames; k++) {
		if (has_runs(c, c->names[k]->name) || in_mthp_table(c->names[k]->name) ||
		    metric_is_state(c->names[k]))
			continue;
		if (!t) {
			t = table_new("values", "");
			if (!t) {
				d->failed = -ENOMEM;
				return;
			}
			single_titles(c, t);
		}
		single_row(c, c->names[k], t);
		measured |= is_measured(c, c->names[k]);
	}
	if (!t)
		return;
	document_table(d, t);
	for (unsigned int k = 0; k < c->nnames; k++)
		if (!has_runs(c, c->names[k]->name) && !in_mthp_table(c->names[k]->name) &&
		    !metric_is_state(c->names[k]))
			ratio_sentence(c, c->names[k], d);
	if (measured)
		document_sentence(d, "n=1, no significance test");
}

/* ---- metrics of several runs ---- */

enum run_row {
	ROW_N,
	ROW_MEAN,
	ROW_STDDEV,
	ROW_MIN,
	ROW_MEDIAN,
	ROW_MAX,
	ROW_BASE,
	ROW_PREVIOUS,
	ROW_T,
	ROW_DF,
	ROW_P,
	ROW_INTERVAL,
	ROW_INTERVAL_PERCENT,
	ROW_VERDICT,
	ROW_NR
};

static const char *const row_names[ROW_NR] = {
	"n",
	"mean",
	"stddev",
	"min",
	"median",
	"max",
	"vs base",
	"vs previous",
	"Welch t",
	"df",
	"p",
	"95 % CI of the difference",
	"  in percent of base",
	"verdict",
};

static const char *verdict(const struct welch *w, const struct metric *m)
{
	if (w->refused == TEST_ONE_VALUE)
		return "n=1, no significance test";
	if (w->refused == TEST_NO_SPREAD)
		return "no spread, no significance test";
	if (!(w->p < SIGNIFICANT))
		return "not significant";
	if (m->better == BETTER_UNKNOWN)
		return "significant";
	return (w->t > 0) == (m->better == BETTER_LOWER) ? "better" : "worse";
}

/* With some three digits of the interval's width. */
static void interval_cell(struct table *t, double low, double high, const char *unit)
{
	char text[96] = "n/a";

	/* Of a base of 0 there is no percentage, and none of what can't be written. */
	if (fabs(low) < 1e24 && fabs(high) < 1e24) {
		double digits = high > low ? 2 - floor(log10((high - low) / 2)) : 0;
		int decimals = (int)fmin(fmax(digits, 0), 9);

		snprintf(text, sizeof(text), "%+.*f .. %+.*f%s", decimals, low, decimals, high,
			 unit);
	}
	table_word(t, text);
}

static void p_cell(struct table *t, double p)
{
	char text[32] = "n/a";

	if (isfinite(p))
		snprintf(text, sizeof(text), p < 0.0001 ? "< 0.0001" : "%.4f", p);
	table_word(t, text);
}

static void test_cell(struct table *t, enum run_row row, const struct metric *base,
		      const struct metric *m)
{
	double b = fabs(base->s.mean);
	struct welch w;

	welch_test(&base->s, &m->s, &w);
	switch (row) {
	case ROW_T:
		table_number(t, w.t, 2);
		break;
	case ROW_DF:
		table_number(t, w.df, 1);
		break;
	case ROW_P:
		p_cell(t, w.p);
		break;
	case ROW_INTERVAL:
		interval_cell(t, w.low, w.high, "");
		break;
	case ROW_INTERVAL_PERCENT:
		interval_cell(t, 100 * w.low / b, 100 * w.high / b, " %");
		break;
	default:
		table_word(t, verdict(&w, m));
	}
}

static void run_cell(const struct comparison *c, struct table *t, enum run_row row,
		     const char *name, unsigned int i)
{
	const struct metric *m = comparison_metric(c, i, name);
	const struct metric *base = comparison_metric(c, 0, name);
	int d;

	if (!m || (row >= ROW_BASE && !base)) {
		table_count(t, COUNT_UNKNOWN);
		return;
	}
	if (row >= ROW_BASE && (!i || (row == ROW_PREVIOUS && i == 1))) {
		table_word(t, "");
		return;
	}
	d = m->decimals + (row == ROW_STDDEV ? 2 : row == ROW_MEAN || row == ROW_MEDIAN);
	switch (row) {
	case ROW_N:
		table_count(t, m->n);
		break;
	case ROW_MEAN:
		table_number(t, m->s.mean,
			     decimals_for(m, m->s.mean) > d ? decimals_for(m, m->s.mean) : d);
		break;
	case ROW_STDDEV:
		table_number(t, m->s.stddev, d > 9 ? 9 : d < 3 ? 3 : d);
		break;
	case ROW_MIN:
		table_number(t, m->s.min, decimals_for(m, m->s.min));
		break;
	case ROW_MEDIAN:
		table_number(t, m->s.median, decimals_for(m, m->s.median));
		break;
	case ROW_MAX:
		table_number(t, m->s.max, decimals_for(m, m->s.max));
		break;
	case ROW_BASE:
		change_cell(t, base, m);
		break;
	case ROW_PREVIOUS:
		change_cell(t, comparison_metric(c, i - 1, name), m);
		break;
	default:
		test_cell(t, row, base, m);
	}
}

static void runs_document(const struct comparison *c, const struct metric *named,
			  struct document *d)
{
	const char *direction = named->better == BETTER_LOWER	 ? ", lower is better"
				: named->better == BETTER_HIGHER ? ", higher is better"
								 : "";
	char title[200], heading[256];
	struct table *t;

	metric_title(named, title, sizeof(title));
	snprintf(heading, sizeof(heading), "%s%s%s", title, direction,
		 named->rounded ? ", from rounded values" : "");
	t = table_new("runs", heading);
	if (!t) {
		d->failed = -ENOMEM;
		return;
	}
	table_column(t, "", ALIGN_LEFT);
	for (unsigned int i = 0; i < c->n; i++)
		table_column(t, c->inputs[i].name, ALIGN_RIGHT);
	for (int row = 0; row < ROW_NR; row++) {
		if (row == ROW_PREVIOUS && c->n < 3)
			continue;
		table_word(t, row_names[row]);
		for (unsigned int i = 0; i < c->n; i++)
			run_cell(c, t, (enum run_row)row, named->name, i);
	}
	document_table(d, t);
}

/* ---- histograms ---- */

static const struct text_hist *find_hist(const struct comparison_input *in, const char *name)
{
	for (unsigned int i = 0; i < in->hists.n; i++)
		if (!strcmp(in->hists.v[i].name, name))
			return &in->hists.v[i];
	return NULL;
}

static void hist_titles(const struct comparison *c, struct table *t)
{
	table_column(t, "bucket", ALIGN_RIGHT);
	for (unsigned int i = 0; i < c->n; i++) {
		table_column(t, c->inputs[i].name, ALIGN_RIGHT);
		table_column(t, "%", ALIGN_RIGHT);
	}
}

static void hist_buckets(const struct comparison *c, struct table *t,
			 const struct text_hist *const *h, const struct hist_bucket *axis, int n)
{
	for (int b = 0; b < n; b++) {
		table_word(t, hist_bucket_label(&axis[b]).s);
		for (unsigned int i = 0; i < c->n; i++) {
			uint64_t count = h[i] ? hist_text_count(h[i], axis[b].low) : COUNT_UNKNOWN;

			table_count(t, count);
			table_percent(t, percent_of(count, h[i] ? h[i]->total : COUNT_UNKNOWN));
		}
	}
}

static void hist_quantiles(const struct comparison *c, struct table *t,
			   const struct text_hist *const *h)
{
	static const struct {
		const char *name;
		uint64_t tail;
	} q[] = { { "p50", 2 },
		  { "p90", 10 },
		  { "p99", 100 },
		  { "p99.9", 1000 },
		  { "max", UINT64_MAX } };

	table_word(t, "samples");
	for (unsigned int i = 0; i < c->n; i++) {
		table_count(t, h[i] ? h[i]->total : COUNT_UNKNOWN);
		table_word(t, "");
	}
	for (size_t k = 0; k < sizeof(q) / sizeof(q[0]); k++) {
		table_word(t, q[k].name);
		for (unsigned int i = 0; i < c->n; i++) {
			const struct hist_bucket *b =
				h[i] ? hist_text_quantile(h[i], q[k].tail) : NULL;

			table_word(t, b ? hist_bucket_label(b).s : "n/a");
			table_word(t, "");
		}
	}
}

static void hist_document(const struct comparison *c, const char *name, struct document *d)
{
	const struct text_hist **h = calloc(c->n, sizeof(*h));
	struct table *t = table_new("histogram", name);
	struct hist_bucket *axis = NULL;
	int n = -ENOMEM;

	for (unsigned int i = 0; h && i < c->n; i++)
		h[i] = find_hist(&c->inputs[i], name);
	if (h && t)
		n = hist_text_axis(h, c->n, &axis);
	if (n < 0) {
		table_free(t);
		t = NULL;
	} else {
		hist_titles(c, t);
		hist_buckets(c, t, h, axis, n);
		hist_quantiles(c, t, h);
	}
	document_table(d, t);
	free(axis);
	free(h);
}

static bool hist_before(const struct comparison *c, unsigned int input, const char *name)
{
	for (unsigned int i = 0; i < input; i++)
		if (find_hist(&c->inputs[i], name))
			return true;
	return false;
}

void comparison_document(const struct comparison *c, struct document *d)
{
	for (unsigned int k = 0; k < c->nnames; k++)
		if (has_runs(c, c->names[k]->name))
			runs_document(c, c->names[k], d);
	single_document(c, d);
	comparison_states(c, d);
	mthp_document(c, d);
	derived_document(c, d);
	for (unsigned int i = 0; i < c->n; i++)
		for (unsigned int k = 0; k < c->inputs[i].hists.n; k++)
			if (!hist_before(c, i, c->inputs[i].hists.v[k].name))
				hist_document(c, c->inputs[i].hists.v[k].name, d);
	for (unsigned int i = 0; i < c->nfootnotes; i++)
		document_sentence(d, "%s", c->footnotes[i]);
}
