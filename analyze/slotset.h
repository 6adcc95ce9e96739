/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_SLOTSET_H
#define SWAPTRACE_ANALYZE_SLOTSET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A set of swap slots of several devices, as bits in chunks that are made when first needed. Its
 * memory is bounded whatever a trace claims: SLOTSET_CHUNKS chunks of 65,536 slots (128 MiB, slots
 * of 4 TiB of swap); what does not fit is counted and left out.
 */

#define SLOTSET_CHUNKS 16384u

struct slotset;

/** slotset_new - an empty set, NULL when memory is out; freed with slotset_free() */
struct slotset *slotset_new(void);
void slotset_free(struct slotset *s);

/** slotset_add - put in slot @off of device @type; true when it was not there before */
bool slotset_add(struct slotset *s, uint32_t type, uint64_t off);

/** slotset_remove - take the slot out; true when it was there */
bool slotset_remove(struct slotset *s, uint32_t type, uint64_t off);

/** slotset_dropped - slots that could not be put in because of the limit or of memory */
uint64_t slotset_dropped(const struct slotset *s);

#endif
