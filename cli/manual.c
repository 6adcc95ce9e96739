// SPDX-License-Identifier: GPL-2.0
#include "cli/manual.h"

#include <stdlib.h>
#include <ctype.h>
#include <string.h>

#include "cli/usage.h"

/* A letter as roff wants it: a plain - is a hyphen there, and a backslash begins an escape. */
static void put_letter(FILE *f, char c)
{
	switch (c) {
	case '-':
		fputs("\\-", f);
		break;
	case '\\':
		fputs("\\(rs", f);
		break;
	case '^':
		fputs("\\(ha", f);
		break;
	case '~':
		fputs("\\(ti", f);
		break;
	case '`':
		fputs("\\(ga", f);
		break;
	case '"':
		fputs("\\(dq", f);
		break;
	default:
		fputc(c, f);
	}
}

/* Text with its line breaks; a control character at the start of a line loses its meaning. */
static void put_text(FILE *f, const char *s, size_t len)
{
	bool line_start = true;

	for (size_t i = 0; i < len; i++) {
		if (line_start && (s[i] == '.' || s[i] == '\''))
			fputs("\\&", f);
		put_letter(f, s[i]);
		line_start = s[i] == '\n';
	}
}

static void put(FILE *f, const char *s)
{
	put_text(f, s, strlen(s));
}

static void put_title(FILE *f, const char *name, int section)
{
	fputs(".TH ", f);
	for (const char *p = name; *p; p++)
		put_letter(f, (char)toupper((unsigned char)*p));
	fprintf(f, " %d \"\" \"swaptrace %s\" \"swaptrace manual\"\n", section, SWAPTRACE_VERSION);
}

/* Lines as they are, in a fixed font. */
static void put_lines(FILE *f, const char *s, size_t len)
{
	fputs(".nf\n", f);
	put_text(f, s, len);
	if (len && s[len - 1] != '\n')
		fputc('\n', f);
	fputs(".fi\n", f);
}

/* Lines that are too long to stand as they are: an item each. */
static void put_list(FILE *f, const char *s, size_t len)
{
	while (len) {
		size_t n = strcspn(s, "\n") < len ? strcspn(s, "\n") : len;
		size_t blanks = strspn(s, " ");

		fputs(".IP \\(bu 2\n", f);
		put_text(f, s + blanks, n - blanks);
		fputc('\n', f);
		s += n + (n < len);
		len -= n + (n < len);
	}
}

static void put_description(FILE *f, const char *text)
{
	const char *p;
	size_t len;
	bool first = true;

	while ((p = next_paragraph(&text, &len))) {
		if (*p == ' ' && paragraph_is_list(p, len)) {
			put_list(f, p, len);
			first = false;
			continue;
		}
		if (!first)
			fputs(".PP\n", f);
		first = false;
		if (*p == ' ') {
			put_lines(f, p, len);
		} else {
			put_text(f, p, len);
			fputc('\n', f);
		}
	}
}

static void put_option(FILE *f, const struct option_desc *o)
{
	fputs(".TP\n", f);
	if (o->letter) {
		fputs("\\fB\\-", f);
		put_letter(f, o->letter);
		fputs("\\fR, ", f);
	}
	fputs("\\fB\\-\\-", f);
	put(f, o->name);
	fputs("\\fR", f);
	if (o->arg) {
		fputs(" \\fI", f);
		put(f, o->arg);
		fputs("\\fR", f);
	}
	fputc('\n', f);
	put(f, o->help);
	fputc('\n', f);
}

static void put_options(FILE *f, const struct option_desc *o)
{
	for (; o && o->name; o++)
		put_option(f, o);
}

static void put_examples(FILE *f, const char *text)
{
	fputs(".SH EXAMPLES\n", f);
	put_lines(f, text, strlen(text));
}

static void put_extra(FILE *f, const struct command *c)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return;
	c->extra(memory);
	if (!fclose(memory)) {
		fputs(".SH ", f);
		for (const char *s = c->extra_title; *s; s++)
			fputc(toupper((unsigned char)*s), f);
		fputc('\n', f);
		put_lines(f, text, len);
	}
	free(text);
}

static void put_exit_status(FILE *f, bool child)
{
	static const struct {
		const char *status, *meaning;
	} codes[] = {
		{ "0", "done" },
		{ "1",
		  "done, with a finding: a verification that failed, a picture that was not written, a damaged or cut trace; with --strict also loss, a trace that was recovered, unequal conditions" },
		{ "2", "wrong usage" },
		{ "3", "the input can't be read" },
		{ "4",
		  "the environment is in the way: a privilege, kernel type information, memory or space is missing" },
	};

	fputs(".SH EXIT STATUS\n", f);
	for (unsigned int i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		fprintf(f, ".TP\n%s\n", codes[i].status);
		put(f, codes[i].meaning);
		fputc('\n', f);
	}
	if (child)
		fputs(".PP\nWith \\-\\- COMMAND, the status of COMMAND is passed on, and 125 is a failure of swaptrace\nitself.\n",
		      f);
}

void manual_command(FILE *f, const struct command *c)
{
	char name[64];

	snprintf(name, sizeof(name), "swaptrace-%s", c->name);
	put_title(f, name, 1);
	fputs(".SH NAME\n", f);
	put(f, name);
	fputs(" \\- ", f);
	put(f, c->summary);
	fputs("\n.SH SYNOPSIS\n\\fBswaptrace ", f);
	put(f, c->name);
	fputs("\\fR ", f);
	put(f, c->synopsis);
	fputs("\n.SH DESCRIPTION\n", f);
	put_description(f, c->description);
	fputs(".SH OPTIONS\n", f);
	put_options(f, c->options);
	put_options(f, common_options);
	put_exit_status(f, c->child);
	if (c->examples)
		put_examples(f, c->examples);
	if (c->extra)
		put_extra(f, c);
	fputs(".SH SEE ALSO\n.BR swaptrace (1),\n.BR swaptrace.data (5),\n.BR swaptrace (7)\n", f);
}

static void put_command_list(FILE *f)
{
	fputs(".SH COMMANDS\n", f);
	for (int i = 0; command_table[i]; i++) {
		fputs(".TP\n.BR swaptrace\\-", f);
		put(f, command_table[i]->name);
		fputs(" (1)\n", f);
		put(f, command_table[i]->summary);
		fputc('\n', f);
	}
}

void manual_overview(FILE *f)
{
	put_title(f, "swaptrace", 1);
	fputs(".SH NAME\nswaptrace \\- record and replay the swap activity of a Linux kernel\n"
	      ".SH SYNOPSIS\n\\fBswaptrace\\fR \\fISUBCOMMAND\\fR [options] [\\fIFILE\\fR] [\\-\\- \\fICOMMAND\\fR]\n.br\n"
	      "\\fBswaptrace\\fR \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n.SH DESCRIPTION\n",
	      f);
	put_description(
		f,
		"Records what the kernel's swap code was asked to do (pages needed back, pages that had to go out) and what it answered, then asks models of that code what they, or the same code under another policy, would have answered to the same needs.\n\n"
		"Only record needs privileges. Everything else works on any machine with traces that come from any other. The ideas, and what a replay can't know, are explained in swaptrace(7).");
	put_command_list(f);
	fputs(".SH OPTIONS\nEvery subcommand takes these; the subcommands have their own beside them.\n",
	      f);
	put_options(f, common_options);
	put_exit_status(f, true);
	fputs(".SH ENVIRONMENT\n.TP\nSWAPTRACE_SAMPLES\n", f);
	put(f,
	    "folder with the captures that come with swaptrace, in the place of the installed one\n");
	put_examples(f, "  sudo swaptrace record -o a.data --as-root -- swapoff /swapfile\n"
			"  swaptrace replay --verify a.data\n"
			"  swaptrace report -o report a.data\n");
	fputs(".SH SEE ALSO\n.BR swaptrace.data (5),\n.BR swaptrace (7),\n.BR swapon (8)\n", f);
}
