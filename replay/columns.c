// SPDX-License-Identifier: GPL-2.0
#include "replay/columns.h"

#include <errno.h>
#include <string.h>

static int load_type(struct columns *c, const struct trace_block *b, enum event_type type,
		     uint32_t keys, uint32_t known)
{
	c->known = keys | known;
	c->have = block_have(b, type);
	if (!c->have)
		return -ENOMEM;
	for (unsigned int k = 0; k < EVENT_KEYS; k++) {
		if (!(keys >> k & 1))
			continue;
		c->v[k] = block_column(b, type, k);
		if (!c->v[k])
			return -ENOMEM;
	}
	return 0;
}

int view_load(struct block_view *view, const struct trace_block *b,
	      const struct view_wanted *wanted)
{
	memset(view, 0, sizeof(*view));
	view->events = block_events(b);
	view->types = block_types(b);
	if (wanted->times)
		view->times = block_times(b);
	if (wanted->cpus)
		view->cpus = block_cpus(b);
	if (wanted->tgids)
		view->tgids = block_tgids(b);
	if (!view->types || (wanted->times && !view->times) || (wanted->cpus && !view->cpus) ||
	    (wanted->tgids && !view->tgids))
		return -ENOMEM;
	for (int t = 0; t < EV_NR; t++) {
		int ret;

		if (!wanted->keys[t] || !block_count(b, (enum event_type)t))
			continue;
		ret = load_type(&view->of[t], b, (enum event_type)t, wanted->keys[t],
				wanted->known[t]);
		if (ret)
			return ret;
	}
	return 0;
}
