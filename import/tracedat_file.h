/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_TRACEDAT_FILE_H
#define SWAPTRACE_IMPORT_TRACEDAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "traces/trace.h"

/*
 * trace.dat of trace-cmd. The libraries that read it trust the file: a damaged one makes them end
 * the process, crash or run forever. So a child reads it, with limits, and tells what it finds in
 * messages through a pipe; the importer believes no more of them than of a text.
 */

enum tracedat_kind {
	TRACEDAT_CPUS = 1, /* uint32_t: CPUs of the recording */
	TRACEDAT_CLOCK,	   /* text: name of the trace clock */
	TRACEDAT_UNAME,	   /* text: "SYSTEM NODE RELEASE MACHINE" */
	TRACEDAT_EMPTY,	   /* int32_t: a CPU that recorded nothing */
	TRACEDAT_LOST,	   /* struct tracedat_lost */
	TRACEDAT_COUNTED,  /* int32_t: a CPU of which all losses have been told */
	TRACEDAT_EVENT,	   /* struct tracedat_event and its texts */
	TRACEDAT_REFUSED,  /* text: why nothing can be read */
	TRACEDAT_DAMAGED,  /* records of a CPU behind its last one can't be read */
	TRACEDAT_END,	   /* all there is has been told */
};

/** TRACEDAT_MAX - no message is longer, in bytes; texts are cut */
#define TRACEDAT_MAX 8192

/* Head of each message; @len bytes follow. */
struct tracedat_head {
	uint32_t kind; /* enum tracedat_kind */
	uint32_t len;  /* at most TRACEDAT_MAX */
};

struct tracedat_lost {
	int32_t cpu;
	uint32_t reserved;
	uint64_t n; /* events; 0: their number is not known */
};

/* Followed by comm, name and arguments as in struct foreign_event, without NULs between them. */
struct tracedat_event {
	uint64_t t_ns;
	int32_t cpu, tid; /* -1: not known */
	uint16_t comm_len, name_len, args_len;
	uint16_t comm_known; /* 0: the name of the task has been forgotten */
};

/** tracedat_available - whether this program was built with the libraries */
extern const int tracedat_available;

/**
 * tracedat_tell - read a trace.dat and write messages to @out
 * @fd: the file; not closed
 * @cut: its end is missing: try what can be read without it
 * Only to be called in a child of its own: it sets limits and may not return. TRACEDAT_END is the
 * last message when it does.
 */
void tracedat_tell(int fd, FILE *out, bool cut);

/** import_tracedat, import_probe_tracedat - see struct importer */
int import_tracedat(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		    struct error *e);
int import_probe_tracedat(const void *head, size_t len);

#endif
