/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_SWAP_ALLOCATOR_TEST_H
#define SWAPTRACE_IMPORT_SWAP_ALLOCATOR_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/*
 * Output of the kernel's thp_swap_allocator_test: a line for each iteration with how many mTHP were
 * swapped out whole, how many fell back, and the share of the latter, which is computed again here.
 */

struct tsat_iteration {
	uint64_t number;	   /* as printed, ascending */
	uint64_t swpout, fallback; /* increments, below 2^62 */
	double stated;		   /* the percentage of the line; NaN: "nan", there was no data */
};

struct tsat {
	char name[128]; /* of the file, harmless text */
	struct tsat_iteration *v;
	unsigned int n, room;
	uint64_t ignored;	/* lines that are no iteration */
	uint64_t first_ignored; /* number of the first of them */
	unsigned int wrong;	/* stated percentages that are not those of their counts */
};

/** tsat_recognise - whether the beginning of a file has a line of an iteration */
bool tsat_recognise(const char *head, size_t len);

/**
 * tsat_read - all iterations of @in
 * @name: of the file
 * Returns 0 (free with tsat_free()); -EBADMSG for a line of an iteration that can't be read, for
 * numbers that do not ascend (two runs in one file), or without any iteration; -EIO; -ENOMEM.
 */
int tsat_read(FILE *in, const char *name, struct tsat *t, struct error *e);

/** tsat_free - free the iterations; what is all zeros is allowed */
void tsat_free(struct tsat *t);

/** tsat_share - 100 * fallback / (swpout + fallback); NaN when nothing was swapped out */
double tsat_share(const struct tsat_iteration *i);

/** tsat_first_above - the first iteration with a share above @threshold percent, NULL: none */
const struct tsat_iteration *tsat_first_above(const struct tsat *t, double threshold);

#endif
