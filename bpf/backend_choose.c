// SPDX-License-Identifier: GPL-2.0
#include "bpf/backend_choose.h"

#include <errno.h>
#include <string.h>

#define WITHOUT_BCC "built without bcc: install libbpfcc-dev and build again"

bool backend_built_with_bcc(void)
{
#ifdef HAVE_BCC
	return true;
#else
	return false;
#endif
}

static int without_btf(const struct backend_facts *f, const char *what, struct error *e)
{
	return error_set(e, -ENOTSUP, "%s; %s", f->no_btf ? f->no_btf : "this kernel has no BTF",
			 what);
}

int backend_choose(const char *asked, const struct backend_facts *f, enum backend_kind *out,
		   struct error *e)
{
	bool any = !strcmp(asked, "auto");

	if (!any && strcmp(asked, "libbpf") && strcmp(asked, "bcc"))
		return error_set(e, -EINVAL, "--backend %s: must be auto, libbpf or bcc", asked);
	*out = !strcmp(asked, "bcc") || (any && !f->have_btf) ? BACKEND_BCC : BACKEND_LIBBPF;
	if (*out == BACKEND_LIBBPF && !f->have_btf)
		return without_btf(f, "--backend libbpf cannot do without, --backend bcc can", e);
	if (*out == BACKEND_LIBBPF || f->have_bcc)
		return 0;
	if (any)
		return without_btf(
			f, "the bcc backend needs none, but this swaptrace was " WITHOUT_BCC, e);
	return error_set(e, -ENOTSUP, "--backend bcc: this swaptrace was " WITHOUT_BCC);
}
