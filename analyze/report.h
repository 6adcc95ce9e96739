/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_ANALYZE_REPORT_H
#define SWAPTRACE_ANALYZE_REPORT_H

#include <stdbool.h>

#include "analyze/source.h"
#include "common/error.h"
#include "render/document.h"
#include "render/plot.h"

/*
 * A report about any number of sources, side by side: counts of the readahead, its windows, how
 * they went over time, the slot allocator, drains of the per-CPU batches, swapoffs, who swapped in.
 * It is made once and rendered in several forms.
 */

#define REPORT_PLOTS 12

struct report {
	struct document doc;
	struct plot plots[REPORT_PLOTS]; /* those with something to draw */
	unsigned int nplots;
	bool lost;    /* events were lost or blocks damaged */
	bool unequal; /* sources or phases were recorded under different settings */
	bool partial; /* lines of an input could not be read and are left out */
	/* Of a report about something else than sources: its JSON, and what it is about. */
	int (*json)(const struct report *r, FILE *f);
	const void *about;
	unsigned int nabout;
	double threshold;
};

/**
 * report_build - make the report of @s
 * @s: after sources_finish()
 * Returns 0 or -ENOMEM; free with report_free() either way.
 */
int report_build(struct report *r, const struct sources *s);
void report_free(struct report *r);

enum report_format {
	REPORT_TEXT = 1 << 0,
	REPORT_JSON = 1 << 1,
	REPORT_CSV = 1 << 2,
	REPORT_SVG = 1 << 3,
	REPORT_PNG = 1 << 4,
	REPORT_HTML = 1 << 5,
	REPORT_ALL = (1 << 6) - 1,
};

/**
 * report_formats_parse - formats by name
 * @list: "text,json,csv,svg,png,html", any of them
 * Returns a mask of enum report_format or -EINVAL with a sentence.
 */
int report_formats_parse(const char *list, struct error *e);

/**
 * report_json - the sources as a results document (analyze/result_json.h); of a report about
 * something else its own document
 */
int report_json(const struct report *r, const struct sources *s, FILE *f, struct error *e);

/* What became of the pictures. */
struct report_pictures {
	unsigned int patience_s; /* in: how long gnuplot may take for one of them */
	bool no_gnuplot;	 /* not installed: text plots instead */
	bool as_text;		 /* this gnuplot draws only with characters: NAME.txt */
	unsigned int drawn, failed;
	struct error failure; /* of the first that failed */
};

/* Where a report is written to. */
struct report_target {
	const char *dir; /* made with its parents when missing; any name that the system takes */
	unsigned int formats;
	char *const *inputs; /* paths of the files it is made of, which must not be overwritten */
	int ninputs;
};

/**
 * report_write - write report.txt, report.json, one NAME.csv per table, NAME.svg, NAME.png and
 * report.html into a folder, as the formats ask; NAME.gp and NAME.dat of every plot always
 * @p: all zero but for patience_s
 * report.files lists them, and the next report into the folder replaces these, all or none.
 * Returns 0, also when pictures could not be drawn (@p says so); -EEXIST when a file that no report
 * has left, or an input, is in the way; -errno when a file could not be written; with the file in
 * @e. On failure the folder is what it was.
 */
int report_write(const struct report *r, const struct sources *s, const struct report_target *t,
		 struct report_pictures *p, struct error *e);

#endif
