// SPDX-License-Identifier: GPL-2.0
#include "common/nearest.h"

#include <string.h>

#define MAX_LEN 31

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Three rows are enough: a swap of neighbours looks back two. */
static unsigned int distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int rows[3][MAX_LEN + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *tmp;

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min3(row[j], before[j - 2] + 1, row[j]);
		}
		tmp = before;
		before = last;
		last = row;
		row = tmp;
	}
	return last[nb];
}

void nearest_try(struct nearest *n, const char *typed, const char *known)
{
	size_t nt = strlen(typed), nk = strlen(known);
	unsigned int d, limit;

	if (!nt || nt > MAX_LEN || nk > MAX_LEN)
		return;
	d = nt > 1 && nt < nk && !strncmp(typed, known, nt) ? 1 : distance(typed, nt, known, nk);
	limit = (unsigned int)(nk / 3 ? nk / 3 : 1);
	if (d > limit || (n->word && d >= n->distance))
		return;
	n->word = known;
	n->distance = d;
}
