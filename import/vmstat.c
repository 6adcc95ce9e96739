// SPDX-License-Identifier: GPL-2.0
/* vmstat with an interval, and vmstat -s. */
#include <errno.h>
#include <string.h>

#include "import/readers.h"

#define COLUMNS_MAX 32

static bool is_title(const struct text_line *l)
{
	return l->n > 8 && word_is(&l->w[0], "r") && word_is(&l->w[1], "b") &&
	       line_has(l, "si") > 0 && line_has(l, "so") > 0;
}

/* "procs -----------memory---------- ---swap--": stands above the title each time. */
static bool is_banner(const struct text_line *l)
{
	return line_has(l, "procs") == 0 || (l->n && word_begins(&l->w[0], "procs-")) ||
	       (l->n && word_begins(&l->w[0], "--procs"));
}

static int counts(const struct text_line *l)
{
	uint64_t v;

	return is_title(l) || is_banner(l) || (l->n > 8 && word_count(&l->w[0], &v));
}

int vmstat_probe(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l))
		if (is_title(&l))
			return 50 + text_share(t, counts, 1) / 2;
	return 0;
}

struct vmstat_table {
	char title[COLUMNS_MAX][16];
	unsigned int n;
	bool stamped; /* -t: date and time in each row */
	bool titled, began;
	unsigned int rows;
};

static void take_title(struct vmstat_table *table, const struct text_line *l)
{
	static const char *const last[] = { "us", "sy", "id", "wa", "st", "gu" };

	table->stamped = true;
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		if (word_is(&l->w[l->n - 1], last[i]))
			table->stamped = false;
	table->n = l->n - table->stamped;
	for (unsigned int i = 0; i < table->n && i < COLUMNS_MAX; i++)
		line_title(l, i, i + 1, table->title[i], sizeof(table->title[0]));
	table->titled = true;
}

static struct quantity in_unit(const char *name, const struct quantity *q, enum reading_kind *kind)
{
	static const char *const memory[] = { "swpd", "free", "buff", "cache", "inact", "active" };
	static const char *const rates[] = { "si", "so", "bi", "bo" };
	static const char *const events[] = { "in", "cs" };

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		if (!strcmp(name, memory[i])) {
			*kind = READING_GAUGE;
			return quantity_of_kb(q);
		}
	}
	*kind = READING_RATE;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (!strcmp(name, rates[i]))
			return quantity_of(q, QUANTITY_RATE, 1024, "kB/s");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(name, events[i]))
			return quantity_of(q, QUANTITY_PLAIN, 1, "/s");
	if (!strcmp(name, "r") || !strcmp(name, "b")) {
		*kind = READING_GAUGE;
		return *q;
	}
	return quantity_of(q, QUANTITY_PERCENT, 1, "%");
}

static int take_row(const struct pasted *t, const struct text_line *l, struct vmstat_table *table,
		    bool keep, struct readings *r, struct error *e)
{
	unsigned int expected = table->n + 2 * table->stamped;

	if (l->n != expected)
		return text_bad(t, l, e, "vmstat table, %u columns expected, %u found", expected,
				l->n);
	for (unsigned int i = 0; i < table->n; i++) {
		enum reading_kind kind;
		struct quantity q, given;
		uint64_t v;

		if (!word_count(&l->w[i], &v))
			return text_bad(t, l, e, "vmstat table, column %s: '%.*s' is not a number",
					table->title[i], (int)(l->w[i].len < 40 ? l->w[i].len : 40),
					l->w[i].s);
		given = quantity_of_count(v);
		q = in_unit(table->title[i], &given, &kind);
		/* What memory looks like is of the moment in any row. */
		if (keep || kind == READING_GAUGE)
			readings_add(r, 0, table->title[i], kind, &q, l->number);
	}
	table->rows++;
	return 0;
}

int vmstat_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		struct error *e)
{
	struct vmstat_table table = { 0 };
	struct text_line l = { 0 };
	unsigned int all = 0;
	int ret = 0;

	(void)o;
	while (text_next(t, &l))
		all += l.n > 8 && l.w[0].s[0] >= '0' && l.w[0].s[0] <= '9';
	text_rewind(&l);
	readings_new_column(r, "");
	r->alone = true;
	while (!ret && text_next(t, &l)) {
		if (!l.n || is_banner(&l))
			continue;
		if (is_title(&l)) {
			if (l.n > COLUMNS_MAX)
				return text_bad(t, &l, e, "vmstat table of more than %d columns",
						COLUMNS_MAX);
			take_title(&table, &l);
		} else if (!table.titled || l.w[0].s[0] < '0' || l.w[0].s[0] > '9') {
			readings_leave_out(r, &l);
		} else {
			/* vmstat begins with averages since boot. */
			bool since_boot = !table.began;

			table.began = true;
			ret = take_row(t, &l, &table, !since_boot || all == 1, r, e);
			if (since_boot && all > 1)
				readings_note(r,
					      "the first row (line %llu) is the average since "
					      "boot and left out, as vmstat prints it without -y",
					      (unsigned long long)l.number);
		}
	}
	if (!ret && all == 1)
		readings_note(r, "one row only: its rates are averages since boot");
	return ret;
}

/* ---- vmstat -s ---- */

/* The names that only vmstat -s has; those of amounts have a K before them. */
static const char *const amounts[] = {
	"total memory", "used memory",	 "active memory", "inactive memory",
	"free memory",	"buffer memory", "swap cache",	  "total swap",
	"used swap",	"free swap",	 "paged in",	  "paged out",
};

static const char *const totals[] = {
	"pages paged in",
	"pages paged out",
	"pages swapped in",
	"pages swapped out",
	"interrupts",
	"CPU context switches",
	"boot time",
	"forks",
	"non-nice user cpu ticks",
	"nice user cpu ticks",
	"system cpu ticks",
	"idle cpu ticks",
	"IO-wait cpu ticks",
	"IRQ cpu ticks",
	"softirq cpu ticks",
	"stolen cpu ticks",
	"non-nice guest cpu ticks",
	"nice guest cpu ticks",
};

static bool is_total(const struct text_line *l, char *name, size_t size, bool *kb)
{
	const char *const *names;
	size_t n;

	*kb = l->n > 2 && word_is(&l->w[1], "K");
	names = *kb ? amounts : totals;
	n = *kb ? sizeof(amounts) / sizeof(amounts[0]) : sizeof(totals) / sizeof(totals[0]);
	line_title(l, 1 + *kb, l->n, name, size);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int total_counts(const struct text_line *l)
{
	char name[64];
	bool kb;

	return is_total(l, name, sizeof(name), &kb);
}

int vmstat_s_probe(const struct pasted *t)
{
	return text_share(t, total_counts, 2);
}

static enum reading_kind total_kind(const char *name, bool kb)
{
	if (strstr(name, "paged") || strstr(name, "swapped"))
		return READING_COUNTER;
	return kb || !strcmp(name, "boot time") ? READING_GAUGE : READING_COUNTER;
}

int vmstat_s_read(const struct pasted *t, const struct reading_options *o, struct readings *r,
		  struct error *e)
{
	struct text_line l = { 0 };
	unsigned int column = readings_new_column(r, "");
	char first[64] = "";

	(void)o;
	while (text_next(t, &l)) {
		enum reading_kind kind;
		struct quantity q;
		char name[64];
		uint64_t v;
		bool kb;

		if (!l.n)
			continue;
		if (!is_total(&l, name, sizeof(name), &kb)) {
			readings_leave_out(r, &l);
			continue;
		}
		if (!word_count(&l.w[0], &v))
			return text_bad(t, &l, e, "vmstat -s: '%.*s' before '%s' is not a count",
					(int)(l.w[0].len < 40 ? l.w[0].len : 40), l.w[0].s, name);
		if (!first[0])
			memcpy(first, name, sizeof(first));
		else if (!strcmp(first, name))
			column = readings_new_column(r, "");
		if (readings_find(r, column, name))
			return text_bad(t, &l, e, "vmstat -s: '%s' comes twice in one snapshot",
					name);
		kind = total_kind(name, kb);
		q = quantity_of_count(v);
		if (kb)
			q = quantity_of_kb(&q);
		readings_add(r, column, name, kind, &q, l.number);
	}
	return 0;
}
