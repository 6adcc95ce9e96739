// SPDX-License-Identifier: GPL-2.0
#include "bpf/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_sets(const void *a, const void *b)
{
	return strcmp(((const struct symbol_set *)a)->base, ((const struct symbol_set *)b)->base);
}

static int compare_key(const void *key, const void *set)
{
	return strcmp(key, ((const struct symbol_set *)set)->base);
}

const struct symbol_set *symbols_find(const struct symbol_table *t, const char *base)
{
	return t->n ? bsearch(base, t->sets, t->n, sizeof(*t->sets), compare_key) : NULL;
}

static int make_sets(struct symbol_table *t, const char *const *wanted, size_t n)
{
	size_t kept = 0;

	t->sets = calloc(n ? n : 1, sizeof(*t->sets));
	if (!t->sets)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t->sets[i].base = wanted[i];
	qsort(t->sets, n, sizeof(*t->sets), compare_sets);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(t->sets[kept - 1].base, t->sets[i].base))
			t->sets[kept++] = t->sets[i];
	t->n = kept;
	return 0;
}

static bool is_digits(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

/* What the text behind the base name means; false: another name that only begins alike. */
static bool suffix_form(const char *suffix, bool *cold, enum symbol_form *form)
{
	*cold = false;
	*form = SYMBOL_EXACT;
	if (!*suffix)
		return true;
	if (strstr(suffix, ".cold")) {
		*cold = true;
		return true;
	}
	if (strstr(suffix, ".part.")) {
		*form = SYMBOL_PART;
		return true;
	}
	*form = SYMBOL_CLONE;
	if (!strncmp(suffix, ".isra.", 6) || !strncmp(suffix, ".constprop.", 11) ||
	    !strncmp(suffix, ".llvm.", 6))
		return true;
	*form = SYMBOL_STATIC;
	return is_digits(suffix + 1);
}

static void add_copy(struct symbol_set *s, const char *name, uint64_t address, char kind,
		     const char *module)
{
	enum symbol_form form;
	struct symbol *copy;
	bool cold;

	if (!suffix_form(name + strlen(s->base), &cold, &form))
		return;
	if (*module) {
		s->others++;
		snprintf(s->module, sizeof(s->module), "%s", module);
		return;
	}
	if (cold) {
		s->cold++;
		return;
	}
	if (s->n == SYMBOL_COPIES_MAX)
		return;
	copy = &s->copies[s->n++];
	snprintf(copy->name, sizeof(copy->name), "%s", name);
	copy->address = address;
	copy->form = form;
	copy->function = kind == 't' || kind == 'T' || kind == 'w' || kind == 'W';
}

/* What else a file may hold in that place is shown to people, and is no name of a symbol. */
static bool is_name(const char *s)
{
	while (*s > ' ' && *s < 0x7f)
		s++;
	return !*s;
}

static void take_line(struct symbol_table *t, const char *line)
{
	char name[96], module[32] = "", base[96], kind;
	unsigned long long address;
	struct symbol_set *s;
	int fields = sscanf(line, "%llx %c %95s [%31[^]]]", &address, &kind, name, module);

	if (fields < 3 || !is_name(name) || !is_name(module))
		return;
	t->lines++;
	if (address)
		t->hidden = false;
	snprintf(base, sizeof(base), "%s", name);
	base[strcspn(base, ".")] = '\0';
	s = (struct symbol_set *)symbols_find(t, base);
	if (s)
		add_copy(s, name, address, kind, module);
}

int symbols_read(struct symbol_table *t, FILE *in, const char *name, const char *const *wanted,
		 size_t n, struct error *e)
{
	char *line = NULL;
	size_t size = 0;

	memset(t, 0, sizeof(*t));
	t->hidden = true;
	if (make_sets(t, wanted, n))
		return error_set(e, -ENOMEM, "%s: out of memory", name);
	while (getline(&line, &size, in) > 0)
		take_line(t, line);
	free(line);
	if (ferror(in)) {
		symbols_free(t);
		return error_errno(e, -EIO, "%s: cannot be read", name);
	}
	if (!t->lines) {
		symbols_free(t);
		return error_set(e, -EBADMSG,
				 "%s: holds no symbols; lines like 'ffffffff81000000 T name' are "
				 "expected (a copy of /proc/kallsyms)",
				 name);
	}
	return 0;
}

void symbols_free(struct symbol_table *t)
{
	free(t->sets);
	memset(t, 0, sizeof(*t));
}

unsigned int symbols_function(const struct symbol_set *s, const struct symbol **out)
{
	unsigned int n = 0;

	if (!s)
		return 0;
	for (unsigned int i = 0; i < s->n; i++)
		if (s->copies[i].function &&
		    (s->copies[i].form == SYMBOL_EXACT || s->copies[i].form == SYMBOL_CLONE))
			out[n++] = &s->copies[i];
	if (n)
		return n;
	for (unsigned int i = 0; i < s->n; i++)
		if (s->copies[i].function && s->copies[i].form == SYMBOL_PART)
			out[n++] = &s->copies[i];
	return n;
}

uint64_t symbols_variable(const struct symbol_table *t, const char *base)
{
	const struct symbol_set *s = symbols_find(t, base);
	uint64_t address = 0;

	for (unsigned int i = 0; s && i < s->n; i++) {
		if (s->copies[i].form != SYMBOL_EXACT && s->copies[i].form != SYMBOL_STATIC)
			continue;
		if (address)
			return 0;
		address = s->copies[i].address;
	}
	return address;
}
