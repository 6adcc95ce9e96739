/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_IMPORT_H
#define SWAPTRACE_IMPORT_IMPORT_H

#include <stddef.h>
#include <stdio.h>

#include "traces/trace.h"

/* One format of other tools, or the text notation, that can be made into a trace. */
struct importer {
	const char *name; /* as in --format */
	const char *summary;
	/* How surely these first bytes of a file are of the format: 0 not at all .. 100 certainly
	 */
	int (*probe)(const void *head, size_t len);
	/* As trace_import_text() */
	int (*run)(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		   struct error *e);
};

/** importers - all of them, ended by a NULL name */
extern const struct importer importers[];

/** IMPORT_PROBE_BYTES - how many first bytes probes are shown (fewer when the file is shorter) */
#define IMPORT_PROBE_BYTES 4096

/** importer_by_name - NULL when there is none of that name */
const struct importer *importer_by_name(const char *name);

/** importer_for - the importer that is surest of these first bytes, NULL when none is */
const struct importer *importer_for(const void *head, size_t len);

#endif
