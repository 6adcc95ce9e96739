// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_allocator_test.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "analyze/report_parts.h"
#include "render/format.h"

static void add_table(struct report *r, const struct tsat *run, unsigned int i, unsigned int n)
{
	struct table *t;
	char name[32];

	snprintf(name, sizeof(name), n > 1 ? "iterations-%u" : "iterations", i + 1);
	t = table_new(name, run->name);
	if (!t) {
		r->doc.failed = -ENOMEM;
		return;
	}
	table_column(t, "iteration", ALIGN_RIGHT);
	table_column(t, "swpout", ALIGN_RIGHT);
	table_column(t, "fallback", ALIGN_RIGHT);
	table_column(t, "fallback share", ALIGN_RIGHT);
	for (unsigned int k = 0; k < run->n; k++) {
		table_count(t, run->v[k].number);
		table_count(t, run->v[k].swpout);
		table_count(t, run->v[k].fallback);
		table_percent(t, tsat_share(&run->v[k]));
	}
	document_table(&r->doc, t);
}

static void add_findings(struct report *r, const struct tsat *run, double threshold)
{
	const struct tsat_iteration *first = tsat_first_above(run, threshold);
	unsigned int empty = 0;

	for (unsigned int k = 0; k < run->n; k++)
		empty += isnan(tsat_share(&run->v[k]));
	if (first)
		document_sentence(&r->doc, "%s: first iteration above %g %%: %" PRIu64 " (%s)",
				  run->name, threshold, first->number,
				  format_percent(tsat_share(first)).s);
	else
		document_sentence(&r->doc, "%s: no iteration above %g %%", run->name, threshold);
	if (empty)
		document_sentence(&r->doc,
				  "%s: %u of %u iterations swapped nothing out; they have no share",
				  run->name, empty, run->n);
	if (run->wrong)
		document_warning(&r->doc,
				 "%s: %u stated percentages are not those of their counts, which "
				 "are used here",
				 run->name, run->wrong);
	if (run->ignored)
		document_warning(&r->doc,
				 "%s: %" PRIu64 " lines are not iterations; the first is line "
				 "%" PRIu64,
				 run->name, run->ignored, run->first_ignored);
}

static void add_plot(struct report *r, const struct tsat *runs, unsigned int n)
{
	struct plot p = { .name = "fallback", .npanels = 1 };
	struct plot_panel *panel = &p.panels[0];

	snprintf(p.title, sizeof(p.title), "Share of mTHP swap-outs that fell back");
	snprintf(p.xlabel, sizeof(p.xlabel), "iteration");
	snprintf(panel->ylabel, sizeof(panel->ylabel), "fallback, %%");
	panel->percent = true;
	panel->marks = true;
	for (unsigned int i = 0; i < n && i < PLOT_SERIES; i++) {
		struct plot_series *s = plot_add_series(panel, runs[i].name, runs[i].n);

		if (!s) {
			r->doc.failed = -ENOMEM;
			break;
		}
		for (unsigned int k = 0; k < runs[i].n; k++) {
			s->points[k].x = (double)runs[i].v[k].number;
			s->points[k].y = tsat_share(&runs[i].v[k]);
		}
	}
	report_add_plot(r, &p, "Share of mTHP swap-outs that fell back, by iteration");
}

static json_t *run_json(const struct tsat *run, double threshold)
{
	const struct tsat_iteration *first = tsat_first_above(run, threshold);
	json_t *all = json_array();

	for (unsigned int k = 0; k < run->n; k++) {
		const struct tsat_iteration *i = &run->v[k];
		double share = tsat_share(i);

		json_array_append_new(
			all, json_pack("{s:I, s:I, s:I, s:o}", "iteration", (json_int_t)i->number,
				       "swpout", (json_int_t)i->swpout, "fallback",
				       (json_int_t)i->fallback, "fallback_pct",
				       isnan(share) ? json_null() : json_real(share)));
	}
	return json_pack("{s:s, s:o, s:o}", "name", run->name, "first_above",
			 first ? json_integer((json_int_t)first->number) : json_null(),
			 "iterations", all);
}

static int tsat_json(const struct report *r, FILE *f)
{
	const struct tsat *runs = r->about;
	double threshold = r->threshold;
	unsigned int n = r->nabout;
	json_t *list = json_array(), *o;
	int ret = 0;

	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(list, run_json(&runs[i], threshold));
	o = json_pack("{s:s, s:i, s:f, s:o}", "swaptrace", "iterations", "version", 1, "threshold",
		      threshold, "runs", list);
	if (!o || json_array_size(list) != n)
		ret = -ENOMEM;
	else if (json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ||
		 fputc('\n', f) == EOF)
		ret = -EIO;
	json_decref(o);
	return ret;
}

int tsat_report(struct report *r, const struct tsat *runs, unsigned int n, double threshold)
{
	memset(r, 0, sizeof(*r));
	r->json = tsat_json;
	r->about = runs;
	r->nabout = n;
	r->threshold = threshold;
	document_heading(&r->doc, "Iterations of thp_swap_allocator_test");
	for (unsigned int i = 0; i < n; i++)
		add_findings(r, &runs[i], threshold);
	for (unsigned int i = 0; i < n; i++)
		add_table(r, &runs[i], i, n);
	add_plot(r, runs, n);
	return r->doc.failed;
}
