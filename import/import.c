// SPDX-License-Identifier: GPL-2.0
#include "import/import.h"

#include <string.h>

#include "import/foreign_lines.h"
#include "import/tracedat_file.h"
#include "traces/file.h"

static int probe_text(const void *head, size_t len)
{
	return import_sniff_text(head, len) ? 100 : 0;
}

const struct importer importers[] = {
	{ "text", "text notation of swaptrace, see swaptrace.data(5)", probe_text,
	  trace_import_text },
	{ "perf", "output of perf script", import_probe_perf, import_perf },
	{ "trace-cmd", "output of trace-cmd report, or of ftrace itself", import_probe_tracecmd,
	  import_tracecmd },
	{ "trace.dat", "file of trace-cmd record", import_probe_tracedat, import_tracedat },
	{ NULL, NULL, NULL, NULL },
};

const struct importer *importer_by_name(const char *name)
{
	for (const struct importer *i = importers; i->name; i++)
		if (!strcmp(i->name, name))
			return i;
	return NULL;
}

const struct importer *importer_for(const void *head, size_t len)
{
	const struct importer *best = NULL;
	int most = 0;

	for (const struct importer *i = importers; i->name; i++) {
		int sure = i->probe(head, len);

		if (sure > most) {
			most = sure;
			best = i;
		}
	}
	return best;
}
