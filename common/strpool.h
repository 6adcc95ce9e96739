/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_STRPOOL_H
#define SWAPTRACE_COMMON_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Interned byte strings. Ids count from 1 in order of first use, 0 means "no string". Strings are
 * bytes, not text: a task's comm may hold anything but NUL.
 */
struct strpool;

/** strpool_new - an empty pool, NULL when memory is out; freed with strpool_free() */
struct strpool *strpool_new(void);

/** strpool_free - free the pool and all its strings; NULL is allowed */
void strpool_free(struct strpool *p);

/** strpool_intern - the id of the string of @len bytes at @s, a new one if needed; 0 when memory is
 * out */
uint32_t strpool_intern(struct strpool *p, const char *s, size_t len);

/**
 * strpool_get - the string with an id
 * @len: where its length goes, may be NULL
 * Returns NUL-terminated bytes owned by the pool and valid until it is freed; NULL for id 0 or an
 * id that was never given out.
 */
const char *strpool_get(const struct strpool *p, uint32_t id, size_t *len);

/** strpool_count - how many strings there are: ids run from 1 to this */
uint32_t strpool_count(const struct strpool *p);

#endif
