/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BTF_FILE_H
#define SWAPTRACE_BPF_BTF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * A kernel's BTF (/sys/kernel/btf/vmlinux), read without libbpf: what its functions take and
 * return, and what its structures hold. Types are told as text: the name without struct or enum, a
 * * for each pointer ("folio*", "swap_iocb**", "unsigned long"), qualifiers left out.
 */
struct btf_file;

/**
 * btf_file_open - read and check a raw BTF file
 * @out: freed with btf_file_close(); NULL after an error
 * Returns 0; -ENOENT: no such file, -ENODATA: it is empty, -EBADMSG: it is not BTF, or damaged, or
 * of a machine with another byte order. The text says which, and what to do.
 */
int btf_file_open(struct btf_file **out, const char *path, struct error *e);
void btf_file_close(struct btf_file *b);

/** btf_file_is_kernel - whether it describes a kernel that swaps, and not some module or program */
bool btf_file_is_kernel(const struct btf_file *b);

/**
 * btf_file_prototype - the @nth function of that name, from 0
 * @out: "int(folio*:folio,swap_iocb**:plug)": the type that it returns, of each argument type and
 * name Returns false when there is none, or when the text has no room.
 */
bool btf_file_prototype(const struct btf_file *b, const char *name, unsigned int nth, char *out,
			size_t size);

/** btf_file_returns_struct - whether a function of that name returns a structure, which fexit can't
 * see */
bool btf_file_returns_struct(const struct btf_file *b, const char *name);

/**
 * btf_file_member - the type of a member of a structure or union, anonymous parts included
 * @out: the type as text; an array has its length behind it, "folio*[31]"
 * Returns false when there is no such structure or member.
 */
bool btf_file_member(const struct btf_file *b, const char *structure, const char *member, char *out,
		     size_t size);

/** btf_prototype_matches - whether a prototype is one of the known forms
 * @prototype: as btf_file_prototype() tells it
 * @forms: the same text, with names of arguments left out where they do not matter ("folio*"), or
 * several of them
 * ("unsigned int:nr|nr_pages"); forms are separated by blanks and a semicolon (" ; "). NULL: any
 * prototype will do.
 */
bool btf_prototype_matches(const char *prototype, const char *forms);

#endif
