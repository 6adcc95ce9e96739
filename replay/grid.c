// SPDX-License-Identifier: GPL-2.0
#include "replay/grid.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/kernels.h"
#include "replay/policy.h"

/* One value more for every combination so far; @first values replace, later ones are added. */
struct expansion {
	char (*before)[GRID_SPEC]; /* combinations of the keys before this one */
	unsigned int nbefore;
	char (*now)[GRID_SPEC];
	unsigned int nnow;
};

static int add_value(struct expansion *x, const char *key, const char *value, struct error *e)
{
	if (x->nnow + x->nbefore > GRID_POINTS)
		return error_set(e, -EINVAL, "grid: more than %d combinations", GRID_POINTS);
	for (unsigned int i = 0; i < x->nbefore; i++) {
		const char *before = x->before[i];
		int n = snprintf(x->now[x->nnow], GRID_SPEC, "%s%s%s=%s", before,
				 *before ? "," : "", key, value);

		if (n >= GRID_SPEC)
			return error_set(e, -EINVAL, "grid: a combination is longer than %d bytes",
					 GRID_SPEC - 1);
		x->nnow++;
	}
	return 0;
}

/* "A..B" with A <= B; false: something else, to be taken as it is */
static bool parse_range(const char *value, unsigned long *low, unsigned long *high)
{
	char *end;

	if (*value < '0' || *value > '9')
		return false;
	*low = strtoul(value, &end, 10);
	if (strncmp(end, "..", 2) || end[2] < '0' || end[2] > '9')
		return false;
	*high = strtoul(end + 2, &end, 10);
	return !*end;
}

/* A value as it is: also one with colons, which would else be several. */
static bool is_value(const char *key, const char *value)
{
	char spec[GRID_SPEC];
	struct policy p;
	struct error e;

	if ((size_t)snprintf(spec, sizeof(spec), "%s=%s", key, value) >= sizeof(spec))
		return true;
	return !policy_parse(&p, kernel_at(0), spec, &e);
}

/*
 * "cluster:vma:fixed:8" is three values. A part that is none goes on behind its colon; where
 * nothing fits, the whole is taken as it is, for --policy's own message.
 */
static int add_parts(struct expansion *x, const char *key, char *value, struct error *e)
{
	char *colon;
	int ret = 0;

	if (is_value(key, value))
		return add_value(x, key, value, e);
	for (colon = strchr(value, ':'); !ret && colon; colon = strchr(colon + 1, ':')) {
		*colon = '\0';
		if (!is_value(key, value)) {
			*colon = ':';
			continue;
		}
		ret = add_value(x, key, value, e);
		value = colon + 1;
	}
	return ret ? ret : add_value(x, key, value, e);
}

static int add_values(struct expansion *x, const char *key, char *values, struct error *e)
{
	unsigned long low, high;
	char *value, number[24];
	int ret = 0;

	while (!ret && (value = strsep(&values, "|"))) {
		if (!parse_range(value, &low, &high)) {
			ret = add_parts(x, key, value, e);
			continue;
		}
		if (low > high || high - low >= GRID_POINTS)
			return error_set(e, -EINVAL,
					 "grid: %s=%s is not a range of at most %d numbers", key,
					 value, GRID_POINTS);
		for (; low <= high && !ret; low++) {
			snprintf(number, sizeof(number), "%lu", low);
			ret = add_value(x, key, number, e);
		}
	}
	return ret;
}

static int add_key(struct grid *g, char *setting, struct error *e)
{
	struct expansion x = { .before = g->specs, .nbefore = g->n };
	char *values = strchr(setting, '=');
	int ret;

	if (!values || values == setting || !values[1])
		return error_set(e, -EINVAL, "grid: '%s' is not key=value|value or key=A..B",
				 setting);
	*values++ = '\0';
	x.now = calloc(2 * GRID_POINTS, sizeof(*x.now));
	if (!x.now)
		return error_set(e, -ENOMEM, "out of memory");
	ret = add_values(&x, setting, values, e);
	free(g->specs);
	g->specs = x.now;
	g->n = x.nnow;
	g->keys++;
	return ret;
}

int grid_parse(struct grid *g, const char *text, struct error *e)
{
	char *copy = strdup(text), *rest = copy, *setting;
	int ret = 0;

	memset(g, 0, sizeof(*g));
	g->specs = calloc(1, sizeof(*g->specs));
	g->n = 1;
	if (!copy || !g->specs)
		ret = error_set(e, -ENOMEM, "out of memory");
	while (!ret && (setting = strsep(&rest, ",")))
		ret = add_key(g, setting, e);
	free(copy);
	if (ret)
		grid_free(g);
	return ret;
}

void grid_free(struct grid *g)
{
	free(g->specs);
	memset(g, 0, sizeof(*g));
}
