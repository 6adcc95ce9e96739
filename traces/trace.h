/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_TRACE_H
#define SWAPTRACE_TRACES_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "traces/event.h"
#include "traces/header.h"

/*
 * Reading and writing traces as streams. Memory does not depend on the length of a trace.
 * The format is described in swaptrace.data(5).
 */

struct trace_reader;
struct trace_block;
struct trace_writer;

/* What a reader met on its way; counts grow while reading. */
struct trace_stats {
	uint64_t events;	 /* delivered so far */
	uint64_t blocks;	 /* whole blocks read */
	uint64_t damaged_blocks; /* checksum wrong or structure broken: skipped */
	uint64_t damaged_bytes;	 /* bytes skipped to find the next whole block */
	uint64_t damaged_events; /* events of damaged blocks, as far as their number is known */
	bool header_damaged;	 /* the first copy of the header was damaged */
	bool truncated;		 /* no valid footer: the end of the file is missing */
	bool recovered;		 /* saved from a damaged or cut trace: events are missing */
	bool unsorted;		 /* text input had to be sorted */
	bool binary_input;	 /* what follows about lines is about records */
	uint64_t unknown_events; /* text: event names not in the vocabulary */
	uint64_t unknown_keys;	 /* text: keys not in the vocabulary */
	uint64_t bad_lines;	 /* text: lines that could not be read */
	uint64_t bad_line;	 /* number of the first of them */
	uint64_t lost;		 /* events lost by the recorder: sum over CPUs */
	bool loss_known;	 /* the trace tells of losses, also of none: see trace_lost() */
	char unknown_names[512]; /* each unknown name once, joined by ", " */
	char bad_line_why[160];	 /* what is wrong with line bad_line */
	/* Text: header keys not in the vocabulary, kept all the same, and comments that look like
	 * misspelt directives. */
	uint64_t unknown_facts;
	char unknown_fact_names[256]; /* each with the known word it resembles, joined by ", " */
};

/**
 * trace_open - open a trace for reading
 * @path: binary trace or text notation (told apart by content), "-" for standard input. Text and
 *        pipes are first converted into an unlinked temporary file, so that every reader can
 * rewind. Returns 0 and *@r (close with trace_close()); -ENOENT and the like; -EBADMSG when it is
 * no trace, has a damaged header, or was written by a newer version (the text says which).
 */
int trace_open(struct trace_reader **r, const char *path, struct error *e);

/** trace_close - NULL is allowed */
void trace_close(struct trace_reader *r);

/** trace_get_header - facts about the recording; includes the closing lines (loss, probe counts)
 * where the trace has its footer */
const struct trace_header *trace_get_header(const struct trace_reader *r);

/** trace_get_stats - what was met so far; after the end: about the whole trace */
const struct trace_stats *trace_get_stats(const struct trace_reader *r);

#define LOST_UNKNOWN UINT64_MAX
/**
 * trace_lost - events lost by the recorder, LOST_UNKNOWN where nobody has counted them
 * Our own recorder counts (its probe lines say so), generated traces say that nothing is lost; of
 * other text and of other tools' output only what it tells is known.
 */
uint64_t trace_lost(const struct trace_stats *s);

/**
 * trace_get_lost - losses per CPU as the blocks read so far tell them
 * @cpu: moved up to the next CPU that lost anything
 * Returns how many events it lost, 0 when there is no such CPU.
 */
uint64_t trace_get_lost(const struct trace_reader *r, unsigned int *cpu);

/** trace_bytes - size of the trace in bytes (text and pipes: of the trace made from them) */
uint64_t trace_bytes(const struct trace_reader *r);

/** trace_rewind - back to the first event; the stats start again */
int trace_rewind(struct trace_reader *r, struct error *e);

/**
 * trace_seek - go on with a block before or at the first event at or after @t_ns
 * A hint that saves reading: events before @t_ns may still come. The stats start again and then
 * only speak of the part that is read.
 */
int trace_seek(struct trace_reader *r, uint64_t t_ns, struct error *e);

/** trace_open_damaged - trace_open() that also takes a trace whose header is lost (recover) */
int trace_open_damaged(struct trace_reader **r, const char *path, struct error *e);

/**
 * trace_next - the next event in order of time
 * Returns 1, 0 at the end, negative errno. Damaged blocks are skipped and counted, not errors.
 */
int trace_next(struct trace_reader *r, struct event *ev, struct error *e);

/**
 * trace_next_block - the next whole block; do not mix with trace_next()
 * *@b belongs to the reader and is valid until the next call.
 * Returns 1, 0 at the end, negative errno.
 */
int trace_next_block(struct trace_reader *r, const struct trace_block **b, struct error *e);

/** trace_string - bytes of a string id of an event of this reader (comm, KEY_STRING); NULL for 0 */
const char *trace_string(const struct trace_reader *r, uint32_t id, size_t *len);

/*
 * A block in columns. All arrays belong to the reader and are valid until its next call.
 * Columns are decoded when they are first asked for, so one only pays for what one reads.
 */

/** block_events - number of events */
uint32_t block_events(const struct trace_block *b);

/** block_first_ns, block_last_ns - time of the first and the last event, without decoding */
uint64_t block_first_ns(const struct trace_block *b);
uint64_t block_last_ns(const struct trace_block *b);

/** block_number - number of the block in the file, from 0 */
uint64_t block_number(const struct trace_block *b);

/** block_bytes - size of the block in the file */
uint64_t block_bytes(const struct trace_block *b);

/**
 * block_stored - bytes that the columns of @type take in the file; EV_NR: those that all events
 * have
 */
uint64_t block_stored(const struct trace_block *b, unsigned int type);

/** block_types - enum event_type of each event, in order; block_events() bytes */
const uint8_t *block_types(const struct trace_block *b);

/** block_count - events of one type in the block */
uint32_t block_count(const struct trace_block *b, enum event_type type);

/** block_times - t_ns of each event, in order. NULL: memory is out or the column is damaged */
const uint64_t *block_times(const struct trace_block *b);

/** block_cpus, block_tgids - column 2 and 3 of each event; -1 unknown */
const int32_t *block_cpus(const struct trace_block *b);
const int32_t *block_tgids(const struct trace_block *b);

/** block_comms - string id of each event's comm */
const uint32_t *block_comms(const struct trace_block *b);

/**
 * block_have - for the i-th event of @type in the block: which keys are known
 * Returns block_count() masks.
 */
const uint32_t *block_have(const struct trace_block *b, enum event_type type);

/**
 * block_have_same - whether all events of @type have the same known keys, which then are *@have
 * Decodes nothing.
 */
bool block_have_same(const struct trace_block *b, enum event_type type, uint32_t *have);

/**
 * block_column - for the i-th event of @type: the value of @key, 0 where not known
 * A key that no event of the block has gives a column of zeros. NULL: memory is out, or the column
 * is broken although its checksum is right (a hostile file); the same holds for the calls above.
 */
const uint64_t *block_column(const struct trace_block *b, enum event_type type, unsigned int key);

/**
 * trace_create - begin a trace that appears at @path when trace_finish() has made it whole
 * @path: "-" writes to standard output. Until then an existing file is what it was, and so it stays
 *        when anything fails (common/output_file.h says what becomes of links, devices and owners).
 * @h: written at once; lines that come up later are given to trace_finish()
 */
int trace_create(struct trace_writer **w, const char *path, const struct trace_header *h,
		 struct error *e);

/**
 * trace_create_fd - a writer on an open file, for a trace that must be readable at every moment
 * The recorder's: what it is killed over can't be recorded again.
 * @fd: taken over, closed by the writer also when this call fails
 * @name: what to call it in messages
 */
int trace_create_fd(struct trace_writer **w, int fd, const char *name, const struct trace_header *h,
		    struct error *e);

/**
 * trace_write_string - the id under which a string may be used in events of this writer
 * Strings are cut at 4096 bytes. 0: no memory.
 */
uint32_t trace_write_string(struct trace_writer *w, const char *s, size_t len);

/**
 * trace_write - append one event; events must come in order of time
 * Returns 0; -EINVAL when @ev is older than the event before (or is no event): nothing is written
 * and one may go on; -ENOSPC and the like, which stick: the error text says after how many bytes
 * and events, to which a trace of trace_create_fd() is readable. Bits of ev->have for keys that
 * the event does not have are ignored.
 */
int trace_write(struct trace_writer *w, const struct event *ev, struct error *e);

/**
 * trace_write_lost - count events the recorder could not deliver; goes into the current block
 * @cpu: the CPU that lost them
 */
void trace_write_lost(struct trace_writer *w, unsigned int cpu, uint64_t n);

/** trace_flush - end the current block now, so that a crash loses nothing before this moment */
int trace_flush(struct trace_writer *w, struct error *e);

/** trace_written - bytes written to the file so far (for size limits), events so far into @events
 * (may be NULL) */
uint64_t trace_written(const struct trace_writer *w, uint64_t *events);

/**
 * trace_finish - last block, closing lines, index; closes and frees the writer, also on failure
 * What returns 0 has reached the disk.
 * @closing: lines known only now (probe counts, loss, why it stopped), may be NULL. When it has no
 *           `loss` lines, one per CPU is made from trace_write_lost().
 */
int trace_finish(struct trace_writer *w, const struct trace_header *closing, struct error *e);

/**
 * trace_abandon - close without footer and free; NULL is allowed
 * Of trace_create() nothing is left; of trace_create_fd() what is readable to the last whole block.
 */
void trace_abandon(struct trace_writer *w);

/**
 * trace_recover - copy all that is readable of @in to @out
 * @stats: what was met; a lost header shows in header_damaged and an empty header
 * Losses of a trace without footer, which only its blocks know, become `loss` lines, and a `note`
 * says what is missing. @out is created as by trace_create() and may be @in where nothing but its
 * end is missing.
 * Returns 0; -EBADMSG when nothing can be read; -EEXIST when @out is @in and what can't be read now
 * would be gone for good. On failure @out, and so @in, stays what it was.
 */
int trace_recover(const char *in, const char *out, struct trace_stats *stats, struct error *e);

/*
 * A sorter puts events that are nearly in order into order before they are written: stable, in
 * bounded memory (some 60 MiB), spilling to temporary files if it must. Events of one time keep the
 * order in which they were added, except that those which carry seq are put in order of seq among
 * themselves.
 */
struct trace_sorter;

/** trace_sorter_new - @w is where the sorted events go; not owned */
int trace_sorter_new(struct trace_sorter **s, struct trace_writer *w, struct error *e);

/**
 * trace_sorter_last - a last look at each event, just before it is written and in that order
 * @last: may set keys that were not known when the event was added, but not its time or seq
 * For sorters made by trace_sorter_new().
 */
void trace_sorter_last(struct trace_sorter *s, void (*last)(void *arg, struct event *ev),
		       void *arg);

/** trace_sorter_add - take one event; strings in it are ids of the writer */
int trace_sorter_add(struct trace_sorter *s, const struct event *ev, struct error *e);

/**
 * trace_sorter_advance - nothing older than @t_ns will come any more: write what is older
 * An older event that is added all the same makes a later call fail with -EINVAL.
 */
int trace_sorter_advance(struct trace_sorter *s, uint64_t t_ns, struct error *e);

/**
 * trace_sorter_end - write all that is left and free, also on failure
 * @unsorted (may be NULL): whether anything was out of order
 */
int trace_sorter_end(struct trace_sorter *s, bool *unsorted, struct error *e);

/** trace_print_header - the header in text notation, magic line first */
int trace_print_header(FILE *f, const struct trace_header *h);

/** trace_print_event - one event as a line of the text notation; strings are looked up in @r */
int trace_print_event(FILE *f, const struct trace_reader *r, const struct event *ev);

/**
 * trace_import_text - text notation into a trace
 * @in: the text; @name: what to call it in messages
 * @w is created by the call with the text's header; sorted stably when needed.
 * @stats: unknown events and keys, bad lines. A line that cannot be read is counted and skipped,
 * the first one named; a text without the magic line is -EBADMSG.
 */
int trace_import_text(FILE *in, const char *name, const char *out_path, struct trace_stats *stats,
		      struct error *e);

/**
 * escape_bytes - comm/name as the text notation writes it, into @out (4 * len + 5 bytes are enough)
 * Returns the length; @out is NUL-terminated, and cut at a whole byte when @size is too small.
 */
size_t escape_bytes(const char *s, size_t len, char *out, size_t size);

/**
 * unescape_bytes - the reverse, into @out (len + 1 bytes are enough), NUL-terminated
 * Returns the length, or (size_t)-1 for a malformed escape or too small an @out.
 */
size_t unescape_bytes(const char *s, size_t len, char *out, size_t size);

#endif
