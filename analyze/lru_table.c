// SPDX-License-Identifier: GPL-2.0
#include "analyze/lru_table.h"

#include <string.h>

#include "render/format.h"

_Static_assert(LRU_UNKNOWN == COUNT_UNKNOWN, "one number for what is not known");

void lru_count_columns(struct table *t)
{
	static const char *const headers[] = { "releases", "drains", "empty",	"saved",
					       "off",	   "moved",  "flushes", "flushed" };

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		table_column(t, headers[i], ALIGN_RIGHT);
}

void lru_count_cells(struct table *t, const struct lru_result *l)
{
	table_count(t, l->releases);
	table_count(t, l->drains);
	table_count(t, l->drains_empty);
	table_count(t, l->drains_saved);
	table_count(t, l->suppressed);
	table_count(t, l->moved);
	table_count(t, l->flushes);
	table_count(t, l->flushed);
}

static const struct lru_site *find_site(const struct lru_result *l, const char *name)
{
	for (unsigned int i = 0; l && i < l->nsites; i++)
		if (!strcmp(l->sites[i].name, name))
			return &l->sites[i];
	return NULL;
}

bool lru_has_site(const struct lru_result *l, const char *name)
{
	return find_site(l, name);
}

void lru_site_name_cell(struct table *t, const char *name)
{
	char clean[4 * LRU_SITE_NAME + 1];

	escape_text(name, strlen(name), clean, sizeof(clean));
	table_word(t, clean);
}

void lru_site_cells(struct table *t, const struct lru_result *l, const char *name)
{
	const struct lru_site *s = find_site(l, name);

	table_count(t, s ? s->drains : 0);
	table_count(t, s ? s->moved : l->moved == LRU_UNKNOWN ? LRU_UNKNOWN : 0);
}
