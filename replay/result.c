// SPDX-License-Identifier: GPL-2.0
#include "replay/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

void replay_result_free(struct replay_result *r)
{
	histogram_free(&r->readahead.windows);
	histogram_free(&r->readahead.cluster_windows);
	histogram_free(&r->readahead.vma_windows);
	for (unsigned int i = 0; i < r->nphases; i++) {
		histogram_free(&r->phases[i].cluster_windows);
		histogram_free(&r->phases[i].vma_windows);
	}
	alloc_result_free(&r->alloc);
	free(r->phases);
	free(r->slices);
	free(r->swapoffs);
	lru_result_free(&r->lru);
	memset(r, 0, sizeof(*r));
}

void verify_result_missing(struct verify_result *v, const char *what)
{
	size_t len = strlen(v->missing);

	snprintf(v->missing + len, sizeof(v->missing) - len, "%s%s", len ? ", " : "", what);
}

void replay_result_note(struct replay_result *r, const char *fmt, ...)
{
	char text[sizeof(r->notes[0])];
	va_list ap;

	if (r->nnotes == sizeof(r->notes) / sizeof(r->notes[0]))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* Notes name what is in traces and policies, and are shown as they are. */
	escape_text(text, strlen(text), r->notes[r->nnotes++], sizeof(r->notes[0]));
}
