// SPDX-License-Identifier: GPL-2.0
#include "traces/number.h"
#include "traces/trace.h"

static bool plain(unsigned char c)
{
	return c > 0x20 && c < 0x7f && c != '\\';
}

static size_t put_escape(char *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	out[0] = '\\';
	out[1] = 'x';
	out[2] = hex[c >> 4];
	out[3] = hex[c & 15];
	return 4;
}

size_t escape_bytes(const char *s, size_t len, char *out, size_t size)
{
	size_t n = 0;
	/* "-" alone would read as unknown. */
	bool dash = len == 1 && s[0] == '-';

	if (!len && size >= 3) {
		out[n++] = '\\';
		out[n++] = 'x';
	}
	for (size_t i = 0; i < len && n + 5 <= size; i++) {
		if (plain((unsigned char)s[i]) && !dash)
			out[n++] = s[i];
		else
			n += put_escape(out + n, (unsigned char)s[i]);
	}
	if (size)
		out[n] = '\0';
	return n;
}

size_t unescape_bytes(const char *s, size_t len, char *out, size_t size)
{
	size_t n = 0;

	if (len == 2 && s[0] == '\\' && s[1] == 'x')
		len = 0;
	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (c == '\\') {
			int high = i + 3 < len ? number_hex_digit(s[i + 2]) : -1;
			int low = i + 3 < len ? number_hex_digit(s[i + 3]) : -1;

			if (high < 0 || low < 0 || s[i + 1] != 'x')
				return (size_t)-1;
			c = (char)(high << 4 | low);
			i += 3;
		}
		if (n + 1 >= size)
			return (size_t)-1;
		out[n++] = c;
	}
	if (size)
		out[n] = '\0';
	return n;
}
