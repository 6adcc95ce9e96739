/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_IMPORT_EVENTS_H
#define SWAPTRACE_TRACES_IMPORT_EVENTS_H

#include "traces/event.h"
#include "traces/import_lines.h"

/**
 * foreign_event_fill - the event of ours that one of ftrace's events stands for
 *
 *   return of swapin_nr_pages, arg1= ret= retval=    RA mode=cluster ret= how=probed
 *   mm_swap_read, swap_read, swap_readpage,
 *   swap_read_folio with type= off=                  READ type= off= n=
 *   mm_lru_insertion, mm_lru_activate                LRUADD op=add, op=activate, n=1
 *
 * Numbers may be decimal, or hexadecimal after 0x. @ev gets its keys; cpu, tgid and comm are left
 * to the caller.
 * @moved: set for LRUADD: its time is that of the move to the list, later than the joining
 * @why: set when it is such an event and yet can't be read
 * Returns false when it stands for none.
 */
bool foreign_event_fill(const struct foreign_event *f, struct event *ev, bool *moved,
			const char **why);

#endif
