// SPDX-License-Identifier: GPL-2.0
#include "traces/event.h"

#include <string.h>

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define KEYS(array) (sizeof(array) / sizeof(array[0])), array

static const struct key_desc lookup_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "slot" },
	{ "cause", KEY_ENUM, NAMES("fault", "swapoff", "shmem"), "who needed the entry" },
	{ "vma", KEY_DEC, NULL, "small id of the VMA" },
	{ "addr", KEY_HEX, NULL, "address that needs the page" },
	{ "vma_start", KEY_HEX, NULL, "first address of the VMA" },
	{ "vma_end", KEY_HEX, NULL, "end of the VMA, exclusive" },
	{ "order", KEY_DEC, NULL, "order that is swapped in" },
	{ "count", KEY_DEC, NULL, "references to the slot" },
	{ "write", KEY_DEC, NULL, "0 or 1: a write fault" },
	{ "hit", KEY_DEC, NULL, "0 or 1: found in the swap cache" },
	{ "ra", KEY_DEC, NULL, "0 or 1: carried the readahead mark, now consumed" },
	{ "bypass", KEY_DEC, NULL, "1: synchronous device, neither cache nor readahead" },
};

static const struct key_desc ra_keys[] = {
	{ "mode", KEY_ENUM, NAMES("cluster", "vma"), "which readahead ran" },
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "slot that was needed" },
	{ "addr", KEY_HEX, NULL, "address that needs the page" },
	{ "ret", KEY_DEC, NULL, "window size in pages before clamping" },
	{ "hits", KEY_DEC, NULL, "readahead hits that the call consumed" },
	{ "prev", KEY_DEC, NULL, "previous offset (VMA mode: page number) before the call" },
	{ "last", KEY_DEC, NULL, "previous window before the call" },
	{ "start", KEY_PLACE, NULL, "first slot, or page address in VMA mode" },
	{ "end", KEY_PLACE, NULL, "end of the window, exclusive" },
	{ "how", KEY_ENUM, NAMES("probed", "state", "burst"), "where ret comes from" },
	{ "vma", KEY_DEC, NULL, "small id of the VMA" },
	{ "derived", KEY_DEC, NULL, "the window as how=state would give it, beside a probed ret" },
};

static const struct key_desc read_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "first slot" },
	{ "n", KEY_DEC, NULL, "slots" },
	{ "cause", KEY_ENUM, NAMES("demand", "ra", "bypass"), "the page needed, or a neighbour" },
	{ "ns", KEY_DEC, NULL, "time the read took, ns" },
};

static const struct key_desc cache_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "first slot" },
	{ "n", KEY_DEC, NULL, "slots" },
	{ "by", KEY_ENUM, NAMES("swapout", "swapin", "free", "reclaim", "swapoff"),
	  "on whose behalf" },
};

static const struct key_desc swapout_keys[] = {
	{ "order", KEY_DEC, NULL, "order of the folio" },
	{ "folio", KEY_HEX, NULL, "identity of the folio" },
	{ "split_of", KEY_HEX, NULL, "folio it was split from after a failed allocation" },
	{ "memcg", KEY_DEC, NULL, "memory cgroup id" },
};

static const struct key_desc alloc_keys[] = {
	{ "order", KEY_DEC, NULL, "order asked for" },
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "first slot" },
	{ "n", KEY_DEC, NULL, "slots of one batch call" },
	{ "folio", KEY_HEX, NULL, "identity of the folio" },
	{ "memcg", KEY_DEC, NULL, "memory cgroup id" },
	{ "via", KEY_ENUM, NAMES("direct", "cache"), "allocator, or slots cache" },
	{ "reason", KEY_ENUM, NAMES("space", "limit", "config"), "why nothing was given" },
};

static const struct key_desc write_keys[] = {
	{ "order", KEY_DEC, NULL, "order of the folio" },
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "first slot" },
	{ "zero", KEY_DEC, NULL, "0 or 1: zero-filled, not written" },
};

static const struct key_desc unref_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "first slot" },
	{ "n", KEY_DEC, NULL, "slots" },
	{ "how", KEY_ENUM, NAMES("zap", "swapin", "cache"), "which kind of reference" },
	{ "left", KEY_DEC, NULL, "page table references left afterwards" },
};

static const struct key_desc free_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "first slot" },
	{ "n", KEY_DEC, NULL, "slots" },
	{ "cause", KEY_ENUM, NAMES("direct", "flush", "reclaim"), "what freed them" },
};

static const struct key_desc drain_keys[] = {
	{ "site", KEY_STRING, NULL, "symbol of the caller" },
	{ "add", KEY_DEC, NULL, "folios moved from the add batch" },
	{ "rotate", KEY_DEC, NULL, "from the rotate batch" },
	{ "deactivate_file", KEY_DEC, NULL, "from the deactivate_file batch" },
	{ "deactivate", KEY_DEC, NULL, "from the deactivate batch" },
	{ "lazyfree", KEY_DEC, NULL, "from the lazyfree batch" },
	{ "activate", KEY_DEC, NULL, "from the activate batch" },
};

static const struct key_desc batch_keys[] = {
	{ "batch", KEY_HEX, NULL, "identity of the caller's batch" },
	{ "n", KEY_DEC, NULL, "folios in it" },
	{ "drained", KEY_DEC, NULL, "0 or 1: the flag on entry" },
};

#define LRU_OPS NAMES("add", "rotate", "deactivate_file", "deactivate", "lazyfree", "activate")

static const struct key_desc lruadd_keys[] = {
	{ "op", KEY_ENUM, LRU_OPS, "which per-CPU batch" },
	{ "large", KEY_DEC, NULL, "0 or 1: a large folio, flushes at once" },
	{ "n", KEY_DEC, NULL, "folios" },
};

static const struct key_desc flush_keys[] = {
	{ "op", KEY_ENUM, LRU_OPS, "which per-CPU batch" },
	{ "n", KEY_DEC, NULL, "folios moved" },
};

static const struct key_desc swapon_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "pages", KEY_DEC, NULL, "slots with the header slot" },
	{ "prio", KEY_SIGNED, NULL, "priority" },
	{ "flags", KEY_FLAGS,
	  NAMES("ssd", "rotational", "sync_io", "blkdev", "file", "discard", "imaginary"),
	  "kind of device" },
	{ "name", KEY_STRING, NULL, "path of the device or file" },
};

static const struct key_desc swapoff_keys[] = {
	{ "op", KEY_ENUM, NAMES("begin", "end"), "start or end of the call" },
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "ret", KEY_SIGNED, NULL, "result of the call" },
};

static const struct key_desc slots_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "off", KEY_DEC, NULL, "first slot" },
	{ "n", KEY_DEC, NULL, "slots" },
	{ "count", KEY_DEC, NULL, "references to each" },
	{ "cached", KEY_DEC, NULL, "0 or 1: in the swap cache" },
};

static const struct key_desc cluster_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "index", KEY_DEC, NULL, "cluster" },
	{ "list", KEY_ENUM, NAMES("none", "free", "nonfull", "frag", "full", "discard"),
	  "list it is on" },
	{ "order", KEY_DEC, NULL, "order it serves" },
	{ "used", KEY_DEC, NULL, "slots in use" },
};

static const char *const cache_sides[] = { "alloc", "free", NULL };

static const struct key_desc pcpu_keys[] = {
	{ "type", KEY_DEC, NULL, "swap device number" },
	{ "order", KEY_DEC, NULL, "order" },
	{ "next", KEY_DEC, NULL, "next slot this CPU tries" },
	{ "off", KEY_DEC, NULL, "a slot that waits in the CPU's slots cache" },
	{ "side", KEY_ENUM, cache_sides, "its side: to be given, or to be freed" },
	{ "active", KEY_DEC, NULL, "0 or 1: the slots caches are in use" },
};

static const struct key_desc rng_keys[] = {
	{ "value", KEY_DEC, NULL, "what the kernel drew" },
	{ "low", KEY_DEC, NULL, "lowest possible value" },
	{ "high", KEY_DEC, NULL, "highest possible value" },
};

static const struct key_desc config_keys[] = {
	{ "page_cluster", KEY_DEC, NULL, "vm.page-cluster" },
	{ "vma_ra", KEY_DEC, NULL, "0 or 1: VMA readahead enabled" },
	{ "hits", KEY_DEC, NULL, "snapshot of the global readahead hits" },
	{ "prev", KEY_DEC, NULL, "snapshot of the previous offset" },
	{ "last", KEY_DEC, NULL, "snapshot of the last window" },
};

static const struct key_desc clock_keys[] = {
	{ "mono", KEY_DEC, NULL, "CLOCK_MONOTONIC, ns" },
	{ "boot", KEY_DEC, NULL, "CLOCK_BOOTTIME, ns" },
	{ "real", KEY_DEC, NULL, "CLOCK_REALTIME, ns" },
};

static const struct key_desc lost_keys[] = {
	{ "n", KEY_DEC, NULL, "events lost" },
	{ "from", KEY_DEC, NULL, "after this time, ns" },
	{ "to", KEY_DEC, NULL, "and before this one, ns" },
};

const struct event_desc event_table[EV_NR] = {
	[EV_LOOKUP] = { "LOOKUP", ROLE_MIXED, KEYS(lookup_keys), "one need of one swap entry" },
	[EV_RA] = { "RA", ROLE_DECISION, KEYS(ra_keys), "a readahead call and its window" },
	[EV_READ] = { "READ", ROLE_DECISION, KEYS(read_keys), "pages read from swap" },
	[EV_CACHE] = { "CACHE", ROLE_GIVEN, KEYS(cache_keys), "insertion in the swap cache" },
	[EV_UNCACHE] = { "UNCACHE", ROLE_GIVEN, KEYS(cache_keys), "removal from the swap cache" },
	[EV_SWAPOUT] = { "SWAPOUT", ROLE_STIMULUS, KEYS(swapout_keys), "a folio asks for slots" },
	[EV_ALLOC] = { "ALLOC", ROLE_DECISION, KEYS(alloc_keys), "slots given" },
	[EV_ALLOCFAIL] = { "ALLOCFAIL", ROLE_DECISION, KEYS(alloc_keys), "no slots given" },
	[EV_WRITE] = { "WRITE", ROLE_DECISION, KEYS(write_keys), "swap-out submitted" },
	[EV_UNREF] = { "UNREF", ROLE_STIMULUS, KEYS(unref_keys), "references to slots dropped" },
	[EV_FREE] = { "FREE", ROLE_DECISION, KEYS(free_keys), "slots free for the allocator" },
	[EV_DRAIN] = { "DRAIN", ROLE_DECISION, KEYS(drain_keys), "per-CPU batches drained" },
	[EV_INIT] = { "INIT", ROLE_STIMULUS, KEYS(batch_keys), "a caller's batch initialised" },
	[EV_PUT] = { "PUT", ROLE_STIMULUS, KEYS(batch_keys), "folios put in a caller's batch" },
	[EV_RELEASE] = { "RELEASE", ROLE_STIMULUS, KEYS(batch_keys), "a caller's batch released" },
	[EV_LRUADD] = { "LRUADD", ROLE_STIMULUS, KEYS(lruadd_keys),
			"folios joined a per-CPU batch" },
	[EV_FLUSH] = { "FLUSH", ROLE_DECISION, KEYS(flush_keys), "a full batch moved" },
	[EV_SWAPON] = { "SWAPON", ROLE_STIMULUS, KEYS(swapon_keys), "a swap device added" },
	[EV_SWAPOFF] = { "SWAPOFF", ROLE_STIMULUS, KEYS(swapoff_keys), "a swap device removed" },
	[EV_SLOTS] = { "SLOTS", ROLE_STATE, KEYS(slots_keys), "slots in use at the snapshot" },
	[EV_CLUSTER] = { "CLUSTER", ROLE_STATE, KEYS(cluster_keys), "state of a cluster" },
	[EV_PCPU] = { "PCPU", ROLE_STATE, KEYS(pcpu_keys), "what the allocator keeps for a CPU" },
	[EV_RNG] = { "RNG", ROLE_STATE, KEYS(rng_keys), "a random draw of the kernel" },
	[EV_CONFIG] = { "CONFIG", ROLE_STIMULUS, KEYS(config_keys), "settings when they change" },
	[EV_CLOCK] = { "CLOCK", ROLE_STATE, KEYS(clock_keys), "the clocks at one moment" },
	[EV_LOST] = { "LOST", ROLE_STATE, KEYS(lost_keys), "events that could not be delivered" },
};

const struct key_desc common_keys[COMMON_KEYS] = {
	{ "cpu", KEY_DEC, NULL, "CPU acted on, where it differs from column 2" },
	{ "tid", KEY_DEC, NULL, "thread, where it differs from tgid" },
	{ "seq", KEY_DEC, NULL, "global sequence number taken under the kernel's lock" },
	{ "self", KEY_DEC, NULL, "1: an event of the recorder itself" },
	{ "filtered", KEY_DEC, NULL, "1: outside the filter, kept for global state" },
};

void event_init(struct event *ev, enum event_type type, uint64_t t_ns)
{
	memset(ev, 0, sizeof(*ev));
	ev->type = type;
	ev->t_ns = t_ns;
	ev->cpu = -1;
	ev->tgid = -1;
}

static bool same(const char *a, const char *b, size_t len)
{
	return !strncmp(a, b, len) && !a[len];
}

int event_type_by_name(const char *name, size_t len)
{
	for (int t = 0; t < EV_NR; t++)
		if (same(event_table[t].name, name, len))
			return t;
	return -1;
}

int event_key_by_name(enum event_type type, const char *name, size_t len)
{
	const struct event_desc *d = &event_table[type];

	for (unsigned int k = 0; k < d->nkeys; k++)
		if (same(d->keys[k].name, name, len))
			return (int)k;
	for (unsigned int k = 0; k < COMMON_KEYS; k++)
		if (same(common_keys[k].name, name, len))
			return (int)(KEY_CPU + k);
	return -1;
}

const struct key_desc *event_key(enum event_type type, unsigned int key)
{
	if (key < event_table[type].nkeys)
		return &event_table[type].keys[key];
	if (key >= KEY_CPU && key < EVENT_KEYS)
		return &common_keys[key - KEY_CPU];
	return NULL;
}
