/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_ALLOC_JSON_H
#define SWAPTRACE_ANALYZE_ALLOC_JSON_H

#include <jansson.h>

#include "replay/alloc_result.h"

/* The "alloc" object of the results document; analyze/result_json.c is its only user. */

/**
 * alloc_json - the object, or null where no allocator was replayed
 * Returns NULL when memory is out, or with *@failed = -ERANGE for a count above 2^63-1.
 */
json_t *alloc_json(const struct alloc_result *r, int *failed);

/**
 * alloc_from_json - read it back
 * @o: the object; NULL or null: nothing was replayed
 * Returns 0; -EBADMSG with the key whose value has the wrong type in *@key; -ENOMEM. @r must be
 * zero before, and be freed with alloc_result_free() in any case.
 */
int alloc_from_json(const json_t *o, struct alloc_result *r, const char **key);

#endif
