// SPDX-License-Identifier: GPL-2.0
#include "bpf/bcc/programs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Names that the headers of older build machines do not have. */
#define ATOMIC_CODE (BPF_STX | BPF_DW | 0xc0)
#define ATOMIC_ADD 0x00
#define ATOMIC_FETCH 0x01
#define LOAD_64 (BPF_LD | BPF_DW | BPF_IMM)
#define PSEUDO_FUNC 4
#define PSEUDO_CALL 1
#define CALL (BPF_JMP | BPF_CALL)

const char *const bcc_step_names[] = { "unref_step", "cluster_step", "snapshot_step" };
const size_t bcc_step_count = sizeof(bcc_step_names) / sizeof(bcc_step_names[0]);

int bcc_program_write(FILE *f, const char *name, const struct bpf_insn *insns, uint32_t n)
{
	char padded[BCC_NAME_MAX] = "";

	if (strlen(name) >= sizeof(padded) || !n || n > BCC_INSNS_MAX)
		return -EBADMSG;
	memcpy(padded, name, strlen(name));
	if (fwrite(padded, sizeof(padded), 1, f) != 1 || fwrite(&n, sizeof(n), 1, f) != 1 ||
	    fwrite(insns, sizeof(*insns), n, f) != n)
		return -EIO;
	return 0;
}

static int read_program(FILE *f, struct bcc_program *p)
{
	if (fread(&p->n, sizeof(p->n), 1, f) != 1 || p->name[BCC_NAME_MAX - 1] || !p->name[0] ||
	    !p->n || p->n > BCC_INSNS_MAX)
		return -EBADMSG;
	p->insns = malloc(p->n * sizeof(*p->insns));
	if (!p->insns)
		return -ENOMEM;
	return fread(p->insns, sizeof(*p->insns), p->n, f) == p->n ? 0 : -EBADMSG;
}

int bcc_programs_read(FILE *f, struct bcc_programs *out)
{
	struct bcc_program p = { .n = 0 };
	size_t got;
	int err;

	memset(out, 0, sizeof(*out));
	while ((got = fread(p.name, 1, sizeof(p.name), f)) == sizeof(p.name)) {
		struct bcc_program *more = realloc(out->p, (out->n + 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		out->p = more;
		p.insns = NULL;
		p.step = 0;
		err = read_program(f, &p);
		out->p[out->n++] = p;
		if (err)
			return err;
	}
	return got || !out->n ? -EBADMSG : 0;
}

void bcc_programs_free(struct bcc_programs *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->p[i].insns);
	free(a->p);
	memset(a, 0, sizeof(*a));
}

struct bcc_program *bcc_program_find(struct bcc_programs *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->p[i].name, name))
			return &a->p[i];
	return NULL;
}

static bool is_step(const struct bpf_insn *i)
{
	return i->code == LOAD_64 && i->src_reg == PSEUDO_FUNC;
}

/* The number of the only step that a program calls into *@step, 0: none. */
static int find_step(const struct bcc_program *p, uint32_t *step)
{
	*step = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct bpf_insn *insn = &p->insns[i];

		if (insn->code == CALL && insn->src_reg == PSEUDO_CALL)
			return -EBADMSG;
		if (is_step(insn)) {
			if (insn->imm < 1 || (size_t)insn->imm > bcc_step_count ||
			    (*step && *step != (uint32_t)insn->imm))
				return -EBADMSG;
			*step = (uint32_t)insn->imm;
		}
		/* A load of 64 bits is two instructions, and the second is no instruction. */
		i += insn->code == LOAD_64;
	}
	return 0;
}

static void put_in(struct bcc_program *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct bpf_insn *insn = &p->insns[i];

		if (insn->code == ATOMIC_CODE && insn->imm == ATOMIC_ADD)
			insn->imm = ATOMIC_ADD | ATOMIC_FETCH;
		if (is_step(insn))
			insn->imm = (int32_t)(p->step - i - 1);
		i += insn->code == LOAD_64;
	}
}

int bcc_program_finish(struct bcc_programs *a, const struct bcc_program *p, struct bcc_program *out)
{
	const struct bcc_program *step = NULL;
	uint32_t number, none;
	int err = find_step(p, &number);

	memset(out, 0, sizeof(*out));
	if (!err && number) {
		step = bcc_program_find(a, bcc_step_names[number - 1]);
		err = step ? find_step(step, &none) : -EBADMSG;
		if (!err && none)
			err = -EBADMSG;
	}
	if (err)
		return err;
	out->n = p->n + (step ? step->n : 0);
	out->insns = malloc(out->n * sizeof(*out->insns));
	if (!out->insns)
		return -ENOMEM;
	memcpy(out->name, p->name, sizeof(out->name));
	memcpy(out->insns, p->insns, p->n * sizeof(*p->insns));
	if (step)
		memcpy(out->insns + p->n, step->insns, step->n * sizeof(*step->insns));
	out->step = step ? p->n : 0;
	put_in(out);
	return 0;
}
