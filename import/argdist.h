/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_ARGDIST_H
#define SWAPTRACE_IMPORT_ARGDIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "common/error.h"
#include "common/histogram.h"

/*
 * The table of bcc's argdist in frequency mode (-C), which is how swap readahead windows have been
 * published so far: a line [HH:MM:SS], the probe, a header, then one row a value, ascending by
 * count. argdist sorts stably over the order of a kernel hash table, so the order of rows with
 * equal counts is arbitrary there; here they ascend by value.
 */

/* The probe whose table is imitated. */
#define ARGDIST_PROBE "r::swapin_nr_pages(unsigned long offset):unsigned long:$retval"

/**
 * argdist_write - the table of @h as argdist prints it
 * @label: what stands above the header: the probe, or a label
 * @when: wall-clock time for the [HH:MM:SS] line (local time as argdist does), NULL: no such line
 * Returns 0 or -ENOMEM; errors of @f are left in @f.
 */
int argdist_write(FILE *f, const struct histogram *h, const char *label, const time_t *when);

/* What argdist_read() met besides the counts. */
struct argdist_notes {
	unsigned int tables; /* snapshots in the text: one per COUNT header, at least 1 */
	bool cumulative;     /* several, each including the one before (-c): the last one counts */
	bool rounded;	     /* counts with K, M or G: rounded by whoever wrote them */
	uint64_t ignored;    /* lines that are neither rows nor headers */
	uint64_t first_ignored; /* number of the first of them */
};

/**
 * argdist_read - counts from pasted argdist output
 * @name: what to call the input in messages
 * @h: empty; filled. The caller frees it with histogram_free() whatever is returned.
 * A COUNT may have thousands separators ("12,345") or a decimal K/M/G suffix ("9.0K" is 9000). A
 * comma that can not be a thousands separator is refused, not guessed. Several tables are added up
 * unless no count ever decreases from one to the next; then they are cumulative and the last one
 * counts. Returns 0; -EBADMSG for a row that can not be read (the text names its line) or no row at
 * all.
 */
int argdist_read(FILE *in, const char *name, struct histogram *h, struct argdist_notes *notes,
		 struct error *e);

/** argdist_recognise - whether the beginning of a file looks like argdist output */
bool argdist_recognise(const char *head, size_t len);

#endif
