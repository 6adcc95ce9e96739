// SPDX-License-Identifier: GPL-2.0
#include "doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The kernel writes blanks, tabs, line breaks and backslashes in names as \ooo. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		bool octal = *s == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
			     s[2] <= '7' && s[3] >= '0' && s[3] <= '7';

		if (octal) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* A file that was removed while it is on. */
static bool take_deleted(char *name)
{
	static const char suffix[] = " (deleted)";
	size_t len = strlen(name), cut = sizeof(suffix) - 1;

	if (len <= cut || strcmp(name + len - cut, suffix))
		return false;
	name[len - cut] = '\0';
	return true;
}

static bool parse_u64(const char *word, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end && !errno;
}

static bool parse_priority(const char *word, int *v)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(word, &end, 10);
	*v = (int)n;
	return end != word && !*end && !errno && n >= INT16_MIN && n <= INT16_MAX;
}

static bool take_line(struct doctor_device *d, char *line)
{
	static const char blanks[] = " \t\n";
	char *save, *word[7];
	unsigned int n = 0, at;

	for (char *w = strtok_r(line, blanks, &save); w && n < 7; w = strtok_r(NULL, blanks, &save))
		word[n++] = w;
	/* A name that is not escaped leaves " (deleted)" as a word of its own. */
	at = n == 6 && !strcmp(word[1], "(deleted)");
	if (n != 5 + at || strlen(word[0]) >= sizeof(d->name))
		return false;
	*d = (struct doctor_device){
		.rotational = -1, .synchronous = -1, .deleted = at, .memory_kb = COUNT_UNKNOWN
	};
	strcpy(d->name, word[0]);
	unescape(d->name);
	d->file = !strcmp(word[1 + at], "file");
	if (take_deleted(d->name))
		d->deleted = true;
	return parse_u64(word[2 + at], &d->size_kb) && parse_u64(word[3 + at], &d->used_kb) &&
	       parse_priority(word[4 + at], &d->priority);
}

int doctor_swaps_read(struct doctor_swaps *s, FILE *in, const char *name, struct error *e)
{
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	memset(s, 0, sizeof(*s));
	if (getline(&line, &size, in) > 0 && strncmp(line, "Filename", 8))
		ret = error_set(e, -EBADMSG,
				"%s: does not begin with the line 'Filename Type Size ...'; a copy "
				"of /proc/swaps is expected",
				name);
	while (!ret && getline(&line, &size, in) > 0) {
		if (s->n == DOCTOR_DEVICES_MAX)
			ret = error_set(e, -EBADMSG, "%s: more than %u swap devices", name,
					DOCTOR_DEVICES_MAX);
		else if (take_line(&s->devices[s->n], line))
			s->n++;
		else
			s->bad_lines++;
	}
	free(line);
	return ret;
}

void doctor_fill_order(const struct doctor_swaps *s, unsigned int *order)
{
	for (unsigned int i = 0; i < s->n; i++) {
		unsigned int at = i;

		for (; at && s->devices[order[at - 1]].priority < s->devices[i].priority; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

uint64_t doctor_swaps_size(const struct doctor_swaps *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->n; i++)
		sum += s->devices[i].size_kb;
	return sum;
}

uint64_t doctor_swaps_used(const struct doctor_swaps *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->n; i++)
		sum += s->devices[i].used_kb;
	return sum;
}

bool doctor_below_cluster(uint64_t size_kb, uint64_t page_size, uint64_t cluster_slots,
			  uint64_t *slots)
{
	*slots = size_kb / (page_size / 1024) + 1;
	return *slots < cluster_slots;
}
