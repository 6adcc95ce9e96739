// SPDX-License-Identifier: GPL-2.0
/* memory.stat of cgroups, and pressure: memory.pressure, /proc/pressure/memory. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/readers.h"

/* ---- memory.stat ---- */

/* States, in bytes; what is neither here nor counted by /proc/vmstat under that name is left out.
 */
static const char *const sizes[] = {
	"anon",
	"file",
	"kernel",
	"kernel_stack",
	"pagetables",
	"sec_pagetables",
	"percpu",
	"sock",
	"vmalloc",
	"shmem",
	"zswap",
	"zswapped",
	"file_mapped",
	"file_dirty",
	"file_writeback",
	"swapcached",
	"anon_thp",
	"file_thp",
	"shmem_thp",
	"inactive_anon",
	"active_anon",
	"inactive_file",
	"active_file",
	"unevictable",
	"slab_reclaimable",
	"slab_unreclaimable",
	"slab",
	"hugetlb",
	"cache",
	"rss",
	"rss_huge",
	"mapped_file",
	"dirty",
	"writeback",
	"swap",
	"hierarchical_memory_limit",
	"hierarchical_memsw_limit",
};

/* Names that no other file has. */
static const char *const own[] = {
	"anon",	       "file",		"kernel_stack", "slab_reclaimable", "anon_thp",
	"file_mapped", "inactive_anon", "rss",		"mapped_file",	    "cache"
};

static bool listed(const struct word *w, const char *const *names, size_t n)
{
	struct word bare = *w;

	/* cgroup v1 has all of them twice. */
	if (word_begins(w, "total_")) {
		bare.s += 6;
		bare.len -= 6;
	}
	for (size_t i = 0; i < n; i++)
		if (word_is(&bare, names[i]))
			return true;
	return false;
}

static bool is_size(const struct word *w)
{
	return listed(w, sizes, sizeof(sizes) / sizeof(sizes[0]));
}

static bool is_counter(const struct word *w)
{
	struct word bare = *w;

	if (word_begins(w, "total_")) {
		bare.s += 6;
		bare.len -= 6;
	}
	return counter_name_kind(bare.s, bare.len) == READING_COUNTER;
}

static int stat_counts(const struct text_line *l)
{
	return l->n == 2 && isdigit((unsigned char)l->w[1].s[0]) &&
	       (is_size(&l->w[0]) || is_counter(&l->w[0]));
}

int memory_stat_probe(const struct pasted *t)
{
	struct text_line l = { 0 };
	unsigned int known = 0;

	while (text_next(t, &l))
		known += l.n == 2 && listed(&l.w[0], own, sizeof(own) / sizeof(own[0]));
	/* Above /proc/vmstat, whose names for events it shares. */
	return known ? text_share(t, stat_counts, 2) : 0;
}

int memory_stat_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		     struct error *e)
{
	unsigned int column = readings_new_column(r, "");
	char first[64] = "", name[64];
	struct text_line l = { 0 };

	(void)o;
	while (text_next(t, &l)) {
		struct quantity q;
		bool size, count;
		uint64_t v;

		if (!l.n)
			continue;
		size = is_size(&l.w[0]);
		count = !size && is_counter(&l.w[0]);
		if (!size && !count) {
			readings_leave_out(r, &l);
			continue;
		}
		line_title(&l, 0, 1, name, sizeof(name));
		if (l.n != 2 || !word_count(&l.w[1], &v))
			return text_bad(t, &l, e, "memory.stat: '%s' has no number behind it",
					name);
		if (!first[0])
			memcpy(first, name, sizeof(first));
		else if (!strcmp(first, name))
			column = readings_new_column(r, "");
		if (readings_find(r, column, name))
			return text_bad(t, &l, e, "memory.stat: '%s' comes twice in one snapshot",
					name);
		q = quantity_of_count(v);
		if (size)
			q = quantity_of(&q, QUANTITY_AMOUNT, 1, "B");
		readings_add(r, column, name, size ? READING_GAUGE : READING_COUNTER, &q, l.number);
	}
	return 0;
}

/* ---- pressure ---- */

static bool is_pressure(const struct text_line *l)
{
	return l->n > 1 && (word_is(&l->w[0], "some") || word_is(&l->w[0], "full")) &&
	       word_begins(&l->w[1], "avg");
}

static int pressure_counts(const struct text_line *l)
{
	return is_pressure(l);
}

int pressure_probe(const struct pasted *t)
{
	return text_share(t, pressure_counts, 1);
}

static int take_pressure(const struct pasted *t, const struct text_line *l, unsigned int column,
			 struct readings *r, struct error *e)
{
	static const char *const keys[] = { "avg10=", "avg60=", "avg300=", "total=" };
	char name[64];

	if (l->n != 5)
		return text_bad(t, l, e, "pressure: 5 words expected, %u found", l->n);
	for (unsigned int i = 0; i < 4; i++) {
		const struct word *w = &l->w[1 + i];
		struct word value = { w->s + strlen(keys[i]), w->len - strlen(keys[i]) };
		struct quantity q;
		uint64_t v;

		if (!word_begins(w, keys[i]) ||
		    quantity_parse_marked(value.s, value.len, DECIMAL_POINT, &q) != QUANTITY_OK ||
		    q.kind != QUANTITY_PLAIN || (i == 3 && !word_count(&value, &v)))
			return text_bad(t, l, e, "pressure: '%.*s' where %s is expected",
					(int)(w->len < 40 ? w->len : 40), w->s, keys[i]);
		snprintf(name, sizeof(name), "%.*s/%.*s", (int)l->w[0].len, l->w[0].s,
			 (int)strlen(keys[i]) - 1, keys[i]);
		q = i < 3 ? quantity_of(&q, QUANTITY_PERCENT, 1, "%")
			  : quantity_of(&q, QUANTITY_TIME, 1e-6, "us");
		if (readings_find(r, column, name))
			return text_bad(t, l, e, "pressure: '%s' comes twice in one snapshot",
					name);
		readings_add(r, column, name, i < 3 ? READING_GAUGE : READING_COUNTER, &q,
			     l->number);
	}
	return 0;
}

int pressure_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		  struct error *e)
{
	unsigned int column = readings_new_column(r, "");
	struct text_line l = { 0 };
	int ret = 0;

	(void)o;
	while (!ret && text_next(t, &l)) {
		if (!l.n)
			continue;
		if (!is_pressure(&l)) {
			readings_leave_out(r, &l);
			continue;
		}
		if (word_is(&l.w[0], "some") && readings_find(r, column, "some/avg10"))
			column = readings_new_column(r, "");
		ret = take_pressure(t, &l, column, r, e);
	}
	return ret;
}
