/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_REPLAY_WORLD_SURVEY_PRIV_H
#define SWAPTRACE_REPLAY_WORLD_SURVEY_PRIV_H

#include "replay/world/survey.h"

/* Between survey.c and survey_events.c. */

/* Owners of slots are needed from the beginning: the walk starts again. */
#define SURVEY_AGAIN 1

/** survey_set_pages - the size of a device, which may come back with another one */
void survey_set_pages(struct survey *s, struct survey_device *d, uint64_t pages);

/** survey_tell_page_cluster - the setting is told */
void survey_tell_page_cluster(struct survey *s, uint64_t value);

/** survey_wanted - the keys of @b that the survey reads, in @w, which is returned */
const struct view_wanted *survey_wanted(const struct survey *s, struct view_wanted *w,
					const struct trace_block *b);

/** survey_block - take the events of a block; 0, SURVEY_AGAIN or -ENOMEM */
int survey_block(struct survey *s, struct block_view *v);

#endif
