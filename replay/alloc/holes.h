/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_ALLOC_HOLES_H
#define SWAPTRACE_REPLAY_ALLOC_HOLES_H

#include "replay/alloc_result.h"
#include "replay/model/alloc.h"

/*
 * Why a request got nothing, for traces with millions of fallbacks: swap_alloc_explain() looks at
 * every slot each time. Here one free aligned range per order is remembered and looked at again;
 * where a search found none, only a free can make one, and frees are reported.
 */

#define ALLOC_POOLS 2 /* allocators: the devices, and their reserved parts */

enum hole_state {
	HOLE_UNKNOWN, /* was at, or behind, that place; to be looked for */
	HOLE_NONE,    /* nowhere, and no free has made one */
};

struct alloc_holes {
	struct swap_alloc *const *pool; /* [ALLOC_POOLS], NULL where there is none */
	struct {
		enum hole_state state;
		unsigned int pool;
		int type;
		uint32_t off;
	} order[SWAP_MAX_ORDERS];
	unsigned int none; /* orders in HOLE_NONE, a bit each */
};

/** alloc_holes_init - nothing is known yet; @pool must outlive it */
void alloc_holes_init(struct alloc_holes *h, struct swap_alloc *const *pool);

/** alloc_holes_forget - devices came or went */
void alloc_holes_forget(struct alloc_holes *h);

/** alloc_holes_freed - slots became free: swap_alloc_env.freed of pool @pool */
void alloc_holes_freed(struct alloc_holes *h, unsigned int pool, int type, uint32_t off,
		       uint32_t n);

/**
 * alloc_holes_reason - to be called after a request of @order failed: why
 * @allowed: types it may use, a bit each
 * The same as swap_alloc_explain() over both pools.
 */
enum fallback_reason alloc_holes_reason(struct alloc_holes *h, unsigned int order,
					uint32_t allowed);

#endif
