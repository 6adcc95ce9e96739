// SPDX-License-Identifier: GPL-2.0
#include "traces/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/bytes.h"

#define WINDOW (64u << 10)

void trace_close(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	trace_header_free(r->header);
	block_free(r->block);
	strpool_free(r->strings);
	free(r->footer.index);
	free(r->cpu_lost);
	free(r->name);
	free(r);
}

const struct trace_header *trace_get_header(const struct trace_reader *r)
{
	return r->header;
}

const struct trace_stats *trace_get_stats(const struct trace_reader *r)
{
	return &r->stats;
}

uint64_t trace_get_lost(const struct trace_reader *r, unsigned int *cpu)
{
	while (*cpu < r->ncpus && !r->cpu_lost[*cpu])
		(*cpu)++;
	return *cpu < r->ncpus ? r->cpu_lost[*cpu] : 0;
}

uint64_t trace_bytes(const struct trace_reader *r)
{
	return r->size;
}

const char *trace_string(const struct trace_reader *r, uint32_t id, size_t *len)
{
	return strpool_get(r->strings, id, len);
}

/* Loss is told in up to three places that count the same events: the largest figure holds. */
static void update_lost(struct trace_reader *r)
{
	uint64_t most = r->line_lost;

	if (r->block_lost > most)
		most = r->block_lost;
	if (r->event_lost > most)
		most = r->event_lost;
	r->stats.lost = most;
	r->stats.loss_known = r->opened.loss_known || most;
}

uint64_t trace_lost(const struct trace_stats *s)
{
	return s->loss_known ? s->lost : LOST_UNKNOWN;
}

void reader_start(struct trace_reader *r)
{
	r->stats = r->opened;
	r->block_lost = 0;
	r->event_lost = 0;
	r->ncpus = 0;
	r->pos = r->first;
	r->next_number = 0;
	r->next_event = 0;
	r->last_ns = 0;
	r->row = 0;
	r->rows = 0;
	update_lost(r);
}

int trace_rewind(struct trace_reader *r, struct error *e)
{
	(void)e; /* the file stays open, so nothing can fail so far */
	reader_start(r);
	return 0;
}

bool reader_head(struct trace_reader *r, uint64_t pos, struct section *s)
{
	uint8_t head[WIRE_HEAD];

	if (file_read_at(r->fd, head, sizeof(head), pos) != (int64_t)sizeof(head))
		return false;
	return section_decode(head, sizeof(head), s) && s->version == WIRE_VERSION;
}

/* Is there a head at @pos? Heads of later versions may be longer than ours. */
static bool head_of_any_version(struct trace_reader *r, uint64_t pos, struct section *s)
{
	uint8_t head[WIRE_HEAD_MAX];
	int64_t got = file_read_at(r->fd, head, sizeof(head), pos);

	return got > 0 && section_decode(head, (size_t)got, s);
}

int64_t reader_find_section(struct trace_reader *r, uint64_t from, uint64_t limit, bool newer,
			    struct section *s)
{
	uint8_t window[WINDOW];

	while (from < limit) {
		uint64_t want = limit - from < sizeof(window) ? limit - from : sizeof(window);
		int64_t got = file_read_at(r->fd, window, want, from);
		const uint8_t *p = window, *end = window + (got > 0 ? got : 0);

		if (got < 0)
			return got;
		if (got < WIRE_MAGIC_LEN)
			break;
		while ((p = memchr(p, (uint8_t)WIRE_MAGIC[0], (size_t)(end - p)))) {
			uint64_t pos = from + (uint64_t)(p - window);

			if (end - p < WIRE_MAGIC_LEN)
				break;
			if (!memcmp(p, WIRE_MAGIC, WIRE_MAGIC_LEN) &&
			    (reader_head(r, pos, s) || (newer && head_of_any_version(r, pos, s))))
				return (int64_t)pos;
			p++;
		}
		/* A magic may straddle two windows. */
		from += (uint64_t)got - (WIRE_MAGIC_LEN - 1);
	}
	return (int64_t)limit;
}

/* No section at r->pos: go to the next one and count what lies between. */
static int skip_damage(struct trace_reader *r, struct error *e)
{
	struct section s;
	int64_t next = reader_find_section(r, r->pos + 1, r->end, false, &s);

	if (next < 0)
		return error_errno(e, (int)next, "cannot read %s", r->name);
	r->stats.damaged_bytes += (uint64_t)next - r->pos;
	r->pos = (uint64_t)next;
	return 0;
}

/* Blocks that should stand before the one numbered @number are gone. */
static void count_missing(struct trace_reader *r, uint64_t number, uint64_t first_event)
{
	if (number > r->next_number)
		r->stats.damaged_blocks += number - r->next_number;
	if (first_event > r->next_event)
		r->stats.damaged_events += first_event - r->next_event;
	r->next_number = number;
	r->next_event = first_event;
}

uint64_t reader_check_gap(struct trace_reader *r, uint64_t pos)
{
	uint8_t gap[WIRE_GAP];
	int64_t got = file_read_at(r->fd, gap, sizeof(gap), pos);
	uint64_t damaged = 0;

	for (int64_t i = 0; i < got; i++)
		damaged += gap[i] != 0;
	return damaged;
}

static void count_broken(struct trace_reader *r, const struct section *s)
{
	r->stats.damaged_blocks++;
	r->stats.damaged_events += s->events;
	r->stats.damaged_bytes += s->head_len + s->payload_len;
}

/* Payload of the section at r->pos into the block's buffer. 1: whole; 0: broken; negative: error.
 */
static int read_payload(struct trace_reader *r, const struct section *s, struct error *e)
{
	uint8_t *p = block_buffer(r->block, (size_t)s->payload_len + 1);
	int64_t got;

	if (!p)
		return error_errno(e, -ENOMEM, "%s: block of %llu bytes", r->name,
				   (unsigned long long)s->payload_len);
	got = file_read_at(r->fd, p, (size_t)s->payload_len, r->pos + s->head_len);
	if (got < 0)
		return error_errno(e, (int)got, "cannot read %s", r->name);
	return (uint64_t)got == s->payload_len && section_payload_ok(s, p);
}

static int load_payload(struct trace_reader *r, const struct section *s, struct error *e)
{
	int ret = read_payload(r, s, e);

	if (ret <= 0)
		return ret;
	ret = block_load(r->block, s);
	if (ret == -ENOMEM)
		return error_errno(e, ret, "%s: block %llu", r->name,
				   (unsigned long long)s->number);
	return !ret;
}

static void count_losses(struct trace_reader *r)
{
	uint32_t lines = block_count(r->block, EV_LOST);
	const uint64_t *v = lines ? block_column(r->block, EV_LOST, LOST_N) : NULL;
	struct cursor c = { 0 };
	uint64_t n;
	uint32_t cpu;

	while (block_next_loss(r->block, &c, &cpu, &n)) {
		r->block_lost += n;
		if (cpu >= r->ncpus) {
			uint64_t *bigger = realloc(r->cpu_lost, (cpu + 1) * sizeof(*bigger));

			if (!bigger)
				continue;
			memset(bigger + r->ncpus, 0, (cpu + 1 - r->ncpus) * sizeof(*bigger));
			r->cpu_lost = bigger;
			r->ncpus = cpu + 1;
		}
		r->cpu_lost[cpu] += n;
	}
	for (uint32_t i = 0; v && i < lines; i++)
		r->event_lost += v[i];
	update_lost(r);
}

static void leave_section(struct trace_reader *r, const struct section *s)
{
	r->stats.damaged_bytes += reader_check_gap(r, r->pos + s->head_len + s->payload_len);
	r->pos += section_bytes(s);
}

/* The section at r->pos is a block: 1 read it, 0 skipped it. */
static int read_block(struct trace_reader *r, const struct section *s, struct error *e)
{
	bool in_order = s->number >= r->next_number && s->first_ns >= r->last_ns &&
			s->first_event >= r->next_event;
	int ret = in_order ? load_payload(r, s, e) : 0;

	if (ret < 0)
		return ret;
	/* A block that stands at the wrong place tells nothing about its neighbours. */
	if (in_order) {
		count_missing(r, s->number, s->first_event);
		r->next_number++;
		r->next_event += s->events;
	}
	if (ret) {
		r->stats.blocks++;
		r->last_ns = s->last_ns;
		count_losses(r);
	} else if (in_order) {
		count_broken(r, s);
	} else {
		r->stats.damaged_bytes += section_bytes(s);
	}
	leave_section(r, s);
	return ret;
}

static void finish_reading(struct trace_reader *r)
{
	if (r->footer.present)
		count_missing(r, r->footer.blocks, r->footer.events);
}

/* The next block with events in it: 1, 0 at the end. */
static int load_next(struct trace_reader *r, struct error *e)
{
	while (r->pos < r->end) {
		struct section s;
		int ret;

		if (!reader_head(r, r->pos, &s)) {
			ret = skip_damage(r, e);
		} else if (r->pos + s.head_len + s.payload_len > r->end) {
			/* Torn by a crash, or its end was cut off: there is nothing behind it. */
			r->stats.damaged_bytes += r->end - r->pos;
			r->pos = r->end;
			ret = 0;
		} else if (s.kind == SECTION_BLOCK) {
			ret = read_block(r, &s, e);
			if (ret > 0 && !s.events)
				ret = 0;
		} else {
			/* The second copy of the header, most likely: not needed, but checked. */
			ret = read_payload(r, &s, e);
			if (!ret)
				r->stats.damaged_bytes += s.head_len + s.payload_len;
			leave_section(r, &s);
			ret = ret < 0 ? ret : 0;
		}
		if (ret)
			return ret;
	}
	finish_reading(r);
	return 0;
}

int trace_next_block(struct trace_reader *r, const struct trace_block **b, struct error *e)
{
	int ret = load_next(r, e);

	if (ret > 0) {
		*b = r->block;
		r->stats.events += block_events(r->block);
	}
	return ret;
}

int trace_next(struct trace_reader *r, struct event *ev, struct error *e)
{
	for (;;) {
		int ret;

		if (r->row < r->rows) {
			if (block_event(r->block, r->row, ev)) {
				r->row++;
				r->stats.events++;
				return 1;
			}
			/* Only the first row can fail: all columns are decoded there. */
			r->stats.blocks--;
			r->stats.damaged_blocks++;
			r->stats.damaged_events += r->rows;
			r->rows = 0;
		}
		ret = load_next(r, e);
		if (ret <= 0)
			return ret;
		r->row = 0;
		r->rows = block_events(r->block);
	}
}

int trace_seek(struct trace_reader *r, uint64_t t_ns, struct error *e)
{
	const struct trace_footer *f = &r->footer;
	uint32_t low = 0, high = f->nindex;
	struct section s;

	(void)e;
	reader_start(r);
	/* Events at t_ns may begin in the block before the first one that starts at t_ns. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (load_u64(f->index + (size_t)middle * INDEX_ENTRY + 16) < t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	low--;
	/* The index is a hint: where it points to no such block, reading begins at the start. */
	high = low * f->stride;
	if (!reader_head(r, load_u64(f->index + (size_t)low * INDEX_ENTRY), &s) ||
	    s.kind != SECTION_BLOCK || s.number != high)
		return 0;
	r->pos = load_u64(f->index + (size_t)low * INDEX_ENTRY);
	r->next_number = s.number;
	r->next_event = s.first_event;
	return 0;
}
