/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_SLOT_NUMBERS_H
#define SWAPTRACE_REPLAY_WORLD_SLOT_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The recorded slots of all devices in one row, so that what is known of a slot is an element of a
 * flat array. Only stretches of a device that some event names get numbers: memory follows the use
 * of the devices, not the size that a trace claims for them.
 *
 * A stretch is SLOT_STRETCH slots, aligned. Slots of one stretch have consecutive numbers; once
 * slot_numbers_sort() was called, also those of stretches that lie side by side, as a folio does
 * that reaches from one into the next.
 */

#define SLOT_DEVICES 32
#define SLOT_STRETCH_SHIFT 16
#define SLOT_STRETCH (1u << SLOT_STRETCH_SHIFT)

/* Offsets at or above this are never tracked, whatever a trace claims (16 TiB of 4 KiB pages). */
#define SLOT_OFFSET_LIMIT (1ull << 32)

#define SLOT_NOWHERE UINT32_MAX

struct slot_stretch {
	uint32_t type;	/* device */
	uint32_t index; /* offset >> SLOT_STRETCH_SHIFT */
};

struct slot_numbers {
	uint32_t *number[SLOT_DEVICES]; /* [index]: place of the stretch plus one, 0: none; owned */
	uint32_t room[SLOT_DEVICES];
	struct slot_stretch *stretch; /* [place], in the order in which they were named; owned */
	uint32_t n, stretch_room;
};

/* Some slots with consecutive numbers. */
struct slot_run {
	uint32_t r, n;
};

/**
 * slot_numbers_add - number the stretch that holds slot @off of device @type
 * @type: below SLOT_DEVICES; @off: below SLOT_OFFSET_LIMIT
 * Returns 0, also where it has numbers; -ENOMEM, also when all numbers are used up.
 */
int slot_numbers_add(struct slot_numbers *s, unsigned int type, uint64_t off);

/**
 * slot_numbers_sort - number the stretches anew, in the order of devices and offsets
 * @from: slot_numbers.n of them: filled with the place that each stretch had before
 */
void slot_numbers_sort(struct slot_numbers *s, uint32_t *from);

/** slot_numbers_free - free what it owns; it is empty and usable afterwards */
void slot_numbers_free(struct slot_numbers *s);

/** slot_numbers_total - how many numbers there are: all are below */
static inline uint64_t slot_numbers_total(const struct slot_numbers *s)
{
	return (uint64_t)s->n << SLOT_STRETCH_SHIFT;
}

/** slot_number - of slot @off of device @type; SLOT_NOWHERE when it has none */
static inline uint32_t slot_number(const struct slot_numbers *s, uint64_t type, uint64_t off)
{
	uint64_t index = off >> SLOT_STRETCH_SHIFT;

	if (type >= SLOT_DEVICES || index >= s->room[type] || !s->number[type][index])
		return SLOT_NOWHERE;
	return ((s->number[type][index] - 1) << SLOT_STRETCH_SHIFT) |
	       (uint32_t)(off & (SLOT_STRETCH - 1));
}

/** slot_number_type - device of slot number @r */
static inline unsigned int slot_number_type(const struct slot_numbers *s, uint32_t r)
{
	return s->stretch[r >> SLOT_STRETCH_SHIFT].type;
}

/** slot_number_off - offset of slot number @r on its device */
static inline uint64_t slot_number_off(const struct slot_numbers *s, uint32_t r)
{
	return (uint64_t)s->stretch[r >> SLOT_STRETCH_SHIFT].index << SLOT_STRETCH_SHIFT |
	       (r & (SLOT_STRETCH - 1));
}

/* For slot_runs_next(). */
bool slot_runs_next_slow(const struct slot_numbers *s, uint64_t type, uint64_t *off, uint64_t *n,
			 struct slot_run *run);

/**
 * slot_runs_next - walk slots @off .. @off + @n - 1 of device @type in runs
 * @off, @n: moved on past the run that is returned, which is as long as its numbers are
 * consecutive. Slots without numbers are passed over. Returns false at the end.
 */
static inline bool slot_runs_next(const struct slot_numbers *s, uint64_t type, uint64_t *off,
				  uint64_t *n, struct slot_run *run)
{
	if (!*n)
		return false;
	/* Most events are about a single slot. */
	if (*n == 1) {
		*n = 0;
		*run = (struct slot_run){ slot_number(s, type, *off), 1 };
		return run->r != SLOT_NOWHERE;
	}
	return slot_runs_next_slow(s, type, off, n, run);
}

/**
 * slot_device_next - walk all numbered slots of device @type in ascending order
 * @index: 0 to begin, then what the call before left there. Returns false at the end.
 */
bool slot_device_next(const struct slot_numbers *s, unsigned int type, uint32_t *index,
		      struct slot_run *run);

#endif
