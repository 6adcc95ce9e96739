/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_FOREIGN_H
#define SWAPTRACE_IMPORT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "traces/header.h"
#include "traces/trace.h"

/*
 * What importers of other tools' recordings have in common, text or binary: which events of theirs
 * are events of ours, whose they are, losses, and the trace that comes out.
 */

/* How the note of a trace begins that tells what its import left out. */
#define IMPORT_LEFT_OUT "import left out "

/* One event of another tool. Nothing in it is owned. */
struct foreign_event {
	uint64_t t_ns;
	int32_t cpu;	  /* -1: not shown */
	int32_t tgid;	  /* -1: not shown */
	int32_t tid;	  /* -1: not shown */
	const char *comm; /* NULL: not known */
	size_t comm_len;
	const char *name; /* without the group and the colons */
	size_t name_len;
	/*
	 * As ftrace writes them: "KEY=VALUE ..."; a probe's begin with "(FUNCTION)", a return
	 * probe's with "(CALLER <- FUNCTION)".
	 */
	const char *args;
	size_t args_len;
	size_t who_len;	 /* text: bytes of the line before the time, without blanks at their end */
	uint64_t number; /* of the line or the record, for messages */
};

struct foreign_import;

/* Where an import comes from. */
struct foreign_source {
	const char *backend; /* becomes backend= of the trace */
	/* Reads all there is and hands it to the calls below; 0 or a negative errno */
	int (*read)(struct foreign_import *in, void *priv, struct error *e);
	void *priv;
	const char *nothing; /* what to say of an input without any event: "no line is ..." */
	/* Note on the clock of the times; NULL: nothing is known about it */
	const char *clock_note;
};

/** foreign_name - what to call the input in messages */
const char *foreign_name(const struct foreign_import *in);

/** foreign_stats - what has been met, to be added to */
struct trace_stats *foreign_stats(struct foreign_import *in);

/**
 * foreign_lost - events were lost between the last event of @cpu and its next one
 * @cpu: -1 when the input does not say
 * @n: 0 when the input does not say how many: counted as 1, and a note of the trace says so
 * Returns 1, or 0 when the numbers can not be (see above: not understood), or -ENOMEM.
 */
int foreign_lost(struct foreign_import *in, int64_t cpu, uint64_t n);

/**
 * foreign_counted - the input tells all that @cpu lost, also that it lost nothing
 * Returns as foreign_lost().
 */
int foreign_counted(struct foreign_import *in, int32_t cpu);

/** foreign_header_line - add a header line ("note ..."); 1 or -ENOMEM */
int foreign_header_line(struct foreign_import *in, const char *text);

/** foreign_take - one event; 0, or a negative errno of the trace that is written */
int foreign_take(struct foreign_import *in, const struct foreign_event *f, struct error *e);

/**
 * foreign_import - the whole import, as trace_import_text()
 * @source: clock_note may still be set while it is read
 * -EBADMSG when there is neither an event nor a loss in it.
 */
int foreign_import(struct foreign_source *source, const char *name, const char *out_path,
		   struct trace_stats *stats, struct error *e);

#endif
