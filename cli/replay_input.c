// SPDX-License-Identifier: GPL-2.0
#include "cli/replay_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/result_json.h"
#include "cli/trace_notes.h"
#include "common/output_file.h"

/* The release of a kernel whose readahead has no exact model; NULL: it has one. */
static const char *release_without_model(const struct replay_input *in)
{
	if (in->kernel.exact & KERNEL_READAHEAD)
		return NULL;
	return trace_header_get(trace_get_header(in->reader), "release");
}

int replay_input_open(struct replay_input *in, const char *path)
{
	const char *release;
	struct error e;
	int ret;

	memset(in, 0, sizeof(*in));
	in->path = path;
	ret = trace_open(&in->reader, path, &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	ret = kernel_recorded(&in->kernel, trace_get_header(in->reader), &e);
	if (ret) {
		replay_input_close(in);
		return fail(EXIT_INPUT, "%s: %s", path, e.text);
	}
	trace_facts_of(in->reader, path, &in->facts);
	release = release_without_model(in);
	if (release)
		warn("%s: there is no exact model of the readahead of kernel %s; the nearest, %s, is used",
		     in->path, release, in->kernel.name);
	return 0;
}

void replay_input_close(struct replay_input *in)
{
	trace_close(in->reader);
	in->reader = NULL;
}

void replay_input_note_model(const struct replay_input *in, struct replay_result *first)
{
	const char *release = release_without_model(in);

	if (release && first->readahead.known)
		replay_result_note(
			first,
			"there is no exact model of the readahead of kernel %.64s: all rows are what the nearest, %s, does",
			release, in->kernel.name);
}

int replay_input_findings(const struct arguments *args, const struct replay_input *in)
{
	const struct trace_stats *s = trace_get_stats(in->reader);

	return trace_finding(args, trace_warn(in->path, s));
}

static int write_file(const struct replay_input *in, const struct replay_result *results,
		      unsigned int n, const char *path, struct error *e)
{
	struct output_file *o;
	FILE *f;
	int ret = output_open(&o, path, OUTPUT_ORDINARY, e);

	if (ret)
		return ret;
	f = output_stream(o);
	ret = f ? results_write(f, &in->facts, results, n, e)
		: error_set(e, -ENOMEM, "out of memory");
	if (!ret)
		return output_commit(o, e);
	output_discard(o);
	return ret;
}

int replay_input_write_results(const struct replay_input *in, const struct replay_result *results,
			       unsigned int n, const char *path)
{
	struct error e = { 0 };
	int ret = path ? write_file(in, results, n, path, &e)
		       : results_write(stdout, &in->facts, results, n, &e);

	return ret ? fail(exit_code_for(ret), "%s", e.text) : 0;
}
