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

/** text_width - columns a string takes: its UTF-8 characters */
size_t text_width(const char *s);

#endif
