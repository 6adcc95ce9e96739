// SPDX-License-Identifier: GPL-2.0
#include "traces/gen_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_PAGES (1u << (GEN_ORDERS - 1))

uint64_t gen_memory_pages(uint64_t pages)
{
	/* Each order has a block of its own that it may leave half used, and fills them in turn. */
	return pages + (uint64_t)(GEN_ORDERS + 1) * BLOCK_PAGES;
}

int gen_memory_init(struct gen_memory *m, struct gen_stream *s, uint64_t pages, bool queued)
{
	memset(m, 0, sizeof(*m));
	m->s = s;
	m->queued = queued;
	m->room = pages;
	m->state = calloc(pages, sizeof(*m->state));
	m->next = calloc(pages, sizeof(*m->next));
	return m->state && m->next ? 0 : -ENOMEM;
}

void gen_memory_free(struct gen_memory *m)
{
	free(m->state);
	free(m->next);
	memset(m, 0, sizeof(*m));
}

/* --- the queue ------------------------------------------------------------------------------- */

static void push(struct gen_memory *m, uint32_t head)
{
	m->next[head] = 0;
	if (m->oldest)
		m->next[m->youngest] = head + 1;
	else
		m->oldest = head + 1;
	m->youngest = head;
}

static uint32_t pop(struct gen_memory *m)
{
	uint32_t head = m->oldest - 1;

	m->oldest = m->next[head];
	return head;
}

/* --- events ---------------------------------------------------------------------------------- */

static int swap_out(struct gen_memory *m, uint32_t head, unsigned int order)
{
	uint32_t n = 1u << order;
	struct event ev;
	int ret;

	event_init(&ev, EV_SWAPOUT, 0);
	event_set(&ev, SWAPOUT_ORDER, order);
	ret = gen_emit(m->s, &ev);
	if (ret)
		return ret;
	event_init(&ev, EV_ALLOC, 0);
	event_set(&ev, ALLOC_ORDER, order);
	event_set(&ev, ALLOC_TYPE, GEN_IMAGINARY);
	event_set(&ev, ALLOC_OFF, head + 1ull);
	for (uint32_t i = 0; i < n; i++)
		m->state[head + i] = (uint8_t)(order | GEN_PAGE_WRITTEN | GEN_PAGE_OUT);
	m->resident -= n;
	return gen_emit(m->s, &ev);
}

static int drop(struct gen_memory *m, uint32_t page, uint64_t n, enum unref_how how)
{
	struct event ev;

	event_init(&ev, EV_UNREF, 0);
	event_set(&ev, UNREF_TYPE, GEN_IMAGINARY);
	event_set(&ev, UNREF_OFF, page + 1ull);
	event_set(&ev, UNREF_N, n);
	event_set(&ev, UNREF_HOW, how);
	return gen_emit(m->s, &ev);
}

/* --- what the workload does ------------------------------------------------------------------- */

static void settle(struct gen_memory *m, uint32_t head, unsigned int order)
{
	for (uint32_t i = 0; i < 1u << order; i++)
		m->state[head + i] = (uint8_t)(order | GEN_PAGE_WRITTEN);
	m->state[head] |= GEN_PAGE_YOUNG;
	m->resident += 1u << order;
	if (m->queued)
		push(m, head);
}

int gen_memory_write(struct gen_memory *m, unsigned int order, uint32_t *head)
{
	if (order >= GEN_ORDERS)
		return -EINVAL;
	if (!m->open_left[order]) {
		if (m->room - m->top < BLOCK_PAGES)
			return -ENOMEM;
		m->open[order] = (uint32_t)m->top;
		m->open_left[order] = BLOCK_PAGES;
		m->top += BLOCK_PAGES;
	}
	*head = m->open[order];
	m->open[order] += 1u << order;
	m->open_left[order] -= 1u << order;
	settle(m, *head, order);
	return 0;
}

int gen_memory_access(struct gen_memory *m, uint32_t page)
{
	uint32_t size = 1u << (m->state[page] & GEN_PAGE_ORDER);

	if (!(m->state[page] & GEN_PAGE_OUT)) {
		m->state[page & ~(size - 1)] |= GEN_PAGE_YOUNG;
		return 0;
	}
	settle(m, page, 0);
	return drop(m, page, 1, UNREF_SWAPIN);
}

/* Where the pages that are out lie in a row they are dropped in one go. */
static int drop_range(struct gen_memory *m, uint32_t page, uint32_t n)
{
	uint32_t i = 0, end;
	int ret = 0;

	while (i < n && !ret) {
		if (!(m->state[page + i] & GEN_PAGE_OUT)) {
			i++;
			continue;
		}
		for (end = i + 1; end < n && m->state[page + end] & GEN_PAGE_OUT; end++)
			;
		ret = drop(m, page + i, end - i, UNREF_ZAP);
		i = end;
	}
	return ret;
}

int gen_memory_discard(struct gen_memory *m, uint32_t page, unsigned int order)
{
	uint32_t n = 1u << order;
	int ret = drop_range(m, page, n);

	for (uint32_t i = 0; i < n; i++)
		m->resident -= !(m->state[page + i] & GEN_PAGE_OUT);
	settle(m, page, order);
	return ret;
}

int gen_memory_shrink(struct gen_memory *m, uint64_t limit)
{
	int ret = 0;

	while (m->resident > limit && m->oldest && !ret) {
		uint32_t head = pop(m);
		unsigned int order = m->state[head] & GEN_PAGE_ORDER;

		if (m->s->o->second_chance && m->state[head] & GEN_PAGE_YOUNG) {
			m->state[head] &= (uint8_t)~GEN_PAGE_YOUNG;
			push(m, head);
			continue;
		}
		ret = swap_out(m, head, order);
	}
	return ret;
}

int gen_memory_out(struct gen_memory *m, uint32_t page, uint64_t n)
{
	uint64_t i = 0;
	int ret = 0;

	while (i < n && !ret) {
		uint8_t state = m->state[page + i];
		unsigned int order = state & GEN_PAGE_ORDER;

		if (!(state & GEN_PAGE_WRITTEN) || state & GEN_PAGE_OUT) {
			i++;
			continue;
		}
		ret = swap_out(m, page + (uint32_t)i, order);
		i += 1ull << order;
	}
	return ret;
}
