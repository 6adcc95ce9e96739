// SPDX-License-Identifier: GPL-2.0
#include "import/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/count.h"

#define LARGEST 1e30
#define DIGITS_MAX 60

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits_at(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && digit(s[n]))
		n++;
	return n;
}

/* Every @mark up to @end has exactly three digits behind it, the first one to three before it. */
static bool separates_thousands(const char *s, size_t end, char mark)
{
	size_t n = digits_at(s, end);

	if (!n || n > 3)
		return false;
	for (s += n, end -= n; end; s += 4, end -= 4)
		if (*s != mark || digits_at(s + 1, end - 1) != 3)
			return false;
	return true;
}

static size_t occurrences(const char *s, size_t len, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == c;
	return n;
}

static size_t last_place(const char *s, size_t len, char c)
{
	while (len && s[len - 1] != c)
		len--;
	return len ? len - 1 : 0;
}

/*
 * Which byte of @s is the decimal mark: its index, @len for none. Several of one mark that do not
 * separate thousands make a word: a version, a date.
 */
static enum quantity_answer find_decimal_mark(const char *s, size_t len, enum decimal_mark mark,
					      size_t *at)
{
	size_t commas = occurrences(s, len, ','), points = occurrences(s, len, '.');
	char last = last_place(s, len, ',') > last_place(s, len, '.') ? ',' : '.';

	*at = len;
	if (!commas && !points)
		return QUANTITY_OK;
	if (commas && points) {
		/* The one that stands last is decimal, the other one separates thousands. */
		*at = last_place(s, len, last);
		return (last == ',' ? commas : points) == 1 &&
				       separates_thousands(s, *at, last == ',' ? '.' : ',')
			       ? QUANTITY_OK
			       : QUANTITY_AMBIGUOUS;
	}
	if (commas + points > 1)
		return separates_thousands(s, len, commas ? ',' : '.') ? QUANTITY_OK
								       : QUANTITY_NONE;
	*at = last_place(s, len, commas ? ',' : '.');
	/* In a text that has told what its commas are, one alone is no riddle. */
	if (mark != DECIMAL_UNKNOWN && (commas != 0) == (mark == DECIMAL_POINT)) {
		if (!separates_thousands(s, len, commas ? ',' : '.'))
			return QUANTITY_AMBIGUOUS;
		*at = len;
		return QUANTITY_OK;
	}
	if (mark != DECIMAL_UNKNOWN)
		return QUANTITY_OK;
	return points || s[0] == '0' || !separates_thousands(s, len, ',') ? QUANTITY_OK
									  : QUANTITY_AMBIGUOUS;
}

static int exponent_of(const char *digits, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++)
		v = v * 10 + (digits[i] - '0');
	return v;
}

/* A number without sign at the start of @s. @used: its bytes, 0 when there is none. */
static enum quantity_answer parse_number(const char *s, size_t len, enum decimal_mark decimal,
					 struct quantity *q, size_t *used)
{
	char clean[DIGITS_MAX + 16];
	size_t n = 0, end = 0, mark, exponent;
	enum quantity_answer a;

	*used = 0;
	while (end < len && (digit(s[end]) || s[end] == ',' || s[end] == '.'))
		end++;
	if (!end || !digit(s[end - 1]) || s[0] == ',' || end > DIGITS_MAX)
		return QUANTITY_NONE;
	a = find_decimal_mark(s, end, decimal, &mark);
	if (a != QUANTITY_OK)
		return a;
	for (size_t i = 0; i < end; i++)
		if (digit(s[i]) || i == mark)
			clean[n++] = digit(s[i]) ? s[i] : '.';
	q->decimals = mark < end ? (int)(end - mark - 1) : 0;
	exponent = end < len && (s[end] == 'e' || s[end] == 'E');
	if (exponent && end + 1 < len && (s[end + 1] == '-' || s[end + 1] == '+'))
		exponent++;
	if (exponent) {
		size_t e = digits_at(s + end + exponent, len - end - exponent);

		if (e && e < 5) {
			memcpy(clean + n, s + end, exponent + e);
			n += exponent + e;
			end += exponent + e;
			q->decimals -=
				exponent_of(s + end - e, e) * (s[end - e - 1] == '-' ? -1 : 1);
		}
	}
	clean[n] = '\0';
	/* The locale is always C (render/format.h), and @clean has no other mark. */
	q->number = strtod(clean, NULL);
	q->count = COUNT_UNKNOWN;
	if (n == digits_at(clean, n) && n < 20)
		q->count = strtoull(clean, NULL, 10);
	*used = end;
	return fabs(q->number) > LARGEST ? QUANTITY_RANGE : QUANTITY_OK;
}

struct unit {
	const char *name;
	enum quantity_kind kind;
	double scale;
	const char *shown; /* NULL: as it is called */
};

static const struct unit units[] = {
	{ "s", QUANTITY_TIME, 1, NULL },
	{ "sec", QUANTITY_TIME, 1, "s" },
	{ "secs", QUANTITY_TIME, 1, "s" },
	{ "second", QUANTITY_TIME, 1, "s" },
	{ "seconds", QUANTITY_TIME, 1, "s" },
	{ "ms", QUANTITY_TIME, 1e-3, NULL },
	{ "msec", QUANTITY_TIME, 1e-3, "ms" },
	{ "msecs", QUANTITY_TIME, 1e-3, "ms" },
	{ "milliseconds", QUANTITY_TIME, 1e-3, "ms" },
	{ "us", QUANTITY_TIME, 1e-6, NULL },
	{ "\xc2\xb5s", QUANTITY_TIME, 1e-6, "us" }, /* micro sign */
	{ "\xce\xbcs", QUANTITY_TIME, 1e-6, "us" }, /* Greek mu */
	{ "usec", QUANTITY_TIME, 1e-6, "us" },
	{ "usecs", QUANTITY_TIME, 1e-6, "us" },
	{ "microseconds", QUANTITY_TIME, 1e-6, "us" },
	{ "ns", QUANTITY_TIME, 1e-9, NULL },
	{ "nsec", QUANTITY_TIME, 1e-9, "ns" },
	{ "nsecs", QUANTITY_TIME, 1e-9, "ns" },
	{ "nanoseconds", QUANTITY_TIME, 1e-9, "ns" },
	{ "m", QUANTITY_TIME, 60, "min" },
	{ "min", QUANTITY_TIME, 60, NULL },
	{ "mins", QUANTITY_TIME, 60, "min" },
	{ "minutes", QUANTITY_TIME, 60, "min" },
	{ "h", QUANTITY_TIME, 3600, NULL },
	{ "hours", QUANTITY_TIME, 3600, "h" },
	{ "B", QUANTITY_AMOUNT, 1, NULL },
	{ "bytes", QUANTITY_AMOUNT, 1, "B" },
	{ "kB", QUANTITY_AMOUNT, 1e3, NULL },
	{ "KB", QUANTITY_AMOUNT, 1e3, "kB" },
	{ "MB", QUANTITY_AMOUNT, 1e6, NULL },
	{ "GB", QUANTITY_AMOUNT, 1e9, NULL },
	{ "TB", QUANTITY_AMOUNT, 1e12, NULL },
	{ "KiB", QUANTITY_AMOUNT, 1024.0, NULL },
	{ "MiB", QUANTITY_AMOUNT, 1048576.0, NULL },
	{ "GiB", QUANTITY_AMOUNT, 1073741824.0, NULL },
	{ "TiB", QUANTITY_AMOUNT, 1099511627776.0, NULL },
	/* free -h */
	{ "Ki", QUANTITY_AMOUNT, 1024.0, "KiB" },
	{ "Mi", QUANTITY_AMOUNT, 1048576.0, "MiB" },
	{ "Gi", QUANTITY_AMOUNT, 1073741824.0, "GiB" },
	{ "Ti", QUANTITY_AMOUNT, 1099511627776.0, "TiB" },
	{ "%", QUANTITY_PERCENT, 1, NULL },
};

static const struct unit *find_unit(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && !memcmp(units[i].name, s, len))
			return &units[i];
	return NULL;
}

/* "MB/s", "ops/sec": what stands before the slash is a unit of amounts or a word. */
static bool parse_rate(struct quantity *q, const char *s, size_t len)
{
	const char *slash = memchr(s, '/', len);
	size_t left = slash ? (size_t)(slash - s) : 0, right = len - left - 1;
	const struct unit *u;

	if (!left || left > 8)
		return false;
	if (!(right == 1 && slash[1] == 's') && !(right == 3 && !memcmp(slash + 1, "sec", 3)))
		return false;
	for (size_t i = 0; i < left; i++)
		if (!((s[i] | 0x20) >= 'a' && (s[i] | 0x20) <= 'z'))
			return false;
	u = find_unit(s, left);
	if (u && u->kind != QUANTITY_AMOUNT)
		return false;
	q->kind = QUANTITY_RATE;
	q->scale = u ? u->scale : 1;
	snprintf(q->unit, sizeof(q->unit), "%.*s/s", (int)left, s);
	return true;
}

static bool set_unit(struct quantity *q, const char *s, size_t len)
{
	const struct unit *u = find_unit(s, len);

	if (!u)
		return parse_rate(q, s, len);
	q->kind = u->kind;
	q->scale = u->scale;
	snprintf(q->unit, sizeof(q->unit), "%s", u->shown ? u->shown : u->name);
	return true;
}

static bool set_multiple(struct quantity *q, char letter)
{
	static const char letters[] = "KMGT";
	const char *at = strchr(letters, letter == 'k' ? 'K' : letter);

	if (!at || !*at)
		return false;
	for (const char *p = letters; p <= at; p++)
		q->number *= 1e3;
	q->count = COUNT_UNKNOWN;
	q->rounded = true;
	return true;
}

static void set_seconds(struct quantity *q, double seconds, int decimals)
{
	q->kind = QUANTITY_TIME;
	q->number = seconds;
	q->scale = 1;
	q->decimals = decimals;
	q->count = COUNT_UNKNOWN;
	snprintf(q->unit, sizeof(q->unit), "s");
}

/* "1:02.50", "39:42.90", "1:02:03": all but the last are whole, all but the first below 60. */
static enum quantity_answer parse_clock(const char *s, size_t len, enum decimal_mark mark,
					struct quantity *q)
{
	double total = 0;
	size_t used;

	for (int part = 0; part < 3; part++) {
		const char *colon = memchr(s, ':', len);
		size_t n = colon ? (size_t)(colon - s) : len;
		enum quantity_answer a = parse_number(s, n, mark, q, &used);

		if (a != QUANTITY_OK)
			return a;
		if (used != n || (colon && q->count == COUNT_UNKNOWN) ||
		    (part && (q->number >= 60 || digits_at(s, n) != 2)))
			return QUANTITY_NONE;
		total = total * 60 + q->number;
		if (!colon) {
			set_seconds(q, total, q->decimals);
			return QUANTITY_OK;
		}
		s = colon + 1;
		len -= n + 1;
	}
	return QUANTITY_NONE;
}

/* "1h2m3s", "0m11.84s": at least two parts, in that order. */
static enum quantity_answer parse_parts(const char *s, size_t len, enum decimal_mark mark,
					struct quantity *q)
{
	static const char letters[] = "hms";
	static const double seconds[] = { 3600, 60, 1 };
	double total = 0;
	int next = 0, parts = 0;

	while (len) {
		enum quantity_answer a;
		const char *letter;
		size_t used;

		a = parse_number(s, len, mark, q, &used);
		if (a != QUANTITY_OK)
			return a;
		letter = used < len ? memchr(letters + next, s[used], (size_t)(3 - next)) : NULL;
		if (!letter)
			return QUANTITY_NONE;
		next = (int)(letter - letters);
		total += q->number * seconds[next++];
		s += used + 1;
		len -= used + 1;
		parts++;
	}
	if (parts < 2)
		return QUANTITY_NONE;
	set_seconds(q, total, q->decimals);
	return QUANTITY_OK;
}

static enum quantity_answer parse_unsigned(const char *s, size_t len, enum decimal_mark mark,
					   struct quantity *q)
{
	enum quantity_answer a;
	size_t used;

	if (memchr(s, ':', len))
		return parse_clock(s, len, mark, q);
	a = parse_number(s, len, mark, q, &used);
	if (!used || used == len)
		return a;
	if (a != QUANTITY_OK)
		return a;
	if ((used + 1 == len && set_multiple(q, s[used])) || set_unit(q, s + used, len - used)) {
		if (q->kind != QUANTITY_PLAIN)
			q->count = COUNT_UNKNOWN;
		return QUANTITY_OK;
	}
	return parse_parts(s, len, mark, q);
}

enum quantity_answer quantity_parse(const char *s, size_t len, struct quantity *q)
{
	return quantity_parse_marked(s, len, DECIMAL_UNKNOWN, q);
}

enum quantity_answer quantity_parse_marked(const char *s, size_t len, enum decimal_mark mark,
					   struct quantity *q)
{
	bool negative = len && *s == '-';
	bool sign = len && (negative || *s == '+');
	enum quantity_answer a;

	memset(q, 0, sizeof(*q));
	q->scale = 1;
	a = parse_unsigned(s + sign, len - sign, mark, q);
	q->sign = sign;
	if (negative) {
		q->number = -q->number;
		q->count = COUNT_UNKNOWN;
	}
	return a;
}

bool quantity_attach_unit(struct quantity *q, const char *s, size_t len)
{
	if (q->kind != QUANTITY_PLAIN || q->rounded || (len == 1 && *s != 's' && *s != '%') ||
	    !set_unit(q, s, len))
		return false;
	q->count = COUNT_UNKNOWN;
	return true;
}

bool quantity_undefined(const char *s, size_t len)
{
	static const char *const words[] = { "nan", "inf", "infinity" };

	if (len && strchr("+-", s[0])) {
		s++;
		len--;
	}
	if (len && s[len - 1] == '%')
		len--;
	for (int i = 0; i < 3; i++)
		if (len == strlen(words[i]) && !strncasecmp(s, words[i], len))
			return true;
	return false;
}
