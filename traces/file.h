/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_FILE_H
#define SWAPTRACE_TRACES_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "traces/trace.h"

/* What the reader, the writer and the importers share below the public interface. */

/** file_read_at - up to @n bytes at @offset; the number read (less only at the end), -errno */
int64_t file_read_at(int fd, void *p, size_t n, uint64_t offset);

/** file_write_all - all @n bytes; 0, or -errno with the number that did get out in *@done */
int file_write_all(int fd, const void *p, size_t n, size_t *done);

/** file_temporary - an open unlinked file in $TMPDIR (default /var/tmp or /tmp); -errno */
int file_temporary(struct error *e);

/** trace_finish_keep - trace_finish(), but the file stays open and is handed over to @fd */
int trace_finish_keep(struct trace_writer *w, const struct trace_header *closing, int *fd,
		      struct error *e);

/** trace_finish_counted - trace_finish(), with the number of events written in @events */
int trace_finish_counted(struct trace_writer *w, const struct trace_header *closing,
			 uint64_t *events, struct error *e);

/** sorter_new_plain - a sorter in which only the order of arrival decides ties, not seq */
int sorter_new_plain(struct trace_sorter **s, struct trace_writer *w, struct error *e);

/* Where an import writes: it makes the writer when it has seen the header. */
struct import_sink {
	int (*create)(struct import_sink *s, const struct trace_header *h, struct error *e);
	struct trace_writer *w;
	const char *path; /* for messages and for create() */
	int fd;
};

/** import_text - read text notation into a sink; the writer is left open (or NULL on failure) */
int import_text(FILE *in, const char *name, struct import_sink *sink, struct trace_header *closing,
		struct trace_stats *stats, struct error *e);

/** import_sniff_text - whether these first bytes are text notation */
bool import_sniff_text(const void *head, size_t len);

#endif
