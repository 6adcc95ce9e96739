// SPDX-License-Identifier: GPL-2.0
/*
 * The option parser, on a command of its own, and rules that every command of the real table keeps.
 * Expected values follow from cli/command.h; suffixes: K, M, G = 1024, 1024^2, 1024^3.
 */
/* First, because cmocka.h has a macro fail(). */
#include "cli/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/completion.h"
#include "cli/manual.h"
#include "common/nearest.h"

#define MAX_WORDS 16

static int never_run(const struct arguments *args)
{
	(void)args;
	return EXIT_DONE;
}

static const struct option_desc test_options[] = {
	{ 'v', "verify", OPTION_FLAG, NULL, "a flag", false },
	{ 'o', "output", OPTION_STRING, "FILE", "a string", false },
	{ 'n', "number", OPTION_U64, "N", "a number", false },
	{ 'b', "buffer", OPTION_U64, "SIZE", "a size", true },
	{ 'p', "policy", OPTION_LIST, "SPEC", "a list", false },
	{ 0, "no-header", OPTION_FLAG, NULL, "a flag whose name begins with no-", false },
	{ .name = NULL },
};

static const struct command test_command = {
	.name = "test",
	.synopsis = "[options] FILE",
	.summary = "a command",
	.description = "A command.",
	.options = test_options,
	.run = never_run,
	.min_files = 0,
	.max_files = 2,
};

static const struct command child_command = {
	.name = "child",
	.synopsis = "[options] [-- COMMAND]",
	.summary = "a command with a child",
	.description = "A command.",
	.options = test_options,
	.run = never_run,
	.min_files = 0,
	.max_files = 0,
	.child = true,
};

/* What was printed on stderr during the last parse. */
static char message[4096];

static int parse_words(struct arguments *a, const struct command *c, int argc, char **argv)
{
	FILE *f = tmpfile();
	int saved = dup(STDERR_FILENO), ret;
	size_t n;

	assert_non_null(f);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	ret = arguments_parse(a, c, argc, argv);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	n = fread(message, 1, sizeof(message) - 1, f);
	message[n] = '\0';
	fclose(f);
	return ret;
}

/* Parses the words up to a NULL. They must outlive @a, hence static. */
static int parse(struct arguments *a, const struct command *c, ...)
{
	static char *argv[MAX_WORDS];
	int argc = 0;
	va_list ap;
	char *word;

	va_start(ap, c);
	while ((word = va_arg(ap, char *))) {
		assert_true(argc + 1 < MAX_WORDS);
		argv[argc++] = word;
	}
	va_end(ap);
	argv[argc] = NULL;
	return parse_words(a, c, argc, argv);
}

static void assert_refused(int ret, const char *part)
{
	assert_int_equal(ret, EXIT_USAGE);
	if (!strstr(message, part))
		fail_msg("'%s' is not in '%s'", part, message);
}

static void test_nothing_given(void **state)
{
	struct arguments a;
	int n;

	(void)state;
	assert_int_equal(parse(&a, &test_command, NULL), 0);
	assert_false(option_given(&a, "verify"));
	assert_false(option_flag(&a, "verify"));
	assert_string_equal(option_string(&a, "output", "x"), "x");
	assert_int_equal(option_u64(&a, "number", 7), 7);
	option_list(&a, "policy", &n);
	assert_int_equal(n, 0);
	assert_int_equal(a.nfiles, 0);
	assert_null(a.child);
	arguments_free(&a);
}

static void test_long_options(void **state)
{
	struct arguments a;
	char *const *list;
	int n;

	(void)state;
	assert_int_equal(parse(&a, &test_command, "--verify", "--output=a=b", "--number", "12",
			       "--policy", "one", "in", "--policy=two", "--quiet", NULL),
			 0);
	assert_true(option_flag(&a, "verify"));
	assert_true(option_flag(&a, "quiet"));
	assert_string_equal(option_string(&a, "output", NULL), "a=b");
	assert_int_equal(option_u64(&a, "number", 0), 12);
	list = option_list(&a, "policy", &n);
	assert_int_equal(n, 2);
	assert_string_equal(list[0], "one");
	assert_string_equal(list[1], "two");
	assert_int_equal(a.nfiles, 1);
	assert_string_equal(a.files[0], "in");
	arguments_free(&a);
}

static void test_short_options(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(parse(&a, &test_command, "-vqn", "12", "-oFILE", NULL), 0);
	assert_true(option_flag(&a, "verify"));
	assert_true(option_flag(&a, "quiet"));
	assert_int_equal(option_u64(&a, "number", 0), 12);
	assert_string_equal(option_string(&a, "output", NULL), "FILE");
	arguments_free(&a);
}

static void test_last_one_wins(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(parse(&a, &test_command, "-o", "a", "--output", "b", "--verify",
			       "--no-verify", NULL),
			 0);
	assert_string_equal(option_string(&a, "output", NULL), "b");
	assert_false(option_flag(&a, "verify"));
	assert_true(option_given(&a, "verify"));
	arguments_free(&a);
}

static void test_negated_flags(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(parse(&a, &test_command, "--no-header", NULL), 0);
	assert_true(option_flag(&a, "no-header"));
	arguments_free(&a);
	assert_int_equal(parse(&a, &test_command, "--no-header", "--no-no-header", NULL), 0);
	assert_false(option_flag(&a, "no-header"));
	arguments_free(&a);
	assert_refused(parse(&a, &test_command, "--no-output", NULL), "--no-output");
	assert_refused(parse(&a, &test_command, "--no-verify=1", NULL), "--no-verify=1");
}

static void test_numbers(void **state)
{
	static const struct {
		const char *word;
		uint64_t value;
	} good[] = {
		{ "0", 0 },
		{ "010", 10 }, /* decimal, not octal */
		{ "0x1F", 31 },
		{ "18446744073709551615", UINT64_MAX },
		{ "0xffffffffffffffff", UINT64_MAX },
	};
	static const char *const bad[] = { "",	"-1", "+1", " 1",  "1 ",  "1.5",  "1e3",
					   "x", "0x", "4K", "12a", "0b1", "1,000" };
	struct arguments a;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse(&a, &test_command, "-n", good[i].word, NULL), 0);
		assert_true(option_u64(&a, "number", 99) == good[i].value);
		arguments_free(&a);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(parse(&a, &test_command, "--number", bad[i], NULL), "not a number");
	assert_refused(parse(&a, &test_command, "-n", "18446744073709551616", NULL), "too large");
}

static void test_suffixes(void **state)
{
	static const struct {
		const char *word;
		uint64_t value;
	} good[] = {
		{ "4", 4 },
		{ "4K", 4096 },
		{ "4k", 4096 },
		{ "2M", 2097152 },
		{ "1G", 1073741824 },
		{ "0x10k", 16384 },
		/* 2^34 - 1 GiB is the most that fits: (2^34 - 1) * 2^30 < 2^64. */
		{ "17179869183G", UINT64_C(17179869183) << 30 },
	};
	static const char *const bad[] = { "4T", "4KB", "4 ", "4 K", "K", "4@", "4`", "-4K" };
	struct arguments a;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse(&a, &test_command, "-b", good[i].word, NULL), 0);
		assert_true(option_u64(&a, "buffer", 99) == good[i].value);
		arguments_free(&a);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(parse(&a, &test_command, "-b", bad[i], NULL), "not a number");
	assert_refused(parse(&a, &test_command, "-b", "17179869184G", NULL), "too large");
}

static void test_missing_values(void **state)
{
	struct arguments a;

	(void)state;
	assert_refused(parse(&a, &test_command, "--output", NULL), "needs a value (FILE)");
	assert_refused(parse(&a, &test_command, "-o", NULL), "needs a value (FILE)");
	assert_refused(parse(&a, &test_command, "-vn", NULL), "needs a value (N)");
	assert_refused(parse(&a, &test_command, "--verify=yes", NULL), "takes no value");
	assert_int_equal(parse(&a, &test_command, "--output=", NULL), 0);
	assert_string_equal(option_string(&a, "output", NULL), "");
	arguments_free(&a);
}

static void test_unknown_options(void **state)
{
	struct arguments a;

	(void)state;
	assert_refused(parse(&a, &test_command, "--polcy=x", NULL), "did you mean '--policy'?");
	assert_refused(parse(&a, &test_command, "-verfy", NULL), "did you mean '--verify'?");
	assert_refused(parse(&a, &test_command, "--zzzzzz", NULL), "'swaptrace test --help'");
	assert_refused(parse(&a, &test_command, "-z", NULL), "unknown option '-z'");
	/* A beginning of a name is not the name. */
	assert_refused(parse(&a, &test_command, "--verif", NULL), "did you mean '--verify'?");
	assert_refused(parse(&a, &test_command, "--=x", NULL), "unknown option");
}

static void test_operands(void **state)
{
	static const struct command one = {
		.name = "one",
		.synopsis = "FILE",
		.options = test_options,
		.min_files = 1,
		.max_files = 1,
	};
	static const struct command many = {
		.name = "many",
		.synopsis = "FILE...",
		.options = test_options,
		.min_files = 1,
		.max_files = -1,
	};
	struct arguments a;

	(void)state;
	assert_refused(parse(&a, &one, NULL), "usage: swaptrace one FILE");
	assert_refused(parse(&a, &one, "a", "b", NULL), "unexpected operand 'b'");
	assert_int_equal(parse(&a, &one, "--help", NULL), 0);
	assert_true(option_flag(&a, "help"));
	arguments_free(&a);
	assert_int_equal(parse(&a, &many, "a", "-", "c", "d", NULL), 0);
	assert_int_equal(a.nfiles, 4);
	assert_string_equal(a.files[1], "-");
	arguments_free(&a);
}

static void test_end_of_options(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(parse(&a, &test_command, "-v", "--", "--output", "-v", NULL), 0);
	assert_int_equal(a.nfiles, 2);
	assert_string_equal(a.files[0], "--output");
	assert_string_equal(a.files[1], "-v");
	assert_null(a.child);
	arguments_free(&a);
}

static void test_child(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(parse(&a, &child_command, "-v", "--", "sh", "-c", "--", "x", NULL), 0);
	assert_int_equal(a.nfiles, 0);
	assert_string_equal(a.child[0], "sh");
	assert_string_equal(a.child[1], "-c");
	assert_string_equal(a.child[2], "--");
	assert_string_equal(a.child[3], "x");
	assert_null(a.child[4]);
	arguments_free(&a);
	assert_refused(parse(&a, &child_command, "--", NULL), "a command is missing");
	assert_refused(parse(&a, &child_command, "sh", NULL), "unexpected operand 'sh'");
}

static bool letter_taken(const struct option_desc *o, const struct option_desc *end, char letter)
{
	for (; o != end; o++)
		if (o->letter == letter)
			return true;
	return false;
}

static void check_option(const struct command *c, const struct option_desc *o)
{
	if (!o->help || !o->help[0] || (o->kind == OPTION_FLAG) != !o->arg)
		fail_msg("%s --%s: help or the name of the value is missing", c->name, o->name);
	if (o->letter && letter_taken(c->options, o, o->letter))
		fail_msg("%s: letter %c is used twice", c->name, o->letter);
	for (const struct option_desc *p = c->options; p != o; p++)
		if (!strcmp(p->name, o->name))
			fail_msg("%s: option --%s stands there twice", c->name, o->name);
	for (const struct option_desc *p = common_options; p->name; p++)
		if (!strcmp(p->name, o->name) || (p->letter && p->letter == o->letter))
			fail_msg("%s: --%s hides the common --%s", c->name, o->name, p->name);
}

static void test_every_command(void **state)
{
	(void)state;
	for (int i = 0; command_table[i]; i++) {
		const struct command *c = command_table[i];

		assert_non_null(c->name);
		assert_non_null(c->synopsis);
		assert_non_null(c->run);
		assert_non_null(c->options);
		assert_ptr_equal(command_find(c->name), c);
		if (!c->summary || !c->summary[0] || c->summary[strlen(c->summary) - 1] == '.' ||
		    (isupper((unsigned char)c->summary[0]) &&
		     !isupper((unsigned char)c->summary[1])))
			fail_msg("%s: the summary is one line, lower case, no full stop", c->name);
		if (!c->description || strlen(c->description) < 40)
			fail_msg("%s: there is no description", c->name);
		assert_true(c->max_files < 0 || c->max_files >= c->min_files);
		for (const struct option_desc *o = c->options; o->name; o++)
			check_option(c, o);
	}
	assert_null(command_find("nosuch"));
	assert_null(command_find(""));
}

/* Output of a printer of manual pages or completions, to be freed. */
static char *manual_text(const struct command *c)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	if (c)
		manual_command(f, c);
	else
		manual_overview(f);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* --name as it stands in roff: each - escaped. */
static void roff_option(char *out, size_t size, const char *name)
{
	size_t n = (size_t)snprintf(out, size, "\\-\\-");

	for (; *name && n + 3 < size; name++)
		n += (size_t)snprintf(out + n, size - n, *name == '-' ? "\\-" : "%c", *name);
}

static void test_manual_has_all_options(void **state)
{
	char want[128];

	(void)state;
	for (int i = 0; command_table[i]; i++) {
		const struct option_desc *lists[] = { command_table[i]->options, common_options };
		char *text = manual_text(command_table[i]);

		for (int k = 0; k < 2; k++) {
			for (const struct option_desc *o = lists[k]; o->name; o++) {
				roff_option(want, sizeof(want), o->name);
				if (!strstr(text, want))
					fail_msg("%s(1) does not have %s", command_table[i]->name,
						 want);
			}
		}
		free(text);
	}
}

static void test_manual_escapes(void **state)
{
	static const struct option_desc none[] = { { .name = NULL } };
	static const struct command c = {
		.name = "x",
		.synopsis = "FILE",
		.summary = "s",
		.description = ".dot\n'quote\nback\\slash\n\n  literal -x",
		.options = none,
	};
	static const struct command list = {
		.name = "y",
		.synopsis = "FILE",
		.summary = "s",
		.description =
			"Introduction:\n\n  one\n  1234567890 1234567890 1234567890 1234567890 "
			"1234567890 1234567890 1234567890 1234567890",
		.options = none,
	};
	char *text = manual_text(&c);

	(void)state;
	assert_non_null(strstr(
		text, "\n\\&.dot\n\\&'quote\nback\\(rsslash\n.PP\n.nf\n  literal \\-x\n.fi\n"));
	free(text);
	/* A line of more than 80 letters can't stand as it is: its paragraph becomes a list. */
	text = manual_text(&list);
	assert_non_null(
		strstr(text, "\nIntroduction:\n.IP \\(bu 2\none\n.IP \\(bu 2\n1234567890 "));
	free(text);
	text = manual_text(NULL);
	for (int i = 0; command_table[i]; i++)
		assert_non_null(strstr(text, command_table[i]->name));
	free(text);
}

static void test_completion(void **state)
{
	static const char *const shells[] = { "bash", "zsh", "fish" };

	(void)state;
	for (int s = 0; s < 3; s++) {
		size_t size;
		char *text;
		FILE *f = open_memstream(&text, &size);

		assert_non_null(f);
		assert_int_equal(completion_print(f, shells[s]), 0);
		assert_int_equal(fclose(f), 0);
		for (int i = 0; command_table[i]; i++) {
			assert_non_null(strstr(text, command_table[i]->name));
			for (const struct option_desc *o = command_table[i]->options; o->name; o++)
				assert_non_null(strstr(text, o->name));
		}
		free(text);
	}
	assert_int_equal(completion_print(stdout, "csh"), -EINVAL);
}

static const char *nearest_of(const char *typed)
{
	static const char *const words[] = { "replay", "report", "record", "info", "dump" };
	struct nearest n = { NULL, 0 };

	for (int i = 0; i < 5; i++)
		nearest_try(&n, typed, words[i]);
	return n.word ? n.word : "";
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(nearest_of("rpelay"), "replay");  /* neighbours swapped: 1 */
	assert_string_equal(nearest_of("replays"), "replay"); /* one too many: 1 */
	assert_string_equal(nearest_of("rcrd"), "record");    /* two missing: 2 of 6 */
	assert_string_equal(nearest_of("rep"), "replay");     /* a beginning; the first of two */
	assert_string_equal(nearest_of("inf"), "info");
	assert_string_equal(nearest_of("dmup"), "dump");
	assert_string_equal(nearest_of("i"), "");    /* one letter says nothing */
	assert_string_equal(nearest_of("drop"), ""); /* dump is 2 of 4 letters away */
	assert_string_equal(nearest_of("histogram"), "");
	assert_string_equal(nearest_of(""), "");
	assert_string_equal(nearest_of("a word of more than thirty-one letters"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_given),
		cmocka_unit_test(test_long_options),
		cmocka_unit_test(test_short_options),
		cmocka_unit_test(test_last_one_wins),
		cmocka_unit_test(test_negated_flags),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_missing_values),
		cmocka_unit_test(test_unknown_options),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_end_of_options),
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_every_command),
		cmocka_unit_test(test_manual_has_all_options),
		cmocka_unit_test(test_manual_escapes),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
