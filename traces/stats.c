// SPDX-License-Identifier: GPL-2.0
#include "traces/stats.h"

#include <stdio.h>
#include <string.h>

void stats_name_unknown(struct trace_stats *stats, const char *name, size_t len)
{
	char *list = stats->unknown_names;
	size_t used = strlen(list), room = sizeof(stats->unknown_names);
	char text[4 * 48 + 5];

	escape_bytes(name, len < 48 ? len : 48, text, sizeof(text));
	len = strlen(text);
	for (const char *p = list; (p = strstr(p, text)); p++)
		if ((p == list || p[-1] == ' ') && (p[len] == ',' || !p[len]))
			return;
	if (used + len + 2 + 5 < room)
		sprintf(list + used, "%s%s", used ? ", " : "", text);
	else if (used >= 3 && strcmp(list + used - 3, "..."))
		strcpy(list + used, ", ...");
}

void stats_bad_line(struct trace_stats *stats, uint64_t number, const char *why)
{
	if (!stats->bad_lines++) {
		stats->bad_line = number;
		snprintf(stats->bad_line_why, sizeof(stats->bad_line_why), "%s", why);
	}
}
