/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BTF_FILE_H
#define SWAPTRACE_BPF_BTF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * The kernel's BTF, as far as a hook plan needs it: which functions it describes. Only these can be
 * attached to by fentry and fexit. Reads a raw BTF file (/sys/kernel/btf/vmlinux) without libbpf.
 */

struct btf_function {
	const char *name;
	bool present;
	bool returns_struct; /* fexit is refused */
	unsigned int arguments;
};

/**
 * btf_file_read - look functions up
 * @path: raw BTF
 * @f, @n: the names; the other fields are filled
 * Returns 0; -ENOENT: no such file, -ENODATA: it is empty, -EBADMSG: it is no BTF, or damaged, or
 * of a machine with another byte order. The text says which, and what to do.
 */
int btf_file_read(const char *path, struct btf_function *f, size_t n, struct error *e);

#endif
