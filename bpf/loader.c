// SPDX-License-Identifier: GPL-2.0
#include "bpf/loader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOG_LINES 8
#define KERNEL_ENOTSUPP 524 /* the kernel's own number, for "this architecture can't" */
#define LIBBPF_MAJOR 1
#define LIBBPF_MINOR 1

const char *log_tail(const char *log, unsigned int lines)
{
	const char *p = log + strlen(log);

	if (p > log && p[-1] == '\n')
		p--;
	while (p > log) {
		if (p[-1] == '\n' && !--lines)
			break;
		p--;
	}
	return p;
}

const char *loader_errno(int err, char *out, size_t size)
{
	int number = err < 0 ? -err : err;

	if (number == KERNEL_ENOTSUPP)
		snprintf(out, size, "ENOTSUPP (524): not supported on this architecture");
	else
		snprintf(out, size, "%s", strerror(number));
	return out;
}

int libbpf_version_check(unsigned int major, unsigned int minor, struct error *e)
{
	if (major > LIBBPF_MAJOR || (major == LIBBPF_MAJOR && minor >= LIBBPF_MINOR))
		return 0;
	return error_set(e, -ELIBBAD,
			 "libbpf %u.%u was found, but %u.%u or later is needed; install a newer "
			 "libbpf, or use a statically linked swaptrace",
			 major, minor, LIBBPF_MAJOR, LIBBPF_MINOR);
}

static bool wanted(const struct hook_choice *c, unsigned int groups)
{
	return c->hook->groups & groups;
}

struct loading {
	const struct bpf_backend_ops *ops;
	void *ctx;
	const struct hook_choice *c;
	const char *release;
	const struct loader_messages *m;
	struct loader_result *r;
	unsigned int tried[HOOKS_MAX]; /* index of the kind in use */
	unsigned int groups;
};

static void warning(const struct loading *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void warning(const struct loading *l, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (l->m && l->m->warning)
		l->m->warning(l->m->arg, text);
}

static void tell_log(const struct loading *l, const char *program, const char *log)
{
	char line[256];
	const char *p;

	if (!log || !*log || !l->m)
		return;
	if (l->m->log)
		l->m->log(l->m->arg, program, log);
	for (p = log_tail(log, LOG_LINES); *p;) {
		size_t len = strcspn(p, "\n");

		snprintf(line, sizeof(line), "  %.*s", (int)(len > 200 ? 200 : len), p);
		if (len && l->m->warning)
			l->m->warning(l->m->arg, line);
		p += len + (p[len] == '\n');
	}
}

/* The next kind for hook @i, or none; returns what is fatal. */
static int demote(struct loading *l, size_t i, int err, const char *what, const char *log,
		  struct error *e)
{
	const struct hook_choice *c = &l->c[i];
	const char *name = c->hook->event ? c->hook->event : c->hook->name;
	enum attach_kind refused = l->r->kinds[i];
	bool more = ++l->tried[i] < c->nkinds;
	char why[128];

	loader_errno(err, why, sizeof(why));
	l->r->kinds[i] = more ? c->kinds[l->tried[i]] : ATTACH_NONE;
	if (more) {
		/* Falling back is what the plan is for: the header says which kind is in use. */
		if (l->m && l->m->log && log)
			l->m->log(l->m->arg, c->symbol->symbol, log);
		return 0;
	}
	if (c->hook->required & l->groups)
		error_set(e, err, "event %s: %s for %s by %s was refused on kernel %s: %s", name,
			  what, c->symbol->symbol,
			  attach_kind_name(refused, c->symbol->entry, c->symbol->exit), l->release,
			  why);
	else
		warning(l, "%s will be missing: %s for %s by %s was refused on kernel %s: %s", name,
			what, c->symbol->symbol,
			attach_kind_name(refused, c->symbol->entry, c->symbol->exit), l->release,
			why);
	tell_log(l, c->symbol->symbol, log);
	return c->hook->required & l->groups ? err : 0;
}

static int load_all(struct loading *l, struct error *e)
{
	for (;;) {
		size_t failed = hook_plan_len;
		const char *log = NULL;
		char why[128];
		int err = l->ops->load(l->ctx, l->c, l->r->kinds, &failed, &log);

		if (!err)
			return 0;
		if (failed >= hook_plan_len || l->r->kinds[failed] == ATTACH_NONE)
			return error_set(e, err, "the kernel refuses to load BPF programs: %s",
					 loader_errno(err, why, sizeof(why)));
		/* Without the right to load anything, each program would fail in turn. */
		if (err == -EPERM && (!log || !*log))
			return error_set(e, err, "the kernel refuses to load BPF programs: %s",
					 loader_errno(err, why, sizeof(why)));
		err = demote(l, failed, err, "loading the program", log, e);
		if (err)
			return err;
	}
}

/* Attaches everything; *again: something was demoted and has to be loaded anew. */
static int attach_all(struct loading *l, bool *again, struct error *e)
{
	*again = false;
	for (size_t i = 0; i < hook_plan_len; i++) {
		int err;

		if (l->r->kinds[i] == ATTACH_NONE)
			continue;
		err = l->ops->attach(l->ctx, l->c, i, l->r->kinds[i]);
		if (!err)
			continue;
		err = demote(l, i, err, "attaching", NULL, e);
		if (err)
			return err;
		*again |= l->r->kinds[i] != ATTACH_NONE;
	}
	return 0;
}

int loader_run(const struct bpf_backend_ops *ops, void *ctx, const struct hook_choice *c,
	       unsigned int groups, const char *release, const struct loader_messages *m,
	       struct loader_result *r, struct error *e)
{
	struct loading l = {
		.ops = ops, .ctx = ctx, .c = c, .release = release, .m = m, .r = r, .groups = groups
	};
	bool again = true;
	int err;

	for (size_t i = 0; i < HOOKS_MAX; i++)
		r->kinds[i] = ATTACH_NONE;
	for (size_t i = 0; i < hook_plan_len; i++)
		if (c[i].symbol && wanted(&c[i], groups))
			r->kinds[i] = c[i].kinds[0];
	while (again) {
		err = load_all(&l, e);
		if (!err)
			err = attach_all(&l, &again, e);
		if (err || again)
			ops->unload(ctx);
		if (err)
			return err;
	}
	return 0;
}

static void append(char *out, size_t size, const char *word)
{
	size_t len = strlen(out);

	snprintf(out + len, size - len, "%s%s", len ? "," : "", word);
}

/* Whether @word is one of the comma-separated words of @list. */
static bool in_list(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !strncmp(list, word, n))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

unsigned int loader_missing(const struct hook_choice *c, const struct loader_result *r,
			    unsigned int groups, char *out, size_t size)
{
	unsigned int n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < hook_plan_len; i++) {
		char name[32] = "";

		if (!c[i].hook->event || c[i].hook->spare || !wanted(&c[i], groups) ||
		    r->kinds[i] != ATTACH_NONE)
			continue;
		for (size_t k = 0; c[i].hook->event[k] && k < sizeof(name) - 1; k++)
			name[k] = (char)tolower((unsigned char)c[i].hook->event[k]);
		if (in_list(out, name))
			continue;
		append(out, size, name);
		n++;
	}
	return n;
}

void loader_attach_kinds(const struct hook_choice *c, const struct loader_result *r, char *out,
			 size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < hook_plan_len; i++) {
		const char *entry = attach_kind_name(r->kinds[i], true, false);
		const char *exit = attach_kind_name(r->kinds[i], false, true);

		if (r->kinds[i] == ATTACH_NONE)
			continue;
		if (c[i].symbol->entry && !in_list(out, entry))
			append(out, size, entry);
		if (c[i].symbol->exit && !in_list(out, exit))
			append(out, size, exit);
	}
}
