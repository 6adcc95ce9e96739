// SPDX-License-Identifier: GPL-2.0
/*
 * The hook plan against the symbols and BTF of Debian's cloud kernels, reduced to what the plan
 * reads (tests/data/kernels, made by lab/kernel-data.sh), and against kernels that nobody knows:
 * the same files, altered. What is expected of each kernel is what its source and binary have:
 * names and prototypes of 6.16 to 7.3 were read there (functions, arguments and their meaning),
 * those of 5.10 to 6.12 likewise.
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

/* Only for enum probe_id. */
#include <linux/types.h>
#include "bpf/records.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define KERNELS "tests/data/kernels/"

struct plan {
	struct hook_kernel k;
	struct hook_choice c[HOOKS_MAX];
};

static void make_plan(struct plan *p, const char *kallsyms, const char *btf)
{
	struct error e = { 0 };

	if (hook_kernel_read(&p->k, kallsyms, btf, true, NULL, &e))
		fail_msg("%s", e.text);
	hooks_resolve(&p->k, p->c);
}

static void plan_of(struct plan *p, const char *kernel)
{
	char kallsyms[128], btf[128];

	snprintf(kallsyms, sizeof(kallsyms), KERNELS "%s.kallsyms", kernel);
	snprintf(btf, sizeof(btf), KERNELS "%s.btf", kernel);
	make_plan(p, kallsyms, btf);
}

static const struct hook_choice *choice_of(const struct plan *p, int probe)
{
	for (size_t i = 0; i < hook_plan_len; i++)
		if (p->c[i].hook->probe == probe)
			return &p->c[i];
	fail_msg("no hook for probe %d", probe);
	return NULL;
}

static const struct hook_choice *state_of(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < hook_plan_len; i++)
		if (!strcmp(p->c[i].hook->name, name))
			return &p->c[i];
	fail_msg("no hook %s", name);
	return NULL;
}

/* NULL as @function: it is missing. @program: of ours, at entry; NULL: not looked at. */
static void expect(const char *kernel, const struct hook_choice *c, const char *function,
		   const char *program)
{
	const char *is = c->symbol ? c->symbol->symbol : "(missing)";

	if (strcmp(is, function ? function : "(missing)"))
		fail_msg("%s: %s is taken from %s, not %s; %s", kernel, c->hook->name, is,
			 function ? function : "nothing", c->why);
	if (program && strcmp(c->symbol->entry, program))
		fail_msg("%s: %s of %s is read by %s, not %s", kernel, c->hook->name, is,
			 c->symbol->entry, program);
}

/* ---- every kernel ---- */

/*
 * Which function shows what. Where the name stayed and the arguments did not, the program tells
 * them apart: lookups without a VMA (6.18), freed slots by entry (to 6.19), by offset (7.0), by
 * cluster (7.1); I/O behind a context (7.3).
 */
static const struct kernel {
	const char *name;
	const char *lookup, *lookup_program;
	const char *window; /* what asks for each slot of a window */
	const char *read_program, *read_end;
	const char *cache, *uncache;
	const char *unref, *zap;
	const char *free, *free_program;
	const char *alloc, *request;
	const char *write_program, *zero;
	const char *direct;
} kernels[] = {
	{ "5.10", "lookup_swap_cache", "lookup_enter", "__read_swap_cache_async", "readio_enter",
	  "end_swap_bio_read", "add_to_swap_cache", "__delete_from_swap_cache", "swap_free",
	  "free_swap_and_cache", "swap_range_free", "free_range_enter", "swap_range_alloc", NULL,
	  "write_enter", "swap_writepage", NULL },
	{ "6.1", "swap_cache_get_folio", "lookup_enter", "__read_swap_cache_async", "readio_enter",
	  "end_swap_bio_read", "add_to_swap_cache", "__delete_from_swap_cache", "swap_free",
	  "free_swap_and_cache", "swap_range_free", "free_range_enter", "swap_range_alloc",
	  "folio_alloc_swap", "write_enter", "swap_writepage", NULL },
	{ "6.12", "swap_cache_get_folio", "lookup_enter", "__read_swap_cache_async", "readio_enter",
	  "end_swap_bio_read", "add_to_swap_cache", "__delete_from_swap_cache", "swap_free_nr",
	  "free_swap_and_cache_nr", "swap_entry_range_free", "free_entry_enter", "swap_range_alloc",
	  "folio_alloc_swap", "write_enter", "swap_writepage", NULL },
	{ "6.16", "swap_cache_get_folio", "lookup_enter", "__read_swap_cache_async", "readio_enter",
	  "end_swap_bio_read", "add_to_swap_cache", "__delete_from_swap_cache", "swap_free_nr",
	  "free_swap_and_cache_nr", "swap_entries_free", "free_ci_entry_enter",
	  "alloc_swap_scan_cluster", "folio_alloc_swap", "write_enter", "swap_writeout", NULL },
	{ "6.17", "swap_cache_get_folio", "lookup_enter", "__read_swap_cache_async", "readio_enter",
	  "end_swap_bio_read", "add_to_swap_cache", "__delete_from_swap_cache", "swap_free_nr",
	  "free_swap_and_cache_nr", "swap_entries_free", "free_ci_entry_enter",
	  "alloc_swap_scan_cluster", "folio_alloc_swap", "write_enter", "swap_writeout", NULL },
	{ "6.18", "swap_cache_get_folio", "plain_lookup_enter", "__read_swap_cache_async",
	  "readio_enter", "end_swap_bio_read", "swap_cache_add_folio", "__swap_cache_del_folio",
	  "swap_free_nr", "free_swap_and_cache_nr", "swap_entries_free", "free_ci_entry_enter",
	  "alloc_swap_scan_cluster", "folio_alloc_swap", "write_enter", "swap_writeout", NULL },
	{ "6.19", "swap_cache_get_folio", "plain_lookup_enter", "__read_swap_cache_async",
	  "readio_enter", "end_swap_bio_read", "swap_cache_add_folio", "__swap_cache_del_folio",
	  "swap_free_nr", "free_swap_and_cache_nr", "swap_entries_free", "free_ci_entry_enter",
	  "alloc_swap_scan_cluster", "folio_alloc_swap", "write_enter", "swap_writeout", NULL },
	{ "7.0", "swap_cache_get_folio", "plain_lookup_enter", "swap_cache_alloc_folio",
	  "readio_enter", "end_swap_bio_read", "__swap_cache_add_folio", "__swap_cache_del_folio",
	  "folio_put_swap", "swap_put_entries_direct", "swap_entries_free", "free_ci_offset_enter",
	  "alloc_swap_scan_cluster", "folio_alloc_swap", "write_enter", "swap_writeout",
	  "swapin_folio" },
	{ "7.1", "swap_cache_get_folio", "plain_lookup_enter", "swap_cache_alloc_folio",
	  "readio_enter", "end_swap_bio_read", "__swap_cache_add_folio", "__swap_cache_del_folio",
	  "folio_put_swap", "swap_put_entries_direct", "__swap_cluster_free_entries",
	  "free_cluster_enter", "alloc_swap_scan_cluster", "folio_alloc_swap", "write_enter",
	  "swap_writeout", "swapin_folio" },
	{ "7.2", "swap_cache_get_folio", "plain_lookup_enter", "swap_cache_read_folio",
	  "readio_enter", "end_swap_bio_read", "__swap_cache_do_add_folio",
	  "__swap_cache_do_del_folio", "folio_put_swap", "swap_put_entries_direct",
	  "__swap_cluster_free_entries", "free_cluster_enter", "alloc_swap_scan_cluster",
	  "folio_alloc_swap", "write_enter", "swap_writeout", "swapin_sync" },
	{ "7.3", "swap_cache_get_folio", "plain_lookup_enter", "swap_cache_read_folio",
	  "readio_context_enter", "swap_read_end", "__swap_cache_do_add_folio",
	  "__swap_cache_do_del_folio", "folio_put_swap", "swap_put_entries_direct",
	  "__swap_cluster_free_entries", "free_cluster_enter", "alloc_swap_scan_cluster",
	  "folio_alloc_swap", "write_context_enter", "swap_writeout", "swapin_sync" },
};

static void expect_kernel(const struct kernel *k, const struct plan *p)
{
	expect(k->name, choice_of(p, PROBE_LOOKUP), k->lookup, k->lookup_program);
	expect(k->name, state_of(p, "window entries"), k->window,
	       !strcmp(k->name, "7.3") ? "read_context_enter" : "read_enter");
	expect(k->name, choice_of(p, PROBE_READ),
	       k->name[0] == '5' || !strcmp(k->name, "6.1") ? "swap_readpage" : "swap_read_folio",
	       k->read_program);
	expect(k->name, choice_of(p, PROBE_READ_END), k->read_end, NULL);
	expect(k->name, choice_of(p, PROBE_CACHE), k->cache, NULL);
	expect(k->name, choice_of(p, PROBE_UNCACHE), k->uncache, NULL);
	expect(k->name, choice_of(p, PROBE_UNREF_SWAPIN), k->unref, NULL);
	expect(k->name, choice_of(p, PROBE_UNREF_ZAP), k->zap, NULL);
	expect(k->name, choice_of(p, PROBE_FREE), k->free, k->free_program);
	expect(k->name, choice_of(p, PROBE_ALLOC), k->alloc, NULL);
	expect(k->name, choice_of(p, PROBE_SWAPOUT), k->request, NULL);
	expect(k->name, choice_of(p, PROBE_WRITE), "__swap_writepage", k->write_program);
	expect(k->name, choice_of(p, PROBE_WRITE_ZERO), k->zero, NULL);
	expect(k->name, state_of(p, "in direct read"), k->direct, NULL);
	expect(k->name, choice_of(p, PROBE_RA_VMA), "swapin_readahead", NULL);
	expect(k->name, choice_of(p, PROBE_RA_CLUSTER), "swap_cluster_readahead", NULL);
	expect(k->name, choice_of(p, PROBE_DRAIN), "lru_add_drain_cpu", NULL);
}

static void test_kernels(void **state)
{
	struct error e = { 0 };
	struct plan p;

	(void)state;
	for (size_t i = 0; i < COUNT(kernels); i++) {
		plan_of(&p, kernels[i].name);
		expect_kernel(&kernels[i], &p);
		/* All groups can be recorded. */
		assert_int_equal(hooks_require(p.c, GROUP_RA | GROUP_ALLOC | GROUP_LRU, &e), 0);
		hook_kernel_free(&p.k);
	}
}

/* Variables, whatever letter they have. */
static void test_variables_of_kernels(void **state)
{
	static const char *const names[] = { "swapin_readahead_hits",
					     "prev_offset",
					     "last_readahead_pages",
					     "page_cluster",
					     "enable_vma_readahead",
					     "nr_rotate_swap",
					     "swap_info",
					     "vm_event_states",
					     "__per_cpu_offset" };
	struct plan p;

	(void)state;
	for (size_t i = 0; i < COUNT(kernels); i++) {
		plan_of(&p, kernels[i].name);
		for (size_t n = 0; n < COUNT(names); n++)
			if (!symbols_variable(&p.k.symbols, names[n]))
				fail_msg("%s: %s is not found", kernels[i].name, names[n]);
		hook_kernel_free(&p.k);
	}
}

/* ---- kernels that nobody knows ---- */

/* The plan of a kernel in whose BTF every string @from has become @to, of the same length. */
static void altered_plan(struct plan *p, const char *kernel, const char *from, const char *to)
{
	char path[] = "/tmp/test_hook_kernels.XXXXXX", name[128];
	size_t len, n = strlen(from), found = 0;
	static char data[1 << 16];
	FILE *f;
	int fd;

	assert_int_equal(strlen(to), n);
	snprintf(name, sizeof(name), KERNELS "%s.btf", kernel);
	f = fopen(name, "rb");
	assert_non_null(f);
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	for (size_t i = 0; i + n < len; i++)
		if (!memcmp(data + i, from, n + 1) && i && !data[i - 1]) {
			memcpy(data + i, to, n);
			found++;
		}
	assert_true(found);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
	snprintf(name, sizeof(name), KERNELS "%s.kallsyms", kernel);
	make_plan(p, name, path);
	unlink(path);
}

/* What passes something else as its first argument is not read; all else still is. */
static void test_new_argument(void **state)
{
	struct error e = { 0 };
	struct plan p;

	(void)state;
	altered_plan(&p, "7.3", "swap_io_ctx", "swap_io_new");
	expect("new", choice_of(&p, PROBE_READ), NULL, NULL);
	expect("new", choice_of(&p, PROBE_WRITE), NULL, NULL);
	expect("new", choice_of(&p, PROBE_WRITE_ZERO), NULL, NULL);
	expect("new", state_of(&p, "window entries"), NULL, NULL);
	assert_string_equal(choice_of(&p, PROBE_READ)->why,
			    "swap_read_folio is void(swap_io_new*:ctx,folio*:folio) here, which is "
			    "not a form of it that is known");
	expect("new", choice_of(&p, PROBE_LOOKUP), "swap_cache_get_folio", NULL);
	expect("new", choice_of(&p, PROBE_FREE), "__swap_cluster_free_entries", NULL);
	expect("new", choice_of(&p, PROBE_ALLOC), "alloc_swap_scan_cluster", NULL);
	assert_int_equal(hooks_require(p.c, GROUP_RA | GROUP_ALLOC, &e), 0);
	hook_kernel_free(&p.k);
}

/* A number of the same type under another name means something else, as it did in 7.0. */
static void test_new_meaning(void **state)
{
	struct error e = { 0 };
	struct plan p;

	(void)state;
	altered_plan(&p, "7.1", "ci_start", "ci_where");
	expect("new", choice_of(&p, PROBE_FREE), NULL, NULL);
	assert_int_equal(hooks_require(p.c, GROUP_ALLOC, &e), -ENOENT);
	assert_non_null(strstr(e.text, "event FREE not available on this kernel (tried: "));
	assert_non_null(strstr(e.text, "unsigned int:ci_where"));
	assert_int_equal(hooks_require(p.c, GROUP_RA, &e), 0);
	hook_kernel_free(&p.k);
}

/* Without a member that a program reads, the function is no use. */
static void test_new_layout(void **state)
{
	struct error e = { 0 };
	struct plan p;

	(void)state;
	altered_plan(&p, "6.18", "swap_readahead_info", "swap_readahead_data");
	expect("new", choice_of(&p, PROBE_RA_VMA), NULL, NULL);
	assert_string_equal(
		choice_of(&p, PROBE_RA_VMA)->why,
		"swapin_readahead: this kernel has no vm_area_struct.swap_readahead_info");
	expect("new", choice_of(&p, PROBE_RA_CLUSTER), "swap_cluster_readahead", NULL);
	assert_int_equal(hooks_require(p.c, GROUP_RA, &e), -ENOENT);
	hook_kernel_free(&p.k);
	/* Nor where it is of another type: a batch with more than 255 folios. */
	altered_plan(&p, "6.12", "unsigned char", "unsigned long");
	expect("new", choice_of(&p, PROBE_FLUSH), NULL, NULL);
	hook_kernel_free(&p.k);
}

/* ---- files that are something else, and kernels without BTF ---- */

static void test_other_files(void **state)
{
	struct error e = { 0 };
	struct hook_kernel k;

	(void)state;
	/* Each in the place of the other. */
	assert_int_equal(hook_kernel_read(&k, KERNELS "7.3.btf", KERNELS "7.3.btf", true, NULL, &e),
			 -EBADMSG);
	assert_non_null(strstr(e.text, "7.3.btf: holds no symbols"));
	hook_kernel_free(&k);
	assert_int_equal(hook_kernel_read(&k, KERNELS "7.3.kallsyms", KERNELS "7.3.kallsyms", true,
					  NULL, &e),
			 -EBADMSG);
	assert_non_null(strstr(e.text, "7.3.kallsyms: is not BTF"));
	hook_kernel_free(&k);
}

static void test_releases(void **state)
{
	(void)state;
	assert_true(hook_covers("6.15 to 6.19", 6, 17));
	assert_false(hook_covers("6.15 to 6.19", 7, 0));
	assert_false(hook_covers("6.15 to 6.19", 6, 2));
	assert_true(hook_covers("to 6.9", 5, 10));
	assert_false(hook_covers("to 6.9", 6, 10));
	assert_true(hook_covers("7.0, 7.1", 7, 1));
	assert_false(hook_covers("7.0, 7.1", 7, 2));
	assert_true(hook_covers("6.18 on", 7, 3));
	assert_true(hook_covers("all, often inlined", 6, 1));
	assert_true(hook_covers("x86-64", 6, 1));
	/* Nobody knows what is in a kernel that is newer than all. */
	assert_false(hook_covers("6.18 on", 7, 4));
	assert_false(hook_covers("all", 8, 0));
}

/* Without BTF, the release keeps a function of another kernel from being decoded as it is not. */
static void test_without_btf(void **state)
{
	struct error e = { 0 };
	struct plan p;

	(void)state;
	assert_int_equal(hook_kernel_read(&p.k, KERNELS "7.3.kallsyms", NULL, false, NULL, &e), 0);
	hook_kernel_release(&p.k, "7.3.4+deb13-cloud-amd64");
	assert_false(hook_kernel_newer(&p.k));
	hooks_resolve(&p.k, p.c);
	expect("7.3", choice_of(&p, PROBE_READ), "swap_read_folio", "readio_context_enter");
	expect("7.3", choice_of(&p, PROBE_WRITE), "__swap_writepage", "write_context_enter");
	hook_kernel_release(&p.k, "9.1-rc2");
	assert_true(hook_kernel_newer(&p.k));
	hooks_resolve(&p.k, p.c);
	expect("9.1", choice_of(&p, PROBE_READ), NULL, NULL);
	assert_int_equal(hooks_require(p.c, GROUP_RA, &e), -ENOENT);
	assert_non_null(strstr(e.text, "there is no BTF to check it against"));
	hook_kernel_free(&p.k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),	     cmocka_unit_test(test_variables_of_kernels),
		cmocka_unit_test(test_new_argument), cmocka_unit_test(test_new_meaning),
		cmocka_unit_test(test_new_layout),   cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_releases),     cmocka_unit_test(test_without_btf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
