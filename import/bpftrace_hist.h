/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_BPFTRACE_HIST_H
#define SWAPTRACE_IMPORT_BPFTRACE_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/*
 * Histograms as bpftrace prints its maps of hist() and lhist(): a line "@name[key]:", then a line
 * for each bucket, "[8, 16)   1204 |@@@   |". Bounds with K, M, G, T are in units of 1024; buckets
 * that count nothing are left out by bpftrace and are zero.
 */

struct hist_bucket {
	int64_t low, high; /* low <= value < high; INT64_MIN, INT64_MAX: open */
	uint64_t count;
};

struct text_hist {
	char name[96];	       /* "@usecs[get_swap_pages]", harmless text */
	struct hist_bucket *b; /* ascending, without overlap; owned */
	unsigned int n, room;
	uint64_t total;
};

struct text_hists {
	struct text_hist *v;
	unsigned int n;
};

/**
 * hist_text_read - all histograms of @in
 * Lines that belong to no histogram ("Attaching 1 probe...", other maps) are skipped.
 * Returns 0 (free with hist_text_free()); -EBADMSG for a bucket that can not be read or overlaps
 * (the text names the line), counts that add up beyond 64 bits, or no histogram; -ENOMEM.
 */
int hist_text_read(FILE *in, const char *name, struct text_hists *out, struct error *e);
/** hist_text_free - free all histograms; what is all zeros is allowed */
void hist_text_free(struct text_hists *out);

/** hist_text_recognise - whether the beginning of a file has a bucket line */
bool hist_text_recognise(const char *head, size_t len);

/**
 * hist_text_quantile - the bucket that holds the value of rank total - floor(total / @tail)
 * @tail: 2 for the median, 10 for p90, 100 for p99, 1000 for p99.9; UINT64_MAX for the largest
 * NULL when nothing was counted.
 */
const struct hist_bucket *hist_text_quantile(const struct text_hist *h, uint64_t tail);

/** hist_text_count - what @h counts in the bucket that begins with @low, 0 where it has none */
uint64_t hist_text_count(const struct text_hist *h, int64_t low);

/**
 * hist_text_axis - the buckets of all @n histograms (NULL ones are skipped), gaps filled
 * A gap above zero is filled with buckets that double, as hist() has them, when they fit; with
 * buckets of the width of the one before when those do; else with one. Counts are 0.
 * Returns how many, *@axis owned by the caller; -ENOMEM.
 */
int hist_text_axis(const struct text_hist *const *h, unsigned int n, struct hist_bucket **axis);

struct hist_label {
	char s[64];
};

/** hist_bucket_label - "[1K, 2K)", "[256, ...)" */
struct hist_label hist_bucket_label(const struct hist_bucket *b);

#endif
