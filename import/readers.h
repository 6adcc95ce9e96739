/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_READERS_H
#define SWAPTRACE_IMPORT_READERS_H

#include "import/format.h"

/* The readers of the table in import/format.c; see struct format. */

#define READER(name)                                                                               \
	int name##_probe(const struct pasted *t);                                                  \
	int name##_read(const struct pasted *t, const struct reading_options *o,                   \
			struct readings *r, struct error *e)

READER(vmstat);
READER(vmstat_s);
READER(free);
READER(sar);
READER(proc_vmstat);
READER(proc_swaps);
READER(proc_meminfo);
READER(memory_stat);
READER(pressure);
READER(lkp);
READER(mmtests);
READER(usemem);
READER(perf_stat);
READER(bcc_hist);
READER(funccount);
READER(stacks);
READER(function_graph);
READER(prometheus);
READER(vmlog);
READER(bpftrace);
READER(tsat_table);
READER(plain);

#undef READER

/** counter_name_kind - whether a name of /proc/vmstat counts or tells a state; -1: unknown name */
int counter_name_kind(const char *name, size_t len);

#endif
