// SPDX-License-Identifier: GPL-2.0
/* The JSON of Chrome's tracing, which Perfetto's and other viewers open, too. Times are us. */
#include "export/timeline.h"

#include <errno.h>
#include <inttypes.h>

#include "common/map.h"
#include "common/text.h"

/* Devices are shown as processes with numbers that no process has. */
#define DEVICE_PID 1000000000

struct chrome {
	struct timeline line;
	struct map named; /* (pid, tid) -> 1 */
	bool any;
};

static void begin_entry(struct export *x)
{
	struct chrome *c = x->state;

	fputs(c->any ? ",\n" : "\n", x->out);
	c->any = true;
}

static int begin(struct export *x)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"source\":\"swaptrace\"},"
	      "\"traceEvents\":[",
	      x->out);
	return 0;
}

/* The name of a process or thread, once. */
static int name_track(struct export *x, int64_t pid, int64_t tid, const char *what,
		      const char *name)
{
	struct chrome *c = x->state;

	if (map_get(&c->named, (uint64_t)pid, (uint64_t)tid))
		return 0;
	if (map_set(&c->named, (uint64_t)pid, (uint64_t)tid, 1))
		return error_set(x->error, -ENOMEM, "out of memory");
	begin_entry(x);
	fprintf(x->out,
		"{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
		",\"args\":{\"name\":",
		what, pid, tid);
	export_json_string(x->out, name);
	fputs("}}", x->out);
	return 0;
}

static int name_device(struct export *x, const struct timeline_point *p)
{
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "swap device %" PRId64, p->device);
	ret = name_track(x, DEVICE_PID + p->device, -1, "process_name", name);
	snprintf(name, sizeof(name), "reads, lane %" PRId64, p->lane);
	return ret ? ret : name_track(x, DEVICE_PID + p->device, p->lane, "thread_name", name);
}

static void put_head(struct export *x, const struct event *ev, const struct timeline_point *p,
		     char phase, int64_t pid, int64_t tid)
{
	begin_entry(x);
	fprintf(x->out, "{\"ph\":\"%c\",\"name\":", phase);
	export_json_string(x->out, p->name);
	fprintf(x->out, ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%" PRIu64 ".%03" PRIu64,
		pid, tid, ev->t_ns / 1000, ev->t_ns % 1000);
}

static int put_point(struct export *x, const struct event *ev, const struct timeline_point *p)
{
	int64_t pid = p->device >= 0 ? DEVICE_PID + p->device : p->of_thread ? ev->tgid : 0;
	int64_t tid = p->device >= 0 ? p->lane : p->of_thread ? export_thread(ev) : 0;
	struct clean_text comm;
	int ret = 0;

	export_string(x, ev->comm, &comm);
	if (p->device >= 0)
		ret = name_device(x, p);
	else if (p->of_thread && *comm.s)
		ret = name_track(x, pid, tid, "thread_name", comm.s);
	if (ret)
		return ret;
	put_head(x, ev, p, "XiC"[p->kind], pid, tid);
	if (p->kind == POINT_COUNTER) {
		fprintf(x->out, ",\"args\":{\"value\":%.6g}}", p->value);
		return 0;
	}
	if (p->kind == POINT_SLICE)
		fprintf(x->out, ",\"dur\":%" PRIu64 ".%03" PRIu64, p->duration_ns / 1000,
			p->duration_ns % 1000);
	else
		fprintf(x->out, ",\"s\":\"%c\"", p->of_thread ? 't' : 'g');
	fprintf(x->out, ",\"args\":{\"event\":\"%s\"", event_table[ev->type].name);
	export_json_keys(x, ev);
	fputs("}}", x->out);
	return 0;
}

static int event(struct export *x, const struct event *ev)
{
	struct chrome *c = x->state;
	struct timeline_point points[TIMELINE_POINTS];
	unsigned int n = timeline_points(&c->line, x, ev, points);
	int ret = 0;

	for (unsigned int i = 0; i < n && !ret; i++)
		ret = put_point(x, ev, &points[i]);
	return ret;
}

static int end(struct export *x)
{
	fputs("\n]}\n", x->out);
	return 0;
}

static void free_chrome(struct export *x)
{
	struct chrome *c = x->state;

	map_free(&c->named);
}

const struct exporter export_chrome = {
	.name = "chrome",
	.summary = "needs, reads, windows and losses on a time line: chrome://tracing, "
		   "ui.perfetto.dev",
	.state_size = sizeof(struct chrome),
	.begin = begin,
	.event = event,
	.end = end,
	.free = free_chrome,
};
