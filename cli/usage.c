// SPDX-License-Identifier: GPL-2.0
#include "cli/usage.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/nearest.h"

#define WIDTH 80 /* where nobody tells: a file, a pipe */
#define WIDTH_MIN 60
#define WIDTH_MAX 120 /* longer lines are hard to read */
#define OPTION_COLUMN 30

static size_t width_of(FILE *f)
{
	struct winsize size;

	if (!isatty(fileno(f)) || ioctl(fileno(f), TIOCGWINSZ, &size) || size.ws_col < WIDTH_MIN)
		return WIDTH;
	return size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
}

/* Fills lines up to the width of @f; @column is where the cursor stands, every further line is
 * indented. */
static void print_wrapped(FILE *f, const char *text, size_t len, size_t column, size_t indent)
{
	size_t width = width_of(f);
	bool first = true;

	while (len) {
		size_t word = 0;

		while (word < len && text[word] != ' ' && text[word] != '\n')
			word++;
		if (word && !first && column + 1 + word > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		if (word) {
			fprintf(f, "%s%.*s", first ? "" : " ", (int)word, text);
			column += word + !first;
			first = false;
		}
		text += word;
		len -= word;
		if (len) {
			text++;
			len--;
		}
	}
	fputc('\n', f);
}

const char *next_paragraph(const char **text, size_t *len)
{
	const char *start = *text, *end;

	while (*start == '\n')
		start++;
	if (!*start)
		return NULL;
	end = strstr(start, "\n\n");
	*len = end ? (size_t)(end - start) : strlen(start);
	*text = start + *len;
	return start;
}

bool paragraph_is_list(const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (n > WIDTH)
			return true;
		text += n + (end != NULL);
		len -= n + (end != NULL);
	}
	return false;
}

/* Each line is an item; what does not fit goes on below it, further in. */
static void print_list(FILE *f, const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		size_t blanks = strspn(text, " ");

		fprintf(f, "%*s", (int)blanks, "");
		print_wrapped(f, text + blanks, n - blanks, blanks, blanks + 2);
		text += n + (end != NULL);
		len -= n + (end != NULL);
	}
}

void print_description(FILE *f, const char *text)
{
	const char *p;
	size_t len;
	bool first = true;

	while ((p = next_paragraph(&text, &len))) {
		if (!first)
			fputc('\n', f);
		first = false;
		if (*p != ' ')
			print_wrapped(f, p, len, 0, 0);
		else
			print_list(f, p, len);
	}
}

static void print_option(FILE *f, const struct option_desc *o)
{
	int n = o->letter ? fprintf(f, "  -%c, --%s", o->letter, o->name)
			  : fprintf(f, "      --%s", o->name);

	if (o->arg)
		n += fprintf(f, " %s", o->arg);
	if (n > OPTION_COLUMN - 2) {
		fputc('\n', f);
		n = 0;
	}
	fprintf(f, "%*s", OPTION_COLUMN - n, "");
	print_wrapped(f, o->help, strlen(o->help), OPTION_COLUMN, OPTION_COLUMN);
}

void print_options(FILE *f, const struct option_desc *o)
{
	for (; o && o->name; o++)
		print_option(f, o);
}

void print_commands(FILE *f)
{
	for (int i = 0; command_table[i]; i++) {
		const struct command *c = command_table[i];

		fprintf(f, "  %-12s", c->name);
		print_wrapped(f, c->summary, strlen(c->summary), 14, 14);
	}
}

void print_usage(const struct command *c, bool to_stderr)
{
	FILE *f = to_stderr ? stderr : stdout;

	fprintf(f, "usage: swaptrace %s %s\n\n", c->name, c->synopsis);
	print_description(f, c->description);
	fputs("\noptions:\n", f);
	print_options(f, c->options);
	print_options(f, common_options);
	if (c->examples)
		fprintf(f, "\nexamples:\n%s", c->examples);
	if (c->extra && !to_stderr) {
		fprintf(f, "\n%s:\n", c->extra_title);
		c->extra(f);
	}
}

int unknown_subcommand(const char *name)
{
	struct nearest n = { NULL, 0 };

	if (name[0] == '-')
		return fail(
			EXIT_USAGE,
			"'%s' stands before the subcommand; usage: swaptrace SUBCOMMAND [options]",
			name);
	for (int i = 0; command_table[i]; i++)
		nearest_try(&n, name, command_table[i]->name);
	if (n.word)
		return fail(EXIT_USAGE, "there is no subcommand '%s'; did you mean '%s'?", name,
			    n.word);
	return fail(EXIT_USAGE, "there is no subcommand '%s'; 'swaptrace help' lists them", name);
}
