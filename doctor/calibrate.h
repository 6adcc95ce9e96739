/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_DOCTOR_CALIBRATE_H
#define SWAPTRACE_DOCTOR_CALIBRATE_H

#include "replay/calibration.h"

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

/**
 * calibrate - measure; takes about a fifth of a second for CALIBRATE_ROUNDS
 * @rounds: 3 .. CALIBRATE_ROUNDS_MAX
 * @folder: where a file of 1 MiB of holes is made, read and removed; NULL: no reads are measured.
 *	    A folder where that can't be done, or whose file system keeps no pages of holes
 *	    (tmpfs), leaves have_read false.
 * Returns 0 or a negative errno.
 */
int calibrate(struct calibration *c, unsigned int rounds, const char *folder, struct error *e);

#endif
