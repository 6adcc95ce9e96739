// SPDX-License-Identifier: GPL-2.0
#include "analyze/lkp.h"

#include <math.h>
#include <string.h>

#include "render/format.h"

#define VALUE 10  /* width of a mean */
#define SPREAD 7  /* of " ±  5%" and the blank behind it */
#define CHANGE 12 /* of "+38.6%" */

static void pad(FILE *f, int n)
{
	fprintf(f, "%*s", n > 0 ? n : 0, "");
}

static void write_rule(FILE *f, int n)
{
	while (n-- > 0)
		fputc('-', f);
}

/* A column is as wide as its cells, or as its name where that is longer. */
static int column_width(const struct comparison *c, unsigned int i)
{
	int cells = VALUE + SPREAD - 1 + (i ? CHANGE : 0);
	int name = (int)text_width(c->inputs[i].name);

	return cells > name ? cells : name;
}

static void write_titles(FILE *f, const struct comparison *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		fprintf(f, "%s%s", i ? " " : "", c->inputs[i].name);
		if (i + 1 < c->n)
			pad(f, column_width(c, i) - (int)text_width(c->inputs[i].name));
	}
	fputc('\n', f);
	for (unsigned int i = 0; i < c->n; i++) {
		fputs(i ? " " : "", f);
		write_rule(f, column_width(c, i));
	}
	fputc('\n', f);
	for (unsigned int i = 0; i < c->n; i++) {
		fputs(i ? " " : "", f);
		pad(f, column_width(c, i) - (VALUE + SPREAD - 1 + (i ? CHANGE : 0)));
		if (i)
			fprintf(f, "%*s", CHANGE, "%change");
		fprintf(f, "%*s", VALUE + SPREAD - 1, "%stddev");
	}
	fputs("  metric\n", f);
}

/* As many decimals as leave some five digits. */
static void write_mean(FILE *f, double mean)
{
	int decimals = fabs(mean) >= 10000 || mean == floor(mean) ? 0 : fabs(mean) >= 1 ? 2 : 4;

	fprintf(f, "%*.*f", VALUE, decimals, mean);
}

static void write_value(FILE *f, const struct metric *m)
{
	if (!m) {
		fprintf(f, "%*s%*s", VALUE, "n/a", SPREAD - 1, "");
		return;
	}
	write_mean(f, m->s.mean);
	if (m->n > 1 && m->s.mean != 0)
		fprintf(f, " \xc2\xb1%3.0f%%", fabs(100 * m->s.stddev / m->s.mean));
	else
		pad(f, SPREAD - 1);
}

static void write_change(FILE *f, const struct metric *base, const struct metric *now)
{
	double change = metric_change(base, now);
	char text[32];

	if (isfinite(change))
		snprintf(text, sizeof(text), "%+.1f%s", change,
			 base->kind == QUANTITY_PERCENT ? "" : "%");
	else
		snprintf(text, sizeof(text), "n/a");
	fprintf(f, "%*s", CHANGE, text);
}

void lkp_write(FILE *f, const struct comparison *c)
{
	write_titles(f, c);
	for (unsigned int k = 0; k < c->nnames; k++) {
		const struct metric *base = comparison_metric(c, 0, c->names[k]->name);
		char title[200];

		for (unsigned int i = 0; i < c->n; i++) {
			const struct metric *m = comparison_metric(c, i, c->names[k]->name);

			fputs(i ? " " : "", f);
			pad(f, column_width(c, i) - (VALUE + SPREAD - 1 + (i ? CHANGE : 0)));
			if (i)
				write_change(f, base, m);
			write_value(f, m);
		}
		metric_title(c->names[k], title, sizeof(title));
		fprintf(f, "  %s\n", title);
	}
}
