/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_COST_H
#define SWAPTRACE_REPLAY_COST_H

#include "common/error.h"
#include "replay/result.h"

/*
 * From counts to seconds: a crude model of one task that waits for every batch. Its output is an
 * estimate and is always labelled so; reports lead with the counts it is made from.
 */
struct cost_model {
	char name[64];
	double latency_us;    /* from submitting a batch to its first page */
	double bandwidth_mbs; /* MB (10^6 bytes) per second once it runs */
	double call_us;	      /* CPU time of one readahead call */
	double page_us;	      /* CPU time to map one page */
};

/**
 * cost_parse - a preset (ssd, nvme, virtio, hdd, zram) or "lat:US;bw:MBS"
 * Returns 0 or -EINVAL with a sentence that lists what is possible.
 */
int cost_parse(struct cost_model *c, const char *spec, struct error *e);

/** cost_estimate - fill @r->estimate from its readahead counts; @page_size in bytes */
void cost_estimate(const struct cost_model *c, uint64_t page_size, struct replay_result *r);

#endif
