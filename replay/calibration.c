// SPDX-License-Identifier: GPL-2.0
/* Calibrations as files; what is measured is in calibrate.c. */
#include "replay/calibration.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define MAGIC "# swaptrace calibration 1"

/* A file may come from anywhere, and what it holds is printed. */
static void keep_printable(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}

struct key {
	const char *name;
	size_t offset; /* of a struct spread */
	bool signs;    /* may be negative */
	bool optional;
};

#define KEY(name, member, signs, optional)                                                         \
	{                                                                                          \
		name, offsetof(struct calibration, member), signs, optional                        \
	}

static const struct key keys[] = {
	KEY("outline-mb", way[LRUADD_OUTLINE_MB], false, false),
	KEY("inline-mb", way[LRUADD_INLINE_MB], false, false),
	KEY("inline-relaxed", way[LRUADD_INLINE_RELAXED], false, false),
	KEY("no-barrier", way[LRUADD_NO_BARRIER], false, false),
	KEY("call", call, true, false),
	KEY("barrier", barrier, true, false),
	KEY("both", both, true, false),
	KEY("read-first", read_first, false, true),
	KEY("read-again", read_again, false, true),
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

void calibration_write(FILE *f, const struct calibration *c)
{
	fprintf(f, MAGIC "\n# ns a page: median, first and third quartile\n");
	fprintf(f, "cpu=%s\nrelease=%s\nemulated=%d\nrounds=%u\n", c->cpu, c->release, c->emulated,
		c->rounds);
	for (unsigned int i = 0; i < KEYS; i++) {
		const struct spread *s = (const void *)((const char *)c + keys[i].offset);

		if (!keys[i].optional || c->have_read)
			fprintf(f, "%s=%.4f %.4f %.4f\n", keys[i].name, s->median, s->low, s->high);
	}
}

/* Three finite numbers below 1e9, the quartiles on their sides of the median. */
static bool parse_spread(const char *value, bool signs, struct spread *s)
{
	int used = 0;

	if (sscanf(value, "%lf %lf %lf%n", &s->median, &s->low, &s->high, &used) != 3 ||
	    value[used])
		return false;
	if (!(fabs(s->median) < 1e9 && fabs(s->low) < 1e9 && fabs(s->high) < 1e9))
		return false;
	return s->low <= s->median && s->median <= s->high && (signs || s->low > 0);
}

static bool parse_number(const char *value, unsigned int high, unsigned int *n)
{
	int used = 0;

	return *value >= '0' && *value <= '9' && strlen(value) < 9 &&
	       sscanf(value, "%u%n", n, &used) == 1 && !value[used] && *n <= high;
}

/* @seen: bit per key. Returns whether the line is one of a calibration. */
static bool parse_line(struct calibration *c, char *line, unsigned int *seen)
{
	char *value = strchr(line, '=');

	if (!value)
		return false;
	*value++ = '\0';
	for (unsigned int i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].name, line)) {
			bool again = *seen >> i & 1;

			*seen |= 1u << i;
			return !again && parse_spread(value, keys[i].signs,
						      (void *)((char *)c + keys[i].offset));
		}
	if (!strcmp(line, "cpu"))
		snprintf(c->cpu, sizeof(c->cpu), "%s", value);
	else if (!strcmp(line, "release"))
		snprintf(c->release, sizeof(c->release), "%s", value);
	else if (!strcmp(line, "emulated"))
		return parse_number(value, 1, &c->emulated);
	else if (!strcmp(line, "rounds"))
		return parse_number(value, CALIBRATE_ROUNDS_MAX, &c->rounds);
	return true;
}

static int read_lines(FILE *f, const char *path, struct calibration *c, struct error *e)
{
	unsigned int seen = 0, number = 0;
	char line[512];

	while (fgets(line, sizeof(line), f)) {
		bool whole = strchr(line, '\n') || feof(f);

		line[strcspn(line, "\n")] = '\0';
		if (!number++) {
			if (strcmp(line, MAGIC))
				break;
			continue;
		}
		if (!whole || (*line && *line != '#' && !parse_line(c, line, &seen)))
			return error_set(
				e, -EBADMSG,
				"%s: line %u is not a line of a calibration; write it again with "
				"'swaptrace calibrate -o %s'",
				path, number, path);
	}
	if (ferror(f))
		return error_errno(e, -EIO, "cannot read '%s'", path);
	if (number < 2)
		return error_set(e, -EBADMSG, "%s: no calibration (its first line is not '%s')",
				 path, MAGIC);
	for (unsigned int i = 0; i < KEYS; i++)
		if (!keys[i].optional && !(seen >> i & 1))
			return error_set(e, -EBADMSG,
					 "%s: holds no '%s'; write it again with "
					 "'swaptrace calibrate -o %s'",
					 path, keys[i].name, path);
	c->have_read = c->read_first.median > 0 && c->read_again.median > 0;
	keep_printable(c->cpu);
	keep_printable(c->release);
	return 0;
}

int calibration_read(const char *path, struct calibration *c, struct error *e)
{
	FILE *f = fopen(path, "re");
	int ret;

	memset(c, 0, sizeof(*c));
	if (!f)
		return error_errno(e, -errno, "cannot open '%s'", path);
	ret = read_lines(f, path, c, e);
	fclose(f);
	return ret;
}

double calibration_extra(const struct calibration *c, enum lruadd l)
{
	return c->way[l].median - c->way[LRUADD_NO_BARRIER].median;
}
