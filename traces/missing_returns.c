// SPDX-License-Identifier: GPL-2.0
#include "traces/missing_returns.h"

#include <inttypes.h>
#include <stdio.h>

/* With commas between groups of three digits. */
static void grouped(uint64_t n, char *out, size_t size)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n), at = 0;

	for (size_t i = 0; i < len && at + 2 < size; i++) {
		out[at++] = digits[i];
		if ((len - i) % 3 == 1 && i + 1 < len)
			out[at++] = ',';
	}
	out[at] = '\0';
}

uint64_t returns_missing(uint64_t entries, uint64_t returns, uint64_t known, char *out, size_t size)
{
	char missing_text[32], entries_text[32];
	uint64_t missing = entries > returns ? entries - returns : 0;

	out[0] = '\0';
	if (!missing)
		return 0;
	grouped(missing, missing_text, sizeof(missing_text));
	grouped(entries, entries_text, sizeof(entries_text));
	snprintf(out, size, "%s of %s return values missing (%.2f %%)%s", missing_text,
		 entries_text, 100 * (double)missing / (double)entries,
		 known >= missing ? "" : ", not accounted for by nmissed");
	return missing;
}

uint64_t trace_next_missing(const struct trace_header *h, size_t *from, char *out, size_t size)
{
	uint64_t cpus = 0, entries, runs, missed, missing;
	char symbol[96], text[160];
	const char *line;

	trace_header_u64(h, "cpus", &cpus);
	while ((line = trace_header_next_directive(h, "probe", from))) {
		if (!trace_line_u64(line, "entries", &entries) ||
		    !trace_line_u64(line, "runs", &runs))
			continue;
		if (!trace_line_u64(line, "missed", &missed))
			missed = 0;
		missing = returns_missing(entries, runs, missed, text, sizeof(text));
		if (missing <= cpus)
			continue;
		if (!trace_line_get(line, "symbol", symbol, sizeof(symbol)))
			snprintf(symbol, sizeof(symbol), "a probe");
		snprintf(out, size, "%s: %s", symbol, text);
		return missing;
	}
	return 0;
}
