// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>

#include "cli/trace_notes.h"

static int run_recover(const struct arguments *args)
{
	const char *in = args->files[0];
	const char *out = option_string(args, "output", NULL);
	struct trace_stats stats;
	struct error e = { 0 };
	unsigned int wrong;
	int ret;

	if (!out)
		return fail(EXIT_USAGE, "recover: name the new trace with -o");
	ret = trace_recover(in, out, &stats, &e);
	if (ret)
		return fail(ret == -EEXIST ? EXIT_USAGE : exit_code_for(ret), "%s", e.text);
	wrong = trace_warn(in, &stats);
	if (stats.header_damaged)
		warn("%s: the header was damaged; compare 'swaptrace dump --header %s'", in, out);
	note("%s: %" PRIu64 " events saved from %s", out, stats.events, in);
	/* Damage is what one comes here with. */
	return wrong && option_flag(args, "strict") ? EXIT_FINDING : EXIT_DONE;
}

static const struct option_desc recover_options[] = {
	{ 'o', "output", OPTION_STRING, "FILE", "trace to write (needed)", false },
	{ .name = NULL },
};

const struct command cmd_recover = {
	.name = "recover",
	.synopsis = "TRACE -o NEW",
	.summary = "save what is readable of a damaged or cut trace",
	.description =
		"Writes all whole blocks of TRACE to NEW, with a new header, index and footer, and says what is lost. A trace whose recorder was killed can be read as it is; this makes it whole again. A note in the new header keeps what was missing.\n\n"
		"NEW may be TRACE itself where nothing but the end is missing. When something is damaged that is refused, because it would be gone for good. TRACE stays what it was until NEW is whole.",
	.examples = "  swaptrace recover swaptrace.data -o saved.data\n",
	.options = recover_options,
	.sandbox = SANDBOX_READER,
	.run = run_recover,
	.replaces = true,
	.min_files = 1,
	.max_files = 1,
};
