/* SPDX-License-Identifier: GPL-2.0 */
/* Cluster lists of a swap device, linked through the cluster array by index. */
#include "alloc_priv.h"

struct swap_cluster_list *swap_cluster_list(struct swap_dev *dev, uint32_t ci)
{
	const struct swap_cluster *c = &dev->cluster[ci];

	switch (c->list) {
	case SWAP_LIST_FREE:
		return &dev->free;
	case SWAP_LIST_NONFULL:
		return &dev->nonfull[c->order];
	case SWAP_LIST_FRAG:
		return &dev->frag[c->order];
	case SWAP_LIST_FULL:
		return &dev->full;
	case SWAP_LIST_DISCARD:
		return &dev->discard;
	default:
		return NULL;
	}
}

void swap_cluster_unlink(struct swap_dev *dev, uint32_t ci)
{
	struct swap_cluster_list *list = swap_cluster_list(dev, ci);
	struct swap_cluster *c = &dev->cluster[ci];

	if (!list)
		return;
	if (c->prev == SWAP_CLUSTER_NONE)
		list->head = c->next;
	else
		dev->cluster[c->prev].next = c->next;
	if (c->next == SWAP_CLUSTER_NONE)
		list->tail = c->prev;
	else
		dev->cluster[c->next].prev = c->prev;
	list->len--;
	c->prev = c->next = SWAP_CLUSTER_NONE;
	c->list = SWAP_LIST_NONE;
}

void swap_cluster_move_tail(struct swap_dev *dev, uint32_t ci, enum swap_cluster_list_id id,
			    unsigned int order)
{
	struct swap_cluster *c = &dev->cluster[ci];
	struct swap_cluster_list *list;

	swap_cluster_unlink(dev, ci);
	c->list = id;
	if (id == SWAP_LIST_NONFULL || id == SWAP_LIST_FRAG)
		c->order = order;
	list = swap_cluster_list(dev, ci);
	if (!list)
		return;
	c->prev = list->tail;
	c->next = SWAP_CLUSTER_NONE;
	if (list->tail == SWAP_CLUSTER_NONE)
		list->head = ci;
	else
		dev->cluster[list->tail].next = ci;
	list->tail = ci;
	list->len++;
}
