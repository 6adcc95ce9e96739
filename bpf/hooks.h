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
 * is lost where that is not possible. It is data (hook_table.c); resolving it against a kernel's
 * symbols and BTF loads nothing and needs no privilege.
 *
 * A function is taken only where its prototype and the structures that its programs read are of a
 * form that the table knows. Without BTF nothing shows the prototype, and the kernel's release
 * decides.
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
	const char *
		form; /* known prototypes, see btf_prototype_matches(); NULL: no argument is read */
	const char *reads;   /* members that the programs read: "STRUCT.MEMBER", "...:TYPE", one of
				several by | */
	const char *kernels; /* "5.15 to 6.17", "to 6.9", "7.0 on", "7.0, 7.1", "all"; other words
				mean no release */
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

/**
 * hook_plan_names - every symbol that the plan asks for, functions and variables, each once
 * @names: room for @max of them; static strings
 * Returns their number.
 */
size_t hook_plan_names(const char **names, size_t max);

/* Facts about the kernel that the plan is resolved against. */
struct hook_kernel {
	struct symbol_table symbols;
	struct btf_file *btf;	   /* NULL: none */
	unsigned int major, minor; /* release, 0: unknown; it matters without BTF alone */
	int fprobe;		   /* CONFIG_FPROBE: 1, 0, -1 unknown */
	int preempts;		   /* a task in the kernel can be preempted: 1, 0, -1 unknown */
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
	char why[256];		   /* why a function that is there could not be taken, "" */
	enum attach_kind kinds[3]; /* in the order of trying */
	unsigned int nkinds;
};

/**
 * hook_kernel_read - read what a plan needs
 * @kallsyms, @btf, @config: files; @btf and @config may be NULL. A configuration that cannot be
 * read is not an error; neither is a missing BTF file when @btf_needed is false. With @btf_needed,
 * a BTF file that is none of a kernel is an error (-EBADMSG), and so are symbols of which none is
 * known. Freed with hook_kernel_free().
 */
int hook_kernel_read(struct hook_kernel *k, const char *kallsyms, const char *btf, bool btf_needed,
		     const char *config, struct error *e);
void hook_kernel_free(struct hook_kernel *k);

/** hook_kernel_release - take major and minor number out of a release ("6.12.117+deb12"), 0 where
 * there are none */
void hook_kernel_release(struct hook_kernel *k, const char *release);

/** hook_kernel_newer - whether the release is known to be newer than all that the plan was made for
 */
bool hook_kernel_newer(const struct hook_kernel *k);

/** hook_covers - whether a text of kernels (struct hook_symbol) holds for a release */
bool hook_covers(const char *kernels, unsigned int major, unsigned int minor);

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

/** hook_describe_missing - "not available on this kernel (tried: a, b)" and why, where more is
 * known, into @out */
void hook_describe_missing(const struct hook_choice *c, char *out, size_t size);

/** hooks_print - the plan as a table */
void hooks_print(FILE *f, const struct hook_kernel *k, const struct hook_choice *c);

/** attach_kind_name - "fentry", "kprobe.multi", "kprobe"; with @exit_only the name of the exit kind
 */
const char *attach_kind_name(enum attach_kind kind, bool entry, bool exit);

#endif
