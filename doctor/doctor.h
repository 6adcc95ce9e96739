/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_DOCTOR_DOCTOR_H
#define SWAPTRACE_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "render/format.h"
#include "replay/policy.h"

/*
 * What `swaptrace doctor` reads from /proc and /sys below a root folder ("" for this machine). A
 * number that is not there is COUNT_UNKNOWN, a yes or no that is not there is -1: never 0.
 */

#define DOCTOR_DEVICES_MAX 64

/* mm_stat and bd_stat of a zram device; pages are of the machine's size, backed ones of 4 KiB. */
struct doctor_zram {
	uint64_t original_kb, compressed_kb;
	uint64_t limit_kb; /* of its memory; 0: none */
	uint64_t same;	   /* pages of one value, which take no memory */
	uint64_t incompressible;
	uint64_t backed, backed_reads, backed_writes; /* on its backing device */
};

/* One line of /proc/swaps, and what /sys says of the device behind it. */
struct doctor_device {
	char name[256]; /* blanks as they are, without " (deleted)" */
	bool file;
	bool deleted;
	uint64_t size_kb, used_kb; /* as the kernel counts them: without the header page */
	int priority;
	int rotational;	 /* 1, 0, -1 unknown; what the queue says now, swapon's time is what counts
			  */
	int synchronous; /* zram, ramdisk, persistent memory: 1, 0, -1 unknown */
	uint64_t memory_kb; /* zram: memory that comes back when the device is emptied */
	bool is_zram;
	struct doctor_zram zram; /* of such a device */
};

struct doctor_swaps {
	struct doctor_device devices[DOCTOR_DEVICES_MAX]; /* in the order of the file */
	unsigned int n;
	unsigned int bad_lines; /* lines that were not understood */
};

/**
 * doctor_swaps_read - parse a listing like /proc/swaps
 * Columns are separated by blanks or tabs; names hold \ooo for blanks, and may end with
 * "\040(deleted)". Facts of /sys are left unknown. -EBADMSG when there are lines and the first is
 * no header, or when there are more devices than any kernel has; lines not understood are counted.
 */
int doctor_swaps_read(struct doctor_swaps *s, FILE *in, const char *name, struct error *e);

/** doctor_fill_order - indices of the devices by falling priority, ties as listed, into @order */
void doctor_fill_order(const struct doctor_swaps *s, unsigned int *order);

/** doctor_swaps_size, doctor_swaps_used - sums over all devices, kB */
uint64_t doctor_swaps_size(const struct doctor_swaps *s);
uint64_t doctor_swaps_used(const struct doctor_swaps *s);

/**
 * doctor_below_cluster - whether a device can never take a folio as large as a PMD
 * @size_kb: as in /proc/swaps; the header page is added
 * @cluster_slots: slots of an allocator cluster
 * @slots: set to the slots of the device
 */
bool doctor_below_cluster(uint64_t size_kb, uint64_t page_size, uint64_t cluster_slots,
			  uint64_t *slots);

/* The counters of /proc/vmstat that concern swap, in pages; COUNT_UNKNOWN where there is none. */
struct doctor_counters {
	uint64_t pswpin, pswpout, swap_ra, swap_ra_hit;
	uint64_t zswpin, zswpout, zswpwb;
	uint64_t all; /* a checksum over every counter of the file: to see whether any moved */
};

/** doctor_counters_read - from a listing like /proc/vmstat; -EBADMSG when no line is a counter */
int doctor_counters_read(struct doctor_counters *c, FILE *in, const char *name, struct error *e);

/* How one counter got from one reading to the next. */
enum delta_kind {
	DELTA_EXACT,
	DELTA_WRAPPED,	 /* a 32-bit counter went through 2^32 */
	DELTA_RESET,	 /* another boot: @value is the least it can have been */
	DELTA_STEP_BACK, /* sums over CPUs that were read in flight: @back, treated as 0 */
	DELTA_UNKNOWN,	 /* one of the two is not there */
};

struct delta {
	enum delta_kind kind;
	uint64_t value; /* COUNT_UNKNOWN with DELTA_UNKNOWN */
	uint64_t back;
};

/**
 * doctor_delta - from @before to @after, never below zero
 * @bits32: the kernel that counts has 32-bit counters
 * @same_boot: both readings are of one boot
 */
struct delta doctor_delta(uint64_t before, uint64_t after, bool bits32, bool same_boot);

/** doctor_delta_text - "+1,496 (wrapped, mod 2^32)", "-2, treated as 0", ... into @out, returned */
const char *doctor_delta_text(const struct delta *d, char *out, size_t size);

/** doctor_arch_is_32bit - whether a machine's counters have 32 bits: "i686", "armv7l", ... */
bool doctor_arch_is_32bit(const char *machine);

/** doctor_bytes - "2.28 GiB" */
struct text doctor_bytes(double bytes);

/* Which readahead serves swap-ins of anonymous memory. */
enum readahead_kind { RA_KIND_UNKNOWN, RA_KIND_OFF, RA_KIND_CLUSTER, RA_KIND_VMA };

/* What /proc/meminfo says, kB. */
struct doctor_memory {
	uint64_t total_kb, free_kb, available_kb, buffers_kb, active_file_kb, inactive_file_kb;
	uint64_t reclaimable_kb; /* SReclaimable */
	uint64_t min_free_kb;	 /* vm.min_free_kbytes */
};

/* zswap: a cache of compressed pages in memory before the swap devices. */
struct doctor_zswap {
	int enabled, shrinker; /* 1, 0, -1 unknown */
	uint64_t max_pool_percent;
	uint64_t pool_kb, stored_kb; /* memory it takes, and what is in it uncompressed */
	char compressor[32];
};

/* All that is read in one go. */
struct doctor_facts {
	char root[512];
	char release[128];
	char machine[65];
	struct kernel kernel; /* that of the release, or the nearest */
	uint64_t page_size;
	uint64_t cluster_slots; /* of the slot allocator; without a configuration the PMD's */
	bool cluster_known;
	int page_cluster; /* -1 unknown */
	int vma_ra;	  /* 1, 0, -1 unknown */
	bool have_swaps;
	struct doctor_swaps swaps;
	struct doctor_counters counters;
	bool procfs; /* /proc/vmstat is the kernel's */
	struct doctor_memory memory;
	struct doctor_zswap zswap;
	uint64_t swap_cached_kb;
	enum readahead_kind readahead;
	const char *why;	  /* of @readahead */
	unsigned int synchronous; /* devices that are known to be */
};

/** doctor_facts_read - everything above; -ENOENT and the like where /proc/vmstat is not readable */
int doctor_facts_read(struct doctor_facts *f, const char *root, struct error *e);

/** doctor_counters_now - read the counters of @root once more */
int doctor_counters_now(struct doctor_counters *c, const char *root, struct error *e);

/** doctor_swaps_now - read the devices of @root; sets @there to whether the kernel lists any */
int doctor_swaps_now(struct doctor_swaps *s, const char *root, bool *there, struct error *e);

/** doctor_decide_readahead - fill readahead, why and synchronous from the other facts */
void doctor_decide_readahead(struct doctor_facts *f);

/** readahead_kind_name - "VMA", "cluster", "off", "unknown" */
const char *readahead_kind_name(enum readahead_kind k);

enum swapoff_answer { SWAPOFF_FITS, SWAPOFF_FITS_NOT, SWAPOFF_DEPENDS };

/*
 * Whether a swapoff fits in memory (case 16), kB. Where something is not told both ends of what it
 * can be are kept: the answer is certain or it is that it depends.
 */
struct swapoff_bounds {
	enum swapoff_answer answer;
	bool memory_known;
	bool estimated; /* no MemAvailable: what can be had is between two bounds */
	uint64_t used_kb;
	uint64_t zram_kb;			    /* memory that zram gives back meanwhile */
	uint64_t returned_low_kb, returned_high_kb; /* the same and zswap's */
	uint64_t needed_low_kb, needed_high_kb;
	uint64_t available_low_kb, available_high_kb;
	uint64_t others_free_kb; /* room on the devices that stay */
};

/** doctor_swapoff_bounds - of device @device of the facts, -1: of all */
void doctor_swapoff_bounds(const struct doctor_facts *f, int device, struct swapoff_bounds *b);

/** doctor_find_device - the index of a device by its path or the last part of it; -1: none */
int doctor_find_device(const struct doctor_facts *f, const char *name);

/** doctor_zswap_read - the settings of zswap; doctor_zram_read - mm_stat and bd_stat of a device */
void doctor_zswap_read(struct doctor_facts *f);
void doctor_zram_read(const struct doctor_facts *f, const char *base, struct doctor_device *d);

/** doctor_print_compressed - zram and zswap, where there is any of them */
void doctor_print_compressed(FILE *out, const struct doctor_facts *f);

/** doctor_release_since - whether the release is known and at least MAJOR.MINOR */
bool doctor_release_since(const struct doctor_facts *f, unsigned int major, unsigned int minor);

/** doctor_equal_priorities - whether two devices have the same: then they take turns */
bool doctor_equal_priorities(const struct doctor_swaps *s);

/** doctor_lost_accounting - whether this kernel's swapoff tells readahead nothing of its hits */
bool doctor_lost_accounting(const struct doctor_facts *f);

/** doctor_swapoff_reads - estimate: reads of a swapoff of that much in order; @before: before 6.18
 */
double doctor_swapoff_reads(const struct doctor_facts *f, uint64_t used_kb, bool before);

/** doctor_print_lost_accounting - the same in words; nothing on other kernels */
void doctor_print_lost_accounting(FILE *out, const struct doctor_facts *f, uint64_t used_kb);

/* How fast swap empties, from two readings (case 15). */
struct drain_rate {
	double kb_per_s;     /* 0 or less: it does not */
	double seconds_left; /* NaN when it does not */
};

/** doctor_drain_rate - used kB at two times, @seconds apart */
struct drain_rate doctor_drain_rate(uint64_t before_kb, uint64_t after_kb, double seconds);

/* What recording would find, one group of events each. */
#define DOCTOR_GROUPS 3

struct doctor_hooks {
	bool known;	  /* the kernel lists its symbols */
	struct error why; /* of @known being false */
	bool have_btf;
	bool allowed;	     /* this process may record here */
	struct error denied; /* why not */
	struct {
		const char *name;  /* "ra" */
		const char *tells; /* what a report can say with it */
		unsigned int found, total;
		bool possible;
		const char *lost[64]; /* what will not be known */
		unsigned int nlost;
		struct {
			const char *name, *instead; /* @instead: what stands in for it, or NULL */
		} missing[64];
	} groups[DOCTOR_GROUPS];
};

/** doctor_hooks_read - resolve the hook plan against the kernel of @root; loads nothing */
void doctor_hooks_read(struct doctor_hooks *h, const char *root);

/** doctor_print - the text, to @out */
void doctor_print(FILE *out, const struct doctor_facts *f, const struct doctor_hooks *h);

/** doctor_json - the document, to @out; -ENOMEM or -EIO */
int doctor_json(FILE *out, const struct doctor_facts *f, const struct doctor_hooks *h);

#endif
