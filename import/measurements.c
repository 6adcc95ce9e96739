// SPDX-License-Identifier: GPL-2.0
#include "import/measurements.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/count.h"
#include "common/text.h"

#define WORDS_MAX 100000 /* of one line */

struct parsing {
	struct measurements *m;
	const char *name;
	uint64_t line;
	enum decimal_mark mark;
	/* Lines of words that wait: for a value on a later line, or for the row they are the title
	 * of */
	struct measured_block pending;
	bool titled;	/* a rule has ended a title */
	bool labelled;	/* the text has a row with a label: a line that is no row is only talk */
	const char *at; /* the current line */
	bool time_v;	/* inside the output of GNU time -v */
	struct word *words; /* of the current line */
	size_t nwords, room;
	struct error *e;
};

static int bad_line(const struct parsing *r, uint64_t line, const char *s, size_t len,
		    const char *what)
{
	char clean[121];

	escape_text(s, len < 60 ? len : 60, clean, sizeof(clean));
	return error_set(r->e, -EBADMSG, "%s: line %" PRIu64 ": '%s' %s", r->name, line, clean,
			 what);
}

static int no_memory(const struct parsing *r)
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

/* What the answer of quantity_parse_marked() means for a word that has to be a number. */
static int bad_number(const struct parsing *r, const struct word *w, enum quantity_answer a)
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
			"is not a time or count (14.2, 14.2s, 850ms, 0m11.84s, 1:02.50, 1200M)");
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

static struct measurement_row *add_row(struct parsing *r, const char *label)
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
	row->block = m->nblocks - 1;
	r->labelled |= row->label[0] != '\0';
	return row;
}

static int add_value(struct parsing *r, struct measurement_row *row, const struct quantity *q)
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

static int begin_block(struct parsing *r);

/* A line of a tool that is known: what stands before it is no title of it. */
static int add_single(struct parsing *r, const char *label, const struct quantity *q)
{
	struct measurement_row *row;

	if (!r->m->nblocks && begin_block(r))
		return -ENOMEM;
	row = add_row(r, label);

	return row ? add_value(r, row, q) : no_memory(r);
}

/* A fact such as "n=10"; false when @w is none. */
static bool parse_fact(const struct word *w, struct readings_fact *f)
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
static void read_comment(struct parsing *r, size_t first)
{
	struct measurements *m = r->m;
	unsigned int before = m->nfacts;

	for (size_t i = first; i < r->nwords; i++) {
		if (m->nfacts == READINGS_FACTS_MAX)
			return;
		if (!parse_fact(&r->words[i], &m->facts[m->nfacts])) {
			m->nfacts = before;
			return;
		}
		m->nfacts++;
	}
}

static int split_words(struct parsing *r, const char *s, size_t len)
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

static enum quantity_answer parse_value(const struct parsing *r, size_t i, struct quantity *q,
					size_t *next);

/* "114.44user 29.11system 39:42.90elapsed 6%CPU (...)k": GNU time without options. */
static int read_gnu_time(struct parsing *r)
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
			a = quantity_parse_marked(number.s, number.len, r->mark, &q);
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
static bool is_gnu_time(const struct parsing *r)
{
	struct quantity q;

	for (size_t i = 0; i < r->nwords; i++)
		if (ends_with(&r->words[i], "elapsed") &&
		    quantity_parse_marked(r->words[i].s, r->words[i].len - 7, r->mark, &q) ==
			    QUANTITY_OK)
			return true;
	return false;
}

/* "... copied, 0.5 s, 200 MB/s": time and rate stand behind the word. */
static int read_dd(struct parsing *r, size_t copied)
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
		a = quantity_parse_marked(number.s, number.len, r->mark, &q);
		if (a != QUANTITY_OK)
			return bad_number(r, &number, a);
		if (!quantity_attach_unit(&q, unit.s, unit.len))
			return bad_line(r, r->line, unit.s, unit.len, "is not a unit of dd");
		ret = add_single(r, names[k], &q);
		if (ret)
			return ret;
	}
	return 0;
}

/* "100 %  9,022.5 KiB / 32.0 MiB = 0.275  47 KiB/s  11:30" of xz -v, the last of its lines. */
static bool is_xz(const struct parsing *r)
{
	return r->nwords >= 11 && is(&r->words[0], "100") && is(&r->words[1], "%") &&
	       is(&r->words[4], "/") && is(&r->words[7], "=");
}

static int read_xz(struct parsing *r)
{
	static const struct {
		const char *name;
		unsigned int at;
	} cells[] = { { "xz ratio", 8 }, { "xz rate", 9 }, { "xz time", 11 } };

	for (size_t k = 0; k < sizeof(cells) / sizeof(cells[0]); k++) {
		unsigned int at = cells[k].at;
		enum quantity_answer a;
		struct quantity q;
		size_t next;
		int ret;

		if (at >= r->nwords)
			return 0;
		a = parse_value(r, at, &q, &next);
		if (a != QUANTITY_OK)
			return bad_number(r, &r->words[at], a);
		ret = add_single(r, cells[k].name, &q);
		if (ret)
			return ret;
	}
	return 0;
}

/* The line of totals of memtier_benchmark: its first number is operations per second. */
static int read_memtier(struct parsing *r)
{
	enum quantity_answer a;
	struct quantity q;

	a = quantity_parse_marked(r->words[1].s, r->words[1].len, r->mark, &q);
	if (a != QUANTITY_OK)
		return bad_number(r, &r->words[1], a);
	if (q.kind == QUANTITY_PLAIN)
		quantity_attach_unit(&q, "ops/s", 5);
	return add_single(r, "Totals", &q);
}

static size_t find_word(const struct parsing *r, const char *text)
{
	for (size_t i = 0; i < r->nwords; i++)
		if (is(&r->words[i], text))
			return i;
	return r->nwords;
}

static bool is_rule(const struct parsing *r)
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

static bool is_noise(struct parsing *r, const char *s, size_t len)
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
static bool parse_declared(const struct parsing *r, size_t i, struct quantity *q, bool *none,
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
	return *none || quantity_parse_marked(w.s, w.len - 1, r->mark, q) == QUANTITY_OK;
}

/*
 * Word @i as a value, with a unit that may be the word behind it. Lists may have commas or
 * semicolons between values.
 */
static enum quantity_answer parse_value(const struct parsing *r, size_t i, struct quantity *q,
					size_t *next)
{
	struct word w = r->words[i];
	enum quantity_answer a;

	*next = i + 1;
	if (w.len > 1 && strchr(",;", w.s[w.len - 1]))
		w.len--;
	a = quantity_parse_marked(w.s, w.len, r->mark, q);
	if (a == QUANTITY_OK && i + 1 < r->nwords &&
	    quantity_attach_unit(q, r->words[i + 1].s, r->words[i + 1].len))
		*next = i + 2;
	return a;
}

/* "time=14.2s", ".../swpout:9120": cut the value off the last word. */
static bool split_last_word(struct parsing *r, size_t i)
{
	struct word w = r->words[i];
	struct quantity q;

	if (i + 1 != r->nwords)
		return false;
	for (size_t k = 1; k + 1 < w.len; k++) {
		if (w.s[k] != ':' && w.s[k] != '=')
			continue;
		if (quantity_parse_marked(w.s, k, r->mark, &q) != QUANTITY_NONE ||
		    quantity_parse_marked(w.s + k + 1, w.len - k - 1, r->mark, &q) == QUANTITY_NONE)
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
static size_t read_label(struct parsing *r, char *label, size_t size)
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
static bool label_behind(struct parsing *r, struct measurement_row *row, size_t i)
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

static size_t end_of(const struct parsing *r, size_t word)
{
	return (size_t)(r->words[word].s + r->words[word].len - r->at);
}

/* What tables have where there is no value. */
static bool is_absent(const struct word *w)
{
	return is(w, "n/a") || is(w, "N/A") || is(w, "-") || is(w, "--");
}

static int add_absent(struct parsing *r, struct measurement_row *row, size_t word)
{
	struct quantity none = { .number = NAN, .scale = 1, .count = COUNT_UNKNOWN };
	int ret = add_value(r, row, &none);

	if (!ret)
		row->v[row->n - 1].end = end_of(r, word);
	return ret;
}

/* "98.74 % 49.75 % -48.99 points": what our own tables say of percentages. */
static bool points_behind(const struct parsing *r, struct measurement_row *row, size_t i)
{
	struct measured_value *last = &row->v[row->n - 1];

	if (row->n != 3 || i + 1 != r->nwords || !is(&r->words[i], "points") || !last->q.sign)
		return false;
	row->n--;
	last[-1].have_declared = last[-1].declared_in_row = last[-1].declared_points = true;
	last[-1].declared = last->q;
	return true;
}

/* @undecided: of the word that could not be read */
static int read_values(struct parsing *r, struct measurement_row *row, size_t i,
		       enum quantity_answer *undecided)
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
		if (row->n && points_behind(r, row, i))
			return 0;
		if (row->label[0] && is_absent(&r->words[i])) {
			ret = add_absent(r, row, i++);
			if (ret)
				return ret;
			continue;
		}
		a = parse_value(r, i, &q, &next);
		if (a == QUANTITY_NONE && label_behind(r, row, i))
			return 0;
		/* A value that is none is no talk. */
		*undecided = a == QUANTITY_NONE && undefined(&r->words[i]) ? QUANTITY_RANGE : a;
		if (a != QUANTITY_OK)
			return bad_number(r, &r->words[i], a);
		ret = add_value(r, row, &q);
		if (ret)
			return ret;
		/* Of several columns each may have its points behind it. */
		if (q.sign && next < r->nwords && is(&r->words[next], "points") &&
		    !(row->n == 3 && next + 1 == r->nwords))
			next++;
		row->v[row->n - 1].end = end_of(r, next - 1);
		i = next;
	}
	take_declared_change(row);
	return 0;
}

static void leave_out(struct parsing *r, uint64_t line, const char *s, size_t len)
{
	struct measurements *m = r->m;

	if (m->left_out++)
		return;
	while (len && strchr(" \t\r", *s)) {
		s++;
		len--;
	}
	while (len && strchr(" \t\r", s[len - 1]))
		len--;
	m->left_out_line = line;
	escape_text(s, len < 40 ? len : 40, m->left_out_text, sizeof(m->left_out_text));
	for (char *blank = strstr(m->left_out_text, "  "); blank; blank = strstr(blank, "  "))
		memmove(blank, blank + 1, strlen(blank));
}

static void leave_out_pending(struct parsing *r)
{
	struct measured_block *p = &r->pending;

	for (unsigned int i = 0; i < p->n; i++) {
		leave_out(r, p->lines[i], p->titles[i], strlen(p->titles[i]));
		free(p->titles[i]);
	}
	p->n = 0;
	r->titled = false;
}

static bool ends_as_key(const char *s)
{
	size_t len = strlen(s);

	while (len && strchr(" \t\r", s[len - 1]))
		len--;
	return len && strchr(":=", s[len - 1]);
}

static int unfinished(const struct parsing *r)
{
	const struct measured_block *p = &r->pending;
	const char *s = p->titles[p->n - 1] + strspn(p->titles[p->n - 1], " \t");

	return bad_line(r, p->lines[p->n - 1], s, strcspn(s, "\r"),
			"has no value, and none follows");
}

/* A line without numbers: a title before rows, or a key whose value comes on the next line. */
static int keep_words(struct parsing *r, size_t len)
{
	struct measured_block *p = &r->pending;

	/* Behind the rule below a title it is neither. */
	if (r->titled) {
		leave_out(r, r->line, r->at, len);
		return 0;
	}
	/* A title stands right above its rows: what is further up is talk. */
	if (p->n == MEASURED_TITLES_MAX) {
		leave_out(r, p->lines[0], p->titles[0], strlen(p->titles[0]));
		free(p->titles[0]);
		p->n--;
		memmove(p->titles, p->titles + 1, p->n * sizeof(p->titles[0]));
		memmove(p->lines, p->lines + 1, p->n * sizeof(p->lines[0]));
	}
	p->titles[p->n] = strndup(r->at, len);
	if (!p->titles[p->n])
		return no_memory(r);
	p->lines[p->n++] = r->line;
	return 0;
}

/* Rows below what has been kept as their title. */
static int begin_block(struct parsing *r)
{
	struct measurements *m = r->m;
	struct measured_block *bigger = realloc(m->blocks, (m->nblocks + 1) * sizeof(*bigger));

	if (!bigger)
		return no_memory(r);
	m->blocks = bigger;
	m->blocks[m->nblocks++] = r->pending;
	memset(&r->pending, 0, sizeof(r->pending));
	r->titled = false;
	return 0;
}

/* The last line of words is the label of this row's value: "key:", then "5". */
static void take_pending_label(struct parsing *r, char *label, size_t size)
{
	struct measured_block *p = &r->pending;
	char *s = p->titles[p->n - 1];

	label[0] = '\0';
	for (char *save, *w = strtok_r(s, " \t\r|", &save); w;
	     w = strtok_r(NULL, " \t\r|", &save)) {
		struct word word = { w, strlen(w) };

		add_to_label(label, size, &word);
	}
	free(s);
	p->n--;
}

static int drop_row(struct parsing *r, size_t len)
{
	struct measurement_row *row = &r->m->rows[--r->m->n];

	free(row->v);
	leave_out(r, r->line, r->at, len);
	return 0;
}

static int read_row(struct parsing *r, size_t len)
{
	struct measurement_row *row;
	enum quantity_answer undecided;
	char label[160];
	size_t first = read_label(r, label, sizeof(label));
	int ret;

	if (first == r->nwords)
		return keep_words(r, len);
	if (r->pending.n && !label[0]) {
		take_pending_label(r, label, sizeof(label));
		leave_out_pending(r);
	}
	if ((r->pending.n || !r->m->nblocks) && begin_block(r))
		return -ENOMEM;
	row = add_row(r, label);
	if (!row)
		return no_memory(r);
	ret = read_values(r, row, first, &undecided);
	/* In text with labels a line with other words behind its numbers is talk. */
	if (ret == -EBADMSG && r->labelled && undecided == QUANTITY_NONE)
		return drop_row(r, len);
	return ret;
}

/* GNU time -v names its clock in words that hold numbers. */
static bool read_wall_clock(struct parsing *r, int *ret)
{
	const struct word *w = &r->words[r->nwords - 1];
	enum quantity_answer a;
	struct quantity q;

	if (!is(&r->words[0], "Elapsed") || find_word(r, "(wall") == r->nwords)
		return false;
	a = quantity_parse_marked(w->s, w->len, r->mark, &q);
	*ret = a == QUANTITY_OK ? add_single(r, "elapsed", &q) : bad_number(r, w, a);
	return true;
}

static bool is_round(const struct parsing *r, const char *s, size_t len)
{
	const struct pasted line = { r->name, s, len, r->mark };
	struct text_line l = { 0 };

	return text_next(&line, &l) && line_is_round(&l);
}

static int read_line(struct parsing *r, const char *s, size_t len)
{
	size_t copied, whole;
	int ret;

	if (memchr(s, '\0', len))
		return error_set(r->e, -EBADMSG,
				 "%s: line %" PRIu64
				 ": binary data; compare takes traces, results, "
				 "and text with numbers",
				 r->name, r->line);
	r->at = s;
	whole = len;
	while (len && strchr(" \t\r", *s)) {
		s++;
		len--;
	}
	ret = split_words(r, s, len);
	if (ret || !r->nwords)
		return ret;
	if (is_round(r, s, len)) {
		r->m->rounds++;
		return 0;
	}
	if (*s == '#') {
		r->words[0].s++;
		read_comment(r, !--r->words[0].len);
		return 0;
	}
	if (read_wall_clock(r, &ret))
		return ret;
	if (is_noise(r, s, len)) {
		r->titled |= r->pending.n && is_rule(r);
		return 0;
	}
	if (is_gnu_time(r))
		return read_gnu_time(r);
	copied = find_word(r, "copied,");
	if (copied < r->nwords)
		return read_dd(r, copied);
	if (r->nwords > 3 && is(&r->words[0], "Totals"))
		return read_memtier(r);
	if (is_xz(r))
		return read_xz(r);
	return read_row(r, whole);
}

/* Whether some line has a word before a number: then lines without both are talk. */
static bool has_labels(const struct pasted *t)
{
	struct text_line l = { 0 };

	while (text_next(t, &l)) {
		if (!l.n || (!isalpha((unsigned char)l.w[0].s[0]) && !strchr("./", l.w[0].s[0])))
			continue;
		for (unsigned int i = 1; i < l.n; i++)
			if (isdigit((unsigned char)l.w[i].s[0]) && l.w[0].s[0] != '#')
				return true;
		if (l.n == 1 &&
		    (memchr(l.w[0].s, ':', l.w[0].len) || memchr(l.w[0].s, '=', l.w[0].len)))
			return true;
	}
	return false;
}

static int end_of_text(struct parsing *r)
{
	if (r->pending.n &&
	    (!r->labelled || !r->m->n || ends_as_key(r->pending.titles[r->pending.n - 1])) &&
	    r->m->n)
		return unfinished(r);
	leave_out_pending(r);
	if (r->m->n)
		return 0;
	if (r->m->left_out && r->e->code)
		return r->e->code; /* why the last line is no row */
	return error_set(r->e, -EBADMSG, "%s: holds no numbers to compare", r->name);
}

static int read_lines(struct parsing *r, const char *text, size_t len)
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
	return ret ? ret : end_of_text(r);
}

int measurements_read(const struct pasted *t, struct measurements *m, struct error *e)
{
	struct error own = { 0 };
	struct parsing r = { .m = m, .name = t->name, .mark = t->mark, .e = e ? e : &own };
	int ret;

	memset(m, 0, sizeof(*m));
	r.e->code = 0;
	r.labelled = has_labels(t);
	ret = read_lines(&r, t->s, t->len);
	for (unsigned int i = 0; i < r.pending.n; i++)
		free(r.pending.titles[i]);
	free(r.words);
	if (ret)
		measurements_free(m);
	return ret;
}

void measurements_free(struct measurements *m)
{
	for (unsigned int i = 0; i < m->n; i++)
		free(m->rows[i].v);
	for (unsigned int i = 0; i < m->nblocks; i++)
		for (unsigned int k = 0; k < m->blocks[i].n; k++)
			free(m->blocks[i].titles[k]);
	free(m->rows);
	free(m->blocks);
	memset(m, 0, sizeof(*m));
}
