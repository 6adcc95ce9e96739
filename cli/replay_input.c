// SPDX-License-Identifier: GPL-2.0
#include "cli/replay_input.h"

#include <inttypes.h>
#include <string.h>

static void say_model(const struct replay_input *in)
{
	const struct trace_header *h = trace_get_header(in->reader);
	const char *release = trace_header_get(h, "release");
	bool exact;

	generation_of_release(release, &exact);
	if (release && !exact)
		warn("%s: there is no model of kernel %s; the nearest, %s, is used", in->path, release,
		     in->generation->name);
}

int replay_input_open(struct replay_input *in, const char *path)
{
	struct error e;
	bool exact;
	int ret;

	memset(in, 0, sizeof(*in));
	in->path = path;
	ret = trace_open(&in->reader, path, &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	in->generation = generation_of_release(
		trace_header_get(trace_get_header(in->reader), "release"), &exact);
	trace_facts_of(in->reader, path, &in->facts);
	say_model(in);
	return 0;
}

void replay_input_close(struct replay_input *in)
{
	trace_close(in->reader);
	in->reader = NULL;
}

int replay_input_findings(const struct arguments *args, const struct replay_input *in)
{
	const struct trace_stats *s = trace_get_stats(in->reader);
	bool finding = false;

	if (s->lost) {
		warn("%s: %" PRIu64 " events were lost while recording (%.2f %% of all)", in->path,
		     s->lost, 100.0 * (double)s->lost / (double)(s->lost + s->events));
		finding = true;
	}
	if (s->damaged_blocks || s->truncated) {
		warn("%s: %s%" PRIu64 " blocks are damaged and were left out; 'swaptrace info "
		     "--verify' says more",
		     in->path, s->truncated ? "the end is missing; " : "", s->damaged_blocks);
		finding = true;
	}
	if (s->bad_lines)
		warn("%s: %" PRIu64 " lines could not be read, the first is line %" PRIu64, in->path,
		     s->bad_lines, s->bad_line);
	if (s->unknown_names[0])
		warn("%s: not understood and left out: %s", in->path, s->unknown_names);
	return finding && option_flag(args, "strict") ? EXIT_FINDING : EXIT_DONE;
}
