/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_GEN_PRIV_H
#define SWAPTRACE_TRACES_GEN_PRIV_H

#include "traces/gen.h"
#include "traces/trace.h"

/* What the generators share: the stream of events, random numbers, a memory under pressure. */

#define GEN_REAL 0	/* the device that policies allocate from */
#define GEN_IMAGINARY 1 /* its slots are names of pages */

struct gen_stream {
	const struct gen_options *o;
	struct trace_writer *w;
	uint64_t t_ns;
	uint64_t rng;
	unsigned int cpu; /* of the step under way */
	struct error *e;
};

/** gen_random - a number below @n (at least 1); splitmix64, the small bias for large @n kept */
uint64_t gen_random(struct gen_stream *s, uint64_t n);

/** gen_emit - append @ev at the next time stamp on the current CPU; 0 or -errno */
int gen_emit(struct gen_stream *s, struct event *ev);

/*
 * The memory of a workload: pages numbered in a row, folios aligned to their size, those in memory
 * in one queue by age. Nothing here knows where the data is while it is out.
 */
struct gen_memory {
	struct gen_stream *s;
	bool queued;	 /* the queue is kept: gen_memory_shrink() */
	uint64_t room;	 /* pages of the arrays */
	uint64_t top;	 /* pages numbered so far */
	uint8_t *state;	 /* [page]: order of its folio, and GEN_PAGE_* */
	uint32_t *next;	 /* [head page of a folio in memory]: the next younger one, plus one */
	uint32_t oldest; /* plus one, 0: the queue is empty */
	uint32_t youngest;
	uint64_t resident;	   /* pages in memory */
	uint32_t open[GEN_ORDERS]; /* next page of the block that folios of the order come from */
	uint32_t open_left[GEN_ORDERS]; /* pages left in it */
};

#define GEN_PAGE_ORDER 0x0f
#define GEN_PAGE_WRITTEN 0x10 /* exists */
#define GEN_PAGE_OUT 0x20     /* is in swap */
#define GEN_PAGE_YOUNG 0x40   /* head page: the folio was accessed since it was last looked at */

/**
 * gen_memory_init - for up to @pages pages
 * @queued: for gen_memory_shrink(), and then without gen_memory_discard() and gen_memory_out(),
 *	    which take folios out of the middle
 * 0 or -ENOMEM; free with gen_memory_free() in any case.
 */
int gen_memory_init(struct gen_memory *m, struct gen_stream *s, uint64_t pages, bool queued);
void gen_memory_free(struct gen_memory *m);

/** gen_memory_pages - room that @pages pages in folios of any order take at the most */
uint64_t gen_memory_pages(uint64_t pages);

/** gen_memory_write - a new folio of @order; its head page goes to *@head. 0, -ENOMEM or -EINVAL.
 */
int gen_memory_write(struct gen_memory *m, unsigned int order, uint32_t *head);

/** gen_memory_access - access to a written page: one that is out comes in alone, as order 0 */
int gen_memory_access(struct gen_memory *m, uint32_t page);

/** gen_memory_discard - 2^@order pages from @page on are given up and written anew as one folio */
int gen_memory_discard(struct gen_memory *m, uint32_t page, unsigned int order);

/** gen_memory_shrink - the oldest folios go out until no more than @limit pages are in memory */
int gen_memory_shrink(struct gen_memory *m, uint64_t limit);

/** gen_memory_out - everything of the @n pages from @page on goes out, in order of addresses */
int gen_memory_out(struct gen_memory *m, uint32_t page, uint64_t n);

/** gen_lookups, gen_mthp, gen_tsat - the events of the patterns; 0 or -errno with the reason */
int gen_lookups(struct gen_stream *s);
int gen_mthp(struct gen_stream *s);
int gen_tsat(struct gen_stream *s);

/** gen_memory_of - pages of the memory that the pattern numbers, 0: it has none */
uint64_t gen_memory_of(const struct gen_options *o);

#endif
