// SPDX-License-Identifier: GPL-2.0
#include "replay/cost.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Round figures of each class of device (queue depth 1), chosen before any comparison with a
 * published time. The CPU costs are those of a few thousand instructions per call and page.
 */
static const struct cost_model presets[] = {
	{ "nvme", 80, 2000, 1, 3 }, { "ssd", 150, 500, 1, 3 }, { "virtio", 120, 1000, 1, 3 },
	{ "hdd", 8000, 150, 1, 3 }, { "zram", 0, 1000, 1, 3 },
};
#define PRESETS (sizeof(presets) / sizeof(presets[0]))

static int parse_custom(struct cost_model *c, const char *spec)
{
	double lat, bw;
	int used = 0;

	if (sscanf(spec, "lat:%lf;bw:%lf%n", &lat, &bw, &used) != 2 || spec[used])
		return -EINVAL;
	if (!(lat >= 0 && lat < 1e9 && bw > 0 && bw < 1e9))
		return -EINVAL;
	*c = (struct cost_model){
		.latency_us = lat, .bandwidth_mbs = bw, .call_us = 1, .page_us = 3
	};
	snprintf(c->name, sizeof(c->name), "given");
	return 0;
}

int cost_parse(struct cost_model *c, const char *spec, struct error *e)
{
	for (unsigned int i = 0; i < PRESETS; i++)
		if (!strcmp(presets[i].name, spec)) {
			*c = presets[i];
			return 0;
		}
	if (!parse_custom(c, spec))
		return 0;
	return error_set(e, -EINVAL,
			 "device=%s is not one of nvme, ssd, virtio, hdd, zram, lat:US;bw:MBS",
			 spec);
}

void cost_estimate(const struct cost_model *c, uint64_t page_size, struct replay_result *r)
{
	const struct readahead_result *ra = &r->readahead;
	double waits = (double)(ra->batches + ra->bypassed + ra->read_alone);
	double us = waits * c->latency_us + (double)ra->calls * c->call_us +
		    (double)ra->pages_read * (c->page_us + (double)page_size / c->bandwidth_mbs);

	r->estimate.known = true;
	r->estimate.seconds = us / 1e6;
	snprintf(r->estimate.assumptions, sizeof(r->estimate.assumptions),
		 "device %s: %g us a batch, %g MB/s, %g us CPU a call, %g us CPU a page; one task, "
		 "every batch is waited for",
		 c->name, c->latency_us, c->bandwidth_mbs, c->call_us, c->page_us);
}
