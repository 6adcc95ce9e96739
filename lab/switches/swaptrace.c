// SPDX-License-Identifier: GPL-2.0
/*
 * The switches of the lab kernel: their values and what needs a function of its own. The searches
 * of the slot allocator are in swaptrace_search.h.
 */
#include "swaptrace.h"

#include <linux/moduleparam.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "swap.h"

int swaptrace_swapoff __read_mostly, swaptrace_drain __read_mostly;
int swaptrace_lruadd __read_mostly, swaptrace_allocator __read_mostly;

static const char *const swapoff_words[] = { "lookup-first", "vanilla", "lookup-only" };
static const char *const drain_words[] = { "once", "always" };
static const char *const lruadd_words[] = { "no-barrier", "outline-mb", "inline-mb",
					    "inline-relaxed" };
static const char *const allocator_words[] = { "cluster-6.12", "nonfull-v1", "mthp-empty-only" };

struct swaptrace_switch {
	int *value;
	const char *const *words;
	size_t n;
};

static int set_word(const char *text, const struct kernel_param *kp)
{
	const struct swaptrace_switch *s = kp->arg;
	int i = __sysfs_match_string(s->words, s->n, text);

	if (i < 0)
		return i;
	WRITE_ONCE(*s->value, i);
	return 0;
}

static int get_word(char *text, const struct kernel_param *kp)
{
	const struct swaptrace_switch *s = kp->arg;

	return sysfs_emit(text, "%s\n", s->words[READ_ONCE(*s->value)]);
}

static const struct kernel_param_ops word_ops = { .set = set_word, .get = get_word };

#define SWITCH(name)                                                                               \
	static const struct swaptrace_switch name##_switch = {                                     \
		.value = &swaptrace_##name,                                                        \
		.words = name##_words,                                                             \
		.n = ARRAY_SIZE(name##_words),                                                     \
	};                                                                                         \
	module_param_cb(name, &word_ops, (void *)&name##_switch, 0644)
SWITCH(swapoff);
SWITCH(drain);
SWITCH(lruadd);
SWITCH(allocator);

/*
 * T1: what swapoff does about an entry before it asks for readahead, a function each, so that every
 * need can be recorded: nothing at all (vanilla); a look that leaves the state of readahead alone
 * (lookup-only); the kernel's own lookup.
 */
noinline __noclone struct folio *swaptrace_no_lookup(swp_entry_t entry, struct vm_area_struct *vma,
						     unsigned long addr)
{
	barrier();
	return NULL;
}

noinline __noclone struct folio *
swaptrace_plain_lookup(swp_entry_t entry, struct vm_area_struct *vma, unsigned long addr)
{
	struct folio *folio;

	folio = filemap_get_folio(swap_address_space(entry), swap_cache_index(entry));
	return IS_ERR(folio) ? NULL : folio;
}

struct folio *swaptrace_swapoff_lookup(swp_entry_t entry, struct vm_area_struct *vma,
				       unsigned long addr)
{
	switch (READ_ONCE(swaptrace_swapoff)) {
	case SWAPTRACE_VANILLA:
		return swaptrace_no_lookup(entry, vma, addr);
	case SWAPTRACE_LOOKUP_ONLY:
		return swaptrace_plain_lookup(entry, vma, addr);
	default:
		return swap_cache_get_folio(entry, vma, addr);
	}
}

noinline __noclone bool swaptrace_evictable_call(struct folio *folio)
{
	return folio_evictable(folio);
}
