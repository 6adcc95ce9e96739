/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BCC_COMPILE_H
#define SWAPTRACE_BPF_BCC_COMPILE_H

#include <signal.h>

#include "bpf/bcc/programs.h"
#include "common/error.h"

/* The programs as one text, made of the files in bpf/ when swaptrace was built. */
extern const char bcc_program_text[];

/**
 * bcc_library_unusable - why this program can't call libbcc at all; NULL: it may
 * A program without shared libraries can't.
 */
const char *bcc_library_unusable(void);

/* The functions of libbcc in use. Their library is large, and only recording without BTF needs it,
 * so it is loaded when it is called for. */
struct bcc_library;

/** bcc_library_open - load libbcc; NULL and a text where it can't be. It stays until the end. */
const struct bcc_library *bcc_library_open(struct error *e);

/**
 * bcc_library_compile - compile a text, write its programs to @out (bcc_program_write)
 * The compiler writes to standard error. Returns 0, -ENOEXEC when it refuses the text.
 */
int bcc_library_compile(const struct bcc_library *l, const char *text, const char **flags,
			int nflags, FILE *out);

/**
 * bcc_compile - compile a text in a process of its own
 * The compiler takes some 200 MB, and what it leaves behind must not be locked into memory or
 * swapped while recording. @stop as in bpf_backend_prepare(). @out is freed by the caller in any
 * case. Returns 0 or an error with what the compiler said first.
 */
int bcc_compile(const char *text, const char **flags, int nflags, const volatile sig_atomic_t *stop,
		struct bcc_programs *out, struct error *e);

/**
 * bcc_headers_check - whether libbcc will find the headers of the running kernel
 * @root: where /lib/modules and /sys are, normally ""
 * Looks where libbcc looks: BCC_KERNEL_SOURCE, /lib/modules/RELEASE/build (and source),
 * /sys/kernel/kheaders.tar.xz. Returns 0, or -ENOENT with what to do.
 */
int bcc_headers_check(const char *root, const char *release, struct error *e);

#endif
