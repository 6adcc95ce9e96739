/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_EXPORT_TIMELINE_H
#define SWAPTRACE_EXPORT_TIMELINE_H

#include "export/exporter.h"

/*
 * What events look like on a time line of tracks, for the viewers that draw one (Chrome, Perfetto):
 * needs of swap entries are slices of the thread that had them, without length, since nobody
 * measured it; reads are slices of the device, as long as they took; windows, the share of large
 * folios that fell back and losses are counters; drains, swapoff and losses are marks.
 */

enum point_kind { POINT_SLICE, POINT_MARK, POINT_COUNTER };

struct timeline_point {
	enum point_kind kind;
	char name[64];
	uint64_t duration_ns; /* POINT_SLICE */
	double value;	      /* POINT_COUNTER */
	/* POINT_SLICE and POINT_MARK: whose line; -1: the machine's. A device's reads that are
	 * under way at the same time have lines (lanes) of their own. */
	int64_t device, lane;
	bool of_thread; /* of the thread that the event belongs to */
};

#define TIMELINE_POINTS 2
#define TIMELINE_LANES 64

struct timeline {
	uint64_t asked, fell_back; /* large folios */
	uint64_t lost;
	uint64_t busy_until[TIMELINE_LANES]; /* of the lanes, for all devices together */
};

/**
 * timeline_points - what @ev looks like; events must come in order of time
 * Returns the number of points in @out, at most TIMELINE_POINTS, 0 for an event that is not shown.
 */
unsigned int timeline_points(struct timeline *t, const struct export *x, const struct event *ev,
			     struct timeline_point *out);

#endif
