// SPDX-License-Identifier: GPL-2.0
#include "analyze/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static struct text not_available(void)
{
	struct text t = { "n/a" };

	return t;
}

/* Digits up to a point get a comma before each group of three; a sign is left alone. */
static struct text group_digits(const char *plain)
{
	struct text t;
	size_t digits, n = 0;
	const char *p = plain;

	if (*p == '-' || *p == '+')
		t.s[n++] = *p++;
	digits = strspn(p, "0123456789");
	while (digits && n + 2 < sizeof(t.s)) {
		t.s[n++] = *p++;
		digits--;
		if (digits && digits % 3 == 0)
			t.s[n++] = ',';
	}
	snprintf(t.s + n, sizeof(t.s) - n, "%s", p);
	return t;
}

struct text format_count(uint64_t n)
{
	char plain[32];

	if (n == COUNT_UNKNOWN)
		return not_available();
	snprintf(plain, sizeof(plain), "%" PRIu64, n);
	return group_digits(plain);
}

struct text format_number(double v, int decimals)
{
	char plain[48];

	/* Beyond 1e24 digits are noise, and the grouped text would not fit. */
	if (!isfinite(v) || fabs(v) >= 1e24)
		return not_available();
	snprintf(plain, sizeof(plain), "%.*f", decimals, v);
	return group_digits(plain);
}

struct text format_percent(double percent)
{
	struct text t = format_number(percent, 2);
	size_t n = strlen(t.s);

	if (isfinite(percent))
		snprintf(t.s + n, sizeof(t.s) - n, " %%");
	return t;
}

struct text format_change(double percent)
{
	struct text t, number;

	if (!isfinite(percent))
		return not_available();
	number = format_number(percent, 2);
	snprintf(t.s, sizeof(t.s), "%s%.40s %%", number.s[0] == '-' ? "" : "+", number.s);
	return t;
}

struct text format_seconds(uint64_t ns)
{
	struct text t;
	uint64_t ms = ns / 1000000 + (ns % 1000000 >= 500000);
	size_t n;

	t = format_count(ms / 1000);
	n = strlen(t.s);
	snprintf(t.s + n, sizeof(t.s) - n, ".%03u", (unsigned int)(ms % 1000));
	n = strlen(t.s);
	for (int dropped = 0; dropped < 2 && t.s[n - 1] == '0'; dropped++)
		t.s[--n] = '\0';
	snprintf(t.s + n, sizeof(t.s) - n, " s");
	return t;
}

double count_value(uint64_t n)
{
	return n == COUNT_UNKNOWN ? NAN : (double)n;
}

double percent_of(uint64_t part, uint64_t whole)
{
	if (!whole)
		return NAN;
	return 100.0 * count_value(part) / count_value(whole);
}

double percent_change(double before, double after)
{
	if (before == 0.0)
		return NAN;
	return 100.0 * (after - before) / before;
}

/*
 * Length of the UTF-8 character at @s, 0 when it is none: overlong forms, surrogates, values above
 * U+10FFFF and cut sequences are none.
 */
static size_t utf8_length(const unsigned char *s, size_t len, uint32_t *character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;
	uint32_t c;

	if (!n || n > len)
		return 0;
	c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*character = c;
	return n;
}

/* Characters that steer a terminal or reorder what stands around them. */
static bool harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0x200e ||
	       c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t escape_text(const char *s, size_t len, char *out, size_t size)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n = 0, i = 0;

	while (i < len) {
		uint32_t c = 0;
		size_t take = utf8_length(p + i, len - i, &c);
		bool keep = take && !harmful(c);

		if (!take)
			take = 1;
		if (n + (keep ? take : 4 * take) + 1 > size)
			break;
		for (size_t k = 0; k < take; k++, i++) {
			if (keep)
				out[n++] = s[i];
			else
				n += (size_t)snprintf(out + n, 5, "\\x%02x", p[i]);
		}
	}
	if (size)
		out[n] = '\0';
	return n;
}

void print_html(FILE *f, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			fputc(*s, f);
		}
	}
}

void print_gnuplot(FILE *f, const char *s)
{
	fputc('\'', f);
	for (; *s; s++) {
		/* Doubling is the only escape there is between single quotes. */
		if (*s == '\'')
			fputc('\'', f);
		fputc(*s, f);
	}
	fputc('\'', f);
}

size_t text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}
