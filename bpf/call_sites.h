/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_CALL_SITES_H
#define SWAPTRACE_BPF_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of a kernel by address, to name the callers of a function. */
struct site {
	uint64_t address;
	uint32_t name; /* place in the names */
};

struct site_table {
	struct site *sites; /* [n], by address */
	size_t n, room;
	char *names;
	size_t names_len, names_room;
};

/**
 * sites_read - all functions of a listing like /proc/kallsyms, modules' included
 * Returns 0; -errno where @path cannot be read; -ENOMEM. Addresses that are hidden (0) are left
 * out, so a table may be empty. Freed with sites_free() in any case.
 */
int sites_read(struct site_table *t, const char *path);
void sites_free(struct site_table *t);

/**
 * sites_name - the function that @address lies in, NULL where none is known
 * @len: length of the name without what a compiler appends to it (".isra.0", ".cold")
 */
const char *sites_name(const struct site_table *t, uint64_t address, size_t *len);

/** sites_end - where the function after the one that begins at @address begins; 0: not known */
uint64_t sites_end(const struct site_table *t, uint64_t address);

/** sites_trampoline - whether @address is where a kretprobe makes functions return to */
bool sites_trampoline(const struct site_table *t, uint64_t address);

#endif
