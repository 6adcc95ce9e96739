/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_RENDER_JSON_DOCUMENT_H
#define SWAPTRACE_RENDER_JSON_DOCUMENT_H

#include <jansson.h>
#include <stdio.h>

#include "common/error.h"

/**
 * json_document_write - the end of every JSON document: write @o to @f, indented, and give it up
 * @failed: what building @o met: 0, -ERANGE for a count above 2^63-1, -ENOMEM; nothing is written
 *          unless it is 0
 * @what: "results", "comparison": for the message of a failed write
 * Returns @failed or the errno of the write, negative.
 */
int json_document_write(json_t *o, int failed, const char *what, FILE *f, struct error *e);

#endif
