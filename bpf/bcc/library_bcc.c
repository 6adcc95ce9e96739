// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#include <bcc/bcc_common.h>

#include "bpf/bcc/compile.h"

#define LIBRARY "libbcc.so.0"

/* The types come from the header, so that a library of another age is found by the compiler. */
struct bcc_library {
	__typeof__(bpf_module_create_c_from_string) *create;
	__typeof__(bpf_module_destroy) *destroy;
	__typeof__(bpf_num_functions) *functions;
	__typeof__(bpf_function_name) *name;
	__typeof__(bpf_function_start_id) *start;
	__typeof__(bpf_function_size_id) *size;
};

const char *bcc_library_unusable(void)
{
	return NULL;
}

static bool find(void *handle, const char *name, void *place)
{
	void *symbol = dlsym(handle, name);

	*(void **)place = symbol;
	return symbol;
}

const struct bcc_library *bcc_library_open(struct error *e)
{
	static struct bcc_library l;
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		error_set(e, -ELIBACC, "%s; install the package libbpfcc", dlerror());
		return NULL;
	}
	if (find(handle, "bpf_module_create_c_from_string", &l.create) &&
	    find(handle, "bpf_module_destroy", &l.destroy) &&
	    find(handle, "bpf_num_functions", &l.functions) &&
	    find(handle, "bpf_function_name", &l.name) &&
	    find(handle, "bpf_function_start_id", &l.start) &&
	    find(handle, "bpf_function_size_id", &l.size))
		return &l;
	error_set(e, -ELIBBAD,
		  LIBRARY ": has not the functions of the one that swaptrace was "
			  "built with; install the same version or build again");
	return NULL;
}

int bcc_library_compile(const struct bcc_library *l, const char *text, const char **flags,
			int nflags, FILE *out)
{
	void *module = l->create(text, 0, flags, nflags, true, NULL);
	int err = 0;

	if (!module)
		return -ENOEXEC;
	for (size_t i = 0; i < l->functions(module) && !err; i++)
		err = bcc_program_write(out, l->name(module, i), l->start(module, i),
					(uint32_t)(l->size(module, i) / sizeof(struct bpf_insn)));
	l->destroy(module);
	return err;
}
