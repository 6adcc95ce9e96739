// SPDX-License-Identifier: GPL-2.0
#include "traces/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX (COL_EVENT_NR + EV_NR * (EVENT_KEYS + 1))

/*
 * A decoded column. Columns keep their memory from block to block; one that holds a single value
 * does not even need to be filled again when the next block has the same.
 */
struct decoded {
	uint64_t *v;
	uint32_t room;
	bool ready;	 /* decoded for this block */
	uint32_t same_n; /* the first same_n values are same, 0: not known */
	uint64_t same;
};

/* The same for 32 bits: masks of known keys, CPUs, tasks. */
struct masks {
	uint32_t *v;
	uint32_t room;
	bool ready;
	uint32_t same_n, same;
};

struct type_view {
	uint16_t have_entry; /* position in entries[] + 1, 0: no such column */
	uint16_t key_entry[EVENT_KEYS];
	uint32_t count;
	uint32_t next; /* row of the type that block_event() delivers next */
	struct masks have;
	struct decoded keys[EVENT_KEYS];
};

struct trace_block {
	struct strpool *strings;
	struct column_decoder *decoder;
	struct section section;
	uint8_t *payload;
	size_t payload_room;
	const uint8_t *losses; /* nlosses pairs of LEB128 numbers: CPU, events */
	size_t losses_len;
	uint64_t nlosses;
	uint32_t *locals; /* [number - 1]: id in the pool of the reader */
	uint32_t nlocals, locals_room;

	struct column_entry entries[ENTRIES_MAX];
	uint32_t nentries;
	uint16_t event_entry[COL_EVENT_NR];
	struct type_view types_view[EV_NR];

	uint8_t *types;
	struct decoded times;
	struct masks cpus, tgids;
	uint32_t *comms;
	bool comms_ready;
	uint64_t *scratch;
};

struct trace_block *block_new(struct strpool *strings)
{
	struct trace_block *b = calloc(1, sizeof(*b));
	const size_t n = WIRE_BLOCK_EVENTS;

	if (!b)
		return NULL;
	b->strings = strings;
	b->decoder = column_decoder_new();
	b->types = malloc(n);
	b->comms = malloc(n * sizeof(*b->comms));
	b->scratch = malloc(n * sizeof(*b->scratch));
	if (!b->decoder || !b->types || !b->comms || !b->scratch) {
		block_free(b);
		return NULL;
	}
	return b;
}

void block_free(struct trace_block *b)
{
	if (!b)
		return;
	for (unsigned int t = 0; t < EV_NR; t++) {
		free(b->types_view[t].have.v);
		for (unsigned int k = 0; k < EVENT_KEYS; k++)
			free(b->types_view[t].keys[k].v);
	}
	column_decoder_free(b->decoder);
	free(b->times.v);
	free(b->types);
	free(b->cpus.v);
	free(b->tgids.v);
	free(b->comms);
	free(b->scratch);
	free(b->locals);
	free(b->payload);
	free(b);
}

uint8_t *block_buffer(struct trace_block *b, size_t len)
{
	if (len > b->payload_room) {
		free(b->payload);
		b->payload = malloc(len);
		b->payload_room = b->payload ? len : 0;
	}
	return b->payload;
}

static void forget(struct trace_block *b)
{
	memset(b->event_entry, 0, sizeof(b->event_entry));
	b->nentries = 0;
	b->nlocals = 0;
	b->times.ready = false;
	b->cpus.ready = false;
	b->tgids.ready = false;
	b->comms_ready = false;
	for (unsigned int t = 0; t < EV_NR; t++) {
		struct type_view *v = &b->types_view[t];

		memset(v->key_entry, 0, sizeof(v->key_entry));
		v->have_entry = 0;
		v->count = 0;
		v->next = 0;
		v->have.ready = false;
		for (unsigned int k = 0; k < EVENT_KEYS; k++)
			v->keys[k].ready = false;
	}
}

static bool load_losses(struct trace_block *b, struct cursor *c)
{
	uint64_t n = cursor_varint(c);
	size_t start = c->at;

	b->nlosses = 0;
	b->losses = c->p + start;
	for (uint64_t i = 0; i < n && !c->failed; i++) {
		cursor_varint(c);
		cursor_varint(c);
	}
	b->losses_len = c->at - start;
	if (!c->failed)
		b->nlosses = n;
	return !c->failed;
}

bool block_next_loss(const struct trace_block *b, struct cursor *c, uint32_t *cpu, uint64_t *n)
{
	uint64_t v;

	if (!c->p)
		*c = (struct cursor){ .p = b->losses, .len = b->nlosses ? b->losses_len : 0 };
	if (c->at == c->len)
		return false;
	v = cursor_varint(c);
	*cpu = v < BLOCK_CPUS_MAX ? (uint32_t)v : BLOCK_CPUS_MAX - 1;
	*n = cursor_varint(c);
	return true;
}

static int load_strings(struct trace_block *b, struct cursor *c)
{
	uint64_t n = cursor_varint(c);

	/* Each string takes at least the byte of its length. */
	if (c->failed || n > c->len - c->at)
		return -EBADMSG;
	if (n > b->locals_room) {
		uint32_t *bigger = realloc(b->locals, n * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		b->locals = bigger;
		b->locals_room = (uint32_t)n;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t len = cursor_varint(c);
		const uint8_t *s = len <= WIRE_STRING_MAX ? cursor_skip(c, len) : NULL;

		if (!s)
			return -EBADMSG;
		b->locals[i] = strpool_intern(b->strings, (const char *)s, len);
		if (!b->locals[i])
			return -ENOMEM;
	}
	b->nlocals = (uint32_t)n;
	return 0;
}

/* Remember where a column is; what this version does not know is skipped. */
static bool place_entry(struct trace_block *b, const struct column_entry *e)
{
	uint16_t *slot;

	if (e->type == COL_OF_EVENTS && e->key < COL_EVENT_NR)
		slot = &b->event_entry[e->key];
	else if (e->type < EV_NR && e->key == COL_HAVE)
		slot = &b->types_view[e->type].have_entry;
	else if (e->type < EV_NR && e->key < EVENT_KEYS)
		slot = &b->types_view[e->type].key_entry[e->key];
	else
		return true;
	if (*slot)
		return false;
	*slot = (uint16_t)++b->nentries;
	return true;
}

static int load_directory(struct trace_block *b, struct cursor *c)
{
	uint64_t n = cursor_varint(c);
	uint64_t len = cursor_varint(c);
	const uint8_t *at = cursor_skip(c, len);
	struct cursor dir = { .p = at, .len = (size_t)len };

	if (!at || n > ENTRIES_MAX)
		return -EBADMSG;
	for (uint64_t i = 0; i < n; i++) {
		struct column_entry *e = &b->entries[b->nentries];

		if (!column_parse(&dir, c, e) || !place_entry(b, e))
			return -EBADMSG;
	}
	return 0;
}

static const struct column_entry *entry_at(const struct trace_block *b, uint16_t slot)
{
	return slot ? &b->entries[slot - 1] : NULL;
}

/* Four sets of counters: neighbours of one type would wait for each other's addition. */
static void count_types(const uint8_t *types, uint32_t n, uint32_t count[256])
{
	uint32_t sets[4][256] = { { 0 } };
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t eight;

		memcpy(&eight, types + i, sizeof(eight));
		sets[0][eight & 255]++;
		sets[1][eight >> 8 & 255]++;
		sets[2][eight >> 16 & 255]++;
		sets[3][eight >> 24 & 255]++;
		sets[0][eight >> 32 & 255]++;
		sets[1][eight >> 40 & 255]++;
		sets[2][eight >> 48 & 255]++;
		sets[3][eight >> 56]++;
	}
	for (; i < n; i++)
		sets[0][types[i]]++;
	for (i = 0; i < 256; i++)
		count[i] = sets[0][i] + sets[1][i] + sets[2][i] + sets[3][i];
}

static int decode_types(struct trace_block *b)
{
	const struct column_entry *e = entry_at(b, b->event_entry[COL_TYPES]);
	uint32_t n = b->section.events, known = 0;
	uint32_t count[256];

	if (!n)
		return 0;
	if (!e || column_decode_bytes(b->decoder, e, b->scratch, b->types, n))
		return -EBADMSG;
	count_types(b->types, n, count);
	for (unsigned int t = 0; t < EV_NR; t++) {
		b->types_view[t].count = count[t];
		known += count[t];
	}
	return known == n ? 0 : -EBADMSG;
}

int block_load(struct trace_block *b, const struct section *s)
{
	struct cursor c = { .p = b->payload, .len = (size_t)s->payload_len };
	int ret;

	forget(b);
	b->section = *s;
	if (!load_losses(b, &c))
		return -EBADMSG;
	ret = load_strings(b, &c);
	if (!ret)
		ret = load_directory(b, &c);
	if (!ret)
		ret = decode_types(b);
	return ret;
}

/* Public functions take a const block: that they decode on demand is nobody's business. */
static struct trace_block *mutable_block(const struct trace_block *b)
{
	return (struct trace_block *)(uintptr_t)b;
}

uint32_t block_events(const struct trace_block *b)
{
	return b->section.events;
}

uint64_t block_first_ns(const struct trace_block *b)
{
	return b->section.first_ns;
}

uint64_t block_last_ns(const struct trace_block *b)
{
	return b->section.last_ns;
}

uint64_t block_number(const struct trace_block *b)
{
	return b->section.number;
}

uint64_t block_bytes(const struct trace_block *b)
{
	return section_bytes(&b->section);
}

const uint8_t *block_types(const struct trace_block *b)
{
	return b->types;
}

uint32_t block_count(const struct trace_block *b, enum event_type type)
{
	return b->types_view[type].count;
}

uint64_t block_stored(const struct trace_block *b, unsigned int type)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->nentries; i++) {
		const struct column_entry *e = &b->entries[i];

		if (e->type != type && !(e->type == COL_OF_EVENTS && type == EV_NR))
			continue;
		for (unsigned int p = 0; p < e->nplanes; p++)
			sum += e->planes[p].len;
	}
	return sum;
}

static bool make_room(struct decoded *d, uint32_t n)
{
	/* A quarter more: the number of events of a type wavers from block to block. */
	uint32_t room = n + n / 4 + 64;
	uint64_t *v;

	if (n <= d->room)
		return true;
	v = malloc(room * sizeof(*v));
	if (!v)
		return false;
	free(d->v);
	d->v = v;
	d->room = room;
	d->same_n = 0;
	return true;
}

static bool decode_same(struct decoded *d, uint64_t value, uint32_t n)
{
	if (!make_room(d, n))
		return false;
	if (d->same_n < n || d->same != value)
		for (uint32_t i = 0; i < n; i++)
			d->v[i] = value;
	if (d->same != value || d->same_n < n)
		d->same_n = n;
	d->same = value;
	d->ready = true;
	return true;
}

/* Decode into @d, which has all @n values. */
static bool decode_whole(struct trace_block *b, struct decoded *d, const struct column_entry *e,
			 uint32_t n)
{
	if (e->encoding == ENC_CONST)
		return decode_same(d, e->base, n);
	if (!make_room(d, n))
		return false;
	d->same_n = 0;
	d->ready = !column_decode(b->decoder, e, d->v, n);
	return d->ready;
}

static bool times_ok(const struct trace_block *b, const uint64_t *t, uint32_t n)
{
	bool ok = t[0] == b->section.first_ns && t[n - 1] == b->section.last_ns;

	for (uint32_t i = 1; i < n; i++)
		ok &= t[i] >= t[i - 1];
	return ok;
}

const uint64_t *block_times(const struct trace_block *cb)
{
	struct trace_block *b = mutable_block(cb);
	const struct column_entry *e = entry_at(b, b->event_entry[COL_TIMES]);
	uint32_t n = b->section.events;

	if (b->times.ready)
		return b->times.v;
	if (!n)
		return b->scratch;
	if (!e || !decode_whole(b, &b->times, e, n) || !times_ok(b, b->times.v, n)) {
		b->times.ready = false;
		return NULL;
	}
	return b->times.v;
}

static bool masks_room(struct masks *m, uint32_t n)
{
	uint32_t room = n + n / 4 + 64;

	if (m->v && n <= m->room)
		return true;
	free(m->v);
	m->v = malloc(room * sizeof(*m->v));
	m->room = m->v ? room : 0;
	m->same_n = 0;
	return m->v;
}

static void masks_same(struct masks *m, uint32_t value, uint32_t n)
{
	if (m->same_n >= n && m->same == value)
		return;
	for (uint32_t i = 0; i < n; i++)
		m->v[i] = value;
	m->same = value;
	m->same_n = n;
}

static uint32_t task_number(uint64_t stored)
{
	return stored <= (uint64_t)INT32_MAX + 1 ? (uint32_t)stored - 1 : UINT32_MAX;
}

/* cpu and tgid are stored as n + 1, 0 for unknown. */
static const int32_t *small_column(struct trace_block *b, enum event_column column, struct masks *m)
{
	const struct column_entry *e = entry_at(b, b->event_entry[column]);
	uint32_t n = b->section.events;

	if (!m->ready && !masks_room(m, n))
		return NULL;
	if (m->ready || !n)
		return (const int32_t *)m->v;
	if (!e)
		return NULL;
	if (e->encoding == ENC_CONST) {
		masks_same(m, task_number(e->base), n);
	} else {
		if (column_decode(b->decoder, e, b->scratch, n))
			return NULL;
		m->same_n = 0;
		for (uint32_t i = 0; i < n; i++)
			m->v[i] = task_number(b->scratch[i]);
	}
	m->ready = true;
	return (const int32_t *)m->v;
}

const int32_t *block_cpus(const struct trace_block *cb)
{
	struct trace_block *b = mutable_block(cb);

	return small_column(b, COL_CPUS, &b->cpus);
}

const int32_t *block_tgids(const struct trace_block *cb)
{
	struct trace_block *b = mutable_block(cb);

	return small_column(b, COL_TGIDS, &b->tgids);
}

static uint32_t pool_id(const struct trace_block *b, uint64_t local)
{
	return local && local <= b->nlocals ? b->locals[local - 1] : 0;
}

const uint32_t *block_comms(const struct trace_block *cb)
{
	struct trace_block *b = mutable_block(cb);
	const struct column_entry *e = entry_at(b, b->event_entry[COL_COMMS]);
	uint32_t n = b->section.events;

	if (b->comms_ready || !n)
		return b->comms;
	if (!e || column_decode(b->decoder, e, b->scratch, n))
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		b->comms[i] = pool_id(b, b->scratch[i]);
	b->comms_ready = true;
	return b->comms;
}

/* Keys that events of @type can have. */
static uint32_t possible_keys(enum event_type type)
{
	return ((1u << event_table[type].nkeys) - 1) | ((1u << COMMON_KEYS) - 1) << KEY_CPU;
}

const uint32_t *block_have(const struct trace_block *cb, enum event_type type)
{
	struct trace_block *b = mutable_block(cb);
	struct type_view *t = &b->types_view[type];
	const struct column_entry *e = entry_at(b, t->have_entry);
	uint32_t possible = possible_keys(type);

	if (t->have.ready)
		return t->have.v;
	if (!masks_room(&t->have, t->count) || (t->count && !e))
		return NULL;
	if (t->count && e->encoding == ENC_CONST) {
		masks_same(&t->have, (uint32_t)e->base & possible, t->count);
	} else if (t->count) {
		if (column_decode(b->decoder, e, b->scratch, t->count))
			return NULL;
		t->have.same_n = 0;
		for (uint32_t i = 0; i < t->count; i++)
			t->have.v[i] = (uint32_t)b->scratch[i] & possible;
	}
	t->have.ready = true;
	return t->have.v;
}

bool block_have_same(const struct trace_block *b, enum event_type type, uint32_t *have)
{
	const struct column_entry *e = entry_at(b, b->types_view[type].have_entry);

	if (!e || e->encoding != ENC_CONST)
		return false;
	*have = (uint32_t)e->base & possible_keys(type);
	return true;
}

static uint32_t count_known(const uint32_t *have, uint32_t n, unsigned int key)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < n; i++)
		known += have[i] >> key & 1;
	return known;
}

/* Only known values are stored: give each its row, 0 to the others. */
static bool decode_sparse(struct trace_block *b, struct decoded *d, const struct column_entry *e,
			  const uint32_t *have, uint32_t n, unsigned int key)
{
	uint32_t known = count_known(have, n, key);
	uint32_t next = 0;

	if (known == n)
		return decode_whole(b, d, e, n);
	if (!known)
		return decode_same(d, 0, n);
	if (!make_room(d, n) || column_decode(b->decoder, e, b->scratch, known))
		return false;
	d->same_n = 0;
	/* Reading one past the last known value is harmless: scratch holds a whole block. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bit = have[i] >> key & 1;

		d->v[i] = b->scratch[next] & (0 - (uint64_t)bit);
		next += bit;
	}
	d->ready = true;
	return true;
}

static void localize(const struct trace_block *b, struct decoded *d, uint32_t n)
{
	d->same_n = 0;
	for (uint32_t i = 0; i < n; i++)
		d->v[i] = pool_id(b, d->v[i]);
}

const uint64_t *block_column(const struct trace_block *cb, enum event_type type, unsigned int key)
{
	struct trace_block *b = mutable_block(cb);
	struct type_view *t = &b->types_view[type];
	struct decoded *d = &t->keys[key];
	const struct column_entry *e = entry_at(b, t->key_entry[key]);
	const struct column_entry *masks = entry_at(b, t->have_entry);
	const struct key_desc *desc = event_key(type, key);
	const uint32_t *have;
	bool ok;

	if (d->ready)
		return d->v;
	if (!e || !desc || (masks && masks->encoding == ENC_CONST && !(masks->base >> key & 1)))
		return decode_same(d, 0, t->count) ? d->v : NULL;
	if (masks && masks->encoding == ENC_CONST) {
		ok = decode_whole(b, d, e, t->count);
	} else {
		have = block_have(b, type);
		ok = have && decode_sparse(b, d, e, have, t->count, key);
	}
	if (!ok)
		return NULL;
	if (desc->kind == KEY_STRING)
		localize(b, d, t->count);
	return d->v;
}

bool block_decode_all(struct trace_block *b)
{
	if (!block_times(b) || !block_cpus(b) || !block_tgids(b) || !block_comms(b))
		return false;
	for (unsigned int t = 0; t < EV_NR; t++) {
		if (!b->types_view[t].count)
			continue;
		if (!block_have(b, t))
			return false;
		for (unsigned int k = 0; k < EVENT_KEYS; k++)
			if (b->types_view[t].key_entry[k] && !block_column(b, t, k))
				return false;
	}
	return true;
}

bool block_event(struct trace_block *b, uint32_t i, struct event *ev)
{
	struct type_view *t = &b->types_view[b->types[i]];
	uint32_t row;

	if (!i && !block_decode_all(b))
		return false;
	row = t->next++;
	event_init(ev, b->types[i], b->times.v[i]);
	ev->cpu = (int32_t)b->cpus.v[i];
	ev->tgid = (int32_t)b->tgids.v[i];
	ev->comm = b->comms[i];
	/* A mask may claim a key that has no column in a damaged block. */
	for (uint32_t left = t->have.v[row]; left; left &= left - 1) {
		unsigned int k = (unsigned int)__builtin_ctz(left);

		if (t->keys[k].ready)
			event_set(ev, k, t->keys[k].v[row]);
	}
	return true;
}
