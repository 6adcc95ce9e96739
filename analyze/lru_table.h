/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_LRU_TABLE_H
#define SWAPTRACE_ANALYZE_LRU_TABLE_H

#include "render/table.h"
#include "replay/lru_result.h"

/* Rows of the tables about per-CPU batches, as replay prints and a report shows them. */

/** lru_count_columns - releases, drains, empty, saved, off, moved, flushes, flushed */
void lru_count_columns(struct table *t);
/** lru_count_cells - the cells of these columns */
void lru_count_cells(struct table *t, const struct lru_result *l);

/** lru_has_site - whether a result (NULL: none) has drains from a call site */
bool lru_has_site(const struct lru_result *l, const char *name);
/** lru_site_name_cell - the name of a call site, made harmless */
void lru_site_name_cell(struct table *t, const char *name);
/** lru_site_cells - drains from a call site and what they moved */
void lru_site_cells(struct table *t, const struct lru_result *l, const char *name);

#endif
