// SPDX-License-Identifier: GPL-2.0
#include "bpf/call_sites.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_name(struct site_table *t, const char *name, uint32_t *at)
{
	size_t len = strlen(name) + 1;

	if (t->names_len + len > t->names_room) {
		size_t room = (t->names_len + len) * 2 + 65536;
		char *names = realloc(t->names, room);

		if (!names)
			return -ENOMEM;
		t->names = names;
		t->names_room = room;
	}
	*at = (uint32_t)t->names_len;
	memcpy(t->names + t->names_len, name, len);
	t->names_len += len;
	return 0;
}

static int add_site(struct site_table *t, uint64_t address, const char *name)
{
	int err;

	if (t->n == t->room) {
		size_t room = t->room ? t->room * 2 : 16384;
		struct site *sites = realloc(t->sites, room * sizeof(*sites));

		if (!sites)
			return -ENOMEM;
		t->sites = sites;
		t->room = room;
	}
	t->sites[t->n].address = address;
	err = add_name(t, name, &t->sites[t->n].name);
	t->n += !err;
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

int sites_read(struct site_table *t, const char *path)
{
	char line[512], name[256], kind;
	FILE *in = fopen(path, "r");
	uint64_t address;
	int err = 0;

	memset(t, 0, sizeof(*t));
	if (!in)
		return -errno;
	while (!err && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%" SCNx64 " %c %255s", &address, &kind, name) != 3 || !address ||
		    (tolower((unsigned char)kind) != 't' && tolower((unsigned char)kind) != 'w'))
			continue;
		err = add_site(t, address, name);
	}
	fclose(in);
	if (t->n)
		qsort(t->sites, t->n, sizeof(*t->sites), by_address);
	return err;
}

void sites_free(struct site_table *t)
{
	free(t->sites);
	free(t->names);
	memset(t, 0, sizeof(*t));
}

/* How many functions begin at or below @address. */
static size_t count_to(const struct site_table *t, uint64_t address)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->sites[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *sites_name(const struct site_table *t, uint64_t address, size_t *len)
{
	size_t i = count_to(t, address);
	const char *name;

	if (!i)
		return NULL;
	name = t->names + t->sites[i - 1].name;
	*len = strcspn(name, ".");
	return *len ? name : NULL;
}

uint64_t sites_end(const struct site_table *t, uint64_t address)
{
	size_t i = count_to(t, address);

	return i < t->n ? t->sites[i].address : 0;
}

bool sites_trampoline(const struct site_table *t, uint64_t address)
{
	static const char *const names[] = { "arch_rethook_trampoline", "__kretprobe_trampoline",
					     "kretprobe_trampoline" };
	size_t len, i = count_to(t, address);
	const char *name = i ? sites_name(t, address, &len) : NULL;

	if (!name || t->sites[i - 1].address != address)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return true;
	return false;
}
