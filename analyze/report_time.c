// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "render/format.h"

#define NS 1e9
#define RATE_POINTS 64 /* of a swapoff's rate */
#define RATE_PAGES 10  /* that each of them stands for at least, on average */

/* What one line of a time plot shows of a slice; NaN where there is nothing to show. */
typedef double slice_value(const struct time_slice *s, double seconds);

static double mean_window(const struct time_slice *s, double seconds)
{
	(void)seconds;
	return s->calls ? (double)s->window_pages / (double)s->calls : NAN;
}

static double call_rate(const struct time_slice *s, double seconds)
{
	return (double)s->calls / seconds;
}

static double cache_share(const struct time_slice *s, double seconds)
{
	(void)seconds;
	return percent_of(s->cache_hits, s->lookups);
}

/* Seconds that slice @i lasts; a single one has no neighbour to tell, so its rate is not known. */
static double slice_seconds(const struct replay_result *r, unsigned int i)
{
	if (r->nslices < 2)
		return NAN;
	if (i + 1 == r->nslices)
		i--;
	return (double)(r->slices[i + 1].t_ns - r->slices[i].t_ns) / NS;
}

static bool is_active(const struct time_slice *s)
{
	return s->lookups || s->calls || s->pages_read;
}

/*
 * The part of a time line from the first swap-in to the last: recordings begin at different moments
 * before their workload, so only lines that begin with it can be compared.
 */
struct active_part {
	unsigned int first, n;
};

static struct active_part active_part(const struct replay_result *r)
{
	struct active_part a = { 0, r->nslices };

	while (a.n && !is_active(&r->slices[a.first])) {
		a.first++;
		a.n--;
	}
	while (a.n && !is_active(&r->slices[a.first + a.n - 1]))
		a.n--;
	return a;
}

static struct plot_series *start_line(struct plot_panel *p, const struct source *v,
				      struct active_part a)
{
	const struct time_slice *slices = v->result.slices + a.first;
	struct plot_series *line;
	char title[256];

	snprintf(title, sizeof(title), "%s%s", v->result.what_if ? "what-if: " : "", v->name);
	line = plot_add_series(p, title, a.n);
	for (unsigned int i = 0; line && i < a.n; i++)
		line->points[i].x = (double)(slices[i].t_ns - slices[0].t_ns) / NS;
	return line;
}

static void add_line(struct plot_panel *p, const struct source *v, slice_value *value)
{
	struct active_part a = active_part(&v->result);
	struct plot_series *line = start_line(p, v, a);

	for (unsigned int i = 0; line && i < a.n; i++)
		line->points[i].y = value(&v->result.slices[a.first + i],
					  slice_seconds(&v->result, a.first + i));
}

/*
 * Accuracy so far: hits until now of the pages read ahead until now. A share per slice would
 * compare hits with pages that were read in another slice.
 */
static void add_accuracy(struct plot_panel *p, const struct source *v)
{
	struct active_part a = active_part(&v->result);
	struct plot_series *line = start_line(p, v, a);
	uint64_t hits = 0, pages = 0;

	for (unsigned int i = 0; line && i < a.n; i++) {
		hits += v->result.slices[a.first + i].hits;
		pages += v->result.slices[a.first + i].ra_pages;
		line->points[i].y = percent_of(hits, pages);
	}
}

static bool is_known(uint64_t n)
{
	return n && n != COUNT_UNKNOWN;
}

static void start_plot(struct plot *p, const struct sources *s, const char *title)
{
	snprintf(p->title, sizeof(p->title), "%s", title);
	if (s->n == 1 && s->v[0].facts.release[0])
		snprintf(p->subtitle, sizeof(p->subtitle), "kernel %s", s->v[0].facts.release);
	snprintf(p->xlabel, sizeof(p->xlabel), "time since the first swap-in (s)");
	p->npanels = 2;
}

static void window_over_time(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "window-time" };

	start_plot(&p, s, "Readahead window over time");
	snprintf(p.panels[0].ylabel, sizeof(p.panels[0].ylabel), "mean window (pages)");
	snprintf(p.panels[1].ylabel, sizeof(p.panels[1].ylabel), "readahead calls/s");
	p.panels[1].steps = true;
	for (unsigned int i = 0; i < s->n; i++) {
		if (!s->v[i].result.nslices || !is_known(s->v[i].result.readahead.calls))
			continue;
		add_line(&p.panels[0], &s->v[i], mean_window);
		add_line(&p.panels[1], &s->v[i], call_rate);
	}
	report_add_plot(r, &p, "Readahead window over time: mean window, calls per second");
}

static void accuracy_over_time(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "accuracy-time" };

	start_plot(&p, s, "Readahead accuracy over time");
	snprintf(p.panels[0].ylabel, sizeof(p.panels[0].ylabel), "hits of readahead pages (%%)");
	snprintf(p.panels[1].ylabel, sizeof(p.panels[1].ylabel), "needs found in cache (%%)");
	p.panels[0].percent = p.panels[1].percent = true;
	for (unsigned int i = 0; i < s->n; i++) {
		const struct replay_result *v = &s->v[i].result;

		if (!v->nslices || !is_known(v->readahead.ra_pages))
			continue;
		add_accuracy(&p.panels[0], &s->v[i]);
		add_line(&p.panels[1], &s->v[i], cache_share);
	}
	report_add_plot(r, &p,
			"Readahead accuracy over time: hits so far of the pages read ahead so far, "
			"and needs found in the swap cache");
}

void report_time(struct report *r, const struct sources *s)
{
	bool any = false;

	for (unsigned int i = 0; i < s->n; i++)
		any |= s->v[i].result.nslices && is_known(s->v[i].result.readahead.calls);
	if (!any)
		return;
	document_heading(&r->doc, "Over time");
	window_over_time(r, s);
	accuracy_over_time(r, s);
}

static void swapoff_name(const struct swapoff_result *o, char *buf, size_t size)
{
	if (o->type < 0)
		snprintf(buf, size, "swapoff (device unknown)");
	else
		snprintf(buf, size, "swapoff type %d", o->type);
}

static void describe_swapoff(struct report *r, const char *prefix, const struct swapoff_result *o)
{
	bool ended = o->complete || o->killed;
	uint64_t until = ended ? o->end_ns : o->last_progress_ns;
	uint64_t ns = until > o->begin_ns ? until - o->begin_ns : 0;
	double rate = ns ? (double)o->pages / ((double)ns / NS) : NAN;
	char name[48], how[80] = "incomplete", progress[80] = "";

	swapoff_name(o, name, sizeof(name));
	if (o->complete)
		snprintf(how, sizeof(how), "complete");
	else if (o->killed)
		snprintf(how, sizeof(how), "failed (ret=%" PRId64 "%s)", o->ret,
			 o->ret == -EINTR    ? ", interrupted by a signal"
			 : o->ret == -ENOMEM ? ", out of memory"
					     : "");
	if (!o->complete)
		snprintf(progress, sizeof(progress), ", last progress at %s",
			 format_seconds(o->last_progress_ns).s);
	document_sentence(&r->doc, "%s%s: %s, %s pages in %s (%s pages/s)%s", prefix, name, how,
			  format_count(o->pages).s, format_seconds(ns).s, format_number(rate, 1).s,
			  progress);
	if (o->shmem_pages)
		document_sentence(&r->doc, "%s%s: %s of the pages were shmem", prefix, name,
				  format_count(o->shmem_pages).s);
	if (o->alloc_elsewhere)
		document_sentence(&r->doc,
				  "%s%s: meanwhile %s slots were allocated on other devices: what "
				  "came in from one went out to another",
				  prefix, name, format_count(o->alloc_elsewhere).s);
}

/*
 * Slices joined for the rate: few pages in a short slice would show the edges of the slices and not
 * the swapoff.
 */
static unsigned int joined_slices(const struct swapoff_series *q, uint64_t pages)
{
	uint64_t points = pages / RATE_PAGES;

	if (points > RATE_POINTS)
		points = RATE_POINTS;
	return points > 1 ? (unsigned int)((q->n + points - 1) / points) : q->n;
}

static void fill_rate(struct plot_series *rate, const struct swapoff_series *q, unsigned int join)
{
	double width = (double)q->width_ns / NS;

	for (unsigned int k = 0; k < rate->n; k++) {
		unsigned int n = k * join, end = n + join < q->n ? n + join : q->n;
		double seconds = (end - n) * width;
		uint64_t pages = 0;

		rate->points[k].x = n * width;
		for (; n < end; n++)
			pages += q->pages[n];
		rate->points[k].y = (double)pages / seconds;
	}
}

static void add_progress(struct plot *p, const struct sources *s, unsigned int i, unsigned int k)
{
	const struct swapoff_series *q = &s->v[i].summary->series[k];
	const struct swapoff_result *o = &s->v[i].result.swapoffs[k];
	unsigned int join = joined_slices(q, o->pages);
	double width = (double)q->width_ns / NS;
	struct plot_series *done, *rate;
	uint64_t sum = 0;
	char title[256], name[48];

	swapoff_name(o, name, sizeof(name));
	snprintf(title, sizeof(title), "%s: %s", s->v[i].name, name);
	done = plot_add_series(&p->panels[0], title, q->n + 1);
	rate = plot_add_series(&p->panels[1], title, (q->n + join - 1) / join);
	if (!done || !rate)
		return;
	for (unsigned int n = 0; n < q->n; n++) {
		sum += q->pages[n];
		done->points[n + 1].x = (n + 1) * width;
		done->points[n + 1].y = (double)sum;
	}
	fill_rate(rate, q, join);
}

static void swapoff_plot(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "swapoff" };

	start_plot(&p, s, "Swapoff: progress and rate");
	snprintf(p.xlabel, sizeof(p.xlabel), "time since swapoff began (s)");
	snprintf(p.panels[0].ylabel, sizeof(p.panels[0].ylabel), "pages brought in");
	snprintf(p.panels[1].ylabel, sizeof(p.panels[1].ylabel), "pages/s");
	p.panels[1].steps = true;
	for (unsigned int i = 0; i < s->n; i++)
		for (unsigned int k = 0; s->v[i].summary && k < s->v[i].result.nswapoffs; k++)
			if (s->v[i].result.swapoffs[k].pages)
				add_progress(&p, s, i, k);
	report_add_plot(r, &p, "Swapoff: pages brought in, pages per second");
}

void report_swapoffs(struct report *r, const struct sources *s)
{
	bool any = false;

	for (unsigned int i = 0; i < s->n; i++) {
		const struct source *v = &s->v[i];
		char buf[160];
		const char *prefix = report_prefix(s, i, buf, sizeof(buf));

		for (unsigned int k = 0; k < v->result.nswapoffs; k++) {
			if (!any)
				document_heading(&r->doc, "Swapoff");
			any = true;
			describe_swapoff(r, prefix, &v->result.swapoffs[k]);
		}
		if (v->summary && v->summary->swapoffs_seen > v->result.nswapoffs)
			document_warning(
				&r->doc, "%s%s further swapoffs are not shown", prefix,
				format_count(v->summary->swapoffs_seen - v->result.nswapoffs).s);
	}
	if (any)
		swapoff_plot(r, s);
}
