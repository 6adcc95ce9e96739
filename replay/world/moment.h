/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_MOMENT_H
#define SWAPTRACE_REPLAY_WORLD_MOMENT_H

#include "replay/columns.h"

/* Who did it and when. */
struct moment {
	uint64_t t_ns;
	uint64_t task; /* thread id, or CPU where no task is known */
	bool by_cpu;
	int cpu;
};

/** moment_of - of an event; reads the key tid */
static inline struct moment moment_of(const struct replay_event *ev)
{
	struct moment at = { .t_ns = ev->t_ns, .cpu = ev_cpu(ev) };

	if (ev_has(ev, KEY_TID))
		at.task = ev_value(ev, KEY_TID);
	else if (ev_tgid(ev) >= 0)
		at.task = (uint64_t)ev_tgid(ev);
	else
		at = (struct moment){ ev->t_ns, (uint64_t)(uint32_t)ev_cpu(ev), true, ev_cpu(ev) };
	return at;
}

#endif
