// SPDX-License-Identifier: GPL-2.0
#include "bpf/hooks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bpf/kconfig.h"

/* ---- resolving ---- */

/* Names beside those of the plan: what conditions mention, and the kernel's variables. */
static const char *const other_names[] = {
	"free_swap_slot",  "swapin_readahead_hits",  "prev_offset",	    "last_readahead_pages",
	"page_cluster",	   "enable_vma_readahead",   "nr_rotate_swap",	    "swap_info",
	"vm_event_states", "__per_cpu_offset",	     "cpu_fbatches",	    "lru_rotate",
	"swp_slots",	   "swap_slot_cache_active", "register_fprobe_ips",
};

#define NAMES_MAX 320

/* The newest kernel that the table was made for. */
#define NEWEST_MAJOR 7
#define NEWEST_MINOR 3

static size_t add_name(const char **names, size_t n, size_t max, const char *name)
{
	for (size_t i = 0; name && i < n; i++)
		if (!strcmp(names[i], name))
			return n;
	if (name && n < max)
		names[n++] = name;
	return n;
}

size_t hook_plan_names(const char **names, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < hook_plan_len; i++) {
		for (const struct hook_symbol *s = hook_plan[i].symbols; s->symbol; s++) {
			n = add_name(names, n, max, s->symbol);
			n = add_name(names, n, max, s->with);
			n = add_name(names, n, max, s->absent);
		}
	}
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++)
		n = add_name(names, n, max, other_names[i]);
	return n;
}

static int read_symbols(struct hook_kernel *k, const char *path, struct error *e)
{
	const char *names[NAMES_MAX];
	FILE *in = fopen(path, "r");
	int err;

	if (!in)
		return error_errno(e, -errno, "%s: cannot be opened", path);
	err = symbols_read(&k->symbols, in, path, names, hook_plan_names(names, NAMES_MAX), e);
	fclose(in);
	return err;
}

static bool is_there(const struct hook_kernel *k, const char *base)
{
	const struct symbol *copies[SYMBOL_COPIES_MAX];

	return symbols_function(symbols_find(&k->symbols, base), copies) > 0;
}

static int read_btf(struct hook_kernel *k, const char *path, bool needed, struct error *e)
{
	int err = btf_file_open(&k->btf, path, e);

	if (err)
		return needed || err != -ENOENT ? err : 0;
	if (!needed || btf_file_is_kernel(k->btf))
		return 0;
	return error_set(e, -EBADMSG,
			 "%s: is BTF, but not of a kernel with swap; give a copy of its "
			 "/sys/kernel/btf/vmlinux",
			 path);
}

/* Any symbol of the plan will do: there is no kernel with swap that has none. */
static int check_symbols(const struct hook_kernel *k, const char *path, struct error *e)
{
	for (size_t i = 0; i < k->symbols.n; i++)
		if (k->symbols.sets[i].n)
			return 0;
	return error_set(e, -EBADMSG,
			 "%s: has symbols, but none of a kernel's swap code (CONFIG_SWAP); "
			 "lines of its /proc/kallsyms are expected",
			 path);
}

int hook_kernel_read(struct hook_kernel *k, const char *kallsyms, const char *btf, bool btf_needed,
		     const char *config, struct error *e)
{
	struct kernel_config c;
	int err;

	memset(k, 0, sizeof(*k));
	err = btf ? read_btf(k, btf, btf_needed, e) : 0;
	if (err)
		return err;
	k->fprobe = k->preempts = -1;
	if (kernel_config_read(config, &c)) {
		k->fprobe = c.fprobe;
		k->preempts = c.preempts;
	}
	err = read_symbols(k, kallsyms, e);
	if (!err)
		err = check_symbols(k, kallsyms, e);
	/* Without a configuration: a function that is there with that option alone. */
	if (!err && k->fprobe < 0 && is_there(k, "register_fprobe_ips"))
		k->fprobe = 1;
	return err;
}

void hook_kernel_free(struct hook_kernel *k)
{
	symbols_free(&k->symbols);
	btf_file_close(k->btf);
	k->btf = NULL;
}

/* ---- releases ---- */

void hook_kernel_release(struct hook_kernel *k, const char *release)
{
	if (sscanf(release, "%u.%u", &k->major, &k->minor) != 2)
		k->major = k->minor = 0;
}

/* A release as one number; major 0 is no release. */
static unsigned int as_number(unsigned int major, unsigned int minor)
{
	return major << 16 | minor;
}

bool hook_kernel_newer(const struct hook_kernel *k)
{
	return as_number(k->major, k->minor) > as_number(NEWEST_MAJOR, NEWEST_MINOR);
}

bool hook_covers(const char *kernels, unsigned int major, unsigned int minor)
{
	unsigned int is = as_number(major, minor), at[4], n = 0;
	const char *p = kernels;

	if (is > as_number(NEWEST_MAJOR, NEWEST_MINOR))
		return false;
	while (n < 4 && *(p += strcspn(p, "0123456789"))) {
		unsigned int x, y;

		if (sscanf(p, "%u.%u", &x, &y) == 2)
			at[n++] = as_number(x, y);
		p += strspn(p, "0123456789.");
	}
	if (!n)
		return true;
	if (!strncmp(kernels, "to ", 3))
		return is <= at[0];
	if (n == 2 && strstr(kernels, " to "))
		return is >= at[0] && is <= at[1];
	if (strstr(kernels, " on"))
		return is >= at[0];
	for (unsigned int i = 0; i < n; i++)
		if (is == at[i])
			return true;
	return false;
}

/* ---- forms ---- */

/* Whether "STRUCT.MEMBER" or "STRUCT.MEMBER:TYPE" of @len characters is there. */
static bool has_member(const struct btf_file *b, const char *wanted, size_t len)
{
	char word[128], type[128], *member, *is;

	snprintf(word, sizeof(word), "%.*s", (int)len, wanted);
	member = strchr(word, '.');
	if (!member)
		return false;
	*member++ = '\0';
	is = strchr(member, ':');
	if (is)
		*is++ = '\0';
	return btf_file_member(b, word, member, type, sizeof(type)) && (!is || !strcmp(is, type));
}

/* The end of a word of struct hook_symbol.reads; a type may have blanks ("unsigned char"). */
static size_t word_length(const char *p)
{
	size_t len = strcspn(p, " "), next;

	while (p[len]) {
		next = strcspn(p + len + 1, " ");
		if (memchr(p + len + 1, '.', next))
			break;
		len += 1 + next;
	}
	return len;
}

/* The first member of @reads that is missing in all its forms, NULL: none. */
static const char *missing_member(const struct btf_file *b, const char *reads, size_t *len)
{
	while (reads && *reads) {
		bool found = false;

		*len = word_length(reads);
		for (size_t i = 0; i < *len && !found;) {
			size_t n = strcspn(reads + i, "|");

			if (n > *len - i)
				n = *len - i;
			found = has_member(b, reads + i, n);
			i += n + 1;
		}
		if (!found)
			return reads;
		reads += *len + (reads[*len] == ' ');
	}
	return NULL;
}

/* All functions of the name must have a known form: nothing tells which of them is meant. */
static bool known_form(const struct hook_kernel *k, const struct hook_symbol *s, char *why,
		       size_t size)
{
	const char *member;
	char proto[256];
	unsigned int n;
	size_t len = 0;

	for (n = 0; btf_file_prototype(k->btf, s->symbol, n, proto, sizeof(proto)); n++) {
		if (btf_prototype_matches(proto, s->form))
			continue;
		snprintf(why, size, "%s is %s here, which is not a form of it that is known",
			 s->symbol, proto);
		return false;
	}
	if (!n && s->form) {
		snprintf(why, size, "BTF does not describe %s", s->symbol);
		return false;
	}
	member = missing_member(k->btf, s->reads, &len);
	if (member)
		snprintf(why, size, "%s: this kernel has no %.*s", s->symbol, (int)len, member);
	return !member;
}

/* Without BTF nothing but the release tells what a function of that name is. */
static bool known_release(const struct hook_kernel *k, const struct hook_symbol *s, char *why,
			  size_t size)
{
	if (!k->major || hook_covers(s->kernels, k->major, k->minor))
		return true;
	snprintf(why, size, "%s is known of kernels %s, and there is no BTF to check it against",
		 s->symbol, s->kernels);
	return false;
}

/*
 * BTF describes the function before the compiler changed it, and fentry finds it by name: several
 * copies or a suffix leave only kprobes, which take addresses.
 */
static bool fentry_can(const struct hook_kernel *k, const struct hook_choice *c)
{
	const char *name = c->symbol->symbol;
	char proto[256];

	return k->btf && c->n == 1 && c->copies[0]->form == SYMBOL_EXACT &&
	       !c->symbol->kprobe_only &&
	       btf_file_prototype(k->btf, name, 0, proto, sizeof(proto)) &&
	       !(c->symbol->exit && btf_file_returns_struct(k->btf, name));
}

/*
 * A task can be preempted inside a program of fentry, and the kernel skips that program then for
 * whoever runs on the CPU meanwhile: 0.2 to 4 % of the calls, where kernels preempt (6.16 on by
 * default). Programs of kprobes hold preemption off, but the kernel skips them inside each other,
 * also for interrupts, so what interrupts call stays with fentry.
 */
static void choose_kinds(const struct hook_kernel *k, struct hook_choice *c)
{
	bool fentry = fentry_can(k, c), skipped = k->preempts == 1 && !c->hook->atomic;

	if (fentry && !skipped)
		c->kinds[c->nkinds++] = ATTACH_FENTRY;
	if (k->fprobe == 1)
		c->kinds[c->nkinds++] = ATTACH_KPROBE_MULTI;
	if (fentry && skipped)
		c->kinds[c->nkinds++] = ATTACH_FENTRY;
	c->kinds[c->nkinds++] = ATTACH_KPROBE;
}

static bool try_symbol(const struct hook_kernel *k, const struct hook_symbol *s,
		       struct hook_choice *c)
{
	const struct symbol_set *set = symbols_find(&k->symbols, s->symbol);

	if ((s->with && !is_there(k, s->with)) || (s->absent && is_there(k, s->absent)))
		return false;
	if (set && set->others) {
		c->modules = set->others;
		c->module = set->module;
	}
	c->n = symbols_function(set, c->copies);
	if (!c->n || !(k->btf ? known_form : known_release)(k, s, c->why, sizeof(c->why)))
		return false;
	c->why[0] = '\0';
	c->symbol = s;
	c->lower_bound = c->copies[0]->form == SYMBOL_PART;
	for (unsigned int i = 0; i < c->n; i++)
		c->clone |= c->copies[i]->form == SYMBOL_CLONE;
	choose_kinds(k, c);
	return true;
}

void hooks_resolve(const struct hook_kernel *k, struct hook_choice *c)
{
	for (size_t i = 0; i < hook_plan_len; i++) {
		memset(&c[i], 0, sizeof(c[i]));
		c[i].hook = &hook_plan[i];
		for (const struct hook_symbol *s = hook_plan[i].symbols; s->symbol; s++)
			if (try_symbol(k, s, &c[i]))
				break;
	}
}

int hooks_only_kind(struct hook_choice *c, const char *kind, struct error *e)
{
	enum attach_kind only = ATTACH_FENTRY;

	while (only < ATTACH_NONE && strcmp(kind, attach_kind_name(only, true, false)))
		only++;
	if (only == ATTACH_NONE)
		return error_set(e, -EINVAL,
				 "'%s' is not a way of attaching; there are: fentry, kprobe.multi, "
				 "kprobe",
				 kind);
	for (size_t i = 0; i < hook_plan_len; i++) {
		bool has = false;

		for (unsigned int k = 0; k < c[i].nkinds; k++)
			has |= c[i].kinds[k] == only;
		c[i].nkinds = has;
		c[i].kinds[0] = only;
		if (!has)
			c[i].symbol = NULL;
	}
	return 0;
}

static unsigned int group_of_word(const char *word, size_t len)
{
	if (len == 2 && !strncasecmp(word, "ra", len))
		return GROUP_RA;
	if (len == 5 && !strncasecmp(word, "alloc", len))
		return GROUP_ALLOC;
	if (len == 3 && !strncasecmp(word, "lru", len))
		return GROUP_LRU;
	return 0;
}

unsigned int hooks_groups(const char *list, struct error *e)
{
	unsigned int groups = 0;

	while (*list) {
		size_t len = strcspn(list, ",");
		unsigned int group = group_of_word(list, len);

		if (!group) {
			error_set(e, -EINVAL,
				  "'%.*s' is not a group of events; there are: ra, alloc, lru",
				  (int)len, list);
			return 0;
		}
		groups |= group;
		list += len + (list[len] == ',');
	}
	if (!groups)
		error_set(e, -EINVAL, "no group of events given; there are: ra, alloc, lru");
	return groups;
}

const char *hooks_group_names(unsigned int groups, char *out, size_t size)
{
	static const char *const names[] = { "ra", "alloc", "lru" };
	size_t len = 0;

	out[0] = '\0';
	for (unsigned int i = 0; i < 3; i++)
		if (groups >> i & 1 && len < size)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? "," : "",
						names[i]);
	return out;
}

/* Whether the rows before @s name the same function: then it has been told. */
static bool told_before(const struct hook *h, const struct hook_symbol *s)
{
	for (const struct hook_symbol *p = h->symbols; p < s; p++)
		if (!strcmp(p->symbol, s->symbol))
			return true;
	return false;
}

void hook_describe_missing(const struct hook_choice *c, char *out, size_t size)
{
	size_t len = (size_t)snprintf(out, size, "not available on this kernel (tried: ");
	bool first = true;

	for (const struct hook_symbol *s = c->hook->symbols; s->symbol && len < size; s++) {
		/* What only the lab kernel has is no news elsewhere. */
		if (told_before(c->hook, s) || !strcmp(s->kernels, "lab"))
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%s", first ? "" : ", ",
					s->symbol);
		first = false;
	}
	if (len < size)
		snprintf(out + len, size - len, "%s%s)", c->why[0] ? "; " : "", c->why);
}

int hooks_require(const struct hook_choice *c, unsigned int groups, struct error *e)
{
	char why[512];

	for (size_t i = 0; i < hook_plan_len; i++) {
		if (c[i].symbol || !(c[i].hook->required & groups))
			continue;
		hook_describe_missing(&c[i], why, sizeof(why));
		return error_set(e, -ENOENT, "event %s %s", c[i].hook->event, why);
	}
	return 0;
}

const char *attach_kind_name(enum attach_kind kind, bool entry, bool exit)
{
	static const char *const names[][3] = {
		[ATTACH_FENTRY] = { "fentry", "fexit", "fentry+fexit" },
		[ATTACH_KPROBE_MULTI] = { "kprobe.multi", "kretprobe.multi",
					  "kprobe.multi+kretprobe.multi" },
		[ATTACH_KPROBE] = { "kprobe", "kretprobe", "kprobe+kretprobe" },
		[ATTACH_NONE] = { "none", "none", "none" },
	};

	return names[kind][entry && exit ? 2 : exit ? 1 : 0];
}
