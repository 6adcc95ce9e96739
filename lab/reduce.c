// SPDX-License-Identifier: GPL-2.0
/*
 * Reduces a kernel's symbols and BTF to the names and types that the hook plan reads, so that plans
 * of many kernels can be tested without them: a few kB instead of fifteen MB. lab/kernel-data.sh
 * calls it.
 *
 * usage: reduce KALLSYMS BTF OUT    writes OUT.kallsyms and OUT.btf
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "bpf/hooks.h"

#define NAMES_MAX 512
#define DEPTH_MAX 16
#define ARGUMENTS_MAX 16
#define WORDS_MAX 256
#define MEMBERS_MAX 16

static const char *names[NAMES_MAX];
static size_t names_n;

static void die(const char *what, const char *file)
{
	fprintf(stderr, "reduce: %s: %s\n", file, what);
	exit(1);
}

static bool is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < names_n; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], s, len))
			return true;
	return false;
}

/* ---- symbols ---- */

/*
 * Lines of the kernel itself whose name, without a compiler's suffix, the plan knows. The addresses
 * are made up: those of a kernel are others with every boot.
 */
static void reduce_symbols(const char *from, const char *to)
{
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	unsigned long long at = 0xffffffff81000000ull;
	char *line = NULL;
	size_t size = 0;

	if (!in)
		die("cannot be read", from);
	if (!out)
		die("cannot be written", to);
	while (getline(&line, &size, in) > 0) {
		char *name = strchr(line, ' ');

		name = name ? strchr(name + 1, ' ') : NULL;
		if (name && !strchr(line, '[') && is_name(name + 1, strcspn(name + 1, ".\n")))
			fprintf(out, "%016llx%s", at += 0x100, strchr(line, ' '));
	}
	free(line);
	fclose(in);
	if (fclose(out))
		die("cannot be written", to);
}

/* ---- types ---- */

static int check(int id)
{
	if (id < 0) {
		fprintf(stderr, "reduce: BTF: %s\n", strerror(-id));
		exit(1);
	}
	return id;
}

static const char *name_of(const struct btf *b, const struct btf_type *t)
{
	return btf__name_by_offset(b, t->name_off);
}

/*
 * A type as far as it is told as text: what a pointer leads to by its name alone, what a typedef
 * means only where it is a structure, which a function may return.
 */
static int copy_type(const struct btf *from, struct btf *to, __u32 id, int depth);

static int copy_new_type(const struct btf *from, struct btf *to, __u32 id, int depth)
{
	const struct btf_type *t = btf__type_by_id(from, id);
	const struct btf_array *a;
	int inner;

	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		inner = copy_type(from, to, t->type, depth + 1);
		return check(btf__add_ptr(to, inner));
	case BTF_KIND_ARRAY:
		a = btf_array(t);
		inner = copy_type(from, to, a->type, depth + 1);
		return check(btf__add_array(to, inner, inner, (int)a->nelems));
	case BTF_KIND_INT:
		return check(btf__add_int(to, name_of(from, t), t->size, 0));
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return check(btf__add_fwd(to, name_of(from, t), BTF_FWD_STRUCT));
	case BTF_KIND_ENUM:
		return check(btf__add_enum(to, name_of(from, t), t->size));
	case BTF_KIND_TYPEDEF:
		inner = 0;
		if (btf_is_composite(
			    btf__type_by_id(from, (__u32)check(btf__resolve_type(from, id)))))
			inner = check(btf__add_struct(to, NULL, 8));
		return check(btf__add_typedef(to, name_of(from, t), inner));
	case BTF_KIND_FUNC_PROTO:
		return 0;
	case BTF_KIND_FWD:
		return check(btf__add_fwd(to, name_of(from, t), BTF_FWD_STRUCT));
	default: /* qualifiers, tags */
		return copy_type(from, to, t->type, depth + 1);
	}
}

static int *copies; /* of each type, 0: none yet */

static int copy_type(const struct btf *from, struct btf *to, __u32 id, int depth)
{
	if (!id || depth > DEPTH_MAX)
		return 0;
	if (!copies[id])
		copies[id] = copy_new_type(from, to, id, depth);
	return copies[id];
}

static void copy_function(const struct btf *from, struct btf *to, const struct btf_type *func)
{
	const struct btf_type *proto = btf__type_by_id(from, func->type);
	const struct btf_param *p = btf_params(proto);
	int ids[ARGUMENTS_MAX], id, n = btf_vlen(proto);

	if (n > ARGUMENTS_MAX)
		die("has too many arguments", name_of(from, func));
	id = copy_type(from, to, proto->type, 0);
	for (int i = 0; i < n; i++)
		ids[i] = copy_type(from, to, p[i].type, 0);
	id = check(btf__add_func_proto(to, id));
	for (int i = 0; i < n; i++)
		check(btf__add_func_param(to, btf__name_by_offset(from, p[i].name_off), ids[i]));
	check(btf__add_func(to, name_of(from, func), BTF_FUNC_STATIC, id));
}

/* A member, also of an anonymous part: its type and where it begins, in bits; 0: it is not there.
 */
static __u32 find_member(const struct btf *b, const struct btf_type *t, const char *name, __u32 *at)
{
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++) {
		const char *is = btf__name_by_offset(b, m[i].name_off);
		int resolved = btf__resolve_type(b, m[i].type);
		const struct btf_type *inner = btf__type_by_id(b, (__u32)check(resolved));
		__u32 off = 0, id;

		if (!strcmp(is, name)) {
			*at = btf_member_bit_offset(t, (__u32)i);
			return m[i].type;
		}
		if (*is || !btf_is_composite(inner))
			continue;
		id = find_member(b, inner, name, &off);
		if (id) {
			*at = btf_member_bit_offset(t, (__u32)i) + off;
			return id;
		}
	}
	return 0;
}

/* What the rows read, each "STRUCT.MEMBER" once and in order, so that the members of a structure
 * are neighbours. */
static char *words[WORDS_MAX];
static size_t words_n;

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void collect_words(const char *reads)
{
	char *text = strdup(reads), *save = NULL;

	for (char *w = strtok_r(text, " |", &save); w; w = strtok_r(NULL, " |", &save)) {
		size_t i = 0;

		w[strcspn(w, ":")] = '\0';
		while (i < words_n && strcmp(words[i], w))
			i++;
		/* The rest of a type that has a blank in its name is no word of its own. */
		if (i == words_n && strchr(w, '.') && words_n < WORDS_MAX)
			words[words_n++] = strdup(w);
	}
	free(text);
}

/* The structure of words[first] with those of its members that are named; returns the word behind
 * them. */
static size_t copy_structure(const struct btf *from, struct btf *to, size_t first)
{
	size_t len = strcspn(words[first], "."), end = first;
	int types[MEMBERS_MAX];
	__u32 at[MEMBERS_MAX];
	const char *members[MEMBERS_MAX];
	const struct btf_type *t;
	char name[64];
	int id, n = 0;

	snprintf(name, sizeof(name), "%.*s", (int)len, words[first]);
	id = btf__find_by_name_kind(from, name, BTF_KIND_STRUCT);
	t = id < 0 ? NULL : btf__type_by_id(from, (__u32)id);
	for (; end < words_n && !strncmp(words[end], words[first], len + 1); end++) {
		__u32 of, off = 0;

		of = t && n < MEMBERS_MAX ? find_member(from, t, words[end] + len + 1, &off) : 0;
		if (!of)
			continue;
		types[n] = copy_type(from, to, of, 0);
		members[n] = words[end] + len + 1;
		at[n++] = off;
	}
	if (t)
		check(btf__add_struct(to, name, t->size));
	for (int i = 0; i < n; i++)
		check(btf__add_field(to, members[i], types[i], at[i], 0));
	return end;
}

static void copy_structures(const struct btf *from, struct btf *to)
{
	for (size_t h = 0; h < hook_plan_len; h++)
		for (const struct hook_symbol *s = hook_plan[h].symbols; s->symbol; s++)
			if (s->reads)
				collect_words(s->reads);
	qsort(words, words_n, sizeof(*words), compare_words);
	for (size_t i = 0; i < words_n;)
		i = copy_structure(from, to, i);
}

static void reduce_types(const char *from_path, const char *to_path)
{
	struct btf *from = btf__parse(from_path, NULL), *whole = btf__new_empty();
	FILE *out = fopen(to_path, "w");
	const void *raw;
	__u32 size;

	if (!from)
		die("is not BTF", from_path);
	if (!whole || !out)
		die("cannot be written", to_path);
	copies = calloc(btf__type_cnt(from), sizeof(*copies));
	if (!copies)
		die("out of memory", from_path);
	for (__u32 id = 1; id < btf__type_cnt(from); id++) {
		const struct btf_type *t = btf__type_by_id(from, id);

		if (btf_is_func(t) && is_name(name_of(from, t), strlen(name_of(from, t))))
			copy_function(from, whole, t);
	}
	copy_structures(from, whole);
	raw = btf__raw_data(whole, &size);
	if (!raw || fwrite(raw, 1, size, out) != size || fclose(out))
		die("cannot be written", to_path);
	free(copies);
	btf__free(whole);
	btf__free(from);
}

int main(int argc, char **argv)
{
	char path[4096];

	if (argc != 4) {
		fputs("usage: reduce KALLSYMS BTF OUT\n", stderr);
		return 2;
	}
	names_n = hook_plan_names(names, NAMES_MAX);
	snprintf(path, sizeof(path), "%s.kallsyms", argv[3]);
	reduce_symbols(argv[1], path);
	snprintf(path, sizeof(path), "%s.btf", argv[3]);
	reduce_types(argv[2], path);
	return 0;
}
