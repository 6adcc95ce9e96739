// SPDX-License-Identifier: GPL-2.0
#include "cli/command.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "common/nearest.h"
#include "common/output_path.h"

struct option_value {
	const struct option_desc *desc;
	bool given;
	uint64_t number; /* OPTION_FLAG, OPTION_U64 */
	const char *string;
	char **list;
	int nlist;
};

const struct option_desc common_options[] = {
	{ 'h', "help", OPTION_FLAG, NULL, "show this help", false },
	{ 'q', "quiet", OPTION_FLAG, NULL, "no notes, only warnings and errors", false },
	{ 0, "debug", OPTION_FLAG, NULL, "say more about what is done", false },
	{ 0, "strict", OPTION_FLAG, NULL,
	  "exit with 1 also for loss, damage and unequal conditions", false },
	{ 0, NULL, OPTION_FLAG, NULL, NULL, false },
};

static int count_options(const struct option_desc *o)
{
	int n = 0;

	while (o && o[n].name)
		n++;
	return n;
}

static struct option_value *find(const struct arguments *a, const char *name, size_t len)
{
	for (struct option_value *v = a->values; v->desc; v++)
		if (!strncmp(v->desc->name, name, len) && !v->desc->name[len])
			return v;
	return NULL;
}

static struct option_value *find_letter(const struct arguments *a, char letter)
{
	for (struct option_value *v = a->values; v->desc; v++)
		if (v->desc->letter == letter)
			return v;
	return NULL;
}

/* Bits that a suffix shifts by; 0 when it is none. */
static unsigned int suffix_shift(const char *s)
{
	static const char units[] = "KkMmGg";
	const char *u = *s && !s[1] ? strchr(units, *s) : NULL;

	return u ? 10 * (unsigned int)((u - units) / 2 + 1) : 0;
}

static int parse_u64(const struct option_desc *d, const char *s, uint64_t *out)
{
	/* Base 0 would read 010 as eight. */
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	unsigned int shift = 0;
	char *end;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	*out = strtoull(s, &end, hex ? 16 : 10);
	if (errno)
		return -ERANGE;
	if (*end) {
		shift = d->suffix ? suffix_shift(end) : 0;
		if (!shift)
			return -EINVAL;
	}
	if (*out > UINT64_MAX >> shift)
		return -ERANGE;
	*out <<= shift;
	return 0;
}

static int take_number(struct option_value *v, const char *value)
{
	const struct option_desc *d = v->desc;
	int ret = parse_u64(d, value, &v->number);

	if (ret == -ERANGE)
		return fail(EXIT_USAGE, "option --%s: %s is too large", d->name, value);
	if (ret)
		return fail(EXIT_USAGE, "option --%s: '%s' is not a number%s", d->name, value,
			    d->suffix ? " (K, M or G may follow)" : "");
	return 0;
}

static int take_value(struct option_value *v, char *value)
{
	char **bigger;

	v->given = true;
	switch (v->desc->kind) {
	case OPTION_FLAG:
		v->number = 1;
		return 0;
	case OPTION_U64:
		return take_number(v, value);
	case OPTION_STRING:
		v->string = value;
		return 0;
	case OPTION_LIST:
		bigger = realloc(v->list, (size_t)(v->nlist + 1) * sizeof(*bigger));
		if (!bigger)
			return fail(EXIT_ENVIRONMENT, "out of memory");
		v->list = bigger;
		v->list[v->nlist++] = value;
		return 0;
	}
	return 0;
}

/* @text as it was typed; with one dash it may be a long name all the same. */
static int unknown_option(const struct arguments *a, const char *text)
{
	const char *typed = text + strspn(text, "-");
	struct nearest n = { NULL, 0 };
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(typed, "="), typed);
	for (const struct option_value *v = a->values; v->desc && name[0] && name[1]; v++)
		nearest_try(&n, name, v->desc->name);
	if (n.word)
		return fail(EXIT_USAGE, "%s: unknown option '%s'; did you mean '--%s'?",
			    a->command->name, text, n.word);
	return fail(EXIT_USAGE, "%s: unknown option '%s'; 'swaptrace %s --help' lists them",
		    a->command->name, text, a->command->name);
}

/* "--name", "--name=value", "--name value", "--no-name" */
static int parse_long(struct arguments *a, char **argv, int argc, int *i)
{
	char *name = argv[*i] + 2;
	size_t len = strcspn(name, "=");
	struct option_value *v = find(a, name, len);

	if (!v && !strncmp(name, "no-", 3)) {
		v = find(a, name + 3, len - 3);
		if (!v || v->desc->kind != OPTION_FLAG || name[len])
			return unknown_option(a, argv[*i]);
		v->given = true;
		v->number = 0;
		return 0;
	}
	if (!v)
		return unknown_option(a, argv[*i]);
	if (v->desc->kind == OPTION_FLAG) {
		if (name[len])
			return fail(EXIT_USAGE, "option --%s takes no value", v->desc->name);
		return take_value(v, NULL);
	}
	if (name[len])
		return take_value(v, name + len + 1);
	if (*i + 1 >= argc)
		return fail(EXIT_USAGE, "option --%s needs a value (%s)", v->desc->name,
			    v->desc->arg);
	return take_value(v, argv[++*i]);
}

/* "-a", "-ab", "-oFILE", "-o FILE" */
static int parse_short(struct arguments *a, char **argv, int argc, int *i)
{
	for (char *p = argv[*i] + 1; *p; p++) {
		struct option_value *v = find_letter(a, *p);
		int ret;

		if (!v)
			return unknown_option(a, argv[*i]);
		if (v->desc->kind == OPTION_FLAG) {
			ret = take_value(v, NULL);
			if (ret)
				return ret;
			continue;
		}
		if (p[1])
			return take_value(v, p + 1);
		if (*i + 1 >= argc)
			return fail(EXIT_USAGE, "option -%c needs a value (%s)", *p, v->desc->arg);
		return take_value(v, argv[++*i]);
	}
	return 0;
}

static int check_operands(const struct arguments *a)
{
	const struct command *c = a->command;

	if (option_flag(a, "help"))
		return 0;
	if (a->nfiles < c->min_files)
		return fail(EXIT_USAGE, "%s: an operand is missing; usage: swaptrace %s %s",
			    c->name, c->name, c->synopsis);
	if (c->max_files >= 0 && a->nfiles > c->max_files)
		return fail(EXIT_USAGE, "%s: unexpected operand '%s'; usage: swaptrace %s %s",
			    c->name, a->files[c->max_files], c->name, c->synopsis);
	if (a->child && !a->child[0])
		return fail(EXIT_USAGE, "%s: a command is missing behind '--'", c->name);
	return 0;
}

static int allocate(struct arguments *a, const struct command *c, int argc)
{
	int own = count_options(c->options), common = count_options(common_options);

	memset(a, 0, sizeof(*a));
	a->command = c;
	a->values = calloc((size_t)(own + common + 1), sizeof(*a->values));
	a->files = calloc((size_t)argc + 1, sizeof(*a->files));
	if (!a->values || !a->files) {
		arguments_free(a);
		return fail(EXIT_ENVIRONMENT, "out of memory");
	}
	for (int i = 0; i < own; i++)
		a->values[i].desc = &c->options[i];
	for (int i = 0; i < common; i++)
		a->values[own + i].desc = &common_options[i];
	return 0;
}

int arguments_parse(struct arguments *a, const struct command *c, int argc, char **argv)
{
	int ret = allocate(a, c, argc);

	for (int i = 0; !ret && i < argc; i++) {
		char *s = argv[i];

		if (!strcmp(s, "--")) {
			/* A command without a child takes what follows as operands, as usual. */
			if (c->child) {
				a->child = argv + i + 1;
				break;
			}
			while (++i < argc)
				a->files[a->nfiles++] = argv[i];
		} else if (s[0] == '-' && s[1] == '-') {
			ret = parse_long(a, argv, argc, &i);
		} else if (s[0] == '-' && s[1]) {
			ret = parse_short(a, argv, argc, &i);
		} else {
			a->files[a->nfiles++] = s;
		}
	}
	if (!ret)
		ret = check_operands(a);
	if (ret)
		arguments_free(a);
	return ret;
}

void arguments_free(struct arguments *a)
{
	for (struct option_value *v = a->values; v && v->desc; v++)
		free(v->list);
	free(a->values);
	free(a->files);
	memset(a, 0, sizeof(*a));
}

static const struct option_value *must_find(const struct arguments *a, const char *name)
{
	const struct option_value *v = find(a, name, strlen(name));

	if (!v)
		abort(); /* a command asks for an option that its own table does not have */
	return v;
}

bool option_given(const struct arguments *a, const char *name)
{
	return must_find(a, name)->given;
}

bool option_flag(const struct arguments *a, const char *name)
{
	return must_find(a, name)->number;
}

const char *option_string(const struct arguments *a, const char *name, const char *otherwise)
{
	const struct option_value *v = must_find(a, name);

	return v->given ? v->string : otherwise;
}

uint64_t option_u64(const struct arguments *a, const char *name, uint64_t otherwise)
{
	const struct option_value *v = must_find(a, name);

	return v->given ? v->number : otherwise;
}

char *const *option_list(const struct arguments *a, const char *name, int *n)
{
	const struct option_value *v = must_find(a, name);

	*n = v->nlist;
	return v->list;
}

static int refuse_input(const char *output, const char *input)
{
	bool standard = !strcmp(output, "-");

	return fail(EXIT_USAGE,
		    "%s%s is where %s comes from, which would be lost; name another file",
		    standard ? "" : "-o ", standard ? "standard output" : output,
		    strcmp(input, "-") ? input : "the input");
}

/* Files named inside a policy or a grid: devices=FILE, up to the next setting or value. */
static int check_setting(const char *output, const char *setting)
{
	static const char key[] = "devices=";
	char file[PATH_MAX];

	for (const char *at = strstr(setting, key); at; at = strstr(at, key)) {
		size_t len;

		at += strlen(key);
		len = strcspn(at, ",|");
		if (len >= sizeof(file))
			continue;
		snprintf(file, sizeof(file), "%.*s", (int)len, at);
		if (same_file(output, file))
			return refuse_input(output, file);
	}
	return 0;
}

static int check_option(const char *output, const struct option_value *v)
{
	int ret = 0;

	if (v->desc->kind == OPTION_STRING && v->string && !strcmp(v->desc->arg, "FILE") &&
	    strcmp(v->desc->name, "output") && same_file(output, v->string))
		return refuse_input(output, v->string);
	if (v->string)
		ret = check_setting(output, v->string);
	for (int i = 0; i < v->nlist && !ret; i++)
		ret = check_setting(output, v->list[i]);
	return ret;
}

int arguments_check_output(const struct arguments *a, const char *output)
{
	int ret = 0;

	for (int i = 0; i < a->nfiles && !a->command->words; i++)
		if (same_file(output, a->files[i]))
			return refuse_input(output, a->files[i]);
	for (const struct option_value *v = a->values; v->desc && !ret; v++)
		ret = check_option(output, v);
	return ret;
}
