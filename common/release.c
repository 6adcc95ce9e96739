// SPDX-License-Identifier: GPL-2.0
#include "common/release.h"

#include <ctype.h>
#include <stddef.h>

/* Decimal digits at @s; returns what follows them, NULL where there are none or too many. */
static const char *number(const char *s, unsigned int *out)
{
	unsigned int n = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++) {
		n = n * 10 + (unsigned int)(*s - '0');
		if (n > 9999)
			return NULL;
	}
	*out = n;
	return s;
}

bool kernel_release_parse(struct kernel_release *r, const char *text)
{
	struct kernel_release got = { 0 };
	const char *s = number(text, &got.major);

	if (!s || *s != '.')
		return false;
	s = number(s + 1, &got.minor);
	if (s && *s == '.' && isdigit((unsigned char)s[1]))
		s = number(s + 1, &got.patch);
	if (!s || isalnum((unsigned char)*s))
		return false;
	*r = got;
	return true;
}

static int compare(unsigned int a, unsigned int b)
{
	return (a > b) - (a < b);
}

int kernel_release_compare(const struct kernel_release *a, const struct kernel_release *b)
{
	int order = compare(a->major, b->major);

	if (!order)
		order = compare(a->minor, b->minor);
	return order ? order : compare(a->patch, b->patch);
}
