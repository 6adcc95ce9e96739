// SPDX-License-Identifier: GPL-2.0
/*
 * The hook plan as data. For each function: the programs that go there, the prototypes that they
 * are made for (5.10 to 7.3, see btf_prototype_matches()), and the members of structures that they
 * read. A kernel whose BTF has another prototype changed more than a name: the event is left out
 * there, not decoded by guess.
 */
#include "bpf/hooks.h"

/* Only for enum probe_id. */
#include <linux/types.h>
#include "bpf/records.h"

#define END                                                                                        \
	{                                                                                          \
		.symbol = NULL                                                                     \
	}

/* ---- members that are read, "STRUCT.MEMBER", one of several with | ---- */

#define FAULT "vm_fault.flags vm_fault.vma vm_fault.address"
#define DEVICE "swap_info_struct.type swap_info_struct.flags swap_info_struct.max"
#define VMA                                                                                        \
	"vm_area_struct.vm_mm vm_area_struct.vm_start vm_area_struct.vm_end "                      \
	"vm_area_struct.swap_readahead_info"
#define FLAGS "folio.flags|page.flags"
#define PAGES FLAGS " folio._nr_pages|folio._folio_nr_pages|page.compound_nr"
#define ENTRY "folio.swap|folio.private|page.private"
#define BIO "bio.bi_status bio.bi_io_vec bio_vec.bv_page"
#define BIOS "swap_iocb.bvecs swap_iocb.nr_bvecs bio_vec.bv_page"
#define CLUSTER "swap_info_struct.cluster_info swap_table.entries"
#define BATCH "folio_batch.nr:unsigned char folio_batch.folios"

/* ---- prototypes that several functions have ---- */

#define OF_FOLIO "void(folio*)"
#define OF_PAGE "void(page*)"
#define LOOKUP_OLD                                                                                 \
	"folio*(swp_entry_t:entry,vm_area_struct*,unsigned long:addr) ; "                          \
	"page*(swp_entry_t:entry,vm_area_struct*,unsigned long:addr)"
#define READAHEAD                                                                                  \
	"folio*(swp_entry_t:entry,gfp_t,vm_fault*) ; page*(swp_entry_t:entry,gfp_t,vm_fault*)"
#define ALLOC_FOLIO "int(folio*) ; int(folio*,gfp_t)"
#define ALLOC_ENTRY "swp_entry_t(folio*)"
#define READ_FOLIO "void(folio*,swap_iocb**) ; void(folio*,bool,swap_iocb**)"
#define READ_PAGE "int(page*,bool) ; int(page*,bool,swap_iocb**) ; void(page*,bool,swap_iocb**)"
#define READ_CONTEXT "void(swap_io_ctx*,folio*)"
#define MOVE "void(folio_batch*,move_fn_t)"
#define UNUSE "int(vm_area_struct*,pmd_t*,unsigned long:addr,unsigned long:end,unsigned int:type)"
#define UNUSE_OLD                                                                                  \
	"int(vm_area_struct*,pmd_t*,unsigned long:addr,unsigned long:end,unsigned int:type,bool,"  \
	"unsigned long*)"

/*
 * ---- the plan ----
 *
 * The state hooks come first: they say on whose behalf something happens, and their programs must
 * be in place before those that count.
 */

static const struct hook_symbol fault_symbols[] = { { .symbol = "do_swap_page",
						      .entry = "fault_enter",
						      .exit = "fault_exit",
						      .form = "vm_fault_t(vm_fault*)",
						      .reads = FAULT,
						      .kernels = "all" },
						    END };

static const struct hook_symbol unuse_symbols[] = { { .symbol = "unuse_pte_range",
						      .entry = "unuse_enter",
						      .exit = "unuse_exit",
						      .form = UNUSE " ; " UNUSE_OLD,
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
						      .form = "void(swp_entry_t*,int:n)",
						      .kernels = "to 6.14" },
						    END };

static const struct hook_symbol slotreclaim_symbols[] = { { .symbol = "swap_reclaim_full_clusters",
							    .entry = "slotreclaim_enter",
							    .exit = "slotreclaim_exit",
							    .kernels = "6.12 on" },
							  END };

static const struct hook_symbol refill_symbols[] = {
	{ .symbol = "get_swap_pages",
	  .entry = "refill_enter",
	  .exit = "refill_exit",
	  .form = "int(int:n_goal,swp_entry_t*,int:entry_size|entry_order)",
	  .kernels = "to 6.14" },
	END
};

/* A read without a window: of synchronous devices, through the swap cache. */
static const struct hook_symbol sync_symbols[] = {
	{ .symbol = "swapin_folio",
	  .entry = "sync_enter",
	  .exit = "sync_exit",
	  .form = "folio*(swp_entry_t,folio*)",
	  .kernels = "7.0, 7.1" },
	{ .symbol = "swapin_sync",
	  .entry = "sync_enter",
	  .exit = "sync_exit",
	  .form = "folio*(swp_entry_t,gfp_t,unsigned long:orders,vm_fault*,mempolicy*,unsigned "
		  "long)",
	  .kernels = "7.2 on" },
	END
};

static const struct hook_symbol mm_symbols[] = { { .symbol = "exit_mmap",
						   .entry = "mm_gone_enter",
						   .form = "void(mm_struct*)",
						   .kernels = "all" },
						 END };

static const struct hook_symbol readone_symbols[] = {
	{ .symbol = "__read_swap_cache_async",
	  .entry = "read_enter",
	  .exit = "read_exit",
	  .form = "folio*(swp_entry_t:entry,gfp_t,mempolicy*,unsigned long,bool*,bool) ; "
		  "page*(swp_entry_t:entry,gfp_t,mempolicy*,unsigned long,bool*) ; "
		  "page*(swp_entry_t:entry,gfp_t,vm_area_struct*,unsigned long,bool*)",
	  .kernels = "to 6.19" },
	{ .symbol = "swap_cache_read_folio",
	  .entry = "read_enter",
	  .exit = "read_exit",
	  .form = "folio*(swp_entry_t:entry,gfp_t,mempolicy*,unsigned long,swap_iocb**,bool)",
	  .kernels = "7.2" },
	{ .symbol = "swap_cache_read_folio",
	  .entry = "read_context_enter",
	  .exit = "read_exit",
	  .form = "folio*(swap_io_ctx*,swp_entry_t:entry,gfp_t,mempolicy*,unsigned long,bool)",
	  .kernels = "7.3" },
	{ .symbol = "swap_cache_alloc_folio",
	  .entry = "read_enter",
	  .exit = "read_exit",
	  .form = "folio*(swp_entry_t:entry,gfp_t,mempolicy*,unsigned long,bool*)",
	  .absent = "swap_cache_read_folio",
	  .kernels = "7.0, 7.1" },
	END
};

static const struct hook_symbol window_symbols[] = { { .symbol = "swapin_nr_pages",
						       .exit = "window_exit",
						       .form = "unsigned long(unsigned long)",
						       .kernels = "all" },
						     END };

static const struct hook_symbol vma_window_symbols[] = {
	{ .symbol = "swap_vma_ra_win",
	  .exit = "vma_window_exit",
	  .form = "int(vm_fault*,unsigned long*,unsigned long*)",
	  .kernels = "6.11 on" },
	END
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
						       .form = "folio*(swp_entry_t:entry)",
						       .reads = DEVICE " " VMA " " PAGES,
						       .kernels = "6.18 on" },
						     { .symbol = "swap_cache_get_folio",
						       .entry = "lookup_enter",
						       .exit = "lookup_exit",
						       .counts_at_exit = true,
						       .absent = "swap_update_readahead",
						       .form = LOOKUP_OLD,
						       .reads = DEVICE " " VMA " " PAGES,
						       .kernels = "6.1 to 6.17" },
						     { .symbol = "lookup_swap_cache",
						       .entry = "lookup_enter",
						       .exit = "lookup_exit",
						       .counts_at_exit = true,
						       .form = LOOKUP_OLD,
						       .reads = DEVICE " " VMA " " PAGES,
						       .kernels = "to 6.0" },
						     END };

/* The lab kernel's ways of swapoff beside its own, see lab/README.md. */
static const struct hook_symbol plain_lookup_symbols[] = { { .symbol = "swaptrace_plain_lookup",
							     .entry = "swapoff_lookup_enter",
							     .exit = "swapoff_lookup_exit",
							     .counts_at_exit = true,
							     .form = LOOKUP_OLD,
							     .reads = DEVICE " " VMA " " PAGES,
							     .kernels = "lab" },
							   END };

static const struct hook_symbol no_lookup_symbols[] = {
	{ .symbol = "swaptrace_no_lookup",
	  .entry = "swapoff_need_enter",
	  .form = "void(swp_entry_t:entry,vm_area_struct*,unsigned long:addr)",
	  .reads = DEVICE " " VMA,
	  .kernels = "lab" },
	END
};

static const struct hook_symbol swapin_symbols[] = { { .symbol = "swapin_readahead",
						       .entry = "swapin_enter",
						       .exit = "swapin_exit",
						       .form = READAHEAD,
						       .reads = DEVICE " " VMA " " FAULT,
						       .kernels = "4.18 on" },
						     END };

static const struct hook_symbol cluster_symbols[] = {
	{ .symbol = "swap_cluster_readahead",
	  .entry = "cluster_enter",
	  .exit = "cluster_exit",
	  .form = READAHEAD " ; folio*(swp_entry_t:entry,gfp_t,mempolicy*,unsigned long) ; "
			    "page*(swp_entry_t:entry,gfp_t,mempolicy*,unsigned long)",
	  .reads = DEVICE,
	  .kernels = "4.18 on" },
	END
};

static const struct hook_symbol readio_symbols[] = { { .symbol = "swap_read_folio",
						       .entry = "readio_enter",
						       .form = READ_FOLIO,
						       .reads = ENTRY " " PAGES,
						       .kernels = "6.10 to 7.2" },
						     { .symbol = "swap_read_folio",
						       .entry = "readio_context_enter",
						       .form = READ_CONTEXT,
						       .reads = ENTRY " " PAGES,
						       .kernels = "7.3" },
						     { .symbol = "swap_readpage",
						       .entry = "readio_enter",
						       .form = READ_PAGE,
						       .reads = ENTRY " " PAGES,
						       .kernels = "to 6.9" },
						     END };

static const struct hook_symbol readreturn_symbols[] = { { .symbol = "swap_read_folio",
							   .exit = "readio_exit",
							   .counts_at_exit = true,
							   .form = READ_FOLIO " ; " READ_CONTEXT,
							   .reads = ENTRY " " FLAGS,
							   .kernels = "6.10 on" },
							 { .symbol = "swap_readpage",
							   .exit = "readio_exit",
							   .counts_at_exit = true,
							   .form = READ_PAGE,
							   .reads = ENTRY " " FLAGS,
							   .kernels = "to 6.9" },
							 END };

static const struct hook_symbol readend_symbols[] = { { .symbol = "end_swap_bio_read",
							.entry = "readend_enter",
							.form = "void(bio*)",
							.reads = BIO " " ENTRY,
							.kernels = "to 7.2" },
						      { .symbol = "swap_read_end",
							.entry = "readend_all_enter",
							.form = "void(swap_iocb*,bool:failed)",
							.reads = BIOS " " ENTRY,
							.kernels = "7.3" },
						      END };

#define ADD_OF_CLUSTER "void(swap_cluster_info*,folio*,swp_entry_t:entry)"

static const struct hook_symbol cache_symbols[] = {
	{ .symbol = "add_to_swap_cache",
	  .entry = "cacheadd_enter",
	  .exit = "cacheadd_exit",
	  .counts_at_exit = true,
	  .form = "int(folio*,swp_entry_t:entry,gfp_t,void**) ; "
		  "int(page*,swp_entry_t:entry,gfp_t,void**)",
	  .reads = PAGES,
	  .kernels = "to 6.17" },
	{ .symbol = "swap_cache_add_folio",
	  .entry = "cacheadd_enter",
	  .exit = "cacheadd_void_exit",
	  .counts_at_exit = true,
	  .form = "void(folio*,swp_entry_t:entry,void**)",
	  .reads = PAGES,
	  .kernels = "6.18, 6.19" },
	{ .symbol = "__swap_cache_do_add_folio",
	  .entry = "cacheadd_ci_enter",
	  .form = ADD_OF_CLUSTER,
	  .reads = PAGES,
	  .kernels = "7.2 on" },
	{ .symbol = "__swap_cache_add_folio",
	  .entry = "cacheadd_ci_enter",
	  .absent = "swap_cache_read_folio",
	  .form = ADD_OF_CLUSTER,
	  .reads = PAGES,
	  .kernels = "7.0, 7.1" },
	END
};

#define DELETE_OF_CLUSTER "void(swap_cluster_info*,folio*,swp_entry_t:entry,void*)"

static const struct hook_symbol uncache_symbols[] = {
	{ .symbol = "__delete_from_swap_cache",
	  .entry = "uncache_enter",
	  .form = "void(folio*,swp_entry_t:entry,void*) ; void(page*,swp_entry_t:entry,void*)",
	  .reads = PAGES,
	  .kernels = "to 6.17" },
	{ .symbol = "__swap_cache_do_del_folio",
	  .entry = "uncache_ci_enter",
	  .form = DELETE_OF_CLUSTER,
	  .reads = PAGES,
	  .kernels = "7.2 on" },
	{ .symbol = "__swap_cache_del_folio",
	  .entry = "uncache_ci_enter",
	  .absent = "swap_cache_read_folio",
	  .form = DELETE_OF_CLUSTER,
	  .reads = PAGES,
	  .kernels = "6.18 to 7.1" },
	END
};

static const struct hook_symbol unref_symbols[] = {
	{ .symbol = "swap_free_nr",
	  .entry = "unref_enter",
	  .form = "void(swp_entry_t:entry,int:nr_pages)",
	  .reads = DEVICE,
	  .kernels = "6.11 to 6.19" },
	{ .symbol = "folio_put_swap",
	  .entry = "unref_folio_enter",
	  .form = "void(folio*,page*:subpage|page)",
	  .reads = DEVICE " " ENTRY " " PAGES,
	  .kernels = "7.0 on" },
	{ .symbol = "swap_free",
	  .entry = "unref_one_enter",
	  .form = "void(swp_entry_t:entry)",
	  .reads = DEVICE,
	  .kernels = "to 6.10" },
	END
};

static const struct hook_symbol zap_symbols[] = { { .symbol = "free_swap_and_cache_nr",
						    .entry = "zap_enter",
						    .exit = "zap_exit",
						    .form = "void(swp_entry_t:entry,int:nr)",
						    .reads = DEVICE,
						    .kernels = "6.10 to 6.19" },
						  { .symbol = "swap_put_entries_direct",
						    .entry = "zap_enter",
						    .exit = "zap_exit",
						    .form = "void(swp_entry_t:entry,int:nr)",
						    .reads = DEVICE,
						    .kernels = "7.0 on" },
						  { .symbol = "free_swap_and_cache",
						    .entry = "zap_one_enter",
						    .exit = "zap_exit",
						    .form = "int(swp_entry_t:entry)",
						    .reads = DEVICE,
						    .kernels = "to 6.9" },
						  END };

static const struct hook_symbol free_symbols[] = {
	{ .symbol = "swap_range_free",
	  .entry = "free_range_enter",
	  .form = "void(swap_info_struct*,unsigned long:offset,unsigned int:nr_entries)",
	  .reads = DEVICE,
	  .kernels = "all, often inlined" },
	{ .symbol = "swap_entries_free",
	  .entry = "free_ci_entry_enter",
	  .form = "void(swap_info_struct*,swap_cluster_info*,swp_entry_t:entry,unsigned "
		  "int:nr_pages)",
	  .kernels = "6.15 to 6.19" },
	{ .symbol = "swap_entries_free",
	  .entry = "free_ci_offset_enter",
	  .with = "folio_put_swap",
	  .form = "void(swap_info_struct*,swap_cluster_info*,unsigned long:offset,unsigned "
		  "int:nr_pages)",
	  .reads = DEVICE,
	  .kernels = "7.0" },
	{ .symbol = "__swap_cluster_free_entries",
	  .entry = "free_cluster_enter",
	  .form = "void(swap_info_struct*,swap_cluster_info*,unsigned int:ci_start,unsigned "
		  "int:nr_pages)",
	  .reads = DEVICE " " CLUSTER,
	  .kernels = "7.1 on" },
	{ .symbol = "swap_entry_range_free",
	  .entry = "free_entry_enter",
	  .with = "free_swap_slot",
	  .form = "void(swap_info_struct*,swp_entry_t:entry,unsigned int:nr_pages)",
	  .kernels = "6.12, 6.13" },
	{ .symbol = "swap_entry_range_free",
	  .entry = "free_ci_entry_enter",
	  .absent = "free_swap_slot",
	  .form = "void(swap_info_struct*,swap_cluster_info*,swp_entry_t:entry,unsigned "
		  "int:nr_pages)",
	  .kernels = "6.14" },
	END
};

#define SCAN_ORDER                                                                                 \
	"unsigned int(swap_info_struct*,swap_cluster_info*,unsigned long:offset,unsigned "         \
	"int:order,unsigned char:usage)"
#define SCAN_FOLIO "unsigned int(swap_info_struct*,swap_cluster_info*,folio*,unsigned long:offset)"

/*
 * From 6.15 on at the end of the scan that found the slots: the per-CPU lock is still held, which
 * tells the order of grants, and nobody is preempted in between.
 */
static const struct hook_symbol alloc_symbols[] = {
	{ .symbol = "swap_range_alloc",
	  .entry = "alloc_range_enter",
	  .with = "free_swap_slot",
	  .form = "void(swap_info_struct*,unsigned long:offset,unsigned int:nr_entries)",
	  .reads = DEVICE,
	  .kernels = "to 6.13" },
	{ .symbol = "alloc_swap_scan_cluster",
	  .entry = "grant_order_enter",
	  .exit = "grant_exit",
	  .counts_at_exit = true,
	  .absent = "get_swap_pages",
	  .form = SCAN_ORDER,
	  .reads = DEVICE,
	  .kernels = "6.15 to 6.19" },
	{ .symbol = "alloc_swap_scan_cluster",
	  .entry = "grant_folio_enter",
	  .exit = "grant_exit",
	  .counts_at_exit = true,
	  .with = "folio_put_swap",
	  .form = SCAN_FOLIO,
	  .reads = DEVICE " " PAGES,
	  .kernels = "7.0 on" },
	{ .symbol = "folio_alloc_swap",
	  .entry = "alloc_folio_enter",
	  .exit = "alloc_folio_exit",
	  .counts_at_exit = true,
	  .absent = "get_swap_pages",
	  .form = ALLOC_FOLIO,
	  .reads = ENTRY " " PAGES,
	  .kernels = "6.15 on" },
	{ .symbol = "folio_alloc_swap",
	  .entry = "alloc_folio_enter",
	  .exit = "alloc_entry_exit",
	  .counts_at_exit = true,
	  .absent = "free_swap_slot",
	  .kprobe_only = true,
	  .form = ALLOC_ENTRY,
	  .reads = PAGES,
	  .kernels = "6.14" },
	END
};

static const struct hook_symbol swapout_symbols[] = { { .symbol = "add_to_swap",
							.entry = "swapout_enter",
							.exit = "swapout_exit",
							.kernels = "to 6.14" },
						      { .symbol = "folio_alloc_swap",
							.entry = "swapout_enter",
							.exit = "swapout_exit",
							.absent = "get_swap_pages",
							.kernels = "6.15 on" },
						      END };

/* ---- the alloc group ---- */

static const struct hook_symbol ask_symbols[] = { { .symbol = "folio_alloc_swap",
						    .entry = "ask_enter",
						    .with = "get_swap_pages",
						    .kprobe_only = true,
						    .form = ALLOC_ENTRY,
						    .reads = PAGES,
						    .kernels = "6.1 to 6.14" },
						  { .symbol = "folio_alloc_swap",
						    .entry = "ask_enter",
						    .form = ALLOC_FOLIO,
						    .reads = PAGES,
						    .kernels = "6.15 on" },
						  END };

static const struct hook_symbol answer_symbols[] = { { .symbol = "folio_alloc_swap",
						       .exit = "answer_exit",
						       .counts_at_exit = true,
						       .with = "free_swap_slot",
						       .kprobe_only = true,
						       .form = ALLOC_ENTRY,
						       .kernels = "6.1 to 6.13" },
						     { .symbol = "folio_alloc_swap",
						       .exit = "answer_told_exit",
						       .counts_at_exit = true,
						       .with = "get_swap_pages",
						       .kprobe_only = true,
						       .form = ALLOC_ENTRY,
						       .kernels = "6.14" },
						     { .symbol = "folio_alloc_swap",
						       .exit = "answer_error_exit",
						       .counts_at_exit = true,
						       .form = ALLOC_FOLIO,
						       .kernels = "6.15 on" },
						     END };

static const struct hook_symbol giveback_symbols[] = { { .symbol = "put_swap_folio",
							 .entry = "giveback_enter",
							 .form = "void(folio*,swp_entry_t:entry)",
							 .kernels = "6.1 to 6.19" },
						       { .symbol = "swap_cache_del_folio",
							 .entry = "giveback_folio_enter",
							 .with = "folio_put_swap",
							 .form = OF_FOLIO,
							 .reads = ENTRY,
							 .kernels = "7.0 on" },
						       END };

/* Whether the lists were searched at all for folios that get nothing. */
static const struct hook_symbol search_symbols[] = {
	{ .symbol = "cluster_alloc_swap_entry",
	  .entry = "search_order_enter",
	  .absent = "get_swap_pages",
	  .form = "unsigned long(swap_info_struct*,int:order,unsigned char:usage)",
	  .reads = DEVICE,
	  .kernels = "6.15 to 6.19" },
	{ .symbol = "cluster_alloc_swap_entry",
	  .entry = "search_folio_enter",
	  .with = "folio_put_swap",
	  .form = "unsigned long(swap_info_struct*,folio*)",
	  .reads = DEVICE " " PAGES,
	  .kernels = "7.0 on" },
	END
};

#define SCAN_OLD "int(swap_info_struct*,unsigned char:usage,int:nr,swp_entry_t*)"
#define SCAN_OLD_ORDER "int(swap_info_struct*,unsigned char:usage,int:nr,swp_entry_t*,int:order)"

static const struct hook_symbol scan_symbols[] = { { .symbol = "scan_swap_map_slots",
						     .entry = "scan_enter",
						     .exit = "scan_exit",
						     .with = "swap_readpage",
						     .form = SCAN_OLD,
						     .reads = "swap_info_struct.cluster_next_cpu",
						     .kernels = "5.8 to 6.9" },
						   { .symbol = "scan_swap_map_slots",
						     .entry = "scan_enter",
						     .exit = "scan_between_exit",
						     .absent = "alloc_swap_scan_cluster",
						     .form = SCAN_OLD_ORDER,
						     .reads = "swap_info_struct.cluster_next_cpu",
						     .kernels = "6.10, 6.11" },
						   { .symbol = "swaptrace_alloc_old",
						     .entry = "scan_enter",
						     .exit = "scan_between_exit",
						     .kernels = "lab" },
						   END };

#define WRITE_OLD                                                                                  \
	"void(folio*,writeback_control*) ; void(page*,writeback_control*) ; "                      \
	"int(page*,writeback_control*) ; int(page*,writeback_control*,bio_end_io_t*)"

static const struct hook_symbol write_symbols[] = { { .symbol = "__swap_writepage",
						      .entry = "write_enter",
						      .form = WRITE_OLD
						      " ; void(folio*,swap_iocb**)",
						      .reads = ENTRY " " PAGES,
						      .kernels = "to 7.2" },
						    { .symbol = "__swap_writepage",
						      .entry = "write_context_enter",
						      .form = "void(swap_io_ctx*,folio*)",
						      .reads = ENTRY " " PAGES,
						      .kernels = "7.3" },
						    END };

#define ZERO DEVICE " " ENTRY " " PAGES " swap_info_struct.zeromap|swap_info_struct.cluster_info"

static const struct hook_symbol writezero_symbols[] = {
	{ .symbol = "swap_writeout",
	  .entry = "writepage_enter",
	  .exit = "writepage_exit",
	  .counts_at_exit = true,
	  .form = "int(folio*,writeback_control*) ; int(folio*,swap_iocb**)",
	  .reads = ZERO,
	  .kernels = "6.16 to 7.2" },
	{ .symbol = "swap_writeout",
	  .entry = "writepage_context_enter",
	  .exit = "writepage_exit",
	  .counts_at_exit = true,
	  .form = "int(swap_io_ctx*,folio*)",
	  .reads = ZERO,
	  .kernels = "7.3" },
	{ .symbol = "swap_writepage",
	  .entry = "writepage_enter",
	  .exit = "writepage_exit",
	  .counts_at_exit = true,
	  .form = "int(page*,writeback_control*)",
	  .reads = ZERO,
	  .kernels = "to 6.15" },
	END
};

/* ---- the lru group ---- */

static const struct hook_symbol drain_symbols[] = { { .symbol = "lru_add_drain",
						      .entry = "drain_enter",
						      .kprobe_only = true,
						      .form = "void()",
						      .kernels = "all" },
						    END };

static const struct hook_symbol drainbegin_symbols[] = { { .symbol = "lru_add_drain_cpu",
							   .entry = "drain_cpu_enter",
							   .kprobe_only = true,
							   .form = "void(int:cpu)",
							   .kernels = "all" },
							 END };

static const struct hook_symbol draincpu_symbols[] = { { .symbol = "lru_add_drain_cpu",
							 .exit = "drain_cpu_exit",
							 .counts_at_exit = true,
							 .kernels = "all" },
						       END };

static const struct hook_symbol release_symbols[] = {
	{ .symbol = "__folio_batch_release",
	  .entry = "release_enter",
	  .form = "void(folio_batch*)",
	  .reads = BATCH " folio_batch.percpu_pvec_drained",
	  .kernels = "6.5 on" },
	{ .symbol = "__pagevec_release",
	  .entry = "release_pagevec_enter",
	  .form = "void(pagevec*)",
	  .reads = "pagevec.nr:unsigned char pagevec.percpu_pvec_drained",
	  .kernels = "to 6.4" },
	END
};

static const struct hook_symbol lruflush_symbols[] = { { .symbol = "folio_batch_move_lru",
							 .entry = "flush_batch_enter",
							 .form = MOVE,
							 .reads = BATCH " " FLAGS,
							 .kernels = "6.1 on" },
						       END };

/* In interrupts, too: see rotate_symbols. */
static const struct hook_symbol rotateflush_symbols[] = { { .symbol = "folio_batch_move_lru",
							    .entry = "flush_rotate_enter",
							    .form = MOVE,
							    .reads = BATCH " " FLAGS,
							    .kernels = "6.1 on" },
							  END };

static const struct hook_symbol lruadd_symbols[] = {
	{ .symbol = "__folio_batch_add_and_move",
	  .entry = "lruadd_enter",
	  .form = "void(folio_batch*,folio*,move_fn_t,bool) ; "
		  "void(folio_batch*,folio*,move_fn_t,bool,bool)",
	  .reads = FLAGS,
	  .kernels = "6.12 on" },
	{ .symbol = "folio_add_lru",
	  .entry = "addlru_enter",
	  .absent = "__folio_batch_add_and_move",
	  .form = OF_FOLIO,
	  .reads = FLAGS,
	  .kernels = "6.1 to 6.11" },
	END
};

/*
 * Called by interrupts. A program that is interrupted does not run again inside, so this operation
 * has one of its own also where another would see it.
 */
static const struct hook_symbol rotate_symbols[] = { { .symbol = "folio_rotate_reclaimable",
						       .entry = "rotate_enter",
						       .form = OF_FOLIO,
						       .reads = FLAGS,
						       .kernels = "6.1 on" },
						     END };

/* Functions that check whether a folio may join a batch, where they do not share the joining. */
#define LRU_OLD(name, function, proto, where)                                                      \
	static const struct hook_symbol name##_symbols[] = { {                                     \
								     .symbol = function,           \
								     .entry = #name "_enter",      \
								     .absent = "__folio_batch_"    \
									       "add_and_move",     \
								     .form = proto,                \
								     .reads = FLAGS,               \
								     .kernels = where,             \
							     },                                    \
							     END }
LRU_OLD(deactivate_file, "deactivate_file_folio", OF_FOLIO, "6.1 to 6.11");
LRU_OLD(deactivate, "deactivate_page", OF_PAGE, "to 6.2");
LRU_OLD(lazyfree, "mark_page_lazyfree", OF_PAGE, "to 6.2");
LRU_OLD(activate, "folio_activate", OF_FOLIO, "6.1 to 6.11");

/* The system call's body (__do_sys_*) is inline code, which can't be traced: its wrapper can. */
#define SWAPON(name, where)                                                                        \
	{                                                                                          \
		.symbol = name, .exit = "swapon_exit", .counts_at_exit = true, .reads = DEVICE,    \
		.kernels = where                                                                   \
	}
static const struct hook_symbol swapon_symbols[] = {
	SWAPON("__x64_sys_swapon", "x86-64"),  SWAPON("__arm64_sys_swapon", "arm64"),
	SWAPON("__riscv_sys_swapon", "riscv"), SWAPON("__s390x_sys_swapon", "s390"),
	SWAPON("sys_swapon", "others"),	       END
};

#define SWAPOFF(name, where)                                                                       \
	{                                                                                          \
		.symbol = name, .entry = "swapoff_enter", .exit = "swapoff_exit",                  \
		.counts_at_exit = true, .reads = DEVICE, .kernels = where                          \
	}
static const struct hook_symbol swapoff_symbols[] = {
	SWAPOFF("__x64_sys_swapoff", "x86-64"),	 SWAPOFF("__arm64_sys_swapoff", "arm64"),
	SWAPOFF("__riscv_sys_swapoff", "riscv"), SWAPOFF("__s390x_sys_swapoff", "s390"),
	SWAPOFF("sys_swapoff", "others"),	 END
};

static const struct hook_symbol swapoff_begin_symbols[] = {
	{ .symbol = "shmem_unuse",
	  .entry = "shmem_unuse_enter",
	  .form = "int(unsigned int:type) ; int(unsigned int:type,bool,unsigned long*)",
	  .kernels = "5.1 on" },
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
	STATE("in swap-out", swapout_symbols, "all that is not a swap-in", "nothing"),
	STATE("in cache release", cachefree_symbols, NULL, "UNCACHE by=free in a fault: swapin"),
	STATE("in slots flush", flush_symbols, NULL,
	      "FREE cause=flush, shown as direct (6.15 on has no slots cache, so no flush)"),
	STATE("in slot reclaim", slotreclaim_symbols, NULL, "FREE cause=reclaim, shown as direct"),
	STATE("in direct read", sync_symbols, "such reads bypass the swap cache (to 6.19)",
	      "LOOKUP of synchronous devices: one more for each miss"),
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
	{ .name = "ALLOC",
	  .event = "ALLOC",
	  .probe = PROBE_ALLOC,
	  .groups = GROUP_SWAP,
	  .required = GROUP_ALLOC,
	  .symbols = alloc_symbols,
	  .lost = "slots given",
	  .atomic = true },
	GROUP_STATE("slots that go back", GROUP_ALLOC, giveback_symbols, NULL,
		    "ALLOCFAIL reason=limit, shown as space"),
	GROUP_STATE("slot search", GROUP_ALLOC, search_symbols, "the function of the slots caches",
		    "ALLOCFAIL reason=config, shown for large folios also where space is missing"),
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
