// SPDX-License-Identifier: GPL-2.0
/* Copies of /proc/vmstat, /proc/swaps and /proc/meminfo, whole or what grep left of them. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/readers.h"

/* ---- /proc/vmstat ---- */

/* nr_ counts pages in a state, but for these. */
static const char *const nr_counters[] = {
	"nr_dirtied",		"nr_written",
	"nr_vmscan_write",	"nr_vmscan_immediate_reclaim",
	"nr_throttled_written", "nr_foll_pin_acquired",
	"nr_foll_pin_released",
};

static const char *const counters[] = {
	"pgpgin",
	"pgpgout",
	"pswpin",
	"pswpout",
	"pgfault",
	"pgmajfault",
	"swap_ra",
	"swap_ra_hit",
	"zswpin",
	"zswpout",
	"zswpwb",
	"swpin_zero",
	"swpout_zero",
	"ksm_swpin_copy",
	"cow_ksm",
	"oom_kill",
	"pgfree",
	"pgactivate",
	"pgdeactivate",
	"pglazyfree",
	"pglazyfreed",
	"pgrefill",
	"pgreuse",
	"slabs_scanned",
	"kswapd_inodesteal",
	"pageoutrun",
	"drop_pagecache",
	"drop_slab",
	"pgrotated",
	"pginodesteal",
	"zone_reclaim_failed",
	"allocstall",
	"balloon_inflate",
	"balloon_deflate",
	"balloon_migrate",
	"unevictable_pgs_culled",
	"unevictable_pgs_scanned",
	"unevictable_pgs_rescued",
	"pgrefill_normal",
	"nr_tlb_remote_flush",
	"nr_tlb_remote_flush_received",
	"nr_tlb_local_flush_all",
	"nr_tlb_local_flush_one",
	"swap_ra_unused",
	"pgscan",
	"pgsteal",
};

static const char *const counter_groups[] = {
	"pgalloc_",  "pgskip_",	   "allocstall_", "pgsteal_",  "pgscan_",
	"pgdemote_", "pgpromote_", "pgmigrate_",  "numa_",     "compact_",
	"htlb_",     "thp_",	   "kswapd_",	  "zswp",      "unevictable_pgs_",
	"balloon_",  "vma_lock_",  "direct_map_", "pgrefill_", "thp_migration_",
};

static bool name_is(const char *name, size_t len, const char *text)
{
	return strlen(text) == len && !memcmp(name, text, len);
}

static bool name_begins(const char *name, size_t len, const char *text)
{
	return len > strlen(text) && !memcmp(name, text, strlen(text));
}

int counter_name_kind(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(nr_counters) / sizeof(nr_counters[0]); i++)
		if (name_is(name, len, nr_counters[i]))
			return READING_COUNTER;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (name_is(name, len, counters[i]))
			return READING_COUNTER;
	if (name_begins(name, len, "nr_") || name_is(name, len, "workingset_nodes"))
		return READING_GAUGE;
	if (name_begins(name, len, "workingset_"))
		return READING_COUNTER;
	for (size_t i = 0; i < sizeof(counter_groups) / sizeof(counter_groups[0]); i++)
		if (name_begins(name, len, counter_groups[i]))
			return READING_COUNTER;
	return -1;
}

/* "pswpin 888"; grep puts the file before it where there are several: "/proc/vmstat:pswpin 888". */
static struct word name_of(const struct text_line *l)
{
	struct word w = l->w[0];
	const char *colon = memrchr(w.s, ':', w.len);

	if (colon && colon + 1 < w.s + w.len && memchr(w.s, '/', (size_t)(colon - w.s))) {
		w.len -= (size_t)(colon + 1 - w.s);
		w.s = colon + 1;
	}
	return w;
}

static bool is_name(const struct word *w)
{
	for (size_t i = 0; i < w->len; i++)
		if (!islower((unsigned char)w->s[i]) && !isdigit((unsigned char)w->s[i]) &&
		    w->s[i] != '_')
			return false;
	return w->len && islower((unsigned char)w->s[0]);
}

static int vmstat_counts(const struct text_line *l)
{
	struct word name = name_of(l);

	return l->n == 2 && isdigit((unsigned char)l->w[1].s[0]) &&
	       counter_name_kind(name.s, name.len) >= 0;
}

int proc_vmstat_probe(const struct pasted *t)
{
	return text_share(t, vmstat_counts, 2);
}

int proc_vmstat_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		     struct error *e)
{
	unsigned int column = readings_new_column(r, "");
	char first[100] = "", name[100];
	struct text_line l = { 0 };

	(void)o;
	while (text_next(t, &l)) {
		struct word w;
		struct quantity q;
		uint64_t v;
		int kind;

		if (!l.n)
			continue;
		w = name_of(&l);
		kind = counter_name_kind(w.s, w.len);
		if (!is_name(&w) || (kind < 0 && (l.n != 2 || !word_count(&l.w[1], &v)))) {
			readings_leave_out(r, &l);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)w.len, w.s);
		if (l.n != 2 || !word_count(&l.w[1], &v))
			return text_bad(t, &l, e, "/proc/vmstat: '%s' has no count behind it",
					name);
		if (!first[0])
			memcpy(first, name, sizeof(first));
		else if (!strcmp(first, name))
			column = readings_new_column(r, "");
		if (readings_find(r, column, name))
			return text_bad(t, &l, e, "/proc/vmstat: '%s' comes twice in one snapshot",
					name);
		q = quantity_of_count(v);
		readings_add(r, column, name, kind < 0 ? READING_COUNTER : (enum reading_kind)kind,
			     &q, l.number);
	}
	return 0;
}

/* ---- /proc/swaps ---- */

static bool is_swaps_title(const struct text_line *l)
{
	return l->n == 5 && word_is(&l->w[0], "Filename") && word_is(&l->w[1], "Type") &&
	       word_is(&l->w[2], "Size") && word_is(&l->w[3], "Used");
}

/* Also the table of swapon -s, which is the same. */
int proc_swaps_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_swaps_title(&l))
			return 95;
	return 0;
}

static bool is_device(const struct text_line *l)
{
	for (unsigned int i = 1; i < l->n; i++)
		if (word_is(&l->w[i], "partition") || word_is(&l->w[i], "file"))
			return true;
	return false;
}

static int take_device(const struct pasted *t, const struct text_line *l, unsigned int column,
		       struct readings *r, struct error *e)
{
	static const char *const titles[] = { "Size", "Used", "Priority" };
	char device[100], name[160];

	if (l->n < 5 ||
	    !(word_is(&l->w[l->n - 4], "partition") || word_is(&l->w[l->n - 4], "file")))
		return text_bad(t, l, e, "/proc/swaps: 5 columns expected, %u found", l->n);
	line_title(l, 0, l->n - 4, device, sizeof(device));
	snprintf(name, sizeof(name), "%s/%s", device, titles[0]);
	if (readings_find(r, column, name))
		return text_bad(t, l, e, "/proc/swaps: %s is listed twice", device);
	for (unsigned int i = 0; i < 3; i++) {
		const struct word *w = &l->w[l->n - 3 + i];
		struct quantity q;

		if (quantity_parse_marked(w->s, w->len, DECIMAL_POINT, &q) != QUANTITY_OK ||
		    q.kind != QUANTITY_PLAIN || q.decimals || (i < 2 && q.sign))
			return text_bad(t, l, e, "/proc/swaps, column %s: '%.*s' is not a number",
					titles[i], (int)(w->len < 40 ? w->len : 40), w->s);
		snprintf(name, sizeof(name), "%s/%s", device, titles[i]);
		if (i < 2)
			q = quantity_of_kb(&q);
		readings_add(r, column, name, READING_GAUGE, &q, l->number);
	}
	return 0;
}

int proc_swaps_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		    struct error *e)
{
	struct text_line l = { 0 };
	unsigned int column = 0;
	bool titled = false;
	int ret = 0;

	(void)o;
	readings_new_column(r, "");
	while (!ret && text_next(t, &l)) {
		if (!l.n)
			continue;
		if (is_swaps_title(&l)) {
			if (titled)
				column = readings_new_column(r, "");
			titled = true;
		} else if (titled && is_device(&l)) {
			ret = take_device(t, &l, column, r, e);
		} else {
			readings_leave_out(r, &l);
		}
	}
	/* After a swapoff of all there is the title only, which says as much. */
	if (!ret && titled && r->n == 1 && !r->c[0].n) {
		struct quantity none = quantity_of_count(0);

		readings_add(r, 0, "devices", READING_GAUGE, &none, l.number);
		readings_note(r, "no swap device is on");
	}
	return ret;
}

/* ---- /proc/meminfo ---- */

static const char *const meminfo_names[] = {
	"MemTotal:",	 "MemFree:",	"MemAvailable:", "Buffers:",	  "Cached:",
	"SwapCached:",	 "Active:",	"Inactive:",	 "SwapTotal:",	  "SwapFree:",
	"Zswap:",	 "Zswapped:",	"Dirty:",	 "Writeback:",	  "AnonPages:",
	"Mapped:",	 "Shmem:",	"Slab:",	 "SReclaimable:", "SUnreclaim:",
	"KReclaimable:", "PageTables:", "Unevictable:",	 "Mlocked:",	  "CommitLimit:",
	"Committed_AS:",
};

static bool is_meminfo(const struct text_line *l)
{
	size_t len = l->n ? l->w[0].len : 0;

	if (len < 3 || l->w[0].s[len - 1] != ':')
		return false;
	for (size_t i = 0; i < sizeof(meminfo_names) / sizeof(meminfo_names[0]); i++)
		if (word_is(&l->w[0], meminfo_names[i]))
			return true;
	return l->n == 3 && word_is(&l->w[2], "kB") && isupper((unsigned char)l->w[0].s[0]);
}

static int meminfo_counts(const struct text_line *l)
{
	return is_meminfo(l) && l->n == 3 && word_is(&l->w[2], "kB");
}

int proc_meminfo_probe(const struct pasted *t)
{
	struct text_line l = { 0 };
	unsigned int known = 0;

	while (text_next(t, &l))
		for (size_t i = 0; i < sizeof(meminfo_names) / sizeof(meminfo_names[0]); i++)
			known += l.n == 3 && word_is(&l.w[0], meminfo_names[i]);
	return known ? text_share(t, meminfo_counts, 1) : 0;
}

int proc_meminfo_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		      struct error *e)
{
	unsigned int column = readings_new_column(r, "");
	char first[64] = "", name[64];
	struct text_line l = { 0 };

	(void)o;
	while (text_next(t, &l)) {
		bool pages = l.n == 2 && word_begins(&l.w[0], "HugePages_");
		struct quantity q;
		uint64_t v;

		if (!l.n)
			continue;
		if (!is_meminfo(&l) && !pages) {
			readings_leave_out(r, &l);
			continue;
		}
		line_title(&l, 0, 1, name, sizeof(name));
		name[strlen(name) - 1] = '\0';
		if (!pages && (l.n != 3 || !word_is(&l.w[2], "kB")))
			return text_bad(t, &l, e, "/proc/meminfo: '%s: NUMBER kB' expected", name);
		if (!word_count(&l.w[1], &v))
			return text_bad(t, &l, e, "/proc/meminfo, %s: '%.*s' is not a number", name,
					(int)(l.w[1].len < 40 ? l.w[1].len : 40), l.w[1].s);
		if (!first[0])
			memcpy(first, name, sizeof(first));
		else if (!strcmp(first, name))
			column = readings_new_column(r, "");
		if (readings_find(r, column, name))
			return text_bad(t, &l, e, "/proc/meminfo: %s comes twice in one snapshot",
					name);
		q = quantity_of_count(v);
		if (!pages)
			q = quantity_of_kb(&q);
		readings_add(r, column, name, READING_GAUGE, &q, l.number);
	}
	return 0;
}
