/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_SYMBOLS_H
#define SWAPTRACE_BPF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/*
 * The kernel's symbols, as far as they are asked for. A compiler may rename a function it has
 * changed: NAME.isra.0, NAME.constprop.0 (all of it, other arguments), NAME.part.0 (only a piece;
 * the rest went into the callers), NAME.cold (unlikely branches, never an entry).
 */

enum symbol_form {
	SYMBOL_EXACT,
	SYMBOL_CLONE, /* .isra, .constprop, .llvm: the function, perhaps with other arguments */
	SYMBOL_PART,  /* .part: calls are missing, a count is a lower bound */
	SYMBOL_STATIC /* a variable inside a function: NAME.0 */
};

struct symbol {
	char name[96];	  /* as in kallsyms, suffix included */
	uint64_t address; /* 0 where the kernel hides addresses */
	enum symbol_form form;
	bool function; /* has the letter of a function; a variable may have it, too */
};

#define SYMBOL_COPIES_MAX 8

/* What is known of one base name. */
struct symbol_set {
	const char *base;
	unsigned int n;	     /* copies in the kernel itself, at most SYMBOL_COPIES_MAX are kept */
	unsigned int cold;   /* .cold pieces, never used */
	unsigned int others; /* namesakes in modules, never used */
	char module[32];     /* one of those modules */
	struct symbol copies[SYMBOL_COPIES_MAX];
};

struct symbol_table {
	struct symbol_set *sets;
	size_t n;
	uint64_t lines; /* symbols read */
	bool hidden;	/* all addresses are 0: kptr_restrict, or no privilege */
};

/**
 * symbols_read - take what is wanted out of a listing like /proc/kallsyms
 * @name: what to call the listing in messages
 * @wanted: base names, @n of them; they must outlive the table. A name may be there twice.
 * Lines that are no symbols are skipped. Returns 0, -EBADMSG when not one line was a symbol,
 * -ENOMEM. Freed with symbols_free().
 */
int symbols_read(struct symbol_table *t, FILE *in, const char *name, const char *const *wanted,
		 size_t n, struct error *e);

/** symbols_free - also for a table that was never filled but is zeroed */
void symbols_free(struct symbol_table *t);

/** symbols_find - what is known of @base; NULL if it was not wanted */
const struct symbol_set *symbols_find(const struct symbol_table *t, const char *base);

/**
 * symbols_function - the copies of a function that can be probed: exact ones and clones; pieces
 * (.part) only where there is nothing else
 * @out: room for SYMBOL_COPIES_MAX
 * Returns their number.
 */
unsigned int symbols_function(const struct symbol_set *s, const struct symbol **out);

/**
 * symbols_variable - address of the variable, 0 when it is not there, hidden, or there are several
 * Whatever letter it has: from 6.18 on the data of Debian's kernels is mapped executable, and its
 * variables carry the letters of functions.
 */
uint64_t symbols_variable(const struct symbol_table *t, const char *base);

#endif
