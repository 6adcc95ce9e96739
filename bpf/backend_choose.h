/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BACKEND_CHOOSE_H
#define SWAPTRACE_BPF_BACKEND_CHOOSE_H

#include <stdbool.h>

#include "common/error.h"

/* What loads the programs: libbpf places them by the kernel's BTF, bcc compiles them on the spot.
 */
enum backend_kind { BACKEND_LIBBPF, BACKEND_BCC };

/* What the choice depends on. */
struct backend_facts {
	bool have_btf;	    /* of the running kernel, and not to be left aside */
	const char *no_btf; /* why there is none, for a message */
	bool have_bcc;	    /* this program was built with bcc */
};

/**
 * backend_choose - which backend is to record
 * @asked: auto, libbpf or bcc
 * auto takes libbpf where the kernel has BTF, otherwise bcc. Returns 0; -EINVAL for another word;
 * -ENOTSUP with what to do when the kernel or this build does not have what the choice needs.
 */
int backend_choose(const char *asked, const struct backend_facts *f, enum backend_kind *out,
		   struct error *e);

/** backend_built_with_bcc - whether this program has the bcc backend */
bool backend_built_with_bcc(void);

#endif
