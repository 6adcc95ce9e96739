// SPDX-License-Identifier: GPL-2.0
#include "import/bpftrace_hist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "traces/number.h"

#define AXIS_MAX 4096 /* buckets of an axis: bpftrace's lhist() has at most 1000 */

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* "16", "-4", "1K", "...": @otherwise is what an open bound means. */
static bool parse_bound(const char **at, const char *end, int64_t otherwise, int64_t *v)
{
	static const char letters[] = "KMGTPE";
	const char *p = skip_blanks(*at, end), *letter;
	size_t n = p < end && *p == '-';
	unsigned int shift;

	if (end - p >= 3 && !memcmp(p, "...", 3)) {
		*v = otherwise;
		*at = p + 3;
		return true;
	}
	while (p + n < end && p[n] >= '0' && p[n] <= '9')
		n++;
	if (!number_i64(p, n, v))
		return false;
	p += n;
	letter = p < end && *p ? strchr(letters, *p) : NULL;
	shift = letter ? 10 * (unsigned int)(letter - letters + 1) : 0;
	/* Within half of the range, so that the distance of two bounds has room. */
	if (*v > INT64_MAX / 4 >> shift || *v < -(INT64_MAX / 4 >> shift))
		return false;
	*v *= INT64_C(1) << shift;
	*at = p + (letter != NULL);
	return true;
}

/* The bounds of a bucket; *@at moves behind them. */
static bool parse_bounds(const char **at, const char *end, struct hist_bucket *b)
{
	const char *p = skip_blanks(*at, end);
	bool single;

	if (p == end || (*p != '[' && *p != '('))
		return false;
	p++;
	if (!parse_bound(&p, end, INT64_MIN, &b->low))
		return false;
	p = skip_blanks(p, end);
	single = p < end && *p == ']';
	if (single) {
		if (b->low == INT64_MIN || b->low == INT64_MAX)
			return false;
		b->high = b->low + 1;
	} else {
		if (p == end || *p++ != ',' || !parse_bound(&p, end, INT64_MAX, &b->high))
			return false;
		p = skip_blanks(p, end);
		if (p == end || (*p != ')' && *p != ']'))
			return false;
	}
	*at = p + 1;
	return b->low < b->high;
}

enum line_kind { LINE_OTHER, LINE_BUCKET, LINE_BAD };

/* A bucket has bounds and a bar; that its count can not be read is an error then. */
static enum line_kind parse_bucket(const char *s, const char *end, struct hist_bucket *b)
{
	const char *p = s, *digits;

	if (!parse_bounds(&p, end, b))
		return LINE_OTHER;
	digits = skip_blanks(p, end);
	for (p = digits; p < end && *p != ' ' && *p != '\t' && *p != '|';)
		p++;
	if (!memchr(p, '|', (size_t)(end - p)))
		return LINE_OTHER;
	/* The bar begins right behind the count. */
	if (*skip_blanks(p, end) != '|')
		return LINE_BAD;
	return number_decimal(digits, (size_t)(p - digits), &b->count) ? LINE_BUCKET : LINE_BAD;
}

bool hist_text_recognise(const char *head, size_t len)
{
	const char *end = head + len;

	while (head < end) {
		const char *line = memchr(head, '\n', (size_t)(end - head));
		struct hist_bucket b;

		if (!line)
			line = end;
		if (parse_bucket(head, line, &b) != LINE_OTHER)
			return true;
		head = line + (line < end);
	}
	return false;
}

static struct text_hist *add_hist(struct text_hists *out, const char *s, size_t len)
{
	struct text_hist *bigger = realloc(out->v, (out->n + 1) * sizeof(*bigger));

	if (!bigger)
		return NULL;
	out->v = bigger;
	bigger += out->n++;
	memset(bigger, 0, sizeof(*bigger));
	escape_text(s, len, bigger->name, sizeof(bigger->name));
	return bigger;
}

/* Returns 0, -ENOMEM, -EBADMSG for a bucket that is not above the one before, -ERANGE. */
static int add_bucket(struct text_hist *h, const struct hist_bucket *b)
{
	if (h->n && h->b[h->n - 1].high > b->low)
		return -EBADMSG;
	if (b->count > UINT64_MAX - 1 - h->total)
		return -ERANGE;
	if (h->n == h->room) {
		unsigned int room = h->room ? h->room * 2 : 32;
		struct hist_bucket *bigger = realloc(h->b, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		h->b = bigger;
		h->room = room;
	}
	h->b[h->n++] = *b;
	h->total += b->count;
	return 0;
}

static int bad_bucket(int why, const char *name, uint64_t line, struct error *e)
{
	if (why == -ENOMEM)
		return error_set(e, why, "%s: out of memory", name);
	return error_set(e, -EBADMSG, "%s: line %" PRIu64 ": %s", name, line,
			 why == -ERANGE	   ? "the counts add up to more than 64 bits hold"
			 : why == -EBADMSG ? "a bucket that does not lie above the one before it"
					   : "the count of the bucket cannot be read");
}

/* "@usecs[x]:" or "@x: "; anything else that is not a bucket ends a histogram without beginning
 * one.
 */
static size_t map_name(const char *s, size_t len)
{
	while (len && memchr(" \t\r\n", s[len - 1], 4))
		len--;
	return len > 1 && *s == '@' && s[len - 1] == ':' ? len - 1 : 0;
}

int hist_text_read(FILE *in, const char *name, struct text_hists *out, struct error *e)
{
	char title[256] = "histogram", *s = NULL;
	size_t size = 0;
	uint64_t line = 0;
	bool open = false;
	ssize_t len;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	while (!ret && (len = getline(&s, &size, in)) >= 0) {
		size_t named = map_name(s, (size_t)len);
		struct hist_bucket b;
		enum line_kind kind = parse_bucket(s, s + len, &b);

		line++;
		if (kind == LINE_OTHER) {
			open = false;
			if (named)
				snprintf(title, sizeof(title), "%.*s",
					 (int)(named < 200 ? named : 200), s);
			continue;
		}
		if (!open && !add_hist(out, title, strlen(title)))
			ret = -ENOMEM;
		open = true;
		if (!ret)
			ret = kind == LINE_BAD ? -EINVAL : add_bucket(&out->v[out->n - 1], &b);
		if (ret)
			ret = bad_bucket(ret, name, line, e);
	}
	if (!ret && ferror(in))
		ret = error_errno(e, errno ? -errno : -EIO, "cannot read '%s'", name);
	if (!ret && !out->n)
		ret = error_set(e, -EBADMSG, "%s: no histogram of bpftrace", name);
	free(s);
	if (ret)
		hist_text_free(out);
	return ret;
}

void hist_text_free(struct text_hists *out)
{
	for (unsigned int i = 0; i < out->n; i++)
		free(out->v[i].b);
	free(out->v);
	memset(out, 0, sizeof(*out));
}

const struct hist_bucket *hist_text_quantile(const struct text_hist *h, uint64_t tail)
{
	uint64_t rank = h->total - h->total / tail, seen = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		seen += h->b[i].count;
		if (h->b[i].count && seen >= rank)
			return &h->b[i];
	}
	return NULL;
}

uint64_t hist_text_count(const struct text_hist *h, int64_t low)
{
	for (unsigned int i = 0; i < h->n; i++)
		if (h->b[i].low == low)
			return h->b[i].count;
	return 0;
}

static int by_low(const void *a, const void *b)
{
	const struct hist_bucket *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* Width of the buckets that fill the gap from @from to @to; 0: doubling ones. */
static int64_t gap_width(int64_t from, int64_t to, int64_t before)
{
	int64_t p = from;

	while (p > 0 && p < to && p <= INT64_MAX / 2)
		p *= 2;
	if (p == to)
		return 0;
	return before > 0 && (to - from) % before == 0 ? before : to - from;
}

struct axis {
	struct hist_bucket *b;
	unsigned int n;
};

static void push(struct axis *a, int64_t low, int64_t high)
{
	if (a->n < AXIS_MAX)
		a->b[a->n++] = (struct hist_bucket){ low, high, 0 };
}

static void fill_gap(struct axis *a, int64_t to)
{
	const struct hist_bucket *last = &a->b[a->n - 1];
	int64_t from = last->high, before = last->low == INT64_MIN ? 0 : last->high - last->low;
	int64_t width = gap_width(from, to, before);

	while (from < to && a->n < AXIS_MAX) {
		int64_t next = width ? from + width : from * 2;

		push(a, from, next);
		from = next;
	}
}

int hist_text_axis(const struct text_hist *const *h, unsigned int n, struct hist_bucket **axis)
{
	struct axis a = { calloc(AXIS_MAX, sizeof(*a.b)), 0 };
	struct hist_bucket *all;
	size_t count = 0;

	for (unsigned int i = 0; i < n; i++)
		count += h[i] ? h[i]->n : 0;
	all = calloc(count + 1, sizeof(*all));
	if (!a.b || !all) {
		free(a.b);
		free(all);
		return -ENOMEM;
	}
	count = 0;
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; h[i] && k < h[i]->n; k++)
			all[count++] = h[i]->b[k];
	qsort(all, count, sizeof(*all), by_low);
	for (size_t i = 0; i < count; i++) {
		if (a.n && all[i].low == a.b[a.n - 1].low)
			continue;
		if (a.n && a.b[a.n - 1].high < all[i].low)
			fill_gap(&a, all[i].low);
		push(&a, all[i].low, all[i].high);
	}
	free(all);
	*axis = a.b;
	return (int)a.n;
}

static void put_bound(char *out, size_t size, int64_t v)
{
	static const char letters[] = "KMGTPE";
	const char *letter = NULL;

	for (const char *p = letters; *p && v && v % 1024 == 0; p++) {
		v /= 1024;
		letter = p;
	}
	snprintf(out, size, "%" PRId64 "%.1s", v, letter ? letter : "");
}

struct hist_label hist_bucket_label(const struct hist_bucket *b)
{
	char low[24] = "...", high[24] = "...";
	struct hist_label l;

	if (b->low != INT64_MIN)
		put_bound(low, sizeof(low), b->low);
	if (b->high != INT64_MAX)
		put_bound(high, sizeof(high), b->high);
	if (b->low != INT64_MIN && b->high == b->low + 1)
		snprintf(l.s, sizeof(l.s), "[%s]", low);
	else
		snprintf(l.s, sizeof(l.s), "%c%s, %s)", b->low == INT64_MIN ? '(' : '[', low, high);
	return l;
}
