// SPDX-License-Identifier: GPL-2.0
#include "cli/completion.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"

/* An option's value is the name of a file or folder. */
static bool takes_path(const struct option_desc *o)
{
	static const char *const words[] = { "FILE", "TRACE", "DIR", "PATH", "CGROUP" };

	for (unsigned int i = 0; o->arg && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(o->arg, words[i]))
			return true;
	return false;
}

/* What the operands of a command are. */
static bool operands_are_commands(const struct command *c)
{
	return !strcmp(c->name, "help");
}

/* Letters and names of options, the words that bash may complete. */
static void bash_options(FILE *f, const struct option_desc *o)
{
	for (; o && o->name; o++) {
		fprintf(f, " --%s", o->name);
		if (o->letter)
			fprintf(f, " -%c", o->letter);
	}
}

/* Options that take a value: "-o|--output|" with a path (@path) or with anything else. */
static bool bash_valued(FILE *f, const struct option_desc *o, bool path, bool first)
{
	for (; o && o->name; o++) {
		if (o->kind == OPTION_FLAG || takes_path(o) != path)
			continue;
		fprintf(f, "%s--%s", first ? "" : " | ", o->name);
		first = false;
		if (o->letter)
			fprintf(f, " | -%c", o->letter);
	}
	return first;
}

static bool has_valued(const struct option_desc *o, bool path)
{
	for (; o && o->name; o++)
		if (o->kind != OPTION_FLAG && takes_path(o) == path)
			return true;
	return false;
}

static void bash_command(FILE *f, const struct command *c)
{
	fprintf(f, "\t%s)\n\t\toptions=\"", c->name);
	bash_options(f, c->options);
	bash_options(f, common_options);
	fputs("\"\n", f);
	if (has_valued(c->options, true) || has_valued(c->options, false)) {
		fputs("\t\tcase $prev in\n", f);
		for (int path = 1; path >= 0; path--) {
			if (!has_valued(c->options, path))
				continue;
			fputs("\t\t", f);
			bash_valued(f, c->options, path, true);
			fprintf(f, ") value=%s ;;\n", path ? "path" : "other");
		}
		fputs("\t\tesac\n", f);
	}
	if (operands_are_commands(c))
		fputs("\t\toperands=$commands\n", f);
	else if (c->words)
		fprintf(f, "\t\toperands=\"%s\"\n", c->words);
	fputs("\t\t;;\n", f);
}

static void print_bash(FILE *f)
{
	/* Lines, not words: names of files may hold blanks. */
	fputs("# bash completion for swaptrace\n"
	      "_swaptrace_words()\n{\n\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n}\n\n"
	      "_swaptrace_files()\n{\n\tcompopt -o filenames 2>/dev/null\n"
	      "\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n}\n\n"
	      "_swaptrace()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal options= operands= value= i commands=\"",
	      f);
	for (int i = 0; command_table[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", command_table[i]->name);
	fputs("\"\n\n\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\t_swaptrace_words \"$commands --help --version\"\n"
	      "\t\treturn\n\tfi\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\t[ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
	      "\t\tif [ $((i + 1)) -eq \"$COMP_CWORD\" ]; then\n"
	      "\t\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	      "\t\telse\n\t\t\t_swaptrace_files\n\t\tfi\n"
	      "\t\treturn\n\tdone\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	      f);
	for (int i = 0; command_table[i]; i++)
		bash_command(f, command_table[i]);
	fputs("\tesac\n"
	      "\tif [ \"$value\" = other ]; then\n\t\treturn\n\tfi\n"
	      "\tif [ -z \"$value\" ] && [[ $cur == -* ]]; then\n"
	      "\t\t_swaptrace_words \"$options\"\n"
	      "\telif [ -z \"$value\" ] && [ -n \"$operands\" ]; then\n"
	      "\t\t_swaptrace_words \"$operands\"\n"
	      "\telse\n\t\t_swaptrace_files\n\tfi\n}\n"
	      "complete -F _swaptrace swaptrace\n",
	      f);
}

/* Text within single quotes; zsh gives : [ ] a meaning of their own there. */
static void zsh_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", f);
		else if (strchr(":[]\\", *s))
			fprintf(f, "\\%c", *s);
		else
			fputc(*s, f);
	}
}

static void zsh_option(FILE *f, const struct option_desc *o, const char *dashes, const char *name,
		       int name_len)
{
	bool repeat = o->kind == OPTION_LIST;

	fprintf(f, " \\\n\t\t\t'%s%s%.*s%s[", repeat ? "*" : "", dashes, name_len, name,
		o->kind == OPTION_FLAG ? ""
		: dashes[1]	       ? "="
				       : "+");
	zsh_text(f, o->help);
	fputc(']', f);
	if (o->kind != OPTION_FLAG) {
		fputc(':', f);
		zsh_text(f, o->arg);
		fputs(takes_path(o) ? ":_files" : ": ", f);
	}
	fputc('\'', f);
}

static void zsh_options(FILE *f, const struct option_desc *o)
{
	for (; o && o->name; o++) {
		if (o->letter)
			zsh_option(f, o, "-", &o->letter, 1);
		zsh_option(f, o, "--", o->name, (int)strlen(o->name));
	}
}

static void print_zsh(FILE *f)
{
	fputs("#compdef swaptrace\n\n_swaptrace()\n{\n\tlocal -a commands\n\tcommands=(\n", f);
	for (int i = 0; command_table[i]; i++) {
		fprintf(f, "\t\t'%s:", command_table[i]->name);
		zsh_text(f, command_table[i]->summary);
		fputs("'\n", f);
	}
	fputs("\t)\n\tif ((CURRENT == 2)); then\n"
	      "\t\t_describe subcommand commands\n\t\treturn\n\tfi\n"
	      "\tlocal name=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $name in\n",
	      f);
	for (int i = 0; command_table[i]; i++) {
		const struct command *c = command_table[i];

		fprintf(f, "\t%s)\n\t\t_arguments -s -S", c->name);
		zsh_options(f, c->options);
		zsh_options(f, common_options);
		if (c->words)
			fprintf(f, " \\\n\t\t\t'*:operand:(%s)'\n\t\t;;\n", c->words);
		else
			fprintf(f, " \\\n\t\t\t'*:%s'\n\t\t;;\n",
				operands_are_commands(c)
					? "subcommand:{_describe subcommand commands}"
					: "file:_files");
	}
	fputs("\tesac\n}\n\n_swaptrace \"$@\"\n", f);
}

static void fish_text(FILE *f, const char *s)
{
	fputc('\'', f);
	for (; *s; s++) {
		if (*s == '\'' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
	fputc('\'', f);
}

static void fish_options(FILE *f, const char *command, const struct option_desc *o)
{
	for (; o && o->name; o++) {
		fprintf(f, "complete -c swaptrace -n '__fish_seen_subcommand_from %s' -l %s",
			command, o->name);
		if (o->letter)
			fprintf(f, " -s %c", o->letter);
		if (o->kind != OPTION_FLAG)
			fputs(takes_path(o) ? " -r -F" : " -x", f);
		fputs(" -d ", f);
		fish_text(f, o->help);
		fputc('\n', f);
	}
}

static void print_fish(FILE *f)
{
	fputs("# fish completion for swaptrace\n", f);
	for (int i = 0; command_table[i]; i++) {
		const struct command *c = command_table[i];

		fprintf(f, "complete -c swaptrace -n __fish_use_subcommand -f -a %s -d ", c->name);
		fish_text(f, c->summary);
		fputc('\n', f);
		fish_options(f, c->name, c->options);
		fish_options(f, c->name, common_options);
		if (c->words)
			fprintf(f,
				"complete -c swaptrace -n '__fish_seen_subcommand_from %s' -f -a '%s'\n",
				c->name, c->words);
		if (!operands_are_commands(c))
			continue;
		fprintf(f, "complete -c swaptrace -n '__fish_seen_subcommand_from %s' -f -a '",
			c->name);
		for (int k = 0; command_table[k]; k++)
			fprintf(f, "%s%s", k ? " " : "", command_table[k]->name);
		fputs("'\n", f);
	}
}

int completion_print(FILE *f, const char *shell)
{
	if (!strcmp(shell, "bash"))
		print_bash(f);
	else if (!strcmp(shell, "zsh"))
		print_zsh(f);
	else if (!strcmp(shell, "fish"))
		print_fish(f);
	else
		return -EINVAL;
	return 0;
}
