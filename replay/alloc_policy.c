// SPDX-License-Identifier: GPL-2.0
#include "replay/alloc_policy.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/model/alloc.h"
#include "traces/event.h"

static bool same_device(const struct policy_device *a, const struct policy_device *b)
{
	if (a->present != b->present || a->pages != b->pages || a->prio != b->prio ||
	    a->flags != b->flags || a->nmemcgs != b->nmemcgs)
		return false;
	return !memcmp(a->memcgs, b->memcgs, a->nmemcgs * sizeof(a->memcgs[0]));
}

bool alloc_policy_same(const struct alloc_policy *a, const struct alloc_policy *b)
{
	if (strcmp(a->allocator, b->allocator) || a->reserve != b->reserve ||
	    a->reserve_order != b->reserve_order || a->reserve_percent != b->reserve_percent ||
	    a->devices != b->devices)
		return false;
	for (unsigned int t = 0; t < POLICY_DEVICES; t++)
		if (!same_device(&a->device[t], &b->device[t]))
			return false;
	return true;
}

bool alloc_policy_set(const struct alloc_policy *p)
{
	return p->allocator[0] || p->reserve || p->devices;
}

int alloc_policy_allocator(struct alloc_policy *p, const char *value, struct error *e)
{
	const char *name = swap_alloc_named(value);
	char known[200] = "";
	size_t len = 0;

	if (name) {
		snprintf(p->allocator, sizeof(p->allocator), "%s", name);
		return 0;
	}
	for (unsigned int i = 0; (name = swap_alloc_generation(i)); i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					name);
	return error_set(e, -EINVAL, "policy: allocator=%s is not one of %s", value, known);
}

/* A decimal number of at most @max, ended by @end; returns what follows, NULL when it is none. */
static const char *number(const char *s, char end, uint64_t max, uint64_t *out)
{
	char *rest;

	if (!isdigit((unsigned char)*s))
		return NULL;
	errno = 0;
	*out = strtoull(s, &rest, 10);
	if (errno || *out > max || *rest != end)
		return NULL;
	return end ? rest + 1 : rest;
}

int alloc_policy_reserve(struct alloc_policy *p, const char *value, struct error *e)
{
	uint64_t order, percent;
	const char *rest = number(value, ':', SWAP_MAX_ORDERS - 1, &order);

	if (!rest || !number(rest, '\0', 99, &percent) || !percent)
		return error_set(e, -EINVAL,
				 "policy: reserve=%s is not ORDER:PERCENT (order 0 to %d, 1 to 99 "
				 "percent of each device)",
				 value, SWAP_MAX_ORDERS - 1);
	p->reserve = true;
	p->reserve_order = (unsigned int)order;
	p->reserve_percent = (unsigned int)percent;
	return 0;
}

/* The lines of a devices file. */

struct device_line {
	const char *path;
	unsigned int number;
	struct error *e;
};

static int bad_value(const struct device_line *l, const char *key, const char *value,
		     const char *expected)
{
	return error_set(l->e, -EINVAL, "%s:%u: %s=%.60s is not %s", l->path, l->number, key, value,
			 expected);
}

static int set_flags(const struct device_line *l, struct policy_device *d, char *value)
{
	const struct key_desc *desc = &event_table[EV_SWAPON].keys[SWAPON_FLAGS];
	char *word;

	while ((word = strsep(&value, ","))) {
		unsigned int i = 0;

		while (desc->names[i] && strcmp(desc->names[i], word))
			i++;
		if (!desc->names[i] || 1u << i == DEVICE_IMAGINARY)
			return bad_value(l, "flags", word,
					 "any of ssd, rotational, sync_io, blkdev, file, discard");
		d->flags |= 1u << i;
	}
	return 0;
}

static int set_memcgs(const struct device_line *l, struct policy_device *d, char *value)
{
	char *word;

	while ((word = strsep(&value, ","))) {
		if (d->nmemcgs == POLICY_MEMCGS)
			return bad_value(l, "memcg", word, "possible: at most 8 in a line");
		if (!number(word, '\0', UINT64_MAX, &d->memcgs[d->nmemcgs]))
			return bad_value(l, "memcg", word, "the id of a memory cgroup");
		d->nmemcgs++;
	}
	return 0;
}

static int set_prio(const struct device_line *l, struct policy_device *d, const char *value)
{
	uint64_t n;

	if (!number(value + (*value == '-'), '\0', 32767, &n))
		return bad_value(l, "prio", value, "a priority from -32767 to 32767");
	d->prio = *value == '-' ? -(int)n : (int)n;
	return 0;
}

static int set_word(const struct device_line *l, struct policy_device *d, uint64_t *type,
		    char *word)
{
	char *value = strchr(word, '=');
	uint64_t n;

	if (!value)
		return error_set(l->e, -EINVAL, "%s:%u: '%.60s' is not key=value", l->path,
				 l->number, word);
	*value++ = '\0';
	if (!strcmp(word, "type")) {
		if (!number(value, '\0', POLICY_DEVICES - 1, type))
			return bad_value(l, word, value, "a device number from 0 to 31");
		return 0;
	}
	if (!strcmp(word, "pages")) {
		if (!number(value, '\0', UINT32_MAX - 1, &n) || n < 2)
			return bad_value(l, word, value, "a number of slots, at least 2");
		d->pages = (uint32_t)n;
		return 0;
	}
	if (!strcmp(word, "prio"))
		return set_prio(l, d, value);
	if (!strcmp(word, "flags"))
		return set_flags(l, d, value);
	if (!strcmp(word, "memcg"))
		return set_memcgs(l, d, value);
	return error_set(l->e, -EINVAL,
			 "%s:%u: unknown key '%.60s'; there are type, pages, prio, flags, memcg",
			 l->path, l->number, word);
}

static int add_line(const struct device_line *l, struct alloc_policy *p, char *line)
{
	struct policy_device d = { .present = true };
	uint64_t type = POLICY_DEVICES;
	bool prio = false;
	char *word;

	while ((word = strsep(&line, " \t\n"))) {
		int ret = 0;

		if (!*word)
			continue;
		prio |= !strncmp(word, "prio=", 5);
		ret = set_word(l, &d, &type, word);
		if (ret)
			return ret;
	}
	if (type == POLICY_DEVICES || !d.pages)
		return error_set(l->e, -EINVAL, "%s:%u: a device needs type= and pages=", l->path,
				 l->number);
	if (p->device[type].present)
		return error_set(l->e, -EINVAL, "%s:%u: device %u is there twice", l->path,
				 l->number, (unsigned int)type);
	if (!d.flags)
		d.flags = DEVICE_SSD | DEVICE_BLKDEV;
	/* As swapon would give them, in the order of their numbers. */
	if (!prio)
		d.prio = -2 - (int)type;
	p->device[type] = d;
	p->devices = true;
	return 0;
}

int alloc_policy_devices(struct alloc_policy *p, const char *path, struct error *e)
{
	struct device_line l = { .path = path, .e = e };
	FILE *f = fopen(path, "re");
	char line[512];
	int ret = 0;

	if (!f)
		return error_errno(e, -errno, "policy: devices=%s", path);
	p->devices = false;
	memset(p->device, 0, sizeof(p->device));
	while (!ret && fgets(line, sizeof(line), f)) {
		l.number++;
		if (!strchr(line, '\n') && !feof(f))
			ret = error_set(e, -EINVAL, "%s:%u: longer than %zu characters", path,
					l.number, sizeof(line) - 2);
		else if (line[strspn(line, " \t")] != '#' && line[strspn(line, " \t\n")])
			ret = add_line(&l, p, line);
	}
	if (!ret && ferror(f))
		ret = error_errno(e, -EIO, "policy: devices=%s", path);
	fclose(f);
	if (!ret && !p->devices)
		ret = error_set(e, -EINVAL, "policy: devices=%s names no device", path);
	return ret;
}
