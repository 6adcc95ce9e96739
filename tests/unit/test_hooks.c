// SPDX-License-Identifier: GPL-2.0
/*
 * The hook plan against made-up kernels: suffixes (case 46), inlined functions (47), renamed
 * ones (48), several of one name (49). Every expectation is what the case says.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/hooks.h"
#include "bpf/symbols.h"

/* Only for enum probe_id. */
#include <linux/types.h>
#include "bpf/records.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct symbol_table table(const char *text, const char *const *wanted, size_t n)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct error e = { 0 };
	struct symbol_table t;

	assert_non_null(in);
	assert_int_equal(symbols_read(&t, in, "kallsyms", wanted, n, &e), 0);
	fclose(in);
	return t;
}

/* ---- case 46 ---- */

static const char case46[] = "ffffffff81300000 t swapin_nr_pages.isra.0\n"
			     "ffffffff81300400 t swapin_nr_pages.isra.0.cold\n"
			     "ffffffff81301000 t scan_swap_map_slots.part.0\n"
			     "ffffffff81302000 t lru_add_drain_cpu.constprop.0\n"
			     "ffffffff81303000 T lru_add_drain_cpu\n"
			     "ffffffff81304000 t swapin_nr_pages_dummy\n";

static void test_suffixes(void **state)
{
	static const char *const wanted[] = { "swapin_nr_pages", "lru_add_drain_cpu",
					      "scan_swap_map_slots" };
	const struct symbol *copies[SYMBOL_COPIES_MAX];
	struct symbol_table t = table(case46, wanted, COUNT(wanted));
	const struct symbol_set *s = symbols_find(&t, "swapin_nr_pages");

	(void)state;
	assert_int_equal(symbols_function(s, copies), 1);
	assert_string_equal(copies[0]->name, "swapin_nr_pages.isra.0");
	assert_int_equal(copies[0]->address, 0xffffffff81300000);
	assert_int_equal(s->cold, 1);

	s = symbols_find(&t, "scan_swap_map_slots");
	assert_int_equal(symbols_function(s, copies), 1);
	assert_int_equal(copies[0]->form, SYMBOL_PART);

	s = symbols_find(&t, "lru_add_drain_cpu");
	assert_int_equal(symbols_function(s, copies), 2);
	assert_int_equal(copies[0]->address, 0xffffffff81302000);
	assert_int_equal(copies[1]->address, 0xffffffff81303000);
	assert_null(symbols_find(&t, "swapin_nr_pages_dummy"));
	symbols_free(&t);
}

/* A piece is not taken where the function itself is there. */
static void test_part_beside_whole(void **state)
{
	static const char text[] = "ffffffff81301000 t get_swap_pages.part.0\n"
				   "ffffffff81302000 T get_swap_pages\n";
	static const char *const wanted[] = { "get_swap_pages" };
	const struct symbol *copies[SYMBOL_COPIES_MAX];
	struct symbol_table t = table(text, wanted, 1);

	(void)state;
	assert_int_equal(symbols_function(symbols_find(&t, "get_swap_pages"), copies), 1);
	assert_int_equal(copies[0]->form, SYMBOL_EXACT);
	symbols_free(&t);
}

/* ---- case 49 ---- */

static void test_namesakes(void **state)
{
	static const char text[] = "ffffffff81410000 t lru_add_drain_per_cpu\n"
				   "ffffffff81990000 t lru_add_drain_per_cpu\n"
				   "ffffffffc0a01000 t lru_add_drain_per_cpu\t[fakemod]\n";
	static const char *const wanted[] = { "lru_add_drain_per_cpu" };
	const struct symbol *copies[SYMBOL_COPIES_MAX];
	struct symbol_table t = table(text, wanted, 1);
	const struct symbol_set *s = symbols_find(&t, wanted[0]);

	(void)state;
	assert_int_equal(symbols_function(s, copies), 2);
	assert_int_equal(copies[0]->address, 0xffffffff81410000);
	assert_int_equal(copies[1]->address, 0xffffffff81990000);
	assert_int_equal(s->others, 1);
	assert_string_equal(s->module, "fakemod");
	symbols_free(&t);
}

/* ---- variables ---- */

static void test_variables(void **state)
{
	static const char text[] = "ffffffff82000000 b prev_offset.0\n"
				   "ffffffff82000008 d swapin_readahead_hits\n"
				   "ffffffff82000010 b last_readahead_pages.1\n"
				   "ffffffff82000020 b last_readahead_pages.7\n"
				   "ffffffff82000030 t enable_vma_readahead\n"
				   "ffffffff81000000 t page_cluster.isra.0\n";
	static const char *const wanted[] = {
		"prev_offset", "swapin_readahead_hits", "last_readahead_pages", "page_cluster",
		"swap_info",   "enable_vma_readahead"
	};
	struct symbol_table t = table(text, wanted, COUNT(wanted));

	(void)state;
	assert_int_equal(symbols_variable(&t, "prev_offset"), 0xffffffff82000000);
	assert_int_equal(symbols_variable(&t, "swapin_readahead_hits"), 0xffffffff82000008);
	/* 6.18.15 of Debian has this letter for a variable in its kallsyms. */
	assert_int_equal(symbols_variable(&t, "enable_vma_readahead"), 0xffffffff82000030);
	/* Two of one name: nobody can tell which is meant. A function's clone is no variable. */
	assert_int_equal(symbols_variable(&t, "last_readahead_pages"), 0);
	assert_int_equal(symbols_variable(&t, "page_cluster"), 0);
	assert_int_equal(symbols_variable(&t, "swap_info"), 0);
	assert_false(t.hidden);
	symbols_free(&t);
}

static void test_hidden_addresses(void **state)
{
	static const char *const wanted[] = { "do_swap_page" };
	struct symbol_table t = table("0000000000000000 T do_swap_page\n", wanted, 1);
	const struct symbol *copies[SYMBOL_COPIES_MAX];

	(void)state;
	assert_true(t.hidden);
	assert_int_equal(symbols_function(symbols_find(&t, wanted[0]), copies), 1);
	symbols_free(&t);
}

static void test_no_symbols(void **state)
{
	static char text[] = "hello\nworld\n";
	static const char *const wanted[] = { "do_swap_page" };
	FILE *in = fmemopen(text, strlen(text), "r");
	struct error e = { 0 };
	struct symbol_table t;

	(void)state;
	assert_int_equal(symbols_read(&t, in, "some.file", wanted, 1, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "some.file"));
	fclose(in);
}

/* ---- plans ---- */

struct plan {
	char path[64];
	struct hook_kernel k;
	struct hook_choice c[HOOKS_MAX];
};

static void make_plan(struct plan *p, const char *kallsyms)
{
	struct error e = { 0 };
	FILE *f;
	int fd;

	strcpy(p->path, "/tmp/test_hooks.XXXXXX");
	fd = mkstemp(p->path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fputs(kallsyms, f);
	fclose(f);
	assert_int_equal(hook_kernel_read(&p->k, p->path, NULL, false, NULL, &e), 0);
	hooks_resolve(&p->k, p->c);
	unlink(p->path);
}

/* The function chosen for the @nth hook of an event, NULL where it is missing. */
static const char *chosen(const struct plan *p, const char *event, unsigned int nth)
{
	for (size_t i = 0; i < hook_plan_len; i++) {
		if (!p->c[i].hook->event || strcmp(p->c[i].hook->event, event) || nth--)
			continue;
		return p->c[i].symbol ? p->c[i].symbol->symbol : NULL;
	}
	fail_msg("no hook for %s", event);
	return NULL;
}

static const char *entry_of(const struct plan *p, const char *event)
{
	for (size_t i = 0; i < hook_plan_len; i++)
		if (p->c[i].hook->event && !strcmp(p->c[i].hook->event, event))
			return p->c[i].symbol ? p->c[i].symbol->entry : NULL;
	return NULL;
}

/* Names of 5.15 (docs/kernel-facts.md#hooks). */
static const char old_names[] = "ffffffff81000000 T do_swap_page\n"
				"ffffffff81000100 T lookup_swap_cache\n"
				"ffffffff81000200 T swapin_readahead\n"
				"ffffffff81000300 T swap_cluster_readahead\n"
				"ffffffff81000400 T swap_readpage\n"
				"ffffffff81000500 T add_to_swap_cache\n"
				"ffffffff81000600 T __delete_from_swap_cache\n"
				"ffffffff81000700 T swap_free\n"
				"ffffffff81000800 T free_swap_and_cache\n"
				"ffffffff81000900 t swap_range_free\n"
				"ffffffff81000a00 t swap_range_alloc\n"
				"ffffffff81000b00 T free_swap_slot\n"
				"ffffffff81000c00 T get_swap_pages\n";

/* Names of 6.18. */
static const char new_names[] = "ffffffff81000000 T do_swap_page\n"
				"ffffffff81000100 T swap_cache_get_folio\n"
				"ffffffff81000180 T swap_update_readahead\n"
				"ffffffff81000200 T swapin_readahead\n"
				"ffffffff81000300 T swap_cluster_readahead\n"
				"ffffffff81000400 T swap_read_folio\n"
				"ffffffff81000500 T swap_cache_add_folio\n"
				"ffffffff81000600 T __swap_cache_del_folio\n"
				"ffffffff81000700 T swap_free_nr\n"
				"ffffffff81000800 T free_swap_and_cache_nr\n"
				"ffffffff81000900 t swap_entries_free\n"
				"ffffffff81000a00 T folio_alloc_swap\n";

/* case 48: only old names, only new names, neither. */
static void test_old_names(void **state)
{
	struct plan p;
	struct error e = { 0 };

	(void)state;
	make_plan(&p, old_names);
	assert_string_equal(chosen(&p, "LOOKUP", 0), "lookup_swap_cache");
	assert_string_equal(chosen(&p, "READ", 0), "swap_readpage");
	assert_string_equal(chosen(&p, "UNREF", 0), "swap_free");
	assert_string_equal(chosen(&p, "FREE", 0), "swap_range_free");
	assert_string_equal(chosen(&p, "ALLOC", 0), "swap_range_alloc");
	assert_int_equal(hooks_require(p.c, GROUP_SWAP, &e), 0);
	hook_kernel_free(&p.k);
}

static void test_new_names(void **state)
{
	struct plan p;
	struct error e = { 0 };

	(void)state;
	make_plan(&p, new_names);
	assert_string_equal(chosen(&p, "LOOKUP", 0), "swap_cache_get_folio");
	/* In 6.18 this function is a plain lookup that others use, too. */
	assert_string_equal(entry_of(&p, "LOOKUP"), "plain_lookup_enter");
	assert_string_equal(chosen(&p, "READ", 0), "swap_read_folio");
	assert_string_equal(chosen(&p, "CACHE", 0), "swap_cache_add_folio");
	assert_string_equal(chosen(&p, "UNCACHE", 0), "__swap_cache_del_folio");
	assert_string_equal(chosen(&p, "FREE", 0), "swap_entries_free");
	assert_string_equal(chosen(&p, "ALLOC", 0), "folio_alloc_swap");
	assert_int_equal(hooks_require(p.c, GROUP_SWAP, &e), 0);
	hook_kernel_free(&p.k);
}

/* The lookup of 6.1 to 6.17 has the name of 6.18's, but accounts itself. */
static void test_same_name_other_meaning(void **state)
{
	struct plan p;

	(void)state;
	make_plan(&p, "ffffffff81000100 T swap_cache_get_folio\n");
	assert_string_equal(entry_of(&p, "LOOKUP"), "lookup_enter");
	hook_kernel_free(&p.k);
}

/* 6.12 and 6.14 have a function of one name with different arguments. */
static void test_free_of_6_12_and_6_14(void **state)
{
	struct plan p;

	(void)state;
	make_plan(&p, "ffffffff81000100 t swap_entry_range_free\n"
		      "ffffffff81000200 T free_swap_slot\n");
	assert_string_equal(entry_of(&p, "FREE"), "free_entry_enter");
	hook_kernel_free(&p.k);
	make_plan(&p, "ffffffff81000100 t swap_entry_range_free\n");
	assert_string_equal(entry_of(&p, "FREE"), "free_ci_entry_enter");
	hook_kernel_free(&p.k);
}

static void test_neither(void **state)
{
	struct plan p;
	struct error e = { 0 };

	(void)state;
	make_plan(&p, "ffffffff81000100 T swap_cache_get_folio\n"
		      "ffffffff81000200 T swapin_readahead\n"
		      "ffffffff81000300 T swap_cluster_readahead\n"
		      "ffffffff81000400 t swap_range_free\n");
	assert_null(chosen(&p, "ALLOC", 0));
	assert_int_equal(hooks_require(p.c, GROUP_RA, &e), 0);
	assert_int_equal(hooks_require(p.c, GROUP_ALLOC, &e), -ENOENT);
	assert_string_equal(e.text, "event ALLOC not available on this kernel (tried: "
				    "swap_range_alloc, alloc_swap_scan_cluster, "
				    "folio_alloc_swap)");
	hook_kernel_free(&p.k);
}

/* case 47: without the sizing function the plan says what stands in for it. */
static void test_inlined(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct plan p;

	(void)state;
	make_plan(&p, "ffffffff81000300 T swap_cluster_readahead\n");
	hooks_print(f, &p.k, p.c);
	fclose(f);
	assert_non_null(strstr(text, "not available on this kernel (tried: swapin_nr_pages)"));
	assert_non_null(strstr(text, "instead: the kernel's variables (how=state)"));
	assert_non_null(strstr(text, "windows are taken from the burst (how=burst)"));
	free(text);
	hook_kernel_free(&p.k);
}

/* Without BTF there is nothing but kprobes; several copies need addresses, so kprobes as well. */
static void test_kinds(void **state)
{
	struct plan p;

	(void)state;
	make_plan(&p, "ffffffff81000300 T swap_cluster_readahead\n"
		      "ffffffff81000400 t swap_cluster_readahead.constprop.0\n");
	for (size_t i = 0; i < hook_plan_len; i++) {
		if (!p.c[i].symbol || strcmp(p.c[i].symbol->symbol, "swap_cluster_readahead"))
			continue;
		assert_int_equal(p.c[i].n, 2);
		assert_true(p.c[i].clone);
		assert_int_equal(p.c[i].nkinds, 1);
		assert_int_equal(p.c[i].kinds[0], ATTACH_KPROBE);
	}
	hook_kernel_free(&p.k);
}

/* Up to 6.14 the folio's slot is a returned structure, which only a kretprobe sees. */
static void test_requests(void **state)
{
	struct plan p;

	(void)state;
	make_plan(&p, "ffffffff81000100 T folio_alloc_swap\n"
		      "ffffffff81000200 T get_swap_pages\n"
		      "ffffffff81000300 T free_swap_slot\n");
	assert_string_equal(entry_of(&p, "SWAPOUT"), "ask_enter");
	for (size_t i = 0; i < hook_plan_len; i++) {
		const struct hook *h = p.c[i].hook;

		if (h->probe != PROBE_SWAPOUT && h->probe != PROBE_ANSWER)
			continue;
		assert_true(p.c[i].symbol->kprobe_only);
		if (h->probe == PROBE_ANSWER)
			assert_string_equal(p.c[i].symbol->exit, "answer_exit");
	}
	hook_kernel_free(&p.k);
	make_plan(&p, "ffffffff81000100 T folio_alloc_swap\n");
	for (size_t i = 0; i < hook_plan_len; i++)
		if (p.c[i].hook->probe == PROBE_ANSWER)
			assert_string_equal(p.c[i].symbol->exit, "answer_error_exit");
	hook_kernel_free(&p.k);
}

/* What six functions did each on its own is one function from 6.12 on. */
static void test_lru_of_6_1_and_6_12(void **state)
{
	struct plan p;
	struct error e = { 0 };

	(void)state;
	make_plan(&p, "ffffffff81000100 T folio_add_lru\n"
		      "ffffffff81000200 T folio_activate\n"
		      "ffffffff81000300 T lru_add_drain_cpu\n"
		      "ffffffff81000400 T __pagevec_release\n");
	assert_string_equal(entry_of(&p, "LRUADD"), "addlru_enter");
	assert_string_equal(chosen(&p, "LRUADD", 5), "folio_activate");
	assert_string_equal(entry_of(&p, "RELEASE"), "release_pagevec_enter");
	assert_int_equal(hooks_require(p.c, GROUP_LRU, &e), 0);
	hook_kernel_free(&p.k);
	make_plan(&p, "ffffffff81000100 T folio_add_lru\n"
		      "ffffffff81000200 T folio_activate\n"
		      "ffffffff81000300 t __folio_batch_add_and_move\n"
		      "ffffffff81000400 T __folio_batch_release\n");
	assert_string_equal(entry_of(&p, "LRUADD"), "lruadd_enter");
	assert_null(chosen(&p, "LRUADD", 5));
	assert_string_equal(entry_of(&p, "RELEASE"), "release_enter");
	assert_int_equal(hooks_require(p.c, GROUP_LRU, &e), -ENOENT);
	assert_non_null(strstr(e.text, "event DRAIN not available"));
	hook_kernel_free(&p.k);
}

static void test_groups(void **state)
{
	char names[32];
	struct error e = { 0 };

	(void)state;
	assert_int_equal(hooks_groups("ra", &e), GROUP_RA);
	assert_int_equal(hooks_groups("alloc,ra", &e), GROUP_RA | GROUP_ALLOC);
	assert_int_equal(hooks_groups("lru", &e), GROUP_LRU);
	assert_int_equal(hooks_groups("LRU,alloc", &e), GROUP_LRU | GROUP_ALLOC);
	assert_string_equal(hooks_group_names(GROUP_LRU | GROUP_RA, names, sizeof(names)),
			    "ra,lru");
	assert_int_equal(hooks_groups("ra,foo", &e), 0);
	assert_non_null(strstr(e.text, "foo"));
	assert_int_equal(hooks_groups("", &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_part_beside_whole),
		cmocka_unit_test(test_namesakes),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_no_symbols),
		cmocka_unit_test(test_old_names),
		cmocka_unit_test(test_new_names),
		cmocka_unit_test(test_same_name_other_meaning),
		cmocka_unit_test(test_free_of_6_12_and_6_14),
		cmocka_unit_test(test_neither),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_lru_of_6_1_and_6_12),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
