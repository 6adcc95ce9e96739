/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_CALIBRATE_H
#define SWAPTRACE_REPLAY_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"
#include "replay/lru_policy.h"

/*
 * What it costs on this machine to add a page to an LRU list in the ways that thread T4 is about:
 * two atomic updates of a page's flags, a full barrier or none, and the test for evictability by a
 * call or in line. The rest of the kernel's function is the same in all ways and left out, so only
 * differences mean anything.
 *
 * All ways are timed in turn within each round, and differences are taken within a round, so that
 * a change of the clock's speed meets all of them. A round takes a fraction of a millisecond: on a
 * busy machine most are not interrupted, and medians stay near those of an idle one. Wall-clock
 * time of an emulated CPU says nothing about hardware; calibration says so.
 */

#define CALIBRATE_ROUNDS 501
#define CALIBRATE_ROUNDS_MAX 10001

/* ns; of the rounds, quartiles interpolated between neighbours */
struct spread {
	double median, low, high;
};

struct calibration {
	struct spread way[LRUADD_NO_BARRIER + 1]; /* [enum lruadd]: ns a page; [0] unused */
	struct spread call;    /* outline-mb less inline-mb, may be below 0 by noise */
	struct spread barrier; /* inline-mb less inline-relaxed */
	struct spread both;    /* outline-mb less inline-relaxed */
	unsigned int rounds;
	unsigned int emulated; /* 1: the CPU is an emulator's */
	char cpu[128];	       /* its name, "" unknown */
	char release[80];      /* of the kernel it was measured under */
	bool have_read;	       /* read_first and read_again are known */
	struct spread
		read_first; /* ns a page: read of a page that is in no cache (a hole of a file) */
	struct spread read_again; /* of one that is */
};

/**
 * calibrate - measure; takes about a fifth of a second for CALIBRATE_ROUNDS
 * @rounds: 3 .. CALIBRATE_ROUNDS_MAX
 * @folder: where a file of 1 MiB of holes is made, read and removed; NULL: no reads are measured.
 *	    A folder where that can't be done, or whose file system keeps no pages of holes
 *	    (tmpfs), leaves have_read false.
 * Returns 0 or a negative errno.
 */
int calibrate(struct calibration *c, unsigned int rounds, const char *folder, struct error *e);

/** calibration_write - as a text that calibration_read() takes; errors of @f are left in @f */
void calibration_write(FILE *f, const struct calibration *c);

/**
 * calibration_read - read a calibration file
 * Returns 0; -EBADMSG for what is none or has an impossible value (the text names the line);
 * -errno when it can't be read.
 */
int calibration_read(const char *path, struct calibration *c, struct error *e);

/**
 * calibration_extra - ns a page that adding in way @l costs more than with neither barrier nor
 * call; medians. @l: not LRUADD_RECORDED
 */
double calibration_extra(const struct calibration *c, enum lruadd l);

#endif
