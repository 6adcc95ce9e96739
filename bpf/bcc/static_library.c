// SPDX-License-Identifier: GPL-2.0
/* In the place of library_bcc.c where there are no shared libraries. */
#include <errno.h>

#include "bpf/bcc/compile.h"

const char *bcc_library_unusable(void)
{
	return "this swaptrace is statically linked and cannot load libbcc; use the one that "
	       "'make' "
	       "builds";
}

const struct bcc_library *bcc_library_open(struct error *e)
{
	error_set(e, -ELIBACC, "%s", bcc_library_unusable());
	return NULL;
}

int bcc_library_compile(const struct bcc_library *l, const char *text, const char **flags,
			int nflags, FILE *out)
{
	(void)l;
	(void)text;
	(void)flags;
	(void)nflags;
	(void)out;
	return -ELIBACC;
}
