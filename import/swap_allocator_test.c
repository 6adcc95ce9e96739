// SPDX-License-Identifier: GPL-2.0
#include "import/swap_allocator_test.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/count.h"
#include "common/text.h"
#include "import/quantity.h"
#include "traces/number.h"

#define COUNT_MAX (1ull << 62) /* so that sums and JSON's integers are exact */
#define ITERATIONS_MAX 1000000

static bool take_text(const char **p, const char *text)
{
	size_t len = strlen(text);

	*p += strspn(*p, " \t");
	if (strncmp(*p, text, len))
		return false;
	*p += len;
	return true;
}

static bool take_count(const char **p, uint64_t *v)
{
	size_t digits;

	*p += strspn(*p, " \t");
	digits = strspn(*p, "0123456789");
	if (!number_decimal(*p, digits, v) || *v >= COUNT_MAX)
		return false;
	*p += digits;
	return true;
}

/* "36.35%", or what printf makes of 0/0. */
static bool take_percentage(const char **p, double *v)
{
	struct quantity q;
	size_t len;

	*p += strspn(*p, " \t");
	*v = NAN;
	len = strcspn(*p, " \t\r\n");
	if (!len || (*p)[len - 1] != '%')
		return false;
	if (!quantity_undefined(*p, len)) {
		if (quantity_parse(*p, len, &q) != QUANTITY_OK)
			return false;
		*v = q.number;
	}
	*p += len;
	return true;
}

static bool read_iteration(const char *line, struct tsat_iteration *i)
{
	const char *p = line;

	return take_text(&p, "Iteration") && take_count(&p, &i->number) && take_text(&p, ":") &&
	       take_text(&p, "swpout inc:") && take_count(&p, &i->swpout) && take_text(&p, ",") &&
	       take_text(&p, "swpout fallback inc:") && take_count(&p, &i->fallback) &&
	       take_text(&p, ",") && take_text(&p, "Fallback percentage:") &&
	       take_percentage(&p, &i->stated) && !p[strspn(p, " \t\r\n")];
}

static bool is_iteration(const char *line)
{
	const char *p = line;
	uint64_t v;

	return take_text(&p, "Iteration") && take_count(&p, &v) && take_text(&p, ":") &&
	       take_text(&p, "swpout");
}

double tsat_share(const struct tsat_iteration *i)
{
	return percent_of(i->fallback, i->swpout + i->fallback);
}

/* Half a unit of the last of the two decimals, and a little for the binary fractions. */
static bool wrong_share(const struct tsat_iteration *i)
{
	double share = tsat_share(i);

	if (isnan(share) || isnan(i->stated))
		return isnan(share) != isnan(i->stated);
	return fabs(share - i->stated) > 0.005001;
}

static int add(struct tsat *t, const struct tsat_iteration *i, struct error *e)
{
	if (t->n == ITERATIONS_MAX)
		return error_set(e, -EBADMSG,
				 "%s: more than %d iterations are not output of "
				 "thp_swap_allocator_test",
				 t->name, ITERATIONS_MAX);
	if (t->n == t->room) {
		unsigned int room = t->room ? 2 * t->room : 128;
		struct tsat_iteration *bigger = realloc(t->v, room * sizeof(*bigger));

		if (!bigger)
			return error_errno(e, -ENOMEM, "%s", t->name);
		t->v = bigger;
		t->room = room;
	}
	t->v[t->n++] = *i;
	t->wrong += wrong_share(i);
	return 0;
}

static int read_line(struct tsat *t, const char *line, uint64_t number, struct error *e)
{
	struct tsat_iteration i;

	if (!is_iteration(line)) {
		if (line[strspn(line, " \t\r\n")] && !t->ignored++)
			t->first_ignored = number;
		return 0;
	}
	if (!read_iteration(line, &i))
		return error_set(e, -EBADMSG,
				 "%s: line %" PRIu64
				 " can't be read; expected 'Iteration N: swpout "
				 "inc: N, swpout fallback inc: N, Fallback percentage: N%%'",
				 t->name, number);
	if (t->n && i.number <= t->v[t->n - 1].number)
		return error_set(e, -EBADMSG,
				 "%s: line %" PRIu64 ": iteration %" PRIu64 " after %" PRIu64
				 "; put each run into a file of its own",
				 t->name, number, i.number, t->v[t->n - 1].number);
	return add(t, &i, e);
}

int tsat_read(FILE *in, const char *name, struct tsat *t, struct error *e)
{
	char line[1024];
	uint64_t number = 0;
	int ret = 0;

	memset(t, 0, sizeof(*t));
	escape_text(name, strlen(name), t->name, sizeof(t->name));
	while (!ret && fgets(line, sizeof(line), in)) {
		number++;
		if (!strchr(line, '\n') && !feof(in))
			ret = error_set(e, -EBADMSG, "%s: line %" PRIu64 " is too long", t->name,
					number);
		else
			ret = read_line(t, line, number, e);
	}
	if (!ret && ferror(in))
		ret = error_errno(e, -EIO, "%s: cannot read", t->name);
	if (!ret && !t->n)
		ret = error_set(e, -EBADMSG, "%s: no iteration in it", t->name);
	if (ret)
		tsat_free(t);
	return ret;
}

void tsat_free(struct tsat *t)
{
	free(t->v);
	memset(t, 0, sizeof(*t));
}

bool tsat_recognise(const char *head, size_t len)
{
	const char *end = head + len;

	if (memchr(head, '\0', len))
		return false;
	while (head < end) {
		const char *nl = memchr(head, '\n', (size_t)(end - head));
		size_t n = nl ? (size_t)(nl - head) : (size_t)(end - head);
		char line[128];

		snprintf(line, sizeof(line), "%.*s", n < 127 ? (int)n : 127, head);
		if (is_iteration(line))
			return true;
		head += n + 1;
	}
	return false;
}

const struct tsat_iteration *tsat_first_above(const struct tsat *t, double threshold)
{
	for (unsigned int i = 0; i < t->n; i++)
		if (tsat_share(&t->v[i]) > threshold)
			return &t->v[i];
	return NULL;
}
