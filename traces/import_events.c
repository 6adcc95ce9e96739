// SPDX-License-Identifier: GPL-2.0
#include "traces/import_events.h"

#include <string.h>

#include "traces/number.h"

/* page-cluster is at most 31, so no window is larger. */
#define WINDOW_MAX (1ull << 31)

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The value of "key=value" as a word of the arguments; a comma at its end does not belong to it. */
static bool argument(const struct foreign_event *f, const char *key, const char **value,
		     size_t *len)
{
	const char *p = f->args, *end = p + f->args_len;
	size_t key_len = strlen(key);

	while (p < end) {
		const char *word;

		while (p < end && blank(*p))
			p++;
		word = p;
		while (p < end && !blank(*p))
			p++;
		if ((size_t)(p - word) <= key_len || memcmp(word, key, key_len) ||
		    word[key_len] != '=')
			continue;
		*value = word + key_len + 1;
		*len = (size_t)(p - *value);
		*len -= *len && (*value)[*len - 1] == ',';
		return true;
	}
	return false;
}

enum answer { ABSENT, MALFORMED, READ };

static enum answer number(const struct foreign_event *f, const char *const *keys, uint64_t *v)
{
	const char *s;
	size_t len;

	for (; *keys; keys++)
		if (argument(f, *keys, &s, &len))
			return number_u64(s, len, v) ? READ : MALFORMED;
	return ABSENT;
}

static bool has(const char *s, size_t len, const char *what)
{
	return memmem(s, len, what, strlen(what));
}

static bool is(const struct foreign_event *f, const char *name)
{
	return strlen(name) == f->name_len && !memcmp(name, f->name, f->name_len);
}

/* Return probes show "(FROM <- FUNCTION)"; the name of the probe is anything its maker liked. */
static bool returns_from(const struct foreign_event *f, const char *function)
{
	const char *arrow = memmem(f->args, f->args_len, "<- ", 3);

	return arrow && (has(f->name, f->name_len, function) ||
			 has(arrow, f->args_len - (size_t)(arrow - f->args), function));
}

static const char *fill_window(const struct foreign_event *f, struct event *ev)
{
	static const char *const keys[] = { "arg1", "ret", "retval", NULL };
	uint64_t v = 0;

	switch (number(f, keys, &v)) {
	case ABSENT:
		return "a return of swapin_nr_pages without arg1=, ret= or retval=";
	case MALFORMED:
		return "the return value of swapin_nr_pages is no number";
	default:
		break;
	}
	if (v > WINDOW_MAX)
		return "no readahead window is larger than 2^31 pages";
	event_init(ev, EV_RA, f->t_ns);
	/* Only the cluster mode calls this function. */
	event_set(ev, RA_MODE, RA_CLUSTER);
	event_set(ev, RA_RET, v);
	event_set(ev, RA_HOW, RA_PROBED);
	return NULL;
}

static const char *fill_read(const struct foreign_event *f, struct event *ev)
{
	static const char *const types[] = { "type", NULL };
	static const char *const offsets[] = { "off", "offset", NULL };
	static const char *const pages[] = { "n", "nr_pages", NULL };
	static const struct {
		const char *const *keys;
		unsigned int key;
	} values[] = { { types, READ_TYPE }, { offsets, READ_OFF }, { pages, READ_N } };

	event_init(ev, EV_READ, f->t_ns);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		uint64_t v;

		switch (number(f, values[i].keys, &v)) {
		case MALFORMED:
			return "type=, off= or n= of a swap read is no number";
		case READ:
			event_set(ev, values[i].key, v);
			break;
		default:
			break;
		}
	}
	return event_has(ev, READ_OFF) ? NULL : "a swap read without off=";
}

/*
 * The tracepoints fire when a folio leaves the per-CPU batch for its list, one by one. So the folio
 * had joined the batch before; whether a full batch or a drain moved it they do not tell.
 */
static const char *fill_lru(const struct foreign_event *f, struct event *ev, uint64_t op)
{
	event_init(ev, EV_LRUADD, f->t_ns);
	event_set(ev, LRUADD_OP, op);
	event_set(ev, LRUADD_N, 1);
	return NULL;
}

bool foreign_event_fill(const struct foreign_event *f, struct event *ev, bool *moved,
			const char **why)
{
	static const char *const reads[] = { "mm_swap_read", "swap_read", "swap_readpage",
					     "swap_read_folio" };

	*why = NULL;
	*moved = false;
	if (returns_from(f, "swapin_nr_pages")) {
		*why = fill_window(f, ev);
		return true;
	}
	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
		if (is(f, reads[i])) {
			*why = fill_read(f, ev);
			return true;
		}
	*moved = is(f, "mm_lru_insertion") || is(f, "mm_lru_activate");
	if (*moved)
		*why = fill_lru(f, ev, is(f, "mm_lru_insertion") ? LRU_ADD : LRU_ACTIVATE);
	return *moved;
}
