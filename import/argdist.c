// SPDX-License-Identifier: GPL-2.0
#include "import/argdist.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_count(const void *a, const void *b)
{
	const struct window_count *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->pages > y->pages) - (x->pages < y->pages);
}

int argdist_write(FILE *f, const struct histogram *h, const char *label, const time_t *when)
{
	struct window_count *rows = malloc((h->n + 1) * sizeof(*rows));
	struct tm tm;

	if (!rows)
		return -ENOMEM;
	if (h->n)
		memcpy(rows, h->bins, h->n * sizeof(*rows));
	qsort(rows, h->n, sizeof(*rows), by_count);
	if (when && localtime_r(when, &tm))
		fprintf(f, "[%02d:%02d:%02d]\n", tm.tm_hour, tm.tm_min, tm.tm_sec);
	fprintf(f, "%s\n\t%-10s %s\n", label, "COUNT", "EVENT");
	for (unsigned int i = 0; i < h->n; i++)
		fprintf(f, "\t%-10" PRIu64 " $retval = %" PRIu64 "\n", rows[i].count,
			rows[i].pages);
	free(rows);
	return 0;
}

/* A table being read, and the sum of those before it. */
struct reading {
	struct histogram current, sum;
	bool shrinks; /* a count decreased from one table to the next, so they are no running totals
		       */
	unsigned int tables;
	uint64_t line;
	const char *name;
	struct argdist_notes *notes;
};

static int digit_value(uint64_t *v, char c)
{
	uint64_t digit = (uint64_t)(c - '0');

	if (*v > (UINT64_MAX - digit) / 10)
		return -ERANGE;
	*v = *v * 10 + digit;
	return 0;
}

/* "1,234,567": every comma is followed by exactly three digits. */
static bool commas_separate_thousands(const char *s, size_t len)
{
	size_t first = strcspn(s, ",");

	if (first >= len)
		return true;
	if (first < 1 || first > 3 || (len - first) % 4)
		return false;
	for (size_t i = first; i < len; i++)
		if ((s[i] == ',') != ((i - first) % 4 == 0))
			return false;
	return true;
}

/* "9.0K" is 9000, "1200M" is 1.2e9: decimal units as such tables use them. */
static int scaled_count(const char *s, size_t len, uint64_t *count)
{
	unsigned int zeros = s[len - 1] == 'K' ? 3 : s[len - 1] == 'M' ? 6 : 9;
	bool behind_point = false;

	*count = 0;
	for (size_t i = 0; i < len - 1; i++) {
		if (s[i] == '.' && !behind_point) {
			behind_point = true;
			continue;
		}
		if (!isdigit((unsigned char)s[i]) || (behind_point && !zeros))
			return -EINVAL;
		if (digit_value(count, s[i]))
			return -ERANGE;
		zeros -= behind_point;
	}
	for (; zeros; zeros--)
		if (digit_value(count, '0'))
			return -ERANGE;
	return 0;
}

static int parse_count(const char *s, size_t len, uint64_t *count, bool *rounded)
{
	if (len > 1 && strchr("KMG", s[len - 1])) {
		*rounded = true;
		return scaled_count(s, len, count);
	}
	if (!commas_separate_thousands(s, len))
		return -EINVAL;
	*count = 0;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == ',')
			continue;
		if (!isdigit((unsigned char)s[i]))
			return -EINVAL;
		if (digit_value(count, s[i]))
			return -ERANGE;
	}
	return 0;
}

/* The number behind "retval = "; argdist prints it in decimal. */
static int parse_value(const char *event, uint64_t *value)
{
	const char *p = strstr(event, "retval");
	size_t n;

	if (!p)
		return -EINVAL;
	p += strlen("retval");
	p += strspn(p, " \t");
	if (*p++ != '=')
		return -EINVAL;
	p += strspn(p, " \t");
	n = strspn(p, "0123456789");
	if (!n || p[n + strspn(p + n, " \t\r\n")])
		return -EINVAL;
	*value = 0;
	for (size_t i = 0; i < n; i++)
		if (digit_value(value, p[i]))
			return -ERANGE;
	return 0;
}

static uint64_t count_of(const struct histogram *h, uint64_t pages)
{
	for (unsigned int i = 0; i < h->n; i++)
		if (h->bins[i].pages == pages)
			return h->bins[i].count;
	return 0;
}

static int bad_row(const struct reading *r, int why, const char *what, struct error *e)
{
	return error_set(e, -EBADMSG, "%s: line %" PRIu64 ": %s %s", r->name, r->line, what,
			 why == -ERANGE ? "is above 64 bits"
					: "cannot be read (expected 'COUNT $retval = N', COUNT "
					  "like 12345 or 12,345)");
}

static int read_row(struct reading *r, const char *s, struct error *e)
{
	size_t len = strcspn(s, " \t\r\n");
	uint64_t count, value;
	int ret = parse_count(s, len, &count, &r->notes->rounded);

	if (ret)
		return bad_row(r, ret, "COUNT", e);
	ret = parse_value(s + len, &value);
	if (ret)
		return bad_row(r, ret, "EVENT", e);
	if (count > UINT64_MAX - count_of(&r->current, value))
		return bad_row(r, -ERANGE, "the sum of the COUNTs", e);
	if (histogram_add(&r->current, value, count))
		return error_set(e, -ENOMEM, "%s: out of memory", r->name);
	return 0;
}

/* Begin another table: the one before goes into the sum. */
static int next_table(struct reading *r, struct histogram *last)
{
	for (unsigned int i = 0; i < last->n; i++)
		r->shrinks |= count_of(&r->current, last->bins[i].pages) < last->bins[i].count;
	for (unsigned int i = 0; i < r->current.n; i++)
		if (histogram_add(&r->sum, r->current.bins[i].pages, r->current.bins[i].count))
			return -ENOMEM;
	histogram_free(last);
	*last = r->current;
	memset(&r->current, 0, sizeof(r->current));
	r->tables++;
	return 0;
}

static bool is_header(const char *s)
{
	return (s[0] == '[' && strchr(s, ']')) || (strchr("prtu", s[0]) && s[1] == ':');
}

static bool is_column_header(const char *s)
{
	return !strncmp(s, "COUNT", 5) && strstr(s, "EVENT");
}

static int read_line(struct reading *r, struct histogram *last, const char *line, struct error *e)
{
	const char *s = line + strspn(line, " \t\r\n");

	if (!*s)
		return 0;
	if (isdigit((unsigned char)*s))
		return read_row(r, s, e);
	if (is_column_header(s) || is_header(s)) {
		if (r->current.n && next_table(r, last))
			return error_set(e, -ENOMEM, "%s: out of memory", r->name);
		return 0;
	}
	if (!r->notes->ignored++)
		r->notes->first_ignored = r->line;
	return 0;
}

static int read_lines(struct reading *r, struct histogram *last, FILE *in, struct error *e)
{
	char line[1024];
	int ret = 0;

	while (!ret && fgets(line, sizeof(line), in)) {
		r->line++;
		if (!strchr(line, '\n') && !feof(in))
			return error_set(e, -EBADMSG,
					 "%s: line %" PRIu64 " is too long for argdist output",
					 r->name, r->line);
		ret = read_line(r, last, line, e);
	}
	if (!ret && ferror(in))
		return error_errno(e, -EIO, "%s: cannot read", r->name);
	if (!ret && r->current.n && next_table(r, last))
		return error_set(e, -ENOMEM, "%s: out of memory", r->name);
	return ret;
}

int argdist_read(FILE *in, const char *name, struct histogram *h, struct argdist_notes *notes,
		 struct error *e)
{
	struct reading r = { .name = name, .notes = notes };
	struct histogram last = { 0 };
	int ret;

	memset(notes, 0, sizeof(*notes));
	ret = read_lines(&r, &last, in, e);
	if (!ret && !r.tables)
		ret = error_set(e, -EBADMSG, "%s: no argdist row ('COUNT $retval = N') in it",
				name);
	if (!ret) {
		notes->tables = r.tables;
		notes->cumulative = r.tables > 1 && !r.shrinks;
		*h = notes->cumulative ? last : r.sum;
		histogram_free(notes->cumulative ? &r.sum : &last);
		return 0;
	}
	histogram_free(&r.current);
	histogram_free(&r.sum);
	histogram_free(&last);
	return ret;
}

bool argdist_recognise(const char *head, size_t len)
{
	/* Trace text holds "ret=", never argdist's " = ". */
	return memmem(head, len, "retval = ", 9) || memmem(head, len, "COUNT      EVENT", 16);
}
