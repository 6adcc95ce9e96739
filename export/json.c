// SPDX-License-Identifier: GPL-2.0
/* Events as JSON: one document with the header, or one object a line. */
#include "export/exporter.h"

#include <inttypes.h>

#include "common/text.h"

static void put_event(struct export *x, const struct event *ev)
{
	struct clean_text comm;

	fprintf(x->out, "{\"t_ns\":%" PRIu64 ",\"event\":\"%s\"", ev->t_ns,
		event_table[ev->type].name);
	/* What is not known is left out, as in text. */
	if (ev->cpu >= 0)
		fprintf(x->out, ",\"on_cpu\":%" PRId32, ev->cpu);
	if (ev->tgid >= 0)
		fprintf(x->out, ",\"tgid\":%" PRId32, ev->tgid);
	export_string(x, ev->comm, &comm);
	if (ev->comm) {
		fputs(",\"comm\":", x->out);
		export_json_string(x->out, comm.s);
	}
	export_json_keys(x, ev);
	putc('}', x->out);
}

static int line(struct export *x, const struct event *ev)
{
	put_event(x, ev);
	putc('\n', x->out);
	return 0;
}

const struct exporter export_jsonl = {
	.name = "jsonl",
	.summary = "one JSON object a line: jq, DuckDB, pandas",
	.event = line,
};

struct document {
	uint64_t events;
};

static int document_begin(struct export *x)
{
	size_t n = trace_header_lines(x->header);

	fputs("{\"swaptrace\":\"events\",\"version\":1,\"header\":[", x->out);
	for (size_t i = 0; i < n; i++) {
		struct clean_text text = clean(trace_header_line(x->header, i));

		fputs(i ? ",\n" : "\n", x->out);
		export_json_string(x->out, text.s);
	}
	fputs("],\n\"events\":[", x->out);
	return 0;
}

static int document_event(struct export *x, const struct event *ev)
{
	struct document *d = x->state;

	fputs(d->events++ ? ",\n" : "\n", x->out);
	put_event(x, ev);
	return 0;
}

static int document_end(struct export *x)
{
	fputs("]}\n", x->out);
	return 0;
}

const struct exporter export_json = {
	.name = "json",
	.summary = "one JSON document with header and events: jq",
	.state_size = sizeof(struct document),
	.begin = document_begin,
	.event = document_event,
	.end = document_end,
};
