// SPDX-License-Identifier: GPL-2.0
#include "doctor/doctor.h"

#include <math.h>
#include <string.h>

#include "render/table.h"

static const char *yes_no(int v)
{
	return v < 0 ? "unknown" : v ? "yes" : "no";
}

static const char *clean_name(const struct doctor_device *d, char *out, size_t size)
{
	size_t len = escape_text(d->name, strlen(d->name), out, size);

	if (d->deleted && len < size)
		snprintf(out + len, size - len, " (deleted)");
	return out;
}

static void print_kernel(FILE *out, const struct doctor_facts *f)
{
	char release[4 * sizeof(f->release) + 1];

	escape_text(f->release, strlen(f->release), release, sizeof(release));
	fprintf(out, "kernel: %s (%s); model %s%s\n", release, f->machine, f->kernel.name,
		f->kernel.exact & KERNEL_READAHEAD
			? ""
			: ", the nearest: none is exact for this release");
	/* The hits of the heuristic came with 3.14. */
	if (doctor_release_since(f, 1, 0) && !doctor_release_since(f, 3, 14))
		fprintf(out,
			"  this kernel reads 2^page-cluster pages each time; the model's windows, "
			"which follow hits, are of 3.14 and later\n");
}

static void add_device(struct table *t, const struct doctor_device *d)
{
	char name[4 * sizeof(d->name) + 16];

	table_word(t, clean_name(d, name, sizeof(name)));
	table_word(t, d->file ? "file" : "partition");
	snprintf(name, sizeof(name), "%d", d->priority);
	table_word(t, name);
	table_count(t, d->size_kb);
	table_count(t, d->used_kb);
	table_word(t, yes_no(d->rotational));
	table_word(t, yes_no(d->synchronous));
}

static void print_devices(FILE *out, const struct doctor_facts *f)
{
	static const char *const headers[] = { "priority", "size kB", "used kB", "rotational",
					       "synchronous" };
	const struct doctor_swaps *s = &f->swaps;
	unsigned int order[DOCTOR_DEVICES_MAX];
	struct table *t;

	fprintf(out, "swap: %u device%s, %s kB in all, %s kB used%s\n", s->n, s->n == 1 ? "" : "s",
		format_count(doctor_swaps_size(s)).s, format_count(doctor_swaps_used(s)).s,
		s->n > 1 ? "; in the order in which they are filled:" : "");
	t = table_new("devices", "");
	if (!t)
		return;
	table_column(t, "device", ALIGN_LEFT);
	table_column(t, "type", ALIGN_LEFT);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		table_column(t, headers[i], ALIGN_RIGHT);
	doctor_fill_order(s, order);
	for (unsigned int i = 0; i < s->n; i++)
		add_device(t, &s->devices[order[i]]);
	table_text(t, out);
	table_free(t);
}

static void print_small_devices(FILE *out, const struct doctor_facts *f)
{
	for (unsigned int i = 0; i < f->swaps.n; i++) {
		const struct doctor_device *d = &f->swaps.devices[i];
		char name[4 * sizeof(d->name) + 16];
		uint64_t slots;

		if (!doctor_below_cluster(d->size_kb, f->page_size, f->cluster_slots, &slots))
			continue;
		fprintf(out,
			"  %s: device smaller than one cluster: PMD order can never succeed (%s "
			"slots, a cluster has %s)\n",
			clean_name(d, name, sizeof(name)), format_count(slots).s,
			format_count(f->cluster_slots).s);
	}
}

/* Devices of one priority are no order. */
static void print_turns(FILE *out, const struct doctor_facts *f)
{
	if (f->swaps.n < 2)
		return;
	if (doctor_equal_priorities(&f->swaps))
		fprintf(out, "  devices of equal priority take turns, a cluster at a time%s\n",
			doctor_release_since(f, 6, 19)
				? "; from 6.19 on all that were switched on without a priority "
				  "are equal"
				: "");
}

static void print_no_swap(FILE *out, const struct doctor_facts *f)
{
	const struct doctor_counters *c = &f->counters;

	if (!f->have_swaps)
		fprintf(out, "swap: this kernel has no /proc/swaps (built without CONFIG_SWAP)\n");
	else if (c->pswpin == COUNT_UNKNOWN || c->pswpout == COUNT_UNKNOWN)
		fprintf(out, "swap traffic: unknown, the kernel does not count it; no swap "
			     "configured\n");
	else if (!c->pswpin && !c->pswpout)
		fprintf(out, "swap traffic: 0 pages; no swap configured\n");
	else
		fprintf(out,
			"swap traffic: %s pages read, %s written since boot; no swap configured "
			"now\n",
			format_count(c->pswpin).s, format_count(c->pswpout).s);
}

static void print_readahead(FILE *out, const struct doctor_facts *f)
{
	unsigned int order = f->page_cluster < 0 ? 0 : (unsigned int)f->page_cluster;
	struct text cluster = format_count(f->page_cluster < 0 ? COUNT_UNKNOWN : order);

	if (f->readahead == RA_KIND_VMA && order > 5)
		order = 5;
	fprintf(out, "readahead: %s (%s); page-cluster %s", readahead_kind_name(f->readahead),
		f->why, cluster.s);
	if (f->page_cluster > 0 && order < 32)
		fprintf(out, ", windows up to %s pages", format_count(UINT64_C(1) << order).s);
	fprintf(out, "; vma_ra_enabled %s\n",
		f->vma_ra < 0 ? "unknown"
		: f->vma_ra   ? "true"
			      : "false");
	if (f->synchronous)
		fprintf(out,
			"  bypassed: %u device%s synchronous; entries that only one page table "
			"refers to are read one by one, around swap cache and readahead, and no "
			"setting changes that; swapoff and shared entries still read ahead\n",
			f->synchronous, f->synchronous == 1 ? " is" : "s are");
}

/* Case 21: whether the device is doing anything. */
static void print_traffic(FILE *out, const struct doctor_facts *f)
{
	const struct doctor_counters *c = &f->counters;
	double page = (double)f->page_size;

	if (c->pswpin == COUNT_UNKNOWN || c->pswpout == COUNT_UNKNOWN)
		fprintf(out, "used: unknown, the kernel does not count pswpin and pswpout");
	else
		fprintf(out, "used: %s read, %s written since boot at %s KiB pages",
			doctor_bytes((double)c->pswpin * page).s,
			doctor_bytes((double)c->pswpout * page).s,
			format_count(f->page_size / 1024).s);
	fprintf(out, ", %s kB resident now", format_count(doctor_swaps_used(&f->swaps)).s);
	if (f->synchronous && f->synchronous == f->swaps.n)
		fprintf(out, "; readahead not applicable to %s",
			f->swaps.n == 1 ? "this device" : "these devices");
	fprintf(out, "\n");
}

static void print_counters(FILE *out, const struct doctor_facts *f)
{
	const struct doctor_counters *c = &f->counters;

	fprintf(out, "since boot: swap_ra %s, swap_ra_hit %s, hit rate %s\n",
		format_count(c->swap_ra).s, format_count(c->swap_ra_hit).s,
		format_percent(c->swap_ra_hit > c->swap_ra ? NAN
							   : percent_of(c->swap_ra_hit, c->swap_ra))
			.s);
	if (c->swap_ra != COUNT_UNKNOWN && c->swap_ra_hit != COUNT_UNKNOWN &&
	    c->swap_ra_hit > c->swap_ra)
		fprintf(out, "  more hits than pages read ahead contradict each other: no rate\n");
	if (c->swap_ra == COUNT_UNKNOWN)
		fprintf(out, "  this kernel does not count what it reads ahead\n");
}

static void print_missing(FILE *out, const struct doctor_hooks *h, int g)
{
	unsigned int n = h->groups[g].total - h->groups[g].found;

	for (unsigned int i = 0; i < n; i++) {
		const char *instead = h->groups[g].missing[i].instead;

		fprintf(out, "%s%s%s%s%s",
			i ? ", " : "         missing: ", h->groups[g].missing[i].name,
			instead ? " (instead: " : "", instead ? instead : "", instead ? ")" : "");
	}
	if (n)
		fprintf(out, "\n");
}

static void print_groups(FILE *out, const struct doctor_hooks *h)
{
	for (int g = 0; g < DOCTOR_GROUPS; g++) {
		fprintf(out, "  %-6s %u of %u hooks%s\n", h->groups[g].name, h->groups[g].found,
			h->groups[g].total,
			h->groups[g].possible ? ""
					      : "; cannot be recorded, a function it needs is not "
						"there");
		if (h->groups[g].possible)
			fprintf(out, "         a report will tell: %s\n", h->groups[g].tells);
		print_missing(out, h, g);
		for (unsigned int i = 0; h->groups[g].possible && i < h->groups[g].nlost; i++)
			fprintf(out, "         not known: %s\n", h->groups[g].lost[i]);
	}
}

static void print_hooks(FILE *out, const struct doctor_facts *f, const struct doctor_hooks *h)
{
	if (h->allowed)
		fprintf(out, "recording: possible as far as can be seen without loading anything");
	else
		fprintf(out, "recording: not possible here: %s", h->denied.text);
	if (!h->known) {
		fprintf(out, "\n  hooks: unknown, %s\n", h->why.text);
		return;
	}
	fprintf(out, "\n  %s\n",
		h->have_btf ? "BTF is there: fentry and fexit are possible"
			    : "no BTF: kprobes only");
	print_groups(out, h);
	if (f->synchronous)
		fprintf(out, "  swap-ins that go around readahead show as LOOKUP bypass=1, without "
			     "a window\n");
}

void doctor_print(FILE *out, const struct doctor_facts *f, const struct doctor_hooks *h)
{
	print_kernel(out, f);
	if (f->swaps.n) {
		print_devices(out, f);
		print_small_devices(out, f);
		print_turns(out, f);
		print_traffic(out, f);
		doctor_print_compressed(out, f);
	} else {
		print_no_swap(out, f);
	}
	print_readahead(out, f);
	print_counters(out, f);
	doctor_print_lost_accounting(out, f, doctor_swaps_used(&f->swaps));
	print_hooks(out, f, h);
}
