// SPDX-License-Identifier: GPL-2.0
#include "import/foreign_lru.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/foreign_events.h"

static bool is(const struct foreign_event *f, const char *name)
{
	return strlen(name) == f->name_len && !memcmp(name, f->name, f->name_len);
}

/* In 5.11 to 5.18 the second has all batches but that of additions. */
static bool is_old_move(const struct foreign_event *f)
{
	return foreign_is_probe(f, "pagevec_lru_move_fn");
}

enum lru_probe foreign_lru_probe(const struct foreign_event *f)
{
	bool end = foreign_is_return(f);

	if (is(f, "mm_lru_insertion"))
		return LRU_PROBE_INSERT;
	if (is(f, "mm_lru_activate"))
		return LRU_PROBE_ACTIVATE;
	if (foreign_is_probe(f, "lru_add_drain_cpu"))
		return end ? LRU_PROBE_DRAIN_END : LRU_PROBE_DRAIN;
	if (end)
		return LRU_PROBE_NONE;
	if (foreign_is_probe(f, "lru_add_drain"))
		return LRU_PROBE_SITE;
	return foreign_is_probe(f, "folio_batch_move_lru") || is_old_move(f) ? LRU_PROBE_MOVE
									     : LRU_PROBE_NONE;
}

static struct foreign_lru_cpu *find_cpu(struct foreign_lru *l, int32_t cpu)
{
	size_t i = (size_t)(cpu + 1);

	if (i >= l->ncpus) {
		struct foreign_lru_cpu *bigger = realloc(l->cpus, (i + 1) * sizeof(*bigger));

		if (!bigger)
			return NULL;
		memset(bigger + l->ncpus, 0, (i + 1 - l->ncpus) * sizeof(*bigger));
		l->cpus = bigger;
		l->ncpus = i + 1;
	}
	return &l->cpus[i];
}

/* An event of whom @who tells, to be filled further. */
static struct event *add(struct foreign_burst *out, const struct event *who, enum event_type type,
			 uint64_t t_ns)
{
	struct event *ev = &out->events[out->n++];

	event_init(ev, type, t_ns);
	ev->cpu = who->cpu;
	ev->tgid = who->tgid;
	ev->comm = who->comm;
	for (unsigned int key = KEY_CPU; key < EVENT_KEYS; key++)
		if (event_has(who, key))
			event_set(ev, key, who->v[key]);
	return ev;
}

static void add_joined(struct foreign_lru *l, struct foreign_burst *out, const struct event *who,
		       const struct foreign_lru_move *m)
{
	struct event *ev = add(out, who, EV_LRUADD, m->t_ns);

	event_set(ev, LRUADD_OP, m->op);
	event_set(ev, LRUADD_N, m->n);
	l->derived = true;
}

/*
 * A batch that was moved outside a drain was full, or a large folio joined it, which goes at once
 * and takes along what waited. The size of a full batch is the most that has been seen.
 */
static void add_flush(struct foreign_lru *l, struct foreign_burst *out, const struct event *who,
		      struct foreign_lru_move m)
{
	uint64_t n = m.n;
	struct event *ev;

	if (n < l->full) {
		m.n = n - 1;
		if (m.n)
			add_joined(l, out, who, &m);
		m.n = 1;
		add_joined(l, out, who, &m);
		event_set(&out->events[out->n - 1], LRUADD_LARGE, 1);
	} else {
		l->full = n;
		add_joined(l, out, who, &m);
	}
	ev = add(out, who, EV_FLUSH, m.t_ns);
	event_set(ev, FLUSH_OP, m.op);
	event_set(ev, FLUSH_N, n);
}

static struct event *add_drain(struct foreign_lru_cpu *c, struct foreign_burst *out)
{
	memcpy(out->site, c->site, sizeof(out->site));
	c->open = false;
	return add(out, &c->drain, EV_DRAIN, c->drain.t_ns);
}

static void drain_closed(struct foreign_lru *l, struct foreign_lru_cpu *c,
			 struct foreign_burst *out)
{
	if (!c->open)
		return;
	add_drain(c, out);
	for (unsigned int i = 0; i < c->nmoves; i++)
		add_joined(l, out, &c->drain, &c->moves[i]);
}

void foreign_lru_close(struct foreign_lru *l, int32_t cpu, struct foreign_burst *out)
{
	if ((size_t)(cpu + 1) < l->ncpus)
		drain_closed(l, &l->cpus[cpu + 1], out);
}

static void drain_ended(struct foreign_lru *l, struct foreign_lru_cpu *c, struct foreign_burst *out)
{
	struct event *ev;

	for (unsigned int i = 0; i < c->nmoves; i++) {
		c->moves[i].t_ns = c->joined_ns;
		add_joined(l, out, &c->drain, &c->moves[i]);
	}
	ev = add_drain(c, out);
	if (!l->moves)
		return;
	for (unsigned int op = 0; op < FOREIGN_LRU_OPS; op++)
		if (op != LRU_ADD || !l->adds_apart)
			event_set(ev, DRAIN_ADD + op, 0);
	for (unsigned int i = 0; i < c->nmoves; i++)
		event_set(ev, DRAIN_ADD + c->moves[i].op,
			  event_get(ev, DRAIN_ADD + c->moves[i].op, 0) + c->moves[i].n);
}

/* What a return probe puts in the place of the caller; the caller is then not known. */
static bool is_trampoline(const char *name)
{
	return strstr(name, "trampoline") || !strcmp(name, "return_to_handler");
}

/* "exit_mmap+0xc1" without what follows the name; an address without a name is none. */
static void symbol(const struct foreign_event *f, const char *key, char *out, size_t size)
{
	const char *s, *plus;
	size_t len;

	out[0] = '\0';
	if (!foreign_argument(f, key, &s, &len))
		return;
	while (len && *s == '"') {
		s++;
		len--;
	}
	plus = memchr(s, '+', len);
	if (plus)
		len = (size_t)(plus - s);
	while (len && s[len - 1] == '"')
		len--;
	if (!len || (s[0] >= '0' && s[0] <= '9'))
		return;
	len = len < size ? len : size - 1;
	memcpy(out, s, len);
	out[len] = '\0';
	if (is_trampoline(out))
		out[0] = '\0';
}

static const char *read_move(const struct foreign_event *f, struct foreign_lru_move *m)
{
	static const struct {
		const char *name;
		enum lru_op op;
	} functions[] = {
		{ "lru_add", LRU_ADD },
		{ "lru_add_fn", LRU_ADD },
		{ "__pagevec_lru_add_fn", LRU_ADD },
		{ "lru_move_tail", LRU_ROTATE },
		{ "lru_move_tail_fn", LRU_ROTATE },
		{ "pagevec_move_tail_fn", LRU_ROTATE },
		{ "lru_deactivate_file", LRU_DEACTIVATE_FILE },
		{ "lru_deactivate_file_fn", LRU_DEACTIVATE_FILE },
		{ "lru_deactivate", LRU_DEACTIVATE },
		{ "lru_deactivate_fn", LRU_DEACTIVATE },
		{ "lru_lazyfree", LRU_LAZYFREE },
		{ "lru_lazyfree_fn", LRU_LAZYFREE },
		{ "lru_activate", LRU_ACTIVATE },
		{ "folio_activate_fn", LRU_ACTIVATE },
		{ "__activate_page", LRU_ACTIVATE },
	};
	static const char *const folios[] = { "n", NULL };
	char name[FOREIGN_SITE_MAX];

	if (foreign_number(f, folios, &m->n) != FOREIGN_READ || !m->n || m->n > FOREIGN_BATCH_MAX)
		return "a move of a batch without n= from 1 to 255";
	m->t_ns = f->t_ns;
	symbol(f, "fn", name, sizeof(name));
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name)) {
			m->op = functions[i].op;
			return NULL;
		}
	return "a move of a batch without fn= or of a function that is not known";
}

static void take_move(struct foreign_lru *l, struct foreign_lru_cpu *c,
		      const struct foreign_event *f, const struct event *who,
		      struct foreign_burst *out, const char **why)
{
	struct foreign_lru_move m;

	*why = read_move(f, &m);
	if (*why)
		return;
	l->moves = true;
	l->adds_apart = (l->adds_apart || is_old_move(f)) && !l->adds;
	if (m.op == LRU_ADD) {
		l->adds = true;
		l->adds_apart = false;
	}
	if (c->open && c->tid == f->tid && c->nmoves == FOREIGN_LRU_MOVES)
		drain_closed(l, c, out);
	if (c->open && c->tid == f->tid)
		c->moves[c->nmoves++] = m;
	else
		add_flush(l, out, who, m);
}

/* A replay drains at the release, so what this drain moves must be there before. */
static void find_release(struct foreign_lru_cpu *c, const struct foreign_event *f)
{
	bool release =
		!strcmp(c->site, "__folio_batch_release") || !strcmp(c->site, "__pagevec_release");

	c->joined_ns = f->t_ns;
	if (release && c->released && c->released_tid == f->tid && c->released_ns &&
	    c->released_ns <= f->t_ns)
		c->joined_ns = c->released_ns - 1;
	c->released = false;
}

static void take_drain(struct foreign_lru *l, struct foreign_lru_cpu *c,
		       const struct foreign_event *f, const struct event *who,
		       struct foreign_burst *out)
{
	static const char *const cpus[] = { "cpu", NULL };
	uint64_t cpu;

	drain_closed(l, c, out);
	c->open = true;
	c->nmoves = 0;
	c->tid = f->tid;
	c->drain = *who;
	if (foreign_number(f, cpus, &cpu) == FOREIGN_READ && cpu <= INT32_MAX &&
	    (int32_t)cpu != f->cpu)
		event_set(&c->drain, KEY_CPU, cpu);
	if (c->next_site[0] && c->next_tid == f->tid)
		memcpy(c->site, c->next_site, sizeof(c->site));
	else
		symbol(f, "caller", c->site, sizeof(c->site));
	c->next_site[0] = '\0';
	find_release(c, f);
}

static void take_tracepoint(struct foreign_lru *l, enum lru_op op, const struct event *who,
			    struct foreign_burst *out)
{
	struct foreign_lru_move m = { .t_ns = who->t_ns, .op = op, .n = 1 };

	if (l->moves && (op != LRU_ADD || !l->adds_apart))
		return;
	add_joined(l, out, who, &m);
	l->insertions = true;
}

int foreign_lru_take(struct foreign_lru *l, const struct foreign_event *f, enum lru_probe probe,
		     const struct event *who, struct foreign_burst *out, const char **why)
{
	struct foreign_lru_cpu *c = find_cpu(l, f->cpu);

	*why = NULL;
	if (!c)
		return -ENOMEM;
	switch (probe) {
	case LRU_PROBE_INSERT:
		take_tracepoint(l, LRU_ADD, who, out);
		break;
	case LRU_PROBE_ACTIVATE:
		take_tracepoint(l, LRU_ACTIVATE, who, out);
		break;
	case LRU_PROBE_SITE:
		symbol(f, "caller", c->next_site, sizeof(c->next_site));
		c->next_tid = f->tid;
		break;
	case LRU_PROBE_DRAIN:
		take_drain(l, c, f, who, out);
		break;
	case LRU_PROBE_DRAIN_END:
		if (c->open && c->tid == f->tid)
			drain_ended(l, c, out);
		break;
	case LRU_PROBE_MOVE:
		take_move(l, c, f, who, out, why);
		break;
	case LRU_PROBE_NONE:
		break;
	}
	return 0;
}

int foreign_lru_released(struct foreign_lru *l, const struct foreign_event *f)
{
	struct foreign_lru_cpu *c = find_cpu(l, f->cpu);

	if (!c)
		return -ENOMEM;
	c->released = true;
	c->released_tid = f->tid;
	c->released_ns = f->t_ns;
	return 0;
}

void foreign_lru_free(struct foreign_lru *l)
{
	free(l->cpus);
	l->cpus = NULL;
	l->ncpus = 0;
}
