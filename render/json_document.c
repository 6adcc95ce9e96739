// SPDX-License-Identifier: GPL-2.0
#include "render/json_document.h"

#include <errno.h>

int json_document_write(json_t *o, int failed, const char *what, FILE *f, struct error *e)
{
	int ret = failed;

	if (ret == -ERANGE)
		error_set(e, ret, "a count above 2^63-1 cannot be written as JSON");
	else if (ret)
		error_set(e, ret, "out of memory");
	errno = EIO;
	if (!ret && (json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) || ferror(f)))
		ret = error_errno(e, -errno, "cannot write the %s", what);
	if (!ret)
		fputc('\n', f);
	json_decref(o);
	return ret;
}
