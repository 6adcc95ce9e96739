// SPDX-License-Identifier: GPL-2.0
#include "cli/info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool get_number(const char *line, const char *key, uint64_t *v, bool *have)
{
	*have = trace_line_u64(line, key, v);
	return *have;
}

static enum probe_state check_probe(const struct info_probe *p)
{
	uint64_t sum;

	if (!p->have_hits || !p->have_delivered || !p->have_lost || !p->have_filtered)
		return PROBE_NOT_CHECKED;
	if (__builtin_add_overflow(p->delivered, p->lost, &sum) ||
	    __builtin_add_overflow(sum, p->filtered, &sum))
		return PROBE_WRONG;
	return sum == p->hits ? PROBE_RIGHT : PROBE_WRONG;
}

static void get_word(const char *line, const char *key, char *out, size_t size)
{
	char raw[256];

	out[0] = '\0';
	/* Escaped again: a symbol's bytes may be printed anywhere. */
	if (trace_line_get(line, key, raw, sizeof(raw)))
		escape_bytes(raw, strlen(raw), out, size);
}

static void read_probe(struct info_probe *p, const char *line)
{
	memset(p, 0, sizeof(*p));
	get_word(line, "event", p->event, sizeof(p->event));
	get_word(line, "symbol", p->symbol, sizeof(p->symbol));
	get_word(line, "kind", p->kind, sizeof(p->kind));
	get_word(line, "cpu", p->cpu, sizeof(p->cpu));
	get_number(line, "hits", &p->hits, &p->have_hits);
	get_number(line, "delivered", &p->delivered, &p->have_delivered);
	get_number(line, "lost", &p->lost, &p->have_lost);
	get_number(line, "filtered", &p->filtered, &p->have_filtered);
	get_number(line, "missed", &p->missed, &p->have_missed);
	p->state = check_probe(p);
}

static int collect_probes(struct info *in)
{
	const char *line;
	size_t from = 0, n = 0;

	while (trace_header_next_directive(in->header, "probe", &from))
		n++;
	in->probes = calloc(n + 1, sizeof(*in->probes));
	if (!in->probes)
		return -ENOMEM;
	from = 0;
	while ((line = trace_header_next_directive(in->header, "probe", &from))) {
		struct info_probe *p = &in->probes[in->nprobes++];

		read_probe(p, line);
		in->probes_wrong += p->state == PROBE_WRONG;
		in->probes_not_checked += p->state == PROBE_NOT_CHECKED;
	}
	return 0;
}

/* Slots of a device with the header slot, 0 when unknown. */
static uint64_t device_pages(const struct info *in, uint64_t type)
{
	return type < HEADER_DEVICES_MAX ? in->device_pages[type] : 0;
}

/* A number may be given to another device later: the largest one counts. */
static void learn_device(struct info *in, uint64_t type, uint64_t pages)
{
	if (type < HEADER_DEVICES_MAX && in->device_pages[type] < pages)
		in->device_pages[type] = pages;
}

static void learn_header_devices(struct info *in)
{
	unsigned int n;
	const struct trace_device *d = trace_header_devices(in->header, &n);

	for (unsigned int i = 0; i < n; i++)
		if (d[i].have_pages)
			learn_device(in, d[i].type, d[i].pages);
}

static void learn_swapons(struct info *in, const struct trace_block *b)
{
	uint32_t n = block_count(b, EV_SWAPON);
	const uint64_t *types, *pages;

	if (!n)
		return;
	types = block_column(b, EV_SWAPON, SWAPON_TYPE);
	pages = block_column(b, EV_SWAPON, SWAPON_PAGES);
	for (uint32_t i = 0; types && pages && i < n; i++)
		learn_device(in, types[i], pages[i]);
}

static void check_offsets(struct info *in, const struct trace_block *b, enum event_type t)
{
	int type_key = event_key_by_name(t, "type", 4);
	int off_key = event_key_by_name(t, "off", 3);
	uint32_t n = block_count(b, t);
	const uint32_t *have;
	const uint64_t *types, *offs;
	uint64_t last_type = UINT64_MAX, pages = 0;

	if (!n || type_key < 0 || off_key < 0)
		return;
	have = block_have(b, t);
	types = block_column(b, t, (unsigned int)type_key);
	offs = block_column(b, t, (unsigned int)off_key);
	for (uint32_t i = 0; have && types && offs && i < n; i++) {
		if (!(have[i] >> off_key & 1))
			continue;
		in->offsets++;
		in->offsets_zero += !offs[i];
		if (!(have[i] >> type_key & 1))
			continue;
		if (types[i] != last_type) {
			last_type = types[i];
			pages = device_pages(in, last_type);
		}
		in->offsets_outside += pages && offs[i] >= pages;
	}
}

static void count_windows(struct info *in, const struct trace_block *b)
{
	const uint32_t need = 1u << RA_MODE | 1u << RA_RET | 1u << RA_HOW;
	const uint64_t *modes, *rets, *hows, *derived;
	uint32_t n = block_count(b, EV_RA);
	const uint32_t *have;

	if (!n)
		return;
	have = block_have(b, EV_RA);
	modes = block_column(b, EV_RA, RA_MODE);
	rets = block_column(b, EV_RA, RA_RET);
	hows = block_column(b, EV_RA, RA_HOW);
	derived = block_column(b, EV_RA, RA_DERIVED);
	for (uint32_t i = 0; have && modes && rets && hows && i < n; i++) {
		struct info_windows *w;

		if ((have[i] & need) != need || hows[i] != RA_PROBED || modes[i] > RA_VMA_MODE)
			continue;
		w = &in->windows[modes[i]];
		w->probed++;
		if (!derived || !(have[i] >> RA_DERIVED & 1))
			continue;
		w->derived++;
		w->equal += derived[i] == rets[i];
	}
}

static bool block_whole(const struct trace_block *b)
{
	bool ok = block_times(b) && block_cpus(b) && block_tgids(b) && block_comms(b);

	for (unsigned int t = 0; t < EV_NR && ok; t++) {
		if (!block_count(b, t))
			continue;
		ok = block_have(b, t);
		for (unsigned int k = 0; k < EVENT_KEYS && ok; k++)
			ok = !event_key(t, k) || block_column(b, t, k);
	}
	return ok;
}

static void collect_block(struct info *in, const struct trace_block *b, bool verify)
{
	if (!in->have_span)
		in->first_ns = block_first_ns(b);
	in->have_span = true;
	in->last_ns = block_last_ns(b);
	learn_swapons(in, b);
	count_windows(in, b);
	for (unsigned int t = 0; t < EV_NR; t++) {
		in->counts[t] += block_count(b, t);
		in->stored[t] += block_stored(b, t);
		check_offsets(in, b, t);
	}
	in->stored[EV_NR] += block_stored(b, EV_NR);
	if (verify && !block_whole(b))
		in->broken_blocks++;
}

int info_collect(struct info *in, struct trace_reader *r, const char *path, bool verify,
		 struct error *e)
{
	const struct trace_block *b;
	int ret;

	memset(in, 0, sizeof(*in));
	in->path = path;
	in->header = trace_get_header(r);
	in->stats = trace_get_stats(r);
	in->bytes = trace_bytes(r);
	learn_header_devices(in);
	if (collect_probes(in))
		return error_errno(e, -ENOMEM, "%s", path);
	while ((ret = trace_next_block(r, &b, e)) > 0)
		collect_block(in, b, verify);
	return ret;
}

void info_free(struct info *in)
{
	free(in->probes);
}

bool info_finding(const struct info *in)
{
	const struct trace_stats *s = in->stats;

	return in->probes_wrong || in->broken_blocks || s->damaged_blocks || s->damaged_bytes ||
	       s->truncated || s->header_damaged || in->offsets_outside ||
	       (in->offsets && in->offsets == in->offsets_zero);
}
