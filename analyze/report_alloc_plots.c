// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/alloc_map_rows.h"
#include "render/format.h"

#define NS 1e9
#define BARS_MAX 64 /* stacked bars in one picture */
#define STEP 4	    /* percent: shades of the map that are told apart */

/* The part of a time line from the first request for slots to the last. */
struct busy_part {
	unsigned int first, end;
};

static bool is_busy(const struct alloc_slice *s)
{
	for (unsigned int o = 0; o < ALLOC_ORDERS; o++)
		if (s->orders[o].swpout || s->orders[o].fallback)
			return true;
	return false;
}

static struct busy_part busy_part(const struct alloc_result *a)
{
	struct busy_part b = { 0, a->nslices };

	while (b.first < b.end && !is_busy(&a->slices[b.first]))
		b.first++;
	while (b.end > b.first && !is_busy(&a->slices[b.end - 1]))
		b.end--;
	return b;
}

static double seconds_between(uint64_t from, uint64_t to)
{
	return to >= from ? (double)(to - from) / NS : -(double)(from - to) / NS;
}

static double slice_end(const struct alloc_result *a, unsigned int i, uint64_t start)
{
	if (i + 1 < a->nslices)
		return seconds_between(start, a->slices[i + 1].t_ns);
	return seconds_between(start, a->slices[i].t_ns) +
	       (i ? seconds_between(a->slices[i - 1].t_ns, a->slices[i].t_ns) : 1);
}

/* Sources with something to show over time, as many as there are panels. */
struct timed {
	unsigned int source[PLOT_PANELS];
	unsigned int n, left_out;
};

static struct timed timed_sources(const struct sources *s, bool modelled)
{
	struct timed t = { .n = 0 };

	for (unsigned int i = 0; i < s->n; i++) {
		const struct alloc_result *a = source_alloc(&s->v[i]);
		struct busy_part b = { 0, 0 };

		if (a && (s->v[i].result.alloc.known || !modelled))
			b = busy_part(a);
		if (b.first == b.end)
			continue;
		if (t.n < PLOT_PANELS)
			t.source[t.n++] = i;
		else
			t.left_out++;
	}
	return t;
}

/* A source's name where room is short, cut at a whole character. */
struct short_name {
	char s[64];
};

static struct short_name short_name(const struct source *v)
{
	struct short_name n;

	escape_text(v->name, strlen(v->name), n.s, sizeof(n.s));
	return n;
}

static void name_panel(struct plot_panel *p, const struct source *v, unsigned int i,
		       const struct sources *s)
{
	char letter[32] = "";

	if (s->n > 1)
		snprintf(letter, sizeof(letter), "%s: ", source_letter(i).s);
	snprintf(p->title, sizeof(p->title), "%s%s%s", letter, v->result.what_if ? "what-if: " : "",
		 short_name(v).s);
}

static void mark_first(struct plot_panel *p, const struct alloc_result *a)
{
	struct busy_part b = busy_part(a);

	if (!a->first.known || b.first == b.end || a->first.t_ns < a->slices[b.first].t_ns)
		return;
	p->event_x = seconds_between(a->slices[b.first].t_ns, a->first.t_ns);
	snprintf(p->event, sizeof(p->event), "first fallback at %.20s (dashed)",
		 format_seconds(a->first.t_ns - a->slices[b.first].t_ns).s);
}

/* Orders that get a line: the large ones somebody asked for, and order 0 where it ever failed. */
static bool order_is_drawn(const struct sources *s, unsigned int order)
{
	for (unsigned int i = 0; i < s->n; i++) {
		const struct alloc_result *a = source_alloc(&s->v[i]);

		if (a && (a->orders[order].fallback || (order && a->orders[order].swpout)))
			return true;
	}
	return false;
}

static void add_share_line(struct plot_panel *p, const struct source *v, unsigned int order,
			   uint64_t page_size)
{
	const struct alloc_result *a = source_alloc(v);
	struct busy_part b = busy_part(a);
	uint64_t start = b.first < b.end ? a->slices[b.first].t_ns : 0;
	struct plot_series *line;
	char title[64];

	snprintf(title, sizeof(title), "order %s", order_name(order, page_size).s);
	line = plot_add_series(p, title, b.end - b.first + 2);
	for (unsigned int i = b.first; line && i < b.end; i++) {
		const struct alloc_count *c = &a->slices[i].orders[order];

		/* A share is of the whole slice: its place is the middle. */
		line->points[i - b.first + 1].x =
			(seconds_between(start, a->slices[i].t_ns) + slice_end(a, i, start)) / 2;
		line->points[i - b.first + 1].y = percent_of(c->fallback, c->swpout + c->fallback);
	}
	if (!line)
		return;
	/* No values at both ends, but all pictures over time have one axis. */
	line->points[0] = (struct plot_point){ 0, NAN };
	line->points[line->n - 1] =
		(struct plot_point){ b.first < b.end ? slice_end(a, b.end - 1, start) : 0, NAN };
}

static void start_alloc_plot(struct plot *p, const struct sources *s, const char *title)
{
	bool one_kernel = s->v[0].facts.release[0];

	for (unsigned int i = 1; i < s->n; i++)
		one_kernel &= !strcmp(s->v[i].facts.release, s->v[0].facts.release);
	snprintf(p->title, sizeof(p->title), "%s", title);
	if (one_kernel)
		snprintf(p->subtitle, sizeof(p->subtitle), "recorded on kernel %s",
			 s->v[0].facts.release);
	snprintf(p->xlabel, sizeof(p->xlabel), "time since the first request for slots (s)");
}

static void fallback_over_time(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "alloc-fallback" };
	struct timed t = timed_sources(s, false);

	start_alloc_plot(&p, s, "Fallback share per order over time");
	p.npanels = t.n;
	for (unsigned int k = 0; k < t.n; k++) {
		const struct source *v = &s->v[t.source[k]];
		struct plot_panel *panel = &p.panels[k];

		name_panel(panel, v, t.source[k], s);
		snprintf(panel->ylabel, sizeof(panel->ylabel), "fallback (%%)");
		panel->percent = panel->marks = true;
		for (unsigned int o = 0; o < ALLOC_ORDERS; o++)
			if (order_is_drawn(s, o))
				add_share_line(panel, v, o, common_page_size(s));
		mark_first(panel, source_alloc(v));
	}
	report_add_plot(r, &p,
			"Fallback share per order over time: of the requests in each slice of "
			"time; a gap: no request. Time counts from the slice of the first one");
	if (t.left_out)
		document_sentence(&r->doc, "%u further sources are not in the pictures over time",
				  t.left_out);
}

/* --- stacked bars ------------------------------------------------------------------------------
 */

/* Layers from below: got slots, fallbacks by reason, fallbacks whose reason nobody knows. */
#define LAYERS (FALLBACK_REASONS + 2)

static uint64_t layer_count(const struct alloc_order *o, unsigned int layer)
{
	uint64_t n = o->fallback;

	if (!layer)
		return o->swpout;
	if (layer <= FALLBACK_REASONS)
		return o->reasons[layer - 1];
	for (int i = 0; i < FALLBACK_REASONS; i++)
		n -= o->reasons[i] < n ? o->reasons[i] : n;
	return n;
}

/* Bars of the picture: those sources by these orders, groups by order. */
struct bars {
	const struct alloc_result *a[BARS_MAX];
	unsigned int letter[BARS_MAX], nsources;
	unsigned int order[ALLOC_ORDERS], norders;
};

static void choose_bars(const struct sources *s, struct bars *b)
{
	memset(b, 0, sizeof(*b));
	for (unsigned int o = 0; o < ALLOC_ORDERS; o++) {
		bool used = false;

		for (unsigned int i = 0; i < s->n; i++) {
			const struct alloc_result *a = source_alloc(&s->v[i]);

			used |= a && (a->orders[o].swpout || a->orders[o].fallback);
		}
		if (used)
			b->order[b->norders++] = o;
	}
	for (unsigned int i = 0; i < s->n && b->norders; i++) {
		if (!source_alloc(&s->v[i]) || (b->nsources + 1) * b->norders > BARS_MAX)
			continue;
		b->letter[b->nsources] = i;
		b->a[b->nsources++] = source_alloc(&s->v[i]);
	}
}

static int name_bars(struct plot *p, const struct bars *b, const struct sources *s)
{
	unsigned int n = b->nsources * b->norders;

	p->categories = calloc(n + 1ul, sizeof(*p->categories));
	p->tops = calloc(n + 1ul, sizeof(*p->tops));
	p->groups = calloc(b->norders + 1ul, sizeof(*p->groups));
	if (!p->categories || !p->tops || !p->groups)
		return -ENOMEM;
	p->ncategories = n;
	p->group = b->nsources;
	for (unsigned int c = 0; c < n; c++) {
		unsigned int order = b->order[c / b->nsources];
		const struct alloc_order *o = &b->a[c % b->nsources]->orders[order];

		if (s->n > 1)
			snprintf(p->categories[c], sizeof(*p->categories), "%.8s",
				 source_letter(b->letter[c % b->nsources]).s);
		snprintf(p->tops[c], sizeof(*p->tops), "n=%.26s",
			 format_count(o->swpout + o->fallback).s);
		snprintf(p->groups[c / b->nsources], sizeof(*p->groups), "%.30s",
			 order_name(order, common_page_size(s)).s);
	}
	return 0;
}

static void add_layer(struct plot *p, const struct bars *b, unsigned int layer)
{
	static const char *const colours[LAYERS] = { "#C3CCD4", "#56B4E9", "#E69F00", "#D55E00",
						     "#CC79A7", "#009E73", "#909090" };
	struct plot_series *bars;
	uint64_t total = 0;
	char title[64] = "swpout";

	for (unsigned int c = 0; c < p->ncategories; c++)
		total += layer_count(&b->a[c % b->nsources]->orders[b->order[c / b->nsources]],
				     layer);
	if (!total)
		return;
	if (layer)
		snprintf(title, sizeof(title), "fallback: %s",
			 layer <= FALLBACK_REASONS
				 ? fallback_reason_name((enum fallback_reason)(layer - 1))
				 : "reason not recorded");
	bars = plot_add_series(&p->panels[0], title, p->ncategories);
	if (!bars)
		return;
	bars->colour = colours[layer];
	for (unsigned int c = 0; c < p->ncategories; c++) {
		const struct alloc_order *o =
			&b->a[c % b->nsources]->orders[b->order[c / b->nsources]];

		bars->points[c].y = percent_of(layer_count(o, layer), o->swpout + o->fallback);
	}
}

/* Which letter is which source, as long as there is room; the list of sources has the rest. */
static void explain_letters(struct plot *p, const struct bars *b, const struct sources *s)
{
	unsigned int i = 0;
	size_t n = 0;

	for (; s->n > 1 && i < b->nsources && n < 80; i++) {
		const struct source *v = &s->v[b->letter[i]];

		n += (size_t)snprintf(p->subtitle + n, sizeof(p->subtitle) - n, "%s%s: %.63s%s",
				      n ? ",  " : "", source_letter(b->letter[i]).s,
				      short_name(v).s, v->result.what_if ? " (what-if)" : "");
	}
	if (n && i < b->nsources)
		snprintf(p->subtitle + n, sizeof(p->subtitle) - n, ", ...");
}

static void order_bars(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "alloc-orders", .bars = true, .stacked = true, .npanels = 1 };
	struct bars b;

	choose_bars(s, &b);
	start_alloc_plot(&p, s, "Requests for swap slots by order");
	snprintf(p.xlabel, sizeof(p.xlabel), " ");
	explain_letters(&p, &b, s);
	snprintf(p.panels[0].ylabel, sizeof(p.panels[0].ylabel), "share of requests (%%)");
	p.panels[0].percent = true;
	if (name_bars(&p, &b, s)) {
		r->doc.failed = -ENOMEM;
		plot_free(&p);
		return;
	}
	for (unsigned int layer = 0; layer < LAYERS; layer++)
		add_layer(&p, &b, layer);
	report_add_plot(r, &p,
			"Requests for swap slots by order: share that got slots, and fallbacks by "
			"reason; n: requests");
}

/* --- cluster occupancy -------------------------------------------------------------------------
 */

/* In steps, of which neither the lowest nor the highest stands for anything but none and all. */
static double shade(uint64_t used, uint64_t slots)
{
	double percent = 100.0 * (double)used / (double)slots;
	double step = STEP * round(percent / STEP);

	if (!used)
		return 0;
	if (used >= slots)
		return 100;
	return step < STEP ? STEP : step > 100 - STEP ? 100 - STEP : step;
}

/* One row over time; slices of one shade are one cell. */
static void add_row(struct plot_panel *p, const struct alloc_result *a, const struct map_rows *rows,
		    unsigned int row)
{
	struct busy_part b = busy_part(a);
	uint64_t start = a->slices[b.first].t_ns;
	struct plot_cell *last = NULL;

	for (unsigned int i = b.first; i < b.end; i++) {
		double value = shade(a->slices[i].used[row], rows->slots[row]);
		double end = slice_end(a, i, start);

		if (last && last->value == value) {
			last->x1 = end;
			continue;
		}
		last = &p->cells[p->ncells++];
		last->x0 = seconds_between(start, a->slices[i].t_ns);
		last->x1 = end;
		last->y0 = (double)rows->start[row];
		last->y1 = (double)rows->start[row + 1];
		last->value = value;
	}
}

static bool add_map(struct plot_panel *p, const struct alloc_result *a, bool *exact)
{
	struct busy_part b = busy_part(a);
	struct map_rows rows;

	if (alloc_map_rows(a, &rows))
		return true;
	*exact &= rows.exact;
	p->cells = calloc((size_t)(b.end - b.first) * ALLOC_ROWS + 1, sizeof(*p->cells));
	if (!p->cells)
		return false;
	for (unsigned int row = 0; row < ALLOC_ROWS; row++)
		if (rows.slots[row])
			add_row(p, a, &rows, row);
	return true;
}

static void occupancy_map(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "alloc-map", .map = true };
	struct timed t = timed_sources(s, true);
	bool exact = true;

	start_alloc_plot(&p, s, "Cluster occupancy");
	snprintf(p.key, sizeof(p.key), "slots in use (%%)");
	p.npanels = t.n;
	for (unsigned int k = 0; k < t.n; k++) {
		const struct alloc_result *a = &s->v[t.source[k]].result.alloc;

		name_panel(&p.panels[k], &s->v[t.source[k]], t.source[k], s);
		snprintf(p.panels[k].ylabel, sizeof(p.panels[k].ylabel), "slot");
		if (!add_map(&p.panels[k], a, &exact))
			r->doc.failed = -ENOMEM;
		mark_first(&p.panels[k], a);
	}
	report_add_plot(
		r, &p,
		"Cluster occupancy: share of the slots in use, by place on the devices (one "
		"above the other) and time");
	if (t.n && !exact)
		document_sentence(&r->doc, "Occupancy is approximate where devices came and went "
					   "or slots are reserved: all parts are taken as equal.");
}

/* --- free runs ---------------------------------------------------------------------------------
 */

static void run_bars(struct plot *p, const struct sources *s, unsigned int low, unsigned int high)
{
	for (unsigned int i = 0; i < s->n; i++) {
		const struct source *v = &s->v[i];
		struct plot_series *bars;
		char title[200];

		if (!v->result.alloc.known)
			continue;
		snprintf(title, sizeof(title), "%s%.128s", v->result.what_if ? "what-if: " : "",
			 v->name);
		bars = plot_add_series(&p->panels[0], title, p->ncategories);
		for (unsigned int b = low; bars && b <= high; b++)
			bars->points[b - low] =
				(struct plot_point){ b - low,
						     (double)v->result.alloc.free_runs[b] };
	}
}

static void free_runs(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "free-runs", .bars = true, .npanels = 1 };
	unsigned int low = ALLOC_RUN_BINS, high = 0;

	for (unsigned int i = 0; i < s->n; i++)
		for (unsigned int b = 0; b < ALLOC_RUN_BINS; b++) {
			if (!s->v[i].result.alloc.free_runs[b])
				continue;
			low = b < low ? b : low;
			high = b > high ? b : high;
		}
	if (low == ALLOC_RUN_BINS)
		return;
	start_alloc_plot(&p, s, "Free runs of slots at the end");
	snprintf(p.xlabel, sizeof(p.xlabel), "length of the run (slots)");
	snprintf(p.panels[0].ylabel, sizeof(p.panels[0].ylabel), "runs");
	p.categories = calloc(high - low + 2ul, sizeof(*p.categories));
	if (!p.categories) {
		r->doc.failed = -ENOMEM;
		return;
	}
	for (unsigned int b = low; b <= high; b++)
		snprintf(p.categories[p.ncategories++], sizeof(*p.categories),
			 b ? "%" PRIu64 "+" : "%" PRIu64, (uint64_t)1 << b);
	run_bars(&p, s, low, high);
	report_add_plot(r, &p,
			"Free runs at the end: how many, by length (8+: 8 slots up to one less "
			"than the next length)");
}

void report_alloc_plots(struct report *r, const struct sources *s)
{
	fallback_over_time(r, s);
	order_bars(r, s);
	occupancy_map(r, s);
	free_runs(r, s);
}
