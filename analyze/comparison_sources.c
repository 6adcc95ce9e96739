// SPDX-License-Identifier: GPL-2.0
/* Inputs of a comparison from traces, results, argdist and bpftrace text, and counters in sysfs. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison.h"
#include "analyze/distribution.h"
#include "analyze/result_json.h"
#include "analyze/summary.h"
#include "import/argdist.h"
#include "import/bpftrace_maps.h"
#include "import/measurements.h"
#include "render/format.h"
#include "traces/header_lines.h"
#include "traces/number.h"

#define ORDERS 16	/* of folios */
#define SITES_MAX 64	/* drain sites kept apart */
#define COUNTERS_MAX 64 /* sizes of folios in a counters folder */

static int no_memory(const char *name, struct error *e)
{
	return error_set(e, -ENOMEM, "%s: out of memory", name);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "type=0 pages=262144 prio=-2 flags=...": a device as a condition, without what is unknown. */
static void put_device(char *out, size_t size, const struct trace_device *d)
{
	char line[512];

	header_format_device(line, sizeof(line), d);
	snprintf(out, size, "%s", strncmp(line, "device ", 7) ? line : line + 7);
}

static void device_conditions(struct comparison_input *in, const struct trace_device *d,
			      unsigned int n)
{
	char all[512] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < n && used + 1 < sizeof(all); i++) {
		char one[512];

		put_device(one, sizeof(one), &d[i]);
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? "; " : "",
					 one);
	}
	if (n)
		input_condition(in, "devices", all);
}

static void count_condition(struct comparison_input *in, const char *key, uint64_t v)
{
	char text[24];

	if (v == COUNT_UNKNOWN)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, v);
	input_condition(in, key, text);
}

/* What results documents keep of the header of their trace. */
static void facts_conditions(struct comparison_input *in, const struct trace_facts *f)
{
	if (f->release[0])
		input_condition(in, "release", f->release);
	if (f->arch[0])
		input_condition(in, "arch", f->arch);
	count_condition(in, "page_size", f->page_size);
	count_condition(in, "page_cluster", f->page_cluster);
	count_condition(in, "vma_ra", f->vma_ra);
	count_condition(in, "thp_swap", f->thp_swap);
	count_condition(in, "cluster_slots", f->cluster_slots);
	count_condition(in, "cpus", f->cpus);
	device_conditions(in, f->devices, f->ndevices);
}

static void header_conditions(struct comparison_input *in, const struct trace_header *h)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(h, &n);

	for (const struct header_key *k = header_keys; k->name; k++) {
		const char *value = trace_header_get(h, k->name);

		if (value)
			input_condition(in, k->name, value);
	}
	for (unsigned int order = 0; order < ORDERS; order++) {
		char key[32];
		const char *value;

		snprintf(key, sizeof(key), "thp_%ukB", 4u << order);
		value = trace_header_get(h, key);
		if (value)
			input_condition(in, key, value);
	}
	device_conditions(in, d, n);
}

/* What more of it means, where that is clear. */
static enum better better_count(const char *name)
{
	static const char *const lower[] = { "calls", "batches", "unused", "drains" };

	for (size_t i = 0; i < sizeof(lower) / sizeof(lower[0]); i++)
		if (!strcmp(lower[i], name))
			return BETTER_LOWER;
	return !strcmp(name, "hits") || !strcmp(name, "cache_hits") ? BETTER_HIGHER
								    : BETTER_UNKNOWN;
}

static int add_windows(struct comparison_input *in, const struct histogram *h)
{
	int ret = 0;

	in->windows_known = true;
	for (unsigned int i = 0; !ret && i < h->n && i < 64; i++) {
		char name[64];

		snprintf(name, sizeof(name), "windows of %" PRIu64, h->bins[i].pages);
		ret = input_count(in, name, h->bins[i].count, BETTER_UNKNOWN);
	}
	return ret;
}

static int add_readahead(struct comparison_input *in, const struct readahead_result *ra)
{
	int ret = 0;

	if (!ra->known)
		return ra->lookups ? input_count(in, "lookups", ra->lookups, BETTER_UNKNOWN) : 0;
	for (const struct count_field *f = readahead_counts; !ret && f->name; f++)
		ret = input_count(in, f->name, readahead_count(ra, f), better_count(f->name));
	if (!ret && ra->calls != COUNT_UNKNOWN)
		ret = input_real(in, "mean window", QUANTITY_PLAIN, "pages",
				 distribution_of(&ra->windows).mean, BETTER_UNKNOWN);
	if (!ret)
		ret = input_real(in, "hit rate", QUANTITY_PERCENT, "%",
				 percent_of(ra->hits, ra->ra_pages), BETTER_HIGHER);
	return ret || ra->calls == COUNT_UNKNOWN ? ret : add_windows(in, &ra->windows);
}

/* Each swapoff that ended well is a run of its own. */
static int add_swapoffs(struct comparison_input *in, const struct replay_result *r)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < r->nswapoffs; i++) {
		const struct swapoff_result *s = &r->swapoffs[i];

		if (s->complete && s->end_ns >= s->begin_ns)
			ret = input_real(in, "swapoff time", QUANTITY_TIME, "s",
					 (double)(s->end_ns - s->begin_ns) / 1e9, BETTER_LOWER);
	}
	return ret;
}

/* An estimate is only as good as what it assumes. */
static void note_estimate(struct comparison_input *in, const char *assumptions)
{
	char *note = in->notes[in->nnotes++]; /* the last one is kept free for it */

	snprintf(note, sizeof(in->notes[0]), "replay time is an estimate: ");
	escape_text(assumptions, strlen(assumptions), note + strlen(note),
		    sizeof(in->notes[0]) - strlen(note));
}

static void note_loss(struct comparison_input *in, uint64_t lost)
{
	if (!lost || lost == COUNT_UNKNOWN)
		return;
	in->incomplete = true;
	snprintf(in->incomplete_why, sizeof(in->incomplete_why),
		 "%" PRIu64 " events were lost; its counts are that far too low", lost);
}

static int add_result(struct comparison_input *in, const struct replay_result *r)
{
	int ret = add_readahead(in, &r->readahead);

	if (!ret)
		ret = add_swapoffs(in, r);
	in->what_if = r->what_if;
	in->nnotes = r->nnotes < 4 ? r->nnotes : 4;
	for (unsigned int i = 0; i < in->nnotes; i++)
		escape_text(r->notes[i], strnlen(r->notes[i], sizeof(r->notes[i])), in->notes[i],
			    sizeof(in->notes[i]));
	if (!ret && r->estimate.known) {
		ret = input_real(in, "replay time", QUANTITY_TIME, "s", r->estimate.seconds,
				 BETTER_LOWER);
		for (unsigned int i = 0; i < in->nmetrics; i++)
			in->metrics[i].estimate |= !strcmp(in->metrics[i].name, "replay time");
		note_estimate(in, r->estimate.assumptions);
	}
	note_loss(in, r->lost);
	return ret;
}

/* Requests for slots by order, drains by call site. */
struct requests {
	uint64_t ok[ORDERS], failed[ORDERS], config[ORDERS];
	char site[SITES_MAX][64];
	uint64_t drains[SITES_MAX];
	unsigned int nsites;
	bool fails_known; /* recorded with the group that shows refusals, or there are some */
};

static void count_alloc(struct requests *q, const struct event *ev)
{
	uint64_t order = event_get(ev, ALLOC_ORDER, ORDERS);

	if (order >= ORDERS)
		return;
	/* A call may take a batch of single slots; of larger folios it takes one. */
	if (ev->type == EV_ALLOC)
		q->ok[order] += order ? 1 : event_get(ev, ALLOC_N, 1);
	else
		q->failed[order]++;
	if (ev->type == EV_ALLOCFAIL)
		q->fails_known = true;
	if (ev->type == EV_ALLOCFAIL && event_has(ev, ALLOC_REASON) &&
	    ev->v[ALLOC_REASON] == REASON_CONFIG)
		q->config[order]++;
}

static void count_drain(struct requests *q, const struct trace_reader *r, const struct event *ev)
{
	char site[64] = "unknown";
	unsigned int i = 0;
	size_t len;

	if (event_has(ev, DRAIN_SITE)) {
		const char *s = trace_string(r, (uint32_t)ev->v[DRAIN_SITE], &len);

		if (s)
			escape_text(s, len, site, sizeof(site));
	}
	while (i < q->nsites && strcmp(q->site[i], site))
		i++;
	if (i == q->nsites) {
		if (i == SITES_MAX)
			return;
		memcpy(q->site[q->nsites++], site, sizeof(site));
	}
	q->drains[i]++;
}

static int read_requests(struct trace_reader *r, struct requests *q, struct error *e)
{
	const struct trace_header *h = trace_get_header(r);
	struct event ev;
	int ret = trace_rewind(r, e);

	if (ret)
		return ret;
	while ((ret = trace_next(r, &ev, e)) > 0) {
		/* The names of a generated trace are no answers. */
		if (ev.type == EV_ALLOC && trace_header_imaginary(h, ev.v[ALLOC_TYPE]))
			continue;
		if (ev.type == EV_ALLOC || ev.type == EV_ALLOCFAIL)
			count_alloc(q, &ev);
		else if (ev.type == EV_DRAIN)
			count_drain(q, r, &ev);
	}
	return ret;
}

static void order_name(char *out, size_t size, unsigned int order, uint64_t page_kb, bool failed)
{
	if (order)
		snprintf(out, size, "%" PRIu64 "kB/swpout%s", page_kb << order,
			 failed ? "_fallback" : "");
	else
		snprintf(out, size, "single slots %s", failed ? "refused" : "allocated");
}

/* Swap-out in the form of the mTHP counters, so that it joins their table. */
static int add_orders(struct comparison_input *in, const struct requests *q, uint64_t page_kb)
{
	const char *thp_swap = input_condition_get(in, "thp_swap");
	bool impossible = thp_swap && !strcmp(thp_swap, "0");
	int ret = 0;

	for (unsigned int order = 0; !ret && order < ORDERS; order++) {
		char name[64];

		if (!q->ok[order] && !q->failed[order])
			continue;
		if (order && q->failed[order] && (impossible || q->config[order]))
			in->config_fallback = true;
		/* Single pages are none of the mTHP sizes, whose table has a total. */
		order_name(name, sizeof(name), order, page_kb, false);
		ret = input_count(in, name, q->ok[order], BETTER_UNKNOWN);
		order_name(name, sizeof(name), order, page_kb, true);
		if (!ret && q->fails_known)
			ret = input_count(in, name, q->failed[order], BETTER_LOWER);
	}
	return ret;
}

/*
 * The recorder's header names the groups of events. Without group alloc nobody looked for refusals,
 * so that there are none in the trace is not a count of 0. A text without events= is taken at its
 * word.
 */
static bool shows_refusals(const struct trace_header *h)
{
	const char *groups = trace_header_get(h, "events");

	return !groups || strstr(groups, "alloc");
}

/* Pages whose size is not known are taken as the usual ones. */
static uint64_t page_kb_of(uint64_t page_size)
{
	return page_size == COUNT_UNKNOWN || page_size < 1024 || page_size > 1 << 20
		       ? 4
		       : page_size / 1024;
}

static int add_requests(struct comparison_input *in, const struct requests *q, uint64_t page_size)
{
	int ret = add_orders(in, q, page_kb_of(page_size));

	for (unsigned int i = 0; !ret && i < q->nsites; i++) {
		char name[96];

		snprintf(name, sizeof(name), "drains by %s", q->site[i]);
		ret = input_count(in, name, q->drains[i], BETTER_LOWER);
	}
	return ret;
}

/* What a replayed allocator did with the requests of its trace. */
static int add_alloc(struct comparison_input *in, const struct alloc_result *a, uint64_t page_size)
{
	uint64_t page_kb = page_kb_of(page_size);
	int ret = 0;

	if (!a->known)
		return 0;
	for (unsigned int order = 0; !ret && order < ALLOC_ORDERS; order++) {
		const struct alloc_order *o = &a->orders[order];
		uint64_t config = o->reasons[FALLBACK_CONFIG];
		char name[64];

		if (!o->swpout && !o->fallback)
			continue;
		in->config_fallback |= order && config && config != COUNT_UNKNOWN;
		order_name(name, sizeof(name), order, page_kb, false);
		ret = input_count(in, name, o->swpout, BETTER_UNKNOWN);
		order_name(name, sizeof(name), order, page_kb, true);
		if (!ret)
			ret = input_count(in, name, o->fallback, BETTER_LOWER);
	}
	if (!ret && a->first.known)
		ret = input_count(in, "first fallback at request", a->first.n, BETTER_HIGHER);
	if (!ret)
		ret = input_count(in, "clusters touched", a->clusters_touched, BETTER_UNKNOWN);
	return ret ? ret : input_count(in, "clusters free", a->clusters_free, BETTER_UNKNOWN);
}

static void note_damage(struct comparison_input *in, const struct trace_facts *f,
			const struct trace_stats *s)
{
	if (in->incomplete || (!f->damaged_blocks && !f->truncated && !s->bad_lines))
		return;
	if (s->bad_lines) {
		in->incomplete = true;
		snprintf(in->incomplete_why, sizeof(in->incomplete_why),
			 "%" PRIu64 " lines not understood; the first is line %" PRIu64 ": %.80s",
			 s->bad_lines, s->bad_line, s->bad_line_why);
		return;
	}
	in->incomplete = true;
	snprintf(in->incomplete_why, sizeof(in->incomplete_why),
		 f->truncated ? "the end of the trace is missing; its counts are too low"
			      : "blocks of the trace are damaged; its counts are too low");
}

static int load_reader(struct comparison *c, struct trace_reader *r, const char *name,
		       struct error *e)
{
	struct trace_summary sum;
	struct requests *q = calloc(1, sizeof(*q));
	struct comparison_input *in;
	int ret = q ? trace_summary(r, name, &sum, e) : no_memory(name, e);

	if (ret) {
		free(q);
		return ret;
	}
	in = comparison_add_input(c, INPUT_TRACE, base_name(name), name);
	ret = in ? read_requests(r, q, e) : no_memory(name, e);
	if (!ret) {
		q->fails_known |= shows_refusals(trace_get_header(r));
		header_conditions(in, trace_get_header(r));
		note_damage(in, &sum.facts, trace_get_stats(r));
		if (add_result(in, &sum.result) || add_requests(in, q, sum.facts.page_size))
			ret = no_memory(name, e);
	}
	if (!ret && !in->nmetrics)
		ret = error_set(e, -EBADMSG,
				"%s: holds no readahead, swap-out, swapoff or drain to compare",
				name);
	trace_summary_free(&sum);
	free(q);
	return ret;
}

int comparison_load_trace(struct comparison *c, const char *path, const char *name, struct error *e)
{
	struct trace_reader *r = NULL;
	int ret = trace_open(&r, path, e);

	if (!ret)
		ret = load_reader(c, r, name, e);
	trace_close(r);
	return ret;
}

int comparison_load_results(struct comparison *c, const char *path, const char *name,
			    struct error *e)
{
	struct results_file file;
	int ret = results_read(path, &file, e);

	for (unsigned int i = 0; !ret && i < file.n; i++) {
		const struct stored_result *s = &file.entries[i];
		const char *own = s->name[0] ? s->name : s->result.policy;
		struct comparison_input *in = comparison_add_input(
			c, INPUT_RESULTS, file.n > 1 ? own : base_name(name), name);

		ret = in ? add_result(in, &s->result) : -ENOMEM;
		if (!ret)
			ret = add_alloc(in, &s->result.alloc,
					s->have_facts ? s->facts.page_size : COUNT_UNKNOWN);
		if (!ret)
			ret = input_real(in, "time", QUANTITY_TIME, "s", s->seconds, BETTER_LOWER);
		if (ret)
			ret = no_memory(name, e);
		else if (s->have_facts)
			facts_conditions(in, &s->facts);
	}
	results_file_free(&file);
	return ret;
}

int comparison_load_argdist(struct comparison *c, const char *path, const char *name,
			    struct error *e)
{
	FILE *f = fopen(path, "re");
	struct histogram h = { 0 };
	struct argdist_notes notes;
	struct comparison_input *in;
	struct distribution d;
	int ret;

	if (!f)
		return error_errno(e, -errno, "cannot open '%s'", name);
	ret = argdist_read(f, name, &h, &notes, e);
	fclose(f);
	in = ret ? NULL : comparison_add_input(c, INPUT_ARGDIST, base_name(name), name);
	d = distribution_of(&h);
	if (!ret &&
	    (!in || input_count(in, "calls", d.total, BETTER_LOWER) ||
	     input_real(in, "mean window", QUANTITY_PLAIN, "pages", d.mean, BETTER_UNKNOWN) ||
	     input_count(in, "drains", d.drains, BETTER_LOWER) || add_windows(in, &h)))
		ret = no_memory(name, e);
	for (unsigned int i = 0; !ret && notes.rounded && i < in->nmetrics; i++)
		in->metrics[i].rounded = true;
	histogram_free(&h);
	return ret;
}

/* One counter of one size; 1 when the kernel does not have it. */
static int read_counter(struct comparison_input *in, const char *dir, const char *counter,
			struct error *e)
{
	char path[4096], label[160], text[32] = "";
	uint64_t v;
	size_t len;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/stats/%s", dir, counter) >= (int)sizeof(path))
		return error_set(e, -ENAMETOOLONG, "%s: the path is too long", dir);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? 1 : error_errno(e, -errno, "cannot open '%s'", path);
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	if (!number_decimal(text, len, &v))
		return error_set(e, -EBADMSG, "%s: line 1: is not a count", path);
	snprintf(label, sizeof(label), "%.60s/stats/%.60s", base_name(dir), counter);
	counter_label(label, &in->old_counter_names);
	return input_count(in, label, v, BETTER_UNKNOWN) ? no_memory(path, e) : 0;
}

static int is_counter_file(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* All counters of one size, in the order of their names. */
static int read_size(struct comparison_input *in, const char *dir, struct error *e)
{
	char path[4096];
	struct dirent **entries;
	int n, ret = 0;

	if (snprintf(path, sizeof(path), "%s/stats", dir) >= (int)sizeof(path))
		return error_set(e, -ENAMETOOLONG, "%s: the path is too long", dir);
	n = scandir(path, &entries, is_counter_file, alphasort);
	/* A size without counters is none. */
	if (n < 0)
		return errno == ENOENT ? 0 : error_errno(e, -errno, "cannot open '%s'", path);
	for (int i = 0; i < n; i++) {
		if (!ret && i < COUNTERS_MAX)
			ret = read_counter(in, dir, entries[i]->d_name, e);
		free(entries[i]);
	}
	free(entries);
	return ret < 0 ? ret : 0;
}

int comparison_load_counters(struct comparison *c, const char *path, const char *name,
			     struct error *e)
{
	struct comparison_input *in =
		comparison_add_input(c, INPUT_COUNTERS, base_name(name), name);
	DIR *d = opendir(path);
	unsigned int sizes = 0;
	struct dirent *entry;
	int ret = 0;

	if (!d)
		return error_errno(e, -errno, "cannot open '%s'", name);
	if (!in)
		ret = no_memory(name, e);
	while (!ret && (entry = readdir(d))) {
		char dir[4096];

		if (strncmp(entry->d_name, "hugepages-", 10) || sizes++ >= COUNTERS_MAX)
			continue;
		if (snprintf(dir, sizeof(dir), "%s/%s", path, entry->d_name) >= (int)sizeof(dir))
			ret = error_set(e, -ENAMETOOLONG, "%s: the path is too long", name);
		else
			ret = read_size(in, dir, e);
	}
	closedir(d);
	if (!ret && !in->nmetrics)
		ret = error_set(e, -EBADMSG,
				"%s: a folder without hugepages-SIZEkB/stats/swpout counters; name "
				"a copy of /sys/kernel/mm/transparent_hugepage",
				name);
	return ret;
}
