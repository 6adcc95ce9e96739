/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_TEXT_H
#define SWAPTRACE_COMMON_TEXT_H

#include <stddef.h>

/* Foreign strings made fit to be shown. */

/**
 * escape_text - foreign bytes made harmless and valid UTF-8
 * @s, @len: any bytes, NUL included
 * @out, @size: 4 * len + 1 bytes always suffice; what does not fit is cut at a whole character
 * Control characters (C0, DEL, C1), bidirectional controls and bytes that are not UTF-8 become
 * \xHH, one per byte; all else is kept as it is, backslashes included. Returns the length.
 */
size_t escape_text(const char *s, size_t len, char *out, size_t size);

/* A foreign string made harmless, by value so that `printf("%s", clean(path).s)` needs no buffer.
 */
struct clean_text {
	char s[4096];
};

/** clean - escape_text() of a string; what does not fit is cut */
struct clean_text clean(const char *s);

/** text_width - columns a string takes: its UTF-8 characters */
size_t text_width(const char *s);

#endif
