// SPDX-License-Identifier: GPL-2.0
#include "bpf/read_times.h"

#include <stdlib.h>

/* Chains by slot, the youngest read first. Half a second of reads is what is in it at most. */
#define BUCKETS 4096

struct read {
	struct read *next;
	uint64_t type, off;
	uint64_t t_ns, event_ns;
	uint64_t ns; /* valid when ended */
	bool ended;
};

struct read_table {
	struct read *buckets[BUCKETS];
	struct read *spare;
};

struct read_table *read_table_new(void)
{
	return calloc(1, sizeof(struct read_table));
}

static void chain_free(struct read *r)
{
	while (r) {
		struct read *next = r->next;

		free(r);
		r = next;
	}
}

void read_table_free(struct read_table *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; i < BUCKETS; i++)
		chain_free(t->buckets[i]);
	chain_free(t->spare);
	free(t);
}

static struct read **bucket(struct read_table *t, uint64_t type, uint64_t off)
{
	return &t->buckets[(off + type * 977) % BUCKETS];
}

void read_table_begin(struct read_table *t, uint64_t type, uint64_t off, uint64_t t_ns,
		      uint64_t event_ns)
{
	struct read **head = bucket(t, type, off), *r = t->spare;

	if (r)
		t->spare = r->next;
	else
		r = malloc(sizeof(*r));
	if (!r)
		return;
	*r = (struct read){
		.next = *head, .type = type, .off = off, .t_ns = t_ns, .event_ns = event_ns
	};
	*head = r;
}

void read_table_end(struct read_table *t, uint64_t type, uint64_t off, uint64_t t_ns)
{
	struct read *r = *bucket(t, type, off);

	while (r && (r->type != type || r->off != off))
		r = r->next;
	if (!r || r->ended || t_ns < r->t_ns)
		return;
	r->ended = true;
	r->ns = t_ns - r->t_ns;
}

bool read_table_take(struct read_table *t, uint64_t type, uint64_t off, uint64_t event_ns,
		     uint64_t *ns)
{
	struct read **at = bucket(t, type, off), *r;

	while ((r = *at) && (r->type != type || r->off != off || r->event_ns != event_ns))
		at = &r->next;
	if (!r)
		return false;
	*at = r->next;
	r->next = t->spare;
	t->spare = r;
	*ns = r->ns;
	return r->ended;
}
