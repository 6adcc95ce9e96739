// SPDX-License-Identifier: GPL-2.0
#include "traces/number.h"

#include <string.h>

bool number_decimal(const char *s, size_t len, uint64_t *v)
{
	uint64_t n = 0;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned int digit = (unsigned int)(unsigned char)s[i] - '0';

		if (digit > 9 || n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*v = n;
	return true;
}

int number_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool has_0x(const char *s, size_t len)
{
	return len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

bool number_hex(const char *s, size_t len, uint64_t *v)
{
	uint64_t n = 0;

	if (has_0x(s, len)) {
		s += 2;
		len -= 2;
	}
	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		int digit = number_hex_digit(s[i]);

		if (digit < 0 || n >> 60)
			return false;
		n = n << 4 | (uint64_t)digit;
	}
	*v = n;
	return true;
}

bool number_u64(const char *s, size_t len, uint64_t *v)
{
	return has_0x(s, len) ? number_hex(s, len, v) : number_decimal(s, len, v);
}

bool number_i64(const char *s, size_t len, int64_t *v)
{
	bool minus = len && s[0] == '-';
	uint64_t n;

	if (!number_u64(s + minus, len - minus, &n))
		return false;
	if (n > (uint64_t)INT64_MAX + minus)
		return false;
	*v = (int64_t)(minus ? 0 - n : n);
	return true;
}

size_t number_put_u64(char *out, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

size_t number_put_hex(char *out, uint64_t v)
{
	unsigned int nibbles = v ? (67 - (unsigned int)__builtin_clzll(v)) / 4 : 1;

	memcpy(out, "0x", 2);
	for (unsigned int i = 0; i < nibbles; i++)
		out[2 + i] = "0123456789abcdef"[v >> (4 * (nibbles - 1 - i)) & 15];
	return 2 + nibbles;
}
