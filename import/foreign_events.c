// SPDX-License-Identifier: GPL-2.0
#include "import/foreign_events.h"

#include <string.h>

#include "traces/number.h"

/* page-cluster is at most 31, so no window is larger. */
#define WINDOW_MAX (1ull << 31)

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

bool foreign_argument(const struct foreign_event *f, const char *key, const char **value,
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

enum foreign_answer foreign_number(const struct foreign_event *f, const char *const *keys,
				   uint64_t *v)
{
	const char *s;
	size_t len;

	for (; *keys; keys++)
		if (foreign_argument(f, *keys, &s, &len))
			return number_u64(s, len, v) ? FOREIGN_READ : FOREIGN_MALFORMED;
	return FOREIGN_ABSENT;
}

static bool has(const char *s, size_t len, const char *what)
{
	return memmem(s, len, what, strlen(what));
}

static bool is(const struct foreign_event *f, const char *name)
{
	return strlen(name) == f->name_len && !memcmp(name, f->name, f->name_len);
}

/* Return probes show "(FROM <- FUNCTION)". */
static const char *arrow(const struct foreign_event *f)
{
	return memmem(f->args, f->args_len, "<- ", 3);
}

bool foreign_is_return(const struct foreign_event *f)
{
	return arrow(f) != NULL;
}

/* Whether the @len bytes at @s begin with this whole name. */
static bool begins(const char *s, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && !memcmp(s, name, n) && memchr("+)/ ", s[n], 4);
}

bool foreign_is_probe(const struct foreign_event *f, const char *function)
{
	const char *from = arrow(f), *name = f->name;
	size_t len = f->name_len, wanted = strlen(function);

	if (from && begins(from + 3, f->args_len - (size_t)(from + 3 - f->args), function))
		return true;
	if (!from && f->args_len && f->args[0] == '(' &&
	    begins(f->args + 1, f->args_len - 1, function))
		return true;
	if (len > 2 && (name[0] == 'p' || name[0] == 'r') && name[1] == '_') {
		name += 2;
		len -= 2;
		while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
			len--;
		len -= len && name[len - 1] == '_';
	} else if (from && len > 8 && !memcmp(name + len - 8, "__return", 8)) {
		len -= 8;
	}
	return len == wanted && !memcmp(name, function, len);
}

/* A return of this function, whatever its maker liked to name the probe. */
static bool returns_from(const struct foreign_event *f, const char *function)
{
	const char *from = arrow(f);

	return from && (has(f->name, f->name_len, function) ||
			has(from, f->args_len - (size_t)(from - f->args), function));
}

static const char *fill_window(const struct foreign_event *f, struct event *ev)
{
	static const char *const keys[] = { "arg1", "ret", "retval", NULL };
	uint64_t v = 0;

	switch (foreign_number(f, keys, &v)) {
	case FOREIGN_ABSENT:
		return "a return of swapin_nr_pages without arg1=, ret= or retval=";
	case FOREIGN_MALFORMED:
		return "the return value of swapin_nr_pages is not a number";
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

		switch (foreign_number(f, values[i].keys, &v)) {
		case FOREIGN_MALFORMED:
			return "type=, off= or n= of a swap read is not a number";
		case FOREIGN_READ:
			event_set(ev, values[i].key, v);
			break;
		default:
			break;
		}
	}
	return event_has(ev, READ_OFF) ? NULL : "a swap read without off=";
}

static const char *fill_release(const struct foreign_event *f, struct event *ev)
{
	static const char *const batches[] = { "batch", NULL };
	static const char *const folios[] = { "n", NULL };
	static const char *const flags[] = { "drained", NULL };
	uint64_t v;

	event_init(ev, EV_RELEASE, f->t_ns);
	if (foreign_number(f, batches, &v) != FOREIGN_READ)
		return "a release of a batch without batch=";
	event_set(ev, BATCH_BATCH, v);
	switch (foreign_number(f, folios, &v)) {
	case FOREIGN_MALFORMED:
		return "n= of a release is not a number";
	case FOREIGN_READ:
		event_set(ev, BATCH_N, v);
		break;
	default:
		break;
	}
	switch (foreign_number(f, flags, &v)) {
	case FOREIGN_MALFORMED:
		return "drained= of a release is not a number";
	case FOREIGN_READ:
		event_set(ev, BATCH_DRAINED, v != 0);
		break;
	default:
		break;
	}
	return NULL;
}

bool foreign_event_fill(const struct foreign_event *f, struct event *ev, const char **why)
{
	static const char *const reads[] = { "mm_swap_read", "swap_read", "swap_readpage",
					     "swap_read_folio" };

	*why = NULL;
	if (returns_from(f, "swapin_nr_pages")) {
		*why = fill_window(f, ev);
		return true;
	}
	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
		if (is(f, reads[i])) {
			*why = fill_read(f, ev);
			return true;
		}
	if (!foreign_is_return(f) && (foreign_is_probe(f, "__folio_batch_release") ||
				      foreign_is_probe(f, "__pagevec_release"))) {
		*why = fill_release(f, ev);
		return true;
	}
	return false;
}
