// SPDX-License-Identifier: GPL-2.0
/* Golden vectors of the per-CPU add batches and of the release of callers' batches. */
#include "golden.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/kernels.h"

#define COLS 6
#define MAX_CPUS 4096
#define MAX_BATCHES 256

enum column { COL_OP, COL_CPU, COL_ARG, COL_MOVED, COL_DRAINS, COL_PENDING };

struct run {
	struct golden_cursor c;
	struct golden_result *r;
	char *cols[COLS];
	struct pv_model model;
	struct pv_cpu cpus[MAX_CPUS];
	struct pv_batch batches[MAX_BATCHES];
	bool known[MAX_BATCHES]; /* initialised by a row */
};

/* Rules from the headers: the release gives the operations, size and policy are named. */
static int set_up(struct run *run, const char *text)
{
	struct kernel_release release;
	struct pv_rules rules;
	uint64_t size, cpus;
	char h[128];

	if (!golden_header(text, "source", h, sizeof(h)) || !kernel_release_parse(&release, h))
		return golden_broken(run->r, NULL, "no kernel release in a \"# source\" line");
	rules = kernel_find(&release)->batches;
	if (!golden_header_u64(text, "PAGEVEC_SIZE", 1, PV_CAPACITY_MAX, &size))
		return golden_broken(run->r, NULL, "no usable \"# PAGEVEC_SIZE\" line");
	rules.capacity = (unsigned int)size;
	if (!golden_header_u64(text, "cpus", 1, MAX_CPUS, &cpus))
		return golden_broken(run->r, NULL, "no usable \"# cpus\" line");
	if (!golden_header(text, "variant", h, sizeof(h)))
		return golden_broken(run->r, NULL, "no \"# variant\" line");
	if (!strncmp(h, "before", strlen("before")))
		rules.policy = PV_DRAIN_ALWAYS;
	else if (!strncmp(h, "after", strlen("after")))
		rules.policy = PV_DRAIN_ONCE;
	else
		return golden_broken(run->r, NULL, "unknown variant: %s", h);
	return pv_init(&run->model, &rules, run->cpus, (unsigned int)cpus, NULL, 0);
}

static int bad_row(struct run *run)
{
	return golden_broken(run->r, &run->c, "not a row of a pagevec vector");
}

/* The batch named by @s, which must have been initialised; NULL otherwise. */
static struct pv_batch *batch(struct run *run, const char *s)
{
	uint64_t id;

	if (!golden_u64(s, &id) || id >= MAX_BATCHES || !run->known[id])
		return NULL;
	return &run->batches[id];
}

/* init and put act on a caller's batch only. Returns 0 if done, 1 for a bad row (described). */
static int batch_row(struct run *run)
{
	char *arg = run->cols[COL_ARG];
	char *colon = strchr(arg, ':');
	struct pv_batch *b;
	uint64_t v;

	if (!strcmp(run->cols[COL_OP], "init")) {
		if (!golden_u64(arg, &v) || v >= MAX_BATCHES)
			return bad_row(run);
		run->known[v] = true;
		pv_batch_init(&run->batches[v]);
		return 0;
	}
	if (!colon || !golden_u64(colon + 1, &v) || v > PV_CAPACITY_MAX)
		return bad_row(run);
	*colon = 0;
	b = batch(run, arg);
	if (!b)
		return bad_row(run);
	pv_batch_put(b, (unsigned int)v);
	return 0;
}

/* add, rel and drain act on @cpu; *moved is what this row moved. Returns as batch_row(). */
static int cpu_row(struct run *run, unsigned int cpu, uint64_t *moved)
{
	const char *op = run->cols[COL_OP];
	const char *arg = run->cols[COL_ARG];
	struct pv_moved m = { 0 };
	struct pv_batch *b;
	uint64_t large;

	if (!strcmp(op, "add")) {
		if (!golden_u64(arg, &large) || large > 1)
			return bad_row(run);
		*moved = pv_insert(&run->model, cpu, PV_ADD, large, 1);
		return 0;
	}
	if (!strcmp(op, "rel")) {
		b = batch(run, arg);
		if (!b)
			return bad_row(run);
		pv_release(&run->model, cpu, PV_SITE_NONE, b, &m);
	} else if (!strcmp(op, "drain")) {
		pv_drain(&run->model, cpu, PV_SITE_NONE, &m);
	} else {
		return bad_row(run);
	}
	*moved = m.total;
	return 0;
}

static int check_row(struct run *run)
{
	bool on_cpu = strcmp(run->cols[COL_OP], "init") && strcmp(run->cols[COL_OP], "put");
	char want[GOLDEN_TEXT], got[GOLDEN_TEXT];
	uint64_t cpu = 0, moved = 0;

	snprintf(want, sizeof(want), "%.100s %.100s %.100s", run->cols[COL_MOVED],
		 run->cols[COL_DRAINS], run->cols[COL_PENDING]);
	if (on_cpu) {
		if (!golden_u64(run->cols[COL_CPU], &cpu) || cpu >= run->model.nr_cpus)
			return bad_row(run);
		if (cpu_row(run, (unsigned int)cpu, &moved))
			return 1;
		snprintf(got, sizeof(got), "%" PRIu64 " %" PRIu64 " %u", moved,
			 run->model.stats.drains, pv_pending_all(&run->model, (unsigned int)cpu));
	} else {
		if (batch_row(run))
			return 1;
		snprintf(got, sizeof(got), "- %" PRIu64 " -", run->model.stats.drains);
	}
	run->r->checked++;
	return strcmp(want, got) ? golden_differs(run->r, &run->c, want, "%s", got) : 0;
}

int golden_pagevec_run(const char *path, char *text, size_t len, struct golden_result *r)
{
	struct run *run = calloc(1, sizeof(*run));
	int n, ret;

	(void)path;
	(void)len;
	if (!run)
		return -ENOMEM;
	run->r = r;
	run->c.next = text;
	ret = set_up(run, text);
	while (!ret && (n = golden_next_row(&run->c, run->cols, COLS)) >= 0) {
		r->rows++;
		if (n != COLS)
			ret = golden_broken(r, &run->c, "%d columns instead of %d", n, COLS);
		else
			ret = check_row(run);
	}
	free(run);
	return ret;
}
