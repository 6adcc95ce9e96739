/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_SURVEY_H
#define SWAPTRACE_REPLAY_WORLD_SURVEY_H

#include "common/error.h"
#include "common/histogram.h"
#include "common/map.h"
#include "replay/world/devices.h"
#include "replay/columns.h"
#include "replay/world/slots.h"
#include "traces/trace.h"

/*
 * The pass over the trace before a replay: which slots were in use when it began, how large the
 * devices are as far as the trace shows, whose page each slot holds (for VMA readahead), and the
 * state of the readahead counters at the start. Memory depends on the devices, except for the
 * owners of slots that are reused (SURVEY_INSTANCES at the most; later ones count as unknown).
 */

#define SURVEY_INSTANCES (1u << 24)

/* What is known of a slot at the start of the trace. */
enum start_bits {
	START_MENTIONED = 1 << 0,     /* some event names the slot */
	START_IN_USE = 1 << 1,	      /* it was in use before the first event */
	START_CACHED = 1 << 2,	      /* and in the swap cache */
	START_MARKED = 1 << 3,	      /* with the readahead mark */
	START_BY_LOOKUP = 1 << 4,     /* the cache bits come from a recorded lookup's answer */
	START_FROM_SNAPSHOT = 1 << 5, /* a SLOTS event told, not an inference */
	START_TOUCHED = 1 << 6,	      /* whatever else names it, no more is learnt of the start */
};

/* What the trace shows of a device. */
struct survey_device {
	uint64_t pages;	    /* from the header or SWAPON, 0: unknown */
	uint64_t max_pages; /* the largest it ever is, 0: unknown */
	uint64_t limit;	    /* first offset that cannot be on it now */
	uint64_t size;	    /* slots as far as events reach, rounded up; 0: none is named */
	uint64_t outside;   /* events whose offset lies outside the device: ignored */
	uint64_t named;	    /* see slots_name() */
};

/* Readahead state told by the first recorded call. */
struct first_call {
	uint32_t twin; /* of a VMA: another one that shares pages with it, as after fork; 0: none */
	bool known;
	uint32_t needs; /* of a VMA: lookups up to then */
	uint32_t hits, last;
	uint64_t prev;
};

/*
 * Whose page a slot holds matters to VMA readahead alone. It is found where a need of a known
 * address falls in a time when that can occur:
 */
enum survey_owners {
	OWNERS_RECORDED, /* on the recorded devices, with the recorded settings */
	OWNERS_NO_DISK,	 /* also on other devices, none of which is rotational */
	OWNERS_ALWAYS,	 /* whatever the devices and settings are */
};

struct survey {
	uint64_t events[EV_NR];
	uint64_t total;
	uint64_t first_ns, last_ns;
	uint64_t cluster_calls, vma_calls; /* RA events by mode */
	uint64_t with_ret;		   /* RA events that carry ret */
	struct histogram windows[2];	   /* ret of the RA events: [0] cluster, [1] VMA mode */
	uint64_t with_hit;		   /* LOOKUP events that carry hit */
	uint64_t with_addr;		   /* LOOKUP events that carry addr */
	uint64_t zero_offsets;		   /* LOOKUP events with off=0, which no swap entry has */
	uint32_t lru_ops;		   /* bit per enum lru_op that LRUADD events have */
	bool flag_used;			   /* a RELEASE event said drained=1 */
	uint64_t assumed;		   /* slots in use at the start by inference */
	bool in_use;			   /* some slot was in use at the start */
	uint32_t max_cpu;		   /* highest CPU of a request for slots */
	int64_t page_cluster;		   /* last value told, -1: none */
	bool page_cluster_changes;	   /* more than one value was told */
	bool snapshot;			   /* hits, prev, last of the start are known */
	uint32_t hits, last;
	uint64_t prev;
	struct first_call first_cluster;
	bool owners; /* of slots are found */
	enum survey_owners owners_where;
	unsigned int page_shift;
	bool vma_ra;		     /* enabled at this moment of the walk */
	struct swap_devices devices; /* likewise */
	int leaving;		     /* device whose swapoff goes on, -1: unknown */
	struct block_view *view;     /* the walk is at; NULL outside of it */
	bool one_by_one;	     /* lookups of that block */
	bool shrunk; /* a device came back smaller than slots that were named before */
	struct survey_device dev[SLOT_DEVICES];
	struct slot_numbers numbers; /* of all slots that events name */
	uint64_t slots_room;	     /* length of the arrays that follow; all are owned */
	uint8_t *start;		     /* [slot]: enum start_bits */
	uint8_t *refs;		     /* [slot]: references at the start where START_IN_USE */
	struct slot_owner *owner;    /* [slot]: of the content at the start; NULL without owners */
	uint32_t *instance; /* [slot]: birth number of the content now, 0: that of the start */
	struct map vmas;    /* recorded VMA id -> index, from 1 */
	uint64_t last_vma;  /* the one that was looked up before, and its index, 0: none */
	bool last_have_vma;
	uint32_t last_index;
	struct first_call *vma; /* [index] */
	uint32_t nvmas, vma_room;
	struct slot_owner *born; /* [birth number]: owner of later instances */
	uint32_t births, born_room;
};

/**
 * survey_trace - read the whole trace once and rewind it
 * What was read before the first such need is read again.
 * Returns 0 or negative errno; free with survey_free() in any case.
 */
int survey_trace(struct survey *s, struct trace_reader *r, enum survey_owners owners,
		 struct error *e);

/** survey_free - free what the survey owns */
void survey_free(struct survey *s);

/* VMAs that share pages with each other are not walked further than that. */
#define SURVEY_TWINS 8

/**
 * survey_vma - index of the VMA a lookup belongs to, from 1; 0 when the survey has not met it
 * Without a vma key the task stands for it.
 */
uint32_t survey_vma(const struct survey *s, bool have_vma, uint64_t vma, int32_t tgid);

#endif
