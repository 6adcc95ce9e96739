// SPDX-License-Identifier: GPL-2.0
/*
 * What went to and came from the swap devices, as an I/O log for fio's read_iolog=, with the times
 * (version 3) so that the gaps can be replayed, too. fio wants one file name for each device.
 */
#include "export/exporter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/map.h"

struct log {
	struct map opened; /* type -> 1 */
	uint64_t begin_ns;
};

static int begin(struct export *x)
{
	struct log *l = x->state;

	l->begin_ns = x->first_ns;
	fputs("fio version 3 iolog\n", x->out);
	return 0;
}

/* fio's clock of a log: microseconds from its start, as fio 3.33 writes them itself. */
static uint64_t at(const struct export *x, const struct event *ev)
{
	const struct log *l = x->state;

	return (ev->t_ns - l->begin_ns) / 1000;
}

static int open_device(struct export *x, const struct event *ev, uint64_t type)
{
	struct log *l = x->state;

	if (map_get(&l->opened, type, 0))
		return 0;
	if (map_set(&l->opened, type, 0, 1))
		return error_set(x->error, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < 2; i++)
		fprintf(x->out, "%" PRIu64 " swap%" PRIu64 " %s\n", at(x, ev), type,
			i ? "open" : "add");
	return 0;
}

static int put(struct export *x, const struct event *ev, const char *action, uint64_t type,
	       uint64_t off, uint64_t pages)
{
	int ret = open_device(x, ev, type);

	if (!ret)
		fprintf(x->out, "%" PRIu64 " swap%" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n",
			at(x, ev), type, action, off * x->page_size, pages * x->page_size);
	return ret;
}

static int event(struct export *x, const struct event *ev)
{
	if (ev->type == EV_READ && event_has(ev, READ_OFF))
		return put(x, ev, "read", event_get(ev, READ_TYPE, 0), ev->v[READ_OFF],
			   event_get(ev, READ_N, 1));
	/* Pages of zeros are not written. */
	if (ev->type == EV_WRITE && event_has(ev, WRITE_OFF) && !event_get(ev, WRITE_ZERO, 0) &&
	    event_get(ev, WRITE_ORDER, 0) < 32)
		return put(x, ev, "write", event_get(ev, WRITE_TYPE, 0), ev->v[WRITE_OFF],
			   1ull << event_get(ev, WRITE_ORDER, 0));
	return 0;
}

static int end(struct export *x)
{
	struct log *l = x->state;

	if (!l->opened.count)
		return error_set(
			x->error, -ENODATA,
			"no READ or WRITE event: there is no I/O to replay (record with -e "
			"ra,alloc)");
	return 0;
}

static void free_log(struct export *x)
{
	struct log *l = x->state;

	map_free(&l->opened);
}

const struct exporter export_fio = {
	.name = "fio",
	.summary = "reads and writes as an I/O log, version 3: fio --read_iolog",
	.state_size = sizeof(struct log),
	.begin = begin,
	.event = event,
	.end = end,
	.free = free_log,
};
