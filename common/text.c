// SPDX-License-Identifier: GPL-2.0
#include "common/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

struct clean_text clean(const char *s)
{
	struct clean_text t;

	escape_text(s, strlen(s), t.s, sizeof(t.s));
	return t;
}

size_t text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}
