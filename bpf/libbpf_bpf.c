// SPDX-License-Identifier: GPL-2.0
/* The backend that loads programs compiled beforehand and relocates them by the kernel's BTF. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf/backend_impl.h"
#include "bpf/swaptrace.skel.h"

struct libbpf_backend {
	struct bpf_backend base;
	struct swaptrace *skel;
	struct bpf_link *links[LINKS_MAX];
	unsigned int nlinks;
	const char *refused; /* program of the last failed load */
};

static struct libbpf_backend *own(void *base)
{
	return base;
}

static struct bpf_backend *backend_alloc(void)
{
	struct libbpf_backend *b = calloc(1, sizeof(*b));

	return b ? &b->base : NULL;
}

/* libbpf explains failures on stderr; what matters of it is told by the loader. */
static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

/* ---- loading ---- */

static struct bpf_program *program(struct libbpf_backend *b, const char *prefix, const char *name)
{
	char full[96];

	snprintf(full, sizeof(full), "%s_%s", prefix, name);
	return bpf_object__find_program_by_name(b->skel->obj, full);
}

/* The program of a hook's entry or exit for a kind of attachment. */
static struct bpf_program *program_for(struct libbpf_backend *b, const struct hook_symbol *s,
				       enum attach_kind kind, bool exit)
{
	const char *name = exit ? s->exit : s->entry;

	if (!name)
		return NULL;
	if (kind == ATTACH_FENTRY)
		return program(b, exit ? "fx" : "fe", name);
	return program(b, exit ? "kr" : "kp", name);
}

static int choose_program(struct libbpf_backend *b, const struct hook_choice *c,
			  enum attach_kind kind, bool exit)
{
	struct bpf_program *p = program_for(b, c->symbol, kind, exit);
	const char *name = exit ? c->symbol->exit : c->symbol->entry;

	if (!name)
		return 0;
	if (!p)
		return -ENOENT;
	bpf_program__set_autoload(p, true);
	if (kind == ATTACH_FENTRY)
		return bpf_program__set_attach_target(p, 0, c->symbol->symbol);
	if (kind == ATTACH_KPROBE_MULTI)
		return bpf_program__set_expected_attach_type(p, BPF_TRACE_KPROBE_MULTI);
	return 0;
}

static int choose_programs(struct libbpf_backend *b, const struct hook_choice *c,
			   const enum attach_kind *kinds, size_t *failed)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, b->skel->obj)
		bpf_program__set_autoload(p, bpf_program__type(p) == BPF_PROG_TYPE_SYSCALL);
	for (size_t i = 0; i < hook_plan_len; i++) {
		int err;

		if (kinds[i] == ATTACH_NONE)
			continue;
		err = choose_program(b, &c[i], kinds[i], false);
		if (!err)
			err = choose_program(b, &c[i], kinds[i], true);
		if (err) {
			*failed = i;
			return err;
		}
	}
	return 0;
}

/*
 * All programs share one log: a refused one leaves its text there, and what libbpf writes before
 * each load ("" for success) tells nothing, so the name is caught from the first refusal.
 */
static int set_logs(struct libbpf_backend *b)
{
	struct bpf_program *p;

	b->base.log[0] = '\0';
	bpf_object__for_each_program(p, b->skel->obj)
	{
		int err = bpf_program__set_log_buf(p, b->base.log, LOG_BYTES);

		if (err)
			return err;
	}
	return 0;
}

static int size_maps(struct libbpf_backend *b)
{
	int err = bpf_map__set_max_entries(b->skel->maps.rings, b->base.cpus);

	if (!err)
		err = bpf_map__set_max_entries(b->skel->maps.counts, b->base.cpus * PROBE_ROWS);
	b->skel->rodata->at = b->base.addresses;
	b->skel->rodata->settings = b->base.settings;
	return err;
}

/* The hook whose program has no descriptor although it should: loading stopped there. */
static size_t find_refused(struct libbpf_backend *b, const struct hook_choice *c,
			   const enum attach_kind *kinds)
{
	for (size_t i = 0; i < hook_plan_len; i++) {
		if (kinds[i] == ATTACH_NONE)
			continue;
		for (int exit = 0; exit < 2; exit++) {
			struct bpf_program *p = program_for(b, c[i].symbol, kinds[i], exit);

			if (p && b->refused && !strcmp(bpf_program__name(p), b->refused))
				return i;
		}
	}
	return hook_plan_len;
}

/*
 * libbpf says which program was refused only in its messages: "prog 'NAME': ..." at the level of
 * warnings. The last one before the load gives up is the refused one.
 */
static char refused_name[96];

static int catch_refused(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[512];
	const char *p;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	p = strstr(text, "prog '");
	if (p)
		sscanf(p + 6, "%95[^']", refused_name);
	return 0;
}

static int load_object(struct libbpf_backend *b)
{
	int err;

	refused_name[0] = '\0';
	libbpf_set_print(catch_refused);
	err = swaptrace__load(b->skel);
	libbpf_set_print(silent);
	b->refused = refused_name[0] ? refused_name : NULL;
	return err;
}

static void backend_unload(void *ctx);

/* What the common part needs of the loaded object. */
static void share(struct libbpf_backend *b)
{
	b->base.shared = &b->skel->data->globals;
	b->base.tasks_fd = bpf_map__fd(b->skel->maps.tasks);
	b->base.counts_fd = bpf_map__fd(b->skel->maps.counts);
	b->base.chunk_fd = bpf_map__fd(b->skel->maps.chunk);
	for (unsigned int i = 0; i < RUN_NR; i++)
		b->base.own_fds[i] = bpf_program__fd(
			bpf_object__find_program_by_name(b->skel->obj, own_program_names[i]));
}

static int backend_load(void *ctx, const struct hook_choice *c, const enum attach_kind *kinds,
			size_t *failed, const char **log)
{
	struct libbpf_backend *b = own(ctx);
	int err;

	backend_unload(b);
	b->skel = swaptrace__open();
	if (!b->skel)
		return errno ? -errno : -EINVAL;
	err = size_maps(b);
	if (!err)
		err = choose_programs(b, c, kinds, failed);
	if (!err)
		err = set_logs(b);
	if (!err) {
		err = load_object(b);
		if (err) {
			*failed = find_refused(b, c, kinds);
			*log = b->base.log[0] ? b->base.log : NULL;
		}
	}
	if (!err)
		err = backend_make_rings(&b->base);
	if (!err)
		err = backend_put_rings(&b->base, bpf_map__fd(b->skel->maps.rings));
	if (err)
		return err;
	share(b);
	backend_count_runs(&b->base);
	return 0;
}

/* ---- attaching ---- */

static int keep_link(struct libbpf_backend *b, struct bpf_link *link)
{
	if (!link)
		return errno ? -errno : -EINVAL;
	if (b->nlinks == LINKS_MAX) {
		bpf_link__destroy(link);
		return -E2BIG;
	}
	b->links[b->nlinks++] = link;
	return 0;
}

static int attach_address(struct libbpf_backend *b, struct bpf_program *p, uint64_t address,
			  bool ret)
{
	int fd = backend_kprobe_event(address, ret);

	if (fd < 0)
		return fd;
	errno = 0;
	return keep_link(b, bpf_program__attach_perf_event(p, fd));
}

static int attach_multi(struct libbpf_backend *b, struct bpf_program *p,
			const struct hook_choice *c, bool ret)
{
	unsigned long addresses[SYMBOL_COPIES_MAX];
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = addresses, .cnt = c->n, .retprobe = ret);

	for (unsigned int i = 0; i < c->n; i++)
		addresses[i] = c->copies[i]->address;
	errno = 0;
	return keep_link(b, bpf_program__attach_kprobe_multi_opts(p, NULL, &opts));
}

static int attach_program(struct libbpf_backend *b, const struct hook_choice *c,
			  enum attach_kind kind, bool exit)
{
	struct bpf_program *p = program_for(b, c->symbol, kind, exit);
	int err = 0;

	if (!p)
		return 0;
	if (kind == ATTACH_FENTRY) {
		errno = 0;
		return keep_link(b, bpf_program__attach_trace(p));
	}
	if (!c->copies[0]->address)
		return -EACCES;
	if (kind == ATTACH_KPROBE_MULTI)
		return attach_multi(b, p, c, exit);
	for (unsigned int i = 0; i < c->n && !err; i++)
		err = attach_address(b, p, c->copies[i]->address, exit);
	return err;
}

static int backend_attach(void *ctx, const struct hook_choice *c, size_t i, enum attach_kind kind)
{
	struct libbpf_backend *b = own(ctx);
	int err = attach_program(b, &c[i], kind, false);

	return err ? err : attach_program(b, &c[i], kind, true);
}

static void backend_detach(struct bpf_backend *base)
{
	struct libbpf_backend *b = own(base);

	while (b->nlinks)
		bpf_link__destroy(b->links[--b->nlinks]);
}

static void backend_unload(void *ctx)
{
	struct libbpf_backend *b = own(ctx);

	backend_detach(&b->base);
	backend_unloaded(&b->base);
	swaptrace__destroy(b->skel);
	b->skel = NULL;
	b->base.shared = NULL;
}

static int backend_program(struct bpf_backend *base, const struct hook_symbol *s,
			   enum attach_kind kind, bool exit)
{
	struct bpf_program *p = program_for(own(base), s, kind, exit);

	return p ? bpf_program__fd(p) : -ENOENT;
}

const struct bpf_backend_impl backend_libbpf = {
	.name = "libbpf",
	.alloc = backend_alloc,
	.loading = { .load = backend_load, .attach = backend_attach, .unload = backend_unload },
	.program = backend_program,
	.detach = backend_detach,
};
