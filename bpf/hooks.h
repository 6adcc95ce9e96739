/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_HOOKS_H
#define SWAPTRACE_BPF_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bpf/btf_file.h"
#include "bpf/symbols.h"
#include "common/error.h"

/*
 * The hook plan: which function of which kernel shows which event, how to attach to it, and what
 * is lost where that is not possible. It is data (hooks.c); resolving it against a kernel's symbols
 * and BTF loads nothing and needs no privilege.
 */

/* How a pair of programs is attached, best first. */
enum attach_kind {
	ATTACH_FENTRY,	     /* fentry/fexit */
	ATTACH_KPROBE_MULTI, /* kprobe.multi, kretprobe.multi */
	ATTACH_KPROBE,	     /* kprobe/kretprobe */
	ATTACH_NONE
};

/* What -e asks for. */
#define GROUP_RA 1u
#define GROUP_ALLOC 2u
#define GROUP_LRU 4u
#define GROUP_SWAP (GROUP_RA | GROUP_ALLOC)

/* One way to see an event. */
struct hook_symbol {
	const char *symbol;
	const char *entry;   /* name of our function at its entry, NULL: none */
	const char *exit;    /* at its exit */
	const char *with;    /* only where this symbol is there as well */
	const char *absent;  /* only where this symbol is not there */
	bool counts_at_exit; /* hits are counted by the exit program */
	bool kprobe_only;    /* fentry/fexit cannot do it: a struct is returned */
	const char *kernels; /* for people: "5.15 to 6.17" */
};

struct hook {
	const char *name;      /* of the line in the list */
	const char *event;     /* the trace's event; NULL: the programs keep state only */
	int probe;	       /* enum probe_id whose hits it counts, -1 for state */
	unsigned int groups;   /* wanted by */
	unsigned int required; /* a group that makes no sense without it */
	const struct hook_symbol *symbols; /* best first, ended by a NULL symbol */
	const char *instead; /* what stands in for it where it is missing, NULL: nothing */
	const char *lost;    /* what is not known then */
	/* Runs in interrupts, or where no task is preempted: fentry misses no run of it. */
	bool atomic;
	bool spare; /* where it is not there, another hook of the same event is enough */
};

#define HOOKS_MAX 64
extern const struct hook hook_plan[];
extern const size_t hook_plan_len;

/* Facts about the kernel that the plan is resolved against. */
struct hook_kernel {
	struct symbol_table symbols;
	struct btf_function functions[128];
	size_t nfunctions;
	bool have_btf;
	int fprobe;   /* CONFIG_FPROBE: 1, 0, -1 unknown */
	int preempts; /* a task in the kernel can be preempted: 1, 0, -1 unknown */
};

/* The choice for one hook. */
struct hook_choice {
	const struct hook *hook;
	const struct hook_symbol *symbol; /* NULL: no candidate is there */
	const struct symbol *copies[SYMBOL_COPIES_MAX];
	unsigned int n;
	bool lower_bound;     /* only a .part piece is left */
	bool clone;	      /* arguments may have been changed by the compiler */
	unsigned int modules; /* namesakes in modules, ignored */
	const char *module;
	enum attach_kind kinds[3]; /* in the order of trying */
	unsigned int nkinds;
};

/**
 * hook_kernel_read - read what a plan needs
 * @kallsyms, @btf, @config: files; @btf and @config may be NULL. A configuration that cannot be
 * read is not an error; neither is a missing BTF file when @btf_needed is false.
 * Freed with hook_kernel_free().
 */
int hook_kernel_read(struct hook_kernel *k, const char *kallsyms, const char *btf, bool btf_needed,
		     const char *config, struct error *e);
void hook_kernel_free(struct hook_kernel *k);

/** hooks_resolve - fill @c[0 .. hook_plan_len-1] */
void hooks_resolve(const struct hook_kernel *k, struct hook_choice *c);

/**
 * hooks_groups - a list like "ra,alloc,lru" into groups
 * Returns the groups, 0 and a text for an unknown word.
 */
unsigned int hooks_groups(const char *list, struct error *e);

/** hooks_group_names - the groups as -e takes them, into @out, which is returned */
const char *hooks_group_names(unsigned int groups, char *out, size_t size);

/**
 * hooks_require - check that what was asked for can be recorded
 * Returns 0, or -ENOENT with "event ALLOC not available on this kernel (tried: ...)".
 */
int hooks_require(const struct hook_choice *c, unsigned int groups, struct error *e);

/**
 * hooks_only_kind - leave only one way of attaching
 * @kind: "fentry", "kprobe.multi" or "kprobe"
 * Hooks that have another one only are treated as not available. -EINVAL for another word.
 */
int hooks_only_kind(struct hook_choice *c, const char *kind, struct error *e);

/** hook_describe_missing - "not available on this kernel (tried: a, b)" into @out */
void hook_describe_missing(const struct hook *h, char *out, size_t size);

/** hooks_print - the plan as a table */
void hooks_print(FILE *f, const struct hook_kernel *k, const struct hook_choice *c);

/** attach_kind_name - "fentry", "kprobe.multi", "kprobe"; with @exit_only the name of the exit kind
 */
const char *attach_kind_name(enum attach_kind kind, bool entry, bool exit);

#endif
