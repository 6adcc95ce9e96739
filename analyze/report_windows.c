// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/distribution.h"
#include "render/format.h"

#define COLUMNS_MAX 64	  /* histograms side by side */
#define CATEGORIES_MAX 20 /* windows that get bars of their own */

/* A histogram with the name of its column. */
struct column {
	const struct histogram *h;
	char label[64];
	bool what_if;
};

struct columns {
	struct column c[COLUMNS_MAX];
	unsigned int n;
	bool compared; /* two sources, so that a change from one to the other means something */
};

static void add_column(struct columns *all, const struct histogram *h, bool what_if,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void add_column(struct columns *all, const struct histogram *h, bool what_if,
		       const char *fmt, ...)
{
	struct column *c = &all->c[all->n];
	va_list ap;

	if (all->n == COLUMNS_MAX || !h->n)
		return;
	va_start(ap, fmt);
	vsnprintf(c->label, sizeof(c->label), fmt, ap);
	va_end(ap);
	c->h = h;
	c->what_if = what_if;
	all->n++;
}

/*
 * Windows of different settings must not be merged, so a single source is split by phase and mode;
 * of several sources each has one column.
 */
static void choose_columns(const struct sources *s, struct columns *all)
{
	const struct replay_result *r = &s->v[0].result;
	bool both = r->readahead.cluster_windows.n && r->readahead.vma_windows.n;

	all->n = 0;
	for (unsigned int i = 0; i < s->n && s->n > 1; i++)
		add_column(all, &s->v[i].result.readahead.windows, s->v[i].result.what_if, "%s%s",
			   source_label(s, i).s, s->v[i].result.what_if ? " (what-if)" : "");
	all->compared = s->n == 2 && all->n == 2;
	if (s->n > 1)
		return;
	if (phases_differ(r)) {
		for (unsigned int i = 0; i < r->nphases; i++) {
			add_column(all, &r->phases[i].cluster_windows, r->what_if,
				   "phase %u cluster", i + 1);
			add_column(all, &r->phases[i].vma_windows, r->what_if, "phase %u VMA",
				   i + 1);
		}
	} else if (both) {
		add_column(all, &r->readahead.cluster_windows, r->what_if, "cluster");
		add_column(all, &r->readahead.vma_windows, r->what_if, "VMA");
	} else {
		add_column(all, &r->readahead.windows, r->what_if, "%s", "");
	}
}

static void table_columns(struct table *t, const struct columns *all)
{
	table_column(t, "window", ALIGN_RIGHT);
	for (unsigned int i = 0; i < all->n; i++) {
		const char *label = all->c[i].label;
		char text[80];

		snprintf(text, sizeof(text), "%s%scalls", label, *label ? " " : "");
		table_column(t, text, ALIGN_RIGHT);
		table_column(t, "share", ALIGN_RIGHT);
		if (all->n <= 2)
			table_column(t, "cumulative", ALIGN_RIGHT);
	}
	if (all->compared)
		table_column(t, "change of calls", ALIGN_RIGHT);
}

static void table_rows(struct table *t, const struct columns *all, const uint64_t *values, int n)
{
	for (int k = 0; k < n; k++) {
		table_count(t, values[k]);
		for (unsigned int i = 0; i < all->n; i++) {
			const struct histogram *h = all->c[i].h;
			uint64_t total = distribution_of(h).total;
			uint64_t count = distribution_count(h, values[k]);

			table_count(t, count);
			table_percent(t, percent_of(count, total));
			if (all->n <= 2)
				table_percent(t, percent_of(distribution_cumulative(h, values[k]),
							    total));
		}
		if (all->compared)
			table_change(
				t,
				percent_change((double)distribution_count(all->c[0].h, values[k]),
					       (double)distribution_count(all->c[1].h, values[k])));
	}
}

static int all_values(const struct columns *all, uint64_t **values)
{
	const struct histogram *h[COLUMNS_MAX];

	for (unsigned int i = 0; i < all->n; i++)
		h[i] = all->c[i].h;
	return distribution_values(h, all->n, values);
}

static void windows_table(struct report *r, const struct columns *all, const uint64_t *values,
			  int n)
{
	struct table *t = table_new("windows", "readahead windows in pages");

	if (t) {
		table_columns(t, all);
		table_rows(t, all, values, n);
	}
	document_table(&r->doc, t);
}

static void describe_column(struct report *r, const struct column *c)
{
	struct distribution d = distribution_of(c->h);

	document_sentence(
		&r->doc, "%s%s%s calls, mean window %s, median %s, 90 %% up to %s, %s drains",
		c->label, c->label[0] ? ": " : "", format_count(d.total).s,
		format_number(d.mean, 3).s, format_count(distribution_quantile(c->h, 50)).s,
		format_count(distribution_quantile(c->h, 90)).s, format_count(d.drains).s);
}

/* Swapping in one page at a time is the usual answer to "why is nothing busy?". */
static void one_page_reads(struct report *r, const struct sources *s, const struct column *c)
{
	struct distribution d = distribution_of(c->h);
	uint64_t ones = distribution_cumulative(c->h, 1), window = 8;
	uint64_t page_cluster = s->v[0].facts.page_cluster;

	if (!d.total || ones == COUNT_UNKNOWN || percent_of(ones, d.total) < 90)
		return;
	if (s->n == 1 && page_cluster > 0 && page_cluster < 16)
		window = 1ull << page_cluster;
	document_sentence(&r->doc,
			  "%s%s%.4g %% of calls read one page; a window of %" PRIu64
			  " would need %s reads for them if the slots are contiguous (an upper "
			  "bound on the gain)",
			  c->label, c->label[0] ? ": " : "", percent_of(ones, d.total), window,
			  format_count(ones / window + !!(ones % window)).s);
}

static void print_setting(FILE *f, const char *name, int v)
{
	if (v < 0)
		fprintf(f, ", %s unknown", name);
	else
		fprintf(f, ", %s=%d", name, v);
}

static void print_histogram(FILE *f, const char *mode, const struct histogram *h)
{
	if (!h->n)
		return;
	fprintf(f, "; %s {", mode);
	for (unsigned int i = 0; i < h->n; i++)
		fprintf(f, "%s%" PRIu64 ": %" PRIu64, i ? ", " : "", h->bins[i].pages,
			h->bins[i].count);
	fprintf(f, "}, mean window %s", format_number(distribution_of(h).mean, 3).s);
}

static void describe_phases(struct report *r, const struct replay_result *p)
{
	for (unsigned int i = 0; i < p->nphases; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		if (!f) {
			r->doc.failed = -ENOMEM;
			return;
		}
		fprintf(f, "phase %u from %s", i + 1, format_seconds(p->phases[i].t_ns).s);
		print_setting(f, "page_cluster", p->phases[i].page_cluster);
		print_setting(f, "vma_ra", p->phases[i].vma_ra);
		print_histogram(f, "cluster", &p->phases[i].cluster_windows);
		print_histogram(f, "VMA", &p->phases[i].vma_windows);
		if (fclose(f) || !text)
			r->doc.failed = -ENOMEM;
		else
			document_sentence(&r->doc, "%s", text);
		free(text);
	}
}

/* Many different windows share bars: each then stands for the windows up to its power of two. */
static uint64_t category_of(uint64_t pages, bool grouped)
{
	uint64_t up = 1;

	if (!grouped)
		return pages;
	while (up < pages && up < 1ull << 62)
		up *= 2;
	return up;
}

static int make_categories(struct plot *p, const uint64_t *values, int n, bool grouped)
{
	uint64_t last = 0;

	p->categories = calloc((size_t)n + 1, sizeof(*p->categories));
	if (!p->categories)
		return -ENOMEM;
	for (int k = 0; k < n; k++) {
		uint64_t c = category_of(values[k], grouped);

		if (p->ncategories && c == last)
			continue;
		last = c;
		snprintf(p->categories[p->ncategories++], sizeof(*p->categories),
			 grouped && c > 2 ? "to %" PRIu64 : "%" PRIu64, c);
	}
	return 0;
}

static void fill_bars(struct plot_series *bars, const struct histogram *h, const uint64_t *values,
		      int n, bool grouped)
{
	uint64_t total = distribution_of(h).total, last = 0;
	unsigned int at = 0;

	for (int k = 0; k < n; k++) {
		uint64_t c = category_of(values[k], grouped);

		if (k && c != last)
			at++;
		last = c;
		bars->points[at].x = at;
		bars->points[at].y += percent_of(distribution_count(h, values[k]), total);
	}
}

static void windows_plot(struct report *r, const struct sources *s, const struct columns *all,
			 const uint64_t *values, int n)
{
	struct plot p = { .name = "windows", .bars = true, .npanels = 1 };
	bool grouped = n > CATEGORIES_MAX;

	snprintf(p.title, sizeof(p.title), "Readahead windows");
	if (s->n == 1 && s->v[0].facts.release[0])
		snprintf(p.subtitle, sizeof(p.subtitle), "kernel %s", s->v[0].facts.release);
	snprintf(p.xlabel, sizeof(p.xlabel), "window (pages)");
	snprintf(p.panels[0].ylabel, sizeof(p.panels[0].ylabel), "share of calls (%%)");
	p.panels[0].percent = true;
	if (make_categories(&p, values, n, grouped)) {
		r->doc.failed = -ENOMEM;
		return;
	}
	for (unsigned int i = 0; i < all->n && i < PLOT_SERIES; i++) {
		const struct column *c = &all->c[i];
		struct plot_series *bars;
		char title[256];

		snprintf(title, sizeof(title), "%s%s (calls: %s)", c->what_if ? "what-if: " : "",
			 s->n > 1 && all->n == s->n ? s->v[i].name
			 : c->label[0]		    ? c->label
						    : s->v[0].name,
			 format_count(distribution_of(c->h).total).s);
		bars = plot_add_series(&p.panels[0], title, p.ncategories);
		if (bars)
			fill_bars(bars, c->h, values, n, grouped);
	}
	report_add_plot(r, &p, "Readahead windows: share of calls");
}

void report_windows(struct report *r, const struct sources *s)
{
	struct columns *all = malloc(sizeof(*all));
	uint64_t *values = NULL;
	int n;

	if (!all) {
		r->doc.failed = -ENOMEM;
		return;
	}
	choose_columns(s, all);
	n = all_values(all, &values);
	if (n < 0)
		r->doc.failed = n;
	if (n > 0) {
		document_heading(&r->doc, "Windows");
		windows_table(r, all, values, n);
		for (unsigned int i = 0; i < all->n; i++) {
			describe_column(r, &all->c[i]);
			one_page_reads(r, s, &all->c[i]);
		}
		for (unsigned int i = 0; i < s->n; i++)
			if (phases_differ(&s->v[i].result))
				describe_phases(r, &s->v[i].result);
		windows_plot(r, s, all, values, n);
	}
	free(values);
	free(all);
}
