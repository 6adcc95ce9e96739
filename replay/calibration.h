/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_CALIBRATION_H
#define SWAPTRACE_REPLAY_CALIBRATION_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"
#include "replay/lru_policy.h"

/* What doctor/calibrate.c measured on some machine, as files keep it. */

#define CALIBRATE_ROUNDS_MAX 10001 /* that one is made of */

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
