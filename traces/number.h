/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_TRACES_NUMBER_H
#define SWAPTRACE_TRACES_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Exact numbers of text: the whole of the @len bytes at @s must be the number, no sign where none
 * is allowed, no space, no overflow. All return false and leave *@v alone otherwise.
 */

/** number_hex_digit - value of a hexadecimal digit, -1 for another character */
int number_hex_digit(char c);

/** number_u64 - decimal, or hexadecimal after 0x */
bool number_u64(const char *s, size_t len, uint64_t *v);

/** number_decimal - decimal only */
bool number_decimal(const char *s, size_t len, uint64_t *v);

/** number_hex - hexadecimal, with or without 0x */
bool number_hex(const char *s, size_t len, uint64_t *v);

/** number_i64 - decimal with an optional minus sign, or hexadecimal after 0x */
bool number_i64(const char *s, size_t len, int64_t *v);

/** number_put_u64 - write @v in decimal at @out (20 bytes are enough, no NUL); returns the length
 */
size_t number_put_u64(char *out, uint64_t v);

/** number_put_hex - write 0x and @v in hexadecimal at @out (18 bytes are enough, no NUL) */
size_t number_put_hex(char *out, uint64_t v);

#endif
