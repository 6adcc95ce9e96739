// SPDX-License-Identifier: GPL-2.0
/* Swap that stays in memory: zswap and zram, and what a release does to swapoff and device order.
 */
#include "doctor/doctor.h"

#include <inttypes.h>
#include <string.h>

#include "common/release.h"

static void line_of(const struct doctor_facts *f, const char *path, char *out, size_t size)
{
	char name[1024];
	FILE *in;

	out[0] = '\0';
	snprintf(name, sizeof(name), "%s%s", f->root, path);
	in = fopen(name, "r");
	if (in && fgets(out, (int)size, in))
		out[strcspn(out, "\n")] = '\0';
	if (in)
		fclose(in);
}

static int yes_or_no(const char *s)
{
	return s[0] == 'Y' || s[0] == 'y' || s[0] == '1' ? 1 : s[0] ? 0 : -1;
}

void doctor_zswap_read(struct doctor_facts *f)
{
	struct doctor_zswap *z = &f->zswap;
	char word[64];

	line_of(f, "/sys/module/zswap/parameters/enabled", word, sizeof(word));
	z->enabled = yes_or_no(word);
	line_of(f, "/sys/module/zswap/parameters/shrinker_enabled", word, sizeof(word));
	z->shrinker = yes_or_no(word);
	line_of(f, "/sys/module/zswap/parameters/max_pool_percent", word, sizeof(word));
	z->max_pool_percent = COUNT_UNKNOWN;
	sscanf(word, "%" SCNu64, &z->max_pool_percent);
	line_of(f, "/sys/module/zswap/parameters/compressor", z->compressor, sizeof(z->compressor));
}

void doctor_zram_read(const struct doctor_facts *f, const char *base, struct doctor_device *d)
{
	struct doctor_zram *z = &d->zram;
	uint64_t original, compressed, used, limit, most, same, compacted;
	char path[512], line[256];
	int n;

	*z = (struct doctor_zram){ COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN,
				   COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN };
	snprintf(path, sizeof(path), "/sys/class/block/%.200s/mm_stat", base);
	line_of(f, path, line, sizeof(line));
	n = sscanf(line,
		   "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &original, &compressed, &used, &limit, &most, &same, &compacted,
		   &z->incompressible);
	if (n >= 3) {
		z->original_kb = original / 1024;
		z->compressed_kb = compressed / 1024;
		d->memory_kb = used / 1024;
	}
	if (n >= 4)
		z->limit_kb = limit / 1024;
	if (n >= 6)
		z->same = same;
	if (n < 8)
		z->incompressible = COUNT_UNKNOWN;
	snprintf(path, sizeof(path), "/sys/class/block/%.200s/bd_stat", base);
	line_of(f, path, line, sizeof(line));
	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &z->backed, &z->backed_reads,
		   &z->backed_writes) != 3)
		z->backed = z->backed_reads = z->backed_writes = COUNT_UNKNOWN;
}

/* ---- text ---- */

static void print_zram(FILE *out, const struct doctor_facts *f)
{
	for (unsigned int i = 0; i < f->swaps.n; i++) {
		const struct doctor_device *d = &f->swaps.devices[i];
		const struct doctor_zram *z = &d->zram;

		if (!d->is_zram || z->original_kb == COUNT_UNKNOWN)
			continue;
		fprintf(out, "  %s: %s kB stored in %s kB of memory", strrchr(d->name, '/') + 1,
			format_count(z->original_kb).s, format_count(d->memory_kb).s);
		if (d->memory_kb && d->memory_kb != COUNT_UNKNOWN)
			fprintf(out, " (%s : 1)",
				format_number((double)z->original_kb / (double)d->memory_kb, 2).s);
		if (z->limit_kb && z->limit_kb != COUNT_UNKNOWN)
			fprintf(out, ", limit %s kB", format_count(z->limit_kb).s);
		if (z->incompressible != COUNT_UNKNOWN)
			fprintf(out, "; %s pages incompressible",
				format_count(z->incompressible).s);
		if (z->same != COUNT_UNKNOWN)
			fprintf(out, ", %s of one value", format_count(z->same).s);
		if (z->backed != COUNT_UNKNOWN && (z->backed || z->backed_writes))
			fprintf(out, "; written back: %s pages, %s read again",
				format_count(z->backed).s, format_count(z->backed_reads).s);
		fprintf(out, "\n");
	}
}

static void print_zswap_traffic(FILE *out, const struct doctor_facts *f)
{
	const struct doctor_counters *c = &f->counters;
	double page = (double)f->page_size;

	if (c->zswpin == COUNT_UNKNOWN || c->zswpout == COUNT_UNKNOWN)
		return;
	fprintf(out, "  through zswap since boot: %s read, %s written (%s and %s pages)",
		doctor_bytes((double)c->zswpin * page).s, doctor_bytes((double)c->zswpout * page).s,
		format_count(c->zswpin).s, format_count(c->zswpout).s);
	if (c->zswpwb != COUNT_UNKNOWN)
		fprintf(out, ", %s pages written back to a device", format_count(c->zswpwb).s);
	fprintf(out, "\n");
	if (c->zswpin || c->zswpout)
		fprintf(out, "  what is read and written above is only the devices' share\n");
}

static void print_zswap(FILE *out, const struct doctor_facts *f)
{
	const struct doctor_zswap *z = &f->zswap;
	bool counted = f->counters.zswpout != COUNT_UNKNOWN && f->counters.zswpout;

	if (z->enabled < 0 && z->pool_kb == COUNT_UNKNOWN && !counted)
		return;
	fprintf(out, "zswap: %s",
		z->enabled < 0 ? "enabled or not is unknown"
		: z->enabled   ? "enabled"
			       : "not enabled");
	if (z->pool_kb != COUNT_UNKNOWN)
		fprintf(out, "; pool %s kB", format_count(z->pool_kb).s);
	if (z->stored_kb != COUNT_UNKNOWN)
		fprintf(out, " holds %s kB", format_count(z->stored_kb).s);
	if (z->max_pool_percent != COUNT_UNKNOWN) {
		fprintf(out, "; limit %s %% of memory", format_count(z->max_pool_percent).s);
		if (f->memory.total_kb != COUNT_UNKNOWN)
			fprintf(out, " (%s kB)",
				format_count(f->memory.total_kb / 100 * z->max_pool_percent).s);
	}
	if (z->compressor[0]) {
		char name[4 * sizeof(z->compressor) + 1];

		escape_text(z->compressor, strlen(z->compressor), name, sizeof(name));
		fprintf(out, "; %s", name);
	}
	if (z->shrinker >= 0)
		fprintf(out, "; shrinker %s", z->shrinker ? "on" : "off");
	fprintf(out, "\n");
	print_zswap_traffic(out, f);
}

void doctor_print_compressed(FILE *out, const struct doctor_facts *f)
{
	print_zram(out, f);
	print_zswap(out, f);
}

/* ---- what releases changed ---- */

bool doctor_release_since(const struct doctor_facts *f, unsigned int major, unsigned int minor)
{
	const struct kernel_release since = { major, minor, 0 };
	struct kernel_release r;

	return kernel_release_parse(&r, f->release) && kernel_release_compare(&r, &since) >= 0;
}

bool doctor_equal_priorities(const struct doctor_swaps *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		for (unsigned int k = 0; k < i; k++)
			if (s->devices[i].priority == s->devices[k].priority)
				return true;
	return false;
}

/*
 * Measured on 4,096 pages swapped out in order, page-cluster 3: reads of a swapoff, by the kernels'
 * own counters and a simulation of their rule. From 6.18 on swapoff no longer tells readahead of
 * its hits, so the window stays at one or two pages.
 */
#define LOST_PAGES 4096.0
#define READS_BEFORE 513.0
#define READS_VMA 2728.0
#define READS_CLUSTER 3066.0

bool doctor_lost_accounting(const struct doctor_facts *f)
{
	return doctor_release_since(f, 6, 18) && !doctor_release_since(f, 7, 4);
}

double doctor_swapoff_reads(const struct doctor_facts *f, uint64_t used_kb, bool before)
{
	double reads = before				 ? READS_BEFORE
		       : f->readahead == RA_KIND_CLUSTER ? READS_CLUSTER
							 : READS_VMA;

	return (double)used_kb * 1024 / (double)f->page_size * reads / LOST_PAGES;
}

void doctor_print_lost_accounting(FILE *out, const struct doctor_facts *f, uint64_t used_kb)
{
	if (!doctor_lost_accounting(f))
		return;
	fprintf(out,
		"swapoff: 6.18 to 7.3 do not count its pages as readahead hits, so its windows "
		"stay at "
		"1 to 2 pages; measured on 4,096 pages in order: swap_ra %s, swap_ra_hit 0, where "
		"6.17 "
		"has 3,583 and 3,583\n",
		f->readahead == RA_KIND_CLUSTER ? "1,024" : "1,368");
	if (used_kb && f->page_cluster != 0)
		fprintf(out,
			"  an estimate for the %s kB in use, were they in order: %s reads instead "
			"of "
			"%s\n",
			format_count(used_kb).s,
			format_number(doctor_swapoff_reads(f, used_kb, false), 0).s,
			format_number(doctor_swapoff_reads(f, used_kb, true), 0).s);
}
