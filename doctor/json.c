// SPDX-License-Identifier: GPL-2.0
#include "doctor/doctor.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* Exact, or null: JSON readers take no integers above 2^63 - 1. */
static json_t *number(uint64_t v)
{
	return v <= INT64_MAX ? json_integer((json_int_t)v) : json_null();
}

static json_t *known_int(int v)
{
	return v < 0 ? json_null() : json_integer(v);
}

static json_t *known_bool(int v)
{
	return v < 0 ? json_null() : json_boolean(v);
}

/* Foreign bytes as valid UTF-8. */
static json_t *escaped(const char *s)
{
	char text[4 * 256 + 1];

	escape_text(s, strlen(s), text, sizeof(text));
	return json_string(text);
}

static json_t *zram(const struct doctor_device *d)
{
	const struct doctor_zram *z = &d->zram;

	if (!d->is_zram)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "original_kb",
			 number(z->original_kb), "compressed_kb", number(z->compressed_kb),
			 "memory_kb", number(d->memory_kb), "limit_kb", number(z->limit_kb),
			 "same_pages", number(z->same), "incompressible_pages",
			 number(z->incompressible), "backed_pages", number(z->backed),
			 "backed_reads", number(z->backed_reads), "backed_writes",
			 number(z->backed_writes));
}

static json_t *zswap(const struct doctor_facts *f)
{
	const struct doctor_zswap *z = &f->zswap;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "enabled",
			 known_bool(z->enabled), "shrinker", known_bool(z->shrinker),
			 "max_pool_percent", number(z->max_pool_percent), "pool_kb",
			 number(z->pool_kb), "stored_kb", number(z->stored_kb), "zswpin",
			 number(f->counters.zswpin), "zswpout", number(f->counters.zswpout),
			 "zswpwb", number(f->counters.zswpwb));
}

static json_t *device(const struct doctor_facts *f, const struct doctor_device *d)
{
	uint64_t slots;
	bool small = doctor_below_cluster(d->size_kb, f->page_size, f->cluster_slots, &slots);

	return json_pack("{s:o, s:s, s:b, s:o, s:o, s:i, s:o, s:o, s:o, s:b, s:o}", "name",
			 escaped(d->name), "type", d->file ? "file" : "partition", "deleted",
			 d->deleted, "size_kb", number(d->size_kb), "used_kb", number(d->used_kb),
			 "priority", d->priority, "rotational", known_bool(d->rotational),
			 "synchronous", known_bool(d->synchronous), "slots", number(slots),
			 "below_cluster", small, "zram", zram(d));
}

static json_t *devices(const struct doctor_facts *f)
{
	unsigned int order[DOCTOR_DEVICES_MAX];
	json_t *a = json_array();

	doctor_fill_order(&f->swaps, order);
	for (unsigned int i = 0; i < f->swaps.n; i++)
		json_array_append_new(a, device(f, &f->swaps.devices[order[i]]));
	return a;
}

static json_t *readahead(const struct doctor_facts *f)
{
	json_t *mode = f->readahead == RA_KIND_UNKNOWN ? json_null()
		       : f->readahead == RA_KIND_VMA
			       ? json_string("vma")
			       : json_string(readahead_kind_name(f->readahead));

	return json_pack("{s:o, s:s, s:o, s:o, s:i}", "mode", mode, "why", f->why, "page_cluster",
			 known_int(f->page_cluster), "vma_ra", known_bool(f->vma_ra),
			 "bypassing_devices", (int)f->synchronous);
}

static json_t *counters(const struct doctor_counters *c)
{
	double rate = percent_of(c->swap_ra_hit, c->swap_ra);

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "pswpin", number(c->pswpin), "pswpout",
			 number(c->pswpout), "swap_ra", number(c->swap_ra), "swap_ra_hit",
			 number(c->swap_ra_hit), "hit_pct",
			 rate == rate ? json_real(rate) : json_null());
}

static json_t *hook_groups(const struct doctor_hooks *h)
{
	json_t *o = json_object();

	for (int g = 0; h->known && g < DOCTOR_GROUPS; g++) {
		json_t *lost = json_array(), *missing = json_array();

		for (unsigned int i = 0; i < h->groups[g].total - h->groups[g].found; i++)
			json_array_append_new(missing, json_string(h->groups[g].missing[i].name));
		for (unsigned int i = 0; i < h->groups[g].nlost; i++)
			json_array_append_new(lost, json_string(h->groups[g].lost[i]));
		json_object_set_new(o, h->groups[g].name,
				    json_pack("{s:i, s:i, s:b, s:s, s:o, s:o}", "found",
					      (int)h->groups[g].found, "total",
					      (int)h->groups[g].total, "possible",
					      h->groups[g].possible, "tells", h->groups[g].tells,
					      "missing", missing, "lost", lost));
	}
	return o;
}

static json_t *recording(const struct doctor_hooks *h)
{
	return json_pack("{s:b, s:o, s:o, s:o}", "allowed", h->allowed, "denied",
			 h->allowed ? json_null() : escaped(h->denied.text), "btf",
			 h->known ? json_boolean(h->have_btf) : json_null(), "groups",
			 h->known ? hook_groups(h) : json_null());
}

int doctor_json(FILE *out, const struct doctor_facts *f, const struct doctor_hooks *h)
{
	json_t *o = json_pack(
		"{s:s, s:i, s:{s:o, s:o, s:s, s:b}, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, "
		"s:o, s:b, s:b}",
		"swaptrace", "doctor", "version", 1, "kernel", "release", escaped(f->release),
		"machine", escaped(f->machine), "model", f->kernel.name, "exact_model",
		(f->kernel.exact & KERNEL_READAHEAD) != 0, "page_size", number(f->page_size),
		"cluster_slots", number(f->cluster_slots), "devices",
		f->have_swaps ? devices(f) : json_null(), "size_kb",
		number(doctor_swaps_size(&f->swaps)), "used_kb",
		number(doctor_swaps_used(&f->swaps)), "readahead", readahead(f), "procfs",
		f->procfs, "counters", counters(&f->counters), "recording", recording(h), "zswap",
		zswap(f), "equal_priorities", doctor_equal_priorities(&f->swaps),
		"swapoff_loses_accounting", doctor_lost_accounting(f));
	int ret = !o ? -ENOMEM : json_dumpf(o, out, JSON_INDENT(2)) ? -EIO : 0;

	if (!ret)
		fputc('\n', out);
	json_decref(o);
	return ret;
}
