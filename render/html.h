/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_RENDER_HTML_H
#define SWAPTRACE_RENDER_HTML_H

#include <stdio.h>

#include "render/document.h"

/**
 * html_write - a document as one page that needs nothing else: no network, no script, no other file
 * @title: of the page, harmless text (escape_text()); markup in it is escaped here
 * @dirfd: folder with NAME.svg of the document's pictures, which are put into the page; a picture
 * that is not there is shown as its text plot. -1: all are Returns 0, -ENOMEM; errors of @f are
 * left in @f.
 */
int html_write(const struct document *d, const char *title, int dirfd, FILE *f);

#endif
