// SPDX-License-Identifier: GPL-2.0
#include "render/format.h"

#include <inttypes.h>
#include <math.h>
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
