// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/output_file.h"
#include "common/strpool.h"
#include "traces/column.h"
#include "traces/file.h"
#include "traces/header_lines.h"
#include "traces/trace.h"
#include "traces/wire.h"

/*
 * A block ends here even with fewer events, counted as 8 bytes a value: bounds what a crash loses,
 * and keeps the columns of a block in a reader's second-level cache.
 */
#define BLOCK_RAW_MAX (2u << 20)

/* The values of one key of one event type, where it is known, in order of events. */
struct values {
	uint64_t *v;
	uint32_t n, room;
};

struct type_columns {
	uint32_t count;
	struct values have;
	struct values keys[EVENT_KEYS];
};

struct loss {
	uint64_t block, total;
};

struct index_entry {
	uint64_t offset, first_event, first_ns;
};

struct trace_writer {
	int fd;
	struct output_file *out; /* whose the descriptor is; NULL: it is our own */
	char *path;		 /* name in messages */
	bool seekable;
	int error; /* a failure sticks */
	struct error first_error;
	uint64_t bytes, events; /* in the file, whole sections only */

	struct strpool *strings;
	uint32_t *local; /* [id - 1]: number of the string in the block, 0: not in it yet */
	uint32_t local_room;
	uint32_t *block_strings; /* [number - 1]: ids */
	uint32_t nblock_strings, block_strings_room;

	uint32_t n; /* events in the block */
	uint64_t raw;
	uint64_t first_ns, last_ns;
	uint64_t *types, *times, *cpus, *tgids, *comms; /* WIRE_BLOCK_EVENTS each */
	struct type_columns columns[EV_NR];
	struct loss *loss; /* per CPU */
	unsigned int ncpus;
	bool block_loss;

	uint64_t blocks;
	struct index_entry index[WIRE_INDEX_MAX];
	uint32_t nindex, stride; /* an entry every stride blocks */

	struct column_encoder *encoder;
	struct bytes directory, data, payload;
};

static void writer_free(struct trace_writer *w)
{
	if (w->fd >= 0 && !w->out)
		close(w->fd);
	output_discard(w->out);
	for (unsigned int t = 0; t < EV_NR; t++) {
		free(w->columns[t].have.v);
		for (unsigned int k = 0; k < EVENT_KEYS; k++)
			free(w->columns[t].keys[k].v);
	}
	strpool_free(w->strings);
	column_encoder_free(w->encoder);
	bytes_free(&w->directory);
	bytes_free(&w->data);
	bytes_free(&w->payload);
	free(w->local);
	free(w->block_strings);
	free(w->types);
	free(w->loss);
	free(w->path);
	free(w);
}

static int fail_writer(struct trace_writer *w, int code, struct error *e)
{
	if (!w->error) {
		w->error = code;
		error_errno(&w->first_error, code,
			    "%s: cannot write after %llu bytes and %llu events; %s", w->path,
			    (unsigned long long)w->bytes, (unsigned long long)w->events,
			    w->out && output_replaces(w->out) ? "it is left as it was"
							      : "the file is readable up to there");
	}
	if (e)
		*e = w->first_error;
	return w->error;
}

/* Write a section. A torn one is cut off again so that the file ends with its last whole block. */
static int write_section(struct trace_writer *w, struct section *s, const struct bytes *payload)
{
	static const uint8_t gap[WIRE_GAP];
	struct bytes out = { 0 };
	uint8_t head[WIRE_HEAD];
	size_t done;
	int ret;

	s->payload_len = payload->len;
	section_encode(head, s, payload->p);
	bytes_put(&out, head, sizeof(head));
	bytes_put(&out, payload->p, payload->len);
	bytes_put(&out, gap, sizeof(gap));
	ret = out.failed ? -ENOMEM : file_write_all(w->fd, out.p, out.len, &done);
	if (!ret)
		w->bytes += out.len;
	else if (w->seekable && ftruncate(w->fd, (off_t)w->bytes))
		ret = -errno;
	bytes_free(&out);
	return ret;
}

static void put_header_text(struct bytes *b, const struct trace_header *h)
{
	size_t n = trace_header_lines(h);

	for (size_t i = 0; i < n; i++) {
		const char *line = trace_header_line(h, i);

		bytes_put(b, "# ", 2);
		bytes_put(b, line, strlen(line));
		bytes_put(b, "\n", 1);
	}
}

/* The header stands twice: one damaged place may cost a block but not the meaning of all. */
static int write_header(struct trace_writer *w, const struct trace_header *h)
{
	struct section s = { .kind = SECTION_HEADER };
	int ret;

	bytes_put(&w->payload, "# swaptrace 1\n", 14);
	put_header_text(&w->payload, h);
	if (w->payload.failed)
		return -ENOMEM;
	if (w->payload.len > WIRE_HEADER_TEXT_MAX)
		return -E2BIG;
	ret = write_section(w, &s, &w->payload);
	s.number = 1;
	if (!ret)
		ret = write_section(w, &s, &w->payload);
	w->payload.len = 0;
	return ret;
}

static struct trace_writer *writer_new(const char *path)
{
	struct trace_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->fd = -1;
	w->stride = 1;
	w->path = strdup(path);
	w->strings = strpool_new();
	w->encoder = column_encoder_new();
	w->types = calloc(5 * (size_t)WIRE_BLOCK_EVENTS, sizeof(*w->types));
	if (!w->path || !w->strings || !w->encoder || !w->types) {
		writer_free(w);
		return NULL;
	}
	w->times = w->types + WIRE_BLOCK_EVENTS;
	w->cpus = w->times + WIRE_BLOCK_EVENTS;
	w->tgids = w->cpus + WIRE_BLOCK_EVENTS;
	w->comms = w->tgids + WIRE_BLOCK_EVENTS;
	return w;
}

/* @fd is @out's where there is one. Both are taken over, also on failure. */
static int create(struct trace_writer **writer, int fd, struct output_file *out, const char *name,
		  const struct trace_header *h, struct error *e)
{
	struct trace_writer *w = writer_new(name);
	struct stat st;
	int ret;

	if (!w) {
		error_errno(e, -ENOMEM, "%s", name);
		if (!out)
			close(fd);
		output_discard(out);
		return -ENOMEM;
	}
	w->fd = fd;
	w->out = out;
	w->seekable = !fstat(fd, &st) && S_ISREG(st.st_mode);
	ret = write_header(w, h);
	if (ret) {
		error_errno(e, ret, "%s: cannot write the header", name);
		writer_free(w);
		return ret;
	}
	*writer = w;
	return 0;
}

int trace_create_fd(struct trace_writer **w, int fd, const char *name, const struct trace_header *h,
		    struct error *e)
{
	return create(w, fd, NULL, name, h, e);
}

int trace_create(struct trace_writer **w, const char *path, const struct trace_header *h,
		 struct error *e)
{
	struct output_file *out;
	int ret = output_open(&out, path, OUTPUT_PRIVATE, e);

	return ret ? ret : create(w, output_fd(out), out, output_name(out), h, e);
}

uint32_t trace_write_string(struct trace_writer *w, const char *s, size_t len)
{
	return strpool_intern(w->strings, s, len < WIRE_STRING_MAX ? len : WIRE_STRING_MAX);
}

static bool push_value(struct values *col, uint64_t v)
{
	if (col->n == col->room) {
		uint32_t room = col->room ? col->room * 2 : 256;
		uint64_t *bigger = realloc(col->v, room * sizeof(*bigger));

		if (!bigger)
			return false;
		col->v = bigger;
		col->room = room;
	}
	col->v[col->n++] = v;
	return true;
}

static bool grow_u32(uint32_t **array, uint32_t *room, uint32_t need)
{
	uint32_t bigger = *room ? *room : 64;
	uint32_t *p;

	if (need <= *room)
		return true;
	while (bigger < need)
		bigger *= 2;
	p = realloc(*array, bigger * sizeof(*p));
	if (!p)
		return false;
	memset(p + *room, 0, (bigger - *room) * sizeof(*p));
	*array = p;
	*room = bigger;
	return true;
}

/* Number of a string within the block; a block brings the strings it uses. */
static bool local_string(struct trace_writer *w, uint64_t id, uint64_t *number)
{
	size_t len;

	*number = 0;
	if (id > UINT32_MAX || !strpool_get(w->strings, (uint32_t)id, &len))
		return true;
	if (!grow_u32(&w->local, &w->local_room, (uint32_t)id))
		return false;
	if (!w->local[id - 1]) {
		if (!grow_u32(&w->block_strings, &w->block_strings_room, w->nblock_strings + 1))
			return false;
		w->block_strings[w->nblock_strings++] = (uint32_t)id;
		w->local[id - 1] = w->nblock_strings;
		w->raw += len + 2;
	}
	*number = w->local[id - 1];
	return true;
}

/* Keys the event type has; other bits of a mask would be lost in the file. */
static uint32_t valid_keys(const struct event *ev)
{
	uint32_t own = (1u << event_table[ev->type].nkeys) - 1;
	uint32_t common = ((1u << COMMON_KEYS) - 1) << KEY_CPU;

	return ev->have & (own | common);
}

static bool push_event(struct trace_writer *w, const struct event *ev)
{
	struct type_columns *t = &w->columns[ev->type];
	uint32_t have = valid_keys(ev);
	uint32_t i = w->n;

	if (!local_string(w, ev->comm, &w->comms[i]) || !push_value(&t->have, have))
		return false;
	for (uint32_t left = have; left; left &= left - 1) {
		unsigned int k = (unsigned int)__builtin_ctz(left);
		uint64_t v = ev->v[k];

		if (event_key(ev->type, k)->kind == KEY_STRING && !local_string(w, v, &v))
			return false;
		if (!push_value(&t->keys[k], v))
			return false;
		w->raw += sizeof(v);
	}
	w->types[i] = ev->type;
	w->times[i] = ev->t_ns;
	w->cpus[i] = (uint64_t)((int64_t)ev->cpu + 1);
	w->tgids[i] = (uint64_t)((int64_t)ev->tgid + 1);
	w->raw += 2 * sizeof(uint64_t);
	t->count++;
	w->n++;
	return true;
}

int trace_write(struct trace_writer *w, const struct event *ev, struct error *e)
{
	if (w->error)
		return fail_writer(w, w->error, e);
	if (ev->type >= EV_NR || ev->cpu < -1 || ev->tgid < -1)
		return error_set(e, -EINVAL, "%s: event with type %u, cpu %d, tgid %d", w->path,
				 ev->type, ev->cpu, ev->tgid);
	if (ev->t_ns < w->last_ns)
		return error_set(e, -EINVAL, "%s: event at %llu ns after one at %llu ns", w->path,
				 (unsigned long long)ev->t_ns, (unsigned long long)w->last_ns);
	if (!w->n)
		w->first_ns = ev->t_ns;
	if (!push_event(w, ev))
		return fail_writer(w, -ENOMEM, e);
	w->last_ns = ev->t_ns;
	if (w->n == WIRE_BLOCK_EVENTS || w->raw >= BLOCK_RAW_MAX)
		return trace_flush(w, e);
	return 0;
}

void trace_write_lost(struct trace_writer *w, unsigned int cpu, uint64_t n)
{
	if (cpu >= w->ncpus) {
		struct loss *bigger;

		if (cpu >= 1u << 16)
			cpu = (1u << 16) - 1;
		bigger = realloc(w->loss, (cpu + 1) * sizeof(*bigger));
		if (!bigger) {
			w->error = w->error ? w->error : -ENOMEM;
			return;
		}
		if (cpu >= w->ncpus)
			memset(bigger + w->ncpus, 0, (cpu + 1 - w->ncpus) * sizeof(*bigger));
		w->loss = bigger;
		w->ncpus = cpu >= w->ncpus ? cpu + 1 : w->ncpus;
	}
	w->loss[cpu].block += n;
	w->loss[cpu].total += n;
	w->block_loss |= n != 0;
}

static void put_losses(struct trace_writer *w)
{
	uint32_t n = 0;

	for (unsigned int c = 0; c < w->ncpus; c++)
		n += w->loss[c].block != 0;
	bytes_varint(&w->payload, n);
	for (unsigned int c = 0; c < w->ncpus; c++) {
		if (!w->loss[c].block)
			continue;
		bytes_varint(&w->payload, c);
		bytes_varint(&w->payload, w->loss[c].block);
		w->loss[c].block = 0;
	}
	w->block_loss = false;
}

static void put_strings(struct trace_writer *w)
{
	bytes_varint(&w->payload, w->nblock_strings);
	for (uint32_t i = 0; i < w->nblock_strings; i++) {
		size_t len;
		const char *s = strpool_get(w->strings, w->block_strings[i], &len);

		bytes_varint(&w->payload, len);
		bytes_put(&w->payload, s, len);
		w->local[w->block_strings[i] - 1] = 0;
	}
	w->nblock_strings = 0;
}

static uint32_t put_column(struct trace_writer *w, uint8_t type, uint8_t key, const uint64_t *v,
			   uint32_t n)
{
	if (!n)
		return 0;
	column_encode(w->encoder, &w->directory, &w->data, type, key, v, n);
	return 1;
}

static void put_columns(struct trace_writer *w)
{
	uint32_t columns = 0;

	columns += put_column(w, COL_OF_EVENTS, COL_TYPES, w->types, w->n);
	columns += put_column(w, COL_OF_EVENTS, COL_TIMES, w->times, w->n);
	columns += put_column(w, COL_OF_EVENTS, COL_CPUS, w->cpus, w->n);
	columns += put_column(w, COL_OF_EVENTS, COL_TGIDS, w->tgids, w->n);
	columns += put_column(w, COL_OF_EVENTS, COL_COMMS, w->comms, w->n);
	for (unsigned int t = 0; t < EV_NR; t++) {
		struct type_columns *c = &w->columns[t];

		if (!c->count)
			continue;
		columns += put_column(w, (uint8_t)t, COL_HAVE, c->have.v, c->have.n);
		c->have.n = 0;
		c->count = 0;
		for (unsigned int k = 0; k < EVENT_KEYS; k++) {
			columns +=
				put_column(w, (uint8_t)t, (uint8_t)k, c->keys[k].v, c->keys[k].n);
			c->keys[k].n = 0;
		}
	}
	bytes_varint(&w->payload, columns);
	bytes_varint(&w->payload, w->directory.len);
	bytes_put(&w->payload, w->directory.p, w->directory.len);
	bytes_put(&w->payload, w->data.p, w->data.len);
}

/* Keep the index small for any length of trace: when it is full, every second entry goes. */
static void add_index(struct trace_writer *w, const struct section *s, uint64_t offset)
{
	if (s->number % w->stride)
		return;
	if (w->nindex == WIRE_INDEX_MAX) {
		for (uint32_t i = 0; i < WIRE_INDEX_MAX / 2; i++)
			w->index[i] = w->index[2 * i];
		w->nindex = WIRE_INDEX_MAX / 2;
		w->stride *= 2;
	}
	w->index[w->nindex++] = (struct index_entry){ offset, s->first_event, s->first_ns };
}

int trace_flush(struct trace_writer *w, struct error *e)
{
	struct section s = { .kind = SECTION_BLOCK };
	uint64_t offset = w->bytes;
	int ret;

	if (w->error)
		return fail_writer(w, w->error, e);
	if (!w->n && !w->block_loss)
		return 0;
	w->payload.len = 0;
	w->directory.len = 0;
	w->data.len = 0;
	put_losses(w);
	put_strings(w);
	put_columns(w);
	if (w->payload.failed || w->directory.failed || w->data.failed)
		return fail_writer(w, -ENOMEM, e);
	s.number = w->blocks;
	s.first_event = w->events;
	s.events = w->n;
	s.first_ns = w->n ? w->first_ns : w->last_ns;
	s.last_ns = w->last_ns;
	ret = write_section(w, &s, &w->payload);
	if (ret)
		return fail_writer(w, ret, e);
	add_index(w, &s, offset);
	w->blocks++;
	w->events += w->n;
	w->n = 0;
	w->raw = 0;
	return 0;
}

uint64_t trace_written(const struct trace_writer *w, uint64_t *events)
{
	if (events)
		*events = w->events;
	return w->bytes;
}

/* A loss line per CPU that lost anything, unless the recorder brings its own. */
static void put_loss_lines(struct trace_writer *w, const struct trace_header *closing)
{
	size_t from = 0;
	char line[64];

	if (closing && trace_header_next_directive(closing, "loss", &from))
		return;
	for (unsigned int c = 0; c < w->ncpus; c++) {
		if (!w->loss[c].total)
			continue;
		bytes_put(&w->payload, line,
			  (size_t)snprintf(line, sizeof(line), "# loss cpu=%u n=%llu\n", c,
					   (unsigned long long)w->loss[c].total));
	}
}

static int write_footer(struct trace_writer *w, const struct trace_header *closing)
{
	struct section s = { .kind = SECTION_FOOTER };
	uint8_t trailer[WIRE_TRAILER];
	uint64_t offset = w->bytes;
	size_t done;
	int ret;

	w->payload.len = 0;
	bytes_u32(&w->payload, w->nindex);
	bytes_u32(&w->payload, w->stride);
	for (uint32_t i = 0; i < w->nindex; i++) {
		bytes_u64(&w->payload, w->index[i].offset);
		bytes_u64(&w->payload, w->index[i].first_event);
		bytes_u64(&w->payload, w->index[i].first_ns);
	}
	if (closing)
		put_header_text(&w->payload, closing);
	put_loss_lines(w, closing);
	if (w->payload.failed)
		return -ENOMEM;
	s.number = w->blocks;
	s.first_event = w->events;
	s.first_ns = w->last_ns;
	s.last_ns = w->last_ns;
	ret = write_section(w, &s, &w->payload);
	if (ret)
		return ret;
	trailer_encode(trailer, offset);
	ret = file_write_all(w->fd, trailer, sizeof(trailer), &done);
	if (!ret)
		w->bytes += sizeof(trailer);
	return ret;
}

/* The last block and the footer. */
static int write_end(struct trace_writer *w, const struct trace_header *closing, struct error *e)
{
	int ret = trace_flush(w, e);

	if (ret)
		return ret;
	ret = write_footer(w, closing);
	return ret ? fail_writer(w, ret, e) : 0;
}

/* NFS and quotas report a full disk only when the file is closed. */
static int close_writer(struct trace_writer *w)
{
	int ret = 0;

	while (w->seekable && !ret && fsync(w->fd))
		ret = errno == EINTR ? 0 : -errno;
	if (close(w->fd) && !ret)
		ret = -errno;
	w->fd = -1;
	return ret;
}

int trace_finish(struct trace_writer *w, const struct trace_header *closing, struct error *e)
{
	int ret = write_end(w, closing, e);

	if (!ret && w->out) {
		ret = output_commit(w->out, e);
		w->out = NULL;
		w->fd = -1;
	} else if (!ret) {
		ret = close_writer(w);
		if (ret)
			fail_writer(w, ret, e);
	}
	writer_free(w);
	return ret;
}

int trace_finish_keep(struct trace_writer *w, const struct trace_header *closing, int *fd,
		      struct error *e)
{
	int ret = write_end(w, closing, e);

	if (!ret) {
		*fd = w->fd;
		w->fd = -1;
	}
	writer_free(w);
	return ret;
}

int trace_finish_counted(struct trace_writer *w, const struct trace_header *closing,
			 uint64_t *events, struct error *e)
{
	int ret = trace_flush(w, e);

	*events = w->events;
	if (!ret)
		return trace_finish(w, closing, e);
	writer_free(w);
	return ret;
}

void trace_abandon(struct trace_writer *w)
{
	if (w)
		writer_free(w);
}
