// SPDX-License-Identifier: GPL-2.0
/* The plan as a table for people. */
#include <stdio.h>
#include <string.h>

#include "bpf/hooks.h"

static const char *kinds_text(const struct hook_choice *c, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (unsigned int i = 0; i < c->nkinds && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s", i ? ", " : "",
					attach_kind_name(c->kinds[i], c->symbol->entry,
							 c->symbol->exit));
	return out;
}

static void print_notes(FILE *f, const struct hook_choice *c)
{
	if (c->n > 1)
		fprintf(f, "%24s%u copies, attached by address and counted as one\n", "", c->n);
	if (c->clone)
		fprintf(f, "%24sthe compiler may have changed its arguments (%s)\n", "",
			c->copies[c->n - 1]->name);
	if (c->lower_bound)
		fprintf(f,
			"%24sonly a piece of it is left (%s), its callers hold the rest: counts "
			"are "
			"a lower bound\n",
			"", c->copies[0]->name);
	if (c->modules)
		fprintf(f, "%24s%u of the same name in a module (%s): ignored\n", "", c->modules,
			c->module);
}

/* What only the lab kernel has is no news elsewhere. */
static bool of_lab(const struct hook *h)
{
	for (const struct hook_symbol *s = h->symbols; s->symbol; s++)
		if (strcmp(s->kernels, "lab"))
			return false;
	return true;
}

static void print_choice(FILE *f, const struct hook_choice *c)
{
	char text[512];

	if (!c->symbol && of_lab(c->hook))
		return;
	if (!c->symbol) {
		hook_describe_missing(c, text, sizeof(text));
		fprintf(f, "%-24s-\n%24s%s\n", c->hook->name, "", text);
		if (c->hook->instead)
			fprintf(f, "%24sinstead: %s\n", "", c->hook->instead);
		fprintf(f, "%24slost: %s\n", "", c->hook->lost);
		return;
	}
	fprintf(f, "%-24s%-27s %s\n", c->hook->name, c->copies[0]->name,
		kinds_text(c, text, sizeof(text)));
	for (unsigned int i = 1; i < c->n; i++)
		fprintf(f, "%24s%s\n", "", c->copies[i]->name);
	print_notes(f, c);
}

static void print_variables(FILE *f, const struct hook_kernel *k)
{
	static const struct {
		const char *base, *lost;
	} variables[] = {
		{ "swapin_readahead_hits", "RA hits=" },
		{ "prev_offset", "RA prev=" },
		{ "last_readahead_pages",
		  "RA last=; windows are taken from the burst (how=burst)" },
		{ "page_cluster", "CONFIG page_cluster" },
		{ "enable_vma_readahead", "CONFIG vma_ra" },
		{ "nr_rotate_swap", "whether a rotational device forces cluster readahead" },
		{ "swap_info", "SLOTS, device facts, LOOKUP count=, UNREF left=" },
		{ "vm_event_states", "the exact LOOKUP ra=; it is taken from the hits instead" },
		{ "__per_cpu_offset", "the same, and the content of per-CPU batches" },
		{ "cpu_fbatches", "LRUADD, FLUSH and the counts of DRAIN" },
		{ "swp_slots",
		  "what slots caches held at the start (no kernel from 6.14 has any)" },
	};

	fprintf(f, "\nvariables of the kernel that are read by address%s\n",
		k->symbols.hidden ? " (addresses are hidden here: root sees them)" : "");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const struct symbol_set *s = symbols_find(&k->symbols, variables[i].base);

		if (s && s->n)
			fprintf(f, "  %s\n", s->copies[0].name);
		else
			fprintf(f, "  %s: not listed; lost: %s\n", variables[i].base,
				variables[i].lost);
	}
}

void hooks_print(FILE *f, const struct hook_kernel *k, const struct hook_choice *c)
{
	fprintf(f, "%-24s%-27s %s\n", "event", "function", "attached by, first that works");
	for (size_t i = 0; i < hook_plan_len; i++)
		if (c[i].hook->event)
			print_choice(f, &c[i]);
	fprintf(f, "\nfunctions that tell who asked for what (no events of their own)\n");
	for (size_t i = 0; i < hook_plan_len; i++)
		if (!c[i].hook->event)
			print_choice(f, &c[i]);
	print_variables(f, k);
	if (!k->btf)
		fprintf(f,
			"\nno BTF: fentry and fexit are not possible, and prototypes are not "
			"checked%s\n",
			k->major ? "; the release decides what a function is" : "");
	if (hook_kernel_newer(k))
		fprintf(f,
			"\nthis kernel (%u.%u) is newer than all that are known here: what still "
			"has a "
			"known form is recorded\n",
			k->major, k->minor);
}
