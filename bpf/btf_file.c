// SPDX-License-Identifier: GPL-2.0
#include "bpf/btf_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The format is described in the kernel's documentation of BTF; all numbers are checked. */
#define BTF_MAGIC 0xeb9f
#define BTF_MAGIC_SWAPPED 0x9feb
#define BTF_FILE_MAX (64u << 20)
#define MEMBERS_MAX 2000

enum {
	KIND_INT = 1,
	KIND_POINTER = 2,
	KIND_ARRAY = 3,
	KIND_STRUCT = 4,
	KIND_UNION = 5,
	KIND_ENUM = 6,
	KIND_TYPEDEF = 8,
	KIND_VOLATILE = 9,
	KIND_CONST = 10,
	KIND_RESTRICT = 11,
	KIND_FUNC = 12,
	KIND_FUNC_PROTO = 13,
	KIND_VAR = 14,
	KIND_DATASEC = 15,
	KIND_DECL_TAG = 17,
	KIND_TYPE_TAG = 18,
	KIND_ENUM64 = 19,
	KIND_MAX = 19,
};

struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_len;
	uint32_t type_off, type_len;
	uint32_t string_off, string_len;
};

struct type {
	uint32_t name_off;
	uint32_t info; /* number of members below, kind above */
	uint32_t size_or_type;
};

struct btf_file {
	const char *path;
	unsigned char *data;
	size_t len;
	const unsigned char *types;
	size_t types_len;
	const char *strings;
	size_t strings_len;
	uint32_t *offsets; /* of each type, [1 .. n] */
	uint32_t n;
};

static unsigned int kind_of(const struct type *t)
{
	return t->info >> 24 & 0x1f;
}

static size_t members_of(const struct type *t)
{
	return t->info & 0xffff;
}

/* Bytes behind the fixed part of a type; SIZE_MAX for a kind that is not known. */
static size_t extra_bytes(const struct type *t)
{
	size_t n = members_of(t);

	switch (kind_of(t)) {
	case KIND_INT:
	case KIND_VAR:
	case KIND_DECL_TAG:
		return 4;
	case KIND_ARRAY:
		return 12;
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_DATASEC:
	case KIND_ENUM64:
		return n * 12;
	case KIND_ENUM:
	case KIND_FUNC_PROTO:
		return n * 8;
	default:
		return kind_of(t) && kind_of(t) <= KIND_MAX ? 0 : SIZE_MAX;
	}
}

static struct type type_at(const struct btf_file *b, size_t off)
{
	struct type t;

	memcpy(&t, b->types + off, sizeof(t));
	return t;
}

static int damaged(const struct btf_file *b, struct error *e)
{
	return error_set(e, -EBADMSG,
			 "%s: is BTF, but damaged; take a fresh copy of /sys/kernel/btf/vmlinux",
			 b->path);
}

static int index_types(struct btf_file *b, struct error *e)
{
	size_t off = 0, room = b->types_len / sizeof(struct type) + 2;

	b->offsets = malloc(room * sizeof(*b->offsets));
	if (!b->offsets)
		return error_set(e, -ENOMEM, "%s: out of memory", b->path);
	while (off < b->types_len) {
		struct type t;
		size_t extra;

		if (b->types_len - off < sizeof(t))
			return damaged(b, e);
		t = type_at(b, off);
		extra = extra_bytes(&t);
		if (extra == SIZE_MAX)
			return error_set(e, -EBADMSG,
					 "%s: BTF with a type kind (%u) that this version does not "
					 "know, or damaged",
					 b->path, kind_of(&t));
		if (b->types_len - off - sizeof(t) < extra)
			return damaged(b, e);
		b->offsets[++b->n] = (uint32_t)off;
		off += sizeof(t) + extra;
	}
	return 0;
}

static int read_file(struct btf_file *b, struct error *e)
{
	FILE *f = fopen(b->path, "rb");
	int err = 0;

	if (!f)
		return error_errno(e, -errno, "%s: cannot be opened", b->path);
	b->data = malloc(BTF_FILE_MAX);
	if (b->data)
		b->len = fread(b->data, 1, BTF_FILE_MAX, f);
	else
		err = error_set(e, -ENOMEM, "%s: out of memory", b->path);
	if (!err && ferror(f))
		err = error_errno(e, -EIO, "%s: cannot be read", b->path);
	fclose(f);
	return err;
}

static int check_header(struct btf_file *b, struct error *e)
{
	struct header h;

	if (!b->len)
		return error_set(e, -ENODATA,
				 "%s: is empty; the kernel exports nothing there, so "
				 "CONFIG_DEBUG_INFO_BTF did not work in its build",
				 b->path);
	if (b->len < 2 || (memcpy(&h, b->data, 2), h.magic != BTF_MAGIC)) {
		if (b->len >= 2 && h.magic == BTF_MAGIC_SWAPPED)
			return error_set(e, -EBADMSG,
					 "%s: BTF of a machine with another byte order", b->path);
		return error_set(e, -EBADMSG,
				 "%s: is not BTF (its first bytes are wrong); give a copy of "
				 "/sys/kernel/btf/vmlinux",
				 b->path);
	}
	if (b->len < sizeof(h))
		return damaged(b, e);
	memcpy(&h, b->data, sizeof(h));
	if (h.header_len < sizeof(h) || h.header_len > b->len)
		return damaged(b, e);
	b->len -= h.header_len;
	if (h.type_off > b->len || h.type_len > b->len - h.type_off || h.string_off > b->len ||
	    h.string_len > b->len - h.string_off || !h.string_len)
		return damaged(b, e);
	b->types = b->data + h.header_len + h.type_off;
	b->types_len = h.type_len;
	b->strings = (const char *)b->data + h.header_len + h.string_off;
	b->strings_len = h.string_len;
	return b->strings[b->strings_len - 1] ? damaged(b, e) : 0;
}

static bool is_qualifier(const struct type *t)
{
	return kind_of(t) == KIND_VOLATILE || kind_of(t) == KIND_CONST ||
	       kind_of(t) == KIND_RESTRICT || kind_of(t) == KIND_TYPE_TAG;
}

static bool id_type(const struct btf_file *b, uint32_t id, struct type *t)
{
	if (!id || id > b->n)
		return false;
	*t = type_at(b, b->offsets[id]);
	return true;
}

static const char *name_at(const struct btf_file *b, uint32_t off)
{
	return off < b->strings_len ? b->strings + off : "";
}

static uint32_t word_at(const struct btf_file *b, uint32_t id, size_t n)
{
	uint32_t value;

	memcpy(&value, b->types + b->offsets[id] + sizeof(struct type) + n * sizeof(value),
	       sizeof(value));
	return value;
}

/* Follows names and qualifiers (typedef, const, ...) for a few steps; 0: it leads nowhere. */
static uint32_t resolved(const struct btf_file *b, uint32_t id)
{
	struct type t;

	for (int i = 0; i < 16 && id_type(b, id, &t); i++) {
		if (kind_of(&t) != KIND_TYPEDEF && !is_qualifier(&t))
			return id;
		id = t.size_or_type;
	}
	return 0;
}

/* ---- types as text ---- */

struct text {
	char *out;
	size_t size, len;
};

static void put(struct text *x, const char *s)
{
	size_t n = strlen(s);

	if (x->len < x->size && n < x->size - x->len)
		memcpy(x->out + x->len, s, n + 1);
	x->len += n;
}

static bool fits(const struct text *x)
{
	return x->len < x->size;
}

/* The compilers' names of numbers, as people write them. */
static const char *number_name(const char *name)
{
	static const char *const names[][2] = {
		{ "long unsigned int", "unsigned long" },
		{ "long int", "long" },
		{ "short unsigned int", "unsigned short" },
		{ "short int", "short" },
		{ "_Bool", "bool" },
		{ "long long unsigned int", "unsigned long long" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	return name;
}

static void put_type(const struct btf_file *b, uint32_t id, struct text *x)
{
	char stars[8] = "", length[16] = "";
	unsigned int nstars = 0;
	struct type t;

	for (int i = 0; i < 32; i++) {
		if (!id || !id_type(b, id, &t)) {
			put(x, "void");
			break;
		}
		if (kind_of(&t) == KIND_POINTER && nstars < sizeof(stars) - 1) {
			stars[nstars++] = '*';
			id = t.size_or_type;
		} else if (kind_of(&t) == KIND_ARRAY && !length[0]) {
			snprintf(length, sizeof(length), "[%u]", word_at(b, id, 2));
			id = word_at(b, id, 0);
		} else if (is_qualifier(&t)) {
			id = t.size_or_type;
		} else {
			put(x, kind_of(&t) == KIND_FUNC_PROTO
				       ? "function"
				       : number_name(name_at(b, t.name_off)));
			break;
		}
	}
	put(x, stars);
	put(x, length);
}

/* ---- functions ---- */

static bool find_function(const struct btf_file *b, const char *name, unsigned int nth,
			  struct type *proto, uint32_t *id)
{
	for (uint32_t i = 1; i <= b->n; i++) {
		struct type t = type_at(b, b->offsets[i]);

		if (kind_of(&t) != KIND_FUNC || strcmp(name_at(b, t.name_off), name) || nth--)
			continue;
		*id = t.size_or_type;
		return id_type(b, *id, proto) && kind_of(proto) == KIND_FUNC_PROTO;
	}
	return false;
}

bool btf_file_prototype(const struct btf_file *b, const char *name, unsigned int nth, char *out,
			size_t size)
{
	struct text x = { .out = out, .size = size };
	struct type proto;
	uint32_t id;

	if (!find_function(b, name, nth, &proto, &id))
		return false;
	put_type(b, proto.size_or_type, &x);
	put(&x, "(");
	for (size_t i = 0; i < members_of(&proto); i++) {
		put(&x, i ? "," : "");
		put_type(b, word_at(b, id, 2 * i + 1), &x);
		put(&x, ":");
		put(&x, name_at(b, word_at(b, id, 2 * i)));
	}
	put(&x, ")");
	return fits(&x);
}

static bool is_aggregate(const struct btf_file *b, uint32_t id)
{
	struct type t;

	return id_type(b, resolved(b, id), &t) &&
	       (kind_of(&t) == KIND_STRUCT || kind_of(&t) == KIND_UNION);
}

bool btf_file_returns_struct(const struct btf_file *b, const char *name)
{
	struct type proto;
	uint32_t id;

	return find_function(b, name, 0, &proto, &id) && is_aggregate(b, proto.size_or_type);
}

/* ---- structures ---- */

/* The type of a member, 0: it is not there. @budget: members that are looked at, at most: a damaged
 * file may have anonymous parts that contain themselves. */
static uint32_t member_type(const struct btf_file *b, uint32_t id, const char *member,
			    unsigned int *budget)
{
	struct type t;

	if (!id_type(b, id, &t))
		return 0;
	for (size_t i = 0; i < members_of(&t) && *budget; i++) {
		uint32_t of = word_at(b, id, 3 * i + 1), inner;
		const char *name = name_at(b, word_at(b, id, 3 * i));

		--*budget;
		if (!strcmp(name, member))
			return of;
		if (*name || !is_aggregate(b, of))
			continue;
		inner = member_type(b, resolved(b, of), member, budget);
		if (inner)
			return inner;
	}
	return 0;
}

bool btf_file_member(const struct btf_file *b, const char *structure, const char *member, char *out,
		     size_t size)
{
	struct text x = { .out = out, .size = size };

	for (uint32_t i = 1; i <= b->n; i++) {
		struct type t = type_at(b, b->offsets[i]);
		unsigned int budget = MEMBERS_MAX;
		uint32_t id;

		if (strcmp(name_at(b, t.name_off), structure))
			continue;
		/* A structure without a tag has the name of its typedef. */
		id = kind_of(&t) == KIND_TYPEDEF ? resolved(b, i) : i;
		if (!is_aggregate(b, id))
			continue;
		id = member_type(b, id, member, &budget);
		if (!id)
			return false;
		put_type(b, id, &x);
		return fits(&x);
	}
	return false;
}

bool btf_file_is_kernel(const struct btf_file *b)
{
	char text[512];

	return btf_file_prototype(b, "do_swap_page", 0, text, sizeof(text)) ||
	       btf_file_member(b, "swap_info_struct", "flags", text, sizeof(text));
}

/* ---- forms ---- */

/* Whether @name of @len characters is one of the words of @list, which | separates. */
static bool name_in(const char *list, size_t list_len, const char *name, size_t len)
{
	const char *end = list + list_len;

	while (list < end) {
		size_t n = strcspn(list, "|");

		if (n > (size_t)(end - list))
			n = (size_t)(end - list);
		if (n == len && !strncmp(list, name, n))
			return true;
		list += n + 1;
	}
	return false;
}

/* One form, which ends at @end. */
static bool form_matches(const char *p, const char *f, const char *end)
{
	while (f < end) {
		size_t type = strcspn(f, ":,)"), name = 0, has;

		if (strncmp(p, f, type))
			return false;
		p += type;
		f += type;
		if (*f == ':')
			name = strcspn(++f, ",)");
		has = *p == ':' ? strcspn(++p, ",)") : 0;
		if (name && !name_in(f, name, p, has))
			return false;
		p += has;
		f += name;
		if (*p++ != *f++)
			return false;
	}
	return !*p;
}

bool btf_prototype_matches(const char *prototype, const char *forms)
{
	while (forms && *forms) {
		const char *end = strstr(forms, " ; ");
		size_t n = end ? (size_t)(end - forms) : strlen(forms);

		if (form_matches(prototype, forms, forms + n))
			return true;
		forms += n + (end ? 3 : 0);
	}
	return !forms;
}

/* ---- the file ---- */

int btf_file_open(struct btf_file **out, const char *path, struct error *e)
{
	struct btf_file *b = calloc(1, sizeof(*b));
	int err;

	*out = NULL;
	if (!b)
		return error_set(e, -ENOMEM, "%s: out of memory", path);
	b->path = path;
	err = read_file(b, e);
	if (!err)
		err = check_header(b, e);
	if (!err)
		err = index_types(b, e);
	if (err)
		btf_file_close(b);
	else
		*out = b;
	return err;
}

void btf_file_close(struct btf_file *b)
{
	if (!b)
		return;
	free(b->offsets);
	free(b->data);
	free(b);
}
