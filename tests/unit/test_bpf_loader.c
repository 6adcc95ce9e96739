// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and attaching against a kernel made of two functions: fentry that is not supported
 * (case 50), a verifier that refuses one program (55), an old libbpf (57).
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

#include "bpf/loader.h"
#include "traces/missing_returns.h"

#define ENOTSUPP 524

static struct hook_choice choices[HOOKS_MAX];

/* A kernel that has the first candidate of every hook and BTF for all of them. */
static int all_there(void **state)
{
	static struct symbol copy = { .name = "function",
				      .address = 0xffffffff81000000,
				      .function = true };

	(void)state;
	for (size_t i = 0; i < hook_plan_len; i++)
		choices[i] = (struct hook_choice){
			.hook = &hook_plan[i],
			.symbol = &hook_plan[i].symbols[0],
			.copies = { &copy },
			.n = 1,
			.kinds = { ATTACH_FENTRY, ATTACH_KPROBE },
			.nkinds = 2,
		};
	return 0;
}

/* What the stub kernel refuses, and what was said. */
struct stub {
	int fentry_attach; /* error of every fentry attachment */
	int kprobe_attach;
	const char *refuse_event; /* the verifier refuses this event's programs in every kind */
	int refuse_error;
	const char *log;
	int load_error; /* of the whole load */
	unsigned int loads, unloads, attached, warnings, logs;
	char said[4096];
};

static int stub_load(void *ctx, const struct hook_choice *c, const enum attach_kind *kinds,
		     size_t *failed, const char **log)
{
	struct stub *s = ctx;

	s->loads++;
	if (s->load_error)
		return s->load_error;
	for (size_t i = 0; i < hook_plan_len && s->refuse_event; i++) {
		if (kinds[i] == ATTACH_NONE || !c[i].hook->event ||
		    strcmp(c[i].hook->event, s->refuse_event))
			continue;
		*failed = i;
		*log = s->log;
		return s->refuse_error;
	}
	return 0;
}

static int stub_attach(void *ctx, const struct hook_choice *c, size_t i, enum attach_kind kind)
{
	struct stub *s = ctx;
	int err = kind == ATTACH_FENTRY ? s->fentry_attach : s->kprobe_attach;

	(void)c;
	(void)i;
	s->attached += !err;
	return err;
}

static void stub_unload(void *ctx)
{
	struct stub *s = ctx;

	s->unloads++;
	s->attached = 0;
}

static const struct bpf_backend_ops ops = { stub_load, stub_attach, stub_unload };

static void hear(void *arg, const char *text)
{
	struct stub *s = arg;
	size_t len = strlen(s->said);

	s->warnings++;
	snprintf(s->said + len, sizeof(s->said) - len, "%s\n", text);
}

static void hear_log(void *arg, const char *program, const char *text)
{
	struct stub *s = arg;

	(void)program;
	(void)text;
	s->logs++;
}

static int run(struct stub *s, unsigned int groups, struct loader_result *r, struct error *e)
{
	const struct loader_messages m = { hear, hear_log, s };

	return loader_run(&ops, s, choices, groups, "6.99.0-test", &m, r, e);
}

static unsigned int hooks_of(unsigned int groups)
{
	unsigned int n = 0;

	for (size_t i = 0; i < hook_plan_len; i++)
		n += (hook_plan[i].groups & groups) != 0;
	return n;
}

/* case 50, first input: fentry says -524, kprobes work. */
static void test_fall_back_to_kprobes(void **state)
{
	struct stub s = { .fentry_attach = -ENOTSUPP };
	struct loader_result r;
	struct error e = { 0 };
	char kinds[128];

	(void)state;
	assert_int_equal(run(&s, GROUP_RA, &r, &e), 0);
	for (size_t i = 0; i < hook_plan_len; i++)
		if (hook_plan[i].groups & GROUP_RA)
			assert_int_equal(r.kinds[i], ATTACH_KPROBE);
	loader_attach_kinds(choices, &r, kinds, sizeof(kinds));
	assert_string_equal(kinds, "kprobe,kretprobe");
	assert_int_equal(s.attached, hooks_of(GROUP_RA));
	assert_int_equal(s.warnings, 0);
}

/* Second input: both say it. */
static void test_neither_kind(void **state)
{
	struct stub s = { .fentry_attach = -ENOTSUPP, .kprobe_attach = -ENOTSUPP };
	struct loader_result r;
	struct error e = { 0 };

	(void)state;
	assert_int_equal(run(&s, GROUP_RA, &r, &e), -ENOTSUPP);
	assert_non_null(strstr(e.text, "ENOTSUPP (524)"));
	assert_non_null(strstr(e.text, "6.99.0-test"));
	assert_int_equal(s.attached, 0);
}

static char *long_log(void)
{
	size_t size = 4000 * 32, len = 0;
	char *log = malloc(size);

	assert_non_null(log);
	for (int i = 0; i < 3999; i++)
		len += (size_t)snprintf(log + len, size - len, "%d: r%d = 0\n", i, i % 10);
	snprintf(log + len, size - len, "R0 invalid mem access 'scalar'\n");
	return log;
}

/* case 55: one event is refused, the others are recorded. */
static void test_verifier_refuses_one(void **state)
{
	char *log = long_log(), missing[64];
	struct stub s = { .refuse_event = "ALLOC", .refuse_error = -EACCES, .log = log };
	struct loader_result r;
	struct error e = { 0 };

	(void)state;
	assert_int_equal(run(&s, GROUP_RA, &r, &e), 0);
	assert_int_equal(loader_missing(choices, &r, GROUP_RA, missing, sizeof(missing)), 1);
	assert_string_equal(missing, "alloc");
	/* The two kinds of ALLOC are given up, all else is in place. */
	assert_int_equal(s.attached, hooks_of(GROUP_RA) - 1);
	assert_in_range(s.warnings, 2, 10);
	assert_non_null(strstr(s.said, "ALLOC will be missing"));
	assert_non_null(strstr(s.said, "6.99.0-test"));
	assert_non_null(strstr(s.said, "R0 invalid mem access 'scalar'"));
	assert_null(strstr(s.said, "3000: r0"));
	assert_in_range(s.logs, 1, 2);
	free(log);
}

/* The same where the user has asked for that event. */
static void test_verifier_refuses_what_was_asked(void **state)
{
	struct stub s = { .refuse_event = "ALLOC", .refuse_error = -EACCES, .log = "no\n" };
	struct loader_result r;
	struct error e = { 0 };

	(void)state;
	assert_int_equal(run(&s, GROUP_ALLOC, &r, &e), -EACCES);
	assert_non_null(strstr(e.text, "ALLOC"));
}

/* No privilege: one sentence, not one for each program. */
static void test_nothing_loads(void **state)
{
	struct stub s = { .load_error = -EPERM };
	struct loader_result r;
	struct error e = { 0 };

	(void)state;
	assert_int_equal(run(&s, GROUP_RA, &r, &e), -EPERM);
	assert_int_equal(s.loads, 1);
	assert_int_equal(s.warnings, 0);
}

static void test_log_tail(void **state)
{
	(void)state;
	assert_string_equal(log_tail("a\nb\nc\n", 2), "b\nc\n");
	assert_string_equal(log_tail("a\nb\nc", 1), "c");
	assert_string_equal(log_tail("a\nb\n", 8), "a\nb\n");
	assert_string_equal(log_tail("", 8), "");
}

/* case 57 */
static void test_libbpf_version(void **state)
{
	struct error e = { 0 };

	(void)state;
	assert_int_equal(libbpf_version_check(0, 5, &e), -ELIBBAD);
	assert_non_null(strstr(e.text, "libbpf 0.5 was found"));
	assert_non_null(strstr(e.text, "1.1 or later is needed"));
	assert_null(strchr(e.text, '\n'));
	assert_int_equal(libbpf_version_check(1, 0, &e), -ELIBBAD);
	assert_int_equal(libbpf_version_check(1, 1, &e), 0);
	assert_int_equal(libbpf_version_check(2, 0, &e), 0);
}

/* case 51: 38 / 10000 = 0.38 %. */
static void test_missing_returns(void **state)
{
	char text[160];

	(void)state;
	assert_int_equal(returns_missing(10000, 9962, 38, text, sizeof(text)), 38);
	assert_string_equal(text, "38 of 10,000 return values missing (0.38 %)");
	assert_int_equal(returns_missing(10000, 9962, 0, text, sizeof(text)), 38);
	assert_string_equal(text, "38 of 10,000 return values missing (0.38 %), not accounted for "
				  "by nmissed");
	assert_int_equal(returns_missing(10000, 10000, 0, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	/* More returns than entries: calls that were under way when the programs came. */
	assert_int_equal(returns_missing(9999, 10000, 0, text, sizeof(text)), 0);
	assert_int_equal(returns_missing(1234567, 234567, 0, text, sizeof(text)), 1000000);
	assert_non_null(strstr(text, "1,000,000 of 1,234,567 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fall_back_to_kprobes),
		cmocka_unit_test(test_neither_kind),
		cmocka_unit_test(test_verifier_refuses_one),
		cmocka_unit_test(test_verifier_refuses_what_was_asked),
		cmocka_unit_test(test_nothing_loads),
		cmocka_unit_test(test_log_tail),
		cmocka_unit_test(test_missing_returns),
		cmocka_unit_test(test_libbpf_version),
	};

	return cmocka_run_group_tests(tests, all_there, NULL);
}
