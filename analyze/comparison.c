// SPDX-License-Identifier: GPL-2.0
#include "analyze/comparison.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"

struct comparison_input *comparison_add_input(struct comparison *c, enum input_kind kind,
					      const char *name, const char *file)
{
	struct comparison_input *bigger = realloc(c->inputs, (c->n + 1) * sizeof(*bigger));

	if (!bigger)
		return NULL;
	c->inputs = bigger;
	bigger += c->n++;
	memset(bigger, 0, sizeof(*bigger));
	bigger->kind = kind;
	escape_text(name, strlen(name), bigger->name, sizeof(bigger->name));
	escape_text(file, strlen(file), bigger->file, sizeof(bigger->file));
	return bigger;
}

static struct metric *find_metric(const struct comparison_input *in, const char *name)
{
	for (unsigned int i = 0; i < in->nmetrics; i++)
		if (!strcmp(in->metrics[i].name, name))
			return &in->metrics[i];
	return NULL;
}

struct metric *input_metric(struct comparison_input *in, const char *name)
{
	struct metric *m = find_metric(in, name), *bigger;

	if (m)
		return m;
	bigger = realloc(in->metrics, (in->nmetrics + 1) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	in->metrics = bigger;
	m = &bigger[in->nmetrics++];
	memset(m, 0, sizeof(*m));
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->scale = 1;
	return m;
}

/* Make room for one more value. */
static int grow(struct metric *m)
{
	size_t room = m->room ? m->room * 2 : 4;
	uint64_t *exact;
	double *v;

	if (m->n < m->room)
		return 0;
	v = realloc(m->v, room * sizeof(*v));
	if (!v)
		return -ENOMEM;
	m->v = v;
	exact = realloc(m->exact, room * sizeof(*exact));
	if (!exact)
		return -ENOMEM;
	m->exact = exact;
	m->room = room;
	return 0;
}

/* From a unit of its own to the base unit: "ms" to "s", "MB/s" to "B/s". */
static void to_base_unit(struct metric *m)
{
	static const char *const base[] = {
		[QUANTITY_TIME] = "s", [QUANTITY_AMOUNT] = "B", [QUANTITY_RATE] = "B/s"
	};

	for (size_t i = 0; i < m->n; i++) {
		m->v[i] *= m->scale;
		m->exact[i] = COUNT_UNKNOWN;
	}
	if (m->scale < 1)
		m->decimals += (int)ceil(-log10(m->scale));
	m->scale = 1;
	if (m->kind == QUANTITY_TIME || m->kind == QUANTITY_AMOUNT || m->kind == QUANTITY_RATE)
		snprintf(m->unit, sizeof(m->unit), "%s", base[m->kind]);
}

static bool is_byte_rate(const char *unit)
{
	size_t len = strlen(unit);

	return len >= 3 && !strcmp(unit + len - 3, "B/s");
}

/* Whether values of two units can be brought to one. */
static bool units_fit(enum quantity_kind a, const char *unit_a, enum quantity_kind b,
		      const char *unit_b)
{
	if (a != b)
		return false;
	if (a == QUANTITY_RATE && strcmp(unit_a, unit_b))
		return is_byte_rate(unit_a) && is_byte_rate(unit_b);
	return true;
}

static enum better usually_better(const struct metric *m)
{
	if (m->kind == QUANTITY_TIME || (m->kind == QUANTITY_PLAIN && !m->name[0]))
		return BETTER_LOWER;
	return m->kind == QUANTITY_RATE ? BETTER_HIGHER : BETTER_UNKNOWN;
}

int metric_add(struct metric *m, const struct quantity *q)
{
	double value = q->number;
	int decimals = q->decimals;

	if (!m->n) {
		m->kind = q->kind;
		m->scale = q->scale;
		snprintf(m->unit, sizeof(m->unit), "%s", q->unit);
		m->better = usually_better(m);
	} else if (!units_fit(m->kind, m->unit, q->kind, q->unit)) {
		return -EINVAL;
	} else if (strcmp(m->unit, q->unit)) {
		to_base_unit(m);
		value *= q->scale;
		if (q->scale < 1)
			decimals += (int)ceil(-log10(q->scale));
	}
	if (grow(m))
		return -ENOMEM;
	m->v[m->n] = value;
	m->exact[m->n++] = q->count;
	m->rounded |= q->rounded;
	if (m->decimals < decimals)
		m->decimals = decimals;
	return 0;
}

int input_count(struct comparison_input *in, const char *name, uint64_t n, enum better better)
{
	struct quantity q = { .number = (double)n, .scale = 1, .count = n };
	struct metric *m;

	if (n == COUNT_UNKNOWN)
		return 0;
	m = input_metric(in, name);
	if (!m || metric_add(m, &q))
		return -ENOMEM;
	m->better = better;
	return 0;
}

int input_real(struct comparison_input *in, const char *name, enum quantity_kind kind,
	       const char *unit, double v, enum better better)
{
	struct quantity q = {
		.kind = kind, .number = v, .scale = 1, .count = COUNT_UNKNOWN, .decimals = 3
	};
	struct metric *m;

	if (!isfinite(v))
		return 0;
	snprintf(q.unit, sizeof(q.unit), "%s", unit);
	m = input_metric(in, name);
	if (!m || metric_add(m, &q))
		return -ENOMEM;
	m->better = better;
	return 0;
}

void input_condition(struct comparison_input *in, const char *key, const char *value)
{
	struct condition *at = NULL;

	for (unsigned int i = 0; i < in->nconditions && !at; i++)
		if (!strcmp(in->conditions[i].key, key))
			at = &in->conditions[i];
	if (!at && in->nconditions < CONDITIONS_MAX)
		at = &in->conditions[in->nconditions++];
	if (!at)
		return;
	snprintf(at->key, sizeof(at->key), "%s", key);
	escape_text(value, strlen(value), at->value, sizeof(at->value));
}

const char *input_condition_get(const struct comparison_input *in, const char *key)
{
	for (unsigned int i = 0; i < in->nconditions; i++)
		if (!strcmp(in->conditions[i].key, key))
			return in->conditions[i].value;
	return NULL;
}

const struct metric *comparison_metric(const struct comparison *c, unsigned int i, const char *name)
{
	const struct metric *m = find_metric(&c->inputs[i], name);

	return m && m->n ? m : NULL;
}

void metric_title(const struct metric *m, char *out, size_t size)
{
	const char *name = m->name[0] ? m->name : m->kind == QUANTITY_TIME ? "time" : "value";
	/* "efficiency %" says its unit itself. */
	bool said = m->kind == QUANTITY_PERCENT && name[strlen(name) - 1] == '%';
	bool unit = m->unit[0] && !said;

	snprintf(out, size, "%s%s%s%s%s", name, unit ? " (" : "", unit ? m->unit : "",
		 unit ? ")" : "", m->estimate ? ", estimated" : "");
}

double metric_change(const struct metric *before, const struct metric *after)
{
	if (!before || !after)
		return NAN;
	if (before->kind == QUANTITY_PERCENT)
		return after->s.mean - before->s.mean;
	/* As many intervals as there are count together. */
	if (before->reading == READING_COUNTS)
		return percent_change(before->s.mean * (double)before->n,
				      after->s.mean * (double)after->n);
	return percent_change(before->s.mean, after->s.mean);
}

/* Room for one more in an array of @n; without memory the comparison has failed. NULL: none. */
static void *one_more(struct comparison *c, void *array, unsigned int n, size_t size)
{
	void *bigger = realloc(array, (n + 1) * size);

	if (!bigger)
		c->failed = -ENOMEM;
	return bigger;
}

static char *text_of(struct comparison *c, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) >= 0)
		return text;
	c->failed = -ENOMEM;
	return NULL;
}

__attribute__((format(printf, 3, 4))) static void
warning(struct comparison *c, enum warning_kind kind, const char *fmt, ...)
{
	struct comparison_warning *bigger = one_more(c, c->warnings, c->nwarnings, sizeof(*bigger));
	va_list ap;
	char *text;

	if (!bigger)
		return;
	c->warnings = bigger;
	va_start(ap, fmt);
	text = text_of(c, fmt, ap);
	va_end(ap);
	if (text)
		bigger[c->nwarnings++] = (struct comparison_warning){ kind, text };
}

__attribute__((format(printf, 2, 3))) static void footnote(struct comparison *c, const char *fmt,
							   ...)
{
	char **bigger = one_more(c, c->footnotes, c->nfootnotes, sizeof(*bigger));
	va_list ap;
	char *text;

	if (!bigger)
		return;
	c->footnotes = bigger;
	va_start(ap, fmt);
	text = text_of(c, fmt, ap);
	va_end(ap);
	if (text)
		bigger[c->nfootnotes++] = text;
}

/* Settings of the machine that make two runs unequal; what the tool did is no condition. */
static bool is_condition(const char *key)
{
	static const char *const keys[] = { "release",	     "arch",	     "page_size",
					    "cluster_slots", "page_cluster", "vma_ra",
					    "thp_swap",	     "thp_enabled",  "memory_limit",
					    "cpus",	     "swap_cgroup",  "devices",
					    "command" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], key))
			return true;
	return !strncmp(key, "thp_", 4);
}

/* Each input against the first one that states the same condition. */
static void check_conditions(struct comparison *c)
{
	for (unsigned int i = 1; i < c->n; i++) {
		const struct comparison_input *in = &c->inputs[i];

		for (unsigned int k = 0; k < in->nconditions; k++) {
			const char *key = in->conditions[k].key, *there = NULL;
			unsigned int j;

			for (j = 0; j < i && !there; j++)
				there = input_condition_get(&c->inputs[j], key);
			if (there && is_condition(key) && strcmp(there, in->conditions[k].value))
				warning(c, WARNING_CONDITIONS,
					"unequal conditions: %s is %s in %s, %s in %s", key, there,
					c->inputs[j - 1].name, in->conditions[k].value, in->name);
		}
	}
}

static void check_declared_n(struct comparison *c, uint64_t declared)
{
	for (unsigned int i = 0; i < c->n; i++) {
		const struct comparison_input *in = &c->inputs[i];
		uint64_t n = declared ? declared : in->declared_n;

		if (!n || in->kind != INPUT_TIMES)
			continue;
		for (unsigned int k = 0; k < in->nmetrics; k++) {
			const struct metric *m = &in->metrics[k];

			if (m->n != n)
				warning(c, WARNING_DECLARED_N,
					"%s: declared n=%" PRIu64 ", but %s%sit holds %zu values",
					in->name, n, m->name, m->name[0] ? ": " : "", m->n);
		}
	}
}

static double half_unit(const struct quantity *q)
{
	return 0.5 * pow(10, -q->decimals);
}

/* Whether @declared, as far as its digits tell, is a change that @low..@high contains. */
static bool within(double declared, double half, double low, double high)
{
	double slack = 1e-9 * (1 + fabs(declared));

	return declared + half + slack >= fmin(low, high) &&
	       declared - half - slack <= fmax(low, high);
}

/*
 * The numbers were rounded when they were written, so a range of changes follows from them. In
 * parentheses mmtests' sign is as good: there a positive change is a gain, whatever its direction,
 * and a percentage without a sign may be either.
 */
static bool change_follows(const struct declared_change *d)
{
	double a = d->before.number * d->before.scale, b = d->after.number * d->after.scale;
	double da = half_unit(&d->before) * d->before.scale;
	double db = half_unit(&d->after) * d->after.scale;
	double half = half_unit(&d->declared);
	double low = percent_change(a + da, b - db), high = percent_change(a - da, b + db);

	if (d->points) {
		low = b - db - a - da;
		high = b + db - a + da;
	} else if (a == 0 || isnan(low) || isnan(high)) {
		return true; /* nothing can be said */
	}
	if (within(d->declared.number, half, low, high))
		return true;
	return (d->in_parentheses || !d->declared.sign) &&
	       within(-d->declared.number, half, low, high);
}

static void check_declared_changes(struct comparison *c)
{
	for (unsigned int i = 0; i < c->ndeclared; i++) {
		struct declared_change *d = &c->declared[i];

		d->change = d->points ? d->after.number - d->before.number
				      : percent_change(d->before.number * d->before.scale,
						       d->after.number * d->after.scale);
		d->wrong = !change_follows(d);
		if (d->wrong)
			warning(c, WARNING_DECLARED_CHANGE,
				"%s: line %" PRIu64
				": %s: declared %+.*f %%, but the numbers give %s",
				d->file, d->line, d->label[0] ? d->label : "row",
				d->declared.decimals > 0 ? d->declared.decimals : 0,
				d->declared.number, format_change(d->change).s);
	}
}

static void check_completeness(struct comparison *c)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (c->inputs[i].incomplete)
			warning(c, WARNING_INCOMPLETE, "%s: %s", c->inputs[i].name,
				c->inputs[i].incomplete_why);
}

/* 6 * 1000 + 19 of "6.19.0-rc1"; 0 when the release is not known. */
static unsigned int release_of(const struct comparison_input *in)
{
	const char *s = input_condition_get(in, "release");
	unsigned int major, minor;

	if (!s || sscanf(s, "%4u.%4u", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

static bool has_metric_ending(const struct comparison_input *in, const char *end)
{
	for (unsigned int i = 0; i < in->nmetrics; i++) {
		const char *name = in->metrics[i].name;
		size_t len = strlen(name), n = strlen(end);

		if (len > n && !strcmp(name + len - n, end))
			return true;
	}
	return false;
}

static bool has_sync_device(const struct comparison_input *in)
{
	const char *devices = input_condition_get(in, "devices");

	return devices && strstr(devices, "sync_io");
}

/* What changed its meaning, and in which release. */
static const struct meaning {
	unsigned int since; /* major * 1000 + minor */
	const char *metric; /* end of the names it concerns; NULL: synchronous devices */
	const char *text;
} meanings[] = {
	{ 6019, "/swpout_fallback", "also counts shmem in swpout_fallback" },
	{ 6019, NULL,
	  "takes swap-ins from synchronous devices through the swap cache, which earlier releases "
	  "bypass" },
};

static void note_meaning(struct comparison *c, const struct meaning *m)
{
	char names[512] = "";
	bool before = false;

	for (unsigned int i = 0; i < c->n; i++) {
		const struct comparison_input *in = &c->inputs[i];
		unsigned int release = release_of(in);
		size_t used = strlen(names);

		if (!release ||
		    !(m->metric ? has_metric_ending(in, m->metric) : has_sync_device(in)))
			continue;
		before |= release < m->since;
		if (release >= m->since)
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 in->name);
	}
	if (before && names[0])
		footnote(c, "%s %s (since %u.%u)", names, m->text, m->since / 1000,
			 m->since % 1000);
}

/* Fallback without what only the later release counts, where the recorder tells it apart. */
static void note_without_shmem(struct comparison *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++) {
			const struct metric *shmem = &c->inputs[i].metrics[k];
			char *end = strstr(shmem->name, "/swpout_fallback_shmem");
			const struct metric *ok, *failed;
			char name[160];
			double rest;

			if (!end)
				continue;
			snprintf(name, sizeof(name), "%.*s/swpout", (int)(end - shmem->name),
				 shmem->name);
			ok = comparison_metric(c, i, name);
			snprintf(name, sizeof(name), "%.*s/swpout_fallback",
				 (int)(end - shmem->name), shmem->name);
			failed = comparison_metric(c, i, name);
			if (!ok || !failed || failed->s.mean < shmem->s.mean)
				continue;
			rest = failed->s.mean - shmem->s.mean;
			footnote(c, "%s: %.*s fallback without shmem: %s", c->inputs[i].name,
				 (int)(end - shmem->name), shmem->name,
				 format_percent(100 * rest / (rest + ok->s.mean)).s);
		}
	}
}

/* The source knew the runs behind its numbers: its own verdict is told as its own. */
static void note_marked(struct comparison *c, const struct comparison_input *in)
{
	char names[512] = "";

	for (unsigned int k = 0; k < in->nmetrics; k++) {
		size_t used = strlen(names);

		if (in->metrics[k].significant)
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 in->metrics[k].name);
	}
	if (names[0])
		footnote(c, "%s: its source marks these changes as significant: %s", in->name,
			 names);
}

static void make_footnotes(struct comparison *c)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		note_meaning(c, &meanings[i]);
	note_without_shmem(c);
	for (unsigned int i = 0; i < c->n; i++) {
		const struct comparison_input *in = &c->inputs[i];

		if (in->old_counter_names)
			footnote(c,
				 "%s names its counters anon_swpout (before 6.10): the same as "
				 "swpout",
				 in->name);
		if (in->what_if)
			footnote(c,
				 "%s is a what-if: it answers the recorded needs under another "
				 "policy",
				 in->name);
		note_marked(c, in);
		for (unsigned int k = 0; k < in->nnotes; k++)
			footnote(c, "%s: %s", in->name, in->notes[k]);
		if (in->config_fallback)
			footnote(c,
				 "%s: large swap-out not possible in this config; its fallback "
				 "comes "
				 "from the config, not from fragmentation",
				 in->name);
	}
}

static bool is_window(const char *name)
{
	return !strncmp(name, "windows of ", 11);
}

/* Windows by size, in the places where windows are; all else stays where it appeared. */
static void sort_windows(struct comparison *c)
{
	for (unsigned int i = 0; i < c->nnames; i++) {
		for (unsigned int j = i + 1; is_window(c->names[i]->name) && j < c->nnames; j++) {
			const struct metric *a = c->names[i], *b = c->names[j];

			if (is_window(b->name) &&
			    strtoull(b->name + 11, NULL, 10) < strtoull(a->name + 11, NULL, 10)) {
				c->names[i] = b;
				c->names[j] = a;
			}
		}
	}
}

static int collect_names(struct comparison *c)
{
	size_t most = 1;

	for (unsigned int i = 0; i < c->n; i++)
		most += c->inputs[i].nmetrics;
	c->names = calloc(most, sizeof(*c->names));
	if (!c->names)
		return -ENOMEM;
	for (unsigned int i = 0; i < c->n; i++) {
		for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++) {
			const struct metric *m = &c->inputs[i].metrics[k];
			unsigned int j = 0;

			while (j < c->nnames && strcmp(c->names[j]->name, m->name))
				j++;
			if (j == c->nnames)
				c->names[c->nnames++] = m;
		}
	}
	sort_windows(c);
	return 0;
}

/* The empty windows of a known histogram are zeros. */
static int fill_windows(struct comparison *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++) {
			char name[160];

			snprintf(name, sizeof(name), "%s", c->inputs[i].metrics[k].name);
			for (unsigned int j = 0; j < c->n && is_window(name); j++)
				if (c->inputs[j].windows_known &&
				    !find_metric(&c->inputs[j], name) &&
				    input_count(&c->inputs[j], name, 0, BETTER_UNKNOWN))
					return -ENOMEM;
		}
	}
	return 0;
}

static const char *const reading_names[] = {
	[READING_VALUE] = "a measurement",	    [READING_GAUGE] = "a state",
	[READING_COUNTER] = "a counter since boot", [READING_RATE] = "a rate of intervals",
	[READING_COUNTS] = "a count of intervals",
};

/* All inputs have to give a metric in the same unit. */
static int align_units(struct comparison *c, struct error *e)
{
	for (unsigned int i = 1; i < c->n; i++) {
		for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++) {
			struct metric *m = &c->inputs[i].metrics[k], *other = NULL;
			unsigned int j;

			for (j = 0; j < i && !other; j++)
				other = find_metric(&c->inputs[j], m->name);
			if (other && m->reading != other->reading)
				return error_set(e, -EINVAL,
						 "%s: %s is %s in %s and %s in %s; they can't be "
						 "compared",
						 c->inputs[i].file, m->name,
						 reading_names[other->reading],
						 c->inputs[j - 1].name, reading_names[m->reading],
						 c->inputs[i].name);
			if (!other || (m->kind == other->kind && !strcmp(m->unit, other->unit)))
				continue;
			if (!units_fit(m->kind, m->unit, other->kind, other->unit))
				return error_set(e, -EINVAL,
						 "%s: %s is in '%s' in %s and in '%s' in %s; give "
						 "both the same "
						 "unit",
						 c->inputs[i].file,
						 m->name[0] ? m->name : "the list", other->unit,
						 c->inputs[j - 1].name, m->unit, c->inputs[i].name);
			/* Inputs before the other one agree with it, and go along. */
			for (unsigned int x = 0; x < c->n; x++) {
				struct metric *same = find_metric(&c->inputs[x], m->name);

				if (same && units_fit(same->kind, same->unit, m->kind, m->unit))
					to_base_unit(same);
			}
		}
	}
	return 0;
}

/* Share of swap-outs of one size that fell back in each run; index @k is its swpout. */
static int add_fallback_runs(struct comparison_input *in, unsigned int k, int size)
{
	char name[200];
	const struct metric *failed;
	size_t f;

	snprintf(name, sizeof(name), "%s_fallback", in->metrics[k].name);
	failed = find_metric(in, name);
	if (!failed || failed->n != in->metrics[k].n)
		return 0;
	/* Adding a metric moves the others: only the index stays. */
	f = (size_t)(failed - in->metrics);
	snprintf(name, sizeof(name), "%.*s fallback", size, in->metrics[k].name);
	for (size_t i = 0; i < in->metrics[k].n; i++) {
		double good = in->metrics[k].v[i], bad = in->metrics[f].v[i];

		if (input_real(in, name, QUANTITY_PERCENT, "%", 100 * bad / (good + bad),
			       BETTER_LOWER))
			return -ENOMEM;
	}
	return 0;
}

/* Where a kernel's runs were kept apart, their spread tells more than the total. */
static int derive_fallback_runs(struct comparison_input *in)
{
	unsigned int given = in->nmetrics;
	int ret = 0;

	for (unsigned int k = 0; !ret && k < given; k++) {
		const char *name = in->metrics[k].name, *end = strstr(name, "kB/swpout");

		if (end && !end[9] && in->metrics[k].n > 1)
			ret = add_fallback_runs(in, k, (int)(end - name) + 2);
	}
	return ret;
}

static int summarise(struct comparison *c, enum better better)
{
	for (unsigned int i = 0; i < c->n; i++) {
		for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++) {
			struct metric *m = &c->inputs[i].metrics[k];

			if (better != BETTER_UNKNOWN)
				m->better = better;
			if (sample_summarise(m->v, m->n, &m->s))
				return -ENOMEM;
		}
	}
	return 0;
}

static int apply_names(struct comparison *c, const char *names, struct error *e)
{
	for (unsigned int i = 0; i < c->n; i++) {
		size_t len = names ? strcspn(names, ",") : 0;

		if (!names || !len)
			return error_set(e, -EINVAL,
					 "--names: expected %u names separated by commas", c->n);
		escape_text(names, len, c->inputs[i].name, sizeof(c->inputs[i].name));
		names = names[len] ? names + len + 1 : NULL;
	}
	return names ? error_set(e, -EINVAL, "--names: more than %u names", c->n) : 0;
}

static bool name_taken(const struct comparison *c, unsigned int i)
{
	for (unsigned int k = 0; k < c->n; k++)
		if (k != i && !strcmp(c->inputs[k].name, c->inputs[i].name))
			return true;
	return false;
}

static bool name_before(const struct comparison *c, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (!strcmp(c->inputs[k].name, c->inputs[i].name))
			return true;
	return false;
}

/* Files of one name in different folders go by their paths, then by numbers. */
static void make_names_differ(struct comparison *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		struct comparison_input *in = &c->inputs[i];

		if (name_taken(c, i) && in->file[0] && in->kind != INPUT_COLUMN)
			snprintf(in->name, sizeof(in->name), "%.120s", in->file);
	}
	/* From the last to the first, so that each still meets the names it clashes with. */
	for (unsigned int i = c->n; i-- > 0;) {
		struct comparison_input *in = &c->inputs[i];
		char old[100];

		if (!name_before(c, i))
			continue;
		snprintf(old, sizeof(old), "%.99s", in->name);
		snprintf(in->name, sizeof(in->name), "%s (%u)", old, i + 1);
	}
}

int comparison_finish(struct comparison *c, const struct comparison_options *o, struct error *e)
{
	int ret = 0;

	if (!c->n)
		return error_set(e, -EINVAL, "there is no input");
	if (o->names)
		ret = apply_names(c, o->names, e);
	make_names_differ(c);
	if (!ret)
		ret = align_units(c, e);
	if (ret)
		return ret;
	ret = fill_windows(c);
	for (unsigned int i = 0; !ret && i < c->n; i++)
		ret = derive_fallback_runs(&c->inputs[i]);
	if (!ret)
		ret = summarise(c, o->better);
	if (!ret)
		ret = collect_names(c);
	if (ret)
		return error_set(e, ret, "out of memory");
	check_conditions(c);
	check_declared_n(c, o->declared_n);
	check_declared_changes(c);
	check_completeness(c);
	make_footnotes(c);
	return c->failed ? error_set(e, c->failed, "out of memory") : 0;
}

void comparison_free(struct comparison *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		for (unsigned int k = 0; k < c->inputs[i].nmetrics; k++) {
			free(c->inputs[i].metrics[k].v);
			free(c->inputs[i].metrics[k].exact);
		}
		free(c->inputs[i].metrics);
		hist_text_free(&c->inputs[i].hists);
	}
	for (unsigned int i = 0; i < c->nwarnings; i++)
		free(c->warnings[i].text);
	for (unsigned int i = 0; i < c->nfootnotes; i++)
		free(c->footnotes[i]);
	free(c->inputs);
	free(c->declared);
	free(c->warnings);
	free(c->footnotes);
	free(c->names);
	memset(c, 0, sizeof(*c));
}
