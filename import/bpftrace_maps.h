/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_IMPORT_BPFTRACE_MAPS_H
#define SWAPTRACE_IMPORT_BPFTRACE_MAPS_H

#include "import/bpftrace_hist.h"
#include "import/bpftrace_json.h"

/*
 * What bpftrace prints of its maps: "@name[key, ...]: count" lines and histograms, as text or with
 * -f json. Counts by comm and pid say who did how much.
 */

struct map_row {
	char *key;    /* harmless text; without the pid where there is one; owned */
	uint64_t pid; /* COUNT_UNKNOWN: the key does not end in a number */
	uint64_t count;
	uint64_t last;	   /* while it is read: of the last printing that had the key */
	unsigned int seen; /* and which one that was */
};

struct count_map {
	char name[96]; /* "@swapin" */
	struct map_row *v;
	unsigned int n, room;
	uint64_t total;
	uint64_t last_line;   /* of its rows */
	unsigned int printed; /* times that the map was printed */
	/*
	 * It was cleared in between, as a time stands before each printing or a count fell: @v is
	 * the sum of all of them. Otherwise the last one is in @v.
	 */
	bool cleared;
	struct map_row *before; /* rows of the printings before the last; owned */
	unsigned int nbefore;
};

struct map_dump {
	char name[128]; /* of the file, harmless text */
	struct count_map *v;
	unsigned int n;
	struct text_hists hists;
	uint64_t lost; /* events, as bpftrace says; COUNT_UNKNOWN: it does not */
	struct skipped_lines skipped;
};

/** maps_recognise - whether the beginning of a file has a line of a map of counts or of JSON */
bool maps_recognise(const char *head, size_t len);

/**
 * maps_read - all maps of @in
 * A map that is printed more than once counts as struct count_map says. Lines of other text are
 * skipped; maps of other values than counts as well, but counted.
 * Returns 0 (free with maps_free()); -EBADMSG for counts that add up beyond 64 bits, a histogram
 * that can not be read, or nothing at all; -EIO; -ENOMEM.
 */
int maps_read(FILE *in, const char *name, struct map_dump *m, struct error *e);
/** maps_free - free what a dump holds; what is all zeros is allowed */
void maps_free(struct map_dump *m);

#endif
