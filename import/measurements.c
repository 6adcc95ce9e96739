// SPDX-License-Identifier: GPL-2.0
#include "import/measurements.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

#define WORDS_MAX 100000 /* of one line */

struct reading {
	struct measurements *m;
	const char *name;
	uint64_t line;
	char pending[160]; /* words that wait for a value on a later line */
	bool pending_colon;
	uint64_t pending_line; /* 0: none */
	bool time_v;	       /* inside the output of GNU time -v */
	struct word *words;    /* of the current line */
	size_t nwords, room;
	struct error *e;
};

static int bad_line(const struct reading *r, uint64_t line, const char *s, size_t len,
		    const char *what)
{
	char clean[121];

	escape_text(s, len < 60 ? len : 60, clean, sizeof(clean));
	return error_set(r->e, -EBADMSG, "%s: line %" PRIu64 ": '%s' %s", r->name, line, clean,
			 what);
}

static int no_memory(const struct reading *r)
{
	return error_set(r->e, -ENOMEM, "%s: out of memory", r->name);
}

/* "nan" and the like, which may stand in a list. */
static bool undefined(const struct word *w)
{
	size_t len = w->len;

	if (len > 1 && strchr(",;", w->s[len - 1]))
		len--;
	return quantity_undefined(w->s, len);
}

/* What the answer of quantity_parse() means for a word that has to be a number. */
static int bad_number(const struct reading *r, const struct word *w, enum quantity_answer a)
{
	switch (a) {
	case QUANTITY_AMBIGUOUS:
		return bad_line(r, r->line, w->s, w->len,
				"may have a decimal mark or a thousands separator; write it with a "
				"decimal point and no separators");
	case QUANTITY_RANGE:
		return bad_line(r, r->line, w->s, w->len, "is too large");
	default:
		if (undefined(w))
			return bad_line(r, r->line, w->s, w->len,
					"stands where there is no number; leave the value out");
		return bad_line(
			r, r->line, w->s, w->len,
			"is no time or count (14.2, 14.2s, 850ms, 0m11.84s, 1:02.50, 1200M)");
	}
}

static bool is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->s, text, w->len);
}

static bool ends_with(const struct word *w, const char *text)
{
	size_t len = strlen(text);

	return w->len > len && !memcmp(w->s + w->len - len, text, len);
}

void counter_label(char *label, bool *old)
{
	char *size = strstr(label, "hugepages-"), *at;
	const char *counter;
	size_t digits;
	char text[160];

	size = size ? size + strlen("hugepages-") : label;
	digits = strspn(size, "0123456789");
	if (!digits || strncmp(size + digits, "kB/", 3))
		return;
	at = size + digits + 3;
	counter = strncmp(at, "stats/", 6) ? at : at + 6;
	if (!strncmp(counter, "anon_swpout", 11)) {
		counter += 5;
		*old = true;
	}
	snprintf(text, sizeof(text), "%.*skB/%.100s", (int)digits, size, counter);
	memcpy(label, text, strlen(text) + 1);
}

/* Append a word to a label, with one blank between words; what does not fit is left out. */
static void add_to_label(char *label, size_t size, const struct word *w)
{
	size_t used = strlen(label);

	if (used && used + 1 < size) {
		label[used++] = ' ';
		label[used] = '\0';
	}
	escape_text(w->s, w->len, label + used, size - used);
}

/* Cut ':' or '=' off the end of a label. */
static bool trim_label(char *label)
{
	size_t len = strlen(label);
	bool colon = false;

	while (len && strchr(":= ", label[len - 1])) {
		colon |= label[len - 1] != ' ';
		label[--len] = '\0';
	}
	return colon;
}

static struct measurement_row *add_row(struct reading *r, const char *label)
{
	struct measurements *m = r->m;
	struct measurement_row *row;

	if (m->n == m->room) {
		unsigned int room = m->room ? m->room * 2 : 16;
		struct measurement_row *bigger = realloc(m->rows, room * sizeof(*bigger));

		if (!bigger)
			return NULL;
		m->rows = bigger;
		m->room = room;
	}
	row = &m->rows[m->n++];
	memset(row, 0, sizeof(*row));
	snprintf(row->label, sizeof(row->label), "%s", label);
	row->colon = trim_label(row->label);
	counter_label(row->label, &m->old_counter_names);
	row->line = r->line;
	return row;
}

static int add_value(struct reading *r, struct measurement_row *row, const struct quantity *q)
{
	if (row->n == row->room) {
		unsigned int room = row->room ? row->room * 2 : 4;
		struct measured_value *bigger = realloc(row->v, room * sizeof(*bigger));

		if (!bigger)
			return no_memory(r);
		row->v = bigger;
		row->room = room;
	}
	memset(&row->v[row->n], 0, sizeof(row->v[0]));
	row->v[row->n++].q = *q;
	return 0;
}

static int add_single(struct reading *r, const char *label, const struct quantity *q)
{
	struct measurement_row *row = add_row(r, label);

	return row ? add_value(r, row, q) : no_memory(r);
}

/* A fact such as "n=10"; false when @w is none. */
static bool parse_fact(const struct word *w, struct measured_fact *f)
{
	const char *equals = memchr(w->s, '=', w->len);
	size_t key = equals ? (size_t)(equals - w->s) : 0;

	if (!key || key >= sizeof(f->key) || key + 1 == w->len)
		return false;
	for (size_t i = 0; i < key; i++)
		if (!isalnum((unsigned char)w->s[i]) && !strchr("_.-", w->s[i]))
			return false;
	memcpy(f->key, w->s, key);
	f->key[key] = '\0';
	escape_text(equals + 1, w->len - key - 1, f->value, sizeof(f->value));
	return true;
}

/* A comment whose words are all key=value states facts; any other one says nothing. */
static void read_comment(struct reading *r, size_t first)
{
	struct measurements *m = r->m;
	unsigned int before = m->nfacts;

	for (size_t i = first; i < r->nwords; i++) {
		if (m->nfacts == MEASURED_FACTS_MAX)
			return;
		if (!parse_fact(&r->words[i], &m->facts[m->nfacts])) {
			m->nfacts = before;
			return;
		}
		m->nfacts++;
	}
}

static int split_words(struct reading *r, const char *s, size_t len)
{
	size_t i = 0;

	r->nwords = 0;
	for (;;) {
		size_t start;

		while (i < len && strchr(" \t\r\v\f|", s[i]))
			i++;
		if (i == len)
			return 0;
		start = i;
		while (i < len && !strchr(" \t\r\v\f|", s[i]))
			i++;
		if (r->nwords == r->room) {
			size_t room = r->room ? r->room * 2 : 64;
			struct word *bigger = realloc(r->words, room * sizeof(*bigger));

			if (!bigger)
				return no_memory(r);
			r->words = bigger;
			r->room = room;
		}
		if (r->nwords == WORDS_MAX)
			return bad_line(r, r->line, s, len,
					"has too many words; use a line a value");
		r->words[r->nwords++] = (struct word){ s + start, i - start };
		if (s[start] == '#' && r->nwords > 1) {
			r->nwords--;
			return 0;
		}
	}
}

/* "114.44user 29.11system 39:42.90elapsed 6%CPU (...)k": GNU time without options. */
static int read_gnu_time(struct reading *r)
{
	static const char *const names[] = { "user", "system", "elapsed" };

	for (size_t i = 0; i < r->nwords; i++) {
		for (int k = 0; k < 3; k++) {
			const struct word *w = &r->words[i];
			struct word number = { w->s, w->len - strlen(names[k]) };
			enum quantity_answer a;
			struct quantity q;
			int ret;

			if (!ends_with(w, names[k]))
				continue;
			a = quantity_parse(number.s, number.len, &q);
			if (a != QUANTITY_OK)
				return bad_number(r, &number, a);
			if (q.kind == QUANTITY_PLAIN)
				quantity_attach_unit(&q, "s", 1);
			ret = add_single(r, names[k], &q);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Whether a word is a number with "elapsed" behind it. */
static bool is_gnu_time(const struct reading *r)
{
	struct quantity q;

	for (size_t i = 0; i < r->nwords; i++)
		if (ends_with(&r->words[i], "elapsed") &&
		    quantity_parse(r->words[i].s, r->words[i].len - 7, &q) == QUANTITY_OK)
			return true;
	return false;
}

/* "... copied, 0.5 s, 200 MB/s": time and rate stand behind the word. */
static int read_dd(struct reading *r, size_t copied)
{
	static const char *const names[] = { "dd time", "dd rate" };
	size_t i = copied + 1;

	for (int k = 0; k < 2; k++, i += 2) {
		struct word number, unit;
		enum quantity_answer a;
		struct quantity q;
		int ret;

		if (i + 1 >= r->nwords)
			return 0;
		number = r->words[i];
		unit = r->words[i + 1];
		unit.len -= unit.s[unit.len - 1] == ',';
		a = quantity_parse(number.s, number.len, &q);
		if (a != QUANTITY_OK)
			return bad_number(r, &number, a);
		if (!quantity_attach_unit(&q, unit.s, unit.len))
			return bad_line(r, r->line, unit.s, unit.len, "is no unit of dd");
		ret = add_single(r, names[k], &q);
		if (ret)
			return ret;
	}
	return 0;
}

/* The line of totals of memtier_benchmark: its first number is operations per second. */
static int read_memtier(struct reading *r)
{
	enum quantity_answer a;
	struct quantity q;

	a = quantity_parse(r->words[1].s, r->words[1].len, &q);
	if (a != QUANTITY_OK)
		return bad_number(r, &r->words[1], a);
	if (q.kind == QUANTITY_PLAIN)
		quantity_attach_unit(&q, "ops/s", 5);
	return add_single(r, "Totals", &q);
}

static size_t find_word(const struct reading *r, const char *text)
{
	for (size_t i = 0; i < r->nwords; i++)
		if (is(&r->words[i], text))
			return i;
	return r->nwords;
}

static bool is_rule(const struct reading *r)
{
	for (size_t i = 0; i < r->nwords; i++)
		for (size_t k = 0; k < r->words[i].len; k++)
			if (!strchr("-=+:", r->words[i].s[k]))
				return false;
	return true;
}

static bool starts_with(const char *s, size_t len, const char *text)
{
	return len >= strlen(text) && !memcmp(s, text, strlen(text));
}

/* Lines of GNU time -v that are worth comparing; the rest of its 23 would only bury them. */
static bool wanted_of_time_v(const char *s, size_t len)
{
	static const char *const wanted[] = { "User time", "System time", "Maximum resident",
					      "Major (requiring I/O)", "Swaps" };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (starts_with(s, len, wanted[i]))
			return true;
	return false;
}

static bool is_noise(struct reading *r, const char *s, size_t len)
{
	if (starts_with(s, len, "Command being timed:")) {
		r->time_v = true;
		return true;
	}
	if (r->time_v && memchr(s, ':', len)) {
		r->time_v = !starts_with(s, len, "Exit status:");
		return !wanted_of_time_v(s, len);
	}
	if (r->nwords == 3 && is(&r->words[1], "records"))
		return true; /* dd */
	/* "0inputs+8outputs (0major+72minor)pagefaults 0swaps" of GNU time */
	return is_rule(r) || (r->nwords == 3 && ends_with(&r->words[1], ")pagefaults"));
}

/*
 * A percentage in parentheses at word @i, or split as "(" "0.68%)". @next: the word behind it.
 * @none: it is NaN, as tools write the change of nothing: no change is declared.
 */
static bool parse_declared(const struct reading *r, size_t i, struct quantity *q, bool *none,
			   size_t *next)
{
	struct word w = r->words[i];

	if (w.s[0] != '(')
		return false;
	if (w.len == 1) {
		if (++i == r->nwords)
			return false;
		w = r->words[i];
	} else {
		w.s++;
		w.len--;
	}
	*next = i + 1;
	if (!ends_with(&w, "%)"))
		return false;
	*none = quantity_undefined(w.s, w.len - 1);
	return *none || quantity_parse(w.s, w.len - 1, q) == QUANTITY_OK;
}

/*
 * Word @i as a value, with a unit that may be the word behind it. Lists may have commas or
 * semicolons between values.
 */
static enum quantity_answer parse_value(const struct reading *r, size_t i, struct quantity *q,
					size_t *next)
{
	struct word w = r->words[i];
	enum quantity_answer a;

	*next = i + 1;
	if (w.len > 1 && strchr(",;", w.s[w.len - 1]))
		w.len--;
	a = quantity_parse(w.s, w.len, q);
	if (a == QUANTITY_OK && i + 1 < r->nwords &&
	    quantity_attach_unit(q, r->words[i + 1].s, r->words[i + 1].len))
		*next = i + 2;
	return a;
}

/* "time=14.2s", ".../swpout:9120": cut the value off the last word. */
static bool split_last_word(struct reading *r, size_t i)
{
	struct word w = r->words[i];
	struct quantity q;

	if (i + 1 != r->nwords)
		return false;
	for (size_t k = 1; k + 1 < w.len; k++) {
		if (w.s[k] != ':' && w.s[k] != '=')
			continue;
		if (quantity_parse(w.s, k, &q) != QUANTITY_NONE ||
		    quantity_parse(w.s + k + 1, w.len - k - 1, &q) == QUANTITY_NONE)
			return false;
		if (r->nwords == r->room)
			return false;
		r->words[i].len = k + 1;
		r->words[r->nwords++] = (struct word){ w.s + k + 1, w.len - k - 1 };
		return true;
	}
	return false;
}

/*
 * The words up to the first number are the label. An amount before plain numbers is one as well:
 * "64kB 9120 6850" is a row of a table by size. Returns the index of the first value.
 */
static size_t read_label(struct reading *r, char *label, size_t size)
{
	struct quantity q, behind;
	size_t i = 0, next;

	label[0] = '\0';
	if (r->nwords > 1 && parse_value(r, 0, &q, &next) == QUANTITY_OK &&
	    q.kind == QUANTITY_AMOUNT && next < r->nwords &&
	    parse_value(r, next, &behind, &next) == QUANTITY_OK && behind.kind == QUANTITY_PLAIN) {
		add_to_label(label, size, &r->words[0]);
		i = 1;
	}
	/* What stands for a number that there is not is no name either. */
	while (i < r->nwords && parse_value(r, i, &q, &next) == QUANTITY_NONE &&
	       !undefined(&r->words[i])) {
		split_last_word(r, i);
		add_to_label(label, size, &r->words[i]);
		i++;
	}
	return i;
}

/* perf stat: "0.500861 seconds time elapsed": what stands behind the unit is the label. */
static bool label_behind(struct reading *r, struct measurement_row *row, size_t i)
{
	if (row->label[0] || row->n != 1 || row->v[0].q.kind != QUANTITY_TIME)
		return false;
	for (; i < r->nwords; i++)
		add_to_label(row->label, sizeof(row->label), &r->words[i]);
	return true;
}

/* A percentage that ends a row of other numbers declares the change over the row. */
static void take_declared_change(struct measurement_row *row)
{
	struct measured_value *last;

	if (row->n < 3 || row->v[row->n - 1].q.kind != QUANTITY_PERCENT)
		return;
	for (unsigned int i = 0; i + 1 < row->n; i++)
		if (row->v[i].q.kind == QUANTITY_PERCENT)
			return;
	last = &row->v[row->n - 2];
	if (last->have_declared)
		return;
	last->have_declared = true;
	last->declared_in_row = true;
	last->declared = row->v[row->n - 1].q;
	row->n--;
}

static int read_values(struct reading *r, struct measurement_row *row, size_t i)
{
	while (i < r->nwords) {
		enum quantity_answer a;
		struct quantity q;
		bool none;
		size_t next;
		int ret;

		if (row->n && parse_declared(r, i, &q, &none, &next)) {
			row->v[row->n - 1].have_declared = !none;
			if (!none)
				row->v[row->n - 1].declared = q;
			i = next;
			continue;
		}
		/* At the end of a row a percentage is its change, and NaN is none. */
		if (row->n > 1 && i + 1 == r->nwords && ends_with(&r->words[i], "%") &&
		    undefined(&r->words[i]))
			return 0;
		a = parse_value(r, i, &q, &next);
		if (a == QUANTITY_NONE && label_behind(r, row, i))
			return 0;
		if (a != QUANTITY_OK)
			return bad_number(r, &r->words[i], a);
		ret = add_value(r, row, &q);
		if (ret)
			return ret;
		i = next;
	}
	take_declared_change(row);
	return 0;
}

static int unfinished(const struct reading *r)
{
	return bad_line(r, r->pending_line, r->pending, strlen(r->pending),
			"has no value, and none follows");
}

/* A line without numbers: a title before the table, or a key whose value comes on the next line. */
static int keep_words(struct reading *r, const char *label)
{
	struct measurements *m = r->m;

	if (r->pending_line && m->n)
		return unfinished(r);
	snprintf(r->pending, sizeof(r->pending), "%s", label);
	r->pending_line = r->line;
	if (!m->n) {
		m->ncolumns = 0;
		for (size_t i = 0; i < r->nwords && i < MEASURED_COLUMNS_MAX; i++)
			escape_text(r->words[i].s, r->words[i].len, m->columns[m->ncolumns++],
				    sizeof(m->columns[0]));
	}
	return 0;
}

static int read_row(struct reading *r)
{
	struct measurement_row *row;
	char label[160];
	size_t first = read_label(r, label, sizeof(label));

	if (first == r->nwords)
		return keep_words(r, label);
	if (r->pending_line && !label[0]) {
		snprintf(label, sizeof(label), "%s", r->pending);
		r->m->ncolumns = 0;
	} else if (r->pending_line && r->m->n) {
		return unfinished(r);
	}
	r->pending_line = 0;
	row = add_row(r, label);
	return row ? read_values(r, row, first) : no_memory(r);
}

/* GNU time -v names its clock in words that hold numbers. */
static bool read_wall_clock(struct reading *r, int *ret)
{
	const struct word *w = &r->words[r->nwords - 1];
	enum quantity_answer a;
	struct quantity q;

	if (!is(&r->words[0], "Elapsed") || find_word(r, "(wall") == r->nwords)
		return false;
	a = quantity_parse(w->s, w->len, &q);
	*ret = a == QUANTITY_OK ? add_single(r, "elapsed", &q) : bad_number(r, w, a);
	return true;
}

static int read_line(struct reading *r, const char *s, size_t len)
{
	size_t copied;
	int ret;

	if (memchr(s, '\0', len))
		return error_set(r->e, -EBADMSG,
				 "%s: line %" PRIu64
				 ": binary data; compare takes traces, results, "
				 "and text with numbers",
				 r->name, r->line);
	while (len && strchr(" \t\r", *s)) {
		s++;
		len--;
	}
	ret = split_words(r, s, len);
	if (ret || !r->nwords)
		return ret;
	if (*s == '#') {
		r->words[0].s++;
		read_comment(r, !--r->words[0].len);
		return 0;
	}
	if (read_wall_clock(r, &ret))
		return ret;
	if (is_noise(r, s, len))
		return 0;
	if (is_gnu_time(r))
		return read_gnu_time(r);
	copied = find_word(r, "copied,");
	if (copied < r->nwords)
		return read_dd(r, copied);
	if (r->nwords > 3 && is(&r->words[0], "Totals"))
		return read_memtier(r);
	return read_row(r);
}

static int read_lines(struct reading *r, const char *text, size_t len)
{
	int ret = 0;

	while (!ret && len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		r->line++;
		ret = read_line(r, text, n);
		n += end != NULL;
		text += n;
		len -= n;
	}
	if (!ret && r->pending_line)
		ret = unfinished(r);
	if (!ret && !r->m->n)
		ret = error_set(r->e, -EBADMSG, "%s: holds no numbers to compare", r->name);
	return ret;
}

int measurements_read(FILE *in, const char *name, struct measurements *m, struct error *e)
{
	struct reading r = { .m = m, .name = name, .e = e };
	size_t len;
	char *text;
	int ret;

	memset(m, 0, sizeof(*m));
	ret = text_load(in, name, &text, &len, e);
	if (!ret)
		ret = read_lines(&r, text, len);
	free(r.words);
	free(text);
	if (ret)
		measurements_free(m);
	return ret;
}

void measurements_free(struct measurements *m)
{
	for (unsigned int i = 0; i < m->n; i++)
		free(m->rows[i].v);
	free(m->rows);
	memset(m, 0, sizeof(*m));
}
