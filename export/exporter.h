/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_EXPORT_EXPORTER_H
#define SWAPTRACE_EXPORT_EXPORTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "traces/trace.h"

/*
 * A trace in the formats of other tools. Each format is one file and one struct exporter; the
 * driver reads the trace once, in order of time, and knows no format by name.
 */

/* One export under way. What stands in front of @state is for the exporter to read. */
struct export
{
	struct trace_reader *reader;
	const struct trace_header *header;
	FILE *out;	    /* of formats that are one file */
	int folder;	    /* descriptor, of formats that are a folder; else -1 */
	uint64_t page_size; /* bytes; 4096 where the trace does not say */
	uint64_t first_ns;  /* time of the first event */
	struct error *error;
	void *state; /* the exporter's own; freed by the driver */
};

struct exporter {
	const char *name;    /* of --format */
	const char *summary; /* what it is and who reads it, for the help text */
	/* Names of the files of a format that is a folder, NULL-terminated; NULL: it is one file.
	 */
	const char *const *files;
	size_t state_size;
	bool binary; /* nothing for a terminal */

	/* All return 0, or a negative errno with a sentence in x->error; begin and end may be NULL.
	 */
	int (*begin)(struct export *x);
	int (*event)(struct export *x, const struct event *ev);
	int (*end)(struct export *x);	/* the trace has ended: write what is left */
	void (*free)(struct export *x); /* whatever happened; may be NULL */
};

extern const struct exporter *const exporters[]; /* NULL-terminated */

/** exporter_find - the exporter of that name, NULL */
const struct exporter *exporter_find(const char *name);

/**
 * export_run - write all events of @r
 * @out: stream of a format that is one file; @folder: descriptor of one that is a folder
 * Returns 0; -EBADMSG for a trace that can't be read; -EIO and the like of a failed write; -ENOMEM.
 */
int export_run(const struct exporter *exporter, struct trace_reader *r, FILE *out, int folder,
	       struct error *e);

/* ---- for the formats ---- */

/** export_failed - what a write to @f met: 0, or -errno with a sentence in x->error */
int export_failed(struct export *x, FILE *f);

/** export_string - bytes of a string id made harmless (escape_text()); "" where it is unknown */
struct clean_text;
void export_string(const struct export *x, uint32_t id, struct clean_text *out);

/**
 * export_word - the name of an enum's or the names of a flag's value, the bytes of a string
 * Returns false for keys that are numbers and for values without a name: they are numbers, too.
 */
bool export_word(const struct export *x, const struct key_desc *k, uint64_t v,
		 struct clean_text *out);

/** export_json_string - @s in quotes, escaped as JSON wants it */
void export_json_string(FILE *f, const char *s);

/** export_json_keys - the keys of @ev as members, each behind a comma */
void export_json_keys(struct export *x, const struct event *ev);

/** export_thread - the thread of an event: tid where it is told, else tgid; -1 unknown */
int64_t export_thread(const struct event *ev);

#endif
