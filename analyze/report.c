// SPDX-License-Identifier: GPL-2.0
#include "analyze/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analyze/distribution.h"
#include "analyze/report_parts.h"
#include "render/format.h"
#include "replay/engine.h"

struct label source_letter(unsigned int i)
{
	struct label l;

	if (i < 26)
		snprintf(l.s, sizeof(l.s), "%c", 'A' + (int)i);
	else
		snprintf(l.s, sizeof(l.s), "#%u", i + 1);
	return l;
}

struct label source_label(const struct sources *s, unsigned int i)
{
	struct label l;
	bool short_names = true;

	for (unsigned int k = 0; k < s->n; k++)
		short_names &= text_width(s->v[k].name) <= 20 && strlen(s->v[k].name) < sizeof(l.s);
	if (short_names)
		snprintf(l.s, sizeof(l.s), "%.23s", s->v[i].name);
	else
		l = source_letter(i);
	return l;
}

const char *report_prefix(const struct sources *s, unsigned int i, char *buf, size_t size)
{
	if (s->n < 2)
		return "";
	snprintf(buf, size, "%s: ", s->v[i].name);
	return buf;
}

void report_add_plot(struct report *r, struct plot *p, const char *caption)
{
	if (r->nplots == REPORT_PLOTS || plot_is_empty(p)) {
		plot_free(p);
		return;
	}
	/* Rates need two slices of time; a trace of one has nothing for that panel. */
	if (p->npanels == 2 && plot_panel_is_empty(&p->panels[1]))
		p->npanels = 1;
	document_picture(&r->doc, p->name, caption, plot_text(p));
	r->plots[r->nplots++] = *p;
}

static const char *kind_name(const struct source *v)
{
	if (!strcmp(v->origin, "argdist"))
		return "argdist table";
	if (!strcmp(v->origin, "trace"))
		return "recorded";
	return v->result.what_if ? "what-if" : "replayed";
}

static void setting_cell(struct table *t, uint64_t v)
{
	table_count(t, v);
}

static void list_sources(struct report *r, const struct sources *s)
{
	struct table *t = table_new("sources", "");

	if (!t) {
		r->doc.failed = -ENOMEM;
		return;
	}
	table_column(t, "", ALIGN_LEFT);
	table_column(t, "source", ALIGN_LEFT);
	table_column(t, "kind", ALIGN_LEFT);
	table_column(t, "kernel", ALIGN_LEFT);
	table_column(t, "page_cluster", ALIGN_RIGHT);
	table_column(t, "vma_ra", ALIGN_RIGHT);
	table_column(t, "events", ALIGN_RIGHT);
	table_column(t, "lost", ALIGN_RIGHT);
	table_column(t, "start state", ALIGN_LEFT);
	for (unsigned int i = 0; i < s->n; i++) {
		const struct source *v = &s->v[i];

		table_word(t, source_letter(i).s);
		table_word(t, v->name);
		table_word(t, kind_name(v));
		table_word(t, v->facts.release[0] ? v->facts.release : "n/a");
		setting_cell(t, v->facts.page_cluster);
		setting_cell(t, v->facts.vma_ra);
		table_count(t, v->facts.events);
		table_count(t, v->result.lost);
		table_word(t, strcmp(v->origin, "replay")
				      ? "-"
				      : start_state_name(v->result.start_state));
	}
	document_table(&r->doc, t);
}

static void warn_loss(struct report *r, const struct sources *s, unsigned int i)
{
	const struct source *v = &s->v[i];
	uint64_t lost = v->result.lost, kept = v->facts.events;
	char buf[160];
	const char *prefix = report_prefix(s, i, buf, sizeof(buf));

	if (v->facts.damaged_blocks) {
		r->lost = true;
		document_warning(&r->doc, "%s%s damaged blocks of the trace were skipped", prefix,
				 format_count(v->facts.damaged_blocks).s);
	}
	if (!lost || lost == COUNT_UNKNOWN)
		return;
	r->lost = true;
	if (kept == COUNT_UNKNOWN || kept > UINT64_MAX - lost)
		document_warning(&r->doc, "%s%s events were lost while recording", prefix,
				 format_count(lost).s);
	else
		document_warning(&r->doc,
				 "%s%s of %s events (%s) were lost while recording: counts "
				 "are too low by about that share",
				 prefix, format_count(lost).s, format_count(lost + kept).s,
				 format_percent(percent_of(lost, lost + kept)).s);
}

static void warn_offsets(struct report *r, const struct sources *s, unsigned int i)
{
	const struct trace_summary *t = s->v[i].summary;
	char buf[160];
	const char *prefix = report_prefix(s, i, buf, sizeof(buf));

	if (t && t->odd_windows)
		document_warning(&r->doc,
				 "%s%s readahead calls left out: no kernel has as many "
				 "different windows",
				 prefix, format_count(t->odd_windows).s);
	if (!t || !t->bad_offsets)
		return;
	if (t->zero_offsets == t->offsets)
		document_warning(&r->doc,
				 "%soffset field not readable on this kernel? all %s offsets are 0",
				 prefix, format_count(t->offsets).s);
	else
		document_warning(&r->doc, "%s%s of %s offsets outside the device, ignored", prefix,
				 format_count(t->bad_offsets).s, format_count(t->offsets).s);
}

static bool settings_differ(const struct sources *s, size_t field, uint64_t values[2])
{
	bool have = false;

	for (unsigned int i = 0; i < s->n; i++) {
		uint64_t v;

		memcpy(&v, (const char *)&s->v[i].facts + field, sizeof(v));
		if (v == COUNT_UNKNOWN)
			continue;
		if (have && v != values[0]) {
			values[1] = v;
			return true;
		}
		values[0] = v;
		have = true;
	}
	return false;
}

static void warn_unequal(struct report *r, const struct sources *s)
{
	static const struct {
		const char *name;
		size_t field;
	} settings[] = {
		{ "page_cluster", offsetof(struct trace_facts, page_cluster) },
		{ "vma_ra", offsetof(struct trace_facts, vma_ra) },
		{ "page_size", offsetof(struct trace_facts, page_size) },
		{ "thp_swap", offsetof(struct trace_facts, thp_swap) },
		{ "cluster_slots", offsetof(struct trace_facts, cluster_slots) },
		{ "cpus", offsetof(struct trace_facts, cpus) },
	};
	uint64_t v[2];

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (!settings_differ(s, settings[i].field, v))
			continue;
		r->unequal = true;
		document_warning(&r->doc,
				 "conditions differ: %s is %" PRIu64 " and %" PRIu64
				 "; differences below may come from that",
				 settings[i].name, v[0], v[1]);
	}
}

static void warn_phases(struct report *r, const struct sources *s, unsigned int i)
{
	char buf[160];

	if (!phases_differ(&s->v[i].result))
		return;
	r->unequal = true;
	document_warning(&r->doc,
			 "%ssettings changed while recording: a histogram over all calls would "
			 "merge windows of different settings; read the phases",
			 report_prefix(s, i, buf, sizeof(buf)));
}

static void label_source(struct report *r, const struct sources *s, unsigned int i)
{
	const struct source *v = &s->v[i];
	char buf[160];
	const char *prefix = report_prefix(s, i, buf, sizeof(buf));

	if (v->result.what_if)
		document_sentence(&r->doc,
				  "%swhat-if: what the recorded needs would have led to under %s",
				  prefix, v->result.policy);
	for (unsigned int k = 0; k < v->result.nnotes; k++)
		document_sentence(&r->doc, "%s%s", prefix, v->result.notes[k]);
	if (v->argdist.rounded)
		document_sentence(&r->doc, "%scounts are from rounded values (K, M, G)", prefix);
	if (v->argdist.tables > 1)
		document_sentence(&r->doc, "%s%u tables, %s", prefix, v->argdist.tables,
				  v->argdist.cumulative
					  ? "each including the one before: the last one counts"
					  : "added up");
	if (v->argdist.ignored)
		document_sentence(&r->doc, "%s%s lines not understood (first: line %" PRIu64 ")",
				  prefix, format_count(v->argdist.ignored).s,
				  v->argdist.first_ignored);
	if (v->summary && v->summary->filtered)
		document_sentence(&r->doc,
				  "%s%s events outside the recording's filter are not counted",
				  prefix, format_count(v->summary->filtered).s);
	if (v->summary && v->summary->earlier_marks)
		document_sentence(
			&r->doc,
			"%s%s lookups found pages that were read ahead before the recording "
			"began (or whose read was lost); they are not counted as hits",
			prefix, format_count(v->summary->earlier_marks).s);
	if (v->summary && v->summary->self)
		document_sentence(&r->doc, "%s%s events are the recorder's own", prefix,
				  format_count(v->summary->self).s);
}

/* What can be put side by side: a number out of a source, NaN when it is not known. */
static double windows_mean(const struct source *v)
{
	return distribution_of(&v->result.readahead.windows).mean;
}

static double hit_rate(const struct source *v)
{
	return percent_of(v->result.readahead.hits, v->result.readahead.ra_pages);
}

static double run_time(const struct source *v)
{
	return v->seconds;
}

static double estimated_time(const struct source *v)
{
	return v->result.estimate.known ? v->result.estimate.seconds : NAN;
}

enum metric_kind { METRIC_COUNT, METRIC_PERCENT, METRIC_NUMBER };

struct metric {
	const char *name;
	enum metric_kind kind;
	size_t field;				/* METRIC_COUNT, in struct readahead_result */
	double (*value)(const struct source *); /* the others */
	bool always;				/* shown even where nobody knows it */
};

#define COUNT_METRIC(name, member, always)                                                         \
	{                                                                                          \
		name, METRIC_COUNT, offsetof(struct readahead_result, member), NULL, always        \
	}

/* Batches, pages and drains lead: they are counted, while seconds are measured or estimated. */
static const struct metric metrics[] = {
	COUNT_METRIC("readahead calls", calls, true),
	COUNT_METRIC("batches", batches, false),
	COUNT_METRIC("pages read", pages_read, false),
	COUNT_METRIC("drains by readahead", drains, true),
	{ "mean window (pages)", METRIC_NUMBER, 0, windows_mean, true },
	COUNT_METRIC("readahead pages", ra_pages, false),
	COUNT_METRIC("readahead hits", hits, false),
	{ "hit rate", METRIC_PERCENT, 0, hit_rate, false },
	COUNT_METRIC("unused readahead pages", unused, false),
	COUNT_METRIC("needs of a swap entry", lookups, false),
	COUNT_METRIC("found in the swap cache", cache_hits, false),
	COUNT_METRIC("bypassed swap-ins", bypassed, false),
	COUNT_METRIC("unknown neighbours", unknown_neighbours, false),
	{ "measured time (s)", METRIC_NUMBER, 0, run_time, false },
	{ "estimated time (s)", METRIC_NUMBER, 0, estimated_time, false },
};

static uint64_t metric_count(const struct metric *m, const struct source *v)
{
	uint64_t n;

	memcpy(&n, (const char *)&v->result.readahead + m->field, sizeof(n));
	/* A replay that had nothing to work with leaves zeros, which are no counts. */
	return n || v->result.readahead.known ? n : COUNT_UNKNOWN;
}

static double metric_value(const struct metric *m, const struct source *v)
{
	return m->kind == METRIC_COUNT ? count_value(metric_count(m, v)) : m->value(v);
}

/* Calls that could not happen are neither none nor unknown. */
static bool is_bypassed(const struct metric *m, const struct source *v)
{
	const struct readahead_result *ra = &v->result.readahead;

	return m->field == offsetof(struct readahead_result, calls) && m->kind == METRIC_COUNT &&
	       !ra->calls && ra->bypassed && ra->bypassed != COUNT_UNKNOWN;
}

static void metric_cell(struct table *t, const struct metric *m, const struct source *v)
{
	if (is_bypassed(m, v))
		table_word(t, "bypassed");
	else if (m->value == windows_mean && phases_differ(&v->result))
		table_word(t, "by phase");
	else if (m->kind == METRIC_COUNT)
		table_count(t, metric_count(m, v));
	else if (m->kind == METRIC_PERCENT)
		table_percent(t, m->value(v));
	else
		table_number(t, m->value(v), m->value == windows_mean ? 3 : 2);
}

static bool metric_is_known(const struct metric *m, const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (!isnan(metric_value(m, &s->v[i])))
			return true;
	return m->always;
}

static void change_cell(struct table *t, const struct metric *m, const struct sources *s)
{
	double before = metric_value(m, &s->v[0]), after = metric_value(m, &s->v[1]);
	char points[64];

	/* A change of a percentage in percent would be misread. */
	if (m->kind != METRIC_PERCENT || isnan(before) || isnan(after)) {
		table_change(t, percent_change(before, after));
		return;
	}
	snprintf(points, sizeof(points), "%+.2f points", after - before);
	table_word(t, points);
}

static void compare_counts(struct report *r, const struct sources *s)
{
	struct table *t = table_new("counts", "");

	if (!t) {
		r->doc.failed = -ENOMEM;
		return;
	}
	table_column(t, "", ALIGN_LEFT);
	for (unsigned int i = 0; i < s->n; i++) {
		char header[48];

		snprintf(header, sizeof(header), "%s%s", s->n < 2 ? "count" : source_label(s, i).s,
			 s->v[i].result.what_if ? " (what-if)" : "");
		table_column(t, header, ALIGN_RIGHT);
	}
	if (s->n == 2)
		table_column(t, "change", ALIGN_RIGHT);
	for (size_t k = 0; k < sizeof(metrics) / sizeof(metrics[0]); k++) {
		if (!metric_is_known(&metrics[k], s))
			continue;
		table_word(t, metrics[k].name);
		for (unsigned int i = 0; i < s->n; i++)
			metric_cell(t, &metrics[k], &s->v[i]);
		if (s->n == 2)
			change_cell(t, &metrics[k], s);
	}
	document_table(&r->doc, t);
}

/* Every different set of assumptions once. */
static void explain_estimates(struct report *r, const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		const struct estimate_result *e = &s->v[i].result.estimate;
		bool said = false;

		for (unsigned int k = 0; k < i; k++)
			said |= s->v[k].result.estimate.known &&
				!strcmp(s->v[k].result.estimate.assumptions, e->assumptions);
		if (e->known && !said)
			document_sentence(&r->doc,
					  "Estimated times are estimates, not measured: %s",
					  e->assumptions);
	}
}

static void explain_counts(struct report *r, const struct sources *s)
{
	bool pages = false, recorded = false;

	for (unsigned int i = 0; i < s->n; i++) {
		pages |= !isnan(count_value(s->v[i].result.readahead.ra_pages));
		recorded |= s->v[i].kind == SOURCE_TRACE;
	}
	document_sentence(&r->doc,
			  "Drains are calls with a window above one page. A window is not the "
			  "number of pages read: holes and cached pages are skipped.");
	if (pages)
		document_sentence(&r->doc,
				  "Readahead pages are pages newly read by readahead, without the "
				  "page that was needed and those already in the swap cache; each "
				  "is a hit at most once, at the first lookup that finds it.");
	if (pages && recorded)
		document_sentence(&r->doc,
				  "swap_ra and swap_ra_hit of /proc/vmstat: n/a (counter missing)");
	explain_estimates(r, s);
}

static uint64_t swapins_of(const struct source *v)
{
	const struct readahead_result *ra = &v->result.readahead;

	if (v->summary)
		return v->summary->swapins;
	if (ra->lookups == COUNT_UNKNOWN || ra->cache_hits > ra->lookups)
		return COUNT_UNKNOWN;
	return ra->lookups - ra->cache_hits;
}

/* Why there is nothing to see; without a summary only silence can be told. */
static void explain_silence(struct report *r, const struct sources *s, unsigned int i)
{
	static const char *const reasons[] = {
		[READAHEAD_ZERO] = "readahead: 0 calls (it was watched, and no swap-in needed it)",
		[READAHEAD_NOT_RECORDED] = "readahead was not recorded: the trace has no probe for "
					   "it; see the probes in "
					   "its header",
		[READAHEAD_FAILED] =
			"readahead: its probe ran but no event arrived; the recording failed",
		[READAHEAD_SILENT] =
			"no readahead events (VMA mode or synchronous swap device? see header)",
	};
	const struct source *v = &s->v[i];
	const struct readahead_result *ra = &v->result.readahead;
	enum no_readahead why = v->summary ? v->summary->why : READAHEAD_SILENT;
	char buf[160];
	const char *prefix = report_prefix(s, i, buf, sizeof(buf));

	if (ra->bypassed && ra->bypassed != COUNT_UNKNOWN) {
		uint64_t swapins = swapins_of(v);

		document_sentence(&r->doc,
				  "%sreadahead: bypassed for %s of %s swap-ins "
				  "(SWP_SYNCHRONOUS_IO)%s",
				  prefix, format_count(ra->bypassed).s, format_count(swapins).s,
				  v->summary && v->summary->bypass_inferred
					  ? "; told from the device's flag"
					  : "");
		return;
	}
	if (ra->windows.n || why == READAHEAD_SEEN || (v->kind == SOURCE_RESULT && ra->known))
		return;
	/* Of an import it is known what it had no use for: that is the reason, and no guess. */
	if (why == READAHEAD_SILENT && v->summary && v->summary->left_out[0])
		document_sentence(&r->doc, "%sno readahead events: %s", prefix,
				  v->summary->left_out);
	else
		document_sentence(&r->doc, "%s%s", prefix, reasons[why]);
}

static void verify_rows(struct table *t, const struct source *v)
{
	const struct verify_result *y = &v->result.verify;
	const struct lru_checked *l = &y->lru;

	table_word(t, v->name);
	table_count(t, y->checked);
	table_count(t, y->agreed);
	table_percent(t, percent_of(y->agreed, y->checked));
	table_percent(t, percent_of(y->windows_agreed, y->windows_checked));
	table_percent(t, percent_of(y->lookups_agreed, y->lookups_checked));
	table_percent(t, percent_of(y->reads_agreed, y->reads_checked));
	table_percent(t, percent_of(y->allocs_agreed, y->allocs_checked));
	table_percent(t, percent_of(l->releases_agreed + l->drains_agreed + l->flushes_agreed,
				    l->releases_checked + l->drains_checked + l->flushes_checked));
	table_count(t, y->explained);
}

static void report_verify(struct report *r, const struct sources *s)
{
	struct table *t = NULL;

	for (unsigned int i = 0; i < s->n; i++) {
		if (!s->v[i].result.verify.done)
			continue;
		if (!t) {
			t = table_new("verify",
				      "decisions of the model against those of the kernel");
			if (!t) {
				r->doc.failed = -ENOMEM;
				return;
			}
			document_heading(&r->doc, "Verify");
			table_column(t, "source", ALIGN_LEFT);
			table_column(t, "checked", ALIGN_RIGHT);
			table_column(t, "agreed", ALIGN_RIGHT);
			table_column(t, "share", ALIGN_RIGHT);
			table_column(t, "windows", ALIGN_RIGHT);
			table_column(t, "lookups", ALIGN_RIGHT);
			table_column(t, "reads", ALIGN_RIGHT);
			table_column(t, "slots", ALIGN_RIGHT);
			table_column(t, "LRU batches", ALIGN_RIGHT);
			table_column(t, "explained", ALIGN_RIGHT);
		}
		verify_rows(t, &s->v[i]);
	}
	if (t)
		document_table(&r->doc, t);
}

static void report_processes(struct report *r, const struct sources *s, unsigned int i)
{
	const struct trace_summary *t = s->v[i].summary;
	struct table *table;
	char name[32], title[200];

	if (!t || !t->nprocesses)
		return;
	snprintf(name, sizeof(name), s->n > 1 ? "processes-%u" : "processes", i + 1);
	snprintf(title, sizeof(title), "%sprocesses that needed most swap entries",
		 s->n > 1 ? source_label(s, i).s : "");
	if (s->n > 1)
		snprintf(title, sizeof(title), "%s: processes that needed most swap entries",
			 s->v[i].name);
	table = table_new(name, title);
	if (!table) {
		r->doc.failed = -ENOMEM;
		return;
	}
	table_column(table, "process", ALIGN_LEFT);
	table_column(table, "needs", ALIGN_RIGHT);
	table_column(table, "share", ALIGN_RIGHT);
	for (unsigned int k = 0; k < t->nprocesses; k++) {
		table_word(table, t->processes[k].comm);
		table_count(table, t->processes[k].lookups);
		table_percent(table, percent_of(t->processes[k].lookups,
						s->v[i].result.readahead.lookups));
	}
	document_table(&r->doc, table);
}

static void report_warnings(struct report *r, const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		warn_loss(r, s, i);
		warn_offsets(r, s, i);
		warn_phases(r, s, i);
	}
	warn_unequal(r, s);
	for (unsigned int i = 0; i < s->n; i++)
		label_source(r, s, i);
}

static bool anybody_needs(const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->v[i].summary && s->v[i].summary->nprocesses)
			return true;
	return false;
}

int report_build(struct report *r, const struct sources *s)
{
	memset(r, 0, sizeof(*r));
	document_heading(&r->doc, "Sources");
	list_sources(r, s);
	report_warnings(r, s);
	document_heading(&r->doc, "Readahead");
	for (unsigned int i = 0; i < s->n; i++)
		explain_silence(r, s, i);
	compare_counts(r, s);
	explain_counts(r, s);
	report_windows(r, s);
	report_time(r, s);
	report_alloc(r, s);
	report_devices(r, s);
	report_lru(r, s);
	report_swapoffs(r, s);
	if (anybody_needs(s))
		document_heading(&r->doc, "Processes");
	for (unsigned int i = 0; i < s->n; i++)
		report_processes(r, s, i);
	report_verify(r, s);
	return r->doc.failed;
}

void report_free(struct report *r)
{
	document_free(&r->doc);
	for (unsigned int i = 0; i < r->nplots; i++)
		plot_free(&r->plots[i]);
	memset(r, 0, sizeof(*r));
}
