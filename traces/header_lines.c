// SPDX-License-Identifier: GPL-2.0
#include "traces/header_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "traces/event.h"
#include "traces/number.h"
#include "traces/trace.h"

const struct header_key header_keys[] = {
	{ "release", "kernel release as uname -r prints it" },
	{ "version", "kernel build as uname -v prints it" },
	{ "arch", "machine as uname -m prints it" },
	{ "byte_order",
	  "of the recorded machine: little or big; the file itself is always little" },
	{ "page_size", "bytes" },
	{ "cluster_slots", "slots of an allocator cluster (SWAPFILE_CLUSTER)" },
	{ "allocator", "slot allocator of a patched kernel, where it is not its release's" },
	{ "swapoff",
	  "what a patched kernel does for each page at swapoff: vanilla, lookup-first or "
	  "lookup-only" },
	{ "pagevec_size", "folios in a full per-CPU batch, where it is not its release's" },
	{ "pagevec_drain", "when a patched kernel's release of a batch drains: always or once" },
	{ "page_cluster", "vm.page-cluster at the start" },
	{ "vma_ra", "0 or 1: vma_ra_enabled at the start" },
	{ "thp_swap", "0 or 1: CONFIG_THP_SWAP" },
	{ "thp_enabled", "transparent_hugepage/enabled: always, madvise or never" },
	{ "thp_SIZEkB", "hugepages-SIZEkB/enabled: always, inherit, madvise or never" },
	{ "cpus", "possible CPUs of the recorded machine" },
	{ "hits", "swapin_readahead_hits at the start" },
	{ "prev", "previous readahead offset at the start" },
	{ "last", "last readahead window at the start, pages" },
	{ "swap_cgroup", "0 or 1: swap is accounted per memory cgroup" },
	{ "memory_limit", "bytes; limit of the memory cgroup that was recorded" },
	{ "backend", "what recorded: libbpf, bcc or the name of an importer" },
	{ "attach",
	  "attach kinds in use, joined by commas: fentry, fexit, kprobe, kretprobe, multi" },
	{ "events", "event groups that were asked for, joined by commas" },
	{ "missing", "events that could not be recorded on this kernel, joined by commas" },
	{ "derived", "events that were not seen but concluded from others, joined by commas" },
	{ "filtered", "0 or 1: a filter by process or cgroup was on" },
	{ "command", "command that was recorded" },
	{ "tool", "version of the program that wrote the trace" },
	{ "stop", "why the recording ended: signal, time, size, exit, error" },
	{ NULL, NULL },
};

/* thp_SIZEkB with any number in place of SIZE */
static bool is_thp_size(const char *key)
{
	size_t digits;

	if (strncmp(key, "thp_", 4))
		return false;
	digits = strspn(key + 4, "0123456789");
	return digits && !strcmp(key + 4 + digits, "kB");
}

bool header_key_known(const char *key)
{
	for (const struct header_key *k = header_keys; k->name; k++)
		if (!strcmp(k->name, key))
			return true;
	return is_thp_size(key);
}

const char *header_key_nearest(const char *key)
{
	struct nearest n = { NULL, 0 };

	for (const struct header_key *k = header_keys; k->name; k++)
		nearest_try(&n, key, k->name);
	return n.word;
}

char *header_clean_line(const char *line)
{
	size_t len = strlen(line), n = 0;
	char *copy;

	while (len && strchr(" \t\r\n", line[len - 1]))
		len--;
	copy = malloc(4 * len + 1);
	if (!copy)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)line[i];

		if (c == '\t')
			c = ' ';
		if (c >= ' ' && c < 0x7f)
			copy[n++] = (char)c;
		else
			n += (size_t)sprintf(copy + n, "\\x%02x", c);
	}
	copy[n] = '\0';
	return copy;
}

bool trace_line_get(const char *text, const char *key, char *value, size_t size)
{
	size_t klen = strlen(key);

	for (;;) {
		size_t len;

		text += strspn(text, " \t");
		len = strcspn(text, " \t");
		if (!len)
			return false;
		if (len > klen && text[klen] == '=' && !strncmp(text, key, klen))
			return unescape_bytes(text + klen + 1, len - klen - 1, value, size) !=
			       (size_t)-1;
		text += len;
	}
}

bool trace_line_u64(const char *text, const char *key, uint64_t *value)
{
	char word[64];

	return trace_line_get(text, key, word, sizeof(word)) &&
	       number_u64(word, strlen(word), value);
}

/* The names of SWAPON's flags are those of a device line. */
static const char *const *flag_names(void)
{
	return event_table[EV_SWAPON].keys[SWAPON_FLAGS].names;
}

size_t device_flags_put(char *out, size_t size, uint64_t flags, const char *const *names)
{
	size_t n = 0;
	uint64_t bit = 1;

	if (!flags)
		return (size_t)snprintf(out, size, "none");
	for (; *names; names++, bit <<= 1) {
		if (flags & bit && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "," : "", *names);
		flags &= ~bit;
	}
	if (flags && n < size)
		n += (size_t)snprintf(out + n, size - n, "%s0x%llx", n ? "," : "",
				      (unsigned long long)flags);
	return n < size ? n : size - 1;
}

static bool one_flag(const char *s, size_t len, const char *const *names, uint64_t *flags)
{
	uint64_t bit = 1;

	if (len > 2 && s[0] == '0') {
		uint64_t raw;

		if (!number_u64(s, len, &raw))
			return false;
		*flags |= raw;
		return true;
	}
	for (; *names; names++, bit <<= 1) {
		if (!strncmp(*names, s, len) && !(*names)[len]) {
			*flags |= bit;
			return true;
		}
	}
	return false;
}

bool device_flags_parse(const char *s, size_t len, const char *const *names, uint64_t *flags)
{
	const char *end = s + len;

	*flags = 0;
	if (!len || (len == 4 && !memcmp(s, "none", 4)))
		return true;
	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t n = comma ? (size_t)(comma - s) : (size_t)(end - s);

		if (!one_flag(s, n, names, flags))
			return false;
		s += n + (comma != NULL);
	}
	return true;
}

void header_parse_device(const char *line, uint32_t type, struct trace_device *d)
{
	char word[256];
	uint64_t flags;
	int64_t prio;

	memset(d, 0, sizeof(*d));
	d->type = type;
	d->have_pages = trace_line_u64(line, "pages", &d->pages);
	if (trace_line_get(line, "prio", word, sizeof(word)) &&
	    number_i64(word, strlen(word), &prio) && prio >= INT32_MIN && prio <= INT32_MAX) {
		d->have_prio = true;
		d->prio = (int32_t)prio;
	}
	if (trace_line_get(line, "flags", word, sizeof(word)) &&
	    device_flags_parse(word, strlen(word), flag_names(), &flags)) {
		d->have_flags = true;
		d->flags = (uint32_t)flags;
	}
	if (!trace_line_get(line, "name", d->name, sizeof(d->name)))
		d->name[0] = '\0';
}

void header_format_device(char *out, size_t size, const struct trace_device *d)
{
	size_t n = (size_t)snprintf(out, size, "device type=%u", d->type);
	char name[4 * sizeof(d->name) + 5], flags[128];

	if (d->have_pages)
		n += (size_t)snprintf(out + n, size - n, " pages=%llu",
				      (unsigned long long)d->pages);
	if (d->have_prio)
		n += (size_t)snprintf(out + n, size - n, " prio=%d", d->prio);
	if (d->have_flags) {
		device_flags_put(flags, sizeof(flags), d->flags, flag_names());
		n += (size_t)snprintf(out + n, size - n, " flags=%s", flags);
	}
	if (d->name[0]) {
		escape_bytes(d->name, strlen(d->name), name, sizeof(name));
		snprintf(out + n, size - n, " name=%s", name);
	}
}
