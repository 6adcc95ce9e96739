// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison.h"
#include "analyze/derived.h"
#include "render/format.h"
#include "render/json_document.h"

#define COMPARISON_SCHEMA 1 /* grows only when a reader of an older version would misunderstand */

/* A document being written; the first failure is kept and makes the rest do nothing. */
struct writing {
	const struct comparison *c;
	int failed;
};

static void put(struct writing *w, json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, value) && !w->failed)
		w->failed = -ENOMEM;
}

static void append(struct writing *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) && !w->failed)
		w->failed = -ENOMEM;
}

static json_t *count_json(struct writing *w, uint64_t n)
{
	if (n == COUNT_UNKNOWN)
		return json_null();
	if (n > INT64_MAX && !w->failed)
		w->failed = -ERANGE;
	return json_integer((json_int_t)n);
}

static json_t *real_json(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *word_json(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

static json_t *input_json(struct writing *w, const struct comparison_input *in)
{
	static const char *const kinds[] = {
		[INPUT_TIMES] = "times",       [INPUT_COLUMN] = "column",
		[INPUT_COUNTERS] = "counters", [INPUT_TRACE] = "trace",
		[INPUT_RESULTS] = "results",   [INPUT_ARGDIST] = "argdist",
		[INPUT_READINGS] = "readings",
	};
	json_t *o = json_object(), *conditions = json_object(), *notes = json_array(), *left;

	put(w, o, "name", json_string(in->name));
	put(w, o, "file", word_json(in->file));
	put(w, o, "kind", json_string(kinds[in->kind]));
	put(w, o, "declared_n", in->declared_n ? count_json(w, in->declared_n) : json_null());
	for (unsigned int i = 0; i < in->nconditions; i++)
		put(w, conditions, in->conditions[i].key, json_string(in->conditions[i].value));
	put(w, o, "conditions", conditions);
	put(w, o, "what_if", json_boolean(in->what_if));
	put(w, o, "format", word_json(in->format));
	put(w, o, "reading", word_json(in->reading));
	left = json_object();
	put(w, left, "lines", count_json(w, in->left_out));
	put(w, left, "first_line", in->left_out ? count_json(w, in->left_out_line) : json_null());
	put(w, left, "first", word_json(in->left_out_text));
	put(w, o, "left_out", left);
	for (unsigned int i = 0; i < in->nnotes; i++)
		append(w, notes, json_string(in->notes[i]));
	put(w, o, "notes", notes);
	put(w, o, "incomplete", in->incomplete ? json_string(in->incomplete_why) : json_null());
	return o;
}

static json_t *sample_json(struct writing *w, const struct metric *m)
{
	json_t *o = json_object(), *values = json_array();

	put(w, o, "n", count_json(w, m->n));
	put(w, o, "mean", real_json(m->s.mean));
	put(w, o, "stddev", real_json(m->s.stddev));
	put(w, o, "min", real_json(m->s.min));
	put(w, o, "median", real_json(m->s.median));
	put(w, o, "max", real_json(m->s.max));
	for (size_t i = 0; i < m->n; i++)
		append(w, values,
		       m->exact[i] == COUNT_UNKNOWN ? real_json(m->v[i])
						    : count_json(w, m->exact[i]));
	put(w, o, "values", values);
	put(w, o, "rounded", json_boolean(m->rounded));
	if (m->reading == READING_COUNTS)
		put(w, o, "sum", real_json(m->s.mean * (double)m->n));
	put(w, o, "stated_spread_percent", m->spread > 0 ? real_json(m->spread) : json_null());
	put(w, o, "stated_runs", m->runs ? count_json(w, m->runs) : json_null());
	put(w, o, "marked_significant", json_boolean(m->significant));
	return o;
}

static json_t *test_json(struct writing *w, const struct metric *base, const struct metric *m)
{
	static const char *const refusals[] = {
		[TEST_ONE_VALUE] = "n=1", [TEST_NO_SPREAD] = "no spread"
	};
	json_t *o = json_object(), *interval = json_array();
	struct welch t;

	welch_test(&base->s, &m->s, &t);
	if (metric_is_state(m))
		t = (struct welch){ TEST_ONE_VALUE, NAN, NAN, NAN, NAN, NAN };
	put(w, o, "refused",
	    metric_is_state(m) ? json_string("no repeated runs")
	    : t.refused	       ? json_string(refusals[t.refused])
			       : json_null());
	put(w, o, "t", real_json(t.t));
	put(w, o, "df", real_json(t.df));
	put(w, o, "p", real_json(t.p));
	if (t.refused) {
		json_decref(interval);
		interval = json_null();
	} else {
		append(w, interval, real_json(t.low));
		append(w, interval, real_json(t.high));
	}
	put(w, o, "ci95", interval);
	return o;
}

static json_t *change_json(struct writing *w, const struct metric *named, unsigned int i)
{
	const struct metric *base = comparison_metric(w->c, 0, named->name);
	const struct metric *before = comparison_metric(w->c, i - 1, named->name);
	const struct metric *m = comparison_metric(w->c, i, named->name);
	json_t *o;

	if (!base || !m)
		return json_null();
	o = json_object();
	if (m->reading == READING_COUNTER) {
		double difference = counter_difference(w->c, i, named->name);

		/* Against the reading before it; per cent of what was counted since boot says
		 * nothing. */
		put(w, o, "difference", real_json(difference));
		put(w, o, "per_second", real_json(difference / comparison_seconds(w->c, i)));
		put(w, o, "vs_base", json_null());
		put(w, o, "vs_previous", json_null());
		put(w, o, "test", test_json(w, base, m));
		return o;
	}
	put(w, o, "difference", real_json(m->s.mean - base->s.mean));
	put(w, o, "vs_base", real_json(metric_change(base, m)));
	put(w, o, "vs_previous", real_json(metric_change(before, m)));
	put(w, o, "test", test_json(w, base, m));
	return o;
}

static json_t *metric_json(struct writing *w, const struct metric *named)
{
	static const char *const better[] = {
		[BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher"
	};
	static const char *const kinds[] = {
		[READING_VALUE] = "value",     [READING_GAUGE] = "gauge",
		[READING_COUNTER] = "counter", [READING_RATE] = "rate",
		[READING_COUNTS] = "counts",
	};
	json_t *o = json_object(), *inputs = json_array(), *changes = json_array();

	put(w, o, "name", json_string(named->name));
	put(w, o, "kind", json_string(kinds[named->reading]));
	put(w, o, "unit", word_json(named->unit));
	put(w, o, "better",
	    named->better == BETTER_UNKNOWN ? json_null() : json_string(better[named->better]));
	put(w, o, "estimate", json_boolean(named->estimate));
	for (unsigned int i = 0; i < w->c->n; i++) {
		const struct metric *m = comparison_metric(w->c, i, named->name);

		append(w, inputs, m ? sample_json(w, m) : json_null());
		append(w, changes, i ? change_json(w, named, i) : json_null());
	}
	put(w, o, "inputs", inputs);
	put(w, o, "changes", changes);
	return o;
}

static json_t *mthp_row_json(struct writing *w, const struct mthp_row *row)
{
	json_t *o = json_object(), *inputs = json_array();

	put(w, o, "size_kb", row->kb ? json_integer(row->kb) : json_null());
	for (unsigned int i = 0; i < w->c->n; i++) {
		json_t *in = json_object();
		uint64_t ok = row->swpout[i], failed = row->fallback[i];
		bool known = ok != COUNT_UNKNOWN && failed != COUNT_UNKNOWN;
		uint64_t all = known ? ok + failed : COUNT_UNKNOWN;

		put(w, in, "swpout", count_json(w, ok));
		put(w, in, "fallback", count_json(w, failed));
		put(w, in, "fallback_percent", real_json(percent_of(failed, all)));
		put(w, in, "few", json_boolean(known && all < MTHP_FEW));
		append(w, inputs, in);
	}
	put(w, o, "inputs", inputs);
	return o;
}

static json_t *mthp_json(struct writing *w)
{
	struct mthp_row *rows;
	int n = comparison_mthp(w->c, &rows);
	json_t *a = json_array();

	if (n < 0) {
		w->failed = n;
		return a;
	}
	for (int i = 0; i < n; i++)
		append(w, a, mthp_row_json(w, &rows[i]));
	mthp_rows_free(rows, n);
	return a;
}

static json_t *bucket_json(struct writing *w, const struct hist_bucket *b, bool count)
{
	json_t *o = json_object();

	if (!b) {
		json_decref(o);
		return json_null();
	}
	put(w, o, "low", b->low == INT64_MIN ? json_null() : json_integer(b->low));
	put(w, o, "high", b->high == INT64_MAX ? json_null() : json_integer(b->high));
	if (count)
		put(w, o, "count", count_json(w, b->count));
	return o;
}

static json_t *hist_json(struct writing *w, unsigned int input, const struct text_hist *h)
{
	static const struct {
		const char *name;
		uint64_t tail;
	} q[] = { { "p50", 2 },
		  { "p90", 10 },
		  { "p99", 100 },
		  { "p99.9", 1000 },
		  { "max", UINT64_MAX } };
	json_t *o = json_object(), *buckets = json_array();

	put(w, o, "input", json_integer(input));
	put(w, o, "name", json_string(h->name));
	put(w, o, "samples", count_json(w, h->total));
	for (unsigned int i = 0; i < h->n; i++)
		append(w, buckets, bucket_json(w, &h->b[i], true));
	put(w, o, "buckets", buckets);
	for (size_t i = 0; i < sizeof(q) / sizeof(q[0]); i++)
		put(w, o, q[i].name, bucket_json(w, hist_text_quantile(h, q[i].tail), false));
	return o;
}

static json_t *warning_json(struct writing *w, const struct comparison_warning *warning)
{
	static const char *const kinds[] = {
		[WARNING_CONDITIONS] = "conditions",
		[WARNING_DECLARED_N] = "declared_n",
		[WARNING_DECLARED_CHANGE] = "declared_change",
		[WARNING_INCOMPLETE] = "incomplete",
	};
	json_t *o = json_object();

	put(w, o, "kind", json_string(kinds[warning->kind]));
	put(w, o, "text", json_string(warning->text));
	return o;
}

static json_t *derived_json(struct writing *w)
{
	static const char *const units[] = {
		[DERIVED_PERCENT] = "%", [DERIVED_PAGES] = "pages", [DERIVED_RATIO] = "",
		[DERIVED_BYTES] = "B",	 [DERIVED_RATE] = "B/s",
	};
	json_t *o = json_object(), *answers = json_array(), *notes = json_array();
	struct derived_list l;

	derived_answers(w->c, &l);
	if (l.failed && !w->failed)
		w->failed = l.failed;
	for (unsigned int k = 0; k < l.n; k++) {
		json_t *a = json_object(), *inputs = json_array(), *changes = json_array();

		put(w, a, "name", json_string(l.v[k].name));
		put(w, a, "unit", word_json(units[l.v[k].unit]));
		for (unsigned int i = 0; i < w->c->n; i++) {
			append(w, inputs, real_json(l.v[k].v[i]));
			append(w, changes,
			       i ? real_json(derived_change(w->c, &l.v[k], i)) : json_null());
		}
		put(w, a, "inputs", inputs);
		put(w, a, "changes", changes);
		append(w, answers, a);
	}
	for (unsigned int i = 0; i < l.nnotes; i++)
		append(w, notes, json_string(l.notes[i]));
	put(w, o, "answers", answers);
	put(w, o, "notes", notes);
	derived_free(&l);
	return o;
}

static json_t *document_json(struct writing *w)
{
	const struct comparison *c = w->c;
	json_t *o = json_object(), *head = json_object(), *inputs = json_array();
	json_t *metrics = json_array(), *hists = json_array(), *warnings = json_array();
	json_t *footnotes = json_array();

	put(w, head, "schema", json_integer(COMPARISON_SCHEMA));
	put(w, head, "version", json_string(SWAPTRACE_VERSION));
	put(w, head, "kind", json_string("comparison"));
	put(w, o, "swaptrace", head);
	for (unsigned int i = 0; i < c->n; i++) {
		append(w, inputs, input_json(w, &c->inputs[i]));
		for (unsigned int k = 0; k < c->inputs[i].hists.n; k++)
			append(w, hists, hist_json(w, i, &c->inputs[i].hists.v[k]));
	}
	for (unsigned int k = 0; k < c->nnames; k++)
		append(w, metrics, metric_json(w, c->names[k]));
	for (unsigned int i = 0; i < c->nwarnings; i++)
		append(w, warnings, warning_json(w, &c->warnings[i]));
	for (unsigned int i = 0; i < c->nfootnotes; i++)
		append(w, footnotes, json_string(c->footnotes[i]));
	put(w, o, "inputs", inputs);
	put(w, o, "metrics", metrics);
	put(w, o, "mthp", mthp_json(w));
	put(w, o, "derived", derived_json(w));
	put(w, o, "histograms", hists);
	put(w, o, "warnings", warnings);
	put(w, o, "footnotes", footnotes);
	return o;
}

int comparison_json(const struct comparison *c, FILE *f, struct error *e)
{
	struct writing w = { .c = c };
	json_t *o = document_json(&w);

	return json_document_write(o, w.failed, "comparison", f, e);
}
