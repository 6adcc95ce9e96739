// SPDX-License-Identifier: GPL-2.0
#include "traces/lines.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

void lines_open(struct lines *l, FILE *in)
{
	long long here = ftello(in);

	memset(l, 0, offsetof(struct lines, buffer));
	l->in = in;
	l->offset = here < 0 ? 0 : (uint64_t)here;
	l->line = l->buffer;
}

/* Move what is left to the front and read more behind it: 1, 0 at the end, -EIO. */
static int fill(struct lines *l)
{
	size_t left = l->end - l->start;
	size_t got;

	memmove(l->buffer, l->buffer + l->start, left);
	l->offset += l->start;
	l->start = 0;
	/* A byte stays free for the NUL behind a last line without line end. */
	got = fread(l->buffer + left, 1, sizeof(l->buffer) - 1 - left, l->in);
	l->end = left + got;
	if (!got && ferror(l->in))
		return -EIO;
	return got > 0;
}

static void take(struct lines *l, size_t len, size_t used)
{
	l->begin = l->offset + l->start;
	l->line = l->buffer + l->start;
	l->start += used;
	l->number++;
	if (len && l->line[len - 1] == '\r')
		len--;
	l->line[len] = '\0';
	l->len = len;
}

/* Pass over the rest of a line that does not fit. */
static int skip_line(struct lines *l)
{
	int ret = 1;

	l->number++;
	if (!l->too_long++)
		l->first_too_long = l->number;
	while (ret > 0) {
		char *nl = memchr(l->buffer + l->start, '\n', l->end - l->start);

		if (nl) {
			l->start = (size_t)(nl - l->buffer) + 1;
			return 1;
		}
		l->start = l->end;
		ret = fill(l);
	}
	return ret;
}

int lines_next(struct lines *l)
{
	for (;;) {
		size_t left = l->end - l->start;
		char *nl = memchr(l->buffer + l->start, '\n', left);
		size_t len = nl ? (size_t)(nl - l->buffer) - l->start : left;
		int ret = 1;

		if (len > LINES_LINE_MAX) {
			ret = skip_line(l);
		} else if (nl) {
			take(l, len, len + 1);
			return 1;
		} else {
			ret = fill(l);
			if (!ret && l->end > l->start) {
				take(l, l->end - l->start, l->end - l->start);
				return 1;
			}
		}
		if (ret <= 0)
			return ret;
	}
}

bool lines_mark(const struct lines *l, uint64_t *place)
{
	struct stat st;

	*place = l->begin;
	return !fstat(fileno(l->in), &st) && S_ISREG(st.st_mode);
}

bool lines_back(struct lines *l, uint64_t place, uint64_t number)
{
	if (fseeko(l->in, (off_t)place, SEEK_SET))
		return false;
	l->offset = place;
	l->start = 0;
	l->end = 0;
	l->number = number - 1;
	return true;
}
