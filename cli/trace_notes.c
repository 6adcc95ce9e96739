// SPDX-License-Identifier: GPL-2.0
#include "cli/trace_notes.h"

#include <inttypes.h>

#include "cli/command.h"

static double percent(uint64_t part, uint64_t rest)
{
	double all = (double)part + (double)rest;

	return all > 0 ? 100 * (double)part / all : 0;
}

static unsigned int warn_damage(const char *name, const struct trace_stats *s)
{
	if (s->damaged_blocks)
		warn("%s: %" PRIu64 " of %" PRIu64 " blocks are damaged and left out, %" PRIu64
		     " events (%.2f %%)",
		     name, s->damaged_blocks, s->damaged_blocks + s->blocks, s->damaged_events,
		     percent(s->damaged_events, s->events));
	if (s->truncated && s->binary_input)
		warn("%s: the end is missing or damaged; %" PRIu64 " events are readable", name,
		     s->events);
	else if (s->truncated)
		warn("%s: the end is missing (the recorder was killed, or the file was cut); %" PRIu64
		     " events are readable, %" PRIu64 " bytes are not",
		     name, s->events, s->damaged_bytes);
	else if (s->damaged_bytes && !s->damaged_blocks)
		warn("%s: %" PRIu64 " damaged bytes outside the events; no event is affected%s",
		     name, s->damaged_bytes,
		     s->header_damaged ? ", the header is read from its second copy" : "");
	if (s->recovered)
		warn("%s: was recovered from a damaged or cut trace, so events are missing", name);
	return (s->damaged_blocks || s->damaged_bytes || s->truncated ? TRACE_DAMAGE : 0) |
	       (s->recovered ? TRACE_RECOVERED : 0);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void warn_text(const char *name, const struct trace_stats *s)
{
	const char *unit = s->binary_input ? "record" : "line";

	if (s->bad_lines)
		warn("%s: %" PRIu64 " %s%s not understood; the first is %s %" PRIu64 ": %s", name,
		     s->bad_lines, unit, plural(s->bad_lines), unit, s->bad_line, s->bad_line_why);
	if (s->unknown_events || s->unknown_keys)
		warn("%s: %" PRIu64 " unknown event%s and %" PRIu64 " unknown key%s or value%s: %s",
		     name, s->unknown_events, plural(s->unknown_events), s->unknown_keys,
		     plural(s->unknown_keys), plural(s->unknown_keys), s->unknown_names);
	if (s->unknown_facts)
		warn("%s: unknown header word%s, misspelt? %s", name, plural(s->unknown_facts),
		     s->unknown_fact_names);
	if (s->unsorted)
		warn("%s: %ss were not in order of time and have been sorted", name, unit);
}

unsigned int trace_warn(const char *name, const struct trace_stats *s)
{
	unsigned int wrong = warn_damage(name, s);

	if (s->lost)
		warn("%s: %" PRIu64 " events were lost while recording (%.2f %%)", name, s->lost,
		     percent(s->lost, s->events));
	warn_text(name, s);
	return wrong | (s->lost ? TRACE_LOSS : 0);
}

int trace_finding(const struct arguments *args, unsigned int wrong)
{
	return wrong & TRACE_DAMAGE || (wrong && option_flag(args, "strict")) ? EXIT_FINDING
									      : EXIT_DONE;
}
