// SPDX-License-Identifier: GPL-2.0
/* Golden vectors of swap readahead: sizing, sizing with state, cluster windows, VMA windows. */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay/kernels.h"
#include "replay/model/readahead.h"

#define MAX_COLS 8
#define MAX_VMAS 256
#define DEFAULT_PAGE_CLUSTER 3

struct run {
	struct golden_cursor c;
	struct golden_result *r;
	char *cols[MAX_COLS];
	struct kernel_release release; /* of the kernel the vectors are from */
};

struct kind {
	const char *name;
	const char *function; /* how the text of "# function" starts */
	const char *columns;  /* how "# columns" starts */
	int (*run)(struct run *run, const char *text);
};

/* Column @i as a number from 0 to @max. */
static bool column(const struct run *run, int i, uint64_t max, uint64_t *value)
{
	return golden_u64(run->cols[i], value) && *value <= max;
}

static int bad_row(struct run *run)
{
	return golden_broken(run->r, &run->c, "not a row of this kind of vector");
}

/*
 * The next row, which must have @want columns.
 * Returns 1 with the columns in run->cols, 0 at the end, -1 for a bad row (described).
 */
static int next_row(struct run *run, int want)
{
	int n = golden_next_row(&run->c, run->cols, MAX_COLS);

	if (n < 0)
		return 0;
	run->r->rows++;
	if (n == want)
		return 1;
	golden_broken(run->r, &run->c, "%d columns instead of %d", n, want);
	return -1;
}

/* Compares the model's answer with columns @from on, joined by tabs. Returns 0 if equal, else 1. */
static int compare(struct run *run, int from, int to, const char *got)
{
	char want[GOLDEN_TEXT];
	size_t len = 0;

	for (int i = from; i <= to; i++)
		len += (size_t)snprintf(want + len, sizeof(want) - len, "%s%.100s",
					i > from ? " " : "", run->cols[i]);
	run->r->checked++;
	if (!strcmp(want, got))
		return 0;
	return golden_differs(run->r, &run->c, want, "%s", got);
}

/* prev_offset offset hits max_pages prev_win | result */
static int run_nr_pages_fn(struct run *run, const char *text)
{
	uint64_t prev, off, hits, max, win;
	char got[32];
	int ret;

	(void)text;
	while ((ret = next_row(run, 6)) > 0) {
		if (!column(run, 0, UINT64_MAX, &prev) || !column(run, 1, UINT64_MAX, &off) ||
		    !column(run, 2, INT32_MAX, &hits) || !column(run, 3, INT32_MAX, &max) ||
		    !column(run, 4, INT32_MAX, &win) || !max)
			return bad_row(run);
		snprintf(got, sizeof(got), "%u",
			 ra_swapin_nr_pages_fn(prev, off, (unsigned int)hits, (unsigned int)max,
					       (unsigned int)win));
		if (compare(run, 5, 5, got))
			return 1;
	}
	return ret < 0;
}

/* The state before the first row: told in words by one kind, as key=value by the other. */
static bool initial_state(const char *text, struct ra_global *g)
{
	char h[512];
	const char *s;
	bool ok;

	*g = RA_GLOBAL_BOOT;
	if (golden_header(text, "state before first row", h, sizeof(h))) {
		ok = sscanf(h, "prev_offset=%" SCNu64 " prev_size=%u hits=%u", &g->prev_offset,
			    &g->last_pages, &g->hits) == 3;
		return ok;
	}
	s = golden_header(text, "function", h, sizeof(h)) ? strstr(h, "hit counter starts at")
							  : NULL;
	if (!s)
		return true;
	return sscanf(s, "hit counter starts at %u, previous offset %" SCNu64 ", previous size %u",
		      &g->hits, &g->prev_offset, &g->last_pages) == 3;
}

/* op argument | result */
static int run_nr_pages_state(struct run *run, const char *text)
{
	unsigned int page_cluster = DEFAULT_PAGE_CLUSTER;
	struct ra_global g;
	uint64_t arg;
	char got[32];
	int ret;

	if (!initial_state(text, &g))
		return golden_broken(run->r, NULL, "the header's initial state can't be read");
	while ((ret = next_row(run, 3)) > 0) {
		if (!column(run, 1, UINT64_MAX, &arg))
			return bad_row(run);
		if (!strcmp(run->cols[0], "pc") && arg <= RA_PAGE_CLUSTER_MAX) {
			page_cluster = (unsigned int)arg;
		} else if (!strcmp(run->cols[0], "hit") && arg <= INT32_MAX) {
			g.hits += (unsigned int)arg;
		} else if (!strcmp(run->cols[0], "ra")) {
			snprintf(got, sizeof(got), "%u", ra_swapin_nr_pages(&g, page_cluster, arg));
			if (compare(run, 2, 2, got))
				return 1;
		} else {
			return bad_row(run);
		}
	}
	return ret < 0;
}

/* page_cluster max hits_added offset | first last count marked */
static int run_cluster_window(struct run *run, const char *text)
{
	bool clamps = run->release.major > 4 || run->release.minor > 14;
	uint64_t page_cluster, max, hits, off;
	struct ra_global g;
	struct ra_window w;
	char got[96];
	int ret;

	if (!initial_state(text, &g))
		return golden_broken(run->r, NULL, "the header's initial state can't be read");
	while ((ret = next_row(run, 8)) > 0) {
		unsigned int pages;

		if (!column(run, 0, RA_PAGE_CLUSTER_MAX, &page_cluster) ||
		    !column(run, 1, UINT64_MAX, &max) || !column(run, 2, INT32_MAX, &hits) ||
		    !column(run, 3, UINT64_MAX, &off))
			return bad_row(run);
		g.hits += (unsigned int)hits;
		pages = ra_swapin_nr_pages(&g, (unsigned int)page_cluster, off);
		if (!ra_cluster_window(pages, off, clamps ? max : 0, &w) || w.end == w.start)
			snprintf(got, sizeof(got), "- - 0 0");
		else
			/* All of the window is read, all but the target carries the mark. */
			snprintf(got, sizeof(got), "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
				 w.start, w.end - 1, w.end - w.start,
				 w.end - w.start - (off >= w.start && off < w.end));
		if (compare(run, 4, 7, got))
			return 1;
	}
	return ret < 0;
}

struct vma {
	bool known;
	uint64_t start, end, word;
};

/* Geometry from "# note PMD size N MB, page N", and the edge rule from the kernel's release. */
static bool geometry_of(const struct run *run, const char *text, struct ra_vma_geometry *geo)
{
	unsigned int pmd_mb = 2, page = 4096;
	char note[256];

	if (golden_header(text, "note", note, sizeof(note)) && strstr(note, "PMD size") &&
	    sscanf(strstr(note, "PMD size"), "PMD size %u MB, page %u", &pmd_mb, &page) != 2)
		return false;
	if (page < 4096 || (page & (page - 1)) || page > 65536 || !pmd_mb ||
	    (pmd_mb & (pmd_mb - 1)))
		return false;
	geo->page_shift = (unsigned int)__builtin_ctz(page);
	geo->pmd_size = (uint64_t)pmd_mb << 20;
	geo->clamp_zero = kernel_find(&run->release)->readahead.vma_left_clamp;
	return true;
}

/* vma id start end: a new area, without history. */
static int new_vma(struct run *run, struct vma *v)
{
	if (!column(run, 2, UINT64_MAX, &v->start) || !column(run, 3, UINT64_MAX, &v->end) ||
	    v->start >= v->end)
		return bad_row(run);
	v->known = true;
	v->word = 0;
	return 0;
}

/* fault id addr, hit id addr flag | win win_start win_end state_after */
static int vma_access(struct run *run, struct vma *v, unsigned int page_cluster,
		      const struct ra_vma_geometry *geo)
{
	struct ra_window w;
	uint64_t addr, mark;
	char got[128];

	if (!v->known || !column(run, 2, UINT64_MAX, &addr))
		return bad_row(run);
	if (!strcmp(run->cols[0], "hit")) {
		if (!column(run, 3, 1, &mark))
			return bad_row(run);
		ra_vma_hit(&v->word, addr, mark, geo->page_shift);
		snprintf(got, sizeof(got), "- - - %" PRIu64, v->word);
		return compare(run, 4, 7, got);
	}
	if (strcmp(run->cols[0], "fault"))
		return bad_row(run);
	if (ra_vma_window(&v->word, addr, v->start, v->end, page_cluster, geo, &w) == 1)
		snprintf(got, sizeof(got), "1 - - %" PRIu64, v->word);
	else
		snprintf(got, sizeof(got), "%u %" PRIu64 " %" PRIu64 " %" PRIu64, w.pages, w.start,
			 w.end, v->word);
	return compare(run, 4, 7, got);
}

static int run_vma_window(struct run *run, const char *text)
{
	static struct vma vmas[MAX_VMAS];
	unsigned int page_cluster = DEFAULT_PAGE_CLUSTER;
	struct ra_vma_geometry geo;
	uint64_t id, pc;
	int ret;

	memset(vmas, 0, sizeof(vmas));
	if (!geometry_of(run, text, &geo))
		return golden_broken(run->r, NULL, "the header's PMD and page size can't be read");
	while ((ret = next_row(run, 8)) > 0) {
		if (!strcmp(run->cols[0], "pc")) {
			if (!column(run, 2, RA_PAGE_CLUSTER_MAX, &pc))
				return bad_row(run);
			page_cluster = (unsigned int)pc;
			continue;
		}
		if (!column(run, 1, MAX_VMAS - 1, &id))
			return bad_row(run);
		if (!strcmp(run->cols[0], "vma"))
			ret = new_vma(run, &vmas[id]);
		else
			ret = vma_access(run, &vmas[id], page_cluster, &geo);
		if (ret)
			return 1;
	}
	return ret < 0;
}

static const struct kind kinds[] = {
	{ "nr_pages_fn", "__swapin_nr_pages",
	  "prev_offset\toffset\thits\tmax_pages\tprev_win\tresult", run_nr_pages_fn },
	{ "nr_pages_state", "swapin_nr_pages", "op\targument\tresult", run_nr_pages_state },
	{ "cluster_window", "swap_cluster_readahead",
	  "page_cluster\tmax\thits_added\toffset\tfirst\tlast\tcount", run_cluster_window },
	{ "vma_window", "", "op\tvma_id\tstart_or_addr\tend_or_flag\twin\twin_start\twin_end",
	  run_vma_window },
};

/*
 * Function and columns must both fit: the name says which code answered, the columns how a row is
 * read. The function of VMA readahead changed its name between kernels, so there the columns
 * decide.
 */
static const struct kind *kind_of(const char *text)
{
	char function[256], columns[256];

	if (!golden_header(text, "function", function, sizeof(function)) ||
	    !golden_header(text, "columns", columns, sizeof(columns)))
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *k = &kinds[i];

		if (!strncmp(function, k->function, strlen(k->function)) &&
		    !strncmp(columns, k->columns, strlen(k->columns)))
			return k;
	}
	return NULL;
}

const char *golden_readahead_kind(const char *text)
{
	const struct kind *k = kind_of(text);

	return k ? k->name : NULL;
}

int golden_readahead_run(const char *path, char *text, size_t len, struct golden_result *r)
{
	const struct kind *k = kind_of(text);
	struct run run = { .c = { .next = text }, .r = r };
	char source[64];

	(void)path;
	(void)len;
	if (!k)
		return golden_broken(r, NULL, "not a readahead vector");
	if (!golden_header(text, "source", source, sizeof(source)) ||
	    !kernel_release_parse(&run.release, source))
		return golden_broken(r, NULL, "no kernel release in a \"# source\" line");
	return k->run(&run, text);
}
