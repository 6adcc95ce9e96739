// SPDX-License-Identifier: GPL-2.0
#include "replay/kernels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "replay/model/alloc.h"

/* clang-format off */
/*
 * Generations of each part, named after the release that brought them. A new release gets a row in
 * the table below, and a generation here where it changed a part.
 *
 * The facts: docs/kernel-facts.md, by section. Readahead: #swapoff, #vma-windows (the left edge),
 * #bypass.
 */
#define RA_5_1 { .swapoff = SWAPOFF_VANILLA }
#define RA_5_8 { .swapoff = SWAPOFF_LOOKUP_FIRST }
#define RA_6_11 { .swapoff = SWAPOFF_LOOKUP_FIRST, .vma_left_clamp = true }
#define RA_6_14 { .swapoff = SWAPOFF_LOOKUP_FIRST, .vma_left_clamp = true, .shmem_bypass = true }
#define RA_6_18 { .swapoff = SWAPOFF_LOOKUP_ONLY, .vma_left_clamp = true, .shmem_bypass = true }
/* Synchronous devices through the swap cache: #bypass. No drain behind windows: #drains. */
#define RA_7_0 { .swapoff = SWAPOFF_LOOKUP_ONLY, .vma_left_clamp = true, .sync_cached = true }
#define RA_7_3 { .swapoff = SWAPOFF_LOOKUP_ONLY, .vma_left_clamp = true, .sync_cached = true, \
		 .no_window_drain = true }

/*
 * Batches: size, operations and mlock's batch (#batches; that of deactivate came with MADV_COLD in 5.4),
 * drains of releases (#releases-of-batches), drain of all CPUs (#drains).
 */
#define OPS_5_4 ((1u << PV_OPS) - 1)
#define OPS_OLD (OPS_5_4 & ~(1u << PV_DEACTIVATE))
#define PV_OLD { .capacity = 14, .policy = PV_DRAIN_ALWAYS, .ops = OPS_OLD }
#define PV_4_15 { .capacity = 15, .policy = PV_DRAIN_ONCE, .ops = OPS_OLD }
#define PV_5_4 { .capacity = 15, .policy = PV_DRAIN_ONCE, .ops = OPS_5_4 }
#define PV_5_18 { .capacity = 15, .policy = PV_DRAIN_ONCE, .ops = OPS_5_4, .mlock = true }
#define PV_6_9 { .capacity = 31, .policy = PV_DRAIN_ONCE, .ops = OPS_5_4, .mlock = true }
#define PV_6_18 { .capacity = 31, .policy = PV_DRAIN_ONCE, .ops = OPS_5_4, .mlock = true, \
		  .all_drains_self = true }

/* Slot search: #allocator-scan and what follows it. Adding to the LRU: #adding-to-the-lru. */
#define SCAN "scan-6.1"
#define EMPTY "mthp-empty-only"
#define C612 "cluster-6.12"
#define C618 "cluster-6.18"
#define C619 "cluster-6.19"
#define C71 "cluster-7.1"

#define PAGEVEC "__pagevec_release"
#define FOLIOS "__folio_batch_release"

/* Parts with an exact model. */
#define R KERNEL_READAHEAD
#define A KERNEL_ALLOCATOR
#define B KERNEL_BATCHES

/*
 * Where a row is exact in a part, the facts say that the part is the same in all its releases:
 *
 * R  5.6 is the oldest whose windows and bypass were read (#cluster-windows, #bypass; late 5.4.y has
 *    the swapoff of 5.8). The arithmetic is one up to 7.3, the newest that was read; what calls it
 *    changes with 6.18 and 7.0 (#who-reads-ahead).
 * A  5.10 to 6.9 are one generation, but 5.10 itself was placed by its neighbours, so 5.15 is the
 *    first (#allocator-scan). 6.14 to 6.17 (#allocator-614) have no model; from 6.19 equal default
 *    priorities share the load (#devices), and 7.1 scans the last cluster to its end
 *    (#allocator-618). When slots become free is as the trace tells it.
 * B  The rules of the batches are known from 4.14 on; 7.2 drops dead folios when it moves a batch
 *    (#batches).
 *
 * What a later release changes that no model asks for has no row.
 */
static const struct kernel kernels[] = {
	{ {  0,  0, 0 }, "v5.6",  0,         RA_5_1,  SCAN,  PAGEVEC, LRUADD_NO_BARRIER,     PV_OLD },
	{ {  4, 14, 0 }, "v5.6",          B, RA_5_1,  SCAN,  PAGEVEC, LRUADD_NO_BARRIER,     PV_OLD },
	{ {  4, 15, 0 }, "v5.6",          B, RA_5_1,  SCAN,  PAGEVEC, LRUADD_NO_BARRIER,     PV_4_15 },
	{ {  4, 17, 0 }, "v5.6",          B, RA_5_1,  SCAN,  PAGEVEC, LRUADD_OUTLINE_MB,     PV_4_15 },
	{ {  5,  4, 0 }, "v5.6",          B, RA_5_1,  SCAN,  PAGEVEC, LRUADD_OUTLINE_MB,     PV_5_4 },
	{ {  5,  6, 0 }, "v5.6",  R     | B, RA_5_1,  SCAN,  PAGEVEC, LRUADD_OUTLINE_MB,     PV_5_4 },
	{ {  5,  7, 0 }, "v5.6",  R     | B, RA_5_1,  SCAN,  PAGEVEC, LRUADD_INLINE_RELAXED, PV_5_4 },
	{ {  5,  8, 0 }, "v6.1",  R     | B, RA_5_8,  SCAN,  PAGEVEC, LRUADD_INLINE_RELAXED, PV_5_4 },
	{ {  5, 15, 0 }, "v6.1",  R | A | B, RA_5_8,  SCAN,  PAGEVEC, LRUADD_INLINE_RELAXED, PV_5_4 },
	{ {  5, 18, 0 }, "v6.1",  R | A | B, RA_5_8,  SCAN,  PAGEVEC, LRUADD_NO_BARRIER,     PV_5_18 },
	{ {  6,  5, 0 }, "v6.1",  R | A | B, RA_5_8,  SCAN,  FOLIOS,  LRUADD_NO_BARRIER,     PV_5_18 },
	{ {  6,  9, 0 }, "v6.1",  R | A | B, RA_5_8,  SCAN,  FOLIOS,  LRUADD_NO_BARRIER,     PV_6_9 },
	{ {  6, 10, 0 }, "v6.1",  R | A | B, RA_5_8,  EMPTY, FOLIOS,  LRUADD_NO_BARRIER,     PV_6_9 },
	{ {  6, 11, 0 }, "v6.12", R | A | B, RA_6_11, EMPTY, FOLIOS,  LRUADD_NO_BARRIER,     PV_6_9 },
	{ {  6, 12, 0 }, "v6.12", R | A | B, RA_6_11, C612,  FOLIOS,  LRUADD_NO_BARRIER,     PV_6_9 },
	{ {  6, 14, 0 }, "v6.12", R     | B, RA_6_14, C612,  FOLIOS,  LRUADD_NO_BARRIER,     PV_6_9 },
	{ {  6, 18, 0 }, "v6.18", R | A | B, RA_6_18, C618,  FOLIOS,  LRUADD_NO_BARRIER,     PV_6_18 },
	{ {  6, 19, 0 }, "v6.19", R | A | B, RA_6_18, C619,  FOLIOS,  LRUADD_NO_BARRIER,     PV_6_18 },
	{ {  7,  0, 0 }, "v7.0",  R | A | B, RA_7_0,  C619,  FOLIOS,  LRUADD_NO_BARRIER,     PV_6_18 },
	{ {  7,  1, 0 }, "v7.0",  R | A | B, RA_7_0,  C71,   FOLIOS,  LRUADD_NO_BARRIER,     PV_6_18 },
	{ {  7,  2, 0 }, "v7.0",  R | A,     RA_7_0,  C71,   FOLIOS,  LRUADD_NO_BARRIER,     PV_6_18 },
	{ {  7,  3, 0 }, "v7.3",  R | A,     RA_7_3,  C71,   FOLIOS,  LRUADD_NO_BARRIER,     PV_6_18 },
	{ {  7,  4, 0 }, "v7.3",  0,         RA_7_3,  C71,   FOLIOS,  LRUADD_NO_BARRIER,     PV_6_18 },
};
/* clang-format on */
#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

const struct kernel *kernel_find(const struct kernel_release *r)
{
	size_t i = KERNELS - 1;

	while (i && kernel_release_compare(r, &kernels[i].since) < 0)
		i--;
	return &kernels[i];
}

const struct kernel *kernel_by_name(const char *name)
{
	struct kernel_release r;
	const struct kernel *k;

	if (*name != 'v' || !kernel_release_parse(&r, name + 1))
		return NULL;
	k = kernel_find(&r);
	return strcmp(k->name, name) ? NULL : k;
}

/* Adds @word to the list in @out. */
static void list(char *out, size_t size, const char *word)
{
	size_t len = strlen(out);

	snprintf(out + len, size - len, "%s%s", len ? ", " : "", word);
}

const struct kernel *kernel_at(unsigned int i)
{
	return i < KERNELS ? &kernels[i] : NULL;
}

void kernel_names(char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < KERNELS; i++)
		if (!i || strcmp(kernels[i].name, kernels[i - 1].name))
			list(out, size, kernels[i].name);
}

void kernel_part_names(unsigned int parts, char *out, size_t size)
{
	out[0] = '\0';
	if (parts & KERNEL_READAHEAD)
		list(out, size, "readahead");
	if (parts & KERNEL_ALLOCATOR)
		list(out, size, "slot allocator");
	if (parts & KERNEL_BATCHES)
		list(out, size, "per-CPU batches");
}

void kernel_of_release(struct kernel *k, const char *release)
{
	struct kernel_release r = { 6, 12, 0 };
	bool read = release && kernel_release_parse(&r, release);

	*k = *kernel_find(&r);
	if (!release)
		k->exact &= ~(unsigned int)KERNEL_ALLOCATOR;
	else if (!read)
		k->exact = 0;
}

/* An allocator that there is no model of leaves the release's as the nearest. */
static void take_allocator(struct kernel *k, const char *name)
{
	const char *model = swap_alloc_named(name);

	k->exact &= ~(unsigned int)KERNEL_ALLOCATOR;
	if (!model)
		return;
	k->allocator = model;
	k->exact |= KERNEL_ALLOCATOR;
}

static void take_batches(struct pv_rules *rules, const struct trace_header *h)
{
	const char *drain = trace_header_get(h, "pagevec_drain");
	uint64_t size;

	if (trace_header_u64(h, "pagevec_size", &size) && size && size <= PV_CAPACITY_MAX)
		rules->capacity = (unsigned int)size;
	if (drain && !strcmp(drain, "always"))
		rules->policy = PV_DRAIN_ALWAYS;
	else if (drain && !strcmp(drain, "once"))
		rules->policy = PV_DRAIN_ONCE;
}

int kernel_recorded(struct kernel *k, const struct trace_header *h, struct error *e)
{
	const char *allocator = trace_header_get(h, "allocator");
	const char *swapoff = trace_header_get(h, "swapoff");

	kernel_of_release(k, trace_header_get(h, "release"));
	if (allocator)
		take_allocator(k, allocator);
	take_batches(&k->batches, h);
	if (swapoff && !swapoff_policy_by_name(swapoff, &k->readahead.swapoff))
		return error_set(e, -EINVAL,
				 "header: swapoff=%s is not one of vanilla, lookup-first, "
				 "lookup-only",
				 swapoff);
	return 0;
}

static bool same_readahead(const struct kernel_readahead *a, const struct kernel_readahead *b)
{
	return a->swapoff == b->swapoff && a->vma_left_clamp == b->vma_left_clamp &&
	       a->shmem_bypass == b->shmem_bypass && a->sync_cached == b->sync_cached &&
	       a->no_window_drain == b->no_window_drain;
}

static bool same_batches(const struct pv_rules *a, const struct pv_rules *b)
{
	return a->capacity == b->capacity && a->policy == b->policy && a->ops == b->ops &&
	       a->all_drains_self == b->all_drains_self && a->mlock == b->mlock;
}

bool kernel_same(const struct kernel *a, const struct kernel *b)
{
	return same_readahead(&a->readahead, &b->readahead) &&
	       !strcmp(a->allocator, b->allocator) && a->lruadd == b->lruadd &&
	       same_batches(&a->batches, &b->batches);
}

const char *swapoff_policy_name(enum swapoff_policy s)
{
	static const char *const names[] = { "vanilla", "lookup-first", "lookup-only", "fixed" };

	return names[s];
}

bool swapoff_policy_by_name(const char *name, enum swapoff_policy *s)
{
	for (unsigned int i = SWAPOFF_VANILLA; i < SWAPOFF_FIXED; i++)
		if (!strcmp(name, swapoff_policy_name((enum swapoff_policy)i))) {
			*s = (enum swapoff_policy)i;
			return true;
		}
	return false;
}

const char *lruadd_name(enum lruadd l)
{
	static const char *const names[] = { "recorded", "outline-mb", "inline-mb",
					     "inline-relaxed", "no-barrier" };

	return names[l];
}
