/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_LAB_WORKLOAD_H
#define SWAPTRACE_LAB_WORKLOAD_H

/*
 * What the parts of the lab's workload program share. lab/workload.c holds the load on anonymous
 * memory and the options, lab/workload_NAME.c one more command each.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE 4096UL
#define WORDS (PAGE / sizeof(uint64_t))
#define PAGES_PER_MB ((1UL << 20) / PAGE)
#define MAX_PROCS 64

enum fill_order { FILL_SEQ, FILL_INTERLEAVE, FILL_TOGETHER };
enum pattern { PATTERN_SEQ, PATTERN_REVERSE, PATTERN_STRIDE, PATTERN_RANDOM, PATTERN_MIXED };
enum memory { MEMORY_PRIVATE, MEMORY_SHMEM, MEMORY_FORK };

struct options {
	unsigned long procs;
	unsigned long mb;
	unsigned long seed;
	enum fill_order fill;
	unsigned long turn; /* pages a process fills before the next one's turn, FILL_INTERLEAVE */
	enum memory memory;
	bool faults; /* the phase under test is faults by the processes; else they only hold their
			pages */
	enum pattern pattern;
	unsigned long stride;
	unsigned long share;  /* per cent of its pages that a process faults back */
	bool together;	      /* all processes fault at the same time, else one after the other */
	bool write;	      /* faults write */
	unsigned long hog_mb; /* 0: as much as the machine can give */
	unsigned long hog_rounds;
	unsigned long kept; /* per cent of a swapped page that stays in memory: 0 on a disk, about
			       60 on zram */
	unsigned long iterations;
	unsigned long files;
	unsigned long pages;	 /* of the largest file */
	unsigned long min_pages; /* of the smallest */
	const char *dir;	 /* folder for the files */
	const char *times;	 /* file for the time of each truncation; NULL: not measured */
	const char *cgroup;	 /* that placed works in; NULL: none given */
	const char *state;	 /* folder for the files ready, go, done, end */
};

/* say - a line on standard error */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* die - the same, and the process ends with status 1 */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* mix - splitmix64: a step of the generator is a good mix of its input, so it also is a hash */
uint64_t mix(uint64_t x);

/* page_tag - what page @page of process @proc holds in its first word; never 0 */
uint64_t page_tag(const struct options *o, unsigned long proc, unsigned long page);

/* fill_page - a page at @p whose first word is @tag, and which shrinks to half when compressed */
void fill_page(uint64_t *p, uint64_t tag);

/* fault_order - in which order process @proc faults its @n pages, by --pattern, into @order */
void fault_order(const struct options *o, unsigned long proc, uint32_t *order, unsigned long n);

/* map_region - @size bytes of anonymous memory, never NULL */
void *map_region(size_t size, bool shared);

/* lock_memory - what is mapped by now stays in memory */
void lock_memory(void);

/* set_state - make the file @name in the folder of --state, nothing where there is none */
void set_state(const struct options *o, const char *name);

/*
 * wait_for_state - until somebody makes that file, or for SIGTERM where nobody named a folder
 * False: SIGTERM came.
 */
bool wait_for_state(const struct options *o, const char *name);

/* The commands that have files of their own. They return the program's status. */
int run_mthp(const struct options *o);
int run_placed(const struct options *o);
int run_truncate(const struct options *o);
int run_readtwice(const struct options *o);

#endif
