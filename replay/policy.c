// SPDX-License-Identifier: GPL-2.0
#include "replay/policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void policy_recorded(struct policy *p, const struct kernel *k)
{
	memset(p, 0, sizeof(*p));
	snprintf(p->spec, sizeof(p->spec), "recorded");
	p->kernel = k;
	p->page_cluster = -1;
	p->swapoff = k->readahead.swapoff;
	p->no_bypass = k->readahead.sync_cached;
}

/* "fixed:N" with N a power of two up to 2^15; 0 when @value is something else */
static unsigned int parse_fixed(const char *value)
{
	char *end;
	unsigned long n;

	if (strncmp(value, "fixed:", 6) || value[6] < '1' || value[6] > '9')
		return 0;
	n = strtoul(value + 6, &end, 10);
	if (*end || n > 1u << 15 || (n & (n - 1)))
		return 0;
	return (unsigned int)n;
}

static int set_readahead(struct policy *p, const char *value, struct error *e)
{
	static const char *const names[] = { "kernel", "cluster", "vma", "none" };

	for (unsigned int i = READAHEAD_CLUSTER; i <= READAHEAD_NONE; i++)
		if (!strcmp(value, names[i])) {
			p->readahead = (enum readahead_policy)i;
			return 0;
		}
	p->fixed = parse_fixed(value);
	if (!p->fixed)
		return error_set(e, -EINVAL,
				 "policy: readahead=%s is not one of cluster, vma, none, fixed:N "
				 "(N a power of two)",
				 value);
	p->readahead = READAHEAD_FIXED;
	return 0;
}

static int set_swapoff(struct policy *p, const char *value, struct error *e)
{
	if (swapoff_policy_by_name(value, &p->swapoff))
		return 0;
	p->swapoff_fixed = parse_fixed(value);
	if (!p->swapoff_fixed)
		return error_set(e, -EINVAL,
				 "policy: swapoff=%s is not one of vanilla, lookup-first, "
				 "lookup-only, fixed:N (N a power of two)",
				 value);
	p->swapoff = SWAPOFF_FIXED;
	return 0;
}

static int set_prev(struct policy *p, const char *value, struct error *e)
{
	static const char *const names[] = { "global", "per-device", "per-cpu" };

	for (unsigned int i = PREV_GLOBAL; i <= PREV_PER_CPU; i++)
		if (!strcmp(value, names[i])) {
			p->prev = (enum prev_scope)i;
			return 0;
		}
	return error_set(e, -EINVAL, "policy: prev=%s is not one of global, per-device, per-cpu",
			 value);
}

static int set_bypass(struct policy *p, const char *value, struct error *e)
{
	if (strcmp(value, "kernel") && strcmp(value, "none"))
		return error_set(e, -EINVAL, "policy: bypass=%s is not one of kernel, none", value);
	p->no_bypass = !strcmp(value, "none") || p->kernel->readahead.sync_cached;
	return 0;
}

static int parse_number(const char *key, const char *value, unsigned int low, unsigned int high,
			unsigned int *out, struct error *e)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || n < low || n > high)
		return error_set(e, -EINVAL, "policy: %s=%s is not a number from %u to %u", key,
				 value, low, high);
	*out = (unsigned int)n;
	return 0;
}

static int set_swapin_order(struct policy *p, const char *value, struct error *e)
{
	unsigned int cap = 0;

	p->swapin = SWAPIN_CAP;
	p->swapin_cap = 0;
	if (!strcmp(value, "0"))
		return 0;
	if (!strcmp(value, "whole"))
		cap = SWAPIN_ORDER_MAX;
	else if (strncmp(value, "cap:", 4) ||
		 parse_number("swapin-order", value + 4, 0, SWAPIN_ORDER_MAX, &cap, NULL))
		return error_set(
			e, -EINVAL,
			"policy: swapin-order=%s is not one of 0, whole, cap:K (K an order "
			"up to %d)",
			value, SWAPIN_ORDER_MAX);
	p->swapin_cap = cap;
	return 0;
}

static int set_page_cluster(struct policy *p, const char *value, struct error *e)
{
	unsigned int n = 0;
	int ret = parse_number("page-cluster", value, 0, 31, &n, e);

	if (!ret)
		p->page_cluster = (int)n;
	return ret;
}

static int set_cpus(struct policy *p, const char *value, struct error *e)
{
	return parse_number("cpus", value, 1, 8192, &p->cpus, e);
}

/* A kernel is a bundle: what was set before it in the same SPEC stays. */
static int set_model(struct policy *p, const char *value, struct error *e)
{
	const struct kernel *k = kernel_by_name(value);
	char names[80];

	if (!k) {
		kernel_names(names, sizeof(names));
		return error_set(e, -EINVAL, "policy: model=%s is not one of %s", value, names);
	}
	p->swapoff = k->readahead.swapoff;
	p->no_bypass = k->readahead.sync_cached;
	p->kernel = k;
	return 0;
}

static int set_allocator(struct policy *p, const char *value, struct error *e)
{
	return alloc_policy_allocator(&p->alloc, value, e);
}

static int set_reserve(struct policy *p, const char *value, struct error *e)
{
	return alloc_policy_reserve(&p->alloc, value, e);
}

static int set_devices(struct policy *p, const char *value, struct error *e)
{
	return alloc_policy_devices(&p->alloc, value, e);
}

static int set_drain(struct policy *p, const char *value, struct error *e)
{
	return lru_policy_drain(&p->lru, value, e);
}

static int set_drain_off(struct policy *p, const char *value, struct error *e)
{
	return lru_policy_drain_off(&p->lru, value, e);
}

static int set_lruadd(struct policy *p, const char *value, struct error *e)
{
	return lru_policy_lruadd(&p->lru, value, e);
}

static int set_device(struct policy *p, const char *value, struct error *e)
{
	p->have_device = true;
	return cost_parse(&p->device, value, e);
}

const struct policy_setting readahead_settings[] = {
	{ "readahead", "cluster|vma|none|fixed:N", set_readahead, false,
	  "which readahead answers a need: by slots, by addresses of the VMA, none, aligned "
	  "windows of N slots" },
	{ "page-cluster", "N", set_page_cluster, false,
	  "the sysctl: windows of at most 2^N pages" },
	{ "swapoff", "vanilla|lookup-first|lookup-only|fixed:N", set_swapoff, false,
	  "what swapoff does for an entry: read ahead at once, look it up first, look it up "
	  "unaccounted, windows of N" },
	{ "prev", "global|per-device|per-cpu", set_prev, false,
	  "what the last offset that readahead remembers is of" },
	{ "bypass", "kernel|none", set_bypass, false,
	  "whether faults on synchronous devices go around the swap cache, as the kernel has it, "
	  "or never" },
	{ "swapin-order", "0|whole|cap:K", set_swapin_order, false,
	  "how much of a large folio comes back for one fault: a page, all of it, up to 2^K "
	  "pages" },
	{ NULL, NULL, NULL, false, NULL },
};

const struct policy_setting alloc_settings[] = {
	{ "allocator", "NAME", set_allocator, false,
	  "the slot allocator that places the data: scan-6.1, mthp-empty-only, nonfull-v1, "
	  "cluster-6.12, -6.18, -6.19, -7.1" },
	{ "reserve", "ORDER:PERCENT", set_reserve, false,
	  "a share of each device's clusters is kept for one order; N percent" },
	{ "devices", "FILE", set_devices, false,
	  "other swap devices: a file of lines type= pages= prio= flags= memcg=" },
	{ NULL, NULL, NULL, false, NULL },
};

const struct policy_setting lru_settings[] = {
	{ "drain", "always|once", set_drain, false, "when the LRU batches are drained" },
	{ "drain-off", "SITE", set_drain_off, true, "no drain at that call site" },
	{ "lruadd", "outline-mb|inline-mb|inline-relaxed", set_lruadd, false,
	  "how a page that joins an LRU list is tested; changes the estimate alone" },
	{ NULL, NULL, NULL, false, NULL },
};

const struct policy_setting common_settings[] = {
	{ "cpus", "N", set_cpus, false, "recorded CPU c acts as c mod N" },
	{ "model", "NAME", set_model, false, "all that kernel does; other settings change it" },
	{ "device", "PRESET|lat:US;bw:MBS", set_device, false, "what times are estimated for" },
	{ NULL, NULL, NULL, false, NULL },
};

const struct policy_setting *policy_setting_at(unsigned int i)
{
	static const struct policy_setting *const tables[] = { readahead_settings, alloc_settings,
							       lru_settings, common_settings };

	for (unsigned int t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct policy_setting *s = tables[t]; s->key; s++)
			if (!i--)
				return s;
	return NULL;
}

/* @place: its number, as policy_setting_at() counts. NULL: there is none of that name. */
static const struct policy_setting *find_setting(const char *key, unsigned int *place)
{
	const struct policy_setting *s;

	for (*place = 0; (s = policy_setting_at(*place)); ++*place)
		if (!strcmp(s->key, key))
			return s;
	return NULL;
}

static int unknown_setting(const char *key, struct error *e)
{
	const struct policy_setting *s;
	char known[200] = "";
	size_t len = 0;

	for (unsigned int i = 0; (s = policy_setting_at(i)); i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					s->key);
	return error_set(e, -EINVAL, "policy: unknown setting '%s'; there are %s", key, known);
}

/* A bundle of settings: it comes first, so that the others change it, in whatever order. */
static bool is_bundle(const struct policy_setting *s)
{
	return s->set == set_model;
}

/*
 * @seen: a bit for each setting that came before
 * @bundles: only those are applied; else all others
 */
static int apply_setting(struct policy *p, char *setting, bool bundles, unsigned int *seen,
			 struct error *e)
{
	char *value = strchr(setting, '=');
	const struct policy_setting *set;
	unsigned int place;

	if (!value)
		return error_set(e, -EINVAL, "policy: '%s' is not key=value", setting);
	*value++ = '\0';
	set = find_setting(setting, &place);
	if (!set)
		return unknown_setting(setting, e);
	if (is_bundle(set) != bundles)
		return 0;
	/* Sites add up; of anything else the last one would win unseen. */
	if (*seen >> place & 1 && !set->repeatable)
		return error_set(e, -EINVAL,
				 "policy: %s is set twice; a policy has one value for it", setting);
	*seen |= 1u << place;
	return set->set(p, value, e);
}

static int apply_settings(struct policy *p, const char *spec, bool bundles, unsigned int *seen,
			  struct error *e)
{
	char copy[sizeof(p->spec)], *rest = copy, *setting;
	int ret = 0;

	strcpy(copy, spec);
	while (!ret && (setting = strsep(&rest, ",")))
		ret = apply_setting(p, setting, bundles, seen, e);
	return ret;
}

bool policy_reads_differ(const struct policy *p, const struct kernel *recorded)
{
	return !kernel_same(p->kernel, recorded) || p->readahead != READAHEAD_KERNEL ||
	       p->page_cluster >= 0 || p->swapoff != recorded->readahead.swapoff ||
	       p->prev != PREV_GLOBAL || p->no_bypass != recorded->readahead.sync_cached ||
	       p->swapin != SWAPIN_RECORDED;
}

bool policy_differs(const struct policy *p, const struct kernel *recorded)
{
	return policy_reads_differ(p, recorded) || p->cpus || alloc_policy_set(&p->alloc);
}

int policy_parse(struct policy *p, const struct kernel *recorded, const char *spec, struct error *e)
{
	unsigned int seen = 0;
	int ret;

	policy_recorded(p, recorded);
	if (strlen(spec) >= sizeof(p->spec))
		return error_set(e, -EINVAL, "policy: longer than %zu characters",
				 sizeof(p->spec) - 1);
	strcpy(p->spec, spec);
	if (!strcmp(spec, "recorded"))
		return 0;
	ret = apply_settings(p, spec, true, &seen, e);
	if (!ret)
		ret = apply_settings(p, spec, false, &seen, e);
	p->what_if = policy_differs(p, recorded);
	return ret;
}
