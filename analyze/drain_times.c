// SPDX-License-Identifier: GPL-2.0
#include "analyze/drain_times.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/measurements.h"
#include "render/format.h"

static int collect(const struct measurements *m, double **values, size_t *n)
{
	size_t room = 0;

	for (unsigned int i = 0; i < m->n; i++)
		room += m->rows[i].n;
	*n = 0;
	*values = malloc((room + 1) * sizeof(**values));
	if (!*values)
		return -ENOMEM;
	for (unsigned int i = 0; i < m->n; i++)
		for (unsigned int k = 0; k < m->rows[i].n; k++)
			(*values)[(*n)++] = m->rows[i].v[k].q.number;
	return 0;
}

/* Cut at a whole character. */
static void copy(char *out, size_t size, const char *value)
{
	escape_text(value, strlen(value), out, size);
}

static void take_fact(struct drain_times_list *l, const struct readings_fact *f)
{
	if (!strcmp(f->key, "unit"))
		copy(l->unit, sizeof(l->unit), f->value);
	else if (!strcmp(f->key, "release"))
		copy(l->release, sizeof(l->release), f->value);
	else if (!strcmp(f->key, "drain"))
		copy(l->drain, sizeof(l->drain), f->value);
	else if (!strcmp(f->key, "emulated"))
		l->emulated = strcmp(f->value, "0") != 0;
}

static int summarise(const struct measurements *m, struct drain_times_list *l)
{
	double *values;
	size_t n;
	int ret = collect(m, &values, &n);

	if (ret)
		return ret;
	ret = n ? mmtests_summary(values, n, false, l->rows) : -EBADMSG;
	if (!ret)
		ret = sample_summarise(values, n, &l->s);
	free(values);
	return ret;
}

static int read_list(const char *path, struct drain_times_list *l, struct error *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	FILE *f = fopen(path, "re");
	struct pasted t = { .name = path };
	struct measurements m;
	char *text;
	int ret;

	if (!f)
		return error_errno(e, -errno, "cannot open '%s'", path);
	ret = text_load(f, path, &text, &t.len, e);
	fclose(f);
	t.s = text;
	if (!ret)
		ret = measurements_read(&t, &m, e);
	free(text);
	if (ret)
		return ret;
	memset(l, 0, sizeof(*l));
	l->emulated = -1;
	escape_text(name, strlen(name), l->name, sizeof(l->name));
	for (unsigned int i = 0; i < m.nfacts; i++)
		take_fact(l, &m.facts[i]);
	ret = summarise(&m, l);
	measurements_free(&m);
	if (ret)
		error_set(e, ret, ret == -EBADMSG ? "%s: holds no times" : "%s: out of memory",
			  path);
	return ret;
}

int drain_times_read(const char *before, const char *after, struct drain_times *t, struct error *e)
{
	int ret = read_list(before, &t->before, e);

	if (!ret)
		ret = read_list(after, &t->after, e);
	if (!ret)
		welch_test(&t->before.s, &t->after.s, &t->welch);
	return ret;
}

double drain_times_change(const struct drain_times *t, unsigned int row)
{
	return mmtests_percent(t->after.rows[row], t->before.rows[row], false);
}
