/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_BPF_BCC_PROGRAMS_H
#define SWAPTRACE_BPF_BCC_PROGRAMS_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Programs as the compiler gave them, and what has to be done to them before the kernel gets them:
 * libbcc generates code for the first BPF processors and knows no calls between functions, so two
 * things stand in the code as place-holders (bcc/headers.bpf.h).
 */

#define BCC_NAME_MAX 64
#define BCC_INSNS_MAX 65536 /* of one program; more is not believed */

struct bcc_program {
	char name[BCC_NAME_MAX];
	struct bpf_insn *insns;
	uint32_t n;
	uint32_t step; /* after bcc_program_finish(): where the function begins that a loop calls,
			  0: none */
};

struct bcc_programs {
	struct bcc_program *p;
	size_t n;
};

/* Functions that loops call, by the number that stands for them, from 1. */
extern const char *const bcc_step_names[];
extern const size_t bcc_step_count;

/**
 * bcc_programs_write - one program to a stream, as bcc_programs_read() takes it
 * Returns 0 or a negative errno.
 */
int bcc_program_write(FILE *f, const char *name, const struct bpf_insn *insns, uint32_t n);

/**
 * bcc_programs_read - all programs of a stream
 * Returns 0, -EBADMSG for a stream that breaks off or holds what can't be, -ENOMEM. The caller
 * frees @out with bcc_programs_free() in any case.
 */
int bcc_programs_read(FILE *f, struct bcc_programs *out);
void bcc_programs_free(struct bcc_programs *a);

/** bcc_program_find - by name; NULL: there is none */
struct bcc_program *bcc_program_find(struct bcc_programs *a, const char *name);

/**
 * bcc_program_finish - make a program that the kernel takes
 * @out: gets a new array of instructions, to be freed by the caller; its name is @p's
 * Additions to memory become those that tell what was there before. The number of a loop's step
 * becomes the distance to the step, which is put behind the program. Returns 0; -EBADMSG for a call
 * of a function or a step that is not there, or two different steps in one program; -ENOMEM.
 */
int bcc_program_finish(struct bcc_programs *a, const struct bcc_program *p,
		       struct bcc_program *out);

#endif
