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

enum {
	KIND_INT = 1,
	KIND_ARRAY = 3,
	KIND_STRUCT = 4,
	KIND_UNION = 5,
	KIND_ENUM = 6,
	KIND_FUNC = 12,
	KIND_FUNC_PROTO = 13,
	KIND_VAR = 14,
	KIND_DATASEC = 15,
	KIND_DECL_TAG = 17,
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

struct btf {
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

static struct type type_at(const struct btf *b, size_t off)
{
	struct type t;

	memcpy(&t, b->types + off, sizeof(t));
	return t;
}

static int damaged(const struct btf *b, struct error *e)
{
	return error_set(e, -EBADMSG,
			 "%s: is BTF, but damaged; take a fresh copy of /sys/kernel/btf/vmlinux",
			 b->path);
}

static int index_types(struct btf *b, struct error *e)
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

static int read_file(struct btf *b, struct error *e)
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

static int check_header(struct btf *b, struct error *e)
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

static bool id_type(const struct btf *b, uint32_t id, struct type *t)
{
	if (!id || id > b->n)
		return false;
	*t = type_at(b, b->offsets[id]);
	return true;
}

/* Follows names and qualifiers (typedef, const, ...) for a few steps. */
static bool is_struct(const struct btf *b, uint32_t id)
{
	struct type t;

	for (int i = 0; i < 16 && id_type(b, id, &t); i++) {
		if (kind_of(&t) == KIND_STRUCT || kind_of(&t) == KIND_UNION)
			return true;
		if (kind_of(&t) < 8 || kind_of(&t) > 11)
			return false;
		id = t.size_or_type;
	}
	return false;
}

static void take_function(const struct btf *b, const struct type *t, struct btf_function *f,
			  size_t n)
{
	struct type proto;

	if (t->name_off >= b->strings_len)
		return;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(f[i].name, b->strings + t->name_off))
			continue;
		f[i].present = true;
		if (!id_type(b, t->size_or_type, &proto) || kind_of(&proto) != KIND_FUNC_PROTO)
			continue;
		f[i].arguments = (unsigned int)members_of(&proto);
		f[i].returns_struct = is_struct(b, proto.size_or_type);
	}
}

int btf_file_read(const char *path, struct btf_function *f, size_t n, struct error *e)
{
	struct btf b = { .path = path };
	int err = read_file(&b, e);

	if (!err)
		err = check_header(&b, e);
	if (!err)
		err = index_types(&b, e);
	for (size_t i = 0; i < n; i++) {
		f[i].present = false;
		f[i].returns_struct = false;
		f[i].arguments = 0;
	}
	for (uint32_t id = 1; !err && id <= b.n; id++) {
		struct type t = type_at(&b, b.offsets[id]);

		if (kind_of(&t) == KIND_FUNC)
			take_function(&b, &t, f, n);
	}
	free(b.offsets);
	free(b.data);
	return err;
}
