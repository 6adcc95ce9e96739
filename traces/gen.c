// SPDX-License-Identifier: GPL-2.0
#include "traces/gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/gen_priv.h"

#define MIB 256ull /* pages of 4 kB */
#define GIB (1024 * MIB)
#define CLUSTER_SLOTS 512
#define CPUS_MAX 512
#define STEP_NS 1000 /* between events: they have an order, but nothing is known of their times */

static const char *const pattern_names[] = {
	[GEN_SEQUENTIAL] = "sequential",
	[GEN_REVERSE] = "reverse",
	[GEN_STRIDE] = "stride",
	[GEN_RANDOM] = "random",
	[GEN_MIXED] = "mixed",
	[GEN_MTHP] = "mthp",
	[GEN_TSAT] = "tsat",
};
#define PATTERNS (sizeof(pattern_names) / sizeof(pattern_names[0]))

const char *gen_pattern_name(enum gen_pattern pattern)
{
	return pattern_names[pattern];
}

/* --- options ---------------------------------------------------------------------------------- */

/*
 * Thread T2's set-up: 10 GB of swap, a limit of 8 GB, memcached with up to 16 GB. How its memory is
 * cut into folios is the workload's doing, not the allocator's: the weights of the large orders are
 * the numbers of folios that the thread's first run tried to swap out (swpout + fallback of each
 * size). They are 2,495,268 of the 4,194,304 pages; the others were never out as a large folio, and
 * count as order 0.
 *
 * rewrite: 18,000,000 items of about 1184 bytes (1 KiB of value, key and header, next size class)
 * are 19.8 GiB, so that the last 24 % of 16 GiB give the oldest memory to new items.
 * touches, block and the second round of accessed folios: docs/gen-mthp.md.
 */
static void mthp_defaults(struct gen_options *o)
{
	static const double folios[GEN_ORDERS] = { 1699036, 0,	  31935, 34709, 35890,
						   29093,   8735, 192,	 0,	2 };

	o->cpus = 32;
	o->device = 10 * GIB;
	o->memory = 16 * GIB;
	o->limit = 8 * GIB;
	o->touches = 1600;
	o->block = 8;
	o->rewrite = 24;
	o->second_chance = true;
	memcpy(o->folios, folios, sizeof(folios));
}

void gen_defaults(struct gen_options *o, enum gen_pattern pattern)
{
	*o = (struct gen_options){
		.pattern = pattern,
		.seed = 1,
		.cpus = 1,
		.stride = 2,
		.start = 1,
		.lookups = 1024,
		.cause = LOOKUP_FAULT,
		.block = 1,
		.iterations = 100,
	};
	if (pattern == GEN_MTHP)
		mthp_defaults(o);
	if (pattern == GEN_TSAT)
		o->device = 64 * MIB;
}

int gen_pattern_parse(struct gen_options *o, const char *name, struct error *e)
{
	size_t len = strcspn(name, ":");
	char *end;

	for (unsigned int i = 0; i < PATTERNS; i++) {
		if (strlen(pattern_names[i]) != len || strncmp(pattern_names[i], name, len))
			continue;
		gen_defaults(o, (enum gen_pattern)i);
		if (!name[len])
			return 0;
		if (i != GEN_STRIDE || name[len + 1] < '0' || name[len + 1] > '9')
			break;
		errno = 0;
		o->stride = strtoull(name + len + 1, &end, 10);
		if (!errno && !*end)
			return 0;
		break;
	}
	return error_set(e, -EINVAL,
			 "gen: '%s' is not one of sequential, reverse, stride:N, random, mixed, "
			 "mthp, tsat",
			 name);
}

int gen_orders_parse(struct gen_options *o, const char *list, struct error *e)
{
	double folios[GEN_ORDERS] = { 0 };
	const char *s = list;

	do {
		char *end;
		unsigned long order = strtoul(s, &end, 10);
		double weight;

		if (end == s || *s == '-' || order >= GEN_ORDERS || *end != ':')
			goto bad;
		s = end + 1;
		weight = strtod(s, &end);
		if (end == s || !(weight >= 0 && weight <= 1e12) || (*end && *end != ','))
			goto bad;
		folios[order] = weight;
		s = *end ? end + 1 : NULL;
	} while (s);
	memcpy(o->folios, folios, sizeof(folios));
	return 0;
bad:
	return error_set(e, -EINVAL, "gen: '%s' is not ORDER:WEIGHT,... with orders from 0 to %d",
			 list, GEN_ORDERS - 1);
}

static int check_lookups(const struct gen_options *o, struct error *e)
{
	uint64_t last;

	if (!o->start || !o->lookups || !o->stride)
		return error_set(
			e, -EINVAL,
			"gen: --start, --lookups and the stride must be at least 1 (slot 0 "
			"is the header of the swap area)");
	if (o->lookups > GEN_PAGES_MAX || o->stride > GEN_PAGES_MAX || o->start > GEN_PAGES_MAX)
		return error_set(e, -EINVAL, "gen: more than %llu slots", GEN_PAGES_MAX);
	last = o->start + o->lookups * (o->pattern == GEN_STRIDE ? o->stride : 1);
	if (last > GEN_PAGES_MAX)
		return error_set(e, -EINVAL,
				 "gen: the last lookup would be of slot %" PRIu64
				 ", more than %llu",
				 last, GEN_PAGES_MAX);
	return 0;
}

static int check_mthp(const struct gen_options *o, struct error *e)
{
	double sum = 0;

	for (unsigned int i = 0; i < GEN_ORDERS; i++)
		sum += o->folios[i];
	if (sum <= 0)
		return error_set(e, -EINVAL, "gen: --orders gives no order a weight");
	if (o->memory < CLUSTER_SLOTS || o->limit < CLUSTER_SLOTS || o->device < 2)
		return error_set(
			e, -EINVAL,
			"gen: --memory and --limit must be 2 MiB or more, and --device two "
			"pages");
	if (o->memory > GEN_PAGES_MAX || o->device > GEN_PAGES_MAX)
		return error_set(e, -EINVAL,
				 "gen: --memory and --device can be 256 GiB at the most");
	if (!o->block || o->block > CLUSTER_SLOTS || o->block & (o->block - 1))
		return error_set(e, -EINVAL, "gen: --block must be a power of two up to %d pages",
				 CLUSTER_SLOTS);
	if (o->touches > 100000 || o->rewrite > 1000)
		return error_set(
			e, -EINVAL,
			"gen: --touches can be 100000 at the most, --rewrite 1000 percent");
	return 0;
}

int gen_check(const struct gen_options *o, struct error *e)
{
	if (!o->cpus || o->cpus > CPUS_MAX)
		return error_set(e, -EINVAL, "gen: --cpus must be 1 to %d", CPUS_MAX);
	if (o->pattern == GEN_MTHP)
		return check_mthp(o, e);
	if (o->pattern != GEN_TSAT)
		return check_lookups(o, e);
	if (o->device < 2 || o->device > GEN_PAGES_MAX || !o->iterations || o->iterations > 100000)
		return error_set(e, -EINVAL,
				 "gen: --device must be two pages to 256 GiB, --iterations 1 to "
				 "100000");
	return 0;
}

/* --- the stream --------------------------------------------------------------------------------
 */

uint64_t gen_random(struct gen_stream *s, uint64_t n)
{
	uint64_t z = s->rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % n;
}

int gen_emit(struct gen_stream *s, struct event *ev)
{
	ev->t_ns = s->t_ns;
	ev->cpu = (int32_t)s->cpu;
	s->t_ns += STEP_NS;
	return trace_write(s->w, ev, s->e);
}

/* --- the header --------------------------------------------------------------------------------
 */

static int add_note(struct trace_header *h, struct error *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int add_note(struct trace_header *h, struct error *e, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return trace_header_add_line(h, text, e);
}

static int note_mthp(struct trace_header *h, const struct gen_options *o, struct error *e)
{
	char orders[256] = "";
	int ret;

	for (unsigned int i = 0; i < GEN_ORDERS; i++) {
		size_t len = strlen(orders);

		if (o->folios[i] > 0)
			snprintf(orders + len, sizeof(orders) - len, "%s%u:%.12g", len ? "," : "",
				 i, o->folios[i]);
	}
	ret = add_note(h, e, "note memory=%" PRIu64 " limit=%" PRIu64 " pages, orders=%s",
		       o->memory, o->limit, orders);
	if (ret)
		return ret;
	return add_note(h, e,
			"note touches=%" PRIu64 " block=%" PRIu64 " rewrite=%" PRIu64
			" second_chance=%d",
			o->touches, o->block, o->rewrite, o->second_chance);
}

static int describe(struct trace_header *h, const struct gen_options *o, struct error *e)
{
	int ret = add_note(h, e, "note generated: swaptrace gen %s seed=%" PRIu64 " cpus=%u",
			   gen_pattern_name(o->pattern), o->seed, o->cpus);

	if (!ret)
		ret = add_note(h, e, "note no kernel ran: time stamps only give the order");
	if (!ret)
		ret = add_note(h, e, "loss n=0");
	if (ret || !gen_memory_of(o))
		return ret;
	ret = add_note(h, e,
		       "note slots of device 1 are names of pages, not answers: it is "
		       "imaginary and policies allocate from device 0");
	if (!ret && o->pattern == GEN_MTHP)
		ret = note_mthp(h, o, e);
	if (!ret && o->pattern == GEN_TSAT)
		ret = add_note(h, e, "note aligned=%d small=%d iterations=%u", o->aligned, o->small,
			       o->iterations);
	return ret;
}

static int add_devices(struct trace_header *h, const struct gen_options *o)
{
	struct trace_device d = { .type = GEN_REAL,
				  .have_pages = true,
				  .have_prio = true,
				  .have_flags = true,
				  .pages = o->device,
				  .prio = -2,
				  .flags = DEVICE_SSD | DEVICE_SYNC_IO | DEVICE_BLKDEV,
				  .name = "generated" };
	int ret = trace_header_add_device(h, &d);

	if (ret)
		return ret;
	d = (struct trace_device){ .type = GEN_IMAGINARY,
				   .have_pages = true,
				   .have_flags = true,
				   .pages = gen_memory_of(o) + 1,
				   .flags = DEVICE_IMAGINARY,
				   .name = "pages" };
	return trace_header_add_device(h, &d);
}

static int fill_header(struct trace_header *h, const struct gen_options *o, struct error *e)
{
	int ret = trace_header_set_u64(h, "page_size", GEN_PAGE_BYTES);

	if (!ret)
		ret = trace_header_set_u64(h, "cluster_slots", CLUSTER_SLOTS);
	if (!ret)
		ret = trace_header_set_u64(h, "cpus", o->cpus);
	if (!ret && gen_memory_of(o))
		ret = add_devices(h, o);
	if (ret)
		return error_errno(e, ret, "cannot describe the trace");
	return describe(h, o, e);
}

static int generate(struct gen_stream *s)
{
	switch (s->o->pattern) {
	case GEN_MTHP:
		return gen_mthp(s);
	case GEN_TSAT:
		return gen_tsat(s);
	default:
		return gen_lookups(s);
	}
}

int gen_write(const struct gen_options *o, const char *path, struct error *e)
{
	struct gen_stream s = { .o = o, .rng = o->seed, .e = e };
	struct trace_header *h;
	int ret = gen_check(o, e);

	if (ret)
		return ret;
	h = trace_header_new();
	if (!h)
		return error_errno(e, -ENOMEM, "cannot describe the trace");
	ret = fill_header(h, o, e);
	if (!ret)
		ret = trace_create(&s.w, path, h, e);
	trace_header_free(h);
	if (ret)
		return ret;
	ret = generate(&s);
	if (!ret)
		return trace_finish(s.w, NULL, e);
	trace_abandon(s.w);
	return ret;
}
