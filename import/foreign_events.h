/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_FOREIGN_EVENTS_H
#define SWAPTRACE_IMPORT_FOREIGN_EVENTS_H

#include "import/foreign.h"
#include "traces/event.h"

/** foreign_argument - the value of "KEY=" in the arguments; a comma at its end is left out */
bool foreign_argument(const struct foreign_event *f, const char *key, const char **value,
		      size_t *len);

enum foreign_answer { FOREIGN_ABSENT, FOREIGN_MALFORMED, FOREIGN_READ };

/** foreign_number - the number of the first of @keys (ended by NULL) that is there */
enum foreign_answer foreign_number(const struct foreign_event *f, const char *const *keys,
				   uint64_t *v);

/** foreign_is_return - whether it is of a return probe */
bool foreign_is_return(const struct foreign_event *f);

/**
 * foreign_is_probe - whether it is of a probe of @function, at entry or return
 * It is where the arguments name the function ("(FUNCTION+0x0/0x10)", "(CALLER <- FUNCTION)"), or
 * where they only have addresses and the probe is named as perf probe and kprobe_events would:
 * FUNCTION, FUNCTION__return, p_FUNCTION_0, r_FUNCTION_0.
 */
bool foreign_is_probe(const struct foreign_event *f, const char *function);

/**
 * foreign_event_fill - the event of ours that one of ftrace's events stands for
 *
 *   return of swapin_nr_pages, arg1= ret= retval=    RA mode=cluster ret= how=probed
 *   mm_swap_read, swap_read, swap_readpage,
 *   swap_read_folio with type= off=                  READ type= off= n=
 *   __folio_batch_release, __pagevec_release,
 *   with batch= and n= drained=                      RELEASE batch= n= drained=
 *
 * Numbers may be decimal, or hexadecimal after 0x. @ev gets its keys; cpu, tgid and comm are left
 * to the caller. Events of per-CPU batches: see import_lru.h.
 * @why: set when it is such an event and yet can't be read
 * Returns false when it stands for none.
 */
bool foreign_event_fill(const struct foreign_event *f, struct event *ev, const char **why);

#endif
