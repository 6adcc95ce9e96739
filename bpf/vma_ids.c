// SPDX-License-Identifier: GPL-2.0
#include "bpf/vma_ids.h"

#include <stdlib.h>

struct vma_entry {
	uint64_t vma; /* 0: free */
	uint64_t mm;  /* 0: its address space has ended */
	uint64_t start;
	uint64_t word;
	uint64_t id;
};

struct vma_table {
	struct vma_entry *entries;
	size_t room; /* a power of two */
	size_t used;
	uint64_t ids;
};

struct vma_table *vma_table_new(void)
{
	struct vma_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->room = 1024;
	t->entries = calloc(t->room, sizeof(*t->entries));
	if (!t->entries) {
		free(t);
		return NULL;
	}
	return t;
}

void vma_table_free(struct vma_table *t)
{
	if (t)
		free(t->entries);
	free(t);
}

static struct vma_entry *find(struct vma_entry *entries, size_t room, uint64_t vma)
{
	size_t i = (size_t)((vma >> 3) * 0x9e3779b97f4a7c15ull >> 20) & (room - 1);

	while (entries[i].vma && entries[i].vma != vma)
		i = (i + 1) & (room - 1);
	return &entries[i];
}

static int grow(struct vma_table *t)
{
	size_t room = t->room * 2;
	struct vma_entry *entries = calloc(room, sizeof(*entries));

	if (!entries)
		return -1;
	for (size_t i = 0; i < t->room; i++)
		if (t->entries[i].vma)
			*find(entries, room, t->entries[i].vma) = t->entries[i];
	free(t->entries);
	t->entries = entries;
	t->room = room;
	return 0;
}

uint64_t vma_table_id(struct vma_table *t, uint64_t vma, uint64_t mm, uint64_t start, uint64_t word)
{
	struct vma_entry *v;

	if (t->used >= t->room / 2 && grow(t))
		return 0;
	v = find(t->entries, t->room, vma);
	if (!v->vma)
		t->used++;
	if (!v->vma || v->mm != mm || v->start != start || (!word && v->word)) {
		v->vma = vma;
		v->mm = mm;
		v->start = start;
		v->id = ++t->ids;
	}
	v->word = word;
	return v->id;
}

void vma_table_word(struct vma_table *t, uint64_t vma, uint64_t word)
{
	struct vma_entry *v = find(t->entries, t->room, vma);

	if (v->vma)
		v->word = word;
}

void vma_table_mm_gone(struct vma_table *t, uint64_t mm)
{
	for (size_t i = 0; i < t->room; i++)
		if (t->entries[i].mm == mm)
			t->entries[i].mm = 0;
}
