// SPDX-License-Identifier: GPL-2.0
#include "analyze/report_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NS 1e9

static const struct device_use_result *source_devices(const struct source *v)
{
	return v->summary && v->summary->devices.known ? &v->summary->devices : NULL;
}

static uint64_t all_swapins(const struct device_use_result *u)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < u->n; i++)
		n += u->device[i].swapins;
	return n;
}

/* The range of ages that the median lies in, as bins are no finer. */
static void median_cell(struct table *t, const struct device_use *d)
{
	uint64_t seen = 0;
	char text[120];
	unsigned int i;

	if (!d->aged) {
		table_word(t, "n/a");
		return;
	}
	for (i = 0; i < DEVICE_AGES - 1; i++) {
		seen += d->ages[i];
		if (2 * seen >= d->aged)
			break;
	}
	if (i == DEVICE_AGES - 1)
		snprintf(text, sizeof(text), "above %s", format_seconds((1000000ull << i) / 2).s);
	else
		snprintf(text, sizeof(text), "%s to %s",
			 format_seconds(i ? (1000000ull << i) / 2 : 0).s,
			 format_seconds(1000000ull << i).s);
	table_word(t, text);
}

static const char *device_name(const struct source *v, const struct device_use *d)
{
	for (unsigned int i = 0; i < v->facts.ndevices; i++)
		if (v->facts.devices[i].type == d->type && v->facts.devices[i].name[0])
			return v->facts.devices[i].name;
	return "-";
}

static void device_row(struct table *t, const struct sources *s, unsigned int i,
		       const struct device_use *d, uint64_t swapins)
{
	const struct source *v = &s->v[i];
	char text[192];

	snprintf(text, sizeof(text), "%s%s%s", s->n > 1 ? source_letter(i).s : "",
		 s->n > 1 ? " " : "", v->name);
	table_word(t, text);
	snprintf(text, sizeof(text), "%" PRIu32, d->type);
	table_word(t, text);
	table_word(t, device_name(v, d));
	table_number(t, d->have_prio ? d->prio : NAN, 0);
	table_count(t, d->slots);
	table_count(t, d->given);
	table_count(t, d->used);
	table_percent(t, percent_of(d->peak, d->slots));
	table_count(t, d->swapins);
	table_percent(t, percent_of(d->swapins, swapins));
	table_number(t, d->aged ? (double)d->age_ms / 1000.0 / (double)d->aged : NAN, 3);
	median_cell(t, d);
}

static void devices_table(struct report *r, const struct sources *s)
{
	static const char *const headers[] = { "prio",	"slots",	"given",
					       "used",	"peak",		"swap-ins",
					       "share", "mean age (s)", "median age" };
	struct table *t =
		table_new("device-use",
			  "slots given, used at the end, and swap-ins without those of swapoff");

	if (!t) {
		r->doc.failed = -ENOMEM;
		return;
	}
	table_column(t, "source", ALIGN_LEFT);
	table_column(t, "device", ALIGN_LEFT);
	table_column(t, "name", ALIGN_LEFT);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		table_column(t, headers[i], ALIGN_RIGHT);
	for (unsigned int i = 0; i < s->n; i++) {
		const struct device_use_result *u = source_devices(&s->v[i]);

		for (unsigned int k = 0; u && k < u->n; k++)
			device_row(t, s, i, &u->device[k], all_swapins(u));
	}
	document_table(&r->doc, t);
}

/* Is the fast device wasted on pages that nobody needs, while needed ones come from the slow one?
 */
static void say_inversion(struct report *r, const struct sources *s, unsigned int i)
{
	const struct device_use_result *u = source_devices(&s->v[i]);
	char buf[160], times[80] = "";
	const char *prefix = report_prefix(s, i, buf, sizeof(buf));

	if (!u || !u->tiers)
		return;
	if (u->full_from_ns == COUNT_UNKNOWN) {
		document_sentence(&r->doc,
				  "%sinversion index: n/a, the fast device (that of the highest "
				  "priority) was never seen full",
				  prefix);
	} else {
		if (u->full_times > 1)
			snprintf(times, sizeof(times), " (%s times)",
				 format_count(u->full_times).s);
		document_sentence(
			&r->doc,
			"%sinversion index: %s; the fast device (that of the highest priority) is "
			"full from %s on%s, and of %s swap-ins meanwhile %s came from a slower one",
			prefix, format_percent(percent_of(u->slower_full, u->swapins_full)).s,
			format_seconds(u->full_from_ns).s, times, format_count(u->swapins_full).s,
			format_count(u->slower_full).s);
	}
	document_sentence(&r->doc, "%swhole trace: %s, %s of %s swap-ins came from a slower device",
			  prefix, format_percent(percent_of(u->slower, u->swapins)).s,
			  format_count(u->slower).s, format_count(u->swapins).s);
}

static void say_missing(struct report *r, const struct sources *s, unsigned int i)
{
	const struct device_use_result *u = source_devices(&s->v[i]);
	char buf[160];

	if (u && !u->freed)
		document_sentence(
			&r->doc,
			"%sthe trace has no FREE events: slots count as used until its end",
			report_prefix(s, i, buf, sizeof(buf)));
}

/* Swap-ins per second, and the share of its slots that is used, of one device. */
static void add_device(struct plot *p, const struct sources *s, unsigned int i, unsigned int k)
{
	const struct device_use_result *u = source_devices(&s->v[i]);
	const struct device_use *d = &u->device[k];
	double width = (double)(u->slices[1].t_ns - u->slices[0].t_ns) / NS;
	struct plot_series *rate, *fill;
	char title[256];

	snprintf(title, sizeof(title), "%s%sdevice %" PRIu32 " (priority %" PRId32 ")",
		 s->n > 1 ? s->v[i].name : "", s->n > 1 ? ": " : "", d->type, d->prio);
	rate = plot_add_series(&p->panels[0], title, u->nslices);
	fill = plot_add_series(&p->panels[1], title, u->nslices);
	for (unsigned int n = 0; rate && fill && n < u->nslices; n++) {
		rate->points[n].x = fill->points[n].x = n * width;
		rate->points[n].y = (double)u->slices[n].swapins[d->type] / width;
		fill->points[n].y = d->used == COUNT_UNKNOWN
					    ? NAN
					    : percent_of(u->slices[n].used[d->type], d->slots);
	}
}

static void devices_plot(struct report *r, const struct sources *s)
{
	struct plot p = { .name = "devices", .npanels = 2 };

	snprintf(p.title, sizeof(p.title), "Swap devices over time");
	snprintf(p.xlabel, sizeof(p.xlabel), "time since the first use of a device (s)");
	snprintf(p.panels[0].ylabel, sizeof(p.panels[0].ylabel), "swap-ins/s");
	snprintf(p.panels[1].ylabel, sizeof(p.panels[1].ylabel), "slots used (%%)");
	p.panels[0].steps = p.panels[1].steps = true;
	p.panels[1].percent = true;
	for (unsigned int i = 0; i < s->n; i++) {
		const struct device_use_result *u = source_devices(&s->v[i]);

		if (!u || u->nslices < 2)
			continue;
		for (unsigned int k = 0; k < u->n; k++)
			add_device(&p, s, i, k);
		if (s->n > 1 || !u->tiers || u->full_from_ns == COUNT_UNKNOWN)
			continue;
		for (unsigned int k = 0; k < 2; k++) {
			snprintf(p.panels[k].event, sizeof(p.panels[k].event),
				 "the fast device is full");
			p.panels[k].event_x = (double)(u->full_from_ns - u->slices[0].t_ns) / NS;
		}
	}
	report_add_plot(r, &p, "Swap devices: swap-ins per second, share of the slots in use");
}

void report_devices(struct report *r, const struct sources *s)
{
	bool any = false;

	for (unsigned int i = 0; i < s->n; i++)
		any |= source_devices(&s->v[i]) != NULL;
	if (!any)
		return;
	document_heading(&r->doc, "Swap devices");
	devices_table(r, s);
	for (unsigned int i = 0; i < s->n; i++) {
		say_missing(r, s, i);
		say_inversion(r, s, i);
	}
	devices_plot(r, s);
}
