// SPDX-License-Identifier: GPL-2.0
#include "analyze/mmtests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD 12  /* width of a value */
#define CHANGE 11 /* width of " (%7.2f%%)" */
#define TITLE 12  /* the longest of the names below */

static const char *const row_names[2][MMTESTS_ROWS] = {
	{ "Min", "1st-qrtle", "2nd-qrtle", "3rd-qrtle", "Max-90%", "Max-95%", "Max-99%", "Max",
	  "Amean", "Stddev", "Coeff", "Best99%Amean", "Best95%Amean", "Best90%Amean",
	  "Best75%Amean", "Best50%Amean", "Best25%Amean" },
	{ "Min", "1st-qrtle", "2nd-qrtle", "3rd-qrtle", "Max-90%", "Max-95%", "Max-99%", "Max",
	  "Hmean", "Stddev", "Coeff", "Best99%Hmean", "Best95%Hmean", "Best90%Hmean",
	  "Best75%Hmean", "Best50%Hmean", "Best25%Hmean" },
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Plain sums in order: a more careful one could round another way than the original. */
static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static double harmonic_mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0))
			return -1;
		sum += 1 / v[i];
	}
	return (double)n / sum;
}

static double deviation(const double *v, size_t n)
{
	double m = mean(v, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - m) * (v[i] - m);
	return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

static double coefficient(const double *v, size_t n)
{
	double m = mean(v, n);

	/* One value has no deviation; a mean below zero then gives the original's -0.00. */
	return m != 0 ? (n > 1 ? deviation(v, n) : 0) * 100 / m : 0;
}

static double at(const double *sorted, size_t n, double p)
{
	return sorted[(size_t)((double)(n - 1) * p + 0.5)];
}

/* All values count in the order of the input, as that is the order of the original's sum. */
static double best(const double *v, const double *sorted, size_t n, unsigned int percent,
		   bool higher)
{
	size_t trim = n * percent / 100;

	if (higher)
		return trim ? harmonic_mean(sorted + trim, n - trim) : harmonic_mean(v, n);
	return trim ? mean(sorted, trim + 1) : mean(v, n);
}

int mmtests_summary(const double *v, size_t n, bool higher, double rows[MMTESTS_ROWS])
{
	static const double quantiles[] = { 0.25, 0.50, 0.75, 0.90, 0.95, 0.99 };
	static const unsigned int parts[] = { 99, 95, 90, 75, 50, 25 };
	double *sorted = malloc(n * sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, v, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	rows[0] = sorted[0];
	for (int i = 0; i < 6; i++)
		rows[1 + i] = at(sorted, n, quantiles[i]);
	rows[7] = sorted[n - 1];
	rows[8] = higher ? harmonic_mean(v, n) : mean(v, n);
	rows[9] = deviation(v, n);
	rows[10] = coefficient(v, n);
	for (int i = 0; i < 6; i++)
		rows[11 + i] = best(v, sorted, n, parts[i], higher);
	free(sorted);
	return 0;
}

double mmtests_percent(double now, double base, bool higher)
{
	if (now == base)
		return 0;
	if (higher) {
		if (now == 0)
			return 0;
		return base == 0 || isnan(base) ? 100 : now * 100 / base - 100;
	}
	if (now == 0)
		return 100;
	return base == 0 ? -99 : 100 - now * 100 / base;
}

/* The original's language spells it so. */
static void write_number(FILE *f, double v, int width)
{
	if (!isfinite(v))
		fprintf(f, "%*s", width, isnan(v) ? "NaN" : v < 0 ? "-Inf" : "Inf");
	else
		fprintf(f, "%*.2f", width, v);
}

static void write_cell(FILE *f, double now, double base, bool higher)
{
	bool shown = !isnan(now) && now != -1 && base != -1;

	write_number(f, shown ? now : 0, FIELD);
	fputs(" (", f);
	write_number(f, shown ? mmtests_percent(now, base, higher) : 0, CHANGE - 4);
	fputs("%)", f);
}

/* Whether "-rc" and a digit stand in the @len bytes at @s. */
static bool has_rc(const char *s, size_t len)
{
	for (size_t i = 0; i + 4 <= len; i++)
		if (!memcmp(s + i, "-rc", 3) && s[i + 3] >= '0' && s[i + 3] <= '9')
			return true;
	return false;
}

/* Split @name in two: the lengths of the first part, and where the second begins. */
static void split_name(const char *name, size_t *first, size_t *second)
{
	size_t len = strlen(name);
	const char *dash = strchr(name, '-');
	size_t cut, look;

	if (!dash) {
		*first = len ? len - 1 : 0;
		*second = 0;
		return;
	}
	cut = (size_t)(dash - name);
	/* The original looks as many bytes far as stand before the dash, and three more. */
	look = cut + 3;
	if (look > len - cut)
		look = len - cut;
	if (has_rc(dash, look))
		cut += 4;
	*first = cut < len ? cut : len;
	*second = cut + 1 < len ? cut + 1 : len;
}

static void write_titles(FILE *f, const struct mmtests_column *columns, size_t n, int left)
{
	for (int line = 0; line < 2; line++) {
		fprintf(f, "%*s", left, "");
		for (size_t i = 0; i < n; i++) {
			const char *name = columns[i].name;
			size_t first, second;

			split_name(name, &first, &second);
			if (line)
				fprintf(f, "%*s", FIELD + CHANGE, name + second);
			else
				fprintf(f, "%*.*s", FIELD + CHANGE, (int)first, name);
		}
		fputc('\n', f);
	}
}

int mmtests_write(FILE *f, const struct mmtests_column *columns, size_t n, const char *operation,
		  bool higher, struct error *e)
{
	double(*rows)[MMTESTS_ROWS] = calloc(n + 1, sizeof(*rows));
	int ret = rows ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < n; i++) {
		if (!columns[i].n) {
			free(rows);
			return error_set(e, -EINVAL, "%s: no values", columns[i].name);
		}
		ret = mmtests_summary(columns[i].values, columns[i].n, higher, rows[i]);
	}
	if (ret) {
		free(rows);
		return error_set(e, ret, "out of memory");
	}
	write_titles(f, columns, n, TITLE + 1 + (int)strlen(operation));
	for (int r = 0; r < MMTESTS_ROWS; r++) {
		fprintf(f, "%-*s %s", TITLE, row_names[higher][r], operation);
		for (size_t i = 0; i < n; i++)
			write_cell(f, rows[i][r], rows[0][r], higher);
		fputc('\n', f);
	}
	free(rows);
	return 0;
}
