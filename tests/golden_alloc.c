/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Golden vectors of the swap slot allocator: one file is one stream of operations, each with what
 * the real kernel code answered. The model's dumps of inner state ("#s" lines) are compared too.
 *
 * With SWAPTRACE_GOLDEN_CHECK set in the environment the model's invariants are checked after
 * every row (slow).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/model/alloc.h"
#include "tests/golden.h"

#define MAX_PENDING 65536

/* A row that belongs to the next one: a random draw, or a folio the allocator took back. */
struct pending {
	uint32_t cpu, low, high, value; /* draw; or order in low and first slot in high */
};

struct queue {
	struct pending item[MAX_PENDING];
	unsigned int head, tail;
};

/* A dump of the model's state, as text. */
struct dump {
	char text[32768];
	size_t len;
};

struct run {
	struct golden_result *r;
	struct golden_cursor c;
	struct swap_alloc *sa;
	bool recorded; /* in a running kernel, which does not tell everything */
	bool above_cache;
	bool draws_listed;
	bool check;
	uint64_t rng; /* splitmix64 state, where draws are not listed */
	uint64_t max_pages;
	uint8_t *folio; /* per slot: order + 1 of the cache-only folio beginning there */
	struct queue draws, taken;
	struct dump dump;
	char trouble[256]; /* first mistake of the model inside a callback */
};

/* The columns of a row. */
struct row {
	char op;
	uint32_t cpu;
	const char *order, *off, *result;
};

#define TYPE 0 /* the streams have one device */

static void push(struct queue *q, struct pending p)
{
	q->item[q->tail++] = p;
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

__attribute__((format(printf, 2, 3))) static void trouble(struct run *run, const char *fmt, ...)
{
	va_list ap;

	if (run->trouble[0])
		return;
	va_start(ap, fmt);
	vsnprintf(run->trouble, sizeof(run->trouble), fmt, ap);
	va_end(ap);
}

static uint32_t draw(void *ctx, uint32_t low, uint32_t high)
{
	struct run *run = ctx;
	const struct pending *p = &run->draws.item[run->draws.head];

	/* The start positions of a recording are given by "n" rows. */
	if (run->recorded)
		return low;
	if (!run->draws_listed)
		return low + splitmix64(&run->rng) % ((uint64_t)high - low + 1);
	if (run->draws.head == run->draws.tail) {
		trouble(run, "draw in %u..%u that the kernel did not make", low, high);
		return low;
	}
	if (p->low != low || p->high != high)
		trouble(run, "draw in %u..%u, the kernel's was in %u..%u", low, high, p->low,
			p->high);
	run->draws.head++;
	return p->value < low || p->value > high ? low : p->value;
}

/* The first slot of the folio that holds OFF, or 0. */
static uint32_t folio_at(const struct run *run, uint32_t off)
{
	for (unsigned int order = 0; order < SWAP_MAX_ORDERS; order++) {
		uint32_t start = off & ~((1u << order) - 1);

		if (run->folio[start] > order)
			return start;
	}
	return 0;
}

static int reclaim(void *ctx, unsigned int cpu, int type, uint32_t off)
{
	struct run *run = ctx;
	const struct pending *p = &run->taken.item[run->taken.head];
	uint32_t start = folio_at(run, off);
	unsigned int order;

	(void)type;
	if (!start)
		return 0;
	order = run->folio[start] - 1;
	if (run->taken.head == run->taken.tail || p->cpu != cpu || p->low != order ||
	    p->high != start) {
		/* A running kernel may have had it locked. */
		if (!run->recorded)
			trouble(run, "takes folio %u of order %u, the kernel did not", start,
				order);
		return -(1 << order);
	}
	run->taken.head++;
	run->folio[start] = 0;
	return 1 << order;
}

/* Parsing */

static bool to_u32(const char *s, uint32_t min, uint32_t max, uint32_t *value)
{
	uint64_t v;

	if (!golden_u64(s, &v) || v < min || v > max)
		return false;
	*value = v;
	return true;
}

static int bad_row(struct run *run)
{
	return golden_broken(run->r, &run->c, "a column of this row is not a number in range");
}

/* OFF column and N slots, all on the device. */
static bool to_range(const struct run *run, const char *off, uint32_t n, uint32_t *first)
{
	const struct swap_dev *dev = &run->sa->dev[TYPE];

	return dev->present && to_u32(off, 1, dev->max - 1, first) && n <= dev->max - *first;
}

/* Comparing */

static int compare_text(struct run *run, const char *expected, const char *got)
{
	run->r->checked++;
	if (!strcmp(expected, got))
		return 0;
	return golden_differs(run->r, &run->c, expected, "%s", got);
}

static int compare_i64(struct run *run, const char *expected, int64_t got)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)got);
	return compare_text(run, expected, text);
}

/* The used slots after a row; recordings leave them out above the slots cache. */
static int compare_used(struct run *run, const char *expected)
{
	if (!strcmp(expected, "-"))
		return 0;
	return compare_i64(run, expected, run->sa->dev[TYPE].inuse);
}

/* Rows */

static int run_on(struct run *run, const struct row *row)
{
	struct swap_alloc_swapon p = { .prio = SWAP_PRIO_DEFAULT,
				       .flags = SWAP_DEV_SSD | SWAP_DEV_BLKDEV };

	if (!to_u32(row->off, 2, 1u << 28, &p.pages))
		return bad_row(run);
	if (p.pages > run->max_pages) {
		free(run->folio);
		run->folio = NULL;
		run->max_pages = p.pages;
	}
	if (!run->folio)
		run->folio = calloc(run->max_pages, 1);
	if (!run->folio)
		return -ENOMEM;
	memset(run->folio, 0, run->max_pages);
	if (swap_alloc_swapon(run->sa, TYPE, &p))
		return golden_broken(run->r, &run->c, "no device can be switched on here");
	return compare_i64(run, row->result, run->sa->dev[TYPE].pages);
}

static int run_off(struct run *run, const struct row *row)
{
	uint32_t left;

	if (swap_alloc_swapoff_begin(run->sa, TYPE))
		return golden_broken(run->r, &run->c, "no device to switch off");
	left = run->sa->dev[TYPE].inuse;
	swap_alloc_swapoff_end(run->sa, TYPE);
	if (left)
		return golden_differs(run->r, &run->c, row->result, "%u slots still used", left);
	return compare_text(run, row->result, "ok");
}

/* One request at the level of the file: the first offset or -1. */
static int64_t request(struct run *run, uint32_t cpu, uint32_t order)
{
	struct swap_entry e;
	int ret;

	if (run->above_cache)
		ret = swap_alloc_folio(run->sa, cpu, order, &e);
	else
		ret = swap_alloc_get_pages(run->sa, cpu, order, 1, &e) == 1 ? 0 : -ENOSPC;
	return ret ? -1 : (int64_t)e.off;
}

static int run_alloc(struct run *run, const struct row *row)
{
	uint32_t order;

	if (!to_u32(row->order, 0, SWAP_MAX_ORDERS - 1, &order))
		return bad_row(run);
	return compare_i64(run, row->result, request(run, row->cpu, order));
}

static int run_batch(struct run *run, const struct row *row)
{
	struct swap_entry e[SWAP_BATCH];
	char text[SWAP_BATCH * 12] = "-1";
	uint32_t n;
	size_t len = 0;
	int got;

	if (strcmp(row->order, "0") || !to_u32(row->off, 1, SWAP_BATCH, &n))
		return bad_row(run);
	got = swap_alloc_get_pages(run->sa, row->cpu, 0, n, e);
	for (int i = 0; i < got; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%u", i ? "," : "", e[i].off);
	return compare_text(run, row->result, text);
}

static uint64_t fnv1a(uint64_t hash, uint64_t value)
{
	for (int i = 0; i < 8; i++, value >>= 8)
		hash = (hash ^ (value & 0xff)) * 0x100000001b3u;
	return hash;
}

static int run_bulk(struct run *run, const struct row *row)
{
	uint64_t hash = 0xcbf29ce484222325u;
	int64_t off, last = -1;
	uint32_t order, count, ok = 0;
	char text[80];

	if (!to_u32(row->order, 0, SWAP_MAX_ORDERS - 1, &order) ||
	    !to_u32(row->off, 1, UINT32_MAX, &count))
		return bad_row(run);
	while (ok < count) {
		off = request(run, row->cpu, order);
		if (off < 0)
			break;
		last = off;
		hash = fnv1a(hash, off);
		ok++;
		if (run->sa->dev[TYPE].reclaim_queued)
			break;
	}
	snprintf(text, sizeof(text), "%u:%016llx:%lld", ok, (unsigned long long)hash,
		 (long long)last);
	return compare_text(run, row->result, text);
}

static int run_free(struct run *run, const struct row *row)
{
	enum swap_free_how how = row->op == 'f'	  ? SWAP_FREE_ZAP
				 : row->op == 'i' ? SWAP_FREE_SWAPIN
						  : SWAP_FREE_CACHE;
	uint32_t n, off;

	if (row->op == 'w') {
		if (!to_u32(row->order, 0, SWAP_MAX_ORDERS - 1, &n))
			return bad_row(run);
		n = 1u << n;
	} else if (!to_u32(row->order, 1, UINT32_MAX, &n)) {
		return bad_row(run);
	}
	if (!to_range(run, row->off, n, &off))
		return bad_row(run);
	memset(run->folio + off, 0, n);
	if (swap_alloc_free(run->sa, row->cpu, how, TYPE, off, n))
		return golden_differs(run->r, &run->c, row->result, "a slot is not in use");
	return compare_used(run, row->result);
}

static int run_cache_only(struct run *run, const struct row *row)
{
	uint32_t order, off;

	if (!to_u32(row->order, 0, SWAP_MAX_ORDERS - 1, &order) ||
	    !to_range(run, row->off, 1u << order, &off))
		return bad_row(run);
	if (swap_alloc_cache_only(run->sa, TYPE, off, 1u << order, false))
		return golden_differs(run->r, &run->c, row->result, "a slot is not in use");
	run->folio[off] = order + 1;
	return compare_used(run, row->result);
}

static int run_worker(struct run *run, const struct row *row)
{
	if (!run->recorded && !run->sa->dev[TYPE].reclaim_queued)
		return golden_differs(run->r, &run->c, row->result, "no worker was queued");
	if (swap_alloc_reclaim_work(run->sa, row->cpu, TYPE))
		return golden_broken(run->r, &run->c, "no device for the worker");
	return compare_used(run, row->result);
}

/* Rows that only prepare the next one. */
static int run_prepare(struct run *run, const struct row *row)
{
	struct queue *q = row->op == 'r' ? &run->draws : &run->taken;
	struct pending p = { .cpu = row->cpu };
	bool ok;

	if (row->op == 'n') {
		ok = to_u32(row->result, 0, UINT32_MAX, &p.value) &&
		     !swap_alloc_set_scan_next(run->sa, row->cpu, TYPE, p.value);
		return ok ? 0 : bad_row(run);
	}
	ok = to_u32(row->order, 0, UINT32_MAX, &p.low) && to_u32(row->off, 0, UINT32_MAX, &p.high);
	if (ok && row->op == 'r')
		ok = to_u32(row->result, 0, UINT32_MAX, &p.value);
	if (!ok || q->tail == MAX_PENDING)
		return bad_row(run);
	push(q, p);
	return 0;
}

static int run_row(struct run *run, const struct row *row)
{
	switch (row->op) {
	case 'a':
		return run_alloc(run, row);
	case 'b':
		return run_batch(run, row);
	case 'A':
		return run_bulk(run, row);
	case 'f':
	case 'i':
	case 'w':
		return run_free(run, row);
	case 'c':
		return run_cache_only(run, row);
	case 'k':
		return run_worker(run, row);
	default:
		return golden_broken(run->r, &run->c, "unknown operation");
	}
}

/* What must hold after every row that is an operation. */
static int after_row(struct run *run, const struct row *row)
{
	char why[160];

	if (run->trouble[0])
		return golden_differs(run->r, &run->c, row->result, "%s", run->trouble);
	if (run->draws.head != run->draws.tail && run->draws_listed)
		return golden_differs(run->r, &run->c, row->result,
				      "%u random draws of the kernel not made",
				      run->draws.tail - run->draws.head);
	if (run->taken.head != run->taken.tail)
		return golden_differs(run->r, &run->c, row->result,
				      "%u swap-cache folios not taken back",
				      run->taken.tail - run->taken.head);
	run->draws.head = run->draws.tail = run->taken.head = run->taken.tail = 0;
	if (run->check && swap_alloc_check(run->sa, why, sizeof(why)))
		return golden_differs(run->r, &run->c, "invariants hold", "%s", why);
	return 0;
}

/* Dumps of inner state: "#s<tab>rows<tab>name=value ..." */

__attribute__((format(printf, 2, 3))) static void put(struct dump *d, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(d->text + d->len, sizeof(d->text) - d->len, fmt, ap);
	va_end(ap);
	if (n > 0 && d->len + n < sizeof(d->text))
		d->len += n;
}

static void put_list(struct dump *d, const char *name, int order,
		     const struct swap_cluster_list *list, bool empty_too)
{
	if (!list->len && !empty_too)
		return;
	put(d, " %s", name);
	if (order >= 0)
		put(d, "%d", order);
	put(d, "=%u:%d", list->len, list->head == SWAP_CLUSTER_NONE ? -1 : (int)list->head);
}

static void put_cpu(struct dump *d, const struct swap_alloc *sa, unsigned int cpu)
{
	const struct swap_percpu *p = &sa->dev[TYPE].percpu[cpu];
	const char *name = sa->generation;

	put(d, " cpu%u=", cpu);
	if (!strcmp(name, "scan-6.1")) {
		put(d, "%u/%d,%u", p->scan_next, p->index == SWAP_CLUSTER_NONE ? -1 : (int)p->index,
		    p->next[0]);
		return;
	}
	if (strncmp(name, "cluster-", 8))
		put(d, "%u/", p->scan_next);
	for (unsigned int o = 0; o < sa->nr_orders; o++)
		put(d, "%s%u", o ? "," : "", sa->percpu ? sa->percpu[cpu].next[o].off : p->next[o]);
}

/* As the harness wrote it: empty lists are left out, but for the free list of old generations. */
static void dump_state(struct dump *d, const struct swap_alloc *sa)
{
	const struct swap_dev *dev = &sa->dev[TYPE];
	bool old = strncmp(sa->generation, "cluster-", 8);

	d->len = 0;
	put(d, "inuse=%u", dev->inuse);
	put_list(d, "free", -1, &dev->free, old);
	put_list(d, "full", -1, &dev->full, false);
	for (unsigned int o = 0; o < sa->nr_orders; o++) {
		put_list(d, "nonfull", o, &dev->nonfull[o], false);
		put_list(d, "frag", o, &dev->frag[o], false);
	}
	if (old)
		put(d, " low=%u high=%u", dev->lowest_bit, dev->highest_bit);
	for (unsigned int cpu = 0; cpu < sa->nr_cpus; cpu++)
		put_cpu(d, sa, cpu);
}

static int compare_dump(struct run *run, const char *expected, size_t len)
{
	struct dump *d = &run->dump;
	char wanted[GOLDEN_TEXT];

	dump_state(d, run->sa);
	run->r->checked++;
	if (len == d->len && !memcmp(expected, d->text, len))
		return 0;
	snprintf(wanted, sizeof(wanted), "%.*s",
		 (int)(len < sizeof(wanted) ? len : sizeof(wanted) - 1), expected);
	return golden_differs(run->r, &run->c, wanted, "state after this row: %s", d->text);
}

/* Compares the dumps between the row just run and the next one. */
static int run_dumps(struct run *run)
{
	const char *line = run->c.next;

	while (line && (*line == '#' || *line == '\n')) {
		size_t len = strcspn(line, "\n");

		if (!strncmp(line, "#s\t", 3)) {
			const char *state = memchr(line + 3, '\t', len - 3);
			int ret = state ? compare_dump(run, state + 1, line + len - state - 1) : 0;

			if (ret)
				return ret;
		}
		line += len;
		if (*line == '\n')
			line++;
	}
	return 0;
}

/* The whole file */

/* Operations that name no CPU ("-") happen on CPU 0. */
static bool split_row(struct run *run, char **cols, struct row *row)
{
	row->op = cols[0][1] ? 0 : cols[0][0];
	row->cpu = 0;
	row->order = cols[2];
	row->off = cols[3];
	row->result = cols[4];
	if (!strcmp(cols[0], "on") || !strcmp(cols[0], "off"))
		row->op = cols[0][1] == 'n' ? '+' : '-';
	return !strcmp(cols[1], "-") || to_u32(cols[1], 0, run->sa->nr_cpus - 1, &row->cpu);
}

static int dispatch(struct run *run, const struct row *row)
{
	const struct swap_dev *dev = &run->sa->dev[TYPE];
	int ret;

	if (strchr("rxn", row->op))
		return run_prepare(run, row);
	if (!run->recorded && dev->reclaim_queued && row->op != 'k')
		return golden_differs(run->r, &run->c, row->result,
				      "the worker queued by the row before did not run");
	if (row->op == '+')
		ret = run_on(run, row);
	else if (row->op == '-')
		ret = run_off(run, row);
	else
		ret = run_row(run, row);
	return ret ? ret : after_row(run, row);
}

static int run_rows(struct run *run)
{
	char *cols[5];
	struct row row;
	int n, ret;

	while ((n = golden_next_row(&run->c, cols, 5)) >= 0) {
		run->r->rows++;
		if (n != 5 || !cols[0][0] || !split_row(run, cols, &row))
			return bad_row(run);
		ret = dispatch(run, &row);
		if (!ret)
			ret = run_dumps(run);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_rng(struct run *run, const char *text)
{
	char value[128];
	const char *state, *listed;

	if (!golden_header(text, "kernel_rng", value, sizeof(value)))
		return run->recorded ? 0 : golden_broken(run->r, NULL, "no header kernel_rng");
	state = strstr(value, "state=0x");
	listed = strstr(value, "draws_listed=");
	if (!state || !listed)
		return golden_broken(run->r, NULL, "header kernel_rng names no state");
	run->rng = strtoull(state + 8, NULL, 16);
	run->draws_listed = !strncmp(listed + 13, "yes", 3);
	return 0;
}

static int set_up(struct run *run, const char *text)
{
	struct swap_alloc_config cfg = { .env = { .ctx = run, .rnd = draw, .reclaim = reclaim } };
	char generation[64], level[64], from[8];
	uint64_t cpus, cluster;
	int ret;

	if (!golden_header(text, "generation", generation, sizeof(generation)) ||
	    !golden_header(text, "level", level, sizeof(level)) ||
	    !golden_header_u64(text, "SWAPFILE_CLUSTER", 1, SWAP_MAX_CLUSTER, &cluster) ||
	    !golden_header_u64(text, "cpus", 1, SWAP_MAX_CPUS, &cpus))
		return golden_broken(run->r, NULL,
				     "a header of generation, level, SWAPFILE_CLUSTER, cpus is "
				     "missing or out of range");
	run->recorded = golden_header(text, "recorded", from, sizeof(from));
	run->above_cache = !strcmp(level, "above-slots-cache");
	if (!run->above_cache && strcmp(level, "get_swap_pages"))
		return golden_broken(run->r, NULL, "unknown level %s", level);
	cfg.generation = generation;
	cfg.nr_cpus = cpus;
	cfg.cluster_slots = cluster;
	cfg.slots_cache = run->above_cache;
	ret = swap_alloc_create(&run->sa, &cfg);
	if (ret == -ENOENT || ret == -EINVAL)
		return golden_broken(run->r, NULL, "no model for generation %s, clusters of %llu",
				     generation, (unsigned long long)cluster);
	return ret ? ret : read_rng(run, text);
}

int golden_alloc_run(const char *path, char *text, size_t len, struct golden_result *r)
{
	struct run *run = calloc(1, sizeof(*run));
	int ret;

	(void)path;
	(void)len;
	if (!run)
		return -ENOMEM;
	run->r = r;
	run->c.next = text;
	run->check = getenv("SWAPTRACE_GOLDEN_CHECK") != NULL;
	ret = set_up(run, text);
	if (!ret)
		ret = run_rows(run);
	swap_alloc_destroy(run->sa);
	free(run->folio);
	free(run);
	return ret;
}
