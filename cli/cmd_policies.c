// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "render/table.h"
#include "replay/policy.h"

static int print(struct table *t, FILE *f)
{
	int ret = t ? table_text(t, f) : -1;

	table_free(t);
	return ret ? fail(EXIT_ENVIRONMENT, "out of memory") : EXIT_DONE;
}

static struct table *settings(void)
{
	struct table *t = table_new("settings", "settings of a policy, joined by commas");
	const struct policy_setting *s;

	if (!t)
		return NULL;
	table_column(t, "setting", ALIGN_LEFT);
	table_column(t, "values", ALIGN_LEFT);
	table_column(t, "meaning", ALIGN_LEFT);
	for (unsigned int i = 0; (s = policy_setting_at(i)); i++) {
		table_word(t, s->key);
		table_word(t, s->values);
		table_word(t, s->meaning);
	}
	return t;
}

/* "5.8 to 6.8": the releases from @k's row to the one before @next's. */
static void put_releases(struct table *t, const struct kernel *first, const struct kernel *next)
{
	char text[64];

	if (next && !first->since.major)
		snprintf(text, sizeof(text), "before %u.%u", next->since.major, next->since.minor);
	else if (next)
		snprintf(text, sizeof(text), "%u.%u to before %u.%u", first->since.major,
			 first->since.minor, next->since.major, next->since.minor);
	else
		snprintf(text, sizeof(text), "from %u.%u", first->since.major, first->since.minor);
	table_word(t, text);
}

/* Rows of the table of kernels that have one model are one line here. */
static struct table *models(void)
{
	struct table *t = table_new("models", "models of kernels, for model=");
	const struct kernel *k, *first = kernel_at(0);

	if (!t)
		return NULL;
	table_column(t, "model", ALIGN_LEFT);
	table_column(t, "releases", ALIGN_LEFT);
	table_column(t, "swapoff", ALIGN_LEFT);
	table_column(t, "allocator", ALIGN_LEFT);
	for (unsigned int i = 1; first; i++) {
		k = kernel_at(i);
		if (k && !strcmp(k->name, first->name) && !strcmp(k->allocator, first->allocator) &&
		    k->readahead.swapoff == first->readahead.swapoff)
			continue;
		table_word(t, first->name);
		put_releases(t, first, k);
		table_word(t, swapoff_policy_name(first->readahead.swapoff));
		table_word(t, first->allocator);
		first = k;
	}
	return t;
}

static int run_policies(const struct arguments *args)
{
	int ret;

	(void)args;
	ret = print(settings(), stdout);
	if (ret)
		return ret;
	putchar('\n');
	return print(models(), stdout);
}

static const struct option_desc policies_options[] = {
	{ .name = NULL },
};

const struct command cmd_policies = {
	.name = "policies",
	.synopsis = "",
	.summary = "list what a policy can be made of",
	.description =
		"Prints the settings that a policy SPEC of replay and sweep is made of, with their values, and the models of kernels with the releases that they hold for. A release goes by the row that it falls into; where a part of it (its allocator, say) has no model of its own, replay says so.",
	.examples = "  swaptrace policies\n"
		    "  swaptrace replay --policy model=v6.18,page-cluster=5 swaptrace.data\n",
	.options = policies_options,
	.sandbox = SANDBOX_READER,
	.run = run_policies,
};
