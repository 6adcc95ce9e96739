// SPDX-License-Identifier: GPL-2.0
/* Whether a swapoff fits in memory, of all devices or of one: a certain no, a certain yes, or what
 * decides. */
#include "doctor/doctor.h"

#include <math.h>
#include <string.h>

static uint64_t known(uint64_t kb)
{
	return kb == COUNT_UNKNOWN ? 0 : kb;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Before 3.14 there is no MemAvailable. More than free memory, file pages, reclaimable slab and
 * buffers can't be had: shmem and anonymous pages would have to go to swap themselves.
 */
static void available_bounds(const struct doctor_memory *m, struct swapoff_bounds *b)
{
	uint64_t reserve;

	b->estimated = m->available_kb == COUNT_UNKNOWN;
	if (!b->estimated) {
		b->available_low_kb = b->available_high_kb = m->available_kb;
		return;
	}
	b->available_high_kb = known(m->free_kb) + known(m->active_file_kb) +
			       known(m->inactive_file_kb) + known(m->reclaimable_kb) +
			       known(m->buffers_kb);
	/* What is free above the high watermarks, some one and a half of the least that is kept
	 * free. */
	reserve = m->min_free_kb != COUNT_UNKNOWN
			  ? m->min_free_kb
			  : (uint64_t)(4 * sqrt((double)known(m->total_kb)));
	b->available_low_kb = less(known(m->free_kb), reserve + reserve / 2);
}

/* What leaves the pool of zswap with the pages of one device, when it is not told where they are.
 */
static void zswap_bounds(const struct doctor_facts *f, uint64_t used, uint64_t others,
			 struct swapoff_bounds *b)
{
	uint64_t pool = known(f->zswap.pool_kb), stored = known(f->zswap.stored_kb);
	double ratio = stored ? (double)pool / (double)stored : 0;
	uint64_t most = stored < used ? stored : used, least = less(stored, others);

	if (least > used)
		least = used;
	/* Without the size of what is in it, the pool goes when everything does. */
	if (!stored) {
		b->returned_high_kb += pool;
		b->returned_low_kb += others ? 0 : pool;
		return;
	}
	b->returned_high_kb += (uint64_t)((double)most * ratio + 0.5);
	b->returned_low_kb += (uint64_t)((double)least * ratio + 0.5);
}

void doctor_swapoff_bounds(const struct doctor_facts *f, int device, struct swapoff_bounds *b)
{
	uint64_t others = 0;

	memset(b, 0, sizeof(*b));
	b->memory_known =
		f->memory.available_kb != COUNT_UNKNOWN || f->memory.free_kb != COUNT_UNKNOWN;
	available_bounds(&f->memory, b);
	for (unsigned int i = 0; i < f->swaps.n; i++) {
		const struct doctor_device *d = &f->swaps.devices[i];

		if (device >= 0 && i != (unsigned int)device) {
			others += d->used_kb;
			b->others_free_kb += less(d->size_kb, d->used_kb);
			continue;
		}
		b->used_kb += d->used_kb;
		if (d->memory_kb != COUNT_UNKNOWN) {
			b->returned_low_kb += d->memory_kb < d->used_kb ? d->memory_kb : d->used_kb;
			b->returned_high_kb = b->returned_low_kb;
		}
	}
	b->zram_kb = b->returned_low_kb;
	zswap_bounds(f, b->used_kb, others, b);
	if (b->returned_high_kb > b->used_kb)
		b->returned_high_kb = b->used_kb;
	if (b->returned_low_kb > b->used_kb)
		b->returned_low_kb = b->used_kb;
	b->needed_high_kb = b->used_kb - b->returned_low_kb;
	b->needed_low_kb = b->used_kb - b->returned_high_kb;
	if (b->needed_high_kb <= b->available_low_kb)
		b->answer = SWAPOFF_FITS;
	else if (b->needed_low_kb > b->available_high_kb + b->others_free_kb)
		b->answer = SWAPOFF_FITS_NOT;
	else
		b->answer = SWAPOFF_DEPENDS;
}

int doctor_find_device(const struct doctor_facts *f, const char *name)
{
	for (unsigned int i = 0; i < f->swaps.n; i++) {
		const char *whole = f->swaps.devices[i].name, *slash = strrchr(whole, '/');

		if (!strcmp(whole, name) || (slash && !strcmp(slash + 1, name)))
			return (int)i;
	}
	return -1;
}
