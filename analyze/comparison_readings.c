// SPDX-License-Identifier: GPL-2.0
/* Inputs of a comparison from what the readers of other tools' output give. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison.h"
#include "common/text.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int no_memory(const char *name, struct error *e)
{
	return error_set(e, -ENOMEM, "%s: out of memory", name);
}

/* Sizes of memory in text are powers of 1024 and may say so with one letter. */
static void memory_condition(struct comparison_input *in, const char *value)
{
	static const char letters[] = "KMGT";
	char *end;
	uint64_t v = strtoull(value, &end, 10);
	const char *at = *end ? strchr(letters, *end == 'k' ? 'K' : *end) : NULL;
	char text[32];

	if (end == value || (*end && (!at || end[1])) || v > UINT64_MAX >> 40) {
		input_condition(in, "memory_limit", value);
		return;
	}
	v <<= at ? 10 * (at - letters + 1) : 0;
	snprintf(text, sizeof(text), "%" PRIu64, v);
	input_condition(in, "memory_limit", text);
}

static void take_fact(struct comparison_input *in, const struct readings_fact *f)
{
	bool flag = !strcmp(f->key, "thp_swap") || !strcmp(f->key, "vma_ra");

	if (!strcmp(f->key, "n"))
		in->declared_n = strtoull(f->value, NULL, 10);
	else if (!strcmp(f->key, "memcg") || !strcmp(f->key, "memory_limit"))
		memory_condition(in, f->value);
	else if (flag && (f->value[0] == 'y' || f->value[0] == 'n'))
		input_condition(in, f->key, f->value[0] == 'y' ? "1" : "0");
	else
		input_condition(in, f->key, f->value);
}

/* What holds for all columns. */
static void take_facts(struct comparison_input *in, const struct readings *r)
{
	in->format = r->format;
	in->old_counter_names = r->old_counter_names;
	in->shows_alone = r->alone;
	snprintf(in->reading, sizeof(in->reading), "%s", r->taken);
	for (unsigned int i = 0; i < r->nfacts; i++)
		take_fact(in, &r->facts[i]);
	if (r->lost) {
		in->incomplete = true;
		snprintf(in->incomplete_why, sizeof(in->incomplete_why),
			 "%" PRIu64 " events were lost while recording; its counts are too low",
			 r->lost);
	}
}

/* What was read, and what was not. */
static void take_account(struct comparison_input *in, const struct readings *r)
{
	in->left_out = r->left_out;
	in->left_out_line = r->left_out_line;
	snprintf(in->left_out_text, sizeof(in->left_out_text), "%s", r->left_out_text);
	if (r->guessed && in->nnotes < INPUT_NOTES_MAX)
		snprintf(in->notes[in->nnotes++], sizeof(in->notes[0]),
			 "%s (no title line tells; --%s reads them the other way)", r->taken,
			 r->table ? "rows" : "columns");
	for (unsigned int i = 0; i < r->nnotes && in->nnotes < INPUT_NOTES_MAX; i++)
		snprintf(in->notes[in->nnotes++], sizeof(in->notes[0]), "%s", r->notes[i]);
	if (in->left_out && in->nnotes < INPUT_NOTES_MAX)
		snprintf(in->notes[in->nnotes++], sizeof(in->notes[0]),
			 in->left_out == 1
				 ? "%" PRIu64 " line that is not data was left out: line %" PRIu64
				   ", '%s'"
				 : "%" PRIu64 " lines that are not data were left out, the first "
				   "is line %" PRIu64 ", '%s'",
			 in->left_out, in->left_out_line, in->left_out_text);
}

static int add_values(struct comparison_input *in, const struct reading *from, const char *label,
		      const char *name, struct error *e)
{
	struct metric *m = input_metric(in, label);
	int ret = m ? 0 : -ENOMEM;

	for (unsigned int i = 0; !ret && i < from->n; i++) {
		ret = metric_add(m, &from->v[i]);
		if (ret == -EINVAL)
			return error_set(e, -EBADMSG,
					 "%s: line %" PRIu64
					 ": a value %s%s among others %s%s; use one unit",
					 name, from->lines[i],
					 from->v[i].unit[0] ? "in " : "without unit",
					 from->v[i].unit, m->unit[0] ? "in " : "without unit",
					 m->unit);
	}
	if (ret)
		return no_memory(name, e);
	m->reading = from->kind;
	m->spread = isnan(from->spread) ? 0 : from->spread;
	m->runs = from->runs;
	m->significant = from->significant;
	if (from->better != READING_UNKNOWN)
		m->better = from->better == READING_LOWER ? BETTER_LOWER : BETTER_HIGHER;
	return 0;
}

static int add_column(struct comparison *c, const struct readings *r, unsigned int column,
		      enum input_kind kind, const char *title, const char *name, struct error *e)
{
	struct comparison_input *in = comparison_add_input(c, kind, title, name);
	struct readings_column *from = &r->c[column];
	int ret = in ? 0 : no_memory(name, e);

	if (!in)
		return ret;
	in->taken = from->seconds;
	take_facts(in, r);
	if (!column)
		take_account(in, r);
	for (unsigned int i = 0; !ret && i < from->n; i++)
		ret = add_values(in, &from->v[i], from->v[i].name, name, e);
	in->hists = from->hists;
	memset(&from->hists, 0, sizeof(from->hists));
	return ret;
}

/* Beside other files the columns of a table are different things of one run. */
static int add_flat(struct comparison *c, const struct readings *r, const char *name,
		    struct error *e)
{
	struct comparison_input *in = comparison_add_input(c, INPUT_TIMES, base_name(name), name);
	int ret = in ? 0 : no_memory(name, e);

	if (!in)
		return ret;
	in->taken = NAN;
	take_facts(in, r);
	take_account(in, r);
	for (unsigned int k = 0; k < r->n; k++) {
		for (unsigned int i = 0; !ret && i < r->c[k].n; i++) {
			const struct reading *from = &r->c[k].v[i];
			char label[sizeof(from->name) + sizeof(r->c[k].name) + 2];

			snprintf(label, sizeof(label), "%s%s%s", from->name,
				 from->name[0] ? "/" : "", r->c[k].name);
			ret = add_values(in, from, label, name, e);
		}
	}
	return ret;
}

static int add_declared(struct comparison *c, const struct readings *r, const char *name,
			struct error *e)
{
	struct declared_change *bigger;

	if (!r->ndeclared)
		return 0;
	bigger = realloc(c->declared, (c->ndeclared + r->ndeclared) * sizeof(*bigger));
	if (!bigger)
		return no_memory(name, e);
	c->declared = bigger;
	for (unsigned int i = 0; i < r->ndeclared; i++) {
		const struct readings_declared *from = &r->declared[i];
		struct declared_change *d = &bigger[c->ndeclared++];

		memset(d, 0, sizeof(*d));
		snprintf(d->label, sizeof(d->label), "%s", from->label);
		escape_text(name, strlen(name), d->file, sizeof(d->file));
		d->line = from->line;
		d->before = from->before;
		d->after = from->after;
		d->declared = from->declared;
		d->in_parentheses = from->in_parentheses;
		d->points = from->points;
	}
	return 0;
}

/* Measurements of which one value tells little, as against states and counters. */
static enum input_kind kind_of(const struct readings *r)
{
	for (unsigned int i = 0; i < r->n; i++)
		for (unsigned int k = 0; k < r->c[i].n; k++)
			if (r->c[i].v[k].kind != READING_VALUE)
				return INPUT_READINGS;
	return r->table ? INPUT_COLUMN : INPUT_TIMES;
}

int comparison_add_readings(struct comparison *c, const struct readings *r, const char *name,
			    bool alone, struct error *e)
{
	int ret = 0;

	if (r->single && alone)
		return error_set(e, -EINVAL,
				 "%s: one list of values; name a second one to compare it with",
				 name);
	if (r->table && !alone)
		ret = add_flat(c, r, name, e);
	for (unsigned int i = 0; !ret && !(r->table && !alone) && i < r->n; i++) {
		char title[160];

		if (r->c[i].name[0])
			snprintf(title, sizeof(title), "%s", r->c[i].name);
		else if (r->n > 1)
			snprintf(title, sizeof(title), "%.100s (%u)", base_name(name), i + 1);
		else
			snprintf(title, sizeof(title), "%.150s", base_name(name));
		ret = add_column(c, r, i, kind_of(r), title, name, e);
	}
	return ret ? ret : add_declared(c, r, name, e);
}
