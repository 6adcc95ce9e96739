// SPDX-License-Identifier: GPL-2.0
#include "doctor/doctor.h"

#include <errno.h>
#include <string.h>

#include "bpf/hooks.h"
#include "bpf/machine.h"
#include "bpf/privilege.h"

static const struct {
	unsigned int group;
	const char *name, *tells;
} groups[DOCTOR_GROUPS] = {
	{ GROUP_RA, "ra",
	  "readahead windows, pages read, hits and waste, drains by readahead, swapoff" },
	{ GROUP_ALLOC, "alloc",
	  "swap-out and fallback per order, clusters, fragmentation, what was freed" },
	{ GROUP_LRU, "lru", "drains per caller, releases of batches, flushes" },
};

static bool already(const struct doctor_hooks *h, int g, const char *what)
{
	for (unsigned int i = 0; i < h->groups[g].nlost; i++)
		if (!strcmp(h->groups[g].lost[i], what))
			return true;
	return false;
}

/* A hook that is not there costs something unless something else stands in for it. */
static void count_hook(struct doctor_hooks *h, int g, const struct hook_choice *c)
{
	unsigned int missing;

	if (!(c->hook->groups & groups[g].group) || c->hook->spare)
		return;
	h->groups[g].total++;
	if (c->symbol) {
		h->groups[g].found++;
		return;
	}
	missing = h->groups[g].total - h->groups[g].found - 1;
	h->groups[g].missing[missing].name = c->hook->name;
	h->groups[g].missing[missing].instead = c->hook->instead;
	if (!c->hook->instead && !already(h, g, c->hook->lost))
		h->groups[g].lost[h->groups[g].nlost++] = c->hook->lost;
}

static void resolve(struct doctor_hooks *h, const struct hook_kernel *k)
{
	struct hook_choice choices[HOOKS_MAX];

	hooks_resolve(k, choices);
	for (int g = 0; g < DOCTOR_GROUPS; g++) {
		for (size_t i = 0; i < hook_plan_len; i++)
			count_hook(h, g, &choices[i]);
		h->groups[g].possible = !hooks_require(choices, groups[g].group, NULL);
	}
}

static void read_privilege(struct doctor_hooks *h, const char *root)
{
#ifdef HAVE_BPF
	struct privilege p;

	privilege_read(&p, root);
	h->allowed = !privilege_check(&p, &h->denied);
#else
	(void)root;
	error_set(&h->denied, -ENOSYS, "this swaptrace was built without BPF");
#endif
}

_Static_assert(HOOKS_MAX <= sizeof(((struct doctor_hooks *)0)->groups[0].lost) / sizeof(char *),
	       "every hook's loss has room");

void doctor_hooks_read(struct doctor_hooks *h, const char *root)
{
	char kallsyms[512], btf[512], config[512];
	struct hook_kernel k;

	memset(h, 0, sizeof(*h));
	for (int g = 0; g < DOCTOR_GROUPS; g++) {
		h->groups[g].name = groups[g].name;
		h->groups[g].tells = groups[g].tells;
	}
	snprintf(kallsyms, sizeof(kallsyms), "%s/proc/kallsyms", root);
	snprintf(btf, sizeof(btf), "%s/sys/kernel/btf/vmlinux", root);
	h->known =
		!hook_kernel_read(&k, kallsyms, btf, false,
				  machine_config_path(root, config, sizeof(config)) ? config : NULL,
				  &h->why);
	if (h->known) {
		char release[128];

		machine_release(root, release, sizeof(release));
		hook_kernel_release(&k, release);
		h->have_btf = k.btf != NULL;
		resolve(h, &k);
		hook_kernel_free(&k);
	}
	read_privilege(h, root);
}
