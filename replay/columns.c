// SPDX-License-Identifier: GPL-2.0
#include "replay/columns.h"

#include <errno.h>
#include <string.h>

int view_ask(struct block_view *view, enum event_type type, uint32_t keys)
{
	struct columns *c = &view->of[type];

	for (uint32_t left = keys & ~c->decoded; left; left &= left - 1) {
		unsigned int k = (unsigned int)__builtin_ctz(left);

		c->v[k] = block_column(view->block, type, k);
		if (!c->v[k])
			return -ENOMEM;
	}
	c->known |= keys;
	c->decoded |= keys;
	return 0;
}

static int load_type(struct block_view *view, enum event_type type, uint32_t keys, uint32_t known)
{
	struct columns *c = &view->of[type];

	c->have = block_have(view->block, type);
	c->known = known;
	return c->have ? view_ask(view, type, keys) : -ENOMEM;
}

int view_load(struct block_view *view, const struct trace_block *b,
	      const struct view_wanted *wanted)
{
	memset(view, 0, sizeof(*view));
	view->block = b;
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
		ret = load_type(view, (enum event_type)t, wanted->keys[t], wanted->known[t]);
		if (ret)
			return ret;
	}
	return 0;
}
