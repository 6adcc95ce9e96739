// SPDX-License-Identifier: GPL-2.0
#include "replay/world/survey_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void read_header(struct survey *s, const struct trace_header *h)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);
	uint64_t value, prev, last;

	for (unsigned int i = 0; i < n; i++) {
		if (d[i].type < SLOT_DEVICES && d[i].have_pages)
			survey_set_pages(s, &s->dev[d[i].type], d[i].pages);
		swap_device_on(&s->devices, d[i].type, 0, d[i].have_flags, d[i].flags);
	}
	for (unsigned int t = 0; t < SLOT_DEVICES; t++)
		s->dev[t].limit = slots_limit(s->dev[t].pages);
	s->vma_ra = !trace_header_u64(h, "vma_ra", &value) || value;
	s->leaving = -1;
	s->page_cluster = -1;
	if (trace_header_u64(h, "page_cluster", &value))
		survey_tell_page_cluster(s, value);
	s->page_shift = 12;
	if (trace_header_u64(h, "page_size", &value) && geometry_believes(value))
		s->page_shift = (unsigned int)__builtin_ctzll(value);
	if (trace_header_u64(h, "hits", &value) && trace_header_u64(h, "prev", &prev) &&
	    trace_header_u64(h, "last", &last)) {
		s->snapshot = true;
		s->hits = (uint32_t)value;
		s->prev = prev;
		s->last = (uint32_t)last;
	}
}

static void count_assumed(struct survey *s)
{
	/* A lookup's answer tells about the start only if the reads of the trace are known too. */
	bool reads_known = s->events[EV_READ] || s->events[EV_CACHE];

	for (uint64_t r = 0; r < slot_numbers_total(&s->numbers); r++) {
		uint8_t *start = &s->start[r];

		if (*start & START_BY_LOOKUP && !reads_known)
			*start &= (uint8_t) ~(START_CACHED | START_MARKED);
		s->assumed += *start & START_IN_USE && !(*start & START_FROM_SNAPSHOT);
		s->in_use |= (*start & START_IN_USE) != 0;
	}
}

/* An array follows its stretches to their new places. */
static int move_stretches(void **array, const struct survey *s, const uint32_t *from, size_t size)
{
	char *sorted;

	if (!*array)
		return 0;
	sorted = malloc(slot_numbers_total(&s->numbers) * size + 1);
	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->numbers.n; i++)
		memcpy(sorted + (size_t)i * SLOT_STRETCH * size,
		       (char *)*array + (size_t)from[i] * SLOT_STRETCH * size, SLOT_STRETCH * size);
	free(*array);
	*array = sorted;
	return 0;
}

/* Slots that lie side by side get numbers that do. */
static int sort_numbers(struct survey *s)
{
	uint32_t *from = malloc((s->numbers.n + 1ul) * sizeof(*from));
	bool sorted = true;
	int ret = 0;

	if (!from)
		return -ENOMEM;
	slot_numbers_sort(&s->numbers, from);
	for (uint32_t i = 0; i < s->numbers.n; i++)
		sorted &= from[i] == i;
	if (!sorted) {
		ret = move_stretches((void **)&s->start, s, from, sizeof(*s->start));
		if (!ret)
			ret = move_stretches((void **)&s->refs, s, from, sizeof(*s->refs));
		if (!ret)
			ret = move_stretches((void **)&s->owner, s, from, sizeof(*s->owner));
		if (!ret)
			ret = move_stretches((void **)&s->instance, s, from, sizeof(*s->instance));
	}
	free(from);
	return ret;
}

static int walk(struct survey *s, struct trace_reader *r, struct error *e)
{
	const struct trace_block *b;
	struct view_wanted w;
	struct block_view view;
	int ret;

	while ((ret = trace_next_block(r, &b, e)) > 0) {
		ret = view_load(&view, b, survey_wanted(s, &w, b));
		if (!ret)
			ret = survey_block(s, &view);
		if (ret < 0)
			return error_errno(e, ret, "cannot survey the trace");
		if (ret)
			return ret;
	}
	return ret;
}

static void begin(struct survey *s, struct trace_reader *r, enum survey_owners owners)
{
	memset(s, 0, sizeof(*s));
	s->owners_where = owners;
	read_header(s, trace_get_header(r));
}

int survey_trace(struct survey *s, struct trace_reader *r, enum survey_owners owners,
		 struct error *e)
{
	int ret;

	begin(s, r, owners);
	ret = walk(s, r, e);
	if (ret == SURVEY_AGAIN) {
		ret = trace_rewind(r, e);
		survey_free(s);
		begin(s, r, owners);
		s->owners = true;
		if (!ret)
			ret = walk(s, r, e);
	}
	if (ret < 0)
		return ret;
	s->view = NULL;
	ret = sort_numbers(s);
	if (ret)
		return error_errno(e, ret, "cannot survey the trace");
	count_assumed(s);
	return trace_rewind(r, e);
}

void survey_free(struct survey *s)
{
	slot_numbers_free(&s->numbers);
	free(s->start);
	free(s->refs);
	free(s->owner);
	free(s->instance);
	histogram_free(&s->windows[0]);
	histogram_free(&s->windows[1]);
	map_free(&s->vmas);
	free(s->vma);
	free(s->born);
	memset(s, 0, sizeof(*s));
}
