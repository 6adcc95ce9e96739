// SPDX-License-Identifier: GPL-2.0
#include "bpf/hooks.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "bpf/kconfig.h"

/* Only for enum probe_id. */
#include <linux/types.h>
#include "bpf/records.h"

#define END                                                                                        \
	{                                                                                          \
		.symbol = NULL                                                                     \
	}

/*
 * ---- the plan ----
 *
 * The state hooks come first: they say on whose behalf something happens, and their programs must
 * be in place before those that count.
 */

static const struct hook_symbol fault_symbols[] = { { .symbol = "do_swap_page",
						      .entry = "fault_enter",
						      .exit = "fault_exit",
						      .kernels = "all" },
						    END };

static const struct hook_symbol unuse_symbols[] = { { .symbol = "unuse_pte_range",
						      .entry = "unuse_enter",
						      .exit = "unuse_exit",
						      .kernels = "5.1 on" },
						    END };

static const struct hook_symbol shmem_symbols[] = { { .symbol = "shmem_swapin_folio",
						      .entry = "shmem_enter",
						      .exit = "shmem_exit",
						      .kernels = "6.0 on" },
						    { .symbol = "shmem_swapin_page",
						      .entry = "shmem_enter",
						      .exit = "shmem_exit",
						      .kernels = "5.1 to 5.19" },
						    END };

static const struct hook_symbol reclaim_symbols[] = { { .symbol = "shrink_folio_list",
							.entry = "reclaim_enter",
							.exit = "reclaim_exit",
							.kernels = "6.0 on" },
						      { .symbol = "shrink_page_list",
							.entry = "reclaim_enter",
							.exit = "reclaim_exit",
							.kernels = "to 5.19" },
						      END };

static const struct hook_symbol cachefree_symbols[] = { { .symbol = "folio_free_swap",
							  .entry = "cachefree_enter",
							  .exit = "cachefree_exit",
							  .kernels = "6.1 on" },
							{ .symbol = "try_to_free_swap",
							  .entry = "cachefree_enter",
							  .exit = "cachefree_exit",
							  .kernels = "to 6.0" },
							END };

static const struct hook_symbol flush_symbols[] = { { .symbol = "swapcache_free_entries",
						      .entry = "flush_enter",
						      .exit = "flush_exit",
						      .kernels = "to 6.14" },
						    END };

static const struct hook_symbol slotreclaim_symbols[] = { { .symbol = "swap_reclaim_full_clusters",
							    .entry = "slotreclaim_enter",
							    .exit = "slotreclaim_exit",
							    .kernels = "6.12 on" },
							  END };

static const struct hook_symbol refill_symbols[] = { { .symbol = "get_swap_pages",
						       .entry = "refill_enter",
						       .exit = "refill_exit",
						       .kernels = "to 6.14" },
						     END };

static const struct hook_symbol mm_symbols[] = {
	{ .symbol = "exit_mmap", .entry = "mm_gone_enter", .kernels = "all" }, END
};

static const struct hook_symbol readone_symbols[] = { { .symbol = "__read_swap_cache_async",
							.entry = "read_enter",
							.exit = "read_exit",
							.kernels = "all" },
						      END };

static const struct hook_symbol window_symbols[] = {
	{ .symbol = "swapin_nr_pages", .exit = "window_exit", .kernels = "all" }, END
};

static const struct hook_symbol vma_window_symbols[] = {
	{ .symbol = "swap_vma_ra_win", .exit = "vma_window_exit", .kernels = "6.11 on" }, END
};

static const struct hook_symbol account_symbols[] = { { .symbol = "swap_update_readahead",
							.entry = "account_enter",
							.exit = "account_exit",
							.kernels = "6.18 on" },
						      END };

static const struct hook_symbol lookup_symbols[] = { { .symbol = "swap_cache_get_folio",
						       .entry = "plain_lookup_enter",
						       .exit = "plain_lookup_exit",
						       .counts_at_exit = true,
						       .with = "swap_update_readahead",
						       .kernels = "6.18 on" },
						     { .symbol = "swap_cache_get_folio",
						       .entry = "lookup_enter",
						       .exit = "lookup_exit",
						       .counts_at_exit = true,
						       .kernels = "6.1 to 6.17" },
						     { .symbol = "lookup_swap_cache",
						       .entry = "lookup_enter",
						       .exit = "lookup_exit",
						       .counts_at_exit = true,
						       .kernels = "to 6.0" },
						     END };

/* The lab kernel's ways of swapoff beside its own, see lab/README.md. */
static const struct hook_symbol plain_lookup_symbols[] = { { .symbol = "swaptrace_plain_lookup",
							     .entry = "swapoff_lookup_enter",
							     .exit = "swapoff_lookup_exit",
							     .counts_at_exit = true,
							     .kernels = "lab" },
							   END };

static const struct hook_symbol no_lookup_symbols[] = {
	{ .symbol = "swaptrace_no_lookup", .entry = "swapoff_need_enter", .kernels = "lab" }, END
};

static const struct hook_symbol swapin_symbols[] = { { .symbol = "swapin_readahead",
						       .entry = "swapin_enter",
						       .exit = "swapin_exit",
						       .kernels = "4.18 on" },
						     END };

static const struct hook_symbol cluster_symbols[] = { { .symbol = "swap_cluster_readahead",
							.entry = "cluster_enter",
							.exit = "cluster_exit",
							.kernels = "4.18 on" },
						      END };

static const struct hook_symbol readio_symbols[] = {
	{ .symbol = "swap_read_folio", .entry = "readio_enter", .kernels = "6.10 on" },
	{ .symbol = "swap_readpage", .entry = "readio_enter", .kernels = "to 6.9" },
	END
};

static const struct hook_symbol readreturn_symbols[] = { { .symbol = "swap_read_folio",
							   .exit = "readio_exit",
							   .counts_at_exit = true,
							   .kernels = "6.10 on" },
							 { .symbol = "swap_readpage",
							   .exit = "readio_exit",
							   .counts_at_exit = true,
							   .kernels = "to 6.9" },
							 END };

static const struct hook_symbol readend_symbols[] = {
	{ .symbol = "end_swap_bio_read", .entry = "readend_enter", .kernels = "all" }, END
};

static const struct hook_symbol cache_symbols[] = { { .symbol = "add_to_swap_cache",
						      .entry = "cacheadd_enter",
						      .exit = "cacheadd_exit",
						      .counts_at_exit = true,
						      .kernels = "to 6.17" },
						    { .symbol = "swap_cache_add_folio",
						      .entry = "cacheadd_enter",
						      .exit = "cacheadd_void_exit",
						      .counts_at_exit = true,
						      .kernels = "6.18 on" },
						    END };

static const struct hook_symbol uncache_symbols[] = {
	{ .symbol = "__delete_from_swap_cache", .entry = "uncache_enter", .kernels = "to 6.17" },
	{ .symbol = "__swap_cache_del_folio", .entry = "uncache_ci_enter", .kernels = "6.18 on" },
	END
};

static const struct hook_symbol unref_symbols[] = {
	{ .symbol = "swap_free_nr", .entry = "unref_enter", .kernels = "6.11 on" },
	{ .symbol = "swap_free", .entry = "unref_one_enter", .kernels = "to 6.10" },
	END
};

static const struct hook_symbol zap_symbols[] = { { .symbol = "free_swap_and_cache_nr",
						    .entry = "zap_enter",
						    .exit = "zap_exit",
						    .kernels = "6.10 on" },
						  { .symbol = "free_swap_and_cache",
						    .entry = "zap_one_enter",
						    .exit = "zap_exit",
						    .kernels = "to 6.9" },
						  END };

static const struct hook_symbol free_symbols[] = {
	{ .symbol = "swap_range_free",
	  .entry = "free_range_enter",
	  .kernels = "all, often inlined" },
	{ .symbol = "swap_entries_free", .entry = "free_ci_entry_enter", .kernels = "6.15 on" },
	{ .symbol = "swap_entry_range_free",
	  .entry = "free_entry_enter",
	  .with = "free_swap_slot",
	  .kernels = "6.12, 6.13" },
	{ .symbol = "swap_entry_range_free",
	  .entry = "free_ci_entry_enter",
	  .absent = "free_swap_slot",
	  .kernels = "6.14" },
	END
};

static const struct hook_symbol alloc_symbols[] = { { .symbol = "swap_range_alloc",
						      .entry = "alloc_range_enter",
						      .with = "free_swap_slot",
						      .kernels = "to 6.13" },
						    { .symbol = "folio_alloc_swap",
						      .entry = "alloc_folio_enter",
						      .exit = "alloc_folio_exit",
						      .counts_at_exit = true,
						      .absent = "get_swap_pages",
						      .kernels = "6.15 on" },
						    { .symbol = "folio_alloc_swap",
						      .entry = "alloc_folio_enter",
						      .exit = "alloc_entry_exit",
						      .counts_at_exit = true,
						      .absent = "free_swap_slot",
						      .kprobe_only = true,
						      .kernels = "6.14" },
						    END };

static const struct hook_symbol swapout_symbols[] = { { .symbol = "add_to_swap",
							.entry = "swapout_enter",
							.exit = "swapout_exit",
							.kernels = "to 6.14" },
						      END };

/* ---- the alloc group ---- */

static const struct hook_symbol ask_symbols[] = {
	{ .symbol = "folio_alloc_swap",
	  .entry = "ask_enter",
	  .with = "get_swap_pages",
	  .kprobe_only = true,
	  .kernels = "6.1 to 6.14" },
	{ .symbol = "folio_alloc_swap", .entry = "ask_enter", .kernels = "6.15 on" },
	END
};

static const struct hook_symbol answer_symbols[] = { { .symbol = "folio_alloc_swap",
						       .exit = "answer_exit",
						       .counts_at_exit = true,
						       .with = "free_swap_slot",
						       .kprobe_only = true,
						       .kernels = "6.1 to 6.13" },
						     { .symbol = "folio_alloc_swap",
						       .exit = "answer_told_exit",
						       .counts_at_exit = true,
						       .with = "get_swap_pages",
						       .kprobe_only = true,
						       .kernels = "6.14" },
						     { .symbol = "folio_alloc_swap",
						       .exit = "answer_error_exit",
						       .counts_at_exit = true,
						       .kernels = "6.15 on" },
						     END };

static const struct hook_symbol giveback_symbols[] = {
	{ .symbol = "put_swap_folio", .entry = "giveback_enter", .kernels = "6.1 on" }, END
};

static const struct hook_symbol scan_symbols[] = { { .symbol = "scan_swap_map_slots",
						     .entry = "scan_enter",
						     .exit = "scan_exit",
						     .with = "swap_readpage",
						     .kernels = "5.15 to 6.9" },
						   { .symbol = "scan_swap_map_slots",
						     .entry = "scan_enter",
						     .exit = "scan_between_exit",
						     .absent = "alloc_swap_scan_cluster",
						     .kernels = "6.10, 6.11" },
						   { .symbol = "swaptrace_alloc_old",
						     .entry = "scan_enter",
						     .exit = "scan_between_exit",
						     .kernels = "lab" },
						   END };

static const struct hook_symbol write_symbols[] = {
	{ .symbol = "__swap_writepage", .entry = "write_enter", .kernels = "all" }, END
};

static const struct hook_symbol writezero_symbols[] = { { .symbol = "swap_writeout",
							  .entry = "writepage_enter",
							  .exit = "writepage_exit",
							  .counts_at_exit = true,
							  .kernels = "6.16 on" },
							{ .symbol = "swap_writepage",
							  .entry = "writepage_enter",
							  .exit = "writepage_exit",
							  .counts_at_exit = true,
							  .kernels = "to 6.15" },
							END };

/* ---- the lru group ---- */

static const struct hook_symbol drain_symbols[] = { { .symbol = "lru_add_drain",
						      .entry = "drain_enter",
						      .kprobe_only = true,
						      .kernels = "all" },
						    END };

static const struct hook_symbol drainbegin_symbols[] = { { .symbol = "lru_add_drain_cpu",
							   .entry = "drain_cpu_enter",
							   .kprobe_only = true,
							   .kernels = "all" },
							 END };

static const struct hook_symbol draincpu_symbols[] = { { .symbol = "lru_add_drain_cpu",
							 .exit = "drain_cpu_exit",
							 .counts_at_exit = true,
							 .kernels = "all" },
						       END };

static const struct hook_symbol release_symbols[] = {
	{ .symbol = "__folio_batch_release", .entry = "release_enter", .kernels = "6.5 on" },
	{ .symbol = "__pagevec_release", .entry = "release_pagevec_enter", .kernels = "to 6.4" },
	END
};

static const struct hook_symbol lruflush_symbols[] = {
	{ .symbol = "folio_batch_move_lru", .entry = "flush_batch_enter", .kernels = "6.1 on" }, END
};

/* In interrupts, too: see rotate_symbols. */
static const struct hook_symbol rotateflush_symbols[] = {
	{ .symbol = "folio_batch_move_lru", .entry = "flush_rotate_enter", .kernels = "6.1 on" },
	END
};

static const struct hook_symbol lruadd_symbols[] = {
	{ .symbol = "__folio_batch_add_and_move", .entry = "lruadd_enter", .kernels = "6.12 on" },
	{ .symbol = "folio_add_lru", .entry = "addlru_enter", .kernels = "6.1 to 6.11" },
	END
};

/*
 * Called by interrupts. A program that is interrupted does not run again inside, so this operation
 * has one of its own also where another would see it.
 */
static const struct hook_symbol rotate_symbols[] = {
	{ .symbol = "folio_rotate_reclaimable", .entry = "rotate_enter", .kernels = "6.1 on" }, END
};

/* Functions that check whether a folio may join a batch, where they do not share the joining. */
#define LRU_OLD(name, function, where)                                                             \
	static const struct hook_symbol name##_symbols[] = { {                                     \
								     .symbol = function,           \
								     .entry = #name "_enter",      \
								     .absent = "__folio_batch_"    \
									       "add_and_move",     \
								     .kernels = where,             \
							     },                                    \
							     END }
LRU_OLD(deactivate_file, "deactivate_file_folio", "6.1 to 6.11");
LRU_OLD(deactivate, "deactivate_page", "to 6.2");
LRU_OLD(lazyfree, "mark_page_lazyfree", "to 6.2");
LRU_OLD(activate, "folio_activate", "6.1 to 6.11");

/* The system call's body (__do_sys_*) is inline code, which can't be traced: its wrapper can. */
#define SWAPON(name, where)                                                                        \
	{                                                                                          \
		.symbol = name, .exit = "swapon_exit", .counts_at_exit = true, .kernels = where    \
	}
static const struct hook_symbol swapon_symbols[] = {
	SWAPON("__x64_sys_swapon", "x86-64"),  SWAPON("__arm64_sys_swapon", "arm64"),
	SWAPON("__riscv_sys_swapon", "riscv"), SWAPON("__s390x_sys_swapon", "s390"),
	SWAPON("sys_swapon", "others"),	       END
};

#define SWAPOFF(name, where)                                                                       \
	{                                                                                          \
		.symbol = name, .entry = "swapoff_enter", .exit = "swapoff_exit",                  \
		.counts_at_exit = true, .kernels = where                                           \
	}
static const struct hook_symbol swapoff_symbols[] = {
	SWAPOFF("__x64_sys_swapoff", "x86-64"),	 SWAPOFF("__arm64_sys_swapoff", "arm64"),
	SWAPOFF("__riscv_sys_swapoff", "riscv"), SWAPOFF("__s390x_sys_swapoff", "s390"),
	SWAPOFF("sys_swapoff", "others"),	 END
};

static const struct hook_symbol swapoff_begin_symbols[] = {
	{ .symbol = "shmem_unuse", .entry = "shmem_unuse_enter", .kernels = "5.1 on" },
	{ .symbol = "__x64_sys_swapoff", .entry = "swapoff_begin_enter", .kernels = "x86-64" },
	{ .symbol = "__arm64_sys_swapoff", .entry = "swapoff_begin_enter", .kernels = "arm64" },
	END
};

#define STATE(what, list, stands_in, gone)                                                         \
	{                                                                                          \
		.name = what, .probe = -1, .groups = GROUP_SWAP, .symbols = list,                  \
		.instead = stands_in, .lost = gone                                                 \
	}
#define GROUP_STATE(what, group, list, stands_in, gone)                                            \
	{                                                                                          \
		.name = what, .probe = -1, .groups = group, .symbols = list, .instead = stands_in, \
		.lost = gone                                                                       \
	}
#define LRU_JOIN(id, list, gone)                                                                   \
	{                                                                                          \
		.name = "LRUADD", .event = "LRUADD", .probe = id, .groups = GROUP_LRU,             \
		.symbols = list, .instead = "one function for all operations (6.12 on)",           \
		.lost = gone, .spare = true                                                        \
	}
#define LAB_LOOKUP(id, list)                                                                       \
	{                                                                                          \
		.name = "LOOKUP", .event = "LOOKUP", .probe = id, .groups = GROUP_RA,              \
		.symbols = list, .instead = "swapoff looks in one way only", .lost = "nothing",    \
		.spare = true                                                                      \
	}
#define EVENT(what, id, wanted_by, needed_by, list, stands_in, gone)                               \
	{                                                                                          \
		.name = what, .event = what, .probe = id, .groups = wanted_by,                     \
		.required = needed_by, .symbols = list, .instead = stands_in, .lost = gone         \
	}

#define ATOMIC_EVENT(what, id, wanted_by, list, gone)                                              \
	{                                                                                          \
		.name = what, .event = what, .probe = id, .groups = wanted_by, .symbols = list,    \
		.lost = gone, .atomic = true                                                       \
	}

const struct hook hook_plan[] = {
	STATE("in fault", fault_symbols, NULL, "LOOKUP write= and bypass=; READ cause=bypass"),
	STATE("in swapoff walk", unuse_symbols, NULL, "LOOKUP cause=swapoff is shown as fault"),
	STATE("in shmem", shmem_symbols, "lookups without a VMA", "LOOKUP bypass= of shmem"),
	STATE("in reclaim", reclaim_symbols, NULL, "UNCACHE by=reclaim is shown as free"),
	STATE("in swap-out", swapout_symbols, "all that is no swap-in", "nothing"),
	STATE("in cache release", cachefree_symbols, NULL, "UNCACHE by=free in a fault: swapin"),
	STATE("in slots flush", flush_symbols, NULL,
	      "FREE cause=flush, shown as direct (6.15 on has no slots cache, so no flush)"),
	STATE("in slot reclaim", slotreclaim_symbols, NULL, "FREE cause=reclaim, shown as direct"),
	STATE("in slots refill", refill_symbols, NULL,
	      "ALLOC via=cache, shown as direct (6.15 on has no slots cache)"),
	STATE("end of address space", mm_symbols, NULL, "a VMA's number may be used again"),
	STATE("window entries", readone_symbols, NULL, "RA ret: the moment at which it is known"),
	STATE("window size", window_symbols, "the kernel's variables (how=state)", "nothing"),
	STATE("VMA window size", vma_window_symbols, "the VMA's word (how=state)", "nothing"),
	STATE("accounting", account_symbols, "the lookup accounts", "nothing"),
	EVENT("LOOKUP", PROBE_LOOKUP, GROUP_RA, GROUP_RA, lookup_symbols, NULL,
	      "needs of swap entries"),
	LAB_LOOKUP(PROBE_LOOKUP_PLAIN, plain_lookup_symbols),
	LAB_LOOKUP(PROBE_LOOKUP_NONE, no_lookup_symbols),
	EVENT("RA", PROBE_RA_VMA, GROUP_RA, GROUP_RA, swapin_symbols, NULL, "VMA readahead"),
	EVENT("RA", PROBE_RA_CLUSTER, GROUP_RA, GROUP_RA, cluster_symbols, NULL,
	      "cluster readahead"),
	EVENT("READ", PROBE_READ, GROUP_RA, 0, readio_symbols, NULL, "what was read"),
	EVENT("READ.ns", PROBE_READ_RETURN, GROUP_RA, 0, readreturn_symbols, NULL,
	      "READ ns= of synchronous devices"),
	ATOMIC_EVENT("READ.ns", PROBE_READ_END, GROUP_RA, readend_symbols,
		     "READ ns= of other devices"),
	EVENT("CACHE", PROBE_CACHE, GROUP_SWAP, 0, cache_symbols, NULL, "swap-cache insertions"),
	EVENT("UNCACHE", PROBE_UNCACHE, GROUP_SWAP, 0, uncache_symbols, NULL,
	      "swap-cache removals"),
	EVENT("UNREF", PROBE_UNREF_SWAPIN, GROUP_SWAP, 0, unref_symbols, NULL,
	      "references dropped by swap-in"),
	EVENT("UNREF", PROBE_UNREF_ZAP, GROUP_SWAP, 0, zap_symbols, NULL,
	      "references dropped by unmapping"),
	EVENT("FREE", PROBE_FREE, GROUP_SWAP, GROUP_ALLOC, free_symbols, NULL, "slots freed"),
	EVENT("ALLOC", PROBE_ALLOC, GROUP_SWAP, GROUP_ALLOC, alloc_symbols, NULL, "slots given"),
	GROUP_STATE("slots that go back", GROUP_ALLOC, giveback_symbols, NULL,
		    "ALLOCFAIL reason=limit, shown as space"),
	GROUP_STATE("random places", GROUP_ALLOC, scan_symbols,
		    "nothing is drawn any more (6.12 on)", "RNG: where the next scan begins"),
	EVENT("SWAPOUT", PROBE_SWAPOUT, GROUP_ALLOC, 0, ask_symbols, "ALLOC stands for requests",
	      "which folio asked, and what for"),
	EVENT("ALLOCFAIL", PROBE_ANSWER, GROUP_ALLOC, 0, answer_symbols,
	      "CACHE by=swapout tells which slot of a slots cache was given",
	      "requests that got nothing"),
	EVENT("WRITE", PROBE_WRITE, GROUP_ALLOC, 0, write_symbols, NULL, "what was written"),
	EVENT("WRITE", PROBE_WRITE_ZERO, GROUP_ALLOC, 0, writezero_symbols, NULL,
	      "WRITE zero=1: zero-filled folios that are not written"),
	GROUP_STATE("drain of this CPU", GROUP_LRU, drain_symbols, "the inner function",
		    "DRAIN site=, shown as lru_add_drain"),
	/*
	 * The kretprobe first: what is put on a function last is called first, and a kretprobe
	 * hides the caller from all who come after it.
	 */
	EVENT("DRAIN", PROBE_DRAIN, GROUP_LRU, GROUP_LRU, draincpu_symbols, NULL, "drains"),
	GROUP_STATE("drain begins", GROUP_LRU, drainbegin_symbols, NULL,
		    "DRAIN: call site and batches"),
	EVENT("RELEASE", PROBE_RELEASE, GROUP_LRU, 0, release_symbols, NULL,
	      "releases of callers' batches"),
	ATOMIC_EVENT("FLUSH", PROBE_FLUSH, GROUP_LRU, lruflush_symbols, "flushes of full batches"),
	ATOMIC_EVENT("FLUSH", PROBE_FLUSH_ROTATE, GROUP_LRU, rotateflush_symbols,
		     "FLUSH op=rotate; DRAIN rotate= where interrupts add to it"),
	EVENT("LRUADD", PROBE_LRUADD, GROUP_LRU, 0, lruadd_symbols, NULL,
	      "folios that join a per-CPU batch"),
	ATOMIC_EVENT("LRUADD", PROBE_LRU_ROTATE, GROUP_LRU, rotate_symbols, "LRUADD op=rotate"),
	LRU_JOIN(PROBE_LRU_DEACTIVATE_FILE, deactivate_file_symbols, "LRUADD op=deactivate_file"),
	LRU_JOIN(PROBE_LRU_DEACTIVATE, deactivate_symbols, "LRUADD op=deactivate"),
	LRU_JOIN(PROBE_LRU_LAZYFREE, lazyfree_symbols, "LRUADD op=lazyfree"),
	LRU_JOIN(PROBE_LRU_ACTIVATE, activate_symbols, "LRUADD op=activate"),
	EVENT("SWAPON", PROBE_SWAPON, GROUP_SWAP, 0, swapon_symbols, NULL, "devices that come"),
	EVENT("SWAPOFF", PROBE_SWAPOFF_END, GROUP_SWAP, 0, swapoff_symbols, NULL, "end of swapoff"),
	EVENT("SWAPOFF", PROBE_SWAPOFF_BEGIN, GROUP_SWAP, 0, swapoff_begin_symbols, NULL,
	      "begin of swapoff"),
};
const size_t hook_plan_len = sizeof(hook_plan) / sizeof(hook_plan[0]);

/* ---- resolving ---- */

/* Names beside those of the plan: what conditions mention, and the kernel's variables. */
static const char *const other_names[] = {
	"free_swap_slot",  "swapin_readahead_hits",  "prev_offset",	    "last_readahead_pages",
	"page_cluster",	   "enable_vma_readahead",   "nr_rotate_swap",	    "swap_info",
	"vm_event_states", "__per_cpu_offset",	     "cpu_fbatches",	    "lru_rotate",
	"swp_slots",	   "swap_slot_cache_active", "register_fprobe_ips",
};

#define NAMES_MAX 240

static size_t plan_names(const char **names)
{
	size_t n = 0;

	for (size_t i = 0; i < hook_plan_len; i++) {
		for (const struct hook_symbol *s = hook_plan[i].symbols; s->symbol; s++) {
			names[n++] = s->symbol;
			if (s->with)
				names[n++] = s->with;
			if (s->absent)
				names[n++] = s->absent;
		}
	}
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++)
		names[n++] = other_names[i];
	return n;
}

static void add_function(struct hook_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->nfunctions; i++)
		if (!strcmp(k->functions[i].name, name))
			return;
	k->functions[k->nfunctions++].name = name;
}

static int read_symbols(struct hook_kernel *k, const char *path, struct error *e)
{
	const char *names[NAMES_MAX];
	FILE *in = fopen(path, "r");
	int err;

	if (!in)
		return error_errno(e, -errno, "%s: cannot be opened", path);
	err = symbols_read(&k->symbols, in, path, names, plan_names(names), e);
	fclose(in);
	return err;
}

static bool is_there(const struct hook_kernel *k, const char *base)
{
	const struct symbol *copies[SYMBOL_COPIES_MAX];

	return symbols_function(symbols_find(&k->symbols, base), copies) > 0;
}

int hook_kernel_read(struct hook_kernel *k, const char *kallsyms, const char *btf, bool btf_needed,
		     const char *config, struct error *e)
{
	struct kernel_config c;
	int err;

	memset(k, 0, sizeof(*k));
	for (size_t i = 0; i < hook_plan_len; i++)
		for (const struct hook_symbol *s = hook_plan[i].symbols; s->symbol; s++)
			add_function(k, s->symbol);
	if (btf) {
		err = btf_file_read(btf, k->functions, k->nfunctions, e);
		if (err && (btf_needed || err != -ENOENT))
			return err;
		k->have_btf = !err;
	}
	k->fprobe = k->preempts = -1;
	if (kernel_config_read(config, &c)) {
		k->fprobe = c.fprobe;
		k->preempts = c.preempts;
	}
	err = read_symbols(k, kallsyms, e);
	/* Without a configuration: a function that is there with that option alone. */
	if (!err && k->fprobe < 0 && is_there(k, "register_fprobe_ips"))
		k->fprobe = 1;
	return err;
}

void hook_kernel_free(struct hook_kernel *k)
{
	symbols_free(&k->symbols);
}

static const struct btf_function *function_of(const struct hook_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->nfunctions; i++)
		if (!strcmp(k->functions[i].name, name))
			return &k->functions[i];
	return NULL;
}

/*
 * BTF describes the function before the compiler changed it, and fentry finds it by name: several
 * copies or a suffix leave only kprobes, which take addresses.
 */
static bool fentry_can(const struct hook_kernel *k, const struct hook_choice *c)
{
	const struct btf_function *f = function_of(k, c->symbol->symbol);

	return k->have_btf && c->n == 1 && c->copies[0]->form == SYMBOL_EXACT && f && f->present &&
	       !c->symbol->kprobe_only && !(c->symbol->exit && f->returns_struct);
}

/*
 * A task can be preempted inside a program of fentry, and the kernel skips that program then for
 * whoever runs on the CPU meanwhile: 0.2 to 4 % of the calls, where kernels preempt (6.16 on by
 * default). Programs of kprobes hold preemption off, but the kernel skips them inside each other,
 * also for interrupts, so what interrupts call stays with fentry.
 */
static void choose_kinds(const struct hook_kernel *k, struct hook_choice *c)
{
	bool fentry = fentry_can(k, c), skipped = k->preempts == 1 && !c->hook->atomic;

	if (fentry && !skipped)
		c->kinds[c->nkinds++] = ATTACH_FENTRY;
	if (k->fprobe == 1)
		c->kinds[c->nkinds++] = ATTACH_KPROBE_MULTI;
	if (fentry && skipped)
		c->kinds[c->nkinds++] = ATTACH_FENTRY;
	c->kinds[c->nkinds++] = ATTACH_KPROBE;
}

static bool try_symbol(const struct hook_kernel *k, const struct hook_symbol *s,
		       struct hook_choice *c)
{
	const struct symbol_set *set = symbols_find(&k->symbols, s->symbol);

	if ((s->with && !is_there(k, s->with)) || (s->absent && is_there(k, s->absent)))
		return false;
	if (set && set->others) {
		c->modules = set->others;
		c->module = set->module;
	}
	c->n = symbols_function(set, c->copies);
	if (!c->n)
		return false;
	c->symbol = s;
	c->lower_bound = c->copies[0]->form == SYMBOL_PART;
	for (unsigned int i = 0; i < c->n; i++)
		c->clone |= c->copies[i]->form == SYMBOL_CLONE;
	choose_kinds(k, c);
	return true;
}

void hooks_resolve(const struct hook_kernel *k, struct hook_choice *c)
{
	for (size_t i = 0; i < hook_plan_len; i++) {
		memset(&c[i], 0, sizeof(c[i]));
		c[i].hook = &hook_plan[i];
		for (const struct hook_symbol *s = hook_plan[i].symbols; s->symbol; s++)
			if (try_symbol(k, s, &c[i]))
				break;
	}
}

int hooks_only_kind(struct hook_choice *c, const char *kind, struct error *e)
{
	enum attach_kind only = ATTACH_FENTRY;

	while (only < ATTACH_NONE && strcmp(kind, attach_kind_name(only, true, false)))
		only++;
	if (only == ATTACH_NONE)
		return error_set(e, -EINVAL,
				 "'%s' is no way of attaching; there are: fentry, kprobe.multi, "
				 "kprobe",
				 kind);
	for (size_t i = 0; i < hook_plan_len; i++) {
		bool has = false;

		for (unsigned int k = 0; k < c[i].nkinds; k++)
			has |= c[i].kinds[k] == only;
		c[i].nkinds = has;
		c[i].kinds[0] = only;
		if (!has)
			c[i].symbol = NULL;
	}
	return 0;
}

static unsigned int group_of_word(const char *word, size_t len)
{
	if (len == 2 && !strncasecmp(word, "ra", len))
		return GROUP_RA;
	if (len == 5 && !strncasecmp(word, "alloc", len))
		return GROUP_ALLOC;
	if (len == 3 && !strncasecmp(word, "lru", len))
		return GROUP_LRU;
	return 0;
}

unsigned int hooks_groups(const char *list, struct error *e)
{
	unsigned int groups = 0;

	while (*list) {
		size_t len = strcspn(list, ",");
		unsigned int group = group_of_word(list, len);

		if (!group) {
			error_set(e, -EINVAL,
				  "'%.*s' is no group of events; there are: ra, alloc, lru",
				  (int)len, list);
			return 0;
		}
		groups |= group;
		list += len + (list[len] == ',');
	}
	if (!groups)
		error_set(e, -EINVAL, "no group of events given; there are: ra, alloc, lru");
	return groups;
}

const char *hooks_group_names(unsigned int groups, char *out, size_t size)
{
	static const char *const names[] = { "ra", "alloc", "lru" };
	size_t len = 0;

	out[0] = '\0';
	for (unsigned int i = 0; i < 3; i++)
		if (groups >> i & 1 && len < size)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? "," : "",
						names[i]);
	return out;
}

void hook_describe_missing(const struct hook *h, char *out, size_t size)
{
	size_t len = (size_t)snprintf(out, size, "not available on this kernel (tried: ");
	const char *last = "";

	for (const struct hook_symbol *s = h->symbols; s->symbol && len < size; s++) {
		if (strcmp(last, s->symbol))
			len += (size_t)snprintf(out + len, size - len, "%s%s", *last ? ", " : "",
						s->symbol);
		last = s->symbol;
	}
	if (len < size)
		snprintf(out + len, size - len, ")");
}

int hooks_require(const struct hook_choice *c, unsigned int groups, struct error *e)
{
	char why[256];

	for (size_t i = 0; i < hook_plan_len; i++) {
		if (c[i].symbol || !(c[i].hook->required & groups))
			continue;
		hook_describe_missing(c[i].hook, why, sizeof(why));
		return error_set(e, -ENOENT, "event %s %s", c[i].hook->event, why);
	}
	return 0;
}

/* ---- the list ---- */

const char *attach_kind_name(enum attach_kind kind, bool entry, bool exit)
{
	static const char *const names[][3] = {
		[ATTACH_FENTRY] = { "fentry", "fexit", "fentry+fexit" },
		[ATTACH_KPROBE_MULTI] = { "kprobe.multi", "kretprobe.multi",
					  "kprobe.multi+kretprobe.multi" },
		[ATTACH_KPROBE] = { "kprobe", "kretprobe", "kprobe+kretprobe" },
		[ATTACH_NONE] = { "none", "none", "none" },
	};

	return names[kind][entry && exit ? 2 : exit ? 1 : 0];
}

static const char *kinds_text(const struct hook_choice *c, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (unsigned int i = 0; i < c->nkinds && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s", i ? ", " : "",
					attach_kind_name(c->kinds[i], c->symbol->entry,
							 c->symbol->exit));
	return out;
}

static void print_notes(FILE *f, const struct hook_choice *c)
{
	if (c->n > 1)
		fprintf(f, "%24s%u copies, attached by address and counted as one\n", "", c->n);
	if (c->clone)
		fprintf(f, "%24sthe compiler may have changed its arguments (%s)\n", "",
			c->copies[c->n - 1]->name);
	if (c->lower_bound)
		fprintf(f,
			"%24sonly a piece of it is left (%s), its callers hold the rest: counts "
			"are "
			"a lower bound\n",
			"", c->copies[0]->name);
	if (c->modules)
		fprintf(f, "%24s%u of the same name in a module (%s): ignored\n", "", c->modules,
			c->module);
}

static void print_choice(FILE *f, const struct hook_choice *c)
{
	char text[256];

	if (!c->symbol) {
		hook_describe_missing(c->hook, text, sizeof(text));
		fprintf(f, "%-24s-\n%24s%s\n", c->hook->name, "", text);
		if (c->hook->instead)
			fprintf(f, "%24sinstead: %s\n", "", c->hook->instead);
		fprintf(f, "%24slost: %s\n", "", c->hook->lost);
		return;
	}
	fprintf(f, "%-24s%-27s %s\n", c->hook->name, c->copies[0]->name,
		kinds_text(c, text, sizeof(text)));
	for (unsigned int i = 1; i < c->n; i++)
		fprintf(f, "%24s%s\n", "", c->copies[i]->name);
	print_notes(f, c);
}

static void print_variables(FILE *f, const struct hook_kernel *k)
{
	static const struct {
		const char *base, *lost;
	} variables[] = {
		{ "swapin_readahead_hits", "RA hits=" },
		{ "prev_offset", "RA prev=" },
		{ "last_readahead_pages",
		  "RA last=; windows are taken from the burst (how=burst)" },
		{ "page_cluster", "CONFIG page_cluster" },
		{ "enable_vma_readahead", "CONFIG vma_ra" },
		{ "nr_rotate_swap", "whether a rotational device forces cluster readahead" },
		{ "swap_info", "SLOTS, device facts, LOOKUP count=, UNREF left=" },
		{ "vm_event_states", "the exact LOOKUP ra=; it is taken from the hits instead" },
		{ "__per_cpu_offset", "the same, and the content of per-CPU batches" },
		{ "cpu_fbatches", "LRUADD, FLUSH and the counts of DRAIN" },
		{ "swp_slots",
		  "what slots caches held at the start (no kernel from 6.14 has any)" },
	};

	fprintf(f, "\nvariables of the kernel that are read by address%s\n",
		k->symbols.hidden ? " (addresses are hidden here: root sees them)" : "");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const struct symbol_set *s = symbols_find(&k->symbols, variables[i].base);

		if (s && s->n)
			fprintf(f, "  %s\n", s->copies[0].name);
		else
			fprintf(f, "  %s: not listed; lost: %s\n", variables[i].base,
				variables[i].lost);
	}
}

void hooks_print(FILE *f, const struct hook_kernel *k, const struct hook_choice *c)
{
	fprintf(f, "%-24s%-27s %s\n", "event", "function", "attached by, first that works");
	for (size_t i = 0; i < hook_plan_len; i++)
		if (c[i].hook->event)
			print_choice(f, &c[i]);
	fprintf(f, "\nfunctions that tell who asked for what (no events of their own)\n");
	for (size_t i = 0; i < hook_plan_len; i++)
		if (!c[i].hook->event)
			print_choice(f, &c[i]);
	print_variables(f, k);
	if (!k->have_btf)
		fprintf(f, "\nno BTF: fentry and fexit are not possible\n");
}
