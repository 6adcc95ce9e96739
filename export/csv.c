// SPDX-License-Identifier: GPL-2.0
/*
 * One row an event, one column for each key of the vocabulary, in an order that only grows, so that
 * files of several traces can be read as one table. An unknown value is an empty cell. The columns
 * have one type each (numbers, or words), as columnar formats want it.
 */
#include "export/exporter.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/text.h"

#define COLUMNS_MAX 128

/* The column of each key of each event; keys of one name share a column. */
struct columns {
	const char *names[COLUMNS_MAX];
	unsigned int n;
	uint8_t of[EV_NR][EVENT_KEYS];
};

static int column(struct columns *c, const char *name)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (!strcmp(c->names[i], name))
			return (int)i;
	if (c->n == COLUMNS_MAX)
		return -ENOSPC;
	c->names[c->n] = name;
	return (int)c->n++;
}

static int begin(struct export *x)
{
	struct columns *c = x->state;

	for (unsigned int type = 0; type < EV_NR; type++) {
		for (unsigned int key = 0; key < EVENT_KEYS; key++) {
			const struct key_desc *k = event_key(type, key);
			int i = k ? column(c, k->name) : 0;

			if (i < 0)
				return error_set(x->error, i, "more than %u columns", COLUMNS_MAX);
			c->of[type][key] = (uint8_t)i;
		}
	}
	fputs("t_ns,on_cpu,tgid,comm,event", x->out);
	for (unsigned int i = 0; i < c->n; i++)
		fprintf(x->out, ",%s", c->names[i]);
	putc('\n', x->out);
	return 0;
}

static void put_text(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\n")) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void put_value(struct export *x, const struct key_desc *k, uint64_t v)
{
	struct clean_text word;

	if (export_word(x, k, v, &word))
		put_text(x->out, word.s);
	else if (k->kind == KEY_SIGNED)
		fprintf(x->out, "%" PRId64, (int64_t)v);
	else
		fprintf(x->out, "%" PRIu64, v);
}

static int row(struct export *x, const struct event *ev)
{
	const struct columns *c = x->state;
	uint8_t key_of[COLUMNS_MAX];
	struct clean_text comm;

	memset(key_of, EVENT_KEYS, sizeof(key_of));
	for (uint32_t left = ev->have; left; left &= left - 1) {
		unsigned int key = (unsigned int)__builtin_ctz(left);

		if (event_key(ev->type, key))
			key_of[c->of[ev->type][key]] = (uint8_t)key;
	}
	fprintf(x->out, "%" PRIu64 ",", ev->t_ns);
	if (ev->cpu >= 0)
		fprintf(x->out, "%" PRId32, ev->cpu);
	putc(',', x->out);
	if (ev->tgid >= 0)
		fprintf(x->out, "%" PRId32, ev->tgid);
	putc(',', x->out);
	export_string(x, ev->comm, &comm);
	put_text(x->out, comm.s);
	fprintf(x->out, ",%s", event_table[ev->type].name);
	for (unsigned int i = 0; i < c->n; i++) {
		putc(',', x->out);
		if (key_of[i] < EVENT_KEYS)
			put_value(x, event_key(ev->type, key_of[i]), ev->v[key_of[i]]);
	}
	putc('\n', x->out);
	return 0;
}

const struct exporter export_csv = {
	.name = "csv",
	.summary = "one row an event, one column a key: DuckDB, pandas, R, and from there Parquet",
	.state_size = sizeof(struct columns),
	.begin = begin,
	.event = row,
};
