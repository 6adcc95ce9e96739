// SPDX-License-Identifier: GPL-2.0
/*
 * Which backend records, and what the bcc backend makes of the compiler's programs before the
 * kernel gets them. The instructions are written by hand from the kernel's description of them
 * (Documentation/bpf/standardization/instruction-set.rst): a load of 64 bits takes two places, an
 * atomic addition has the immediate 0 and 1 with the old value, the immediate of a function's
 * address counts instructions from the one behind it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf/backend_choose.h"
#include "bpf/bcc/programs.h"

/* ---- the choice ---- */

static void choose(const char *asked, bool btf, bool bcc, int want, enum backend_kind kind,
		   const char *text)
{
	struct backend_facts f = { .have_btf = btf, .no_btf = "none here", .have_bcc = bcc };
	enum backend_kind got = BACKEND_LIBBPF;
	struct error e = { 0 };

	assert_int_equal(backend_choose(asked, &f, &got, &e), want);
	if (!want)
		assert_int_equal(got, kind);
	else
		assert_non_null(strstr(e.text, text));
}

static void test_choice(void **state)
{
	static const char build[] = "built without bcc: install libbpfcc-dev and build again";

	(void)state;
	choose("auto", true, true, 0, BACKEND_LIBBPF, NULL);
	choose("auto", true, false, 0, BACKEND_LIBBPF, NULL);
	choose("auto", false, true, 0, BACKEND_BCC, NULL);
	choose("auto", false, false, -ENOTSUP, 0, build);
	choose("auto", false, false, -ENOTSUP, 0, "none here; the bcc backend needs none");
	choose("libbpf", true, true, 0, BACKEND_LIBBPF, NULL);
	choose("libbpf", false, true, -ENOTSUP, 0, "none here; --backend libbpf cannot do without");
	choose("bcc", true, true, 0, BACKEND_BCC, NULL);
	choose("bcc", false, true, 0, BACKEND_BCC, NULL);
	choose("bcc", true, false, -ENOTSUP, 0, build);
	choose("BCC", true, true, -EINVAL, 0, "--backend BCC: must be auto, libbpf or bcc");
}

/* ---- programs ---- */

#define LOAD(register, kind, value)                                                                \
	{ .code = 0x18, .dst_reg = register, .src_reg = kind, .imm = value },                      \
	{                                                                                          \
		.code = 0                                                                          \
	}
#define ADD(place, value)                                                                          \
	{                                                                                          \
		.code = 0xdb, .dst_reg = place, .src_reg = value                                   \
	}
#define AND(place, value)                                                                          \
	{                                                                                          \
		.code = 0xdb, .dst_reg = place, .src_reg = value, .imm = 0x50                      \
	}
#define HELPER(number)                                                                             \
	{                                                                                          \
		.code = 0x85, .imm = number                                                        \
	}
#define EXIT                                                                                       \
	{                                                                                          \
		.code = 0x95                                                                       \
	}
#define COUNT(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))

static const struct bpf_insn looping[] = {
	LOAD(1, 1, 5), /* a map: the number stays */
	LOAD(2, 4, 1), /* the first step */
	HELPER(181),   AND(1, 2), LOAD(3, 0, 0xdb), EXIT,
};
static const struct bpf_insn step[] = { ADD(1, 2), EXIT };

static struct bcc_programs stored(const struct bpf_insn *p, uint32_t n)
{
	struct bcc_programs all;
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(bcc_program_write(f, "kp_one", p, n), 0);
	assert_int_equal(bcc_program_write(f, "unref_step", step, COUNT(step)), 0);
	rewind(f);
	assert_int_equal(bcc_programs_read(f, &all), 0);
	fclose(f);
	assert_int_equal(all.n, 2);
	return all;
}

static void test_finish(void **state)
{
	struct bcc_programs all = stored(looping, COUNT(looping));
	struct bcc_program out;

	(void)state;
	assert_null(bcc_program_find(&all, "kp_two"));
	assert_int_equal(bcc_program_finish(&all, bcc_program_find(&all, "kp_one"), &out), 0);
	assert_string_equal(out.name, "kp_one");
	assert_int_equal(out.n, 11); /* 9 and 2 */
	assert_int_equal(out.step, 9);
	assert_int_equal(out.insns[0].imm, 5);
	assert_int_equal(out.insns[2].imm, 9 - 2 - 1);
	assert_int_equal(out.insns[5].imm, 0x50);  /* no addition */
	assert_int_equal(out.insns[6].imm, 0xdb);  /* a number that looks like one */
	assert_int_equal(out.insns[9].code, 0xdb); /* the step's addition */
	assert_int_equal(out.insns[9].imm, 1);
	free(out.insns);
	assert_int_equal(bcc_program_finish(&all, bcc_program_find(&all, "unref_step"), &out), 0);
	assert_int_equal(out.n, 2);
	assert_int_equal(out.step, 0);
	assert_int_equal(out.insns[0].imm, 1);
	free(out.insns);
	bcc_programs_free(&all);
}

/* What the kernel would refuse without a word that helps. */
static void refused(const struct bpf_insn *p, uint32_t n)
{
	struct bcc_programs all = stored(p, n);
	struct bcc_program out;

	assert_int_equal(bcc_program_finish(&all, bcc_program_find(&all, "kp_one"), &out),
			 -EBADMSG);
	assert_null(out.insns);
	bcc_programs_free(&all);
}

static void test_refused(void **state)
{
	static const struct bpf_insn no_such_step[] = { LOAD(2, 4, 3), EXIT };
	static const struct bpf_insn step_not_there[] = { LOAD(2, 4, 2), EXIT };
	static const struct bpf_insn two_steps[] = { LOAD(2, 4, 1), LOAD(2, 4, 2), EXIT };
	static const struct bpf_insn calls[] = { { .code = 0x85, .src_reg = 1, .imm = -1 }, EXIT };

	(void)state;
	refused(no_such_step, COUNT(no_such_step));
	refused(step_not_there, COUNT(step_not_there));
	refused(two_steps, COUNT(two_steps));
	refused(calls, COUNT(calls));
}

/* A compiler that died leaves half a stream. */
static void test_streams(void **state)
{
	struct bcc_programs all;
	char bytes[512];
	FILE *f = tmpfile();
	long whole;

	(void)state;
	assert_non_null(f);
	assert_int_equal(bcc_program_write(f, "kp_one", looping, 0), -EBADMSG);
	assert_int_equal(bcc_program_write(f, "kp_one", looping, COUNT(looping)), 0);
	whole = ftell(f);
	rewind(f);
	assert_int_equal(fread(bytes, 1, (size_t)whole, f), whole);
	fclose(f);
	for (size_t len = 1; len < (size_t)whole; len++) {
		f = fmemopen(bytes, len, "r");
		assert_int_equal(bcc_programs_read(f, &all), -EBADMSG);
		bcc_programs_free(&all);
		fclose(f);
	}
	memset(bytes + BCC_NAME_MAX, 0xff, 4); /* a length that can't be */
	f = fmemopen(bytes, (size_t)whole, "r");
	assert_int_equal(bcc_programs_read(f, &all), -EBADMSG);
	bcc_programs_free(&all);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
